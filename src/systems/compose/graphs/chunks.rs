//! SAGE's graph: chunks and table segments. An edge is one however many metrics it passes: SAGE counts no weights.

use crate::graph::Transition;
use crate::index::{Index, IndexError};
use crate::retrieve::{RetrieveError, Settings};
use crate::systems::compose::web::Nodes;
use crate::systems::sage::{self, Params, SageLayer};
use std::borrow::Cow;
use std::sync::Arc;

pub struct Chunks {
    layer: Arc<SageLayer>,
    transition: Transition,
}

impl Chunks {
    pub fn open(index: &Index, settings: &Settings) -> Result<Chunks, IndexError> {
        let layer = sage::opened(index, settings)?;
        let params = Params::from(settings);
        let bars = layer.bars(params.edges);
        let mut edges = Vec::new();
        for unit in 0..layer.len() as u32 {
            let start = edges.len();
            layer.neighbours(unit, &bars, params.structural, |other, _| {
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

impl Nodes for Chunks {
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

    fn joined(&self, a: u32, b: u32) -> &'static str {
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
    ) -> Result<Vec<(u32, f32)>, RetrieveError> {
        if let Some(dense) = index.dense() {
            self.layer.vectors.check(dense.encoder.identity())?;
        }
        Ok(self.layer.vectors.nearest(vector, k)?)
    }
}
