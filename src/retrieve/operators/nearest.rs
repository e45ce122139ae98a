//! The graph's own nodes nearest to the question.

use crate::parameters::{Param, Parameter, SEED_K, VECTOR_HITS};
use crate::retrieve::RetrieveError;
use crate::retrieve::operator::{Context, Desk, Operator, Part};
use crate::retrieve::set::{Member, Origin, Set, Space};
use std::sync::Arc;

/// As many of the nearest nodes as a parameter says.
#[derive(Debug)]
pub struct Nearest {
    count: Param<usize>,
    reads: [Parameter; 1],
}

impl Nearest {
    const fn of(count: Param<usize>) -> Nearest {
        Nearest {
            count,
            reads: [count.id()],
        }
    }
}

/// As many as there may be seeds.
pub static NEAREST: Nearest = Nearest::of(SEED_K);
/// NodeRAG's vector hits.
pub static NEAREST_HITS: Nearest = Nearest::of(VECTOR_HITS);

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
        &self.reads
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
        let k = cx.values.get(self.count);
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
