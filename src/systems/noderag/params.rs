//! The parameters of a search, with the defaults of the source's settings file.

use super::build::NodeRagBuild;
use super::view::ViewKey;
use crate::graph::walk::{lazy_weights, length_weights};
use crate::parameters::Scoped;
use crate::parameters::{
    ALPHA, CHUNK_TOKENS, CORE_RULE, HNSW_EDGES, HUB_BALANCE, MATCH_CLUSTER_SIZE, NODE_ORDER,
    QUOTA_N, QUOTA_O, QUOTA_OTHER, QUOTA_R, QUOTA_SHARED, RESULT_K, S_R_EDGES, STEPS, VECTOR_HITS,
    WALK_RULE, WEIGHT_EXACT, WEIGHT_VECTOR,
};
pub use crate::parameters::{NodeOrder, WalkRule};
use crate::retrieve::Parameter as P;

/// One field a parameter; the names are those of the registry.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    pub hnsw_edges: bool,
    pub s_r_edges: bool,
    pub hub_balance: bool,
    pub vector_hits: usize,
    /// What an exact match and a vector hit weigh in the personalisation; an exact match that is also a vector hit
    /// counts as exact. 0 leaves them out: then the search is not dual any more.
    pub weight_exact: f64,
    pub weight_vector: f64,
    pub walk_rule: WalkRule,
    pub alpha: f64,
    pub steps: usize,
    pub quota_n: usize,
    pub quota_r: usize,
    pub quota_o: usize,
    /// Cross nodes of kind T, S, A and H: together when shared (code), else of each (paper).
    pub quota_other: usize,
    pub quota_shared: bool,
    pub node_order: NodeOrder,
    pub result_k: usize,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            hnsw_edges: true,
            s_r_edges: false,
            hub_balance: true,
            vector_hits: 10,
            weight_exact: 1.0,
            weight_vector: 1.0,
            walk_rule: WalkRule::Restart,
            alpha: 0.5,
            steps: 2,
            quota_n: 10,
            quota_r: 30,
            quota_o: 10,
            quota_other: 10,
            quota_shared: true,
            node_order: NodeOrder::Output,
            result_k: 10,
        }
    }
}

/// The parameters that change a result, in pipeline order. Those of the index stage act when the layer is built.
pub static USES: &[P] = &[
    P::HnswEdges,
    P::SREdges,
    P::HubBalance,
    P::VectorHits,
    P::WeightExact,
    P::WeightVector,
    P::WalkRule,
    P::Alpha,
    P::Steps,
    P::QuotaN,
    P::QuotaR,
    P::QuotaO,
    P::QuotaOther,
    P::QuotaShared,
    P::NodeOrder,
];

impl From<Scoped<'_>> for Params {
    fn from(s: Scoped<'_>) -> Params {
        Params {
            hnsw_edges: s.get(HNSW_EDGES),
            s_r_edges: s.get(S_R_EDGES),
            hub_balance: s.get(HUB_BALANCE),
            vector_hits: s.get(VECTOR_HITS),
            weight_exact: s.get(WEIGHT_EXACT),
            weight_vector: s.get(WEIGHT_VECTOR),
            walk_rule: s.get(WALK_RULE),
            alpha: s.get(ALPHA),
            steps: s.get(STEPS),
            quota_n: s.get(QUOTA_N),
            quota_r: s.get(QUOTA_R),
            quota_o: s.get(QUOTA_O),
            quota_other: s.get(QUOTA_OTHER),
            quota_shared: s.get(QUOTA_SHARED),
            node_order: s.get(NODE_ORDER),
            result_k: s.get(RESULT_K),
        }
    }
}

impl From<Scoped<'_>> for NodeRagBuild {
    fn from(s: Scoped<'_>) -> NodeRagBuild {
        let own = NodeRagBuild::default();
        NodeRagBuild {
            chunk_tokens: match s.get(CHUNK_TOKENS) {
                0 => own.chunk_tokens,
                tokens => tokens.max(50),
            },
            core_rule: s.get(CORE_RULE),
            match_cluster_size: s.get(MATCH_CLUSTER_SIZE),
            ..own
        }
    }
}

impl Params {
    pub fn view(&self) -> ViewKey {
        ViewKey {
            hnsw_edges: self.hnsw_edges,
            s_r_edges: self.s_r_edges,
            hub_balance: self.hub_balance,
        }
    }

    /// What walks of each length 0..=steps weigh: `pi = sum of c_k (P^T)^k p`.
    pub fn lengths(&self) -> Vec<f64> {
        match self.walk_rule {
            WalkRule::Restart => length_weights(self.alpha, self.steps),
            WalkRule::Lazy => lazy_weights(self.alpha, self.steps),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_both_rules() {
        let restart = Params::default();
        assert_eq!(restart.lengths(), [0.5, 0.25, 0.25]);
        let lazy = Params {
            walk_rule: WalkRule::Lazy,
            ..Params::default()
        };
        assert_eq!(lazy.lengths(), [0.25, 0.5, 0.25]);
        for rule in [WalkRule::Restart, WalkRule::Lazy] {
            let many = Params {
                walk_rule: rule,
                alpha: 0.3,
                steps: 50,
                ..Params::default()
            };
            assert_eq!(many.lengths().len(), 51);
            assert!((many.lengths().iter().sum::<f64>() - 1.0).abs() < 1e-12);
            let none = Params { steps: 0, ..many };
            assert_eq!(none.lengths(), [1.0]);
        }
    }
}
