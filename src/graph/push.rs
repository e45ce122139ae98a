//! Forward push, and reverse push for attribution (after Andersen, Chung, Lang 2006, on row-stochastic P).

use super::transition::{Dangling, Transition};
use sprs::CsMatI;
use std::collections::VecDeque;
use std::sync::{Arc, Weak};

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
/// It is a result and the memory for the next one, which clears what this one reached and no more.
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
    queued: Vec<bool>,
    queue: VecDeque<u32>,
    /// The graph that this was pushed on. Its neighbours say what was reached.
    graph: Weak<CsMatI<f32, u32>>,
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
        mut mark: impl FnMut(&Pushed),
    ) {
        self.clear(transition);
        self.seeds.extend_from_slice(seeds);
        let mut start: Vec<u32> = seeds.iter().map(|s| s.0).collect();
        start.sort_unstable();
        start.dedup();
        for &(node, mass) in seeds {
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
        if self.graph.as_ptr() == Arc::as_ptr(transition.weights()) {
            for (u, _) in self.seeds.drain(..) {
                self.residual[u as usize] = 0.0;
            }
            for u in self.settled.drain(..) {
                self.estimate[u as usize] = 0.0;
                self.residual[u as usize] = 0.0;
                for &v in transition.row(u as usize).0 {
                    self.residual[v as usize] = 0.0;
                }
            }
            for u in self.queue.drain(..) {
                self.queued[u as usize] = false;
            }
            (self.pushes, self.dropped, self.capped) = (0, 0.0, false);
        } else {
            *self = Pushed {
                estimate: vec![0.0; n],
                residual: vec![0.0; n],
                queued: vec![false; n],
                graph: Arc::downgrade(transition.weights()),
                ..Pushed::default()
            };
        }
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
                        let seeds = self.seeds.iter();
                        seeds.for_each(|&(v, share)| arrive(v, moving * share));
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
        let rows = self.settled.iter().map(|u| transition.row(*u as usize).0);
        let reached = rows.flatten().chain(self.seeds.iter().map(|s| &s.0));
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

/// Reverse push: for every node u, how much of one unit restarted at u the limit walk settles on `target`.
/// Returns the estimates and the largest residual, which bounds each one's error.
pub fn reverse(
    transition: &Transition,
    target: u32,
    alpha: f64,
    epsilon: f64,
    dangling: Dangling,
) -> (Vec<f64>, f64) {
    // What an arc looks up lies side by side: most of the time is spent waiting for it.
    struct Slot {
        residual: f64,
        scale: f64,
    }
    let n = transition.nodes();
    let mut estimate = vec![0.0; n];
    let slot = |u| Slot {
        residual: 0.0,
        scale: transition.scale(u),
    };
    let mut slots: Vec<Slot> = (0..n).map(slot).collect();
    slots[target as usize].residual = 1.0;
    let mut queue = VecDeque::from([target]);
    let mut pushes = 0;
    while let Some(node) = queue.pop_front() {
        let v = node as usize;
        let mass = std::mem::take(&mut slots[v].residual);
        estimate[v] += alpha * mass;
        let moving = (1.0 - alpha) * mass * transition.into(v);
        if transition.dangling(v) && dangling == Dangling::Stay {
            estimate[v] += (1.0 - alpha) * mass;
        }
        let (sources, weights) = transition.row(v);
        for (&u, &w) in sources.iter().zip(weights) {
            let slot = &mut slots[u as usize];
            let before = slot.residual;
            slot.residual += moving * f64::from(w) * slot.scale;
            // What was above it waits already.
            if before <= epsilon && slot.residual > epsilon {
                queue.push_back(u);
            }
        }
        pushes += 1;
        if pushes == MAX_PUSHES {
            break;
        }
    }
    let largest = slots.iter().map(|slot| slot.residual).fold(0.0, f64::max);
    (estimate, largest)
}
