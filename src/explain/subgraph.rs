//! What a run touched, as one graph: the seeds, the nodes and edges that its stages told, and the paths to the returned
//! passages. It answers how far a passage is from the seeds and is what other programs draw.

use crate::index::Index;
use crate::retrieve::Retrieval;
use crate::retrieve::explanation::{Explanation, Story};
use crate::retrieve::retrieval::Seeded;
use crate::text::escape_xml;
use petgraph::algo::{astar, dijkstra};
use petgraph::dot::Dot;
use petgraph::stable_graph::{NodeIndex, StableDiGraph};
use petgraph::unionfind::UnionFind;
use petgraph::visit::{EdgeRef, IntoEdgeReferences, NodeIndexable, UndirectedAdaptor};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// An item of the story.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Node {
    /// What kind of thing it is.
    pub kind: &'static str,
    /// In few words.
    pub label: String,
    /// Identifier of the passage it is or belongs to.
    pub passage: Option<String>,
    /// Its quantity in the last stage that told it.
    pub value: f64,
    /// Whether the run started from it.
    pub seed: bool,
    /// Of a returned passage, from 1.
    pub rank: Option<usize>,
    /// Edges of this graph to the nearest seed, as edges lead both ways.
    pub hops: Option<usize>,
    /// Items that edges join, whichever way, have one number.
    pub component: usize,
}

/// An edge that a stage told, a step of a path, or a node and a passage it stands for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Edge {
    /// What joins the two.
    pub kind: Cow<'static, str>,
    /// The greatest that a stage gave it; of a path, the mass that takes the path; of a node's passage, its share.
    pub value: f64,
    /// The evidence, in words.
    pub evidence: String,
}

/// Control characters are spaces: XML has none, and a terminal would act on them.
fn printable(text: &str) -> String {
    let odd = |c: char| c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}');
    text.chars().map(|c| if odd(c) { ' ' } else { c }).collect()
}

/// Items by their place in [`Story::items`]: those that were only cut have no node.
#[derive(Clone, Debug, Default)]
pub struct Subgraph {
    /// Items and the edges that the run crossed.
    pub graph: StableDiGraph<Node, Edge>,
}

impl Subgraph {
    /// `opened` are the returned passages, best first, with their scores opened. Nodes of their paths that no stage told
    /// become items of the story.
    pub fn new(
        index: &Arc<Index>,
        retrieval: &Retrieval,
        story: &mut Story,
        opened: &[(u32, Explanation)],
    ) -> Subgraph {
        let mut edges = Vec::new();
        if let Some(walk) = retrieval.walk() {
            let at = retrieval.at(index, walk.step);
            for path in opened.iter().flat_map(|(_, opened)| &opened.paths) {
                for (step, kept) in path.nodes.windows(2).zip(&path.kept) {
                    let (from, to) = (story.node(&at, step[0]), story.node(&at, step[1]));
                    let kind = walk.graph.source().edge_name(step[0], step[1]);
                    let evidence = format!("P {kept:.4}");
                    edges.push((
                        from,
                        to,
                        Edge {
                            kind,
                            value: path.mass,
                            evidence,
                        },
                    ));
                }
            }
        }
        edges.extend(standing(retrieval, story));
        let mut own = Subgraph::told(index, story);
        for (from, to, edge) in edges {
            own.join(from, to, edge);
        }
        for (at, (passage, _)) in opened.iter().enumerate() {
            if let Some(&place) = story.known.get(&(0, *passage))
                && let Some(node) = own.graph.node_weight_mut(NodeIndex::new(place))
            {
                node.rank = Some(at + 1);
            }
        }
        own.drop_untold(story);
        own.measure(&seeds(retrieval, story));
        own
    }

    /// Every item, and the edges of the stages.
    fn told(index: &Index, story: &Story) -> Subgraph {
        let mut own = Subgraph::default();
        for item in &story.items {
            own.graph.add_node(Node {
                kind: item.kind,
                label: printable(&item.label),
                passage: item.passage.map(|p| printable(index.id(p))),
                ..Node::default()
            });
        }
        for stage in &story.stages {
            for entry in &stage.nodes {
                own.graph[NodeIndex::new(entry.item)].value = entry.value;
            }
            for edge in &stage.edges {
                let evidence = printable(&edge.why);
                let (kind, value) = (edge.kind.clone(), edge.value);
                own.join(
                    edge.from,
                    edge.to,
                    Edge {
                        kind,
                        value,
                        evidence,
                    },
                );
            }
        }
        own
    }

    /// Adds an edge; of two of one kind the greater stays.
    fn join(&mut self, from: usize, to: usize, edge: Edge) {
        let (from, to) = (NodeIndex::new(from), NodeIndex::new(to));
        let mut all = self.graph.edges_connecting(from, to);
        match all
            .find(|known| known.weight().kind == edge.kind)
            .map(|known| known.id())
        {
            None => {
                self.graph.add_edge(from, to, edge);
            }
            Some(known) if self.graph[known].value < edge.value => self.graph[known] = edge,
            Some(_) => {}
        }
    }

    /// Takes out the items that no stage but a cut has.
    fn drop_untold(&mut self, story: &Story) {
        let mut told = vec![false; story.items.len()];
        let stages = story.stages.iter().flat_map(|stage| &stage.nodes);
        stages
            .chain(&story.seeds)
            .for_each(|entry| told[entry.item] = true);
        self.graph.retain_nodes(|graph, node| {
            told[node.index()] || graph.neighbors_undirected(node).next().is_some()
        });
    }

    /// Finds seeds, hops and components.
    fn measure(&mut self, seeds: &[usize]) {
        let mut sets = UnionFind::new(self.graph.node_bound());
        for edge in self.graph.edge_references() {
            sets.union(edge.source().index(), edge.target().index());
        }
        // One node before all seeds makes their many searches one.
        let root = self.graph.add_node(Node::default());
        for &seed in seeds {
            if let Some(node) = self.graph.node_weight_mut(NodeIndex::new(seed)) {
                node.seed = true;
                self.graph
                    .add_edge(root, NodeIndex::new(seed), Edge::default());
            }
        }
        let far = dijkstra(UndirectedAdaptor(&self.graph), root, None, |_| 1usize);
        self.graph.remove_node(root);
        let mut numbers: Vec<usize> = Vec::new();
        for place in self.graph.node_indices().collect::<Vec<_>>() {
            let set = sets.find(place.index());
            let known = numbers.iter().position(|&number| number == set);
            let node = &mut self.graph[place];
            node.hops = far.get(&place).map(|far| far - 1);
            node.component = known.unwrap_or(numbers.len());
            if known.is_none() {
                numbers.push(set);
            }
        }
    }

    /// How many pieces hang together.
    pub fn components(&self) -> usize {
        let numbers = self.graph.node_weights().map(|node| node.component);
        numbers.max().map_or(0, |last| last + 1)
    }

    /// A returned passage, by its rank from 1.
    pub fn returned(&self, rank: usize) -> Option<NodeIndex> {
        let mut all = self.graph.node_indices();
        all.find(|&node| self.graph[node].rank == Some(rank))
    }

    /// A shortest way from a seed to a node, as edges lead both ways.
    pub fn shortest(&self, node: NodeIndex) -> Option<Vec<NodeIndex>> {
        let both = UndirectedAdaptor(&self.graph);
        let seed = |node: NodeIndex| self.graph[node].seed;
        let (_, mut path) = astar(both, node, seed, |_| 1usize, |_| 0)?;
        path.reverse();
        Some(path)
    }

    /// As Graphviz reads it.
    pub fn dot(&self) -> String {
        let node = |_, (_, node): (NodeIndex, &Node)| {
            let shape = if node.rank.is_some() {
                "box"
            } else {
                "ellipse"
            };
            let style = if node.seed { "filled" } else { "solid" };
            let hops = node
                .hops
                .map_or(String::new(), |hops| format!(" hops={hops}"));
            format!(
                "kind=\"{}\" value={} component={}{hops} shape={shape} style={style} ",
                node.kind, node.value, node.component
            )
        };
        let edge = |_, edge: petgraph::stable_graph::EdgeReference<'_, Edge>| {
            format!("value={} ", edge.weight().value)
        };
        Dot::with_attr_getters(&self.graph, &[], &edge, &node).to_string()
    }

    /// As XML for Gephi, yEd, networkx and others. By hand: petgraph-graphml writes its keys in another order every time
    /// and numbers as strings.
    pub fn graphml(&self) -> String {
        let mut xml = Xml::default();
        xml.0
            .push_str("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        xml.0
            .push_str("<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n");
        for (element, name, of) in KEYS {
            let id = format!("{element}.{name}");
            let named = [
                ("id", &*id),
                ("for", element),
                ("attr.name", name),
                ("attr.type", of),
            ];
            xml.tag("key", &named, "/>");
        }
        xml.tag("graph", &[("edgedefault", "directed")], ">");
        for place in self.graph.node_indices() {
            let node = &self.graph[place];
            xml.tag("node", &[("id", &format!("n{}", place.index()))], ">");
            xml.data("node.kind", Some(node.kind));
            xml.data("node.label", Some(&node.label));
            xml.data("node.passage", node.passage.as_ref());
            xml.data("node.value", Some(node.value));
            xml.data("node.seed", Some(node.seed));
            xml.data("node.rank", node.rank);
            xml.data("node.hops", node.hops);
            xml.data("node.component", Some(node.component));
            xml.0.push_str("</node>\n");
        }
        for edge in self.graph.edge_references() {
            let end = |node: NodeIndex| format!("n{}", node.index());
            let ends = [
                ("source", &*end(edge.source())),
                ("target", &end(edge.target())),
            ];
            xml.tag("edge", &ends, ">");
            xml.data("edge.kind", Some(&*edge.weight().kind));
            xml.data("edge.value", Some(edge.weight().value));
            xml.data("edge.evidence", Some(&edge.weight().evidence));
            xml.0.push_str("</edge>\n");
        }
        xml.0.push_str("</graph>\n</graphml>\n");
        xml.0
    }
}

/// The attributes of both elements, and their types.
const KEYS: [(&str, &str, &str); 11] = [
    ("node", "kind", "string"),
    ("node", "label", "string"),
    ("node", "passage", "string"),
    ("node", "value", "double"),
    ("node", "seed", "boolean"),
    ("node", "rank", "int"),
    ("node", "hops", "int"),
    ("node", "component", "int"),
    ("edge", "kind", "string"),
    ("edge", "value", "double"),
    ("edge", "evidence", "string"),
];

#[derive(Default)]
struct Xml(String);

impl Xml {
    fn tag(&mut self, name: &str, attributes: &[(&str, &str)], end: &str) {
        self.0 += "<";
        self.0 += name;
        for (name, value) in attributes {
            self.0 += &format!(" {name}=\"{value}\"");
        }
        self.0 += end;
        self.0.push('\n');
    }

    fn data(&mut self, key: &str, value: Option<impl fmt::Display>) {
        let Some(value) = value else { return };
        let value = escape_xml(&value.to_string());
        self.0 += &format!("  <data key=\"{key}\">{value}</data>\n");
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.label)
    }
}

impl fmt::Display for Edge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.kind)?;
        match self.evidence.is_empty() {
            true => Ok(()),
            false => write!(f, "\n{}", self.evidence),
        }
    }
}

/// One line: how large it is, and how far the returned passages are from the seeds.
impl fmt::Display for Subgraph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (nodes, edges) = (self.graph.node_count(), self.graph.edge_count());
        write!(
            f,
            "{nodes} items, {edges} edges, {} components",
            self.components()
        )?;
        let returned = self.graph.node_weights().filter(|node| node.rank.is_some());
        let hops: Vec<Option<usize>> = returned.map(|node| node.hops).collect();
        let near = hops.iter().flatten();
        if let (Some(least), Some(most)) = (near.clone().min(), near.clone().max()) {
            let (reached, all) = (near.count(), hops.len());
            let far = match least == most {
                true => least.to_string(),
                false => format!("{least} to {most}"),
            };
            write!(f, "; {reached} of {all} passages {far} hops from a seed")?;
        }
        Ok(())
    }
}

/// Edges from the told nodes to the told passages that they stand for.
fn standing(retrieval: &Retrieval, story: &Story) -> Vec<(usize, usize, Edge)> {
    let mut known: Vec<_> = story.known.iter().collect();
    known.sort_unstable();
    let graphs = retrieval
        .records
        .iter()
        .filter_map(|record| record.graph.as_ref());
    let mut edges = Vec::new();
    let mut done = Vec::new();
    for graph in graphs {
        if done.contains(&graph.id) {
            continue;
        }
        done.push(graph.id);
        for ((_, node), from) in known.iter().filter(|((id, _), _)| *id == graph.id) {
            for passage in graph.passages_of(*node).iter() {
                if let Some(to) = story.known.get(&(0, *passage)) {
                    let (kind, value) = ("passage".into(), graph.share(*node));
                    let evidence = String::new();
                    edges.push((
                        **from,
                        *to,
                        Edge {
                            kind,
                            value,
                            evidence,
                        },
                    ));
                }
            }
        }
    }
    edges
}

/// The places of the told seeds: what restarts walks, else what the plan starts from.
fn seeds(retrieval: &Retrieval, story: &Story) -> Vec<usize> {
    let mut seeds: Vec<usize> = story.seeds.iter().map(|entry| entry.item).collect();
    for record in &retrieval.records {
        let (Some(graph), Some(seeded)) = (&record.graph, record.output.get::<Seeded>()) else {
            continue;
        };
        let place = |node: u32| {
            let id = match graph.is_of_passages() && graph.is_passage(node) {
                true => 0,
                false => graph.id,
            };
            story.known.get(&(id, node)).copied()
        };
        seeds.extend(seeded.seeds.iter().filter_map(|seed| place(seed.node)));
    }
    seeds.sort_unstable();
    seeds.dedup();
    seeds
}

#[cfg(test)]
#[path = "subgraph_tests.rs"]
mod tests;
