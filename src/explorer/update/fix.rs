//! Suggested changes: what the reasons of a lost passage offer and what a search found, each applied by one key.

use super::settings;
use crate::explain::Change;
use crate::explorer::action::Effect;
use crate::explorer::jobs::repair::suggested;
use crate::explorer::state::State;

/// Applies the suggestion of a letter.
pub fn apply(state: &mut State, letter: usize) -> Vec<Effect> {
    let Some((_, change)) = suggested(state).into_iter().nth(letter) else {
        return Vec::new();
    };
    let mut changed = state.settings.clone();
    for change in change.each() {
        changed = match change {
            Change::Set(parameter, value) => settings::with(&changed, *parameter, *value),
            _ => change.applied(&changed),
        };
    }
    if let Some(Change::Set(parameter, _)) = change.each().first() {
        state.parameter = *parameter;
    }
    settings::change(state, changed)
}
