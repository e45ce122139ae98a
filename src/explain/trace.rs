//! The record of one retrieval: every stage with its quantities (`hopscope trace --json`), and one passage opened. One
//! shape for every method.

use super::reasons::{not_in_index, why_not};
use super::story::story;
use super::subgraph::Subgraph;
use crate::corpus::Question;
use crate::index::published::Spent;
use crate::index::{Index, IndexSize};
use crate::layers::{Graph, GraphEdited, Node};
use crate::parameters::{Origin as ValueOrigin, Parameter, Written};
use crate::retrieve::explanation::{Combine, Explanation, Item, Part, Reason, SHOWN, Stage};
use crate::retrieve::operator::At;
use crate::retrieve::retrieval::Ledger;
use crate::retrieve::set::{Member, Origin};
use crate::retrieve::{Edited, Retrieval, Settings};
use serde::Serialize;
use std::borrow::Cow;
use std::sync::Arc;

/// Most seeds and most parts of a score that are listed, and most seeds of a trace: those of its stage.
const LISTED: usize = 200;
const TRACED: usize = SHOWN;

/// A run as one document.
///
/// ```
/// # use hopscope::{explain::Format, *}; use std::sync::Arc;
/// # fn main() -> anyhow::Result<()> {
/// # let index = Arc::new(hopscope::index::sample::index()?);
/// # let method = |name: &str| Method::by_name(name).map_err(anyhow::Error::msg);
/// # let settings = Settings::of(&index, method("graph")?);
/// # let run = Retriever::new(index.clone()).retrieve("Who discovered Uranus?", &settings, Keep::Scores)?;
/// let traced = trace(&index, &run, index.question("Who discovered Uranus?"));
/// let json = serde_json::to_string(&traced)?;
/// let graphviz = Format::Dot.write(&traced.subgraph);
/// assert!(json.starts_with('{') && graphviz.contains("graph"));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Trace {
    /// The name of the method.
    pub method: String,
    /// The preset that the settings started from.
    pub preset: Option<String>,
    /// Identifier, value and origin of every parameter in use.
    pub parameters: Vec<Used>,
    /// The index, with its sizes.
    pub index: IndexSize,
    /// As it was asked.
    pub question: String,
    /// Changes of the seeds that the person asked for, and whether each had something to change.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub seed_edits: Vec<Edited>,
    /// Changes of the graph that the person asked for, and why those change nothing that do not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub graph_edits: Vec<GraphEdited>,
    /// That nothing of the question is known, and what to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unrecognised: Option<&'static str>,
    /// One line: what was decided.
    pub headline: String,
    /// Who made how much of its layer; empty where rules made all, unless facts could have been read.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub made_by: String,
    /// What the numbers of items in the stages stand for.
    pub items: Vec<Item>,
    /// In the order they ran.
    pub stages: Vec<Stage>,
    /// The returned passages.
    pub ranking: Vec<Returned>,
    /// Where the mass is at the end; null where no walk is.
    pub ledger: Option<Ledger>,
    /// For each known gold passage outside top K, and each gold item outside the corpus: why.
    pub missing: Vec<Missed>,
    /// What the question cost in the database, where the index lies in one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub database: Option<Spent>,
    /// The same as one graph.
    #[serde(skip)]
    pub subgraph: Subgraph,
}

/// A parameter in use.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Used {
    /// Identifier, as `--set` takes it.
    pub id: &'static str,
    /// Its value.
    pub value: Written,
    /// Source of the value.
    pub origin: ValueOrigin,
}

/// Gold that is not returned.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Missed {
    /// Id of the passage; of gold outside the corpus, what the question set calls it.
    pub gold: String,
    /// Verdicts, the likeliest first.
    pub reasons: Vec<Reason>,
}

/// A node or a word that a retrieval starts from.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Start {
    /// Of a passage its id, else its label.
    pub node: String,
    /// passage, entity, word, unit and so on.
    pub kind: &'static str,
    /// Its title or name.
    pub label: String,
    /// Share of the restart distribution, 0 to 1; of a word its inverse document frequency; else the score of the step.
    pub weight: f64,
    /// Source of the seed: name, question, the ranker's name, nearest, fallback, person, or empty.
    pub from: &'static str,
    /// The reason in a few words.
    pub why: String,
}

/// A passage with its place, and its score opened into what makes it. Rank and score are null where it has none.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Opened {
    /// From 1.
    pub rank: Option<usize>,
    /// Of the passage.
    pub id: String,
    /// Empty where the corpus has none.
    pub title: String,
    /// In the unit of its parts.
    pub score: Option<f64>,
    /// Of a passage without a title: the names in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<Vec<String>>,
    /// One sentence.
    pub why: String,
    /// Whether the parts add up to the score.
    pub combine: Combine,
    /// How far the parts may be off the score.
    pub error: f64,
    /// Largest first.
    pub parts: Vec<Part>,
    /// Of a walk of steps: score by its length 0..=T.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub by_length: Vec<f64>,
    /// Of a walk: the walks that carry most, best first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<Way>,
}

/// A walk from a seed to a passage.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Way {
    /// The nodes on it, from the seed to the passage.
    pub nodes: Vec<Stop>,
    /// Mass that takes exactly this walk.
    pub mass: f64,
    /// Probability of each step; a small one is where a hub dilutes the mass.
    pub kept: Vec<f64>,
}

/// A node on a path, by what tells it from another of the same label.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Stop {
    /// What kind of node it is: passage, entity, word, unit and so on.
    pub kind: Cow<'static, str>,
    /// Of a passage, its id in the corpus.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Its title or name.
    pub label: String,
}

impl Stop {
    /// A node of a graph.
    pub fn of(index: &Index, graph: &Graph, node: Node) -> Stop {
        let passage = graph
            .is_passage(node)
            .then(|| graph.passages_of(node).first().copied());
        Stop {
            kind: graph.source().kind(node).into(),
            id: passage
                .flatten()
                .map(|passage| index.id(passage).to_owned()),
            label: graph.label(index, node).into_owned(),
        }
    }
}

/// A returned passage of a trace.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Returned {
    /// Its score, opened.
    #[serde(flatten)]
    pub opened: Opened,
    /// Edges from the nearest seed; none where no way leads there.
    pub hops: Option<usize>,
}

/// Builds the full trace of a retrieval. Pass `question` to include its gold.
pub fn trace(index: &Arc<Index>, retrieval: &Retrieval, question: Option<&Question>) -> Trace {
    let gold = question.into_iter().flat_map(|q| &q.gold);
    let gold: Vec<u32> = gold.map(|gold| gold.passage).collect();
    let mut story = story(index, retrieval, &gold);
    let opened = retrieval.top().iter();
    let opened = opened.map(|hit| (hit.passage, retrieval.explain(index, hit.passage)));
    let opened: Vec<(u32, Explanation)> = opened.collect();
    let subgraph = Subgraph::new(index, retrieval, &mut story, &opened, &gold);
    let ranked = |(at, (passage, opened))| {
        let opened = entry(index, retrieval, passage, opened, TRACED);
        let node = subgraph.returned(at + 1);
        let hops = node.and_then(|node| subgraph.graph[node].hops);
        Returned { opened, hops }
    };
    Trace {
        method: retrieval.settings.method().name.to_string(),
        preset: retrieval.settings.preset().map(|p| p.name.to_string()),
        parameters: parameters(&retrieval.settings),
        index: index.size(),
        question: retrieval.question.clone(),
        seed_edits: retrieval.edits(),
        graph_edits: retrieval.graph_edits(),
        unrecognised: retrieval.unrecognised(index),
        headline: story.headline,
        made_by: story.made_by,
        items: story.items,
        stages: story.stages,
        ranking: opened.into_iter().enumerate().map(ranked).collect(),
        ledger: retrieval
            .walk()
            .and_then(|walk| walk.spread.ledgers.last().copied()),
        missing: question.map_or(Vec::new(), |q| missing(index, retrieval, q)),
        database: None,
        subgraph,
    }
}

fn parameters(settings: &Settings) -> Vec<Used> {
    let one = |p: Parameter| Used {
        id: p.id(),
        value: p.json(settings.value(p)),
        origin: settings.origin(p),
    };
    settings.method().uses().into_iter().map(one).collect()
}

fn missing(index: &Arc<Index>, retrieval: &Retrieval, question: &Question) -> Vec<Missed> {
    let mut found = Vec::new();
    for named in &question.missing {
        found.push(Missed {
            gold: named.clone(),
            reasons: vec![not_in_index(index, named)],
        });
    }
    // Why a passage is not there, only the whole index knows.
    let gold = question.gold.iter().filter(|_| !index.is_excerpt());
    for gold in gold {
        let reasons = why_not(index, retrieval, gold.passage);
        if !reasons.is_empty() {
            found.push(Missed {
                gold: index.id(gold.passage).to_owned(),
                reasons,
            });
        }
    }
    found
}

/// Opens the score of a passage.
pub fn explained(index: &Arc<Index>, retrieval: &Retrieval, passage: u32) -> Opened {
    let opened = retrieval.explain(index, passage);
    spelled_out(index, retrieval, passage, opened)
}

/// An explanation of a passage, with names in the place of numbers.
pub fn spelled_out(
    index: &Arc<Index>,
    retrieval: &Retrieval,
    passage: u32,
    opened: Explanation,
) -> Opened {
    entry(index, retrieval, passage, opened, LISTED)
}

/// `seeds` is how many seeds are listed beside it, which its parts are of.
fn entry(
    index: &Arc<Index>,
    retrieval: &Retrieval,
    passage: u32,
    opened: Explanation,
    seeds: usize,
) -> Opened {
    let place = retrieval.place(passage);
    let title = index.title(passage).to_owned();
    let about = || index.told_about(passage).map(|about| about.name).collect();
    let paths = retrieval.walk().map_or_else(Vec::new, |walk| {
        let stop = |node: &Node| Stop::of(index, walk.graph, *node);
        let paths = opened.paths.into_iter().map(|path| Way {
            nodes: path.nodes.iter().map(stop).collect(),
            mass: path.mass,
            kept: path.kept,
        });
        paths.collect()
    });
    Opened {
        rank: place.map(|place| place.0),
        id: index.id(passage).to_owned(),
        score: place.map(|place| place.1.into()),
        about: title.is_empty().then(about),
        title,
        why: opened.sentence,
        combine: opened.combine,
        error: opened.error,
        parts: listed(opened.parts, seeds),
        by_length: opened.by_length,
        paths,
    }
}

/// The parts that are listed, and those that are not as one. A seed that is not listed has a name and no place.
fn listed(mut parts: Vec<Part>, seeds: usize) -> Vec<Part> {
    if parts.len() > LISTED {
        let rest = parts.split_off(LISTED);
        let sum = rest.iter().map(|part| part.value).sum();
        let label = format!("{} more parts", rest.len());
        parts.push(Part::new(label, sum, "not listed one by one"));
    }
    for part in &mut parts {
        part.seed = part.seed.filter(|seed| *seed < seeds);
    }
    parts
}

/// What started a retrieval, as `ask --json` prints it: the seeds of its walk, else the nodes that its plan starts from,
/// else the words of the question. And how many are left out of the list.
pub fn seeds(index: &Arc<Index>, retrieval: &Retrieval) -> (Vec<Start>, usize) {
    let walked = retrieval.walk();
    let restart = walked.and_then(|walk| {
        let inputs = retrieval.records[walk.step].step.inputs.iter();
        inputs.copied().next()
    });
    let starts: Vec<At<'_>> = match restart {
        Some(step) => vec![retrieval.at(index, step)],
        None if retrieval.settings.method().tells() => retrieval.starts(index).collect(),
        None => Vec::new(),
    };
    if starts.is_empty() {
        return (words(index, retrieval), 0);
    }
    let beyond = |at: &At<'_>| at.set().members.len().saturating_sub(LISTED);
    let left_out = starts.iter().map(beyond).sum();
    let members = starts.iter().flat_map(|at| {
        let members = at.set().members.iter().take(LISTED);
        members.map(|member| seed(at, member))
    });
    (members.collect(), left_out)
}

fn seed(at: &At<'_>, member: &Member) -> Start {
    let graph = at.graph();
    let from = match member.from {
        Origin::Name { .. } => "name",
        Origin::Ranked { ranker, .. } => ranker.label(),
        Origin::Near { .. } => "nearest",
        Origin::Fallback => "fallback",
        Origin::Added => "person",
        Origin::Edge { .. } | Origin::Scored => "",
    };
    Start {
        node: graph.named(at.index, member.node).into_owned(),
        kind: graph.source().kind(member.node),
        label: graph.label(at.index, member.node).into_owned(),
        weight: member.value,
        from,
        why: at.operator().why(at, member),
    }
}

/// A flat ranking starts from the question's words.
fn words(index: &Arc<Index>, retrieval: &Retrieval) -> Vec<Start> {
    let words = retrieval.ranked().map_or(&[][..], |ranked| &ranked.words);
    let weight = |df: u32, idf: f64| if df > 0 { idf } else { 0.0 };
    let among = index.lexical().among();
    let word = words.iter().map(|w| Start {
        node: w.word.clone(),
        kind: "word",
        label: w.word.clone(),
        weight: weight(w.df, w.idf),
        from: "question",
        why: format!("in {} of {among} passages", w.df),
    });
    word.collect()
}
