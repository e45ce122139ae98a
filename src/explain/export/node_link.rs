//! Node-link JSON, as networkx reads and writes it.

use super::{Field, edges, nodes, of_edge, of_graph, of_node};
use crate::explain::Subgraph;
use serde_json::{Map, Value, json};

/// Lines of JSON.
pub fn write(graph: &Subgraph) -> String {
    serde_json::to_string_pretty(&value(graph)).unwrap_or_default() + "\n"
}

/// A directed multigraph, what it is of behind what readers know it by. Its edges are `edges`, as newer versions of networkx expect; older ones are told so with
/// `edges="edges"`.
pub fn value(graph: &Subgraph) -> Value {
    let node = |(number, node)| {
        let mut object = Map::from_iter([("id".to_owned(), json!(number))]);
        object.extend(set(&of_node(node)));
        if !node.at.is_empty() {
            object.insert("score_at_step".to_owned(), json!(node.at));
        }
        Value::Object(object)
    };
    let edge = |(from, to, edge)| {
        let ends = [("source", from), ("target", to)];
        let mut object: Map<String, Value> = (ends
            .iter()
            .map(|(name, end)| ((*name).to_owned(), json!(end))))
        .collect();
        object.extend(set(&of_edge(edge)));
        if !edge.moved.is_empty() {
            object.insert("mass_at_step".to_owned(), json!(edge.moved));
        }
        Value::Object(object)
    };
    let mut about = Map::new();
    for (name, value) in of_graph(&graph.about) {
        about.insert(name.to_owned(), value.into());
    }
    let settings = graph.about.settings.iter();
    let settings = settings.map(|(name, value)| ((*name).to_owned(), value.clone()));
    about.insert("settings".to_owned(), Value::Object(settings.collect()));
    about.insert("edits".to_owned(), json!(graph.about.edits));
    about.insert("steps".to_owned(), json!(graph.steps));
    json!({
        "directed": true,
        "multigraph": true,
        "nodes": nodes(graph).map(node).collect::<Vec<_>>(),
        "edges": edges(graph).map(edge).collect::<Vec<_>>(),
        "graph": about,
    })
}

/// The fields that have a value.
fn set(fields: &[(&'static str, Field<'_>)]) -> Map<String, Value> {
    let value = |field: &Field<'_>| match field {
        Field::Text(text) => text.map(Value::from),
        Field::Number(value) => value
            .and_then(serde_json::Number::from_f64)
            .map(Value::from),
        Field::Count(value) => value.map(Value::from),
        Field::Flag(value) => Some((*value).into()),
    };
    let all = fields.iter();
    all.filter_map(|(name, field)| Some(((*name).to_owned(), value(field)?)))
        .collect()
}
