//! How much each word piece tells in a given corpus: what the static encoder learns when an index is built.

use super::table::Table;
use crate::column::Column;
use crate::corpus::full_text;
use rayon::prelude::*;

/// The square root of every piece's idf, by piece; without a corpus all are one.
#[derive(Default)]
pub struct Weights(Column<f32>);

/// A piece in every passage still counts a little.
const LEAST_IDF: f64 = 0.01;

impl Weights {
    /// From what an index stored.
    pub fn stored(column: Column<f32>) -> Weights {
        Weights(column)
    }

    /// Those of some of `pieces` word pieces, which are all that the texts to come have.
    pub fn of_some(pieces: usize, known: &[(u32, f32)]) -> Weights {
        let mut weights = vec![0.0; pieces];
        for (piece, weight) in known {
            if let Some(own) = weights.get_mut(*piece as usize) {
                *own = *weight;
            }
        }
        Weights(weights.into())
    }

    /// To be stored.
    pub fn column(&self) -> &Column<f32> {
        &self.0
    }

    /// Whether they come from a corpus.
    pub fn learnt(&self) -> bool {
        !self.0.is_empty()
    }

    pub fn get(&self, piece: u32) -> f32 {
        self.0.get(piece as usize).copied().unwrap_or(1.0)
    }

    /// Counts the passages that hold each piece. Pairs of title and text.
    pub fn from_texts(table: &Table, passages: &[(&str, &str)]) -> Weights {
        let counts = passages
            .par_chunks(512)
            .fold(
                || vec![0_u32; table.pieces()],
                |mut counts, chunk| {
                    let mut ids = Vec::new();
                    for (title, text) in chunk {
                        ids.clear();
                        table.wordpiece.encode(&full_text(title, text), &mut ids);
                        ids.sort_unstable();
                        ids.dedup();
                        for &piece in &ids {
                            counts[piece as usize] += 1;
                        }
                    }
                    counts
                },
            )
            .reduce_with(|mut all, some| {
                all.iter_mut().zip(some).for_each(|(a, s)| *a += s);
                all
            })
            .unwrap_or_default();
        let all = passages.len() as f64 + 1.0;
        let weight = |count: u32| {
            let idf = (all / (f64::from(count) + 0.5)).ln().max(LEAST_IDF);
            idf.sqrt() as f32
        };
        Weights(counts.into_iter().map(weight).collect::<Vec<f32>>().into())
    }
}
