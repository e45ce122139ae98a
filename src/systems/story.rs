//! What a system did for one question, in the one form that the trace prints and the explorer draws.

use serde::Serialize;
use serde_json::Value;

/// A node of a system's graph as a person sees it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Item {
    /// Entity, keyword, summary, chunk, unit, relation, table segment, object, ...
    pub kind: &'static str,
    pub label: String,
    /// The passage it is or belongs to.
    pub passage: Option<u32>,
    /// Its text, where there is more to read than the label.
    pub text: String,
}

/// One node in a stage: place in [`Story::items`], its quantity there, and why it is there.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Entry {
    pub item: usize,
    pub value: f64,
    pub why: String,
}

/// One edge in a stage, between places in [`Story::items`].
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Edge {
    pub from: usize,
    pub to: usize,
    pub value: f64,
    pub kind: &'static str,
    /// The evidence: metrics, a sentence, shared names.
    pub why: String,
}

/// What a stage removed: a reason code and by which margin.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Cut {
    pub item: usize,
    pub code: &'static str,
    pub margin: f64,
}

/// One named step with typed quantities.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Stage {
    pub name: &'static str,
    /// link, score, seed, mix, spread, intersect, expand, filter, select, pack or plan.
    pub kind: &'static str,
    /// Named numbers and words, in the order to show them; the first is the headline.
    pub counters: Vec<(&'static str, Value)>,
    pub nodes: Vec<Entry>,
    pub edges: Vec<Edge>,
    pub cut: Vec<Cut>,
}

/// What happened, stage by stage. Built on demand from a [`Found`](super::Found): evaluation never pays for it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Story {
    /// One line that says what was decided: the mode and why, the plan, the budget.
    pub headline: String,
    /// Who made how much of the layer; empty where no language model was asked, so that rules made all.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub made_by: String,
    pub items: Vec<Item>,
    /// What started the search, heaviest first.
    pub seeds: Vec<Entry>,
    pub stages: Vec<Stage>,
    /// The steps of the system's own timeline (h loop, packing, t = 0, 1, 2): places in `stages`.
    pub timeline: Vec<usize>,
}

impl Story {
    /// Adds an item and gives its place. The caller keeps its own map where one item occurs often.
    pub fn item(&mut self, item: Item) -> usize {
        self.items.push(item);
        self.items.len() - 1
    }
}

/// A text of at most so many characters, with two dots where more follow: those are in every terminal's font.
pub fn clip(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let cut: String = text.chars().take(most.saturating_sub(2)).collect();
    format!("{}..", cut.trim_end())
}

/// A labelled part of a passage's score.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Part {
    pub label: String,
    pub value: f64,
    /// What the part itself rests on.
    pub why: String,
}

/// One reason why a passage is not among the returned ones.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reason {
    /// The precise verdict.
    pub code: &'static str,
    /// The failure class a person filters by, F0 to F7.
    pub class: &'static str,
    /// The evidence, in words.
    pub text: String,
    /// A change that was tried and admits the passage.
    pub fix: Option<String>,
}
