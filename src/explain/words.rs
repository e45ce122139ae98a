//! Which words of the question pay for a passage's BM25 score.

use crate::index::Index;
use crate::retrieve::Retrieval;
use crate::retrieve::rank::{constants, tokens as cut};
use serde::Serialize;

/// One word of the question in one passage.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Contribution {
    pub word: String,
    /// Passages that contain the word.
    pub df: u32,
    pub idf: f64,
    /// How often the passage has it.
    pub tf: u32,
    /// What it adds to the score; the contributions sum to it.
    pub score: f64,
}

/// The contribution of each word of the question, and of each word an expansion added, to the BM25 score of a passage; words the passage
/// lacks contribute 0.
pub fn terms(index: &Index, retrieval: &Retrieval, passage: u32) -> Vec<Contribution> {
    let settings = &retrieval.settings;
    let tokens = cut(settings);
    let lexical = index.lexical();
    let words = lexical
        .question(tokens, &retrieval.question)
        .unwrap_or_default();
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
