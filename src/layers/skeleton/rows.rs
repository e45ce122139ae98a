//! Vectors of units, keywords and entities, in the form that the index keeps its own in.

use crate::embed::vectors::Rows;
use crate::embed::{EmbedError, Identity, Vectors};
use crate::index::Dense;

/// Texts encoded at once: what lies in memory as f32.
const BATCH: usize = 4096;

/// Encodes texts, kept as the index keeps its vectors. `progress` hears how many are done and stops the work by `false`.
///
/// # Errors
/// Cancelled, or what the encoder says.
pub fn encode<S: AsRef<str>>(
    dense: &Dense,
    texts: &[S],
    progress: &dyn Fn(usize) -> bool,
) -> Result<Vectors, EmbedError> {
    let whole = matches!(dense.vectors.rows(), Rows::I8 { .. });
    let mut gather = crate::embed::VectorWriter::new(dense.vectors.identity().clone(), whole);
    for (batch, texts) in texts.chunks(BATCH).enumerate() {
        let done = batch * BATCH;
        let pairs: Vec<(&str, &str)> = texts.iter().map(|t| ("", t.as_ref())).collect();
        gather.push(
            &dense
                .encoder
                .passages(&pairs, &|some| progress(done + some))?,
        )?;
    }
    gather.finish()
}

/// Rows gathered from two sets of one form: `pick` says of every row which set and which row there.
pub fn merge(
    identity: &Identity,
    a: &Vectors,
    b: &Vectors,
    pick: &[(bool, u32)],
) -> Result<Vectors, EmbedError> {
    let dims = identity.dims;
    let span = |row: u32| row as usize * dims..(row as usize + 1) * dims;
    let rows = match (a.rows(), b.rows()) {
        (
            Rows::I8 { values, scales },
            Rows::I8 {
                values: other_values,
                scales: other_scales,
            },
        ) => {
            let mut all: Vec<i8> = Vec::with_capacity(pick.len() * dims);
            let mut all_scales: Vec<f32> = Vec::with_capacity(pick.len());
            for &(first, row) in pick {
                let (values, scales) = if first {
                    (values, scales)
                } else {
                    (other_values, other_scales)
                };
                all.extend_from_slice(&values[span(row)]);
                all_scales.push(scales[row as usize]);
            }
            Rows::I8 {
                values: all.into(),
                scales: all_scales.into(),
            }
        }
        _ => {
            let mut all = vec![0.0; pick.len() * dims];
            for (&(first, row), out) in pick.iter().zip(all.chunks_mut(dims.max(1))) {
                if first { a } else { b }.row(row, out);
            }
            Rows::F32(all.into())
        }
    };
    Vectors::stored(identity.clone(), rows)
}
