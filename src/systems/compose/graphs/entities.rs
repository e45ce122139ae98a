//! SPRIG's graphs: passages with the names, or the words, in them.

use crate::graph::Transition;
use crate::index::Index;
use crate::retrieve::{GraphView, Link, Settings, link};
use crate::systems::compose::web::{Named, Nodes};
use std::borrow::Cow;
use std::sync::Arc;

pub struct Entities(pub Arc<GraphView>);

impl Nodes for Entities {
    fn transition(&self) -> &Transition {
        &self.0.transition
    }

    fn kind(&self, node: u32) -> &'static str {
        if self.0.is_passage(node) {
            "passage"
        } else {
            "entity"
        }
    }

    fn label<'a>(&'a self, index: &'a Index, node: u32) -> Cow<'a, str> {
        self.0.label(index, node).into()
    }

    fn joined(&self, _a: u32, _b: u32) -> &'static str {
        "mentions"
    }

    fn passages(&self, node: u32) -> Cow<'_, [u32]> {
        match self.0.is_passage(node) {
            true => Cow::Owned(vec![node]),
            false => Cow::Borrowed(&[]),
        }
    }

    fn df(&self, node: u32) -> u32 {
        self.0
            .entity(node)
            .map_or(1, |entity| self.0.graph.df(entity))
    }

    fn names(&self, _index: &Index, question: &str, settings: &Settings) -> Vec<Named> {
        let found = link::link(&self.0, question, settings).into_iter();
        let named = found.map(|name| Named {
            nodes: match name.link {
                Link::Linked { node } => vec![node],
                _ => Vec::new(),
            },
            surface: name.surface,
        });
        named.collect()
    }
}
