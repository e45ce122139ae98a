//! `evaluate`: a method on the question set, and why gold is missed.

use super::refusal::Refusal;
use super::runs::Asked;
use super::{Arguments, GoOn, Session, read};
use crate::cli::named::Named;
use crate::corpus::Question;
use crate::evaluate::compare::intervals;
use crate::evaluate::survival::Alive;
use crate::evaluate::{MEASURES, Measures, Resampling, Survival, by_type, losses};
use crate::index::Index;
use crate::layers::{Class, Code};
use crate::parameters::RESULT_K;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The questions of the index.
///
/// # Errors
/// There are none with gold.
pub fn judged(session: &Session) -> Result<&[Question], Refusal> {
    let questions = session.index.questions();
    match questions.iter().any(|question| question.wanted() > 0) {
        true => Ok(questions),
        false => {
            let error = "the index has no questions with gold";
            let hint = "name one question, or build the index with: hopscope index CORPUS --questions FILE --out DIR";
            Err(Refusal::new(error, hint))
        }
    }
}

#[derive(Deserialize)]
struct Evaluate {
    #[serde(flatten)]
    asked: Asked,
    #[serde(default)]
    per_question: bool,
}

/// A method on the question set.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Answer<'a> {
    /// The RUN.
    method: String,
    /// Questions with gold.
    questions: usize,
    /// Passages the run returns.
    k: usize,
    /// By name of the measure.
    measures: Named<Mean>,
    /// Why gold is missed.
    losses: Lost,
    /// Missed gold; pass it to why_not.
    missed: Vec<Missed<'a>>,
    /// Gold still in play after each stage. Without 'linked' and 'reachable' where the index lies in a database: nobody knows
    /// the whole graph there.
    survival: Vec<Alive>,
    /// By question type.
    by_type: BTreeMap<String, OfType>,
    /// Median time of a question; absent without questions.
    #[serde(skip_serializing_if = "Option::is_none")]
    milliseconds: Option<f64>,
    /// Every question, where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    per_question: Option<Vec<Row<'a>>>,
}

/// A measure over the questions with gold.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Mean {
    /// From 0 to 1.
    mean: f64,
    /// 95 % interval of the mean; null for too few questions.
    interval: Option<[f64; 2]>,
}

/// Missed gold, counted.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Lost {
    /// Gold passages of all questions.
    gold: usize,
    /// Those that are missed.
    lost: usize,
    /// Those whose verdict is a tested cause.
    causes: usize,
    /// By failure class.
    by_class: Vec<OfClass>,
    /// By verdict.
    by_verdict: Vec<OfVerdict>,
}

/// Missed gold of a failure class.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct OfClass {
    class: Class,
    /// The class in words.
    meaning: &'static str,
    /// Missed gold passages.
    lost: usize,
}

/// Missed gold with a verdict.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct OfVerdict {
    code: Code,
    /// Missed gold passages.
    lost: usize,
}

/// A gold passage that is missed.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Missed<'a> {
    /// Identifier of the question.
    question: &'a str,
    /// Id of the passage.
    passage: String,
    /// From 1; null where it has no score.
    rank: Option<usize>,
}

/// Questions of a type.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct OfType {
    /// How many have gold.
    questions: usize,
    /// Mean over them.
    #[serde(rename = "R@5")]
    recall: f64,
}

/// A question of the set.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Row<'a> {
    /// Its identifier.
    question: &'a str,
    /// The data set's question type; empty without one.
    r#type: &'a str,
    /// Time it took.
    milliseconds: f64,
    #[serde(flatten)]
    measures: Option<Measures>,
}

pub fn evaluate(session: &Session, arguments: Arguments, go_on: GoOn) -> Result<Value, Refusal> {
    let args: Evaluate = read(arguments)?;
    let (name, settings) = args.asked.settings(session)?;
    let (index, questions) = (&session.index, judged(session)?);
    let made = crate::evaluate::evaluate(index, questions, &settings, |_| go_on())?;
    let lost = losses(index, questions, &settings, None, |_| go_on())?;
    if !go_on() {
        return Err(Refusal::cancelled());
    }
    let ends = intervals(&made, Resampling::default());
    let measures = MEASURES.into_iter().zip(made.measures.0).enumerate();
    let measures = measures.map(|(at, (name, mean))| {
        let ends = ends.as_ref().and_then(|ends| ends.get(at));
        let interval = ends.copied();
        (name, Mean { mean, interval })
    });
    let k = settings.get(RESULT_K);
    let missed = |index: &Index| {
        let missed = made.per_question.iter().flat_map(|row| {
            let question = &questions[row.question];
            let rank = |passage: u32| {
                let place = row.ranking.iter().position(|hit| hit.passage == passage);
                place.map(|at| at + 1)
            };
            let gold = question
                .gold
                .iter()
                .map(move |gold| (gold, rank(gold.passage)));
            let missed = gold.filter(move |(_, rank)| rank.is_none_or(|rank| rank > k));
            missed.map(|(gold, rank)| Missed {
                question: &question.id,
                passage: index.id(gold.passage).to_owned(),
                rank,
            })
        });
        missed.collect::<Vec<_>>()
    };
    let missed = index.read_for(missed)?;
    let by_class = lost.classes.iter().map(|(&class, &lost)| OfClass {
        class,
        meaning: class.about(),
        lost,
    });
    let by_verdict = lost.codes.iter();
    let by_verdict = by_verdict.map(|(&code, &lost)| OfVerdict { code, lost });
    let of_part = index.source().is_some();
    let survival = Survival::of(&made).stages.into_iter();
    let survival = survival.filter(|alive| !(of_part && alive.stage.is_of_graph()));
    let types = by_type(questions, &made).into_iter().map(|(kind, group)| {
        let row = OfType {
            questions: group.questions,
            recall: group.measures.get("R@5").unwrap_or_default(),
        };
        (kind, row)
    });
    let rows = made.per_question.iter().map(|row| Row {
        question: &questions[row.question].id,
        r#type: &questions[row.question].kind,
        milliseconds: row.milliseconds,
        measures: row.measures,
    });
    Ok(json!(Answer {
        method: name,
        questions: made.judged,
        k,
        measures: measures.collect(),
        losses: Lost {
            gold: lost.gold,
            lost: lost.lost,
            causes: lost.causes,
            by_class: by_class.collect(),
            by_verdict: by_verdict.collect(),
        },
        missed,
        survival: survival.collect(),
        by_type: types.collect(),
        milliseconds: made.latency(0.5),
        per_question: args.per_question.then(|| rows.collect()),
    }))
}
