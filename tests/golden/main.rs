//! Answers as they were frozen, and figures of independent implementations.

#[path = "../common/mod.rs"]
mod common;

mod corpus_real;
mod embed_golden;
mod figures;
mod frozen;
mod golden;
mod losses_real;
mod statistics;
