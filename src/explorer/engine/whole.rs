//! All of a small graph: every node with its mass and every edge with what crosses it, step by step.

use super::flow::told;
use super::ways::node_row;
use crate::explain::flow::{Kept, moved, transfers};
use crate::explorer::scene::{Edge, Flow, FlowStep, Lane, Scene, Whole};
use crate::explorer::text::plural;
use crate::index::Index;
use crate::retrieve::Node;
use crate::retrieve::retrieval::Walked;
use crate::retrieve::spread::restart_of;
use std::sync::Arc;

/// Most nodes that are drawn one by one.
const NODES: usize = 8;

/// None of a graph with more nodes than can be drawn one by one.
pub fn whole(index: &Index, walk: &Walked<'_>, scene: &Scene) -> Option<Arc<Whole>> {
    let graph = walk.graph;
    if graph.nodes() > NODES {
        return None;
    }
    let (passages, others): (Vec<Node>, Vec<Node>) =
        (0..graph.nodes() as Node).partition(|node| graph.is_passage(*node));
    let kind = others.first().map_or("node", |_| scene.noun);
    let columns = [(others, kind), (passages, "passage")];
    let columns: Vec<(Vec<Node>, &str)> = columns
        .into_iter()
        .filter(|(nodes, _)| !nodes.is_empty())
        .collect();
    let place = |node: Node| {
        let mut columns = columns.iter().enumerate();
        columns.find_map(|(lane, (nodes, _))| {
            let row = nodes.iter().position(|own| *own == node)?;
            Some((lane, row))
        })
    };
    let by_row = |of: &dyn Fn(Node) -> f64| -> Vec<Vec<f64>> {
        let column = |(nodes, _): &(Vec<Node>, &str)| nodes.iter().map(|node| of(*node)).collect();
        columns.iter().map(column).collect()
    };
    let mut edges = Vec::new();
    for from in columns.iter().flat_map(|(nodes, _)| nodes) {
        for (to, _) in graph.neighbours(*from) {
            let (Some(a), Some(b)) = (place(*from), place(to)) else {
                continue;
            };
            if a < b {
                edges.push(Edge {
                    from: a,
                    to: b,
                    passes: [graph.probability(*from, to), graph.probability(to, *from)],
                });
            }
        }
    }
    let restart = restart_of(walk.seeds().iter());
    let restarts = |node: Node| {
        let mut seeds = restart.iter();
        seeds
            .find(|(seed, _)| *seed == node)
            .map_or(0.0, |(_, p)| *p)
    };
    let mut whole = Whole {
        edges,
        ..Whole::default()
    };
    for (k, state) in walk.spread.states.iter().enumerate() {
        let step = told(index, walk, scene, k);
        whole.flow.steps.push(FlowStep {
            mass: by_row(&|node| f64::from(state[node as usize])),
            ..step
        });
        let sent = transfers(walk, k);
        let crossed = |edge: &Edge| {
            let over = |ends| {
                let own = sent
                    .iter()
                    .filter(|t| Some(ends) == place(t.from).zip(place(t.to)));
                own.map(|t| t.mass).sum()
            };
            [over((edge.from, edge.to)), over((edge.to, edge.from))]
        };
        let crossed = whole.edges.iter().map(crossed).collect();
        whole.crossed.push(crossed);
        let back = moved(walk, k).filter(|moved| moved.kind == Kept::Restarts);
        let back = back.map_or(0.0, |moved| moved.kept);
        whole.restarted.push(by_row(&|node| back * restarts(node)));
    }
    let lane = |(nodes, noun): &(Vec<Node>, &str)| Lane {
        head: plural(nodes.len(), noun),
        rows: nodes
            .iter()
            .map(|node| node_row(index, graph, scene, *node))
            .collect(),
    };
    whole.flow = Flow {
        lanes: columns.iter().map(lane).collect(),
        ..whole.flow
    };
    Some(Arc::new(whole))
}
