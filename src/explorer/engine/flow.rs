//! The picture of score moving: which nodes are drawn, what passes through them in each step, and the step in words.

use super::detail::named;
use super::walk::nodes;
use crate::explain::flow::{Crossed, Kept, Moved, Thread, moved, threads};
use crate::explorer::scene::{
    Basis, Flow, FlowStep, LANES, Lane, PassageRow, Row, Scene, Sign, Strand,
};
use crate::explorer::text::{plural, score};
use crate::index::Index;
use crate::layers::Graph;
use crate::parameters::Dangling;
use crate::retrieve::edits::name_of;
use crate::retrieve::retrieval::Walked;
use crate::retrieve::spread::restart_of;
use crate::retrieve::{Node, Retrieval};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Most passages, and most senders: of a graph whose nodes are passages, and of one where they stand for passages. With
/// the question and the seeds there are forty nodes at most.
const PASSAGES: [usize; 2] = [14, 10];
const SENDERS: [usize; 2] = [14, 9];
const STANDING: usize = 9;
/// Passages that no gold adds to.
const BEST: usize = 10;
/// Nodes of the heat map.
const HEAT: usize = 40;
/// Mass below this is rounding.
const LEAST: f64 = 1e-6;
/// Rows of a stage that no walk made.
const STAGE: usize = 8;

pub fn flow(
    index: &Arc<Index>,
    retrieval: &Retrieval,
    scene: &Scene,
    members: &[Vec<usize>],
) -> Flow {
    match retrieval.walk() {
        Some(walk) if scene.story.is_none() => walked(index, &walk, scene, members),
        _ if scene.story.is_some() => staged(scene),
        _ => paid(scene),
    }
}

/// The passages that are drawn: the best, and gold.
fn passages(scene: &Scene, most: usize) -> Vec<Row> {
    let best = scene.passages.iter().take(BEST.min(scene.top_k));
    let mut rows: Vec<Row> = best.map(passage).collect();
    for gold in &scene.gold {
        if rows.len() < most && rows.iter().all(|row| row.passage != Some(gold.passage)) {
            rows.push(Row {
                node: gold.node,
                passage: Some(gold.passage),
                label: gold.name.clone(),
                is_passage: true,
                gold: true,
                value: gold.score,
                ..Row::default()
            });
        }
    }
    rows
}

fn passage(row: &PassageRow) -> Row {
    Row {
        node: row.node,
        passage: Some(row.passage),
        label: row.name.clone(),
        is_passage: true,
        group: row.seed,
        gold: row.gold,
        value: row.score,
        ..Row::default()
    }
}

fn asked(scene: &Scene) -> Lane {
    let label = scene.question.clone();
    Lane {
        head: "question".to_owned(),
        rows: vec![Row {
            label,
            ..Row::default()
        }],
    }
}

/// What the score is split by, as a column.
fn sources(scene: &Scene, head: String) -> Lane {
    let row = |(group, of): (usize, &crate::explorer::scene::Group)| Row {
        node: scene
            .seeds
            .iter()
            .find(|seed| seed.group == Some(group) && of.seeds == 1 && seed.sign == Sign::Plain)
            .and_then(|seed| seed.node),
        label: of.label.clone(),
        group: Some(group),
        value: of.weight,
        ..Row::default()
    };
    Lane {
        head,
        rows: scene.groups.iter().enumerate().map(row).collect(),
    }
}

/// Nodes as rows, in their order.
fn rows_of(index: &Index, walk: &Walked<'_>, scene: &Scene, shown: &[Node]) -> Vec<Row> {
    let graph = walk.graph;
    let with_mass = |node: &Node| (*node, walk.spread.mass[*node as usize]);
    let groups = shown
        .iter()
        .filter_map(|node| Some((*node, scene.seed(*node)?)));
    let groups: BTreeMap<Node, usize> = groups.collect();
    let mut rows = nodes(
        index,
        graph,
        &groups,
        shown.iter().map(with_mass).collect(),
        |_, _| Vec::new(),
    );
    for (row, node) in rows.iter_mut().zip(shown) {
        row.name = name_of(index, graph, *node);
        row.is_passage = graph.is_passage(*node);
        row.gold = row.passage.is_some_and(|passage| scene.is_gold(passage));
    }
    rows
}

/// A walk: what each neighbour sent to the passages drawn, by the seeds that it came from.
fn walked(index: &Arc<Index>, walk: &Walked<'_>, scene: &Scene, members: &[Vec<usize>]) -> Flow {
    let graph = walk.graph;
    let apart = usize::from(!graph.is_of_passages());
    let drawn = passages(scene, PASSAGES[apart]);
    let places: Vec<u32> = drawn.iter().filter_map(|row| row.passage).collect();
    let parts = members
        .iter()
        .map(|group| restart_of(group.iter().map(|i| &walk.seeds()[*i])));
    let parts: Vec<_> = parts.collect();
    let states = threads(walk, &parts, &places);
    let sum = |threads: &[Thread]| threads.iter().map(|t| t.value).sum::<f64>();
    // What carries most of what a step brings, in any step.
    let chosen = |most: usize, of: fn(&Thread) -> Option<Node>| {
        let mut carried: BTreeMap<Node, f64> = BTreeMap::new();
        for Crossed { threads, .. } in &states {
            let all = sum(threads).max(f64::MIN_POSITIVE);
            let mut now: BTreeMap<Node, f64> = BTreeMap::new();
            for thread in threads {
                if let Some(node) = of(thread) {
                    *now.entry(node).or_default() += thread.value / all;
                }
            }
            for (node, part) in now {
                let known = carried.entry(node).or_default();
                *known = known.max(part);
            }
        }
        let mut nodes: Vec<(Node, f64)> = carried.into_iter().collect();
        nodes.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let mut nodes: Vec<Node> = nodes.into_iter().map(|(node, _)| node).collect();
        let others = nodes.split_off(most.min(nodes.len()));
        (nodes, others)
    };
    let (senders, other_senders) = chosen(SENDERS[apart], |thread| thread.via);
    let (standing, other_standing) = chosen(STANDING, |thread| Some(thread.node));
    let lane = |noun: &str, shown: &[Node], others: &[Node]| {
        let mut rows = rows_of(index, walk, scene, shown);
        if !others.is_empty() {
            rows.push(Row {
                label: format!("{} others", others.len()),
                ..Row::default()
            });
        }
        Lane {
            head: plural(shown.len() + others.len(), noun),
            rows,
        }
    };
    // Nodes of every row of a column, of which the last are told as one.
    let each = |shown: &[Node], others: &[Node]| {
        let own = shown.iter().map(|node| vec![*node]);
        let rest = (!others.is_empty()).then(|| others.to_vec());
        own.chain(rest).collect::<Vec<_>>()
    };
    let seeds = members.iter().map(|group| {
        let mut nodes: Vec<Node> = group.iter().map(|at| walk.seeds()[*at].node).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    });
    let mut held = vec![Vec::new(), seeds.collect(), each(&senders, &other_senders)];
    let mut lanes = vec![
        asked(scene),
        sources(scene, "seeds".to_owned()),
        lane(sender_noun(graph, scene), &senders, &other_senders),
    ];
    let others = senders.len();
    // What no neighbour sent has a row of its own.
    let stays = lanes[2].rows.len();
    let any_stays = states
        .iter()
        .flat_map(|state| &state.threads)
        .any(|t| t.via.is_none() && t.value > 0.0);
    if any_stays {
        lanes[2].rows.push(Row {
            label: "(starts or stays)".to_owned(),
            ..Row::default()
        });
    }
    if apart == 1 {
        let kind = standing
            .first()
            .map_or("node", |node| graph.source().kind(*node));
        lanes.push(lane(kind, &standing, &other_standing));
        held.push(each(&standing, &other_standing));
    }
    lanes.push(Lane {
        head: "passages".to_owned(),
        rows: drawn,
    });
    let strand = |thread: &Thread| {
        let via = match thread.via {
            Some(node) => senders
                .iter()
                .position(|known| *known == node)
                .unwrap_or(others),
            None => stays,
        };
        let node = standing.iter().position(|known| *known == thread.node);
        let node = node.unwrap_or(standing.len());
        let passage = places.iter().position(|known| *known == thread.passage);
        let mut at = [None; LANES];
        (at[0], at[1], at[2]) = (Some(0), thread.group, Some(via));
        if apart == 1 {
            at[3] = Some(node);
        }
        at[3 + apart] = passage;
        (at, thread.group)
    };
    // What the seeds hold before anything moves and no thread above is about.
    let started = |threads: &[Thread]| -> Vec<Strand> {
        let own = scene.groups.iter().enumerate().map(|(group, of)| {
            let drawn = threads.iter().filter(|t| t.group == Some(group));
            let rest = of.weight - drawn.map(|t| t.value).sum::<f64>();
            let node = lanes[1].rows[group].node;
            let sender = senders.iter().position(|known| Some(*known) == node);
            let at = std::array::from_fn(|lane| match lane {
                0 => Some(0),
                1 => Some(group),
                2 => sender,
                _ => None,
            });
            Strand {
                at,
                group: Some(group),
                value: rest,
            }
        });
        own.filter(|strand| strand.value > LEAST).collect()
    };
    let summed = |threads: &[Thread], back: bool| {
        let mut strands: BTreeMap<_, f64> = BTreeMap::new();
        // Without a row for what no neighbour sent, it is rounding.
        let drawn = threads.iter().filter(|t| any_stays || t.via.is_some());
        for thread in drawn {
            let (mut at, group) = strand(thread);
            if back {
                (at[0], at[1]) = (None, None);
            }
            *strands.entry((at, group)).or_default() += thread.value;
        }
        let strands = strands.into_iter();
        let strands = strands.map(|((at, group), value)| Strand { at, group, value });
        strands.collect::<Vec<Strand>>()
    };
    let steps = states.iter().enumerate().map(|(k, crossed)| {
        let state = &walk.spread.states[k];
        let on = |nodes: &Vec<Node>| nodes.iter().map(|n| f64::from(state[*n as usize])).sum();
        let mut mass: Vec<Vec<f64>> = held
            .iter()
            .map(|lane| lane.iter().map(on).collect())
            .collect();
        let landed = |passage: &u32| {
            let nodes = graph.nodes_of(*passage);
            let nodes = nodes.iter();
            nodes
                .map(|n| graph.share(*n) * f64::from(state[*n as usize]))
                .sum()
        };
        mass.push(places.iter().map(landed).collect());
        if any_stays {
            let own = crossed.threads.iter().filter(|t| t.via.is_none());
            mass[2].push(own.map(|t| t.value).sum());
        }
        let mut strands = summed(&crossed.threads, false);
        let moved = told(index, walk, scene, k);
        if k == 0 {
            strands.extend(started(&crossed.threads));
        }
        let known = |t: &&Thread| {
            let via = t.via.as_ref();
            via.is_some_and(|via| senders.contains(via) || other_senders.contains(via))
        };
        let back: Vec<Thread> = crossed.returns.iter().filter(known).copied().collect();
        FlowStep {
            strands,
            returns: summed(&back, true),
            mass,
            ..moved
        }
    });
    let mut flow = Flow {
        steps: steps.collect(),
        lanes,
        heat: heat(index, walk, scene),
        note: note(walk, scene),
    };
    untangle(&mut flow);
    flow
}

/// Puts the rows between the seeds and the passages near what they send to at the end, so that few strands cross.
fn untangle(flow: &mut Flow) {
    let last = flow.lanes.len() - 1;
    let Some(end) = flow.steps.last().map(|step| step.strands.clone()) else {
        return;
    };
    for lane in (2..last).rev() {
        let rows = flow.lanes[lane].rows.len();
        let centre = |row: usize| {
            let (mut sum, mut weight) = (0.0, 0.0);
            for strand in end.iter().filter(|s| s.at[lane] == Some(row)) {
                sum += strand.value.max(0.0) * strand.at[last].unwrap_or(0) as f64;
                weight += strand.value.max(0.0);
            }
            if weight > 0.0 { sum / weight } else { f64::MAX }
        };
        let mut order: Vec<usize> = (0..rows).collect();
        // Those that are no node come last.
        let named = |row: usize| flow.lanes[lane].rows[row].node.is_none();
        order.sort_by(|a, b| {
            let by = named(*a).cmp(&named(*b));
            by.then(centre(*a).total_cmp(&centre(*b))).then(a.cmp(b))
        });
        let own = std::mem::take(&mut flow.lanes[lane].rows);
        flow.lanes[lane].rows = order.iter().map(|row| own[*row].clone()).collect();
        let mut place = vec![0; rows];
        order
            .iter()
            .enumerate()
            .for_each(|(now, was)| place[*was] = now);
        for step in &mut flow.steps {
            for strand in step.strands.iter_mut().chain(&mut step.returns) {
                strand.at[lane] = strand.at[lane].map(|row| place[row]);
            }
            if let Some(held) = step.mass.get_mut(lane) {
                let own = std::mem::take(held);
                *held = order.iter().map(|row| own[*row]).collect();
            }
        }
    }
}

/// What the nodes are called that send to passages.
fn sender_noun(graph: &Graph, scene: &Scene) -> &'static str {
    if graph.is_of_passages() {
        scene.noun
    } else {
        "node"
    }
}

fn note(walk: &Walked<'_>, scene: &Scene) -> String {
    let mut notes = Vec::new();
    if walk.seeds().is_empty() {
        notes.push("No seed: nothing moves.".to_owned());
    }
    if scene.basis != Basis::Walk {
        notes.push(format!(
            "Walk mass on the returned passages; their score is a sum of {}s.",
            scene.basis.noun()
        ));
    }
    if walk.spread.diffusion.pushes() && scene.groups.len() > 1 {
        notes.push("Push is split by seed at the end only.".to_owned());
    }
    notes.join(" ")
}

/// The heaviest nodes with their mass in every state.
fn heat(index: &Index, walk: &Walked<'_>, scene: &Scene) -> Vec<(Row, Vec<f64>)> {
    let mass = &walk.spread.mass;
    let shown = mass.heaviest(0..mass.len(), HEAT);
    let shown: Vec<Node> = shown.into_iter().map(|(node, _)| node).collect();
    let rows = rows_of(index, walk, scene, &shown).into_iter();
    let by_step = |node: &Node| {
        let states = walk.spread.states.iter();
        states
            .map(|state| f64::from(state[*node as usize]))
            .collect()
    };
    rows.zip(shown.iter().map(by_step)).collect()
}

/// What a step moved, in figures and in a sentence.
pub fn told(index: &Index, walk: &Walked<'_>, scene: &Scene, k: usize) -> FlowStep {
    let label = |node: Node| named(index, walk.graph, node);
    let pushes = walk.spread.diffusion.pushes();
    let Some(moved) = moved(walk, k) else {
        let (unit, ledger) = match pushes {
            true => ("Mark", walk.spread.ledgers.get(k)),
            false => ("Step", None),
        };
        let heads = scene.groups.iter().take(3);
        let heads: Vec<String> = heads
            .map(|group| format!("{} {}", group.label, score(group.weight)))
            .collect();
        let more = match scene.groups.len().saturating_sub(3) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let seeds = format!("{}{more}", heads.join(", "));
        let told = match ledger {
            _ if scene.groups.is_empty() => "No seed, so no mass moves.".to_owned(),
            Some(ledger) => format!(
                "{unit} {k}: the seeds are {seeds}; {} settled, {} residual.",
                score(ledger.entities + ledger.passages),
                score(ledger.residual)
            ),
            None => format!("{unit} {k}: only the seeds hold mass: {seeds}."),
        };
        return FlowStep {
            told,
            ..FlowStep::default()
        };
    };
    let kept = match moved.kind {
        Kept::Restarts => "restarts at the seeds",
        Kept::Stays => "stays where it is",
        Kept::Settles => "is settled",
    };
    let mut lines = vec![("crosses edges", moved.sent), (kept, moved.kept)];
    if moved.dead > 0.0 {
        lines.push((dead(walk), moved.dead));
    }
    FlowStep {
        told: sentence(&label, walk, &moved, kept, k),
        largest: moved
            .largest
            .iter()
            .map(|t| (label(t.from), label(t.to), t.mass))
            .collect(),
        moved: lines,
        ..FlowStep::default()
    }
}

/// What becomes of the mass of a node without edges.
fn dead(walk: &Walked<'_>) -> &'static str {
    let diffusion = &walk.spread.diffusion;
    match diffusion.dangling {
        _ if diffusion.jump => "jumps from dangling nodes to all nodes",
        Dangling::Drop => "is dropped at nodes without edges",
        Dangling::Reseed => "goes from nodes without edges to the seeds",
        Dangling::Stay => "stays at nodes without edges",
    }
}

fn sentence(
    label: &impl Fn(Node) -> String,
    walk: &Walked<'_>,
    moved: &Moved,
    kept: &str,
    k: usize,
) -> String {
    let pushes = walk.spread.diffusion.pushes();
    let place = match pushes {
        true => format!("Up to snapshot {k}"),
        false => format!("Step {k}"),
    };
    let mut parts = Vec::new();
    if let Some((node, had, sent, most)) = moved.sender {
        let to = match most.mass {
            mass if mass > 0.9999 * sent => format!(", all of it to {}", label(most.to)),
            mass => format!(
                ", {} of it to {}, which is one of {}",
                score(mass),
                label(most.to),
                plural(walk.graph.degree(node), "neighbour")
            ),
        };
        let verb = if pushes { "takes up" } else { "holds" };
        parts.push(format!(
            "{} {verb} {} and sends {} on{to}",
            label(node),
            score(had),
            score(sent)
        ));
    }
    parts.push(format!("in all {} {kept}", score(moved.kept)));
    if moved.dead > 0.0 {
        parts.push(format!("{} {}", score(moved.dead), dead(walk)));
    }
    format!("{place}: {}.", parts.join("; "))
}

/// A ranking without a walk: what each word, list or measure pays of every passage's score.
fn paid(scene: &Scene) -> Flow {
    let noun = scene.basis.noun();
    let drawn = passages(scene, PASSAGES[0]);
    let mut strands = Vec::new();
    for (at, row) in drawn.iter().enumerate() {
        let hit = scene
            .passages
            .iter()
            .find(|hit| Some(hit.passage) == row.passage);
        let shares = hit.map_or(&[][..], |hit| &hit.shares).iter().enumerate();
        strands.extend(
            shares
                .filter(|(_, value)| **value > 0.0)
                .map(|(group, value)| Strand {
                    at: std::array::from_fn(|lane| [0, group, at].get(lane).copied()),
                    group: Some(group),
                    value: *value,
                }),
        );
    }
    let lanes = match strands.is_empty() {
        true => Vec::new(),
        false => vec![
            asked(scene),
            sources(scene, format!("{noun}s")),
            Lane {
                head: "passages".to_owned(),
                rows: drawn,
            },
        ],
    };
    let method = &scene.settings.method().name;
    Flow {
        note: match lanes.is_empty() {
            true => {
                format!(
                    "{method} moves no score over edges, and no {noun} contributes to a passage."
                )
            }
            false => format!(
                "{method} sends no score over edges: bands show what each {noun} contributes."
            ),
        },
        lanes,
        steps: vec![FlowStep {
            strands,
            ..FlowStep::default()
        }],
        heat: Vec::new(),
    }
}

/// A plan that told stages: what each came to, with lines where something passed on or an edge was crossed.
fn staged(scene: &Scene) -> Flow {
    let stages = scene.spread.iter().filter(|stage| stage.kept() > 0);
    let stages: Vec<_> = stages.collect();
    let stages = &stages[stages.len().saturating_sub(LANES)..];
    let lanes: Vec<Lane> = stages
        .iter()
        .map(|stage| Lane {
            head: stage.name.to_owned(),
            rows: stage.rows[..stage.kept()]
                .iter()
                .take(STAGE)
                .cloned()
                .collect(),
        })
        .collect();
    let edges = scene.story.iter().flat_map(|story| &story.stages);
    let edges = edges.flat_map(|stage| &stage.edges);
    let mut joined: Vec<(Node, Node)> = edges
        .flat_map(|edge| {
            [
                (edge.from as Node, edge.to as Node),
                (edge.to as Node, edge.from as Node),
            ]
        })
        .collect();
    joined.sort_unstable();
    let mut strands = Vec::new();
    for (lane, pair) in lanes.windows(2).enumerate() {
        for (i, from) in pair[0].rows.iter().enumerate() {
            for (j, to) in pair[1].rows.iter().enumerate() {
                let Some((a, b)) = from.node.zip(to.node) else {
                    continue;
                };
                let same = a == b || (from.passage.is_some() && from.passage == to.passage);
                if same || joined.binary_search(&(a, b)).is_ok() {
                    let mut at = [None; LANES];
                    (at[lane], at[lane + 1]) = (Some(i), Some(j));
                    strands.push(Strand {
                        at,
                        group: None,
                        value: 0.0,
                    });
                }
            }
        }
    }
    let method = &scene.settings.method().name;
    Flow {
        note: match lanes.is_empty() {
            true => format!("{method} recorded no stage with a result."),
            false => format!(
                "{method} reports no shares of score: lines connect items from stage to stage, or along an edge."
            ),
        },
        lanes,
        steps: vec![FlowStep {
            strands,
            ..FlowStep::default()
        }],
        heat: Vec::new(),
    }
}
