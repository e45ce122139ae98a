//! Every table that the shell prints.

use crate::explorer::text::{tsv_cell, width};
use std::fmt;

/// Cells of values of any type.
macro_rules! cells {
    ($($cell:expr),* $(,)?) => { [$($cell.to_string()),*] };
}
pub(super) use cells;

/// On which side the cells of a column stand, how wide it is at least, and how many blanks are before it.
struct Column {
    side: char,
    least: usize,
    gap: usize,
}

/// A table: rows of cells in columns as wide as their widest cell. A row may have fewer cells than there are columns.
pub struct Grid {
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
}

impl Grid {
    /// A table whose lines look like this: a column is `<`, `>` or `^` and its minimum width, as in a format string, and
    /// the blanks between columns are what is between them there.
    pub fn new(layout: &str) -> Grid {
        let mut columns: Vec<Column> = Vec::new();
        let (mut gap, rows) = (0, Vec::new());
        for c in layout.chars() {
            match (c.to_digit(10), columns.last_mut()) {
                (Some(digit), Some(last)) => last.least = 10 * last.least + digit as usize,
                _ if c == ' ' => gap += 1,
                _ => {
                    let (side, least) = (c, 0);
                    columns.push(Column { side, least, gap });
                    gap = 0;
                }
            }
        }
        Grid { columns, rows }
    }

    /// Adds a row.
    pub fn row<T: ToString>(&mut self, cells: impl IntoIterator<Item = T>) {
        let cells = cells.into_iter().map(|cell| cell.to_string());
        self.rows.push(cells.collect());
    }

    /// The same with a first row of these words, between bars.
    pub fn headed(layout: &str, head: &str) -> Grid {
        let mut grid = Grid::new(layout);
        grid.row(head.split('|'));
        grid
    }

    /// The rows as lines for a spreadsheet, with tabs between the cells.
    pub fn tabs(&self) -> String {
        let line = |row: &Vec<String>| {
            let cells: Vec<String> = row.iter().map(|cell| tsv_cell(cell)).collect();
            cells.join("\t") + "\n"
        };
        self.rows.iter().map(line).collect()
    }
}

impl fmt::Display for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let widest = |(at, column): (usize, &Column)| {
            let cells = self.rows.iter().filter_map(|row| row.get(at));
            let cells = cells.map(|cell| width(cell));
            cells.fold(column.least, usize::max)
        };
        let widths: Vec<usize> = self.columns.iter().enumerate().map(widest).collect();
        for row in &self.rows {
            // Blanks are written before the next word: no line ends in those of a column.
            let mut blanks = 0;
            for ((cell, column), wide) in row.iter().zip(&self.columns).zip(&widths) {
                let free = wide - width(cell);
                let before = match column.side {
                    '>' => free,
                    '^' => free / 2,
                    _ => 0,
                };
                blanks += column.gap + before;
                if !cell.is_empty() {
                    write!(f, "{:blanks$}{cell}", "")?;
                    blanks = 0;
                }
                blanks += free - before;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_what_is_in_them_and_lines_end_in_no_blanks() {
        let mut grid = Grid::headed(" <4 >3  ^5 <", "|n|range|of");
        grid.row(cells!["a", 7, "-", ""]);
        grid.row(["東京都", "1234"]);
        let lines = [
            "           n  range of",
            " a         7    -",
            " 東京都 1234",
        ];
        assert_eq!(grid.to_string(), lines.join("\n") + "\n");
    }
}
