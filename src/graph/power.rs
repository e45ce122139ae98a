//! Power iteration from seeds, on the core of a graph.
//!
//! `r_0 = s`, `r_{t+1} = alpha s + (1-alpha) P^T r_t` (SPRIG, power mode). What is carried from step to step is the mass of
//! core nodes over what their arcs weigh, `y = r / out`: with it an arc costs one multiplication by the symmetric weight,
//! and what the leaves of a node give back is a multiple of its own `y` one step before. Early steps touch few nodes, so a
//! step scatters from the nodes that may hold mass; once those carry most arcs, a step gathers into every node, on all
//! threads. Which of the two runs depends on counts alone, and each adds in a fixed order: the bits are the same on any
//! number of threads.

use super::core::{Core, Factors, Place};
use super::transition::{Dangling, Transition};
use super::walk::each_node;

/// Scatter while the frontier's arcs are fewer than this share of the core's arcs.
const SCATTER_BELOW: f64 = 0.2;

/// Power iteration, with buffers that are kept between walks: fresh memory for each would take longer than most walks.
#[derive(Debug, Default)]
pub struct Power {
    /// `y` of core nodes now, and one step before.
    now: Vec<f64>,
    before: Vec<f64>,
    /// Core nodes that may hold mass, each once, in the order they were reached; they never lose it. All, when `dense`.
    active: Vec<u32>,
    marked: Vec<bool>,
    /// Core arcs of the active nodes.
    arcs: usize,
    dense: bool,
    /// Seeds in the core, on leaves, and on dead ends (core numbers), ascending, each place once.
    core_seeds: Vec<(u32, f64)>,
    leaf_seeds: Vec<(u32, f64)>,
    dead_seeds: Vec<(u32, f64)>,
    /// 1 - alpha
    keep: f64,
    /// What the seeds got in the last step, and what those of them that are dead ends hold, as shares of their mass.
    restarted: f64,
    held: f64,
}

/// Behind the last seed.
const END: (u32, f64) = (u32::MAX, 0.0);

/// The state of a walk after some step.
#[derive(Clone, Copy)]
pub struct State<'w> {
    walk: &'w Power,
    core: &'w Core,
    factors: &'w Factors,
}

impl<'w> State<'w> {
    fn of(walk: &'w Power, core: &'w Core, factors: &'w Factors) -> State<'w> {
        State {
            walk,
            core,
            factors,
        }
    }

    /// Tells the mass of every node, each once.
    pub fn each(&self, mut tell: impl FnMut(u32, f64)) {
        let (core, factors, walk) = (self.core, self.factors, self.walk);
        let mut from = 0;
        for &(dead, m) in walk.dead_seeds.iter().chain([&END]) {
            let to = core.nodes.len().min(dead as usize);
            let part = core.nodes[from..to].iter().zip(&walk.now[from..to]);
            for ((&node, y), out) in part.zip(&factors.out[from..to]) {
                tell(node, y * out);
            }
            if dead != END.0 {
                tell(core.nodes[to], walk.held * m);
            }
            from = to + 1;
        }
        let mut from = 0;
        for &(seed, m) in walk.leaf_seeds.iter().chain([&END]) {
            let to = core.leaves.len().min(seed as usize);
            let own =
                |at: usize| walk.keep * factors.leaf[at] * walk.before[core.owners[at] as usize];
            for at in from..to {
                tell(core.leaves[at], own(at));
            }
            if seed != END.0 {
                tell(core.leaves[to], own(to) + walk.restarted * m);
            }
            from = to + 1;
        }
    }

    /// Writes the mass of every node into a vector of that length.
    pub fn write(&self, mass: &mut Vec<f64>) {
        mass.resize(self.core.nodes.len() + self.core.leaves.len(), 0.0);
        self.each(|node, m| mass[node as usize] = m);
    }

    /// Mass of every node.
    pub fn mass(&self) -> Vec<f64> {
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
        mut watch: impl FnMut(usize, State, f64),
    ) -> State<'w> {
        let (core, factors) = transition.folded();
        self.keep = 1.0 - alpha;
        (self.restarted, self.held) = (1.0, 1.0);
        self.begin(core, factors, seeds);
        self.restart(factors);
        watch(0, State::of(self, core, factors), 0.0);
        let dead: f64 = self.dead_seeds.iter().map(|s| s.1).sum();
        for step in 1..=steps {
            self.dense |= self.arcs as f64 >= SCATTER_BELOW * core.arcs() as f64;
            if self.dense {
                self.gather(core, factors);
            } else {
                self.scatter(core, factors);
            }
            self.return_from_leaves(core, factors);
            let lost = self.keep * self.held * dead;
            let (returned, dropped) = match dangling {
                Dangling::Drop => (0.0, lost),
                Dangling::Reseed => (lost, 0.0),
                Dangling::Stay => (0.0, 0.0),
            };
            self.restarted = alpha + returned;
            self.held = match dangling {
                Dangling::Stay => self.keep * self.held + alpha,
                _ => self.restarted,
            };
            self.restart(factors);
            watch(step, State::of(self, core, factors), dropped);
        }
        State::of(self, core, factors)
    }

    /// Empties the buffers and sorts the seeds by where they are.
    fn begin(&mut self, core: &Core, factors: &Factors, seeds: &[(u32, f64)]) {
        let n = core.nodes.len();
        if self.dense || self.now.len() != n {
            for values in [&mut self.now, &mut self.before] {
                values.clear();
                values.resize(n, 0.0);
            }
            self.marked.clear();
            self.marked.resize(n, false);
        } else {
            for &u in &self.active {
                let u = u as usize;
                (self.now[u], self.before[u], self.marked[u]) = (0.0, 0.0, false);
            }
        }
        self.active.clear();
        self.arcs = 0;
        self.dense = false;
        self.core_seeds.clear();
        self.leaf_seeds.clear();
        self.dead_seeds.clear();
        for &(node, m) in seeds {
            match core.place(node) {
                Place::Leaf(place) => self.leaf_seeds.push((place, m)),
                Place::Core(u) if factors.out[u as usize] == 0.0 => self.dead_seeds.push((u, m)),
                Place::Core(u) => self.core_seeds.push((u, m)),
            }
        }
        for list in [
            &mut self.core_seeds,
            &mut self.leaf_seeds,
            &mut self.dead_seeds,
        ] {
            list.sort_by_key(|seed| seed.0);
            list.dedup_by(|next, kept| {
                let same = next.0 == kept.0;
                kept.1 += if same { next.1 } else { 0.0 };
                same
            });
        }
        for i in 0..self.core_seeds.len() {
            self.reach(core, self.core_seeds[i].0);
        }
        for i in 0..self.leaf_seeds.len() {
            self.reach(core, core.owners[self.leaf_seeds[i].0 as usize]);
        }
    }

    fn reach(&mut self, core: &Core, u: u32) {
        if !std::mem::replace(&mut self.marked[u as usize], true) {
            self.active.push(u);
            self.arcs += core.degree(u as usize);
        }
    }

    fn restart(&mut self, factors: &Factors) {
        for &(u, m) in &self.core_seeds {
            self.now[u as usize] += self.restarted * m / factors.out[u as usize];
        }
    }

    /// What seeds had put on leaves in the step before comes back to the owners.
    fn return_from_leaves(&mut self, core: &Core, factors: &Factors) {
        for &(place, m) in &self.leaf_seeds {
            let owner = core.owners[place as usize] as usize;
            self.now[owner] += self.keep * self.restarted * m / factors.out[owner];
        }
    }

    /// One step out of the active nodes.
    fn scatter(&mut self, core: &Core, factors: &Factors) {
        let reached = self.active.len();
        for &u in &self.active {
            self.before[u as usize] *= self.keep * factors.leafy[u as usize];
        }
        for i in 0..reached {
            let u = self.active[i] as usize;
            let y = self.now[u];
            let (row, weights) = core.row(u);
            for (&v, &w) in row.iter().zip(weights) {
                self.before[v as usize] += f64::from(w) * y;
                self.reach(core, v);
            }
        }
        for &u in &self.active {
            self.before[u as usize] *= self.keep * factors.own[u as usize];
        }
        std::mem::swap(&mut self.now, &mut self.before);
    }

    /// The same step, into every node.
    fn gather(&mut self, core: &Core, factors: &Factors) {
        let (now, keep) = (&self.now, self.keep);
        each_node(&mut self.before, |v, slot| {
            let (row, weights) = core.row(v);
            let arcs = row.iter().zip(weights);
            let sum: f64 = arcs.map(|(&u, &w)| f64::from(w) * now[u as usize]).sum();
            *slot = keep * factors.own[v] * (sum + keep * factors.leafy[v] * *slot);
        });
        std::mem::swap(&mut self.now, &mut self.before);
    }
}
