//! LlamaIndex's property graph as it is kept in files: `property_graph_store.json`, with `docstore.json` beside it.
//!
//! Text chunks are nodes with a text; entities and relations name the chunk that they come from. Vectors are skipped.

use super::super::schema::GraphError;
use super::plain::{Link, Plain, Properties, Thing, stem};
use super::stream::{self, Loose, Record};
use super::{Draft, Sort, System};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Deserialize;
use std::path::Path;

/// LlamaIndex's property graph.
pub static LLAMAINDEX: System = System {
    title: "LlamaIndex",
    about: "property_graph_store.json, with docstore.json",
    finds,
    read,
};

const GRAPH: &str = "property_graph_store.json";
const TEXTS: &str = "docstore.json";
/// The property that names the chunk of an entity or a relation.
const SOURCE: &str = "triplet_source_id";
/// Where a text's file is named.
const FILES: [&str; 4] = ["file_name", "file_path", "title", "source"];
/// Labels that say nothing of what an entity is.
const GENERIC: [&str; 2] = ["entity", "unknown"];

fn finds(folder: &Path) -> Option<String> {
    if !folder.join(GRAPH).is_file() {
        return None;
    }
    let texts = match folder.join(TEXTS).is_file() {
        true => "with docstore.json",
        false => "without docstore.json",
    };
    Some(format!("property graph, {texts}"))
}

/// A node: a text chunk where it has a text, else an entity.
#[derive(Deserialize)]
struct Node {
    #[serde(default)]
    label: Loose,
    #[serde(default)]
    name: Loose,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    properties: Record,
}

#[derive(Deserialize)]
struct Relation {
    #[serde(default)]
    label: Loose,
    source_id: Loose,
    target_id: Loose,
    #[serde(default)]
    properties: Record,
}

fn read(folder: &Path, draft: &mut Draft) -> Result<(), GraphError> {
    let path = folder.join(GRAPH);
    draft.file(&path);
    let mut plain = Plain::default();
    let what = "a node with its name or text";
    let there = stream::records(&path, &["nodes"], what, &mut |id, node: Node| {
        plain.things.push(thing(id, node));
        Ok(())
    })?;
    if !there {
        let found = "an object without them";
        return Err(GraphError::record(&path, 0, "nodes", found));
    }
    let what = "a relation with source_id and target_id";
    stream::records(&path, &["relations"], what, &mut |_, relation: Relation| {
        let (from, to) = (relation.source_id.text(), relation.target_id.text());
        let label = relation.label.text();
        let mut link = Link::of(&from, &to, &label, &relation.properties);
        link.units = relation.properties.texts(SOURCE);
        plain.links.push(link);
        Ok(())
    })?;
    read_texts(folder, &mut plain, draft)?;
    match plain.things.iter().any(|thing| thing.text.is_some()) {
        true => plain.give(draft),
        false => return Err(no_texts(folder)),
    }
    Ok(())
}

fn no_texts(folder: &Path) -> GraphError {
    GraphError::Unreadable {
        path: folder.to_owned(),
        what: format!("no text of a chunk in {GRAPH} or {TEXTS}"),
        remedy: format!("persist the whole storage context, so that {TEXTS} lies beside {GRAPH}"),
    }
}

fn thing(id: &str, node: Node) -> Thing {
    let text = node.text.filter(|text| !text.trim().is_empty());
    let name = match node.name.text() {
        name if name.trim().is_empty() => id.to_owned(),
        name => name,
    };
    let kind = match node.label.text() {
        label if GENERIC.contains(&&*label.to_lowercase()) => String::new(),
        label => label,
    };
    Thing {
        id: id.to_owned(),
        name,
        kind,
        description: Properties::first(&node.properties, &["description", "summary"]),
        title: stem(&Properties::first(&node.properties, &FILES)),
        units: match text {
            Some(_) => Vec::new(),
            None => node.properties.texts(SOURCE),
        },
        text,
        ..Thing::default()
    }
}

/// A text of the docstore: newer files have it as an object, older ones as JSON within a string.
#[derive(Deserialize)]
struct Stored {
    #[serde(default, rename = "__data__")]
    data: Loose,
}

impl Stored {
    fn record(self) -> Record {
        match self.data {
            Loose::Record(record) => record,
            Loose::Text(text) => serde_json::from_str(&text).unwrap_or_default(),
            _ => Record::default(),
        }
    }
}

/// Texts that the graph names and does not hold, and titles of those that it holds.
fn read_texts(folder: &Path, plain: &mut Plain, draft: &mut Draft) -> Result<(), GraphError> {
    let path = folder.join(TEXTS);
    if !path.is_file() {
        return Ok(());
    }
    draft.file(&path);
    let named = named(plain);
    let held: FxHashMap<String, usize> = (plain.things.iter().enumerate())
        .filter(|(_, thing)| thing.text.is_some())
        .map(|(at, thing)| (thing.id.clone(), at))
        .collect();
    let what = "a text with its __data__";
    stream::records(
        &path,
        &["docstore/data"],
        what,
        &mut |id, stored: Stored| {
            let record = stored.record();
            let title = match record.get("metadata") {
                Loose::Record(metadata) => stem(&Properties::first(metadata, &FILES)),
                _ => String::new(),
            };
            if let Some(thing) = held.get(id).and_then(|at| plain.things.get_mut(*at)) {
                if thing.title.is_empty() {
                    thing.title = title;
                }
                return Ok(());
            }
            if !named.contains(id) {
                let what = "texts of docstore.json that no part of the graph names";
                draft.note(Sort::LeftOut, what, id);
                return Ok(());
            }
            plain.things.push(Thing {
                id: id.to_owned(),
                text: Some(record.first(&["text"])).filter(|text| !text.trim().is_empty()),
                title,
                ..Thing::default()
            });
            Ok(())
        },
    )?;
    plain
        .things
        .retain(|thing| thing.text.is_some() || !thing.name.is_empty());
    Ok(())
}

/// What entities, relations and chunks without a text call a text.
fn named(plain: &Plain) -> FxHashSet<String> {
    let things = plain.things.iter().flat_map(|thing| &thing.units);
    let links = plain.links.iter().flat_map(|link| &link.units);
    things.chain(links).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::super::Given;
    use super::super::fixture::damage;
    use super::*;
    use proptest::prelude::*;
    use tempfile::TempDir;

    const STORE: &str = r#"{"nodes": {
      "Ada": {"label": "PERSON", "embedding": [0.1, 0.2], "properties": {"triplet_source_id": "c1", "description": "A countess."}, "name": "Ada"},
      "Babbage": {"label": "entity", "embedding": null, "properties": {"triplet_source_id": "c2"}, "name": "Babbage"},
      "c1": {"label": "text_chunk", "embedding": null, "properties": {"file_name": "one.txt"}, "text": "Ada wrote.", "id_": "c1"}},
     "relations": {"Ada_KNOWS_Babbage": {"label": "KNOWS", "source_id": "Ada", "target_id": "Babbage", "properties": {"triplet_source_id": "c1"}},
      "c1_SOURCE_c2": {"label": "SOURCE", "source_id": "c1", "target_id": "c2", "properties": {}}},
     "triplets": [["Ada", "KNOWS", "Babbage"]]}"#;

    const DOCSTORE: &str = r#"{"docstore/metadata": {"c1": {"doc_hash": "x"}}, "docstore/data": {
      "c1": {"__data__": {"id_": "c1", "metadata": {"file_name": "one.txt"}, "text": "Ada wrote."}, "__type__": "1"},
      "c2": {"__data__": "{\"metadata\": {\"file_name\": \"two.txt\"}, \"text\": \"Babbage built.\"}", "__type__": "1"},
      "doc": {"__data__": {"text": "Ada wrote. Babbage built."}, "__type__": "4"}}}"#;

    fn folder(files: &[(&str, &[u8])]) -> TempDir {
        let folder = TempDir::new().unwrap();
        for (name, bytes) in files {
            std::fs::write(folder.path().join(name), bytes).unwrap();
        }
        folder
    }

    fn given(files: &[(&str, &[u8])]) -> Result<Given, GraphError> {
        let folder = folder(files);
        assert!(finds(folder.path()).is_some());
        let mut draft = Draft::default();
        read(folder.path(), &mut draft)?;
        Ok(draft.finish())
    }

    #[test]
    fn chunks_are_texts_and_name_what_comes_from_them() {
        let given = given(&[(GRAPH, STORE.as_bytes()), (TEXTS, DOCSTORE.as_bytes())]).unwrap();
        let units: Vec<(&str, &str)> = given.units.iter().map(|u| (&*u.title, &*u.text)).collect();
        assert_eq!(units, [("one", "Ada wrote."), ("two", "Babbage built.")]);
        let [ada, babbage] = &*given.entities else {
            panic!("{:?}", given.entities)
        };
        assert_eq!(
            (&*ada.kind, &*ada.description, &*ada.units),
            ("PERSON", "A countess.", &[0][..])
        );
        assert_eq!((&*babbage.kind, &*babbage.units), ("", &[1][..]));
        assert_eq!(given.relations.len(), 1);
        assert_eq!(
            (&*given.relations[0].label, &*given.relations[0].units),
            ("KNOWS", &[0][..])
        );
        let account = given.account.to_string();
        assert_eq!(&*given.links[0].label, "SOURCE");
        assert!(
            account.contains("no part of the graph names: 1 (doc)"),
            "{account}"
        );
    }

    #[test]
    fn without_docstore_the_graph_has_its_own_texts() {
        let given = given(&[(GRAPH, STORE.as_bytes())]).unwrap();
        assert_eq!((given.units.len(), given.entities.len()), (1, 2));
        let account = given.account.to_string();
        assert!(account.contains("(c2)"), "{account}");
    }

    #[test]
    fn what_cannot_be_read_says_so() {
        let fails = |text: &str| given(&[(GRAPH, text.as_bytes())]).unwrap_err().to_string();
        assert!(fails("{}").contains("expected nodes"));
        assert!(fails(r#"{"nodes": {"Ada": {"name": "Ada"}}}"#).contains("no text of a chunk"));
        assert!(fails(&STORE[..300]).contains("the end of the file"));
        let wrong = STORE.replace("\"target_id\": \"Babbage\", ", "");
        assert!(fails(&wrong).contains("missing field `target_id`"));
    }

    #[test]
    fn other_folders_are_not_taken() {
        let other = folder(&[("docstore.json", b"{}"), ("corpus.jsonl", b"{}")]);
        assert_eq!(finds(other.path()), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn damage_never_panics(which in 0..2usize, damage in damage()) {
            let mut files = [STORE.as_bytes().to_vec(), DOCSTORE.as_bytes().to_vec()];
            files[which] = damage.of(&files[which]);
            let _ = given(&[(GRAPH, &files[0]), (TEXTS, &files[1])]);
        }
    }
}
