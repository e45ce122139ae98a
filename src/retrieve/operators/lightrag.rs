//! How LightRAG chooses texts since version 1.4: entities and relations near the question bring their texts, and of all of them
//! those nearest to the question are taken; texts of entities and of relations then take turns.
//!
//! As published (`operate.py` of 1.5: `_perform_kg_search`, `_find_related_text_unit_from_*`), but that the question stands for
//! the keywords that a model finds in it, the vectors are this program's own, and neither the least cosine nor the limits of
//! tokens cut the lists of entities and relations. How versions before chose is [`super::given`].

use super::given::{Brought, IN_TURN, brought, in_turn, ranking};
use super::lists::DENSE;
use super::nearest::NEAREST;
use crate::layers::given::source::GivenGraph;
use crate::layers::{Code, GIVEN, Node};
use crate::parameters::{Parameter as P, SEED_K};
use crate::retrieve::explanation::{Explanation, Part as ScorePart, Reason};
use crate::retrieve::operator::{At, Context, Declaration, Desk, Operator, Outcome};
use crate::retrieve::plan::Plan;
use crate::retrieve::set::{Member, Origin, Set, Space};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::sync::Arc;

/// `related_chunk_number`: half as many texts are taken for each entity or relation.
const RELATED: usize = 5;

/// What a search found in the graph, in its order.
#[derive(Clone, Debug, Default)]
struct Found {
    entities: Vec<u32>,
    relations: Vec<u32>,
}

/// Entities near the question and the relations that join them to others.
#[derive(Debug)]
pub struct WithRelations;
/// Relations near the question and the entities at their ends.
#[derive(Debug)]
pub struct WithEnds;
/// What two searches found, in turn.
#[derive(Debug)]
pub struct Both;
/// Of what a search found: whose texts.
#[derive(Debug)]
pub enum TextsOf {
    Entities,
    /// Those that the first input's entities brought are left to it.
    Relations,
}

static WITH_RELATIONS: WithRelations = WithRelations;
static WITH_ENDS: WithEnds = WithEnds;
static BOTH: Both = Both;
static TEXTS_OF_ENTITIES: TextsOf = TextsOf::Entities;
static TEXTS_OF_RELATIONS: TextsOf = TextsOf::Relations;

fn of_entities(plan: &mut Plan) -> usize {
    let near = plan.on(&GIVEN, &NEAREST, &[]);
    plan.on(&GIVEN, &WITH_RELATIONS, &[near])
}

fn of_relations(plan: &mut Plan) -> usize {
    plan.on(&GIVEN, &WITH_ENDS, &[])
}

fn of_both(plan: &mut Plan) -> usize {
    let found = [of_entities(plan), of_relations(plan)];
    plan.on(&GIVEN, &BOTH, &found)
}

/// Texts of entities and of relations in turn, behind those of a list before.
fn texts(mut plan: Plan, found: usize, before: Option<usize>) -> Plan {
    let entities = plan.on(&GIVEN, &TEXTS_OF_ENTITIES, &[found]);
    let relations = plan.on(&GIVEN, &TEXTS_OF_RELATIONS, &[found, entities]);
    let lists: Vec<usize> = before.into_iter().chain([entities, relations]).collect();
    plan.step(&IN_TURN, &lists);
    plan
}

/// Mode local.
pub fn local() -> Plan {
    let mut plan = Plan::default();
    let found = of_entities(&mut plan);
    texts(plan, found, None)
}

/// Mode global.
pub fn global() -> Plan {
    let mut plan = Plan::default();
    let found = of_relations(&mut plan);
    texts(plan, found, None)
}

/// Mode hybrid: what local and global find in the graph, in turn.
pub fn hybrid() -> Plan {
    let mut plan = Plan::default();
    let found = of_both(&mut plan);
    texts(plan, found, None)
}

/// Mode mix: hybrid behind the nearest texts.
pub fn mix() -> Plan {
    let mut plan = Plan::default();
    let naive = plan.step(&DENSE, &[]);
    let found = of_both(&mut plan);
    texts(plan, found, Some(naive))
}

/// The entities of a search as a set.
fn entities(graph: &GivenGraph, found: Found, member: impl Fn(usize) -> (f64, Origin)) -> Set {
    let mut set = Set::new(Space::Nodes)
        .fact("entities", found.entities.len())
        .fact("relations", found.relations.len());
    let each = found.entities.iter().enumerate().map(|(at, &entity)| {
        let (value, from) = member(at);
        Member {
            node: graph.node(entity),
            value,
            from,
        }
    });
    set.members = each.collect();
    set.with(found)
}

impl Operator for WithRelations {
    fn declaration(&self) -> Declaration {
        Declaration::seed(
            "with relations",
            "the relations of the nearest entities, those that join the busiest first",
        )
    }

    fn run(&self, cx: &Context<'_>, inputs: &[Arc<Set>], _: &mut Desk<'_>) -> Outcome {
        let graph = cx.graph().source_as::<GivenGraph>();
        let near = inputs.first().map_or(&[][..], |set| &set.members);
        let near: Vec<&Member> = near
            .iter()
            .filter(|member| graph.entity(member.node).is_some())
            .collect();
        let mut seen = FxHashSet::default();
        let mut relations: Vec<(Reverse<usize>, f32, u32)> = Vec::new();
        for member in &near {
            let others: Vec<Node> = graph.others(member.node).collect();
            let own = others
                .iter()
                .flat_map(|other| graph.between(member.node, *other));
            let mut own: Vec<u32> = own.copied().filter(|one| seen.insert(*one)).collect();
            own.sort_unstable();
            let ranked = own.into_iter().map(|relation| {
                let ends = graph.layer.ends(relation).map(|end| graph.node(end));
                let rank: usize = ends.iter().map(|end| graph.others(*end).count()).sum();
                (
                    Reverse(rank),
                    graph.layer.weights[relation as usize],
                    relation,
                )
            });
            relations.extend(ranked);
        }
        // Stable: of equals the first entity's come first.
        relations.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
        let found = Found {
            entities: near
                .iter()
                .filter_map(|member| graph.entity(member.node))
                .collect(),
            relations: relations.iter().map(|one| one.2).collect(),
        };
        Ok(entities(graph, found, |at| (near[at].value, near[at].from)))
    }
}

impl Operator for WithEnds {
    fn declaration(&self) -> Declaration {
        Declaration::seed(
            "nearest relations",
            "the relations nearest to the question, and the entities at their ends",
        )
        .kind("score")
        .reads(&[P::SeedK])
        .needs_vectors(true)
    }

    fn run(&self, cx: &Context<'_>, _: &[Arc<Set>], _: &mut Desk<'_>) -> Outcome {
        let graph = cx.graph().source_as::<GivenGraph>();
        let Some((_, vector)) = cx.dense()? else {
            return Ok(entities(graph, Found::default(), |_| (0.0, Origin::Scored)).unread());
        };
        let near = graph.nearest_relations(cx.index, vector, cx.values.get(SEED_K))?;
        let mut found = Found::default();
        let mut by: Vec<(usize, f32)> = Vec::new();
        let mut seen = FxHashSet::default();
        for (&(relation, cosine), rank) in near.iter().zip(1..) {
            found.relations.push(relation);
            for end in graph.layer.ends(relation) {
                if seen.insert(end) {
                    found.entities.push(end);
                    by.push((rank, cosine));
                }
            }
        }
        Ok(entities(graph, found, |at| {
            let (rank, cosine) = by[at];
            (f64::from(cosine), Origin::Near { rank, cosine })
        }))
    }
}

impl Operator for Both {
    fn declaration(&self) -> Declaration {
        Declaration::seed(
            "both in turn",
            "entities and relations of two searches in turn, each once",
        )
    }

    fn run(&self, cx: &Context<'_>, inputs: &[Arc<Set>], _: &mut Desk<'_>) -> Outcome {
        let graph = cx.graph().source_as::<GivenGraph>();
        let none = Found::default();
        let found = |at: usize| inputs.get(at).and_then(|set| set.get()).unwrap_or(&none);
        let (one, other): (&Found, &Found) = (found(0), found(1));
        let turns = |lists: [&[u32]; 2]| in_turn(&lists).map(|turn| turn.one).collect();
        let both = Found {
            entities: turns([&one.entities, &other.entities]),
            relations: turns([&one.relations, &other.relations]),
        };
        let members = inputs.iter().flat_map(|set| &set.members);
        let members: Vec<&Member> = members.collect();
        let brought: Vec<&Member> = both
            .entities
            .iter()
            .filter_map(|&entity| {
                members
                    .iter()
                    .find(|m| m.node == graph.node(entity))
                    .copied()
            })
            .collect();
        Ok(entities(graph, both, |at| {
            (brought[at].value, brought[at].from)
        }))
    }
}

/// Which texts were there to choose from.
struct Choice {
    /// Passages with their cosines, nearest first; those behind `taken` were left out.
    near: Vec<(u32, f32)>,
    taken: usize,
    /// Entities or relations that brought any.
    of: usize,
}

impl TextsOf {
    fn passages<'a>(&self, graph: &'a GivenGraph, one: u32) -> &'a [u32] {
        match self {
            TextsOf::Entities => graph.layer.entity_passages(one),
            TextsOf::Relations => graph.layer.relation_passages(one),
        }
    }

    fn noun(&self) -> &'static str {
        match self {
            TextsOf::Entities => "entities",
            TextsOf::Relations => "relations",
        }
    }

    fn name(&self, graph: &GivenGraph, one: u32) -> String {
        let name = |entity: u32| graph.layer.names.get(entity as usize);
        match self {
            TextsOf::Entities => name(one).to_owned(),
            TextsOf::Relations => graph.layer.ends(one).map(name).join(" > "),
        }
    }
}

impl Operator for TextsOf {
    fn declaration(&self) -> Declaration {
        let (name, about) = match self {
            TextsOf::Entities => (
                "texts of entities by closeness",
                "of the texts of the entities those nearest to the question, 5 for every two entities",
            ),
            TextsOf::Relations => (
                "texts of relations by closeness",
                "of the other texts of the relations those nearest to the question, 5 for every two relations",
            ),
        };
        Declaration::select(name, about)
            .reads(&[P::ResultK])
            .needs_vectors(true)
    }

    fn run(&self, cx: &Context<'_>, inputs: &[Arc<Set>], _: &mut Desk<'_>) -> Outcome {
        let graph = cx.graph().source_as::<GivenGraph>();
        let found = inputs.first().and_then(|set| set.get::<Found>());
        let (Some(found), Some((dense, vector))) = (found, cx.dense()?) else {
            return Ok(ranking(cx, Vec::new(), |_| 0.0));
        };
        let choice = inputs.get(1).and_then(|set| set.get::<Choice>());
        let others = choice.map_or(&[][..], |choice| &choice.near[..choice.taken]);
        let others: FxHashSet<u32> = others.iter().map(|one| one.0).collect();
        let list = match self {
            TextsOf::Entities => &found.entities,
            TextsOf::Relations => &found.relations,
        };
        // Of each passage the first that brought it. An entity counts whether its texts are new or not, a relation where
        // one is.
        let mut by: Vec<Brought> = Vec::new();
        let mut seen = FxHashSet::default();
        let mut of = 0;
        for (&one, place) in list.iter().zip(1..) {
            let own = self.passages(graph, one);
            let before = by.len();
            let new = own
                .iter()
                .filter(|p| !others.contains(p) && seen.insert(**p));
            by.extend(new.map(|&passage| Brought {
                passage,
                by: one,
                place,
                count: 0,
            }));
            of += usize::from(match self {
                TextsOf::Entities => !own.is_empty(),
                TextsOf::Relations => by.len() > before,
            });
        }
        let probe = dense.vectors.probe(vector)?;
        let cosine = |own: &Brought| (own.passage, dense.vectors.score(&probe, own.passage));
        let mut near: Vec<(u32, f32)> = by.iter().map(cosine).collect();
        near.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let ranks: FxHashMap<u32, usize> = near.iter().map(|one| one.0).zip(1..).collect();
        for own in &mut by {
            own.count = ranks[&own.passage];
        }
        by.sort_unstable_by_key(|own| own.count);
        let taken = (RELATED * of / 2).min(near.len());
        by.truncate(taken);
        let set = ranking(cx, by, |own| f64::from(near[own.count - 1].1));
        let choice = Choice { near, taken, of };
        Ok(set
            .fact("texts to choose from", choice.near.len())
            .with(choice))
    }

    fn explain(&self, at: &At<'_>, passage: u32) -> Explanation {
        let (Some(own), Some(choice)) = (brought(at, passage), at.set().get::<Choice>()) else {
            return Explanation::default();
        };
        let graph = at.graph().source_as::<GivenGraph>();
        let name = self.name(graph, own.by);
        let cosine = choice.near.get(own.count - 1).map_or(0.0, |one| one.1);
        let why = format!(
            "number {} of the {}; by closeness {} of {} texts of {} {}",
            own.place,
            self.noun(),
            own.count,
            choice.near.len(),
            choice.of,
            self.noun()
        );
        let sentence = format!("from '{name}', {why}");
        Explanation::of(vec![ScorePart::new(name, f64::from(cosine), why)], sentence)
    }

    fn refuse(&self, at: &At<'_>, passage: u32) -> Vec<Reason> {
        let Some(choice) = at.set().get::<Choice>() else {
            return Vec::new();
        };
        let graph = at.graph().source_as::<GivenGraph>();
        let fix = |k: usize| at.tried_anywhere(passage, (SEED_K.id(), SEED_K.at(k).1));
        let place = choice.near.iter().position(|one| one.0 == passage);
        match (place, self) {
            (Some(place), _) if place >= choice.taken && at.run.rank(passage).is_none() => {
                let text = format!(
                    "it is one of the texts of the {} {} nearest to the question, but {} of {} by closeness, and {} are taken",
                    choice.of,
                    self.noun(),
                    place + 1,
                    choice.near.len(),
                    choice.taken
                );
                vec![Reason::new(Code::NotACandidate, text).with_fix(fix(200))]
            }
            (Some(_), _) | (None, TextsOf::Relations) => Vec::new(),
            (None, TextsOf::Entities) => super::given::unselected(at, graph, choice.of, passage),
        }
    }
}
