//! GEXF 1.3, whose time is the steps of the spread.

use super::xml::{Xml, type_of};
use super::{Field, edges, nodes, of_edge, of_graph, of_node};
use crate::explain::Subgraph;
use crate::explain::subgraph::{Edge, Node};

/// What a node holds at a step, and what moved over an edge on the way to it.
const HELD: &str = "score_at_step";
const MOVED: &str = "mass_at_step";

/// A directed graph. A node is there from the first step that gives it something; step 2 lasts from 2 to 3.
pub fn write(graph: &Subgraph) -> String {
    let mut xml = Xml::new();
    let space = ("xmlns", "http://gexf.net/1.3");
    xml.open("gexf", &[space, ("version", "1.3")]);
    xml.open("meta", &[]);
    xml.text("creator", &[], &graph.about.program);
    let about = of_graph(&graph.about);
    let mut lines: Vec<String> = about
        .iter()
        .map(|(name, value)| format!("{name}: {value}"))
        .collect();
    let steps = graph.steps.iter().enumerate();
    lines.extend(steps.map(|(step, name)| format!("time {step}: {name}")));
    xml.text("description", &[], &lines.join("\n"));
    xml.close();
    let directed = ("defaultedgetype", "directed");
    let end = graph.steps.len().to_string();
    match graph.steps.is_empty() {
        true => xml.open("graph", &[("mode", "static"), directed]),
        false => {
            let time = [("timeformat", "integer"), ("start", "0"), ("end", &*end)];
            let mut named = vec![("mode", "dynamic"), directed];
            named.extend(time);
            xml.open("graph", &named);
        }
    }
    declare(&mut xml, "node", &of_node(&Node::default()), HELD);
    declare(&mut xml, "edge", &of_edge(&Edge::default()), MOVED);
    xml.open("nodes", &[]);
    for (number, node) in nodes(graph) {
        let id = number.to_string();
        xml.open("node", &[("id", &id), ("label", &node.label)]);
        let spans = spans(&node.at);
        if !spans.is_empty() {
            xml.open("spells", &[]);
            for (start, end) in &spans {
                xml.empty("spell", &[("start", start), ("end", end)]);
            }
            xml.close();
        }
        values(&mut xml, &of_node(node), HELD, &node.at);
        xml.close();
    }
    xml.close();
    xml.open("edges", &[]);
    for (number, (from, to, edge)) in edges(graph).enumerate() {
        let [id, from, to] = [number, from, to].map(|number| number.to_string());
        let fields = of_edge(edge);
        let text = |name: &str| {
            let field = fields.iter().find(|(known, _)| *known == name);
            field
                .and_then(|(_, field)| field.text())
                .unwrap_or_default()
        };
        // Edges between the same two nodes differ in their kind.
        let (kind, weight) = (text("kind"), text("weight"));
        let named = [
            ("id", &*id),
            ("source", &from),
            ("target", &to),
            ("label", &kind),
            ("kind", &kind),
            ("weight", &weight),
        ];
        xml.open("edge", &named);
        values(&mut xml, &fields, MOVED, &edge.moved);
        xml.close();
    }
    xml.done()
}

/// Fields that are written on the tag itself.
const ON_TAGS: [&str; 2] = ["label", "weight"];

fn declare(xml: &mut Xml, class: &str, fields: &[(&str, Field<'_>)], at_step: &str) {
    xml.open("attributes", &[("class", class), ("mode", "static")]);
    for (name, field) in fields.iter().filter(|(name, _)| !ON_TAGS.contains(name)) {
        let kind = type_of(field, "integer");
        xml.empty(
            "attribute",
            &[("id", name), ("title", name), ("type", kind)],
        );
    }
    xml.close();
    xml.open("attributes", &[("class", class), ("mode", "dynamic")]);
    let named = [("id", at_step), ("title", at_step), ("type", "double")];
    xml.empty("attribute", &named);
    xml.close();
}

fn values(xml: &mut Xml, fields: &[(&str, Field<'_>)], at_step: &str, at: &[f64]) {
    xml.open("attvalues", &[]);
    for (name, field) in fields.iter().filter(|(name, _)| !ON_TAGS.contains(name)) {
        if let Some(text) = field.text() {
            xml.empty("attvalue", &[("for", name), ("value", &text)]);
        }
    }
    for (step, value) in at.iter().enumerate().filter(|(_, value)| value.is_finite()) {
        let (value, [start, end]) = (value.to_string(), [step, step + 1].map(|at| at.to_string()));
        let named = [
            ("for", at_step),
            ("value", &*value),
            ("start", &start),
            ("end", &end),
        ];
        xml.empty("attvalue", &named);
    }
    xml.close();
}

/// The times at which there is something, from when to when.
fn spans(at: &[f64]) -> Vec<(String, String)> {
    let mut spans: Vec<(usize, usize)> = Vec::new();
    for (step, _) in at.iter().enumerate().filter(|(_, value)| **value != 0.0) {
        match spans.last_mut() {
            Some((_, end)) if *end == step => *end = step + 1,
            _ => spans.push((step, step + 1)),
        }
    }
    spans
        .into_iter()
        .map(|(start, end)| (start.to_string(), end.to_string()))
        .collect()
}
