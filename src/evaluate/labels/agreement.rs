//! How far two annotators agree beyond chance: Cohen's kappa (Cohen, 1960, "A coefficient of agreement for nominal
//! scales"), unweighted.

use super::{Cause, GRADES, Label};
use serde::Serialize;
use std::collections::BTreeMap;

/// Agreement over what both judged.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Kappa {
    /// What both judged.
    pub both: usize,
    /// What they judged alike.
    pub alike: usize,
    /// The share they would judge alike by chance.
    pub chance: f64,
    /// 1 is full agreement, 0 that of chance; none where chance alone gives full agreement, or nothing was judged by both.
    pub kappa: Option<f64>,
}

/// Agreement of pairs of judgements.
pub fn kappa<T: Ord + Copy>(pairs: &[(T, T)]) -> Kappa {
    let mut counts: BTreeMap<T, [usize; 2]> = BTreeMap::new();
    for (a, b) in pairs {
        counts.entry(*a).or_default()[0] += 1;
        counts.entry(*b).or_default()[1] += 1;
    }
    let both = pairs.len();
    let alike = pairs.iter().filter(|(a, b)| a == b).count();
    let all = both.max(1) as f64;
    let chance: f64 = counts.values().map(|[a, b]| (*a * *b) as f64).sum::<f64>() / (all * all);
    // Whole numbers say exactly whether only one thing was ever said.
    let sure = counts.len() <= 1;
    Kappa {
        both,
        alike,
        chance,
        kappa: (!sure).then(|| (alike as f64 / all - chance) / (1.0 - chance)),
    }
}

/// Two annotators over what both labelled.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Agreement {
    /// Passages with a label of both, and of only one of them.
    pub both: usize,
    /// Only of the first.
    pub only_a: usize,
    /// Only of the second.
    pub only_b: usize,
    /// On grades.
    pub grades: Kappa,
    /// On causes.
    pub causes: Kappa,
    /// On whether the passage is gold, where both said so by grade or mark.
    pub gold: Kappa,
    /// What is judged differently.
    pub disagreements: Vec<Disagreement>,
}

/// A passage that two annotators judge differently.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Disagreement {
    /// The question's identifier, or the text of one that was typed.
    pub question: String,
    /// The passage's identifier.
    pub passage: String,
    /// `grade`, `cause` or `gold`.
    pub on: &'static str,
    /// What the first says.
    pub a: String,
    /// What the second says.
    pub b: String,
}

/// Holds the labels of one annotator against those of another, question by question and passage by passage.
pub fn agreement(a: &[&Label], b: &[&Label]) -> Agreement {
    let by = |labels: &[&Label]| -> BTreeMap<(String, String), Label> {
        let keyed = |label: &&Label| {
            let key = (label.asked().to_owned(), label.passage.clone());
            (key, (*label).clone())
        };
        labels.iter().map(keyed).collect()
    };
    let (a, b) = (by(a), by(b));
    let (mut grades, mut causes, mut gold) = (Vec::new(), Vec::new(), Vec::new());
    let mut disagreements = Vec::new();
    for ((question, passage), a) in &a {
        let Some(b) = b.get(&(question.clone(), passage.clone())) else {
            continue;
        };
        let mut differ = |on: &'static str, a: String, b: String| {
            if a != b {
                disagreements.push(Disagreement {
                    question: question.clone(),
                    passage: passage.clone(),
                    on,
                    a,
                    b,
                });
            }
        };
        if let Some(pair) = a.grade.zip(b.grade) {
            let told = |grade: u8| format!("{grade} {}", GRADES[usize::from(grade)]);
            differ("grade", told(pair.0), told(pair.1));
            grades.push(pair);
        }
        if let Some(pair) = a.cause.zip(b.cause) {
            let told = |cause: Cause| cause.name().to_owned();
            differ("cause", told(pair.0), told(pair.1));
            causes.push(pair);
        }
        if let Some((a, b)) = a.judgement().zip(b.judgement()) {
            let told = |grade: u8| ["no gold", "gold"][usize::from(grade > 0)].to_owned();
            differ("gold", told(a), told(b));
            gold.push((a > 0, b > 0));
        }
    }
    let only = |one: &BTreeMap<_, Label>, other: &BTreeMap<_, Label>| {
        one.keys().filter(|key| !other.contains_key(*key)).count()
    };
    Agreement {
        both: a.keys().filter(|key| b.contains_key(*key)).count(),
        only_a: only(&a, &b),
        only_b: only(&b, &a),
        grades: kappa(&grades),
        causes: kappa(&causes),
        gold: kappa(&gold),
        disagreements,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::label;
    use super::*;

    #[test]
    fn kappa_of_a_table_worked_by_hand() {
        // Yes and yes 20, yes and no 5, no and yes 10, no and no 15: observed 35/50, by chance .5*.6 + .5*.4 = .5.
        let mut pairs = Vec::new();
        for (pair, times) in [((1, 1), 20), ((1, 0), 5), ((0, 1), 10), ((0, 0), 15)] {
            pairs.extend(std::iter::repeat_n(pair, times));
        }
        let told = kappa(&pairs);
        assert_eq!((told.both, told.alike), (50, 35));
        assert!((told.chance - 0.5).abs() < 1e-12);
        assert!((told.kappa.unwrap() - 0.4).abs() < 1e-12);
        // Three grades: rows 4/1/0, 1/2/1, 0/0/1: observed 7/10, by chance (5*5 + 4*3 + 1*2)/100 = .39.
        let mut pairs = Vec::new();
        for (pair, times) in [
            ((0, 0), 4),
            ((0, 1), 1),
            ((1, 0), 1),
            ((1, 1), 2),
            ((1, 2), 1),
            ((2, 2), 1),
        ] {
            pairs.extend(std::iter::repeat_n(pair, times));
        }
        let told = kappa(&pairs);
        assert!((told.kappa.unwrap() - (0.7 - 0.39) / 0.61).abs() < 1e-12);
    }

    #[test]
    fn kappa_at_its_ends() {
        assert_eq!(kappa(&[(0, 0), (1, 1)]).kappa, Some(1.0));
        assert_eq!(kappa(&[(0, 1), (1, 0)]).kappa, Some(-1.0));
        // Where both only ever say one thing, or nothing, chance explains all.
        assert_eq!(kappa(&[(1, 1), (1, 1)]).kappa, None);
        assert_eq!(kappa::<u8>(&[]).kappa, None);
    }

    #[test]
    fn two_annotators_are_held_against_each_other_by_passage() {
        let said = |passage: &str, annotator: &str, grade: u8, cause| Label {
            grade: Some(grade),
            cause: Some(cause),
            ..label("q", passage, annotator)
        };
        let a = [
            said("p1", "em", 2, Cause::Graph),
            said("p2", "em", 0, Cause::Data),
            said("p3", "em", 1, Cause::Data),
        ];
        let b = [
            said("p1", "jo", 1, Cause::Graph),
            said("p2", "jo", 0, Cause::Linking),
            said("p4", "jo", 1, Cause::Data),
        ];
        let told = agreement(&a.each_ref(), &b.each_ref());
        assert_eq!((told.both, told.only_a, told.only_b), (2, 1, 1));
        assert_eq!((told.grades.both, told.grades.alike), (2, 1));
        assert_eq!((told.causes.both, told.causes.alike), (2, 1));
        assert_eq!((told.gold.both, told.gold.alike), (2, 2));
        // Partly is gold too, whoever says it.
        let turned = agreement(&b.each_ref(), &a.each_ref());
        assert_eq!(turned.gold, told.gold);
        let on: Vec<_> = told
            .disagreements
            .iter()
            .map(|d| (&*d.passage, d.on, &*d.a, &*d.b))
            .collect();
        assert_eq!(
            on,
            [
                ("p1", "grade", "2 full", "1 partly"),
                ("p2", "cause", "data", "linking")
            ]
        );
    }
}
