//! The template planner: a question's parts to a plan of the closed operators, without a model.

use super::path::{Hop, answer_by_path, located, path, said};
use super::plan::{Op, Test};
use super::run::Runner;
use crate::exchange::schema::{NAME, Schema};
use crate::layers::typed::names::Found;
use crate::layers::typed::numbers::{Bound, numeric_field};
use crate::layers::typed::question::{Anchor, Parts};
use crate::retrieve::RetrieveError;
use crate::text::span;
use serde::Serialize;
use std::ops::Range;

/// What became of a name or a number of the question.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Note {
    /// As written in the question.
    pub surface: String,
    /// The objects it names, with how each was found; none for a number.
    pub objects: Vec<(u32, Found)>,
    /// The edges it was followed along; none where there is no path to the answer type, and it was dropped.
    pub path: Option<String>,
}

/// A plan and what it was made from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Planned {
    pub ops: Vec<Op>,
    /// The type asked for.
    pub answer: Option<usize>,
    pub notes: Vec<Note>,
    /// The words that are searched for in long fields.
    pub rest: String,
    /// The set that is ranked, and by which text; none where the operators say so themselves.
    pub ranked: Option<(usize, String)>,
}

/// Operators that lead from something named to the answer type. Sets are counted from the chain's start.
struct Chain {
    ops: Vec<Op>,
    size: usize,
}

/// Conditions on a field of a type, and where they stand.
struct Condition {
    kind: usize,
    field: String,
    tests: Vec<(Test, String)>,
    words: Range<usize>,
    surface: String,
    used: bool,
}

/// Plans a question that was taken apart, with so many candidates of a text at most. Chains are run on `trial` to know
/// their sizes.
///
/// # Errors
/// What the encoder or the lexical index says.
pub fn plan(
    mut trial: Runner<'_>,
    question: &str,
    mut parts: Parts,
    candidates: usize,
) -> Result<Planned, RetrieveError> {
    let layer = trial.layer;
    let schema = layer.schema();
    if parts.answer.is_none() {
        // Without a type or a cue, what has the field that a number is of.
        let by_number = || {
            let mut bounds = parts.bounds.iter();
            bounds.find_map(|bound| numeric_field(schema, &parts, bound).map(|(at, _)| at))
        };
        parts.answer = answer_by_path(schema, &parts, |o| layer.kind(o))
            .or_else(by_number)
            .map(|at| (at, 0..0));
    }
    if let Some((place, said)) = parts.answer.clone()
        && parts
            .words
            .get(said.start)
            .is_some_and(|w| w.text == "where")
        && let Some(at) = located(schema, &parts, place, |o| layer.kind(o))
    {
        parts.answer = Some((at, said));
    }
    let mut conditions = conditions(schema, &parts, question);
    let Some((answer, _)) = parts.answer.clone() else {
        return Ok(Planned::default());
    };
    let mut planned = Planned {
        answer: Some(answer),
        rest: parts.rest(schema).join(" "),
        ..Planned::default()
    };
    let mut chains = Vec::new();
    for anchor in &parts.anchors {
        let (ops, path) = anchored(&trial, &parts, anchor, answer, &mut conditions);
        planned.notes.push(Note {
            surface: anchor.surface.clone(),
            objects: anchor.objects.clone(),
            path: ops.is_some().then_some(path),
        });
        chains.extend(ops.map(|ops| Chain { ops, size: 0 }));
    }
    for condition in conditions.iter().filter(|c| c.kind != answer) {
        let path = match condition.used {
            true => Some("on the way".to_owned()),
            false => {
                let hops = path(schema, &parts, &condition.words, condition.kind, answer);
                hops.map(|(hops, _)| {
                    let mut ops = Vec::new();
                    start(schema, &mut ops, condition);
                    follow(schema, &mut ops, &hops, &mut []);
                    chains.push(Chain { ops, size: 0 });
                    said(schema, &hops)
                })
            }
        };
        planned.notes.push(Note {
            surface: condition.surface.clone(),
            objects: Vec::new(),
            path,
        });
    }
    // The smallest set first; equal ones in the order of the question.
    for chain in &mut chains {
        let last = append(&mut trial, &chain.ops)?;
        chain.size = trial.sets[last].members.len();
    }
    chains.sort_by_key(|c| c.size);
    let mut run = Steps {
        trial,
        ops: Vec::new(),
        at: Vec::new(),
    };
    let mut ends = Vec::new();
    for chain in &chains {
        let base = run.ops.len();
        for op in &chain.ops {
            run.push(shifted(op, base))?;
        }
        ends.push(run.ops.len() - 1);
    }
    let mut result = match ends.len() {
        0 => None,
        1 => Some(ends[0]),
        _ => Some(run.push(Op::Intersect { sets: ends })?),
    };
    for condition in conditions.iter().filter(|c| c.kind == answer) {
        planned.notes.push(Note {
            surface: condition.surface.clone(),
            objects: Vec::new(),
            path: Some(String::new()),
        });
        for (test, value) in &condition.tests {
            let (field, value) = (condition.field.clone(), value.clone());
            result = Some(run.push(match result {
                Some(set) => Op::Filter {
                    set,
                    field,
                    test: *test,
                    value,
                },
                None => Op::Match {
                    kind: schema.types[answer].name.clone(),
                    field,
                    test: *test,
                    value,
                },
            })?);
        }
    }
    let mut by = question.to_owned();
    let hopeless = result.is_some_and(|set| run.size(set) == 0);
    if planned.rest.split(' ').filter(|w| !w.is_empty()).count() >= 2 && !hopeless {
        let mut near = Vec::new();
        for field in schema.types[answer].long_fields() {
            near.push(run.push(Op::Cand {
                kind: schema.types[answer].name.clone(),
                field: field.name.clone(),
                text: planned.rest.clone(),
                n: candidates,
            })?);
        }
        let near = match near.len() {
            0 => None,
            1 => Some(near[0]),
            _ => Some(run.push(Op::Union { sets: near })?),
        };
        result = match (result, near) {
            (Some(set), Some(near)) if run.meet(set, near) => Some(run.push(Op::Intersect {
                sets: vec![set, near],
            })?),
            (Some(set), Some(_)) => {
                by = planned.rest.clone();
                Some(set)
            }
            (set, near) => set.or(near),
        };
    }
    planned.ranked = result.map(|set| (set, by));
    planned.ops = run.ops;
    Ok(planned)
}

/// The plan under construction, with every operator also run on the trial.
struct Steps<'r> {
    trial: Runner<'r>,
    ops: Vec<Op>,
    /// Where each operator's set is on the trial.
    at: Vec<usize>,
}

impl Steps<'_> {
    fn push(&mut self, op: Op) -> Result<usize, RetrieveError> {
        let there = moved(&op, |set| self.at[set]);
        self.at.push(self.trial.push(there)?);
        self.ops.push(op);
        Ok(self.ops.len() - 1)
    }

    fn size(&self, set: usize) -> usize {
        self.trial.sets[self.at[set]].members.len()
    }

    fn meet(&self, a: usize, b: usize) -> bool {
        !self.trial.common(&[self.at[a], self.at[b]]).is_empty()
    }
}

fn append(trial: &mut Runner<'_>, ops: &[Op]) -> Result<usize, RetrieveError> {
    let base = trial.ops.len();
    for op in ops {
        trial.push(shifted(op, base))?;
    }
    Ok(trial.ops.len() - 1)
}

fn shifted(op: &Op, base: usize) -> Op {
    moved(op, |set| set + base)
}

/// The operator on other sets.
fn moved(op: &Op, to: impl Fn(usize) -> usize) -> Op {
    let mut op = op.clone();
    match &mut op {
        Op::Cand { .. } | Op::Match { .. } => {}
        Op::Expand { set, .. }
        | Op::Filter { set, .. }
        | Op::Rank { set, .. }
        | Op::Limit { set, .. } => {
            *set = to(*set);
        }
        Op::Intersect { sets } | Op::Union { sets } => {
            sets.iter_mut().for_each(|set| *set = to(*set))
        }
    }
    op
}

fn conditions(schema: &Schema, parts: &Parts, question: &str) -> Vec<Condition> {
    let mut all: Vec<Condition> = Vec::new();
    let surface = |place: &Range<usize>| {
        let words = &parts.words[place.clone()];
        span::of(
            question,
            words[0].span.start..words[words.len() - 1].span.end,
        )
        .to_owned()
    };
    let tests = |bound: &Bound| -> Vec<(Test, String)> {
        let tests = bound.tests.iter();
        tests
            .map(|(test, value)| (*test, value.to_string()))
            .collect()
    };
    for said in &parts.values {
        all.push(Condition {
            kind: said.kind,
            field: said.field.clone(),
            tests: vec![(Test::Equal, said.value.clone())],
            words: said.words.clone(),
            surface: surface(&said.words),
            used: false,
        });
    }
    for bound in &parts.bounds {
        let Some((kind, field)) = numeric_field(schema, parts, bound) else {
            continue;
        };
        match all.iter_mut().find(|c| c.kind == kind && c.field == field) {
            Some(known) => {
                known.tests.extend(tests(bound));
                known.surface += &format!(", {}", surface(&bound.words));
            }
            None => all.push(Condition {
                kind,
                field,
                tests: tests(bound),
                words: bound.words.clone(),
                surface: surface(&bound.words),
                used: false,
            }),
        }
    }
    all
}

/// Step 4 for one anchor: its objects by type, each with the best path; the union of what they lead to. None without a path.
fn anchored(
    trial: &Runner<'_>,
    parts: &Parts,
    anchor: &Anchor,
    answer: usize,
    conditions: &mut [Condition],
) -> (Option<Vec<Op>>, String) {
    let layer = trial.layer;
    let schema = layer.schema();
    let mut kinds: Vec<usize> = Vec::new();
    for (object, _) in &anchor.objects {
        if !kinds.contains(&layer.kind(*object)) {
            kinds.push(layer.kind(*object));
        }
    }
    let (mut ops, mut ends, mut paths) = (Vec::new(), Vec::new(), Vec::new());
    for kind in kinds {
        let found = path(schema, parts, &anchor.words, kind, answer);
        let hops = match found {
            // An object of the answer type that no words lead away from is itself what is asked for.
            Some((_, false)) | None if kind == answer => Vec::new(),
            Some((hops, _)) => hops,
            None => continue,
        };
        let mut labels: Vec<&str> = Vec::new();
        for (object, _) in anchor
            .objects
            .iter()
            .filter(|(o, _)| layer.kind(*o) == kind)
        {
            if !labels.contains(&layer.label(*object)) {
                labels.push(layer.label(*object));
            }
        }
        let mut named = Vec::new();
        for label in labels {
            named.push(ops.len());
            ops.push(Op::Match {
                kind: schema.types[kind].name.clone(),
                field: NAME.into(),
                test: Test::Equal,
                value: label.to_owned(),
            });
        }
        if named.len() > 1 {
            ops.push(Op::Union { sets: named });
        }
        if kind != answer {
            bounded(&mut ops, kind, conditions);
        }
        follow(schema, &mut ops, &hops, conditions);
        ends.push(ops.len() - 1);
        paths.push(said(schema, &hops));
    }
    if ends.len() > 1 {
        ops.push(Op::Union { sets: ends });
    }
    ((!ops.is_empty()).then_some(ops), paths.join("; "))
}

/// Starts a chain at the objects that meet a condition.
fn start(schema: &Schema, ops: &mut Vec<Op>, condition: &Condition) {
    for (test, value) in &condition.tests {
        let (field, test, value) = (condition.field.clone(), *test, value.clone());
        ops.push(match ops.len().checked_sub(1) {
            None => Op::Match {
                kind: schema.types[condition.kind].name.clone(),
                field,
                test,
                value,
            },
            Some(set) => Op::Filter {
                set,
                field,
                test,
                value,
            },
        });
    }
}

/// Filters the last set of a chain by the conditions on its type.
fn bounded(ops: &mut Vec<Op>, kind: usize, conditions: &mut [Condition]) {
    for condition in conditions.iter_mut().filter(|c| c.kind == kind) {
        condition.used = true;
        for (test, value) in &condition.tests {
            let (set, field) = (ops.len() - 1, condition.field.clone());
            ops.push(Op::Filter {
                set,
                field,
                test: *test,
                value: value.clone(),
            });
        }
    }
}

/// Follows a path from the last set; conditions on types in between are met on the way.
fn follow(schema: &Schema, ops: &mut Vec<Op>, hops: &[Hop], conditions: &mut [Condition]) {
    for (i, hop) in hops.iter().enumerate() {
        ops.push(Op::Expand {
            set: ops.len() - 1,
            edge: schema.edges[hop.edge].name.clone(),
            direction: hop.direction,
            kind: schema.types[hop.to].name.clone(),
        });
        if i + 1 < hops.len() {
            bounded(ops, hop.to, conditions);
        }
    }
}
