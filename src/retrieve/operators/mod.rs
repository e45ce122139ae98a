//! The operators that plans are made of. One file each, with what it does, what explains it and why it refuses.

pub mod bridge;
pub mod e2graphrag;
pub mod expand;
pub mod fuse;
pub mod hipporag;
pub mod ket;
pub mod lack;
pub mod linearrag;
pub mod lists;
pub mod names;
pub mod nearest;
pub mod noderag;
pub mod pack;
pub mod passages;
pub mod rerank;
pub mod restart;
pub mod run_file;
pub mod sage;
pub mod spark;
pub mod walk;
