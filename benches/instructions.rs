//! Instructions of one question, a figure that other work on the machine does not move: plain retrieval, and retrieval
//! with everything the explorer shows of it.
//!
//! ```sh
//! cargo bench --bench instructions -- table
//! ```
//!
//! prints a table, counted by `valgrind --tool=callgrind`, which has to be installed. What one line does can be looked into
//! by itself; ROUNDS is how often the questions are asked:
//!
//! ```sh
//! instructions prepare DIR
//! valgrind --tool=callgrind instructions ask DIR METHOD ROUNDS
//! perf stat -e instructions:u instructions explain DIR METHOD ROUNDS
//! ```
//!
//! The table counts two runs, of one round and of two: the difference is one round over an index that is open, with the
//! graph of the method in memory.

use anyhow::{Context, Result, bail};
use hopscope::explorer::engine::Engine;
use hopscope::explorer::layout::View;
use hopscope::explorer::scene::{Request, Subject};
use hopscope::index::{BuildOptions, Index, Silent, sample};
use hopscope::layers::{build_layers, layers_named};
use hopscope::retrieve::{DEFAULT_METHOD, Keep, Method, Retriever, Settings};
use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

const METHODS: [&str; 5] = [
    "hop",
    "graph-rrf",
    "noderag",
    "ket-rag-p",
    "names+nearest > noderag > shallow > passages",
];
const LAYERS: [&str; 3] = ["hop", "ket", "noderag"];
/// One of so many questions of the sample is asked.
const EVERY: usize = 4;

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    // Cargo adds a word of its own.
    let args: Vec<&str> = args
        .iter()
        .map(String::as_str)
        .filter(|arg| *arg != "--bench")
        .collect();
    match args[..] {
        ["prepare", folder] => prepare(Path::new(folder)),
        ["ask", folder, method, rounds] => ask(Path::new(folder), method, rounds.parse()?),
        ["explain", folder, method, rounds] => explain(Path::new(folder), method, rounds.parse()?),
        ["table"] => table(),
        // As `cargo bench` runs it with all others: counting takes minutes.
        _ => {
            eprintln!(
                "instructions table | prepare DIR | ask DIR METHOD ROUNDS | explain DIR METHOD ROUNDS"
            );
            Ok(())
        }
    }
}

/// The sample with the layers of the methods, as a folder: what is counted opens it and builds nothing.
fn prepare(folder: &Path) -> Result<()> {
    let names = LAYERS.map(str::to_owned);
    let kinds = layers_named(&names, hopscope::layers::LAYERS).map_err(anyhow::Error::msg)?;
    let complete = |index: &Index| {
        build_layers(
            index,
            &kinds,
            settings(index, DEFAULT_METHOD).all(),
            &Silent,
        )
        .map(|_| ())
    };
    let corpus = sample::corpus()?;
    Index::create_with(corpus, &BuildOptions::default(), folder, &Silent, &complete)?;
    Ok(())
}

fn settings(index: &Index, method: &str) -> Settings {
    let method = Method::by_name(method).unwrap_or_else(|said| panic!("{said}"));
    Settings::of(index, method)
}

fn ask(folder: &Path, method: &str, rounds: usize) -> Result<()> {
    let index = Arc::new(Index::open(folder)?);
    let settings = settings(&index, method);
    let mut retriever = Retriever::new(index.clone());
    for _ in 0..rounds {
        for question in index.questions().iter().step_by(EVERY) {
            black_box(retriever.retrieve(&question.text, &settings, Keep::Scores)?);
        }
    }
    Ok(())
}

fn explain(folder: &Path, method: &str, rounds: usize) -> Result<()> {
    let index = Arc::new(Index::open(folder)?);
    let settings = settings(&index, method);
    let mut engine = Engine::new(index.clone());
    for _ in 0..rounds {
        for (asked, question) in index.questions().iter().enumerate().step_by(EVERY) {
            black_box(engine.answer(&Request {
                question: question.text.clone(),
                asked: Some(asked),
                settings: settings.clone(),
                subject: Subject::default(),
                view: View::default(),
                browse: None,
            })?);
        }
    }
    Ok(())
}

/// A line a method: millions of instructions of one question, asked and explained.
fn table() -> Result<()> {
    let home = tempfile::tempdir()?;
    let folder = home.path().join("index");
    prepare(&folder)?;
    let questions = Index::open(&folder)?.questions().len().div_ceil(EVERY);
    println!("| method | ask | ask and explain |\n|---|---|---|");
    for method in METHODS {
        let mut cells = Vec::new();
        for kind in ["ask", "explain"] {
            let [one, two] = [1, 2].map(|rounds| count(kind, &folder, method, rounds));
            let each = (two? - one?) as f64 / questions as f64;
            cells.push(format!("{:.2} M", each / 1e6));
        }
        println!("| `{method}` | {} |", cells.join(" | "));
    }
    Ok(())
}

/// Instructions of one run of this program, which callgrind says when it ends.
fn count(kind: &str, folder: &Path, method: &str, rounds: usize) -> Result<i64> {
    let run = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(std::env::current_exe()?)
        .arg(kind)
        .arg(folder)
        .args([method, &rounds.to_string()])
        // Threads that wait for work count as well, and not the same each time.
        .env("RAYON_NUM_THREADS", "1")
        .output()
        .context("valgrind is not installed")?;
    let said = String::from_utf8_lossy(&run.stderr);
    let counted = said.lines().find_map(|line| line.split_once("Collected :"));
    match counted {
        Some((_, number)) if run.status.success() => Ok(number.trim().parse()?),
        _ => bail!("{kind} {method}: {said}"),
    }
}
