//! Which words of the question pay for a passage's BM25 score.

use crate::index::Index;
use crate::retrieve::rank::{Fusion, constants, shares, tokens as cut};
use crate::retrieve::{Ranked, Ranker, Retrieval, Select};
use serde::Serialize;

/// One word of the question in one passage, or one list or vector that ranks it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Contribution {
    pub word: String,
    /// Passages that contain the word, or that the list holds.
    pub df: u32,
    pub idf: f64,
    /// How often the passage has it, or its rank in the list; 0 when not.
    pub tf: u32,
    /// What it adds to the score; the contributions sum to it.
    pub score: f64,
}

/// What adds up to the score of a passage in a flat ranking. Words: each word of the question, and each an expansion
/// added, in question order; words the passage lacks contribute 0. Fused lists: the share of each. Vectors: the cosine.
pub fn terms(index: &Index, retrieval: &Retrieval, passage: u32) -> Vec<Contribution> {
    let select = retrieval.settings.method().select;
    let one = |word: String, df: usize, tf: usize, score: f64| Contribution {
        word,
        df: df as u32,
        idf: 0.0,
        tf: tf as u32,
        score,
    };
    if select == Select::Rerank {
        let score = retrieval
            .rank(passage)
            .map_or(0.0, |rank| retrieval.passages[rank - 1].score);
        let before = retrieval.fused.first().map_or(0, |list| list.hits.len());
        let rank = retrieval
            .fused
            .first()
            .and_then(|list| place(list, passage))
            .unwrap_or(0);
        let by = retrieval.reranked.as_ref().map_or("MaxSim", |by| by.name);
        return vec![one(by.into(), before, rank, f64::from(score))];
    }
    let parts = match (select, retrieval.ranked.as_deref()) {
        (Select::Fuse, _) => &retrieval.fused[..],
        (_, Some(ranked)) if ranked.ranker == Ranker::Rrf => &ranked.parts[..],
        (_, Some(ranked)) if ranked.ranker == Ranker::Dense => {
            let score = retrieval
                .rank(passage)
                .map_or(0.0, |rank| retrieval.passages[rank - 1].score);
            return vec![one(
                "cosine".into(),
                ranked.matched,
                retrieval.rank(passage).unwrap_or(0),
                f64::from(score),
            )];
        }
        _ => return words(index, retrieval, passage),
    };
    let labels = if select == Select::Fuse {
        ["RRF list", "walk list", ""]
    } else {
        ["BM25 list", "dense list", "uncut words list"]
    };
    let mut found = Vec::new();
    for (list, label) in parts.iter().zip(labels) {
        let rank = place(list, passage);
        let parts = shares(list, Fusion::last(&retrieval.settings), &retrieval.settings);
        let score = rank
            .and_then(|rank| parts.get(rank - 1).copied())
            .unwrap_or(0.0);
        found.push(one(label.into(), list.hits.len(), rank.unwrap_or(0), score));
    }
    found
}

/// Rank of a passage in a list, from 1.
fn place(list: &Ranked, passage: u32) -> Option<usize> {
    list.hits
        .iter()
        .position(|h| h.passage == passage)
        .map(|at| at + 1)
}

/// The words that the first stage scored, in a passage.
pub(super) fn words(index: &Index, retrieval: &Retrieval, passage: u32) -> Vec<Contribution> {
    let settings = &retrieval.settings;
    let tokens = cut(settings);
    let lexical = index.lexical();
    // What was scored, expansion included; a walk scored no words, so the question's own are read.
    let words = match retrieval.ranked.as_deref() {
        Some(ranked) if !ranked.words.is_empty() => ranked.words.clone(),
        _ => lexical
            .question(tokens, &retrieval.question)
            .unwrap_or_default(),
    };
    let mut counts = vec![0u32; words.len()];
    tokens.each(&index.passages().full_text(passage as usize), |word| {
        if let Some(at) = words.iter().position(|w| w.word == word) {
            counts[at] += 1;
        }
    });
    let length = lexical
        .lengths(tokens)
        .get(passage as usize)
        .copied()
        .unwrap_or(0);
    let average = lexical.average_length(tokens);
    words
        .into_iter()
        .zip(counts)
        .map(|(w, tf)| {
            let saturation = if tf > 0 {
                constants(settings).saturation(f64::from(tf), f64::from(length), average)
            } else {
                0.0
            };
            Contribution {
                score: w.weight * saturation * w.idf,
                word: w.word,
                df: w.df,
                idf: w.idf,
                tf,
            }
        })
        .collect()
}
