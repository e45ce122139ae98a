//! How text is cut into the words that BM25 counts.

use super::{Language, span};
use rustc_hash::FxHashSet;
use std::sync::LazyLock;

pub use crate::parameters::Tokens;

/// The 33 stop words of Lucene's English analyser.
pub static STOP_WORDS: LazyLock<FxHashSet<&'static str>> = LazyLock::new(|| {
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these \
     they this to was will with"
        .split_whitespace()
        .collect()
});

/// Longer words than this are cut: no text has them, and the lexical index refuses them.
pub(super) const LONGEST: usize = 1000;

impl Tokens {
    /// Calls `each` for every word of a text in this language, in order. English is cut as the reference runs cut it; the
    /// plain words of other languages are of all scripts, and their stems leave out the function words of the language.
    pub fn each(self, language: Language, text: &str, mut each: impl FnMut(&str)) {
        if !language.is_english() {
            return language.words(text, |word, pair| match self {
                Tokens::Stem if !pair => {
                    if !language.is_function_word(word) {
                        each(&language.stem(word));
                    }
                }
                _ => each(word),
            });
        }
        let lower = text.to_lowercase();
        match self {
            Tokens::Plain => {
                for word in lower.as_bytes().split(|b| !b.is_ascii_alphanumeric()) {
                    if !word.is_empty() {
                        // A run of ASCII letters and digits is UTF-8.
                        each(
                            std::str::from_utf8(&word[..word.len().min(LONGEST)])
                                .unwrap_or_default(),
                        );
                    }
                }
            }
            Tokens::Stem => {
                let stemmer = english();
                for word in lower.split(|c: char| !is_word(c)) {
                    if word.is_empty() || STOP_WORDS.contains(word) {
                        continue;
                    }
                    let end = word
                        .char_indices()
                        .nth(LONGEST / 4)
                        .map_or(word.len(), |(at, _)| at);
                    each(&stemmer.stem(span::of(word, ..end)));
                }
            }
        }
    }

    /// The words as a list.
    pub fn list(self, language: Language, text: &str) -> Vec<String> {
        let mut words = Vec::new();
        self.each(language, text, |w| words.push(w.to_owned()));
        words
    }
}

/// What `\w` means to the reference: letters, digits and `_`, but not combining marks.
pub fn is_word(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || c == '_';
    }
    c.is_alphanumeric() && !unicode_normalization::char::is_combining_mark(c)
}

fn english() -> frostem::Stemmer {
    frostem::Stemmer::new(frostem::Algorithm::English)
}

/// "1 chunk", "3 chunks", "2 entities".
pub fn plural(number: impl std::fmt::Display, one: &str) -> String {
    let number = number.to_string();
    match (number.as_str(), one.strip_suffix('y')) {
        ("1", _) => format!("1 {one}"),
        (_, Some(stem)) => format!("{number} {stem}ies"),
        (_, None) => format!("{number} {one}s"),
    }
}

/// A count with thousands separated: `12,345`.
pub fn count(value: usize) -> String {
    let digits = value.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Text for XML; characters XML cannot hold are replaced.
pub fn escape_xml(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\t' | '\n' => safe.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_words_are_ascii_runs_of_the_lower_cased_text() {
        assert_eq!(
            Tokens::Plain.list(Language::English, "Südhof's 2nd OPUS—№7, İzmir"),
            ["s", "dhof", "s", "2nd", "opus", "7", "i", "zmir"]
        );
        assert!(Tokens::Plain.list(Language::English, " ,;").is_empty());
    }

    #[test]
    fn stems_drop_stop_words_and_keep_letters_of_all_scripts() {
        assert_eq!(
            Tokens::Stem.list(Language::English, "The running of the Südhof_x mice"),
            ["run", "südhof_x", "mice"]
        );
    }
}
