//! GraphML.

use super::xml::{Xml, type_of};
use super::{Field, edges, nodes, of_edge, of_graph, of_node};
use crate::explain::Subgraph;
use crate::explain::subgraph::{Edge, Node};

/// A directed graph whose keys are named as the fields; what it is of are attributes of the graph.
pub fn write(graph: &Subgraph) -> String {
    let mut xml = Xml::new();
    let space = ("xmlns", "http://graphml.graphdrawing.org/xmlns");
    xml.open("graphml", &[space]);
    let about = of_graph(&graph.about);
    for (name, _) in &about {
        key(&mut xml, "graph", name, "string");
    }
    for (name, field) in of_node(&Node::default()) {
        key(&mut xml, "node", name, type_of(&field, "int"));
    }
    for (name, field) in of_edge(&Edge::default()) {
        key(&mut xml, "edge", name, type_of(&field, "int"));
    }
    xml.open("graph", &[("edgedefault", "directed")]);
    for (name, value) in &about {
        xml.text("data", &[("key", &id("graph", name))], value);
    }
    for (number, node) in nodes(graph) {
        xml.open("node", &[("id", &format!("n{number}"))]);
        data(&mut xml, "node", &of_node(node));
        xml.close();
    }
    for (from, to, edge) in edges(graph) {
        let (from, to) = (format!("n{from}"), format!("n{to}"));
        xml.open("edge", &[("source", &from), ("target", &to)]);
        data(&mut xml, "edge", &of_edge(edge));
        xml.close();
    }
    xml.done()
}

/// Names of keys are unique in a file; those of attributes within nodes or edges.
fn id(of: &str, name: &str) -> String {
    format!("{of}.{name}")
}

fn key(xml: &mut Xml, of: &str, name: &str, kind: &str) {
    let id = id(of, name);
    let named = [
        ("id", &*id),
        ("for", of),
        ("attr.name", name),
        ("attr.type", kind),
    ];
    xml.empty("key", &named);
}

fn data(xml: &mut Xml, of: &str, fields: &[(&str, Field<'_>)]) {
    for (name, field) in fields {
        if let Some(text) = field.text() {
            xml.text("data", &[("key", &id(of, name))], &text);
        }
    }
}
