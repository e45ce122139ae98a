//! What a retrieval tells of itself, in the one form that traces print and the explorer draws: stages, parts of a score,
//! reasons.

#![warn(missing_docs)]

use super::change::Change;
use super::operator::At;
use super::set::{Dropped, Fact, Member, Space};
use crate::layers::{Class, Code, Node};
use rustc_hash::FxHashMap;
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// A node as a person sees it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Item {
    /// Entity, keyword, summary, chunk, unit, relation, table segment, object, passage ...
    pub kind: &'static str,
    /// In few words.
    pub label: String,
    /// The passage it is or belongs to.
    pub passage: Option<u32>,
    /// Its text, where there is more to read than the label.
    pub text: String,
}

/// One node in a stage: place in [`Story::items`], its quantity there, and why it is there.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Entry {
    /// Place in [`Story::items`].
    pub item: usize,
    /// Mass, score, cosine or count: the stage says which.
    pub value: f64,
    /// What brought it, in a few words.
    pub why: String,
}

/// One edge in a stage, between places in [`Story::items`].
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Edge {
    /// Place in [`Story::items`].
    pub from: usize,
    /// Place in [`Story::items`].
    pub to: usize,
    /// Weight, mass or metric, by its kind.
    pub value: f64,
    /// What joins the two: a kind of this program's, or the name that the data give it.
    pub kind: Cow<'static, str>,
    /// The evidence: metrics, a sentence, shared names.
    pub why: String,
}

/// What a stage removed: a reason code and by which margin.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cut {
    /// Place in [`Story::items`].
    pub item: usize,
    /// Why.
    pub code: Code,
    /// By how much; 0 where the code has no measure.
    pub margin: f64,
}

/// One named step with typed quantities.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Stage {
    /// What the step is called.
    pub name: &'static str,
    /// link, score, seed, mix, spread, intersect, expand, filter, select, pack or plan.
    pub kind: &'static str,
    /// Named numbers and words, in the order to show them; the first is the headline.
    #[serde(serialize_with = "as_object")]
    #[cfg_attr(
        feature = "schema",
        schemars(with = "std::collections::BTreeMap<String, serde_json::Value>")
    )]
    pub counters: Vec<Fact>,
    /// What it made, heaviest first.
    pub nodes: Vec<Entry>,
    /// What it crossed.
    pub edges: Vec<Edge>,
    /// What it left out.
    pub cut: Vec<Cut>,
    /// How long it took; none where that is another stage's to say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// Remembered, and not run again.
    pub reused: bool,
}

fn as_object<S: serde::Serializer>(facts: &[Fact], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(facts.iter().map(|(name, value)| (name, value)))
}

/// What happened, stage by stage. Built on demand: evaluation never pays for it.
///
/// ```
/// # use hopscope::*; use std::sync::Arc;
/// # fn main() -> anyhow::Result<()> {
/// # let index = Arc::new(hopscope::index::sample::index()?);
/// # let method = |name: &str| Method::by_name(name).map_err(anyhow::Error::msg);
/// # let settings = Settings::of(&index, method("graph")?);
/// # let run = Retriever::new(index.clone()).retrieve("Who discovered Uranus?", &settings, Keep::Scores)?;
/// let told = story(&index, &run, &[]);
/// for stage in &told.stages {
///     println!("{}: {} rows", stage.name, stage.nodes.len());
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Story {
    /// One line that says what was decided: the mode and why, the plan, the budget.
    pub headline: String,
    /// Who made how much of the layer; empty where rules made all, unless facts could have been read.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub made_by: String,
    /// Everything that a stage names, once.
    pub items: Vec<Item>,
    /// What started the search, heaviest first.
    pub seeds: Vec<Entry>,
    /// In the order they ran.
    pub stages: Vec<Stage>,
    /// The steps of the timeline: places in `stages`.
    pub timeline: Vec<usize>,
    /// Passages that every state of a walk shows, however light.
    #[serde(skip)]
    pub always: Vec<u32>,
    /// Places in `items`, by the graph (0 for passages) and the number there.
    #[serde(skip)]
    pub(crate) known: FxHashMap<(u64, u32), usize>,
}

/// Most members of a stage that are told one by one, and of those that fell out.
pub const SHOWN: usize = 100;
/// Most of what fell out that is told one by one.
pub const SHOWN_CUT: usize = 20;

impl Story {
    /// Adds an item that is neither passage nor node and gives its place.
    pub fn item(&mut self, item: Item) -> usize {
        self.items.push(item);
        self.items.len() - 1
    }

    /// The place of a passage.
    pub fn passage(&mut self, at: &At<'_>, passage: u32) -> usize {
        let items = &mut self.items;
        *self.known.entry((0, passage)).or_insert_with(|| {
            items.push(Item {
                kind: "passage",
                label: at.index.called(passage).to_owned(),
                passage: Some(passage),
                text: String::new(),
            });
            items.len() - 1
        })
    }

    /// The place of a node of the step's graph.
    pub fn node(&mut self, at: &At<'_>, node: Node) -> usize {
        let graph = at.graph();
        // A node that is a passage is one item with it.
        if graph.is_of_passages() && graph.is_passage(node) {
            return self.passage(at, node);
        }
        let items = &mut self.items;
        *self.known.entry((graph.id, node)).or_insert_with(|| {
            items.push(Item {
                kind: graph.source().kind(node),
                label: graph.label(at.index, node).into_owned(),
                passage: graph.passages_of(node).first().copied(),
                text: graph.source().text(at.index, node).into_owned(),
            });
            items.len() - 1
        })
    }

    /// The place of a member of the step's set.
    pub fn member(&mut self, at: &At<'_>, node: u32) -> usize {
        match at.set().space {
            Space::Passages => self.passage(at, node),
            Space::Nodes => self.node(at, node),
        }
    }

    /// The members of a step as entries.
    pub fn entries(&mut self, at: &At<'_>, members: &[Member]) -> Vec<Entry> {
        let told = members.iter().take(SHOWN).map(|member| Entry {
            item: self.member(at, member.node),
            value: member.value,
            why: at.operator().why(at, member),
        });
        told.collect()
    }

    /// A step as one stage.
    pub fn stage_of(&mut self, at: &At<'_>) -> Stage {
        let set = at.set();
        let nodes = self.entries(at, &set.members);
        let cut = set.dropped.iter().take(SHOWN_CUT);
        let cut = cut.map(|&Dropped { node, code, margin }| Cut {
            item: self.member(at, node),
            code,
            margin,
        });
        Stage {
            name: at.operator().declaration().name,
            kind: at.operator().declaration().kind,
            counters: set.facts.clone(),
            nodes,
            cut: cut.collect(),
            ..Stage::default()
        }
    }

    /// Adds a stage.
    pub fn push(&mut self, stage: Stage) {
        self.stages.push(stage);
    }

    /// Adds a stage that is a step of the timeline.
    pub fn push_step(&mut self, stage: Stage) {
        self.timeline.push(self.stages.len());
        self.stages.push(stage);
    }
}

pub use crate::text::clip;

/// A labelled part of a passage's score.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Part {
    /// The seed, word, list or signal.
    pub label: String,
    /// In the unit of the score.
    pub value: f64,
    /// What the part itself rests on.
    pub why: String,
    /// Place among the seeds, where the part is what a seed paid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<usize>,
}

impl Part {
    /// A part that no seed paid.
    pub fn new(label: impl Into<String>, value: f64, why: impl Into<String>) -> Part {
        Part {
            label: label.into(),
            value,
            why: why.into(),
            seed: None,
        }
    }
}

/// How the parts relate to the score.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Combine {
    /// They add up to it.
    #[default]
    Sum,
    /// Factors or evidence: the score depends on them but is not their sum.
    Witness,
}

/// A walk from a seed to a node.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Path {
    /// From the seed to the node.
    pub nodes: Vec<Node>,
    /// Mass that takes exactly this walk: seed weight, times every step's probability, times the weight of its length.
    pub mass: f64,
    /// Probability of each step; a small one is where a hub dilutes the mass.
    pub kept: Vec<f64>,
}

/// The score of a passage, split into its parts.
///
/// ```
/// # use hopscope::*; use std::sync::Arc;
/// # fn main() -> anyhow::Result<()> {
/// # let index = Arc::new(hopscope::index::sample::index()?);
/// # let method = |name: &str| Method::by_name(name).map_err(anyhow::Error::msg);
/// # let settings = Settings::of(&index, method("graph")?);
/// # let run = Retriever::new(index.clone()).retrieve("Who discovered Uranus?", &settings, Keep::Scores)?;
/// let opened = run.explain(&index, run.top()[0].passage);
/// let sum: f64 = opened.parts.iter().map(|part| part.value).sum();
/// assert!((sum - f64::from(run.top()[0].score)).abs() < 1e-6);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Explanation {
    /// Whether the parts add up to the score.
    pub combine: Combine,
    /// Largest first.
    pub parts: Vec<Part>,
    /// Of a walk: score by its length 0..=T. Empty for push, whose walks have every length.
    pub by_length: Vec<f64>,
    /// Of a walk: the walks that carry most, best first.
    pub paths: Vec<Path>,
    /// How far the parts may be off the score; 0 when they are exact.
    pub error: f64,
    /// One sentence.
    pub sentence: String,
}

impl Explanation {
    /// What the parts add up to.
    pub fn sum(&self) -> f64 {
        self.parts.iter().map(|part| part.value).sum()
    }

    /// Parts, and the sentence that says them.
    pub fn of(parts: Vec<Part>, sentence: impl Into<String>) -> Explanation {
        Explanation {
            parts,
            sentence: sentence.into(),
            ..Explanation::default()
        }
    }
}

/// What one passage has less of than another of the same step.
#[derive(Clone, Debug, PartialEq)]
pub struct Lack {
    /// What is lacking.
    pub code: Code,
    /// By how much, in the unit of the step's score.
    pub gap: f64,
    /// The evidence, in words, with the figures of both.
    pub text: String,
    /// What gives the other more and can be taken away, the most first.
    pub without: Vec<Without>,
    /// Changes that undo it.
    pub undo: Vec<Change>,
    /// How much of the gap the first stage makes, the lists by the question's own words and closeness; and by what.
    pub first: Option<(f64, String)>,
}

/// Something that a score can be asked for without: what does so where a passage then comes in is why it is lost.
#[derive(Clone, Debug, PartialEq)]
pub struct Without {
    /// The verdict where it alone holds a passage out.
    pub code: Code,
    /// In words, with its article.
    pub what: String,
    /// What takes it away.
    pub change: Change,
}

impl Lack {
    /// One, where there is a gap at all.
    pub fn of(code: Code, gap: f64, text: impl Into<String>) -> Option<Lack> {
        (gap > 0.0).then(|| Lack {
            code,
            gap,
            text: text.into(),
            without: Vec::new(),
            undo: Vec::new(),
            first: None,
        })
    }
}

/// One reason why a passage is not in the top k.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Reason {
    /// The precise verdict.
    pub code: Code,
    /// The failure class a person filters by, F0 to F7.
    pub class: Class,
    /// The evidence, in words.
    pub text: String,
    /// Whether undoing what it names brings the passage in, or closes most of its gap. Otherwise it describes, and no more.
    pub cause: bool,
    /// The change that was tried and moves the passage most.
    pub fix: Option<Fix>,
    /// Changes that undo what it names: [`why_not`](crate::explain::why_not) tries them.
    #[serde(skip)]
    pub undo: Vec<Change>,
}

/// A change that was tried, and where it moves a passage that is not returned.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(from = "String", into = "String")
)]
pub struct Fix {
    /// What was changed.
    pub change: Change,
    /// The passage's rank after it, from 1; none where it still has none.
    pub rank: Option<usize>,
    /// How much of the gap to the last returned passage it closes, 0 to 1; 1 where the passage is returned.
    pub closed: f64,
}

impl Fix {
    /// Whether the passage is returned with it.
    pub fn admits(&self) -> bool {
        self.closed >= 1.0
    }

    /// Whether it closes most of the gap: what was undone is a cause.
    pub fn is_most(&self) -> bool {
        self.closed >= MOST
    }
}

/// More than this part of a difference, or of a gap, is most of it.
pub const MOST: f64 = 0.5;

/// As a suggestion.
impl fmt::Display for Fix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fix { change, rank, .. } = self;
        match rank {
            Some(rank) => write!(f, "{change} brings it to rank {rank}")?,
            None => write!(f, "{change} gives it no rank")?,
        }
        match self.admits() {
            true => Ok(()),
            false => write!(f, " and closes {:.0} % of its gap", 100.0 * self.closed),
        }
    }
}

impl Serialize for Fix {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl Reason {
    /// Of the class that the code has most often; [`class`](Self::class) says another.
    pub fn new(code: Code, text: impl Into<String>) -> Reason {
        Reason {
            code,
            class: code.class(),
            text: text.into(),
            cause: false,
            fix: None,
            undo: Vec::new(),
        }
    }

    /// Of another class than the code's own.
    pub fn class(self, class: Class) -> Reason {
        Reason { class, ..self }
    }

    /// With a change that was tried.
    pub fn with_fix(self, fix: Option<Fix>) -> Reason {
        let cause = fix.as_ref().is_some_and(Fix::is_most);
        Reason { cause, fix, ..self }
    }

    /// With changes that undo what it names.
    pub fn undone_by(self, changes: impl IntoIterator<Item = Change>) -> Reason {
        let undo = Vec::from_iter(changes);
        Reason { undo, ..self }
    }
}
