//! Names of a text with a guess whether each is a person (stand-in L1).

use super::lexicon::classes;
use super::person_words::{FIRST_NAMES, HONORIFICS, NO_PERSON, OF_HEADS};
use super::{Language, span};
use crate::text::mentions::{Mention, Ner, Norm};
use crate::text::names::without_parenthesis;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// Why a name is taken for a person's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Person {
    /// It begins with, or follows, an honorific.
    Honorific,
    /// Its first word is a listed first name.
    FirstName,
    /// It is the title, or a part of it, and the text says the title was born or gives its years.
    Title,
    /// A part of it recurs alone later.
    Recurs,
    /// It is a part of a person's full name in the same text.
    Part,
}

/// A name and what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Byte range in the text.
    pub span: Range<usize>,
    /// `None`: an organisation, a place, a work, anything else.
    pub person: Option<Person>,
}

/// Whether a word in lower case leads persons' names: "dr", "queen".
pub fn honorific(word: &str) -> bool {
    HONORIFICS.contains(&word)
}

/// The names of a text by the wider rules (1.2). A single capitalised word that opens a sentence counts only where
/// `known` (normal forms of words capitalised inside sentences of the index, [`known`]) has it; without `known` the
/// text itself decides, together with the title.
pub fn names(text: &str, title: &str, known: Option<&FxHashSet<String>>) -> Vec<Range<usize>> {
    if let Some(known) = known {
        return names_by(text, |surface| known.contains(&Norm::Simple.apply(surface)));
    }
    let mentions = Ner::RegexPlus.mentions(Language::English, text);
    let mut known = FxHashSet::default();
    learn(text, &mentions, &mut known);
    // Words of longer names, and of the title.
    let longer = mentions
        .iter()
        .map(|m| span::of(text, m.span.clone()))
        .filter(|name| name.contains(' '));
    for word in longer
        .chain([title])
        .flat_map(|name| name.split(|c: char| !c.is_alphanumeric()))
    {
        known.insert(Norm::Simple.apply(word));
    }
    names_by(text, |surface| known.contains(&Norm::Simple.apply(surface)))
}

/// The names of a text; `known` says of a single word that opens a sentence whether it is a name.
pub fn names_by(text: &str, known: impl Fn(&str) -> bool) -> Vec<Range<usize>> {
    let mentions = Ner::RegexPlus.mentions(Language::English, text).into_iter();
    let kept = mentions.filter(|m| !m.opener || known(span::of(text, m.span.clone())));
    repaired(text, kept.map(|m| m.span).collect())
}

/// Joins what the general rules cut off: "New" and ordinals before a name, "I" after one, "of" after an institution's
/// head, "D.C." behind its comma. Names that are only a month, with or without a day or year, are dates and fall.
fn repaired(text: &str, spans: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::with_capacity(spans.len());
    for mut span in spans {
        let before = span::of(text, ..span.start);
        for lead in ["New ", "First ", "Second ", "Third ", "Great "] {
            let Some(rest) = before.strip_suffix(lead) else {
                continue;
            };
            // An ordinal that opens a sentence has its capital from there.
            let inside = rest
                .trim_end()
                .ends_with(|c: char| c.is_alphanumeric() || matches!(c, ',' | '('));
            if !rest.ends_with(char::is_alphanumeric) && (inside || lead == "New ") {
                span.start = rest.len();
            }
        }
        let after = span::of(text, span.end..).strip_prefix(" I");
        if let Some(after) = after
            && !after.starts_with(|c: char| c.is_alphanumeric() || c == '\'' || c == '’')
            && !["am ", "have ", "had ", "do ", "will "]
                .iter()
                .any(|verb| after.trim_start().starts_with(verb))
        {
            span.end = text.len() - after.len();
        }
        if let Some(last) = found.last_mut() {
            let between = span::of(text, last.end.min(span.start)..span.start);
            let head = span::of(text, last.clone())
                .rsplit(' ')
                .next()
                .unwrap_or("")
                .to_lowercase();
            let institution =
                matches!(between, " of " | " of the ") && OF_HEADS.contains(&head.as_str());
            if institution
                || between == ", " && span::of(text, span.clone()).starts_with("D.C")
                || last.end > span.start
            {
                last.end = last.end.max(span.end);
                continue;
            }
        }
        found.push(span);
    }
    found.retain(|span| !date(span::of(text, span.clone())));
    found
}

/// A month, alone or with numbers.
fn date(name: &str) -> bool {
    let mut words = name.split_whitespace();
    words
        .next()
        .is_some_and(|word| super::dates::MONTHS.contains(&word))
        && words.all(|word| word.bytes().all(|b| b.is_ascii_digit()))
}

/// The words that stand capitalised inside sentences of the texts: what tells a name from a sentence's capital.
pub fn known<'t>(texts: impl IntoIterator<Item = &'t str>) -> FxHashSet<String> {
    let mut set = FxHashSet::default();
    for text in texts {
        learn(
            text,
            &Ner::RegexPlus.mentions(Language::English, text),
            &mut set,
        );
    }
    set
}

fn learn(text: &str, mentions: &[Mention], set: &mut FxHashSet<String>) {
    crate::text::mentions::known_capitals(text, mentions, set);
}

/// A guess for every name of a text, in its order. The title is the passage's, or empty.
///
/// A name of one to four words without a word that only places, works and organisations have is a person's if an
/// honorific leads it, its first word is a listed first name, the title's own text says so, or (two or three words)
/// one of its parts recurs alone later. A single word is one only as a part of such a name, after an honorific, or
/// where it is a first name that no longer name of the text contains otherwise.
pub fn kinds(text: &str, title: &str, names: &[Range<usize>]) -> Vec<Named> {
    let words: Vec<Vec<String>> = names
        .iter()
        .map(|span| parts(span::of(text, span.clone())))
        .collect();
    let bare = without_parenthesis(title);
    let subject = if born(text) { parts(bare) } else { Vec::new() };
    // Words that are a name alone, and where each is so last.
    let mut singles: FxHashMap<&str, usize> = FxHashMap::default();
    for (word, span) in words.iter().zip(names) {
        if let [word] = word.as_slice() {
            let last = singles.entry(word).or_default();
            *last = span.start.max(*last);
        }
    }
    let mut found: Vec<Named> = Vec::with_capacity(names.len());
    for (span, parts) in names.iter().zip(&words) {
        let person = if possible(span::of(text, span.clone()), parts) {
            guess(text, span, parts, &subject, &singles)
        } else {
            None
        };
        found.push(Named {
            span: span.clone(),
            person,
        });
    }
    // Parts of full names: "Voss" after "Mara Voss". Words of other names ("Hull City", "Hull") stay what they are.
    let of = |person: bool| -> FxHashSet<&str> {
        found
            .iter()
            .zip(&words)
            .filter(|(named, w)| w.len() > 1 && named.person.is_some() == person)
            .flat_map(|(_, w)| w.iter().map(String::as_str))
            .collect()
    };
    let (persons, others) = (of(true), of(false));
    for (named, parts) in found.iter_mut().zip(&words) {
        if let [word] = parts.as_slice() {
            let part = persons.contains(word.as_str());
            named.person = match named.person {
                Some(Person::Honorific | Person::Title) => named.person,
                _ if part && possible(span::of(text, named.span.clone()), parts) => {
                    Some(Person::Part)
                }
                Some(reason) if !others.contains(word.as_str()) => Some(reason),
                _ => None,
            };
        }
    }
    found
}

/// Names and guesses at once.
pub fn named(text: &str, title: &str, known: Option<&FxHashSet<String>>) -> Vec<Named> {
    kinds(text, title, &names(text, title, known))
}

/// The words of a name in lower case, without its honorifics, initials kept.
pub fn parts(name: &str) -> Vec<String> {
    name.split(|c: char| c.is_whitespace() || c == ',')
        .map(|word| {
            word.trim_matches(|c: char| !c.is_alphanumeric())
                .to_lowercase()
        })
        .filter(|word| !word.is_empty())
        .collect()
}

/// Whether the shape of a name allows a person.
fn possible(name: &str, parts: &[String]) -> bool {
    (1..=4).contains(&parts.len())
        && !parts.iter().any(|word| NO_PERSON.contains(word.as_str()) || word.contains('&') || word.starts_with(|c: char| c.is_ascii_digit()))
        && !parts.iter().any(|word| matches!(word.as_str(), "of" | "the" | "and" | "et"))
        // An acronym is no person.
        && name.chars().any(char::is_lowercase)
}

fn guess(
    text: &str,
    span: &Range<usize>,
    parts: &[String],
    subject: &[String],
    singles: &FxHashMap<&str, usize>,
) -> Option<Person> {
    let before = span::of(text, ..span.start).trim_end_matches([' ', '.']);
    let before = before
        .rsplit(|c: char| !c.is_alphanumeric())
        .next()
        .unwrap_or("");
    let titled = before.starts_with(char::is_uppercase) && honorific(&before.to_lowercase());
    if titled || parts.len() > 1 && honorific(&parts[0]) {
        return Some(Person::Honorific);
    }
    if !subject.is_empty()
        && (parts == subject
            || parts.len() == 1 && subject.len() > 1 && subject.last() == parts.last())
    {
        return Some(Person::Title);
    }
    let initial = |word: &str| word.split('.').all(|letter| letter.chars().count() <= 1);
    if FIRST_NAMES.contains(parts[0].as_str()) || parts.len() > 1 && initial(&parts[0]) {
        // "Virginia" alone, "Chelsea": what follows decides nothing, so a lone first name stays a weak guess.
        return Some(Person::FirstName);
    }
    let recurs = |word: &String| {
        word.chars().count() > 2
            && classes(word) == 0
            && singles
                .get(word.as_str())
                .is_some_and(|&last| last > span.start)
    };
    ((2..=3).contains(&parts.len()) && parts.iter().any(recurs)).then_some(Person::Recurs)
}

/// Whether the beginning of a text says that its title was born: "(born", or years of a life in brackets.
pub(super) fn born(text: &str) -> bool {
    let end = text
        .char_indices()
        .nth(300)
        .map_or(text.len(), |(at, _)| at);
    let start = span::of(text, ..end);
    let Some((_, inside)) = start.split_once('(') else {
        return start.contains(" was born ") || start.contains(" is a retired ");
    };
    let inside = inside.split(')').next().unwrap_or("");
    let year = |part: &str| {
        part.split(|c: char| !c.is_alphanumeric())
            .any(|w| w.len() == 4 && w.bytes().all(|b| b.is_ascii_digit()))
    };
    let life = inside
        .split_once(['–', '—', '-'])
        .is_some_and(|(from, to)| year(from) && year(to));
    inside.contains("born ")
        || inside.contains("née")
        || life && !inside.contains("AD")
        || start.contains(" was born ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, title: &str) -> Vec<(String, Option<Person>)> {
        named(text, title, None)
            .into_iter()
            .map(|n| (text[n.span].to_owned(), n.person))
            .collect()
    }

    fn list(cases: &[(&str, Option<Person>)]) -> Vec<(String, Option<Person>)> {
        cases
            .iter()
            .map(|&(name, person)| (name.to_owned(), person))
            .collect()
    }

    #[test]
    fn each_kind_of_evidence() {
        let text = "Zorka Tihov (born 3 May 1921) was a painter. She met Dr. Quillfeather and Mara Voss in Hull. Voss taught at \
                    Mara Voss College. With Belor Datska she sailed; Datska drowned near Gull Rock.";
        assert_eq!(
            of(text, "Zorka Tihov"),
            list(&[
                ("Zorka Tihov", Some(Person::Title)),
                ("Dr. Quillfeather", Some(Person::Honorific)),
                ("Mara Voss", Some(Person::FirstName)),
                ("Hull", None),
                ("Voss", Some(Person::Part)),
                ("Mara Voss College", None),
                ("Belor Datska", Some(Person::Recurs)),
                ("Datska", Some(Person::Part)),
                ("Gull Rock", None),
            ])
        );
    }

    #[test]
    fn places_and_organisations_are_none() {
        for name in [
            "Victoria Falls",
            "George Street",
            "NASA",
            "Duke of York",
            "Apollo 11",
            "Bank & Co",
        ] {
            let text = format!("They saw {name} there.");
            assert!(
                of(&text, "").iter().all(|(_, person)| person.is_none()),
                "{name}"
            );
        }
    }

    #[test]
    fn openers_need_to_be_known() {
        let text = "Galaxies spin. Kepler saw them.";
        assert!(names(text, "", None).is_empty());
        assert_eq!(
            names(text, "Johannes Kepler", None).first(),
            Some(&(15..21))
        );
        let known = known(["They met Kepler."]);
        assert_eq!(names(text, "", Some(&known)).first(), Some(&(15..21)));
    }

    #[test]
    fn names_that_the_general_rules_cut_are_whole() {
        let text = "They left New York for Washington, D.C. in May 1921. The First World War and World War I are one. It is on \
                    the National Register of Historic Places. Mara Voss of Hull wept.";
        let found: Vec<&str> = names(text, "", None)
            .into_iter()
            .map(|r| &text[r])
            .collect();
        assert_eq!(
            found,
            [
                "New York",
                "Washington, D.C.",
                "First World War",
                "World War I",
                "National Register of Historic Places",
                "Mara Voss",
                "Hull"
            ]
        );
    }

    #[test]
    fn years_of_a_life() {
        assert!(born("Ana (3 May 1820 – 4 June 1891) was"));
        assert!(born("Ana (née Voss) was"));
        assert!(!born("The club (founded 1901) was"));
        assert!(!born(""));
    }
}
