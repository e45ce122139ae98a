//! How other systems choose texts from their own graphs, as far as no language model is needed: the texts of the entities
//! nearest to the question, and lists taken in turn. The vectors are this program's own.

use super::nearest::NEAREST;
use crate::layers::given::source::GivenGraph;
use crate::layers::{Code, GIVEN, Node};
use crate::parameters::{Parameter as P, RESULT_K, SEED_K};
use crate::retrieve::explanation::{Explanation, Lack, Part as ScorePart, Reason};
use crate::retrieve::methods::Ranker;
use crate::retrieve::operator::{At, Context, Declaration, Desk, Operator, Outcome};
use crate::retrieve::plan::Plan;
use crate::retrieve::retrieval::{DEPTH, Hit, Ranked};
use crate::retrieve::set::Set;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Which of the texts of one entity comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// That with most of the entity's relations (GraphRAG).
    Relations,
    /// That of most of the entity's neighbours (nano-graphrag, LightRAG before 1.4).
    Neighbours,
}

/// The texts of the nearest entities, in the entities' order.
#[derive(Debug)]
pub struct OfEntities(By);
/// Lists in turn: the first of each, the second of each ... A text that was taken is passed over.
#[derive(Debug)]
pub struct InTurn;

static BY_RELATIONS: OfEntities = OfEntities(By::Relations);
static BY_NEIGHBOURS: OfEntities = OfEntities(By::Neighbours);
pub(super) static IN_TURN: InTurn = InTurn;

/// What brought a passage: the entity, relation or list, its place among the nearest from 1, and a number: how many relations or
/// neighbours the passage has of it, or the passage's rank in that list or by closeness.
#[derive(Clone, Debug)]
pub(super) struct Brought {
    pub passage: u32,
    pub by: u32,
    pub place: usize,
    pub count: usize,
}

/// GraphRAG's local search, as far as it chooses texts.
pub fn graphrag_local() -> Plan {
    let mut plan = Plan::default();
    let near = plan.on(&GIVEN, &NEAREST, &[]);
    plan.on(&GIVEN, &BY_RELATIONS, &[near]);
    plan
}

/// nano-graphrag's local search, as far as it chooses texts.
pub fn nano_local() -> Plan {
    let mut plan = Plan::default();
    let near = plan.on(&GIVEN, &NEAREST, &[]);
    plan.on(&GIVEN, &BY_NEIGHBOURS, &[near]);
    plan
}

/// One of a list whose turn it was.
pub(super) struct Turn {
    pub one: u32,
    /// Place of its list.
    pub list: usize,
    /// Its rank there, from 1.
    pub rank: usize,
}

/// The first of each list, the second of each ..., each once.
pub(super) fn in_turn(lists: &[&[u32]]) -> impl Iterator<Item = Turn> {
    let longest = lists.iter().map(|list| list.len()).max().unwrap_or(0);
    let mut seen = FxHashSet::default();
    let turns = (1..=longest).flat_map(move |rank| {
        let own = lists.iter().enumerate();
        own.filter_map(move |(list, of)| {
            let one = *of.get(rank - 1)?;
            Some(Turn { one, list, rank })
        })
    });
    turns.filter(move |turn| seen.insert(turn.one))
}

/// As many passages as rankings keep.
fn depth(cx: &Context<'_>) -> usize {
    cx.values.get(RESULT_K).max(DEPTH)
}

/// The first of each passage that `brought` has, with its score.
pub(super) fn ranking(
    cx: &Context<'_>,
    mut brought: Vec<Brought>,
    score: impl Fn(&Brought) -> f64,
) -> Set {
    let mut seen = FxHashSet::default();
    brought.retain(|own| seen.insert(own.passage));
    let matched = brought.len();
    brought.truncate(depth(cx));
    let hits = brought.iter().map(|own| Hit {
        passage: own.passage,
        score: score(own) as f32,
    });
    let ranked = Ranked::new(Ranker::Parts, hits.collect(), matched);
    Set::ranking(ranked).with(brought).fact("texts", matched)
}

/// What brought a passage into a set.
pub(super) fn brought(at: &At<'_>, passage: u32) -> Option<Brought> {
    let all = at.set().get::<Vec<Brought>>()?;
    all.iter().find(|own| own.passage == passage).cloned()
}

impl OfEntities {
    /// How many relations or neighbours of an entity each passage has.
    fn counts(&self, graph: &GivenGraph, node: Node) -> FxHashMap<u32, usize> {
        let others = graph.others(node);
        let mut counts = FxHashMap::default();
        let mut count = |passages: &[u32]| {
            for passage in passages {
                *counts.entry(*passage).or_insert(0) += 1;
            }
        };
        match self.0 {
            By::Relations => others
                .flat_map(|other| graph.between(node, other))
                .for_each(|relation| count(graph.layer.relation_passages(*relation))),
            By::Neighbours => others
                .filter_map(|other| graph.entity(other))
                .for_each(|entity| count(graph.layer.entity_passages(entity))),
        }
        counts
    }
}

impl Operator for OfEntities {
    fn declaration(&self) -> Declaration {
        Declaration::select(
            "texts of entities",
            match self.0 {
                By::Relations => {
                    "the texts of the nearest entities, those with most of their relations first"
                }
                By::Neighbours => {
                    "the texts of the nearest entities, those of most of their neighbours first"
                }
            },
        )
        .reads(&[P::ResultK])
    }

    fn run(&self, cx: &Context<'_>, inputs: &[Arc<Set>], _: &mut Desk<'_>) -> Outcome {
        let graph = cx.graph().source_as::<GivenGraph>();
        let near = inputs.first().map_or(&[][..], |set| &set.members);
        let mut all: Vec<Brought> = Vec::new();
        let mut seen = FxHashSet::default();
        for (member, place) in near.iter().zip(1..) {
            let Some(entity) = graph.entity(member.node) else {
                continue;
            };
            let (before, counts) = (all.len(), self.counts(graph, member.node));
            for &passage in graph.layer.entity_passages(entity) {
                if seen.insert(passage) {
                    all.push(Brought {
                        passage,
                        by: entity,
                        place,
                        count: counts.get(&passage).copied().unwrap_or(0),
                    });
                }
            }
            // Of equal counts the one that the entity names first.
            all[before..].sort_by_key(|own| std::cmp::Reverse(own.count));
        }
        Ok(ranking(cx, all, |own| near[own.place - 1].value))
    }

    fn explain(&self, at: &At<'_>, passage: u32) -> Explanation {
        let Some(own) = brought(at, passage) else {
            return Explanation::default();
        };
        let graph = at.graph().source_as::<GivenGraph>();
        let name = graph.layer.names.get(own.by as usize);
        let score = at.input(0).and_then(|near| {
            let members = &near.set().members;
            members.get(own.place - 1).map(|member| member.value)
        });
        let of = match self.0 {
            By::Relations => "relations",
            By::Neighbours => "neighbours",
        };
        let why = format!(
            "nearest {}; {} of its {of} are in this text",
            own.place, own.count
        );
        let sentence = format!("from '{name}', {why}");
        Explanation::of(
            vec![ScorePart::new(name, score.unwrap_or_default(), why)],
            sentence,
        )
    }

    /// The entity of the passage that is nearest to the question, and where it stands.
    fn refuse(&self, at: &At<'_>, passage: u32) -> Vec<Reason> {
        if brought(at, passage).is_some() {
            return Vec::new();
        }
        let graph = at.graph().source_as::<GivenGraph>();
        let known = at.input(0).map_or(0, |near| near.set().members.len());
        unselected(at, graph, known, passage)
    }
}

/// Why none of the entities that a search found, so many, is from a passage: where its nearest stands.
pub(super) fn unselected(
    at: &At<'_>,
    graph: &GivenGraph,
    known: usize,
    passage: u32,
) -> Vec<Reason> {
    if at.run.rank(passage).is_some() {
        return Vec::new();
    }
    let own = graph.entities_of(passage);
    if own.is_empty() {
        let text = "no entity of the graph is from this text";
        return vec![Reason::new(Code::Isolated, text)];
    }
    let Ok(Some((_, vector))) = at.context().dense() else {
        return Vec::new();
    };
    let all = graph.layer.meta.entities;
    let near = graph.layer.entity_vectors.nearest(vector, all);
    let near = near.unwrap_or_default();
    let first = near.iter().zip(1..).find(|((e, _), _)| own.contains(e));
    let Some(((entity, cosine), place)) = first else {
        return Vec::new();
    };
    let name = graph.layer.names.get(*entity as usize);
    let text = format!(
        "none of the {known} entities found is from this text; its nearest to the question, '{name}', is at {place} of {all} \
         with cosine {cosine:.3}"
    );
    let most = SEED_K.at(place.min(200)).1;
    let fix = at.tried_anywhere(passage, (SEED_K.id(), most));
    vec![Reason::new(Code::EntityNotSelected, text).with_fix(fix)]
}

impl Operator for InTurn {
    fn declaration(&self) -> Declaration {
        Declaration::select(
            "in turn",
            "the first of each list, the second of each ..., each text once",
        )
        .reads(&[P::ResultK])
    }

    fn run(&self, cx: &Context<'_>, inputs: &[Arc<Set>], _: &mut Desk<'_>) -> Outcome {
        let texts = |set: &Arc<Set>| set.members.iter().map(|member| member.node).collect();
        let lists: Vec<Vec<u32>> = inputs.iter().map(texts).collect();
        let lists: Vec<&[u32]> = lists.iter().map(|list| &**list).collect();
        let taken = (1..).zip(in_turn(&lists)).map(|(place, turn)| Brought {
            passage: turn.one,
            by: turn.list as u32,
            place,
            count: turn.rank,
        });
        let taken: Vec<Brought> = taken.collect();
        Ok(ranking(cx, taken, |own| 1.0 / own.place as f64))
    }

    fn explain(&self, at: &At<'_>, passage: u32) -> Explanation {
        let Some(own) = brought(at, passage) else {
            return Explanation::default();
        };
        let Some(input) = at.input(own.by as usize) else {
            return Explanation::default();
        };
        let list = input.operator().declaration().name;
        let inner = input.operator().explain(&input, passage).sentence;
        let why = match inner.is_empty() {
            true => format!("rank {} of its list", own.count),
            false => format!("rank {} of its list: {inner}", own.count),
        };
        let sentence = format!("taken in turn from {list}, {why}");
        let score = 1.0 / own.place as f64;
        Explanation::of(vec![ScorePart::new(list, score, why)], sentence)
    }

    fn lacks(&self, at: &At<'_>, passage: u32, other: u32) -> Vec<Lack> {
        let (Some(own), Some(theirs)) = (brought(at, passage), brought(at, other)) else {
            return Vec::new();
        };
        let turn = |own: &Brought| {
            let list = at.input(own.by as usize);
            let list = list.map_or("", |list| list.operator().declaration().name);
            format!("number {} of {list}", own.count)
        };
        let gap = 1.0 / theirs.place as f64 - 1.0 / own.place as f64;
        let title = at.index.called(other);
        let text = format!("it is {}, '{title}' {}", turn(&own), turn(&theirs));
        // Each list is by closeness.
        let code = match own.by == theirs.by {
            true => Code::FarVector,
            false => Code::OrderedLater,
        };
        Vec::from_iter(Lack::of(code, gap, text))
    }
}
