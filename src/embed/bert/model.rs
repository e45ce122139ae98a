//! The forward pass. Texts of a batch lie one after the other without padding: only attention knows where one ends.

use super::folder::Folder;
use super::math::{Activation, Linear, Norm, softmax};
use super::tensors::{self, Tensors};
use crate::embed::EmbedError;
use ndarray::linalg::general_mat_mul;
use ndarray::{Array1, Array2, ArrayView2, Axis, concatenate, s};

/// Token ids of a text or a pair; the second text of a pair starts at `second`.
pub struct Sequence {
    pub ids: Vec<u32>,
    pub second: usize,
}

struct Layer {
    /// Query, key and value at once.
    attend: Linear,
    attended: Linear,
    attended_norm: Norm,
    widen: Linear,
    narrow: Linear,
    norm: Norm,
}

/// A scorer of pairs on top of the first token's state.
struct Head {
    pooler: Linear,
    classifier: Linear,
}

pub struct Model {
    words: Array2<f32>,
    positions: Array2<f32>,
    types: Array2<f32>,
    norm: Norm,
    layers: Vec<Layer>,
    heads: usize,
    activation: Activation,
    head: Option<Head>,
}

impl Model {
    /// The model and the fingerprint of its weights.
    pub fn open(folder: &Folder, with_head: bool) -> Result<(Model, u128), EmbedError> {
        let (path, bytes, fingerprint) = tensors::read(&folder.path)?;
        let tensors = Tensors::new(&path, &bytes)?;
        let config = &folder.config;
        let (h, wide) = (config.hidden_size, config.intermediate_size);
        let linear = |name: &str, from: usize, to: usize| {
            Ok::<_, EmbedError>(Linear {
                weight: tensors.matrix(&format!("{name}.weight"), to, from)?,
                bias: tensors.vector(&format!("{name}.bias"), to)?,
            })
        };
        let norm = |name: &str| {
            Ok::<_, EmbedError>(Norm {
                weight: tensors.vector(&format!("{name}.LayerNorm.weight"), h)?,
                bias: tensors.vector(&format!("{name}.LayerNorm.bias"), h)?,
                epsilon: config.layer_norm_eps,
            })
        };
        let layer = |i: usize| {
            let name = |part: &str| format!("encoder.layer.{i}.{part}");
            let part = |part: &str| linear(&name(&format!("attention.self.{part}")), h, h);
            Ok::<_, EmbedError>(Layer {
                attend: stacked([part("query")?, part("key")?, part("value")?]),
                attended: linear(&name("attention.output.dense"), h, h)?,
                attended_norm: norm(&name("attention.output"))?,
                widen: linear(&name("intermediate.dense"), h, wide)?,
                narrow: linear(&name("output.dense"), wide, h)?,
                norm: norm(&name("output"))?,
            })
        };
        let rows = |name: &str| {
            let name = format!("embeddings.{name}.weight");
            tensors.matrix(&name, tensors.rows(&name).unwrap_or(0), h)
        };
        let lacks = |said: String| {
            let config = folder.path.join("config.json");
            Err(EmbedError::file(
                &config,
                said,
                "only plain BERT models run here",
            ))
        };
        let Some(activation) = Activation::named(&config.hidden_act) else {
            return lacks(format!("hidden_act `{}`", config.hidden_act));
        };
        let labels = tensors.rows("classifier.weight").unwrap_or(0);
        let model = Model {
            words: rows("word_embeddings")?,
            positions: rows("position_embeddings")?,
            types: rows("token_type_embeddings")?,
            norm: norm("embeddings")?,
            layers: (0..config.num_hidden_layers)
                .map(layer)
                .collect::<Result<_, _>>()?,
            heads: config.num_attention_heads,
            activation,
            head: match (with_head, labels) {
                (false, _) => None,
                (true, 1 | 2) => Some(Head {
                    pooler: linear("pooler.dense", h, h)?,
                    classifier: linear("classifier", h, labels)?,
                }),
                (true, labels) => return lacks(format!("{labels} labels, 1 or 2 are needed")),
            },
        };
        if model.words.nrows() < folder.wordpiece.len() {
            return lacks(format!(
                "{} word embeddings for a vocabulary of {}",
                model.words.nrows(),
                folder.wordpiece.len()
            ));
        }
        if model.positions.nrows() < folder.max_length || model.types.nrows() == 0 {
            return lacks("fewer positions or token types than texts need".into());
        }
        Ok((model, fingerprint))
    }

    pub fn dims(&self) -> usize {
        self.words.ncols()
    }

    /// The last layer's states of all tokens of all texts, one after the other.
    pub fn states(&self, texts: &[&Sequence]) -> Vec<f32> {
        let mut x = self.embedded(texts);
        self.norm.apply(&mut x);
        for layer in &self.layers {
            let mixed = self.attention(&layer.attend.apply(x.view()), texts);
            let mut mixed = layer.attended.apply(mixed.view());
            mixed += &x;
            layer.attended_norm.apply(&mut mixed);
            let mut wide = layer.widen.apply(mixed.view());
            if let Some(values) = wide.as_slice_mut() {
                self.activation.apply(values);
            }
            x = layer.narrow.apply(wide.view());
            x += &mixed;
            layer.norm.apply(&mut x);
        }
        x.into_raw_vec_and_offset().0
    }

    fn embedded(&self, texts: &[&Sequence]) -> Array2<f32> {
        let tokens = texts.iter().map(|t| t.ids.len()).sum();
        let mut x = Array2::zeros((tokens, self.dims()));
        let places = (texts.iter())
            .flat_map(|text| (text.ids.iter().enumerate()).map(|(at, &id)| (at, id, text.second)));
        for (mut row, (at, id, second)) in x.rows_mut().into_iter().zip(places) {
            // Models of one token type have no second text.
            let kind = usize::from(at >= second).min(self.types.nrows() - 1);
            row += &self.words.row(id as usize);
            row += &self.positions.row(at);
            row += &self.types.row(kind);
        }
        x
    }

    /// Every token's mix of the values of its text's tokens, head by head.
    fn attention(&self, qkv: &Array2<f32>, texts: &[&Sequence]) -> Array2<f32> {
        let (dims, size) = (self.dims(), self.dims() / self.heads);
        let scale = 1.0 / (size as f32).sqrt();
        let mut out = Array2::zeros((qkv.nrows(), dims));
        let mut start = 0;
        for text in texts {
            let end = start + text.ids.len();
            let mut weights = Array2::zeros((end - start, end - start));
            for head in 0..self.heads {
                let part = |kind: usize| -> ArrayView2<f32> {
                    let from = kind * dims + head * size;
                    qkv.slice(s![start..end, from..from + size])
                };
                general_mat_mul(scale, &part(0), &part(1).t(), 0.0, &mut weights);
                for mut row in weights.rows_mut() {
                    if let Some(row) = row.as_slice_mut() {
                        softmax(row);
                    }
                }
                let to = s![start..end, head * size..(head + 1) * size];
                general_mat_mul(1.0, &weights, &part(2), 0.0, &mut out.slice_mut(to));
            }
            start = end;
        }
        out
    }

    /// What the head says of a text's first state: one number, higher for a better match.
    pub fn judged(&self, states: &[f32]) -> f32 {
        let (Some(head), Some(first)) = (&self.head, states.get(..self.dims())) else {
            return 0.0;
        };
        let row = Array1::from_vec(first.to_vec()).insert_axis(Axis(0));
        let pooled = head.pooler.apply(row.view()).mapv(f32::tanh);
        let labels = head.classifier.apply(pooled.view());
        match labels.as_slice() {
            Some(&[no, yes]) => yes - no,
            Some(&[score]) => score,
            _ => 0.0,
        }
    }
}

/// Three layers over the same input as one.
fn stacked([q, k, v]: [Linear; 3]) -> Linear {
    let weights = [q.weight.view(), k.weight.view(), v.weight.view()];
    let biases = [q.bias.view(), k.bias.view(), v.bias.view()];
    // Shapes were checked when they were read: h x h and h each.
    Linear {
        weight: concatenate(Axis(0), &weights).unwrap_or_default(),
        bias: concatenate(Axis(0), &biases).unwrap_or_default(),
    }
}
