//! The graph's own nodes nearest to the question.

use crate::parameters::{Param, Parameter, SEED_K, VECTOR_HITS};
use crate::retrieve::operator::{Context, Declaration, Desk, Operator, Outcome};
use crate::retrieve::set::{Member, Origin, Set, Space};
use std::sync::Arc;

/// As many of the nearest nodes as a parameter says.
#[derive(Debug)]
pub struct Nearest {
    count: Param<usize>,
    reads: &'static [Parameter],
}

/// As many as there may be seeds.
pub static NEAREST: Nearest = Nearest {
    count: SEED_K,
    reads: &[Parameter::SeedK],
};
/// NodeRAG's vector hits.
pub static NEAREST_HITS: Nearest = Nearest {
    count: VECTOR_HITS,
    reads: &[Parameter::VectorHits],
};

impl Operator for Nearest {
    fn declaration(&self) -> Declaration {
        Declaration::seed("nearest", "the graph's own nodes nearest to the question")
            .kind("score")
            .reads(self.reads)
            .needs_vectors(true)
    }

    fn run(&self, cx: &Context<'_>, _: &[Arc<Set>], _: &mut Desk<'_>) -> Outcome {
        let Some((_, vector)) = cx.dense()? else {
            return Ok(Set::new(Space::Nodes).fact("nearest nodes", 0).unread());
        };
        let k = cx.values.get(self.count);
        let mut near = cx.graph().source().nearest(cx.index, vector, k)?;
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
