//! Names by their spellings: which of many are probably one with a given one. Built in time of the names' total length,
//! asked in time of the answer.

use super::folded::{self, Hash, Marks, Name, Word, core};
use super::variants::{Variant, variant};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// Names that are looked up by spelling. A name is what the caller numbers it.
#[derive(Debug, Default)]
pub struct Spellings {
    /// Every word once, folded.
    words: Vec<(Box<str>, Marks)>,
    /// The words of every name: name i's are `of[ends[i-1]..ends[i]]`.
    of: Vec<u32>,
    names: Vec<Entry>,
    /// Hashes of what a name is looked up by, ascending, each with a place in `names`.
    keys: Vec<(u32, u32)>,
    /// Hashes of long words with and without one of their letters, ascending, each with a word.
    near: Vec<(u32, u32)>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    number: u32,
    /// Where its words end in [`Spellings::of`].
    end: u32,
    letters: u32,
    /// Its first and last word without titles and kinds.
    core: (u8, u8),
    caps: bool,
    aside: bool,
}

/// A name that is probably one with the name that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// As the caller numbered it.
    pub number: u32,
    /// The rule that says so.
    pub variant: Variant,
    /// How many different names the shorter of the two may stand for by this rule: 1, unless it is a surname or an
    /// acronym of several.
    pub bearers: usize,
}

/// What a key is of.
#[derive(Clone, Copy)]
enum Of {
    /// All letters, wherever they are cut into words.
    Whole,
    /// The same without titles and kinds.
    Core,
    /// The last word of what is left then.
    Last,
    /// The first word.
    First,
    /// First letters of the words.
    Letters,
}

fn key(of: Of, text: &[Word<'_>]) -> u32 {
    let mut hash = Hash(0x811c_9dc5 ^ (of as u32 + 1));
    text.iter().for_each(|word| hash.write(word.0));
    hash.0
}

fn key_of(of: Of, text: &str) -> u32 {
    key(of, &[(text, Marks::default())])
}

/// Names of more words are looked up by their whole spelling alone.
pub(super) const WORDS: usize = 12;
/// Shortest word, in letters, that is looked up without one of them.
pub(super) const LONG: usize = 6;
/// Most bearers of a surname or acronym that are told apart; more than so many are so many.
pub const BEARERS: usize = 10;

/// Names that are cut into words at a time.
const CUT: usize = 8192;

/// A word with and without each of its letters.
fn deletions(word: &str, mut each: impl FnMut(u32)) {
    let letters: Vec<(usize, char)> = word.char_indices().collect();
    each(key_of(Of::Whole, word));
    if letters.len() < LONG || letters.iter().any(|(_, c)| c.is_numeric()) {
        return;
    }
    let mut without = String::with_capacity(word.len());
    for (at, (_, left_out)) in letters.iter().enumerate() {
        // Of two equal neighbours either one gives the same.
        if at > 0 && letters[at - 1].1 == *left_out {
            continue;
        }
        without.clear();
        let kept = letters.iter().enumerate().filter(|(other, _)| *other != at);
        without.extend(kept.map(|(_, (_, c))| *c));
        each(key_of(Of::Whole, &without));
    }
}

/// What a name is looked up by.
fn keys(name: &Name<'_>, mut each: impl FnMut(u32)) {
    each(key(Of::Whole, &name.words));
    if name.words.len() > WORDS {
        return;
    }
    let core = name.core();
    each(key(Of::Core, core));
    if let Some(last) = core.last() {
        each(key_of(Of::Last, last.0));
    }
    if let Some(first) = name.words.first() {
        each(key_of(Of::First, first.0));
    }
    if name.words.len() > 1 {
        let (all, content) = letters(&name.words);
        each(key_of(Of::Letters, &all));
        if content != all {
            each(key_of(Of::Letters, &content));
        }
    }
}

fn letters(words: &[Word<'_>]) -> (String, String) {
    let of = |content| folded::first_letters(words, content);
    (of(false), of(true))
}

/// The entries with a key.
fn found(sorted: &[(u32, u32)], key: u32) -> impl Iterator<Item = u32> + '_ {
    let from = sorted.partition_point(|(k, _)| *k < key);
    let rows = sorted[from..].iter().take_while(move |(k, _)| *k == key);
    rows.map(|(_, at)| *at)
}

impl Spellings {
    /// Of names and their numbers.
    pub fn of<S: AsRef<str> + Sync>(names: impl Iterator<Item = (u32, S)>) -> Spellings {
        let mut all = Spellings::default();
        let mut known: FxHashMap<Box<str>, u32> = FxHashMap::default();
        let names: Vec<(u32, S)> = names.collect();
        // Cut into words on all threads, some at a time: of all at once they would take more room than what is made of them.
        let cut = |(_, name): &(u32, S)| {
            let name = name.as_ref();
            (folded::words(name), folded::letters(name))
        };
        let cut = |names: &[(u32, S)]| names.par_iter().map(cut).collect::<Vec<_>>();
        let cut = names.chunks(CUT).flat_map(cut);
        for ((number, label), (words, letters)) in names.iter().zip(cut) {
            let (number, label) = (*number, label.as_ref());
            let start = all.of.len();
            for word in words {
                let next = all.words.len() as u32;
                let at = *known
                    .entry(word.into_boxed_str())
                    .or_insert_with_key(|word| {
                        all.words.push((word.clone(), Marks::of(word)));
                        next
                    });
                all.of.push(at);
            }
            let words = all.spelled(start..all.of.len());
            let own = core(&words);
            let small = |at: usize| u8::try_from(at).unwrap_or(u8::MAX);
            let at = all.names.len() as u32;
            all.names.push(Entry {
                number,
                end: all.of.len() as u32,
                letters,
                core: (small(own.start), small(own.end)),
                caps: folded::caps(label),
                aside: folded::aside(label),
            });
            let mut own = Vec::new();
            keys(&all.name(at), |key| own.push((key, at)));
            all.keys.append(&mut own);
        }
        for (at, (word, _)) in all.words.iter().enumerate() {
            deletions(word, |key| all.near.push((key, at as u32)));
        }
        all.keys.par_sort_unstable();
        all.keys.dedup();
        all.keys.shrink_to_fit();
        all.near.par_sort_unstable();
        all.near.shrink_to_fit();
        all
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    fn spelled(&self, range: std::ops::Range<usize>) -> Vec<Word<'_>> {
        let words = self.of[range]
            .iter()
            .map(|word| &self.words[*word as usize]);
        words.map(|(word, marks)| (&**word, *marks)).collect()
    }

    fn name(&self, at: u32) -> Name<'_> {
        let at = at as usize;
        let entry = self.names[at];
        let start = at.checked_sub(1).map_or(0, |before| self.names[before].end);
        let words = self.spelled(start as usize..entry.end as usize);
        // A name of more words than a byte counts has no titles.
        let core = match words.len() {
            ..255 => usize::from(entry.core.0)..usize::from(entry.core.1),
            all => 0..all,
        };
        Name {
            words,
            core,
            letters: entry.letters,
            caps: entry.caps,
            aside: entry.aside,
        }
    }

    /// The names that are probably one with this one, the surest first; `label` itself is none of them where it is one.
    pub fn alike(&self, label: &str) -> Vec<Found> {
        let words = folded::words(label);
        let words: Vec<Word<'_>> = words
            .iter()
            .map(|word| (&**word, Marks::of(word)))
            .collect();
        let asked = Name {
            core: core(&words),
            words,
            letters: folded::letters(label),
            caps: folded::caps(label),
            aside: folded::aside(label),
        };
        let mut alike: Vec<(u32, Variant)> = Vec::new();
        for at in self.candidates(&asked) {
            let name = self.name(at);
            if let Some(variant) = variant(&asked, &name) {
                alike.push((at, variant));
            }
        }
        // All longer names share the shorter one.
        let mut told: FxHashMap<(u32, Variant), usize> = FxHashMap::default();
        let mut found = Vec::with_capacity(alike.len());
        for (at, variant) in alike {
            let name = self.name(at);
            let bearers = match shorter(&asked, &name, variant) {
                Some((short, shared)) => *told
                    .entry((key(Of::Whole, &short.words), variant))
                    .or_insert_with(|| self.bearers(short, shared, variant)),
                None => 1,
            };
            found.push(Found {
                number: self.names[at as usize].number,
                variant,
                bearers,
            });
        }
        found.sort_by_key(|found| (found.variant, found.bearers, found.number));
        found
    }

    /// Names that a rule might say something of.
    fn candidates(&self, asked: &Name<'_>) -> Vec<u32> {
        let core = asked.core();
        let mut wanted = vec![key(Of::Whole, &asked.words), key(Of::Core, core)];
        if let (Some(first), Some(last)) = (asked.words.first(), core.last()) {
            let only = asked.words.len() == 1;
            wanted.extend([first, last].map(|word| key_of(Of::Core, word.0)));
            wanted.extend((only || asked.person()).then(|| key_of(Of::Last, last.0)));
            wanted.extend(only.then(|| key_of(Of::First, first.0)));
        }
        let whole = folded::joined(&asked.words);
        let number = |ending: &str| key_of(Of::Whole, ending);
        // The plural, and what this may be the plural of.
        wanted.extend(["s", "es"].map(|ending| number(&format!("{whole}{ending}"))));
        let singular = ["s", "es"]
            .into_iter()
            .filter_map(|s| whole.strip_suffix(s));
        wanted.extend(singular.map(number));
        wanted.extend(
            whole
                .strip_suffix('y')
                .map(|stem| number(&format!("{stem}ies"))),
        );
        wanted.extend(
            whole
                .strip_suffix("ies")
                .map(|stem| number(&format!("{stem}y"))),
        );
        if asked.caps {
            wanted.push(key_of(Of::Letters, &whole));
        }
        if asked.words.len() > 1 && asked.words.len() <= WORDS {
            let (all, content) = letters(&asked.words);
            wanted.extend([number(&all), number(&content)]);
        }
        // Each word for one that is a letter away.
        let mut words = asked.words.clone();
        for at in 0..words.len().min(WORDS) {
            let own = words[at];
            if own.0.chars().count() + 1 < LONG {
                continue;
            }
            let mut near: FxHashSet<u32> = FxHashSet::default();
            deletions(own.0, |key| near.extend(found(&self.near, key)));
            for other in near {
                words[at] = (&self.words[other as usize].0, Marks::default());
                wanted.push(key(Of::Whole, &words));
            }
            words[at] = own;
        }
        let mut all: Vec<u32> = wanted
            .iter()
            .flat_map(|key| found(&self.keys, *key))
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// How many different names this one may stand for: names with a key that a rule admits.
    fn bearers(&self, short: &Name<'_>, key: u32, by: Variant) -> usize {
        let mut apart: Vec<Name<'_>> = Vec::new();
        for at in found(&self.keys, key) {
            let name = self.name(at);
            let admitted = match by {
                // Whoever has that last name, and whatever else begins so.
                Variant::Title => variant(short, &name) == Some(Variant::Surname),
                Variant::Beginning => name.words.len() > 1,
                by => variant(short, &name) == Some(by),
            };
            let same =
                |known: &Name<'_>| variant(known, &name).is_some_and(|by| by < Variant::Misspelled);
            if admitted && !apart.iter().any(same) {
                apart.push(name);
            }
            if apart.len() == BEARERS {
                break;
            }
        }
        apart.len().max(1)
    }
}

/// The one of two names that may stand for several, and the key that those have.
fn shorter<'n>(a: &'n Name<'n>, b: &'n Name<'n>, by: Variant) -> Option<(&'n Name<'n>, u32)> {
    let few = |name: &Name<'_>| name.core().len();
    let short = if few(a) <= few(b) { a } else { b };
    let last = || {
        short
            .core()
            .last()
            .map_or(0, |word| key_of(Of::Last, word.0))
    };
    match by {
        Variant::Surname | Variant::Middle | Variant::Initials => Some((short, last())),
        Variant::Title if few(short) == 1 => Some((short, last())),
        Variant::Beginning => Some((short, key_of(Of::First, short.words[0].0))),
        Variant::Acronym => Some((short, key_of(Of::Letters, &folded::joined(&short.words)))),
        _ => None,
    }
}

#[cfg(test)]
#[path = "spellings_tests.rs"]
mod tests;
