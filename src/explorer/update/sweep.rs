//! Sweeping a parameter: the strip opens, moving along it previews, Enter keeps, Esc leaves everything as it was.

use super::{ask, moves, settings};
use crate::evaluate::sweep::{VALUES, values};
use crate::explorer::action::{Effect, Message};
use crate::explorer::command::Command;
use crate::explorer::layout::Pane;
use crate::explorer::state::State;
use crate::explorer::sweep::{Sweep, SweepRequest, Swept};

/// Opens the strip of the current parameter; on the one that is open, closes it.
pub fn begin(state: &mut State) -> Vec<Effect> {
    if state.sweep.is_some() {
        return leave(state);
    }
    let parameter = state.parameter;
    settings::tune(state, parameter);
    let Some(scene) = state.scene() else {
        return Vec::new();
    };
    let shown = scene.passages.iter().take(scene.top_k);
    let top = shown.map(|row| row.passage).collect();
    let values = values(&state.settings, parameter, VALUES);
    let now = state.settings.value(parameter);
    let present = values.iter().position(|v| *v == now).unwrap_or(0);
    state.sweeps += 1;
    let request = SweepRequest {
        generation: state.sweeps,
        question: state.wanted.question.clone(),
        asked: state.wanted.asked,
        settings: state.settings.clone(),
        parameter,
        values: values.clone(),
        first: present,
        top,
    };
    state.sweep = Some(Sweep {
        generation: state.sweeps,
        parameter,
        columns: vec![None; values.len()],
        values,
        cursor: present,
        present,
        start: state.settings.clone(),
        failed: None,
    });
    vec![Effect::Sweep(Box::new(request))]
}

/// What a command means while the strip is open; nothing when it means what it always does.
pub fn run(state: &mut State, command: Command) -> Option<Vec<Effect>> {
    state.sweep.as_ref()?;
    let here = state.focus == Pane::Parameters;
    Some(match command {
        Command::Less => by(state, -1),
        Command::More => by(state, 1),
        Command::MuchLess => by(state, -5),
        Command::MuchMore => by(state, 5),
        Command::Left if here => by(state, -1),
        Command::Right if here => by(state, 1),
        Command::First if here => to(state, 0),
        Command::Last if here => to(state, usize::MAX),
        Command::Open if here => take(state),
        Command::Back => leave(state),
        // The strip follows the cursor to another parameter.
        Command::Up | Command::Down if here => {
            let mut effects = leave(state);
            let rows = if command == Command::Up { -1 } else { 1 };
            effects.extend(moves::by(state, rows));
            effects.extend(begin(state));
            effects
        }
        _ => return None,
    })
}

fn by(state: &mut State, values: isize) -> Vec<Effect> {
    let now = state.sweep.as_ref().map_or(0, |sweep| sweep.cursor);
    to(state, now.saturating_add_signed(values))
}

/// Previews a value.
pub fn to(state: &mut State, at: usize) -> Vec<Effect> {
    let Some(sweep) = &mut state.sweep else {
        return Vec::new();
    };
    let at = at.min(sweep.values.len().saturating_sub(1));
    if at == sweep.cursor {
        return Vec::new();
    }
    sweep.cursor = at;
    let settings = settings::with(&sweep.start, sweep.parameter, sweep.values[at]);
    state.settings = settings;
    ask::request(state)
}

/// Keeps the previewed value.
fn take(state: &mut State) -> Vec<Effect> {
    let Some(sweep) = state.sweep.clone() else {
        return Vec::new();
    };
    close(state);
    state.message = Message::plain(settings::difference(&sweep.start, &state.settings));
    vec![Effect::StopSweep]
}

/// Back to the value before.
pub fn leave(state: &mut State) -> Vec<Effect> {
    let Some(sweep) = state.sweep.take() else {
        return Vec::new();
    };
    let mut effects = vec![Effect::StopSweep];
    if state.settings != sweep.start {
        state.settings = sweep.start;
        effects.extend(ask::request(state));
    }
    effects
}

/// Closes the strip and keeps what is previewed, as one change that undo takes back.
pub fn close(state: &mut State) {
    if let Some(sweep) = state.sweep.take()
        && sweep.start != state.settings
    {
        state.undo.push(sweep.start);
        state.redo.clear();
    }
}

/// Takes in what a value gave.
pub fn swept(state: &mut State, swept: Swept) {
    let Some(sweep) = &mut state.sweep else {
        return;
    };
    if sweep.generation != swept.generation {
        return;
    }
    match swept.column {
        Ok(column) => {
            if let Some(place) = sweep.columns.get_mut(swept.at) {
                *place = Some(column);
            }
        }
        Err(said) => sweep.failed = Some(said),
    }
}
