//! E2GraphRAG: a tree of summaries and a graph of entities that meet in sentences.
//!
//! | file | what lives there |
//! |---|---|
//! | `entities` | what is taken from a sentence |
//! | `hops` | the co-occurrence graph and its shortest paths |
//! | `tree` | groups of nodes and their summaries |
//! | `build`, `layer` | making the layer; its columns |
//! | `link` | the question's vertices |

mod build;
pub(crate) mod entities;
pub(crate) mod hops;
pub(crate) mod layer;
pub(crate) mod link;
pub(crate) mod source;
pub(crate) mod tree;

use crate::parameters::{CHUNK_OVERLAP, CHUNK_TOKENS, SUMMARY_TOKENS, TREE_GROUP, TREE_OVER};
pub use layer::{E2Build, E2Graph};

use crate::index::{Index, IndexError};
use crate::parameters::Scoped;
use std::sync::Arc;

impl From<Scoped<'_>> for E2Build {
    fn from(s: Scoped<'_>) -> E2Build {
        let own = E2Build::default();
        E2Build {
            chunk_tokens: match s.get(CHUNK_TOKENS) {
                0 => own.chunk_tokens,
                tokens => tokens.max(50),
            },
            chunk_overlap: s.get(CHUNK_OVERLAP),
            tree_group: s.get(TREE_GROUP) as u32,
            tree_over: s.get(TREE_OVER),
            summary_tokens: s.get(SUMMARY_TOKENS),
        }
    }
}

/// The layer of an index; a small index builds it now.
///
/// # Errors
/// A large index without it, or what the build says.
pub fn opened(index: &Index, settings: Scoped<'_>) -> Result<Arc<E2Graph>, IndexError> {
    let options = E2Build::from(settings);
    index.layer_or(
        |layer: &E2Graph| layer.meta.options == options,
        || E2Graph::build(index, &options, &|_, _, _| true),
    )
}

#[cfg(test)]
pub(crate) mod layer_tests;
