//! Nodes and edges under construction.

use super::decompose::{Decomposed, identity};
use super::node::{KINDS, Kind};
use crate::graph::adjacency::{Adjacency, undirected};
use crate::text::span;
use rustc_hash::FxHashMap;

/// A node before the kinds are put one behind the other: its kind, and its number among its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub kind: Kind,
    pub at: u32,
}

/// A T node: a passage, or a part of its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    pub passage: u32,
    /// Byte range in the passage's text, without the title.
    pub start: u32,
    pub end: u32,
}

impl Piece {
    /// What it holds of its passage's text.
    pub fn of(self, text: &str) -> &str {
        span::clipped(text, self.start as usize..self.end as usize)
    }
}

/// The graph under construction. What has equal content is one node; its weight counts occurrences.
#[derive(Default)]
pub struct Draft {
    pub pieces: Vec<Piece>,
    /// Content by kind; T has none of its own.
    pub labels: [Vec<String>; KINDS],
    pub weights: [Vec<u32>; KINDS],
    /// Only ever asked, never listed.
    known: FxHashMap<(Kind, String), u32>,
    /// One entry per time an edge was made.
    ties: Vec<(Place, Place)>,
    /// S-R edges, which the code of the source does not have.
    pub stated: Vec<(Place, Place)>,
    /// Of every S: what it is about, where its text does not say so.
    pub about: Vec<String>,
    /// Of every N: how many of its mentions were taken for a person's.
    pub persons: Vec<u32>,
    /// Of every A, then every H: the S it was made from.
    pub sources: [Vec<Vec<u32>>; 2],
}

impl Draft {
    pub fn count(&self, kind: Kind) -> usize {
        match kind {
            Kind::Text => self.pieces.len(),
            kind => self.labels[kind as usize].len(),
        }
    }

    /// The node with this identity; a new one has this label. Its weight grows by one.
    pub fn node(&mut self, kind: Kind, identity: &str, label: &str) -> Place {
        let next = self.labels[kind as usize].len() as u32;
        let at = *self
            .known
            .entry((kind, identity.to_owned()))
            .or_insert(next);
        if at == next {
            self.labels[kind as usize].push(label.to_owned());
            self.weights[kind as usize].push(0);
        }
        self.weights[kind as usize][at as usize] += 1;
        Place { kind, at }
    }

    /// One more time this edge.
    pub fn tie(&mut self, a: Place, b: Place) {
        self.ties.push((a.min(b), a.max(b)));
    }

    /// Adds a text and what it was taken apart into. Its own edges to its units stand with the others; they count from
    /// the insertion of texts on only, which [`Draft::edges`] is told by the kinds it is asked for.
    pub fn add(&mut self, piece: Piece, decomposed: &Decomposed) {
        let text = Place {
            kind: Kind::Text,
            at: self.pieces.len() as u32,
        };
        self.pieces.push(piece);
        self.weights[Kind::Text as usize].push(1);
        for unit in &decomposed.units {
            let label = if unit.about.is_empty() {
                unit.text.clone()
            } else {
                format!("{}: {}", unit.about, unit.text)
            };
            let node = self.node(Kind::Unit, &label, &label);
            if node.at as usize == self.about.len() {
                self.about.push(unit.about.clone());
            }
            self.tie(text, node);
            let mut listed = Vec::new();
            for entity in &unit.entities {
                listed.push(self.entity(node, &entity.name, entity.person));
            }
            for relation in &unit.relations {
                let mut end = |name: &str| {
                    let own = identity(name);
                    let known = listed.iter().find(|e: &&Place| {
                        self.labels[Kind::Entity as usize][e.at as usize] == own
                    });
                    match known.copied() {
                        Some(known) => known,
                        // First seen in a relation: an entity of the unit like the others.
                        None => {
                            let new = self.entity(node, name, false);
                            listed.push(new);
                            new
                        }
                    }
                };
                let (a, b) = (end(&relation.source), end(&relation.target));
                if a != b {
                    let line = format!(
                        "{} {} {}",
                        relation.source, relation.predicate, relation.target
                    );
                    self.relation(node, a, b, &line);
                }
            }
        }
    }

    fn entity(&mut self, unit: Place, name: &str, person: bool) -> Place {
        let own = identity(name);
        let node = self.node(Kind::Entity, &own, &own);
        if node.at as usize == self.persons.len() {
            self.persons.push(0);
        }
        self.persons[node.at as usize] += u32::from(person);
        self.tie(unit, node);
        node
    }

    /// All predicates between two entities share one node, whatever their order.
    fn relation(&mut self, unit: Place, a: Place, b: Place, line: &str) {
        let pair = format!("{} {}", a.at.min(b.at), a.at.max(b.at));
        let node = self.node(Kind::Relation, &pair, line);
        let label = &mut self.labels[Kind::Relation as usize][node.at as usize];
        if !label.lines().any(|known| known == line) {
            label.push('\n');
            label.push_str(line);
        }
        self.tie(a, node);
        self.tie(node, b);
        self.stated.push((unit.min(node), unit.max(node)));
    }

    /// The edges between nodes of these kinds with how often each was made, ascending.
    pub fn edges(&self, kinds: &[Kind]) -> Vec<(Place, Place, u32)> {
        let inside = |p: &Place| kinds.contains(&p.kind);
        let ties = self.ties.iter().filter(|(a, b)| inside(a) && inside(b));
        counted(ties.copied().collect())
    }

    /// S-R edges with how often each was made, ascending.
    pub fn stated(&self) -> Vec<(Place, Place, u32)> {
        counted(self.stated.clone())
    }

    /// Where the nodes of each kind begin when all stand one behind the other; the last is their number.
    pub fn starts(&self) -> [u32; KINDS + 1] {
        let mut starts = [0; KINDS + 1];
        for kind in Kind::ALL {
            starts[kind as usize + 1] = starts[kind as usize] + self.count(kind) as u32;
        }
        starts
    }

    /// The graph of these kinds alone, which must follow each other, and the number its first node has in the whole.
    pub fn graph(&self, kinds: &[Kind]) -> (Adjacency, u32) {
        let starts = self.starts();
        let first = kinds.iter().min().map_or(0, |&k| starts[k as usize]);
        let last = kinds.iter().max().map_or(0, |&k| starts[k as usize + 1]);
        let number = |p: Place| starts[p.kind as usize] + p.at - first;
        let edges = self.edges(kinds);
        let edges = edges
            .iter()
            .map(|&(a, b, n)| (number(a), number(b), n as f32));
        (undirected((last - first) as usize, edges), first)
    }
}

fn counted(mut ties: Vec<(Place, Place)>) -> Vec<(Place, Place, u32)> {
    ties.sort_unstable();
    ties.chunk_by(|a, b| a == b)
        .map(|same| (same[0].0, same[0].1, same.len() as u32))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::decompose::{EntityOut, RelationOut, UnitOut};
    use super::*;

    fn unit(text: &str, entities: &[&str], relations: &[(&str, &str, &str)]) -> Decomposed {
        let entities = entities.iter().map(|name| EntityOut {
            name: (*name).into(),
            person: *name == "Ada",
        });
        let relations = relations.iter().map(|(a, r, b)| RelationOut {
            source: (*a).into(),
            predicate: (*r).into(),
            target: (*b).into(),
        });
        Decomposed {
            units: vec![UnitOut {
                text: text.into(),
                about: String::new(),
                entities: entities.collect(),
                relations: relations.collect(),
            }],
            by_model: false,
        }
    }

    const PIECE: Piece = Piece {
        passage: 0,
        start: 0,
        end: 1,
    };

    #[test]
    fn equal_content_is_one_node_and_pairs_are_unordered() {
        let mut draft = Draft::default();
        let first = unit("x", &["Ada", "Leeds"], &[("Ada", "left", "Leeds")]);
        draft.add(PIECE, &first);
        let second = unit(
            "y",
            &["ada"],
            &[("Leeds", "praised", "Ada"), ("Ada", "left", "Leeds")],
        );
        draft.add(
            Piece {
                passage: 1,
                ..PIECE
            },
            &second,
        );
        draft.add(
            Piece {
                passage: 2,
                ..PIECE
            },
            &first,
        );
        assert_eq!(draft.starts(), [0, 3, 5, 7, 8, 8, 8, 8]);
        assert_eq!(draft.labels[Kind::Entity as usize], ["ADA", "LEEDS"]);
        assert_eq!(
            draft.labels[Kind::Relation as usize],
            ["Ada left Leeds\nLeeds praised Ada"]
        );
        // ADA in three units (one twice), LEEDS likewise: in y it comes from the relation.
        assert_eq!(draft.weights[Kind::Entity as usize], [3, 3]);
        assert_eq!(draft.persons, [2, 0]);
        assert_eq!(draft.weights[Kind::Unit as usize], [2, 1]);
        assert_eq!(draft.weights[Kind::Relation as usize], [4]);
        let (g, first) = draft.graph(&[Kind::Unit, Kind::Entity, Kind::Relation]);
        assert_eq!((first, g.node_count()), (3, 5));
        // x - ADA twice, y - ADA once; ADA - R four times.
        assert_eq!(g.neighbors_slice(2), [0, 1, 4]);
        assert_eq!(g.edges_slice(2), [2.0, 1.0, 4.0]);
        let texts = draft.edges(&[Kind::Text, Kind::Unit]);
        assert_eq!(texts.len(), 3);
        assert_eq!(
            draft.stated().iter().map(|e| e.2).collect::<Vec<_>>(),
            [2, 2]
        );
    }

    #[test]
    fn a_relation_of_an_entity_with_itself_is_none() {
        let mut draft = Draft::default();
        draft.add(PIECE, &unit("x", &["Ada"], &[("Ada", "met", "ADA")]));
        assert_eq!(draft.count(Kind::Relation), 0);
        assert_eq!(draft.count(Kind::Entity), 1);
    }
}
