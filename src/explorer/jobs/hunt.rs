//! Going from failing question to failing question. Questions are tried one by one with the settings of the moment. What a
//! person does with a failing question is on screen already; this finds the questions.

use super::{Doer, Job, News, Running, Tell};
use crate::explain;
use crate::explorer::action::{Effect, Message, Then};
use crate::explorer::state::State;
use crate::explorer::text;
use crate::index::Index;
use crate::layers::{Class, Code};
use crate::retrieve::{Keep, Retrieval, Retriever, Settings};
use std::sync::Arc;

/// How many questions are tried between two reports.
const REPORT: usize = 10;

/// What is looked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Hunt {
    pub settings: Settings,
    /// Places of questions in the order in which they are tried.
    pub order: Vec<usize>,
    /// Only gold that is lost for this reason.
    pub class: Option<Class>,
}

/// A question that loses gold.
#[derive(Clone, Debug, PartialEq)]
pub struct Loss {
    /// Its place in the set.
    pub question: usize,
    /// None where the corpus does not have the gold.
    pub passage: Option<u32>,
    /// What the gold is called.
    pub id: String,
    pub code: Code,
    pub class: Class,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Questions that lose no gold so.
    pub passed: usize,
    /// The one after them, which does.
    pub found: Option<Loss>,
}

impl Job for Hunt {
    type Part = Part;
    const THREAD: &'static str = "hunt";

    /// Tries questions until one loses gold.
    fn run(&self, doer: &mut Doer, tell: &Tell<'_, Part>) -> Result<Option<Part>, String> {
        for (passed, &at) in self.order.iter().enumerate() {
            if tell.stopped() {
                break;
            }
            if passed > 0 && passed.is_multiple_of(REPORT) {
                let found = None;
                tell.part(Part { passed, found });
            }
            let found = loss(&mut doer.retriever, self, at)?;
            if found.is_some() {
                return Ok(Some(Part { passed, found }));
            }
        }
        Ok(None)
    }

    fn heard(state: &mut State, news: News<Hunt>) -> Vec<Effect> {
        if !state.hunting.hear(news) {
            return Vec::new();
        }
        let of = state.hunting.request().map_or(0, |hunt| hunt.order.len());
        let part = state.hunting.latest().cloned();
        state.message = match (&state.hunting, part) {
            (Running::Failed { why, .. }, _) => Message::error(why.clone()),
            (
                _,
                Some(Part {
                    passed,
                    found: Some(loss),
                }),
            ) => {
                let before = match passed {
                    0 => String::new(),
                    n => format!(
                        "; skipped {} that miss nothing",
                        text::plural(n, "question")
                    ),
                };
                let Loss {
                    question,
                    passage,
                    id,
                    code,
                    ..
                } = loss;
                let words = format!("misses gold {id}: {}{before}", code.words());
                return vec![
                    Effect::Then(Then::About(question, passage)),
                    Effect::Then(Then::Told(Message::warning(words))),
                ];
            }
            (Running::Going { .. }, Some(Part { passed, .. })) => Message::plain(format!(
                "looking for a question that misses gold: {passed} of {of} tried, Esc stops"
            )),
            _ => Message::plain(format!(
                "none of {} misses gold this way",
                text::plural(of, "question")
            )),
        };
        Vec::new()
    }
}

/// The first gold of a question that is lost for the wanted reason.
fn loss(retriever: &mut Retriever, hunt: &Hunt, at: usize) -> Result<Option<Loss>, String> {
    let index = retriever.index().clone();
    let Some(question) = index.questions().get(at) else {
        return Ok(None);
    };
    let wanted = |class: Class| hunt.class.is_none_or(|only| only == class);
    if let Some(named) = question.missing.first().filter(|_| wanted(Class::F0)) {
        return Ok(Some(Loss {
            question: at,
            passage: None,
            id: named.clone(),
            code: Code::NotInIndex,
            class: Class::F0,
        }));
    }
    let found = |index: &Arc<Index>, retrieval: &Retrieval| {
        let mut gold = question.gold.iter().map(|gold| gold.passage);
        gold.find_map(|passage| {
            let reasons = explain::why_not(index, retrieval, passage);
            // Any of them: what holds besides the first is as true.
            let reason = reasons.iter().find(|reason| wanted(reason.class))?;
            Some(Loss {
                question: at,
                passage: Some(passage),
                id: index.id(passage).to_owned(),
                code: reason.code,
                class: reason.class,
            })
        })
    };
    let found = retriever.read(&question.text, &hunt.settings, Keep::Scores, found);
    found.map_err(|error| error.to_string())
}

/// Looks for the next question that loses gold, forwards or backwards from the one on screen.
pub fn begin(state: &mut State, by: isize, class: Option<Class>) -> Vec<Effect> {
    let questions = &state.facts.questions;
    let count = questions.len() as isize;
    let here = match state.wanted.asked {
        Some(at) => at as isize,
        None if by > 0 => -1,
        None => count,
    };
    // All the way round, so that the one on screen comes last.
    let order = (1..=count).map(|n| (here + by * n).rem_euclid(count).unsigned_abs());
    let order = order.filter(|at| questions[*at].gold > 0).collect();
    state.message = Message::plain(match class {
        Some(class) => format!("looking for a question that misses gold: {}", named(class)),
        None => "looking for a question that misses gold".to_owned(),
    });
    let settings = state.settings.of_any_question();
    let hunt = Hunt {
        settings,
        order,
        class,
    };
    vec![state.hunting.begin(hunt)]
}

/// `F4 (scored too low)`.
pub fn named(class: Class) -> String {
    format!("{class} ({})", class.about())
}
