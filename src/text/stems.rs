//! Words of a question and of a schema, compared by stem.

use crate::text::names::is_function_word;
use crate::text::span;
use crate::text::words::is_word;
use crate::text::{Language, Tokens};
use std::ops::Range;

/// A word of a question.
#[derive(Clone, Debug, PartialEq)]
pub struct Word {
    /// Byte range in the question.
    pub span: Range<usize>,
    /// Lower case.
    pub text: String,
    pub stem: String,
}

/// The words of a text in order.
pub fn words(text: &str) -> Vec<Word> {
    let mut found = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        match (is_word(c) && c != '_', start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                let lower = span::of(text, from..at).to_lowercase();
                found.push(Word {
                    span: from..at,
                    stem: stem(&lower),
                    text: lower,
                });
                start = None;
            }
            _ => {}
        }
    }
    found
}

/// The English stem; a stop word stands for itself.
pub fn stem(word: &str) -> String {
    Tokens::Stem
        .list(Language::English, word)
        .pop()
        .unwrap_or_else(|| word.to_owned())
}

/// The lower-cased words of a text.
pub fn phrase(text: &str) -> Vec<String> {
    words(text).into_iter().map(|w| w.text).collect()
}

/// A name of a schema as words: `HAS_BRAND`, `FieldOfStudy` and `gene/protein` as `has brand`, `field of study`, `gene protein`.
pub fn spaced(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    let mut before = ' ';
    for c in name.chars() {
        if c.is_uppercase() && before.is_lowercase() {
            out.push(' ');
        }
        out.push(c);
        before = c;
    }
    phrase(&out).join(" ")
}

/// The normal form that names are compared in: lower-cased words with one space between.
pub fn form(words: &[Word]) -> String {
    let texts: Vec<&str> = words.iter().map(|w| w.text.as_str()).collect();
    texts.join(" ")
}

/// The singular of a noun by its ending.
pub fn singular(word: &str) -> String {
    let ends = |stem: &str, endings: &[&str]| endings.iter().any(|e| stem.ends_with(e));
    if let Some(stem) = word.strip_suffix("ies").filter(|stem| stem.len() > 1) {
        return format!("{stem}y");
    }
    let es = word.strip_suffix("es");
    let es = es.filter(|stem| ends(stem, &["ss", "ch", "sh", "x"]));
    let s = || {
        word.strip_suffix('s')
            .filter(|stem| !ends(stem, &["s", "u", "i"]))
    };
    es.or_else(s).unwrap_or(word).to_owned()
}

/// Whether a word says something: no function word, no single letter.
pub fn says(word: &Word) -> bool {
    word.text.chars().count() > 1 && !is_function_word(&word.text)
}

/// Every place where a phrase stands in the question, words compared by stem.
pub fn places(question: &[Word], phrase: &[String]) -> Vec<Range<usize>> {
    if phrase.is_empty() || phrase.len() > question.len() {
        return Vec::new();
    }
    (0..=question.len() - phrase.len())
        .filter(|i| {
            question[*i..]
                .iter()
                .zip(phrase)
                .all(|(word, stem)| word.stem == *stem)
        })
        .map(|i| i..i + phrase.len())
        .collect()
}

/// Words strictly between two places; 0 where they touch or overlap.
pub fn gap(a: &Range<usize>, b: &Range<usize>) -> usize {
    if a.end <= b.start {
        b.start - a.end
    } else {
        a.start.saturating_sub(b.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_phrases() {
        let found = words("Who discovered Müller's X-rays?");
        let texts: Vec<&str> = found.iter().map(|w| w.text.as_str()).collect();
        assert_eq!(texts, ["who", "discovered", "müller", "s", "x", "rays"]);
        assert_eq!(
            (&*found[1].stem, &*found[5].stem, found[2].span.clone()),
            ("discov", "ray", 15..22)
        );
        assert_eq!(form(&found[4..]), "x rays");
        assert_eq!(spaced("HAS_BRAND"), "has brand");
        assert_eq!(spaced("FieldOfStudy"), "field of study");
        assert_eq!(spaced("gene/protein"), "gene protein");
    }

    #[test]
    fn endings_of_the_plural() {
        for (plural, one) in [
            ("bodies", "body"),
            ("ties", "tie"),
            ("classes", "class"),
            ("churches", "church"),
            ("boxes", "box"),
            ("physicists", "physicist"),
            ("gas", "ga"),
            ("radius", "radius"),
            ("glass", "glass"),
            ("analysis", "analysis"),
        ] {
            assert_eq!(singular(plural), one);
        }
    }

    #[test]
    fn phrases_are_found_by_stem_and_gaps_counted() {
        let question = words("scientists taught by the teacher who teaches");
        let at = |phrase: &[&str]| {
            let stems: Vec<String> = phrase.iter().map(|w| stem(w)).collect();
            let found = places(&question, &stems).into_iter();
            found.map(|p| (p.start, p.end)).collect::<Vec<_>>()
        };
        assert_eq!(at(&["taught", "by"]), [(1, 3)]);
        assert_eq!(at(&["teacher"]), [(4, 5)]);
        assert_eq!(at(&[]), []);
        assert_eq!(
            (
                gap(&(0..2), &(3..4)),
                gap(&(3..4), &(0..2)),
                gap(&(0..2), &(1..3)),
                gap(&(0..2), &(2..3))
            ),
            (1, 1, 0, 0)
        );
    }
}
