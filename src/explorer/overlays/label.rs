//! The label strip over the end of the screen, where its pane is not open.

use crate::explorer::hits::{Hits, Target};
use crate::explorer::panes::ink::Ink;
use crate::explorer::panes::label::{heading, lines, placed};
use crate::explorer::panes::row::stack;
use crate::explorer::text;
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
    hits.add(area, Target::Elsewhere);
    let (title, note) = heading(ink);
    super::frame(ink, area, &text::cut(&title, width), (&note, 4), buf);
    let inner = Rect::new(area.x + 2, area.y + 1, area.width - 4, height - 2);
    stack(&lines, inner, 0, buf);
    hits.cursor = placed(cursor, inner);
}
