//! Values by name, as the outputs have them.

use serde::{Serialize, Serializer};
use std::borrow::Cow;

/// Values by name, in this order.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(from = "Unordered<T>", into = "Unordered<T>")
)]
pub struct Named<T>(pub Vec<(Cow<'static, str>, T)>);

#[cfg(feature = "schema")]
type Unordered<T> = std::collections::BTreeMap<String, T>;

impl<T, N: Into<Cow<'static, str>>> FromIterator<(N, T)> for Named<T> {
    fn from_iter<I: IntoIterator<Item = (N, T)>>(values: I) -> Named<T> {
        let values = values.into_iter();
        Named(values.map(|(name, value)| (name.into(), value)).collect())
    }
}

impl<T: Serialize> Serialize for Named<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}
