//! The real binary, as scripts use it.

use hopscope::index::store::Manifest;
use hopscope::index::{EntityOptions, Index};
use hopscope::layers::HopLayer;
use hopscope::parameters::GAZETTEER;
use hopscope::retrieve::{Method, Settings};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

fn hopscope(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_hopscope"))
        .args(args)
        .output()
        .unwrap()
}

fn json(args: &[&str]) -> Value {
    let out = hopscope(args);
    assert!(
        out.status.success(),
        "{args:?}: {}",
        String::from_utf8_lossy(&out.stderr)
    );
    let printed = serde_json::from_slice(&out.stdout).unwrap();
    if args.contains(&"--json") {
        super::schema::holds(args, &printed);
    }
    printed
}

fn fails(args: &[&str]) -> String {
    let out = hopscope(args);
    assert_eq!(out.status.code(), Some(2), "{args:?}");
    assert!(
        out.stdout.is_empty(),
        "{args:?} printed data: {}",
        String::from_utf8_lossy(&out.stdout)
    );
    String::from_utf8(out.stderr).unwrap()
}

const QUESTION: &str = "Who discovered the moon Titan?";
/// The sample, read as anybody's corpus.
const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/sample-corpus");

#[test]
fn every_byte_of_an_index_is_of_a_part_or_a_layer() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("index");
    let out = folder.to_string_lossy().into_owned();
    let how = ["--with", "sage", "--set", "vector_search=hnsw", "--json"];
    let made = json(&[&["index", CORPUS, "--out", &out], &how[..]].concat());
    let told = json(&["stats", &out, "--json"]);
    let sizes = told["parts"].as_object().unwrap();
    for part in ["texts", "words", "names", "edges", "vectors"] {
        assert_eq!(made["parts"][part], sizes[part]);
    }
    assert!(sizes.contains_key("small-world graph") && sizes.contains_key("layer hop"));
    let files = Manifest::read(&folder).unwrap().files;
    let all: u64 = files.iter().map(|file| file.bytes).sum();
    let sum: u64 = sizes.values().map(|size| size.as_u64().unwrap()).sum();
    assert_eq!(sum, all);
    let said = String::from_utf8(hopscope(&["stats", &out]).stdout).unwrap();
    assert!(sizes.keys().all(|part| said.contains(part.as_str())));
}

#[test]
fn ask_prints_one_object() {
    let answer = json(&[
        "ask",
        QUESTION,
        "--method",
        "graph-hybrid",
        "--set",
        "steps=3",
        "--top",
        "4",
        "--json",
    ]);
    assert_eq!(answer["question"], QUESTION);
    assert_eq!(answer["method"], "graph-hybrid");
    assert_eq!(answer["settings"]["steps"], 3);
    assert_eq!(answer["settings"]["result_k"], 4);
    assert_eq!(answer["settings"]["walk"], "power");
    let seconds = answer["seconds"].as_object().unwrap();
    assert!(
        ["names", "BM25", "restart", "walk", "passages"]
            .iter()
            .all(|s| seconds[*s].as_f64().unwrap() >= 0.0)
    );
    let seeds = answer["seeds"].as_array().unwrap();
    let total: f64 = seeds.iter().map(|s| s["weight"].as_f64().unwrap()).sum();
    assert!((total - 1.0).abs() < 1e-9, "{total}");
    assert!(
        seeds
            .iter()
            .any(|s| s["kind"] == "entity" && s["from"] == "name")
    );
    let passages = answer["passages"].as_array().unwrap();
    assert_eq!(passages.len(), 4);
    for (at, passage) in passages.iter().enumerate() {
        assert_eq!(passage["rank"], at + 1);
        for key in ["id", "title", "text", "why"] {
            assert!(passage[key].is_string(), "{key}");
        }
    }
    assert!(
        passages
            .windows(2)
            .all(|p| p[0]["score"].as_f64() >= p[1]["score"].as_f64())
    );
}

#[test]
fn seeds_are_changed_from_the_command_line() {
    let kept = |args: &[&str]| -> Vec<(String, f64)> {
        let answer = json(&[&["ask", QUESTION, "--json"], args].concat());
        let seeds = answer["seeds"].as_array().unwrap().clone();
        let one = |s: &Value| {
            (
                s["label"].as_str().unwrap().into(),
                s["weight"].as_f64().unwrap(),
            )
        };
        seeds
            .iter()
            .filter(|s| s["kind"] == "entity")
            .map(one)
            .collect()
    };
    let titan = |seeds: &[(String, f64)]| seeds.iter().find(|s| s.0 == "Titan").map(|s| s.1);
    let plain = kept(&["--method", "graph"]);
    assert!(titan(&plain).is_some(), "{plain:?}");
    let hybrid = kept(&[]);
    let halved = kept(&["--seed", "titan=0.5"]);
    assert!(titan(&halved) < titan(&hybrid));
    assert_eq!(titan(&kept(&["--seed", "Titan=mute"])), None);
    let added = json(&[
        "ask", QUESTION, "--json", "--seed", "+Saturn", "--seed", "Nobody=2",
    ]);
    let edits = added["seed_edits"].as_array().unwrap();
    assert_eq!(edits[0]["edit"], "+Saturn=1");
    assert_eq!(
        (&edits[0]["applied"], &edits[1]["applied"]),
        (&true.into(), &false.into())
    );
    assert!(fails(&["ask", QUESTION, "--seed", "Titan"]).contains("NAME=FACTOR"));
    assert!(fails(&["ask", " "]).contains("the question is empty"));
}

#[test]
fn a_patch_changes_the_graph_of_every_command_and_never_the_index() {
    let home = tempfile::tempdir().unwrap();
    let [index, patch] = ["index", "what-if.patch"].map(|name| home.path().join(name));
    let [index, patch] = [&index, &patch].map(|path| path.to_str().unwrap());
    assert!(
        hopscope(&["index", CORPUS, "--out", index])
            .status
            .success()
    );
    let bytes = || {
        let mut files: Vec<_> = walk(Path::new(index)).into_iter().collect();
        files.sort();
        files
            .into_iter()
            .map(|file| (std::fs::read(&file).unwrap(), file))
            .collect::<Vec<_>>()
    };
    let before = bytes();
    std::fs::write(patch, "// what if\n\nmute titan\ncut Zambezi | #saturn\n").unwrap();
    fn patched<'a>(args: &[&'a str], patch: &'a str) -> Vec<&'a str> {
        [args, &["--patch", patch]].concat()
    }
    let ask = ["ask", index, QUESTION, "-m", "graph", "--json"];
    let plain = json(&ask);
    assert!(plain.get("graph_edits").is_none());
    let out = hopscope(&patched(&ask, patch));
    let said = String::from_utf8(out.stderr).unwrap();
    assert!(
        said.contains("'cut Zambezi | #saturn' has no effect: no name 'Zambezi'"),
        "{said}"
    );
    let muted: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_ne!(plain["passages"], muted["passages"]);
    assert_eq!(
        muted["graph_edits"][0],
        serde_json::json!({"edit": "mute titan"})
    );
    assert!(
        muted["graph_edits"][1]["idle"]
            .as_str()
            .unwrap()
            .contains("Zambezi")
    );
    assert!(
        muted["seeds"]
            .as_array()
            .unwrap()
            .iter()
            .all(|seed| seed["kind"] != "entity")
    );
    // A single edit goes after the file: it says the same of the same name last.
    let kept = json(&patched(
        &[&ask[..], &["--edit", "keep titan"]].concat(),
        patch,
    ));
    assert_eq!(kept["passages"], plain["passages"]);
    let trace = ["trace", index, QUESTION, "-m", "graph"];
    let told = json(&patched(&[&trace[..], &["--json"]].concat(), patch));
    assert_eq!(told["graph_edits"], muted["graph_edits"]);
    let told = String::from_utf8(hopscope(&patched(&trace, patch)).stdout).unwrap();
    assert!(
        told.contains("graph mute titan\ngraph cut Zambezi | #saturn, nothing to change"),
        "{told}"
    );
    let id = plain["passages"][0]["id"].as_str().unwrap();
    let told = json(&patched(
        &[
            "explain",
            index,
            QUESTION,
            "-m",
            "graph",
            "--passage",
            id,
            "--json",
        ],
        patch,
    ));
    assert_eq!(told["graph_edits"], muted["graph_edits"]);
    assert_eq!(told["reasons"][0]["code"], "BY_HAND", "{}", told["reasons"]);
    let eval = [
        "eval",
        index,
        "-m",
        "bm25,graph",
        "--resamples",
        "100",
        "--json",
    ];
    let measured = [json(&eval), json(&patched(&eval, patch))];
    let of =
        |eval: &Value, method: usize| eval["methods"][method]["per_question"][0]["ranking"].clone();
    assert_eq!(of(&measured[0], 0), of(&measured[1], 0));
    assert_ne!(
        measured[0]["methods"][1]["measures"],
        measured[1]["methods"][1]["measures"]
    );
    assert_eq!(
        measured[1]["methods"][0]["graph_edits"][0]["idle"],
        "works on no graph"
    );
    assert_eq!(
        measured[1]["methods"][1]["graph_edits"],
        muted["graph_edits"]
    );
    let said =
        String::from_utf8(hopscope(&patched(&["ask", QUESTION, "-m", "bm25"], patch)).stderr)
            .unwrap();
    assert!(
        said.contains("bm25 works on no graph: --edit and --patch change nothing"),
        "{said}"
    );
    assert!(bytes() == before, "the index was written to");
    // What is wrong is named with its line.
    std::fs::write(patch, "mute titan\nforget titan\n").unwrap();
    let said = fails(&patched(&["ask", QUESTION], patch));
    assert!(
        said.contains("what-if.patch:2: expected join NAME | NAME"),
        "{said}"
    );
    assert!(fails(&["ask", QUESTION, "--patch", "none.patch"]).contains("none.patch"));
    assert!(fails(&["ask", QUESTION, "--edit", "weigh Titan | #x * 0"]).contains("FACTOR"));
}

/// Every file below a folder.
fn walk(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let inside = |path: std::path::PathBuf| match path.is_dir() {
        true => walk(&path),
        false => vec![path],
    };
    entries.flat_map(inside).collect()
}

#[test]
fn a_trace_says_which_seeds_were_changed() {
    let plain = json(&["trace", QUESTION, "--json", "--method", "graph"]);
    assert!(plain.get("seed_edits").is_none());
    let changed = json(&[
        "trace",
        QUESTION,
        "--json",
        "--method",
        "graph",
        "--seed",
        "Titan=mute",
        "--seed",
        "+Saturn=2",
    ]);
    let edits: Vec<&str> = changed["seed_edits"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|edit| edit["edit"].as_str())
        .collect();
    assert_eq!(edits, ["Titan=mute", "+Saturn=2"]);
    let told =
        String::from_utf8(hopscope(&["trace", QUESTION, "--method", "e2graphrag"]).stdout).unwrap();
    assert!(told.contains("names (link)"), "{told}");
    // No time for what no clock was at, no numbers of items, no minus zero.
    for odd in ["-0.00", "item: ", "-0 "] {
        assert!(!told.contains(odd), "{odd}: {told}");
    }
    assert_ne!(plain["ranking"], changed["ranking"]);
}

#[test]
fn a_trace_is_printed_as_a_graph_too() {
    let text = |form: &str| {
        let out = hopscope(&["trace", QUESTION, "-m", "graph", "--as", form]);
        assert!(out.status.success());
        String::from_utf8(out.stdout).unwrap()
    };
    let graphs = [text("dot"), text("graphml")];
    assert!(graphs[0].starts_with("digraph {") && graphs[1].starts_with("<?xml"));
    assert_eq!(graphs, [text("dot"), text("graphml")]);
    let edges = [graphs[0].matches(" -> "), graphs[1].matches("<edge ")].map(Iterator::count);
    assert!(
        text("text").contains(&format!(" {} edges", edges[1])),
        "{edges:?}"
    );
    let trace: Value = serde_json::from_str(&text("json")).unwrap();
    assert_eq!(trace["ranking"][0]["hops"], 1);
    assert!(graphs[0].contains("label=\"Titan\", kind=\"entity\""));
    assert!(
        text("gexf").contains("mode=\"dynamic\"") && text("html").starts_with("<!DOCTYPE html>")
    );
    let graph: Value = serde_json::from_str(&text("node-link")).unwrap();
    let about = &graph["graph"];
    assert_eq!(about["question"], QUESTION);
    assert_eq!(about["fingerprint"], trace["index"]["fingerprint"]);
    assert_eq!(about["settings"]["alpha"], 0.15);
    assert!(fails(&["trace", QUESTION, "--as", "dot", "--json"]).contains("cannot be used with"));
    assert!(fails(&["trace", QUESTION, "--as", "png"]).contains("graphml"));
}

#[test]
fn a_trace_goes_into_a_file_whose_ending_names_its_form() {
    let folder = tempfile::tempdir().unwrap();
    let traced = |name: &str, more: &[&str]| {
        let file = folder.path().join(name);
        let file = file.to_str().unwrap();
        let out = hopscope(&[&["trace", QUESTION, "-m", "graph", "--out", file], more].concat());
        assert!(out.status.success() && out.stdout.is_empty(), "{name}");
        std::fs::read_to_string(file).unwrap()
    };
    let printed = |form: &str| {
        let out = hopscope(&["trace", QUESTION, "-m", "graph", "--as", form]);
        String::from_utf8(out.stdout).unwrap()
    };
    for form in ["dot", "graphml", "gexf", "html"] {
        assert_eq!(
            traced(&format!("graph.{form}"), &[]),
            printed(form),
            "{form}"
        );
    }
    assert_eq!(
        traced("graph.json", &["--as", "node-link"]),
        printed("node-link")
    );
    let trace: Value = serde_json::from_str(&traced("trace.json", &[])).unwrap();
    assert!(trace["stages"].is_array());
    assert!(traced("trace.txt", &[]).contains("Titan"));
    assert!(traced("graph", &["--as", "dot"]).starts_with("digraph {"));
    let said = fails(&["trace", QUESTION, "--out", "graph.png"]);
    assert!(said.contains("name one with --as"), "{said}");
    // What was written is an index again.
    let graph = tempfile::tempdir().unwrap();
    let file = graph.path().join("graph.graphml");
    std::fs::write(&file, printed("graphml")).unwrap();
    let said = json(&["import", graph.path().to_str().unwrap(), "--json"]);
    assert!(said.to_string().contains("GraphML"), "{said}");
}

/// The reader of Parquet panics on these bytes, which a fuzzer found.
#[test]
fn damaged_parquet_is_an_error_of_one_line() {
    let whole = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/given/graphrag-parquet");
    let folder = tempfile::tempdir().unwrap();
    for file in ["entities", "relationships", "text_units"] {
        let name = format!("{file}.parquet");
        std::fs::copy(whole.join(&name), folder.path().join(&name)).unwrap();
    }
    let path = folder.path().join("entities.parquet");
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[271] = 46;
    std::fs::write(&path, bytes).unwrap();
    let said = fails(&["import", folder.path().to_str().unwrap()]);
    assert_eq!(said.trim().lines().count(), 1, "{said}");
    assert!(
        said.contains("entities.parquet") && said.contains("bytes that are damaged"),
        "{said}"
    );
}

#[test]
fn a_passage_is_printed_with_its_text_and_one_reason() {
    let ask = ["ask", QUESTION, "-m", "graph-hybrid", "-k", "3"];
    let asked = json(&[&ask[..], &["--json"]].concat());
    let piped = hopscope(&ask);
    assert!(piped.stderr.is_empty() && !piped.stdout.contains(&0x1b));
    let piped = String::from_utf8(piped.stdout).unwrap();
    let whole = piped.replace("\n     ", " ");
    let passages = asked["passages"].as_array().unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    for (passage, shown) in passages.iter().zip(whole.lines()) {
        let [title, id, reason] = ["title", "id", "reason"].map(|name| text(&passage[name]));
        let head = format!("{:>3}  {title} ", passage["rank"].to_string());
        assert!(
            shown.starts_with(&head) && shown.contains(&format!("  {id} ")),
            "{shown}"
        );
        assert!(shown.ends_with(&reason), "{reason}: {shown}");
        let snippet = text(&passage["snippet"]["text"]);
        let first: Vec<&str> = snippet.split(' ').take(20).collect();
        assert!(shown.contains(&first.join(" ")), "{snippet}: {shown}");
    }
    let marked = |passage: &Value| passage["snippet"]["marked"].as_array().cloned();
    let marked: Vec<Value> = passages.iter().flat_map(marked).flatten().collect();
    assert!(marked.contains(&"Titan".into()), "{marked:?}");
    // The parts of a score are listed where they are asked for.
    let part = text(&passages[0]["parts"][0]["why"]);
    assert!(!piped.contains(&part), "{piped}");
    let why = hopscope(&[&ask[..], &["--why"]].concat());
    assert!(
        String::from_utf8(why.stdout).unwrap().contains(&part),
        "{part}"
    );
}

#[test]
fn one_passage_is_explained_with_every_method() {
    let methods = json(&["methods", "--json"]);
    let names = methods.as_array().unwrap().iter();
    // What reads a graph that the sample does not have is left out.
    let needs = |m: &&Value, layer: &str| m["needs"].as_str().unwrap().contains(layer);
    let names = names.filter(|m| !needs(m, "layer spark") && !needs(m, "layer given"));
    for method in names.filter_map(|m| m["name"].as_str()) {
        let answer = json(&["ask", QUESTION, "--json", "--method", method]);
        let first = &answer["passages"][0];
        let id = first["id"].as_str().unwrap();
        let ask = ["explain", QUESTION, "--method", method, "--passage", id];
        let told = json(&[&ask[..], &["--json"]].concat());
        assert_eq!(
            (&told["rank"], &told["score"]),
            (&1.into(), &first["score"])
        );
        assert_eq!(told["reasons"], Value::Array(Vec::new()));
        let said = String::from_utf8(hopscope(&ask).stdout).unwrap();
        assert!(said.contains(": rank 1, score "), "{method}: {said}");
        // Every part that pays is printed, and they add up to the score.
        let figure = |line: &str| line.split_whitespace().next()?.parse::<f64>().ok();
        let sum: f64 = said.lines().skip(2).filter_map(figure).sum();
        let score = told["score"].as_f64().unwrap();
        assert!(
            (sum - score).abs() < 1e-3 * score,
            "{method}: {sum} is not {score}\n{said}"
        );
    }
    let lost = json(&[
        "explain",
        QUESTION,
        "--method",
        "bm25",
        "--top",
        "1",
        "--passage",
        "hypatia",
        "--json",
    ]);
    assert!(
        lost["reasons"][0]["class"]
            .as_str()
            .unwrap()
            .starts_with('F')
    );
    assert!(fails(&["explain", QUESTION, "--passage", "nobody"]).contains("no passage has the id"));
}

#[test]
fn layers_are_named_or_said_to_be_unknown() {
    let error = fails(&["index", "--add", "no-such-layer", "."]);
    assert!(error.contains("no layer 'no-such-layer'"), "{error}");
    let error = fails(&[
        "index",
        "sample-corpus",
        "--out",
        "/tmp/x",
        "--with",
        "no-such-layer",
    ]);
    assert!(error.contains("--with: no layer"), "{error}");
    let error = fails(&["index", "sample-corpus"]);
    assert!(error.contains("--out"), "{error}");
}

#[test]
fn the_language_of_a_corpus_is_found_shown_and_kept() {
    let home = tempfile::tempdir().unwrap();
    let out = home.path().join("index").to_string_lossy().into_owned();
    let german = "tests/data/languages/de";
    let made = hopscope(&["index", german, "--out", &out]);
    let (shown, told) = [made.stdout, made.stderr]
        .map(|text| String::from_utf8(text).unwrap())
        .into();
    assert!(shown.contains("words cut as German"), "{shown}");
    assert!(told.contains("the built-in vectors are English"), "{told}");
    let doctor = json(&["doctor", &out, "--json"]);
    assert_eq!(doctor["language"], "de");
    assert!(
        doctor["vectors_misfit"]
            .as_str()
            .unwrap()
            .contains("--encoder")
    );
    assert_eq!(json(&["stats", &out, "--json"])["language"], "de");
    assert_eq!(
        json(&["stats", german, "--language", "en", "--json"])["language"],
        "en"
    );
    // An index keeps its own.
    let error = fails(&["stats", &out, "--language", "fr"]);
    assert!(
        error.contains("cut as German") && error.contains("--language fr"),
        "{error}"
    );
    let plain = json(&[
        "index",
        german,
        "--out",
        &out,
        "--encoder",
        "none",
        "--language",
        "sv",
        "--json",
    ]);
    assert_eq!(plain["language"], "sv");
    let doctor = json(&["doctor", CORPUS, "--json"]);
    assert_eq!(
        (&doctor["language"], &doctor["vectors_misfit"]),
        (&"en".into(), &Value::Null)
    );
}

/// Otherwise every process that asks a method over names alone would read the whole corpus once more, and the index would
/// hold the graph of the default method twice.
#[test]
fn an_index_holds_the_graph_of_names_and_its_layer_the_one_with_titles() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("index");
    let out = folder.to_string_lossy();
    hopscope(&["index", "sample-corpus", "--out", &out]);
    let index = Index::open(&folder).unwrap();
    assert_eq!(*index.options(), EntityOptions::default());
    let layer = index.layer::<HopLayer>().unwrap();
    assert!(layer.options().gazetteer);
    let graph = Settings::of(&index, Method::by_name("graph-rrf").unwrap());
    assert!(!graph.get(GAZETTEER), "stored, not derived");
}

#[test]
fn a_build_of_facts_says_whether_it_read_a_file_and_a_trace_who_made_them() {
    let home = tempfile::tempdir().unwrap();
    let path = |name: &str| home.path().join(name).to_str().unwrap().to_owned();
    let [corpus, beside, index, file] = ["corpus.jsonl", "", "index", "openie.jsonl"].map(path);
    let passages = r#"{"_id": "a", "text": "Ada Lovelace wrote notes on the Analytical Engine."}
{"_id": "b", "text": "Charles Babbage designed the Analytical Engine."}
"#;
    std::fs::write(&corpus, passages).unwrap();
    let printed = |args: &[&str]| {
        let out = hopscope(args);
        assert!(out.status.success(), "{args:?}");
        String::from_utf8(out.stdout).unwrap()
    };
    let trace = || {
        let question = "Who designed the engine?";
        printed(&["trace", &index, question, "--method", "hipporag2"])
    };
    printed(&["index", &corpus, "--out", &index]);
    let said = printed(&["index", "--add", "facts", &index]);
    let looked = "facts by rules; openie.jsonl was not looked for: name its folder with --beside";
    assert!(said.contains(looked), "{said}");
    let add = ["index", "--add", "facts", &index, "--beside", &beside];
    let said = printed(&add);
    let none = "facts by rules; no openie.jsonl lies beside the corpus";
    assert!(said.contains(none), "{said}");
    assert!(trace().contains("layer made by rules\n"));
    let facts =
        r#"{"_id": "b", "triples": [["Charles Babbage", "designed", "Analytical Engine"]]}"#;
    std::fs::write(&file, facts).unwrap();
    let said = json(&[&add[..], &["--json"]].concat());
    let read = said["layers"][0]["read"].as_str().unwrap();
    assert!(read.starts_with("facts of 1 of 2 passages from "), "{read}");
    assert!(
        read.ends_with("openie.jsonl, of the rest by rules"),
        "{read}"
    );
    let said = trace();
    let by = "layer made by openie.jsonl: 1 of 2 passages, the rest by rules\n";
    assert!(said.contains(by), "{said}");
    // A corpus that is indexed is looked beside.
    let said = json(&[
        "index", &corpus, "--out", &index, "--with", "facts", "--json",
    ]);
    assert_eq!(said["layers"][1]["read"], read);
}

#[test]
fn trace_accounts_for_all_mass() {
    for walk in ["walk=power", "walk=push"] {
        let trace = json(&[
            "trace",
            QUESTION,
            "--method",
            "graph-hybrid",
            "--set",
            walk,
            "--json",
        ]);
        let stages = trace["stages"].as_array().unwrap();
        let states: Vec<_> = stages.iter().filter(|s| s["kind"] == "spread").collect();
        assert!(states.len() > 2);
        for state in states {
            let lines = ["on passages", "on the way", "dropped", "not settled"];
            let mass = |line: &str| state["counters"][format!("mass {line}")].as_f64().unwrap();
            let total: f64 = lines.into_iter().map(mass).sum();
            assert!((total - 1.0).abs() < 1e-6, "{walk} {state}");
        }
        // The steps that ran say how long they took, each once.
        let timed = stages.iter().filter(|s| s["seconds"].is_number()).count();
        assert!(timed >= 5, "{stages:?}");
        for passage in trace["ranking"].as_array().unwrap() {
            assert_eq!(passage["combine"], "sum");
            let shares: f64 = passage["parts"]
                .as_array()
                .unwrap()
                .iter()
                .map(|s| s["value"].as_f64().unwrap())
                .sum();
            let score = passage["score"].as_f64().unwrap();
            // Scores are kept in f32; push stops short of the limit by what it has not settled.
            let allowed = 1e-6 + passage["error"].as_f64().unwrap();
            assert!(
                (shares - score).abs() <= allowed,
                "{walk}: {shares} {score}"
            );
        }
    }
}

/// Everything that an evaluation says, but for how long a question took.
fn untimed(mut said: Value) -> Value {
    for method in said["methods"].as_array_mut().unwrap() {
        method["latency_ms"].take();
        for row in method["per_question"].as_array_mut().unwrap() {
            row["milliseconds"].take();
        }
    }
    said
}

#[test]
fn an_evaluation_that_was_stopped_goes_on_with_what_its_log_has() {
    let home = tempfile::tempdir().unwrap();
    let path = |name: &str| home.path().join(name).to_str().unwrap().to_owned();
    let (index, log) = (path("index"), path("set.jsonl"));
    json(&["index", CORPUS, "--out", &index, "--json"]);
    let asked = ["eval", &index, "--method", "hop,bm25", "--json"];
    let logged = [&asked[..], &["--log", &log]].concat();
    let without = untimed(json(&asked));
    assert_eq!(untimed(json(&logged)), without);
    let whole = std::fs::read_to_string(&log).unwrap();
    assert_eq!(whole.lines().count(), 1 + 2 * 92);
    // As a killed program leaves it: whole lines, and one that was cut short.
    let kept: Vec<&str> = whole.lines().take(101).collect();
    let cut = format!(
        "{}\n{}",
        kept.join("\n"),
        &whole[..whole.len() / 2].lines().last().unwrap()[..40]
    );
    std::fs::write(&log, &cut).unwrap();
    let out = hopscope(&logged);
    let said = String::from_utf8(out.stderr).unwrap();
    assert!(
        said.contains("100 of 184 outcomes are in the log"),
        "{said}"
    );
    assert!(said.contains("1 lines were cut short"), "{said}");
    assert_eq!(
        untimed(serde_json::from_slice(&out.stdout).unwrap()),
        without
    );
    let again = std::fs::read_to_string(&log).unwrap();
    assert!(again.starts_with(&cut));
    assert_eq!(again.lines().count(), 1 + 2 * 92 + 1);
    // What it has is what is told: times of then, even one that nobody has.
    let slow = kept[1].replacen("\"milliseconds\":", "\"milliseconds\":86400000", 1);
    std::fs::write(&log, whole.replacen(kept[1], &slow, 1)).unwrap();
    let first: Value = serde_json::from_str(kept[1]).unwrap();
    let told = json(&logged);
    let methods = told["methods"].as_array().unwrap().iter();
    let rows = methods.filter(|m| m["method"] == first["method"]);
    let mut rows = rows.flat_map(|m| m["per_question"].as_array().unwrap());
    let row = rows.find(|row| row["id"] == first["question"]).unwrap();
    assert!(row["milliseconds"].as_f64().unwrap() > 8e7);
    // What no evaluation writes is no outcome, though the line has the right key.
    let edited = |edit: &dyn Fn(&mut Value)| {
        let mut row: Value = serde_json::from_str(kept[1]).unwrap();
        edit(&mut row);
        std::fs::write(&log, whole.replacen(kept[1], &row.to_string(), 1)).unwrap();
        let said = fails(&logged);
        assert!(said.contains("set.jsonl: line 2: "), "{said}");
        said
    };
    let said = edited(&|row| row["milliseconds"] = (-1e300).into());
    assert!(said.contains("milliseconds"), "{said}");
    let said = edited(&|row| row["milliseconds"] = 1e300.into());
    assert!(said.contains("milliseconds"), "{said}");
    let said = edited(&|row| {
        let ranking = row["ranking"].as_array_mut().unwrap();
        *ranking = vec![ranking[0].clone(); 300];
    });
    assert!(said.contains("stands there twice"), "{said}");
    let said = edited(&|row| row["ranking"].as_array_mut().unwrap().reverse());
    assert!(said.contains("do not descend"), "{said}");
    std::fs::write(&log, &whole).unwrap();
    // Other settings, other gold and another state of the index are asked themselves, and beside it.
    let lines = || std::fs::read_to_string(&log).unwrap().lines().count();
    let mut before = lines();
    json(&[&logged[..], &["--set", "hop_guard=.3"]].concat());
    assert_eq!(lines(), before + 92);
    let gold = path("gold.tsv");
    std::fs::write(&gold, "query-id\tcorpus-id\tscore\nq01\ttitan\t1\n").unwrap();
    before = lines();
    json(&[&logged[..], &["--qrels", &gold]].concat());
    assert!(lines() > before);
    json(&["index", "--add", "sage", &index, "--json"]);
    before = lines();
    assert_eq!(untimed(json(&logged))["methods"], without["methods"]);
    assert_eq!(lines(), before + 184);
}

#[cfg(unix)]
#[test]
fn a_log_is_no_other_file_and_a_corpus_has_none() {
    let home = tempfile::tempdir().unwrap();
    let path = |name: &str| home.path().join(name).to_str().unwrap().to_owned();
    let (index, other) = (path("index"), path("notes.txt"));
    json(&["index", CORPUS, "--out", &index, "--json"]);
    std::fs::write(&other, "notes of mine\n").unwrap();
    let said = fails(&["eval", &index, "--log", &other]);
    assert!(
        said.contains("notes.txt: line 1 is not that of a log"),
        "{said}"
    );
    assert_eq!(std::fs::read_to_string(&other).unwrap(), "notes of mine\n");
    let said = fails(&["eval", CORPUS, "--log", &path("new.jsonl")]);
    assert!(said.contains("hopscope index"), "{said}");
    // A device has no end.
    let said = fails(&["eval", &index, "--log", "/dev/zero"]);
    assert!(said.contains("/dev/zero: no regular file"), "{said}");
    // A disk that cannot be written is told before anything is asked.
    let said = fails(&["eval", &index, "--log", "/proc/set.jsonl"]);
    assert!(said.contains("/proc/set.jsonl"), "{said}");
}

#[cfg(unix)]
#[test]
fn what_does_not_end_is_not_read_for_ever() {
    let endless = "/dev/zero";
    for args in [
        &["eval", CORPUS, "--patch", endless][..],
        &["eval", CORPUS, "--qrels", endless],
        &["labels", CORPUS, endless],
        &["--lesson", endless, "--plain"],
    ] {
        let said = fails(args);
        assert!(
            said.contains("/dev/zero") && said.contains("name a file"),
            "{args:?}: {said}"
        );
    }
}

#[test]
fn eval_measures_and_writes_a_run() {
    let home = tempfile::tempdir().unwrap();
    let index = home.path().join("index");
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-corpus");
    let built = json(&[
        "index",
        corpus.to_str().unwrap(),
        "--out",
        index.to_str().unwrap(),
        "--json",
    ]);
    assert_eq!(built["passages"], 225);
    assert_eq!(built["questions"], 92);
    let run = home.path().join("out.run");
    let args = [
        "eval",
        index.to_str().unwrap(),
        "--method",
        "bm25,graph-hybrid",
        "--json",
        "--run",
        run.to_str().unwrap(),
    ];
    let result = json(&args);
    let methods = result["methods"].as_array().unwrap();
    assert_eq!(methods.len(), 2);
    for method in methods {
        for name in ["R@2", "R@5", "R@10", "R@20", "Success@10", "RR", "nDCG@10"] {
            let value = method["measures"][name].as_f64().unwrap();
            assert!((0.0..=1.0).contains(&value), "{name} {value}");
        }
        assert!(method["latency_ms"]["p95"].as_f64().unwrap() > 0.0);
        let rows = method["per_question"].as_array().unwrap();
        assert_eq!(rows.len(), 92);
        // The mean of the rows with gold is the measure.
        let judged: Vec<f64> = rows
            .iter()
            .filter_map(|r| r["measures"]["R@10"].as_f64())
            .collect();
        let mean = judged.iter().sum::<f64>() / judged.len() as f64;
        assert!((mean - method["measures"]["R@10"].as_f64().unwrap()).abs() < 1e-12);
    }
    let text = std::fs::read_to_string(home.path().join("out.graph-hybrid.run")).unwrap();
    let mut last: Option<(String, f32)> = None;
    for line in text.lines() {
        let fields: Vec<&str> = line.split(' ').collect();
        assert_eq!(
            (fields.len(), fields[1], fields[5]),
            (6, "Q0", "graph-hybrid"),
            "{line}"
        );
        let score: f32 = fields[4].parse().unwrap();
        if let Some((question, before)) = &last {
            assert!(question != fields[0] || score < *before, "{line}");
        }
        last = Some((fields[0].to_owned(), score));
    }
    // Questions of one's own, with their gold by id.
    let questions = home.path().join("mine.jsonl");
    std::fs::write(
        &questions,
        "{\"_id\": \"mine\", \"text\": \"Who discovered Titan?\"}\n",
    )
    .unwrap();
    let qrels = home.path().join("mine.tsv");
    std::fs::write(&qrels, "query-id\tcorpus-id\tscore\nmine\ttitan\t1\n").unwrap();
    let (questions, qrels) = (questions.to_str().unwrap(), qrels.to_str().unwrap());
    let own = json(&[
        "eval",
        index.to_str().unwrap(),
        "--questions",
        questions,
        "--qrels",
        qrels,
        "--method",
        "bm25",
        "--json",
    ]);
    assert_eq!(own["questions"], 1);
    assert_eq!(
        own["methods"][0]["per_question"][0]["gold"][0]["id"],
        "titan"
    );
}

#[test]
fn lists_come_from_the_declarations() {
    let methods = json(&["methods", "--json"]);
    let names: Vec<&str> = methods
        .as_array()
        .unwrap()
        .iter()
        .map(|m| m["name"].as_str().unwrap())
        .collect();
    assert!(
        ["bm25", "graph", "graph-hybrid"]
            .iter()
            .all(|m| names.contains(m))
    );
    let parameters = json(&["parameters", "--json"]);
    let alpha = parameters
        .as_array()
        .unwrap()
        .iter()
        .find(|p| p["id"] == "alpha")
        .unwrap();
    assert_eq!(
        (&alpha["default"], &alpha["min"], &alpha["stage"]),
        (&0.15.into(), &0.01.into(), &"spread".into())
    );
    assert!(hopscope(&["methods"]).status.success() && hopscope(&["parameters"]).status.success());
}

#[test]
fn errors_say_what_and_what_to_do() {
    let cases: &[(&[&str], &str)] = &[
        (
            &["ask", "Q?", "--method", "pagerank"],
            "no method 'pagerank'",
        ),
        (
            &["ask", "Q?", "--set", "alpha=7"],
            "a number from 0.01 to 0.99",
        ),
        (&["ask", "Q?", "--set", "alpa=0.1"], "no parameter 'alpa'"),
        (&["ask", "/no/such/place", "Q?"], "/no/such/place"),
        (&["ask"], "Usage"),
        (&["eval", "/no/such/place"], "/no/such/place"),
        (&["ask", "Q?", "--top", "0"], "whole number from 1"),
    ];
    for (args, said) in cases {
        let error = fails(args);
        assert!(error.contains(said), "{args:?}: {error}");
    }
}

#[test]
fn the_explorer_refuses_politely_without_a_terminal() {
    let error = fails(&[]);
    assert!(
        error.contains("terminal") && error.contains("hopscope ask"),
        "{error}"
    );
}

/// With presets and everything else kept under this folder.
fn at_home(home: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_hopscope"))
        .env("HOPSCOPE_HOME", home)
        .args(args)
        .output()
        .unwrap()
}

#[test]
fn parts_of_methods_compose_and_say_why_where_they_do_not() {
    let composed = "rrf > chunk-similarity > push > passages";
    let answer = json(&["ask", QUESTION, "--method", composed, "--json"]);
    assert_eq!(answer["method"], composed);
    let by_flags = json(&[
        "ask", QUESTION, "--seeds", "rrf", "--graph", "sage", "--spread", "push", "--json",
    ]);
    assert_eq!(by_flags["method"], composed);
    assert_eq!(by_flags["passages"], answer["passages"]);
    let sum = |entry: &Value| -> f64 {
        let parts = entry["parts"].as_array().unwrap().iter();
        parts.map(|part| part["value"].as_f64().unwrap()).sum()
    };
    for passage in answer["passages"].as_array().unwrap() {
        let score = passage["score"].as_f64().unwrap();
        // A push is short of the limit that its parts are of.
        let short = passage["error"].as_f64().unwrap_or(0.0);
        assert!((sum(passage) - score).abs() < 1e-5 + short, "{passage}");
    }
    let seeds = answer["seeds"].as_array().unwrap();
    let total: f64 = seeds.iter().map(|s| s["weight"].as_f64().unwrap()).sum();
    assert!((total - 1.0).abs() < 1e-9, "{total}");
    let said = fails(&["ask", QUESTION, "--seeds", "names", "--graph", "unit-knn"]);
    assert!(said.contains("none is a name; take bm25"), "{said}");
    let said = fails(&["ask", QUESTION, "--select", "hop"]);
    assert!(
        said.contains("the select of hop cannot be composed"),
        "{said}"
    );
    let said = fails(&[
        "ask",
        QUESTION,
        "--method",
        "rrf > nowhere > push > passages",
    ]);
    assert!(
        said.contains("no graph 'nowhere'; there are entity-passage"),
        "{said}"
    );
    // A trace and an evaluation know it by the same name.
    let trace = json(&["trace", QUESTION, "--graph", "noderag", "--json"]);
    assert_eq!(trace["method"], "names+rrf > noderag > power > passages");
    assert!(trace["headline"].as_str().unwrap().contains("seeds"));
}

#[test]
fn a_preset_that_was_kept_is_a_method_and_its_settings() {
    let home = tempfile::tempdir().unwrap();
    let kept = at_home(
        home.path(),
        &[
            "ask",
            QUESTION,
            "--graph",
            "skeleton",
            "--set",
            "alpha=0.3",
            "--save-preset",
            "my-walk",
            "--json",
        ],
    );
    let said = String::from_utf8_lossy(&kept.stderr);
    assert!(said.contains("preset my-walk kept in"), "{said}");
    let kept: Value = serde_json::from_slice(&kept.stdout).unwrap();
    let again = at_home(
        home.path(),
        &["ask", QUESTION, "--preset", "my-walk", "--json"],
    );
    let again: Value = serde_json::from_slice(&again.stdout).unwrap();
    assert_eq!(again["method"], "names+rrf > skeleton > power > passages");
    assert_eq!(again["preset"], "my-walk");
    assert_eq!(again["settings"]["alpha"], 0.3);
    assert_eq!(again["passages"], kept["passages"]);
    let listed = at_home(home.path(), &["methods"]);
    let listed = String::from_utf8_lossy(&listed.stdout);
    assert!(listed.contains("my-walk"), "{listed}");
    assert!(listed.contains("--spread"), "{listed}");
    let taken = at_home(home.path(), &["ask", QUESTION, "--save-preset", "2wiki"]);
    assert_eq!(taken.status.code(), Some(2));
}

#[test]
fn one_passage_is_explained_whether_it_is_there_or_not() {
    for method in [
        "hop",
        "graph-hybrid",
        "bm25",
        "noderag",
        "rrf > unit-knn > push > passages",
    ] {
        let ranked = json(&["ask", QUESTION, "--method", method, "--json"]);
        let first = ranked["passages"][0].clone();
        let id = first["id"].as_str().unwrap();
        let args = [
            "explain",
            QUESTION,
            "--method",
            method,
            "--passage",
            id,
            "--json",
        ];
        let told = json(&args);
        assert_eq!(
            (&told["rank"], &told["why"]),
            (&first["rank"], &first["why"]),
            "{method}"
        );
        assert_eq!(told["reasons"], serde_json::json!([]), "{method}");
        let out = hopscope(&args[..args.len() - 1]);
        let text = String::from_utf8(out.stdout).unwrap();
        assert!(text.contains("rank 1, score"), "{text}");
    }
    let absent = json(&[
        "explain",
        QUESTION,
        "--method",
        "graph",
        "--set",
        "result_k=1",
        "--passage",
        "herschel-caroline",
        "--json",
    ]);
    let reasons = absent["reasons"].as_array().unwrap();
    assert!(
        reasons
            .iter()
            .all(|r| r["code"].is_string() && r["text"].is_string())
    );
    assert!(!reasons.is_empty());
    let said = fails(&["explain", QUESTION, "--passage", "no-such-passage"]);
    assert!(said.contains("no passage has the id"), "{said}");
}

/// Files of others must not write on the terminal of whoever reads them.
#[test]
fn two_passages_are_held_against_each_other() {
    let ask = |than: &[&str]| {
        let own = [
            &["explain", QUESTION, "--method", "graph-rrf", "-k", "1"][..],
            &["--passage", "herschel-caroline"],
            than,
        ]
        .concat();
        (json(&[&own[..], &["--json"]].concat()), hopscope(&own))
    };
    let (lost, text) = ask(&[]);
    let ranked = json(&["ask", QUESTION, "--method", "graph-rrf", "--json"]);
    let first = &ranked["passages"][0];
    // Without another, a lost passage stands beside the last inside.
    assert_eq!(lost["than"]["other"], first["id"]);
    let scores = lost["than"]["scores"].as_array().unwrap();
    let sum = |of: &str| -> f64 {
        let parts = lost["than"]["parts"].as_array().unwrap();
        parts.iter().map(|part| part[of].as_f64().unwrap()).sum()
    };
    for (of, score) in ["own", "other"].iter().zip(scores) {
        assert!((sum(of) - score.as_f64().unwrap()).abs() < 1e-6, "{lost}");
    }
    let short = lost["short"].as_f64().unwrap();
    let gap = scores[1].as_f64().unwrap() - scores[0].as_f64().unwrap();
    assert!((short - gap).abs() < 1e-6 && lost["hop"].as_u64() >= Some(1));
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(
        text.contains(" below rank 1, passage ") && text.contains("beside "),
        "{text}"
    );
    let third = ranked["passages"][2]["id"].as_str().unwrap();
    let (chosen, _) = ask(&["--than", third]);
    assert_eq!(chosen["than"]["other"], third);
    let said = fails(&[
        "explain",
        QUESTION,
        "--passage",
        "titan",
        "--than",
        "nothing",
    ]);
    assert!(
        said.contains("--than: no passage has the id 'nothing'"),
        "{said}"
    );
}

#[test]
fn parameters_are_swept_over_a_question_a_set_and_each_other() {
    let own = [
        "sweep",
        CORPUS,
        "--method",
        "graph-hybrid",
        "--over",
        "steps=1,2,3",
    ];
    let one = json(&[&own[..], &["q01", "--json"]].concat());
    let points = one["points"].as_array().unwrap();
    assert_eq!(points.len(), 3);
    for (point, steps) in points.iter().zip(["1", "2", "3"]) {
        assert_eq!(point["set"]["steps"].to_string(), steps);
        let set = format!("steps={steps}");
        let asked = [
            &["ask", CORPUS, one["question"].as_str().unwrap(), "--json"][..],
            &["--method", "graph-hybrid", "--set", &set, "-k", "100"],
        ];
        let asked = json(&asked.concat());
        let ranking = asked["passages"].as_array().unwrap();
        for gold in point["gold"].as_array().unwrap() {
            let rank = ranking.iter().position(|p| p["id"] == gold["id"]);
            let told = gold["rank"].as_u64().filter(|rank| *rank <= 100);
            assert_eq!(rank.map(|at| at as u64 + 1), told, "{point}");
        }
    }
    let text = String::from_utf8(hopscope(&[&own[..], &["q01"]].concat()).stdout).unwrap();
    assert!(text.contains("A ulugh-beg") && text.contains('|'), "{text}");
    // Every combination of two over the set, as rows.
    let two = [&own[..], &["--over", "alpha=0.1,0.3", "--as", "tsv"]].concat();
    let rows = String::from_utf8(hopscope(&two).stdout).unwrap();
    let rows: Vec<Vec<&str>> = rows
        .lines()
        .map(|line| line.split('\t').collect())
        .collect();
    assert_eq!(
        (rows.len(), rows[0][..3].to_vec()),
        (7, vec!["steps", "alpha", "R@5"])
    );
    let set = ["--set", "steps=3", "--set", "alpha=0.3", "--json"];
    let whole = json(&[&["eval", CORPUS, "--method", "graph-hybrid"][..], &set].concat());
    let mean = whole["methods"][0]["measures"]["R@5"].as_f64().unwrap();
    assert_eq!(rows[6][2], format!("{mean:.6}"));
    // Which change matters: the effects of changes that were made together.
    let changes = [
        "--subsets",
        "--set",
        "steps=1",
        "--set",
        "seed_k=3",
        "--json",
    ];
    let all = json(&[&["sweep", CORPUS, "--method", "graph-hybrid"][..], &changes].concat());
    assert_eq!(all["points"].as_array().unwrap().len(), 4);
    let effects = all["effects"].as_array().unwrap();
    let sum: f64 = effects
        .iter()
        .map(|effect| effect["effect"].as_f64().unwrap())
        .sum();
    let worth = |at: usize| all["points"][at]["measures"]["R@5"].as_f64().unwrap();
    assert!((sum - (worth(3) - worth(0))).abs() < 1e-9, "{all}");
    for (args, why) in [
        (&["--over", "alhpa"][..], "did you mean alpha?"),
        (&["--over", "quota_n"], "graph-hybrid does not read it"),
        (&["--over", "steps", "--over", "steps"], "given twice"),
        (&["--subsets"], "--set changes nothing"),
        (&["--over", "steps", "--measure", "R@3"], "no measure 'R@3'"),
    ] {
        let said = fails(&[&["sweep", CORPUS, "--method", "graph-hybrid"][..], args].concat());
        assert!(said.contains(why), "{args:?}: {said}");
    }
}

/// A folder of two texts, 24 paragraphs of some forty words about one star each, and a question about every other star
/// with the passage of 200 words that has it as gold.
fn stars() -> (tempfile::TempDir, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let texts = folder.path().join("texts");
    std::fs::create_dir(&texts).unwrap();
    let star = |at: usize| format!("Zeta{}", char::from(b'a' + at as u8));
    for (text, stars) in [("north", 0..12), ("south", 12..24)] {
        let about = |at: usize| {
            let (star, near) = (star(at), star((at + 5) % 24));
            format!(
                "The star {star} was catalogued by observers of the old tower in a long winter. They wrote that {star} has a \
                 faint companion, that its colour is a pale yellow, and that it stands {at} degrees from {near} on the chart."
            )
        };
        let paragraphs: Vec<String> = stars.map(about).collect();
        std::fs::write(texts.join(format!("{text}.txt")), paragraphs.join("\n\n")).unwrap();
    }
    let texts = texts.to_str().unwrap().to_owned();
    let index = folder.path().join("index");
    let index = index.to_str().unwrap();
    assert!(
        hopscope(&["index", &texts, "--out", index])
            .status
            .success()
    );
    let questions = (0..24).step_by(2).map(|at| {
        let question = format!("Which colour has the star {}?", star(at));
        let found = json(&[
            "ask", index, &question, "--method", "bm25", "--json", "-k", "1",
        ]);
        let gold = found["passages"][0]["id"].as_str().unwrap();
        serde_json::json!({"id": format!("s{at}"), "question": question, "gold": {gold: 1}})
            .to_string()
    });
    let questions: Vec<String> = questions.collect();
    let file = folder.path().join("questions.jsonl");
    std::fs::write(&file, questions.join("\n")).unwrap();
    let file = file.to_str().unwrap().to_owned();
    (folder, texts, file)
}

#[test]
fn sizes_of_passages_are_swept_with_an_index_each_and_the_same_gold() {
    let (_folder, texts, questions) = stars();
    let own = [
        "sweep",
        &texts,
        "--questions",
        &questions,
        "--method",
        "bm25",
    ];
    let sizes = [
        "--over",
        "chunk-words=50,100",
        "--over",
        "chunk-overlap=0,30",
        "--json",
    ];
    let all = json(&[&own[..], &sizes].concat());
    let cuts = all["cuts"].as_array().unwrap();
    let named: Vec<_> = cuts
        .iter()
        .map(|cut| (cut["chunk_words"].as_u64(), cut["chunk_overlap"].as_u64()))
        .collect();
    // Those asked for and the one of the gold.
    let wanted = [(50, 0), (50, 30), (100, 0), (100, 30), (200, 0)];
    assert_eq!(
        named,
        wanted.map(|(words, overlap)| (Some(words), Some(overlap)))
    );
    // The gold's own cutting comes to what eval says of it.
    let set = [
        "eval",
        &texts,
        "--questions",
        &questions,
        "--method",
        "bm25",
        "--json",
    ];
    let set = json(&set);
    let base = &cuts[4];
    assert_eq!(base["value"], set["methods"][0]["measures"]["R@5"], "{all}");
    assert!(
        base["difference"].is_null() && base["passages"].as_u64() < cuts[0]["passages"].as_u64()
    );
    let tokens = |cut: &serde_json::Value| cut["tokens"].as_f64().unwrap();
    assert!(
        tokens(&cuts[0]) < tokens(&cuts[1]) && tokens(&cuts[1]) < tokens(base),
        "{all}"
    );
    for cut in cuts {
        // More is found the more is read, and all of it in the end: the corpus is short.
        let within: Vec<f64> = cut["within"]
            .as_array()
            .unwrap()
            .iter()
            .map(|share| share.as_f64().unwrap())
            .collect();
        assert!(within.is_sorted() && within[6] == 1.0, "{cut}");
    }
    assert_eq!(cuts[0]["difference"]["holm_over"]["runs"], 4);
    let text = String::from_utf8(hopscope(&[&own[..], &sizes[..2]].concat()).stdout).unwrap();
    assert!(
        text.contains("R 1,000") && text.contains('*') && !text.contains("answer"),
        "{text}"
    );
    assert!(cuts.iter().all(|cut| cut["answers"].is_null()));
    // Where questions have answers these decide: an answer is the same however the text is cut.
    let asked = std::fs::read_to_string(&questions).unwrap();
    let answered = asked.replace("\"gold\"", "\"answers\": [\"pale yellow\"], \"gold\"");
    std::fs::write(&questions, answered).unwrap();
    let all = json(&[&own[..], &sizes[..2], &["--json"]].concat());
    for cut in all["cuts"].as_array().unwrap() {
        assert_eq!(cut["answers"].as_array().unwrap()[2], 1.0, "{cut}");
        assert!(
            cut["difference"].is_null() || cut["difference"]["ties"] == 12,
            "{cut}"
        );
    }
    let index = _folder.path().join("index");
    for (args, why) in [
        (
            vec!["sweep", index.to_str().unwrap(), "--over", "chunk-words=50"],
            "name its corpus instead",
        ),
        (
            vec!["sweep", &texts, "--over", "chunk-words=50"],
            "name a file with --questions",
        ),
        (
            vec!["sweep", &texts, "colour", "--over", "chunk-words=50"],
            "leave out the question",
        ),
        (
            [&own[..], &["--over", "chunk-words"]].concat(),
            "name the values",
        ),
        (
            [&own[..], &["--over", "chunk-words=0"]].concat(),
            "'0' is not a number of words",
        ),
        (
            [
                &own[..],
                &["--over", "chunk-words=50", "--over", "chunk-overlap=50"],
            ]
            .concat(),
            "name fewer",
        ),
        (
            [&own[..], &["--over", "chunk-words=50", "--over", "bm25_b"]].concat(),
            "by themselves",
        ),
        (
            [&own[..], &["--over", "chunk-words=50", "--measure", "MAP"]].concat(),
            "two gold passages can have one rank",
        ),
    ] {
        let said = fails(&args);
        assert!(said.contains(why), "{args:?}: {said}");
    }
    // A corpus that is not cut.
    let said = hopscope(&[
        "sweep",
        CORPUS,
        "--method",
        "bm25",
        "--over",
        "chunk-words=50",
    ]);
    assert!(
        String::from_utf8(said.stderr)
            .unwrap()
            .contains("only texts, Markdown and HTML are cut")
    );
}

#[test]
fn a_run_is_one_word_in_eval_and_compare() {
    // A method with settings of its own is what --set makes of it, under the name it was given.
    let two = "graph,short=graph@steps=2@alpha=.4";
    let both = json(&["eval", CORPUS, "--method", two, "--json"]);
    let set = ["--set", "steps=2", "--set", "alpha=.4", "--json"];
    let alone = json(&[&["eval", CORPUS, "--method", "graph"][..], &set].concat());
    assert_eq!(both["methods"][0]["run"], "graph");
    assert_eq!(both["methods"][1]["run"], "short");
    assert_eq!(both["methods"][1]["method"], "graph");
    assert_eq!(
        both["methods"][1]["measures"],
        alone["methods"][0]["measures"]
    );
    assert_ne!(
        both["methods"][0]["measures"],
        alone["methods"][0]["measures"]
    );
    assert_eq!(both["comparisons"][0]["b"], "short");
    let text = hopscope(&[
        "eval",
        CORPUS,
        "--method",
        two,
        "--fail-under",
        "short:R@5=0",
    ]);
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(text.contains("short"), "{text}");
    // Ranks of every run are those of ask with the same settings.
    let compared = json(&["compare", CORPUS, "q01", "--method", two, "--json"]);
    let question = compared["question"].as_str().unwrap();
    for (run, set) in compared["runs"]
        .as_array()
        .unwrap()
        .iter()
        .zip([&[][..], &set[..4]])
    {
        let asked = json(
            &[
                &["ask", CORPUS, question, "--json", "--method", "graph"][..],
                set,
            ]
            .concat(),
        );
        let ids = |all: &Value| -> Vec<Value> {
            let all = all.as_array().unwrap();
            all.iter().map(|p| p["id"].clone()).collect()
        };
        assert_eq!(ids(&run["passages"]), ids(&asked["passages"]));
        assert!(run["measures"]["R@5"].is_number());
    }
    let subsets = compared["subsets"]["tried"].as_array().unwrap();
    assert_eq!(subsets.len(), 4);
    for (at, run) in [(0, 0), (3, 1)] {
        assert_eq!(
            subsets[at]["worth"],
            compared["runs"][run]["measures"]["R@5"]
        );
    }
    let told = hopscope(&["compare", CORPUS, "q01", "--method", two]);
    let told = String::from_utf8(told.stdout).unwrap();
    assert!(
        told.contains("graph to short: restart alpha 0.15 > 0.4, steps T 5 > 2"),
        "{told}"
    );
    assert!(told.contains("which change did it, R@5"), "{told}");
    // A composition, a preset, and what is neither.
    let mixed = "bm25,names > entity-passage > power > passages@steps=3,hotpotqa";
    let mixed = json(&["compare", CORPUS, "q01", "--method", mixed, "--json"]);
    assert_eq!(mixed["runs"].as_array().unwrap().len(), 3);
    assert!(mixed["subsets"].is_null());
    for (run, why) in [
        ("graph", "name two to 4 runs"),
        ("graph,grahp", "no method 'grahp'"),
        ("graph,graph@alhpa=.3", "did you mean alpha?"),
        ("graph,graph@alpha=7", "0.01 to 0.99"),
    ] {
        let said = fails(&["compare", CORPUS, "q01", "--method", run]);
        assert!(said.contains(why), "{run}: {said}");
    }
}

#[test]
fn what_files_hold_reaches_stderr_without_control_characters() {
    let home = tempfile::tempdir().unwrap();
    let at = |name: &str| home.path().join(name).to_str().unwrap().to_owned();
    let theme = home.path().join("config/themes");
    std::fs::create_dir_all(&theme).unwrap();
    std::fs::write(
        home.path().join("config/presets.toml"),
        "[\"\\u001b]0;owned\\u0007\"]\nmethod = \"\\u001b[2J\"\n",
    )
    .unwrap();
    std::fs::write(theme.join("odd.toml"), "\"\\u001b[31m\" = 1\n").unwrap();
    let twice = "{\"_id\": \"\\u001b[31ma\", \"title\": \"\", \"text\": \"one\"}\n\
                 {\"_id\": \"\\u001b[31ma\", \"title\": \"\", \"text\": \"two\"}\n";
    std::fs::write(at("twice.jsonl"), twice).unwrap();
    for (args, shown) in [
        (
            &["ask", QUESTION, "-m", "bm25"][..],
            "`^[]0;owned^G.method`: no method '^[[2J'",
        ),
        (&["ask", &at("twice.jsonl"), QUESTION], "[31ma"),
        (&["ask", &at("no\u{1b}[31mfile"), QUESTION], "no^[[31mfile"),
        (&["--screenshot", &at("x.txt"), "--theme", "odd"], "^[[31m"),
    ] {
        let out = at_home(home.path(), args);
        let said = String::from_utf8(out.stderr).unwrap();
        let raw = |c: char| c.is_control() && c != '\n';
        assert!(
            said.contains(shown) && !said.contains(raw),
            "{args:?}: {said:?}"
        );
    }
}

/// A pipe is read as a file is, whatever is looked at of it first; one that nobody writes into is not waited for.
#[cfg(unix)]
#[test]
fn a_pipe_is_a_corpus_and_one_without_a_writer_an_error() {
    let home = tempfile::tempdir().unwrap();
    let pipe = home.path().join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let alone = pipe.to_str().unwrap();
    let link = home.path().join("pipe-by-another-name");
    std::os::unix::fs::symlink(&pipe, &link).unwrap();
    let link = link.to_str().unwrap();
    let out = home.path().join("index");
    let out = out.to_str().unwrap();
    let asked: [&[&str]; 5] = [
        &["ask", alone, QUESTION],
        &["ask", CORPUS, QUESTION, "--patch", alone],
        &["eval", CORPUS, "--questions", alone],
        &["labels", CORPUS, link],
        &[
            "index",
            CORPUS,
            "--out",
            out,
            "--vectors",
            alone,
            "--question-vectors",
            alone,
        ],
    ];
    let waiting = asked.map(|args| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_hopscope"));
        program.args(args).stdin(std::process::Stdio::null());
        let output = std::process::Stdio::piped;
        program.stdout(output()).stderr(output()).spawn().unwrap()
    });
    for (args, child) in asked.iter().zip(waiting) {
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        let named = said.contains(alone) && said.contains("nobody writes into it");
        assert!(output.status.code() == Some(2) && named, "{args:?}: {said}");
    }

    let corpus = Path::new(CORPUS).join("corpus.jsonl");
    let direct = hopscope(&["ask", corpus.to_str().unwrap(), QUESTION]);
    let said = |output: &Output| String::from_utf8_lossy(&output.stderr).into_owned();
    let lines = "cat \"$2\" > \"$1\" & exec \"$3\" ask \"$1\" \"$4\"";
    for (shell, steps) in [
        ("sh", lines),
        ("sh", "cat \"$2\" | \"$3\" ask /dev/stdin \"$4\""),
        ("bash", "exec \"$3\" ask <(sleep .2; cat \"$2\") \"$4\""),
        ("bash", "exec \"$3\" ask \"$2\" \"$4\" --patch <(true)"),
    ] {
        let piped = Command::new(shell)
            .args(["-c", steps, "sh"])
            .args([&pipe, &corpus])
            .args([env!("CARGO_BIN_EXE_hopscope"), QUESTION])
            .output();
        let Ok(piped) = piped else {
            eprintln!("skipped: a_pipe_is_a_corpus_and_one_without_a_writer_an_error: no {shell}");
            continue;
        };
        assert!(piped.status.success(), "{steps}: {}", said(&piped));
        assert_eq!(piped.stdout, direct.stdout, "{steps}");
    }
}

/// A path is what the system takes for one.
#[cfg(target_os = "linux")]
#[test]
fn an_index_under_a_path_that_is_no_text_is_asked() {
    use std::os::unix::ffi::OsStringExt;
    let home = tempfile::tempdir().unwrap();
    let index = home
        .path()
        .join(std::ffi::OsString::from_vec(b"ix\xff".to_vec()));
    let run = |args: &[&str], more: &[&str]| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_hopscope"));
        let output = program.args(args).arg(&index).args(more).output().unwrap();
        assert!(output.status.success(), "{args:?} {more:?}: {output:?}");
    };
    run(&["index", CORPUS, "--json", "--out"], &[]);
    run(&["index", "--json", "--add", "e2graphrag"], &[]);
    run(&["ask"], &[QUESTION]);
    run(&["trace"], &[QUESTION, "--json"]);
    run(&["explain"], &[QUESTION, "-p", "herschel-caroline"]);
    run(&["eval", "-m", "bm25"], &[]);
    run(&["stats", "--json"], &[]);
    let picture = home.path().join("x.txt");
    run(&["--screenshot", picture.to_str().unwrap()], &[]);
}

/// Nobody takes what is said, and the work is done all the same; nobody takes the result, and the exit code says so.
#[test]
fn a_full_output_is_an_error_and_full_messages_are_none() {
    let full = || std::fs::OpenOptions::new().write(true).open("/dev/full");
    if full().is_err() {
        eprintln!("skipped: a_full_output_is_an_error_and_full_messages_are_none: no /dev/full");
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let at = |name: &str| home.path().join(name).to_str().unwrap().to_owned();
    let (first, second, third) = (at("first"), at("second"), at("third"));
    let made = at("made");
    assert!(
        hopscope(&["index", CORPUS, "--out", &made])
            .status
            .success()
    );
    let labels = labelled(home.path(), "em.jsonl", "em", &[("none", r#""grade":2"#)]);
    let program = |args: &[&str]| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_hopscope"));
        program.args(args).env("HOPSCOPE_HOME", home.path());
        program.stdin(std::process::Stdio::null());
        program
    };
    for args in [
        &["index", CORPUS, "--out", &first][..],
        &["index", CORPUS, "--out", &second, "--json"],
        &["index", &made, "--add", "e2graphrag"],
        &["ask", &made, QUESTION],
        &["ask", &made, QUESTION, "--json"],
        &["trace", &made, QUESTION],
        &["explain", &made, QUESTION, "-p", "herschel-caroline"],
        &["eval", &made, "-m", "bm25"],
        &["labels", &made, &labels, "--as", "qrels"],
        &["labels", &made, &labels],
        &["stats", &made],
        &["methods"],
        &["man"],
        &["--help"],
        &["--plain", &made],
    ] {
        let output = program(args).stdout(full().unwrap()).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        let last = said.lines().last().unwrap_or_default();
        let named = last.starts_with("hopscope: standard output: No space left");
        assert!(
            output.status.code() == Some(2) && named,
            "{args:?}: {:?}, {said}",
            output.status
        );
    }
    for args in [
        &["index", CORPUS, "--out", &third][..],
        &["ask", &made, "zzz"],
        &["labels", &made, &labels, "--as", "qrels"],
    ] {
        let output = program(args).stderr(full().unwrap()).output().unwrap();
        assert!(output.status.success(), "{args:?}: {:?}", output.status);
    }
    for whole in [&first, &second, &third] {
        assert!(hopscope(&["ask", whole, QUESTION]).status.success());
    }
}

#[test]
fn completions_and_the_manual_page_know_every_command() {
    for arguments in [
        &["completions", "bash"][..],
        &["completions", "fish"],
        &["man"],
    ] {
        let out = hopscope(arguments);
        assert!(out.status.success(), "{arguments:?}");
        let text = String::from_utf8(out.stdout).unwrap();
        for command in [
            "index", "ask", "trace", "explain", "eval", "stats", "doctor", "methods",
        ] {
            assert!(text.contains(command), "{arguments:?}: {command}");
        }
    }
    assert!(fails(&["completions", "cmd"]).contains("bash"));
}

#[test]
fn a_question_of_which_nothing_is_known_says_so() {
    let ask = |question: &str, method: &str| {
        let told = json(&["ask", question, "--method", method, "--json"]);
        let why = told["unrecognised"].as_str().map(str::to_owned);
        let traced = json(&["trace", question, "--method", method, "--json"]);
        assert_eq!(traced["unrecognised"].as_str(), why.as_deref());
        why.unwrap_or_default()
    };
    for method in ["graph", "hop", "bm25"] {
        assert!(ask("qwrtz plmkn", method).starts_with("No name and no word"));
        assert_eq!(ask("Who discovered Uranus?", method), "");
    }
    // Words are known, and the walk goes by names alone.
    let lower = "which planet has rings?";
    assert!(ask(lower, "graph").starts_with("No name of the graph"));
    assert_eq!(ask(lower, "hop"), "");
    let out = hopscope(&["ask", "qwrtz plmkn", "--method", "bm25"]);
    assert!(
        String::from_utf8(out.stderr)
            .unwrap()
            .contains("No name and no word")
    );
}

#[test]
fn what_brings_a_lost_passage_in_is_tried_priced_and_holds_when_typed() {
    let question = "Whose characters circle the planet that William Herschel noticed in Bath?";
    let ask = ["--method", "graph", "--set", "steps=1"];
    let lost = "uranus-moon-names";
    let explain = ["explain", question, "--passage", lost, "--repairs"];
    let told = json(&[&explain[..], &ask, &["--price", "--json"]].concat());
    let repairs = &told["repairs"];
    assert!(repairs["tried"] == repairs["of"] && repairs["tried"].as_u64() > Some(50));
    // What would bring in any passage is no repair.
    let forced = repairs["forced"].as_array().unwrap();
    assert!(forced.iter().all(|repair| repair["kind"] == "forced"));
    let found = repairs["found"].as_array().unwrap();
    let settings = found.iter().filter(|r| r["change"]["set"].is_string());
    let settings: Vec<_> = settings.collect();
    assert!(!settings.is_empty(), "{found:?}");
    for repair in settings {
        let set = repair["change"]["set"].as_str().unwrap();
        assert!(!set.starts_with("result_k="));
        let price = &repair["price"]["R@10"];
        let counted = ["wins", "ties", "losses"].map(|name| price[name].as_u64().unwrap_or(0));
        assert_eq!(counted.iter().sum::<u64>(), 86, "{repair}");
        let again = json(&[&["ask", question, "--json"][..], &ask, &["--set", set]].concat());
        let passages = again["passages"].as_array().unwrap();
        let rank = passages.iter().position(|p| p["id"] == lost).unwrap() + 1;
        assert_eq!(repair["rank"], rank, "{set}");
    }
    // A passage that is returned needs nothing, and nothing is claimed.
    let inside = [
        "explain",
        question,
        "--passage",
        "uranus-1",
        "--repairs",
        "--json",
    ];
    assert!(json(&[&inside[..], &ask].concat())["repairs"].is_null());
}

#[test]
fn a_lost_passage_is_told_which_name_should_be_one_of_its_own() {
    let home = tempfile::tempdir().unwrap();
    let passages = [
        (
            "a",
            "Roger Egeberg",
            "Roger Egeberg was a physician under Nixon.",
        ),
        ("b", "Richard Nixon", "Richard Nixon resigned in August."),
        ("c", "Mara Voss", "Mara Voss painted in Hull."),
    ];
    let line = |(id, title, text): (&str, &str, &str)| {
        format!(
            "{}\n",
            serde_json::json!({"id": id, "title": title, "text": text})
        )
    };
    let path = home.path().join("presidents.jsonl");
    std::fs::write(&path, passages.map(line).concat()).unwrap();
    let question = "Which president did Roger Egeberg serve?";
    let args = [
        "explain",
        path.to_str().unwrap(),
        question,
        "-m",
        "graph",
        "-k",
        "1",
    ];
    let told = json(&[&args[..], &["--passage", "b", "--json"]].concat());
    let alike = told["look_alikes"].as_array().unwrap();
    assert_eq!(alike.len(), 1, "{alike:?}");
    assert_eq!(alike[0]["join"], "join Nixon | Richard Nixon");
    assert_eq!(alike[0]["variant"], "surname");
    assert!(alike[0]["holds"]["mass"].as_f64() > alike[0]["other_mass"].as_f64());
    let out = hopscope(&[&args[..], &["--passage", "b"]].concat());
    let text = String::from_utf8(out.stdout).unwrap();
    let said = alike[0]["sentence"].as_str().unwrap();
    assert!(
        text.contains(&format!(
            "look-alike: {said}\n  same entity?  join Nixon | Richard Nixon\n"
        )),
        "{text}"
    );
    // Of what is returned, and of names that are like none, nothing is said.
    for id in ["a", "c"] {
        let told = json(&[&args[..], &["--passage", id, "--json"]].concat());
        assert_eq!(told["look_alikes"], serde_json::json!([]), "{id}");
    }
}

#[test]
fn a_doctor_says_what_is_wrong_and_what_it_costs() {
    let told = json(&["doctor", CORPUS, "--method", "graph", "--json"]);
    assert_eq!(
        (&told["method"], &told["graph"]),
        (&"graph".into(), &"entity-passage".into())
    );
    let number = |of: &Value, name: &str| of[name].as_u64().unwrap();
    let (gold, lost) = (number(&told, "gold"), number(&told, "lost"));
    assert!(lost > 0 && lost < gold);
    let findings = told["findings"].as_array().unwrap();
    let faults: Vec<&str> = findings
        .iter()
        .map(|f| f["fault"].as_str().unwrap())
        .collect();
    for fault in [
        "hub",
        "isolated",
        "nameless",
        "split",
        "look_alike",
        "common_word",
        "duplicate",
    ] {
        assert!(faults.contains(&fault), "{faults:?}");
    }
    assert!(findings.iter().all(|f| number(f, "explains") <= lost));
    let out = hopscope(&["doctor", CORPUS, "--method", "graph"]);
    let text = String::from_utf8(out.stdout).unwrap();
    assert!(
        text.contains(&format!("{lost} of {gold} gold passages missed")),
        "{text}"
    );
    for finding in findings {
        let said = format!(
            "{:>6} missed gold   {} ",
            number(finding, "explains"),
            finding["count"]
        );
        assert!(text.contains(&said), "{said}: {text}");
    }
    assert!(fails(&["doctor", CORPUS, "--method", "nothing"]).contains("nothing"));
}

#[test]
fn verdicts_on_lost_gold_are_counted() {
    let args = [
        "eval",
        CORPUS,
        "--method",
        "bm25,graph",
        "--losses",
        "--json",
    ];
    let told = json(&args);
    let all = told["losses"].as_array().unwrap();
    assert_eq!(all.len(), 2);
    for method in all {
        let sum = |of: &str| -> u64 {
            let counts = method[of].as_object().unwrap().values();
            counts.map(|count| count.as_u64().unwrap()).sum()
        };
        let lost = method["lost"].as_u64().unwrap();
        assert!(lost > 0 && lost < method["gold"].as_u64().unwrap());
        assert!(sum("codes") == lost && sum("classes") == lost, "{method}");
        assert!(method["causes"].as_u64().unwrap() <= lost);
        assert!(method["repaired"].is_null(), "nothing was tried");
    }
    let out = hopscope(&["eval", CORPUS, "--method", "bm25", "--losses", "--repairs"]);
    let printed = String::from_utf8(out.stdout).unwrap();
    assert!(
        printed.contains("missed by bm25: ") && printed.contains("one other setting brings in")
    );
}

/// A file of labels about the first question of the sample: each a passage and more fields.
fn labelled(folder: &Path, name: &str, annotator: &str, said: &[(&str, &str)]) -> String {
    let line = |(passage, more): &(&str, &str)| {
        let head = format!(r#"{{"question":"{LABELLED}","text":"?","passage":"{passage}""#);
        format!("{head},\"annotator\":\"{annotator}\",{more}}}\n")
    };
    let file = folder.join(name);
    std::fs::write(&file, said.iter().map(line).collect::<String>()).unwrap();
    file.to_str().unwrap().to_owned()
}

const LABELLED: &str = "q01";

#[test]
fn more_threads_than_a_machine_can_use_are_not_started() {
    let ask = |threads: &str| {
        let ask = ["ask", CORPUS, "Who discovered Uranus?", "--json"];
        let mut program = Command::new(env!("CARGO_BIN_EXE_hopscope"));
        let out = program.args(ask).env("RAYON_NUM_THREADS", threads).output();
        let out = out.unwrap();
        assert!(out.status.success());
        String::from_utf8(out.stderr).unwrap()
    };
    assert!(ask("9999").contains("256 threads are started at most"));
    assert!(!ask("2").contains("threads"));
}

#[test]
fn the_run_of_another_program_stands_beside_ours() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("theirs.run");
    let path = file.to_str().unwrap();
    let ours = json(&["eval", CORPUS, "--method", "bm25", "--json", "--run", path]);
    let two = format!("bm25,{path},again={path}");
    let both = json(&["eval", CORPUS, "--method", &two, "--json"]);
    let [own, theirs, again] = [0, 1, 2].map(|at| &both["methods"][at]);
    assert_eq!(
        (&theirs["run"], &again["run"]),
        (&"theirs".into(), &"again".into())
    );
    // The same rankings, the same measures; its time is not ours to tell.
    assert_eq!(own["measures"], ours["methods"][0]["measures"]);
    assert_eq!(own["measures"], theirs["measures"]);
    assert!(own["latency_ms"]["p50"].is_number() && theirs["latency_ms"]["p50"].is_null());
    // Two files in one process are two runs, however alike their questions are.
    let text = std::fs::read_to_string(&file).unwrap();
    let other = folder.path().join("other.run");
    let first = text.lines().next().unwrap();
    std::fs::write(&other, format!("{first}\n")).unwrap();
    let of_two = format!("{path},{}", other.display());
    let compared = json(&["compare", CORPUS, "q01", "--method", &of_two, "--json"]);
    assert_eq!(
        compared["runs"][0]["passages"].as_array().unwrap().len(),
        10
    );
    assert_eq!(compared["runs"][1]["passages"].as_array().unwrap().len(), 1);
    // Of one question of all, of none, and of passages that are not here.
    let evaluated = |text: &str| {
        std::fs::write(&other, text).unwrap();
        let said = hopscope(&["eval", CORPUS, "--method", other.to_str().unwrap()]);
        let code = said.status.code().unwrap();
        (code, String::from_utf8(said.stderr).unwrap())
    };
    let (code, said) = evaluated(&format!("{first}\nq01 Q0 gone 2 0 x\n"));
    let counts = "for 1 of 92 questions; the index has 1 of 2 passages";
    assert!(code == 0 && said.contains(counts), "{said}");
    let (code, said) = evaluated(&text.replace("q", "zzzq"));
    assert!(
        code == 2 && said.contains("none of the 92 questions"),
        "{said}"
    );
    let path_of_other = other.to_str().unwrap();
    let over = ["--over", "result_k=5,10"];
    let swept = hopscope(&[&["sweep", CORPUS, "--method", path_of_other], &over[..]].concat());
    let said = String::from_utf8(swept.stderr).unwrap();
    assert!(
        swept.status.code() == Some(2) && said.contains("none of the 92 questions"),
        "{said}"
    );
    let (code, said) = evaluated(&text.replace(" Q0 ", " Q0 zzz"));
    assert!(code == 2 && said.contains("has none of the"), "{said}");
    std::fs::write(&other, format!("{first}\n")).unwrap();
    // A question that it does not have, and a file that is none.
    let said = hopscope(&["ask", CORPUS, "--method", path, "Who knows?"]);
    assert!(said.status.success() && said.stdout.is_empty());
    let said = String::from_utf8(said.stderr).unwrap();
    assert!(said.contains("has no ranking of this question"), "{said}");
    std::fs::write(&other, "q01 beaufort-11\n").unwrap();
    let said = hopscope(&["ask", CORPUS, "--method", other.to_str().unwrap(), "q01"]);
    let said = String::from_utf8(said.stderr).unwrap();
    assert!(said.contains("other.run: line 1: 2 columns"), "{said}");
}

#[test]
fn labels_are_corrected_gold_and_two_annotators_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let before = json(&["eval", CORPUS, "--method", "bm25", "--json"]);
    let first = &before["methods"][0]["per_question"][0];
    assert_eq!(first["id"], LABELLED);
    let gold = first["gold"][0]["id"].as_str().unwrap();
    let top = |at: usize| first["ranking"][at]["id"].as_str().unwrap();
    let other = (0..10).map(top).find(|id| *id != gold).unwrap();
    let removed = (gold, r#""gold":false,"grade":0,"cause":"data""#);
    let em = labelled(
        folder,
        "em.jsonl",
        "em",
        &[removed, (other, r#""grade":2"#)],
    );
    let jo = labelled(
        folder,
        "jo.jsonl",
        "jo",
        &[removed, (other, r#""grade":1"#)],
    );
    let qrels = hopscope(&["labels", CORPUS, &em, "--as", "qrels"]);
    let qrels = String::from_utf8(qrels.stdout).unwrap();
    assert!(qrels.starts_with("query-id\tcorpus-id\tscore\n"));
    assert!(qrels.contains(&format!("{LABELLED}\t{gold}\t0\n")));
    assert!(qrels.contains(&format!("{LABELLED}\t{other}\t2\n")));
    let file = folder.join("gold.tsv");
    std::fs::write(&file, &qrels).unwrap();
    let file = file.to_str().unwrap();
    let after = json(&[
        "eval", CORPUS, "--method", "bm25", "--qrels", file, "--json",
    ]);
    let rows = |eval: &Value| {
        eval["methods"][0]["per_question"]
            .as_array()
            .unwrap()
            .clone()
    };
    let (before, after) = (rows(&before), rows(&after));
    let named = |row: &Value| -> Vec<String> {
        let gold = row["gold"].as_array().unwrap().iter();
        gold.map(|gold| gold["id"].as_str().unwrap().to_owned())
            .collect()
    };
    assert!(named(&after[0]).contains(&other.to_owned()));
    assert!(!named(&after[0]).contains(&gold.to_owned()));
    for (before, after) in before.iter().zip(&after).skip(1) {
        assert_eq!(before["measures"], after["measures"]);
    }
    let told = json(&["labels", &em, &jo, "--agreement", "--json"]);
    assert_eq!(
        (&told["both"], &told["grades"]["alike"]),
        (&2.into(), &1.into())
    );
    // Grades 0 0 and 2 1: by chance .5 * .5, since 1 and 2 are each one annotator's only.
    assert!((told["grades"]["kappa"].as_f64().unwrap() - (0.5 - 0.25) / 0.75).abs() < 1e-9);
    assert_eq!(told["causes"]["kappa"], Value::Null);
    assert_eq!(told["disagreements"][0]["a"], "2 full");
    let table = hopscope(&["labels", &em, &jo, "--agreement"]);
    let table = String::from_utf8(table.stdout).unwrap();
    assert!(
        table.contains("grade        2      1    0.250   0.333"),
        "{table}"
    );
    let records = json(&["labels", CORPUS, &em, "--as", "argilla"]);
    assert_eq!(records.as_array().unwrap().len(), 2);
    let tasks = json(&["labels", CORPUS, &em, "--as", "label-studio"]);
    assert_eq!(tasks.as_array().unwrap().len(), 2);
    let said = fails(&["labels", &em, "--agreement"]);
    assert!(
        said.contains("1 annotator") && said.contains("name two files"),
        "{said}"
    );
    let said = fails(&["labels", CORPUS, "no-such-file.jsonl"]);
    assert!(said.contains("no-such-file.jsonl"), "{said}");
}

/// A folder of STaRK: the tensors of the smallest one, its objects and questions written anew.
fn stark(folder: &Path) {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/stark/processed");
    let processed = folder.join("processed");
    std::fs::create_dir_all(&processed).unwrap();
    for file in std::fs::read_dir(sample).unwrap() {
        let file = file.unwrap().path();
        std::fs::copy(&file, processed.join(file.file_name().unwrap())).unwrap();
    }
    let mut pickle = String::from("(d");
    let objects = [
        (
            "disease",
            "Rare fever",
            "A fever that comes back every third day and leaves people tired for weeks.",
        ),
        ("gene/protein", "ABC1", ""),
        ("drug", "Feverless", ""),
        (
            "disease",
            "Marsh fever",
            "A fever that comes back every fourth day and leaves people tired for months.",
        ),
        (
            "disease",
            "Brittle bones",
            "Bones that break under small loads because collagen is built with a fault.",
        ),
        (
            "disease",
            "Night blindness",
            "Eyes that see too little in the dusk for want of a pigment in their rods.",
        ),
        (
            "disease",
            "Stone gut",
            "Deposits of lime in the walls of the bowel which hinder all movement there.",
        ),
    ];
    for (number, (kind, name, definition)) in objects.iter().enumerate() {
        pickle += &format!(
            "I{number}\n(dS'type'\nS'{kind}'\nsS'name'\nS'{name}'\nsS'details'\n(dS'mondo_definition'\nS'{definition}'\nsss"
        );
    }
    std::fs::write(processed.join("node_info.pkl"), pickle + ".").unwrap();
    let questions = "id,query,answer_ids\n0,\"Which drug has the indication rare fever, if any?\",[2]\n1,Which disease is similar to Rare fever?,[3]\n";
    std::fs::create_dir(folder.join("stark_qa")).unwrap();
    std::fs::write(folder.join("stark_qa/stark_qa.csv"), questions).unwrap();
}

#[test]
fn a_folder_of_stark_is_indexed_asked_and_measured() {
    let home = tempfile::tempdir().unwrap();
    stark(home.path());
    let out = home.path().join("index");
    let [folder, index] = [home.path(), &out].map(|path| path.to_str().unwrap());
    let built = json(&["index", folder, "--out", index, "--with", "spark", "--json"]);
    assert_eq!(
        (&built["passages"], &built["questions"]),
        (&7.into(), &2.into())
    );
    let ids = |question: &str| -> Vec<String> {
        let answer = json(&["ask", index, question, "-m", "spark", "--json"]);
        let passages = answer["passages"].as_array().unwrap().iter();
        passages
            .map(|p| p["id"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(
        ids("Which drug has the indication rare fever, if any?")[0],
        "2"
    );
    assert_eq!(
        ids("Which disease is similar to Rare fever?"),
        ["3"],
        "of four others the one that is alike"
    );
    let eval = json(&["eval", index, "-m", "spark", "--json"]);
    let measures = &eval["methods"][0]["measures"];
    assert_eq!(
        (&measures["RR"], &measures["R@2"]),
        (&1.0.into(), &1.0.into())
    );
    // Without such edges nothing leads from one disease to another.
    let bare = home.path().join("bare");
    let bare = bare.to_str().unwrap();
    json(&[
        "index",
        folder,
        "--out",
        bare,
        "--with",
        "spark",
        "--set",
        "similar_percentile=100",
        "--json",
    ]);
    let joined = |index: &str| {
        let trace = hopscope(&[
            "trace",
            index,
            "Which disease is similar to Rare fever?",
            "-m",
            "spark",
        ]);
        assert!(
            trace.status.success(),
            "{}",
            String::from_utf8_lossy(&trace.stderr)
        );
        String::from_utf8(trace.stdout)
            .unwrap()
            .contains("IS_SIMILAR")
    };
    assert!(joined(index) && !joined(bare));
    // Damage is named, with the file.
    std::fs::write(home.path().join("processed/edge_types.pt"), "PK").unwrap();
    let said = fails(&["index", folder, "--out", index, "--with", "spark"]);
    assert!(
        said.contains("edge_types.pt: expected a tensor of torch.save"),
        "{said}"
    );
}

#[test]
fn a_ranker_is_learned_from_gold_and_used_by_its_path() {
    let home = tempfile::tempdir().unwrap();
    let path = |name: &str| home.path().join(name).to_string_lossy().into_owned();
    let few = path("few.tsv");
    std::fs::write(&few, "query-id\tcorpus-id\tscore\nq01\tsaturn\t1\n").unwrap();
    let said = fails(&["tune", CORPUS, "--qrels", &few]);
    assert!(
        said.contains("10 are the fewest") && said.contains("--qrels"),
        "{said}"
    );
    let file = path("own.json");
    let told = json(&["tune", CORPUS, "--out", &file, "--json"]);
    assert!(told["questions"].as_u64().unwrap() > 50, "{told}");
    for which in ["over_weighted_sum", "over_start", "from_half"] {
        let recall = &told[which]["R@5"];
        assert!(
            recall["mean_b"].as_f64().unwrap() > 0.5,
            "{which}: {recall}"
        );
    }
    let again = path("again.json");
    json(&["tune", CORPUS, "--out", &again, "--json"]);
    let read = |file: &str| std::fs::read_to_string(file).unwrap();
    assert_eq!(read(&file), read(&again), "same gold, same ranker");
    let run = format!("hop@ranker={file}");
    let own = json(&["ask", CORPUS, QUESTION, "--method", &run, "--json"]);
    let flag = json(&["ask", CORPUS, QUESTION, "--ranker", &file, "--json"]);
    let shipped = json(&["ask", CORPUS, QUESTION, "--json"]);
    assert_eq!(own["passages"], flag["passages"]);
    assert_ne!(own["passages"], shipped["passages"]);
    let said = fails(&["ask", CORPUS, QUESTION, "--ranker", "no-such.json"]);
    assert!(
        said.contains("no-such.json") && said.contains("hopscope tune"),
        "{said}"
    );
}

#[test]
fn a_baseline_is_written_once_and_a_fall_fails_and_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (kept, report) = (path("kept.jsonl"), path("report.md"));
    let eval = |method: &str, more: &[&str]| {
        let own = ["eval", CORPUS, "--method", method, "--baseline", &kept];
        hopscope(&[&own[..], more].concat())
    };
    let wrote = eval("hop,bm25", &[]);
    assert!(wrote.status.success());
    let lines = std::fs::read_to_string(&kept).unwrap();
    let same = eval("hop", &["--json"]);
    assert!(same.status.success(), "{same:?}");
    let same: Value = serde_json::from_slice(&same.stdout).unwrap();
    let comparison = &same["baseline"][0]["comparison"];
    assert_eq!(comparison["measures"]["R@5"]["difference"], 0.0);
    assert_eq!(same["baseline"][0]["fell"], serde_json::json!([]));
    // The same name, another method behind it.
    let fell = eval("hop=graph", &["--report", &report]);
    assert_eq!(fell.status.code(), Some(1));
    let said = String::from_utf8(fell.stderr).unwrap();
    assert!(
        said.contains("hop: below the baseline beyond the interval: R@2"),
        "{said}"
    );
    let table = String::from_utf8(fell.stdout).unwrap();
    assert!(
        table.contains("hop: R@5 fell on q04 (1.00 > 0.00)"),
        "{table}"
    );
    let markdown = std::fs::read_to_string(&report).unwrap();
    for part in [
        "| hop | ",
        "**hop against hop of the baseline**",
        "hop: R@5 fell on q04",
        "## Where gold is lost",
        "| 25 | LINK_NOT_SEED |",
        "- **q04** Which noble gas has a Greek name",
        "  - table-noble The noble gases, no score. cause: ",
    ] {
        assert!(markdown.contains(part), "{part}\n{markdown}");
    }
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), lines);
    let other = eval("graph", &[]);
    assert_eq!(other.status.code(), Some(2));
    let said = String::from_utf8(other.stderr).unwrap();
    assert!(said.contains("no run 'graph'; it has hop, bm25"), "{said}");
    std::fs::write(&kept, lines.replacen("\"values\"", "\"worth\"", 1)).unwrap();
    let broken = String::from_utf8(eval("hop", &[]).stderr).unwrap();
    assert!(broken.contains("kept.jsonl:2: "), "{broken}");
}

#[test]
fn parameters_are_searched_and_the_best_is_kept_as_a_preset() {
    let home = tempfile::tempdir().unwrap();
    let tune = |more: &[&str]| {
        let search = [
            "tune",
            CORPUS,
            "--parameters",
            "--method",
            "bm25",
            "--tries",
            "6",
        ];
        Command::new(env!("CARGO_BIN_EXE_hopscope"))
            .args([&search[..], more].concat())
            .env("HOPSCOPE_HOME", home.path())
            .output()
            .unwrap()
    };
    let told = |more: &[&str]| -> Value {
        let out = tune(&[more, &["--json"]].concat());
        assert!(out.status.success(), "{more:?}: {out:?}");
        let said = String::from_utf8(out.stderr).unwrap();
        assert!(said.contains("6 races; at most"), "{said}");
        let mut told: Value = serde_json::from_slice(&out.stdout).unwrap();
        assert!(
            told["latency_ms"]["today"].as_f64().unwrap() > 0.0,
            "{told}"
        );
        told["latency_ms"] = Value::Null;
        told
    };
    let first = told(&["--measure", "rr"]);
    assert_eq!(first, told(&["--measure", "RR"]), "same seed, same report");
    assert_eq!(
        (&first["measure"], &first["whole"]),
        (&"RR".into(), &true.into())
    );
    let judged = first["unseen"]["RR"]["wins"].as_u64().unwrap()
        + first["unseen"]["RR"]["ties"].as_u64().unwrap()
        + first["unseen"]["RR"]["losses"].as_u64().unwrap();
    assert_eq!(first["questions"].as_u64(), Some(judged));
    assert_eq!(first["races"].as_array().unwrap().len(), 5);
    // The word that is printed is the setting that was judged.
    let run = first["run"].as_str().unwrap();
    let again = json(&["eval", CORPUS, "--method", run, "--json"]);
    let mean = &again["methods"][0]["measures"]["RR"];
    assert_eq!(*mean, first["seen"]["RR"]["mean_b"], "{run}");
    // Nothing is saved that may be chance, unless it is asked for.
    let plain = told(&["--measure", "RR", "--save", "mine"]);
    assert_eq!(plain["saved"].is_null(), plain["better"] == false);
    let changes = first["changes"].as_array().unwrap();
    let kept = told(&["--measure", "RR", "--save", "mine", "--anyway"]);
    assert_eq!(kept["saved"].is_null(), changes.is_empty(), "{kept}");
    let text = String::from_utf8(tune(&["--measure", "RR"]).stdout).unwrap();
    for part in [
        "on questions that were not searched on (each fifth judged by the race without it):",
        "Best setting of all questions: bm25@",
        "which is optimistic",
        "RR without it",
        "A question takes",
        "--save NAME keeps it as a preset",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let own = Command::new(env!("CARGO_BIN_EXE_hopscope"))
        .args(["ask", CORPUS, QUESTION, "--method", "mine", "--json"])
        .env("HOPSCOPE_HOME", home.path())
        .output()
        .unwrap();
    let own: Value = serde_json::from_slice(&own.stdout).unwrap();
    let by_word = json(&["ask", CORPUS, QUESTION, "--method", run, "--json"]);
    assert_eq!(own["passages"], by_word["passages"]);
}

#[test]
fn what_cannot_be_searched_says_why() {
    let home = tempfile::tempdir().unwrap();
    let few = home.path().join("few.tsv").to_string_lossy().into_owned();
    std::fs::write(&few, "query-id\tcorpus-id\tscore\nq01\tsaturn\t1\n").unwrap();
    for (args, why) in [
        (&["--only", "steps"][..], "bm25 does not read steps"),
        (&["--only", "bm25_k"], "did you mean bm25_k1?"),
        (&["--measure", "R@3"], "no measure 'R@3'"),
        (&["--out", "ranker.json"], "cannot be used with"),
        (&["--save", "hotpotqa"], "take another name"),
        (&["--qrels", &few], "10 are the fewest"),
        (&[CORPUS], "name one index"),
    ] {
        let search = ["tune", CORPUS, "--parameters", "--method", "bm25"];
        let said = fails(&[&search[..], args].concat());
        assert!(said.contains(why), "{args:?}: {said}");
    }
    let said = fails(&["tune", CORPUS, "--only", "alpha"]);
    assert!(said.contains("--parameters"), "{said}");
}

#[test]
fn a_ranker_is_learned_behind_a_method_that_ends_in_the_learned_order() {
    for (method, why) in [
        ("graph-rrf", "'graph-rrf > ranked' does"),
        (
            "hop,graph-rrf > ranked",
            "different rankers; run 'hopscope tune'",
        ),
        ("graph-rrf > fuse", "rerank, ranked"),
    ] {
        let said = fails(&["tune", CORPUS, "--method", method]);
        assert!(said.contains(why), "{method}: {said}");
    }
    let run = |args: &[&str]| {
        let out = hopscope(args);
        assert!(out.status.success(), "{args:?}");
        String::from_utf8(out.stdout).unwrap()
    };
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("own.json").to_string_lossy().into_owned();
    let said = run(&["tune", CORPUS, "--method", "bm25 > ranked", "--out", &file]);
    assert!(
        said.contains(&format!("bm25 > ranked@ranker={file}")),
        "{said}"
    );
    let [before, after] = ["bm25 > ranked", &format!("bm25 > ranked@ranker={file}")]
        .map(|method| json(&["ask", CORPUS, QUESTION, "--method", method, "--json"]));
    assert_ne!(before["passages"], after["passages"]);
    // Each family of two is judged by a ranker that learned from the other, behind both methods.
    let both = "bm25 > ranked,graph > ranked";
    let (one, two) = (format!("A={CORPUS}"), format!("B={CORPUS}"));
    let said = run(&["tune", &one, &two, "--method", both]);
    assert!(said.contains(", behind bm25, graph;"), "{said}");
}

/// As three processes of a scheduler would.
#[test]
fn a_corpus_is_indexed_in_parts_and_joined() {
    let home = tempfile::tempdir().unwrap();
    let at = |name: &str| home.path().join(name).to_str().unwrap().to_owned();
    let whole = at("whole");
    let wanted = json(&["index", CORPUS, "--out", &whole, "--json"]);
    let parts = ["1/3", "2/3", "3/3"].map(|shard| {
        let out = at(&shard.replace('/', "-of-"));
        let made = json(&["index", CORPUS, "--shard", shard, "--out", &out, "--json"]);
        assert_eq!(made["part"]["of"], 3);
        assert_eq!(made["part"]["fingerprint"], wanted["fingerprint"]);
        out
    });
    // A scheduler that runs one twice loses nothing and waits for nothing.
    let again = hopscope(&["index", CORPUS, "--shard", "2/3", "--out", &parts[1]]);
    let said = String::from_utf8(again.stderr).unwrap();
    assert!(said.contains("part 2 of 3 is built already"), "{said}");
    let shown = String::from_utf8(again.stdout).unwrap();
    assert!(
        shown.contains("  part 2 of 3: passages 76 to 150 of 225"),
        "{shown}"
    );
    assert!(
        shown.contains("hopscope merge PART... --out DIR"),
        "{shown}"
    );
    let out = at("joined");
    let [one, two, three] = &parts;
    let merged = json(&["merge", three, one, two, "--out", &out, "--json"]);
    for same in [
        "passages",
        "questions",
        "entities",
        "edges",
        "fingerprint",
        "settings",
    ] {
        assert_eq!(merged[same], wanted[same], "{same}");
    }
    assert!(merged.get("report").is_none() && merged.get("part").is_none());
    let ask = |index: &str| json(&["ask", index, QUESTION, "--json"])["passages"].take();
    assert_eq!(ask(&out), ask(&whole));
    let error = fails(&["merge", one, three, "--out", &at("none")]);
    assert!(
        error.contains("part 2 is not here; name all of them"),
        "{error}"
    );
    let error = fails(&["index", CORPUS, "--shard", "4/3", "--out", &at("none")]);
    assert!(
        error.contains("write I/N, with I from 1 to N: 2/8"),
        "{error}"
    );
    let error = fails(&["index", CORPUS, "--shard", "1/300", "--out", &at("none")]);
    assert!(error.contains("300 parts of 225 passages"), "{error}");
}
