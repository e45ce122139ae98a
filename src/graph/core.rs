//! The core of a graph: leaves folded into the node they hang on.
//!
//! Most entities stand in one passage only. Such a leaf gets a fixed share of its owner's mass and gives all of it back, so
//! the leaves of one owner act as one, and a walk needs their sum only. On real text this leaves a third of the nodes and
//! half of the arcs.

use super::transition::Transition;
use std::cmp::Reverse;
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
    /// The weight of each leaf's one edge.
    leaf_weights: Vec<f32>,
    /// By node: its number in the core; for leaves [`LEAF`] and the place in `leaves`.
    number: Vec<u32>,
    offsets: Vec<u32>,
    /// Core neighbours, in the core's numbers.
    targets: Vec<u32>,
    weights: Vec<f32>,
}

impl Core {
    pub fn new(t: &Transition) -> Core {
        let n = t.nodes();
        // Of two leaves that only have each other, the first is the owner.
        let leaf = |u: usize| match *t.row(u).0 {
            [owner] if t.knows(u) => {
                owner as usize != u && (t.degree(owner as usize) > 1 || (owner as usize) < u)
            }
            _ => false,
        };
        let mut number: Vec<u32> = (0..n).map(|u| if leaf(u) { LEAF } else { 0 }).collect();
        let mut nodes: Vec<u32> = (0..n as u32).filter(|u| number[*u as usize] == 0).collect();
        let inner = |v: &&u32| number[**v as usize] == 0;
        nodes.sort_by_cached_key(|u| Reverse(t.row(*u as usize).0.iter().filter(inner).count()));
        for (at, &u) in nodes.iter().enumerate() {
            number[u as usize] = at as u32;
        }
        let leaves = n - nodes.len();
        // A leaf's edge is an arc there and one back.
        let arcs = t.arcs() - 2 * leaves;
        let mut core = Core {
            leaves: Vec::with_capacity(leaves),
            owners: Vec::with_capacity(leaves),
            leaf_weights: Vec::with_capacity(leaves),
            offsets: Vec::with_capacity(nodes.len() + 1),
            targets: Vec::with_capacity(arcs),
            weights: Vec::with_capacity(arcs),
            nodes,
            number,
        };
        core.offsets.push(0);
        for (at, &u) in core.nodes.iter().enumerate() {
            let (row, weights) = t.row(u as usize);
            for (&v, &w) in row.iter().zip(weights) {
                if core.number[v as usize] & LEAF == 0 {
                    core.targets.push(core.number[v as usize]);
                    core.weights.push(w);
                } else {
                    core.number[v as usize] = LEAF | core.leaves.len() as u32;
                    core.leaves.push(v);
                    core.owners.push(at as u32);
                    core.leaf_weights.push(w);
                }
            }
            core.offsets.push(core.targets.len() as u32);
        }
        core
    }

    /// Arcs of the core, both directions counted.
    pub fn arcs(&self) -> usize {
        self.targets.len()
    }

    pub fn place(&self, node: u32) -> Place {
        match self.number[node as usize] {
            number if number & LEAF == 0 => Place::Core(number),
            number => Place::Leaf(number ^ LEAF),
        }
    }

    #[inline]
    /// Places of the leaves that hang on a node.
    pub fn leaves_of(&self, u: u32) -> Range<usize> {
        let first = self.owners.partition_point(|owner| *owner < u);
        let own = self.owners[first..].iter().take_while(|owner| **owner == u);
        first..first + own.count()
    }

    pub fn degree(&self, u: usize) -> usize {
        (self.offsets[u + 1] - self.offsets[u]) as usize
    }

    /// Core neighbours of a core node, and the weights of their edges.
    #[inline]
    pub fn row(&self, u: usize) -> (&[u32], &[f32]) {
        let range = self.offsets[u] as usize..self.offsets[u + 1] as usize;
        (&self.targets[range.clone()], &self.weights[range])
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
        let each = |f: &dyn Fn(usize) -> f64| core.nodes.iter().map(|u| f(*u as usize)).collect();
        let scale = |u: usize| t.scale(u);
        let mut leafy = vec![0.0; core.nodes.len()];
        let edges = core.leaves.iter().zip(&core.leaf_weights);
        let leaf: Vec<f64> = edges
            .map(|(&leaf, &w)| f64::from(w) * t.into(leaf as usize))
            .collect();
        for (&owner, weight) in core.owners.iter().zip(&leaf) {
            leafy[owner as usize] += weight;
        }
        for (sum, &u) in leafy.iter_mut().zip(&core.nodes) {
            *sum /= t.into(u as usize);
        }
        Factors {
            out: each(&|u| if t.dangling(u) { 0.0 } else { 1.0 / scale(u) }),
            own: each(&|u| scale(u) * t.into(u)),
            leafy,
            leaf,
        }
    }
}
