//! `ask`: passages for a question.

use super::refusal::Refusal;
use super::runs::{self, Asked, no_effect};
use super::size::LEFT_OUT;
use super::{Arguments, GoOn, Session, present, read};
use crate::cli::ask::ask_json;
use crate::parameters::RESULT_K;
use crate::retrieve::{Keep, Retriever};
use serde::Deserialize;
use serde_json::{Value, json};

/// Most seeds that are listed.
const SEEDS: usize = 8;

#[derive(Deserialize)]
struct Ask {
    question: String,
    #[serde(flatten)]
    asked: Asked,
}

pub fn ask(session: &Session, arguments: Arguments, _: GoOn) -> Result<Value, Refusal> {
    let args: Ask = read(arguments)?;
    let index = &session.index;
    let (text, question) = runs::question(session, &args.question)?;
    let (name, settings) = args.asked.settings(session)?;
    let run = Retriever::new(index.clone()).retrieve(text, &settings, Keep::States)?;
    let whole = ask_json(index, &run);
    let gold = |passage: u32| {
        let mut all = question.iter().flat_map(|question| &question.gold);
        all.any(|gold| gold.passage == passage)
    };
    let passages = entries(&whole["passages"]).iter().zip(run.top());
    let passages = passages.map(|(opened, hit)| {
        present(json!({
            "rank": opened["rank"], "id": opened["id"], "title": opened["title"], "score": opened["score"],
            "gold": question.map(|_| gold(hit.passage)), "reason": opened["reason"],
            "text": opened["snippet"]["text"],
        }))
    });
    let seeds = entries(&whole["seeds"]).iter().take(SEEDS).map(|seed| {
        present(json!({"label": seed["label"], "weight": seed["weight"], "why": seed["why"]}))
    });
    let gold = question.map(|question| {
        let gold = question.gold.iter();
        let gold = gold.map(|gold| {
            present(json!({"id": index.id(gold.passage), "rank": run.rank(gold.passage)}))
        });
        gold.collect::<Vec<_>>()
    });
    let note = match run.top().is_empty() {
        true => Some(run.why_nothing()),
        false => run.unrecognised(index),
    };
    let more = whole["seeds_left_out"].as_u64().unwrap_or(0) as usize;
    let all = entries(&whole["seeds"]).len() + more;
    let more = (all > SEEDS).then(|| [format!("seeds: {SEEDS} of {all} kept")]);
    Ok(present(json!({
        "question": text,
        "method": name,
        "k": settings.get(RESULT_K),
        "gold": gold,
        "note": note,
        "no_effect": no_effect(&run),
        "passages": passages.collect::<Vec<_>>(),
        "seeds": seeds.collect::<Vec<_>>(),
        "settings": settings.changed(),
        LEFT_OUT: more,
    })))
}

/// The entries of a list; none where it is no list.
pub fn entries(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
