//! Measures by kind of question: the data set's own type, and how many gold links there are to find.

use super::measures::Measures;
use super::run::Evaluation;
use crate::corpus::Question;
use serde::Serialize;
use std::collections::BTreeMap;

/// Questions with gold of one kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Group {
    /// Number of questions with gold.
    pub questions: usize,
    /// Means over them.
    pub measures: Measures,
}

/// What a question without a type is called where others have one.
pub const UNTYPED: &str = "untyped";

/// By the data set's type (`bridge`, `comparison`, `2hop`, ...), by name. Empty where no question has one.
pub fn by_type(questions: &[Question], evaluation: &Evaluation) -> BTreeMap<String, Group> {
    if questions.iter().all(|q| q.kind.is_empty()) {
        return BTreeMap::new();
    }
    grouped(questions, evaluation, |question| {
        if question.kind.is_empty() {
            UNTYPED.to_owned()
        } else {
            question.kind.clone()
        }
    })
}

/// By the number of gold links, those outside the corpus included.
pub fn by_gold(questions: &[Question], evaluation: &Evaluation) -> BTreeMap<usize, Group> {
    grouped(questions, evaluation, |question| question.wanted())
}

fn grouped<K: Ord>(
    questions: &[Question],
    evaluation: &Evaluation,
    key: impl Fn(&Question) -> K,
) -> BTreeMap<K, Group> {
    let mut members: BTreeMap<K, Vec<Measures>> = BTreeMap::new();
    for row in &evaluation.per_question {
        if let (Some(question), Some(measures)) = (questions.get(row.question), row.measures) {
            members.entry(key(question)).or_default().push(measures);
        }
    }
    let group = |measures: Vec<Measures>| Group {
        questions: measures.len(),
        measures: Measures::mean(&measures),
    };
    members
        .into_iter()
        .map(|(key, measures)| (key, group(measures)))
        .collect()
}
