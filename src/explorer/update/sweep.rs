//! Sweeping a parameter: the strip opens, moving along it previews, Enter keeps, Esc leaves everything as it was.

use super::{ask, moves, settings};
use crate::evaluate::sweep::{Changes, VALUES, grid, present, values};
use crate::explorer::action::{Effect, Message};
use crate::explorer::command::Command;
use crate::explorer::jobs::sweep::{Axis, Sweep, SweepRequest};
use crate::explorer::jobs::{Listed, Thread};
use crate::explorer::layout::Pane;
use crate::explorer::state::State;

/// Values of the second parameter of a grid.
const ROWS: usize = 7;

/// Opens the strip of the current parameter; on the one that is open, closes it.
pub fn begin(state: &mut State) -> Vec<Effect> {
    if state.sweep.is_some() {
        return leave(state);
    }
    let parameter = state.parameter;
    let values = values(&state.settings, parameter, VALUES);
    open(state, vec![(parameter, values)])
}

/// Opens the grid of the current parameter and the one that was swept before it.
pub fn against(state: &mut State) -> Vec<Effect> {
    let Some(other) = state.swept else {
        return Vec::new();
    };
    let mut effects = leave(state);
    let parameter = state.parameter;
    let axis = |parameter, most| (parameter, values(&state.settings, parameter, most));
    let axes = vec![axis(other, ROWS), axis(parameter, VALUES)];
    effects.extend(open(state, axes));
    effects
}

fn open(state: &mut State, axes: Vec<Axis>) -> Vec<Effect> {
    settings::tune(state, state.parameter);
    let Some(scene) = state.scene() else {
        return Vec::new();
    };
    let shown = scene.passages.iter().take(scene.top_k);
    let top = shown.map(|row| row.passage).collect();
    let points = grid(&axes);
    let here = |point: &Changes| present(&state.settings, point);
    let present = points.iter().position(here).unwrap_or(0);
    let sweep = Sweep {
        axes,
        points: points.clone(),
        columns: vec![None; points.len()],
        cursor: present,
        present,
        start: state.settings.clone(),
        failed: None,
    };
    let request = SweepRequest {
        question: state.wanted.question.clone(),
        asked: state.wanted.asked,
        settings: state.settings.clone(),
        points,
        width: sweep.width(),
        first: present,
        top,
    };
    state.sweep = Some(sweep);
    vec![Effect::Begin(request.work())]
}

/// What a command means while the strip is open; nothing when it means what it always does.
pub fn run(state: &mut State, command: Command) -> Option<Vec<Effect>> {
    let rows = state.sweep.as_ref()?.axes.len() > 1;
    let here = state.focus == Pane::Parameters;
    Some(match command {
        Command::Less => by(state, 0, -1),
        Command::More => by(state, 0, 1),
        Command::MuchLess => by(state, 0, -5),
        Command::MuchMore => by(state, 0, 5),
        Command::Left if here => by(state, 0, -1),
        Command::Right if here => by(state, 0, 1),
        Command::Up if here && rows => by(state, -1, 0),
        Command::Down if here && rows => by(state, 1, 0),
        Command::First if here => by(state, 0, isize::MIN),
        Command::Last if here => by(state, 0, isize::MAX),
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

/// Rows down and places along the row.
fn by(state: &mut State, rows: isize, places: isize) -> Vec<Effect> {
    let at = state.sweep.as_ref().map(|sweep| sweep.beside(rows, places));
    at.map_or_else(Vec::new, |at| to(state, at))
}

/// Previews a point.
pub fn to(state: &mut State, at: usize) -> Vec<Effect> {
    let Some(sweep) = &mut state.sweep else {
        return Vec::new();
    };
    let at = at.min(sweep.points.len().saturating_sub(1));
    if at == sweep.cursor {
        return Vec::new();
    }
    sweep.cursor = at;
    let point = sweep.points.get(at).into_iter().flatten();
    state.settings = point.fold(sweep.start.clone(), |settings, (parameter, value)| {
        settings::with(&settings, *parameter, *value)
    });
    ask::request(state)
}

/// Keeps what is previewed.
fn take(state: &mut State) -> Vec<Effect> {
    let Some(sweep) = state.sweep.clone() else {
        return Vec::new();
    };
    close(state);
    state.message = Message::plain(settings::difference(&sweep.start, &state.settings));
    vec![Effect::Stop(Thread::Sweep)]
}

/// Back to what was before.
pub fn leave(state: &mut State) -> Vec<Effect> {
    let Some(sweep) = state.sweep.take() else {
        return Vec::new();
    };
    forget(state, &sweep);
    let mut effects = vec![Effect::Stop(Thread::Sweep)];
    if state.settings != sweep.start {
        state.settings = sweep.start;
        effects.extend(ask::request(state));
    }
    effects
}

/// Closes the strip and keeps what is previewed, as one change that undo takes back.
pub fn close(state: &mut State) {
    let Some(sweep) = state.sweep.take() else {
        return;
    };
    forget(state, &sweep);
    if sweep.start != state.settings {
        settings::remember(state, sweep.start);
    }
}

/// Of a closed strip its parameter is remembered: another can be held against it.
fn forget(state: &mut State, sweep: &Sweep) {
    state.swept = sweep.axes.last().map(|axis| axis.0);
}
