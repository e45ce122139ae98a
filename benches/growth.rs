//! How an index grows: what it takes to open, to ask, to move a slider and to explain, a line a size.
//!
//! ```sh
//! python3 benches/peers/million.py ../shared/data/scale/passages-25k.jsonl million.jsonl
//! for n in 10000 100000 1000000; do
//!   head -$n million.jsonl > part.jsonl
//!   hopscope index part.jsonl --out $n
//! done
//! cargo bench --bench growth -- ../shared/data/hotpotqa-dev500 10000 100000 1000000
//! ```
//!
//! The first folder has the questions. Without any the bundled sample and its own. Names of methods are
//! measured alone. The address of a database stands for the index that is published there; its set is not asked.
//! Milliseconds, p50 / p95 over forty questions; the first question, which makes what
//! later ones find in memory, stands apart. A step is one step of the slider of alpha, and for hop also of its guard; an
//! answer is what the explorer shows of a question, explained; another passage is explained where the question was asked,
//! both after the seconds that follow a first question, in which names are made known by their spellings. Then seconds for
//! the whole set, on all threads, and the memory that is no mapped file's when all of this is done, in MB.

use anyhow::Result;
use hopscope::corpus::{self, Question, ReadOptions};
use hopscope::evaluate::evaluate;
use hopscope::explorer::engine::Engine;
use hopscope::explorer::layout::View;
use hopscope::explorer::scene::{Request, Subject};
use hopscope::index::published::Published;
use hopscope::index::source::Source;
use hopscope::index::{Index, sample};
use hopscope::retrieve::{Keep, Method, Retriever, Settings, elsewhere};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

const METHODS: [&str; 4] = ["bm25", "dense", "graph-rrf", "hop"];
const QUESTIONS: usize = 40;
/// Of a parameter that every walk has, and of one behind the walk, which hop has.
const STEPS: [&str; 2] = ["alpha", "hop_guard"];

fn main() -> Result<()> {
    let args = std::env::args().skip(1).filter(|a| a != "--bench");
    let (named, folders): (Vec<String>, Vec<String>) =
        args.partition(|arg| Method::by_name(arg).is_ok());
    let methods = match named.is_empty() {
        true => METHODS.map(str::to_owned).to_vec(),
        false => named,
    };
    println!(
        "| passages | method | open | first question | question | step of alpha | of the guard | answer in the explorer | another passage | the set, s | memory |\n|---|---|---|---|---|---|---|---|---|---|---|"
    );
    let Some((corpus, folders)) = folders.split_first() else {
        let index = sample::index()?;
        let questions = index.questions().to_vec();
        return measure("-", &Arc::new(index), &questions, &methods);
    };
    let (corpus, _) = corpus::read(&[corpus.into()], &ReadOptions::default())?;
    for folder in folders {
        let (opening, index) = timed(|| opened(Path::new(folder)));
        let opening = format!("{opening:.0}");
        measure(&opening, &index?, &corpus.questions, &methods)?;
    }
    Ok(())
}

/// An index that lies here, or in a database.
fn opened(path: &Path) -> Result<Arc<Index>> {
    Ok(match Published::find(path, None, false)? {
        Some(rows) => Source::open(Box::new(rows))?,
        None => Arc::new(Index::open(path)?),
    })
}

fn measure(
    opening: &str,
    index: &Arc<Index>,
    questions: &[Question],
    methods: &[String],
) -> Result<()> {
    for name in methods {
        let method = Method::by_name(name).map_err(anyhow::Error::msg)?;
        let own = Settings::of(index, method);
        let settings = match index.source() {
            Some(source) => elsewhere::fitted(source.rows().whole(), &own)?,
            None => own,
        };
        let mut retriever = Retriever::new(index.clone());
        let mut asked = Vec::new();
        for question in questions.iter().take(QUESTIONS + 1) {
            let (ms, run) = timed(|| retriever.retrieve(&question.text, &settings, Keep::Scores));
            run?;
            asked.push(ms);
        }
        let first = asked.remove(0);
        let steps = STEPS.map(|parameter| {
            let mut steps = Vec::new();
            for question in questions.iter().take(8) {
                let mut settings = settings.clone();
                let _ = retriever.retrieve(&question.text, &settings, Keep::Scores);
                for value in ["0.3", "0.35", "0.4", "0.45"] {
                    let set = settings.set_text(&format!("{parameter}={value}"));
                    let (ms, run) =
                        timed(|| retriever.retrieve(&question.text, &settings, Keep::Scores));
                    if set.is_ok() && run.is_ok() {
                        steps.push(ms);
                    }
                }
            }
            both(steps)
        });
        drop(retriever);
        let (answers, others) = explained(index, questions, &settings)?;
        let set = match index.source() {
            Some(_) => "-".to_owned(),
            None => {
                let (took, set) = timed(|| evaluate(index, questions, &settings, |_| true));
                format!("{:.1} for {}", took / 1e3, set?.per_question.len())
            }
        };
        println!(
            "| {} | {name} | {opening} | {first:.1} | {} | {} | {answers} | {others} | {set} | {} |",
            index.len(),
            both(asked),
            steps.join(" | "),
            memory().map_or_else(|| "-".to_owned(), |mb| mb.to_string()),
        );
    }
    Ok(())
}

/// What the explorer's worker takes for a question, and for another passage of its answer.
fn explained(
    index: &Arc<Index>,
    questions: &[Question],
    settings: &Settings,
) -> Result<(String, String)> {
    let mut engine = Engine::new(index.clone());
    let (mut answers, mut others) = (Vec::new(), Vec::new());
    for (at, question) in questions.iter().enumerate().take(QUESTIONS / 2 + 1) {
        let mut ask = |subject: Subject| {
            let request = Request {
                question: question.text.clone(),
                asked: None,
                settings: settings.clone(),
                subject,
                view: View::Explore,
                browse: None,
            };
            timed(|| engine.answer(&request))
        };
        let (answer, first) = ask(Subject::default());
        let other = Subject {
            passage: first?.scene.passages.get(3).map(|row| row.passage),
            ..Subject::default()
        };
        let (another, second) = ask(other);
        second?;
        if at > 0 {
            answers.push(answer);
            others.push(another);
        } else {
            // Behind the first answer all names are spelled, on one thread: ten seconds and more at a million passages.
            std::thread::sleep(Duration::from_micros(20 * index.len() as u64));
        }
    }
    Ok((both(answers), both(others)))
}

fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let began = Instant::now();
    let made = work();
    (1e3 * began.elapsed().as_secs_f64(), made)
}

/// Memory that is no mapped file's, in MB, where the system tells.
fn memory() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("RssAnon:"))?;
    let kilobytes: usize = line.trim().trim_end_matches(" kB").parse().ok()?;
    Some(kilobytes / 1000)
}

/// The values below which half and 95 of a hundred are.
fn both(mut times: Vec<f64>) -> String {
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times.get((share * (times.len().max(1) - 1) as f64).round() as usize);
    match (at(0.5), at(0.95)) {
        (Some(half), Some(most)) => format!("{half:.1} / {most:.1}"),
        _ => "-".to_owned(),
    }
}
