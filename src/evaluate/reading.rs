//! What a language model answers from what a method gives it, held against the accepted answers: exact match and F1 over
//! words, as SQuAD's script computes them (Rajpurkar et al. 2016), the best of all accepted answers.

#![warn(missing_docs)]

use super::measures::mean;
use super::run::each;
use crate::corpus::Question;
use crate::index::Index;
use crate::llm::{Failure, Llm};
use crate::retrieve::reading::{Answer, Reading, answers};
use crate::retrieve::{Keep, RetrieveError, Settings};
use std::collections::HashMap;
use std::sync::Arc;

/// The names of the measures of an answer, in print order.
pub const READ: [&str; 2] = ["EM", "F1"];

/// What a model read out of a method's results.
pub struct Readings {
    /// What the method is called.
    pub name: String,
    /// Of the questions with accepted answers, in their order.
    pub per_question: Vec<Read>,
    /// Mean over these, of each of [`READ`]. A question without an answer counts 0.
    pub measures: [f64; 2],
    /// Questions that have no answer of the model.
    pub unanswered: usize,
}

/// One question's answer.
pub struct Read {
    /// Place in the set.
    pub question: usize,
    /// What the model answered, or why it did not.
    pub answer: Result<Answer, Failure>,
    /// 0 without an answer.
    pub measures: [f64; 2],
}

/// Runs a method over the questions that have accepted answers, and lets a model answer each from what was found.
/// `go_on` stops the work by returning false: then there is nothing.
///
/// # Errors
/// The first retrieval that failed.
pub fn read(
    index: &Arc<Index>,
    questions: &[Question],
    settings: &Settings,
    llm: &Llm,
    go_on: impl Fn() -> bool + Sync,
) -> Result<Option<Readings>, RetrieveError> {
    let accepted = |at: &usize| !questions[*at].answers.is_empty();
    let with: Vec<usize> = (0..questions.len()).filter(accepted).collect();
    let readings = each(
        index,
        with.len(),
        settings,
        |_| go_on(),
        |retriever, at| {
            let run = retriever.retrieve(&questions[with[at]].text, settings, Keep::Scores)?;
            Ok(Reading::of(index, &run))
        },
    )?;
    if readings.len() < with.len() {
        return Ok(None);
    }
    let Ok(said) = answers(llm, &readings, &|_| go_on()) else {
        return Ok(None);
    };
    let per_question: Vec<Read> = (with.into_iter().zip(said))
        .map(|(question, answer)| Read {
            question,
            measures: answer.as_ref().map_or([0.0; 2], |said| {
                judged(&said.text, &questions[question].answers)
            }),
            answer,
        })
        .collect();
    Ok(Some(Readings {
        name: settings.method().name.to_string(),
        measures: mean(per_question.iter().map(|read| &read.measures)),
        unanswered: per_question.iter().filter(|r| r.answer.is_err()).count(),
        per_question,
    }))
}

/// The words of an answer that count: in lower case, without punctuation (of ASCII, as published), without articles.
fn words(text: &str) -> Vec<String> {
    let lower = text.chars().flat_map(char::to_lowercase);
    let plain: String = lower.filter(|c| !c.is_ascii_punctuation()).collect();
    plain
        .split_whitespace()
        .filter(|word| !matches!(*word, "a" | "an" | "the"))
        .map(str::to_owned)
        .collect()
}

/// Exact match and F1 of an answer against the accepted ones, of each the best.
pub fn judged<S: AsRef<str>>(said: &str, accepted: &[S]) -> [f64; 2] {
    let said = words(said);
    let of = |answer: &S| {
        let answer = words(answer.as_ref());
        [f64::from(u8::from(answer == said)), f1(&said, &answer)]
    };
    let best = |x: [f64; 2], y: [f64; 2]| [x[0].max(y[0]), x[1].max(y[1])];
    accepted.iter().map(of).fold([0.0; 2], best)
}

/// Over words, each as often as both have it. Where one has none, whether both have none.
fn f1(said: &[String], answer: &[String]) -> f64 {
    if said.is_empty() || answer.is_empty() {
        return f64::from(u8::from(said.len() == answer.len()));
    }
    let mut left: HashMap<&str, usize> = HashMap::new();
    for word in answer {
        *left.entry(word).or_default() += 1;
    }
    let mut common = 0;
    for word in said {
        if let Some(count) = left.get_mut(word.as_str()).filter(|count| **count > 0) {
            *count -= 1;
            common += 1;
        }
    }
    2.0 * f64::from(common) / (said.len() + answer.len()) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_judged_as_squads_script_judges_them() {
        for (said, accepted, em, f1) in [
            ("The Eiffel Tower!", vec!["eiffel tower"], 1.0, 1.0),
            ("a cat", vec!["the dog"], 0.0, 0.0),
            // Two of three words said are among two of the answer: precision 2/3, recall 1.
            ("Mara Ellen Voss", vec!["Mara Voss"], 0.0, 0.8),
            // The better of two accepted answers; each measure by itself.
            ("New York City", vec!["NYC", "New York"], 0.0, 0.8),
            ("yes", vec!["no"], 0.0, 0.0),
            // Punctuation joins what it parts.
            ("well-known", vec!["wellknown"], 1.0, 1.0),
            // A word counts as often as both have it.
            ("Duran", vec!["Duran Duran"], 0.0, 2.0 / 3.0),
            ("the", vec!["a"], 1.0, 1.0),
            ("the", vec!["cat"], 0.0, 0.0),
            ("anything", vec![], 0.0, 0.0),
        ] {
            let found = judged(said, &accepted);
            assert_eq!(found[0], em, "{said} {accepted:?}");
            assert!((found[1] - f1).abs() < 1e-12, "{said}: {found:?}");
        }
    }
}
