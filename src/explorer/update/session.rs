//! Going on where the last session on this index stopped: its runs, pins, question and settings.

use super::{ask, settings};
use crate::explorer::action::Effect;
use crate::explorer::jobs::look::anywhere;
use crate::explorer::lack::lack;
use crate::explorer::state::{Run, State};
use crate::explorer::store::{Chosen, Kept, RUNS, Session};
use crate::explorer::text;
use crate::retrieve::Settings;

/// This session. Runs of one that was offered and not taken up stay before its own.
pub fn kept(state: &State) -> Session {
    let earlier = state.offer.as_deref();
    let mut runs = earlier.map_or_else(Vec::new, |offer| offer.runs.clone());
    for run in state.session.iter().map(of_run) {
        if earlier.is_none() || !runs.iter().any(|kept| kept.same(&run)) {
            runs.push(run);
        }
    }
    runs.drain(..runs.len().saturating_sub(RUNS));
    let pins = state.pins.list.iter().filter(|_| state.pins.by_hand);
    let path = match &*state.facts.argument {
        "" => String::new(),
        argument => anywhere(argument).display().to_string(),
    };
    Session {
        index: path,
        runs,
        pins: pins.map(|pin| Chosen::of(&pin.settings)).collect(),
        question: state.wanted.question.clone(),
        live: Chosen::of(&state.settings),
        view: state.view,
        selected: state.wanted.subject.passage,
    }
}

fn of_run(run: &Run) -> Kept {
    Kept {
        question: run.question.clone(),
        chosen: Chosen::of(&run.settings),
        headline: run.headline.clone(),
        gold: run.gold.clone(),
        seconds: run.seconds,
    }
}

pub fn resume(state: &mut State) -> Vec<Effect> {
    let Some(offer) = state.offer.take().map(|offer| *offer) else {
        return Vec::new();
    };
    let runs: Vec<Run> = offer
        .runs
        .iter()
        .filter_map(|kept| run(state, kept))
        .collect();
    let mut gone = offer.runs.len() - runs.len();
    let same = |a: &Run, b: &Run| a.question == b.question && a.settings == b.settings;
    let count = runs.len();
    // The last one kept is the one that is asked again.
    let known = |own: &Run| runs.iter().any(|kept| same(kept, own));
    state.session.retain(|own| !known(own));
    state.session.extend(runs);
    for (run, number) in state.session.iter_mut().zip(1..) {
        run.number = number;
    }
    if !state.pins.by_hand {
        for pin in &offer.pins {
            match chosen(state, pin) {
                Ok(settings) => {
                    state.pins.add(settings);
                }
                Err(_) => gone += 1,
            }
        }
    }
    let mut said = format!("resumed with {}", text::plural(count, "run"));
    let mut live = chosen(state, &offer.live).unwrap_or_else(|why| {
        said = format!("{said}; {why}");
        state.settings.clone()
    });
    if gone > 0 {
        said = format!("{said}; {gone} left out: their methods are gone");
    }
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
    settings::announce(state, said);
    effects
}

fn chosen(state: &State, chosen: &Chosen) -> Result<Settings, String> {
    chosen.settings(&state.settings, &state.presets)
}

/// None where its method is gone.
fn run(state: &State, kept: &Kept) -> Option<Run> {
    let questions = &state.facts.questions;
    Some(Run {
        number: 0,
        asked: questions
            .iter()
            .position(|asked| asked.text == kept.question),
        question: kept.question.clone(),
        settings: chosen(state, &kept.chosen).ok()?,
        headline: kept.headline.clone(),
        gold: kept.gold.clone(),
        seconds: kept.seconds,
    })
}
