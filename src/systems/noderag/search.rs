//! Dual search, shallow walk, quotas, and the passages that what was found stands for.

use super::layer::NodeRagLayer;
use super::node::{KINDS, Kind};
use super::params::{NodeOrder, Params};
use super::terms::{Term, linked};
use super::view::View;
use crate::graph::Dangling;
use crate::graph::walk::{Forward, Sparse};
use crate::index::Index;
use crate::retrieve::{Hit, RetrieveError};
use std::collections::BTreeMap;
use std::sync::Arc;

/// How a node became part of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Entry {
    /// Among the nearest by vector.
    Vector,
    /// By the walk, within its quota.
    Cross,
    /// The attribute of a chosen entity, or the element of a chosen overview.
    Attached,
}

/// A node that was chosen. N and O are chosen for what is attached to them and are no part of the answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chosen {
    pub node: u32,
    pub entry: Entry,
    pub pi: f64,
    /// From 1, among the vector hits, within the quota, or among those attached.
    pub rank: usize,
}

/// Everything a search found, by typed quantity.
#[derive(Clone, Debug, Default)]
pub struct Run {
    pub terms: Vec<Term>,
    /// Exact matches of all terms, ascending.
    pub exact: Vec<u32>,
    /// Nearest nodes by vector with their cosine, best first.
    pub vector: Vec<(u32, f32)>,
    /// The personalisation p: nodes ascending, summing to 1.
    pub seeds: Sparse,
    /// The last state of the walk, where it is above 0; nodes ascending.
    pub pi: Sparse,
    /// Vector hits, then cross nodes by quota, then attached ones.
    pub chosen: Vec<Chosen>,
    /// Passages by the best of the nodes that stand for them; a score is what that node is [`worth`].
    pub hits: Vec<Hit>,
    /// Of every hit: that node.
    pub support: Vec<u32>,
}

/// A run with what is needed to explain it.
#[derive(Debug)]
pub struct Answer {
    pub run: Run,
    pub layer: Arc<NodeRagLayer>,
    pub question: String,
    pub vector: Vec<f32>,
    pub params: Params,
}

impl Answer {
    pub fn new(
        run: Run,
        layer: Arc<NodeRagLayer>,
        question: &str,
        vector: &[f32],
        params: Params,
    ) -> Answer {
        Answer {
            run,
            layer,
            question: question.to_owned(),
            vector: vector.to_vec(),
            params,
        }
    }
}

impl Run {
    /// Last state of the walk at a node.
    pub fn pi(&self, node: u32) -> f64 {
        at(&self.pi, node)
    }

    /// Share of the personalisation.
    pub fn p(&self, node: u32) -> f64 {
        at(&self.seeds, node)
    }

    pub fn is_vector(&self, node: u32) -> bool {
        self.vector.iter().any(|hit| hit.0 == node)
    }

    pub fn is_exact(&self, node: u32) -> bool {
        self.exact.binary_search(&node).is_ok()
    }

    pub fn chosen(&self, node: u32) -> Option<&Chosen> {
        self.chosen.iter().find(|c| c.node == node)
    }
}

fn at(values: &Sparse, node: u32) -> f64 {
    match values.binary_search_by_key(&node, |v| v.0) {
        Ok(at) => values[at].1,
        Err(_) => 0.0,
    }
}

/// Searches the layer. `stage` hears the name of each stage as it ends.
///
/// # Errors
/// No vector of the question, or a layer whose vectors are of another encoder.
pub fn search(
    layer: &NodeRagLayer,
    index: &Index,
    question: &str,
    vector: Option<&[f32]>,
    params: &Params,
    stage: &mut dyn FnMut(&'static str),
) -> Result<Run, RetrieveError> {
    let terms = linked(layer, question, &index.llm());
    follow(layer, index, terms, vector, params, stage)
}

/// Searches for terms that are known: nobody is asked for them again.
///
/// # Errors
/// As [`search`].
pub fn follow(
    layer: &NodeRagLayer,
    index: &Index,
    terms: Vec<Term>,
    vector: Option<&[f32]>,
    params: &Params,
    stage: &mut dyn FnMut(&'static str),
) -> Result<Run, RetrieveError> {
    let (Some(vector), Some(dense)) = (vector, index.dense()) else {
        return Err(RetrieveError::NoVectors {
            method: "noderag".into(),
        });
    };
    layer.vectors().check(dense.vectors.identity())?;
    let mut exact: Vec<u32> = terms
        .iter()
        .flat_map(|t| t.matches.iter().copied())
        .collect();
    exact.sort_unstable();
    exact.dedup();
    stage("link");
    // A question without a known word has a vector of zeros and is near to nothing.
    let mut near = layer.vectors().nearest(vector, params.vector_hits)?;
    near.retain(|hit| hit.1 > 0.0);
    let near: Vec<(u32, f32)> = near
        .into_iter()
        .map(|(row, cosine)| (layer.node_of_row(row), cosine))
        .collect();
    stage("score");
    let seeds = personalisation(&exact, &near, params);
    stage("seed");
    let view = layer.view(params.view());
    let pi = walked(&view, &seeds, &params.lengths());
    stage("spread");
    let mut run = Run {
        terms,
        exact,
        vector: near,
        seeds,
        ..Run::default()
    };
    choose(layer, &mut run, &pi, params);
    let reached = (0..).zip(pi).filter(|(_, mass)| *mass > 0.0);
    run.pi = reached.collect();
    passages(layer, &mut run, params.node_order);
    stage("select");
    Ok(run)
}

/// Exact matches and vector hits with their weights, exact where a node is both; normalised.
pub(super) fn personalisation(exact: &[u32], near: &[(u32, f32)], params: &Params) -> Sparse {
    let mut weights: BTreeMap<u32, f64> = BTreeMap::new();
    weights.extend(near.iter().map(|&(node, _)| (node, params.weight_vector)));
    if params.weight_exact > 0.0 {
        weights.extend(exact.iter().map(|&node| (node, params.weight_exact)));
    }
    weights.retain(|_, weight| *weight > 0.0);
    let total: f64 = weights.values().sum();
    weights
        .into_iter()
        .map(|(node, weight)| (node, weight / total))
        .collect()
}

/// Where the mass of isolated nodes goes: to all nodes evenly. Empty when there are none.
pub(super) fn jump(view: &View) -> Sparse {
    let n = view.transition.nodes();
    let even = |u| (u, 1.0 / n as f64);
    if view.isolated > 0 {
        (0..n as u32).map(even).collect()
    } else {
        Vec::new()
    }
}

/// The sum over walk lengths k of `c_k (P^T)^k p`, dense. Both rules are such sums.
pub(super) fn walked(view: &View, seeds: &Sparse, lengths: &[f64]) -> Vec<f64> {
    let mut sum = vec![0.0; view.transition.nodes()];
    states(view, seeds, lengths.len() - 1, |k, state| {
        for (sum, mass) in sum.iter_mut().zip(state) {
            *sum += lengths[k] * mass;
        }
    });
    sum
}

/// Hands `(P^T)^k p` for k from 0 to `steps` to `each`.
pub(super) fn states(
    view: &View,
    seeds: &Sparse,
    steps: usize,
    mut each: impl FnMut(usize, &[f64]),
) {
    let jump = jump(view);
    let mut walk = Forward::from(&view.transition, seeds, &jump, Dangling::Reseed);
    each(0, walk.mass());
    for k in 1..=steps {
        walk.step(1.0, 0.0);
        each(k, walk.mass());
    }
}

/// What shares a quota.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quota {
    pub kinds: Vec<Kind>,
    pub most: usize,
}

impl Params {
    /// N, R, O, then T, S, A, H together or each.
    pub fn quotas(&self) -> Vec<Quota> {
        let of = |kinds: &[Kind], most| Quota {
            kinds: kinds.to_vec(),
            most,
        };
        let mut quotas = vec![
            of(&[Kind::Entity], self.quota_n),
            of(&[Kind::Relation], self.quota_r),
            of(&[Kind::Overview], self.quota_o),
        ];
        let others = [Kind::Text, Kind::Unit, Kind::Attribute, Kind::Element];
        if self.quota_shared {
            quotas.push(of(&others, self.quota_other));
        } else {
            quotas.extend(others.map(|kind| of(&[kind], self.quota_other)));
        }
        quotas
    }
}

/// Vector hits, cross nodes in the order of their mass within their quotas, attributes and elements of chosen N and O.
pub(super) fn choose(layer: &NodeRagLayer, run: &mut Run, pi: &[f64], params: &Params) {
    let mut taken = vec![false; layer.nodes()];
    for (rank, &(node, _)) in run.vector.iter().enumerate() {
        taken[node as usize] = true;
        run.chosen.push(Chosen {
            node,
            entry: Entry::Vector,
            pi: pi[node as usize],
            rank: rank + 1,
        });
    }
    for quota in params.quotas() {
        let ranges = quota.kinds.iter().flat_map(|&kind| layer.range(kind));
        let mut able: Vec<(f64, u32)> = ranges
            .filter(|&u| pi[u as usize] > 0.0 && !taken[u as usize])
            .map(|u| (pi[u as usize], u))
            .collect();
        let order = |a: &(f64, u32), b: &(f64, u32)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        if quota.most < able.len() {
            able.select_nth_unstable_by(quota.most, order);
            able.truncate(quota.most);
        }
        able.sort_unstable_by(order);
        for (rank, (mass, node)) in able.into_iter().enumerate() {
            taken[node as usize] = true;
            run.chosen.push(Chosen {
                node,
                entry: Entry::Cross,
                pi: mass,
                rank: rank + 1,
            });
        }
    }
    let named: Vec<u32> = run.chosen.iter().map(|c| c.node).collect();
    let mut rank = 0;
    for node in named {
        let wanted = match layer.kind(node) {
            Kind::Entity => Kind::Attribute,
            Kind::Overview => Kind::Element,
            _ => continue,
        };
        for own in layer.tied(node, wanted) {
            if !std::mem::replace(&mut taken[own as usize], true) {
                rank += 1;
                run.chosen.push(Chosen {
                    node: own,
                    entry: Entry::Attached,
                    pi: pi[own as usize],
                    rank,
                });
            }
        }
    }
}

/// What a chosen node is worth: its mass; or, in the order of output, its cosine and 2 for a vector hit, its mass and 1 for
/// a cross node, its mass for an attached one. Neither cosine nor mass exceeds 1.
pub(super) fn worth(run: &Run, chosen: &Chosen, order: NodeOrder) -> f64 {
    match (order, chosen.entry) {
        (NodeOrder::Output, Entry::Vector) => 2.0 + f64::from(run.vector[chosen.rank - 1].1),
        (NodeOrder::Output, Entry::Cross) => 1.0 + chosen.pi,
        _ => chosen.pi,
    }
}

/// Passages by the best of the chosen nodes that stand for them. Where
/// several come by the same node, as those of one attribute do, the mass of their own texts and units decides, then the
/// lower number.
pub(super) fn passages(layer: &NodeRagLayer, run: &mut Run, order: NodeOrder) {
    // What it is worth, and by which node: the better first, then the lower node.
    let mut best: BTreeMap<u32, (f64, u32)> = BTreeMap::new();
    for chosen in &run.chosen {
        let worth = worth(run, chosen, order);
        for passage in layer.passages(chosen.node) {
            let slot = best.entry(passage).or_insert((worth, chosen.node));
            if worth > slot.0 || worth == slot.0 && chosen.node < slot.1 {
                *slot = (worth, chosen.node);
            }
        }
    }
    let mut order: Vec<(u32, f32, u32, f64)> = best
        .into_iter()
        .map(|(passage, (worth, node))| {
            let own = own_mass(layer, run, passage);
            (passage, worth as f32, node, own)
        })
        .collect();
    order.sort_by(|a, b| {
        (b.1.total_cmp(&a.1))
            .then(b.3.total_cmp(&a.3))
            .then(a.0.cmp(&b.0))
    });
    run.hits = order
        .iter()
        .map(|&(passage, score, ..)| Hit { passage, score })
        .collect();
    run.support = order.iter().map(|o| o.2).collect();
}

/// The greatest mass of a passage's own texts and units.
fn own_mass(layer: &NodeRagLayer, run: &Run, passage: u32) -> f64 {
    let own = own_nodes(layer, passage);
    own.into_iter().map(|u| run.pi(u)).fold(0.0, f64::max)
}

/// A passage's texts and their units, ascending.
pub(super) fn own_nodes(layer: &NodeRagLayer, passage: u32) -> Vec<u32> {
    let texts = layer.texts(passage);
    let mut own: Vec<u32> = texts
        .clone()
        .chain(texts.flat_map(|text| layer.tied(text, Kind::Unit)))
        .collect();
    own.sort_unstable();
    own.dedup();
    own
}

/// How many nodes of each kind a list has.
pub(super) fn by_kind(layer: &NodeRagLayer, nodes: impl Iterator<Item = u32>) -> [usize; KINDS] {
    let mut counts = [0; KINDS];
    nodes.for_each(|node| counts[layer.kind(node) as usize] += 1);
    counts
}
