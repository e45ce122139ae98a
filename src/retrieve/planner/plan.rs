//! The closed set of operators. A plan is data: there is nothing else it can do.

pub use super::grammar::{check, edges};
use crate::layers::typed::numbers::TESTS;
pub use crate::layers::typed::numbers::Test;
use crate::llm::schema::{Schema as Shape, object, text, whole};
use crate::llm::task::{Spec, Task};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Along the edge, from its start to its end.
    Out,
    /// Against it.
    In,
}

/// An operator. Operator `i` of a plan makes set `i`; it may use the sets of those before it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "UPPERCASE")]
pub enum Op {
    /// The `n` nearest objects of a type by the vector of a long field, cut at the first gap.
    Cand {
        #[serde(rename = "type")]
        kind: String,
        field: String,
        text: String,
        n: usize,
    },
    /// The objects of a type that meet a condition.
    Match {
        #[serde(rename = "type")]
        kind: String,
        field: String,
        test: Test,
        value: String,
    },
    /// The objects of a type one edge away.
    Expand {
        set: usize,
        edge: String,
        direction: Direction,
        #[serde(rename = "type")]
        kind: String,
    },
    /// The objects of a set that meet a condition.
    Filter {
        set: usize,
        field: String,
        test: Test,
        value: String,
    },
    Intersect {
        sets: Vec<usize>,
    },
    Union {
        sets: Vec<usize>,
    },
    /// A set in the order of the fused score of a text.
    Rank {
        set: usize,
        text: String,
    },
    /// The first `k` of a ranked set.
    Limit {
        set: usize,
        k: usize,
    },
}

/// No plan is longer.
pub const MOST_OPS: usize = 40;

impl Op {
    pub fn name(&self) -> &'static str {
        match self {
            Op::Cand { .. } => "CAND",
            Op::Match { .. } => "MATCH",
            Op::Expand { .. } => "EXPAND",
            Op::Filter { .. } => "FILTER",
            Op::Intersect { .. } => "INTERSECT",
            Op::Union { .. } => "UNION",
            Op::Rank { .. } => "RANK",
            Op::Limit { .. } => "LIMIT",
        }
    }

    /// The sets it uses.
    pub fn inputs(&self) -> &[usize] {
        match self {
            Op::Cand { .. } | Op::Match { .. } => &[],
            Op::Expand { set, .. }
            | Op::Filter { set, .. }
            | Op::Rank { set, .. }
            | Op::Limit { set, .. } => std::slice::from_ref(set),
            Op::Intersect { sets } | Op::Union { sets } => sets,
        }
    }
}

/// As a call: `EXPAND(#0, BORN_IN, in, Scientist)`.
impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let joined = |sets: &[usize]| {
            sets.iter()
                .map(|s| format!("#{s}"))
                .collect::<Vec<_>>()
                .join(", ")
        };
        match self {
            Op::Cand {
                kind,
                field,
                text,
                n,
            } => write!(f, "CAND({kind}, {field}, \"{text}\", {n})"),
            Op::Match {
                kind,
                field,
                test,
                value,
            } => write!(f, "MATCH({kind}, {field} {test} \"{value}\")"),
            Op::Expand {
                set,
                edge,
                direction,
                kind,
            } => {
                let way = if *direction == Direction::Out {
                    "out"
                } else {
                    "in"
                };
                write!(f, "EXPAND(#{set}, {edge}, {way}, {kind})")
            }
            Op::Filter {
                set,
                field,
                test,
                value,
            } => write!(f, "FILTER(#{set}, {field} {test} \"{value}\")"),
            Op::Intersect { sets } | Op::Union { sets } => {
                write!(f, "{}({})", self.name(), joined(sets))
            }
            Op::Rank { set, text } => write!(f, "RANK(#{set}, \"{text}\")"),
            Op::Limit { set, k } => write!(f, "LIMIT(#{set}, {k})"),
        }
    }
}

/// What a planner is given.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PlanInput {
    pub question: String,
    /// Types, fields, edges and counts; no object.
    pub schema: Value,
}

/// What it gives back.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ops {
    pub ops: Vec<Op>,
}

/// The planner as a task for a language model.
#[derive(Clone, Copy, Debug)]
pub struct Plan;

impl Task for Plan {
    const SPEC: &'static Spec = &Spec {
        name: "plan",
        version: 1,
        about: "Write a plan of operators that finds the objects which answer `question` in a graph of the types, fields and \
                edges of `schema`. Operator i makes set i, counted from 0, and may use sets made before it. CAND: the n \
                (at most 25) objects of a type nearest to a text by a field of kind `long`. MATCH: the objects of a type \
                whose field meets a test; to start from a named thing, test its `name` with = . EXPAND: the objects of a \
                type one edge away; direction `out` goes from the edge's `from` to its `to`, `in` the other way. FILTER: \
                the objects of a set whose field meets a test. Tests are = and ~ (has the words) for texts, =, <, <=, >, \
                >= for numbers; values are strings. INTERSECT and UNION combine sets. End with RANK of the last set by \
                the question and LIMIT of that ranking to k objects.",
        schema: || {
            let set = || ("set", Shape::Integer(0));
            let sets = || vec![("sets", whole(Shape::Integer(0)))];
            let test = || {
                [
                    ("field", text()),
                    ("test", Shape::OneOf(TESTS)),
                    ("value", text()),
                ]
            };
            let [field, how, value] = test();
            let [field2, how2, value2] = test();
            let op = Shape::Tagged(
                "op",
                vec![
                    (
                        "CAND",
                        vec![
                            ("type", text()),
                            ("field", text()),
                            ("text", text()),
                            ("n", Shape::Integer(1)),
                        ],
                    ),
                    ("MATCH", vec![("type", text()), field, how, value]),
                    (
                        "EXPAND",
                        vec![
                            set(),
                            ("edge", text()),
                            ("direction", Shape::OneOf(&["out", "in"])),
                            ("type", text()),
                        ],
                    ),
                    ("FILTER", vec![set(), field2, how2, value2]),
                    ("INTERSECT", sets()),
                    ("UNION", sets()),
                    ("RANK", vec![set(), ("text", text())]),
                    ("LIMIT", vec![set(), ("k", Shape::Integer(1))]),
                ],
            );
            // A plan without one of its operators is another plan.
            object([("ops", whole(op))])
        },
    };
    type Input = PlanInput;
    type Output = Ops;

    /// A handful of operators, however long the question.
    fn expected(_: &PlanInput) -> u64 {
        200
    }
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
