//! The operators that plans are made of. One file each, with what it does, what explains it and why it refuses.

pub(crate) mod bridge;
pub(crate) mod e2graphrag;
pub(crate) mod expand;
pub(crate) mod fuse;
pub(crate) mod given;
pub(crate) mod hipporag;
pub mod ket;
pub(crate) mod lack;
pub(crate) mod lightrag;
pub(crate) mod linearrag;
pub(crate) mod lists;
pub(crate) mod names;
pub(crate) mod nearest;
pub(crate) mod noderag;
pub(crate) mod pack;
pub(crate) mod passages;
pub mod ranked;
pub(crate) mod rerank;
pub(crate) mod restart;
pub mod run_file;
mod run_json;
pub(crate) mod sage;
pub(crate) mod spark;
pub mod walk;
