//! What E2GraphRAG takes from a sentence: names of persons word by word, other names whole, nouns as lemmas (2.1).

use crate::text::lexicon::{ADJECTIVE, classes};
use crate::text::names::is_function_word;
use crate::text::persons::{Named, honorific, kinds, names_by};
use crate::text::pos::tag;
use crate::text::sentences::sentences;
use crate::text::span;
use crate::text::{dates, lemma::lemma};
use rustc_hash::FxHashSet;
use std::ops::Range;

/// One extracted item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The entity: case kept in names, lower case in nouns.
    pub name: String,
    /// Byte range in the text.
    pub span: Range<usize>,
}

/// A sentence with its items in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    pub span: Range<usize>,
    pub items: Vec<Item>,
}

/// The names of a text with the guess which are persons. `known` says of a word that opens a sentence whether it is a
/// name; names of several words in `persons` are persons whatever this text says: somewhere else it was seen.
pub fn names(
    text: &str,
    title: &str,
    known: impl Fn(&str) -> bool,
    persons: &FxHashSet<String>,
) -> Vec<(Range<usize>, bool)> {
    kinds(text, title, &names_by(text, known))
        .into_iter()
        .map(|Named { span, person }| {
            let person = person.is_some() || persons.contains(span::of(text, span.clone()));
            (span, person)
        })
        .collect()
}

/// The sentences of a text with their items, in the source's order of rules:
///
/// 1. each word of a person's name is an entity, honorifics and single initials left out;
/// 2. any other name is one entity as it stands. Single adjectives of nations and faiths and dates are skipped with
///    their tokens, as the source skips names of other kinds;
/// 3. of what remains, nouns and names are entities by their lemma in lower case.
pub fn extract(text: &str, names: &[(Range<usize>, bool)]) -> Vec<Sentence> {
    let dates = dates::dates(text);
    let mut taken: Vec<(Range<usize>, Vec<Item>)> = names
        .iter()
        .map(|(span, person)| (span.clone(), named(text, span, *person)))
        .collect();
    taken.extend(dates.into_iter().map(|span| (span, Vec::new())));
    taken.sort_by_key(|(span, _)| (span.start, span.end));
    let mut next = 0;
    let mut found = Vec::new();
    for span in sentences(text) {
        let mut items = Vec::new();
        for token in tag(span::of(text, span.clone())) {
            let token_span = span::shift(&token.span, span.start);
            while taken
                .get(next)
                .is_some_and(|(span, _)| span.end <= token_span.start)
            {
                items.append(&mut taken[next].1);
                next += 1;
            }
            // A name begins here, or goes on.
            if let Some((inside, own)) = taken
                .get_mut(next)
                .filter(|(span, _)| span.start < token_span.end)
            {
                items.append(own);
                if inside.end <= token_span.end {
                    next += 1;
                }
                continue;
            }
            let word = span::of(text, token_span.clone());
            if token.pos.nominal()
                && !is_function_word(&word.to_lowercase())
                && word.chars().filter(|c| c.is_alphabetic()).count() > 1
            {
                items.push(Item {
                    name: lemma(&word.to_lowercase()).into_owned(),
                    span: token_span,
                });
            }
        }
        found.push(Sentence { span, items });
    }
    found
}

/// The entities of one name.
fn named(text: &str, span: &Range<usize>, person: bool) -> Vec<Item> {
    let surface = span::of(text, span.clone());
    if person {
        return words(surface)
            .map(|word| Item {
                name: word.to_owned(),
                span: span::part(text, word),
            })
            .collect();
    }
    let adjective =
        !surface.contains(char::is_whitespace) && classes(&surface.to_lowercase()) == ADJECTIVE;
    if adjective {
        return Vec::new();
    }
    vec![Item {
        name: surface.to_owned(),
        span: span.clone(),
    }]
}

/// The words of a person's name: no honorific that leads, no initials.
pub fn words(surface: &str) -> impl Iterator<Item = &str> {
    let mut led = true;
    let pieces = surface.split_inclusive(char::is_whitespace);
    pieces.filter_map(move |piece| {
        let word = piece.trim_matches(|c: char| !c.is_alphanumeric());
        let many = word.chars().filter(|c| c.is_alphanumeric()).count() > 1 && !word.contains('.');
        led &= honorific(&word.to_lowercase());
        (many && !led).then_some(word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<Vec<String>> {
        let names = names(text, "", |_| false, &FxHashSet::default());
        extract(text, &names)
            .into_iter()
            .map(|s| s.items.into_iter().map(|i| i.name).collect())
            .collect()
    }

    #[test]
    fn persons_fall_apart_and_other_names_stay_whole() {
        assert_eq!(
            of(
                "The old keeper met Dr. Mara J. Voss in New York. They wrote letters to the British Museum in May 1921."
            ),
            [
                vec!["keeper", "Mara", "Voss", "New York"],
                vec!["letter", "British Museum"]
            ]
        );
    }

    #[test]
    fn a_noun_keeps_its_lemma_and_adjectives_of_nations_are_skipped() {
        assert_eq!(
            of("Two British boats carried herrings and cities."),
            [["boat", "herring", "city"]]
        );
        // The same word as a name and as a noun makes two entities.
        assert_eq!(
            of("So Mara Holmes sold holmes"),
            [["Mara", "Holmes", "holme"]]
        );
        assert!(of("").is_empty());
    }

    #[test]
    fn what_another_text_knows_of_a_name_holds() {
        let text = "They met Belor Datska.";
        let persons: FxHashSet<String> = ["Belor Datska".to_owned()].into_iter().collect();
        assert_eq!(names(text, "", |_| false, &persons), [(9..21, true)]);
        assert_eq!(
            names(text, "", |_| false, &FxHashSet::default()),
            [(9..21, false)]
        );
    }

    #[test]
    fn spans_point_at_the_words() {
        let text = "So Sir Mara Voss sang.";
        let names = names(text, "", |_| false, &FxHashSet::default());
        for item in &extract(text, &names)[0].items {
            assert_eq!(
                text[item.span.clone()].to_lowercase(),
                item.name.to_lowercase()
            );
        }
    }
}
