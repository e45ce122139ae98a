//! Steps of walks that nothing restarts, `u_k = (P^T)^k s`, on the core of a graph.
//!
//! What is carried from step to step is the mass of core nodes over what their arcs weigh, `y = u / out`: with it an arc
//! costs one multiplication by the symmetric weight, and what the leaves of a node give back is a multiple of its own `y`
//! one step before. Early steps touch few nodes, so a step scatters from the nodes that may hold mass; once those carry
//! most arcs, a step gathers into every node, on all threads. Which of the two runs depends on counts alone, and each adds
//! in a fixed order: the bits are the same on any number of threads, and whether steps were kept or not.

use super::core::{Core, Factors, Place};
use super::trail::Rings;
use super::transition::{Dangling, Transition};
use super::walk::{LIGHT_FROM, PARALLEL_FROM, Sparse, each_node, each_of};

/// Scatter while the frontier's arcs are fewer than this share of the core's arcs: on one thread, and where a step gathers
/// on several.
const SCATTER_BELOW: f64 = 0.2;
const SCATTER_BELOW_PARALLEL: f64 = 0.05;

/// In a core of so many nodes, what neighbours held is read in single precision: what takes time there is to fetch it, and
/// the processor keeps twice as much at hand. A step is off by less than 1e-7 of a node's mass.
const NARROW_FROM: usize = LIGHT_FROM;

/// A ring is looked at on its own up to this share of the core's arcs.
const SOME: f64 = 0.5;

/// `K` walks at once, each from seeds of its own, over the same arcs: what takes time is reading these. `R` steps, at least
/// three, are in memory, which is kept between walks: fresh memory for each would take longer than most.
#[derive(Debug, Default)]
pub struct Walks<const K: usize, const R: usize> {
    /// The last `R` steps, each at its number modulo `R`.
    pub(super) rows: Vec<Row<K>>,
    /// The last step that was walked.
    pub(super) done: usize,
    /// Core nodes that may hold mass, each once, in the order they were reached; they never lose it. All, when `dense`.
    pub(super) active: Vec<u32>,
    marked: Vec<bool>,
    /// Of the step before, in a large core.
    narrow: Vec<[f32; K]>,
    /// Core arcs of the active nodes.
    arcs: usize,
    dense: bool,
    /// Seeds in the core, on leaves, and on dead ends (core numbers), ascending, each place once.
    core_seeds: Vec<(u32, [f64; K])>,
    pub(super) leaf_seeds: Vec<(u32, [f64; K])>,
    pub(super) dead_seeds: Vec<(u32, [f64; K])>,
    /// What the seeds got in the last step, and what those of them that are dead ends hold, as shares of their mass.
    share: (f64, f64),
    known: Option<Known<K>>,
}

/// What was walked: the graph, what happens at dead ends, the seeds, the nodes that were asked for, all if none, and after
/// how many steps.
type Known<const K: usize> = (u64, Dangling, Vec<(u32, [f64; K])>, Vec<u32>, usize);

/// `y` of every core node.
#[derive(Debug)]
pub(super) struct Row<const K: usize> {
    pub(super) y: Vec<[f64; K]>,
    pub(super) held: Held,
}

/// Which nodes of a row may hold something.
#[derive(Debug)]
pub(super) enum Held {
    /// So many of the active ones.
    First(usize),
    These(Vec<u32>),
    All,
}

impl Default for Held {
    fn default() -> Held {
        Held::First(0)
    }
}

impl<const K: usize> Default for Row<K> {
    fn default() -> Row<K> {
        Row {
            y: Vec::new(),
            held: Held::default(),
        }
    }
}

impl<const K: usize> Row<K> {
    pub(super) fn clear(&mut self, active: &[u32]) {
        let held = std::mem::replace(&mut self.held, Held::First(0));
        let nodes = match &held {
            Held::First(count) => &active[..*count],
            Held::These(these) => these,
            Held::All => return self.y.fill([0.0; K]),
        };
        nodes.iter().for_each(|u| self.y[*u as usize] = [0.0; K]);
    }

    pub(super) fn full(&self) -> bool {
        matches!(self.held, Held::All)
    }

    /// Of so many nodes, and empty if it is not `kept`; a full one waits until it is known that it is not overwritten.
    pub(super) fn begin(&mut self, nodes: usize, active: &[u32], kept: bool) {
        if self.y.len() != nodes {
            self.y = vec![[0.0; K]; nodes];
            self.held = Held::First(0);
        } else if !kept && !self.full() {
            self.clear(active);
        }
    }
}

impl<const K: usize, const R: usize> Walks<K, R> {
    /// As many steps without a restart, each walk from seeds of its own; `each` sees every one of them, from step 0 on,
    /// and may ask for what is held of some nodes. `Reseed` is not linear in a part of the seeds and is treated as `Drop`.
    pub fn apart(
        &mut self,
        transition: &Transition,
        parts: &[Sparse],
        (steps, asked): (usize, &[u32]),
        dangling: Dangling,
        mut each: impl FnMut(usize, &Step<K, R>),
    ) {
        let (core, factors) = transition.folded();
        let dangling = match dangling {
            Dangling::Stay => Dangling::Stay,
            Dangling::Drop | Dangling::Reseed => Dangling::Drop,
        };
        let mut seeds = Vec::new();
        for (lane, part) in parts.iter().enumerate().take(K) {
            for &(node, mass) in part {
                let mut lanes = [0.0; K];
                lanes[lane] = mass;
                seeds.push((node, lanes));
            }
        }
        self.begin(transition, seeds, dangling, (steps, asked));
        // Of the last step only what is asked for is worked out; of the first, seeds that are leaves bring some as well.
        let last = steps.max(2) - 1;
        let places = asked.iter().map(|node| match core.place(*node) {
            Place::Core(at) => at,
            Place::Leaf(at) => core.owners[at as usize],
        });
        let mut near = None;
        let some = SOME * core.arcs() as f64;
        for step in 0..=steps {
            if step > self.done && step <= last {
                // A step that scatters leaves nothing out.
                let wanted = match self.is_dense(core) && !asked.is_empty() {
                    true => {
                        let around = || Rings::around(core, places.clone(), steps - step);
                        let within = near.get_or_insert_with(around).within(steps - step);
                        within.filter(|(_, arcs)| *arcs as f64 <= some)
                    }
                    false => None,
                };
                self.step(core, factors, (dangling, 0.0), wanted);
            }
            let held = match step {
                0 => 1.0,
                _ => shared(dangling, 0.0, 1.0, 0.0).1,
            };
            let now = Step {
                walk: &*self,
                core,
                factors,
                step,
                held,
            };
            each(step, &now);
        }
    }

    /// Empties the buffers and sorts the seeds by where they are, if they are others than before.
    pub(super) fn begin(
        &mut self,
        transition: &Transition,
        seeds: Vec<(u32, [f64; K])>,
        dangling: Dangling,
        (steps, asked): (usize, &[u32]),
    ) {
        let (core, factors) = transition.folded();
        // What is not near enough to what was asked for is known at no other step.
        let near = if asked.is_empty() { 0 } else { steps };
        let known = Some((transition.id(), dangling, seeds, asked.to_vec(), near));
        // Of a walk that is longer than the memory the first steps are gone.
        let kept = self.known == known && steps < R && self.done < R;
        let n = core.nodes.len();
        let rows = self.rows.len().max(R.min(steps + 1));
        self.rows.resize_with(rows, Row::default);
        for row in &mut self.rows {
            row.begin(n, &self.active, kept);
        }
        if kept {
            return;
        }
        self.known = known;
        self.active
            .iter()
            .for_each(|u| self.marked[*u as usize] = false);
        self.marked.resize(n, false);
        self.active.clear();
        (self.done, self.arcs, self.dense) = (0, 0, false);
        self.core_seeds.clear();
        self.leaf_seeds.clear();
        self.dead_seeds.clear();
        for (node, m) in self.known.iter().flat_map(|known| &known.2) {
            match core.place(*node) {
                Place::Leaf(place) => self.leaf_seeds.push((place, *m)),
                Place::Core(u) if factors.out[u as usize] == 0.0 => self.dead_seeds.push((u, *m)),
                Place::Core(u) => self.core_seeds.push((u, *m)),
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
                if same {
                    add(&mut kept.1, 1.0, &next.1);
                }
                same
            });
        }
        for i in 0..self.core_seeds.len() {
            self.reach(core, self.core_seeds[i].0);
        }
        for i in 0..self.leaf_seeds.len() {
            self.reach(core, core.owners[self.leaf_seeds[i].0 as usize]);
        }
        self.share = (1.0, 1.0);
        let mut first = std::mem::take(&mut self.rows[0]);
        first.clear(&[]);
        first.held = Held::First(self.active.len());
        self.restart(factors, 1.0, &mut first);
        self.rows[0] = first;
    }

    fn reach(&mut self, core: &Core, u: u32) {
        if !std::mem::replace(&mut self.marked[u as usize], true) {
            self.active.push(u);
            self.arcs += core.degree(u as usize);
        }
    }

    /// Whether the next step gathers.
    fn is_dense(&mut self, core: &Core) -> bool {
        let below = match core.nodes.len() < PARALLEL_FROM {
            true => SCATTER_BELOW,
            false => SCATTER_BELOW_PARALLEL,
        };
        self.dense |= self.arcs as f64 >= below * core.arcs() as f64;
        self.dense
    }

    /// One step more; if some nodes are wanted, which have so many arcs, what it brings to others may be left out.
    pub(super) fn step(
        &mut self,
        core: &Core,
        factors: &Factors,
        (dangling, dead): (Dangling, f64),
        wanted: Option<(&[u32], usize)>,
    ) {
        let step = self.done + 1;
        let at = step % self.rows.len();
        let mut next = std::mem::take(&mut self.rows[at]);
        let nodes = wanted.map(|wanted| wanted.0);
        let arcs = wanted.map_or(core.arcs(), |wanted| wanted.1);
        if !self.is_dense(core) {
            next.clear(&self.active);
            self.scatter(core, factors, step, &mut next.y);
            next.held = Held::First(self.active.len());
        } else if !is_narrow(core) {
            let y = &self.row(step - 1).y;
            self.gather_all(core, factors, step, |u| y[u], nodes, &mut next);
        } else if arcs < core.nodes.len() {
            let rounded = self.read(core, step);
            self.gather_all(core, factors, step, rounded, nodes, &mut next);
        } else {
            let mut narrow = std::mem::take(&mut self.narrow);
            narrow.resize(core.nodes.len(), [0.0; K]);
            let y = &self.row(step - 1).y;
            each_node(&mut narrow, |u, slot| *slot = y[u].map(|y| y as f32));
            let rounded = |u: usize| narrow[u].map(f64::from);
            self.gather_all(core, factors, step, rounded, nodes, &mut next);
            self.narrow = narrow;
        }
        let before = self.share;
        // What seeds had put on leaves in the step before comes back to the owners.
        for (place, m) in &self.leaf_seeds {
            let owner = core.owners[*place as usize] as usize;
            let m = m.map(|m| m / factors.out[owner]);
            add(&mut next.y[owner], before.0, &m);
        }
        self.share = shared(dangling, 0.0, before.1, dead);
        self.restart(factors, self.share.0, &mut next);
        self.rows[at] = next;
        self.done = step;
    }

    fn restart(&self, factors: &Factors, share: f64, row: &mut Row<K>) {
        for (u, m) in &self.core_seeds {
            let m = m.map(|m| m / factors.out[*u as usize]);
            add(&mut row.y[*u as usize], share, &m);
        }
    }

    /// A step that is kept.
    pub(super) fn row(&self, step: usize) -> &Row<K> {
        &self.rows[step % self.rows.len()]
    }

    /// What steps out of the active nodes bring to others.
    fn scatter(&mut self, core: &Core, factors: &Factors, step: usize, next: &mut [[f64; K]]) {
        let reached = self.active.len();
        if step > 1 {
            let before = &self.row(step - 2).y;
            for &u in &self.active {
                let u = u as usize;
                next[u] = before[u].map(|y| factors.leafy[u] * y);
            }
        }
        for i in 0..reached {
            let u = self.active[i] as usize;
            let y = self.row(step - 1).y[u];
            let (row, weights) = core.row(u);
            for (&v, &w) in row.iter().zip(weights) {
                add(&mut next[v as usize], f64::from(w), &y);
                self.reach(core, v);
            }
        }
        for &u in &self.active {
            let u = u as usize;
            next[u] = next[u].map(|y| factors.own[u] * y);
        }
    }

    /// What a step brings to all nodes, or to some.
    fn gather_all(
        &self,
        core: &Core,
        factors: &Factors,
        step: usize,
        now: impl Fn(usize) -> [f64; K] + Sync,
        nodes: Option<&[u32]>,
        next: &mut Row<K>,
    ) {
        let gather = self.gather(core, factors, step, now);
        let Some(nodes) = nodes else {
            each_node(&mut next.y, |v, slot| *slot = gather(v));
            next.held = Held::All;
            return;
        };
        let found = each_of(nodes, [0.0; K], |v, slot| *slot = gather(v));
        if !next.full() {
            next.clear(&self.active);
            let seeds = self.leaf_seeds.iter();
            let owners = seeds.map(|seed| core.owners[seed.0 as usize]);
            next.held = Held::These(nodes.iter().copied().chain(owners).collect());
        }
        let found = nodes.iter().zip(found);
        found.for_each(|(v, y)| next.y[*v as usize] = y);
    }

    /// What a node held before a step, as all gather it.
    fn read(&self, core: &Core, step: usize) -> impl Fn(usize) -> [f64; K] + Sync + '_ {
        let (now, narrow) = (&self.row(step - 1).y, is_narrow(core));
        move |u| match narrow {
            true => now[u].map(|y| f64::from(y as f32)),
            false => now[u],
        }
    }

    /// What a step brings to a node.
    fn gather<'w>(
        &'w self,
        core: &'w Core,
        factors: &'w Factors,
        step: usize,
        now: impl Fn(usize) -> [f64; K] + Sync + 'w,
    ) -> impl Fn(usize) -> [f64; K] + Sync + 'w {
        let before = step.checked_sub(2).map(|before| &self.row(before).y);
        move |v| {
            let mut sum = [0.0; K];
            let (row, weights) = core.row(v);
            for (&u, &w) in row.iter().zip(weights) {
                add(&mut sum, f64::from(w), &now(u as usize));
            }
            if let Some(before) = before {
                add(&mut sum, factors.leafy[v], &before[v]);
            }
            sum.map(|y| factors.own[v] * y)
        }
    }
}

fn is_narrow(core: &Core) -> bool {
    core.nodes.len() >= NARROW_FROM
}

/// One of several walks' steps without a restart.
pub struct Step<'w, const K: usize, const R: usize> {
    walk: &'w Walks<K, R>,
    core: &'w Core,
    factors: &'w Factors,
    step: usize,
    /// What dead ends hold of what they were given.
    held: f64,
}

impl<const K: usize, const R: usize> Step<'_, K, R> {
    /// What each walk holds of a node.
    pub fn mass(&self, node: u32) -> [f64; K] {
        let (core, factors, walk, step) = (self.core, self.factors, self.walk, self.step);
        let seed = |seeds: &[(u32, [f64; K])], at: u32| {
            let place = seeds.binary_search_by_key(&at, |seed| seed.0);
            place.map_or([0.0; K], |place| seeds[place].1)
        };
        match core.place(node) {
            Place::Core(at) if factors.out[at as usize] == 0.0 => {
                seed(&walk.dead_seeds, at).map(|m| self.held * m)
            }
            Place::Core(at) => {
                let at = at as usize;
                let y = match step <= walk.done {
                    true => walk.row(step).y[at],
                    false => walk.gather(core, factors, step, walk.read(core, step))(at),
                };
                y.map(|y| factors.out[at] * y)
            }
            Place::Leaf(at) if step == 0 => seed(&walk.leaf_seeds, at),
            Place::Leaf(at) => {
                let owner = core.owners[at as usize] as usize;
                walk.row(step - 1).y[owner].map(|y| factors.leaf[at as usize] * y)
            }
        }
    }
}

/// What the seeds get in a step, and what those of them that are dead ends hold then, as shares of their mass: after a
/// step in which these held so much, `dead` being their part of it.
pub(super) fn shared(dangling: Dangling, alpha: f64, held: f64, dead: f64) -> (f64, f64) {
    let kept = (1.0 - alpha) * held;
    match dangling {
        Dangling::Drop => (alpha, alpha),
        Dangling::Reseed => (alpha + kept * dead, alpha + kept * dead),
        Dangling::Stay => (alpha, kept + alpha),
    }
}

/// Adds so many times what some walks hold.
#[inline]
pub fn add<const K: usize>(sum: &mut [f64; K], weight: f64, held: &[f64; K]) {
    let lanes = sum.iter_mut().zip(held);
    lanes.for_each(|(sum, held)| *sum += weight * held);
}
