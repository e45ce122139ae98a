//! The graphs of layers, one file a layer. Weights are the layer's own where it has any, else 1.

pub mod chunks;
pub mod ket;
pub mod meetings;
pub mod objects;
pub mod seven;

use crate::layers::{ENTITY_PASSAGE, GraphKind, TERM_PASSAGE};

/// Every graph there is, in the order they are listed.
pub static GRAPHS: &[&GraphKind] = &[
    &ENTITY_PASSAGE,
    &TERM_PASSAGE,
    &chunks::CHUNK_SIMILARITY,
    &ket::UNIT_KNN,
    &ket::KEYWORD_UNIT,
    &ket::SKELETON,
    &seven::NODERAG,
    &meetings::ENTITY_CHUNK,
    &meetings::SUMMARY_TREE,
    &objects::TYPED,
];
