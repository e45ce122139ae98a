//! HippoRAG 2: facts, the phrases that they join, and phrases that are alike.
//!
//! | file | what lives there |
//! |---|---|
//! | `build` | facts of a corpus: read beside it, told by a model, or taken by rules; phrases alike |
//! | `openie` | facts in a file beside the corpus |
//! | `layer` | the columns |
//! | `source` | the graph of passages and phrases |
//!
//! Its search is the plan in `retrieve/operators/hipporag`.

mod build;
pub(crate) mod layer;
mod openie;
pub(crate) mod source;

pub use layer::FactsLayer;

use crate::index::{Index, IndexError};
use std::sync::Arc;

/// The layer of an index; a small index builds it now.
///
/// # Errors
/// A large index without it, or what the build says.
pub fn opened(index: &Index) -> Result<Arc<FactsLayer>, IndexError> {
    let build = || FactsLayer::build(index, &|_, _, _| true);
    index.layer_or(|_: &FactsLayer| true, build)
}

/// Of how many passages a file beside the corpus had the facts when a layer was built, and who made the rest.
pub fn read(index: &Index, layer: &FactsLayer) -> String {
    let (read, all) = (layer.meta.read, index.len());
    let rest = layer.meta.made.said("rules");
    let file = openie::FILE;
    if !layer.meta.from.is_empty() {
        return layer.made_by(all);
    }
    match index.beside(file) {
        Some(path) => {
            let path = path.display();
            format!("facts of {read} of {all} passages from {path}, of the rest by {rest}")
        }
        None if index.folders().is_empty() => {
            format!("facts by {rest}; {file} was not looked for: name its folder with --beside")
        }
        None => format!("facts by {rest}; no {file} lies beside the corpus"),
    }
}
