//! Betweenness: on which share of all shortest paths a node lies (Brandes, 2001), from all sources or a sample.
//!
//! Written out because rustworkx-core has no sampling of sources and adds up in the order in which threads finish, and
//! petgraph has no betweenness.

use super::adjacency::Adjacency;
use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Sources worked on at a time: their vectors are added in order before the next are begun.
const BATCH: usize = 16;

/// From where shortest paths are counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sources {
    All,
    /// So many nodes, drawn with this seed. All when there are no more.
    Sample {
        count: usize,
        seed: u64,
    },
}

/// Normalised betweenness of every node: 1 when every shortest path between two others leads over it. A sample of s
/// sources counts n / s times. Paths are unweighted; ends do not count. 0 for graphs of fewer than three nodes.
pub fn betweenness(graph: &Adjacency, sources: &Sources) -> Vec<f64> {
    let n = graph.node_count();
    let sources = drawn(n, sources);
    let mut sum = vec![0.0; n];
    if n < 3 || sources.is_empty() {
        return sum;
    }
    for batch in sources.chunks(BATCH) {
        let parts: Vec<Vec<f64>> = batch
            .par_iter()
            .map_init(
                || Search::new(n),
                |search, &s| search.dependencies(graph, s),
            )
            .collect();
        for part in parts {
            for (sum, value) in sum.iter_mut().zip(part) {
                *sum += value;
            }
        }
    }
    // Every undirected pair counts from both ends, so (n-1)(n-2) and not half of it.
    let pairs = (n - 1) as f64 * (n - 2) as f64;
    let scale = n as f64 / sources.len() as f64 / pairs;
    sum.iter_mut().for_each(|value| *value *= scale);
    sum
}

/// The sources in ascending order.
fn drawn(n: usize, sources: &Sources) -> Vec<u32> {
    let mut all: Vec<u32> = (0..n as u32).collect();
    if let Sources::Sample { count, seed } = *sources
        && count < n
    {
        // The nodes of the smallest hashes: a sample without replacement that depends on the seed and n alone.
        all.sort_by_cached_key(|u| (xxh3_64_with_seed(&u.to_le_bytes(), seed), *u));
        all.truncate(count);
        all.sort_unstable();
    }
    all
}

/// Room for one breadth-first search; clean between two.
struct Search {
    /// Distance from the source plus one; 0 for nodes not reached.
    level: Vec<u32>,
    /// Number of shortest paths.
    paths: Vec<f64>,
    order: Vec<u32>,
}

impl Search {
    fn new(n: usize) -> Search {
        Search {
            level: vec![0; n],
            paths: vec![0.0; n],
            order: Vec::with_capacity(n),
        }
    }

    /// For every node, the sum over targets of the share of shortest paths from `source` that lead over it.
    fn dependencies(&mut self, graph: &Adjacency, source: u32) -> Vec<f64> {
        let mut share = vec![0.0; self.level.len()];
        self.level[source as usize] = 1;
        self.paths[source as usize] = 1.0;
        self.order.push(source);
        let mut at = 0;
        while let Some(&u) = self.order.get(at) {
            at += 1;
            let next = self.level[u as usize] + 1;
            for &v in graph.neighbors_slice(u) {
                if self.level[v as usize] == 0 {
                    self.level[v as usize] = next;
                    self.order.push(v);
                }
                if self.level[v as usize] == next {
                    self.paths[v as usize] += self.paths[u as usize];
                }
            }
        }
        // Farthest first, every node hands what it has to those before it, by their number of paths.
        for &v in self.order.iter().rev() {
            let given = (1.0 + share[v as usize]) / self.paths[v as usize];
            for &u in graph.neighbors_slice(v) {
                if self.level[u as usize] + 1 == self.level[v as usize] {
                    share[u as usize] += self.paths[u as usize] * given;
                }
            }
        }
        share[source as usize] = 0.0;
        for v in self.order.drain(..) {
            self.level[v as usize] = 0;
            self.paths[v as usize] = 0.0;
        }
        share
    }
}

#[cfg(test)]
mod tests {
    use super::super::adjacency::undirected;
    use super::super::known::karate;
    use super::*;
    use proptest::prelude::*;

    fn graph(n: usize, pairs: &[(u32, u32)]) -> Adjacency {
        undirected(n, pairs.iter().map(|&(u, v)| (u, v, 1.0)))
    }

    #[test]
    fn a_path_and_a_square() {
        // On a path of four, each inner node lies between 2 of the 3 pairs of others.
        let b = betweenness(&graph(4, &[(0, 1), (1, 2), (2, 3)]), &Sources::All);
        let expected = [0.0, 2.0 / 3.0, 2.0 / 3.0, 0.0];
        assert!(
            b.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12),
            "{b:?}"
        );
        // On a square the one opposite pair has two paths: each node gets half of one pair of three.
        let b = betweenness(&graph(4, &[(0, 1), (1, 2), (2, 3), (3, 0)]), &Sources::All);
        assert!(b.iter().all(|v| (v - 1.0 / 6.0).abs() < 1e-12), "{b:?}");
        assert_eq!(betweenness(&graph(2, &[(0, 1)]), &Sources::All), [0.0, 0.0]);
    }

    #[test]
    fn the_karate_club() {
        let b = betweenness(&karate(), &Sources::All);
        let known = [
            (0, 0.43764),
            (33, 0.30407),
            (32, 0.14525),
            (2, 0.14366),
            (31, 0.13828),
            (1, 0.05394),
            (11, 0.0),
        ];
        for (u, value) in known {
            assert!((b[u] - value).abs() < 1e-5, "{u}: {}", b[u]);
        }
    }

    #[test]
    fn one_source_by_hand() {
        // On a path from node 1 (the draw of one of three is what it is): its dependencies times n / 1 / 2.
        let g = graph(3, &[(0, 1), (1, 2)]);
        for seed in 0..20 {
            let sources = Sources::Sample { count: 1, seed };
            let from = drawn(3, &sources);
            let expected = if from == [1] { 0.0 } else { 3.0 / 2.0 };
            assert_eq!(betweenness(&g, &sources), [0.0, expected, 0.0]);
        }
        let all: std::collections::BTreeSet<Vec<u32>> = (0..20)
            .map(|seed| drawn(3, &Sources::Sample { count: 1, seed }))
            .collect();
        assert_eq!(all.len(), 3);
    }

    /// By counting: paths through v = paths(s, v) paths(v, t) where the lengths add up.
    fn counted(g: &Adjacency) -> Vec<f64> {
        let n = g.node_count();
        let from: Vec<(Vec<u32>, Vec<f64>)> = (0..n as u32)
            .map(|s| {
                let mut search = Search::new(n);
                search.level[s as usize] = 1;
                search.paths[s as usize] = 1.0;
                let mut wave = vec![s];
                while !wave.is_empty() {
                    let mut next = Vec::new();
                    for u in wave {
                        for &v in g.neighbors_slice(u) {
                            if search.level[v as usize] == 0 {
                                search.level[v as usize] = search.level[u as usize] + 1;
                                next.push(v);
                            }
                            if search.level[v as usize] == search.level[u as usize] + 1 {
                                search.paths[v as usize] += search.paths[u as usize];
                            }
                        }
                    }
                    wave = next;
                }
                (search.level, search.paths)
            })
            .collect();
        let mut sum = vec![0.0; n];
        for s in 0..n {
            for t in (0..n).filter(|&t| t != s && from[s].0[t] > 0) {
                for (v, sum) in sum.iter_mut().enumerate() {
                    let on = v != s && v != t && from[s].0[v] > 0 && from[v].0[t] > 0;
                    if on && from[s].0[v] + from[v].0[t] == from[s].0[t] + 1 {
                        *sum += from[s].1[v] * from[v].1[t] / from[s].1[t];
                    }
                }
            }
        }
        let pairs = ((n - 1) * (n - 2)) as f64;
        sum.iter().map(|x| x / pairs).collect()
    }

    proptest! {
        #[test]
        fn as_counted(n in 3usize..15, pairs in prop::collection::vec((0u32..15, 0u32..15), 0..40)) {
            let g = graph(n, &pairs);
            let b = betweenness(&g, &Sources::All);
            for (a, b) in b.iter().zip(counted(&g)) {
                prop_assert!((a - b).abs() < 1e-9);
            }
            let sample = Sources::Sample { count: n, seed: 7 };
            prop_assert_eq!(betweenness(&g, &sample), b);
        }
    }
}
