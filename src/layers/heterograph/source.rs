//! NodeRAG's graph of seven kinds, under the settings of its own walk.

use crate::graph::Transition;
use crate::index::{Index, IndexError};
use crate::layers::heterograph::node::{Kind, meaning};
use crate::layers::heterograph::view::{View, ViewKey};
use crate::layers::heterograph::{self, NodeRagLayer, terms};
use crate::layers::{Graph, GraphKind, Node, QueryName, Source};
use crate::parameters::{HNSW_EDGES, HUB_BALANCE, Parameter as P, S_R_EDGES, Scoped, TERM_MATCH};
use crate::text::{clip, span};
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
    asks_model: true,
    reads: &[P::HnswEdges, P::SREdges, P::HubBalance, P::TermMatch],
    builds: &[P::ChunkTokens, P::CoreRule, P::MatchClusterSize],
    open: |index, values, _| {
        let source = HeteroGraph::open(index, values)?;
        Ok(Graph::new(&NODERAG, Box::new(source), index.len()))
    },
};

/// Texts, units, names, relations, attributes, elements, overviews, numbered in this order.
pub struct HeteroGraph {
    pub layer: Arc<NodeRagLayer>,
    pub view: Arc<View>,
}

/// Most characters of a label.
const LABEL: usize = 60;

impl HeteroGraph {
    pub fn open(index: &Index, values: Scoped<'_>) -> Result<HeteroGraph, IndexError> {
        let layer = heterograph::opened(index, values)?;
        let view = layer.view(ViewKey {
            hnsw_edges: values.get(HNSW_EDGES),
            s_r_edges: values.get(S_R_EDGES),
            hub_balance: values.get(HUB_BALANCE),
        });
        Ok(HeteroGraph { layer, view })
    }
}

impl Source for HeteroGraph {
    fn transition(&self) -> &Transition {
        &self.view.transition
    }

    fn kind(&self, node: u32) -> &'static str {
        self.layer.kind(node).name()
    }

    fn label<'a>(&'a self, index: &'a Index, node: u32) -> Cow<'a, str> {
        let layer = &self.layer;
        let first = |text: &str| clip(text.lines().next().unwrap_or_default(), LABEL).into();
        match layer.kind(node) {
            Kind::Text => {
                let (passage, span) = layer.piece(node);
                match index.title(passage) {
                    "" => first(span::clipped(index.text(passage), span)),
                    title => title.into(),
                }
            }
            Kind::Attribute => {
                let of = layer.tied(node, Kind::Entity).next();
                format!("profile of {}", of.map_or("", |name| layer.label(name))).into()
            }
            _ => first(layer.label(node)),
        }
    }

    fn text<'a>(&'a self, index: &'a Index, node: u32) -> Cow<'a, str> {
        let text = match self.layer.kind(node) {
            Kind::Text => {
                let (passage, span) = self.layer.piece(node);
                span::clipped(index.text(passage), span)
            }
            _ => self.layer.label(node),
        };
        // Where there is no more to read than the label, nothing is said twice.
        match text == self.label(index, node) {
            true => "".into(),
            false => text.into(),
        }
    }

    fn edge_kind(&self, a: u32, b: u32) -> &'static str {
        match self.layer.edge(a, b) {
            Some(edge) if edge.made == 0 => "hnsw",
            _ => meaning(self.layer.kind(a), self.layer.kind(b)),
        }
    }

    fn evidence(&self, _: &Index, a: u32, b: u32) -> String {
        match self.layer.edge(a, b) {
            Some(edge) if edge.made == 0 => "similar".to_owned(),
            Some(edge) if edge.near => format!("made {}x, similar too", edge.made),
            Some(edge) => format!("made {}x", edge.made),
            None => String::new(),
        }
    }

    fn passages(&self, node: u32) -> Cow<'_, [u32]> {
        self.layer.passages(node).into()
    }

    fn names(&self, index: &Index, question: &str, values: Scoped<'_>) -> Vec<QueryName> {
        terms::linked(&self.layer, question, &index.llm(), values.get(TERM_MATCH))
    }

    fn nearest(
        &self,
        index: &Index,
        vector: &[f32],
        k: usize,
    ) -> Result<Vec<(Node, f32)>, IndexError> {
        let rows = index
            .nearest_of(self.layer.vectors(), vector, k)?
            .into_iter();
        Ok(rows
            .map(|(row, cosine)| (self.layer.node_of_row(row), cosine))
            .collect())
    }

    fn made_by(&self) -> String {
        self.layer.counts().made.to_string()
    }
}
