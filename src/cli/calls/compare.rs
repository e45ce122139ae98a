//! `compare`: two runs on a question or on the set, and what made the difference.

use super::ask::entries;
use super::evaluate::judged;
use super::refusal::Refusal;
use super::runs;
use super::{Arguments, GoOn, Session, present, read};
use crate::cli::compare::Compared;
use crate::evaluate::sweep::{between, differences, effects, over_set, subsets};
use crate::evaluate::{Comparison, Evaluation, MEASURES, Resampling, evaluate};
use crate::retrieve::compose::{Slot, own};
use crate::retrieve::{Method, Settings};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::HashSet;

/// Most changes of which every subset is evaluated on the set: two to the power of them.
const CHANGES: usize = 3;
/// The measure that effects are of on the set.
const MEASURE: &str = "R@5";

#[derive(Deserialize)]
struct Compare {
    first: String,
    second: String,
    question: Option<String>,
    k: Option<usize>,
}

pub fn compare(session: &Session, arguments: Arguments, go_on: GoOn) -> Result<Value, Refusal> {
    let args: Compare = read(arguments)?;
    let (first, before) = runs::settings(session, Some(&args.first), args.k)?;
    let (second, after) = runs::settings(session, Some(&args.second), args.k)?;
    let (names, both) = (vec![first, second], [before, after]);
    let said = args.question.as_deref().filter(|said| !said.is_empty());
    match said {
        Some(said) => on_question(session, said, names, &both, go_on),
        None => on_set(session, names, &both, go_on),
    }
}

fn on_question(
    session: &Session,
    said: &str,
    names: Vec<String>,
    both: &[Settings; 2],
    go_on: GoOn,
) -> Result<Value, Refusal> {
    let asked = runs::question(session, said)?;
    let compared = Compared::of(&session.index, asked, names, both, |_| go_on())?;
    let whole = compared.json();
    let [first, second] = [0, 1].map(|at| &whole["runs"][at]);
    let measures = MEASURES.iter().filter_map(|name| {
        let [a, b] = [first, second].map(|run| run["measures"][*name].as_f64());
        let (a, b) = (a?, b?);
        let row = json!({"first": a, "second": b, "difference": b - a});
        Some(((*name).to_owned(), row))
    });
    let measures: Map<String, Value> = measures.collect();
    let gold = entries(&first["gold"]).iter().zip(entries(&second["gold"]));
    let gold = gold.map(|(a, b)| json!({"id": a["id"], "ranks": [a["rank"], b["rank"]]}));
    let only = |one: &Value, other: &Value| {
        let has = |id: &Value| entries(&other["passages"]).iter().any(|p| p["id"] == *id);
        let own = entries(&one["passages"]).iter();
        let own = own.filter(|passage| !has(&passage["id"]));
        own.map(
            |p| json!({"id": p["id"], "title": p["title"], "rank": p["rank"], "gold": p["gold"]}),
        )
        .collect::<Vec<_>>()
    };
    let effects = match whole["subsets"].is_null() {
        true => Value::Null,
        false => json!({"of": whole["subsets"]["of"], "changes": whole["subsets"]["effects"]}),
    };
    let mut answer = head(&first["run"], &second["run"]);
    answer["question"] = json!(asked.0);
    answer["differs"] = json!(differences(&both[0], &both[1]));
    answer["measures"] = json!((!measures.is_empty()).then_some(measures));
    answer["effects"] = effects;
    answer["gold"] = gold.collect();
    answer["entered"] = json!(only(second, first));
    answer["left"] = json!(only(first, second));
    add_parts(&mut answer, both);
    Ok(present(answer))
}

fn on_set(
    session: &Session,
    names: Vec<String>,
    both: &[Settings; 2],
    go_on: GoOn,
) -> Result<Value, Refusal> {
    let (index, questions) = (&session.index, judged(session)?);
    let scored = |settings: &Settings| evaluate(index, questions, settings, |_| go_on());
    let (first, second) = (scored(&both[0])?, scored(&both[1])?);
    if !go_on() {
        return Err(Refusal::cancelled());
    }
    let mut comparison = [Comparison::new(&first, &second, Resampling::default())];
    Comparison::correct(&mut comparison);
    let measures = MEASURES.iter().filter_map(|name| {
        let d = comparison[0].get(name)?;
        let row = json!({"first": d.mean_a, "second": d.mean_b, "difference": d.difference,
            "interval": d.interval, "p": d.p_holm, "wins": d.wins, "losses": d.losses,
            "judgement": d.judgement()});
        Some(((*name).to_owned(), present(row)))
    });
    let measures: Map<String, Value> = measures.collect();
    let changes = between(&both[0], &both[1], CHANGES);
    let effects = match changes.is_empty() {
        true => Value::Null,
        false => {
            let points = subsets(&changes);
            let how = (&points[..], MEASURE);
            let go_on = |_, _| go_on();
            let means = over_set(
                index,
                questions,
                &both[0],
                how,
                Resampling::default(),
                go_on,
            )?;
            if means.len() < points.len() {
                return Err(Refusal::cancelled());
            }
            let worth: Vec<f64> = means
                .iter()
                .map(|mean| mean.measures.get(MEASURE).unwrap_or(0.0))
                .collect();
            let effects = changes.iter().zip(effects(&worth));
            let effects = effects.map(|((parameter, value), effect)| {
                json!({"change": parameter.assignment(*value), "effect": effect})
            });
            json!({"of": MEASURE, "changes": effects.collect::<Vec<_>>()})
        }
    };
    let moved = |won: bool| {
        let value = |e: &Evaluation, at: usize| {
            let measures = e.per_question.get(at).and_then(|row| row.measures);
            measures.and_then(|m| m.get(MEASURE))
        };
        let all = 0..questions.len();
        let all = all.filter(|at| match (value(&first, *at), value(&second, *at)) {
            (Some(a), Some(b)) if won => b > a,
            (Some(a), Some(b)) => b < a,
            _ => false,
        });
        all.map(|at| json!({"id": questions[at].id, "question": questions[at].text}))
            .collect::<Vec<_>>()
    };
    let mut answer = head(&json!(names[0]), &json!(names[1]));
    answer["questions"] = json!(comparison[0].questions);
    answer["differs"] = json!(differences(&both[0], &both[1]));
    answer["measures"] = json!(measures);
    answer["effects"] = effects;
    add_parts(&mut answer, both);
    answer["won"] = json!(moved(true));
    answer["lost"] = json!(moved(false));
    Ok(present(answer))
}

fn head(first: &Value, second: &Value) -> Value {
    json!({"runs": [first, second]})
}

/// Where the methods differ: the parts of the sentence, and the operators that only one of them has.
fn add_parts(answer: &mut Value, both: &[Settings; 2]) {
    let [a, b] = [&both[0], &both[1]].map(|settings| settings.method());
    if a == b {
        return;
    }
    let parts = Slot::ALL.into_iter().zip(own(a).into_iter().zip(own(b)));
    let parts = parts.filter(|(_, (a, b))| a != b);
    let parts = parts.map(|(slot, (a, b))| {
        json!({"part": slot.name(), "first": a.to_string(), "second": b.to_string()})
    });
    answer["parts"] = parts.collect();
    answer["operators"] = json!({"first": only(a, b), "second": only(b, a)});
}

/// Operators of one method that the other has not.
fn only(one: &Method, other: &Method) -> Vec<&'static str> {
    let names = |method: &Method| {
        let steps = method.plan().steps.iter();
        let names = steps.map(|step| step.operator.declaration().name);
        names.collect::<Vec<_>>()
    };
    let others = names(other);
    let mut own = names(one);
    own.retain(|name| !others.contains(name));
    // A step that is run twice is one operator.
    let mut seen = HashSet::new();
    own.retain(|name| seen.insert(*name));
    own
}
