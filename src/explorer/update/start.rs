//! Keys on the first screen.

use super::{keys, update};
use crate::explorer::action::{Action, Effect, Message};
use crate::explorer::command::Command;
use crate::explorer::start;
use crate::explorer::state::{Mode, State};
use crossterm::event::{KeyCode, KeyEvent};

pub fn press(state: &mut State, key: KeyEvent, at: usize) -> Vec<Effect> {
    let entries = start::entries(state);
    let last = entries.len() - 1;
    state.mode = Mode::Start(match key.code {
        KeyCode::Up | KeyCode::BackTab => at.checked_sub(1).unwrap_or(last),
        KeyCode::Down | KeyCode::Tab => (at + 1) % entries.len(),
        KeyCode::Enter => return choose(state, at),
        KeyCode::Esc => {
            state.mode = Mode::Browse;
            return Vec::new();
        }
        KeyCode::Char(c) => {
            let letter = c.to_string();
            if let Some(own) = entries.iter().position(|entry| entry.key == letter) {
                return choose(state, own);
            }
            // Who knows a key needs no first screen.
            state.mode = Mode::Browse;
            return keys::press(state, key);
        }
        _ => at,
    });
    Vec::new()
}

/// Begins with an entry, or says why that is not there.
pub fn choose(state: &mut State, at: usize) -> Vec<Effect> {
    let Some(entry) = start::entries(state).into_iter().nth(at) else {
        return Vec::new();
    };
    if let Some(reason) = entry.unavailable {
        state.mode = Mode::Start(at);
        return state.say(Message::warning(format!("{}: {reason}", entry.title)));
    }
    state.mode = Mode::Browse;
    match entry.choice {
        // The sample is what is on screen.
        Action::Do(Command::Back) => Vec::new(),
        choice => update(state, choice),
    }
}
