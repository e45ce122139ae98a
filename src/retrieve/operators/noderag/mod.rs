//! NodeRAG over its graph of seven kinds of nodes: names and vector hits start a shallow walk, every kind of node has a
//! quota of what the walk may choose, and passages come by what landed on their texts and units (NodeRAG,
//! "Graph searching": dual search, shallow PPR, filtering).

pub(crate) mod passages;
pub(crate) mod quotas;
pub(crate) mod restart;

use passages::BEST;
use quotas::QUOTAS;
use restart::WEIGHED;

use super::names::NAMES;
use super::nearest::NEAREST_HITS;
use super::walk::RULED;
use crate::layers::heterograph::source::{HeteroGraph, NODERAG};
use crate::layers::heterograph::{Kind, NodeRagLayer};
use crate::layers::{Graph, Node};
use crate::retrieve::plan::Plan;
use crate::retrieve::retrieval::Spread;
use crate::retrieve::set::Set;
use std::sync::Arc;

pub fn plan() -> Plan {
    let mut plan = Plan::default();
    let names = plan.on(&NODERAG, &NAMES, &[]);
    let near = plan.on(&NODERAG, &NEAREST_HITS, &[]);
    let seeds = plan.on(&NODERAG, &WEIGHED, &[names, near]);
    let walk = plan.on(&NODERAG, &RULED, &[seeds]);
    let chosen = plan.on(&NODERAG, &QUOTAS, &[near, walk]);
    plan.on(&NODERAG, &BEST, &[chosen, walk]);
    plan
}

fn layer(graph: &Graph) -> &NodeRagLayer {
    &graph.source_as::<HeteroGraph>().layer
}

/// A passage's texts and their units, ascending.
fn own_nodes(graph: &Graph, passage: u32) -> Vec<Node> {
    let layer = layer(graph);
    let mut own = graph.nodes_of(passage).to_vec();
    own.retain(|&node| matches!(layer.kind(node), Kind::Text | Kind::Unit));
    own
}

/// Mass of every node.
fn mass(inputs: &[Arc<Set>]) -> &[f64] {
    let spread = inputs.iter().find_map(|set| set.get::<Spread>());
    spread.map_or(&[], |spread| &spread.mass[..])
}
