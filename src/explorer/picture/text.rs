//! A drawn screen as text, with colour codes and without.

use std::fmt::Write as _;

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier};

use super::row;
use crate::explorer::theme::colour::ansi_number;

/// The buffer as text with colour codes, one line a row, each ending in a reset.
pub fn ansi(buffer: &Buffer) -> String {
    let mut out = String::new();
    for y in buffer.area.top()..buffer.area.bottom() {
        let mut current = (Color::Reset, Color::Reset, Modifier::empty());
        let last = row(buffer, y)
            .filter(|(_, cell, _)| {
                let blank = cell.symbol() == " " && cell.bg == Color::Reset;
                !blank
                    || cell
                        .modifier
                        .intersects(Modifier::REVERSED | Modifier::UNDERLINED)
            })
            .last()
            .map(|(x, _, _)| x);
        for (x, cell, _) in row(buffer, y) {
            if last.is_none_or(|last| x > last) {
                break;
            }
            let wanted = (cell.fg, cell.bg, cell.modifier);
            if wanted != current {
                out.push_str(&codes(wanted));
                current = wanted;
            }
            out.push_str(cell.symbol());
        }
        if current != (Color::Reset, Color::Reset, Modifier::empty()) {
            out.push_str("\u{1b}[0m");
        }
        out.push('\n');
    }
    out
}

/// One escape sequence that sets exactly this look, whatever was before.
fn codes((fg, bg, modifier): (Color, Color, Modifier)) -> String {
    let mut codes = String::from("\u{1b}[0");
    for (flag, code) in [
        (Modifier::BOLD, 1),
        (Modifier::DIM, 2),
        (Modifier::ITALIC, 3),
        (Modifier::UNDERLINED, 4),
        (Modifier::REVERSED, 7),
        (Modifier::HIDDEN, 8),
        (Modifier::CROSSED_OUT, 9),
    ] {
        if modifier.contains(flag) {
            let _ = write!(codes, ";{code}");
        }
    }
    for (colour, base) in [(fg, 30), (bg, 40)] {
        match colour {
            Color::Reset => {}
            Color::Rgb(r, g, b) => {
                let _ = write!(codes, ";{};2;{r};{g};{b}", base + 8);
            }
            Color::Indexed(index) => {
                let _ = write!(codes, ";{};5;{index}", base + 8);
            }
            named => {
                let number = i32::from(ansi_number(named).unwrap_or_default());
                let code = if number < 8 {
                    base + number
                } else {
                    base + 52 + number
                };
                let _ = write!(codes, ";{code}");
            }
        }
    }
    codes.push('m');
    codes
}

/// The buffer as text, spaces at the ends of lines removed.
pub fn plain(buffer: &Buffer) -> String {
    let mut out = String::new();
    for y in buffer.area.top()..buffer.area.bottom() {
        let line: String = row(buffer, y).map(|(_, cell, _)| cell.symbol()).collect();
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}
