//! The `static` encoder: a weighted sum of fixed vectors of word pieces. Offline, at once, for everyone.

use super::table::{Table, table};
use super::{EmbedError, Encoder, Identity, Kind, TokenVectors, Weights, unit};
use crate::corpus::full_text;
use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

/// A passage's title counts so many times more: with what the title names, the passage is found.
const TITLE: f32 = 2.0;
/// Passages between two reports of progress.
const BATCH: usize = 1024;

/// The word pieces of a text that have a direction, ascending, each once.
///
/// # Errors
/// A table that cannot be read.
pub fn pieces(text: &str) -> Result<Vec<u32>, EmbedError> {
    let (table, mut ids) = (table()?, Vec::new());
    table.wordpiece.encode(text, &mut ids);
    ids.retain(|piece| *piece != table.unknown);
    ids.sort_unstable();
    ids.dedup();
    Ok(ids)
}

/// Whether vectors are of the table of this program, whatever its pieces weigh in their corpus.
///
/// # Errors
/// A table that cannot be read.
pub fn is_of_table(identity: &Identity) -> Result<bool, EmbedError> {
    let (made, own) = (identity.fingerprint.split_once('-'), &table()?.digest);
    Ok(identity.kind == Kind::Static && made.is_some_and(|(table, _)| table == own))
}

/// The embedded table with the weights of one corpus.
pub struct Static {
    table: &'static Table,
    weights: Weights,
    identity: Identity,
}

impl Static {
    /// With the weights of an index, or without any (`Weights::default()`) before there is one.
    ///
    /// # Errors
    /// Weights of another table.
    pub fn new(weights: Weights) -> Result<Static, EmbedError> {
        let table = table()?;
        let stored = weights.column().len();
        if weights.learnt() && stored != table.pieces() {
            return Err(EmbedError::shape(format!(
                "{stored} weights of word pieces, but the static encoder has {}",
                table.pieces()
            )));
        }
        // Vectors of different weights are not comparable: the weights are part of what identifies them.
        let learnt = xxh3_64(weights.column().bytes());
        let identity = Identity {
            name: "static".into(),
            kind: Kind::Static,
            dims: table.dims,
            fingerprint: format!("{}-{learnt:016x}", table.digest),
        };
        Ok(Static {
            table,
            weights,
            identity,
        })
    }

    /// With the weights of some [`pieces`] in a corpus: those of the texts to come.
    ///
    /// # Errors
    /// A table that cannot be read.
    pub fn of_some(weights: &[(u32, f32)]) -> Result<Static, EmbedError> {
        Static::new(Weights::of_some(table()?.pieces(), weights))
    }

    /// Adds `factor` times the sum over a text's pieces of log frequency, weight and direction.
    fn add(&self, ids: &mut Vec<u32>, text: &str, factor: f32, out: &mut [f32]) {
        ids.clear();
        self.table.wordpiece.encode(text, ids);
        ids.sort_unstable();
        for run in ids.chunk_by(|a, b| a == b) {
            let piece = run[0];
            if piece != self.table.unknown {
                let often = (1.0 + (run.len() as f64).ln()) as f32;
                let weight = self.weight(piece);
                self.table.add(piece, factor * often * weight, out);
            }
        }
    }

    fn weight(&self, piece: u32) -> f32 {
        self.table.weights[piece as usize] * self.weights.get(piece)
    }

    fn passage(&self, ids: &mut Vec<u32>, title: &str, text: &str, out: &mut [f32]) {
        self.add(ids, &full_text(title, text), 1.0, out);
        if !title.is_empty() {
            self.add(ids, title, TITLE, out);
        }
        unit(out);
    }
}

impl Encoder for Static {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn learn(&mut self, passages: &[(&str, &str)]) -> Result<(), EmbedError> {
        *self = Static::new(Weights::from_texts(self.table, passages))?;
        Ok(())
    }

    fn weights(&self) -> Option<&Weights> {
        Some(&self.weights)
    }

    fn passages(
        &self,
        passages: &[(&str, &str)],
        progress: &dyn Fn(usize) -> bool,
    ) -> Result<Vec<f32>, EmbedError> {
        let dims = self.table.dims;
        let mut rows = vec![0.0; passages.len() * dims];
        let batches = rows.chunks_mut(BATCH * dims).zip(passages.chunks(BATCH));
        for (done, (rows, batch)) in batches.enumerate() {
            rows.par_chunks_mut(dims).zip(batch).for_each_init(
                Vec::new,
                |ids, (row, (title, text))| {
                    self.passage(ids, title, text, row);
                },
            );
            if !progress(done * BATCH + batch.len()) {
                return Err(EmbedError::Cancelled);
            }
        }
        Ok(rows)
    }

    fn question(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let mut out = vec![0.0; self.table.dims];
        self.add(&mut Vec::new(), text, 1.0, &mut out);
        unit(&mut out);
        Ok(out)
    }

    fn tokens(&self, texts: &[&str]) -> Result<Vec<TokenVectors>, EmbedError> {
        let dims = self.table.dims;
        let of = |text: &&str| {
            let mut ids = Vec::new();
            self.table.wordpiece.encode(text, &mut ids);
            ids.retain(|&piece| piece != self.table.unknown);
            let mut rows = vec![0.0; ids.len() * dims];
            for (row, &piece) in rows.chunks_mut(dims).zip(&ids) {
                self.table.add(piece, 1.0, row);
                unit(row);
            }
            let weights = ids.iter().map(|&piece| self.weight(piece)).collect();
            TokenVectors {
                dims,
                rows,
                weights,
            }
        };
        Ok(texts.par_iter().map(of).collect())
    }
}

#[cfg(test)]
#[path = "fixed_tests.rs"]
mod tests;
