//! The graph type, the walks on it, and what systems' graphs are built with.
//!
//! A graph here is a symmetric weighted adjacency; every system's walk is a row-stochastic matrix made from one by
//! scaling: `P[u,v] = w(u,v) into(v) / sum_v' w(u,v') into(v')`. Storing `w` once and the scales per node keeps a change
//! of hub penalty at O(nodes) writes, and one matrix serves forward walks, reverse walks and push. Power iteration runs on
//! its core, in which leaves are folded into their owners; the result is every node's all the same.

pub(crate) mod adjacency;
pub(crate) mod arcs;
pub mod between;
pub(crate) mod betweenness;
pub(crate) mod core;
pub(crate) mod kcore;
pub(crate) mod kmeans;
#[cfg(test)]
mod known;
pub(crate) mod leiden;
pub(crate) mod neighbours;
pub(crate) mod pagerank;
mod pool;
pub(crate) mod power;
pub mod push;
pub(crate) mod rows;
pub(crate) mod springs;
pub(crate) mod steps;
pub mod trail;
pub(crate) mod transition;
pub mod walk;

pub use power::Power;
pub use transition::{Beyond, Dangling, Transition};
