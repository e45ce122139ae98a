//! From keys to commands, and text into the field that is open.

use super::{
    ask, browse as around, field, filtering, finder, label, lesson, moves, run, seeds, settings,
    start,
};
use crate::explorer::action::{Effect, Message};
use crate::explorer::command::Command;
use crate::explorer::keys::{Lookup, Stroke};
use crate::explorer::layout::Pane;
use crate::explorer::parameter_keys;
use crate::explorer::state::{Mode, State};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use tui_input::Input;

pub fn press(state: &mut State, key: KeyEvent) -> Vec<Effect> {
    if key.kind == KeyEventKind::Release {
        return Vec::new();
    }
    if key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL) {
        return vec![Effect::Quit { keep: false }];
    }
    let typing = !matches!(state.mode, Mode::Browse);
    if typing && key.code == KeyCode::Char('z') && key.modifiers == KeyModifiers::CONTROL {
        return run(state, Command::Suspend);
    }
    match std::mem::take(&mut state.mode) {
        Mode::Browse => browse(state, key),
        Mode::Chord(begun) => chord(state, key, begun),
        Mode::Edit => edit(state, key),
        Mode::Number(input) => number(state, key, input),
        Mode::Weight(open) => seeds::press(state, key, open),
        Mode::Finder(open) => finder::press(state, key, open),
        Mode::Start(at) => start::press(state, key, at),
        Mode::Filter(input) => filtering::press(state, key, input),
        Mode::Label(note) => label::press(state, key, note),
    }
}

/// Keys that are commands, or begin a chord.
fn browse(state: &mut State, key: KeyEvent) -> Vec<Effect> {
    let Some(stroke) = Stroke::from_event(&key) else {
        return Vec::new();
    };
    if let Some(letter) = stroke.typed().filter(char::is_ascii_lowercase)
        && let Some(effects) = lesson::answer(state, letter)
    {
        return effects;
    }
    if let Some(command) = label::command(state, stroke) {
        return run(state, command);
    }
    if let Some(command) = around::command(state, stroke) {
        return run(state, command);
    }
    if label::takes(state, key) {
        label::open(state);
        return label::press(state, key, None);
    }
    match state.keymap.lookup(&[stroke]) {
        Lookup::Command(command) => return run(state, command),
        Lookup::Prefix(_) => state.mode = Mode::Chord(stroke),
        Lookup::None => {
            state.message = Message::plain(format!("{stroke} is not bound; ? lists the keys"))
        }
    }
    Vec::new()
}

fn chord(state: &mut State, key: KeyEvent, begun: Stroke) -> Vec<Effect> {
    let Some(stroke) = Stroke::from_event(&key).filter(|_| key.code != KeyCode::Esc) else {
        return Vec::new();
    };
    match state.keymap.lookup(&[begun, stroke]) {
        Lookup::Command(command) => run(state, command),
        _ => {
            if let Some(parameter) = parameter_keys::parameter(state, begun, stroke) {
                return run(state, Command::Tune(parameter));
            }
            state.say(Message::warning(format!(
                "{begun} {stroke} is not bound; {begun} shows what is"
            )))
        }
    }
}

fn edit(state: &mut State, key: KeyEvent) -> Vec<Effect> {
    match (key.code, control(&key)) {
        (KeyCode::Enter, _) => {
            let text = state.input.value().to_owned();
            if text.trim().is_empty() {
                state.mode = Mode::Edit;
            }
            ask::question(state, &text)
        }
        (KeyCode::Esc, _) => {
            state.input = Input::new(state.wanted.question.clone());
            moves::focus(state, Pane::Passages)
        }
        (KeyCode::Tab, _) => moves::next_pane(state, 1),
        (KeyCode::BackTab, _) => moves::next_pane(state, -1),
        (KeyCode::Char('r'), true) => super::run(state, crate::explorer::command::Command::History),
        (KeyCode::Char('p'), true) => super::run(state, crate::explorer::command::Command::Palette),
        (KeyCode::Up, _) if !state.history.is_empty() => {
            super::run(state, crate::explorer::command::Command::History)
        }
        (code, control) => {
            let letter = matches!(code, KeyCode::Char(_)) && !control;
            if std::mem::take(&mut state.untouched) && letter {
                state.input = Input::default();
            }
            let said = field::press(&mut state.input, key, field::TEXT);
            state.mode = Mode::Edit;
            tell(state, said)
        }
    }
}

fn number(state: &mut State, key: KeyEvent, mut input: Input) -> Vec<Effect> {
    match key.code {
        KeyCode::Enter => {
            let parameter = state.parameter;
            match parameter.declaration().domain.parse(input.value()) {
                Ok(value) => settings::set(state, parameter, value),
                Err(said) => {
                    state.message =
                        Message::error(format!("{}: {said}", parameter.declaration().label));
                    state.mode = Mode::Number(input);
                    Vec::new()
                }
            }
        }
        KeyCode::Esc => Vec::new(),
        KeyCode::Backspace if input.value().is_empty() => Vec::new(),
        _ => {
            let said = field::press(&mut input, key, field::WORDS);
            state.mode = Mode::Number(input);
            tell(state, said)
        }
    }
}

/// Pasted text goes where typed text would; outside a field it is a question.
pub fn paste(state: &mut State, text: &str) -> Vec<Effect> {
    let text = crate::explorer::text::clean(text);
    let (said, effects) = match &mut state.mode {
        Mode::Edit => {
            if std::mem::take(&mut state.untouched) {
                state.input = Input::default();
            }
            let said = field::paste(&mut state.input, &text, field::TEXT);
            (said, Vec::new())
        }
        Mode::Number(input) => (field::paste(input, &text, field::WORDS), Vec::new()),
        Mode::Weight(open) => (
            field::paste(&mut open.input, &text, field::WORDS),
            Vec::new(),
        ),
        Mode::Finder(open) => {
            let said = field::paste(&mut open.input, &text, field::WORDS);
            (said, finder::refilter(state))
        }
        Mode::Filter(input) => {
            let said = field::paste(input, &text, field::WORDS);
            let input = input.clone();
            (said, filtering::typed(state, input))
        }
        Mode::Label(Some(input)) => (field::paste(input, &text, field::TEXT), Vec::new()),
        Mode::Label(None) => (None, Vec::new()),
        Mode::Browse | Mode::Chord(_) | Mode::Start(_) => {
            ask::edit(state);
            state.untouched = false;
            state.input = Input::default();
            let said = field::paste(&mut state.input, &text, field::TEXT);
            (said, Vec::new())
        }
    };
    tell(state, said);
    effects
}

/// Says what a field says of what was typed.
pub fn tell(state: &mut State, said: Option<Message>) -> Vec<Effect> {
    if let Some(said) = said {
        state.message = said;
    }
    Vec::new()
}

fn control(key: &KeyEvent) -> bool {
    key.modifiers.contains(KeyModifiers::CONTROL)
}
