//! Runs a plan, operator by operator, and keeps every set.

use super::cut;
use super::plan::{Direction, Op, Test, edges};
use super::score::{Fused, Scorer, dense};
use crate::exchange::schema::NAME;
use crate::index::Index;
use crate::layers::typed::layer::SparkLayer;
use crate::retrieve::RetrieveError;
use crate::text::stems::{form, words};
use serde::Serialize;
use std::collections::BTreeSet;

/// How far down the ladder the answers come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Rung {
    /// The plan as written.
    #[default]
    Plan,
    /// Several persons have no common object: their objects are united.
    Union,
    /// A set came out empty: the last one before it that was not.
    LastNonEmpty,
    /// No plan, or nothing in it: hybrid seeds of the answer type.
    Hybrid,
}

impl Rung {
    pub fn name(self) -> &'static str {
        match self {
            Rung::Plan => "plan",
            Rung::Union => "union",
            Rung::LastNonEmpty => "last_non_empty",
            Rung::Hybrid => "hybrid",
        }
    }
}

/// A set of objects, and what more is known of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Made {
    /// Ascending; best first after RANK and LIMIT.
    pub members: Vec<u32>,
    /// What the operator itself gave was empty, and this stands in its place.
    pub rung: Rung,
    /// CAND: every object that was near enough to be looked at, with its distance, nearest first.
    pub near: Vec<(u32, f64)>,
    /// RANK: the scores of the members.
    pub scores: Vec<Fused>,
}

/// Runs operators one after the other.
pub struct Runner<'r> {
    pub layer: &'r SparkLayer,
    pub index: &'r Index,
    /// None in a trial, which ranks nothing.
    pub scorer: Option<Scorer<'r>>,
    pub ops: Vec<Op>,
    pub sets: Vec<Made>,
    /// Types of each set.
    pub types: Vec<Vec<usize>>,
}

impl<'r> Runner<'r> {
    pub fn new(layer: &'r SparkLayer, index: &'r Index, scorer: Option<Scorer<'r>>) -> Runner<'r> {
        Runner {
            layer,
            index,
            scorer,
            ops: Vec::new(),
            sets: Vec::new(),
            types: Vec::new(),
        }
    }

    /// Runs one operator of a checked plan and gives its place.
    ///
    /// # Errors
    /// What the encoder or the lexical index says.
    pub fn push(&mut self, op: Op) -> Result<usize, RetrieveError> {
        let mut made = Made::default();
        let mut types: Vec<usize> = op
            .inputs()
            .iter()
            .flat_map(|s| self.types[*s].iter().copied())
            .collect();
        let layer = self.layer;
        let kind = |name: &str| layer.schema().type_by_name(name).unwrap_or(0);
        match &op {
            Op::Cand {
                kind: name,
                field,
                text,
                n,
            } => {
                types = vec![kind(name)];
                made.near = self.candidates(kind(name), field, text, *n)?;
                let distances: Vec<f64> = made.near.iter().map(|(_, d)| *d).collect();
                let kept = cut::kept(&distances);
                made.members = made.near[..kept]
                    .iter()
                    .map(|(object, _)| *object)
                    .collect();
                made.members.sort_unstable();
            }
            Op::Match {
                kind: name,
                field,
                test,
                value,
            } => {
                types = vec![kind(name)];
                made.members = match (field.as_str(), test) {
                    (NAME, Test::Equal) => {
                        let form = form(&words(value));
                        let exact = layer.names.exact(&form).into_iter().map(|(o, _)| o);
                        exact.filter(|o| layer.kind(*o) == kind(name)).collect()
                    }
                    _ => {
                        let meets = Condition::new(field, *test, value);
                        layer
                            .of_kind(kind(name))
                            .iter()
                            .copied()
                            .filter(|o| meets.holds(layer, *o))
                            .collect()
                    }
                };
                made.members.sort_unstable();
            }
            Op::Expand {
                set,
                edge,
                direction,
                kind: name,
            } => {
                let to = kind(name);
                let kinds: Vec<usize> =
                    edges(layer.schema(), &self.types[*set], edge, *direction, to).collect();
                let out = *direction == Direction::Out;
                for object in &self.sets[*set].members {
                    let reached = layer.arcs(*object, out).filter(|(_, e)| kinds.contains(e));
                    made.members.extend(reached.map(|(other, _)| other));
                }
                made.members.sort_unstable();
                made.members.dedup();
                types = vec![to];
            }
            Op::Filter {
                set,
                field,
                test,
                value,
            } => {
                let meets = Condition::new(field, *test, value);
                let members = self.sets[*set].members.iter().copied();
                made.members = members.filter(|o| meets.holds(layer, *o)).collect();
            }
            Op::Union { sets } => made.members = self.united(sets),
            Op::Intersect { sets } => {
                made.members = self.common(sets);
                if made.members.is_empty() {
                    (made.members, made.rung) = self.instead(sets);
                }
            }
            Op::Rank { set, text } => {
                let passages: Vec<u32> = self.sets[*set]
                    .members
                    .iter()
                    .map(|o| layer.passage(*o))
                    .collect();
                let ranked = match &mut self.scorer {
                    Some(scorer) => scorer.rank(text, &passages)?,
                    None => Vec::new(),
                };
                for (passage, fused) in ranked {
                    made.members.extend(layer.object(passage));
                    made.scores.push(fused);
                }
            }
            Op::Limit { set, k } => {
                let ranked = &self.sets[*set];
                made.members = ranked.members.iter().copied().take(*k).collect();
                made.scores = ranked.scores.iter().copied().take(*k).collect();
            }
        }
        types.sort_unstable();
        types.dedup();
        self.types.push(types);
        self.sets.push(made);
        self.ops.push(op);
        Ok(self.ops.len() - 1)
    }

    /// The objects that all sets have.
    pub fn common(&self, sets: &[usize]) -> Vec<u32> {
        let Some((first, others)) = sets.split_first() else {
            return Vec::new();
        };
        let has = |set: &usize, object: &u32| self.sets[*set].members.binary_search(object).is_ok();
        let members = self.sets[*first].members.iter().copied();
        members
            .filter(|o| others.iter().all(|s| has(s, o)))
            .collect()
    }

    fn united(&self, sets: &[usize]) -> Vec<u32> {
        let all: BTreeSet<u32> = sets
            .iter()
            .flat_map(|s| self.sets[*s].members.iter().copied())
            .collect();
        all.into_iter().collect()
    }

    /// What stands in for an empty intersection: the union when every input starts from persons, else the last input
    /// that is not empty.
    fn instead(&self, sets: &[usize]) -> (Vec<u32>, Rung) {
        let persons = sets.iter().all(|s| self.starts_from_persons(*s));
        if sets.len() > 1 && persons {
            let united = self.united(sets);
            if !united.is_empty() {
                return (united, Rung::Union);
            }
        }
        let last = sets
            .iter()
            .rev()
            .map(|s| &self.sets[*s].members)
            .find(|m| !m.is_empty());
        match last {
            Some(members) => (members.clone(), Rung::LastNonEmpty),
            None => (Vec::new(), Rung::Plan),
        }
    }

    /// Whether a set is what one expands to from named persons.
    fn starts_from_persons(&self, set: usize) -> bool {
        let person = |kind: &str| {
            let schema = self.layer.schema();
            schema
                .type_by_name(kind)
                .is_some_and(|at| schema.types[at].person)
        };
        match &self.ops[set] {
            Op::Match { kind, field, .. } => field == NAME && person(kind),
            Op::Expand { set, .. } | Op::Filter { set, .. } => self.starts_from_persons(*set),
            Op::Union { sets } => sets.iter().all(|s| self.starts_from_persons(*s)),
            _ => false,
        }
    }

    /// The `n` nearest objects by a long field: distance = 1 - cosine.
    fn candidates(
        &self,
        kind: usize,
        field: &str,
        text: &str,
        n: usize,
    ) -> Result<Vec<(u32, f64)>, RetrieveError> {
        let Some(long) = self.layer.long(kind, field) else {
            return Ok(Vec::new());
        };
        let Some(vector) = dense(self.index)?.question(text)? else {
            return Ok(Vec::new());
        };
        let nearest = long.vectors.nearest(&vector, n)?;
        Ok(nearest
            .into_iter()
            .map(|(row, cosine)| (long.objects[row as usize], 1.0 - f64::from(cosine)))
            .collect())
    }
}

/// A condition, ready to be asked of many objects.
pub struct Condition {
    field: String,
    test: Test,
    number: Option<f64>,
    words: Vec<(String, String)>,
}

impl Condition {
    pub fn new(field: &str, test: Test, value: &str) -> Condition {
        Condition {
            field: field.to_owned(),
            test,
            number: value.trim().parse().ok(),
            words: words(value).into_iter().map(|w| (w.text, w.stem)).collect(),
        }
    }

    /// An object without the field does not meet it. Of several values one has to.
    pub fn holds(&self, layer: &SparkLayer, object: u32) -> bool {
        if self.field == NAME {
            return self.meets(layer.label(object), f64::NAN);
        }
        layer
            .values(object, &self.field)
            .any(|(text, number)| self.meets(text, number))
    }

    /// By how much a number misses the condition; none where there is no number, or it meets it.
    pub fn misses(&self, layer: &SparkLayer, object: u32) -> Option<f64> {
        let bound = self.number?;
        let numbers = layer
            .values(object, &self.field)
            .map(|(_, n)| (n - bound).abs());
        numbers.filter(|n| n.is_finite()).min_by(f64::total_cmp)
    }

    fn meets(&self, text: &str, number: f64) -> bool {
        match (self.test, self.number) {
            (Test::Equal, Some(bound)) if !number.is_nan() => number == bound,
            (Test::Less, Some(bound)) => number < bound,
            (Test::AtMost, Some(bound)) => number <= bound,
            (Test::More, Some(bound)) => number > bound,
            (Test::AtLeast, Some(bound)) => number >= bound,
            (Test::Equal, _) => {
                let own = words(text);
                own.len() == self.words.len()
                    && own.iter().zip(&self.words).all(|(a, b)| a.text == b.0)
            }
            (Test::Words, _) => {
                let own = words(text);
                self.words
                    .iter()
                    .all(|(_, stem)| own.iter().any(|w| w.stem == *stem))
            }
            _ => false,
        }
    }
}
