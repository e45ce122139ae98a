//! How far nodes are from the nearest of some others.

use super::Transition;
use super::core::Core;
use super::walk::Sparse;

/// A ring is looked for around those that have at most this part of all arcs.
const FEW: f64 = 0.1;

/// What has nodes and their neighbours.
pub trait Neighbours {
    fn nodes(&self) -> usize;
    /// Both directions counted.
    fn arcs(&self) -> usize;
    fn beside(&self, node: u32) -> &[u32];
}

impl Neighbours for Transition {
    fn nodes(&self) -> usize {
        Transition::nodes(self)
    }

    fn arcs(&self) -> usize {
        Transition::arcs(self)
    }

    fn beside(&self, node: u32) -> &[u32] {
        self.row(node as usize).0
    }
}

impl Neighbours for Core {
    fn nodes(&self) -> usize {
        self.nodes.len()
    }

    fn arcs(&self) -> usize {
        Core::arcs(self)
    }

    fn beside(&self, node: u32) -> &[u32] {
        self.row(node as usize).0
    }
}

/// Nodes by their steps from the nearest of some others, as far as few arcs lead.
#[derive(Debug)]
pub struct Rings {
    /// By node; `u8::MAX` for those that are farther or not reached.
    steps: Vec<u8>,
    /// The nearest first, and for every number of steps how many are within it and how many arcs these have.
    nodes: Vec<u32>,
    within: Vec<(usize, usize)>,
}

impl Rings {
    /// Around some nodes, up to so many steps, as far as those within have few of all arcs.
    pub fn around(t: &impl Neighbours, nodes: impl Iterator<Item = u32>, most: usize) -> Rings {
        let mut seen = vec![false; t.nodes()];
        let mut rings = Rings {
            steps: vec![u8::MAX; t.nodes()],
            nodes: nodes
                .filter(|&u| !std::mem::replace(&mut seen[u as usize], true))
                .collect(),
            within: Vec::new(),
        };
        let (mut from, mut arcs) = (0, 0);
        for steps in 0..=most.min(usize::from(u8::MAX) - 1) {
            let ring = &rings.nodes[from..];
            for &u in ring {
                rings.steps[u as usize] = steps as u8;
                arcs += t.beside(u).len();
            }
            rings.within.push((rings.nodes.len(), arcs));
            // The next ring is the largest so far: not looked for where it is not told apart.
            if steps == most || arcs as f64 > FEW * t.arcs() as f64 {
                break;
            }
            let next = wave(t, ring, &mut seen);
            from = rings.nodes.len();
            rings.nodes.extend(next);
        }
        rings
    }

    /// The nodes within so many steps and their arcs; none where these are not told apart from all.
    pub fn within(&self, steps: usize) -> Option<(&[u32], usize)> {
        let (nodes, arcs) = *self.within.get(steps)?;
        Some((&self.nodes[..nodes], arcs))
    }

    /// Whether a node is within so many steps, or these are not told apart from all.
    pub fn reach(&self, node: u32, steps: usize) -> bool {
        steps >= self.within.len() || usize::from(self.steps[node as usize]) <= steps
    }
}

/// Steps from the nearest seed to any of these nodes; none where no path leads there.
pub fn distance(t: &Transition, seeds: &Sparse, to: &[u32]) -> Option<usize> {
    let mut seed = vec![false; t.nodes()];
    seeds
        .iter()
        .for_each(|&(node, _)| seed[node as usize] = true);
    let mut seen = vec![false; t.nodes()];
    let mut frontier: Vec<u32> = to.to_vec();
    frontier.iter().for_each(|&u| seen[u as usize] = true);
    for steps in 0.. {
        if frontier.iter().any(|&u| seed[u as usize]) {
            return Some(steps);
        }
        frontier = wave(t, &frontier, &mut seen);
        if frontier.is_empty() {
            return None;
        }
    }
    None
}

fn wave(t: &impl Neighbours, frontier: &[u32], seen: &mut [bool]) -> Vec<u32> {
    let mut next = Vec::new();
    for &u in frontier {
        for &v in t.beside(u) {
            if !std::mem::replace(&mut seen[v as usize], true) {
                next.push(v);
            }
        }
    }
    next
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 0 - 1 - 2 - 3, and 1 is a hub with leaves 4 and 5; 6 is alone.
    fn graph() -> Transition {
        let edges = [(0, 1), (1, 2), (2, 3), (1, 4), (1, 5)];
        Transition::of_edges(7, edges.map(|(a, b)| (a, b, 1.0)))
    }

    #[test]
    fn distance_counts_steps_to_the_nearest_seed() {
        let t = graph();
        let seeds = vec![(0, 0.5), (3, 0.5)];
        assert_eq!(distance(&t, &seeds, &[3]), Some(0));
        assert_eq!(distance(&t, &seeds, &[4]), Some(2));
        assert_eq!(distance(&t, &seeds, &[6, 4]), Some(2));
        assert_eq!(distance(&t, &seeds, &[6]), None);
        assert_eq!(distance(&t, &Vec::new(), &[1]), None);
    }
}
