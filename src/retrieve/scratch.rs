//! Memory that one run leaves to the next: fresh vectors over all nodes would take longer than most walks.

use super::retrieval::Spread;
use super::set::Set;
use crate::graph::Power;
use crate::graph::push::Pushed;
use std::sync::Arc;

/// Buffers of walks and of word scores.
#[derive(Default)]
pub struct Scratch {
    pub power: Power,
    pub pushed: Pushed,
    /// BM25 by passage.
    pub scores: Vec<f64>,
    /// The mass of a result that nobody reads any more: the next result's.
    pub mass: Vec<f64>,
}

impl Scratch {
    /// Takes what can be used again out of a result that is forgotten.
    pub fn recycle(&mut self, set: Arc<Set>) {
        if let Some(spread) = Arc::into_inner(set).and_then(Set::reclaim::<Spread>) {
            self.mass = spread.mass.into_all();
        }
    }
}
