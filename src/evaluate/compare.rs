//! Two evaluations on the same questions: how far apart, how sure, and on how many questions.
//!
//! Everything is paired: a question's two values are drawn together. Difference and interval are those of `b - a`, so a
//! positive difference speaks for the later method.
//!
//! * Interval: percentile bootstrap over questions (Efron 1979; Sakai, SIGIR 2006), 95 %.
//! * Test: paired randomisation, two-sided: under the null hypothesis a question's two values could as well be swapped.
//!   p = (b + 1) / (n + 1), where b of n random swaps give a difference at least as large (Smucker, Allan and Carterette,
//!   CIKM 2007; Phipson and Smyth 2010 on the + 1).
//! * Several measures, and several runs compared with one: Holm's step-down correction over all of them (Holm 1979).

#![warn(missing_docs)]

use super::measures::{MEASURES, Measures, mean};
use super::reading::{READ, Readings};
use super::run::Evaluation;
use crate::random::SplitMix;
use crate::text::figures::{self, interval, measure, signed};
use crate::text::plural;
use rayon::prelude::*;
use serde::{Serialize, Serializer};
use std::fmt;

/// Below this many questions nothing is tested.
pub const FEWEST: usize = 10;
/// Values that differ by less are equal.
const EQUAL: f64 = 1e-12;

/// One value per measure.
type Row<const N: usize> = [f64; N];

/// How resamples are drawn. The same seed and count give the same output on any number of threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resampling {
    /// Of the generator that resamples.
    pub seed: u64,
    /// How many times questions are drawn again.
    pub resamples: usize,
}

impl Default for Resampling {
    fn default() -> Self {
        Resampling {
            seed: 1,
            resamples: 10_000,
        }
    }
}

/// A paired comparison of method `b` with the baseline `a`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Comparison {
    /// The name of one run.
    pub a: String,
    /// The name of the other.
    pub b: String,
    /// Questions with gold that both answered.
    pub questions: usize,
    /// Of the generator that resampled.
    pub seed: u64,
    /// How many times questions were drawn again.
    pub resamples: usize,
    /// In the order of [`MEASURES`].
    #[serde(serialize_with = "by_name")]
    #[cfg_attr(feature = "schema", schemars(with = "ByName"))]
    pub measures: Vec<Difference>,
    /// In the order of [`READ`], over the questions with accepted answers; none where nobody was asked to answer.
    #[serde(
        serialize_with = "by_name_of_answers",
        skip_serializing_if = "Vec::is_empty"
    )]
    #[cfg_attr(feature = "schema", schemars(with = "ByName"))]
    pub answers: Vec<Difference>,
}

/// How differences are written: by the names of the measures.
#[cfg(feature = "schema")]
type ByName = std::collections::BTreeMap<String, Difference>;

/// One measure of a [`Comparison`].
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Difference {
    /// Mean of a measure over all questions, for a.
    pub mean_a: f64,
    /// The same for b.
    pub mean_b: f64,
    /// `mean_b - mean_a`.
    pub difference: f64,
    /// 95 % interval of the difference; none below [`FEWEST`] questions, like the two tests.
    pub interval: Option<[f64; 2]>,
    /// Two-sided, from the permutations of signs; none where nothing differs.
    pub p: Option<f64>,
    /// `p` after Holm's correction.
    pub p_holm: Option<f64>,
    /// What was corrected over.
    pub holm_over: Family,
    /// Questions on which `b` is better.
    pub wins: usize,
    /// Questions with the same value.
    pub ties: usize,
    /// Questions where b has less.
    pub losses: usize,
}

/// The tests that one correction covers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Family {
    /// Measures that are tested.
    pub measures: usize,
    /// Runs that are compared with the same one.
    pub runs: usize,
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let measures = plural(self.measures, "measure");
        match self.runs {
            1 => write!(f, "{measures}"),
            runs if self.measures == 1 => write!(f, "{runs} runs"),
            runs => write!(f, "{measures} of {runs} runs"),
        }
    }
}

/// A result below this is significant.
const LEVEL: f64 = 0.05;

/// Whether a difference is noise.
enum Noise {
    /// No question differs.
    Same,
    /// There are too few questions for a test.
    Untested,
    /// Both the interval and the corrected test say that it is none.
    Clear,
    /// The interval leaves zero out, but the corrected test does not.
    Perhaps,
    /// It cannot be distinguished from chance.
    Chance,
}

impl Difference {
    fn noise(&self) -> Noise {
        let sure = self.sure() != 0.0;
        match self.p_holm {
            _ if self.wins + self.losses == 0 => Noise::Same,
            None => Noise::Untested,
            Some(p) if sure && p <= LEVEL => Noise::Clear,
            Some(_) if sure => Noise::Perhaps,
            Some(_) => Noise::Chance,
        }
    }

    fn direction(&self) -> &'static str {
        match self.difference > 0.0 {
            true => "better",
            false => "worse",
        }
    }

    /// Whether the difference is noise, in words.
    pub fn judgement(&self) -> String {
        let which = self.direction();
        match self.noise() {
            Noise::Same => "no question differs".to_owned(),
            Noise::Untested => "too few questions for a test".to_owned(),
            Noise::Clear => format!("{which}, and not by chance"),
            Noise::Perhaps => format!("{which}, but perhaps by chance among {}", self.holm_over),
            Noise::Chance => format!(
                "not distinguishable from chance with {}",
                plural(self.wins + self.ties + self.losses, "question")
            ),
        }
    }

    /// The same in a word or two, for a column.
    pub fn verdict(&self) -> String {
        match self.noise() {
            Noise::Same => "no change".to_owned(),
            Noise::Untested => "too few".to_owned(),
            Noise::Clear => self.direction().to_owned(),
            Noise::Perhaps => format!("perhaps {}", self.direction()),
            Noise::Chance => "may be chance".to_owned(),
        }
    }

    /// The difference in a measure as sentences: both means, interval, p, and whether it is noise.
    pub fn sentence(&self, name: &str) -> String {
        let [a, b] = [self.mean_a, self.mean_b].map(measure);
        let mut said = format!("{name} {a} > {b}: {}", signed(self.difference));
        if let Some(ends) = self.interval {
            said += &format!(" {}", interval(ends));
        }
        if let Some(p) = self.p_holm.filter(|_| self.wins + self.losses > 0) {
            said += &format!(", p {} (Holm, {})", figures::p(p), self.holm_over);
        }
        let judgement = self.judgement();
        let (first, rest) = judgement.split_at(1);
        let won = match self.wins + self.losses {
            0 => String::new(),
            _ => format!(
                ": {} won, {} lost",
                plural(self.wins, "question"),
                self.losses
            ),
        };
        format!("{said}. {}{rest}{won}.", first.to_uppercase())
    }

    /// The difference where its interval leaves zero out, else zero.
    pub fn sure(&self) -> f64 {
        match self.interval {
            Some([low, high]) if low > 0.0 || high < 0.0 => self.difference,
            _ => 0.0,
        }
    }
}

/// Corrects the tests of runs that are compared with the same one together, some measures of each.
pub fn correct<'d>(runs: impl IntoIterator<Item = &'d mut [Difference]>) {
    let mut runs: Vec<&mut [Difference]> = runs.into_iter().collect();
    let family = Family {
        measures: runs.first().map_or(0, |run| run.len()),
        runs: runs.len(),
    };
    let all = || runs.iter().flat_map(|run| run.iter());
    let p: Vec<f64> = all().filter_map(|d| d.p).collect();
    let mut corrected = holm(&p).into_iter();
    for d in runs.iter_mut().flat_map(|run| run.iter_mut()) {
        d.p_holm = d.p.and_then(|_| corrected.next());
        d.holm_over = family;
    }
}

fn by_name<S: Serializer>(measures: &[Difference], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(MEASURES.iter().zip(measures))
}

fn by_name_of_answers<S: Serializer>(
    measures: &[Difference],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(READ.iter().zip(measures))
}

impl Comparison {
    /// Compares two evaluations of the same questions.
    pub fn new(a: &Evaluation, b: &Evaluation, resampling: Resampling) -> Comparison {
        Comparison::of_pairs((&a.name, &b.name), &paired(a, b), resampling)
    }

    /// Compares two runs by what each question came to in both.
    pub fn of_pairs(
        (a, b): (&str, &str),
        pairs: &[(Measures, Measures)],
        resampling: Resampling,
    ) -> Comparison {
        Comparison {
            a: a.to_owned(),
            b: b.to_owned(),
            questions: pairs.len(),
            seed: resampling.seed,
            resamples: resampling.resamples,
            measures: differences(pairs, resampling),
            answers: Vec::new(),
        }
    }

    /// The same with what a model read out of both.
    #[must_use]
    pub fn with_answers(self, a: &Readings, b: &Readings) -> Comparison {
        let resampling = Resampling {
            seed: self.seed,
            resamples: self.resamples,
        };
        // Both were asked the same questions.
        let pairs = a.per_question.iter().zip(&b.per_question);
        let pairs: Vec<_> = pairs.map(|(a, b)| (a.measures, b.measures)).collect();
        Comparison {
            answers: paired_differences(&pairs, resampling),
            ..self
        }
    }

    /// Corrects comparisons with the same run together.
    pub fn correct(comparisons: &mut [Comparison]) {
        correct(comparisons.iter_mut().map(|c| &mut c.measures[..]));
        correct(comparisons.iter_mut().map(|c| &mut c.answers[..]));
    }

    /// The difference in a measure, by its name.
    pub fn get(&self, name: &str) -> Option<&Difference> {
        named(&self.measures, name)
    }
}

/// The difference in a measure, by its name, of those that [`differences`] gives.
pub fn named<'d>(differences: &'d [Difference], name: &str) -> Option<&'d Difference> {
    let at = MEASURES.iter().position(|m| *m == name)?;
    differences.get(at)
}

/// The measures of each question with gold that both evaluations answered.
fn paired(a: &Evaluation, b: &Evaluation) -> Vec<(Measures, Measures)> {
    let mut others = b.per_question.iter().peekable();
    let mut pairs = Vec::new();
    for one in &a.per_question {
        while others.next_if(|o| o.question < one.question).is_some() {}
        let other = others.next_if(|o| o.question == one.question);
        if let (Some(a), Some(b)) = (one.measures, other.and_then(|o| o.measures)) {
            pairs.push((a, b));
        }
    }
    pairs
}

/// The 95 % interval of the mean of each of [`MEASURES`] over the questions with gold, by the bootstrap of the comparisons;
/// none below [`FEWEST`] questions.
pub fn intervals(made: &Evaluation, resampling: Resampling) -> Option<Vec<[f64; 2]>> {
    let measures = made.per_question.iter().filter_map(|row| row.measures);
    let rows: Vec<_> = measures.map(|measures| measures.0).collect();
    let tested = rows.len() >= FEWEST && resampling.resamples > 0;
    tested.then(|| bootstrap(&rows, resampling))
}

/// One [`Difference`] for each of [`MEASURES`], from each question's two values.
pub fn differences(pairs: &[(Measures, Measures)], resampling: Resampling) -> Vec<Difference> {
    let pairs: Vec<_> = pairs.iter().map(|(a, b)| (a.0, b.0)).collect();
    paired_differences(&pairs, resampling)
}

/// One [`Difference`] for each of some measures, from each question's two values.
pub(super) fn paired_differences<const N: usize>(
    pairs: &[(Row<N>, Row<N>)],
    resampling: Resampling,
) -> Vec<Difference> {
    let rows: Vec<Row<N>> = pairs
        .iter()
        .map(|(a, b)| {
            std::array::from_fn(|m| {
                let d = b[m] - a[m];
                if d.abs() < EQUAL { 0.0 } else { d }
            })
        })
        .collect();
    let tested = rows.len() >= FEWEST && resampling.resamples > 0;
    let intervals = tested.then(|| bootstrap(&rows, resampling));
    let p = tested.then(|| randomisation(&rows, resampling));
    let mean_a = mean(pairs.iter().map(|pair| &pair.0));
    let mean_b = mean(pairs.iter().map(|pair| &pair.1));
    let side = |wanted: fn(f64) -> bool, m: usize| rows.iter().filter(|d| wanted(d[m])).count();
    let mut differences: Vec<Difference> = (0..N)
        .map(|m| Difference {
            mean_a: mean_a[m],
            mean_b: mean_b[m],
            difference: mean_b[m] - mean_a[m],
            interval: intervals.as_ref().map(|i| i[m]),
            p: p.map(|p| p[m]),
            p_holm: None,
            holm_over: Family::default(),
            wins: side(|d| d > 0.0, m),
            ties: side(|d| d == 0.0, m),
            losses: side(|d| d < 0.0, m),
        })
        .collect();
    correct([&mut differences[..]]);
    differences
}

/// The 2.5 % and 97.5 % quantiles of the mean difference over questions drawn with replacement. A resample draws the
/// same questions for every measure.
fn bootstrap<const N: usize>(rows: &[Row<N>], resampling: Resampling) -> Vec<[f64; 2]> {
    let means: Vec<Row<N>> = (0..resampling.resamples as u64)
        .into_par_iter()
        .map(|number| {
            let mut stream = SplitMix::stream(resampling.seed, 2 * number);
            let mut sum = [0.0; N];
            for _ in 0..rows.len() {
                add(&mut sum, &rows[stream.below(rows.len())], 1.0);
            }
            sum.map(|total| total / rows.len() as f64)
        })
        .collect();
    (0..N)
        .map(|m| {
            let mut sorted: Vec<f64> = means.iter().map(|mean| mean[m]).collect();
            sorted.sort_unstable_by(f64::total_cmp);
            [quantile(&sorted, 0.025), quantile(&sorted, 0.975)]
        })
        .collect()
}

/// Two-sided p of the mean difference under random swaps of each question's two values; a resample swaps the same
/// questions for every measure.
fn randomisation<const N: usize>(rows: &[Row<N>], resampling: Resampling) -> Row<N> {
    let mut observed = [0.0; N];
    let mut size = [0.0; N];
    for row in rows {
        add(&mut observed, row, 1.0);
        add(&mut size, &row.map(f64::abs), 1.0);
    }
    // Sums in another order round differently: what is equal on paper counts as equal.
    let bar: Row<N> = std::array::from_fn(|m| observed[m].abs() - 1e-10 * size[m]);
    let extreme = (0..resampling.resamples as u64)
        .into_par_iter()
        .map(|number| {
            let mut stream = SplitMix::stream(resampling.seed, 2 * number + 1);
            let mut sum = [0.0; N];
            for rows in rows.chunks(64) {
                let mut signs = stream.draw();
                for row in rows {
                    add(&mut sum, row, if signs & 1 == 1 { -1.0 } else { 1.0 });
                    signs >>= 1;
                }
            }
            std::array::from_fn(|m| u64::from(sum[m].abs() >= bar[m]))
        })
        .reduce(|| [0u64; N], |x, y| std::array::from_fn(|m| x[m] + y[m]));
    extreme.map(|b| (b + 1) as f64 / (resampling.resamples + 1) as f64)
}

fn add<const N: usize>(sum: &mut Row<N>, row: &Row<N>, sign: f64) {
    for (total, value) in sum.iter_mut().zip(row) {
        *total += sign * value;
    }
}

/// The value below which a share of ascending values lies, linear between neighbours (type 7, as numpy and R); 0 of none.
pub fn quantile(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else {
        return 0.0;
    };
    let place = share * last as f64;
    let low = (place.floor() as usize).min(last);
    let high = (low + 1).min(last);
    sorted[low] + (place - low as f64) * (sorted[high] - sorted[low])
}

/// Holm's correction, in the order given: the i-th smallest of m (from 0) is multiplied by m - i; none is smaller than the
/// one before it or larger than 1.
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&x, &y| p[x].total_cmp(&p[y]));
    let mut corrected = vec![0.0; p.len()];
    let mut largest: f64 = 0.0;
    for (i, &at) in order.iter().enumerate() {
        largest = largest.max((p[at] * (p.len() - i) as f64).min(1.0));
        corrected[at] = largest;
    }
    corrected
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holm_worked_by_hand() {
        // .005 * 4, .01 * 3, .03 * 2, and .04 * 1 raised to the one before it.
        let close = |x: &[f64], y: &[f64]| x.iter().zip(y).all(|(x, y)| (x - y).abs() < 1e-12);
        let corrected = holm(&[0.01, 0.04, 0.03, 0.005]);
        assert!(
            close(&corrected, &[0.03, 0.06, 0.06, 0.02]),
            "{corrected:?}"
        );
        assert!(close(&holm(&[0.6, 0.5]), &[1.0, 1.0]));
        assert!(holm(&[]).is_empty());
    }

    #[test]
    fn quantiles_between_values() {
        assert_eq!(quantile(&[1.0, 2.0, 3.0, 4.0], 0.5), 2.5);
        assert_eq!(quantile(&[1.0, 2.0], 1.0), 2.0);
        assert_eq!(quantile(&[7.0], 0.3), 7.0);
        assert_eq!(quantile(&[], 0.3), 0.0);
    }

    #[test]
    fn a_difference_is_judged_in_words() {
        let judged = |lost: usize, won: usize| {
            let values = [
                (1.0, 0.0, lost),
                (0.0, 1.0, won),
                (0.5, 0.5, 40 - lost - won),
            ];
            let pair =
                |(a, b, n)| vec![(Measures([a; MEASURES.len()]), Measures([b; MEASURES.len()])); n];
            let pairs: Vec<_> = values.into_iter().flat_map(pair).collect();
            differences(&pairs, Resampling::default())[0].judgement()
        };
        assert_eq!(judged(0, 0), "no question differs");
        assert_eq!(judged(1, 20), "better, and not by chance");
        assert_eq!(judged(20, 1), "worse, and not by chance");
        let chance = "not distinguishable from chance with 40 questions";
        assert_eq!(judged(9, 11), chance);
        let few = [(Measures::default(), Measures([1.0; MEASURES.len()]))];
        let few = &differences(&few, Resampling::default())[0];
        assert_eq!(few.judgement(), "too few questions for a test");
        let sentence =
            "R@5 .000 > 1.00: +1.000. Too few questions for a test: 1 question won, 0 lost.";
        assert_eq!(few.sentence("R@5"), sentence);
    }

    #[test]
    fn runs_compared_with_one_are_corrected_together() {
        let run = |won: usize| {
            let pair = |at| {
                (
                    Measures::default(),
                    Measures([f64::from(at < won); MEASURES.len()]),
                )
            };
            let pairs: Vec<_> = (0..30).map(pair).collect();
            differences(&pairs, Resampling::default())
        };
        let (mut one, mut two) = (run(7), run(12));
        let alone = one[0].clone();
        let p = alone.p.unwrap();
        // All nine are the same: the smallest of nine p, ninefold.
        let count = MEASURES.len() as f64;
        assert!((alone.p_holm.unwrap() - count * p).abs() < 1e-12);
        assert_eq!(
            alone.judgement(),
            "better, but perhaps by chance among 9 measures"
        );
        correct([&mut one[..1], &mut two[..1]]);
        // The second is surer, so the first is the largest of two and stays as it is.
        assert_eq!(one[0].p_holm, Some(p));
        assert_eq!(two[0].p_holm, Some(2.0 * two[0].p.unwrap()));
        assert_eq!(one[0].holm_over.to_string(), "2 runs");
        assert_eq!(one[0].judgement(), "better, and not by chance");
        let sentence = one[0].sentence("MAP");
        let begins = "MAP .000 > .233: +.233 [+";
        assert!(sentence.starts_with(begins), "{sentence}");
        let ends = format!(
            "], p {} (Holm, 2 runs). Better, and not by chance: 7 questions won, 0 lost.",
            figures::p(p)
        );
        assert!(sentence.ends_with(&ends), "{sentence}");
    }

    #[test]
    fn what_differs_by_rounding_alone_is_a_tie() {
        let pair = (
            Measures([0.1 + 0.2; MEASURES.len()]),
            Measures([0.3; MEASURES.len()]),
        );
        assert_ne!(pair.0, pair.1);
        let found = &differences(&[pair; FEWEST], Resampling::default())[0];
        assert_eq!((found.wins, found.ties, found.losses), (0, FEWEST, 0));
        assert_eq!(found.interval, Some([0.0, 0.0]));
    }

    #[test]
    fn few_questions_are_counted_but_not_tested() {
        let pair = (Measures::default(), Measures([1.0; MEASURES.len()]));
        let few = differences(&[pair; FEWEST - 1], Resampling::default());
        assert_eq!((few[0].wins, few[0].p, few[0].interval), (9, None, None));
        let enough = differences(&[pair; FEWEST], Resampling::default());
        assert_eq!(enough[0].interval, Some([1.0, 1.0]));
        assert!(enough[0].p < Some(0.01));
        assert!(
            differences(&[], Resampling::default())
                .iter()
                .all(|d| d.difference == 0.0)
        );
    }
}
