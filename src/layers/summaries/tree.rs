//! The summary tree: groups of consecutive nodes, level by level, and their summaries (2.1; stand-in L2 of 6.3).

use crate::llm::task::{OneText, SummariseInput};
use crate::parameters::TreeOver;
use crate::text::chunks;
use crate::text::summarize::{self, Idf};
use std::ops::Range;

/// A summary node before its text is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Node numbers; consecutive.
    pub children: Range<u32>,
    /// Leaf numbers below it; consecutive.
    pub leaves: Range<u32>,
}

/// The levels of summaries above `leaves` chunks, lowest first; numbers go on from the leaves level by level.
///
/// `g` consecutive nodes have one summary, a rest of fewer nodes too; a level of at most `g` nodes is the last. Every
/// document has a tree of its own; over [neighbours](TreeOver::Neighbours) those of at most `g` chunks share one wherever
/// they stand side by side.
pub fn levels(chunks_of_documents: &[u32], g: u32, over: TreeOver) -> Vec<Vec<Group>> {
    let g = g.max(2);
    let mut roots: Vec<Vec<Group>> = Vec::new();
    let mut shared = false;
    let mut leaf = 0;
    for &chunks in chunks_of_documents {
        let single = (leaf..leaf + chunks).map(|i| Group {
            children: i..i + 1,
            leaves: i..i + 1,
        });
        match roots.last_mut() {
            Some(last) if shared && chunks <= g => last.extend(single),
            _ => roots.push(single.collect()),
        }
        shared = over == TreeOver::Neighbours && chunks <= g;
        leaf += chunks;
    }
    // Every tree's nodes of the present level, by their numbers.
    let mut next = leaf;
    let mut found = Vec::new();
    let mut present: Vec<Vec<(u32, Range<u32>)>> = roots
        .into_iter()
        .map(|tree| {
            tree.into_iter()
                .map(|n| (n.children.start, n.leaves))
                .collect()
        })
        .collect();
    loop {
        let mut level = Vec::new();
        for tree in &mut present {
            if tree.len() <= g as usize {
                continue;
            }
            let above: Vec<(u32, Range<u32>)> = tree
                .chunks(g as usize)
                .map(|group| {
                    let (first, last) = (&group[0], &group[group.len() - 1]);
                    let leaves = first.1.start..last.1.end;
                    level.push(Group {
                        children: first.0..last.0 + 1,
                        leaves: leaves.clone(),
                    });
                    next += 1;
                    (next - 1, leaves)
                })
                .collect();
            *tree = above;
        }
        if level.is_empty() {
            return found;
        }
        // A tree that stopped keeps its nodes but grows no more: `tree.len() <= g` holds from here on.
        found.push(level);
    }
}

/// What the task `summarise` is given: the texts of a node's children.
pub struct Summarise<'a> {
    /// 1 for summaries of chunks.
    pub level: usize,
    pub texts: Vec<&'a str>,
    pub max_tokens: usize,
}

impl Summarise<'_> {
    /// The same for a model.
    pub fn asked(&self) -> SummariseInput {
        SummariseInput {
            level: self.level as u32,
            texts: self.texts.iter().map(|text| (*text).to_owned()).collect(),
            max_tokens: self.max_tokens as u32,
        }
    }
}

/// A model's tokens are no words: a summary is too long when it has twice as many words as it may have tokens.
///
/// # Errors
/// How long it is.
pub fn fits(input: &SummariseInput, output: &OneText) -> Result<(), String> {
    match (chunks::count(&output.text), input.max_tokens as usize) {
        (words, most) if words > 2 * most => {
            Err(format!("text: {words} words; at most {most} tokens"))
        }
        _ => Ok(()),
    }
}

/// A summary and where its sentences come from.
pub struct Summarised {
    pub text: String,
    /// For every sentence: where it begins in the text, which child it is from, and where it begins there. A summary that
    /// does not quote has none; then it stands for all its children.
    pub quotes: Vec<(u32, u32, u32)>,
}

/// The stand-in for a model's summary: the central sentences of the children within the budget, in their order. `names`
/// gives the entities of a sentence.
pub fn summarise(
    input: &Summarise<'_>,
    idf: &Idf,
    names: impl Fn(&str) -> Vec<String>,
) -> Summarised {
    let made = summarize::summary(&input.texts, input.max_tokens, idf, names);
    let mut start = 0;
    let quotes = made
        .sentences
        .iter()
        .map(|picked| {
            let at = start;
            // One separator stands between two sentences.
            start += picked.span.len() + 1;
            (at as u32, picked.text, picked.span.start as u32)
        })
        .collect();
    Summarised {
        text: made.text,
        quotes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(levels: &[Vec<Group>]) -> Vec<Vec<(Range<u32>, Range<u32>)>> {
        levels
            .iter()
            .map(|l| {
                l.iter()
                    .map(|g| (g.children.clone(), g.leaves.clone()))
                    .collect()
            })
            .collect()
    }

    #[test]
    fn a_book_by_hand() {
        // 11 chunks, groups of 3: 4 summaries (nodes 11..15), then 2 (15, 16), then no more: 2 <= 3.
        assert_eq!(
            shape(&levels(&[11], 3, TreeOver::Document)),
            [
                vec![(0..3, 0..3), (3..6, 3..6), (6..9, 6..9), (9..11, 9..11)],
                vec![(11..14, 0..9), (14..15, 9..11)]
            ]
        );
        // At most g chunks need no summary; no chunk, no tree.
        let empty = |documents: &[u32]| levels(documents, 3, TreeOver::Document).is_empty();
        assert!(empty(&[3]) && empty(&[]));
    }

    #[test]
    fn short_documents_share_a_tree_and_long_ones_do_not() {
        // 1 + 1 chunks, a book of 4, 1 + 2 + 1 chunks; g = 3. The first two make no level, the book 2, the rest 2.
        let documents = [1, 1, 4, 1, 2, 1];
        let alone = shape(&levels(&documents, 3, TreeOver::Document));
        assert_eq!(alone, [vec![(2..5, 2..5), (5..6, 5..6)]]);
        assert_eq!(
            shape(&levels(&documents, 3, TreeOver::Neighbours)),
            [vec![
                (2..5, 2..5),
                (5..6, 5..6),
                (6..9, 6..9),
                (9..10, 9..10)
            ]]
        );
    }

    #[test]
    fn quotes_say_where_sentences_come_from() {
        let texts = vec!["One two three four five. Ab.", "Six seven eight nine ten."];
        let made = summarise(
            &Summarise {
                level: 1,
                texts,
                max_tokens: 99,
            },
            &Idf::default(),
            |_| Vec::new(),
        );
        assert_eq!(
            made.text,
            "One two three four five.\nSix seven eight nine ten."
        );
        assert_eq!(made.quotes, [(0, 0, 0), (25, 1, 0)]);
    }
}
