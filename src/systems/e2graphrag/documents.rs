//! The documents that passages were cut from, as running text.

use crate::corpus::full_text;
use crate::index::Passages;
use std::ops::Range;

/// Passage ranges of the documents, in order. The readers of text files number the passages of a document, `FILE#1`,
/// `FILE#2` and so on; any other passage is a document by itself.
pub fn documents(passages: &Passages) -> Vec<Range<u32>> {
    let mut found: Vec<Range<u32>> = Vec::new();
    let mut before: Option<(&str, u64)> = None;
    for passage in 0..passages.len() as u32 {
        let place = place(passages.id(passage as usize));
        let goes_on = matches!((before, place), (Some((file, n)), Some((same, next))) if file == same && next == n + 1);
        match found.last_mut().filter(|_| goes_on) {
            Some(document) => document.end = passage + 1,
            None => found.push(passage..passage + 1),
        }
        before = place;
    }
    found
}

/// File and number of a passage that a reader cut.
fn place(id: &str) -> Option<(&str, u64)> {
    let (file, number) = id.rsplit_once('#')?;
    Some((file, number.parse().ok()?))
}

/// A document as running text.
pub struct Running {
    pub text: String,
    /// The first passage.
    first: u32,
    /// Where each passage begins in the text.
    starts: Vec<usize>,
}

impl Running {
    /// The passages one below the other with a blank line between. A title stands before the first passage that has it.
    pub fn new(passages: &Passages, document: Range<u32>) -> Running {
        Running::part(passages, document.start, document)
    }

    /// The passages `range` of the document that begins with the passage `document`: a piece of its running text.
    pub fn part(passages: &Passages, document: u32, range: Range<u32>) -> Running {
        let mut text = String::new();
        let mut starts = Vec::with_capacity(range.len());
        let before = range
            .start
            .checked_sub(1)
            .filter(|&before| before >= document);
        let mut title = before.map_or("", |before| passages.title(before as usize));
        for passage in range.clone() {
            let passage = passage as usize;
            if !text.is_empty() {
                text.push_str("\n\n");
            }
            starts.push(text.len());
            if passages.title(passage) == title {
                text.push_str(passages.text(passage));
            } else {
                title = passages.title(passage);
                text.push_str(&full_text(title, passages.text(passage)));
            }
        }
        Running {
            text,
            first: range.start,
            starts,
        }
    }

    /// The passage that holds a byte of the text.
    pub fn passage(&self, byte: usize) -> u32 {
        self.first
            + self
                .starts
                .partition_point(|&start| start <= byte)
                .saturating_sub(1) as u32
    }

    /// Where a passage of the document begins.
    pub fn start(&self, passage: u32) -> usize {
        self.starts
            .get((passage - self.first) as usize)
            .copied()
            .unwrap_or(self.text.len())
    }

    /// First and last passage of a byte range.
    pub fn passages(&self, bytes: &Range<usize>) -> Range<u32> {
        self.passage(bytes.start)..self.passage(bytes.end.saturating_sub(1).max(bytes.start)) + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Passage;

    fn passages(list: &[(&str, &str, &str)]) -> Passages {
        let made: Vec<Passage> = list
            .iter()
            .map(|&(id, title, text)| Passage {
                id: id.into(),
                title: title.into(),
                text: text.into(),
            })
            .collect();
        Passages::new(&made)
    }

    #[test]
    fn numbered_passages_of_a_file_are_one_document() {
        let p = passages(&[
            ("a.txt#1", "a", "x"),
            ("a.txt#2", "a", "x"),
            ("b.txt#3", "b", "x"),
            ("h001", "h", "x"),
            ("h002", "h", "x"),
            ("q#1.2", "q", "x"),
            ("b.txt#1", "b", "x"),
            ("b.txt#3", "b", "x"),
        ]);
        assert_eq!(documents(&p), [0..2, 2..3, 3..4, 4..5, 5..6, 6..7, 7..8]);
    }

    #[test]
    fn running_text_names_a_title_once_and_finds_passages_again() {
        let p = passages(&[
            ("a#1", "Gull Rock", "One."),
            ("a#2", "Gull Rock", "Two."),
            ("a#3", "Hull", "Three."),
        ]);
        let running = Running::new(&p, 0..3);
        assert_eq!(running.text, "Gull Rock. One.\n\nTwo.\n\nHull. Three.");
        let two = running.text.find("Two").unwrap();
        assert_eq!(
            (
                running.passage(0),
                running.passage(two),
                running.passage(999)
            ),
            (0, 1, 2)
        );
        assert_eq!(running.passages(&(0..two)), 0..1);
        assert_eq!(running.passages(&(0..two + 1)), 0..2);
        // A part reads as it does in the whole.
        assert_eq!(Running::part(&p, 0, 1..3).text, running.text[two..]);
    }
}
