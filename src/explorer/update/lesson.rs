//! Teaching: a step is shown, its actions are done one after the other, its question waits for an answer.

use super::ask::request;
use super::update;
use crate::explorer::action::{Effect, Message};
use crate::explorer::jobs::pins::Pins;
use crate::explorer::jobs::{Running, pins, score, trials};
use crate::explorer::lesson::{Lesson, Playing};
use crate::explorer::state::{Mode, State};
use std::collections::VecDeque;
use std::sync::Arc;

/// Begins a lesson, in the place of one that is on.
pub fn begin(state: &mut State, name: &str) -> Vec<Effect> {
    match Lesson::find(name) {
        // The index that was open before is opened again first.
        Ok(_) if state.aside => vec![Effect::Return(Some(name.to_owned()))],
        Ok(lesson) if !lesson.corpus.is_empty() => vec![Effect::Aside(Arc::new(lesson))],
        Ok(lesson) => teach(state, Arc::new(lesson)),
        Err(error) => state.say(Message::error(error.to_string())),
    }
}

/// Begins a lesson on the index that is open.
pub fn teach(state: &mut State, lesson: Arc<Lesson>) -> Vec<Effect> {
    let before = match state.lesson.take() {
        Some(playing) => playing.before,
        None => kept(state),
    };
    state.lesson = Some(Playing {
        lesson,
        at: 0,
        chosen: None,
        queue: VecDeque::new(),
        settled: false,
        shown: None,
        before,
    });
    enter(state, 0)
}

/// The state that is given back at the end of a lesson: what was awaited then is not awaited any more.
fn kept(state: &State) -> Box<State> {
    let mut before = Box::new(state.clone());
    super::sweep::close(&mut before);
    if before.asking.going() {
        before.asking = Running::Never;
    }
    if before.scoring.going() {
        before.scoring = Running::Never;
    }
    stop(&mut before);
    before.lesson = None;
    before.message = Message::default();
    before.cause.clear();
    before
}

/// Stops whatever the question, the settings and the set were asked for.
fn stop(state: &mut State) -> Vec<Effect> {
    let trials = state.trials.as_mut();
    let trying = trials.and_then(|trials| trials.running.stop());
    let going = [
        state.asking.stop(),
        state.hunting.stop(),
        state.repairing.stop(),
        state.scoring.stop(),
        state.pins.asking.stop(),
        trying,
    ];
    going.into_iter().flatten().collect()
}

/// Gives back the state from before the lesson: question, settings, pins, view and all that follows from them. What belongs to
/// the program and not to the screen (files, layers, labels, keys) stays as it is now.
fn give_back(state: &mut State, before: &State) -> Vec<Effect> {
    super::sweep::close(state);
    let mut effects = stop(state);
    let now = state.clone();
    *state = State {
        size: now.size,
        hits: now.hits,
        facts: now.facts,
        layers: now.layers,
        building: now.building,
        presets: now.presets,
        patches: now.patches,
        indexes: now.indexes,
        opening: now.opening,
        history: now.history,
        recent: now.recent,
        labelling: now.labelling,
        answering: now.answering,
        doctoring: now.doctoring,
        learning: now.learning,
        worth: now.worth,
        said: now.said,
        theme: now.theme,
        present: now.present,
        masked: now.masked,
        still: now.still,
        speed: now.speed,
        looped: now.looped,
        lesson: now.lesson,
        held: None,
        mode: Mode::Browse,
        ..before.clone()
    };
    // An answer that was on its way is asked for again.
    if matches!(state.asking, Running::Never) {
        effects.extend(request(state));
    } else {
        let beside = [
            score::follow(state),
            pins::follow(state),
            trials::follow(state),
        ];
        effects.extend(beside.into_iter().flatten());
    }
    effects
}

/// What a lesson begins with: the question and the settings that are there, and nothing that was opened, pinned or narrowed.
fn clear(state: &mut State) {
    state.zoom = false;
    state.reading = None;
    state.preview = None;
    state.drawn = None;
    state.step = None;
    state.playing = false;
    state.class = None;
    state.listed = None;
    state.filters.clear();
    state.trail.clear();
    state.pins = Pins::new(state.settings.clone());
}

/// The next step; after the last the lesson ends. A question is answered first.
pub fn go_on(state: &mut State) -> Vec<Effect> {
    let Some(playing) = &state.lesson else {
        return Vec::new();
    };
    if playing.waits() {
        return state.say(Message::plain("answer first: press a letter"));
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
    playing.settled = false;
    let then: Vec<_> = playing
        .step()
        .then
        .iter()
        .map(|act| act.0.clone())
        .collect();
    playing.queue.extend(then);
    Some(advance(state))
}

/// Ends the lesson; everything is as it was before it.
pub fn leave(state: &mut State) -> Vec<Effect> {
    let Some(playing) = state.lesson.take() else {
        return Vec::new();
    };
    if state.aside {
        return vec![Effect::Return(None)];
    }
    let effects = give_back(state, &playing.before);
    state.message = ended(&playing.lesson);
    effects
}

/// What is said after a lesson.
pub fn ended(lesson: &Lesson) -> Message {
    Message::plain(format!("end of lesson {}", lesson.name))
}

/// A step begins where the lesson would have it: everything as it was, then all actions of the steps up to it.
fn enter(state: &mut State, at: usize) -> Vec<Effect> {
    let Some(playing) = state.lesson.as_mut() else {
        return Vec::new();
    };
    let back = at < playing.at;
    playing.chosen = None;
    playing.settled = false;
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
    let mut effects = Vec::new();
    if from == 0 {
        let before = playing.before.clone();
        effects = give_back(state, &before);
        clear(state);
    }
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
    if !state.running() {
        settle(state);
    }
    effects
}

/// Once a step's actions are done, its words are about the step of the walk that is shown. Arrows beside ranks say what an
/// answer changed, not what the step before had.
fn settle(state: &mut State) {
    let shown = state.earlier_step();
    let Some(playing) = state.lesson.as_mut().filter(|playing| !playing.settled) else {
        return;
    };
    playing.settled = true;
    playing.shown = shown;
    if playing.chosen.is_none() {
        state.before = None;
    }
}
