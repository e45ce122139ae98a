//! `hopscope merge PART... --out DIR | --to ADDRESS`: an index from those of the parts of its corpus.

use super::index::{Wrote, layers, settings_of};
use super::load::ProgressBars;
use super::{Tuning, about, elsewhere, interrupt};
use crate::index::{Index, Step};
use crate::layers::{LAYERS, build_layers, layers_named};
use crate::retrieve::nearest::near;
use anyhow::Result;
use clap::Args;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::time::Instant;

#[derive(Debug, Args)]
pub struct MergeArgs {
    /// Index folders of all parts of one corpus, in any order.
    #[arg(required = true, value_name = "PART")]
    parts: Vec<PathBuf>,
    /// Index folder to write; an existing index there is replaced.
    #[arg(long, short, required_unless_present = "to")]
    out: Option<PathBuf>,
    /// Database to publish the index to, in place of a folder, or several that each take a part: as for 'hopscope publish'.
    #[arg(long, value_name = "ADDRESS", conflicts_with_all = ["out", "with"])]
    to: Option<PathBuf>,
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
    args.to.as_deref().map_or(Ok(()), elsewhere::address)?;
    let Some(out) = &args.out else {
        // The index is needed until its rows are in the database.
        let home = tempfile::tempdir()?;
        let out = home.path().join("index");
        return joined(args, &out);
    };
    joined(args, out)
}

/// Joins the parts in a folder, and publishes the index where that is asked for.
fn joined(args: &MergeArgs, out: &Path) -> Result<()> {
    let tuning = Tuning {
        set: args.set.clone(),
        ..Tuning::default()
    };
    let settings = tuning.how().settings(Some(super::index::PLAIN))?;
    let asked = match args.to {
        // Layers are not published.
        Some(_) => Vec::new(),
        None => layers(&[], &args.with),
    };
    let kinds = layers_named(&asked, LAYERS).map_err(about("--with"))?;
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
        out,
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
    match &args.to {
        None => written.show(out, args.json, &llm),
        Some(to) => elsewhere::publish(&elsewhere::PublishArgs {
            index: out.to_owned(),
            to: to.clone(),
            remove_old: false,
            json: args.json,
        }),
    }
}
