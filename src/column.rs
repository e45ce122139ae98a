//! Flat arrays: owned while building and in memory, borrowed from a map when opened from disk.

use bytemuck::Pod;
use memmap2::Mmap;
use std::ops::{Deref, Range};
use std::sync::Arc;

/// A read-only array of plain values. Little-endian on disk; big-endian machines are refused at open. A clone of a mapped
/// one shares the map.
#[derive(Clone)]
pub enum Column<T: Pod> {
    Owned(Vec<T>),
    /// Checked once at construction: length and alignment fit `T`.
    Mapped(Arc<Mmap>),
}

impl<T: Pod> Column<T> {
    /// Borrows a mapped file.
    ///
    /// # Errors
    /// What does not fit, when the length is no whole number of values.
    pub fn mapped(map: Arc<Mmap>) -> Result<Column<T>, String> {
        match bytemuck::try_cast_slice::<u8, T>(&map) {
            Ok(_) => Ok(Column::Mapped(map)),
            Err(said) => Err(format!(
                "{} bytes are no array of {}-byte values: {said}",
                map.len(),
                size_of::<T>()
            )),
        }
    }

    pub fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(self)
    }
}

impl<T: Pod> Deref for Column<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self {
            Column::Owned(values) => values,
            Column::Mapped(map) => bytemuck::cast_slice(map),
        }
    }
}

impl<T: Pod> Default for Column<T> {
    fn default() -> Self {
        Column::Owned(Vec::new())
    }
}

impl<T: Pod> From<Vec<T>> for Column<T> {
    fn from(values: Vec<T>) -> Self {
        Column::Owned(values)
    }
}

/// Places of run `i`, where runs lie end to end and each ends at `ends`.
pub fn range<E: Copy + Into<u64>>(ends: &[E], i: usize) -> Range<usize> {
    let start = i.checked_sub(1).map_or(0, |before| ends[before].into());
    start as usize..ends[i].into() as usize
}

/// Many strings in one run of bytes: string `i` is `bytes[ends[i-1]..ends[i]]`.
#[derive(Clone, Default)]
pub struct Strings {
    pub ends: Column<u64>,
    pub bytes: Column<u8>,
}

impl Strings {
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// String `i`; empty when `i` is past the end.
    pub fn get(&self, i: usize) -> &str {
        let start = if i == 0 {
            0
        } else {
            self.ends.get(i - 1).copied().unwrap_or(0)
        };
        let end = self.ends.get(i).copied().unwrap_or(start);
        let bytes = self
            .bytes
            .get(start as usize..end as usize)
            .unwrap_or_default();
        // Checksums hold what was written, and only text was: this fails on no file that opened.
        std::str::from_utf8(bytes).unwrap_or_default()
    }

    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|i| self.get(i))
    }
}

impl<S: AsRef<str>> FromIterator<S> for Strings {
    fn from_iter<I: IntoIterator<Item = S>>(items: I) -> Strings {
        let mut writing = Writing::default();
        for item in items {
            writing.push(item.as_ref());
        }
        writing.finish()
    }
}

/// Strings that still come in: end to end from the first on, for millions of small ones would leave memory in pieces.
#[derive(Default)]
pub struct Writing {
    ends: Vec<u64>,
    bytes: Vec<u8>,
}

impl Writing {
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    pub fn push(&mut self, text: &str) {
        self.bytes.extend_from_slice(text.as_bytes());
        self.end();
    }

    /// Adds the words of a text with one space between them.
    pub fn push_words(&mut self, text: &str) {
        for (at, word) in text.split_whitespace().enumerate() {
            if at > 0 {
                self.bytes.push(b' ');
            }
            self.bytes.extend_from_slice(word.as_bytes());
        }
        self.end();
    }

    fn end(&mut self) {
        self.ends.push(self.bytes.len() as u64);
    }

    pub fn finish(self) -> Strings {
        Strings {
            ends: self.ends.into(),
            bytes: self.bytes.into(),
        }
    }
}
