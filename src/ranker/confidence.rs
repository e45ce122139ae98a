//! How probably the first passages hold what a question needs: a logistic rule over a handful of signs, so that a confidence
//! opens into parts as a score does.

use super::candidates::Candidates;
use super::logistic::{self, probability};
use super::model::{Ordered, four, spread};
use serde::{Deserialize, Serialize};

/// How many of the first passages a confidence is about.
pub const DEPTH: usize = 5;

/// Rows of `Variant "id" direction "label" "about"`; a direction of 1: more never lowers the confidence.
macro_rules! signs {
    ($($variant:ident $id:literal $direction:literal $label:literal $about:literal;)+) => {
        /// One number about the candidates of a question in their order.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Sign { $(#[doc = $about] $variant),+ }

        impl Sign {
            /// All of them, in the order they are shown.
            pub const ALL: [Sign; [$(Sign::$variant),+].len()] = [$(Sign::$variant),+];

            /// As files spell it.
            pub fn id(self) -> &'static str {
                match self { $(Sign::$variant => $id),+ }
            }

            /// 1 where more may only raise the confidence, -1 where it may only lower it, 0 where either.
            pub fn direction(self) -> i8 {
                match self { $(Sign::$variant => $direction),+ }
            }

            /// For the screen.
            pub fn label(self) -> &'static str {
                match self { $(Sign::$variant => $label),+ }
            }

            /// One line: what it is.
            pub fn about(self) -> &'static str {
                match self { $(Sign::$variant => $about),+ }
            }
        }
    };
}

signs! {
    Learned "learned" 1 "learned order" "what the second pass gives its best candidate";
    Sum "weighted_sum" 1 "weighted sum" "score of the first candidate of the first order";
    Cover "cover" 1 "question words" "share of the question's words that the first five have together, by rarity";
    Probable "probable" 1 "probable passages" "how many of the first five are relevant, by their probabilities";
    Lead "lead" 1 "lead" "how far the first stands above the average candidate, in deviations";
    Alone "alone" -1 "alone" "how far the first stands above the second";
}

/// The numbers of one question, in the order of [`Sign::ALL`].
pub type Signs = [f64; Sign::ALL.len()];

/// Reads the signs off the candidates of a question: what both passes say of them, their scores in the final order, and the
/// places of the first in it, best first. Of no candidates all are zero.
pub fn signs(candidates: &Candidates, passes: &Ordered, totals: &[f64], top: &[usize]) -> Signs {
    let Some(&first) = top.first() else {
        return [0.0; Sign::ALL.len()];
    };
    let (mean, deviation) = spread(totals);
    let second = top.get(1).map_or(mean, |second| totals[*second]);
    let has = top
        .iter()
        .fold(0, |all, place| all | candidates.has[*place]);
    Sign::ALL.map(|sign| match sign {
        Sign::Learned => passes.scores.iter().copied().fold(f64::MIN, f64::max),
        Sign::Sum => candidates.scores.first().copied().unwrap_or(0.0),
        Sign::Cover => candidates.share(has),
        Sign::Probable => top.iter().map(|place| passes.probable[*place]).sum(),
        Sign::Lead => (totals[first] - mean) / (deviation + 1e-9),
        Sign::Alone => totals[first] - second,
    })
}

/// A sign's weight, and its value for an average question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Weighed {
    /// The sign, as files spell it.
    pub sign: String,
    /// Mean of its values in training.
    pub mean: f64,
    /// Log odds of one more.
    pub weight: f64,
}

/// A logistic rule over signs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Assured {
    /// What it was trained on and how good it is on unseen families: a line a family, for a person.
    #[serde(default)]
    pub trained: Vec<String>,
    /// Log odds of a question with the mean of every sign.
    pub base: f64,
    /// Of the signs that count.
    pub signs: Vec<Weighed>,
}

impl Assured {
    /// Each sign that counts with its part of the log odds.
    ///
    /// ```
    /// # use hopscope::ranker::{Assured, Model, Sign};
    /// let shipped = Model::shipped().assured.as_ref().unwrap();
    /// let signs = [0.5; Sign::ALL.len()];
    /// let sum: f64 = shipped.parts(&signs).map(|(_, part)| part).sum();
    /// assert!((shipped.base + sum - shipped.odds(&signs)).abs() < 1e-9);
    /// ```
    pub fn parts<'a>(&'a self, signs: &'a Signs) -> impl Iterator<Item = (Sign, f64)> + 'a {
        let own = Sign::ALL.into_iter().zip(signs);
        own.filter_map(|(sign, value)| {
            let weighed = self.signs.iter().find(|w| w.sign == sign.id())?;
            Some((sign, weighed.weight * (value - weighed.mean)))
        })
    }

    /// The log odds that a question's first passages hold what it needs.
    pub fn odds(&self, signs: &Signs) -> f64 {
        self.base + self.parts(signs).map(|(_, part)| part).sum::<f64>()
    }

    /// The same as a probability, 0 to 1.
    pub fn probability(&self, signs: &Signs) -> f64 {
        probability(self.odds(signs))
    }

    /// Whether its signs are known, each once, and its numbers finite.
    ///
    /// # Errors
    /// What is not so.
    pub fn check(&self) -> Result<(), String> {
        for (at, Weighed { sign, mean, weight }) in self.signs.iter().enumerate() {
            if Sign::ALL.iter().all(|known| known.id() != sign) {
                return Err(format!("no sign '{sign}'"));
            }
            if self.signs[..at].iter().any(|other| other.sign == *sign) {
                return Err(format!("the sign '{sign}' stands there twice"));
            }
            if !mean.is_finite() || !weight.is_finite() {
                return Err(format!("the sign '{sign}' needs finite numbers"));
            }
        }
        match self.base.is_finite() {
            true => Ok(()),
            false => Err("the base of the confidence is not finite".into()),
        }
    }

    /// From questions whose outcome is known. A sign whose weight would contradict its direction is left out.
    pub fn fit(rows: &[(Signs, bool)]) -> Assured {
        const N: usize = Sign::ALL.len();
        let count = rows.len().max(1) as f64;
        let mean: Signs =
            std::array::from_fn(|at| rows.iter().map(|row| row.0[at]).sum::<f64>() / count);
        let square = |at: usize| {
            let apart = rows.iter().map(|row| (row.0[at] - mean[at]).powi(2));
            apart.sum::<f64>() / count
        };
        let deviation: Signs = std::array::from_fn(|at| square(at).sqrt());
        let mut kept: [bool; N] = std::array::from_fn(|at| deviation[at] > 1e-9);
        loop {
            // In deviations, so that the ridge holds all signs back alike; the last input is the base.
            let scaled = rows.iter().map(|(signs, outcome)| {
                let x = std::array::from_fn::<f64, { N + 1 }, _>(|at| match at {
                    N => 1.0,
                    at if kept[at] => (signs[at] - mean[at]) / deviation[at],
                    _ => 0.0,
                });
                (x, *outcome)
            });
            let mut ridge = [RIDGE; N + 1];
            ridge[N] = 0.0;
            let weights = logistic::fit(&scaled.collect::<Vec<_>>(), ridge);
            let against = |at: &usize| {
                kept[*at] && weights[*at] * f64::from(Sign::ALL[*at].direction()) < 0.0
            };
            let worst = (0..N).filter(against);
            let worst = worst.max_by(|a, b| weights[*a].abs().total_cmp(&weights[*b].abs()));
            if let Some(worst) = worst {
                kept[worst] = false;
                continue;
            }
            let signs = (0..N).filter(|at| kept[*at]).map(|at| Weighed {
                sign: Sign::ALL[at].id().to_owned(),
                mean: mean[at],
                weight: weights[at] / deviation[at],
            });
            return Assured {
                trained: Vec::new(),
                base: weights[N],
                signs: signs.collect(),
            };
        }
    }
}

impl Assured {
    /// For a file: to four digits.
    #[must_use]
    pub fn rounded(self) -> Assured {
        let signs = self.signs.into_iter().map(|own| Weighed {
            mean: four(own.mean),
            weight: four(own.weight),
            sign: own.sign,
        });
        Assured {
            base: four(self.base),
            signs: signs.collect(),
            trained: self.trained,
        }
    }
}

/// How much each weight is held back.
const RIDGE: f64 = 1.0;
