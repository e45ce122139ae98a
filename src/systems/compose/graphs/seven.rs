//! NodeRAG's graph of seven kinds, under the settings of its own walk.

use crate::graph::Transition;
use crate::index::{Index, IndexError};
use crate::retrieve::{RetrieveError, Settings};
use crate::systems::compose::web::{Named, Nodes};
use crate::systems::noderag::node::meaning;
use crate::systems::noderag::view::View;
use crate::systems::noderag::{self, NodeRagLayer, Params, terms};
use std::borrow::Cow;
use std::sync::Arc;

pub struct Seven {
    layer: Arc<NodeRagLayer>,
    view: Arc<View>,
}

impl Seven {
    pub fn open(index: &Index, settings: &Settings) -> Result<Seven, IndexError> {
        let layer = noderag::opened(index, settings)?;
        let view = layer.view(Params::from(settings).view());
        Ok(Seven { layer, view })
    }
}

impl Nodes for Seven {
    fn transition(&self) -> &Transition {
        &self.view.transition
    }

    fn kind(&self, node: u32) -> &'static str {
        self.layer.kind(node).name()
    }

    fn label<'a>(&'a self, index: &'a Index, node: u32) -> Cow<'a, str> {
        noderag::short(&self.layer, index, node).into()
    }

    fn joined(&self, a: u32, b: u32) -> &'static str {
        meaning(self.layer.kind(a), self.layer.kind(b))
    }

    fn passages(&self, node: u32) -> Cow<'_, [u32]> {
        self.layer.passages(node).into()
    }

    fn names(&self, index: &Index, question: &str, _settings: &Settings) -> Vec<Named> {
        let found = terms::linked(&self.layer, question, &index.llm()).into_iter();
        let named = found.map(|term| Named {
            surface: term.text,
            nodes: term.matches,
        });
        named.collect()
    }

    fn nearest(
        &self,
        index: &Index,
        vector: &[f32],
        k: usize,
    ) -> Result<Vec<(u32, f32)>, RetrieveError> {
        if let Some(dense) = index.dense() {
            self.layer.vectors().check(dense.encoder.identity())?;
        }
        let rows = self.layer.vectors().nearest(vector, k)?.into_iter();
        Ok(rows
            .map(|(row, cosine)| (self.layer.node_of_row(row), cosine))
            .collect())
    }
}
