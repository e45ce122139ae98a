//! Seeds from what the composition names, a walk over its graph, passages by what lands on their nodes.

use super::web::{Named, Web};
use crate::graph::Power;
use crate::graph::push;
use crate::graph::walk::{self, Forward, Sparse};
use crate::index::Index;
use crate::parameters::{
    ALPHA, CONTEXT_TOKENS, DANGLING, EPSILON, PACK, PUSH_THRESHOLD, SEED_K, SEED_Q, STEPS,
};
use crate::retrieve::compose::{Composition, Pick, Rest, Walk};
use crate::retrieve::pack::Room;
use crate::retrieve::rank::{self, Fusion};
use crate::retrieve::rerank::rerank;
use crate::retrieve::{Hit, Ranked, Ranker, Reranked, RetrieveError, Settings, seed};
use crate::text::chunks;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a search is given.
#[derive(Clone, Debug)]
pub struct Asked {
    pub question: String,
    pub settings: Settings,
    pub parts: Composition,
    pub web: Arc<Web>,
    /// The list among the seeds.
    pub list: Option<Arc<Ranked>>,
    /// The question's vector, for nearest nodes.
    pub vector: Option<Arc<Vec<f32>>>,
    /// How deep rankings are kept.
    pub depth: usize,
}

/// Why a node restarts the walk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cause {
    /// A name of the question, by its place.
    Name(usize),
    /// It stands for a passage of the list, by rank from 1.
    List(usize),
    /// Near the question, by rank from 1.
    Near(usize, f32),
}

/// A node that restarts the walk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seed {
    pub node: u32,
    /// Share of the restart; all sum to 1.
    pub weight: f64,
    pub from: Cause,
}

/// One of the walks that `bridge` multiplies.
#[derive(Clone, Debug)]
pub struct Part {
    /// The name, or what the other seeds are.
    pub label: String,
    /// By passage.
    pub scores: Vec<f64>,
}

/// Everything a search found.
#[derive(Clone, Debug)]
pub struct Run {
    pub names: Vec<Named>,
    /// Heaviest first; ties by node.
    pub seeds: Vec<Seed>,
    /// Names' share of the restart, where both names and others restart.
    pub a: Option<f64>,
    /// Passages of the list that no node of the graph stands for.
    pub homeless: usize,
    /// By node.
    pub mass: Vec<f64>,
    /// Pushes done, for push.
    pub pushes: usize,
    /// By passage: what landed on the nodes that stand for it.
    pub scores: Vec<f64>,
    /// For `bridge`.
    pub bridges: Vec<Part>,
    /// The list and the walk, for `fuse`; the candidates, for `rerank`.
    pub fused: Vec<Arc<Ranked>>,
    pub reranked: Option<Reranked>,
    /// For `pack`: tokens used, and passages that did not fit.
    pub tokens: usize,
    pub unfit: Vec<u32>,
    pub hits: Vec<Hit>,
}

/// Walks that `bridge` multiplies at most; later names are left out.
const MOST_BRIDGES: usize = 8;
/// What a name that does not reach a passage counts for: a millionth of the restart, so that one weak name lowers a
/// passage and does not erase it.
const FLOOR: f64 = 1e-6;

impl Asked {
    pub fn restart(seeds: &[Seed]) -> Sparse {
        let mut sparse: Sparse = seeds.iter().map(|s| (s.node, s.weight)).collect();
        sparse.sort_unstable_by_key(|s| s.0);
        sparse
    }

    /// The weight of walks of every length; none for push, whose walks have any.
    pub fn lengths(&self) -> Option<Vec<f64>> {
        let (alpha, steps) = (self.settings.get(ALPHA), self.steps());
        match self.parts.walk {
            Walk::Push => None,
            Walk::Lazy => Some(walk::lazy_weights(alpha, steps)),
            Walk::Power | Walk::Shallow | Walk::OneHop => Some(walk::length_weights(alpha, steps)),
        }
    }

    pub fn steps(&self) -> usize {
        self.settings.get(STEPS)
    }

    /// Mass of every node after the walk, and pushes done.
    pub fn walked(&self, restart: &Sparse) -> (Vec<f64>, usize) {
        let t = self.web.transition();
        let (alpha, rule) = (self.settings.get(ALPHA), self.settings.get(DANGLING));
        match (self.parts.walk, self.lengths()) {
            (Walk::Push, _) | (_, None) => {
                let threshold = self.settings.get(PUSH_THRESHOLD);
                let epsilon = self.settings.get(EPSILON);
                let out = push::forward(t, restart, alpha, epsilon, threshold, rule, |_| {});
                (out.estimate, out.pushes)
            }
            (Walk::Lazy, Some(lengths)) => {
                let mut sum = vec![0.0; t.nodes()];
                let mut walk = Forward::new(t, restart, rule);
                for (k, weight) in lengths.iter().enumerate() {
                    if k > 0 {
                        walk.step(1.0, 0.0);
                    }
                    let pairs = sum.iter_mut().zip(walk.mass());
                    pairs.for_each(|(sum, mass)| *sum += weight * mass);
                }
                (sum, 0)
            }
            _ => {
                let mut power = Power::default();
                let end = power.walk(t, restart, alpha, self.steps(), rule, |_, _, _| {});
                (end.mass(), 0)
            }
        }
    }

    /// What lands on the nodes of each passage, added in the order of the nodes.
    fn landed(&self, mass: &[f64]) -> Vec<f64> {
        let passages = self.web.passages_all();
        let mut scores = vec![0.0; passages];
        for (node, &mass) in (0..).zip(mass).filter(|(_, mass)| **mass > 0.0) {
            let share = self.web.share(node) * mass;
            for &passage in self.web.passages(node) {
                scores[passage as usize] += share;
            }
        }
        scores
    }

    /// Names, the list or the nearest nodes as one restart.
    fn seeds(&self, index: &Index, run: &mut Run) -> Result<(), RetrieveError> {
        let (web, settings) = (&*self.web, &self.settings);
        if self.parts.seeds.names {
            run.names = web.nodes.names(index, &self.question, settings);
        }
        let q = settings.get(SEED_Q);
        let mut names: BTreeMap<u32, (f64, Cause)> = BTreeMap::new();
        for (at, name) in run.names.iter().enumerate() {
            for &node in &name.nodes {
                // Of a masked or lonely node nothing could go on.
                if !web.transition().dangling(node as usize) {
                    let raw = f64::from(web.nodes.df(node).max(1)).powf(-q);
                    names.entry(node).or_insert((raw, Cause::Name(at)));
                }
            }
        }
        let k = settings.get(SEED_K);
        let mut others: BTreeMap<u32, (f64, Cause)> = BTreeMap::new();
        let mut add = |node: u32, raw: f64, from: Cause| {
            others.entry(node).or_insert((0.0, from)).0 += raw;
        };
        match (self.parts.seeds.rest, &self.list, &self.vector) {
            (Some(Rest::List(_)), Some(list), _) if self.parts.list_restarts() => {
                let hits = &list.hits[..k.min(list.hits.len())];
                let scores: Vec<f32> = hits.iter().map(|h| h.score).collect();
                for (at, (hit, raw)) in hits.iter().zip(seed::listed(&scores, settings)).enumerate()
                {
                    let nodes = web.of_passage(hit.passage);
                    run.homeless += usize::from(nodes.is_empty());
                    for &node in nodes {
                        add(node, raw / nodes.len() as f64, Cause::List(at + 1));
                    }
                }
            }
            (Some(Rest::Nearest), _, Some(vector)) => {
                let mut near = web.nodes.nearest(index, vector, k)?;
                near.retain(|hit| hit.1 > 0.0);
                let scores: Vec<f32> = near.iter().map(|h| h.1).collect();
                let masses = seed::listed(&scores, settings);
                for (at, ((node, cosine), raw)) in near.into_iter().zip(masses).enumerate() {
                    add(node, raw, Cause::Near(at + 1, cosine));
                }
            }
            _ => {}
        }
        let sum = |part: &BTreeMap<u32, (f64, Cause)>| part.values().map(|s| s.0).sum::<f64>();
        let (own, rest) = (sum(&names), sum(&others));
        let counts = (names.len(), others.len());
        let Some(a) = seed::mixing(counts, (own, rest), settings) else {
            return Ok(());
        };
        run.a = (own > 0.0 && rest > 0.0).then_some(a);
        let mut all: BTreeMap<u32, (f64, Cause)> = BTreeMap::new();
        for (part, share, mass) in [(names, a, own), (others, 1.0 - a, rest)] {
            for (node, (raw, from)) in part.into_iter().filter(|_| mass > 0.0) {
                all.entry(node).or_insert((0.0, from)).0 += share * raw / mass;
            }
        }
        run.seeds = all
            .into_iter()
            .map(|(node, (weight, from))| Seed { node, weight, from })
            .filter(|s| s.weight > 0.0)
            .collect();
        run.seeds
            .sort_by(|x, y| y.weight.total_cmp(&x.weight).then(x.node.cmp(&y.node)));
        Ok(())
    }

    /// One walk a name, and one from the other seeds; the geometric mean of what each lands on a passage.
    fn bridged(&self, run: &mut Run) -> Vec<f64> {
        let mut groups: BTreeMap<usize, Vec<Seed>> = BTreeMap::new();
        for seed in &run.seeds {
            let group = match seed.from {
                Cause::Name(at) => at,
                Cause::List(_) | Cause::Near(..) => usize::MAX,
            };
            groups.entry(group).or_default().push(*seed);
        }
        for (group, seeds) in groups.into_iter().take(MOST_BRIDGES) {
            let total: f64 = seeds.iter().map(|s| s.weight).sum();
            let own: Vec<Seed> = seeds
                .iter()
                .map(|s| Seed {
                    weight: s.weight / total,
                    ..*s
                })
                .collect();
            let (mass, _) = self.walked(&Asked::restart(&own));
            let label = match run.names.get(group) {
                Some(name) => name.surface.clone(),
                None => self.other_seeds().to_owned(),
            };
            let scores = self.landed(&mass);
            run.bridges.push(Part { label, scores });
        }
        let count = run.bridges.len().max(1) as f64;
        let mean = |passage: usize| {
            let logs = run.bridges.iter().map(|b| (b.scores[passage] + FLOOR).ln());
            (logs.sum::<f64>() / count).exp()
        };
        // Where nothing lands nothing is retrieved, whatever the floor.
        let any = |passage: usize| run.bridges.iter().any(|b| b.scores[passage] > 0.0);
        (0..run.scores.len())
            .map(|p| if any(p) { mean(p) } else { 0.0 })
            .collect()
    }

    /// What the seeds are that are no names.
    pub fn other_seeds(&self) -> &'static str {
        match self.parts.seeds.rest {
            Some(Rest::List(ranker)) => ranker.label(),
            Some(Rest::Nearest) => "nearest nodes",
            None => "",
        }
    }

    /// Keeps what the context holds, in order.
    fn pack(&self, index: &Index, run: &mut Run) {
        let budget = self.settings.get(CONTEXT_TOKENS);
        let mut room = Room::new(budget, self.settings.get(PACK));
        run.hits.retain(|hit| {
            let text = || index.passages().full_text(hit.passage as usize);
            let fits = room.takes(|| chunks::count(&text()));
            if !fits {
                run.unfit.push(hit.passage);
            }
            fits
        });
        run.tokens = room.used;
    }

    /// Runs it. `stage` hears of each part as it ends.
    ///
    /// # Errors
    /// What the encoder or the re-ranker says.
    pub fn run(
        &self,
        index: &Index,
        stage: &mut dyn FnMut(&'static str),
    ) -> Result<Run, RetrieveError> {
        let mut run = Run {
            names: Vec::new(),
            seeds: Vec::new(),
            a: None,
            homeless: 0,
            mass: Vec::new(),
            pushes: 0,
            scores: Vec::new(),
            bridges: Vec::new(),
            fused: Vec::new(),
            reranked: None,
            tokens: 0,
            unfit: Vec::new(),
            hits: Vec::new(),
        };
        self.seeds(index, &mut run)?;
        stage("seed");
        (run.mass, run.pushes) = match run.seeds.is_empty() {
            true => (vec![0.0; self.web.transition().nodes()], 0),
            false => self.walked(&Asked::restart(&run.seeds)),
        };
        run.scores = self.landed(&run.mass);
        stage("spread");
        let scores = match self.parts.pick {
            Pick::Bridge => self.bridged(&mut run),
            _ => run.scores.clone(),
        };
        run.hits = rank::best(&scores, self.depth, |score| score as f32).0;
        let settings = &self.settings;
        match self.parts.pick {
            Pick::Passages | Pick::Bridge => {}
            Pick::Pack => self.pack(index, &mut run),
            Pick::Fuse => {
                let lists = self.list.iter().cloned().chain([self.as_list(&run)]);
                let rule = Fusion::last(settings);
                let fused = rank::fuse(lists.collect(), rule, settings, self.depth);
                (run.hits, run.fused) = (fused.hits, fused.parts);
            }
            Pick::Rerank => {
                let first = self.as_list(&run);
                let (hits, by) = rerank(index, &first, &self.question, settings)?;
                (run.hits, run.reranked) = (hits, Some(by));
                run.fused = vec![first];
            }
        }
        stage("select");
        Ok(run)
    }

    /// The walk's ranking as a list.
    fn as_list(&self, run: &Run) -> Arc<Ranked> {
        let ranker = self.parts.ranker().unwrap_or(Ranker::Dense);
        Arc::new(rank::flat(ranker, run.hits.clone(), run.hits.len()))
    }
}
