//! The ranking as rows: gold, ties, and a snippet that shows why a person would open the passage.

use super::walk;
use crate::explain::reasons::TIE_BAND;
use crate::explorer::scene::PassageRow;
use crate::explorer::text::clean;
use crate::index::Index;
use crate::retrieve::marks::{question_words, snippet};
use crate::retrieve::masses::Masses;
use crate::retrieve::{Node, Retrieval};
use std::collections::BTreeMap;

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
                id: identifier(index, hit.passage),
                title: clean(index.title(hit.passage)),
                headed: headed(index, hit.passage),
                name: name(index, hit.passage),
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

/// Last digits of a checksum that stand for it.
const DIGITS: usize = 6;

/// The identifier of a passage; the end of one that is a checksum, which the words of its text stand beside.
fn identifier(index: &Index, passage: u32) -> String {
    let id = index.id(passage);
    let end = id
        .len()
        .checked_sub(DIGITS)
        .filter(|_| is_nameless(index, passage));
    match end.and_then(|end| id.get(end..)) {
        Some(digits) => format!("..{digits}"),
        None => clean(id),
    }
}

/// Whether neither title nor identifier of a passage is a name.
fn is_nameless(index: &Index, passage: u32) -> bool {
    // What a text is about is asked last: it is read off the text.
    index.title(passage).is_empty()
        && index.short(passage) != index.id(passage)
        && index.heading(passage).is_empty()
}

/// Characters of a text that stand in for a title that other passages have too.
const OPENING: usize = 120;

/// The title of a passage, or what stands for it; where titles repeat, the words that the text opens with.
pub fn headed(index: &Index, passage: u32) -> String {
    match opening(index, passage) {
        Some(words) => words,
        None => clean(&index.headed(passage)),
    }
}

/// What a passage is called where there is room for one name.
pub fn name(index: &Index, passage: u32) -> String {
    match opening(index, passage) {
        Some(words) => words,
        None => clean(index.called(passage)),
    }
}

/// The words that a text opens with, where neither its title nor its identifier is a name.
fn opening(index: &Index, passage: u32) -> Option<String> {
    let nameless = is_nameless(index, passage);
    let text = match nameless {
        // A text that was cut anywhere begins with what is left of a sentence.
        true => index
            .text(passage)
            .trim_start_matches(|c: char| !c.is_alphanumeric()),
        false => index.text(passage).trim_start(),
    };
    let opens = (index.is_twin(passage) || nameless) && !text.is_empty();
    opens.then(|| clean(&text.chars().take(OPENING).collect::<String>()))
}

/// The group that a node of the passage is a seed of.
fn seeded(retrieval: &Retrieval, group_of: &BTreeMap<Node, usize>, passage: u32) -> Option<usize> {
    let walk = retrieval.walk()?;
    let nodes = walk.graph.nodes_of(passage);
    nodes.iter().find_map(|node| group_of.get(node).copied())
}
