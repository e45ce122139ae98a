//! The documents that passages were cut from: which passages are one, and its running text.

use super::Passages;
use crate::corpus::full_text;
use std::ops::Range;

/// What makes passages that follow each other one document. Any other passage is a document by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Together {
    /// The readers of text files number the passages of a document, `FILE#1`, `FILE#2` and so on: a run without a gap.
    Numbered,
    /// One text file by its ending, whatever the numbers.
    TextFile,
    /// All passages are one document.
    All,
}

impl Passages {
    /// Passage ranges of the documents, in order.
    pub fn documents(&self, together: Together) -> Vec<Range<u32>> {
        let goes_on = |passage: usize| {
            let (before, own) = (self.id(passage - 1), self.id(passage));
            match together {
                Together::Numbered => match (place(before), place(own)) {
                    (Some((file, n)), Some((same, next))) => {
                        file == same && n.checked_add(1) == Some(next)
                    }
                    _ => false,
                },
                Together::TextFile => {
                    text_file(own).is_some_and(|file| text_file(before) == Some(file))
                }
                Together::All => true,
            }
        };
        let mut found: Vec<Range<u32>> = Vec::new();
        for passage in 0..self.len() as u32 {
            match found.last_mut().filter(|_| goes_on(passage as usize)) {
                Some(document) => document.end = passage + 1,
                None => found.push(passage..passage + 1),
            }
        }
        found
    }
}

/// File and number of a passage that a reader cut.
fn place(id: &str) -> Option<(&str, u64)> {
    let (file, number) = id.rsplit_once('#')?;
    Some((file, number.parse().ok()?))
}

/// The text file that a passage was cut from: its path, before the ordinal.
pub fn text_file(id: &str) -> Option<&str> {
    let (path, ordinal) = id.rsplit_once('#')?;
    let numbered = !ordinal.is_empty() && ordinal.bytes().all(|b| b.is_ascii_digit());
    let (_, extension) = path.rsplit_once('.')?;
    let text = ["txt", "text", "md", "markdown"]
        .iter()
        .any(|e| extension.eq_ignore_ascii_case(e));
    (numbered && text).then_some(path)
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
    fn three_rules_of_what_is_one_document() {
        let p = passages(&[
            ("a.txt#1", "a", "x"),
            ("a.txt#2", "a", "x"),
            ("a.txt#4", "a", "x"),
            ("b.txt#5", "b", "x"),
            ("h001", "h", "x"),
            ("h002", "h", "x"),
            ("q#3.1", "q", "x"),
            ("q#3.2", "q", "x"),
            ("s#1", "s", "x"),
            ("s#2", "s", "x"),
            ("b.txt#6", "b", "x"),
        ]);
        let ends = |together| {
            let found = p.documents(together).into_iter();
            found.map(|d| d.end).collect::<Vec<_>>()
        };
        assert_eq!(ends(Together::Numbered), [2, 3, 4, 5, 6, 7, 8, 10, 11]);
        // The ending tells, not the numbers.
        assert_eq!(ends(Together::TextFile), [3, 4, 5, 6, 7, 8, 9, 10, 11]);
        assert_eq!(ends(Together::All), [11]);
        assert!(Passages::default().documents(Together::All).is_empty());
    }

    #[test]
    fn only_passages_cut_from_a_text_file_share_a_source() {
        assert_eq!(text_file("a/guide.md#3"), Some("a/guide.md"));
        for id in ["t.csv#3", "guide.md", "guide.md#", "guide.md#x", "C#"] {
            assert_eq!(text_file(id), None, "{id}");
        }
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
