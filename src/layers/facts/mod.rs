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
pub mod layer;
mod openie;
pub mod source;

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
