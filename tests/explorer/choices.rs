//! Presets, vector search, given vectors and re-rankers, through the real binary and the explorer's own update.

use crate::support::{sample, stage};
use hopscope::explorer::action::Action;
use hopscope::explorer::palette::entries;
use hopscope::explorer::picture::plain;
use hopscope::explorer::state::FinderKind;
use hopscope::explorer::update::shell;
use hopscope::retrieve::{Origin, Parameter};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const QUESTION: &str = "Who discovered the moon Titan?";

fn hopscope(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hopscope"));
    command.args(args).output().unwrap()
}

fn text(args: &[&str]) -> String {
    let out = hopscope(args);
    let said = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{args:?}: {said}");
    String::from_utf8(out.stdout).unwrap()
}

fn json(args: &[&str]) -> Value {
    serde_json::from_str(&text(args)).unwrap()
}

fn fails(args: &[&str]) -> String {
    let out = hopscope(args);
    assert_eq!(out.status.code(), Some(2), "{args:?}");
    String::from_utf8(out.stderr).unwrap()
}

fn corpus() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-corpus");
    path.to_str().unwrap().to_owned()
}

/// What `numpy.save` writes for float32.
fn npy(path: &Path, rows: usize, dims: usize, values: &[f32]) {
    let header =
        format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {dims}), }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(values.iter().flat_map(|v| v.to_le_bytes()));
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn presets_on_the_command_line() {
    let answer = json(&[
        "ask",
        QUESTION,
        "--method",
        "graph-hybrid",
        "--preset",
        "2wiki",
        "--set",
        "seed_k=4",
        "--json",
    ]);
    assert_eq!(answer["preset"], "2wiki");
    let settings = &answer["settings"];
    assert_eq!(
        (&settings["norm"], &settings["ner"], &settings["walk"]),
        (&"lower".into(), &"regex".into(), &"power".into())
    );
    assert_eq!(
        (&settings["seed_q"], &settings["seed_k"]),
        (&1.0.into(), &4.into())
    );
    let trace = json(&[
        "trace",
        QUESTION,
        "--method",
        "graph-hybrid",
        "--preset",
        "hotpotqa",
        "--set",
        "seed_k=4",
        "--json",
    ]);
    let origin = |id: &str| {
        let all = trace["parameters"].as_array().unwrap();
        let found = all.iter().find(|p| p["id"] == id).unwrap();
        (found["value"].clone(), found["origin"].clone())
    };
    assert_eq!(origin("walk"), ("push".into(), "preset".into()));
    assert_eq!(origin("seed_k"), (4.into(), "user".into()));
    assert_eq!(origin("epsilon"), (1e-5.into(), "default".into()));
    let result = json(&[
        "eval",
        &corpus(),
        "--method",
        "graph-hybrid,graph-dense",
        "--preset",
        "2wiki",
        "--json",
    ]);
    for (method, k) in [(0, 5), (1, 3)] {
        let method = &result["methods"][method];
        assert_eq!(method["preset"], "2wiki");
        assert_eq!(method["settings"]["seed_k"], k);
    }
    let listed = text(&["methods"]);
    assert!(listed.contains("hotpotqa") && listed.contains("2wiki"));
    let methods = json(&["methods", "--json"]);
    let hybrid = methods.as_array().unwrap().iter();
    let hybrid = hybrid.into_iter().find(|m| m["name"] == "graph-hybrid");
    assert_eq!(hybrid.unwrap()["presets"]["2wiki"]["seed_k"], 5);
    let error = fails(&["ask", QUESTION, "--preset", "squad"]);
    assert!(error.contains("no preset 'squad'; there are hotpotqa, 2wiki"));
}

#[test]
fn presets_in_the_explorer() {
    let mut stage = stage();
    let found = entries(&stage.state, FinderKind::Palette, "preset");
    let titles: Vec<&str> = found.iter().map(|entry| entry.title.as_str()).collect();
    assert_eq!(titles[..2], ["Preset: 2wiki", "Preset: hotpotqa"]);
    assert!(!titles.contains(&"Preset: none"));
    let before = stage.state.settings.clone();
    stage.press("Ctrl-P");
    stage.type_text("preset: 2wiki");
    stage.press("Enter");
    assert_eq!(stage.state.recent[0], Action::Preset("2wiki".into()));
    assert!(shell(&stage.state).ends_with("--method graph-hybrid --preset 2wiki"));
    stage.act(Action::Set("alpha".into(), "0.3".into()));
    assert!(shell(&stage.state).ends_with("--preset 2wiki --set alpha=0.3"));
    stage.act(Action::Set("seed_q".into(), "0.5".into()));
    stage.press("p k");
    stage.press("' p");
    stage.press("F");
    let screen = plain(&stage.draw(120, 36));
    assert!(screen.contains("2 changed"), "{screen}");
    // The default of a parameter is the preset's while it is on.
    stage.press("p q s q");
    let screen = plain(&stage.draw(120, 36));
    assert!(screen.contains("preset 2wiki: 1, yours"), "{screen}");
    stage.press("0");
    let screen = plain(&stage.draw(120, 36));
    assert!(screen.contains("preset 2wiki: 1 "), "{screen}");
    stage.press("p 0");
    let screen = plain(&stage.draw(120, 36));
    assert!(screen.contains("preset 2wiki"), "{screen}");
    // All defaults are those of the preset.
    assert_eq!(stage.state.settings.changed(), [] as [&str; 0]);
    assert!(shell(&stage.state).ends_with("--preset 2wiki"));
    let seed_q = Parameter::SeedQ;
    assert_eq!(stage.state.settings.origin(seed_q), Origin::Preset);
    assert_eq!(stage.state.settings.text(seed_q), "1");
    let none = entries(&stage.state, FinderKind::Palette, "preset: none");
    stage.act(none[0].choice.clone());
    assert_eq!(stage.state.settings, before);
    stage.press("z");
    assert!(stage.state.settings.preset().is_some());
    assert!(stage.state.message.text.contains("preset none > 2wiki"));
}

#[test]
fn the_graph_is_stored_measured_and_used() {
    let home = tempfile::tempdir().unwrap();
    let out = home.path().join("index");
    let out = out.to_str().unwrap();
    let args = [
        "index",
        &corpus(),
        "--out",
        out,
        "--set",
        "vector_search=hnsw",
        "--set",
        "hnsw_m=8",
    ];
    let printed = text(&args);
    assert!(printed.contains("hnsw M 8, efC 200; recall@10 at ef 64: "));
    assert!(printed.contains(" over 92 questions"));
    let built = json(&[&args[..], &["--json"]].concat());
    for part in [
        "read", "names", "words", "vectors", "hnsw", "writing", "total",
    ] {
        assert!(built["seconds"][part].as_f64().unwrap() >= 0.0, "{part}");
    }
    let recall = &built["encoder"]["hnsw"]["recall"];
    assert!(recall["passages"]["recall"].as_f64().unwrap() > 0.99);
    if cfg!(target_os = "linux") {
        assert!(built["peak_memory_bytes"].as_u64().unwrap() > 1 << 20);
    }
    let stats = json(&["stats", out, "--json"]);
    assert_eq!(&stats["vectors"]["hnsw"]["recall"], recall);
    assert!(text(&["stats", out]).contains("recall@10"));
    let searched = |set: &[&str]| {
        let trace = json(
            &[
                &["trace", out, QUESTION, "--method", "dense", "--json"],
                set,
            ]
            .concat(),
        );
        let stages = trace["stages"].as_array().unwrap().iter();
        let mut stages = stages.filter(|s| s["name"] == "nearest vectors");
        (
            stages.next().unwrap()["counters"].clone(),
            trace["ranking"].clone(),
        )
    };
    let (counters, near) = searched(&[]);
    assert_eq!(
        (&counters["search"], &counters["m"]),
        (&"hnsw".into(), &8.into())
    );
    let (counters, exact) = searched(&["--set", "vector_search=exact"]);
    assert_eq!(
        (&counters["search"], &counters["m"]),
        (&"exact".into(), &Value::Null)
    );
    assert_eq!(near[0]["id"], exact[0]["id"]);
}

#[test]
fn vectors_from_files() {
    let home = tempfile::tempdir().unwrap();
    let at = |name: &str| -> PathBuf { home.path().join(name) };
    let (passages, questions, out) = (at("p.npy"), at("q.npy"), at("index"));
    let name = |path: &Path| path.to_str().unwrap().to_owned();
    // Passage i lies in direction i, question 3 in that of passage 7.
    let (index, asked) = (sample(), sample().questions().len());
    let direction = |to: usize| (0..index.len()).map(move |i| if i == to { 2.0 } else { 0.0 });
    let rows: Vec<f32> = (0..index.len()).flat_map(direction).collect();
    npy(&passages, index.len(), index.len(), &rows);
    let to = |q: usize| if q == 3 { 7 } else { 0 };
    let rows: Vec<f32> = (0..asked).flat_map(|q| direction(to(q))).collect();
    npy(&questions, asked, index.len(), &rows);
    let (corpus, out) = (corpus(), name(&out));
    let with = |q: &str| {
        let files = [
            "--vectors".to_owned(),
            name(&passages),
            "--question-vectors".to_owned(),
        ];
        let mut args: Vec<String> =
            vec!["index".into(), corpus.clone(), "--out".into(), out.clone()];
        args.extend(files);
        args.push(q.to_owned());
        args
    };
    let strings = |args: &[String]| {
        args.iter()
            .map(|a| a.clone().leak() as &str)
            .collect::<Vec<_>>()
    };
    text(&strings(&with(&name(&questions))));
    // The index holds all it needs.
    std::fs::remove_file(&passages).unwrap();
    let ask = |q: &str| json(&["ask", &out, q, "--method", "dense", "--json"]);
    let first = ask(&index.questions()[3].text)["passages"][0].clone();
    assert_eq!(first["id"], index.id(7));
    assert_eq!(first["score"], 1.0);
    let error = fails(&["ask", &out, "What is this?", "--method", "dense"]);
    assert!(
        error.contains("no vector was given for 'What is this?'"),
        "{error}"
    );
    assert!(error.contains(&format!("the {asked} questions")), "{error}");
    assert!(text(&["ask", &out, "What is this?", "--method", "graph-hybrid"]).contains("1  "));
    let evaluated = json(&["eval", &out, "--method", "dense,rrf", "--json"]);
    assert_eq!(
        evaluated["judged"],
        json(&["eval", &corpus, "--json"])["judged"]
    );
    // What does not fit is named.
    npy(&passages, 2, index.len(), &vec![1.0; 2 * index.len()]);
    let error = fails(&strings(&with(&name(&questions))));
    assert!(
        error.contains("p.npy: 2 vectors, but the corpus has 225 passages"),
        "{error}"
    );
    let error = fails(&strings(&with(&name(&passages))));
    assert!(
        error.contains("p.npy: 2 x 225 values, expected 92 x 225"),
        "{error}"
    );
    let error = fails(&["index", &corpus, "--out", &out, "--vectors", "p.npy"]);
    assert!(error.contains("--question-vectors"), "{error}");
}

#[test]
fn re_rankers_are_named() {
    let answer = json(&["ask", QUESTION, "--method", "bm25-ce", "--json"]);
    assert_eq!(answer["reranker"]["name"], "MaxSim");
    assert!(
        answer["passages"][0]["why"]
            .as_str()
            .unwrap()
            .ends_with(" before")
    );
    let trace = json(&["trace", QUESTION, "--method", "bm25-ce", "--json"]);
    let stages = trace["stages"].as_array().unwrap();
    let stage = stages.iter().find(|s| s["name"] == "re-rank").unwrap();
    assert_eq!(stage["counters"]["model"], "static");
    let why = stage["nodes"][0]["why"].as_str().unwrap();
    assert!(
        why.starts_with("rank ") && why.ends_with(" before"),
        "{why}"
    );
    let error = fails(&[
        "ask",
        QUESTION,
        "--method",
        "bm25-ce",
        "--reranker",
        "static",
    ]);
    assert!(error.contains("expected bert:FOLDER"), "{error}");
    let error = fails(&[
        "ask",
        QUESTION,
        "--method",
        "bm25-ce",
        "--reranker",
        "bert:/no",
    ]);
    assert!(error.contains("/no/config.json"), "{error}");
}

#[test]
fn the_docs_list_every_method() {
    let docs = include_str!("../../docs/methods.md");
    for method in hopscope::retrieve::METHODS {
        let name = format!("`{}`", method.name);
        assert!(docs.contains(&name), "{name}");
    }
}
