//! One sentence splitter for every system.

use super::span;
use std::ops::Range;

/// Words before whose full stop a sentence does not end.
const ABBREVIATIONS: &[&str] = &[
    "mr", "mrs", "ms", "dr", "prof", "st", "mt", "ft", "gen", "col", "capt", "lt", "sgt", "rev",
    "hon", "sr", "jr", "vs", "etc", "e.g", "i.e", "cf", "al", "no", "vol", "pp", "p", "ed", "eds",
    "fig", "approx", "ca", "c", "b", "d", "inc", "ltd", "co", "corp", "dept", "univ", "u.s", "u.k",
    "u.n", "a.m", "p.m", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct",
    "nov", "dec",
];

/// Byte ranges of the sentences of a text, without surrounding white space.
///
/// A sentence ends after `.`, `!` or `?` with its closing quotes and brackets, when white space follows and then
/// something other than a lower-case letter; not after an abbreviation or a single initial. A blank line always ends one.
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let end = match c {
            '.' | '!' | '?' | '…' | '。' | '！' | '？' => {
                let mut end = at + c.len_utf8();
                while let Some(&(next, closing)) = chars.peek() {
                    if !matches!(
                        closing,
                        '"' | '\'' | ')' | ']' | '”' | '’' | '»' | '.' | '!' | '?'
                    ) {
                        break;
                    }
                    end = next + closing.len_utf8();
                    chars.next();
                }
                let rest = span::of(text, end..);
                let follows = rest.trim_start();
                let wide = matches!(c, '。' | '！' | '？');
                let spaced = wide || rest.len() != follows.len();
                let lower = follows.chars().next().is_some_and(char::is_lowercase);
                if !spaced || lower || (c == '.' && abbreviated(span::of(text, start..at))) {
                    continue;
                }
                end
            }
            '\n' if span::of(text, at + 1..)
                .trim_start_matches([' ', '\t', '\r'])
                .starts_with('\n') =>
            {
                at
            }
            _ => continue,
        };
        push(text, start, end, &mut found);
        start = end;
    }
    push(text, start, text.len(), &mut found);
    found
}

fn push(text: &str, start: usize, end: usize, found: &mut Vec<Range<usize>>) {
    let piece = span::trim(text, start..end);
    if !piece.is_empty() {
        found.push(piece);
    }
}

/// Whether the text before a full stop ends in an abbreviation or a single initial.
fn abbreviated(before: &str) -> bool {
    let word = before
        .rsplit(|c: char| c.is_whitespace() || matches!(c, '(' | '"' | '“' | '['))
        .next()
        .unwrap_or("");
    let mut letters = word.chars();
    let initial = letters.next().is_some_and(char::is_uppercase) && letters.next().is_none();
    // "J.R" before its last full stop: every part is one letter.
    let initials = word.contains('.') && word.split('.').all(|part| part.chars().count() == 1);
    initial || initials || ABBREVIATIONS.contains(&word.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<&str> {
        sentences(text).into_iter().map(|r| &text[r]).collect()
    }

    #[test]
    fn ends_are_full_stops_before_a_capital() {
        assert_eq!(
            split("It rose. Then it fell! Why? \"Fear.\" He left."),
            ["It rose.", "Then it fell!", "Why?", "\"Fear.\"", "He left."]
        );
        assert_eq!(split("one\n\nTwo"), ["one", "Two"]);
        assert!(split("  \n ").is_empty());
    }

    #[test]
    fn abbreviations_initials_and_decimals_do_not_end_one() {
        for whole in [
            "Dr. Smith met C. V. Raman.",
            "It is 3.14 m long.",
            "J. R. R. Tolkien wrote.",
            "Made by Acme Inc. of Ohio.",
            "wait... then go.",
        ] {
            assert_eq!(split(whole), [whole]);
        }
    }
}
