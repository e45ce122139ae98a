//! DOT, the language of Graphviz.

use super::{Field, edges, nodes, of_edge, of_graph, of_node};
use crate::explain::Subgraph;

/// A digraph: seeds filled, returned passages in boxes, gold with two lines around.
pub fn write(graph: &Subgraph) -> String {
    let mut text = "digraph {\n".to_owned();
    let about = of_graph(&graph.about);
    let about = about.iter().map(|(name, value)| (*name, quoted(value)));
    line(&mut text, "graph", about);
    for (number, node) in nodes(graph) {
        let shape = match node.rank {
            Some(_) => "box",
            None => "ellipse",
        };
        let looks = [
            ("shape", Some(shape)),
            ("style", node.seed.then_some("filled")),
            ("peripheries", node.gold.then_some("2")),
        ];
        let looks = looks
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?.to_owned())));
        let fields = of_node(node);
        line(&mut text, &number.to_string(), set(&fields).chain(looks));
    }
    for (from, to, edge) in edges(graph) {
        let fields = of_edge(edge);
        let label = std::iter::once(("label", quoted(&edge.kind)));
        line(
            &mut text,
            &format!("{from} -> {to}"),
            label.chain(set(&fields)),
        );
    }
    text + "}\n"
}

/// One statement.
fn line<'a>(text: &mut String, of: &str, all: impl Iterator<Item = (&'a str, String)>) {
    let all: Vec<String> = all.map(|(name, value)| format!("{name}={value}")).collect();
    *text += &format!("  {of} [{}];\n", all.join(", "));
}

/// The fields that have a value, as DOT writes it.
fn set<'a>(
    fields: &'a [(&'static str, Field<'_>)],
) -> impl Iterator<Item = (&'static str, String)> + 'a {
    fields.iter().filter_map(|(name, field)| {
        let text = field.text()?;
        Some(match field {
            Field::Text(_) => (*name, quoted(&text)),
            _ => (*name, text.into_owned()),
        })
    })
}

/// A string of DOT: what is an escape there stands for itself.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
