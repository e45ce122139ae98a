//! Words of units: postings with exact lengths, and BM25 over them.
//!
//! Not tantivy's, though it keeps those of the passages. A layer is flat columns with the same bytes at every build, held
//! so by a checksum and by tests; tantivy names its segment by chance and wants a folder or a copy in memory. The columns
//! are of version 1 and stay readable, so what reads them would stand beside a second form. And `count * idf * saturation`
//! is rounded in another order there, which a word asked three times shows in the last bit.

use crate::column::{Column, Strings};
use crate::index::Bm25;
use crate::index::layer::columns;
use crate::index::lexical::{counted, idf};
use crate::text::{Language, Tokens};
use rustc_hash::FxHashMap;

columns! {
    /// Postings of one way of cutting words.
    #[derive(Default)]
    pub struct Postings(columns, of: usize) {
        /// Ascending.
        pub words: Strings = "words";
        /// Postings of word w: `units[ends[w-1]..ends[w]]`, ascending.
        pub ends: Column<u32> = "ends" [words.len()] => ends(units.len());
        pub units: Column<u32> = "units" => below(of);
        /// How often the word stands in the unit, at most 65,535.
        pub tf: Column<u16> = "tf" [units.len()];
        /// Words of each unit.
        pub lengths: Column<u32> = "lengths" [of];
    }
}

/// What the words of a question give a unit.
#[derive(Clone, Debug, PartialEq)]
pub struct Word {
    pub word: String,
    /// How often it stands in the question.
    pub count: f64,
    /// Units that contain it.
    pub df: u32,
    pub idf: f64,
    /// Its place in the postings.
    place: Option<usize>,
}

impl Postings {
    /// Indexes the texts of all units, in order.
    pub fn new(
        tokens: Tokens,
        language: Language,
        units: usize,
        text: impl Fn(usize) -> String,
    ) -> Postings {
        let mut places: FxHashMap<String, u32> = FxHashMap::default();
        let mut lists: Vec<Vec<(u32, u16)>> = Vec::new();
        let mut lengths = Vec::with_capacity(units);
        for unit in 0..units {
            let mut length = 0;
            tokens.each(language, &text(unit), |word| {
                length += 1;
                let place = match places.get(word) {
                    Some(&place) => place,
                    None => {
                        lists.push(Vec::new());
                        let place = lists.len() as u32 - 1;
                        places.insert(word.to_owned(), place);
                        place
                    }
                };
                match lists[place as usize].last_mut() {
                    Some((last, tf)) if *last == unit as u32 => *tf = tf.saturating_add(1),
                    _ => lists[place as usize].push((unit as u32, 1)),
                }
            });
            lengths.push(length);
        }
        let mut words: Vec<(String, u32)> = places.into_iter().collect();
        words.sort_unstable();
        let (mut ends, mut all, mut tf) = (Vec::new(), Vec::new(), Vec::new());
        for (_, place) in &words {
            for (unit, count) in &lists[*place as usize] {
                all.push(*unit);
                tf.push(*count);
            }
            ends.push(all.len() as u32);
        }
        Postings {
            words: words.iter().map(|w| &w.0).collect(),
            ends: ends.into(),
            units: all.into(),
            tf: tf.into(),
            lengths: lengths.into(),
        }
    }

    fn span(&self, place: usize) -> std::ops::Range<usize> {
        let end = |at: usize| self.ends.get(at).map_or(0, |&e| e as usize);
        place.checked_sub(1).map_or(0, end)..end(place)
    }

    /// The words of a question in order of first appearance.
    pub fn question(&self, tokens: Tokens, language: Language, text: &str) -> Vec<Word> {
        let known = |(word, count): (String, f64)| {
            let place = self.find(&word);
            let df = place.map_or(0, |place| self.span(place).len() as u32);
            let idf = idf(self.lengths.len(), df);
            Word {
                word,
                count,
                df,
                idf,
                place,
            }
        };
        counted(tokens, language, text)
            .into_iter()
            .map(known)
            .collect()
    }

    fn find(&self, word: &str) -> Option<usize> {
        let (mut low, mut high) = (0, self.words.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            match self.words.get(middle) < word {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        (self.words.get(low) == word).then_some(low)
    }

    /// BM25 of every unit, 0 where no word is shared. Without the factor k1 + 1, which no ratio of scores keeps.
    pub fn scores(&self, words: &[Word], constants: Bm25) -> Vec<f64> {
        let mut scores = vec![0.0; self.lengths.len()];
        let total: u64 = self.lengths.iter().map(|&l| u64::from(l)).sum();
        let average = total as f64 / self.lengths.len().max(1) as f64;
        for word in words {
            let Some(place) = word.place else { continue };
            let span = self.span(place);
            for (&unit, &tf) in self.units[span.clone()].iter().zip(&self.tf[span]) {
                let length = f64::from(self.lengths[unit as usize]);
                let saturation = constants.saturation(f64::from(tf), length, average);
                scores[unit as usize] += word.count * word.idf * saturation;
            }
        }
        scores
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bm25_by_hand() {
        let texts = ["gull | red gull", "tern | red", "puffin"];
        let postings = Postings::new(Tokens::Plain, Language::English, 3, |u| texts[u].to_owned());
        assert_eq!(postings.lengths[..], [3, 2, 1]);
        let words = postings.question(Tokens::Plain, Language::English, "Red gull, gull egg?");
        let seen: Vec<_> = words.iter().map(|w| (&*w.word, w.count, w.df)).collect();
        assert_eq!(seen, [("red", 1.0, 2), ("gull", 2.0, 1), ("egg", 1.0, 0)]);
        let found = postings.scores(&words, Bm25 { k1: 1.5, b: 0.75 });
        // Average length 2. Unit 0: length factor 1.5 (.25 + .75 * 1.5) = 2.0625; unit 1: 1.5.
        let (red, gull) = ((1.0 + 1.5 / 2.5_f64).ln(), (1.0 + 2.5 / 1.5_f64).ln());
        let first = red / (1.0 + 2.0625) + 2.0 * gull * 2.0 / (2.0 + 2.0625);
        assert!((found[0] - first).abs() < 1e-12);
        assert!((found[1] - red / 2.5).abs() < 1e-12);
        assert_eq!(found[2], 0.0);
        assert!(
            Postings::default().question(Tokens::Plain, Language::English, "a")[0]
                .place
                .is_none()
        );
    }
}
