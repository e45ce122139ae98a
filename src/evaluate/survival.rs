//! How far gold gets: for each gold link the last stage of a retrieval at which it is still in play, and over a set the
//! number that survive each stage.
//!
//! Stages are nested, so the counts of a curve never rise. A walk has all of them, a flat ranking the first and the last
//! two. Looking costs next to nothing: what has a score was reachable, so only gold without one needs a search.

use super::coverage::Names;
use super::run::Evaluation;
use crate::corpus::Question;
use crate::layers::Node;
use crate::layers::{ENTITY_PASSAGE, Graph};
use crate::parameters::{FALLBACK, Fallback};
use crate::retrieve::retrieval::Walked;
use crate::retrieve::{Method, Retrieval};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The last stage at which a gold link is still in play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Not in the corpus.
    Missing,
    /// The corpus has the passage.
    Indexed,
    /// It takes part in the walk: an edge of the view ends at it, or it is a seed itself.
    Linked,
    /// A seed is within the steps of the walk (any number for push).
    Reachable,
    /// It has a score.
    Reached,
    /// Rank 11 to 50.
    Top50,
    /// Rank 1 to 10.
    Top10,
}

/// The stages that gold can lose at, in order.
pub const STAGES: [Stage; 6] = [
    Stage::Indexed,
    Stage::Linked,
    Stage::Reachable,
    Stage::Reached,
    Stage::Top50,
    Stage::Top10,
];

impl Stage {
    /// For a column's head.
    pub fn label(self) -> &'static str {
        match self {
            Stage::Missing => "missing",
            Stage::Indexed => "indexed",
            Stage::Linked => "linked",
            Stage::Reachable => "reachable",
            Stage::Reached => "reached",
            Stage::Top50 => "top 50",
            Stage::Top10 => "top 10",
        }
    }

    /// Whether it takes the whole graph to tell.
    pub fn is_of_graph(self) -> bool {
        matches!(self, Stage::Linked | Stage::Reachable)
    }

    /// Whether a method without a walk has this stage.
    fn flat(self) -> bool {
        matches!(self, Stage::Indexed | Stage::Top50 | Stage::Top10)
    }
}

/// What became of one question's gold and names.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Fate {
    /// One for each of the question's gold links, those in the corpus first.
    pub gold: Vec<Stage>,
    /// None where the method looks for no names: a flat ranking, or a graph of words.
    pub names: Option<Names>,
    /// The fallback that gave the seeds, when the question gave none.
    pub fallback: Option<Fallback>,
}

impl Fate {
    pub fn of(retrieval: &Retrieval, question: &Question) -> Fate {
        let method = retrieval.settings.method();
        let mut search = Search::default();
        let mut gold: Vec<Stage> = question
            .gold
            .iter()
            .map(|gold| stage(retrieval, &mut search, gold.passage))
            .collect();
        gold.resize(gold.len() + question.missing.len(), Stage::Missing);
        Fate {
            gold,
            names: (method.graph() == Some(&ENTITY_PASSAGE)).then(|| Names::of(retrieval.names())),
            fallback: fallback(retrieval),
        }
    }
}

/// Which fallback ran: `bm25_top1` turns uniform for a question that shares no word with any passage.
fn fallback(retrieval: &Retrieval) -> Option<Fallback> {
    if retrieval.seeds().is_empty() {
        return retrieval.walk().is_some().then_some(Fallback::None);
    }
    let asked = retrieval.settings.get(FALLBACK);
    let several = retrieval.seeds().len() > 1;
    let turned = asked == Fallback::Bm25Top1 && several;
    retrieval
        .fallback()
        .then_some(if turned { Fallback::Uniform } else { asked })
}

fn stage(retrieval: &Retrieval, search: &mut Search, passage: Node) -> Stage {
    match retrieval.rank(passage) {
        Some(1..=10) => return Stage::Top10,
        Some(11..=50) => return Stage::Top50,
        _ => {}
    }
    let Some(walk) = retrieval.walk() else {
        return Stage::Indexed;
    };
    if walk.landed(passage) > 0.0 {
        Stage::Reached
    } else if search.finds(&walk, passage) {
        Stage::Reachable
    } else if linked(walk.graph, passage) {
        Stage::Linked
    } else {
        Stage::Indexed
    }
}

/// Whether an edge ends at a node of the passage.
fn linked(graph: &Graph, passage: u32) -> bool {
    let nodes = graph.nodes_of(passage);
    nodes.iter().any(|node| graph.degree(*node) > 0)
}

/// Looks for seeds around passages of one question.
#[derive(Default)]
struct Search {
    seeds: Option<FxHashSet<Node>>,
}

impl Search {
    /// Whether a seed is within the walk's steps: breadth first from the passage, as edges lead both ways.
    fn finds(&mut self, walk: &Walked<'_>, passage: u32) -> bool {
        let seeds = self
            .seeds
            .get_or_insert_with(|| walk.seeds().iter().map(|s| s.node).collect());
        let steps = match walk.spread.diffusion.pushes() {
            true => usize::MAX,
            false => walk.spread.diffusion.steps,
        };
        let mut frontier = walk.graph.nodes_of(passage).to_vec();
        let mut seen = FxHashSet::from_iter(frontier.iter().copied());
        for step in 0.. {
            if frontier.iter().any(|node| seeds.contains(node)) {
                return true;
            }
            if step == steps || frontier.is_empty() || seeds.is_empty() {
                return false;
            }
            let around = frontier
                .iter()
                .flat_map(|node| walk.graph.neighbours(*node));
            frontier = around.map(|n| n.0).filter(|n| seen.insert(*n)).collect();
        }
        false
    }
}

/// Gold links that survive a stage.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Alive {
    /// The stage.
    pub stage: Stage,
    /// Gold links still in play after it.
    pub count: usize,
    /// Of all gold links.
    pub share: f64,
}

/// The survival curve of a method over a set.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Survival {
    /// Gold links, those outside the corpus included.
    pub gold: usize,
    /// The stages that apply to the method, in order.
    pub stages: Vec<Alive>,
    /// Gold links that are linked and whose question has a name that is linked too. None for methods that look for no names.
    pub linked_both: Option<usize>,
    /// Questions by the fallback that gave their seeds; `none` counts those that were left without seeds.
    pub fallbacks: BTreeMap<&'static str, usize>,
}

impl Survival {
    /// Of an evaluation.
    pub fn of(evaluation: &Evaluation) -> Survival {
        let fates: Vec<&Fate> = evaluation
            .per_question
            .iter()
            .map(|row| &row.fate)
            .collect();
        Survival::counted(&fates, evaluation.settings.method())
    }

    /// Of what became of each question's gold under a method.
    pub fn counted(fates: &[&Fate], method: &Method) -> Survival {
        let fates = || fates.iter().copied();
        let gold: usize = fates().map(|fate| fate.gold.len()).sum();
        let alive = |stage: Stage| {
            let reach = |fate: &Fate| fate.gold.iter().filter(|g| **g >= stage).count();
            let count = fates().map(reach).sum::<usize>();
            Alive {
                stage,
                count,
                share: count as f64 / gold.max(1) as f64,
            }
        };
        let walk = method.walks();
        let names = method.graph() == Some(&ENTITY_PASSAGE);
        let named = |fate: &&Fate| fate.names.is_some_and(|names| names.linked > 0);
        let mut fallbacks = BTreeMap::new();
        for rule in fates().filter_map(|fate| fate.fallback) {
            *fallbacks.entry(rule.name()).or_insert(0) += 1;
        }
        Survival {
            gold,
            stages: STAGES
                .into_iter()
                .filter(|stage| walk || stage.flat())
                .map(alive)
                .collect(),
            linked_both: names.then(|| {
                fates()
                    .filter(named)
                    .flat_map(|fate| &fate.gold)
                    .filter(|g| **g >= Stage::Linked)
                    .count()
            }),
            fallbacks,
        }
    }

    /// The share alive at a stage, where the method has it.
    pub fn share(&self, stage: Stage) -> Option<f64> {
        self.stages
            .iter()
            .find(|alive| alive.stage == stage)
            .map(|alive| alive.share)
    }
}
