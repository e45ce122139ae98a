//! How many edges a rule makes of the stored pairs: the table of edges by percentile.

use super::layer::Sage;
use super::pairs::{EdgeRule, Kind, Thresholds};
use rayon::prelude::*;
use serde::Serialize;

/// Edges of one rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Edges {
    /// By similarity, by kind in the order of [`Kind::ALL`].
    pub similar: [usize; 3],
    /// By shared names alone, by kind.
    pub named: [usize; 3],
    /// By source or link alone.
    pub structural: usize,
}

impl Edges {
    pub fn total(&self) -> usize {
        self.similar.iter().sum::<usize>() + self.named.iter().sum::<usize>() + self.structural
    }

    /// Mean degree in a graph of so many nodes.
    pub fn degree(edges: usize, nodes: usize) -> f64 {
        2.0 * edges as f64 / nodes.max(1) as f64
    }
}

impl Sage {
    /// Counts the edges of a rule.
    pub fn edges(&self, rule: EdgeRule, structural: bool) -> Edges {
        let bars = self.bars(rule);
        let mut edges = Edges::default();
        for kind in Kind::ALL {
            let of = |pair: u32| self.passed(kind as usize, pair, &bars);
            let (similar, named) = (0..self.pairs[kind as usize].len() as u32)
                .into_par_iter()
                .map(|pair| {
                    let passed = of(pair);
                    (
                        usize::from(passed.similar),
                        usize::from(passed.named && !passed.similar),
                    )
                })
                .reduce(|| (0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
            edges.similar[kind as usize] = similar;
            edges.named[kind as usize] = named;
        }
        if structural {
            edges.structural = (0..self.len() as u32)
                .into_par_iter()
                .map(|unit| self.only_structural(unit, &bars))
                .sum::<usize>();
        }
        edges
    }

    /// Structural neighbours of greater number that no candidate pair makes neighbours.
    fn only_structural(&self, unit: u32, bars: &Thresholds) -> usize {
        let mut count = 0;
        self.structural(unit, |other, _| {
            let similar = || {
                self.pair(unit, other)
                    .is_some_and(|(kind, pair)| self.passed(kind as usize, pair, bars).edge())
            };
            count += usize::from(other > unit && !similar());
        });
        count
    }
}
