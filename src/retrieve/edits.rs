//! What a person changes about the seeds of a question: mute one, weigh it differently, add another.
//!
//! Edits say which node by name, so that they mean the same on another graph and on the command line: an entity by its
//! form or any spelling of it, a passage by `#` and its identifier.

#![warn(missing_docs)]

use crate::index::Index;
use crate::layers::{Graph, Node};
use crate::parameters::Scoped;
use serde::{Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// One change of the seeds.
///
/// ```
/// # use hopscope::*; use std::sync::Arc;
/// # fn main() -> anyhow::Result<()> {
/// # let index = Arc::new(hopscope::index::sample::index()?);
/// # let method = |name: &str| Method::by_name(name).map_err(anyhow::Error::msg);
/// let mut settings = Settings::of(&index, method("graph")?);
/// settings.edit_seed("uranus=mute".parse().map_err(anyhow::Error::msg)?);
/// let run = Retriever::new(index.clone()).retrieve("Who discovered Uranus?", &settings, Keep::Scores)?;
/// assert!(run.top().iter().all(|hit| index.title(hit.passage) != "Uranus"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(from = "String", into = "String")
)]
pub struct SeedEdit {
    /// An entity's name, or `#` and a passage's identifier.
    pub node: String,
    /// What is done to it.
    pub change: SeedChange,
}

/// What is changed. Weights are factors of the mass the seed has before mixing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SeedChange {
    /// It does not restart the walk.
    Mute,
    /// Its weight times a factor, 0 or more.
    Weight(f64),
    /// It joins the seeds, with this factor of what it would weigh if the question named it (an entity: df^-q) or the
    /// first stage ranked it first (a passage).
    Add(f64),
}

/// The largest factor.
pub const MOST: f64 = 1000.0;

impl SeedEdit {
    /// The identifier of the passage that it names.
    pub fn passage(&self) -> Option<&str> {
        self.node.strip_prefix('#')
    }
}

/// The nodes of an edit on a graph: those that stand for its passage, or the one of its name.
pub fn nodes(edit: &SeedEdit, index: &Index, graph: &Graph, values: Scoped<'_>) -> Vec<Node> {
    match edit.passage() {
        Some(id) => {
            let passage = index.passage_by_id(id);
            passage.map_or_else(Vec::new, |passage| graph.nodes_of(passage).to_vec())
        }
        None => {
            let node = graph.source().find(index, &edit.node, values);
            Vec::from_iter(node)
        }
    }
}

/// What an edit calls a node: a passage by its identifier, anything else by its name.
pub fn name_of(index: &Index, graph: &Graph, node: Node) -> String {
    if let Some(view) = graph.entities()
        && let Some(entity) = view.entity(node)
    {
        return view.graph.names.get(entity).to_owned();
    }
    match graph.passages_of(node)[..] {
        [passage] if graph.nodes_of(passage).len() == 1 => format!("#{}", index.id(passage)),
        _ => graph.label(index, node).into_owned(),
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Edited {
    /// What a person asked for.
    pub edit: SeedEdit,
    /// None where this graph has no such node.
    pub node: Option<Node>,
    /// Whether it changed anything: muting or weighing needs a seed.
    pub applied: bool,
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
