//! Measures of one ranking against gold.

use crate::corpus::Question;
use crate::retrieve::Retrieval;
use serde::{Serialize, Serializer};

/// The names of all measures, in print order.
pub const MEASURES: [&str; COUNT] = [
    "R@2",
    "R@5",
    "R@10",
    "R@20",
    "Success@10",
    "RR",
    "nDCG@10",
    "MAP",
    "All@5",
];
/// How many measures there are.
const COUNT: usize = 9;

/// The place in [`MEASURES`] of one as a person writes it, in any case.
///
/// # Errors
/// The names there are.
pub fn place(name: &str) -> Result<usize, String> {
    let same = |measure: &&str| measure.eq_ignore_ascii_case(name.trim());
    let found = MEASURES.iter().position(same);
    found.ok_or_else(|| format!("no measure '{name}'; there are {}", MEASURES.join(", ")))
}

/// The recall that fits a list of `k` passages: the deepest one that is no deeper.
pub fn recall_at(k: usize) -> &'static str {
    match k {
        ..5 => "R@2",
        5..10 => "R@5",
        10..20 => "R@10",
        _ => "R@20",
    }
}

/// One value for each of [`MEASURES`], each from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(from = "ByMeasure", into = "ByMeasure")
)]
pub struct Measures(pub [f64; COUNT]);

impl Measures {
    /// The value of a measure by name.
    pub fn get(&self, name: &str) -> Option<f64> {
        MEASURES
            .iter()
            .position(|m| *m == name)
            .map(|at| self.0[at])
    }

    /// The mean of many, 0 of none.
    pub fn mean<'m>(all: impl IntoIterator<Item = &'m Measures>) -> Measures {
        Measures(mean(all.into_iter().map(|one| &one.0)))
    }
}

/// The mean of many rows, value by value; 0 of none.
pub fn mean<'r, const N: usize>(rows: impl Iterator<Item = &'r [f64; N]>) -> [f64; N] {
    let mut sum = [0.0; N];
    let mut count = 0;
    for row in rows {
        count += 1;
        for (total, value) in sum.iter_mut().zip(row) {
            *total += value;
        }
    }
    sum.map(|total| total / f64::from(count.max(1)))
}

/// How [`Measures`] are written.
#[cfg(feature = "schema")]
#[derive(schemars::JsonSchema)]
#[schemars(rename = "Measures")]
#[allow(dead_code, reason = "a schema alone")]
struct ByMeasure {
    #[schemars(rename = "R@2")]
    recall_2: f64,
    #[schemars(rename = "R@5")]
    recall_5: f64,
    #[schemars(rename = "R@10")]
    recall_10: f64,
    #[schemars(rename = "R@20")]
    recall_20: f64,
    #[schemars(rename = "Success@10")]
    success_10: f64,
    #[schemars(rename = "RR")]
    reciprocal_rank: f64,
    #[schemars(rename = "nDCG@10")]
    ndcg_10: f64,
    #[schemars(rename = "MAP")]
    average_precision: f64,
    #[schemars(rename = "All@5")]
    all_5: f64,
}

impl Serialize for Measures {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(MEASURES.iter().zip(self.0))
    }
}

/// Measures what a run ranked. `None` without any gold.
pub fn measured(run: &Retrieval, question: &Question) -> Option<Measures> {
    let ranking: Vec<u32> = run.passages.iter().map(|hit| hit.passage).collect();
    measures(&ranking, question)
}

/// Measures a ranking (passage numbers, best first) against a question's gold. Gold that is not in the corpus counts
/// among what was to be found, with grade 1. `None` without any gold.
pub fn measures(ranking: &[u32], question: &Question) -> Option<Measures> {
    let total = question.wanted();
    if total == 0 {
        return None;
    }
    let grade = |passage: &u32| {
        question
            .gold
            .iter()
            .find(|g| g.passage == *passage)
            .map_or(0.0, |g| f64::from(g.grade))
    };
    let grades: Vec<f64> = ranking.iter().map(grade).collect();
    let places = grades.iter().zip(1..).filter(|(grade, _)| **grade > 0.0);
    let ranks = Ranks {
        ranks: places.map(|(_, rank)| rank).collect(),
        wanted: total,
    };
    let mut ideal: Vec<f64> = question.gold.iter().map(|g| f64::from(g.grade)).collect();
    ideal.resize(total, 1.0);
    ideal.sort_by(|a, b| b.total_cmp(a));
    let gain = |grades: &[f64]| -> f64 {
        grades
            .iter()
            .take(10)
            .enumerate()
            .map(|(at, g)| g / (at as f64 + 2.0).log2())
            .fold(0.0, |sum, g| sum + g)
    };
    let ndcg = gain(&grades) / gain(&ideal);
    // At every gold passage, the share of gold down to it; gold that is not ranked adds nothing.
    let precision = ranks.ranks.iter().zip(1..);
    let precision = precision.map(|(&rank, found)| f64::from(found) / rank as f64);
    // A sum of nothing is -0, which a person would read as a loss.
    let average = precision.fold(0.0, |sum, p| sum + p) / total as f64;
    Some(Measures([
        ranks.recall(2),
        ranks.recall(5),
        ranks.recall(10),
        ranks.recall(20),
        ranks.success(10),
        ranks.reciprocal(),
        ndcg,
        average,
        ranks.all(5),
    ]))
}

/// Where a question's gold stands, and what needs no more than that.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranks {
    /// Of the gold passages that are ranked, from 1, in any order.
    pub ranks: Vec<usize>,
    /// How many are to be found.
    pub wanted: usize,
}

impl Ranks {
    fn found(&self, k: usize) -> usize {
        self.ranks.iter().filter(|rank| **rank <= k).count()
    }

    fn recall(&self, k: usize) -> f64 {
        self.found(k) as f64 / self.wanted as f64
    }

    fn success(&self, k: usize) -> f64 {
        f64::from(u8::from(self.found(k) > 0))
    }

    fn reciprocal(&self) -> f64 {
        let best = self.ranks.iter().min();
        best.map_or(0.0, |rank| 1.0 / *rank as f64)
    }

    /// Whether all of it is there: what a question over several passages needs.
    fn all(&self, k: usize) -> f64 {
        f64::from(u8::from(self.found(k) >= self.wanted))
    }

    /// The measure of this name, one of [`MEASURES`]; none of those that need the grades or an order without ties.
    pub fn measure(&self, name: &str) -> Option<f64> {
        match name {
            "R@2" => Some(self.recall(2)),
            "R@5" => Some(self.recall(5)),
            "R@10" => Some(self.recall(10)),
            "R@20" => Some(self.recall(20)),
            "Success@10" => Some(self.success(10)),
            "RR" => Some(self.reciprocal()),
            "All@5" => Some(self.all(5)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Gold;

    fn question(gold: &[(u32, f32)], missing: usize) -> Question {
        Question {
            gold: gold
                .iter()
                .map(|&(passage, grade)| Gold { passage, grade })
                .collect(),
            missing: vec!["gone".into(); missing],
            ..Question::default()
        }
    }

    #[test]
    fn values_worked_by_hand() {
        let m = measures(&[7, 3, 9, 4], &question(&[(3, 1.0), (4, 1.0)], 0)).unwrap();
        assert_eq!(
            (m.get("R@2"), m.get("R@5"), m.get("RR"), m.get("All@5")),
            (Some(0.5), Some(1.0), Some(0.5), Some(1.0))
        );
        let dcg = 1.0 / 3f64.log2() + 1.0 / 5f64.log2();
        let ideal = 1.0 + 1.0 / 3f64.log2();
        assert!((m.get("nDCG@10").unwrap() - dcg / ideal).abs() < 1e-12);
    }

    #[test]
    fn average_precision_worked_by_hand() {
        let average = |ranking: &[u32], gold: &[(u32, f32)], missing| {
            let measures = measures(ranking, &question(gold, missing)).unwrap();
            measures.get("MAP").unwrap()
        };
        let close = |a: f64, b: f64| (a - b).abs() < 1e-12;
        // Ranks 2 and 4: (1/2 + 2/4) / 2.
        let two = [(3, 1.0), (4, 1.0)];
        assert!(close(average(&[7, 3, 9, 4], &two, 0), 0.5));
        // Ranks 1, 3 and 30 of the whole list: (1/1 + 2/3 + 3/30) / 3. Grades do not count.
        let ranking: Vec<u32> = (1..=30).collect();
        let three = [(1, 1.0), (3, 2.0), (30, 1.0)];
        assert!(close(
            average(&ranking, &three, 0),
            (1.0 + 2.0 / 3.0 + 0.1) / 3.0
        ));
        // Gold that is not ranked, or not in the corpus, is among what was to be found.
        assert!(close(average(&[3], &two, 0), 0.5) && close(average(&[3], &two, 2), 0.25));
        assert!(close(average(&[9], &two, 0), 0.0));
        let none = measures(&[], &question(&two, 0)).unwrap();
        assert!(
            none.0.iter().all(|value| value.is_sign_positive()),
            "{none:?}"
        );
    }

    #[test]
    fn every_measure_looks_as_deep_as_its_name_says() {
        let ranking: Vec<u32> = (1..=30).collect();
        let at = |rank: u32| measures(&ranking, &question(&[(rank, 1.0)], 0)).unwrap();
        for (name, depth) in [
            ("R@2", 2),
            ("R@5", 5),
            ("R@10", 10),
            ("R@20", 20),
            ("Success@10", 10),
            ("nDCG@10", 10),
        ] {
            assert!(at(depth).get(name).unwrap() > 0.0, "{name}");
            assert_eq!(at(depth + 1).get(name), Some(0.0), "{name}");
        }
    }

    #[test]
    fn gold_outside_the_corpus_cannot_be_found() {
        let m = measures(&[3], &question(&[(3, 1.0)], 1)).unwrap();
        assert_eq!(m.get("R@10"), Some(0.5));
        // At best it would have stood second.
        let ideal = 1.0 + 1.0 / 3f64.log2();
        assert!((m.get("nDCG@10").unwrap() - 1.0 / ideal).abs() < 1e-12);
        assert_eq!(measures(&[3], &question(&[], 0)), None);
    }
}
