//! A graph that any walk can run on: nodes of any kinds, and which passages each stands for.

use super::graphs;
use crate::graph::Transition;
use crate::index::Index;
use crate::retrieve::compose::Graph;
use crate::retrieve::{GraphView, RetrieveError, Settings};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// A name of the question in a graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    /// As written in the question.
    pub surface: String,
    /// Nodes of this name; none where the graph has no such name. A node belongs to the first name that finds it.
    pub nodes: Vec<u32>,
}

/// The nodes of a graph, as their system knows them.
pub trait Nodes: Send + Sync {
    fn transition(&self) -> &Transition;

    fn kind(&self, node: u32) -> &'static str;

    /// A node in few words.
    fn label<'a>(&'a self, index: &'a Index, node: u32) -> Cow<'a, str>;

    /// What joins two neighbours, in a word or two.
    fn joined(&self, a: u32, b: u32) -> &'static str;

    /// The passages a node stands for. A node of none, as a name is, only passes score on.
    fn passages(&self, node: u32) -> Cow<'_, [u32]>;

    /// How common a node is: a name seed weighs `df^-q`. Its neighbours, where the graph does not know better.
    fn df(&self, node: u32) -> u32 {
        self.transition().degree(node as usize) as u32
    }

    /// The names of a question by the graph's own rule.
    fn names(&self, _index: &Index, _question: &str, _settings: &Settings) -> Vec<Named> {
        Vec::new()
    }

    /// The nodes nearest to a question's vector with their cosines, nearest first.
    ///
    /// # Errors
    /// Vectors of another encoder.
    fn nearest(
        &self,
        _index: &Index,
        _vector: &[f32],
        _k: usize,
    ) -> Result<Vec<(u32, f32)>, RetrieveError> {
        Ok(Vec::new())
    }
}

/// Lists by number, end to end.
#[derive(Default)]
struct Lists {
    ends: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    fn get(&self, at: usize) -> &[u32] {
        let end = |at: usize| self.ends.get(at).map_or(0, |&end| end as usize);
        let start = at.checked_sub(1).map_or(0, end);
        self.items.get(start..end(at)).unwrap_or_default()
    }
}

/// A graph with the two ways between its nodes and passages.
pub struct Web {
    pub nodes: Box<dyn Nodes>,
    stands: Lists,
    of: Lists,
}

impl fmt::Debug for Web {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let transition = self.transition();
        write!(
            f,
            "Web({} nodes, {} arcs)",
            transition.nodes(),
            transition.arcs()
        )
    }
}

impl Web {
    pub fn new(nodes: Box<dyn Nodes>, passages: usize) -> Web {
        let mut stands = Lists::default();
        let mut counts = vec![0u32; passages];
        for node in 0..nodes.transition().nodes() as u32 {
            let own = nodes.passages(node);
            own.iter().for_each(|&p| counts[p as usize] += 1);
            stands.items.extend_from_slice(&own);
            stands.ends.push(stands.items.len() as u32);
        }
        let mut of = Lists::default();
        let mut next: Vec<u32> = counts
            .iter()
            .scan(0, |sum, count| {
                let start = *sum;
                *sum += count;
                of.ends.push(*sum);
                Some(start)
            })
            .collect();
        of.items = vec![0; stands.items.len()];
        for node in 0..stands.ends.len() {
            for &passage in stands.get(node) {
                let at = &mut next[passage as usize];
                of.items[*at as usize] = node as u32;
                *at += 1;
            }
        }
        Web { nodes, stands, of }
    }

    /// The graph of a composition over an index; `view` is asked for where it is one of SPRIG's.
    ///
    /// # Errors
    /// A missing layer, missing vectors.
    pub fn open(
        graph: Graph,
        index: &Index,
        settings: &Settings,
        view: impl FnOnce() -> Arc<GraphView>,
    ) -> Result<Web, RetrieveError> {
        let nodes: Box<dyn Nodes> = match graph {
            Graph::EntityPassage | Graph::TermPassage => Box::new(graphs::Entities(view())),
            Graph::ChunkSimilarity => Box::new(graphs::Chunks::open(index, settings)?),
            Graph::UnitKnn => Box::new(graphs::Units::open(index, settings)?),
            Graph::KeywordUnit => Box::new(graphs::Keywords::open(index, settings)?),
            Graph::Skeleton => Box::new(graphs::Names::open(index, settings)?),
            Graph::NodeRag => Box::new(graphs::Seven::open(index, settings)?),
            Graph::EntityChunk => Box::new(graphs::Meetings::open(index, settings)?),
            Graph::SummaryTree => Box::new(graphs::Tree::open(index, settings)?),
            Graph::Typed => Box::new(graphs::Objects::open(index)?),
        };
        Ok(Web::new(nodes, index.len()))
    }

    pub fn transition(&self) -> &Transition {
        self.nodes.transition()
    }

    /// The passages a node stands for, in its order.
    pub fn passages(&self, node: u32) -> &[u32] {
        self.stands.get(node as usize)
    }

    /// Passages of the index.
    pub fn passages_all(&self) -> usize {
        self.of.ends.len()
    }

    /// The nodes that stand for a passage, ascending.
    pub fn of_passage(&self, passage: u32) -> &[u32] {
        self.of.get(passage as usize)
    }

    /// What of a node's score each of its passages gets: an even share.
    pub fn share(&self, node: u32) -> f64 {
        1.0 / self.passages(node).len().max(1) as f64
    }
}
