//! The arcs of a graph and what each weighs: of all at once, or of the rows that somebody asks for.

use super::rows::{Rows, parts};
use crate::column::Column;
use crate::derived::once;
use rayon::prelude::*;
use sprs::CsMatI;
use std::fmt;
use std::ops::Range;
use std::sync::OnceLock;

/// Rows that are weighed together.
const TOGETHER: usize = 32;

/// Row u holds the neighbours of u, ascending, and what the arcs to them weigh.
pub enum Arcs {
    /// All of them weighed.
    Weighed(Rows),
    /// Weighed where they are asked for: of a large graph a push reads a few rows.
    Asked(Asked),
}

/// Arcs that lie somewhere, and how they are weighed.
pub struct Asked {
    offsets: Column<u32>,
    targets: Column<u32>,
    /// Of [`TOGETHER`] rows, where one of them was asked for.
    some: Vec<OnceLock<Box<[f32]>>>,
    /// Of all, where somebody reads them all.
    all: OnceLock<Vec<f32>>,
    weigh: Box<Weigh>,
}

/// Writes what the arcs of a row weigh.
type Weigh = dyn Fn(usize, &mut [f32]) + Send + Sync;

impl Arcs {
    /// Of checked offsets and targets.
    pub fn asked(
        offsets: Column<u32>,
        targets: Column<u32>,
        weigh: impl Fn(usize, &mut [f32]) + Send + Sync + 'static,
    ) -> Arcs {
        let mut some = Vec::new();
        some.resize_with((offsets.len() - 1).div_ceil(TOGETHER), OnceLock::new);
        Arcs::Asked(Asked {
            offsets,
            targets,
            some,
            all: OnceLock::new(),
            weigh: Box::new(weigh),
        })
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        match self {
            Arcs::Weighed(rows) => rows.offsets.len() - 1,
            Arcs::Asked(asked) => asked.offsets.len() - 1,
        }
    }

    /// How many arcs there are, both directions counted.
    pub fn count(&self) -> usize {
        match self {
            Arcs::Weighed(rows) => rows.targets.len(),
            Arcs::Asked(asked) => asked.targets.len(),
        }
    }

    /// The neighbours of a row.
    #[inline]
    pub fn targets(&self, u: usize) -> &[u32] {
        match self {
            Arcs::Weighed(rows) => rows.row(u).0,
            Arcs::Asked(asked) => &asked.targets[asked.places(u)],
        }
    }

    /// The same with what the arcs to them weigh.
    #[inline]
    pub fn row(&self, u: usize) -> (&[u32], &[f32]) {
        match self {
            Arcs::Weighed(rows) => rows.row(u),
            Arcs::Asked(asked) => asked.row(u),
        }
    }

    /// Weighs all rows, on all threads: for one who reads every one.
    pub fn weigh_all(&self) {
        if let Arcs::Asked(asked) = self {
            once(&asked.all, || {
                let mut weights = vec![0.0; asked.targets.len()];
                let parts = parts(&asked.offsets, &mut weights).into_par_iter();
                parts.for_each(|(rows, weights)| asked.weigh(rows, weights));
                weights
            });
        }
    }
}

impl Asked {
    #[inline]
    fn places(&self, u: usize) -> Range<usize> {
        self.offsets[u] as usize..self.offsets[u + 1] as usize
    }

    #[inline]
    fn row(&self, u: usize) -> (&[u32], &[f32]) {
        let places = self.places(u);
        let targets = &self.targets[places.clone()];
        if let Some(all) = self.all.get() {
            return (targets, &all[places]);
        }
        let first = u - u % TOGETHER;
        let begin = self.offsets[first] as usize;
        let weights = once(&self.some[u / TOGETHER], || {
            let last = (self.offsets.len() - 1).min(first + TOGETHER);
            let mut weights = vec![0.0; self.offsets[last] as usize - begin];
            self.weigh(first..last, &mut weights);
            weights.into_boxed_slice()
        });
        (targets, &weights[places.start - begin..places.end - begin])
    }

    /// Writes what the arcs of some rows weigh.
    fn weigh(&self, rows: Range<usize>, mut weights: &mut [f32]) {
        for u in rows {
            let (own, rest) = weights.split_at_mut(self.places(u).len());
            (self.weigh)(u, own);
            weights = rest;
        }
    }
}

impl From<Rows> for Arcs {
    fn from(rows: Rows) -> Arcs {
        Arcs::Weighed(rows)
    }
}

impl From<CsMatI<f32, u32>> for Arcs {
    fn from(matrix: CsMatI<f32, u32>) -> Arcs {
        let (offsets, targets, weights) = matrix.into_raw_storage();
        Arcs::Weighed(Rows {
            offsets,
            targets,
            weights,
        })
    }
}

impl fmt::Debug for Arcs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Arcs({} rows, {} arcs)", self.rows(), self.count())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Transition;
    use proptest::prelude::*;

    /// The same arcs, weighed at once and where they are asked for.
    fn both(degrees: &[usize]) -> [Arcs; 2] {
        let mut offsets = vec![0];
        let mut targets: Vec<u32> = Vec::new();
        for degree in degrees {
            targets.extend(0..*degree as u32);
            offsets.push(targets.len() as u32);
        }
        let weight = |u: usize, v: usize| 1.0 + (7 * u + v) as f32;
        let weights = degrees.iter().enumerate();
        let weights = weights.flat_map(|(u, degree)| (0..*degree).map(move |v| weight(u, v)));
        let rows = Rows {
            offsets: offsets.clone(),
            targets: targets.clone(),
            weights: weights.collect(),
        };
        let weigh = move |u: usize, weights: &mut [f32]| {
            let weights = weights.iter_mut().enumerate();
            weights.for_each(|(v, own)| *own = weight(u, v));
        };
        [
            rows.into(),
            Arcs::asked(offsets.into(), targets.into(), weigh),
        ]
    }

    proptest! {
        #[test]
        fn arcs_weigh_the_same_whenever_they_are_weighed(
            degrees in prop::collection::vec(0usize..9, 1..150),
            asked in prop::collection::vec(any::<prop::sample::Index>(), 0..40),
        ) {
            let [all, some] = both(&degrees);
            prop_assert_eq!((all.rows(), all.count()), (some.rows(), some.count()));
            for at in asked {
                let u = at.index(degrees.len());
                prop_assert_eq!(all.targets(u), some.targets(u));
                prop_assert_eq!(all.row(u), some.row(u));
            }
            some.weigh_all();
            for u in 0..degrees.len() {
                prop_assert_eq!(all.row(u), some.row(u));
            }
        }
    }

    #[test]
    fn only_rows_near_the_asked_one_are_weighed() {
        let [_, some] = both(&[2; 4 * TOGETHER]);
        let Arcs::Asked(asked) = &some else {
            unreachable!("they were to be asked for");
        };
        some.targets(0);
        some.row(2 * TOGETHER + 1);
        let known: Vec<bool> = asked.some.iter().map(|own| own.get().is_some()).collect();
        assert_eq!(known, [false, false, true, false]);
        assert!(asked.all.get().is_none());
    }

    #[test]
    fn a_node_without_arcs_has_no_scale() {
        let [_, some] = both(&[1, 0, 2]);
        let t = Transition::new(some, vec![1.0; 3]);
        assert_eq!(
            [0, 1, 2].map(|u| t.scale(u)),
            [1.0, 0.0, 1.0 / (15.0 + 16.0)]
        );
        assert!(t.dangling(1) && !t.dangling(2));
    }
}
