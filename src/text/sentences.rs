//! One sentence splitter for every system.

use super::{Language, span};
use std::ops::Range;

/// English words before whose full stop a sentence does not end.
pub(super) const ABBREVIATIONS: &[&str] = &[
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
    Language::English.sentences(text)
}

impl Language {
    /// As `sentences`, with the abbreviations, ordinal numbers and quotes of the language.
    pub fn sentences(self, text: &str) -> Vec<Range<usize>> {
        cut(self, text)
    }
}

fn cut(language: Language, text: &str) -> Vec<Range<usize>> {
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
                    ) && !closes(language, closing)
                    {
                        break;
                    }
                    end = next + closing.len_utf8();
                    chars.next();
                }
                if language == Language::French {
                    // « Oui. » has a space before its last quote.
                    let rest = span::of(text, end..);
                    let quote = rest.trim_start_matches([' ', '\u{a0}', '\u{202f}']);
                    if quote.starts_with('»') {
                        end += rest.len() - quote.len() + '»'.len_utf8();
                        while chars.next_if(|(next, _)| *next < end).is_some() {}
                    }
                }
                let rest = span::of(text, end..);
                let follows = rest.trim_start();
                let wide = matches!(c, '。' | '！' | '？');
                let spaced = wide || rest.len() != follows.len();
                let lower = follows.chars().next().is_some_and(char::is_lowercase);
                if !spaced
                    || lower
                    || (c == '.' && abbreviated(language, span::of(text, start..at)))
                {
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
fn abbreviated(language: Language, before: &str) -> bool {
    let word = before
        .rsplit(|c: char| c.is_whitespace() || matches!(c, '(' | '"' | '“' | '['))
        .next()
        .unwrap_or("");
    let mut letters = word.chars();
    let initial = letters.next().is_some_and(char::is_uppercase) && letters.next().is_none();
    // "J.R" before its last full stop: every part is one letter.
    let initials = word.contains('.') && word.split('.').all(|part| part.chars().count() == 1);
    // "am 3. Mai": a German number with a full stop is an ordinal one.
    let day = word.len() <= 2 && word.bytes().all(|b| b.is_ascii_digit()) && !word.is_empty();
    let ordinal = language == Language::German && day;
    let known = language.abbreviations();
    initial || initials || ordinal || known.contains(&word.to_lowercase().as_str())
}

/// Whether a character closes a quotation or a bracket in a language, beside those of English.
fn closes(language: Language, c: char) -> bool {
    match language {
        Language::English => false,
        Language::German => matches!(c, '“' | '‘' | '«'),
        Language::Chinese | Language::Japanese | Language::Korean => {
            matches!(c, '」' | '』' | '）' | '】' | '》' | '。' | '！' | '？')
        }
        _ => matches!(c, '“' | '«'),
    }
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

    fn split_as(language: Language, text: &str) -> Vec<&str> {
        let found = language.sentences(text).into_iter();
        found.map(|range| &text[range]).collect()
    }

    #[test]
    fn abbreviations_and_quotes_are_those_of_the_language() {
        for (language, whole) in [
            (Language::German, "Am 3. Mai kam Prof. Weber z. B. Papier."),
            (Language::French, "Mme. Curie et M. Langevin vinrent."),
            (Language::Spanish, "El Sr. Cajal y la Dra. Sanz."),
            (Language::Italian, "Il sig. Volta e il dott. Galvani."),
            (Language::Portuguese, "O Sr. Gama e a Dra. Sá."),
            (Language::Dutch, "Dhr. Huygens kreeg o.a. Lenzen."),
            (Language::Swedish, "Linné såg bl.a. Växter i st. Lund."),
            (
                Language::Russian,
                "А. С. Пушкин жил на ул. Мойка в г. Петербург.",
            ),
        ] {
            assert_eq!(split_as(language, whole), [whole], "{language}");
        }
        assert_eq!(
            split_as(
                Language::German,
                "„Er kam.“ Dann ging er. Es war 1871. Alle ruhten."
            ),
            ["„Er kam.“", "Dann ging er.", "Es war 1871.", "Alle ruhten."]
        );
        assert_eq!(
            split_as(Language::French, "« Oui. » Il partit. Où ? Là."),
            ["« Oui. »", "Il partit.", "Où ?", "Là."]
        );
    }

    #[test]
    fn sentences_of_han_and_kana_need_no_space() {
        assert_eq!(
            split_as(Language::Chinese, "他来了。她走了！为什么？没人知道"),
            ["他来了。", "她走了！", "为什么？", "没人知道"]
        );
        assert_eq!(
            split_as(Language::Japanese, "彼は「行く。」と言った。雨だ。"),
            ["彼は「行く。」", "と言った。", "雨だ。"]
        );
    }

    proptest::proptest! {
        #[test]
        fn sentences_lie_in_the_text_one_after_the_other(text in "[a-zA-ZäП.!?»«“」。\\n 0-9]{0,60}") {
            for language in Language::ALL {
                let found = language.sentences(&text);
                let mut end = 0;
                for range in found {
                    assert!(end <= range.start && range.start < range.end);
                    assert!(text[end..range.start].trim().is_empty());
                    assert_eq!(text[range.clone()].trim(), &text[range.clone()]);
                    end = range.end;
                }
                assert!(text[end..].trim().is_empty());
            }
        }
    }
}
