//! NodeRAG's graph of seven kinds, under the settings of its own walk.

use crate::graph::Transition;
use crate::index::{Index, IndexError};
use crate::layers::{Graph, GraphKind, Node, QueryName, Source};
use crate::parameters::{HNSW_EDGES, HUB_BALANCE, Parameter as P, S_R_EDGES, Scoped};
use crate::systems::noderag::node::meaning;
use crate::systems::noderag::view::{View, ViewKey};
use crate::systems::noderag::{self, NodeRagLayer, terms};
use std::borrow::Cow;
use std::sync::Arc;

pub static NODERAG: GraphKind = GraphKind {
    name: "noderag",
    about: "NodeRAG: texts, units, names, relations, profiles, elements, overviews",
    nodes: "nodes of seven kinds",
    noun: "node",
    layer: Some("noderag"),
    reads_vectors: true,
    named: true,
    embedded: true,
    reads: &[P::HnswEdges, P::SREdges, P::HubBalance],
    builds: &[P::ChunkTokens, P::CoreRule, P::MatchClusterSize],
    open: |index, values, _| {
        let source = Seven::open(index, values)?;
        Ok(Graph::new(&NODERAG, Box::new(source), index.len()))
    },
};

pub struct Seven {
    layer: Arc<NodeRagLayer>,
    view: Arc<View>,
}

impl Seven {
    pub fn open(index: &Index, values: Scoped<'_>) -> Result<Seven, IndexError> {
        let layer = noderag::opened(index, values)?;
        let view = layer.view(ViewKey {
            hnsw_edges: values.get(HNSW_EDGES),
            s_r_edges: values.get(S_R_EDGES),
            hub_balance: values.get(HUB_BALANCE),
        });
        Ok(Seven { layer, view })
    }
}

impl Source for Seven {
    fn transition(&self) -> &Transition {
        &self.view.transition
    }

    fn kind(&self, node: u32) -> &'static str {
        self.layer.kind(node).name()
    }

    fn label<'a>(&'a self, index: &'a Index, node: u32) -> Cow<'a, str> {
        noderag::short(&self.layer, index, node).into()
    }

    fn edge_kind(&self, a: u32, b: u32) -> &'static str {
        meaning(self.layer.kind(a), self.layer.kind(b))
    }

    fn passages(&self, node: u32) -> Cow<'_, [u32]> {
        self.layer.passages(node).into()
    }

    fn names(&self, index: &Index, question: &str, _values: Scoped<'_>) -> Vec<QueryName> {
        let found = terms::linked(&self.layer, question, &index.llm()).into_iter();
        found
            .map(|term| QueryName::found(question, term.text, term.matches))
            .collect()
    }

    fn nearest(
        &self,
        index: &Index,
        vector: &[f32],
        k: usize,
    ) -> Result<Vec<(Node, f32)>, IndexError> {
        if let Some(dense) = index.dense() {
            self.layer.vectors().check(dense.encoder.identity())?;
        }
        let rows = self.layer.vectors().nearest(vector, k)?.into_iter();
        Ok(rows
            .map(|(row, cosine)| (self.layer.node_of_row(row), cosine))
            .collect())
    }
}
