//! The skeleton part of the context: local search (KET-RAG, 3.3, skeleton channel; GraphRAG's local search without
//! communities).

use super::options::Core;
use super::skeleton::Skeleton;
use rustc_hash::{FxHashMap, FxHashSet};

/// An entity near the question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearEntity {
    pub entity: u32,
    /// Cosine: the order of Euclidean distance, since all vectors have length one.
    pub similarity: f32,
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
#[derive(Clone, Copy, Debug, PartialEq)]
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
    /// Place of the first selected entity that is linked to it.
    pub entity: usize,
    /// That entity's relations found in it.
    pub relations: usize,
    pub tokens: usize,
    pub packed: bool,
}

/// The skeleton part of one search.
#[derive(Clone, Debug, PartialEq)]
pub struct LocalPart {
    pub core: Core,
    /// B_s; half of it for entities and relations, half for units.
    pub budget: usize,
    /// All selected entities, nearest first; the packed ones come first.
    pub entities: Vec<NearEntity>,
    pub entity_tokens: usize,
    /// The relations of the context, in its order.
    pub relations: Vec<NearRelation>,
    pub relation_tokens: usize,
    pub steps: Vec<Step>,
    /// Relations of the last step that had too low a place among the outside ones, best first.
    pub capped: Vec<NearRelation>,
    /// In the order of packing; the packed ones come first.
    pub units: Vec<NearUnit>,
    pub unit_tokens: usize,
}

/// Units and capped relations kept beyond what was packed: what a trace shows.
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
pub fn local_search(
    skeleton: &Skeleton,
    nearest: &[(u32, f32)],
    unit_tokens: impl Fn(u32) -> usize,
    per_entity: usize,
    budget: usize,
) -> LocalPart {
    let half = budget / 2;
    let mut part = LocalPart {
        core: skeleton.core,
        budget,
        entities: Vec::new(),
        entity_tokens: 0,
        relations: Vec::new(),
        relation_tokens: 0,
        steps: Vec::new(),
        capped: Vec::new(),
        units: Vec::new(),
        unit_tokens: 0,
    };
    let mut open = true;
    for &(entity, similarity) in nearest {
        let tokens = skeleton.entity_tokens[entity as usize] as usize;
        open &= part.entity_tokens + tokens <= half;
        part.entity_tokens += if open { tokens } else { 0 };
        part.entities.push(NearEntity {
            entity,
            similarity,
            tokens,
            packed: open,
        });
    }
    relations(skeleton, per_entity, half, &mut part);
    units(skeleton, unit_tokens, half, &mut part);
    part
}

fn relations(skeleton: &Skeleton, per_entity: usize, half: usize, part: &mut LocalPart) {
    let mut selected: FxHashSet<u32> = FxHashSet::default();
    for added in 1..=part.entities.len() {
        selected.insert(part.entities[added - 1].entity);
        let (mut list, mut outside) = around(skeleton, &part.entities[..added], &selected);
        let inside = list.len();
        let capped = outside.split_off(outside.len().min(per_entity * added));
        list.append(&mut outside);
        let tokens: usize = list.iter().map(|r| r.tokens).sum();
        let kept = part.entity_tokens + tokens <= half;
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
        part.capped = capped;
        part.capped.truncate(BEYOND);
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

fn units(skeleton: &Skeleton, tokens: impl Fn(u32) -> usize, half: usize, part: &mut LocalPart) {
    let mut seen: FxHashSet<u32> = FxHashSet::default();
    let mut open = true;
    let mut beyond = 0;
    for (place, near) in part.entities.iter().enumerate() {
        let (units, relations) = skeleton.units(near.entity);
        let mut own: Vec<NearUnit> = units
            .iter()
            .zip(relations)
            .filter(|(unit, _)| seen.insert(**unit))
            .map(|(unit, relations)| NearUnit {
                unit: *unit,
                entity: place,
                relations: *relations as usize,
                tokens: tokens(*unit),
                packed: false,
            })
            .collect();
        own.sort_unstable_by(|a, b| b.relations.cmp(&a.relations).then(a.unit.cmp(&b.unit)));
        for mut unit in own {
            open &= part.unit_tokens + unit.tokens <= half;
            unit.packed = open;
            if open {
                part.unit_tokens += unit.tokens;
            } else if beyond == BEYOND {
                return;
            } else {
                beyond += 1;
            }
            part.units.push(unit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::merge::{Merged, MergedEntity, MergedRelation};
    use super::*;
    use crate::embed::{Identity, Kind, Vectors};

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
        Skeleton::lay_out(Core::ALL, 20, merged, vectors)
    }

    const NO_UNITS: [&[u32]; 6] = [&[]; 6];

    fn search(skeleton: &Skeleton, near: &[u32], per_entity: usize, budget: usize) -> LocalPart {
        let near: Vec<(u32, f32)> = near.iter().map(|e| (*e, 0.5)).collect();
        local_search(skeleton, &near, |_| 10, per_entity, budget)
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
        assert_eq!((part.capped.len(), part.steps[0].capped), (3, 3));
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
        let order: Vec<(u32, usize, usize, bool)> = part
            .units
            .iter()
            .map(|u| (u.unit, u.entity, u.relations, u.packed))
            .collect();
        // Ten tokens each, half of 60 holds three.
        assert_eq!(
            order,
            [
                (9, 0, 2, true),
                (7, 0, 1, true),
                (3, 0, 0, true),
                (2, 1, 0, false)
            ]
        );
        assert_eq!(part.unit_tokens, 30);
        assert_eq!(search(&g, &[], 10, 60).used(), 0);
        let nothing = search(&g, &[0], 10, 0);
        assert_eq!((nothing.used(), nothing.relations.len()), (0, 0));
    }
}
