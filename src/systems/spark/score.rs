//! The fused score of 5.3: words and vectors of a text against passages, words scaled within the set that is ranked.

use super::search::Params;
use crate::embed::vectors::Probe;
use crate::index::Index;
use crate::index::lexical::Bm25;
use crate::retrieve::RetrieveError;
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

/// One text, ready to be held against passages.
struct Scored {
    text: String,
    /// BM25 of all passages.
    lexical: Vec<f64>,
    probe: Probe,
}

/// Scores texts, and remembers those it has.
pub struct Scorer<'i> {
    index: &'i Index,
    params: &'i Params,
    /// The question and its vector, where the caller has it.
    question: (&'i str, Option<&'i [f32]>),
    known: Vec<Arc<Scored>>,
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
        params: &'i Params,
        question: &'i str,
        vector: Option<&'i [f32]>,
    ) -> Scorer<'i> {
        Scorer {
            index,
            params,
            question: (question, vector),
            known: Vec::new(),
        }
    }

    fn scored(&mut self, text: &str) -> Result<Arc<Scored>, RetrieveError> {
        if let Some(known) = self.known.iter().find(|k| k.text == text) {
            return Ok(known.clone());
        }
        let words = self.index.lexical().question(self.params.tokens, text)?;
        let mut lexical = Vec::new();
        let constants = Bm25 {
            k1: self.params.bm25_k1,
            b: self.params.bm25_b,
        };
        self.index
            .lexical()
            .scores(self.params.tokens, &words, constants, &mut lexical)?;
        let dense = dense(self.index)?;
        let probe = match self.question {
            (question, Some(vector)) if question == text => dense.vectors.probe(vector)?,
            _ => dense.vectors.probe(&dense.encoder.question(text)?)?,
        };
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
                true => self.params.fuse_lexical * scored.lexical[*p as usize] / best,
                false => 0.0,
            },
            dense: self.params.fuse_dense * f64::from(vectors.score(&scored.probe, *p)),
        };
        let mut ranked: Vec<(u32, Fused)> = passages.iter().map(|p| (*p, fused(p))).collect();
        ranked.sort_by(|a, b| b.1.sum().total_cmp(&a.1.sum()).then(a.0.cmp(&b.0)));
        Ok(ranked)
    }
}
