//! E2GraphRAG's two graphs: chunks with their names, and the tree of summaries.

use crate::graph::Transition;
use crate::index::{Index, IndexError};
use crate::layers::summaries::link::link;
use crate::layers::summaries::{self, E2Graph};
use crate::layers::{Graph, GraphKind, Node, QueryName, Source};
use crate::parameters::{Parameter as P, Scoped};
use crate::text::{clip, plural};
use std::borrow::Cow;
use std::sync::Arc;

pub static ENTITY_CHUNK: GraphKind = GraphKind {
    name: "entity-chunk",
    about: "E2GraphRAG: chunks, names in them, names that meet in sentences",
    nodes: "names and chunks",
    noun: "entity",
    layer: Some("e2graphrag"),
    reads_vectors: false,
    named: true,
    embedded: false,
    asks_model: false,
    reads: &[],
    builds: &[
        P::ChunkTokens,
        P::ChunkOverlap,
        P::TreeGroup,
        P::TreeOver,
        P::SummaryTokens,
    ],
    open: |index, values, _| {
        let source = EntityChunkGraph::open(index, values)?;
        Ok(Graph::new(&ENTITY_CHUNK, Box::new(source), index.len()))
    },
};

/// Longest evidence in characters.
const LINE: usize = 160;

/// Chunks come first, then entities. Two entities weigh how often they met in a sentence, an entity and a chunk how often
/// the one occurs in the other.
pub struct EntityChunkGraph {
    pub layer: Arc<E2Graph>,
    transition: Transition,
}

impl EntityChunkGraph {
    pub fn open(index: &Index, values: Scoped<'_>) -> Result<EntityChunkGraph, IndexError> {
        let layer = summaries::opened(index, values)?;
        let chunks = layer.chunks() as u32;
        let mut edges = Vec::new();
        for entity in 0..layer.graph.vertices() as u32 {
            let met = layer.graph.neighbours(entity).iter();
            for &other in met.filter(|&&other| entity < other) {
                let times = layer.graph.edge(entity, other).map_or(0, |edge| edge.0);
                edges.push((chunks + entity, chunks + other, times as f32));
            }
            let (own, counts) = layer.chunks_with(entity);
            let occurs = own.iter().zip(counts);
            edges.extend(occurs.map(|(&chunk, &times)| (chunk, chunks + entity, times as f32)));
        }
        let nodes = layer.chunks() + layer.graph.vertices();
        let transition = Transition::of_edges(nodes, edges);
        Ok(EntityChunkGraph { layer, transition })
    }

    /// The entity that a node is; none of a chunk.
    pub fn entity(&self, node: u32) -> Option<usize> {
        (node as usize).checked_sub(self.layer.chunks())
    }

    /// The node of an entity.
    pub fn node(&self, entity: u32) -> u32 {
        self.layer.chunks() as u32 + entity
    }
}

impl Source for EntityChunkGraph {
    fn transition(&self) -> &Transition {
        &self.transition
    }

    fn kind(&self, node: u32) -> &'static str {
        self.entity(node).map_or("chunk", |_| "entity")
    }

    fn label<'a>(&'a self, index: &'a Index, node: u32) -> Cow<'a, str> {
        match self.entity(node) {
            Some(entity) => self.layer.names.get(entity).into(),
            None => self.layer.label(index, node).into(),
        }
    }

    fn edge_kind(&self, a: u32, b: u32) -> &'static str {
        match (self.entity(a), self.entity(b)) {
            (Some(_), Some(_)) => "meet",
            _ => "occurs in",
        }
    }

    fn passages(&self, node: u32) -> Cow<'_, [u32]> {
        match self.entity(node) {
            Some(_) => Cow::Borrowed(&[]),
            None => self.layer.passages(node).into(),
        }
    }

    /// A chunk's text.
    fn text<'a>(&'a self, index: &'a Index, node: u32) -> Cow<'a, str> {
        match self.entity(node) {
            Some(_) => Cow::Borrowed(""),
            None => self.layer.node_text(index.passages(), node).into(),
        }
    }

    /// The first sentence that two entities met in; how often an entity occurs in a chunk.
    fn evidence(&self, index: &Index, a: u32, b: u32) -> String {
        match (self.entity(a), self.entity(b)) {
            (Some(one), Some(other)) => {
                let met = self.layer.graph.edge(one as u32, other as u32);
                let sentence = met.map(|met| self.layer.sentence(index.passages(), met.1));
                clip(&sentence.unwrap_or_default(), LINE)
            }
            (Some(entity), None) | (None, Some(entity)) => {
                let times = self.layer.occurrences(a.min(b), entity as u32);
                format!("occurs {}", plural(times, "time"))
            }
            (None, None) => String::new(),
        }
    }

    fn made_by(&self) -> String {
        self.layer.meta.made.to_string()
    }

    fn names(&self, _index: &Index, question: &str, _values: Scoped<'_>) -> Vec<QueryName> {
        let named = link(&self.layer, question).into_iter().map(|asked| {
            let nodes = Vec::from_iter(asked.entity.map(|entity| self.node(entity)));
            QueryName {
                start: asked.span.start,
                end: asked.span.end,
                ..QueryName::found(question, asked.name, nodes)
            }
        });
        named.collect()
    }
}

pub static SUMMARY_TREE: GraphKind = GraphKind {
    name: "summary-tree",
    about: "E2GraphRAG: chunks and the tree of their summaries",
    nodes: "chunks and summaries",
    noun: "summary",
    layer: Some("e2graphrag"),
    reads_vectors: true,
    named: false,
    embedded: true,
    asks_model: false,
    reads: &[],
    builds: &[
        P::ChunkTokens,
        P::ChunkOverlap,
        P::TreeGroup,
        P::TreeOver,
        P::SummaryTokens,
    ],
    open: |index, values, _| {
        let source = TreeGraph::open(index, values)?;
        Ok(Graph::new(&SUMMARY_TREE, Box::new(source), index.len()))
    },
};

/// Chunks and summaries, each joined to its parent by 1.
pub struct TreeGraph {
    pub layer: Arc<E2Graph>,
    transition: Transition,
}

impl TreeGraph {
    pub fn open(index: &Index, values: Scoped<'_>) -> Result<TreeGraph, IndexError> {
        let layer = summaries::opened(index, values)?;
        let nodes = layer.nodes();
        let below = |node: u32| layer.children(node).map(move |child| (child, node, 1.0));
        let transition = Transition::of_edges(nodes, (0..nodes as u32).flat_map(below));
        Ok(TreeGraph { layer, transition })
    }
}

impl Source for TreeGraph {
    fn transition(&self) -> &Transition {
        &self.transition
    }

    fn kind(&self, node: u32) -> &'static str {
        match self.layer.level(node) {
            0 => "chunk",
            _ => "summary",
        }
    }

    fn label<'a>(&'a self, index: &'a Index, node: u32) -> Cow<'a, str> {
        self.layer.label(index, node).into()
    }

    fn edge_kind(&self, _a: u32, _b: u32) -> &'static str {
        "summarised"
    }

    fn text<'a>(&'a self, index: &'a Index, node: u32) -> Cow<'a, str> {
        self.layer.node_text(index.passages(), node).into()
    }

    fn made_by(&self) -> String {
        self.layer.meta.made.to_string()
    }

    /// Of a chunk its own, of a summary those it quotes.
    fn passages(&self, node: u32) -> Cow<'_, [u32]> {
        let mut passages = self.layer.passages(node);
        passages.sort_unstable();
        passages.dedup();
        passages.into()
    }

    fn nearest(
        &self,
        index: &Index,
        vector: &[f32],
        k: usize,
    ) -> Result<Vec<(Node, f32)>, IndexError> {
        // A layer that was built on an index without vectors is near to nothing.
        let Some(vectors) = &self.layer.vectors else {
            return Ok(Vec::new());
        };
        if let Some(dense) = index.dense() {
            vectors.check(dense.encoder.identity())?;
        }
        Ok(vectors.nearest(vector, k)?)
    }
}
