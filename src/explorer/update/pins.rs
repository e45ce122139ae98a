//! Pinned runs: kept, dropped, and exchanged with the live one.

use super::settings;
use crate::explorer::action::{Effect, Message};
use crate::explorer::jobs::pins::{MOST, Pin, follow, letter};
use crate::explorer::jobs::{Running, score, trials};
use crate::explorer::layout::{Pane, View};
use crate::explorer::state::State;

/// Keeps the live settings. What is on screen is their run, so it need not be asked.
pub fn pin(state: &mut State) -> Vec<Effect> {
    if let Some(at) = state
        .pins
        .list
        .iter()
        .position(|pin| pin.settings == state.settings)
        && state.pins.by_hand
    {
        let already = letter(at);
        return state.say(Message::plain(format!("already pinned as {already}")));
    }
    let Some(letter) = state.pins.add(state.settings.clone()) else {
        return state.say(Message::warning(format!(
            "{MOST} runs are pinned; D removes one"
        )));
    };
    if let (Some(shown), false) = (&state.shown, state.outdated())
        && let Some(pin) = state.pins.list.last_mut()
    {
        pin.take(shown.scene.question.clone(), Ok(shown.scene.clone()));
    }
    let method = &state.settings.method().name;
    state.message = Message::plain(format!(
        "pinned as {letter}: {method}; new runs are compared with {}",
        if letter == 'A' { "it" } else { "A" }
    ));
    changed(state)
}

/// Drops the pin under the cursor of Compare, elsewhere the newest.
pub fn unpin(state: &mut State) -> Vec<Effect> {
    let last = state.pins.list.len() - 1;
    state.pins.remove(last);
    let left = state.pins.list.len();
    state.message = Message::plain(match state.pins.by_hand {
        true => format!("{} dropped; {left} pinned", letter(last)),
        false => format!(
            "{} dropped; comparing with the settings you started with",
            letter(last)
        ),
    });
    changed(state)
}

/// The live run and A change places.
pub fn swap(state: &mut State) -> Vec<Effect> {
    let live = state.settings.clone();
    let mut pinned = Pin::new(live);
    if let (Some(shown), false) = (&state.shown, state.outdated()) {
        pinned.take(shown.scene.question.clone(), Ok(shown.scene.clone()));
    }
    let was = std::mem::replace(&mut state.pins.list[0], pinned);
    state.pins.by_hand = true;
    state.pins.asking = Running::Never;
    let effects = settings::take(state, was.settings);
    settings::announce(state, "swapped the live run and A".to_owned());
    effects
}

/// An answer on its way may belong to a place that holds another run now.
fn changed(state: &mut State) -> Vec<Effect> {
    state.pins.asking = Running::Never;
    [follow(state), score::follow(state)]
        .into_iter()
        .flatten()
        .collect()
}

/// Turns to a view, to the pane that had the keyboard there.
pub fn look(state: &mut State, view: View) -> Vec<Effect> {
    let mut effects = Vec::new();
    if state.view != view {
        state.places.insert(state.view, state.focus);
        state.view = view;
        state.zoom = false;
        let pane = state.places.get(&view).copied();
        let pane = pane.filter(|pane| *pane != Pane::Question && *pane != Pane::Reader);
        effects.extend(super::moves::focus(state, pane.unwrap_or(view.first())));
        if view == View::Annotate {
            effects.extend(super::label::begin(state));
        }
    }
    let beside = [follow(state), score::follow(state), trials::follow(state)];
    effects.extend(beside.into_iter().flatten());
    effects
}
