//! LightRAG's plain tables. Nodes and edges have their attributes as JSON; whole lists of chunks are in tables of their own.

use super::super::lightrag::rules::{self, Attributes, Chunks, Lists, SEPARATOR};
use super::super::stream::{Loose, Record};
use super::super::{Draft, Sort};
use super::tables::{Table, Tables};
use super::{Counts, Kind, Source, value};
use crate::exchange::postgres::client::literal;
use crate::exchange::schema::GraphError;

pub(super) static LIGHTRAG: Kind = Kind {
    id: "lightrag",
    title: "LightRAG",
    tables: &[NODES, EDGES, CHUNKS],
    knows: |tables| tables.get(NODES).is_some(),
    read,
};

const NODES: &str = "lightrag_graph_nodes";
const EDGES: &str = "lightrag_graph_edges";
const CHUNKS: &str = "lightrag_doc_chunks";
const DOCUMENTS: &str = "lightrag_doc_full";
pub(super) const ENTITY_CHUNKS: &str = "lightrag_entity_chunks";
const RELATION_CHUNKS: &str = "lightrag_relation_chunks";
/// How tables of vectors begin; an encoder's name may follow.
const VECTORS: &str = "lightrag_vdb_";
const VECTOR: &str = "content_vector";
/// The one graph that a workspace has.
const NAMESPACE: &str = "chunk_entity_relation";

/// What is missing where LightRAG keeps its texts here and its graph elsewhere.
pub(super) fn without_graph(tables: &Tables) -> Option<String> {
    tables.get(CHUNKS)?;
    Some(format!(
        "schema {} has LightRAG's texts and no {NODES}: its graph is kept elsewhere, such as in Apache AGE or Neo4j (PGTableGraphStorage keeps it in plain tables)",
        tables.schema
    ))
}

/// What there is of LightRAG's in a schema, and of which workspace.
pub(super) struct Parts<'a> {
    pub nodes: &'a Table,
    pub edges: &'a Table,
    pub chunks: &'a Table,
    pub workspace: String,
    /// Texts of that workspace.
    pub texts: usize,
}

pub(super) fn parts(source: &Source) -> Result<Parts<'_>, GraphError> {
    let elsewhere = "LightRAG keeps it elsewhere here; open its working folder instead";
    let nodes = source.need(NODES, elsewhere)?;
    let edges = source.need(EDGES, elsewhere)?;
    let chunks = source.need(CHUNKS, elsewhere)?;
    let mut counts = Counts::new();
    source.count(nodes, "workspace", &namespace(nodes), 0, &mut counts)?;
    source.count(chunks, "workspace", "true", 1, &mut counts)?;
    let asked = source.snapshot.address().workspace.as_deref();
    let workspace = source.choose("workspace", asked, &counts, ["entities", "texts"])?;
    Ok(Parts {
        texts: counts.get(&workspace).map_or(0, |[_, texts]| *texts),
        nodes,
        edges,
        chunks,
        workspace,
    })
}

fn read(source: &Source, draft: &mut Draft) -> Result<String, GraphError> {
    let Parts {
        nodes,
        edges,
        chunks,
        workspace,
        ..
    } = parts(source)?;
    let read = Workspace {
        source,
        name: &workspace,
    };
    let vectors = source.tables.beginning(VECTORS).chain([chunks]);
    let vectors: Vec<(&Table, &str)> = vectors.map(|table| (table, VECTOR)).collect();
    source.vectors(&vectors, draft);
    read.chunks(chunks, &chunks.text("content"), draft)?;
    read.entities(nodes, draft)?;
    read.relations(edges, draft)?;
    Ok(format!("workspace {workspace}"))
}

/// The rows of the one graph; older tables have no other.
pub(super) fn namespace(table: &Table) -> String {
    match table.has("namespace") {
        true => format!("{} = {}", table.own("namespace"), literal(NAMESPACE)),
        false => "true".to_owned(),
    }
}

pub(super) struct Workspace<'a> {
    pub source: &'a Source,
    pub name: &'a str,
}

impl Workspace<'_> {
    /// What is true of the rows of this workspace.
    pub(super) fn own(&self, table: &Table) -> String {
        format!("{} = {}", table.own("workspace"), literal(self.name))
    }

    /// A query over the rows of this workspace.
    fn select(&self, table: &Table, columns: &[String], only: &str, order: &[String]) -> String {
        let (columns, order) = (columns.join(", "), order.join(", "));
        let (from, own) = (table.sql(), self.own(table));
        format!("SELECT {columns} FROM {from} WHERE {own} AND {only} ORDER BY {order}")
    }

    /// An optional table that may be read.
    pub(super) fn optional(&self, name: &str) -> Result<Option<&Table>, GraphError> {
        let table = self.source.tables.get(name);
        let readable = |table| self.source.tables.readable(&self.source.snapshot, table);
        table.map(readable).transpose()
    }

    /// Texts, each what this says in SQL.
    pub(super) fn chunks(
        &self,
        table: &Table,
        text: &str,
        draft: &mut Draft,
    ) -> Result<(), GraphError> {
        self.source.note(table, draft);
        let columns = ["id", "full_doc_id", "chunk_order_index", "file_path"];
        let mut columns = columns.map(|name| table.text(name)).to_vec();
        columns.push(text.to_owned());
        let query = self.select(
            table,
            &columns,
            "true",
            &[
                table.own("create_time"),
                table.order("full_doc_id"),
                table.own("chunk_order_index"),
                table.order("id"),
            ],
        );
        let mut chunks = Chunks::default();
        self.source.snapshot.rows(&query, &mut |row| {
            let [id, document, order, file, text] = [0, 1, 2, 3, 4].map(|at| row.get(at));
            chunks.add(id, text.to_owned(), order.parse().ok(), document, file);
        })?;
        if chunks.lack_titles() {
            self.documents(&mut chunks, draft)?;
        }
        chunks.give(draft);
        Ok(())
    }

    fn documents(&self, chunks: &mut Chunks, draft: &mut Draft) -> Result<(), GraphError> {
        let Some(table) = self.optional(DOCUMENTS)? else {
            return Ok(());
        };
        self.source.note(table, draft);
        let columns = ["id", "doc_name"].map(|name| table.text(name));
        let query = self.select(table, &columns, "true", &[table.order("id")]);
        self.source
            .snapshot
            .rows(&query, &mut |row| chunks.document(row.get(0), row.get(1)))
    }

    /// The whole lists of chunks of a table, where it is there.
    fn lists(&self, name: &str, draft: &mut Draft) -> Result<Lists, GraphError> {
        let mut lists = Lists::default();
        let Some(table) = self.optional(name)? else {
            return Ok(lists);
        };
        self.source.note(table, draft);
        let columns = [table.text("id"), table.json("chunk_ids")];
        let query = self.select(table, &columns, "true", &[table.order("id")]);
        self.source.snapshot.rows(&query, &mut |row| {
            let (id, ids) = (row.get(0), row.get(1));
            match value(ids) {
                Loose::Nothing => {}
                Loose::List(ids) => lists.insert(id, ids),
                _ => {
                    let what = format!("lists of {name} that are no list of identifiers");
                    draft.note(Sort::LeftOut, &what, id);
                }
            }
        })?;
        Ok(lists)
    }

    fn entities(&self, table: &Table, draft: &mut Draft) -> Result<(), GraphError> {
        let lists = self.lists(ENTITY_CHUNKS, draft)?;
        self.source.note(table, draft);
        let columns = ["id", "properties"].map(|name| table.text(name));
        let query = self.select(table, &columns, &namespace(table), &[table.order("id")]);
        self.source.snapshot.rows(&query, &mut |row| {
            let (id, properties) = (row.get(0), row.get(1));
            let properties = Properties::read(properties, "entities", id, draft);
            rules::entity(id, &properties, &lists, draft);
        })
    }

    fn relations(&self, table: &Table, draft: &mut Draft) -> Result<(), GraphError> {
        let lists = self.lists(RELATION_CHUNKS, draft)?;
        self.source.note(table, draft);
        let columns = ["src_id", "tgt_id", "properties"].map(|name| table.text(name));
        let order = ["src_id", "tgt_id"].map(|name| table.order(name));
        let query = self.select(table, &columns, &namespace(table), &order);
        self.source.snapshot.rows(&query, &mut |row| {
            let ends = [row.get(0), row.get(1)];
            let properties = Properties::read(row.get(2), "relations", ends[0], draft);
            rules::relation(ends, &properties, &lists, draft);
        })
    }
}

/// Attributes of a node or an edge.
pub(super) struct Properties(Vec<(String, String)>);

impl Properties {
    pub(super) fn read(json: &str, of: &str, name: &str, draft: &mut Draft) -> Properties {
        let Loose::Record(Record(all)) = value(json) else {
            let what = format!("{of} whose properties are no object of JSON, read without them");
            draft.note(Sort::Repaired, &what, name);
            return Properties(Vec::new());
        };
        let one = |(name, value)| match value {
            Loose::List(parts) => (name, parts.join(SEPARATOR)),
            value => (name, value.text()),
        };
        Properties(all.into_iter().map(one).collect())
    }
}

impl Attributes for Properties {
    fn get(&self, name: &str) -> &str {
        let found = self.0.iter().rev().find(|(known, _)| known == name);
        found.map_or("", |(_, value)| value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_of_any_form_are_read_or_counted() {
        let mut draft = Draft::default();
        let mut read = |json: &str, name: &str| {
            let properties = Properties::read(json, "entities", "Ada", &mut draft);
            properties.get(name).to_owned()
        };
        assert_eq!(read(r#"{"a": "x", "b": 1.5, "c": null}"#, "a"), "x");
        assert_eq!(read(r#"{"a": "x", "b": 1.5, "c": null}"#, "b"), "1.5");
        assert_eq!(read(r#"{"a": "x", "b": 1.5, "c": null}"#, "c"), "");
        assert_eq!(read(r#"{"a": ["x", "y"]}"#, "a"), "x<SEP>y");
        assert_eq!(read(r#""{\"a\": \"within\"}""#, "a"), "within");
        for odd in ["", "null", "[1]", "3", "\"x\"", "{"] {
            assert_eq!(read(odd, "a"), "");
        }
        let account = draft.finish().account;
        assert_eq!(account.notes[0].count, 6);
    }
}
