//! SAGE's layer: chunks of text and segments of tables, and the pairs that may be edges.
//!
//! | file | what lives there |
//! |---|---|
//! | `metadata` | topics, titles, table descriptions, by rules |
//! | `names` | the names of units, and how many two share |
//! | `pairs` | candidate pairs with every metric; thresholds by percentile |
//! | `postings`, `links` | words of units; links between sources |
//! | `layer`, `store` | the layer of an index, and its columns |
//! | `build`, `measure` | building it: units and metadata; vectors and metrics |
//! | `record` | the record of an edge |
//! | `subjects` | which units name what another is about |

pub(crate) mod build;
pub(crate) mod layer;
pub(crate) mod links;
mod measure;
pub(crate) mod metadata;
pub(crate) mod names;
pub(crate) mod pairs;
pub(crate) mod postings;
pub(crate) mod record;
mod settings;
pub(crate) mod source;
mod store;
mod subjects;

pub use layer::{Sage as SageLayer, SageBuild};

use crate::index::{Index, IndexError};
use crate::parameters::Scoped;
use std::sync::Arc;

/// What the layer is built with: the settings, and the links beside the corpus.
pub fn options(index: &Index, settings: Scoped<'_>) -> SageBuild {
    SageBuild {
        links: index.beside("links.tsv"),
        ..SageBuild::from(settings)
    }
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
