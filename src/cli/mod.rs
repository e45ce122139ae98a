//! Arguments to calls. One file per command; data to stdout, messages to stderr.
//!
//! Exit codes: 0 done, 1 ran but a condition failed, 2 usage or input error, 130 interrupted.

/// Says something on standard error.
macro_rules! note {
    ($($told:tt)*) => { crate::output::say(format_args!($($told)*)) };
}

mod ask;
pub mod calls;
mod compare;
mod doctor;
mod elsewhere;
mod eval;
mod explain;
mod explore;
mod figures;
mod generate;
mod grid;
mod hits;
mod import;
mod index;
mod interrupt;
mod labels;
mod lists;
mod llm;
mod load;
mod mcp;
mod merge;
mod named;
mod patch;
mod reference;
pub mod schema;
mod serve;
mod stats;
mod sweep;
mod tune;

use crate::corpus::{Corpus, Cut, Format, ReadOptions};
use crate::errors::told;
use crate::evaluate::MEASURES;
use crate::evaluate::measures::place;
use crate::exchange::postgres;
use crate::explorer::store::{Folders, presets};
use crate::index::build::STATIC;
use crate::index::{Index, Progress};
use crate::journal::replace;
use crate::output::{self, say};
use crate::ranker::Tuned;
use crate::retrieve::{DEFAULT_METHOD, Method, MethodRef, Presets, Settings, compose};
use crate::text::Language;
use anyhow::{Context, Error, Result, anyhow, bail};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};
use std::ffi::OsString;
use std::fmt::Display;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::sync::Arc;

/// Explore graph retrieval: seeds, score flow, neighbours and passages, side by side.
///
/// Without a command, opens the explorer on INDEX, or on the bundled sample corpus. INDEX is a folder made by
/// 'hopscope index'; the folder of LightRAG, GraphRAG or another system, with its graph; postgres://HOST/DATABASE, where LightRAG or
/// DocsGPT keeps one; or a corpus: a BEIR folder, HotpotQA,
/// 2WikiMultiHopQA, MuSiQue or HippoRAG JSON, JSONL, CSV, TSV, Parquet, HTML, Markdown or plain text. What is no index of hopscope's
/// is indexed in memory.
#[derive(Debug, Parser)]
#[command(name = "hopscope", version, args_conflicts_with_subcommands = true)]
pub struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    explore: explore::ExploreArgs,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Build an index folder from a corpus.
    Index(index::IndexArgs),
    /// Join the indexes of the parts of a corpus, made by 'hopscope index --shard', into one.
    Merge(merge::MergeArgs),
    /// Copy an index into PostgreSQL, where 'ask' and 'trace' fetch what a question needs.
    Publish(elsewhere::PublishArgs),
    /// Read another system's index (LightRAG, GraphRAG ...), with a report of what was read
    Import(import::ImportArgs),
    /// Retrieve a ranked list of passages for a question.
    Ask(ask::AnswerArgs),
    /// Trace every stage of a retrieval.
    Trace(ask::TraceArgs),
    /// Explain the rank of a passage, or why it was not retrieved.
    Explain(explain::ExplainArgs),
    /// Evaluate methods on a question set.
    Eval(eval::EvalArgs),
    /// Serve six read-only debugging tools to an agent over the Model Context Protocol (a build with --features mcp).
    Mcp(mcp::McpArgs),
    /// Answer the same six calls as JSON lines on standard input and output, for other programs.
    Serve(serve::ServeArgs),
    /// Compare two to four runs of a question: ranks, settings, and which change matters.
    Compare(compare::CompareArgs),
    /// Export annotations: corrected qrels, questions, Argilla or Label Studio records; or measure agreement.
    Labels(labels::LabelsArgs),
    /// Sweep one or two parameters, or every subset of some changes, on a question or the set.
    Sweep(sweep::SweepArgs),
    /// Learn the order of hop from questions with gold or from labels, or search the parameters of a method.
    Tune(tune::TuneArgs),
    /// Describe the graph of an index: sizes, degrees, hubs, components.
    Stats(stats::StatsArgs),
    /// Check an index for faults, with the missed gold each explains.
    Doctor(doctor::DoctorArgs),
    /// List the methods.
    Methods(lists::ListArgs),
    /// List the parameters.
    Parameters(lists::ListArgs),
    /// Print the tables of methods, graphs, operators, parameters and verdicts, as Markdown.
    Reference,
    /// Print the JSON schema of an output of --json.
    Schema(schema::SchemaArgs),
    /// Print a shell completion script.
    Completions(generate::CompletionsArgs),
    /// Print the man page ('hopscope man | man -l -').
    Man,
}

/// Parts of a composition; those not named are the method's own.
#[derive(Clone, Debug, Default, Args)]
pub struct Parts {
    /// Seeds of the walk (names, bm25, dense, rrf, nearest, names+rrf ...), or a method to take them from.
    #[arg(long, value_name = "SEEDS")]
    seeds: Option<String>,
    /// Graph to walk: entity-passage, chunk-similarity, noderag ...; 'hopscope methods' lists all parts.
    #[arg(long, value_name = "GRAPH")]
    graph: Option<String>,
    /// Walk: power, push, shallow, lazy or one-hop.
    #[arg(long, value_name = "SPREAD")]
    spread: Option<String>,
    /// Passage selection: passages, fuse, rerank, bridge, pack or ranked; rerank and ranked can follow any method.
    #[arg(long, value_name = "SELECT")]
    select: Option<String>,
}

impl Parts {
    /// Whether there is any.
    fn named(&self) -> bool {
        let words = [&self.seeds, &self.graph, &self.spread, &self.select];
        words.iter().any(|word| word.is_some())
    }

    /// A method with these parts in the place of its own.
    fn over(&self, method: MethodRef) -> Result<MethodRef> {
        if !self.named() {
            return Ok(method);
        }
        let words = [&self.seeds, &self.graph, &self.spread, &self.select];
        let words = words.map(|word| word.as_deref());
        let chosen = compose::over(&method, words).map_err(Error::msg)?;
        for said in chosen.stand_ins {
            note!("hopscope: {said}");
        }
        Ok(chosen.method)
    }
}

/// The index, where one is named before the question, and the question.
fn index_and_question(words: &[OsString]) -> Result<(Option<&Path>, &str)> {
    let (path, question) = match words {
        [question] => (None, question),
        [path, question] => (Some(Path::new(path)), question),
        _ => bail!("one question, and at most one index before it"),
    };
    let question = question.to_str();
    let question = question.context("the question is not valid UTF-8")?;
    if question.trim().is_empty() {
        bail!("the question is empty");
    }
    Ok((path, question))
}

/// Values of parameters.
#[derive(Clone, Debug, Default, Args)]
pub struct Tuning {
    /// Set a parameter ('hopscope parameters' lists them). Repeatable.
    #[arg(long = "set", short, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Named settings: hotpotqa, 2wiki or your own ('hopscope methods' lists them). --set overrides them.
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,
    /// Ranker file of 'hopscope tune' for hop; the same as --set ranker=FILE.
    #[arg(long, value_name = "FILE")]
    ranker: Option<String>,
}

impl Tuning {
    /// These alone, for commands that have more than one method or none to choose.
    fn how(&self) -> How {
        let tuning = self.clone();
        How {
            tuning,
            ..How::default()
        }
    }
}

/// Method and settings, the same for every command.
#[derive(Clone, Debug, Default, Args)]
pub struct How {
    /// Method, preset or composition ('hopscope methods' lists them), with optional settings: hop@alpha=.3.
    #[arg(long, short, value_name = "METHOD[@PARAMETER=VALUE]")]
    method: Option<String>,
    #[command(flatten)]
    parts: Parts,
    #[command(flatten)]
    tuning: Tuning,
    /// Save this method and its --set values as a preset.
    #[arg(long, value_name = "NAME")]
    save_preset: Option<String>,
    /// Re-ranker for bm25-ce and rrf-ce: bert:FOLDER, a cross-encoder. Default: MaxSim.
    #[arg(long, value_name = "bert:FOLDER")]
    reranker: Option<String>,
    /// Edit a seed: NAME=mute, NAME=FACTOR, or +NAME to add one; write a passage as #ID. Repeatable.
    #[arg(long = "seed", value_name = "CHANGE")]
    seed: Vec<String>,
    #[command(flatten)]
    patch: patch::PatchArgs,
}

/// How INDEX is opened: what makes vectors, and how a corpus is read where it is one.
#[derive(Clone, Debug, Default, Args)]
pub struct Reading {
    /// Encoder: static (built in, default), bert:FOLDER, endpoint:URL?model=NAME[&key_env=VARIABLE] or none. An index
    /// remembers its own encoder, but never contacts a server unless you name it here.
    #[arg(long, value_name = "SPEC")]
    encoder: Option<String>,
    /// Corpus format: beir, hotpotqa, 2wiki, musique, hipporag, text, table, typed, given or jsonl. Default: detect.
    #[arg(long)]
    format: Option<Format>,
    /// Skip bad records and list them, instead of stopping at the first.
    #[arg(long)]
    skip_bad: bool,
    /// Language that the words and sentences of a corpus are cut by; English where no language is sure. An index keeps its own.
    #[arg(long, value_name = "CODE", default_value = "auto", value_parser = LanguageArg::parser())]
    language: LanguageArg,
    /// Column or field with the id (tables, JSONL).
    #[arg(long, value_name = "NAME")]
    id_field: Option<String>,
    /// Field or column of the title.
    #[arg(long, value_name = "NAME")]
    title_field: Option<String>,
    /// Field or column of the text.
    #[arg(long, value_name = "NAME")]
    text_field: Option<String>,
    /// Most words of a passage that text, Markdown and HTML are cut into. Default: 200.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    chunk_words: Option<u32>,
    /// Words that a passage repeats of the one before, in whole sentences; fewer than --chunk-words. Default: 0.
    #[arg(long, value_name = "N")]
    chunk_overlap: Option<u32>,
    /// Set by commands that take `--partial`.
    #[arg(skip)]
    lossy: Lossy,
}

/// Whether an answer may lack something.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct Lossy {
    /// If several databases hold the index, answer without those that cannot be reached, and report what is missing.
    #[arg(long)]
    pub partial: bool,
}

/// How INDEX is opened, and who answers for a language model.
#[derive(Clone, Debug, Default, Args)]
pub struct Opening {
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    thinking: llm::LlmArgs,
}

/// A language, or the one that a corpus is found to be in.
#[derive(Clone, Copy, Debug, Default)]
struct LanguageArg(Option<Language>);

impl LanguageArg {
    fn parser() -> impl TypedValueParser<Value = LanguageArg> {
        // Without a line for each, with which '--help' of every command would take three times the room.
        let codes = Language::ALL.map(|language| PossibleValue::new(language.code()));
        let all = std::iter::once(PossibleValue::new("auto")).chain(codes);
        PossibleValuesParser::new(all).map(|code| LanguageArg(Language::from_code(&code)))
    }
}

impl Reading {
    /// What a corpus is cut by.
    fn language(&self, corpus: &Corpus) -> Language {
        self.language.0.unwrap_or_else(|| corpus.language())
    }

    /// What makes vectors of a corpus.
    fn encoder(&self) -> String {
        self.encoder.as_deref().unwrap_or(STATIC).to_owned()
    }

    /// Opens an index folder; `whole` as in [`Index::open_with`].
    fn index(&self, folder: &Path, whole: bool, progress: &dyn Progress) -> Result<Index> {
        let index = Index::open_with(folder, self.encoder.as_deref(), whole, progress)?;
        let own = index.language();
        match self.language.0 {
            Some(asked) if asked != own => bail!(
                "{}: the words of this index are cut as {own}; to cut them as {asked}, build it again with: hopscope \
                 index CORPUS --out DIR --language {}",
                folder.display(),
                asked.code()
            ),
            _ => Ok(index),
        }
    }

    /// How texts are cut.
    fn cut(&self) -> Cut {
        let of = |said: Option<u32>, default: usize| said.map_or(default, |said| said as usize);
        let Cut { words, overlap } = Cut::default();
        Cut {
            words: of(self.chunk_words, words),
            overlap: of(self.chunk_overlap, overlap),
        }
    }

    /// The same with texts cut otherwise.
    fn cut_as(&self, cut: Cut) -> Reading {
        Reading {
            chunk_words: u32::try_from(cut.words).ok(),
            chunk_overlap: u32::try_from(cut.overlap).ok(),
            ..self.clone()
        }
    }

    fn options(&self) -> Result<ReadOptions> {
        let Cut { words, overlap } = self.cut();
        if overlap >= words {
            bail!(
                "--chunk-overlap {overlap}: a passage has at most {words} words (--chunk-words); name fewer"
            );
        }
        Ok(ReadOptions {
            format: self.format,
            skip_bad: self.skip_bad,
            id_field: self.id_field.clone(),
            title_field: self.title_field.clone(),
            text_field: self.text_field.clone(),
            cut: self.cut(),
            ..ReadOptions::default()
        })
    }
}

impl How {
    /// Whether nothing here says which method runs.
    fn leaves_method_open(&self) -> bool {
        self.method.is_none() && self.tuning.preset.is_none() && !self.parts.named()
    }

    /// The settings these arguments ask for, before an index adds what it was built with.
    fn settings(&self, method: Option<&str>) -> Result<Settings> {
        self.named(method).map(|(_, settings)| settings)
    }

    /// The same of a run in one word, `[NAME=]METHOD[@PARAMETER=VALUE]..`, where a preset may stand for the method; with
    /// what it is called.
    fn named(&self, run: Option<&str>) -> Result<(String, Settings)> {
        self.named_among(&own_presets(), run)
    }

    /// The same with the presets that may stand for a method.
    fn named_among(&self, presets: &Presets, run: Option<&str>) -> Result<(String, Settings)> {
        let run = run.or(self.method.as_deref());
        let (head, own) = match run.map(|run| run.split_once('@').unwrap_or((run, ""))) {
            Some((head, own)) => (Some(head), own),
            None => (None, ""),
        };
        let (name, method) = match head.and_then(|head| head.split_once('=')) {
            Some((name, method)) => (Some(name.trim()), Some(method.trim())),
            None => (run, head.map(str::trim)),
        };
        let by_word = method.map(Method::by_name);
        let preset = match (&self.tuning.preset, &by_word, method) {
            (None, Some(Err(_)), Some(word)) => presets.by_name(word).ok().flatten(),
            _ => None,
        };
        let by_word = by_word.filter(|_| preset.is_none());
        let preset = match &self.tuning.preset {
            _ if preset.is_some() => preset,
            Some(name) => presets.by_name(name).map_err(about("--preset"))?,
            None => None,
        };
        let method = match by_word {
            Some(method) => method.map_err(Error::msg)?,
            // A preset of one's own stands for a method too.
            None => match preset.as_ref().and_then(|preset| preset.method.as_ref()) {
                Some(method) => method.clone(),
                None => Method::by_name(DEFAULT_METHOD).map_err(Error::msg)?,
            },
        };
        let settings = Settings::new(self.parts.over(method)?);
        let mut settings = match head.is_none() && self.leaves_method_open() {
            true => settings.left_open(),
            false => settings,
        };
        settings.stand_on(preset);
        for assignment in &self.tuning.set {
            settings
                .set_text(assignment)
                .map_err(about(format_args!("--set {assignment}")))?;
        }
        if let Some(file) = &self.tuning.ranker {
            let tuned = Tuned::open(Path::new(file)).map_err(about("--ranker"))?;
            settings.tune(Arc::new(tuned));
        }
        for assignment in own.split('@').filter(|own| !own.is_empty()) {
            settings
                .set_text(assignment)
                .map_err(about(run.unwrap_or_default()))?;
        }
        for change in &self.seed {
            let edit = change
                .parse()
                .map_err(about(format_args!("--seed {change}")))?;
            settings.edit_seed(edit);
        }
        self.patch.apply(&mut settings)?;
        if let Some(name) = &self.save_preset {
            let folders =
                Folders::find().context("--save-preset: no home folder found to save it in")?;
            let (_, kept) =
                presets::save(&folders, name, &settings).map_err(about("--save-preset"))?;
            note!("preset {name} kept in {}", kept.display());
        }
        let method = settings.method();
        // A run file is called as the file is, without its folder.
        let own = match method.rankings() {
            Some(_) => &method.title,
            None => &method.name,
        };
        let name = name.filter(|name| method.rankings().is_none() || Some(*name) != run);
        Ok((name.unwrap_or(own).to_owned(), settings))
    }
}

/// The presets there are, a person's own too; what is wrong with those is said once and keeps nobody from working.
fn own_presets() -> Presets {
    static SAID: std::sync::Once = std::sync::Once::new();
    let found = Folders::find().map(|folders| presets::load(&folders));
    let (presets, notes) = found.unwrap_or_default();
    SAID.call_once(|| notes.iter().for_each(|note| note!("hopscope: {note}")));
    presets
}

/// Written past every buffer: what holds them may be what was interrupted.
fn last_words() {
    crate::explorer::terminal::restore();
    #[cfg(unix)]
    let _ = rustix::io::write(
        rustix::stdio::stderr(),
        b"hopscope: a file of the index was cut short, or its disk went away, while it was read; \
          build the index again with: hopscope index CORPUS --out DIR\n",
    );
}

/// Runs the program on these arguments, the first of which is its name, and returns its exit code.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    // Whatever is shown, kept or refused of them holds no password.
    let arguments = arguments.into_iter().map(postgres::without_password);
    let arguments: Vec<OsString> = arguments.collect();
    match Cli::try_parse_from(&arguments) {
        Ok(cli) => run(cli),
        Err(other) => without_command(&other, &arguments),
    }
}

fn run(cli: Cli) -> u8 {
    crate::mapped::when_lost(last_words);
    few_threads();
    let outcome = match cli.command {
        None => match explore::run(&cli.explore) {
            Ok(code) => return code,
            Err(error) => Err(error),
        },
        Some(Command::Index(args)) => index::run(&args),
        Some(Command::Merge(args)) => merge::run(&args),
        Some(Command::Publish(args)) => elsewhere::publish(&args),
        Some(Command::Import(args)) => import::run(&args),
        Some(Command::Ask(args)) => ask::ask(&args),
        Some(Command::Trace(args)) => ask::trace(&args),
        Some(Command::Explain(args)) => explain::run(&args),
        Some(Command::Eval(args)) => eval::run(&args),
        Some(Command::Compare(args)) => compare::run(&args),
        Some(Command::Mcp(args)) => mcp::run(&args),
        Some(Command::Serve(args)) => serve::run(&args),
        Some(Command::Labels(args)) => labels::run(&args),
        Some(Command::Sweep(args)) => sweep::run(&args),
        Some(Command::Tune(args)) => tune::run(&args),
        Some(Command::Stats(args)) => stats::run(&args),
        Some(Command::Doctor(args)) => doctor::run(&args),
        Some(Command::Methods(args)) => lists::methods(&args),
        Some(Command::Parameters(args)) => lists::parameters(&args),
        Some(Command::Reference) => reference::print(),
        Some(Command::Schema(args)) => schema::run(&args),
        Some(Command::Completions(args)) => generate::completions(&args),
        Some(Command::Man) => generate::man(),
    };
    match outcome {
        Ok(()) => 0,
        Err(error) if interrupt::interrupted() => {
            note!("hopscope: {}", told(&error));
            130
        }
        Err(error) if error.is::<ConditionFailed>() => {
            note!("hopscope: {error}");
            1
        }
        // A reader that has seen enough, as in `hopscope ... | head`, is no failure.
        Err(error) if broken_pipe(&error) => 0,
        Err(error) => {
            note!("hopscope: {}", told(&error));
            2
        }
    }
}

/// Prints what the arguments call for in the place of a command: help, the version, or what is wrong with them.
fn without_command(usage: &clap::Error, arguments: &[OsString]) -> u8 {
    // Its colours are left out where a word of the command line may have some of its own.
    let odd = |word: &OsString| word.to_string_lossy().contains(output::acts);
    let printed = match usage.use_stderr() && arguments.iter().any(odd) {
        true => {
            say(usage);
            Ok(())
        }
        false => usage.print(),
    };
    match printed {
        Err(error) if error.kind() != ErrorKind::BrokenPipe && !usage.use_stderr() => {
            note!("hopscope: standard output: {error}");
            2
        }
        _ => u8::try_from(usage.exit_code()).unwrap_or(2),
    }
}

/// Threads that are started at most: thousands take a minute to start and do no more than a few.
const THREADS: usize = 256;

/// Keeps RAYON_NUM_THREADS within bounds.
fn few_threads() {
    let asked = std::env::var("RAYON_NUM_THREADS").ok();
    let asked: usize = asked.and_then(|n| n.parse().ok()).unwrap_or(0);
    if asked > THREADS {
        note!("RAYON_NUM_THREADS={asked}: {THREADS} threads are started at most");
        let pool = rayon::ThreadPoolBuilder::new().num_threads(THREADS);
        // It fails where there is one already, which is as large as it is.
        let _ = pool.build_global();
    }
}

/// The command did its work, but a condition that was set for it does not hold: exit code 1.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ConditionFailed(String);

fn broken_pipe(error: &anyhow::Error) -> bool {
    let broken = |io: &std::io::Error| io.kind() == ErrorKind::BrokenPipe;
    error
        .chain()
        .any(|cause| cause.downcast_ref::<std::io::Error>().is_some_and(broken))
}

/// An error with the option or the file that it is of.
fn about<E: Display>(what: impl Display) -> impl FnOnce(E) -> Error {
    move |said| anyhow!("{what}: {said}")
}

/// Writes a file whole.
fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    replace(path, bytes).with_context(|| path.display().to_string())
}

/// Where the vectors of an index stay closed: that, and how to open them.
fn closed(index: &Index) -> Option<String> {
    index.closed().map(|closed| format!("hopscope: {closed}"))
}

/// That the built-in vectors do not fit the language of a corpus, where that is so.
fn vectors_misfit(language: Language, encoder: Option<&str>) -> Option<String> {
    (!language.is_english() && encoder == Some(STATIC)).then(|| {
        format!(
            "the built-in vectors are English, the texts are {language}: similarity says little; name a multilingual \
             encoder with --encoder bert:FOLDER or --encoder endpoint:URL?model=NAME"
        )
    })
}

/// The measure that a person names.
fn measure_named(name: &str) -> Result<&'static str, String> {
    Ok(MEASURES[place(name)?])
}

/// Prints a value as indented JSON.
fn print_json(value: &impl serde::Serialize) -> Result<()> {
    write_json(output::json(), value)
}

/// Writes a value as indented JSON.
fn write_json(mut out: output::Output<impl Write>, value: &impl serde::Serialize) -> Result<()> {
    let text = serde_json::to_string_pretty(value)?;
    writeln!(out, "{text}")?;
    Ok(())
}
