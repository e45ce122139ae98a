//! A picture in dots: eight to a cell in braille, two in half blocks, one in ASCII.

use super::{GlyphSet, Glyphs};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// How a line or a band looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pen {
    /// Hides what is not.
    pub bright: bool,
    pub style: Style,
    /// Drawn in the place of dots, where colour does not tell two pens apart.
    pub fill: Option<&'static str>,
}

impl Pen {
    pub fn new(bright: bool, style: Style) -> Pen {
        Pen {
            bright,
            style,
            fill: None,
        }
    }
}

/// Dots over the cells of an area. What is bright hides what is dim; pens that share a cell divide the cells of its line.
pub struct Raster<'g> {
    glyphs: &'g Glyphs,
    cells: (usize, usize),
    drawn: Vec<Drawn>,
}

/// What is in a cell.
#[derive(Clone, Default)]
struct Drawn {
    /// Where its dots are, of what is dim and of what is bright.
    dots: [Vec<(usize, usize)>; 2],
    /// How much of it each pen has.
    parts: Vec<(Pen, f64)>,
}

/// The bits of a braille cell, from the left column down.
const BRAILLE: [[u32; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];

impl<'g> Raster<'g> {
    pub fn new(width: u16, height: u16, glyphs: &'g Glyphs) -> Raster<'g> {
        let cells = (usize::from(width), usize::from(height));
        Raster {
            glyphs,
            cells,
            drawn: vec![Drawn::default(); cells.0 * cells.1],
        }
    }

    /// How many dots it is wide and high.
    pub fn size(&self) -> (usize, usize) {
        let (across, down) = dots(self.glyphs);
        (self.cells.0 * across, self.cells.1 * down)
    }

    /// Sets a dot; one that is outside is left out. What it weighs decides how pens divide the cell.
    pub fn dot(&mut self, x: usize, y: usize, pen: Pen, weight: f64) {
        let (width, height) = self.size();
        if x >= width || y >= height {
            return;
        }
        let (across, down) = dots(self.glyphs);
        let cell = &mut self.drawn[y / down * self.cells.0 + x / across];
        let (own, place) = (
            &mut cell.dots[usize::from(pen.bright)],
            (x % across, y % down),
        );
        if !own.contains(&place) {
            own.push(place);
        }
        match cell.parts.iter_mut().find(|(known, _)| *known == pen) {
            Some((_, part)) => *part += weight,
            None => cell.parts.push((pen, weight)),
        }
    }

    /// A line between two dots.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), pen: Pen) {
        let far = (to.0 - from.0)
            .abs()
            .max((to.1 - from.1).abs())
            .ceil()
            .max(1.0);
        for at in 0..=far as usize {
            let part = at as f64 / far;
            let x = from.0 + (to.0 - from.0) * part;
            let y = from.1 + (to.1 - from.1) * part;
            if x >= 0.0 && y >= 0.0 {
                self.dot(x.round() as usize, y.round() as usize, pen, 1.0);
            }
        }
    }

    /// A band that leaves at one height and arrives at another, as thick as told, in dots; at least one dot thick.
    pub fn band(&mut self, from: f64, to: f64, thick: f64, pen: Pen) {
        let (width, _) = self.size();
        for x in 0..width {
            let part = (x as f64 + 0.5) / width as f64;
            let eased = part * part * (3.0 - 2.0 * part);
            let top = from + (to - from) * eased;
            let first = (top + 0.25).floor().max(0.0) as usize;
            let end = ((top + thick).round().max(0.0) as usize).max(first + 1);
            let weight = thick / (end - first) as f64;
            for y in first..end {
                // Dim without colour: every other dot.
                if pen.bright || (x + y) % 2 == 0 || self.glyphs.set == GlyphSet::Ascii {
                    self.dot(x, y, pen, weight);
                }
            }
        }
    }

    /// Writes the cells that have a dot.
    pub fn paint(&self, area: Rect, buf: &mut Buffer) {
        for y in 0..self.cells.1.min(usize::from(area.height)) {
            // What every pen is still owed of the cells to the left.
            let mut owed: Vec<(Pen, f64)> = Vec::new();
            for x in 0..self.cells.0.min(usize::from(area.width)) {
                let Drawn { dots, parts } = &self.drawn[y * self.cells.0 + x];
                let bright = !dots[1].is_empty();
                let own = || parts.iter().filter(|(pen, _)| pen.bright == bright);
                let all: f64 = own().map(|(_, part)| part).sum();
                for &(pen, part) in own() {
                    let share = if all > 0.0 { part / all } else { 1.0 };
                    match owed.iter_mut().find(|(known, _)| *known == pen) {
                        Some((_, debt)) => *debt += share,
                        None => owed.push((pen, share)),
                    }
                }
                let here = owed
                    .iter_mut()
                    .filter(|(pen, _)| own().any(|(o, _)| o == pen));
                let Some((pen, debt)) = here.reduce(|a, b| if b.1 > a.1 { b } else { a }) else {
                    continue;
                };
                *debt -= 1.0;
                let drawn = self.glyph(&dots[usize::from(bright)], bright);
                let glyph = pen.fill.map_or(drawn, str::to_owned);
                let place = (area.x + x as u16, area.y + y as u16);
                buf.set_string(place.0, place.1, glyph, pen.style);
            }
        }
    }

    fn glyph(&self, dots: &[(usize, usize)], bright: bool) -> String {
        match (self.glyphs.set, bright) {
            (GlyphSet::Unicode, _) => {
                let bits: u32 = dots.iter().map(|&(i, j)| BRAILLE[i][j]).sum();
                char::from_u32(0x2800 + bits).map_or_else(String::new, String::from)
            }
            (GlyphSet::UnicodeSafe, false) => self.glyphs.dot.to_owned(),
            (GlyphSet::UnicodeSafe, true) => match dots {
                [_, _] => "█",
                [(_, 0)] => "▀",
                _ => "▄",
            }
            .to_owned(),
            // No fill of a seed.
            (GlyphSet::Ascii, true) => "*".to_owned(),
            (GlyphSet::Ascii, false) => self.glyphs.rest.to_owned(),
        }
    }
}

/// Dots of a cell, across and down.
fn dots(glyphs: &Glyphs) -> (usize, usize) {
    match glyphs.set {
        GlyphSet::Unicode => (2, 4),
        GlyphSet::UnicodeSafe => (1, 2),
        GlyphSet::Ascii => (1, 1),
    }
}
