//! What an evaluation came to, kept in a file, and a later evaluation held against it.
//!
//! The file is JSON lines, so that it can lie in a repository and its changes can be read: a head with the version of the
//! program and the index, then a line for every run and question. A question is compared only where its text and its gold
//! are still the same.

#![warn(missing_docs)]

use super::compare::{Comparison, Resampling};
use super::measures::{MEASURES, Measures};
use super::run::Evaluation;
use crate::corpus::Question;
use crate::index::Index;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use xxhash_rust::xxh3::xxh3_64;

/// What the first line says it is.
const KIND: &str = "hopscope eval";

/// The first line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    baseline: String,
    /// Version of the program that wrote it.
    pub version: String,
    /// Name of the corpus.
    pub index: String,
    /// Of the index, see [`Index::fingerprint`].
    pub fingerprint: String,
    measures: Vec<String>,
}

/// A later line: what a question came to in a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Row {
    run: String,
    question: String,
    /// Of the question's text and its gold.
    key: String,
    /// In the order of [`MEASURES`].
    values: Vec<f64>,
}

/// Evaluations as they were.
#[derive(Clone, Debug, PartialEq)]
pub struct Baseline {
    /// What made it.
    pub head: Head,
    rows: Vec<Row>,
}

/// A run held against the baseline.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Held {
    /// The run now (b) against the run then (a), on the questions that are the same.
    pub comparison: Comparison,
    /// Measures that fell beyond their interval.
    pub fell: Vec<Fall>,
    /// Questions whose text or gold is another now.
    pub changed: usize,
    /// Questions that the baseline does not have.
    pub added: usize,
    /// Questions of the baseline that the set no longer has.
    pub gone: usize,
}

/// A measure that fell.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Fall {
    /// Its name.
    pub measure: &'static str,
    /// Questions with a lower value now, by how much they lost, most first: identifier, value then, value now.
    pub questions: Vec<(String, f64, f64)>,
}

/// What a question's measures depend on besides the ranking.
fn key(index: &Index, question: &Question) -> String {
    let mut text = question.text.clone();
    let mut gold: Vec<String> = question
        .gold
        .iter()
        .map(|gold| format!("{}\t{}", index.id(gold.passage), gold.grade))
        .chain(question.missing.iter().map(|id| format!("{id}\t-")))
        .collect();
    gold.sort_unstable();
    for gold in gold {
        text.push('\n');
        text.push_str(&gold);
    }
    format!("{:016x}", xxh3_64(text.as_bytes()))
}

/// With as many digits as are read back to the bit.
fn short(value: f64) -> f64 {
    (value * 1e12).round() / 1e12
}

/// Values as they were; where only the digits that were left out differ, those of now.
fn whole(kept: &[f64], now: Measures) -> Measures {
    let mut then = now;
    for (then, kept) in then.0.iter_mut().zip(kept) {
        if short(*then) != *kept {
            *then = *kept;
        }
    }
    then
}

impl Baseline {
    /// Keeps evaluations; only questions with gold are.
    pub fn of(index: &Index, questions: &[Question], evaluations: &[Evaluation]) -> Baseline {
        let head = Head {
            baseline: KIND.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            index: index.name().to_owned(),
            fingerprint: index.fingerprint().to_owned(),
            measures: MEASURES.map(str::to_owned).to_vec(),
        };
        let rows = evaluations.iter().flat_map(|evaluation| {
            evaluation.per_question.iter().filter_map(|row| {
                let question = &questions[row.question];
                Some(Row {
                    run: evaluation.name.clone(),
                    question: question.id.clone(),
                    key: key(index, question),
                    values: row.measures?.0.map(short).to_vec(),
                })
            })
        });
        Baseline {
            head,
            rows: rows.collect(),
        }
    }

    /// As lines.
    pub fn lines(&self) -> String {
        let mut lines = String::new();
        let head = serde_json::json!(self.head);
        // Writing to a string does not fail.
        let _ = writeln!(lines, "{head}");
        for row in &self.rows {
            let _ = writeln!(lines, "{}", serde_json::json!(row));
        }
        lines
    }

    /// Reads lines.
    ///
    /// # Errors
    /// The number of the line, from 1, and what is wrong with it.
    pub fn read(text: &str) -> Result<Baseline, (usize, String)> {
        let mut lines = text.lines().enumerate();
        let (_, first) = lines.next().unwrap_or_default();
        let head: Head = serde_json::from_str(first)
            .ok()
            .filter(|head: &Head| head.baseline == KIND)
            .ok_or_else(|| (1, "not a baseline of hopscope eval".to_owned()))?;
        if head.measures != MEASURES {
            let measures = head.measures.join(", ");
            return Err((1, format!("it has other measures: {measures}")));
        }
        let mut rows = Vec::new();
        for (at, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
            let row: Row =
                serde_json::from_str(line).map_err(|error| (at + 1, error.to_string()))?;
            let valid = row.values.len() == MEASURES.len()
                && row.values.iter().all(|value| (0.0..=1.0).contains(value));
            if !valid {
                let needed = MEASURES.len();
                return Err((
                    at + 1,
                    format!("`values` must be {needed} numbers from 0 to 1"),
                ));
            }
            rows.push(row);
        }
        Ok(Baseline { head, rows })
    }

    /// The runs that it has, in its order.
    pub fn runs(&self) -> Vec<&str> {
        let mut runs: Vec<&str> = Vec::new();
        for row in &self.rows {
            if !runs.contains(&&*row.run) {
                runs.push(&row.run);
            }
        }
        runs
    }

    /// Holds each evaluation against its own run of the baseline, by name; tests are corrected over all of them.
    ///
    /// # Errors
    /// The name of a run that the baseline does not have.
    pub fn hold(
        &self,
        index: &Index,
        questions: &[Question],
        evaluations: &[Evaluation],
        resampling: Resampling,
    ) -> Result<Vec<Held>, String> {
        let runs = self.runs();
        if let Some(unknown) = evaluations.iter().find(|e| !runs.contains(&&*e.name)) {
            return Err(unknown.name.clone());
        }
        let held = evaluations.iter();
        let mut held: Vec<Held> = held
            .map(|e| self.one(index, questions, e, resampling))
            .collect();
        let mut comparisons: Vec<Comparison> =
            held.iter().map(|held| held.comparison.clone()).collect();
        Comparison::correct(&mut comparisons);
        for (held, comparison) in held.iter_mut().zip(comparisons) {
            held.comparison = comparison;
        }
        Ok(held)
    }

    fn one(
        &self,
        index: &Index,
        questions: &[Question],
        evaluation: &Evaluation,
        resampling: Resampling,
    ) -> Held {
        let then = self.rows.iter().filter(|row| row.run == evaluation.name);
        let mut then: FxHashMap<&str, &Row> = then.map(|row| (&*row.question, row)).collect();
        let (mut changed, mut added) = (0, 0);
        let mut pairs = Vec::new();
        let mut ids = Vec::new();
        for row in &evaluation.per_question {
            let question = &questions[row.question];
            let Some(now) = row.measures else {
                continue;
            };
            match then.remove(&*question.id) {
                None => added += 1,
                Some(old) if old.key != key(index, question) => changed += 1,
                Some(old) => {
                    pairs.push((whole(&old.values, now), now));
                    ids.push(&*question.id);
                }
            }
        }
        let then_name = format!("{} of the baseline", evaluation.name);
        let names = (&*then_name, &*evaluation.name);
        let comparison = Comparison::of_pairs(names, &pairs, resampling);
        let fell = MEASURES.into_iter().enumerate();
        let fell = fell.filter(|(at, _)| comparison.measures[*at].sure() < 0.0);
        let fell = fell.map(|(at, measure)| {
            let values = pairs.iter().map(|(then, now)| (then.0[at], now.0[at]));
            let lost = ids.iter().zip(values).filter(|(_, (then, now))| now < then);
            let mut lost: Vec<_> = lost
                .map(|(id, (then, now))| ((*id).to_owned(), then, now))
                .collect();
            lost.sort_by(|x, y| (y.1 - y.2).total_cmp(&(x.1 - x.2)));
            Fall {
                measure,
                questions: lost,
            }
        });
        Held {
            fell: fell.collect(),
            comparison,
            changed,
            added,
            gone: then.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::evaluate;
    use crate::index::sample;
    use crate::retrieve::Settings;
    use std::sync::Arc;

    fn of(index: &Arc<Index>, run: &str) -> Evaluation {
        let settings = Settings::of(index, crate::retrieve::Method::by_name(run).unwrap());
        evaluate(index, index.questions(), &settings, |_| true).unwrap()
    }

    fn held(baseline: &Baseline, index: &Index, questions: &[Question], now: Evaluation) -> Held {
        let resampling = Resampling::default();
        let held = baseline.hold(index, questions, &[now], resampling);
        held.unwrap().remove(0)
    }

    #[test]
    fn what_is_kept_is_read_again_and_nothing_differs() {
        let index = Arc::new(sample::index().unwrap());
        let questions = index.questions();
        let kept = Baseline::of(&index, questions, &[of(&index, "hop"), of(&index, "bm25")]);
        let again = Baseline::read(&kept.lines()).unwrap();
        assert_eq!(again, kept);
        assert_eq!(again.runs(), ["hop", "bm25"]);
        let same = held(&again, &index, questions, of(&index, "bm25"));
        assert_eq!((same.changed, same.added, same.gone), (0, 0, 0));
        assert!(same.fell.is_empty());
        let differences = &same.comparison.measures;
        assert!(differences.iter().all(|d| d.wins + d.losses == 0));
    }

    #[test]
    fn a_worse_run_falls_and_its_questions_are_named() {
        let index = Arc::new(sample::index().unwrap());
        let questions = index.questions();
        let kept = Baseline::of(&index, questions, &[of(&index, "hop")]);
        let mut worse = of(&index, "graph");
        worse.name = "hop".to_owned();
        let worse = held(&kept, &index, questions, worse);
        let fell: Vec<&str> = worse.fell.iter().map(|fall| fall.measure).collect();
        assert!(fell.contains(&"R@5"), "{fell:?}");
        let fall = worse
            .fell
            .iter()
            .find(|fall| fall.measure == "R@5")
            .unwrap();
        let at = MEASURES.iter().position(|m| *m == "R@5").unwrap();
        assert_eq!(fall.questions.len(), worse.comparison.measures[at].losses);
        assert!(fall.questions.iter().all(|(_, then, now)| now < then));
        // The other way round it is better, which is no fall.
        let kept = Baseline::of(&index, questions, &[of(&index, "graph")]);
        let mut better = of(&index, "hop");
        better.name = "graph".to_owned();
        assert!(held(&kept, &index, questions, better).fell.is_empty());
    }

    #[test]
    fn only_the_same_questions_are_compared() {
        let index = Arc::new(sample::index().unwrap());
        let kept = Baseline::of(&index, index.questions(), &[of(&index, "bm25")]);
        let mut questions = index.questions().to_vec();
        let judged: Vec<usize> = (0..questions.len())
            .filter(|at| questions[*at].wanted() > 0)
            .collect();
        questions[judged[0]].gold[0].grade += 1.0;
        questions[judged[1]].id = "new".to_owned();
        let settings = of(&index, "bm25").settings;
        let now = evaluate(&index, &questions, &settings, |_| true).unwrap();
        let held = held(&kept, &index, &questions, now);
        assert_eq!((held.changed, held.added, held.gone), (1, 1, 1));
        assert_eq!(held.comparison.questions, judged.len() - 2);
    }

    #[test]
    fn a_file_of_something_else_is_refused_with_its_line() {
        let index = Arc::new(sample::index().unwrap());
        let kept = Baseline::of(&index, index.questions(), &[of(&index, "bm25")]).lines();
        let refused = |text: &str| Baseline::read(text).unwrap_err();
        assert_eq!(refused("").0, 1);
        assert_eq!(refused("{\"log\":\"hopscope eval\"}").0, 1);
        assert_eq!(refused(&kept.replacen("R@2", "R@3", 1)).0, 1);
        let broken: Vec<&str> = kept.lines().take(2).chain(["{}"]).collect();
        assert_eq!(refused(&broken.join("\n")).0, 3);
        assert_eq!(
            refused(&kept.replacen("\"values\":[", "\"values\":[7,", 1)).0,
            2
        );
        assert_eq!(
            refused(&kept.replacen("\"values\":[", "\"values\":[-1,0,0,0,0,0,0,0,0],\"x\":[", 1)).0,
            2
        );
    }
}
