//! The layers of an index: what each holds, how it is built, and the graphs it gives.

pub mod e2graphrag;
pub mod graphs;
pub mod ket;
pub mod layers;
pub mod noderag;
pub mod sage;
pub mod spark;

pub use layers::{BuiltLayer, add_layers, build_layers, layers_named};

use crate::index::{Index, IndexError, Layer, Progress, Step};
use crate::retrieve::Settings;
use crate::retrieve::hop::HopLayer;
use e2graphrag::E2Graph;
use ket::options::BUILDS;
use ket::{Ket, KetBuild};
use noderag::NodeRagLayer;
use sage::SageLayer;
use spark::SparkLayer;

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
