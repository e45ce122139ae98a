//! Byte ranges of a text: cut, moved and found in one place, so that a wrong one does no harm.
//!
//! A range belongs to the text it was made on. Taken to another (a copy in lower case, a passage without its title) it may
//! end inside a character, and slicing would end the program. Nothing outside the tests slices a text with `[..]`: clippy's
//! `string_slice` is denied. Widen a span by what is left after `strip_prefix` or `strip_suffix`, not by a length.

use std::ops::{Bound, Range, RangeBounds};

/// The part of a text in a range that was made on it. Any other range is a fault: tests stop at it, a release cuts to what
/// is there.
pub fn of(text: &str, range: impl RangeBounds<usize>) -> &str {
    let (start, end) = (range.start_bound().cloned(), range.end_bound().cloned());
    let part = text.get((start, end));
    debug_assert!(part.is_some(), "{start:?}..{end:?} is no part of {text:?}");
    part.unwrap_or_else(|| clipped(text, (start, end)))
}

/// The part of a text in a range that a file gives: whole characters of what is there.
pub fn clipped(text: &str, range: impl RangeBounds<usize>) -> &str {
    let start = match range.start_bound() {
        Bound::Included(&at) => at,
        Bound::Excluded(&at) => at.saturating_add(1),
        Bound::Unbounded => 0,
    };
    let end = match range.end_bound() {
        Bound::Included(&at) => at.saturating_add(1),
        Bound::Excluded(&at) => at,
        Bound::Unbounded => text.len(),
    };
    let end = floor(text, end);
    text.get(floor(text, start).min(end)..end).unwrap_or("")
}

/// The last border of a character at or before a place.
pub fn floor(text: &str, place: usize) -> usize {
    let place = place.min(text.len());
    (0..=place)
        .rev()
        .find(|&at| text.is_char_boundary(at))
        .unwrap_or(0)
}

/// A range without the white space around what it holds.
pub fn trim(text: &str, range: Range<usize>) -> Range<usize> {
    let left = of(text, range.clone()).trim_start();
    let start = range.end - left.len();
    start..start + left.trim_end().len()
}

/// A text up to the end of its first line that is not empty; ranges made on it are ranges of the text.
pub fn first_line(text: &str) -> &str {
    let before = text.len() - text.trim_start().len();
    let first = of(text, before..).lines().next();
    of(text, ..before + first.map_or(0, str::len))
}

/// A range made on a part of a text, as one of the text; `by` is where the part begins.
pub fn shift(range: &Range<usize>, by: usize) -> Range<usize> {
    range.start + by..range.end + by
}

/// Where a part that was cut out of the text stands in it.
pub fn part(text: &str, part: &str) -> Range<usize> {
    let start = (part.as_ptr() as usize).wrapping_sub(text.as_ptr() as usize);
    debug_assert!(start <= text.len() && part.len() <= text.len() - start);
    let start = start.min(text.len());
    start..start + part.len().min(text.len() - start)
}

/// A text in lower case that knows where it came from: lower-casing makes some letters longer or shorter.
pub struct Lower {
    pub text: String,
    /// The byte of the text as it was written that each byte comes from, and its end. Empty where they are the same.
    from: Vec<usize>,
}

impl Lower {
    pub fn of(text: &str) -> Lower {
        let lower = text.to_lowercase();
        let same = |c: char| c.to_lowercase().map(char::len_utf8).sum::<usize>() == c.len_utf8();
        let mut from = Vec::new();
        if !text.chars().all(same) {
            for (at, c) in text.char_indices() {
                from.extend(c.to_lowercase().flat_map(|low| vec![at; low.len_utf8()]));
            }
            from.push(text.len());
        }
        Lower { text: lower, from }
    }

    /// A range of the lower-cased text as one of the text: whole characters.
    pub fn back(&self, range: &Range<usize>) -> Range<usize> {
        if self.from.is_empty() {
            return range.clone();
        }
        let last = self.from.len() - 1;
        let start = self.from[range.start.min(last)];
        // Up to the next character that comes from another one.
        let inside = self.from[range.end.min(last).saturating_sub(1)];
        let end = self.from[self.from.partition_point(|&at| at <= inside).min(last)];
        start..if range.is_empty() { start } else { end }
    }
}

/// The first characters of a text, at most so many; no more of it is looked at.
pub fn head(text: &str, most: usize) -> &str {
    let end = text.char_indices().nth(most);
    of(text, ..end.map_or(text.len(), |(at, _)| at))
}

/// A text of at most so many characters, with two dots where more follow: those are in every terminal's font.
pub fn clip(text: &str, most: usize) -> String {
    if head(text, most).len() == text.len() {
        return text.to_owned();
    }
    format!("{}..", head(text, most.saturating_sub(2)).trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_at_a_character_and_marked() {
        assert_eq!(clip("héllo", 5), "héllo");
        assert_eq!(clip("héllo!", 5), "hél..");
    }
    use proptest::prelude::*;

    #[test]
    fn a_range_of_another_text_is_cut_to_whole_characters() {
        assert_eq!(clipped("Zoë", 0..3), "Zo");
        assert_eq!(clipped("Zoë", 3..9), "ë");
        assert_eq!(clipped("Zoë", 7..9), "");
        #[expect(clippy::reversed_empty_ranges, reason = "a file may say so")]
        let turned = clipped("Zoë", 2..1);
        assert_eq!(turned, "");
    }

    #[test]
    #[should_panic(expected = "is no part of")]
    fn tests_stop_at_a_range_of_another_text() {
        of("Zoë", 0..3);
    }

    #[test]
    fn spans_are_trimmed_moved_and_found() {
        let text = "a  Zoë\u{a0}\n b";
        assert_eq!(trim(text, 1..10), 3..7);
        assert_eq!(trim(text, 1..3), 3..3);
        assert_eq!(shift(&(1..2), 3), 4..5);
        assert_eq!(part(text, of(text, 3..7)), 3..7);
        assert_eq!(part(text, of(text, 11..)), 11..12);
    }

    #[test]
    fn lower_case_knows_where_it_came_from() {
        // İ grows by one byte, the Kelvin sign shrinks by two.
        let text = "İzmir 3 \u{212a} ΟΔΟΣ";
        let lower = Lower::of(text);
        let back = |word: &str| {
            let at = lower.text.find(word).unwrap();
            of(text, lower.back(&(at..at + word.len())))
        };
        assert_eq!(back("zmir"), "zmir");
        assert_eq!(back("i\u{307}z"), "İz");
        assert_eq!(back("\u{307}"), "İ");
        assert_eq!(back("k"), "\u{212a}");
        assert_eq!(back("οδος"), "ΟΔΟΣ");
        assert_eq!(Lower::of("Abc").back(&(1..2)), 1..2);
    }

    proptest! {
        #[test]
        fn any_range_is_cut(text in "\\PC{0,12}", a in 0usize..50, b in 0usize..50) {
            prop_assert!(text.contains(clipped(&text, a..b)));
            prop_assert!(text.is_char_boundary(floor(&text, a)) && floor(&text, a) <= a);
        }

        #[test]
        fn lower_case_leads_back_to_whole_characters(text in "[a-cA-Cİ\u{212a}ßẞΣſŉ\u{301} ]{0,9}", a in 0usize..30, b in 0usize..30) {
            let lower = Lower::of(&text);
            let a = floor(&lower.text, a);
            let b = floor(&lower.text, b).max(a);
            let back = lower.back(&(a..b));
            let said = of(&text, back).to_lowercase();
            // A sigma is another one at the end of a word.
            let plain = |s: &str| s.replace('ς', "σ");
            prop_assert!(plain(&said).contains(&plain(of(&lower.text, a..b))));
        }
    }
}
