//! Why a passage is not among the returned ones.
//!
//! Each text ends with the group that the authors' error analysis would put it in: not in the graph, not connected, or
//! similarity pruning.

use super::layer::Sage;
use super::record::{Record, short};
use super::search::{Entered, Params, Run};
use super::story::Answer;
use crate::index::Index;
use crate::parameters::{EDGE_PERCENTILE, Param, ParamType, RESULT_K, SAGE_NEIGHBOURS, SAGE_SEEDS};
use crate::systems::Reason;

const NOT_IN_GRAPH: &str = "not in the graph";
const NOT_CONNECTED: &str = "not connected";
const PRUNING: &str = "similarity pruning";

/// Largest values of the parameters that a fix names, and the range of percentiles.
const MOST: usize = 100;
const LARGEST_K: usize = 200;
const PERCENTILES: (f64, f64) = (50.0, 99.9);

fn reason(code: &'static str, class: &'static str, text: String, group: &str) -> Reason {
    Reason {
        code,
        class,
        text: format!("{text} ({group})"),
        fix: None,
    }
}

/// The first reason is the verdict, the others hold too. Empty when the passage is returned.
pub fn missing(answer: &Answer, index: &Index, passage: u32) -> Vec<Reason> {
    let (layer, run, k) = (&*answer.layer, &answer.run, answer.result_k);
    if let Some(at) = run.passages.iter().position(|hit| hit.passage == passage) {
        let rank = at + 1;
        if rank <= k {
            return Vec::new();
        }
        let entered = match run.entered[at] {
            Entered::Seed(at) => format!("seed {}", at + 1),
            Entered::Neighbour(at) => format!("neighbour {}", at + 1),
        };
        let class = if rank <= 2 * k { "F6" } else { "F4" };
        let fix = (rank <= LARGEST_K).then(|| RESULT_K.assignment(rank));
        let text = format!(
            "rank {rank} of {}, as {entered}; {k} are returned ({PRUNING})",
            run.passages.len()
        );
        return vec![Reason {
            code: "CUT_BY_K",
            class,
            text,
            fix,
        }];
    }
    let units: Vec<u32> = layer.units_of(passage).collect();
    if units.is_empty() {
        let text = "the passage has no text, so it has no unit in the graph".into();
        return vec![reason("NOT_IN_INDEX", "F0", text, NOT_IN_GRAPH)];
    }
    let mut reasons = Vec::new();
    if !run.flat {
        graph(answer, index, passage, &units, &mut reasons);
    }
    reasons.push(unseeded(answer, index, passage, &units));
    reasons
}

/// What the graph has to say: it is no neighbour, or one that was pruned.
fn graph(answer: &Answer, index: &Index, passage: u32, units: &[u32], reasons: &mut Vec<Reason>) {
    let (layer, run, p) = (&*answer.layer, &answer.run, &answer.params);
    let near = run
        .neighbours
        .iter()
        .position(|n| units.contains(&n.scored.unit));
    if let Some(at) = near {
        let (own, rank) = (&run.neighbours[at], at + 1);
        let last = run.neighbours[..run.kept]
            .last()
            .map_or(0.0, |n| n.scored.fused);
        let (seed, _) = answer.best_way(index, own);
        let label = short(&layer.label(index, run.seeds[seed].unit), 40);
        let text = format!(
            "a neighbour of {label}, but rank {rank} of {} by fused score (BM25 {:.2}, dense {:.3}): {:.3} below rank {}",
            run.neighbours.len(),
            own.scored.bm25,
            own.scored.dense,
            last - own.scored.fused,
            run.kept
        );
        let fix = answer.tried(
            index,
            passage,
            SAGE_NEIGHBOURS,
            (rank <= MOST).then_some(rank),
            |p, rank| {
                p.neighbours = rank;
            },
        );
        let class = if rank <= 2 * p.neighbours { "F6" } else { "F4" };
        reasons.push(Reason {
            fix,
            ..reason("PRUNED_BY_FUSION", class, text, PRUNING)
        });
        return;
    }
    let far = distance(layer, run, p, units);
    match far {
        Far::Isolated => {
            reasons.push(reason(
                "ISOLATED",
                "F3",
                "no edge leads to the passage".into(),
                NOT_CONNECTED,
            ));
        }
        Far::Apart => {
            reasons.push(reason(
                "NO_PATH",
                "F3",
                "no path leads from any seed to the passage".into(),
                NOT_CONNECTED,
            ));
        }
        Far::Steps(_) => {}
    }
    reasons.extend(unconnected(answer, index, passage, units));
    if let Far::Steps(steps) = far {
        let text = format!("no seed is adjacent: the nearest is {steps} hops away, one is taken");
        reasons.push(reason("NOT_NEIGHBOUR", "F3", text, NOT_CONNECTED));
    }
}

/// Why no pair with a seed is an edge: below the thresholds, or never scored.
fn unconnected(answer: &Answer, index: &Index, passage: u32, units: &[u32]) -> Option<Reason> {
    let (layer, run, rule) = (&*answer.layer, &answer.run, &answer.params.edges);
    let mut best: Option<(f64, u32, u32)> = None;
    let mut nearest: Option<(f32, u32, u32)> = None;
    for seed in &run.seeds {
        for &unit in units {
            if let Some((kind, pair)) = layer.pair(seed.unit, unit) {
                let needed = layer.pairs[kind as usize].needed(pair, rule.logic);
                if best.is_none_or(|b| needed > b.0) {
                    best = Some((needed, seed.unit, unit));
                }
            }
            let cosine = layer.vectors.between(seed.unit, unit);
            if nearest.is_none_or(|n| cosine > n.0) {
                nearest = Some((cosine, seed.unit, unit));
            }
        }
    }
    if let Some((needed, seed, unit)) = best {
        let record = Record::new(layer, index, &run.bars, seed, unit);
        let metric = record.nearest()?;
        let label = short(&layer.label(index, seed), 40);
        let text = format!(
            "the pair with {label} was scored, but its best metric, {}, is {:.3} against {:.3}: percentile {needed:.1}, not {}",
            metric.name, metric.value, metric.threshold, rule.percentile
        );
        // One decimal, below the percentile that refuses it.
        let lower = ((needed * 10.0).ceil() - 1.0) / 10.0;
        let lower = (PERCENTILES.0..=PERCENTILES.1)
            .contains(&lower)
            .then_some(lower);
        let fix = answer.tried(index, passage, EDGE_PERCENTILE, lower, |p, lower| {
            p.edges.percentile = lower
        });
        return Some(Reason {
            fix,
            ..reason("PERCENTILE_PRUNED", "F3", text, NOT_CONNECTED)
        });
    }
    let (cosine, seed, _) = nearest?;
    let all = (0..layer.len() as u32).filter(|&u| u != seed);
    let before = all
        .filter(|&u| layer.vectors.between(seed, u) > cosine)
        .count();
    let label = short(&layer.label(index, seed), 40);
    let text = format!(
        "the pair with no seed was scored: of {label} it is number {} by content (cosine {cosine:.3}), the pool holds {}",
        before + 1,
        layer.meta.options.pair_pool
    );
    Some(reason("NOT_CANDIDATE_PAIR", "F3", text, NOT_CONNECTED))
}

/// Its own place among the seeds.
fn unseeded(answer: &Answer, index: &Index, passage: u32, units: &[u32]) -> Reason {
    let (run, p) = (&answer.run, &answer.params);
    let ranks = units.iter().map(|&unit| (run.flat_rank(p, unit), unit));
    let (rank, unit) = ranks.min().unwrap_or_default();
    let scored = run.scored(p, unit);
    let last = run.seeds.last().map_or(0.0, |s| s.fused);
    let what = if run.flat { "returned" } else { "seeds" };
    let text = format!(
        "rank {rank} of {} by fused score (BM25 {:.2}, dense {:.3}), {:.3} below the last of {} {what}",
        run.bm25.len(),
        scored.bm25,
        scored.dense,
        last - scored.fused,
        run.seeds.len()
    );
    let needed = if run.flat {
        rank.saturating_sub(p.neighbours)
    } else {
        rank
    };
    let fix = answer.tried(
        index,
        passage,
        SAGE_SEEDS,
        (needed <= MOST).then_some(needed),
        |p, rank| p.seeds = rank,
    );
    Reason {
        fix,
        ..reason("CUT_BY_K", "F4", text, PRUNING)
    }
}

impl Answer {
    /// `name=value`, if a search with that value returns the passage.
    fn tried<T: ParamType>(
        &self,
        index: &Index,
        passage: u32,
        param: Param<T>,
        value: Option<T>,
        set: impl Fn(&mut Params, T),
    ) -> Option<String> {
        let value = value?;
        let mut params = self.params.clone();
        set(&mut params, value);
        let run = self.again(index, &params)?;
        let rank = 1 + run.passages.iter().position(|hit| hit.passage == passage)?;
        (rank <= self.result_k).then(|| param.assignment(value))
    }
}

/// How far the nearest seed is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Far {
    /// Without any edge.
    Isolated,
    /// In another component.
    Apart,
    Steps(usize),
}

/// By breadth-first search from the passage's units.
fn distance(layer: &Sage, run: &Run, p: &Params, units: &[u32]) -> Far {
    let mut seed = vec![false; layer.len()];
    run.seeds.iter().for_each(|s| seed[s.unit as usize] = true);
    let mut seen = vec![false; layer.len()];
    // All units of a source are reached together: each source's list is read once.
    let mut read = vec![false; layer.meta.sources];
    let mut frontier = units.to_vec();
    frontier.iter().for_each(|&unit| seen[unit as usize] = true);
    for steps in 1.. {
        let mut next = Vec::new();
        for unit in frontier {
            let source = layer.source[unit as usize] as usize;
            let structural = p.structural && !std::mem::replace(&mut read[source], true);
            layer.neighbours(unit, &run.bars, structural, |other, _| {
                if !std::mem::replace(&mut seen[other as usize], true) {
                    next.push(other);
                }
            });
        }
        if next.iter().any(|&unit| seed[unit as usize]) {
            return Far::Steps(steps);
        }
        if next.is_empty() {
            return if steps == 1 {
                Far::Isolated
            } else {
                Far::Apart
            };
        }
        frontier = next;
    }
    Far::Apart
}
