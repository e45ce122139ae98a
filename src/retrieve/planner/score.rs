//! The fused score (SAGE, retrieval): words and vectors of a text against passages, words scaled within the set that is ranked.

use crate::embed::vectors::Probe;
use crate::index::Index;
use crate::index::lexical::Bm25;
use crate::parameters::{BM25_B, BM25_K1, FUSE_DENSE, FUSE_LEXICAL, Scoped, TOKENS};
use crate::retrieve::RetrieveError;
use crate::text::Tokens;
use serde::Serialize;
use std::sync::Arc;

/// The two parts of a fused score.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Fused {
    /// `fuse_lexical * bm25 / best bm25 of the set`
    pub lexical: f64,
    /// `fuse_dense * cosine`
    pub dense: f64,
}

impl Fused {
    pub fn sum(self) -> f64 {
        self.lexical + self.dense
    }
}

/// How words are cut and counted, and what words and vectors weigh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    tokens: Tokens,
    constants: Bm25,
    pub lexical: f64,
    pub dense: f64,
}

impl From<Scoped<'_>> for Weights {
    fn from(values: Scoped<'_>) -> Weights {
        Weights {
            tokens: values.get(TOKENS),
            constants: Bm25 {
                k1: values.get(BM25_K1),
                b: values.get(BM25_B),
            },
            lexical: values.get(FUSE_LEXICAL),
            dense: values.get(FUSE_DENSE),
        }
    }
}

/// One text, ready to be held against passages.
pub struct Scored {
    text: String,
    /// BM25 of all passages.
    lexical: Vec<f64>,
    /// None where the encoder knows no piece of the text.
    probe: Option<Probe>,
}

/// Scores texts, and remembers those it has.
pub struct Scorer<'i> {
    index: &'i Index,
    weights: Weights,
    /// The question and its vector.
    question: (&'i str, Option<&'i [f32]>),
    pub known: Vec<Arc<Scored>>,
}

/// The vectors of an index, or the error that says how to get some.
pub fn dense(index: &Index) -> Result<&crate::index::Dense, RetrieveError> {
    index.dense().ok_or(RetrieveError::NoVectors {
        method: "spark".into(),
    })
}

impl<'i> Scorer<'i> {
    /// Nothing is scored before it is asked for.
    pub fn new(
        index: &'i Index,
        weights: Weights,
        question: &'i str,
        vector: Option<&'i [f32]>,
    ) -> Scorer<'i> {
        Scorer {
            index,
            weights,
            question: (question, vector),
            known: Vec::new(),
        }
    }

    fn scored(&mut self, text: &str) -> Result<Arc<Scored>, RetrieveError> {
        if let Some(known) = self.known.iter().find(|k| k.text == text) {
            return Ok(known.clone());
        }
        let Weights {
            tokens, constants, ..
        } = self.weights;
        let words = self.index.lexical().question(tokens, text)?;
        let mut lexical = Vec::new();
        self.index
            .lexical()
            .scores(tokens, &words, constants, &mut lexical)?;
        let dense = dense(self.index)?;
        let own;
        let vector = match self.question {
            (question, vector) if question == text => vector,
            _ => {
                own = dense.question(text)?;
                own.as_deref()
            }
        };
        let probe = vector.map(|vector| dense.vectors.probe(vector));
        let probe = probe.transpose()?;
        let scored = Arc::new(Scored {
            text: text.to_owned(),
            lexical,
            probe,
        });
        self.known.push(scored.clone());
        Ok(scored)
    }

    /// Passages by the fused score of a text: best first, then by number.
    ///
    /// # Errors
    /// Vectors that are missing, or what an encoder says.
    pub fn rank(
        &mut self,
        text: &str,
        passages: &[u32],
    ) -> Result<Vec<(u32, Fused)>, RetrieveError> {
        let scored = self.scored(text)?;
        let vectors = &dense(self.index)?.vectors;
        let best = passages
            .iter()
            .map(|p| scored.lexical[*p as usize])
            .fold(0.0, f64::max);
        let fused = |p: &u32| Fused {
            lexical: match best > 0.0 {
                true => self.weights.lexical * scored.lexical[*p as usize] / best,
                false => 0.0,
            },
            dense: (scored.probe.as_ref()).map_or(0.0, |probe| {
                self.weights.dense * f64::from(vectors.score(probe, *p))
            }),
        };
        let mut ranked: Vec<(u32, Fused)> = passages.iter().map(|p| (*p, fused(p))).collect();
        ranked.sort_by(|a, b| b.1.sum().total_cmp(&a.1.sum()).then(a.0.cmp(&b.0)));
        Ok(ranked)
    }
}
