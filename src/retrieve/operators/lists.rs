//! First-stage rankings of passages: words, vectors, both fused, words with feedback.

use super::lack;
use crate::layers::{Code, QueryName};
use crate::parameters::Parameter as P;
use crate::retrieve::explanation::{Edge, Entry, Explanation, Item, Lack, Reason, Stage, Story};
use crate::retrieve::methods::Ranker;
use crate::retrieve::operator::{At, Context, Declaration, Desk, Operator, Outcome, Part};
use crate::retrieve::rank::{self, Fusion};
use crate::retrieve::retrieval::{DEPTH, Ranked};
use crate::retrieve::set::Set;
use crate::retrieve::{RetrieveError, nearest, words};
use serde_json::json;
use std::sync::Arc;

/// How deep a list is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deep {
    /// As deep as rankings are.
    Top,
    /// As deep as lists are fused.
    Fused,
    /// At least this deep as well, and left empty in an index without vectors.
    Least(usize),
}

/// A first-stage ranking.
#[derive(Debug)]
pub struct List {
    pub ranker: Ranker,
    pub deep: Deep,
}

const fn list(ranker: Ranker, deep: Deep) -> List {
    List { ranker, deep }
}

pub static BM25: List = list(Ranker::Bm25, Deep::Top);
pub static DENSE: List = list(Ranker::Dense, Deep::Top);
pub static RRF: List = list(Ranker::Rrf, Deep::Top);
pub static RM3: List = list(Ranker::Rm3, Deep::Top);
pub static TWO_STEP: List = list(Ranker::TwoStep, Deep::Top);
/// Those that a fusion takes in.
pub static BM25_FUSED: List = list(Ranker::Bm25, Deep::Fused);
pub static DENSE_FUSED: List = list(Ranker::Dense, Deep::Fused);
pub static RRF_FUSED: List = list(Ranker::Rrf, Deep::Fused);
pub static RM3_FUSED: List = list(Ranker::Rm3, Deep::Fused);
pub static TWO_STEP_FUSED: List = list(Ranker::TwoStep, Deep::Fused);

impl List {
    fn depth(&self, cx: &Context<'_>) -> usize {
        let top = cx.values.get(crate::parameters::RESULT_K).max(DEPTH);
        match self.deep {
            Deep::Top => top,
            Deep::Fused => top.max(cx.values.get(crate::parameters::RRF_DEPTH)),
            Deep::Least(least) => top
                .max(cx.values.get(crate::parameters::RRF_DEPTH))
                .max(least),
        }
    }

    /// Scores passages by words, its own or those of an expanded question.
    fn by_words(
        &self,
        cx: &Context<'_>,
        words: Vec<crate::index::lexical::Weighted>,
        desk: &mut Desk<'_>,
    ) -> Result<Ranked, RetrieveError> {
        let (depth, scores) = (self.depth(cx), &mut desk.scratch.scores);
        Ok(rank::words(
            cx.index,
            self.ranker,
            words,
            cx.values,
            depth,
            scores,
        )?)
    }
}

impl Operator for List {
    fn declaration(&self) -> Declaration {
        let one = Declaration::seed;
        let asked = !matches!(self.deep, Deep::Least(_));
        let list = match self.ranker {
            Ranker::Bm25 => one("BM25", "the best BM25 passages")
                .reads(&[P::Tokens, P::Bm25K1, P::Bm25B, P::ResultK, P::RrfDepth])
                .by_rows(true),
            Ranker::Rm3 => one(
                "BM25 with words of feedback",
                "the best passages of BM25 with words of feedback",
            )
            .reads(&[
                P::Tokens,
                P::Bm25K1,
                P::Bm25B,
                P::Rm3Docs,
                P::Rm3Terms,
                P::Rm3Original,
                P::Rm3Pool,
                P::ResultK,
                P::RrfDepth,
            ]),
            Ranker::TwoStep => one(
                "BM25 with names of feedback",
                "the best passages of BM25 with names of feedback",
            )
            .reads(&[
                P::Tokens,
                P::Bm25K1,
                P::Bm25B,
                P::Step2Docs,
                P::Step2Entities,
                P::Step2Weight,
                P::Step2Rule,
                P::ResultK,
                P::RrfDepth,
            ]),
            Ranker::Dense => one("nearest vectors", "the passages nearest to the question")
                .reads(&[
                    P::VectorSearch,
                    P::HnswM,
                    P::HnswEfConstruction,
                    P::HnswEfSearch,
                    P::ResultK,
                    P::RrfDepth,
                ])
                .needs_vectors(asked)
                .by_rows(true),
            _ => {
                let reads = &[P::RrfC, P::ResultK, P::RrfDepth];
                let about = "the best passages of BM25 and dense, fused";
                let fused = one("fused list", about).reads(reads).kind("score");
                return fused.by_rows(true);
            }
        };
        let reads = match self.deep {
            // The last is how deep lists are fused: nothing to one that is not.
            Deep::Top => &list.reads[..list.reads.len() - 1],
            Deep::Fused | Deep::Least(_) => list.reads,
        };
        let expands = matches!(self.ranker, Ranker::Rm3 | Ranker::TwoStep);
        list.reads(reads)
            .kind(if expands { "expand" } else { "score" })
    }

    fn run(&self, cx: &Context<'_>, inputs: &[Arc<Set>], desk: &mut Desk<'_>) -> Outcome {
        let mut lists: Vec<Arc<Ranked>> = inputs.iter().filter_map(|set| set.ranked()).collect();
        let ranked = match self.ranker {
            Ranker::Bm25 => {
                let tokens = rank::tokens(cx.values);
                let words = cx.index.lexical().question(tokens, cx.question)?;
                self.by_words(cx, words, desk)?
            }
            Ranker::Dense => {
                if matches!(self.deep, Deep::Least(_)) && !cx.has_vectors() {
                    return Ok(Set::new(crate::retrieve::set::Space::Passages));
                }
                let Some((dense, vector)) = cx.dense()? else {
                    let none = Ranked::new(self.ranker, Vec::new(), 0);
                    return Ok(Set::ranking(none).unread());
                };
                nearest::nearest(dense, vector, cx.values, self.depth(cx))?
            }
            Ranker::Rm3 | Ranker::TwoStep => {
                let Some(first) = lists.pop() else {
                    return Ok(Set::ranking(Ranked::new(self.ranker, Vec::new(), 0)));
                };
                let names = inputs.iter().find_map(|set| set.get::<Vec<QueryName>>());
                let (words, expansion) = match (names, cx.entities()) {
                    (Some(names), Some(view)) => {
                        rank::two_step(cx.index, view, names, &first, cx.values)?
                    }
                    _ => rank::rm3(cx.index, &first, cx.values)?,
                };
                let second = self.by_words(cx, words, desk)?;
                Ranked {
                    expansion,
                    parts: vec![first],
                    ..second
                }
            }
            // What is fused without vectors is the words alone.
            _ if !cx.has_vectors() && matches!(self.deep, Deep::Least(_)) => {
                return Ok(inputs.first().map_or_else(
                    || Set::new(crate::retrieve::set::Space::Passages),
                    |first| Set::clone(first),
                ));
            }
            _ => rank::fuse(lists, Fusion::Rank, cx.values, self.depth(cx)),
        };
        let mut set = Set::ranking(ranked);
        let ranked = set.ranked();
        if let Some(ranked) = &ranked {
            let matched = match ranked.matched.at_least {
                true => "matched, at least",
                false => "matched",
            };
            set = set
                .fact(matched, ranked.matched.count)
                .fact("kept", ranked.hits.len());
            if ranked.search.is_some()
                && let serde_json::Value::Object(search) = json!(ranked.search)
            {
                for (name, value) in search {
                    let name = match &*name {
                        "search" => "search",
                        "m" => "m",
                        "ef_construction" => "ef construction",
                        _ => "ef",
                    };
                    set = set.fact(name, value);
                }
            }
            if !ranked.expansion.is_empty() {
                set = set.fact("added", ranked.expansion.len());
            }
        }
        Ok(set)
    }

    fn tell(&self, at: &At<'_>, story: &mut Story) {
        let Some(ranked) = at.set().get::<Ranked>() else {
            return;
        };
        // Without vectors a fused list is that of the words, told there.
        let own = ranked.ranker == self.ranker && !ranked.words.is_empty();
        if own && ranked.expansion.is_empty() {
            let best = ranked.hits.first().map_or(0, |hit| hit.passage);
            let words = words::words(at.index, ranked, at.values(), best);
            let nodes = words.iter().map(|word| Entry {
                item: story.item(Item {
                    kind: "word",
                    label: word.word.clone(),
                    ..Item::default()
                }),
                value: word.idf,
                why: format!("in {} passages", word.df),
            });
            let nodes: Vec<Entry> = nodes.collect();
            let unknown = words.iter().filter(|word| word.df == 0).count();
            story.push(Stage {
                name: "question words",
                kind: "score",
                counters: vec![("words", words.len().into()), ("unknown", unknown.into())],
                nodes,
                ..Stage::default()
            });
        }
        let mut stage = at.stage(story);
        for added in &ranked.expansion {
            let word = story.item(Item {
                kind: "added",
                label: added.name.clone(),
                ..Item::default()
            });
            let from = story.passage(at, added.from);
            stage.edges.push(Edge {
                from,
                to: word,
                value: added.weight,
                kind: "feeds back".into(),
                why: String::new(),
            });
        }
        story.push(stage);
    }

    fn explain(&self, at: &At<'_>, passage: u32) -> Explanation {
        words::explanation(at, passage)
    }

    fn lacks(&self, at: &At<'_>, passage: u32, other: u32) -> Vec<Lack> {
        let Some(ranked) = at.set().get::<Ranked>() else {
            return Vec::new();
        };
        match ranked.ranker {
            Ranker::Rrf => lack::of_lists(at, &ranked.parts, Fusion::Rank, passage, other),
            Ranker::Dense => lack::of_vectors(at, passage, other),
            _ => lack::of_words(at, ranked, passage, other),
        }
    }

    fn refuse(&self, at: &At<'_>, passage: u32) -> Vec<Reason> {
        let Some(ranked) = at.set().get::<Ranked>() else {
            return Vec::new();
        };
        // A list that others stand beside is no verdict.
        let alone = at.run.records.iter().skip(at.step + 1).all(|record| {
            record.step.inputs == [at.step]
                && record.step.operator.declaration().part == Part::Select
        });
        let flat = alone && self.ranker.reads_words() && ranked.parts.len() < 2;
        let shares_none = || {
            let words = words::words(at.index, ranked, at.values(), passage);
            words.iter().all(|word| word.score == 0.0)
        };
        match flat && shares_none() {
            true => vec![Reason::new(
                Code::NoSharedTerm,
                "the passage contains no word of the question",
            )],
            false => Vec::new(),
        }
    }
}
