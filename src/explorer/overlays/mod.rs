//! What opens over the screen: the finders and the panel of a begun chord.

pub(crate) mod chord;
pub(crate) mod finder;
pub(crate) mod label;
pub(crate) mod start;

use super::panes::ink::Ink;
use super::theme::Scope;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::{Block, Clear, Widget};

/// Clears what is below and draws the frame that every overlay has.
fn frame(area: Rect, buf: &mut Buffer, ink: &Ink<'_>) {
    Clear.render(area, buf);
    buf.set_style(
        area,
        ink.style(Scope::Background).patch(ink.style(Scope::Popup)),
    );
    Block::bordered()
        .border_set(ink.glyphs.border_focus)
        .border_style(ink.style(Scope::BorderFocus))
        .render(area, buf);
}
