//! SPARK's graph: typed objects; an edge is walked in both directions, once for every type that joins its ends.

use crate::graph::Transition;
use crate::index::{Index, IndexError};
use crate::retrieve::Settings;
use crate::systems::compose::web::{Named, Nodes};
use crate::systems::spark::question::Parts;
use crate::systems::spark::{self, SparkLayer};
use std::borrow::Cow;
use std::sync::Arc;

pub struct Objects {
    layer: Arc<SparkLayer>,
    transition: Transition,
}

impl Objects {
    pub fn open(index: &Index) -> Result<Objects, IndexError> {
        let layer = spark::opened(index)?;
        let objects = 0..layer.len() as u32;
        let out = |from: u32| layer.arcs(from, true).map(move |(to, _)| (from, to, 1.0));
        let transition = Transition::of_edges(layer.len(), objects.flat_map(out));
        Ok(Objects { layer, transition })
    }
}

impl Nodes for Objects {
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

    fn joined(&self, _a: u32, _b: u32) -> &'static str {
        "typed edge"
    }

    fn passages(&self, node: u32) -> Cow<'_, [u32]> {
        Cow::Owned(vec![self.layer.passage(node)])
    }

    fn names(&self, _index: &Index, question: &str, _settings: &Settings) -> Vec<Named> {
        let found = Parts::read(&self.layer, question).anchors.into_iter();
        let named = found.map(|anchor| Named {
            surface: anchor.surface,
            nodes: anchor
                .objects
                .into_iter()
                .map(|(object, _)| object)
                .collect(),
        });
        named.collect()
    }
}
