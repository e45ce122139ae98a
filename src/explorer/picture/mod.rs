//! A drawn screen as a picture: SVG for papers and pages, ANSI for terminals, plain text for notes.
//!
//! All three are made from ratatui's buffer, so any pane can be exported, and nothing is rendered twice in two ways.
//! The same buffer gives the same bytes, so that a picture in a repository changes only when the screen does.

mod cast;
mod shapes;
mod text;

use crate::text::escape_xml;
use crate::text::span;
use std::fmt::Write as _;

use ratatui::buffer::{Buffer, Cell, CellWidth};
use ratatui::style::Modifier;

use super::theme::colour::rgb;
use super::theme::{Scope, Theme};
pub use cast::Cast;
use shapes::shape;
pub use text::{ansi, plain};

/// The grid of the SVG. The advance is that of DejaVu Sans Mono and Menlo at this size; other fonts are stretched to it.
const CELL_WIDTH: f64 = 8.43;
const CELL_HEIGHT: f64 = 18.0;
const FONT_SIZE: f64 = 14.0;
const BASELINE: f64 = 13.5;
const MARGIN: f64 = 8.0;

/// What an SVG needs besides the cells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caption<'a> {
    /// A short name, read aloud first by screen readers.
    pub title: &'a str,
    /// What the picture shows, or the command that makes it; may be empty.
    pub description: &'a str,
    /// The colour of text that has none of its own.
    pub foreground: [u8; 3],
    /// The colour behind everything.
    pub background: [u8; 3],
}

impl<'a> Caption<'a> {
    /// Colours from a theme. A theme that leaves them to the terminal gives black on white, as paper does.
    pub fn new(title: &'a str, description: &'a str, theme: &Theme) -> Self {
        let base = theme.style(Scope::Background);
        let background = base.bg.and_then(rgb);
        let foreground = base.fg.and_then(rgb).filter(|_| background.is_some());
        Self {
            title,
            description,
            foreground: foreground.unwrap_or([0x1a, 0x1a, 0x1a]),
            background: background.unwrap_or([0xff, 0xff, 0xff]),
        }
    }
}

/// The buffer as an SVG document.
///
/// Box lines, blocks, shades and braille are drawn as shapes, because in fonts they leave gaps or are missing; all else
/// is text that can be searched and copied.
pub fn svg(buffer: &Buffer, caption: &Caption<'_>) -> String {
    let area = buffer.area;
    let width = f64::from(area.width) * CELL_WIDTH + 2.0 * MARGIN;
    let height = f64::from(area.height) * CELL_HEIGHT + 2.0 * MARGIN;
    let mut out = String::with_capacity(64 * 1024);
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\">\n\
         <title>{title}</title>\n",
        w = short(width),
        h = short(height),
        title = escape_xml(caption.title),
    );
    if !caption.description.is_empty() {
        let _ = writeln!(out, "<desc>{}</desc>", escape_xml(caption.description));
    }
    let _ = write!(
        out,
        "<style>text{{font:{FONT_SIZE}px 'DejaVu Sans Mono',Menlo,'Cascadia Mono',Consolas,'Liberation Mono',monospace;\
         white-space:pre}}.b{{font-weight:bold}}.i{{font-style:italic}}</style>\n\
         <rect width=\"{}\" height=\"{}\" rx=\"6\" fill=\"{}\"/>\n\
         <g transform=\"translate({MARGIN} {MARGIN})\">\n",
        short(width),
        short(height),
        hex(caption.background),
    );
    for y in area.top()..area.bottom() {
        let runs = runs(buffer, y, caption);
        let top = f64::from(y - area.top()) * CELL_HEIGHT;
        backgrounds(&mut out, &runs, top, caption);
        for run in &runs {
            foreground(&mut out, run, top);
        }
    }
    out.push_str("</g>\n</svg>\n");
    out
}

/// What a run of cells looks like after reversing, dimming and hiding.
#[derive(Debug, Clone, PartialEq)]
struct Look {
    fg: [u8; 3],
    bg: [u8; 3],
    modifier: Modifier,
}

/// Neighbouring cells drawn by one element.
#[derive(Debug)]
struct Run {
    column: u16,
    cells: u16,
    /// Wide characters are placed one by one: a font's idea of two cells is rarely exact.
    is_wide: bool,
    look: Look,
    text: String,
}

fn look(cell: &Cell, caption: &Caption<'_>) -> Look {
    let mut fg = rgb(cell.fg).unwrap_or(caption.foreground);
    let mut bg = rgb(cell.bg).unwrap_or(caption.background);
    let mut modifier = cell.modifier;
    if modifier.contains(Modifier::REVERSED) {
        std::mem::swap(&mut fg, &mut bg);
    }
    if modifier.contains(Modifier::DIM) {
        for (ink, paper) in fg.iter_mut().zip(bg) {
            *ink = ((u16::from(*ink) * 3 + u16::from(paper) * 2) / 5) as u8;
        }
    }
    modifier.remove(Modifier::REVERSED | Modifier::DIM);
    Look { fg, bg, modifier }
}

fn runs(buffer: &Buffer, y: u16, caption: &Caption<'_>) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (x, cell, cells) in row(buffer, y) {
        let look = look(cell, caption);
        let is_hidden = cell.modifier.contains(Modifier::HIDDEN);
        let symbol = if is_hidden { " " } else { cell.symbol() };
        let column = x - buffer.area.left();
        match runs.last_mut() {
            Some(run) if run.look == look && !run.is_wide && cells == 1 => {
                run.cells += 1;
                run.text.push_str(symbol);
            }
            _ => runs.push(Run {
                column,
                cells,
                is_wide: cells > 1,
                look,
                text: symbol.to_owned(),
            }),
        }
    }
    runs
}

/// The cells of a row that are drawn, without the ones hidden under a wide character, and how many cells each takes.
pub(super) fn row(buffer: &Buffer, y: u16) -> impl Iterator<Item = (u16, &Cell, u16)> {
    let area = buffer.area;
    let mut x = area.left();
    std::iter::from_fn(move || {
        let cell = buffer.cell((x, y)).filter(|_| x < area.right())?;
        let at = x;
        let cells = cell.cell_width().clamp(1, area.right() - x);
        x += cells;
        Some((at, cell, cells))
    })
}

fn backgrounds(out: &mut String, runs: &[Run], top: f64, caption: &Caption<'_>) {
    let mut index = 0;
    while index < runs.len() {
        let (first, bg) = (index, runs[index].look.bg);
        while index < runs.len() && runs[index].look.bg == bg {
            index += 1;
        }
        if bg != caption.background {
            let cells: u16 = runs[first..index].iter().map(|run| run.cells).sum();
            let _ = writeln!(
                out,
                "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{CELL_HEIGHT}\" fill=\"{}\" shape-rendering=\"crispEdges\"/>",
                short(f64::from(runs[first].column) * CELL_WIDTH),
                short(top),
                short(f64::from(cells) * CELL_WIDTH),
                hex(bg),
            );
        }
    }
}

/// The text and the shapes of one run.
fn foreground(out: &mut String, run: &Run, top: f64) {
    let left = f64::from(run.column) * CELL_WIDTH;
    let ink = hex(run.look.fg);
    if run.is_wide {
        words(out, run, &[(0, run.cells, run.text.as_str())], left, top);
        decoration(out, run, left, top, &ink);
        return;
    }
    let mut shapes = String::new();
    let mut pieces: Vec<(u16, u16, &str)> = Vec::new();
    let mut start = 0;
    let mut at: u16 = 0;
    let mut first: u16 = 0;
    let mut bytes = 0;
    for symbol in unicode_segmentation::UnicodeSegmentation::graphemes(run.text.as_str(), true) {
        let x = left + f64::from(at) * CELL_WIDTH;
        let drawn = shape(symbol, [x, top, CELL_WIDTH, CELL_HEIGHT]);
        let end = bytes + symbol.len();
        if let Some(drawn) = drawn {
            shapes.push_str(&drawn);
            if start < bytes {
                pieces.push((first, at, span::of(&run.text, start..bytes)));
            }
            start = end;
            first = at + 1;
        }
        at += 1;
        bytes = end;
    }
    if start < bytes {
        pieces.push((first, at, span::of(&run.text, start..bytes)));
    }
    if !shapes.is_empty() {
        let shapes = shapes.replace("currentColor", &ink);
        let _ = writeln!(out, "<g fill=\"{ink}\">{shapes}</g>");
    }
    words(out, run, &pieces, left, top);
    decoration(out, run, left, top, &ink);
}

/// Text, started anew after two or more spaces: viewers that cannot stretch text then still keep the columns.
fn words(out: &mut String, run: &Run, pieces: &[(u16, u16, &str)], left: f64, top: f64) {
    for &(first, _, text) in pieces {
        let mut column = 0u16;
        let mut rest = text;
        while !rest.is_empty() {
            let (word, after) = match rest.find("  ") {
                Some(0) => {
                    let after = rest.trim_start_matches(' ');
                    column += u16::try_from(rest.len() - after.len()).unwrap_or(u16::MAX);
                    rest = after;
                    continue;
                }
                Some(end) => rest.split_at(end),
                None => (rest, ""),
            };
            let cells = word_cells(word);
            let shown = word.trim_end_matches(' ');
            let lead = shown.len() - shown.trim_start_matches(' ').len();
            let shown = shown.trim_start_matches(' ');
            if !shown.is_empty() {
                let lead = u16::try_from(lead).unwrap_or_default();
                let x = left + f64::from(first + column + lead) * CELL_WIDTH;
                let mut class = String::new();
                if run.look.modifier.contains(Modifier::BOLD) {
                    class.push_str("b ");
                }
                if run.look.modifier.contains(Modifier::ITALIC) {
                    class.push('i');
                }
                let class = match class.trim_end() {
                    "" => String::new(),
                    names => format!(" class=\"{names}\""),
                };
                let _ = writeln!(
                    out,
                    "<text x=\"{}\" y=\"{}\" textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\" fill=\"{}\"{class}>{}</text>",
                    short(x),
                    short(top + BASELINE),
                    short(f64::from(word_cells(shown)) * CELL_WIDTH),
                    hex(run.look.fg),
                    escape_xml(shown),
                );
            }
            column += cells;
            rest = after;
        }
    }
}

fn word_cells(word: &str) -> u16 {
    u16::try_from(super::glyphs::width(word)).unwrap_or(u16::MAX)
}

/// Lines under and through, drawn rather than asked of the font, so that they reach over spaces and shapes.
fn decoration(out: &mut String, run: &Run, left: f64, top: f64, ink: &str) {
    let width = f64::from(run.cells) * CELL_WIDTH;
    for (modifier, y) in [
        (Modifier::UNDERLINED, BASELINE + 2.0),
        (Modifier::CROSSED_OUT, BASELINE - 4.5),
    ] {
        if run.look.modifier.contains(modifier) {
            let _ = writeln!(
                out,
                "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"1\" fill=\"{ink}\"/>",
                short(left),
                short(top + y),
                short(width),
            );
        }
    }
}

/// At most two decimals, without closing zeros: pictures are kept in repositories.
pub(super) fn short(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn hex([r, g, b]: [u8; 3]) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

#[cfg(test)]
mod tests;
