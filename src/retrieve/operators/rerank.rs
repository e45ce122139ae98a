//! The best, scored again by a cross-encoder or by MaxSim over token vectors.

use crate::layers::Code;
use crate::parameters::{Parameter as P, RESULT_K};
use crate::retrieve::explanation::{Combine, Explanation, Lack, Part as ScorePart};
use crate::retrieve::operator::{At, Context, Declaration, Desk, Operator, Outcome};
use crate::retrieve::rerank::rerank;
use crate::retrieve::retrieval::Ranked;
use crate::retrieve::set::{Member, Set};
use std::sync::Arc;

fn place(rank: Option<usize>) -> String {
    rank.map_or_else(|| "nowhere".to_owned(), |rank| format!("rank {rank}"))
}

/// Scores candidates again.
#[derive(Debug)]
pub struct Rerank;

pub static RERANK: Rerank = Rerank;

impl Operator for Rerank {
    fn declaration(&self) -> Declaration {
        Declaration::select(
            "re-rank",
            "the best, scored again by a cross-encoder or MaxSim",
        )
        .reads(&[P::RerankDepth])
        .needs_vectors(true)
    }

    // With a cross-encoder it does not, but which index has one only the index knows.
    fn run(&self, cx: &Context<'_>, inputs: &[Arc<Set>], _: &mut Desk<'_>) -> Outcome {
        let Some(first) = inputs.iter().find_map(|set| set.ranked()) else {
            return Ok(Set::new(crate::retrieve::set::Space::Passages));
        };
        let (hits, by) = rerank(cx, &first)?;
        let set = Ranked {
            parts: vec![first.clone()],
            reranked: Some(by.clone()),
            ..Ranked::new(first.ranker, hits, first.matched)
        };
        let set = Set::ranking(set)
            .fact("scored again by", by.name)
            .fact("model", by.model)
            .fact("candidates", by.candidates);
        Ok(match by.unread {
            0 => set,
            unread => set.fact("last tokens of the question left out", unread),
        })
    }

    fn why(&self, at: &At<'_>, member: &Member) -> String {
        let before = at.input(0).and_then(|first| first.set().ranked());
        let before = before.and_then(|first| first.rank(member.node));
        before.map_or(String::new(), |rank| format!("rank {rank} before"))
    }

    fn lacks(&self, at: &At<'_>, passage: u32, other: u32) -> Vec<Lack> {
        let ranked = at.set().get::<Ranked>();
        let Some((ranked, by)) = ranked.and_then(|r| Some((r, r.reranked.as_ref()?))) else {
            return Vec::new();
        };
        let score = |passage| Some(f64::from(ranked.hits[ranked.rank(passage)? - 1].score));
        let (Some(own), Some(theirs)) = (score(passage), score(other)) else {
            return Vec::new();
        };
        let before = |passage| ranked.parts.first().and_then(|first| first.rank(passage));
        let text = format!(
            "{} gives it {own:.4}, and '{}' {theirs:.4}; before they were {} and {}",
            by.name,
            at.index.called(other),
            place(before(passage)),
            place(before(other))
        );
        // Where it was outside before, it was not this step that moved it out.
        let k = at.run.settings.get(RESULT_K);
        let code = match before(passage) {
            Some(rank) if rank <= k => Code::PrunedByFusion,
            _ => Code::RankedLower,
        };
        Vec::from_iter(Lack::of(code, theirs - own, text))
    }

    fn explain(&self, at: &At<'_>, passage: u32) -> Explanation {
        let (Some(ranked), Some(input)) = (at.set().get::<Ranked>(), at.input(0)) else {
            return Explanation::default();
        };
        let Some(by) = &ranked.reranked else {
            return Explanation::default();
        };
        let before = ranked.parts.first().and_then(|first| first.rank(passage));
        let score = ranked
            .rank(passage)
            .map_or(0.0, |r| f64::from(ranked.hits[r - 1].score));
        let label = ranked.ranker.label();
        let first = input.operator().explain(&input, passage);
        let sentence = match before {
            None => String::new(),
            Some(rank) if rank > by.candidates => format!(
                "rank {rank} of {label}, below the {} that {} scored again",
                by.candidates, by.name
            ),
            Some(rank) => format!("{} {score:.4}, rank {rank} of {label} before", by.name),
        };
        Explanation {
            combine: Combine::Sum,
            parts: vec![ScorePart::new(by.name, score, first.sentence)],
            paths: first.paths,
            sentence,
            ..Explanation::default()
        }
    }
}
