//! `hopscope merge PART... --out DIR`: an index from those of the parts of its corpus.

use super::index::{Wrote, layers, settings_of};
use super::load::ProgressBars;
use super::{Tuning, about, interrupt};
use crate::index::{Index, Step};
use crate::layers::{LAYERS, build_layers, layers_named};
use crate::retrieve::nearest::near;
use anyhow::Result;
use clap::Args;
use std::cell::RefCell;
use std::path::PathBuf;
use std::time::Instant;

#[derive(Debug, Args)]
pub struct MergeArgs {
    /// Index folders of all parts of one corpus, in any order.
    #[arg(required = true, value_name = "PART")]
    parts: Vec<PathBuf>,
    /// Index folder to write; an existing index there is replaced.
    #[arg(long, short)]
    out: PathBuf,
    /// Extra layers to build, for methods with their own graph; none skips hop's layer as well.
    #[arg(long, value_name = "LAYER", value_delimiter = ',')]
    with: Vec<String>,
    /// Corpus folder, for layers that read links.tsv or openie.jsonl from it.
    #[arg(long, value_name = "FOLDER")]
    beside: Vec<PathBuf>,
    /// Encoder that made the vectors of the parts, where a server did: endpoint:URL?model=NAME[&key_env=VARIABLE].
    #[arg(long, value_name = "SPEC")]
    encoder: Option<String>,
    /// Set a build parameter: vector_search, hnsw_m, hnsw_ef_construction.
    #[arg(long = "set", short, value_name = "NAME=VALUE")]
    set: Vec<String>,
    #[command(flatten)]
    thinking: super::llm::LlmArgs,
    /// Print what was done as JSON.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &MergeArgs) -> Result<()> {
    let tuning = Tuning {
        set: args.set.clone(),
        ..Tuning::default()
    };
    let settings = tuning.how().settings(Some(super::index::PLAIN))?;
    let kinds = layers_named(&layers(&[], &args.with), LAYERS).map_err(about("--with"))?;
    let bars = ProgressBars::of(&[&[Step::Check], &Step::OF_INDEX[..]].concat());
    let llm = args.thinking.open()?.unwrap_or_default();
    llm.announce_to(bars.announce());
    interrupt::watch();
    let start = Instant::now();
    let made = RefCell::new(Vec::new());
    let built = Index::merge_with(
        &args.parts,
        args.encoder.as_deref(),
        near(settings.all()),
        &args.out,
        &bars,
        &|index| {
            index.look_beside(&args.beside);
            index.think_with(llm.clone());
            settings_of(&settings, index, |settings| {
                made.replace(build_layers(index, &kinds, settings.all(), &bars)?);
                Ok(())
            })
        },
    );
    bars.clear();
    super::llm::report(&llm);
    let written = Wrote {
        built: built?,
        layers: made.into_inner(),
        read: None,
        seconds: start.elapsed().as_secs_f64(),
    };
    written.show(&args.out, args.json, &llm)
}
