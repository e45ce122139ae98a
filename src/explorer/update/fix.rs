//! Suggested changes: what the reasons of a lost passage offer and what a search found, each applied by one key.

use super::settings;
use crate::explain::{Change, Repairs};
use crate::explorer::action::Effect;
use crate::explorer::scene::Why;
use crate::explorer::state::State;

/// The letters of the suggestions.
pub const LETTERS: [&str; 3] = ["a", "b", "c"];

/// What a suggestion is from, by its place there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum From {
    Reason(usize),
    Repair(usize),
}

/// The suggestions that have letters: those of the reasons, then those that were found.
pub fn fixes(why: &Why, found: Option<&Repairs>) -> Vec<(From, Change)> {
    let reasons = why.reasons.iter().enumerate();
    let proven = reasons.filter_map(|(at, reason)| {
        let fix = reason.fix.as_ref()?;
        Some((From::Reason(at), fix.change.clone()))
    });
    let found = found.into_iter().flat_map(|repairs| &repairs.found);
    let found = found.enumerate();
    let found = found.map(|(at, repair)| (From::Repair(at), repair.change.clone()));
    proven.chain(found).take(LETTERS.len()).collect()
}

/// The suggestions on screen.
pub fn suggested(state: &State) -> Vec<(From, Change)> {
    let why = state.detail().and_then(|detail| detail.passage.as_ref());
    let found = state.repairing().map(|found| &found.repairs);
    why.map_or_else(Vec::new, |why| fixes(why, found))
}

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
