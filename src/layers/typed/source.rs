//! SPARK's graph: typed objects; an edge is walked in both directions, once for every type that joins its ends.

use crate::graph::Transition;
use crate::index::{Index, IndexError};
use crate::layers::typed::question::Parts;
use crate::layers::typed::{self, SparkLayer};
use crate::layers::{Graph, GraphKind, QueryName, Source};
use crate::parameters::{Parameter as P, Scoped};
use std::borrow::Cow;
use std::sync::Arc;

pub static TYPED: GraphKind = GraphKind {
    name: "typed",
    about: "SPARK: objects and typed edges, walked in both directions",
    nodes: "typed objects",
    noun: "object",
    layer: Some("spark"),
    reads_vectors: true,
    named: true,
    embedded: false,
    asks_model: false,
    reads: &[],
    builds: &[P::PairPool, P::SimilarPercentile],
    open: |index, values, _| {
        let source = ObjectGraph::open(index, values)?;
        Ok(Graph::new(&TYPED, Box::new(source), index.len()))
    },
};

/// Objects by number.
pub struct ObjectGraph {
    pub layer: Arc<SparkLayer>,
    transition: Transition,
}

impl ObjectGraph {
    pub fn open(index: &Index, values: Scoped<'_>) -> Result<ObjectGraph, IndexError> {
        let layer = typed::opened(index, values)?;
        let objects = 0..layer.len() as u32;
        let out = |from: u32| layer.arcs(from, true).map(move |(to, _)| (from, to, 1.0));
        let transition = Transition::of_edges(layer.len(), objects.flat_map(out));
        Ok(ObjectGraph { layer, transition })
    }
}

impl Source for ObjectGraph {
    fn transition(&self) -> &Transition {
        &self.transition
    }

    fn kind(&self, _node: u32) -> &'static str {
        "object"
    }

    fn label<'a>(&'a self, _index: &'a Index, node: u32) -> Cow<'a, str> {
        let kind = &self.layer.schema().types[self.layer.kind(node)].name;
        format!("{} ({kind})", self.layer.label(node)).into()
    }

    fn edge_kind(&self, _a: u32, _b: u32) -> &'static str {
        "typed edge"
    }

    fn edge_name(&self, a: u32, b: u32) -> Cow<'static, str> {
        let names = |out: bool| {
            let arcs = self.layer.arcs(a, out).filter(move |arc| arc.0 == b);
            arcs.map(|(_, kind)| &*self.layer.schema().edges[kind].name)
        };
        let names: std::collections::BTreeSet<&str> = names(true).chain(names(false)).collect();
        match names.len() {
            0 => Cow::Borrowed(self.edge_kind(a, b)),
            _ => Cow::Owned(Vec::from_iter(names).join(", ")),
        }
    }

    fn passages(&self, node: u32) -> Cow<'_, [u32]> {
        Cow::Owned(vec![self.layer.passage(node)])
    }

    fn names(&self, _index: &Index, question: &str, _values: Scoped<'_>) -> Vec<QueryName> {
        let found = Parts::read(&self.layer, question).anchors.into_iter();
        let named = found.map(|anchor| {
            let nodes = anchor.objects.into_iter().map(|(object, _)| object);
            QueryName::found(question, anchor.surface, nodes.collect())
        });
        named.collect()
    }
}
