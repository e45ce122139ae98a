//! The explorer in lines, for a screen reader or a pipe: the same state, commands and figures, told as sentences with
//! numbers to choose by. Nothing is drawn, and nothing that was told is taken back.

use super::action::Action;
use super::command::Command;
use super::keys::Stroke;
use super::layout::Pane;
use super::palette;
use super::panes::contents;
use super::panes::filter;
use super::panes::rows;
use super::state::{Entry, Finder, FinderKind, Mode, State};
use super::text;
use super::update::copied;
use crate::output;
use crate::text::span;
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use std::fmt::Write as _;
use std::io::{IsTerminal, Write as _};
use tokio::sync::mpsc::{Receiver, channel};

/// What is said first.
pub const HOW: &str = "\
Type a question, or its identifier in the set. A number opens that row of the list told last.
:words finds a command, a method, a parameter or a pane: try :why, :spread, :method, :alpha.
/words narrows the list, / alone shows all of it. !keys presses keys as on the screen: !] is the next question.
An empty line tells the list again or leaves a choice. :help lists all. :quit leaves.
";

/// Rows of a list that are told at once.
const ROWS: usize = 20;
/// Characters of the longest weight.
const LONGEST: usize = 40;
/// Choices that are told at once.
const CHOICES: usize = 9;

/// The size of the screen that nobody sees.
pub const SIZE: (u16, u16) = (160, 48);

/// Lines that a person types, and where they are answered.
pub struct Lines {
    typed: Receiver<String>,
    /// Somebody waits there for a sign.
    prompts: bool,
}

impl Lines {
    /// Begins to read, and says how.
    ///
    /// # Errors
    /// As [`tell`](Self::tell).
    pub fn read() -> std::io::Result<Lines> {
        let (sender, typed) = channel(1);
        // Reading cannot be given up: the thread ends with the program.
        let prompts = std::io::stdin().is_terminal();
        std::thread::spawn(move || {
            let mut empty = false;
            for line in std::io::stdin().lines() {
                let Ok(line) = line else { break };
                let again = std::mem::replace(&mut empty, line.trim().is_empty()) && empty;
                // The list was told just now; out of a pipe may come any number of empty lines.
                if again && !prompts {
                    continue;
                }
                if sender.blocking_send(line).is_err() {
                    break;
                }
            }
        });
        let lines = Lines { typed, prompts };
        output::text().write_all(HOW.as_bytes())?;
        Ok(lines)
    }

    /// The next line; none at the end.
    pub async fn next(&mut self) -> Option<String> {
        self.typed.recv().await
    }

    /// Answers.
    ///
    /// # Errors
    /// What the output says, as when nobody reads it any more.
    pub fn tell(&self, words: &str) -> std::io::Result<()> {
        let mut out = output::text();
        out.write_all(words.as_bytes())?;
        if self.prompts {
            out.write_all(b"> ")?;
        }
        out.flush()
    }
}

fn key(code: KeyCode, modifiers: KeyModifiers) -> Action {
    let kind = KeyEventKind::Press;
    Action::Key(KeyEvent::new_with_kind(code, modifiers, kind))
}

fn typed(words: &str) -> impl Iterator<Item = Action> + '_ {
    let plain = |c| key(KeyCode::Char(c), KeyModifiers::NONE);
    words.chars().map(plain)
}

fn times(action: fn() -> Action, count: usize) -> impl Iterator<Item = Action> {
    (0..count).map(move |_| action())
}

fn pressed(code: KeyCode) -> Action {
    key(code, KeyModifiers::NONE)
}

/// Words in the place of those that a field has.
fn retyped(words: &str) -> impl Iterator<Item = Action> + '_ {
    let clear = key(KeyCode::Char('u'), KeyModifiers::CONTROL);
    [clear].into_iter().chain(entered(words))
}

/// Words into a field, at once: it is read anew after each thing that is typed.
fn entered(words: &str) -> Option<Action> {
    (!words.is_empty()).then(|| Action::Paste(words.to_owned()))
}

/// What a line does.
pub fn heard(state: &State, line: &str) -> Vec<Action> {
    let line = line.trim();
    if let Some(keys) = line.strip_prefix('!') {
        let strokes = keys.split_whitespace().filter_map(|key| key.parse().ok());
        let strokes = strokes.map(|stroke: Stroke| key(stroke.code(), stroke.modifiers()));
        return strokes.collect();
    }
    match &state.mode {
        Mode::Browse => browsed(state, line),
        _ if line.is_empty() => vec![pressed(KeyCode::Esc)],
        // A choice that is open is left where something else is begun.
        Mode::Finder(_) if line.starts_with([':', '/']) => {
            let leave = [pressed(KeyCode::Esc)].into_iter();
            leave.chain(browsed(state, line)).collect()
        }
        Mode::Finder(open) => match number(line, open.entries.len()) {
            Some(row) => {
                let up = times(|| pressed(KeyCode::Up), open.list.cursor);
                let down = times(|| pressed(KeyCode::Down), row);
                up.chain(down).chain([pressed(KeyCode::Enter)]).collect()
            }
            None => retyped(line).collect(),
        },
        // Letters are keys there.
        Mode::Label(None) | Mode::Start(_) | Mode::Chord(_) => {
            typed(line).chain([pressed(KeyCode::Enter)]).collect()
        }
        // A number, a weight, a note or words for a list are being typed. A weight takes signs by key.
        Mode::Weight(_) => typed(span::head(line, LONGEST))
            .chain([pressed(KeyCode::Enter)])
            .collect(),
        _ => entered(line)
            .into_iter()
            .chain([pressed(KeyCode::Enter)])
            .collect(),
    }
}

/// The row of a list that a number names.
fn number(line: &str, rows: usize) -> Option<usize> {
    let row = line.parse::<usize>().ok()?.checked_sub(1)?;
    (row < rows).then_some(row)
}

/// What a line does where nothing is being typed or chosen.
fn browsed(state: &State, line: &str) -> Vec<Action> {
    if let Some(words) = line.strip_prefix(':').map(str::trim) {
        if let Some(command) = called(words) {
            return vec![Action::Do(command)];
        }
        let found = palette::entries(state, FinderKind::Palette, words);
        let ending = words.to_lowercase();
        let named = |entry: &Entry| entry.title.to_lowercase().ends_with(&ending);
        let sure = found.len() == 1 || found.first().is_some_and(named);
        let open = [Action::Do(Command::Palette)].into_iter();
        let enter = sure.then(|| pressed(KeyCode::Enter));
        return open.chain(entered(words)).chain(enter).collect();
    }
    if let Some(words) = line.strip_prefix('/').map(str::trim) {
        let open = [Action::Do(Command::Filter)].into_iter();
        let close = [pressed(KeyCode::Enter)];
        return open.chain(retyped(words)).chain(close).collect();
    }
    if line.parse::<usize>().is_ok_and(|number| number > 0) {
        let shown = filter::shown(state, state.focus);
        let heads = rows::passed_over(state, state.focus);
        let rows: Vec<usize> = shown.into_iter().filter(|r| !heads.contains(r)).collect();
        let row = number(line, rows.len()).map(|at| rows[at]);
        let open = |row| vec![Action::Row(row), Action::Do(Command::Open)];
        return row.map_or_else(Vec::new, open);
    }
    if line.is_empty() {
        return Vec::new();
    }
    let mut questions = state.facts.questions.iter();
    let known = questions.position(|q| q.id == line || q.text == line);
    let ask = known.map_or_else(|| Action::Ask(line.to_owned()), Action::AskNumber);
    // What it found is what one wants to hear.
    let passages = state.view.panes().contains(&Pane::Passages);
    let look = passages.then_some(Action::Focus(Pane::Passages));
    [ask].into_iter().chain(look).collect()
}

/// The command of a name, as keys are bound to it or as hints call it.
fn called(words: &str) -> Option<Command> {
    let words = words.trim().to_lowercase();
    let mut all = Command::all();
    all.find(|command| {
        [command.id(), command.short().to_owned()]
            .iter()
            .any(|name| name.to_lowercase() == words)
    })
}

/// What was told last, so that only news is told.
#[derive(Default)]
pub struct Teller {
    question: String,
    settings: Vec<String>,
    message: String,
    /// Nothing was listed where something is worked out.
    lacks: bool,
}

impl Teller {
    /// Whether a list that was told as empty has rows now.
    pub fn awaits(&self, state: &State) -> bool {
        self.lacks && rows::count(state, state.focus) > 0
    }

    /// What is to be told after a line, once all that it asked for is answered.
    pub fn told(&mut self, state: &State) -> String {
        let mut out = String::new();
        if let Mode::Finder(open) = &state.mode {
            choices(&mut out, open);
        } else {
            self.run(&mut out, state);
            list(&mut out, state);
            let empty = state.scene().filter(|scene| scene.passages.is_empty());
            if let (Some(scene), Pane::Passages) = (empty, state.focus) {
                let _ = writeln!(out, "{}", text::ended(scene.nothing));
            }
        }
        self.lacks = rows::count(state, state.focus) == 0;
        let message = text::clean(&state.message.text);
        if message != self.message && !message.is_empty() {
            let _ = writeln!(out, "Status: {}", text::ended(&message));
        }
        self.message = message;
        out
    }

    /// The question, what answered it and what that was worth, when either is another.
    fn run(&mut self, out: &mut String, state: &State) {
        if let Some(why) = state.failure() {
            let _ = writeln!(out, "No answer: {}.", text::clean(why));
        }
        let Some(scene) = state.scene() else { return };
        let mut settings = vec![scene.settings.method().name.to_string()];
        settings.extend(scene.settings.changed());
        if (&scene.question, &settings) == (&self.question, &self.settings) {
            return;
        }
        if scene.question != self.question {
            let _ = writeln!(out, "Question: {}", text::clean(&scene.question));
        }
        let _ = writeln!(out, "Method: {}.", settings.join(", "));
        if !scene.measures.is_empty() && !state.blind() {
            let named = scene.measures.iter();
            let named = named.map(|(name, value)| format!("{name} {}", text::share(*value)));
            let _ = writeln!(out, "Measures: {}.", named.collect::<Vec<_>>().join(", "));
        }
        self.question.clone_from(&scene.question);
        self.settings = settings;
    }
}

/// What can be chosen, by number.
fn choices(out: &mut String, open: &Finder) {
    let typed = open.input.value();
    let _ = writeln!(
        out,
        "Choices for \"{typed}\", {} of them:",
        open.entries.len()
    );
    for (number, entry) in (1..).zip(open.entries.iter().take(CHOICES)) {
        let mut said = vec![entry.title.clone()];
        said.extend(Some(entry.now.clone()).filter(|now| !now.is_empty()));
        said.extend(
            entry
                .unavailable
                .iter()
                .map(|why| format!("not now: {why}")),
        );
        let _ = writeln!(
            out,
            "{number}. {}",
            text::ended(&text::clean(&said.join(", ")))
        );
    }
    let _ = writeln!(
        out,
        "Type a number, other words, or an empty line to leave."
    );
}

/// The pane that has the keyboard.
fn list(out: &mut String, state: &State) {
    let pane = state.focus;
    let shown = filter::shown(state, pane);
    let narrowed = filter::typed(state, pane);
    let narrowed = narrowed.map_or_else(String::new, |typed| format!(", those with {typed}"));
    let contents = contents(pane);
    let spoken = contents.spoken(state);
    let told: Vec<(usize, &String)> = shown
        .iter()
        .filter_map(|row| Some((*row, spoken.get(*row)?.as_ref()?)))
        .collect();
    if told.is_empty() {
        if let Some(aloud) = contents.aloud(state) {
            out.push_str(&aloud);
            return;
        }
        match copied(state).filter(|_| narrowed.is_empty()) {
            Some((words, _)) => {
                let _ = writeln!(out, "{pane:?}{narrowed}:");
                for line in words.lines() {
                    let line = line.replace('\t', ", ");
                    let _ = writeln!(out, "{}", text::clean(&line));
                }
            }
            None => {
                let why = contents.waits(state);
                let why = why.as_deref().unwrap_or("nothing is listed");
                let _ = writeln!(out, "{pane:?}{narrowed}: {why}.");
            }
        }
        return;
    }
    let heads = rows::passed_over(state, pane);
    let rows = told.iter().filter(|(row, _)| !heads.contains(row)).count();
    let _ = writeln!(out, "{pane:?}{narrowed}, {}:", text::plural(rows, "row"));
    let mut number = 0;
    for (row, words) in &told {
        let words = text::clean(words);
        if heads.contains(row) {
            let _ = writeln!(out, "{}", text::ended(&words));
            continue;
        }
        number += 1;
        if number > ROWS {
            let _ = writeln!(out, "{} more; /words narrows the list.", rows - ROWS);
            return;
        }
        let _ = writeln!(out, "{number}. {}", text::ended(&words));
    }
}
