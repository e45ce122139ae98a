//! Tables inside texts: Markdown, HTML, comma- or tab-separated lines, and rows of cells joined by ` | ` (OTT-QA's
//! linearised form); and the segments that tables are cut into (SAGE, table segments).

use super::html;
use crate::text::span;
use std::ops::Range;

/// How a table was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Markdown,
    Html,
    Csv,
    Tsv,
    /// Lines of cells joined by ` | `, the first one the header.
    Linearised,
}

/// A table of a text. Every row has one cell per header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Byte range in the text.
    pub span: Range<usize>,
    pub form: Form,
    /// The short line above it, or its HTML caption; may be empty.
    pub caption: String,
    pub headers: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

/// Longest caption in words.
const CAPTION: usize = 15;
/// A field of a comma-separated line that is longer, in words, is prose.
const FIELD: usize = 12;

impl Table {
    /// A table of cells as they were read: rows are filled up, missing headers get a number. None without rows.
    pub(super) fn of(span: Range<usize>, form: Form, mut cells: Vec<Vec<String>>) -> Option<Table> {
        cells.retain(|row| row.iter().any(|cell| !cell.is_empty()));
        let width = cells.iter().map(Vec::len).max()?;
        if cells.len() < 2 {
            return None;
        }
        let mut rows = cells.into_iter();
        let mut headers = rows.next()?;
        headers.resize(width, String::new());
        for (at, header) in headers.iter_mut().enumerate() {
            if header.is_empty() {
                *header = format!("column {}", at + 1);
            }
        }
        let rows = rows.map(|mut row| {
            row.resize(width, String::new());
            row
        });
        Some(Table {
            span,
            form,
            caption: String::new(),
            headers,
            rows: rows.collect(),
        })
    }
}

/// The tables of a text, in order.
pub fn tables(text: &str) -> Vec<Table> {
    let mut found = html::tables(text);
    let mut start = 0;
    let spans: Vec<_> = found.iter().map(|t| t.span.clone()).collect();
    for span in spans {
        of_lines(text, start..span.start, &mut found);
        start = span.end;
    }
    of_lines(text, start..text.len(), &mut found);
    found.sort_by_key(|t| t.span.start);
    let mut before = 0;
    for table in &mut found {
        if table.caption.is_empty() {
            table.caption = caption(span::of(text, before..table.span.start));
        }
        before = table.span.end;
    }
    found
}

/// What a table is called by the text above it: the line right above where that is short and no sentence, else the
/// first line above it (OTT-QA: section title, introduction, table).
fn caption(above: &str) -> String {
    let titled = |line: &&str| {
        let ends = line.ends_with(['.', '!', '?', ';', ',']);
        !ends && (1..=CAPTION).contains(&line.split_whitespace().count())
    };
    let lines = || above.lines().map(str::trim).filter(|l| !l.is_empty());
    let line = (lines().next_back().filter(titled)).or_else(|| lines().next().filter(titled));
    let line = line.unwrap_or_default().trim_start_matches('#');
    line.trim().trim_end_matches(':').to_owned()
}

/// Lines of a part of a text with their byte ranges.
fn lines(text: &str, part: Range<usize>) -> Vec<(Range<usize>, &str)> {
    let mut start = part.start;
    let mut found = Vec::new();
    for line in span::of(text, part).split_inclusive('\n') {
        let end = start + line.trim_end_matches(['\n', '\r']).len();
        found.push((start..end, span::of(text, start..end)));
        start += line.len();
    }
    found
}

fn of_lines(text: &str, part: Range<usize>, found: &mut Vec<Table>) {
    if !span::of(text, part.clone()).contains('\n') {
        return;
    }
    let lines = lines(text, part);
    let mut at = 0;
    let mut fenced = false;
    while at < lines.len() {
        let bare = lines[at].1.trim_start();
        fenced ^= bare.starts_with("```") || bare.starts_with("~~~");
        let rest = &lines[at..];
        let taken = (!fenced)
            .then(|| {
                markdown(rest)
                    .or_else(|| joined(rest))
                    .or_else(|| separated(rest))
            })
            .flatten();
        let Some((count, form, cells)) = taken else {
            at += 1;
            continue;
        };
        let span = rest[0].0.start..rest[count - 1].0.end;
        found.extend(Table::of(span, form, cells));
        at += count;
    }
}

type Lines<'a, 't> = &'a [(Range<usize>, &'t str)];
/// Lines taken, how they were written, their cells.
type Taken = Option<(usize, Form, Vec<Vec<String>>)>;

/// `| a | b |`, below it `|---|:-:|`, then rows until a line without a bar.
fn markdown(lines: Lines) -> Taken {
    let rule = lines.get(1)?.1.trim();
    let marks = |c: char| matches!(c, '|' | '-' | ':' | ' ');
    if !lines[0].1.contains('|')
        || !rule.contains('-')
        || !rule.contains('|')
        || !rule.chars().all(marks)
    {
        return None;
    }
    let header = bars(lines[0].1);
    if bars(rule).len() != header.len() {
        return None;
    }
    let rows = lines[2..].iter().take_while(|l| l.1.contains('|'));
    let mut cells = vec![header];
    cells.extend(rows.map(|l| bars(l.1)));
    Some((cells.len() + 1, Form::Markdown, cells))
}

/// The cells of a Markdown row; `\|` is a bar inside a cell.
fn bars(line: &str) -> Vec<String> {
    let line = line.trim();
    let line = line.strip_prefix('|').unwrap_or(line);
    let mut cells = vec![String::new()];
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        let cell = cells.last_mut();
        match c {
            '\\' if chars.peek() == Some(&'|') => {
                chars.next();
                cell.into_iter().for_each(|cell| cell.push('|'));
            }
            '|' => cells.push(String::new()),
            _ => cell.into_iter().for_each(|cell| cell.push(c)),
        }
    }
    if line.ends_with('|') && !line.ends_with("\\|") {
        cells.pop();
    }
    cells.iter().map(|cell| cell.trim().to_owned()).collect()
}

/// Lines of as many cells as the first, joined by a bar between spaces.
fn joined(lines: Lines) -> Taken {
    let header = spaced(lines[0].1);
    if header.len() < 2 {
        return None;
    }
    let rows = lines[1..].iter().map(|l| spaced(l.1));
    let mut cells = vec![header.clone()];
    cells.extend(rows.take_while(|row| row.len() == header.len()));
    (cells.len() > 1).then_some((cells.len(), Form::Linearised, cells))
}

/// The cells between bars that stand between spaces or at an end of the line.
fn spaced(line: &str) -> Vec<String> {
    let bytes = line.as_bytes();
    let space = |at: usize| bytes.get(at).is_none_or(u8::is_ascii_whitespace);
    let mut cells = Vec::new();
    let mut start = 0;
    for (at, _) in line.match_indices('|') {
        if (at == 0 || space(at - 1)) && space(at + 1) {
            cells.push(span::of(line, start..at).trim().to_owned());
            start = at + 1;
        }
    }
    cells.push(span::of(line, start..).trim().to_owned());
    cells
}

/// Three lines or more with as many fields as the first, which are names: distinct and none empty.
fn separated(lines: Lines) -> Taken {
    let (mark, form) = match lines[0].1 {
        line if line.contains('\t') => (b'\t', Form::Tsv),
        line if line.contains(',') => (b',', Form::Csv),
        _ => return None,
    };
    let header = fields(lines[0].1, mark)?;
    let repeated = |(at, name): (usize, &String)| name.is_empty() || header[..at].contains(name);
    if header.len() < 2 || header.iter().enumerate().any(repeated) {
        return None;
    }
    let mut cells = vec![header];
    for line in &lines[1..] {
        match fields(line.1, mark) {
            Some(row) if row.len() == cells[0].len() => cells.push(row),
            _ => break,
        }
    }
    (cells.len() > 2).then_some((cells.len(), form, cells))
}

/// The fields of a line of a table; none of a line that is prose: a space after the comma, a full stop at the end, or
/// a field of many words.
fn fields(line: &str, mark: u8) -> Option<Vec<String>> {
    let comma = mark == b',';
    if comma
        && (line.contains(", ") || line.trim_end().ends_with(['.', '!', '?']))
        && !line.contains('"')
    {
        return None;
    }
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(mark)
        .quoting(comma)
        .has_headers(false)
        .from_reader(line.as_bytes());
    let mut row = csv::StringRecord::new();
    if !reader.read_record(&mut row).unwrap_or(false) {
        return None;
    }
    let prose = |field: &str| comma && (field.starts_with(' ') || field.split(' ').count() > FIELD);
    if row.iter().any(prose) {
        return None;
    }
    Some(row.iter().map(|field| field.trim().to_owned()).collect())
}

/// The rows of each segment: `per` rows each; a rest of less than half of that joins the segment before (SAGE: ten
/// rows, and a rest below five).
pub fn segments(rows: usize, per: usize) -> Vec<Range<usize>> {
    let per = per.max(1);
    let mut found: Vec<Range<usize>> = (0..rows.div_ceil(per))
        .map(|at| at * per..((at + 1) * per).min(rows))
        .collect();
    if let [.., before, last] = &mut found[..]
        && 2 * last.len() < per
    {
        before.end = last.end;
        found.pop();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn one(text: &str) -> Table {
        let mut found = tables(text);
        assert_eq!(found.len(), 1, "{found:?}");
        found.remove(0)
    }

    fn rows(table: &Table) -> Vec<String> {
        table.rows.iter().map(|row| row.join("/")).collect()
    }

    #[test]
    fn a_linearised_table_below_its_section_and_introduction() {
        let text = "Season 's Bests\nThe 110 metres is a race. It is for men.\nYear | Time | Where\n1966 | 13.47 | \n | align=right| 0 | Cali\nAn end.";
        let table = one(text);
        assert_eq!(table.caption, "Season 's Bests");
        assert_eq!(table.headers, ["Year", "Time", "Where"]);
        assert_eq!(rows(&table), ["1966/13.47/", "/align=right| 0/Cali"]);
        assert_eq!(table.form, Form::Linearised);
        assert!(text[table.span.clone()].starts_with("Year") && text[table.span].ends_with("Cali"));
        // A menu of one line, and a bar inside a formula, are no tables.
        assert!(tables("Home | About\nWe sell boats.").is_empty());
        assert!(tables("p(a|b) is\np(b|a)").is_empty());
    }

    #[test]
    fn markdown_with_a_bar_in_a_cell_and_uneven_rows() {
        let text = "Text.\n\n## Boats:\n\n| Name | Length |\n|:---|---:|\n| Gull \\| Tern | 9 |\n| Puffin |\n\nMore | text.\n";
        let table = one(text);
        assert_eq!((&*table.caption, table.form), ("Boats", Form::Markdown));
        assert_eq!(table.headers, ["Name", "Length"]);
        assert_eq!(rows(&table), ["Gull | Tern/9", "Puffin/"]);
        assert_eq!(one("a | b\n--|--\n1 | 2").headers, ["a", "b"]);
        assert!(tables("```\n| a | b |\n|---|---|\n| 1 | 2 |\n```").is_empty());
        assert!(tables("| a | b |\n|---|---|").is_empty());
    }

    #[test]
    fn comma_and_tab_separated_lines() {
        let text =
            "Fleet of the harbour\nname,built,note\nGull,1966,\"old, red\"\nTern,1970,\nEnd of it.";
        let table = one(text);
        assert_eq!(
            (&*table.caption, table.form),
            ("Fleet of the harbour", Form::Csv)
        );
        assert_eq!(rows(&table), ["Gull/1966/old, red", "Tern/1970/"]);
        let table = one("name\tbuilt\nGull\t\"1966\nTern\t1970");
        assert_eq!(
            (table.form, rows(&table)),
            (Form::Tsv, vec!["Gull/\"1966".into(), "Tern/1970".into()])
        );
        for prose in [
            "He came, saw\nand won, then\nwent home, tired",
            "One,two.\nThree,four.\nFive,six.",
            "a,b\n1,2",
            "a,a\n1,2\n3,4",
        ] {
            assert!(tables(prose).is_empty(), "{prose}");
        }
    }

    #[test]
    fn several_tables_of_a_text_come_in_order() {
        let text = "First\na | b\n1 | 2\nThen.\n<table><tr><th>c</th></tr><tr><td>3</td></tr></table>\nLast\nx,y\n4,5\n6,7";
        let found = tables(text);
        let forms: Vec<_> = found.iter().map(|t| (t.form, &*t.caption)).collect();
        assert_eq!(
            forms,
            [
                (Form::Linearised, "First"),
                (Form::Html, ""),
                (Form::Csv, "Last")
            ]
        );
    }

    fn whole(rows: Range<usize>) -> Vec<Range<usize>> {
        vec![rows]
    }

    #[test]
    fn ten_rows_a_segment_and_a_short_rest_joins() {
        assert_eq!(segments(10, 10), whole(0..10));
        assert_eq!(segments(14, 10), whole(0..14));
        assert_eq!(segments(15, 10), [0..10, 10..15]);
        assert_eq!(segments(24, 10), [0..10, 10..24]);
        assert_eq!(segments(3, 10), whole(0..3));
        assert!(segments(0, 10).is_empty());
    }

    proptest! {
        #[test]
        fn whatever_the_text_tables_lie_in_it_and_do_not_overlap(text in "([a-c|,\t <>/&;\"\\\\é-]|\n|<table>|<tr>|<td>|</table>| \\| ){0,80}") {
            let found = tables(&text);
            let mut before = 0;
            for table in found {
                prop_assert!(table.span.start >= before && table.span.end <= text.len());
                before = table.span.end;
                prop_assert!(text.is_char_boundary(table.span.start) && text.is_char_boundary(table.span.end));
                prop_assert!(!table.rows.is_empty() && table.rows.iter().all(|r| r.len() == table.headers.len()));
            }
        }

        #[test]
        fn segments_cover_every_row_once(rows in 0usize..200, per in 1usize..50) {
            let found = segments(rows, per);
            let mut next = 0;
            for s in &found {
                prop_assert_eq!(s.start, next);
                next = s.end;
                prop_assert!(found.len() == 1 || 2 * s.len() >= per);
            }
            prop_assert_eq!(next, rows);
        }
    }
}
