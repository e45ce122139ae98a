//! Tables written in HTML, read from texts that are no whole documents: tags that never close do no harm.

use super::tables::{Form, Table};
use std::ops::Range;

/// Cells that span more columns or rows than this are read as spanning so many.
const SPAN: usize = 50;

/// The outermost tables of a text, in order. One without an end tag reaches to the end of the text.
pub fn tables(text: &str) -> Vec<Table> {
    let mut found = Vec::new();
    if !text.contains('<') {
        return found;
    }
    let mut reading: Option<Reading> = None;
    let mut at = 0;
    while let Some(tag) = tag(text, at) {
        if let Some(reading) = &mut reading {
            reading.text(&text[at..tag.span.start]);
        }
        at = tag.span.end;
        match (&mut reading, tag.name.as_str(), tag.closes) {
            (None, "table", false) => reading = Some(Reading::new(tag.span.start)),
            (None, _, _) => {}
            (Some(open), "table", false) => open.depth += 1,
            (Some(open), "table", true) if open.depth > 0 => open.depth -= 1,
            (Some(_), "table", true) => {
                let done = reading.take();
                found.extend(done.and_then(|r| r.finish(tag.span.end)));
            }
            (Some(open), name, closes) => open.tag(name, closes, tag.attributes),
        }
    }
    if let Some(mut open) = reading {
        open.text(&text[at..]);
        found.extend(open.finish(text.len()));
    }
    found
}

struct Tag<'t> {
    span: Range<usize>,
    /// In lower case.
    name: String,
    closes: bool,
    attributes: &'t str,
}

/// The next tag from `at` on. `<` before anything but a letter is text.
fn tag(text: &str, mut at: usize) -> Option<Tag<'_>> {
    loop {
        let start = at + text[at..].find('<')?;
        let rest = &text[start + 1..];
        let closes = rest.starts_with('/');
        let inner = &rest[usize::from(closes)..];
        let name: String = inner
            .chars()
            .take_while(char::is_ascii_alphanumeric)
            .collect();
        match inner.find('>') {
            Some(end) if name.starts_with(|c: char| c.is_ascii_alphabetic()) => {
                return Some(Tag {
                    span: start..start + 1 + usize::from(closes) + end + 1,
                    attributes: &inner[name.len()..end],
                    name: name.to_ascii_lowercase(),
                    closes,
                });
            }
            _ => at = start + 1,
        }
    }
}

/// The number that an attribute gives.
fn number(attributes: &str, name: &str) -> usize {
    let lower = attributes.to_ascii_lowercase();
    let value = lower.find(name).map_or("", |at| &lower[at + name.len()..]);
    let digits: String = value
        .trim_start_matches(['=', '"', '\'', ' '])
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    digits.parse().unwrap_or(1).clamp(1, SPAN)
}

/// What text goes into.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Nowhere,
    Caption,
    Cell,
}

struct Reading {
    start: usize,
    /// Tables inside a cell.
    depth: usize,
    place: Place,
    caption: String,
    rows: Vec<Vec<String>>,
    cell: String,
    /// Columns and rows the open cell spans.
    spans: (usize, usize),
    /// Cells that reach down from rows above: rows left and text, by column.
    down: Vec<(usize, String)>,
}

impl Reading {
    fn new(start: usize) -> Reading {
        Reading {
            start,
            depth: 0,
            place: Place::Nowhere,
            caption: String::new(),
            rows: Vec::new(),
            cell: String::new(),
            spans: (1, 1),
            down: Vec::new(),
        }
    }

    fn text(&mut self, text: &str) {
        let into = match self.place {
            Place::Nowhere => return,
            Place::Caption => &mut self.caption,
            Place::Cell => &mut self.cell,
        };
        decode(text, into);
    }

    fn tag(&mut self, name: &str, closes: bool, attributes: &str) {
        if self.depth > 0 {
            self.text(" ");
            return;
        }
        match (name, closes) {
            ("caption", false) => self.place = Place::Caption,
            ("caption", true) => self.place = Place::Nowhere,
            ("tr", false) => {
                self.end_row();
                self.rows.push(Vec::new());
            }
            ("tr", true) => self.end_row(),
            ("td" | "th", false) => {
                self.end_cell();
                if self.rows.is_empty() {
                    self.rows.push(Vec::new());
                }
                self.place = Place::Cell;
                self.spans = (number(attributes, "colspan"), number(attributes, "rowspan"));
            }
            ("td" | "th", true) => self.end_cell(),
            ("br" | "p" | "li" | "div", _) => self.text(" "),
            _ => {}
        }
    }

    /// Puts in what reaches down from above.
    fn reach(&mut self) {
        let Some(row) = self.rows.last_mut() else {
            return;
        };
        while let Some((left, text)) = self.down.get_mut(row.len()).filter(|d| d.0 > 0) {
            *left -= 1;
            row.push(text.clone());
        }
    }

    fn end_cell(&mut self) {
        if self.place != Place::Cell {
            return;
        }
        self.place = Place::Nowhere;
        let text = squeezed(&std::mem::take(&mut self.cell));
        let (columns, rows) = self.spans;
        for _ in 0..columns {
            self.reach();
            let Some(row) = self.rows.last_mut() else {
                return;
            };
            if self.down.len() <= row.len() {
                self.down.resize(row.len() + 1, (0, String::new()));
            }
            self.down[row.len()] = (rows - 1, text.clone());
            row.push(text.clone());
        }
    }

    fn end_row(&mut self) {
        self.end_cell();
        self.reach();
    }

    fn finish(mut self, end: usize) -> Option<Table> {
        self.end_row();
        let caption = squeezed(&self.caption);
        let table = Table::of(self.start..end, Form::Html, self.rows)?;
        Some(Table { caption, ..table })
    }
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Adds text with its character references resolved: the five of XML, the non-breaking space, and numbers.
fn decode(mut text: &str, out: &mut String) {
    while let Some(at) = text.find('&') {
        out.push_str(&text[..at]);
        text = &text[at..];
        let name = text[1..]
            .find(';')
            .filter(|end| *end <= 8)
            .map(|end| &text[1..=end]);
        let named = name.and_then(|name| match name {
            "amp" => Some('&'),
            "lt" => Some('<'),
            "gt" => Some('>'),
            "quot" => Some('"'),
            "apos" => Some('\''),
            "nbsp" => Some(' '),
            _ => {
                let digits = name.strip_prefix('#')?;
                let code = match digits.strip_prefix(['x', 'X']) {
                    Some(hex) => u32::from_str_radix(hex, 16),
                    None => digits.parse(),
                };
                code.ok().and_then(char::from_u32)
            }
        });
        match (named, name) {
            (Some(c), Some(name)) => {
                out.push(c);
                text = &text[name.len() + 2..];
            }
            _ => {
                out.push('&');
                text = &text[1..];
            }
        }
    }
    out.push_str(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(String, String, Vec<String>)> {
        let cells = |t: &Table| t.rows.iter().map(|r| r.join("/")).collect();
        (tables(text).iter())
            .map(|t| (t.caption.clone(), t.headers.join("/"), cells(t)))
            .collect()
    }

    fn table(caption: &str, headers: &str, rows: &[&str]) -> (String, String, Vec<String>) {
        (
            caption.into(),
            headers.into(),
            rows.iter().map(|r| (*r).into()).collect(),
        )
    }

    #[test]
    fn captions_references_and_line_breaks() {
        let text = "See <b>this</b>: <TABLE class=x><caption>The <i>fleet</i></caption><thead><tr><th>Name<th>Made\n by</thead>\
            <tr><td>Gull &amp; Tern</td><td>A&#66;&#x43;<br>D &copy; R&D</td></tr></table> after";
        assert_eq!(
            read(text),
            [table(
                "The fleet",
                "Name/Made by",
                &["Gull & Tern/ABC D &copy; R&D"]
            )]
        );
        assert_eq!(&text[tables(text)[0].span.clone()][..6], "<TABLE");
    }

    #[test]
    fn cells_that_span_columns_and_rows() {
        let text = "<table><tr><th>a<th>b<th>c<tr><td rowspan=2>1<td colspan='2'>2</tr><tr><td>3<td>4</tr></table>";
        assert_eq!(read(text), [table("", "a/b/c", &["1/2/2", "1/3/4"])]);
    }

    #[test]
    fn odd_ones_do_no_harm() {
        assert!(read("a < b and <table> no rows </table>").is_empty());
        assert!(read("<table><tr><td>only one row</td></tr></table>").is_empty());
        let open = "<table><tr><td>a</td></tr><tr><td>1";
        assert_eq!(read(open), [table("", "a", &["1"])]);
        let nested = "<table><tr><td>a<tr><td>x<table><tr><td>in</td></tr></table>y</table>";
        assert_eq!(read(nested), [table("", "a", &["x in y"])]);
        assert!(read("<table").is_empty());
    }
}
