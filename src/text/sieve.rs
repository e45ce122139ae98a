//! Which of very many names are worth a look for some: those that [`Spellings`](super::Spellings) would say something of,
//! found by their letters alone, before anything is made of them.

use super::folded::{self, Hash, Marks, Word, core};
use super::span;
use super::spellings::{LONG, WORDS};
use rustc_hash::FxHashSet;

/// Lets through every name that [`Spellings::alike`](super::Spellings::alike) looks at for some names, and few others.
#[derive(Debug, Default)]
pub struct Sieve {
    /// Hashes of words that stand one after another in a name: one, those without titles and kinds, or all.
    runs: FxHashSet<u32>,
    /// By how many letters there are: which, of names of which one may be wrong.
    near: Vec<Vec<u64>>,
    /// First letters of longer names.
    initials: FxHashSet<String>,
    /// First letters of the names themselves.
    short: FxHashSet<String>,
}

fn hash(words: &[Word<'_>]) -> u32 {
    let mut hash = Hash::default();
    words.iter().for_each(|word| hash.write(word.0));
    hash.0
}

/// Which letters there are; one more or less, or another, changes two of the set at most.
fn letters(chars: impl Iterator<Item = char>) -> (u64, usize) {
    let (mut set, mut count) = (0, 0);
    for c in chars {
        set |= 1 << (c as u32 % 64);
        count += 1;
    }
    (set, count)
}

impl Sieve {
    /// For some names.
    pub fn of<S: AsRef<str>>(names: &[S]) -> Sieve {
        let mut sieve = Sieve::default();
        names.iter().for_each(|name| sieve.add(name.as_ref()));
        sieve
    }

    fn add(&mut self, name: &str) {
        let words = folded::words(name);
        let words: Vec<Word<'_>> = words.iter().map(|w| (&**w, Marks::of(w))).collect();
        let (core, whole) = (&words[core(&words)], folded::joined(&words));
        let (Some(first), Some(last)) = (words.first(), core.last()) else {
            return;
        };
        self.runs.insert(hash(&words));
        self.runs.insert(hash(core));
        let mut run = |text: &str| {
            self.runs.insert(hash(&[(text, Marks::default())]));
        };
        run(first.0);
        run(last.0);
        // The plural, and what this may be the plural of.
        for (one, many) in [("", "s"), ("", "es"), ("y", "ies")] {
            for (from, to) in [(one, many), (many, one)] {
                if let Some(stem) = whole.strip_suffix(from) {
                    run(&format!("{stem}{to}"));
                }
            }
        }
        if words.len() > 1 && words.len() <= WORDS {
            for content in [false, true] {
                let letters = folded::first_letters(&words, content);
                run(&letters);
                self.short.insert(letters);
            }
        }
        if words.iter().any(|word| word.0.chars().count() + 1 >= LONG) {
            let (set, count) = letters(whole.chars());
            if self.near.len() <= count {
                self.near.resize(count + 1, Vec::new());
            }
            self.near[count].push(set);
        }
        if folded::caps(name) {
            self.initials.insert(whole);
        }
    }

    /// With the names, among those let through, that are first letters of the asked ones: whoever else has them is let
    /// through then. None where there are no such names.
    pub fn with_bearers<'n>(mut self, passed: impl Iterator<Item = &'n str>) -> Option<Sieve> {
        let before = self.initials.len();
        for name in passed.filter(|name| folded::caps(name)) {
            let letters = folded::words(name).concat();
            if self.short.contains(&letters) {
                self.initials.insert(letters);
            }
        }
        (self.initials.len() > before).then_some(self)
    }

    /// Whether a name is let through.
    pub fn passes(&self, name: &str) -> bool {
        let mut letters = [0; MOST_LETTERS];
        let mut ends = [0; MOST_WORDS];
        match plain(name, &mut letters, &mut ends) {
            Some(count) => {
                let starts = std::iter::once(0).chain(ends.iter().copied());
                let words = starts.zip(&ends).take(count);
                // Nothing but ASCII is in it.
                let end = ends[..count].last().copied().unwrap_or(0);
                let letters = std::str::from_utf8(&letters[..end]).unwrap_or("");
                let mut cut = [""; MOST_WORDS];
                for (slot, (start, end)) in cut.iter_mut().zip(words) {
                    *slot = span::of(letters, start..*end);
                }
                let lead = usize::from(count > 1 && cut[0] == "the");
                self.admits(&cut[lead..count])
            }
            None => {
                let words = folded::words(name);
                let words: Vec<&str> = words.iter().map(String::as_str).collect();
                self.admits(&words)
            }
        }
    }

    fn admits(&self, words: &[&str]) -> bool {
        let run = |start: usize| {
            let mut hash = Hash::default();
            let mut ends = words[start..].iter();
            ends.any(|word| {
                hash.write(word);
                self.runs.contains(&hash.0)
            })
        };
        if (0..words.len()).any(run) {
            return true;
        }
        let (set, count) = letters(words.iter().flat_map(|word| word.chars()));
        let sizes = count.saturating_sub(1)..(count + 2).min(self.near.len());
        let mut near = sizes.flat_map(|size| &self.near[size]);
        if near.any(|other| (other ^ set).count_ones() <= 2) {
            return true;
        }
        // Function words may be left out.
        let bears = |initials: &String| {
            let mut first = words.iter().filter_map(|word| word.chars().next());
            initials.chars().all(|c| first.any(|other| other == c))
        };
        words.len() > 1 && self.initials.iter().any(bears)
    }
}

/// Most letters and words of a name that is cut in place.
const MOST_LETTERS: usize = 128;
const MOST_WORDS: usize = 24;

/// As [`folded::words`] cuts a name that has neither accents nor words written short, in place: how many words, and where
/// each ends. None for any other.
fn plain(
    name: &str,
    letters: &mut [u8; MOST_LETTERS],
    ends: &mut [usize; MOST_WORDS],
) -> Option<usize> {
    let (mut count, mut at, mut start) = (0, 0, 0);
    for byte in name.bytes().chain([b' ']) {
        match byte {
            128.. | b'\'' | b'`' | b'&' => return None,
            byte if byte.is_ascii_alphanumeric() => {
                *letters.get_mut(at)? = byte.to_ascii_lowercase();
                at += 1;
            }
            _ if at > start => {
                if matches!(
                    &letters[start..at],
                    b"st" | b"ste" | b"mt" | b"ft" | b"jr" | b"sr"
                ) {
                    return None;
                }
                *ends.get_mut(count)? = at;
                count += 1;
                start = at;
            }
            _ => {}
        }
    }
    Some(count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Spellings;

    const NAMES: &[&str] = &[
        "Tekeze River",
        "Tekezé River",
        "Tekeze",
        "Øresund",
        "Oresund",
        "Mc Donald",
        "McDonald",
        "McDonald River",
        "The Bronx",
        "Bronx",
        "St. Louis",
        "Saint Louis",
        "Johnson & Sons",
        "Johnson and Sons",
        "Richard Nixon",
        "Richard Milhous Nixon",
        "R. M. Nixon",
        "Pat Nixon",
        "President Nixon",
        "Nixon",
        "Mr. Nixon",
        "Nixons",
        "Academy Award",
        "Academy Awards",
        "Baby",
        "Babies",
        "Microsoft",
        "Microsoft Corporation",
        "Chad",
        "Republic of Chad",
        "Bhubaneswar",
        "Bhubaneshwar",
        "Muhammed Ali",
        "Muhammad Ali",
        "Mohammad Ali Jinnah",
        "UN",
        "United Nations",
        "University of Nowhere",
        "NATO",
        "North Atlantic Treaty Organization",
        "North Atlantic Tractor Orchestra",
        "Atbarah",
        "Atbarah River",
        "O'Brien",
        "OBrien",
        "John F. Kennedy Jr.",
        "John F. Kennedy Junior",
        "AT&T",
        "Kyiv",
        "Київ",
        "Treaty of 1948",
        "the",
        "The",
        "",
    ];

    /// What is found among the names that pass is what is found among all.
    fn holds(names: &[&str], asked: &[&str]) {
        let numbered = || {
            names
                .iter()
                .enumerate()
                .map(|(at, name)| (at as u32, *name))
        };
        let all = Spellings::of(numbered());
        let mut sieve = Sieve::of(asked);
        let passed = names.iter().copied().filter(|name| sieve.passes(name));
        let passed: Vec<&str> = passed.collect();
        if let Some(wider) = sieve.with_bearers(passed.iter().copied()) {
            sieve = wider;
        } else {
            sieve = Sieve::of(asked);
        }
        let some = Spellings::of(numbered().filter(|(_, name)| sieve.passes(name)));
        for name in asked {
            assert_eq!(some.alike(name), all.alike(name), "{name}");
        }
    }

    #[test]
    fn whatever_is_alike_passes() {
        for name in NAMES {
            holds(NAMES, &[name]);
        }
        holds(NAMES, NAMES);
        let sieve = Sieve::of(&["Richard Nixon"]);
        let passed = NAMES.iter().filter(|name| sieve.passes(name));
        // Whoever has one of the two names, and one word that is long enough to be either but for a letter.
        assert!(passed.count() < 10);
    }
}
