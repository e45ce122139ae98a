//! From what a reader finds to a graph: units first, then entities, then relations and communities. Whatever is joined is
//! joined by the name that the files use, and whatever is left out is counted with a reason.

use super::{Community, Entity, Given, Link, Relation, Unit};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::Path;

/// Examples that a note keeps.
const EXAMPLES: usize = 3;
/// What edges between two texts are called in an account.
const LINKS: &str = "links of texts";
/// Longest example, in characters.
const LONGEST: usize = 60;

/// What became of something that is not as it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Sort {
    /// It is not in the graph.
    LeftOut,
    /// It is, otherwise than the files have it.
    Repaired,
    /// It is, as the files have it, and is worth a word.
    Seen,
}

impl Sort {
    /// In words.
    pub fn label(self) -> &'static str {
        match self {
            Sort::LeftOut => "left out",
            Sort::Repaired => "repaired",
            Sort::Seen => "note",
        }
    }
}

/// How often something happened, with the first examples.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Note {
    /// What became of it.
    pub sort: Sort,
    /// What, in the plural: `relations that name an entity that is not there`.
    pub what: String,
    /// How often.
    pub count: usize,
    /// The first few.
    pub examples: Vec<String>,
}

/// How many of a kind were read, and how many are in the graph.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Table {
    /// In the plural: `entities`.
    pub name: String,
    /// Read from the files.
    pub read: usize,
    /// In the graph.
    pub kept: usize,
}

/// What was read, kept, mended and left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Account {
    /// Counts by kind.
    pub tables: Vec<Table>,
    /// Everything that is not as it should be.
    pub notes: Vec<Note>,
}

impl Account {
    /// How many of a kind were read.
    pub fn read(&self, name: &str) -> usize {
        let table = self.tables.iter().find(|table| table.name == name);
        table.map_or(0, |table| table.read)
    }

    fn count(&mut self, name: &str, kept: usize) {
        let at = self.tables.iter().position(|table| table.name == name);
        let at = at.unwrap_or_else(|| {
            self.tables.push(Table {
                name: name.to_owned(),
                read: 0,
                kept: 0,
            });
            self.tables.len() - 1
        });
        self.tables[at].read += 1;
        self.tables[at].kept += kept;
    }

    /// Counts something, with an example, which may be empty.
    pub fn note(&mut self, sort: Sort, what: &str, example: &str) {
        let at = self
            .notes
            .iter()
            .position(|n| n.sort == sort && n.what == what);
        let at = at.unwrap_or_else(|| {
            self.notes.push(Note {
                sort,
                what: what.to_owned(),
                count: 0,
                examples: Vec::new(),
            });
            self.notes.len() - 1
        });
        let note = &mut self.notes[at];
        note.count += 1;
        if note.examples.len() < EXAMPLES && !example.is_empty() {
            note.examples.push(example.chars().take(LONGEST).collect());
        }
    }
}

impl fmt::Display for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let wide = self.tables.iter().map(|table| table.name.len()).max();
        for Table { name, read, kept } in &self.tables {
            let wide = wide.unwrap_or(0);
            write!(f, "  {name:<wide$} {read:>8} read")?;
            match kept == read {
                true => writeln!(f)?,
                false => writeln!(f, ", {kept} kept")?,
            }
        }
        for note in &self.notes {
            write!(f, "  {}: {}: {}", note.sort.label(), note.what, note.count)?;
            match note.examples.is_empty() {
                true => writeln!(f)?,
                false => writeln!(f, " ({})", note.examples.join("; "))?,
            }
        }
        Ok(())
    }
}

/// A graph while it is read.
#[derive(Debug)]
pub struct Draft {
    given: Given,
    /// Where the parts are: in a file, in a table.
    holder: &'static str,
    units: FxHashMap<String, u32>,
    /// Entities by what the files call them.
    entities: FxHashMap<String, u32>,
    /// The texts of entities that came more than once.
    joined: FxHashMap<u32, FxHashSet<u32>>,
}

impl Default for Draft {
    fn default() -> Draft {
        Draft {
            given: Given::default(),
            holder: "file",
            units: FxHashMap::default(),
            entities: FxHashMap::default(),
            joined: FxHashMap::default(),
        }
    }
}

impl Draft {
    /// Where the parts are, where it is no file.
    pub fn held_by(&mut self, holder: &'static str) {
        self.holder = holder;
    }

    /// The system that made the graph and which generation it is, where only reading tells.
    pub fn made_by(&mut self, system: &str, generation: String) {
        system.clone_into(&mut self.given.system);
        self.given.generation = generation;
    }

    /// A file that is read.
    pub fn file(&mut self, path: &Path) {
        self.given.files.push(path.to_owned());
    }

    /// Something worth a word, with an example, which may be empty.
    pub fn note(&mut self, sort: Sort, what: &str, example: &str) {
        self.given.account.note(sort, what, example);
    }

    /// A text. One without words is left out, and so is the second of an identifier.
    pub fn unit(&mut self, id: &str, title: &str, text: &str) {
        let empty = text.trim().is_empty();
        let known = self.units.contains_key(id);
        self.given
            .account
            .count("text units", usize::from(!empty && !known));
        if empty {
            return self.note(Sort::LeftOut, "text units without text", id);
        }
        if known {
            return self.note(Sort::LeftOut, "text units whose identifier came before", id);
        }
        self.units
            .insert(id.to_owned(), self.given.units.len() as u32);
        self.given.units.push(Unit {
            id: id.to_owned(),
            title: title.to_owned(),
            text: text.to_owned(),
        });
    }

    /// The texts so far.
    pub fn units(&self) -> &[Unit] {
        &self.given.units
    }

    /// Whether there is a text of an identifier.
    pub fn has_unit(&self, id: &str) -> bool {
        self.units.contains_key(id)
    }

    fn units_of<'s>(&mut self, of: &str, units: impl IntoIterator<Item = &'s str>) -> Vec<u32> {
        let mut places = Vec::new();
        for id in units {
            match self.units.get(id) {
                Some(place) => places.push(*place),
                None => {
                    let what = format!("text units that {of} name and no {} has", self.holder);
                    self.note(Sort::LeftOut, &what, id);
                }
            }
        }
        let mut seen = FxHashSet::default();
        places.retain(|place| seen.insert(*place));
        places
    }

    /// An entity. `key` is what relations and communities call it. The second of a key adds its texts to the first.
    pub fn entity<'s>(
        &mut self,
        key: &str,
        name: &str,
        kind: &str,
        description: &str,
        units: impl IntoIterator<Item = &'s str>,
    ) {
        let name = name.trim();
        let units = self.units_of("entities", units);
        let known = self.entities.get(key).copied();
        let kept = known.is_none() && !name.is_empty();
        self.given.account.count("entities", usize::from(kept));
        if name.is_empty() {
            return self.note(Sort::LeftOut, "entities without a name", key);
        }
        if let Some(at) = known {
            let first = &mut self.given.entities[at as usize];
            let own = || first.units.iter().copied().collect();
            let known = self.joined.entry(at).or_insert_with(own);
            let others = units.into_iter().filter(|unit| known.insert(*unit));
            first.units.extend(others);
            if first.description.is_empty() {
                first.description = description.trim().to_owned();
            }
            return self.note(
                Sort::Repaired,
                "entities joined to the first of their name",
                name,
            );
        }
        self.entities
            .insert(key.to_owned(), self.given.entities.len() as u32);
        self.given.entities.push(Entity {
            name: name.to_owned(),
            kind: kind.trim().to_owned(),
            description: description.trim().to_owned(),
            units,
        });
    }

    /// A relation between two entities, by what the files call them. A weight that is none or not above zero becomes 1.
    pub fn relation<'s>(
        &mut self,
        ends: [&str; 2],
        label: &str,
        description: &str,
        weight: Option<f64>,
        units: impl IntoIterator<Item = &'s str>,
    ) {
        let units = self.units_of("relations", units);
        let [source, target] = ends.map(|end| self.entities.get(end).copied());
        let (Some(source), Some(target)) = (source, target) else {
            self.given.account.count("relations", 0);
            let missing = if source.is_none() { ends[0] } else { ends[1] };
            let what = format!("relations that name an entity that no {} has", self.holder);
            return self.note(Sort::LeftOut, &what, missing);
        };
        if source == target {
            self.given.account.count("relations", 0);
            return self.note(Sort::LeftOut, "relations of an entity to itself", ends[0]);
        }
        self.given.account.count("relations", 1);
        let weight = self.weight(weight);
        self.given.relations.push(Relation {
            source,
            target,
            label: label.trim().to_owned(),
            description: description.trim().to_owned(),
            weight,
            units,
        });
    }

    /// A weight; one that is none or not above zero becomes 1.
    pub fn weight(&mut self, weight: Option<f64>) -> f64 {
        match weight {
            Some(weight) if weight.is_finite() && weight > 0.0 => weight,
            Some(weight) => {
                let what = "weights that are no number above zero, taken as 1";
                self.note(Sort::Repaired, what, &weight.to_string());
                1.0
            }
            None => 1.0,
        }
    }

    /// An edge between two texts, by their identifiers. A weight is as that of a relation.
    pub fn link(&mut self, ends: [&str; 2], label: &str, weight: Option<f64>) {
        let units = ends.map(|end| self.units.get(end).copied());
        let (Some(source), Some(target)) = (units[0], units[1]) else {
            self.given.account.count(LINKS, 0);
            let what = format!("edges that name a text unit that no {} has", self.holder);
            let missing = if units[0].is_none() { ends[0] } else { ends[1] };
            return self.note(Sort::LeftOut, &what, missing);
        };
        if source == target {
            self.given.account.count(LINKS, 0);
            return self.note(Sort::LeftOut, "edges of a text unit to itself", ends[0]);
        }
        self.given.account.count(LINKS, 1);
        let (label, weight) = (label.trim().to_owned(), self.weight(weight));
        self.given.links.push(Link {
            source,
            target,
            label,
            weight,
        });
    }

    /// A community of entities, by what the files call them.
    pub fn community<'s>(
        &mut self,
        title: &str,
        level: u32,
        members: impl IntoIterator<Item = &'s str>,
        report: &str,
    ) {
        let mut places = Vec::new();
        for key in members {
            match self.entities.get(key) {
                Some(place) => places.push(*place),
                None => {
                    let what = "members of communities that no file has as entities";
                    self.note(Sort::LeftOut, what, key);
                }
            }
        }
        places.sort_unstable();
        places.dedup();
        self.given.account.count("communities", 1);
        self.given.communities.push(Community {
            title: title.trim().to_owned(),
            level,
            members: places,
            report: report.trim().to_owned(),
        });
    }

    /// The graph as far as it was read, with its entities and texts by what the files call them.
    pub fn parted(self) -> (Given, [FxHashMap<String, u32>; 2]) {
        (self.given, [self.entities, self.units])
    }

    /// The graph.
    pub fn finish(mut self) -> Given {
        let alone = self.given.entities.iter().filter(|e| e.units.is_empty());
        let names: Vec<String> = alone.map(|e| e.name.clone()).collect();
        for name in names {
            self.note(
                Sort::Seen,
                "entities of no text unit, reached over relations alone",
                &name,
            );
        }
        self.given
    }
}

/// Strings that stand often, each held once.
#[derive(Default)]
pub struct Words {
    all: Vec<String>,
    places: FxHashMap<String, u32>,
}

impl Words {
    /// The place of a word, a new one if it is new.
    pub fn place(&mut self, word: &str) -> u32 {
        if let Some(place) = self.places.get(word) {
            return *place;
        }
        let place = self.all.len() as u32;
        self.all.push(word.to_owned());
        self.places.insert(word.to_owned(), place);
        place
    }

    /// The word of a place; empty where none is.
    pub fn get(&self, place: u32) -> &str {
        self.all.get(place as usize).map_or("", String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_is_counted_with_a_reason() {
        let mut draft = Draft::default();
        draft.unit("u1", "", "Ada met Babbage.");
        draft.unit("u2", "", " ");
        draft.unit("u1", "", "Again.");
        draft.entity("ADA", "Ada", "person", "A countess.", ["u1", "u9"]);
        draft.entity("BABBAGE", "Babbage", "person", "", ["u1"]);
        draft.entity("ADA", "Ada", "person", "Again.", ["u1"]);
        draft.entity("X", "  ", "", "", []);
        draft.relation(["ADA", "BABBAGE"], "met", "", Some(2.0), ["u1"]);
        draft.relation(["ADA", "NOBODY"], "met", "", None, []);
        draft.relation(["ADA", "ADA"], "is", "", None, []);
        draft.relation(["BABBAGE", "ADA"], "met", "", Some(f64::NAN), []);
        draft.community("London", 0, ["ADA", "NOBODY"], "A report.");
        let given = draft.finish();
        let kept = |name: &str| {
            let table = given
                .account
                .tables
                .iter()
                .find(|t| t.name == name)
                .unwrap();
            (table.read, table.kept)
        };
        assert_eq!(kept("text units"), (3, 1));
        assert_eq!(kept("entities"), (4, 2));
        assert_eq!(kept("relations"), (4, 2));
        assert_eq!(given.relations[1].weight, 1.0);
        assert_eq!(given.communities[0].members, [0]);
        let said = given.account.to_string();
        for part in [
            "text units         3 read, 1 kept",
            "left out: text units without text: 1 (u2)",
            "left out: text units that entities name and no file has: 1 (u9)",
            "left out: relations that name an entity that no file has: 1 (NOBODY)",
            "repaired: weights that are no number above zero, taken as 1: 1 (NaN)",
            "repaired: entities joined to the first of their name: 1 (Ada)",
        ] {
            assert!(said.contains(part), "{said}");
        }
    }
}
