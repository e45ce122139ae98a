//! From an index to the layer: decomposition, profiles, communities, semantic matching, vectors, similarity edges.

use super::apart::Apart;
use super::attributes::{Attribute, CoreRule, attribute, important};
use super::graph::{Draft, Piece, Place};
use super::layer::{Counts, NodeRagLayer};
use super::node::Kind;
use crate::embed::{Encoder, Hnsw, HnswOptions, Kind as EncoderKind, Vectors};
use crate::graph::betweenness::Sources;
use crate::graph::neighbours::base_layer;
use crate::index::{Dense, Index, IndexError, Layer};
use crate::llm::task::{self, AttributeInput, OneText};
use crate::llm::{Llm, Origin, any};
use crate::parameters::{CHUNK_TOKENS, CORE_RULE, MATCH_CLUSTER_SIZE, Scoped};
use crate::text::summarize::Idf;
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What the layer is built with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NodeRagBuild {
    /// Passages of more tokens are cut.
    pub chunk_tokens: usize,
    /// Titles are entities of their texts. Layers that were built before have not.
    #[serde(default)]
    pub titles: bool,
    pub core_rule: CoreRule,
    /// Sources of the sampled betweenness; 0 takes all.
    pub betweenness_sources: usize,
    /// Elements are matched by clusters when there are more rows per cluster than this.
    pub match_cluster_size: usize,
    pub resolution: f64,
    /// Neighbours and candidates of the small-world graph; layer 0 has twice as many neighbours.
    pub hnsw_m: usize,
    pub hnsw_ef: usize,
    pub seed: u64,
}

impl Default for NodeRagBuild {
    /// NodeRAG's own settings file.
    fn default() -> NodeRagBuild {
        NodeRagBuild {
            chunk_tokens: 1048,
            titles: true,
            core_rule: CoreRule::KCore,
            betweenness_sources: 10,
            match_cluster_size: 39,
            resolution: 1.0,
            hnsw_m: 50,
            hnsw_ef: 200,
            seed: 0,
        }
    }
}

impl From<Scoped<'_>> for NodeRagBuild {
    fn from(values: Scoped<'_>) -> NodeRagBuild {
        let own = NodeRagBuild::default();
        NodeRagBuild {
            chunk_tokens: match values.get(CHUNK_TOKENS) {
                0 => own.chunk_tokens,
                tokens => tokens.max(50),
            },
            core_rule: values.get(CORE_RULE),
            match_cluster_size: values.get(MATCH_CLUSTER_SIZE),
            ..own
        }
    }
}

/// Hears of the parts of the build, how much of one is done and of how much; false cancels.
pub type Watch<'w> = &'w dyn Fn(&'static str, usize, usize) -> bool;

/// Passages between two reports.
const BATCH: usize = 1024;

const STRUCTURE: [Kind; 3] = [Kind::Unit, Kind::Entity, Kind::Relation];

impl NodeRagLayer {
    /// Builds the layer. Reads passages and the encoder; the same index and options give the same bytes.
    ///
    /// # Errors
    /// An index without vectors, a cancelled build, or what an endpoint says.
    pub fn build(
        index: &Index,
        options: &NodeRagBuild,
        watch: Watch<'_>,
    ) -> Result<NodeRagLayer, IndexError> {
        let dense = index.dense_for(NodeRagLayer::NAME)?;
        let mut build = Build {
            index,
            dense,
            options,
            watch,
            draft: Draft::default(),
            llm: index.llm(),
            counts: Counts::default(),
            known: FxHashSet::default(),
            idf: Idf::default(),
            rows: Vec::new(),
        };
        build.decompose()?;
        build.attributes()?;
        build.communities()?;
        build.finish()
    }
}

/// A layer under construction.
pub(super) struct Build<'a> {
    pub(super) index: &'a Index,
    pub(super) dense: &'a Dense,
    pub(super) options: &'a NodeRagBuild,
    pub(super) watch: Watch<'a>,
    pub(super) llm: Arc<Llm>,
    pub(super) draft: Draft,
    pub(super) counts: Counts,
    pub(super) known: FxHashSet<String>,
    pub(super) idf: Idf,
    /// Vectors of T, S, A and H, row by row, as they come to be.
    pub(super) rows: Vec<f32>,
}

impl Build<'_> {
    pub(super) fn tell(
        &self,
        part: &'static str,
        done: usize,
        total: usize,
    ) -> Result<(), IndexError> {
        if (self.watch)(part, done, total) {
            Ok(())
        } else {
            Err(IndexError::Cancelled)
        }
    }

    pub(super) fn dims(&self) -> usize {
        self.dense.vectors.dims()
    }

    /// Appends the vectors of these texts.
    pub(super) fn embed(
        &mut self,
        part: &'static str,
        texts: &[(&str, &str)],
    ) -> Result<(), IndexError> {
        let total = texts.len();
        let encoder: &dyn Encoder = &*self.dense.encoder;
        let watch = self.watch;
        let rows = encoder.passages(texts, &|done| watch(part, done, total))?;
        self.rows.extend(rows);
        Ok(())
    }

    /// T, S, N, R and the vectors of T and S.
    fn decompose(&mut self) -> Result<(), IndexError> {
        let index = self.index;
        let passages = index.passages();
        let total = passages.len();
        self.idf = Idf::new(passages.texts.iter());
        let apart = Apart::new(index, self.options.chunk_tokens, self.options.titles);
        apart.announce();
        let watch = self.watch;
        for start in (0..total).step_by(BATCH) {
            self.tell("units", start, total)?;
            let batch: Vec<Piece> = (start..total.min(start + BATCH))
                .into_par_iter()
                .flat_map_iter(|p| apart.pieces(p as u32))
                .collect();
            let go_on = |done: usize| watch("units", (start + done).min(total), total);
            let said = apart.take(&batch, &mut self.counts.made, &go_on)?;
            for (piece, out) in batch.iter().zip(&said) {
                self.draft.add(*piece, out);
            }
        }
        self.known = apart.known;
        let texts: Vec<(String, String)> = self
            .draft
            .pieces
            .iter()
            .map(|piece| {
                let text = piece.of(passages.text(piece.passage as usize));
                let heading = index.heading(piece.passage);
                (heading.into_owned(), text.to_owned())
            })
            .chain(
                self.draft.labels[Kind::Unit as usize]
                    .iter()
                    .enumerate()
                    .map(
                        // A unit whose subject is a pronoun is made readable by its subject, as a paraphrase would be.
                        |(at, label)| {
                            let about = &self.draft.about[at];
                            let text = label.strip_prefix(about.as_str()).unwrap_or(label);
                            let text = text.strip_prefix(": ").filter(|_| !about.is_empty());
                            (about.clone(), text.unwrap_or(label).to_owned())
                        },
                    ),
            )
            .collect();
        let borrowed: Vec<(&str, &str)> = texts.iter().map(|(a, b)| (&**a, &**b)).collect();
        self.embed("vectors", &borrowed)
    }

    /// A, its edges and vectors.
    fn attributes(&mut self) -> Result<(), IndexError> {
        self.tell("attributes", 0, 1)?;
        let (graph, first) = self.draft.graph(&STRUCTURE);
        let starts = self.draft.starts();
        let entities =
            starts[Kind::Entity as usize] - first..starts[Kind::Relation as usize] - first;
        let sources = match self.options.betweenness_sources {
            0 => Sources::All,
            count => Sources::Sample {
                count,
                seed: self.options.seed,
            },
        };
        let seen = &self.draft.weights[Kind::Entity as usize];
        let found = important(
            &graph,
            entities.clone(),
            seen,
            self.options.core_rule,
            &sources,
        );
        self.counts.core_k = found.k;
        self.counts.core = found.core.len();
        self.counts.between = found.between.len();
        let all = found.all();
        let (units, relations) = (
            &self.draft.labels[Kind::Unit as usize],
            &self.draft.labels[Kind::Relation as usize],
        );
        let unit_count = self.draft.count(Kind::Unit) as u32;
        let (draft, idf) = (&self.draft, &self.idf);
        let inputs: Vec<(Attribute<'_>, Vec<u32>)> = all
            .par_iter()
            .map(|&entity| {
                let near = graph.neighbors_slice(entities.start + entity);
                let own: Vec<u32> = near.iter().copied().filter(|&u| u < unit_count).collect();
                let lines = near.iter().filter(|&&r| r >= entities.end);
                let input = Attribute {
                    name: &draft.labels[Kind::Entity as usize][entity as usize],
                    person: 2 * draft.persons[entity as usize]
                        > draft.weights[Kind::Entity as usize][entity as usize],
                    units: own.iter().map(|&u| &*units[u as usize]).collect(),
                    relations: lines
                        .flat_map(|&r| relations[(r - entities.end) as usize].lines())
                        .collect(),
                };
                (input, own)
            })
            .collect();
        let by_rules = |input: &Attribute<'_>, own: &[u32]| {
            let out = attribute(input, idf);
            let sources = out.units.iter().map(|&at| own[at as usize]).collect();
            (out.text, sources)
        };
        let mut made: Vec<(String, Vec<u32>)> = Vec::new();
        if self.llm.thinks() {
            let asked: Vec<AttributeInput> = inputs.iter().map(|(i, _)| i.asked()).collect();
            self.llm
                .announce::<task::Attribute>(&self.llm.estimate::<task::Attribute>(&asked));
            let (watch, total) = (self.watch, asked.len());
            let go_on = |done| watch("attributes", done, total);
            let nothing = |_: &AttributeInput| OneText::default();
            let answers = self
                .llm
                .items::<task::Attribute>(&asked, &any, nothing, &go_on)
                .map_err(|_| IndexError::Cancelled)?;
            for (((input, own), asked), answer) in inputs.iter().zip(&asked).zip(answers) {
                self.counts.made.count(&answer);
                made.push(match answer.origin {
                    // It is made from what was told.
                    Origin::Llm { .. } => (answer.value.text, own[..asked.units.len()].to_vec()),
                    _ => by_rules(input, own),
                });
            }
        } else {
            made.par_extend(inputs.par_iter().map(|(input, own)| by_rules(input, own)));
        }
        drop(inputs);
        for (&entity, (text, sources)) in all.iter().zip(&made) {
            // The profile's identity is its entity.
            let node = self.draft.node(Kind::Attribute, &entity.to_string(), text);
            let entity = Place {
                kind: Kind::Entity,
                at: entity,
            };
            self.draft.tie(entity, node);
            self.draft.sources[0].push(sources.clone());
        }
        let texts: Vec<(&str, &str)> = made.iter().map(|(text, _)| ("", &**text)).collect();
        self.embed("attributes", &texts)
    }

    /// Vectors, similarity edges, and everything as columns.
    fn finish(mut self) -> Result<NodeRagLayer, IndexError> {
        let identity = self.dense.vectors.identity().clone();
        let small = identity.kind == EncoderKind::Static;
        let mut vectors = Vectors::new(identity, std::mem::take(&mut self.rows))?;
        if small {
            vectors = vectors.quantised();
        }
        let hnsw = HnswOptions {
            m: self.options.hnsw_m,
            ef_construction: self.options.hnsw_ef,
            seed: self.options.seed,
        };
        let (watch, total) = (self.watch, vectors.len());
        let built = Hnsw::build(&vectors, &hnsw, &|done| watch("similar", done, total))?;
        let empty = |row: u32| vectors.between(row, row) == 0.0;
        let mut near = base_layer(&built);
        // A text that says nothing the encoder knows is similar to nothing.
        near.retain(|&(a, b)| !empty(a) && !empty(b));
        drop(built);
        Ok(NodeRagLayer::into_columns(
            self.draft,
            vectors,
            &near,
            self.options.clone(),
            self.counts,
        ))
    }
}
