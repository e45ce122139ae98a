//! SPARK's layer: typed objects of a schema, and what a question says of them.
//!
//! | file | what lives there |
//! |---|---|
//! | `layer`, `arcs`, `names` | the graph beside an index, objects by name |
//! | `question`, `numbers` | the names, numbers and types that a question says |
//! | `similar` | edges between objects of like long fields |
//! | `cues`, `likewise` | the edges that a question says, in the schema's words and in others |

mod arcs;
pub(crate) mod cues;
pub(crate) mod layer;
mod likewise;
pub(crate) mod names;
pub(crate) mod numbers;
pub(crate) mod question;
mod similar;
pub(crate) mod source;

pub use layer::{Build, SparkLayer};

use crate::exchange::table;
use crate::index::{Index, IndexError};
use crate::parameters::Scoped;
use std::path::PathBuf;
use std::sync::Arc;

/// The layer of an index; a small index with nodes and edges beside its corpus builds it now.
///
/// # Errors
/// An index without it, or what the build says.
pub fn opened(index: &Index, settings: Scoped<'_>) -> Result<Arc<SparkLayer>, IndexError> {
    match tables(index) {
        Ok(folder) => {
            let build = Build::of(folder, settings);
            index.layer_or(
                |layer: &SparkLayer| layer.joined.is_none_or(|joined| joined == build.similar),
                || SparkLayer::build(index, &build, &|_, _, _| true),
            )
        }
        // Without a typed graph beside the corpus, that is what is missing.
        Err(missing) => index.layer().map_err(|error| match error {
            IndexError::NoLayer { .. } => missing,
            error => error,
        }),
    }
}

/// Where the typed graph lies: beside the corpus.
///
/// # Errors
/// A corpus without nodes and edges beside it.
pub fn tables(index: &Index) -> Result<PathBuf, IndexError> {
    let folder = index.folders().iter().find_map(|path| table::beside(path));
    folder.ok_or(IndexError::Layer {
        layer: "spark",
        said: "no nodes and edges beside the corpus (nodes.tsv or .jsonl with edges.tsv or .jsonl, or a STaRK folder with \
               processed/node_info.pkl); with --add, name its folder by --beside FOLDER"
            .into(),
    })
}
