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

/// The heaviest of some nodes, and what the others come to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Heaviest {
    /// With their weights, heaviest first; ties by node.
    pub nodes: Vec<(Node, f64)>,
    /// How many are not among them though they could be, and their weight.
    pub more: (usize, f64),
    /// How many were skipped, and their weight.
    pub skipped: (usize, f64),
}

/// The `most` heaviest of some nodes with weights, without those that `skip` leaves out. Those that are neither have no
/// order: of a hub with thousands of neighbours only what is shown is sorted.
pub fn heaviest(
    nodes: impl Iterator<Item = (Node, f64)>,
    most: usize,
    skip: &dyn Fn(Node) -> bool,
) -> Heaviest {
    let weight = |nodes: &[(Node, f64)]| (nodes.len(), nodes.iter().map(|node| node.1).sum());
    let (skipped, mut nodes): (Vec<_>, Vec<_>) = nodes.partition(|node| skip(node.0));
    let order = |a: &(Node, f64), b: &(Node, f64)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    let mut more = (0, 0.0);
    if most == 0 {
        more = weight(&nodes);
        nodes.clear();
    } else if nodes.len() > most {
        nodes.select_nth_unstable_by(most - 1, order);
        more = weight(&nodes[most..]);
        nodes.truncate(most);
    }
    nodes.sort_unstable_by(order);
    Heaviest {
        nodes,
        more,
        skipped: weight(&skipped),
    }
}

/// The neighbours of a node by what it sends them, most first; ties by node. Empty where no walk is.
pub fn neighbours(retrieval: &Retrieval, node: Node) -> Vec<Neighbour> {
    let Some(walk) = retrieval.walk() else {
        return Vec::new();
    };
    let (graph, spread) = (walk.graph, walk.spread);
    let entities = graph.entities();
    let mut found: Vec<Neighbour> = graph
        .all_neighbours(node)
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_heaviest_are_those_of_a_full_sort_and_all_weight_is_accounted_for(
            weights in proptest::collection::vec(0u8..6, 0..40),
            most in 0usize..12,
            hidden in 0u32..5,
        ) {
            let nodes = || (0u32..).zip(weights.iter().map(|weight| f64::from(*weight)));
            let skip = |node: Node| node % 5 == hidden;
            let own = heaviest(nodes(), most, &skip);
            let mut sorted: Vec<_> = nodes().filter(|node| !skip(node.0)).collect();
            sorted.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            sorted.truncate(most);
            prop_assert_eq!(&own.nodes, &sorted);
            prop_assert_eq!(own.nodes.len() + own.more.0 + own.skipped.0, weights.len());
            let shown: f64 = own.nodes.iter().map(|node| node.1).sum();
            let all: f64 = nodes().map(|node| node.1).sum();
            prop_assert!((shown + own.more.1 + own.skipped.1 - all).abs() < 1e-9);
        }
    }
}
