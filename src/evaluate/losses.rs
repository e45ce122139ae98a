//! Why gold is lost over a whole set: the verdicts counted, and how many of the lost a single change brings in.

#![warn(missing_docs)]

use super::run::each;
use crate::corpus::Question;
use crate::explain::{repairs, why_not};
use crate::index::Index;
use crate::layers::{Class, Code};
use crate::retrieve::{Keep, RetrieveError, Settings};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The lost gold of a set of questions under some settings.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Losses {
    /// The method.
    pub method: String,
    /// Pairs of a question and a gold passage of the corpus.
    pub gold: usize,
    /// Of these, how many are not in top K.
    pub lost: usize,
    /// Lost ones whose verdict says more than that they rank too low.
    pub specific: usize,
    /// Verdicts, the first reason of each, and how often.
    pub codes: BTreeMap<Code, usize>,
    /// Their failure classes, and how often.
    pub classes: BTreeMap<Class, usize>,
    /// Lost ones that a single change brings in; none where that was not tried.
    pub repaired: Option<usize>,
}

/// Why one gold passage is lost, and whether a change brings it in.
struct Loss {
    code: Code,
    class: Class,
    repaired: bool,
}

/// Whether a verdict says what is to be mended, and not only how little came to the passage.
fn specific(code: Code) -> bool {
    !matches!(code, Code::CutByK | Code::SignalWeak | Code::SeedWeak)
}

/// Explains every lost gold passage of a set. With `mend`, changes are tried until one brings it in. `progress` gets the
/// number of questions done and stops by returning false: then those done so far are counted.
///
/// # Errors
/// The first retrieval that failed.
pub fn losses(
    index: &Arc<Index>,
    questions: &[Question],
    settings: &Settings,
    mend: bool,
    progress: impl Fn(usize) -> bool + Sync,
) -> Result<Losses, RetrieveError> {
    let done = each(index, questions, settings, progress, |retriever, at| {
        let question = &questions[at];
        let run = retriever.retrieve(&question.text, settings, Keep::Scores)?;
        let mut lost = Vec::new();
        for gold in &question.gold {
            let reasons = why_not(index, &run, gold.passage);
            let Some(verdict) = reasons.first() else {
                continue;
            };
            let until = |found: &crate::explain::Repairs| found.found.is_empty();
            let repaired = mend && !repairs(index, &run, gold.passage, until)?.found.is_empty();
            lost.push(Loss {
                code: verdict.code,
                class: verdict.class,
                repaired,
            });
        }
        Ok((question.gold.len(), lost))
    })?;
    let mut all = Losses {
        method: settings.method().name.to_string(),
        repaired: mend.then_some(0),
        ..Losses::default()
    };
    for (gold, lost) in done {
        all.gold += gold;
        all.lost += lost.len();
        for loss in lost {
            all.specific += usize::from(specific(loss.code));
            *all.codes.entry(loss.code).or_default() += 1;
            *all.classes.entry(loss.class).or_default() += 1;
            if let Some(repaired) = &mut all.repaired {
                *repaired += usize::from(loss.repaired);
            }
        }
    }
    Ok(all)
}
