//! Graphs as tables: a list of edges or triples, a table of nodes where there is one, and passages, as CSV, TSV, Parquet or
//! JSON lines. Gephi, Neo4j, APOC, Kuzu, networkx and whoever keeps triples write such files.
//!
//! A row with two ends is an edge, whatever table it is in; a table with texts has the passages; another row with an identifier
//! is a node. A table of edges may lack the line that names its columns: head, tail; or head, relation, tail. Ends that no table
//! has as nodes are nodes of that name. Nodes and edges name their passages in a column; a node that no column leads to a passage
//! is joined to the passages that have its name.

use super::super::schema::GraphError;
use super::plain::{Link, Plain, Properties, TEXTS, Thing, split};
use super::rows::{self, Cell};
use super::stream::{self, Record};
use super::{Draft, Sort, System, nodelink};
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
const IDS: [&str; 9] = [
    "id",
    "node_id",
    "entity_id",
    "chunk_id",
    "passage_id",
    "doc_id",
    "docid",
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
const TABLES_END: [&str; 4] = ["csv", "tsv", "parquet", LINES_END];
/// Tables whose rows are records of JSON.
const LINES_END: &str = "jsonl";
/// What is in the name of a table of edges, where the table does not name its columns.
const EDGES: [&str; 5] = ["triple", "edge", "relation", "fact", "link"];
/// The columns of such a table, by how many it has, and whether the last is a number.
const BARE: [(usize, bool, &[&str]); 4] = [
    (2, false, &["head", "tail"]),
    (3, true, &["head", "tail", "weight"]),
    (3, false, &["head", "relation", "tail"]),
    (4, true, &["head", "relation", "tail", "weight"]),
];
/// What columns of a table of edges are called besides.
const BESIDES: [&str; 8] = [
    "label",
    "labels",
    "predicate",
    "rel",
    "relation",
    "relationship",
    "type",
    "weight",
];

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

/// What the rows of a table are, in the order in which tables are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Holds {
    Passages,
    Nodes,
    /// Of a database nodes and edges may be one table.
    Edges,
}

/// A table of a folder.
struct Table {
    path: PathBuf,
    holds: Holds,
    /// What its columns are called: by the table, or by their number.
    columns: Vec<String>,
    /// Whether its first row is one like the others.
    bare: bool,
}

fn ends_of(names: &[String]) -> Option<[&'static str; 2]> {
    let has = |name: &&str| names.iter().any(|own| own == name);
    ENDS.into_iter().find(|ends| ends.iter().all(&has))
}

fn has_text(names: &[String]) -> bool {
    names.iter().any(|name| TEXTS.contains(&&**name))
}

/// The columns of a table that does not name them, by its first row: where its name says that it holds edges, and no cell is
/// called as columns are.
fn bare(path: &Path, first: &[String]) -> Option<&'static [&'static str]> {
    let stem = path.file_stem()?.to_string_lossy().to_lowercase();
    let called = |cell: &String| {
        let name = plainly(cell);
        let ends = ENDS.as_flattened().iter();
        let mut known = ends
            .chain(&IDS)
            .chain(&TEXTS)
            .chain(&PASSAGES)
            .chain(&BESIDES);
        name.is_empty() || known.any(|known| *known == name)
    };
    if !EDGES.iter().any(|name| stem.contains(name)) || first.iter().any(called) {
        return None;
    }
    let number = first.last()?.trim().parse::<f64>().is_ok();
    let mut forms = BARE.iter();
    let form = forms.find(|(many, last, _)| *many == first.len() && (number || !last));
    form.map(|form| form.2)
}

impl Table {
    /// By its columns or its first record. None of a file that holds no part of a graph.
    fn of(path: PathBuf) -> Option<Table> {
        let stem = path.file_stem()?.to_string_lossy().to_lowercase();
        if OTHERS.contains(&&*stem) {
            return None;
        }
        let (named, given) = match is_lines(&path) {
            true => (stream::keys(&path), None),
            false => {
                let first = rows::columns(&path);
                let given = bare(&path, &first);
                (first, given)
            }
        };
        let columns = given.map_or(named, |given| given.iter().map(|&n| n.to_owned()).collect());
        let names: Vec<String> = columns.iter().map(|name| plainly(name)).collect();
        let is = |name: &str| names.iter().any(|own| own == name);
        // A letter has two ends and a text, too.
        let holds = match has_text(&names) {
            text if ends_of(&names).is_some() && (is("labels") || !text) => Holds::Edges,
            true => Holds::Passages,
            false if IDS.iter().any(|id| is(id)) => Holds::Nodes,
            false => return None,
        };
        Some(Table {
            path,
            holds,
            columns,
            bare: given.is_some(),
        })
    }

    fn names(&self) -> Vec<String> {
        self.columns.iter().map(|name| plainly(name)).collect()
    }

    /// Gives every row with its number from 1.
    fn rows(&self, each: &mut dyn FnMut(u64, &Row<'_>)) -> Result<(), GraphError> {
        if is_lines(&self.path) {
            let mut number = 0;
            return stream::lines(&self.path, "a record of JSON", &mut |_, record: Record| {
                number += 1;
                let names: Vec<String> = record.0.iter().map(|(name, _)| plainly(name)).collect();
                let cells: Vec<Cell> = record
                    .0
                    .into_iter()
                    .map(|(_, value)| value.into())
                    .collect();
                let (names, cells) = (&*names, &*cells);
                each(number, &Row { names, cells });
                Ok(())
            });
        }
        let names = self.names();
        let mut row = |number: u64, cells: &[Cell]| {
            let names = &*names;
            each(number, &Row { names, cells });
            Ok(())
        };
        match self.bare {
            true => rows::read_bare(&self.path, &mut row),
            false => {
                let wanted: Vec<&str> = self.columns.iter().map(String::as_str).collect();
                rows::read(&self.path, &wanted, &mut row)
            }
        }
    }
}

fn is_lines(path: &Path) -> bool {
    let ending = path.extension().unwrap_or_default();
    ending.eq_ignore_ascii_case(LINES_END)
}

/// The tables of a folder, in the order in which they are read. None where a schema says that it is a typed graph.
fn tables(folder: &Path) -> Vec<Table> {
    if folder.join("schema.json").is_file() {
        return Vec::new();
    }
    let files = stream::files(folder, &TABLES_END).into_iter();
    let mut tables: Vec<Table> = files.filter_map(Table::of).collect();
    tables.sort_by_key(|table| table.holds);
    tables
}

fn finds(folder: &Path) -> Option<String> {
    let mut tables = tables(folder);
    let texts = |table: &Table| table.holds == Holds::Passages || has_text(&table.names());
    let whole = tables.iter().any(|table| table.holds == Holds::Edges) && tables.iter().any(texts);
    // Those that make it a graph in front.
    tables.sort_by_key(|table| (table.holds != Holds::Edges, table.holds == Holds::Passages));
    let names = tables.iter().map(|table| nodelink::name_of(&table.path));
    whole.then(|| names.collect::<Vec<_>>().join(", "))
}

fn read(folder: &Path, draft: &mut Draft) -> Result<(), GraphError> {
    let mut plain = Plain::default();
    for table in tables(folder) {
        draft.file(&table.path);
        if table.bare {
            let what = format!(
                "tables that do not name their columns, read as {}",
                table.columns.join(", ")
            );
            draft.note(Sort::Seen, &what, &nodelink::name_of(&table.path));
        }
        table.rows(&mut |number, row| take(&table, number, row, &mut plain, draft))?;
    }
    named_by_edges(&mut plain, draft);
    joined_by_name(&mut plain, draft);
    plain.give(draft);
    Ok(())
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

/// Takes a row for what it is.
fn take(table: &Table, number: u64, row: &Row<'_>, plain: &mut Plain, draft: &mut Draft) {
    let id = row.first(&IDS);
    if table.holds == Holds::Passages {
        let id = if id.is_empty() {
            number.to_string()
        } else {
            id
        };
        let passage = passage(id, row.text("title"), row.first(&TEXTS));
        plain.things.push(passage);
        return;
    }
    let passages = || PASSAGES.iter().flat_map(|name| row.texts(name));
    let ends = ends_of(row.names).map(|ends| ends.map(|end| row.text(end)));
    match ends {
        Some([from, to]) if !from.is_empty() && !to.is_empty() => {
            let mut link = Link::of(&from, &to, "", row);
            // `source` and its like are an end here, and not a passage.
            link.units.retain(|unit| *unit != from && *unit != to);
            link.units.extend(passages());
            plain.links.push(link);
        }
        _ if id.is_empty() => {
            draft.note(Sort::LeftOut, "rows without an identifier or two ends", "");
        }
        _ => {
            let labels = row.text("labels");
            let labels = labels.split([':', ';']).map(str::to_owned);
            let mut thing = Thing::of(&id, &labels.collect::<Vec<_>>(), row);
            thing.units.extend(passages());
            plain.things.push(thing);
        }
    }
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
    fn records_of_json_are_nodes_and_edges_as_rows_are() {
        let given = given(&[
            (
                "edges.jsonl",
                br#"{"head": "Titan", "relation": "orbits", "tail": "Saturn", "weight": 2, "passages": ["p1", "p2"]}
{"head": "Rhea", "relation": "orbits", "tail": "Saturn"}
"#,
            ),
            (
                "nodes.jsonl",
                br#"{"id": "Titan", "type": "moon", "description": "The largest."}
"#,
            ),
            ("passages.jsonl", PASSAGES_JSON),
        ]);
        let names: Vec<&str> = given.entities.iter().map(|e| &*e.name).collect();
        assert_eq!(names, ["Titan", "Saturn", "Rhea"]);
        let (titan, orbits) = (&given.entities[0], &given.relations[0]);
        assert_eq!(
            (&*titan.kind, &*titan.description),
            ("moon", "The largest.")
        );
        assert_eq!((&*orbits.label, orbits.weight), ("orbits", 2.0));
        assert_eq!(orbits.units, [0, 1]);
    }

    #[test]
    fn a_table_of_edges_need_not_name_its_columns() {
        for (name, edges, relation) in [
            (
                "triples.tsv",
                "Titan\torbits\tSaturn\nRhea\torbits\tSaturn\n",
                ("orbits", 1.0),
            ),
            (
                "my_edges.csv",
                "Titan,Saturn,2.5\nRhea,Saturn,1\n",
                ("", 2.5),
            ),
            ("links.csv", "Titan,Saturn\nRhea,Saturn\n", ("", 1.0)),
            (
                "facts.csv",
                "Titan,orbits,Saturn,2\nRhea,orbits,Saturn,1\n",
                ("orbits", 2.0),
            ),
        ] {
            let given = given(&[(name, edges.as_bytes()), ("passages.jsonl", PASSAGES_JSON)]);
            let names: Vec<&str> = given.entities.iter().map(|e| &*e.name).collect();
            assert_eq!(names, ["Titan", "Saturn", "Rhea"], "{name}");
            let own = &given.relations[0];
            assert_eq!((&*own.label, own.weight), relation, "{name}");
            let account = given.account.to_string();
            assert!(account.contains("read as head"), "{account}");
        }
        // A name that says nothing, a column that is called something, an empty cell.
        for (name, text) in [
            ("people.csv", "Titan,orbits,Saturn\n"),
            ("edges.csv", "Titan,relation,Saturn\n"),
            ("edges.csv", "Titan,,Saturn\n"),
            ("edges.csv", "a,b,c,d,e\n"),
        ] {
            let folder = folder(&[(name, text.as_bytes()), ("passages.jsonl", PASSAGES_JSON)]);
            assert!(find(folder.path()).is_none(), "{text}");
        }
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
