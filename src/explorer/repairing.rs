//! What would bring the selected passage in: changes are tried one by one, on a thread of their own; then what the first of
//! them do to the whole question set.

use super::scoring::{MEASURE, Memory, Scoring, score};
use crate::evaluate::Difference;
use crate::explain::{Change, Repairs, repairs};
use crate::index::Index;
use crate::retrieve::{Keep, Retriever, Settings};
use std::sync::Arc;

/// How many changes are tried between two reports, unless one helps.
const REPORT: usize = 10;
/// Of how many changes it is asked what they do to the set: those that have letters.
const PRICED: usize = 3;

/// What is looked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    /// Of the search; news of an older one is dropped.
    pub generation: u64,
    pub question: String,
    pub settings: Settings,
    pub passage: u32,
}

/// A search that was begun.
#[derive(Clone, Debug, PartialEq)]
pub struct Begun {
    pub search: Search,
    /// What was found so far.
    pub repairs: Repairs,
    pub done: bool,
    /// What the first of them do to the set, as far as that was asked.
    pub prices: Vec<Price>,
    /// Nothing more will be heard.
    pub over: bool,
}

/// What a change does to all questions with gold.
#[derive(Clone, Debug, PartialEq)]
pub struct Price {
    pub change: Change,
    pub questions: usize,
    /// Of [`MEASURE`](super::scoring::MEASURE), from the settings as they are.
    pub difference: Difference,
}

/// How a search stands.
#[derive(Clone, Debug, PartialEq)]
pub struct News {
    pub generation: u64,
    /// What went wrong, else what was found so far.
    pub repairs: Result<Repairs, String>,
    pub done: bool,
    pub prices: Vec<Price>,
    pub over: bool,
}

/// Tries changes until all were tried or the search is cancelled.
pub fn search(
    retriever: &mut Retriever,
    index: &Arc<Index>,
    search: &Search,
    tell: &dyn Fn(News),
    cancelled: &dyn Fn() -> bool,
) -> News {
    let news = |repairs, done| News {
        generation: search.generation,
        repairs,
        done,
        prices: Vec::new(),
        over: false,
    };
    let mut found = 0;
    let mut report = |repairs: &Repairs| {
        if repairs.tried.is_multiple_of(REPORT) || repairs.found.len() > found {
            found = repairs.found.len();
            tell(news(Ok(repairs.clone()), false));
        }
        !cancelled()
    };
    let run = retriever.retrieve(&search.question, &search.settings, Keep::Scores);
    let repairs = run.and_then(|run| repairs(index, &run, search.passage, &mut report));
    let mut last = news(repairs.map_err(|error| error.to_string()), true);
    tell(last.clone());
    let mut memory = Memory::default();
    if let Ok(repairs) = last.repairs.clone() {
        for change in repairs
            .found
            .into_iter()
            .map(|repair| repair.change)
            .take(PRICED)
        {
            last.prices.extend(price(
                retriever,
                index,
                &mut memory,
                search,
                change,
                cancelled,
            ));
            tell(last.clone());
        }
    }
    last.over = true;
    last
}

/// What a change does to the set; none where it can only be made for this question, or there is no set.
fn price(
    retriever: &mut Retriever,
    index: &Arc<Index>,
    memory: &mut Memory,
    search: &Search,
    change: Change,
    cancelled: &dyn Fn() -> bool,
) -> Option<Price> {
    if !change.is_general() || index.questions().iter().all(|q| q.wanted() == 0) {
        return None;
    }
    let pinned = search.settings.of_any_question();
    let scoring = Scoring {
        generation: search.generation,
        settings: change.applied(&pinned),
        pinned,
        judge: false,
    };
    let score = score(retriever, index, memory, &scoring, &|_| {}, cancelled)?.ok()?;
    let difference = score.difference(MEASURE)?.clone();
    Some(Price {
        change,
        questions: score.of,
        difference,
    })
}
