//! What a retrieval gives: every step's set with its provenance, as plain data.

#![warn(missing_docs)]

use super::RetrieveError;
use super::change::Change;
use super::confidence::Confidence;
use super::edits::Edited;
use super::explanation::{Explanation, Fix};
use super::methods::Ranker;
use super::nearest::Search;
use super::operator::{At, Context, Encoded, Part};
use super::paths::Left;
use super::plan::Step;
use super::set::{Origin, Set, Space, Unread};
use super::settings::Settings;
use super::spread::{Diffusion, Known};
use crate::index::Index;
use crate::index::lexical::{Weighted, counted};
use crate::layers::{Graph, GraphEdited, GraphView, Link, Node, QueryName};
use crate::parameters::{FALLBACK, Fallback, RESULT_K};
use crate::retrieve::masses::{EndMass, Masses};
use crate::text::{Tokens, count};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// How far down rankings are kept (first stage and final), beyond what top K shows.
pub const DEPTH: usize = 100;

/// A passage and its score.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hit {
    /// Its number in the index.
    pub passage: u32,
    /// Added up in f64, kept in f32: passages that differ by less are tied, and ties go to the lower id.
    pub score: f32,
}

/// How many passages scored above zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Matched {
    /// So many, or at least so many.
    pub count: usize,
    /// Whether others were not counted.
    pub at_least: bool,
}

impl From<usize> for Matched {
    fn from(count: usize) -> Matched {
        Matched {
            count,
            at_least: false,
        }
    }
}

impl fmt::Display for Matched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at_least = if self.at_least { "at least " } else { "" };
        write!(f, "{at_least}{}", count(self.count))
    }
}

/// A ranking of passages.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ranked {
    /// What ranked them.
    pub ranker: Ranker,
    /// The best [`DEPTH`] (or top K, when larger) with a score above zero.
    pub hits: Vec<Hit>,
    /// How many passages scored above zero.
    pub matched: Matched,
    /// The words that were scored, expanded ones after the question's own.
    pub words: Vec<Weighted>,
    /// What joined the question, heaviest first.
    pub expansion: Vec<Expansion>,
    /// The first pass of an expanded ranking; the lists of a fused one; the candidates of one scored again.
    pub parts: Vec<Arc<Ranked>>,
    /// How nearest vectors were found; none for other lists.
    pub search: Option<Search>,
    /// What scored the candidates again.
    pub reranked: Option<Reranked>,
}

impl Ranked {
    /// Hits in their order; `matched`: how many had a score at all.
    pub fn new(ranker: Ranker, hits: Vec<Hit>, matched: impl Into<Matched>) -> Ranked {
        Ranked {
            ranker,
            hits,
            matched: matched.into(),
            words: Vec::new(),
            expansion: Vec::new(),
            parts: Vec::new(),
            search: None,
            reranked: None,
        }
    }

    /// Rank of a passage, from 1, where it is among the kept ones.
    pub fn rank(&self, passage: u32) -> Option<usize> {
        let at = self.hits.iter().position(|h| h.passage == passage)?;
        Some(at + 1)
    }
}

/// What scored the candidates again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Reranked {
    /// `MaxSim` or `cross-encoder`.
    pub name: &'static str,
    /// The encoder whose token vectors MaxSim compares, or the cross-encoder's folder.
    pub model: String,
    /// How many; those below keep their order.
    pub candidates: usize,
    /// Tokens at the end of the question that MaxSim did not read.
    #[serde(skip_serializing_if = "no_tokens")]
    pub unread: usize,
}

fn no_tokens(count: &usize) -> bool {
    *count == 0
}

/// A word or name that feedback added to the question.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Expansion {
    /// What it is called.
    pub name: String,
    /// Its share in the sum.
    pub weight: f64,
    /// The best feedback passage that has it.
    pub from: u32,
}

/// A seed: a node the walk starts from and restarts at.
#[derive(Clone, Debug, PartialEq)]
pub struct Seed {
    /// The node of the step's graph.
    pub node: Node,
    /// Mass before mixing.
    pub raw: f64,
    /// Share of the restart distribution; all seeds sum to 1.
    pub weight: f64,
    /// What made it a seed.
    pub why: Origin,
}

/// The restart distribution and how it came about.
#[derive(Clone, Debug, Default)]
pub struct Seeded {
    /// By weight, heaviest first; ties by node. Weights sum to 1, or there are none.
    pub seeds: Vec<Seed>,
    /// How two sources shared the mass, where there are two.
    pub mixed: Option<Mixed>,
    /// True when the question had no seed and the fallback ran.
    pub fallback: bool,
    /// Changes a person made to the seeds, and what became of each.
    pub edits: Vec<Edited>,
    /// Passages of the list that no node of the graph stands for.
    pub unmapped: usize,
}

/// How names and other seeds shared the restart mass.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Mixed {
    /// Raw mass of each part before mixing.
    pub entity_mass: f64,
    /// Mass on nodes that are passages, after this step.
    pub passage_mass: f64,
    /// Names' share of the restart distribution that came out.
    pub a: f64,
}

/// Where all mass is: the lines sum to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Ledger {
    /// Mass on nodes that stand for no passage: names, words, keywords.
    pub entities: f64,
    /// Mass on nodes that stand for passages.
    pub passages: f64,
    /// Mass that left at nodes without edges, in this and earlier steps.
    pub dropped: f64,
    /// Mass that push has not settled. 0 for other walks.
    pub residual: f64,
}

impl Ledger {
    /// All mass that is accounted for: 1, but for rounding.
    pub fn total(&self) -> f64 {
        self.entities + self.passages + self.dropped + self.residual
    }
}

/// How much of one unit of seed mass ends on passages, by the kind of seed: the parity effect of T steps on a
/// bipartite graph (dead ends aside).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Parity {
    /// Of the mass of seeds that are names.
    pub entity_seeds: f64,
    /// Of the mass of seeds that are passages.
    pub passage_seeds: f64,
}

/// Where score went.
#[derive(Clone, Debug, PartialEq)]
pub struct Spread {
    /// The walk's rule.
    pub diffusion: Diffusion,
    /// Of every node.
    pub mass: EndMass,
    /// The mass of every node after step 0 (the seeds), 1, ..., T; of push: the settled mass at marks. Only filled where
    /// states are asked for.
    pub states: Vec<Masses>,
    /// One per state; the last one is the end's.
    pub ledgers: Vec<Ledger>,
    /// Steps taken. Push: pushes done.
    pub work: usize,
    /// Push stopped at the hard cap before every residual was small.
    pub capped: bool,
    /// Largest residual left by push, 0 for other walks.
    pub largest_residual: f64,
    /// On a graph of two sides, where there is such an effect.
    pub parity: Option<Parity>,
    /// What explanations looked up of it.
    pub(super) known: Known,
}

impl Spread {
    /// What it left on the nodes.
    pub(crate) fn left(&self) -> Left<'_> {
        Left {
            mass: &self.mass,
            residual: self.largest_residual,
        }
    }

    /// What it takes in memory, but for what explanations looked up.
    pub fn bytes(&self) -> usize {
        let states: usize = self.states.iter().map(Masses::bytes).sum();
        size_of_val(&*self.mass) + states
    }
}

/// The record of one step: its output, and how long it took.
#[derive(Clone, Debug)]
pub struct Record {
    /// Which step of the plan.
    pub step: Arc<Step>,
    /// The graph it worked on.
    pub graph: Option<Arc<Graph>>,
    /// What it made.
    pub output: Arc<Set>,
    /// 0 where it was remembered.
    pub seconds: f64,
    /// Remembered, and not run again.
    pub reused: bool,
}

/// One stage and how long it took.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct StageTime {
    /// The name of the step.
    pub name: &'static str,
    /// How long it took, remembered or not.
    pub seconds: f64,
    /// Remembered, and not run again.
    pub reused: bool,
}

/// Of a question without a vector.
const UNREAD: &str = "the encoder knows no piece of the question, so it has no vector; nothing else led to a passage";

/// The result of one retrieval: the ranking, and a record of every step.
///
/// ```
/// # use hopscope::*; use std::sync::Arc;
/// # fn main() -> anyhow::Result<()> {
/// # let index = Arc::new(hopscope::index::sample::index()?);
/// # let method = |name: &str| Method::by_name(name).map_err(anyhow::Error::msg);
/// # let settings = Settings::of(&index, method("graph")?);
/// # let run = Retriever::new(index.clone()).retrieve("Who discovered Uranus?", &settings, Keep::Scores)?;
/// let best = run.top()[0];
/// println!("{} {:.4}", index.title(best.passage), best.score);
/// // Every passage has a place, whether it is returned or not.
/// assert_eq!(run.place(best.passage).map(|place| place.0), Some(1));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Retrieval {
    /// As it was asked.
    pub question: String,
    /// The method and every value.
    pub settings: Settings,
    /// In the order they ran.
    pub records: Vec<Record>,
    /// Best first: [`DEPTH`] or top K, whichever is larger; only scores above zero, unless a re-ranker scored them.
    pub passages: Vec<Hit>,
    pub(super) encoded: Encoded,
}

/// The walk of a retrieval.
#[derive(Clone, Copy)]
pub struct Walked<'a> {
    /// The graph that is walked.
    pub graph: &'a Arc<Graph>,
    /// What the walk came to.
    pub spread: &'a Spread,
    /// What restarts it.
    pub seeded: &'a Seeded,
    /// Its step.
    pub step: usize,
}

impl<'a> Walked<'a> {
    /// What restarts it, heaviest first.
    pub fn seeds(&self) -> &'a [Seed] {
        &self.seeded.seeds
    }

    /// The graph of passages and entities, where the walk was on it.
    pub fn entities(&self) -> Option<&'a GraphView> {
        self.graph.entities()
    }

    /// What landed on the nodes of a passage.
    pub fn landed(&self, passage: u32) -> f64 {
        let nodes = self.graph.nodes_of(passage);
        let share = |node: &u32| self.graph.share(*node) * self.spread.mass[*node as usize];
        nodes.iter().map(share).sum()
    }

    /// The node of a passage with most mass; the first of equals.
    pub fn best_node(&self, passage: u32) -> Option<Node> {
        self.heaviest(self.graph.nodes_of(passage).iter().copied())
    }

    /// The one of some nodes with most mass; the first of equals.
    pub fn heaviest(&self, nodes: impl Iterator<Item = Node>) -> Option<Node> {
        let mass = |node: Node| self.spread.mass[node as usize];
        nodes.reduce(|best, node| if mass(node) > mass(best) { node } else { best })
    }
}

impl Retrieval {
    /// What the operator of a step was given.
    pub fn context<'a>(&'a self, index: &'a Arc<Index>, step: usize) -> Context<'a> {
        let record = &self.records[step];
        self.context_of(index, &record.step, record.graph.as_ref())
    }

    /// The same of a step that may be about to run.
    pub(super) fn context_of<'a>(
        &'a self,
        index: &'a Arc<Index>,
        step: &'a Step,
        graph: Option<&'a Arc<Graph>>,
    ) -> Context<'a> {
        Context::new(
            index,
            &self.question,
            self.settings.scoped(&step.reads).with(&step.fixed),
            self.settings.seed_edits(),
            graph,
            &self.encoded,
            self.settings.method(),
        )
    }

    /// A step, for its operator to explain.
    pub fn at<'a>(&'a self, index: &'a Arc<Index>, step: usize) -> At<'a> {
        At {
            index,
            run: self,
            step,
            brief: false,
        }
    }

    /// The steps, first to last.
    pub fn steps<'a>(&'a self, index: &'a Arc<Index>) -> impl DoubleEndedIterator<Item = At<'a>> {
        (0..self.records.len()).map(move |step| self.at(index, step))
    }

    /// The step whose set is the result.
    pub fn last<'a>(&'a self, index: &'a Arc<Index>) -> Option<At<'a>> {
        let step = self.records.len().checked_sub(1)?;
        Some(self.at(index, step))
    }

    fn detail<T: std::any::Any>(&self) -> Option<(usize, &T)> {
        let mut all = self.records.iter().enumerate().rev();
        all.find_map(|(step, record)| Some((step, record.output.get::<T>()?)))
    }

    /// Whether the method looks for names in the question.
    pub fn looks_for_names(&self) -> bool {
        self.detail::<Vec<QueryName>>().is_some()
    }

    /// Names found in the question; empty for methods that look for none.
    pub fn names(&self) -> &[QueryName] {
        self.detail::<Vec<QueryName>>()
            .map_or(&[], |(_, names)| names)
    }

    /// The same where they are nodes of a graph of this kind; none where they were looked up on another one, whose nodes have
    /// other numbers.
    pub fn names_on(&self, graph: &Graph) -> &[QueryName] {
        let found = self.detail::<Vec<QueryName>>();
        let found = found.filter(|(step, _)| {
            let own = self.records[*step].graph.as_ref();
            own.is_some_and(|own| own.kind == graph.kind)
        });
        found.map_or(&[], |(_, names)| names)
    }

    /// The first-stage ranking, when the method has one.
    pub fn ranked(&self) -> Option<&Ranked> {
        let seeds = self.records.iter().rev();
        let mut seeds = seeds.filter(|r| r.step.operator.declaration().part == Part::Seed);
        seeds.find_map(|record| record.output.get::<Ranked>())
    }

    /// The lists that were fused or re-ranked into the result: the candidates, or the first stage and the walk.
    pub fn fused(&self) -> &[Arc<Ranked>] {
        let last = self
            .records
            .last()
            .filter(|r| r.step.operator.declaration().part == Part::Select);
        let ranked = last.and_then(|record| record.output.get::<Ranked>());
        ranked.map_or(&[], |ranked| &ranked.parts)
    }

    /// What scored the candidates again.
    pub fn reranked(&self) -> Option<&Reranked> {
        self.records
            .last()?
            .output
            .get::<Ranked>()?
            .reranked
            .as_ref()
    }

    /// The restart distribution; none for methods that do not walk.
    pub fn seeded(&self) -> Option<&Seeded> {
        self.detail::<Seeded>().map(|(_, seeded)| seeded)
    }

    /// What restarts the walk, heaviest first.
    pub fn seeds(&self) -> &[Seed] {
        self.seeded().map_or(&[], |seeded| &seeded.seeds)
    }

    /// How two sources shared the restart mass, where there are two.
    pub fn mixed(&self) -> Option<Mixed> {
        self.seeded()?.mixed
    }

    /// Changes of the seeds that a person made, and what became of each: of two steps that start a plan, one is enough.
    pub fn edits(&self) -> Vec<Edited> {
        if let Some(seeded) = self.seeded() {
            return seeded.edits.clone();
        }
        let told = self.records.iter();
        let mut told = told.filter_map(|record| record.output.get::<Vec<Edited>>());
        let mut edits = told.next().cloned().unwrap_or_default();
        for later in told {
            for (known, edited) in edits.iter_mut().zip(later) {
                if edited.applied && !known.applied {
                    known.clone_from(edited);
                }
            }
        }
        edits
    }

    /// Changes of the graph that a person made, and what became of each.
    pub fn graph_edits(&self) -> Vec<GraphEdited> {
        let graphs = self.records.iter().filter_map(|r| r.graph.as_deref());
        super::engine::edited(&self.settings, graphs)
    }

    /// The steps whose nodes a plan without a walk starts from: those that obey changes of seeds.
    pub fn starts<'a>(&'a self, index: &'a Arc<Index>) -> impl Iterator<Item = At<'a>> {
        let steps = self.steps(index);
        steps.filter(|at| at.operator().declaration().edits_seeds && at.set().space == Space::Nodes)
    }

    /// Whether nothing was linked, so that a fallback seeded the walk.
    pub fn fallback(&self) -> bool {
        self.seeded().is_some_and(|seeded| seeded.fallback)
    }

    /// The walk: the last one, where a method takes several.
    pub fn walk(&self) -> Option<Walked<'_>> {
        let (step, spread) = self.detail::<Spread>()?;
        let record = &self.records[step];
        let mut inputs = record.step.inputs.iter();
        Some(Walked {
            graph: record.graph.as_ref()?,
            spread,
            seeded: inputs.find_map(|&input| self.records[input].output.get())?,
            step,
        })
    }

    /// The walk that a retrieval's scores are: none where they are fused, added up or scored again.
    pub fn scored_by_walk(&self) -> Option<Walked<'_>> {
        let last = self.records.last()?.output.get::<Ranked>()?;
        self.walk()
            .filter(|_| last.ranker == Ranker::Walk && last.reranked.is_none())
    }

    /// Whether the result rests on what this graph's walk landed, alone or beside other lists: what holds a walk up is
    /// then why a passage is missing. A sum of signals has reasons of its own, and so has a list taken in a walk's place.
    pub fn rests_on_walk(&self, graph: &Graph) -> bool {
        let last = self.records.last();
        let ranked = last.and_then(|last| last.output.get::<Ranked>());
        let other = [Ranker::Signals, Ranker::Parts, Ranker::Dense];
        ranked.is_some_and(|ranked| !other.contains(&ranked.ranker))
            && self.walk().is_some_and(|walk| walk.graph.id == graph.id)
    }

    /// The graph of the walk, where it is that of passages and entities.
    pub fn view(&self) -> Option<&GraphView> {
        self.walk()?.entities()
    }

    /// Whether a step asked for the question's vector and it has none: the encoder knows no piece of it.
    pub fn unread(&self) -> bool {
        let mut sets = self.records.iter().map(|record| &record.output);
        sets.any(|set| set.get::<Unread>().is_some())
    }

    /// Why nothing was retrieved.
    pub fn why_nothing(&self) -> &'static str {
        match self.unread() {
            true => UNREAD,
            false => self.settings.method().why_nothing(),
        }
    }

    /// That the question leaves nothing to go by, in one sentence with the remedy; none where a name or a word of it is
    /// known, unless the walk starts from names alone.
    pub fn unrecognised(&self, index: &Index) -> Option<&'static str> {
        let linked = self.names().iter().any(|name| !name.nodes.is_empty());
        if linked || self.question.trim().is_empty() {
            return None;
        }
        let (language, cut) = (index.language(), Tokens::Plain);
        let words = counted(cut, language, &self.question).into_iter();
        let telling = words.filter(|(word, _)| !language.is_function_word(word));
        let counts = telling.map(|(word, _)| index.lexical().count_of(cut, &word));
        let counts: Vec<u32> = counts.collect::<Result<_, _>>().ok()?;
        if counts.iter().all(|passages| *passages == 0) {
            return Some(
                "No name and no word of this question is in the corpus, so this ranking says nothing about it. Check \
                 the spelling and the language.",
            );
        }
        let uniform = self.settings.get(FALLBACK) == Fallback::Uniform;
        let masked = |name: &QueryName| matches!(name.link, Link::Masked { .. });
        if self.fallback() && uniform && self.names().iter().any(masked) {
            return Some(
                "What this question names is masked in the graph as too rare or too common, so the walk starts \
                 everywhere alike. Lower min_df or raise max_df_ratio, or choose another method.",
            );
        }
        (self.fallback() && uniform).then_some(
            "No name of the graph is in this question, so the walk starts everywhere alike. Write names with capitals, \
             or choose a method that reads words.",
        )
    }

    /// Every stage and how long it took.
    pub fn times(&self) -> Vec<StageTime> {
        let steps = self.records.iter().map(|record| StageTime {
            name: record.step.operator.declaration().name,
            seconds: record.seconds,
            reused: record.reused,
        });
        steps.collect()
    }

    /// Rank of a passage, from 1, where it is among the kept ones.
    pub fn rank(&self, passage: u32) -> Option<usize> {
        let at = self.passages.iter().position(|h| h.passage == passage)?;
        Some(at + 1)
    }

    /// Rank and score of any passage, as far as they are known: a walk ranks every passage it reached, a list the ones
    /// it kept. Score 0 has no rank.
    pub fn place(&self, passage: u32) -> Option<(usize, f32)> {
        if let Some(rank) = self.rank(passage) {
            return Some((rank, self.passages[rank - 1].score));
        }
        let walked = self.scored_by_walk()?;
        if passage as usize >= walked.graph.passages() {
            return None;
        }
        let own = walked.landed(passage) as f32;
        if own <= 0.0 {
            return None;
        }
        let before = |other: &u32| {
            let score = walked.landed(*other) as f32;
            score > own || (score == own && *other < passage)
        };
        let all = 0..walked.graph.passages() as u32;
        Some((1 + all.filter(before).count(), own))
    }

    /// The passages that are returned.
    pub fn top(&self) -> &[Hit] {
        let k = self.settings.get(RESULT_K);
        &self.passages[..k.min(self.passages.len())]
    }

    /// Whether a passage is returned.
    pub fn returns(&self, passage: u32) -> bool {
        self.top().iter().any(|hit| hit.passage == passage)
    }

    /// The passage at rank top K; none where fewer are found.
    pub fn last_inside(&self) -> Option<Hit> {
        let at = self.settings.get(RESULT_K).checked_sub(1)?;
        self.passages.get(at).copied()
    }

    /// What the score of a passage is made of.
    pub fn explain(&self, index: &Arc<Index>, passage: u32) -> Explanation {
        self.explained(index, passage, false)
    }

    /// As [`explain`](Self::explain), but for what takes a walk back to find: what each seed paid, of which a walk's parts
    /// are made. Paths are there, and all other parts; the evidence of a walk that is one of several parts is shorter.
    pub fn brief(&self, index: &Arc<Index>, passage: u32) -> Explanation {
        self.explained(index, passage, true)
    }

    fn explained(&self, index: &Arc<Index>, passage: u32, brief: bool) -> Explanation {
        let last = self.last(index).map(|last| At { brief, ..last });
        last.map_or_else(Explanation::default, |at| {
            at.operator().explain(&at, passage)
        })
    }

    /// How probably the first passages hold what the question needs; none of a method that has not learned that.
    pub fn confidence(&self, index: &Arc<Index>) -> Option<Confidence> {
        let last = self.last(index)?;
        last.operator().confidence(&last)
    }

    /// The text a reader is given, where the method assembles one under a budget.
    pub fn text(&self, index: &Arc<Index>) -> Option<String> {
        let last = self.last(index)?;
        last.operator().context(&last)
    }

    /// Asks again under other settings, with fresh memory: what a suggested change is tried by.
    ///
    /// # Errors
    /// As [`Retriever::retrieve`](super::Retriever::retrieve).
    pub fn again(
        &self,
        index: &Arc<Index>,
        settings: &Settings,
    ) -> Result<Retrieval, RetrieveError> {
        super::Retriever::after(index.clone(), self).retrieve(
            &self.question,
            settings,
            super::Keep::Scores,
        )
    }

    /// Asks again with a change, and what that does for a passage; none where the change changes nothing, or moves the
    /// passage no nearer.
    pub fn tried(
        &self,
        index: &Arc<Index>,
        passage: u32,
        change: &Change,
    ) -> Option<(Retrieval, Fix)> {
        let settings = &self.settings;
        let acts = change.each().into_iter().all(|change| match change {
            Change::Set(parameter, value) => {
                parameter.declaration().domain.contains(*value)
                    && settings.value(*parameter) != *value
            }
            _ => true,
        });
        if !acts {
            return None;
        }
        let before = self.gap(passage).filter(|gap| gap.places > 0)?;
        let again = self.again(index, &change.applied(settings)).ok()?;
        let closed = match (again.returns(passage), again.gap(passage)) {
            (true, _) => 1.0,
            // Fused scores hardly differ a hundred ranks apart, and where all scores are low a place is little.
            (false, Some(after)) => before.closed(&after).min(0.99),
            (false, None) => 0.0,
        };
        let fix = Fix {
            change: change.clone(),
            rank: again.place(passage).map(|(rank, _)| rank),
            closed,
        };
        (closed > 0.0).then_some((again, fix))
    }

    /// How far a passage is from the last one returned; none where nothing is.
    fn gap(&self, passage: u32) -> Option<Gap> {
        let place = self.place(passage);
        let last = self.top().last()?.score;
        let unranked = self.passages.len().max(DEPTH) + 1;
        // Scores of a re-ranker may be below zero.
        let short = place.map_or(last.abs(), |(_, own)| last - own);
        let scale = f64::from(last.abs()).max(f64::MIN_POSITIVE);
        Some(Gap {
            score: (f64::from(short) / scale).clamp(0.0, 1.0),
            places: place
                .map_or(unranked, |(rank, _)| rank)
                .saturating_sub(self.top().len()),
        })
    }
}

/// What a passage lacks to be returned.
struct Gap {
    /// In parts of the score of the last one returned, 0 to 1.
    score: f64,
    /// Places behind that.
    places: usize,
}

impl Gap {
    /// How much of it another one closes, by score or by places, whichever is less.
    fn closed(&self, after: &Gap) -> f64 {
        let places = 1.0 - after.places as f64 / self.places as f64;
        match self.score > 0.0 {
            true => places.min(1.0 - after.score / self.score),
            false => places,
        }
    }
}
