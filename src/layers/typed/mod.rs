//! SPARK's layer: typed objects of a schema, and what a question says of them.
//!
//! | file | what lives there |
//! |---|---|
//! | `layer`, `arcs`, `names` | the graph beside an index, objects by name |
//! | `question`, `numbers` | the names, numbers and types that a question says |
//! | `cues`, `likewise` | the edges that a question says, in the schema's words and in others |

mod arcs;
pub mod cues;
pub mod layer;
mod likewise;
pub mod names;
pub mod numbers;
pub mod question;
pub mod source;

pub use layer::{Build, SparkLayer};

use crate::exchange::table;
use crate::index::{Index, IndexError};
use std::sync::Arc;

/// The layer of an index; a small index with nodes and edges beside its corpus builds it now.
///
/// # Errors
/// An index without it, or what the build says.
pub fn opened(index: &Index) -> Result<Arc<SparkLayer>, IndexError> {
    match index.beside("schema.json") {
        Some(_) => index.layer_or(
            |_| true,
            || SparkLayer::build(index, &tables(index)?, &|_, _, _| true),
        ),
        // Without a typed graph beside the corpus, that is what is missing.
        None => index.layer().map_err(|error| match error {
            IndexError::NoLayer { .. } => tables(index).err().unwrap_or(error),
            error => error,
        }),
    }
}

/// Where the typed graph lies: beside the corpus.
///
/// # Errors
/// A corpus without nodes and edges beside it.
pub fn tables(index: &Index) -> Result<Build, IndexError> {
    let known = ["schema.json", "nodes.tsv", "nodes.jsonl"];
    let found = known.iter().find_map(|name| index.beside(name));
    let folder = found.as_deref().and_then(table::beside);
    folder.map(|folder| Build { folder }).ok_or(IndexError::Layer {
        layer: "spark",
        said: "no nodes and edges beside the corpus (nodes.tsv or .jsonl, edges.tsv or .jsonl, schema.json); \
               with --add, name its folder by --beside FOLDER"
            .into(),
    })
}
