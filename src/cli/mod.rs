//! Arguments to calls. One file per command; data to stdout, messages to stderr.
//!
//! Exit codes: 0 done, 1 ran but a condition failed, 2 usage or input error, 130 interrupted.

mod ask;
mod eval;
mod explore;
mod index;
mod interrupt;
mod lists;
mod load;
mod stats;
mod thinking;

use crate::corpus::{Format, ReadOptions};
use crate::retrieve::{Method, Settings};
use anyhow::{Context, Result, anyhow};
use clap::{Args, Parser, Subcommand};
use std::process::ExitCode;

/// Explore graph retrieval: seeds, score flow, neighbours and passages, side by side.
///
/// Without a command, opens the explorer on INDEX, or on the bundled sample corpus. INDEX is a folder made by
/// 'hopscope index', or a corpus: a BEIR folder, HotpotQA, 2WikiMultiHopQA, MuSiQue or HippoRAG JSON, JSONL, CSV, TSV,
/// Markdown or plain text, which is then indexed in memory.
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
    /// Answer one question with a ranked list of passages.
    Ask(ask::AskArgs),
    /// Show every stage of one retrieval with its quantities.
    Trace(ask::AskArgs),
    /// Measure methods over a set of questions.
    Eval(eval::EvalArgs),
    /// Describe the graph of an index: sizes, degrees, hubs, components.
    Stats(stats::StatsArgs),
    /// List the methods.
    Methods(lists::ListArgs),
    /// List the parameters.
    Parameters(lists::ListArgs),
}

/// Method and settings, the same for every command.
#[derive(Clone, Debug, Args)]
pub struct How {
    /// Retrieval method; 'hopscope methods' lists them.
    #[arg(long, short)]
    method: Option<String>,
    /// Set a parameter; 'hopscope parameters' lists them. May be repeated.
    #[arg(long = "set", short, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Settings of a paper for a data set: hotpotqa or 2wiki; 'hopscope methods' lists them. --set goes before.
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,
    /// What bm25-ce and rrf-ce score candidates again with: bert:FOLDER, a cross-encoder. MaxSim without it.
    #[arg(long, value_name = "bert:FOLDER")]
    reranker: Option<String>,
    /// Change a seed: NAME=mute, NAME=FACTOR, or +NAME to add one; a passage is #ID. May be repeated.
    #[arg(long = "seed", value_name = "CHANGE")]
    seed: Vec<String>,
}

/// How a corpus is read, where INDEX is one.
#[derive(Clone, Debug, Args)]
pub struct Reading {
    /// Corpus format: beir, hotpotqa, 2wiki, musique, hipporag, text, table or jsonl. Detected without it.
    #[arg(long)]
    format: Option<Format>,
    /// Leave bad records out, and count and list them, instead of stopping at the first.
    #[arg(long)]
    skip_bad: bool,
    /// Field or column of the identifier, in tables and JSONL.
    #[arg(long, value_name = "NAME")]
    id_field: Option<String>,
    /// Field or column of the title.
    #[arg(long, value_name = "NAME")]
    title_field: Option<String>,
    /// Field or column of the text.
    #[arg(long, value_name = "NAME")]
    text_field: Option<String>,
}

impl Reading {
    fn options(&self) -> ReadOptions {
        ReadOptions {
            format: self.format,
            skip_bad: self.skip_bad,
            id_field: self.id_field.clone(),
            title_field: self.title_field.clone(),
            text_field: self.text_field.clone(),
            ..ReadOptions::default()
        }
    }
}

impl How {
    /// The settings these arguments ask for, before an index adds what it was built with.
    fn settings(&self, method: Option<&str>) -> Result<Settings> {
        let name = method
            .or(self.method.as_deref())
            .unwrap_or(crate::retrieve::DEFAULT_METHOD);
        let method = Method::by_name(name).map_err(|said| anyhow!("{said}"))?;
        let mut settings = Settings::new(method);
        if let Some(name) = &self.preset {
            settings
                .apply_preset(name)
                .map_err(|said| anyhow!("--preset: {said}"))?;
        }
        for assignment in &self.set {
            settings
                .set_text(assignment)
                .map_err(|said| anyhow!("--set {assignment}: {said}"))?;
        }
        for change in &self.seed {
            let edit = change
                .parse()
                .map_err(|said| anyhow!("--seed {change}: {said}"))?;
            settings.edit_seed(edit);
        }
        Ok(settings)
    }
}

/// Runs the program on these arguments and says how it ended.
pub fn main(cli: Cli) -> ExitCode {
    let outcome = match cli.command {
        None => match explore::run(&cli.explore) {
            Ok(code) => return ExitCode::from(code),
            Err(error) => Err(error),
        },
        Some(Command::Index(args)) => index::run(&args),
        Some(Command::Ask(args)) => ask::ask(&args),
        Some(Command::Trace(args)) => ask::trace(&args),
        Some(Command::Eval(args)) => eval::run(&args),
        Some(Command::Stats(args)) => stats::run(&args),
        Some(Command::Methods(args)) => lists::methods(&args),
        Some(Command::Parameters(args)) => lists::parameters(&args),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if interrupt::interrupted() => {
            eprintln!("hopscope: {error:#}");
            ExitCode::from(130)
        }
        Err(error) if error.is::<ConditionFailed>() => {
            eprintln!("hopscope: {error}");
            ExitCode::from(1)
        }
        // A reader that has seen enough, as in `hopscope ... | head`, is no failure.
        Err(error) if broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("hopscope: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// The command did its work, but a condition that was set for it does not hold: exit code 1.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ConditionFailed(String);

fn broken_pipe(error: &anyhow::Error) -> bool {
    let broken = |io: &std::io::Error| io.kind() == std::io::ErrorKind::BrokenPipe;
    error
        .chain()
        .any(|cause| cause.downcast_ref::<std::io::Error>().is_some_and(broken))
        || error
            .downcast_ref::<serde_json::Error>()
            .is_some_and(|e| e.io_error_kind() == Some(std::io::ErrorKind::BrokenPipe))
}

/// Prints a value as indented JSON.
fn print_json(value: &impl serde::Serialize) -> Result<()> {
    use std::io::Write;
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    serde_json::to_writer_pretty(&mut out, value)?;
    writeln!(out)?;
    out.flush().context("standard output")
}
