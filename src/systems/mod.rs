//! Systems beside the entity walk: each has a layer of the index, a search, and a story of what the search did.
//!
//! A system is three files: `layer` builds its graph from an index and lays it out as columns, `search` seeds, spreads
//! and selects, `story` tells what happened. [`System`] is all the retriever knows of it, [`Found`] all that the trace,
//! the reasons and the explorer read.

pub mod e2graphrag;
pub mod graphs;
pub mod ket;
pub mod layers;
pub mod noderag;
pub mod sage;
pub mod spark;

pub use crate::retrieve::explanation::{Cut, Edge, Entry, Item, Part, Reason, Stage, Story};
pub use layers::{BuiltLayer, add_layers, build_layers, layers_named};

use crate::embed::Encoder;
use crate::index::Step;
use crate::index::{Dense, Index, IndexError, Layer, Progress};
use crate::retrieve::hop::HopLayer;
use crate::retrieve::{Hit, Parameter, RetrieveError, Settings};
use e2graphrag::E2Graph;
use ket::options::BUILDS;
use ket::{Ket, KetBuild};
use noderag::NodeRagLayer;
use sage::SageLayer;
use spark::SparkLayer;
use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

/// What a search is given.
pub struct Ask<'a> {
    pub index: &'a Arc<Index>,
    pub question: &'a str,
    pub settings: &'a Settings,
    /// The question's vector by the index's encoder; none in an index without vectors.
    pub vector: Option<&'a [f32]>,
    /// Hears of each stage as it ends, for the clock.
    pub stage: &'a mut dyn FnMut(&'static str),
}

impl<'a> Ask<'a> {
    /// The vectors of the passages and the question's own.
    ///
    /// # Errors
    /// An index without vectors.
    pub fn dense(&self) -> Result<(&'a Dense, &'a [f32]), RetrieveError> {
        match (self.index.dense(), self.vector) {
            (Some(dense), Some(vector)) => Ok((dense, vector)),
            _ => Err(RetrieveError::NoVectors {
                method: self.settings.method().name.clone(),
            }),
        }
    }

    /// The encoder of the index.
    ///
    /// # Errors
    /// An index without vectors.
    pub fn encoder(&self) -> Result<&'a dyn Encoder, RetrieveError> {
        self.dense().map(|(dense, _)| &*dense.encoder)
    }
}

/// A way to retrieve over a layer of its own. A method names one.
pub trait System: Debug + Send + Sync {
    /// The parameters that can change its result, in pipeline order.
    fn uses(&self) -> &'static [Parameter];

    /// The layer it reads.
    fn layer(&self) -> Option<&'static str>;

    /// Whether the layer or the search needs vectors.
    fn reads_vectors(&self) -> bool {
        true
    }

    /// # Errors
    /// A missing layer, missing vectors, or what an endpoint says.
    fn search(&self, ask: &mut Ask<'_>) -> Result<Arc<dyn Found>, RetrieveError>;
}

/// What a search found: the ranking, and everything needed to explain it.
pub trait Found: Any + Debug + Send + Sync {
    /// Best first, deeper than the top K where there is more. Scores fall.
    fn passages(&self) -> &[Hit];

    /// What happened, stage by stage.
    fn story(&self, index: &Index) -> Story;

    /// One sentence: why a passage is where it is.
    fn why(&self, index: &Index, passage: u32) -> String;

    /// The parts of a passage's score; they add up to it. Empty where the order is not by a sum.
    fn parts(&self, index: &Index, passage: u32) -> Vec<Part>;

    /// The text a reader is given, for systems that assemble one under a budget.
    fn context(&self, _index: &Index) -> Option<String> {
        None
    }

    /// Why a passage is not among the top K: the first is the verdict, all that apply are listed.
    fn missing(&self, index: &Index, passage: u32) -> Vec<Reason>;
}

/// A layer that can be built, by name.
#[derive(Debug)]
pub struct LayerKind {
    pub name: &'static str,
    /// One line: what it holds.
    pub about: &'static str,
    /// Builds it from an index and adds it there.
    pub build: fn(&Index, &Settings, &dyn Progress) -> Result<(), IndexError>,
}

/// Every layer there is, in the order they are listed.
pub static LAYERS: &[LayerKind] = &[
    LayerKind {
        name: HopLayer::NAME,
        about: "names with passage titles among them, and a vector for every sentence",
        build: |index, _, progress| {
            index.add_layer(HopLayer::build(index, progress)?);
            Ok(())
        },
    },
    LayerKind {
        name: "e2graphrag",
        about: "chunks, their summary tree, entities that meet in sentences",
        build: |index, settings, progress| {
            let tell = |_: &'static str, done, total| {
                progress.advance(Step::Layer("e2graphrag"), done, total)
            };
            index.add_layer(E2Graph::build(
                index,
                &e2graphrag::E2Build::from(settings.all()),
                &tell,
            )?);
            Ok(())
        },
    },
    LayerKind {
        name: Ket::NAME,
        about: "units, kNN graph, keyword-text graph and skeleton graphs of KET-RAG",
        build: |index, settings, progress| {
            let tell = |_: &'static str, done, total| {
                progress.advance(Step::Layer(Ket::NAME), done, total)
            };
            let options = KetBuild::default().changed(settings.all(), &BUILDS);
            index.add_layer(Ket::build(index, &options, &tell)?);
            Ok(())
        },
    },
    LayerKind {
        name: NodeRagLayer::NAME,
        about: "NodeRAG's graph: texts, units, entities, relations, attributes, elements, overviews",
        build: |index, settings, progress| {
            let watch = |_: &'static str, done, total| {
                progress.advance(Step::Layer(NodeRagLayer::NAME), done, total)
            };
            index.add_layer(NodeRagLayer::build(
                index,
                &noderag::NodeRagBuild::from(settings.all()),
                &watch,
            )?);
            Ok(())
        },
    },
    LayerKind {
        name: "sage",
        about: "chunks and table segments, their candidate pairs with every metric, links, words",
        build: |index, settings, progress| {
            let tell =
                |_: &'static str, done, total| progress.advance(Step::Layer("sage"), done, total);
            index.add_layer(SageLayer::build(
                index,
                &sage::options(index, settings.all()),
                &tell,
            )?);
            Ok(())
        },
    },
    LayerKind {
        name: SparkLayer::NAME,
        about: "a typed graph: objects and edges, read from nodes and edges beside the corpus",
        build: |index, _, progress| {
            let tell = |_: &'static str, done, total| {
                progress.advance(Step::Layer(SparkLayer::NAME), done, total)
            };
            index.add_layer(SparkLayer::build(index, &spark::tables(index)?, &tell)?);
            Ok(())
        },
    },
];
