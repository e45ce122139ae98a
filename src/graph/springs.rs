//! Where to draw nodes: springs along the edges and a push between all (Fruchterman and Reingold 1991).

use crate::random::SplitMix;
use std::collections::BTreeSet;

/// Rounds of springs.
const ROUNDS: usize = 200;

/// Places of nodes, both coordinates between 0 and 1, after a fixed number of rounds from a fixed start: the same picture
/// each time. Edges are between places, each once. O(nodes squared) a round.
pub fn springs(nodes: usize, edges: &BTreeSet<(usize, usize)>) -> Vec<(f64, f64)> {
    let mut random = SplitMix::new(7);
    let mut draw = || random.below(1000) as f64 / 1000.0;
    let mut places: Vec<(f64, f64)> = (0..nodes).map(|_| (draw(), draw())).collect();
    let far = 0.8 / (nodes.max(1) as f64).sqrt();
    for round in 0..ROUNDS {
        let mut moves = vec![(0.0, 0.0); nodes];
        let mut push = |a: usize, b: usize, by: &dyn Fn(f64) -> f64| {
            let apart = (places[a].0 - places[b].0, places[a].1 - places[b].1);
            let distance = (apart.0 * apart.0 + apart.1 * apart.1).sqrt().max(1e-6);
            let force = by(distance) / distance;
            moves[a].0 += apart.0 * force;
            moves[a].1 += apart.1 * force;
            moves[b].0 -= apart.0 * force;
            moves[b].1 -= apart.1 * force;
        };
        for a in 0..nodes {
            (a + 1..nodes).for_each(|b| push(a, b, &|distance| far * far / distance));
        }
        for &(a, b) in edges {
            push(a, b, &|distance| -distance * distance / far);
        }
        let heat = 0.1 * (1.0 - round as f64 / ROUNDS as f64);
        for (place, by) in places.iter_mut().zip(&moves) {
            let length = (by.0 * by.0 + by.1 * by.1).sqrt().max(1e-9);
            let step = length.min(heat) / length;
            *place = (place.0 + by.0 * step, place.1 + by.1 * step);
        }
    }
    // Over the whole area.
    let spread = |of: fn(&(f64, f64)) -> f64| {
        let least = places.iter().map(of).fold(f64::MAX, f64::min);
        let most = places.iter().map(of).fold(f64::MIN, f64::max);
        (least, (most - least).max(1e-9))
    };
    let ((left, width), (top, height)) = (spread(|p| p.0), spread(|p| p.1));
    places
        .iter()
        .map(|(x, y)| ((x - left) / width, (y - top) / height))
        .collect()
}
