//! The transition matrix of a walk under the settings: which edges count, and how much.

use super::layer::{Edge, NodeRagLayer};
use super::node::Kind;
use crate::derived::Weighed;
use crate::graph::Transition;
use crate::graph::rows::Rows;
use rayon::prelude::*;

/// What the matrix depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ViewKey {
    /// Similarity edges count, 1 on top of what an edge weighs otherwise.
    pub hnsw_edges: bool,
    /// Edges between relations and the units that state them count (paper; the code has none).
    pub s_r_edges: bool,
    /// No edge weighs more than 1 / degree of either end (code, `unbalance_adjust`; not in the paper).
    pub hub_balance: bool,
}

/// The matrix, and what it stands on.
pub struct View {
    pub transition: Transition,
}

impl Weighed for View {
    fn bytes(&self) -> usize {
        self.transition.bytes()
    }
}

impl ViewKey {
    /// What an edge of the layer weighs before balancing; 0 where it does not count.
    pub fn weight(&self, a: Kind, b: Kind, edge: &Edge) -> f32 {
        let made = if meaning_is_stated(a, b) && !self.s_r_edges {
            0.0
        } else {
            f32::from(edge.made)
        };
        made + f32::from(u8::from(edge.near && self.hnsw_edges))
    }
}

fn meaning_is_stated(a: Kind, b: Kind) -> bool {
    (a.min(b), a.max(b)) == (Kind::Unit, Kind::Relation)
}

impl View {
    pub(super) fn new(layer: &NodeRagLayer, key: ViewKey) -> View {
        let n = layer.nodes();
        let row = |u: u32| {
            let own = layer.kind(u);
            layer.edges(u).filter_map(move |edge| {
                let weight = key.weight(own, layer.kind(edge.to), &edge);
                (weight > 0.0).then_some((edge.to, weight))
            })
        };
        let degrees: Vec<u32> = (0..n as u32)
            .into_par_iter()
            .map(|u| row(u).count() as u32)
            .collect();
        let mut offsets: Vec<u32> = Vec::with_capacity(n + 1);
        offsets.push(0);
        let arcs = degrees.iter().map(|degree| *degree as usize).sum();
        let (mut targets, mut weights) = (Vec::with_capacity(arcs), Vec::with_capacity(arcs));
        for u in 0..n as u32 {
            for (v, weight) in row(u) {
                let most = degrees[u as usize].max(degrees[v as usize]);
                targets.push(v);
                weights.push(if key.hub_balance {
                    weight.min(1.0 / most as f32)
                } else {
                    weight
                });
            }
            offsets.push(targets.len() as u32);
        }
        let rows = Rows {
            offsets,
            targets,
            weights,
        };
        View {
            transition: Transition::new(rows, vec![1.0; n]),
        }
    }
}
