//! Seeds: which nodes restart the walk, and with which share (SPRIG, seeds and mixing).

use super::edits::{Edited, SeedChange};
use super::retrieval::{Link, Mixed, QueryName, Ranked, Seed, SeedReason};
use super::settings::Settings;
use super::view::GraphView;
use crate::parameters::{
    FALLBACK, Fallback, MIX, MIX_A, Mix, SEED_K, SEED_Q, SEED_WEIGHT, SOFTMAX_TAU, SeedWeight,
};
use std::sync::Arc;

/// The restart distribution and how it came about.
#[derive(Debug)]
pub struct Seeded {
    /// By weight, heaviest first; ties by node id. Weights sum to 1, or there are none.
    pub seeds: Arc<Vec<Seed>>,
    pub mixed: Option<Mixed>,
    pub fallback: bool,
    /// What became of the changes a person made.
    pub edits: Arc<Vec<Edited>>,
}

/// Entity seeds weigh df^-q each; passage seeds by their rank or score; `mix` shares the mass between the two.
pub fn seed(
    view: &GraphView,
    names: &[QueryName],
    ranked: Option<&Ranked>,
    mut edits: Vec<Edited>,
    settings: &Settings,
) -> Seeded {
    let q = settings.get(SEED_Q);
    let mut entities = Vec::new();
    for (name, found) in names.iter().enumerate() {
        if let Link::Linked { node } = found.link {
            let df = view.entity(node).map_or(1, |e| view.graph.df(e));
            let raw = f64::from(df.max(1)).powf(-q);
            entities.push(Seed {
                node,
                raw,
                weight: 0.0,
                why: SeedReason::Entity { name, df },
            });
        }
    }
    let mut passages = Vec::new();
    if let Some(ranked) = ranked {
        let k = settings.get(SEED_K).min(ranked.hits.len());
        let scores: Vec<f32> = ranked.hits[..k].iter().map(|h| h.score).collect();
        let masses = listed(&scores, settings);
        for (at, (hit, raw)) in ranked.hits.iter().zip(masses).enumerate() {
            passages.push(Seed {
                node: hit.passage,
                raw,
                weight: 0.0,
                why: SeedReason::Ranked {
                    ranker: ranked.ranker,
                    rank: at + 1,
                    score: hit.score,
                },
            });
        }
    }
    edit(view, &mut edits, q, &mut entities, &mut passages);
    let edits = Arc::new(edits);
    let entity_mass: f64 = entities.iter().map(|s| s.raw).sum();
    let passage_mass: f64 = passages.iter().map(|s| s.raw).sum();
    let counts = (entities.len(), passages.len());
    let Some(a) = mixing(counts, (entity_mass, passage_mass), settings) else {
        return Seeded {
            seeds: Arc::default(),
            mixed: None,
            fallback: false,
            edits,
        };
    };
    for (part, mass, share) in [
        (&mut entities, entity_mass, a),
        (&mut passages, passage_mass, 1.0 - a),
    ] {
        for seed in part.iter_mut() {
            seed.weight = share * seed.raw / mass;
        }
    }
    entities.extend(passages);
    entities.retain(|s| s.weight > 0.0);
    entities.sort_by(|x, y| y.weight.total_cmp(&x.weight).then(x.node.cmp(&y.node)));
    let mixed = ranked.map(|_| Mixed {
        entity_mass,
        passage_mass,
        a,
    });
    Seeded {
        seeds: Arc::new(entities),
        mixed,
        fallback: false,
        edits,
    }
}

/// The mass of each of the best of a list before mixing, by their scores, best first.
pub fn listed(scores: &[f32], settings: &Settings) -> Vec<f64> {
    let k = scores.len();
    let best = scores.first().map_or(0.0, |s| f64::from(*s));
    let tau = settings.get(SOFTMAX_TAU);
    let mass = |(at, score): (usize, &f32)| {
        let (rank, score) = (at as f64 + 1.0, f64::from(*score));
        match settings.get(SEED_WEIGHT) {
            SeedWeight::Linear => (k - at) as f64 / k as f64,
            SeedWeight::Rrf => 1.0 / (60.0 + rank),
            SeedWeight::Softmax => ((score - best) / tau).exp(),
            SeedWeight::Raw => score.max(0.0),
            SeedWeight::Rank => 1.0 / rank,
        }
    };
    scores.iter().enumerate().map(mass).collect()
}

/// The entity share a of the restart, by how many seeds and how much mass there are of (names, passages); none where
/// there is no mass at all.
pub fn mixing(counts: (usize, usize), masses: (f64, f64), settings: &Settings) -> Option<f64> {
    Some(match (masses.0 > 0.0, masses.1 > 0.0) {
        (false, false) => return None,
        (true, false) => 1.0,
        (false, true) => 0.0,
        (true, true) => match settings.get(MIX) {
            Mix::Adaptive => (counts.0 + 1) as f64 / (counts.0 + counts.1 + 2) as f64,
            Mix::Fixed => settings.get(MIX_A),
            Mix::Mass => masses.0 / (masses.0 + masses.1),
        },
    })
}

/// Applies changes of passages to seeds that are mixed already, and shares the restart among all of them again.
pub fn edit_passages(view: &GraphView, edits: &mut [Edited], seeds: &mut Vec<Seed>) {
    if edits.is_empty() {
        return;
    }
    edit(view, edits, 0.0, &mut Vec::new(), seeds);
    let all: f64 = seeds.iter().map(|s| s.raw).sum();
    for seed in seeds.iter_mut() {
        seed.weight = if all > 0.0 { seed.raw / all } else { 0.0 };
    }
    seeds.retain(|s| s.weight > 0.0);
    seeds.sort_by(|x, y| y.weight.total_cmp(&x.weight).then(x.node.cmp(&y.node)));
}

/// Applies a person's changes to the masses before mixing.
fn edit(
    view: &GraphView,
    edits: &mut [Edited],
    q: f64,
    entities: &mut Vec<Seed>,
    passages: &mut Vec<Seed>,
) {
    for edited in edits {
        let Some(node) = edited.node else { continue };
        let seeds = if view.is_passage(node) {
            &mut *passages
        } else {
            &mut *entities
        };
        let at = seeds.iter().position(|s| s.node == node);
        edited.applied = true;
        match (edited.edit.change, at) {
            (SeedChange::Mute, Some(at)) => {
                seeds.remove(at);
            }
            (SeedChange::Weight(factor) | SeedChange::Add(factor), Some(at)) => {
                seeds[at].raw *= factor;
            }
            (SeedChange::Add(factor), None) => {
                let own = match view.entity(node) {
                    Some(entity) => f64::from(view.graph.df(entity).max(1)).powf(-q),
                    None => {
                        let best = seeds.iter().map(|s| s.raw).fold(0.0, f64::max);
                        if best > 0.0 { best } else { 1.0 }
                    }
                };
                seeds.push(Seed {
                    node,
                    raw: factor * own,
                    weight: 0.0,
                    why: SeedReason::Added,
                });
            }
            (SeedChange::Mute | SeedChange::Weight(_), None) => edited.applied = false,
        }
    }
}

/// Seeds for a question that gave none: uniform over passages, the best BM25 passage, or nothing.
pub fn fallback(view: &GraphView, ranked: Option<&Ranked>, settings: &Settings) -> Seeded {
    let one = |node: u32, weight: f64| Seed {
        node,
        raw: weight,
        weight,
        why: SeedReason::Fallback,
    };
    let n = view.passages();
    let seeds: Vec<Seed> = match settings.get(FALLBACK) {
        Fallback::None => Vec::new(),
        Fallback::Bm25Top1 if ranked.is_some_and(|r| !r.hits.is_empty()) => ranked
            .iter()
            .flat_map(|r| r.hits.first())
            .map(|hit| one(hit.passage, 1.0))
            .collect(),
        _ => (0..n as u32).map(|p| one(p, 1.0 / n as f64)).collect(),
    };
    Seeded {
        fallback: !seeds.is_empty(),
        seeds: Arc::new(seeds),
        mixed: None,
        edits: Arc::default(),
    }
}
