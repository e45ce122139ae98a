//! By score, as many as the tokens of the context hold.

use crate::layers::Code;
use crate::parameters::{CONTEXT_TOKENS, PACK, Parameter as P, Value};
use crate::retrieve::explanation::{Explanation, Lack, Reason};
use crate::retrieve::methods::Ranker;
use crate::retrieve::operator::{At, Context, Declaration, Desk, Operator, Outcome};
use crate::retrieve::pack::Room;
use crate::retrieve::retrieval::Ranked;
use crate::retrieve::set::{Dropped, Set};
use crate::text::chunks;
use std::sync::Arc;

/// Fills a budget of tokens.
#[derive(Debug)]
pub struct Pack;

pub static PACKED: Pack = Pack;

/// Contexts of more tokens, the least first.
pub(super) fn larger(tokens: usize) -> [(P, Value); 4] {
    let times = [1.25, 1.5, 2.0, 3.0].map(|times| (tokens as f64 * times) as usize);
    times.map(|tokens| CONTEXT_TOKENS.at(tokens))
}

impl Operator for Pack {
    fn declaration(&self) -> Declaration {
        Declaration::select(
            "context",
            "by score, as many as the tokens of the context hold",
        )
        .kind("pack")
        .reads(&[P::ContextTokens, P::Pack])
    }

    fn run(&self, cx: &Context<'_>, inputs: &[Arc<Set>], _: &mut Desk<'_>) -> Outcome {
        let room = cx.values.get(CONTEXT_TOKENS);
        let first = inputs.iter().find_map(|set| set.ranked());
        let (mut kept, mut unfit) = (Vec::new(), Vec::new());
        let mut filled = Room::new(room, cx.values.get(PACK));
        for hit in first.iter().flat_map(|first| &first.hits) {
            let text = || cx.index.passages().full_text(hit.passage as usize);
            if filled.takes(|| chunks::count(&text())) {
                kept.push(*hit);
            } else {
                unfit.push(Dropped {
                    node: hit.passage,
                    code: Code::Budget,
                    margin: f64::from(hit.score),
                });
            }
        }
        let used = filled.used;
        let matched = first.as_ref().map_or(0.into(), |first| first.matched);
        let ranked = Ranked {
            parts: Vec::from_iter(first),
            ..Ranked::new(Ranker::Pack, kept, matched)
        };
        let mut set = Set::ranking(ranked)
            .fact("tokens", used)
            .fact("of tokens", room);
        set.dropped = unfit;
        Ok(set)
    }

    fn explain(&self, at: &At<'_>, passage: u32) -> Explanation {
        let first = at.input(0);
        let mut explanation = first.map_or_else(Explanation::default, |first| {
            first.operator().explain(&first, passage)
        });
        explanation.sentence = format!("in the context; {}", explanation.sentence);
        explanation
    }

    fn lacks(&self, at: &At<'_>, passage: u32, other: u32) -> Vec<Lack> {
        let first = at.input(0);
        first.map_or_else(Vec::new, |first| {
            first.operator().lacks(&first, passage, other)
        })
    }

    fn refuse(&self, at: &At<'_>, passage: u32) -> Vec<Reason> {
        let unfit = at.set().dropped.iter().find(|d| d.node == passage);
        let refused = unfit.map(|_| {
            let room = at.values().get(CONTEXT_TOKENS);
            let rank = at
                .input(0)
                .and_then(|first| first.set().ranked()?.rank(passage));
            let text = format!(
                "{}. by score, but the context of {room} tokens was full before it",
                rank.unwrap_or(0)
            );
            let mut changes = larger(room).into_iter();
            let fix = changes.find_map(|change| at.tried_anywhere(passage, change));
            Reason::new(Code::Budget, text).with_fix(fix)
        });
        Vec::from_iter(refused)
    }

    fn context(&self, at: &At<'_>) -> Option<String> {
        let texts = at.set().hits().iter();
        let text = texts.map(|hit| at.index.passages().full_text(hit.passage as usize));
        Some(text.collect::<Vec<_>>().join("\n\n"))
    }
}
