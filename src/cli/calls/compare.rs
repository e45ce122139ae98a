//! `compare`: two runs on a question or on the set, and what made the difference.

use super::evaluate::judged;
use super::refusal::Refusal;
use super::runs;
use super::{Arguments, GoOn, Session, read};
use crate::cli::compare::{Compared, Effect, Run, effects_of};
use crate::cli::named::Named;
use crate::evaluate::sweep::{between, differences, over_set, subsets};
use crate::evaluate::{Comparison, Evaluation, MEASURES, Resampling, evaluate};
use crate::retrieve::compose::{Slot, own};
use crate::retrieve::{Method, Retriever, Settings};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
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
    let (names, both) = ([first, second], [before, after]);
    let said = args.question.as_deref().filter(|said| !said.is_empty());
    match said {
        Some(said) => on_question(session, said, names, &both, go_on),
        None => on_set(session, names, &both, go_on),
    }
}

/// Two runs.
#[derive(Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Answer<'a> {
    /// The two RUNs.
    runs: [String; 2],
    /// The question, where it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    question: Option<&'a str>,
    /// Number of questions with gold, where it is about the set.
    #[serde(skip_serializing_if = "Option::is_none")]
    questions: Option<usize>,
    /// Settings that differ, as 'first > second'.
    differs: Vec<String>,
    /// By name of the measure.
    #[serde(skip_serializing_if = "Option::is_none")]
    measures: Option<Named<Row>>,
    /// Which change did it, for two runs of one method.
    #[serde(skip_serializing_if = "Option::is_none")]
    effects: Option<Effects>,
    /// Gold passages of the question.
    #[serde(skip_serializing_if = "Option::is_none")]
    gold: Option<Vec<Gold<'a>>>,
    /// Passages that only the second returns.
    #[serde(skip_serializing_if = "Option::is_none")]
    entered: Option<Vec<Moved<'a>>>,
    /// Passages that only the first returns.
    #[serde(skip_serializing_if = "Option::is_none")]
    left: Option<Vec<Moved<'a>>>,
    /// Parts of the sentence that differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    parts: Option<Vec<Part>>,
    /// Operators that only one of the two runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    operators: Option<Operators>,
    /// Questions with a higher R@5 in the second run.
    #[serde(skip_serializing_if = "Option::is_none")]
    won: Option<Vec<Asked<'a>>>,
    /// Questions with a lower one.
    #[serde(skip_serializing_if = "Option::is_none")]
    lost: Option<Vec<Asked<'a>>>,
}

/// A measure of both runs; on the set with its test.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Row {
    /// Of the first run, 0 to 1; on the set the mean.
    first: f64,
    /// Of the second run.
    second: f64,
    /// second - first.
    difference: f64,
    #[serde(flatten)]
    tested: Option<Tested>,
}

/// How sure a difference over the set is.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Tested {
    /// 95 % interval of the difference; absent for too few questions.
    #[serde(skip_serializing_if = "Option::is_none")]
    interval: Option<[f64; 2]>,
    /// Corrected over all measures; absent where nothing differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    p: Option<f64>,
    /// Questions on which the second is better.
    wins: usize,
    /// Questions on which it is worse.
    losses: usize,
    /// Verdict of interval and p together.
    judgement: String,
}

/// Which change did it.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Effects {
    /// Quantity that the effects are of: a measure, or the share of passages that stays.
    of: &'static str,
    /// Each change with its average effect over all subsets of the others.
    changes: Vec<Effect>,
}

/// A gold passage.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Gold<'a> {
    /// Its id.
    id: &'a str,
    /// In the first run and in the second, from 1; null where it has none.
    ranks: [Option<usize>; 2],
}

/// A passage that only one of the two returns.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Moved<'a> {
    /// Its id.
    id: &'a str,
    /// Its title; empty where the corpus has none.
    title: &'a str,
    /// From 1, in the run that returns it.
    rank: usize,
    /// Whether it is gold.
    gold: bool,
}

/// A part of the sentence that differs.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Part {
    /// seeds, graph, spread or select.
    part: &'static str,
    /// Of the first run.
    first: String,
    /// Of the second run.
    second: String,
}

/// Operators that only one of the two has.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Operators {
    /// Only the first.
    first: Vec<&'static str>,
    /// Only the second.
    second: Vec<&'static str>,
}

/// A question of the set.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Asked<'a> {
    /// Its identifier.
    id: &'a str,
    /// Its text.
    question: &'a str,
}

fn on_question(
    session: &Session,
    said: &str,
    names: [String; 2],
    both: &[Settings; 2],
    go_on: GoOn,
) -> Result<Value, Refusal> {
    let asked = runs::question(session, said)?;
    let compared = |own: &mut Retriever| {
        let compared = Compared::of(own, asked, names.to_vec(), both, |_| go_on())?;
        answer(&compared, asked.0, names.clone(), both)
    };
    session.retrieving(|own| own.rounds(compared))
}

/// The answer on two runs of a question.
fn answer(
    compared: &Compared<'_>,
    text: &str,
    names: [String; 2],
    both: &[Settings; 2],
) -> Result<Value, Refusal> {
    let whole = compared.whole();
    let [first, second] = &whole.runs[..] else {
        return Err(Refusal::cancelled());
    };
    let measures = first.measures.zip(second.measures).map(|(a, b)| {
        let rows = MEASURES.into_iter().zip(a.0.into_iter().zip(b.0));
        let rows = rows.map(|(name, (first, second))| {
            let difference = second - first;
            let row = Row {
                first,
                second,
                difference,
                tested: None,
            };
            (name, row)
        });
        rows.collect()
    });
    let gold = first.gold.iter().zip(&second.gold).map(|(a, b)| Gold {
        id: a.id,
        ranks: [a.rank, b.rank],
    });
    Ok(json!(Answer {
        question: Some(text),
        measures,
        effects: whole.subsets.as_ref().map(|subsets| Effects {
            of: subsets.of,
            changes: subsets.effects.clone(),
        }),
        gold: Some(gold.collect()),
        entered: Some(moved(second, first)),
        left: Some(moved(first, second)),
        ..Answer::of(names, both)
    }))
}

/// Passages that one run returns and the other does not.
fn moved<'a>(one: &Run<'a>, other: &Run<'_>) -> Vec<Moved<'a>> {
    let has = |id: &str| other.passages.iter().any(|p| p.id == id);
    let own = one.passages.iter().filter(|passage| !has(passage.id));
    let own = own.map(|p| Moved {
        id: p.id,
        title: p.title,
        rank: p.rank,
        gold: p.gold,
    });
    own.collect()
}

fn on_set(
    session: &Session,
    names: [String; 2],
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
    let measures = MEASURES.into_iter().filter_map(|name| {
        let d = comparison[0].get(name)?;
        let tested = Tested {
            interval: d.interval,
            p: d.p_holm,
            wins: d.wins,
            losses: d.losses,
            judgement: d.judgement(),
        };
        let row = Row {
            first: d.mean_a,
            second: d.mean_b,
            difference: d.difference,
            tested: Some(tested),
        };
        Some((name, row))
    });
    let changes = between(&both[0], &both[1], CHANGES);
    let effects = match changes.is_empty() {
        true => None,
        false => {
            let points = subsets(&changes);
            let how = (&points[..], MEASURE);
            let resampling = Resampling::default();
            let go_on = |_, _| go_on();
            let means = over_set(index, questions, &both[0], how, resampling, go_on)?;
            if means.len() < points.len() {
                return Err(Refusal::cancelled());
            }
            let worth = means.iter();
            let worth: Vec<f64> = worth
                .map(|mean| mean.measures.get(MEASURE).unwrap_or(0.0))
                .collect();
            Some(Effects {
                of: MEASURE,
                changes: effects_of(&changes, &worth),
            })
        }
    };
    let moved = |won: bool| {
        let value = |e: &Evaluation, at: usize| {
            let measures = e.per_question.get(at).and_then(|row| row.measures);
            measures.and_then(|m| m.get(MEASURE))
        };
        let all = questions.iter().enumerate();
        let all = all.filter(|(at, _)| match (value(&first, *at), value(&second, *at)) {
            (Some(a), Some(b)) if won => b > a,
            (Some(a), Some(b)) => b < a,
            _ => false,
        });
        let all = all.map(|(_, question)| Asked {
            id: &question.id,
            question: &question.text,
        });
        all.collect()
    };
    Ok(json!(Answer {
        questions: Some(comparison[0].questions),
        measures: Some(measures.collect()),
        effects,
        won: Some(moved(true)),
        lost: Some(moved(false)),
        ..Answer::of(names, both)
    }))
}

impl Answer<'_> {
    /// Settings, parts and operators that differ between two runs.
    fn of(runs: [String; 2], both: &[Settings; 2]) -> Answer<'static> {
        let [a, b] = [&both[0], &both[1]].map(|settings| settings.method());
        let parts = Slot::ALL.into_iter().zip(own(a).into_iter().zip(own(b)));
        let parts = parts.filter(|(_, (a, b))| a != b);
        let parts = parts.map(|(slot, (a, b))| Part {
            part: slot.name(),
            first: a.to_string(),
            second: b.to_string(),
        });
        let other = a != b;
        Answer {
            runs,
            differs: differences(&both[0], &both[1]),
            parts: other.then(|| parts.collect()),
            operators: other.then(|| Operators {
                first: only(a, b),
                second: only(b, a),
            }),
            ..Answer::default()
        }
    }
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
