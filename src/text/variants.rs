//! Whether two names are probably one, spelled in two ways, and by which rule. No rule knows who is meant: a surname may
//! belong to several people, and a letter may make another name.

use super::folded::{Marks, Name, Word, first_letters, initial, joined};
use super::names::{GEOGRAPHY, is_function_word};
use serde::Serialize;
use std::ops::Range;

/// Why two names are probably one, the surest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Variant {
    /// They differ in case, spaces, punctuation, "the" and "&" alone: "Mc Donald", "McDonald".
    Punctuation,
    /// They differ in accents alone, beside those: "Tekeze", "Tekezé".
    Accents,
    /// One has names or initials between the first and the last: "Richard Nixon", "Richard Milhous Nixon".
    Middle,
    /// Names stand as initials: "J. Edgar Hoover", "John Edgar Hoover".
    Initials,
    /// One has a title: "President Richard Nixon".
    Title,
    /// One is the plural of the other.
    Plural,
    /// One says what it is: "Tekeze River", "Microsoft Corporation".
    Kind,
    /// One letter of a long word is another, missing, too much, or swapped with the next.
    Misspelled,
    /// One is the first letters of the words of the other: "NASA".
    Acronym,
    /// One is the last name in the other: "Nixon", "Richard Nixon".
    Surname,
    /// One is the other without the kind of place or people: "Atbarah", "Atbarah River".
    Beginning,
}

impl Variant {
    /// Every rule, in order.
    pub const ALL: [Variant; 11] = [
        Variant::Punctuation,
        Variant::Accents,
        Variant::Middle,
        Variant::Initials,
        Variant::Title,
        Variant::Plural,
        Variant::Kind,
        Variant::Misspelled,
        Variant::Acronym,
        Variant::Surname,
        Variant::Beginning,
    ];

    /// What is so of the two names, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Variant::Punctuation => "alike but for case, punctuation or an article",
            Variant::Accents => "alike but for accents",
            Variant::Middle => "one has a middle name more",
            Variant::Initials => "initials of one are names of the other",
            Variant::Title => "one has a title",
            Variant::Plural => "one is the plural",
            Variant::Kind => "one says what kind of thing it is",
            Variant::Misspelled => "one letter apart",
            Variant::Acronym => "first letters of the other's words",
            Variant::Surname => "the last name of the other",
            Variant::Beginning => "the other says what kind of place or people",
        }
    }

    /// How sure it is that two such names are one, 0 to 1: about the share of fifty pairs, drawn from three corpora of
    /// Wikipedia and judged by hand, that were. `bearers`: how many names the shorter one may stand for; `together`:
    /// whether both stand in some passage.
    pub fn strength(self, bearers: usize, together: bool) -> f64 {
        let (apart, beside, of_several) = match self {
            Variant::Punctuation => (0.85, 1.0, 1.0),
            Variant::Accents => (0.85, 0.95, 0.95),
            Variant::Middle => (0.7, 0.95, 0.7),
            Variant::Initials => (0.75, 0.95, 0.7),
            Variant::Title => (0.75, 0.9, 0.65),
            Variant::Plural => (0.65, 0.9, 0.9),
            Variant::Kind => (0.8, 0.9, 0.9),
            Variant::Misspelled => (0.6, 0.9, 0.9),
            // Any three words have first letters.
            Variant::Acronym => (0.0, 0.95, 0.9),
            Variant::Surname => (0.5, 0.9, 0.65),
            Variant::Beginning => (0.5, 0.75, 0.4),
        };
        match (together, bearers) {
            (true, ..2) => beside,
            (true, _) => of_several,
            (false, bearers) => apart / bearers.max(1) as f64,
        }
    }
}

/// Shortest word, in letters, of which one letter may be wrong.
const LONG: usize = 6;
/// The same where the word is the whole name.
const LONG_ALONE: usize = 8;
/// Most names or initials that a middle may have.
const MIDDLE: usize = 2;
/// Fewest letters of a name that another begins with.
const BEGINNING: usize = 4;

/// Why two names are probably one; none where no rule says so.
pub(super) fn variant(a: &Name<'_>, b: &Name<'_>) -> Option<Variant> {
    if a.words.is_empty() || b.words.is_empty() || !a.numbers().eq(b.numbers()) {
        return None;
    }
    if same(&a.words, &b.words) {
        // "Us" and "US", "It" and "IT".
        let common = a.words.len() == 1 && is_function_word(a.words[0].0);
        let variant = match a.letters == b.letters {
            true => Variant::Punctuation,
            false => Variant::Accents,
        };
        return (!common).then_some(variant);
    }
    let (short, long) = match a.core().len() <= b.core().len() {
        true => (a, b),
        false => (b, a),
    };
    same_core(a, b)
        .or_else(|| plural(a, b))
        .or_else(|| given(short, long))
        .or_else(|| acronym(a, b).or_else(|| acronym(b, a)))
        .or_else(|| surname(short, long))
        .or_else(|| misspelled(a, b))
        .or_else(|| beginning(a, b).or_else(|| beginning(b, a)))
}

/// Whether the letters are the same, wherever they are cut into words.
fn same(a: &[Word<'_>], b: &[Word<'_>]) -> bool {
    fn bytes<'a>(words: &'a [Word<'a>]) -> impl Iterator<Item = u8> + 'a {
        words.iter().flat_map(|word| word.0.bytes())
    }
    let size = |words: &[Word<'_>]| words.iter().map(|w| w.0.len()).sum::<usize>();
    size(a) == size(b) && bytes(a).eq(bytes(b))
}

/// Titles and kinds: the rest is the same, and only one of the two has one.
fn same_core(a: &Name<'_>, b: &Name<'_>) -> Option<Variant> {
    if !same(a.core(), b.core()) {
        return None;
    }
    let beside = |name: &Name<'_>| {
        let Range { start, end } = name.core;
        joined(&name.words[..start]) + &joined(&name.words[end..])
    };
    let (left, right) = (beside(a), beside(b));
    let kind = |name: &Name<'_>| {
        let places = name.words.iter().any(|w| w.1.is(Marks::NO_PERSON));
        places || name.core.end < name.words.len()
    };
    let core = a.core();
    let few = core.len() - a.numbers().count().min(core.len()) < 2;
    let one = left.is_empty() || right.is_empty();
    if kind(a) || kind(b) {
        // "Apple Corporation" may not be the apple.
        let word = few && core[0].1.is(Marks::COMMON | Marks::FUNCTION);
        return (one && !word).then_some(Variant::Kind);
    }
    // A given name after a title is not all of a name, nor is a word: "Queen Elizabeth", "Prime Minister". "Lord Byron" and
    // "Lady Byron" are two, and so are Duke Ferdinand I and Emperor Ferdinand I.
    let whole = core.len() > 1 || a.lone();
    (whole && (one || !few)).then_some(Variant::Title)
}

fn plural(a: &Name<'_>, b: &Name<'_>) -> Option<Variant> {
    let size = |name: &Name<'_>| name.words.iter().map(|w| w.0.len()).sum::<usize>();
    let (one, many) = if size(a) < size(b) { (a, b) } else { (b, a) };
    // "y" may become "ies".
    if size(many) - size(one) > 2 {
        return None;
    }
    let last = one.words.last()?;
    // "Robert" and "Roberts", "Richard William" and "Richard Williams" are two.
    let word = one.words.len() == 1 && !one.lone();
    if last.1.is(Marks::FIRST_NAME) || one.person() || word || last.0.chars().count() < 4 {
        return None;
    }
    let (one, many) = (joined(&one.words), joined(&many.words));
    let same = many.strip_suffix('s') == Some(&one)
        || many.strip_suffix("es") == Some(&one)
        || many
            .strip_suffix("ies")
            .is_some_and(|stem| one.strip_suffix('y') == Some(stem));
    same.then_some(Variant::Plural)
}

/// Persons with the same first and last name, where one has more in between, or initials for names.
fn given(short: &Name<'_>, long: &Name<'_>) -> Option<Variant> {
    let (few, many) = (short.core(), long.core());
    if few.len() < 2
        || many.len() > few.len() + MIDDLE
        || short.last() != long.last()
        || !short.person()
        || !long.person()
    {
        return None;
    }
    let like = |a: &str, b: &str| {
        a == b || (initial(a) && b.starts_with(a)) || (initial(b) && a.starts_with(b))
    };
    // "J. D. Salinger" is no Justin: who writes initials writes all or fewer.
    let more = many.len() > few.len() && initial(many[0].0) && !initial(few[0].0);
    if more || !like(few[0].0, many[0].0) {
        return None;
    }
    // Every name of the shorter one is met in the longer one, in order.
    let (mut at, mut initials) = (0, false);
    for word in few {
        let met = many[at..].iter().position(|w| like(word.0, w.0))?;
        initials |= many[at + met].0 != word.0;
        at += met + 1;
    }
    Some(match initials {
        true => Variant::Initials,
        false => Variant::Middle,
    })
}

fn acronym(short: &Name<'_>, long: &Name<'_>) -> Option<Variant> {
    let whole = long.words.len() > 1 && short.caps && !long.person();
    if !whole {
        return None;
    }
    let letters = joined(&short.words);
    let same = |content| letters == first_letters(&long.words, content);
    (same(false) || same(true)).then_some(Variant::Acronym)
}

fn surname(short: &Name<'_>, long: &Name<'_>) -> Option<Variant> {
    let named = long.person() && long.core().len() > 1 && long.last() == short.last();
    let alone = short.lone() && !short.caps && short.core.end == short.words.len();
    (named && alone).then_some(Variant::Surname)
}

fn beginning(short: &Name<'_>, long: &Name<'_>) -> Option<Variant> {
    let whole = short.words.len() == 1 && short.lone() && short.last().chars().count() >= BEGINNING;
    let [first, kind] = long.words[..] else {
        return None;
    };
    (whole && first.0 == short.last() && GEOGRAPHY.contains(&kind.0)).then_some(Variant::Beginning)
}

/// Letters that are written for each other.
fn sound_alike(a: char, b: char, vowels: bool) -> bool {
    let both = |group: &str| group.contains(a) && group.contains(b);
    ["ijy", "sz", "ckq", "vw"].into_iter().any(both) || (vowels && both("aeiouy"))
}

/// One word differs, by one edit inside it; the rest is the same.
fn misspelled(a: &Name<'_>, b: &Name<'_>) -> Option<Variant> {
    if a.words.len() != b.words.len() {
        return None;
    }
    let mut other = a.words.iter().zip(&b.words).filter(|(a, b)| a.0 != b.0);
    let (one, two) = other.next()?;
    if other.next().is_some() || (one.1.is(Marks::FIRST_NAME) && two.1.is(Marks::FIRST_NAME)) {
        return None;
    }
    let alone = a.words.len() == 1;
    let least = if alone { LONG_ALONE } else { LONG };
    let count = |word: &str| word.chars().count();
    let (short, long) = match count(one.0) <= count(two.0) {
        true => (one.0, two.0),
        false => (two.0, one.0),
    };
    // Another ending is another form or another name: "Austria", "Austrian".
    let ends = short.chars().next_back() == long.chars().next_back();
    let starts = short.chars().next() == long.chars().next();
    if !ends || !starts || count(short) < least || strsim::osa_distance(short, long) != 1 {
        return None;
    }
    let common = |word: &Word<'_>| word.1.is(Marks::COMMON);
    if common(one) || common(two) {
        return None;
    }
    let mut other = short.chars().zip(long.chars()).filter(|(a, b)| a != b);
    // Where none differs the last letter is doubled.
    let Some((a, b)) = other.next() else {
        return Some(Variant::Misspelled);
    };
    // Of as many letters, with one other: "Yokoyama" is no misspelled Yokohama.
    let replaced = count(short) == count(long) && other.next().is_none();
    (!replaced || sound_alike(a, b, !alone)).then_some(Variant::Misspelled)
}
