//! Which nodes of a whole an excerpt has, and what number each has there.

use crate::graph::rows::starts;
use std::collections::BTreeMap;

/// The numbers in the whole of the nodes of an excerpt: passages first, then names. They ascend as its own do.
#[derive(Debug)]
pub enum Numbers {
    /// Those that came, from 0.
    Own {
        nodes: Vec<u32>,
        /// Where numbers begin that are the same without their last bits, and how many bits these are.
        starts: Vec<u32>,
        bits: u32,
        passages: usize,
        /// Passages of the whole.
        among: u32,
    },
    /// All, as in the whole: they stay as they are while more comes. Whoever reads what did not come finds nothing there, and
    /// the excerpt remembers that it was asked for it.
    Whole { passages: u32, names: u32 },
}

impl Numbers {
    /// Those of some nodes, ascending, of a whole that has so many passages.
    pub fn own(nodes: Vec<u32>, among: u32) -> Numbers {
        let passages = nodes.partition_point(|node| *node < among);
        let last = nodes.last().copied().unwrap_or(0);
        let fits = |bits: &u32| (last >> bits) as usize <= nodes.len();
        let bits = (0..u32::BITS).find(fits).unwrap_or(0);
        let mut counts = vec![0; (last >> bits) as usize + 1];
        nodes
            .iter()
            .for_each(|own| counts[(own >> bits) as usize] += 1);
        Numbers::Own {
            nodes,
            starts: starts(counts),
            bits,
            passages,
            among,
        }
    }

    pub fn is_whole(&self) -> bool {
        matches!(self, Numbers::Whole { .. })
    }

    /// How many passages there are.
    pub fn passages(&self) -> usize {
        match self {
            Numbers::Own { passages, .. } => *passages,
            Numbers::Whole { passages, .. } => *passages as usize,
        }
    }

    /// How many passages and names there are.
    pub fn nodes(&self) -> usize {
        match self {
            Numbers::Own { nodes, .. } => nodes.len(),
            Numbers::Whole { passages, names } => (passages + names) as usize,
        }
    }

    /// Passages of the whole.
    pub fn among(&self) -> u32 {
        match self {
            Numbers::Own { among, .. } => *among,
            Numbers::Whole { passages, .. } => *passages,
        }
    }

    /// The node, or passage, of a number in the whole.
    pub fn node(&self, number: u32) -> Option<u32> {
        match self {
            Numbers::Own {
                nodes,
                starts,
                bits,
                ..
            } => {
                let at = (number >> bits) as usize;
                let (from, to) = (*starts.get(at)?, *starts.get(at + 1)?);
                let near = &nodes[from as usize..to as usize];
                Some(from + near.binary_search(&number).ok()? as u32)
            }
            Numbers::Whole { .. } => Some(number),
        }
    }

    /// A name by its number in the whole.
    pub fn name(&self, entity: u32) -> Option<u32> {
        let node = self.node(self.among() + entity)?;
        Some(node - self.passages() as u32)
    }

    /// The number in the whole of a node or passage.
    pub fn whole(&self, node: u32) -> u32 {
        match self {
            Numbers::Own { nodes, .. } => nodes[node as usize],
            Numbers::Whole { .. } => node,
        }
    }

    /// What is known by the numbers of passages, by passages.
    pub fn passages_of<'a, T>(
        &self,
        all: &'a BTreeMap<u32, T>,
    ) -> impl Iterator<Item = (u32, &'a T)> {
        let own = all.iter();
        own.filter_map(|(number, one)| Some((self.node(*number)?, one)))
    }

    /// What is listed by numbers, ascending, by nodes.
    pub fn shared<'a, T>(
        &'a self,
        all: &'a [T],
        number: impl Fn(&T) -> u32 + 'a,
    ) -> Box<dyn Iterator<Item = (usize, &'a T)> + 'a> {
        let own = match self {
            Numbers::Whole { .. } => {
                return Box::new(all.iter().map(move |one| (number(one) as usize, one)));
            }
            Numbers::Own { nodes, .. } => &nodes[..],
        };
        if all.len() < own.len() {
            let find = move |one| Some((self.node(number(one))? as usize, one));
            return Box::new(all.iter().filter_map(find));
        }
        // Each is looked for behind the last one, in steps that double.
        let (mut own, mut rest) = (own.iter().enumerate(), all);
        Box::new(std::iter::from_fn(move || {
            loop {
                let (at, &own) = own.next()?;
                let mut far = 1;
                while rest.get(far).is_some_and(|one| number(one) < own) {
                    far *= 2;
                }
                let near = &rest[..rest.len().min(far + 1)];
                rest = &rest[near.partition_point(|one| number(one) < own)..];
                let first = rest.first()?;
                if number(first) == own {
                    return Some((at, first));
                }
            }
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn what_both_have_is_found_either_way(
            own in proptest::collection::btree_set(0u32..300, 0..300),
            all in proptest::collection::btree_set(0u32..300, 0..300),
        ) {
            let nodes: Vec<u32> = own.iter().copied().collect();
            let numbers = Numbers::own(nodes.clone(), 200);
            let listed: Vec<u32> = all.iter().copied().collect();
            let found: Vec<(usize, u32)> = numbers
                .shared(&listed, |one| *one)
                .map(|(at, one)| (at, *one))
                .collect();
            let common: BTreeSet<u32> = own.intersection(&all).copied().collect();
            let expected: Vec<(usize, u32)> = nodes
                .iter()
                .copied()
                .enumerate()
                .filter(|(_, one)| common.contains(one))
                .collect();
            prop_assert_eq!(found, expected);
            for (node, number) in (0..).zip(&nodes) {
                prop_assert_eq!(numbers.node(*number), Some(node));
                prop_assert_eq!(numbers.whole(node), *number);
                if let Some(entity) = number.checked_sub(200) {
                    let name = node - numbers.passages() as u32;
                    prop_assert_eq!(numbers.name(entity), Some(name));
                }
            }
        }
    }
}
