//! The keyword-text graph: every word that tells something, joined to the units it occurs in (KET-RAG, 3.2.5).
//!
//! A keyword's vector is the mean over its occurrences of the vector of the sentence it stands in; a word that stands
//! twice in a sentence counts it twice. The mean is shorter than one where contexts differ. Its length is kept beside
//! the unit vector, so cosine and inner product both come from one row.

use super::rows;
use super::units::{Units, rows as offsets};
use crate::column::{Column, Strings};
use crate::embed::{EmbedError, Identity, VectorWriter, Vectors};
use crate::index::layer::columns;
use crate::index::{Dense, IndexError, Passages};
use crate::text::keywords::each_keyword;
use crate::text::sentences::sentences;
use crate::text::span;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

columns! {
    /// Keywords by number, in order of first appearance.
    pub struct Keywords(columns, of: usize, identity: &Identity) {
        pub words: Strings = "keyword";
        /// Keywords by spelling, ascending.
        sorted: Column<u32> = "keyword.sorted" [words.len()] => below(words.len());
        /// Length of the mean vector, 0 to 1.
        pub length: Column<f32> = "keyword.length" [words.len()] => finite();
        /// Units of keyword w: `units[offsets[w]..offsets[w+1]]`, ascending.
        offsets: Column<u32> = "keyword.offsets" [words.len() + 1] => offsets(units.len());
        units: Column<u32> = "keyword.units" => below(of);
        /// Unit vectors.
        pub vectors: Vectors = "keyword.vector" by identity, "scale" [words.len()];
    }
}

/// What is gathered from one unit: its sentences, and which words stand in them.
struct Read {
    sentences: Vec<String>,
    /// Word and sentence, in the order of the text.
    words: Vec<(String, u32)>,
}

fn read(text: &str, code_case: bool) -> Read {
    let spans = sentences(text);
    let mut words = Vec::new();
    for (sentence, span) in (0u32..).zip(&spans) {
        each_keyword(span::of(text, span.clone()), code_case, |word| {
            words.push((word.to_owned(), sentence));
        });
    }
    Read {
        sentences: spans
            .into_iter()
            .map(|s| span::of(text, s).to_owned())
            .collect(),
        words,
    }
}

/// Units whose words lie in memory at once.
const READ: usize = 2048;

impl Keywords {
    /// Reads all units. `progress` hears of units read and sentences encoded, out of the sentences there are.
    ///
    /// # Errors
    /// Cancelled, or what the encoder says.
    pub fn build(
        passages: &Passages,
        units: &Units,
        dense: &Dense,
        code_case: bool,
        progress: &dyn Fn(usize, usize) -> bool,
    ) -> Result<Keywords, IndexError> {
        let mut numbers: FxHashMap<String, u32> = FxHashMap::default();
        let mut words: Vec<String> = Vec::new();
        // Of every keyword: the sentences it stands in, over the whole collection, and its units.
        let mut stands: Vec<Vec<u32>> = Vec::new();
        let mut found: Vec<Vec<u32>> = Vec::new();
        let mut sentences: Vec<String> = Vec::new();
        for first_unit in (0..units.len() as u32).step_by(READ) {
            let batch = first_unit..(first_unit + READ as u32).min(units.len() as u32);
            let reads: Vec<Read> = batch
                .clone()
                .into_par_iter()
                .map(|u| read(&units.text(passages, u), code_case))
                .collect();
            for (unit, read) in batch.zip(reads) {
                let first = sentences.len() as u32;
                sentences.extend(read.sentences);
                for (word, sentence) in read.words {
                    let number = match numbers.get(&word) {
                        Some(&number) => number as usize,
                        None => {
                            let number = words.len();
                            words.push(word.clone());
                            numbers.insert(word, number as u32);
                            stands.push(Vec::new());
                            found.push(Vec::new());
                            number
                        }
                    };
                    stands[number].push(first + sentence);
                    if found[number].last() != Some(&unit) {
                        found[number].push(unit);
                    }
                }
            }
        }
        drop(numbers);
        let total = sentences.len();
        let encoded = rows::encode(dense, &sentences, &|done| progress(done, total))?;
        drop(sentences);
        let (vectors, length) = means(dense.vectors.identity(), &encoded, &stands)?;
        let mut sorted: Vec<u32> = (0..words.len() as u32).collect();
        sorted.sort_unstable_by(|a, b| words[*a as usize].cmp(&words[*b as usize]));
        let (offsets, units) = offsets(found);
        Ok(Keywords {
            words: words.iter().collect(),
            sorted: sorted.into(),
            vectors,
            length: length.into(),
            offsets: offsets.into(),
            units: units.into(),
        })
    }

    pub fn len(&self) -> usize {
        self.words.len()
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Keyword-unit edges.
    pub fn edges(&self) -> usize {
        self.units.len()
    }

    /// The units a keyword occurs in.
    pub fn units(&self, keyword: u32) -> &[u32] {
        let keyword = keyword as usize;
        &self.units[self.offsets[keyword] as usize..self.offsets[keyword + 1] as usize]
    }

    pub fn find(&self, word: &str) -> Option<u32> {
        let spelling = |k: &u32| self.words.get(*k as usize);
        let at = self.sorted.partition_point(|k| spelling(k) < word);
        self.sorted.get(at).copied().filter(|k| spelling(k) == word)
    }
}

/// Keywords whose means lie in memory as f32 at once.
const BATCH: usize = 8192;

/// The mean of each keyword's sentences as a unit vector and its length. Added up in f64, in the order of the text.
fn means(
    identity: &Identity,
    sentences: &Vectors,
    stands: &[Vec<u32>],
) -> Result<(Vectors, Vec<f32>), EmbedError> {
    let dims = identity.dims;
    let small = matches!(sentences.rows(), crate::embed::Rows::I8 { .. });
    let mut gather = VectorWriter::new(identity.clone(), small);
    let mut lengths = Vec::with_capacity(stands.len());
    for batch in stands.chunks(BATCH) {
        let mut values = vec![0.0_f32; batch.len() * dims];
        let batch_lengths: Vec<f32> = values
            .par_chunks_mut(dims)
            .zip(batch)
            .map_init(
                || (vec![0.0_f32; dims], vec![0.0_f64; dims]),
                |(row, sum), (out, occurrences)| {
                    sum.fill(0.0);
                    for &sentence in occurrences {
                        sentences.row(sentence, row);
                        for (sum, value) in sum.iter_mut().zip(&*row) {
                            *sum += f64::from(*value);
                        }
                    }
                    let square: f64 = sum.iter().map(|x| x * x).sum();
                    let norm = square.sqrt();
                    if norm > 0.0 {
                        for (out, sum) in out.iter_mut().zip(&*sum) {
                            *out = (sum / norm) as f32;
                        }
                    }
                    (norm / occurrences.len().max(1) as f64) as f32
                },
            )
            .collect();
        gather.push(&values)?;
        lengths.extend(batch_lengths);
    }
    Ok((gather.finish()?, lengths))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::Kind;

    #[test]
    fn a_keyword_is_the_mean_of_its_sentences() {
        let identity = Identity {
            name: "test".into(),
            kind: Kind::File,
            dims: 2,
            fingerprint: String::new(),
        };
        let sentences = Vectors::new(identity.clone(), vec![1.0, 0.0, 0.0, 1.0, 0.0, 0.0]).unwrap();
        let (vectors, lengths) = means(
            &identity,
            &sentences,
            &[vec![0, 1], vec![0, 0, 1], vec![2], vec![1]],
        )
        .unwrap();
        let row = |i: u32| {
            let mut out = [0.0; 2];
            vectors.row(i, &mut out);
            out
        };
        let half = 0.5_f32.sqrt();
        assert!((row(0)[0] - half).abs() < 1e-6 && (row(0)[1] - half).abs() < 1e-6);
        assert!((lengths[0] - half).abs() < 1e-6, "two at right angles");
        // (2, 1) / 3: twice in one sentence counts twice.
        assert!((row(1)[0] / row(1)[1] - 2.0).abs() < 1e-5);
        assert!((lengths[1] - 5.0_f32.sqrt() / 3.0).abs() < 1e-6);
        assert_eq!((row(2), lengths[2]), ([0.0, 0.0], 0.0));
        assert_eq!(lengths[3], 1.0);
    }
}
