//! The functions between BERT's matrix products, written so that the compiler vectorises them.

use crate::embed::dot;
use ndarray::{Array1, Array2, ArrayView2, Axis, linalg::general_mat_mul};
use rayon::prelude::*;

/// What a feed-forward layer bends its values with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    Gelu,
    /// The approximation by tanh.
    GeluTanh,
    Relu,
}

impl Activation {
    pub fn named(name: &str) -> Option<Activation> {
        match name {
            "gelu" => Some(Activation::Gelu),
            "gelu_new" | "gelu_pytorch_tanh" | "gelu_fast" => Some(Activation::GeluTanh),
            "relu" => Some(Activation::Relu),
            _ => None,
        }
    }

    pub fn apply(self, values: &mut [f32]) {
        match self {
            Activation::Gelu => {
                for x in values {
                    *x *= 0.5 * (1.0 + erf(*x * std::f32::consts::FRAC_1_SQRT_2));
                }
            }
            Activation::GeluTanh => {
                for x in values {
                    // tanh by exp: 1 - 2 / (exp(2 y) + 1)
                    let y = 0.797_884_6 * (*x + 0.044_715 * *x * *x * *x);
                    *x *= 1.0 - 1.0 / (exp((2.0 * y).clamp(-80.0, 80.0)) + 1.0);
                }
            }
            Activation::Relu => {
                for x in values {
                    *x = x.max(0.0);
                }
            }
        }
    }
}

/// The error function as a ratio of polynomials, within 5e-7.
fn erf(x: f32) -> f32 {
    let x = x.clamp(-4.0, 4.0);
    let y = x * x;
    let mut above = -2.726_142_3e-10_f32;
    for c in [
        2.770_681_4e-8,
        -2.101_024_e-6,
        -5.692_506_5e-5,
        -7.349_906_3e-4,
        -2.954_6e-3,
        -1.609_603_3e-2,
    ] {
        above = above * y + c;
    }
    let mut below = -1.456_607_2e-5_f32;
    for c in [
        -2.133_740_6e-4,
        -1.682_827e-3,
        -7.373_329e-3,
        -1.426_473_9e-2,
    ] {
        below = below * y + c;
    }
    x * above / below
}

/// e to the x within 2 units in the last place, for x from -87 to 88.
fn exp(x: f32) -> f32 {
    const ROUND: f32 = 12_582_912.0;
    let n = (x * std::f32::consts::LOG2_E + ROUND) - ROUND;
    let r = (x - n * 0.693_359_4) + n * 2.121_944_4e-4;
    let mut p = 1.987_569_1e-4_f32;
    for c in [1.398_2e-3, 8.333_452e-3, 4.166_579_6e-2, 0.166_666_65, 0.5] {
        p = p * r + c;
    }
    let scale = f32::from_bits(((n as i32 + 127) as u32) << 23);
    (p * r * r + r + 1.0) * scale
}

/// In place, to a sum of one.
pub fn softmax(row: &mut [f32]) {
    let most = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    for x in row.iter_mut() {
        *x = exp((*x - most).max(-87.0));
    }
    let scale = 1.0 / dot::sum(row);
    row.iter_mut().for_each(|x| *x *= scale);
}

/// Scale and shift of a layer norm.
pub struct Norm {
    pub weight: Array1<f32>,
    pub bias: Array1<f32>,
    pub epsilon: f32,
}

impl Norm {
    pub fn apply(&self, rows: &mut Array2<f32>) {
        for mut row in rows.rows_mut() {
            let Some(row) = row.as_slice_mut() else {
                continue;
            };
            let length = row.len() as f32;
            let mean = dot::sum(row) / length;
            row.iter_mut().for_each(|x| *x -= mean);
            let scale = 1.0 / (dot::f32s(row, row) / length + self.epsilon).sqrt();
            for ((x, w), b) in row.iter_mut().zip(&self.weight).zip(&self.bias) {
                *x = *x * scale * w + b;
            }
        }
    }
}

/// A batch of no more tokens is a question alone: its columns are shared out among the cores, or one would do it all.
const FEW: usize = 128;

/// x W' + b, with W as stored: one row per output.
pub struct Linear {
    pub weight: Array2<f32>,
    pub bias: Array1<f32>,
}

impl Linear {
    pub fn apply(&self, rows: ArrayView2<f32>) -> Array2<f32> {
        let shape = (rows.nrows(), self.weight.nrows());
        let mut out = Array2::zeros(shape);
        out += &self.bias;
        if rows.nrows() > FEW {
            general_mat_mul(1.0, &rows, &self.weight.t(), 1.0, &mut out);
            return out;
        }
        let part = self.weight.nrows().div_ceil(rayon::current_num_threads());
        let columns = out.axis_chunks_iter_mut(Axis(1), part);
        let parts: Vec<_> = columns
            .zip(self.weight.axis_chunks_iter(Axis(0), part))
            .collect();
        parts.into_par_iter().for_each(|(mut out, weight)| {
            general_mat_mul(1.0, &rows, &weight.t(), 1.0, &mut out);
        });
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By its series, in f64.
    fn true_erf(x: f64) -> f64 {
        let (mut term, mut sum) = (x, x);
        for n in 1..200 {
            term *= -x * x / f64::from(n);
            sum += term / f64::from(2 * n + 1);
        }
        sum * 2.0 / std::f64::consts::PI.sqrt()
    }

    #[test]
    fn functions_are_what_they_are_called() {
        for i in -400..=400 {
            let x = i as f32 / 100.0;
            assert!(
                (f64::from(erf(x)) - true_erf(f64::from(x))).abs() < 5e-7,
                "{x}"
            );
        }
        for i in -870..=880 {
            let x = i as f32 / 10.0;
            let expected = f64::from(x).exp();
            assert!(
                (f64::from(exp(x)) - expected).abs() < 3e-7 * expected,
                "{x}"
            );
        }
        let mut values = [-3.0, -0.5, 0.0, 0.5, 3.0];
        Activation::GeluTanh.apply(&mut values);
        for (x, y) in [-3.0_f64, -0.5, 0.0, 0.5, 3.0].into_iter().zip(values) {
            let inner = (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x.powi(3));
            assert!((0.5 * x * (1.0 + inner.tanh()) - f64::from(y)).abs() < 1e-6);
        }
    }

    #[test]
    fn softmax_sums_to_one_and_survives_extremes() {
        let mut row = [1000.0, 999.0, -1000.0];
        softmax(&mut row);
        assert!((row[0] - 0.731_058_6).abs() < 1e-6 && row[2] < 1e-30);
    }
}
