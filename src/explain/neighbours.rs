//! The edges of one node, and what crosses them.

use crate::layers::Node;
use crate::retrieve::Retrieval;
use serde::Serialize;

/// One edge of a node.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Neighbour {
    /// The node at the other end.
    pub node: Node,
    /// w of the edge.
    pub weight: f32,
    /// Mentions behind it, on the graph of passages and entities.
    pub tf: u16,
    /// What joins the two.
    pub kind: &'static str,
    /// P[node, neighbour].
    pub probability: f64,
    /// Mass that crosses to the neighbour in the walk's last step.
    pub sends: f64,
    /// Mass that comes back the other way.
    pub receives: f64,
}

/// The neighbours of a node by what it sends them, most first; ties by node. Empty where no walk is.
pub fn neighbours(retrieval: &Retrieval, node: Node) -> Vec<Neighbour> {
    let Some(walk) = retrieval.walk() else {
        return Vec::new();
    };
    let (graph, spread) = (walk.graph, walk.spread);
    let moving = spread.diffusion.moving();
    // The last step's flow left the state before the last one; of a push what is settled at the end tells.
    let before = match spread.states.len() {
        n if n >= 2 && !spread.diffusion.pushes() => Some(&spread.states[n - 2]),
        _ => None,
    };
    let mass = |n: Node| match before {
        Some(before) => f64::from(before[n as usize]),
        None => spread.mass[n as usize],
    };
    let entities = graph.entities();
    let mut found: Vec<Neighbour> = graph
        .neighbours(node)
        .map(|(other, weight)| {
            let probability = graph.probability(node, other);
            Neighbour {
                node: other,
                weight,
                tf: entities.map_or(0, |view| view.tf(node, other)),
                kind: graph.source().edge_kind(node, other),
                probability,
                sends: moving * mass(node) * probability,
                receives: moving * mass(other) * graph.probability(other, node),
            }
        })
        .collect();
    found.sort_by(|a, b| b.sends.total_cmp(&a.sends).then(a.node.cmp(&b.node)));
    found
}
