//! Tokens of the core and windows of them: how a document becomes chunks.
//!
//! A token is a maximal run of letters and digits; characters of scripts without spaces are one token
//! each. What lies between two tokens belongs to the one before, so neighbouring windows leave nothing out.

use super::span;
use std::ops::Range;

/// A window of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Byte range in the text, without surrounding white space.
    pub bytes: Range<usize>,
    /// Token range in the text.
    pub tokens: Range<usize>,
}

/// Byte ranges of the tokens of a text, in order.
pub fn tokens(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::with_capacity(text.len() / 6);
    each_token(text, |token| found.push(token));
    found
}

/// The number of tokens of a text: what every budget of the core counts.
pub fn count(text: &str) -> usize {
    let mut count = 0;
    each_token(text, |_| count += 1);
    count
}

/// Calls `each` with the byte range of every token.
pub fn each_token(text: &str, mut each: impl FnMut(Range<usize>)) {
    let mut start = None;
    for (at, c) in text.char_indices() {
        if c.is_alphanumeric() && !alone(c) {
            start.get_or_insert(at);
            continue;
        }
        // A combining mark belongs to the letter before it.
        if start.is_some() && unicode_normalization::char::is_combining_mark(c) {
            continue;
        }
        if let Some(start) = start.take() {
            each(start..at);
        }
        if alone(c) {
            each(at..at + c.len_utf8());
        }
    }
    if let Some(start) = start {
        each(start..text.len());
    }
}

/// Han, Hiragana, Katakana: scripts that put no space between words.
pub fn alone(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}')
        && c.is_alphanumeric()
}

/// Windows of `size` tokens that begin at multiples of `size - overlap` (E2GraphRAG, KET-RAG: 1200 and 100).
///
/// The last may be short; one that would lie wholly inside the one before is left out. An overlap of `size` or more
/// counts as `size - 1`. A text without tokens has no chunk.
pub fn windows(text: &str, size: usize, overlap: usize) -> Vec<Chunk> {
    let tokens = tokens(text);
    let size = size.max(1);
    let stride = size - overlap.min(size - 1);
    let mut found = Vec::new();
    let mut start = 0;
    while start < tokens.len() {
        let end = (start + size).min(tokens.len());
        found.push(chunk(text, &tokens, start..end));
        if end == tokens.len() {
            break;
        }
        start += stride;
    }
    found
}

/// Chunks of at most `size` tokens without overlap, each cut back to the last of: blank line, line break, end of a
/// sentence, semicolon, tried in that order (NodeRAG, 1048 tokens). Where a window has none of them it stays whole.
pub fn cut_back(text: &str, size: usize) -> Vec<Chunk> {
    let tokens = tokens(text);
    let size = size.max(1);
    let mut found = Vec::new();
    let mut start = 0;
    while start < tokens.len() {
        let mut end = (start + size).min(tokens.len());
        if end < tokens.len() {
            // What may be cut: up to the next token, so that a mark after the last token still counts.
            let from = tokens[start].end;
            let window = span::of(text, from..tokens[end].start);
            if let Some(border) = border(window) {
                end =
                    start + tokens[start..end].partition_point(|token| token.end <= from + border);
            }
        }
        found.push(chunk(text, &tokens, start..end));
        start = end;
    }
    found
}

/// Where the last border of the strongest kind begins. It is at least one token in, since the window starts after one.
fn border(window: &str) -> Option<usize> {
    let blank = window
        .match_indices('\n')
        .filter(|(at, _)| {
            span::of(window, at + 1..)
                .trim_start_matches([' ', '\t', '\r'])
                .starts_with('\n')
        })
        .map(|(at, _)| at)
        .next_back();
    let sentence = || {
        window
            .char_indices()
            .filter(|&(at, c)| {
                let rest = span::of(window, at + c.len_utf8()..);
                matches!(c, '。' | '！' | '？')
                    || matches!(c, '.' | '!' | '?')
                        && rest
                            .trim_start_matches(['"', '\'', '”', '’', ')', ']'])
                            .chars()
                            .next()
                            .is_none_or(char::is_whitespace)
            })
            .map(|(at, _)| at)
            .next_back()
    };
    blank
        .or_else(|| window.rfind('\n'))
        .or_else(sentence)
        .or_else(|| window.rfind(';'))
}

/// The chunk of a run of tokens: the first window takes what stands before it, each takes what follows its last token.
fn chunk(text: &str, tokens: &[Range<usize>], run: Range<usize>) -> Chunk {
    let start = if run.start == 0 {
        0
    } else {
        tokens[run.start].start
    };
    let end = tokens.get(run.end).map_or(text.len(), |next| next.start);
    Chunk {
        bytes: span::trim(text, start..end),
        tokens: run,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cut<'t>(text: &'t str, chunks: &[Chunk]) -> Vec<&'t str> {
        chunks.iter().map(|c| &text[c.bytes.clone()]).collect()
    }

    #[test]
    fn tokens_are_runs_of_letters_and_digits() {
        let text = "Südhof's 2nd naïve—№7 国家 cafe\u{301}s";
        let found: Vec<&str> = tokens(text).into_iter().map(|r| &text[r]).collect();
        assert_eq!(
            found,
            [
                "Südhof",
                "s",
                "2nd",
                "naïve",
                "7",
                "国",
                "家",
                "cafe\u{301}s"
            ]
        );
        assert_eq!(count(text), 8);
        assert_eq!(count(" ,. "), 0);
    }

    #[test]
    fn windows_start_at_multiples_of_the_stride() {
        let text = "a b c d e f g h.";
        assert_eq!(
            cut(text, &windows(text, 4, 1)),
            ["a b c d", "d e f g", "g h."]
        );
        // A third window would be "g" alone, inside the second: left out.
        let text = "a b c d e f g";
        assert_eq!(cut(text, &windows(text, 4, 1)), ["a b c d", "d e f g"]);
        assert_eq!(cut("a, b", &windows("a, b", 10, 3)), ["a, b"]);
        assert!(windows("?!", 3, 1).is_empty());
        // A useless overlap still ends.
        assert_eq!(windows("a b c", 1, 9).len(), 3);
    }

    #[test]
    fn a_window_is_cut_back_to_its_strongest_border() {
        let of = |text: &'static str| cut(text, &cut_back(text, 4));
        assert_eq!(of("a b. c\n\nd e f"), ["a b. c", "d e f"]);
        assert_eq!(of("a b. c\nd e f"), ["a b. c", "d e f"]);
        assert_eq!(of("a b. c; d e f"), ["a b.", "c; d e f"]);
        assert_eq!(of("a b; c d e f"), ["a b;", "c d e f"]);
        assert_eq!(of("a b c d e f"), ["a b c d", "e f"]);
        // A full stop inside a number is no border; one after the last token is.
        assert_eq!(of("a 3.5 c d"), ["a 3.5 c", "d"]);
        assert_eq!(of("a b c d. e"), ["a b c d.", "e"]);
    }

    proptest! {
        #[test]
        fn windows_cover_every_token_once_without_overlap(text in "[a-zé.;\n ]{0,200}", size in 1usize..9, overlap in 0usize..9) {
            let all = tokens(&text).len();
            for chunks in [windows(&text, size, 0), cut_back(&text, size)] {
                let mut next = 0;
                for chunk in &chunks {
                    prop_assert_eq!(chunk.tokens.start, next);
                    prop_assert!(!chunk.tokens.is_empty() && chunk.tokens.len() <= size);
                    prop_assert_eq!(count(&text[chunk.bytes.clone()]), chunk.tokens.len());
                    next = chunk.tokens.end;
                }
                prop_assert_eq!(next, all);
            }
            let chunks = windows(&text, size, overlap);
            prop_assert!(chunks.windows(2).all(|w| w[1].tokens.end > w[0].tokens.end && w[1].tokens.start <= w[0].tokens.end));
            prop_assert_eq!(chunks.last().map_or(0, |c| c.tokens.end), all);
        }
    }
}
