//! What opens over the screen: the finders and the panel of a begun chord.

pub(crate) mod chord;
pub(crate) mod finder;
pub(crate) mod label;
pub(crate) mod start;

use super::panes::ink::Ink;
use super::text;
use super::theme::Scope;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::{Block, Clear, Widget};

/// Clears what is below and draws the frame that every overlay has, with its title; a note where more than so many cells
/// stay free.
fn frame(ink: &Ink<'_>, area: Rect, title: &str, (note, free): (&str, usize), buf: &mut Buffer) {
    Clear.render(area, buf);
    buf.set_style(
        area,
        ink.style(Scope::Background).patch(ink.style(Scope::Popup)),
    );
    Block::bordered()
        .border_set(ink.glyphs.border_focus)
        .border_style(ink.style(Scope::BorderFocus))
        .render(area, buf);
    let width = usize::from(area.width);
    let (title, note) = (format!(" {title} "), format!(" {note} "));
    let (x, style) = (area.x + 2, ink.style(Scope::Title));
    buf.set_stringn(x, area.y, &title, width.saturating_sub(2), style);
    let wide = text::width(&note);
    if wide > 2 && text::width(&title) + wide + free < width {
        let x = area.right() - 2 - wide as u16;
        buf.set_string(x, area.y, &note, ink.style(Scope::Muted));
    }
}
