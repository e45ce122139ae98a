//! SAGE: chunks of documents and of tables, each with what it is about, and a graph whose nodes are the chunks. Its edges are
//! links between them; entities and keywords that two chunks share lead from one to the other, too.

use super::super::schema::GraphError;
use super::draft::Words;
use super::nodelink::name_of;
use super::stream::{self, Loose, Record};
use super::{Draft, Sort, System, plain};
use rustc_hash::FxHashMap;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// SAGE.
pub static SAGE: System = System {
    title: "SAGE",
    about: "table_chunks_with_metadata.json, a folder docs_chunks* with a file for each chunk, or knowledge_graph_*.json",
    finds,
    read,
};

/// The chunks of tables.
const TABLES: &str = "table_chunks_with_metadata.json";
/// How folders with the chunks of documents begin.
const FOLDERS: &str = "docs_chunks";
/// Where the steps of its pipeline put the chunks.
const CHUNKS: [&str; 2] = ["", "full_pipeline"];
/// Where they put edges and graphs.
const GRAPHS: [&str; 3] = ["", "knowledge_graph", "analysis_cache/knowledge_graph"];
/// How files of edges begin, before their time.
const EDGES: [&str; 2] = ["unique_edges_", "stark_unique_edges_"];
/// How files of a graph begin, before their time.
const GRAPH: &str = "knowledge_graph_";
/// What a chunk has near its beginning, where the name of its file or folder is SAGE's.
const CHUNK: &[&str] = &["\"chunk_id\""];
/// What the chunk of a document has near its beginning: files of others hardly have both.
const DOCUMENT: &[&str] = &["\"chunk_id\"", "\"source_info\""];
/// Indexes that are not read.
const UNREAD: [&str; 4] = ["faiss", "index", "pkl", "pickle"];
/// Most files of a folder that are looked at to find out whether it has chunks.
const LOOKED_AT: usize = 64;
/// Most folders with chunks of documents.
const MOST_FOLDERS: usize = 1000;
/// What a keyword is, where entities have kinds.
const KEYWORD: &str = "keyword";
const EVENT: &str = "event";

/// The files of an index.
#[derive(Default)]
struct Home {
    tables: Option<PathBuf>,
    /// Folders with chunks of documents, mostly a file each, and what such a file has near its beginning.
    documents: Vec<(PathBuf, &'static [&'static str])>,
    /// Of all times, the earliest first.
    edges: Vec<PathBuf>,
    graphs: Vec<PathBuf>,
    /// Files that are not read.
    unread: Vec<PathBuf>,
}

impl Home {
    fn of(folder: &Path) -> Option<Home> {
        let homes = CHUNKS.map(|below| Home::chunks(&folder.join(below)));
        let mut homes = homes.into_iter();
        let mut home = homes.find(Home::has_chunks).unwrap_or_default();
        for below in GRAPHS.map(|below| folder.join(below)) {
            for path in stream::files(&below, &["json"]) {
                let name = name_of(&path);
                if EDGES.iter().any(|begin| name.starts_with(begin)) {
                    home.edges.push(path);
                } else if name.starts_with(GRAPH) && is_graph(&path) {
                    home.graphs.push(path);
                }
            }
            home.unread.extend(stream::files(&below, &UNREAD));
        }
        home.edges.sort_by_key(|path| time(path));
        home.graphs.sort_by_key(|path| time(path));
        (home.has_chunks() || !home.graphs.is_empty()).then_some(home)
    }

    /// The chunks of a folder, and of the folders of documents in it.
    fn chunks(folder: &Path) -> Home {
        let below = documents(folder).into_iter().map(|below| (below, CHUNK));
        let mut folders: Vec<_> = below.chain([(folder.to_owned(), DOCUMENT)]).collect();
        folders.retain(|(folder, own)| {
            let mut files = stream::files(folder, &["json"]);
            files.retain(|path| !is_named(path));
            files.iter().take(LOOKED_AT).any(|path| has(path, own))
        });
        Home {
            tables: Some(folder.join(TABLES)).filter(|path| has(path, CHUNK)),
            documents: folders,
            ..Home::default()
        }
    }

    fn has_chunks(&self) -> bool {
        self.tables.is_some() || !self.documents.is_empty()
    }
}

/// The folders of documents in a folder, in order. A link is not followed.
fn documents(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let entries = entries.flatten().take(MOST_FOLDERS);
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let mut folders: Vec<PathBuf> = folders.map(|entry| entry.path()).collect();
    folders.retain(|path| name_of(path).starts_with(FOLDERS));
    folders.sort();
    folders
}

/// Whether a file is one of those that are known by name.
fn is_named(path: &Path) -> bool {
    let name = name_of(path);
    name == TABLES || name.starts_with(GRAPH) || EDGES.iter().any(|begin| name.starts_with(begin))
}

/// Whether a file has some words near its beginning.
fn has(path: &Path, words: &[&str]) -> bool {
    let begins = stream::beginning(path);
    words.iter().all(|word| begins.contains(word))
}

/// Whether a file is a graph of chunks: others call their files so too.
fn is_graph(path: &Path) -> bool {
    let begins = stream::compact(path);
    begins.starts_with("{\"nodes\":{") && CHUNK.iter().all(|word| begins.contains(word))
}

/// What a name ends with: `20250731_173102`.
fn time(path: &Path) -> String {
    let name = name_of(path);
    let begins = EDGES.iter().chain([&GRAPH]);
    let time = begins.filter_map(|begin| name.strip_prefix(begin)).next();
    time.unwrap_or_default().to_owned()
}

fn finds(folder: &Path) -> Option<String> {
    let home = Home::of(folder)?;
    let parts = [
        (home.tables.is_some(), "tables"),
        (!home.documents.is_empty(), "documents"),
        (!home.edges.is_empty(), "edges"),
        (!home.graphs.is_empty(), "a graph"),
    ];
    let parts = parts.iter().filter(|(there, _)| *there);
    let parts: Vec<&str> = parts.map(|(_, part)| *part).collect();
    Some(parts.join(", "))
}

fn read(folder: &Path, draft: &mut Draft) -> Result<(), GraphError> {
    let Some(mut home) = Home::of(folder) else {
        return Err(GraphError::record(folder, 0, "chunks of SAGE", "none"));
    };
    let mut names = Names::default();
    for (folder, own) in &home.documents {
        for path in stream::all_files(folder, &["json"]) {
            match has(&path, own) {
                _ if is_named(&path) => {}
                true => read_chunks(&path, &mut names, draft)?,
                false => home.unread.push(path),
            }
        }
    }
    if let Some(path) = &home.tables {
        read_chunks(path, &mut names, draft)?;
    }
    let edges = latest(&mut home.edges, draft);
    let graph = latest(&mut home.graphs, draft);
    if let Some(path) = &graph {
        read_nodes(path, &mut names, draft)?;
    }
    match (&edges, &graph) {
        (Some(path), _) => read_edges(path, &[], draft)?,
        (None, Some(path)) => read_edges(path, &["edges"], draft)?,
        (None, None) => {}
    }
    names.give(draft);
    for path in &home.unread {
        let what = "vectors, pickles and JSON of other things, not read";
        draft.note(Sort::Seen, what, &name_of(path));
    }
    Ok(())
}

/// The latest of some files; the others are counted.
fn latest(files: &mut Vec<PathBuf>, draft: &mut Draft) -> Option<PathBuf> {
    let last = files.pop();
    for path in files {
        let what = "files that have a later one, not read";
        draft.note(Sort::Seen, what, &name_of(path));
    }
    last
}

/// A chunk. Its vector and its sentences are not read.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Chunk {
    chunk_id: Loose,
    content: Loose,
    summary: Loose,
    keywords: Loose,
    metadata: Record,
    /// Of a document.
    source_info: Record,
    /// Of a table.
    source_name: Loose,
    column_headers: Loose,
    rows_with_headers: Option<Vec<Record>>,
}

impl Chunk {
    fn title(&self) -> String {
        let title = self.metadata.first(&["title", "table_title"]);
        if !title.trim().is_empty() {
            return title;
        }
        let named = match self.source_name.text() {
            name if name.trim().is_empty() => self.source_info.first(&["source_name"]),
            name => name,
        };
        plain::stem(&named)
    }

    /// The content; the rows of a table where it has none, or else what sums them up.
    fn text(&self) -> String {
        let texts = [self.content.text(), self.rows(), self.summary.text()];
        let mut texts = texts.into_iter();
        texts
            .find(|text| !text.trim().is_empty())
            .unwrap_or_default()
    }

    /// The rows as SAGE gives them to its encoder: the headers, then the cells of every row, with spaces between.
    fn rows(&self) -> String {
        let rows = self.rows_with_headers.as_deref().unwrap_or_default();
        if rows.is_empty() {
            return String::new();
        }
        let headers = self.column_headers.clone().texts();
        let mut lines = vec![headers.join(" ")];
        for row in rows {
            let cells: Vec<String> = match &headers[..] {
                [] => row.0.iter().map(|(_, cell)| cell.text()).collect(),
                headers => headers.iter().map(|name| row.get(name).text()).collect(),
            };
            let mut cells = cells;
            cells.retain(|cell| !cell.trim().is_empty());
            lines.push(cells.join(" "));
        }
        lines.join("\n").trim().to_owned()
    }
}

/// Reads the chunks of a file: one, a list, or one after another.
fn read_chunks(path: &Path, names: &mut Names, draft: &mut Draft) -> Result<(), GraphError> {
    draft.file(path);
    stream::lines(path, "a chunk of SAGE", &mut |_, chunk: Chunk| {
        take(&chunk, &chunk.chunk_id.text(), names, draft);
        Ok(())
    })
}

fn take(chunk: &Chunk, id: &str, names: &mut Names, draft: &mut Draft) {
    if id.trim().is_empty() {
        let what = "records without a chunk_id";
        return draft.note(Sort::LeftOut, what, &chunk.title());
    }
    let known = draft.has_unit(id);
    draft.unit(id, &chunk.title(), &chunk.text());
    if known || !draft.has_unit(id) {
        return;
    }
    for (key, kind) in [("entities", ""), ("events", EVENT)] {
        match chunk.metadata.get(key) {
            Loose::Record(Record(entries)) => {
                for (name, value) in entries {
                    names.add_described(name, kind, value, id);
                }
            }
            value => {
                for name in value.clone().texts() {
                    names.add(&name, kind, "", id);
                }
            }
        }
    }
    for word in chunk.keywords.clone().texts() {
        names.add(&word, KEYWORD, "", id);
    }
    for link in chunk.source_info.get("structural_link").clone().texts() {
        let what = "links between sources, which join texts and not entities";
        draft.note(Sort::LeftOut, what, &link);
    }
}

/// A node of the graph of chunks.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Node {
    chunk: Chunk,
}

/// Reads the chunks of a graph that no other file has.
fn read_nodes(path: &Path, names: &mut Names, draft: &mut Draft) -> Result<(), GraphError> {
    draft.file(path);
    let what = "a node of the graph of SAGE";
    stream::records(path, &["nodes"], what, &mut |id, node: Node| {
        if !draft.has_unit(id) {
            take(&node.chunk, id, names, draft);
        }
        Ok(())
    })?;
    Ok(())
}

/// An edge between two chunks. Its measures are not read: SAGE walks over all edges alike.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Edge {
    source_chunk_id: Loose,
    target_chunk_id: Loose,
    edge_type: Loose,
}

fn read_edges(path: &Path, within: &[&str], draft: &mut Draft) -> Result<(), GraphError> {
    draft.file(path);
    let what = "an edge of SAGE";
    stream::records(path, within, what, &mut |_, edge: Edge| {
        let ends = [edge.source_chunk_id, edge.target_chunk_id].map(|end| end.text());
        let [source, target] = &ends;
        draft.link([source, target], &edge.edge_type.text(), None);
        Ok(())
    })?;
    Ok(())
}

/// What a chunk is about.
struct Name {
    name: String,
    kind: String,
    description: String,
    /// Places of its chunks, each once.
    units: Vec<u32>,
}

/// What the chunks are about. As SAGE compares names, upper and lower case are the same.
#[derive(Default)]
struct Names {
    all: Vec<Name>,
    places: FxHashMap<String, usize>,
    units: Words,
}

impl Names {
    /// Adds a name with what its chunk says of it: a text, or a record.
    fn add_described(&mut self, name: &str, kind: &str, value: &Loose, unit: &str) {
        match value {
            Loose::Record(record) => {
                let own = record.first(&["type", "kind", "category"]);
                let kind = if own.trim().is_empty() { kind } else { &own };
                self.add(name, kind, &record.first(&["description"]), unit);
            }
            Loose::Text(text) => self.add(name, kind, text, unit),
            _ => self.add(name, kind, "", unit),
        }
    }

    fn add(&mut self, name: &str, kind: &str, description: &str, unit: &str) {
        let unit = self.units.place(unit);
        let next = self.all.len();
        let at = *self
            .places
            .entry(name.trim().to_lowercase())
            .or_insert(next);
        let Some(known) = self.all.get_mut(at) else {
            self.all.push(Name {
                name: name.to_owned(),
                kind: kind.to_owned(),
                description: description.to_owned(),
                units: vec![unit],
            });
            return;
        };
        // An entity is written as names are, a keyword in lower case.
        if known.kind == KEYWORD && kind != KEYWORD {
            name.clone_into(&mut known.name);
            kind.clone_into(&mut known.kind);
        }
        if known.description.is_empty() {
            description.clone_into(&mut known.description);
        }
        if known.units.last() != Some(&unit) {
            known.units.push(unit);
        }
    }

    fn give(&self, draft: &mut Draft) {
        for Name {
            name,
            kind,
            description,
            units,
        } in &self.all
        {
            let units = units.iter().map(|unit| self.units.get(*unit));
            draft.entity(name, name, kind, description, units);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::damage;
    use super::super::{Given, find};
    use super::*;
    use proptest::prelude::*;
    use std::fs;
    use tempfile::TempDir;

    const ADA: &str = r#"{"chunk_id": "letters_chunk_0_aa", "content": "Ada met Babbage.", "sentences": ["Ada met Babbage."],
        "keywords": ["met", "BABBAGE"], "embedding": [0.1, 0.2], "source_info": {"source_id": "letters", "source_name": "letters.txt",
        "source_type": "document", "structural_link": ["engines"]}, "metadata": {"topic": "A meeting", "title": "",
        "entities": {"Ada": {"type": "person", "description": "A countess."}, "Babbage": "An engineer."}, "events": {"The meeting": []}}}"#;
    const NOTES: &str = r#"{"chunk_id": "notes_chunk_0_bb", "content": "Ada wrote notes.", "keywords": ["notes"],
        "source_info": {"source_name": "notes.txt"}, "metadata": {"title": "Notes of 1843", "entities": ["Ada", "Turin"]}}"#;
    const ENGINES: &str = r#"[{"chunk_id": "engines_chunk_0_cc", "source_name": "engines.csv", "content": "",
        "column_headers": ["Name", "Year", "Place"], "rows_with_headers": [{"Name": "Difference Engine", "Year": 1822, "Place": NaN},
        {"Name": "Analytical Engine", "Year": 1837, "Place": "London"}], "keywords": ["engine", "ada"],
        "metadata": {"table_title": "Engines", "entities": {"London": {}}}},
        {"source_name": "lost.csv", "content": "?"}]"#;
    const LINKS: &str = r#"[{"edge_id": "1", "source_chunk_id": "letters_chunk_0_aa", "target_chunk_id": "notes_chunk_0_bb",
        "edge_type": "doc-doc", "topic_similarity": 0.9, "entity_count": 1},
        {"edge_id": "2", "source_chunk_id": "letters_chunk_0_aa", "target_chunk_id": "lost", "edge_type": "doc-table"}]"#;
    const NODES: &str = r#"{"nodes": {"letters_chunk_0_aa": {"node_id": "letters_chunk_0_aa", "chunk": {"chunk_id": "letters_chunk_0_aa", "content": "Again."}},
        "late_chunk_0_dd": {"node_id": "late_chunk_0_dd", "chunk": {"chunk_id": "late_chunk_0_dd", "content": "Babbage built.",
        "source_info": {"source_name": "late"}, "keywords": ["Babbage"]}, "connections": []}},
        "edges": {"1": {"source_chunk_id": "late_chunk_0_dd", "target_chunk_id": "letters_chunk_0_aa", "edge_type": "doc-doc"}}}"#;

    /// As its pipeline leaves the files.
    fn fixture() -> TempDir {
        let output = tempfile::tempdir().unwrap();
        for (name, text) in [
            ("full_pipeline/docs_chunks_1/letters_chunk_0_aa.json", ADA),
            ("full_pipeline/docs_chunks_1/notes_chunk_0_bb.json", NOTES),
            ("full_pipeline/table_chunks_with_metadata.json", ENGINES),
            (
                "analysis_cache/knowledge_graph/unique_edges_20250731_173102.json",
                LINKS,
            ),
            (
                "analysis_cache/knowledge_graph/unique_edges_20250612_090000.json",
                "[{}]",
            ),
            ("analysis_cache/knowledge_graph/content.faiss", "never read"),
            ("questions_metadata_output.json", "{}"),
        ] {
            let path = output.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        output
    }

    fn given(folder: &Path) -> Result<Given, GraphError> {
        let mut draft = Draft::default();
        read(folder, &mut draft)?;
        Ok(draft.finish())
    }

    fn entities(given: &Given) -> Vec<(&str, &str, &[u32])> {
        let entities = given.entities.iter();
        entities.map(|e| (&*e.name, &*e.kind, &*e.units)).collect()
    }

    #[test]
    fn chunks_of_documents_and_tables_with_what_they_are_about() {
        let output = fixture();
        let found = find(output.path()).unwrap();
        assert_eq!(
            (found.system.title, &*found.generation),
            ("SAGE", "tables, documents, edges")
        );
        let tables = output.path().join("full_pipeline").join(TABLES);
        let alone = find(&tables).unwrap();
        assert_eq!(
            (alone.system.title, &*alone.generation),
            ("SAGE", "tables, documents")
        );
        let given = given(output.path()).unwrap();
        let units: Vec<(&str, &str, &str)> = (given.units.iter())
            .map(|unit| (&*unit.id, &*unit.title, &*unit.text))
            .collect();
        assert_eq!(
            units,
            [
                ("letters_chunk_0_aa", "letters", "Ada met Babbage."),
                ("notes_chunk_0_bb", "Notes of 1843", "Ada wrote notes."),
                (
                    "engines_chunk_0_cc",
                    "Engines",
                    "Name Year Place\nDifference Engine 1822\nAnalytical Engine 1837 London"
                ),
            ]
        );
        assert_eq!(
            entities(&given),
            [
                ("Ada", "person", &[0, 1, 2][..]),
                ("Babbage", "", &[0]),
                ("The meeting", "event", &[0]),
                ("met", "keyword", &[0]),
                ("Turin", "", &[1]),
                ("notes", "keyword", &[1]),
                ("London", "", &[2]),
                ("engine", "keyword", &[2]),
            ]
        );
        let described: Vec<&str> = given.entities.iter().map(|e| &*e.description).collect();
        assert_eq!(
            described.get(..2),
            Some(&["A countess.", "An engineer."][..])
        );
        let account = given.account.to_string();
        for part in [
            "edges that name a text unit that no file has: 1 (lost)",
            "links between sources, which join texts and not entities: 1 (engines)",
            "records without a chunk_id: 1 (lost)",
            "files that have a later one, not read: 1 (unique_edges_20250612_090000.json)",
            "vectors, pickles and JSON of other things, not read: 1 (content.faiss)",
        ] {
            assert!(account.contains(part), "{part}\n{account}");
        }
    }

    #[test]
    fn the_files_may_lie_in_one_folder_and_a_graph_adds_what_they_lack() {
        let output = fixture();
        let flat = tempfile::tempdir().unwrap();
        for below in [
            "full_pipeline/docs_chunks_1",
            "full_pipeline",
            "analysis_cache/knowledge_graph",
        ] {
            for path in stream::files(&output.path().join(below), &["json"]) {
                fs::copy(&path, flat.path().join(name_of(&path))).unwrap();
            }
        }
        fs::write(flat.path().join("leiden_communities_1.json"), "{}").unwrap();
        let apart = given(output.path()).unwrap();
        let together = given(flat.path()).unwrap();
        assert_eq!(
            (&together.units, &together.entities),
            (&apart.units, &apart.entities)
        );
        let graph = flat.path().join("knowledge_graph_20250731_173105.json");
        fs::write(&graph, NODES).unwrap();
        assert_eq!(
            finds(flat.path()).as_deref(),
            Some("tables, documents, edges, a graph")
        );
        let more = given(flat.path()).unwrap();
        assert_eq!((more.units.len(), &*more.units[3].title), (4, "late"));
        let babbage = more.entities.iter().find(|e| e.name == "Babbage");
        assert_eq!(babbage.map(|e| &*e.units), Some(&[0, 3][..]));
        let account = more.account.to_string();
        assert!(
            account.contains("not read: 1 (leiden_communities_1.json)"),
            "{account}"
        );
        assert_eq!(more.links.len(), 1);
    }

    #[test]
    fn a_graph_alone_is_enough() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("knowledge_graph_20250731_173105.json");
        fs::write(&path, NODES).unwrap();
        assert_eq!(finds(folder.path()).as_deref(), Some("a graph"));
        let graph = given(folder.path()).unwrap();
        assert_eq!((graph.units.len(), graph.entities.len()), (2, 1));
        assert_eq!(&*graph.links[0].label, "doc-doc");
        // Whoever else calls a file so has no chunks in it.
        fs::write(&path, r#"{"nodes": {"a": {"id": 1}}, "edges": {}}"#).unwrap();
        assert!(finds(folder.path()).is_none());
    }

    #[test]
    fn chunks_of_others_are_not_taken() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("chunk.json");
        fs::write(&path, r#"{"chunk_id": "a", "content": "A text."}"#).unwrap();
        assert!(finds(folder.path()).is_none());
        fs::write(&path, ADA).unwrap();
        assert_eq!(finds(folder.path()).as_deref(), Some("documents"));
    }

    #[test]
    fn a_cut_file_has_its_place() {
        let output = fixture();
        let path = output.path().join("full_pipeline").join(TABLES);
        let bytes = ENGINES.as_bytes();
        fs::write(&path, bytes.get(..bytes.len() - 40).unwrap()).unwrap();
        let error = given(output.path()).unwrap_err().to_string();
        assert!(
            error.contains(".json:5: expected a chunk of SAGE; found the end"),
            "{error}"
        );
        let rows = r#"[{"chunk_id": "a", "rows_with_headers": 3}]"#;
        fs::write(&path, rows).unwrap();
        let error = given(output.path()).unwrap_err().to_string();
        assert!(
            error.contains(".json:1: expected a chunk of SAGE"),
            "{error}"
        );
    }

    #[test]
    fn more_chunks_than_a_folder_is_looked_at_for_are_all_read() {
        let folder = tempfile::tempdir().unwrap();
        let documents = folder.path().join("docs_chunks_1");
        fs::create_dir(&documents).unwrap();
        for number in 0..1200 {
            let text = format!(r#"{{"chunk_id": "c{number}", "content": "Text {number}."}}"#);
            fs::write(documents.join(format!("c{number}.json")), text).unwrap();
        }
        assert_eq!(given(folder.path()).unwrap().units.len(), 1200);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        /// Whatever happened to a file: a graph or an error that names one.
        #[test]
        fn damaged_files_give_an_error_or_a_graph(file in 0_usize..5, damage in damage()) {
            let output = fixture();
            let graph = output.path().join("analysis_cache/knowledge_graph/knowledge_graph_20250731_173105.json");
            fs::write(&graph, NODES).unwrap();
            damage.hit(&match file {
                0 => graph,
                1 => output.path().join("full_pipeline").join(TABLES),
                2 => output.path().join("full_pipeline/docs_chunks_1/letters_chunk_0_aa.json"),
                3 => output.path().join("full_pipeline/docs_chunks_1/notes_chunk_0_bb.json"),
                _ => output.path().join("analysis_cache/knowledge_graph/unique_edges_20250731_173102.json"),
            });
            let _ = finds(output.path());
            if let Err(error) = given(output.path()) {
                prop_assert!(error.to_string().contains(".json"), "{error}");
            }
        }
    }
}
