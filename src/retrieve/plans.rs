//! The plans of the methods that SPRIG compares, and of compositions. A system's own plan is beside its operators.

use super::compose::{Composition, Pick, Rest, Seeds, Walk as Walking};
use super::methods::Ranker;
use super::operator::Operator;
use super::operators::lists::{
    BM25, BM25_FUSED, DENSE, DENSE_FUSED, RM3, RM3_FUSED, RRF, RRF_FUSED, TWO_STEP, TWO_STEP_FUSED,
};
use super::operators::names::NAMES;
use super::operators::nearest::NEAREST;
use super::operators::passages::{PASSAGES, PASSAGES_FUSED};
use super::operators::ranked::{BETWEEN_RANKED, LEARNED};
use super::operators::restart::{FROM_BOTH, FROM_LIST, FROM_NAMES};
use super::operators::run_file::READ;
use super::operators::walk::{LAZY, POWER, PUSH, WALK};
use super::operators::{bridge::BRIDGE, fuse::FUSE, pack::PACKED, rerank::RERANK};
use super::plan::Plan;
use crate::layers::{ENTITY_PASSAGE, GraphKind};

/// Adds the steps of a list and gives the place of the last.
pub fn list(plan: &mut Plan, ranker: Ranker, fused: bool) -> usize {
    let one = |plan: &mut Plan,
               alone: &'static dyn Operator,
               deep: &'static dyn Operator,
               inputs| { plan.step(if fused { deep } else { alone }, inputs) };
    match ranker {
        Ranker::Bm25 => one(plan, &BM25, &BM25_FUSED, &[]),
        Ranker::Dense => one(plan, &DENSE, &DENSE_FUSED, &[]),
        Ranker::Rm3 => {
            let first = plan.step(&BM25, &[]);
            one(plan, &RM3, &RM3_FUSED, &[first])
        }
        Ranker::TwoStep => {
            let first = plan.step(&BM25, &[]);
            // Its names are those of passages, whatever graph is walked.
            let names = plan.on(&ENTITY_PASSAGE, &NAMES, &[]);
            match fused {
                true => plan.on(&ENTITY_PASSAGE, &TWO_STEP_FUSED, &[first, names]),
                false => plan.on(&ENTITY_PASSAGE, &TWO_STEP, &[first, names]),
            }
        }
        Ranker::Rrf
        | Ranker::Walk
        | Ranker::Bridge
        | Ranker::Pack
        | Ranker::Signals
        | Ranker::Parts => {
            let words = plan.step(&BM25_FUSED, &[]);
            let vectors = plan.step(&DENSE_FUSED, &[]);
            one(plan, &RRF, &RRF_FUSED, &[words, vectors])
        }
    }
}

/// A list as it is, or its best scored again.
pub fn flat(ranker: Ranker, reranked: bool) -> Plan {
    let mut plan = Plan::default();
    let first = list(&mut plan, ranker, false);
    if reranked {
        plan.step(&RERANK, &[first]);
    }
    plan
}

/// What a run file says. Two files are not one step.
pub fn read(name: &str) -> Plan {
    let mut plan = Plan::default();
    plan.step(&READ, &[]);
    plan.label(name);
    plan
}

/// Names and a list seed a walk by the parameter `walk`, which ranks passages.
pub fn sprig(graph: &'static GraphKind, ranker: Option<Ranker>) -> Plan {
    let rest = ranker.map(Rest::List);
    sentence(Seeds { names: true, rest }, graph, &WALK, Pick::Passages)
}

/// The fused list and a walk from names alone, fused.
pub fn rrf_ppr() -> Plan {
    let rest = Some(Rest::List(Ranker::Rrf));
    sentence(
        Seeds { names: true, rest },
        &ENTITY_PASSAGE,
        &WALK,
        Pick::Fuse,
    )
}

/// The plan of a composition whose parts fit.
pub fn composed(parts: &Composition) -> Plan {
    let walk: &'static dyn Operator = match parts.walk {
        Walking::Power | Walking::Shallow | Walking::OneHop => &POWER,
        Walking::Push => &PUSH,
        Walking::Lazy => &LAZY,
    };
    sentence(parts.seeds, parts.graph, walk, parts.pick)
}

/// Seed, spread, select over one graph.
fn sentence(
    seeds: Seeds,
    graph: &'static GraphKind,
    walk: &'static dyn Operator,
    pick: Pick,
) -> Plan {
    let mut plan = Plan::default();
    let names = seeds.names.then(|| plan.on(graph, &NAMES, &[]));
    let fused = pick == Pick::Fuse;
    let listed = matches!(seeds.rest, Some(Rest::List(_)));
    let rest = match seeds.rest {
        Some(Rest::List(ranker)) => Some(list(&mut plan, ranker, fused)),
        Some(Rest::Nearest) => Some(plan.on(graph, &NEAREST, &[])),
        None => None,
    };
    // Where the list is fused with the walk it restarts it only when nothing else can: else it would count twice.
    let restarts = rest.filter(|_| !(fused && listed && seeds.names));
    let seeds = match (names, restarts) {
        (Some(names), Some(rest)) => plan.on(graph, &FROM_BOTH, &[names, rest]),
        (Some(names), None) => plan.on(graph, &FROM_NAMES, &[names]),
        (None, rest) => plan.on(graph, &FROM_LIST, &Vec::from_iter(rest)),
    };
    let walk = plan.on(graph, walk, &[seeds]);
    match (pick, rest) {
        (Pick::Fuse, Some(list)) => {
            let walked = plan.on(graph, &PASSAGES_FUSED, &[walk]);
            plan.step(&FUSE, &[list, walked]);
        }
        (Pick::Bridge, _) => {
            plan.on(graph, &BRIDGE, &[walk, seeds]);
        }
        (pick, _) => {
            let walked = plan.on(graph, &PASSAGES, &[walk]);
            match pick {
                Pick::Pack => {
                    plan.step(&PACKED, &[walked]);
                }
                pick => end(&mut plan, walked, pick),
            }
        }
    }
    plan
}

/// The plan of a method whose ranking one more selection takes in.
pub fn ended(of: &Plan, pick: Pick) -> Plan {
    let mut plan = of.clone();
    if let Some(last) = plan.steps.len().checked_sub(1) {
        end(&mut plan, last, pick);
    }
    plan
}

/// Adds the steps of a selection that can follow any ranking.
fn end(plan: &mut Plan, first: usize, pick: Pick) {
    match pick {
        Pick::Rerank => {
            plan.step(&RERANK, &[first]);
        }
        Pick::Ranked => {
            let candidates = plan.step(&BETWEEN_RANKED, &[first]);
            plan.step(&LEARNED, &[first, candidates]);
        }
        Pick::Passages | Pick::Fuse | Pick::Bridge | Pick::Pack => {}
    }
}
