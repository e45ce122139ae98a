//! Spread: a walk from the seeds over the graph view.

use super::observer::Observer;
use super::parameters::Parameter as P;
use super::retrieval::{Ledger, Parity, Seed, Spread};
use super::settings::Settings;
use super::view::GraphView;
use crate::graph::Dangling;
use crate::graph::push::{self, Pushed, Threshold};
use crate::graph::walk::{self, Sparse};

pub fn dangling(settings: &Settings) -> Dangling {
    match settings.choice(P::Dangling) {
        "reseed" => Dangling::Reseed,
        "stay" => Dangling::Stay,
        _ => Dangling::Drop,
    }
}

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

/// Who paid for a node's score: one reverse walk tells for every seed at once. Largest first; none that paid nothing.
pub fn owed(view: &GraphView, seeds: &[Seed], settings: &Settings, node: u32) -> Vec<Share> {
    let alpha = settings.real(P::Alpha);
    let rule = dangling(settings);
    let reach: Vec<f64> = if settings.choice(P::Walk) == "push" {
        let epsilon = (settings.real(P::Epsilon) * 0.01).max(1e-9);
        push::reverse(&view.transition, node, alpha, epsilon, rule).0
    } else {
        let steps = settings.integer(P::Steps);
        let weights = walk::length_weights(alpha, steps);
        let states = walk::backward(&view.transition, node, steps, rule, &restart(seeds));
        let at = |u: usize| states.iter().zip(&weights).map(|(h, c)| c * h[u]).sum();
        let mut reach = vec![0.0; view.nodes()];
        for seed in seeds {
            reach[seed.node as usize] = at(seed.node as usize);
        }
        reach
    };
    let mut shares: Vec<Share> = seeds
        .iter()
        .enumerate()
        .map(|(seed, s)| Share {
            seed,
            mass: s.weight * reach[s.node as usize],
        })
        .filter(|s| s.mass > 0.0)
        .collect();
    shares.sort_by(|a, b| b.mass.total_cmp(&a.mass).then(a.seed.cmp(&b.seed)));
    shares
}

/// Runs the walk of the settings. Without seeds nothing spreads and every score is 0.
pub fn spread<O: Observer>(view: &GraphView, seeds: &[Seed], settings: &Settings) -> Spread {
    let alpha = settings.real(P::Alpha);
    let seeds = restart(seeds);
    if settings.choice(P::Walk) == "push" {
        pushed::<O>(view, &seeds, alpha, settings)
    } else {
        powered::<O>(view, &seeds, alpha, settings)
    }
}

fn powered<O: Observer>(
    view: &GraphView,
    seeds: &Sparse,
    alpha: f64,
    settings: &Settings,
) -> Spread {
    let steps = settings.integer(P::Steps);
    let mut states = Vec::new();
    let mut ledgers = Vec::new();
    let mut dropped = 0.0;
    let scores = walk::power(
        &view.transition,
        seeds,
        alpha,
        steps,
        dangling(settings),
        |step, mass, moved| {
            // What was dropped before would have gone on walking: alpha of it would have restarted.
            dropped = (1.0 - alpha) * dropped + moved.dropped;
            if O::STATES {
                states.push(mass.iter().map(|m| *m as f32).collect());
            }
            // Summing all nodes costs as much as a sparse step: only who looks at steps pays for each.
            if O::STATES || step == steps {
                ledgers.push(sides(view, mass, dropped, 0.0));
            }
        },
    );
    Spread {
        scores: scores.iter().map(|s| *s as f32).collect(),
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
) -> Spread {
    let threshold = if settings.choice(P::PushThreshold) == "degree" {
        Threshold::Degree
    } else {
        Threshold::Plain
    };
    let mut states = Vec::new();
    let mut ledgers = Vec::new();
    let mut keep = |state: &Pushed| {
        if O::STATES {
            states.push(state.estimate.iter().map(|m| *m as f32).collect());
            ledgers.push(sides(
                view,
                &state.estimate,
                state.dropped,
                state.residual.iter().sum(),
            ));
        }
    };
    let out = push::forward(
        &view.transition,
        seeds,
        alpha,
        settings.real(P::Epsilon),
        threshold,
        dangling(settings),
        &mut keep,
    );
    keep(&out);
    if !O::STATES {
        ledgers.push(sides(
            view,
            &out.estimate,
            out.dropped,
            out.residual.iter().sum(),
        ));
    }
    Spread {
        scores: out.estimate.iter().map(|s| *s as f32).collect(),
        states,
        ledgers,
        work: out.pushes,
        capped: out.capped,
        largest_residual: out.residual.iter().copied().fold(0.0, f64::max),
        parity: parity(alpha, None),
    }
}

fn sides(view: &GraphView, mass: &[f64], dropped: f64, residual: f64) -> Ledger {
    let (passages, entities) = mass.split_at(view.passages());
    Ledger {
        entities: entities.iter().sum(),
        passages: passages.iter().sum(),
        dropped,
        residual,
    }
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
