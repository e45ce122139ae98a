//! The ranking as rows: gold, ties, and a snippet that shows why a person would open the passage.

use super::walk;
use crate::evaluate::answers::places;
use crate::explain::reasons::TIE_BAND;
use crate::explorer::scene::{Mark, MarkKind, PassageRow};
use crate::explorer::text::clean;
use crate::index::Index;
use crate::retrieve::masses::Masses;
use crate::retrieve::{Node, Retrieval};
use crate::text::sentences::sentences;
use crate::text::span;
use crate::text::words::STOP_WORDS;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;

/// How much of a passage a row can show at most, in bytes.
const SNIPPET: usize = 400;

pub fn rows(
    index: &Index,
    retrieval: &Retrieval,
    shares: &[Masses],
    group_of: &BTreeMap<Node, usize>,
    gold: &[u32],
) -> Vec<PassageRow> {
    let words = question_words(&retrieval.question);
    let hits = &retrieval.passages;
    hits.iter()
        .enumerate()
        .map(|(at, hit)| {
            let tie = hits
                .get(at + 1)
                .is_some_and(|next| next.score >= hit.score * (1.0 - TIE_BAND));
            let (snippet, marks) = snippet(index, retrieval, hit.passage, group_of, &words);
            PassageRow {
                passage: hit.passage,
                key: index.id(hit.passage).to_owned(),
                rank: at + 1,
                id: clean(index.id(hit.passage)),
                title: clean(index.title(hit.passage)),
                headed: clean(&index.headed(hit.passage)),
                name: clean(index.called(hit.passage)),
                score: f64::from(hit.score),
                tie,
                gold: gold.contains(&hit.passage),
                seed: seeded(retrieval, group_of, hit.passage),
                shares: walk::landed_parts(retrieval, shares, hit.passage),
                node: retrieval
                    .walk()
                    .and_then(|walk| walk.best_node(hit.passage)),
                snippet,
                marks,
            }
        })
        .collect()
}

/// The group that a node of the passage is a seed of.
fn seeded(retrieval: &Retrieval, group_of: &BTreeMap<Node, usize>, passage: u32) -> Option<usize> {
    let walk = retrieval.walk()?;
    let nodes = walk.graph.nodes_of(passage);
    nodes.iter().find_map(|node| group_of.get(node).copied())
}

/// The words of a question that carry meaning, in lower case.
pub fn question_words(question: &str) -> BTreeSet<String> {
    let asking = [
        "who", "what", "which", "when", "where", "why", "how", "did", "does", "do", "has", "have",
        "had", "were", "from", "whose", "than", "its", "his", "her",
    ];
    let words = question.unicode_words().map(str::to_lowercase);
    words
        .filter(|w| {
            w.chars().count() > 1
                && !STOP_WORDS.contains(w.as_str())
                && !asking.contains(&w.as_str())
        })
        .collect()
}

/// Places to highlight in a passage's body: other names, question words over them, seeds over these, answers over all.
pub fn marks(
    index: &Index,
    retrieval: &Retrieval,
    passage: u32,
    group_of: &BTreeMap<Node, usize>,
    words: &BTreeSet<String>,
    answers: &[String],
) -> Vec<Mark> {
    let text = index.text(passage);
    let title = index.title(passage);
    let before = if title.is_empty() { 0 } else { title.len() + 2 };
    let mut seeds = Vec::new();
    let mut mentions = Vec::new();
    if let Some(view) = retrieval.view() {
        for found in view.graph.occurrences(passage as usize) {
            let (start, end) = (found.start as usize, found.end as usize);
            if start < before || end - before > text.len() {
                continue;
            }
            let range = start - before..end - before;
            match group_of.get(&view.entity_node(found.entity)) {
                Some(group) => seeds.push((range, MarkKind::Seed(*group))),
                None => mentions.push((range, MarkKind::Mention)),
            }
        }
    }
    let asked = text
        .unicode_word_indices()
        .filter(|(_, word)| words.contains(&word.to_lowercase()))
        .map(|(at, word)| (at..at + word.len(), MarkKind::Word));
    let mut painted: Vec<Option<MarkKind>> = vec![None; text.len()];
    let answers = places(text, answers);
    let answers = answers.into_iter().map(|range| (range, MarkKind::Answer));
    for (range, kind) in mentions
        .into_iter()
        .chain(asked)
        .chain(seeds)
        .chain(answers)
    {
        if let Some(bytes) = painted.get_mut(range) {
            bytes.fill(Some(kind));
        }
    }
    runs(&painted)
}

/// Equal neighbours become one mark.
fn runs(painted: &[Option<MarkKind>]) -> Vec<Mark> {
    let mut marks: Vec<Mark> = Vec::new();
    for (at, kind) in painted.iter().enumerate() {
        let Some(kind) = *kind else { continue };
        match marks.last_mut() {
            Some(last) if last.range.end == at && last.kind == kind => last.range.end = at + 1,
            _ => marks.push(Mark {
                range: at..at + 1,
                kind,
            }),
        }
    }
    marks
}

/// The sentence that says most about the question, and on to the end of the room.
fn snippet(
    index: &Index,
    retrieval: &Retrieval,
    passage: u32,
    group_of: &BTreeMap<Node, usize>,
    words: &BTreeSet<String>,
) -> (String, Vec<Mark>) {
    let text = index.text(passage);
    let mut marks = marks(index, retrieval, passage, group_of, words, &[]);
    marks.retain(|mark| mark.kind != MarkKind::Mention);
    let worth = |range: &Range<usize>| {
        let inside = |m: &&Mark| m.range.start >= range.start && m.range.end <= range.end;
        let said: BTreeSet<&str> = marks
            .iter()
            .filter(inside)
            .map(|m| span::clipped(text, m.range.clone()))
            .collect();
        let seeds = marks
            .iter()
            .filter(inside)
            .filter(|m| matches!(m.kind, MarkKind::Seed(_)))
            .count();
        said.len() + seeds.min(2)
    };
    let sentences = sentences(text);
    // The first of equals, so that a passage without any mark starts at its beginning.
    let best = sentences.iter().rev().max_by_key(|range| worth(range));
    let start = best.map_or(0, |range| range.start);
    let end = span::floor(text, start + SNIPPET);
    let mut cut = String::with_capacity(end - start);
    let mut moved = Vec::new();
    let mut open = None::<(usize, MarkKind)>;
    // One line: white space becomes single spaces, and marks move along.
    for (offset, c) in span::of(text, start..end).char_indices() {
        let kind = marks
            .iter()
            .find(|m| m.range.contains(&(start + offset)))
            .map(|m| m.kind);
        if open.map(|(_, k)| k) != kind {
            if let Some((from, kind)) = open.take() {
                moved.push(Mark {
                    range: from..cut.len(),
                    kind,
                });
            }
            open = kind.map(|kind| (cut.len(), kind));
        }
        let c = if c.is_whitespace() || c.is_control() {
            ' '
        } else {
            c
        };
        if c != ' ' || !cut.ends_with(' ') {
            cut.push(c);
        }
    }
    if let Some((from, kind)) = open {
        moved.push(Mark {
            range: from..cut.len(),
            kind,
        });
    }
    moved.retain(|mark| !mark.range.is_empty());
    (cut, moved)
}
