//! Passages by what landed on the nodes that stand for them.

use super::lack;
use super::walk::{opened, walked};
use crate::parameters::{Parameter as P, RESULT_K, RRF_DEPTH};
use crate::retrieve::explanation::{Explanation, Lack};
use crate::retrieve::methods::Ranker;
use crate::retrieve::operator::{At, Context, Declaration, Desk, Operator, Outcome};
use crate::retrieve::rank;
use crate::retrieve::retrieval::{DEPTH, Ranked, Spread};
use crate::retrieve::set::{Member, Set};
use std::sync::Arc;

/// By mass; `fused` keeps them as deep as lists are fused.
#[derive(Debug)]
pub struct Passages {
    pub fused: bool,
}

pub static PASSAGES: Passages = Passages { fused: false };
pub static PASSAGES_FUSED: Passages = Passages { fused: true };

/// What landed on the nodes of each passage, added in the order of the nodes.
pub fn landed(graph: &crate::layers::Graph, mass: impl Iterator<Item = (u32, f64)>) -> Vec<f64> {
    let mut scores = vec![0.0; graph.passages()];
    for (node, mass) in mass {
        let share = graph.share(node) * mass;
        for &passage in graph.passages_of(node).iter() {
            scores[passage as usize] += share;
        }
    }
    scores
}

impl Operator for Passages {
    fn declaration(&self) -> Declaration {
        Declaration::select("passages", "by the score of the nodes that stand for them")
            .reads(match self.fused {
                true => &[P::RrfDepth, P::ResultK],
                false => &[P::ResultK],
            })
            .by_rows(true)
    }

    fn run(&self, cx: &Context<'_>, inputs: &[Arc<Set>], _: &mut Desk<'_>) -> Outcome {
        let graph = cx.graph();
        let mass = inputs.iter().find_map(|set| set.get::<Spread>());
        let mut depth = cx.values.get(RESULT_K).max(DEPTH);
        if self.fused {
            depth = depth.max(cx.values.get(RRF_DEPTH));
        }
        let (hits, matched) = match mass.map(|spread| &spread.mass) {
            None => Default::default(),
            Some(mass) if graph.is_of_passages() => mass.best(0..graph.passages(), depth),
            Some(mass) => rank::best(&landed(graph, mass.reached()), depth, |mass| mass as f32),
        };
        let ranked = Ranked::new(Ranker::Walk, hits, matched);
        Ok(Set::ranking(ranked).fact("passages reached", matched))
    }

    fn why(&self, at: &At<'_>, member: &Member) -> String {
        match &at.graph().nodes_of(member.node)[..] {
            [] => "no node stands for it".to_owned(),
            [node] => format!("its {}", at.graph().source().kind(*node)),
            nodes => format!("{} nodes stand for it", nodes.len()),
        }
    }

    fn explain(&self, at: &At<'_>, passage: u32) -> Explanation {
        let walk = at.inputs().next();
        let walked = walk.and_then(|walk| Some((walk, walked(&walk)?)));
        walked.map_or_else(Explanation::default, |(walk, walked)| {
            opened(&walk, &walked, passage)
        })
    }

    fn lacks(&self, at: &At<'_>, passage: u32, other: u32) -> Vec<Lack> {
        lack::of_input_walk(at, passage, other)
    }
}
