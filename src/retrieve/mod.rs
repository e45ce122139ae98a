//! The core: seed some nodes, spread score from them, select passages from where it lands.
//!
//! [`Retriever::retrieve`] is pure in its inputs: same index, question and settings, same bits, on any number of threads.
//! Stages remember their last result by what they depend on, so a slider step re-runs only what it changes.

mod ahead;
pub mod candidates;
pub(crate) mod change;
pub mod compose;
pub mod confidence;
pub(crate) mod edits;
pub mod elsewhere;
mod engine;
pub mod explanation;
pub mod hop;
pub mod marks;
pub(crate) mod masses;
pub mod methods;
pub(crate) mod nearest;
pub mod operator;
pub mod operators;
pub(crate) mod pack;
mod paths;
pub mod plan;
pub(crate) mod planner;
mod plans;
pub(crate) mod presets;
pub mod rank;
pub mod reading;
pub(crate) mod rerank;
pub mod retrieval;
pub(crate) mod scratch;
pub mod set;
pub(crate) mod settings;
mod shared;
pub mod spread;
pub(crate) mod words;

pub use crate::layers::{GraphView, Link, Mask, Node, QueryName};
pub use crate::parameters::{Domain, Fallback, Origin, Parameter, Stage, Value};
pub use change::Change;
pub use compose::Composition;
pub use confidence::Confidence;
pub use edits::{Edited, SeedChange, SeedEdit};
pub use engine::{Keep, Retriever};
pub use methods::{DEFAULT_METHOD, METHODS, Method, MethodRef, Ranker, Way};
pub use nearest::Search;
pub use presets::{NO_PRESET, PRESETS, Preset, PresetRef, Presets};
pub use retrieval::{
    DEPTH, Hit, Ledger, Matched, Mixed, Ranked, Reranked, Retrieval, Seed, Seeded, Spread,
    StageTime,
};
pub use settings::Settings;
pub use shared::Shared;

use std::borrow::Cow;

/// Why a retrieval cannot be done.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // the text of each says what it is
pub enum RetrieveError {
    #[error("lexical index: {0}")]
    Lexical(#[from] std::io::Error),
    #[error(
        "method {method} needs vectors, and the index has none; build it with: hopscope index CORPUS --out DIR --encoder static"
    )]
    NoVectors { method: Cow<'static, str> },
    #[error("method {method} needs vectors; {closed}")]
    Closed {
        method: Cow<'static, str>,
        closed: crate::embed::Closed,
    },
    #[error(transparent)]
    Vectors(#[from] crate::embed::EmbedError),
    /// A layer that is missing or damaged.
    #[error(transparent)]
    Layer(#[from] crate::index::IndexError),
    /// What an index that lies elsewhere is not asked for.
    #[error("{0}")]
    Elsewhere(String),
}
