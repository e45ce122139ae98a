//! Learns how probably the first five passages hold all that a question needs. The gold of every second question is taken out
//! of the corpus, so that these questions have no answer in it, and all questions are asked there.

#![warn(missing_docs)]

use super::compare::Resampling;
use super::confidence::Assurance;
use super::learn::{Taught, Told};
use crate::corpus::{Corpus, Passage, Question};
use crate::index::build::NONE;
use crate::index::{BuildOptions, Index, IndexError, Progress};
use crate::ranker::{
    Assured, DEPTH, Example, Model, Recipe, Signs, folds, places, rounded, signs, totals,
};
use crate::text::{figures, plural};
use rustc_hash::FxHashSet;

/// Of the draw of questions that lose their gold.
const SEED: u64 = 7;

/// The corpus of an index without the gold of a random half of its questions, `half` being 0 or 1. What is gone is among what
/// the questions miss.
pub fn without_gold(index: &Index, half: usize) -> Corpus {
    let questions = index.questions();
    let parts = folds(questions.len(), 2, SEED);
    let losing = questions
        .iter()
        .zip(parts)
        .filter(|(_, part)| *part == half);
    let gone: FxHashSet<u32> = losing
        .flat_map(|(question, _)| question.gold.iter().map(|gold| gold.passage))
        .collect();
    let mut places = vec![None; index.len()];
    let mut passages = Vec::with_capacity(index.len());
    for passage in (0..index.len() as u32).filter(|passage| !gone.contains(passage)) {
        places[passage as usize] = Some(passages.len() as u32);
        passages.push(Passage {
            id: index.id(passage).to_owned(),
            title: index.title(passage).to_owned(),
            text: index.text(passage).to_owned(),
        });
    }
    let without = |question: &Question| {
        let mut own = question.clone();
        own.gold.clear();
        for gold in &question.gold {
            match places[gold.passage as usize] {
                Some(passage) => own.gold.push(crate::corpus::Gold { passage, ..*gold }),
                None => own.missing.push(index.id(gold.passage).to_owned()),
            }
        }
        own
    };
    Corpus {
        name: index.name().to_owned(),
        questions: questions.iter().map(without).collect(),
        passages,
    }
}

/// An index of that corpus, built as the whole one was.
///
/// # Errors
/// As [`Index::build`].
pub fn index_without_gold(
    index: &Index,
    half: usize,
    progress: &dyn Progress,
) -> Result<Index, IndexError> {
    let encoder = index.dense().map(|dense| dense.entry.encoder.clone());
    let options = BuildOptions {
        encoder: encoder.unwrap_or_else(|| NONE.to_owned()),
        ..index.options().clone().into()
    };
    Index::build(without_gold(index, half), &options, progress)
}

/// A question in an order, and what it came to.
#[derive(Clone, Copy, Debug)]
struct Row {
    signs: Signs,
    /// Whether all its gold is in the first five, and whether any of it.
    all: bool,
    any: bool,
    /// Whether the corpus has all of its gold, or none.
    whole: bool,
    gone: bool,
}

/// The questions of a set in a ranker's order.
fn rows<'a>(set: &'a Taught, ranker: &'a Model) -> impl Iterator<Item = Row> + 'a {
    let each = set.questions.iter().zip(&set.examples);
    each.map(|(question, example)| {
        let candidates = &example.candidates;
        let passes = ranker.order(candidates);
        let totals = totals(ranker, &passes, candidates);
        let mut top = places(&totals);
        top.truncate(DEPTH);
        let found = top.iter().map(|place| candidates.passages[*place]);
        let found = found.filter(|p| question.gold.iter().any(|gold| gold.passage == *p));
        let found = found.count();
        Row {
            signs: signs(candidates, &passes, &totals, &top),
            all: found == question.wanted(),
            any: found > 0,
            whole: question.missing.is_empty(),
            gone: question.gold.is_empty(),
        }
    })
}

/// Sets of one family, as they are and without gold.
#[derive(Debug)]
pub struct Family {
    /// What it is called.
    pub name: String,
    /// As they are: what rankers of other families learn from, and where confidences are measured too.
    pub whole: Vec<Taught>,
    /// Without the gold of half of their questions.
    pub without: Vec<Taught>,
}

/// How good confidences are on a family that neither they nor the ranker have seen.
#[derive(Debug)]
pub struct HeldOut {
    /// What the family is called.
    pub family: String,
    /// On the corpora without gold: of all gold in the first five.
    pub all: Assurance,
    /// The same confidences against any gold in the first five.
    pub any: Assurance,
    /// Whether they part questions with all their gold in the corpus from those with none.
    pub gone: Assurance,
    /// On the corpora as they are, of all gold in the first five.
    pub whole: Assurance,
}

impl HeldOut {
    /// One line for the file of a ranker.
    pub fn line(&self) -> String {
        let [all, gone] = [&self.all, &self.gone].map(|made| {
            let auc = made.auc.map_or("?".to_owned(), figures::measure);
            let between = made.interval.map_or(String::new(), |[low, high]| {
                format!(" [{}, {}]", figures::measure(low), figures::measure(high))
            });
            auc + &between
        });
        format!(
            "{}: {}, unseen AUC {all} of all gold in five, {gone} of gold taken away; calibration error {}",
            self.family,
            plural(self.all.questions, "question"),
            figures::measure(self.all.calibration)
        )
    }
}

/// Learns confidences from several families. Each family is judged by confidences, over the order of a ranker, that saw none
/// of its questions; the final ones learn from these orders too. None where it was stopped, or a family has no questions.
pub fn assure(
    families: &[Family],
    recipe: &Recipe,
    resampling: Resampling,
    told: Told<'_>,
) -> Option<(Assured, Vec<HeldOut>)> {
    let jobs = families.len() as f64;
    let mut seen: Vec<[Vec<Row>; 2]> = Vec::new();
    for (at, family) in families.iter().enumerate() {
        let others = families
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != at);
        let others = others.flat_map(|(_, family)| &family.whole);
        let others: Vec<&Example> = others.flat_map(|set| &set.examples).collect();
        let part = |part: f64| told((at as f64 + part) / jobs);
        let ranker = rounded(&recipe.fresh(&others, &part)?);
        let of = |sets: &[Taught]| sets.iter().flat_map(|set| rows(set, &ranker)).collect();
        seen.push([of(&family.without), of(&family.whole)]);
    }
    let outcomes = |but: usize| -> Vec<(Signs, bool)> {
        let others = seen.iter().enumerate().filter(|(at, _)| *at != but);
        let rows = others.flat_map(|(_, [without, _])| without);
        rows.map(|row| (row.signs, row.all)).collect()
    };
    let mut held = Vec::new();
    for (at, (family, [without, whole])) in families.iter().zip(&seen).enumerate() {
        let assured = Assured::fit(&outcomes(at));
        let judged = |rows: &[Row], outcome: &dyn Fn(&Row) -> Option<bool>| {
            let each = rows.iter();
            let each =
                each.filter_map(|row| Some((assured.probability(&row.signs), outcome(row)?)));
            Assurance::of_rows(&each.collect::<Vec<_>>(), resampling)
        };
        let parted = |row: &Row| (row.whole || row.gone).then_some(row.whole);
        held.push(HeldOut {
            family: family.name.clone(),
            all: judged(without, &|row| Some(row.all))?,
            any: judged(without, &|row| Some(row.any))?,
            gone: judged(without, &parted)?,
            whole: judged(whole, &|row| Some(row.all))?,
        });
    }
    let mut assured = Assured::fit(&outcomes(usize::MAX)).rounded();
    assured.trained = held.iter().map(HeldOut::line).collect();
    Some((assured, held))
}
