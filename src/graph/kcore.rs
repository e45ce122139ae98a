//! Core numbers: the largest k for which a node belongs to a subgraph in which every node has at least k neighbours.

use super::adjacency::{Adjacency, degrees};

/// The core number of every node (Batagelj and Zaversnik, 2003): nodes leave in the order of the degree they have left,
/// kept sorted by buckets, in time linear in the edges. Weights are not looked at.
pub fn core_numbers(graph: &Adjacency) -> Vec<u32> {
    let mut core = degrees(graph);
    let most = core.iter().max().map_or(0, |&d| d as usize);
    // Nodes sorted by degree; `start[d]` is the place of the first of degree d, `place` is where a node stands.
    let mut start = vec![0usize; most + 2];
    for &d in &core {
        start[d as usize + 1] += 1;
    }
    for d in 0..=most {
        start[d + 1] += start[d];
    }
    let mut next = start.clone();
    let mut order = vec![0u32; core.len()];
    let mut place = vec![0usize; core.len()];
    for (u, &d) in core.iter().enumerate() {
        let at = &mut next[d as usize];
        order[*at] = u as u32;
        place[u] = *at;
        *at += 1;
    }
    for i in 0..order.len() {
        let u = order[i];
        for &v in graph.neighbors_slice(u) {
            let (d, own) = (core[v as usize] as usize, core[u as usize]);
            if core[v as usize] > own {
                // v changes places with the first of its bucket and the bucket begins one later.
                let (first, at) = (start[d], place[v as usize]);
                let other = order[first];
                order.swap(first, at);
                place[other as usize] = at;
                place[v as usize] = first;
                start[d] += 1;
                core[v as usize] -= 1;
            }
        }
    }
    core
}

#[cfg(test)]
mod tests {
    use super::super::adjacency::undirected;
    use super::super::known::karate;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_triangle_with_a_tail() {
        let g = undirected(
            6,
            [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4)].map(|(u, v)| (u, v, 1.0)),
        );
        assert_eq!(core_numbers(&g), [2, 2, 2, 1, 1, 0]);
        assert!(core_numbers(&undirected(0, [])).is_empty());
    }

    #[test]
    fn the_karate_club_has_a_four_core_of_ten() {
        let core = core_numbers(&karate());
        let inner: Vec<usize> = (0..34).filter(|&u| core[u] == 4).collect();
        assert_eq!(inner, [0, 1, 2, 3, 7, 8, 13, 30, 32, 33]);
        assert_eq!(core.iter().max(), Some(&4));
        assert_eq!(core[11], 1);
    }

    /// By definition: take away nodes with fewer than k neighbours until none is left to take.
    fn in_core(g: &Adjacency, k: u32) -> Vec<bool> {
        let n = g.node_count();
        let mut kept = vec![true; n];
        loop {
            let left = |u: usize, kept: &[bool]| {
                let near = g.neighbors_slice(u as u32).iter();
                near.filter(|&&v| kept[v as usize]).count() as u32
            };
            let Some(out) = (0..n).find(|&u| kept[u] && left(u, &kept) < k) else {
                return kept;
            };
            kept[out] = false;
        }
    }

    proptest! {
        #[test]
        fn as_defined(n in 1usize..25, pairs in prop::collection::vec((0u32..25, 0u32..25), 0..120)) {
            let g = undirected(n, pairs.iter().map(|&(u, v)| (u, v, 1.0)));
            let core = core_numbers(&g);
            for k in 0..8 {
                let kept = in_core(&g, k);
                for u in 0..n {
                    prop_assert_eq!(core[u] >= k, kept[u]);
                }
            }
        }
    }
}
