//! KET-RAG: a skeleton of a knowledge graph made from the most central texts, and a graph of keywords over all of them.
//!
//! | file | what lives there |
//! |---|---|
//! | `options` | what a layer is built with, what a search is told, the eight methods |
//! | `units`, `rows` | chunks and their slices; their vectors |
//! | `neighbours` | the kNN graph, PageRank, the core |
//! | `keywords` | the keyword-text graph |
//! | `extract`, `merge`, `skeleton` | names and relations of the core |
//! | `layer` | all of it as columns of an index |
//! | `text_part`, `local`, `search` | the two parts of the context, and the search |
//! | `story`, `why` | what happened; why a passage is there or missing |

pub mod extract;
pub mod keywords;
pub mod layer;
pub mod local;
pub mod merge;
pub mod neighbours;
pub mod options;
pub mod rows;
pub mod search;
pub mod skeleton;
pub mod story;
pub mod text_part;
pub mod units;
pub mod why;

use crate::parameters::{
    CHUNK_OVERLAP, CHUNK_TOKENS, CODE_CASE, CONTEXT_TOKENS, COOC, CORE_BY, CORE_SHARE, HALVINGS,
    JOINED, KEYWORD_SIMILARITY, KNN_K, OVERSAMPLE, PACK, PMI, Parameter as P, QUERY_ENTITIES,
    QUERY_KEYWORDS, RELATIONS_PER_ENTITY, RESULT_K, THETA,
};
pub use layer::Ket;
pub use options::{KetBuild, Params, Variant};
pub use search::{Run, search};

use crate::index::{Index, Layer};
use crate::parameters::{Origin, Scoped};
use crate::retrieve::{Hit, Parameter, RetrieveError};
use crate::systems::{Ask, Found, Part, Reason, Story, System};
use options::Changes;
use std::fmt;
use std::sync::Arc;

/// One of the eight methods.
#[derive(Debug)]
pub struct KetRag {
    pub variant: Variant,
}

impl System for KetRag {
    fn uses(&self) -> &'static [Parameter] {
        match self.variant {
            Variant::TextRag => &[
                P::ChunkTokens,
                P::ChunkOverlap,
                P::Halvings,
                P::Joined,
                P::ContextTokens,
                P::Pack,
            ],
            Variant::KnngRag => &[
                P::ChunkTokens,
                P::ChunkOverlap,
                P::Halvings,
                P::Joined,
                P::KnnK,
                P::ContextTokens,
                P::Pack,
            ],
            Variant::KeywordRag => &[
                P::ChunkTokens,
                P::ChunkOverlap,
                P::Halvings,
                P::Joined,
                P::CodeCase,
                P::KeywordSimilarity,
                P::QueryKeywords,
                P::ContextTokens,
                P::Pack,
            ],
            Variant::SkeletonRag => &[
                P::ChunkTokens,
                P::ChunkOverlap,
                P::Halvings,
                P::Joined,
                P::KnnK,
                P::CoreShare,
                P::Cooc,
                P::Pmi,
                P::CoreBy,
                P::QueryEntities,
                P::Oversample,
                P::RelationsPerEntity,
                P::ContextTokens,
            ],
            Variant::MsGraphRag => &[
                P::ChunkTokens,
                P::ChunkOverlap,
                P::Halvings,
                P::Joined,
                P::Cooc,
                P::Pmi,
                P::QueryEntities,
                P::Oversample,
                P::RelationsPerEntity,
                P::ContextTokens,
            ],
            Variant::HybridRag => &[
                P::ChunkTokens,
                P::ChunkOverlap,
                P::Halvings,
                P::Joined,
                P::Cooc,
                P::Pmi,
                P::QueryEntities,
                P::Oversample,
                P::RelationsPerEntity,
                P::Theta,
                P::ContextTokens,
                P::Pack,
            ],
            Variant::KetRagU | Variant::KetRagP => &[
                P::ChunkTokens,
                P::ChunkOverlap,
                P::Halvings,
                P::Joined,
                P::KnnK,
                P::CoreShare,
                P::Cooc,
                P::Pmi,
                P::CodeCase,
                P::KeywordSimilarity,
                P::QueryKeywords,
                P::QueryEntities,
                P::Oversample,
                P::RelationsPerEntity,
                P::Theta,
                P::ContextTokens,
                P::Pack,
            ],
        }
    }

    fn layer(&self) -> Option<&'static str> {
        Some(Ket::NAME)
    }

    fn search(&self, ask: &mut Ask<'_>) -> Result<Arc<dyn Found>, RetrieveError> {
        let params = Params::from_settings(self.variant, ask.settings.all());
        let layer = Ket::of(ask.index, &params)?;
        let run = search(
            &layer,
            ask.index,
            ask.question,
            ask.vector,
            &params,
            ask.stage,
        )?;
        Ok(Arc::new(Answer { run, layer, params }))
    }
}

impl Params {
    pub(in crate::systems) fn from_settings(variant: Variant, s: Scoped<'_>) -> Params {
        Params {
            variant,
            theta: s.get(THETA),
            context_tokens: s.get(CONTEXT_TOKENS),
            query_entities: s.get(QUERY_ENTITIES),
            relations_per_entity: s.get(RELATIONS_PER_ENTITY),
            query_keywords: s.get(QUERY_KEYWORDS),
            keyword_similarity: s.get(KEYWORD_SIMILARITY),
            pack: s.get(PACK),
            oversample: s.get(OVERSAMPLE),
            result_k: s.get(RESULT_K),
            changes: changes(s),
        }
    }
}

/// Only what the person set: everything else is as the layer was built.
pub fn changes(s: Scoped<'_>) -> Changes {
    let set = |p: P| s.origin(p) == Origin::User;
    Changes {
        chunk_tokens: (set(P::ChunkTokens) && s.get(CHUNK_TOKENS) > 0).then(|| s.get(CHUNK_TOKENS)),
        chunk_overlap: set(P::ChunkOverlap).then(|| s.get(CHUNK_OVERLAP)),
        halvings: s.get(HALVINGS).count().filter(|_| set(P::Halvings)),
        knn_k: set(P::KnnK).then(|| s.get(KNN_K)),
        core_share: set(P::CoreShare).then(|| s.get(CORE_SHARE)),
        core_by: set(P::CoreBy).then(|| s.get(CORE_BY)),
        code_case: set(P::CodeCase).then(|| s.get(CODE_CASE)),
        cooc: set(P::Cooc).then(|| s.get(COOC)),
        pmi: set(P::Pmi).then(|| s.get(PMI)),
        joined: set(P::Joined).then(|| s.get(JOINED)),
    }
}

/// What a layer is built with.
pub fn options_of(settings: Scoped<'_>) -> KetBuild {
    changes(settings).apply(&KetBuild::default())
}

/// What a search found, with the layer it read.
pub struct Answer {
    pub run: Run,
    pub layer: Arc<Ket>,
    pub params: Params,
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answer")
            .field("params", &self.params)
            .field("text", &self.run.text)
            .field("local", &self.run.local)
            .finish_non_exhaustive()
    }
}

impl Found for Answer {
    fn passages(&self) -> &[Hit] {
        &self.run.passages
    }

    fn story(&self, index: &Index) -> Story {
        story::story(self, index)
    }

    fn why(&self, index: &Index, passage: u32) -> String {
        why::why(self, index, passage)
    }

    fn context(&self, index: &Index) -> Option<String> {
        Some(self.run.context(&self.layer, index))
    }

    /// The order is by place in the context: one part.
    fn parts(&self, _index: &Index, passage: u32) -> Vec<Part> {
        let hits = &self.run.passages;
        let place = hits.iter().position(|hit| hit.passage == passage);
        let part = |at: usize| Part {
            label: "1 / place in the context".into(),
            value: f64::from(hits[at].score),
            why: format!(
                "place {} of {}, in the order in which the context was packed",
                at + 1,
                hits.len()
            ),
            ..Part::default()
        };
        place.map(part).into_iter().collect()
    }

    fn missing(&self, index: &Index, passage: u32) -> Vec<Reason> {
        why::missing(self, index, passage)
    }
}
