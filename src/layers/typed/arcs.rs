//! Typed edges of a layer in one direction, as columns.

use super::layer::Meta;
use crate::column::{Column, range};
use crate::index::layer::columns;

columns! {
    /// Edges by the object they start (or end) at.
    #[derive(Default)]
    pub struct Arcs(columns, meta: &Meta) {
        ends: Column<u64> = "end" [meta.objects] => ends(meta.edges);
        other: Column<u32> = "other" [meta.edges] => below(meta.objects);
        edge: Column<u32> = "edge" [meta.edges] => below(meta.schema.edges.len());
    }
}

impl Arcs {
    /// From edges in any order.
    pub fn build(objects: usize, mut edges: Vec<(u32, u32, u32)>) -> Arcs {
        edges.sort_unstable();
        let mut ends = vec![0_u64; objects];
        for (from, _, _) in &edges {
            ends[*from as usize] += 1;
        }
        for i in 1..objects {
            ends[i] += ends[i - 1];
        }
        Arcs {
            ends: ends.into(),
            other: edges
                .iter()
                .map(|(_, to, _)| *to)
                .collect::<Vec<_>>()
                .into(),
            edge: edges
                .iter()
                .map(|(_, _, edge)| *edge)
                .collect::<Vec<_>>()
                .into(),
        }
    }

    /// The edges of an object: the other end and the edge's type.
    pub fn of(&self, object: u32) -> impl Iterator<Item = (u32, usize)> {
        range(&self.ends, object as usize).map(|i| (self.other[i], self.edge[i] as usize))
    }
}
