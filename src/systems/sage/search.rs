//! Seeds by words and vectors fused, one hop over the chunk graph, pruning by the same score (SAGE, retrieval).

use super::layer::{Sage, Via};
use super::pairs::{Bars, EdgeLogic, EdgeRule};
use super::postings::Word;
use crate::index::{Bm25, Index};
use crate::retrieve::{Hit, RetrieveError};
use crate::text::Tokens;
use crate::text::chunking::percentile;
use rustc_hash::FxHashSet;
use std::cmp::Ordering;
use std::ops::Range;

pub use crate::parameters::{SageNearness, SageSeeding};

/// Parameters of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    pub tokens: Tokens,
    pub bm25: Bm25,
    /// Weights of words and vectors in the fused score.
    pub fuse_lexical: f64,
    pub fuse_dense: f64,
    pub nearness: SageNearness,
    pub seeding: SageSeeding,
    pub edges: EdgeRule,
    /// Whether units of one source and of linked sources are neighbours.
    pub structural: bool,
    /// k and k'.
    pub seeds: usize,
    pub neighbours: usize,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            tokens: Tokens::Plain,
            bm25: Bm25 { k1: 1.5, b: 0.75 },
            fuse_lexical: 0.5,
            fuse_dense: 0.5,
            nearness: SageNearness::Cosine,
            seeding: SageSeeding::Fused,
            edges: EdgeRule {
                percentile: 95.0,
                logic: EdgeLogic::Or,
                entity_edges: true,
                fuzzy: false,
            },
            structural: true,
            seeds: 10,
            neighbours: 10,
        }
    }
}

/// A unit with both scores and what they make.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scored {
    pub unit: u32,
    pub bm25: f64,
    pub dense: f64,
    pub fused: f64,
}

/// A neighbour of seeds.
#[derive(Clone, Debug, PartialEq)]
pub struct Neighbour {
    /// Fused with the best BM25 score of the neighbours.
    pub scored: Scored,
    /// Its place in [`Run::ways`].
    pub ways: Range<usize>,
}

/// A way from a seed to a neighbour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Way {
    pub unit: u32,
    /// Place in [`Run::seeds`].
    pub seed: usize,
    pub via: Via,
}

/// What brought a passage into the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entered {
    /// Place in [`Run::seeds`].
    Seed(usize),
    /// Place in [`Run::neighbours`].
    Neighbour(usize),
}

/// Everything a search found.
#[derive(Clone, Debug)]
pub struct Run {
    /// Without a graph: the best k + k' by fused score.
    pub flat: bool,
    pub words: Vec<Word>,
    /// BM25 and nearness of every unit.
    pub bm25: Vec<f64>,
    pub dense: Vec<f32>,
    pub best_bm25: f64,
    /// Units with a BM25 score above zero.
    pub matched: usize,
    /// Best first.
    pub seeds: Vec<Scored>,
    pub bars: Bars,
    /// Every neighbour of a seed, best first; the first [`Run::kept`] are returned.
    pub neighbours: Vec<Neighbour>,
    pub ways: Vec<Way>,
    pub kept: usize,
    /// The best BM25 score among the neighbours.
    pub best_near: f64,
    /// Passages in order of the first of their units, and what entered them.
    pub passages: Vec<Hit>,
    pub entered: Vec<Entered>,
}

/// The methods' names.
pub const NAME: &str = "sage";
pub const FLAT: &str = "sage-flat";

/// Hits that `cutoff` looks at, in either list.
const HITS: usize = 100;

/// The fused score: `lexical * bm25 / best + dense * nearness`.
fn fused(p: &Params, bm25: f64, best: f64, dense: f64) -> f64 {
    let share = if best > 0.0 { bm25 / best } else { 0.0 };
    p.fuse_lexical * share + p.fuse_dense * dense
}

/// Score descending, then unit ascending.
fn order(a: &Scored, b: &Scored) -> Ordering {
    b.fused.total_cmp(&a.fused).then(a.unit.cmp(&b.unit))
}

/// The best `count`, in order.
fn best(mut all: Vec<Scored>, count: usize) -> Vec<Scored> {
    if count < all.len() {
        all.select_nth_unstable_by(count, order);
        all.truncate(count);
    }
    all.sort_unstable_by(order);
    all
}

impl Run {
    /// What seeds lie above any neighbour: their place before them, as a part of the score.
    pub fn before(p: &Params) -> f64 {
        2.0 * (p.fuse_lexical + p.fuse_dense)
    }

    /// A unit with its first-stage scores.
    pub fn scored(&self, p: &Params, unit: u32) -> Scored {
        let (bm25, dense) = (
            self.bm25[unit as usize],
            f64::from(self.dense[unit as usize]),
        );
        Scored {
            unit,
            bm25,
            dense,
            fused: fused(p, bm25, self.best_bm25, dense),
        }
    }

    /// Rank of a unit by fused score among all, from 1.
    pub fn flat_rank(&self, p: &Params, unit: u32) -> usize {
        let own = self.scored(p, unit);
        let all = (0..self.bm25.len() as u32).map(|u| self.scored(p, u));
        1 + all
            .filter(|other| order(other, &own) == Ordering::Less)
            .count()
    }

    fn cutoff(&self, p: &Params, k: usize) -> Vec<Scored> {
        let all = 0..self.bm25.len() as u32;
        let list = |value: &dyn Fn(u32) -> f64| {
            let ranked = all.clone().map(|unit| Scored {
                fused: value(unit),
                ..self.scored(p, unit)
            });
            best(ranked.collect(), HITS)
        };
        let near = list(&|unit| f64::from(self.dense[unit as usize]));
        let mut worded = list(&|unit| self.bm25[unit as usize]);
        worded.retain(|hit| hit.bm25 > 0.0);
        // The nearest fifth by distance is the best fifth by nearness.
        let top = |hits: &[Scored]| -> FxHashSet<u32> {
            let mut values: Vec<f32> = hits.iter().map(|hit| hit.fused as f32).collect();
            values.reverse();
            let bar = percentile(&values, 80.0).unwrap_or(0.0);
            let above = hits.iter().filter(|hit| f64::from(hit.fused as f32) >= bar);
            above.map(|hit| hit.unit).collect()
        };
        let units =
            |hits: &[Scored]| -> FxHashSet<u32> { hits.iter().map(|hit| hit.unit).collect() };
        let both = |a: &FxHashSet<u32>, b: &FxHashSet<u32>| -> Vec<u32> {
            a.intersection(b).copied().collect()
        };
        let mut chosen = both(&top(&near), &top(&worded));
        if chosen.is_empty() {
            chosen = both(&units(&near), &units(&worded));
        }
        if chosen.is_empty() {
            let half = k.div_ceil(2);
            let halves = near.iter().take(half).chain(worded.iter().take(k - half));
            chosen = halves.map(|hit| hit.unit).collect();
        }
        // Sets have no order: `best` sorts.
        best(
            chosen
                .into_iter()
                .map(|unit| self.scored(p, unit))
                .collect(),
            k,
        )
    }

    /// Every neighbour of the seeds that is no seed, with the ways to it.
    fn expand(&mut self, layer: &Sage, p: &Params) {
        let seeds: FxHashSet<u32> = self.seeds.iter().map(|s| s.unit).collect();
        let mut ways = Vec::new();
        for (seed, scored) in self.seeds.iter().enumerate() {
            layer.neighbours(scored.unit, &self.bars, p.structural, |unit, via| {
                if !seeds.contains(&unit) {
                    ways.push(Way { unit, seed, via });
                }
            });
        }
        ways.sort_unstable_by_key(|way| (way.unit, way.seed, way.via));
        self.ways = ways;
    }

    /// Scores the neighbours among themselves.
    fn prune(&mut self, p: &Params) {
        let mut groups: Vec<Neighbour> = Vec::new();
        for (at, way) in self.ways.iter().enumerate() {
            match groups.last_mut() {
                Some(last) if last.scored.unit == way.unit => last.ways.end = at + 1,
                _ => groups.push(Neighbour {
                    scored: self.scored(p, way.unit),
                    ways: at..at + 1,
                }),
            }
        }
        self.best_near = groups.iter().map(|n| n.scored.bm25).fold(0.0, f64::max);
        for near in &mut groups {
            near.scored.fused = fused(p, near.scored.bm25, self.best_near, near.scored.dense);
        }
        groups.sort_by(|a, b| order(&a.scored, &b.scored));
        self.kept = p.neighbours.min(groups.len());
        self.neighbours = groups;
    }

    /// Seeds in their order, then the neighbours in theirs, as passages.
    fn select(&mut self, layer: &Sage, p: &Params) {
        let before = Run::before(p);
        let seeds = (self.seeds.iter().enumerate())
            .map(|(at, s)| (s.unit, before + s.fused, Entered::Seed(at)));
        let near = self.neighbours[..self.kept].iter().enumerate();
        let near = near.map(|(at, n)| (n.scored.unit, n.scored.fused, Entered::Neighbour(at)));
        let mut seen = FxHashSet::default();
        let (mut passages, mut entered) = (Vec::new(), Vec::new());
        for (unit, score, how) in seeds.chain(near) {
            let passage = layer.passage[unit as usize];
            if seen.insert(passage) {
                passages.push(Hit {
                    passage,
                    score: score as f32,
                });
                entered.push(how);
            }
        }
        (self.passages, self.entered) = (passages, entered);
    }
}

/// Searches the chunk graph; `flat` takes the best k + k' units without it (the paper's extended baseline).
///
/// # Errors
/// A question without a vector, or vectors of another encoder.
pub fn search(
    layer: &Sage,
    index: &Index,
    question: &str,
    vector: Option<&[f32]>,
    p: &Params,
    flat: bool,
    stage: &mut dyn FnMut(&'static str),
) -> Result<Run, RetrieveError> {
    let (Some(vector), Some(dense)) = (vector, index.dense()) else {
        return Err(RetrieveError::NoVectors {
            method: if flat { FLAT } else { NAME }.into(),
        });
    };
    layer.vectors.check(dense.encoder.identity())?;
    let postings = &layer.words[p.tokens as usize];
    let words = postings.question(p.tokens, question);
    let bm25 = postings.scores(&words, p.bm25);
    let mut dense = layer.vectors.scores(vector)?;
    if p.nearness == SageNearness::Distance {
        // Unit vectors: L2^2 = 2 - 2 cos.
        dense
            .iter_mut()
            .for_each(|cos| *cos = (1.0 / (3.0 - 2.0 * f64::from(*cos))) as f32);
    }
    let mut run = Run {
        flat,
        best_bm25: bm25.iter().copied().fold(0.0, f64::max),
        matched: bm25.iter().filter(|s| **s > 0.0).count(),
        words,
        bm25,
        dense,
        seeds: Vec::new(),
        bars: layer.bars(p.edges),
        neighbours: Vec::new(),
        ways: Vec::new(),
        kept: 0,
        best_near: 0.0,
        passages: Vec::new(),
        entered: Vec::new(),
    };
    stage("score");
    let k = if flat {
        p.seeds + p.neighbours
    } else {
        p.seeds
    };
    run.seeds = match p.seeding {
        SageSeeding::Cutoff if !flat => run.cutoff(p, k),
        _ => best(
            (0..layer.len() as u32)
                .map(|unit| run.scored(p, unit))
                .collect(),
            k,
        ),
    };
    stage("seed");
    if !flat {
        run.expand(layer, p);
        stage("expand");
        run.prune(p);
        stage("prune");
    }
    run.select(layer, p);
    stage("select");
    Ok(run)
}

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;
