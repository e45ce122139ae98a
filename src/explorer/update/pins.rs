//! Pinned runs: kept, dropped, exchanged with the live one, and asked whatever the live one is asked.

use super::{scoring, settings, trials};
use crate::evaluate::sweep::between;
use crate::explorer::action::{Effect, Job, Message, Work};
use crate::explorer::layout::{Pane, View};
use crate::explorer::pins::{Asking, CHANGES, MOST, Pin, Pinned, letter};
use crate::explorer::scene::{Request, Subject};
use crate::explorer::state::State;

/// Asks for the pins that lack an answer where they are looked at, and in Compare which change did it.
pub fn follow(state: &mut State) -> Option<Effect> {
    let question = &state.wanted.question;
    let comparing = state.view == View::Compare;
    if question.trim().is_empty() || !(comparing || state.pins.by_hand) {
        return None;
    }
    let request = |pin: &Pin| Request {
        settings: pin.settings.clone(),
        subject: Subject::default(),
        view: View::default(),
        ..state.wanted.clone()
    };
    let pins = state.pins.list.iter().enumerate();
    let lacking = pins.filter(|(_, pin)| pin.answer(question).is_none());
    let requests: Vec<_> = lacking.map(|(at, pin)| (at, request(pin))).collect();
    let first = state.pins.first();
    let behind = (
        question.clone(),
        first.settings.clone(),
        state.settings.clone(),
    );
    let same = state.pins.behind.as_ref() == Some(&behind);
    let known = same && state.pins.subsets.is_some();
    let changes = between(&first.settings, &state.settings, CHANGES);
    let changes = (comparing && !known && !changes.is_empty()).then(|| (request(first), changes));
    if comparing && !same {
        state.pins.subsets = None;
        state.pins.behind = Some(behind);
    }
    if requests.is_empty() && changes.is_none() {
        return None;
    }
    state.pins.asked += 1;
    let asking = Asking {
        generation: state.pins.asked,
        requests,
        changes,
    };
    Some(Effect::Work(Work::AskPins(Box::new(asking))))
}

/// Takes in what the pins give.
pub fn news(state: &mut State, pinned: Pinned) {
    if pinned.generation == state.pins.asked {
        for (at, question, answer) in pinned.answers {
            state.pins.list[at].take(question, answer);
        }
        state.pins.subsets = pinned.subsets.or(state.pins.subsets.take());
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
        pin.take(shown.scene.question.clone(), Ok(shown.scene.clone()));
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
        pinned.take(shown.scene.question.clone(), Ok(shown.scene.clone()));
    }
    let was = std::mem::replace(&mut state.pins.list[0], pinned);
    state.pins.by_hand = true;
    state.pins.asked += 1;
    state.scored = None;
    let effects = settings::take(state, was.settings);
    state.message = Message::plain("the live run and A changed places");
    effects
}

/// An answer on its way may belong to a place that holds another run now.
fn changed(state: &mut State) -> Vec<Effect> {
    state.pins.asked += 1;
    state.scored = None;
    let scoring = scoring::follow(state).or(Some(Effect::Stop(Job::Scores)));
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
