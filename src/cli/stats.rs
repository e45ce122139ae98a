//! `hopscope stats [INDEX]`: what the graph looks like, as built and as the settings see it.

use super::figures::{megabytes, percent};
use super::grid::{Grid, cells};
use super::load::load;
use super::named::Named;
use super::{Reading, Tuning};
use crate::embed::{Identity, Rows, Vectors};
use crate::evaluate::{GraphShape, shape::Degrees};
use crate::index::near::NearEntry;
use crate::index::store::Manifest;
use crate::index::{Index, IndexName};
use crate::output;
use crate::parameters::Assigned;
use crate::retrieve::explanation::clip;
use crate::retrieve::{Mask, Parameter, Retriever, Settings};
use crate::text::Language;
use anyhow::{Result, bail};
use clap::Args;
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct StatsArgs {
    /// An index folder or a corpus; default: the sample.
    index: Option<PathBuf>,
    /// Method whose graph to describe.
    #[arg(long, short, default_value = "graph")]
    method: String,
    #[command(flatten)]
    tuning: Tuning,
    #[command(flatten)]
    reading: Reading,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// The graph of an index, as built and as the settings see it.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Whole<'a> {
    /// The index.
    index: IndexName,
    /// Method whose graph it is.
    method: &'a str,
    /// Parameters that the graph depends on.
    settings: Assigned,
    /// Entities that the settings leave out.
    masked: Masked,
    /// Code of the language that its words are cut by.
    language: Language,
    /// Vectors of the passages; null where there are none.
    vectors: Option<Kept<'a>>,
    /// The graph as built.
    raw: GraphShape,
    /// The graph as a walk sees it.
    view: GraphShape,
    /// Layers stored with the index.
    layers: Vec<String>,
    /// Bytes of every part and layer on disk; null for an index in memory.
    parts: Option<Named<u64>>,
}

/// Number of entities that settings leave out.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Masked {
    /// Pruned as hubs.
    pruned: usize,
    /// Below min_df.
    min_df: usize,
    /// Above max_df_ratio.
    max_df: usize,
}

/// Vectors of the passages.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Kept<'a> {
    /// Number of vectors.
    count: usize,
    /// Numbers of a vector.
    dims: usize,
    /// How numbers are stored: float32 or int8.
    numbers: &'static str,
    /// Encoder that made them, as `--encoder` names it.
    encoder: &'a str,
    identity: &'a Identity,
    /// The small-world graph that is searched; null where all vectors are compared.
    hnsw: Option<&'a NearEntry>,
}

/// The parameters that the graph of these settings depends on: only a graph of words reads how words are cut.
fn reads(settings: &Settings) -> Vec<Parameter> {
    let graph = settings.method().graph();
    graph.map_or_else(Vec::new, |graph| graph.reads.to_vec())
}

pub fn run(args: &StatsArgs) -> Result<()> {
    let mut settings = args.tuning.how().settings(Some(&args.method))?;
    let Some(kind) = settings.method().graph() else {
        bail!("method {} has no graph", args.method);
    };
    let index = load(args.index.as_deref(), &args.reading, &mut settings)?;
    let graph = Retriever::new(index.clone()).graph(kind, &settings, &[])?;
    let Some(view) = graph.entities() else {
        bail!(
            "{} describes graphs of names or words; choose a method over entity-passage or term-passage",
            kind.name
        );
    };
    let (raw, seen) = (GraphShape::raw(&view.graph), GraphShape::view(view));
    let masked = |by: Mask| {
        let entities = 0..view.graph.entities() as u32;
        entities.filter(|e| view.mask(*e) == Some(by)).count()
    };
    let (pruned, min_df, max_df) = (
        masked(Mask::Pruned),
        masked(Mask::MinDf),
        masked(Mask::MaxDf),
    );
    let folder = args.index.as_deref().filter(|path| Index::is_index(path));
    let manifest = folder.map(Manifest::read).transpose()?;
    if args.json {
        let shown = reads(&settings).into_iter();
        return super::print_json(&Whole {
            index: index.called_by(),
            method: &args.method,
            settings: shown.map(|p| (p, settings.value(p))).collect(),
            masked: Masked {
                pruned,
                min_df,
                max_df,
            },
            language: index.language(),
            vectors: index.dense().map(|dense| Kept {
                count: dense.vectors.len(),
                dims: dense.vectors.dims(),
                numbers: numbers(&dense.vectors),
                encoder: &dense.entry.encoder,
                identity: &dense.entry.identity,
                hnsw: dense.entry.hnsw.as_ref(),
            }),
            raw,
            view: seen,
            layers: index.layers(),
            parts: manifest.as_ref().map(parts_named),
        });
    }
    let mut out = output::text();
    let mut asked = settings.changed();
    asked.retain(|said| {
        let mut own = reads(&settings).into_iter();
        own.any(|p| said.split('=').next() == Some(p.id()))
    });
    write!(out, "{} · graph of {}", index.name(), args.method)?;
    if !asked.is_empty() {
        write!(out, " · {}", asked.join(" "))?;
    }
    let mut grid = Grid::headed("<22 >12 >12", "|raw|view");
    for (name, value) in ROWS {
        grid.row(cells![name, value(&raw), value(&seen)]);
    }
    write!(out, "\n{grid}")?;
    writeln!(out, "words cut as {}", index.language())?;
    if let Some(dense) = index.dense() {
        let (v, by) = (&dense.vectors, &dense.entry.encoder);
        let (all, dims, numbers) = (v.len(), v.dims(), numbers(v));
        let search = dense.entry.searched();
        writeln!(
            out,
            "vectors: {all} of {dims} numbers ({numbers}) by {by}; {search}"
        )?;
    }
    if view.masked > 0 {
        writeln!(
            out,
            "masked entities: {pruned} pruned, {min_df} below min_df, {max_df} above max_df_ratio"
        )?;
    }
    let head = "edges of the view|p50|p90|p95|p99|max|mean";
    let mut grid = Grid::headed("<22 >6 >6 >6 >6 >6 >8", head);
    let mut row = |name: &str, d: &Degrees| {
        let counts = [d.p50, d.p90, d.p95, d.p99, d.max].map(|count| count.to_string());
        grid.row(
            [
                &cells![name][..],
                &counts,
                &cells![format!("{:.2}", d.mean)],
            ]
            .concat(),
        );
    };
    row("per passage", &seen.passage_degree);
    row("per entity", &seen.entity_degree);
    write!(out, "\n{grid}")?;
    parts(&mut out, &index, manifest.as_ref())?;
    let mut grid = Grid::new("<30 >8 >8 >9   <");
    let together = format!("together {}", percent(seen.hubs_share, 1.0, 1));
    grid.row(["hubs of the view", "df", "edges", "share", &together]);
    for hub in &seen.hubs {
        let share = percent(hub.share, 1.0, 2);
        grid.row(cells![clip(&hub.label, 30), hub.df, hub.degree, share]);
    }
    write!(out, "\n{grid}")?;
    Ok(())
}

/// How the numbers of the vectors are kept.
fn numbers(vectors: &Vectors) -> &'static str {
    match vectors.rows() {
        Rows::F32(_) => "float32",
        Rows::I8 { .. } => "int8",
    }
}

/// Bytes of every part and layer.
pub(super) fn parts_named(manifest: &Manifest) -> Named<u64> {
    let layers = manifest.layers.iter();
    let layers = layers.map(|l| (format!("layer {}", l.name), manifest.layer_bytes(&l.name)));
    let parts = manifest.parts().into_iter();
    let all = parts
        .map(|(part, bytes)| (part.to_owned(), bytes))
        .chain(layers);
    all.collect()
}

/// The sizes of a stored index by part and layer; of one in memory the names of its layers.
fn parts(out: &mut impl Write, index: &Index, manifest: Option<&Manifest>) -> Result<()> {
    if let Some(manifest) = manifest {
        let mut grid = Grid::headed("<22 >9 >12", "on disk|size|version");
        for (part, bytes) in manifest.parts() {
            grid.row(cells![part, megabytes(bytes)]);
        }
        for layer in &manifest.layers {
            let (name, bytes) = (&layer.name, manifest.layer_bytes(&layer.name));
            grid.row(cells![
                format!("layer {name}"),
                megabytes(bytes),
                layer.version
            ]);
        }
        write!(out, "\n{grid}")?;
        return Ok(());
    }
    let layers = index.layers();
    if !layers.is_empty() {
        writeln!(out, "\nlayers: {}", layers.join(", "))?;
    }
    Ok(())
}

type Row = (&'static str, fn(&GraphShape) -> String);

const ROWS: &[Row] = &[
    ("nodes", |g| g.nodes.to_string()),
    ("passages", |g| g.passages.to_string()),
    ("entities", |g| g.entities.to_string()),
    ("edges", |g| g.edges.to_string()),
    ("edges per passage", |g| {
        format!("{:.2}", g.edges_per_passage)
    }),
    ("isolated passages", |g| g.isolated_passages.to_string()),
    ("components", |g| g.components.count.to_string()),
    ("of a single node", |g| g.components.single.to_string()),
    ("nodes of the largest", |g| g.components.largest.to_string()),
    ("share of the largest", |g| {
        percent(g.components.largest_share, 1.0, 1)
    }),
];
