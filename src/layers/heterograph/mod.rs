//! NodeRAG: a graph of seven kinds of nodes, entered by name and by vector, walked for two steps.
//!
//! | file | what lives there |
//! |---|---|
//! | `node` | the kinds of nodes and edges |
//! | `apart` | what the texts of an index say, by a model or by rules |
//! | `decompose` | passages to units, entities and relations, by rules |
//! | `graph` | nodes and edges under construction |
//! | `attributes` | which entities are important, and their profiles |
//! | `communities` | communities, their elements and overviews, semantic matching |
//! | `build` | the pipeline, from an index to a layer |
//! | `enrich` | its second half: communities, elements, matching |
//! | `into_columns`, `layer` | the graph as columns |
//! | `view` | its transition matrix under the settings |
//! | `terms` | the question's terms and the nodes that contain them |
//!
//! Its graph is [`source`], its search the plan in `retrieve/operators/noderag`.

pub(crate) mod apart;
pub(crate) mod attributes;
pub(crate) mod build;
pub(crate) mod communities;
pub(crate) mod decompose;
mod enrich;
pub(crate) mod graph;
mod into_columns;
pub(crate) mod layer;
pub(crate) mod node;
#[cfg(test)]
mod sample_tests;
pub(crate) mod source;
pub(crate) mod terms;
#[cfg(test)]
mod tests;
pub(crate) mod view;

pub use build::NodeRagBuild;
pub use layer::NodeRagLayer;
pub use node::Kind;

use crate::index::{Index, IndexError};
use crate::parameters::Scoped;
use std::sync::Arc;

/// The layer of an index; a small index builds it now.
///
/// # Errors
/// A large index without it, or what the build says.
pub fn opened(index: &Index, settings: Scoped<'_>) -> Result<Arc<NodeRagLayer>, IndexError> {
    let options = NodeRagBuild::from(settings);
    index.layer_or(
        |layer: &NodeRagLayer| *layer.options() == options,
        || NodeRagLayer::build(index, &options, &|_, _, _| true),
    )
}
