//! The mass of every node at one moment of a walk.

use super::Node;
use super::rank;
use std::ops::{Index, Range};

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
            Masses::Few { held, .. } => (&[], &held[part(held, range)]),
        };
        let all = (first..).zip(all.iter().copied());
        all.filter(|(_, mass)| *mass > 0.0)
            .chain(few.iter().copied())
    }

    /// The heaviest of a range: most first, ties to the lower id, nothing without mass.
    pub fn heaviest(&self, range: Range<usize>, count: usize) -> Vec<(Node, f64)> {
        match self {
            Masses::All(all) => rank::heaviest(all, range, count, |mass| mass),
            Masses::Few { held, .. } => {
                let held = &held[part(held, range)];
                let best = rank::heaviest(held, 0..held.len(), count, |(_, mass)| mass);
                let node = |(at, mass): (Node, f64)| (held[at as usize].0, mass);
                best.into_iter().map(node).collect()
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

/// Where the nodes of a range stand.
fn part(held: &[(Node, f32)], range: Range<usize>) -> Range<usize> {
    let place = |bound: usize| held.partition_point(|(node, _)| (*node as usize) < bound);
    place(range.start)..place(range.end)
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
