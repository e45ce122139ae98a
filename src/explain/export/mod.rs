//! The traced graph as a file of other programs: one list of formats, one file a format, all written from one
//! [`Subgraph`].

mod dot;
mod gexf;
mod graphml;
mod html;
mod node_link;
mod xml;

#[cfg(test)]
mod tests;

use super::subgraph::{About, Edge, Node, Subgraph};
use crate::output::show;
use crate::text::plural;
use petgraph::stable_graph::{EdgeReference, NodeIndex};
use petgraph::visit::{EdgeRef, IntoEdgeReferences};
use serde_json::Value;
use std::borrow::Cow;

/// A format of the traced graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Graphviz.
    Dot,
    /// XML for Gephi, yEd, igraph and networkx.
    Graphml,
    /// XML for Gephi, with the steps of the spread as time.
    Gexf,
    /// JSON of networkx and of pages that draw graphs.
    NodeLink,
    /// A page of its own.
    Html,
}

impl Format {
    /// All formats, in the order to list them.
    pub const ALL: [Format; 5] = [
        Format::Dot,
        Format::Graphml,
        Format::Gexf,
        Format::NodeLink,
        Format::Html,
    ];

    /// Name in commands.
    pub const fn name(self) -> &'static str {
        match self {
            Format::Dot => "dot",
            Format::Graphml => "graphml",
            Format::Gexf => "gexf",
            Format::NodeLink => "node-link",
            Format::Html => "html",
        }
    }

    /// Ending of its files, without the dot.
    pub const fn ending(self) -> &'static str {
        match self {
            Format::Dot => "dot",
            Format::Graphml => "graphml",
            Format::Gexf => "gexf",
            Format::NodeLink => "json",
            Format::Html => "html",
        }
    }

    /// Who reads it, for lists.
    pub const fn about(self) -> &'static str {
        match self {
            Format::Dot => "Graphviz",
            Format::Graphml => "Gephi, yEd, igraph, networkx",
            Format::Gexf => "Gephi, steps as time",
            Format::NodeLink => "JSON of networkx and D3",
            Format::Html => "one page for a browser",
        }
    }

    /// The text of a file. The same graph gives the same bytes.
    pub fn write(self, graph: &Subgraph) -> String {
        let graph = cleaned(graph);
        match self {
            Format::Dot => dot::write(&graph),
            Format::Graphml => graphml::write(&graph),
            Format::Gexf => gexf::write(&graph),
            Format::NodeLink => node_link::write(&graph),
            Format::Html => html::write(&graph),
        }
    }
}

/// A text on one line, without what a terminal or a page would act on or XML cannot hold.
fn clean(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\u{fffe}' | '\u{ffff}' => clean.push('\u{fffd}'),
            '\u{2028}' | '\u{2029}' => clean.push(' '),
            c => show(c, &mut clean),
        }
    }
    clean
}

/// The same graph with every text of it clean, and no zero below zero.
fn cleaned(graph: &Subgraph) -> Subgraph {
    let mut own = graph.clone();
    let plus = |value: &mut f64| *value += 0.0;
    for node in own.graph.node_weights_mut() {
        node.at.iter_mut().for_each(plus);
        node.label = clean(&node.label);
        node.passage = node.passage.as_deref().map(clean);
        for part in &mut node.parts {
            part.label = clean(&part.label);
            part.why = clean(&part.why);
        }
    }
    for edge in own.graph.edge_weights_mut() {
        edge.moved.iter_mut().for_each(plus);
        edge.kind = Cow::Owned(clean(&edge.kind));
        edge.evidence = clean(&edge.evidence);
    }
    let about = &mut own.about;
    let texts = [
        &mut about.index,
        &mut about.question,
        &mut about.method,
        &mut about.run,
    ];
    for text in texts.into_iter().chain(&mut about.edits) {
        *text = clean(text);
    }
    for (_, value) in &mut about.settings {
        if let Value::String(text) = value {
            *text = clean(text);
        }
    }
    own
}

/// A value of a node or an edge, with its type. One that a node lacks is not written.
#[derive(Clone, Debug, PartialEq)]
enum Field<'a> {
    Text(Option<&'a str>),
    Number(Option<f64>),
    Count(Option<usize>),
    Flag(bool),
}

impl Field<'_> {
    /// The value as text, where there is one.
    fn text(&self) -> Option<Cow<'_, str>> {
        match self {
            Field::Text(text) => text.map(Cow::Borrowed),
            Field::Number(value) => value.map(|value| value.to_string().into()),
            Field::Count(value) => value.map(|value| value.to_string().into()),
            Field::Flag(value) => Some(value.to_string().into()),
        }
    }
}

/// A number as files have it: none that is not finite, and no zero below zero.
fn number<'a>(value: Option<f64>) -> Field<'a> {
    let value = value.filter(|value| value.is_finite());
    Field::Number(value.map(|value| value + 0.0))
}

/// What files say of a node beside its number.
fn of_node(node: &Node) -> [(&'static str, Field<'_>); 11] {
    [
        ("label", Field::Text(Some(&node.label))),
        ("kind", Field::Text(Some(node.kind))),
        ("passage_id", Field::Text(node.passage.as_deref())),
        ("score", number(Some(node.value))),
        ("seed", Field::Flag(node.seed)),
        ("seed_share", number(node.share)),
        ("returned", Field::Flag(node.rank.is_some())),
        ("rank", Field::Count(node.rank)),
        ("gold", Field::Flag(node.gold)),
        ("hops", Field::Count(node.hops)),
        ("component", Field::Count(Some(node.component))),
    ]
}

/// What files say of an edge beside its ends.
fn of_edge(edge: &Edge) -> [(&'static str, Field<'_>); 4] {
    let evidence = Some(&*edge.evidence).filter(|text| !text.is_empty());
    [
        ("kind", Field::Text(Some(&edge.kind))),
        ("weight", number(Some(edge.weight()))),
        ("mass", number(edge.mass())),
        ("evidence", Field::Text(evidence)),
    ]
}

/// What files say of the whole: what it is of, by name.
fn of_graph(about: &About) -> Vec<(&'static str, String)> {
    let mut rows = vec![
        ("program", about.program.clone()),
        ("index", about.index.clone()),
        ("fingerprint", about.fingerprint.clone()),
        ("question", about.question.clone()),
        ("method", about.method.clone()),
        ("run", about.run.clone()),
        ("settings", settings(about)),
    ];
    if !about.edits.is_empty() {
        rows.push(("edits", about.edits.join("; ")));
    }
    rows
}

/// Every parameter with its value.
fn settings(about: &About) -> String {
    let one = |(name, value): &(&str, Value)| match value {
        Value::String(text) => format!("{name}={text}"),
        value => format!("{name}={value}"),
    };
    about.settings.iter().map(one).collect::<Vec<_>>().join(" ")
}

/// Nodes with their numbers, ascending.
fn nodes(graph: &Subgraph) -> impl Iterator<Item = (usize, &Node)> {
    let places = graph.graph.node_indices();
    places.map(|place: NodeIndex| (place.index(), &graph.graph[place]))
}

/// Edges with the numbers of their ends.
fn edges(graph: &Subgraph) -> impl Iterator<Item = (usize, usize, &Edge)> {
    let all = graph.graph.edge_references();
    all.map(|edge: EdgeReference<'_, Edge>| {
        (edge.source().index(), edge.target().index(), edge.weight())
    })
}

/// How large a graph is, in words.
fn size(graph: &Subgraph) -> String {
    let (nodes, edges) = (graph.graph.node_count(), graph.graph.edge_count());
    format!("{}, {}", plural(nodes, "node"), plural(edges, "edge"))
}
