//! What operators hand to each other: sets of scored passages, or of scored nodes of a graph.

#![warn(missing_docs)]

use super::methods::Ranker;
use super::retrieval::{Hit, Ranked};
use crate::layers::Code;
use rustc_hash::FxHashSet;
use serde_json::Value;
use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What the members of a set are numbers of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// Passages of the index.
    Passages,
    /// Nodes of the step's graph.
    Nodes,
}

/// A member and why it is one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Member {
    /// Of the set's [`Space`].
    pub node: u32,
    /// Its score, mass or weight.
    pub value: f64,
    /// What brought it.
    pub from: Origin,
}

/// The heaviest so many, in order; ties to the lower number.
pub fn heaviest(mut members: Vec<Member>, count: usize) -> Vec<Member> {
    let order = |a: &Member, b: &Member| b.value.total_cmp(&a.value).then(a.node.cmp(&b.node));
    if count < members.len() {
        members.select_nth_unstable_by(count, order);
        members.truncate(count);
    }
    members.sort_unstable_by(order);
    members
}

/// What brought a member into its set.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)] // the variants say what their fields are
pub enum Origin {
    /// A name of the question, by its place among them, and how common it is.
    Name { name: usize, df: u32 },
    /// Rank from 1 in a first-stage ranking.
    Ranked {
        ranker: Ranker,
        rank: usize,
        score: f32,
    },
    /// Near the question by vector: rank from 1, and the cosine.
    Near { rank: usize, cosine: f32 },
    /// A neighbour of a member of the step's input.
    Edge { from: u32 },
    /// The question gave no seed.
    Fallback,
    /// A person added it.
    Added,
    /// The step scored it itself.
    Scored,
}

/// What a step left out, why, and by how much it fell short.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dropped {
    /// The node or passage.
    pub node: u32,
    /// Why.
    pub code: Code,
    /// By how much, in the unit of the code; 0 where there is none.
    pub margin: f64,
}

/// A named number or word of a step, in the order to show them; the first is the headline.
pub type Fact = (&'static str, Value);

/// Of every passage of a ranking, the member that brought it: the input, and its place there.
struct Brought(Vec<(usize, usize)>);

/// The output of a step: scored nodes or passages.
#[derive(Clone)]
pub struct Set {
    /// Different for every set made: what was made of it is remembered under it.
    pub id: u64,
    /// What its members number.
    pub space: Space,
    /// Heaviest first. Empty where a walk's mass says it all.
    pub members: Vec<Member>,
    /// What it left out.
    pub dropped: Vec<Dropped>,
    /// Counters and words, in the order to show them; the first is the headline.
    pub facts: Vec<Fact>,
    /// What its operator, and those that read it, know besides: one value a type.
    details: Vec<Arc<dyn Any + Send + Sync>>,
}

/// What [`Set::unread`] leaves in a set.
#[derive(Clone, Copy, Debug)]
pub struct Unread;

impl fmt::Debug for Set {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Set({} of {:?})", self.members.len(), self.space)
    }
}

impl Set {
    /// Without members.
    pub fn new(space: Space) -> Set {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Set {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            space,
            members: Vec::new(),
            dropped: Vec::new(),
            facts: Vec::new(),
            details: Vec::new(),
        }
    }

    /// A ranking of passages.
    pub fn ranking(ranked: impl Into<Arc<Ranked>>) -> Set {
        let ranked = ranked.into();
        let mut set = Set::new(Space::Passages);
        set.members = ranked
            .hits
            .iter()
            .map(|hit| Member {
                node: hit.passage,
                value: f64::from(hit.score),
                from: Origin::Scored,
            })
            .collect();
        set.with_shared(ranked)
    }

    /// The passages of the members of some sets, in their order; the first member that stands for a passage brings it.
    pub fn brought<P: IntoIterator<Item = u32>>(
        inputs: &[Arc<Set>],
        passages: impl Fn(u32) -> P,
        score: impl Fn(usize, &Member) -> f64,
    ) -> Set {
        let mut seen = FxHashSet::default();
        let (mut hits, mut by) = (Vec::new(), Vec::new());
        for (input, set) in inputs.iter().enumerate() {
            for (place, member) in set.members.iter().enumerate() {
                let own = passages(member.node).into_iter();
                for passage in own.filter(|passage| seen.insert(*passage)) {
                    let score = score(input, member) as f32;
                    hits.push(Hit { passage, score });
                    by.push((input, place));
                }
            }
        }
        let matched = hits.len();
        Set::ranking(Ranked::new(Ranker::Parts, hits, matched))
            .fact("passages", matched)
            .with(Brought(by))
    }

    /// The input whose member brought a passage, and the member's place in it.
    pub fn brought_by(&self, passage: u32) -> Option<(usize, usize)> {
        let rank = self.get::<Ranked>()?.rank(passage)?;
        self.get::<Brought>()?.0.get(rank - 1).copied()
    }

    /// Made without a vector of the question, which has none: the encoder knows no piece of it.
    pub fn unread(self) -> Set {
        self.fact("vector of the question", "none").with(Unread)
    }

    /// [`unread`](Self::unread) unless it was made with one.
    pub fn unread_unless(self, read: bool) -> Set {
        match read {
            true => self,
            false => self.unread(),
        }
    }

    /// Adds what only some read; a second value of one type is never found.
    pub fn with<T: Any + Send + Sync>(self, detail: T) -> Set {
        self.with_shared(Arc::new(detail))
    }

    /// As [`with`](Self::with), of what others hold too.
    pub fn with_shared<T: Any + Send + Sync>(mut self, detail: Arc<T>) -> Set {
        self.details.push(detail);
        self
    }

    /// Adds a counter or a word.
    pub fn fact(mut self, name: &'static str, value: impl Into<Value>) -> Set {
        self.facts.push((name, value.into()));
        self
    }

    /// A detail by its type.
    pub fn get<T: Any>(&self) -> Option<&T> {
        self.details.iter().find_map(|detail| detail.downcast_ref())
    }

    /// As [`get`](Self::get), to be kept.
    pub fn shared<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        let mut all = self.details.iter().cloned();
        all.find_map(|detail| detail.downcast().ok())
    }

    /// The ranking of passages it is.
    pub fn ranked(&self) -> Option<Arc<Ranked>> {
        self.shared()
    }

    /// Takes a detail out, where nobody else holds it: its memory serves the next result.
    pub fn reclaim<T: Any + Send + Sync>(self) -> Option<T> {
        let mut all = self.details.into_iter();
        all.find_map(|detail| detail.downcast().ok())
            .and_then(Arc::into_inner)
    }

    /// The members of a ranking of passages, as the result of a retrieval has them.
    pub fn hits(&self) -> &[Hit] {
        self.get::<Ranked>().map_or(&[], |ranked| &ranked.hits)
    }
}
