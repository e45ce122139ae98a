//! `hopscope eval INDEX`: methods over a set of questions.

mod condition;
mod curve;
pub(super) mod json;
mod report;
mod table;

use super::grid::Form;
use super::llm::{announce, report};
use super::load::{Aim, bar, check_runs, load_runs};
use super::patch::{PatchArgs, unapplied_graph};
use super::{ConditionFailed, How, Opening, Parts, Reading, Tuning, interrupt, say, write_file};
use crate::corpus::{self, Question};
use crate::evaluate::{
    Baseline, Comparison, Coverage, Evaluation, Held, Log, Losses, Mend, Readings, Records,
    Resampling, evaluate_with, losses, reading, write_run,
};
use crate::index::Index;
use crate::index::store::Manifest;
use crate::journal::since_1970;
use crate::layers::GraphEdited;
use crate::output;
use crate::parameters::RESULT_K;
use crate::retrieve::{DEPTH, Retriever, Settings};
use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use condition::Condition;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Debug, Args)]
pub struct EvalArgs {
    /// An index folder or a corpus (default: the sample).
    index: Option<PathBuf>,
    /// Question file to use instead of the index's own set.
    #[arg(long, value_name = "FILE")]
    questions: Option<PathBuf>,
    /// Qrels file that replaces the questions' own gold.
    #[arg(long, value_name = "FILE")]
    qrels: Option<PathBuf>,
    /// Comma-separated methods, presets or compositions, each with optional settings: hop,hop@alpha=.3@steps=4. Each is
    /// tested against the first.
    #[arg(
        long,
        short,
        value_delimiter = ',',
        value_name = "[NAME=]METHOD[@PARAMETER=VALUE]"
    )]
    method: Vec<String>,
    #[command(flatten)]
    parts: Parts,
    #[command(flatten)]
    tuning: Tuning,
    /// Re-ranker for bm25-ce and rrf-ce: bert:FOLDER, a cross-encoder. Default: MaxSim.
    #[arg(long, value_name = "bert:FOLDER")]
    reranker: Option<String>,
    #[command(flatten)]
    patch: PatchArgs,
    /// Passages returned per question.
    #[arg(long, short = 'k', value_name = "K")]
    top: Option<usize>,
    #[command(flatten)]
    opening: Opening,
    /// Append each question's result to this file as it finishes; results already there for this index and these settings
    /// are reused, so an interrupted run resumes.
    #[arg(long, value_name = "FILE.jsonl")]
    log: Option<PathBuf>,
    /// Write a TREC run file; with several methods, one file each, with the method in its name.
    #[arg(long, value_name = "FILE")]
    run: Option<PathBuf>,
    /// Break measures down by question type and gold count, and recall by entity linking.
    #[arg(long)]
    by_type: bool,
    /// Let the --llm model answer each question from each method's context; report exact match and F1.
    #[arg(long)]
    answer: bool,
    /// Plot answer recall against context tokens, one line per method.
    #[arg(long, value_name = "FILE.svg")]
    curve: Option<PathBuf>,
    /// Count the verdicts on missed gold.
    #[arg(long)]
    losses: bool,
    /// Count how much missed gold a single change repairs. COUNT samples that many per method (see --seed); all if omitted.
    #[arg(long, value_name = "COUNT", requires = "losses", num_args = 0..=1, require_equals = true)]
    repairs: Option<Option<usize>>,
    /// Exit with code 1 if a measure falls below VALUE, for any method or the one named. Repeatable.
    #[arg(long, value_name = "[METHOD:]MEASURE=VALUE")]
    fail_under: Vec<Condition>,
    /// Resamples for the paired bootstrap and the randomisation test.
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(100..=1_000_000))]
    resamples: u32,
    /// Hold each run against its own in this file, and exit with code 1 if a measure fell beyond its interval. A file that does
    /// not exist is written; delete it to start again.
    #[arg(long, value_name = "FILE.jsonl")]
    baseline: Option<PathBuf>,
    /// Write a report for a pull request to this file: tables, causes of missed gold, the worst questions.
    #[arg(long, value_name = "FILE.md")]
    report: Option<PathBuf>,
    /// Write each question with what was retrieved as others read it: samples for ragas, test cases for deepeval, or spans of
    /// openinference for Phoenix. With several methods, one file each. Repeatable.
    #[arg(long, value_name = "ragas|deepeval|openinference:FILE", value_parser = wanted)]
    records: Vec<(Records, PathBuf)>,
    /// Random seed for resampling and for --repairs=COUNT.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Output format; a table has one row per method and measure, with interval and p against the first method.
    #[arg(long = "as", value_enum, value_name = "FORM", default_value_t = Form::Text)]
    form: Form,
    /// The same as --as json, with a row per question.
    #[arg(long, conflicts_with = "form")]
    json: bool,
}

/// Where answers are wanted and there are none.
const NO_ANSWERS: &str = "no question has an accepted answer; pass --questions FILE with answers";

pub fn run(args: &EvalArgs) -> Result<()> {
    let how = How {
        parts: args.parts.clone(),
        reranker: args.reranker.clone(),
        patch: args.patch.clone(),
        ..args.tuning.how()
    };
    if args.answer {
        args.opening.thinking.required("--answer")?;
    }
    let path = args.index.as_deref();
    let (index, names, all) = load_runs(
        path,
        &args.method,
        &how,
        args.top,
        &args.opening,
        Aim::Whole,
    )?;
    let edited = edited(&index, &all)?;
    let files = [&args.questions, &args.qrels].map(|file| file.as_deref());
    let questions = asked(&index, files, &args.opening.reading)?;
    if questions.is_empty() {
        let path = path.unwrap_or(Path::new("sample")).display();
        bail!("{path}: the index has no questions; pass --questions FILE [--qrels FILE]");
    }
    check_runs(&index, &questions, &all)?;
    for method in args.fail_under.iter().filter_map(Condition::method) {
        if !names.iter().any(|name| name == method) {
            bail!("--fail-under: '{method}' is none of the methods of this evaluation");
        }
    }
    let log = args.log.as_deref().map(|file| log(file, path));
    let log = log.transpose()?;
    let known = log.iter().flat_map(|log| {
        let known = |settings| log.known(&index, settings, &questions);
        all.iter().map(known)
    });
    let known: usize = known.sum();
    if known > 0 {
        let all = all.len() * questions.len();
        note!("{known} of {all} outcomes are in the log");
    }
    interrupt::watch();
    let bar = bar(names.len() * questions.len());
    let mut evaluations = Vec::new();
    for (at, (name, settings)) in names.iter().zip(&all).enumerate() {
        let go_on = |done| {
            bar.set_position((at * questions.len() + done) as u64);
            !interrupt::interrupted()
        };
        let made = evaluate_with(&index, &questions, settings, log.as_ref(), go_on);
        if interrupt::interrupted() || made.is_err() {
            bar.finish_and_clear();
        }
        let mut evaluation = made?;
        evaluation.name.clone_from(name);
        if interrupt::interrupted() {
            let done = evaluation.per_question.len();
            let kept = match &args.log {
                Some(path) => format!("; the log has them: --log {} goes on there", path.display()),
                None => String::new(),
            };
            let all = questions.len();
            bail!("interrupted after {done} of {all} questions of {name}{kept}");
        }
        evaluations.push(evaluation);
    }
    bar.finish_and_clear();
    let readings = match args.answer {
        true => readings(&index, &questions, &names, &all),
        false => Ok(Vec::new()),
    };
    report(&index.llm());
    let readings = readings?;
    if let Some(path) = &args.run {
        for evaluation in &evaluations {
            let path = run_path(path, evaluation, evaluations.len());
            let mut run = Vec::new();
            let depth = evaluation.settings.get(RESULT_K).max(DEPTH);
            write_run(&mut run, &index, &questions, evaluation, depth)?;
            write_file(&path, &run)?;
            note!("wrote {}", path.display());
        }
    }
    for (records, path) in &args.records {
        for (at, evaluation) in evaluations.iter().enumerate() {
            let path = run_path(path, evaluation, evaluations.len());
            let text = records.write(
                &index,
                &questions,
                evaluation,
                readings.get(at),
                since_1970(),
            )?;
            write_file(&path, text.as_bytes())?;
            note!("wrote {}", path.display());
        }
    }
    let mut lost = Vec::new();
    for (name, settings) in names
        .iter()
        .zip(&all)
        .filter(|_| args.losses || args.report.is_some())
    {
        let go_on = |_| !interrupt::interrupted();
        let mend = args.repairs.map(|most| Mend {
            most: most.unwrap_or(usize::MAX),
            seed: args.seed,
        });
        let mut own = losses(&index, &questions, settings, mend, go_on)?;
        own.method.clone_from(name);
        lost.push(own);
        if interrupt::interrupted() {
            bail!("interrupted while explaining missed gold");
        }
    }
    let judged = evaluations.first().map_or(0, |e| e.judged);
    if judged == 0 && !args.fail_under.is_empty() {
        bail!("--fail-under: no question has gold");
    }
    let baseline = args.baseline.as_deref();
    if judged == 0 && baseline.is_some() {
        bail!("--baseline: no question has gold");
    }
    let held = baseline.map(|path| held(path, args.resampling(), &index, &questions, &evaluations));
    let held = held.transpose()?.unwrap_or_default();
    let conditions = args.fail_under.iter();
    let misses = conditions.flat_map(|condition| condition.misses(&evaluations));
    let fell = held.iter().filter(|held| !held.fell.is_empty());
    let fell = fell.map(|held| {
        let measures: Vec<&str> = held.fell.iter().map(|fall| fall.measure).collect();
        let (run, measures) = (&held.comparison.b, measures.join(", "));
        format!("{run}: below the baseline beyond the interval: {measures}")
    });
    let misses: Vec<String> = misses.chain(fell).collect();
    let silent = |read: &Readings| read.unanswered == read.per_question.len();
    let silent = !readings.is_empty() && readings.iter().all(silent);
    let evaluated = Evaluated {
        args,
        index: &index,
        questions: &questions,
        evaluations,
        readings,
        lost,
        held,
        edited,
    };
    // Misses are reported also when nobody reads the output to its end.
    let printed = evaluated.print();
    if silent {
        printed?;
        let said = "--answer: the model answered no question; see the errors above";
        return Err(ConditionFailed(said.to_owned()).into());
    }
    if misses.is_empty() {
        return printed;
    }
    Err(ConditionFailed(misses.join("; ")).into())
}

/// What an evaluation came to, method by method.
struct Evaluated<'a> {
    args: &'a EvalArgs,
    index: &'a Index,
    questions: &'a [Question],
    evaluations: Vec<Evaluation>,
    /// What a model answered; empty where none was asked.
    readings: Vec<Readings>,
    /// Why gold is lost; empty where that was not asked.
    lost: Vec<Losses>,
    /// Each run held against the baseline; empty where there is none.
    held: Vec<Held>,
    /// What became of the changes of the graph.
    edited: Vec<Vec<GraphEdited>>,
}

impl Evaluated<'_> {
    fn print(&self) -> Result<()> {
        let evaluations = &self.evaluations[..];
        if let Some(path) = &self.args.curve {
            let Some(picture) = curve::picture(self.index.name(), evaluations) else {
                bail!("--curve: {NO_ANSWERS}");
            };
            write_file(path, picture.as_bytes())?;
        }
        let mut comparisons: Vec<Comparison> =
            (1..evaluations.len()).map(|at| self.compared(at)).collect();
        Comparison::correct(&mut comparisons);
        if let Some(path) = &self.args.report {
            write_file(path, report::markdown(self, &comparisons).as_bytes())?;
            note!("wrote {}", path.display());
        }
        if self.args.json || self.args.form == Form::Json {
            return super::print_json(&json::Whole::of(self, &comparisons));
        }
        if self.args.form != Form::Text {
            table::long(evaluations, &comparisons).print(self.args.form)?;
            return Ok(());
        }
        let mut out = output::text();
        table::measures(&mut out, self.index, self.questions, evaluations)?;
        table::confidences(&mut out, evaluations, self.args.resampling())?;
        table::readings(&mut out, &self.readings)?;
        table::comparisons(&mut out, &comparisons)?;
        table::held(&mut out, &self.held)?;
        table::survival(&mut out, evaluations)?;
        if self.args.losses {
            table::losses(&mut out, &self.lost)?;
        }
        if self.args.by_type {
            let coverage = |e: &Evaluation| self.coverage(e);
            table::breakdown(&mut out, self.questions, evaluations, &coverage)?;
        }
        Ok(())
    }

    /// A later method against the first.
    fn compared(&self, at: usize) -> Comparison {
        let [first, later] = [0, at].map(|at| &self.evaluations[at]);
        let compared = Comparison::new(first, later, self.args.resampling());
        match (self.readings.first(), self.readings.get(at)) {
            (Some(first), Some(later)) => compared.with_answers(first, later),
            _ => compared,
        }
    }

    /// A method without names of its own takes those of the first that has some: they tell which questions are hard.
    fn coverage(&self, e: &Evaluation) -> Option<Coverage> {
        let mut named = std::iter::once(e).chain(&self.evaluations);
        named.find_map(|named| Coverage::of(named, e))
    }
}

impl EvalArgs {
    fn resampling(&self) -> Resampling {
        Resampling {
            seed: self.seed,
            resamples: self.resamples as usize,
        }
    }
}

/// Who is to read records, and where they go.
fn wanted(text: &str) -> Result<(Records, PathBuf), String> {
    let (name, path) = text.split_once(':').unwrap_or((text, ""));
    let records = Records::ALL.into_iter().find(|r| r.name() == name);
    match records {
        Some(records) if !path.is_empty() => Ok((records, path.into())),
        Some(_) => Err(format!("write {name}:FILE")),
        None => {
            let names = Records::ALL.map(Records::name).join(", ");
            Err(format!("no records '{name}'; there are {names}"))
        }
    }
}

/// Holds evaluations against a file, or writes it where there is none.
fn held(
    path: &Path,
    resampling: Resampling,
    index: &Index,
    questions: &[Question],
    evaluations: &[Evaluation],
) -> Result<Vec<Held>> {
    let shown = path.display();
    if !path.exists() {
        let kept = Baseline::of(index, questions, evaluations);
        write_file(path, kept.lines().as_bytes())?;
        note!("wrote {shown}; the next evaluation is held against it");
        return Ok(Vec::new());
    }
    let text = std::fs::read_to_string(path).with_context(|| shown.to_string())?;
    let baseline = Baseline::read(&text);
    let baseline = baseline.map_err(|(line, error)| anyhow!("{shown}:{line}: {error}"))?;
    let held = baseline.hold(index, questions, evaluations, resampling);
    held.map_err(|run| {
        let runs = baseline.runs().join(", ");
        anyhow!("{shown}: no run '{run}'; it has {runs}. Delete the file to start again")
    })
}

/// Opens the log of evaluations of an index.
fn log(path: &Path, index: Option<&Path>) -> Result<Log> {
    let index = index.context("--log: name an index before; the bundled sample is none")?;
    if !Index::is_index(index) {
        bail!(
            "--log: {} is a corpus, which may be another the next time; keep an index of it with: hopscope index {0} --out DIR",
            index.display()
        );
    }
    let log = Log::open(path, &Manifest::read(index)?.checksum);
    let log = log.with_context(|| path.display().to_string())?;
    if log.broken() > 0 {
        note!(
            "{}: {} lines were cut short; their questions are asked again",
            path.display(),
            log.broken()
        );
    }
    Ok(log)
}

/// What the model answers from what each method found.
fn readings(
    index: &Arc<Index>,
    questions: &[Question],
    names: &[String],
    all: &[Settings],
) -> Result<Vec<Readings>> {
    if questions.iter().all(|question| question.answers.is_empty()) {
        bail!("--answer: {NO_ANSWERS}");
    }
    // A set of questions asks much, so it is said before.
    index.llm().announce_to(announce());
    let mut all_read = Vec::new();
    for (name, settings) in names.iter().zip(all) {
        let go_on = || !interrupt::interrupted();
        let Some(mut read) = reading::read(index, questions, settings, &index.llm(), go_on)? else {
            bail!("interrupted while the model answers; what it answered is kept");
        };
        read.name.clone_from(name);
        all_read.push(read);
    }
    Ok(all_read)
}

/// What became of the changes of the graph under each method; what changes nothing is said.
fn edited(index: &Arc<Index>, all: &[Settings]) -> Result<Vec<Vec<GraphEdited>>> {
    let mut retriever = Retriever::new(index.clone());
    let mut told = Vec::new();
    for settings in all {
        let edits = retriever.graph_edits(settings)?;
        unapplied_graph(settings.method(), &edits);
        told.push(edits);
    }
    Ok(told)
}

/// The questions of an index, or those of a file, with the gold of another.
pub fn asked(
    index: &Index,
    [questions, gold]: [Option<&Path>; 2],
    reading: &Reading,
) -> Result<Vec<Question>> {
    let options = reading.options()?;
    let (questions, report) = match (questions, gold) {
        (None, None) => return Ok(index.questions().to_vec()),
        (None, Some(gold)) => {
            corpus::read_gold(gold, index.questions(), &index.lookup(), &options)?
        }
        (Some(path), gold) => corpus::read_questions(path, gold, &index.lookup(), &options)?,
    };
    if !report.is_clean() {
        say(report);
    }
    Ok(questions)
}

fn run_path(path: &Path, evaluation: &Evaluation, count: usize) -> PathBuf {
    if count < 2 {
        return path.to_owned();
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let ending = path
        .extension()
        .map_or("run".into(), |e| e.to_string_lossy());
    path.with_file_name(format!("{stem}.{}.{ending}", evaluation.name))
}
