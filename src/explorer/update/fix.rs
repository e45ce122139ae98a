//! Suggested changes: what the reasons of a lost passage offer and what a search found, each applied by one key.

use super::settings;
use crate::explain::{Change, Repairs};
use crate::explorer::action::Effect;
use crate::explorer::scene::Why;
use crate::explorer::state::State;
use crate::retrieve::Parameter;

/// The letters of the suggestions.
pub const LETTERS: [&str; 3] = ["a", "b", "c"];

/// What a suggestion is from, by its place there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum From {
    Reason(usize),
    Repair(usize),
}

/// The assignments a reason's suggestion begins with: `steps=6, alpha=0.3 brings it to rank 2`.
pub fn assignments(fix: &str) -> Vec<Change> {
    let words = fix.split([' ', ',', ';']).filter(|w| !w.is_empty());
    let assignment = |word: &str| {
        let (name, value) = word.split_once('=')?;
        let parameter = Parameter::from_id(name)?;
        let value = parameter.declaration().domain.parse(value).ok()?;
        Some(Change::Set(parameter, value))
    };
    words
        .filter(|word| *word != "and")
        .map_while(assignment)
        .collect()
}

/// The suggestions that have letters: those of the reasons, then those that were found.
pub fn fixes(why: &Why, found: Option<&Repairs>) -> Vec<(From, Vec<Change>)> {
    let reasons = why.reasons.iter().enumerate();
    let told = reasons.filter_map(|(at, reason)| {
        let set = assignments(reason.fix.as_deref()?);
        (!set.is_empty()).then_some((From::Reason(at), set))
    });
    let found = found.into_iter().flat_map(|repairs| &repairs.found);
    let found = found.enumerate();
    let found = found.map(|(at, repair)| {
        (
            From::Repair(at),
            repair.change.each().into_iter().cloned().collect(),
        )
    });
    told.chain(found).take(LETTERS.len()).collect()
}

/// The suggestions on screen.
pub fn suggested(state: &State) -> Vec<(From, Vec<Change>)> {
    let why = state.detail().and_then(|detail| detail.passage.as_ref());
    let found = state.repairing().map(|begun| &begun.repairs);
    why.map_or_else(Vec::new, |why| fixes(why, found))
}

/// Applies the suggestion of a letter.
pub fn apply(state: &mut State, letter: usize) -> Vec<Effect> {
    let Some((_, changes)) = suggested(state).into_iter().nth(letter) else {
        return Vec::new();
    };
    let mut changed = state.settings.clone();
    for change in &changes {
        changed = match change {
            Change::Set(parameter, value) => settings::with(&changed, *parameter, *value),
            _ => change.applied(&changed),
        };
    }
    if let Some(Change::Set(parameter, _)) = changes.first() {
        state.parameter = *parameter;
    }
    settings::change(state, changed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::retrieve::Value;

    #[test]
    fn a_suggestion_is_its_leading_assignments() {
        assert_eq!(
            assignments("steps=6 brings it to rank 3"),
            vec![Change::Set(Parameter::Steps, Value::Integer(6))]
        );
        assert_eq!(
            assignments("alpha=0.3, hub-p=0.5 and sage_seeds=20"),
            vec![
                Change::Set(Parameter::Alpha, Value::Real(0.3)),
                Change::Set(Parameter::HubP, Value::Real(0.5)),
                Change::Set(Parameter::SageSeeds, Value::Integer(20))
            ]
        );
        assert!(assignments("another name").is_empty());
        assert!(assignments("alpha=7").is_empty());
    }
}
