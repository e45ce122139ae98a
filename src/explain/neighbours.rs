//! The edges of one node, and what crosses them.

use crate::parameters::{ALPHA, WALK, Walk};
use crate::retrieve::Retrieval;
use crate::retrieve::retrieval::Node;
use serde::Serialize;

/// One edge of a node.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Neighbour {
    pub node: Node,
    /// w of the edge.
    pub weight: f32,
    /// Mentions behind it.
    pub tf: u16,
    /// P[node, neighbour].
    pub probability: f64,
    /// Mass that crosses to the neighbour in one step from the walk's last state: (1-alpha) r(node) P.
    pub sends: f64,
    /// Mass that comes back the other way.
    pub receives: f64,
}

/// The neighbours of a node by what it sends them, most first; ties by id. Empty for flat retrievals.
pub fn neighbours(retrieval: &Retrieval, node: Node) -> Vec<Neighbour> {
    let (Some(view), Some(spread)) = (retrieval.view.as_deref(), retrieval.spread.as_deref())
    else {
        return Vec::new();
    };
    let keep = 1.0 - retrieval.settings.get(ALPHA);
    // In power mode the last step's flow left the state before the last one.
    let before = match spread.states.len() {
        n if n >= 2 && retrieval.settings.get(WALK) == Walk::Power => &spread.states[n - 2],
        _ => &spread.scores,
    };
    let mass = |n: Node| f64::from(before[n as usize]);
    let mut found: Vec<Neighbour> = view
        .neighbours(node)
        .map(|(other, weight)| {
            let probability = view.probability(node, other);
            Neighbour {
                node: other,
                weight,
                tf: view.tf(node, other),
                probability,
                sends: keep * mass(node) * probability,
                receives: keep * mass(other) * view.probability(other, node),
            }
        })
        .collect();
    found.sort_by(|a, b| b.sends.total_cmp(&a.sends).then(a.node.cmp(&b.node)));
    found
}
