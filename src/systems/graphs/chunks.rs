//! SAGE's graph: chunks and table segments. An edge is one however many metrics it passes: SAGE counts no weights.

use crate::graph::Transition;
use crate::index::{Index, IndexError};
use crate::layers::{Graph, GraphKind, Node, Source};
use crate::parameters::{Parameter as P, STRUCTURAL_EDGES, Scoped};
use crate::systems::sage::pairs::EdgeRule;
use crate::systems::sage::{self, SageLayer};
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
    reads: &[
        P::EdgePercentile,
        P::EdgeLogic,
        P::EntityEdges,
        P::EntityMatch,
        P::StructuralEdges,
    ],
    builds: &[
        P::DropPercentile,
        P::Window,
        P::MinSentences,
        P::SegmentRows,
        P::PairPool,
    ],
    open: |index, values, _| {
        let source = Chunks::open(index, values)?;
        Ok(Graph::new(&CHUNK_SIMILARITY, Box::new(source), index.len()))
    },
};

pub struct Chunks {
    layer: Arc<SageLayer>,
    transition: Transition,
}

impl Chunks {
    pub fn open(index: &Index, values: Scoped<'_>) -> Result<Chunks, IndexError> {
        let layer = sage::opened(index, values)?;
        let bars = layer.bars(EdgeRule::from(values));
        let structural = values.get(STRUCTURAL_EDGES);
        let mut edges = Vec::new();
        for unit in 0..layer.len() as u32 {
            let start = edges.len();
            layer.neighbours(unit, &bars, structural, |other, _| {
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
        Ok(Chunks { layer, transition })
    }
}

impl Source for Chunks {
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

    fn edge_kind(&self, a: u32, b: u32) -> &'static str {
        let source = |node: u32| self.layer.source[node as usize];
        if source(a) == source(b) {
            "same source"
        } else if self
            .layer
            .linked(source(a))
            .binary_search(&source(b))
            .is_ok()
        {
            "linked"
        } else {
            "similar"
        }
    }

    fn passages(&self, node: u32) -> Cow<'_, [u32]> {
        Cow::Borrowed(std::slice::from_ref(&self.layer.passage[node as usize]))
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
