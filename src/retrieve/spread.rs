//! Spread: a walk from the seeds over the graph view.

use super::observer::Observer;
use super::retrieval::{Ledger, Parity, Seed, Spread};
use super::settings::Settings;
use super::view::GraphView;
use crate::graph::Power;
use crate::graph::power::State;
use crate::graph::push::{self, Pushed, Rule};
use crate::graph::walk::{self, Sparse};
use crate::parameters::{ALPHA, DANGLING, EPSILON, PUSH_THRESHOLD, STEPS, WALK, Walk};

/// The restart distribution as a sparse vector, nodes ascending.
pub fn restart(seeds: &[Seed]) -> Sparse {
    let mut sparse: Sparse = seeds.iter().map(|s| (s.node, s.weight)).collect();
    sparse.sort_unstable_by_key(|s| s.0);
    sparse
}

/// What one seed, by its place among the seeds, paid of a node's score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    pub seed: usize,
    pub mass: f64,
}

/// What a restart at a node pays of another node's score.
pub struct Reach {
    /// By node. Power asks for the seeds only: elsewhere it is 0.
    pub from: Vec<f64>,
    /// The seeds' score by walk length 0..=T. Empty for push, whose walks have every length.
    pub by_length: Vec<f64>,
    /// How far `from` may be below the truth in all. 0 for power.
    pub error: f64,
}

/// One reverse walk from a node tells for every seed at once. Push stops at `epsilon`: what all seeds paid is known to
/// within it.
pub fn reach(
    view: &GraphView,
    seeds: &Sparse,
    settings: &Settings,
    node: u32,
    epsilon: f64,
) -> Reach {
    let alpha = settings.get(ALPHA);
    let rule = settings.get(DANGLING);
    if settings.get(WALK) == Walk::Push {
        let (from, error) = push::reverse(&view.transition, node, alpha, epsilon, rule);
        return Reach {
            from,
            by_length: Vec::new(),
            error,
        };
    }
    let steps = settings.get(STEPS);
    let weights = walk::length_weights(alpha, steps);
    let states = walk::backward(&view.transition, node, steps, rule, seeds);
    let lengths = || states.iter().zip(&weights);
    let by_length = lengths()
        .map(|(h, c)| c * seeds.iter().map(|&(u, s)| s * h[u as usize]).sum::<f64>())
        .collect();
    let mut from = vec![0.0; view.nodes()];
    for &(u, _) in seeds {
        from[u as usize] = lengths().map(|(h, c)| c * h[u as usize]).sum();
    }
    Reach {
        from,
        by_length,
        error: 0.0,
    }
}

/// What each seed paid of what it reaches. Largest first, earlier seeds first among equals; none that paid nothing.
pub fn shares(seeds: &[Seed], reach: &Reach) -> Vec<Share> {
    let mut shares: Vec<Share> = seeds
        .iter()
        .enumerate()
        .map(|(seed, s)| Share {
            seed,
            mass: s.weight * reach.from[s.node as usize],
        })
        .filter(|s| s.mass > 0.0)
        .collect();
    shares.sort_by(|a, b| b.mass.total_cmp(&a.mass).then(a.seed.cmp(&b.seed)));
    shares
}

/// Memory of the walks, kept from one question to the next.
#[derive(Default)]
pub struct Space {
    power: Power,
    pushed: Pushed,
    /// The scores of a result that nobody reads any more: the next result's.
    pub scores: Vec<f32>,
}

/// Runs the walk of the settings. Without seeds nothing spreads and every score is 0.
pub fn spread<O: Observer>(
    view: &GraphView,
    seeds: &[Seed],
    settings: &Settings,
    space: &mut Space,
) -> Spread {
    let alpha = settings.get(ALPHA);
    let seeds = restart(seeds);
    if settings.get(WALK) == Walk::Push {
        pushed::<O>(view, &seeds, alpha, settings, space)
    } else {
        powered::<O>(view, &seeds, alpha, settings, space)
    }
}

fn powered<O: Observer>(
    view: &GraphView,
    seeds: &Sparse,
    alpha: f64,
    settings: &Settings,
    space: &mut Space,
) -> Spread {
    let steps = settings.get(STEPS);
    let mut states = Vec::new();
    let mut ledgers = Vec::new();
    let mut lost = 0.0;
    let write = |state: State, scores: &mut Vec<f32>| {
        scores.resize(view.nodes(), 0.0);
        state.each(|node, mass| scores[node as usize] = mass as f32);
    };
    let end = space.power.walk(
        &view.transition,
        seeds,
        alpha,
        steps,
        settings.get(DANGLING),
        |_, state, dropped| {
            // What was dropped before would have gone on walking: alpha of it would have restarted.
            lost = (1.0 - alpha) * lost + dropped;
            if O::STATES {
                let mut scores = Vec::new();
                write(state, &mut scores);
                ledgers.push(sides(view, &scores, lost, 0.0));
                states.push(scores);
            }
        },
    );
    let mut scores = std::mem::take(&mut space.scores);
    write(end, &mut scores);
    if !O::STATES {
        ledgers.push(sides(view, &scores, lost, 0.0));
    }
    Spread {
        scores,
        states,
        ledgers,
        work: steps,
        capped: false,
        largest_residual: 0.0,
        parity: parity(alpha, Some(steps)),
    }
}

fn pushed<O: Observer>(
    view: &GraphView,
    seeds: &Sparse,
    alpha: f64,
    settings: &Settings,
    space: &mut Space,
) -> Spread {
    let rule = Rule {
        alpha,
        epsilon: settings.get(EPSILON),
        threshold: settings.get(PUSH_THRESHOLD),
        dangling: settings.get(DANGLING),
    };
    let mut states = Vec::new();
    let mut ledgers = Vec::new();
    let write = |state: &Pushed, scores: &mut Vec<f32>| {
        scores.clear();
        scores.resize(view.nodes(), 0.0);
        for &node in &state.settled {
            scores[node as usize] = state.estimate[node as usize] as f32;
        }
    };
    let mut keep = |state: &Pushed| {
        if O::STATES {
            let mut scores = Vec::new();
            write(state, &mut scores);
            ledgers.push(sides(view, &scores, state.dropped, state.unsettled()));
            states.push(scores);
        }
    };
    let out = &mut space.pushed;
    out.forward(&view.transition, seeds, &rule, &mut keep);
    keep(out);
    let mut scores = std::mem::take(&mut space.scores);
    write(out, &mut scores);
    if !O::STATES {
        ledgers.push(sides(view, &scores, out.dropped, out.unsettled()));
    }
    Spread {
        scores,
        states,
        ledgers,
        work: out.pushes,
        capped: out.capped,
        largest_residual: out.largest_residual(&view.transition),
        parity: parity(alpha, None),
    }
}

fn sides(view: &GraphView, scores: &[f32], dropped: f64, residual: f64) -> Ledger {
    let (passages, entities) = scores.split_at(view.passages());
    Ledger {
        entities: sum(entities),
        passages: sum(passages),
        dropped,
        residual,
    }
}

/// The sum in f64, in eight parts: one after the other, each addition would wait for the last.
fn sum(scores: &[f32]) -> f64 {
    let mut parts = [0.0; 8];
    let eights = scores.chunks_exact(8);
    let rest: f64 = eights.remainder().iter().map(|s| f64::from(*s)).sum();
    for eight in eights {
        for (part, score) in parts.iter_mut().zip(eight) {
            *part += f64::from(*score);
        }
    }
    parts.iter().sum::<f64>() + rest
}

/// Walks of odd length take an entity seed's mass to passages, even ones a passage seed's. Without steps: the limit.
pub fn parity(alpha: f64, steps: Option<usize>) -> Parity {
    let entity_seeds = match steps {
        Some(steps) => walk::length_weights(alpha, steps)
            .iter()
            .skip(1)
            .step_by(2)
            .sum(),
        None => (1.0 - alpha) / (2.0 - alpha),
    };
    Parity {
        entity_seeds,
        passage_seeds: 1.0 - entity_seeds,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parity_is_as_published() {
        let close = |x: f64, y: f64| assert!((x - y).abs() < 5e-4, "{x} {y}");
        close(parity(0.15, Some(5)).entity_seeds, 0.663);
        close(parity(0.15, Some(4)).entity_seeds, 0.220);
        close(parity(0.15, None).entity_seeds, 0.459);
        close(parity(0.15, None).passage_seeds, 0.541);
    }
}
