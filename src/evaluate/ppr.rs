//! Whether Personalized PageRank helps on the graph of an index: the graph's shape, how flat the mass lies, how many questions
//! name something on it, and a table of walks beside rankings without a graph.

#![warn(missing_docs)]

use super::compare::{Comparison, Difference, Resampling, correct};
use super::faults::{component_of, isolated};
use super::run::{Evaluation, evaluate};
use crate::corpus::{Gold, Question};
use crate::index::{Index, IndexError};
use crate::layers::given::GivenLayer;
use crate::layers::{GIVEN, Graph, Link};
use crate::parameters::{ALPHA, HUB_P, Origin};
use crate::retrieve::{Keep, Method, RetrieveError, Retriever, Settings};
use crate::text::names::is_function_word;
use crate::text::{Norm, plural};
use rustc_hash::FxHashMap;
use serde::Serialize;
use std::sync::Arc;

/// What is compared: rankings without a graph, walks on the index's own names, and what runs on a graph it came with.
const FLAT: [&str; 3] = ["bm25", "dense", "rrf"];
const WALKS: [&str; 2] = ["graph-rrf", "hop"];
const ON_GIVEN: [&str; 5] = [
    "given",
    "graphrag-local",
    "nano-local",
    "lightrag-local",
    "lightrag-mix",
];
/// What the walks are held against.
const BASE: &str = "rrf";
/// The measure that decides.
const MEASURE: &str = "R@5";
/// Restart probabilities and hub penalties that are tried.
const ALPHAS: [f64; 4] = [0.05, 0.15, 0.3, 0.5];
const PENALTIES: [f64; 3] = [0.0, 0.5, 1.0];
/// Most questions that are made, most questions whose mass is looked at, and hubs that are listed.
const MADE: usize = 200;
const LOOKED: usize = 50;
const HUBS: usize = 5;
/// Of a hundred nodes, how many count as hubs.
const HUNDREDTH: usize = 100;
/// The share of the mass by which flatness is measured.
const TOP: usize = 10;
/// Words that a made question has at least, beside the name.
const LEAST_WORDS: usize = 2;

/// Where the questions come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Asked {
    /// The set that the index has.
    Set,
    /// Made from chains of two relations of the given graph: no person asked them.
    Made,
    /// There are none with gold.
    None,
}

impl Asked {
    /// In words.
    pub fn label(self) -> &'static str {
        match self {
            Asked::Set => "of the set",
            Asked::Made => "made from chains of two relations of the graph; no person asked them",
            Asked::None => "none with gold: name a set with --questions",
        }
    }
}

/// A node with many neighbours.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Hub {
    /// What it is called.
    pub label: String,
    /// Its neighbours.
    pub degree: usize,
}

/// The graph as a walk sees it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Shape {
    /// The graph's name.
    pub graph: &'static str,
    /// Nodes, and edges, each once.
    pub nodes: usize,
    #[allow(missing_docs)]
    pub edges: usize,
    /// Parts that no edge joins, single nodes included.
    pub components: usize,
    /// The share of the nodes in the largest.
    pub largest: f64,
    /// Passages without an edge: no walk reaches them.
    pub isolated: usize,
    /// The share of all edge ends at the hundredth part of the nodes that has most.
    pub hub_share: f64,
    /// The nodes with most neighbours.
    pub hubs: Vec<Hub>,
}

/// Where the mass of a walk lies.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Mass {
    /// Questions whose names were looked for, and those of them with a name on the graph.
    pub asked: usize,
    #[allow(missing_docs)]
    pub named: usize,
    /// The mean share of the passages' mass that the ten heaviest have.
    pub top: f64,
    /// The mean number of passages with any mass.
    pub reached: f64,
}

/// A method's row.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Row {
    /// As `--method` spells it.
    pub method: String,
    /// Mean R@5.
    pub recall: f64,
    /// Against `rrf`; none for itself.
    pub gain: Option<Difference>,
    /// Median milliseconds of a question.
    pub milliseconds: f64,
}

/// The best damping and hub penalty, chosen on every other question and measured on the others.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Tried {
    /// The method that was tuned.
    pub method: String,
    /// Restart probability; the damping is 1 less it.
    pub alpha: f64,
    /// Hub penalty.
    pub hub_p: f64,
    /// On the questions that did not choose, against the method's defaults.
    pub gain: Option<Difference>,
}

/// What was found.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PprCheck {
    #[allow(missing_docs)]
    pub shape: Shape,
    #[allow(missing_docs)]
    pub mass: Mass,
    /// Where the questions come from, and how many have gold.
    pub asked: Asked,
    #[allow(missing_docs)]
    pub questions: usize,
    /// Best first.
    pub rows: Vec<Row>,
    /// None without enough questions.
    pub tried: Option<Tried>,
    /// In one or two sentences.
    pub verdict: String,
}

/// Fewest questions with gold that anything is said from.
pub const FEWEST: usize = 10;

/// Looks whether walks help. `questions` are those of the set; without gold there, questions are made from the given graph.
/// `progress` hears of methods done, of all, and stops the work by `false`.
///
/// # Errors
/// What a method says; stopped.
pub fn check(
    index: &Arc<Index>,
    questions: &[Question],
    progress: &dyn Fn(usize, usize) -> bool,
) -> Result<PprCheck, RetrieveError> {
    let given = crate::layers::given::known(index)?;
    let method = if given.is_some() {
        "given"
    } else {
        "graph-rrf"
    };
    let settings = settings(index, method);
    let with_gold = questions.iter().filter(|q| !q.gold.is_empty());
    let with_gold: Vec<Question> = with_gold.cloned().collect();
    let (asked, questions) = match (&given, with_gold.is_empty()) {
        (_, false) => (Asked::Set, with_gold),
        (Some(layer), true) => (Asked::Made, made(layer)),
        (None, true) => (Asked::None, Vec::new()),
    };
    let (asked, questions) = match questions.is_empty() {
        true => (Asked::None, questions),
        false => (asked, questions),
    };
    let mut retriever = Retriever::new(index.clone());
    let kind = settings.method().graph().unwrap_or(&GIVEN);
    let graph = retriever.graph(kind, &settings, &[])?;
    let names = FLAT.iter().chain(&WALKS);
    let own: &[&str] = if given.is_some() { &ON_GIVEN } else { &[] };
    let names: Vec<&str> = names.chain(own).copied().collect();
    let tries = ALPHAS.len() * PENALTIES.len();
    let all = names.len() + tries;
    let mut rows: Vec<(Evaluation, Row)> = Vec::new();
    if !questions.is_empty() {
        for (done, name) in names.iter().enumerate() {
            if !progress(done, all) {
                return Err(IndexError::Cancelled.into());
            }
            let settings = self::settings(index, name);
            // What cannot run on this index is no row.
            let Ok(run) = evaluate(index, &questions, &settings, |_| true) else {
                continue;
            };
            let row = Row {
                method: (*name).to_owned(),
                recall: run.measures.get(MEASURE).unwrap_or_default(),
                gain: None,
                milliseconds: run.latency(0.5).unwrap_or_default(),
            };
            rows.push((run, row));
        }
    }
    let mut compared = Vec::new();
    if let Some((base, _)) = rows
        .iter()
        .find(|(run, _)| run.settings.method().name == BASE)
    {
        let others = rows.iter().filter(|(run, _)| !std::ptr::eq(run, base));
        compared = others
            .map(|(run, _)| Comparison::new(base, run, Resampling::default()))
            .collect();
    }
    let mut rows: Vec<Row> = rows.into_iter().map(|(_, row)| row).collect();
    for comparison in &compared {
        let row = rows.iter_mut().find(|row| row.method == comparison.b);
        if let Some(row) = row {
            row.gain = comparison.get(MEASURE).cloned();
        }
    }
    // One measure of every method is shown, so that these are the tests there are.
    let gains = rows.iter_mut().filter_map(|row| row.gain.as_mut());
    correct(gains.map(std::slice::from_mut));
    let verdict = verdict(&rows, method, asked, questions.len());
    rows.sort_by(|a, b| b.recall.total_cmp(&a.recall));
    let tried = match questions.len() >= 2 * FEWEST {
        true => tuned(index, &questions, method, names.len(), all, progress)?,
        false => None,
    };
    Ok(PprCheck {
        shape: shape(index, &graph),
        mass: mass(index, &mut retriever, &settings, &questions)?,
        asked,
        questions: questions.len(),
        rows,
        tried,
        verdict,
    })
}

fn settings(index: &Index, method: &str) -> Settings {
    let method = Method::by_name(method).or_else(|_| Method::by_name(BASE));
    match method {
        Ok(method) => Settings::of(index, method),
        Err(_) => unreachable!("{BASE} is a method"),
    }
}

/// Whether the walk beats the fused list.
fn verdict(rows: &[Row], walk: &str, asked: Asked, questions: usize) -> String {
    if asked == Asked::None {
        return "No question has gold, so nothing is measured; the shape above is all there is."
            .into();
    }
    let row = rows.iter().find(|row| row.method == walk);
    let gain = row.and_then(|row| row.gain.as_ref());
    let Some(gain) = gain.filter(|_| questions >= FEWEST) else {
        return format!(
            "{} with gold are too few to say; {FEWEST} is the least.",
            plural(questions, "question")
        );
    };
    let words = match gain.sure() {
        sure if sure > 0.0 => "PPR helps here",
        sure if sure < 0.0 => "PPR hurts here",
        _ => "PPR makes no sure difference here",
    };
    let words = match asked {
        Asked::Made => format!("On questions made from its relations, {words}"),
        _ => words.to_owned(),
    };
    format!("{words}: {walk} against {BASE}, {}", gain.sentence(MEASURE))
}

/// The graph without its numbers: parts, hubs.
fn shape(index: &Index, graph: &Graph) -> Shape {
    let transition = graph.transition();
    let nodes = graph.nodes();
    let mut sizes: FxHashMap<u32, usize> = FxHashMap::default();
    for component in component_of(graph) {
        *sizes.entry(component).or_default() += 1;
    }
    let largest = sizes.values().copied().max().unwrap_or(0);
    let mut degrees: Vec<(usize, u32)> = (0..nodes as u32)
        .map(|node| (graph.degree(node), node))
        .collect();
    degrees.sort_unstable_by_key(|(degree, node)| (std::cmp::Reverse(*degree), *node));
    let hubs = degrees.iter().take(nodes.div_ceil(HUNDREDTH));
    let ends: usize = hubs.map(|(degree, _)| degree).sum();
    Shape {
        graph: graph.kind.name,
        nodes,
        edges: transition.arcs() / 2,
        components: sizes.len(),
        largest: largest as f64 / nodes.max(1) as f64,
        isolated: isolated(graph).into_iter().filter(|alone| *alone).count(),
        hub_share: ends as f64 / transition.arcs().max(1) as f64,
        hubs: degrees
            .iter()
            .take(HUBS)
            .map(|(degree, node)| Hub {
                label: graph.named(index, *node).into_owned(),
                degree: *degree,
            })
            .collect(),
    }
}

/// Where the mass of the first questions lies.
fn mass(
    index: &Arc<Index>,
    retriever: &mut Retriever,
    settings: &Settings,
    questions: &[Question],
) -> Result<Mass, RetrieveError> {
    let mut found = Mass::default();
    let mut walked = 0.0;
    for question in questions.iter().take(LOOKED) {
        let run = retriever.retrieve(&question.text, settings, Keep::Scores)?;
        let linked = |link: &Link| matches!(link, Link::Linked { .. });
        found.asked += 1;
        found.named += usize::from(run.names().iter().any(|name| linked(&name.link)));
        let Some(walk) = run.walk() else { continue };
        let of = |passage: u32| -> f64 {
            let nodes = walk.graph.nodes_of(passage);
            nodes
                .iter()
                .map(|node| walk.spread.mass[*node as usize])
                .sum()
        };
        let mut mass: Vec<f64> = (0..index.len() as u32)
            .map(of)
            .filter(|m| *m > 0.0)
            .collect();
        let sum: f64 = mass.iter().sum();
        if sum <= 0.0 {
            continue;
        }
        mass.sort_unstable_by(|a, b| b.total_cmp(a));
        walked += 1.0;
        found.reached += mass.len() as f64;
        found.top += mass.iter().take(TOP).sum::<f64>() / sum;
    }
    if walked > 0.0 {
        found.reached /= walked;
        found.top /= walked;
    }
    Ok(found)
}

/// The best of some values on every other question, and what they gain on the rest.
fn tuned(
    index: &Arc<Index>,
    questions: &[Question],
    method: &str,
    before: usize,
    all: usize,
    progress: &dyn Fn(usize, usize) -> bool,
) -> Result<Option<Tried>, RetrieveError> {
    let half = |odd: usize| -> Vec<Question> {
        let own = questions.iter().enumerate();
        let own = own.filter(|(at, _)| at % 2 == odd);
        own.map(|(_, question)| question.clone()).collect()
    };
    let (choose, judge) = (half(0), half(1));
    let mut best: Option<(f64, f64, f64)> = None;
    for (done, (alpha, p)) in ALPHAS
        .iter()
        .flat_map(|alpha| PENALTIES.iter().map(move |p| (*alpha, *p)))
        .enumerate()
    {
        if !progress(before + done, all) {
            return Err(IndexError::Cancelled.into());
        }
        let run = evaluate(index, &choose, &at(index, method, alpha, p), |_| true)?;
        let recall = run.measures.get(MEASURE).unwrap_or_default();
        if best.is_none_or(|(most, ..)| recall > most) {
            best = Some((recall, alpha, p));
        }
    }
    let Some((_, alpha, hub_p)) = best else {
        return Ok(None);
    };
    let plain = evaluate(index, &judge, &settings(index, method), |_| true)?;
    let own = evaluate(index, &judge, &at(index, method, alpha, hub_p), |_| true)?;
    let compared = Comparison::new(&plain, &own, Resampling::default());
    let mut gain = compared.get(MEASURE).cloned();
    correct(gain.iter_mut().map(std::slice::from_mut));
    Ok(Some(Tried {
        method: method.to_owned(),
        alpha,
        hub_p,
        gain,
    }))
}

/// A method at a restart probability and a hub penalty.
fn at(index: &Index, method: &str, alpha: f64, hub_p: f64) -> Settings {
    let mut settings = settings(index, method);
    for (parameter, value) in [ALPHA.at(alpha), HUB_P.at(hub_p)] {
        settings.set(parameter, value, Origin::User);
    }
    settings
}

/// Questions of two steps: the name of one end of a chain of two relations, and the words of the second that name neither of
/// its ends. The gold is a text of each.
fn made(layer: &GivenLayer) -> Vec<Question> {
    let mut of: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    for relation in 0..layer.meta.relations as u32 {
        for end in layer.ends(relation) {
            of.entry(end).or_default().push(relation);
        }
    }
    let mut questions: Vec<Question> = Vec::new();
    let relations = layer.meta.relations as u32;
    // Spread over the whole graph: every so many-th relation starts one.
    let step = (relations as usize / MADE).max(1);
    for second in (0..relations).step_by(step) {
        if questions.len() == MADE {
            break;
        }
        let [between, _] = layer.ends(second);
        let firsts = of.get(&between).into_iter().flatten().copied();
        let first = firsts.filter(|first| *first != second).find(|first| {
            let apart = |a: &[u32], b: &[u32]| !a.is_empty() && !a.iter().any(|p| b.contains(p));
            apart(
                layer.relation_passages(*first),
                layer.relation_passages(second),
            ) && !layer.relation_passages(second).is_empty()
        });
        let Some(first) = first else { continue };
        let [one, other] = layer.ends(first);
        let start = if one == between { other } else { one };
        let Some(words) = words(layer, second) else {
            continue;
        };
        let name = |entity: u32| layer.names.get(entity as usize);
        let passages = [first, second].map(|r| layer.relation_passages(r).first().copied());
        let gold = passages.into_iter().flatten();
        let mut gold: Vec<Gold> = gold
            .map(|passage| Gold {
                passage,
                grade: 1.0,
            })
            .collect();
        gold.sort_by_key(|gold| gold.passage);
        questions.push(Question {
            id: format!("made-{}", questions.len() + 1),
            text: format!("{}: {words}?", name(start)),
            kind: "made".into(),
            gold,
            ..Question::default()
        });
    }
    questions
}

/// The words of a relation without those of its ends.
fn words(layer: &GivenLayer, relation: u32) -> Option<String> {
    let [one, other] = layer.ends(relation);
    let names = [one, other].map(|end| Norm::Simple.apply(layer.names.get(end as usize)));
    let of_ends: Vec<&str> = names.iter().flat_map(|name| name.split(' ')).collect();
    let text = match layer.texts.get(relation as usize) {
        "" => layer.labels.get(relation as usize),
        text => text,
    };
    let kept: Vec<&str> = text
        .split_whitespace()
        .take(30)
        .filter(|word| {
            let form = Norm::Simple.apply(word);
            !form.split(' ').any(|part| of_ends.contains(&part))
        })
        .collect();
    let telling = kept
        .iter()
        .filter(|word| !is_function_word(&word.to_lowercase()));
    (telling.count() >= LEAST_WORDS).then(|| kept.join(" "))
}
