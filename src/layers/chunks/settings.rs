//! What the settings say to the layer and to its edges.

use super::layer::SageBuild;
use super::pairs::EdgeRule;
use crate::parameters::Scoped;
use crate::parameters::{
    DROP_PERCENTILE, EDGE_LOGIC, EDGE_PERCENTILE, ENTITY_EDGES, ENTITY_MATCH, EntityMatch,
    LINK_EDGES, MIN_SENTENCES, PAIR_POOL, SEGMENT_ROWS, STRUCTURAL_EDGES, WINDOW,
};

impl From<Scoped<'_>> for EdgeRule {
    fn from(s: Scoped<'_>) -> EdgeRule {
        EdgeRule {
            percentile: s.get(EDGE_PERCENTILE),
            logic: s.get(EDGE_LOGIC),
            names: s.get(ENTITY_EDGES),
            fuzzy: s.get(ENTITY_MATCH) == EntityMatch::Fuzzy,
            sources: s.get(STRUCTURAL_EDGES),
            links: s.get(LINK_EDGES),
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
