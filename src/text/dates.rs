//! Dates and years in a text: they are no names, but facts hang on them.

use super::span;
use std::ops::Range;

pub(super) const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Byte ranges of dates, in order: "3 May 1921", "May 3, 1921", "May 1921", "1921", "1920s", "19th century".
///
/// A number of four digits from 1000 to 2099 is a year unless a comma, a decimal point or a unit's sign holds it.
pub fn dates(text: &str) -> Vec<Range<usize>> {
    let words = words(text);
    let of = |at: usize| {
        words
            .get(at)
            .map_or("", |word| span::of(text, word.clone()))
    };
    // Words that only a space, or a comma and a space, separates.
    let near = |at: usize| {
        at + 1 < words.len()
            && matches!(
                span::of(text, words[at].end..words[at + 1].start),
                " " | ", " | "\u{a0}"
            )
    };
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let mut end = None;
        let first = at + usize::from(day(of(at)) && near(at));
        if MONTHS.contains(&of(first)) {
            let mut last = first;
            if first == at && near(last) && day(of(last + 1)) {
                last += 1;
            }
            if near(last) && year(of(last + 1)) {
                last += 1;
            }
            // "May" alone may be a verb.
            if last > at {
                end = Some(last);
            }
        } else if of(at).len() > 2
            && near(at)
            && matches!(of(at + 1), "century" | "centuries")
            && of(at).starts_with(|c: char| c.is_ascii_digit())
        {
            end = Some(at + 1);
        } else if year(of(at).strip_suffix('s').unwrap_or(of(at))) && !measured(text, &words[at]) {
            end = Some(at);
        }
        match end {
            Some(last) => {
                found.push(words[at].start..words[last].end);
                at = last + 1;
            }
            None => at += 1,
        }
    }
    found
}

fn words(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    super::chunks::each_token(text, |token| found.push(token));
    found
}

fn day(word: &str) -> bool {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_lowercase());
    let ordinal = matches!(
        span::of(word, digits.len()..),
        "" | "st" | "nd" | "rd" | "th"
    );
    ordinal
        && digits.len() <= 2
        && digits
            .parse::<u8>()
            .is_ok_and(|day| (1..=31).contains(&day))
}

fn year(word: &str) -> bool {
    word.len() == 4
        && word
            .parse::<u16>()
            .is_ok_and(|year| (1000..2100).contains(&year))
}

/// A number that goes on, or that counts something.
fn measured(text: &str, word: &Range<usize>) -> bool {
    let digit = |c: char| c.is_ascii_digit();
    let before = span::of(text, ..word.start);
    let after = span::of(text, word.end..);
    before.ends_with(['$', '£', '€', '#', '№', '.'])
        || before
            .strip_suffix(',')
            .is_some_and(|before| before.ends_with(digit))
        || after.starts_with(['%', '°'])
        || after
            .strip_prefix(['.', ','])
            .is_some_and(|after| after.starts_with(digit))
        || [
            " m ", " km", " ft", " people", " miles", " metres", " feet", " acres",
        ]
        .iter()
        .any(|unit| after.starts_with(unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_in_their_spellings() {
        let cases: &[(&str, &[&str])] = &[
            (
                "Born 3 May 1921 in Hull, died June 4, 1999.",
                &["3 May 1921", "June 4, 1999"],
            ),
            (
                "In March 1911 and the 1920s, late 19th century.",
                &["March 1911", "1920s", "19th century"],
            ),
            ("On July 7 they may leave; in May too.", &["July 7"]),
            (
                "It has 1,200 people, costs $1900, is 1500 m high and 1850 people saw it in 1850.",
                &["1850"],
            ),
            ("1845–1901", &["1845", "1901"]),
            ("", &[]),
        ];
        for (text, expected) in cases {
            let found: Vec<&str> = dates(text).into_iter().map(|r| &text[r]).collect();
            assert_eq!(found, *expected, "{text}");
        }
    }
}
