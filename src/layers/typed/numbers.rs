//! Numbers of a question and what they bound.

use super::question::Parts;
use crate::exchange::schema::{Field, FieldKind, Schema};
use crate::text::stems::{Word, gap, phrase, places, stem};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Range;

/// A condition on a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Test {
    /// The same number, or the same words.
    #[serde(rename = "=")]
    Equal,
    /// Every word of the value stands in the field, compared by stem.
    #[serde(rename = "~")]
    Words,
    #[serde(rename = "<")]
    Less,
    #[serde(rename = "<=")]
    AtMost,
    #[serde(rename = ">")]
    More,
    #[serde(rename = ">=")]
    AtLeast,
}

pub const TESTS: &[&str] = &["=", "~", "<", "<=", ">", ">="];

impl fmt::Display for Test {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(TESTS[*self as usize])
    }
}

impl Test {
    /// Whether it compares sizes.
    pub fn orders(self) -> bool {
        !matches!(self, Test::Equal | Test::Words)
    }
}

/// A number with what it bounds: step 3.
#[derive(Clone, Debug, PartialEq)]
pub struct Bound {
    pub words: Range<usize>,
    pub tests: Vec<(Test, f64)>,
}

/// Step 3: numbers with words that compare. A number alone counts when it looks like a year.
pub fn bounds(words: &[Word], taken: &mut [bool]) -> Vec<Bound> {
    let mut found: Vec<Bound> = Vec::new();
    let mut i = 0;
    while i < words.len() {
        let Some((low, high)) = number(words, i).filter(|_| !taken[i]) else {
            i += 1;
            continue;
        };
        let wide = low != high;
        let mut end = i + if words
            .get(i + 1)
            .is_some_and(|w| w.text.starts_with("centur"))
        {
            2
        } else {
            1
        };
        let before = |n: usize| i.checked_sub(n).map_or("", |at| words[at].text.as_str());
        let pair = (before(2), before(1));
        let mut start = i;
        let mut reach = |n: usize| start = i - n;
        // "the" before a decade or a century says nothing.
        let the = usize::from(pair.1 == "the");
        let (second, first) = (before(2 + the), before(1 + the));
        let next = words.get(end).map_or("", |w| w.text.as_str());
        let after = words.get(end + 1).map_or("", |w| w.text.as_str());
        let opened = matches!(first, "between" | "from");
        // "1925 to 1927" needs no opening, where "1925 and 1927" are two numbers.
        let joined = matches!(next, "to" | "until") || opened && next == "and";
        let last = number(words, end + 1).filter(|_| joined);
        let tests = if let Some((_, last)) = last {
            if opened {
                reach(1 + the);
            }
            end += 2;
            Some(vec![(Test::AtLeast, low), (Test::AtMost, last)])
        } else if next == "or" && matches!(after, "later" | "after" | "more") {
            end += 2;
            Some(vec![(Test::AtLeast, low)])
        } else if next == "or" && matches!(after, "earlier" | "before" | "less" | "fewer") {
            end += 2;
            Some(vec![(Test::AtMost, high)])
        } else {
            match (second, first) {
                ("at", "least") => {
                    reach(2 + the);
                    Some(vec![(Test::AtLeast, low)])
                }
                ("at", "most") | ("up", "to") => {
                    reach(2 + the);
                    Some(vec![(Test::AtMost, high)])
                }
                ("earlier" | "less" | "fewer", "than") | ("prior", "to") => {
                    reach(2 + the);
                    Some(vec![(Test::Less, low)])
                }
                ("later" | "more" | "greater", "than") => {
                    reach(2 + the);
                    Some(vec![(Test::More, high)])
                }
                (_, "before" | "under" | "below") => {
                    reach(1 + the);
                    Some(vec![(Test::Less, low)])
                }
                (_, "after" | "over" | "above") => {
                    reach(1 + the);
                    Some(vec![(Test::More, high)])
                }
                // "From the 1890s" is within them, where "from 1890" goes on.
                (_, "from") if wide => {
                    reach(1 + the);
                    Some(vec![(Test::AtLeast, low), (Test::AtMost, high)])
                }
                (_, "since" | "from") => {
                    reach(1 + the);
                    Some(vec![(Test::AtLeast, low)])
                }
                (_, "until" | "till" | "by") => {
                    reach(1 + the);
                    Some(vec![(Test::AtMost, high)])
                }
                _ if wide => Some(vec![(Test::AtLeast, low), (Test::AtMost, high)]),
                _ if (1000.0..2101.0).contains(&low) => Some(vec![(Test::Equal, low)]),
                _ => None,
            }
        };
        match tests {
            Some(tests) => {
                taken[start..end].fill(true);
                found.push(Bound {
                    words: start..end,
                    tests,
                });
                i = end;
            }
            None => i += 1,
        }
    }
    found
}

/// A number, a decade (`1890s`) or a century (`19th century`) as the first and last number it covers.
fn number(words: &[Word], i: usize) -> Option<(f64, f64)> {
    let text = words.get(i)?.text.as_str();
    if let Some(decade) = text.strip_suffix("0s").filter(|d| d.len() == 3) {
        let first: f64 = format!("{decade}0").parse().ok()?;
        return Some((first, first + 9.0));
    }
    let ordinal = ["st", "nd", "rd", "th"]
        .iter()
        .find_map(|end| text.strip_suffix(end));
    if words
        .get(i + 1)
        .is_some_and(|w| w.text.starts_with("centur"))
    {
        let number: f64 = ordinal?.parse().ok()?;
        return Some(((number - 1.0) * 100.0 + 1.0, number * 100.0));
    }
    let digits = text.bytes().all(|b| b.is_ascii_digit());
    let value: f64 = text.parse().ok().filter(|_| digits)?;
    Some((value, value))
}

/// Whether a place is a word for a number field that a number follows at once: "born" in "born after 1900".
pub fn of_number(schema: &Schema, words: &[Word], bounds: &[Bound], place: &Range<usize>) -> bool {
    let numeric = |f: &&Field| f.kind == FieldKind::Number;
    let fields = schema
        .types
        .iter()
        .flat_map(|t| t.fields.iter().filter(numeric));
    let mut said = fields.flat_map(|f| &f.synonyms).map(|s| stem(s));
    bounds.iter().any(|bound| bound.words.start == place.end)
        && said.any(|stem| words[place.end - 1].stem == stem)
}

/// Step 3, the field: of all numeric fields the one whose word stands nearest; without a word the answer type's only one.
pub fn numeric_field(schema: &Schema, parts: &Parts, bound: &Bound) -> Option<(usize, String)> {
    let answer = parts.answer.as_ref().map(|(at, _)| *at);
    let mut best: Option<((usize, bool, bool, usize), String)> = None;
    for (at, kind) in schema.types.iter().enumerate() {
        for field in kind.fields.iter().filter(|f| f.kind == FieldKind::Number) {
            let stems = |s: &String| phrase(s).iter().map(|w| stem(w)).collect::<Vec<_>>();
            let found = field
                .synonyms
                .iter()
                .flat_map(|s| places(&parts.words, &stems(s)));
            // "Birth year": the word for its unit belongs to the field before it.
            let whole = |place: Range<usize>| match parts.words.get(place.end) {
                Some(w) if ["year", "date", "number"].contains(&w.text.as_str()) => {
                    place.start..place.end + 1
                }
                _ => place,
            };
            let near = found.map(|place| gap(&whole(place), &bound.words)).min();
            let Some(near) = near else {
                continue;
            };
            // The word itself before one of its stem: "founded" is not "found".
            let exact = |s: &String| {
                let words = phrase(s);
                (parts.words.windows(words.len().max(1)))
                    .any(|own| own.iter().map(|w| &w.text).eq(&words))
            };
            let other = !field.synonyms.iter().any(exact);
            let cost = (near, other, Some(at) != answer, at);
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, field.name.clone()));
            }
        }
    }
    if let Some(((_, _, _, at), field)) = best {
        return Some((at, field));
    }
    let at = answer?;
    let mut numeric = schema.types[at]
        .fields
        .iter()
        .filter(|f| f.kind == FieldKind::Number);
    let only = numeric.next()?;
    numeric.next().is_none().then(|| (at, only.name.clone()))
}
