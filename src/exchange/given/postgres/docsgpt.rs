//! DocsGPT's graph tables beside its table of texts. An entity belongs to a source, a set of files that were uploaded together.

use super::super::Draft;
use super::super::plain;
use super::super::stream::Record;
use super::tables::Table;
use super::{Counts, Kind, Source, value};
use crate::exchange::postgres::client::literal;
use crate::exchange::schema::GraphError;

pub(super) static DOCSGPT: Kind = Kind {
    id: "docsgpt",
    title: "DocsGPT",
    tables: &[NODES, EDGES, PLACES, TEXTS],
    knows: |tables| {
        let has = |table, column| tables.get(table).is_some_and(|table| table.has(column));
        has(NODES, "normalized_name") && has(NODES, "source_id") && has(EDGES, "src_node_id")
    },
    read,
};

const NODES: &str = "graph_nodes";
const EDGES: &str = "graph_edges";
/// Which texts an entity is in.
const PLACES: &str = "graph_node_chunks";
const TEXTS: &str = "documents";
/// What the title of a text is taken from, the best first.
const TITLES: [&str; 5] = ["title", "post_title", "filename", "file_name", "source"];

fn read(source: &Source, draft: &mut Draft) -> Result<String, GraphError> {
    let nodes = source.need(NODES, "name the database that has it")?;
    let edges = source.need(EDGES, "name the database that has it")?;
    let places = source.need(PLACES, "name the database that has it")?;
    let texts = source.need(
        TEXTS,
        "DocsGPT keeps its texts beside the graph (PGVECTOR_CONNECTION_STRING); name that database",
    )?;
    let mut counts = Counts::new();
    source.count(nodes, "source_id", "true", 0, &mut counts)?;
    source.count(texts, "source_id", "true", 1, &mut counts)?;
    counts.retain(|_, [nodes, _]| *nodes > 0);
    let asked = source.snapshot.address().source.as_deref();
    let chosen = source.choose("source", asked, &counts, ["entities", "texts"])?;
    source.vectors(&[(nodes, "name_embedding"), (texts, "embedding")], draft);
    let of = |table: &Table| format!("{} = {}", table.text("source_id"), literal(&chosen));

    source.note(texts, draft);
    let query = format!(
        "SELECT {}, {}, {} FROM {} WHERE {} ORDER BY {}",
        texts.text("id"),
        texts.text("text"),
        texts.json("metadata"),
        texts.sql(),
        of(texts),
        texts.own("id"),
    );
    source.snapshot.rows(&query, &mut |row| {
        let title = match value(row.get(2)) {
            super::Loose::Record(about) => title(&about),
            _ => String::new(),
        };
        draft.unit(row.get(0), &title, row.get(1));
    })?;

    source.note(nodes, draft);
    source.note(places, draft);
    let query = format!(
        "SELECT n.{id}::text, {}, {}, {}, {}, \
         (SELECT pg_catalog.json_agg(c.{chunk}::text ORDER BY c.{chunk}::text COLLATE \"C\") FROM {} c \
         WHERE c.{node} = n.{id} AND c.{owner}::text = {})::text \
         FROM {} n WHERE {} ORDER BY {}, n.{id}::text COLLATE \"C\"",
        nodes.text("name"),
        nodes.text("normalized_name"),
        nodes.text("type"),
        nodes.text("description"),
        places.sql(),
        literal(&chosen),
        nodes.sql(),
        of(nodes),
        nodes.order("normalized_name"),
        id = nodes.own("id"),
        chunk = places.own("chunk_id"),
        node = places.own("node_id"),
        owner = places.own("source_id"),
    );
    source.snapshot.rows(&query, &mut |row| {
        let [id, name, plain, kind, description] = [0, 1, 2, 3, 4].map(|at| row.get(at));
        let name = if name.trim().is_empty() { plain } else { name };
        let units = value(row.get(5)).texts();
        draft.entity(
            id,
            name,
            kind,
            description,
            units.iter().map(String::as_str),
        );
    })?;

    source.note(edges, draft);
    let columns = [
        "src_node_id",
        "dst_node_id",
        "type",
        "description",
        "weight",
    ];
    let columns = columns.map(|name| edges.text(name)).join(", ");
    let order = ["src_node_id", "dst_node_id", "type", "id"];
    let query = format!(
        "SELECT {columns}, {} FROM {} WHERE {} ORDER BY {}",
        edges.json("source_chunk_ids"),
        edges.sql(),
        of(edges),
        order.map(|name| edges.order(name)).join(", "),
    );
    source.snapshot.rows(&query, &mut |row| {
        let [from, to, label, description, weight] = [0, 1, 2, 3, 4].map(|at| row.get(at));
        let units = value(row.get(5)).texts();
        let units = units.iter().map(String::as_str);
        draft.relation([from, to], label, description, plain::weight(weight), units);
    })?;
    Ok(format!("source {chosen}"))
}

/// The title of a text: that of its file, without the folders.
fn title(about: &Record) -> String {
    plain::stem(&about.first(&TITLES))
}
