//! Lines of box characters that turn and join: every cell knows which ways it leads.

use super::Glyphs;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// What a cell leads to.
pub const LEFT: usize = 1;
/// To the right.
pub const RIGHT: usize = 2;
/// Upwards.
pub const UP: usize = 4;
/// Downwards.
pub const DOWN: usize = 8;

/// Lines over the cells of an area. Where two meet, the first one's look stays.
pub struct Wires {
    width: usize,
    cells: Vec<(usize, Style)>,
    /// Rows that the upright lines of each column stand on.
    taken: Vec<Vec<(usize, usize)>>,
}

impl Wires {
    pub fn new(width: u16, height: u16) -> Wires {
        let (width, height) = (usize::from(width), usize::from(height));
        Wires {
            width,
            cells: vec![(0, Style::default()); width * height],
            taken: vec![Vec::new(); width],
        }
    }

    fn put(&mut self, x: usize, y: usize, bits: usize, style: Style) {
        let Some(cell) = self.cells.get_mut(y * self.width + x) else {
            return;
        };
        if cell.0 == 0 {
            cell.1 = style;
        }
        cell.0 |= bits;
    }

    fn level(&mut self, columns: std::ops::Range<usize>, y: usize, style: Style) {
        columns.for_each(|x| self.put(x, y, LEFT | RIGHT, style));
    }

    /// A column on which an upright line from one row to another meets no other.
    pub fn free(&self, rows: (usize, usize), rising: bool) -> Option<usize> {
        let (top, bottom) = (rows.0.min(rows.1), rows.0.max(rows.1));
        let free = |x: &usize| self.taken[*x].iter().all(|(t, u)| bottom < *t || *u < top);
        let last = self.width.saturating_sub(1);
        // Upwards from the left, downwards from the right: such lines cross each other least.
        match rising {
            true => (1..last).find(free),
            false => (1..last).rev().find(free),
        }
    }

    /// Leads from a row at the left to one at the right, over an upright line on a column where they differ.
    pub fn join(&mut self, from: usize, to: usize, lane: usize, style: Style) {
        if from == to {
            return self.level(0..self.width, from, style);
        }
        let (top, bottom) = (from.min(to), from.max(to));
        self.taken[lane].push((top, bottom));
        self.level(0..lane, from, style);
        self.level(lane + 1..self.width, to, style);
        (top + 1..bottom).for_each(|y| self.put(lane, y, UP | DOWN, style));
        let (there, here) = if from > to { (UP, DOWN) } else { (DOWN, UP) };
        self.put(lane, from, LEFT | there, style);
        self.put(lane, to, RIGHT | here, style);
    }

    /// Writes the cells that have a line.
    pub fn paint(&self, area: Rect, glyphs: &Glyphs, buf: &mut Buffer) {
        for (at, (bits, style)) in self.cells.iter().enumerate().filter(|(_, c)| c.0 > 0) {
            let (x, y) = (at % self.width, at / self.width);
            let (x, y) = (area.x + x as u16, area.y + y as u16);
            buf.set_string(x, y, glyphs.lines[*bits], *style);
        }
    }
}
