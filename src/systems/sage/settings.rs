//! What the settings say to SAGE.

use super::layer::SageBuild;
use super::pairs::{EdgeRule, Logic};
use super::search::{Nearness, Params, Seeding};
use crate::index::Bm25;
use crate::retrieve::Parameter as P;
use crate::retrieve::Settings;
use crate::text::Tokens;

impl From<&Settings> for Params {
    fn from(s: &Settings) -> Params {
        Params {
            tokens: Tokens::from_name(s.choice(P::Tokens)),
            bm25: Bm25 {
                k1: s.real(P::Bm25K1),
                b: s.real(P::Bm25B),
            },
            fuse_lexical: s.real(P::FuseLexical),
            fuse_dense: s.real(P::FuseDense),
            nearness: if s.choice(P::SageNearness) == "distance" {
                Nearness::Distance
            } else {
                Nearness::Cosine
            },
            seeding: if s.choice(P::SageSeeding) == "cutoff" {
                Seeding::Cutoff
            } else {
                Seeding::Fused
            },
            edges: EdgeRule {
                percentile: s.real(P::EdgePercentile),
                logic: if s.choice(P::EdgeLogic) == "and" {
                    Logic::And
                } else {
                    Logic::Or
                },
                entity_edges: s.on(P::EntityEdges),
                fuzzy: s.choice(P::EntityMatch) == "fuzzy",
            },
            structural: s.on(P::StructuralEdges),
            seeds: s.integer(P::SageSeeds),
            neighbours: s.integer(P::SageNeighbours),
        }
    }
}

impl From<&Settings> for SageBuild {
    fn from(s: &Settings) -> SageBuild {
        SageBuild {
            drop_percentile: s.real(P::DropPercentile),
            window: s.integer(P::Window),
            min_sentences: s.integer(P::MinSentences),
            segment_rows: s.integer(P::SegmentRows),
            pair_pool: s.integer(P::PairPool),
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
