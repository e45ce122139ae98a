//! The edges of one node, and what crosses them.

use crate::layers::Node;
use crate::retrieve::Retrieval;
use crate::retrieve::retrieval::{Spread, Walked};
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

/// What leaves a node on the way to a state of the walk, without a state to its end: the mass before that step; of a push
/// what is settled by then tells. Nothing has left before the first step.
pub(super) fn leaving(spread: &Spread, state: Option<usize>, node: Node) -> f64 {
    let last = spread.states.len().checked_sub(1);
    let mass = |state: usize| f64::from(spread.states[state][node as usize]);
    let moved = match (state.or(last), spread.diffusion.pushes()) {
        (Some(state), true) if Some(state) != last => mass(state),
        (Some(0), false) => 0.0,
        (Some(state @ 1..), false) => mass(state - 1),
        _ => spread.mass[node as usize],
    };
    spread.diffusion.moving() * moved
}

/// What a node sends to each of some neighbours, and gets from them, on the way to each state of the walk. Empty where no
/// walk or no state is kept.
pub fn crossings(retrieval: &Retrieval, node: Node, others: &[Node]) -> Vec<Vec<(f64, f64)>> {
    let Some(Walked { graph, spread, .. }) = retrieval.walk() else {
        return Vec::new();
    };
    let odds = |from: Node, to: Node| graph.probability(from, to);
    let both: Vec<_> = others
        .iter()
        .map(|&o| (o, odds(node, o), odds(o, node)))
        .collect();
    let at = |state: usize| {
        let sent = leaving(spread, Some(state), node);
        let crossed = both.iter().map(|&(other, there, back)| {
            (sent * there, leaving(spread, Some(state), other) * back)
        });
        crossed.collect()
    };
    (0..spread.states.len()).map(at).collect()
}

/// The neighbours of a node by what it sends them, most first; ties by node. Empty where no walk is.
pub fn neighbours(retrieval: &Retrieval, node: Node) -> Vec<Neighbour> {
    let Some(walk) = retrieval.walk() else {
        return Vec::new();
    };
    let (graph, spread) = (walk.graph, walk.spread);
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
                sends: leaving(spread, None, node) * probability,
                receives: leaving(spread, None, other) * graph.probability(other, node),
            }
        })
        .collect();
    found.sort_by(|a, b| b.sends.total_cmp(&a.sends).then(a.node.cmp(&b.node)));
    found
}
