//! Tables written in HTML, read from texts that are no whole documents: tags that never close do no harm.

use super::tables::{Form, Table};
use html5gum::{DefaultEmitter, HtmlString, Spanned, Token, Tokenizer};
use std::collections::BTreeMap;

/// Cells that span more columns or rows than this are read as spanning so many.
const SPAN: usize = 50;

type Attributes = BTreeMap<HtmlString, Spanned<HtmlString>>;

/// The outermost tables of a text, in order. One without an end tag reaches to the end of the text.
pub fn tables(text: &str) -> Vec<Table> {
    let mut found = Vec::new();
    if !text.contains('<') {
        return found;
    }
    let mut reading: Option<Reading> = None;
    for Ok(token) in Tokenizer::new_with_emitter(text, DefaultEmitter::new_with_span()) {
        let (name, closes, span, attributes) = match token {
            Token::StartTag(tag) => (tag.name, false, tag.span, tag.attributes),
            Token::EndTag(tag) => (tag.name, true, tag.span, Attributes::new()),
            Token::String(text) => {
                if let Some(open) = &mut reading {
                    open.text(&String::from_utf8_lossy(&text));
                }
                continue;
            }
            _ => continue,
        };
        match (&mut reading, &name[..], closes) {
            (None, b"table", false) => reading = Some(Reading::new(span.start)),
            (None, _, _) => {}
            (Some(open), b"table", false) => open.depth += 1,
            (Some(open), b"table", true) if open.depth > 0 => open.depth -= 1,
            (Some(_), b"table", true) => {
                let done = reading.take();
                found.extend(done.and_then(|r| r.finish(span.end)));
            }
            (Some(open), name, closes) => open.tag(name, closes, &attributes),
        }
    }
    found.extend(reading.and_then(|open| open.finish(text.len())));
    found
}

/// The number that an attribute gives.
fn number(attributes: &Attributes, name: &str) -> usize {
    let value = attributes
        .get(name.as_bytes())
        .map_or(&[][..], |value| value);
    let digits: String = String::from_utf8_lossy(value)
        .trim_start()
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
        into.push_str(text);
    }

    fn tag(&mut self, name: &[u8], closes: bool, attributes: &Attributes) {
        if self.depth > 0 {
            self.text(" ");
            return;
        }
        match (name, closes) {
            (b"caption", false) => self.place = Place::Caption,
            (b"caption", true) => self.place = Place::Nowhere,
            (b"tr", false) => {
                self.end_row();
                self.rows.push(Vec::new());
            }
            (b"tr", true) => self.end_row(),
            (b"td" | b"th", false) => {
                self.end_cell();
                if self.rows.is_empty() {
                    self.rows.push(Vec::new());
                }
                self.place = Place::Cell;
                self.spans = (number(attributes, "colspan"), number(attributes, "rowspan"));
            }
            (b"td" | b"th", true) => self.end_cell(),
            (b"br" | b"p" | b"li" | b"div", _) => self.text(" "),
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
                &["Gull & Tern/ABC D © R&D"]
            )]
        );
        assert_eq!(&text[tables(text)[0].span.clone()][..6], "<TABLE");
    }

    #[test]
    fn quotes_comments_and_line_ends_are_not_cells() {
        let text = "é\r\n<table class=\"a>b\">\r\n<tr><th>Name<!-- <td>no -->\r\n<tr><td>Zo\u{eb}&nbsp;&ndash; 1 < 3</table>\r\n.";
        assert_eq!(read(text), [table("", "Name", &["Zo\u{eb} – 1 < 3"])]);
        let span = tables(text)[0].span.clone();
        assert!(text[span.clone()].starts_with("<table") && text[span].ends_with("</table>"));
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
