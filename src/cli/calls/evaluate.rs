//! `evaluate`: a method on the question set, and why gold is missed.

use super::refusal::Refusal;
use super::runs::Asked;
use super::{Arguments, GoOn, Session, present, read};
use crate::corpus::Question;
use crate::evaluate::compare::intervals;
use crate::evaluate::{MEASURES, Resampling, Survival, by_type, losses};
use crate::parameters::RESULT_K;
use serde::Deserialize;
use serde_json::{Map, Value, json};

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
    let measures = MEASURES.iter().enumerate().filter_map(|(at, name)| {
        let ends = ends.as_ref().and_then(|ends| ends.get(at));
        let row = json!({"mean": made.measures.get(name)?, "interval": ends});
        Some(((*name).to_owned(), row))
    });
    let measures: Map<String, Value> = measures.collect();
    let k = settings.get(RESULT_K);
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
        missed.map(|(gold, rank)| {
            json!({"question": question.id, "passage": index.id(gold.passage), "rank": rank})
        })
    });
    let by_class = lost
        .classes
        .iter()
        .map(|(class, count)| json!({"class": class, "meaning": class.about(), "lost": count}));
    let by_verdict = lost
        .codes
        .iter()
        .map(|(code, count)| json!({"code": code, "lost": count}));
    let types = by_type(questions, &made);
    let types = json!(types);
    let types = types
        .as_object()
        .into_iter()
        .flatten()
        .map(|(kind, group)| {
            let row = json!({"questions": group["questions"], "R@5": group["measures"]["R@5"]});
            (kind.clone(), row)
        });
    let rows = made.per_question.iter().map(|row| {
        let question = &questions[row.question];
        let mut shown = json!({"question": question.id, "type": question.kind, "milliseconds": row.milliseconds});
        for (name, value) in MEASURES.iter().zip(row.measures.iter().flat_map(|m| m.0)) {
            shown[*name] = json!(value);
        }
        shown
    });
    Ok(present(json!({
        "method": name,
        "questions": made.judged,
        "k": k,
        "measures": measures,
        "losses": {"gold": lost.gold, "lost": lost.lost, "causes": lost.causes,
                   "by_class": by_class.collect::<Vec<_>>(), "by_verdict": by_verdict.collect::<Vec<_>>()},
        "missed": missed.collect::<Vec<_>>(),
        "survival": json!(Survival::of(&made))["stages"],
        "by_type": types.collect::<Map<String, Value>>(),
        "milliseconds": made.latency(0.5),
        "per_question": args.per_question.then(|| rows.collect::<Vec<_>>()),
    })))
}
