//! Graphs as tables: a list of edges or triples, a table of nodes where there is one, and passages, as CSV, TSV, Parquet or
//! JSON lines. Gephi, Neo4j, APOC, Kuzu, networkx and whoever keeps triples write such files.
//!
//! A row with two ends is an edge, whatever table it is in; a table or file with texts has the passages; another row with an
//! identifier is a node. Ends that no table has as nodes are nodes of that name. Nodes and edges name their passages in a column;
//! a node that no column leads to a passage is joined to the passages that have its name.

use super::super::schema::GraphError;
use super::plain::{Link, Plain, Properties, TEXTS, Thing, split};
use super::rows::{self, Cell};
use super::stream::{self, Record};
use super::{Draft, Sort, System};
use crate::text::forms::Forms;
use crate::text::{Language, Norm};
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::{Path, PathBuf};

/// Tables of nodes and edges.
pub static TABLES: System = System {
    title: "tables of edges",
    about: "a table of edges or triples, one of nodes where there is one, and passages, as .csv, .tsv, .parquet or .jsonl",
    finds,
    read,
};

/// How the ends of an edge are called.
const ENDS: [[&str; 2]; 14] = [
    ["source", "target"],
    ["src", "tgt"],
    ["src", "dst"],
    ["source_id", "target_id"],
    ["src_id", "tgt_id"],
    ["from", "to"],
    ["from_id", "to_id"],
    ["head", "tail"],
    ["subject", "object"],
    ["start", "end"],
    ["start_id", "end_id"],
    ["node1", "node2"],
    ["entity1", "entity2"],
    ["h", "t"],
];
/// How an identifier is called.
const IDS: [&str; 8] = [
    "id",
    "node_id",
    "entity_id",
    "chunk_id",
    "passage_id",
    "doc_id",
    "name",
    "entity",
];
/// How passages of a node or an edge are called, besides what every graph may call them.
const PASSAGES: [&str; 6] = [
    "passage_id",
    "passage_ids",
    "passages",
    "doc_id",
    "doc_ids",
    "text_id",
];
/// Files that are no part of a graph.
const OTHERS: [&str; 4] = ["queries", "questions", "qrels", "schema"];
/// What the tables of a folder may be.
const TABLES_END: [&str; 3] = ["csv", "tsv", "parquet"];

/// The name of a column without what its writer puts around it: `_id`, `~from`, `:START_ID`, `personId:ID(Person)`.
fn plainly(name: &str) -> String {
    let name = name.trim().to_lowercase();
    let (own, kind) = name.split_once(':').unwrap_or((&name, ""));
    let kind = kind.split('(').next().unwrap_or_default();
    match kind {
        "id" | "start_id" | "end_id" | "type" => kind.to_owned(),
        "label" => "labels".to_owned(),
        _ => own.trim_matches(['_', '~', ' ']).replace(' ', "_"),
    }
}

/// A row by the plain names of its columns.
struct Row<'r> {
    names: &'r [String],
    cells: &'r [Cell],
}

impl Row<'_> {
    fn cell(&self, name: &str) -> Option<&Cell> {
        let found = self.names.iter().position(|own| own == name);
        found.and_then(|at| self.cells.get(at))
    }
}

impl Properties for Row<'_> {
    fn text(&self, name: &str) -> String {
        let texts = self.cell(name).map(Cell::text);
        texts.unwrap_or_default().trim().to_owned()
    }

    fn texts(&self, name: &str) -> Vec<String> {
        match self.cell(name) {
            Some(Cell::Text(text)) if text.trim_start().starts_with('[') => {
                Cell::Text(text.clone()).list()
            }
            Some(Cell::Text(text)) => {
                let parts = split(text).into_iter();
                let parts = parts.flat_map(|part| {
                    let parts = part.split([';', '|']).map(str::trim);
                    let parts = parts.filter(|part| !part.is_empty());
                    parts.map(str::to_owned).collect::<Vec<_>>()
                });
                parts.collect()
            }
            Some(cell) => cell.list(),
            None => Vec::new(),
        }
    }
}

/// What the files of a folder are.
#[derive(Default)]
struct Files {
    edges: Vec<PathBuf>,
    /// Whether nodes among the edges have texts.
    texts: bool,
    passages: Vec<PathBuf>,
    nodes: Vec<PathBuf>,
}

fn ends_of(names: &[String]) -> Option<[&'static str; 2]> {
    let has = |name: &&str| names.iter().any(|own| own == name);
    ENDS.into_iter().find(|ends| ends.iter().all(&has))
}

fn has_text(names: &[String]) -> bool {
    names.iter().any(|name| TEXTS.contains(&&**name))
}

impl Files {
    /// By the columns of tables and the first records of JSON lines. None where a schema says that it is a typed graph.
    fn of(folder: &Path) -> Files {
        let mut files = Files::default();
        if folder.join("schema.json").is_file() {
            return files;
        }
        let part = |path: &PathBuf| {
            let stem = path.file_stem().unwrap_or_default();
            let stem = stem.to_string_lossy().to_lowercase();
            !OTHERS.contains(&&*stem)
        };
        for path in stream::files(folder, &TABLES_END).into_iter().filter(part) {
            let names: Vec<String> = rows::columns(&path).iter().map(|n| plainly(n)).collect();
            let is = |name: &str| names.iter().any(|own| own == name);
            // A letter has two ends and a text, too; of a database nodes and edges may be one table.
            let graph = ends_of(&names).is_some();
            if graph && (is("labels") || !has_text(&names)) {
                files.texts |= has_text(&names);
                files.edges.push(path);
            } else if has_text(&names) {
                files.passages.push(path);
            } else if IDS.iter().any(|id| is(id)) {
                files.nodes.push(path);
            }
        }
        let lines = stream::files(folder, &["jsonl"]).into_iter().filter(part);
        files.passages.extend(lines.filter(|path| {
            let head = stream::compact(path);
            TEXTS
                .iter()
                .any(|text| head.contains(&format!("\"{text}\":")))
        }));
        files
    }
}

fn finds(folder: &Path) -> Option<String> {
    let files = Files::of(folder);
    let whole = !files.edges.is_empty() && (files.texts || !files.passages.is_empty());
    let name = |path: &PathBuf| {
        path.file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    };
    whole.then(|| {
        let all = files
            .edges
            .iter()
            .chain(&files.nodes)
            .chain(&files.passages);
        all.map(name).collect::<Vec<_>>().join(", ")
    })
}

fn read(folder: &Path, draft: &mut Draft) -> Result<(), GraphError> {
    let files = Files::of(folder);
    let mut plain = Plain::default();
    let passages: FxHashSet<&PathBuf> = files.passages.iter().collect();
    let all = files
        .passages
        .iter()
        .chain(&files.nodes)
        .chain(&files.edges);
    for path in all {
        draft.file(path);
        let texts = passages.contains(path);
        match path.extension().is_some_and(|end| end == "jsonl") {
            true => of_lines(path, &mut plain)?,
            false => of_table(path, texts, &mut plain, draft)?,
        }
    }
    named_by_edges(&mut plain, draft);
    joined_by_name(&mut plain, draft);
    plain.give(draft);
    Ok(())
}

/// Passages, a record each.
fn of_lines(path: &Path, plain: &mut Plain) -> Result<(), GraphError> {
    let mut number = 0;
    stream::lines(
        path,
        "a passage with an identifier and a text",
        &mut |_, record: Record| {
            number += 1;
            let id = match record.first(&["_id", "id", "chunk_id", "passage_id", "doc_id", "docid"])
            {
                id if id.is_empty() => number.to_string(),
                id => id,
            };
            plain
                .things
                .push(passage(id, record.first(&["title"]), record.first(&TEXTS)));
            Ok(())
        },
    )
}

fn passage(id: String, title: String, text: String) -> Thing {
    Thing {
        name: id.clone(),
        text: Some(text),
        title,
        id,
        ..Thing::default()
    }
}

fn of_table(
    path: &Path,
    texts: bool,
    plain: &mut Plain,
    draft: &mut Draft,
) -> Result<(), GraphError> {
    let columns = rows::columns(path);
    let wanted: Vec<&str> = columns.iter().map(String::as_str).collect();
    let names: Vec<String> = columns.iter().map(|name| plainly(name)).collect();
    let ends = ends_of(&names);
    rows::read(path, &wanted, &mut |number, cells| {
        let row = Row {
            names: &names,
            cells,
        };
        let id = match row.first(&IDS) {
            id if id.is_empty() && texts => number.to_string(),
            id => id,
        };
        if texts {
            plain
                .things
                .push(passage(id, row.text("title"), row.first(&TEXTS)));
            return Ok(());
        }
        let found = ends.map(|ends| ends.map(|end| row.text(end)));
        match found {
            Some([from, to]) if !from.is_empty() && !to.is_empty() => {
                let mut link = Link::of(&from, &to, "", &row);
                // `source` and its like are an end here, and not a passage.
                link.units.retain(|unit| *unit != from && *unit != to);
                link.units
                    .extend(PASSAGES.iter().flat_map(|name| row.texts(name)));
                plain.links.push(link);
            }
            _ if id.is_empty() => {
                draft.note(Sort::LeftOut, "rows without an identifier or two ends", "")
            }
            _ => {
                let labels = row.text("labels");
                let labels = labels.split([':', ';']).map(str::to_owned);
                let mut thing = Thing::of(&id, &labels.collect::<Vec<_>>(), &row);
                thing
                    .units
                    .extend(PASSAGES.iter().flat_map(|name| row.texts(name)));
                plain.things.push(thing);
            }
        }
        Ok(())
    })
}

/// Ends that no table has become nodes, and nodes are from the passages that their edges are from.
fn named_by_edges(plain: &mut Plain, draft: &mut Draft) {
    let known = plain.things.iter().map(|thing| thing.id.clone());
    let mut places: FxHashMap<String, usize> = known.zip(0..).collect();
    for link in &plain.links {
        for end in [&link.from, &link.to] {
            let place = *places.entry(end.clone()).or_insert_with(|| {
                draft.note(Sort::Seen, "nodes that only edges name", end);
                plain.things.push(Thing {
                    id: end.clone(),
                    name: end.clone(),
                    ..Thing::default()
                });
                plain.things.len() - 1
            });
            let thing = &mut plain.things[place];
            if thing.text.is_none() {
                thing.units.extend(link.units.iter().cloned());
            }
        }
    }
}

/// Nodes without a passage are joined to those that have their name.
fn joined_by_name(plain: &mut Plain, draft: &mut Draft) {
    let lacks = |thing: &Thing| thing.text.is_none() && thing.units.is_empty();
    let forms = plain
        .things
        .iter()
        .zip(0..)
        .filter(|(thing, _)| lacks(thing));
    let forms = forms.map(|(thing, place)| (Norm::Simple.apply(&thing.name), place));
    let forms: Vec<(String, u32)> = forms.filter(|(form, _)| !form.is_empty()).collect();
    if forms.is_empty() {
        return;
    }
    let forms = Forms::new(Language::default(), forms);
    let mut found: Vec<(usize, String)> = Vec::new();
    for thing in &plain.things {
        let Some(text) = &thing.text else { continue };
        let runs = forms.longest_runs(&format!("{} {text}", thing.title));
        let names: FxHashSet<u32> = runs.iter().map(|run| run.name).collect();
        found.extend(
            names
                .into_iter()
                .map(|name| (name as usize, thing.id.clone())),
        );
    }
    found.sort_unstable();
    let mut last = None;
    for (place, passage) in found {
        let thing = &mut plain.things[place];
        if last.replace(place) != Some(place) {
            draft.note(
                Sort::Seen,
                "nodes joined to the passages that have their name",
                &thing.name,
            );
        }
        thing.units.push(passage);
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{damage, folder};
    use super::super::{Given, find, read};
    use super::*;
    use proptest::prelude::*;

    const PASSAGES_JSON: &[u8] =
        br#"{"_id": "p1", "title": "Titan", "text": "Titan is the largest moon of Saturn."}
{"_id": "p2", "title": "Rings", "text": "Saturn has rings of ice."}
"#;

    fn given(files: &[(&str, &[u8])]) -> Given {
        let folder = folder(files);
        let found = find(folder.path()).unwrap();
        assert_eq!(found.system.title, TABLES.title);
        read(&found).unwrap()
    }

    fn units(given: &Given, name: &str) -> Vec<String> {
        let entity = given.entities.iter().find(|entity| entity.name == name);
        let units = entity.unwrap().units.iter();
        units
            .map(|unit| given.units[*unit as usize].id.clone())
            .collect()
    }

    #[test]
    fn triples_are_joined_to_passages_by_names() {
        let given = given(&[
            ("passages.jsonl", PASSAGES_JSON),
            (
                "triples.csv",
                b"head,relation,tail\nTitan,orbits,Saturn\nRhea,orbits,Saturn\n",
            ),
        ]);
        assert_eq!(
            (
                given.units.len(),
                given.entities.len(),
                given.relations.len()
            ),
            (2, 3, 2)
        );
        assert_eq!(given.relations[0].label, "orbits");
        assert_eq!(units(&given, "Saturn"), ["p1", "p2"]);
        assert_eq!(units(&given, "Titan"), ["p1"]);
        assert!(units(&given, "Rhea").is_empty());
    }

    #[test]
    fn columns_lead_to_passages_and_give_names_kinds_and_weights() {
        let given = given(&[
            (
                "chunks.csv",
                b"id,title,content\np1,Titan,A moon.\np2,Rings,Ice.\n",
            ),
            (
                "nodes.csv",
                b"Id,Label,Type,description\n1,Saturn,planet,Has rings\n2,Titan,moon,A moon\n",
            ),
            (
                "edges.tsv",
                b"Source\tTarget\tLabel\tWeight\tchunk_ids\n2\t1\torbits\t2.5\tp1;p2\n",
            ),
        ]);
        let saturn = &given.entities[0];
        assert_eq!(
            (&*saturn.name, &*saturn.kind, &*saturn.description),
            ("Saturn", "planet", "Has rings")
        );
        let relation = &given.relations[0];
        assert_eq!(
            (relation.weight, &*relation.label, &relation.units[..]),
            (2.5, "orbits", &[0, 1][..])
        );
        assert_eq!(units(&given, "Titan"), ["p1", "p2"]);
    }

    #[test]
    fn nodes_and_edges_of_a_database_may_be_one_table() {
        let apoc = b"_id,_labels,name,_start,_end,_type\n0,:Planet,Saturn,,,\n1,:Moon,Titan,,,\n,,,1,0,ORBITS\n";
        let one = given(&[("all.csv", apoc), ("passages.jsonl", PASSAGES_JSON)]);
        assert_eq!((one.entities.len(), one.relations.len()), (2, 1));
        assert_eq!(
            (&*one.entities[1].kind, &*one.relations[0].label),
            ("Moon", "ORBITS")
        );
        let neo4j = given(&[
            (
                "a.csv",
                b"moonId:ID(Moon),name,:LABEL\nm1,Titan,Moon\nm2,Saturn,Planet\n",
            ),
            (
                "b.csv",
                b":START_ID(Moon),:END_ID(Moon),:TYPE\nm1,m2,ORBITS\n",
            ),
            ("passages.jsonl", PASSAGES_JSON),
        ]);
        assert_eq!((neo4j.entities.len(), neo4j.relations.len()), (2, 1));
        assert_eq!(units(&neo4j, "Titan"), ["p1"]);
    }

    #[test]
    fn a_corpus_is_not_taken_for_a_graph() {
        let mails = b"from,to,subject,text\nann,bob,hi,A long letter\n";
        for files in [
            vec![("mails.csv", &mails[..])],
            vec![
                ("corpus.jsonl", PASSAGES_JSON),
                ("queries.jsonl", br#"{"_id": "q", "text": "who"}"#),
            ],
            vec![("edges.csv", b"source,target\na,b\n")],
            vec![
                ("edges.tsv", b"from\tto\ta\nb\tc\td\n"),
                ("corpus.jsonl", PASSAGES_JSON),
                ("schema.json", b"{}"),
            ],
        ] {
            let folder = folder(&files);
            assert!(find(folder.path()).is_none(), "{files:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn damaged_tables_are_read_or_refused(edges in damage(), nodes in damage(), texts in damage()) {
            let folder = folder(&[
                ("edges.csv", &edges.of(b"source,target,weight\n1,2,0.5\n2,3,x\n")),
                ("nodes.tsv", &nodes.of(b"id\tname\tchunk_ids\n1\tTitan\tp1;p2\n")),
                ("passages.jsonl", &texts.of(PASSAGES_JSON)),
            ]);
            if let Some(found) = find(folder.path()) {
                let _ = read(&found);
            }
        }
    }
}
