//! Weights from a safetensors file, as f32.

use crate::embed::EmbedError;
use ndarray::{Array1, Array2};
use safetensors::{Dtype, SafeTensors};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_128;

const REMEDY: &str = "expected model.safetensors of a BERT model; from pytorch_model.bin it is made by model.save_pretrained(FOLDER, safe_serialization=True)";

/// The tensors of a file, by name without the `bert.` of models with a head.
pub struct Tensors<'a> {
    path: PathBuf,
    tensors: SafeTensors<'a>,
}

/// The file's bytes and their fingerprint.
pub fn read(folder: &Path) -> Result<(PathBuf, Vec<u8>, u128), EmbedError> {
    let path = folder.join("model.safetensors");
    let bytes = EmbedError::read(&path, REMEDY)?;
    let fingerprint = xxh3_128(&bytes);
    Ok((path, bytes, fingerprint))
}

impl<'a> Tensors<'a> {
    pub fn new(path: &Path, bytes: &'a [u8]) -> Result<Tensors<'a>, EmbedError> {
        Ok(Tensors {
            path: path.to_owned(),
            tensors: SafeTensors::deserialize(bytes)
                .map_err(|e| EmbedError::file(path, e, REMEDY))?,
        })
    }

    pub fn matrix(
        &self,
        name: &str,
        rows: usize,
        columns: usize,
    ) -> Result<Array2<f32>, EmbedError> {
        let values = self.values(name, &[rows, columns])?;
        Array2::from_shape_vec((rows, columns), values)
            .map_err(|e| EmbedError::file(&self.path, e, REMEDY))
    }

    pub fn vector(&self, name: &str, length: usize) -> Result<Array1<f32>, EmbedError> {
        self.values(name, &[length]).map(Array1::from_vec)
    }

    /// The number of rows of a tensor, when there is one of this name.
    pub fn rows(&self, name: &str) -> Option<usize> {
        self.find(name).and_then(|t| t.shape().first().copied())
    }

    fn find(&self, name: &str) -> Option<safetensors::tensor::TensorView<'a>> {
        // Old checkpoints call the scale of a layer norm gamma and its shift beta.
        let old = name
            .replace("LayerNorm.weight", "LayerNorm.gamma")
            .replace("LayerNorm.bias", "LayerNorm.beta");
        let names = [
            name.to_owned(),
            format!("bert.{name}"),
            format!("bert.{old}"),
            old,
        ];
        names.iter().find_map(|n| self.tensors.tensor(n).ok())
    }

    fn values(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, EmbedError> {
        let wrong = |said: String| EmbedError::file(&self.path, said, REMEDY);
        let tensor = self
            .find(name)
            .ok_or_else(|| wrong(format!("no tensor `{name}`")))?;
        if tensor.shape() != shape {
            let found = tensor.shape();
            return Err(wrong(format!(
                "`{name}` is {found:?}, config.json says {shape:?}"
            )));
        }
        let data = tensor.data();
        let words = || {
            data.chunks_exact(2)
                .map(|b| u16::from_le_bytes([b[0], b[1]]))
        };
        match tensor.dtype() {
            Dtype::F32 => Ok(data
                .chunks_exact(4)
                .map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
                .collect()),
            Dtype::BF16 => Ok(words()
                .map(|w| f32::from_bits(u32::from(w) << 16))
                .collect()),
            Dtype::F16 => Ok(words().map(half).collect()),
            other => Err(wrong(format!("`{name}` holds {other:?} values"))),
        }
    }
}

/// An IEEE half as a float.
fn half(bits: u16) -> f32 {
    let sign = u32::from(bits & 0x8000) << 16;
    let magnitude = u32::from(bits & 0x7fff);
    // Shifted into place, its exponent is 112 too small: one product mends that, subnormals included.
    let value = f32::from_bits(magnitude << 13) * f32::from_bits(0x7780_0000);
    let bits = if magnitude >= 0x7c00 {
        value.to_bits() | 0x7f80_0000
    } else {
        value.to_bits()
    };
    f32::from_bits(bits | sign)
}

#[cfg(test)]
mod tests {
    use super::half;

    #[test]
    fn halves() {
        for (bits, value) in [
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x3555, 0.333_251_95),
            (0x7bff, 65504.0),
            (0x0001, 5.960_464_5e-8),
            (0x0000, 0.0),
            (0x7c00, f32::INFINITY),
        ] {
            assert_eq!(half(bits), value);
        }
        assert!(half(0x7e00).is_nan());
    }
}
