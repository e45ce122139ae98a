//! The co-occurrence graph: counting pairs, and shortest paths between two vertices.

use crate::column::Column;

/// Pairs of entities with the number of times they met and the first sentence they met in, while a layer is built.
#[derive(Default)]
pub struct Pairs {
    /// Ordered by pair, each once.
    merged: Vec<Pair>,
    fresh: Vec<Pair>,
}

#[derive(Clone, Copy)]
struct Pair {
    ends: (u32, u32),
    count: u32,
    sentence: u32,
}

/// Pairs held before they are merged: bounds the room a build needs.
const HELD: usize = 1 << 22;
/// Only the nearest so many items of a sentence meet. Prose never has as many; a table without full stops has.
const NEAR: usize = 64;

impl Pairs {
    /// Every unordered pair of items of a sentence meets once; an item does not meet itself.
    pub fn sentence(&mut self, items: &[u32], sentence: u32) {
        for (at, &a) in items.iter().enumerate() {
            for &b in items[at + 1..].iter().take(NEAR) {
                if a != b {
                    self.fresh.push(Pair {
                        ends: (a.min(b), a.max(b)),
                        count: 1,
                        sentence,
                    });
                }
            }
        }
        if self.fresh.len() > HELD {
            self.merge();
        }
    }

    fn merge(&mut self) {
        let mut all = std::mem::take(&mut self.merged);
        all.append(&mut self.fresh);
        // Stable: of equal pairs the older one, which has the first sentence, comes first.
        all.sort_by_key(|pair| pair.ends);
        all.dedup_by(|next, kept| {
            let same = next.ends == kept.ends;
            if same {
                kept.count = kept.count.saturating_add(next.count);
            }
            same
        });
        self.merged = all;
    }

    /// The graph over `vertices` entities.
    pub fn finish(mut self, vertices: usize) -> Graph {
        self.merge();
        let mut offsets = vec![0u64; vertices + 1];
        for pair in &self.merged {
            offsets[pair.ends.0 as usize + 1] += 1;
            offsets[pair.ends.1 as usize + 1] += 1;
        }
        for vertex in 0..vertices {
            offsets[vertex + 1] += offsets[vertex];
        }
        let arcs = 2 * self.merged.len();
        let (mut targets, mut weights, mut sentences) =
            (vec![0; arcs], vec![0; arcs], vec![0; arcs]);
        let mut next = offsets.clone();
        // Pairs come ordered: the lower ends of a vertex arrive before its own pairs do, both ascending.
        for pair in &self.merged {
            for (from, to) in [(pair.ends.1, pair.ends.0), (pair.ends.0, pair.ends.1)] {
                let at = next[from as usize] as usize;
                next[from as usize] += 1;
                (targets[at], weights[at], sentences[at]) = (to, pair.count, pair.sentence);
            }
        }
        Graph {
            offsets: offsets.into(),
            targets: targets.into(),
            weights: weights.into(),
            sentences: sentences.into(),
        }
    }
}

/// Undirected graph; every edge stands in both rows, neighbours ascending.
#[derive(Default)]
pub struct Graph {
    pub offsets: Column<u64>,
    pub targets: Column<u32>,
    /// How often the two met.
    pub weights: Column<u32>,
    /// The first sentence they met in.
    pub sentences: Column<u32>,
}

/// Marks of a search between pairs, reused from pair to pair.
#[derive(Default)]
pub struct Scratch {
    /// Which search last touched a vertex, and from which vertex: one per side.
    stamp: [Vec<u32>; 2],
    parent: [Vec<u32>; 2],
    now: u32,
}

impl Graph {
    pub fn vertices(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    fn row(&self, vertex: u32) -> std::ops::Range<usize> {
        let at = vertex as usize;
        match (self.offsets.get(at), self.offsets.get(at + 1)) {
            (Some(&start), Some(&end)) => start as usize..end as usize,
            _ => 0..0,
        }
    }

    pub fn neighbours(&self, vertex: u32) -> &[u32] {
        self.targets.get(self.row(vertex)).unwrap_or_default()
    }

    /// Weight and first sentence of an edge.
    pub fn edge(&self, a: u32, b: u32) -> Option<(u32, u32)> {
        let row = self.row(a);
        let at = row.start + self.targets.get(row)?.binary_search(&b).ok()?;
        Some((*self.weights.get(at)?, *self.sentences.get(at)?))
    }

    /// A shortest path from `a` to `b` of at most `most` edges, both ends in it; none if they are farther apart.
    ///
    /// Two searches meet in the middle; the side with fewer edges to look at moves, ties to `a`'s. The first meeting in
    /// order of the frontier and of the rows is taken, so the path depends on the graph alone.
    pub fn path(&self, a: u32, b: u32, most: usize, scratch: &mut Scratch) -> Option<Vec<u32>> {
        if a == b {
            return Some(vec![a]);
        }
        scratch.begin(self.vertices(), a, b);
        let mut frontier = [vec![a], vec![b]];
        for _ in 0..most {
            let cost = |side: &Vec<u32>| side.iter().map(|&v| self.row(v).len()).sum::<usize>();
            let side = usize::from(cost(&frontier[0]) > cost(&frontier[1]));
            let mut reached = Vec::new();
            for &from in &frontier[side] {
                for &to in self.neighbours(from) {
                    if scratch.seen(1 - side, to) {
                        return Some(scratch.join(side, from, to));
                    }
                    if !scratch.seen(side, to) {
                        scratch.mark(side, to, from);
                        reached.push(to);
                    }
                }
            }
            if reached.is_empty() {
                return None;
            }
            frontier[side] = reached;
        }
        None
    }
}

impl Scratch {
    fn begin(&mut self, vertices: usize, a: u32, b: u32) {
        if self.stamp[0].len() != vertices || self.now == u32::MAX {
            self.stamp = [vec![0; vertices], vec![0; vertices]];
            self.parent = [vec![0; vertices], vec![0; vertices]];
            self.now = 0;
        }
        self.now += 1;
        self.mark(0, a, a);
        self.mark(1, b, b);
    }

    fn seen(&self, side: usize, vertex: u32) -> bool {
        self.stamp[side][vertex as usize] == self.now
    }

    fn mark(&mut self, side: usize, vertex: u32, parent: u32) {
        self.stamp[side][vertex as usize] = self.now;
        self.parent[side][vertex as usize] = parent;
    }

    /// From the start of side 0 over the edge from-to to the start of side 1.
    fn join(&self, side: usize, from: u32, to: u32) -> Vec<u32> {
        let (left, right) = if side == 0 { (from, to) } else { (to, from) };
        let mut path = self.back(0, left);
        path.reverse();
        path.extend(self.back(1, right));
        path
    }

    fn back(&self, side: usize, mut vertex: u32) -> Vec<u32> {
        let mut path = vec![vertex];
        while self.parent[side][vertex as usize] != vertex {
            vertex = self.parent[side][vertex as usize];
            path.push(vertex);
        }
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn graph(vertices: usize, sentences: &[&[u32]]) -> Graph {
        let mut pairs = Pairs::default();
        for (number, items) in sentences.iter().enumerate() {
            pairs.sentence(items, number as u32);
        }
        pairs.finish(vertices)
    }

    #[test]
    fn pairs_count_occurrences_and_keep_their_first_sentence() {
        // Items 0 1 0 meet: 0-1 twice, 0-0 never. Sentence 1 adds one.
        let g = graph(4, &[&[0, 1, 0], &[1, 0, 2]]);
        assert_eq!(g.edge(0, 1), Some((3, 0)));
        assert_eq!(g.edge(2, 0), Some((1, 1)));
        assert_eq!(
            (g.edge(0, 0), g.edge(0, 3), g.edge(9, 0)),
            (None, None, None)
        );
        assert_eq!(g.neighbours(1), [0, 2]);
        assert!(g.neighbours(3).is_empty());
    }

    #[test]
    fn the_shortest_path_is_found_and_bounded() {
        // 0-1-2-3-4 and a detour 0-5-6-4 of three edges.
        let g = graph(
            8,
            &[
                &[0, 1],
                &[1, 2],
                &[2, 3],
                &[3, 4],
                &[0, 5],
                &[5, 6],
                &[6, 4],
            ],
        );
        let mut scratch = Scratch::default();
        assert_eq!(g.path(0, 4, 4, &mut scratch), Some(vec![0, 5, 6, 4]));
        assert_eq!(g.path(0, 4, 2, &mut scratch), None);
        assert_eq!(g.path(0, 1, 1, &mut scratch), Some(vec![0, 1]));
        assert_eq!(g.path(0, 1, 0, &mut scratch), None);
        assert_eq!(g.path(0, 7, 9, &mut scratch), None);
        assert_eq!(g.path(3, 3, 0, &mut scratch), Some(vec![3]));
    }

    #[test]
    fn many_items_meet_only_their_neighbours() {
        let items: Vec<u32> = (0..100).collect();
        let g = graph(100, &[&items]);
        assert!(g.edge(0, 64).is_some() && g.edge(0, 65).is_none());
    }

    proptest! {
        #[test]
        fn distances_are_those_of_a_plain_search(edges in prop::collection::vec((0u32..12, 0u32..12), 0..30), a in 0u32..12, b in 0u32..12, most in 0usize..6) {
            let sentences: Vec<Vec<u32>> = edges.iter().map(|&(x, y)| vec![x, y]).collect();
            let sentences: Vec<&[u32]> = sentences.iter().map(Vec::as_slice).collect();
            let g = graph(12, &sentences);
            let mut distance = [usize::MAX; 12];
            distance[a as usize] = 0;
            let mut queue = std::collections::VecDeque::from([a]);
            while let Some(v) = queue.pop_front() {
                for &to in g.neighbours(v) {
                    if distance[to as usize] == usize::MAX {
                        distance[to as usize] = distance[v as usize] + 1;
                        queue.push_back(to);
                    }
                }
            }
            let path = g.path(a, b, most, &mut Scratch::default());
            let expected = Some(distance[b as usize]).filter(|&d| d <= most);
            prop_assert_eq!(path.as_ref().map(|p| p.len() - 1), expected);
            if let Some(path) = path {
                prop_assert!(path[0] == a && path[path.len() - 1] == b);
                prop_assert!(path.windows(2).all(|w| g.edge(w[0], w[1]).is_some()));
            }
        }
    }
}
