//! The part of the graph that carries a result, in layers: seeds, what lies between, passages.

use crate::explain;
use crate::explorer::scene::{Flow, FlowStep, LANES, Lane, Link, Row, Scene, Strand, Ways};
use crate::explorer::text::{self, clean, share};
use crate::index::Index;
use crate::layers::{Graph, GraphEdit, GraphEdited, NameEdge};
use crate::retrieve::edits::name_of;
use crate::retrieve::retrieval::Walked;
use crate::retrieve::{Node, Retrieval};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A layer and a row there.
type Place = (usize, usize);

/// Most nodes that are drawn, and most paths of a passage.
const NODES: usize = 40;
const PATHS: usize = 3;
/// Passages that no gold adds to.
const BEST: usize = 10;

/// A path: its nodes from the seed on, the weight of each edge, and the mass that takes it (0 where none is told).
struct Found {
    passage: u32,
    nodes: Vec<Node>,
    weights: Vec<f64>,
    mass: f64,
}

pub fn ways(index: &Arc<Index>, retrieval: &Retrieval, scene: &Scene) -> Ways {
    let mut wanted: Vec<u32> = scene
        .passages
        .iter()
        .take(BEST.min(scene.top_k))
        .map(|r| r.passage)
        .collect();
    for gold in &scene.gold {
        if !wanted.contains(&gold.passage) {
            wanted.push(gold.passage);
        }
    }
    let found = match retrieval.walk().filter(|_| scene.story.is_none()) {
        Some(walk) => walked(&walk, &wanted),
        None => told(index, retrieval, scene),
    };
    let row = |node: Node| match (retrieval.walk(), &scene.story) {
        (_, Some(story)) => {
            let item = story.items.get(node as usize);
            Row {
                node: Some(node),
                passage: item.and_then(|item| item.passage),
                label: item.map_or_else(String::new, |item| item.label.clone()),
                is_passage: item.is_some_and(|item| item.kind == "passage"),
                gold: item
                    .and_then(|item| item.passage)
                    .is_some_and(|p| scene.is_gold(p)),
                ..Row::default()
            }
        }
        (Some(walk), None) => node_row(index, walk.graph, scene, node),
        (None, None) => Row::default(),
    };
    let mut ways = drawn(scene, &found, row);
    ways.lost = lost(scene, &found);
    by_hand(index, retrieval, scene, &mut ways);
    ways.flow.note = note(scene, &found, &ways);
    ways
}

pub fn node_row(index: &Index, graph: &Graph, scene: &Scene, node: Node) -> Row {
    let passage = graph.passages_of(node).first().copied();
    let passage = passage.filter(|_| graph.is_passage(node));
    Row {
        node: Some(node),
        passage,
        label: clean(&graph.label(index, node)),
        name: name_of(index, graph, node),
        is_passage: passage.is_some(),
        group: scene.seed(node),
        gold: passage.is_some_and(|passage| scene.is_gold(passage)),
        count: graph.degree(node),
        ..Row::default()
    }
}

/// The heaviest walks to each passage, its best first of all.
fn walked(walk: &Walked<'_>, wanted: &[u32]) -> Vec<Found> {
    let graph = walk.graph;
    let weight = |pair: &[Node]| {
        let mut neighbours = graph.neighbours(pair[0]);
        let edge = neighbours.find(|(other, _)| *other == pair[1]);
        edge.map_or(0.0, |(_, weight)| f64::from(weight))
    };
    let mut found: Vec<(usize, Found)> = Vec::new();
    let paths = wanted.par_iter().map(|passage| {
        let node = walk.best_node(*passage)?;
        Some(walk.paths(node))
    });
    let paths: Vec<_> = paths.collect();
    for (&passage, paths) in wanted.iter().zip(&paths) {
        let paths = paths.iter().flat_map(|paths| paths.iter().take(PATHS));
        for (place, path) in paths.enumerate() {
            let weights = path.nodes.windows(2).map(weight).collect();
            let (nodes, mass) = (path.nodes.clone(), path.mass);
            found.push((
                place,
                Found {
                    passage,
                    nodes,
                    weights,
                    mass,
                },
            ));
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.mass.total_cmp(&a.1.mass)));
    found.into_iter().map(|(_, found)| found).collect()
}

/// A shortest way to each returned passage over what the stages told.
fn told(index: &Arc<Index>, retrieval: &Retrieval, scene: &Scene) -> Vec<Found> {
    if scene.story.is_none() {
        return Vec::new();
    }
    let subgraph = explain::trace(index, retrieval, None).subgraph;
    let best = retrieval.top().iter().take(BEST).enumerate();
    let found = best.filter_map(|(at, hit)| {
        let way = subgraph.shortest(subgraph.returned(at + 1)?)?;
        let weights = way.windows(2).map(|pair| {
            let graph = &subgraph.graph;
            let edge = graph
                .find_edge(pair[0], pair[1])
                .or_else(|| graph.find_edge(pair[1], pair[0]));
            edge.map_or(0.0, |edge| graph[edge].value)
        });
        Some(Found {
            passage: hit.passage,
            weights: weights.collect(),
            nodes: way.iter().map(|node| node.index() as Node).collect(),
            mass: 0.0,
        })
    });
    found.collect()
}

/// Paths in layers: the seed in the first, the passage in the last, what lies between in the order of the way. A layer
/// that a short path skips has an empty row in its place.
fn drawn(scene: &Scene, found: &[Found], row: impl Fn(Node) -> Row) -> Ways {
    let between = |found: &Found| found.nodes.len().saturating_sub(2);
    let fits = |found: &&Found| !found.nodes.is_empty() && between(found) + 2 <= LANES;
    let mut taken: Vec<&Found> = Vec::new();
    let mut known: Vec<(usize, Node)> = Vec::new();
    for found in found.iter().filter(fits) {
        let last = found.nodes.len() - 1;
        let places = found.nodes.iter().enumerate().map(|(at, node)| match at {
            _ if at == last => (usize::MAX, found.passage),
            at => (at, *node),
        });
        let new: Vec<(usize, Node)> = places.filter(|place| !known.contains(place)).collect();
        if known.len() + new.len() <= NODES {
            known.extend(new);
            taken.push(found);
        }
    }
    let depth = taken.iter().map(|found| between(found)).max().unwrap_or(0);
    let last = depth + 1;
    let mut lanes: Vec<Lane> = (0..=last)
        .map(|lane| Lane {
            head: match lane {
                0 => "seeds".to_owned(),
                lane if lane == last => "passages".to_owned(),
                1 => "bridges".to_owned(),
                _ => "then".to_owned(),
            },
            rows: Vec::new(),
        })
        .collect();
    if taken.is_empty() {
        lanes.clear();
    }
    // By layer: what is there, a node or the way past it between two nodes, and its row.
    let mut places: BTreeMap<(usize, Node, Option<Node>), usize> = BTreeMap::new();
    let mut strands = Vec::new();
    let mut links: BTreeMap<(Place, Place), f64> = BTreeMap::new();
    // Passages stand in the order of their ranks, seeds in that of their weights.
    let mut order: Vec<u32> = taken.iter().map(|found| found.passage).collect();
    order.sort_by_key(|passage| (scene.rank(*passage).unwrap_or(usize::MAX), *passage));
    order.dedup();
    taken.sort_by_key(|found| order.iter().position(|passage| *passage == found.passage));
    for found in &taken {
        let mut at = [None; LANES];
        let end = found.nodes.len() - 1;
        let mut before: Option<Place> = None;
        for lane in 0..=last {
            let node = match lane {
                _ if lane == last => found.nodes[end],
                lane if lane == 0 || lane < end => found.nodes[lane],
                _ => found.nodes[end.saturating_sub(1)],
            };
            let past = lane != last && lane != 0 && lane >= end;
            let key = match lane {
                _ if lane == last => (lane, found.passage, None),
                _ if past => (lane, node, Some(found.passage)),
                _ => (lane, node, None),
            };
            let place = *places.entry(key).or_insert_with(|| {
                let own = match past {
                    true => Row::default(),
                    false => row(node),
                };
                let own = match lane == last {
                    true => Row {
                        passage: Some(found.passage),
                        is_passage: true,
                        gold: scene.is_gold(found.passage),
                        label: title(scene, found.passage).unwrap_or(own.label),
                        ..own
                    },
                    false => own,
                };
                lanes[lane].rows.push(own);
                lanes[lane].rows.len() - 1
            });
            at[lane] = Some(place);
            if let Some(before) = before {
                // The edge into the passage is told where its last stretch begins.
                let edge = match lane {
                    lane if lane < end => Some(lane - 1),
                    lane if lane == last => end.checked_sub(1),
                    _ => None,
                };
                let weight = edge.and_then(|edge| found.weights.get(edge)).copied();
                links.insert((before, (lane, place)), weight.unwrap_or(0.0));
            }
            before = Some((lane, place));
        }
        let seed = row(found.nodes[0]);
        strands.push(Strand {
            at,
            group: seed.group,
            value: found.mass,
        });
    }
    Ways {
        flow: Flow {
            lanes,
            steps: vec![FlowStep {
                strands,
                ..FlowStep::default()
            }],
            ..Flow::default()
        },
        links: links
            .into_iter()
            .map(|((from, to), weight)| Link {
                from,
                to,
                weight,
                edited: false,
            })
            .collect(),
        ..Ways::default()
    }
}

fn title(scene: &Scene, passage: u32) -> Option<String> {
    let hit = scene.passages.iter().find(|hit| hit.passage == passage);
    let gold = || scene.gold.iter().find(|gold| gold.passage == passage);
    hit.map(|hit| hit.name.clone())
        .or_else(|| Some(gold()?.name.clone()))
}

/// Gold that no path is drawn to, and why it is not there where that is known.
fn lost(scene: &Scene, found: &[Found]) -> Vec<(String, String)> {
    let reached = |passage: u32| found.iter().any(|found| found.passage == passage);
    let gold = scene.gold.iter().filter(|gold| !reached(gold.passage));
    let gold = gold.map(|gold| {
        let why = match (&*gold.code, gold.rank) {
            ("", Some(rank)) => format!("rank {rank}, path not drawn"),
            ("", None) => "no path to it was found".to_owned(),
            (code, _) => format!("{code}: {}", gold.reason),
        };
        (gold.id.clone(), why)
    });
    let missing = scene.missing.iter();
    gold.chain(missing.map(|id| (id.clone(), "not in the corpus".to_owned())))
        .collect()
}

/// Marks the edges that a person added or weighed, and tells how many paths each change of the graph leaves over what it
/// names.
fn by_hand(index: &Index, retrieval: &Retrieval, scene: &Scene, ways: &mut Ways) {
    let Some(walk) = retrieval.walk().filter(|_| scene.story.is_none()) else {
        return;
    };
    let values = scene.settings.all();
    let named = |name: &str| walk.graph.source().find(index, name, values);
    let Ways { flow, links, .. } = ways;
    let at = |(lane, row): Place| &flow.lanes[lane].rows[row];
    let strands = flow.steps.iter().flat_map(|step| &step.strands);
    let paths: Vec<Vec<Place>> = strands.map(|strand| flow.stops(strand)).collect();
    let is = |place: Place, node: Node| at(place).node == Some(node) && !at(place).is_passage;
    let over = |name: &str| {
        let node = named(name);
        let goes = |path: &&Vec<Place>| path.iter().any(|p| node.is_some_and(|n| is(*p, n)));
        paths.iter().filter(goes).count()
    };
    // The stretches of paths that an edge is.
    let takes = |edge: &NameEdge| -> Vec<(Place, Place)> {
        let (node, passage) = (named(&edge.name), index.passage_by_id(&edge.passage));
        let (Some(node), Some(passage)) = (node, passage) else {
            return Vec::new();
        };
        let holds = |place: Place| at(place).is_passage && at(place).passage == Some(passage);
        let pairs = paths.iter().flat_map(|path| path.windows(2));
        let pairs = pairs.map(|pair| (pair[0], pair[1]));
        let own =
            |(a, b): &(Place, Place)| (is(*a, node) && holds(*b)) || (holds(*a) && is(*b, node));
        pairs.filter(own).collect()
    };
    let mut marked: Vec<(Place, Place)> = Vec::new();
    let mut edits = Vec::new();
    for GraphEdited { edit, idle } in &scene.graph_edits {
        let paths = |count: usize| match count {
            0 => "on no path drawn here".to_owned(),
            n => format!("over it: {}", text::plural(n, "path")),
        };
        let told = match (idle, edit) {
            (Some(why), _) => format!("has no effect: {why}"),
            (
                None,
                GraphEdit::Join { into: name, .. } | GraphEdit::Keep(name) | GraphEdit::Mute(name),
            ) => paths(over(name)),
            (None, GraphEdit::Add(edge) | GraphEdit::Weigh(edge, _) | GraphEdit::Cut(edge)) => {
                let taken = takes(edge);
                let count = taken.len();
                marked.extend(taken);
                paths(count)
            }
        };
        edits.push((edit.to_string(), told));
    }
    // A stretch that leads past layers is several links, each from where the one before it ended.
    let past = |strand: &Strand, (a, b): &(Place, Place)| {
        strand.at[a.0] == Some(a.1) && strand.at[b.0] == Some(b.1)
    };
    let drawn = flow.steps.iter().flat_map(|step| &step.strands);
    let of_edits = drawn.flat_map(|strand| {
        let own = marked.iter().filter(|stretch| past(strand, stretch));
        own.flat_map(|(a, b)| (a.0..b.0).map(|lane| ((lane, strand.at[lane]), strand.at[lane + 1])))
    });
    let of_edits: Vec<_> = of_edits.collect();
    for link in links {
        let own = ((link.from.0, Some(link.from.1)), Some(link.to.1));
        link.edited = of_edits.contains(&own);
    }
    ways.edits = edits;
}

/// How much of the scores the paths carry, or why there is none.
fn note(scene: &Scene, found: &[Found], ways: &Ways) -> String {
    let method = &scene.settings.method().name;
    let strands = ways.flow.steps.iter().flat_map(|step| &step.strands);
    let shown = strands.clone().count();
    if scene.is_flat() {
        return format!("{method} does not walk a graph, so there are no paths.");
    }
    if shown == 0 {
        return format!("{method} reports no path from a seed to a passage.");
    }
    if scene.story.is_some() {
        return format!(
            "{shown} shortest paths through the nodes {method} reported; numbers on lines are edge weights."
        );
    }
    let mass: f64 = strands.map(|strand| strand.value).sum();
    let all = landed(scene, found);
    match all > 0.0 {
        true => format!(
            "{shown} heaviest paths, carrying {} of the mass on these passages. Numbers on lines are edge weights.",
            share((mass / all).min(1.0))
        ),
        false => format!("{shown} heaviest paths; figures on lines are weights."),
    }
}

/// What the walk landed on the passages that have a path.
fn landed(scene: &Scene, found: &[Found]) -> f64 {
    let end = scene
        .timeline
        .as_ref()
        .and_then(|timeline| timeline.steps.last());
    let on = |passage: u32| {
        let mut passages = end.into_iter().flat_map(|end| &end.passages);
        passages.find(|p| p.0 == passage).map_or(0.0, |p| p.1)
    };
    let mut passages: Vec<u32> = found.iter().map(|found| found.passage).collect();
    passages.sort_unstable();
    passages.dedup();
    passages.into_iter().map(on).sum()
}
