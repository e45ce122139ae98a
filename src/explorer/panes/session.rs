//! The runs of this session by question, newest first: what each changed of the one before it, where it ranked the gold, and
//! what it was worth.

use super::Words;
use super::need;
use super::{Card, Contents};
use crate::explorer::action::Action;
use crate::explorer::command::Command;
use crate::explorer::hits::Hits;
use crate::explorer::layout::{Pane, Slot};
use crate::explorer::panes::ink::{Chrome, Ink};
use crate::explorer::panes::rows::{self, SessionLine};
use crate::explorer::scene::Scene;
use crate::explorer::state::Run;
use crate::explorer::state::State;
use crate::explorer::text;
use crate::explorer::theme::Scope;
use crate::retrieve::Settings;
use ratatui::buffer::Buffer;
use ratatui::text::Line;
use serde_json::Value;
use serde_json::json;

/// Columns of a measure, and of the ranks of gold at most.
const WORTH: usize = 5;
const RANKS: usize = 12;

fn line(ink: &Ink<'_>, line: SessionLine, width: usize) -> Line<'static> {
    let runs = &ink.state.session;
    let run = &runs[line.run()];
    let here = run.question == ink.state.wanted.question;
    match line {
        SessionLine::Question(_) => {
            let scope = if here { Scope::Title } else { Scope::Text };
            Line::from(vec![ink.span(text::cut(&run.question, width), scope)])
        }
        SessionLine::Run(_, before) => ran(ink, run, before.map(|at| &runs[at]), here, width),
    }
}

fn ran(ink: &Ink<'_>, run: &Run, before: Option<&Run>, here: bool, width: usize) -> Line<'static> {
    let worth = run.headline.as_ref().map(|(_, value)| *value);
    let ranks = match ink.state.blind() {
        true => String::new(),
        false => text::cut(&text::ranks(&run.gold), RANKS.min(width / 3)),
    };
    let room = width.saturating_sub(4 + text::width(&ranks) + 1 + WORTH);
    let words = changes(&run.settings, before.map(|before| &before.settings));
    let live = here && run.settings == ink.state.settings;
    let scope = match (live, here) {
        (true, _) => Scope::Title,
        (false, true) => Scope::Text,
        (false, false) => Scope::Muted,
    };
    let worth_scope = worth.map_or(Scope::Value, Scope::of_measure);
    let worth = worth.filter(|_| !ink.state.blind());
    let worth = worth.map_or_else(String::new, text::share);
    Line::from(vec![
        ink.muted(format!("{:>3} ", run.number)),
        ink.span(text::pad(&text::cut(&words, room), room), scope),
        ink.value(format!(" {ranks}")),
        ink.span(text::pad_left(&worth, WORTH), worth_scope),
    ])
}

/// What is other than in the run before, in the symbols of the papers; of the first run what was set.
fn changes(run: &Settings, before: Option<&Settings>) -> String {
    let method = run.method();
    let before = before.filter(|before| before.method() == method);
    let base = |p| before.map_or_else(|| method.default(p), |before| before.value(p));
    let changed = method
        .uses()
        .into_iter()
        .filter(|p| run.value(*p) != base(*p));
    let mut words: Vec<String> = match before {
        Some(_) => Vec::new(),
        None => vec![method.name.to_string()],
    };
    words.extend(changed.map(|p| {
        let value = text::unzero(run.text(p));
        format!("{} {value}", p.declaration().symbol)
    }));
    let edits = |of: &Settings| -> Vec<String> {
        let seeds = of.seed_edits().iter().map(ToString::to_string);
        let graph = of.graph_edits().iter().map(ToString::to_string);
        seeds.chain(graph).collect()
    };
    let (now, then) = (edits(run), before.map(edits).unwrap_or_default());
    words.extend(now.iter().filter(|edit| !then.contains(edit)).cloned());
    let gone = then.iter().filter(|edit| !now.contains(edit));
    words.extend(gone.map(|edit| format!("without {edit}")));
    match words.is_empty() {
        true => "unchanged".to_owned(),
        false => words.join(" "),
    }
}

pub struct Session;

impl Contents for Session {
    fn card(&self) -> &'static Card {
        &Card {
            about: "Session: runs so far; Enter restores the settings of one",
            keys: &[Command::Open],
            ..Card::PLAIN
        }
    }

    fn draw(&self, ink: &Ink<'_>, slot: Slot, buf: &mut Buffer, hits: &mut Hits) {
        let lines = rows::session_lines(ink.state);
        let width = usize::from(slot.area.width).saturating_sub(15);
        let newest = lines.get(1).map(|newest| line(ink, *newest, width));
        let runs = text::plural(ink.state.session.len(), "run");
        let chrome = Chrome {
            title: format!("Session: {runs}"),
            short: "Session",
            note: Line::from(vec![ink.muted("gold, R@5")]),
            summary: newest.unwrap_or_default(),
        };
        let Some(area) = ink.frame(slot, chrome, buf, hits) else {
            return;
        };
        ink.list(
            Pane::Session,
            area,
            lines.len(),
            buf,
            hits,
            &|row, width| line(ink, lines[row], width),
        );
    }

    fn count(&self, state: &State) -> usize {
        rows::session_lines(state).len()
    }

    fn words(&self, state: &State) -> Vec<Option<Words>> {
        let shown = |line: &SessionLine| match *line {
            SessionLine::Question(_) => None,
            SessionLine::Run(at, _) => {
                let run = &state.session[at];
                let method = run.settings.method().name.to_string();
                let rest = run.settings.changed().into_iter();
                Some(Words::new(method, rest.chain([run.question.clone()])))
            }
        };
        rows::session_lines(state).iter().map(shown).collect()
    }

    fn copied(&self, state: &State, _: &Scene, row: usize) -> Option<(String, String)> {
        let lines = rows::session_lines(state);
        let line = lines.get(row)?;
        let run = &state.session[line.run()];
        if matches!(line, SessionLine::Question(_)) {
            return Some((run.question.clone(), "question".to_owned()));
        }
        let set = run.settings.changed().join(" ");
        let preset = run.settings.preset().map_or("", |p| &*p.name);
        let words = format!("{} {preset} {set}", run.settings.method().name);
        Some((words.replace("  ", " ").trim().to_owned(), "run".to_owned()))
    }

    fn json(&self, _: &State, scene: &Scene) -> (Value, &'static str) {
        (json!(scene.settings), "settings")
    }

    fn can_enter(&self, state: &State, _: usize) -> Result<(), String> {
        need(!state.session.is_empty(), "no run yet")
    }

    fn enter(&self, state: &State, row: usize) -> Option<Action> {
        Some(Action::TakeRun(rows::session_lines(state).get(row)?.run()))
    }
}
