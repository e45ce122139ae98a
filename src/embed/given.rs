//! Vectors made elsewhere and given as `.npy` files: passages in one, questions in another.

use super::{EmbedError, Encoder, Identity, Kind, TokenVectors, unit};
use crate::column::Column;
use crate::mapped;
use rustc_hash::FxHashMap;
use std::io::{BufReader, Read};
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

const EXPECTED: &str = "expected a .npy file of float32, two dimensions, C order: numpy.save(\"vectors.npy\", rows.astype(\"float32\"))";

/// A matrix of a `.npy` file.
#[derive(Default)]
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
    let unreadable = |e| EmbedError::file(path, e, "check the path of the vectors");
    let file = mapped::open(path).map_err(unreadable)?;
    let length = file.metadata().map_err(unreadable)?.len();
    parse(&mut BufReader::new(file), length).map_err(|said| EmbedError::file(path, said, EXPECTED))
}

/// Reads the values straight into their place: such files are large.
fn parse(file: &mut impl Read, length: u64) -> Result<Matrix, String> {
    let mut start = [0; 8];
    if file.read_exact(&mut start).is_err() || !start.starts_with(b"\x93NUMPY") {
        return Err("no .npy file".into());
    }
    let short = |_| "it ends within its header".to_owned();
    let mut size = [0; 4];
    let wide = match start[6] {
        1 => 2,
        2 | 3 => 4,
        _ => return Err("a .npy format from the future".into()),
    };
    file.read_exact(&mut size[..wide]).map_err(short)?;
    let size = u64::from(u32::from_le_bytes(size));
    let Some(rest) = length.checked_sub(8 + wide as u64 + size) else {
        return Err("it ends within its header".into());
    };
    let mut header = vec![0; size as usize];
    file.read_exact(&mut header).map_err(short)?;
    let header = String::from_utf8_lossy(&header);
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
    let values = len
        .checked_mul(dims)
        .filter(|n| n.checked_mul(4) == usize::try_from(rest).ok());
    let Some(values) = values else {
        return Err(format!("{rest} bytes for {len} x {dims} values"));
    };
    let mut rows = vec![0.0f32; values];
    file.read_exact(bytemuck::cast_slice_mut(&mut rows))
        .map_err(|e| e.to_string())?;
    Ok(Matrix { rows, len, dims })
}

/// An encoder that knows the vectors of some texts and no others.
pub struct Given {
    identity: Identity,
    /// None once an index has taken them.
    passages: Option<Matrix>,
    questions: Column<f32>,
    texts: FxHashMap<String, usize>,
}

fn places(texts: &[&str]) -> FxHashMap<String, usize> {
    texts.iter().map(|t| t.to_string()).zip(0..).collect()
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
            passages: Some(rows),
            questions: asked.rows.into(),
            texts: places(texts),
        })
    }

    /// From an index, which stores the vectors of its questions.
    ///
    /// # Errors
    /// Another number of vectors than of questions.
    pub fn stored(
        identity: Identity,
        questions: Column<f32>,
        texts: &[&str],
    ) -> Result<Given, EmbedError> {
        if questions.len() != texts.len() * identity.dims {
            return Err(EmbedError::shape(format!(
                "{} values for {} questions of {}",
                questions.len(),
                texts.len(),
                identity.dims
            )));
        }
        Ok(Given {
            identity,
            passages: None,
            questions,
            texts: places(texts),
        })
    }

    /// The vectors of the passages, which are then an index's to keep.
    pub fn take_passages(&mut self) -> Option<Matrix> {
        self.passages.take()
    }

    fn lacks(&self, lacks: &'static str) -> EmbedError {
        EmbedError::Lacking {
            encoder: self.identity.name.clone(),
            lacks,
            remedy: "index with an encoder (`--encoder static`), or re-rank with `--reranker bert:FOLDER`",
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
        let given = self.passages.as_ref();
        let given = given.ok_or_else(|| self.lacks("no vectors of passages twice"))?;
        if passages.len() != given.len {
            return Err(EmbedError::shape(format!(
                "the file holds {} vectors, the corpus {} passages",
                given.len,
                passages.len()
            )));
        }
        if !progress(passages.len()) {
            return Err(EmbedError::Cancelled);
        }
        Ok(given.rows.clone())
    }

    fn question(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let Some(&row) = self.texts.get(text) else {
            return Err(EmbedError::Unasked {
                question: text.to_owned(),
                known: self.texts.len(),
            });
        };
        let dims = self.identity.dims;
        Ok(self.questions[row * dims..(row + 1) * dims].to_vec())
    }

    fn asked(&self) -> Option<&[f32]> {
        Some(&self.questions)
    }

    fn tokens(&self, _texts: &[&str]) -> Result<Vec<TokenVectors>, EmbedError> {
        Err(self.lacks("no vectors of single tokens"))
    }
}

#[cfg(test)]
#[path = "given_tests.rs"]
mod tests;
