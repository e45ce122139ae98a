//! What commands print as JSON is what `hopscope schema` says of it: no key is missing and none is left unsaid.

use super::checker::checked;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// The schema of what these arguments print.
fn schema_of(args: &[&str]) -> &'static str {
    let has = |word: &str| args.contains(&word);
    let paths = args[1..].iter().take_while(|arg| !arg.starts_with('-'));
    let several = paths.count() > 1;
    match args[0] {
        "ask" => "ask",
        "eval" => "eval",
        "explain" => "explain",
        "trace" => "trace",
        "compare" => "compare",
        "doctor" if has("--ppr") => "doctor-ppr",
        "doctor" => "doctor",
        "sweep" if args.iter().any(|arg| arg.starts_with("chunk-")) => "sweep-sizes",
        "sweep" => "sweep",
        "tune" if has("--parameters") => "tune-parameters",
        "tune" if several => "tune-families",
        "tune" => "tune",
        "index" if has("--add") => "index-add",
        "index" | "merge" => "index",
        "import" if has("--out") => "index",
        "import" => "import",
        "labels" => "labels",
        "stats" => "stats",
        "methods" => "methods",
        "parameters" => "parameters",
        other => panic!("no schema of {other}"),
    }
}

/// Fails where what these arguments printed is not what the schema says.
pub fn holds(args: &[&str], printed: &Value) {
    let name = schema_of(args);
    if let Err(said) = checked(&kept(name), printed) {
        panic!("{args:?}, schema {name}: {said}");
    }
}

fn file(name: &str) -> PathBuf {
    Path::new(ROOT).join(format!("assets/schema/{name}.json"))
}

fn kept(name: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(file(name)).unwrap()).unwrap()
}

/// A schema with a field or a definition on each line.
#[cfg(feature = "schema")]
fn lines(schema: &Value) -> String {
    let entries = |of: &Value, line: &dyn Fn(&str, &Value) -> String| {
        let of = of.as_object().unwrap().iter();
        let of = of.map(|(key, value)| format!("{}:{}", json!(key), line(key, value)));
        format!("{{\n{}\n}}", of.collect::<Vec<_>>().join(",\n"))
    };
    let inside = |_: &str, value: &Value| value.to_string();
    let line = |key: &str, value: &Value| match key {
        "properties" | "$defs" => entries(value, &inside),
        _ => value.to_string(),
    };
    entries(schema, &line) + "\n"
}

/// The schemas that are kept are those of the types.
#[cfg(feature = "schema")]
#[test]
fn schemas_are_made_from_the_types() {
    for (name, made) in hopscope::cli::schema::made() {
        let text = lines(&made);
        if std::env::var_os("HOPSCOPE_FREEZE").is_some() {
            std::fs::write(file(name), &text).unwrap();
        }
        let kept = std::fs::read_to_string(file(name)).unwrap();
        assert!(kept == text, "{name}: HOPSCOPE_FREEZE=1 writes it again");
    }
}

fn hopscope(args: &[&str]) -> Value {
    let made = Command::new(env!("CARGO_BIN_EXE_hopscope"))
        .args(args)
        .current_dir(ROOT)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&made.stderr);
    serde_json::from_slice(&made.stdout).unwrap_or_else(|error| panic!("{args:?}: {error} {said}"))
}

#[test]
fn every_output_is_what_its_schema_says() {
    let home = tempfile::tempdir().unwrap();
    let index = home.path().join("index");
    let index = index.to_str().unwrap();
    let graph = "tests/data/given/lightrag";
    let titan = "Who discovered the moon Titan?";
    let edits = [
        "--edit",
        "mute titan",
        "--seed",
        "+Saturn",
        "--seed",
        "Nobody=2",
    ];
    let missed = ["--method", "graph", "--passage", "hypatia", "--top", "3"];
    let few = ["--method", "bm25,own=graph@alpha=.3", "--resamples", "100"];
    let kept = home.path().join("kept.jsonl");
    let baseline = [
        "--losses",
        "--by-type",
        "--baseline",
        kept.to_str().unwrap(),
    ];
    let subsets = ["--subsets", "--set", "bm25_b=.2", "--set", "bm25_k1=2"];
    let runs = |a: &[&str], b: &[&str]| {
        let args = [a, b, &["--json"]].concat();
        let printed = hopscope(&args);
        holds(&args, &printed);
    };
    runs(
        &["index", "sample-corpus", "--out", index],
        &["--with", "sage"],
    );
    runs(&["index", "--add", "ket", index], &[]);
    runs(&["import", graph], &[]);
    for method in ["hop", "graph", "bm25-ce", "sage", "ket-rag-u", "bm25-rm3"] {
        runs(&["ask", index, titan, "--method", method], &[]);
        runs(&["trace", index, titan, "--method", method], &[]);
    }
    runs(
        &["ask", index, "What is known of it?", "--method", "graph"],
        &edits,
    );
    runs(&["trace", index, "q30", "--method", "graph"], &edits);
    runs(&["explain", index, titan], &missed);
    runs(&["explain", index, titan, "--repairs", "--price"], &missed);
    runs(
        &["explain", titan, "--passage", "titan", "--than", "saturn"],
        &[],
    );
    runs(&["eval", index], &[&few[..], &baseline].concat());
    runs(
        &["eval", index, "--edit", "mute titan"],
        &[&few[..], &baseline].concat(),
    );
    runs(
        &[
            "compare",
            index,
            "q06",
            "--method",
            "graph,graph@alpha=.3@steps=4",
        ],
        &[],
    );
    runs(&["compare", index, titan, "--method", "bm25,hop,sage"], &[]);
    runs(&["sweep", index, "q06", "--method", "bm25"], &subsets);
    runs(
        &["sweep", index, "--method", "bm25", "--over", "bm25_b=.2,.4"],
        &[],
    );
    runs(
        &["sweep", index, "What is known of it?", "--over", "alpha=.2"],
        &[],
    );
    runs(&["doctor", index], &[]);
    runs(&["doctor", index, "--method", "bm25"], &[]);
    runs(&["doctor", index, "--ppr"], &[]);
    runs(&["stats", index], &[]);
    runs(&["stats", "--method", "tfidf-graph"], &[]);
    runs(&["methods"], &[]);
    runs(&["parameters"], &[]);
    runs(
        &["labels", "--agreement"],
        &[&labels(home.path(), "a"), &labels(home.path(), "b")],
    );
}

/// A file of labels by an annotator.
fn labels(folder: &Path, annotator: &str) -> String {
    let line = json!({"question": "q01", "text": "?", "passage": "saturn", "annotator": annotator,
        "grade": annotator.len() + usize::from(annotator == "b")});
    let file = folder.join(annotator);
    std::fs::write(&file, format!("{line}\n")).unwrap();
    file.display().to_string()
}

#[test]
fn a_key_too_many_and_a_key_too_few_are_found() {
    let schema = kept("ask");
    let printed = hopscope(&["ask", "Who discovered the moon Titan?", "--json"]);
    assert_eq!(checked(&schema, &printed), Ok(()));
    let spoiled = |spoil: &dyn Fn(&mut Value)| {
        let mut other = printed.clone();
        spoil(&mut other);
        checked(&schema, &other).unwrap_err()
    };
    let said = spoiled(&|other| other["passages"][1]["parts"][0]["new"] = json!(1));
    assert!(said.contains(".passages[1].parts[0].new"), "{said}");
    let said = spoiled(&|other| drop(other["passages"][0].as_object_mut().unwrap().remove("id")));
    assert!(said.contains(".passages[0]: required"), "{said}");
    let said = spoiled(&|other| other["settings"]["alpha"] = json!(null));
    assert!(said.contains(".settings.alpha"), "{said}");
    let said = spoiled(&|other| other["passages"][0]["combine"] = json!("product"));
    assert!(said.contains(".passages[0].combine"), "{said}");
}

#[test]
fn calls_answer_what_their_schemas_say_whatever_room_they_have() {
    let question = "What did Ørsted see stir during a lecture?";
    let why = json!({"question": "q30", "passage": "orsted", "method": "graph", "repairs": true});
    let calls = [
        ("open_status", json!({})),
        (
            "ask",
            json!({"question": "q30", "changes": [{"seed": "Nobody=2"}]}),
        ),
        ("ask", json!({"question": question, "method": "bm25"})),
        (
            "why",
            json!({"question": "q72", "passage": "gassendi", "than": "kepler-1"}),
        ),
        ("why_not", why),
        (
            "compare",
            json!({"first": "graph", "second": "graph@fallback=bm25_top1", "question": "q30"}),
        ),
        (
            "compare",
            json!({"first": "graph", "second": "graph@fallback=bm25_top1"}),
        ),
        (
            "compare",
            json!({"first": "bm25", "second": "hop", "question": question}),
        ),
        ("evaluate", json!({"method": "graph", "per_question": true})),
    ];
    let rooms = [100, 300, 1000, 100_000];
    let all = calls.iter().flat_map(|(call, arguments)| {
        rooms.map(|room| {
            let mut arguments = arguments.clone();
            arguments["max_tokens"] = json!(room);
            json!({"id": call, "call": call, "arguments": arguments}).to_string()
        })
    });
    let answers = super::serve::serve(&all.collect::<Vec<_>>().join("\n"));
    assert_eq!(answers.len(), calls.len() * rooms.len());
    for answer in answers {
        let name = format!("calls/{}", answer["id"].as_str().unwrap());
        let fits = checked(&kept(&name), &answer["result"]);
        assert_eq!(fits, Ok(()), "{name}: {answer}");
    }
}

#[test]
fn schemas_are_printed_by_name() {
    let run = |args: &[&str]| {
        let bin = Command::new(env!("CARGO_BIN_EXE_hopscope"))
            .arg("schema")
            .args(args)
            .output();
        String::from_utf8(bin.unwrap().stdout).unwrap()
    };
    let listed = run(&[]);
    let names: Vec<&str> = listed.lines().filter_map(|l| l.split(' ').next()).collect();
    let kept = std::fs::read_dir(file("ask").parent().unwrap()).unwrap();
    let kept = kept.filter(|entry| entry.as_ref().unwrap().path().is_file());
    // The calls are one name, and a folder.
    assert_eq!(names.len(), kept.count() + 1, "{listed}");
    for name in names.iter().filter(|name| **name != "serve") {
        let printed: Value = serde_json::from_str(&run(&[name])).unwrap();
        assert_eq!(printed, self::kept(name));
    }
    let calls: Value = serde_json::from_str(&run(&["serve"])).unwrap();
    let results = calls["calls"].as_array().unwrap().iter();
    assert!(results.clone().count() == 6 && calls["version"] == 1);
    for call in results {
        let (name, result) = (call["call"].as_str().unwrap(), &call["result"]);
        assert_eq!(result, &self::kept(&format!("calls/{name}")), "{name}");
        assert_eq!(result["additionalProperties"], false, "{name}");
    }
}
