//! SAGE: a graph of chunks of text and segments of tables, and retrieval that takes one hop over it.
//!
//! | file | what lives there |
//! |---|---|
//! | `metadata` | topics, titles, events, table descriptions, by rules |
//! | `names` | the names of units, and how many two share |
//! | `pairs` | candidate pairs with every metric; thresholds by percentile |
//! | `postings`, `links` | words of units; links between sources |
//! | `layer`, `store` | the layer of an index, and its columns |
//! | `build`, `measure` | building it: units and metadata; vectors and metrics |
//! | `search` | seeds, one hop, pruning |
//! | `record` | the record of an edge |
//! | `story`, `missing` | what a search did; why a passage is not there |
//! | `shape` | edges by percentile |

pub mod build;
pub mod layer;
pub mod links;
mod measure;
pub mod metadata;
pub mod missing;
pub mod names;
pub mod pairs;
pub mod postings;
pub mod record;
pub mod search;
mod settings;
pub mod shape;
mod store;
pub mod story;

use crate::parameters::RESULT_K;
pub use layer::{Sage as SageLayer, SageBuild};
pub use search::{Params, Run, search};
pub use story::Answer;

use super::{Ask, Found, System};
use crate::index::{Index, IndexError};
use crate::parameters::Scoped;
use crate::retrieve::{Parameter, RetrieveError};
use std::sync::Arc;

/// What the layer is built with: the settings, and the links beside the corpus.
pub fn options(index: &Index, settings: Scoped<'_>) -> SageBuild {
    SageBuild {
        links: index.beside("links.tsv"),
        ..SageBuild::from(settings)
    }
}

/// The two methods over the layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// Seeds, one hop, pruning.
    Graph,
    /// The extended baseline: the best k + k' units by the seeds' score, without the graph.
    Flat,
}

/// The layer of an index; a small index builds it now.
///
/// # Errors
/// A large index without it, or what the build says.
pub fn opened(index: &Index, settings: Scoped<'_>) -> Result<Arc<SageLayer>, IndexError> {
    index.layer_or(
        |layer: &SageLayer| layer.meta.options == SageBuild::from(settings),
        || SageLayer::build(index, &options(index, settings), &|_, _, _| true),
    )
}

/// SAGE as a system.
#[derive(Debug)]
pub struct Sage {
    pub variant: Variant,
}

impl System for Sage {
    fn uses(&self) -> &'static [Parameter] {
        settings::USES
    }

    fn layer(&self) -> Option<&'static str> {
        Some(<SageLayer as crate::index::Layer>::NAME)
    }

    fn search(&self, ask: &mut Ask<'_>) -> Result<Arc<dyn Found>, RetrieveError> {
        let index = ask.index;
        let layer = opened(index, ask.settings.all())?;
        let params = Params::from(ask.settings.all());
        let flat = self.variant == Variant::Flat;
        let run = search(
            &layer,
            index,
            ask.question,
            ask.vector,
            &params,
            flat,
            ask.stage,
        )?;
        Ok(Arc::new(Answer {
            layer,
            params,
            run,
            question: ask.question.to_owned(),
            vector: ask.vector.unwrap_or_default().to_vec(),
            result_k: ask.settings.get(RESULT_K),
        }))
    }
}
