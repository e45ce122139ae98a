//! Text and numbers that fit a column: cut, padded, and never able to break the screen.

use crate::output;
use crate::text::span;
use std::borrow::Cow;

use ratatui::buffer::CellWidth;
use unicode_normalization::{UnicodeNormalization, is_nfc};
use unicode_segmentation::UnicodeSegmentation;

/// What stands for the part that was cut off.
const ELLIPSIS: &str = "..";

/// The cells a text takes after [`clean`]ing, counted as ratatui counts them.
pub fn width(text: &str) -> usize {
    clean(text).graphemes(true).map(cells).sum()
}

fn cells(grapheme: &str) -> usize {
    usize::from(grapheme.cell_width())
}

/// The text in composed form on one line, as `output` shows it: nothing moves the cursor or reorders the line.
pub fn clean(text: &str) -> Cow<'_, str> {
    if is_nfc(text) && !text.contains(output::acts) {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len());
    for c in text.nfc() {
        if c != '\r' || !text.contains("\r\n") {
            output::show(c, &mut clean);
        }
    }
    Cow::Owned(clean)
}

/// The text in at most `room` cells, cleaned; what does not fit is replaced by `..`. Never splits a character a reader
/// sees as one, and never leaves half of a wide one.
pub fn cut(text: &str, room: usize) -> String {
    let text = clean(text);
    let mut used = 0;
    // The longest beginning that leaves room for the dots, should they be needed.
    let mut keep = 0;
    for (at, grapheme) in text.grapheme_indices(true) {
        used += cells(grapheme);
        if used + ELLIPSIS.len() <= room {
            keep = at + grapheme.len();
        }
        if used > room {
            let dots = span::clipped(ELLIPSIS, ..room);
            return format!("{}{dots}", span::of(&text, ..keep).trim_end());
        }
    }
    text.into_owned()
}

/// [`cut`], then filled with spaces on the right to exactly `room` cells.
pub fn pad(text: &str, room: usize) -> String {
    let mut text = cut(text, room);
    let free = room.saturating_sub(width(&text));
    text.push_str(&" ".repeat(free));
    text
}

/// [`cut`], then filled with spaces on the left to exactly `room` cells; for numbers.
pub fn pad_left(text: &str, room: usize) -> String {
    let text = cut(text, room);
    let free = room.saturating_sub(width(&text));
    format!("{}{text}", " ".repeat(free))
}
