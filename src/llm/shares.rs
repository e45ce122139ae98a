//! Who made how much of a layer: a mixed one is allowed, and says so.

use super::{Made, Origin};
use serde::{Deserialize, Serialize};
use std::fmt;

/// What one maker made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    pub origin: Origin,
    pub items: u64,
    /// Those of the items that a model should have made, and the stand-in did.
    pub fallbacks: u64,
}

/// The makers in the order in which they first made something. Nothing is counted where no model was named: then the
/// rules made all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Shares(Vec<Share>);

impl Shares {
    /// Counts an item.
    pub fn count<T>(&mut self, made: &Made<T>) {
        let fallbacks = u64::from(made.failure.is_some());
        match self.0.iter_mut().find(|s| s.origin == made.origin) {
            Some(share) => {
                share.items += 1;
                share.fallbacks += fallbacks;
            }
            None => self.0.push(Share {
                origin: made.origin.clone(),
                items: 1,
                fallbacks,
            }),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &Share> {
        self.0.iter()
    }

    /// In one line; `rules` where nothing was counted.
    pub fn said(&self, rules: &str) -> String {
        match self.is_empty() {
            true => rules.to_owned(),
            false => self.to_string(),
        }
    }
}

impl fmt::Display for Shares {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, share) in self.0.iter().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            write!(f, "{comma}{}: {}", share.origin, share.items)?;
            if share.fallbacks > 0 {
                write!(f, " ({} fallbacks)", share.fallbacks)?;
            }
        }
        Ok(())
    }
}
