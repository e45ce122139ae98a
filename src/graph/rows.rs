//! A sparse matrix as its rows.

use rayon::prelude::*;
use std::ops::Range;

/// Row u lies between `offsets[u]` and `offsets[u + 1]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    pub offsets: Vec<u32>,
    pub targets: Vec<u32>,
    pub weights: Vec<f32>,
}

impl Rows {
    #[inline]
    pub fn row(&self, u: usize) -> (&[u32], &[f32]) {
        let range = self.offsets[u] as usize..self.offsets[u + 1] as usize;
        (&self.targets[range.clone()], &self.weights[range])
    }

    #[inline]
    pub fn degree(&self, u: usize) -> usize {
        (self.offsets[u + 1] - self.offsets[u]) as usize
    }
}

/// No values in so many runs, with room for where the last one ends: see [`starts`].
pub fn no_counts(runs: usize) -> Vec<u32> {
    let mut counts = vec![0; runs + 1];
    counts.truncate(runs);
    counts
}

/// Where runs of so many values start that lie end to end, and where the last one ends.
pub fn starts(mut counts: Vec<u32>) -> Vec<u32> {
    let mut end = 0;
    for count in &mut counts {
        end += std::mem::replace(count, end);
    }
    counts.push(end);
    counts
}

/// Those of a range, among what stands in the order of its nodes.
pub fn within<T>(ascending: &[T], range: Range<usize>, node: impl Fn(&T) -> u32) -> &[T] {
    let place = |bound: usize| ascending.partition_point(|own| (node(own) as usize) < bound);
    &ascending[place(range.start)..place(range.end)]
}

/// Writes what is made of some nodes, each of which is there once.
pub fn write_some<T: Send>(nodes: &[u32], values: &mut [T], of: impl Fn(usize) -> T + Sync) {
    let made: Vec<T> = nodes.par_iter().map(|node| of(*node as usize)).collect();
    for (node, own) in nodes.iter().zip(made) {
        values[*node as usize] = own;
    }
}

/// Rows that a thread fills at a time.
pub const BLOCK: usize = 1024;

/// Some rows, and both values of each of their places.
type Block<'a, T> = (Range<usize>, &'a mut [u32], &'a mut [T]);

/// All rows, block by block, for threads to fill.
pub fn blocks<'a, T>(
    offsets: &[u32],
    targets: &'a mut [u32],
    data: &'a mut [T],
) -> Vec<Block<'a, T>> {
    let both = parts(offsets, targets)
        .into_iter()
        .zip(parts(offsets, data));
    both.map(|((rows, own), (_, values))| (rows, own, values))
        .collect()
}

/// As [`blocks`], of places with one value.
pub fn parts<'a, T>(offsets: &[u32], mut data: &'a mut [T]) -> Vec<(Range<usize>, &'a mut [T])> {
    let rows = offsets.len() - 1;
    let mut parts = Vec::new();
    for first in (0..rows).step_by(BLOCK) {
        let last = rows.min(first + BLOCK);
        let (own, rest) = data.split_at_mut((offsets[last] - offsets[first]) as usize);
        data = rest;
        parts.push((first..last, own));
    }
    parts
}
