//! A change of a run: of a parameter, of a seed or of the graph.

#![warn(missing_docs)]

use super::edits::{SeedChange, SeedEdit};
use super::settings::Settings;
use crate::layers::GraphEdit;
use crate::parameters::{Origin, Parameter, Value};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// A change of a run.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(from = "Written", into = "Written")
)]
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

/// A change as it is written out.
#[derive(Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Change")
)]
#[serde(rename_all = "lowercase")]
enum Written {
    /// Of a parameter, as after `--set`.
    Set(String),
    /// Of a seed, as after `--seed`.
    Seed(String),
    /// Of the graph, as after `--edit`.
    Edit(String),
    /// Two of them at once.
    Both(Box<[Change; 2]>),
}

impl<'de> Deserialize<'de> for Change {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Change, D::Error> {
        let change = match Written::deserialize(from)? {
            Written::Set(text) => {
                let (name, value) = text.split_once('=').ok_or_else(|| {
                    D::Error::custom(format!("expected PARAMETER=VALUE, found '{text}'"))
                })?;
                let parameter = Parameter::named(name).map_err(D::Error::custom)?;
                let value = parameter.parse(value).map_err(D::Error::custom)?;
                Change::Set(parameter, value)
            }
            Written::Seed(text) => Change::Seed(text.parse().map_err(D::Error::custom)?),
            Written::Edit(text) => Change::Graph(text.parse().map_err(D::Error::custom)?),
            Written::Both(both) => Change::Both(both),
        };
        Ok(change)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{from_value, json, to_value};

    #[test]
    fn what_is_written_is_read() {
        for written in [
            json!({"set": "hub_p=0"}),
            json!({"seed": "Kepler=mute"}),
            json!({"seed": "+#titan=0.5"}),
            json!({"edit": "join Kepler | Johannes Kepler"}),
            json!({"both": [{"set": "alpha=0.3"}, {"edit": "mute Sun"}]}),
        ] {
            let change: Change = from_value(written.clone()).unwrap();
            assert_eq!(to_value(&change).unwrap(), written);
        }
        for (wrong, says) in [
            (json!({"set": "alfa=1"}), "did you mean alpha?"),
            (json!({"set": "alpha"}), "PARAMETER=VALUE"),
            (json!({"set": "alpha=x"}), "parameter alpha"),
            (json!({"set": "ranker=/etc/passwd"}), "parameter ranker"),
            (json!({"seed": "Kepler"}), "NAME=mute"),
            (json!({"edit": "paint Kepler"}), "paint"),
            (json!({"sets": "alpha=1"}), "sets"),
        ] {
            let error = from_value::<Change>(wrong).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
    }
}
