//! One passage and one node of a scene, explained.

use super::resolved;
use super::words::{Term, terms};
use crate::evaluate::answers::places;
use crate::explain;
use crate::explain::compare::matched;
use crate::explorer::scene::{
    Around, Basis, Beside, Cell, Column, Detail, Part, Path, RANK, RECEIVES, Row, SENDS, Scene,
    Stop, Subject, Why,
};
use crate::explorer::text::{clean, plural, score};
use crate::index::Index;
use crate::layers::Graph;
use crate::retrieve::edits::name_of;
use crate::retrieve::explanation::{Combine, Explanation, Part as ScorePart, Reason};
use crate::retrieve::marks::{marks, question_words};
use crate::retrieve::{Mask, Node, Retrieval};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

/// How many edges of a node are listed.
pub const NEIGHBOURS: usize = 300;

type Groups = BTreeMap<Node, usize>;

/// A passage and a node, and what describes the passage where it is missed: [`test`] takes that.
pub fn explain(
    index: &Arc<Index>,
    retrieval: &Retrieval,
    scene: &Scene,
    groups: &Groups,
    subject: Subject,
) -> (Detail, Vec<Reason>) {
    let subject = resolved(subject, scene);
    let walk = retrieval.walk();
    let nodes = match (&scene.story, walk) {
        (Some(story), _) => super::story::places(retrieval, story),
        (None, Some(walk)) => walk.graph.nodes(),
        (None, None) => index.len(),
    };
    let passage = subject.passage.filter(|p| (*p as usize) < index.len());
    let node = subject
        .node
        .filter(|n| (*n as usize) < nodes)
        .or_else(|| scene.node_of(passage?));
    let around = |node: Node| match (&scene.story, walk) {
        (Some(story), _) => super::story::around(index, retrieval, scene, story, node),
        (None, Some(_)) => Some(edges(index, retrieval, scene, groups, node)),
        (None, None) => surroundings(index, retrieval, scene, passage.unwrap_or(node)),
    };
    let described = passage.map_or_else(Vec::new, |p| explain::described(index, retrieval, p));
    let why = |passage| {
        let reasons = &described;
        why(
            index,
            retrieval,
            scene,
            groups,
            (passage, reasons),
            subject.than,
        )
    };
    let detail = Detail {
        passage: passage.map(why),
        node: node.and_then(around),
        flow: None,
        ways: None,
        browsed: None,
    };
    (detail, described)
}

/// Puts the verdict on a missed passage to the test.
pub fn test(
    index: &Arc<Index>,
    retrieval: &Retrieval,
    why: &mut Why,
    described: Vec<Reason>,
    going: &(dyn Fn() -> bool + Sync),
) {
    let reasons = explain::tested(index, retrieval, why.passage, described, going);
    let alike = explain::lookalikes(index, retrieval, why.passage);
    why.reasons = reasons.into_iter().map(reason).collect();
    why.look_alikes = alike.iter().map(|alike| clean(&alike.sentence())).collect();
    why.testing = false;
}

fn reason(reason: Reason) -> Reason {
    Reason {
        text: clean(&reason.text),
        ..reason
    }
}

fn why(
    index: &Arc<Index>,
    retrieval: &Retrieval,
    scene: &Scene,
    groups: &Groups,
    (passage, described): (u32, &[Reason]),
    than: Option<u32>,
) -> Why {
    let place = retrieval.place(passage);
    let inside = described.is_empty();
    let score = place.map_or(0.0, |(_, score)| f64::from(score));
    let row = |at: usize| scene.passages.get(at).map_or(0.0, |row| row.score);
    let mut why = Why {
        passage,
        key: index.id(passage).to_owned(),
        testing: !inside,
        id: clean(index.short(passage)),
        title: clean(index.title(passage)),
        about: (index.told_about(passage))
            .map(|about| (clean(&about.name), about.by.said()))
            .collect(),
        rank: place.map(|(rank, _)| rank),
        gold: scene.is_gold(passage),
        score,
        parts: Vec::new(),
        beside: None,
        by_length: Vec::new(),
        paths: Vec::new(),
        error: 0.0,
        sentence: String::new(),
        reasons: described.iter().cloned().map(reason).collect(),
        look_alikes: Vec::new(),
        best: row(0),
        cut: row(scene.top_k.saturating_sub(1)),
        text: index.text(passage).to_owned(),
        marks: marks(
            index,
            retrieval,
            passage,
            groups,
            &question_words(&retrieval.question),
            places(index.text(passage), &scene.answers),
        ),
    };
    opened(index, retrieval, scene, groups, &mut why);
    if place.is_none() {
        why.score = why.parts.iter().map(|p| p.value).sum();
    }
    let last = retrieval.last_inside().filter(|_| !inside);
    let other = than
        .or(last.map(|last| last.passage))
        .filter(|other| *other != passage && (*other as usize) < index.len());
    if let Some(other) = other {
        let opened = retrieval.explain(index, other);
        let theirs = parts(index, retrieval, scene, groups, other, opened);
        let place = retrieval.place(other);
        why.beside = Some(Beside {
            passage: other,
            id: clean(index.id(other)),
            title: clean(index.title(other)),
            rank: place.map(|(rank, _)| rank),
            score: place.map_or(0.0, |(_, score)| f64::from(score)),
        });
        hold_against(&mut why.parts, theirs);
    } else if scene.basis == Basis::Lists {
        // Alone, a list's part is told with the rank there.
        for part in why.parts.iter_mut().filter(|part| !part.why.is_empty()) {
            part.label = format!("{}, {}", part.label, std::mem::take(&mut part.why));
        }
    }
    // The parts say the same with more; a sentence is for a score that has none, or for what a system has to say.
    if !why.parts.is_empty() && scene.story.is_none() {
        why.sentence.clear();
    }
    why
}

/// Opens the score of a passage: what it adds up from, by length where a walk gave it, and the best paths.
fn opened(
    index: &Arc<Index>,
    retrieval: &Retrieval,
    scene: &Scene,
    groups: &Groups,
    why: &mut Why,
) {
    let opened = retrieval.explain(index, why.passage);
    why.sentence = clean(&opened.sentence);
    let walk = retrieval.walk();
    if let Some(graph) = walk.map(|walk| walk.graph) {
        let stop = |(node, kept): (&Node, Option<f64>)| Stop {
            node: *node,
            place: Some(crate::explain::Stop::of(index, graph, *node)),
            label: named(index, graph, *node),
            group: groups.get(node).copied(),
            is_passage: graph.is_passage(*node),
            degree: graph.degree(*node),
            kept,
        };
        let paths = opened.paths.iter().map(|path| {
            let kept = path.kept.iter().map(|kept| Some(*kept)).chain([None]);
            Path {
                mass: path.mass,
                stops: path.nodes.iter().zip(kept).map(stop).collect(),
            }
        });
        why.paths = paths.collect();
    }
    if walk.is_some() && scene.basis == Basis::Walk {
        why.by_length.clone_from(&opened.by_length);
        why.error = opened.error;
    }
    why.parts = parts(index, retrieval, scene, groups, why.passage, opened);
    // What decides most comes first, whether it gives or takes away.
    why.parts
        .sort_by(|a, b| b.value.abs().total_cmp(&a.value.abs()));
}

/// What the score of a passage adds up from, as the panes name it; nothing where it is no sum.
fn parts(
    index: &Arc<Index>,
    retrieval: &Retrieval,
    scene: &Scene,
    groups: &Groups,
    passage: u32,
    opened: Explanation,
) -> Vec<Part> {
    let walk = retrieval.walk();
    let of_walk = walk.filter(|_| scene.basis == Basis::Walk);
    if of_walk.is_none() && opened.combine == Combine::Witness {
        return Vec::new();
    }
    let word = |t: Term| Part {
        group: scene.group_of(&t.word),
        why: match scene.basis {
            Basis::Lists if t.tf > 0 => format!("rank {}", t.tf),
            _ => String::new(),
        },
        label: t.word,
        value: t.score,
        ..Part::default()
    };
    let part = |part: ScorePart| {
        let seeds = walk.map_or(&[][..], |walk| walk.seeds());
        let node = part.seed.and_then(|seed| seeds.get(seed)).map(|s| s.node);
        let label = match of_walk.zip(node) {
            Some((walk, node)) => named(index, walk.graph, node),
            None => clean(&part.label),
        };
        Part {
            group: match node {
                Some(node) => groups.get(&node).copied(),
                None => scene.group_of(&label),
            },
            label,
            value: part.value,
            why: clean(&part.why),
            ..Part::default()
        }
    };
    match scene.basis {
        Basis::Words | Basis::Lists | Basis::Measure => {
            let terms = terms(index, retrieval, passage).into_iter();
            terms.filter(|t| t.score > 0.0).map(word).collect()
        }
        _ => opened.parts.into_iter().map(part).collect(),
    }
}

/// Puts the parts of another score beside those of a passage: what gives the other most more comes first.
fn hold_against(parts: &mut Vec<Part>, theirs: Vec<Part>) {
    let key = |part: &Part| (part.label.clone(), part.group);
    let pairs = matched(std::mem::take(parts), theirs, key).into_iter();
    let both = pairs.filter_map(|pair| match pair {
        (Some(own), Some(other)) => Some(Part {
            other: other.value,
            other_why: other.why,
            ..own
        }),
        (None, Some(other)) => Some(Part {
            value: 0.0,
            why: String::new(),
            other: other.value,
            other_why: other.why,
            ..other
        }),
        (own, None) => own,
    });
    parts.extend(both);
    // What both have alike comes last.
    let order = |part: &Part| (part.is_equal(), part.value - part.other);
    parts.sort_by(|a, b| order(a).partial_cmp(&order(b)).unwrap_or(Ordering::Equal));
}

/// What a node is called beside others, safe to draw.
pub fn named(index: &Index, graph: &Graph, node: Node) -> String {
    clean(&graph.named(index, node))
}

/// A node of the graph and its edges.
fn edges(
    index: &Arc<Index>,
    retrieval: &Retrieval,
    scene: &Scene,
    groups: &Groups,
    node: Node,
) -> Around {
    let Some(walk) = retrieval.walk() else {
        return Around::default();
    };
    let graph = walk.graph;
    let found = explain::neighbours(retrieval, node);
    let mut adjacent: Vec<Node> = found.iter().map(|n| n.node).collect();
    let shown: Vec<Node> = adjacent.iter().copied().take(NEIGHBOURS).collect();
    adjacent.sort_unstable();
    let ranks: BTreeMap<u32, usize> = scene
        .passages
        .iter()
        .map(|row| (row.passage, row.rank))
        .collect();
    let is_passage = graph.is_passage(node);
    let row = |n: &explain::Neighbour| {
        let passage = graph.passages_of(n.node).first().copied();
        Row {
            node: Some(n.node),
            passage,
            name: name_of(index, graph, n.node),
            label: clean(&graph.label(index, n.node)),
            is_passage: passage.is_some(),
            group: groups.get(&n.node).copied(),
            gold: passage.is_some_and(|passage| scene.is_gold(passage)),
            value: n.sends,
            figure: score(n.sends),
            cells: vec![
                Cell::Score(n.probability),
                Cell::Score(f64::from(n.weight)),
                Cell::Count(usize::from(n.tf)),
                Cell::Score(n.sends),
                Cell::Score(n.receives),
                match passage {
                    Some(passage) => Cell::Rank(ranks.get(&passage).copied()),
                    None => Cell::Count(graph.degree(n.node)),
                },
            ],
            ..Row::default()
        }
    };
    let degree = graph.degree(node);
    Around {
        node,
        name: name_of(index, graph, node),
        label: clean(&graph.label(index, node)),
        text: String::new(),
        is_passage,
        degree,
        told: plural(degree, if is_passage { scene.noun } else { "passage" }),
        none: match is_passage {
            true => "no entity found in this passage",
            false if by_hand(graph, node) => "no edge: removed by a graph edit",
            false => "no edge: masked by a setting",
        },
        head: "to",
        columns: vec![
            column("probability", "P", 6, 5),
            column("weight", "w", 6, 2),
            column("mentions", "tf", 5, 4),
            column(SENDS, "sends", 8, 0),
            column(RECEIVES, "gets", 8, 3),
            column(RANK, if is_passage { "in" } else { "rank" }, 6, 1),
        ],
        flows: explain::crossings(retrieval, node, &shown),
        neighbours: found.iter().take(NEIGHBOURS).map(row).collect(),
        adjacent,
    }
}

/// Whether it is a person's change that left a name without edges.
fn by_hand(graph: &Graph, node: Node) -> bool {
    let of = graph
        .entities()
        .and_then(|view| Some((view, view.entity(node)?)));
    of.is_some_and(|(view, entity)| {
        let none = view.graph.df(entity) == 0 && view.built.df(entity) > 0;
        none || view.mask(entity as u32) == Some(Mask::Muted)
    })
}

pub fn column(name: &'static str, head: &'static str, width: usize, place: u8) -> Column {
    Column {
        name,
        head,
        width,
        place,
    }
}

/// For a flat ranking, the words of the question in the selected passage.
fn surroundings(
    index: &Arc<Index>,
    retrieval: &Retrieval,
    scene: &Scene,
    passage: u32,
) -> Option<Around> {
    let mut terms = terms(index, retrieval, passage);
    terms.sort_by(|a, b| b.score.total_cmp(&a.score));
    let row = |t: &Term| Row {
        group: scene.group_of(&t.word),
        label: t.word.clone(),
        value: t.score,
        figure: score(t.score),
        cells: vec![
            match t.idf {
                0.0 => Cell::Empty,
                idf => Cell::Score(idf),
            },
            Cell::Count(t.tf as usize),
            Cell::Score(t.score),
            Cell::Count(t.df as usize),
        ],
        ..Row::default()
    };
    let noun = scene.basis.noun();
    let degree = terms.iter().filter(|t| t.tf > 0).count();
    let (idf, tf, df) = match scene.basis {
        Basis::Words => ("idf", "tf", "in"),
        _ => ("", "rank", "of"),
    };
    Some(Around {
        node: passage,
        label: clean(index.title(passage)),
        is_passage: true,
        degree,
        told: format!("{degree} of {}", plural(terms.len(), noun)),
        none: "the question has no word",
        head: noun,
        columns: vec![
            column("weight", idf, 6, 2),
            column("mentions", tf, 5, 3),
            column("pays", "score", 8, 0),
            column("passages", df, 5, 1),
        ],
        neighbours: terms.iter().map(row).collect(),
        ..Around::default()
    })
}
