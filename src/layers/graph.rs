//! The one graph that every method seeds, spreads over and selects from: nodes of any kinds, weighted edges, and which
//! passages each node stands for.

#![warn(missing_docs)]

use super::code::Code;
use super::entities::GraphView;
use crate::derived::once;
use crate::graph::Transition;
use crate::index::{Index, IndexError};
use crate::parameters::{Parameter, Scoped, Value};
use crate::text::Spellings;
use crate::text::forms::Run;
use crate::text::sieve::Sieve;
use rayon::prelude::*;
use serde::Serialize;
use sprs::CsMatI;
use std::any::Any;
use std::borrow::Cow;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A node of a graph, numbered from 0. On the entity graph passages come first (`0..passages`), then entities.
pub type Node = u32;

/// A name found in the question and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QueryName {
    /// As written in the question.
    pub surface: String,
    /// Byte range in the question; empty where the graph's own rule does not say.
    pub start: usize,
    /// Its end in the question, in bytes.
    pub end: usize,
    /// Its normal form, after alias linking: what is looked up.
    pub form: String,
    /// True when a title alias changed the form.
    pub aliased: bool,
    /// True when nothing has the form as the question writes it, and the one thing that differs in accents alone was taken.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unaccented: bool,
    /// True when no name was linked as the question writes it, and this one was found in any case, with or without accents.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub any_case: bool,
    /// True when nothing has the form as the question writes it, and the one thing with the stems of its words was taken:
    /// "Kepler" for "Keplers". Never in English.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub inflected: bool,
    /// A noun phrase of the question beside its names, where a graph looks those up too.
    #[serde(skip)]
    pub phrase: bool,
    /// Where it leads.
    pub link: Link,
    /// The nodes that it seeds: none unless linked, several where a graph has several of that name.
    #[serde(skip)]
    pub nodes: Vec<Node>,
}

impl QueryName {
    /// A name by a rule that knows its words and its nodes and no more.
    pub fn found(question: &str, surface: String, nodes: Vec<Node>) -> QueryName {
        let at = question.find(&surface);
        let (start, end) = at.map_or((0, 0), |start| (start, start + surface.len()));
        QueryName {
            start,
            end,
            form: surface.clone(),
            surface,
            aliased: false,
            unaccented: false,
            any_case: false,
            inflected: false,
            phrase: false,
            link: match nodes.first() {
                Some(&node) => Link::Linked { node },
                None => Link::NotFound,
            },
            nodes,
        }
    }

    /// A run of a question that is a name.
    pub fn of_run(question: &str, run: Run, nodes: Vec<Node>) -> QueryName {
        QueryName {
            inflected: run.inflected,
            ..QueryName::found(question, run.form, nodes)
        }
    }
}

/// What became of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "outcome")]
#[allow(missing_docs)] // the variants say what their fields are
pub enum Link {
    /// It is this node.
    Linked { node: Node },
    /// The same node as an earlier name of the question.
    Repeated { node: Node },
    /// No node has this form.
    NotFound,
    /// Two titles own this alias, so it was left as it is and no entity has its form.
    Ambiguous,
    /// The entity exists, but this setting masks it.
    Masked { node: Node, by: Mask },
}

/// Why an entity does not take part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mask {
    /// It is among the hubs that are left out.
    Pruned,
    /// It occurs in too few passages.
    MinDf,
    /// It occurs in too large a share of the passages.
    MaxDf,
    /// A person muted it.
    Muted,
}

/// Why two nodes are not neighbours.
#[derive(Clone, Debug, PartialEq)]
pub struct Unjoined {
    /// The verdict.
    pub code: Code,
    /// The evidence, in words.
    pub text: String,
    /// The value of a parameter under which they would be.
    pub change: Option<(Parameter, Value)>,
}

/// The words a layer has for the nodes and edges of its graph.
pub trait Source: Any + Send + Sync {
    /// Rows of neighbours with the probability of each step.
    fn transition(&self) -> &Transition;

    /// What kind of thing a node is: passage, entity, summary ...
    fn kind(&self, node: Node) -> &'static str;

    /// Whether it is known here what a node is called: of an excerpt, whether that came.
    fn is_called(&self, _node: Node) -> bool {
        true
    }

    /// A node in few words.
    fn label<'a>(&'a self, index: &'a Index, node: Node) -> Cow<'a, str>;

    /// What a node says, where that is more than its label.
    fn text<'a>(&'a self, _index: &'a Index, _node: Node) -> Cow<'a, str> {
        Cow::Borrowed("")
    }

    /// What joins two neighbours, in a word or two.
    fn edge_kind(&self, a: Node, b: Node) -> &'static str;

    /// What joins two neighbours as the data call it, where they do; else the kind.
    fn edge_name(&self, a: Node, b: Node) -> Cow<'static, str> {
        Cow::Borrowed(self.edge_kind(a, b))
    }

    /// What an edge rests on: the sentence, shared names, metrics. Empty where there is no more than its kind.
    fn evidence(&self, _index: &Index, _a: Node, _b: Node) -> String {
        String::new()
    }

    /// The passages a node stands for. A node of none, as a name is, only passes score on.
    fn passages(&self, node: Node) -> Cow<'_, [u32]>;

    /// How common a node is: a name seed weighs `df^-q`. Its neighbours, where the graph does not know better.
    fn frequency(&self, node: Node) -> u32 {
        self.transition().degree(node as usize) as u32
    }

    /// The names of a question by the graph's own rule.
    fn names(&self, _index: &Index, _question: &str, _values: Scoped<'_>) -> Vec<QueryName> {
        Vec::new()
    }

    /// The node that a person calls by this name, for edits of seeds.
    fn find(&self, index: &Index, name: &str, values: Scoped<'_>) -> Option<Node> {
        let named = self.names(index, name, values);
        let own = named.iter().find_map(|name| name.nodes.first().copied());
        own.or_else(|| {
            let nodes = 0..self.transition().nodes() as Node;
            nodes
                .into_iter()
                .find(|&node| self.label(index, node) == name)
        })
    }

    /// The nodes nearest to a question's vector with their cosines, nearest first.
    ///
    /// # Errors
    /// Vectors of another encoder.
    fn nearest(
        &self,
        _index: &Index,
        _vector: &[f32],
        _k: usize,
    ) -> Result<Vec<(Node, f32)>, IndexError> {
        Ok(Vec::new())
    }

    /// Why no edge joins any of some nodes to any of others, where the graph knows what an edge would take.
    fn unjoined(&self, _index: &Index, _from: &[Node], _to: &[Node]) -> Option<Unjoined> {
        None
    }

    /// Who made how much of the layer; empty where rules made all, unless facts could have been read.
    fn made_by(&self) -> String {
        String::new()
    }

    /// Where this is the graph of passages and entities (or words): what only that graph knows.
    fn entities(&self) -> Option<&GraphView> {
        None
    }
}

/// Which passages a node stands for, and back.
enum Incidence {
    /// Node p stands for passage p; later nodes for none.
    Same { passages: usize },
    /// Rows are nodes, columns passages; and the transpose of it.
    Rows {
        passages_of: CsMatI<(), u32>,
        nodes_of: CsMatI<(), u32>,
    },
}

/// The names of a graph by their spellings.
#[derive(Debug, Default)]
struct Spelled {
    /// All of them, where somebody asked for these.
    all: OnceLock<Arc<Spellings>>,
    /// Those like some names, which were asked for last: an explanation looks for them more than once.
    last: Mutex<Option<(Vec<String>, Arc<Spellings>)>>,
}

/// What graphs call a node that is a name.
const NAME: &str = "entity";
/// Of a hundred joined nodes, how many count as hubs, and the least neighbours that one has.
const HUBS: usize = 1;
const LEAST: usize = 5;

/// A graph with the two ways between its nodes and passages.
pub struct Graph {
    /// Different for every graph of this run of the program, unless a walk is the same on both: what was computed on one is
    /// remembered under it.
    pub id: u64,
    /// Which graph it is.
    pub kind: &'static super::GraphKind,
    source: Box<dyn Source>,
    incidence: Incidence,
    /// Passages of the index.
    passages: usize,
    /// See [`Graph::hub`].
    hub: OnceLock<usize>,
    /// See [`Graph::spellings`].
    spellings: Arc<Spelled>,
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let transition = self.transition();
        write!(
            f,
            "Graph({}, {} nodes, {} arcs)",
            self.kind.name,
            transition.nodes(),
            transition.arcs()
        )
    }
}

fn fresh_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl Graph {
    /// A graph whose nodes say for themselves which passages they stand for.
    pub fn new(kind: &'static super::GraphKind, source: Box<dyn Source>, passages: usize) -> Graph {
        let nodes = source.transition().nodes();
        let mut offsets = Vec::with_capacity(nodes + 1);
        let mut targets: Vec<u32> = Vec::new();
        offsets.push(0u32);
        // sprs wants rows ascending; the order of a node's passages carries no meaning.
        for node in 0..nodes as Node {
            let start = targets.len();
            targets.extend_from_slice(&source.passages(node));
            targets[start..].sort_unstable();
            let mut kept = start;
            for at in start..targets.len() {
                if at == start || targets[at] != targets[kept - 1] {
                    targets[kept] = targets[at];
                    kept += 1;
                }
            }
            targets.truncate(kept);
            offsets.push(kept as u32);
        }
        targets.shrink_to_fit();
        let data = vec![(); targets.len()];
        let passages_of = CsMatI::new((nodes, passages), offsets, targets, data);
        let nodes_of = passages_of.transpose_view().to_csr();
        Graph {
            id: fresh_id(),
            kind,
            source,
            incidence: Incidence::Rows {
                passages_of,
                nodes_of,
            },
            passages,
            hub: OnceLock::new(),
            spellings: Arc::default(),
        }
    }

    /// A graph whose first nodes are the passages.
    pub fn of_passages(
        kind: &'static super::GraphKind,
        source: Box<dyn Source>,
        passages: usize,
    ) -> Graph {
        Graph {
            id: fresh_id(),
            kind,
            source,
            incidence: Incidence::Same { passages },
            passages,
            hub: OnceLock::new(),
            spellings: Arc::default(),
        }
    }

    /// What its layer knows of nodes and edges.
    pub fn source(&self) -> &dyn Source {
        &*self.source
    }

    /// The layer's own type behind the graph, for operators that are that layer's alone.
    ///
    /// # Panics
    /// On a graph of another layer: a plan gives such operators no other, and a test runs all plans.
    pub fn source_as<S: Source>(&self) -> &S {
        match (&*self.source as &dyn Any).downcast_ref() {
            Some(source) => source,
            None => unreachable!("an operator of another layer on {}", self.kind.name),
        }
    }

    /// Itself, where it is a graph of passages and entities.
    pub fn entities(&self) -> Option<&GraphView> {
        self.source.entities()
    }

    /// Rows of neighbours with the probability of each step.
    pub fn transition(&self) -> &Transition {
        self.source.transition()
    }

    /// How many nodes it has.
    pub fn nodes(&self) -> usize {
        self.transition().nodes()
    }

    /// Passages of the index.
    pub fn passages(&self) -> usize {
        self.passages
    }

    /// Whether node p is passage p.
    pub fn is_of_passages(&self) -> bool {
        matches!(self.incidence, Incidence::Same { .. })
    }

    /// The passages a node stands for, ascending.
    pub fn passages_of(&self, node: Node) -> Row<'_> {
        match &self.incidence {
            Incidence::Same { passages } if (node as usize) < *passages => Row::One(node),
            Incidence::Same { .. } => Row::Many(&[]),
            Incidence::Rows { passages_of, .. } => Row::Many(row(passages_of, node)),
        }
    }

    /// The nodes that stand for a passage, ascending.
    pub fn nodes_of(&self, passage: u32) -> Row<'_> {
        match &self.incidence {
            Incidence::Same { passages } if (passage as usize) < *passages => Row::One(passage),
            Incidence::Same { .. } => Row::Many(&[]),
            Incidence::Rows { nodes_of, .. } => Row::Many(row(nodes_of, passage)),
        }
    }

    /// Whether a node stands for passages, and is no mere way to them.
    pub fn is_passage(&self, node: Node) -> bool {
        !self.passages_of(node).is_empty()
    }

    /// What of a node's score each of its passages gets: an even share.
    pub fn share(&self, node: Node) -> f64 {
        1.0 / self.passages_of(node).len().max(1) as f64
    }

    /// The degree from which a node is a hub: that of the hundredth part of the joined nodes that has most neighbours.
    pub fn hub(&self) -> usize {
        *once(&self.hub, || {
            let degrees = (0..self.nodes() as Node).map(|node| self.degree(node));
            let mut joined: Vec<usize> = degrees.filter(|degree| *degree > 0).collect();
            let at = joined.len() * HUBS / 100;
            match joined.len() {
                0 => usize::MAX,
                _ => (*joined.select_nth_unstable_by(at, |a, b| b.cmp(a)).1).max(LEAST),
            }
        })
    }

    /// Whether a node is a name: it may be one with another that is spelled otherwise. Words and keywords are none.
    pub fn is_name(&self, node: Node) -> bool {
        self.source.kind(node) == NAME
    }

    /// Whether it is known here what a node is called: of an excerpt, whether that came.
    pub fn is_called(&self, node: Node) -> bool {
        self.source.is_called(node)
    }

    /// Its names by their spellings, numbered as nodes. Made when first asked for.
    pub fn spellings(&self, index: &Index) -> &Arc<Spellings> {
        once(&self.spellings.all, || {
            let nodes = (0..self.nodes() as Node).filter(|&node| self.is_name(node));
            Arc::new(Spellings::of(
                nodes.map(|node| (node, self.label(index, node))),
            ))
        })
    }

    /// Whether [`spellings`](Self::spellings) were made.
    pub fn is_spelled(&self) -> bool {
        self.spellings.all.get().is_some()
    }

    /// The spellings that [`Spellings::alike`] needs for some names, and few others: all where they are made already.
    pub fn spelled_like<S: AsRef<str>>(&self, index: &Index, names: &[S]) -> Arc<Spellings> {
        if let Some(all) = self.spellings.all.get() {
            return all.clone();
        }
        let last = || {
            let last = self.spellings.last.lock();
            last.unwrap_or_else(PoisonError::into_inner)
        };
        let asked: Vec<String> = names.iter().map(|name| name.as_ref().to_owned()).collect();
        if let Some((_, known)) = last().as_ref().filter(|(names, _)| *names == asked) {
            return known.clone();
        }
        let through = |sieve: &Sieve| -> Vec<(Node, Cow<'_, str>)> {
            let nodes = (0..self.nodes() as Node).into_par_iter();
            let named = nodes.filter(|&node| self.is_name(node));
            let all = named.map(|node| (node, self.label(index, node)));
            all.filter(|(_, label)| sieve.passes(label)).collect()
        };
        let sieve = Sieve::of(names);
        let mut passed = through(&sieve);
        let labels = passed.iter().map(|(_, label)| &**label);
        if let Some(wider) = sieve.with_bearers(labels) {
            passed = through(&wider);
        }
        let some = Arc::new(Spellings::of(passed.into_iter()));
        *last() = Some((asked, some.clone()));
        some
    }

    /// With the spellings of a graph whose nodes have the same names: they are made once for both.
    #[must_use]
    pub fn spelled_as(self, other: &Graph) -> Graph {
        Graph {
            spellings: other.spellings.clone(),
            ..self
        }
    }

    /// The same to walks as another graph.
    #[must_use]
    pub fn walked_as(self, other: &Graph) -> Graph {
        Graph {
            id: other.id,
            ..self
        }
    }

    /// How many neighbours a node has.
    pub fn degree(&self, node: Node) -> usize {
        self.transition().degree(node as usize)
    }

    /// A node in few words.
    pub fn label<'a>(&'a self, index: &'a Index, node: Node) -> Cow<'a, str> {
        self.source.label(index, node)
    }

    /// What a node is called beside others: a passage by its identifier, as it often has the title of an entity next to
    /// it, and anything else by its label.
    pub fn named<'a>(&'a self, index: &'a Index, node: Node) -> Cow<'a, str> {
        match self.is_of_passages() && self.is_passage(node) {
            true => index.short(node).into(),
            false => self.label(index, node),
        }
    }

    /// The probability of one step from a node to another; 0 where they are not joined.
    pub fn probability(&self, from: Node, to: Node) -> f64 {
        self.transition().probability(from as usize, to as usize)
    }

    /// As [`neighbours`](Self::neighbours), for what lists them: of an excerpt, those that did not come are asked for.
    pub fn all_neighbours(&self, node: Node) -> impl Iterator<Item = (Node, f32)> + '_ {
        let view = self.entities();
        let partial = view.and_then(|view| view.graph.partial.as_ref());
        if let Some(partial) = partial {
            partial.asks_for_neighbours(node);
        }
        self.neighbours(node)
    }

    /// Neighbours and the weights of their edges, by node.
    pub fn neighbours(&self, node: Node) -> impl Iterator<Item = (Node, f32)> + '_ {
        let (targets, weights) = self.transition().row(node as usize);
        targets.iter().copied().zip(weights.iter().copied())
    }
}

/// A row of an incidence; a slice in all but where it lives.
#[derive(Clone, Copy, Debug)]
pub enum Row<'a> {
    /// A single passage or node.
    One(u32),
    /// Several, ascending.
    Many(&'a [u32]),
}

impl std::ops::Deref for Row<'_> {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        match self {
            Row::One(one) => std::slice::from_ref(one),
            Row::Many(many) => many,
        }
    }
}

fn row(rows: &CsMatI<(), u32>, at: u32) -> &[u32] {
    let range = rows.indptr().outer_inds_sz(at as usize);
    rows.indices().get(range).unwrap_or_default()
}
