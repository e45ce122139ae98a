//! How good confidences are: whether they part questions whose gold was found from the others, and whether they are as
//! often right as they say.

#![warn(missing_docs)]

use super::compare::{FEWEST, Resampling, quantile};
use super::run::Evaluation;
use crate::random::SplitMix;
use rayon::prelude::*;
use serde::Serialize;

/// Bins of the calibration error, each with as many questions.
const BINS: usize = 10;

/// Confidences held against what the questions came to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Assurance {
    /// Questions with gold and a confidence.
    pub questions: usize,
    /// Share of them with all gold in the first five, 0 to 1.
    pub found: f64,
    /// Mean of their confidences, 0 to 1.
    pub mean: f64,
    /// How probably one of the found has the higher confidence of two, 0 to 1: .5 is a guess. Null where all came to the same.
    pub auc: Option<f64>,
    /// 95 % interval of `auc`; null for too few questions.
    pub interval: Option<[f64; 2]>,
    /// Expected calibration error, 0 to 1: how far confidence and share are apart in ten bins of equally many questions.
    pub calibration: f64,
    /// Mean squared error of the confidences, 0 to 1.
    pub brier: f64,
    /// The same of one confidence for all, their share.
    pub brier_of_share: f64,
}

impl Assurance {
    /// Of an evaluation; none where its method has no confidence, or no question has gold.
    pub fn of(made: &Evaluation, resampling: Resampling) -> Option<Assurance> {
        let rows = made.per_question.iter().filter_map(|row| {
            let all = row.measures.as_ref()?.get("All@5")?;
            Some((row.confidence?, all >= 1.0))
        });
        Assurance::of_rows(&rows.collect::<Vec<_>>(), resampling)
    }

    /// Of confidences and whether the questions were found; none of nothing.
    pub fn of_rows(rows: &[(f64, bool)], resampling: Resampling) -> Option<Assurance> {
        if rows.is_empty() {
            return None;
        }
        let mut rows = rows.to_vec();
        rows.sort_by(|a, b| a.0.total_cmp(&b.0));
        let count = rows.len() as f64;
        let mean = |of: &dyn Fn(&(f64, bool)) -> f64| rows.iter().map(of).sum::<f64>() / count;
        let outcome = |row: &(f64, bool)| f64::from(u8::from(row.1));
        let found = mean(&outcome);
        let auc = auc(&rows, |_| 1);
        Some(Assurance {
            questions: rows.len(),
            found,
            mean: mean(&|row| row.0),
            auc,
            interval: auc.and_then(|_| interval(&rows, resampling)),
            calibration: calibration(&rows),
            brier: mean(&|row| (row.0 - outcome(row)).powi(2)),
            brier_of_share: found * (1.0 - found),
        })
    }
}

/// How probably one of the found has more than one of the others, ties by half. `rows` ascend; `times` says how often each is
/// drawn.
fn auc(rows: &[(f64, bool)], times: impl Fn(usize) -> u32) -> Option<f64> {
    let (mut won, mut found, mut others) = (0.0, 0.0, 0.0);
    let mut from = 0;
    for tied in rows.chunk_by(|a, b| a.0 == b.0) {
        let (mut own, mut beside) = (0.0, 0.0);
        for (at, row) in tied.iter().enumerate() {
            let drawn = f64::from(times(from + at));
            *(if row.1 { &mut own } else { &mut beside }) += drawn;
        }
        won += own * (others + beside / 2.0);
        found += own;
        others += beside;
        from += tied.len();
    }
    (found * others > 0.0).then(|| won / (found * others))
}

/// The 95 % interval of the area over questions drawn with replacement.
fn interval(rows: &[(f64, bool)], resampling: Resampling) -> Option<[f64; 2]> {
    if rows.len() < FEWEST || resampling.resamples == 0 {
        return None;
    }
    let drawn = (0..resampling.resamples as u64).into_par_iter();
    let mut all: Vec<f64> = drawn
        .filter_map(|number| {
            let mut stream = SplitMix::stream(resampling.seed, number);
            let mut times = vec![0; rows.len()];
            (0..rows.len()).for_each(|_| times[stream.below(rows.len())] += 1);
            auc(rows, |at| times[at])
        })
        .collect();
    all.sort_unstable_by(f64::total_cmp);
    (!all.is_empty()).then(|| [quantile(&all, 0.025), quantile(&all, 0.975)])
}

fn calibration(rows: &[(f64, bool)]) -> f64 {
    let bins = BINS.min(rows.len());
    let apart = (0..bins).map(|bin| {
        let own = &rows[bin * rows.len() / bins..(bin + 1) * rows.len() / bins];
        let over = own.iter().map(|(p, found)| p - f64::from(u8::from(*found)));
        over.sum::<f64>().abs()
    });
    apart.sum::<f64>() / rows.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(rows: &[(f64, bool)]) -> Assurance {
        Assurance::of_rows(rows, Resampling::default()).unwrap()
    }

    #[test]
    fn values_worked_by_hand() {
        // Pairs of a found one with another: .9 over both, .4 over one, ties by half: (2 + 1 + .5) / 6 more for .1.
        let made = of(&[
            (0.9, true),
            (0.4, true),
            (0.1, true),
            (0.1, false),
            (0.6, false),
        ]);
        assert!((made.auc.unwrap() - 3.5 / 6.0).abs() < 1e-12);
        assert!((made.found - 0.6).abs() < 1e-12 && (made.mean - 0.42).abs() < 1e-12);
        let squares = 0.01 + 0.36 + 0.81 + 0.01 + 0.36;
        assert!((made.brier - squares / 5.0).abs() < 1e-12);
        assert!((made.brier_of_share - 0.24).abs() < 1e-12);
        // Below ten questions there is no interval, and one of a kind has no pairs.
        assert_eq!(made.interval, None);
        assert_eq!(of(&[(0.3, true)]).auc, None);
        assert_eq!(Assurance::of_rows(&[], Resampling::default()), None);
    }

    #[test]
    fn confidences_as_often_right_as_they_say_have_no_calibration_error() {
        let rows: Vec<(f64, bool)> = (0..100).map(|at| (0.25, at % 4 == 0)).collect();
        let made = of(&rows);
        assert!(made.calibration < 0.06, "{made:?}");
        assert_eq!(made.auc, Some(0.5));
        let sure: Vec<(f64, bool)> = rows.iter().map(|(_, found)| (1.0, *found)).collect();
        assert!((of(&sure).calibration - 0.75).abs() < 1e-12);
        let [low, high] = of(&rows).interval.unwrap();
        assert!(low == 0.5 && high == 0.5);
    }
}
