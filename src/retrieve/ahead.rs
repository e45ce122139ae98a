//! Walks that go on over rows as they come. An index of all that came takes longer to make than many walks take. So where a
//! run lacks neighbours and nothing else, its walks go ahead of it: rows are fetched until the walks lack none, and only then
//! is an index made of them.
//!
//! Nodes are numbered as they come, those of the seeds first and in their order, and a row keeps the order of its arcs. So a
//! walk pushes the same nodes in the same order as over that index.

use super::engine::Retriever;
use super::retrieval::{Retrieval, Seeded, Spread};
use super::settings::Settings;
use super::spread::restart;
use super::{Node, RetrieveError};
use crate::graph::push::{Pushed, Rule};
use crate::graph::rows::{Rows, starts};
use crate::graph::walk::Sparse;
use crate::graph::{Beyond, Transition};
use crate::index::excerpt::{Excerpt, Numbered};
use crate::layers::{Graph, GraphKind};
use crate::parameters::{Parameter, Value};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// The walks of a run, and the graphs that they are on.
pub(super) struct Ahead {
    grounds: Vec<Ground>,
    walks: Vec<Walk>,
}

/// A walk by push.
struct Walk {
    /// Its graph, by place.
    ground: usize,
    /// By the numbers of that.
    seeds: Sparse,
    rule: Rule,
}

/// A graph as far as it came.
struct Ground {
    kind: &'static GraphKind,
    fixed: Vec<(Parameter, Value)>,
    /// Its numbers by those of the whole, and the other way.
    numbers: FxHashMap<u32, Node>,
    nodes: Vec<u32>,
    /// By node: the factor on arcs into it, its neighbours in the whole, and where its arcs are, if they came.
    into: Vec<f64>,
    degrees: Vec<u32>,
    rows: Vec<Option<Range<usize>>>,
    targets: Vec<Node>,
    weights: Vec<f32>,
}

impl Ahead {
    /// Those of a run over an index of what came so far.
    pub(super) fn of(excerpt: &Excerpt, numbered: &Numbered, run: &Retrieval) -> Ahead {
        let walked = run.records.iter().filter_map(|record| {
            let spread = record.output.get::<Spread>();
            let spread = spread.filter(|spread| spread.diffusion.pushes())?;
            let mut inputs = record.step.inputs.iter();
            let seeded = inputs.find_map(|at| run.records[*at].output.get::<Seeded>())?;
            let seeds = restart(&seeded.seeds);
            Some((
                record,
                record.graph.as_ref()?,
                spread.diffusion.rule(),
                seeds,
            ))
        });
        let walked: Vec<_> = walked.collect();
        let mut graphs: Vec<&Arc<Graph>> = Vec::new();
        let mut own = Ahead {
            grounds: Vec::new(),
            walks: Vec::new(),
        };
        for (record, graph, rule, seeds) in &walked {
            let known = graphs.iter().position(|known| Arc::ptr_eq(known, graph));
            let ground = known.unwrap_or_else(|| {
                graphs.push(graph);
                own.grounds
                    .push(Ground::new(graph.kind, &record.step.fixed));
                graphs.len() - 1
            });
            own.walks.push(Walk {
                ground,
                seeds: seeds.clone(),
                rule: *rule,
            });
        }
        for (at, (ground, graph)) in own.grounds.iter_mut().zip(graphs).enumerate() {
            let t = graph.transition();
            let on = || own.walks.iter().filter(|walk| walk.ground == at);
            let begun = on().flat_map(|walk| walk.seeds.iter().map(|seed| seed.0));
            for node in begun.collect::<BTreeSet<Node>>() {
                ground.number(t, numbered, node);
            }
            ground.add(t, numbered, excerpt.known());
        }
        for walk in &mut own.walks {
            let numbers = &own.grounds[walk.ground].numbers;
            for (node, _) in &mut walk.seeds {
                *node = numbers[&numbered.whole(*node)];
            }
        }
        own
    }

    /// Goes on where the neighbours of these nodes came.
    ///
    /// # Errors
    /// What opens no graph.
    pub(super) fn add(
        &mut self,
        excerpt: &Excerpt,
        settings: &Settings,
        came: &BTreeSet<u32>,
    ) -> Result<(), RetrieveError> {
        let piece = excerpt.piece(came)?;
        let mut retriever = Retriever::here(piece.index.clone());
        for ground in &mut self.grounds {
            let graph = retriever.graph(ground.kind, settings, &ground.fixed)?;
            ground.add(graph.transition(), &piece, came.iter().copied());
        }
        Ok(())
    }

    /// The nodes that the walks push and whose neighbours did not come, by their numbers in the whole.
    pub(super) fn reached(&self) -> BTreeSet<u32> {
        let graphs: Vec<Transition> = self.grounds.iter().map(Ground::transition).collect();
        let reached = self.walks.par_iter().flat_map_iter(|walk| {
            let (t, nodes) = (&graphs[walk.ground], &self.grounds[walk.ground].nodes);
            let mut out = Pushed::default();
            out.forward(t, &walk.seeds, &walk.rule, |_| {});
            let stopped = |node: &Node| {
                let node = *node as usize;
                out.estimate[node] > 0.0 && !t.knows(node)
            };
            let stopped = out.settled.iter().copied().filter(stopped);
            let whole = stopped.map(|node| nodes[node as usize]);
            whole.collect::<Vec<u32>>()
        });
        reached.collect::<Vec<u32>>().into_iter().collect()
    }
}

impl Ground {
    fn new(kind: &'static GraphKind, fixed: &[(Parameter, Value)]) -> Ground {
        Ground {
            kind,
            fixed: fixed.to_vec(),
            numbers: FxHashMap::default(),
            nodes: Vec::new(),
            into: Vec::new(),
            degrees: Vec::new(),
            rows: Vec::new(),
            targets: Vec::new(),
            weights: Vec::new(),
        }
    }

    /// The number of a node of another graph, of which it is known there what it weighs.
    fn number(&mut self, t: &Transition, numbered: &Numbered, node: Node) -> Node {
        let whole = numbered.whole(node);
        let next = self.nodes.len() as Node;
        let own = *self.numbers.entry(whole).or_insert(next);
        if own == next {
            self.nodes.push(whole);
            self.into.push(t.into(node as usize));
            self.degrees.push(t.degree(node as usize) as u32);
            self.rows.push(None);
        }
        own
    }

    /// Takes over the arcs of some nodes, by their numbers in the whole.
    fn add(&mut self, t: &Transition, numbered: &Numbered, came: impl Iterator<Item = u32>) {
        let came = came.filter_map(|node| numbered.node(node));
        for node in came.filter(|node| t.knows(*node as usize)) {
            let own = self.number(t, numbered, node);
            let start = self.targets.len();
            let (targets, weights) = t.row(node as usize);
            for to in targets {
                let to = self.number(t, numbered, *to);
                self.targets.push(to);
            }
            self.weights.extend_from_slice(weights);
            self.rows[own as usize] = Some(start..self.targets.len());
        }
    }

    fn transition(&self) -> Transition {
        let lengths = self.rows.iter().map(|row| match row {
            Some(row) => row.len() as u32,
            None => 0,
        });
        let came = || self.rows.iter().flatten();
        let weights = Rows {
            offsets: starts(lengths.collect()),
            targets: came()
                .flat_map(|row| &self.targets[row.clone()])
                .copied()
                .collect(),
            weights: came()
                .flat_map(|row| &self.weights[row.clone()])
                .copied()
                .collect(),
        };
        let known = self.rows.iter().map(Option::is_some).collect();
        let reached = (0..self.rows.len() as Node).collect();
        let beyond = Beyond::new(known, self.degrees.clone(), reached);
        Transition::within(weights, self.into.clone(), beyond)
    }
}
