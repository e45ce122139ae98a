//! BERT's uncased words and word pieces, exactly: what a model saw in training is what it must see here.
//!
//! Written out rather than taken from a crate because it is all of a tokenizer that BERT needs, the tokenizers crate
//! costs 30 seconds to build, and the golden ids of the reference hold it to the letter.

use rustc_hash::FxHashMap;
use std::borrow::Cow;
use unicode_normalization::UnicodeNormalization;

/// A longer word is unknown, as in the original.
const LONGEST_WORD: usize = 100;

/// What is done with a character before words are cut.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Plain,
    /// Control, format, private use: removed.
    Drop,
    /// Nonspacing marks: removed with the accents.
    Strip,
    /// Punctuation and ASCII symbols: words of their own.
    Split,
    /// Ideographs: words of their own.
    Cjk,
}

impl Class {
    fn of(code: u32) -> Class {
        match code {
            1 => Class::Drop,
            2 => Class::Strip,
            3 => Class::Split,
            4 => Class::Cjk,
            _ => Class::Plain,
        }
    }
}

/// Runs of characters with a class: (first, last, class), ascending.
#[derive(Clone, Copy)]
pub struct Ranges<'a>(pub &'a [[u32; 3]]);

impl Ranges<'_> {
    fn class(self, c: char) -> Class {
        let code = u32::from(c);
        let at = self.0.partition_point(|&[_, last, _]| last < code);
        match self.0.get(at) {
            Some(&[first, _, class]) if first <= code => Class::of(class),
            _ => Class::Plain,
        }
    }
}

/// A vocabulary and how to cut words into its pieces.
pub struct WordPiece<'a> {
    ranges: Ranges<'a>,
    ascii: [Class; 128],
    /// Pieces that start a word, and pieces that go on with one (without their `##`).
    starts: FxHashMap<Cow<'a, [u8]>, u32>,
    rests: FxHashMap<Cow<'a, [u8]>, u32>,
    longest: usize,
    unknown: u32,
    lower: bool,
}

impl<'a> WordPiece<'a> {
    /// From pieces in the order of their ids. `lower` also strips accents, as BERT's uncased models do.
    pub fn new(
        pieces: impl Iterator<Item = Cow<'a, [u8]>>,
        ranges: Ranges<'a>,
        unknown: u32,
        lower: bool,
    ) -> WordPiece<'a> {
        let (mut starts, mut rests) = (FxHashMap::default(), FxHashMap::default());
        let mut longest = 0;
        for (id, piece) in pieces.enumerate() {
            longest = longest.max(piece.len());
            // `##` alone would be an endless piece of nothing; a word of two hashes is split anyway.
            let rest = match &piece {
                Cow::Borrowed(bytes) => bytes.strip_prefix(b"##").map(Cow::Borrowed),
                Cow::Owned(bytes) => bytes.strip_prefix(b"##").map(|b| Cow::Owned(b.to_vec())),
            };
            match rest.filter(|rest| !rest.is_empty()) {
                Some(rest) => rests.insert(rest, id as u32),
                None => starts.insert(piece, id as u32),
            };
        }
        let mut ascii = [Class::Plain; 128];
        for (code, class) in ascii.iter_mut().enumerate() {
            *class = ranges.class(char::from(code as u8));
        }
        WordPiece {
            ranges,
            ascii,
            starts,
            rests,
            longest,
            unknown,
            lower,
        }
    }

    /// Pieces of different text.
    pub fn len(&self) -> usize {
        self.starts.len() + self.rests.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The id of a whole piece such as `[CLS]`.
    pub fn id(&self, piece: &str) -> Option<u32> {
        match piece.strip_prefix("##") {
            Some(rest) if !rest.is_empty() => self.rests.get(rest.as_bytes()).copied(),
            _ => self.starts.get(piece.as_bytes()).copied(),
        }
    }

    fn class(&self, c: char) -> Class {
        match self.ascii.get(c as usize) {
            Some(class) => *class,
            None => self.ranges.class(c),
        }
    }

    /// Appends the ids of a text's pieces. Names of special pieces in the text are plain text.
    pub fn encode(&self, text: &str, ids: &mut Vec<u32>) {
        let mut word = String::new();
        if text.is_ascii() {
            for &byte in text.as_bytes() {
                let c = char::from(byte);
                match self.ascii[usize::from(byte)] {
                    Class::Drop => {}
                    _ if c.is_whitespace() => self.end(&mut word, ids),
                    Class::Split => self.alone(&mut word, c, ids),
                    _ if self.lower => word.push(c.to_ascii_lowercase()),
                    _ => word.push(c),
                }
            }
        } else {
            let cleaned = self.cleaned(text);
            if self.lower {
                let stripped = cleaned.nfd().filter(|&c| self.class(c) != Class::Strip);
                for c in stripped.flat_map(char::to_lowercase) {
                    self.take(c, &mut word, ids);
                }
            } else {
                for c in cleaned.chars() {
                    self.take(c, &mut word, ids);
                }
            }
        }
        self.end(&mut word, ids);
    }

    /// Without dropped characters, white space as spaces, ideographs between spaces.
    fn cleaned(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len() + text.len() / 8);
        for c in text.chars() {
            match self.class(c) {
                Class::Drop => {}
                Class::Cjk => out.extend([' ', c, ' ']),
                _ if c.is_whitespace() => out.push(' '),
                _ => out.push(c),
            }
        }
        out
    }

    fn take(&self, c: char, word: &mut String, ids: &mut Vec<u32>) {
        if c.is_whitespace() {
            self.end(word, ids);
        } else if self.class(c) == Class::Split {
            self.alone(word, c, ids);
        } else {
            word.push(c);
        }
    }

    fn alone(&self, word: &mut String, c: char, ids: &mut Vec<u32>) {
        self.end(word, ids);
        word.push(c);
        self.end(word, ids);
    }

    /// Cuts the word into the longest pieces from the left and empties it; one unknown if a rest has no piece.
    fn end(&self, word: &mut String, ids: &mut Vec<u32>) {
        if word.is_empty() {
            return;
        }
        let bytes = word.as_bytes();
        let before = ids.len();
        let mut start = 0;
        if bytes.len() > LONGEST_WORD && word.chars().count() > LONGEST_WORD {
            start = bytes.len();
            ids.push(self.unknown);
        }
        while start < bytes.len() {
            let table = if start == 0 {
                &self.starts
            } else {
                &self.rests
            };
            let mut stop = bytes.len().min(start + self.longest);
            loop {
                if stop == start {
                    ids.truncate(before);
                    ids.push(self.unknown);
                    start = bytes.len();
                    break;
                }
                // A cut inside a character finds nothing: pieces are whole characters.
                if let Some(&id) = table.get(&bytes[start..stop]) {
                    ids.push(id);
                    start = stop;
                    break;
                }
                stop -= 1;
            }
        }
        word.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::table::table;

    fn ids(lower: bool, text: &str) -> Vec<u32> {
        let pieces = [
            "[UNK]",
            "Ur",
            "ur",
            "##ban",
            "\u{57ce}",
            "caf\u{e9}",
            "cafe",
            ".",
            "x",
            "##x",
        ];
        let pieces = pieces.into_iter().map(|p| Cow::Borrowed(p.as_bytes()));
        let wordpiece = WordPiece::new(pieces, table().unwrap().ranges, 0, lower);
        let mut ids = Vec::new();
        wordpiece.encode(text, &mut ids);
        ids
    }

    #[test]
    fn cased_and_uncased() {
        assert_eq!(ids(true, "Urban UR."), [2, 3, 2, 7]);
        assert_eq!(ids(false, "Urban UR."), [1, 3, 0, 7]);
        assert_eq!(ids(true, "Caf\u{e9}\u{57ce}ur"), [6, 4, 2]);
        assert_eq!(ids(false, "caf\u{e9}\u{57ce}ur"), [5, 4, 2]);
    }

    #[test]
    fn unknown_rests_and_long_words_are_one_unknown() {
        assert_eq!(ids(true, "urbane\u{0} u\u{200b}r"), [0, 2]);
        assert_eq!(ids(true, &"x".repeat(100)).len(), 100);
        assert_eq!(ids(true, &"x".repeat(101)), [0]);
        assert!(ids(true, " \t\n").is_empty());
    }
}
