//! Keys for the parameters that have none in the table: `p` and a capital letter. There are more parameters than keys,
//! so a letter means what the method of the moment reads: the first letter of the parameter's name that is free.

use super::command::Command;
use super::keys::{Lookup, Stroke};
use super::rows::{ParameterLine, parameter_lines};
use super::state::State;
use crate::retrieve::Parameter;

/// The key after which the letters count.
pub fn prefix() -> Stroke {
    Stroke::char('p')
}

/// The letters of the method's parameters, in the order in which the pane lists them.
pub fn letters(state: &State) -> Vec<(Stroke, Parameter)> {
    let Lookup::Prefix(bound) = state.keymap.lookup(&[prefix()]) else {
        return Vec::new();
    };
    let mut taken: Vec<Stroke> = bound.into_iter().map(|(stroke, _)| stroke).collect();
    let mut letters = Vec::new();
    for line in parameter_lines(state) {
        let ParameterLine::Parameter(parameter) = line else {
            continue;
        };
        if state.keymap.shown(Command::Tune(parameter)).is_some() {
            continue;
        }
        let free = wanted(parameter.declaration().label).find(|stroke| !taken.contains(stroke));
        if let Some(stroke) = free {
            taken.push(stroke);
            letters.push((stroke, parameter));
        }
    }
    letters
}

/// The parameter that a stroke after the prefix means now.
pub fn parameter(state: &State, begun: Stroke, stroke: Stroke) -> Option<Parameter> {
    let mut letters = letters(state).into_iter().filter(|_| begun == prefix());
    letters.find(|(own, _)| *own == stroke).map(|(_, p)| p)
}

/// The keys of a parameter that has none in the table.
pub fn shown(state: &State, parameter: Parameter) -> Option<String> {
    if !state.settings.method().uses().contains(&parameter) {
        return None;
    }
    let own = letters(state).into_iter().find(|(_, p)| *p == parameter);
    own.map(|(stroke, _)| format!("{} {stroke}", prefix()))
}

/// Letters in the order in which a name would like them: beginnings of its words, its other letters, the alphabet.
fn wanted(label: &str) -> impl Iterator<Item = Stroke> {
    let first = label
        .split_whitespace()
        .filter_map(|word| word.chars().next());
    let all: Vec<char> = first.chain(label.chars()).chain('A'..='Z').collect();
    all.into_iter()
        .filter(char::is_ascii_alphabetic)
        .map(|c| Stroke::char(c.to_ascii_uppercase()))
}
