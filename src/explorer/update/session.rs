//! Going on where the last session on this index stopped: its runs, pins, question and settings.

use super::{ask, settings};
use crate::explorer::action::{Effect, Message};
use crate::explorer::available::lack;
use crate::explorer::state::{Run, State};
use crate::explorer::store::{Chosen, Kept};
use crate::explorer::text;

pub fn resume(state: &mut State) -> Vec<Effect> {
    let Some(offer) = state.offer.take().map(|offer| *offer) else {
        return Vec::new();
    };
    let runs: Vec<Run> = offer.runs.iter().map(|kept| run(state, kept)).collect();
    let same = |a: &Run, b: &Run| a.question == b.question && a.settings == b.settings;
    // The last one kept is the one that is asked again.
    let known = |own: &Run| runs.iter().any(|kept| same(kept, own));
    state.session.retain(|own| !known(own));
    state.session.extend(runs);
    for (run, number) in state.session.iter_mut().zip(1..) {
        run.number = number;
    }
    if !state.pins.by_hand {
        for pin in &offer.pins {
            let settings = chosen(state, pin);
            state.pins.add(settings);
        }
    }
    let mut live = chosen(state, &offer.live);
    let mut said = format!("resumed with {}", text::plural(offer.runs.len(), "run"));
    if let Some(lack) = lack(state, live.method()) {
        said = format!(
            "{said}; {}: {}",
            live.method().name,
            lack.reason(&state.facts)
        );
        live = state.settings.clone();
    }
    if live != state.settings {
        settings::replace(state, live);
    }
    state.view = offer.view;
    state.focus = state.view.first();
    let effects = ask::again(state, &offer.question, offer.selected);
    state.message = Message::plain(said);
    effects
}

fn chosen(state: &State, chosen: &Chosen) -> crate::retrieve::Settings {
    chosen.settings(&state.settings, &state.presets)
}

fn run(state: &State, kept: &Kept) -> Run {
    let questions = &state.facts.questions;
    Run {
        number: 0,
        asked: questions
            .iter()
            .position(|asked| asked.text == kept.question),
        question: kept.question.clone(),
        settings: chosen(state, &kept.chosen),
        headline: kept.headline.clone(),
        gold: kept.gold.clone(),
        seconds: kept.seconds,
    }
}
