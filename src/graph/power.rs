//! Power iteration from seeds.
//!
//! `r_0 = s`, `r_{t+1} = alpha s + (1-alpha) P^T r_t` (SPRIG, power mode). What takes time are the steps
//! `u_k = (P^T)^k s`, and these do not know alpha: `r_T = sum over k < T of alpha (1-alpha)^k u_k + (1-alpha)^T u_T`. So the
//! steps are walked without a restart and kept, and a result is read off them: another alpha, or fewer steps, from the same
//! seeds takes one pass over the nodes and none over the arcs.

use super::core::{Core, Factors};
use super::rows::{BLOCK, within};
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
    fn mixing(&self) -> Mixing<'_> {
        let steps = &self.walk.steps;
        let first = (self.step + 1).saturating_sub(steps.rows.len());
        Mixing {
            core: self.core,
            factors: self.factors,
            steps,
            sum: (first > 0).then_some(&self.walk.sum.y[..]),
            weights: length_weights(self.alpha, self.step),
            first,
            moving: 1.0 - self.alpha,
            seeds: (self.restarted, self.held),
        }
    }

    /// How many of the active nodes may hold something, where these are few.
    fn reached(&self) -> Option<usize> {
        match self.walk.steps.row(self.step).held {
            Held::First(active) if active <= BLOCK.max(self.core.nodes.len() / ACTIVE) => {
                Some(active)
            }
            _ => None,
        }
    }

    /// The mass that walks of every length so far leave, with the weights that restarts give them.
    fn mix(&mut self) {
        if std::mem::replace(&mut self.mixed, true) {
            return;
        }
        let mut mass = std::mem::take(&mut self.walk.mass);
        if let Some(active) = self.reached() {
            if let Held::All = self.walk.held {
                mass.fill(0.0);
            }
            self.mixing().some(active, &mut mass);
            self.walk.held = Held::First(active);
        } else {
            self.mixing().all(&mut mass, |mass| mass);
            self.walk.held = Held::All;
        }
        self.walk.mass = mass;
    }

    /// The nodes that hold something, in no order, and the mass of each, where the walk has not gone far yet: no more than
    /// so many.
    pub fn few(&mut self, most: usize) -> Option<Vec<(u32, f64)>> {
        let active = self.reached()?;
        self.mix();
        let (core, walk) = (self.core, &*self.walk);
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

    /// Writes the mass of every node.
    pub fn write(&mut self, values: &mut Vec<f64>) {
        self.mix();
        by_node(self.core, &self.walk.mass, values, |mass| mass);
    }

    /// The mass of every node in single precision: to mix and to read it takes half the memory.
    pub fn rounded(&mut self) -> Vec<f32> {
        let mut values = Vec::new();
        if self.mixed || self.reached().is_some() {
            self.mix();
            by_node(self.core, &self.walk.mass, &mut values, |mass| mass as f32);
            return values;
        }
        let mut mass = std::mem::take(&mut self.walk.mass);
        let count = mass.len();
        let half = &mut bytemuck::cast_slice_mut(&mut mass)[..count];
        self.mixing().all(half, |mass| mass as f32);
        by_node(self.core, half, &mut values, |mass| mass);
        // What lies there now is no state.
        (self.walk.held, self.walk.mass) = (Held::All, mass);
        values
    }

    /// Mass of every node.
    pub fn mass(&mut self) -> Vec<f64> {
        let mut mass = Vec::new();
        self.write(&mut mass);
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
        let row = self.steps.row(step);
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
}

/// How the mass after a step is mixed from what was walked.
struct Mixing<'w> {
    core: &'w Core,
    factors: &'w Factors,
    steps: &'w Walks<1, 8>,
    /// Steps before the first that is kept, weighed and summed.
    sum: Option<&'w [[f64; 1]]>,
    weights: Vec<f64>,
    first: usize,
    /// What does not restart in a step.
    moving: f64,
    /// What the seeds got in the step, and what those of them that are dead ends hold, as shares of their mass.
    seeds: (f64, f64),
}

impl Mixing<'_> {
    /// Of the first so many active nodes; that of others is 0 already.
    fn some(&self, active: usize, mass: &mut [f64]) {
        let (nodes, leaves) = mass.split_at_mut(self.core.nodes.len());
        let mut rooms = [[0.0]; 2];
        for &u in &self.steps.active[..active] {
            let (at, hung) = (u as usize, self.core.leaves_of(u));
            let own = (&mut nodes[at..=at], &mut leaves[hung]);
            self.fold(at, rooms.each_mut().map(|room| &mut room[..]), own, |m| m);
        }
        self.hold_dead(nodes, |mass| mass);
    }

    /// Of all core nodes, and behind them of all leaves.
    fn all<T: Copy + Send>(&self, mass: &mut [T], of: impl Fn(f64) -> T + Sync) {
        let (nodes, leaves) = mass.split_at_mut(self.core.nodes.len());
        let light = nodes.len() < LIGHT_FROM;
        let parts = nodes.chunks_mut(BLOCK).zip(self.core.leaf_parts(leaves));
        let one = |(nodes, (own, leaves)): (&mut [T], (Range<usize>, &mut [T]))| {
            let mut rooms = [[0.0; BLOCK]; 2];
            let rooms = rooms.each_mut().map(|room| &mut room[..nodes.len()]);
            self.fold(own.start, rooms, (nodes, leaves), &of);
        };
        match light {
            true => parts.for_each(one),
            false => parts.collect::<Vec<_>>().into_par_iter().for_each(one),
        }
        self.hold_dead(nodes, of);
    }

    fn hold_dead<T>(&self, nodes: &mut [T], of: impl Fn(f64) -> T) {
        for &(at, [m]) in &self.steps.dead_seeds {
            nodes[at as usize] = of(self.seeds.1 * m);
        }
    }

    /// What is made of the mass of some nodes that follow each other from one on, and of that of their leaves.
    fn fold<T>(
        &self,
        at: usize,
        [now, before]: [&mut [f64]; 2],
        (nodes, leaves): (&mut [T], &mut [T]),
        of: impl Fn(f64) -> T,
    ) {
        let (core, factors) = (self.core, self.factors);
        self.blend(at, now, before);
        let hung = core.leaves_of(at as u32).start;
        let range = hung..hung + leaves.len();
        let mut seeds = within(&self.steps.leaf_seeds, range, |seed| seed.0)
            .iter()
            .peekable();
        for (leaf, own) in (hung..).zip(leaves) {
            // What its owner has sent it.
            let owner = core.owners[leaf] as usize - at;
            let mut mass = self.moving * factors.leaf[leaf] * before[owner];
            if let Some((_, [m])) = seeds.next_if(|seed| seed.0 as usize == leaf) {
                mass += self.seeds.0 * m;
            }
            *own = of(mass);
        }
        let out = now.iter().zip(&factors.out[at..]);
        let nodes = nodes.iter_mut().zip(out);
        nodes.for_each(|(own, (mass, out))| *own = of(mass * out));
    }

    /// `y` of some nodes that follow each other, and what it was one step earlier.
    fn blend(&self, at: usize, now: &mut [f64], before: &mut [f64]) {
        let own = at..at + now.len();
        match self.sum {
            Some(sum) => now.copy_from_slice(sum[own.clone()].as_flattened()),
            None => now.fill(0.0),
        }
        let add = |sum: &mut [f64], k: usize, weight: f64| {
            let each = sum.iter_mut().zip(&self.steps.row(k).y[own.clone()]);
            each.for_each(|(sum, [y])| *sum += weight * y);
        };
        let step = self.weights.len() - 1;
        for (k, weight) in self.weights.iter().enumerate().skip(self.first) {
            if k + 1 == step {
                before.copy_from_slice(now);
                add(before, k, self.moving.powi(k as i32));
            }
            add(now, k, *weight);
        }
    }
}

/// What is there of every node, from core nodes in their order and leaves behind them.
fn by_node<S: Copy + Sync, T: Send>(
    core: &Core,
    placed: &[S],
    values: &mut Vec<T>,
    of: impl Fn(S) -> T + Sync,
) {
    values.clear();
    let nodes = 0..placed.len() as u32;
    let one = |node: u32| of(placed[core.folded(node)]);
    match placed.len() < LIGHT_FROM {
        true => values.extend(nodes.map(one)),
        false => values.par_extend(nodes.into_par_iter().map(one)),
    }
}
