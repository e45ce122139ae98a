//! Every command's output, text and JSON, as it was when the files in `tests/shell/golden` were written. Only what is
//! measured is masked: times, memory, and where the temporary folder lies. What is long is held by its beginning, its
//! length and its hash.
//!
//! A change that is meant to change output writes the files again, in a commit of its own that says why:
//!
//! ```sh
//! HOPSCOPE_FREEZE=1 cargo test --test shell golden
//! ```
//!
//! Scores are printed with all their digits, so files are compared where they are written: on x86-64 Linux.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;
use xxhash_rust::xxh3::xxh3_64;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// What stands for a longer word on a line of arguments.
const WORDS: [(&str, &str); 2] = [
    ("TITAN", "Who discovered the moon Titan?"),
    ("FEW", "What is known of it?"),
];

/// A folder for what the commands read and write.
struct Home(TempDir);

impl Home {
    fn new() -> Home {
        let home = Home(tempfile::tempdir().unwrap());
        home.write("em.jsonl", "em", 2);
        home.write("jo.jsonl", "jo", 1);
        home
    }

    fn path(&self) -> &str {
        self.0.path().to_str().unwrap()
    }

    /// Labels of an annotator: a gold passage taken out, and a grade of another passage.
    fn write(&self, name: &str, annotator: &str, grade: usize) {
        let line = |passage: &str, said: &str| {
            format!(
                r#"{{"question":"q01","text":"?","passage":"{passage}","annotator":"{annotator}",{said}}}"#
            )
        };
        let removed = line("beaufort-11", r#""gold":false,"grade":0,"cause":"data""#);
        let graded = line("saturn", &format!(r#""grade":{grade}"#));
        std::fs::write(self.0.path().join(name), format!("{removed}\n{graded}\n")).unwrap();
    }

    /// Runs the program in the folder, which is its home too, and tells what it printed.
    fn run(&self, line: &str) -> String {
        let word = |word: &str| {
            let long = WORDS.iter().find(|(short, _)| *short == word);
            let word = long.map_or(word, |(_, long)| long);
            let word = word.replace("CORPUS", &format!("{ROOT}/sample-corpus"));
            word.replace('~', " ")
        };
        let out = Command::new(env!("CARGO_BIN_EXE_hopscope"))
            .args(line.split_whitespace().map(word))
            .current_dir(self.path())
            .env_clear()
            .env("HOME", self.path())
            .output()
            .unwrap();
        let [stdout, stderr] = [out.stdout, out.stderr].map(|bytes| {
            let text = String::from_utf8(bytes).unwrap();
            text.replace(self.path(), "HOME").replace(ROOT, "ROOT")
        });
        let mut told = format!("$ hopscope {line}\n");
        if out.status.code() != Some(0) {
            let _ = writeln!(told, "code {:?}", out.status.code());
        }
        for line in stderr.lines() {
            let _ = writeln!(told, "! {line}");
        }
        let masked = match stdout.starts_with(['{', '[']) {
            true => untimed_json(&stdout),
            false => untimed(&stdout),
        };
        told + &held(&masked) + "\n"
    }
}

/// JSON as it is printed, without the values of the fields that are measured.
fn untimed_json(text: &str) -> String {
    const MEASURED: [&str; 4] = ["seconds", "milliseconds", "latency_ms", "peak_memory_bytes"];
    let mut out = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let field = line.trim_start();
        let indent = &line[..line.len() - field.len()];
        let name = field.split('"').nth(1).unwrap_or_default();
        if !MEASURED.contains(&name) || !field.contains("\": ") {
            let _ = writeln!(out, "{line}");
            continue;
        }
        let mut end = line;
        if line.ends_with(['{', '[']) {
            let closing = |line: &&str| {
                let rest = line.strip_prefix(indent);
                rest.is_some_and(|rest| rest.starts_with(['}', ']']))
            };
            end = lines.find(closing).unwrap();
        }
        let comma = if end.ends_with(',') { "," } else { "" };
        let _ = writeln!(out, "{indent}\"{name}\": #{comma}");
    }
    out
}

/// Text without numbers of seconds, milliseconds and memory, and without the latencies that end the rows of a table.
fn untimed(text: &str) -> String {
    const LATENCIES: usize = "    0.00     0.00     0.00".len();
    let mut latencies = false;
    let mut out = String::new();
    for line in text.lines() {
        if latencies && line.len() > LATENCIES {
            let _ = writeln!(out, "{} # # #", &line[..line.len() - LATENCIES]);
            continue;
        }
        latencies = line.ends_with("p99 ms");
        let words: Vec<&str> = line.split(' ').collect();
        let measured = |at: usize| {
            let unit = words.get(at + 1).map(|unit| unit.trim_end_matches(','));
            let memory = at > 0 && words[at - 1] == "memory" && unit == Some("MB");
            let number = words[at].parse::<f64>().is_ok();
            number && (memory || matches!(unit, Some("s" | "ms")))
        };
        let word = |at: usize| if measured(at) { "#" } else { words[at] };
        let masked: Vec<&str> = (0..words.len()).map(word).collect();
        let _ = writeln!(out, "{}", masked.join(" "));
    }
    out
}

/// What is long is held by its beginning, its length and its hash.
fn held(text: &str) -> String {
    let Some((at, _)) = text.char_indices().nth(1_500) else {
        return text.to_owned();
    };
    let end = text[..at].rfind('\n').map_or(at, |end| end + 1);
    let hash = xxh3_64(text.as_bytes());
    format!("{}... {} bytes, {hash:016x}\n", &text[..end], text.len())
}

/// The output of some lines of arguments is what the file holds.
fn golden(name: &str, home: &Home, lines: &[&str]) {
    let told: String = lines.iter().map(|line| home.run(line)).collect();
    let file = Path::new(ROOT).join(format!("tests/shell/golden/{name}.txt"));
    if std::env::var_os("HOPSCOPE_FREEZE").is_some() {
        std::fs::write(&file, &told).unwrap();
    }
    let kept = std::fs::read_to_string(&file).unwrap();
    let mut pairs = kept.lines().zip(told.lines());
    if let Some((kept, told)) = pairs.find(|(kept, told)| kept != told) {
        panic!("{name}.txt has another line:\n{kept}\n{told}");
    }
    assert_eq!(kept, told, "{name}.txt");
}

fn with_index() -> Home {
    let home = Home::new();
    let made = home.run("index CORPUS --out sample --with sage");
    assert!(!made.contains("\ncode "), "{made}");
    home
}

#[test]
fn index_stats_and_doctor() {
    let home = Home::new();
    let lines = [
        "index CORPUS --out sample --with sage --set vector_search=hnsw",
        "index --add ket sample",
        "index --add noderag sample --json",
        "stats sample --set max_df_ratio=.1",
        "stats sample --json",
        "stats --method tfidf-graph --json",
        "doctor sample",
        "doctor --json --method bm25",
    ];
    golden("index", &home, &lines);
}

#[test]
fn ask_and_trace() {
    let home = with_index();
    let lines = [
        "ask sample TITAN",
        "ask sample TITAN --json",
        "ask TITAN --method bm25 --top 3",
        "ask sample FEW --seed +Saturn --seed Nobody=2 --edit mute~titan --method graph",
        "ask TITAN --method graph-hybrid --seed titan=mute --set alpha=.3 --top 2 --json",
        "trace sample TITAN --method graph --edit mute~titan --seed titan=2",
        "trace sample TITAN --method graph-hybrid --json",
        "trace TITAN --method e2graphrag",
    ];
    golden("ask", &home, &lines);
}

#[test]
fn explain() {
    let home = with_index();
    let lines = [
        "explain sample TITAN --passage saturn",
        "explain TITAN --method graph --passage hypatia --top 3",
        "explain TITAN --method graph --passage hypatia --top 3 --json",
        "explain TITAN --method bm25 --passage hypatia --than saturn",
        "explain sample TITAN --method graph --passage hypatia --top 3 --repairs --price",
        "explain sample TITAN --method bm25 --passage hypatia --top 3 --repairs --json",
    ];
    golden("explain", &home, &lines);
}

#[test]
fn eval() {
    let home = with_index();
    let lines = [
        "eval sample --method bm25,hop --by-type --losses --resamples 100 --curve curve.svg",
        "eval sample --method bm25,own=graph@alpha=.3 --losses --resamples 100 --json",
        "eval sample --method graph --losses --repairs=2 --top 5 --fail-under R@10=.999",
        "eval sample --method bm25 --losses --repairs=2 --edit mute~titan --json",
    ];
    golden("eval", &home, &lines);
}

#[test]
fn compare_and_sweep() {
    let home = with_index();
    let lines = [
        "compare sample q06 --method graph,graph@alpha=.3@steps=4",
        "compare sample q06 --method graph,graph@alpha=.3@steps=4 --json",
        "compare sample TITAN --method bm25,hop,sage --top 4",
        "sweep sample q06 --method graph --over alpha --points 5",
        "sweep sample q06 --method graph --over alpha=.1,.5 --over steps=2,3 --as tsv",
        "sweep sample FEW --method graph --over alpha --points 3",
        "sweep sample --method bm25 --over bm25_b --points 3",
        "sweep sample --method bm25 --over bm25_b --points 3 --as tsv",
        "sweep sample --method bm25 --set bm25_b=.2 --set bm25_k1=2 --subsets --measure RR",
        "sweep sample q06 --method bm25 --set bm25_b=.2 --set bm25_k1=2 --subsets --json",
    ];
    golden("compare", &home, &lines);
}

#[test]
fn labels() {
    let home = Home::new();
    let lines = [
        "labels CORPUS em.jsonl",
        "labels CORPUS em.jsonl --as qrels",
        "labels CORPUS em.jsonl --as questions",
        "labels CORPUS em.jsonl --as label-studio --out studio.json",
        "labels em.jsonl jo.jsonl --agreement",
        "labels em.jsonl jo.jsonl --agreement --json",
    ];
    golden("labels", &home, &lines);
}

#[test]
fn lists_and_help() {
    let home = Home::new();
    let lines = [
        "methods",
        "methods --json",
        "parameters",
        "parameters --json",
        "reference",
        "completions bash",
        "man",
        "--help",
        "index --help",
        "ask --help",
        "trace --help",
        "explain --help",
        "eval --help",
        "compare --help",
        "labels --help",
        "sweep --help",
        "stats --help",
        "doctor --help",
    ];
    golden("lists", &home, &lines);
}
