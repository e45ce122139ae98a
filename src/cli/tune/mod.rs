//! `hopscope tune INDEX`: learns the order of hop or of a method that ends in the same step, or searches the parameters of
//! any method with `--parameters`, from questions with gold or from labels, and says how good that is on questions that were
//! not used for it.

pub(super) mod confidence;
pub(super) mod parameters;
pub(super) mod ranker;

use super::eval::asked;
use super::load::bar;
use super::named::Named;
use super::{Reading, Tuning, interrupt, measure_named};
use crate::corpus::Question;
use crate::evaluate::labels::corrected;
use crate::evaluate::learn::{FEWEST, Taught};
use crate::evaluate::{Difference, MEASURES};
use crate::index::Index;
use crate::retrieve::Settings;
use crate::text::plural;
use anyhow::{Error, Result, anyhow, bail};
use clap::Args;
use indicatif::ProgressBar;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Debug, Args)]
pub struct TuneArgs {
    /// Index folder or corpus. With several, each is held out in turn and a ranker is learned from all; those with one
    /// FAMILY are held out together.
    #[arg(required = true, value_name = "[FAMILY=]INDEX")]
    index: Vec<String>,
    /// Write the ranker to this file.
    #[arg(long, value_name = "FILE", conflicts_with = "parameters")]
    out: Option<PathBuf>,
    /// Question file to use instead of the index's own set.
    #[arg(long, value_name = "FILE")]
    questions: Option<PathBuf>,
    /// Qrels file that replaces the questions' own gold.
    #[arg(long, value_name = "FILE")]
    qrels: Option<PathBuf>,
    /// Label file of the explorer: its grades and its added and removed gold count.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["questions", "qrels"])]
    labels: Option<PathBuf>,
    #[command(flatten)]
    tuning: Tuning,
    #[command(flatten)]
    reading: Reading,
    /// With several indexes: average rankers of so many random seeds.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=10))]
    seeds: u64,
    /// Learn how probably the first five passages hold the answer, from several families without the gold of half of their
    /// questions; the ranker of the settings is written with it.
    #[arg(long, conflicts_with_all = ["parameters", "method", "questions", "qrels", "labels"])]
    confidence: bool,
    /// Print the report as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    search: SearchArgs,
}

/// A search over parameters.
#[derive(Debug, Args)]
pub struct SearchArgs {
    /// Search the parameters of a method instead, and report the best setting with its gain on questions it was not
    /// searched on.
    #[arg(long)]
    parameters: bool,
    /// Method that ends in the learned order: hop (default) or 'graph-rrf > ranked'. With --parameters the method, preset or
    /// composition to search, with its start: hop@alpha=.3.
    #[arg(long, short, value_name = "METHOD[@PARAMETER=VALUE]")]
    method: Option<String>,
    /// Search only these parameters. Default: all that act, except those that read the passages again, trade exactness for
    /// time, or say how much is returned.
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "NAME,..",
        requires = "parameters"
    )]
    only: Vec<String>,
    /// Measure to improve: R@2, R@5, R@10, R@20, Success@10, RR, nDCG@10, MAP or All@5.
    #[arg(long, default_value = "R@5", value_parser = measure_named, requires = "parameters")]
    measure: &'static str,
    /// Settings drawn, and as many beside the best of them. The work grows with it.
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=2000), requires = "parameters")]
    tries: u16,
    /// Random seed of the draws, the folds and the intervals.
    #[arg(long, value_name = "N", default_value_t = 1, requires = "parameters")]
    seed: u64,
    /// Save the best setting as a preset, if it is better beyond its interval.
    #[arg(long, value_name = "NAME", requires = "parameters")]
    save: Option<String>,
    /// Save it even where the gain may be chance.
    #[arg(long, requires = "save")]
    anyway: bool,
}

pub fn run(args: &TuneArgs) -> Result<()> {
    interrupt::watch();
    match (args.search.parameters, args.confidence) {
        (true, _) => parameters::run(args),
        (false, true) => confidence::run(args),
        (false, false) => ranker::run(args),
    }
}

fn questions(args: &TuneArgs, index: &Arc<Index>) -> Result<Vec<Question>> {
    match &args.labels {
        Some(file) => Ok(corrected(index, &super::labels::read(file)?).questions),
        None => {
            let files = [&args.questions, &args.qrels].map(|file| file.as_deref());
            asked(index, files, &args.reading)
        }
    }
}

/// That there are not enough questions with gold.
fn few(path: &Path, count: usize) -> Error {
    anyhow!(
        "{}: {} with gold; {FEWEST} are the fewest to learn from. Label passages in the explorer (view 6), or pass --qrels FILE",
        path.display(),
        plural(count, "question")
    )
}

/// The family that a set is said to be of, else its folder, and where it is: `FAMILY=INDEX`.
fn family(word: &str) -> (String, &Path) {
    match word.split_once('=').filter(|_| !Path::new(word).exists()) {
        Some((family, path)) => (family.to_owned(), Path::new(path)),
        None => (name(Path::new(word)), Path::new(word)),
    }
}

/// What a set is called: as its folder.
fn name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

/// The candidates of every question with gold.
fn candidates(
    path: &Path,
    (index, questions): (&Arc<Index>, &[Question]),
    settings: &Settings,
) -> Result<Taught> {
    let bar = bar(questions.len());
    let progress = |done| {
        bar.set_position(done as u64);
        !interrupt::interrupted()
    };
    let set = Taught::of(name(path), index, questions, settings, progress);
    bar.finish_and_clear();
    let set = set?;
    stopped()?;
    match set.questions.len() {
        count if count < FEWEST => Err(few(path, count)),
        _ => Ok(set),
    }
}

fn stopped() -> Result<()> {
    match interrupt::interrupted() {
        true => bail!("interrupted; nothing was written"),
        false => Ok(()),
    }
}

/// A bar of what is done, which ctrl-C stops.
fn watched(bar: &ProgressBar) -> impl Fn(f64) -> bool + Sync + '_ {
    |done| {
        bar.set_position((1000.0 * done) as u64);
        !interrupt::interrupted()
    }
}

/// Differences by the names of the measures.
fn by_name(differences: &[Difference]) -> Named<&Difference> {
    MEASURES.into_iter().zip(differences).collect()
}
