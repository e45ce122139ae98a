//! The core of a graph: leaves folded into the node they hang on.
//!
//! Most entities stand in one passage only. Such a leaf gets a fixed share of its owner's mass and gives all of it back, so
//! the leaves of one owner act as one, and a walk needs their sum only. On real text this leaves a third of the nodes and
//! half of the arcs.

use super::rows::{Rows, blocks, parts, starts};
use super::transition::Transition;
use super::walk::{each_node, each_of};
use rayon::prelude::*;
use std::ops::Range;

/// Marks a leaf in [`Core::number`].
const LEAF: u32 = 1 << 31;

/// Where a node is in the core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Its number in the core.
    Core(u32),
    /// Its place among the leaves.
    Leaf(u32),
}

/// Nodes and arcs of the core. Depends on the weights alone.
#[derive(Debug)]
pub struct Core {
    /// Nodes of the core; its own numbers are places in this list. By degree, largest first, and then by node: rows of one
    /// length follow each other, so that a processor foresees where each ends.
    pub nodes: Vec<u32>,
    /// Leaves by owner, ascending within an owner.
    pub leaves: Vec<u32>,
    /// The owner of each leaf, in the core's numbers.
    pub owners: Vec<u32>,
    /// What its arc weighs.
    weights: Vec<f32>,
    /// Where the leaves of each core node start.
    hung: Vec<u32>,
    /// By node: its number in the core; for leaves [`LEAF`] and the place in `leaves`.
    number: Vec<u32>,
    /// Core neighbours of core nodes, in the core's numbers.
    inner: Rows,
}

impl Core {
    pub fn new(t: &Transition) -> Core {
        let n = t.nodes();
        // Of two leaves that only have each other, the first is the owner.
        let leaf = |u: usize| match *t.targets(u) {
            [owner] if t.knows(u) => {
                owner as usize != u && (t.degree(owner as usize) > 1 || (owner as usize) < u)
            }
            _ => false,
        };
        let mut number = vec![0; n];
        each_node(&mut number, |u, number| *number = LEAF * u32::from(leaf(u)));
        // How many leaves hang on a node, until its own number takes their place. On a leaf hangs none.
        for u in 0..n {
            if number[u] == LEAF {
                number[t.targets(u)[0] as usize] += 1;
            }
        }
        let by_node: Vec<u32> = (0..n as u32)
            .filter(|u| number[*u as usize] != LEAF)
            .collect();
        let degrees = each_of(&by_node, 0, |u, degree| {
            *degree = t.targets(u).len() - number[u] as usize;
        });
        let most = degrees.iter().copied().max().unwrap_or(0);
        let mut places = vec![0; most + 1];
        degrees.iter().for_each(|degree| places[most - degree] += 1);
        let mut places = starts(places);
        let [mut nodes, mut offsets, mut hung] = [(); 3].map(|()| vec![0; by_node.len()]);
        for (&u, &degree) in by_node.iter().zip(&degrees) {
            let place = &mut places[most - degree];
            let at = *place as usize;
            *place += 1;
            (nodes[at], offsets[at]) = (u, degree as u32);
            hung[at] = std::mem::replace(&mut number[u as usize], at as u32);
        }
        let (offsets, hung) = (starts(offsets), starts(hung));
        let [arcs, leaves] = [&offsets, &hung].map(|ends| ends[by_node.len()] as usize);
        let (mut targets, mut weights) = (vec![0; arcs], vec![0.0; arcs]);
        let (mut owners, mut lone) = (vec![0; leaves], vec![0.0; leaves]);
        let mut leaves = vec![0; leaves];
        let arcs = blocks(&offsets, &mut targets, &mut weights).into_par_iter();
        let hanging = blocks(&hung, &mut leaves, &mut owners);
        let hanging = hanging.into_par_iter().zip(parts(&hung, &mut lone));
        arcs.zip(hanging)
            .for_each(|(arcs, (hanging, (own, lone)))| {
                let mut arcs = arcs.1.iter_mut().zip(arcs.2);
                let mut hanging = hanging.1.iter_mut().zip(hanging.2).zip(lone);
                for at in own {
                    let (row, weights) = t.row(nodes[at] as usize);
                    for (&v, &w) in row.iter().zip(weights) {
                        match number[v as usize] {
                            LEAF => hanging.next().map(|((leaf, owner), own)| {
                                (*leaf, *owner, *own) = (v, at as u32, w);
                            }),
                            inner => arcs.next().map(|to| (*to.0, *to.1) = (inner, w)),
                        };
                    }
                }
            });
        for (&leaf, at) in leaves.iter().zip(0..) {
            number[leaf as usize] |= at;
        }
        Core {
            nodes,
            leaves,
            owners,
            weights: lone,
            hung,
            number,
            inner: Rows {
                offsets,
                targets,
                weights,
            },
        }
    }

    /// Arcs of the core, both directions counted.
    pub fn arcs(&self) -> usize {
        self.inner.targets.len()
    }

    pub fn place(&self, node: u32) -> Place {
        match self.number[node as usize] {
            number if number & LEAF == 0 => Place::Core(number),
            number => Place::Leaf(number ^ LEAF),
        }
    }

    /// Its place where all core nodes stand first and then all leaves.
    #[inline]
    pub fn folded(&self, node: u32) -> usize {
        let number = self.number[node as usize];
        // No branch: which of both a node is cannot be foreseen.
        let leaf = (number / LEAF) as usize;
        (number % LEAF) as usize + leaf * self.nodes.len()
    }

    /// What is there of every leaf, by [`BLOCK`](super::rows::BLOCK) core nodes on which they hang.
    pub fn leaf_parts<'a, T>(&self, leaves: &'a mut [T]) -> Vec<(Range<usize>, &'a mut [T])> {
        parts(&self.hung, leaves)
    }

    /// Places of the leaves that hang on a node.
    #[inline]
    pub fn leaves_of(&self, u: u32) -> Range<usize> {
        self.hung[u as usize] as usize..self.hung[u as usize + 1] as usize
    }

    pub fn degree(&self, u: usize) -> usize {
        self.inner.degree(u)
    }

    /// Core neighbours of a core node, and the weights of their edges.
    #[inline]
    pub fn row(&self, u: usize) -> (&[u32], &[f32]) {
        self.inner.row(u)
    }
}

/// What a transition's factors are on its core: rewritten when a hub penalty changes, while the core stays.
#[derive(Debug)]
pub struct Factors {
    /// By core number: the sum of what the node's arcs weigh, 1 / scale; 0 for dead ends.
    pub out: Vec<f64>,
    /// scale x into
    pub own: Vec<f64>,
    /// What the node's leaves weigh together, over its own `into`.
    pub leafy: Vec<f64>,
    /// By leaf: what its arc weighs, seen from the owner.
    pub leaf: Vec<f64>,
}

impl Factors {
    pub fn new(core: &Core, t: &Transition) -> Factors {
        let mut leaf = vec![0.0; core.leaves.len()];
        each_node(&mut leaf, |at, own| {
            *own = f64::from(core.weights[at]) * t.into(core.leaves[at] as usize);
        });
        let mut leafy = vec![0.0; core.nodes.len()];
        each_node(&mut leafy, |u, sum| {
            let own = &leaf[core.leaves_of(u as u32)];
            *sum =
                own.iter().fold(0.0, |sum, weight| sum + weight) / t.into(core.nodes[u] as usize);
        });
        Factors {
            out: each_of(&core.nodes, 0.0, |u, out| {
                if !t.dangling(u) {
                    *out = 1.0 / t.scale(u);
                }
            }),
            own: each_of(&core.nodes, 0.0, |u, own| *own = t.scale(u) * t.into(u)),
            leafy,
            leaf,
        }
    }
}
