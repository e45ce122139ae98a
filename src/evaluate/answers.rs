//! Coverage of answers: whether the answer stands in what a method would give a reader (KET-RAG, Coverage).
//!
//! The context is either assembled by the method or, for a plain ranking, the texts of its best passages cut at the
//! same number of tokens. Equal budgets make the two comparable.

use crate::index::Index;
use crate::retrieve::Hit;
use crate::retrieve::reading::fitting;
use crate::text::folded::folded;
use crate::text::{Tokens, chunks, span};
use serde::{Deserialize, Serialize};
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

/// How far a reader has to read until an accepted answer was there, in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Covered {
    /// Tokens up to the end of the first answer; none where the context has no answer.
    pub after: Option<usize>,
    /// Tokens of the whole context.
    pub tokens: usize,
}

/// Where any accepted answer first occurs in a context, anywhere, inside words too: as published. None without an answer.
pub fn covered<S: AsRef<str>>(context: &str, answers: &[S]) -> Option<Covered> {
    let answers: Vec<String> = answers
        .iter()
        .map(|answer| plain(answer.as_ref()))
        .filter(|answer| !answer.is_empty())
        .collect();
    if answers.is_empty() {
        return None;
    }
    let context = plain(context);
    let ends = answers
        .iter()
        .filter_map(|answer| Some(context.find(answer.as_str())? + answer.len()));
    Some(Covered {
        after: ends
            .min()
            .map(|end| chunks::count(span::of(&context, ..end))),
        tokens: chunks::count(&context),
    })
}

/// The lengths of reading that a curve has: from a paragraph to a long context.
pub const READ_TOKENS: [usize; 7] = [250, 500, 1000, 2000, 4000, 8000, 12000];

/// The share of questions whose answer was there after so many tokens, for each of [`READ_TOKENS`]; none without a question
/// that has an answer.
pub fn curve<'c>(
    read: impl Iterator<Item = &'c Covered> + Clone,
) -> Option<[f64; READ_TOKENS.len()]> {
    let all = read.clone().count();
    let within = |tokens: usize| {
        let there = read
            .clone()
            .filter(|c| c.after.is_some_and(|at| at <= tokens));
        there.count() as f64 / all as f64
    };
    (all > 0).then(|| READ_TOKENS.map(within))
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

/// Most passages that are read for one piece of an answer.
const READ: u32 = 1_000;
/// The same of an index that lies elsewhere, where each has to be fetched.
const FETCHED: u32 = 100;

/// A piece of an accepted answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Of which accepted answer, from 0: any of them will do, but each as a whole.
    pub answer: usize,
    /// As the data set writes it.
    pub words: String,
    /// The passages it stands in as whole words, in any case, in the order of the index. None where it was not looked for:
    /// a yes or no, or words that too many passages have.
    pub passages: Option<Vec<u32>>,
}

/// Where every piece of the accepted answers stands; a semicolon parts what has to be said together. Accents count as they
/// are written.
///
/// # Errors
/// What the lexical index could not read.
pub fn pieces(index: &Index, answers: &[String]) -> std::io::Result<Vec<Piece>> {
    let mut pieces: Vec<Piece> = Vec::new();
    let said = answers.iter().enumerate();
    let said = said.flat_map(|(at, answer)| answer.split(';').map(move |words| (at, words.trim())));
    for (answer, words) in said.filter(|(_, words)| !words.is_empty()) {
        if pieces
            .iter()
            .any(|known| plain(&known.words) == plain(words))
        {
            continue;
        }
        pieces.push(Piece {
            answer,
            words: words.to_owned(),
            passages: standing(index, words)?,
        });
    }
    Ok(pieces)
}

/// The passages that some words stand in, found by the rarest of them.
fn standing(index: &Index, words: &str) -> std::io::Result<Option<Vec<u32>>> {
    let lexical = index.lexical();
    let stems = lexical.question(Tokens::Stem, words)?;
    let rarest = stems.into_iter().min_by_key(|word| word.df);
    let most = match index.source() {
        None => READ,
        Some(_) => FETCHED,
    };
    let tellable = !places(words, &[words]).is_empty();
    let Some(rarest) = rarest.filter(|word| tellable && word.df <= most) else {
        return Ok(None);
    };
    let mut passages = Vec::new();
    lexical.passages_with(Tokens::Stem, &rarest.word, |passage| {
        let text = index.passages().full_text(passage as usize);
        if !places(&text, &[words]).is_empty() {
            passages.push(passage);
        }
    })?;
    Ok(Some(passages))
}

/// The texts of a ranking after each other, at most `k` of them, until the next one does not fit `tokens`.
pub fn packed(index: &Index, ranking: &[Hit], k: usize, tokens: usize) -> String {
    let ranking = &ranking[..k.min(ranking.len())];
    let mut out = String::new();
    for piece in fitting(index, ranking, tokens) {
        out.push_str(&piece.text);
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
    /// Of all their contexts.
    pub tokens: usize,
}

impl AnswerCoverage {
    /// Takes one question's outcome of [`covered`].
    pub fn take(&mut self, read: Option<Covered>) {
        if let Some(read) = read {
            self.questions += 1;
            self.covered += usize::from(read.after.is_some());
            self.tokens += read.tokens;
        }
    }

    /// Tokens of a context on average; 0 without questions.
    pub fn mean_tokens(&self) -> f64 {
        self.tokens as f64 / self.questions.max(1) as f64
    }

    /// 0 to 1; none without questions.
    pub fn share(&self) -> Option<f64> {
        (self.questions > 0).then(|| self.covered as f64 / self.questions as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered<S: AsRef<str>>(context: &str, answers: &[S]) -> Option<bool> {
        covered(context, answers).map(|read| read.after.is_some())
    }

    #[test]
    fn a_curve_rises_where_answers_are_read() {
        let context = format!("In New York, {} it rained.", "again ".repeat(300));
        let read = |answer: &str| covered(&context, &[answer]).unwrap();
        assert_eq!((read("york").after, read("york").tokens), (Some(3), 305));
        assert_eq!(
            (read("rained").after, read("Boston").after),
            (Some(305), None)
        );
        // The first of several answers counts.
        assert_eq!(
            covered(&context, &["rained", "New York"]).unwrap().after,
            Some(3)
        );
        let all = [read("york"), read("rained"), read("Boston"), read("in")];
        let curve = curve(all.iter()).unwrap();
        assert_eq!(curve[..3], [0.5, 0.75, 0.75]);
        // An answer that ends with the last token that is read is there.
        let after = Some(READ_TOKENS[0]);
        let just = super::curve(
            [Covered {
                after,
                tokens: 9999,
            }]
            .iter(),
        );
        assert_eq!(just, Some([1.0; READ_TOKENS.len()]));
        assert!(super::curve([].iter()).is_none());
    }

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
        let read = |after| Some(Covered { after, tokens: 10 });
        for outcome in [
            read(Some(1)),
            None,
            read(None),
            read(Some(4)),
            read(Some(9)),
        ] {
            coverage.take(outcome);
        }
        assert_eq!((coverage.questions, coverage.share()), (4, Some(0.75)));
        assert_eq!(coverage.mean_tokens(), 10.0);
    }

    #[test]
    fn pieces_stand_where_a_reading_of_every_passage_finds_them() {
        let index = crate::index::sample::index().unwrap();
        let mut looked = 0;
        for question in index.questions() {
            for piece in pieces(&index, &question.answers).unwrap() {
                let Some(passages) = piece.passages else {
                    continue;
                };
                // Places know an answer without its accents, postings do not.
                let says = |p: &u32| {
                    let text = index.passages().full_text(*p as usize);
                    let written = plain(&text).contains(&plain(&piece.words));
                    written && !places(&text, &[&piece.words]).is_empty()
                };
                let read: Vec<u32> = (0..index.len() as u32).filter(says).collect();
                assert_eq!(passages, read, "{}", piece.words);
                looked += 1;
            }
        }
        assert!(looked > 20, "{looked}");
    }

    #[test]
    fn a_semicolon_parts_an_answer_and_a_yes_is_not_looked_for() {
        let index = crate::index::sample::index().unwrap();
        let said = ["Saturn; Xyzzy Plugh ;", "saturn", "yes", "the"].map(String::from);
        let found = pieces(&index, &said).unwrap();
        let words: Vec<&str> = found.iter().map(|piece| &*piece.words).collect();
        assert_eq!(words, ["Saturn", "Xyzzy Plugh", "yes", "the"]);
        assert!(found[0].passages.as_ref().is_some_and(|p| p.len() > 1));
        assert_eq!(found[1].passages, Some(Vec::new()));
        assert_eq!(found[2].passages, None);
        assert_eq!(found[3].passages, None);
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
