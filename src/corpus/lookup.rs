//! Which passage has this identifier, this title, this content: how gold finds its passage.

use super::Passage;
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;
use xxhash_rust::xxh3::{Xxh3, xxh3_128};

/// Passages by identifier, title and content, over a corpus in memory or an opened index. It holds 128-bit
/// hashes, not the texts.
#[derive(Clone, Debug, Default)]
pub struct Lookup {
    ids: FxHashMap<u128, u32>,
    /// `None` once several passages have the title.
    titles: FxHashMap<u128, Option<u32>>,
    contents: FxHashMap<u128, u32>,
}

impl Lookup {
    /// Over a corpus in memory.
    pub fn of(passages: &[Passage]) -> Self {
        let mut lookup = Self::default();
        for (at, passage) in (0..).zip(passages) {
            lookup.add(at, &passage.id, &passage.title, &passage.text);
        }
        lookup
    }

    /// Adds one passage; an index adds its own one by one. Of equal contents the first is found.
    pub fn add(&mut self, passage: u32, id: &str, title: &str, text: &str) {
        self.ids.entry(xxh3_128(id.as_bytes())).or_insert(passage);
        match self.titles.entry(xxh3_128(title.as_bytes())) {
            Entry::Vacant(slot) => drop(slot.insert(Some(passage))),
            Entry::Occupied(mut slot) => drop(slot.insert(None)),
        }
        self.contents
            .entry(content_key(title, text))
            .or_insert(passage);
    }

    /// The passage with this identifier.
    pub fn by_id(&self, id: &str) -> Option<u32> {
        self.ids.get(&xxh3_128(id.as_bytes())).copied()
    }

    /// The passage with this title, where it is the only one.
    pub fn by_title(&self, title: &str) -> Option<u32> {
        self.titles
            .get(&xxh3_128(title.as_bytes()))
            .copied()
            .flatten()
    }

    /// The first passage with exactly this title and text.
    pub fn by_content(&self, title: &str, text: &str) -> Option<u32> {
        self.contents.get(&content_key(title, text)).copied()
    }
}

fn content_key(title: &str, text: &str) -> u128 {
    let mut hash = Xxh3::new();
    hash.update(&(title.len() as u64).to_le_bytes());
    hash.update(title.as_bytes());
    hash.update(text.as_bytes());
    hash.digest128()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_by_each_and_refuses_a_shared_title() {
        let passage = |id: &str, title: &str, text: &str| Passage {
            id: id.into(),
            title: title.into(),
            text: text.into(),
        };
        let lookup = Lookup::of(&[
            passage("a", "Ur", "A city."),
            passage("b", "Ur", "A prefix."),
            passage("c", "Uruk", "A city."),
            passage("d", "Ur", "A city."),
        ]);
        assert_eq!(lookup.by_id("b"), Some(1));
        assert_eq!(lookup.by_id("z"), None);
        assert_eq!(lookup.by_title("Uruk"), Some(2));
        assert_eq!(lookup.by_title("Ur"), None);
        assert_eq!(lookup.by_content("Ur", "A city."), Some(0));
        assert_eq!(lookup.by_content("UrA", " city."), None);
    }
}
