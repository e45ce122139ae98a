//! The next question of the set that loses gold: they are tried one by one, on a thread of its own, with the settings
//! of the moment. What a person does with a failing question is on screen already; this brings the questions.

use crate::explain;
use crate::index::Index;
use crate::layers::{Class, Code};
use crate::retrieve::{Keep, Retriever, Settings};
use std::sync::Arc;

/// How many questions are tried between two reports.
const REPORT: usize = 10;

/// What is looked for.
#[derive(Clone, Debug, PartialEq)]
pub struct FailureSearch {
    /// Of the hunt; news of an older one is dropped.
    pub generation: u64,
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

/// What a hunt has to say.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchNews {
    pub generation: u64,
    /// Questions tried so far.
    pub tried: usize,
    pub of: usize,
    pub found: Found,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// Nothing yet.
    Looking,
    Lost(Loss),
    /// No question loses gold so.
    Nothing,
    Failed(String),
}

/// Tries questions until one loses gold. `cancelled` is asked before each.
pub fn hunt(
    retriever: &mut Retriever,
    index: &Arc<Index>,
    hunt: &FailureSearch,
    tell: &dyn Fn(SearchNews),
    cancelled: &dyn Fn() -> bool,
) -> SearchNews {
    let sighting = |tried, found| SearchNews {
        generation: hunt.generation,
        tried,
        of: hunt.order.len(),
        found,
    };
    for (tried, &at) in hunt.order.iter().enumerate() {
        if cancelled() {
            return sighting(tried, Found::Nothing);
        }
        if tried > 0 && tried % REPORT == 0 {
            tell(sighting(tried, Found::Looking));
        }
        match loss(retriever, index, hunt, at) {
            Ok(Some(loss)) => return sighting(tried + 1, Found::Lost(loss)),
            Ok(None) => {}
            Err(said) => return sighting(tried, Found::Failed(said)),
        }
    }
    sighting(hunt.order.len(), Found::Nothing)
}

/// The first gold of a question that is lost for the wanted reason.
fn loss(
    retriever: &mut Retriever,
    index: &Arc<Index>,
    hunt: &FailureSearch,
    at: usize,
) -> Result<Option<Loss>, String> {
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
    let retrieval = retriever
        .retrieve(&question.text, &hunt.settings, Keep::Scores)
        .map_err(|error| error.to_string())?;
    for gold in &question.gold {
        let reasons = explain::why_not(index, &retrieval, gold.passage);
        // Any of them: what holds besides the first is as true.
        if let Some(reason) = reasons.iter().find(|reason| wanted(reason.class)) {
            return Ok(Some(Loss {
                question: at,
                passage: Some(gold.passage),
                id: index.id(gold.passage).to_owned(),
                code: reason.code,
                class: reason.class,
            }));
        }
    }
    Ok(None)
}
