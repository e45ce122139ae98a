//! The explorer in lines, for a screen reader or a pipe: the same state, commands and figures, told as sentences with
//! numbers to choose by. Nothing is drawn, and nothing that was told is taken back.

use super::action::Action;
use super::command::Command;
use super::filter;
use super::keys::Stroke;
use super::layout::Pane;
use super::palette;
use super::panes::contents;
use super::pins;
use super::rows::{self, ParameterLine, PassageLine, SpreadLine};
use super::scene::{Cell, Row, Scene, Sign, Why};
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
                let _ = writeln!(out, "{}", ended(scene.nothing));
            }
        }
        self.lacks = rows::count(state, state.focus) == 0;
        let message = text::clean(&state.message.text);
        if message != self.message && !message.is_empty() {
            let _ = writeln!(out, "Status: {}", ended(&message));
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

/// Words as a sentence.
fn ended(words: &str) -> String {
    let stop = if words.ends_with(['.', '?', '!']) {
        ""
    } else {
        "."
    };
    format!("{words}{stop}")
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
        let _ = writeln!(out, "{number}. {}", ended(&text::clean(&said.join(", "))));
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
    let spoken = contents(pane).map(|contents| contents.spoken(state));
    let spoken = |row: usize| match &spoken {
        Some(spoken) => spoken.get(row).cloned().flatten(),
        None => sentence(state, pane, row),
    };
    let told: Vec<(usize, String)> = shown
        .iter()
        .filter_map(|row| Some((*row, spoken(*row)?)))
        .collect();
    if told.is_empty() {
        if let (Pane::Why, Some(why)) = (pane, state.detail().and_then(|d| d.passage.as_ref())) {
            explained(out, why);
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
                let waits = contents(pane).and_then(|contents| contents.waits(state));
                let why = match &waits {
                    Some(why) => why,
                    None if pane == Pane::Set && state.score.is_none() => state.no_score(),
                    None => "nothing is listed",
                };
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
            let _ = writeln!(out, "{}", ended(&words));
            continue;
        }
        number += 1;
        if number > ROWS {
            let _ = writeln!(out, "{} more; /words narrows the list.", rows - ROWS);
            return;
        }
        let _ = writeln!(out, "{number}. {}", ended(&words));
    }
}

/// A row of a list.
fn sentence(state: &State, pane: Pane, row: usize) -> Option<String> {
    let scene = state.scene();
    match pane {
        Pane::Passages | Pane::Runs => {
            let scene = scene?;
            match rows::step(state, scene).filter(|_| pane == Pane::Passages) {
                Some(step) => {
                    let (passage, mass) = step.passages.get(row)?;
                    let title = scene.titles.get(passage).map_or("", String::as_str);
                    Some(format!("{title}, mass {} at this step", text::score(*mass)))
                }
                None => passage(state, scene, row),
            }
        }
        Pane::Seeds => Some(node(scene?, scene?.seeds.get(row)?, "weight")),
        Pane::Spread => {
            let scene = scene?;
            match *rows::spread_lines(state, scene).get(row)? {
                SpreadLine::Row(i, n) => Some(node(scene, &scene.spread[i].rows[n], "")),
                SpreadLine::Stage(i) => {
                    let stage = &scene.spread[i];
                    let counters = stage.counters.iter();
                    let counters = counters.map(|(name, value)| format!(", {name} {value}"));
                    Some(format!("{}{}", stage.name, counters.collect::<String>()))
                }
                SpreadLine::More(i) => {
                    let all = scene.spread[i].rows.len();
                    Some(format!("all {}", text::plural(all, "row")))
                }
            }
        }
        Pane::Neighbours => {
            let around = state.detail()?.node.as_ref()?;
            let row = around.neighbours.get(row)?;
            let cells = around.columns.iter().zip(&row.cells);
            let cells = cells.filter(|(_, cell)| !matches!(cell, Cell::Empty | Cell::Word("")));
            let cells: Vec<String> = cells
                .map(|(column, cell)| format!("{} {}", column.name, cell.text()))
                .collect();
            Some(format!("{}, {}", row.label, cells.join(", ")))
        }
        Pane::Parameters => match *rows::parameter_lines(state).get(row)? {
            ParameterLine::Stage(stage) => Some(rows::stage_title(stage).to_owned()),
            ParameterLine::Parameter(parameter) => {
                let label = parameter.declaration().label;
                let value = state.settings.text(parameter);
                let own = state.settings.method().default(parameter);
                let own = parameter.declaration().domain.format(own);
                let changed = (own != value).then(|| format!(", default {own}"));
                Some(format!("{label} {value}{}", changed.unwrap_or_default()))
            }
        },
        // Told whole.
        Pane::Why => None,
        _ => {
            let words = filter::words(state, pane).into_iter().nth(row)??;
            let rest = Some(words.rest).filter(|rest| !rest.trim().is_empty());
            let rest = rest.map(|rest| format!(", {}", rest.trim()));
            Some(format!("{}{}", words.name.trim(), rest.unwrap_or_default()))
        }
    }
}

/// A line of the ranking.
fn passage(state: &State, scene: &Scene, row: usize) -> Option<String> {
    let was = |passage: u32, now: usize| match state.against()?.get(&passage) {
        Some(before) if *before == now => None,
        Some(before) => Some(format!("was rank {before}")),
        None => Some("new".to_owned()),
    };
    // Beside other runs, where each of them has it.
    let pinned = |passage: u32| -> Vec<String> {
        let pins = state.pins.list.iter().enumerate();
        let pins = pins.filter(|_| state.focus == Pane::Runs);
        let told = pins.filter_map(|(at, pin)| {
            let scene = pin.scene(&state.wanted.question)?;
            let rank = scene.rank(passage);
            let beyond = || format!("not among the first {}", scene.passages.len());
            let rank = rank.map_or_else(beyond, |rank| format!("rank {rank}"));
            Some(format!("in {} {rank}", pins::letter(at)))
        });
        told.collect()
    };
    let named = |title: &str, id: &str| match title {
        "" => id.to_owned(),
        title => format!("{title}, {id}"),
    };
    let mut said = Vec::new();
    match *rows::passage_lines(scene).get(row)? {
        PassageLine::Hit(at) => {
            let hit = &scene.passages[at];
            said.push(format!("rank {}", hit.rank));
            said.push(named(&hit.title, &hit.id));
            said.push(format!("score {}", text::score(hit.score)));
            said.extend(hit.gold.then(|| "gold".to_owned()));
            let cited = state.reply().is_some_and(|reply| reply.cites(hit.passage));
            said.extend(cited.then(|| "used for the answer".to_owned()));
            said.extend(hit.tie.then(|| "tied with the next".to_owned()));
            let seed = hit.seed.and_then(|group| scene.groups.get(group));
            let seed = seed.filter(|group| group.seeds == 1);
            said.extend(seed.map(|group| format!("a seed: {}", group.label)));
            match pinned(hit.passage) {
                told if told.is_empty() => said.extend(was(hit.passage, hit.rank)),
                told => said.extend(told),
            }
        }
        PassageLine::Lost(at) => {
            let lost = &scene.gold[at];
            let rank = lost.rank.map(|rank| format!("rank {rank}, below the cut"));
            said.push(rank.unwrap_or_else(|| "not ranked".to_owned()));
            said.push(named(&lost.title, &lost.id));
            said.push("gold".to_owned());
            said.extend(pinned(lost.passage));
            said.extend(Some(lost.reason.clone()).filter(|reason| !reason.is_empty()));
        }
        PassageLine::Missing(at) => {
            said.push(format!("gold {} is not in this corpus", scene.missing[at]));
        }
        PassageLine::Cut => said.push(format!("the top {} ends here", scene.top_k)),
    }
    Some(said.join(", "))
}

/// What the score of a passage is made of, and why it is where it is.
fn explained(out: &mut String, why: &Why) {
    let rank = why.rank.map(|rank| format!("rank {rank}"));
    let rank = rank.unwrap_or_else(|| "not ranked".to_owned());
    let (title, id, score) = (&why.title, &why.id, text::score(why.score));
    let _ = writeln!(out, "Why: {title}, {id}, {rank}, score {score}.");
    for part in &why.parts {
        let (value, other) = (text::score(part.value), text::score(part.other));
        let beside = why
            .beside
            .as_ref()
            .map(|_| format!(", the other has {other}"));
        let said = Some(&part.why).filter(|said| !said.is_empty());
        let said = said.map(|said| format!(". {}", text::clean(said)));
        let (beside, said) = (beside.unwrap_or_default(), said.unwrap_or_default());
        let _ = writeln!(out, "Part: {}, {value}{beside}{said}.", part.label);
    }
    for path in &why.paths {
        let stops: Vec<&str> = path.stops.iter().map(|stop| stop.label.as_str()).collect();
        let _ = writeln!(
            out,
            "Path: {}, carries {}.",
            stops.join(" to "),
            text::score(path.mass)
        );
    }
    for reason in &why.reasons {
        let fix = reason.suggestion().map(|fix| format!(" Try {fix}."));
        let _ = writeln!(
            out,
            "{}: {}.{}",
            reason.code,
            reason.text,
            fix.unwrap_or_default()
        );
    }
    if !why.sentence.is_empty() {
        let _ = writeln!(out, "{}", ended(&why.sentence));
    }
}

/// A seed, or what the search reached.
fn node(scene: &Scene, row: &Row, what: &str) -> String {
    let mut said = vec![row.label.clone()];
    said.extend(Some(row.kind.to_string()).filter(|kind| !kind.is_empty()));
    match row.sign {
        Sign::Lost | Sign::Changed => said.push(row.note.clone()),
        Sign::Plain | Sign::Heading => {
            let figure = format!("{what} {}", row.figure);
            said.push(figure.trim().to_owned());
            let counted = if scene.of_passages { "in" } else { "edges" };
            let count = (row.count > 0).then(|| format!("{counted} {}", text::count(row.count)));
            said.extend(count);
            said.extend(row.gold.then(|| "gold".to_owned()));
            let own = row.group.and_then(|group| scene.groups.get(group));
            said.extend(own.map(|group| format!("of seed {}", group.label)));
            let parts = scene.groups.iter().zip(&row.shares);
            let parts = parts.filter(|(_, share)| **share > 0.0 && row.group.is_none());
            said.extend(
                parts.map(|(group, share)| format!("{} from {}", text::score(*share), group.label)),
            );
        }
    }
    said.join(", ")
}
