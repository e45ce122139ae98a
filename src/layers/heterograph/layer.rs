//! The graph as columns of an index.

use super::build::NodeRagBuild;
use super::node::{KINDS, Kind};
use super::view::{View, ViewKey};
use crate::column::{self, Column, Strings, range};
use crate::derived::Derived;
use crate::embed::vectors::Rows;
use crate::embed::{Identity, Vectors};
use crate::index::layer::{strings, vectors};
use crate::index::{Columns, IndexError, Layer};
use crate::llm::Shares;
use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// Figures of the build, in the shape of the published table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Counts {
    /// By kind, T to O.
    pub nodes: [usize; KINDS],
    /// Edges of the pipeline, S-R ones not counted.
    pub edges: usize,
    /// Similarity edges, and how many of them lie on edges of the pipeline.
    pub near: usize,
    pub both: usize,
    pub stated: usize,
    /// Edges between elements and units or profiles.
    pub semantic: usize,
    pub communities: usize,
    pub modularity: f64,
    /// Clusters of the semantic matching; 0 when there was none.
    pub clusters: usize,
    pub core_k: u32,
    /// Important entities by core and by betweenness.
    pub core: usize,
    pub between: usize,
    /// Who made how many texts' units, profiles and communities; empty where no model was asked.
    #[serde(default, skip_serializing_if = "Shares::is_empty")]
    pub made: Shares,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Meta {
    pub(super) options: NodeRagBuild,
    pub(super) counts: Counts,
    pub(super) identity: Identity,
}

/// The stored layer. Nodes are numbered T, S, N, R, A, H, O, each in corpus order.
pub struct NodeRagLayer {
    pub(super) meta: Vec<u8>,
    pub(super) options: NodeRagBuild,
    pub(super) counts: Counts,
    pub(super) starts: [u32; KINDS + 1],
    /// Of every T: its passage and the byte range in its text.
    pub(super) text_passage: Column<u32>,
    pub(super) text_start: Column<u32>,
    pub(super) text_end: Column<u32>,
    /// Content of all nodes from the first S on.
    pub(super) labels: Strings,
    /// Occurrences of every node.
    pub(super) weights: Column<u32>,
    /// Symmetric adjacency: row u is `targets[offsets[u]..offsets[u+1]]`, ascending. `made` counts how often the edge was
    /// made (0: by similarity only), `near` is 1 for a similarity edge.
    pub(super) offsets: Column<u32>,
    pub(super) targets: Column<u32>,
    pub(super) made: Column<u16>,
    pub(super) near: Column<u8>,
    pub(super) vectors: Vectors,
    /// Words of N and O, sorted, and the nodes that have each.
    pub(super) words: Strings,
    pub(super) word_ends: Column<u32>,
    pub(super) word_nodes: Column<u32>,
    /// Of every A, then every H: the S it was made from.
    pub(super) source_ends: Column<u32>,
    pub(super) sources: Column<u32>,
    /// Transition matrices asked for so far.
    pub(super) views: Derived<ViewKey, View>,
}

impl fmt::Debug for NodeRagLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NodeRagLayer")
            .field("counts", &self.counts)
            .finish_non_exhaustive()
    }
}

/// An edge as it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    pub to: u32,
    pub made: u16,
    pub near: bool,
}

impl Layer for NodeRagLayer {
    const NAME: &'static str = "noderag";
    const VERSION: u32 = 1;

    fn columns<'a>(&'a self, each: &mut dyn FnMut(&str, &'a [u8])) {
        each("meta", &self.meta);
        each("text.passage", self.text_passage.bytes());
        each("text.start", self.text_start.bytes());
        each("text.end", self.text_end.bytes());
        strings("labels", &self.labels, each);
        each("weights", self.weights.bytes());
        each("edges.offsets", self.offsets.bytes());
        each("edges.targets", self.targets.bytes());
        each("edges.made", self.made.bytes());
        each("edges.near", self.near.bytes());
        vectors("vectors", "scale", &self.vectors, each);
        strings("words", &self.words, each);
        each("words.end", self.word_ends.bytes());
        each("words.nodes", self.word_nodes.bytes());
        each("sources.end", self.source_ends.bytes());
        each("sources.units", self.sources.bytes());
    }

    fn open(columns: &Columns) -> Result<NodeRagLayer, IndexError> {
        let meta: Column<u8> = columns.column("meta")?;
        let parsed: Meta = columns.json("meta")?;
        let weights: Column<u32> = columns.column("weights")?;
        let counted = parsed.counts.nodes.iter();
        let counted = counted.fold(0, |sum: usize, count| sum.saturating_add(*count));
        columns.length("weights", weights.len(), counted)?;
        let starts = starts(&parsed.counts.nodes);
        let (text, nodes) = (starts[1] as usize, starts[KINDS] as usize);
        let rows = match parsed.identity.kind {
            crate::embed::Kind::Static => Rows::I8 {
                values: columns.column("vectors.i8")?,
                scales: columns.column("vectors.scale")?,
            },
            _ => Rows::F32(columns.column("vectors.f32")?),
        };
        let layer = NodeRagLayer {
            meta: meta.to_vec(),
            options: parsed.options,
            starts,
            text_passage: columns.column("text.passage")?,
            text_start: columns.column("text.start")?,
            text_end: columns.column("text.end")?,
            labels: columns.strings("labels")?,
            weights,
            offsets: columns.column("edges.offsets")?,
            targets: columns.column("edges.targets")?,
            made: columns.column("edges.made")?,
            near: columns.column("edges.near")?,
            vectors: Vectors::stored(parsed.identity, rows)?,
            words: columns.strings("words")?,
            word_ends: columns.column("words.end")?,
            word_nodes: columns.column("words.nodes")?,
            source_ends: columns.column("sources.end")?,
            sources: columns.column("sources.units")?,
            counts: parsed.counts,
            views: Derived::default(),
        };
        let arcs = layer.offsets.last().map_or(0, |&end| end as usize);
        let made = layer.count(Kind::Attribute) + layer.count(Kind::Element);
        for (name, found, expected) in [
            ("text.passage", layer.text_passage.len(), text),
            ("text.start", layer.text_start.len(), text),
            ("text.end", layer.text_end.len(), text),
            ("labels.ends", layer.labels.len(), nodes - text),
            ("edges.offsets", layer.offsets.len(), nodes + 1),
            ("edges.targets", layer.targets.len(), arcs),
            ("edges.made", layer.made.len(), arcs),
            ("edges.near", layer.near.len(), arcs),
            ("vectors", layer.vectors.len(), layer.embedded()),
            ("words.end", layer.word_ends.len(), layer.words.len()),
            ("sources.end", layer.source_ends.len(), made),
        ] {
            columns.length(name, found, expected)?;
        }
        let arc = |at: usize| u32::from(layer.made[at]) << 1 | u32::from(layer.near[at] == 1);
        columns.hold([
            (
                "text.passage",
                column::below(&layer.text_passage, columns.passages()),
            ),
            (
                "text.end",
                column::spans(&layer.text_start, &layer.text_end),
            ),
            (
                "edges.targets",
                column::symmetric(&layer.offsets, &layer.targets, arc),
            ),
            (
                "words.end",
                column::ends(&layer.word_ends, layer.word_nodes.len()),
            ),
            ("words.nodes", column::below(&layer.word_nodes, nodes)),
            (
                "sources.end",
                column::ends(&layer.source_ends, layer.sources.len()),
            ),
            ("sources.units", column::below(&layer.sources, nodes)),
        ])?;
        Ok(layer)
    }
}

fn starts(nodes: &[usize; KINDS]) -> [u32; KINDS + 1] {
    let mut starts = [0; KINDS + 1];
    for (at, count) in nodes.iter().enumerate() {
        starts[at + 1] = starts[at] + *count as u32;
    }
    starts
}

impl NodeRagLayer {
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// What it was built with.
    pub fn options(&self) -> &NodeRagBuild {
        &self.options
    }

    pub fn nodes(&self) -> usize {
        self.starts[KINDS] as usize
    }

    pub fn count(&self, kind: Kind) -> usize {
        self.range(kind).len()
    }

    /// The nodes of a kind.
    pub fn range(&self, kind: Kind) -> Range<u32> {
        self.starts[kind as usize]..self.starts[kind as usize + 1]
    }

    pub fn kind(&self, node: u32) -> Kind {
        let after = self.starts[1..KINDS].partition_point(|&start| start <= node);
        Kind::ALL[after]
    }

    /// Nodes with a vector.
    pub fn embedded(&self) -> usize {
        let kinds = Kind::ALL.into_iter().filter(|k| k.embedded());
        kinds.map(|k| self.count(k)).sum()
    }

    /// Rows are T, S, A, H.
    pub fn vectors(&self) -> &Vectors {
        &self.vectors
    }

    /// The node of a row of the vectors.
    pub fn node_of_row(&self, row: u32) -> u32 {
        node_of(&self.starts, row)
    }

    /// Its content; a T's is a part of its passage, which [`NodeRagLayer::piece`] gives.
    pub fn label(&self, node: u32) -> &str {
        match node.checked_sub(self.starts[1]) {
            Some(at) => self.labels.get(at as usize),
            None => "",
        }
    }

    /// The passage of a T, and the byte range in its text.
    pub fn piece(&self, node: u32) -> (u32, Range<usize>) {
        let at = node as usize;
        let span = self.text_start[at] as usize..self.text_end[at] as usize;
        (self.text_passage[at], span)
    }

    /// All stored edges of a node, S-R ones included.
    pub fn edges(&self, node: u32) -> impl Iterator<Item = Edge> + '_ {
        let range = self.offsets[node as usize] as usize..self.offsets[node as usize + 1] as usize;
        range.map(|at| self.edge_at(at))
    }

    /// The stored edge between two nodes.
    pub fn edge(&self, a: u32, b: u32) -> Option<Edge> {
        let range = self.offsets[a as usize] as usize..self.offsets[a as usize + 1] as usize;
        let at = range.start + self.targets.get(range)?.binary_search(&b).ok()?;
        Some(self.edge_at(at))
    }

    fn edge_at(&self, at: usize) -> Edge {
        Edge {
            to: self.targets[at],
            made: self.made[at],
            near: self.near[at] == 1,
        }
    }

    /// Neighbours of one kind over edges of the pipeline.
    pub fn tied(&self, node: u32, kind: Kind) -> impl Iterator<Item = u32> + '_ {
        let range = self.range(kind);
        let edges = self.edges(node);
        edges
            .filter(move |e| e.made > 0 && range.contains(&e.to))
            .map(|e| e.to)
    }

    /// The units an attribute or element was made from.
    pub fn sources(&self, node: u32) -> &[u32] {
        let at = match self.kind(node) {
            Kind::Attribute | Kind::Element => {
                (node - self.starts[Kind::Attribute as usize]) as usize
            }
            _ => return &[],
        };
        &self.sources[range(&self.source_ends, at)]
    }

    /// The passages a node stands for: its own for T, those of its texts for S, those of the units that state it for R and
    /// of those it was made from for A and H. None for N and O, which are never part of the answer.
    pub fn passages(&self, node: u32) -> Vec<u32> {
        let mut passages: Vec<u32> = match self.kind(node) {
            Kind::Text => vec![self.text_passage[node as usize]],
            Kind::Unit => self.of_unit(node).collect(),
            Kind::Relation => {
                let units = self.tied(node, Kind::Unit);
                units.flat_map(|unit| self.of_unit(unit)).collect()
            }
            Kind::Attribute | Kind::Element => {
                let units = self.sources(node).iter();
                units.flat_map(|&unit| self.of_unit(unit)).collect()
            }
            _ => Vec::new(),
        };
        passages.sort_unstable();
        passages.dedup();
        passages
    }

    fn of_unit(&self, unit: u32) -> impl Iterator<Item = u32> + '_ {
        self.tied(unit, Kind::Text)
            .map(|text| self.text_passage[text as usize])
    }

    /// The N and O that have a word (in normal form).
    pub fn with_word(&self, word: &str) -> &[u32] {
        let (mut low, mut high) = (0, self.words.len());
        while low < high {
            let middle = (low + high) / 2;
            if self.words.get(middle) < word {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if low == self.words.len() || self.words.get(low) != word {
            return &[];
        }
        &self.word_nodes[range(&self.word_ends, low)]
    }

    /// The transition matrix under these settings, built when first asked for and kept.
    pub fn view(&self, key: ViewKey) -> Arc<View> {
        let new = || Ok::<_, Infallible>(Arc::new(View::new(self, key)));
        let Ok(view) = self.views.get(&key, new);
        view
    }
}

/// T and S come first in both countings; N and R have no rows.
pub(super) fn node_of(starts: &[u32; KINDS + 1], row: u32) -> u32 {
    let gap = starts[Kind::Attribute as usize] - starts[Kind::Entity as usize];
    if row < starts[Kind::Entity as usize] {
        row
    } else {
        row + gap
    }
}
