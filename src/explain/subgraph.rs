//! What a run touched, as one graph: the seeds, the nodes and edges that its stages told, and the paths to the returned
//! passages. It answers how far a passage is from the seeds and is what other programs draw.

use super::neighbours::leaving;
use crate::index::Index;
use crate::layers::{Graph, Node as Place};
use crate::retrieve::Retrieval;
use crate::retrieve::explanation::{Explanation, Part, Stage, Story};
use crate::retrieve::masses::Masses;
use crate::retrieve::retrieval::{Seeded, Walked};
use petgraph::algo::{astar, dijkstra};
use petgraph::stable_graph::{NodeIndex, StableDiGraph};
use petgraph::unionfind::UnionFind;
use petgraph::visit::{EdgeRef, IntoEdgeReferences, NodeIndexable, UndirectedAdaptor};
use rustc_hash::FxHashMap;
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// Most parts of a passage's score that its node carries.
const PARTS: usize = 12;

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
    /// Of a walk's seed: its share of the restart distribution.
    pub share: Option<f64>,
    /// Of a returned passage, from 1.
    pub rank: Option<usize>,
    /// Whether the question's set judges it relevant.
    pub gold: bool,
    /// Of a returned passage: the largest parts of its score.
    pub parts: Vec<Part>,
    /// Its quantity at every step of [`Subgraph::steps`]; empty where no step has it.
    pub at: Vec<f64>,
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
    /// Of an edge of the walked graph: its weight there.
    pub weight: Option<f64>,
    /// Of such an edge: the mass that moved over it on the way to every step of [`Subgraph::steps`].
    pub moved: Vec<f64>,
}

impl Edge {
    /// Its weight in the graph; of an edge that is in none, what the stage gave it.
    pub fn weight(&self) -> f64 {
        self.weight.unwrap_or(self.value)
    }

    /// The most mass that it moved on the way to one step.
    pub fn mass(&self) -> Option<f64> {
        self.moved.iter().copied().reduce(f64::max)
    }
}

/// What a graph is of: enough to run it again.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct About {
    /// The program and its version.
    pub program: String,
    /// The name of the index.
    pub index: String,
    /// [`Index::fingerprint`].
    pub fingerprint: String,
    /// As it was asked.
    pub question: String,
    /// The name of the method.
    pub method: String,
    /// The run in one word, as `--method` takes it.
    pub run: String,
    /// Every parameter that the method reads, with its value.
    pub settings: Vec<(&'static str, Value)>,
    /// Changes of the seeds and of the graph.
    pub edits: Vec<String>,
}

impl About {
    /// Of a run.
    pub fn of(index: &Index, retrieval: &Retrieval) -> About {
        let settings = &retrieval.settings;
        let method = settings.method();
        let own = settings.without_preset().changed();
        let words = std::iter::once(method.name.to_string()).chain(own);
        let values = method.uses().into_iter();
        let seeds = settings.seed_edits().iter().map(ToString::to_string);
        let graph = settings.graph_edits().iter().map(ToString::to_string);
        About {
            program: concat!("hopscope ", env!("CARGO_PKG_VERSION")).to_owned(),
            index: index.name().to_owned(),
            fingerprint: index.fingerprint().to_owned(),
            question: retrieval.question.clone(),
            method: method.name.to_string(),
            run: words.collect::<Vec<_>>().join("@"),
            settings: values
                .map(|p| (p.id(), p.json(settings.value(p)).into()))
                .collect(),
            edits: seeds.chain(graph).collect(),
        }
    }
}

/// Items by their place in [`Story::items`]: those that were only cut have no node.
#[derive(Clone, Debug, Default)]
pub struct Subgraph {
    /// Items and the edges that the run crossed.
    pub graph: StableDiGraph<Node, Edge>,
    /// What it is of.
    pub about: About,
    /// The steps of the spread, by name: the states of the walk, else the stages of a plan without one.
    pub steps: Vec<String>,
}

impl Subgraph {
    /// `opened` are the returned passages, best first, with their scores opened; `gold` those judged relevant. Nodes of
    /// paths that no stage told become items of the story.
    pub fn new(
        index: &Arc<Index>,
        retrieval: &Retrieval,
        story: &mut Story,
        opened: &[(u32, Explanation)],
        gold: &[u32],
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
                            ..Edge::default()
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
        own.about = About::of(index, retrieval);
        let place = |passage: u32| story.known.get(&(0, passage)).copied();
        for (at, (passage, opened)) in opened.iter().enumerate() {
            if let Some(node) = own.node(place(*passage)) {
                node.rank = Some(at + 1);
                node.parts = opened.parts.iter().take(PARTS).cloned().collect();
            }
        }
        for passage in gold {
            if let Some(node) = own.node(place(*passage)) {
                node.gold = true;
            }
        }
        own.drop_untold(story);
        match retrieval.walk() {
            Some(walk) => own.walked(&walk, story),
            None => own.staged(story),
        }
        own.measure(&seeds(retrieval, story));
        own
    }

    /// The node of an item.
    fn node(&mut self, item: Option<usize>) -> Option<&mut Node> {
        self.graph.node_weight_mut(NodeIndex::new(item?))
    }

    /// What the walk held and moved, step by step, with the weights of its graph and the shares of its seeds.
    fn walked(&mut self, walk: &Walked<'_>, story: &Story) {
        let (graph, states) = (walk.graph, &walk.spread.states);
        let pushes = walk.spread.diffusion.pushes();
        let last = states.len().saturating_sub(1);
        let name = |step: usize| match (step, pushes) {
            (step, true) if step == last => "end of the push".to_owned(),
            (step, true) => format!("snapshot {}", step + 1),
            (0, false) => "seeds".to_owned(),
            (step, false) => format!("step {step}"),
        };
        self.steps = (0..states.len()).map(name).collect();
        let items = places(graph, story);
        for (&item, &place) in &items {
            let shares = match place {
                (true, passage) => {
                    let nodes = graph.nodes_of(passage);
                    nodes.iter().map(|n| (*n, graph.share(*n))).collect()
                }
                (false, node) => vec![(node, 1.0)],
            };
            let held = |state: &Masses| -> f64 {
                let parts = shares.iter();
                parts
                    .map(|(node, share)| share * f64::from(state[*node as usize]))
                    .sum()
            };
            let at = states.iter().map(held).collect();
            if let Some(node) = self.node(Some(item)) {
                node.at = at;
            }
        }
        self.join_alone(walk, &items);
        // A passage that stands for itself is a node of the graph.
        let own = |item: NodeIndex| match items.get(&item.index())? {
            (true, passage) => graph.is_of_passages().then_some(*passage),
            (false, node) => Some(*node),
        };
        for edge in self.graph.edge_indices().collect::<Vec<_>>() {
            let Some((from, to)) = self.graph.edge_endpoints(edge) else {
                continue;
            };
            if let (Some(from), Some(to)) = (own(from), own(to))
                && let Some(weight) = weight(graph, from, to)
                && self.graph[edge].kind == graph.source().edge_name(from, to)
            {
                let sent = |step| leaving(walk.spread, Some(step), from);
                let odds = graph.probability(from, to);
                let edge = &mut self.graph[edge];
                edge.weight = Some(weight);
                edge.moved = (0..states.len()).map(|step| odds * sent(step)).collect();
            }
        }
        let seeds: FxHashMap<Place, f64> =
            (walk.seeds().iter().map(|s| (s.node, s.weight))).collect();
        for item in self.graph.node_indices().collect::<Vec<_>>() {
            self.graph[item].share = own(item).and_then(|node| seeds.get(&node).copied());
        }
    }

    /// Joins a node that no edge reaches to the told node that sent it most: stages tell their largest flows alone.
    fn join_alone(&mut self, walk: &Walked<'_>, items: &FxHashMap<usize, (bool, u32)>) {
        let (graph, spread) = (walk.graph, walk.spread);
        let nodes = items.iter().filter_map(|(&item, &(is_passage, number))| {
            let is_node = !is_passage || graph.is_of_passages();
            let told = self.graph.contains_node(NodeIndex::new(item));
            (is_node && told).then_some((number, NodeIndex::new(item)))
        });
        let told: FxHashMap<Place, NodeIndex> = nodes.collect();
        let mut alone: Vec<(NodeIndex, Place)> =
            told.iter().map(|(&at, &item)| (item, at)).collect();
        alone.retain(|(item, _)| self.graph.neighbors_undirected(*item).next().is_none());
        alone.sort_unstable();
        for (item, node) in alone {
            let sent = |from: Place| {
                let odds = graph.probability(from, node);
                let steps = 0..spread.states.len();
                let moved = steps.map(|step| odds * leaving(spread, Some(step), from));
                moved.fold(0.0, f64::max)
            };
            let senders = graph.neighbours(node).map(|(from, _)| from);
            let senders = senders.filter(|from| *from != node && told.contains_key(from));
            let most = senders
                .map(|from| (sent(from), from))
                .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
            if let Some((value, from)) = most.filter(|(value, _)| *value > 0.0) {
                let edge = Edge {
                    kind: graph.source().edge_name(from, node),
                    value,
                    evidence: format!("P {:.4}", graph.probability(from, node)),
                    ..Edge::default()
                };
                self.join(told[&from].index(), item.index(), edge);
            }
        }
    }

    /// What the stages gave, of a plan without a walk.
    fn staged(&mut self, story: &Story) {
        let steps: Vec<&Stage> = story.timeline.iter().map(|at| &story.stages[*at]).collect();
        self.steps = steps.iter().map(|stage| stage.name.to_owned()).collect();
        for (step, stage) in steps.iter().enumerate() {
            for entry in &stage.nodes {
                if let Some(node) = self.node(Some(entry.item)) {
                    node.at.resize(steps.len(), 0.0);
                    node.at[step] = entry.value;
                }
            }
        }
    }

    /// Every item, and the edges of the stages.
    fn told(index: &Index, story: &Story) -> Subgraph {
        let mut own = Subgraph::default();
        for item in &story.items {
            own.graph.add_node(Node {
                kind: item.kind,
                label: item.label.clone(),
                passage: item.passage.map(|p| index.id(p).to_owned()),
                ..Node::default()
            });
        }
        for stage in &story.stages {
            for entry in &stage.nodes {
                own.graph[NodeIndex::new(entry.item)].value = entry.value;
            }
            for edge in &stage.edges {
                let evidence = edge.why.clone();
                let (kind, value) = (edge.kind.clone(), edge.value);
                own.join(
                    edge.from,
                    edge.to,
                    Edge {
                        kind,
                        value,
                        evidence,
                        ..Edge::default()
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
                            ..Edge::default()
                        },
                    ));
                }
            }
        }
    }
    edges
}

/// Items by what the graph knows of them: whether it is a passage, and its number or that of the node.
fn places(graph: &Graph, story: &Story) -> FxHashMap<usize, (bool, u32)> {
    let known = story.known.iter();
    let known = known.filter_map(|(&(id, number), &item)| match id {
        0 => Some((item, (true, number))),
        id => (id == graph.id).then_some((item, (false, number))),
    });
    known.collect()
}

/// The weight of an edge, found from the end that has fewer.
fn weight(graph: &Graph, a: Place, b: Place) -> Option<f64> {
    let (few, other) = match graph.degree(a) <= graph.degree(b) {
        true => (a, b),
        false => (b, a),
    };
    let mut all = graph.neighbours(few);
    all.find(|(node, _)| *node == other)
        .map(|(_, weight)| weight.into())
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
