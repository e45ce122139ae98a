//! Why gold is lost over a whole set: the verdicts counted, and how many of the lost a single change brings in.

#![warn(missing_docs)]

use super::run::each;
use crate::corpus::Question;
use crate::explain::{Change, Repair, Repairs, repairs, why_not};
use crate::index::Index;
use crate::layers::{Class, Code};
use crate::random::SplitMix;
use crate::retrieve::{Keep, Retrieval, RetrieveError, Settings};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Missed gold over a question set, with the verdict on each.
///
/// ```
/// # use hopscope::*; use std::sync::Arc;
/// # fn main() -> anyhow::Result<()> {
/// # let index = Arc::new(hopscope::index::sample::index()?);
/// # let method = |name: &str| Method::by_name(name).map_err(anyhow::Error::msg);
/// let settings = Settings::of(&index, method("graph")?);
/// let few = &index.questions()[..10];
/// let lost = losses(&index, few, &settings, None, |_| true)?;
/// println!("{lost:?}");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Losses {
    /// The method.
    pub method: String,
    /// Pairs of a question and a gold passage of the corpus.
    pub gold: usize,
    /// Of these, how many are not in top K.
    pub lost: usize,
    /// Lost ones whose verdict is a cause: undoing what it names brings them in, or closes most of their gap.
    pub causes: usize,
    /// Verdicts, the first reason of each, and how often.
    pub codes: BTreeMap<Code, usize>,
    /// Their failure classes, and how often.
    pub classes: BTreeMap<Class, usize>,
    /// How many of them a change brings in; none where that was not tried.
    pub repaired: Option<Repaired>,
    /// Of those that another value of a parameter brings in, the first that does, and how often it is that.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, usize>,
    /// Each lost passage, in the order of the questions.
    #[serde(skip)]
    pub each: Vec<Loss>,
}

/// Lost gold that a change brings in which a person would make.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Repaired {
    /// For how many changes were tried.
    pub of: usize,
    /// Another value of one parameter, which any question can be asked with.
    pub by_setting: usize,
    /// No such value, but a name of the question as a seed, or a wrong link of it muted.
    pub by_seed: usize,
    /// Neither, but two names joined, a masked name kept, or an edge for a name that stands in the passage.
    pub by_graph: usize,
    /// No single change, but two at once.
    pub by_two: usize,
}

/// For how many of the lost changes are tried, and how these are drawn where they are more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mend {
    /// At most so many.
    pub most: usize,
    /// Of the draw; the same one draws the same.
    pub seed: u64,
}

/// Why one gold passage is lost.
#[derive(Clone, Debug, PartialEq)]
pub struct Loss {
    /// Place of the question in the set.
    pub question: usize,
    /// The passage.
    pub passage: u32,
    /// Its rank from 1, where it has a score.
    pub rank: Option<usize>,
    /// The verdict.
    pub code: Code,
    /// Its failure class.
    pub class: Class,
    /// Whether undoing what the verdict names helped.
    pub cause: bool,
    /// The verdict as a sentence.
    pub text: String,
}

/// What a search for one passage counts as.
fn mended(
    index: &Arc<Index>,
    run: &Retrieval,
    passage: u32,
) -> Result<(Repaired, Option<String>), RetrieveError> {
    let is_setting = |repair: &Repair| matches!(repair.change, Change::Set(..));
    // A setting is the better repair: the search goes on until there is one. What forces any passage in is no repair.
    let go_on = |so_far: &Repairs| !so_far.found.iter().any(is_setting) && so_far.forcing == 0;
    let found = repairs(index, run, passage, go_on)?;
    let found: Vec<&Repair> = found.sensible().collect();
    let mut repaired = Repaired::default();
    let counts = [
        |change: &Change| matches!(change, Change::Set(..)),
        |change: &Change| matches!(change, Change::Seed(_)),
        |change: &Change| matches!(change, Change::Graph(_)),
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
    let setting = found.into_iter().find(|repair| is_setting(repair));
    Ok((repaired, setting.map(|repair| repair.change.to_string())))
}

/// Explains every lost gold passage of a set. With `mend`, changes are tried for some until one brings it in. `progress` gets
/// the number of questions done and stops by returning false: then those done so far are counted.
///
/// # Errors
/// The first retrieval that failed.
pub fn losses(
    index: &Arc<Index>,
    questions: &[Question],
    settings: &Settings,
    mend: Option<Mend>,
    progress: impl Fn(usize) -> bool + Sync,
) -> Result<Losses, RetrieveError> {
    let explained = each(
        index,
        questions.len(),
        settings,
        &progress,
        |retriever, at| {
            let question = &questions[at];
            let lost = |index: &Arc<Index>, run: &Retrieval| {
                let lost = question.gold.iter().filter_map(|gold| {
                    let verdict = why_not(index, run, gold.passage).into_iter().next()?;
                    Some(Loss {
                        question: at,
                        passage: gold.passage,
                        rank: run.rank(gold.passage),
                        code: verdict.code,
                        class: verdict.class,
                        cause: verdict.cause,
                        text: verdict.text,
                    })
                });
                lost.collect::<Vec<Loss>>()
            };
            let lost = retriever.read(&question.text, settings, Keep::Scores, lost)?;
            Ok((at, lost))
        },
    )?;
    let mut all = Losses {
        method: settings.method().name.to_string(),
        ..Losses::default()
    };
    let mut pairs = Vec::new();
    for (at, lost) in explained {
        all.gold += questions[at].gold.len();
        all.lost += lost.len();
        for loss in lost {
            all.causes += usize::from(loss.cause);
            *all.codes.entry(loss.code).or_default() += 1;
            *all.classes.entry(loss.class).or_default() += 1;
            pairs.push((at, loss.passage));
            all.each.push(loss);
        }
    }
    let Some(mend) = mend else {
        return Ok(all);
    };
    let mut wanted: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
    for (at, passage) in drawn(pairs, mend) {
        wanted.entry(at).or_default().push(passage);
    }
    let tried = each(
        index,
        questions.len(),
        settings,
        &progress,
        |retriever, at| {
            let Some(passages) = wanted.get(&at) else {
                return Ok(Vec::new());
            };
            let mended = |index: &Arc<Index>, run: &Retrieval| {
                let passages = passages.iter();
                passages.map(|&lost| mended(index, run, lost)).collect()
            };
            retriever.read(&questions[at].text, settings, Keep::Scores, mended)?
        },
    )?;
    let mut sum = Repaired::default();
    for (repaired, setting) in tried.into_iter().flatten() {
        if let Some(setting) = setting {
            *all.settings.entry(setting).or_default() += 1;
        }
        sum.of += 1;
        sum.by_setting += repaired.by_setting;
        sum.by_seed += repaired.by_seed;
        sum.by_graph += repaired.by_graph;
        sum.by_two += repaired.by_two;
    }
    all.repaired = Some(sum);
    Ok(all)
}

/// So many of some, each as likely as another.
fn drawn<T>(mut from: Vec<T>, mend: Mend) -> Vec<T> {
    let mut random = SplitMix::new(mend.seed);
    let most = mend.most.min(from.len());
    for at in 0..most {
        let left = from.len() - at;
        from.swap(at, at + random.below(left));
    }
    from.truncate(most);
    from
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draw_has_each_once_and_every_one_is_drawn_as_often() {
        let mut times = [0; 10];
        for seed in 0..2000 {
            let mut drawn = drawn((0..10).collect(), Mend { most: 3, seed });
            drawn.iter().for_each(|at| times[*at as usize] += 1);
            drawn.sort_unstable();
            drawn.dedup();
            assert_eq!(drawn.len(), 3);
        }
        assert!(
            times.iter().all(|times| (500..700).contains(times)),
            "{times:?}"
        );
        let all = drawn(
            (0..10).collect(),
            Mend {
                most: usize::MAX,
                seed: 1,
            },
        );
        assert_eq!(all.len(), 10);
    }
}
