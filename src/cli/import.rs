//! `hopscope import PATH [--out DIR]`: the index of another system, and what of it was read, repaired and left out.

use super::grid::{Grid, cells};
use super::index::{self, IndexArgs};
use super::{Opening, print_json};
use crate::exchange::given::{self, Account, Given, SYSTEMS};
use crate::index::Layer;
use crate::layers::LAYERS;
use crate::layers::facts::FactsLayer;
use crate::layers::given::GivenLayer;
use crate::layers::typed::SparkLayer;
use crate::output;
use crate::retrieve::METHODS;
use anyhow::{Result, bail};
use clap::Args;
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct ImportArgs {
    /// The folder of LightRAG, nano-graphrag, GraphRAG, HippoRAG, LinearRAG, LlamaIndex and others, or a file in it; or the address of
    /// a database with LightRAG's or DocsGPT's tables, postgres://HOST/DATABASE.
    path: PathBuf,
    /// Index folder to write; without it nothing is written, and the report says what would be read.
    #[arg(long, short)]
    out: Option<PathBuf>,
    /// Extra layers to build, for methods with their own graph.
    #[arg(long, value_name = "LAYER", value_delimiter = ',')]
    with: Vec<String>,
    /// A questions file to keep with the index.
    #[arg(long)]
    questions: Option<PathBuf>,
    /// A qrels file for those questions.
    #[arg(long, requires = "questions")]
    qrels: Option<PathBuf>,
    #[command(flatten)]
    opening: Opening,
    /// Print the report as JSON.
    #[arg(long)]
    json: bool,
}

/// Another system's index, as it would be read.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Report<'a> {
    /// Which system made it.
    system: &'a str,
    /// Which files and columns it has.
    generation: &'a str,
    /// Files that are read.
    files: &'a [PathBuf],
    #[serde(flatten)]
    account: &'a Account,
}

pub fn run(args: &ImportArgs) -> Result<()> {
    let Some(found) = given::find(&args.path) else {
        let known: Vec<&str> = SYSTEMS.iter().map(|system| system.title).collect();
        bail!(
            "{}: no index of another system ({}); a corpus is indexed with: hopscope index {0} --out DIR",
            args.path.display(),
            known.join(", ")
        );
    };
    if let Some(out) = &args.out {
        index::run(&IndexArgs {
            paths: vec![args.path.clone()],
            out: Some(out.clone()),
            with: args.with.clone(),
            questions: args.questions.clone(),
            qrels: args.qrels.clone(),
            opening: args.opening.clone(),
            json: args.json,
            ..IndexArgs::default()
        })?;
    } else {
        let given = given::read(&found)?;
        match args.json {
            true => {
                return print_json(&Report {
                    system: &given.system,
                    generation: &given.generation,
                    files: &given.files,
                    account: &given.account,
                });
            }
            false => print(&given)?,
        }
    }
    if !args.json {
        methods(args)?;
    }
    Ok(())
}

fn print(given: &Given) -> Result<()> {
    let mut out = output::text();
    writeln!(out, "{}, {}", given.system, given.generation)?;
    write!(out, "{}", given.account)?;
    Ok(())
}

/// Which methods run on the imported index, and what the others need.
fn methods(args: &ImportArgs) -> Result<()> {
    let mut out = output::text();
    let layers = index::layers(std::slice::from_ref(&args.path), &args.with);
    let built = |layer: &str| layers.iter().any(|name| name == layer);
    let names = |runs: &dyn Fn(Option<&str>) -> bool| {
        let own = METHODS.iter().filter(|m| runs(m.layer()));
        own.map(|m| &*m.name).collect::<Vec<_>>().join(" ")
    };
    let mut grid = Grid::new("  <20 <");
    let theirs = names(&|layer| layer == Some(GivenLayer::LABEL));
    grid.row(cells!["on their graph", theirs]);
    let own = |layer: Option<&str>| layer.is_none_or(built) && layer != Some(GivenLayer::LABEL);
    grid.row(cells!["on their texts", names(&own)]);
    for kind in LAYERS.iter().filter(|kind| !built(kind.name)) {
        let needs = match kind.name {
            SparkLayer::NAME => "with a typed graph".to_owned(),
            name => format!("--with {name}"),
        };
        let own = names(&|layer| layer == Some(kind.name));
        let on = match kind.name {
            FactsLayer::NAME => " (on their relations)",
            _ => "",
        };
        grid.row(cells![needs, format!("{own}{on}")]);
    }
    writeln!(out, "\nmethods\n{grid}")?;
    Ok(())
}
