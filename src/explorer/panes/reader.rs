//! The text of a passage, with the question's words and the names the graph knows it by.

use super::{Card, Contents};
use crate::explorer::action::Action;
use crate::explorer::command::Command;
use crate::explorer::hits::Hits;
use crate::explorer::layout::{Pane, Slot, View};
use crate::explorer::panes::ink::{Chrome, Ink, flow};
use crate::explorer::parameter_keys;
use crate::explorer::scene::Scene;
use crate::explorer::scene::{MarkKind, Why};
use crate::explorer::state::State;
use crate::explorer::text;
use crate::explorer::theme::Scope;
use crate::text::span;
use ratatui::buffer::Buffer;
use ratatui::layout::Margin;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};
use serde_json::Value;

fn lines(ink: &Ink<'_>, why: &Why, width: usize) -> Vec<Line<'static>> {
    let mut lines = match &why.about[..] {
        [] => vec![Line::from(vec![
            ink.span(text::cut(&why.title, width), Scope::Title),
        ])],
        about => {
            let told = about.iter().flat_map(|(name, said)| {
                [
                    ink.muted("about "),
                    ink.span(name.clone(), Scope::Title),
                    ink.muted(format!(": {said}  ")),
                ]
            });
            flow(told.collect(), width, 0)
        }
    };
    lines.push(Line::default());
    let mut start = 0;
    for paragraph in why.text.split_inclusive('\n') {
        let body = paragraph.trim_end_matches(['\n', '\r']);
        for range in text::wrap(body, width) {
            let part = span::shift(&range, start);
            let pieces = text::pieces(&why.text, part, &why.marks).into_iter();
            let spans = pieces.map(|(piece, mark)| {
                let style = match mark.map(|m| m.kind) {
                    Some(MarkKind::Seed(group)) => ink
                        .theme
                        .seed(group)
                        .add_modifier(Modifier::BOLD | Modifier::UNDERLINED),
                    Some(MarkKind::Answer) => ink.style(Scope::Ok).add_modifier(Modifier::REVERSED),
                    Some(MarkKind::Word) => ink.style(Scope::Match),
                    Some(MarkKind::Mention) => {
                        ink.style(Scope::Entity).add_modifier(Modifier::UNDERLINED)
                    }
                    None => ink.style(Scope::Text),
                };
                Span::styled(ink.said(&text::pad(piece, text::width(piece))), style)
            });
            lines.push(Line::from(spans.collect::<Vec<Span<'static>>>()));
        }
        start += paragraph.len();
    }
    lines.push(Line::default());
    let answered = why.marks.iter().any(|mark| mark.kind == MarkKind::Answer);
    let answer = ["marked: ", "marked: the answer, "][usize::from(answered)];
    let legend = "seeds in colour, question words, entities underlined";
    lines.extend(flow(vec![ink.muted(format!("{answer}{legend}"))], width, 0));
    lines
}

pub struct Reader;

impl Contents for Reader {
    fn card(&self) -> &'static Card {
        &Card {
            about: "Passage: seeds in their colours, words of the question, names of the graph underlined",
            keys: &[Command::Back, Command::Left, Command::Right, Command::Label],
            verb: "explain",
            scrolls: true,
            ..Card::PLAIN
        }
    }

    fn draw(&self, ink: &Ink<'_>, slot: Slot, buf: &mut Buffer, hits: &mut Hits) {
        let Some(why) = ink.state.why() else {
            return ink.bare(slot, "Passage", buf, hits);
        };
        let mut note = Vec::new();
        if !ink.state.blind() {
            let rank = why
                .rank
                .map_or_else(|| "not found".to_owned(), |rank| format!("rank {rank}"));
            note.push(ink.muted(format!("{rank}  ")));
            if why.gold {
                note.push(ink.span("gold  ", Scope::Gold));
            }
        }
        let beside = ink.state.reading.is_none() && ink.state.view != View::Annotate;
        if beside && ink.state.focus != Pane::Reader {
            let key = parameter_keys::keys(ink.state, Command::Preview);
            note.extend([ink.span(key, Scope::Key), ink.muted(" hides")]);
        } else {
            note.extend([
                ink.span(
                    format!("{} {}", ink.glyphs.arrows[2], ink.glyphs.arrows[3]),
                    Scope::Key,
                ),
                ink.muted(" others"),
            ]);
            if ink.state.view != View::Annotate {
                note.extend([
                    ink.muted("  "),
                    ink.span("Esc", Scope::Key),
                    ink.muted(" back"),
                ]);
            }
        }
        let chrome = Chrome {
            title: why.id.clone(),
            note: Line::from(note),
            ..Chrome::default()
        };
        let Some(area) = ink.frame(slot, chrome, buf, hits) else {
            return;
        };
        let area = area.inner(Margin::new(1, 0));
        ink.scrolled(
            Pane::Reader,
            area,
            &lines(ink, why, usize::from(area.width).min(100)),
            buf,
            hits,
        );
    }

    fn copied(&self, state: &State, _: &Scene, _: usize) -> Option<(String, String)> {
        let why = state.why()?;
        Some((
            format!("{}\n\n{}", why.title, why.text),
            format!("passage {}", why.id),
        ))
    }

    fn json(&self, state: &State, _: &Scene) -> (Value, &'static str) {
        (super::why::json(state), "why")
    }

    fn can_enter(&self, _: &State, _: usize) -> Result<(), String> {
        Ok(())
    }

    fn enter(&self, state: &State, _: usize) -> Option<Action> {
        (state.view == View::Annotate).then_some(Action::Do(Command::Label))
    }
}
