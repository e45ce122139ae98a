//! SAGE's graph: chunks and table segments. An edge is one however many metrics it passes: SAGE counts no weights.

use crate::graph::Transition;
use crate::index::{Index, IndexError};
use crate::layers::chunks::pairs::{EdgeRule, EntityEdges, Thresholds};
use crate::layers::chunks::record::{Record, clip};
use crate::layers::chunks::{self, SageLayer};
use crate::layers::{Code, Graph, GraphKind, Node, Source, Unjoined};
use crate::parameters::{EDGE_PERCENTILE, Parameter as P, Scoped};
use std::borrow::Cow;
use std::sync::Arc;

pub static CHUNK_SIMILARITY: GraphKind = GraphKind {
    name: "chunk-similarity",
    about: "SAGE: chunks and table segments, joined by metrics and structure",
    nodes: "chunks and table segments",
    noun: "chunk",
    layer: Some("sage"),
    reads_vectors: true,
    named: false,
    embedded: true,
    asks_model: false,
    reads: &[
        P::EdgePercentile,
        P::EdgeLogic,
        P::EntityEdges,
        P::EntityMatch,
        P::StructuralEdges,
        P::LinkEdges,
    ],
    builds: &[
        P::DropPercentile,
        P::Window,
        P::MinSentences,
        P::SegmentRows,
        P::PairPool,
    ],
    open: |index, values, _| {
        let source = ChunkGraph::open(index, values)?;
        Ok(Graph::new(&CHUNK_SIMILARITY, Box::new(source), index.len()))
    },
};

/// Most characters of a label in a sentence.
const LABEL: usize = 40;

/// The layer under one rule of edges.
pub struct ChunkGraph {
    pub layer: Arc<SageLayer>,
    bars: Thresholds,
    transition: Transition,
}

impl ChunkGraph {
    pub fn open(index: &Index, values: Scoped<'_>) -> Result<ChunkGraph, IndexError> {
        let layer = chunks::opened(index, values)?;
        let bars = layer.bars(index, EdgeRule::from(values));
        let mut edges = Vec::new();
        for unit in 0..layer.len() as u32 {
            let start = edges.len();
            layer.neighbours(unit, &bars, |other, _| {
                if unit < other {
                    edges.push((unit, other, 1.0));
                }
            });
            // Two ways to a neighbour are one edge.
            edges[start..].sort_unstable_by_key(|edge: &(u32, u32, f32)| edge.1);
            let mut seen = u32::MAX;
            let mut kept = start;
            for at in start..edges.len() {
                if edges[at].1 != seen {
                    seen = edges[at].1;
                    edges[kept] = edges[at];
                    kept += 1;
                }
            }
            edges.truncate(kept);
        }
        let transition = Transition::of_edges(layer.len(), edges);
        Ok(ChunkGraph {
            layer,
            bars,
            transition,
        })
    }
}

impl ChunkGraph {
    fn record(&self, index: &Index, a: u32, b: u32) -> Record {
        Record::new(&self.layer, index, &self.bars, a, b)
    }

    /// What the pair lacks besides metrics.
    fn unnamed(&self) -> &'static str {
        match self.bars.rule.names {
            EntityEdges::Subject => "neither names what the other is about, and ",
            _ => "",
        }
    }

    /// A pair that was scored, and is an edge only under a lower percentile.
    fn below(&self, index: &Index, needed: f64, a: u32, b: u32) -> Option<Unjoined> {
        let record = self.record(index, a, b);
        let metric = record.nearest()?;
        let label = clip(&self.layer.label(index, a), LABEL);
        // One decimal, below the percentile that refuses it.
        let lower = ((needed * 10.0).ceil() - 1.0) / 10.0;
        Some(Unjoined {
            code: Code::PercentilePruned,
            text: format!(
                "{}the pair with {label} was scored, but its best metric, {}, is {:.3} against {:.3}: percentile {needed:.1}, not {} (not connected)",
                self.unnamed(),
                metric.name,
                metric.value,
                metric.threshold,
                self.bars.rule.percentile
            ),
            change: Some(EDGE_PERCENTILE.at(lower)),
        })
    }

    /// The nearest of pairs outside the pool.
    fn unscored(&self, index: &Index, pairs: impl Iterator<Item = (u32, u32)>) -> Option<Unjoined> {
        let vectors = &self.layer.vectors;
        let near = pairs.map(|(a, b)| (vectors.between(a, b), a));
        let (cosine, a) = near.reduce(|best, next| if next.0 > best.0 { next } else { best })?;
        let others = (0..self.layer.len() as u32).filter(|&other| other != a);
        let before = others
            .filter(|&other| vectors.between(a, other) > cosine)
            .count();
        let label = clip(&self.layer.label(index, a), LABEL);
        Some(Unjoined {
            code: Code::NotCandidatePair,
            text: format!(
                "{}the pair with no seed was scored: of {label} it is number {} by content (cosine {cosine:.3}), the pool holds {} (not connected)",
                self.unnamed(),
                before + 1,
                self.layer.meta.options.pair_pool
            ),
            change: None,
        })
    }
}

impl Source for ChunkGraph {
    fn transition(&self) -> &Transition {
        &self.transition
    }

    fn kind(&self, node: u32) -> &'static str {
        match self.layer.table_of(node) {
            Some(_) => "segment",
            None => "chunk",
        }
    }

    fn label<'a>(&'a self, index: &'a Index, node: u32) -> Cow<'a, str> {
        self.layer.label(index, node).into()
    }

    fn text<'a>(&'a self, index: &'a Index, node: u32) -> Cow<'a, str> {
        self.layer.content(index, node)
    }

    /// The first that holds: both are of one source, linked, alike, or named by what they are about or share.
    fn edge_kind(&self, a: u32, b: u32) -> &'static str {
        let (layer, rule) = (&self.layer, &self.bars.rule);
        let (from, to) = (layer.source[a as usize], layer.source[b as usize]);
        let pair = layer.pair(a, b);
        let passed = pair.map(|(kind, pair)| layer.passed(kind as usize, pair, [a, b], &self.bars));
        if rule.sources && from == to {
            "same source"
        } else if rule.links && layer.linked(from).binary_search(&to).is_ok() {
            "linked"
        } else if passed.is_some_and(|passed| passed.similar) {
            "similar"
        } else {
            "named"
        }
    }

    fn passages(&self, node: u32) -> Cow<'_, [u32]> {
        Cow::Borrowed(std::slice::from_ref(&self.layer.passage[node as usize]))
    }

    fn evidence(&self, index: &Index, a: u32, b: u32) -> String {
        self.record(index, a, b).evidence()
    }

    /// Below the thresholds, or never scored.
    fn unjoined(&self, index: &Index, from: &[u32], to: &[u32]) -> Option<Unjoined> {
        let pairs = || from.iter().flat_map(|&a| to.iter().map(move |&b| (a, b)));
        let logic = self.bars.rule.logic;
        let scored = pairs().filter_map(|(a, b)| {
            let (kind, pair) = self.layer.pair(a, b)?;
            Some((self.layer.pairs[kind as usize].needed(pair, logic), a, b))
        });
        // The first of equals.
        let best = scored.reduce(|best, next| if next.0 > best.0 { next } else { best });
        match best {
            Some((needed, a, b)) => self.below(index, needed, a, b),
            None => self.unscored(index, pairs()),
        }
    }

    fn made_by(&self) -> String {
        self.layer.meta.made.to_string()
    }

    fn nearest(
        &self,
        index: &Index,
        vector: &[f32],
        k: usize,
    ) -> Result<Vec<(Node, f32)>, IndexError> {
        if let Some(dense) = index.dense() {
            self.layer.vectors.check(dense.encoder.identity())?;
        }
        Ok(self.layer.vectors.nearest(vector, k)?)
    }
}
