//! What a person changes about the seeds of a question: mute one, weigh it differently, add another.
//!
//! Edits say which node by name, so that they mean the same on another graph and on the command line: an entity by its
//! form or any spelling of it, a passage by `#` and its identifier.

use super::retrieval::Node;
use super::settings::Settings;
use super::view::GraphView;
use crate::index::Index;
use crate::parameters::NORM;
use serde::{Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// One change of the seeds.
#[derive(Clone, Debug, PartialEq)]
pub struct SeedEdit {
    /// An entity's name, or `#` and a passage's identifier.
    pub node: String,
    pub change: SeedChange,
}

/// What is changed. Weights are factors of the mass the seed has before mixing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SeedChange {
    /// It does not restart the walk.
    Mute,
    Weight(f64),
    /// It joins the seeds, with this factor of what it would weigh if the question named it (an entity: df^-q) or the
    /// first stage ranked it first (a passage).
    Add(f64),
}

/// The largest factor.
pub const MOST: f64 = 1000.0;

impl SeedEdit {
    /// The node of this edit on a graph.
    pub fn find(&self, index: &Index, view: &GraphView, settings: &Settings) -> Option<Node> {
        if let Some(id) = self.node.strip_prefix('#') {
            return index.passage_by_id(id);
        }
        let graph = &view.graph;
        let plain = settings.get(NORM).apply(&self.node);
        let entity = graph.find(&self.node).or_else(|| graph.find(&plain));
        let aliased = || graph.find(graph.alias(&plain).filter(|c| !c.is_empty())?);
        entity.or_else(aliased).map(|e| view.entity_node(e))
    }
}

/// `NAME=mute`, `NAME=2` or `+NAME=2`, as after `--seed`.
impl fmt::Display for SeedEdit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.change {
            SeedChange::Mute => write!(f, "{}=mute", self.node),
            SeedChange::Weight(factor) => write!(f, "{}={factor}", self.node),
            SeedChange::Add(factor) => write!(f, "+{}={factor}", self.node),
        }
    }
}

impl FromStr for SeedEdit {
    type Err = String;

    fn from_str(text: &str) -> Result<SeedEdit, String> {
        let (added, rest) = match text.trim().strip_prefix('+') {
            Some(rest) => (true, rest),
            None => (false, text.trim()),
        };
        let factor = |text: &str| {
            text.trim()
                .parse()
                .ok()
                .filter(|f| (0.0..=MOST).contains(f))
        };
        let (node, change) = match rest.rsplit_once('=') {
            Some((node, "mute")) if !added => (node, Some(SeedChange::Mute)),
            Some((node, number)) if factor(number).is_some() => (
                node,
                factor(number).map(if added {
                    SeedChange::Add
                } else {
                    SeedChange::Weight
                }),
            ),
            _ if added => (rest, Some(SeedChange::Add(1.0))),
            _ => (rest, None),
        };
        let node = node.trim().to_owned();
        match change.filter(|_| !node.is_empty()) {
            Some(change) => Ok(SeedEdit { node, change }),
            None => Err(format!(
                "expected NAME=mute, NAME=FACTOR or +NAME (a passage as #ID; factors from 0 to {MOST}), found '{text}'"
            )),
        }
    }
}

impl Serialize for SeedEdit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// An edit and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Edited {
    pub edit: SeedEdit,
    /// None where this graph has no such node.
    pub node: Option<Node>,
    /// Whether it changed anything: muting or weighing needs a seed.
    pub applied: bool,
}

/// Every edit with its node, in the order they were made.
pub fn resolved(index: &Index, view: &GraphView, settings: &Settings) -> Vec<Edited> {
    let one = |edit: &SeedEdit| Edited {
        node: edit.find(index, view, settings),
        edit: edit.clone(),
        applied: false,
    };
    settings.seed_edits().iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_read_as_they_are_written() {
        for (text, node, change) in [
            ("Titan=mute", "Titan", SeedChange::Mute),
            ("Titan=0.5", "Titan", SeedChange::Weight(0.5)),
            ("+Titan=2", "Titan", SeedChange::Add(2.0)),
            ("+Titan", "Titan", SeedChange::Add(1.0)),
            ("#a=b=3", "#a=b", SeedChange::Weight(3.0)),
            ("+#a=b", "#a=b", SeedChange::Add(1.0)),
        ] {
            let edit: SeedEdit = text.parse().unwrap();
            let expected = SeedEdit {
                node: node.into(),
                change,
            };
            assert_eq!(edit, expected, "{text}");
            assert_eq!(edit.to_string().parse(), Ok(expected), "{text}");
        }
        for text in [
            "Titan",
            "=2",
            "Titan=-1",
            "Titan=x",
            "+",
            "Titan=NaN",
            "a=1e9",
        ] {
            let said = text.parse::<SeedEdit>().unwrap_err();
            assert!(said.contains("NAME=mute"), "{said}");
        }
    }
}
