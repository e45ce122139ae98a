//! How the tagger cuts a sentence: contractions apart, full stops of initials and abbreviations kept.

use super::span;
use std::ops::Range;

/// Words and punctuation marks of a sentence.
pub(super) fn cut(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some((start, c)) = chars.next() {
        if c.is_whitespace() {
            continue;
        }
        let mut end = start + c.len_utf8();
        if !c.is_alphanumeric() {
            found.push(start..end);
            continue;
        }
        let mut digits = c.is_ascii_digit();
        while let Some(&(at, c)) = chars.peek() {
            let after = span::of(text, at + c.len_utf8()..).chars().next();
            let inner = match c {
                '\'' | '’' | '-' | '‑' | '&' | '_' => after.is_some_and(char::is_alphanumeric),
                ',' => digits && after.is_some_and(|c| c.is_ascii_digit()),
                // 3.14, U.S., Ph.D, J.R.R.
                '.' => after.is_some_and(char::is_alphanumeric),
                '/' => digits && after.is_some_and(|c| c.is_ascii_digit()),
                _ => c.is_alphanumeric() || unicode_normalization::char::is_combining_mark(c),
            };
            if !inner {
                break;
            }
            digits = c.is_ascii_digit();
            end = at + c.len_utf8();
            chars.next();
        }
        if span::of(text, end..).starts_with('.') && dotted(span::of(text, start..end)) {
            end += 1;
            chars.next();
        }
        match clitic(span::of(text, start..end)) {
            Some(at) => found.extend([start..start + at, start + at..end]),
            None => found.push(start..end),
        }
    }
    found
}

/// Whether the full stop after a word belongs to it: initials and titles, never the end of a sentence by itself.
fn dotted(word: &str) -> bool {
    let mut letters = word.chars();
    let initial = letters.next().is_some_and(char::is_uppercase) && letters.next().is_none();
    initial
        || word.contains('.') && word.split('.').all(|part| part.chars().count() == 1)
        || matches!(
            word,
            "Dr" | "Mr"
                | "Mrs"
                | "Ms"
                | "St"
                | "Mt"
                | "Ft"
                | "Prof"
                | "Gen"
                | "Col"
                | "Capt"
                | "Lt"
                | "Sgt"
                | "Rev"
                | "Jr"
                | "Sr"
        )
}

/// Where a contraction or possessive begins inside a word.
fn clitic(word: &str) -> Option<usize> {
    let at = word.rfind(['\'', '’'])?;
    let tail = span::of(word, at..).replace('’', "'").to_lowercase();
    let cut = at > 0 && matches!(tail.as_str(), "'s" | "'re" | "'ve" | "'ll" | "'d" | "'m");
    cut.then_some(at)
}
