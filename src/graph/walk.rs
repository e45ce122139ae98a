//! Single steps of a walk from any start, walks of several parts at once, and walks backward from a target.
//!
//! Early steps touch few nodes, so a step scatters from the nodes that hold mass; once those carry most arcs, a step
//! gathers into every node, on all threads. Which of the two runs depends on counts alone, and each adds in a fixed order:
//! the bits are the same on any number of threads. Walks from the seeds to a result are [`power`](super::power)'s.

use super::trail::Rings;
use super::transition::{Dangling, Transition};
use rayon::prelude::*;
use std::borrow::Cow;

/// Scatter while the frontier's arcs are fewer than this share of all arcs.
const SCATTER_BELOW: f64 = 0.3;
/// Nodes a thread gathers at a time.
const CHUNK: usize = 1024;
/// Below this many nodes, one thread is faster.
const PARALLEL_FROM: usize = 16_384;

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

/// Up to `K` walks at once, each from seeds of its own, over the same matrix: what takes time is reading the matrix, and
/// it is read once for all of them. Mass of each walk at every node; `each` sees it after every step, 0 first. `Reseed` is
/// not linear in a part of the seeds and is treated as `Drop`. With rings, only those in their midst are asked for, at any
/// step: their masses are the same to the bit, and elsewhere a state may lack some.
pub fn power_many<const K: usize>(
    transition: &Transition,
    parts: &[Sparse],
    alpha: f64,
    steps: usize,
    dangling: Dangling,
    wanted: Option<&Rings>,
    mut each: impl FnMut(usize, &[[f64; K]]),
) -> Vec<[f64; K]> {
    let keep = 1.0 - alpha;
    let mut mass = vec![[0.0; K]; transition.nodes()];
    let add = |mass: &mut [[f64; K]], share: f64| {
        for (lane, part) in parts.iter().take(K).enumerate() {
            for &(node, m) in part {
                mass[node as usize][lane] += share * m;
            }
        }
    };
    add(&mut mass, 1.0);
    each(0, &mass);
    // Early steps touch few nodes; the others hold nothing and get nothing.
    let seeds = parts.iter().take(K).flatten().map(|seed| seed.0);
    let near = Rings::around(transition, seeds, steps);
    // Where mass may be and where it can still go on to what is asked for, whichever is less; none are all nodes.
    let worked = |step: usize| -> Option<&[u32]> {
        let wanted = wanted.and_then(|wanted| wanted.within(steps - step));
        let both = near.within(step).into_iter().chain(wanted);
        both.min_by_key(|some| some.1).map(|some| some.0)
    };
    let mut scaled = vec![[0.0; K]; transition.nodes()];
    for step in 1..=steps {
        let scale = |u: usize, slot: &mut [f64; K]| {
            let scale = keep * transition.scale(u);
            *slot = mass[u].map(|m| m * scale);
        };
        match worked(step - 1) {
            Some(nodes) => nodes
                .iter()
                .for_each(|&u| scale(u as usize, &mut scaled[u as usize])),
            None => each_node(&mut scaled, scale),
        }
        let before = &scaled;
        let gather = |v: usize, slot: &mut [f64; K]| {
            let mut sum = [0.0; K];
            let (sources, weights) = transition.row(v);
            for (&u, &w) in sources.iter().zip(weights) {
                let (w, from) = (f64::from(w), &before[u as usize]);
                for lane in 0..K {
                    sum[lane] += w * from[lane];
                }
            }
            let into = transition.into(v);
            let stays = if dangling == Dangling::Stay && transition.dangling(v) {
                keep
            } else {
                0.0
            };
            for lane in 0..K {
                slot[lane] = sum[lane] * into + stays * slot[lane];
            }
        };
        match worked(step) {
            Some(nodes) => {
                let held = |v: usize, slot: &mut [f64; K]| {
                    *slot = mass[v];
                    gather(v, slot);
                };
                let values = each_of(nodes, [0.0; K], held);
                for (&v, value) in nodes.iter().zip(values) {
                    mass[v as usize] = value;
                }
            }
            None => each_node(&mut mass, gather),
        }
        add(&mut mass, alpha);
        each(step, &mass);
    }
    mass
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

/// Reverse states of a target: `h_0 = e_target`, `h_m = P h_{m-1}`, so `h_m(u)` is the chance that m steps from u end
/// there. `seeds` stand in for the rows of dangling nodes under `Reseed`. With rings, only those in their midst are asked
/// for: their values are the same to the bit, and elsewhere a state may lack some.
pub fn backward(
    transition: &Transition,
    target: u32,
    steps: usize,
    dangling: Dangling,
    seeds: &[(u32, f64)],
    near: Option<&Rings>,
) -> Vec<Vec<f64>> {
    let t = transition;
    let n = t.nodes();
    // A dangling node has no neighbours, so its value matters where it is asked for; reseeding, it hears of all seeds.
    let lone = |near: &&Rings| {
        let asked = near.within(0).map_or(&[][..], |asked| asked.0);
        asked.iter().any(|&u| t.dangling(u as usize))
    };
    let near = near.filter(|near| dangling != Dangling::Reseed || !lone(near));
    let mut first = vec![0.0; n];
    first[target as usize] = 1.0;
    let mut states = vec![first];
    // Nodes that may have a value, ascending, while they are few. Of those only their neighbours are visited.
    let mut held = Some(vec![target]);
    let mut scatters = dangling == Dangling::Drop;
    for left in (0..steps).rev() {
        let before = &states[states.len() - 1];
        let arcs = |nodes: &Vec<u32>| nodes.iter().map(|&v| t.degree(v as usize)).sum::<usize>();
        let few = held
            .take()
            .map(|nodes| (arcs(&nodes), nodes))
            .filter(|(arcs, _)| (*arcs as f64) < SCATTER_BELOW * t.arcs() as f64);
        scatters &= few.is_some();
        let mut next = vec![0.0; n];
        if let Some((_, nodes)) = few.as_ref().filter(|_| scatters) {
            let mut touched = Vec::new();
            for &v in nodes {
                let h = t.into(v as usize) * before[v as usize];
                let (sources, weights) = t.row(v as usize);
                for (&u, &w) in sources.iter().zip(weights) {
                    if next[u as usize] == 0.0 {
                        touched.push(u);
                    }
                    next[u as usize] += f64::from(w) * h * t.scale(u as usize);
                }
            }
            touched.sort_unstable();
            touched.dedup();
            held = Some(touched);
            states.push(next);
            continue;
        }
        let reseeded: f64 = match near {
            Some(_) => 0.0,
            None => seeds.iter().map(|&(v, m)| m * before[v as usize]).sum(),
        };
        let one = |u: usize, slot: &mut f64| {
            *slot = if t.dangling(u) {
                match dangling {
                    Dangling::Drop => 0.0,
                    Dangling::Reseed => reseeded,
                    Dangling::Stay => before[u],
                }
            } else {
                let (targets, weights) = t.row(u);
                let sum: f64 = targets
                    .iter()
                    .zip(weights)
                    .map(|(&v, &w)| f64::from(w) * t.into(v as usize) * before[v as usize])
                    .sum();
                sum * t.scale(u)
            };
        };
        let listed = near.and_then(|near| match (few, near.within(left)) {
            (Some((arcs, nodes)), around) if around.is_none_or(|around| arcs < around.1) => {
                let beside = nodes.iter().flat_map(|v| match t.row(*v as usize).0 {
                    [] => std::slice::from_ref(v),
                    beside => beside,
                });
                let beside = beside.copied().filter(|u| near.reach(*u, left));
                let mut beside: Vec<u32> = beside.collect();
                beside.sort_unstable();
                beside.dedup();
                Some(Cow::Owned(beside))
            }
            (_, around) => around.map(|around| Cow::Borrowed(around.0)),
        });
        match listed {
            Some(nodes) => {
                let values = each_of(&nodes, 0.0, one);
                for (&u, value) in nodes.iter().zip(values) {
                    next[u as usize] = value;
                }
                let mut nodes = nodes.into_owned();
                nodes.sort_unstable();
                held = Some(nodes);
            }
            None => each_node(&mut next, one),
        }
        states.push(next);
    }
    states
}
