//! The characters things are drawn with, and small drawings made of them.
//!
//! Three sets, because fonts differ: everything, everything but braille, and ASCII. Each mark has a twin in every set,
//! so panes never ask which set is in use. No emoji and no circled digits: their width differs between terminals.

mod raster;
pub(super) mod text;
mod wires;

use ratatui::style::{Color, Style};
use ratatui::symbols::{Marker, border};
use ratatui::text::Span;

use super::theme::scope::heat_level;
use super::theme::{Scope, Theme};
pub use crate::text::count;
pub use raster::{Pen, Raster};
pub use text::{clean, cut, pad, pad_left, width};
pub use wires::Wires;

named! {
    /// The three sets.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum GlyphSet, id {
        /// Box lines, eighth blocks, braille.
        #[default]
        Unicode "unicode",
        /// The same without braille, which several fonts leave out (bottom#914).
        UnicodeSafe "unicode-safe",
        /// Only ASCII.
        Ascii "ascii",
    }
}

impl GlyphSet {
    /// ASCII where the locale promises no UTF-8, as on old consoles and in `LC_ALL=C`.
    pub fn detect(variable: impl Fn(&str) -> Option<String>) -> Self {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
            .into_iter()
            .find_map(|name| variable(name).filter(|value| !value.is_empty()));
        let is_utf8 = locale.is_none_or(|value| {
            let value = value.to_lowercase();
            value.contains("utf-8") || value.contains("utf8")
        });
        let is_console = variable("TERM").is_some_and(|term| term == "linux");
        match (is_utf8, is_console) {
            (false, _) => Self::Ascii,
            (true, true) => Self::UnicodeSafe,
            (true, false) => Self::Unicode,
        }
    }

    /// The characters of the set.
    pub fn glyphs(self) -> &'static Glyphs {
        match self {
            Self::Unicode => &UNICODE,
            Self::UnicodeSafe => &UNICODE_SAFE,
            Self::Ascii => &ASCII,
        }
    }
}

/// One set of characters. Every string is one cell wide unless its name says otherwise.
#[derive(Debug, Clone, PartialEq)]
pub struct Glyphs {
    /// Which set this is.
    pub set: GlyphSet,
    /// The border of a pane.
    pub border: border::Set<'static>,
    /// The border of the pane with the keyboard: heavier, so that focus shows without colour.
    pub border_focus: border::Set<'static>,
    /// Fills of seeds A to F; they differ without colour.
    pub fills: [&'static str; 6],
    /// The fill of what belongs to no lettered seed.
    pub rest: &'static str,
    /// A cell filled from the left by 0 to 8 eighths.
    pub eighths: [&'static str; 9],
    /// A cell filled from below by 0 to 8 eighths.
    pub levels: [&'static str; 9],
    /// Heat map cells, coldest first, for when colour cannot carry the heat.
    pub shades: [&'static str; 9],
    /// Left end of a slider.
    pub track_left: &'static str,
    /// Slider, left of the knob.
    pub track_done: &'static str,
    /// The knob.
    pub knob: &'static str,
    /// Slider, right of the knob.
    pub track_rest: &'static str,
    /// Right end of a slider.
    pub track_right: &'static str,
    /// Arrows: up, down, left, right.
    pub arrows: [&'static str; 4],
    /// The row that has the cursor.
    pub cursor: &'static str,
    /// Between facts on one line.
    pub dot: &'static str,
    /// A horizontal line inside a pane, as for the top-k cut.
    pub rule: &'static str,
    /// A cell of a line, by what it leads to: left 1, right 2, up 4, down 8.
    pub lines: [&'static str; 16],
    /// A tree: branch, last branch, and the line past a branch. Two cells each.
    pub tree: [&'static str; 3],
    /// A section that is closed, and one that is open.
    pub fold: [&'static str; 2],
    /// Score within the tie band of its neighbour.
    pub tie: &'static str,
    /// A gold passage.
    pub gold: &'static str,
    /// Any other passage among nodes.
    pub passage: &'static str,
    /// What was cut off; two cells.
    pub ellipsis: &'static str,
    /// What a graph or curve is plotted with.
    pub marker: Marker,
}

const UNICODE: Glyphs = Glyphs {
    set: GlyphSet::Unicode,
    border: border::PLAIN,
    border_focus: border::THICK,
    fills: ["█", "▒", "░", "▓", "/", ":"],
    rest: "·",
    eighths: ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"],
    levels: [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"],
    shades: [" ", "·", ":", "░", "░", "▒", "▒", "▓", "█"],
    track_left: "├",
    track_done: "━",
    knob: "●",
    track_rest: "─",
    track_right: "┤",
    arrows: ["↑", "↓", "←", "→"],
    cursor: ">",
    dot: "·",
    rule: "─",
    lines: [
        " ", "─", "─", "─", "│", "╯", "╰", "┴", "│", "╮", "╭", "┬", "│", "┤", "├", "┼",
    ],
    tree: ["├─", "└─", "│ "],
    fold: ["+", "-"],
    tie: "~",
    gold: "G",
    passage: "¶",
    ellipsis: "..",
    marker: Marker::Braille,
};

const UNICODE_SAFE: Glyphs = Glyphs {
    set: GlyphSet::UnicodeSafe,
    marker: Marker::HalfBlock,
    ..UNICODE
};

const ASCII: Glyphs = Glyphs {
    set: GlyphSet::Ascii,
    border: border::Set {
        top_left: "+",
        top_right: "+",
        bottom_left: "+",
        bottom_right: "+",
        vertical_left: "|",
        vertical_right: "|",
        horizontal_top: "-",
        horizontal_bottom: "-",
    },
    border_focus: border::Set {
        top_left: "#",
        top_right: "#",
        bottom_left: "#",
        bottom_right: "#",
        vertical_left: "#",
        vertical_right: "#",
        horizontal_top: "=",
        horizontal_bottom: "=",
    },
    fills: ["#", "=", "+", "%", "/", ":"],
    rest: ".",
    eighths: ["", "", "", "", "#", "#", "#", "#", "#"],
    levels: [" ", "_", ".", "-", "=", "+", "*", "%", "#"],
    shades: [" ", ".", ":", "-", "=", "+", "*", "%", "#"],
    track_left: "|",
    track_done: "-",
    knob: "o",
    track_rest: "-",
    track_right: "|",
    arrows: ["^", "v", "<", ">"],
    cursor: ">",
    dot: "-",
    rule: "-",
    lines: [
        " ", "-", "-", "-", "|", "'", "`", "+", "|", ".", ".", "+", "|", "+", "+", "+",
    ],
    tree: ["|-", "`-", "| "],
    fold: ["+", "-"],
    tie: "~",
    gold: "G",
    passage: "@",
    ellipsis: "..",
    marker: Marker::Custom('*'),
};

/// One seed's part of a stacked bar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// The seed, counted from 0.
    pub seed: usize,
    /// Its cells, as a string of its fill.
    pub text: String,
}

impl Glyphs {
    /// The fill of a seed counted from 0.
    pub fn fill(&self, seed: usize) -> &'static str {
        self.fills.get(seed).copied().unwrap_or(self.rest)
    }

    /// The letter of a seed counted from 0; `+` for the seventh and later, which share it.
    pub fn letter(seed: usize) -> &'static str {
        ["A", "B", "C", "D", "E", "F"]
            .get(seed)
            .copied()
            .unwrap_or("+")
    }

    /// The shade of a heat map cell, 0 to 1.
    pub fn shade(&self, fraction: f64) -> &'static str {
        self.shades[heat_level(fraction)]
    }
}

/// Least heat of what holds anything at all.
const FAINT: f64 = 0.12;

/// A cell of a heat map, 0 to 1 of the hottest: the theme's ground alone where it has one, since a glyph would cover it,
/// and shade glyphs where it has none. The span has its ground in either case, which a selected row leaves as it is.
pub fn heat(fraction: f64, width: usize, glyphs: &Glyphs, theme: &Theme) -> Span<'static> {
    if fraction.is_nan() || fraction <= 0.0 {
        return Span::raw(" ".repeat(width));
    }
    let fraction = fraction.max(FAINT);
    let style = theme.style(Scope::heat(fraction));
    let ground = style.bg.filter(|ground| *ground != Color::Reset);
    let glyph = ground.map_or_else(|| glyphs.shade(fraction), |_| " ");
    let paper = theme.style(Scope::Background).bg.unwrap_or(Color::Reset);
    Span::styled(glyph.repeat(width), style.bg(ground.unwrap_or(paper)))
}

/// What is no number counts as nothing, and no bar is longer than its room.
fn held(fraction: f64) -> f64 {
    if fraction.is_nan() {
        0.0
    } else {
        fraction.clamp(0.0, 1.0)
    }
}

/// A bar in eighths of a cell, padded to exactly `width` cells. A value above nothing is never drawn as nothing.
pub fn bar(fraction: f64, width: usize, glyphs: &Glyphs) -> String {
    let fraction = held(fraction);
    let mut eighths = (fraction * width as f64 * 8.0).round() as usize;
    if fraction > 0.0 && width > 0 {
        // The least that shows: an eighth, or in ASCII the half cell that is drawn whole.
        let least = glyphs.eighths.iter().position(|glyph| !glyph.is_empty());
        eighths = eighths.max(least.unwrap_or(8));
    }
    let mut text = glyphs.eighths[8].repeat(eighths / 8);
    text.push_str(glyphs.eighths[eighths % 8]);
    pad(&text, width)
}

/// How many of `width` cells each part of a whole gets.
///
/// The cells add up to the rounded width of the sum: each part gets its whole cells, the cells left go to the largest
/// remainders, and among equal remainders to the earlier part. Rounding each part on its own would make bars of equal
/// sums differ in length.
pub fn shares(fractions: &[f64], width: usize) -> Vec<usize> {
    let mut exact: Vec<f64> = fractions.iter().map(|&part| held(part)).collect();
    let sum: f64 = exact.iter().sum();
    let scale = if sum > 1.0 { 1.0 / sum } else { 1.0 };
    for part in &mut exact {
        *part *= scale * width as f64;
    }
    let total = ((sum * scale * width as f64).round() as usize).min(width);
    let mut cells: Vec<usize> = exact.iter().map(|part| part.floor() as usize).collect();
    let mut order: Vec<usize> = (0..exact.len())
        .filter(|&index| exact[index] > 0.0)
        .collect();
    order.sort_by(|&a, &b| {
        exact[b]
            .fract()
            .total_cmp(&exact[a].fract())
            .then(a.cmp(&b))
    });
    let left = total.saturating_sub(cells.iter().sum());
    for &index in order.iter().take(left) {
        cells[index] += 1;
    }
    cells
}

/// A bar made of seeds' parts, each a fraction of the full width; parts without a cell are left out.
pub fn stacked_bar(parts: &[(usize, f64)], width: usize, glyphs: &Glyphs) -> Vec<Segment> {
    let fractions: Vec<f64> = parts.iter().map(|(_, fraction)| *fraction).collect();
    parts
        .iter()
        .zip(shares(&fractions, width))
        .filter(|(_, cells)| *cells > 0)
        .map(|(&(seed, _), cells)| Segment {
            seed,
            text: glyphs.fill(seed).repeat(cells),
        })
        .collect()
}

/// [`stacked_bar`] in the seeds' colours, padded to exactly `width` cells.
pub fn stacked_spans(
    parts: &[(usize, f64)],
    width: usize,
    glyphs: &Glyphs,
    theme: &Theme,
) -> Vec<Span<'static>> {
    let segments = stacked_bar(parts, width, glyphs);
    let used: usize = segments.iter().map(|part| part.text.chars().count()).sum();
    let mut spans: Vec<Span<'static>> = segments
        .into_iter()
        .map(|part| Span::styled(part.text, theme.seed(part.seed)))
        .collect();
    spans.push(Span::styled(
        " ".repeat(width - used.min(width)),
        Style::new(),
    ));
    spans
}

/// A curve, one cell a value, padded to exactly `width` cells.
///
/// More values than cells are averaged in even groups. The range is given, or from 0 (or the least, when below) to the
/// greatest. What is no number is a gap; print the ends of the range beside it, a curve alone says nothing.
pub fn sparkline(
    values: &[f64],
    range: Option<(f64, f64)>,
    width: usize,
    glyphs: &Glyphs,
) -> String {
    let finite = || values.iter().copied().filter(|value| value.is_finite());
    let (low, high) =
        range.unwrap_or_else(|| (finite().fold(0.0, f64::min), finite().fold(0.0, f64::max)));
    let span = if high > low { high - low } else { 1.0 };
    let cells = values.len().min(width);
    let mut text = String::new();
    for cell in 0..cells {
        let group = &values[cell * values.len() / cells..(cell + 1) * values.len() / cells];
        let known: Vec<f64> = group
            .iter()
            .copied()
            .filter(|value| value.is_finite())
            .collect();
        if known.is_empty() {
            text.push(' ');
            continue;
        }
        let mean = known.iter().sum::<f64>() / known.len() as f64;
        // The lowest value keeps a line under it: blank is for "not known".
        let level = 1 + (held((mean - low) / span) * 7.0).round() as usize;
        text.push_str(glyphs.levels[level]);
    }
    pad(&text, width)
}

/// A slider with its knob at a fraction of the way, exactly `width` cells; only the knob when there is no room for more.
pub fn slider(fraction: f64, width: usize, glyphs: &Glyphs) -> String {
    if width < 5 {
        return pad(if width > 0 { glyphs.knob } else { "" }, width);
    }
    let track = width - 2;
    let knob = (held(fraction) * (track - 1) as f64).round() as usize;
    [
        glyphs.track_left,
        &glyphs.track_done.repeat(knob),
        glyphs.knob,
        &glyphs.track_rest.repeat(track - 1 - knob),
        glyphs.track_right,
    ]
    .concat()
}

#[cfg(test)]
mod tests;
