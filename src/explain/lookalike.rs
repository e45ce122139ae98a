//! Names that should be one: from the names of a passage that is missing to names that hold mass, or that the question
//! says, and are probably spelled otherwise.

use crate::index::Index;
use crate::layers::{Graph, GraphEdit, Link, Node};
use crate::retrieve::Retrieval;
use crate::text::folded::words;
use crate::text::spellings::BEARERS;
use crate::text::{Spellings, Variant, plural};
use serde::Serialize;
use std::borrow::Cow;
use std::sync::Arc;

/// A node with less than this part of all mass tells nothing.
const LEAST: f64 = 0.001;

/// Where a name of the run stands.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Holds {
    /// A node with so much of the walk's mass, out of 1.
    Mass(f64),
    /// A node that the question names, under a method without a walk.
    Named,
    /// The question says it, and no node has it.
    NoNode,
}

/// Two names that are probably one.
///
/// ```
/// # use hopscope::*; use std::sync::Arc;
/// # fn main() -> anyhow::Result<()> {
/// # let index = Arc::new(hopscope::index::sample::index()?);
/// # let method = |name: &str| Method::by_name(name).map_err(anyhow::Error::msg);
/// # let settings = Settings::of(&index, method("graph")?);
/// # let run = Retriever::new(index.clone()).retrieve("Who discovered Uranus?", &settings, Keep::Scores)?;
/// for pair in lookalikes(&index, &run, run.top()[0].passage) {
///     println!("{pair:?}");
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LookAlike {
    /// What the run holds.
    pub name: String,
    /// How.
    pub holds: Holds,
    /// What it looks like: a node of the graph.
    pub other: String,
    /// The walk's mass on that; none without a walk.
    pub other_mass: Option<f64>,
    /// Whether that is a name of the passage. Only where no node has `name` it may be none.
    pub of_passage: bool,
    /// The rule that makes them alike.
    pub variant: Variant,
    /// How many different names the shorter one may stand for by that rule: from 2 on it is ambiguous.
    pub bearers: usize,
    /// Passages in which both stand.
    pub together: usize,
    /// How sure it is that they are one, 0 to 1.
    pub strength: f64,
}

impl LookAlike {
    /// The edit that makes the two one; none where one of them is no node.
    pub fn join(&self) -> Option<GraphEdit> {
        let nodes = self.holds != Holds::NoNode;
        nodes.then(|| GraphEdit::Join {
            name: self.name.clone(),
            into: self.other.clone(),
        })
    }

    /// What is so, in one sentence.
    pub fn sentence(&self) -> String {
        let LookAlike { name, other, .. } = self;
        let mut text = match self.holds {
            Holds::Mass(mass) => {
                format!("{name} has mass {mass:.5}, but the passage mentions {other}")
            }
            Holds::Named => format!("the question has '{name}', the passage has '{other}'"),
            Holds::NoNode if self.of_passage => {
                format!("'{name}' is not in the graph; the passage mentions {other}")
            }
            Holds::NoNode => format!("'{name}' is not in the graph; nearest: {other}"),
        };
        // What would be printed as zero says nothing.
        let held = matches!(self.holds, Holds::Mass(_));
        if let Some(mass) = self.other_mass.filter(|mass| held && *mass >= 5e-6) {
            text.push_str(&format!(" (mass {mass:.5})"));
        }
        text.push_str(&format!(" ({}", self.variant.about()));
        if self.bearers > 1 {
            let more = if self.bearers < BEARERS {
                ""
            } else {
                " or more"
            };
            let others = plural(self.bearers - 1, "other");
            text.push_str(&format!(", as of {others}{more}"));
        }
        text.push(')');
        text
    }
}

/// Two nodes that are probably one name.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// The other node.
    pub node: Node,
    /// The rule that makes them alike.
    pub variant: Variant,
    /// As in [`LookAlike::bearers`].
    pub bearers: usize,
    /// As in [`LookAlike::together`].
    pub together: usize,
    /// As in [`LookAlike::strength`].
    pub strength: f64,
}

/// Passages in which both names stand.
fn together(graph: &Graph, a: Node, b: Node) -> usize {
    let (few, many) = match graph.degree(a) <= graph.degree(b) {
        true => (a, b),
        false => (b, a),
    };
    let passages = |node| {
        let beside = graph.neighbours(node).map(|(node, _)| node);
        beside.filter(|&node| graph.is_passage(node))
    };
    let (mut theirs, mut common) = (passages(many).peekable(), 0);
    // Rows ascend.
    for node in passages(few) {
        while theirs.next_if(|other| *other < node).is_some() {}
        common += usize::from(theirs.peek() == Some(&node));
    }
    common
}

/// The names of a graph that are probably one with this one, the surest first; `node` is the name's own, where it has one.
pub fn pairs(graph: &Graph, spellings: &Spellings, name: &str, node: Option<Node>) -> Vec<Pair> {
    let alike = spellings.alike(name).into_iter();
    let mut pairs: Vec<Pair> = alike
        .filter(|found| Some(found.number) != node)
        .map(|found| {
            let together = node.map_or(0, |node| together(graph, node, found.number));
            Pair {
                node: found.number,
                variant: found.variant,
                bearers: found.bearers,
                together,
                strength: found.variant.strength(found.bearers, together > 0),
            }
        })
        .filter(|pair| pair.strength > 0.0)
        .collect();
    pairs.sort_by(|a, b| b.strength.total_cmp(&a.strength).then(a.node.cmp(&b.node)));
    pairs
}

/// The names of a passage: those that its nodes are joined to.
pub fn names_of(graph: &Graph, passage: u32) -> Vec<Node> {
    let own = graph.nodes_of(passage);
    let beside = own.iter().flat_map(|&node| graph.all_neighbours(node));
    let names = beside.map(|(node, _)| node);
    let mut names: Vec<Node> = names.filter(|&node| graph.is_name(node)).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Finds names that probably denote the same entity as a name in the passage, and that have more mass or occur in the
/// question. The pair that would help the passage most comes first.
pub fn lookalikes(index: &Arc<Index>, run: &Retrieval, passage: u32) -> Vec<LookAlike> {
    // What came of an index that lies elsewhere are too few names to compare.
    let Some(graph) = graph_of(run).filter(|_| index.source().is_none()) else {
        return Vec::new();
    };
    let own = names_of(graph, passage);
    let alike = match graph.is_spelled() {
        true => own.clone(),
        false => likely(index, run, graph, &own),
    };
    let title = words(index.title(passage));
    let labels = alike.iter().map(|&node| graph.label(index, node));
    let asked: Vec<Cow<'_, str>> = labels.chain(missing(run).map(Cow::Borrowed)).collect();
    if asked.is_empty() {
        return Vec::new();
    }
    let spellings = graph.spelled_like(index, &asked);
    let mut found = held(index, run, graph, &spellings, (&own, &alike));
    found.extend(unlinked(index, run, graph, &spellings, &own));
    // The passage's title says best what it hangs on.
    let is_title = |alike: &LookAlike| alike.of_passage && words(&alike.other) == title;
    found.sort_by(|a, b| {
        let sure = b.1.strength.total_cmp(&a.1.strength);
        b.0.total_cmp(&a.0).then(sure)
    });
    let mut each: Vec<LookAlike> = Vec::new();
    for (_, alike) in found {
        match each.iter_mut().find(|known| known.name == alike.name) {
            Some(known) if is_title(&alike) && !is_title(known) => *known = alike,
            Some(_) => {}
            None => each.push(alike),
        }
    }
    each
}

/// The graph whose names are compared: that of the walk, else the last one that has names.
pub fn graph_of(run: &Retrieval) -> Option<&Arc<Graph>> {
    let walked = run.walk().map(|walk| walk.graph);
    let graphs = run
        .records
        .iter()
        .rev()
        .filter_map(|record| record.graph.as_ref());
    walked.or_else(|| graphs.into_iter().find(|graph| graph.kind.named))
}

/// A look-alike, and what a step from the joined name would give the passage, in parts of 1: it is shared by all that
/// name is joined to.
type Weighed = (f64, LookAlike);

/// Those of a passage's names that are like one which holds what they may lack. Few names hold anything, and of a large graph
/// all names are looked at for these alone: how many others have a surname, only all of them know.
fn likely(index: &Arc<Index>, run: &Retrieval, graph: &Graph, own: &[Node]) -> Vec<Node> {
    let holding: Vec<Node> = match run.walk() {
        Some(walk) => {
            let held = walk.spread.mass.reached();
            let held = held.filter(|(_, mass)| *mass >= LEAST);
            held.map(|(node, _)| node).collect()
        }
        None => run
            .names()
            .iter()
            .flat_map(|name| name.nodes.clone())
            .collect(),
    };
    let names = holding.into_iter().filter(|&node| graph.is_name(node));
    let some = Spellings::of(names.map(|node| (node, graph.label(index, node))));
    let is_like = |node: &Node| !held(index, run, graph, &some, (own, &[*node])).is_empty();
    own.iter().copied().filter(is_like).collect()
}

/// Names that hold what a name of the passage lacks: one of some of its `own`.
fn held(
    index: &Arc<Index>,
    run: &Retrieval,
    graph: &Graph,
    spellings: &Spellings,
    (own, some): (&[Node], &[Node]),
) -> Vec<Weighed> {
    let walked = run.walk();
    let mass = |node: Node| walked.map(|walk| walk.spread.mass[node as usize]);
    let linked = |node: Node| run.names().iter().any(|name| name.nodes.contains(&node));
    let mut found = Vec::new();
    for &node in some {
        let label = graph.label(index, node);
        for pair in pairs(graph, spellings, &label, Some(node)) {
            // What stands in the passage too gives it all it has.
            if own.binary_search(&pair.node).is_ok() {
                continue;
            }
            let other_mass = mass(node);
            let more = |held: f64| held - other_mass.unwrap_or(0.0);
            let (holds, given) = match mass(pair.node) {
                Some(held) if held >= LEAST && more(held) > 0.0 => (Holds::Mass(held), more(held)),
                None if linked(pair.node) && !linked(node) => (Holds::Named, 1.0),
                _ => continue,
            };
            let degree = (graph.degree(node) + graph.degree(pair.node)).max(1) as f64;
            let alike = LookAlike {
                name: graph.label(index, pair.node).into_owned(),
                holds,
                other: label.clone().into_owned(),
                other_mass,
                of_passage: true,
                variant: pair.variant,
                bearers: pair.bearers,
                together: pair.together,
                strength: pair.strength,
            };
            found.push((pair.strength * given / degree, alike));
        }
    }
    found
}

/// Names of the question that no node has.
fn missing(run: &Retrieval) -> impl Iterator<Item = &str> {
    let names = run.names().iter();
    let missing = names.filter(|name| name.link == Link::NotFound && !name.phrase);
    missing.map(|name| &*name.surface)
}

/// The same with what is like them, here first.
fn unlinked(
    index: &Arc<Index>,
    run: &Retrieval,
    graph: &Graph,
    spellings: &Spellings,
    own: &[Node],
) -> Vec<Weighed> {
    let walked = run.walk();
    let of = |name: &str| {
        let all = pairs(graph, spellings, name, None).into_iter();
        let told = all.map(|pair| {
            let of_passage = own.binary_search(&pair.node).is_ok();
            let given = if of_passage { pair.strength } else { 0.0 };
            let alike = LookAlike {
                name: name.to_owned(),
                holds: Holds::NoNode,
                other: graph.label(index, pair.node).into_owned(),
                other_mass: walked.map(|walk| walk.spread.mass[pair.node as usize]),
                of_passage,
                variant: pair.variant,
                bearers: pair.bearers,
                together: 0,
                strength: pair.strength,
            };
            (given, alike)
        });
        told.collect::<Vec<Weighed>>()
    };
    missing(run).flat_map(of).collect()
}

#[cfg(test)]
#[path = "lookalike_tests.rs"]
mod tests;
