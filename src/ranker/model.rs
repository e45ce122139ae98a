//! An order that was learned: sums of step functions, one a feature, so that every score opens into parts.

use super::candidates::{Candidates, Table};
use super::confidence::Assured;
use super::feature::Feature;
use super::logistic::probability;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// A function of one feature that is constant between thresholds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Steps {
    /// The feature, as files spell it.
    pub feature: String,
    /// Ascending. Up to and with the first the first value holds, and so on.
    pub at: Vec<f64>,
    /// One more than thresholds.
    pub values: Vec<f64>,
}

impl Steps {
    /// The value at a place.
    pub fn of(&self, x: f64) -> f64 {
        let place = self.at.partition_point(|threshold| *threshold < x);
        self.values.get(place).copied().unwrap_or(0.0)
    }

    /// The greatest difference of its values.
    pub fn range(&self) -> f64 {
        let most = self.values.iter().copied().fold(f64::MIN, f64::max);
        let least = self.values.iter().copied().fold(f64::MAX, f64::min);
        (most - least).max(0.0)
    }
}

/// A sum of step functions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Additive {
    pub functions: Vec<Steps>,
    /// The place of each function's feature in a table.
    #[serde(skip)]
    places: Vec<usize>,
}

impl Additive {
    pub fn new(functions: Vec<Steps>) -> Result<Additive, String> {
        let mut all = Additive {
            functions,
            places: Vec::new(),
        };
        all.settle()?;
        Ok(all)
    }

    /// Looks the features up and holds each function against its form.
    fn settle(&mut self) -> Result<(), String> {
        let place = |steps: &Steps| {
            let name = &steps.feature;
            let feature = Feature::by_id(name).ok_or(format!("no feature '{name}'"))?;
            let rising = steps.at.windows(2).all(|pair| pair[0] < pair[1]);
            let finite = steps.at.iter().chain(&steps.values).all(|x| x.is_finite());
            match rising && finite && steps.values.len() == steps.at.len() + 1 {
                true => Ok(feature as usize),
                false => Err(format!(
                    "'{name}' needs rising thresholds and one value more than these"
                )),
            }
        };
        self.places = self
            .functions
            .iter()
            .map(place)
            .collect::<Result<_, String>>()?;
        Ok(())
    }

    /// Each function with its feature's value.
    pub fn parts<'a>(&'a self, row: &'a [f64]) -> impl Iterator<Item = (Feature, f64)> + 'a {
        let all = self.functions.iter().zip(&self.places);
        all.map(|(steps, place)| (Feature::ALL[*place], steps.of(row[*place])))
    }

    /// Each feature with its function.
    pub fn features(&self) -> impl Iterator<Item = (Feature, &Steps)> {
        let all = self.functions.iter().zip(&self.places);
        all.map(|(steps, place)| (Feature::ALL[*place], steps))
    }

    /// The sum for one row.
    pub fn score(&self, row: &[f64]) -> f64 {
        self.parts(row).map(|(_, value)| value).sum()
    }

    /// For all rows.
    pub fn scores(&self, table: &Table) -> Vec<f64> {
        table.rows().map(|row| self.score(row)).collect()
    }
}

/// How a score of the first pass becomes a probability, given the best and the mean of the question's candidates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// Weight of the distance to the best.
    pub best: f64,
    /// Weight of the distance to the mean.
    pub mean: f64,
    pub offset: f64,
}

impl Calibration {
    /// What the logistic rule reads of each score.
    pub fn inputs(scores: &[f64]) -> impl Iterator<Item = [f64; 2]> + '_ {
        let best = scores.iter().copied().fold(f64::MIN, f64::max);
        let mean = scores.iter().sum::<f64>() / scores.len().max(1) as f64;
        scores.iter().map(move |score| [score - best, score - mean])
    }

    /// How probably each is relevant.
    pub fn probabilities(&self, scores: &[f64]) -> Vec<f64> {
        let odds = |[best, mean]: [f64; 2]| self.best * best + self.mean * mean + self.offset;
        let all = Calibration::inputs(scores);
        all.map(|inputs| probability(odds(inputs))).collect()
    }
}

/// Mean and standard deviation of scores; zeros of none.
pub(super) fn spread(scores: &[f64]) -> (f64, f64) {
    let count = scores.len().max(1) as f64;
    let mean = scores.iter().sum::<f64>() / count;
    let squares = scores.iter().map(|s| (s - mean) * (s - mean));
    (mean, (squares.sum::<f64>() / count).sqrt())
}

/// A number of a file: to four digits.
pub(super) fn four(x: f64) -> f64 {
    format!("{x:.4e}").parse().unwrap_or(x)
}

/// The layout of the file.
pub const FORMAT: u32 = 1;
/// Candidates that are put in order.
pub const CANDIDATES: usize = 50;

/// Two passes: the first says what is probably found, the second orders given that.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Model {
    pub format: u32,
    /// What it was trained on, with which figures: for a person.
    pub about: String,
    /// One line a set.
    #[serde(default)]
    pub trained: Vec<String>,
    /// Weight of the first order's own score, in standard deviations of the candidates'.
    pub beta: f64,
    pub calibration: Calibration,
    pub first: Additive,
    pub second: Additive,
    /// How probably the first of its order hold what the question needs; none where that was not learned for it.
    #[serde(default)]
    pub assured: Option<Assured>,
}

/// Scores of both passes, and what lies between.
#[derive(Clone, Debug, Default)]
pub struct Ordered {
    /// How probably each candidate is relevant by the first pass.
    pub probable: Vec<f64>,
    /// The features, given these.
    pub table: Table,
    /// The sums of the second pass.
    pub scores: Vec<f64>,
}

impl Model {
    /// Both passes over the candidates.
    pub fn order(&self, candidates: &Candidates) -> Ordered {
        let mut table = candidates.table();
        let probable = self.calibration.probabilities(&self.first.scores(&table));
        candidates.given(&probable, &mut table);
        let scores = self.second.scores(&table);
        Ordered {
            probable,
            table,
            scores,
        }
    }

    /// From the text of a file.
    ///
    /// # Errors
    /// What is no ranker's: the line and what was expected.
    pub fn parse(text: &str) -> Result<Model, String> {
        let mut model: Model = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if model.format != FORMAT {
            return Err(format!(
                "format {} of rankers; this program reads {FORMAT}",
                model.format
            ));
        }
        model.first.settle()?;
        model.second.settle()?;
        model.assured.iter().try_for_each(Assured::check)?;
        let alone = |steps: &Steps| {
            let place = Feature::by_id(&steps.feature).map_or(0, |feature| feature as usize);
            place < Feature::OF_ONE
        };
        match model.first.functions.iter().find(|steps| !alone(steps)) {
            Some(steps) => Err(format!(
                "the first pass cannot read '{}', which depends on it",
                steps.feature
            )),
            None => Ok(model),
        }
    }

    /// The one that comes with the program, for `hop`'s weighted sum.
    pub fn shipped() -> &'static Model {
        static SHIPPED: LazyLock<Model> = LazyLock::new(|| {
            Model::of_the_program("ranker.json", include_str!("../../assets/ranker.json"))
        });
        &SHIPPED
    }

    /// The one that comes with the program, for any other first order.
    fn shipped_for_others() -> &'static Model {
        static SHIPPED: LazyLock<Model> = LazyLock::new(|| {
            let text = include_str!("../../assets/ranker-others.json");
            Model::of_the_program("ranker-others.json", text)
        });
        &SHIPPED
    }

    /// One of the two.
    pub fn shipped_for(others: bool) -> &'static Model {
        match others {
            true => Model::shipped_for_others(),
            false => Model::shipped(),
        }
    }

    /// Never panics: a test reads the files.
    fn of_the_program(name: &str, text: &str) -> Model {
        Model::parse(text).unwrap_or_else(|error| unreachable!("assets/{name}: {error}"))
    }

    /// As a file holds it: a line a function.
    pub fn text(&self) -> String {
        let functions = |all: &Additive| {
            let lines = all
                .functions
                .iter()
                .map(|steps| format!("  {}", line_of(steps)));
            lines.collect::<Vec<_>>().join(",\n")
        };
        let trained = self.trained.iter().map(|set| format!("  {}", line_of(set)));
        let assured = self.assured.as_ref().map_or(String::new(), |assured| {
            let lines = |all: Vec<String>| all.join(",\n");
            format!(
                ",\n\"assured\": {{\"trained\": [\n{}\n],\n\"base\": {},\n\"signs\": [\n{}\n]}}",
                lines(
                    assured
                        .trained
                        .iter()
                        .map(|set| format!("  {}", line_of(set)))
                        .collect()
                ),
                assured.base,
                lines(
                    assured
                        .signs
                        .iter()
                        .map(|sign| format!("  {}", line_of(sign)))
                        .collect()
                ),
            )
        });
        format!(
            "{{\n\"format\": {},\n\"about\": {},\n\"trained\": [\n{}\n],\n\"beta\": {},\n\"calibration\": {},\n\"first\": [\n{}\n],\n\"second\": [\n{}\n]{assured}\n}}\n",
            self.format,
            line_of(&self.about),
            trained.collect::<Vec<_>>().join(",\n"),
            self.beta,
            line_of(&self.calibration),
            functions(&self.first),
            functions(&self.second),
        )
    }
}

/// A ranker that a person made, and where it lies.
#[derive(Debug)]
pub struct Tuned {
    pub path: PathBuf,
    pub model: Model,
    /// Of what it says: two equal ones give the same results.
    pub fingerprint: u64,
}

impl PartialEq for Tuned {
    fn eq(&self, other: &Tuned) -> bool {
        self.fingerprint == other.fingerprint && self.path == other.path
    }
}

impl Tuned {
    pub fn new(path: PathBuf, model: Model) -> Tuned {
        Tuned {
            fingerprint: xxhash_rust::xxh3::xxh3_64(model.text().as_bytes()),
            path,
            model,
        }
    }

    /// From a file.
    ///
    /// # Errors
    /// The file, and what is wrong with it.
    pub fn open(path: &Path) -> Result<Tuned, String> {
        let named = |error: String| {
            let path = path.display();
            format!("ranker {path}: {error}; 'hopscope tune INDEX --out FILE' makes one")
        };
        let text = std::fs::read_to_string(path).map_err(|error| named(error.to_string()))?;
        let model = Model::parse(&text).map_err(named)?;
        Ok(Tuned::new(path.to_owned(), model))
    }
}

/// A value on one line.
fn line_of<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
