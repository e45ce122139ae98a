//! What is wrong with a graph and its passages, whatever is asked: read once, and held against lost passages.

use crate::explain::lookalike::{names_of, pairs};
use crate::index::Index;
use crate::layers::{Graph, Node};
use crate::retrieve::Retrieval;
use crate::text::lexicon::classes;
use crate::text::{Language, Variant};
use petgraph::unionfind::UnionFind;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use xxhash_rust::xxh3::xxh3_64;

/// Two names are told as probably one from this strength on.
pub const SURE: f64 = 0.5;

/// Two nodes that are probably one name.
#[derive(Clone, Debug, PartialEq)]
pub struct AlikePair {
    /// The lower node.
    pub a: Node,
    /// The other.
    pub b: Node,
    /// The rule that makes them alike.
    pub variant: Variant,
    /// Whether the shorter one may stand for more than one name.
    pub ambiguous: bool,
}

/// The graph of a method with its faults.
pub(super) struct Anatomy {
    pub graph: Arc<Graph>,
    /// Of every node: whether it is a hub.
    pub hubs: Vec<bool>,
    /// Of every node: the number of its component.
    pub component: Vec<u32>,
    /// Passages of every component that has any, most first.
    pub sizes: Vec<usize>,
    /// The component with most passages.
    pub largest: u32,
    /// Of every passage: whether no node of it has an edge.
    pub isolated: Vec<bool>,
    /// Of every passage: whether no name was found in it, whatever the settings mask.
    pub nameless: Vec<bool>,
    /// Of every node: whether it is a name and a single word of the language.
    pub words: Vec<bool>,
    /// Pairs of names that are probably one.
    pub pairs: Vec<AlikePair>,
}

/// Whether a name is one word that is a function word or a common one.
fn common(language: Language, label: &str) -> bool {
    let lower = label.to_lowercase();
    !lower.contains(char::is_whitespace)
        && (language.is_function_word(&lower) || (language.is_english() && classes(&lower) != 0))
}

/// Of every node the number of its component.
pub(super) fn component_of(graph: &Graph) -> Vec<u32> {
    let nodes = graph.nodes() as Node;
    let mut sets = UnionFind::<u32>::new(nodes as usize);
    for node in 0..nodes {
        for (other, _) in graph.neighbours(node) {
            sets.union(node, other);
        }
    }
    sets.into_labeling()
}

/// Of every passage whether no node of it has an edge.
pub(super) fn isolated(graph: &Graph) -> Vec<bool> {
    let joined = |node: &u32| graph.degree(*node) > 0;
    (0..graph.passages() as u32)
        .map(|passage| !graph.nodes_of(passage).iter().any(joined))
        .collect()
}

impl Anatomy {
    /// Reads a graph. `progress` hears of names compared, and of all; it stops the reading by returning false.
    pub fn of(
        index: &Index,
        graph: &Arc<Graph>,
        progress: impl Fn(usize, usize) -> bool + Sync,
    ) -> Option<Anatomy> {
        let nodes = graph.nodes() as Node;
        let from = graph.hub();
        let names: Vec<Node> = (0..nodes).filter(|&node| graph.is_name(node)).collect();
        let passages = 0..index.len() as u32;
        let component = component_of(graph);
        let mut sizes: BTreeMap<u32, usize> = BTreeMap::new();
        let degree = |node: &u32| graph.degree(*node) > 0;
        let isolated = isolated(graph);
        for passage in passages.clone().filter(|p| !isolated[*p as usize]) {
            // A passage of several nodes lies where its first joined one does.
            let nodes = graph.nodes_of(passage);
            if let Some(node) = nodes.iter().find(|node| degree(node)) {
                *sizes.entry(component[*node as usize]).or_default() += 1;
            }
        }
        let most = sizes.iter().max_by_key(|(_, size)| **size);
        let largest = most.map_or(u32::MAX, |(own, _)| *own);
        let mut sizes: Vec<usize> = sizes.into_values().collect();
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        let nameless = |p: u32| match graph.entities() {
            Some(view) => view.graph.row(p as usize).0.is_empty(),
            None => !names.is_empty() && names_of(graph, p).is_empty(),
        };
        let mut words = vec![false; nodes as usize];
        for &node in &names {
            words[node as usize] = common(index.language(), &graph.label(index, node));
        }
        Some(Anatomy {
            hubs: (0..nodes).map(|node| graph.degree(node) >= from).collect(),
            component,
            sizes,
            largest,
            nameless: passages.map(nameless).collect(),
            isolated,
            words,
            pairs: alike(index, graph, &names, progress)?,
            graph: graph.clone(),
        })
    }

    /// The components of a passage's nodes.
    pub fn components(&self, passage: u32) -> impl Iterator<Item = u32> + '_ {
        let nodes = self.graph.nodes_of(passage).to_vec().into_iter();
        nodes.map(|node| self.component[node as usize])
    }

    /// Whether a passage that has names has only such as are single words of the language.
    pub fn only_words(&self, passage: u32) -> bool {
        let names = names_of(&self.graph, passage);
        !names.is_empty() && names.iter().all(|node| self.words[*node as usize])
    }

    /// The nodes that a run started from, where it ran on this graph.
    pub fn seeds(&self, index: &Arc<Index>, run: &Retrieval) -> Vec<Node> {
        if let Some(walk) = run.walk() {
            let seeds = walk.seeds().iter().map(|seed| seed.node);
            return seeds
                .filter(|_| walk.graph.kind == self.graph.kind)
                .collect();
        }
        let starts = run.starts(index);
        let own = starts.filter(|at| at.graph().kind == self.graph.kind);
        let members = own.flat_map(|at| at.set().members.iter().map(|member| member.node));
        members.collect()
    }

    /// Of every node: whether a way from a seed leads there over nodes none of which is a hub. What is looked for may be one.
    pub fn reached_around_hubs(&self, seeds: &[Node]) -> Vec<bool> {
        let mut reached = vec![false; self.graph.nodes()];
        let mut open: Vec<Node> = Vec::new();
        for &seed in seeds {
            if !std::mem::replace(&mut reached[seed as usize], true) {
                open.push(seed);
            }
        }
        while let Some(node) = open.pop() {
            if self.hubs[node as usize] {
                continue;
            }
            for (next, _) in self.graph.neighbours(node) {
                if !std::mem::replace(&mut reached[next as usize], true) {
                    open.push(next);
                }
            }
        }
        reached
    }
}

/// Every pair of names that are probably one, once.
fn alike(
    index: &Index,
    graph: &Graph,
    names: &[Node],
    progress: impl Fn(usize, usize) -> bool + Sync,
) -> Option<Vec<AlikePair>> {
    let done = AtomicUsize::new(0);
    let spellings = graph.spellings(index);
    let of = |&node: &Node| {
        if !progress(done.fetch_add(1, Ordering::Relaxed), names.len()) {
            return None;
        }
        let label = graph.label(index, node);
        let all = pairs(graph, spellings, &label, Some(node)).into_iter();
        let later = all.filter(|pair| pair.node > node && pair.strength >= SURE);
        let told = later.map(|pair| AlikePair {
            a: node,
            b: pair.node,
            variant: pair.variant,
            ambiguous: pair.bearers > 1,
        });
        Some(told.collect::<Vec<_>>())
    };
    let found: Option<Vec<Vec<AlikePair>>> = names.par_iter().map(of).collect();
    Some(found?.concat())
}

/// Of every passage that is not the only one of its text, a number that those of one text share.
pub(super) fn twins(index: &Index) -> FxHashMap<u32, u64> {
    let all = index.len() as u32;
    let hashes: Vec<u64> = (0..all)
        .into_par_iter()
        .map(|p| xxh3_64(index.text(p).trim().as_bytes()))
        .collect();
    let mut times: FxHashMap<u64, usize> = FxHashMap::default();
    hashes
        .iter()
        .for_each(|h| *times.entry(*h).or_default() += 1);
    let own = (0..all).zip(hashes);
    own.filter(|(_, hash)| times[hash] > 1).collect()
}
