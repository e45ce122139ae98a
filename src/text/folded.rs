//! Names without accents, case and punctuation, cut into words with what is known of each: what rules of spelling compare.

use super::lexicon::classes;
use super::names::{KINDS_AFTER, KINDS_BEFORE, is_function_word};
use super::person_words::{FIRST_NAMES, NO_PERSON, OFFICES};
use super::persons::honorific;
use std::borrow::Cow;
use std::ops::Range;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Letters of an acronym.
const ACRONYM: Range<usize> = 2..7;

/// Letters that no mark can be taken from, as they are written without.
fn plain(c: char) -> &'static str {
    match c {
        'ø' => "o",
        'ł' => "l",
        'đ' | 'ð' => "d",
        'þ' => "th",
        'ß' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        'ı' => "i",
        'ħ' => "h",
        _ => "",
    }
}

/// Marks that a word is often written without. Those that are vowels or voicing (Indic scripts, kana) are letters.
fn accent(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5c7}' | '\u{64b}'..='\u{65f}' | '\u{670}'
        | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}')
}

/// A text without accents.
pub fn unaccented(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    for c in text.nfkd() {
        match plain(c) {
            _ if accent(c) => {}
            "" => out.push(c),
            letters => out.push_str(letters),
        }
    }
    // Letters that are written of parts stay whole.
    out.nfc().collect()
}

/// A text in lower case without accents.
pub fn folded(text: &str) -> String {
    match text.is_ascii() {
        true => text.to_ascii_lowercase(),
        false => unaccented(&text.to_lowercase()),
    }
}

/// What is known of a word whatever name it stands in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Marks(u8);

impl Marks {
    pub const HONORIFIC: u8 = 1;
    pub const BEFORE: u8 = 2;
    pub const AFTER: u8 = 4;
    pub const NO_PERSON: u8 = 8;
    pub const FIRST_NAME: u8 = 16;
    pub const NUMBER: u8 = 32;
    pub const FUNCTION: u8 = 64;
    pub const COMMON: u8 = 128;

    pub fn of(word: &str) -> Marks {
        let mark = |is: bool, mark: u8| if is { mark } else { 0 };
        Marks(
            mark(
                (honorific(word) || OFFICES.contains(word)) && word != "saint",
                Marks::HONORIFIC,
            ) | mark(KINDS_BEFORE.contains(&word), Marks::BEFORE)
                | mark(KINDS_AFTER.contains(&word), Marks::AFTER)
                | mark(NO_PERSON.contains(word), Marks::NO_PERSON)
                | mark(FIRST_NAMES.contains(word), Marks::FIRST_NAME)
                | mark(classes(word) != 0, Marks::COMMON)
                | mark(number(word), Marks::NUMBER)
                | mark(is_function_word(word), Marks::FUNCTION),
        )
    }

    pub fn is(self, mark: u8) -> bool {
        self.0 & mark != 0
    }
}

/// A word with a digit, or a Roman number of more letters than an initial has.
fn number(word: &str) -> bool {
    let roman = word.len() > 1 && word.bytes().all(|b| matches!(b, b'i' | b'v' | b'x'));
    roman || word.contains(char::is_numeric)
}

/// A word of a name: folded, with what is known of it.
pub(super) type Word<'a> = (&'a str, Marks);

/// Words that are written short.
fn whole(word: &str, last: bool) -> &str {
    match word {
        "st" | "ste" if !last => "saint",
        "mt" => "mount",
        "ft" => "fort",
        "jr" => "junior",
        "sr" => "senior",
        word => word,
    }
}

/// The folded words of a name: letters and digits, without a leading "the".
pub fn words(name: &str) -> Vec<String> {
    cut(&folded(name))
}

fn cut(name: &str) -> Vec<String> {
    // An apostrophe joins: "O'Brien" is one word however it is written.
    const JOINS: [char; 4] = ['\'', '’', 'ʼ', '`'];
    let closed = match name.contains(JOINS) || name.contains('&') {
        true => Cow::Owned(name.replace(JOINS, "").replace('&', " and ")),
        false => Cow::Borrowed(name),
    };
    let cut = closed.split(|c: char| !c.is_alphanumeric() && !is_combining_mark(c));
    let cut: Vec<&str> = cut.filter(|word| !word.is_empty()).collect();
    let last = cut.len().saturating_sub(1);
    let lead = usize::from(cut.len() > 1 && cut[0] == "the");
    let kept = cut.iter().enumerate().skip(lead);
    kept.map(|(at, word)| whole(word, at == last).to_owned())
        .collect()
}

/// A name as the rules see it.
#[derive(Clone, Debug)]
pub(super) struct Name<'a> {
    pub words: Vec<Word<'a>>,
    /// The words without titles and kinds.
    pub core: Range<usize>,
    /// A hash of the letters and digits with their accents.
    pub letters: u32,
    /// It is one word without a lower-case letter.
    pub caps: bool,
    /// What is said of it stands behind a comma or in brackets: "Ellis, Kansas", "Emma (novel)".
    pub aside: bool,
}

/// A hash of the words of a name with their accents: equal where only case, spaces and punctuation differ.
pub(super) fn letters(name: &str) -> u32 {
    let lower: String = match name.is_ascii() {
        true => name.to_ascii_lowercase(),
        false => name.chars().flat_map(char::to_lowercase).nfc().collect(),
    };
    let mut hash = Hash::default();
    cut(&lower).iter().for_each(|word| hash.write(word));
    hash.0
}

/// Whether a name may be an acronym: no lower-case letter, no gap.
pub(super) fn caps(name: &str) -> bool {
    let letters = name.chars().filter(|c| c.is_alphabetic());
    !name.contains(char::is_whitespace)
        && ACRONYM.contains(&letters.clone().count())
        && letters.clone().all(char::is_uppercase)
}

/// Whether a part of a name stands behind a comma or in brackets.
pub(super) fn aside(name: &str) -> bool {
    name.contains([',', '('])
}

/// FNV-1a: a name's hash does not depend on where it is cut into words.
#[derive(Clone, Copy)]
pub(super) struct Hash(pub u32);

impl Default for Hash {
    fn default() -> Hash {
        Hash(0x811c_9dc5)
    }
}

impl Hash {
    pub fn write(&mut self, text: &str) {
        for byte in text.bytes() {
            self.0 = (self.0 ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        }
    }
}

/// The words of a name without titles before it and kinds before and after it; at least one is left.
pub(super) fn core(words: &[Word<'_>]) -> Range<usize> {
    let (mut start, mut end) = (0, words.len());
    // "Prince Edward Island" is no prince, "King County" no king.
    let person = !words.iter().any(|w| w.1.is(Marks::NO_PERSON));
    match words {
        // "Republic of Chad".
        [kind, of, _, ..] if kind.1.is(Marks::BEFORE) && of.0 == "of" => start = 2,
        _ if person => {
            while start + 1 < end && words[start].1.is(Marks::HONORIFIC) {
                start += 1;
            }
        }
        _ => {}
    }
    // "Duke of Cleves" is not all of a name without its duke.
    if person && !words.is_empty() && words[start].1.is(Marks::FUNCTION) {
        start = 0;
    }
    while start + 1 < end && words[end - 1].1.is(Marks::AFTER) {
        end -= 1;
    }
    start..end
}

impl<'a> Name<'a> {
    pub fn core(&self) -> &[Word<'a>] {
        &self.words[self.core.clone()]
    }

    pub fn last(&self) -> &'a str {
        self.core().last().map_or("", |w| w.0)
    }

    /// Whether it may be a person's: of several words, and none that persons' names do not have.
    pub fn person(&self) -> bool {
        let core = self.core();
        let whole = !self.aside && self.core.end == self.words.len();
        if !whole || !(2..=5).contains(&core.len()) || initial(self.last()) {
            return false;
        }
        let other = |w: &Word<'_>| w.1.is(Marks::NO_PERSON | Marks::NUMBER);
        let function = |w: &Word<'_>| !initial(w.0) && w.1.is(Marks::FUNCTION);
        // "U.S. Army".
        let country = core[0].0 == "u" && core[1].0 == "s";
        if country || self.words.iter().any(other) || core.iter().any(function) {
            return false;
        }
        let titled = self.core.start > 0;
        titled || core[0].1.is(Marks::FIRST_NAME) || initial(core[0].0)
    }

    /// Words with a digit, and Roman numbers, an initial's letter at the end being one.
    pub fn numbers(&self) -> impl Iterator<Item = &'a str> + '_ {
        let last = self.words.len() - 1;
        let number = move |at: usize, w: &Word<'_>| {
            w.1.is(Marks::NUMBER) || (at > 0 && at == last && matches!(w.0, "i" | "v" | "x"))
        };
        let numbers = self.words.iter().enumerate();
        let numbers = numbers.filter(move |(at, w)| number(*at, w));
        numbers.map(|(_, w)| w.0)
    }

    /// A single word that is none of the language's: what may be a name alone.
    pub fn lone(&self) -> bool {
        matches!(self.core(), [(word, marks)] if word.chars().count() > 2
            && !marks.is(Marks::COMMON | Marks::FUNCTION | Marks::HONORIFIC | Marks::NO_PERSON | Marks::FIRST_NAME))
    }
}

pub(super) fn initial(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(char::is_alphabetic) && letters.next().is_none()
}

/// The words one after another.
pub(super) fn joined(words: &[Word<'_>]) -> String {
    words.iter().map(|w| w.0).collect()
}

/// The first letters of words, without those of function words where `content`.
pub(super) fn first_letters(words: &[Word<'_>], content: bool) -> String {
    let kept = words
        .iter()
        .filter(|w| !content || !w.1.is(Marks::FUNCTION));
    kept.filter_map(|w| w.0.chars().next()).collect()
}
