//! Collects vectors as they are made, so that a large corpus never stands in memory as f32 when int8 is wanted.

use super::dot;
use super::vectors::{Row, Rows, Vectors};
use super::{EmbedError, Identity};

/// Vectors under construction: encode some passages, push their rows, go on.
pub struct VectorWriter {
    identity: Identity,
    whole: bool,
    values: Vec<f32>,
    small: Vec<i8>,
    scales: Vec<f32>,
}

impl VectorWriter {
    /// `whole` keeps int8, else f32.
    pub fn new(identity: Identity, whole: bool) -> VectorWriter {
        VectorWriter {
            identity,
            whole,
            values: Vec::new(),
            small: Vec::new(),
            scales: Vec::new(),
        }
    }

    /// Takes the rows of the next passages.
    ///
    /// # Errors
    /// A value that is no finite number.
    pub fn push(&mut self, rows: &[f32]) -> Result<(), EmbedError> {
        finite(rows, self.identity.dims)?;
        rows.chunks(self.identity.dims.max(1))
            .for_each(|row| self.take(row));
        Ok(())
    }

    pub(super) fn take(&mut self, row: &[f32]) {
        if self.whole {
            let (values, scale) = dot::quantise(row, 127.0, |x| x as i8);
            self.small.extend(values);
            self.scales.push(scale);
        } else {
            self.values.extend_from_slice(row);
        }
    }

    /// Takes a row as it was kept elsewhere in the same form; none is one of zeros.
    pub(crate) fn keep(&mut self, row: Option<&Row>) {
        match row {
            Some(Row::I8 { values, scale }) => {
                self.small.extend(values);
                self.scales.push(*scale);
            }
            Some(Row::F32(values)) => self.values.extend(values),
            None if self.whole => {
                self.small.resize(self.small.len() + self.identity.dims, 0);
                self.scales.push(0.0);
            }
            None => self
                .values
                .resize(self.values.len() + self.identity.dims, 0.0),
        }
    }

    pub(super) fn into_rows(self) -> Rows {
        if self.whole {
            Rows::I8 {
                values: self.small.into(),
                scales: self.scales.into(),
            }
        } else {
            Rows::F32(self.values.into())
        }
    }

    /// # Errors
    /// Rows that were not whole.
    pub fn finish(self) -> Result<Vectors, EmbedError> {
        Vectors::stored(self.identity.clone(), self.into_rows())
    }
}

pub(super) fn finite(rows: &[f32], dims: usize) -> Result<(), EmbedError> {
    match rows.iter().position(|x| !x.is_finite()) {
        None => Ok(()),
        Some(at) => {
            let row = at / dims.max(1);
            let said = format!("row {row} holds {}", rows[at]);
            Err(EmbedError::shape(said))
        }
    }
}
