//! The eight signals: what each says about every candidate passage.

use crate::index::rows::NAMESAKES;
use crate::index::{Dense, Index};
use crate::layers::HopLayer;
use crate::layers::{GraphView, Link, Node, QueryName};
use crate::parameters::{
    HOP_GUARD, HOP_SEEDS, HOP_SHARPNESS, HOP_TAIL, Param, Scoped, TOKENS, WEIGHT_BM25_RANK,
    WEIGHT_BRIDGE, WEIGHT_COSINE, WEIGHT_DENSE_RANK, WEIGHT_ENTITY_WALK, WEIGHT_MIXED_WALK,
    WEIGHT_NAMED, WEIGHT_RESIDUAL,
};
use crate::retrieve::RetrieveError;
use crate::retrieve::candidates::First;
use crate::retrieve::masses::EndMass;
use crate::retrieve::retrieval::{Hit, Ranked, Seed, Spread};
use crate::retrieve::set::Origin;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

/// One of the signals whose weighted sum is the score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Signal {
    Cosine,
    DenseRank,
    Bm25Rank,
    EntityWalk,
    MixedWalk,
    Bridge,
    Named,
    Residual,
}

impl Signal {
    pub const ALL: [Signal; 8] = [
        Signal::Cosine,
        Signal::DenseRank,
        Signal::Bm25Rank,
        Signal::EntityWalk,
        Signal::MixedWalk,
        Signal::Bridge,
        Signal::Named,
        Signal::Residual,
    ];

    /// The parameter that is its weight.
    pub fn weight(self) -> Param<f64> {
        match self {
            Signal::Cosine => WEIGHT_COSINE,
            Signal::DenseRank => WEIGHT_DENSE_RANK,
            Signal::Bm25Rank => WEIGHT_BM25_RANK,
            Signal::EntityWalk => WEIGHT_ENTITY_WALK,
            Signal::MixedWalk => WEIGHT_MIXED_WALK,
            Signal::Bridge => WEIGHT_BRIDGE,
            Signal::Named => WEIGHT_NAMED,
            Signal::Residual => WEIGHT_RESIDUAL,
        }
    }

    pub fn label(self) -> &'static str {
        match self {
            Signal::Cosine => "cosine",
            Signal::DenseRank => "dense rank",
            Signal::Bm25Rank => "BM25 rank",
            Signal::EntityWalk => "entity walk",
            Signal::MixedWalk => "mixed walk",
            Signal::Bridge => "sentence bridge",
            Signal::Named => "named",
            Signal::Residual => "residual words",
        }
    }
}

/// A way over a name: a seed passage's sentence near the question mentions it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct BridgeEvidence {
    /// The seed passage and its share of all seeds.
    pub seed: u32,
    pub share: f64,
    /// The node of the name.
    pub name: Node,
    /// The sentence of the seed that is nearest to the question among those that mention the name.
    pub sentence: u32,
    pub cosine: f64,
}

/// A word of the question that the best first-stage passage lacks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Uncovered {
    pub word: String,
    pub idf: f64,
    /// The candidates that have it, ascending.
    pub passages: Vec<u32>,
}

/// What the signals say.
#[derive(Debug)]
pub struct Signals {
    /// Ascending.
    pub candidates: Vec<u32>,
    /// By candidate, then by [`Signal`].
    pub values: Vec<[f64; 8]>,
    /// The seeds of the bridge by share.
    pub crossings: Vec<BridgeEvidence>,
    pub left: Vec<Uncovered>,
    /// How much the question looks like one that a single passage answers, 0 to 1.
    pub single: f64,
    /// Of cosines: mean over the corpus and the best.
    pub mean: f64,
    pub best: f64,
}

/// The vectors of passages, the list by them and the question's own, where there are any.
pub type Vectors<'a> = Option<(&'a Dense, &'a Ranked, &'a [f32])>;

/// What the signals are computed from.
pub struct Sources<'a> {
    pub index: &'a Index,
    pub layer: &'a HopLayer,
    pub view: &'a GraphView,
    pub question: &'a str,
    pub names: &'a [QueryName],
    /// First-stage lists: fused, words, and vectors where there are any.
    pub fused: &'a Ranked,
    pub words: &'a Ranked,
    pub vectors: Vectors<'a>,
    pub entity_walk: &'a Spread,
    pub mixed_walk: &'a Spread,
}

/// The rule of [`single_hop`].
const COVER_SLOPE: f64 = 15.0;
const COVER_MIDDLE: f64 = 0.85;
const CLAIM: f64 = 2.0;
const NAMELESS: f64 = 5.0;
/// What BM25's rank weighs more, and walks and bridge less, for a single-hop question.
const SINGLE_BM25: f64 = 4.5;
const SINGLE_WALKS: f64 = 0.5;
/// A rank counts up to this one.
const RANKED: usize = 100;
/// Dense passages in the tail of the mixed walk's seeds.
const TAIL: usize = 200;
/// How sharply the tail falls with the cosine.
const TAIL_SHARPNESS: f64 = 20.0;
/// What a title named by the question is worth, 1 being one named by the best sentence of the best seed.
pub const BY_QUESTION: f64 = 0.5;
/// How many of each signal's best are candidates.
const PER_SIGNAL: [(Signal, usize); 3] = [
    (Signal::MixedWalk, 60),
    (Signal::EntityWalk, 40),
    (Signal::Bridge, 40),
];
const PER_LIST: usize = 60;

/// Cosine of the question and a passage, where there are vectors.
fn closeness<'a>(
    vectors: Vectors<'a>,
) -> Result<impl Fn(u32) -> Option<f64> + use<'a>, RetrieveError> {
    let probe = match vectors {
        Some((dense, _, vector)) => Some((dense, dense.vectors.probe(vector)?)),
        None => None,
    };
    Ok(move |passage| {
        let (dense, probe) = probe.as_ref()?;
        Some(f64::from(dense.cosine(probe, passage)))
    })
}

/// The passages that bridge and their masses, 1 for the first: the best of the fused list, by closeness to the question
/// where there are vectors, else by rank.
fn bridging(
    fused: &Ranked,
    cosine: &dyn Fn(u32) -> Option<f64>,
    values: Scoped<'_>,
) -> Vec<(u32, f64)> {
    let count = values.get(HOP_SEEDS).min(fused.hits.len());
    let sharpness = values.get(HOP_SHARPNESS);
    let first = fused.hits.first().and_then(|h| cosine(h.passage));
    fused.hits[..count]
        .iter()
        .enumerate()
        .map(|(at, hit)| {
            let mass = match (cosine(hit.passage), first) {
                (Some(own), Some(first)) => (sharpness * (own - first)).exp(),
                _ => 1.0 / (at + 1) as f64,
            };
            (hit.passage, mass)
        })
        .collect()
}

/// Seeds of the mixed walk: the names of the question, the best of the fused list, and a thin tail of dense passages.
pub fn mixed_seeds(
    nodes: usize,
    entity_seeds: &[Seed],
    fused: &Ranked,
    dense: Vectors<'_>,
    values: Scoped<'_>,
) -> Result<Vec<Seed>, RetrieveError> {
    let cosine = closeness(dense)?;
    let mut seeds: Vec<Seed> = entity_seeds.to_vec();
    let mut at: FxHashMap<u32, usize> = FxHashMap::default();
    for (place, (passage, mass)) in bridging(fused, &cosine, values).into_iter().enumerate() {
        at.insert(passage, seeds.len());
        seeds.push(Seed {
            node: passage,
            raw: mass,
            weight: 0.0,
            why: Origin::Ranked {
                ranker: fused.ranker,
                rank: place + 1,
                score: fused.hits[place].score,
            },
        });
    }
    if let Some((_, list, _)) = dense {
        let tail = &list.hits[..TAIL.min(list.hits.len())];
        let best = tail.first().map_or(0.0, |h| f64::from(h.score));
        let share = |h: &Hit| (TAIL_SHARPNESS * (f64::from(h.score) - best)).exp();
        let all: f64 = tail.iter().map(share).sum();
        let mass = values.get(HOP_TAIL);
        for (place, hit) in tail.iter().enumerate().filter(|_| mass > 0.0) {
            let own = mass * share(hit) / all;
            match at.get(&hit.passage) {
                Some(seed) => seeds[*seed].raw += own,
                None => seeds.push(Seed {
                    node: hit.passage,
                    raw: own,
                    weight: 0.0,
                    why: Origin::Ranked {
                        ranker: list.ranker,
                        rank: place + 1,
                        score: hit.score,
                    },
                }),
            }
        }
    }
    let all: f64 = seeds.iter().map(|s| s.raw).sum();
    for seed in &mut seeds {
        seed.weight = seed.raw / all;
    }
    seeds.retain(|s| s.weight > 0.0 && (s.node as usize) < nodes);
    seeds.sort_by(|x, y| y.weight.total_cmp(&x.weight).then(x.node.cmp(&y.node)));
    Ok(seeds)
}

/// The passages of a name as a title, as far as a seed can name them.
pub fn namesakes(view: &GraphView, name: Node) -> &[u32] {
    let titled = view
        .entity(name)
        .map_or(&[][..], |e| view.graph.titled(e as u32));
    &titled[..titled.len().min(NAMESAKES)]
}

/// From here down, as a power of e, a walk's score is nothing.
const LOGS: f64 = 8.0;

/// Log space is what makes walk scores, which fall by powers, comparable with the rest: 1 at the best, 0 at exp(-8).
fn log_scaled(value: f64, best: f64) -> f64 {
    if value <= 0.0 || best <= 0.0 {
        return 0.0;
    }
    (value / best).ln().clamp(-LOGS, 0.0) / LOGS + 1.0
}

/// What is [`log_scaled`], of a share of it.
pub fn lessened(scaled: f64, share: f64) -> f64 {
    (scaled + share.max(0.0).ln() / LOGS).max(0.0)
}

/// Where a passage that is no candidate stands in the lists and walks whose best are: rank, and how many are taken.
pub fn places(
    lists: [Option<&Ranked>; 2],
    walks: [(Signal, &Spread); 2],
    passages: usize,
    passage: u32,
) -> Vec<(&'static str, usize, usize)> {
    let lists = lists.into_iter().flatten();
    let listed =
        lists.filter_map(|list| Some((list.ranker.label(), list.rank(passage)?, PER_LIST)));
    let walked = walks.into_iter().filter_map(|(signal, walk)| {
        let own = walk.mass.get(passage as usize).filter(|own| **own > 0.0)?;
        let before = walk.mass.held(0..passages).filter(|held| held.1 > *own);
        let (_, taken) = PER_SIGNAL.iter().find(|(other, _)| *other == signal)?;
        Some((signal.label(), 1 + before.count(), *taken))
    });
    listed.chain(walked).collect()
}

/// Computes all signals for the union of their best passages.
pub fn signals(from: &Sources<'_>, values: Scoped<'_>) -> Result<Signals, RetrieveError> {
    let passages = from.index.len();
    let cosine = closeness(from.vectors)?;
    let mean = from
        .vectors
        .map_or(0.0, |(dense, _, vector)| dense.mean_cosine(vector));
    let best = from
        .vectors
        .and_then(|(_, list, _)| list.hits.first())
        .map_or(0.0, |h| f64::from(h.score));

    let mut seeds = bridging(from.fused, &cosine, values);
    let total: f64 = seeds.iter().map(|s| s.1).sum();
    seeds.iter_mut().for_each(|s| s.1 /= total);
    let top = seeds.iter().map(|s| s.1).fold(0.0, f64::max);
    let crossings = crossings(from, &seeds)?;
    // Few are crossed to, and all are never looked at.
    let (mut bridge, mut crossed) = (vec![0.0; passages], Vec::new());
    let mut named: FxHashMap<u32, f64> = FxHashMap::default();
    for c in &crossings {
        let t = &*from.view.transition;
        let (targets, weights) = t.row(c.name as usize);
        let out = t.scale(c.name as usize) * c.share * c.cosine;
        for (&p, &w) in targets.iter().zip(weights).filter(|(p, _)| **p != c.seed) {
            let of = &mut bridge[p as usize];
            let before = *of;
            *of += out * f64::from(w) * t.into(p as usize);
            if before == 0.0 && *of > 0.0 {
                crossed.push(p);
            }
        }
        for &p in namesakes(from.view, c.name)
            .iter()
            .filter(|p| **p != c.seed)
        {
            let value = named.entry(p).or_insert(0.0);
            *value = value.max(c.share / top * c.cosine);
        }
    }

    // What the question itself names counts as named by a seed of half the weight.
    for node in from.names.iter().filter_map(linked) {
        for &p in namesakes(from.view, node) {
            let value = named.entry(p).or_insert(0.0);
            *value = value.max(BY_QUESTION);
        }
    }
    // In f32, as scores are: what differs by less is tied.
    let float = |mass: f64| mass as f32;
    let (entity_walk, mixed_walk) = (&from.entity_walk.mass, &from.mixed_walk.mass);
    let mut candidates: FxHashSet<u32> = named.keys().copied().collect();
    let listed = |list: &Ranked| -> Vec<u32> {
        list.hits.iter().take(PER_LIST).map(|h| h.passage).collect()
    };
    candidates.extend(listed(from.words));
    candidates.extend(from.vectors.iter().flat_map(|(_, list, _)| listed(list)));
    // The best of a signal, and what its best has.
    let walked = |walk: &EndMass, count: usize| -> (Vec<u32>, f64) {
        let (hits, _) = walk.best(0..passages, count);
        let most = hits.first().map_or(0.0, |hit| f64::from(hit.score));
        (hits.iter().map(|hit| hit.passage).collect(), most)
    };
    let bridged = |count: usize| -> (Vec<u32>, f64) {
        let mut best = crossed.clone();
        let value = |p: &u32| bridge[*p as usize];
        let order = |a: &u32, b: &u32| value(b).total_cmp(&value(a)).then(a.cmp(b));
        if best.len() > count {
            best.select_nth_unstable_by(count, order);
            best.truncate(count);
        }
        let most = best.iter().map(value).fold(0.0, f64::max);
        (best, most)
    };
    // In the order of the signals there.
    let [
        (mixed, best_mixed),
        (entity, best_entity),
        (bridges, best_bridge),
    ] = PER_SIGNAL.map(|(signal, count)| match signal {
        Signal::Bridge => bridged(count),
        Signal::EntityWalk => walked(entity_walk, count),
        _ => walked(mixed_walk, count),
    });
    candidates.extend([mixed, entity, bridges].into_iter().flatten());
    let mut candidates: Vec<u32> = candidates.into_iter().collect();
    candidates.sort_unstable();

    let (left, all_left) = left(from, values, &candidates)?;
    let ranks = |list: &Ranked| -> FxHashMap<u32, f64> {
        let hits = list.hits.iter().take(RANKED).enumerate();
        hits.map(|(at, h)| (h.passage, 1.0 / (at + 1) as f64))
            .collect()
    };
    let by_words = ranks(from.words);
    let by_vectors = from
        .vectors
        .map_or_else(FxHashMap::default, |(_, list, _)| ranks(list));
    let values = candidates
        .iter()
        .map(|p| {
            let at = *p as usize;
            let of = |signal: &Signal| match signal {
                Signal::Cosine => cosine(*p).map_or(0.0, |c| (c - mean) / (best - mean).max(1e-9)),
                Signal::DenseRank => by_vectors.get(p).copied().unwrap_or(0.0),
                Signal::Bm25Rank => by_words.get(p).copied().unwrap_or(0.0),
                Signal::EntityWalk => log_scaled(f64::from(float(entity_walk[at])), best_entity),
                Signal::MixedWalk => log_scaled(f64::from(float(mixed_walk[at])), best_mixed),
                Signal::Bridge => log_scaled(bridge[at], best_bridge),
                Signal::Named => named.get(p).copied().unwrap_or(0.0),
                Signal::Residual => {
                    let has = |l: &&Uncovered| l.passages.binary_search(p).is_ok();
                    // From zero, since the sum of nothing would be minus zero.
                    let sum = left.iter().filter(has).fold(0.0, |sum, l| sum + l.idf);
                    if all_left > 0.0 { sum / all_left } else { 0.0 }
                }
            };
            Signal::ALL.map(|signal| of(&signal))
        })
        .collect();
    let all: f64 = from.words.words.iter().map(|w| w.idf).sum();
    let covered = 1.0 - all_left / all.max(1e-9);
    // A word that is an entity in lower case alone is no name that the claim is about.
    let named = |name: &QueryName| linked(name).is_some() && !name.any_case;
    let nameless = !from.names.iter().any(named);
    Ok(Signals {
        candidates,
        values,
        crossings,
        single: single_hop(from.question, covered, nameless),
        left,
        mean,
        best,
    })
}

/// A question is single-hop as far as the first passage covers its words: a bridge question's second half is in no first
/// passage. A claim to be checked, which asks nothing, tends to be told by one passage, and the more so when it names
/// nothing. A logistic rule; its constants were chosen on five sets (RESEARCH.md, the guard).
pub fn single_hop(question: &str, covered: f64, nameless: bool) -> f64 {
    let claim = match (asks(question), nameless) {
        (true, _) => 0.0,
        (false, false) => CLAIM,
        (false, true) => CLAIM + NAMELESS,
    };
    let odds = COVER_SLOPE * (covered - COVER_MIDDLE) + claim;
    1.0 / (1.0 + (-odds).exp())
}

/// Whether a text is a question and no claim.
fn asks(text: &str) -> bool {
    const ASKING: [&str; 9] = [
        "who", "whom", "whose", "what", "which", "when", "where", "why", "how",
    ];
    let asking = |word: &str| ASKING.iter().any(|w| word.eq_ignore_ascii_case(w));
    text.contains('?') || text.split(|c: char| !c.is_alphanumeric()).any(asking)
}

/// The node of a name that takes part.
fn linked(name: &QueryName) -> Option<Node> {
    match name.link {
        Link::Linked { node } => Some(node),
        _ => None,
    }
}

/// Every name that a sentence of a seed mentions and the question does not, with the nearest such sentence.
fn crossings(
    from: &Sources<'_>,
    seeds: &[(u32, f64)],
) -> Result<Vec<BridgeEvidence>, RetrieveError> {
    let asked: FxHashSet<Node> = from
        .names
        .iter()
        .filter_map(|n| match n.link {
            Link::Linked { node } | Link::Repeated { node } | Link::Masked { node, .. } => {
                Some(node)
            }
            _ => None,
        })
        .collect();
    let probe = from.layer.probe(from.question)?;
    let mut all = Vec::new();
    for &(seed, share) in seeds {
        let mut own: Vec<BridgeEvidence> = Vec::new();
        let mut places: FxHashMap<Node, usize> = FxHashMap::default();
        for (sentence, cosine) in from.layer.cosines(&probe, seed)? {
            let (span, cosine) = (from.layer.span(sentence), f64::from(cosine));
            for mention in from.view.graph.occurrences_in(seed, span) {
                let name = from.view.entity_node(mention.entity);
                if cosine <= 0.0
                    || asked.contains(&name)
                    || from.view.mask(mention.entity).is_some()
                {
                    continue;
                }
                let found = BridgeEvidence {
                    seed,
                    share,
                    name,
                    sentence,
                    cosine,
                };
                let place = *places.entry(name).or_insert(own.len());
                match own.get_mut(place) {
                    Some(known) if known.cosine < cosine => *known = found,
                    Some(_) => {}
                    None => own.push(found),
                }
            }
        }
        all.extend(own);
    }
    Ok(all)
}

/// The words of the question that the best fused passage lacks, and the sum of their idf.
fn left(
    from: &Sources<'_>,
    values: Scoped<'_>,
    candidates: &[u32],
) -> Result<(Vec<Uncovered>, f64), RetrieveError> {
    let lexical = from.index.lexical();
    let mut asked = vec![false; from.index.len()];
    candidates.iter().for_each(|p| asked[*p as usize] = true);
    let tokens = values.get(TOKENS);
    let first = from.fused.hits.first().map(|h| h.passage);
    let mut left = Vec::new();
    for word in &from.words.words {
        let mut passages = Vec::new();
        let mut covered = false;
        if word.df > 0 {
            lexical.passages_with(tokens, &word.word, |p| {
                covered |= Some(p) == first;
                if asked[p as usize] {
                    passages.push(p);
                }
            })?;
        }
        // A word that no passage has cannot be covered by any, and says nothing.
        if !covered && word.df > 0 {
            left.push(Uncovered {
                word: word.word.clone(),
                idf: word.idf,
                passages,
            });
        }
    }
    let all: f64 = left.iter().map(|l| l.idf).sum();
    Ok((left, all))
}

impl Signals {
    /// What each signal weighs for this question: the parameters, and the single-hop guard on top.
    pub fn weights(&self, values: Scoped<'_>) -> [f64; 8] {
        let guard = self.guarded(values);
        Signal::ALL.map(|signal| {
            let weight = values.get(signal.weight());
            match signal {
                // A muted signal stays muted.
                Signal::Bm25Rank if weight > 0.0 => weight + SINGLE_BM25 * guard,
                Signal::EntityWalk | Signal::MixedWalk | Signal::Bridge => {
                    weight * (1.0 - SINGLE_WALKS * guard)
                }
                _ => weight,
            }
        })
    }

    /// How much the question looks single-hop, as far as the guard heeds it.
    pub fn guarded(&self, values: Scoped<'_>) -> f64 {
        values.get(HOP_GUARD) * self.single
    }

    /// The weighted sum of every candidate, best first.
    pub fn ranking(&self, values: Scoped<'_>, depth: usize) -> Vec<Hit> {
        let weights = self.weights(values);
        let mut hits: Vec<Hit> = self
            .candidates
            .iter()
            .zip(&self.values)
            .map(|(p, values)| Hit {
                passage: *p,
                score: values.iter().zip(weights).map(|(v, w)| v * w).sum::<f64>() as f32,
            })
            .filter(|h| h.score > 0.0)
            .collect();
        hits.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then(a.passage.cmp(&b.passage)));
        hits.truncate(depth);
        hits
    }

    /// The best of a ranking with the parts of their scores.
    pub fn first(&self, hits: &[Hit], values: Scoped<'_>) -> Vec<First> {
        let weights = self.weights(values);
        let first = hits.iter().filter_map(|hit| {
            let own = self.of(hit.passage)?;
            let parts: [f64; 8] = std::array::from_fn(|at| own[at] * weights[at]);
            Some(First {
                passage: hit.passage,
                score: parts.iter().sum(),
                parts,
            })
        });
        first.collect()
    }

    /// The values of a candidate.
    pub fn of(&self, passage: u32) -> Option<&[f64; 8]> {
        let at = self.candidates.binary_search(&passage).ok()?;
        self.values.get(at)
    }
}
