//! Plain PageRank with uniform teleport, on an undirected, unweighted graph (KET-RAG, core chunks).

use super::adjacency::Adjacency;
use crate::graph::walk::Forward;
use crate::graph::{Dangling, Transition};

/// When the iteration stops, and how often it jumps.
#[derive(Clone, Debug, PartialEq)]
pub struct PageRankOptions {
    /// Share of the mass that follows edges; the rest is spread evenly over all nodes.
    pub damping: f64,
    /// Stop when the scores change by less than this in all (L1).
    pub tolerance: f64,
    pub most_iterations: usize,
}

impl Default for PageRankOptions {
    /// KET-RAG: damping 0.85, to 1e-6 or 100 iterations.
    fn default() -> PageRankOptions {
        PageRankOptions {
            damping: 0.85,
            tolerance: 1e-6,
            most_iterations: 100,
        }
    }
}

/// The scores of all nodes, and how they were reached.
#[derive(Clone, Debug, PartialEq)]
pub struct PageRank {
    /// Sum to 1.
    pub scores: Vec<f64>,
    pub iterations: usize,
    /// The change of the last iteration (L1).
    pub change: f64,
}

/// PageRank from the uniform start. Weights are not looked at; the mass of a node without edges is spread evenly.
pub fn pagerank(graph: &Adjacency, options: &PageRankOptions) -> PageRank {
    let n = graph.node_count();
    let mut out = PageRank {
        scores: vec![],
        iterations: 0,
        change: 0.0,
    };
    if n == 0 {
        return out;
    }
    let transition = Transition::of(graph, |_| 1.0);
    let even: Vec<(u32, f64)> = (0..n as u32).map(|u| (u, 1.0 / n as f64)).collect();
    // Restarts and dead ends both go to the seeds, which are all nodes evenly: that is uniform teleport.
    let mut walk = Forward::new(&transition, &even, Dangling::Reseed);
    let mut before: Vec<f64> = walk.mass().to_vec();
    while out.iterations < options.most_iterations {
        walk.step(options.damping, 1.0 - options.damping);
        out.iterations += 1;
        let moved = walk.mass().iter().zip(&before);
        out.change = moved.map(|(now, before)| (now - before).abs()).sum();
        if out.change < options.tolerance {
            break;
        }
        before.copy_from_slice(walk.mass());
    }
    out.scores = walk.into_mass();
    out
}

#[cfg(test)]
mod tests {
    use super::super::adjacency::undirected;
    use super::*;
    use proptest::prelude::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-6
    }

    #[test]
    fn a_star_by_hand() {
        // Centre c, three leaves l: c = .15/4 + .85 * 3 l, l = .15/4 + .85 c / 3.
        let g = undirected(4, [(0, 1, 5.0), (0, 2, 1.0), (0, 3, 1.0)]);
        let r = pagerank(&g, &PageRankOptions::default());
        let c = (0.0375 + 0.85 * 3.0 * 0.0375) / (1.0 - 0.85 * 0.85);
        assert!(close(r.scores[0], c), "{r:?} {c}");
        assert!(close(r.scores[1], (1.0 - c) / 3.0));
        assert!(r.change < 1e-6 && r.iterations < 100);
    }

    #[test]
    fn a_dead_end_spreads_its_mass_evenly() {
        // Two linked nodes and one alone: d = .05 + .85 d / 3.
        let g = undirected(3, [(0, 1, 1.0)]);
        let r = pagerank(&g, &PageRankOptions::default());
        let d = 0.05 / (1.0 - 0.85 / 3.0);
        assert!(close(r.scores[2], d), "{r:?} {d}");
        assert!(close(r.scores[0], (1.0 - d) / 2.0));
    }

    #[test]
    fn no_nodes_and_too_few_iterations() {
        assert!(
            pagerank(&undirected(0, []), &PageRankOptions::default())
                .scores
                .is_empty()
        );
        let g = undirected(3, [(0, 1, 1.0), (1, 2, 1.0)]);
        let options = PageRankOptions {
            most_iterations: 1,
            ..PageRankOptions::default()
        };
        let r = pagerank(&g, &options);
        assert_eq!(r.iterations, 1);
        // One step from thirds: the middle gets .05 + .85 * 2/3.
        assert!(close(r.scores[1], 0.05 + 0.85 * 2.0 / 3.0));
        assert!(r.change > 1e-6);
    }

    proptest! {
        #[test]
        fn scores_are_a_fixed_point(n in 1usize..30, pairs in prop::collection::vec((0u32..30, 0u32..30), 0..90)) {
            let g = undirected(n, pairs.iter().map(|&(u, v)| (u, v, 1.0)));
            let r = pagerank(&g, &PageRankOptions::default());
            prop_assert!((r.scores.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            let dead: f64 = (0..n).filter(|&u| g.out_degree(u as u32) == 0).map(|u| r.scores[u]).sum();
            for v in 0..n as u32 {
                let inflow: f64 = g.neighbors_slice(v).iter()
                    .map(|&u| r.scores[u as usize] / g.out_degree(u) as f64).sum();
                let next = (0.15 + 0.85 * dead) / n as f64 + 0.85 * inflow;
                prop_assert!((next - r.scores[v as usize]).abs() < 1e-5);
            }
        }
    }
}
