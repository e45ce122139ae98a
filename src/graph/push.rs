//! Forward push, and reverse push for attribution (after Andersen, Chung, Lang 2006, on row-stochastic P).

use super::arcs::Arcs;
use super::core::{Core, Place};
use super::pool::Pool;
use super::transition::{Dangling, Transition};
use super::walk::{Sparse, each_node};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

pub use crate::parameters::PushThreshold;

/// Push works down to epsilon or stops after this many pushes, and says so.
pub const MAX_PUSHES: usize = 50_000_000;

/// How forward push walks, and how far down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rule {
    pub alpha: f64,
    pub epsilon: f64,
    pub threshold: PushThreshold,
    pub dangling: Dangling,
}

/// Settled and unsettled mass. Their sums and what was dropped add to that of the seeds.
///
/// It is a result and the memory for the next one, which clears what this one reached and no more. After
/// [`leave`](Self::leave) that may be on another graph.
#[derive(Clone, Debug, Default)]
pub struct Pushed {
    /// Settled mass: the estimate of the limit walk.
    pub estimate: Vec<f64>,
    /// Mass still to move; the estimate is short of the limit by at most this much in all.
    pub residual: Vec<f64>,
    /// The nodes that were pushed, in the order of their first push: only they have settled mass.
    pub settled: Vec<u32>,
    pub pushes: usize,
    pub dropped: f64,
    pub capped: bool,
    seeds: Vec<(u32, f64)>,
    /// Where mass at nodes without edges begins again; empty where the rule sends it nowhere.
    again: Vec<(u32, f64)>,
    queued: Vec<bool>,
    queue: VecDeque<u32>,
    /// The graph that this was pushed on, whose neighbours say what was reached; none where nothing was.
    graph: Option<Weak<Arcs>>,
}

/// Forward push with memory of its own.
pub fn forward(
    transition: &Transition,
    seeds: &[(u32, f64)],
    alpha: f64,
    epsilon: f64,
    threshold: PushThreshold,
    dangling: Dangling,
    mark: impl FnMut(&Pushed),
) -> Pushed {
    let rule = Rule {
        alpha,
        epsilon,
        threshold,
        dangling,
    };
    let mut out = Pushed::default();
    out.forward(transition, seeds, &rule, mark);
    out
}

impl Pushed {
    /// Forward push from the seeds until no residual exceeds its threshold, first in first out.
    ///
    /// `mark` sees the state each time the number of pushes doubles, for the timeline.
    pub fn forward(
        &mut self,
        transition: &Transition,
        seeds: &[(u32, f64)],
        rule: &Rule,
        mark: impl FnMut(&Pushed),
    ) {
        self.forward_part(transition, seeds, seeds, rule, mark);
    }

    /// As [`forward`](Self::forward), of a part of the seeds: mass at nodes without edges begins again at all of them.
    pub fn forward_part(
        &mut self,
        transition: &Transition,
        part: &[(u32, f64)],
        seeds: &[(u32, f64)],
        rule: &Rule,
        mut mark: impl FnMut(&Pushed),
    ) {
        self.clear(transition);
        self.seeds.extend_from_slice(part);
        if rule.dangling == Dangling::Reseed {
            self.again.extend_from_slice(seeds);
        }
        let mut start: Vec<u32> = part.iter().map(|s| s.0).collect();
        start.sort_unstable();
        start.dedup();
        for &(node, mass) in part {
            self.residual[node as usize] += mass;
        }
        start.retain(|u| self.residual[*u as usize] > rule.limit(transition, *u as usize));
        for &u in &start {
            self.queued[u as usize] = true;
        }
        self.queue.extend(start);
        mark(self);
        let mut next = 1;
        while !self.queue.is_empty() && !self.capped {
            self.run(transition, rule, next.min(MAX_PUSHES));
            if self.pushes == next {
                mark(self);
                next *= 2;
            }
            self.capped = self.pushes == MAX_PUSHES;
        }
    }

    /// Makes this nothing settled and nothing to move.
    fn clear(&mut self, transition: &Transition) {
        let n = transition.nodes();
        let own = Arc::downgrade(transition.shared());
        let blank = self.graph.is_none() && self.estimate.len() == n;
        if self.graph.as_ref().is_some_and(|graph| graph.ptr_eq(&own)) {
            for (u, _) in self.seeds.drain(..).chain(self.again.drain(..)) {
                self.residual[u as usize] = 0.0;
            }
            for u in self.settled.drain(..) {
                self.estimate[u as usize] = 0.0;
                self.residual[u as usize] = 0.0;
                for &v in transition.targets(u as usize) {
                    self.residual[v as usize] = 0.0;
                }
            }
            for u in self.queue.drain(..) {
                self.queued[u as usize] = false;
            }
            (self.pushes, self.dropped, self.capped) = (0, 0.0, false);
        } else if !blank {
            let cleared = |own: &mut Vec<f64>| {
                let mut own = std::mem::take(own);
                if own.len() != n {
                    own = vec![0.0; n];
                }
                // Read before it is written, each new page would be mapped twice, and other threads stopped for it.
                each_node(&mut own, |_, mass| *mass = 0.0);
                own
            };
            *self = Pushed {
                estimate: cleared(&mut self.estimate),
                residual: cleared(&mut self.residual),
                queued: vec![false; n],
                ..Pushed::default()
            };
        }
        self.graph = Some(own);
    }

    /// Clears what was reached on this graph, so that the next one may be on any of as many nodes.
    pub fn leave(&mut self, transition: &Transition) {
        self.clear(transition);
        self.graph = None;
    }

    /// Pushes until nothing is queued or so many pushes are done.
    fn run(&mut self, transition: &Transition, rule: &Rule, most: usize) {
        let (estimate, residual) = (&mut self.estimate[..], &mut self.residual[..]);
        let (queued, queue) = (&mut self.queued[..], &mut self.queue);
        while self.pushes < most {
            let Some(node) = queue.pop_front() else {
                return;
            };
            let u = node as usize;
            queued[u] = false;
            let mass = std::mem::take(&mut residual[u]);
            if estimate[u] == 0.0 {
                self.settled.push(node);
            }
            estimate[u] += rule.alpha * mass;
            let moving = (1.0 - rule.alpha) * mass;
            self.pushes += 1;
            let mut arrive = |v: u32, mass: f64| {
                let at = v as usize;
                residual[at] += mass;
                if residual[at] > rule.limit(transition, at) && !queued[at] {
                    queued[at] = true;
                    queue.push_back(v);
                }
            };
            if transition.dangling(u) {
                match rule.dangling {
                    Dangling::Drop => self.dropped += moving,
                    // Staying for ever settles all of it: alpha sum (1-alpha)^k = 1.
                    Dangling::Stay => estimate[u] += moving,
                    Dangling::Reseed => {
                        let again = self.again.iter();
                        again.for_each(|&(v, share)| arrive(v, moving * share));
                    }
                }
            } else {
                let x = moving * transition.scale(u);
                let (targets, weights) = transition.row(u);
                for (&v, &w) in targets.iter().zip(weights) {
                    arrive(v, x * f64::from(w) * transition.into(v as usize));
                }
            }
        }
    }

    /// Mass that has not been settled.
    pub fn unsettled(&self) -> f64 {
        let begun: f64 = self.seeds.iter().map(|s| s.1).sum();
        let settled = self.settled.iter().map(|u| self.estimate[*u as usize]);
        (begun - self.dropped - settled.sum::<f64>()).max(0.0)
    }

    /// The largest residual.
    pub fn largest_residual(&self, transition: &Transition) -> f64 {
        let rows = self.settled.iter().map(|u| transition.targets(*u as usize));
        let begun = self.seeds.iter().chain(&self.again).map(|s| &s.0);
        let reached = rows.flatten().chain(begun);
        let residuals = reached.map(|u| self.residual[*u as usize]);
        residuals.fold(0.0, f64::max)
    }
}

impl Rule {
    #[inline]
    fn limit(&self, transition: &Transition, node: usize) -> f64 {
        match self.threshold {
            PushThreshold::Plain => self.epsilon,
            PushThreshold::Degree => self.epsilon * transition.degree(node).max(1) as f64,
        }
    }
}

/// How much of one unit restarted at each node the limit walk settles on one of them: a reverse push from there. What
/// begins again at the seeds is not among it, as it knows of none.
///
/// Leaves are folded: what a node sends to its own and gets back sums to a factor. Nodes are pushed in sweeps and not as
/// they come: a sweep reads one row after the other, and what comes to a node between two of them is sent on together.
#[derive(Debug)]
pub struct Reverse {
    core: Arc<OnceLock<Core>>,
    /// By node of the core, ascending; the others have none.
    settled: Vec<(u32, f64)>,
    /// What a leaf has of what its owner has.
    moving: f64,
    target: u32,
    /// What the target has besides, where it is a leaf or has no edge.
    besides: f64,
    /// The largest residual, which bounds the error of each; or what was added last, where little was.
    pub error: f64,
}

impl Reverse {
    /// Of a unit restarted at a node: too little by [`error`](Self::error) at most.
    pub fn from(&self, node: u32) -> f64 {
        let besides = if node == self.target {
            self.besides
        } else {
            0.0
        };
        let Some(core) = self.core.get() else {
            return besides;
        };
        let settled = |at: u32| {
            let place = self.settled.binary_search_by_key(&at, |held| held.0);
            place.map_or(0.0, |place| self.settled[place].1)
        };
        besides + of_node(core, node, self.moving, settled)
    }

    /// Pushed until no residual exceeds epsilon or, where it is for some `seeds` and a node that has about so much mass of
    /// what they restart, until smaller residuals bring hardly more of that. This may be long before: the largest are pushed
    /// first.
    pub fn of(
        transition: &Transition,
        target: u32,
        (alpha, epsilon, dangling): (f64, f64, Dangling),
        seeds: Option<(&Sparse, f64)>,
        room: &mut Room,
    ) -> Reverse {
        let (core, factors) = transition.folded();
        let moving = 1.0 - alpha;
        // The residual of a node is this times what arrived there.
        let gain = |at: usize| {
            let (own, out, leafy) = (factors.own[at], factors.out[at], factors.leafy[at]);
            match out > 0.0 {
                true => 1.0 / (out * (1.0 - moving * moving * leafy * own)),
                false => 0.0,
            }
        };
        // Most nodes of a large graph are never reached: nothing here is read or written where no mass comes.
        let Room {
            arrived,
            settled,
            fresh,
            seen,
        } = room.of(factors.own.len());
        let start = match core.place(target) {
            Place::Core(at) => {
                arrived[at as usize] = factors.out[at as usize];
                at
            }
            Place::Leaf(at) => {
                let owner = core.owners[at as usize];
                arrived[owner as usize] = moving * factors.leaf[at as usize];
                owner
            }
        };
        fresh[start as usize / 64] |= 1 << (start % 64);
        let besides = match core.place(target) {
            // What restarts there settles there, and moves on where there is an edge.
            Place::Core(_) if !transition.dangling(target as usize) => 0.0,
            Place::Core(_) if dangling == Dangling::Stay => 1.0,
            _ => alpha,
        };
        let came = |settled: &[f64], seeds: &Sparse| -> f64 {
            let from = |&(seed, mass): &(u32, f64)| {
                let own = of_node(core, seed, moving, |at| settled[at as usize]);
                mass * (own + if seed == target { besides } else { 0.0 })
            };
            seeds.iter().map(from).sum()
        };
        let mut least = seeds.map_or(epsilon, |(_, mass)| epsilon.max(FIRST * mass));
        let (mut paid, mut added) = (0.0, f64::INFINITY);
        let mut pushes = 0;
        loop {
            let before = pushes;
            for word in 0..fresh.len() {
                // What arrives behind the place of the sweep waits for the next one.
                let mut left = u64::MAX;
                while fresh[word] & left != 0 {
                    let bit = (fresh[word] & left).trailing_zeros();
                    left = (u64::MAX << bit) << 1;
                    fresh[word] &= !(1 << bit);
                    seen[word] |= 1 << bit;
                    let at = word * 64 + bit as usize;
                    let mass = arrived[at] * gain(at);
                    if mass <= least {
                        continue;
                    }
                    arrived[at] = 0.0;
                    settled[at] += alpha * mass;
                    let sent = moving * mass * factors.own[at] * factors.out[at];
                    let (sources, weights) = core.row(at);
                    for (&u, &w) in sources.iter().zip(weights) {
                        arrived[u as usize] += sent * f64::from(w);
                        fresh[u as usize / 64] |= 1 << (u % 64);
                    }
                    pushes += 1;
                }
            }
            if pushes > MAX_PUSHES {
                break;
            }
            if pushes > before {
                continue;
            }
            if let Some((seeds, _)) = seeds {
                let now = came(settled, seeds);
                let more = now - std::mem::replace(&mut paid, now);
                if more <= HARDLY * now && more < now {
                    added = more;
                    break;
                }
            }
            if least <= epsilon {
                break;
            }
            // What was too little before is looked at again.
            least = epsilon.max(least * FINER);
            fresh
                .iter_mut()
                .zip(&*seen)
                .for_each(|(fresh, seen)| *fresh |= seen);
        }
        let (mut error, mut held) = (0.0_f64, Vec::new());
        for (word, (seen, fresh)) in seen.iter_mut().zip(fresh).enumerate() {
            let mut left = std::mem::take(seen) | std::mem::take(fresh);
            while left != 0 {
                let at = word * 64 + left.trailing_zeros() as usize;
                error = error.max(std::mem::take(&mut arrived[at]) * gain(at));
                let settled = std::mem::take(&mut settled[at]);
                if settled > 0.0 {
                    held.push((at as u32, settled));
                }
                left &= left - 1;
            }
        }
        Reverse {
            core: transition.core().clone(),
            moving,
            target,
            besides,
            error: error.min(added),
            settled: held,
        }
    }
}

/// What a node has of what is settled in the core: a leaf has a part of its owner's.
fn of_node(core: &Core, node: u32, moving: f64, settled: impl Fn(u32) -> f64) -> f64 {
    match core.place(node) {
        Place::Core(at) => settled(at),
        Place::Leaf(at) => moving * settled(core.owners[at as usize]),
    }
}

/// The residuals that are pushed first for some seeds, in parts of the mass that they are to account for, how much smaller
/// those after are, and what part of all is hardly more.
const FIRST: f64 = 0.1;
const FINER: f64 = 0.25;
const HARDLY: f64 = 0.01;

/// What a reverse push works in, empty between two of them: to give so much memory back and take it again takes as long as
/// a push.
#[derive(Debug, Default)]
pub struct Room {
    /// By node of the core.
    arrived: Vec<f64>,
    settled: Vec<f64>,
    /// A bit for every node that something arrived at since it was looked at, and for all that were looked at.
    fresh: Vec<u64>,
    seen: Vec<u64>,
}

impl Room {
    fn of(&mut self, nodes: usize) -> &mut Room {
        self.arrived.resize(nodes, 0.0);
        self.settled.resize(nodes, 0.0);
        self.fresh.resize(nodes.div_ceil(64), 0);
        self.seen.resize(nodes.div_ceil(64), 0);
        self
    }
}

/// What reverse pushes work in.
static ROOMS: Pool<Room> = Pool::new(4);

/// The node, alpha and epsilon, and what happens at dead ends.
type Asked = (u32, u64, u64, Dangling);

/// Those that were asked for last, with room for two passages: walks over one graph from other seeds share them.
#[derive(Debug, Default)]
pub struct Reverses {
    kept: Mutex<VecDeque<(Asked, Arc<Reverse>)>>,
}

/// How many are kept.
const KEPT: usize = 4;

impl Reverses {
    pub(super) fn of(
        &self,
        transition: &Transition,
        target: u32,
        alpha: f64,
        epsilon: f64,
        dangling: Dangling,
    ) -> Arc<Reverse> {
        let asked = (target, alpha.to_bits(), epsilon.to_bits(), dangling);
        let how = (alpha, epsilon, dangling);
        let kept = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let known = kept().iter().find(|(known, _)| *known == asked).cloned();
        if let Some((_, known)) = known {
            return known;
        }
        let made = Arc::new(self.push(transition, target, how, None));
        let mut kept = kept();
        kept.push_back((asked, made.clone()));
        if kept.len() > KEPT {
            kept.pop_front();
        }
        made
    }

    /// See [`Reverse::of`].
    pub(super) fn push(
        &self,
        transition: &Transition,
        target: u32,
        how: (f64, f64, Dangling),
        seeds: Option<(&Sparse, f64)>,
    ) -> Reverse {
        let push = |room: &mut Room| Reverse::of(transition, target, how, seeds, room);
        ROOMS.with(transition.id(), push)
    }
}
