//! A navigable small world over the vectors (after Malkov and Yashunin, 2016): approximate search in large corpora.
//!
//! Written out because no crate gives all three of what the explorer needs: flat arrays that are mapped like the rest
//! of an index, readable neighbours on layer 0, and the same graph from the same input on any number of cores.

use super::EmbedError;
use super::vectors::{Hit, Vectors, top};
use crate::column::{self, Column, NONE};
use crate::derived::Weighed;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What the graph is built with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HnswOptions {
    /// Neighbours of a node on the upper layers; layer 0 has twice as many.
    pub m: usize,
    /// Nearest nodes considered for a new node's neighbours.
    pub ef_construction: usize,
    /// Random seed of the levels.
    pub seed: u64,
}

impl Default for HnswOptions {
    fn default() -> HnswOptions {
        HnswOptions {
            m: 16,
            ef_construction: 128,
            seed: 0,
        }
    }
}

/// The graph alone: every call takes the vectors it was built over.
pub struct Hnsw {
    /// Number of nodes, m, entry node.
    pub(super) head: Column<u32>,
    /// Layer 0: 2 m neighbours of every node; [`NONE`] fills the free end of a list, here and above.
    pub(super) base: Column<u32>,
    /// End of every node's lists in `upper`, counted in lists.
    pub(super) ends: Column<u32>,
    /// Upper layers: m neighbours of every node on layer 1, then 2, and so on to its top.
    pub(super) upper: Column<u32>,
}

/// Nodes seen by one search.
pub(super) struct Seen(Vec<u64>);

impl Seen {
    pub fn new(nodes: usize) -> Seen {
        Seen(vec![0; nodes.div_ceil(64)])
    }

    pub fn clear(&mut self) {
        self.0.fill(0);
    }

    /// Whether the node is new, and marks it.
    pub fn insert(&mut self, node: u32) -> bool {
        let (word, bit) = (&mut self.0[node as usize / 64], 1_u64 << (node % 64));
        let new = *word & bit == 0;
        *word |= bit;
        new
    }
}

impl Weighed for Hnsw {
    fn bytes(&self) -> usize {
        let columns = self.columns().into_iter();
        columns.map(|(_, column)| column.bytes().len()).sum()
    }
}

impl Hnsw {
    /// The columns to store, by name, in the order of [`Hnsw::stored`].
    pub fn columns(&self) -> [(&'static str, &Column<u32>); 4] {
        [
            ("hnsw.head", &self.head),
            ("hnsw.base", &self.base),
            ("hnsw.ends", &self.ends),
            ("hnsw.upper", &self.upper),
        ]
    }

    /// From an index.
    ///
    /// # Errors
    /// Columns that do not fit each other or the vectors.
    pub fn stored(columns: [Column<u32>; 4], vectors: &Vectors) -> Result<Hnsw, EmbedError> {
        let [head, base, ends, upper] = columns;
        let fits = match head[..] {
            [len, m, entry] => {
                let (len, m) = (len as usize, m as usize);
                len == vectors.len()
                    && base.len() == len.saturating_mul(2 * m)
                    && ends.len() == len
                    && (len == 0 || (entry as usize) < len)
                    && column::ends(&ends, upper.len().checked_div(m).unwrap_or(0)).is_ok()
                    && upper.len().is_multiple_of(m.max(1))
                    && column::below_or_none(&base, len).is_ok()
                    && column::below_or_none(&upper, len).is_ok()
            }
            _ => false,
        };
        let graph = Hnsw {
            head,
            base,
            ends,
            upper,
        };
        match fits && graph.climbs() {
            true => Ok(graph),
            false => Err(EmbedError::shape("the HNSW graph is of other vectors")),
        }
    }

    /// Whether every neighbour on an upper layer is on that layer itself.
    fn climbs(&self) -> bool {
        (0..self.len() as u32).all(|node| {
            (1..=self.level(node)).all(|layer| {
                let mut near = self.neighbours(node, layer).iter();
                near.all(|&other| self.level(other) >= layer)
            })
        })
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    pub fn m(&self) -> usize {
        self.head[1] as usize
    }

    pub(super) fn entry(&self) -> u32 {
        self.head[2]
    }

    /// The highest layer of a node.
    pub fn level(&self, node: u32) -> usize {
        let ends = &self.ends[..=node as usize];
        let start = ends.len().checked_sub(2).map_or(0, |before| ends[before]);
        (ends[node as usize] - start) as usize
    }

    /// A node's neighbours on a layer that it is on; on layer 0 these are near passages, nearest first or nearly so.
    pub fn neighbours(&self, node: u32, layer: usize) -> &[u32] {
        let (column, span) = self.span(node, layer);
        let list = &column[span];
        let used = list.iter().position(|&n| n == NONE).unwrap_or(list.len());
        &list[..used]
    }

    pub(super) fn span(&self, node: u32, layer: usize) -> (&Column<u32>, std::ops::Range<usize>) {
        let m = self.m();
        if layer == 0 {
            let start = node as usize * 2 * m;
            return (&self.base, start..start + 2 * m);
        }
        let first = self.ends[node as usize] as usize - self.level(node);
        let start = (first + layer - 1) * m;
        (&self.upper, start..start + m)
    }

    /// Follows the layers above `to` down to the node nearest to whatever `score` scores.
    pub(super) fn descend(&self, score: &impl Fn(u32) -> f32, to: usize) -> Hit {
        let entry = self.entry();
        let mut best = Hit {
            score: score(entry),
            row: entry,
        };
        for layer in (to + 1..=self.level(entry)).rev() {
            loop {
                let near = self.neighbours(best.row, layer).iter();
                let next = near.map(|&row| Hit {
                    score: score(row),
                    row,
                });
                match next.max() {
                    Some(next) if next > best => best = next,
                    _ => break,
                }
            }
        }
        best
    }

    /// The best `ef` nodes of a layer within reach of `start`, best first.
    pub(super) fn beam(
        &self,
        score: &impl Fn(u32) -> f32,
        start: &[Hit],
        ef: usize,
        layer: usize,
        seen: &mut Seen,
    ) -> Vec<Hit> {
        seen.clear();
        let mut open: BinaryHeap<Hit> = BinaryHeap::with_capacity(2 * ef);
        let mut best: BinaryHeap<Reverse<Hit>> = BinaryHeap::with_capacity(ef + 1);
        for &hit in start {
            if seen.insert(hit.row) {
                open.push(hit);
                best.push(Reverse(hit));
            }
        }
        while let Some(hit) = open.pop() {
            if best.len() >= ef && best.peek().is_some_and(|last| hit < last.0) {
                break;
            }
            for &row in self.neighbours(hit.row, layer) {
                if !seen.insert(row) {
                    continue;
                }
                let hit = Hit {
                    score: score(row),
                    row,
                };
                if best.len() < ef || best.peek().is_some_and(|last| hit > last.0) {
                    open.push(hit);
                    best.push(Reverse(hit));
                    if best.len() > ef {
                        best.pop();
                    }
                }
            }
        }
        best.into_sorted_vec().into_iter().map(|r| r.0).collect()
    }

    /// About the `k` nearest passages, best first: a beam of `ef` (at least `k`) finds more the wider it is.
    ///
    /// # Errors
    /// A query of another shape.
    pub fn nearest(
        &self,
        vectors: &Vectors,
        query: &[f32],
        k: usize,
        ef: usize,
    ) -> Result<Vec<(u32, f32)>, EmbedError> {
        let probe = vectors.probe(query)?;
        if self.is_empty() || k == 0 {
            return Ok(Vec::new());
        }
        let score = |row| vectors.score(&probe, row);
        let start = self.descend(&score, 0);
        let mut hits = self.beam(&score, &[start], ef.max(k), 0, &mut Seen::new(self.len()));
        hits.truncate(k);
        Ok(hits.into_iter().map(|h| (h.row, h.score)).collect())
    }

    /// The share of the true `k` nearest that a search finds, over these queries. Equally good finds count.
    ///
    /// # Errors
    /// Queries of another shape.
    pub fn recall(
        &self,
        vectors: &Vectors,
        queries: &[Vec<f32>],
        k: usize,
        ef: usize,
    ) -> Result<f64, EmbedError> {
        let (mut found, mut all) = (0, 0);
        for query in queries {
            let exact = top(&vectors.scores(query)?, k);
            let least = exact.last().map_or(0.0, |hit| hit.1);
            let near = self.nearest(vectors, query, k, ef)?;
            found += near.iter().filter(|hit| hit.1 >= least).count();
            all += exact.len();
        }
        Ok(if all == 0 {
            1.0
        } else {
            found as f64 / all as f64
        })
    }

    /// [`Hnsw::recall`] of about `sample` of the passages themselves, evenly taken.
    ///
    /// # Errors
    /// None when the vectors are those of the graph.
    pub fn recall_against_exact(
        &self,
        vectors: &Vectors,
        sample: usize,
        k: usize,
        ef: usize,
    ) -> Result<f64, EmbedError> {
        let step = (self.len() / sample.max(1)).max(1);
        let query = |row: usize| {
            let mut query = vec![0.0; vectors.dims()];
            vectors.row(row as u32, &mut query);
            query
        };
        let queries: Vec<_> = (0..self.len()).step_by(step).map(query).collect();
        self.recall(vectors, &queries, k, ef)
    }
}

#[cfg(test)]
#[path = "hnsw_tests.rs"]
mod tests;
