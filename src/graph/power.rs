//! Power iteration from seeds.
//!
//! `r_0 = s`, `r_{t+1} = alpha s + (1-alpha) P^T r_t` (SPRIG, power mode). What takes time are the steps
//! `u_k = (P^T)^k s`, and these do not know alpha: `r_T = sum over k < T of alpha (1-alpha)^k u_k + (1-alpha)^T u_T`. So the
//! steps are walked without a restart and kept, and a result is read off them: another alpha, or fewer steps, from the same
//! seeds takes one pass over the nodes and none over the arcs.

use super::core::{Core, Factors, Place};
use super::steps::{Held, Row, Walks, shared};
use super::transition::{Dangling, Transition};
use super::walk::{LIGHT_FROM, each_node, each_pair, length_weights};

/// A walk with restarts, whose last steps are kept as long as nobody walks from other seeds.
#[derive(Debug, Default)]
pub struct Power {
    steps: Walks<1, 8>,
    /// Steps that are no longer kept, weighed and summed.
    sum: Row<1>,
    /// `y` of core nodes of a state, and of the one before.
    now: Row<1>,
    before: Row<1>,
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
            self.walk.mix(self.step, self.alpha);
        }
    }

    /// The nodes that may hold something, in no order, and the mass of each, where the walk has not gone far yet.
    pub fn few(&mut self) -> Option<Vec<(u32, f64)>> {
        self.mix();
        let (core, steps) = (self.core, &self.walk.steps);
        let Held::First(active) = self.walk.now.held else {
            return None;
        };
        let mut held = Vec::new();
        for &at in &steps.active[..active] {
            let node = core.nodes[at as usize];
            held.push((node, self.of_core(at as usize)));
            let leaves = core.leaves_of(at).map(|at| {
                let seed = steps
                    .leaf_seeds
                    .binary_search_by_key(&(at as u32), |seed| seed.0);
                let own = seed.map_or(0.0, |seed| self.restarted * steps.leaf_seeds[seed].1[0]);
                (core.leaves[at], self.of_leaf(at) + own)
            });
            held.extend(leaves);
        }
        let dead = steps.dead_seeds.iter();
        held.extend(dead.map(|(at, [m])| (core.nodes[*at as usize], self.held * m)));
        Some(held)
    }

    fn of_core(&self, at: usize) -> f64 {
        self.walk.now.y[at][0] * self.factors.out[at]
    }

    /// What its owner sent it.
    fn of_leaf(&self, at: usize) -> f64 {
        let owner = self.core.owners[at] as usize;
        (1.0 - self.alpha) * self.factors.leaf[at] * self.walk.before.y[owner][0]
    }

    /// Writes what is made of the mass of every node into a vector of that length.
    pub fn write<T: Clone + Send>(&mut self, values: &mut Vec<T>, of: impl Fn(f64) -> T + Sync) {
        self.mix();
        let (core, this) = (self.core, &*self);
        values.resize(core.nodes.len() + core.leaves.len(), of(0.0));
        if values.len() < LIGHT_FROM {
            for (at, &node) in core.nodes.iter().enumerate() {
                values[node as usize] = of(this.of_core(at));
            }
            for (at, &node) in core.leaves.iter().enumerate() {
                values[node as usize] = of(this.of_leaf(at));
            }
        } else {
            // The same by node, which threads can share.
            each_node(values, |node, value| {
                *value = of(match core.place(node as u32) {
                    Place::Core(at) => this.of_core(at as usize),
                    Place::Leaf(at) => this.of_leaf(at as usize),
                });
            });
        }
        for &(at, [m]) in &this.walk.steps.dead_seeds {
            values[core.nodes[at as usize] as usize] = of(self.held * m);
        }
        for &(at, [m]) in &this.walk.steps.leaf_seeds {
            let at = at as usize;
            values[core.leaves[at] as usize] = of(this.of_leaf(at) + self.restarted * m);
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
        for row in [&mut self.sum, &mut self.now, &mut self.before] {
            row.begin(core.nodes.len(), &self.steps.active, false);
        }
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

    /// What walks of every length so far leave in `now`, with the weights that restarts give them, and in `before` what
    /// they did one step earlier.
    fn mix(&mut self, step: usize, alpha: f64) {
        let weights = length_weights(alpha, step);
        let earlier = match step {
            0 => 0.0,
            _ => (1.0 - alpha).powi(step as i32 - 1),
        };
        let first = (step + 1).saturating_sub(self.steps.rows.len());
        let row = |step: usize| &self.steps.rows[step % self.steps.rows.len()];
        let full = (first..=step).any(|step| row(step).full()) || (first > 0 && self.sum.full());
        for both in [&mut self.now, &mut self.before] {
            both.held = match full {
                true => Held::All,
                false => {
                    both.clear(&self.steps.active);
                    Held::First(self.steps.active.len())
                }
            };
        }
        let sum = (first > 0).then_some(&self.sum.y);
        // The same additions in the same order, for some nodes that follow each other.
        let blend = |at: usize, now: &mut [[f64; 1]], before: &mut [[f64; 1]]| {
            match sum {
                Some(sum) => now.copy_from_slice(&sum[at..at + now.len()]),
                None => now.fill([0.0]),
            }
            let add = |sum: &mut [[f64; 1]], k: usize, weight: f64| {
                let row = &row(k).y[at..at + sum.len()];
                let each = sum.iter_mut().zip(row);
                each.for_each(|(sum, y)| sum[0] += weight * y[0]);
            };
            for (k, weight) in weights.iter().enumerate().skip(first) {
                if k + 1 == step {
                    before.copy_from_slice(now);
                    add(before, k, earlier);
                }
                add(now, k, *weight);
            }
        };
        let (now, before) = (&mut self.now, &mut self.before);
        if full {
            each_pair(&mut now.y, &mut before.y, blend);
        } else {
            for &u in &self.steps.active {
                let one = u as usize..u as usize + 1;
                blend(one.start, &mut now.y[one.clone()], &mut before.y[one]);
            }
        }
    }
}
