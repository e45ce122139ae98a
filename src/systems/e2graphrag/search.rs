//! Adaptive retrieval: pairs of query entities within h hops, their shared chunks, and the tree where there are none (2.2).

use super::hops::Scratch;
use super::layer::E2Graph;
use super::link::{Asked, link};
use crate::index::Index;
use crate::retrieve::{Hit, RetrieveError};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::ops::Range;

/// The parameters of a search; defaults
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// `result_k`: most chunks of a local answer, number of nodes of a global one (max_chunk_setting of the code).
    pub k: usize,
    /// `hops`: farthest distance of a pair at first, 0 to 6 (h0; shortest_path_k of the code).
    pub hops: usize,
    /// `code_hops`: count nodes of a path instead of edges, as the code does: one hop less.
    pub code_hops: bool,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            k: 25,
            hops: 4,
            code_hops: false,
        }
    }
}

/// How an answer came about.
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

    pub fn global(self) -> bool {
        matches!(self, Mode::GlobalDense | Mode::GlobalOcc)
    }
}

/// Two query entities, by their places in [`Run::entities`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairFound {
    pub a: usize,
    pub b: usize,
    /// A shortest path, both ends in it; none beyond h0.
    pub path: Option<Vec<u32>>,
    /// Chunks with both, ascending; empty without a path.
    pub shared: Vec<u32>,
}

impl PairFound {
    /// Edges of the path.
    pub fn distance(&self) -> Option<usize> {
        self.path.as_ref().map(|path| path.len() - 1)
    }
}

/// One round of the h loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub h: usize,
    /// Number of pairs within h, and of the chunks they share.
    pub pairs: usize,
    pub chunks: usize,
}

/// A returned chunk of a local answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scored {
    pub chunk: u32,
    /// Query entities of the pairs that produced it, places in [`Run::entities`], ascending.
    pub key: Vec<usize>,
    /// Number of different query entities in it.
    pub coverage: usize,
    /// Occurrences of all of them.
    pub occurrence: u64,
}

/// A node of the tree in a global answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    pub node: u32,
    pub cosine: f32,
    /// Occurrences of the query entities in the leaves below.
    pub occurrence: u64,
}

/// Chunks with the same key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    pub key: Vec<usize>,
    /// Runs of consecutive chunks of one document, in document order: each is one text.
    pub runs: Vec<Range<u32>>,
}

/// What a search did.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    pub asked: Vec<Asked>,
    /// The different vertices of the question, in its order.
    pub entities: Vec<u32>,
    /// All pairs of them.
    pub pairs: Vec<PairFound>,
    /// The h loop, first h first; empty without entities.
    pub steps: Vec<Step>,
    pub mode: Mode,
    /// The h whose chunks are returned.
    pub h: usize,
    /// Local answers: the chunks returned, in the order of the ranking.
    pub chunks: Vec<Scored>,
    /// Local answers: what was ranked but is beyond k.
    pub beyond: Vec<Scored>,
    pub groups: Vec<Group>,
    /// Global answers: the candidates, nearest first; the first `nodes` by [`Run::kept`] are returned.
    pub candidates: Vec<Candidate>,
    /// Places in `candidates` of the nodes returned, best first.
    pub kept: Vec<usize>,
    pub hits: Vec<Hit>,
}

/// Answers a question.
///
/// # Errors
/// A global mode in an index without vectors, or vectors of another encoder.
pub fn search(
    layer: &E2Graph,
    index: &Index,
    question: &str,
    vector: Option<&[f32]>,
    p: &Params,
    stage: &mut dyn FnMut(&'static str),
) -> Result<Run, RetrieveError> {
    let asked = link(layer, question);
    let mut seen = FxHashSet::default();
    let entities: Vec<u32> = asked
        .iter()
        .filter_map(|a| a.entity)
        .filter(|e| seen.insert(*e))
        .collect();
    stage("link");
    let mut run = Run {
        asked,
        entities,
        pairs: Vec::new(),
        steps: Vec::new(),
        mode: Mode::GlobalDense,
        h: p.hops,
        chunks: Vec::new(),
        beyond: Vec::new(),
        groups: Vec::new(),
        candidates: Vec::new(),
        kept: Vec::new(),
        hits: Vec::new(),
    };
    if !run.entities.is_empty() {
        run.pairs = pairs(layer, &run.entities, limit(p.hops, p));
        stage("pairs");
        shrink(&mut run, p);
        stage("intersect");
    }
    if run.mode.global() {
        super::global::nearest(layer, index, vector, p, &mut run)?;
        stage("tree");
    } else {
        local(layer, p, &mut run);
        stage("rank");
    }
    Ok(run)
}

/// The most edges between a pair at this h.
pub fn limit(h: usize, p: &Params) -> usize {
    h.saturating_sub(usize::from(p.code_hops))
}

fn pairs(layer: &E2Graph, entities: &[u32], most: usize) -> Vec<PairFound> {
    let mut scratch = Scratch::default();
    let mut found = Vec::new();
    for a in 0..entities.len() {
        for b in a + 1..entities.len() {
            let path = layer
                .graph
                .path(entities[a], entities[b], most, &mut scratch);
            let shared = match &path {
                Some(_) => common(
                    layer.chunks_with(entities[a]).0,
                    layer.chunks_with(entities[b]).0,
                ),
                None => Vec::new(),
            };
            found.push(PairFound { a, b, path, shared });
        }
    }
    found
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

/// The pairs within h.
pub fn within<'a>(run: &'a Run, h: usize, p: &Params) -> impl Iterator<Item = &'a PairFound> {
    let most = limit(h, p);
    run.pairs
        .iter()
        .filter(move |pair| pair.distance().is_some_and(|d| d <= most))
}

/// C(h): chunks of the pairs within h, ascending.
pub fn shared(run: &Run, h: usize, p: &Params) -> Vec<u32> {
    let mut chunks: Vec<u32> = within(run, h, p)
        .flat_map(|pair| pair.shared.iter().copied())
        .collect();
    chunks.sort_unstable();
    chunks.dedup();
    chunks
}

/// The loop over h, which decides the mode.
fn shrink(run: &mut Run, p: &Params) {
    let mut h = p.hops;
    let mut before = h;
    loop {
        let chunks = shared(run, h, p).len();
        run.steps.push(Step {
            h,
            pairs: within(run, h, p).count(),
            chunks,
        });
        if chunks == 0 {
            break;
        }
        before = h;
        // h = 0 has no pairs, so the loop ends there at the latest.
        if chunks <= p.k || h == 0 {
            break;
        }
        h -= 1;
    }
    let first = &run.steps[0];
    run.mode = if first.chunks == 0 {
        Mode::GlobalOcc
    } else if run.steps[run.steps.len() - 1].chunks == 0 {
        Mode::LocalRanked
    } else {
        Mode::Local
    };
    run.h = before;
}

/// Coverage, occurrence and key of a chunk.
pub fn scored(layer: &E2Graph, run: &Run, p: &Params, chunk: u32) -> Scored {
    let counts = run
        .entities
        .iter()
        .map(|&e| u64::from(layer.occurrences(chunk, e)));
    let counts: Vec<u64> = counts.collect();
    let mut key: Vec<usize> = within(run, run.h, p)
        .filter(|pair| pair.shared.binary_search(&chunk).is_ok())
        .flat_map(|pair| [pair.a, pair.b])
        .collect();
    key.sort_unstable();
    key.dedup();
    Scored {
        chunk,
        key,
        coverage: counts.iter().filter(|&&n| n > 0).count(),
        occurrence: counts.iter().sum(),
    }
}

/// The score of a chunk of a ranked answer: coverage first, then occurrence.
pub fn rank_score(chunk: &Scored) -> f64 {
    chunk.coverage as f64 + occurrence_part(chunk)
}

/// Below 1, rising with the occurrences.
pub fn occurrence_part(chunk: &Scored) -> f64 {
    chunk.occurrence as f64 / (chunk.occurrence as f64 + 1.0)
}

fn local(layer: &E2Graph, p: &Params, run: &mut Run) {
    let mut chunks: Vec<Scored> = shared(run, run.h, p)
        .into_iter()
        .map(|chunk| scored(layer, run, p, chunk))
        .collect();
    if run.mode == Mode::LocalRanked {
        chunks.sort_by(|a, b| {
            b.coverage
                .cmp(&a.coverage)
                .then(b.occurrence.cmp(&a.occurrence))
                .then(a.chunk.cmp(&b.chunk))
        });
        run.beyond = chunks.split_off(p.k.min(chunks.len()));
    }
    run.groups = groups(layer, &chunks);
    if run.mode == Mode::Local {
        // Nothing was ranked: the order is that of the groups.
        let place = |chunk: &Scored| {
            let group = run.groups.iter().position(|group| group.key == chunk.key);
            (group, chunk.chunk)
        };
        chunks.sort_by_key(place);
    }
    let ranked = run.mode == Mode::LocalRanked;
    let score = |chunk: &Scored| {
        if ranked {
            rank_score(chunk)
        } else {
            chunk.key.len() as f64
        }
    };
    run.hits = hits(
        layer,
        chunks
            .iter()
            .map(|chunk| (chunk.chunk, score(chunk) as f32)),
    );
    run.chunks = chunks;
}

/// Groups of equal keys, the larger key first, then the earlier chunk.
fn groups(layer: &E2Graph, chunks: &[Scored]) -> Vec<Group> {
    let mut by_key: BTreeMap<&[usize], Vec<u32>> = BTreeMap::new();
    for chunk in chunks {
        by_key.entry(&chunk.key).or_default().push(chunk.chunk);
    }
    let mut groups: Vec<Group> = by_key
        .into_iter()
        .map(|(key, mut chunks)| {
            chunks.sort_unstable();
            let mut runs: Vec<Range<u32>> = Vec::new();
            for chunk in chunks {
                let document = |chunk: u32| layer.chunk_document[chunk as usize];
                match runs
                    .last_mut()
                    .filter(|run| run.end == chunk && document(chunk) == document(chunk - 1))
                {
                    Some(run) => run.end += 1,
                    None => runs.push(chunk..chunk + 1),
                }
            }
            Group {
                key: key.to_vec(),
                runs,
            }
        })
        .collect();
    groups.sort_by(|a, b| {
        b.key
            .len()
            .cmp(&a.key.len())
            .then(a.runs[0].start.cmp(&b.runs[0].start))
    });
    groups
}

/// The passages of nodes in the order they first appear, each with the score of the node that brought it.
pub(super) fn hits(layer: &E2Graph, nodes: impl Iterator<Item = (u32, f32)>) -> Vec<Hit> {
    let mut seen = FxHashSet::default();
    let mut found = Vec::new();
    for (node, score) in nodes {
        for passage in layer.passages(node) {
            if seen.insert(passage) {
                found.push(Hit { passage, score });
            }
        }
    }
    found
}

impl Run {
    /// Whether occurrences ranked a global answer.
    pub fn counted(&self) -> bool {
        self.mode == Mode::GlobalOcc && self.candidates.iter().any(|c| c.occurrence > 0)
    }
}
