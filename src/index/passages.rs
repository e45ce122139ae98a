//! The passages of an index, as columns.

use super::excerpt::Fetched;
use crate::column::{Column, Strings};
use crate::corpus::{Passage, full_text};
use crate::derived::once;
use crate::text::span;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;
use xxhash_rust::xxh3::xxh3_64;

/// Identifiers, titles and texts by passage number.
#[derive(Default)]
pub struct Passages {
    pub ids: Strings,
    pub titles: Strings,
    pub texts: Strings,
    /// Passage numbers by identifier, ascending.
    pub sorted: Column<u32>,
    /// Passages whose title another one has too, found when somebody asks.
    pub twins: OnceLock<Column<u32>>,
    /// Passage numbers by checksums of what they say, made when somebody asks.
    pub said: OnceLock<FxHashMap<u64, u32>>,
    /// Which of them came, of an excerpt: the others are asked for by identifier, and where it has the numbers of the whole by
    /// whoever reads them.
    pub(super) came: Option<Came>,
}

/// Which passages of an excerpt came, and which of them with their texts.
pub(super) struct Came {
    pub titles: Fetched,
    pub texts: Fetched,
}

/// A checksum of the words of texts, whatever white space is between them; none where there are none.
fn checksum(texts: &[&str]) -> Option<u64> {
    let mut hash = xxhash_rust::xxh3::Xxh3::new();
    let words = texts.iter().flat_map(|text| text.split_whitespace());
    let mut words = words.peekable();
    words.peek()?;
    for word in words {
        hash.update(word.as_bytes());
        hash.update(b" ");
    }
    Some(hash.digest())
}

/// Digits of the shortest checksum, MD5's by half: `chunk-9e3921da66da5d76...`.
const CHECKSUM: usize = 16;
/// Longest opening, in characters.
const OPENING: usize = 32;

/// Whether an identifier ends in a checksum, or is one.
pub(super) fn is_checksum(id: &str) -> bool {
    let tail = id.rsplit(['-', '_', ':']).next().unwrap_or(id);
    tail.len() >= CHECKSUM
        && tail.bytes().all(|byte| byte.is_ascii_hexdigit())
        && tail.bytes().any(|byte| byte.is_ascii_digit())
        && tail.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// Words of a line that stands for a text, at least.
const OPENING_WORDS: usize = 3;

/// The words that a text opens with: of its first line that says anything.
fn opening(text: &str) -> &str {
    let mut lines = text.lines();
    let line = lines.find(|line| line.split_whitespace().count() >= OPENING_WORDS);
    let line = line.or_else(|| text.lines().next()).unwrap_or_default();
    let line = line.trim_start_matches(|c: char| !c.is_alphanumeric());
    match line.char_indices().nth(OPENING) {
        None => line.trim_end(),
        Some((end, _)) => {
            let cut = span::of(line, ..end);
            let last = cut.rfind(char::is_whitespace);
            last.map_or(cut, |at| span::of(cut, ..at))
        }
    }
}

/// Title and text of a passage.
#[derive(Clone, Copy, Debug)]
pub struct Reading<'a> {
    title: &'a str,
    text: &'a str,
}

impl<'a> Reading<'a> {
    /// A part of the full text; of the text alone it is borrowed.
    pub fn part(&self, range: Range<usize>) -> Cow<'a, str> {
        let title = self.title.len();
        let body = if title == 0 { 0 } else { title + 2 };
        match range.start.checked_sub(body) {
            Some(start) => {
                let range = start..range.end.saturating_sub(body);
                Cow::Borrowed(span::clipped(self.text, range))
            }
            None => Cow::Owned(span::clipped(&full_text(self.title, self.text), range).to_owned()),
        }
    }
}

impl Passages {
    pub fn new(passages: &[Passage]) -> Passages {
        Passages::of(
            passages.iter().map(|p| &p.id).collect(),
            passages.iter().map(|p| &p.title).collect(),
            passages.iter().map(|p| &p.text).collect(),
            (0..passages.len() as u32).collect(),
        )
    }

    /// Of as many identifiers as titles and texts. Those of `known` passages all differ, and can be looked up.
    pub(super) fn of(ids: Strings, titles: Strings, texts: Strings, known: Vec<u32>) -> Passages {
        let sorted = ids.order_of(known);
        Passages {
            ids,
            titles,
            texts,
            sorted: sorted.into(),
            twins: OnceLock::new(),
            said: OnceLock::new(),
            came: None,
        }
    }

    pub fn len(&self) -> usize {
        self.ids.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    pub fn id(&self, passage: usize) -> &str {
        self.asks_for(passage, false);
        self.ids.get(passage)
    }

    pub fn title(&self, passage: usize) -> &str {
        self.asks_for(passage, false);
        self.titles.get(passage)
    }

    /// Asks for a passage, or its text, where it did not come.
    fn asks_for(&self, passage: usize, text: bool) {
        let Some(came) = self.came.as_ref().filter(|came| came.titles.is_whole()) else {
            return;
        };
        let passage = passage as u32;
        let _ = match text {
            true => came
                .texts
                .place_or_asks(passage, |wanted| &mut wanted.texts),
            false => came
                .titles
                .place_or_asks(passage, |wanted| &mut wanted.titles),
        };
    }

    /// Whether other passages have its title.
    pub fn is_twin(&self, passage: usize) -> bool {
        !self.title(passage).is_empty() && self.twins().binary_search(&(passage as u32)).is_ok()
    }

    /// Passages whose title others have too, ascending. An index that was written before it stored them works them out.
    pub fn twins(&self) -> &Column<u32> {
        once(&self.twins, || self.same_titles().into())
    }

    fn same_titles(&self) -> Vec<u32> {
        let all = (0..self.len() as u32).into_par_iter();
        let titled = all.filter(|&passage| !self.title(passage as usize).is_empty());
        // Hashes are compared before titles: most differ there.
        let keyed = |passage: u32| {
            let title = self.title(passage as usize);
            (xxh3_64(title.as_bytes()), title, passage)
        };
        let mut titled: Vec<(u64, &str, u32)> = titled.map(keyed).collect();
        titled.par_sort_unstable();
        let same = titled.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1));
        let several = same.filter(|same| same.len() > 1).flatten();
        let mut twins: Vec<u32> = several.map(|own| own.2).collect();
        twins.par_sort_unstable();
        twins
    }

    /// Its title where no other passage has it, else its [short](Self::short) name.
    pub fn called(&self, passage: usize) -> &str {
        match self.title(passage) {
            "" => self.short(passage),
            _ if self.is_twin(passage) => self.short(passage),
            title => title,
        }
    }

    /// Its identifier; where that is a checksum, which says nothing to a person, the words that its text opens with.
    pub fn short(&self, passage: usize) -> &str {
        let id = self.id(passage);
        match is_checksum(id) {
            true => Some(opening(self.text(passage))).filter(|words| !words.is_empty()),
            false => None,
        }
        .unwrap_or(id)
    }

    pub fn text(&self, passage: usize) -> &str {
        self.asks_for(passage, true);
        self.texts.get(passage)
    }

    /// What is indexed: title, full stop, text.
    pub fn full_text(&self, passage: usize) -> String {
        full_text(self.title(passage), self.text(passage))
    }

    /// A part of the full text: one of the text alone is not copied, so that cutting a long passage takes time by its length.
    pub fn part(&self, passage: usize, range: Range<usize>) -> Cow<'_, str> {
        self.read(passage).part(range)
    }

    /// A passage that several parts are read of: its text is looked at once, not once a part.
    pub fn read(&self, passage: usize) -> Reading<'_> {
        let (title, text) = (self.title(passage), self.text(passage));
        Reading { title, text }
    }

    pub fn find(&self, id: &str) -> Option<u32> {
        let at = self.sorted.partition_point(|&p| self.id(p as usize) < id);
        let found = self.sorted.get(at).copied();
        let found = found.filter(|&passage| self.id(passage as usize) == id);
        if let (None, Some(came)) = (found, &self.came) {
            came.titles.asked.note(|wanted| {
                wanted.ids.insert(id.to_owned());
            });
        }
        found
    }

    /// The passage that says a text, with or without its title before it, or else has a title that no other has. White
    /// space does not count; of passages that say the same, the first.
    pub fn said(&self, title: &str, text: &str) -> Option<u32> {
        // A run that names passages by identifiers alone needs no table.
        let mut keys = [text, title]
            .into_iter()
            .flat_map(|words| checksum(&[words]));
        keys.find_map(|key| self.table_of_words().get(&key).copied())
    }

    fn table_of_words(&self) -> &FxHashMap<u64, u32> {
        once(&self.said, || {
            let all = || 0..self.len();
            let keyed = |passage: usize, words: &[&str]| Some((checksum(words)?, passage as u32));
            let texts = all().filter_map(|p| keyed(p, &[self.text(p)]));
            let full = all().filter_map(|p| keyed(p, &[self.title(p), self.text(p)]));
            let titles = all().filter(|p| !self.is_twin(*p));
            let titles = titles.filter_map(|p| keyed(p, &[self.title(p)]));
            let mut table = FxHashMap::default();
            for (key, passage) in texts.chain(full).chain(titles) {
                table.entry(key).or_insert(passage);
            }
            table
        })
    }

    /// A fingerprint of all identifiers, titles and texts.
    pub fn fingerprint(&self) -> String {
        let mut hash = xxhash_rust::xxh3::Xxh3::new();
        for column in [&self.ids, &self.titles, &self.texts] {
            hash.update(column.ends.bytes());
            hash.update(column.bytes.bytes());
        }
        format!("{:032x}", hash.digest128())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn twins_have_a_title_that_another_has(titles in prop::collection::vec("[ab]{0,2}", 0..20)) {
            let passage = |title: &String| Passage {
                title: title.clone(),
                ..Passage::default()
            };
            let passages: Vec<Passage> = titles.iter().map(passage).collect();
            let passages = Passages::new(&passages);
            for (at, title) in titles.iter().enumerate() {
                let same = titles.iter().filter(|other| *other == title).count();
                prop_assert_eq!(passages.is_twin(at), !title.is_empty() && same > 1);
            }
        }
    }

    #[test]
    fn a_checksum_is_called_by_the_words_of_its_text() {
        let passage = |id: &str, text: &str| Passage {
            id: id.into(),
            text: text.into(),
            ..Passage::default()
        };
        let passages = Passages::new(&[
            passage(
                "chunk-9e3921da66da5d761ab73cd849af6c43",
                "hands,\n# Stave I: Marley's Ghost\nMarley was dead.",
            ),
            passage(
                "5c5e11459a374eb675ac836778c37b68",
                "Deep in the winter woods of the north country they lived.",
            ),
            passage("t001880", "Mississippi became a state."),
            passage("5234567812345678", "Digits alone are a number."),
            passage(
                "defacedfacade-facadedefacedfa",
                "Letters alone may be words.",
            ),
        ]);
        let called: Vec<&str> = (0..5).map(|p| passages.called(p)).collect();
        assert_eq!(
            called,
            [
                "Stave I: Marley's Ghost",
                "Deep in the winter woods of the",
                "t001880",
                "5234567812345678",
                "defacedfacade-facadedefacedfa"
            ]
        );
    }
}
