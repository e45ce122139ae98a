//! Coverage of answers: whether the answer stands in what a method would give a reader (KET-RAG, Coverage).
//!
//! The context is either assembled by the method or, for a plain ranking, the texts of its best passages cut at the
//! same number of tokens. Equal budgets make the two comparable.

use crate::index::Index;
use crate::retrieve::Hit;
use crate::text::chunks;
use crate::text::folded::folded;
use serde::Serialize;
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;

/// Letter case and white space set aside.
pub fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.extend(word.chars().flat_map(char::to_lowercase));
    }
    out
}

/// Whether any accepted answer occurs in a context, anywhere, inside words too: as published. None without an answer.
pub fn answered<S: AsRef<str>>(context: &str, answers: &[S]) -> Option<bool> {
    let answers: Vec<String> = answers
        .iter()
        .map(|answer| plain(answer.as_ref()))
        .filter(|answer| !answer.is_empty())
        .collect();
    if answers.is_empty() {
        return None;
    }
    let context = plain(context);
    Some(
        answers
            .iter()
            .any(|answer| context.contains(answer.as_str())),
    )
}

/// Where any of some answers stands in a text, as whole words in any case, by byte, in order. Answers of yes or no stand
/// nowhere: every text has these words.
pub fn places<S: AsRef<str>>(text: &str, answers: &[S]) -> Vec<Range<usize>> {
    let words = |text: &str| -> Vec<String> { text.unicode_words().map(folded).collect() };
    let said: Vec<(usize, &str)> = text.unicode_word_indices().collect();
    let lower: Vec<String> = said.iter().map(|(_, word)| folded(word)).collect();
    let mut found = Vec::new();
    for answer in answers {
        let answer = words(answer.as_ref());
        if answer.is_empty() || answer == ["yes"] || answer == ["no"] {
            continue;
        }
        for (at, run) in lower.windows(answer.len()).enumerate() {
            if run == answer {
                let (last, word) = said[at + answer.len() - 1];
                found.push(said[at].0..last + word.len());
            }
        }
    }
    found.sort_by_key(|range| (range.start, range.end));
    found
}

/// The texts of a ranking after each other, at most `k` of them, until the next one does not fit `tokens`.
pub fn packed(index: &Index, ranking: &[Hit], k: usize, tokens: usize) -> String {
    let mut out = String::new();
    let mut left = tokens;
    for hit in ranking.iter().take(k) {
        let text = index.passages().full_text(hit.passage as usize);
        let own = chunks::count(&text);
        if own > left {
            break;
        }
        left -= own;
        out.push_str(&text);
        out.push('\n');
    }
    out
}

/// The share of questions whose answer is in their context.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct AnswerCoverage {
    /// Questions that have an answer.
    pub questions: usize,
    pub covered: usize,
}

impl AnswerCoverage {
    /// Takes one question's outcome of [`answered`].
    pub fn take(&mut self, answered: Option<bool>) {
        if let Some(covered) = answered {
            self.questions += 1;
            self.covered += usize::from(covered);
        }
    }

    /// 0 to 1; none without questions.
    pub fn share(&self) -> Option<f64> {
        (self.questions > 0).then(|| self.covered as f64 / self.questions as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_and_white_space_do_not_count() {
        let context = "He was born in\n  New\tYORK City.";
        assert_eq!(answered(context, &["new york"]), Some(true));
        assert_eq!(answered(context, &["Boston", "CITY"]), Some(true));
        assert_eq!(answered(context, &["Boston"]), Some(false));
        assert_eq!(answered(context, &["NewYork"]), Some(false));
        // As published, a part of a word counts.
        assert_eq!(answered(context, &["or"]), Some(true));
        assert_eq!(answered::<&str>(context, &[]), None);
        assert_eq!(answered(context, &[" "]), None);
    }

    #[test]
    fn places_are_whole_words_in_any_case_and_spelling() {
        let text = "Dr. S\u{fc}dhof, of NEW  York; a new yorker, New York.";
        let said = |answers: &[&str]| -> Vec<&str> {
            places(text, answers)
                .into_iter()
                .map(|r| &text[r])
                .collect()
        };
        assert_eq!(said(&["new york"]), ["NEW  York", "New York"]);
        assert_eq!(said(&["Sudhof", "New York"]).len(), 3);
        assert_eq!(said(&["ork", "", "York New"]), [] as [&str; 0]);
        assert!(places("Yes, no.", &["yes", "no"]).is_empty());
    }

    #[test]
    fn shares_are_of_questions_with_answers() {
        let mut coverage = AnswerCoverage::default();
        assert_eq!(coverage.share(), None);
        for outcome in [Some(true), None, Some(false), Some(true), Some(true)] {
            coverage.take(outcome);
        }
        assert_eq!((coverage.questions, coverage.share()), (4, Some(0.75)));
    }

    #[test]
    fn a_ranking_is_cut_at_the_budget() {
        let index = crate::index::sample::index().unwrap();
        let hits: Vec<Hit> = (0..4)
            .map(|passage| Hit {
                passage,
                score: 1.0,
            })
            .collect();
        let full = |p: usize| index.passages().full_text(p);
        let tokens = chunks::count(&full(0)) + chunks::count(&full(1));
        assert_eq!(
            packed(&index, &hits, 10, tokens),
            format!("{}\n{}\n", full(0), full(1))
        );
        assert_eq!(
            packed(&index, &hits, 10, tokens - 1),
            format!("{}\n", full(0))
        );
        assert_eq!(packed(&index, &hits, 1, tokens), format!("{}\n", full(0)));
    }
}
