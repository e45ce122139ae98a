//! LambdaMART on stumps: gradient boosting of step functions by what a swap of two candidates changes in nDCG (Burges,
//! From RankNet to LambdaRank to LambdaMART, 2010). Every round adds one step of one feature, so the sum stays additive.

use super::feature::Feature;
use super::model::{Additive, Steps};
use crate::random::SplitMix;
use rayon::prelude::*;

/// Candidates of many questions.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// Row by row.
    pub values: Vec<f64>,
    /// Columns of `values`.
    pub width: usize,
    /// Candidates of each question, in order.
    pub groups: Vec<usize>,
    /// Grade of each row; 0 is not relevant.
    pub grades: Vec<u8>,
    /// Scores that boosting starts from; empty where from nothing.
    pub start: Vec<f64>,
}

/// How to boost.
#[derive(Clone, Copy, Debug)]
pub struct Boosting {
    pub rounds: usize,
    pub rate: f64,
    /// Fewest rows on either side of a step.
    pub least: usize,
    /// Share of rows drawn in each round, and of features.
    pub rows: f64,
    pub features: f64,
    /// Added to the curvature: steps become smaller where there are few rows.
    pub ridge: f64,
    /// Only pairs whose better rank is within so many count.
    pub depth: usize,
    pub seed: u64,
    /// The first so many features of [`Feature::ALL`] are read.
    pub width: usize,
}

impl Default for Boosting {
    fn default() -> Self {
        Boosting {
            rounds: 300,
            rate: 0.1,
            least: 40,
            rows: 0.8,
            features: 0.7,
            ridge: 0.0,
            depth: 30,
            seed: 0,
            width: Feature::ALL.len(),
        }
    }
}

/// Places between values that are tried, at most.
const BINS: usize = 255;
/// Least curvature on either side of a step.
const LEAST_CURVATURE: f64 = 1e-3;

/// One feature's values as numbers of the bins they fall into.
struct Binned {
    /// Upper ends of all bins but the last.
    ends: Vec<f64>,
    of: Vec<u8>,
}

impl Binned {
    fn new(rows: &Rows, feature: usize) -> Binned {
        let column = || rows.values.chunks(rows.width).map(|row| row[feature]);
        let mut sorted: Vec<f64> = column().collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let mut distinct: Vec<(f64, usize)> = Vec::new();
        for value in &sorted {
            match distinct.last_mut() {
                Some((last, count)) if last == value => *count += 1,
                _ => distinct.push((*value, 1)),
            }
        }
        // With more values than bins, a bin ends where it has its share of the rows that are left.
        let mut ends = Vec::new();
        let (mut own, mut left, mut bins) = (0, sorted.len(), BINS);
        let few = distinct.len() <= BINS;
        for pair in distinct.windows(2) {
            own += pair[0].1;
            if few || own * bins >= left {
                ends.push(pair[0].0 + (pair[1].0 - pair[0].0) / 2.0);
                (left, own, bins) = (left - own, 0, bins - 1);
                if bins <= 1 {
                    break;
                }
            }
        }
        let of = column().map(|value| ends.partition_point(|end| *end < value) as u8);
        let of = of.collect();
        Binned { ends, of }
    }
}

/// A step that a round adds.
struct Step {
    gain: f64,
    feature: usize,
    bin: usize,
    left: f64,
    right: f64,
}

/// Gradient and curvature of every row.
struct Pull {
    gradient: Vec<f64>,
    curvature: Vec<f64>,
}

/// Boosts step functions. Same rows and options, same bits on any number of threads. `each` is called after every round
/// and stops the work by returning false.
pub fn boost(
    rows: &Rows,
    how: &Boosting,
    each: &(dyn Fn(usize) -> bool + Sync),
) -> Option<Additive> {
    let count = rows.grades.len();
    let width = how.width.min(rows.width);
    let binned: Vec<Binned> = (0..width)
        .into_par_iter()
        .map(|f| Binned::new(rows, f))
        .collect();
    let mut scores = match rows.start.is_empty() {
        true => vec![0.0; count],
        false => rows.start.clone(),
    };
    let ideal = ideals(rows, how.depth);
    let mut functions: Vec<Vec<f64>> = binned.iter().map(|b| vec![0.0; b.ends.len() + 1]).collect();
    for round in 0..how.rounds {
        let mut draw = SplitMix::stream(how.seed, round as u64);
        let pull = lambdas(rows, &scores, &ideal, how.depth);
        let bag = drawn(&mut draw, count, how.rows);
        let mut tried = drawn(&mut draw, width, how.features);
        tried.sort_unstable();
        let steps: Vec<Option<Step>> = tried
            .par_iter()
            .map(|&feature| best_step(&binned[feature as usize], feature, &bag, &pull, how))
            .collect();
        // The first of equals.
        let best = steps
            .into_iter()
            .flatten()
            .fold(None, |best: Option<Step>, step| match &best {
                Some(known) if known.gain >= step.gain => best,
                _ => Some(step),
            });
        if let Some(step) = best {
            let values = &mut functions[step.feature];
            for (bin, value) in values.iter_mut().enumerate() {
                *value += if bin <= step.bin {
                    step.left
                } else {
                    step.right
                };
            }
            let of = &binned[step.feature].of;
            for (score, bin) in scores.iter_mut().zip(of) {
                *score += match usize::from(*bin) <= step.bin {
                    true => step.left,
                    false => step.right,
                };
            }
        }
        if !each(round + 1) {
            return None;
        }
    }
    let functions = functions.iter().zip(&binned).enumerate();
    let functions = functions.filter_map(|(feature, (values, binned))| {
        let steps = joined(Feature::ALL[feature].id(), &binned.ends, values);
        (steps.range() > 0.0).then_some(steps)
    });
    Additive::new(functions.collect()).ok()
}

/// Without the thresholds at which nothing changes.
fn joined(feature: &str, ends: &[f64], values: &[f64]) -> Steps {
    let mut steps = Steps {
        feature: feature.to_owned(),
        at: Vec::new(),
        values: values.first().copied().into_iter().collect(),
    };
    for (end, pair) in ends.iter().zip(values.windows(2)) {
        if pair[0] != pair[1] {
            steps.at.push(*end);
            steps.values.push(pair[1]);
        }
    }
    steps
}

/// Some of many, without one twice, ascending where all or most are taken.
fn drawn(draw: &mut SplitMix, count: usize, share: f64) -> Vec<u32> {
    let mut all: Vec<u32> = (0..count as u32).collect();
    if share >= 1.0 {
        return all;
    }
    let taken = ((count as f64 * share).ceil() as usize).min(count);
    for at in 0..taken {
        let other = at + draw.below(count - at);
        all.swap(at, other);
    }
    all.truncate(taken);
    all.sort_unstable();
    all
}

fn gain(grade: u8) -> f64 {
    f64::from((1u32 << grade.min(30)) - 1)
}

fn discount(place: usize) -> f64 {
    1.0 / (place as f64 + 2.0).log2()
}

/// Of every question, the best DCG there is.
fn ideals(rows: &Rows, depth: usize) -> Vec<f64> {
    let mut from = 0;
    let mut all = Vec::with_capacity(rows.groups.len());
    for count in &rows.groups {
        let mut grades = rows.grades[from..from + count].to_vec();
        grades.sort_unstable_by(|a, b| b.cmp(a));
        let best = grades.iter().take(depth).enumerate();
        all.push(
            best.map(|(place, grade)| gain(*grade) * discount(place))
                .sum(),
        );
        from += count;
    }
    all
}

/// The pull of every pair of candidates on both, question by question.
fn lambdas(rows: &Rows, scores: &[f64], ideals: &[f64], depth: usize) -> Pull {
    let mut pull = Pull {
        gradient: vec![0.0; scores.len()],
        curvature: vec![0.0; scores.len()],
    };
    let mut questions = Vec::with_capacity(rows.groups.len());
    let (mut gradients, mut curvatures) = (&mut pull.gradient[..], &mut pull.curvature[..]);
    let mut from = 0;
    for (count, ideal) in rows.groups.iter().zip(ideals) {
        let (gradient, rest) = gradients.split_at_mut(*count);
        let (curvature, others) = curvatures.split_at_mut(*count);
        (gradients, curvatures) = (rest, others);
        let own = from..from + count;
        questions.push((
            &rows.grades[own.clone()],
            &scores[own],
            *ideal,
            gradient,
            curvature,
        ));
        from += count;
    }
    questions
        .into_par_iter()
        .for_each(|(grades, scores, ideal, gradient, curvature)| {
            of_question(grades, scores, ideal, depth, gradient, curvature);
        });
    pull
}

fn of_question(
    grades: &[u8],
    scores: &[f64],
    ideal: f64,
    depth: usize,
    gradient: &mut [f64],
    curvature: &mut [f64],
) {
    if ideal <= 0.0 {
        return;
    }
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
    let range = scores[order[0]] - scores[order[order.len() - 1]];
    let mut sum = 0.0;
    for one in 0..depth.min(order.len().saturating_sub(1)) {
        for two in one + 1..order.len() {
            let (a, b) = (order[one], order[two]);
            let (high, low) = match grades[a].cmp(&grades[b]) {
                std::cmp::Ordering::Equal => continue,
                std::cmp::Ordering::Greater => (a, b),
                std::cmp::Ordering::Less => (b, a),
            };
            let apart = scores[high] - scores[low];
            let gained = gain(grades[high]) - gain(grades[low]);
            let mut change = gained * (discount(one) - discount(two)) / ideal;
            // Pairs that are far apart already pull less.
            if range != 0.0 {
                change /= 0.01 + apart.abs();
            }
            let wrong = 1.0 / (1.0 + apart.exp());
            let (pulls, bends) = (wrong * change, wrong * (1.0 - wrong) * change);
            gradient[high] -= pulls;
            gradient[low] += pulls;
            curvature[high] += bends;
            curvature[low] += bends;
            sum += 2.0 * pulls;
        }
    }
    if sum > 0.0 {
        let scale = (1.0 + sum).log2() / sum;
        gradient.iter_mut().for_each(|g| *g *= scale);
        curvature.iter_mut().for_each(|c| *c *= scale);
    }
}

/// The step of one feature that lowers the loss most.
fn best_step(
    binned: &Binned,
    feature: u32,
    bag: &[u32],
    pull: &Pull,
    how: &Boosting,
) -> Option<Step> {
    let bins = binned.ends.len() + 1;
    let mut sums = vec![(0.0f64, 0.0f64, 0usize); bins];
    for &row in bag {
        let row = row as usize;
        let (gradient, curvature, count) = &mut sums[usize::from(binned.of[row])];
        *gradient += pull.gradient[row];
        *curvature += pull.curvature[row];
        *count += 1;
    }
    let all = sums.iter().fold((0.0, 0.0, 0), |all, own| {
        (all.0 + own.0, all.1 + own.1, all.2 + own.2)
    });
    let worth = |g: f64, c: f64| g * g / (c + how.ridge);
    let whole = worth(all.0, all.1.max(f64::MIN_POSITIVE));
    let direction = Feature::ALL[feature as usize].direction();
    let mut left = (0.0, 0.0, 0);
    let mut best: Option<Step> = None;
    for (bin, own) in sums[..bins - 1].iter().enumerate() {
        left = (left.0 + own.0, left.1 + own.1, left.2 + own.2);
        let right = (all.0 - left.0, all.1 - left.1, all.2 - left.2);
        if left.2 < how.least || right.2 < how.least {
            continue;
        }
        if left.1 < LEAST_CURVATURE || right.1 < LEAST_CURVATURE {
            continue;
        }
        let value = |(g, c, _): (f64, f64, usize)| -g / (c + how.ridge);
        let (low, high) = (value(left), value(right));
        if (direction > 0 && low > high) || (direction < 0 && low < high) {
            continue;
        }
        let gain = worth(left.0, left.1) + worth(right.0, right.1) - whole;
        if gain > 0.0 && best.as_ref().is_none_or(|best| gain > best.gain) {
            best = Some(Step {
                gain,
                feature: feature as usize,
                bin,
                left: low * how.rate,
                right: high * how.rate,
            });
        }
    }
    best
}
