//! A cross-encoder by name: `bert:FOLDER`.

use super::spec::Spec;
use super::{CrossEncoder, EmbedError, Identity};

/// A cross-encoder, and the words that open it again.
pub struct Reranker {
    spec: String,
    cross: CrossEncoder,
}

impl Reranker {
    /// Opens `bert:FOLDER`, a sequence-classification folder; settings may follow a question mark, as for encoders.
    ///
    /// # Errors
    /// Another form, or a folder that is no such model, by the file that says so.
    pub fn open(spec: &str) -> Result<Reranker, EmbedError> {
        let Ok(Spec::Bert(folder, settings)) = Spec::parse(spec) else {
            return Err(EmbedError::Options {
                said: format!(
                    "re-ranker `{spec}`: expected bert:FOLDER, the folder of a cross-encoder (config.json, vocab.txt or tokenizer.json, model.safetensors with a classifier)"
                ),
            });
        };
        Ok(Reranker {
            spec: spec.to_owned(),
            cross: CrossEncoder::open(&folder, &settings)?,
        })
    }

    pub fn spec(&self) -> &str {
        &self.spec
    }

    pub fn identity(&self) -> &Identity {
        self.cross.identity()
    }

    /// How well each text answers the question: the model's own number, the higher the better.
    pub fn score(&self, question: &str, texts: &[&str]) -> Vec<f32> {
        self.cross.score(question, texts)
    }
}
