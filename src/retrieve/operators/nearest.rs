//! The graph's own nodes nearest to the question.

use crate::parameters::{Parameter, SEED_K};
use crate::retrieve::RetrieveError;
use crate::retrieve::operator::{Context, Desk, Operator, Part};
use crate::retrieve::set::{Member, Origin, Set, Space};
use std::sync::Arc;

/// As many of the nearest nodes as there may be seeds.
#[derive(Debug)]
pub struct Nearest;

pub static NEAREST: Nearest = Nearest;

impl Operator for Nearest {
    fn name(&self) -> &'static str {
        "nearest"
    }

    fn about(&self) -> &'static str {
        "the graph's own nodes nearest to the question"
    }

    fn part(&self) -> Part {
        Part::Seed
    }

    fn kind(&self) -> &'static str {
        "score"
    }

    fn reads(&self) -> &[Parameter] {
        &[Parameter::SeedK]
    }

    fn needs_vectors(&self) -> bool {
        true
    }

    fn run(
        &self,
        cx: &Context<'_>,
        _: &[Arc<Set>],
        _: &mut Desk<'_>,
    ) -> Result<Set, RetrieveError> {
        let (_, vector) = cx.dense()?;
        let k = cx.values.get(SEED_K);
        let mut near = cx.graph().source().nearest(cx.index, vector, k)?;
        // A question without a known word has a vector of zeros and is near to nothing.
        near.retain(|hit| hit.1 > 0.0);
        let mut set = Set::new(Space::Nodes).fact("nearest nodes", near.len());
        set.members = near
            .into_iter()
            .enumerate()
            .map(|(at, (node, cosine))| Member {
                node,
                value: f64::from(cosine),
                from: Origin::Near {
                    rank: at + 1,
                    cosine,
                },
            })
            .collect();
        Ok(set)
    }
}
