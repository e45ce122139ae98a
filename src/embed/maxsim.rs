//! MaxSim: each token of the question meets its best match in the passage. The re-ranker for who has no cross-encoder.

use super::{EmbedError, Encoder, TokenVectors, dot};
use rayon::prelude::*;

/// The weighted mean, over the question's tokens, of the best cosine with a token of the passage; 0 where there is none.
pub fn maxsim(question: &TokenVectors, passages: &[TokenVectors]) -> Vec<f32> {
    passages.par_iter().map(|p| score(question, p)).collect()
}

/// [`maxsim`] of texts, with the token vectors of an encoder.
///
/// # Errors
/// An encoder without token vectors.
pub fn maxsim_texts(
    encoder: &dyn Encoder,
    question: &str,
    texts: &[&str],
) -> Result<Vec<f32>, EmbedError> {
    let (asked, _) = asked(encoder, question)?;
    Ok(maxsim(&asked, &encoder.tokens(texts)?))
}

/// Tokens of a question that are compared, as many as a cross-encoder reads of a text: each is compared with all tokens of
/// every candidate.
pub const ASKED: usize = 512;

/// The first `ASKED` tokens of a question, and how many follow.
///
/// # Errors
/// An encoder without token vectors.
pub fn asked(encoder: &dyn Encoder, question: &str) -> Result<(TokenVectors, usize), EmbedError> {
    let tokens = encoder.tokens(&[question])?.into_iter().next();
    let mut asked = tokens.unwrap_or_default();
    let unread = asked.weights.len().saturating_sub(ASKED);
    asked.rows.truncate(ASKED * asked.dims);
    asked.weights.truncate(ASKED);
    Ok((asked, unread))
}

fn score(question: &TokenVectors, passage: &TokenVectors) -> f32 {
    let all: f32 = question.weights.iter().sum();
    if passage.rows.is_empty() || all <= 0.0 {
        return 0.0;
    }
    let tokens = question.rows.chunks(question.dims);
    let sum: f32 = (tokens.zip(&question.weights))
        .map(|(asked, weight)| {
            let near = passage.rows.chunks(passage.dims);
            let best = near.map(|token| dot::f32s(asked, token));
            weight * best.fold(f32::NEG_INFINITY, f32::max)
        })
        .sum();
    sum / all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::{Static, Weights};

    #[test]
    fn best_matches_by_weight() {
        let tokens = |rows: &[f32], weights: &[f32]| TokenVectors {
            dims: 2,
            rows: rows.to_vec(),
            weights: weights.to_vec(),
        };
        let question = tokens(&[1.0, 0.0, 0.0, 1.0], &[3.0, 1.0]);
        let both = tokens(&[0.0, 1.0, 1.0, 0.0], &[1.0, 1.0]);
        let first = tokens(&[1.0, 0.0], &[1.0]);
        let second = tokens(&[0.0, 1.0], &[1.0]);
        let none = tokens(&[], &[]);
        assert_eq!(
            maxsim(&question, &[both, first, second, none]),
            [1.0, 0.75, 0.25, 0.0]
        );
    }

    #[test]
    fn of_texts() {
        let encoder = Static::new(Weights::default()).unwrap();
        let texts = [
            "The river Danube flows through Vienna.",
            "A recipe for bread.",
        ];
        let scores = maxsim_texts(&encoder, "which river flows through vienna", &texts).unwrap();
        assert!(scores[0] > scores[1] && scores[0] > 0.9, "{scores:?}");
        // Of a question of many pages only so much is read.
        let long = format!(
            "which river flows through vienna {}",
            "bread ".repeat(9_000)
        );
        let (tokens, unread) = asked(&encoder, &long).unwrap();
        assert_eq!(
            (tokens.weights.len(), tokens.rows.len()),
            (ASKED, ASKED * tokens.dims)
        );
        assert!(unread > 8_000, "{unread}");
        assert_eq!(asked(&encoder, "which river").unwrap().1, 0);
        // A longer text cannot lose by what it adds.
        let longer = format!("{} {}", texts[0], texts[1]);
        let again = maxsim_texts(&encoder, "which river flows through vienna", &[&longer]).unwrap();
        assert!(again[0] >= scores[0] - 1e-6);
    }
}
