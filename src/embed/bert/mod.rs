//! BERT encoders from a sentence-transformers folder, on the CPU: MiniLM, bge-small, e5-small and their like.

mod cross;
mod folder;
mod math;
mod model;
mod tensors;

pub use cross::CrossEncoder;
pub use folder::Pooling;

use super::spec::Settings;
use super::{EmbedError, Encoder, Identity, Kind, TokenVectors, unit};
use crate::corpus::full_text;
use folder::Folder;
use model::{Model, Sequence};
use rayon::prelude::*;
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

/// Tokens of one batch: enough to keep the matrix kernels busy, small enough to stay in the cache.
const TOKENS: usize = 2048;
/// Texts between two reports of progress.
const ROUND: usize = 256;

/// A sentence encoder read from a folder.
pub struct Bert {
    folder: Folder,
    model: Model,
    identity: Identity,
}

impl Bert {
    /// Reads config, tokenizer, pooling, prompts and weights. Settings go before what the folder says.
    ///
    /// # Errors
    /// A file that is missing or that says something this encoder cannot do, by name.
    pub fn open(path: &Path, settings: &Settings) -> Result<Bert, EmbedError> {
        let folder = Folder::open(path, settings)?;
        let (model, weights) = Model::open(&folder, false)?;
        let name = path.file_name().unwrap_or(path.as_os_str());
        let moved_by = (
            &folder.query_prefix,
            &folder.passage_prefix,
            folder.pooling,
            folder.max_length,
            &folder.vocabulary,
        );
        let settings = xxh3_64(format!("{moved_by:?}").as_bytes());
        let identity = Identity {
            name: format!("bert:{}", name.to_string_lossy()),
            kind: Kind::Bert,
            dims: folder.config.hidden_size,
            fingerprint: format!("{weights:032x}-{settings:016x}"),
        };
        Ok(Bert {
            folder,
            model,
            identity,
        })
    }

    fn sequence(&self, text: &str) -> Sequence {
        let mut ids = vec![self.folder.cls];
        self.folder.wordpiece.encode(text, &mut ids);
        ids.truncate(self.folder.max_length - 1);
        ids.push(self.folder.sep);
        Sequence {
            second: ids.len(),
            ids,
        }
    }

    /// A pooled unit vector of each text.
    fn pooled(&self, texts: &[String]) -> Vec<f32> {
        let dims = self.identity.dims;
        let pool = |states: &[f32]| {
            let mut out = vec![0.0; dims];
            let tokens = match self.folder.pooling {
                Pooling::Cls => &states[..dims],
                Pooling::Mean => states,
            };
            for state in tokens.chunks(dims) {
                out.iter_mut().zip(state).for_each(|(o, s)| *o += s);
            }
            unit(&mut out);
            out
        };
        let sequences: Vec<Sequence> = texts.par_iter().map(|t| self.sequence(t)).collect();
        each(&self.model, &sequences, pool).concat()
    }
}

/// Runs the model over all sequences in batches of similar length, on all cores; `take` sees the states of each one.
fn each<T: Send + Default + Clone>(
    model: &Model,
    sequences: &[Sequence],
    take: impl Fn(&[f32]) -> T + Sync,
) -> Vec<T> {
    let mut order: Vec<usize> = (0..sequences.len()).collect();
    order.sort_by_key(|&i| sequences[i].ids.len());
    let mut batches: Vec<Vec<usize>> = Vec::new();
    let mut room = 0;
    for i in order {
        let length = sequences[i].ids.len();
        match batches.last_mut() {
            Some(batch) if room >= length => batch.push(i),
            _ => {
                batches.push(vec![i]);
                room = TOKENS;
            }
        }
        room = room.saturating_sub(length);
    }
    // Work of one text is spread over cores only through batches: a single batch is cut in two.
    if let [batch] = &mut batches[..]
        && batch.len() > 1
    {
        let half = batch.split_off(batch.len() / 2);
        batches.push(half);
    }
    let done: Vec<Vec<(usize, T)>> = batches
        .par_iter()
        .map(|batch| {
            let chosen: Vec<&Sequence> = batch.iter().map(|&i| &sequences[i]).collect();
            let states = model.states(&chosen);
            let mut start = 0;
            let mut taken = Vec::with_capacity(batch.len());
            for (&i, sequence) in batch.iter().zip(chosen) {
                let end = start + sequence.ids.len() * model.dims();
                taken.push((i, take(&states[start..end])));
                start = end;
            }
            taken
        })
        .collect();
    let mut out = vec![T::default(); sequences.len()];
    for (i, value) in done.into_iter().flatten() {
        out[i] = value;
    }
    out
}

impl Encoder for Bert {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn passages(
        &self,
        passages: &[(&str, &str)],
        progress: &dyn Fn(usize) -> bool,
    ) -> Result<Vec<f32>, EmbedError> {
        let mut rows = Vec::with_capacity(passages.len() * self.identity.dims);
        let prefix = &self.folder.passage_prefix;
        for (done, round) in passages.chunks(ROUND).enumerate() {
            let text = |(title, text): &(&str, &str)| format!("{prefix}{}", full_text(title, text));
            let texts: Vec<String> = round.iter().map(text).collect();
            rows.extend(self.pooled(&texts));
            if !progress(done * ROUND + round.len()) {
                return Err(EmbedError::Cancelled);
            }
        }
        Ok(rows)
    }

    fn question(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        Ok(self.pooled(&[format!("{}{text}", self.folder.query_prefix)]))
    }

    fn tokens(&self, texts: &[&str]) -> Result<Vec<TokenVectors>, EmbedError> {
        let dims = self.identity.dims;
        let take = |states: &[f32]| {
            // Without [CLS] and [SEP]: they stand for no word.
            let mut rows = states[dims..states.len() - dims].to_vec();
            rows.chunks_mut(dims).for_each(unit);
            let weights = vec![1.0; rows.len() / dims];
            TokenVectors {
                dims,
                rows,
                weights,
            }
        };
        let sequences: Vec<Sequence> = texts.par_iter().map(|t| self.sequence(t)).collect();
        Ok(each(&self.model, &sequences, take))
    }
}

#[cfg(test)]
pub(crate) mod tests;
