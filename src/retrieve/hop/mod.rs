//! `hop`: eight cheap signals in one explainable score, without a language model.
//!
//! | file | what lives there |
//! |---|---|
//! | `layer` | the index's part: the graph with titles as names, sentences with vectors |
//! | `signals` | what each signal says about every candidate |
//! | `run` | one question through both walks, the lists and the signals |
//! | `answer` | the weighted sum, and how it opens into its parts |

mod answer;
mod layer;
mod run;
mod signals;

pub use answer::Answer;
pub use layer::HopLayer;
pub use signals::{Crossing, Left, Signal, Signals, Sources, mixed_seeds, signals};

use super::settings::Settings;
use crate::index::{Index, IndexError, Silent};
use crate::parameters::{Origin, Parameter as P};
use std::sync::Arc;

/// What the signals depend on besides the walk and the lists; the weights are not among them.
pub const READS: &[P] = &[P::HopSeeds, P::HopSharpness, P::HopTail];

/// The settings of the first stage's other words: uncut, with BM25's usual constants.
pub fn as_they_stand(settings: &Settings) -> Settings {
    let mut other = settings.clone();
    for parameter in [P::Tokens, P::Bm25K1, P::Bm25B] {
        other.set(parameter, parameter.declaration().default, Origin::Default);
    }
    other
}

/// The guard, and the weights in the order of [`Signal::ALL`].
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
