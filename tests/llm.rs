//! Layers built with a language model, against a real server on a local port that answers well and badly.

#[allow(dead_code)]
#[path = "../src/llm/server.rs"]
mod server;

use hopscope::corpus::{Corpus, Passage};
use hopscope::explain::trace;
use hopscope::index::{BuildOptions, Index, IndexError, Layer, Silent, sample};
use hopscope::layers::skeleton::options::Core;
use hopscope::layers::skeleton::{Ket, KetBuild};
use hopscope::layers::summaries::{E2Build, E2Graph};
use hopscope::llm::{Counters, Estimate, Llm};
use hopscope::parameters::TreeOver;
use hopscope::retrieve::{Keep, Method, Retriever, Settings};
use serde_json::{Value, json};
use server::{Says, Server, serve};
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
    all.iter().find(|(name, _)| *name == task).unwrap().1.clone()
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
    let llm = llm.announcing(Box::new(move |task, estimate| {
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
    if has("question") {
        json!({"terms": [input["question"].as_str().unwrap().split(' ').next_back().unwrap()]})
    } else if has("headers") {
        json!({"title": "A table", "description": "rows", "summary": "all rows", "columns": {}, "entities": []})
    } else if has("source_title") {
        json!({"topic": "harbours", "title": "t", "entities": [first("text")], "events": ["It was built in 1901."]})
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

fn hopscope(arguments: &[&str]) -> (Value, String) {
    let out = std::process::Command::new(env!("CARGO_BIN_EXE_hopscope"))
        .args(arguments)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(out.status.success(), "{said}");
    (serde_json::from_slice(&out.stdout).unwrap(), said)
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
