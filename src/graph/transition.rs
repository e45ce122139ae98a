//! The transition matrix of a walk: one symmetric sparse matrix, and a scale per node.

use super::adjacency::{Adjacency, undirected};
use super::arcs::Arcs;
use super::core::{Core, Factors};
use super::pool::Pool;
use super::push::{Pushed, Reverse, Reverses, Rule};
use super::rows::Rows;
use super::steps::Walks;
use super::walk::Sparse;
use crate::derived::once;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

pub use crate::parameters::Dangling;

/// Row-stochastic `P[u,v] = w(u,v) into(v) / out(u)`, rows = from. Rows without arcs are empty (dangling).
#[derive(Debug)]
pub struct Transition {
    /// Symmetric: row u holds the neighbours of u, ascending, and the weights w(u,v) > 0.
    /// Shared by the transitions that differ in scales only.
    arcs: Arc<Arcs>,
    /// Factor on arcs into a node.
    into: Vec<f64>,
    /// The bits of 1 / (sum over v of w(u,v) into(v)), where it was asked for; 0 for dangling nodes.
    scale: Vec<AtomicU64>,
    /// The weights with leaves folded, shared like them, and the factors there: made for the first walk that asks.
    core: Arc<OnceLock<Core>>,
    factors: OnceLock<Factors>,
    /// What it knows of the whole, where it is of an excerpt.
    beyond: Option<Beyond>,
    /// No other transition has it.
    id: u64,
    /// See [`Transition::pushed_back`].
    reverses: Reverses,
}

/// What the graph of an excerpt knows of nodes whose neighbours it does not have.
#[derive(Clone, Debug, Default)]
pub struct Beyond {
    /// By node: whether all its neighbours are here.
    known: Arc<Vec<bool>>,
    /// By node: how many neighbours it has in the whole at least, of those whose neighbours are not here.
    degrees: Arc<Vec<u32>>,
    /// Of nodes before this one no degree is known, unless all their neighbours are here.
    unsure: usize,
    /// The nodes that came, ascending: no other has neighbours here, or a degree that is known.
    reached: Arc<Vec<u32>>,
}

impl Beyond {
    /// By node: whether all its neighbours are here, and how many it has in the whole otherwise. Then the nodes that came,
    /// ascending: of all others neither is known.
    pub fn new(known: Vec<bool>, degrees: Vec<u32>, reached: Vec<u32>) -> Beyond {
        Beyond {
            known: known.into(),
            degrees: degrees.into(),
            unsure: 0,
            reached: reached.into(),
        }
    }

    /// The nodes that came, ascending.
    pub fn reached(&self) -> &[u32] {
        &self.reached
    }

    /// The same where any of the neighbours of these nodes, those before one, may be left out.
    #[must_use]
    pub fn unsure(&self, before: usize) -> Beyond {
        Beyond {
            unsure: before,
            ..self.clone()
        }
    }

    /// Whether another one is of the same arcs, and not merely as many.
    pub fn is(&self, other: &Beyond) -> bool {
        Arc::ptr_eq(&self.known, &other.known)
    }

    /// Whether all neighbours of a node are here.
    pub fn knows(&self, node: usize) -> bool {
        self.known[node]
    }

    /// How many neighbours a node has in the whole at least, as far as that is known.
    pub fn degree(&self, node: usize) -> u32 {
        match node < self.unsure {
            true => 0,
            false => self.degrees[node],
        }
    }
}

/// See [`Transition::pushed`], [`Transition::walked_back`] and [`Transition::walked_together`].
static PUSHES: Pool<Pushed> = Pool::new(4);
static BACKS: Pool<Walks<1, 8>> = Pool::new(2);
static ONE: Pool<Walks<1, 3>> = Pool::new(2);
static TWO: Pool<Walks<2, 3>> = Pool::new(2);
static FOUR: Pool<Walks<4, 3>> = Pool::new(2);

/// So many numbers a processor keeps at hand, in single precision: what takes time in a step of more is to fetch them.
const AT_HAND: usize = 1 << 21;

/// The next one's [`Transition::id`].
static NEXT: AtomicU64 = AtomicU64::new(0);

impl Transition {
    /// `arcs` must be symmetric with positive weights; `into` has one positive factor a node.
    pub fn new(arcs: impl Into<Arcs>, into: Vec<f64>) -> Transition {
        Transition::scaled(Arc::new(arcs.into()), Arc::default(), None, into)
    }

    /// As [`new`](Self::new), of an excerpt: mass stays at nodes whose neighbours it does not have.
    pub fn within(arcs: impl Into<Arcs>, into: Vec<f64>, beyond: Beyond) -> Transition {
        Transition::scaled(Arc::new(arcs.into()), Arc::default(), Some(beyond), into)
    }

    /// The same of an excerpt: see [`within`](Self::within).
    #[must_use]
    pub fn within_whole(self, beyond: Beyond) -> Transition {
        Transition::scaled(self.arcs, Arc::default(), Some(beyond), self.into)
    }

    /// The transition with the same weights and other factors.
    pub fn rescaled(&self, into: Vec<f64>) -> Transition {
        let (arcs, core) = (self.arcs.clone(), self.core.clone());
        Transition::scaled(arcs, core, self.beyond.clone(), into)
    }

    fn scaled(
        arcs: Arc<Arcs>,
        core: Arc<OnceLock<Core>>,
        beyond: Option<Beyond>,
        into: Vec<f64>,
    ) -> Transition {
        debug_assert_eq!(arcs.rows(), into.len());
        Transition {
            // No page of it is touched before a scale is written there.
            scale: vec![0; into.len()]
                .into_iter()
                .map(AtomicU64::new)
                .collect(),
            arcs,
            into,
            core,
            beyond,
            factors: OnceLock::new(),
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            reverses: Reverses::default(),
        }
    }

    /// The transition of an undirected graph without penalties: `P[u,v] = w(u,v) / sum_v w(u,v)`. Weights of repeated
    /// edges add up; loops are dropped.
    pub fn of_edges(nodes: usize, edges: impl IntoIterator<Item = (u32, u32, f32)>) -> Transition {
        Transition::of(&undirected(nodes, edges), |weight| weight)
    }

    /// The transition of a graph without penalties, of what a function makes of its weights.
    pub fn of(graph: &Adjacency, weight: impl Fn(f32) -> f32) -> Transition {
        let nodes = graph.node_count();
        let arcs = (0..nodes as u32)
            .map(|u| graph.neighbors_slice(u).len())
            .sum();
        let mut offsets = Vec::with_capacity(nodes + 1);
        offsets.push(0);
        let (mut targets, mut weights) = (Vec::with_capacity(arcs), Vec::with_capacity(arcs));
        for u in 0..nodes as u32 {
            targets.extend_from_slice(graph.neighbors_slice(u));
            weights.extend(graph.edges_slice(u).iter().map(|w| weight(*w)));
            offsets.push(targets.len() as u32);
        }
        let rows = Rows {
            offsets,
            targets,
            weights,
        };
        Transition::new(rows, vec![1.0; nodes])
    }

    /// What tells it from every other.
    pub(super) fn id(&self) -> u64 {
        self.id
    }

    pub fn nodes(&self) -> usize {
        self.into.len()
    }

    /// Arcs, both directions counted.
    pub fn arcs(&self) -> usize {
        self.arcs.count()
    }

    /// Bytes it takes in memory once it is folded, but for walks that are kept: an arc's target and weight and a node's
    /// offset and two factors, in the graph and at most as many in its core.
    pub fn bytes(&self) -> usize {
        2 * (self.arcs() * (4 + 4) + self.nodes() * (4 + 8 + 8))
    }

    /// The core of the graph and this transition's factors on it.
    pub fn folded(&self) -> (&Core, &Factors) {
        let core = once(&self.core, || {
            self.arcs.weigh_all();
            Core::new(self)
        });
        let factors = once(&self.factors, || Factors::new(core, self));
        (core, factors)
    }

    /// Made where [`folded`](Self::folded) was asked for.
    pub(super) fn core(&self) -> &Arc<OnceLock<Core>> {
        &self.core
    }

    /// Forward push from a part of the seeds, in memory that the next one clears as far as this one reached.
    pub fn pushed<R>(
        &self,
        part: &Sparse,
        seeds: &Sparse,
        rule: &Rule,
        read: impl FnOnce(&Pushed) -> R,
    ) -> R {
        PUSHES.with(self.id, |out| {
            out.forward_part(self, part, seeds, rule, |_| {});
            read(out)
        })
    }

    /// How many walks are taken together at most.
    pub const TOGETHER: usize = 4;

    /// How many are best taken together: several read each arc once, but what they hold has to be at hand.
    pub fn together(&self) -> usize {
        let nodes = self.folded().0.nodes.len().max(1);
        1 << (AT_HAND / nodes).clamp(1, Transition::TOGETHER).ilog2()
    }

    /// Walks of each length up to `steps`, each from seeds of its own: `each` is given the length and what tells the mass of
    /// a node on each walk, of those that are asked for; of all if none are. `Reseed` is not linear in a part of the seeds
    /// and is treated as `Drop`.
    pub fn walked_together(
        &self,
        parts: &[Sparse],
        asked: (usize, &[u32]),
        dangling: Dangling,
        each: impl FnMut(usize, &dyn Fn(u32) -> [f64; Transition::TOGETHER]),
    ) {
        match parts.len() {
            0 | 1 => self.walked_in(&ONE, parts, asked, dangling, each),
            2 => self.walked_in(&TWO, parts, asked, dangling, each),
            _ => self.walked_in(&FOUR, parts, asked, dangling, each),
        }
    }

    fn walked_in<const K: usize>(
        &self,
        lanes: &Pool<Walks<K, 3>>,
        parts: &[Sparse],
        asked: (usize, &[u32]),
        dangling: Dangling,
        mut each: impl FnMut(usize, &dyn Fn(u32) -> [f64; Transition::TOGETHER]),
    ) {
        lanes.with(self.id, |walks| {
            walks.apart(self, parts, asked, dangling, |length, step| {
                each(length, &|node| {
                    let mut mass = [0.0; Transition::TOGETHER];
                    mass.iter_mut()
                        .zip(step.mass(node))
                        .for_each(|(to, own)| *to = own);
                    mass
                });
            });
        });
    }

    /// Walks of each length up to `steps` that end at some nodes, each of which counts by its share: `each` is given the
    /// length and what tells the chance that so many steps from a node with edges end there, of those that are asked for; of
    /// all if none are. The matrix is symmetric but for its factors, so they are those of the walks that begin there, weighed
    /// otherwise.
    pub fn walked_back(
        &self,
        targets: &[(u32, f64)],
        (steps, asked): (usize, &[u32]),
        mut each: impl FnMut(usize, &dyn Fn(u32) -> f64),
    ) {
        let weight = |node: u32| self.scale(node as usize) / self.into(node as usize);
        // No way leads to a node without edges, which weighs nothing.
        let mut weights = targets.iter().map(|target| weight(target.0));
        let own = weights.find(|own| *own > 0.0).unwrap_or(0.0);
        let begin = |&(target, share): &(u32, f64)| match weight(target) {
            0.0 => (target, share),
            other => (target, share * (own / other)),
        };
        BACKS.with(self.id, |walk| {
            let start = [targets.iter().map(begin).collect()];
            walk.apart(
                self,
                &start,
                (steps, asked),
                Dangling::Drop,
                |length, step| {
                    each(length, &|node| match step.mass(node) {
                        // Also from a node without edges, which weighs nothing.
                        [0.0] => 0.0,
                        [mass] => mass * weight(node) / own,
                    });
                },
            );
        });
    }

    /// A reverse push from a node; the last few are kept.
    pub fn pushed_back(
        &self,
        target: u32,
        alpha: f64,
        epsilon: f64,
        dangling: Dangling,
    ) -> Arc<Reverse> {
        let kept = &self.reverses;
        kept.of(self, target, alpha, epsilon, dangling)
    }

    /// A reverse push from a node that has about so much mass of what some seeds restart: see [`Reverse::of`].
    pub fn pushed_back_from(
        &self,
        target: u32,
        (alpha, epsilon, dangling): (f64, f64, Dangling),
        (seeds, mass): (&Sparse, f64),
    ) -> Reverse {
        let how = (alpha, epsilon, dangling);
        self.reverses.push(self, target, how, Some((seeds, mass)))
    }

    /// Its arcs: transitions that differ in scales only share them.
    pub fn shared(&self) -> &Arc<Arcs> {
        &self.arcs
    }

    /// Neighbours of a node.
    #[inline]
    pub fn targets(&self, node: usize) -> &[u32] {
        self.arcs.targets(node)
    }

    /// The same and the weights of their edges.
    #[inline]
    pub fn row(&self, node: usize) -> (&[u32], &[f32]) {
        self.arcs.row(node)
    }

    /// Whether it is of what was fetched of a graph, and not of the whole.
    pub fn is_excerpt(&self) -> bool {
        self.beyond.is_some()
    }

    /// Whether all neighbours of a node are here.
    pub fn knows(&self, node: usize) -> bool {
        self.beyond.as_ref().is_none_or(|beyond| beyond.knows(node))
    }

    pub fn degree(&self, node: usize) -> usize {
        match &self.beyond {
            Some(beyond) if !beyond.knows(node) => beyond.degree(node) as usize,
            _ => self.targets(node).len(),
        }
    }

    #[inline]
    pub fn into(&self, node: usize) -> f64 {
        self.into[node]
    }

    #[inline]
    pub fn scale(&self, node: usize) -> f64 {
        match self.scale[node].load(Ordering::Relaxed) {
            0 => {
                let scale = self.scale_of(node);
                self.scale[node].store(scale.to_bits(), Ordering::Relaxed);
                scale
            }
            known => f64::from_bits(known),
        }
    }

    fn scale_of(&self, node: usize) -> f64 {
        if !self.knows(node) {
            return 0.0;
        }
        let (targets, weights) = self.row(node);
        let arcs = targets.iter().zip(weights);
        let into = |v: u32| self.into[v as usize];
        let sum: f64 = arcs.map(|(&v, &w)| f64::from(w) * into(v)).sum();
        if sum > 0.0 { 1.0 / sum } else { 0.0 }
    }

    pub fn dangling(&self, node: usize) -> bool {
        self.scale(node) == 0.0
    }

    /// P[from, to].
    pub fn probability(&self, from: usize, to: usize) -> f64 {
        let (targets, weights) = self.row(from);
        match targets.binary_search(&(to as u32)) {
            Ok(at) => f64::from(weights[at]) * self.into[to] * self.scale(from),
            Err(_) => 0.0,
        }
    }
}
