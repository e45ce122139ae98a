//! Typing what narrows the focused list. The rows follow at every letter; the cursor stays on its row while that is shown.

use super::{field, keys, moves};
use crate::explorer::action::{Effect, Message};
use crate::explorer::command::Command;
use crate::explorer::panes::filter;
use crate::explorer::panes::rows;
use crate::explorer::state::{Mode, State};
use crossterm::event::{KeyCode, KeyEvent};
use tui_input::Input;

pub fn open(state: &mut State) -> Vec<Effect> {
    let typed = state.filters.get(&state.focus).cloned();
    state.mode = Mode::Filter(Input::new(typed.unwrap_or_default()));
    Vec::new()
}

pub fn press(state: &mut State, key: KeyEvent, mut input: Input) -> Vec<Effect> {
    let by = match key.code {
        KeyCode::Enter => return keep(state),
        KeyCode::Esc => {
            state.filters.remove(&state.focus);
            return narrow(state);
        }
        KeyCode::Backspace if input.value().is_empty() => return Vec::new(),
        KeyCode::Tab | KeyCode::BackTab => {
            let by = if key.code == KeyCode::Tab { 1 } else { -1 };
            return moves::next_pane(state, by);
        }
        KeyCode::Up => -1,
        KeyCode::Down => 1,
        _ => {
            let said = field::press(&mut input, key, field::WORDS);
            let effects = typed(state, input);
            keys::tell(state, said);
            return effects;
        }
    };
    state.mode = Mode::Filter(input);
    moves::by(state, by)
}

/// Takes in what is typed now.
pub fn typed(state: &mut State, input: Input) -> Vec<Effect> {
    match input.value() {
        "" => state.filters.remove(&state.focus),
        typed => state.filters.insert(state.focus, typed.to_owned()),
    };
    state.mode = Mode::Filter(input);
    narrow(state)
}

fn keep(state: &mut State) -> Vec<Effect> {
    if let Some(counted) = filter::counted(state, state.focus) {
        let back = crate::explorer::parameter_keys::keys(state, Command::Back);
        state.message = Message::plain(format!("{counted} rows; {back} clears the filter"));
    }
    Vec::new()
}

/// Moves the cursor only where its row went out of sight.
fn narrow(state: &mut State) -> Vec<Effect> {
    let pane = state.focus;
    let shown = filter::shown(state, pane);
    let passed = rows::passed_over(state, pane);
    let cursor = state.list(pane).cursor;
    let mut stops = shown.iter().copied().filter(|row| !passed.contains(row));
    let row = stops
        .clone()
        .find(|row| *row >= cursor)
        .or(stops.next_back());
    match row {
        Some(row) if row != cursor => moves::to_row(state, pane, row),
        _ => {
            filter::settle(state, pane, cursor);
            Vec::new()
        }
    }
}
