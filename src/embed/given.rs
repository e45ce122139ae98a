//! Vectors made elsewhere and given as `.npy` files: passages in one, questions in another.

use super::{EmbedError, Encoder, Identity, Kind, TokenVectors, unit};
use rustc_hash::FxHashMap;
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

const EXPECTED: &str = "expected a .npy file of float32, two dimensions, C order: numpy.save(\"vectors.npy\", rows.astype(\"float32\"))";

/// A matrix of a `.npy` file.
pub struct Matrix {
    pub rows: Vec<f32>,
    pub len: usize,
    pub dims: usize,
}

/// Reads a `.npy` file of 32-bit floats.
///
/// # Errors
/// A file that cannot be read or holds something else.
pub fn read_npy(path: &Path) -> Result<Matrix, EmbedError> {
    let bytes = std::fs::read(path)
        .map_err(|e| EmbedError::file(path, e, "check the path of the vectors"))?;
    parse(&bytes).map_err(|said| EmbedError::file(path, said, EXPECTED))
}

fn parse(bytes: &[u8]) -> Result<Matrix, String> {
    let rest = bytes.strip_prefix(b"\x93NUMPY").ok_or("no .npy file")?;
    let (header, data) = match rest {
        [1, _, a, b, rest @ ..] => rest.split_at_checked(u16::from_le_bytes([*a, *b]).into()),
        [2 | 3, _, a, b, c, d, rest @ ..] => {
            rest.split_at_checked(u32::from_le_bytes([*a, *b, *c, *d]) as usize)
        }
        _ => return Err("a .npy format from the future".into()),
    }
    .ok_or("it ends within its header")?;
    let header = String::from_utf8_lossy(header);
    let value = |key: &str| -> Option<&str> {
        let (_, after) = header.split_once(&format!("'{key}':"))?;
        Some(after.trim_start())
    };
    let kind = value("descr").unwrap_or_default();
    if !kind.starts_with("'<f4'") {
        let kind = kind.split(',').next().unwrap_or_default();
        return Err(format!("its values are {kind}"));
    }
    if !value("fortran_order").is_some_and(|v| v.starts_with("False")) {
        return Err("its rows are not one after the other (Fortran order)".into());
    }
    let shape: Vec<usize> = value("shape")
        .and_then(|v| v.strip_prefix('(')?.split_once(')'))
        .map(|(inner, _)| inner.split(',').filter_map(|n| n.trim().parse().ok()))
        .map(Iterator::collect)
        .unwrap_or_default();
    let &[len, dims] = shape.as_slice() else {
        return Err(format!("its shape is {shape:?}"));
    };
    if len.checked_mul(dims).and_then(|n| n.checked_mul(4)) != Some(data.len()) {
        return Err(format!("{} bytes for {len} x {dims} values", data.len()));
    }
    let rows = bytemuck::allocation::pod_collect_to_vec(data);
    Ok(Matrix { rows, len, dims })
}

/// An encoder that knows the vectors of some texts and no others.
pub struct Given {
    identity: Identity,
    passages: Matrix,
    questions: Matrix,
    texts: FxHashMap<String, usize>,
}

impl Given {
    /// `texts` are the questions, in the order of their rows. Rows are brought to unit length.
    ///
    /// # Errors
    /// Unreadable files, or files that do not fit each other or the questions.
    pub fn open(passages: &Path, questions: &Path, texts: &[&str]) -> Result<Given, EmbedError> {
        let (mut rows, mut asked) = (read_npy(passages)?, read_npy(questions)?);
        let remedy = "give the vectors of all questions, by the encoder of the passages";
        if rows.dims != asked.dims || asked.len != texts.len() || rows.dims == 0 {
            let said = format!(
                "{} x {} values, expected {} x {}",
                asked.len,
                asked.dims,
                texts.len(),
                rows.dims
            );
            return Err(EmbedError::file(questions, said, remedy));
        }
        for matrix in [&mut rows, &mut asked] {
            matrix.rows.chunks_mut(matrix.dims).for_each(unit);
        }
        let bytes = bytemuck::cast_slice(&rows.rows);
        Ok(Given {
            identity: Identity {
                name: "file".into(),
                kind: Kind::File,
                dims: rows.dims,
                fingerprint: format!("{:016x}", xxh3_64(bytes)),
            },
            passages: rows,
            questions: asked,
            texts: texts.iter().map(|t| t.to_string()).zip(0..).collect(),
        })
    }

    fn lacks(&self, lacks: &'static str) -> EmbedError {
        EmbedError::Lacking {
            encoder: self.identity.name.clone(),
            lacks,
            remedy: "index with an encoder (`--encoder static`) to ask freely",
        }
    }
}

impl Encoder for Given {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn passages(
        &self,
        passages: &[(&str, &str)],
        progress: &dyn Fn(usize) -> bool,
    ) -> Result<Vec<f32>, EmbedError> {
        if passages.len() != self.passages.len {
            return Err(EmbedError::shape(format!(
                "the file holds {} vectors, the corpus {} passages",
                self.passages.len,
                passages.len()
            )));
        }
        if !progress(passages.len()) {
            return Err(EmbedError::Cancelled);
        }
        Ok(self.passages.rows.clone())
    }

    fn question(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let Some(&row) = self.texts.get(text) else {
            return Err(self.lacks("no vector of this question"));
        };
        let start = row * self.questions.dims;
        Ok(self.questions.rows[start..start + self.questions.dims].to_vec())
    }

    fn tokens(&self, _texts: &[&str]) -> Result<Vec<TokenVectors>, EmbedError> {
        Err(self.lacks("no vectors of single tokens"))
    }
}

#[cfg(test)]
#[path = "given_tests.rs"]
mod tests;
