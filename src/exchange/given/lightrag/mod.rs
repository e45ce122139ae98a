//! LightRAG and its relatives: nano-graphrag, PathRAG, MiniRAG. A graph of networkx whose nodes are named by their entities, and
//! the texts beside it as JSON.
//!
//! No file has a version: generations are told by which files and which attributes there are. PathRAG writes the files of early
//! LightRAG, so that the two are one generation here.

pub mod rules;

use super::super::schema::GraphError;
use super::graphml::{self, Data, Item};
use super::stream::{self, Loose, Record};
use super::{Draft, Sort, System};
use rules::{Attributes, Chunks, Lists};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// LightRAG, and PathRAG with it.
pub static LIGHTRAG: System = System {
    title: "LightRAG",
    about: "graph_chunk_entity_relation.graphml with kv_store_text_chunks.json, relations with keywords",
    finds: |folder| finds(folder, Kind::LightRag),
    read,
};

/// nano-graphrag.
pub static NANO: System = System {
    title: "nano-graphrag",
    about: "graph_chunk_entity_relation.graphml with kv_store_text_chunks.json, relations without keywords or community reports",
    finds: |folder| finds(folder, Kind::Nano),
    read,
};

/// MiniRAG.
pub static MINIRAG: System = System {
    title: "MiniRAG",
    about: "graph_chunk_entity_relation.graphml with kv_store_text_chunks.json and vdb_entities_name.json",
    finds: |folder| finds(folder, Kind::MiniRag),
    read,
};

const GRAPH: &str = "graph_chunk_entity_relation.graphml";
const CHUNKS: &str = "kv_store_text_chunks.json";
const DOCUMENTS: &str = "kv_store_full_docs.json";
const REPORTS: &str = "kv_store_community_reports.json";
const ENTITY_CHUNKS: &str = "kv_store_entity_chunks.json";
const RELATION_CHUNKS: &str = "kv_store_relation_chunks.json";
const NAMES: &str = "vdb_entities_name.json";
const VECTORS: [&str; 4] = [
    "vdb_entities.json",
    "vdb_relationships.json",
    "vdb_chunks.json",
    NAMES,
];
/// Most folders that are looked at for workspaces.
const MOST_FOLDERS: usize = 1000;
/// Most workspaces that a message lists.
const MOST_LISTED: usize = 8;

impl Attributes for Data<'_> {
    fn get(&self, name: &str) -> &str {
        Data::get(self, name)
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    LightRag,
    Nano,
    MiniRag,
}

/// Where the files are.
enum Home {
    Here,
    /// In the one workspace below.
    Below(PathBuf),
    /// In one of several workspaces below.
    Several(Vec<PathBuf>),
}

fn home(folder: &Path) -> Option<Home> {
    if folder.join(GRAPH).is_file() {
        return Some(Home::Here);
    }
    let mut below = match super::is_bare(folder) {
        true => workspaces(folder),
        false => Vec::new(),
    };
    match below.len() {
        0 => {}
        1 => return below.pop().map(Home::Below),
        _ => return Some(Home::Several(below)),
    }
    let vectors = VECTORS.iter().any(|name| folder.join(name).is_file());
    (vectors && folder.join(CHUNKS).is_file()).then_some(Home::Here)
}

/// Folders below that have a graph, in order of their names. A link is not followed.
fn workspaces(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let entries = entries.flatten().take(MOST_FOLDERS);
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let mut found: Vec<PathBuf> = folders
        .map(|entry| entry.path())
        .filter(|path| path.join(GRAPH).is_file())
        .collect();
    found.sort();
    found
}

fn finds(folder: &Path, kind: Kind) -> Option<String> {
    let (at, place) = match home(folder)? {
        Home::Here => (folder.to_owned(), String::new()),
        Home::Below(at) => {
            let place = format!(", workspace {}", name_of(&at));
            (at, place)
        }
        Home::Several(all) => {
            let place = format!(", {} workspaces", all.len());
            (all.into_iter().next()?, place)
        }
    };
    let (found, generation) = generation(&at);
    (found == kind).then(|| format!("{generation}{place}"))
}

/// Which system and generation wrote a folder, as far as its files tell.
fn generation(at: &Path) -> (Kind, &'static str) {
    let has = |name: &str| at.join(name).is_file();
    let head = stream::beginning(&at.join(GRAPH));
    let knows = |name: &str| head.contains(&format!("attr.name=\"{name}\""));
    let keywords = knows("keywords");
    let bare = knows("weight") && !keywords && !knows("entity_id");
    if has(NAMES) {
        (Kind::MiniRag, "vdb_entities_name.json")
    } else if has(REPORTS) && !keywords {
        (Kind::Nano, "with community reports")
    } else if bare && !has("vdb_relationships.json") {
        (Kind::Nano, "without community reports")
    } else if has(ENTITY_CHUNKS) {
        (Kind::LightRag, "late 2025 or newer (entity_chunks)")
    } else if knows("entity_id") {
        (Kind::LightRag, "2025 (entity_id)")
    } else {
        (Kind::LightRag, "2024 to early 2025, or PathRAG")
    }
}

fn read(folder: &Path, draft: &mut Draft) -> Result<(), GraphError> {
    let at = match home(folder) {
        None | Some(Home::Here) => folder.to_owned(),
        Some(Home::Below(at)) => at,
        Some(Home::Several(all)) => return Err(several(folder, &all)),
    };
    need(&at)?;
    look_around(folder, &at, draft);
    read_chunks(&at, draft)?;
    let clusters = read_entities(&at, draft)?;
    read_relations(&at, draft)?;
    match at.join(REPORTS).is_file() {
        true => read_reports(&at, draft),
        false => {
            clusters.give(draft);
            Ok(())
        }
    }
}

fn several(folder: &Path, all: &[PathBuf]) -> GraphError {
    let names: Vec<String> = all.iter().take(MOST_LISTED).map(|at| name_of(at)).collect();
    let more = match all.len() > MOST_LISTED {
        true => ", …",
        false => "",
    };
    let first = all.first().map_or(folder, |at| at);
    GraphError::Unreadable {
        path: folder.to_owned(),
        what: format!("{} workspaces: {}{more}", all.len(), names.join(", ")),
        remedy: format!("name one of them, as {}", first.display()),
    }
}

/// Checks that the files are there which a graph cannot be without.
fn need(at: &Path) -> Result<(), GraphError> {
    let missing = |name: &str, kept: &str| GraphError::Unreadable {
        path: at.to_owned(),
        what: format!("no {name} beside the other files of LightRAG"),
        remedy: format!("copy that file too; if {kept} in a database, export from there"),
    };
    if !at.join(GRAPH).is_file() {
        return Err(missing(GRAPH, "the graph is kept"));
    }
    if !at.join(CHUNKS).is_file() {
        return Err(missing(CHUNKS, "the texts are kept"));
    }
    Ok(())
}

/// Notes what lies beside the files and is not read.
fn look_around(folder: &Path, at: &Path, draft: &mut Draft) {
    if folder == at {
        for below in workspaces(folder) {
            let what = "workspaces in folders below, not read";
            draft.note(Sort::Seen, what, &name_of(&below));
        }
    }
    let Ok(entries) = fs::read_dir(at) else {
        return;
    };
    let mut names: Vec<String> = entries.flatten().map(|entry| file_name(&entry)).collect();
    names.sort();
    for name in &names {
        if name.ends_with(".tmp") {
            let what = "files *.tmp of a write that stopped, not read";
            draft.note(Sort::Seen, what, name);
        }
        if name.starts_with("vdb_") && name.ends_with(".json") {
            let what = "files of vectors, not read: they fit only the encoder that made them";
            draft.note(Sort::Seen, what, name);
        }
    }
}

fn file_name(entry: &fs::DirEntry) -> String {
    entry.file_name().to_string_lossy().into_owned()
}

fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

/// A text as `kv_store_text_chunks.json` has it.
#[derive(Deserialize)]
struct Chunk {
    #[serde(default)]
    content: Option<String>,
    #[serde(default)]
    chunk_order_index: Loose,
    #[serde(default)]
    full_doc_id: Option<String>,
    #[serde(default)]
    file_path: Option<String>,
}

fn read_chunks(at: &Path, draft: &mut Draft) -> Result<(), GraphError> {
    let path = at.join(CHUNKS);
    draft.file(&path);
    let mut chunks = Chunks::default();
    let what = "a text chunk with its content";
    stream::records(&path, &[], what, &mut |id, chunk: Chunk| {
        chunks.add(
            id,
            chunk.content.unwrap_or_default(),
            chunk.chunk_order_index.number(),
            &chunk.full_doc_id.unwrap_or_default(),
            &chunk.file_path.unwrap_or_default(),
        );
        Ok(())
    })?;
    if chunks.lack_titles() {
        name_documents(at, &mut chunks, draft)?;
    }
    chunks.give(draft);
    Ok(())
}

/// Titles from the documents, where the chunks name no file.
fn name_documents(at: &Path, chunks: &mut Chunks, draft: &mut Draft) -> Result<(), GraphError> {
    #[derive(Deserialize)]
    struct Document {
        #[serde(default)]
        file_path: Option<String>,
    }
    let path = at.join(DOCUMENTS);
    if !path.is_file() {
        return Ok(());
    }
    draft.file(&path);
    stream::records(&path, &[], "a document", &mut |id, document: Document| {
        if let Some(file) = document.file_path {
            chunks.document(id, &file);
        }
        Ok(())
    })
    .map(|_| ())
}

/// The whole lists of chunks of a file, where it is there.
fn read_lists(at: &Path, name: &str, draft: &mut Draft) -> Result<Lists, GraphError> {
    #[derive(Deserialize)]
    struct List {
        #[serde(default)]
        chunk_ids: Option<Vec<String>>,
    }
    let mut lists = Lists::default();
    let path = at.join(name);
    if !path.is_file() {
        return Ok(lists);
    }
    draft.file(&path);
    let what = "a name with its chunk_ids";
    stream::records(&path, &[], what, &mut |name, list: List| {
        lists.insert(name, list.chunk_ids.unwrap_or_default());
        Ok(())
    })?;
    Ok(lists)
}

fn read_entities(at: &Path, draft: &mut Draft) -> Result<Clusters, GraphError> {
    let lists = read_lists(at, ENTITY_CHUNKS, draft)?;
    let path = at.join(GRAPH);
    draft.file(&path);
    let mut clusters = Clusters::default();
    graphml::read(&path, &mut |item| {
        let Item::Node(node) = item else {
            return Ok(());
        };
        rules::entity(node.id, &node.data, &lists, draft);
        clusters.add(node.id, node.data.get("clusters"), draft);
        Ok(())
    })?;
    Ok(clusters)
}

fn read_relations(at: &Path, draft: &mut Draft) -> Result<(), GraphError> {
    let lists = read_lists(at, RELATION_CHUNKS, draft)?;
    graphml::read(&at.join(GRAPH), &mut |item| {
        match item {
            Item::Edge(edge) => {
                rules::relation([edge.source, edge.target], &edge.data, &lists, draft);
            }
            Item::Node(_) => {}
            Item::Hyperedge => draft.note(Sort::LeftOut, "edges of more than two ends", ""),
        }
        Ok(())
    })
}

/// A report as nano-graphrag keeps it.
#[derive(Deserialize)]
struct Report {
    #[serde(default)]
    report_string: Option<String>,
    #[serde(default)]
    report_json: Record,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    level: Loose,
    #[serde(default)]
    nodes: Vec<String>,
}

fn read_reports(at: &Path, draft: &mut Draft) -> Result<(), GraphError> {
    let path = at.join(REPORTS);
    draft.file(&path);
    let what = "a community report with its nodes";
    stream::records(&path, &[], what, &mut |_, report: Report| {
        let mut title = report.report_json.first(&["title"]);
        if title.is_empty() {
            title = report.title.unwrap_or_default();
        }
        let level = report.level.number().unwrap_or(0.0) as u32;
        let members = report.nodes.iter().map(String::as_str);
        let text = report.report_string.unwrap_or_default();
        draft.community(&title, level, members, &text);
        Ok(())
    })
    .map(|_| ())
}

/// Communities as the nodes name them: all there is where no report was written.
#[derive(Default)]
struct Clusters(BTreeMap<(u32, String), Vec<String>>);

impl Clusters {
    fn add(&mut self, node: &str, clusters: &str, draft: &mut Draft) {
        #[derive(Deserialize)]
        struct Cluster {
            level: u32,
            cluster: Loose,
        }
        if clusters.trim().is_empty() {
            return;
        }
        let Ok(clusters) = serde_json::from_str::<Vec<Cluster>>(clusters) else {
            let what = "entities whose clusters cannot be read";
            return draft.note(Sort::LeftOut, what, node);
        };
        for Cluster { level, cluster } in clusters {
            let members = self.0.entry((level, cluster.text())).or_default();
            members.push(node.to_owned());
        }
    }

    fn give(self, draft: &mut Draft) {
        for ((level, cluster), members) in self.0 {
            let title = format!("Cluster {cluster}");
            draft.community(&title, level, members.iter().map(String::as_str), "");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Given;
    use super::super::fixture::damage;
    use super::*;
    use proptest::prelude::*;
    use tempfile::TempDir;

    const GRAPH_2024: &str = r#"<?xml version='1.0' encoding='utf-8'?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key id="d6" for="edge" attr.name="source_id" attr.type="string"/>
<key id="d5" for="edge" attr.name="keywords" attr.type="string"/>
<key id="d4" for="edge" attr.name="description" attr.type="string"/>
<key id="d3" for="edge" attr.name="weight" attr.type="double"/>
<key id="d2" for="node" attr.name="source_id" attr.type="string"/>
<key id="d1" for="node" attr.name="description" attr.type="string"/>
<key id="d0" for="node" attr.name="entity_type" attr.type="string"/>
<graph edgedefault="undirected"><node id="&quot;ADA&quot;">
  <data key="d0">"PERSON"</data>
  <data key="d1">"A countess."&lt;SEP&gt;"Wrote "notes"."&lt;SEP&gt;"A countess."</data>
  <data key="d2">c2&lt;SEP&gt;c1&lt;SEP&gt;gone</data>
</node>
<node id="&quot;BABBAGE&quot;"><data key="d0">"UNKNOWN"</data><data key="d2">c1</data></node>
<node id="&quot;LONDON&quot;"><data key="d2">lost</data></node>
<edge source="&quot;BABBAGE&quot;" target="&quot;ADA&quot;">
  <data key="d3">2.0</data><data key="d4">"They met.</data><data key="d5">"letters, engine"</data><data key="d6">c1</data>
</edge>
<edge source="&quot;ADA&quot;" target="&quot;NOBODY&quot;"/>
<edge source="&quot;ADA&quot;" target="&quot;LONDON&quot;"><data key="d3">x</data><data key="d5">8</data></edge>
</graph></graphml>"#;

    const TEXTS: &str = r#"{
  "c2": {"tokens": 3, "content": "Second text.", "chunk_order_index": 1, "full_doc_id": "d1", "file_path": "in/letters.of ada.txt"},
  "c3": {"content": "Of another.", "chunk_order_index": 0, "full_doc_id": "d2", "file_path": "b.pdf"},
  "c1": {"content": "First text.", "chunk_order_index": 0, "full_doc_id": "d1", "file_path": "in/letters.of ada.txt", "new": [1]},
  "c4": {"content": null, "full_doc_id": "d2", "file_path": null}
}"#;

    fn folder(files: &[(&str, &str)]) -> TempDir {
        let folder = TempDir::new().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    fn given(folder: &Path) -> Result<Given, GraphError> {
        let mut draft = Draft::default();
        read(folder, &mut draft)?;
        Ok(draft.finish())
    }

    fn found(folder: &Path) -> Vec<(&'static str, String)> {
        let all = [&LIGHTRAG, &NANO, &MINIRAG];
        let found = all
            .iter()
            .filter_map(|s| Some((s.title, (s.finds)(folder)?)));
        found.collect()
    }

    fn fails(folder: &Path, with: &str) {
        let error = given(folder).unwrap_err().to_string();
        assert!(error.contains(with), "{error}");
    }

    #[test]
    fn texts_are_in_the_order_of_documents_and_joined_by_name() {
        let folder = folder(&[(GRAPH, GRAPH_2024), (CHUNKS, TEXTS)]);
        let given = given(folder.path()).unwrap();
        let units: Vec<(&str, &str)> = given.units.iter().map(|u| (&*u.id, &*u.title)).collect();
        assert_eq!(
            units,
            [
                ("c1", "letters.of ada"),
                ("c2", "letters.of ada"),
                ("c3", "b")
            ]
        );
        let [ada, babbage, london] = &*given.entities else {
            panic!("{:?}", given.entities)
        };
        assert_eq!((&*ada.name, &*ada.kind), ("ADA", "PERSON"));
        assert_eq!(ada.description, "A countess.\nWrote \"notes\".");
        assert_eq!(ada.units, [1, 0]);
        assert_eq!((&*babbage.kind, &*babbage.units), ("", &[0][..]));
        assert!(london.units.is_empty());
        let [met, to_london] = &*given.relations else {
            panic!("{:?}", given.relations)
        };
        assert_eq!((met.source, met.target, met.weight), (1, 0, 2.0));
        assert_eq!(
            (&*met.label, &*met.description),
            ("letters, engine", "They met.")
        );
        assert_eq!((&*to_london.label, to_london.weight), ("", 1.0));
        let account = given.account.to_string();
        for part in [
            "left out: text units without text: 1 (c4)",
            "left out: text units that entities name and no file has: 2 (gone; lost)",
            "left out: relations that name an entity that no file has: 1 (\"NOBODY\")",
            "repaired: descriptions with the same part several times, kept once: 1 (ADA)",
            "repaired: relations whose keywords are only a number, left without a label: 1 (8)",
            "repaired: weights that are no number above zero",
        ] {
            assert!(account.contains(part), "{account}");
        }
    }

    #[test]
    fn generations_are_told_by_files_and_attributes() {
        let bare = GRAPH_2024.replace("keywords", "order");
        let newer = GRAPH_2024.replace("entity_type", "entity_id");
        let texts = (CHUNKS, TEXTS);
        let name = |files: &[(&str, &str)]| found(folder(files).path());
        let one = |title, generation: &str| vec![(title, generation.to_owned())];
        assert_eq!(
            name(&[(GRAPH, GRAPH_2024), texts]),
            one("LightRAG", "2024 to early 2025, or PathRAG")
        );
        assert_eq!(
            name(&[(GRAPH, &newer), texts]),
            one("LightRAG", "2025 (entity_id)")
        );
        assert_eq!(
            name(&[(GRAPH, &newer), texts, (ENTITY_CHUNKS, "{}")]),
            one("LightRAG", "late 2025 or newer (entity_chunks)")
        );
        assert_eq!(
            name(&[(GRAPH, &bare), texts, (REPORTS, "{}")]),
            one("nano-graphrag", "with community reports")
        );
        assert_eq!(
            name(&[(GRAPH, &bare), texts]),
            one("nano-graphrag", "without community reports")
        );
        assert_eq!(
            name(&[(GRAPH, GRAPH_2024), (NAMES, "{}")]),
            one("MiniRAG", "vdb_entities_name.json")
        );
        assert_eq!(
            name(&[("corpus.jsonl", "{}"), ("a.graphml", GRAPH_2024)]),
            []
        );
        assert_eq!(name(&[(CHUNKS, TEXTS)]), []);
    }

    #[test]
    fn whole_lists_come_before_cut_attributes() {
        let graph = GRAPH_2024.replace(
            "<data key=\"d3\">2.0",
            "<data key=\"truncate\">FIFO 1/2</data><data key=\"d3\">2.0",
        );
        let mut files = vec![(GRAPH, &*graph), (CHUNKS, TEXTS)];
        let cut = given(folder(&files).path()).unwrap();
        assert_eq!(cut.relations[0].units, [0]);
        assert!(
            cut.account
                .to_string()
                .contains("note: relations whose list of text units was cut")
        );
        files.push((ENTITY_CHUNKS, r#"{"\"BABBAGE\"": {"chunk_ids": ["c3", "c1"], "count": 2}, "\"ADA\"": {"chunk_ids": []}}"#));
        files.push((
            RELATION_CHUNKS,
            r#"{"\"ADA\"<SEP>\"BABBAGE\"": {"chunk_ids": ["c1", "c2"], "count": 2}}"#,
        ));
        let whole = given(folder(&files).path()).unwrap();
        assert_eq!(whole.entities[0].units, [1, 0]);
        assert_eq!(whole.entities[1].units, [2, 0]);
        assert_eq!(whole.relations[0].units, [0, 1]);
        assert!(!whole.account.to_string().contains("was cut"));
        assert_eq!(whole.files.len(), 4);
    }

    #[test]
    fn communities_come_from_reports_else_from_nodes() {
        let graph = GRAPH_2024.replace(
            "<data key=\"d0\">\"PERSON\"",
            "<data key=\"clusters\">[{\"level\": 1, \"cluster\": 7}, {\"level\": 0, \"cluster\": 0}]</data><data key=\"d0\">\"PERSON\"",
        );
        let report = r#"{"7": {"report_string": "A report.", "report_json": {"title": "London", "rating": 1.0}, "level": 1,
            "title": "Cluster 7", "edges": [["a", "b"]], "nodes": ["\"ADA\"", "\"X\""], "occurrence": 0.5}}"#;
        let mut files = vec![(GRAPH, &*graph), (CHUNKS, TEXTS)];
        let bare = given(folder(&files).path()).unwrap();
        let titles = bare.communities.iter().map(|c| (&*c.title, c.level));
        assert_eq!(
            titles.collect::<Vec<_>>(),
            [("Cluster 0", 0), ("Cluster 7", 1)]
        );
        files.push((REPORTS, report));
        let given = given(folder(&files).path()).unwrap();
        let [community] = &*given.communities else {
            panic!("{:?}", given.communities)
        };
        assert_eq!((&*community.title, community.level), ("London", 1));
        assert_eq!(
            (&*community.members, &*community.report),
            (&[0][..], "A report.")
        );
    }

    #[test]
    fn one_workspace_is_found_and_several_are_listed() {
        let graph = ("one/graph_chunk_entity_relation.graphml", GRAPH_2024);
        let texts = ("one/kv_store_text_chunks.json", TEXTS);
        let single = folder(&[graph, texts, ("inputs/a.txt", "x")]);
        assert_eq!(
            found(single.path())[0].1,
            "2024 to early 2025, or PathRAG, workspace one"
        );
        assert_eq!(given(single.path()).unwrap().units.len(), 3);
        let two = folder(&[
            graph,
            texts,
            ("two/graph_chunk_entity_relation.graphml", GRAPH_2024),
        ]);
        assert!(found(two.path())[0].1.ends_with("2 workspaces"));
        fails(two.path(), "2 workspaces: one, two; name one of them, as ");
    }

    #[test]
    fn titles_come_from_documents_where_chunks_name_no_file() {
        let texts = TEXTS.replace("file_path", "old");
        let documents = r#"{"d1": {"content": "x", "file_path": "C:\\in\\one.md"}, "d2": {"content": "y", "file_path": "unknown_source"}}"#;
        let folder = folder(&[
            (GRAPH, GRAPH_2024),
            (CHUNKS, &texts),
            (DOCUMENTS, documents),
        ]);
        let given = given(folder.path()).unwrap();
        let titles: Vec<&str> = given.units.iter().map(|unit| &*unit.title).collect();
        assert_eq!(titles, ["one", "one", ""]);
    }

    #[test]
    fn what_is_missing_cut_or_left_over_has_a_word() {
        let vectors = ("vdb_entities.json", "{}");
        let lone = folder(&[(CHUNKS, TEXTS), vectors]);
        assert_eq!(found(lone.path()).len(), 1);
        fails(lone.path(), "no graph_chunk_entity_relation.graphml");
        fails(
            folder(&[(GRAPH, GRAPH_2024)]).path(),
            "no kv_store_text_chunks.json",
        );
        let cut = &TEXTS[..TEXTS.len() - 60];
        fails(
            folder(&[(GRAPH, GRAPH_2024), (CHUNKS, cut)]).path(),
            "kv_store_text_chunks.json:5: expected a text chunk with its content; found the end of the file",
        );
        let wrong = TEXTS.replace("\"First text.\"", "[1]");
        fails(
            folder(&[(GRAPH, GRAPH_2024), (CHUNKS, &wrong)]).path(),
            ":4: expected",
        );
        let cut = &GRAPH_2024[..GRAPH_2024.len() - 30];
        fails(
            folder(&[(GRAPH, cut), (CHUNKS, TEXTS)]).path(),
            ".graphml:2",
        );
        let bomb = GRAPH_2024.replacen("<graphml", "<!DOCTYPE g [<!ENTITY a 'b'>]><graphml", 1);
        fails(
            folder(&[(GRAPH, &bomb), (CHUNKS, TEXTS)]).path(),
            "<!DOCTYPE",
        );
        let extra = [
            (GRAPH, GRAPH_2024),
            (CHUNKS, TEXTS),
            vectors,
            ("vdb_chunks.json.tmp", "{"),
        ];
        let account = given(folder(&extra).path()).unwrap().account.to_string();
        assert!(account.contains("note: files *.tmp"), "{account}");
        assert!(account.contains("note: files of vectors"), "{account}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn damage_never_panics(which in 0..4usize, damage in damage()) {
            let report = r#"{"7": {"report_string": "A.", "report_json": {"title": "L"}, "level": 1, "nodes": ["\"ADA\""]}}"#;
            let list = r#"{"\"ADA\"": {"chunk_ids": ["c1"], "count": 1}}"#;
            let files = [(GRAPH, GRAPH_2024), (CHUNKS, TEXTS), (REPORTS, report), (ENTITY_CHUNKS, list)];
            let folder = folder(&files);
            let (name, text) = files[which];
            fs::write(folder.path().join(name), damage.of(text.as_bytes())).unwrap();
            let _ = found(folder.path());
            let _ = given(folder.path());
        }
    }

    /// The counts of a sample as its files have them: texts, nodes, edges, reports.
    fn counted(at: &Path) -> [usize; 4] {
        let json = |name: &str| -> usize {
            let Ok(text) = fs::read_to_string(at.join(name)) else {
                return 0;
            };
            let json: serde_json::Value = serde_json::from_str(&text).unwrap();
            json.as_object().unwrap().len()
        };
        let graph = fs::read_to_string(at.join(GRAPH)).unwrap();
        let tags = |tag: &str| graph.matches(tag).count();
        [json(CHUNKS), tags("<node "), tags("<edge "), json(REPORTS)]
    }

    #[test]
    fn samples_have_the_counts_of_their_files() {
        let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared");
        let shared = std::env::var("HOPSCOPE_SHARED").map_or(beside, PathBuf::from);
        let samples = [
            ("lightrag/biboyqg-small", "LightRAG", [2, 61, 14, 0]),
            (
                "lightrag/ci3lab-construction",
                "LightRAG",
                [86, 930, 1157, 0],
            ),
            (
                "nano-graphrag/hhy-dickens",
                "nano-graphrag",
                [42, 374, 186, 32],
            ),
        ];
        for (name, title, counts) in samples {
            let at = shared.join("data/indexes").join(name);
            if !at.is_dir() {
                return;
            }
            assert_eq!(found(&at)[0].0, title);
            let given = given(&at).unwrap();
            let read = ["text units", "entities", "relations", "communities"];
            let read = read.map(|table| given.account.read(table));
            assert_eq!(read, counts, "{name}");
            assert_eq!(read, counted(&at), "{name}");
            assert_eq!(given.units.len(), counts[0]);
            assert_eq!(given.entities.len(), counts[1]);
            println!("{name}\n{}", given.account);
        }
    }
}
