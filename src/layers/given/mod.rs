//! The graph that a corpus came with: entities, relations and communities of another system, over its own units of text.
//!
//! | file | what lives there |
//! |---|---|
//! | `layer` | the columns |
//! | `build` | from the files beside the corpus to the columns |
//! | `source` | the graph of passages and entities |

mod build;
pub(crate) mod layer;
pub(crate) mod source;

pub use layer::GivenLayer;

use crate::exchange::given::{self, Found, Given};
use crate::index::{Index, IndexError};
use std::sync::Arc;

/// The layer of an index; one with the files beside its corpus builds it now.
///
/// # Errors
/// An index without it, or what the build says.
pub fn opened(index: &Index) -> Result<Arc<GivenLayer>, IndexError> {
    // Files are looked for where there is no layer: every graph that is opened asks.
    let build = || match index.partial() {
        Some(partial) => build::fetched(index, partial),
        None => GivenLayer::build(index, &|_, _, _| true),
    };
    index.layer_now(|_: &GivenLayer| true, build)
}

/// The layer where there is one, or the files to make it; none where the corpus came without a graph.
///
/// # Errors
/// What the build says.
pub fn known(index: &Index) -> Result<Option<Arc<GivenLayer>>, IndexError> {
    match index.layer() {
        Ok(layer) => Ok(Some(layer)),
        Err(_) if is_known(index) => opened(index).map(Some),
        Err(_) => Ok(None),
    }
}

/// Whether an index came with a graph.
pub fn is_known(index: &Index) -> bool {
    match index.partial() {
        Some(partial) => partial.told.is_some(),
        None => {
            index.layers().iter().any(|name| name == GivenLayer::LABEL) || origin(index).is_ok()
        }
    }
}

/// Where the graph is read from.
enum Origin {
    /// Files of another system beside the corpus, or a database that was named there.
    Beside(Found),
    /// What was read of a database with the corpus.
    Copied(Arc<Given>),
}

/// The graph of another system that a corpus came with.
fn origin(index: &Index) -> Result<Origin, IndexError> {
    if let Some(graph) = index.copied() {
        return Ok(Origin::Copied(graph));
    }
    let paths = index.named_paths();
    let found = paths.iter().find_map(|path| given::find(path));
    found.map(Origin::Beside).ok_or_else(|| IndexError::Layer {
        layer: GivenLayer::LABEL,
        said: "no graph of another system lies beside the corpus (LightRAG, GraphRAG ...); with --add, name its folder by \
               --beside FOLDER"
            .into(),
    })
}
