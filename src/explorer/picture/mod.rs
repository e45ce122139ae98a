//! A drawn screen as a picture: SVG for papers and pages, ANSI for terminals, plain text for notes.
//!
//! All three are made from ratatui's buffer, so any pane can be exported, and nothing is rendered twice in two ways.
//! The same buffer gives the same bytes, so that a picture in a repository changes only when the screen does.

mod cast;
mod moving;
mod recording;
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
pub use moving::Moving;
pub use recording::Recording;
use shapes::{paths, shape};
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
    let mut out = head((area.width, area.height), 0.0, caption, "");
    drawn(buffer, caption, |_, element| {
        out.push_str(&element);
        out.push('\n');
    });
    out.push_str(FOOT);
    out
}

/// What closes the document that [`head`] opens.
const FOOT: &str = "</g>\n</svg>\n";

/// The beginning of a document of so many cells, up to the group that holds them; `below` is room under them.
fn head(cells: (u16, u16), below: f64, caption: &Caption<'_>, style: &str) -> String {
    let width = f64::from(cells.0) * CELL_WIDTH + 2.0 * MARGIN;
    let height = f64::from(cells.1) * CELL_HEIGHT + 2.0 * MARGIN + below;
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
         white-space:pre}}.b{{font-weight:bold}}.i{{font-style:italic}}.s{{shape-rendering:crispEdges}}\
         .d{{stroke-width:2.6;stroke-linecap:round}}{style}</style>\n\
         <rect width=\"{}\" height=\"{}\" rx=\"6\" fill=\"{}\"/>\n\
         <g transform=\"translate({MARGIN} {MARGIN})\">\n",
        short(width),
        short(height),
        hex(caption.background),
    );
    out
}

/// What lies under what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Layer {
    Ground,
    Ink,
}

/// The cells as elements, row by row. Each holds its own place, so that two frames share the ones they have in common.
fn drawn(buffer: &Buffer, caption: &Caption<'_>, mut put: impl FnMut(Layer, String)) {
    let area = buffer.area;
    for y in area.top()..area.bottom() {
        let runs = runs(buffer, y, caption);
        let top = f64::from(y - area.top()) * CELL_HEIGHT;
        backgrounds(&runs, top, caption, &mut |element| {
            put(Layer::Ground, element);
        });
        for run in &runs {
            foreground(run, top, &mut |element| put(Layer::Ink, element));
        }
    }
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

fn backgrounds(runs: &[Run], top: f64, caption: &Caption<'_>, put: &mut dyn FnMut(String)) {
    let mut index = 0;
    while index < runs.len() {
        let (first, bg) = (index, runs[index].look.bg);
        while index < runs.len() && runs[index].look.bg == bg {
            index += 1;
        }
        if bg != caption.background {
            let cells: u16 = runs[first..index].iter().map(|run| run.cells).sum();
            put(format!(
                "<rect class=\"s\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{CELL_HEIGHT}\" fill=\"{}\"/>",
                short(f64::from(runs[first].column) * CELL_WIDTH),
                short(top),
                short(f64::from(cells) * CELL_WIDTH),
                hex(bg),
            ));
        }
    }
}

/// The text and the shapes of one run.
fn foreground(run: &Run, top: f64, put: &mut dyn FnMut(String)) {
    let left = f64::from(run.column) * CELL_WIDTH;
    let ink = hex(run.look.fg);
    if run.is_wide {
        words(run, &[(0, run.cells, run.text.as_str())], left, top, put);
        decoration(run, left, top, &ink, put);
        return;
    }
    let mut shapes = Vec::new();
    let mut pieces: Vec<(u16, u16, &str)> = Vec::new();
    let mut start = 0;
    let mut at: u16 = 0;
    let mut first: u16 = 0;
    let mut bytes = 0;
    for symbol in unicode_segmentation::UnicodeSegmentation::graphemes(run.text.as_str(), true) {
        let x = left + f64::from(at) * CELL_WIDTH;
        let end = bytes + symbol.len();
        if let Some(drawn) = shape(symbol, [x, top, CELL_WIDTH, CELL_HEIGHT]) {
            shapes.extend(drawn);
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
    for path in paths(&shapes, &ink) {
        put(path);
    }
    words(run, &pieces, left, top, put);
    decoration(run, left, top, &ink, put);
}

/// Text, started anew after two or more spaces: viewers that cannot stretch text then still keep the columns.
fn words(run: &Run, pieces: &[(u16, u16, &str)], left: f64, top: f64, put: &mut dyn FnMut(String)) {
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
                put(text_element(x, top, shown, &run.look));
            }
            column += cells;
            rest = after;
        }
    }
}

/// Text of one look, with the width its cells have, so that every font keeps the columns.
fn text_element(x: f64, top: f64, shown: &str, look: &Look) -> String {
    let mut class = String::new();
    if look.modifier.contains(Modifier::BOLD) {
        class.push_str("b ");
    }
    if look.modifier.contains(Modifier::ITALIC) {
        class.push('i');
    }
    let class = match class.trim_end() {
        "" => String::new(),
        names => format!(" class=\"{names}\""),
    };
    format!(
        "<text x=\"{}\" y=\"{}\" textLength=\"{}\" fill=\"{}\"{class}>{}</text>",
        short(x),
        short(top + BASELINE),
        short(f64::from(word_cells(shown)) * CELL_WIDTH),
        hex(look.fg),
        escape_xml(shown),
    )
}

fn word_cells(word: &str) -> u16 {
    u16::try_from(super::glyphs::width(word)).unwrap_or(u16::MAX)
}

/// Lines under and through, drawn rather than asked of the font, so that they reach over spaces and shapes.
fn decoration(run: &Run, left: f64, top: f64, ink: &str, put: &mut dyn FnMut(String)) {
    let width = f64::from(run.cells) * CELL_WIDTH;
    for (modifier, y) in [
        (Modifier::UNDERLINED, BASELINE + 2.0),
        (Modifier::CROSSED_OUT, BASELINE - 4.5),
    ] {
        if run.look.modifier.contains(modifier) {
            put(format!(
                "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"1\" fill=\"{ink}\"/>",
                short(left),
                short(top + y),
                short(width),
            ));
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
