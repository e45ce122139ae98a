//! What a walk did: seeds in groups, mass on nodes split by group, and every step.

use crate::explain;
use crate::explorer::scene::{EditRow, GROUPS, Group, Ledger, NodeRow, Scene, Seed, Step, Walk};
use crate::explorer::text::clean;
use crate::index::Index;
use crate::parameters::WALK;
use crate::retrieve::{Edited, Node, Retrieval, SeedChange, SeedReason};
use std::collections::BTreeMap;

/// How many nodes Spread lists, and how many each earlier step keeps.
const NODES: usize = 200;
const STEP_NODES: usize = 60;
const STEP_PASSAGES: usize = 100;

/// Sorts seeds into at most six groups with a letter each: every seed alone where there is room; else names alone as
/// far as possible and the ranked passages together, so that bars show what came from names and what from words.
/// Gives the groups and the places of their seeds.
pub fn groups(index: &Index, retrieval: &Retrieval) -> (Vec<Group>, Vec<Vec<usize>>) {
    let Some(view) = retrieval.view.as_deref() else {
        return Default::default();
    };
    let seeds = &retrieval.seeds;
    let (passages, names): (Vec<usize>, Vec<usize>) =
        (0..seeds.len()).partition(|i| view.is_passage(seeds[*i].node));
    let mut sorted: Vec<Vec<usize>> = Vec::new();
    if seeds.len() <= GROUPS {
        sorted.extend(names.iter().chain(&passages).map(|i| vec![*i]));
    } else if names.is_empty() {
        alone(
            &mut sorted,
            &passages,
            if retrieval.fallback { 1 } else { GROUPS },
        );
    } else {
        alone(
            &mut sorted,
            &names,
            GROUPS - usize::from(!passages.is_empty()),
        );
        if !passages.is_empty() {
            sorted.push(passages);
        }
    }
    // hop seeds with more than one list.
    let signals = retrieval.settings.method().select == crate::retrieve::Select::Signals;
    let label = |group: &Vec<usize>| match group[..] {
        [one] => clean(view.label(index, seeds[one].node)),
        _ if retrieval.fallback => "fallback: every passage".to_owned(),
        _ if view.is_passage(seeds[group[0]].node) && signals => {
            format!("{} passages", group.len())
        }
        _ if view.is_passage(seeds[group[0]].node) => {
            format!("{} top {}", ranker(retrieval), group.len())
        }
        _ => format!("{} more {}s", group.len(), super::noun(retrieval)),
    };
    let described = sorted
        .iter()
        .map(|group| Group {
            label: label(group),
            weight: group.iter().map(|i| seeds[*i].weight).sum(),
            seeds: group.len(),
        })
        .collect();
    (described, sorted)
}

/// What ranked the passage seeds.
fn ranker(retrieval: &Retrieval) -> &'static str {
    retrieval
        .ranked
        .as_ref()
        .map_or("", |ranked| ranked.ranker.label())
}

/// One group each, and the rest in the last one.
fn alone(sorted: &mut Vec<Vec<usize>>, seeds: &[usize], room: usize) {
    let single = if seeds.len() <= room {
        seeds.len()
    } else {
        room - 1
    };
    sorted.extend(seeds[..single].iter().map(|i| vec![*i]));
    if single < seeds.len() {
        sorted.push(seeds[single..].to_vec());
    }
}

/// The exact part of every node's score by group.
pub fn shares(retrieval: &Retrieval, groups: &[Vec<usize>]) -> Vec<Vec<f32>> {
    match (groups.len(), retrieval.spread.as_deref()) {
        // One group owns everything; no need to walk again.
        (1, Some(spread)) => vec![spread.scores.clone()],
        (0, _) | (_, None) => Vec::new(),
        _ => explain::shares(retrieval, groups),
    }
}

pub fn group_of(retrieval: &Retrieval, groups: &[Vec<usize>]) -> BTreeMap<Node, usize> {
    let of = |(group, seeds): (usize, &Vec<usize>)| {
        seeds
            .iter()
            .map(move |i| (retrieval.seeds[*i].node, group))
            .collect::<Vec<_>>()
    };
    groups.iter().enumerate().flat_map(of).collect()
}

/// The parts of a node's score.
pub fn parts(shares: &[Vec<f32>], node: Node) -> Vec<f64> {
    shares
        .iter()
        .map(|group| group.get(node as usize).map_or(0.0, |s| f64::from(*s)))
        .collect()
}

/// Seeds for the screen. A fallback to every passage is one line, not thousands.
pub fn seeds(index: &Index, retrieval: &Retrieval, groups: &[Vec<usize>]) -> Vec<Seed> {
    let Some(view) = retrieval.view.as_deref() else {
        return Vec::new();
    };
    let group = |place: usize| groups.iter().position(|g| g.contains(&place)).unwrap_or(0);
    let shown = retrieval.seeds.len().min(NODES);
    retrieval.seeds[..shown]
        .iter()
        .enumerate()
        .map(|(place, seed)| Seed {
            node: Some(seed.node),
            label: clean(view.label(index, seed.node)),
            name: match view.entity(seed.node) {
                Some(entity) => view.graph.names.get(entity).to_owned(),
                None => format!("#{}", index.id(seed.node)),
            },
            change: retrieval
                .edits
                .iter()
                .find(|e| e.node == Some(seed.node))
                .map(|e| e.edit.change),
            group: group(place),
            weight: seed.weight,
            df: view
                .entity(seed.node)
                .map_or(0, |e| view.graph.df(e) as usize),
            degree: view.degree(seed.node),
            is_passage: view.is_passage(seed.node),
            why: match seed.why {
                SeedReason::Entity { name, df } => {
                    let written = retrieval.names.get(name).map_or("", |n| n.surface.as_str());
                    format!(
                        "\"{}\" in {}",
                        clean(written),
                        crate::explorer::text::plural(df as usize, "passage")
                    )
                }
                SeedReason::Ranked {
                    ranker,
                    rank,
                    score,
                } => {
                    format!("{} rank {rank}, score {score:.2}", ranker.label())
                }
                SeedReason::Fallback => "fallback: no name linked".to_owned(),
                SeedReason::Added => "added here".to_owned(),
            },
        })
        .collect()
}

/// Edits that left no seed to show.
pub fn edits(index: &Index, retrieval: &Retrieval) -> Vec<EditRow> {
    let Some(view) = retrieval.view.as_deref() else {
        return Vec::new();
    };
    let seeded = |node: Option<Node>| retrieval.seeds.iter().any(|s| Some(s.node) == node);
    let hidden = retrieval.edits.iter().filter(|e| !seeded(e.node));
    let row = |edited: &Edited| EditRow {
        name: edited.edit.node.clone(),
        label: match edited.node {
            Some(node) => clean(view.label(index, node)),
            None => clean(&edited.edit.node),
        },
        node: edited.node,
        change: edited.edit.change,
        note: match (edited.node, edited.applied, edited.edit.change) {
            (None, _, _) => "not in this graph",
            (Some(_), true, SeedChange::Mute) => "muted",
            (Some(_), true, _) => "weighs nothing",
            (Some(_), false, SeedChange::Mute) => "muted, no seed here",
            (Some(_), false, _) => "no seed here",
        }
        .to_owned(),
    };
    hidden.map(row).collect()
}

/// Entities by mass.
pub fn nodes(
    index: &Index,
    retrieval: &Retrieval,
    shares: &[Vec<f32>],
    group_of: &BTreeMap<Node, usize>,
) -> Vec<NodeRow> {
    let (Some(view), Some(spread)) = (retrieval.view.as_deref(), retrieval.spread.as_deref())
    else {
        return Vec::new();
    };
    heaviest(&spread.scores, view.passages()..view.nodes(), NODES)
        .into_iter()
        .map(|(node, mass)| {
            let shares = parts(shares, node);
            let mut sorted = shares.clone();
            sorted.sort_by(|a, b| b.total_cmp(a));
            let both = match sorted[..] {
                [first, second, ..] if first > 0.0 => second / first,
                _ => 0.0,
            };
            NodeRow {
                node,
                label: clean(view.label(index, node)),
                degree: view.degree(node),
                mass,
                shares,
                both,
                seed: group_of.get(&node).copied(),
            }
        })
        .collect()
}

/// The heaviest nodes of a range: most first, ties to the lower id, nothing without mass.
fn heaviest(scores: &[f32], range: std::ops::Range<usize>, count: usize) -> Vec<(Node, f64)> {
    let mut found: Vec<(u32, f32)> = range
        .filter(|n| scores[*n] > 0.0)
        .map(|n| (n as u32, scores[n]))
        .collect();
    let order = |a: &(u32, f32), b: &(u32, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    if found.len() > count {
        found.select_nth_unstable_by(count, order);
        found.truncate(count);
    }
    found.sort_unstable_by(order);
    found.into_iter().map(|(n, s)| (n, f64::from(s))).collect()
}

/// Every step: where mass was, what ranking it made, and where gold was in it.
pub fn walk(retrieval: &Retrieval, gold: &[u32]) -> Option<Walk> {
    let (view, spread) = (retrieval.view.as_deref()?, retrieval.spread.as_deref()?);
    let passages = view.passages();
    let mut steps = Vec::with_capacity(spread.states.len());
    for (at, (state, ledger)) in spread.states.iter().zip(&spread.ledgers).enumerate() {
        let moved = match at
            .checked_sub(1)
            .and_then(|before| spread.states.get(before))
        {
            Some(before) => {
                let apart: f64 = state
                    .iter()
                    .zip(before)
                    .map(|(a, b)| f64::from((a - b).abs()))
                    .sum();
                apart / 2.0
            }
            None => 0.0,
        };
        steps.push(Step {
            ledger: Ledger {
                entities: ledger.entities,
                passages: ledger.passages,
                dropped: ledger.dropped,
                residual: ledger.residual,
            },
            moved,
            nodes: heaviest(state, passages..view.nodes(), STEP_NODES),
            passages: heaviest(state, 0..passages, STEP_PASSAGES),
            gold: gold.iter().map(|p| rank(&state[..passages], *p)).collect(),
        });
    }
    Some(Walk {
        push: retrieval.settings.get(WALK) == crate::parameters::Walk::Push,
        work: spread.work,
        capped: spread.capped,
        largest_residual: spread.largest_residual,
        parity: (spread.parity.entity_seeds, spread.parity.passage_seeds),
        steps,
    })
}

fn rank(scores: &[f32], passage: u32) -> Option<usize> {
    let own = *scores.get(passage as usize)?;
    let before =
        |(other, score): (usize, &f32)| *score > own || (*score == own && other < passage as usize);
    (own > 0.0).then(|| 1 + scores.iter().enumerate().filter(|s| before(*s)).count())
}

/// Names of every node that some step lists.
pub fn labels(index: &Index, retrieval: &Retrieval, scene: &Scene) -> BTreeMap<Node, String> {
    let (Some(view), Some(walk)) = (retrieval.view.as_deref(), scene.walk.as_ref()) else {
        return BTreeMap::new();
    };
    let listed = walk
        .steps
        .iter()
        .flat_map(|step| step.nodes.iter().chain(&step.passages));
    listed
        .map(|(node, _)| (*node, clean(view.label(index, *node))))
        .collect()
}
