//! Why gold is lost over a whole set: the verdicts counted, and how many of the lost a single change brings in.

#![warn(missing_docs)]

use super::run::each;
use crate::corpus::Question;
use crate::explain::{Change, Repair, Repairs, repairs, why_not};
use crate::index::Index;
use crate::layers::{Class, Code, GraphEdit};
use crate::retrieve::{Keep, Retrieval, RetrieveError, Settings};
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
    /// How many of them a change brings in; none where that was not tried.
    pub repaired: Option<Repaired>,
    /// Of those that another value of a parameter brings in, the first that does, and how often it is that.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, usize>,
}

/// Lost gold that a single change brings in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Repaired {
    /// Another value of one parameter, which any question can be asked with.
    pub by_setting: usize,
    /// No such value, but one seed muted, weighed, or added from the names of the passage.
    pub by_seed: usize,
    /// Neither, but one name kept or muted, or one edge of another passage cut.
    pub by_graph: usize,
    /// No single change, but two at once. That an edge to the passage itself helps says little, and is not counted.
    pub by_two: usize,
}

/// Why one gold passage is lost, and whether a change brings it in.
struct Loss {
    code: Code,
    class: Class,
    repaired: Repaired,
    setting: Option<String>,
}

/// What a search for one passage counts as.
fn mended(
    index: &Arc<Index>,
    run: &Retrieval,
    passage: u32,
) -> Result<(Repaired, Option<String>), RetrieveError> {
    let is_setting = |repair: &Repair| matches!(repair.change, Change::Set(..));
    // A setting is the better repair: the search goes on until there is one.
    let go_on = |so_far: &Repairs| !so_far.found.iter().any(is_setting);
    let found = repairs(index, run, passage, go_on)?.found;
    let mut repaired = Repaired::default();
    let counts = [
        |change: &Change| matches!(change, Change::Set(..)),
        |change: &Change| matches!(change, Change::Seed(_)),
        |change: &Change| matches!(change, Change::Graph(edit) if !matches!(edit, GraphEdit::Add(_))),
        |change: &Change| matches!(change, Change::Both(_)),
    ];
    let best = counts
        .iter()
        .position(|counts| found.iter().any(|repair| counts(&repair.change)));
    match best {
        Some(0) => repaired.by_setting = 1,
        Some(1) => repaired.by_seed = 1,
        Some(2) => repaired.by_graph = 1,
        Some(_) => repaired.by_two = 1,
        None => {}
    }
    let setting = found.iter().find(|repair| is_setting(repair));
    Ok((repaired, setting.map(|repair| repair.change.to_string())))
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
            let (repaired, setting) = match mend {
                true => mended(index, &run, gold.passage)?,
                false => Default::default(),
            };
            lost.push(Loss {
                code: verdict.code,
                class: verdict.class,
                repaired,
                setting,
            });
        }
        Ok((question.gold.len(), lost))
    })?;
    let mut all = Losses {
        method: settings.method().name.to_string(),
        repaired: mend.then(Repaired::default),
        ..Losses::default()
    };
    for (gold, lost) in done {
        all.gold += gold;
        all.lost += lost.len();
        for loss in lost {
            all.specific += usize::from(loss.code.specific());
            *all.codes.entry(loss.code).or_default() += 1;
            *all.classes.entry(loss.class).or_default() += 1;
            if let Some(setting) = loss.setting {
                *all.settings.entry(setting).or_default() += 1;
            }
            if let Some(repaired) = &mut all.repaired {
                repaired.by_setting += loss.repaired.by_setting;
                repaired.by_seed += loss.repaired.by_seed;
                repaired.by_graph += loss.repaired.by_graph;
                repaired.by_two += loss.repaired.by_two;
            }
        }
    }
    Ok(all)
}
