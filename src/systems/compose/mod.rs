//! Compositions that are no method of their own: any seeds, any graph, any walk, any selection whose types fit.
//!
//! What fits is [`crate::retrieve::compose`]'s to say. Here every graph becomes a [`Web`]: a transition matrix, kinds and
//! labels of nodes, and which passages each node stands for; the rest is one search over it. Compositions that are
//! SPRIG's own pipeline run there, with its panes and its exact attribution.

mod account;
mod answer;
mod graphs;
mod missing;
mod search;
mod story;
#[cfg(test)]
mod tests;
mod web;

pub use answer::Answer;
pub use search::{Asked, Run};
pub use web::{Named, Nodes, Web};
