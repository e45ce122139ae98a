//! How a walk spreads mass from its seeds, and how what it landed is taken apart again.
//!
//! A walk is a sum over lengths, `r = sum over k of c_k (P^T)^k s`; power iteration, push to the limit, a lazy walk and the
//! walk of two steps differ in the weights `c_k` and in how the sum is worked out. [`Diffusion`] holds both, and everything
//! that explains a walk (shares, lengths, paths, groups) reads them there.

use super::explanation::Path;
use super::paths::PATHS;
use super::retrieval::{Ledger, Parity, Seed, Spread, Walked};
use super::scratch::Scratch;
use crate::derived::once;
use crate::graph::power::State;
use crate::graph::push::{Pushed, Reverse, Rule};
use crate::graph::steps;
use crate::graph::trail::Rings;
use crate::graph::walk::{self, Forward, Sparse};
use crate::graph::{Dangling, Transition};
use crate::layers::{Graph, Node};
use crate::parameters::{
    ALPHA, DANGLING, EPSILON, PUSH_THRESHOLD, PushThreshold, STEPS, Scoped, WALK, WALK_RULE, Walk,
    WalkRule,
};
use crate::retrieve::masses::{EndMass, Masses};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// How the sum over lengths is worked out. They agree but for rounding, and each method has kept its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// Power iteration on the folded core.
    Power,
    /// Forward push.
    Push,
    /// State by state, added with the weights of a walk that restarts.
    Summed,
    /// State by state: a share moves, the rest stays, nothing restarts.
    Lazy,
}

/// A walk: kernel and constants.
#[derive(Clone, Debug, PartialEq)]
pub struct Diffusion {
    pub kernel: Kernel,
    pub alpha: f64,
    /// Not read by push.
    pub steps: usize,
    pub epsilon: f64,
    pub threshold: PushThreshold,
    pub dangling: Dangling,
    /// Where the mass of nodes without edges goes instead: to all nodes evenly.
    pub jump: bool,
}

/// Nodes ascending with their mass: the restart of a walk.
pub fn restart(seeds: &[Seed]) -> Sparse {
    restart_of(seeds.iter())
}

/// As [`restart`], of some of them.
pub fn restart_of<'s>(seeds: impl Iterator<Item = &'s Seed>) -> Sparse {
    let mut sparse: Sparse = seeds.map(|s| (s.node, s.weight)).collect();
    sparse.sort_unstable_by_key(|s| s.0);
    sparse
}

/// What one seed, by its place among the seeds, paid of a node's score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    pub seed: usize,
    pub mass: f64,
}

/// What restarts at the seeds pay of a node's score.
#[derive(Debug)]
pub struct Reach {
    /// Of one unit restarted at each seed, in their order by node.
    pub from: Sparse,
    /// The seeds' score by walk length 0..=T. Empty for push, whose walks have every length.
    pub by_length: Vec<f64>,
    /// How far `from` may be below the truth in all. 0 but for push.
    pub error: f64,
}

/// What explanations have looked up of a walk, kept for those that follow: a way back takes longer than the walk.
#[derive(Debug, Default)]
pub struct Known {
    near: OnceLock<Rings>,
    /// By node, of the walk that ends one step before.
    before: OnceLock<Vec<f64>>,
    /// Of the seed that was asked for last.
    near_one: Mutex<Option<(Node, Arc<Rings>)>>,
    /// By node, epsilon, and the mass that is taken apart.
    reach: Kept<(Node, u64, u64), Reach>,
    /// By seed, or none for those of all seeds, node, and how many.
    paths: Kept<(Option<Node>, Node, usize), Vec<Path>>,
}

type Kept<K, V> = Mutex<BTreeMap<K, Arc<V>>>;

/// A state is kept as nodes with mass where at most one of so many has any: to sort more takes longer than to write them all.
const FEW: usize = 64;
/// What is kept of all ways back together, in shares of seeds: 16 MB. Of thousands of seeds each way back has as many.
const SHARES_KEPT: usize = 1 << 20;
/// How many paths are kept.
const PATHS_KEPT: usize = 1 << 14;

/// It says nothing of the walk that the walk does not.
impl PartialEq for Known {
    fn eq(&self, _: &Known) -> bool {
        true
    }
}

impl Clone for Known {
    fn clone(&self) -> Known {
        Known::default()
    }
}

/// What stands under a key; made where nothing does yet. Where so many are kept already, all of them are forgotten.
fn kept<K: Ord, V>(all: &Kept<K, V>, most: usize, key: K, make: impl FnOnce() -> V) -> Arc<V> {
    let own = || all.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = own().get(&key) {
        return known.clone();
    }
    let made = Arc::new(make());
    let mut all = own();
    if all.len() >= most {
        all.clear();
    }
    all.insert(key, made.clone());
    made
}

impl Walked<'_> {
    fn near(&self, seeds: &Sparse) -> &Rings {
        let (t, spread) = (self.graph.transition(), self.spread);
        once(&spread.known.near, || spread.diffusion.near(t, seeds))
    }

    /// The mass of every node before the last step: what an edge sent in it is a share of that. A push has no last step and
    /// sends of what it settled; of a lazy walk, which stays where it is, it is not known.
    pub fn before_last(&self) -> Option<&[f64]> {
        let (spread, diffusion) = (self.spread, &self.spread.diffusion);
        match diffusion.kernel {
            Kernel::Push => Some(&spread.mass),
            Kernel::Lazy => None,
            Kernel::Power | Kernel::Summed => {
                let shorter = Diffusion {
                    steps: diffusion.steps.checked_sub(1)?,
                    ..diffusion.clone()
                };
                Some(once::<Vec<f64>>(&spread.known.before, || {
                    let (seeds, mut scratch) = (restart(self.seeds()), Scratch::default());
                    shorter
                        .spread(self.graph, &seeds, false, &mut scratch)
                        .mass
                        .into_all()
                }))
            }
        }
    }

    /// See [`Diffusion::reach`].
    pub fn reach(&self, node: Node, epsilon: f64) -> Arc<Reach> {
        self.reach_of(node, epsilon, None)
    }

    /// As [`reach`](Self::reach), to take so much mass apart: a push may end once it hardly finds more of it.
    pub fn reach_of(&self, node: Node, epsilon: f64, mass: Option<f64>) -> Arc<Reach> {
        let (t, spread) = (self.graph.transition(), self.spread);
        let key = (node, epsilon.to_bits(), mass.unwrap_or(0.0).to_bits());
        let most = SHARES_KEPT / self.seeds().len().max(1);
        kept(&spread.known.reach, most, key, || {
            let seeds = restart(self.seeds());
            spread.diffusion.reach(t, &seeds, node, (epsilon, mass))
        })
    }

    /// What all seeds pay of some nodes together, each with the share of it that counts, by one way back from them all: a
    /// passage may have thousands of them. None of a push, which goes back from one node.
    pub fn reach_together(&self, nodes: &[(Node, f64)]) -> Option<Reach> {
        let diffusion = &self.spread.diffusion;
        let lengths = diffusion.lengths()?;
        let seeds = restart(self.seeds());
        Some(diffusion.walked_back(self.graph.transition(), &seeds, nodes, &lengths))
    }

    /// See [`Diffusion::paths`].
    pub fn paths(&self, node: Node) -> Arc<Vec<Path>> {
        self.best_paths(node, PATHS)
    }

    /// The first of the [`paths`](Self::paths): it is found long before it is known that a single seed has fewer than others.
    /// Of an excerpt all ways are looked at for one, too.
    pub fn path(&self, node: Node) -> Option<Path> {
        let most = match self.graph.transition().is_excerpt() {
            true => PATHS,
            false => 1,
        };
        self.best_paths(node, most).first().cloned()
    }

    fn best_paths(&self, node: Node, most: usize) -> Arc<Vec<Path>> {
        let (t, spread) = (self.graph.transition(), self.spread);
        kept(&spread.known.paths, PATHS_KEPT, (None, node, most), || {
            let seeds = restart(self.seeds());
            let (near, left) = (|| self.near(&seeds), spread.left());
            spread.diffusion.paths(t, &seeds, left, near, (node, most))
        })
    }

    /// Those from one seed.
    pub fn paths_from(&self, seed: &Seed, node: Node) -> Arc<Vec<Path>> {
        let (t, spread) = (self.graph.transition(), self.spread);
        kept(
            &spread.known.paths,
            PATHS_KEPT,
            (Some(seed.node), node, PATHS),
            || {
                let one = restart_of([seed].into_iter());
                let near = || {
                    let last = || {
                        let last = spread.known.near_one.lock();
                        last.unwrap_or_else(PoisonError::into_inner)
                    };
                    let known = last().clone().filter(|(node, _)| *node == seed.node);
                    let near = known
                        .map_or_else(|| Arc::new(spread.diffusion.near(t, &one)), |known| known.1);
                    *last() = Some((seed.node, near.clone()));
                    near
                };
                spread
                    .diffusion
                    .paths(t, &one, spread.left(), near, (node, PATHS))
            },
        )
    }
}

impl Reach {
    /// What one unit restarted at a seed pays.
    fn of(&self, seed: Node) -> f64 {
        let at = self.from.binary_search_by_key(&seed, |from| from.0);
        at.map_or(0.0, |at| self.from[at].1)
    }
}

/// What each group of seeds paid.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Split {
    /// Of the score of the nodes asked for: by group, by node.
    pub end: Vec<Masses>,
    /// Of the nodes asked for of the states: by step, by node asked for, by group. Empty for push: a mark of it is no sum of
    /// its parts' marks.
    pub states: Vec<Vec<Vec<f64>>>,
}

impl Split {
    /// With the groups of another one of the same nodes behind its own.
    fn and(mut self, other: Split) -> Split {
        self.end.extend(other.end);
        let rows = self.states.iter_mut().flatten();
        let others = other.states.into_iter().flatten();
        rows.zip(others).for_each(|(row, own)| row.extend(own));
        self
    }
}

impl Diffusion {
    /// The walk that the parameters choose.
    pub fn chosen(values: Scoped<'_>) -> Diffusion {
        match values.get(WALK) {
            Walk::Power => Diffusion::of(Kernel::Power, values),
            Walk::Push => Diffusion::of(Kernel::Push, values),
        }
    }

    /// A kernel with the constants of the parameters; those that it does not read are not asked for.
    pub fn of(kernel: Kernel, values: Scoped<'_>) -> Diffusion {
        let pushed = kernel == Kernel::Push;
        Diffusion {
            kernel,
            alpha: values.get(ALPHA),
            steps: if pushed { 0 } else { values.get(STEPS) },
            epsilon: if pushed { values.get(EPSILON) } else { 0.0 },
            threshold: match pushed {
                true => values.get(PUSH_THRESHOLD),
                false => PushThreshold::Plain,
            },
            dangling: values.get(DANGLING),
            jump: false,
        }
    }

    /// NodeRAG's shallow walk by the parameter `walk_rule`: the mass of nodes without edges goes to all nodes evenly.
    pub fn ruled(values: Scoped<'_>) -> Diffusion {
        Diffusion {
            kernel: match values.get(WALK_RULE) {
                WalkRule::Restart => Kernel::Summed,
                WalkRule::Lazy => Kernel::Lazy,
            },
            alpha: values.get(ALPHA),
            steps: values.get(STEPS),
            epsilon: 0.0,
            threshold: PushThreshold::Plain,
            dangling: Dangling::Reseed,
            jump: true,
        }
    }

    pub fn pushes(&self) -> bool {
        self.kernel == Kernel::Push
    }

    /// The weight of walks of every length 0..=T; none for push, whose walks have any.
    pub fn lengths(&self) -> Option<Vec<f64>> {
        match self.kernel {
            Kernel::Push => None,
            Kernel::Lazy => Some(walk::lazy_weights(self.alpha, self.steps)),
            Kernel::Power | Kernel::Summed => Some(walk::length_weights(self.alpha, self.steps)),
        }
    }

    /// The weight of walks of so many steps: 0 of those that are longer than the walk.
    pub fn length(&self, steps: usize) -> f64 {
        match self.lengths() {
            Some(lengths) => lengths.get(steps).copied().unwrap_or(0.0),
            None => self.alpha * (1.0 - self.alpha).powi(steps as i32),
        }
    }

    /// Mass that takes exactly this walk, as [`paths`](Self::paths) weighs it: 0 where it begins at no seed.
    pub fn carried(&self, t: &Transition, seeds: &Sparse, nodes: &[Node]) -> f64 {
        let seed = nodes.first().and_then(|first| {
            let at = seeds.binary_search_by_key(first, |seed| seed.0).ok()?;
            Some(seeds[at].1)
        });
        let steps = nodes
            .windows(2)
            .map(|pair| t.probability(pair[0] as usize, pair[1] as usize));
        let product: f64 = steps.product();
        seed.map_or(0.0, |seed| seed * product * self.length(nodes.len() - 1))
    }

    /// What of a node's mass goes on over its edges in one step.
    pub fn moving(&self) -> f64 {
        match self.kernel {
            Kernel::Lazy => self.alpha,
            _ => 1.0 - self.alpha,
        }
    }

    /// Whether mass returns to the seeds: then it is Personalized PageRank.
    pub fn restarts(&self) -> bool {
        self.kernel != Kernel::Lazy && self.alpha > 0.0
    }

    /// What crosses an edge is this times the mass at its start times its probability: before a step of a walk, or at the
    /// end of a push, which settles alpha of what it takes up and sends the rest on.
    pub fn flow(&self) -> f64 {
        match self.kernel {
            Kernel::Push if self.alpha > 0.0 => (1.0 - self.alpha) / self.alpha,
            Kernel::Push => 0.0,
            _ => self.moving(),
        }
    }

    /// Where the mass of nodes without edges goes.
    fn dead<'s>(&self, t: &Transition, seeds: &'s Sparse, jump: &'s mut Sparse) -> &'s Sparse {
        if !self.jump {
            return seeds;
        }
        let n = t.nodes();
        if (0..n).any(|node| t.dangling(node)) {
            *jump = (0..n as Node).map(|node| (node, 1.0 / n as f64)).collect();
        }
        jump
    }

    /// Runs the walk. Without seeds nothing spreads. `states` keeps the mass of every node after every step.
    pub fn spread(
        &self,
        graph: &Graph,
        seeds: &Sparse,
        states: bool,
        scratch: &mut Scratch,
    ) -> Spread {
        match self.kernel {
            Kernel::Power => self.powered(graph, seeds, states, scratch),
            Kernel::Push => self.pushed(graph, seeds, states, scratch),
            Kernel::Summed | Kernel::Lazy => self.summed(graph, seeds, states, scratch),
        }
    }

    fn powered(&self, graph: &Graph, seeds: &Sparse, kept: bool, scratch: &mut Scratch) -> Spread {
        let nodes = graph.nodes();
        let (mut states, mut ledgers) = (Vec::new(), Vec::new());
        let mut keep = |held: Masses, lost: f64| {
            let ledger = match &held {
                Masses::All(floats) => sides(graph, floats, lost, 0.0),
                Masses::Few { held, .. } => {
                    let held = held.iter().map(|(node, mass)| (*node, (*mass).into()));
                    few_sides(graph, held, lost, 0.0)
                }
            };
            ledgers.push(ledger);
            states.push(held);
        };
        let few = |state: &mut State| {
            let held = state.few(nodes / FEW)?.into_iter();
            let held = held.filter(|(node, _)| (*node as usize) < nodes);
            Some(Masses::few(
                nodes,
                held.map(|(node, mass)| (node, mass as f32)),
            ))
        };
        let mut lost = 0.0;
        let mut end = scratch.power.walk(
            graph.transition(),
            seeds,
            self.alpha,
            self.steps,
            self.dangling,
            |step, state, dropped| {
                // What was dropped before would have gone on walking: alpha of it would have restarted.
                lost = (1.0 - self.alpha) * lost + dropped;
                if kept && step < self.steps {
                    let held = few(state).unwrap_or_else(|| {
                        let mut floats = state.rounded();
                        floats.truncate(nodes);
                        Masses::All(floats)
                    });
                    keep(held, lost);
                }
            },
        );
        let held = if kept { few(&mut end) } else { None };
        let mut mass = std::mem::take(&mut scratch.mass);
        end.write(&mut mass);
        mass.truncate(nodes);
        let mass = EndMass::from(mass);
        if kept {
            keep(held.unwrap_or_else(|| Masses::from(&mass)), lost);
        } else {
            ledgers.push(sides(graph, &mass, lost, 0.0));
        }
        self.done(graph, mass, states, ledgers, self.steps)
    }

    fn done(
        &self,
        graph: &Graph,
        mass: impl Into<EndMass>,
        states: Vec<Masses>,
        ledgers: Vec<Ledger>,
        work: usize,
    ) -> Spread {
        // Told of two sides that every edge joins: of other graphs it would not be true.
        let sided = graph.is_of_passages();
        Spread {
            diffusion: self.clone(),
            mass: mass.into(),
            states,
            ledgers,
            work,
            capped: false,
            largest_residual: 0.0,
            parity: sided.then(|| parity(self.alpha, (!self.pushes()).then_some(self.steps))),
            known: Known::default(),
        }
    }

    fn pushed(&self, graph: &Graph, seeds: &Sparse, kept: bool, scratch: &mut Scratch) -> Spread {
        let nodes = graph.nodes();
        let mut states = Vec::new();
        let mut ledgers = Vec::new();
        let mut keep = |state: &Pushed| {
            if kept {
                let held = held(state);
                let mass = held.held(0..nodes).map(|(node, mass)| (node, mass.into()));
                ledgers.push(few_sides(graph, mass, state.dropped, state.unsettled()));
                states.push(held);
            }
        };
        let out = &mut scratch.pushed;
        out.forward(graph.transition(), seeds, &self.rule(), &mut keep);
        keep(out);
        let settled = out.settled.iter();
        let held = settled.map(|&node| (node, out.estimate[node as usize]));
        if !kept {
            ledgers.push(few_sides(graph, held.clone(), out.dropped, out.unsettled()));
        }
        let mass = EndMass::few(nodes, held);
        let spread = Spread {
            capped: out.capped,
            largest_residual: out.largest_residual(graph.transition()),
            ..self.done(graph, mass, states, ledgers, out.pushes)
        };
        out.leave(graph.transition());
        spread
    }

    /// By what rule it pushes.
    pub(super) fn rule(&self) -> Rule {
        Rule {
            alpha: self.alpha,
            epsilon: self.epsilon,
            threshold: self.threshold,
            dangling: self.dangling,
        }
    }

    fn summed(&self, graph: &Graph, seeds: &Sparse, kept: bool, scratch: &mut Scratch) -> Spread {
        let t = graph.transition();
        let mut all = Sparse::new();
        let dead = self.dead(t, seeds, &mut all).clone();
        let mut mass = std::mem::take(&mut scratch.mass);
        mass.clear();
        mass.resize(graph.nodes(), 0.0);
        let lengths = self.lengths().unwrap_or_default();
        self.add_lengths(t, seeds, &dead, &lengths, &mut mass);
        let mut states = Vec::new();
        let mut ledgers = Vec::new();
        if kept {
            let mut state = vec![0.0; graph.nodes()];
            seeds.iter().for_each(|&(node, p)| state[node as usize] = p);
            for step in 0..=self.steps {
                if step > 0 {
                    state = self.stepped(t, &state, seeds, &dead);
                }
                let floats: Vec<f32> = state.iter().map(|m| *m as f32).collect();
                let held: f64 = state.iter().sum();
                ledgers.push(sides(graph, &floats, (1.0 - held).max(0.0), 0.0));
                states.push(Masses::All(floats));
            }
        } else {
            let held: f64 = mass.iter().sum();
            ledgers.push(sides(graph, &mass, (1.0 - held).max(0.0), 0.0));
        }
        self.done(graph, mass, states, ledgers, self.steps)
    }

    /// The state after one more step.
    fn stepped(&self, t: &Transition, state: &[f64], seeds: &Sparse, dead: &Sparse) -> Vec<f64> {
        let held = (0..).zip(state).filter(|(_, mass)| **mass > 0.0);
        let held: Sparse = held.map(|(node, &mass)| (node, mass)).collect();
        let mut walk = Forward::from(t, &held, dead, self.dangling);
        walk.step(self.moving(), 0.0);
        let mut moved = walk.into_mass();
        if self.kernel == Kernel::Lazy {
            let stay = moved.iter_mut().zip(state);
            stay.for_each(|(mass, before)| *mass += (1.0 - self.alpha) * before);
        } else {
            for &(node, p) in seeds {
                moved[node as usize] += self.alpha * p;
            }
        }
        moved
    }

    /// Adds `sum over k of c_k (P^T)^k s`.
    pub(super) fn add_lengths(
        &self,
        t: &Transition,
        part: &Sparse,
        dead: &Sparse,
        lengths: &[f64],
        sum: &mut [f64],
    ) {
        let mut walk = Forward::from(t, part, dead, self.dangling);
        for (k, weight) in lengths.iter().enumerate() {
            if k > 0 {
                walk.step(1.0, 0.0);
            }
            for (sum, mass) in sum.iter_mut().zip(walk.mass()) {
                *sum += weight * mass;
            }
        }
    }

    /// One reverse walk from a node tells for every seed at once. Push stops at `epsilon`, to within which it is known then
    /// what all seeds paid, or where it hardly finds more of a mass.
    pub fn reach(
        &self,
        t: &Transition,
        seeds: &Sparse,
        node: Node,
        (epsilon, mass): (f64, Option<f64>),
    ) -> Reach {
        let Some(weights) = self.lengths() else {
            let of = |back: &Reverse| {
                let mut reach = Reach {
                    from: seeds.iter().map(|&(u, _)| (u, back.from(u))).collect(),
                    by_length: Vec::new(),
                    error: back.error,
                };
                if self.dangling == Dangling::Reseed {
                    self.begin_again(t, seeds, &mut reach);
                }
                reach
            };
            let how = (self.alpha, epsilon, self.dangling);
            return match mass {
                Some(mass) => of(&t.pushed_back_from(node, how, (seeds, mass))),
                None => of(&t.pushed_back(node, self.alpha, epsilon, self.dangling)),
            };
        };
        self.walked_back(t, seeds, &[(node, 1.0)], &weights)
    }

    /// Of some nodes, each with the share of it that counts: ways back are linear in where they begin.
    fn walked_back(
        &self,
        t: &Transition,
        seeds: &Sparse,
        nodes: &[(Node, f64)],
        weights: &[f64],
    ) -> Reach {
        let mut all = Sparse::new();
        let lone = seeds.iter().any(|seed| t.dangling(seed.0 as usize));
        let dead = match lone && self.dangling == Dangling::Reseed {
            true => self.dead(t, seeds, &mut all),
            // No way leads from a seed to a node without edges.
            false => &all,
        };
        let mut reach = Reach {
            from: seeds.iter().map(|&(u, _)| (u, 0.0)).collect(),
            by_length: Vec::with_capacity(weights.len()),
            error: 0.0,
        };
        let mut reseeded = 0.0;
        let asked: Vec<Node> = match dead.is_empty() {
            true => seeds.iter().map(|seed| seed.0).collect(),
            false => Vec::new(),
        };
        let shares: FxHashMap<Node, f64> = nodes.iter().copied().collect();
        t.walked_back(nodes, (weights.len() - 1, &asked), |length, back| {
            let stays = |u: Node| shares.get(&u).copied().unwrap_or(0.0);
            let chance = |u: Node| match self.dangling {
                _ if length == 0 => stays(u),
                _ if !t.dangling(u as usize) => back(u),
                Dangling::Drop => 0.0,
                Dangling::Reseed => reseeded,
                Dangling::Stay => stays(u),
            };
            let mut score = 0.0;
            for ((from, sum), &(_, s)) in reach.from.iter_mut().zip(seeds) {
                let chance = chance(*from);
                *sum += weights[length] * chance;
                score += s * chance;
            }
            reach.by_length.push(weights[length] * score);
            reseeded = dead.iter().map(|&(v, m)| m * chance(v)).sum();
        });
        reach
    }

    /// Adds what seeds without edges pay by mass that comes to them and begins again at all seeds. Of what begins again a
    /// part comes to such a seed again, and so on: a geometric series. No way leads to one but by a restart.
    fn begin_again(&self, t: &Transition, seeds: &Sparse, reach: &mut Reach) {
        let paid = reach.from.iter().zip(seeds);
        let paid: f64 = paid.map(|((_, own), (_, s))| own * s).sum();
        let lone = |seed: Node| t.dangling(seed as usize);
        let dead = seeds.iter().filter(|seed| lone(seed.0));
        let dead: f64 = dead.map(|seed| seed.1).sum();
        let ends = 1.0 - (1.0 - self.alpha) * dead;
        if ends <= 0.0 {
            // Nothing ever settles.
            return;
        }
        for (seed, own) in &mut reach.from {
            if lone(*seed) {
                *own += (1.0 - self.alpha) * paid / ends;
            }
        }
        reach.error /= ends;
    }

    /// Pushed well below the forward walk's threshold, so that shares are the finer of the two.
    pub fn fine(&self) -> f64 {
        (self.epsilon * 0.01).max(1e-9)
    }

    /// The exact part of every node's score that each group of seeds paid for: one walk a group, restarted at its seeds
    /// with their weights. They sum to the score; for push to within the residual. `asked` are nodes of the states, by step,
    /// whose mass is taken apart on the way, and `end` those of the score: what it tells of others may be short.
    pub fn groups(
        &self,
        t: &Transition,
        seeds: &Sparse,
        parts: &[Sparse],
        asked: &[Vec<Node>],
        end: &[Node],
    ) -> Split {
        if self.pushes() {
            let push = |part: &Sparse| t.pushed(part, seeds, &self.rule(), held);
            return Split {
                end: parts.par_iter().map(push).collect(),
                states: Vec::new(),
            };
        }
        let apart: Vec<Split> = if self.kernel != Kernel::Power || self.dangling == Dangling::Reseed
        {
            let mut all = Sparse::new();
            let dead = self.dead(t, seeds, &mut all);
            let lengths = self.lengths().unwrap_or_default();
            let one = |part: &Sparse| {
                let mut sum = vec![0.0; t.nodes()];
                self.add_lengths(t, part, dead, &lengths, &mut sum);
                let mut state = vec![0.0; t.nodes()];
                part.iter().for_each(|&(node, p)| state[node as usize] = p);
                let mut states = Vec::with_capacity(asked.len());
                for (step, nodes) in asked.iter().enumerate() {
                    if step > 0 {
                        state = self.stepped(t, &state, part, dead);
                    }
                    let held = nodes.iter().map(|node| vec![state[*node as usize]]);
                    states.push(held.collect());
                }
                let sum = sum.into_iter().map(|mass| mass as f32);
                Split {
                    end: vec![Masses::All(sum.collect())],
                    states,
                }
            };
            parts.par_iter().map(one).collect()
        } else {
            let mut wanted: Vec<Node> = asked.iter().flatten().chain(end).copied().collect();
            wanted.sort_unstable();
            wanted.dedup();
            let parts: Vec<&[Sparse]> = parts.chunks(t.together()).collect();
            let walked = |parts: &[&[Sparse]]| {
                let walked = parts.iter();
                let walked = walked.map(|parts| self.together(t, parts, asked, &wanted));
                walked.collect::<Vec<Split>>()
            };
            // Two beside each other: the first steps of each run on one thread, and each takes memory over all nodes.
            let (some, others) = parts.split_at(parts.len().div_ceil(2));
            let (mut some, others) = rayon::join(|| walked(some), || walked(others));
            some.extend(others);
            some
        };
        let mut apart = apart.into_iter();
        let first = apart.next().unwrap_or_default();
        apart.fold(first, Split::and)
    }

    /// Walks taken together: what each holds of the nodes asked for, and at the end of those wanted.
    fn together(
        &self,
        t: &Transition,
        parts: &[Sparse],
        asked: &[Vec<Node>],
        wanted: &[Node],
    ) -> Split {
        const LANES: usize = Transition::TOGETHER;
        let of = |nodes: &[Node]| vec![[0.0; LANES]; nodes.len()];
        let mut held: Vec<Vec<[f64; LANES]>> = asked.iter().map(|nodes| of(nodes)).collect();
        let mut end = of(wanted);
        t.walked_together(
            parts,
            (self.steps, wanted),
            self.dangling,
            |length, mass| {
                let add = |walked: usize, nodes: &[Node], sums: &mut [[f64; LANES]]| {
                    let weight = walk::length_weights(self.alpha, walked)[length];
                    for (node, sum) in nodes.iter().zip(sums) {
                        steps::add(sum, weight, &mass(*node));
                    }
                };
                let asked = asked.iter().zip(&mut held).enumerate();
                asked
                    .skip(length)
                    .for_each(|(steps, (nodes, sums))| add(steps, nodes, sums));
                add(self.steps, wanted, &mut end);
            },
        );
        let sums = |part: usize| {
            let sums = wanted.iter().zip(&end);
            Masses::few(t.nodes(), sums.map(|(node, sum)| (*node, sum[part] as f32)))
        };
        let of = |held: Vec<[f64; LANES]>| {
            let rows = held.iter().map(|sums| sums[..parts.len()].to_vec());
            rows.collect()
        };
        Split {
            end: (0..parts.len()).map(sums).collect(),
            states: held.into_iter().map(of).collect(),
        }
    }
}

/// What a push has settled so far.
fn held(push: &Pushed) -> Masses {
    let settled = push.settled.iter();
    let held = settled.map(|&node| (node, push.estimate[node as usize] as f32));
    Masses::few(push.estimate.len(), held)
}

/// What each seed paid of what it reaches. Largest first, earlier seeds first among equals; none that paid nothing.
pub fn shares(seeds: &[Seed], reach: &Reach) -> Vec<Share> {
    let mut shares: Vec<Share> = seeds
        .iter()
        .enumerate()
        .map(|(seed, s)| Share {
            seed,
            mass: s.weight * reach.of(s.node),
        })
        .filter(|s| s.mass > 0.0)
        .collect();
    shares.sort_by(|a, b| b.mass.total_cmp(&a.mass).then(a.seed.cmp(&b.seed)));
    shares
}

/// Where the mass of a state is: on nodes that stand for passages, and on the others.
fn sides<M: Copy + Into<f64>>(graph: &Graph, mass: &[M], dropped: f64, residual: f64) -> Ledger {
    if !graph.is_of_passages() {
        let held = (0..).zip(mass).map(|(node, mass)| (node, (*mass).into()));
        return few_sides(graph, held, dropped, residual);
    }
    let (passages, entities) = mass.split_at(graph.passages());
    Ledger {
        entities: sum(entities),
        passages: sum(passages),
        dropped,
        residual,
    }
}

/// The same of those nodes that have mass.
fn few_sides(
    graph: &Graph,
    held: impl Iterator<Item = (Node, f64)>,
    dropped: f64,
    residual: f64,
) -> Ledger {
    let (mut passages, mut entities) = (0.0, 0.0);
    for (node, mass) in held {
        match graph.is_passage(node) {
            true => passages += mass,
            false => entities += mass,
        }
    }
    Ledger {
        entities,
        passages,
        dropped,
        residual,
    }
}

/// The sum in f64, in eight parts: one after the other, each addition would wait for the last.
fn sum<M: Copy + Into<f64>>(mass: &[M]) -> f64 {
    let mut parts = [0.0; 8];
    let eights = mass.chunks_exact(8);
    let rest: f64 = eights.remainder().iter().map(|m| (*m).into()).sum();
    for eight in eights {
        for (part, mass) in parts.iter_mut().zip(eight) {
            *part += (*mass).into();
        }
    }
    parts.iter().sum::<f64>() + rest
}

/// Walks of odd length take an entity seed's mass to passages, even ones a passage seed's. Without steps: the limit.
pub fn parity(alpha: f64, steps: Option<usize>) -> Parity {
    let entity_seeds = match steps {
        Some(steps) => walk::length_weights(alpha, steps)
            .iter()
            .skip(1)
            .step_by(2)
            .sum(),
        None => (1.0 - alpha) / (2.0 - alpha),
    };
    Parity {
        entity_seeds,
        passage_seeds: 1.0 - entity_seeds,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_way_back_from_some_nodes_is_the_sum_of_those_from_each(
            edges in prop::collection::vec((0u32..8, 0u32..8, 0.5f32..4.0), 1..12),
            // Nodes 8 and 9 have no edge.
            seeds in prop::collection::btree_map(0u32..9, 0.1f64..1.0, 1..5),
            nodes in prop::collection::btree_map(0u32..10, 0.1f64..1.0, 1..6),
            into in prop::collection::vec(0.1f64..1.0, 10),
            alpha in 0.05f64..0.95, steps in 0usize..9, rule in 0usize..3, kernel in 0usize..3,
        ) {
            let edges = edges.into_iter().filter(|(a, b, _)| a != b);
            let t = Transition::of_edges(10, edges).rescaled(into);
            let seeds: Sparse = seeds.into_iter().collect();
            let nodes: Vec<(Node, f64)> = nodes.into_iter().collect();
            let diffusion = Diffusion {
                kernel: [Kernel::Power, Kernel::Summed, Kernel::Lazy][kernel],
                alpha,
                steps,
                epsilon: 0.0,
                threshold: PushThreshold::Plain,
                dangling: [Dangling::Reseed, Dangling::Drop, Dangling::Stay][rule],
                jump: kernel == 1,
            };
            let lengths = diffusion.lengths().unwrap();
            let together = diffusion.walked_back(&t, &seeds, &nodes, &lengths);
            let mut by_seed = vec![0.0; seeds.len()];
            let mut by_length = vec![0.0; lengths.len()];
            for &(node, share) in &nodes {
                let one = diffusion.reach(&t, &seeds, node, (0.0, None));
                by_seed.iter_mut().zip(&one.from).for_each(|(sum, from)| *sum += share * from.1);
                by_length.iter_mut().zip(&one.by_length).for_each(|(sum, own)| *sum += share * own);
            }
            for (sum, from) in by_seed.iter().zip(&together.from) {
                prop_assert!((sum - from.1).abs() < 1e-9, "{by_seed:?} {together:?}");
            }
            for (sum, own) in by_length.iter().zip(&together.by_length) {
                prop_assert!((sum - own).abs() < 1e-9, "{by_length:?} {together:?}");
            }
        }
    }

    #[test]
    fn what_is_kept_of_ways_back_has_a_bound() {
        let all = Kept::default();
        for key in 0..100 {
            assert_eq!(*kept(&all, 7, key, || key), key);
            assert!(all.lock().unwrap().len() <= 7);
        }
        assert_eq!(*kept(&all, 7, 99, || 0), 99, "the last one is there");
    }

    proptest! {
        #[test]
        fn groups_sum_to_the_walk_where_mass_returns_to_all_seeds(
            edges in prop::collection::vec((0u32..8, 0u32..8, 0.5f32..4.0), 1..8),
            // Nodes 8 and 9 have no edge.
            seeds in prop::collection::btree_map(0u32..8, 0.1f64..1.0, 1..4), dead in 0.1f64..1.0,
            alpha in 0.05f64..0.95, steps in 0usize..9, rule in 0usize..3, push in any::<bool>(),
        ) {
            let edges = edges.into_iter().filter(|(a, b, _)| a != b);
            let t = Transition::of_edges(10, edges);
            let mut seeds: Sparse = seeds.into_iter().chain([(8, dead)]).collect();
            let sum: f64 = seeds.iter().map(|(_, p)| p).sum();
            seeds.iter_mut().for_each(|(_, p)| *p /= sum);
            let diffusion = Diffusion {
                kernel: if push { Kernel::Push } else { Kernel::Power },
                alpha,
                steps,
                epsilon: 1e-9,
                threshold: PushThreshold::Plain,
                dangling: [Dangling::Reseed, Dangling::Drop, Dangling::Stay][rule],
                jump: false,
            };
            let all: Vec<Node> = (0..10).collect();
            let asked = vec![all.clone(); steps + 1];
            let split = |parts: &[Sparse]| diffusion.groups(&t, &seeds, parts, &asked, &all);
            let whole = split(std::slice::from_ref(&seeds));
            let each: Vec<Sparse> = seeds.iter().map(|seed| [*seed].into_iter().collect()).collect();
            let parts = split(&each);
            // Nothing is lost but what is dropped.
            let all: f64 = (0..10).map(|node| f64::from(whole.end[0][node])).sum();
            prop_assert!(diffusion.dangling == Dangling::Drop || (all - 1.0).abs() < 1e-6);
            for node in 0..10 {
                let sum: f64 = parts.end.iter().map(|end| f64::from(end[node])).sum();
                prop_assert!((sum - f64::from(whole.end[0][node])).abs() < 1e-6);
                for (one, apart) in whole.states.iter().zip(&parts.states) {
                    let sum: f64 = apart[node].iter().sum();
                    prop_assert!((sum - one[node][0]).abs() < 1e-9);
                }
            }
        }
    }

    #[test]
    fn parity_is_as_published() {
        let close = |x: f64, y: f64| assert!((x - y).abs() < 5e-4, "{x} {y}");
        close(parity(0.15, Some(5)).entity_seeds, 0.663);
        close(parity(0.15, Some(4)).entity_seeds, 0.220);
        close(parity(0.15, None).entity_seeds, 0.459);
        close(parity(0.15, None).passage_seeds, 0.541);
    }
}
