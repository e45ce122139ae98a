//! One passage and one node of a scene, explained.

use super::passages::{marks, question_words};
use super::resolved;
use crate::explain;
use crate::explorer::scene::{
    Around, Basis, Detail, NeighbourRow, Part, Path, Reason, Scene, Stop, Subject, Why,
};
use crate::explorer::text::clean;
use crate::index::Index;
use crate::retrieve::{Node, Retrieval};
use std::collections::BTreeMap;

/// How many edges of a node are listed.
const NEIGHBOURS: usize = 300;

type Groups = BTreeMap<Node, usize>;

pub fn explain(
    index: &Index,
    retrieval: &Retrieval,
    scene: &Scene,
    groups: &Groups,
    subject: Subject,
) -> Detail {
    let subject = resolved(subject, scene);
    let nodes = retrieval
        .view
        .as_deref()
        .map_or(index.len(), crate::retrieve::GraphView::nodes);
    let passage = subject.passage.filter(|p| (*p as usize) < index.len());
    let node = subject.node.filter(|n| (*n as usize) < nodes).or(passage);
    let around = |node: Node| match (&scene.story, retrieval.view.as_deref()) {
        // Items and edges of a story are in the story.
        (Some(_), _) => None,
        (None, Some(_)) => Some(edges(index, retrieval, scene, groups, node)),
        (None, None) => words(index, retrieval, scene, passage.unwrap_or(node)),
    };
    Detail {
        passage: passage.map(|passage| why(index, retrieval, scene, groups, passage)),
        node: node.and_then(around),
    }
}

fn why(index: &Index, retrieval: &Retrieval, scene: &Scene, groups: &Groups, passage: u32) -> Why {
    let place = retrieval.place(passage);
    let inside = place.is_some_and(|(rank, _)| rank <= scene.top_k);
    let reasons = if inside {
        Vec::new()
    } else {
        explain::why_not(index, retrieval, passage)
    };
    let score = place.map_or(0.0, |(_, score)| f64::from(score));
    let row = |at: usize| scene.passages.get(at).map_or(0.0, |row| row.score);
    let mut why = Why {
        passage,
        id: clean(index.id(passage)),
        title: clean(index.title(passage)),
        rank: place.map(|(rank, _)| rank),
        gold: scene.gold.iter().any(|gold| gold.passage == passage),
        score,
        parts: Vec::new(),
        by_length: Vec::new(),
        paths: Vec::new(),
        error: 0.0,
        sentence: String::new(),
        reasons: reasons
            .into_iter()
            .map(|r| Reason {
                code: r.code.to_owned(),
                text: clean(&r.text),
                fix: r.fix.map(|f| clean(&f)),
            })
            .collect(),
        best: row(0),
        cut: row(scene.top_k.saturating_sub(1)),
        text: index.text(passage).to_owned(),
        marks: marks(
            index,
            retrieval,
            passage,
            groups,
            &question_words(&retrieval.question),
        ),
    };
    if scene.basis == Basis::Walk {
        walked(index, retrieval, groups, &mut why);
    } else {
        // A fused ranking has a walk too; its paths are worth seeing, its parts are those of another number.
        walked(index, retrieval, groups, &mut why);
        why.by_length.clear();
        why.parts = match retrieval.found.as_deref() {
            Some(found) => super::story::parts(index, found, scene, passage),
            None => parts(index, retrieval, scene, passage),
        };
        why.score = match place {
            Some(_) => score,
            None => why.parts.iter().map(|p| p.value).sum(),
        };
    }
    // The parts say the same with more; a sentence is for a score that has none, or for what a system has to say.
    if why.parts.is_empty() || scene.story.is_some() {
        why.sentence = clean(&explain::why_here(index, retrieval, passage));
    }
    why
}

/// Opens the walk's score of a passage: parts by seed, by length, and the best paths.
fn walked(index: &Index, retrieval: &Retrieval, groups: &Groups, why: &mut Why) {
    let Some(view) = retrieval.view.as_deref() else {
        return;
    };
    let Some(opened) = explain::attribution(retrieval, why.passage) else {
        return;
    };
    // A passage often has the title of an entity next to it; its identifier tells them apart.
    let name = |node: Node| {
        clean(match view.is_passage(node) {
            true => index.id(node),
            false => view.label(index, node),
        })
    };
    let stop = |(node, kept): (&Node, Option<f64>)| Stop {
        node: *node,
        label: name(*node),
        group: groups.get(node).copied(),
        is_passage: view.is_passage(*node),
        degree: view.degree(*node),
        kept,
    };
    let part = |(seed, share): &(usize, f64)| {
        let node = retrieval.seeds[*seed].node;
        Part {
            label: name(node),
            group: groups.get(&node).copied(),
            value: *share,
            why: String::new(),
        }
    };
    let path = |path: &explain::Path| {
        let kept = path.kept.iter().map(|kept| Some(*kept)).chain([None]);
        Path {
            mass: path.mass,
            stops: path.nodes.iter().zip(kept).map(stop).collect(),
        }
    };
    why.parts = opened.shares.iter().map(part).collect();
    why.paths = opened.paths.iter().map(path).collect();
    why.by_length = opened.by_length;
    why.error = opened.error;
    if why.rank.is_none() {
        why.score = opened.score;
    }
}

/// The words, lists or measure that a score without a walk is made of, largest first.
fn parts(index: &Index, retrieval: &Retrieval, scene: &Scene, passage: u32) -> Vec<Part> {
    let mut terms = explain::terms(index, retrieval, passage);
    terms.retain(|t| t.score > 0.0);
    terms.sort_by(|a, b| b.score.total_cmp(&a.score));
    let part = |t: explain::Contribution| Part {
        group: group_of_word(scene, &t.word),
        label: match scene.basis {
            Basis::Lists if t.tf > 0 => format!("{}, rank {}", t.word, t.tf),
            _ => t.word,
        },
        value: t.score,
        why: String::new(),
    };
    terms.into_iter().map(part).collect()
}

fn group_of_word(scene: &Scene, word: &str) -> Option<usize> {
    scene
        .seeds
        .iter()
        .find(|seed| seed.node.is_none() && seed.label == word)
        .map(|seed| seed.group)
}

/// A node of the graph and its edges.
fn edges(
    index: &Index,
    retrieval: &Retrieval,
    scene: &Scene,
    groups: &Groups,
    node: Node,
) -> Around {
    let (Some(view), Some(spread)) = (retrieval.view.as_deref(), retrieval.spread.as_deref())
    else {
        return Around::default();
    };
    let found = explain::neighbours(retrieval, node);
    let mut adjacent: Vec<Node> = found.iter().map(|n| n.node).collect();
    adjacent.sort_unstable();
    let ranks: BTreeMap<u32, usize> = scene
        .passages
        .iter()
        .map(|row| (row.passage, row.rank))
        .collect();
    let row = |n: &explain::Neighbour| NeighbourRow {
        node: Some(n.node),
        label: clean(view.label(index, n.node)),
        is_passage: view.is_passage(n.node),
        group: groups.get(&n.node).copied(),
        weight: f64::from(n.weight),
        mentions: usize::from(n.tf),
        probability: n.probability,
        sends: n.sends,
        receives: n.receives,
        rank: ranks.get(&n.node).copied(),
        gold: scene.gold.iter().any(|gold| gold.passage == n.node),
        seen: view.degree(n.node),
    };
    Around {
        node,
        label: clean(view.label(index, node)),
        is_passage: view.is_passage(node),
        degree: view.degree(node),
        mass: spread
            .scores
            .get(node as usize)
            .map_or(0.0, |s| f64::from(*s)),
        neighbours: found.iter().take(NEIGHBOURS).map(row).collect(),
        adjacent,
    }
}

/// For a flat ranking, the words of the question in the selected passage.
fn words(index: &Index, retrieval: &Retrieval, scene: &Scene, passage: u32) -> Option<Around> {
    let mut terms = explain::terms(index, retrieval, passage);
    terms.sort_by(|a, b| b.score.total_cmp(&a.score));
    let rows: Vec<NeighbourRow> = terms
        .into_iter()
        .map(|t| NeighbourRow {
            group: group_of_word(scene, &t.word),
            label: t.word,
            weight: t.idf,
            mentions: t.tf as usize,
            sends: t.score,
            seen: t.df as usize,
            ..NeighbourRow::default()
        })
        .collect();
    Some(Around {
        node: passage,
        label: clean(index.title(passage)),
        is_passage: true,
        degree: rows.iter().filter(|row| row.mentions > 0).count(),
        mass: rows.iter().map(|row| row.sends).sum(),
        neighbours: rows,
        adjacent: Vec::new(),
    })
}
