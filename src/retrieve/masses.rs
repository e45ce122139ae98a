//! The mass of every node at one moment of a walk, and at its end.

use super::Node;
use super::rank;
use super::retrieval::Hit;
use crate::graph::rows::within;
use std::ops::{Deref, Index, Range};

/// At the end of a walk: of every node, and which have any where these are few.
#[derive(Clone, Debug, PartialEq)]
pub struct EndMass {
    all: Vec<f64>,
    /// Ascending.
    few: Option<Vec<Node>>,
}

impl EndMass {
    /// Of nodes that have some, each once, in whatever order. Of the others of a large graph no memory is touched.
    pub fn few(nodes: usize, held: impl Iterator<Item = (Node, f64)>) -> EndMass {
        let (mut all, mut few) = (vec![0.0; nodes], Vec::new());
        for (node, mass) in held.filter(|(_, mass)| *mass > 0.0) {
            all[node as usize] = mass;
            few.push(node);
        }
        few.sort_unstable();
        EndMass {
            all,
            few: Some(few),
        }
    }

    /// Those of a range that have mass, ascending.
    pub fn held(&self, range: Range<usize>) -> impl Iterator<Item = (Node, f64)> + '_ {
        let first = range.start as Node;
        // One of the two is empty.
        let (all, few): (&[f64], &[Node]) = match &self.few {
            None => (&self.all[range], &[]),
            Some(few) => (&[], within(few, range, |node| *node)),
        };
        let all = (first..).zip(all.iter().copied());
        let few = few.iter().map(|node| (*node, self.all[*node as usize]));
        all.filter(|(_, mass)| *mass > 0.0).chain(few)
    }

    /// All that have mass, ascending.
    pub fn reached(&self) -> impl Iterator<Item = (Node, f64)> + '_ {
        self.held(0..self.len())
    }

    /// The heaviest of a range as scores are kept: most first, ties to the lower number, nothing without mass; and how many
    /// have any.
    pub fn best(&self, range: Range<usize>, count: usize) -> (Vec<Hit>, usize) {
        match &self.few {
            None => best_in(&self.all, range, count, |mass| mass as f32),
            Some(_) => {
                let held: Vec<(Node, f64)> = self.held(range).collect();
                best_of(&held, count, |mass| mass as f32)
            }
        }
    }

    /// The same nodes with what they have.
    pub fn heaviest(&self, range: Range<usize>, count: usize) -> Vec<(Node, f64)> {
        with_mass(self.best(range, count).0)
    }

    /// Of all, one after the other.
    pub fn into_all(self) -> Vec<f64> {
        self.all
    }
}

impl From<Vec<f64>> for EndMass {
    fn from(all: Vec<f64>) -> EndMass {
        EndMass { all, few: None }
    }
}

impl Deref for EndMass {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        &self.all
    }
}

/// The best of a range, and how many have any mass.
fn best_in<S: Copy>(
    all: &[S],
    range: Range<usize>,
    count: usize,
    mass: impl Fn(S) -> f32,
) -> (Vec<Hit>, usize) {
    let first = range.start as Node;
    let (mut hits, matched) = rank::best(&all[range], count, mass);
    hits.iter_mut().for_each(|hit| hit.passage += first);
    (hits, matched)
}

/// The same of nodes that ascend.
fn best_of<S: Copy>(
    held: &[(Node, S)],
    count: usize,
    mass: impl Fn(S) -> f32,
) -> (Vec<Hit>, usize) {
    let (mut hits, matched) = rank::best(held, count, |(_, own)| mass(own));
    for hit in &mut hits {
        hit.passage = held[hit.passage as usize].0;
    }
    (hits, matched)
}

fn with_mass(hits: Vec<Hit>) -> Vec<(Node, f64)> {
    let node = |hit: Hit| (hit.passage, f64::from(hit.score));
    hits.into_iter().map(node).collect()
}

/// By node. Where a walk reaches few nodes of a large graph, as a push does, only those take memory and time.
#[derive(Clone, Debug, PartialEq)]
pub enum Masses {
    /// Of all, one after the other.
    All(Vec<f32>),
    /// Of some; the others have none.
    Few {
        /// How many nodes there are.
        nodes: usize,
        /// Ascending.
        held: Vec<(Node, f32)>,
    },
}

impl Masses {
    /// Of nodes that have some, each once, in whatever order.
    pub fn few(nodes: usize, held: impl Iterator<Item = (Node, f32)>) -> Masses {
        let mut held: Vec<(Node, f32)> = held.filter(|(_, mass)| *mass > 0.0).collect();
        held.sort_unstable_by_key(|(node, _)| *node);
        Masses::Few { nodes, held }
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        match self {
            Masses::All(all) => all.len(),
            Masses::Few { nodes, .. } => *nodes,
        }
    }

    /// What they take in memory.
    pub fn bytes(&self) -> usize {
        match self {
            Masses::All(all) => size_of_val(&**all),
            Masses::Few { held, .. } => size_of_val(&**held),
        }
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Those of a range that have mass, ascending.
    pub fn held(&self, range: Range<usize>) -> impl Iterator<Item = (Node, f32)> + '_ {
        let first = range.start as Node;
        // One of the two is empty.
        let (all, few): (&[f32], &[(Node, f32)]) = match self {
            Masses::All(all) => (&all[range], &[]),
            Masses::Few { held, .. } => (&[], within(held, range, |own| own.0)),
        };
        let all = (first..).zip(all.iter().copied());
        all.filter(|(_, mass)| *mass > 0.0)
            .chain(few.iter().copied())
    }

    /// The heaviest of a range: most first, ties to the lower id, nothing without mass.
    pub fn heaviest(&self, range: Range<usize>, count: usize) -> Vec<(Node, f64)> {
        match self {
            Masses::All(all) => with_mass(best_in(all, range, count, |mass| mass).0),
            Masses::Few { held, .. } => {
                let held = within(held, range, |own| own.0);
                with_mass(best_of(held, count, |mass| mass).0)
            }
        }
    }

    /// Which of the nodes of a range this one is by mass, ties to the lower id; none without mass.
    pub fn rank(&self, range: Range<usize>, node: Node) -> Option<usize> {
        let own = range
            .contains(&(node as usize))
            .then(|| self[node as usize]);
        let own = own.filter(|own| *own > 0.0)?;
        let before = |(other, mass): &(Node, f32)| *mass > own || (*mass == own && *other < node);
        Some(1 + self.held(range).filter(before).count())
    }

    /// How much lies elsewhere than before, counted where it came from and where it went.
    pub fn apart(&self, before: &Masses) -> f64 {
        let gap = |a: f32, b: f32| f64::from((a - b).abs());
        match (self, before) {
            (Masses::All(now), Masses::All(before)) => {
                now.iter().zip(before).map(|(a, b)| gap(*a, *b)).sum()
            }
            _ => {
                let all = 0..self.len();
                let mut gone = before.held(all.clone()).peekable();
                let mut apart = 0.0;
                for (node, mass) in self.held(all) {
                    while let Some((_, mass)) = gone.next_if(|gone| gone.0 < node) {
                        apart += f64::from(mass);
                    }
                    let was = gone.next_if(|gone| gone.0 == node);
                    apart += gap(mass, was.map_or(0.0, |was| was.1));
                }
                gone.fold(apart, |apart, (_, mass)| apart + f64::from(mass))
            }
        }
    }
}

impl From<&EndMass> for Masses {
    fn from(end: &EndMass) -> Masses {
        match end.few {
            None => Masses::All(end.iter().map(|mass| *mass as f32).collect()),
            Some(_) => {
                let held = end.reached().map(|(node, mass)| (node, mass as f32));
                Masses::few(end.len(), held)
            }
        }
    }
}

impl Index<usize> for Masses {
    type Output = f32;

    fn index(&self, node: usize) -> &f32 {
        match self {
            Masses::All(all) => &all[node],
            Masses::Few { held, .. } => {
                let at = held.binary_search_by_key(&(node as Node), |(node, _)| *node);
                at.map_or(&0.0, |at| &held[at].1)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Whether all are kept or few, everything that is read of them is the same.
        #[test]
        fn few_tell_what_all_tell(
            one in prop::collection::vec(prop_oneof![Just(0.0), Just(0.25), 0.0f32..1.0], 1..40),
            other in prop::collection::vec(prop_oneof![Just(0.0), Just(0.25), 0.0f32..1.0], 40),
            from in 0usize..20,
            length in 0usize..20,
            count in 0usize..8,
        ) {
            let nodes = one.len();
            let both = [&one[..], &other[..nodes]].map(|values| {
                let turned = (0..nodes as Node).rev().zip(values.iter().rev().copied());
                (Masses::All(values.to_vec()), Masses::few(nodes, turned))
            });
            let [(all, few), (all_before, few_before)] = &both;
            let range = from.min(nodes)..(from + length).min(nodes);
            prop_assert_eq!(few.len(), nodes);
            prop_assert_eq!(all.heaviest(range.clone(), count), few.heaviest(range.clone(), count));
            prop_assert!(all.held(range.clone()).eq(few.held(range.clone())));
            let one = one.iter().map(|mass| f64::from(*mass));
            let end = EndMass::from(one.clone().collect::<Vec<f64>>());
            let few_end = EndMass::few(nodes, (0..nodes as Node).zip(one).rev());
            prop_assert_eq!(&end[..], &few_end[..]);
            prop_assert!(end.reached().eq(few_end.reached()));
            prop_assert_eq!([&Masses::from(&end), &Masses::from(&few_end)], [all, few]);
            prop_assert_eq!(end.best(range.clone(), count), few_end.best(range.clone(), count));
            prop_assert_eq!(few_end.heaviest(range.clone(), count), few.heaviest(range.clone(), count));
            for node in 0..nodes {
                prop_assert_eq!(all[node], few[node]);
                let node = node as Node;
                prop_assert_eq!(all.rank(range.clone(), node), few.rank(range.clone(), node));
            }
            let apart = all.apart(all_before);
            for (now, before) in [(all, few_before), (few, all_before), (few, few_before)] {
                prop_assert_eq!(now.apart(before), apart);
            }
        }
    }
}
