//! Where a node's mass came from: shares of the seeds, the best path, the states of the walk, distances.

use super::layer::NodeRagLayer;
use super::node::{Kind, meaning};
use super::params::{Params, WalkRule};
use super::search::{Answer, jump};
use super::view::View;
use crate::graph::Dangling;
use crate::graph::trail::{self, Trail};
use crate::graph::walk::{Forward, Sparse, backward};
use crate::index::Index;
use crate::text::span;
use std::sync::Arc;

/// Longer paths than this are not looked for.
const LONGEST: usize = 8;

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
    pub(super) fn path(&self, node: u32) -> Option<Trail> {
        let steps = self.params.steps.min(LONGEST);
        trail::best(&self.view().transition, &self.run.seeds, node, steps)
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
        trail::distance(&self.view().transition, &self.run.seeds, from)
    }
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
pub(in crate::systems) fn short(layer: &NodeRagLayer, index: &Index, node: u32) -> String {
    let first = |text: &str| clipped(text.lines().next().unwrap_or_default(), 60);
    match layer.kind(node) {
        Kind::Text => {
            let (passage, span) = layer.piece(node);
            match index.title(passage) {
                "" => first(span::clipped(index.text(passage), span)),
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

pub(super) use crate::retrieve::explanation::clip as clipped;

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
