//! The label strip: what is said of the passage on screen.

use super::{Card, Contents, need};
use crate::evaluate::labels::{Cause, GRADES, Label};
use crate::explorer::action::Action;
use crate::explorer::command::Command;
use crate::explorer::hits::{Hits, Target};
use crate::explorer::labelling::Draft;
use crate::explorer::layout::{Pane, Slot};
use crate::explorer::panes::ink::{Chrome, Ink, flow, packed};
use crate::explorer::panes::row::stack;
use crate::explorer::scene::Piece;
use crate::explorer::scene::Scene;
use crate::explorer::state::Mode;
use crate::explorer::state::State;
use crate::explorer::text;
use crate::explorer::theme::Scope;
use ratatui::buffer::Buffer;
use ratatui::layout::{Margin, Position, Rect};
use ratatui::text::{Line, Span};
use serde_json::Value;
use serde_json::json;

/// Columns that the names of all causes need.
const NARROW: usize = 76;
/// Pieces of an answer that are listed, and passages that each stands in.
const PIECES: usize = 4;
const HOLDERS: usize = 6;

/// The cursor's place on screen, where it is inside.
pub fn placed(cursor: Option<(usize, usize)>, area: Rect) -> Option<Position> {
    let (x, y) = cursor?;
    let inside = x < usize::from(area.width) && y < usize::from(area.height);
    inside.then(|| Position::new(area.x + x as u16, area.y + y as u16))
}

/// What is labelled, by whom, and how much is done.
pub fn heading(ink: &Ink<'_>) -> (String, String) {
    let state = ink.state;
    let why = state.why();
    let asked = state.wanted.asked;
    let asked = asked.and_then(|at| state.facts.questions.get(at));
    let asked = asked.map_or("typed question", |asked| &asked.id);
    let title = match why {
        Some(why) if state.blind() => format!("Label {asked}  {}", why.id),
        Some(why) => {
            let rank = why
                .rank
                .map_or("not found".to_owned(), |rank| format!("rank {rank}"));
            format!("Label {asked}  {}  {rank}", why.id)
        }
        None => "Label".to_owned(),
    };
    let own = &state.labelling;
    if let Some(draft) = state.unsaved() {
        return (title, format!("unsaved: {}", draft.words()));
    }
    let done = own.labels.count(&own.annotator);
    (
        title,
        match &*own.annotator {
            "" => text::plural(done, "label"),
            name => format!("{} by {name}", text::plural(done, "label")),
        },
    )
}

/// The lines of the strip, and where in them the text cursor is.
pub fn lines(ink: &Ink<'_>, width: usize) -> (Vec<Line<'static>>, Option<(usize, usize)>) {
    let Some(draft) = ink.state.draft() else {
        return (
            vec![Line::from(vec![ink.muted("no passage is selected")])],
            None,
        );
    };
    // Where there is little room the keys alone stand there: what they mean is in the help.
    let narrow = width < NARROW;
    let active = matches!(ink.state.mode, Mode::Label(_));
    let word = |key: &str, name: &str, chosen: bool| -> Vec<Span<'static>> {
        let scope = [Scope::Muted, Scope::Tab][usize::from(chosen)];
        let name = match chosen {
            true => format!("[{name}]"),
            false if narrow => String::new(),
            false => format!(" {name} "),
        };
        let key = ink.span(
            key.to_owned(),
            [Scope::Muted, Scope::Key][usize::from(active)],
        );
        vec![key, ink.span(name, scope), ink.text(" ")]
    };
    let mut lines = Vec::new();
    let mut row = vec![vec![ink.text("grade  ")]];
    for (grade, name) in (0..).zip(GRADES) {
        row.push(word(&grade.to_string(), name, draft.grade == Some(grade)));
    }
    row.push(vec![ink.text("  gold  ")]);
    for (key, name, gold) in [("+", "is gold", true), ("-", "is none", false)] {
        row.push(word(key, name, draft.gold == Some(gold)));
    }
    row.push(vec![ink.value(format!("  {}", outcome(ink, &draft)))]);
    lines.extend(packed(row, width, 7));
    let mut row = vec![vec![ink.text("cause  ")]];
    for cause in Cause::ALL {
        let key = cause.key().to_string();
        row.push(word(&key, cause.name(), draft.cause == Some(*cause)));
    }
    lines.extend(packed(row, width, 7));
    let mut cursor = None;
    let room = width.saturating_sub(8);
    let said = match &ink.state.mode {
        Mode::Label(Some(input)) => {
            let scroll = input.visual_scroll(room);
            cursor = Some((
                7 + input.visual_cursor().saturating_sub(scroll),
                lines.len(),
            ));
            super::question::after_columns(input.value(), scroll).to_owned()
        }
        _ => text::cut(&text::clean(&draft.note), room),
    };
    let key = match said.is_empty() && cursor.is_none() {
        true => vec![ink.text("note   "), ink.muted("n writes one")],
        false => vec![ink.text("note   "), ink.text(said)],
    };
    lines.push(Line::from(key));
    lines.extend(flow(program(ink, &draft, width), width, 7));
    lines.extend(answers(ink, width));
    (lines, cursor)
}

/// Whether every piece of the answer is in the corpus, which a person can check.
fn answers(ink: &Ink<'_>, width: usize) -> Vec<Line<'static>> {
    let state = ink.state;
    let pieces = state.scene().map_or(&[][..], |scene| &scene.pieces);
    let mut lines = Vec::new();
    // One accepted answer that is there as a whole is enough.
    let lacks = |piece: &Piece| piece.passages.as_ref().is_some_and(Vec::is_empty);
    let whole = |answer| !pieces.iter().any(|p| p.answer == answer && lacks(p));
    let scope = match pieces.iter().any(|piece| whole(piece.answer)) {
        true => Scope::Muted,
        false => Scope::Warn,
    };
    for piece in pieces.iter().take(PIECES) {
        let mut said = vec![
            ink.text("answer   "),
            ink.span(
                format!("{}  ", text::cut(&piece.words, width / 2)),
                Scope::Value,
            ),
        ];
        match &piece.passages {
            None => said.push(ink.muted("too common to search for")),
            Some(found) if found.is_empty() => {
                said.push(ink.span("in no passage, as written", scope));
            }
            Some(found) => {
                said.push(ink.muted("in"));
                let mut found: Vec<&(String, bool)> = found.iter().collect();
                // Blind, nothing of the order tells what is gold.
                if !state.blind() {
                    found.sort_by_key(|(_, gold)| !gold);
                }
                for (id, gold) in found.iter().take(HOLDERS) {
                    let (mark, scope) = match *gold && !state.blind() {
                        true => (format!(" {}", ink.glyphs.gold), Scope::Gold),
                        false => (String::new(), Scope::Passage),
                    };
                    said.push(ink.span(format!("{mark} {id}"), scope));
                }
                if found.len() > HOLDERS {
                    said.push(ink.muted(format!(" and {} more", found.len() - HOLDERS)));
                }
            }
        }
        lines.extend(flow(said, width, 9));
    }
    if pieces.len() > PIECES {
        lines.push(Line::from(ink.muted(format!(
            "answer   {} more",
            text::plural(pieces.len() - PIECES, "piece")
        ))));
    }
    lines
}

/// What the program says, once it was asked for.
fn program(ink: &Ink<'_>, draft: &Draft, width: usize) -> Vec<Span<'static>> {
    let head = ink.text("verdict  ");
    if !draft.told {
        if width < NARROW {
            return vec![head, ink.muted("t shows")];
        }
        let shown = ink.state.verdict_shown(draft);
        let words = match shown {
            true => "t shows the verdict; it is on screen, and the label records that",
            false => "t shows it; your label records that you looked",
        };
        return vec![head, ink.muted(words)];
    }
    let why = ink.state.why();
    let reason = why.and_then(|why| why.reasons.first());
    match (ink.state.said(), reason) {
        (Some(said), Some(reason)) => vec![
            head,
            ink.span(format!("{} {} ", said.class, said.code), Scope::Warn),
            ink.text(reason.text.clone()),
        ],
        _ => vec![head, ink.muted("none: the passage is in the top k")],
    }
}

/// What the label makes of the passage in corrected gold.
fn outcome(ink: &Ink<'_>, draft: &Draft) -> String {
    let judged = Label {
        grade: draft.grade,
        gold: draft.gold,
        ..Label::default()
    };
    let was = ink.state.why();
    let was = was.is_some_and(|why| why.gold);
    match (judged.judgement(), was) {
        (None, _) if ink.state.blind() => String::new(),
        (None, true) => "stays gold".to_owned(),
        (None, false) => "stays no gold".to_owned(),
        (Some(grade), _) if ink.state.blind() => {
            ["no gold".to_owned(), format!("gold, grade {grade}")][usize::from(grade > 0)].clone()
        }
        (Some(0), true) => "gold is removed".to_owned(),
        (Some(0), false) => "stays no gold".to_owned(),
        (Some(grade), true) => format!("stays gold, grade {grade}"),
        (Some(grade), false) => format!("becomes gold, grade {grade}"),
    }
}

pub struct LabelOf;

impl Contents for LabelOf {
    fn card(&self) -> &'static Card {
        &Card {
            about: "Label: your judgement; Enter starts, 0 1 2 are grades",
            keys: &[Command::Open, Command::Blind, Command::Withdraw],
            scrolls: true,
            ..Card::PLAIN
        }
    }

    fn draw(&self, ink: &Ink<'_>, slot: Slot, buf: &mut Buffer, hits: &mut Hits) {
        let (title, note) = heading(ink);
        let draft = ink.state.draft();
        let summary = draft.as_ref().map_or_else(Line::default, |draft| {
            Line::from(vec![ink.text(outcome(ink, draft))])
        });
        let chrome = Chrome {
            title,
            short: "Label",
            note: Line::from(vec![ink.muted(note)]),
            summary,
        };
        let Some(area) = ink.frame(slot, chrome, buf, hits) else {
            return;
        };
        let area = area.inner(Margin::new(1, 0));
        let (lines, cursor) = lines(ink, usize::from(area.width));
        hits.set_extent(Pane::Label, lines.len(), usize::from(area.height));
        stack(&lines, area, 0, buf);
        hits.add(area, Target::Pane(Pane::Label));
        hits.cursor = placed(cursor, area).or(hits.cursor);
    }

    fn copied(&self, state: &State, _: &Scene, _: usize) -> Option<(String, String)> {
        let label = state.labelled(&state.draft()?)?;
        Some((serde_json::to_string(&label).ok()?, "label".to_owned()))
    }

    fn json(&self, state: &State, _: &Scene) -> (Value, &'static str) {
        (json!(state.labelling.labels.standing()), "labels")
    }

    fn can_enter(&self, state: &State, _: usize) -> Result<(), String> {
        need(
            state.draft().is_some() && state.failure().is_none(),
            "no passage is selected",
        )
    }

    fn enter(&self, _: &State, _: usize) -> Option<Action> {
        Some(Action::Do(Command::Label))
    }
}
