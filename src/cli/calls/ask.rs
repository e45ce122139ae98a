//! `ask`: passages for a question.

use super::refusal::Refusal;
use super::runs::{self, no_effect};
use super::{Arguments, GoOn, Session, read};
use crate::cli::hits::Hits;
use crate::explain::trace::seeds;
use crate::index::Index;
use crate::index::published::Lost;
use crate::parameters::RESULT_K;
use crate::retrieve::elsewhere::{answer_of, confidence, fitted};
use crate::retrieve::{Confidence, Keep, Retrieval};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;

/// Most seeds that are listed.
const SEEDS: usize = 8;

#[derive(Deserialize)]
struct Ask {
    question: String,
    #[serde(flatten)]
    asked: runs::Asked,
}

/// Passages for a question.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Answer<'a> {
    /// The question.
    question: &'a str,
    /// The RUN.
    method: String,
    /// Passages asked for.
    k: usize,
    /// Gold passages. Missed where rank > k.
    #[serde(skip_serializing_if = "Option::is_none")]
    gold: Option<Vec<Gold<'a>>>,
    /// That nothing of the question is known, and what to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'static str>,
    /// Changes that had nothing to change, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    no_effect: Option<Vec<String>>,
    /// How probably the answer is in the first five; absent where the method has learned nothing of that, or `lost` is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<Sure>,
    /// What the answer lacks because databases could not be reached; only with --partial.
    #[serde(skip_serializing_if = "Option::is_none")]
    lost: Option<Lost>,
    /// Best first.
    passages: Vec<Passage>,
    /// Start of the search, heaviest first.
    seeds: Vec<Seed>,
    /// Settings that are not the method's defaults.
    settings: Vec<String>,
    /// Omitted for lack of room: fields, entries of lists, the ends of long texts.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<Vec<String>>,
}

/// How probably the answer is in the first five passages.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Sure {
    /// 0 to 1.
    probability: f64,
    /// The same in a sentence, with what pulls it down.
    sentence: String,
}

impl Sure {
    /// Of a run, where its method has learned that.
    pub(super) fn of(confidence: Confidence) -> Sure {
        Sure {
            probability: confidence.probability,
            sentence: confidence.sentence,
        }
    }
}

/// A gold passage.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Gold<'a> {
    /// Its id.
    id: &'a str,
    /// From 1; absent where it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    rank: Option<usize>,
}

/// A returned passage.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Passage {
    /// From 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    rank: Option<usize>,
    /// Its id.
    id: String,
    /// Its title; empty where the corpus has none.
    title: String,
    /// Its score.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    /// Whether it is gold; absent for a question that is not of the set.
    #[serde(skip_serializing_if = "Option::is_none")]
    gold: Option<bool>,
    /// Why it is here, in a few words.
    reason: String,
    /// The part of its text that is about the question.
    text: String,
}

/// A node or a word that the search starts from.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Seed {
    /// Its name or title.
    label: String,
    /// Share of the restart distribution, or score of the step.
    weight: f64,
    /// What made it a seed.
    why: String,
}

pub fn ask(session: &Session, arguments: Arguments, _: GoOn) -> Result<Value, Refusal> {
    let args: Ask = read(arguments)?;
    let (text, _) = runs::question(session, &args.question)?;
    let (name, settings) = args.asked.settings(session)?;
    let index = session.index.clone();
    let Some(source) = index.source() else {
        let run = session.retrieving(|own| own.retrieve(text, &settings, Keep::Scores))?;
        return Ok(answer(&index, &run, &name, None));
    };
    let settings = fitted(source.rows().whole(), &settings)?;
    let fetched = answer_of(source, text, &settings)?;
    let index = &fetched.numbered.index;
    Ok(answer(index, &fetched.run, &name, fetched.lost))
}

/// The answer that a run gives.
fn answer(index: &Arc<Index>, run: &Retrieval, name: &str, lost: Option<Lost>) -> Value {
    let (seeds, left_out) = seeds(index, run);
    let hits = Hits::of(index, run);
    let question = index.question(&run.question);
    let gold = |passage: u32| {
        let mut all = question.iter().flat_map(|question| &question.gold);
        all.any(|gold| gold.passage == passage)
    };
    let passages = run.top().iter().zip(1..).map(|(hit, rank)| Passage {
        rank: Some(rank),
        id: index.id(hit.passage).to_owned(),
        title: index.title(hit.passage).to_owned(),
        score: Some(hit.score.into()),
        gold: question.map(|_| gold(hit.passage)),
        reason: hits.reason(hit.passage, None),
        text: hits.snippet(hit.passage).0,
    });
    let all = seeds.len() + left_out;
    let seeds = seeds.into_iter().take(SEEDS).map(|seed| Seed {
        label: seed.label,
        weight: seed.weight,
        why: seed.why,
    });
    let gold = question.map(|question| {
        let gold = question.gold.iter().map(|gold| Gold {
            id: index.id(gold.passage),
            rank: run.rank(gold.passage),
        });
        gold.collect()
    });
    json!(Answer {
        question: &run.question,
        method: name.to_owned(),
        k: run.settings.get(RESULT_K),
        gold,
        note: match run.top().is_empty() {
            true => Some(run.why_nothing()),
            false => run.unrecognised(index),
        },
        no_effect: no_effect(run),
        confidence: confidence(index, run, lost.as_ref()).map(Sure::of),
        lost,
        passages: passages.collect(),
        seeds: seeds.collect(),
        settings: run.settings.changed(),
        left_out: (all > SEEDS).then(|| vec![format!("seeds: {SEEDS} of {all} kept")]),
    })
}
