//! The skeleton part of the context: local search (KET-RAG, skeleton channel; GraphRAG's local search without communities).

use super::text::budget as text_budget;
use super::{left_out, more_room};
use crate::layers::skeleton::core_graph::Skeleton;
use crate::layers::skeleton::source::KetGraph;
use crate::layers::{Class, Code, Node};
use crate::parameters::{CONTEXT_TOKENS, Parameter as P, RELATIONS_PER_ENTITY};
use crate::retrieve::explanation::{Edge, Explanation, Reason, SHOWN, Story};
use crate::retrieve::operator::{At, Context, Declaration, Desk, Operator, Outcome};
use crate::retrieve::pack::{Misfit, Room};
use crate::retrieve::set::{Dropped, Member, Origin, Set, Space};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;
use serde_json::json;
use std::sync::Arc;

/// Entities, relations and units around the selected entities, in the skeleton's share of the context: half of it for
/// entities and relations, half for units.
#[derive(Debug)]
pub struct Local;

pub static LOCAL: Local = Local;

impl Operator for Local {
    fn declaration(&self) -> Declaration {
        Declaration::spread("local", "the entities' rows, their relations and their units, as many as the skeleton's part holds").kind("expand").reads(&[P::Theta, P::ContextTokens, P::RelationsPerEntity]).like("one-hop")
    }

    fn run(&self, cx: &Context<'_>, inputs: &[Arc<Set>], _: &mut Desk<'_>) -> Outcome {
        let source = KetGraph::of(cx.graph());
        let members = inputs.first().map_or(&[][..], |set| &set.members);
        let mut start = Start::default();
        for member in members {
            match source.beside(member.node) {
                Some(entity) => start.entities.push(entity),
                None => start.units.push(member.node),
            }
        }
        let budget = cx.values.get(CONTEXT_TOKENS) - text_budget(cx.values);
        let units = &source.layer.units;
        let per_entity = cx.values.get(RELATIONS_PER_ENTITY);
        let tokens = |unit| units.tokens(unit);
        let found = local_search(source.skeleton(), &start, tokens, per_entity, budget);
        Ok(set_of(source, found))
    }

    fn why(&self, at: &At<'_>, member: &Member) -> String {
        match member.from {
            Origin::Edge { from } => {
                let relations = member.value;
                format!(
                    "unit of '{}', {relations} of its relations here",
                    at.label(from)
                )
            }
            _ => at.origin(member),
        }
    }

    fn tell(&self, at: &At<'_>, story: &mut Story) {
        let mut stage = at.stage(story);
        let skeleton = KetGraph::of(at.graph()).skeleton();
        let relations = at
            .set()
            .get()
            .map_or(&[][..], |part: &LocalPart| &part.relations);
        for near in relations.iter().take(SHOWN) {
            let [from, to] = [&skeleton.source, &skeleton.target].map(|ends| {
                let entity = ends[near.relation as usize];
                story.node(at, KetGraph::of(at.graph()).first() + entity)
            });
            let told = skeleton.relation_descriptions.get(near.relation as usize);
            let links = match near.inside {
                true => "both ends selected".to_owned(),
                false => format!("{} selected linked to the other end", near.links),
            };
            stage.edges.push(Edge {
                from,
                to,
                value: near.rank as f64,
                kind: if near.inside { "inside" } else { "outside" }.into(),
                why: format!("rank {}, {links}: {told}", near.rank),
            });
        }
        story.push(stage);
    }

    fn explain(&self, at: &At<'_>, passage: u32) -> Explanation {
        let source = KetGraph::of(at.graph());
        let units = source.layer.units.of_passage(passage);
        let packed = at.set().members.iter().find(|m| units.contains(&m.node));
        let sentence = packed.map_or(String::new(), |member| match member.from {
            Origin::Edge { from } => {
                let entities = at.input(0).map_or(&[][..], |input| &input.set().members);
                let place = entities.iter().position(|m| m.node == from).unwrap_or(0);
                let near = entities.get(place).map_or(0.0, |entity| entity.value);
                format!(
                    "text of entity {} '{}' (similarity {near:.3}), {} of its relations here",
                    place + 1,
                    at.label(from),
                    member.value
                )
            }
            _ => at.origin(member),
        });
        Explanation {
            sentence,
            ..Explanation::default()
        }
    }

    fn refuse(&self, at: &At<'_>, passage: u32) -> Vec<Reason> {
        let units = left_out(at, passage);
        let Some(part) = at.set().get::<LocalPart>() else {
            return Vec::new();
        };
        let source = KetGraph::of(at.graph());
        let skeleton = source.skeleton();
        let name = |entity: u32| skeleton.names.get(entity as usize);
        let found = part.units.iter().position(|u| units.contains(&u.unit));
        let (class, text) = match found {
            Some(place) => {
                let needed: usize = part.units[..=place].iter().map(|u| u.tokens).sum();
                let short = needed.saturating_sub(part.half());
                let of = match part.units[place].entity {
                    Some(at) => format!(
                        "text of entity {} '{}'",
                        at + 1,
                        name(part.entities[at].entity)
                    ),
                    None => "added by you".to_owned(),
                };
                (Class::F6, format!("{of}, {short} tokens short"))
            }
            None => {
                // Selected, but so far down the list of units that it was not kept.
                let linked = |e: &&NearEntity| {
                    let own = |unit: &u32| skeleton.entities(*unit).contains(&e.entity);
                    units.iter().any(own)
                };
                let Some(entity) = part.entities.iter().find(linked) else {
                    return Vec::new();
                };
                let name = name(entity.entity);
                (
                    Class::F4,
                    format!("text of entity '{name}', far beyond the budget"),
                )
            }
        };
        let fix = more_room(at, passage, 1.0);
        vec![
            Reason::new(Code::BudgetCut, text)
                .class(class)
                .with_fix(fix),
        ]
    }
}

/// The packed units, what was cut, and the whole part.
fn set_of(source: &KetGraph, part: LocalPart) -> Set {
    let entity = |place: usize| source.first() + part.entities[place].entity;
    let packed = part.units.iter().filter(|unit| unit.packed);
    let members = packed.map(|unit| Member {
        node: unit.unit,
        value: unit.relations as f64,
        from: match unit.entity {
            Some(place) => Origin::Edge {
                from: entity(place),
            },
            None => Origin::Added,
        },
    });
    let cut = |node: Node, needed: usize| Dropped {
        node,
        code: Code::BudgetCut,
        margin: needed as f64 - part.half() as f64,
    };
    let mut dropped = Vec::new();
    let mut needed = part.entity_tokens;
    for (place, near) in part.entities.iter().enumerate().filter(|(_, e)| !e.packed) {
        needed += near.tokens;
        dropped.push(cut(entity(place), needed));
    }
    needed = part.unit_tokens;
    for unit in part.units.iter().filter(|unit| !unit.packed) {
        needed += unit.tokens;
        dropped.push(cut(unit.unit, needed));
    }
    let mut set = Set::new(Space::Nodes)
        .fact("tokens", part.used())
        .fact("budget", part.budget)
        .fact(
            "entities",
            part.entities.iter().filter(|e| e.packed).count(),
        )
        .fact("relations", part.relations.len())
        .fact("relations beyond the cap", part.capped)
        .fact("steps", json!(part.steps));
    set.members = members.collect();
    set.dropped = dropped;
    set.with(part)
}

/// What a local search starts from.
#[derive(Debug, Default)]
struct Start {
    /// The entities, nearest first: by cosine, the order of Euclidean distance, since all vectors have length one.
    entities: Vec<u32>,
    /// Units that a person added: they are packed first.
    units: Vec<u32>,
}

/// An entity near the question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearEntity {
    pub entity: u32,
    pub tokens: usize,
    pub packed: bool,
}

/// A relation of the context, or one that had no place there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearRelation {
    pub relation: u32,
    /// Both ends are selected entities.
    pub inside: bool,
    /// Selected entities that are linked to the outside end; 2 for a relation inside.
    pub links: usize,
    /// degree(source) + degree(target).
    pub rank: usize,
    pub tokens: usize,
}

/// What became of the relations when one more entity was added.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Step {
    /// Entities added so far.
    pub entities: usize,
    pub inside: usize,
    pub outside: usize,
    /// Relations left out because there are more than the allowed number per entity.
    pub capped: usize,
    /// Of entities and relations together.
    pub tokens: usize,
    /// False for the step that no longer fitted: the state before it stands.
    pub kept: bool,
}

/// A unit of a selected entity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearUnit {
    pub unit: u32,
    /// Place of the first selected entity that is linked to it; none where a person added it.
    pub entity: Option<usize>,
    /// That entity's relations found in it.
    pub relations: usize,
    pub tokens: usize,
    pub packed: bool,
}

/// The skeleton part of one search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LocalPart {
    /// B_s; half of it for entities and relations, half for units.
    pub budget: usize,
    /// All selected entities, nearest first; the packed ones come first.
    pub entities: Vec<NearEntity>,
    pub entity_tokens: usize,
    /// The relations of the context, in its order.
    pub relations: Vec<NearRelation>,
    pub relation_tokens: usize,
    pub steps: Vec<Step>,
    /// How many relations of the last step had too low a place among the outside ones.
    pub capped: usize,
    /// In the order of packing; the packed ones come first.
    pub units: Vec<NearUnit>,
    pub unit_tokens: usize,
}

/// Units kept beyond what was packed: what a trace shows.
const BEYOND: usize = 200;

impl LocalPart {
    pub fn half(&self) -> usize {
        self.budget / 2
    }

    pub fn used(&self) -> usize {
        self.entity_tokens + self.relation_tokens + self.unit_tokens
    }
}

/// Packs entities, relations and units around the entities nearest to the question.
///
/// The entities that relations start from are all selected ones, packed or not, as in the published code; its relation
/// table is filled anew for each entity that is added, so relations inside stay in front.
fn local_search(
    skeleton: &Skeleton,
    start: &Start,
    unit_tokens: impl Fn(u32) -> usize,
    per_entity: usize,
    budget: usize,
) -> LocalPart {
    let mut part = LocalPart {
        budget,
        ..LocalPart::default()
    };
    let mut room = Room::new(part.half(), Misfit::Stop);
    for &entity in &start.entities {
        let tokens = skeleton.entity_tokens[entity as usize] as usize;
        part.entities.push(NearEntity {
            entity,
            tokens,
            packed: room.takes(|| tokens),
        });
    }
    part.entity_tokens = room.used;
    relations(skeleton, per_entity, &mut part);
    units(skeleton, start, unit_tokens, &mut part);
    part
}

fn relations(skeleton: &Skeleton, per_entity: usize, part: &mut LocalPart) {
    let room = Room::new(part.half() - part.entity_tokens, Misfit::Stop);
    let mut selected: FxHashSet<u32> = FxHashSet::default();
    for added in 1..=part.entities.len() {
        selected.insert(part.entities[added - 1].entity);
        let (mut list, mut outside) = around(skeleton, &part.entities[..added], &selected);
        let inside = list.len();
        let capped = outside.split_off(outside.len().min(per_entity * added));
        list.append(&mut outside);
        let tokens: usize = list.iter().map(|r| r.tokens).sum();
        // Each state is tried in an empty room: the one before it gives way.
        let kept = { room }.takes(|| tokens);
        part.steps.push(Step {
            entities: added,
            inside,
            outside: list.len() - inside,
            capped: capped.len(),
            tokens: part.entity_tokens + tokens,
            kept,
        });
        if !kept {
            break;
        }
        part.relation_tokens = tokens;
        part.relations = list;
        part.capped = capped.len();
    }
}

/// The relations of the added entities: those inside by rank; those that lead outside by links, then rank.
fn around(
    skeleton: &Skeleton,
    added: &[NearEntity],
    selected: &FxHashSet<u32>,
) -> (Vec<NearRelation>, Vec<NearRelation>) {
    let mut seen: FxHashSet<u32> = FxHashSet::default();
    let (mut inside, mut outside) = (Vec::new(), Vec::new());
    let mut links: FxHashMap<u32, usize> = FxHashMap::default();
    let ends = |r: u32| (skeleton.source[r as usize], skeleton.target[r as usize]);
    let beyond = |r: u32| {
        let (source, target) = ends(r);
        if selected.contains(&source) {
            target
        } else {
            source
        }
    };
    for entity in added {
        for &relation in skeleton.relations(entity.entity) {
            if !seen.insert(relation) {
                continue;
            }
            let (source, target) = ends(relation);
            let both = selected.contains(&source) && selected.contains(&target);
            let found = NearRelation {
                relation,
                inside: both,
                links: 2,
                rank: skeleton.rank(relation),
                tokens: skeleton.relation_tokens[relation as usize] as usize,
            };
            if both {
                inside.push(found);
            } else {
                // Relations are merged by their ends: each counts another selected entity.
                *links.entry(beyond(relation)).or_default() += 1;
                outside.push(found);
            }
        }
    }
    for found in &mut outside {
        found.links = links[&beyond(found.relation)];
    }
    inside.sort_unstable_by(|a, b| b.rank.cmp(&a.rank).then(a.relation.cmp(&b.relation)));
    outside.sort_unstable_by(|a, b| {
        let order = |r: &NearRelation| (r.links, r.rank);
        order(b).cmp(&order(a)).then(a.relation.cmp(&b.relation))
    });
    (inside, outside)
}

fn units(skeleton: &Skeleton, start: &Start, tokens: impl Fn(u32) -> usize, part: &mut LocalPart) {
    let mut seen: FxHashSet<u32> = FxHashSet::default();
    let mut room = Room::new(part.half(), Misfit::Stop);
    let mut beyond = 0;
    let given = start.units.iter().map(|unit| (*unit, 0));
    let given = (None, given.collect::<Vec<_>>());
    let entities = part.entities.iter().enumerate().map(|(place, near)| {
        let (units, relations) = skeleton.units(near.entity);
        let own = units.iter().copied().zip(relations.iter().copied());
        (Some(place), own.collect())
    });
    for (entity, own) in std::iter::once(given).chain(entities) {
        let own = own.into_iter().filter(|(unit, _)| seen.insert(*unit));
        let mut own: Vec<(u32, u32)> = own.collect();
        own.sort_unstable_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        for (unit, relations) in own {
            let tokens = tokens(unit);
            let packed = room.takes(|| tokens);
            if !packed && beyond == BEYOND {
                part.unit_tokens = room.used;
                return;
            }
            beyond += usize::from(!packed);
            part.units.push(NearUnit {
                unit,
                entity,
                relations: relations as usize,
                tokens,
                packed,
            });
        }
    }
    part.unit_tokens = room.used;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::{Identity, Kind, Vectors};
    use crate::layers::skeleton::merge::{Merged, MergedEntity, MergedRelation};
    use crate::layers::skeleton::options::Core;

    /// Entities by name with their units; relations by the places of their ends, with their units. A row of an entity
    /// costs three tokens (name, description, degree), a row of a relation four.
    fn graph(entities: &[&[u32]], relations: &[(u32, u32, &[u32])]) -> Skeleton {
        let n = entities.len();
        let merged = Merged {
            entities: entities
                .iter()
                .enumerate()
                .map(|(i, units)| MergedEntity {
                    name: format!("N{i}"),
                    description: "d".into(),
                    mentions: 1,
                    units: units.to_vec(),
                })
                .collect(),
            relations: relations
                .iter()
                .map(|(source, target, units)| MergedRelation {
                    source: *source,
                    target: *target,
                    description: "r".into(),
                    weight: 1.0,
                    units: units.to_vec(),
                })
                .collect(),
        };
        let identity = Identity {
            name: "test".into(),
            kind: Kind::File,
            dims: 1,
            fingerprint: String::new(),
        };
        let vectors = Vectors::new(identity, vec![1.0; n]).unwrap();
        Skeleton::into_columns(Core::ALL, 20, merged, vectors)
    }

    const NO_UNITS: [&[u32]; 6] = [&[]; 6];

    fn search(skeleton: &Skeleton, near: &[u32], per_entity: usize, budget: usize) -> LocalPart {
        let start = Start {
            entities: near.to_vec(),
            units: Vec::new(),
        };
        local_search(skeleton, &start, |_| 10, per_entity, budget)
    }

    fn relations(part: &LocalPart) -> Vec<u32> {
        part.relations.iter().map(|r| r.relation).collect()
    }

    #[test]
    fn entities_are_packed_until_one_does_not_fit() {
        let g = graph(&[&[], &[], &[]], &[]);
        // Three tokens a row: half of 13 holds two.
        let part = search(&g, &[2, 0, 1], 10, 13);
        let packed: Vec<bool> = part.entities.iter().map(|e| e.packed).collect();
        assert_eq!((packed, part.entity_tokens), (vec![true, true, false], 6));
        let part = search(&g, &[2, 0, 1], 10, 18);
        assert_eq!(part.entity_tokens, 9);
    }

    #[test]
    fn inside_comes_first_by_rank_then_outside_by_links_and_rank() {
        // Selected 0, 1, 2; outside 3, 4, 5. Relations: r0 0-3, r1 0-1, r2 1-2, r3 1-4, r4 2-4, r5 3-5, r6 0-5.
        let pairs: [(u32, u32, &[u32]); 7] = [
            (0, 3, &[]),
            (0, 1, &[]),
            (1, 2, &[]),
            (1, 4, &[]),
            (4, 2, &[]),
            (3, 5, &[]),
            (5, 0, &[]),
        ];
        let g = graph(&NO_UNITS, &pairs);
        // Degrees: 0: 3, 1: 3, 2: 2, 3: 2, 4: 2, 5: 2.
        let part = search(&g, &[0, 1, 2], 10, 1000);
        // Inside: r1 (6) before r2 (5). Outside: 4 is linked to two selected: r3 (5), r4 (4); then 3 and 5 by one:
        // r0 (5), r6 (5). r5 touches none of the selected.
        assert_eq!(relations(&part), [1, 2, 3, 4, 0, 6]);
        let links: Vec<usize> = part.relations.iter().map(|r| r.links).collect();
        assert_eq!(links, [2, 2, 2, 2, 1, 1]);
        assert_eq!(part.relation_tokens, 24);
        let steps: Vec<(usize, usize)> = part.steps.iter().map(|s| (s.inside, s.outside)).collect();
        assert_eq!(steps, [(0, 3), (1, 4), (2, 4)]);
    }

    #[test]
    fn outside_relations_are_at_most_so_many_per_entity() {
        let pairs: Vec<(u32, u32, &[u32])> = (1..6).map(|i| (0, i, &[] as &[u32])).collect();
        let g = graph(&NO_UNITS, &pairs);
        let part = search(&g, &[0], 2, 1000);
        // All have one link and rank 6: the lower numbers stay.
        assert_eq!(relations(&part), [0, 1]);
        assert_eq!((part.capped, part.steps[0].capped), (3, 3));
        // Two entities may have four; the one between them counts as inside.
        let part = search(&g, &[0, 5], 2, 1000);
        assert_eq!(relations(&part), [4, 0, 1, 2, 3]);
    }

    #[test]
    fn the_state_before_stands_when_a_step_does_not_fit() {
        // Entity 0 has one relation, entity 1 brings three more.
        let pairs: [(u32, u32, &[u32]); 4] = [(0, 2, &[]), (1, 3, &[]), (1, 4, &[]), (1, 5, &[])];
        let g = graph(&NO_UNITS, &pairs);
        // Rows: 2 * 3 = 6 tokens, then 4 per relation: step 1 is 10, step 2 is 22. Half of 42 is 21.
        let part = search(&g, &[0, 1], 10, 42);
        assert_eq!((relations(&part), part.relation_tokens), (vec![0], 4));
        assert_eq!(part.steps.len(), 2);
        assert!(part.steps[0].kept && !part.steps[1].kept);
        assert_eq!(part.steps[1].tokens, 22);
        assert_eq!(relations(&search(&g, &[0, 1], 10, 44)), [1, 2, 3, 0]);
        // Nothing fits at all: the first step already stops.
        let part = search(&g, &[1, 0], 10, 30);
        assert_eq!((part.relations.len(), part.steps.len()), (0, 1));
    }

    #[test]
    fn units_come_by_entity_then_by_its_relations_there() {
        // Entity 0 in units 3, 7, 9: one relation in 7, two in 9. Entity 1 in 7 (already there) and 2.
        let pairs: [(u32, u32, &[u32]); 2] = [(0, 1, &[7, 9]), (0, 2, &[9])];
        let g = graph(&[&[3, 7, 9], &[2, 7], &[9]], &pairs);
        let part = search(&g, &[0, 1], 10, 60);
        let order: Vec<(u32, Option<usize>, usize, bool)> = part
            .units
            .iter()
            .map(|u| (u.unit, u.entity, u.relations, u.packed))
            .collect();
        // Ten tokens each, half of 60 holds three.
        assert_eq!(
            order,
            [
                (9, Some(0), 2, true),
                (7, Some(0), 1, true),
                (3, Some(0), 0, true),
                (2, Some(1), 0, false)
            ]
        );
        assert_eq!(part.unit_tokens, 30);
        assert_eq!(search(&g, &[], 10, 60).used(), 0);
        let nothing = search(&g, &[0], 10, 0);
        assert_eq!((nothing.used(), nothing.relations.len()), (0, 0));
    }

    #[test]
    fn units_added_by_hand_come_first() {
        let g = graph(&[&[3, 7]], &[]);
        let start = Start {
            entities: vec![0],
            units: vec![7, 5],
        };
        let part = local_search(&g, &start, |_| 10, 10, 40);
        let order: Vec<(u32, Option<usize>, bool)> = part
            .units
            .iter()
            .map(|u| (u.unit, u.entity, u.packed))
            .collect();
        assert_eq!(
            order,
            [(5, None, true), (7, None, true), (3, Some(0), false)]
        );
    }
}
