//! Whether a command can be done now, and if not, why not: in words, since a greyed line without a reason teaches
//! nothing.

use super::command::Command;
use super::layout::Pane;
use super::rows;
use super::state::State;
use crate::retrieve::Parameter;

/// # Errors
/// Why the command cannot be done now.
pub fn available(command: Command, state: &State) -> Result<(), String> {
    match command {
        Command::NextQuestion | Command::PreviousQuestion => {
            need(!state.facts.questions.is_empty(), "this index came without questions; i asks one")
        }
        Command::History => need(!state.history.is_empty(), "no question was asked yet"),
        Command::Less | Command::More | Command::MuchLess | Command::MuchMore | Command::Default => {
            used(state, state.parameter)
        }
        Command::Tune(parameter) => used(state, parameter),
        Command::Defaults => need(!state.settings.changed().is_empty(), "every parameter has its default"),
        Command::Undo => need(!state.undo.is_empty(), "nothing to undo"),
        Command::Redo => need(!state.redo.is_empty(), "nothing was undone"),
        Command::Play | Command::StepBack | Command::StepOn | Command::StepFirst | Command::StepLast => steps(state),
        Command::Left | Command::Right => match state.focus {
            Pane::Iterations => steps(state),
            Pane::Parameters => used(state, state.parameter),
            Pane::Reader => Ok(()),
            _ => Err("works in Parameters, Iterations and an open passage; h and l move the slider anywhere".into()),
        },
        Command::Open => open(state),
        Command::Copy | Command::CopyJson | Command::CopyShell => {
            need(state.shown.is_some(), "there is no result yet")
        }
        _ => Ok(()),
    }
}

fn need(holds: bool, otherwise: &str) -> Result<(), String> {
    if holds {
        Ok(())
    } else {
        Err(otherwise.to_owned())
    }
}

fn used(state: &State, parameter: Parameter) -> Result<(), String> {
    let method = state.settings.method();
    if method.uses().contains(&parameter) {
        Ok(())
    } else {
        Err(format!(
            "{} does not use {}; m chooses another method",
            method.name,
            parameter.declaration().label
        ))
    }
}

fn steps(state: &State) -> Result<(), String> {
    match state.steps() {
        0 if state.scene().is_none() => Err("there is no result yet".into()),
        0 | 1 => Err(format!(
            "{} has no steps; m chooses a method that walks",
            state.settings.method().name
        )),
        _ => Ok(()),
    }
}

fn open(state: &State) -> Result<(), String> {
    let row = state.list(state.focus).cursor;
    match state.focus {
        Pane::Question | Pane::Parameters | Pane::Reader => Ok(()),
        Pane::Iterations => steps(state),
        Pane::Why => need(
            state.detail().is_some_and(|d| d.passage.is_some()),
            "no passage is selected",
        ),
        Pane::Session => need(!state.session.is_empty(), "no run yet"),
        Pane::Passages => match state.scene() {
            None => Err("there is no result yet".into()),
            Some(scene) if rows::step(state, scene).is_none() => {
                match rows::passage_lines(scene).get(row) {
                    Some(rows::PassageLine::Missing(_)) => {
                        Err("the corpus does not have this passage".into())
                    }
                    _ => need(
                        rows::subject(state, Pane::Passages, row).is_some(),
                        "nothing is selected",
                    ),
                }
            }
            Some(_) => need(
                rows::subject(state, Pane::Passages, row).is_some(),
                "nothing is selected",
            ),
        },
        pane => need(
            rows::subject(state, pane, row).is_some(),
            "this row is no node of the graph",
        ),
    }
}
