//! Why a passage is there, in one sentence, and why another is missing, as codes with evidence.

use crate::index::Index;
use crate::layers::{Class, Code};
use crate::parameters::RESULT_K;
use crate::retrieve::Retrieval;
use crate::retrieve::explanation::Reason;
use crate::text::similar::nearest;
use std::sync::Arc;

/// Scores closer than this, relatively, are a tie: their order is noise.
pub const TIE_BAND: f32 = 0.005;

/// What a gold item that is not in the corpus looks most like.
pub fn not_in_index(index: &Index, named: &str) -> Reason {
    let nearest = nearest(named, (0..index.len() as u32).map(|p| index.title(p)));
    let text = match nearest {
        Some(title) => format!("no passage has the id '{named}'; the nearest title is '{title}'"),
        None => format!("no passage has the id '{named}'"),
    };
    Reason::new(Code::NotInIndex, text)
}

/// One sentence: what the score of a passage is made of.
pub fn why_here(index: &Arc<Index>, retrieval: &Retrieval, passage: u32) -> String {
    retrieval.explain(index, passage).sentence
}

/// Why a passage is not among the returned ones: the first reason is the verdict, the others hold too. Empty when it is.
/// A tie comes first; then every step says what it
/// knows, in their order; the cut comes last. A longer list is no repair and is not suggested.
pub fn why_not(index: &Arc<Index>, retrieval: &Retrieval, passage: u32) -> Vec<Reason> {
    let k = retrieval.settings.get(RESULT_K);
    let place = retrieval.place(passage);
    if place.is_some_and(|(rank, _)| rank <= k) {
        return Vec::new();
    }
    let steps = retrieval.steps(index);
    let mut reasons: Vec<Reason> = steps
        .flat_map(|at| at.operator().refuse(&at, passage))
        .collect();
    if let Some((rank, score)) = place {
        let last = retrieval.passages.get(k.saturating_sub(1));
        let last = last.map_or(0.0, |hit| hit.score);
        if score >= last * (1.0 - TIE_BAND) {
            let text = format!("rank {rank}, within {:.1} % of rank {k}", 100.0 * TIE_BAND);
            // Whatever holds it back, its place among equals is noise: no other change is needed.
            reasons.insert(0, Reason::new(Code::Tied, text));
        }
        let class = Class::behind(rank, k);
        let text = format!(
            "rank {rank}: {score:.5}, {:.5} short of rank {k}",
            last - score
        );
        reasons.push(Reason::new(Code::CutByK, text).class(class));
    } else if reasons.is_empty() {
        let text = format!("below the {} best that are kept", retrieval.passages.len());
        reasons.push(Reason::new(Code::CutByK, text));
    }
    reasons
}
