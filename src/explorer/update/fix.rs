//! Suggested changes: what the reasons of a lost passage offer, as settings that one key applies.

use super::settings;
use crate::explorer::action::Effect;
use crate::explorer::scene::Why;
use crate::explorer::state::State;
use crate::retrieve::{Parameter, Value};

/// The letters of the suggestions.
pub const LETTERS: [&str; 3] = ["a", "b", "c"];

/// The assignments a suggestion begins with: `steps=6, alpha=0.3 brings it to rank 2`.
pub fn assignments(fix: &str) -> Vec<(Parameter, Value)> {
    let words = fix.split([' ', ',', ';']).filter(|w| !w.is_empty());
    let assignment = |word: &str| {
        let (name, value) = word.split_once('=')?;
        let parameter = Parameter::from_id(name)?;
        let value = parameter.declaration().domain.parse(value).ok()?;
        Some((parameter, value))
    };
    words
        .filter(|word| *word != "and")
        .map_while(assignment)
        .collect()
}

/// The reasons' suggestions that can be applied: place of the reason, and what is set.
pub fn fixes(why: &Why) -> Vec<(usize, Vec<(Parameter, Value)>)> {
    let fix = |(i, reason): (usize, &crate::explorer::scene::Reason)| {
        let set = assignments(reason.fix.as_deref()?);
        (!set.is_empty()).then_some((i, set))
    };
    why.reasons
        .iter()
        .enumerate()
        .filter_map(fix)
        .take(LETTERS.len())
        .collect()
}

/// Applies the suggestion of a letter.
pub fn apply(state: &mut State, letter: usize) -> Vec<Effect> {
    let why = state.detail().and_then(|d| d.passage.as_ref());
    let Some((_, set)) = why.and_then(|why| fixes(why).into_iter().nth(letter)) else {
        return Vec::new();
    };
    let mut changed = state.settings.clone();
    for (parameter, value) in &set {
        changed = settings::with(&changed, *parameter, *value);
    }
    if let Some((parameter, _)) = set.first() {
        state.parameter = *parameter;
    }
    settings::change(state, changed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_suggestion_is_its_leading_assignments() {
        assert_eq!(
            assignments("steps=6 brings it to rank 3"),
            vec![(Parameter::Steps, Value::Integer(6))]
        );
        assert_eq!(
            assignments("alpha=0.3, hub-p=0.5 and result_k=20"),
            vec![
                (Parameter::Alpha, Value::Real(0.3)),
                (Parameter::HubP, Value::Real(0.5)),
                (Parameter::ResultK, Value::Integer(20))
            ]
        );
        assert!(assignments("another name").is_empty());
        assert!(assignments("alpha=7").is_empty());
    }
}
