//! The graph as columns of an index.

use super::build::NodeRagBuild;
use super::node::{KINDS, Kind};
use super::view::{View, ViewKey};
use crate::column::{Column, Strings, range};
use crate::derived::Derived;
use crate::embed::{Identity, Vectors};
use crate::index::layer::{Each, columns};
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
pub(crate) struct Meta {
    pub(super) options: NodeRagBuild,
    pub(super) counts: Counts,
    pub(super) identity: Identity,
}

columns! {
    /// The stored layer. Nodes are numbered T, S, N, R, A, H, O, each in corpus order.
    pub struct NodeRagLayer(columns, meta: Meta, starts: [u32; KINDS + 1], identity: &Identity) {
        pub(super) meta_json: Column<u8> = "meta";
        pub(super) options: NodeRagBuild { meta.options };
        pub(super) counts: Counts { meta.counts };
        pub(super) starts: [u32; KINDS + 1] { starts };
        /// Of every T: its passage and the byte range in its text.
        pub(super) text_passage: Column<u32> = "text.passage" [starts[1] as usize] => below(columns.passages());
        pub(super) text_start: Column<u32> = "text.start" [starts[1] as usize];
        pub(super) text_end: Column<u32> = "text.end" [starts[1] as usize] => spans(&text_start);
        /// Content of all nodes from the first S on.
        pub(super) labels: Strings = "labels" [(starts[KINDS] - starts[1]) as usize];
        /// Occurrences of every node.
        pub(super) weights: Column<u32> = "weights";
        /// Symmetric adjacency: row u is `targets[offsets[u]..offsets[u+1]]`, ascending. `made` counts how often the edge was
        /// made (0: by similarity only), `near` is 1 for a similarity edge.
        pub(super) offsets: Column<u32> = "edges.offsets" [weights.len() + 1];
        pub(super) targets: Column<u32> = "edges.targets"
            => symmetric(&offsets, |at| u32::from(made[at]) << 1 | u32::from(near[at] == 1));
        pub(super) made: Column<u16> = "edges.made" [targets.len()];
        pub(super) near: Column<u8> = "edges.near" [targets.len()];
        pub(super) vectors: Vectors = "vectors" by identity, "scale" [embedded(&starts)];
        /// Words of N and O, sorted, and the nodes that have each.
        pub(super) words: Strings = "words";
        pub(super) word_ends: Column<u32> = "words.end" [words.len()] => ends(word_nodes.len());
        pub(super) word_nodes: Column<u32> = "words.nodes" => below(weights.len());
        /// Of every A, then every H: the S it was made from.
        pub(super) source_ends: Column<u32> = "sources.end"
            [of(&starts, Kind::Attribute).len() + of(&starts, Kind::Element).len()] => ends(sources.len());
        pub(super) sources: Column<u32> = "sources.units" => below(weights.len());
        /// Transition matrices asked for so far.
        pub(super) views: Derived<ViewKey, View> { Derived::default() };
    }
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

    fn columns<'a>(&'a self, each: Each<'_, 'a>) {
        self.write("", each);
    }

    fn open(columns: &Columns) -> Result<NodeRagLayer, IndexError> {
        let meta: Meta = columns.json("meta")?;
        let weights: Column<u32> = columns.column("weights")?;
        let counted = meta.counts.nodes.iter();
        let counted = counted.fold(0, |sum: usize, count| sum.saturating_add(*count));
        columns.length("weights", weights.len(), counted)?;
        let (starts, identity) = (starts(&meta.counts.nodes), meta.identity.clone());
        NodeRagLayer::read(columns, "", meta, starts, &identity)
    }
}

fn starts(nodes: &[usize; KINDS]) -> [u32; KINDS + 1] {
    let mut starts = [0; KINDS + 1];
    for (at, count) in nodes.iter().enumerate() {
        starts[at + 1] = starts[at] + *count as u32;
    }
    starts
}

/// The nodes of a kind.
fn of(starts: &[u32; KINDS + 1], kind: Kind) -> Range<u32> {
    starts[kind as usize]..starts[kind as usize + 1]
}

/// Nodes with a vector.
fn embedded(starts: &[u32; KINDS + 1]) -> usize {
    let kinds = Kind::ALL.into_iter().filter(|kind| kind.embedded());
    kinds.map(|kind| of(starts, kind).len()).sum()
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

    /// The nodes of a kind.
    pub fn range(&self, kind: Kind) -> Range<u32> {
        of(&self.starts, kind)
    }

    pub fn kind(&self, node: u32) -> Kind {
        let after = self.starts[1..KINDS].partition_point(|&start| start <= node);
        Kind::ALL[after]
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
