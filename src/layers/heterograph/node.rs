//! The kinds of nodes, and what an edge between two of them means.

use serde::{Deserialize, Serialize};

/// What a node is. Nodes are numbered kind by kind in this order, and within a kind in corpus order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// T: a passage, or a part of a long one.
    Text,
    /// S: one event or statement.
    Unit,
    /// N: a name.
    Entity,
    /// R: everything said between two entities.
    Relation,
    /// A: the profile of an important entity.
    Attribute,
    /// H: what a community of units is about.
    Element,
    /// O: the title of an element.
    Overview,
}

/// Number of kinds.
pub const KINDS: usize = 7;

impl Kind {
    pub const ALL: [Kind; KINDS] = [
        Kind::Text,
        Kind::Unit,
        Kind::Entity,
        Kind::Relation,
        Kind::Attribute,
        Kind::Element,
        Kind::Overview,
    ];

    pub fn name(self) -> &'static str {
        [
            "text",
            "unit",
            "entity",
            "relation",
            "attribute",
            "element",
            "overview",
        ][self as usize]
    }

    /// Has a vector and is entered by it. The paper's table and the code count T in, one formula of the paper does not.
    pub fn embedded(self) -> bool {
        matches!(
            self,
            Kind::Text | Kind::Unit | Kind::Attribute | Kind::Element
        )
    }

    /// Is entered by its words.
    pub fn named(self) -> bool {
        matches!(self, Kind::Entity | Kind::Overview)
    }
}

/// What an edge means; the kinds of its ends decide.
pub fn meaning(a: Kind, b: Kind) -> &'static str {
    match (a.min(b), a.max(b)) {
        (Kind::Text, Kind::Unit) => "contains",
        (Kind::Unit, Kind::Entity) => "mentions",
        (Kind::Unit, Kind::Relation) => "states",
        (Kind::Entity, Kind::Relation) => "relates",
        (Kind::Entity, Kind::Attribute) => "profile",
        (Kind::Element, Kind::Overview) => "title",
        (Kind::Unit | Kind::Attribute, Kind::Element) => "semantic",
        _ => "hnsw",
    }
}
