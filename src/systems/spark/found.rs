//! A finished search: its ranking, and why each passage is in it.

use super::layer::SparkLayer;
use super::missing;
use super::plan::{Direction, Op, edges};
use super::run::Rung;
use super::search::{ANSWER, Params, Run};
use super::story;
use crate::index::Index;
use crate::retrieve::Hit;
use crate::retrieve::explanation::{Part, Reason, Story};
use crate::systems::Found;
use std::fmt;
use std::sync::Arc;

/// A finished search with what explains it.
pub struct Answer {
    pub run: Run,
    pub layer: Arc<SparkLayer>,
    pub params: Params,
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answer")
            .field("ops", &self.run.ops)
            .field("rung", &self.run.rung)
            .finish()
    }
}

/// Characters of one reason.
const MOST_CHARS: usize = 160;

pub(super) fn short(text: &str) -> String {
    crate::retrieve::explanation::clip(text, MOST_CHARS)
}

impl Found for Answer {
    fn passages(&self) -> &[Hit] {
        &self.run.passages
    }

    fn story(&self, index: &Index) -> Story {
        story::tell(self, index)
    }

    fn why(&self, index: &Index, passage: u32) -> String {
        let run = &self.run;
        if let Some(rank) = run.answers.iter().position(|a| a.passage == passage) {
            let via = match self
                .layer
                .object(passage)
                .filter(|_| run.rung != Rung::Hybrid)
            {
                Some(object) => self.path_to(object),
                None => format!("hybrid seed, {}", run.rung.name()),
            };
            return short(&format!("answer {}: {via}", rank + 1));
        }
        let found = run
            .neighbours
            .iter()
            .flatten()
            .position(|n| n.passage == passage);
        let Some((rank, neighbour)) =
            found.zip(found.map(|at| &run.neighbours.as_deref().unwrap_or_default()[at]))
        else {
            return String::new();
        };
        let from = neighbour.from.iter().take(3).map(|(seed, edge, out)| {
            let name = &self.layer.schema().edges[*edge].name;
            let title = index.title(run.answers[*seed].passage);
            if *out {
                format!("{title} -[:{name}]->")
            } else {
                format!("{title} <-[:{name}]-")
            }
        });
        short(&format!(
            "neighbour {}: {}",
            rank + 1,
            from.collect::<Vec<_>>().join(", ")
        ))
    }

    fn parts(&self, _: &Index, passage: u32) -> Vec<Part> {
        let part = |label: &str, value: f64, why: String| Part {
            label: label.into(),
            value,
            why,
            ..Part::default()
        };
        let answer = self
            .run
            .answers
            .iter()
            .find(|a| a.passage == passage)
            .map(|a| a.fused);
        let neighbour = self
            .run
            .neighbours
            .iter()
            .flatten()
            .find(|n| n.passage == passage);
        let Some(fused) = answer.or(neighbour.map(|n| n.fused)) else {
            return Vec::new();
        };
        let mut parts = Vec::new();
        if answer.is_some() {
            parts.push(part(
                "answer",
                ANSWER,
                "an answer stands before every neighbour".into(),
            ));
        }
        let words = format!(
            "{} of BM25 over the best of its set",
            self.params.fuse_lexical
        );
        parts.push(part("words", fused.lexical, words));
        parts.push(part(
            "vector",
            fused.dense,
            format!("{} of the cosine", self.params.fuse_dense),
        ));
        parts
    }

    fn missing(&self, index: &Index, passage: u32) -> Vec<Reason> {
        missing::reasons(self, index, passage)
    }
}

impl Answer {
    /// The operators that hold an object, those that lead to it.
    fn path_to(&self, object: u32) -> String {
        let run = &self.run;
        let holds = |i: &usize| run.sets[*i].members.contains(&object);
        let steps = (0..run.ops.len())
            .filter(holds)
            .filter_map(|i| match &run.ops[i] {
                Op::Rank { .. } | Op::Limit { .. } | Op::Union { .. } => None,
                Op::Cand { field, .. } => {
                    let near = run.sets[i].near.iter().find(|(o, _)| *o == object)?;
                    Some(format!("near in {field}, distance {:.3}", near.1))
                }
                Op::Match { .. } => Some("named in the question".into()),
                Op::Expand {
                    set,
                    edge,
                    direction,
                    kind,
                } => {
                    let from = self.sources(*set, object, edge, *direction, kind);
                    let arrow = if *direction == Direction::Out {
                        format!("-[:{edge}]->")
                    } else {
                        format!("<-[:{edge}]-")
                    };
                    Some(format!("{} {arrow}", from.join(", ")))
                }
                Op::Filter {
                    field, test, value, ..
                } => Some(format!("{field} {test} {value}")),
                Op::Intersect { sets } => match run.sets[i].rung {
                    Rung::Plan => Some(format!("in all {} sets", sets.len())),
                    rung => Some(format!("rung {}", rung.name())),
                },
            });
        steps.collect::<Vec<_>>().join("; ")
    }

    /// The members of a set from which an object is one edge away, at most three by name.
    fn sources(
        &self,
        set: usize,
        object: u32,
        edge: &str,
        direction: Direction,
        kind: &str,
    ) -> Vec<&str> {
        let schema = self.layer.schema();
        let to = schema.type_by_name(kind).unwrap_or(0);
        let kinds: Vec<usize> = edges(schema, &self.run.types[set], edge, direction, to).collect();
        let back = self.layer.arcs(object, direction == Direction::In);
        let from = back
            .filter(|(other, e)| kinds.contains(e) && self.run.sets[set].members.contains(other));
        let mut names: Vec<&str> = from.map(|(other, _)| self.layer.label(other)).collect();
        names.dedup();
        names.truncate(3);
        names
    }
}
