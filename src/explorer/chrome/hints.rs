//! The last line: what can be pressed here. It drops words from the right; help stays.

use crate::evaluate::labels::Cause;
use crate::explorer::available::available;
use crate::explorer::command::Command;
use crate::explorer::hits::{Hits, Target};
use crate::explorer::panes::contents;
use crate::explorer::panes::ink::Ink;
use crate::explorer::parameter_keys;
use crate::explorer::state::{Mode, State};
use crate::explorer::text;
use crate::explorer::theme::Scope;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;
use std::borrow::Cow;

pub fn render(ink: &Ink<'_>, area: Rect, buf: &mut Buffer, hits: &mut Hits) {
    let help = entry(ink, Command::Help);
    let reserved = help.as_ref().map_or(0, |(line, _)| line.width() + 2);
    let mut x = area.x + 1;
    let end = area.x + area.width;
    let mut put = |x: &mut u16,
                   line: &Line<'static>,
                   command: Option<Command>,
                   keep: usize,
                   buf: &mut Buffer| {
        let width = line.width();
        if usize::from(end.saturating_sub(*x)) < width + keep {
            return false;
        }
        buf.set_line(*x, area.y, line, width as u16);
        if let Some(command) = command {
            hits.add(
                Rect::new(*x, area.y, width as u16, 1),
                Target::Command(command),
            );
        }
        *x += width as u16 + 2;
        true
    };
    match pairs(ink.state) {
        Some(pairs) => {
            for (key, name) in pairs {
                let line = Line::from(vec![
                    ink.span(key, Scope::Key),
                    ink.muted(format!(" {name}")),
                ]);
                put(&mut x, &line, None, 0, buf);
            }
        }
        None => {
            for command in useful(ink.state) {
                if available(command, ink.state).is_err() {
                    continue;
                }
                // One hint for both, and it says what they move: on small screens nothing else does.
                if command == Command::More {
                    continue;
                }
                let shown = if command == Command::Less {
                    slider(ink)
                } else {
                    entry(ink, command)
                };
                let Some((line, command)) = shown else {
                    continue;
                };
                if !put(&mut x, &line, Some(command), reserved, buf) {
                    break;
                }
            }
            if let Some((line, command)) = help {
                put(&mut x, &line, Some(command), 0, buf);
            }
        }
    }
}

fn entry(ink: &Ink<'_>, command: Command) -> Option<(Line<'static>, Command)> {
    let key = ink
        .state
        .keymap
        .shown(command)?
        .to_string()
        .replace("Ctrl-", "^");
    let near = parameter_keys::near(ink.state, command);
    let key = near.map_or(key, String::from);
    Some((
        Line::from(vec![
            ink.span(key, Scope::Key),
            ink.muted(format!(" {}", text::cut(command.short(), 24))),
        ]),
        command,
    ))
}

/// What the slider keys move, and where it is.
fn slider(ink: &Ink<'_>) -> Option<(Line<'static>, Command)> {
    let keymap = &ink.state.keymap;
    let (less, more) = (keymap.shown(Command::Less)?, keymap.shown(Command::More)?);
    let parameter = ink.state.parameter;
    let value = text::unzero(ink.state.settings.text(parameter));
    let line = Line::from(vec![
        ink.span(format!("{less} {more}"), Scope::Key),
        ink.muted(format!(" {} ", parameter.declaration().label)),
        ink.value(value),
    ]);
    Some((line, Command::GoParameters))
}

/// The commands worth a hint in a pane, most useful first.
pub fn useful(state: &State) -> Vec<Command> {
    let mut first = contents(state.focus).keys(state).to_vec();
    let everywhere = [
        Command::NextPane,
        Command::Less,
        Command::More,
        Command::Method,
        Command::Edit,
        Command::NextQuestion,
        Command::Filter,
        Command::Resume,
        Command::Undo,
        Command::NextLosing,
        Command::Play,
        Command::Copy,
        Command::CopyShell,
        Command::Zoom,
        Command::Palette,
        Command::Quit,
    ];
    for command in everywhere {
        if !first.contains(&command) {
            first.push(command);
        }
    }
    first
}

/// What keys do where they are not commands.
fn pairs(state: &State) -> Option<Vec<(Cow<'static, str>, &'static str)>> {
    match &state.mode {
        Mode::Browse if state.labels_by_key() => Some(strip(false)),
        Mode::Browse | Mode::Chord(_) => None,
        Mode::Label(None) => Some(strip(true)),
        mode => {
            let keys = typing(mode).iter();
            Some(keys.map(|(key, name)| ((*key).into(), *name)).collect())
        }
    }
}

/// What the keys of the label strip do, and in Annotate before it is open.
fn strip(open: bool) -> Vec<(Cow<'static, str>, &'static str)> {
    let causes: Vec<String> = Cause::ALL.iter().map(|cause| cause.key().into()).collect();
    let causes = causes.join(" ");
    let keys = [
        ("Enter", "label", "save"),
        ("0 1 2", "grade", "grade"),
        (&*causes, "cause", "cause"),
        ("+ -", "gold", "gold"),
        ("n", "note", "note"),
        ("t", "", "verdict"),
        ("z", "withdraw", "withdraw"),
        ("b", "blind", "blind"),
        ("Left Right", "kind", "others"),
        ("Tab", "next pane", ""),
        ("Esc", "Explore", "leave"),
        ("?", "help", ""),
    ];
    let now = keys.map(|(key, before, inside)| (key, if open { inside } else { before }));
    let now = now.into_iter().filter(|(_, name)| !name.is_empty());
    now.map(|(key, name)| (key.to_owned().into(), name))
        .collect()
}

fn typing(mode: &Mode) -> &'static [(&'static str, &'static str)] {
    match mode {
        Mode::Edit => &[
            ("Enter", "run"),
            ("Esc", "leave"),
            ("^U", "clear"),
            ("^R", "history"),
            ("Tab", "next pane"),
        ],
        Mode::Number(_) => &[("Enter", "set"), ("Esc", "leave")],
        Mode::Start(_) => &[
            ("Enter", "begin"),
            ("Esc", "explore the sample"),
            ("Up Down", "move"),
            ("q", "quit"),
        ],
        Mode::Filter(_) => &[
            ("Enter", "keep"),
            ("Esc", "show all"),
            ("Up Down", "move"),
            ("^U", "clear"),
            ("Tab", "keep, next pane"),
        ],
        Mode::Label(Some(_)) => &[("Enter", "keep the note"), ("Esc", "leave it as it was")],
        Mode::Weight(_) => &[
            ("+", "double"),
            ("-", "halve"),
            ("number Enter", "set"),
            ("Esc", "leave"),
        ],
        _ => &[
            ("Enter", "choose"),
            ("Esc", "close"),
            ("Up Down", "move"),
            ("^U", "clear"),
        ],
    }
}
