//! Layers built with a language model, against a real server on a local port that answers well and badly.

use crate::server::{Says, Server, serve};
use hopscope::corpus::{Corpus, Passage};
use hopscope::explain::trace;
use hopscope::explorer::action::{Action, Effect};
use hopscope::explorer::command::Command;
use hopscope::explorer::glyphs::GlyphSet;
use hopscope::explorer::jobs::reply::{Inquiry, Reply};
use hopscope::explorer::jobs::{Doer, Job, Listed, News, Tell, Thread, Work};
use hopscope::explorer::layout::Pane;
use hopscope::explorer::picture::plain;
use hopscope::explorer::plain::Teller;
use hopscope::explorer::stage::Stage;
use hopscope::explorer::state::{FinderKind, Mode};
use hopscope::explorer::theme::{ColorLevel, Theme};
use hopscope::index::{BuildOptions, Index, IndexError, Layer, Silent, sample};
use hopscope::layers::skeleton::options::Core;
use hopscope::layers::skeleton::{Ket, KetBuild};
use hopscope::layers::summaries::{E2Build, E2Graph};
use hopscope::llm::{Counters, Estimate, Llm};
use hopscope::parameters::TreeOver;
use hopscope::retrieve::reading::given;
use hopscope::retrieve::{Keep, Method, Retriever, Settings};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::{Arc, Mutex};

type Columns = Vec<(String, Vec<u8>)>;

fn columns<L: Layer>(layer: &L) -> Columns {
    let mut all = Vec::new();
    layer.columns(&mut |name, bytes| all.push((name.to_owned(), bytes.to_vec())));
    all
}

fn tree(index: &Index) -> E2Graph {
    let options = E2Build {
        tree_group: 3,
        tree_over: TreeOver::Neighbours,
        ..E2Build::default()
    };
    E2Graph::build(index, &options, &|_, _, _| true).unwrap()
}

fn think(index: &Index, spec: &str, folder: &Path) -> Arc<Llm> {
    let llm = Arc::new(Llm::open(spec, Some(folder)).unwrap());
    index.think_with(llm.clone());
    llm
}

fn at(server: &Server) -> String {
    format!("endpoint:{}?model=m", server.url)
}

fn heard(server: &Server) -> usize {
    server.heard.lock().unwrap().len()
}

fn counts(llm: &Llm, task: &str) -> Counters {
    let all = llm.counters();
    all.iter()
        .find(|(name, _)| *name == task)
        .unwrap()
        .1
        .clone()
}

fn input(asked: &Value) -> Value {
    serde_json::from_str(asked["messages"][1]["content"].as_str().unwrap()).unwrap()
}

/// Of leaf summaries by the length of what is asked: a third is never answered well, a third only when asked again.
fn class(input: &Value) -> usize {
    match input["level"].as_u64() {
        Some(1) => input["texts"][0].as_str().unwrap().len() % 3,
        _ => 2,
    }
}

#[test]
fn a_summary_tree_of_answers_broken_answers_and_stand_ins() {
    let index = sample::index().unwrap();
    let by_rules = tree(&index);
    assert_eq!(by_rules.meta.origin, "rule(summarise, 1)");
    let said: Value = serde_json::from_slice(&by_rules.meta_json).unwrap();
    assert!(
        said.get("made").is_none(),
        "rules store what they always did"
    );

    let folder = tempfile::tempdir().unwrap();
    let server = serve(|_, asked| {
        let again = asked["messages"].as_array().unwrap().len() > 2;
        match class(&input(asked)) {
            0 => Says::Text("I would rather not.".into()),
            1 if !again => Says::Text(json!({"text": " "}).to_string()),
            _ => Says::Echo,
        }
    });
    let llm = think(&index, &at(&server), folder.path());
    let mixed = tree(&index);
    let (meta, found) = (&mixed.meta, counts(&llm, "summarise"));
    assert_eq!(meta.summaries, by_rules.meta.summaries);
    assert_eq!(found.items, meta.summaries as u64);
    assert!(found.fallbacks > 0 && found.invalid > 0, "{found}");
    // What was no answer or a wrong one was asked for once more.
    assert_eq!(
        found.calls,
        found.items + found.fallbacks + found.invalid,
        "{found}"
    );
    assert_eq!(found.failures, found.fallbacks);
    let shares: Vec<(String, u64, u64)> = (meta.made.iter())
        .map(|s| (s.origin.to_string(), s.items, s.fallbacks))
        .collect();
    let of = |origin: &str| {
        let share = shares.iter().find(|s| s.0 == origin).unwrap();
        (share.1, share.2)
    };
    assert_eq!(of("rule(summarise, 1)"), (found.fallbacks, found.fallbacks));
    assert_eq!(
        of("llm(m, summarise, 1)"),
        (found.items - found.fallbacks, 0)
    );
    assert_eq!(meta.origin, meta.made.to_string());

    // A stand-in's text is the one the rules write of the same children; a model's stands for all below it.
    let level = by_rules.level_ends[0]..by_rules.level_ends[1];
    let mut by_model = 0;
    for node in level.clone() {
        let text = mixed.node_text(index.passages(), node);
        if text.starts_with("sum of ") {
            by_model += 1;
            let below = mixed.leaves(node).flat_map(|leaf| mixed.passages(leaf));
            assert_eq!(mixed.passages(node), below.collect::<Vec<u32>>());
        } else {
            assert_eq!(text, by_rules.node_text(index.passages(), node));
            assert_eq!(mixed.passages(node), by_rules.passages(node));
        }
    }
    assert_eq!(level.len() as u64, by_model + found.fallbacks);

    // The answers alone give the same tree, bit by bit, and so does a second build that asks only what had no answer.
    let llm = think(&index, "replay:m", folder.path());
    assert!(columns(&tree(&index)) == columns(&mixed));
    let kept = counts(&llm, "summarise");
    assert_eq!((kept.calls, kept.hits), (0, found.items - found.fallbacks));

    // Once everything has an answer, nothing is asked.
    let good = serve(|_, _| Says::Echo);
    think(&index, &at(&good), folder.path());
    let whole = tree(&index);
    assert!(heard(&good) as u64 >= found.fallbacks);
    assert_eq!(whole.meta.made.iter().count(), 1);
    let before = heard(&good);
    let told: Arc<Mutex<Vec<(&str, Estimate)>>> = Arc::default();
    let hears = told.clone();
    let llm = Llm::open(&at(&good), Some(folder.path())).unwrap();
    llm.announce_to(Box::new(move |task, estimate| {
        hears.lock().unwrap().push((task, *estimate));
    }));
    index.think_with(Arc::new(llm));
    assert!(columns(&tree(&index)) == columns(&whole));
    assert_eq!(heard(&good), before);
    let told = told.lock().unwrap();
    assert!(
        told.iter()
            .all(|(task, e)| *task == "summarise" && e.calls == 0)
    );
    let items: usize = told.iter().map(|(_, e)| e.items).sum();
    assert_eq!(items, whole.meta.summaries);

    // The rules again: what they always built.
    index.think_with(Arc::new(Llm::rules()));
    assert!(columns(&tree(&index)) == columns(&by_rules));

    // A question's story and trace say who made the layer it ran on; where rules made all, nothing.
    let index = Arc::new(index);
    for (layer, said) in [(by_rules, String::new()), (mixed, meta_said(&shares))] {
        index.add_layer(layer);
        let settings = Settings::of(&index, Method::by_name("e2graphrag").unwrap());
        let question = "Who discovered the moon Titan?";
        let found = Retriever::new(index.clone())
            .retrieve(question, &settings, Keep::Scores)
            .unwrap();
        let story = hopscope::explain::story(&index, &found, &[]);
        assert_eq!(story.made_by, said);
        assert_eq!(trace(&index, &found, None).made_by, said);
    }
}

/// Makers as a layer says them.
fn meta_said(shares: &[(String, u64, u64)]) -> String {
    let one = |(origin, items, fallbacks): &(String, u64, u64)| match fallbacks {
        0 => format!("{origin}: {items}"),
        n => format!("{origin}: {items} ({n} fallbacks)"),
    };
    shares.iter().map(one).collect::<Vec<_>>().join(", ")
}

#[test]
fn a_stand_in_above_a_models_words_stands_for_all_below_those() {
    let index = sample::index().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let server = serve(|_, asked| {
        match input(asked)["level"].as_u64() {
        Some(1) => Says::Text(
            json!({"text": "The keeper of the lighthouse wrote down what every boat had on board."})
                .to_string(),
        ),
        _ => Says::Text("no".into()),
    }
    });
    think(&index, &at(&server), folder.path());
    let tree = tree(&index);
    let (first, second) = (tree.level_ends[1], tree.level_ends[2]);
    for node in first..second {
        let below: Vec<u32> = (tree.leaves(node).flat_map(|leaf| tree.passages(leaf))).collect();
        let own = tree.passages(node);
        assert!(
            !own.is_empty() && own.iter().all(|p| below.contains(p)),
            "{own:?}"
        );
        // It quotes its first child, whose words are a model's.
        let child = tree.children(node).start;
        assert!(tree.passages(child).iter().all(|p| own.contains(p)));
    }
}

#[test]
fn units_near_a_made_up_passage_are_those_near_its_words() {
    let index = Arc::new(sample::index().unwrap());
    let question = "Which telescope did the Herschels build?";
    let made_up = "Uranus was discovered by William Herschel in Bath.";
    let ask = |question: &str, method: &str| {
        let settings = Settings::of(&index, Method::by_name(method).unwrap());
        let mut retriever = Retriever::new(index.clone());
        retriever
            .retrieve(question, &settings, Keep::Scores)
            .unwrap()
    };
    let said = |run: &hopscope::Retrieval| {
        let facts = &run.records[0].output.facts;
        let fact = facts.iter().find(|fact| fact.0 == "made up").unwrap();
        fact.1.as_str().unwrap().to_owned()
    };
    // Without a model the question stands for the passage, and that is said.
    let alone = ask(question, "hyde-rag");
    assert_eq!(alone.passages, ask(question, "text-rag").passages);
    assert!(said(&alone).starts_with("nothing: no language model is named"));
    let server = serve(move |_, _| Says::Text(json!({"text": made_up}).to_string()));
    let folder = tempfile::tempdir().unwrap();
    think(&index, &at(&server), folder.path());
    let run = ask(question, "hyde-rag");
    assert_eq!(said(&run), made_up);
    // A passage is encoded as one, and a question as one: the built-in table makes no difference between them.
    assert_eq!(run.passages, ask(made_up, "text-rag").passages);
    assert_ne!(run.passages, alone.passages);
}

#[test]
fn a_build_that_waits_for_a_model_is_cancelled() {
    let index = sample::index().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let server = serve(|_, _| Says::Drip(50));
    think(&index, &at(&server), folder.path());
    let begun = std::time::Instant::now();
    let stop = |_: &'static str, _: usize, _: usize| begun.elapsed().as_millis() < 300;
    let options = E2Build {
        tree_over: TreeOver::Neighbours,
        ..E2Build::default()
    };
    let stopped = E2Graph::build(&index, &options, &stop);
    assert!(matches!(stopped, Err(IndexError::Cancelled)));
    assert!(begun.elapsed().as_secs() < 10);
}

#[test]
fn a_skeleton_of_what_a_model_extracts() {
    let texts = [
        "Mara Voss painted Gull Rock in oil.",
        "Ivo Lind sailed to Hull with Mara Voss.",
        "Broken text about Leeds and Tern Island.",
    ];
    let passages = texts.iter().enumerate().map(|(n, text)| Passage {
        id: format!("p{n}"),
        title: String::new(),
        text: (*text).into(),
    });
    let corpus = Corpus {
        name: "test".into(),
        passages: passages.collect(),
        questions: Vec::new(),
    };
    let index = Index::build(corpus, &BuildOptions::default(), &Silent).unwrap();
    let build = || Ket::build(&index, &KetBuild::default(), &|_, _, _| true).unwrap();
    let by_rules = build();
    let folder = tempfile::tempdir().unwrap();
    let server = serve(|_, asked| {
        let text = input(asked)["text"].as_str().unwrap().to_owned();
        if text.contains("Broken") {
            return Says::Plain(200, "", "<html>".into());
        }
        let entity = |name: &str| json!({"name": name, "type": "thing", "description": format!("{name},\nas told")});
        let relation = |a: &str, b: &str| json!({"source": a, "target": b, "description": format!("{a} knows {b}"), "strength": 40});
        Says::Text(
            json!({"entities": [entity("Mara Voss"), entity("THE SEA")],
                   "relations": [relation("the sea", "Mara Voss"), relation("Mara Voss", "nobody")]})
            .to_string(),
        )
    });
    let llm = think(&index, &at(&server), folder.path());
    let layer = build();
    let found = counts(&llm, "extract_graph");
    assert_eq!(
        (found.items, found.fallbacks, found.dropped),
        (3, 1, 2),
        "{found}"
    );
    assert_eq!(
        layer.meta.origin,
        "llm(m, extract_graph, 1): 2, rule(extract_graph, 1): 1 (1 fallbacks)"
    );
    let skeleton = layer.skeleton(&index, &Core::ALL).unwrap();
    let names: Vec<&str> = skeleton.names.iter().collect();
    assert_eq!(names, ["Mara Voss", "THE SEA", "Leeds", "Tern Island"]);
    assert_eq!(skeleton.descriptions.get(0), "Mara Voss, as told");
    let told: Vec<&str> = skeleton.relation_descriptions.iter().collect();
    assert_eq!(told[0], "the sea knows Mara Voss");
    assert_eq!(skeleton.weight[0], 20.0, "10 at most, twice");
    index.think_with(Arc::new(Llm::rules()));
    assert!(columns(&build()) == columns(&by_rules));

    // What is derived under other settings is by rules, whoever made what is stored.
    let index = Arc::new(index);
    let made_by = |set: &[&str]| {
        let mut settings = Settings::of(&index, Method::by_name("skeleton-rag").unwrap());
        for set in set {
            settings.set_text(set).unwrap();
        }
        let run = Retriever::new(index.clone()).retrieve(
            "Who painted Gull Rock?",
            &settings,
            Keep::Scores,
        );
        hopscope::explain::story(&index, &run.unwrap(), &[]).made_by
    };
    index.add_layer(layer);
    let own = "llm(m, extract_graph, 1): 2, rule(extract_graph, 1): 1 (1 fallbacks)";
    let derived = format!("rule(extract_graph, 2) under these settings; the stored layer by {own}");
    assert_eq!(made_by(&[]), own);
    assert_eq!(made_by(&["core_share=0.5"]), derived);
    assert_eq!(made_by(&["knn_k=3"]), derived);
    index.add_layer(by_rules);
    assert_eq!(made_by(&["core_share=0.5"]), "");
}

/// A good answer to any task of a build or a search, told by the names of what is given.
fn answer(input: &Value) -> Value {
    let has = |name: &str| input.get(name).is_some();
    let first = |name: &str| {
        let text = input[name].as_str().unwrap();
        text.split_whitespace()
            .take(6)
            .collect::<Vec<_>>()
            .join(" ")
    };
    if has("context") {
        json!({"text": "The Lighthouse", "cited": [1, 0]})
    } else if has("question") {
        json!({"terms": [input["question"].as_str().unwrap().split(' ').next_back().unwrap()]})
    } else if has("headers") {
        json!({"title": "A table", "description": "rows", "summary": "all rows", "columns": {}, "entities": []})
    } else if has("source_title") {
        json!({"topic": "harbours", "title": "t", "entities": [first("text")]})
    } else if has("types") {
        json!({"entities": [{"name": first("text"), "type": "thing", "description": "told"}], "relations": []})
    } else if has("attributes") {
        json!({"elements": [{"title": "What they share", "description": format!("{} texts share it", input["units"].as_array().unwrap().len())}]})
    } else if has("descriptions") || has("units") {
        json!({"text": format!("all of {}", first("name"))})
    } else if has("texts") {
        json!({"text": format!("sum of {}", input["texts"][0].as_str().unwrap())})
    } else {
        let name = first("text");
        json!({"units": [{"text": input["text"], "entities": [name, "The Sea"], "relations": [[name, "knows", "The Sea"], ["lost"]]}]})
    }
}

/// Exit code, what was printed, and what was said.
fn ran(arguments: &[&str]) -> (i32, String, String) {
    let out = std::process::Command::new(env!("CARGO_BIN_EXE_hopscope"))
        .args(arguments)
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let code = out.status.code().unwrap();
    (code, text(&out.stdout), text(&out.stderr))
}

fn hopscope(arguments: &[&str]) -> (Value, String) {
    let (code, printed, said) = ran(arguments);
    assert_eq!(code, 0, "{said}");
    let printed = serde_json::from_str(&printed).unwrap();
    super::schema::holds(arguments, &printed);
    (printed, said)
}

#[test]
fn every_layer_by_a_model_from_the_command_line() {
    let server = serve(|_, asked| Says::Text(answer(&input(asked)).to_string()));
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/sample-corpus");
    let (cache, spec) = (at("cache"), format!("endpoint:{}?model=m", server.url));
    let build = |out: &str| {
        let layers = "e2graphrag,ket,noderag,sage";
        hopscope(&[
            "index",
            corpus,
            "--out",
            out,
            "--with",
            layers,
            // Passages that are a document each have summaries only together.
            "--set",
            "tree_over=neighbours",
            "--llm",
            &spec,
            "--llm-cache",
            &cache,
            "--json",
        ])
    };
    let (first, said) = build(&at("one"));
    let tasks = first["llm"]["tasks"].as_object().unwrap();
    assert_eq!(first["llm"]["model"], "m");
    let needed = [
        "attribute",
        "community",
        "decompose",
        "doc_metadata",
        "extract_graph",
        "summarise",
    ];
    for task in needed {
        let found = &tasks[task];
        assert!(found["items"].as_u64() > Some(0), "{task}: {found}");
        assert_eq!(found["fallbacks"], 0, "{task}: {found}");
        // The estimate before, the account after.
        assert!(
            said.contains(&format!("{task}: ")) && said.contains(&format!("{task} by m: ")),
            "{said}"
        );
    }
    assert!(tasks["decompose"]["dropped"].as_u64() > Some(0));
    let before = heard(&server);
    let (second, _) = build(&at("two"));
    assert_eq!(heard(&server), before, "everything is kept");
    for (task, found) in second["llm"]["tasks"].as_object().unwrap() {
        assert_eq!(
            (&found["calls"], &found["hits"]),
            (&json!(0), &found["items"]),
            "{task}"
        );
    }
    let layers = |name: &str| {
        let text = std::fs::read(folder.path().join(name).join("manifest.json")).unwrap();
        let manifest: Value = serde_json::from_slice(&text).unwrap();
        manifest["layers"].clone()
    };
    assert!(layers("one").as_array().unwrap().len() >= 4);
    assert_eq!(layers("one"), layers("two"));

    // A question: its terms by the model, and without one by the rules.
    let question = "Who built the lighthouse of Hull?";
    let asked = ["ask", &at("one"), question, "-m", "noderag", "--json"].map(str::to_owned);
    let plain: Vec<&str> = asked.iter().map(String::as_str).collect();
    let (_, said) = hopscope(&plain);
    assert!(!said.contains("query_terms"), "{said}");
    let (_, said) = hopscope(&[&plain[..], &["--llm", &spec, "--llm-cache", &cache]].concat());
    assert!(
        said.contains("query_terms by m: 1 items: 0 answers kept, 1 calls"),
        "{said}"
    );
}

#[test]
fn a_build_that_no_model_answered_is_written_and_ends_with_code_1() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/sample-corpus");
    let (cache, out) = (at("cache"), at("out"));
    let build = |server: &Server| {
        let spec = self::at(server);
        let with = ["index", corpus, "--out", &out, "--with", "ket"];
        ran(&[&with[..], &["--llm", &spec, "--llm-cache", &cache]].concat())
    };
    let locked = serve(|_, _| Says::Plain(401, "", "{\"error\": \"no such key\"}".into()));
    let (code, printed, said) = build(&locked);
    assert_eq!(code, 1, "{said}");
    assert!(printed.contains("layer ket"), "{printed}");
    assert!(Path::new(&out).join("manifest.json").is_file());
    for told in [
        "the first failure: 127.0.0.1: status 401: no such key; check the key that key_env names",
        "m answered none of ",
        "run again: kept answers are reused",
    ] {
        assert!(said.contains(told), "{told}: {said}");
    }
    assert!(heard(&locked) <= 4, "one breaker");

    // Half of them: done, and what to do is said.
    let half = serve(|turn, asked| match turn % 2 {
        0 => Says::Plain(402, "", "pay".into()),
        _ => Says::Text(answer(&input(asked)).to_string()),
    });
    let (code, _, said) = build(&half);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("hopscope: the rules made "), "{said}");
    // And the rest alone the next time.
    let first = heard(&half);
    let good = serve(|_, asked| Says::Text(answer(&input(asked)).to_string()));
    let (code, _, said) = build(&good);
    assert!(code == 0 && !said.contains("the rules made"), "{said}");
    assert!((1..=first.div_ceil(2)).contains(&heard(&good)), "{said}");
}

#[test]
fn a_question_is_answered_with_the_passages_that_were_used() {
    let server = serve(|_, asked| Says::Text(answer(&input(asked)).to_string()));
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().display().to_string();
    let spec = at(&server);
    let question = [
        "ask",
        "Who discovered Uranus?",
        "-m",
        "bm25",
        "-k",
        "3",
        "--answer",
    ];
    let (code, printed, said) = ran(&question);
    assert_eq!((code, &*printed), (2, ""));
    assert!(
        said.contains("no language model is named; name one with --llm endpoint:URL?model=NAME"),
        "{said}"
    );
    let with = [&question[..], &["--llm", &spec, "--llm-cache", &cache]].concat();
    let (code, printed, said) = ran(&with);
    assert_eq!(code, 0, "{said}");
    let (list, told) = printed.split_once("\nanswer by m: ").unwrap();
    let mut told = told.lines();
    assert_eq!(told.next(), Some("The Lighthouse"));
    let ranked: Vec<&str> = list
        .lines()
        .filter(|line| !line.starts_with("    "))
        .collect();
    assert_eq!(ranked.len(), 3);
    // The second and the first, by number and title.
    for (cited, rank) in told.zip([2, 1]) {
        let (number, rest) = cited.trim().split_once("  ").unwrap();
        assert_eq!(number, rank.to_string());
        let title = rest.split_once("  ").unwrap().1;
        assert!(ranked[rank - 1].contains(title), "{cited}: {ranked:?}");
    }
    assert!(
        said.contains("answer by m: 1 items: 0 answers kept, 1 calls"),
        "{said}"
    );
    let sent = input(&server.heard.lock().unwrap()[0].1);
    assert_eq!(sent["question"], "Who discovered Uranus?");
    assert_eq!(sent["context"].as_array().unwrap().len(), 3);
    let (object, _) = hopscope(&[&with[..], &["--json"]].concat());
    assert_eq!(heard(&server), 1, "the answer is kept");
    let (answer, passages) = (&object["answer"], &object["passages"]);
    assert_eq!(answer["text"], "The Lighthouse");
    assert_eq!(answer["made_by"], "llm(m, answer, 1)");
    for (cited, rank) in answer["cited"].as_array().unwrap().iter().zip([2, 1]) {
        assert_eq!(cited["rank"], rank);
        let text = sent["context"][rank - 1].as_str().unwrap();
        assert!(text.starts_with(cited["title"].as_str().unwrap()), "{text}");
        assert_eq!(passages[rank - 1]["title"], cited["title"]);
    }

    let broken = serve(|_, _| Says::Text("no".into()));
    let spec = at(&broken);
    let cold = tempfile::tempdir().unwrap();
    let cold = cold.path().display().to_string();
    let (code, printed, said) =
        ran(&[&question[..], &["--llm", &spec, "--llm-cache", &cold]].concat());
    assert_eq!(code, 1);
    assert!(!printed.is_empty() && !printed.contains("answer by"));
    assert!(
        said.contains("no answer: no valid answer: no JSON object"),
        "{said}"
    );
}

#[test]
fn answers_are_measured_beside_what_was_found() {
    let server = serve(|_, asked| {
        let context = input(asked)["context"].to_string();
        let text = if context.contains("Herschel") {
            "the Herschel"
        } else {
            "unknown"
        };
        Says::Text(json!({"text": text, "cited": [0]}).to_string())
    });
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let write = |name: &str, lines: &[Value]| {
        let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
        std::fs::write(folder.path().join(name), lines.join("\n")).unwrap();
    };
    write(
        "passages.jsonl",
        &[
            json!({"id": "a", "title": "William Herschel", "text": "William Herschel discovered Uranus in 1781."}),
            json!({"id": "b", "title": "Titan", "text": "Titan is a moon of Saturn."}),
        ],
    );
    let asked: Vec<Value> = (0..12)
        .map(|n| match n {
            0 => json!({"id": "none", "question": "Who is nobody?", "gold": {"b": 1}}),
            n if n % 2 == 0 => json!({"id": format!("q{n}"), "question": "Who discovered Uranus?", "answer": "Herschel", "gold": {"a": 1}}),
            n => json!({"id": format!("q{n}"), "question": "What is Titan?", "answer": "a moon", "answer_aliases": ["moon of Saturn"], "gold": {"b": 1}}),
        })
        .collect();
    write("questions.jsonl", &asked);
    let (corpus, questions) = (at("passages.jsonl"), at("questions.jsonl"));
    let with = [
        "eval",
        &corpus,
        "--questions",
        &questions,
        "-m",
        "bm25,two=bm25",
        "-k",
        "1",
        "--answer",
    ];
    let (code, _, said) = ran(&with);
    assert!(
        code == 2 && said.contains("--answer: no language model is named"),
        "{said}"
    );
    let (spec, cache) = (self::at(&server), at("cache"));
    let with = [&with[..], &["--llm", &spec, "--llm-cache", &cache]].concat();
    let (object, said) = hopscope(&[&with[..], &["--json"]].concat());
    // Two different requests, by both methods the same.
    assert!(
        said.contains("answer: 11 items: 9 answers kept, 2 calls of about "),
        "{said}"
    );
    assert_eq!(heard(&server), 2);
    let method = &object["methods"][0];
    let told = &method["answers"];
    assert_eq!(
        (&told["questions"], &told["unanswered"]),
        (&json!(11), &json!(0))
    );
    for measure in ["EM", "F1"] {
        assert!((told[measure].as_f64().unwrap() - 5.0 / 11.0).abs() < 1e-9);
    }
    let rows = method["per_question"].as_array().unwrap();
    assert!(rows[0].get("answer").is_none());
    assert_eq!(
        rows[2]["answer"],
        json!({"EM": 1.0, "F1": 1.0, "text": "the Herschel", "cited": ["a"]})
    );
    assert_eq!(rows[1]["answer"]["EM"], 0.0);
    let compared = &object["comparisons"][0]["answers"];
    assert_eq!(compared["EM"]["difference"], 0.0);
    assert_eq!(compared["F1"]["ties"], 11);
    let (_, printed, _) = ran(&with);
    assert!(
        printed.contains("bm25           answers: EM 0.4545 F1 0.4545 over 11 questions\n"),
        "{printed}"
    );
    assert!(printed.contains("  EM "), "{printed}");
    let locked = serve(|_, _| Says::Plain(401, "", "{}".into()));
    let (spec, cache) = (self::at(&locked), at("another"));
    let with: Vec<&str> = with[..with.len() - 4].to_vec();
    let (code, printed, said) =
        ran(&[&with[..], &["--llm", &spec, "--llm-cache", &cache]].concat());
    assert_eq!(code, 1, "{said}");
    assert!(printed.contains("over 11 questions, 11 of them without an answer, which counts 0"));
    assert!(said.contains("the model answered no question"), "{said}");
}

#[test]
fn an_assembled_context_is_read_by_its_passages() {
    let index = Arc::new(sample::index().unwrap());
    let run = |method: &str| {
        let settings = Settings::of(&index, Method::by_name(method).unwrap());
        let question = "Who discovered the moon Titan?";
        Retriever::new(index.clone())
            .retrieve(question, &settings, Keep::Scores)
            .unwrap()
    };
    let found = run("ket-rag-p");
    let whole = found.text(&index).unwrap();
    let pieces = given(&index, &found);
    let (own, beside): (Vec<_>, Vec<_>) = pieces.iter().partition(|p| p.passage.is_some());
    assert!(own.len() > 5 && !beside.is_empty());
    for piece in own {
        let text = index.passages().full_text(piece.passage.unwrap() as usize);
        assert!(piece.text.lines().all(|line| text.contains(line)));
    }
    assert!(
        beside[0].text.starts_with("# Entities"),
        "{}",
        beside[0].text
    );
    let lines = |text: &str| text.lines().filter(|line| !line.trim().is_empty()).count();
    let all: usize = pieces.iter().map(|piece| lines(&piece.text)).sum();
    assert_eq!(all, lines(&whole), "nothing is lost");

    // Chunks of a document: a title goes with the passage that follows it.
    let chunks = given(&index, &run("e2graphrag"));
    let own = chunks
        .iter()
        .filter_map(|piece| Some((piece, piece.passage?)));
    let own: Vec<_> = own.collect();
    assert!(!own.is_empty());
    for (piece, passage) in own {
        let text = index.passages().full_text(passage as usize);
        let title = index.title(passage);
        assert!(
            piece
                .text
                .lines()
                .all(|line| line == title || text.contains(line)),
            "{piece:?}"
        );
    }

    // Without one it is the result, under the same budget.
    let plain = given(&index, &run("bm25"));
    let ranked: Vec<_> = run("bm25")
        .top()
        .iter()
        .map(|hit| Some(hit.passage))
        .collect();
    assert_eq!(plain.iter().map(|p| p.passage).collect::<Vec<_>>(), ranked);
}

/// The explorer on the sample with a question asked, and a model if there is one.
fn stage(llm: Option<Llm>) -> Stage {
    let index = Arc::new(sample::index().unwrap());
    if let Some(llm) = llm {
        index.think_with(Arc::new(llm));
    }
    let settings = Settings::of(&index, Method::by_name("graph-hybrid").unwrap());
    let theme = Theme::load("mono", ColorLevel::None).unwrap();
    let mut stage = Stage::new(index, "", settings, theme, GlyphSet::Unicode.glyphs());
    stage.draw(120, 36);
    stage.act(Action::AskNumber(0));
    stage.draw(120, 36);
    stage
}

#[test]
fn the_explorer_shows_the_answer_and_marks_what_it_was_made_from() {
    let screen = |stage: &mut Stage| plain(&stage.draw(120, 36));
    let mut alone = stage(None);
    alone.press("I");
    let said = screen(&mut alone);
    assert!(
        said.contains("Answer the question: no model: start with --llm endpoint:URL?model=NAME"),
        "{said}"
    );

    let folder = tempfile::tempdir().unwrap();
    let server = serve(|turn, asked| match turn {
        0 => Says::Plain(401, "", "{\"error\": \"no such key\"}".into()),
        _ => Says::Text(answer(&input(asked)).to_string()),
    });
    let mut stage = stage(Some(Llm::open(&at(&server), Some(folder.path())).unwrap()));
    assert_eq!(heard(&server), 0, "nothing is sent before a person asks");
    let before = screen(&mut stage);
    assert!(!before.contains("\" cited"));
    stage.press("I");
    let said = screen(&mut stage);
    assert!(
        said.contains("no answer: 127.0.0.1: status 401: no such key"),
        "{said}"
    );
    // Asked again by hand, the server is tried again.
    stage.press("I");
    assert_eq!(heard(&server), 2);
    assert!(matches!(&stage.state.mode, Mode::Finder(open) if open.kind == FinderKind::Answer));
    let shown = screen(&mut stage);
    let scene = stage.state.scene().unwrap();
    let cited: Vec<(u32, String)> = [1, 0]
        .map(|at| (scene.passages[at].passage, scene.passages[at].title.clone()))
        .into();
    for told in ["The Lighthouse", "by m", "From"] {
        assert!(shown.contains(told), "{told}: {shown}");
    }
    for (rank, (_, title)) in [2, 1].into_iter().zip(&cited) {
        assert!(shown.contains(&format!("{rank}. {title}")), "{shown}");
    }
    // The second line is the first passage that was used.
    stage.press("Down Enter");
    assert!(matches!(stage.state.mode, Mode::Browse));
    assert_eq!(
        stage
            .state
            .detail()
            .unwrap()
            .passage
            .as_ref()
            .unwrap()
            .passage,
        cited[0].0
    );
    let shown = screen(&mut stage);
    assert!(shown.contains("\" cited"), "{shown}");
    let marked = |line: &&str| line.contains("G\"") || line.contains("  \"");
    let lines = shown.lines().filter(|line| !line.contains("\" cited"));
    let marked = lines.filter(marked);
    assert_eq!(marked.count(), 2, "{shown}");
    stage.act(Action::Focus(Pane::Passages));
    let told = Teller::default().told(&stage.state);
    assert_eq!(told.matches("used for the answer").count(), 2, "{told}");
    // Text that is hidden for a picture is hidden here, too.
    stage.press("K I");
    assert!(!screen(&mut stage).contains("The Lighthouse"));
    stage.press("Esc K");
    // The same question under the same settings is asked once, under others again.
    stage.press("I");
    assert!(screen(&mut stage).contains("The Lighthouse"));
    stage.press("Esc");
    assert_eq!(heard(&server), 2);
    stage.press("l");
    let shown = screen(&mut stage);
    assert!(
        !shown.contains("\" cited"),
        "an answer of other settings: {shown}"
    );
}

#[test]
fn a_person_stops_the_model_and_goes_on_at_once() {
    let server = serve(|_, _| Says::Drip(50));
    let index = Arc::new(sample::index().unwrap());
    index.think_with(Arc::new(Llm::open(&at(&server), None).unwrap()));
    let settings = Settings::of(&index, Method::by_name("bm25").unwrap());
    let inquiry = Inquiry {
        question: "Who discovered Uranus?".into(),
        settings,
    };
    let begun = std::time::Instant::now();
    let cancelled = || begun.elapsed().as_millis() > 200;
    let mut doer = Doer::new(index, &[], None);
    let made = inquiry.run(&mut doer, &Tell::new(&|_| {}, &cancelled));
    assert_eq!(made, Ok(None));
    assert!(begun.elapsed().as_secs() < 5);

    // On the screen: Esc, and what comes later is not shown.
    let mut stage = stage(Some(Llm::open(&at(&server), None).unwrap()));
    let effects = stage.update(Action::Do(Command::Answer));
    assert!(matches!(&effects[..], [Effect::Begin(Work::Reply(_))]));
    assert!(plain(&stage.draw(120, 36)).contains("asking m for an answer; Esc stops"));
    let effects = stage.update(Action::Do(Command::Back));
    assert!(matches!(&effects[..], [Effect::Stop(Thread::Reply)]));
    // Another question may be asked while one is under way; what comes of the first is told as its own.
    stage.update(Action::Do(Command::Answer));
    let again = stage.update(Action::Do(Command::Answer));
    assert!(again.is_empty(), "the same is not asked twice");
    stage.act(Action::AskNumber(1));
    let effects = stage.update(Action::Do(Command::Answer));
    assert!(matches!(&effects[..], [Effect::Begin(Work::Reply(_))]));
    stage.update(Action::Do(Command::Back));
    let late: News<Inquiry> = News::Over(Some(Reply::default()));
    stage.act(Action::Heard(Listed::news(late)));
    assert!(stage.state.reply().is_none() && matches!(stage.state.mode, Mode::Browse));
}
