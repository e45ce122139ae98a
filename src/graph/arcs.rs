//! The arcs of a graph and what each weighs: of all at once, or of the rows that somebody asks for.

use super::rows::Rows;
use crate::column::Column;
use crate::derived::once;
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
    weights: PerBlock<f32>,
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
        Arcs::Asked(Asked {
            weights: PerBlock::new(offsets.len() - 1),
            offsets,
            targets,
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

    /// The same with what the arcs to them weigh, which is kept.
    #[inline]
    pub fn row(&self, u: usize) -> (&[u32], &[f32]) {
        match self {
            Arcs::Weighed(rows) => rows.row(u),
            Arcs::Asked(asked) => asked.row(u),
        }
    }

    /// The same for one who reads all rows and keeps what they need: what was not asked for before is weighed in their room.
    pub fn read<'a>(&'a self, u: usize, room: &'a mut Vec<f32>) -> (&'a [u32], &'a [f32]) {
        match self {
            Arcs::Asked(asked) if !asked.weights.is_known(u) => {
                let targets = self.targets(u);
                room.resize(targets.len(), 0.0);
                (asked.weigh)(u, room);
                (targets, room)
            }
            _ => self.row(u),
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
        let (weights, first) = self.weights.of(u, |rows| {
            let first = self.offsets[rows.start] as usize;
            let mut weights = vec![0.0; self.offsets[rows.end] as usize - first];
            for u in rows {
                let own = self.places(u);
                (self.weigh)(u, &mut weights[own.start - first..own.end - first]);
            }
            weights
        });
        let first = self.offsets[first] as usize;
        let own = places.start - first..places.end - first;
        (&self.targets[places], &weights[own])
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

/// What is made of [`TOGETHER`] rows when one of them is first asked for.
#[derive(Debug)]
pub(super) struct PerBlock<T> {
    rows: usize,
    made: Vec<OnceLock<Box<[T]>>>,
}

impl<T> PerBlock<T> {
    pub(super) fn new(rows: usize) -> PerBlock<T> {
        let mut made = Vec::new();
        made.resize_with(rows.div_ceil(TOGETHER), OnceLock::new);
        PerBlock { rows, made }
    }

    fn is_known(&self, u: usize) -> bool {
        self.made[u / TOGETHER].get().is_some()
    }

    /// What was made of the rows that this one is among, and the first of them.
    #[inline]
    pub(super) fn of(&self, u: usize, make: impl FnOnce(Range<usize>) -> Vec<T>) -> (&[T], usize) {
        let first = u - u % TOGETHER;
        let rows = || first..self.rows.min(first + TOGETHER);
        let made = once(&self.made[u / TOGETHER], || make(rows()).into_boxed_slice());
        (made, first)
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
            asked in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>()), 0..40),
        ) {
            let [all, some] = both(&degrees);
            prop_assert_eq!((all.rows(), all.count()), (some.rows(), some.count()));
            let mut room = vec![9.0; 3];
            for (at, kept) in asked {
                let u = at.index(degrees.len());
                prop_assert_eq!(all.targets(u), some.targets(u));
                match kept {
                    true => prop_assert_eq!(all.row(u), some.row(u)),
                    false => prop_assert_eq!(all.row(u), some.read(u, &mut room)),
                }
            }
        }
    }

    #[test]
    fn only_rows_near_the_asked_one_are_weighed() {
        let [_, some] = both(&[2; 4 * TOGETHER]);
        let (Arcs::Asked(asked), mut room) = (&some, Vec::new()) else {
            unreachable!("they were to be asked for");
        };
        let known = || {
            (0..some.rows())
                .filter(|u| asked.weights.is_known(*u))
                .count()
        };
        some.read(2 * TOGETHER, &mut room);
        assert_eq!(known(), 0, "what is read is not kept");
        some.row(2 * TOGETHER + 1);
        assert_eq!(known(), TOGETHER);
        let mut shared = Vec::new();
        assert_eq!(some.read(2 * TOGETHER, &mut shared), some.row(2 * TOGETHER));
        assert_eq!(shared.len(), 0, "what is known is not weighed again");
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
