//! NodeRAG: a graph of seven kinds of nodes, entered by name and by vector, walked for two steps.
//!
//! | file | what lives there |
//! |---|---|
//! | `node` | the kinds of nodes and edges |
//! | `decompose` | passages to units, entities and relations, by rules |
//! | `graph` | nodes and edges under construction |
//! | `attributes` | which entities are important, and their profiles |
//! | `communities` | communities, their elements and overviews, semantic matching |
//! | `build` | the pipeline, from an index to a layer |
//! | `enrich` | its second half: communities, elements, matching |
//! | `lay_out`, `layer` | the graph as columns |
//! | `view` | its transition matrix under the settings |
//! | `terms` | the question's terms and the nodes that contain them |
//! | `params` | the parameters of a search |
//! | `search` | dual search, walk, quotas, passages |
//! | `account` | shares of seeds and paths of one node's score |
//! | `missing` | why a passage is not returned |
//! | `story`, `teller` | what was found, and what the search did, stage by stage |

mod account;
pub mod attributes;
pub mod build;
pub mod communities;
pub mod decompose;
mod enrich;
pub mod graph;
mod lay_out;
pub mod layer;
mod missing;
pub mod node;
pub mod params;
#[cfg(test)]
mod sample_tests;
pub mod search;
mod story;
mod teller;
pub mod terms;
#[cfg(test)]
mod tests;
pub mod view;

pub(in crate::systems) use account::short;
pub use build::NodeRagBuild;
pub use layer::NodeRagLayer;
pub use node::Kind;
pub use params::Params;
pub use search::{Answer, Run, search};

use crate::index::{Index, IndexError, Layer};
use crate::parameters::Scoped;
use crate::retrieve::{Parameter, RetrieveError};
use crate::systems::{Ask, Found, System};
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

/// The system as a method names it.
#[derive(Debug)]
pub struct NodeRag;

impl System for NodeRag {
    fn uses(&self) -> &'static [Parameter] {
        params::USES
    }

    fn layer(&self) -> Option<&'static str> {
        Some(NodeRagLayer::NAME)
    }

    fn search(&self, ask: &mut Ask<'_>) -> Result<Arc<dyn Found>, RetrieveError> {
        let (_, vector) = ask.dense()?;
        let layer = opened(ask.index, ask.settings.all())?;
        let params = Params::from(ask.settings.all());
        let run = search(
            &layer,
            ask.index,
            ask.question,
            Some(vector),
            &params,
            &mut *ask.stage,
        )?;
        Ok(Arc::new(Answer::new(
            run,
            layer,
            ask.question,
            vector,
            params,
        )))
    }
}
