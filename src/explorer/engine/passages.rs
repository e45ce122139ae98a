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
