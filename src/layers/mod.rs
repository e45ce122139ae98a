//! Layers of an index, and the graphs they give.
//!
//! A graph is opened from an index under some settings and is one type for every method ([`Graph`]): what is particular
//! to a layer stays behind [`Source`]. [`GRAPHS`] lists them; a method names one by its name.

pub mod entities;
mod graph;

pub use entities::{ENTITY_PASSAGE, GraphView, TERM_PASSAGE};
pub use graph::{Graph, Link, Mask, Node, QueryName, Row, Source, Unjoined};

use crate::index::{Index, IndexError};
use crate::parameters::{Parameter, Scoped};
use std::fmt;

/// A graph there is, by name.
pub struct GraphKind {
    pub name: &'static str,
    /// One line: what it is.
    pub about: &'static str,
    /// What to call its nodes.
    pub nodes: &'static str,
    /// What to call a node that stands for no passage, where there are any.
    pub noun: &'static str,
    /// The layer of an index it is read from.
    pub layer: Option<&'static str>,
    /// Whether building or opening that layer needs vectors.
    pub reads_vectors: bool,
    /// Whether names of a question are nodes of it.
    pub named: bool,
    /// Whether its nodes have vectors of their own.
    pub embedded: bool,
    /// The parameters it depends on, in pipeline order.
    pub reads: &'static [Parameter],
    /// The parameters that act when a layer that is missing is built.
    pub builds: &'static [Parameter],
    /// Opens it. `before` is the last graph of this kind, for what can be taken over.
    pub open: fn(&Index, Scoped<'_>, Option<&Graph>) -> Result<Graph, IndexError>,
}

impl fmt::Debug for GraphKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Eq for GraphKind {}

impl PartialEq for GraphKind {
    fn eq(&self, other: &GraphKind) -> bool {
        self.name == other.name
    }
}
