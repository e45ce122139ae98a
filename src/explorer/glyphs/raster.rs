//! A picture in dots: eight to a cell in braille, two in half blocks, one in ASCII.

use super::{GlyphSet, Glyphs};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// Dots over the cells of an area. What is bright hides what is dim.
pub struct Raster<'g> {
    glyphs: &'g Glyphs,
    cells: (usize, usize),
    dots: Vec<Option<(bool, Style)>>,
}

/// The bits of a braille cell, from the left column down.
const BRAILLE: [[u32; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];

impl<'g> Raster<'g> {
    pub fn new(width: u16, height: u16, glyphs: &'g Glyphs) -> Raster<'g> {
        let (across, down) = dots(glyphs);
        let cells = (usize::from(width), usize::from(height));
        Raster {
            glyphs,
            cells,
            dots: vec![None; cells.0 * across * cells.1 * down],
        }
    }

    /// How many dots it is wide and high.
    pub fn size(&self) -> (usize, usize) {
        let (across, down) = dots(self.glyphs);
        (self.cells.0 * across, self.cells.1 * down)
    }

    /// Sets a dot; one that is outside is left out.
    pub fn dot(&mut self, x: usize, y: usize, bright: bool, style: Style) {
        let (width, height) = self.size();
        if x >= width || y >= height {
            return;
        }
        let dot = &mut self.dots[y * width + x];
        if bright || dot.is_none_or(|(known, _)| !known) {
            *dot = Some((bright, style));
        }
    }

    /// A line between two dots.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), bright: bool, style: Style) {
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
                self.dot(x.round() as usize, y.round() as usize, bright, style);
            }
        }
    }

    /// A band that leaves at one height and arrives at another, as thick as told, in dots; at least one dot thick.
    pub fn band(&mut self, from: f64, to: f64, thick: f64, bright: bool, style: Style) {
        let (width, _) = self.size();
        for x in 0..width {
            let part = (x as f64 + 0.5) / width as f64;
            let eased = part * part * (3.0 - 2.0 * part);
            let top = from + (to - from) * eased;
            let first = (top + 0.25).floor().max(0.0) as usize;
            let end = ((top + thick).round().max(0.0) as usize).max(first + 1);
            for y in first..end {
                // Dim without colour: every other dot.
                if bright || (x + y) % 2 == 0 || self.glyphs.set == GlyphSet::Ascii {
                    self.dot(x, y, bright, style);
                }
            }
        }
    }

    /// Writes the cells that have a dot.
    pub fn paint(&self, area: Rect, buf: &mut Buffer) {
        let (across, down) = dots(self.glyphs);
        let (width, _) = self.size();
        for y in 0..self.cells.1.min(usize::from(area.height)) {
            for x in 0..self.cells.0.min(usize::from(area.width)) {
                let at = |i: usize, j: usize| self.dots[(y * down + j) * width + x * across + i];
                let all = (0..across).flat_map(|i| (0..down).map(move |j| (i, j)));
                let own: Vec<(usize, usize, bool, Style)> = all
                    .filter_map(|(i, j)| at(i, j).map(|(bright, style)| (i, j, bright, style)))
                    .collect();
                let Some(&(_, _, _, dim)) = own.first() else {
                    continue;
                };
                let bright = own.iter().find(|dot| dot.2);
                let shown = own.iter().filter(|dot| dot.2 == bright.is_some());
                let shown: Vec<(usize, usize)> = shown.map(|dot| (dot.0, dot.1)).collect();
                let style = bright.map_or(dim, |dot| dot.3);
                let glyph = self.glyph(&shown, bright.is_some());
                let place = (area.x + x as u16, area.y + y as u16);
                buf.set_string(place.0, place.1, glyph, style);
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
            (GlyphSet::Ascii, true) => self.glyphs.eighths[8].to_owned(),
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
