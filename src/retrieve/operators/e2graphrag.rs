//! E2GraphRAG: pairs of the question's entities within h hops, the chunks they share, fewer hops while those are too many,
//! and nodes of the summary tree where there are none (E2GraphRAG, retrieval).

use super::fuse::FUSE;
use super::lists::DENSE_FUSED;
use super::names::NAMES_CHANGED;
use crate::layers::summaries::E2Graph;
use crate::layers::summaries::hops::Scratch as Paths;
use crate::layers::summaries::source::{ENTITY_CHUNK, EntityChunkGraph, SUMMARY_TREE, TreeGraph};
use crate::layers::{Code, Node, QueryName};
use crate::parameters::{
    CHUNK_LIMIT, CHUNK_ORDER, CODE_HOPS, ChunkOrder, HOPS, MAX_DF_RATIO, Parameter, Parameter as P,
    Scoped,
};
use crate::retrieve::RetrieveError;
use crate::retrieve::explanation::{
    Cut, Edge, Entry, Explanation, Item, Part as ScorePart, Reason, SHOWN, SHOWN_CUT, Stage, Story,
    clip,
};
use crate::retrieve::operator::{At, Context, Declaration, Desk, Operator, Outcome};
use crate::retrieve::plan::Plan;
use crate::retrieve::set::{Dropped, Member, Origin, Set, Space};
use crate::text::similar::nearest;
use crate::text::{Norm, plural};
use rustc_hash::FxHashSet;
use serde_json::json;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

pub fn plan() -> Plan {
    let mut plan = Plan::default();
    answered(&mut plan);
    plan
}

/// Fused with the passages near the question: those that no pair reaches have a place, too.
pub fn fused() -> Plan {
    let mut plan = Plan::default();
    let own = answered(&mut plan);
    let dense = plan.step(&DENSE_FUSED, &[]);
    plan.step(&FUSE, &[own, dense]);
    plan
}

fn answered(plan: &mut Plan) -> usize {
    let names = plan.on(&ENTITY_CHUNK, &NAMES_CHANGED, &[]);
    let pairs = plan.on(&ENTITY_CHUNK, &PAIRS, &[names]);
    let shared = plan.on(&ENTITY_CHUNK, &SHARED, &[pairs]);
    let tree = plan.on(&SUMMARY_TREE, &TREE, &[shared, pairs]);
    plan.on(&SUMMARY_TREE, &ANSWER, &[shared, tree])
}

/// Longest evidence in characters.
const LINE: usize = 160;
/// Most edges that are looked for between a pair that is too far apart: twice the largest h.
const FARTHEST: usize = 12;
/// Most entities of a question that are paired: a page that was pasted has hundreds, and pairs grow with their square.
const MOST_ASKED: usize = 64;
/// Rounds of the loop that lowers h, by h.
const ROUNDS: [&str; 7] = [
    "h = 0", "h = 1", "h = 2", "h = 3", "h = 4", "h = 5", "h = 6",
];

/// Two entities of the question, by their places among those of the question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    a: usize,
    b: usize,
    /// A shortest path, both ends in it; none beyond h.
    path: Option<Vec<u32>>,
    /// Chunks with both, ascending; empty without a path.
    shared: Vec<u32>,
}

impl Pair {
    /// Edges of the path.
    fn distance(&self) -> Option<usize> {
        self.path.as_ref().map(|path| path.len() - 1)
    }
}

/// The entities of a question and all pairs of them.
#[derive(Clone, Debug)]
pub struct Pairs {
    /// Entities of the layer, in the question's order, and what each of their occurrences counts: 1, but for a person's
    /// changes.
    entities: Vec<(u32, f64)>,
    all: Vec<Pair>,
    /// Whether nodes of a path are counted and not its edges: one hop less.
    nodes: bool,
}

impl Pairs {
    /// The pairs within h.
    fn within(&self, h: usize) -> impl Iterator<Item = &Pair> {
        let most = limit(h, self.nodes);
        let near = move |pair: &&Pair| pair.distance().is_some_and(|d| d <= most);
        self.all.iter().filter(near)
    }

    /// C(h): chunks of the pairs within h, ascending.
    fn shared(&self, h: usize) -> Vec<u32> {
        let pairs = self.within(h);
        let mut chunks: Vec<u32> = pairs.flat_map(|pair| pair.shared.iter().copied()).collect();
        chunks.sort_unstable();
        chunks.dedup();
        chunks
    }

    fn scored(&self, layer: &E2Graph, h: usize, chunk: u32) -> Scored {
        let counts = self.entities.iter();
        let counts = counts.map(|&(e, weight)| weight * f64::from(layer.occurrences(chunk, e)));
        let counts: Vec<f64> = counts.collect();
        let held = self.entities.iter().zip(&counts);
        let held = held.filter(|(_, count)| **count > 0.0);
        let own = self.within(h);
        let own = own.filter(|pair| pair.shared.binary_search(&chunk).is_ok());
        let mut key: Vec<usize> = own.flat_map(|pair| [pair.a, pair.b]).collect();
        key.sort_unstable();
        key.dedup();
        Scored {
            chunk,
            key,
            coverage: held.clone().count(),
            occurrence: counts.iter().sum(),
            rarity: held
                .map(|(&(e, weight), _)| weight * rarity(layer, e))
                .sum(),
            cosine: 0.0,
        }
    }
}

/// How rare an entity is: ln(chunks / chunks with it), 0 where all have it.
fn rarity(layer: &E2Graph, entity: u32) -> f64 {
    let with = layer.chunks_with(entity).0.len().max(1);
    (layer.chunks() as f64 / with as f64).ln()
}

/// The most edges between a pair at this h.
fn limit(h: usize, nodes: bool) -> usize {
    h.saturating_sub(usize::from(nodes))
}

/// The shortest paths between the entities of the question, and the chunks that pairs share.
#[derive(Debug)]
pub struct FindPairs;

pub static PAIRS: FindPairs = FindPairs;

impl Operator for FindPairs {
    fn declaration(&self) -> Declaration {
        Declaration::spread(
            "pairs",
            "the pairs of the question's entities within h hops",
        )
        .reads(&[P::MaxDfRatio, P::Hops, P::CodeHops])
    }

    fn run(&self, cx: &Context<'_>, inputs: &[Arc<Set>], _: &mut Desk<'_>) -> Outcome {
        let mut set = Set::new(Space::Nodes);
        let graph = cx.graph().source_as::<EntityChunkGraph>();
        let layer = &graph.layer;
        let (h, nodes) = (cx.values.get(HOPS), cx.values.get(CODE_HOPS));
        let most = cx.values.get(MAX_DF_RATIO);
        let mut entities: Vec<(u32, f64)> = Vec::new();
        let mut left_out = 0;
        let named = inputs.first().map_or(&[][..], |names| &names.members);
        for member in named {
            let Some(entity) = graph.entity(member.node) else {
                continue;
            };
            if entities.len() == MOST_ASKED {
                left_out += 1;
                continue;
            }
            let with = layer.chunks_with(entity as u32).0.len();
            let share = with as f64 / layer.chunks() as f64;
            if share > most {
                set.dropped.push(Dropped {
                    node: member.node,
                    code: Code::DfFiltered,
                    margin: share - most,
                });
                continue;
            }
            entities.push((entity as u32, member.value));
            set.members.push(*member);
        }
        let mut paths = Paths::default();
        let mut all = Vec::new();
        for (a, &(one, _)) in entities.iter().enumerate() {
            for (b, &(other, _)) in entities.iter().enumerate().skip(a + 1) {
                let path = layer.graph.path(one, other, limit(h, nodes), &mut paths);
                let shared = path.as_ref().map_or_else(Vec::new, |_| {
                    common(layer.chunks_with(one).0, layer.chunks_with(other).0)
                });
                all.push(Pair { a, b, path, shared });
            }
        }
        let pairs = Pairs {
            entities,
            all,
            nodes,
        };
        let mut set = set
            .fact("pairs within h", pairs.within(h).count())
            .fact("pairs", pairs.all.len())
            .fact("h", h);
        if !set.dropped.is_empty() {
            let masked = set.dropped.len();
            set = set.fact("masked entities", masked);
        }
        if left_out > 0 {
            set = set.fact("entities left out", left_out);
        }
        Ok(set.with(pairs))
    }

    fn tell(&self, at: &At<'_>, story: &mut Story) {
        let Some(told) = Told::of(at) else { return };
        let mut stage = Stage {
            nodes: Vec::new(),
            ..at.stage(story)
        };
        for pair in told.pairs.all.iter().take(SHOWN) {
            let item = story.item(Item {
                kind: "pair",
                label: format!("{} - {}", told.asked(pair.a), told.asked(pair.b)),
                ..Item::default()
            });
            let Some(path) = &pair.path else {
                let h = at.values().get(HOPS);
                let margin = told.farther(pair).map_or(0, |d| d.saturating_sub(h));
                stage.cut.push(Cut {
                    item,
                    code: Code::PairTooFar,
                    margin: margin as f64,
                });
                continue;
            };
            let names: Vec<&str> = path.iter().map(|&e| told.name(e)).collect();
            let shared = plural(pair.shared.len(), "shared chunk");
            stage.nodes.push(Entry {
                item,
                value: (path.len() - 1) as f64,
                why: clip(&format!("{}; {shared}", names.join(" > ")), LINE),
            });
            for edge in path.windows(2) {
                let [a, b] = [edge[0], edge[1]].map(|entity| told.graph.node(entity));
                let met = told.layer.graph.edge(edge[0], edge[1]);
                stage.edges.push(Edge {
                    from: story.node(at, a),
                    to: story.node(at, b),
                    value: met.map_or(0.0, |met| f64::from(met.0)),
                    kind: at.graph().source().edge_name(a, b),
                    why: at.graph().source().evidence(at.index, a, b),
                });
            }
        }
        story.push(stage);
    }

    fn refuse(&self, at: &At<'_>, passage: u32) -> Vec<Reason> {
        Told::of(at).map_or_else(Vec::new, |told| told.unasked(passage))
    }
}

/// Values of both ascending lists. The longer one is searched where it is much longer.
fn common(a: &[u32], b: &[u32]) -> Vec<u32> {
    let (short, mut long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let mut found = Vec::new();
    for &value in short {
        let skip = if long.len() > 16 * short.len() {
            long.partition_point(|&x| x < value)
        } else {
            long.iter().take_while(|&&x| x < value).count()
        };
        long = &long[skip..];
        if long.first() == Some(&value) {
            found.push(value);
        }
    }
    found
}

/// How an answer comes about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mode {
    /// No entity of the question is a vertex: nearest nodes of the tree.
    GlobalDense,
    /// No pair within h, or no chunk with both of a pair: nearest nodes of the tree by occurrences.
    GlobalOcc,
    /// The chunks of all pairs within the last h.
    Local,
    /// Shrinking h left nothing: the chunks of the h before, ranked and cut.
    LocalRanked,
}

impl Mode {
    pub fn name(self) -> &'static str {
        match self {
            Mode::GlobalDense => "GLOBAL_DENSE",
            Mode::GlobalOcc => "GLOBAL_OCC",
            Mode::Local => "LOCAL",
            Mode::LocalRanked => "LOCAL_RANKED",
        }
    }

    fn global(self) -> bool {
        matches!(self, Mode::GlobalDense | Mode::GlobalOcc)
    }
}

/// One round of the loop that lowers h.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Round {
    h: usize,
    /// Number of pairs within h, and of the chunks they share.
    pairs: usize,
    chunks: usize,
}

/// A chunk that pairs share.
#[derive(Clone, Debug, PartialEq)]
struct Scored {
    chunk: u32,
    /// Entities of the pairs that share it, places in [`Pairs::entities`], ascending.
    key: Vec<usize>,
    /// Number of different entities of the question in it.
    coverage: usize,
    /// Occurrences of all of them.
    occurrence: f64,
    /// Sum of how rare they are.
    rarity: f64,
    /// With the question; 0 where it decides nothing.
    cosine: f32,
}

impl Scored {
    /// What a chunk is ranked by.
    fn score(&self, by: ChunkOrder) -> f64 {
        match by {
            ChunkOrder::Groups => self.key.len() as f64,
            ChunkOrder::Coverage => self.coverage as f64 + self.occurrence_part(),
            ChunkOrder::Rarity => self.rarity + f64::from(self.cosine),
        }
    }

    /// Below 1, rising with the occurrences.
    fn occurrence_part(&self) -> f64 {
        self.occurrence / (self.occurrence + 1.0)
    }
}

/// What the loop came to.
#[derive(Clone, Debug, PartialEq)]
struct Shrunk {
    mode: Mode,
    /// What the chunks are in the order of.
    by: ChunkOrder,
    /// The h whose chunks are returned.
    h: usize,
    rounds: Vec<Round>,
    /// The chunks returned, in the order of the ranking.
    chunks: Vec<Scored>,
    /// What was ranked but is beyond k.
    beyond: Vec<Scored>,
    /// Chunks with equal keys, the larger key first: runs of consecutive chunks of one document, each one text.
    groups: Vec<(Vec<usize>, Vec<Range<u32>>)>,
}

/// The chunks that pairs share; h falls while they are too many.
#[derive(Debug)]
pub struct SharedChunks;

pub static SHARED: SharedChunks = SharedChunks;

impl Operator for SharedChunks {
    fn declaration(&self) -> Declaration {
        Declaration::select(
            "shared chunks",
            "the chunks that pairs share; h falls while they are more than k",
        )
        .kind("intersect")
        .reads(&[P::Hops, P::ChunkLimit, P::ChunkOrder])
    }

    fn run(&self, cx: &Context<'_>, inputs: &[Arc<Set>], _: &mut Desk<'_>) -> Outcome {
        let pairs = inputs.iter().find_map(|set| set.get::<Pairs>());
        let graph = cx.graph().source_as::<EntityChunkGraph>();
        let Some(pairs) = pairs else {
            return Ok(Set::new(Space::Nodes));
        };
        let mut shrunk = shrink(pairs, cx.values);
        if !shrunk.mode.global() {
            local(&graph.layer, pairs, cx, &mut shrunk)?;
        }
        let mut set = Set::new(Space::Nodes)
            .fact("mode", shrunk.mode.name())
            .fact("chunks", shrunk.chunks.len())
            .fact("beyond k", shrunk.beyond.len())
            .fact("h", shrunk.h);
        let member = |scored: &Scored| Member {
            node: scored.chunk,
            value: scored.score(shrunk.by),
            from: Origin::Scored,
        };
        set.members = shrunk.chunks.iter().map(member).collect();
        let cut = shrunk
            .beyond
            .iter()
            .zip(1..)
            .map(|(scored, place)| Dropped {
                node: scored.chunk,
                code: Code::CutByK,
                margin: f64::from(place),
            });
        set.dropped = cut.collect();
        Ok(set.with(shrunk))
    }

    fn why(&self, at: &At<'_>, member: &Member) -> String {
        let Some(told) = Told::of(at) else {
            return String::new();
        };
        let scored = told
            .shrunk
            .and_then(|s| s.chunks.iter().find(|c| c.chunk == member.node));
        scored.map_or(String::new(), |scored| {
            let key: Vec<&str> = scored.key.iter().map(|&e| told.asked(e)).collect();
            let (coverage, occurrence) = (scored.coverage, scored.occurrence);
            let key = key.join("-");
            clip(
                &format!("coverage {coverage}, occurrence {occurrence}, key {key}"),
                LINE,
            )
        })
    }

    /// One stage for every round but the last, with what a smaller h loses; then what is returned.
    fn tell(&self, at: &At<'_>, story: &mut Story) {
        let mut before: Vec<u32> = Vec::new();
        if let Some(told) = Told::of(at)
            && let Some(shrunk) = told.shrunk
        {
            let ranked = shrunk.mode == Mode::LocalRanked;
            for (place, round) in shrunk.rounds.iter().enumerate() {
                let chunks = told.pairs.shared(round.h);
                let mut stage = Stage {
                    name: ROUNDS.get(round.h).copied().unwrap_or("h"),
                    kind: "filter",
                    counters: vec![
                        ("chunks", json!(round.chunks)),
                        ("at most", json!(at.values().get(CHUNK_LIMIT))),
                        ("pairs within h", json!(round.pairs)),
                    ],
                    ..Stage::default()
                };
                for &chunk in chunks.iter().take(SHOWN) {
                    let scored = told.pairs.scored(&told.layer, round.h, chunk);
                    stage.nodes.push(Entry {
                        item: story.node(at, chunk),
                        value: scored.coverage as f64,
                        why: format!("occurrence {}", scored.occurrence),
                    });
                }
                // Where the last round left nothing, what it lost is what is ranked.
                let last = ranked && place + 1 == shrunk.rounds.len();
                let lost = before
                    .iter()
                    .filter(|c| !last && chunks.binary_search(c).is_err());
                for &chunk in lost.take(SHOWN_CUT) {
                    stage.cut.push(Cut {
                        item: story.node(at, chunk),
                        code: Code::HReduced,
                        margin: round.h as f64,
                    });
                }
                before = chunks;
                story.push(stage);
            }
        }
        let mut stage = at.stage(story);
        if let Some(told) = Told::of(at) {
            told.occurrences(story, &mut stage);
        }
        story.push(stage);
    }
}

/// The loop over h, which decides the mode.
fn shrink(pairs: &Pairs, values: Scoped<'_>) -> Shrunk {
    let (first, k) = (values.get(HOPS), values.get(CHUNK_LIMIT));
    let mut shrunk = Shrunk {
        mode: Mode::GlobalDense,
        by: values.get(CHUNK_ORDER),
        h: first,
        rounds: Vec::new(),
        chunks: Vec::new(),
        beyond: Vec::new(),
        groups: Vec::new(),
    };
    if pairs.entities.is_empty() {
        return shrunk;
    }
    // h = 0 has no pairs, so the loop ends there at the latest.
    for h in (0..=first).rev() {
        let chunks = pairs.shared(h).len();
        let pairs = pairs.within(h).count();
        shrunk.rounds.push(Round { h, pairs, chunks });
        if chunks > 0 {
            shrunk.h = h;
        }
        if chunks <= k {
            break;
        }
    }
    let empty = |round: Option<&Round>| round.is_none_or(|round| round.chunks == 0);
    shrunk.mode = match (empty(shrunk.rounds.first()), empty(shrunk.rounds.last())) {
        (true, _) => Mode::GlobalOcc,
        (false, true) => Mode::LocalRanked,
        (false, false) => Mode::Local,
    };
    if shrunk.mode == Mode::LocalRanked && shrunk.by == ChunkOrder::Groups {
        shrunk.by = ChunkOrder::Coverage;
    }
    shrunk
}

fn local(
    layer: &E2Graph,
    pairs: &Pairs,
    cx: &Context<'_>,
    shrunk: &mut Shrunk,
) -> Result<(), RetrieveError> {
    let chunks = pairs.shared(shrunk.h).into_iter();
    let mut chunks: Vec<Scored> = chunks
        .map(|chunk| pairs.scored(layer, shrunk.h, chunk))
        .collect();
    if cx.values.get(CHUNK_ORDER) != ChunkOrder::Groups {
        near(layer, cx, &mut chunks)?;
    }
    if shrunk.by != ChunkOrder::Groups {
        let score = |chunk: &Scored| match shrunk.by {
            // Of equal coverage: n / (n + 1) of many occurrences cannot be told apart as a score.
            ChunkOrder::Coverage => (chunk.coverage as f64, chunk.occurrence),
            by => (chunk.score(by), 0.0),
        };
        chunks.sort_by(|a, b| {
            let (one, other) = (score(a), score(b));
            (other.0.total_cmp(&one.0))
                .then(other.1.total_cmp(&one.1))
                .then(b.cosine.total_cmp(&a.cosine))
                .then(a.chunk.cmp(&b.chunk))
        });
    }
    if shrunk.mode == Mode::LocalRanked {
        let k = cx.values.get(CHUNK_LIMIT);
        shrunk.beyond = chunks.split_off(k.min(chunks.len()));
    }
    shrunk.groups = groups(layer, &chunks);
    if shrunk.by == ChunkOrder::Groups {
        // Nothing was ranked: the order is that of the groups.
        let place = |chunk: &Scored| {
            let group = shrunk.groups.iter().position(|group| group.0 == chunk.key);
            (group, chunk.chunk)
        };
        chunks.sort_by_key(place);
    }
    shrunk.chunks = chunks;
    Ok(())
}

/// How close each chunk is to the question; as far as an index without vectors can tell, all alike.
fn near(layer: &E2Graph, cx: &Context<'_>, chunks: &mut [Scored]) -> Result<(), RetrieveError> {
    let Some(vectors) = layer.vectors.as_ref().filter(|_| cx.has_vectors()) else {
        return Ok(());
    };
    let Some((dense, vector)) = cx.dense()? else {
        return Ok(());
    };
    vectors.check(dense.encoder.identity())?;
    let question = vectors.probe(vector)?;
    for chunk in chunks {
        chunk.cosine = vectors.score(&question, chunk.chunk);
    }
    Ok(())
}

fn groups(layer: &E2Graph, chunks: &[Scored]) -> Vec<(Vec<usize>, Vec<Range<u32>>)> {
    let mut by_key: BTreeMap<&[usize], Vec<u32>> = BTreeMap::new();
    for chunk in chunks {
        by_key.entry(&chunk.key).or_default().push(chunk.chunk);
    }
    let document = |chunk: u32| layer.chunk_document[chunk as usize];
    let merged = by_key.into_iter().map(|(key, mut chunks)| {
        chunks.sort_unstable();
        let mut runs: Vec<Range<u32>> = Vec::new();
        for chunk in chunks {
            let next =
                |run: &&mut Range<u32>| run.end == chunk && document(chunk) == document(chunk - 1);
            match runs.last_mut().filter(next) {
                Some(run) => run.end += 1,
                None => runs.push(chunk..chunk + 1),
            }
        }
        (key.to_vec(), runs)
    });
    let mut groups: Vec<_> = merged.collect();
    groups.sort_by(|(a, a_runs), (b, b_runs)| {
        let first = |runs: &[Range<u32>]| runs.first().map(|run| run.start);
        (b.len().cmp(&a.len())).then(first(a_runs).cmp(&first(b_runs)))
    });
    groups
}

/// A node of the tree near the question.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Candidate {
    node: Node,
    cosine: f32,
    /// Occurrences of the question's entities in the leaves below.
    occurrence: f64,
}

/// The candidates of a global answer, nearest first.
#[derive(Clone, Debug)]
struct Global {
    candidates: Vec<Candidate>,
    /// Whether occurrences rank them.
    counted: bool,
}

/// The nearest nodes of the tree, by occurrences where there are any; nothing where pairs share chunks.
#[derive(Debug)]
pub struct Tree;

pub static TREE: Tree = Tree;

impl Operator for Tree {
    fn declaration(&self) -> Declaration {
        Declaration::select(
            "tree",
            "where pairs share no chunk, the nearest nodes of the tree by occurrences",
        )
        .kind("score")
        .reads(&[P::ChunkLimit])
    }

    fn run(&self, cx: &Context<'_>, inputs: &[Arc<Set>], _: &mut Desk<'_>) -> Outcome {
        let set = Set::new(Space::Nodes);
        let shrunk = inputs.iter().find_map(|set| set.get::<Shrunk>());
        let pairs = inputs.iter().find_map(|set| set.get::<Pairs>());
        let (Some(shrunk), Some(pairs)) = (shrunk, pairs) else {
            return Ok(set);
        };
        if !shrunk.mode.global() {
            return Ok(set);
        }
        let layer = &cx.graph().source_as::<TreeGraph>().layer;
        let Some((dense, vector)) = cx.dense()? else {
            return Ok(set.unread());
        };
        let Some(vectors) = &layer.vectors else {
            return Err(RetrieveError::NoVectors {
                method: cx.method.name.clone(),
            });
        };
        vectors.check(dense.encoder.identity())?;
        let k = cx.values.get(CHUNK_LIMIT);
        let by_occurrence = shrunk.mode == Mode::GlobalOcc;
        let depth = if by_occurrence { 2 * k } else { k };
        let sums = Sums::new(layer, &pairs.entities);
        let near = vectors.nearest(vector, depth)?.into_iter();
        let candidates = near.map(|(node, cosine)| Candidate {
            node,
            cosine,
            occurrence: sums.of(&layer.leaves(node)),
        });
        let candidates: Vec<Candidate> = candidates.collect();
        let counted = by_occurrence && candidates.iter().any(|c| c.occurrence > 0.0);
        let mut kept: Vec<usize> = (0..candidates.len()).collect();
        if counted {
            kept.retain(|&at| candidates[at].occurrence > 0.0);
            // Stable: of equal occurrences the nearer node comes first, as the candidates do.
            let most = |at: &usize| candidates[*at].occurrence;
            kept.sort_by(|a, b| most(b).total_cmp(&most(a)));
        }
        kept.truncate(k);
        let mut set = set
            .fact("nodes", kept.len())
            .fact("candidates", candidates.len())
            .fact("by", if counted { "occurrence" } else { "cosine" })
            .fact("nodes of the tree", layer.nodes());
        let member = |&at: &usize| Member {
            node: candidates[at].node,
            value: match counted {
                true => candidates[at].occurrence,
                false => f64::from(candidates[at].cosine),
            },
            from: Origin::Near {
                rank: at + 1,
                cosine: candidates[at].cosine,
            },
        };
        set.members = kept.iter().map(member).collect();
        let left = candidates.iter().enumerate();
        let left = left.filter(|(at, _)| !kept.contains(at));
        let dropped = left.map(|(at, candidate)| {
            let zero = counted && candidate.occurrence == 0.0;
            Dropped {
                node: candidate.node,
                code: if zero { Code::OccZero } else { Code::CutByK },
                margin: if zero {
                    0.0
                } else {
                    (at + 1) as f64 - k as f64
                },
            }
        });
        set.dropped = dropped.collect();
        Ok(set.with(Global {
            candidates,
            counted,
        }))
    }

    fn tell(&self, at: &At<'_>, story: &mut Story) {
        // Where pairs share chunks nobody looked at the tree.
        if at.set().get::<Global>().is_some() {
            let stage = at.stage(story);
            story.push(stage);
        }
    }
}

/// Occurrences of the question's entities by chunk, ascending, with the sums up to each.
struct Sums {
    chunks: Vec<u32>,
    sums: Vec<f64>,
}

impl Sums {
    fn new(layer: &E2Graph, entities: &[(u32, f64)]) -> Sums {
        let mut all: Vec<(u32, f64)> = Vec::new();
        for &(entity, weight) in entities {
            let (chunks, counts) = layer.chunks_with(entity);
            let counts = counts.iter().map(|&n| weight * f64::from(n));
            all.extend(chunks.iter().copied().zip(counts));
        }
        all.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let mut sum = 0.0;
        let sums = all.iter().map(|&(_, count)| {
            sum += count;
            sum
        });
        Sums {
            sums: std::iter::once(0.0).chain(sums).collect(),
            chunks: all.iter().map(|&(chunk, _)| chunk).collect(),
        }
    }

    /// w of a node: the occurrences in all leaves below it.
    fn of(&self, leaves: &Range<u32>) -> f64 {
        let place = |leaf: u32| self.chunks.partition_point(|&chunk| chunk < leaf);
        self.sums[place(leaves.end)] - self.sums[place(leaves.start)]
    }
}

/// The passages of chunks, or of nodes of the tree, in their order.
#[derive(Debug)]
pub struct Answer;

pub static ANSWER: Answer = Answer;

impl Operator for Answer {
    fn declaration(&self) -> Declaration {
        Declaration::select(
            "chunks",
            "the passages of the chunks, or of the nodes of the tree, in their order",
        )
    }

    fn run(&self, cx: &Context<'_>, inputs: &[Arc<Set>], _: &mut Desk<'_>) -> Outcome {
        let layer = &cx.graph().source_as::<TreeGraph>().layer;
        let passages = |node: Node| layer.passages(node);
        Ok(Set::brought(inputs, passages, |_, member| member.value))
    }

    fn why(&self, at: &At<'_>, member: &Member) -> String {
        node_of(at, member.node).map_or(String::new(), |node| {
            at.graph().label(at.index, node).into_owned()
        })
    }

    fn explain(&self, at: &At<'_>, passage: u32) -> Explanation {
        match (Told::of(at), node_of(at, passage)) {
            (Some(told), Some(node)) => told.explained(node),
            _ => Explanation::default(),
        }
    }

    /// Chunks under the names that led to them, what follows another without a gap in one piece; else the texts of nodes.
    fn context(&self, at: &At<'_>) -> Option<String> {
        Some(Told::of(at)?.context())
    }

    fn refuse(&self, at: &At<'_>, passage: u32) -> Vec<Reason> {
        let mut reasons = Vec::new();
        if let Some(told) = Told::of(at)
            && let Some(shrunk) = told.shrunk
            && node_of(at, passage).is_none()
        {
            match told.global {
                None => told.local(shrunk, passage, &mut reasons),
                Some(global) => told.on_tree(shrunk, global, passage, &mut reasons),
            }
        }
        reasons
    }
}

/// The chunk or node that brought a passage.
fn node_of(at: &At<'_>, passage: u32) -> Option<Node> {
    let (input, place) = at.set().brought_by(passage)?;
    Some(at.input(input)?.set().members[place].node)
}

#[path = "e2graphrag_told.rs"]
mod told;
use told::Told;

#[cfg(test)]
#[path = "e2graphrag_tests.rs"]
mod tests;
