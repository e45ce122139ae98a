//! Typed edges of a layer in one direction, as columns.

use super::layer::Meta;
use crate::column::{self, Column, range};
use crate::index::{Columns, IndexError};

/// Edges by the object they start (or end) at.
#[derive(Default)]
pub struct Arcs {
    ends: Column<u64>,
    other: Column<u32>,
    edge: Column<u32>,
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

    pub fn columns<'a>(&'a self, name: &str, each: &mut dyn FnMut(&str, &'a [u8])) {
        each(&format!("{name}.end"), self.ends.bytes());
        each(&format!("{name}.other"), self.other.bytes());
        each(&format!("{name}.edge"), self.edge.bytes());
    }

    pub fn open(columns: &Columns, name: &str, meta: &Meta) -> Result<Arcs, IndexError> {
        let arcs = Arcs {
            ends: columns.column(&format!("{name}.end"))?,
            other: columns.column(&format!("{name}.other"))?,
            edge: columns.column(&format!("{name}.edge"))?,
        };
        let (end, other, edge) = (
            format!("{name}.end"),
            format!("{name}.other"),
            format!("{name}.edge"),
        );
        columns.length(&end, arcs.ends.len(), meta.objects)?;
        columns.length(&other, arcs.other.len(), meta.edges)?;
        columns.length(&edge, arcs.edge.len(), meta.edges)?;
        columns.hold([
            (&end, column::ends(&arcs.ends, meta.edges)),
            (&other, column::below(&arcs.other, meta.objects)),
            (&edge, column::below(&arcs.edge, meta.schema.edges.len())),
        ])?;
        Ok(arcs)
    }

    /// The edges of an object: the other end and the edge's type.
    pub fn of(&self, object: u32) -> impl Iterator<Item = (u32, usize)> {
        range(&self.ends, object as usize).map(|i| (self.other[i], self.edge[i] as usize))
    }
}
