//! `hopscope index PATH... --out DIR`

use super::load::Bars;
use super::{How, Reading, interrupt};
use crate::corpus;
use crate::index::build::STATIC;
use crate::index::{BuildOptions, GivenFiles, Index};
use crate::retrieve::nearest::near;
use crate::retrieve::view::entity_options;
use anyhow::Result;
use clap::Args;
use serde_json::{Map, json};
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
    /// Vectors of the passages made elsewhere, in their order: a .npy file of float32.
    #[arg(
        long,
        value_name = "FILE.npy",
        requires = "question_vectors",
        conflicts_with = "encoder"
    )]
    vectors: Option<PathBuf>,
    /// Vectors of the questions by the same encoder, in the order of the question set.
    #[arg(long, value_name = "FILE.npy", requires = "vectors")]
    question_vectors: Option<PathBuf>,
    /// What to build with: ner, norm, alias_linking, vector_search, hnsw_m, hnsw_ef_construction.
    #[arg(long = "set", short, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Build with the settings of a paper for a data set: hotpotqa or 2wiki. --set goes before.
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,
    /// Print what was done as JSON.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &IndexArgs) -> Result<()> {
    let how = How {
        method: None,
        set: args.set.clone(),
        preset: args.preset.clone(),
        reranker: None,
    };
    let settings = how.settings(None)?;
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
            given: args.vectors.clone().zip(args.question_vectors.clone()).map(
                |(passages, questions)| GivenFiles {
                    passages,
                    questions,
                },
            ),
            near: near(&settings),
        },
        &args.out,
        &bars,
    );
    bars.clear();
    let built = built?;
    let seconds = start.elapsed().as_secs_f64();
    let m = &built.manifest;
    if args.json {
        let mut spent = Map::new();
        spent.insert("read".into(), json!(read));
        spent.extend(
            built
                .seconds
                .iter()
                .map(|(step, s)| (step.label().to_owned(), json!(s))),
        );
        spent.insert("build".into(), json!(seconds - read));
        spent.insert("total".into(), json!(seconds));
        return super::print_json(&json!({
            "index": args.out, "passages": m.passages, "questions": m.questions, "entities": m.entities, "edges": m.edges,
            "bytes": built.bytes, "seconds": spent,
            "peak_memory_bytes": peak_memory(), "settings": m.options, "encoder": m.dense, "fingerprint": m.fingerprint, "report": report,
        }));
    }
    println!("{}", args.out.display());
    println!(
        "  passages {:>12}   questions {:>8}",
        m.passages, m.questions
    );
    println!("  entities {:>12}   edges     {:>8}", m.entities, m.edges);
    if let Some(dense) = &m.dense {
        let search = match &dense.hnsw {
            Some(graph) => graph.to_string(),
            None => "searched exactly".to_owned(),
        };
        println!(
            "  vectors of {} numbers by {}; {search}",
            dense.identity.dims, dense.encoder
        );
    }
    println!(
        "  {:.1} MB on disk, {seconds:.2} s{}",
        built.bytes as f64 / 1e6,
        memory()
    );
    let spent: Vec<String> = built
        .seconds
        .iter()
        .map(|(step, s)| format!("{} {s:.2} s", step.label()))
        .collect();
    println!("  reading {read:.2} s, {}", spent.join(", "));
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
