//! `hopscope index PATH... --out DIR`

use super::load::Bars;
use super::{Reading, interrupt};
use crate::corpus;
use crate::index::build::STATIC;
use crate::index::{BuildOptions, Index};
use crate::retrieve::Settings;
use crate::retrieve::methods::{DEFAULT_METHOD, Method};
use crate::retrieve::view::entity_options;
use anyhow::{Result, anyhow};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;
use std::time::Instant;

#[derive(Debug, Args)]
pub struct IndexArgs {
    /// Corpus files or folders.
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// The index folder to write; an older index there is replaced.
    #[arg(long, short)]
    out: PathBuf,
    #[command(flatten)]
    reading: Reading,
    /// A questions file to keep with the index, when the corpus has none beside it.
    #[arg(long)]
    questions: Option<PathBuf>,
    /// A qrels file for those questions.
    #[arg(long)]
    qrels: Option<PathBuf>,
    /// What makes vectors: static (built in), bert:FOLDER, endpoint:URL, or none.
    #[arg(long, default_value = STATIC)]
    encoder: String,
    /// What to build with: ner, norm, alias_linking.
    #[arg(long = "set", short, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Print what was done as JSON.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &IndexArgs) -> Result<()> {
    let mut settings =
        Settings::new(Method::by_name(DEFAULT_METHOD).map_err(|said| anyhow!(said))?);
    for assignment in &args.set {
        settings
            .set_text(assignment)
            .map_err(|said| anyhow!("--set {assignment}: {said}"))?;
    }
    interrupt::watch();
    let start = Instant::now();
    let mut options = args.reading.options();
    options.questions = args.questions.clone();
    options.qrels = args.qrels.clone();
    let (corpus, report) = corpus::read(&args.paths, &options)?;
    eprintln!("{report}");
    let read = start.elapsed().as_secs_f64();
    let bars = Bars::new();
    let built = Index::create(
        corpus,
        &BuildOptions {
            entities: entity_options(&settings),
            encoder: args.encoder.clone(),
        },
        &args.out,
        &bars,
    );
    bars.clear();
    let built = built?;
    let seconds = start.elapsed().as_secs_f64();
    let m = &built.manifest;
    if args.json {
        return super::print_json(&json!({
            "index": args.out, "passages": m.passages, "questions": m.questions, "entities": m.entities, "edges": m.edges,
            "bytes": built.bytes, "seconds": {"read": read, "build": seconds - read, "total": seconds},
            "peak_memory_bytes": peak_memory(), "settings": m.options, "encoder": m.dense, "fingerprint": m.fingerprint, "report": report,
        }));
    }
    println!("{}", args.out.display());
    println!(
        "  passages {:>12}   questions {:>8}",
        m.passages, m.questions
    );
    println!("  entities {:>12}   edges     {:>8}", m.entities, m.edges);
    println!(
        "  {:.1} MB on disk, {seconds:.2} s (reading {read:.2} s){}",
        built.bytes as f64 / 1e6,
        memory()
    );
    println!("  open it with: hopscope {}", args.out.display());
    Ok(())
}

fn memory() -> String {
    peak_memory().map_or(String::new(), |bytes| {
        format!(", peak memory {:.0} MB", bytes as f64 / 1e6)
    })
}

/// The largest resident size of this process so far, where the system tells.
pub fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim()
        .strip_suffix("kB")?
        .trim()
        .parse::<u64>()
        .ok()
        .map(|kb| kb * 1024)
}
