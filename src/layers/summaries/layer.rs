//! The layer of E2GraphRAG: chunks, summary tree, entities with both indexes, co-occurrence graph, vectors (E2GraphRAG, indexing).

use super::build;
use super::hops::Graph;
use crate::column::{self, Column, Strings, range};
use crate::embed::{Identity, Vectors};
use crate::index::documents::Running;
use crate::index::layer::{strings, vectors};
use crate::index::{Columns, Index, IndexError, Layer, Passages};
use crate::llm::Shares;
use crate::parameters::{TREE_OVER, TreeOver};
use crate::text::plural;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// What a layer is built with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct E2Build {
    /// Tokens of a chunk, 50 to 4000.
    pub chunk_tokens: usize,
    /// Tokens that neighbouring chunks share, 0 to half a chunk.
    pub chunk_overlap: usize,
    /// Nodes under one summary, 2 to 20 (g; 5 in the code).
    pub tree_group: u32,
    /// What one tree is over.
    #[serde(default = "before", skip_serializing_if = "is_before")]
    pub tree_over: TreeOver,
    /// Most tokens of a summary, 100 to 2000.
    pub summary_tokens: usize,
}

/// Of layers that were built before this could be chosen.
fn before() -> TreeOver {
    TreeOver::Neighbours
}

fn is_before(over: &TreeOver) -> bool {
    *over == before()
}

impl Default for E2Build {
    fn default() -> E2Build {
        E2Build {
            chunk_tokens: 1200,
            chunk_overlap: 100,
            tree_group: 5,
            tree_over: TREE_OVER.default(),
            summary_tokens: 1000,
        }
    }
}

/// Options and counts, stored as JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Meta {
    pub options: E2Build,
    pub documents: usize,
    pub chunks: usize,
    pub summaries: usize,
    pub entities: usize,
    /// Pairs of entities that meet in a sentence.
    pub edges: usize,
    /// Who wrote the summaries: `rule(summarise, 1)`, or what [`Meta::made`] says in one line.
    pub origin: String,
    /// Who wrote how many of them; empty where no model was asked.
    #[serde(default, skip_serializing_if = "Shares::is_empty")]
    pub made: Shares,
    /// The encoder of the node vectors; none in an index without vectors.
    pub identity: Option<Identity>,
}

/// The layer. Nodes are numbered: chunks in corpus order first, then summaries level by level.
pub struct E2Graph {
    pub meta: Meta,
    /// The same as it is stored.
    pub meta_json: Column<u8>,
    /// End of the passages of each document.
    pub document_ends: Column<u32>,
    pub chunk_document: Column<u32>,
    /// Byte range of each chunk in its document's running text, counted from the beginning of its first passage.
    pub chunk_start: Column<u32>,
    pub chunk_end: Column<u32>,
    /// First passage of each chunk and the one behind its last.
    pub chunk_first: Column<u32>,
    pub chunk_last: Column<u32>,
    /// End of the node numbers of each level; the first is the number of chunks.
    pub level_ends: Column<u32>,
    /// Children and leaves below each summary, as ranges.
    pub child_first: Column<u32>,
    pub child_last: Column<u32>,
    pub leaf_first: Column<u32>,
    pub leaf_last: Column<u32>,
    /// Parent of every node, `NO_NODE` at the top.
    pub parent: Column<u32>,
    pub summaries: Strings,
    /// Passages that each summary quotes, in its order.
    pub quote_ends: Column<u32>,
    pub quotes: Column<u32>,
    pub names: Strings,
    /// Entities by name.
    pub sorted: Column<u32>,
    /// I_ec: chunks of each entity ascending, and how often it occurs there.
    pub entity_ends: Column<u64>,
    pub entity_chunk: Column<u32>,
    pub entity_count: Column<u32>,
    /// I_ce: entities of each chunk ascending.
    pub chunk_ends: Column<u64>,
    pub chunk_entity: Column<u32>,
    pub graph: Graph,
    /// Sentences of all chunks: byte ranges in the chunks' texts, and their chunks.
    pub sentence_start: Column<u32>,
    pub sentence_end: Column<u32>,
    pub sentence_chunk: Column<u32>,
    pub vectors: Option<Vectors>,
}

pub const NO_NODE: u32 = column::NONE;

impl std::fmt::Debug for E2Graph {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("E2Graph")
            .field("meta", &self.meta)
            .finish_non_exhaustive()
    }
}

impl E2Graph {
    /// Builds the layer from an index. `progress` hears of step, done, total, and cancels by `false`.
    ///
    /// # Errors
    /// Cancelled, or what the encoder says.
    pub fn build(
        index: &Index,
        options: &E2Build,
        progress: &dyn Fn(&'static str, usize, usize) -> bool,
    ) -> Result<E2Graph, IndexError> {
        build::build(index, options, progress)
    }

    pub fn chunks(&self) -> usize {
        self.chunk_document.len()
    }

    /// Chunks and summaries.
    pub fn nodes(&self) -> usize {
        self.chunks() + self.summaries.len()
    }

    /// 0 for a chunk.
    pub fn level(&self, node: u32) -> usize {
        self.level_ends.partition_point(|&end| end <= node)
    }

    /// Leaves below a node; a chunk is its own.
    pub fn leaves(&self, node: u32) -> Range<u32> {
        match self.summary(node) {
            Some(at) => self.leaf_first[at]..self.leaf_last[at],
            None => node..node + 1,
        }
    }

    pub fn children(&self, node: u32) -> Range<u32> {
        self.summary(node)
            .map_or(0..0, |at| self.child_first[at]..self.child_last[at])
    }

    fn summary(&self, node: u32) -> Option<usize> {
        (node as usize).checked_sub(self.chunks())
    }

    /// The passages a node's text comes from, in its order: all of a chunk's, those a summary quotes.
    pub fn passages(&self, node: u32) -> Vec<u32> {
        match self.summary(node) {
            None => (self.chunk_first[node as usize]..self.chunk_last[node as usize]).collect(),
            Some(at) => self.quotes[range(&self.quote_ends, at)].to_vec(),
        }
    }

    /// The chunks that hold a part of a passage.
    pub fn chunks_of(&self, passage: u32) -> Range<u32> {
        let first = self.chunk_last.partition_point(|&last| last <= passage);
        let last = self.chunk_first.partition_point(|&first| first <= passage);
        first as u32..last.max(first) as u32
    }

    /// The entity of a name, exactly as written.
    pub fn entity(&self, name: &str) -> Option<u32> {
        let at = self
            .sorted
            .partition_point(|&e| self.names.get(e as usize) < name);
        let entity = *self.sorted.get(at)?;
        (self.names.get(entity as usize) == name).then_some(entity)
    }

    /// I_ec: chunks of an entity and occurrences there.
    pub fn chunks_with(&self, entity: u32) -> (&[u32], &[u32]) {
        let span = range(&self.entity_ends, entity as usize);
        (&self.entity_chunk[span.clone()], &self.entity_count[span])
    }

    /// I_ce(chunk)[entity].
    pub fn occurrences(&self, chunk: u32, entity: u32) -> u32 {
        let (chunks, counts) = self.chunks_with(entity);
        chunks.binary_search(&chunk).map_or(0, |at| counts[at])
    }

    /// The entities of a chunk.
    pub fn entities_in(&self, chunk: u32) -> &[u32] {
        &self.chunk_entity[range(&self.chunk_ends, chunk as usize)]
    }

    /// The passages of a document.
    pub fn document(&self, document: u32) -> Range<u32> {
        let span = range(&self.document_ends, document as usize);
        span.start as u32..span.end as u32
    }

    /// The text of a run of chunks of one document, without the overlaps between them.
    pub fn text(&self, passages: &Passages, chunks: Range<u32>) -> String {
        let (first, last) = (chunks.start as usize, chunks.end as usize - 1);
        let range = self.chunk_first[first]..self.chunk_last[last];
        let document = self.document(self.chunk_document[first]).start;
        let running = Running::part(passages, document, range);
        let end = running.start(self.chunk_first[last]) + self.chunk_end[last] as usize;
        let span = self.chunk_start[first] as usize..end;
        running.text.get(span).unwrap_or_default().to_owned()
    }

    /// The text of any node.
    pub fn node_text(&self, passages: &Passages, node: u32) -> String {
        match self.summary(node) {
            Some(at) => self.summaries.get(at).to_owned(),
            None => self.text(passages, node..node + 1),
        }
    }

    /// "chunk 12 of Gull Rock", "summary 3 of level 1, 5 chunks".
    pub fn label(&self, index: &Index, node: u32) -> String {
        let level = self.level(node);
        if level > 0 {
            let number = node - self.level_ends[level - 1];
            return format!(
                "summary {number} of level {level} ({})",
                plural(self.leaves(node).len(), "chunk")
            );
        }
        let passages = self.document(self.chunk_document[node as usize]);
        let first =
            self.chunk_document
                .partition_point(|&d| d < self.chunk_document[node as usize]) as u32;
        let title = index.title(passages.start);
        let title = if title.is_empty() {
            index.id(passages.start)
        } else {
            title
        };
        if passages.len() == 1 && self.chunks_of(passages.start).len() == 1 {
            return title.to_owned();
        }
        format!("chunk {} of {title}", node - first)
    }

    /// A sentence of the graph's edges.
    pub fn sentence(&self, passages: &Passages, sentence: u32) -> String {
        let at = sentence as usize;
        let chunk = self.sentence_chunk[at];
        let span = self.sentence_start[at] as usize..self.sentence_end[at] as usize;
        let text = self.text(passages, chunk..chunk + 1);
        text.get(span).unwrap_or_default().to_owned()
    }
}

impl Layer for E2Graph {
    const NAME: &'static str = "e2graphrag";
    const VERSION: u32 = 1;

    fn columns<'a>(&'a self, each: &mut dyn FnMut(&str, &'a [u8])) {
        self.plain(each);
        strings("summary", &self.summaries, each);
        strings("entity.name", &self.names, each);
        if let Some(own) = &self.vectors {
            vectors("vector", "scale", own, each);
        }
    }

    fn open(columns: &Columns) -> Result<Self, IndexError> {
        let meta: Meta = columns.json("meta")?;
        let meta_json = columns.column("meta")?;
        let identity = meta.identity.as_ref();
        let vectors = identity.map(|identity| columns.vectors("vector", "scale", identity));
        let vectors = vectors.transpose()?;
        let layer = E2Graph {
            document_ends: columns.column("document.ends")?,
            chunk_document: columns.column("chunk.document")?,
            chunk_start: columns.column("chunk.start")?,
            chunk_end: columns.column("chunk.end")?,
            chunk_first: columns.column("chunk.first")?,
            chunk_last: columns.column("chunk.last")?,
            level_ends: columns.column("level.ends")?,
            child_first: columns.column("child.first")?,
            child_last: columns.column("child.last")?,
            leaf_first: columns.column("leaf.first")?,
            leaf_last: columns.column("leaf.last")?,
            parent: columns.column("parent")?,
            summaries: columns.strings("summary")?,
            quote_ends: columns.column("quote.ends")?,
            quotes: columns.column("quote.passage")?,
            names: columns.strings("entity.name")?,
            sorted: columns.column("entity.sorted")?,
            entity_ends: columns.column("entity.ends")?,
            entity_chunk: columns.column("entity.chunk")?,
            entity_count: columns.column("entity.count")?,
            chunk_ends: columns.column("chunk.ends")?,
            chunk_entity: columns.column("chunk.entity")?,
            graph: Graph {
                offsets: columns.column("graph.offsets")?,
                targets: columns.column("graph.targets")?,
                weights: columns.column("graph.weights")?,
                sentences: columns.column("graph.sentences")?,
            },
            sentence_start: columns.column("sentence.start")?,
            sentence_end: columns.column("sentence.end")?,
            sentence_chunk: columns.column("sentence.chunk")?,
            vectors,
            meta,
            meta_json,
        };
        layer.check(columns)?;
        Ok(layer)
    }
}

impl E2Graph {
    fn plain<'a>(&'a self, each: &mut dyn FnMut(&str, &'a [u8])) {
        let narrow: [(&str, &'a Column<u32>); 22] = [
            ("document.ends", &self.document_ends),
            ("chunk.document", &self.chunk_document),
            ("chunk.start", &self.chunk_start),
            ("chunk.end", &self.chunk_end),
            ("chunk.first", &self.chunk_first),
            ("chunk.last", &self.chunk_last),
            ("level.ends", &self.level_ends),
            ("child.first", &self.child_first),
            ("child.last", &self.child_last),
            ("leaf.first", &self.leaf_first),
            ("leaf.last", &self.leaf_last),
            ("parent", &self.parent),
            ("quote.ends", &self.quote_ends),
            ("quote.passage", &self.quotes),
            ("entity.sorted", &self.sorted),
            ("entity.chunk", &self.entity_chunk),
            ("entity.count", &self.entity_count),
            ("chunk.entity", &self.chunk_entity),
            ("graph.targets", &self.graph.targets),
            ("graph.weights", &self.graph.weights),
            ("graph.sentences", &self.graph.sentences),
            ("sentence.start", &self.sentence_start),
        ];
        for (name, column) in narrow {
            each(name, column.bytes());
        }
        each("meta", self.meta_json.bytes());
        each("sentence.end", self.sentence_end.bytes());
        each("sentence.chunk", self.sentence_chunk.bytes());
        each("entity.ends", self.entity_ends.bytes());
        each("chunk.ends", self.chunk_ends.bytes());
        each("graph.offsets", self.graph.offsets.bytes());
    }

    /// Lengths that imply each other.
    fn check(&self, columns: &Columns) -> Result<(), IndexError> {
        let (chunks, summaries) = (self.meta.chunks, self.meta.summaries);
        let (nodes, entities) = (chunks.saturating_add(summaries), self.meta.entities);
        let (arcs, postings) = (self.graph.targets.len(), self.entity_chunk.len());
        let expected = [
            ("chunk.document", self.chunk_document.len(), chunks),
            ("chunk.start", self.chunk_start.len(), chunks),
            ("chunk.end", self.chunk_end.len(), chunks),
            ("chunk.first", self.chunk_first.len(), chunks),
            ("chunk.last", self.chunk_last.len(), chunks),
            ("chunk.ends", self.chunk_ends.len(), chunks),
            (
                "level.ends",
                self.level_ends.first().map_or(0, |end| *end as usize),
                chunks,
            ),
            ("child.first", self.child_first.len(), summaries),
            ("child.last", self.child_last.len(), summaries),
            ("leaf.first", self.leaf_first.len(), summaries),
            ("leaf.last", self.leaf_last.len(), summaries),
            ("quote.ends", self.quote_ends.len(), summaries),
            ("summary.ends", self.summaries.len(), summaries),
            ("parent", self.parent.len(), nodes),
            ("entity.name.ends", self.names.len(), entities),
            ("entity.sorted", self.sorted.len(), entities),
            ("entity.ends", self.entity_ends.len(), entities),
            ("entity.count", self.entity_count.len(), postings),
            ("chunk.entity", self.chunk_entity.len(), postings),
            ("graph.offsets", self.graph.vertices(), entities),
            ("graph.weights", self.graph.weights.len(), arcs),
            ("graph.sentences", self.graph.sentences.len(), arcs),
            (
                "sentence.end",
                self.sentence_end.len(),
                self.sentence_start.len(),
            ),
            (
                "sentence.chunk",
                self.sentence_chunk.len(),
                self.sentence_start.len(),
            ),
            (
                "document.ends",
                self.document_ends.len(),
                self.meta.documents,
            ),
        ];
        for (name, found, expected) in expected {
            columns.length(name, found, expected)?;
        }
        if let Some(vectors) = &self.vectors {
            columns.length("vector", vectors.len(), nodes)?;
        }
        let (passages, graph) = (columns.passages(), &self.graph);
        columns.hold([
            ("document.ends", column::ends(&self.document_ends, passages)),
            ("chunk.document", column::ascending(&self.chunk_document)),
            (
                "chunk.document",
                column::below(&self.chunk_document, self.meta.documents),
            ),
            (
                "chunk.end",
                column::spans(&self.chunk_end, &self.chunk_start),
            ),
            ("chunk.first", column::ascending(&self.chunk_first)),
            ("chunk.first", column::below(&self.chunk_first, passages)),
            (
                "chunk.last",
                column::spans(&self.chunk_last, &self.chunk_first),
            ),
            ("chunk.last", column::below(&self.chunk_last, passages + 1)),
            ("chunk.ends", column::ends(&self.chunk_ends, postings)),
            ("chunk.entity", column::below(&self.chunk_entity, entities)),
            ("level.ends", column::ends(&self.level_ends, nodes)),
            (
                "child.last",
                column::spans(&self.child_last, &self.child_first),
            ),
            ("child.last", column::below(&self.child_last, nodes)),
            (
                "leaf.last",
                column::spans(&self.leaf_last, &self.leaf_first),
            ),
            ("leaf.last", column::below(&self.leaf_last, chunks + 1)),
            ("parent", column::below_or_none(&self.parent, nodes)),
            (
                "quote.ends",
                column::ends(&self.quote_ends, self.quotes.len()),
            ),
            ("quote.passage", column::below(&self.quotes, passages)),
            ("entity.sorted", column::below(&self.sorted, entities)),
            ("entity.ends", column::ends(&self.entity_ends, postings)),
            ("entity.chunk", column::below(&self.entity_chunk, chunks)),
            ("graph.offsets", column::offsets(&graph.offsets, arcs)),
            ("graph.targets", column::below(&graph.targets, entities)),
            (
                "graph.sentences",
                column::below(&graph.sentences, self.sentence_chunk.len()),
            ),
            (
                "sentence.end",
                column::spans(&self.sentence_end, &self.sentence_start),
            ),
            (
                "sentence.chunk",
                column::below(&self.sentence_chunk, chunks),
            ),
        ])
    }
}
