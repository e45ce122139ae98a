//! An undirected graph as rows of neighbours: petgraph's CSR, so that petgraph's own algorithms run on it as it is.

use petgraph::csr::Csr;
use petgraph::unionfind::UnionFind;

/// Every edge stands in the rows of both its ends; rows are ascending, without loops. `Directed` is petgraph's word for
/// "an arc stands where it was put"; its undirected CSR cannot be built in linear time.
pub type Adjacency = Csr<(), f32, petgraph::Directed, u32>;

/// The graph of these undirected edges. Weights of repeated edges add up, in the order given; loops are dropped, and
/// so is an edge to a node that is not below `nodes`.
pub fn undirected(nodes: usize, edges: impl IntoIterator<Item = (u32, u32, f32)>) -> Adjacency {
    let mut arcs: Vec<(u32, u32, f32)> = Vec::new();
    for (u, v, w) in edges {
        if u != v && (u as usize) < nodes && (v as usize) < nodes {
            arcs.push((u, v, w));
            arcs.push((v, u, w));
        }
    }
    arcs.sort_by_key(|&(u, v, _)| (u, v));
    arcs.dedup_by(|next, kept| {
        let same = (next.0, next.1) == (kept.0, kept.1);
        if same {
            kept.2 += next.2;
        }
        same
    });
    // Sorted and without repetition: the one thing the constructor can object to is not so.
    let mut graph = Adjacency::from_sorted_edges(&arcs).unwrap_or_default();
    while graph.node_count() < nodes {
        graph.add_node(());
    }
    graph
}

/// Undirected edges, each counted once.
pub fn edges(graph: &Adjacency) -> usize {
    graph.edge_count() / 2
}

/// Number of neighbours of every node.
pub fn degrees(graph: &Adjacency) -> Vec<u32> {
    (0..graph.node_count() as u32)
        .map(|u| graph.out_degree(u) as u32)
        .collect()
}

/// The connected component of every node, numbered in the order of their lowest nodes, and how many there are.
pub fn components(graph: &Adjacency) -> (Vec<u32>, usize) {
    let n = graph.node_count();
    let mut sets: UnionFind<u32> = UnionFind::new(n);
    for u in 0..n as u32 {
        for &v in graph.neighbors_slice(u) {
            sets.union(u, v);
        }
    }
    numbered(&sets.into_labeling())
}

/// Renames labels to 0, 1, ... in the order of first appearance; and how many there are.
pub(super) fn numbered(labels: &[u32]) -> (Vec<u32>, usize) {
    let most = labels.iter().max().map_or(0, |&l| l as usize + 1);
    let mut names = vec![u32::MAX; most];
    let mut next = 0;
    let renamed = labels
        .iter()
        .map(|&label| {
            let name = &mut names[label as usize];
            if *name == u32::MAX {
                *name = next;
                next += 1;
            }
            *name
        })
        .collect();
    (renamed, next as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_merge_and_loops_fall() {
        let edges_given = [
            (2, 0, 1.0),
            (0, 2, 0.5),
            (1, 1, 9.0),
            (0, 1, 2.0),
            (7, 0, 1.0),
        ];
        let g = undirected(5, edges_given);
        assert_eq!(g.node_count(), 5);
        assert_eq!(edges(&g), 2);
        assert_eq!(g.neighbors_slice(0), [1, 2]);
        assert_eq!(g.edges_slice(0), [2.0, 1.5]);
        assert_eq!(g.neighbors_slice(4), [0_u32; 0]);
        assert_eq!(degrees(&g), [2, 1, 1, 0, 0]);
        assert_eq!(undirected(0, []).node_count(), 0);
        assert_eq!(undirected(2, []).node_count(), 2);
    }

    #[test]
    fn components_are_numbered_by_lowest_node() {
        let g = undirected(6, [(3, 5, 1.0), (1, 4, 1.0), (4, 0, 1.0)]);
        assert_eq!(components(&g), (vec![0, 0, 1, 2, 0, 2], 3));
        assert_eq!(petgraph::algo::connected_components(&g), 3);
    }
}
