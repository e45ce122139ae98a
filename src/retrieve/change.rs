//! A change of a run: of a parameter, of a seed or of the graph.

#![warn(missing_docs)]

use super::edits::{SeedChange, SeedEdit};
use super::settings::Settings;
use crate::layers::GraphEdit;
use crate::parameters::{Origin, Parameter, Value};
use serde::{Serialize, Serializer};
use std::fmt;

/// A change of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Another value of a parameter.
    Set(Parameter, Value),
    /// A change of a seed.
    Seed(SeedEdit),
    /// A change of the graph.
    Graph(GraphEdit),
    /// Two of them at once.
    Both(Box<[Change; 2]>),
}

impl From<(Parameter, Value)> for Change {
    fn from((parameter, value): (Parameter, Value)) -> Change {
        Change::Set(parameter, value)
    }
}

impl Change {
    /// A change of the seed that a node is, or is to be.
    pub fn seed(node: impl Into<String>, change: SeedChange) -> Change {
        let node = node.into();
        Change::Seed(SeedEdit { node, change })
    }

    /// Two at once.
    pub fn both(one: Change, other: Change) -> Change {
        Change::Both(Box::new([one, other]))
    }

    /// Whether it is one for all questions: a change of seeds belongs to one alone.
    pub fn is_general(&self) -> bool {
        let each = self.each();
        !each.iter().any(|change| matches!(change, Change::Seed(_)))
    }

    /// These settings with the change.
    pub fn applied(&self, settings: &Settings) -> Settings {
        let mut settings = settings.clone();
        for change in self.each() {
            match change {
                Change::Set(parameter, value) => settings.set(*parameter, *value, Origin::User),
                Change::Seed(edit) => settings.edit_seed(edit.clone()),
                Change::Graph(edit) => settings.edit_graph(edit.clone()),
                Change::Both(_) => {}
            }
        }
        settings
    }

    /// The single changes that it is made of.
    pub fn each(&self) -> Vec<&Change> {
        match self {
            Change::Both(both) => both.iter().flat_map(Change::each).collect(),
            single => vec![single],
        }
    }
}

/// As after `--set`, `--seed` or `--edit`.
impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Change::Set(parameter, value) => f.write_str(&parameter.assignment(*value)),
            Change::Seed(edit) => edit.fmt(f),
            Change::Graph(edit) => edit.fmt(f),
            Change::Both(both) => write!(f, "{} and {}", both[0], both[1]),
        }
    }
}

impl Serialize for Change {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Change::Set(..) => to.collect_map([("set", self.to_string())]),
            Change::Seed(_) => to.collect_map([("seed", self.to_string())]),
            Change::Graph(_) => to.collect_map([("edit", self.to_string())]),
            Change::Both(both) => to.collect_map([("both", &**both)]),
        }
    }
}
