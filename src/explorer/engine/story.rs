//! Systems with a graph of their own: what they tell, made safe to draw, and passages split by the parts of their score.

use super::detail::column;
use crate::explain;
use crate::explorer::scene::{Around, Cell, Row, Scene, Sign, Stage, Step, StepLine, Timeline};
use crate::explorer::text::{Scale, clean, count, cut, figure, plural, score};
use crate::index::Index;
use crate::layers::Graph;
use crate::retrieve::explanation::{Combine, Edge, Entry, Stage as Told, Story};
use crate::retrieve::set::Fact;
use crate::retrieve::{Node, Retrieval};
use crate::text::span;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Fills in the story, and splits the best passages' scores by the parts that pay most.
pub fn tell(index: &Arc<Index>, retrieval: &Retrieval, gold: &[u32], scene: &mut Scene) {
    let mut story = safe(explain::story(index, retrieval, gold));
    tell_apart(index, &mut story);
    let scale = Scale::of(story.seeds.iter().map(|s| s.value));
    let seeds = story.seeds.iter().map(|s| entry(scene, &story, s, scale));
    scene.seeds = seeds.collect();
    scene.spread = story
        .stages
        .iter()
        .map(|s| stage(scene, &story, s))
        .collect();
    scene.listed = scene.spread.len();
    scene.timeline = timeline(&story, &scene.spread);
    if let Some(timeline) = &scene.timeline {
        for (k, step) in timeline.steps.iter().enumerate().take(story.timeline.len()) {
            let stage = &mut scene.spread[step.stage];
            let of = story.timeline.len();
            stage.title = format!("Spread, step {} of {of}: {}", k + 1, stage.name);
        }
    }
    let mut first: BTreeMap<u32, Node> = BTreeMap::new();
    for (place, item) in story.items.iter().enumerate() {
        if let Some(passage) = item.passage {
            first.entry(passage).or_insert(place as Node);
        }
    }
    let node = |passage: &u32| first.get(passage).copied();
    scene.of_passages = false;
    for row in &mut scene.passages {
        row.node = node(&row.passage);
    }
    for gold in &mut scene.gold {
        gold.node = node(&gold.passage);
    }
    scene.story = Some(Arc::new(story));
    let paid = super::words::best(scene).map(|row| {
        let opened = retrieval.explain(index, row.passage);
        // Factors and witnesses are no shares.
        let parts = opened
            .parts
            .into_iter()
            .filter(|_| opened.combine == Combine::Sum);
        let parts = parts.filter(|part| part.value > 0.0);
        parts.map(|part| (clean(&part.label), part.value)).collect()
    });
    let paid: Vec<Vec<(String, f64)>> = paid.collect();
    super::words::split(scene, &paid);
}

/// A stage as a list: what it came to, then what it removed.
fn stage(scene: &Scene, story: &Story, stage: &Told) -> Stage {
    let scale = Scale::of(stage.nodes.iter().map(|n| n.value));
    let nodes = stage.nodes.iter().map(|n| entry(scene, story, n, scale));
    let cut = stage.cut.iter().map(|cut| {
        // Traces and verdicts keep the code.
        let said = cut.code.name().to_lowercase().replace('_', " ");
        let by = figure(cut.margin);
        let (note, why) = match cut.margin {
            0.0 => (said.clone(), said),
            _ => (format!("{said} {by}"), format!("{said}: {by} below")),
        };
        Row {
            sign: Sign::Lost,
            note,
            why,
            ..item(scene, story, cut.item)
        }
    });
    let counters: Vec<(&'static str, String)> = (stage.counters.iter())
        .map(|(name, value)| (*name, short(value)))
        .collect();
    let sizes = [
        (stage.nodes.len(), "node"),
        (stage.edges.len(), "edge"),
        (stage.cut.len(), "cut"),
    ];
    let sizes = sizes
        .iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, word)| plural(*n, word));
    let told = counters
        .iter()
        .map(|(name, value)| format!("{name} {value}"));
    Stage {
        name: stage.name,
        kind: stage.kind,
        foot: told.chain(sizes).collect::<Vec<_>>().join(", "),
        counters,
        spent: spent(&stage.counters),
        rows: nodes.chain(cut).collect(),
        ..Stage::default()
    }
}

/// The parts of a context as shares of its budget.
fn spent(counters: &[Fact]) -> Vec<f64> {
    let of = |name: &str| {
        let counter = counters.iter().find(|(known, _)| *known == name);
        counter.and_then(|(_, value)| value.as_f64())
    };
    let budget = of("budget").or_else(|| of("of tokens"));
    let Some(budget) = budget.filter(|budget| *budget > 0.0) else {
        return Vec::new();
    };
    // The whole context says what is left of it, and what each part took.
    let names: &[&str] = match of("free") {
        Some(_) => &["entities", "relations", "skeleton text", "text"],
        None => &["tokens"],
    };
    let parts = names.iter().filter_map(|name| of(name));
    parts.map(|tokens| tokens / budget).collect()
}

/// The stages after what started the search: a column each, a line for every counter.
fn timeline(story: &Story, spread: &[Stage]) -> Option<Timeline> {
    let stages: Vec<&Stage> = story.timeline.iter().map(|at| &spread[*at]).collect();
    let last = stages.len();
    let told = |(k, stage): (usize, &&Stage)| Step {
        name: format!("{} {}", k + 1, stage.name),
        note: stage.name.to_owned(),
        brief: match stage.counters.first() {
            Some((name, value)) => (
                format!(" {} {name}", stage.name),
                format!(" {} ", cut(value, 16)),
            ),
            None => (format!(" {} ", stage.name), String::new()),
        },
        stage: story.timeline[k],
        ..Step::default()
    };
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in stages.iter().flat_map(|stage| &stage.counters) {
        if !names.contains(name) {
            names.push(name);
        }
    }
    let counter = |name: &str, stage: &Stage| {
        let own = stage.counters.iter().find(|(known, _)| *known == name);
        own.map_or(Cell::Empty, |(_, value)| Cell::Figure(value.clone()))
    };
    let lines: Vec<StepLine> = (names.iter())
        .map(|name| StepLine {
            label: (*name).to_owned(),
            cells: stages.iter().map(|stage| counter(name, stage)).collect(),
            gold: false,
        })
        .collect();
    let sizes = |at: &usize| {
        let Told {
            nodes, edges, cut, ..
        } = &story.stages[*at];
        Cell::Figure(format!("{} {} {}", nodes.len(), edges.len(), cut.len()))
    };
    // What every stage says alike is said once.
    let (same, mut lines): (Vec<StepLine>, Vec<StepLine>) = lines.into_iter().partition(|line| {
        last > 1 && line.cells[0] != Cell::Empty && line.cells.iter().all(|c| *c == line.cells[0])
    });
    let same = same
        .iter()
        .map(|line| format!("{} {}", line.label, line.cells[0].text()));
    let same: Vec<String> = same.collect();
    if !same.is_empty() {
        let mut cells = vec![Cell::Empty; last];
        let places = same.len().div_ceil(last);
        for (cell, told) in cells.iter_mut().zip(same.chunks(places)) {
            *cell = Cell::Figure(told.join("; "));
        }
        lines.push(StepLine {
            label: "same for all".to_owned(),
            cells,
            gold: false,
        });
    }
    lines.push(StepLine {
        label: "nodes, edges, cut".to_owned(),
        cells: story.timeline.iter().map(sizes).collect(),
        gold: false,
    });
    let whole = Step {
        note: "every stage is listed".to_owned(),
        ..Step::default()
    };
    let steps = stages.iter().enumerate().map(told).chain([whole]);
    (last > 0).then(|| Timeline {
        title: "Timeline",
        unit: "step",
        first: 1,
        whole: match last {
            1 => "one step".to_owned(),
            last => format!("all {last} steps"),
        },
        brief: "",
        steps: steps.collect(),
        lines,
        told: Vec::new(),
    })
}

/// A counter's value as a person reads it.
fn short(value: &Value) -> String {
    match value {
        Value::String(text) => clean(text),
        Value::Number(n) if n.is_f64() => n.as_f64().map_or_else(String::new, score),
        Value::Number(n) => n
            .as_u64()
            .map_or_else(|| n.to_string(), |n| count(n as usize)),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::Null => "-".to_owned(),
        Value::Array(items) if items.iter().any(Value::is_object) => {
            items.iter().map(short).collect::<Vec<_>>().join("; ")
        }
        Value::Array(items) => items.iter().map(short).collect::<Vec<_>>().join(" "),
        Value::Object(fields) => {
            let fields = fields
                .iter()
                .map(|(name, v)| format!("{name} {}", short(v)));
            fields.collect::<Vec<_>>().join(" ")
        }
    }
}

/// An entry of a stage as a row.
fn entry(scene: &Scene, story: &Story, entry: &Entry, scale: Scale) -> Row {
    Row {
        value: entry.value,
        figure: scale.figure(entry.value),
        why: entry.why.clone(),
        ..item(scene, story, entry.item)
    }
}

/// An item as a row.
fn item(scene: &Scene, story: &Story, place: usize) -> Row {
    let item = &story.items[place];
    Row {
        node: Some(place as Node),
        passage: item.passage,
        kind: item.kind.into(),
        label: item.label.clone(),
        is_passage: item.passage.is_some(),
        gold: item.passage.is_some_and(|passage| scene.is_gold(passage)),
        ..Row::default()
    }
}

/// The graphs that a run's steps worked on, each once. Behind the items of its story come their nodes, graph by graph:
/// what no stage told of has a number too.
fn graphs(retrieval: &Retrieval) -> Vec<&Graph> {
    let mut graphs: Vec<&Graph> = Vec::new();
    for graph in retrieval.records.iter().filter_map(|r| r.graph.as_deref()) {
        if graphs.iter().all(|known| known.id != graph.id) {
            graphs.push(graph);
        }
    }
    graphs
}

/// How many numbers there are for items and nodes.
pub fn places(retrieval: &Retrieval, story: &Story) -> usize {
    let nodes = graphs(retrieval).into_iter().map(Graph::nodes);
    story.items.len() + nodes.sum::<usize>()
}

/// The nodes that a number stands for, each with the place of its graph: of a passage all of its nodes.
fn nodes_at(graphs: &[&Graph], story: &Story, place: Node) -> Vec<(usize, Node)> {
    if let Some(mut node) = (place as usize).checked_sub(story.items.len()) {
        for (at, graph) in graphs.iter().enumerate() {
            match node.checked_sub(graph.nodes()) {
                Some(rest) => node = rest,
                None => return vec![(at, node as Node)],
            }
        }
        return Vec::new();
    }
    let own = story.known.iter().find(|(_, at)| **at == place as usize);
    let Some((&(id, node), _)) = own else {
        return Vec::new();
    };
    let of = |(at, graph): (usize, &&Graph)| {
        let nodes = match id {
            0 => graph.nodes_of(node).to_vec(),
            id if id == graph.id => vec![node],
            _ => Vec::new(),
        };
        nodes.into_iter().map(move |node| (at, node))
    };
    graphs.iter().enumerate().flat_map(of).collect()
}

/// The number of a node: its item's where a stage told of it.
fn place_of(graphs: &[&Graph], story: &Story, at: usize, node: Node) -> Node {
    let graph = graphs[at];
    let key = match graph.is_of_passages() && graph.is_passage(node) {
        true => (0, node),
        false => (graph.id, node),
    };
    let before = || {
        graphs[..at]
            .iter()
            .map(|graph| graph.nodes())
            .sum::<usize>()
    };
    let told = story.known.get(&key).copied();
    told.unwrap_or_else(|| story.items.len() + before() + node as usize) as Node
}

/// An item or a node, the edges of all stages that touch it, and after them those of the graph that no stage told of: a
/// stage tells of the greatest only.
pub fn around(
    index: &Index,
    retrieval: &Retrieval,
    scene: &Scene,
    story: &Story,
    place: Node,
) -> Option<Around> {
    let graphs = graphs(retrieval);
    let own = nodes_at(&graphs, story, place);
    let seat = |at: usize, node: Node| match story
        .items
        .get(place_of(&graphs, story, at, node) as usize)
    {
        Some(_) => item(scene, story, place_of(&graphs, story, at, node) as usize),
        None => {
            let passage = graphs[at].passages_of(node).first().copied();
            Row {
                node: Some(place_of(&graphs, story, at, node)),
                passage,
                kind: graphs[at].source().kind(node).into(),
                label: clean(&graphs[at].label(index, node)),
                is_passage: passage.is_some(),
                gold: passage.is_some_and(|passage| scene.is_gold(passage)),
                ..Row::default()
            }
        }
    };
    let (row, text) = match (story.items.get(place as usize), &own[..]) {
        (Some(own), _) => (item(scene, story, place as usize), own.text.clone()),
        (None, &[(at, node)]) => {
            let text = clean(&graphs[at].source().text(index, node));
            (seat(at, node), text)
        }
        _ => return None,
    };
    let touching = story.stages.iter().flat_map(|stage| {
        let edges = stage.edges.iter();
        edges.filter_map(|edge| match (edge.from, edge.to) {
            (from, to) if from == place as usize => Some((stage.name, edge, to)),
            (from, to) if to == place as usize => Some((stage.name, edge, from)),
            _ => None,
        })
    });
    let touching: Vec<_> = touching.collect();
    // Edges of one kind are read against each other.
    let mut values: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (_, edge, _) in &touching {
        values.entry(&edge.kind).or_default().push(edge.value);
    }
    let scale = |values: &Vec<f64>| Scale::of(values.iter().copied());
    let scales: BTreeMap<&str, Scale> = values.iter().map(|(k, v)| (*k, scale(v))).collect();
    let told = |(stage, edge, other): &(&'static str, &Edge, usize)| {
        let figure = scales[&*edge.kind].figure(edge.value);
        Row {
            kind: edge.kind.clone(),
            inward: edge.to == place as usize,
            value: edge.value,
            cells: vec![Cell::Figure(figure.clone()), Cell::Word(stage)],
            figure,
            why: edge.why.clone(),
            ..item(scene, story, *other)
        }
    };
    let mut adjacent: Vec<Node> = touching.iter().map(|t| t.2 as Node).collect();
    let mut rest: Vec<(f32, usize, Node, Node)> = Vec::new();
    for &(at, node) in &own {
        for (other, weight) in graphs[at].neighbours(node) {
            let seat = place_of(&graphs, story, at, other);
            if !adjacent.contains(&seat) {
                rest.push((weight, at, node, other));
            }
        }
    }
    rest.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.3.cmp(&b.3)));
    adjacent.extend(
        rest.iter()
            .map(|(_, at, _, other)| place_of(&graphs, story, *at, *other)),
    );
    adjacent.sort_unstable();
    let untold = |&(weight, at, node, other): &(f32, usize, Node, Node)| {
        let source = graphs[at].source();
        let figure = score(f64::from(weight));
        Row {
            kind: source.edge_name(node, other),
            value: f64::from(weight),
            cells: vec![Cell::Figure(figure.clone()), Cell::Word("")],
            figure,
            why: clean(&format!(
                "an edge of the graph {}",
                source.evidence(index, node, other)
            )),
            ..seat(at, other)
        }
    };
    let (of_stages, all) = (touching.len(), touching.len() + rest.len());
    let rows = touching.iter().map(told);
    let rows = rows.chain(rest.iter().take(super::detail::NEIGHBOURS).map(untold));
    Some(Around {
        name: String::new(),
        node: place,
        label: row.label,
        text,
        is_passage: row.is_passage,
        degree: all,
        told: match of_stages {
            told if told == all => plural(all, "edge"),
            told => format!("{}, {told} reported", plural(all, "edge")),
        },
        none: match own.is_empty() {
            true => "not a node of the graph",
            false => "no edge of the graph touches it",
        },
        head: "to",
        columns: vec![
            column("value", "value", 8, 0),
            column("stage", "stage", 13, 1),
        ],
        neighbours: rows.collect(),
        flows: Vec::new(),
        adjacent,
    })
}

/// Pieces of one text often share its title: those get the end of their passage's identifier before it, from where the
/// identifiers differ.
fn tell_apart(index: &Index, story: &mut Story) {
    let mut titled: BTreeMap<(&str, &str), BTreeSet<&str>> = BTreeMap::new();
    for item in &story.items {
        if let Some(passage) = item.passage {
            let known = titled.entry((item.kind, &item.label)).or_default();
            known.insert(index.id(passage));
        }
    }
    let alike = |ids: &BTreeSet<&str>| {
        let (first, last) = (ids.first()?, ids.last()?);
        let same = first.char_indices().zip(last.chars());
        let differ = same.skip_while(|((_, a), b)| a == b).map(|((at, _), _)| at);
        // What all have in common is what the first and the last in order have.
        Some(differ.min().unwrap_or(first.len().min(last.len())))
    };
    let told: Vec<(usize, String)> = (story.items.iter().enumerate())
        .filter_map(|(at, item)| {
            let ids = titled.get(&(item.kind, item.label.as_str()))?;
            let id = index.id(item.passage.filter(|_| ids.len() > 1)?);
            let cut = alike(ids)?;
            let dots = if cut > 0 { ".." } else { "" };
            Some((
                at,
                format!("{dots}{} {}", clean(span::of(id, cut..)), item.label),
            ))
        })
        .collect();
    for (at, label) in told {
        story.items[at].label = label;
    }
}

/// A story without characters that would move the cursor, and without places that are none.
fn safe(mut story: Story) -> Story {
    let items = story.items.len();
    story.headline = clean(&story.headline);
    story.made_by = clean(&story.made_by);
    for item in &mut story.items {
        item.label = clean(&item.label);
        item.text = clean(&item.text);
    }
    story.seeds.retain(|seed| seed.item < items);
    for seed in &mut story.seeds {
        seed.why = clean(&seed.why);
    }
    for stage in &mut story.stages {
        stage.nodes.retain(|node| node.item < items);
        stage
            .edges
            .retain(|edge| edge.from < items && edge.to < items);
        stage.cut.retain(|cut| cut.item < items);
        for node in &mut stage.nodes {
            node.why = clean(&node.why);
        }
        for edge in &mut stage.edges {
            edge.why = clean(&edge.why);
        }
    }
    let stages = story.stages.len();
    story.timeline.retain(|stage| *stage < stages);
    story
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timeline_says_once_what_every_stage_says_alike() {
        let counted = |kept: &str, more: bool| Stage {
            name: "stage",
            counters: [("graph edges", "9,631"), ("kept", kept)]
                .into_iter()
                .chain(more.then_some(("words", "4")))
                .map(|(name, value)| (name, value.to_owned()))
                .collect(),
            ..Stage::default()
        };
        let spread = [counted("3", true), counted("2", false)];
        let story = Story {
            stages: vec![Told::default(), Told::default()],
            timeline: vec![0, 1],
            ..Story::default()
        };
        let lines = timeline(&story, &spread).unwrap().lines;
        let told = |line: &StepLine| {
            let cells: Vec<String> = line.cells.iter().map(Cell::text).collect();
            format!("{}: {}", line.label, cells.join(" | "))
        };
        let told: Vec<String> = lines.iter().map(told).collect();
        let expected = [
            "kept: 3 | 2",
            "words: 4 | ",
            "same for all: graph edges 9,631 | ",
            "nodes, edges, cut: 0 0 0 | 0 0 0",
        ];
        assert_eq!(told, expected);
    }
}
