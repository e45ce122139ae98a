//! The set under the slider: after a change of settings all questions with gold are asked again, on a thread of its own,
//! and held against the settings that are pinned. A newer change stops it.

use crate::embed::Kind;
use crate::evaluate::compare::differences;
use crate::evaluate::{Difference, MEASURES, Measures, Resampling, measured};
use crate::index::Index;
use crate::parameters::{PLAN_BY, PlanBy};
use crate::retrieve::{Keep, Retriever, Settings};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The measure that is told.
pub const MEASURE: &str = "R@5";
/// Questions between two reports.
const CHUNK: usize = 25;
/// Fewer than an evaluation draws: it is told many times a second.
const RESAMPLES: usize = 1000;

/// What is scored.
#[derive(Clone, Debug, PartialEq)]
pub struct Scoring {
    /// Of the scoring; news of an older one is dropped.
    pub generation: u64,
    pub settings: Settings,
    /// What they are held against.
    pub pinned: Settings,
}

/// How it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Score {
    pub generation: u64,
    /// Questions asked so far, and how many there are.
    pub done: usize,
    pub of: usize,
    /// From the pinned settings to these, over the questions asked so far.
    pub difference: Difference,
}

/// What the pinned settings came to, so that they are asked once.
#[derive(Default)]
pub struct Memory {
    pinned: Option<Settings>,
    known: BTreeMap<usize, Measures>,
}

/// Whether asking every question sends nothing anywhere: a change of a slider is no leave to ask a server a hundred times.
pub fn local(index: &Index, settings: &Settings) -> bool {
    let asks = index
        .dense()
        .is_some_and(|d| d.encoder.identity().kind == Kind::Endpoint);
    let method = settings.method();
    let plans = method.uses().contains(&PLAN_BY.id()) && settings.get(PLAN_BY) == PlanBy::Endpoint;
    !(plans || asks && method.reads_vectors())
}

/// Asks question after question until all were asked or it is cancelled. None where nothing can be told: a method that the
/// index lacks something for, or that would ask a server.
pub fn score(
    retriever: &mut Retriever,
    index: &Arc<Index>,
    memory: &mut Memory,
    scoring: &Scoring,
    tell: &dyn Fn(Score),
    cancelled: &dyn Fn() -> bool,
) -> Option<Score> {
    if !local(index, &scoring.settings) || !local(index, &scoring.pinned) {
        return None;
    }
    if memory.pinned.as_ref() != Some(&scoring.pinned) {
        memory.known.clear();
        memory.pinned = Some(scoring.pinned.clone());
    }
    let judged = 0..index.questions().len();
    let judged: Vec<usize> = judged
        .filter(|at| index.questions()[*at].wanted() > 0)
        .collect();
    let mut pairs = Vec::with_capacity(judged.len());
    let mut ask = |at: usize, settings: &Settings| {
        let question = &index.questions()[at];
        let run = retriever
            .retrieve(&question.text, settings, Keep::Scores)
            .ok()?;
        measured(&run, question)
    };
    let place = MEASURES.iter().position(|name| *name == MEASURE)?;
    let stands = |pairs: &[(Measures, Measures)]| {
        let resampling = Resampling {
            resamples: RESAMPLES,
            ..Resampling::default()
        };
        let all = differences(pairs, resampling);
        Some(Score {
            generation: scoring.generation,
            done: pairs.len(),
            of: judged.len(),
            difference: all.into_iter().nth(place)?,
        })
    };
    for &at in &judged {
        if cancelled() {
            return None;
        }
        let before = match memory.known.get(&at) {
            Some(known) => *known,
            None => {
                let fresh = ask(at, &scoring.pinned)?;
                memory.known.insert(at, fresh);
                fresh
            }
        };
        pairs.push((before, ask(at, &scoring.settings)?));
        if pairs.len().is_multiple_of(CHUNK) && pairs.len() < judged.len() {
            tell(stands(&pairs)?);
        }
    }
    stands(&pairs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::{Comparison, evaluate};
    use crate::index::sample;
    use crate::parameters::SEED_K;
    use crate::retrieve::Method;
    use std::cell::RefCell;

    #[test]
    fn what_stands_at_the_end_is_what_an_evaluation_says() {
        let index = Arc::new(sample::index().unwrap());
        let pinned = Settings::of(&index, Method::by_name("graph-hybrid").unwrap());
        let mut settings = pinned.clone();
        settings.set_text("seed_k=2").unwrap();
        assert_ne!(settings.get(SEED_K), pinned.get(SEED_K));
        let scoring = Scoring {
            generation: 7,
            settings: settings.clone(),
            pinned: pinned.clone(),
        };
        let mut retriever = Retriever::new(index.clone());
        let mut memory = Memory::default();
        let told = RefCell::new(Vec::new());
        let tell = |score: Score| told.borrow_mut().push(score.done);
        let end = score(
            &mut retriever,
            &index,
            &mut memory,
            &scoring,
            &tell,
            &|| false,
        )
        .unwrap();
        let questions = index.questions();
        let [a, b] =
            [&pinned, &settings].map(|s| evaluate(&index, questions, s, |_| true).unwrap());
        let comparison = Comparison::new(&a, &b, Resampling::default());
        let whole = comparison.get(MEASURE).unwrap();
        assert_eq!((end.done, end.of), (a.judged, a.judged));
        assert_eq!(end.difference.mean_b, whole.mean_b);
        assert_eq!(
            (end.difference.wins, end.difference.losses),
            (whole.wins, whole.losses)
        );
        assert!(whole.wins + whole.losses > 0);
        assert_eq!(told.into_inner(), [25, 50, 75]);
        // Stopped at once, nothing is told.
        let none = |_: Score| panic!("told after a stop");
        assert!(
            score(
                &mut retriever,
                &index,
                &mut memory,
                &scoring,
                &none,
                &|| true
            )
            .is_none()
        );
    }
}
