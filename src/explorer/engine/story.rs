//! Systems with a graph of their own: what they tell, made safe to draw, and passages split by the parts of their score.

use super::detail::column;
use crate::explain;
use crate::explorer::scene::{Around, Cell, Row, Scene, Sign, Stage, Step, StepLine, Timeline};
use crate::explorer::text::{Scale, clean, count, cut, figure, plural, score};
use crate::index::Index;
use crate::retrieve::explanation::{Combine, Edge, Entry, Stage as Told, Story};
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
            _ => (format!("{said} {by}"), format!("{said}: short by {by}")),
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
        rows: nodes.chain(cut).collect(),
        ..Stage::default()
    }
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
    let mut lines: Vec<StepLine> = (names.iter())
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
        kind: item.kind,
        label: item.label.clone(),
        is_passage: item.passage.is_some(),
        gold: item.passage.is_some_and(|passage| scene.is_gold(passage)),
        ..Row::default()
    }
}

/// An item and the edges of all stages that touch it.
pub fn around(scene: &Scene, story: &Story, place: Node) -> Option<Around> {
    let own = story.items.get(place as usize)?;
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
        values.entry(edge.kind).or_default().push(edge.value);
    }
    let scale = |values: &Vec<f64>| Scale::of(values.iter().copied());
    let scales: BTreeMap<&str, Scale> = values.iter().map(|(k, v)| (*k, scale(v))).collect();
    let row = |(stage, edge, other): &(&'static str, &Edge, usize)| {
        let figure = scales[edge.kind].figure(edge.value);
        Row {
            kind: edge.kind,
            inward: edge.to == place as usize,
            value: edge.value,
            cells: vec![Cell::Figure(figure.clone()), Cell::Word(stage)],
            figure,
            why: edge.why.clone(),
            ..item(scene, story, *other)
        }
    };
    let mut adjacent: Vec<Node> = touching.iter().map(|t| t.2 as Node).collect();
    adjacent.sort_unstable();
    Some(Around {
        name: String::new(),
        node: place,
        label: own.label.clone(),
        text: own.text.clone(),
        is_passage: own.passage.is_some(),
        degree: touching.len(),
        told: plural(touching.len(), "edge"),
        none: "no stage crossed an edge of it",
        head: "to",
        columns: vec![
            column("value", "value", 8, 0),
            column("stage", "stage", 13, 1),
        ],
        neighbours: touching.iter().map(row).collect(),
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
