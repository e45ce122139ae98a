//! The subject of every sentence, carried over from the one before where it is only a pronoun.

use super::pos::{Pos, Token, tag};
use super::span;
use std::ops::Range;

/// What a sentence is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// The name or noun phrase.
    pub name: String,
    /// Byte range in the text of the words that name it, or that stand for it.
    pub span: Range<usize>,
    /// The name was carried over from the sentence before, or from the title: an inferred mention.
    pub inferred: bool,
}

/// The subject of each sentence of a text; `None` where no noun phrase opens it.
///
/// A sentence that opens with a pronoun, or with "the" and a common noun, takes the subject of the sentence before,
/// the first one takes the title. With `carry` off such a sentence keeps its own words as its subject.
pub fn subjects(
    text: &str,
    sentences: &[Range<usize>],
    title: &str,
    carry: bool,
) -> Vec<Option<Subject>> {
    let mut found: Vec<Option<Subject>> = Vec::with_capacity(sentences.len());
    let mut before = title.trim().to_owned();
    for sentence in sentences {
        let words = span::of(text, sentence.clone());
        let subject = opening(words, &tag(words)).map(|opening| {
            let span = span::shift(&opening.span, sentence.start);
            let inferred = carry && opening.stands_in && !before.is_empty();
            let name = if inferred {
                before.clone()
            } else {
                span::of(text, span.clone()).to_owned()
            };
            Subject {
                name,
                span,
                inferred,
            }
        });
        if let Some(subject) = &subject {
            before.clone_from(&subject.name);
        }
        found.push(subject);
    }
    found
}

struct Opening {
    span: Range<usize>,
    /// A pronoun (also a possessive one), or "the" and a common noun.
    stands_in: bool,
}

/// The noun phrase that opens a sentence, behind an introduction that ends with a comma.
fn opening(sentence: &str, tokens: &[Token]) -> Option<Opening> {
    let mut at = 0;
    while tokens
        .get(at)
        .is_some_and(|t| matches!(t.pos, Pos::Mark | Pos::Adverb | Pos::Conjunction))
    {
        at += 1;
    }
    // "In 1911, the keeper ...", "After the war, ...": the subject follows the comma.
    if tokens
        .get(at)
        .is_some_and(|t| matches!(t.pos, Pos::Preposition | Pos::Gerund | Pos::Participle))
        && let Some(comma) = tokens
            .iter()
            .take(at + 15)
            .position(|t| span::of(sentence, t.span.clone()) == ",")
    {
        at = comma + 1;
    }
    let first = tokens.get(at)?;
    let lower = span::of(sentence, first.span.clone()).to_lowercase();
    if first.pos == Pos::Pronoun {
        let personal = matches!(
            lower.as_str(),
            "he" | "she"
                | "it"
                | "they"
                | "this"
                | "these"
                | "that"
                | "those"
                | "him"
                | "her"
                | "them"
                | "one"
        );
        return Some(Opening {
            span: first.span.clone(),
            stands_in: personal,
        });
    }
    // "Her brother stayed" still speaks of her.
    if first.pos == Pos::Possessive && lower != "whose" {
        let third = matches!(lower.as_str(), "his" | "her" | "its" | "their");
        return third.then(|| Opening {
            span: first.span.clone(),
            stands_in: true,
        });
    }
    let start = at;
    let mut end = at;
    let mut head = None;
    while let Some(token) = tokens.get(end) {
        match token.pos {
            Pos::Noun | Pos::Proper => head = Some(token.pos),
            Pos::Determiner | Pos::Possessive | Pos::Adjective | Pos::Number if end < start + 8 => {
            }
            _ => break,
        }
        end += 1;
    }
    let head = head?;
    while !tokens[end - 1].pos.nominal() {
        end -= 1;
    }
    let names = tokens[start..end].iter().any(|t| t.pos == Pos::Proper);
    let demonstrative = matches!(lower.as_str(), "the" | "this" | "that" | "these" | "those");
    let skip = usize::from(names && tokens[start].pos == Pos::Determiner);
    Some(Opening {
        span: tokens[start + skip].span.start..tokens[end - 1].span.end,
        stands_in: demonstrative && head == Pos::Noun && !names,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::sentences::sentences;

    fn of(text: &str, title: &str, carry: bool) -> Vec<(String, bool)> {
        subjects(text, &sentences(text), title, carry)
            .into_iter()
            .map(|s| s.map_or((String::new(), false), |s| (s.name, s.inferred)))
            .collect()
    }

    fn pairs(list: &[(&str, bool)]) -> Vec<(String, bool)> {
        list.iter()
            .map(|&(name, inferred)| (name.to_owned(), inferred))
            .collect()
    }

    #[test]
    fn pronouns_and_plain_nouns_inherit() {
        let text = "The lighthouse was built in 1820. Mara Voss painted it. She lived in Hull. The painter died there. Tidewater Press sold it.";
        assert_eq!(
            of(text, "Gull Rock", true),
            pairs(&[
                ("Gull Rock", true),
                ("Mara Voss", false),
                ("Mara Voss", true),
                ("Mara Voss", true),
                ("Tidewater Press", false)
            ])
        );
        assert_eq!(
            of(text, "Gull Rock", false),
            pairs(&[
                ("The lighthouse", false),
                ("Mara Voss", false),
                ("She", false),
                ("The painter", false),
                ("Tidewater Press", false)
            ])
        );
    }

    #[test]
    fn an_introduction_is_skipped_and_a_possessive_pronoun_is_a_pronoun() {
        assert_eq!(
            of(
                "Mara Voss was a painter. In 1911, she moved to Hull. Her brother stayed.",
                "",
                true
            ),
            pairs(&[
                ("Mara Voss", false),
                ("Mara Voss", true),
                ("Mara Voss", true)
            ])
        );
        // Without a title the first sentence has nothing to inherit.
        assert_eq!(of("It rains.", "", true), pairs(&[("It", false)]));
        assert_eq!(of("Why? No.", "T", true).len(), 2);
    }

    #[test]
    fn spans_point_into_the_text() {
        let text = "Mara Voss sang. Later she wept.";
        let found = subjects(text, &sentences(text), "", true);
        let span = found[1].as_ref().map(|s| s.span.clone());
        assert_eq!(span.map(|s| &text[s]), Some("she"));
    }
}
