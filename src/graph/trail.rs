//! How mass came to a node: the best path from a seed, and how far the nearest one is.

use super::Transition;
use super::walk::Sparse;
use std::collections::BTreeMap;

/// A walk from a seed to a node.
#[derive(Clone, Debug, PartialEq)]
pub struct Trail {
    pub nodes: Vec<u32>,
    /// Chance of each step; a small one is where a hub dilutes the mass.
    pub kept: Vec<f64>,
}

/// The walk of at most so many steps from a seed to a node that keeps most of its seed's mass; the shorter one of two
/// alike. None where no seed reaches the node in so many.
pub fn best(t: &Transition, seeds: &Sparse, node: u32, steps: usize) -> Option<Trail> {
    // Best chance to come from u to the node in exactly m steps, and by which neighbour.
    let mut waves: Vec<BTreeMap<u32, (f64, u32)>> = vec![BTreeMap::from([(node, (1.0, node))])];
    for _ in 0..steps {
        let mut wave: BTreeMap<u32, (f64, u32)> = BTreeMap::new();
        for (&v, &(chance, _)) in waves.last().into_iter().flatten() {
            let (sources, weights) = t.row(v as usize);
            for (&u, &w) in sources.iter().zip(weights) {
                let own = chance * f64::from(w) * t.into(v as usize) * t.scale(u as usize);
                let slot = wave.entry(u).or_insert((0.0, v));
                if own > slot.0 {
                    *slot = (own, v);
                }
            }
        }
        waves.push(wave);
    }
    let mut best: Option<(f64, usize, u32)> = None;
    for (steps, wave) in waves.iter().enumerate() {
        for &(seed, p) in seeds {
            if let Some((chance, _)) = wave.get(&seed)
                && best.is_none_or(|(most, ..)| p * chance > most)
            {
                best = Some((p * chance, steps, seed));
            }
        }
    }
    let (_, steps, seed) = best?;
    let mut nodes = vec![seed];
    for wave in waves[1..=steps].iter().rev() {
        let next = wave.get(&nodes[nodes.len() - 1])?.1;
        nodes.push(next);
    }
    let step = |pair: &[u32]| t.probability(pair[0] as usize, pair[1] as usize);
    Some(Trail {
        kept: nodes.windows(2).map(step).collect(),
        nodes,
    })
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

fn wave(t: &Transition, frontier: &[u32], seen: &mut [bool]) -> Vec<u32> {
    let mut next = Vec::new();
    for &u in frontier {
        for &v in t.row(u as usize).0 {
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
    fn the_best_trail_goes_from_the_seed_that_pays_most() {
        let t = graph();
        let found = best(&t, &vec![(0, 0.9), (3, 0.1)], 2, 4).unwrap();
        // From 0: 0.9 * 1 * 1/4; from 3: 0.1 * 1.
        assert_eq!(found.nodes, [0, 1, 2]);
        assert_eq!(found.kept, [1.0, 0.25]);
        let near = best(&t, &vec![(0, 0.2), (3, 0.8)], 2, 4).unwrap();
        assert_eq!(near.nodes, [3, 2]);
        assert_eq!(best(&t, &vec![(0, 1.0)], 0, 3).unwrap().nodes, [0]);
        assert_eq!(best(&t, &vec![(0, 1.0)], 3, 2), None);
        assert_eq!(best(&t, &vec![(0, 1.0)], 6, 5), None);
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
