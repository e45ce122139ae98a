//! Single steps of a walk from any start.
//!
//! Early steps touch few nodes, so a step scatters from the nodes that hold mass; once those carry most arcs, a step
//! gathers into every node, on all threads. Which of the two runs depends on counts alone, and each adds in a fixed order:
//! the bits are the same on any number of threads. Walks from the seeds to a result are `power`'s.

use super::transition::{Dangling, Transition};
use rayon::prelude::*;

/// Scatter while the frontier's arcs are fewer than this share of all arcs.
const SCATTER_BELOW: f64 = 0.3;
/// Nodes a thread gathers at a time.
const CHUNK: usize = 1024;
/// Below this many nodes, one thread is faster.
pub const PARALLEL_FROM: usize = 16_384;
/// The same where little is done for each: to wake another thread takes as long as some ten thousand of them.
pub const LIGHT_FROM: usize = 1 << 18;

/// A sparse vector over nodes: (node, mass), nodes ascending.
pub type Sparse = Vec<(u32, f64)>;

/// One state of a walk: dense mass, and the nodes that may hold any (all, when `None`).
struct State {
    mass: Vec<f64>,
    active: Option<Vec<u32>>,
}

/// Steps `x_{j+1} = P^T x_j` from a start vector.
pub struct Forward<'t> {
    transition: &'t Transition,
    dangling: Dangling,
    seeds: &'t [(u32, f64)],
    state: State,
    spare: Vec<f64>,
    scaled: Vec<f64>,
}

impl<'t> Forward<'t> {
    /// Starts at the seeds, which must sum to 1 for `Reseed` to keep mass.
    pub fn new(
        transition: &'t Transition,
        seeds: &'t [(u32, f64)],
        dangling: Dangling,
    ) -> Forward<'t> {
        Forward::from(transition, seeds, seeds, dangling)
    }

    /// Starts at `start`; restarts, and dead ends under `Reseed`, go to `seeds`.
    pub fn from(
        transition: &'t Transition,
        start: &[(u32, f64)],
        seeds: &'t [(u32, f64)],
        dangling: Dangling,
    ) -> Forward<'t> {
        let n = transition.nodes();
        let mut mass = vec![0.0; n];
        let mut active: Vec<u32> = Vec::with_capacity(start.len());
        for &(node, m) in start {
            mass[node as usize] += m;
            active.push(node);
        }
        active.sort_unstable();
        active.dedup();
        Forward {
            transition,
            dangling,
            seeds,
            state: State {
                mass,
                active: Some(active),
            },
            spare: vec![0.0; n],
            scaled: Vec::new(),
        }
    }

    /// Mass of every node now.
    pub fn mass(&self) -> &[f64] {
        &self.state.mass
    }

    pub fn into_mass(self) -> Vec<f64> {
        self.state.mass
    }

    /// One step: `mass <- restart * seeds + keep * P^T mass`.
    pub fn step(&mut self, keep: f64, restart: f64) {
        let t = self.transition;
        let lost = self.dangling_mass();
        let frontier: Option<usize> = self
            .state
            .active
            .as_ref()
            .map(|nodes| nodes.iter().map(|&u| t.degree(u as usize)).sum());
        match frontier {
            Some(arcs) if (arcs as f64) < SCATTER_BELOW * t.arcs() as f64 => self.scatter(keep),
            _ => self.gather(keep),
        }
        let (stayed, returned) = match self.dangling {
            Dangling::Drop => (false, 0.0),
            Dangling::Reseed => (false, keep * lost.0),
            Dangling::Stay => (true, 0.0),
        };
        if stayed {
            for (node, mass) in lost.1 {
                self.add(node, keep * mass);
            }
        }
        let amount = restart + returned;
        if amount > 0.0 {
            for i in 0..self.seeds.len() {
                let (node, mass) = self.seeds[i];
                self.add(node, amount * mass);
            }
        }
        if let Some(active) = &mut self.state.active {
            active.sort_unstable();
            active.dedup();
        }
    }

    fn add(&mut self, node: u32, mass: f64) {
        self.state.mass[node as usize] += mass;
        if let Some(active) = &mut self.state.active {
            active.push(node);
        }
    }

    /// Mass on dangling nodes: the sum, and the nodes.
    fn dangling_mass(&self) -> (f64, Sparse) {
        let mass = &self.state.mass;
        let held = |u: u32| {
            (self.transition.dangling(u as usize) && mass[u as usize] > 0.0)
                .then(|| (u, mass[u as usize]))
        };
        let nodes: Sparse = match &self.state.active {
            Some(active) => active.iter().filter_map(|&u| held(u)).collect(),
            None => (0..mass.len() as u32).filter_map(held).collect(),
        };
        (nodes.iter().map(|(_, m)| m).sum(), nodes)
    }

    fn scatter(&mut self, keep: f64) {
        let t = self.transition;
        let active = self.state.active.take().unwrap_or_default();
        let mut touched = Vec::new();
        for &u in &active {
            let u = u as usize;
            let x = keep * self.state.mass[u] * t.scale(u);
            self.state.mass[u] = 0.0;
            if x == 0.0 {
                continue;
            }
            let (targets, weights) = t.row(u);
            for (&v, &w) in targets.iter().zip(weights) {
                let slot = &mut self.spare[v as usize];
                if *slot == 0.0 {
                    touched.push(v);
                }
                *slot += f64::from(w) * x;
            }
        }
        for &v in &touched {
            self.spare[v as usize] *= t.into(v as usize);
        }
        // The old vector is all zero again: it serves the next step.
        std::mem::swap(&mut self.state.mass, &mut self.spare);
        self.state.active = Some(touched);
    }

    fn gather(&mut self, keep: f64) {
        let t = self.transition;
        self.state.active = None;
        self.scaled.resize(t.nodes(), 0.0);
        for (u, x) in self.scaled.iter_mut().enumerate() {
            *x = keep * self.state.mass[u] * t.scale(u);
        }
        let scaled = &self.scaled;
        let one = |v: usize, slot: &mut f64| {
            let (sources, weights) = t.row(v);
            let sum: f64 = sources
                .iter()
                .zip(weights)
                .map(|(&u, &w)| f64::from(w) * scaled[u as usize])
                .sum();
            *slot = sum * t.into(v);
        };
        each_node(&mut self.spare, one);
        std::mem::swap(&mut self.state.mass, &mut self.spare);
        self.spare.fill(0.0);
    }
}

/// Fills a dense vector node by node, on all threads when it is long.
pub fn each_node<T: Send>(values: &mut [T], one: impl Fn(usize, &mut T) + Sync) {
    if values.len() < PARALLEL_FROM {
        values
            .iter_mut()
            .enumerate()
            .for_each(|(v, slot)| one(v, slot));
    } else {
        values
            .par_chunks_mut(CHUNK)
            .enumerate()
            .for_each(|(chunk, slots)| {
                slots
                    .iter_mut()
                    .enumerate()
                    .for_each(|(i, slot)| one(chunk * CHUNK + i, slot));
            });
    }
}

/// The weight of walks of each length 0..=steps in a power state: `alpha (1-alpha)^k`, and `(1-alpha)^T` for the last.
pub fn length_weights(alpha: f64, steps: usize) -> Vec<f64> {
    (0..=steps)
        .map(|k| {
            let kept = (1.0 - alpha).powi(k as i32);
            if k < steps { alpha * kept } else { kept }
        })
        .collect()
}

/// The weight of walks of each length 0..=steps after so many steps in each of which the mass moves with chance alpha:
/// the binomial distribution.
pub fn lazy_weights(alpha: f64, steps: usize) -> Vec<f64> {
    let t = steps as i32;
    let mut ways = 1.0;
    (0..=t)
        .map(|k| {
            let weight = ways * alpha.powi(k) * (1.0 - alpha).powi(t - k);
            ways = ways * f64::from(t - k) / f64::from(k + 1);
            weight
        })
        .collect()
}

/// Fills values of some nodes, on all threads when they are many.
pub fn each_of<T: Send + Clone>(
    nodes: &[u32],
    none: T,
    one: impl Fn(usize, &mut T) + Sync,
) -> Vec<T> {
    let mut values = vec![none; nodes.len()];
    each_node(&mut values, |at, slot| one(nodes[at] as usize, slot));
    values
}
