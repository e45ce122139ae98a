//! Exact attribution: how much of a node's score each seed paid for, by walk length, and along which paths.

use crate::graph::push::{self, PushThreshold};
use crate::graph::walk::{self, Forward, Sparse};
use crate::graph::{Dangling, Transition};
use crate::parameters::{ALPHA, DANGLING, EPSILON, STEPS, WALK, Walk};
use crate::retrieve::retrieval::Node;
use crate::retrieve::spread::{self, reach, restart};
use crate::retrieve::{GraphView, Retrieval, Select};
use rayon::prelude::*;
use serde::Serialize;

/// The score of one node, opened.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Attribution {
    pub node: Node,
    /// What the shares sum to: the score of the walk (power), or of its limit within `error` (push).
    pub score: f64,
    /// (place in the seeds, its share of the score, absolute), largest first; seeds that pay nothing are left out.
    pub shares: Vec<(usize, f64)>,
    /// Score by walk length 0..=T; they sum to `score`. Empty for push, whose walks have every length.
    pub by_length: Vec<f64>,
    /// The walks that carry most, best first, each node sequence once.
    pub paths: Vec<Path>,
    /// Push: how far `score` may be below the limit. 0 for power.
    pub error: f64,
}

/// A walk from a seed to the node.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Path {
    /// From the seed to the node.
    pub nodes: Vec<Node>,
    /// Mass that takes exactly this walk: seed weight, times every step's probability, times the weight of its length.
    pub mass: f64,
    /// Probability of each step; a small one is where a hub dilutes the mass.
    pub kept: Vec<f64>,
}

/// How many paths are kept.
const PATHS: usize = 5;
/// Walks of push have every length; paths are looked for up to this one.
const LONGEST_PUSH_PATH: usize = 6;

/// Opens the score of a node. `None` for a flat retrieval, which has no walk.
pub fn attribution(retrieval: &Retrieval, node: Node) -> Option<Attribution> {
    // A fused score is not the walk's: its parts are the lists.
    if retrieval.settings.method().select != Select::Score {
        return None;
    }
    let (view, walked) = (retrieval.view.as_deref()?, retrieval.spread.as_deref()?);
    let settings = &retrieval.settings;
    let alpha = settings.get(ALPHA);
    let seeds = restart(&retrieval.seeds);
    let pushed = settings.get(WALK) == Walk::Push;
    // Pushed well below the forward walk's threshold, so that shares are the finer of the two.
    let epsilon = (settings.get(EPSILON) * 0.01).max(1e-9);
    let reach = reach(view, &seeds, settings, node, epsilon);
    let shares: Vec<(usize, f64)> = spread::shares(&retrieval.seeds, &reach)
        .iter()
        .map(|s| (s.seed, s.mass))
        .collect();
    // The forward walk is short of the limit by at most what it has not settled.
    let unsettled = match pushed {
        true => walked.ledgers.last().map_or(0.0, |l| l.residual),
        false => 0.0,
    };
    let score = shares.iter().map(|s| s.1).sum();
    let steps = if pushed {
        LONGEST_PUSH_PATH
    } else {
        settings.get(STEPS).min(LONGEST_PUSH_PATH)
    };
    let weights = if pushed {
        (0..=steps)
            .map(|k| alpha * (1.0 - alpha).powi(k as i32))
            .collect()
    } else {
        walk::length_weights(alpha, settings.get(STEPS))
    };
    let paths = best_paths(view, &seeds, node, &weights[..=steps]);
    Some(Attribution {
        node,
        score,
        shares,
        by_length: reach.by_length,
        paths,
        error: reach.error + unsettled,
    })
}

/// The heaviest walks from any seed to the node, at most `weights.len() - 1` steps: a dynamic programme over the
/// nodes, keeping for each (step, node) the best way from there to the target.
fn best_paths(view: &GraphView, seeds: &Sparse, target: Node, weights: &[f64]) -> Vec<Path> {
    let t = &view.transition;
    // layers[m][u] = (best product of probabilities of an m-step walk u -> target, next node on it)
    let mut first = vec![(0.0, target); t.nodes()];
    first[target as usize].0 = 1.0;
    let mut layers: Vec<Vec<(f64, u32)>> = vec![first];
    for m in 1..weights.len() {
        let before = &layers[m - 1];
        let mut layer = vec![(0.0, target); t.nodes()];
        let best = |u: usize, slot: &mut (f64, u32)| {
            let (targets, ws) = t.row(u);
            for (&v, &w) in targets.iter().zip(ws) {
                let through = before[v as usize].0;
                if through > 0.0 {
                    let through = through * f64::from(w) * t.into(v as usize);
                    if through > slot.0 {
                        *slot = (through, v);
                    }
                }
            }
            slot.0 *= t.scale(u);
        };
        if m + 1 == weights.len() {
            // Nothing is built on the last layer: only the seeds are asked for.
            seeds
                .iter()
                .for_each(|&(u, _)| best(u as usize, &mut layer[u as usize]));
        } else {
            walk::each_node(&mut layer, best);
        }
        layers.push(layer);
    }
    let mut found: Vec<Path> = Vec::new();
    for (m, weight) in weights.iter().enumerate() {
        for &(seed, s) in seeds {
            let (product, _) = layers[m][seed as usize];
            let mass = s * product * weight;
            if mass > 0.0 {
                let mut nodes = vec![seed];
                for layer in layers[1..=m].iter().rev() {
                    nodes.push(layer[nodes[nodes.len() - 1] as usize].1);
                }
                let kept = nodes
                    .windows(2)
                    .map(|pair| t.probability(pair[0] as usize, pair[1] as usize))
                    .collect();
                found.push(Path { nodes, mass, kept });
            }
        }
    }
    found.sort_by(|a, b| {
        b.mass
            .total_cmp(&a.mass)
            .then_with(|| a.nodes.cmp(&b.nodes))
    });
    found.truncate(PATHS);
    found
}

/// The exact part of every node's score that each group of seeds paid for: one walk a group, restarted at its seeds
/// with their weights. For power the groups' parts sum to the score; for push to within the residual.
pub fn shares(retrieval: &Retrieval, groups: &[Vec<usize>]) -> Vec<Vec<f32>> {
    let (Some(view), Some(_)) = (retrieval.view.as_deref(), retrieval.spread.as_deref()) else {
        return Vec::new();
    };
    let settings = &retrieval.settings;
    let alpha = settings.get(ALPHA);
    let rule = settings.get(DANGLING);
    let parts: Vec<Sparse> = groups
        .iter()
        .map(|group| {
            let mut part: Sparse = group
                .iter()
                .map(|&i| (retrieval.seeds[i].node, retrieval.seeds[i].weight))
                .collect();
            part.sort_unstable_by_key(|s| s.0);
            part
        })
        .collect();
    let floats = |scores: Vec<f64>| scores.into_iter().map(|s| s as f32).collect();
    let epsilon = settings.get(EPSILON);
    let steps = settings.get(STEPS);
    if settings.get(WALK) == Walk::Push {
        let push = |part: &Sparse| {
            push::forward(
                &view.transition,
                part,
                alpha,
                epsilon,
                PushThreshold::Plain,
                rule,
                |_| {},
            )
        };
        return parts
            .par_iter()
            .map(|part| floats(push(part).estimate))
            .collect();
    }
    if rule == Dangling::Reseed {
        let all = restart(&retrieval.seeds);
        return parts
            .iter()
            .map(|part| floats(group_walk(view, part, &all, alpha, steps, rule)))
            .collect();
    }
    let mut shares = Vec::with_capacity(parts.len());
    for parts in parts.chunks(8) {
        let walk = (&view.transition, parts, alpha, steps, rule);
        shares.extend(match parts.len() {
            1..=2 => lanes::<2>(walk),
            3..=4 => lanes::<4>(walk),
            _ => lanes::<8>(walk),
        });
    }
    shares
}

/// The masses of walks taken together, one vector a walk.
fn lanes<const K: usize>(walk: (&Transition, &[Sparse], f64, usize, Dangling)) -> Vec<Vec<f32>> {
    let (transition, parts, alpha, steps, rule) = walk;
    let mass = walk::power_many::<K>(transition, parts, alpha, steps, rule);
    (0..parts.len())
        .map(|lane| mass.iter().map(|m| m[lane] as f32).collect())
        .collect()
}

/// r = sum over k of c_k (P^T)^k s for a part s of the seeds. Dead ends that reseed return to all seeds, as P says.
fn group_walk(
    view: &GraphView,
    part: &Sparse,
    all: &Sparse,
    alpha: f64,
    steps: usize,
    rule: Dangling,
) -> Vec<f64> {
    let weights = walk::length_weights(alpha, steps);
    let mut states = Forward::from(&view.transition, part, all, rule);
    let mut sum = vec![0.0; view.nodes()];
    for (k, weight) in weights.iter().enumerate() {
        if k > 0 {
            states.step(1.0, 0.0);
        }
        for (total, x) in sum.iter_mut().zip(states.mass()) {
            *total += weight * x;
        }
    }
    sum
}
