//! An entity graph with other edges: names joined, edges cut and added. The graph it is made of stays as it is.

use super::entities::{EntityGraph, Occurrence};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// The passages of a name with its mentions in each.
type Row = BTreeMap<u32, u16>;

/// Changes of a graph, as far as they were made. Every change says whether it found anything to change.
pub struct Rewiring<'a> {
    graph: &'a EntityGraph,
    /// Joined names and what each is now.
    now: FxHashMap<u32, u32>,
    /// Rows that differ from the graph's.
    rows: FxHashMap<u32, Row>,
    /// Mentions that are none any more: a name as the text has it, and a passage.
    gone: FxHashSet<(u32, u32)>,
}

impl<'a> Rewiring<'a> {
    pub fn new(graph: &'a EntityGraph) -> Rewiring<'a> {
        Rewiring {
            graph,
            now: FxHashMap::default(),
            rows: FxHashMap::default(),
            gone: FxHashSet::default(),
        }
    }

    /// The name that an entity is by now.
    pub fn now(&self, entity: u32) -> u32 {
        self.now.get(&entity).copied().unwrap_or(entity)
    }

    fn row(&mut self, entity: u32) -> &mut Row {
        let graph = self.graph;
        self.rows.entry(entity).or_insert_with(|| {
            let (row, tf) = graph.row(graph.passages + entity as usize);
            row.iter().copied().zip(tf.iter().copied()).collect()
        })
    }

    /// The first name is the second from now on; false where it is already.
    pub fn join(&mut self, from: u32, into: u32) -> bool {
        if from == into {
            return false;
        }
        for (passage, tf) in std::mem::take(self.row(from)) {
            let sum = self.row(into).entry(passage).or_insert(0);
            *sum = sum.saturating_add(tf);
        }
        for name in self.now.values_mut().filter(|name| **name == from) {
            *name = into;
        }
        self.now.insert(from, into);
        true
    }

    /// A passage mentions a name no longer; false where it did not.
    pub fn cut(&mut self, entity: u32, passage: u32) -> bool {
        if self.row(entity).remove(&passage).is_none() {
            return false;
        }
        let joined = self.now.iter().filter(|(_, now)| **now == entity);
        let spelt: Vec<u32> = joined.map(|(from, _)| *from).chain([entity]).collect();
        self.gone
            .extend(spelt.into_iter().map(|name| (name, passage)));
        true
    }

    /// A passage mentions a name once, at no place of its text; false where it did before.
    pub fn add(&mut self, entity: u32, passage: u32) -> bool {
        let row = self.row(entity);
        let fresh = !row.contains_key(&passage);
        row.entry(passage).or_insert(1);
        fresh
    }

    /// The graph with all changes. Names keep their numbers; one that was joined to another has no edges.
    pub fn finish(self) -> EntityGraph {
        let graph = self.graph;
        let (offsets, targets, tf) = self.adjacency();
        let stays = |name: u32, passage: u32| !self.gone.contains(&(name, passage));
        let mentions = (0..graph.passages).map(|passage| {
            let own = graph.occurrences(passage);
            let own = own.filter(move |m| stays(m.entity, passage as u32));
            own.map(|m| Occurrence {
                entity: self.now(m.entity),
                ..m
            })
        });
        let titles = graph.title_entity.iter().zip(graph.title_passage.iter());
        let titles = titles.filter(|(name, passage)| stays(**name, **passage));
        let mut titles: Vec<(u32, u32)> = titles
            .map(|(name, passage)| (self.now(*name), *passage))
            .collect();
        titles.sort_unstable();
        titles.dedup();
        let (title_entity, title_passage): (Vec<u32>, Vec<u32>) = titles.into_iter().unzip();
        let mut joined: Vec<(u32, u32)> =
            self.now.iter().map(|(from, now)| (*from, *now)).collect();
        joined.sort_unstable();
        EntityGraph {
            passages: graph.passages,
            names: graph.names.clone(),
            labels: graph.labels.clone(),
            sorted: graph.sorted.clone(),
            accented: graph.accented.clone(),
            inflected: graph.inflected.clone(),
            offsets: offsets.into(),
            targets: targets.into(),
            tf: tf.into(),
            title_entity: title_entity.into(),
            title_passage: title_passage.into(),
            aliases: graph.aliases.clone(),
            joined,
            ..EntityGraph::default()
        }
        .with_mentions(mentions.enumerate())
    }

    /// Offsets, targets and mentions of all rows, those of the passages first.
    fn adjacency(&self) -> (Vec<u32>, Vec<u32>, Vec<u16>) {
        let (graph, passages) = (self.graph, self.graph.passages);
        let mut changed = vec![false; graph.entities()];
        let mut of_passage: FxHashMap<u32, Vec<(u32, u16)>> = FxHashMap::default();
        for (&entity, row) in &self.rows {
            changed[entity as usize] = true;
            for (&passage, &tf) in row {
                let node = passages as u32 + entity;
                of_passage.entry(passage).or_default().push((node, tf));
            }
        }
        let mut offsets = Vec::with_capacity(graph.nodes() + 1);
        let mut targets = Vec::with_capacity(graph.targets.len() + self.rows.len());
        let mut tf = Vec::with_capacity(targets.capacity());
        offsets.push(0);
        for passage in 0..passages {
            let (row, own) = graph.row(passage);
            let kept = row.iter().copied().zip(own.iter().copied());
            let kept = kept.filter(|(node, _)| !changed[*node as usize - passages]);
            match of_passage.get_mut(&(passage as u32)) {
                Some(fresh) => {
                    fresh.extend(kept);
                    fresh.sort_unstable();
                    targets.extend(fresh.iter().map(|(node, _)| *node));
                    tf.extend(fresh.iter().map(|(_, tf)| *tf));
                }
                None => kept.for_each(|(node, own)| {
                    targets.push(node);
                    tf.push(own);
                }),
            }
            offsets.push(targets.len() as u32);
        }
        for entity in 0..graph.entities() {
            match self.rows.get(&(entity as u32)) {
                Some(row) => {
                    targets.extend(row.keys());
                    tf.extend(row.values());
                }
                None => {
                    let (row, own) = graph.row(passages + entity);
                    targets.extend_from_slice(row);
                    tf.extend_from_slice(own);
                }
            }
            offsets.push(targets.len() as u32);
        }
        (offsets, targets, tf)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Passage;
    use crate::index::{EntityOptions, Passages};

    fn graph() -> EntityGraph {
        let texts = [
            ("Nixon", "We saw Nixon and Dick Nixon in Rome. Nixon left."),
            ("Dick Nixon", "Dick Nixon liked Rome."),
            ("Rome", "Rome is old."),
        ];
        let passages = texts.map(|(title, text)| Passage {
            id: title.into(),
            title: title.into(),
            text: text.into(),
        });
        let options = EntityOptions {
            gazetteer: true,
            ..EntityOptions::default()
        };
        EntityGraph::build(&Passages::new(&passages), &options, |_| true).unwrap()
    }

    fn symmetric(graph: &EntityGraph) -> bool {
        (0..graph.nodes()).all(|node| {
            let (row, tf) = graph.row(node);
            let ascending = row.windows(2).all(|two| two[0] < two[1]);
            ascending
                && row.iter().zip(tf).all(|(other, tf)| {
                    let (back, back_tf) = graph.row(*other as usize);
                    let at = back.binary_search(&(node as u32));
                    at.is_ok_and(|at| back_tf[at] == *tf)
                })
        })
    }

    /// Mentions of a name in each passage.
    fn tf(graph: &EntityGraph, name: u32) -> Vec<u16> {
        let node = graph.passages as u32 + name;
        let of = |passage| {
            let (row, tf) = graph.row(passage);
            row.binary_search(&node).map_or(0, |at| tf[at])
        };
        (0..graph.passages).map(of).collect()
    }

    #[test]
    fn a_joined_name_hands_over_edges_mentions_titles_and_its_spelling() {
        let plain = graph();
        let [nixon, dick] = ["nixon", "dick nixon"].map(|name| plain.find(name).unwrap());
        let mut rewiring = Rewiring::new(&plain);
        assert!(rewiring.join(dick, nixon) && !rewiring.join(nixon, rewiring.now(dick)));
        let joined = rewiring.finish();
        assert!(symmetric(&plain) && symmetric(&joined));
        let (own, other) = (tf(&plain, nixon), tf(&plain, dick));
        assert!(own[0] > 0 && own[1] == 0 && other[0] > 0 && other[1] > 0);
        let sums: Vec<u16> = own.iter().zip(other).map(|(a, b)| a + b).collect();
        assert_eq!(tf(&joined, nixon), sums);
        assert_eq!([nixon, dick].map(|name| joined.df(name as usize)), [2, 0]);
        assert_eq!(joined.find("dick nixon"), Some(nixon));
        assert_eq!(joined.titled(nixon), [0, 1]);
        let mentioned = |p| joined.occurrences(p).any(|m| m.entity == dick);
        assert!(!mentioned(0) && !mentioned(1));
        let counts = [&plain, &joined].map(|graph| graph.occurrences(0).count());
        assert_eq!(counts[0], counts[1]);
    }

    #[test]
    fn what_is_cut_of_a_name_is_cut_of_those_joined_to_it() {
        let plain = graph();
        let [nixon, dick] = ["nixon", "dick nixon"].map(|name| plain.find(name).unwrap());
        let mut rewiring = Rewiring::new(&plain);
        assert!(rewiring.join(dick, nixon) && rewiring.cut(nixon, 1));
        let edited = rewiring.finish();
        assert!(symmetric(&edited));
        let mentioned = |p| {
            edited
                .occurrences(p)
                .any(|m| [nixon, dick].contains(&m.entity))
        };
        assert!(mentioned(0) && !mentioned(1));
    }

    #[test]
    fn a_cut_edge_takes_its_mentions_and_title_along_and_an_added_one_is_one_mention() {
        let plain = graph();
        let [nixon, rome] = ["nixon", "rome"].map(|name| plain.find(name).unwrap());
        let mut rewiring = Rewiring::new(&plain);
        assert!(rewiring.cut(nixon, 0) && !rewiring.cut(nixon, 0) && !rewiring.cut(nixon, 2));
        assert!(rewiring.add(nixon, 2) && !rewiring.add(rome, 2));
        let edited = rewiring.finish();
        assert!(symmetric(&edited));
        assert!(!edited.occurrences(0).any(|m| m.entity == nixon));
        assert!(edited.titled(nixon).is_empty() && !plain.titled(nixon).is_empty());
        assert_eq!(tf(&edited, nixon), [0, 0, 1]);
        assert_eq!(tf(&edited, rome), tf(&plain, rome));
        let ends = |graph: &EntityGraph, p| graph.occurrences(p).map(|m| m.end).collect::<Vec<_>>();
        assert_eq!(ends(&edited, 1), ends(&plain, 1));
        assert_eq!(ends(&edited, 2), ends(&plain, 2));
    }
}
