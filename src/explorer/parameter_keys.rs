//! The parameters of a method in the order in which they are listed, and the keys of commands.
//!
//! Keys for the parameters that have none in the table: `p` and a capital letter. There are more parameters than keys,
//! so a letter means what the method of the moment reads: the first letter of the parameter's name that is free.

use super::command::{Command, IN_COLUMNS};
use super::keys::{Lookup, Stroke};
use super::state::State;
use crate::retrieve::{Parameter, Stage};

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

/// The key that a command has in the neighbourhood of nodes alone, while that has the keyboard.
pub fn near(state: &State, command: Command) -> Option<char> {
    let own = IN_COLUMNS.iter().find(|own| own.1 == command);
    own.filter(|_| state.browses()).map(|own| own.0)
}

/// The keys of a command as they are bound now.
pub fn keys(state: &State, command: Command) -> String {
    let here = near(state, command).map(String::from);
    let bound = state.keymap.chords(command).map(|chord| chord.to_string());
    let keys: Vec<String> = here.into_iter().chain(bound).collect();
    match command {
        Command::Tune(parameter) if keys.is_empty() => shown(state, parameter).unwrap_or_default(),
        _ => keys.join("  "),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterLine {
    Stage(Stage),
    Parameter(Parameter),
}

/// The parameters the method uses, the ones nearest to the result first: those are turned most and cost least.
pub fn parameter_lines(state: &State) -> Vec<ParameterLine> {
    let mut uses = state.settings.method().uses();
    uses.sort_by_key(|p| std::cmp::Reverse(nearness(p.declaration().stage)));
    let mut lines = Vec::new();
    let mut last = None;
    for parameter in uses {
        let stage = parameter.declaration().stage;
        if last != Some(stage) {
            lines.push(ParameterLine::Stage(stage));
            last = Some(stage);
        }
        lines.push(ParameterLine::Parameter(parameter));
    }
    lines
}

/// The spread is what a person turns first; the cut is one number.
fn nearness(stage: Stage) -> u8 {
    match stage {
        Stage::Spread => 9,
        Stage::Select => 8,
        Stage::Mix => 7,
        Stage::Seeds => 6,
        Stage::Score => 5,
        Stage::Graph => 4,
        Stage::Index => 3,
    }
}

/// The word over a group of parameters.
pub fn stage_title(stage: Stage) -> &'static str {
    match stage {
        Stage::Index => "index",
        Stage::Graph => "graph",
        Stage::Score => "ranking",
        Stage::Seeds => "seeds",
        Stage::Mix => "mix",
        Stage::Spread => "spread",
        Stage::Select => "select",
    }
}
