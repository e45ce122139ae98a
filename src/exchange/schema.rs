//! What a schema graph is made of: types of objects with fields, types of edges with ends. All a planner ever sees.

use crate::text::stems::{phrase, spaced, stem};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Why a schema graph cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum GraphError {
    #[error("{}: {source}; check that it exists and that you may read it", path.display())]
    Io {
        path: PathBuf,
        source: std::io::Error,
    },
    /// Line 0: the file as a whole.
    #[error("{}{}: expected {expected}; found {found}", path.display(), if *line == 0 { String::new() } else { format!(":{line}") })]
    Record {
        path: PathBuf,
        line: u64,
        expected: String,
        found: String,
    },
    #[error(
        "{}: no schema graph; expected nodes.tsv or nodes.jsonl with edges.tsv or edges.jsonl, or STaRK's processed/node_info.pkl",
        path.display()
    )]
    None { path: PathBuf },
    /// Files that are known and cannot be read: what to do instead.
    #[error("{}: {what}; {remedy}", path.display())]
    Unreadable {
        path: PathBuf,
        what: String,
        remedy: String,
    },
}

impl GraphError {
    pub fn io(path: &Path, source: std::io::Error) -> GraphError {
        GraphError::Io {
            path: path.to_owned(),
            source,
        }
    }

    pub fn record(
        path: &Path,
        line: u64,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> GraphError {
        GraphError::Record {
            path: path.to_owned(),
            line,
            expected: expected.into(),
            found: found.into(),
        }
    }
}

/// Types of objects and edges. The file `schema.json` has this form; what it leaves out is inferred from the tables.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Schema {
    pub types: Vec<NodeType>,
    pub edges: Vec<EdgeType>,
    /// Whether objects of like long fields are joined besides, by edges IS_SIMILAR.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub similar: bool,
}

/// A type of objects. Every object has a name besides the fields.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodeType {
    pub name: String,
    /// Words that ask for it: `physicist`, `who`.
    #[serde(default)]
    pub synonyms: Vec<String>,
    #[serde(default)]
    pub fields: Vec<Field>,
    /// Whether a question may ask for it.
    #[serde(default = "yes")]
    pub answerable: bool,
    /// Whether it names persons: several persons without a common object are united instead of intersected.
    #[serde(default)]
    pub person: bool,
    /// Number of objects; counted, whatever the file says.
    #[serde(default)]
    pub count: u64,
}

fn yes() -> bool {
    true
}

/// A field of a type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Field {
    pub name: String,
    pub kind: FieldKind,
    /// Words that stand near its values in a question: `born`.
    #[serde(default)]
    pub synonyms: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldKind {
    Text,
    Number,
    /// Text of sentences, with vectors of its own.
    Long,
}

/// A type of edges between two types. One name may stand for several pairs of ends, each an entry of its own.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EdgeType {
    pub name: String,
    pub from: String,
    pub to: String,
    /// Words that say it with its start as the subject: `taught`.
    #[serde(default)]
    pub cues: Vec<String>,
    /// Words that say it with its end as the subject: `taught by`. Told apart only where both ends have one type.
    #[serde(default)]
    pub inverse_cues: Vec<String>,
    /// Number of edges; counted, whatever the file says.
    #[serde(default)]
    pub count: u64,
}

/// The field that every object has.
pub const NAME: &str = "name";

impl Schema {
    pub fn type_by_name(&self, name: &str) -> Option<usize> {
        self.types.iter().position(|t| t.name == name)
    }

    /// Distinct field names over all types, in order of first appearance, `name` first.
    pub fn field_names(&self) -> Vec<&str> {
        let mut names = vec![NAME];
        for field in self.types.iter().flat_map(|t| &t.fields) {
            if !names.contains(&field.name.as_str()) {
                names.push(&field.name);
            }
        }
        names
    }

    /// Every word by which it is asked: of types, fields and edges, by stem.
    pub fn stems(&self) -> BTreeSet<String> {
        let types = self.types.iter().flat_map(|t| {
            let fields = t.fields.iter();
            let fields = fields.flat_map(|f| std::iter::once(&f.name).chain(&f.synonyms));
            std::iter::once(&t.name).chain(&t.synonyms).chain(fields)
        });
        let edges = self.edges.iter().flat_map(|e| {
            let cues = e.cues.iter().chain(&e.inverse_cues);
            std::iter::once(&e.name).chain(cues)
        });
        let words = types.chain(edges).flat_map(|said| phrase(&spaced(said)));
        words.map(|word| stem(&word)).collect()
    }

    pub fn ends(&self, edge: usize) -> (usize, usize) {
        let of = |name: &str| self.type_by_name(name).unwrap_or(0);
        (of(&self.edges[edge].from), of(&self.edges[edge].to))
    }

    /// What a planner is told: types, fields, edges and counts, without any object.
    pub fn told(&self) -> serde_json::Value {
        let types = self.types.iter().map(|t| {
            let fields = t
                .fields
                .iter()
                .map(|f| serde_json::json!({"name": f.name, "kind": f.kind}));
            let fields: Vec<_> = std::iter::once(serde_json::json!({"name": NAME, "kind": "text"}))
                .chain(fields)
                .collect();
            serde_json::json!({"type": t.name, "fields": fields, "count": t.count})
        });
        let edges = self.edges.iter().map(
            |e| serde_json::json!({"edge": e.name, "from": e.from, "to": e.to, "count": e.count}),
        );
        serde_json::json!({"types": types.collect::<Vec<_>>(), "edges": edges.collect::<Vec<_>>()})
    }
}

impl NodeType {
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|f| f.name == name)
    }

    pub fn long_fields(&self) -> impl Iterator<Item = &Field> {
        self.fields.iter().filter(|f| f.kind == FieldKind::Long)
    }
}

/// An object as a table has it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Object {
    pub id: String,
    pub kind: String,
    pub name: String,
    pub aliases: Vec<String>,
    /// Field name and value, in the order of the table; no empty ones.
    pub fields: Vec<(String, String)>,
}

/// A schema graph as read: checked, counted, edges by places in `objects`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graph {
    pub schema: Schema,
    pub objects: Vec<Object>,
    /// From, to, place in `schema.edges`; ascending, each once.
    pub edges: Vec<(u32, u32, u32)>,
}

/// Words a value must have on average for its field to be a long one.
const LONG_WORDS: f64 = 8.0;

/// Completes a given schema by what the objects and edges show, and counts them. `edges` are (from, to, name).
pub fn complete(given: Schema, objects: Vec<Object>, edges: Vec<(u32, u32, String)>) -> Graph {
    let mut schema = given;
    let described = !schema.types.is_empty();
    let mut seen: BTreeMap<(usize, String), (usize, usize, bool)> = BTreeMap::new();
    let mut order = Vec::new();
    for kind in &mut schema.types {
        kind.count = 0;
    }
    for object in &objects {
        let at = schema.type_by_name(&object.kind).unwrap_or_else(|| {
            schema.types.push(NodeType {
                name: object.kind.clone(),
                answerable: true,
                ..NodeType::default()
            });
            schema.types.len() - 1
        });
        schema.types[at].count += 1;
        for (name, value) in &object.fields {
            let entry = seen.entry((at, name.clone())).or_insert_with(|| {
                order.push((at, name.clone()));
                (0, 0, true)
            });
            entry.0 += 1;
            entry.1 += value.split_whitespace().count();
            entry.2 &= value.parse::<f64>().is_ok_and(f64::is_finite);
        }
    }
    for key in order {
        let (values, words, numbers) = seen[&key];
        let (at, name) = key;
        if schema.types[at].field(&name).is_none() {
            let kind = match words as f64 / values as f64 {
                _ if numbers => FieldKind::Number,
                mean if mean >= LONG_WORDS => FieldKind::Long,
                _ => FieldKind::Text,
            };
            let synonyms = vec![spaced(&name)];
            schema.types[at].fields.push(Field {
                name,
                kind,
                synonyms,
            });
        }
    }
    if !described {
        // Without a word from the person, a question may ask for whatever there is something to read about.
        let any_long = schema
            .types
            .iter()
            .any(|t| t.long_fields().next().is_some());
        for kind in &mut schema.types {
            kind.answerable = !any_long || kind.long_fields().next().is_some();
            let words = spaced(&kind.name);
            kind.person = [
                "author",
                "person",
                "people",
                "scientist",
                "inventor",
                "actor",
                "writer",
            ]
            .contains(&words.as_str());
        }
    }
    for edge in &mut schema.edges {
        edge.count = 0;
    }
    let mut numbered: Vec<(u32, u32, u32)> = Vec::with_capacity(edges.len());
    for (from, to, name) in edges {
        let (a, b) = (&objects[from as usize].kind, &objects[to as usize].kind);
        let known = schema
            .edges
            .iter()
            .position(|e| e.name == name && e.from == *a && e.to == *b);
        let at = known.unwrap_or_else(|| {
            // Ends that no entry names take the words of an entry of their name.
            let same = schema.edges.iter().find(|e| e.name == name);
            let cues = same.map_or_else(|| cues(&name), |e| e.cues.clone());
            let inverse_cues = same.map(|e| e.inverse_cues.clone()).unwrap_or_default();
            schema.edges.push(EdgeType {
                name,
                from: a.clone(),
                to: b.clone(),
                cues,
                inverse_cues,
                count: 0,
            });
            schema.edges.len() - 1
        });
        numbered.push((from, to, at as u32));
    }
    numbered.sort_unstable();
    numbered.dedup();
    for (_, _, edge) in &numbered {
        schema.edges[*edge as usize].count += 1;
    }
    Graph {
        schema,
        objects,
        edges: numbered,
    }
}

/// The words of an edge's name: all of them, and each that is no function word.
fn cues(name: &str) -> Vec<String> {
    let all = spaced(name);
    let words = phrase(&all);
    let mut cues = vec![all];
    for word in words
        .iter()
        .filter(|w| !crate::text::names::is_function_word(w))
    {
        if !cues.contains(word) {
            cues.push(word.clone());
        }
    }
    cues
}

/// Holds a schema against itself: names that are there once, ends that are there.
///
/// # Errors
/// What is wrong, for the file that holds it.
pub fn sound(schema: &Schema) -> Result<(), (String, String)> {
    for (i, kind) in schema.types.iter().enumerate() {
        if schema.type_by_name(&kind.name) != Some(i) || kind.name.is_empty() {
            let found = format!("'{}' twice, or empty", kind.name);
            return Err(("types with different names".into(), found));
        }
        for (i, field) in kind.fields.iter().enumerate() {
            let first = kind.fields.iter().position(|f| f.name == field.name);
            if first != Some(i) || field.name == NAME {
                let found = format!("'{}' again", field.name);
                return Err((
                    format!("fields of {} with different names", kind.name),
                    found,
                ));
            }
        }
    }
    for edge in &schema.edges {
        for end in [&edge.from, &edge.to] {
            if schema.type_by_name(end).is_none() {
                return Err((
                    format!("a type at each end of {}", edge.name),
                    format!("'{end}'"),
                ));
            }
        }
    }
    Ok(())
}
