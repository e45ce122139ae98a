//! Settings: every way to change one goes through [`change`], so every change can be taken back.

use super::ask::request;
use super::{pins, sweep};
use crate::evaluate::sweep::differences;
use crate::explorer::action::{Effect, Message};
use crate::explorer::lack::lack;
use crate::explorer::layout::Pane;
use crate::explorer::panes::filter;
use crate::explorer::parameter_keys::{ParameterLine, parameter_lines};
use crate::explorer::state::{State, favourite};
use crate::ranker::Tuned;
use crate::retrieve::{Method, Origin, Parameter, Settings, Value};
use std::sync::Arc;

/// How many changes can be taken back.
const UNDO: usize = 500;

/// Takes new settings, remembers the old ones, and re-runs when anything is different.
pub fn change(state: &mut State, settings: Settings) -> Vec<Effect> {
    if settings == state.settings {
        return Vec::new();
    }
    replace(state, settings);
    changed(state)
}

/// Asks with the settings as they are after an edit.
pub fn edit(state: &mut State, edit: impl FnOnce(&mut Settings)) -> Vec<Effect> {
    let mut settings = state.settings.clone();
    edit(&mut settings);
    change(state, settings)
}

/// Announces the change of settings that was just asked for.
pub fn announce(state: &mut State, said: String) {
    state.cause.clone_from(&said);
    state.message = Message::plain(said);
}

/// Takes new settings and remembers the old ones.
pub fn replace(state: &mut State, settings: Settings) {
    sweep::close(state);
    state.cause.clear();
    let before = std::mem::replace(&mut state.settings, settings);
    keep_parameter(state, &before);
    remember(state, before);
}

/// Where the method is another, the slider goes to the parameter that it moved under that method, else stays on the one it is
/// on, where the method has it.
fn keep_parameter(state: &mut State, before: &Settings) {
    let (old, new) = (before.method(), state.settings.method());
    let uses = new.uses();
    if old != new {
        state.moved.insert(old.name.to_string(), state.parameter);
        let known = state.moved.get(&*new.name).copied();
        state.parameter = known.unwrap_or(state.parameter);
    }
    if !uses.contains(&state.parameter) {
        state.parameter = favourite(&state.settings);
    }
    show_parameter(state);
}

/// These settings can be had back.
pub fn remember(state: &mut State, before: Settings) {
    state.undo.push(before);
    if state.undo.len() > UNDO {
        state.undo.remove(0);
    }
    state.redo.clear();
}

/// Like [`change`] within one held mouse button: the whole drag is taken back at once.
pub fn drag(state: &mut State, parameter: Parameter, value: Value) -> Vec<Effect> {
    let settings = with(&state.settings, parameter, value);
    if settings == state.settings {
        return Vec::new();
    }
    state.settings = settings;
    changed(state)
}

/// Remembers the settings before a drag begins.
pub fn begin_drag(state: &mut State) {
    sweep::close(state);
    // What the last change did is no part of what this one does.
    state.message = Message::default();
    state.cause.clear();
    remember(state, state.settings.clone());
}

/// Ends a drag: one that changed nothing leaves nothing to undo.
pub fn end_drag(state: &mut State) {
    if state.undo.last() == Some(&state.settings) {
        state.undo.pop();
    }
}

fn changed(state: &mut State) -> Vec<Effect> {
    show_parameter(state);
    // Items of a story and nodes of a graph are counted apart.
    let told = state.scene().map(|scene| scene.story.is_some());
    if told.is_some_and(|told| told != state.settings.method().tells()) {
        state.wanted.subject.node = None;
        state.trail.clear();
        state.step = None;
    }
    request(state)
}

pub fn set(state: &mut State, parameter: Parameter, value: Value) -> Vec<Effect> {
    let settings = with(&state.settings, parameter, value);
    change(state, settings)
}

/// The settings with another value. The value a session begins with counts as untouched.
pub fn with(settings: &Settings, parameter: Parameter, value: Value) -> Settings {
    let mut settings = settings.clone();
    settings.reset(parameter);
    if settings.value(parameter) != value {
        settings.set(parameter, value, Origin::User);
    }
    settings
}

/// Sets a parameter from text, as `--set` does.
pub fn set_text(state: &mut State, parameter: &str, value: &str) -> Vec<Effect> {
    let Some(parameter) = Parameter::from_id(parameter) else {
        return state.say(Message::error(format!("no parameter '{parameter}'")));
    };
    match parameter.declaration().domain.parse(value) {
        Ok(value) => {
            state.parameter = parameter;
            set(state, parameter, value)
        }
        Err(said) => state.say(Message::error(format!(
            "{}: {said}",
            parameter.declaration().label
        ))),
    }
}

pub fn step(state: &mut State, count: i64) -> Vec<Effect> {
    let parameter = state.parameter;
    let now = state.settings.value(parameter);
    let domain = &parameter.declaration().domain;
    // Ten steps around a short ring of choices would land anywhere.
    let count = match domain {
        crate::retrieve::Domain::Choice(_) => count.signum(),
        _ => count,
    };
    let value = domain.stepped(now, count);
    if value == now {
        let label = parameter.declaration().label;
        return state.say(Message::plain(format!(
            "{label} is at its limit ({domain})"
        )));
    }
    set(state, parameter, value)
}

pub fn default(state: &mut State) -> Vec<Effect> {
    let parameter = state.parameter;
    edit(state, |settings| settings.reset(parameter))
}

pub fn defaults(state: &mut State) -> Vec<Effect> {
    edit(state, |settings| {
        for parameter in Parameter::ALL {
            if settings.origin(*parameter) == Origin::User {
                settings.reset(*parameter);
            }
        }
    })
}

pub fn method(state: &mut State, name: &str) -> Vec<Effect> {
    match Method::by_name(name) {
        Ok(method) => {
            if let Some(lack) = lack(state, &method) {
                let reason = lack.reason(&state.facts);
                return state.say(Message::warning(format!("{name}: {reason}")));
            }
            edit(state, |settings| settings.set_method(method))
        }
        Err(said) => state.say(Message::error(said)),
    }
}

/// Stands the settings on a preset, or on none.
pub fn preset(state: &mut State, name: &str) -> Vec<Effect> {
    match state.presets.by_name(name) {
        Ok(preset) => edit(state, |settings| settings.apply_preset(preset)),
        Err(said) => state.say(Message::error(said)),
    }
}

/// Takes a ranker that was learned, beside the run before: that is pinned, unless a person has pinned others.
pub fn learned(state: &mut State, tuned: Arc<Tuned>, gain: &str) -> Vec<Effect> {
    let mut effects = match state.pins.by_hand {
        true => Vec::new(),
        false => pins::pin(state),
    };
    effects.extend(edit(state, |settings| settings.tune(tuned)));
    announce(state, format!("learned; on unseen questions {gain}"));
    effects
}

/// Takes the settings of an earlier run.
pub fn take(state: &mut State, settings: Settings) -> Vec<Effect> {
    change(state, settings)
}

/// What cannot be done is not kept: the settings are those of what is shown again. A question that could not be asked
/// stays in its field.
pub fn take_back(state: &mut State) {
    let Some(scene) = state.scene() else { return };
    if scene.question != state.wanted.question || scene.settings == state.settings {
        return;
    }
    let settings = scene.settings.clone();
    sweep::close(state);
    if state.undo.last() == Some(&settings) {
        state.undo.pop();
    }
    let before = std::mem::replace(&mut state.settings, settings.clone());
    state.wanted.settings = settings;
    keep_parameter(state, &before);
}

pub fn undo(state: &mut State) -> Vec<Effect> {
    sweep::close(state);
    let Some(before) = state.undo.pop() else {
        return Vec::new();
    };
    let now = std::mem::replace(&mut state.settings, before);
    keep_parameter(state, &now);
    announce(
        state,
        format!("undone: {}", difference(&now, &state.settings)),
    );
    state.redo.push(now);
    changed(state)
}

pub fn redo(state: &mut State) -> Vec<Effect> {
    let Some(after) = state.redo.pop() else {
        return Vec::new();
    };
    let now = std::mem::replace(&mut state.settings, after);
    keep_parameter(state, &now);
    announce(
        state,
        format!("redone: {}", difference(&now, &state.settings)),
    );
    state.undo.push(now);
    changed(state)
}

/// What is different, in words.
pub fn difference(from: &Settings, to: &Settings) -> String {
    match differences(from, to) {
        words if words.is_empty() => "no difference".to_owned(),
        words => words.join(", "),
    }
}

/// Makes a parameter current and shows its slider.
pub fn tune(state: &mut State, parameter: Parameter) {
    state.parameter = parameter;
    state.focus = Pane::Parameters;
    show_parameter(state);
}

/// Moves the list's cursor to the current parameter.
pub fn show_parameter(state: &mut State) {
    let lines = parameter_lines(state);
    let wanted = ParameterLine::Parameter(state.parameter);
    let row = lines.iter().position(|line| *line == wanted).unwrap_or(0);
    filter::settle(state, Pane::Parameters, row);
}
