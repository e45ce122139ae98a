//! Communities by the Leiden algorithm (Traag, Waltman and van Eck, 2019), for modularity with a resolution.
//!
//! Written out for speed: one run of the crate tried (leiden-rs 0.8.1) took 3.5 s for a planted graph of 100 k nodes and
//! 14.7 s for 200 k, one round here 0.3 s and 0.7 s, with the same modularity. The crate gave the same partition in two
//! processes, and connected communities in every run; but its refinement also moves nodes that are no longer alone, so
//! that is not guaranteed, and its generator (rand's `StdRng`) may change with a version.

use super::adjacency::{Adjacency, components, numbered, undirected};
use crate::random::SplitMix;
use std::collections::VecDeque;

/// What the communities are found with.
#[derive(Clone, Debug, PartialEq)]
pub struct LeidenOptions {
    /// Factor on the expected weight: above 1 gives smaller communities.
    pub resolution: f64,
    /// Whether edges count by weight, or all the same.
    pub weighted: bool,
    pub seed: u64,
    /// Runs of the whole algorithm, each from the result before; fewer when one changes nothing.
    pub rounds: usize,
}

impl Default for LeidenOptions {
    /// NodeRAG: modularity, resolution 1, unweighted.
    fn default() -> LeidenOptions {
        LeidenOptions {
            resolution: 1.0,
            weighted: false,
            seed: 0,
            rounds: 10,
        }
    }
}

/// How readily refinement takes a merge that is not the best (theta of the paper; its value).
const RANDOMNESS: f64 = 0.01;
/// Gains below this are rounding.
const GAIN: f64 = 1e-10;

/// A partition of the nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Communities {
    /// The community of every node, numbered in the order of their lowest nodes. Each is connected.
    pub of: Vec<u32>,
    pub count: usize,
    pub modularity: f64,
}

/// Finds communities. Isolated nodes are communities of their own.
pub fn leiden(graph: &Adjacency, options: &LeidenOptions) -> Communities {
    let ground = Level::of(graph, options.weighted);
    let mut random = SplitMix::new(options.seed);
    let mut of: Vec<u32> = (0..graph.node_count() as u32).collect();
    for _ in 0..options.rounds {
        let next = round(&ground, &of, options.resolution, &mut random);
        let changed = numbered(&next).0 != numbered(&of).0;
        of = next;
        if !changed {
            break;
        }
    }
    // Splitting a community into its connected parts never lowers modularity; it is seldom needed.
    let inner = (0..graph.node_count() as u32).flat_map(|u| {
        let near = graph.neighbors_slice(u).iter();
        near.filter(move |&&v| u < v).map(move |&v| (u, v, 1.0))
    });
    let inner = inner.filter(|&(u, v, _)| of[u as usize] == of[v as usize]);
    let (of, count) = components(&undirected(graph.node_count(), inner));
    let modularity = modularity(graph, &of, options.resolution, options.weighted);
    Communities {
        of,
        count,
        modularity,
    }
}

/// Share of the weight inside communities, less `resolution` times what a random graph of the same degrees has there.
pub fn modularity(graph: &Adjacency, of: &[u32], resolution: f64, weighted: bool) -> f64 {
    let level = Level::of(graph, weighted);
    if level.total == 0.0 {
        return 0.0;
    }
    let mut degree = vec![0.0; of.iter().max().map_or(0, |&c| c as usize + 1)];
    let mut inside = 0.0;
    for (u, &c) in of.iter().enumerate() {
        degree[c as usize] += level.degree[u];
        inside += level
            .arcs(u)
            .filter(|&(v, _)| of[v as usize] == c)
            .map(|a| a.1)
            .sum::<f64>();
    }
    let expected: f64 = degree.iter().map(|k| (k / level.total).powi(2)).sum();
    inside / level.total - resolution * expected
}

/// A graph between two aggregations.
struct Level {
    ends: Vec<usize>,
    targets: Vec<u32>,
    weights: Vec<f64>,
    /// Weight of all arcs of a node, twice its loop included.
    degree: Vec<f64>,
    /// Sum of all degrees.
    total: f64,
}

impl Level {
    fn of(graph: &Adjacency, weighted: bool) -> Level {
        let n = graph.node_count();
        let mut level = Level {
            ends: Vec::with_capacity(n),
            targets: Vec::with_capacity(graph.edge_count()),
            weights: Vec::with_capacity(graph.edge_count()),
            degree: Vec::with_capacity(n),
            total: 0.0,
        };
        for u in 0..n as u32 {
            let mut degree = 0.0;
            for (&v, &w) in graph.neighbors_slice(u).iter().zip(graph.edges_slice(u)) {
                let weight = if weighted { f64::from(w) } else { 1.0 };
                level.targets.push(v);
                level.weights.push(weight);
                degree += weight;
            }
            level.ends.push(level.targets.len());
            level.degree.push(degree);
            level.total += degree;
        }
        level
    }

    fn len(&self) -> usize {
        self.ends.len()
    }

    fn arcs(&self, node: usize) -> impl Iterator<Item = (u32, f64)> + '_ {
        let start = if node == 0 { 0 } else { self.ends[node - 1] };
        let span = start..self.ends[node];
        (self.targets[span.clone()].iter().copied()).zip(self.weights[span].iter().copied())
    }

    /// The graph of groups 0..count. Loops stay in the degrees only: nothing else asks for them.
    fn merged(&self, group: &[u32], count: usize) -> Level {
        let mut members: Vec<u32> = (0..self.len() as u32).collect();
        members.sort_by_key(|&u| group[u as usize]);
        let mut out = Level {
            ends: Vec::with_capacity(count),
            targets: Vec::new(),
            weights: Vec::new(),
            degree: vec![0.0; count],
            total: self.total,
        };
        let mut near = Weights::new(count);
        for own in members.chunk_by(|&a, &b| group[a as usize] == group[b as usize]) {
            let g = group[own[0] as usize];
            for &u in own {
                out.degree[g as usize] += self.degree[u as usize];
                for (v, w) in self.arcs(u as usize) {
                    let to = group[v as usize];
                    if to != g {
                        near.add(to, w);
                    }
                }
            }
            near.touched.sort_unstable();
            for &to in &near.touched {
                out.targets.push(to);
                out.weights.push(near.sum[to as usize]);
            }
            near.clear();
            out.ends.push(out.targets.len());
        }
        out
    }
}

/// Sums by community, for those next to one node.
struct Weights {
    sum: Vec<f64>,
    touched: Vec<u32>,
}

impl Weights {
    fn new(n: usize) -> Weights {
        Weights {
            sum: vec![0.0; n],
            touched: Vec::new(),
        }
    }

    /// Weights are positive: a sum of zero is one not begun.
    fn add(&mut self, community: u32, weight: f64) {
        let sum = &mut self.sum[community as usize];
        if *sum == 0.0 {
            self.touched.push(community);
        }
        *sum += weight;
    }

    fn clear(&mut self) {
        for c in self.touched.drain(..) {
            self.sum[c as usize] = 0.0;
        }
    }
}

/// The algorithm once, from a partition of the ground level: move, refine, merge, until moving leaves every node alone.
fn round(ground: &Level, start: &[u32], resolution: f64, random: &mut SplitMix) -> Vec<u32> {
    let (mut community, _) = numbered(start);
    // The node of the current level that stands for each node of the ground.
    let mut stands: Vec<u32> = (0..ground.len() as u32).collect();
    let mut merged: Option<Level> = None;
    loop {
        let level = merged.as_ref().unwrap_or(ground);
        move_nodes(level, &mut community, resolution, random);
        let (named, count) = numbered(&community);
        if count == level.len() {
            return stands.iter().map(|&u| named[u as usize]).collect();
        }
        let refined = refine(level, &named, resolution, random);
        let (mut group, mut groups) = numbered(&refined);
        if groups == level.len() {
            // Nothing was merged: go on with the communities themselves, or the next level would be this one.
            (group, groups) = (named.clone(), count);
        }
        let mut above = vec![0; groups];
        for (u, &g) in group.iter().enumerate() {
            above[g as usize] = named[u];
        }
        let next = level.merged(&group, groups);
        stands.iter_mut().for_each(|u| *u = group[*u as usize]);
        community = above;
        merged = Some(next);
    }
}

fn shuffled(n: usize, random: &mut SplitMix) -> Vec<u32> {
    let mut order: Vec<u32> = (0..n as u32).collect();
    for i in (1..n).rev() {
        order.swap(i, random.below(i + 1));
    }
    order
}

/// Moves nodes to the community where they add most, until no node wants to move (fast local moving).
fn move_nodes(level: &Level, community: &mut [u32], resolution: f64, random: &mut SplitMix) {
    let n = level.len();
    let mut degree = vec![0.0; n];
    let mut size = vec![0u32; n];
    for (u, &c) in community.iter().enumerate() {
        degree[c as usize] += level.degree[u];
        size[c as usize] += 1;
    }
    let mut empty: Vec<u32> = (0..n as u32)
        .rev()
        .filter(|&c| size[c as usize] == 0)
        .collect();
    let mut queue: VecDeque<u32> = shuffled(n, random).into();
    let mut queued = vec![true; n];
    let mut near = Weights::new(n);
    while let Some(u) = queue.pop_front() {
        let u = u as usize;
        queued[u] = false;
        let own = community[u];
        level
            .arcs(u)
            .for_each(|(v, w)| near.add(community[v as usize], w));
        degree[own as usize] -= level.degree[u];
        size[own as usize] -= 1;
        let expected = resolution * level.degree[u] / level.total.max(f64::MIN_POSITIVE);
        let gain = |c: u32, near: &Weights| near.sum[c as usize] - expected * degree[c as usize];
        let stay = gain(own, &near);
        let mut best = (own, stay);
        for &c in &near.touched {
            let value = gain(c, &near);
            let tie = (value - best.1).abs() <= GAIN && best.0 != own && c < best.0;
            if value > best.1 + GAIN || tie {
                best = (c, value);
            }
        }
        // A community of its own is worth 0.
        if best.1 < -GAIN
            && let Some(alone) = empty.pop()
        {
            best = (alone, 0.0);
        }
        near.clear();
        let to = best.0;
        degree[to as usize] += level.degree[u];
        size[to as usize] += 1;
        if to != own {
            community[u] = to;
            if size[own as usize] == 0 {
                empty.push(own);
            }
            for (v, _) in level.arcs(u) {
                if community[v as usize] != to && !queued[v as usize] {
                    queued[v as usize] = true;
                    queue.push_back(v);
                }
            }
        }
    }
}

/// Splits every community into well-connected groups: a node still alone joins a group of its community, drawn by gain.
fn refine(level: &Level, community: &[u32], resolution: f64, random: &mut SplitMix) -> Vec<u32> {
    let n = level.len();
    let mut whole = vec![0.0; n];
    let mut cut = vec![0.0; n];
    for u in 0..n {
        whole[community[u] as usize] += level.degree[u];
        let inner = level
            .arcs(u)
            .filter(|&(v, _)| community[v as usize] == community[u]);
        cut[u] = inner.map(|a| a.1).sum();
    }
    let mut group: Vec<u32> = (0..n as u32).collect();
    let mut degree = level.degree.clone();
    let mut size = vec![1u32; n];
    let mut near = Weights::new(n);
    let total = level.total.max(f64::MIN_POSITIVE);
    let mut choice: Vec<(u32, f64)> = Vec::new();
    for u in shuffled(n, random) {
        let u = u as usize;
        let all = whole[community[u] as usize];
        // At least as much weight to the rest of the community as a random graph would have.
        let well =
            |cut: f64, degree: f64| cut + GAIN >= resolution * degree * (all - degree) / total;
        if size[group[u] as usize] > 1 || !well(cut[u], level.degree[u]) {
            continue;
        }
        for (v, w) in level.arcs(u) {
            if community[v as usize] == community[u] {
                near.add(group[v as usize], w);
            }
        }
        choice.clear();
        let expected = resolution * level.degree[u] / total;
        for &g in &near.touched {
            let gain = near.sum[g as usize] - expected * degree[g as usize];
            if gain >= 0.0 && well(cut[g as usize], degree[g as usize]) {
                choice.push((g, gain));
            }
        }
        choice.push((u as u32, 0.0));
        let to = draw(&choice, random);
        if to != u as u32 {
            // The weight between u and its new group is inside now, seen from both.
            cut[to as usize] += cut[u] - 2.0 * near.sum[to as usize];
            degree[to as usize] += level.degree[u];
            size[to as usize] += 1;
            size[u] = 0;
            group[u] = to;
        }
        near.clear();
    }
    group
}

/// One of these, with chances in proportion to exp(gain / randomness).
fn draw(choice: &[(u32, f64)], random: &mut SplitMix) -> u32 {
    let most = choice.iter().map(|c| c.1).fold(f64::MIN, f64::max);
    let chance = |gain: f64| ((gain - most) / RANDOMNESS).exp();
    let total: f64 = choice.iter().map(|c| chance(c.1)).sum();
    let mut left = random.draw() as f64 / 2.0_f64.powi(64) * total;
    for &(group, gain) in choice {
        left -= chance(gain);
        if left < 0.0 {
            return group;
        }
    }
    choice
        .iter()
        .fold(
            (0, f64::MIN),
            |best, c| if c.1 > best.1 { *c } else { best },
        )
        .0
}

#[cfg(test)]
#[path = "leiden_tests.rs"]
mod tests;
