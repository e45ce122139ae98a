//! Two rankings, fused.

use super::lack;
use crate::parameters::{FUSION, Fusion, Parameter as P, RESULT_K, RRF_DEPTH};
use crate::retrieve::explanation::{Explanation, Lack};
use crate::retrieve::operator::{At, Context, Declaration, Desk, Operator, Outcome};
use crate::retrieve::rank;
use crate::retrieve::retrieval::{DEPTH, Ranked};
use crate::retrieve::set::Set;
use crate::retrieve::words::list_parts;
use std::sync::Arc;

/// By rank, or by scores scaled within each list.
#[derive(Debug)]
pub struct Fuse;

pub static FUSE: Fuse = Fuse;

impl Operator for Fuse {
    fn declaration(&self) -> Declaration {
        Declaration::select("fuse", "the two rankings, fused by rank")
            .reads(&[P::RrfC, P::RrfDepth, P::Fusion, P::ResultK])
            .by_rows(true)
    }

    fn run(&self, cx: &Context<'_>, inputs: &[Arc<Set>], _: &mut Desk<'_>) -> Outcome {
        let values = cx.values;
        let depth = values.get(RESULT_K).max(values.get(RRF_DEPTH)).max(DEPTH);
        let lists: Vec<Arc<Ranked>> = inputs.iter().filter_map(|set| set.ranked()).collect();
        let count = lists.len();
        let fused = rank::fuse(lists, values.get(FUSION), values, depth);
        Ok(Set::ranking(fused).fact("lists fused", count))
    }

    fn explain(&self, at: &At<'_>, passage: u32) -> Explanation {
        let Some(ranked) = at.set().get::<Ranked>() else {
            return Explanation::default();
        };
        let labels = lack::lists(at).zip(&ranked.parts);
        let labels = labels.map(|(input, list)| format!("{} list", lack::list_name(&input, list)));
        let labels: Vec<String> = labels.collect();
        let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
        let values = at.values();
        let rule: Fusion = values.get(FUSION);
        let parts = list_parts(&labels, &ranked.parts, rule, values, passage);
        let said = parts.iter().filter(|part| part.value > 0.0);
        let said = said.map(|part| format!("{} {} ({:.4})", part.label, part.why, part.value));
        let mut sentence = said.collect::<Vec<_>>().join(", ");
        if sentence.is_empty() && ranked.rank(passage).is_some() {
            // Only scores that are scaled within their list give a passage of it nothing.
            let lists = parts
                .iter()
                .map(|part| format!("{} {}", part.label, part.why));
            let lists = lists.collect::<Vec<_>>().join(", ");
            sentence = format!("the lowest score of each list that ranks it, scaled to 0: {lists}");
        }
        // Its ways are worth seeing, though its parts are those of another number.
        let walk = at
            .inputs()
            .last()
            .filter(|input| input.record().graph.is_some());
        let paths = walk.map_or_else(Vec::new, |walk| {
            walk.operator().explain(&walk, passage).paths
        });
        Explanation {
            parts,
            paths,
            sentence,
            ..Explanation::default()
        }
    }

    fn lacks(&self, at: &At<'_>, passage: u32, other: u32) -> Vec<Lack> {
        let lists = at.set().get::<Ranked>().map_or(&[][..], |set| &set.parts);
        lack::of_lists(at, lists, at.values().get(FUSION), passage, other)
    }
}
