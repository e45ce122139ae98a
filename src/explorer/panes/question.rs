//! The question: asked, or being typed.

use super::passages;
use super::{Card, Contents};
use crate::explorer::action::Action;
use crate::explorer::command::Command;
use crate::explorer::hits::{Hits, Target};
use crate::explorer::layout::{Face, Pane, Slot};
use crate::explorer::panes::ink::{Chrome, Ink};
use crate::explorer::scene::Scene;
use crate::explorer::state::Mode;
use crate::explorer::state::State;
use crate::explorer::text;
use crate::explorer::theme::Scope;
use crate::text::span;
use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::text::Line;
use serde_json::Value;

/// That little speaks for an answer among the first passages.
fn doubted(scene: &Scene) -> Option<&str> {
    let confidence = scene.confidence.as_ref();
    let doubtful = confidence.filter(|confidence| confidence.doubtful());
    doubtful.map(|confidence| &*confidence.sentence)
}

/// Least cells for a warning beside the question.
const BESIDE: u16 = 32;

/// That nothing of the question is known, or that little speaks for an answer: on the lower border, or beside
/// the question where it is one line.
fn warning(ink: &Ink<'_>, slot: Slot, buf: &mut Buffer) {
    let shown = ink.state.scene().filter(|_| !ink.state.stale());
    let why = shown.and_then(|scene| scene.unrecognised.or_else(|| doubted(scene)));
    let Some(why) = why else {
        return;
    };
    let area = slot.area;
    let begin = match slot.face {
        Face::Line => {
            let question = text::width(&ink.state.wanted.question) as u16;
            (question + 3).min(area.width.saturating_sub(BESIDE))
        }
        _ => 2,
    };
    let room = usize::from(area.width.saturating_sub(begin + 2));
    let line = Line::from(ink.span(text::cut(&format!(" ! {why} "), room), Scope::Warn));
    buf.set_line(
        area.x + begin,
        area.bottom().saturating_sub(1),
        &line,
        room as u16,
    );
}

/// The text from a display column on.
pub fn after_columns(value: &str, columns: usize) -> &str {
    let mut used = 0;
    for (at, c) in value.char_indices() {
        if used >= columns {
            return span::of(value, at..);
        }
        used += unicode_width::UnicodeWidthChar::width(c).unwrap_or(0);
    }
    if used >= columns && columns == 0 {
        value
    } else {
        ""
    }
}

/// What is known about the question: its kind and its gold.
fn note(ink: &Ink<'_>) -> Line<'static> {
    let state = ink.state;
    let Some(asked) = state
        .wanted
        .asked
        .and_then(|at| state.facts.questions.get(at))
    else {
        return Line::from(vec![ink.muted("no gold known")]);
    };
    let mut spans = Vec::new();
    if !asked.kind.is_empty() {
        spans.push(ink.muted(format!("{}  ", text::cut(&asked.kind, 24))));
    }
    if let Some(answer) = asked.answers.first() {
        spans.push(ink.muted("answer "));
        spans.push(ink.text(format!("{}  ", text::cut(&text::clean(answer), 36))));
    }
    if state.blind() {
        return Line::from(spans);
    }
    spans.push(match asked.gold {
        0 => ink.muted("no gold: unanswerable here"),
        n => ink.span(format!("{} {}", n, "gold"), Scope::Gold),
    });
    Line::from(spans)
}

fn hint(ink: &Ink<'_>, editing: bool) -> Line<'static> {
    let keys: &[(&str, &str)] = if editing {
        &[("Enter", "run"), ("Esc", "leave"), ("^R", "history")]
    } else if ink.state.facts.questions.is_empty() {
        &[("i", "ask"), ("^R", "history")]
    } else {
        &[("i", "ask"), ("[ ]", "other questions"), ("^R", "history")]
    };
    let mut spans = Vec::new();
    for (i, (key, name)) in keys.iter().enumerate() {
        if i > 0 {
            spans.push(ink.dot());
        }
        spans.push(ink.span(*key, Scope::Key));
        spans.push(ink.muted(format!(" {name}")));
    }
    Line::from(spans)
}

pub struct Question;

impl Contents for Question {
    fn card(&self) -> &'static Card {
        &Card {
            about: "Question: its type, answer and gold",
            keys: &[Command::Open],
            scrolls: true,
            ..Card::PLAIN
        }
    }

    fn draw(&self, ink: &Ink<'_>, slot: Slot, buf: &mut Buffer, hits: &mut Hits) {
        let state = ink.state;
        let title = match state.wanted.asked {
            Some(at) => format!("Question {} of {}", at + 1, state.facts.questions.len()),
            None => "Question".to_owned(),
        };
        let chrome = Chrome {
            title,
            note: note(ink),
            ..Chrome::default()
        };
        let area = match slot.face {
            Face::Line => {
                hits.add(slot.area, Target::Pane(Pane::Question));
                Some(slot.area)
            }
            _ => ink.frame(slot, chrome, buf, hits),
        };
        let Some(area) = area else { return };
        let editing = matches!(state.mode, Mode::Edit);
        let width = usize::from(area.width);
        let hint = hint(ink, editing);
        // The question comes first: hints show only beside one that fits.
        let text_width = text::width(if editing {
            state.input.value()
        } else {
            &state.wanted.question
        });
        let hint_width = if text_width + hint.width() + 7 <= width {
            hint.width()
        } else {
            0
        };
        let room = width.saturating_sub(4 + if hint_width > 0 { hint_width + 2 } else { 0 });
        buf.set_string(
            area.x + u16::from(slot.face != Face::Line),
            area.y,
            ">",
            ink.style(Scope::Key),
        );
        let x = area.x + 2 + u16::from(slot.face != Face::Line);
        if editing {
            let scroll = state.input.visual_scroll(room.saturating_sub(1));
            let shown = after_columns(state.input.value(), scroll);
            let scope = match state.untouched {
                true => Scope::Selection,
                false => Scope::Text,
            };
            buf.set_stringn(x, area.y, shown, room, ink.style(scope));
            let at = state.input.visual_cursor().saturating_sub(scroll).min(room);
            hits.cursor = Some(Position::new(x + at as u16, area.y));
        } else {
            let question = &state.wanted.question;
            let (shown, style) = match question.is_empty() {
                true => (
                    match ink.state.facts.suggested.is_empty() {
                        true => "no question yet; press i to type one",
                        false => {
                            "no question yet; press i to type one, ] for one made from the names here"
                        }
                    },
                    ink.style(Scope::Muted),
                ),
                false => (question.as_str(), ink.style(Scope::Text)),
            };
            buf.set_stringn(x, area.y, text::cut(shown, room), room, style);
        }
        if hint_width > 0 {
            let start = area.x + area.width - hint_width as u16 - 1;
            buf.set_line(start, area.y, &hint, hint_width as u16);
        }
        if !editing {
            warning(ink, slot, buf);
        }
    }

    fn copied(&self, _: &State, scene: &Scene, _: usize) -> Option<(String, String)> {
        Some((scene.question.clone(), "question".to_owned()))
    }

    fn json(&self, _: &State, scene: &Scene) -> (Value, &'static str) {
        passages::json(scene, None)
    }

    fn can_enter(&self, _: &State, _: usize) -> Result<(), String> {
        Ok(())
    }

    fn enter(&self, _: &State, _: usize) -> Option<Action> {
        Some(Action::Type)
    }
}
