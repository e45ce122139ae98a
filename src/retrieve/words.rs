//! Which words of the question pay for a passage's BM25 score, and what ranks in lists do.

use super::explanation::{Combine, Explanation, Part};
use super::methods::Ranker;
use super::operator::At;
use super::rank::{Fusion, constants, shares, tokens as cut};
use super::retrieval::Ranked;
use crate::index::Index;
use crate::parameters::Scoped;
use serde::Serialize;

/// One word of the question in one passage.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WordShare {
    pub word: String,
    /// Passages that contain the word.
    pub df: u32,
    pub idf: f64,
    /// How often the passage has it.
    pub tf: u32,
    /// What it adds to the score; the words' shares sum to it.
    pub score: f64,
}

/// The words that a list scored, in a passage: each word of the question, and each that an expansion added, in question
/// order; words the passage lacks add 0.
pub fn words(index: &Index, ranked: &Ranked, values: Scoped<'_>, passage: u32) -> Vec<WordShare> {
    let tokens = cut(values);
    let lexical = index.lexical();
    let words = ranked.words.clone();
    let mut counts = vec![0u32; words.len()];
    tokens.each(
        index.language(),
        &index.passages().full_text(passage as usize),
        |word| {
            if let Some(at) = words.iter().position(|w| w.word == word) {
                counts[at] += 1;
            }
        },
    );
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
                constants(values).saturation(f64::from(tf), f64::from(length), average)
            } else {
                0.0
            };
            WordShare {
                score: w.weight * saturation * w.idf,
                word: w.word,
                df: w.df,
                idf: w.idf,
                tf,
            }
        })
        .collect()
}

/// How close a passage is to the question; none without vectors.
pub fn cosine(at: &At<'_>, passage: u32) -> Option<f64> {
    let context = at.context();
    let (dense, vector) = context.dense().ok()??;
    let probe = dense.vectors.probe(vector).ok()?;
    Some(f64::from(dense.cosine(&probe, passage)))
}

/// What each list adds to a fused score.
pub fn list_parts(
    labels: &[&str],
    lists: &[std::sync::Arc<Ranked>],
    rule: Fusion,
    values: Scoped<'_>,
    passage: u32,
) -> Vec<Part> {
    let parts = lists
        .iter()
        .enumerate()
        .zip(labels)
        .map(|((place, list), label)| {
            let rank = list.rank(passage);
            let shares = shares(list, place, rule, values);
            let value = rank.and_then(|rank| shares.get(rank - 1).copied());
            Part::new(
                *label,
                value.unwrap_or(0.0),
                match rank {
                    Some(rank) => format!("rank {rank} of {}", list.hits.len()),
                    None => format!("not among its {}", list.hits.len()),
                },
            )
        });
    parts.collect()
}

/// The score of a passage in a first-stage list, opened: words, ranks in lists, or the cosine.
pub fn explanation(at: &At<'_>, passage: u32) -> Explanation {
    let Some(ranked) = at.set().get::<Ranked>() else {
        return Explanation::default();
    };
    let parts = match ranked.ranker {
        Ranker::Rrf => {
            let labels = ["BM25 list", "dense list", "uncut words list"];
            list_parts(&labels, &ranked.parts, Fusion::Rank, at.values(), passage)
        }
        Ranker::Dense => {
            let rank = ranked.rank(passage);
            let kept = rank.map(|rank| f64::from(ranked.hits[rank - 1].score));
            let value = kept.or_else(|| cosine(at, passage));
            vec![Part::new(
                "cosine",
                value.unwrap_or(0.0),
                match rank {
                    Some(rank) => format!("rank {rank} of {}", ranked.matched),
                    None => format!("not among its {}", ranked.hits.len()),
                },
            )]
        }
        _ => {
            let words = words(at.index, ranked, at.values(), passage);
            let part = |word: super::words::WordShare| {
                Part::new(
                    word.word,
                    word.score,
                    match word.tf {
                        0 => "not in it".to_owned(),
                        tf => format!("{tf} times in it, in {} passages", word.df),
                    },
                )
            };
            words.into_iter().map(part).collect()
        }
    };
    let mut said: Vec<&Part> = parts.iter().filter(|part| part.value > 0.0).collect();
    said.sort_by(|a, b| b.value.total_cmp(&a.value));
    let by_rank = ranked.ranker == Ranker::Rrf;
    let said = said.iter().take(4).map(|part| match by_rank {
        true => format!("{} {} ({:.4})", part.label, part.why, part.value),
        false => format!("{} {:.2}", part.label, part.value),
    });
    let sentence = said.collect::<Vec<_>>().join(", ");
    Explanation {
        combine: Combine::Sum,
        sentence: match sentence.is_empty() {
            true => "shares no word".to_owned(),
            false => sentence,
        },
        parts,
        ..Explanation::default()
    }
}
