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

pub mod core_graph;
pub mod extract;
pub mod keywords;
pub mod layer;
pub mod merge;
pub mod neighbours;
pub mod options;
pub mod rows;
pub mod source;
pub mod units;

pub use layer::Ket;
pub use options::KetBuild;
