//! Forward push, and reverse push for attribution (after Andersen, Chung, Lang 2006, on row-stochastic P).

use super::transition::{Dangling, Transition};

/// What a residual is compared with before a node is pushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Threshold {
    /// epsilon
    Plain,
    /// epsilon times the node's degree, at least 1
    Degree,
}

/// Push works down to epsilon or stops after this many pushes, and says so.
pub const MAX_PUSHES: usize = 50_000_000;

/// Settled and unsettled mass. Their sums and what was dropped add to 1.
#[derive(Clone, Debug)]
pub struct Pushed {
    /// Settled mass: the estimate of the limit walk.
    pub estimate: Vec<f64>,
    /// Mass still to move; the estimate is short of the limit by at most this much in all.
    pub residual: Vec<f64>,
    pub pushes: usize,
    pub dropped: f64,
    pub capped: bool,
}

/// Forward push from the seeds until no residual exceeds its threshold, first in first out.
///
/// `mark` sees the state each time the number of pushes doubles, for the timeline.
pub fn forward(
    transition: &Transition,
    seeds: &[(u32, f64)],
    alpha: f64,
    epsilon: f64,
    threshold: Threshold,
    dangling: Dangling,
    mut mark: impl FnMut(&Pushed),
) -> Pushed {
    let n = transition.nodes();
    let mut out = Pushed {
        estimate: vec![0.0; n],
        residual: vec![0.0; n],
        pushes: 0,
        dropped: 0.0,
        capped: false,
    };
    let limit = |u: usize| match threshold {
        Threshold::Plain => epsilon,
        Threshold::Degree => epsilon * transition.degree(u).max(1) as f64,
    };
    let mut queue = std::collections::VecDeque::new();
    let mut queued = vec![false; n];
    let mut start: Vec<u32> = seeds.iter().map(|s| s.0).collect();
    start.sort_unstable();
    start.dedup();
    for &(node, mass) in seeds {
        out.residual[node as usize] += mass;
    }
    for node in start {
        if out.residual[node as usize] > limit(node as usize) {
            queue.push_back(node);
            queued[node as usize] = true;
        }
    }
    let mut next_mark = 1;
    mark(&out);
    while let Some(node) = queue.pop_front() {
        let u = node as usize;
        queued[u] = false;
        let mass = std::mem::take(&mut out.residual[u]);
        out.estimate[u] += alpha * mass;
        let moving = (1.0 - alpha) * mass;
        out.pushes += 1;
        let mut enqueue = |residual: f64, v: u32| {
            if residual > limit(v as usize) && !queued[v as usize] {
                queued[v as usize] = true;
                queue.push_back(v);
            }
        };
        if transition.dangling(u) {
            match dangling {
                Dangling::Drop => out.dropped += moving,
                Dangling::Stay => {
                    // Staying for ever settles all of it: alpha sum (1-alpha)^k = 1.
                    out.estimate[u] += moving;
                }
                Dangling::Reseed => {
                    for &(v, share) in seeds {
                        out.residual[v as usize] += moving * share;
                        enqueue(out.residual[v as usize], v);
                    }
                }
            }
        } else {
            let x = moving * transition.scale(u);
            let (targets, weights) = transition.row(u);
            for (&v, &w) in targets.iter().zip(weights) {
                out.residual[v as usize] += x * f64::from(w) * transition.into(v as usize);
                enqueue(out.residual[v as usize], v);
            }
        }
        if out.pushes == next_mark {
            mark(&out);
            next_mark *= 2;
        }
        if out.pushes == MAX_PUSHES {
            out.capped = true;
            break;
        }
    }
    out
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
    let n = transition.nodes();
    let mut estimate = vec![0.0; n];
    let mut residual = vec![0.0; n];
    let mut queued = vec![false; n];
    residual[target as usize] = 1.0;
    let mut queue = std::collections::VecDeque::from([target]);
    queued[target as usize] = true;
    let mut pushes = 0;
    while let Some(node) = queue.pop_front() {
        let v = node as usize;
        queued[v] = false;
        let mass = std::mem::take(&mut residual[v]);
        estimate[v] += alpha * mass;
        let moving = (1.0 - alpha) * mass * transition.into(v);
        if transition.dangling(v) && dangling == Dangling::Stay {
            estimate[v] += (1.0 - alpha) * mass;
        }
        let (sources, weights) = transition.row(v);
        for (&u, &w) in sources.iter().zip(weights) {
            let slot = &mut residual[u as usize];
            *slot += moving * f64::from(w) * transition.scale(u as usize);
            if *slot > epsilon && !queued[u as usize] {
                queued[u as usize] = true;
                queue.push_back(u);
            }
        }
        pushes += 1;
        if pushes == MAX_PUSHES {
            break;
        }
    }
    (estimate, residual.iter().copied().fold(0.0, f64::max))
}
