//! Power iteration from seeds.
//!
//! `r_0 = s`, `r_{t+1} = alpha s + (1-alpha) P^T r_t` (SPRIG, power mode). What takes time are the steps
//! `u_k = (P^T)^k s`, and these do not know alpha: `r_T = sum over k < T of alpha (1-alpha)^k u_k + (1-alpha)^T u_T`. So the
//! steps are walked without a restart and kept, and a result is read off them: another alpha, or fewer steps, from the same
//! seeds takes one pass over the nodes and none over the arcs.

use super::core::{Core, Factors};
use super::rows::BLOCK;
use super::steps::{Held, Row, Walks, shared};
use super::transition::{Dangling, Transition};
use super::walk::{LIGHT_FROM, each_node, length_weights};
use rayon::prelude::*;
use std::ops::Range;

/// Where more than one of so many nodes may hold mass, that of all is mixed: one after the other they take less time.
const ACTIVE: usize = 16;

/// A walk with restarts, whose last steps are kept as long as nobody walks from other seeds.
#[derive(Debug, Default)]
pub struct Power {
    steps: Walks<1, 8>,
    /// Steps that are no longer kept, weighed and summed.
    sum: Row<1>,
    /// The mass of a state: of core nodes by their number, then of leaves by their place.
    mass: Vec<f64>,
    /// Which core nodes may hold some of it, and their leaves with them; and of which graph.
    held: Held,
    of: u64,
}

/// The state of a walk with restarts after some step.
pub struct State<'w> {
    walk: &'w mut Power,
    core: &'w Core,
    factors: &'w Factors,
    alpha: f64,
    step: usize,
    /// What the seeds got in the step, and what those of them that are dead ends hold, as shares of their mass.
    restarted: f64,
    held: f64,
    mixed: bool,
}

impl State<'_> {
    fn mix(&mut self) {
        if !std::mem::replace(&mut self.mixed, true) {
            let seeds = (self.restarted, self.held);
            let graph = (self.core, self.factors);
            self.walk.mix(graph, self.step, self.alpha, seeds);
        }
    }

    /// The nodes that hold something, in no order, and the mass of each, where the walk has not gone far yet: no more than
    /// so many.
    pub fn few(&mut self, most: usize) -> Option<Vec<(u32, f64)>> {
        self.mix();
        let (core, walk) = (self.core, &*self.walk);
        let Held::First(active) = walk.held else {
            return None;
        };
        let dead = walk.steps.dead_seeds.iter().map(|seed| &seed.0);
        let (nodes, leaves) = walk.mass.split_at(core.nodes.len());
        let mut few = Vec::new();
        for &at in walk.steps.active[..active].iter().chain(dead) {
            let hung = core.leaves_of(at);
            let own = (core.nodes[at as usize], nodes[at as usize]);
            let hung = hung.map(|at| (core.leaves[at], leaves[at]));
            few.extend(hung.chain([own]).filter(|(_, mass)| *mass > 0.0));
            if few.len() > most {
                return None;
            }
        }
        Some(few)
    }

    /// Writes what is made of the mass of every node.
    pub fn write<T: Send>(&mut self, values: &mut Vec<T>, of: impl Fn(f64) -> T + Sync) {
        self.mix();
        let (core, mass) = (self.core, &self.walk.mass);
        values.clear();
        let nodes = 0..mass.len() as u32;
        let one = |node: u32| of(mass[core.folded(node)]);
        match mass.len() < LIGHT_FROM {
            true => values.extend(nodes.map(one)),
            false => values.par_extend(nodes.into_par_iter().map(one)),
        }
    }

    /// Mass of every node.
    pub fn mass(&mut self) -> Vec<f64> {
        let mut mass = Vec::new();
        self.write(&mut mass, |m| m);
        mass
    }
}

impl Power {
    /// `steps` steps from the seeds, which must sum to 1 for `Reseed` to keep mass; `watch` sees every state from step 0
    /// on, and the mass that left at dead ends on the way to it.
    pub fn walk<'w>(
        &'w mut self,
        transition: &'w Transition,
        seeds: &[(u32, f64)],
        alpha: f64,
        steps: usize,
        dangling: Dangling,
        mut watch: impl FnMut(usize, &mut State, f64),
    ) -> State<'w> {
        let (core, factors) = transition.folded();
        let seeds: Vec<(u32, [f64; 1])> = seeds.iter().map(|(node, m)| (*node, [*m])).collect();
        self.sum.begin(core.nodes.len(), &self.steps.active, false);
        self.clear(core, transition.id());
        self.steps.begin(transition, seeds, dangling, (steps, &[]));
        let dead: f64 = self.steps.dead_seeds.iter().map(|seed| seed.1[0]).sum();
        let mut state = State {
            walk: self,
            core,
            factors,
            alpha,
            step: 0,
            restarted: 1.0,
            held: 1.0,
            mixed: false,
        };
        watch(0, &mut state, 0.0);
        for step in 1..=steps {
            let dropped = match dangling {
                Dangling::Drop => (1.0 - alpha) * state.held * dead,
                _ => 0.0,
            };
            (state.restarted, state.held) = shared(dangling, alpha, state.held, dead);
            (state.step, state.mixed) = (step, false);
            if step > state.walk.steps.done {
                if let Some(first) = step.checked_sub(state.walk.steps.rows.len()) {
                    state.walk.fold(first, alpha);
                }
                let steps = &mut state.walk.steps;
                steps.step(core, factors, (dangling, dead), None);
            }
            watch(step, &mut state, dropped);
        }
        state
    }

    /// Adds a step that the next one will overwrite to the sum of those before.
    fn fold(&mut self, step: usize, alpha: f64) {
        let weight = alpha * (1.0 - alpha).powi(step as i32);
        if step == 0 {
            self.sum.clear(&self.steps.active);
        }
        let row = &self.steps.rows[step % self.steps.rows.len()];
        if row.full() {
            self.sum.held = Held::All;
            let add = |v: usize, sum: &mut [f64; 1]| sum[0] += weight * row.y[v][0];
            each_node(&mut self.sum.y, add);
        } else {
            if !self.sum.full() {
                self.sum.held = Held::First(self.steps.active.len());
            }
            for &u in &self.steps.active {
                self.sum.y[u as usize][0] += weight * row.y[u as usize][0];
            }
        }
    }

    /// Forgets the mass of the walk before, but one that reached all nodes: the next may write over it.
    fn clear(&mut self, core: &Core, id: u64) {
        let all = core.nodes.len() + core.leaves.len();
        let other = std::mem::replace(&mut self.of, id) != id;
        if self.mass.len() != all || (other && !matches!(self.held, Held::All)) {
            self.mass = vec![0.0; all];
        } else if let Held::First(active) = self.held {
            let (nodes, leaves) = self.mass.split_at_mut(core.nodes.len());
            let dead = self.steps.dead_seeds.iter().map(|seed| &seed.0);
            for &at in self.steps.active[..active].iter().chain(dead) {
                nodes[at as usize] = 0.0;
                leaves[core.leaves_of(at)].fill(0.0);
            }
        } else {
            return;
        }
        self.held = Held::First(0);
    }

    /// The mass that walks of every length so far leave, with the weights that restarts give them.
    fn mix(
        &mut self,
        (core, factors): (&Core, &Factors),
        step: usize,
        alpha: f64,
        (restarted, held): (f64, f64),
    ) {
        let weights = length_weights(alpha, step);
        let earlier = match step {
            0 => 0.0,
            _ => (1.0 - alpha).powi(step as i32 - 1),
        };
        let first = (step + 1).saturating_sub(self.steps.rows.len());
        let row = |step: usize| &self.steps.rows[step % self.steps.rows.len()];
        // What an earlier step reached is among what this one did.
        let reached = match row(step).held {
            Held::First(active) if active <= BLOCK.max(core.nodes.len() / ACTIVE) => Some(active),
            _ => None,
        };
        let sum = (first > 0).then_some(&self.sum.y);
        // `y` of some nodes that follow each other, and what it was one step earlier.
        let blend = |at: usize, now: &mut [f64], before: &mut [f64]| {
            let own = at..at + now.len();
            match sum {
                Some(sum) => now.copy_from_slice(sum[own.clone()].as_flattened()),
                None => now.fill(0.0),
            }
            let add = |sum: &mut [f64], k: usize, weight: f64| {
                let each = sum.iter_mut().zip(&row(k).y[own.clone()]);
                each.for_each(|(sum, [y])| *sum += weight * y);
            };
            for (k, weight) in weights.iter().enumerate().skip(first) {
                if k + 1 == step {
                    before.copy_from_slice(now);
                    add(before, k, earlier);
                }
                add(now, k, *weight);
            }
        };
        // Their mass, and what each has sent its leaves.
        let fold = |at: usize, nodes: &mut [f64], before: &mut [f64], leaves: &mut [f64]| {
            blend(at, nodes, before);
            let hung = core.leaves_of(at as u32).start;
            for (leaf, own) in (hung..).zip(leaves) {
                let owner = core.owners[leaf] as usize - at;
                *own = (1.0 - alpha) * factors.leaf[leaf] * before[owner];
            }
            let out = nodes.iter_mut().zip(&factors.out[at..]);
            out.for_each(|(mass, out)| *mass *= out);
        };
        let (nodes, leaves) = self.mass.split_at_mut(core.nodes.len());
        if let Some(active) = reached {
            if let Held::All = self.held {
                nodes.fill(0.0);
                leaves.fill(0.0);
            }
            for &u in &self.steps.active[..active] {
                let (at, hung) = (u as usize, core.leaves_of(u));
                let nodes = &mut nodes[at..at + 1];
                fold(at, nodes, &mut [0.0], &mut leaves[hung]);
            }
            self.held = Held::First(active);
        } else {
            let light = nodes.len() < LIGHT_FROM;
            let parts = nodes.chunks_mut(BLOCK).zip(core.leaf_parts(leaves));
            let one = |(nodes, (own, leaves)): (&mut [f64], (Range<usize>, &mut [f64]))| {
                let mut before = [0.0; BLOCK];
                fold(own.start, nodes, &mut before[..nodes.len()], leaves);
            };
            match light {
                true => parts.for_each(one),
                false => parts.collect::<Vec<_>>().into_par_iter().for_each(one),
            }
            self.held = Held::All;
        }
        for &(at, [m]) in &self.steps.dead_seeds {
            nodes[at as usize] = held * m;
        }
        for &(at, [m]) in &self.steps.leaf_seeds {
            leaves[at as usize] += restarted * m;
        }
    }
}
