//! Teaching: a step is shown, its actions are done one after the other, its question waits for an answer.

use super::update;
use crate::explorer::action::{Effect, Message};
use crate::explorer::lesson::{Lesson, Playing};
use crate::explorer::state::State;
use std::collections::VecDeque;
use std::sync::Arc;

/// Begins a lesson, in the place of one that is on.
pub fn begin(state: &mut State, name: &str) -> Vec<Effect> {
    match Lesson::find(name) {
        Ok(lesson) => {
            let before = match state.lesson.take() {
                Some(playing) => playing.before,
                None => state.settings.clone(),
            };
            state.lesson = Some(Playing {
                lesson: Arc::new(lesson),
                at: 0,
                chosen: None,
                queue: VecDeque::new(),
                before,
            });
            enter(state, 0)
        }
        Err(error) => {
            state.message = Message::error(error.to_string());
            Vec::new()
        }
    }
}

/// The next step; after the last the lesson ends. A question is answered first.
pub fn go_on(state: &mut State) -> Vec<Effect> {
    let Some(playing) = &state.lesson else {
        return Vec::new();
    };
    if playing.waits() {
        state.message = Message::plain("answer first: press a letter");
        return Vec::new();
    }
    match playing.at + 1 < playing.lesson.steps.len() {
        true => {
            let next = playing.at + 1;
            enter(state, next)
        }
        false => leave(state),
    }
}

/// The step before, from its beginning.
pub fn go_back(state: &mut State) -> Vec<Effect> {
    match &state.lesson {
        Some(playing) => {
            let before = playing.at.saturating_sub(1);
            enter(state, before)
        }
        None => Vec::new(),
    }
}

/// Takes an answer; none where no question waits for one.
pub fn answer(state: &mut State, letter: char) -> Option<Vec<Effect>> {
    let playing = state.lesson.as_mut().filter(|playing| playing.waits())?;
    let place = (letter as usize).checked_sub('a' as usize)?;
    if place >= playing.step().choices.len() {
        return None;
    }
    playing.chosen = Some(place);
    let then: Vec<_> = playing
        .step()
        .then
        .iter()
        .map(|act| act.0.clone())
        .collect();
    playing.queue.extend(then);
    Some(advance(state))
}

/// Ends the lesson, with the settings that were there before it.
pub fn leave(state: &mut State) -> Vec<Effect> {
    let Some(playing) = state.lesson.take() else {
        return Vec::new();
    };
    let effects = super::settings::take(state, playing.before);
    super::settings::announce(state, format!("end of lesson {}", playing.lesson.name));
    effects
}

/// A step begins where the lesson would have it: settings as they were, then all actions of the steps up to it.
fn enter(state: &mut State, at: usize) -> Vec<Effect> {
    let Some(playing) = state.lesson.as_mut() else {
        return Vec::new();
    };
    let back = at < playing.at;
    playing.chosen = None;
    playing.queue.clear();
    let from = if back || at == 0 { 0 } else { at };
    for (place, step) in playing
        .lesson
        .steps
        .iter()
        .enumerate()
        .take(at + 1)
        .skip(from)
    {
        playing
            .queue
            .extend(step.acts.iter().map(|act| act.0.clone()));
        if place < at {
            playing
                .queue
                .extend(step.then.iter().map(|act| act.0.clone()));
        }
    }
    playing.at = at;
    let before = playing.before.clone();
    let mut effects = match from == 0 {
        true => {
            state.step = None;
            super::settings::take(state, before)
        }
        false => Vec::new(),
    };
    effects.extend(advance(state));
    effects
}

/// Does what is still to be done, as far as no run is awaited.
pub fn advance(state: &mut State) -> Vec<Effect> {
    let mut effects = Vec::new();
    while !state.running() {
        let next = state
            .lesson
            .as_mut()
            .and_then(|playing| playing.queue.pop_front());
        let Some(action) = next else {
            break;
        };
        effects.extend(update(state, action));
        // What an action says of itself is not what the lesson says.
        state.message = Message::default();
        state.cause.clear();
    }
    effects
}
