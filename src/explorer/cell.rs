//! One figure or word of a row, and how it is drawn, searched, copied, spoken and written as JSON.

use super::glyphs::{Glyphs, bar};
use super::text;
use crate::layers::{Class, Code};
use serde_json::{Value, json};

/// What stands in a column of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    Empty,
    /// A score or mass.
    Score(f64),
    Count(usize),
    /// Of a passage; none where it is not ranked.
    Rank(Option<usize>),
    /// Of several passages.
    Ranks(Vec<Option<usize>>),
    /// Written already.
    Figure(String),
    Word(&'static str),
    /// What a row is called.
    Text(String),
    /// Words of a question or passage, which a masked screen hides.
    Masked(String),
    /// A measure or share from 0 to 1 in two digits.
    Share(f64),
    /// The same in three digits.
    Measure(f64),
    /// A difference of measures; a list of many questions leaves 0 blank.
    Gain(f64),
    /// A difference of measures in which 0 is news too.
    Change(f64),
    Seconds(f64),
    /// A part of the longest bar, from 0 to 1.
    Bar(f64),
    /// Verdicts on lost gold.
    Verdicts(Vec<(Code, Class)>),
    /// Verdicts, and how often each was found.
    Tally(Vec<(Code, usize)>),
}

impl Cell {
    /// The cell in letters, as it is copied and spoken.
    pub fn text(&self) -> String {
        match self {
            Cell::Empty | Cell::Bar(_) => String::new(),
            Cell::Score(value) => text::score(*value),
            Cell::Count(count) => text::count(*count),
            Cell::Rank(rank) => text::rank(*rank),
            Cell::Ranks(ranks) => text::ranks(ranks),
            Cell::Figure(text) | Cell::Text(text) | Cell::Masked(text) => text.clone(),
            Cell::Word(word) => (*word).to_owned(),
            Cell::Share(value) => text::share(*value),
            Cell::Measure(value) => text::measure(*value),
            Cell::Gain(value) | Cell::Change(value) => text::signed(*value),
            Cell::Seconds(value) => text::seconds(*value),
            Cell::Verdicts(verdicts) => verdicts
                .first()
                .map_or_else(String::new, |v| v.0.to_string()),
            Cell::Tally(codes) => {
                let codes = codes.iter().map(|(code, count)| format!("{code} {count}"));
                codes.collect::<Vec<_>>().join(" ")
            }
        }
    }

    /// The cell in a width, with the words of a corpus hidden where the screen is masked.
    pub fn drawn(&self, masked: bool, glyphs: &Glyphs, width: usize) -> String {
        match self {
            Cell::Gain(0.0) | Cell::Seconds(0.0) => String::new(),
            Cell::Masked(text) if masked => text::cut(&text::hidden(text), width),
            Cell::Bar(part) => bar(*part, width, glyphs),
            cell => text::cut(&cell.text(), width),
        }
    }

    /// The words that a filter finds in it.
    pub fn words(&self) -> Vec<String> {
        match self {
            Cell::Verdicts(verdicts) => verdicts.iter().map(|v| v.0.to_string()).collect(),
            Cell::Tally(codes) => codes.iter().map(|code| code.0.to_string()).collect(),
            cell => vec![cell.text()],
        }
    }

    pub fn json(&self) -> Value {
        match self {
            Cell::Empty => Value::Null,
            Cell::Score(value)
            | Cell::Share(value)
            | Cell::Measure(value)
            | Cell::Gain(value)
            | Cell::Change(value)
            | Cell::Seconds(value)
            | Cell::Bar(value) => json!(value),
            Cell::Count(count) => json!(count),
            Cell::Rank(rank) => json!(rank),
            Cell::Ranks(ranks) => json!(ranks),
            Cell::Figure(text) | Cell::Text(text) | Cell::Masked(text) => json!(text),
            Cell::Word(word) => json!(word),
            Cell::Verdicts(verdicts) => {
                let one = |(code, class): &(Code, Class)| json!({"code": code, "class": class});
                Value::Array(verdicts.iter().map(one).collect())
            }
            Cell::Tally(codes) => json!(codes),
        }
    }
}
