//! Chunks and the slices of them that everything else is made of (KET-RAG: sub-chunks; here units).
//!
//! A document is a text file or a record of a data set. Its text is that of its passages; a window of it is a chunk,
//! a slice of a chunk is a unit. Of a unit only the pieces of passages are kept, so no text is stored twice.

use super::options::{KetBuild, Sizes};
use crate::column::Column;
use crate::index::layer::columns;
use crate::index::{Passages, Together};
use crate::text::chunks;
use crate::text::span;
use rayon::prelude::*;
use sprs::TriMatI;
use std::borrow::Cow;
use std::ops::Range;

columns! {
    /// Units by number, in the order of the documents.
    #[derive(Default)]
    pub struct Units(columns) {
        /// Unit u has the pieces `piece_ends[u-1]..piece_ends[u]`.
        piece_ends: Column<u32> = "unit.piece_ends" [tokens.len()] => ends(piece_passage.len());
        /// Tokens of each unit.
        tokens: Column<u32> = "unit.tokens";
        /// The chunk it is a slice of, from 0.
        chunk: Column<u32> = "unit.chunk" [tokens.len()];
        document: Column<u32> = "unit.document" [tokens.len()];
        piece_passage: Column<u32> = "piece.passage" => below(columns.passages());
        /// Byte range in the passage's full text (title, full stop, text).
        piece_start: Column<u32> = "piece.start" [piece_passage.len()];
        piece_end: Column<u32> = "piece.end" [piece_passage.len()] => spans(&piece_start);
        /// Units that hold a piece of passage p: `passage_units[passage_offsets[p]..passage_offsets[p+1]]`, ascending.
        passage_offsets: Column<u32> = "passage.offsets" [columns.passages() + 1] => offsets(passage_units.len());
        passage_units: Column<u32> = "passage.units" => below(tokens.len());
    }
}

/// A part of a passage in a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    pub passage: u32,
    pub start: u32,
    pub end: u32,
}

impl Piece {
    /// What it holds of its passage's full text.
    pub fn text(self, passages: &Passages) -> Cow<'_, str> {
        passages.part(
            self.passage as usize,
            self.start as usize..self.end as usize,
        )
    }
}

/// A document's text, and where its passages lie in it.
struct Document {
    text: String,
    /// Place in the text, passage, place in its full text, length; ascending.
    parts: Vec<(usize, u32, usize, usize)>,
}

impl Document {
    /// Passages under each other. A title is written where it differs from the one before.
    fn new(passages: &Passages, run: Range<u32>) -> Document {
        let mut document = Document {
            text: String::new(),
            parts: Vec::new(),
        };
        let mut title = "";
        for p in run {
            let full = passages.full_text(p as usize);
            let own = passages.title(p as usize);
            let skip = if own == title {
                full.len() - passages.text(p as usize).len()
            } else {
                0
            };
            title = own;
            if !document.text.is_empty() {
                document.text.push_str("\n\n");
            }
            document
                .parts
                .push((document.text.len(), p, skip, full.len() - skip));
            document.text.push_str(span::of(&full, skip..));
        }
        document
    }

    /// The pieces of passages in a byte range, without white space around them.
    fn pieces(&self, span: Range<usize>) -> impl Iterator<Item = Piece> + '_ {
        let from = self
            .parts
            .partition_point(|part| part.0 + part.3 <= span.start);
        self.parts[from..]
            .iter()
            .take_while(move |part| part.0 < span.end)
            .filter_map(move |&(at, passage, skip, length)| {
                let (start, end) = (span.start.max(at), span.end.min(at + length));
                let said = span::trim(&self.text, start..end);
                (!said.is_empty()).then_some(Piece {
                    passage,
                    start: (said.start - at + skip) as u32,
                    end: (said.end - at + skip) as u32,
                })
            })
    }
}

/// A unit before it is laid out in columns.
struct Slice {
    pieces: Vec<Piece>,
    tokens: u32,
    /// Chunk of the document.
    chunk: u32,
}

impl Units {
    /// Cuts all documents. Also gives the sizes that were used.
    pub fn build(passages: &Passages, options: &KetBuild) -> (Units, Sizes) {
        // A text file's passages are one document, everything else is one document a passage.
        let documents = passages.documents(match options.joined {
            true => Together::All,
            false => Together::Numbered,
        });
        let counted = |p: u32| chunks::count(&passages.full_text(p as usize));
        let mut lengths: Vec<usize> = documents
            .par_iter()
            .map(|run| run.clone().map(counted).sum())
            .collect();
        lengths.sort_unstable();
        let median = lengths.get(lengths.len() / 2).copied().unwrap_or(0);
        let sizes = Sizes::of(options, median);
        let cut: Vec<Vec<Slice>> = documents
            .par_iter()
            .map(|run| slices(&Document::new(passages, run.clone()), &sizes))
            .collect();
        (Units::into_columns(passages.len(), cut), sizes)
    }

    fn into_columns(passages: usize, cut: Vec<Vec<Slice>>) -> Units {
        let mut units = Builder::default();
        let mut chunks = 0;
        for (document, slices) in (0u32..).zip(cut) {
            let first = chunks;
            for slice in slices {
                for piece in slice.pieces {
                    units.passage.push(piece.passage);
                    units.start.push(piece.start);
                    units.end.push(piece.end);
                }
                units.ends.push(units.passage.len() as u32);
                units.tokens.push(slice.tokens);
                units.chunk.push(first + slice.chunk);
                units.document.push(document);
                chunks = first + slice.chunk + 1;
            }
        }
        units.finish(passages)
    }

    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    pub fn tokens(&self, unit: u32) -> usize {
        self.tokens[unit as usize] as usize
    }

    pub fn chunk(&self, unit: u32) -> u32 {
        self.chunk[unit as usize]
    }

    pub fn document(&self, unit: u32) -> u32 {
        self.document[unit as usize]
    }

    pub fn pieces(&self, unit: u32) -> impl Iterator<Item = Piece> + '_ {
        let unit = unit as usize;
        let start = if unit == 0 {
            0
        } else {
            self.piece_ends[unit - 1]
        };
        (start as usize..self.piece_ends[unit] as usize).map(|i| Piece {
            passage: self.piece_passage[i],
            start: self.piece_start[i],
            end: self.piece_end[i],
        })
    }

    /// Units with a piece of a passage.
    pub fn of_passage(&self, passage: u32) -> &[u32] {
        let passage = passage as usize;
        let span =
            self.passage_offsets[passage] as usize..self.passage_offsets[passage + 1] as usize;
        &self.passage_units[span]
    }

    /// The passage that a unit is the whole of, where it is: then the two have one vector.
    pub fn whole(&self, unit: u32) -> Option<u32> {
        let mut pieces = self.pieces(unit);
        let piece = pieces.next()?;
        let alone = pieces.next().is_none() && self.of_passage(piece.passage).len() == 1;
        // Cut at both ends by nothing but white space: a piece of a passage that starts with its title.
        (alone && piece.start == 0).then_some(piece.passage)
    }

    /// The text of a unit: its pieces under each other.
    pub fn text(&self, passages: &Passages, unit: u32) -> String {
        let mut text = String::new();
        for piece in self.pieces(unit) {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&piece.text(passages));
        }
        text
    }

    /// The title of its first passage.
    pub fn title<'p>(&self, passages: &'p Passages, unit: u32) -> &'p str {
        let first = self.pieces(unit).next();
        first.map_or("", |piece| passages.title(piece.passage as usize))
    }
}

#[derive(Default)]
struct Builder {
    ends: Vec<u32>,
    passage: Vec<u32>,
    start: Vec<u32>,
    end: Vec<u32>,
    tokens: Vec<u32>,
    chunk: Vec<u32>,
    document: Vec<u32>,
}

impl Builder {
    fn finish(self, passages: usize) -> Units {
        // A unit with several pieces of a passage stands there once.
        let mut held = TriMatI::new((passages, self.ends.len()));
        let mut at = 0;
        for (unit, end) in self.ends.iter().enumerate() {
            for passage in &self.passage[at..*end as usize] {
                held.add_triplet(*passage as usize, unit, 1u32);
            }
            at = *end as usize;
        }
        let (passage_offsets, passage_units, _) = held.to_csr::<u32>().into_raw_storage();
        Units {
            piece_ends: self.ends.into(),
            piece_passage: self.passage.into(),
            piece_start: self.start.into(),
            piece_end: self.end.into(),
            tokens: self.tokens.into(),
            chunk: self.chunk.into(),
            document: self.document.into(),
            passage_offsets: passage_offsets.into(),
            passage_units: passage_units.into(),
        }
    }
}

/// Lists as one array and the offsets of its rows.
pub fn rows<T>(lists: Vec<Vec<T>>) -> (Vec<u32>, Vec<T>) {
    let mut offsets = Vec::with_capacity(lists.len() + 1);
    offsets.push(0);
    let mut values = Vec::with_capacity(lists.iter().map(Vec::len).sum());
    for list in lists {
        values.extend(list);
        offsets.push(values.len() as u32);
    }
    (offsets, values)
}

/// Chunks of a document, and each chunk in slices of equal length; the last of a short chunk may be shorter.
fn slices(document: &Document, sizes: &Sizes) -> Vec<Slice> {
    let tokens = chunks::tokens(&document.text);
    let windows = chunks::windows(&document.text, sizes.chunk_tokens, sizes.overlap);
    let mut found = Vec::new();
    for (chunk, window) in (0u32..).zip(&windows) {
        let mut from = window.tokens.start;
        while from < window.tokens.end {
            let to = (from + sizes.slice()).min(window.tokens.end);
            let start = if from == window.tokens.start {
                window.bytes.start
            } else {
                tokens[from].start
            };
            let end = if to == window.tokens.end {
                window.bytes.end
            } else {
                tokens[to].start
            };
            found.push(Slice {
                pieces: document.pieces(start..end).collect(),
                tokens: (to - from) as u32,
                chunk,
            });
            from = to;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Passage;

    fn passages(items: &[(&str, &str, &str)]) -> Passages {
        let items: Vec<Passage> = items
            .iter()
            .map(|(id, title, text)| Passage {
                id: (*id).into(),
                title: (*title).into(),
                text: (*text).into(),
            })
            .collect();
        Passages::new(&items)
    }

    fn build(p: &Passages, size: usize, overlap: usize, halvings: usize, joined: bool) -> Units {
        let options = KetBuild {
            chunk_tokens: Some(size),
            chunk_overlap: overlap,
            halvings: Some(halvings),
            joined,
            ..KetBuild::default()
        };
        Units::build(p, &options).0
    }

    fn texts(p: &Passages, units: &Units) -> Vec<String> {
        (0..units.len() as u32).map(|u| units.text(p, u)).collect()
    }

    #[test]
    fn a_chunk_is_halved_into_equal_slices() {
        // Eleven tokens with the title; chunks of 8 that share 2; slices of 8 / 2^2 = 2.
        let p = passages(&[("1", "T", "a b c d e f g h i j.")]);
        let units = build(&p, 8, 2, 2, false);
        let expected = ["T. a", "b c", "d e", "f g", "f g", "h i", "j."];
        assert_eq!(texts(&p, &units), expected);
        let chunks: Vec<u32> = (0..7).map(|u| units.chunk(u)).collect();
        assert_eq!(chunks, [0, 0, 0, 0, 1, 1, 1]);
        assert_eq!(units.tokens(6), 1);
        assert_eq!(units.of_passage(0), [0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(units.whole(0), None);
    }

    #[test]
    fn a_short_passage_is_one_unit_and_the_whole_of_it() {
        let p = passages(&[("1", "T", "a b."), ("2", "", "?!"), ("3", "", "c d e")]);
        let units = build(&p, 150, 100, 0, false);
        assert_eq!(texts(&p, &units), ["T. a b.", "c d e"]);
        assert_eq!((units.whole(0), units.whole(1)), (Some(0), Some(2)));
        assert!(units.of_passage(1).is_empty(), "nothing to read, no unit");
        assert_eq!(units.document(1), 2);
    }

    #[test]
    fn a_unit_may_span_passages_and_a_title_is_written_once() {
        let p = passages(&[
            ("f#1", "Book", "a b c"),
            ("f#2", "Book", "d e f"),
            ("f#3", "Part", "g"),
        ]);
        let units = build(&p, 5, 0, 0, false);
        assert_eq!(texts(&p, &units), ["Book. a b c\nd", "e f\nPart. g"]);
        let pieces: Vec<Piece> = units.pieces(1).collect();
        assert_eq!(pieces.len(), 2);
        assert_eq!(
            (pieces[0].passage, pieces[1].passage, pieces[1].start),
            (1, 2, 0)
        );
        assert_eq!(units.of_passage(1), [0, 1]);
        assert_eq!(units.title(&p, 1), "Book");
        // Joined, records share chunks too.
        let p = passages(&[("1", "A", "a b"), ("2", "B", "c d")]);
        assert_eq!(texts(&p, &build(&p, 4, 0, 0, true)), ["A. a b\nB.", "c d"]);
    }

    #[test]
    fn every_unit_has_as_many_tokens_as_it_says() {
        let long: String = (0..90).map(|i| format!("w{i}, Straße №{i}. ")).collect();
        let p = passages(&[
            ("f#1", "One two", &long),
            ("f#2", "Three", &long),
            ("x", "", &long),
        ]);
        for (size, overlap, halvings) in [(40, 10, 2), (33, 16, 1), (150, 75, 0), (7, 0, 3)] {
            let units = build(&p, size, overlap, halvings, false);
            for u in 0..units.len() as u32 {
                assert_eq!(chunks::count(&units.text(&p, u)), units.tokens(u));
            }
        }
    }
}
