//! `hopscope stats [INDEX]`: what the graph looks like, as built and as the settings see it.

use super::llm::LlmArgs;
use super::load::load;
use super::{How, Reading};
use crate::embed::{Rows, Vectors};
use crate::evaluate::{GraphShape, shape::Degrees};
use crate::index::Index;
use crate::index::store::Manifest;
use crate::output;
use crate::retrieve::{Mask, Parameter, Retriever, Settings};
use anyhow::{Result, bail};
use clap::Args;
use serde_json::{Map, Value, json};
use std::io::Write;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct StatsArgs {
    /// An index folder or a corpus; the bundled sample without one.
    index: Option<PathBuf>,
    /// The method whose graph is described.
    #[arg(long, short, default_value = "graph")]
    method: String,
    /// Set a parameter; 'hopscope parameters' lists them. May be repeated.
    #[arg(long = "set", short, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Settings under a name: hotpotqa, 2wiki, or one of your own; 'hopscope methods' lists them. --set goes before.
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,
    #[command(flatten)]
    reading: Reading,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// The parameters that the graph of these settings depends on: only a graph of words reads how words are cut.
fn reads(settings: &Settings) -> Vec<Parameter> {
    let graph = settings.method().graph();
    graph.map_or_else(Vec::new, |graph| graph.reads.to_vec())
}

pub fn run(args: &StatsArgs) -> Result<()> {
    let how = How {
        set: args.set.clone(),
        preset: args.preset.clone(),
        ..How::default()
    };
    let mut settings = how.settings(Some(&args.method))?;
    let Some(kind) = settings.method().graph() else {
        bail!("method {} has no graph", args.method);
    };
    let index = load(
        args.index.as_deref(),
        &args.reading,
        &LlmArgs::default(),
        &mut settings,
    )?;
    let graph = Retriever::new(index.clone()).graph(kind, &settings, &[])?;
    let Some(view) = graph.entities() else {
        bail!(
            "{} is told of names and words alone; take a method over entity-passage or term-passage",
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
        let shown: Map<String, Value> = reads(&settings)
            .iter()
            .map(|p| (p.id().to_owned(), p.json(settings.value(*p))))
            .collect();
        return super::print_json(&json!({
            "index": {"name": index.name(), "fingerprint": index.fingerprint()},
            "method": args.method,
            "settings": shown,
            "masked": {"pruned": pruned, "min_df": min_df, "max_df": max_df},
            "vectors": vectors_json(&index),
            "raw": raw,
            "view": seen,
            "layers": index.layers(),
            "parts": manifest.as_ref().map(parts_json),
        }));
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
    writeln!(out, "\n{:<22} {:>12} {:>12}", "", "raw", "view")?;
    for (name, value) in ROWS {
        writeln!(out, "{name:<22} {:>12} {:>12}", value(&raw), value(&seen))?;
    }
    if let Some(dense) = index.dense() {
        let v = &dense.vectors;
        let search = match &dense.entry.hnsw {
            Some(graph) => graph.to_string(),
            None => "searched exactly".to_owned(),
        };
        writeln!(
            out,
            "vectors: {} of {} numbers ({}) by {}; {search}",
            v.len(),
            v.dims(),
            numbers(v),
            dense.entry.encoder
        )?;
    }
    if view.masked > 0 {
        writeln!(
            out,
            "masked entities: {pruned} pruned, {min_df} below min_df, {max_df} above max_df_ratio"
        )?;
    }
    writeln!(
        out,
        "\n{:<22} {:>6} {:>6} {:>6} {:>6} {:>6} {:>8}",
        "edges of the view", "p50", "p90", "p95", "p99", "max", "mean"
    )?;
    degrees(&mut out, "per passage", seen.passage_degree)?;
    degrees(&mut out, "per entity", seen.entity_degree)?;
    parts(&mut out, &index, manifest.as_ref())?;
    writeln!(
        out,
        "\n{:<30} {:>8} {:>8} {:>9}   together {:.1} %",
        "hubs of the view",
        "df",
        "edges",
        "share",
        100.0 * seen.hubs_share
    )?;
    for hub in &seen.hubs {
        writeln!(
            out,
            "{:<30} {:>8} {:>8} {:>7.2} %",
            short(&hub.label),
            hub.df,
            hub.degree,
            100.0 * hub.share
        )?;
    }
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
pub(super) fn parts_json(manifest: &Manifest) -> Value {
    let layers = manifest.layers.iter();
    let layers = layers.map(|l| (format!("layer {}", l.name), manifest.layer_bytes(&l.name)));
    let parts = manifest.parts().into_iter();
    let all = parts
        .map(|(part, bytes)| (part.to_owned(), bytes))
        .chain(layers);
    Value::Object(all.map(|(name, bytes)| (name, bytes.into())).collect())
}

fn vectors_json(index: &Index) -> Value {
    let Some(dense) = index.dense() else {
        return Value::Null;
    };
    let v = &dense.vectors;
    json!({"count": v.len(), "dims": v.dims(), "numbers": numbers(v), "encoder": dense.entry.encoder,
           "identity": dense.entry.identity, "hnsw": dense.entry.hnsw})
}

/// The sizes of a stored index by part and layer; of one in memory the names of its layers.
fn parts(out: &mut impl Write, index: &Index, manifest: Option<&Manifest>) -> Result<()> {
    let size = |bytes: u64| format!("{:.1} MB", bytes as f64 / 1e6);
    if let Some(manifest) = manifest {
        writeln!(out, "\n{:<22} {:>9} {:>12}", "on disk", "size", "version")?;
        for (part, bytes) in manifest.parts() {
            writeln!(out, "{part:<22} {:>9}", size(bytes))?;
        }
        for layer in &manifest.layers {
            let (name, bytes) = (&layer.name, manifest.layer_bytes(&layer.name));
            let name = format!("layer {name}");
            writeln!(out, "{name:<22} {:>9} {:>12}", size(bytes), layer.version)?;
        }
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
        format!("{:.1} %", 100.0 * g.components.largest_share)
    }),
];

fn degrees(out: &mut impl Write, name: &str, d: Degrees) -> std::io::Result<()> {
    writeln!(
        out,
        "{name:<22} {:>6} {:>6} {:>6} {:>6} {:>6} {:>8.2}",
        d.p50, d.p90, d.p95, d.p99, d.max, d.mean
    )
}

/// A label that fits its column.
fn short(label: &str) -> String {
    crate::retrieve::explanation::clip(label, 30)
}
