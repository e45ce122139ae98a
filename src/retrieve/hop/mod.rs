//! `hop`: eight cheap signals in one explainable score, without a language model.
//!
//! | file | what lives there |
//! |---|---|
//! | `signals` | what each signal says about every candidate |
//! | `operators` | the seeds of the mixed walk, the signals, the weighted sum and how it opens into its parts |

mod operators;
mod signals;

pub use operators::SENTENCES;
pub use signals::{BridgeEvidence, Signal, Signals, Uncovered, single_hop};

use super::methods::Ranker;
use super::operators::lists::{Deep, List};
use super::operators::names::NAMES;
use super::operators::ranked::{BETWEEN, LEARNED};
use super::operators::restart::NAMES_ALONE;
use super::operators::walk::WALK;
use super::plan::Plan;
use crate::index::{Index, IndexError, Silent};
use crate::layers::{ENTITY_PASSAGE, HopLayer};
use crate::parameters::{BM25_B, BM25_K1, Parameter as P, TOKENS};
use operators::{MIXED_SEEDS, SIGNALS, WEIGHTED_SUM};
use std::sync::Arc;

/// Passages kept of a first-stage list: the tail of seeds is this long.
pub const LISTED: usize = 200;

static WORDS: List = List {
    ranker: Ranker::Bm25,
    deep: Deep::Least(LISTED),
};
static VECTORS: List = List {
    ranker: Ranker::Dense,
    deep: Deep::Least(LISTED),
};
static FUSED: List = List {
    ranker: Ranker::Rrf,
    deep: Deep::Least(LISTED),
};

/// Two walks, a sentence bridge, closeness and words in one score.
pub fn plan() -> Plan {
    let graph = &ENTITY_PASSAGE;
    let mut plan = Plan::default();
    // The layer holds the graph with titles as names: opened first, it is not derived again.
    plan.step(&SENTENCES, &[]);
    let words = plan.step(&WORDS, &[]);
    let vectors = plan.step(&VECTORS, &[]);
    // A seed that one way of cutting words misses, the other may find: uncut, with BM25's usual constants.
    let uncut = plan.step(&WORDS, &[]);
    plan.fix(&[
        TOKENS.at(TOKENS.default()),
        BM25_K1.at(BM25_K1.default()),
        BM25_B.at(BM25_B.default()),
    ]);
    let fused = plan.step(&FUSED, &[words, vectors, uncut]);
    let names = plan.on(graph, &NAMES, &[]);
    let own = plan.on(graph, &NAMES_ALONE, &[names]);
    let mixed = plan.on(graph, &MIXED_SEEDS, &[own, fused, vectors]);
    // The walk from names knows nothing of the lists, and outlives a change of theirs.
    let entity_walk = plan.on(graph, &WALK, &[own]);
    let mixed_walk = plan.on(graph, &WALK, &[mixed]);
    let inputs = [names, fused, words, vectors, entity_walk, mixed_walk];
    let signals = plan.on(graph, &SIGNALS, &inputs);
    let sum = plan.on(graph, &WEIGHTED_SUM, &[signals]);
    let candidates = plan.step(&BETWEEN, &[signals, sum]);
    plan.step(&LEARNED, &[sum, candidates, signals]);
    plan
}

/// What the signals depend on besides the walk and the lists; the weights are not among them.
pub const READS: &[P] = &[P::HopSeeds, P::HopSharpness, P::HopTail];

/// The guard, the weights in the order of [`Signal::ALL`], and how many are kept.
pub const WEIGHTS: &[P] = &[
    P::HopGuard,
    P::WeightCosine,
    P::WeightDenseRank,
    P::WeightBm25Rank,
    P::WeightEntityWalk,
    P::WeightMixedWalk,
    P::WeightBridge,
    P::WeightNamed,
    P::WeightResidual,
    P::ResultK,
];

/// The layer of an index: stored, or worked out now and kept.
///
/// # Errors
/// Damaged columns.
pub fn layer(index: &Index) -> Result<Arc<HopLayer>, IndexError> {
    let layer = match index.layer::<HopLayer>() {
        Err(IndexError::NoLayer { .. }) => {
            index.add_layer(HopLayer::build(index, &Silent)?);
            index.layer()?
        }
        known => known?,
    };
    index.keep_graph(layer.options(), &layer.graph);
    Ok(layer)
}
