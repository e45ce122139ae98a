//! Where a node's mass came from: shares of the seeds, the best path, the states of the walk, distances.

use super::layer::NodeRagLayer;
use super::node::{Kind, meaning};
use super::params::{Params, WalkRule};
use super::search::{Answer, jump};
use super::view::View;
use crate::graph::walk::{Forward, Sparse, backward};
use crate::graph::{Dangling, Transition};
use crate::index::Index;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Longer paths than this are not looked for.
const LONGEST: usize = 8;

/// A walk from a seed to a node.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    pub nodes: Vec<u32>,
    /// Chance of each step.
    pub kept: Vec<f64>,
}

impl Answer {
    pub(super) fn view(&self) -> Arc<View> {
        self.layer.view(self.params.view())
    }

    /// What every seed paid of a node's mass, the greatest first. The shares add up to the mass.
    pub(super) fn shares(&self, node: u32) -> Vec<(u32, f64)> {
        let view = self.view();
        let lengths = self.params.lengths();
        let reverse = backward(
            &view.transition,
            node,
            self.params.steps,
            Dangling::Reseed,
            &jump(&view),
        );
        let mut shares: Vec<(u32, f64)> = self
            .run
            .seeds
            .iter()
            .map(|&(seed, p)| {
                let paid = lengths.iter().zip(&reverse);
                let paid: f64 = paid.map(|(c, h)| c * h[seed as usize]).sum();
                (seed, p * paid)
            })
            .filter(|share| share.1 > 0.0)
            .collect();
        shares.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        shares
    }

    /// The walk of at most so many steps from a seed to a node that keeps most mass.
    pub(super) fn path(&self, node: u32) -> Option<Path> {
        let view = self.view();
        // Best chance to come from u to the node in exactly m steps, and by which neighbour.
        let mut waves: Vec<BTreeMap<u32, (f64, u32)>> = vec![BTreeMap::from([(node, (1.0, node))])];
        for _ in 0..self.params.steps.min(LONGEST) {
            let mut wave: BTreeMap<u32, (f64, u32)> = BTreeMap::new();
            let before = waves.last().into_iter().flatten();
            for (&v, &(chance, _)) in before {
                let (sources, weights) = view.transition.row(v as usize);
                for (&u, &w) in sources.iter().zip(weights) {
                    let own = chance * f64::from(w) * view.transition.scale(u as usize);
                    let slot = wave.entry(u).or_insert((0.0, v));
                    if own > slot.0 {
                        *slot = (own, v);
                    }
                }
            }
            waves.push(wave);
        }
        let mut best: Option<(f64, usize, u32)> = None;
        for (steps, wave) in waves.iter().enumerate() {
            for &(seed, p) in &self.run.seeds {
                if let Some((chance, _)) = wave.get(&seed)
                    && best.is_none_or(|(most, ..)| p * chance > most)
                {
                    best = Some((p * chance, steps, seed));
                }
            }
        }
        let (_, steps, seed) = best?;
        let mut nodes = vec![seed];
        for wave in waves[1..=steps].iter().rev() {
            let next = wave.get(&nodes[nodes.len() - 1])?.1;
            nodes.push(next);
        }
        let step = |pair: &[u32]| {
            view.transition
                .probability(pair[0] as usize, pair[1] as usize)
        };
        Some(Path {
            kept: nodes.windows(2).map(step).collect(),
            nodes,
        })
    }

    /// Hands every state of the walk to `each`, from the personalisation on.
    pub(super) fn timeline(&self, mut each: impl FnMut(usize, &[f64])) {
        let view = self.view();
        let jump = jump(&view);
        let mut state = vec![0.0; view.transition.nodes()];
        for &(node, p) in &self.run.seeds {
            state[node as usize] = p;
        }
        each(0, &state);
        for step in 1..=self.params.steps {
            let held = (0..).zip(&state).filter(|(_, mass)| **mass > 0.0);
            let held: Sparse = held.map(|(node, &mass)| (node, mass)).collect();
            let mut walk = Forward::from(&view.transition, &held, &jump, Dangling::Reseed);
            walk.step(1.0, 0.0);
            let moved = walk.into_mass();
            state = next(&self.params, &self.run.seeds, &state, moved);
            each(step, &state);
        }
    }

    /// Steps from the nearest seed to any of these nodes.
    pub(super) fn distance(&self, from: &[u32]) -> Option<usize> {
        let view = self.view();
        let n = view.transition.nodes();
        let mut seed = vec![false; n];
        for &(node, _) in &self.run.seeds {
            seed[node as usize] = true;
        }
        let mut seen = vec![false; n];
        let mut frontier: Vec<u32> = from.to_vec();
        frontier.iter().for_each(|&u| seen[u as usize] = true);
        for steps in 0.. {
            if frontier.iter().any(|&u| seed[u as usize]) {
                return Some(steps);
            }
            frontier = wave(&view.transition, &frontier, &mut seen);
            if frontier.is_empty() {
                return None;
            }
        }
        None
    }
}

fn wave(transition: &Transition, frontier: &[u32], seen: &mut [bool]) -> Vec<u32> {
    let mut next = Vec::new();
    for &u in frontier {
        for &v in transition.row(u as usize).0 {
            if !std::mem::replace(&mut seen[v as usize], true) {
                next.push(v);
            }
        }
    }
    next
}

/// The state after one step, by the definition of either rule.
fn next(params: &Params, seeds: &Sparse, before: &[f64], moved: Vec<f64>) -> Vec<f64> {
    let alpha = params.alpha;
    let mut state = moved;
    match params.walk_rule {
        WalkRule::Restart => {
            state.iter_mut().for_each(|mass| *mass *= 1.0 - alpha);
            for &(node, p) in seeds {
                state[node as usize] += alpha * p;
            }
        }
        WalkRule::Lazy => {
            for (mass, before) in state.iter_mut().zip(before) {
                *mass = alpha * *mass + (1.0 - alpha) * before;
            }
        }
    }
    state
}

/// A node in few words.
pub(super) fn short(layer: &NodeRagLayer, index: &Index, node: u32) -> String {
    let first = |text: &str| clipped(text.lines().next().unwrap_or_default(), 60);
    match layer.kind(node) {
        Kind::Text => {
            let (passage, span) = layer.piece(node);
            match index.title(passage) {
                "" => first(&index.text(passage)[span]),
                title => title.to_owned(),
            }
        }
        Kind::Attribute => {
            let of = layer.tied(node, Kind::Entity).next();
            let name = of.map_or("", |entity| layer.label(entity));
            format!("profile of {name}")
        }
        _ => first(layer.label(node)),
    }
}

/// The first so many characters, with a mark where more follow.
pub(super) fn clipped(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(most.saturating_sub(1)).collect();
    cut.push('…');
    cut
}

/// What joins two nodes: the meaning of the edge, how often it was made, whether they are similar.
pub(super) fn joined(layer: &NodeRagLayer, a: u32, b: u32) -> (&'static str, String) {
    let Some(edge) = layer.edges(a).find(|e| e.to == b) else {
        return ("", String::new());
    };
    let meaning = if edge.made > 0 {
        meaning(layer.kind(a), layer.kind(b))
    } else {
        "hnsw"
    };
    let mut why = format!("made {}x", edge.made);
    if edge.near {
        why = if edge.made > 0 {
            format!("{why}, similar too")
        } else {
            "similar".to_owned()
        };
    }
    (meaning, why)
}
