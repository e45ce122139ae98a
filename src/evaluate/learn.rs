//! Questions with gold as examples that a ranker learns from, and how good a ranker is on questions it has not seen.

#![warn(missing_docs)]

use super::compare::{Difference, Resampling, differences, named};
use super::measures::{Measures, measures};
use super::run::each;
use crate::corpus::Question;
use crate::index::Index;
use crate::parameters::{Learned, Origin, RANKER};
use crate::ranker::{
    Boosting, Candidates, Example, Group, Model, Recipe, few, folds, further, order, rounded,
};
use crate::retrieve::{Keep, RetrieveError, Settings};
use crate::text::{figures, plural};
use std::sync::Arc;

/// Questions with gold, and the candidates that the first order gives each.
#[derive(Debug, Default)]
pub struct Taught {
    /// What the set is called.
    pub name: String,
    /// Those with gold.
    pub questions: Vec<Question>,
    /// Of each.
    pub examples: Vec<Example>,
}

impl Taught {
    /// Asks every question with gold.
    ///
    /// # Errors
    /// The first retrieval that failed.
    pub fn of(
        name: impl Into<String>,
        index: &Arc<Index>,
        questions: &[Question],
        settings: &Settings,
        progress: impl Fn(usize) -> bool + Sync,
    ) -> Result<Taught, RetrieveError> {
        // Whatever the ranker, it has the candidates.
        let mut settings = settings.clone();
        if settings.ranker().is_none() {
            let (ranker, shipped) = RANKER.at(Learned::Shipped);
            settings.set(ranker, shipped, Origin::User);
        }
        let settings = &settings;
        let judged = questions.iter().filter(|question| question.wanted() > 0);
        let questions: Vec<Question> = judged.cloned().collect();
        let examples = each(
            index,
            questions.len(),
            settings,
            progress,
            |retriever, at| {
                let question = &questions[at];
                let run = retriever.retrieve(&question.text, settings, Keep::Scores)?;
                let mut records = run.records.iter();
                let candidates = records.find_map(|record| record.output.get::<Candidates>());
                let candidates = candidates.cloned().unwrap_or_default();
                let grade = |passage: u32| {
                    let gold = question.gold.iter().find(|gold| gold.passage == passage);
                    gold.map_or(0, |gold| gold.grade.clamp(0.0, 10.0) as u8)
                };
                Ok(Example {
                    grades: candidates.passages.iter().map(|p| grade(*p)).collect(),
                    candidates,
                })
            },
        )?;
        // Those done before it was stopped.
        let mut questions = questions;
        questions.truncate(examples.len());
        Ok(Taught {
            name: name.into(),
            questions,
            examples,
        })
    }

    /// The measures of a question whose candidates are in this order.
    fn measured(&self, at: usize, places: impl Iterator<Item = usize>) -> Measures {
        let passages = &self.examples[at].candidates.passages;
        let ranking: Vec<u32> = places.map(|place| passages[place]).collect();
        measures(&ranking, &self.questions[at]).unwrap_or_default()
    }

    /// In the first order.
    fn first(&self, at: usize) -> Measures {
        self.measured(at, 0..self.examples[at].candidates.len())
    }

    /// In a ranker's.
    fn by(&self, model: &Model, at: usize) -> Measures {
        let places = order(model, &self.examples[at].candidates);
        self.measured(at, places.into_iter())
    }
}

/// How a ranker came out of labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// More steps on the one it started from.
    Further,
    /// From nothing else.
    Fresh,
}

impl Way {
    /// In words.
    pub fn described(self) -> &'static str {
        match self {
            Way::Further => "further steps on the ranker it started from",
            Way::Fresh => "from these questions alone",
        }
    }
}

/// A ranker and what is known of it.
#[derive(Debug)]
pub struct Learnt {
    /// The ranker.
    pub model: Model,
    /// How it was chosen to be made.
    pub way: Way,
    /// Questions that taught it.
    pub questions: usize,
    /// Whether the ranker it started from was trained on a set of this name.
    pub seen: bool,
    /// Measures on questions that were not seen, over the first order, the ranker it started from, and this one.
    pub against_first: Vec<Difference>,
    /// The same over the ranker it started from.
    pub against_start: Vec<Difference>,
    /// The same from half of the labels; none where there are too few to halve.
    pub half: Option<Vec<Difference>>,
    /// By how much the functions of each group changed, most first.
    pub changed: Vec<(Group, f64)>,
}

/// Fewest questions that anything is learned from.
pub const FEWEST: usize = 10;
/// From so many on a ranker from nothing else is tried too.
const FRESH: usize = 50;
/// Parts that questions are cut into: each is judged by what the others teach.
pub const FOLDS: usize = 5;
/// The same inside one, to choose.
const INNER: usize = 2;
/// Weight of the first order in a ranker of one's own labels.
const OWN_BETA: f64 = 0.5;

/// Measures of the report.
pub const TOLD: [&str; 6] = ["R@2", "R@5", "R@10", "All@5", "RR", "nDCG@10"];

/// One line for the file of a ranker: the figures of a set on questions that were not seen, weighted sum > learned.
pub fn trained(name: &str, differences: &[Difference]) -> String {
    let figures = TOLD.iter().filter_map(|measure| {
        let d = named(differences, measure)?;
        let [before, after] = [d.mean_a, d.mean_b].map(figures::measure);
        Some(format!("{measure} {before} > {after}"))
    });
    let count = differences
        .first()
        .map_or(0, |d| d.wins + d.ties + d.losses);
    let figures = figures.collect::<Vec<_>>().join(", ");
    format!("{name}: {}, unseen {figures}", plural(count, "question"))
}

/// Told how far it is, 0 to 1; false stops it.
pub type Told<'a> = &'a (dyn Fn(f64) -> bool + Sync);

/// Learns from one set. None where it was stopped.
pub fn tune(set: &Taught, start: &Model, resampling: Resampling, told: Told<'_>) -> Option<Learnt> {
    let count = set.examples.len();
    let parts = folds(count, FOLDS, 0);
    let halves = count >= 4 * FEWEST;
    let jobs = (FOLDS * if halves { 2 } else { 1 } + 1) as f64;
    let all: Vec<usize> = (0..count).collect();
    let mut after = vec![Measures::default(); count];
    let mut half = vec![Measures::default(); count];
    for fold in 0..FOLDS {
        let (own, others): (Vec<usize>, Vec<usize>) =
            all.iter().partition(|at| parts[**at] == fold);
        let done = fold as f64;
        let (model, _) = learnt(set, &others, start, &|part| told((done + part) / jobs))?;
        own.iter().for_each(|&at| after[at] = set.by(&model, at));
        if halves {
            let done = (FOLDS + fold) as f64;
            let some = &others[..others.len() / 2];
            let (model, _) = learnt(set, some, start, &|part| told((done + part) / jobs))?;
            own.iter().for_each(|&at| half[at] = set.by(&model, at));
        }
    }
    let (mut model, way) = learnt(set, &all, start, &|part| told((jobs - 1.0 + part) / jobs))?;
    let against = |before: &dyn Fn(usize) -> Measures, after: &[Measures]| {
        let pairs = after
            .iter()
            .enumerate()
            .map(|(at, after)| (before(at), *after));
        differences(&pairs.collect::<Vec<_>>(), resampling)
    };
    let first = |at: usize| set.first(at);
    let started = |at: usize| set.by(start, at);
    let against_first = against(&first, &after);
    model.about = format!(
        "{}: {}, {}",
        set.name,
        plural(count, "question"),
        way.described()
    );
    model.trained.push(trained(&set.name, &against_first));
    Some(Learnt {
        way,
        questions: count,
        seen: start.about.contains(&set.name),
        against_first,
        against_start: against(&started, &after),
        half: halves.then(|| against(&first, &half)),
        changed: changed(start, &model),
        model,
    })
}

/// Learns from some questions of a set: more steps on a ranker, or from fifty on the better of that and a fresh one, by
/// questions held back from both.
fn learnt(set: &Taught, of: &[usize], start: &Model, told: Told<'_>) -> Option<(Model, Way)> {
    let examples =
        |of: &[usize]| -> Vec<&Example> { of.iter().map(|at| &set.examples[*at]).collect() };
    let recipe = Recipe {
        beta: OWN_BETA,
        boosting: Boosting {
            rounds: 150,
            ..Boosting::default()
        },
        ..Recipe::default()
    };
    let more = |of: &[usize], told: Told<'_>| match further(start, &examples(of), &few(), told) {
        Some(model) => Some(model),
        // Nothing to learn from, or stopped.
        None => told(1.0).then(|| start.clone()),
    };
    let fresh = |of: &[usize], told: Told<'_>| recipe.fresh(&examples(of), told);
    if of.len() < FRESH {
        return Some((rounded(&more(of, told)?), Way::Further));
    }
    let parts = folds(of.len(), INNER, 1);
    let jobs = (2 * INNER + 1) as f64;
    let mut worth = [0.0; 2];
    for fold in 0..INNER {
        let pick = |own: bool| {
            let each = of
                .iter()
                .zip(&parts)
                .filter(|(_, part)| (**part == fold) == own);
            each.map(|(at, _)| *at).collect::<Vec<usize>>()
        };
        let (own, others) = (pick(true), pick(false));
        let done = (2 * fold) as f64;
        let one = more(&others, &|part| told((done + part) / jobs))?;
        let two = fresh(&others, &|part| told((done + 1.0 + part) / jobs))?;
        for at in own {
            for (worth, model) in worth.iter_mut().zip([&one, &two]) {
                let measured = set.by(model, at);
                *worth += ["R@2", "R@5", "R@10"]
                    .iter()
                    .filter_map(|m| measured.get(m))
                    .sum::<f64>();
            }
        }
    }
    let last = |part: f64| told((jobs - 1.0 + part) / jobs);
    match worth[1] > worth[0] {
        true => Some((rounded(&fresh(of, &last)?), Way::Fresh)),
        false => Some((rounded(&more(of, &last)?), Way::Further)),
    }
}

/// By how much the functions of each group differ between two rankers, most first.
fn changed(from: &Model, to: &Model) -> Vec<(Group, f64)> {
    let range = |model: &Model, group: Group| -> f64 {
        let own = model.second.features();
        own.filter(|(feature, _)| feature.group() == group)
            .map(|(_, steps)| steps.range())
            .sum()
    };
    let mut all: Vec<(Group, f64)> = Group::ALL
        .into_iter()
        .map(|group| (group, range(to, group) - range(from, group)))
        .collect();
    all.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    all
}

/// A family of sets, held out while the others teach.
#[derive(Debug)]
pub struct HeldOut {
    /// What the family is called.
    pub family: String,
    /// Of its questions.
    pub against_first: Vec<Difference>,
}

/// Learns from several families of sets. Every family is judged by a ranker that has seen none of its questions. None
/// where it was stopped.
pub fn general(
    families: &[(String, Vec<Taught>)],
    recipe: &Recipe,
    resampling: Resampling,
    told: Told<'_>,
) -> Option<(Model, Vec<HeldOut>)> {
    let jobs = (families.len() + 1) as f64;
    let sets = |but: usize| -> Vec<&Example> {
        let each = families.iter().enumerate().filter(|(at, _)| *at != but);
        each.flat_map(|(_, (_, sets))| sets.iter().flat_map(|set| &set.examples))
            .collect()
    };
    let mut held = Vec::new();
    for (at, (family, own)) in families.iter().enumerate() {
        let done = at as f64;
        let model = rounded(&recipe.fresh(&sets(at), &|part| told((done + part) / jobs))?);
        let pairs = own.iter().flat_map(|set| {
            let model = &model;
            (0..set.examples.len()).map(move |at| (set.first(at), set.by(model, at)))
        });
        let pairs: Vec<(Measures, Measures)> = pairs.collect();
        held.push(HeldOut {
            family: family.clone(),
            against_first: differences(&pairs, resampling),
        });
    }
    let done = families.len() as f64;
    let model = recipe.fresh(&sets(usize::MAX), &|part| told((done + part) / jobs))?;
    Some((rounded(&model), held))
}
