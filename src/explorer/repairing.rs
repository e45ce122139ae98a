//! What would bring the selected passage in: changes are tried one by one, on a thread of their own.

use crate::explain::{Repairs, repairs};
use crate::index::Index;
use crate::retrieve::{Keep, Retriever, Settings};
use std::sync::Arc;

/// How many changes are tried between two reports, unless one helps.
const REPORT: usize = 10;

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
}

/// How a search stands.
#[derive(Clone, Debug, PartialEq)]
pub struct News {
    pub generation: u64,
    /// What went wrong, else what was found so far.
    pub repairs: Result<Repairs, String>,
    pub done: bool,
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
    news(repairs.map_err(|error| error.to_string()), true)
}
