//! Graphs as JSON, one record a line or one list: what Neo4j's APOC exports, and the graph documents of LangChain.

use super::super::schema::GraphError;
use super::plain::{Link, Plain, Properties, Thing, stem};
use super::stream::{self, Loose, Record};
use super::{Draft, Sort, System};
use rustc_hash::FxHashMap;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// What `apoc.export.json.all` writes, of Graphiti, neo4j-graphrag, llm-graph-builder and whoever else keeps a graph in Neo4j.
pub static APOC: System = System {
    title: "Neo4j (APOC)",
    about: "JSON of apoc.export.json.all: nodes and relationships",
    finds: finds_apoc,
    read: read_apoc,
};

/// Graph documents of LangChain.
pub static LANGCHAIN: System = System {
    title: "LangChain",
    about: "JSON of graph documents: nodes, relationships and a source with page_content",
    finds: finds_langchain,
    read: read_langchain,
};

const ENDINGS: [&str; 3] = ["json", "jsonl", "ndjson"];
/// Properties that name the file of a document.
const FILES: [&str; 6] = [
    "title",
    "file_name",
    "filename",
    "file_path",
    "source",
    "url",
];
/// Properties that a document is called by.
const IDS: [&str; 4] = ["id", "chunk_id", "uuid", "hash"];

/// How the records of an export lie in its file.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    Lines,
    List,
    /// One object of nodes and rels.
    Object,
}

fn form(path: &Path) -> Option<Form> {
    let head = stream::compact(path);
    let node = head.contains("\"type\":\"node\"") && head.contains("\"labels\":[");
    let edge = head.contains("\"type\":\"relationship\"") && head.contains("\"start\":");
    if !head.starts_with('{') || !(node || edge) {
        return None;
    }
    if ["{\"nodes\":", "{\"rels\":"]
        .iter()
        .any(|key| head.starts_with(key))
    {
        return Some(Form::Object);
    }
    match stream::beginning(path).starts_with('[') {
        true => Some(Form::List),
        false => Some(Form::Lines),
    }
}

fn exports(folder: &Path) -> Vec<(PathBuf, Form)> {
    let files = stream::files(folder, &ENDINGS).into_iter();
    let forms = files.filter_map(|path| form(&path).map(|form| (path, form)));
    forms.collect()
}

fn finds_apoc(folder: &Path) -> Option<String> {
    let exports = exports(folder);
    let form = match exports.first()?.1 {
        Form::Lines => "JSON lines",
        Form::List => "JSON list",
        Form::Object => "JSON object",
    };
    Some(match exports.len() {
        1 => form.to_owned(),
        many => format!("{form}, {many} files"),
    })
}

/// A node or a relationship.
#[derive(Deserialize)]
struct Row {
    #[serde(default, rename = "type")]
    what: Loose,
    #[serde(default)]
    id: Loose,
    #[serde(default)]
    labels: Loose,
    #[serde(default)]
    label: Loose,
    #[serde(default)]
    properties: Record,
    #[serde(default)]
    start: Loose,
    #[serde(default)]
    end: Loose,
}

fn read_apoc(folder: &Path, draft: &mut Draft) -> Result<(), GraphError> {
    let mut plain = Plain::default();
    for (path, form) in exports(folder) {
        draft.file(&path);
        let what = "a node or a relationship";
        let each = &mut |_: &str, row: Row| {
            keep(row, &mut plain, draft);
            Ok(())
        };
        match form {
            Form::Lines | Form::List => stream::lines(&path, what, each)?,
            Form::Object => {
                stream::records(&path, &["nodes"], what, each)?;
                stream::records(&path, &["rels"], what, each)?;
            }
        }
    }
    plain.give(draft);
    Ok(())
}

fn keep(row: Row, plain: &mut Plain, draft: &mut Draft) {
    match &*row.what.text() {
        "node" => {
            let id = row.id.text();
            if id.is_empty() {
                return draft.note(Sort::LeftOut, "nodes without an identifier", "");
            }
            let thing = Thing::of(&id, &row.labels.texts(), &row.properties);
            plain.things.push(thing);
        }
        "relationship" => {
            let (from, to) = (end(&row.start), end(&row.end));
            let link = Link::of(&from, &to, &row.label.text(), &row.properties);
            plain.links.push(link);
        }
        other => draft.note(
            Sort::LeftOut,
            "records that are neither a node nor a relationship",
            other,
        ),
    }
}

/// The identifier of an end, which is written as it is or as a node.
fn end(value: &Loose) -> String {
    match value {
        Loose::Record(record) => match record.get("kwargs") {
            Loose::Record(inner) => inner.get("id").text(),
            _ => record.get("id").text(),
        },
        value => value.text(),
    }
}

fn graphs(folder: &Path) -> Vec<PathBuf> {
    let mut files = stream::files(folder, &ENDINGS);
    files.retain(|path| {
        let head = stream::compact(path);
        let keys = ["\"nodes\":[", "\"relationships\":[", "\"page_content\":"];
        head.starts_with('{') && keys.iter().all(|key| head.contains(key))
    });
    files
}

fn finds_langchain(folder: &Path) -> Option<String> {
    match graphs(folder).len() {
        0 => None,
        1 => Some("graph documents".to_owned()),
        many => Some(format!("graph documents, {many} files")),
    }
}

/// A document with its graph. `kwargs` is where LangChain's own serialisation has the fields.
#[derive(Deserialize)]
struct Graph {
    #[serde(default)]
    nodes: Vec<Node>,
    #[serde(default)]
    relationships: Vec<Relationship>,
    #[serde(default)]
    source: Record,
    #[serde(default)]
    kwargs: Option<Box<Graph>>,
}

#[derive(Deserialize)]
struct Node {
    #[serde(default)]
    id: Loose,
    #[serde(default, rename = "type")]
    kind: Loose,
    #[serde(default)]
    properties: Record,
    #[serde(default)]
    kwargs: Option<Box<Node>>,
}

#[derive(Deserialize)]
struct Relationship {
    #[serde(default)]
    source: Loose,
    #[serde(default)]
    target: Loose,
    #[serde(default, rename = "type")]
    label: Loose,
    #[serde(default)]
    properties: Record,
    #[serde(default)]
    kwargs: Option<Box<Relationship>>,
}

/// Graph documents while they are read.
#[derive(Default)]
struct Documents {
    plain: Plain,
    /// Places of texts by identifier.
    texts: FxHashMap<String, usize>,
    read: usize,
}

fn read_langchain(folder: &Path, draft: &mut Draft) -> Result<(), GraphError> {
    let mut documents = Documents::default();
    for path in graphs(folder) {
        draft.file(&path);
        let what = "a graph document with nodes, relationships and a source";
        stream::lines(&path, what, &mut |_, graph: Graph| {
            documents.add(match graph.kwargs {
                Some(inner) => *inner,
                None => graph,
            });
            Ok(())
        })?;
    }
    documents.plain.give(draft);
    Ok(())
}

impl Documents {
    fn add(&mut self, graph: Graph) {
        self.read += 1;
        let units: Vec<String> = self.text(graph.source).into_iter().collect();
        for node in graph.nodes {
            let node = match node.kwargs {
                Some(inner) => *inner,
                None => node,
            };
            let properties = &node.properties;
            self.plain.things.push(Thing {
                id: node.id.text(),
                name: node.id.text(),
                kind: node.kind.text(),
                description: Properties::first(properties, &["description", "summary"]),
                units: units.clone(),
                ..Thing::default()
            });
        }
        for edge in graph.relationships {
            let edge = match edge.kwargs {
                Some(inner) => *inner,
                None => edge,
            };
            let (from, to) = (end(&edge.source), end(&edge.target));
            let mut link = Link::of(&from, &to, &edge.label.text(), &edge.properties);
            link.units.clone_from(&units);
            self.plain.links.push(link);
        }
    }

    /// Keeps the text of a document. Returns what it is called; none without a text.
    fn text(&mut self, source: Record) -> Option<String> {
        let source = match source.get("kwargs") {
            Loose::Record(inner) => inner.clone(),
            _ => source,
        };
        let text = source.first(&["page_content"]);
        if text.trim().is_empty() {
            return None;
        }
        let metadata = match source.get("metadata") {
            Loose::Record(metadata) => metadata.clone(),
            _ => Record::default(),
        };
        let number = self.read;
        let mut id = match source.first(&["id"]) {
            id if id.is_empty() => metadata.first(&IDS),
            id => id,
        };
        if id.is_empty() {
            id = format!("document {number}");
        }
        if let Some(known) = self.texts.get(&id) {
            let same = self.plain.things.get(*known);
            if same.is_some_and(|thing| thing.text.as_ref() == Some(&text)) {
                return Some(id);
            }
            id = format!("{id} ({number})");
        }
        self.texts.insert(id.clone(), self.plain.things.len());
        self.plain.things.push(Thing {
            id: id.clone(),
            title: stem(&metadata.first(&FILES)),
            text: Some(text),
            ..Thing::default()
        });
        Some(id)
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{damage, folder, given};
    use super::*;
    use proptest::prelude::*;

    const NODES: [&str; 4] = [
        r#"{"type": "node", "id": "1", "labels": ["Episodic"], "properties": {"uuid": "u1", "name": "letter", "content": "Ada wrote to Babbage."}}"#,
        r#"{"type": "node", "id": "2", "labels": ["Entity", "Person"], "properties": {"name": "Ada", "summary": "A countess.", "name_embedding": [0.1, 0.2]}}"#,
        r#"{"type": "node", "id": "3", "labels": ["Entity"], "properties": {"name": "Babbage"}}"#,
        r#"{"id": "9", "type": "relationship", "label": "MENTIONS", "start": {"id": "1", "labels": ["Episodic"]}, "end": {"id": "2", "labels": ["Entity"]}}"#,
    ];
    const EDGE: &str = r#"{"id": "10", "type": "relationship", "label": "RELATES_TO", "properties": {"name": "WROTE_TO", "fact": "Ada wrote to Babbage.",
        "episodes": ["u1"]}, "start": {"id": "2", "labels": ["Entity"]}, "end": {"id": "3", "labels": ["Entity"]}}"#;

    const DOCUMENT: &str = r#"{"nodes": [{"id": "Ada", "type": "Person", "properties": {}}, {"id": "Babbage", "type": "Person"}],
        "relationships": [{"source": {"id": "Ada", "type": "Person"}, "target": "Babbage", "type": "WROTE_TO", "properties": {}}],
        "source": {"page_content": "Ada wrote to Babbage.", "metadata": {"source": "in/letters.txt"}, "type": "Document"}}"#;

    fn lines() -> String {
        format!("{}\n{}\n", NODES.join("\n"), EDGE.replace('\n', " "))
    }

    #[test]
    fn every_form_of_an_export_is_the_same_graph() {
        let list = format!("[{},\n{EDGE}]", NODES.join(",\n"));
        let object = format!(
            r#"{{"nodes": [{}], "rels": [{}, {EDGE}]}}"#,
            NODES[..3].join(","),
            NODES[3]
        );
        for (text, form) in [
            (lines(), "JSON lines"),
            (list, "JSON list"),
            (object, "JSON object"),
        ] {
            let (found, given) = given(&APOC, "all.json", text.as_bytes()).unwrap();
            assert_eq!(found, form);
            assert_eq!(given.units.len(), 1);
            assert_eq!(
                (&*given.units[0].text, &*given.units[0].title),
                ("Ada wrote to Babbage.", "")
            );
            let ada = &given.entities[0];
            assert_eq!(
                (&*ada.name, &*ada.kind, &*ada.description),
                ("Ada", "Person", "A countess.")
            );
            assert_eq!(ada.units, [0]);
            assert!(given.entities[1].units.is_empty());
            let edge = &given.relations[0];
            assert_eq!((&*edge.label, &*edge.units), ("WROTE_TO", &[0][..]));
            assert_eq!(edge.description, "Ada wrote to Babbage.");
        }
    }

    #[test]
    fn records_of_other_types_are_counted() {
        let text =
            lines() + r#"{"type": "schema"}"# + "\n" + r#"{"type": "node", "labels": ["X"]}"#;
        let (_, given) = given(&APOC, "all.jsonl", text.as_bytes()).unwrap();
        let account = given.account.to_string();
        assert!(
            account.contains("neither a node nor a relationship: 1 (schema)"),
            "{account}"
        );
        assert!(
            account.contains("nodes without an identifier: 1"),
            "{account}"
        );
    }

    #[test]
    fn cut_exports_are_errors_with_a_line() {
        let text = lines();
        let cut = &text.as_bytes()[..text.len() - 20];
        let error = given(&APOC, "all.json", cut).unwrap_err().to_string();
        assert!(
            error.contains("all.json:5: expected a node or a relationship"),
            "{error}"
        );
    }

    #[test]
    fn a_graph_document_is_a_text_with_its_entities() {
        let wrapped = r#"{"lc": 1, "type": "constructor", "id": ["langchain", "GraphDocument"], "kwargs": {
            "nodes": [{"lc": 1, "type": "constructor", "id": ["x"], "kwargs": {"id": "London", "type": "Place"}}], "relationships": [],
            "source": {"lc": 1, "kwargs": {"page_content": "London.", "metadata": {"source": "b.txt", "chunk_id": "c7"}}}}}"#;
        let lines = format!(
            "{}\n{}",
            DOCUMENT.replace('\n', " "),
            wrapped.replace('\n', " ")
        );
        let list = format!("[{DOCUMENT}, {wrapped}]");
        for text in [lines, list] {
            let (found, given) = given(&LANGCHAIN, "graph.json", text.as_bytes()).unwrap();
            assert_eq!(found, "graph documents");
            let units: Vec<(&str, &str)> =
                given.units.iter().map(|u| (&*u.id, &*u.title)).collect();
            assert_eq!(units, [("document 1", "letters"), ("c7", "b")]);
            let kinds: Vec<&str> = given.entities.iter().map(|e| &*e.kind).collect();
            assert_eq!(kinds, ["Person", "Person", "Place"]);
            assert_eq!(given.entities[2].units, [1]);
            assert_eq!(
                (&*given.relations[0].label, &*given.relations[0].units),
                ("WROTE_TO", &[0][..])
            );
        }
    }

    #[test]
    fn other_folders_are_not_taken() {
        let other = folder(&[
            (
                "corpus.jsonl",
                br#"{"_id": "1", "title": "a", "text": "type node labels"}"#,
            ),
            (
                "hotpot.json",
                br#"[{"_id": "1", "context": [["a", ["b"]]], "type": "bridge"}]"#,
            ),
            ("docs.jsonl", br#"{"page_content": "a", "metadata": {}}"#),
            (
                "link.json",
                br#"{"directed": false, "nodes": [{"id": 1, "type": "node"}], "links": []}"#,
            ),
        ]);
        assert_eq!(finds_apoc(other.path()), None);
        assert_eq!(finds_langchain(other.path()), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn damage_never_panics(apoc: bool, damage in damage()) {
            let (system, text) = match apoc {
                true => (&APOC, lines()),
                false => (&LANGCHAIN, format!("[{DOCUMENT}]")),
            };
            let _ = given(system, "all.json", &damage.of(text.as_bytes()));
        }
    }
}
