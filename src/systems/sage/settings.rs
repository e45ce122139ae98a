//! What the settings say to SAGE.

use super::layer::SageBuild;
use super::pairs::EdgeRule;
use super::search::Params;
use crate::index::Bm25;
use crate::parameters::Scoped;
use crate::parameters::{
    BM25_B, BM25_K1, DROP_PERCENTILE, EDGE_LOGIC, EDGE_PERCENTILE, ENTITY_EDGES, ENTITY_MATCH,
    EntityMatch, FUSE_DENSE, FUSE_LEXICAL, MIN_SENTENCES, PAIR_POOL, SAGE_NEARNESS,
    SAGE_NEIGHBOURS, SAGE_SEEDING, SAGE_SEEDS, SEGMENT_ROWS, STRUCTURAL_EDGES, TOKENS, WINDOW,
};
use crate::retrieve::Parameter as P;

impl From<Scoped<'_>> for Params {
    fn from(s: Scoped<'_>) -> Params {
        Params {
            tokens: s.get(TOKENS),
            bm25: Bm25 {
                k1: s.get(BM25_K1),
                b: s.get(BM25_B),
            },
            fuse_lexical: s.get(FUSE_LEXICAL),
            fuse_dense: s.get(FUSE_DENSE),
            nearness: s.get(SAGE_NEARNESS),
            seeding: s.get(SAGE_SEEDING),
            edges: EdgeRule::from(s),
            structural: s.get(STRUCTURAL_EDGES),
            seeds: s.get(SAGE_SEEDS),
            neighbours: s.get(SAGE_NEIGHBOURS),
        }
    }
}

impl From<Scoped<'_>> for EdgeRule {
    fn from(s: Scoped<'_>) -> EdgeRule {
        EdgeRule {
            percentile: s.get(EDGE_PERCENTILE),
            logic: s.get(EDGE_LOGIC),
            entity_edges: s.get(ENTITY_EDGES),
            fuzzy: s.get(ENTITY_MATCH) == EntityMatch::Fuzzy,
        }
    }
}

impl From<Scoped<'_>> for SageBuild {
    fn from(s: Scoped<'_>) -> SageBuild {
        SageBuild {
            drop_percentile: s.get(DROP_PERCENTILE),
            window: s.get(WINDOW),
            min_sentences: s.get(MIN_SENTENCES),
            segment_rows: s.get(SEGMENT_ROWS),
            pair_pool: s.get(PAIR_POOL),
            links: None,
        }
    }
}

/// The parameters a search reads, in pipeline order. Those of the index stage act when the layer is built.
pub const USES: &[P] = &[
    P::Tokens,
    P::Bm25K1,
    P::Bm25B,
    P::EdgePercentile,
    P::EdgeLogic,
    P::EntityEdges,
    P::EntityMatch,
    P::StructuralEdges,
    P::FuseLexical,
    P::FuseDense,
    P::SageNearness,
    P::SageSeeding,
    P::SageSeeds,
    P::SageNeighbours,
];
