//! The layer of KET-RAG: units of text, their nearest ones, their keywords, and a skeleton of names and relations made from
//! the most central of them.
//!
//! | file | what lives there |
//! |---|---|
//! | `options` | what a layer is built with |
//! | `units`, `rows` | chunks and their slices; their vectors |
//! | `neighbours` | the kNN graph, PageRank, the core |
//! | `keywords` | the keyword-text graph |
//! | `extract`, `merge`, `core_graph` | names and relations of the core |
//! | `layer` | all of it as columns of an index |

pub(crate) mod core_graph;
pub(crate) mod extract;
pub(crate) mod keywords;
pub(crate) mod layer;
pub(crate) mod merge;
pub(crate) mod neighbours;
pub mod options;
pub(crate) mod rows;
pub(crate) mod source;
pub(crate) mod units;

pub use layer::Ket;
pub use options::KetBuild;
