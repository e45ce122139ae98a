//! What a retrieval gives: every stage's outcome with its provenance, as plain data.

use super::edits::Edited;
use super::methods::{Ranker, Select};
use super::nearest::Search;
use super::settings::Settings;
use super::view::GraphView;
use crate::index::lexical::Weighted;
use crate::parameters::RESULT_K;
use serde::Serialize;
use std::sync::Arc;

/// A node of a graph view: passages come first (`0..passages`), then entities.
pub type Node = u32;

/// How far down rankings are kept (first stage and final), beyond what top K shows.
pub const DEPTH: usize = 100;

/// A passage and its score.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Hit {
    pub passage: u32,
    /// Added up in f64, kept in f32: passages that differ by less are tied, and ties go to the lower id.
    pub score: f32,
}

/// A name found in the question and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QueryName {
    /// As written in the question.
    pub surface: String,
    /// Byte range in the question.
    pub start: usize,
    pub end: usize,
    /// Its normal form, after alias linking: what is looked up.
    pub form: String,
    /// True when a title alias changed the form.
    pub aliased: bool,
    pub link: Link,
}

/// What became of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "outcome")]
pub enum Link {
    /// It is this node.
    Linked { node: Node },
    /// The same node as an earlier name of the question.
    Repeated { node: Node },
    /// No entity has this form.
    NotFound,
    /// Two titles own this alias, so it was left as it is and no entity has its form.
    Ambiguous,
    /// The entity exists, but this setting masks it.
    Masked { node: Node, by: Mask },
}

/// Why an entity does not take part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mask {
    Pruned,
    MinDf,
    MaxDf,
}

/// A first-stage ranking.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ranked {
    pub ranker: Ranker,
    /// The best [`DEPTH`] (or top K, when larger) with a score above zero.
    pub hits: Vec<Hit>,
    /// How many passages scored above zero.
    pub matched: usize,
    /// The words that were scored, expanded ones after the question's own.
    pub words: Vec<Weighted>,
    /// What joined the question, heaviest first.
    pub expansion: Vec<Expansion>,
    /// The first pass of an expanded ranking; the lists of a fused one.
    pub parts: Vec<Arc<Ranked>>,
    /// How nearest vectors were found; none for other lists.
    pub search: Option<Search>,
}

/// What scored the candidates again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reranked {
    /// `MaxSim` or `cross-encoder`.
    pub name: &'static str,
    /// The encoder whose token vectors MaxSim compares, or the cross-encoder's folder.
    pub model: String,
    /// How many; those below keep their order.
    pub candidates: usize,
}

/// A word or name that feedback added to the question.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Expansion {
    pub name: String,
    pub weight: f64,
    /// The best feedback passage that has it.
    pub from: u32,
}

/// A node that restarts the walk.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Seed {
    pub node: Node,
    /// Mass before mixing.
    pub raw: f64,
    /// Share of the restart distribution; all seeds sum to 1.
    pub weight: f64,
    pub why: SeedReason,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "from")]
pub enum SeedReason {
    /// `name` is the place in [`Retrieval::names`].
    Entity { name: usize, df: u32 },
    /// Rank from 1 in the first-stage ranking.
    Ranked {
        ranker: Ranker,
        rank: usize,
        score: f32,
    },
    /// The question gave no seed.
    Fallback,
    /// A person added it.
    Added,
}

/// How entity and passage seeds shared the restart mass.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Mixed {
    /// Raw mass of each part before mixing.
    pub entity_mass: f64,
    pub passage_mass: f64,
    /// Entity share of the restart distribution that came out.
    pub a: f64,
}

/// Where all mass is: the lines sum to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Ledger {
    /// Mass on entities.
    pub entities: f64,
    /// Mass on passages.
    pub passages: f64,
    /// Mass that left at passages without entities, in this and earlier steps.
    pub dropped: f64,
    /// Mass that push has not settled. 0 for power.
    pub residual: f64,
}

impl Ledger {
    pub fn total(&self) -> f64 {
        self.entities + self.passages + self.dropped + self.residual
    }
}

/// How much of one unit of seed mass ends on passages, by the kind of seed: the parity effect of T steps on a
/// bipartite graph (dead ends aside).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Parity {
    pub entity_seeds: f64,
    pub passage_seeds: f64,
}

/// Where score went.
#[derive(Clone, Debug, PartialEq)]
pub struct Spread {
    /// Score of every node, by id.
    pub scores: Vec<f32>,
    /// Power: the score of every node after step 0 (the seeds), 1, ..., T; push: the settled mass at marks.
    /// Only filled for an observer that asks.
    pub states: Vec<Vec<f32>>,
    /// One per state; the last one is the end's.
    pub ledgers: Vec<Ledger>,
    /// Power: steps taken. Push: pushes done.
    pub work: usize,
    /// Push stopped at the hard cap before every residual was small.
    pub capped: bool,
    /// Largest residual left by push, 0 for power.
    pub largest_residual: f64,
    pub parity: Parity,
}

/// The whole of one retrieval. The last complete one stays on screen until the next.
#[derive(Clone, Debug)]
pub struct Retrieval {
    pub question: String,
    pub settings: Settings,
    /// Names found in the question; empty for flat methods.
    pub names: Vec<QueryName>,
    /// The first-stage ranking, when the method (or a fallback) has one.
    pub ranked: Option<Arc<Ranked>>,
    /// By weight, heaviest first; ties by node id.
    pub seeds: Arc<Vec<Seed>>,
    pub mixed: Option<Mixed>,
    /// Changes a person made to the seeds, and what became of each.
    pub edits: Arc<Vec<Edited>>,
    /// True when the question had no seed and the fallback ran.
    pub fallback: bool,
    pub spread: Option<Arc<Spread>>,
    /// The graph the walk ran on.
    pub view: Option<Arc<GraphView>>,
    /// The lists that were fused or re-ranked into `passages`: the candidates, or the first stage and the walk.
    pub fused: Vec<Arc<Ranked>>,
    /// What a system with a layer of its own found.
    pub found: Option<Arc<dyn crate::systems::Found>>,
    /// For methods that re-rank.
    pub reranked: Option<Reranked>,
    /// Best first: [`DEPTH`] or top K, whichever is larger; only scores above zero.
    pub passages: Vec<Hit>,
}

impl Retrieval {
    /// Rank of a passage, from 1, where it is among the kept ones.
    pub fn rank(&self, passage: u32) -> Option<usize> {
        self.passages
            .iter()
            .position(|h| h.passage == passage)
            .map(|at| at + 1)
    }

    /// Rank and score of any passage, as far as they are known: a walk ranks every passage it reached, a flat ranking
    /// the ones it kept. Score 0 has no rank.
    pub fn place(&self, passage: u32) -> Option<(usize, f32)> {
        let walked = self.settings.method().select == Select::Score;
        let Some(spread) = self.spread.as_deref().filter(|_| walked) else {
            return self
                .rank(passage)
                .map(|rank| (rank, self.passages[rank - 1].score));
        };
        let passages = &spread.scores[..self.view.as_deref().map_or(0, GraphView::passages)];
        let own = *passages.get(passage as usize)?;
        let before = |(other, score): (usize, &f32)| {
            *score > own || (*score == own && other < passage as usize)
        };
        (own > 0.0).then(|| {
            (
                1 + passages.iter().enumerate().filter(|p| before(*p)).count(),
                own,
            )
        })
    }

    /// The passages that are returned.
    pub fn top(&self) -> &[Hit] {
        let k = self.settings.get(RESULT_K);
        &self.passages[..k.min(self.passages.len())]
    }
}
