//! One method over many questions.

#![warn(missing_docs)]

use super::answers::{AnswerCoverage, Covered, READ_TOKENS, covered, curve, packed};
use super::log::Log;
use super::measures::{Measures, measured};
use super::survival::Fate;
use crate::corpus::Question;
use crate::index::Index;
use crate::parameters::{CONTEXT_TOKENS, STEPS, VECTOR_SEARCH, WALK, Walk};
use crate::retrieve::{Hit, Keep, Retrieval, RetrieveError, Retriever, Settings, nearest};
use rayon::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A method's results over a set.
///
/// ```
/// # use hopscope::*; use std::sync::Arc;
/// # fn main() -> anyhow::Result<()> {
/// # let index = Arc::new(hopscope::index::sample::index()?);
/// # let method = |name: &str| Method::by_name(name).map_err(anyhow::Error::msg);
/// let settings = Settings::of(&index, method("bm25")?);
/// let set = evaluate(&index, index.questions(), &settings, |_| true)?;
/// let recall = set.measures.get("R@5").unwrap();
/// assert!((0.0..=1.0).contains(&recall));
/// # Ok(())
/// # }
/// ```
pub struct Evaluation {
    /// What it is called: the method, unless somebody names it.
    pub name: String,
    /// The method and every value.
    pub settings: Settings,
    /// In the order of the questions.
    pub per_question: Vec<PerQuestion>,
    /// Mean over the questions with gold.
    pub measures: Measures,
    /// Questions with gold.
    pub judged: usize,
}

/// One question's outcome.
#[derive(Clone)]
pub struct PerQuestion {
    /// Place in the set.
    pub question: usize,
    /// Best first, as deep as rankings are kept.
    pub ranking: Vec<Hit>,
    /// None without gold.
    pub measures: Option<Measures>,
    /// Time of one question, in milliseconds.
    pub milliseconds: f64,
    /// How much of the context has to be read for an accepted answer; none without answers.
    pub read: Option<Covered>,
    /// How far its gold got, and what became of its names.
    pub fate: Fate,
    /// How probably all its gold is in the first five, 0 to 1, by what the method says without it; none where the method says
    /// nothing of it.
    pub confidence: Option<f64>,
}

/// Evaluates a method on a question set, on all threads; results do not depend on the thread count. Calls `progress` with
/// the number done; return `false` to stop and keep the questions done so far.
///
/// # Errors
/// The first retrieval that failed.
pub fn evaluate(
    index: &Arc<Index>,
    questions: &[Question],
    settings: &Settings,
    progress: impl Fn(usize) -> bool + Sync,
) -> Result<Evaluation, RetrieveError> {
    evaluate_with(index, questions, settings, None, progress)
}

/// As [`evaluate`], but for questions that a log has, and the others are added to it.
///
/// # Errors
/// As [`evaluate`], and a log that cannot be written.
pub fn evaluate_with(
    index: &Arc<Index>,
    questions: &[Question],
    settings: &Settings,
    log: Option<&Log>,
    progress: impl Fn(usize) -> bool + Sync,
) -> Result<Evaluation, RetrieveError> {
    // What is read from a run file takes no time, and the file may be another the next time.
    let log = log.filter(|_| settings.method().rankings().is_none());
    let per_question = each(
        index,
        questions.len(),
        settings,
        progress,
        |retriever, at| {
            let question = &questions[at];
            if let Some(known) = log.and_then(|log| log.find(index, settings, (at, question))) {
                return Ok(known);
            }
            let start = Instant::now();
            let outcome = |index: &Arc<Index>, retrieval: &Retrieval| {
                let milliseconds = milliseconds(start.elapsed());
                PerQuestion {
                    question: at,
                    fate: Fate::of(retrieval, question),
                    confidence: retrieval.confidence(index).map(|c| c.probability),
                    ranking: retrieval.passages.clone(),
                    measures: measured(retrieval, question),
                    milliseconds,
                    read: read(index, retrieval, question),
                }
            };
            let outcome = retriever.read(&question.text, settings, Keep::Scores, outcome)?;
            if let Some(log) = log {
                log.add(index, settings, question, &outcome)?;
            }
            Ok(outcome)
        },
    )?;
    let judged: Vec<&Measures> = per_question
        .iter()
        .filter_map(|q| q.measures.as_ref())
        .collect();
    Ok(Evaluation {
        name: settings.method().name.to_string(),
        settings: settings.clone(),
        measures: Measures::mean(judged.iter().copied()),
        judged: judged.len(),
        per_question,
    })
}

/// Does something for so many questions, by their places, on all threads; the order is that of the places. `progress` gets
/// the number done and stops the rest by returning false.
///
/// # Errors
/// The first that failed.
pub(super) fn each<R: Send>(
    index: &Arc<Index>,
    count: usize,
    settings: &Settings,
    progress: impl Fn(usize) -> bool + Sync,
    of: impl Fn(&mut Retriever, usize) -> Result<R, RetrieveError> + Sync,
) -> Result<Vec<R>, RetrieveError> {
    // It holds what the retrievers of all threads find then.
    let _held = match index.source() {
        None => Some(prepare(index, settings)?),
        Some(_) => None,
    };
    let done = AtomicUsize::new(0);
    let one = |retriever: &mut Retriever, at: usize| {
        if !progress(done.load(Ordering::Relaxed)) {
            return Ok(None);
        }
        let made = of(retriever, at)?;
        done.fetch_add(1, Ordering::Relaxed);
        Ok(Some(made))
    };
    let all: Result<Vec<Option<R>>, RetrieveError> = (0..count)
        .into_par_iter()
        .map_init(|| Retriever::new(index.clone()), one)
        .collect();
    Ok(all?.into_iter().flatten().collect())
}

/// Opens and folds once what all threads would at the same time.
fn prepare(index: &Arc<Index>, settings: &Settings) -> Result<Retriever, RetrieveError> {
    let mut first = Retriever::new(index.clone());
    let uses = settings.method().uses();
    let folds = uses.contains(&STEPS.id()) && settings.get(WALK) != Walk::Push;
    for step in &settings.method().plan().steps {
        if let Some(graph) = step.graph {
            let graph = first.graph(graph, settings, &step.fixed)?;
            if folds {
                graph.transition().folded();
            }
        }
    }
    if let Some(dense) = index.dense().filter(|_| uses.contains(&VECTOR_SEARCH.id())) {
        nearest::prepare(dense, settings.all())?;
    }
    Ok(first)
}

/// How much of what a reader would be given has to be read for an accepted answer; none without answers.
pub fn read(index: &Arc<Index>, retrieval: &Retrieval, question: &Question) -> Option<Covered> {
    let context = (!question.answers.is_empty()).then(|| context(index, retrieval));
    covered(&context?, &question.answers)
}

/// What a reader would be given: the context a system assembled, or the best passages that fit the same budget.
fn context(index: &Arc<Index>, retrieval: &Retrieval) -> String {
    retrieval.text(index).unwrap_or_else(|| {
        let tokens = retrieval.settings.get(CONTEXT_TOKENS);
        let ranking = &retrieval.passages;
        packed(index, ranking, ranking.len(), tokens)
    })
}

/// The value below which a share of the values lies (nearest rank); 0 of none.
pub fn percentile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(at.saturating_sub(1)).copied().unwrap_or(0.0)
}

impl Evaluation {
    /// The share of questions whose answer stands in their context (KET-RAG, Coverage).
    pub fn answers(&self) -> AnswerCoverage {
        let mut all = AnswerCoverage::default();
        self.per_question.iter().for_each(|q| all.take(q.read));
        all
    }

    /// The share of questions whose answer was there after so many tokens of reading, for each of [`READ_TOKENS`].
    pub fn curve(&self) -> Option<[f64; READ_TOKENS.len()]> {
        curve(self.per_question.iter().filter_map(|q| q.read.as_ref()))
    }

    /// Milliseconds per question at a percentile, 0 to 1. None of a run file: what it takes to read one says nothing of
    /// the program that made it.
    pub fn latency(&self, share: f64) -> Option<f64> {
        let all: Vec<f64> = self.per_question.iter().map(|q| q.milliseconds).collect();
        let own = self.settings.method().rankings().is_none();
        own.then(|| percentile(&all, share))
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::sample;
    use crate::retrieve::Method;

    #[test]
    fn all_threads_walk_one_graph() {
        let index = Arc::new(sample::index().unwrap());
        let settings = Settings::of(&index, Method::by_name("graph-rrf").unwrap());
        let steps = &settings.method().plan().steps;
        let step = steps.iter().find(|step| step.graph.is_some()).unwrap();
        let kind = step.graph.unwrap();
        let held = |retriever: &mut Retriever, _: usize| {
            let graph = retriever.graph(kind, &settings, &step.fixed)?;
            // This one, its retriever, and who opened it before all questions.
            Ok((Arc::as_ptr(&graph) as usize, Arc::strong_count(&graph) > 2))
        };
        let all = each(&index, 32, &settings, |_| true, held).unwrap();
        assert!(all.iter().all(|own| *own == (all[0].0, true)), "{all:?}");
    }

    #[test]
    fn times_are_kept_in_milliseconds() {
        assert_eq!(milliseconds(Duration::from_micros(1500)), 1.5);
    }

    #[test]
    fn percentiles_by_nearest_rank() {
        let values: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        assert_eq!(
            (
                percentile(&values, 0.5),
                percentile(&values, 0.95),
                percentile(&[], 0.5)
            ),
            (50.0, 95.0, 0.0)
        );
    }
}
