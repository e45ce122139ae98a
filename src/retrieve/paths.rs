//! The heaviest walks from seeds to a node.

use super::explanation::Path;
use super::spread::Diffusion;
use crate::graph::Transition;
use crate::graph::trail::Rings;
use crate::graph::walk::{self, Sparse};
use crate::layers::Node;
use rustc_hash::FxHashMap;
use std::borrow::Borrow;

/// How many paths are told of a node.
pub const PATHS: usize = 5;
/// Ways are told from where they are known while these have fewer than this share of all arcs.
const SCATTER_BELOW: f64 = 0.3;
/// Walks of push have every length; paths are looked for up to this one, and so for walks of more steps.
const LONGEST_PATH: usize = 6;

/// The lightest path of the first search, as a share of what the walk left on the target; each search after it goes down by
/// another factor.
const FIRST: f64 = 1e-2;
const FINER: f64 = 1e-2;
/// A search gives up after this share of all arcs.
const SEARCHED: f64 = 0.1;
/// Bounds are computed from rounded numbers, some of them of 32 bits.
const ROUNDED: f64 = 1.001;

/// What a walk left on nodes.
#[derive(Clone, Copy, Debug)]
pub struct Left<'a> {
    /// By node.
    pub mass: &'a [f64],
    /// The most that a push left unsettled on any node; 0 of other walks.
    pub residual: f64,
}

impl Left<'_> {
    /// A bound on what any path brings to a node.
    fn of(self, node: Node) -> f64 {
        self.mass[node as usize] + self.residual
    }

    /// Of walks of these lengths.
    ///
    /// Take any path of m + j steps, and the node after m of them. What came there by those m steps counts `weights[m]` of
    /// itself in the node's mass, and `weights[m + j]` in the path's, times the probability of the rest. Of a push, what
    /// came along the path is settled on the node but for what stayed unsettled on the way, which is less than the largest
    /// residual over alpha, since each step passes on less than 1 - alpha of it.
    fn bounds(&self, weights: &[f64]) -> Bounds<'_> {
        let factor = |steps: usize| {
            let pairs = weights.iter().zip(weights.iter().skip(steps));
            // What counts nothing says nothing of what is there.
            let factors = pairs.map(|(before, whole)| match before {
                0.0 => f64::INFINITY,
                _ => whole / before,
            });
            factors.fold(0.0, f64::max) * ROUNDED
        };
        Bounds {
            left: *self,
            factors: (0..weights.len()).map(factor).collect(),
        }
    }
}

/// What a path over a node can carry at most.
struct Bounds<'a> {
    left: Left<'a>,
    /// By the steps from the node to the target: this times what is left on the node and the probability of the way.
    factors: Vec<f64>,
}

impl Bounds<'_> {
    /// So many of the heaviest paths to a target; none where more than so many arcs would be looked at.
    fn paths(
        &self,
        t: &Transition,
        seeds: &Sparse,
        weights: &[f64],
        (target, most): (Node, usize),
        arcs: usize,
    ) -> Option<Vec<Path>> {
        let mut share = FIRST;
        loop {
            let least = share * self.left.of(target);
            let (layers, all) = self.ways(t, target, least, arcs)?;
            let least = if all { 0.0 } else { least };
            let found = heaviest(t, seeds, weights, &layers, (least, most));
            if all || found.len() == most {
                return Some(found);
            }
            share *= FINER;
        }
    }

    /// The best ways to a target that paths of at least this mass can take, as [`ways_back`] gives them, and whether they are
    /// all there are; none where more than so many arcs would be looked at.
    fn ways(
        &self,
        t: &Transition,
        target: Node,
        least: f64,
        arcs: usize,
    ) -> Option<(Vec<Vec<Way>>, bool)> {
        let mut all = true;
        let mut seen = 0;
        let mut layers = vec![vec![Way {
            from: target,
            product: 1.0,
            next: target,
        }]];
        for factor in &self.factors[1..] {
            let before = &layers[layers.len() - 1];
            let degrees = before.iter().map(|way| t.degree(way.from as usize));
            seen += degrees.sum::<usize>();
            if seen > arcs {
                return None;
            }
            let mut best: FxHashMap<Node, (f64, Node)> = FxHashMap::default();
            for way in before {
                let (sources, weights) = t.row(way.from as usize);
                let into = t.into(way.from as usize);
                for (&u, &w) in sources.iter().zip(weights) {
                    let through = way.product * f64::from(w) * into;
                    let product = through * t.scale(u as usize);
                    if self.left.of(u) * product * factor < least {
                        all = false;
                        continue;
                    }
                    let slot = best.entry(u).or_default();
                    if through > slot.0 {
                        *slot = (through, way.from);
                    }
                }
            }
            let mut layer: Vec<Way> = best.into_iter().map(|best| way(t, best)).collect();
            layer.retain(|way| way.product > 0.0);
            layer.sort_unstable_by_key(|way| way.from);
            layers.push(layer);
        }
        Some((layers, all))
    }
}

/// The best walk of so many steps from a node to a target: the product of its probabilities, and the next node on it.
struct Way {
    from: Node,
    product: f64,
    next: Node,
}

/// From a node over the best of its neighbours, by what was found for each of them.
fn way(t: &Transition, (from, (product, next)): (Node, (f64, Node))) -> Way {
    Way {
        from,
        product: product * t.scale(from as usize),
        next,
    }
}

/// The best ways of 0..=`most` steps to a target, each ascending by where they begin; those left out begin farther from
/// the midst of the rings than there are steps left.
fn ways_back(t: &Transition, near: &Rings, target: Node, most: usize) -> Vec<Vec<Way>> {
    let mut products = vec![0.0; t.nodes()];
    let mut slots = vec![(0.0, 0); t.nodes()];
    products[target as usize] = 1.0;
    let mut layers = vec![vec![Way {
        from: target,
        product: 1.0,
        next: target,
    }]];
    for left in (0..most).rev() {
        let before = &layers[layers.len() - 1];
        let products_now = &products;
        // The first of equals: rows ascend.
        let best = |u: usize, slot: &mut (f64, Node)| {
            let (targets, weights) = t.row(u);
            for (&v, &w) in targets.iter().zip(weights) {
                let through = products_now[v as usize];
                if through > 0.0 {
                    let through = through * f64::from(w) * t.into(v as usize);
                    if through > slot.0 {
                        *slot = (through, v);
                    }
                }
            }
        };
        let way = |best| way(t, best);
        let sent: usize = before.iter().map(|way| t.degree(way.from as usize)).sum();
        let around = near.within(left);
        let few = (sent as f64) < SCATTER_BELOW * t.arcs() as f64;
        let layer: Vec<Way> = match around {
            Some((nodes, arcs)) if arcs < sent => {
                let mut nodes = nodes.to_vec();
                nodes.sort_unstable();
                let found = walk::each_of(&nodes, (0.0, 0), best);
                nodes.into_iter().zip(found).map(way).collect()
            }
            // From the ways that are known to where they can be longer: rows are symmetric, so the bits are the same.
            around if few || around.is_some() => {
                let mut touched = Vec::new();
                for Way {
                    from: v, product, ..
                } in before
                {
                    let (sources, weights) = t.row(*v as usize);
                    for (&u, &w) in sources.iter().zip(weights) {
                        let slot: &mut (f64, Node) = &mut slots[u as usize];
                        let through = product * f64::from(w) * t.into(*v as usize);
                        if through > slot.0 && near.reach(u, left) {
                            if slot.0 == 0.0 {
                                touched.push(u);
                            }
                            *slot = (through, *v);
                        }
                    }
                }
                touched.sort_unstable();
                let take = |u: Node| (u, std::mem::take(&mut slots[u as usize]));
                touched.into_iter().map(take).map(way).collect()
            }
            _ => {
                walk::each_node(&mut slots, best);
                let all = (0..).zip(slots.iter_mut().map(std::mem::take));
                all.filter(|(_, slot)| slot.0 > 0.0).map(way).collect()
            }
        };
        let layer: Vec<Way> = layer.into_iter().filter(|way| way.product > 0.0).collect();
        before
            .iter()
            .for_each(|way| products[way.from as usize] = 0.0);
        layer
            .iter()
            .for_each(|way| products[way.from as usize] = way.product);
        layers.push(layer);
    }
    layers
}

impl Diffusion {
    /// Where walks from some seeds may be, as far as ways back to them are looked for.
    pub fn near(&self, t: &Transition, seeds: &Sparse) -> Rings {
        let lengths = self.lengths();
        let most = lengths.map_or(LONGEST_PATH, |lengths| lengths.len() - 1);
        Rings::around(t, seeds.iter().map(|seed| seed.0), most)
    }

    /// So many of the heaviest walks from any seed to the node, best first: a dynamic programme over the nodes, keeping for
    /// each (step, node) the best way from there to the target. What the walk left on a node bounds what any path brings
    /// there, so most nodes are passed over; where too many are left, all are looked at from which a seed can be reached in
    /// the steps that are left: `near` knows.
    pub fn paths<R: Borrow<Rings>>(
        &self,
        t: &Transition,
        seeds: &Sparse,
        left: Left<'_>,
        near: impl FnOnce() -> R,
        (target, most): (Node, usize),
    ) -> Vec<Path> {
        let arcs = (SEARCHED * t.arcs() as f64) as usize;
        self.paths_among(t, seeds, (left, arcs), near, (target, most))
    }

    /// As [`paths`](Self::paths), where so many arcs are too many.
    fn paths_among<R: Borrow<Rings>>(
        &self,
        t: &Transition,
        seeds: &Sparse,
        (left, arcs): (Left<'_>, usize),
        near: impl FnOnce() -> R,
        (target, most): (Node, usize),
    ) -> Vec<Path> {
        let longest = self.lengths().map_or(LONGEST_PATH, |all| all.len() - 1);
        let weights: Vec<f64> = (0..=longest.min(LONGEST_PATH))
            .map(|steps| self.length(steps))
            .collect();
        // What was not fetched of a graph may lie between two nodes whose rows came.
        let whole = !t.is_excerpt();
        let few = whole.then(|| {
            left.bounds(&weights)
                .paths(t, seeds, &weights, (target, most), arcs)
        });
        if let Some(found) = few.flatten() {
            return found;
        }
        let layers = ways_back(t, near().borrow(), target, weights.len() - 1);
        heaviest(t, seeds, &weights, &layers, (0.0, most))
    }
}

/// The heaviest of the ways that begin at seeds, no lighter than `least`; so many at most.
fn heaviest(
    t: &Transition,
    seeds: &Sparse,
    weights: &[f64],
    layers: &[Vec<Way>],
    (least, most): (f64, usize),
) -> Vec<Path> {
    let at = |m: usize, node: Node| -> Option<&Way> {
        let layer: &[Way] = &layers[m];
        let place = layer.binary_search_by_key(&node, |way| way.from);
        Some(&layer[place.ok()?])
    };
    let mut found: Vec<(f64, usize, Node)> = Vec::new();
    for (m, weight) in weights.iter().enumerate() {
        for &(seed, s) in seeds {
            let mass = at(m, seed).map_or(0.0, |way| s * way.product * weight);
            if mass > 0.0 && mass >= least {
                found.push((mass, m, seed));
            }
        }
    }
    // Equals are told apart by their nodes, so all of the last one's are looked at.
    let mut masses: Vec<f64> = found.iter().map(|found| found.0).collect();
    masses.sort_unstable_by(|a, b| b.total_cmp(a));
    let least = masses.get(most - 1).copied().unwrap_or(0.0);
    let path = |(mass, m, seed): (f64, usize, Node)| {
        let mut nodes = vec![seed];
        for m in (1..=m).rev() {
            let next = at(m, nodes[nodes.len() - 1]).map(|way| way.next);
            nodes.extend(next);
        }
        let kept = nodes
            .windows(2)
            .map(|pair| t.probability(pair[0] as usize, pair[1] as usize))
            .collect();
        Path { nodes, mass, kept }
    };
    let heavy = found.into_iter().filter(|found| found.0 >= least);
    let mut found: Vec<Path> = heavy.map(path).collect();
    found.sort_by(|a, b| {
        b.mass
            .total_cmp(&a.mass)
            .then_with(|| a.nodes.cmp(&b.nodes))
    });
    found.truncate(most);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Dangling;
    use crate::graph::push::forward;
    use crate::parameters::PushThreshold;
    use crate::retrieve::spread::Kernel;
    use proptest::prelude::*;

    /// The heaviest walks by the programme as it is written, over all nodes.
    fn plain(diffusion: &Diffusion, t: &Transition, seeds: &Sparse, target: Node) -> Vec<Path> {
        let lengths = diffusion.lengths().unwrap_or_else(|| {
            let weight = |k| diffusion.alpha * (1.0 - diffusion.alpha).powi(k);
            (0..=LONGEST_PATH as i32).map(weight).collect()
        });
        let mut first = vec![(0.0, target); t.nodes()];
        first[target as usize].0 = 1.0;
        let mut layers = vec![first];
        let mut found: Vec<Path> = Vec::new();
        for (m, weight) in lengths.iter().enumerate().take(LONGEST_PATH + 1) {
            if m > 0 {
                let before = &layers[m - 1];
                let best = |u: usize| {
                    let mut best = (0.0, target);
                    let (targets, weights) = t.row(u);
                    for (&v, &w) in targets.iter().zip(weights) {
                        let through = before[v as usize].0 * f64::from(w) * t.into(v as usize);
                        if through > best.0 {
                            best = (through, v);
                        }
                    }
                    (best.0 * t.scale(u), best.1)
                };
                layers.push((0..t.nodes()).map(best).collect());
            }
            for &(seed, s) in seeds {
                let mass = s * layers[m][seed as usize].0 * weight;
                if mass > 0.0 {
                    let mut nodes = vec![seed];
                    for layer in layers[1..=m].iter().rev() {
                        nodes.push(layer[nodes[nodes.len() - 1] as usize].1);
                    }
                    let pairs = nodes.windows(2);
                    let kept = pairs.map(|p| t.probability(p[0] as usize, p[1] as usize));
                    let kept = kept.collect();
                    found.push(Path { nodes, mass, kept });
                }
            }
        }
        found.sort_by(|a, b| {
            let by_mass = b.mass.total_cmp(&a.mass);
            by_mass.then_with(|| a.nodes.cmp(&b.nodes))
        });
        found.truncate(PATHS);
        found
    }

    proptest! {
        #[test]
        fn paths_are_those_of_the_plain_programme_to_the_bit(
            edges in prop::collection::vec((0u32..60, 0u32..60, 0.5f32..4.0), 1..150),
            seeds in prop::collection::btree_map(0u32..60, 0.01f64..1.0, 1..6),
            into in prop::collection::vec(0.1f64..1.0, 60),
            target in 0u32..60, alpha in 0.05f64..0.95, steps in 0usize..9, kernel in 0usize..4,
            epsilon in 1e-6f64..0.05, most in prop_oneof![Just(0), Just(usize::MAX)],
        ) {
            let edges = edges.into_iter().filter(|(a, b, _)| a != b);
            let t = Transition::of_edges(60, edges).rescaled(into);
            let diffusion = Diffusion {
                kernel: [Kernel::Power, Kernel::Push, Kernel::Summed, Kernel::Lazy][kernel],
                alpha,
                steps,
                epsilon,
                threshold: PushThreshold::Plain,
                dangling: Dangling::Drop,
                jump: false,
            };
            let seeds: Sparse = seeds.into_iter().collect();
            let (mut mass, mut residual) = (vec![0.0; 60], 0.0);
            match diffusion.lengths() {
                Some(lengths) => diffusion.add_lengths(&t, &seeds, &seeds, &lengths, &mut mass),
                None => {
                    let plain = PushThreshold::Plain;
                    let pushed = forward(&t, &seeds, alpha, epsilon, plain, Dangling::Drop, |_| {});
                    residual = pushed.largest_residual(&t);
                    mass = pushed.estimate;
                }
            }
            let left = Left { mass: &mass, residual };
            let near = || diffusion.near(&t, &seeds);
            let best = |count| diffusion.paths_among(&t, &seeds, (left, most), near, (target, count));
            let paths = best(PATHS);
            prop_assert_eq!(&best(1)[..], &paths[..paths.len().min(1)]);
            for path in &paths {
                let carried = diffusion.carried(&t, &seeds, &path.nodes);
                prop_assert!((carried - path.mass).abs() <= 1e-9 * path.mass, "{path:?} {carried}");
            }
            prop_assert_eq!(paths, plain(&diffusion, &t, &seeds, target));
        }
    }
}
