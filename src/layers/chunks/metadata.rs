//! What SAGE asks a language model about chunks and tables, by rules. One function a task,
//! input to output, so that a model can be asked instead.

use crate::llm::task;
use crate::text::phrases::group_titles;
use crate::text::span;
use crate::text::summarize::Idf;
use crate::text::{Language, Norm};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// A chunk of text.
#[derive(Clone, Debug, Default)]
pub struct DocInput<'a> {
    pub text: &'a str,
    pub source_title: &'a str,
    /// The name its source is about.
    pub subject: Option<String>,
    /// Names found in it, in order.
    pub names: Vec<&'a str>,
}

/// What is known of a chunk of text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DocMetadata {
    /// One or two key phrases that tell it from the other chunks; may be empty.
    pub topic: String,
    pub title: String,
    /// Names as written, each normal form once.
    pub entities: Vec<String>,
}

/// A table.
#[derive(Clone, Debug, Default)]
pub struct TableInput<'a> {
    pub source_title: &'a str,
    pub caption: &'a str,
    pub headers: &'a [String],
    pub rows: &'a [Vec<String>],
}

/// What is known of a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TableMetadata {
    pub title: String,
    pub description: String,
    pub summary: String,
    /// One description a column.
    pub columns: Vec<String>,
    /// Names by row, as written, each normal form once a row.
    pub entities: Vec<Vec<String>>,
}

/// What a column holds, by four fifths of its filled cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    Number,
    Year,
    Date,
    Text,
}

/// Values shown of a text column in a summary, and samples in a column description.
const TOP: usize = 3;
/// A cell of more words is prose: names are looked for inside it.
const CELL: usize = 6;

/// Metadata of chunks of text. All at once, since a topic is what sets a chunk apart from the others.
pub fn documents(inputs: &[DocInput], idf: &Idf) -> Vec<DocMetadata> {
    let groups: Vec<Vec<&str>> = inputs.iter().map(|i| vec![i.text]).collect();
    let topics = group_titles(&groups, idf);
    (inputs.par_iter().zip(topics))
        .map(|(input, topic)| DocMetadata {
            topic,
            title: input.source_title.to_owned(),
            entities: distinct(
                input
                    .subject
                    .as_deref()
                    .into_iter()
                    .chain(input.names.iter().copied()),
            ),
        })
        .collect()
}

/// Rows of a table that a model is shown.
const SHOWN: usize = 50;

impl DocInput<'_> {
    /// The same for a model.
    pub fn asked(&self) -> task::DocumentInput {
        task::DocumentInput {
            text: self.text.to_owned(),
            source_title: self.source_title.to_owned(),
        }
    }
}

impl TableInput<'_> {
    /// The same for a model, with the first rows.
    pub fn asked(&self) -> task::TableInput {
        let title = match (self.source_title, self.caption) {
            (source, "") => source.to_owned(),
            (source, caption) => format!("{source}: {caption}"),
        };
        task::TableInput {
            title,
            headers: self.headers.to_vec(),
            rows: self.rows.iter().take(SHOWN).cloned().collect(),
        }
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What a model says of a chunk; the name its source is about comes first, as with the rules.
pub fn document_told(subject: Option<&str>, output: &task::DocumentOutput) -> DocMetadata {
    let names: Vec<String> = output.entities.iter().map(|name| one_line(name)).collect();
    DocMetadata {
        topic: one_line(&output.topic),
        title: one_line(&output.title),
        entities: distinct(subject.into_iter().chain(names.iter().map(String::as_str))),
    }
}

/// Puts what a model says of a table in the place of what the rules say. A column it leaves out keeps its description. A
/// name belongs to the rows that have it in a cell, beside the names the rules find there: the model names none by row.
pub fn table_told(input: &TableInput, output: &task::TableOutput, own: &mut TableMetadata) {
    own.title = one_line(&output.title);
    own.description = one_line(&output.description);
    own.summary = one_line(&output.summary);
    for (header, column) in input.headers.iter().zip(&mut own.columns) {
        if let Some(said) = output.columns.get(header) {
            *column = one_line(said);
        }
    }
    let names: Vec<String> = output.entities.iter().map(|name| one_line(name)).collect();
    for (row, found) in input.rows.iter().zip(&mut own.entities) {
        let here = names
            .iter()
            .filter(|name| row.iter().any(|cell| cell.contains(name.as_str())));
        *found = distinct(found.iter().chain(here).map(String::as_str));
    }
}

/// A name without what disambiguates it: `Mercury (planet)` is `Mercury`.
pub fn bare(title: &str) -> &str {
    let title = title.trim();
    match title.rsplit_once('(') {
        Some((bare, _)) if !bare.is_empty() && title.ends_with(')') => bare.trim_end(),
        _ => title,
    }
}

/// Names in order, the first spelling of each normal form. Forms of less than two characters are no names.
fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut forms: Vec<String> = Vec::new();
    let mut found = Vec::new();
    for name in names {
        let form = Norm::Simple.apply(name);
        if form.chars().count() > 1 && !forms.contains(&form) {
            forms.push(form);
            found.push(name.to_owned());
        }
    }
    found
}

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// A year from 1000 to 2099, or a month beside a number.
fn dated(text: &str) -> bool {
    let words: Vec<&str> = (text.split(|c: char| !c.is_alphanumeric()))
        .filter(|w| !w.is_empty())
        .collect();
    let number = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit());
    words.iter().enumerate().any(|(at, word)| {
        let beside = [at.checked_sub(1), Some(at + 1)];
        let month = || MONTHS.contains(&word.to_lowercase().as_str());
        year(word)
            || month() && (beside.into_iter().flatten()).any(|i| words.get(i).is_some_and(number))
    })
}

fn year(word: &str) -> bool {
    word.len() == 4
        && word
            .parse()
            .is_ok_and(|year: u32| (1000..2100).contains(&year))
}

/// The value of a cell that is a number, with what stands around numbers in tables: currency, %, thousands, a sign.
fn number(cell: &str) -> Option<f64> {
    let bare: String = cell
        .chars()
        .filter(|c| !matches!(c, ',' | '$' | '€' | '£' | '%' | '+' | ' '))
        .collect();
    let digits = bare.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '.');
    digits
        .then(|| bare.parse().ok())
        .flatten()
        .filter(|value: &f64| value.is_finite())
}

/// The type of a column.
pub fn column_type<'a>(cells: impl Iterator<Item = &'a str> + Clone) -> Type {
    let filled = cells.filter(|c| !c.is_empty());
    let count = filled.clone().count();
    let mostly = |is: &dyn Fn(&str) -> bool| {
        count > 0 && 5 * filled.clone().filter(|c| is(c)).count() >= 4 * count
    };
    if mostly(&year) {
        Type::Year
    } else if mostly(&|c| number(c).is_some()) {
        Type::Number
    } else if mostly(&|c| dated(c) && c.split_whitespace().count() <= 5) {
        Type::Date
    } else {
        Type::Text
    }
}

/// Metadata of a table.
pub fn table(input: &TableInput) -> TableMetadata {
    let width = input.headers.len();
    let column = |at: usize| {
        input
            .rows
            .iter()
            .map(move |row| row.get(at).map_or("", String::as_str))
    };
    let types: Vec<Type> = (0..width).map(|at| column_type(column(at))).collect();
    let title = match (bare(input.source_title), input.caption) {
        (source, "") => source.to_owned(),
        ("", caption) => caption.to_owned(),
        (source, caption) => format!("{source}: {caption}"),
    };
    let description = match input.headers {
        [] => String::new(),
        [first] => format!("{} rows of {first}", input.rows.len()),
        [first, rest @ ..] => format!(
            "{} rows of {first} with {}",
            input.rows.len(),
            rest.join(", ")
        ),
    };
    let mut summary = description.clone();
    let mut columns = Vec::with_capacity(width);
    for (at, header) in input.headers.iter().enumerate() {
        let (values, filled) = values(column(at));
        let named = match types[at] {
            Type::Number => "number",
            Type::Year => "year",
            Type::Date => "date",
            Type::Text => "text",
        };
        let samples: Vec<&str> =
            (column(at).filter(|c| !c.is_empty())).fold(Vec::new(), |mut some, cell| {
                if some.len() < TOP && !some.contains(&cell) {
                    some.push(cell);
                }
                some
            });
        let ratio = values.len() as f64 / filled.max(1) as f64;
        columns.push(format!(
            "{header} ({named}): {}; distinct {ratio:.2}",
            samples.join(", ")
        ));
        match types[at] {
            Type::Number | Type::Year => {
                if let Some((low, high)) = range(column(at)) {
                    summary.push_str(&format!("; {header} from {low} to {high}"));
                }
            }
            Type::Text if !values.is_empty() => {
                let top: Vec<&str> = values.iter().take(TOP).map(|v| v.0).collect();
                summary.push_str(&format!("; {header}: {}", top.join(", ")));
            }
            Type::Text | Type::Date => {}
        }
    }
    let text_column = |at: usize| types.get(at) == Some(&Type::Text);
    let entities = input.rows.iter().map(|row| {
        let cells = (row.iter().enumerate()).filter(|(at, _)| text_column(*at));
        distinct(cells.flat_map(|(_, cell)| names(cell)))
    });
    TableMetadata {
        title,
        description,
        summary,
        columns,
        entities: entities.collect(),
    }
}

/// The different values of a column, the most frequent first, then in order; and how many cells are filled.
fn values<'a>(cells: impl Iterator<Item = &'a str>) -> (Vec<(&'a str, usize)>, usize) {
    let mut places: FxHashMap<&str, usize> = FxHashMap::default();
    let mut values: Vec<(&str, usize)> = Vec::new();
    let mut filled = 0;
    for cell in cells.filter(|c| !c.is_empty()) {
        filled += 1;
        let at = *places.entry(cell).or_insert(values.len());
        match values.get_mut(at) {
            Some(known) => known.1 += 1,
            None => values.push((cell, 1)),
        }
    }
    // Stable: equal counts stay in order of appearance.
    values.sort_by_key(|v| std::cmp::Reverse(v.1));
    (values, filled)
}

/// The least and the greatest number of a column, as written.
fn range<'a>(cells: impl Iterator<Item = &'a str> + Clone) -> Option<(&'a str, &'a str)> {
    let numbers = cells.filter_map(|cell| Some((number(cell)?, cell)));
    let low = numbers.clone().min_by(|a, b| a.0.total_cmp(&b.0))?;
    let high = numbers.max_by(|a, b| a.0.total_cmp(&b.0))?;
    Some((low.1, high.1))
}

/// The names in a cell: the cell itself where it is short and begins with a capital, what it brackets aside; otherwise
/// what the name rules find inside it.
fn names(cell: &str) -> Vec<&str> {
    let own = bare(cell);
    let capital = own
        .chars()
        .find(|c| c.is_alphanumeric())
        .is_some_and(char::is_uppercase);
    if capital && own.split_whitespace().count() <= CELL {
        return vec![own];
    }
    let found = crate::text::Ner::RegexPlus.mentions(Language::English, cell);
    let spans = found.into_iter().filter(|m| !m.opener).map(|m| m.span);
    spans
        .map(|span: Range<usize>| span::of(cell, span))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(rows: &[&[&str]]) -> Vec<Vec<String>> {
        rows.iter()
            .map(|r| r.iter().map(|c| (*c).to_owned()).collect())
            .collect()
    }

    #[test]
    fn a_table_described_by_hand() {
        let headers: Vec<String> = ["Year", "Athlete", "Time", "Day"].map(String::from).into();
        let rows = cells(&[
            &["1966", "Mara Voss ( USA )", "13.47", "3 May 1966"],
            &["1970", "Ivo Lind", "1,013.40", "1970-06-01"],
            &["1969", "Mara Voss ( USA )", "13.1", "June 4"],
            &["1971", "the team of Otto Berg from the far west", "", ""],
        ]);
        let found = table(&TableInput {
            source_title: "110 metres (race)",
            caption: "Bests",
            headers: &headers,
            rows: &rows,
        });
        assert_eq!(found.title, "110 metres: Bests");
        assert_eq!(found.description, "4 rows of Year with Athlete, Time, Day");
        assert_eq!(
            found.summary,
            "4 rows of Year with Athlete, Time, Day; Year from 1966 to 1971; Athlete: Mara Voss ( USA ), Ivo Lind, \
             the team of Otto Berg from the far west; Time from 13.1 to 1,013.40"
        );
        assert_eq!(
            found.columns[0],
            "Year (year): 1966, 1970, 1969; distinct 1.00"
        );
        assert!(found.columns[1].starts_with("Athlete (text): Mara Voss ( USA ), Ivo Lind,"));
        assert!(found.columns[1].ends_with("distinct 0.75"));
        assert_eq!(
            found.columns[2],
            "Time (number): 13.47, 1,013.40, 13.1; distinct 1.00"
        );
        assert!(found.columns[3].starts_with("Day (date): 3 May 1966"));
        assert_eq!(
            found.entities,
            [
                vec!["Mara Voss"],
                vec!["Ivo Lind"],
                vec!["Mara Voss"],
                vec!["Otto Berg"]
            ]
        );
        let empty = table(&TableInput::default());
        assert_eq!(empty, TableMetadata::default());
    }

    #[test]
    fn chunks_have_topic_title_and_names() {
        let text = "The herring boat was built in 1966. The herring boat is red. A storm of 12 May sank the herring boat.";
        let other = "The kelp farm is new. A kelp farm grows kelp.";
        let inputs = [
            DocInput {
                text,
                source_title: "Gull (boat)",
                subject: None,
                names: vec!["Gull", "Mara Voss", "gull", "MARA VOSS", "X"],
            },
            DocInput {
                text: other,
                source_title: "",
                subject: None,
                names: vec![],
            },
        ];
        let found = documents(&inputs, &Idf::new([text, other]));
        assert!(
            found[0].topic.contains("herring boat"),
            "{}",
            found[0].topic
        );
        assert!(found[1].topic.contains("kelp farm"));
        assert_eq!(found[0].title, "Gull (boat)");
        assert_eq!(found[0].entities, ["Gull", "Mara Voss"]);
        assert!(found[1].entities.is_empty());
    }

    #[test]
    fn dates_and_types() {
        assert!(
            dated("In May 3 he left") && dated("built 1066") && !dated("He may go to room 12345")
        );
        assert!(!dated("He may stay") && !dated("7 boats"));
        assert_eq!(
            column_type(["5 %", "-3", "$1,000", "n/a", "2"].into_iter()),
            Type::Number
        );
        assert_eq!(column_type(["5", "x"].into_iter()), Type::Text);
        assert_eq!(column_type(["", ""].into_iter()), Type::Text);
    }
}
