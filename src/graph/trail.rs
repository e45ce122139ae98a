//! How far the nearest seed of a node is.

use super::Transition;
use super::walk::Sparse;

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
