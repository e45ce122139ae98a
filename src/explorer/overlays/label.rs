//! The label strip over the end of the screen, where its pane is not open.

use crate::explorer::hits::{Hits, Target};
use crate::explorer::panes::ink::Ink;
use crate::explorer::panes::label::{heading, lines, placed};
use crate::explorer::panes::row::stack;
use crate::explorer::text;
use crate::explorer::theme::Scope;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// Where it is, at the end of an area.
pub fn place(ink: &Ink<'_>, main: Rect) -> Rect {
    let (lines, _) = lines(ink, usize::from(main.width).saturating_sub(4));
    let height = (lines.len() as u16 + 2).min(main.height);
    Rect {
        y: main.y + main.height - height,
        height,
        ..main
    }
}

pub fn render(ink: &Ink<'_>, main: Rect, buf: &mut Buffer, hits: &mut Hits) {
    let area = place(ink, main);
    let (height, width) = (area.height, usize::from(main.width).saturating_sub(4));
    if height < 3 || width < 20 {
        return;
    }
    let (lines, cursor) = lines(ink, width);
    super::frame(area, buf, ink);
    hits.add(area, Target::Elsewhere);
    let (title, note) = heading(ink);
    let title = format!(" {} ", text::cut(&title, width));
    buf.set_string(area.x + 2, area.y, &title, ink.style(Scope::Title));
    let note = format!(" {note} ");
    if text::width(&title) + text::width(&note) + 4 < usize::from(area.width) {
        let x = area.x + area.width - 2 - text::width(&note) as u16;
        buf.set_string(x, area.y, &note, ink.style(Scope::Muted));
    }
    let inner = Rect::new(area.x + 2, area.y + 1, area.width - 4, height - 2);
    stack(&lines, inner, 0, buf);
    hits.cursor = placed(cursor, inner);
}
