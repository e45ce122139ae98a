//! What a reader is given of a retrieval, and what a language model reads out of it.

use super::{Hit, Retrieval};
use crate::index::Index;
use crate::llm::task::{self, AnswerInput};
use crate::llm::{Cancelled, Failure, Llm, Origin};
use crate::parameters::CONTEXT_TOKENS;
use crate::text::chunks;
use serde::Serialize;
use std::collections::HashSet;
use std::sync::Arc;

/// A piece of what a reader is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    pub text: String,
    /// The passage it is of; none of what a method says beside passages, such as names and relations.
    pub passage: Option<u32>,
}

/// The first passages of a ranking with their texts, until the next one does not fit.
pub fn fitting<'a>(
    index: &'a Index,
    ranking: &'a [Hit],
    tokens: usize,
) -> impl Iterator<Item = Given> + 'a {
    let mut left = tokens;
    ranking.iter().map_while(move |hit| {
        let text = index.passages().full_text(hit.passage as usize);
        left = left.checked_sub(chunks::count(&text))?;
        Some(Given {
            text,
            passage: Some(hit.passage),
        })
    })
}

/// What a reader is given: the context that the method assembles, or else the passages of its result that fit the same
/// budget.
pub fn given(index: &Arc<Index>, run: &Retrieval) -> Vec<Given> {
    match run.text(index) {
        Some(text) => pieces(index, run, &text),
        None => fitting(index, run.top(), run.settings.get(CONTEXT_TOKENS)).collect(),
    }
}

/// An assembled context by the passages that its lines stand in. Lines of one passage after each other are one piece, and so
/// are lines of none; a title goes with what follows it.
fn pieces(index: &Index, run: &Retrieval, context: &str) -> Vec<Given> {
    let text = |hit: &Hit| {
        (
            hit.passage,
            index.passages().full_text(hit.passage as usize),
        )
    };
    let texts: Vec<(u32, String)> = run.passages.iter().map(text).collect();
    let titles: HashSet<&str> = (run.passages.iter())
        .map(|hit| index.title(hit.passage))
        .collect();
    let mut found: Vec<Given> = Vec::new();
    let mut heading = String::new();
    for line in context.lines().filter(|line| !line.trim().is_empty()) {
        if titles.contains(line.trim()) {
            heading.push_str(line);
            heading.push('\n');
            continue;
        }
        let last = found.last().and_then(|piece| piece.passage);
        let has = |(_, text): &&(u32, String)| text.contains(line);
        // The passage of the line before goes before others that say the same.
        let own = texts.iter().find(|(passage, _)| Some(*passage) == last);
        let passage = own.filter(has).or_else(|| texts.iter().find(has));
        let passage = passage.map(|(passage, _)| *passage);
        let text = std::mem::take(&mut heading) + line;
        match found.last_mut().filter(|piece| piece.passage == passage) {
            Some(piece) => {
                piece.text.push('\n');
                piece.text.push_str(&text);
            }
            None => found.push(Given { text, passage }),
        }
    }
    if !heading.is_empty() {
        found.push(Given {
            text: heading.trim_end().to_owned(),
            passage: None,
        });
    }
    found
}

/// A question, and what it is to be answered from.
#[derive(Clone, Debug)]
pub struct Reading {
    pub question: String,
    pub given: Vec<Given>,
}

impl Reading {
    pub fn of(index: &Arc<Index>, run: &Retrieval) -> Reading {
        Reading {
            question: run.question.clone(),
            given: given(index, run),
        }
    }

    fn asked(&self) -> AnswerInput {
        AnswerInput {
            question: self.question.clone(),
            context: self.given.iter().map(|piece| piece.text.clone()).collect(),
        }
    }
}

/// What a model answered.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Answer {
    pub text: String,
    pub made_by: Origin,
    /// The passages it says it used, each once, in the order in which it names them.
    pub cited: Vec<u32>,
    /// It used what the method says beside passages, too.
    pub beside: bool,
}

/// Answers questions from what was found for each; the result is in their order. Where nothing was found nothing is asked.
///
/// # Errors
/// When `progress`, which hears how many are done, stops the work by `false`.
pub fn answers(
    llm: &Llm,
    readings: &[Reading],
    progress: &dyn Fn(usize) -> bool,
) -> Result<Vec<Result<Answer, Failure>>, Cancelled> {
    let some = readings.iter().filter(|reading| !reading.given.is_empty());
    let inputs: Vec<AnswerInput> = some.map(Reading::asked).collect();
    llm.announce::<task::Answer>(&llm.estimate::<task::Answer>(&inputs));
    let mut made = llm.answers::<task::Answer>(&inputs, progress)?.into_iter();
    let one = |reading: &Reading| {
        let made = match reading.given.is_empty() {
            true => None,
            false => made.next(),
        };
        let made = made.unwrap_or(Err(Failure::NothingFound))?;
        let mut cited: Vec<u32> = Vec::new();
        let mut beside = false;
        for at in made.value.cited {
            match reading.given.get(at).and_then(|piece| piece.passage) {
                Some(passage) if !cited.contains(&passage) => cited.push(passage),
                Some(_) => {}
                None => beside = true,
            }
        }
        Ok(Answer {
            text: made
                .value
                .text
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" "),
            made_by: made.origin,
            cited,
            beside,
        })
    };
    Ok(readings.iter().map(one).collect())
}

/// Answers one question.
///
/// # Errors
/// Why there is no answer.
pub fn answer(llm: &Llm, reading: &Reading, go_on: &dyn Fn() -> bool) -> Result<Answer, Failure> {
    let made = answers(llm, std::slice::from_ref(reading), &|_| go_on());
    let stopped = || Err(Failure::GaveUp(Cancelled.to_string()));
    made.map_or_else(|_| stopped(), |mut all| all.pop().unwrap_or_else(stopped))
}
