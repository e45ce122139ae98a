//! Seeds: mute, weigh and add. Every change is an edit of the settings, so undo, the session and copies know it.

use super::settings::{self, change};
use super::{field, keys};
use crate::explorer::action::{Effect, Message};
use crate::explorer::layout::Pane;
use crate::explorer::state::{Mode, State, Weighing};
use crate::explorer::targets;
use crate::parameters::SEED_K;
use crate::retrieve::edits::MOST;
use crate::retrieve::{Origin, SeedChange, SeedEdit, Value};
use crossterm::event::{KeyCode, KeyEvent};
use tui_input::Input;

/// Takes a signal out of the sum; again brings its weight back.
fn mute_signal(state: &mut State) -> Vec<Effect> {
    let Ok(weight) = targets::signal(state) else {
        return Vec::new();
    };
    settings::edit(state, |settings| match settings.get(weight) == 0.0 {
        true => settings.reset(weight.id()),
        false => settings.set(weight.id(), Value::Real(0.0), Origin::User),
    })
}

/// Mutes the selected seed; again, or on one that was changed to nothing or added, takes that back.
pub fn mute(state: &mut State) -> Vec<Effect> {
    if state.focus == Pane::Why {
        return mute_signal(state);
    }
    let Ok((name, now)) = targets::seed(state) else {
        return Vec::new();
    };
    state.focus = Pane::Seeds;
    settings::edit(state, |settings| match now {
        Some(SeedChange::Mute | SeedChange::Add(_)) => settings.restore_seed(&name),
        _ => settings.edit_seed(SeedEdit {
            node: name,
            change: SeedChange::Mute,
        }),
    })
}

/// Opens the weight of the selected seed.
pub fn weigh(state: &mut State) -> Vec<Effect> {
    if let Ok((name, _)) = targets::seed(state) {
        state.focus = Pane::Seeds;
        state.mode = Mode::Weight(Weighing {
            seed: name,
            input: Input::default(),
        });
    }
    Vec::new()
}

/// A key while a weight is open: + and - double and halve, a number and Enter set the factor.
pub fn press(state: &mut State, key: KeyEvent, mut open: Weighing) -> Vec<Effect> {
    let typed = open.input.value().to_owned();
    state.message = Message::default();
    match key.code {
        KeyCode::Esc => Vec::new(),
        KeyCode::Char(c @ ('+' | '=' | '-' | '_')) if typed.is_empty() => {
            let by = if matches!(c, '+' | '=') { 2.0 } else { 0.5 };
            let name = open.seed.clone();
            state.mode = Mode::Weight(open);
            set(state, &name, |now| (now * by).clamp(1.0 / MOST, MOST))
        }
        KeyCode::Enter if typed.is_empty() => Vec::new(),
        KeyCode::Enter => match typed.trim().parse::<f64>() {
            Ok(factor) if (0.0..=MOST).contains(&factor) => set(state, &open.seed, |_| factor),
            _ => {
                state.message = Message::error(format!(
                    "weight: expected a factor from 0 to {MOST}, found '{typed}'"
                ));
                state.mode = Mode::Weight(open);
                Vec::new()
            }
        },
        KeyCode::Backspace if typed.is_empty() => Vec::new(),
        _ => {
            let said = field::press(&mut open.input, key, field::WORDS);
            state.mode = Mode::Weight(open);
            keys::tell(state, said)
        }
    }
}

/// Sets the factor of a seed from the one it has. One is no edit.
fn set(state: &mut State, name: &str, factor: impl Fn(f64) -> f64) -> Vec<Effect> {
    let mut settings = state.settings.clone();
    let known = settings.seed_edits().iter().find(|e| e.node == name);
    let now = known.map(|e| e.change);
    let (added, before) = match now {
        Some(SeedChange::Add(factor)) => (true, factor),
        Some(SeedChange::Weight(factor)) => (false, factor),
        Some(SeedChange::Mute) | None => (false, 1.0),
    };
    let factor = factor(before);
    if factor == 1.0 && !added {
        settings.restore_seed(name);
    } else {
        settings.edit_seed(SeedEdit {
            node: name.to_owned(),
            change: if added {
                SeedChange::Add(factor)
            } else {
                SeedChange::Weight(factor)
            },
        });
    }
    change(state, settings)
}

/// Changes a seed from text, as `--seed` does.
pub fn edit(state: &mut State, text: &str) -> Vec<Effect> {
    match text.parse::<SeedEdit>() {
        Ok(edit) => {
            state.focus = Pane::Seeds;
            settings::edit(state, |settings| settings.edit_seed(edit))
        }
        Err(said) => state.say(Message::error(format!("seed: {said}"))),
    }
}

/// Ranked passages as seeds: out, or back in as many as there were before.
pub fn passages(state: &mut State) -> Vec<Effect> {
    let parameter = SEED_K.id();
    let mut settings = state.settings.clone();
    if settings.get(SEED_K) > 0 {
        settings.set(parameter, Value::Integer(0), Origin::User);
    } else {
        let before = state.undo.iter().rev().find(|s| s.get(SEED_K) > 0);
        let before = before.map(|s| (s.value(parameter), s.origin(parameter)));
        match before {
            Some((value, origin)) => settings.set(parameter, value, origin),
            None => settings.reset(parameter),
        }
    }
    state.focus = Pane::Seeds;
    change(state, settings)
}

/// The edits belong to a question: another one begins without them, and undo does not bring them there.
pub fn forget(state: &mut State) {
    state.settings.restore_seeds();
    for settings in state.undo.iter_mut().chain(&mut state.redo) {
        settings.restore_seeds();
    }
    state.undo.dedup();
    state.redo.dedup();
    if state.undo.last() == Some(&state.settings) {
        state.undo.pop();
    }
    if state.redo.last() == Some(&state.settings) {
        state.redo.pop();
    }
}
