//! From questions with known answers to a ranker: two passes, where the second trains on what the first would have said
//! had it not seen the question.

use super::candidates::{Candidates, Table};
use super::feature::Feature;
use super::logistic;
use super::model::{Additive, CANDIDATES, Calibration, FORMAT, Model, Ordered, Steps, four};
use super::train::{Boosting, Rows, boost};
use crate::random::SplitMix;

/// A question with its candidates and what is known of them.
#[derive(Clone, Debug, Default)]
pub struct Example {
    /// Grade of each candidate; 0 is not relevant.
    pub grades: Vec<u8>,
    pub candidates: Candidates,
}

impl Example {
    /// Whether it can teach anything.
    pub fn teaches(&self) -> bool {
        self.grades.iter().any(|grade| *grade > 0) && self.grades.contains(&0)
    }
}

/// How a ranker is made.
#[derive(Clone, Copy, Debug)]
pub struct Recipe {
    pub boosting: Boosting,
    /// Parts that the questions are cut into, so that no first pass judges a question it has seen.
    pub folds: usize,
    /// Boosted with so many seeds, and averaged.
    pub seeds: u64,
    /// Weight of the first order's own score.
    pub beta: f64,
}

impl Default for Recipe {
    fn default() -> Self {
        Recipe {
            boosting: Boosting::default(),
            folds: 3,
            seeds: 1,
            beta: 1.0,
        }
    }
}

/// Told how far training is, 0 to 1; false stops it.
pub type Told<'a> = &'a (dyn Fn(f64) -> bool + Sync);

impl Recipe {
    /// A ranker from nothing but these questions. None where it was stopped, or no question teaches anything.
    pub fn fresh(&self, examples: &[&Example], each: Told<'_>) -> Option<Model> {
        let examples: Vec<&Example> = examples.iter().copied().filter(|e| e.teaches()).collect();
        if examples.is_empty() {
            return None;
        }
        let mut tables: Vec<Table> = examples.iter().map(|e| e.candidates.table()).collect();
        let folds = folds(examples.len(), self.folds, self.boosting.seed);
        // A fit of the second pass costs about twice as much as one of the first.
        let fits = (self.folds + 3) as f64;
        let alone = Boosting {
            width: Feature::OF_ONE,
            ..self.boosting
        };
        let all: Vec<usize> = (0..examples.len()).collect();
        let part = |from: f64, share: f64| move |done: f64| each((from + done * share) / fits);
        let first = self.fit(&examples, &tables, &all, &alone, &part(0.0, 1.0))?;
        let mut unseen: Vec<Vec<f64>> = vec![Vec::new(); examples.len()];
        for fold in 0..self.folds {
            let (own, others): (Vec<usize>, Vec<usize>) =
                all.iter().partition(|at| folds[**at] == fold);
            if own.is_empty() {
                continue;
            }
            let others = if others.is_empty() { &all } else { &others };
            let fitted = self.fit(
                &examples,
                &tables,
                others,
                &alone,
                &part(1.0 + fold as f64, 1.0),
            )?;
            for at in own {
                unseen[at] = fitted.scores(&tables[at]);
            }
        }
        let calibration = calibrated(&examples, &unseen);
        for ((example, table), scores) in examples.iter().zip(&mut tables).zip(&unseen) {
            let p = calibration.probabilities(scores);
            example.candidates.given(&p, table);
        }
        let from = 1.0 + self.folds as f64;
        let second = self.fit(&examples, &tables, &all, &self.boosting, &part(from, 2.0))?;
        Some(Model {
            format: FORMAT,
            about: String::new(),
            trained: Vec::new(),
            beta: self.beta,
            calibration,
            first,
            second,
            assured: None,
        })
    }

    /// Averaged over the seeds.
    fn fit(
        &self,
        examples: &[&Example],
        tables: &[Table],
        of: &[usize],
        how: &Boosting,
        each: Told<'_>,
    ) -> Option<Additive> {
        let rows = rows(examples, tables, of);
        let all = (how.rounds as f64) * self.seeds as f64;
        let fits = (0..self.seeds).map(|number| {
            let how = Boosting {
                seed: how.seed.wrapping_add(number),
                ..*how
            };
            let done =
                |round: usize| each((number as f64 * how.rounds as f64 + round as f64) / all);
            boost(&rows, &how, &done)
        });
        let fits = fits.collect::<Option<Vec<Additive>>>()?;
        Some(added(&fits, 1.0 / self.seeds as f64))
    }
}

/// More steps on top of a ranker, from a few questions: its first pass and its probabilities stay.
pub fn further(
    model: &Model,
    examples: &[&Example],
    how: &Boosting,
    each: Told<'_>,
) -> Option<Model> {
    let examples: Vec<&Example> = examples.iter().copied().filter(|e| e.teaches()).collect();
    if examples.is_empty() {
        return None;
    }
    let ordered: Vec<Ordered> = examples
        .iter()
        .map(|e| model.order(&e.candidates))
        .collect();
    let tables: Vec<Table> = ordered.iter().map(|o| o.table.clone()).collect();
    let all: Vec<usize> = (0..examples.len()).collect();
    let mut rows = rows(&examples, &tables, &all);
    for (example, ordered) in examples.iter().zip(&ordered) {
        let first = standing(&example.candidates).into_iter();
        rows.start.extend(
            ordered
                .scores
                .iter()
                .zip(first)
                .map(|(own, z)| own + model.beta * z),
        );
    }
    let done = |round: usize| each(round as f64 / how.rounds as f64);
    let more = boost(&rows, how, &done)?;
    Some(Model {
        second: added(&[model.second.clone(), more], 1.0),
        ..model.clone()
    })
}

/// How few labels boost a ranker that exists.
pub fn few() -> Boosting {
    Boosting {
        rounds: 150,
        rate: 0.05,
        least: 20,
        ridge: 5.0,
        ..Boosting::default()
    }
}

/// Scores of the first order in standard deviations from their mean.
pub fn standing(candidates: &Candidates) -> Vec<f64> {
    let (mean, deviation) = candidates.spread();
    let deviation = deviation + 1e-9;
    candidates
        .scores
        .iter()
        .map(|s| (s - mean) / deviation)
        .collect()
}

/// The order that a ranker gives the candidates of a question: their places, best first.
pub fn order(model: &Model, candidates: &Candidates) -> Vec<usize> {
    places(&totals(model, &model.order(candidates), candidates))
}

/// The scores of candidates, from both passes over them.
pub fn totals(model: &Model, passes: &Ordered, candidates: &Candidates) -> Vec<f64> {
    let z = standing(candidates);
    let trust = 1.0 - candidates.single;
    let each = passes.scores.iter().zip(z);
    let totals = each.map(|(own, z)| trust * own + model.beta * z).collect();
    guarded(candidates, totals)
}

/// The places of scores, best first.
pub fn places(totals: &[f64]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..totals.len()).collect();
    places.sort_by(|a, b| totals[*b].total_cmp(&totals[*a]).then(a.cmp(b)));
    places
}

/// The first of the first order stays first where it leads by this many standard deviations.
pub const CLEAR: f64 = 0.5;

/// With the guard of the first place.
pub fn guarded(candidates: &Candidates, mut totals: Vec<f64>) -> Vec<f64> {
    if let Some(more) = guard(candidates, &totals) {
        totals[0] += more;
    }
    totals
}

/// What the first of the first order is given so that it stays first, where it leads clearly and would not stay.
pub fn guard(candidates: &Candidates, totals: &[f64]) -> Option<f64> {
    let (_, deviation) = candidates.spread();
    let [first, second, ..] = candidates.scores[..] else {
        return None;
    };
    let best = totals[1..].iter().copied().fold(f64::MIN, f64::max);
    let clear = first - second > CLEAR * deviation && totals[0] <= best;
    clear.then(|| best - totals[0] + 1e-3)
}

fn rows(examples: &[&Example], tables: &[Table], of: &[usize]) -> Rows {
    let mut rows = Rows {
        width: Feature::ALL.len(),
        ..Rows::default()
    };
    for &at in of {
        rows.values.extend_from_slice(&tables[at].values);
        rows.grades.extend_from_slice(&examples[at].grades);
        rows.groups.push(examples[at].grades.len());
    }
    rows
}

/// A part for each question, drawn.
pub fn folds(count: usize, parts: usize, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    let mut draw = SplitMix::stream(seed, u64::MAX);
    for at in (1..count).rev() {
        order.swap(at, draw.below(at + 1));
    }
    let mut folds = vec![0; count];
    for (place, at) in order.into_iter().enumerate() {
        folds[at] = place % parts.max(1);
    }
    folds
}

/// Sums, feature by feature, each times a weight.
pub fn added(all: &[Additive], weight: f64) -> Additive {
    let of = |feature: Feature| -> Option<Steps> {
        let own = all.iter().flat_map(|a| &a.functions);
        let own: Vec<&Steps> = own.filter(|steps| steps.feature == feature.id()).collect();
        if own.is_empty() {
            return None;
        }
        let mut at: Vec<f64> = own
            .iter()
            .flat_map(|steps| steps.at.iter().copied())
            .collect();
        at.sort_unstable_by(f64::total_cmp);
        at.dedup();
        // The value up to a threshold is that at it; beyond the last, that of the greatest number.
        let places = at.iter().copied().chain([f64::MAX]);
        let value = |x: f64| weight * own.iter().map(|steps| steps.of(x)).sum::<f64>();
        Some(Steps {
            feature: feature.id().to_owned(),
            values: places.map(value).collect(),
            at,
        })
    };
    let functions = Feature::ALL.iter().filter_map(|feature| of(*feature));
    Additive::new(functions.collect()).unwrap_or_default()
}

/// The logistic rule that fits the scores of unseen questions best. The weights are held back a little, as they must be where
/// the relevant can be told apart completely.
fn calibrated(examples: &[&Example], scores: &[Vec<f64>]) -> Calibration {
    let each = examples.iter().zip(scores);
    let rows = each.flat_map(|(example, scores)| {
        let grades = example.grades.iter().zip(Calibration::inputs(scores));
        grades.map(|(grade, [best, mean])| ([best, mean, 1.0], *grade > 0))
    });
    let [best, mean, offset] = logistic::fit(&rows.collect::<Vec<_>>(), [0.1, 0.1, 0.0]);
    Calibration { best, mean, offset }
}

/// A file's numbers: to four digits, which change no order.
pub fn rounded(model: &Model) -> Model {
    let functions = |all: &Additive| {
        let each = all.functions.iter().map(|steps| {
            let mut round = Steps {
                feature: steps.feature.clone(),
                at: Vec::new(),
                values: vec![four(steps.values[0])],
            };
            for (at, value) in steps.at.iter().zip(&steps.values[1..]) {
                let (at, value) = (four(*at), four(*value));
                match round.at.last() {
                    Some(last) if *last >= at => {
                        // Two thresholds that became one.
                        if let Some(last) = round.values.last_mut() {
                            *last = value;
                        }
                    }
                    _ if round.values.last() == Some(&value) => {}
                    _ => {
                        round.at.push(at);
                        round.values.push(value);
                    }
                }
            }
            round
        });
        Additive::new(each.collect()).unwrap_or_default()
    };
    let Calibration { best, mean, offset } = model.calibration;
    Model {
        beta: four(model.beta),
        calibration: Calibration {
            best: four(best),
            mean: four(mean),
            offset: four(offset),
        },
        first: functions(&model.first),
        second: functions(&model.second),
        ..model.clone()
    }
}

/// Candidates that a ranker puts in order, of those there are.
pub fn taken(hits: usize) -> usize {
    hits.min(CANDIDATES)
}
