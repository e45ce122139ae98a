//! Where a passage has the question's words and the names of its seeds, and the part of its text that has most of them.

use super::{Node, Retrieval};
use crate::index::Index;
use crate::text::span;
use crate::text::words::STOP_WORDS;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;

/// Length of a snippet in bytes, at most.
const SNIPPET: usize = 400;

/// A highlighted place in a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// By byte.
    pub range: Range<usize>,
    pub kind: MarkKind,
}

/// Why a place is highlighted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkKind {
    /// The name of a seed, by group.
    Seed(usize),
    /// Any other entity of the passage.
    Mention,
    /// A word of the question.
    Word,
    /// An accepted answer.
    Answer,
}

/// The pieces of a part of a text, each with the first mark that covers it.
pub fn pieces<'t>(
    text: &'t str,
    part: Range<usize>,
    marks: &[Mark],
) -> Vec<(&'t str, Option<Mark>)> {
    let mut out = Vec::new();
    let mut at = part.start;
    for mark in marks
        .iter()
        .filter(|m| m.range.end > part.start && m.range.start < part.end)
    {
        let from = mark.range.start.max(at);
        let to = mark.range.end.min(part.end);
        if to <= from || !text.is_char_boundary(from) || !text.is_char_boundary(to) {
            continue;
        }
        if from > at {
            out.push((span::of(text, at..from), None));
        }
        out.push((span::of(text, from..to), Some(mark.clone())));
        at = to;
    }
    if at < part.end {
        out.push((span::of(text, at..part.end), None));
    }
    out
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
    answers: Vec<Range<usize>>,
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

/// The sentence of a passage that has most of the question's words and the seeds' names, and what follows it, on one line
/// with its marks.
pub fn snippet(
    index: &Index,
    retrieval: &Retrieval,
    passage: u32,
    group_of: &BTreeMap<Node, usize>,
    words: &BTreeSet<String>,
) -> (String, Vec<Mark>) {
    let text = index.text(passage);
    let mut marks = marks(index, retrieval, passage, group_of, words, Vec::new());
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
    let sentences = index.language().sentences(text);
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

/// Where to begin to show a text of which `room` bytes can be seen: at its beginning, or a word before its first mark where
/// that would be hidden.
pub fn begin(text: &str, marks: &[Mark], room: usize) -> usize {
    let first = marks.first().filter(|mark| mark.range.end + 2 > room);
    first.map_or(0, |mark| {
        let before = span::clipped(text, ..mark.range.start).trim_end();
        let space = before.rfind(' ');
        space.map_or(mark.range.start, |space| space + 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_the_part_once() {
        let marks = vec![
            Mark {
                range: 2..5,
                kind: MarkKind::Word,
            },
            Mark {
                range: 4..7,
                kind: MarkKind::Mention,
            },
        ];
        let got: Vec<(&str, bool)> = pieces("0123456789", 1..9, &marks)
            .into_iter()
            .map(|(t, m)| (t, m.is_some()))
            .collect();
        assert_eq!(
            got,
            vec![("1", false), ("234", true), ("56", true), ("78", false)]
        );
    }
}
