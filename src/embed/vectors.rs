//! One vector per passage, with the identity of what made them, and exact search.

use super::dot::{self, MOST_DIMS, QUERY_STEPS};
use super::gather::{self, VectorWriter};
use super::{EmbedError, Identity};
use crate::column::Column;
use rayon::prelude::*;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::ops::Range;

/// How numbers are kept. Both forms are borrowed as they lie in a mapped index.
pub enum Rows {
    F32(Column<f32>),
    /// A quarter of the room; `scales` holds the size of one step of every row.
    I8 {
        values: Column<i8>,
        scales: Column<f32>,
    },
}

/// One row by itself, as it is kept.
#[derive(Clone, Debug, PartialEq)]
pub enum Row {
    F32(Vec<f32>),
    I8 { values: Vec<i8>, scale: f32 },
}

impl Row {
    /// Its numbers as they are compared.
    pub fn values(&self) -> Vec<f32> {
        match self {
            Row::F32(values) => values.clone(),
            Row::I8 { values, scale } => values.iter().map(|x| f32::from(*x) * scale).collect(),
        }
    }

    /// Its numbers, behind the size of one step where they are int8.
    pub fn bytes(&self) -> Vec<u8> {
        match self {
            Row::F32(values) => values.iter().flat_map(|x| x.to_le_bytes()).collect(),
            Row::I8 { values, scale } => {
                let values = values.iter().map(|x| x.cast_unsigned());
                scale.to_le_bytes().into_iter().chain(values).collect()
            }
        }
    }

    /// The row of such bytes; none where they are no row of `dims` finite numbers.
    pub fn of_bytes(bytes: &[u8], dims: usize, whole: bool) -> Option<Row> {
        match whole {
            true => {
                let (scale, values) = bytes.split_first_chunk()?;
                let values: Vec<i8> = values.iter().map(|x| x.cast_signed()).collect();
                let scale = f32::from_le_bytes(*scale);
                (values.len() == dims && scale.is_finite()).then_some(Row::I8 { values, scale })
            }
            false => {
                let (values, rest) = bytes.as_chunks();
                let values: Vec<f32> = values.iter().map(|x| f32::from_le_bytes(*x)).collect();
                let fits = values.len() == dims && rest.is_empty();
                (fits && values.iter().all(|x| x.is_finite())).then_some(Row::F32(values))
            }
        }
    }
}

/// Unit vectors of all passages, by passage number.
pub struct Vectors {
    identity: Identity,
    len: usize,
    rows: Rows,
}

/// A query made ready for either form.
pub struct Probe {
    values: Vec<f32>,
    whole: Vec<i16>,
    scale: f32,
}

impl Probe {
    /// The query as it is compared: cut to whole numbers where rows are.
    pub fn compared(&self) -> Vec<f32> {
        match self.whole.is_empty() {
            true => self.values.clone(),
            false => {
                let values = self.whole.iter();
                values.map(|x| f32::from(*x) * self.scale).collect()
            }
        }
    }
}

/// Fewer numbers than this are not worth waking other cores for.
const PARALLEL: usize = 1 << 20;
const CHUNK: usize = 2048;

impl Vectors {
    /// Rows of `identity.dims` numbers, one after the other.
    ///
    /// # Errors
    /// A number of values that makes no whole rows, or a value that is no finite number.
    pub fn new(identity: Identity, rows: Vec<f32>) -> Result<Vectors, EmbedError> {
        gather::finite(&rows, identity.dims)?;
        Vectors::stored(identity, Rows::F32(rows.into()))
    }

    /// From an index, whose checksums vouch for the values.
    ///
    /// # Errors
    /// Columns that do not fit each other.
    pub fn stored(identity: Identity, rows: Rows) -> Result<Vectors, EmbedError> {
        let dims = identity.dims;
        if dims == 0 || dims > MOST_DIMS {
            return Err(EmbedError::shape(format!(
                "{dims} dimensions, from 1 to {MOST_DIMS} are possible"
            )));
        }
        let (values, len) = match &rows {
            Rows::F32(values) => (values.len(), values.len() / dims),
            Rows::I8 { values, scales } => (values.len(), scales.len()),
        };
        if len * dims != values {
            return Err(EmbedError::shape(format!(
                "{values} values make no {len} rows of {dims}"
            )));
        }
        Ok(Vectors {
            identity,
            len,
            rows,
        })
    }

    /// The same in int8: a quarter of the room, cosines of MiniLM's vectors changed by at most .002.
    pub fn quantised(&self) -> Vectors {
        let mut gather = VectorWriter::new(self.identity.clone(), true);
        let mut row = vec![0.0; self.dims()];
        for i in 0..self.len {
            self.row(i as u32, &mut row);
            gather.take(&row);
        }
        Vectors {
            identity: self.identity.clone(),
            len: self.len,
            rows: gather.into_rows(),
        }
    }

    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    pub fn dims(&self) -> usize {
        self.identity.dims
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// To be stored.
    pub fn rows(&self) -> &Rows {
        &self.rows
    }

    /// Whether queries of this encoder may be compared with these vectors.
    ///
    /// # Errors
    /// Another encoder.
    pub fn check(&self, asked: &Identity) -> Result<(), EmbedError> {
        self.identity.check(asked)
    }

    /// Makes a query ready.
    ///
    /// # Errors
    /// Another number of dimensions, or a value that is no finite number.
    pub fn probe(&self, query: &[f32]) -> Result<Probe, EmbedError> {
        if query.len() != self.dims() || query.iter().any(|x| !x.is_finite()) {
            return Err(EmbedError::shape(format!(
                "a query of {} values, expected {} finite ones",
                query.len(),
                self.dims()
            )));
        }
        Ok(self.ready(query.to_vec()))
    }

    fn ready(&self, values: Vec<f32>) -> Probe {
        let (whole, scale) = match self.rows {
            Rows::F32(_) => (Vec::new(), 1.0),
            Rows::I8 { .. } => dot::quantise(&values, QUERY_STEPS, |x| x as i16),
        };
        Probe {
            values,
            whole,
            scale,
        }
    }

    /// A row as a query.
    pub fn probe_row(&self, row: u32) -> Probe {
        let mut values = vec![0.0; self.dims()];
        self.row(row, &mut values);
        self.ready(values)
    }

    /// Cosine of a query and a row.
    pub fn score(&self, probe: &Probe, row: u32) -> f32 {
        let span = self.span(row);
        match &self.rows {
            Rows::F32(values) => dot::f32s(&values[span], &probe.values),
            Rows::I8 { values, scales } => {
                let sum = dot::i8_i16(&values[span], &probe.whole);
                sum as f32 * (scales[row as usize] * probe.scale)
            }
        }
    }

    /// Cosine of two rows.
    pub fn between(&self, a: u32, b: u32) -> f32 {
        match &self.rows {
            Rows::F32(values) => dot::f32s(&values[self.span(a)], &values[self.span(b)]),
            Rows::I8 { values, scales } => {
                let sum = dot::i8s(&values[self.span(a)], &values[self.span(b)]);
                sum as f32 * (scales[a as usize] * scales[b as usize])
            }
        }
    }

    /// The bytes and the scale that a row is kept as: rows that share them have the same cosine with any other.
    pub fn kept(&self, row: u32) -> (&[u8], u32) {
        let span = self.span(row);
        match &self.rows {
            Rows::F32(values) => (bytemuck::cast_slice(&values[span]), 0),
            Rows::I8 { values, scales } => (
                bytemuck::cast_slice(&values[span]),
                scales[row as usize].to_bits(),
            ),
        }
    }

    /// All numbers, as they are kept.
    pub fn bytes(&self) -> &[u8] {
        match &self.rows {
            Rows::F32(values) => values.bytes(),
            Rows::I8 { values, .. } => values.bytes(),
        }
    }

    /// Where a row lies in [`bytes`](Self::bytes).
    pub fn bytes_of(&self, row: u32) -> Range<usize> {
        let span = self.span(row);
        let size = match self.rows {
            Rows::F32(_) => size_of::<f32>(),
            Rows::I8 { .. } => 1,
        };
        span.start * size..span.end * size
    }

    fn span(&self, row: u32) -> Range<usize> {
        let start = row as usize * self.dims();
        start..start + self.dims()
    }

    /// Whether rows are kept in int8.
    pub fn is_whole(&self) -> bool {
        matches!(self.rows, Rows::I8 { .. })
    }

    /// A row by itself.
    pub fn own(&self, row: u32) -> Row {
        let span = self.span(row);
        match &self.rows {
            Rows::F32(values) => Row::F32(values[span].to_vec()),
            Rows::I8 { values, scales } => Row::I8 {
                values: values[span].to_vec(),
                scale: scales[row as usize],
            },
        }
    }

    /// Copies a row out.
    pub fn row(&self, row: u32, out: &mut [f32]) {
        match &self.rows {
            Rows::F32(values) => out.copy_from_slice(&values[self.span(row)]),
            Rows::I8 { values, scales } => {
                for (out, &value) in out.iter_mut().zip(&values[self.span(row)]) {
                    *out = f32::from(value) * scales[row as usize];
                }
            }
        }
    }

    /// Adds up all rows, of each the numbers from a place on, as many as there are sums.
    pub fn add_all(&self, from: usize, sums: &mut [f64]) {
        for row in 0..self.len {
            let start = row * self.dims() + from;
            let span = start..start + sums.len();
            match &self.rows {
                Rows::F32(values) => {
                    let own = sums.iter_mut().zip(&values[span]);
                    own.for_each(|(sum, x)| *sum += f64::from(*x));
                }
                Rows::I8 { values, scales } => {
                    let own = sums.iter_mut().zip(&values[span]);
                    own.for_each(|(sum, x)| *sum += f64::from(f32::from(*x) * scales[row]));
                }
            }
        }
    }

    /// Cosine of a query and every passage.
    ///
    /// # Errors
    /// As [`Vectors::probe`].
    pub fn scores(&self, query: &[f32]) -> Result<Vec<f32>, EmbedError> {
        let probe = self.probe(query)?;
        let mut scores = vec![0.0; self.len];
        let fill = |start: usize, scores: &mut [f32]| {
            for (row, score) in (start as u32..).zip(scores) {
                *score = self.score(&probe, row);
            }
        };
        if self.len * self.dims() < PARALLEL {
            fill(0, &mut scores);
        } else {
            (scores.par_chunks_mut(CHUNK).enumerate())
                .for_each(|(chunk, scores)| fill(chunk * CHUNK, scores));
        }
        Ok(scores)
    }

    /// The `k` nearest passages: best score first, equal scores by passage number.
    ///
    /// # Errors
    /// As [`Vectors::probe`].
    pub fn nearest(&self, query: &[f32], k: usize) -> Result<Vec<(u32, f32)>, EmbedError> {
        Ok(top(&self.scores(query)?, k))
    }
}

/// A scored passage; the greater is the better one.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Hit {
    pub score: f32,
    pub row: u32,
}

impl Eq for Hit {}

impl Ord for Hit {
    fn cmp(&self, other: &Hit) -> Ordering {
        // Scores of finite vectors are finite; equality (of the two zeros, too) leaves it to the row.
        let by_score = self.score.partial_cmp(&other.score);
        by_score
            .unwrap_or(Ordering::Equal)
            .then(other.row.cmp(&self.row))
    }
}

impl PartialOrd for Hit {
    fn partial_cmp(&self, other: &Hit) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The best `k` of all scores, best first, equal scores by number.
pub fn top(scores: &[f32], k: usize) -> Vec<(u32, f32)> {
    let mut best: BinaryHeap<Reverse<Hit>> = BinaryHeap::with_capacity(k.min(scores.len()) + 1);
    for (row, &score) in (0..).zip(scores) {
        let hit = Hit { score, row };
        if best.len() < k {
            best.push(Reverse(hit));
        } else if let Some(mut last) = best.peek_mut()
            && hit > last.0
        {
            *last = Reverse(hit);
        }
    }
    let sorted = best.into_sorted_vec();
    sorted.into_iter().map(|r| (r.0.row, r.0.score)).collect()
}

#[cfg(test)]
#[path = "vectors_tests.rs"]
pub(super) mod tests;
