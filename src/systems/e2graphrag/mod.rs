//! E2GraphRAG: a tree of summaries and a graph of entities that meet in sentences.
//!
//! | file | what lives there |
//! |---|---|
//! | `entities` | what is taken from a sentence |
//! | `hops` | the co-occurrence graph and its shortest paths |
//! | `tree` | groups of nodes and their summaries |
//! | `build`, `layer` | making the layer; its columns |
//! | `link`, `search`, `global` | the question's vertices; the adaptive retrieval; its fallback to the tree |
//! | `story`, `teller`, `missing` | what happened, stage by stage; why a passage is missing |

mod build;
pub mod entities;
mod global;
pub mod hops;
pub mod layer;
pub mod link;
mod missing;
pub mod search;
mod story;
mod teller;
pub mod tree;

use crate::parameters::{
    CHUNK_OVERLAP, CHUNK_TOKENS, CODE_HOPS, HOPS, RESULT_K, SUMMARY_TOKENS, TREE_GROUP,
};
pub use layer::{E2Build, E2Graph};
pub use search::{Mode, Params, Run, search};
pub use story::Answer;

use crate::index::{Index, IndexError, Layer};
use crate::parameters::Scoped;
use crate::retrieve::{Parameter, RetrieveError};
use crate::systems::{Ask, Found, System};
use std::sync::Arc;

impl From<Scoped<'_>> for Params {
    fn from(s: Scoped<'_>) -> Params {
        Params {
            k: s.get(RESULT_K),
            hops: s.get(HOPS),
            code_hops: s.get(CODE_HOPS),
        }
    }
}

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

/// The method `e2graphrag`.
#[derive(Debug)]
pub struct E2GraphRag;

impl System for E2GraphRag {
    fn uses(&self) -> &'static [Parameter] {
        &[Parameter::Hops, Parameter::CodeHops]
    }

    fn layer(&self) -> Option<&'static str> {
        Some(E2Graph::NAME)
    }

    fn search(&self, ask: &mut Ask<'_>) -> Result<Arc<dyn Found>, RetrieveError> {
        let layer = opened(ask.index, ask.settings.all())?;
        let params = Params::from(ask.settings.all());
        let run = search(
            &layer,
            ask.index,
            ask.question,
            ask.vector,
            &params,
            ask.stage,
        )?;
        Ok(Arc::new(Answer {
            run,
            layer,
            params,
            question: ask.question.to_owned(),
            vector: ask.vector.map(<[f32]>::to_vec),
        }))
    }
}

#[cfg(test)]
mod search_tests;
