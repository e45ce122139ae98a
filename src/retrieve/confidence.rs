//! How probably the first passages of a run hold what the question needs, in words and in parts.

#![warn(missing_docs)]

use super::explanation::Part;
use crate::ranker::{DEPTH, probability};
use crate::text::figures::share;
use serde::Serialize;

/// Below this a sentence warns that little speaks for an answer, and below the second what speaks against it.
const DOUBTFUL: f64 = 0.15;
const UNSURE: f64 = 0.65;
/// Parts that a sentence names, and the least that is named.
const NAMED: usize = 2;
const LEAST: f64 = 0.1;

/// How probably all passages that the question needs are among the first of the ranking.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Confidence {
    /// Probability, 0 to 1, on sets of which every second question had its gold taken away.
    pub probability: f64,
    /// Passages that it is about, from the first.
    pub depth: usize,
    /// The same in a sentence.
    pub sentence: String,
    /// Its logarithm of odds: the sum of the parts.
    pub odds: f64,
    /// What the odds are made of, largest first; the last is that of an average question.
    pub parts: Vec<Part>,
}

impl Confidence {
    /// From parts of log odds, `base` being those of an average question.
    pub fn of(mut parts: Vec<Part>, base: f64) -> Confidence {
        parts.sort_by(|a, b| b.value.abs().total_cmp(&a.value.abs()));
        let odds = base + parts.iter().map(|part| part.value).sum::<f64>();
        let probability = probability(odds);
        let sentence = sentence(probability, &parts);
        parts.push(Part::new("average question", base, ""));
        Confidence {
            probability,
            depth: DEPTH,
            sentence,
            odds,
            parts,
        }
    }

    /// Whether little speaks for an answer among the first.
    pub fn doubtful(&self) -> bool {
        self.probability < DOUBTFUL
    }
}

fn sentence(probability: f64, parts: &[Part]) -> String {
    let p = share(probability);
    let against = |part: &&Part| part.value < -LEAST && !part.why.is_empty();
    let against = parts.iter().filter(against).take(NAMED);
    let against: Vec<&str> = against.map(|part| &*part.why).collect();
    let because = match against.is_empty() {
        true => String::new(),
        false => format!(": {}", against.join("; ")),
    };
    match probability {
        UNSURE.. => format!("confidence {p} that the first five hold the whole answer"),
        DOUBTFUL.. => format!("confidence {p} that the first five hold the whole answer{because}"),
        _ => format!("weak evidence for an answer (confidence {p}){because}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_names_what_pulls_down_most() {
        let part = |label: &str, value| Part::new(label, value, format!("because of {label}"));
        let parts = || {
            vec![
                part("a", -0.5),
                part("b", 0.4),
                part("c", -1.5),
                part("d", -0.01),
            ]
        };
        let low = Confidence::of(parts(), -0.2);
        assert!(low.doubtful());
        assert_eq!(
            low.sentence,
            "weak evidence for an answer (confidence .14): because of c; because of a"
        );
        let high = Confidence::of(parts(), 4.0);
        assert_eq!(
            high.sentence,
            "confidence .92 that the first five hold the whole answer"
        );
        let sum: f64 = high.parts.iter().map(|part| part.value).sum();
        assert!((sum - high.odds).abs() < 1e-12);
        let odds = (high.probability / (1.0 - high.probability)).ln();
        assert!((odds - high.odds).abs() < 1e-9);
        let perhaps = Confidence::of(parts(), 1.6).sentence;
        assert!(
            perhaps.starts_with("confidence .5")
                && perhaps.ends_with(": because of c; because of a"),
            "{perhaps}"
        );
    }
}
