//! What a plan is made of: operators that seed, spread and select, and that explain what they did themselves.

#![warn(missing_docs)]

use super::RetrieveError;
use super::change::Change;
use super::confidence::Confidence;
use super::edits::SeedEdit;
use super::explanation::{Explanation, Fix, Lack, Reason, Stage, Story};
use super::methods::Method;
use super::retrieval::{Record, Retrieval};
use super::scratch::Scratch;
use super::set::{Member, Origin, Set};
use crate::index::Index;
use crate::index::dense::has_direction;
use crate::layers::Graph;
use crate::parameters::{Parameter, Scoped, Value};
use std::fmt::Debug;
use std::sync::{Arc, OnceLock};

/// The part of the sentence an operator belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// Which nodes or passages start.
    Seed,
    /// How score moves on.
    Spread,
    /// Which passages are returned.
    Select,
}

/// The question's vector, asked of the encoder once and only when somebody reads it.
#[derive(Clone, Debug, Default)]
pub struct Encoded(OnceLock<Arc<Vec<f32>>>);

impl Encoded {
    /// One that is known.
    pub fn of(vector: Option<Arc<Vec<f32>>>) -> Encoded {
        let cell = OnceLock::new();
        if let Some(vector) = vector {
            // A new cell is empty.
            let _ = cell.set(vector);
        }
        Encoded(cell)
    }

    /// The vector, where somebody has read it.
    pub fn known(&self) -> Option<&Arc<Vec<f32>>> {
        self.0.get()
    }
}

/// What an operator is given.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The index that is asked.
    pub index: &'a Arc<Index>,
    /// The question, as it was asked.
    pub question: &'a str,
    /// The parameters it reads, and those of its graph.
    pub values: Scoped<'a>,
    /// Changes of the seeds that a person made.
    pub edits: &'a [SeedEdit],
    /// What the step works on; none for rankings of passages.
    graph: Option<&'a Arc<Graph>>,
    encoded: &'a Encoded,
    /// For what cannot be done: who asked.
    pub method: &'a Method,
}

impl<'a> Context<'a> {
    pub(super) fn new(
        index: &'a Arc<Index>,
        question: &'a str,
        values: Scoped<'a>,
        edits: &'a [SeedEdit],
        graph: Option<&'a Arc<Graph>>,
        encoded: &'a Encoded,
        method: &'a Method,
    ) -> Context<'a> {
        Context {
            index,
            question,
            values,
            edits,
            graph,
            encoded,
            method,
        }
    }

    /// The graph of the step.
    ///
    /// # Panics
    /// In a step without a graph: a plan gives one to every operator that asks, and a test holds all plans against it.
    pub fn graph(&self) -> &'a Arc<Graph> {
        match self.graph {
            Some(graph) => graph,
            None => unreachable!("a step of {} has no graph", self.method.name),
        }
    }

    /// The graph of passages and entities, where the step is on it.
    pub fn entities(&self) -> Option<&'a crate::layers::GraphView> {
        self.graph.and_then(|graph| graph.entities())
    }

    /// Whether the index has vectors.
    pub fn has_vectors(&self) -> bool {
        self.index.dense().is_some()
    }

    /// The vectors of the passages and the question's own. None where the encoder knows no piece of the question: a vector
    /// of zeros has no direction, and nothing is near to it. A set that is made without says so by [`Set::unread`].
    ///
    /// # Errors
    /// An index without vectors; what the encoder says.
    pub fn dense(&self) -> Result<Option<(&'a crate::index::Dense, &'a [f32])>, RetrieveError> {
        let Some(dense) = self.index.dense() else {
            return Err(RetrieveError::NoVectors {
                method: self.method.name.clone(),
            });
        };
        if self.encoded.0.get().is_none() {
            let vector = dense.encoder.question(self.question)?;
            let _ = self.encoded.0.set(Arc::new(vector));
        }
        let vector = self.encoded.0.get().map_or(&[][..], |vector| &vector[..]);
        Ok(has_direction(vector).then_some((dense, vector)))
    }
}

/// What a run may use and whom it tells.
pub struct Desk<'a> {
    /// Memory that one run hands on to the next.
    pub scratch: &'a mut Scratch,
    /// Whether a walk keeps the mass of every node after every step.
    pub states: bool,
}

/// What an operator is, before it runs.
#[derive(Clone, Copy, Debug)]
pub struct Declaration {
    /// What its step is called on screen.
    pub name: &'static str,
    /// One line: what it does.
    pub about: &'static str,
    /// The part of the sentence it belongs to.
    pub part: Part,
    /// What kind of step it is in a trace: link, score, seed, mix, spread, expand, intersect, filter, select, pack, plan.
    pub kind: &'static str,
    /// The parameters it depends on besides those of its graph. Its result is remembered by their values.
    pub reads: &'static [Parameter],
    /// Whether changes of the seeds are its to apply.
    pub edits_seeds: bool,
    /// Whether mass walks: its set has the mass of every node.
    pub walks: bool,
    /// Whether it cannot run in an index without vectors.
    pub needs_vectors: bool,
    /// Whether it reads no more of an index than names and words of the question and the rows of what it reaches, so that
    /// it runs on an excerpt.
    pub by_rows: bool,
    /// Whether it opens hop's layer.
    pub opens_sentences: bool,
    /// The word of a composition that comes nearest to it, where it is a method's own.
    pub like: Option<&'static str>,
}

impl Declaration {
    const fn of(part: Part, kind: &'static str, name: &'static str, about: &'static str) -> Self {
        Declaration {
            name,
            about,
            part,
            kind,
            reads: &[],
            edits_seeds: false,
            walks: false,
            needs_vectors: false,
            by_rows: false,
            opens_sentences: false,
            like: None,
        }
    }

    /// A step that finds what starts.
    pub const fn seed(name: &'static str, about: &'static str) -> Self {
        Self::of(Part::Seed, "seed", name, about)
    }

    /// A step that moves score.
    pub const fn spread(name: &'static str, about: &'static str) -> Self {
        Self::of(Part::Spread, "spread", name, about)
    }

    /// A step that chooses passages.
    pub const fn select(name: &'static str, about: &'static str) -> Self {
        Self::of(Part::Select, "select", name, about)
    }

    /// Another kind of step than its part is called.
    pub const fn kind(self, kind: &'static str) -> Self {
        Declaration { kind, ..self }
    }

    /// The parameters its result depends on.
    pub const fn reads(self, reads: &'static [Parameter]) -> Self {
        Declaration { reads, ..self }
    }

    /// Whether it applies a person's changes of the seeds.
    pub const fn edits_seeds(self, edits_seeds: bool) -> Self {
        Declaration {
            edits_seeds,
            ..self
        }
    }

    /// Mass walks in it.
    pub const fn walks(self) -> Self {
        Declaration {
            walks: true,
            ..self
        }
    }

    /// Near to a word of compositions, and not what that does.
    pub const fn like(self, word: &'static str) -> Self {
        Declaration {
            like: Some(word),
            ..self
        }
    }

    /// Whether it runs on an excerpt of an index.
    pub const fn by_rows(self, by_rows: bool) -> Self {
        Declaration { by_rows, ..self }
    }

    /// It opens hop's layer.
    pub const fn opens_sentences(self) -> Self {
        Declaration {
            opens_sentences: true,
            ..self
        }
    }

    /// Whether it cannot run without vectors.
    pub const fn needs_vectors(self, needs_vectors: bool) -> Self {
        Declaration {
            needs_vectors,
            ..self
        }
    }
}

/// The result of running an operator.
pub type Outcome = Result<Set, RetrieveError>;

/// One operator of a plan.
pub trait Operator: Debug + Sync {
    /// What it is, before it runs.
    fn declaration(&self) -> Declaration;

    /// # Errors
    /// Missing vectors; what an encoder, an endpoint or the index says.
    fn run(&self, cx: &Context<'_>, inputs: &[Arc<Set>], desk: &mut Desk<'_>) -> Outcome;

    /// Why a member is there, in a few words.
    fn why(&self, at: &At<'_>, member: &Member) -> String {
        at.origin(member)
    }

    /// Whether it asks a language model under these values, where one is named.
    fn asks_model(&self, _values: Scoped<'_>) -> bool {
        false
    }

    /// What it did, as stages: one, unless it has a timeline of its own.
    fn tell(&self, at: &At<'_>, story: &mut Story) {
        let stage = at.stage(story);
        story.push(stage);
    }

    /// What the score of a passage is made of, as far as this step made it.
    fn explain(&self, _at: &At<'_>, _passage: u32) -> Explanation {
        Explanation::default()
    }

    /// Explains why a passage did not pass this step, or passed with a low score. Suggested changes have been tried.
    fn refuse(&self, _at: &At<'_>, _passage: u32) -> Vec<Reason> {
        Vec::new()
    }

    /// What another passage has of this step's score that a passage behind it lacks: the greatest lack first, and none
    /// where the two differ in nothing that the step knows of.
    fn lacks(&self, _at: &At<'_>, _passage: u32, _other: u32) -> Vec<Lack> {
        Vec::new()
    }

    /// How probably the first of its ranking hold what the question needs, where it has learned that.
    fn confidence(&self, _at: &At<'_>) -> Option<Confidence> {
        None
    }

    /// The text a reader is given, where it assembles one under a budget.
    fn context(&self, _at: &At<'_>) -> Option<String> {
        None
    }
}

/// A step of a retrieval that was run, for its operator to explain.
#[derive(Clone, Copy)]
pub struct At<'a> {
    /// The index that was asked.
    pub index: &'a Arc<Index>,
    /// The run.
    pub run: &'a Retrieval,
    /// Place of the step in the plan.
    pub step: usize,
    /// What takes a walk back to find is left out: see [`Retrieval::brief`].
    pub brief: bool,
}

impl<'a> At<'a> {
    /// What is kept of the step.
    pub fn record(&self) -> &'a Record {
        &self.run.records[self.step]
    }

    /// The operator of the step.
    pub fn operator(&self) -> &'static dyn Operator {
        self.record().step.operator
    }

    /// What the step made.
    pub fn set(&self) -> &'a Set {
        &self.record().output
    }

    /// What its operator was given, as it was.
    pub fn context(&self) -> Context<'a> {
        self.run.context(self.index, self.step)
    }

    /// The parameters that its operator and its graph read.
    pub fn values(&self) -> Scoped<'a> {
        self.context().values
    }

    /// The graph of the step; panics where it has none, as [`Context::graph`].
    pub fn graph(&self) -> &'a Arc<Graph> {
        self.context().graph()
    }

    /// The steps it took in, in order.
    pub fn inputs(&self) -> impl Iterator<Item = At<'a>> + use<'a> {
        let at = *self;
        let inputs = at.record().step.inputs.iter();
        inputs.map(move |&step| At { step, ..at })
    }

    /// The step it took in at a place.
    pub fn input(&self, place: usize) -> Option<At<'a>> {
        self.inputs().nth(place)
    }

    /// The nearest step before this one, or this one, that has a detail of a type.
    pub fn before<T: std::any::Any>(&self) -> Option<(At<'a>, &'a T)> {
        if let Some(own) = self.set().get() {
            return Some((*self, own));
        }
        self.inputs().find_map(|input| input.before())
    }

    /// A node of this step's set in few words.
    pub fn label(&self, node: u32) -> std::borrow::Cow<'a, str> {
        match self.set().space {
            super::set::Space::Passages => self.index.called(node).into(),
            super::set::Space::Nodes => self.graph().label(self.index, node),
        }
    }

    /// What brought a member into the set, in a few words.
    pub fn origin(&self, member: &Member) -> String {
        match member.from {
            Origin::Name { name, df } => {
                let names = self.run.names();
                let name = names.get(name);
                let surface = name.map_or("", |name| &*name.surface);
                let loosely = match name {
                    Some(name) if name.unaccented => " ignoring accents",
                    Some(name) if name.any_case => " ignoring case",
                    Some(name) if name.inflected => " by its stem",
                    _ => "",
                };
                format!("named by '{surface}'{loosely}, in {}", places(df))
            }
            Origin::Ranked { ranker, rank, .. } => format!("{} rank {rank}", ranker.label()),
            Origin::Near { rank, cosine } => format!("nearest {rank}, cosine {cosine:.3}"),
            Origin::Edge { from } => {
                let graph = self.graph();
                let kind = graph.source().edge_kind(from, member.node);
                format!("{kind}: {}", graph.label(self.index, from))
            }
            Origin::Fallback => "fallback: the question gave no seed".to_owned(),
            Origin::Added => "added by you".to_owned(),
            Origin::Scored => String::new(),
        }
    }

    /// What a change of a parameter does for a passage, where that brings it into top K: the run is done again.
    pub fn tried(&self, passage: u32, change: (Parameter, Value)) -> Option<Fix> {
        self.tried_anywhere(passage, change).filter(Fix::admits)
    }

    /// As [`tried`](Self::tried), where that moves it nearer at all.
    pub fn tried_anywhere(&self, passage: u32, change: (Parameter, Value)) -> Option<Fix> {
        let change = Change::Set(change.0, change.1);
        let (_, fix) = self.run.tried(self.index, passage, &change)?;
        Some(fix)
    }

    /// This step as one stage: its facts, its members with why, what it dropped.
    pub fn stage(&self, story: &mut Story) -> Stage {
        story.stage_of(self)
    }
}

fn places(df: u32) -> String {
    match df {
        1 => "1 place".to_owned(),
        df => format!("{df} places"),
    }
}
