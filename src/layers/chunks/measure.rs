//! Vectors of units and metadata, and every metric of every candidate pair.

use super::build::Tell;
use super::layer::Sage;
use super::names;
use super::pairs::{Kind, Measured, Pairs};
use crate::embed::{EmbedError, Kind as Made, Vectors};
use crate::index::{Dense, Index, IndexError};
use crate::text::similar::NameSignature;
use rayon::prelude::*;

/// Units that are encoded between two reports of progress, and pairs that are measured.
const BATCH: usize = 512;
const PAIRS: usize = 1 << 18;

/// Kept as the index keeps its own: those of the built-in table in int8.
pub(super) fn vectors(dense: &Dense, rows: Vec<f32>) -> Result<Vectors, EmbedError> {
    let identity = dense.encoder.identity().clone();
    let small = identity.kind == Made::Static;
    let vectors = Vectors::new(identity, rows)?;
    Ok(if small { vectors.quantised() } else { vectors })
}

/// Content vectors, of source name and content as passages are encoded. A unit that is its whole passage has the
/// passage's vector.
pub(super) fn contents(
    index: &Index,
    dense: &Dense,
    layer: &Sage,
    tell: Tell,
) -> Result<Vectors, IndexError> {
    let dims = dense.vectors.dims();
    let mut rows = vec![0.0; layer.len() * dims];
    let mut others: Vec<u32> = Vec::new();
    for (unit, row) in (0..).zip(rows.chunks_mut(dims)) {
        let passage = layer.passage[unit as usize];
        let content = layer.content(index, unit);
        if layer.table_of(unit).is_none() && content.len() == index.text(passage).trim().len() {
            dense.vectors.row(passage, row);
        } else {
            others.push(unit);
        }
    }
    for (batch, units) in others.chunks(BATCH).enumerate() {
        tell("vectors", batch * BATCH, others.len())?;
        let texts: Vec<_> = units.iter().map(|&u| layer.content(index, u)).collect();
        let texts: Vec<(&str, &str)> = (units.iter().zip(&texts))
            .map(|(&unit, text)| (layer.source_name(index, unit), &**text))
            .collect();
        let made = dense.encoder.passages(&texts, &|_| true)?;
        for (unit, row) in units.iter().zip(made.chunks(dims)) {
            let start = *unit as usize * dims;
            rows[start..start + dims].copy_from_slice(row);
        }
    }
    Ok(vectors(dense, rows)?)
}

fn encoded<'a>(dense: &Dense, texts: impl Iterator<Item = &'a str>) -> Result<Vectors, EmbedError> {
    let texts: Vec<(&str, &str)> = texts.map(|text| ("", text)).collect();
    vectors(dense, dense.encoder.passages(&texts, &|_| true)?)
}

pub(super) fn columns(dense: &Dense, layer: &Sage) -> Result<Vectors, EmbedError> {
    encoded(dense, layer.tables.described.iter())
}

/// Vectors of metadata: topics by chunk of text, then titles, descriptions and summaries by table.
pub(super) struct Facts {
    vectors: Vectors,
    /// By unit: the place of its topic among the chunks of text.
    topics: Vec<u32>,
    chunks: u32,
    tables: u32,
}

impl Facts {
    pub fn new(dense: &Dense, layer: &Sage) -> Result<Facts, EmbedError> {
        let mut chunks = 0;
        let topics = (0..layer.len() as u32).map(|unit| {
            chunks += u32::from(layer.table_of(unit).is_none());
            chunks.max(1) - 1
        });
        let topics: Vec<u32> = topics.collect();
        let texts = (0..layer.len()).filter(|&u| layer.table_of(u as u32).is_none());
        let tables = &layer.tables;
        let all = (texts.map(|u| layer.topics.get(u)))
            .chain(tables.titles.iter())
            .chain(tables.descriptions.iter())
            .chain(tables.summaries.iter());
        Ok(Facts {
            vectors: encoded(dense, all)?,
            topics,
            chunks,
            tables: tables.titles.len() as u32,
        })
    }

    fn topic(&self, unit: u32) -> u32 {
        self.topics[unit as usize]
    }

    fn title(&self, table: u32) -> u32 {
        self.chunks + table
    }

    fn description(&self, table: u32) -> u32 {
        self.title(table) + self.tables
    }

    fn summary(&self, table: u32) -> u32 {
        self.description(table) + self.tables
    }
}

/// The mean of the three best, or of as many as there are.
pub(super) fn best_three(mut values: Vec<f32>) -> f32 {
    values.sort_unstable_by(|a, b| b.total_cmp(a));
    values.truncate(3);
    let sum: f64 = values.iter().map(|&v| f64::from(v)).sum();
    (sum / values.len().max(1) as f64) as f32
}

/// For each column of the first table its most similar column of the second; the mean of the three best.
fn column_similarity(layer: &Sage, first: u32, second: u32) -> f32 {
    let best = layer.tables.columns(first).map(|a| {
        let to = layer
            .tables
            .columns(second)
            .map(|b| layer.columns.between(a as u32, b as u32));
        to.fold(f32::MIN, f32::max)
    });
    best_three(best.collect())
}

/// Measures every candidate pair, by kind.
pub(super) fn pairs(
    layer: &Sage,
    facts: &Facts,
    signs: &[NameSignature],
    pool: &[(u32, u32)],
    tell: Tell,
) -> Result<[Pairs; 3], IndexError> {
    let mut found: [Pairs; 3] = Default::default();
    let mut done = 0;
    for kind in Kind::ALL {
        let own = pool.iter().filter(|(a, b)| layer.kind(*a, *b) == kind);
        let mut own: Vec<(u32, u32)> = own
            .map(|&(a, b)| match (kind, layer.table_of(a)) {
                (Kind::TextTable, Some(_)) => (b, a),
                _ => (a, b),
            })
            .collect();
        own.sort_unstable();
        let mut measured = Vec::with_capacity(own.len());
        for batch in own.chunks(PAIRS) {
            tell("pairs", done, pool.len())?;
            done += batch.len();
            let of = |free: &mut Vec<u32>, pair: &(u32, u32)| {
                measure(layer, facts, signs, kind, *pair, free)
            };
            measured.par_extend(batch.par_iter().map_init(Vec::new, of));
        }
        found[kind as usize] = Pairs::new(kind, layer.len(), &own, &measured);
    }
    tell("pairs", pool.len(), pool.len())?;
    Ok(found)
}

fn measure(
    layer: &Sage,
    facts: &Facts,
    signs: &[NameSignature],
    kind: Kind,
    (a, b): (u32, u32),
    free: &mut Vec<u32>,
) -> Measured {
    let (first, second) = (layer.names.of(a), layer.names.of(b));
    let (ta, tb) = (layer.table[a as usize], layer.table[b as usize]);
    let metrics = match kind {
        Kind::TextText => [
            facts.vectors.between(facts.topic(a), facts.topic(b)),
            layer.vectors.between(a, b),
            0.0,
        ],
        Kind::TableTable => [
            column_similarity(layer, ta, tb),
            facts.vectors.between(facts.title(ta), facts.title(tb)),
            facts
                .vectors
                .between(facts.description(ta), facts.description(tb)),
        ],
        Kind::TextTable => {
            let probe = layer.vectors.probe_row(a);
            let columns = layer
                .tables
                .columns(tb)
                .map(|c| layer.columns.score(&probe, c as u32));
            [
                best_three(columns.collect()),
                facts.vectors.between(facts.topic(a), facts.title(tb)),
                facts.vectors.between(facts.topic(a), facts.summary(tb)),
            ]
        }
    };
    Measured {
        metrics,
        exact: names::exact(first, second).min(255) as u8,
        fuzzy: names::fuzzy(first, second, signs, free).min(255) as u8,
    }
}
