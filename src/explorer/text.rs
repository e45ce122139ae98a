//! Words and numbers in cells: cut by grapheme, padded by width, rounded for reading.

use crate::text::span;
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;

pub use super::glyphs::{count, cut, pad, pad_left, width};
pub use crate::retrieve::marks::{Mark, MarkKind, pieces};
pub use crate::text::figures::{interval, measure, p, score, seconds, share, signed, unzero};

/// One clean line: composed characters, nothing that moves the cursor, single spaces.
pub fn clean(text: &str) -> String {
    let safe = super::glyphs::text::clean(text);
    safe.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// As many marks as the text has letters and digits.
pub fn hidden(text: &str) -> String {
    let mark = |c: char| if c.is_alphanumeric() { 'x' } else { c };
    text.chars().map(mark).collect()
}

/// A text as a cell of a table that a spreadsheet opens, between tabs: on one line, and behind an apostrophe where the
/// spreadsheet would run it as a formula. A number stays one.
pub fn tsv_cell(text: &str) -> String {
    let cell = text.replace(['\t', '\n', '\r'], " ");
    let value = cell.trim();
    let formula = value.starts_with(['=', '+', '-', '@']) && value.len() > 1;
    match formula && value.parse::<f64>().is_err() {
        true => format!("'{cell}"),
        false => cell,
    }
}

/// Two digits of a score, for reading from afar: `.047`, `1.3`, `28`.
pub fn rough(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return score(value);
    }
    let places = 1 - value.abs().log10().floor() as i32;
    match places {
        0.. => unzero(format!("{value:.*}", places.min(6) as usize)),
        _ => format!("{value:.0}"),
    }
}

/// A figure by itself: a whole one is a count.
pub fn figure(value: f64) -> String {
    Scale::of(std::iter::once(value)).figure(value)
}

/// How the figures of one list are written and drawn: counts without decimals, bars against the largest. Where all are
/// alike bars would be one block that says nothing, so there are none.
#[derive(Clone, Copy)]
pub struct Scale {
    pub most: f64,
    least: f64,
    whole: bool,
}

impl Scale {
    pub fn of(values: impl Iterator<Item = f64>) -> Scale {
        let mut scale = Scale {
            most: 0.0,
            least: f64::INFINITY,
            whole: true,
        };
        for value in values.filter(|v| v.is_finite()) {
            scale.most = scale.most.max(value.abs());
            scale.least = scale.least.min(value.abs());
            scale.whole &= value.fract() == 0.0 && value.abs() < 1e9;
        }
        scale
    }

    pub fn figure(self, value: f64) -> String {
        match self.whole && value.is_finite() {
            true if value < 0.0 => format!("-{}", count(-value as usize)),
            true => count(value as usize),
            false => score(value),
        }
    }

    pub fn fraction(self, value: f64) -> f64 {
        match self.most {
            most if most > self.least => value.abs() / most,
            _ => 0.0,
        }
    }
}

/// A rank, or `-` where there is none.
pub fn rank(rank: Option<usize>) -> String {
    rank.map_or_else(|| "-".to_owned(), |rank| rank.to_string())
}

/// Ranks of several passages: `1 - 12`.
pub fn ranks(ranks: &[Option<usize>]) -> String {
    let ranks: Vec<String> = ranks.iter().map(|r| rank(*r)).collect();
    ranks.join(" ")
}

/// Words as a sentence.
pub fn ended(words: &str) -> String {
    let stop = if words.ends_with(['.', '?', '!']) {
        ""
    } else {
        "."
    };
    format!("{words}{stop}")
}

/// `1 passage`, `2 passages`.
pub fn plural(value: usize, one: &str) -> String {
    crate::text::plural(count(value), one)
}

/// Byte ranges of the lines a text takes at a width: broken at spaces, and inside words that are longer than a line.
pub fn wrap(text: &str, cells: usize) -> Vec<Range<usize>> {
    let cells = cells.max(1);
    let mut lines: Vec<Range<usize>> = Vec::new();
    let mut line: Option<(Range<usize>, usize)> = None;
    for word in words(text) {
        let wide = width(span::of(text, word.clone()));
        if let Some((range, used)) = &mut line {
            let gap = width(span::of(text, range.end..word.start));
            if *used + gap + wide <= cells {
                *used += gap + wide;
                range.end = word.end;
                continue;
            }
            lines.push(range.clone());
        }
        let mut start = word.start;
        let mut used = 0;
        for (at, grapheme) in span::of(text, word.clone()).grapheme_indices(true) {
            let cell = width(grapheme);
            if used > 0 && used + cell > cells {
                lines.push(start..word.start + at);
                (start, used) = (word.start + at, 0);
            }
            used += cell;
        }
        line = Some((start..word.end, used));
    }
    lines.extend(line.map(|(range, _)| range));
    lines
}

/// Runs of anything but white space.
fn words(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    text.split_whitespace()
        .map(move |word| span::part(text, word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_cell_is_no_formula_and_a_number_stays_one() {
        for (text, cell) in [
            ("=1+1", "'=1+1"),
            (" @SUM(A1)", "' @SUM(A1)"),
            ("+edge", "'+edge"),
            ("-cmd|' /C calc'!A0", "'-cmd|' /C calc'!A0"),
            ("-0.25", "-0.25"),
            ("+1e3", "+1e3"),
            ("-", "-"),
            ("a\t=b\nc", "a =b c"),
            ("\t=1", "' =1"),
        ] {
            assert_eq!(tsv_cell(text), cell);
        }
    }

    #[test]
    fn numbers_read_as_the_design_writes_them() {
        assert_eq!(score(0.2985), ".2985");
        assert_eq!(score(0.000_66), ".00066");
        assert_eq!(score(12.3456), "12.35");
        assert_eq!(score(0.999_999), "1.000");
        assert_eq!(score(-9.999_9), "-10.00");
        assert_eq!(score(999.96), "1000");
        assert_eq!(share(0.25), ".25");
        assert_eq!(share(1.0), "1.0");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(plural(1, "entity"), "1 entity");
        assert_eq!(plural(2, "entity"), "2 entities");
        assert_eq!(seconds(0.0002), "200 us");
        assert_eq!(seconds(0.0042), "4.2 ms");
        assert_eq!(seconds(0.042), "42 ms");
        assert_eq!(seconds(1.42), "1.4 s");
    }

    proptest! {
        #[test]
        fn wrapping_loses_nothing_but_spaces(text in "[a-z東é ]{0,80}", cells in 2usize..20) {
            let lines = wrap(&text, cells);
            let joined: String = lines.iter().map(|r| &text[r.clone()]).collect();
            let squeeze = |s: &str| s.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            prop_assert_eq!(squeeze(&joined), squeeze(&text));
            for line in lines {
                prop_assert!(width(&text[line]) <= cells);
            }
        }
    }
}
