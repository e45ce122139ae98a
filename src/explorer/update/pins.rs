//! Pinned runs: kept, dropped, exchanged with the live one, and asked whatever the live one is asked.

use super::{scoring, settings, trials};
use crate::evaluate::sweep::{Changes, between};
use crate::explorer::action::{Effect, Message};
use crate::explorer::layout::{Pane, View};
use crate::explorer::pins::{Asking, CHANGES, MOST, Pin, Pinned, letter};
use crate::explorer::scene::{Request, Subject};
use crate::explorer::state::State;

/// Asks for the pins where they are looked at and what is known of them belongs to something else.
pub fn follow(state: &mut State) -> Option<Effect> {
    let question = &state.wanted.question;
    let comparing = state.view == View::Compare;
    let lacking = state.pins.list.iter().any(|pin| match &pin.answer {
        Some(Err(_)) => false,
        _ => pin.scene(question).is_none(),
    });
    let first = &state.pins.first().settings;
    let behind = (question.clone(), first.clone(), state.settings.clone());
    let changed = comparing && state.pins.behind.as_ref() != Some(&behind);
    let looked_at = comparing || state.pins.by_hand;
    if !(looked_at && lacking || changed) || question.trim().is_empty() {
        return None;
    }
    let requests = state.pins.list.iter().map(|pin| Request {
        settings: pin.settings.clone(),
        subject: Subject::default(),
        view: View::default(),
        ..state.wanted.clone()
    });
    let asking = Asking {
        generation: state.pins.asked + 1,
        requests: requests.collect(),
        changes: match comparing {
            true => between(first, &state.settings, CHANGES),
            false => Changes::new(),
        },
    };
    state.pins.asked += 1;
    state.pins.subsets = None;
    state.pins.behind = comparing.then_some(behind);
    Some(Effect::AskPins(Box::new(asking)))
}

/// Takes in what the pins give.
pub fn news(state: &mut State, pinned: Pinned) {
    if pinned.generation == state.pins.asked {
        for (pin, answer) in state.pins.list.iter_mut().zip(pinned.answers) {
            pin.take(answer);
        }
        state.pins.subsets = pinned.subsets;
    }
}

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
        state.message = Message::plain(format!("these settings are pinned already, as {already}"));
        return Vec::new();
    }
    let Some(letter) = state.pins.add(state.settings.clone()) else {
        state.message = Message::warning(format!("{MOST} runs are pinned; D drops one"));
        return Vec::new();
    };
    if let (Some(shown), false) = (&state.shown, state.outdated())
        && let Some(pin) = state.pins.list.last_mut()
    {
        pin.take(Ok(shown.scene.clone()));
    }
    let method = &state.settings.method().name;
    state.message = Message::plain(format!(
        "pinned as {letter}: {method} as it is now; what follows is held against {}",
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
            "{} dropped; the live run is held against the settings at the start",
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
        pinned.take(Ok(shown.scene.clone()));
    }
    let was = std::mem::replace(&mut state.pins.list[0], pinned);
    state.pins.by_hand = true;
    state.scored = None;
    let effects = settings::take(state, was.settings);
    state.message = Message::plain("the live run and A changed places");
    effects
}

fn changed(state: &mut State) -> Vec<Effect> {
    state.scored = None;
    let scoring = scoring::follow(state).or(Some(Effect::StopScore));
    [follow(state), scoring].into_iter().flatten().collect()
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
    }
    let beside = [follow(state), scoring::follow(state), trials::follow(state)];
    effects.extend(beside.into_iter().flatten());
    effects
}
