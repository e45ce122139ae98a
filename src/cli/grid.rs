//! Every table that the shell prints.

use crate::explorer::text::{tsv_cell, width};
use crate::output;
use clap::ValueEnum;
use std::fmt;
use std::io::{self, Write};

/// How a table is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// Lines to read.
    Text,
    /// One JSON object.
    Json,
    /// Rows with tabs between the cells.
    Tsv,
    /// Rows with commas between the cells.
    Csv,
    /// A table of Markdown.
    Md,
    /// A table of LaTeX.
    Tex,
}

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

    /// Prints a table whose first row is its head.
    pub fn print(&self, form: Form) -> io::Result<()> {
        match form {
            Form::Text | Form::Json => write!(output::text(), "{self}"),
            form => output::table().write_all(self.marked(form).as_bytes()),
        }
    }

    /// The table as others read it, its first row as the head.
    pub fn marked(&self, form: Form) -> String {
        let all = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let line = |row: &Vec<String>| {
            let cells = row.iter().map(|cell| match form {
                Form::Csv => csv_cell(cell),
                Form::Md => cell.replace('|', "\\|").replace('\n', " "),
                Form::Tex => tex_cell(cell),
                _ => tsv_cell(cell),
            });
            let mut cells: Vec<String> = cells.collect();
            cells.resize(all, String::new());
            match form {
                Form::Csv => cells.join(",") + "\n",
                Form::Md => format!("| {} |\n", cells.join(" | ")),
                Form::Tex => format!("{} \\\\\n", cells.join(" & ")),
                _ => cells.join("\t") + "\n",
            }
        };
        let mut lines: Vec<String> = self.rows.iter().map(line).collect();
        let right = |at: usize| {
            self.columns
                .get(at)
                .is_some_and(|column| column.side == '>')
        };
        match form {
            Form::Md => {
                let rule = |at| if right(at) { "---:" } else { "---" };
                let rules: Vec<&str> = (0..all).map(rule).collect();
                lines.insert(1.min(lines.len()), format!("|{}|\n", rules.join("|")));
            }
            Form::Tex => {
                let side = |at| if right(at) { 'r' } else { 'l' };
                let sides: String = (0..all).map(side).collect();
                lines.insert(1.min(lines.len()), "\\hline\n".to_owned());
                lines.insert(0, format!("\\begin{{tabular}}{{{sides}}}\n"));
                lines.push("\\end{tabular}\n".to_owned());
            }
            _ => {}
        }
        lines.concat()
    }
}

/// A cell of a file with commas: between quotes where it has one of what parts cells.
fn csv_cell(text: &str) -> String {
    let cell = tsv_cell(text);
    match cell.contains([',', '"']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell,
    }
}

/// A cell of a table of LaTeX.
fn tex_cell(text: &str) -> String {
    let mut cell = String::new();
    for c in text.chars() {
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => cell.extend(['\\', c]),
            '\\' => cell += "\\textbackslash{}",
            '~' => cell += "\\textasciitilde{}",
            '^' => cell += "\\textasciicircum{}",
            '<' | '>' | '|' => cell.extend(['$', c, '$']),
            '\n' | '\t' => cell.push(' '),
            c => cell.push(c),
        }
    }
    cell
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
    fn a_table_is_written_as_others_read_it() {
        let mut grid = Grid::headed("< >", "name|R@5");
        grid.row(["a_b, \"c\" | 5 %", "0.5"]);
        grid.row(["=1+1"]);
        for (form, lines) in [
            (Form::Tsv, "name\tR@5\na_b, \"c\" | 5 %\t0.5\n'=1+1\t\n"),
            (
                Form::Csv,
                "name,R@5\n\"a_b, \"\"c\"\" | 5 %\",0.5\n'=1+1,\n",
            ),
            (
                Form::Md,
                "| name | R@5 |\n|---|---:|\n| a_b, \"c\" \\| 5 % | 0.5 |\n| =1+1 |  |\n",
            ),
            (
                Form::Tex,
                "\\begin{tabular}{lr}\nname & R@5 \\\\\n\\hline\na\\_b, \"c\" $|$ 5 \\% & 0.5 \\\\\n=1+1 &  \\\\\n\\end{tabular}\n",
            ),
        ] {
            assert_eq!(grid.marked(form), lines, "{form:?}");
        }
    }

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
