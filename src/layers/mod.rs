//! Layers of an index, and the graphs they give: one folder a builder.
//!
//! | folder | what is built, and the graphs of it |
//! |---|---|
//! | `entities` | passages and names, passages and words (SPRIG); built with every index |
//! | `summaries` | E2GraphRAG: chunks, their summary tree, entities that meet in sentences |
//! | `skeleton` | KET-RAG: units, nearest units, keywords, names and relations of core units |
//! | `heterograph` | NodeRAG: seven kinds of nodes |
//! | `chunks` | SAGE: chunks and table segments, and the pairs that may be edges |
//! | `facts` | HippoRAG 2: facts, the phrases that they join, phrases alike |
//! | `given` | the graph that a corpus came with: another system's entities and relations |
//! | `typed` | SPARK: objects and typed edges of a schema |
//!
//! `edits` are a person's changes of the graphs of names and words, over the index.
//!
//! A graph is opened from an index under some settings and is one type for every method ([`Graph`]): what is particular
//! to a layer stays behind [`Source`]. [`GRAPHS`] lists the graphs, [`LAYERS`] what can be built; a method names a graph
//! by its name.

pub(crate) mod chunks;
mod code;
mod edited;
pub mod edits;
pub(crate) mod entities;
pub mod facts;
pub(crate) mod given;
mod graph;
pub(crate) mod heterograph;
mod kinds;
pub mod skeleton;
pub mod summaries;
pub(crate) mod typed;

pub use crate::index::HopLayer;
pub(crate) use code::words;
pub use code::{Class, Code};
pub use edits::{GraphEdit, GraphEdited, NameEdge};
pub use entities::{ENTITY_PASSAGE, GraphView, TERM_PASSAGE};
pub use given::source::GIVEN;
pub use graph::{Graph, Link, Mask, Node, QueryName, Row, Source, Unjoined};
pub use kinds::{BuiltLayer, add_layers, build_layers, layers_named};

use crate::index::{Index, IndexError, Layer, Progress, Step};
use crate::parameters::{Parameter, Scoped};
use chunks::SageLayer;
use facts::FactsLayer;
use given::GivenLayer;
use heterograph::NodeRagLayer;
use skeleton::options::BUILDS;
use skeleton::{Ket, KetBuild};
use std::fmt;
use summaries::E2Graph;
use typed::SparkLayer;

/// A graph there is, by name.
pub struct GraphKind {
    /// As methods and compositions spell it.
    pub name: &'static str,
    /// One line: what it is.
    pub about: &'static str,
    /// What to call its nodes.
    pub nodes: &'static str,
    /// What to call a node that stands for no passage, where there are any.
    pub noun: &'static str,
    /// The layer of an index it is read from.
    pub layer: Option<&'static str>,
    /// Whether building or opening that layer needs vectors.
    pub reads_vectors: bool,
    /// Whether names of a question are nodes of it.
    pub named: bool,
    /// Whether its nodes have vectors of their own.
    pub embedded: bool,
    /// Whether names of a question are what a language model says, where one is named.
    pub asks_model: bool,
    /// The parameters it depends on, in pipeline order.
    pub reads: &'static [Parameter],
    /// The parameters that act when a layer that is missing is built.
    pub builds: &'static [Parameter],
    /// Opens it.
    pub open: fn(&Index, Scoped<'_>, &Opening<'_>) -> Result<Graph, IndexError>,
}

/// What a graph is opened with beside the index and the values it reads.
#[derive(Clone, Copy, Debug, Default)]
pub struct Opening<'a> {
    /// A person's changes, for a graph that [takes them](GraphKind::takes_edits).
    pub edits: &'a [GraphEdit],
    /// The last graph of this kind, for what can be taken over.
    pub before: Option<&'a Graph>,
}

impl GraphKind {
    /// Whether a person's changes of the graph are applied to it: to those whose edges are mentions, which a name and a
    /// passage say.
    pub fn takes_edits(&self) -> bool {
        self.layer.is_none()
    }
}

impl fmt::Debug for GraphKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Eq for GraphKind {}

impl PartialEq for GraphKind {
    fn eq(&self, other: &GraphKind) -> bool {
        self.name == other.name
    }
}

/// Every graph there is, in the order they are listed.
pub static GRAPHS: &[&GraphKind] = &[
    &ENTITY_PASSAGE,
    &TERM_PASSAGE,
    &chunks::source::CHUNK_SIMILARITY,
    &skeleton::source::UNIT_KNN,
    &skeleton::source::KEYWORD_UNIT,
    &skeleton::source::SKELETON,
    &heterograph::source::NODERAG,
    &summaries::source::ENTITY_CHUNK,
    &summaries::source::SUMMARY_TREE,
    &facts::source::PHRASE_PASSAGE,
    &typed::source::TYPED,
    &GIVEN,
];

/// A layer that can be built, by name.
#[derive(Debug)]
pub struct LayerKind {
    /// As `--layers` spells it.
    pub name: &'static str,
    /// One line: what it holds.
    pub about: &'static str,
    /// Builds it from an index and adds it there. Says what of it comes from a file beside the corpus, where that may be.
    pub build: Build,
}

/// How a layer is built.
pub type Build = fn(&Index, Scoped<'_>, &dyn Progress) -> Result<Option<String>, IndexError>;

/// Tells of a layer's build, whose steps are one to the person who waits.
fn told(
    layer: &'static str,
    progress: &dyn Progress,
) -> impl Fn(&'static str, usize, usize) -> bool {
    move |_, done, total| progress.advance(Step::Layer(layer), done, total)
}

/// Every layer there is, in the order they are listed.
pub static LAYERS: &[LayerKind] = &[
    LayerKind {
        name: HopLayer::NAME,
        about: "names with passage titles among them, and a vector for every sentence",
        build: |index, _, progress| {
            index.add_layer(HopLayer::build(index, progress)?);
            Ok(None)
        },
    },
    LayerKind {
        name: "e2graphrag",
        about: "chunks, their summary tree, entities that meet in sentences",
        build: |index, settings, progress| {
            let tell = told("e2graphrag", progress);
            index.add_layer(E2Graph::build(
                index,
                &summaries::E2Build::from(settings),
                &tell,
            )?);
            Ok(None)
        },
    },
    LayerKind {
        name: Ket::NAME,
        about: "units, kNN graph, keyword-text graph and skeleton graphs of KET-RAG",
        build: |index, settings, progress| {
            let tell = told(Ket::NAME, progress);
            let options = KetBuild::default().changed(settings, &BUILDS);
            index.add_layer(Ket::build(index, &options, &tell)?);
            Ok(None)
        },
    },
    LayerKind {
        name: NodeRagLayer::NAME,
        about: "NodeRAG's graph: texts, units, entities, relations, attributes, elements, overviews",
        build: |index, settings, progress| {
            let tell = told(NodeRagLayer::NAME, progress);
            index.add_layer(NodeRagLayer::build(
                index,
                &heterograph::NodeRagBuild::from(settings),
                &tell,
            )?);
            Ok(None)
        },
    },
    LayerKind {
        name: "sage",
        about: "chunks and table segments, their candidate pairs with every metric, links, words",
        build: |index, settings, progress| {
            let tell = told("sage", progress);
            index.add_layer(SageLayer::build(
                index,
                &chunks::options(index, settings),
                &tell,
            )?);
            Ok(None)
        },
    },
    LayerKind {
        name: FactsLayer::NAME,
        about: "facts of passages, their phrases and phrases alike, for HippoRAG 2",
        build: |index, _, progress| {
            let tell = told(FactsLayer::NAME, progress);
            let layer = FactsLayer::build(index, &tell)?;
            let read = facts::read(index, &layer);
            index.add_layer(layer);
            Ok(Some(read))
        },
    },
    LayerKind {
        name: SparkLayer::NAME,
        about: "a typed graph: objects and edges, read from nodes and edges beside the corpus",
        build: |index, settings, progress| {
            let tell = told(SparkLayer::NAME, progress);
            let build = typed::Build::of(typed::tables(index)?, settings);
            index.add_layer(SparkLayer::build(index, &build, &tell)?);
            Ok(None)
        },
    },
    LayerKind {
        name: GivenLayer::LABEL,
        about: "the graph that the corpus came with: entities and relations of LightRAG, GraphRAG and others",
        build: |index, _, progress| {
            let tell = told(GivenLayer::LABEL, progress);
            let layer = GivenLayer::build(index, &tell)?;
            let made = layer.made_by();
            index.add_layer(layer);
            Ok(Some(made))
        },
    },
];
