//! The first line: which index is open, and where to find everything else.

use crate::explorer::command::Command;
use crate::explorer::hits::{Hits, Target};
use crate::explorer::text;
use crate::explorer::theme::Scope;
use crate::explorer::view::ink::{Filling, Ink};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

pub fn render(ink: &Ink<'_>, area: Rect, buf: &mut Buffer, hits: &mut Hits) {
    let facts = &ink.state.facts;
    let mut right = 0;
    for (command, key, name) in [
        (Command::Help, "?", "help"),
        (Command::Palette, "^P", "commands"),
    ] {
        let width = (key.len() + name.len() + 3) as u16;
        right += width;
        if right + 20 < area.width {
            let x = area.x + area.width - right;
            let line = Line::from(vec![
                ink.span(key, Scope::Key),
                ink.muted(format!(" {name}")),
            ]);
            buf.set_line(x, area.y, &line, width);
            hits.add(Rect::new(x, area.y, width - 2, 1), Target::Command(command));
        }
    }
    let mut filling = Filling::new(usize::from(area.width.saturating_sub(right + 2)));
    filling.add(vec![ink.span(" hopscope ", Scope::Tab)]);
    let room = filling.room().min(30);
    filling.add(vec![ink.text(format!(
        "  {}",
        text::cut(&facts.name, room.saturating_sub(2))
    ))]);
    for (value, name) in [
        (facts.passages, "passage"),
        (facts.entities, "entity"),
        (facts.edges, "edge"),
    ] {
        filling.add(vec![
            if name == "passage" {
                ink.muted("   ")
            } else {
                ink.dot()
            },
            ink.muted(text::plural(value, name)),
        ]);
    }
    if !facts.questions.is_empty() {
        filling.add(vec![
            ink.dot(),
            ink.muted(text::plural(facts.questions.len(), "question")),
        ]);
    }
    buf.set_line(area.x, area.y, &filling.line, area.width);
}
