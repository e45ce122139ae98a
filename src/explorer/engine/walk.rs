//! What a walk did: mass on nodes split by group, and every step.

use super::is_hub;
use crate::explorer::scene::{Basis, Cell, Row, Scene, Stage, Step, StepLine, Timeline};
use crate::explorer::text::{self, clean, count, measure, plural, score, share};
use crate::index::Index;
use crate::layers::Graph;
use crate::retrieve::masses::Masses;
use crate::retrieve::operators::passages::landed;
use crate::retrieve::retrieval::{Ledger, Spread, Walked};
use crate::retrieve::spread::{Split, restart_of};
use crate::retrieve::{Node, Retrieval};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// How many nodes Spread lists, and how many each earlier step keeps.
const NODES: usize = 200;
const STEP_NODES: usize = 60;
const STEP_PASSAGES: usize = 100;

/// The nodes whose score is shown by group: those that Spread lists, and those of some passages.
pub fn shown(walk: &Walked<'_>, passages: impl Iterator<Item = u32>) -> Vec<Node> {
    let listed = walk.spread.mass.heaviest(listed(walk), NODES);
    let mut shown: Vec<Node> = listed.into_iter().map(|(node, _)| node).collect();
    passages.for_each(|passage| shown.extend(walk.graph.nodes_of(passage).iter()));
    shown
}

/// What each group of seeds paid of a walk.
#[derive(Default)]
pub struct Parted {
    /// The nodes that Spread lists of every state.
    listed: Vec<Vec<(Node, f64)>>,
    /// Their parts, and those of the nodes whose score is shown.
    pub split: Split,
}

/// The exact part of the score of the nodes that are shown by group, and of the nodes that Spread lists of every state.
pub fn parted(walk: &Walked<'_>, groups: &[Vec<usize>], shown: &[Node]) -> Parted {
    let states = walk.spread.states.par_iter();
    let listed = states.map(|state| state.heaviest(listed(walk), STEP_NODES));
    let listed: Vec<Vec<(Node, f64)>> = listed.collect();
    let split = match groups.len() {
        0 => Split::default(),
        // One group owns everything; no need to walk again.
        1 => {
            let all =
                |nodes: &Vec<(Node, f64)>| nodes.iter().map(|(_, mass)| vec![*mass]).collect();
            Split {
                end: vec![Masses::from(&walk.spread.mass)],
                states: listed.iter().map(all).collect(),
            }
        }
        _ => {
            let parts = groups.iter().map(|group| {
                let seeds = group.iter().map(|i| &walk.seeds()[*i]);
                restart_of(seeds)
            });
            let parts: Vec<_> = parts.collect();
            let all = restart_of(walk.seeds().iter());
            let of = |nodes: &Vec<(Node, f64)>| nodes.iter().map(|(node, _)| *node).collect();
            let asked: Vec<Vec<Node>> = listed.iter().map(of).collect();
            let t = walk.graph.transition();
            walk.spread.diffusion.groups(t, &all, &parts, &asked, shown)
        }
    };
    Parted { listed, split }
}

pub fn group_of(retrieval: &Retrieval, groups: &[Vec<usize>]) -> BTreeMap<Node, usize> {
    let seeds = retrieval.walk().map_or(&[][..], |walk| walk.seeds());
    let of = |(group, members): (usize, &Vec<usize>)| {
        let nodes = members.iter().map(move |i| (seeds[*i].node, group));
        nodes.collect::<Vec<_>>()
    };
    groups.iter().enumerate().flat_map(of).collect()
}

/// The parts of what landed on a passage.
pub fn landed_parts(retrieval: &Retrieval, shares: &[Masses], passage: u32) -> Vec<f64> {
    let Some(walk) = retrieval.walk().filter(|_| !shares.is_empty()) else {
        return Vec::new();
    };
    let mut sum = vec![0.0; shares.len()];
    for &node in walk.graph.nodes_of(passage).iter() {
        let own = walk.graph.share(node);
        for (sum, part) in sum.iter_mut().zip(parts(shares, node)) {
            *sum += own * part;
        }
    }
    sum
}

/// The parts of a node's score.
pub fn parts(shares: &[Masses], node: Node) -> Vec<f64> {
    let own = |group: &Masses| f64::from(group[node as usize]);
    shares.iter().map(own).collect()
}

/// The nodes that Spread lists: names where nodes of a graph are passages too, else all.
fn listed(walk: &Walked<'_>) -> std::ops::Range<usize> {
    let first = match walk.graph.is_of_passages() {
        true => walk.graph.passages(),
        false => 0,
    };
    first..walk.graph.nodes()
}

/// Nodes that mass reached, each split by the group of seeds it came from where that is known.
pub fn nodes(
    index: &Index,
    graph: &Graph,
    group_of: &BTreeMap<Node, usize>,
    reached: Vec<(Node, f64)>,
    shares: impl Fn(usize, Node) -> Vec<f64>,
) -> Vec<Row> {
    let row = |(at, (node, mass)): (usize, (Node, f64))| {
        let shares = shares(at, node);
        let mut sorted = shares.clone();
        sorted.sort_by(|a, b| b.total_cmp(a));
        let both = match sorted[..] {
            [first, second, ..] if first > 0.0 => second / first,
            _ => 0.0,
        };
        let degree = graph.degree(node);
        let own = graph.is_passage(node).then(|| graph.passages_of(node));
        Row {
            node: Some(node),
            passage: own.and_then(|passages| passages.first().copied()),
            label: clean(&graph.label(index, node)),
            group: group_of.get(&node).copied(),
            count: degree,
            hub: is_hub(index, degree),
            value: mass,
            figure: score(mass),
            shares,
            both,
            ..Row::default()
        }
    };
    reached.into_iter().enumerate().map(row).collect()
}

/// Fills in where mass ended, and every step: where it was, what ranking it made, and where gold was in it.
pub fn tell(
    index: &Index,
    retrieval: &Retrieval,
    parted: &Parted,
    group_of: &BTreeMap<Node, usize>,
    scene: &mut Scene,
) {
    let Some(walk) = retrieval.walk() else {
        return;
    };
    let gold: Vec<u32> = scene.gold.iter().map(|gold| gold.passage).collect();
    let (graph, spread) = (walk.graph, walk.spread);
    let passages = graph.passages();
    let step = |(at, (state, ledger)): (usize, (&Masses, &Ledger))| {
        let before = at.checked_sub(1).and_then(|at| spread.states.get(at));
        let moved = before.map_or(0.0, |before| state.apart(before) / 2.0);
        let landed = (!graph.is_of_passages()).then(|| {
            let held = state.held(0..state.len());
            let landed = landed(graph, held.map(|(node, own)| (node, own.into())));
            Masses::All(landed.into_iter().map(|mass| mass as f32).collect())
        });
        let on_passages = landed.as_ref().unwrap_or(state);
        let ranks = gold.iter().map(|p| on_passages.rank(0..passages, *p));
        let ranks: Vec<Option<usize>> = ranks.collect();
        let brief = match gold.is_empty() {
            true => figure(ledger.passages),
            false => {
                let all: Option<Vec<usize>> = ranks.iter().copied().collect();
                text::rank(all.and_then(|all| all.into_iter().max()))
            }
        };
        Step {
            name: at.to_string(),
            note: format!("moved {}", score(moved)),
            brief: (String::new(), format!("{brief:>5}")),
            ledger: *ledger,
            moved,
            stage: at + 1,
            passages: on_passages.heaviest(0..passages, STEP_PASSAGES),
            gold: ranks,
        }
    };
    // Every state is as long as the graph has nodes.
    let states = spread.states.par_iter().zip(&spread.ledgers).enumerate();
    let steps: Vec<Step> = states.map(step).collect();
    let last = steps.len().saturating_sub(1);
    let push = spread.diffusion.pushes();
    let pushes = format!("{} pushes", count(spread.work));
    let held = spread.mass.heaviest(listed(&walk), NODES);
    let rows = nodes(index, graph, group_of, held, |_, node| {
        parts(&parted.split.end, node)
    });
    let seeds: Vec<f64> = rows
        .iter()
        .filter(|r| r.group.is_some())
        .map(|r| r.value)
        .collect();
    let held = score(seeds.iter().sum());
    let end = Stage {
        title: match push {
            true => format!("Spread after {pushes}"),
            false => format!("Spread (PPR), {}", plural(spread.work, "step")),
        },
        foot: match seeds.is_empty() {
            true => format!(
                "no {} is a seed; * is next to the selected node",
                scene.noun
            ),
            false if scene.groups.len() > 1 => {
                format!("seeds keep {held} (not drawn)  bal.: 2nd/1st share")
            }
            false => format!("seeds hold {held}"),
        },
        rows,
        ranked: true,
        ..Stage::default()
    };
    let unit = if push { "snapshot" } else { "step" };
    let state = |(at, held): (usize, &Vec<(Node, f64)>)| {
        let shares = |row: usize, _| {
            let states = &parted.split.states;
            let known = states.get(at).and_then(|rows| rows.get(row));
            known.cloned().unwrap_or_default()
        };
        let noun = scene.noun;
        Stage {
            title: format!("Spread at {unit} {at} of {last}"),
            rows: nodes(index, graph, group_of, held.clone(), shares),
            ranked: true,
            foot: match push {
                true => {
                    format!("mass settled on {noun}s so far; split by seed at the end")
                }
                false => format!("mass on {noun}s, split by seed"),
            },
            ..Stage::default()
        }
    };
    let states: Vec<Stage> = parted.listed.iter().enumerate().map(state).collect();
    let stages = std::iter::once(end).chain(states).collect();
    let timeline = Timeline {
        title: "Iterations",
        unit,
        first: 0,
        whole: match last {
            _ if push && spread.capped => format!("{pushes}, capped"),
            _ if push => pushes,
            1 => "one step".to_owned(),
            last => format!("all {last} steps"),
        },
        brief: match gold.is_empty() {
            true => " mass on passages by step",
            false => " worst gold rank by step",
        },
        lines: lines(scene, &steps, push),
        told: told(scene, spread, &steps),
        steps,
    };
    let listed = timeline.steps.iter().flat_map(|step| &step.passages);
    let title = |passage: u32| clean(index.called(passage));
    scene.titles = listed
        .map(|(passage, _)| (*passage, title(*passage)))
        .collect();
    (scene.spread, scene.listed) = (stages, 1);
    scene.timeline = Some(timeline);
}

/// Gold ranks and the ledger, step by step.
fn lines(scene: &Scene, steps: &[Step], push: bool) -> Vec<StepLine> {
    let mut lines = Vec::new();
    for (i, gold) in scene.gold.iter().enumerate() {
        lines.push(StepLine {
            label: gold.id.clone(),
            gold: true,
            cells: steps.iter().map(|step| Cell::Rank(step.gold[i])).collect(),
        });
    }
    let mut ledger = |label: &str, of: fn(&Step) -> f64| {
        lines.push(StepLine {
            label: label.to_owned(),
            gold: false,
            cells: steps
                .iter()
                .map(|step| Cell::Figure(figure(of(step))))
                .collect(),
        });
    };
    ledger("on passages", |s| s.ledger.passages);
    match push {
        true => ledger("residual", |s| s.ledger.residual),
        false => ledger("moved", |s| s.moved),
    }
    if steps.iter().any(|s| s.ledger.dropped > 0.0) {
        ledger("dropped", |s| s.ledger.dropped);
    }
    lines
}

/// At most five columns.
fn figure(value: f64) -> String {
    match value {
        0.0 => "0".to_owned(),
        _ if value < 0.0005 => format!("{value:.0e}"),
        _ => measure(value),
    }
}

/// What the steps mean, in words that the numbers prove.
fn told(scene: &Scene, spread: &Spread, steps: &[Step]) -> Vec<String> {
    let mut told = Vec::new();
    let push = spread.diffusion.pushes();
    let last = steps.len().saturating_sub(1);
    if scene.basis != Basis::Walk {
        told.push("Ranks by walk mass only, not the final ranking.".to_owned());
    }
    // The first step from which no gold rank changes any more.
    let end = steps.last().map(|end| &end.gold);
    let changing = steps.iter().rposition(|step| Some(&step.gold) != end);
    match changing.map_or(0, |k| k + 1) {
        _ if scene.gold.is_empty() => {}
        k if k == last && !push => told.push(format!(
            "Gold ranks still changed in the last step, {last}: more or fewer steps would rank differently."
        )),
        k => told.push(format!("Gold ranks are stable from step {k}.")),
    }
    match &spread.parity {
        _ if push => told.push(format!(
            "Push stops when no residual exceeds epsilon; the largest left is {}.",
            score(spread.largest_residual)
        )),
        Some(parity) => told.push(format!(
            "After {last} steps, {} of an entity seed's mass is on passages, and {} of a passage seed's.",
            share(parity.entity_seeds),
            share(parity.passage_seeds)
        )),
        None => {}
    }
    told
}
