//! Text to vectors, and vectors to the nearest passages.
//!
//! | file | what lives there |
//! |---|---|
//! | `fixed`, `table`, `weights` | the `static` encoder: a token table in the binary, weighted by the corpus |
//! | `bert` | sentence-transformers folders on the CPU, and cross-encoders |
//! | `endpoint`, `reply` | vectors from a server |
//! | `spec` | encoders by name |
//! | `given` | vectors made elsewhere, from `.npy` files |
//! | `vectors`, `gather`, `dot` | the passages' vectors, and exact search |
//! | `hnsw`, `hnsw_build` | approximate search: a small-world graph over the vectors |
//! | `maxsim`, `reranker` | the built-in re-ranker; cross-encoders by name |
//! | `wordpiece` | BERT's word pieces, for the static table and for BERT |

pub(crate) mod bert;
mod dot;
pub(crate) mod endpoint;
mod error;
pub(crate) mod fixed;
pub(crate) mod gather;
pub(crate) mod given;
pub(crate) mod hnsw;
mod hnsw_build;
pub(crate) mod maxsim;
mod reply;
mod reranker;
pub(crate) mod spec;
pub(crate) mod table;
pub mod vectors;
pub(crate) mod weights;
pub(crate) mod wordpiece;

pub use bert::{Bert, CrossEncoder};
pub use endpoint::Endpoint;
pub use error::EmbedError;
pub use fixed::Static;
pub use gather::VectorWriter;
pub use given::Given;
pub use hnsw::{Hnsw, HnswOptions};
pub use maxsim::{asked, maxsim, maxsim_texts};
pub use reranker::Reranker;
pub use spec::{Closed, Settings, Spec, open};
pub use vectors::{Rows, Vectors};
pub use weights::Weights;

use serde::{Deserialize, Serialize};
use std::fmt;

pub(crate) const FORMS: &str =
    "`static`, `bert:FOLDER` or `endpoint:URL?model=NAME&key_env=VARIABLE`";
pub(crate) const REBUILD: &str =
    "use the encoder of the index, or build the index again with this one";

/// What kind of encoder made a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    Static,
    Bert,
    Endpoint,
    /// Vectors from a file, made elsewhere.
    File,
}

/// Which encoder made a vector: only vectors of equal identity may be compared.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Identity {
    /// Name of the encoder.
    pub name: String,
    /// Kind of the encoder.
    pub kind: Kind,
    /// Numbers of a vector.
    pub dims: usize,
    /// Of the model and every setting that moves a vector.
    pub fingerprint: String,
}

impl Identity {
    /// Whether vectors of another encoder may be compared with these.
    ///
    /// # Errors
    /// Another encoder.
    pub fn check(&self, asked: &Identity) -> Result<(), EmbedError> {
        if self == asked {
            return Ok(());
        }
        Err(EmbedError::Identity {
            stored: Box::new(self.clone()),
            asked: Box::new(asked.clone()),
        })
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` ({} dimensions, {})",
            self.name, self.dims, self.fingerprint
        )
    }
}

/// A vector per token of a text, of unit length, and how much each token counts.
#[derive(Clone, Debug, Default)]
pub struct TokenVectors {
    pub dims: usize,
    pub rows: Vec<f32>,
    pub weights: Vec<f32>,
}

/// Turns texts into vectors of unit length (or zero, where a text says nothing the encoder knows).
pub trait Encoder: Send + Sync {
    fn identity(&self) -> &Identity;

    /// Learns what it weighs by from a corpus, before its passages are encoded; the identity changes with it.
    ///
    /// # Errors
    /// None from the built-in encoders.
    fn learn(&mut self, _passages: &[(&str, &str)]) -> Result<(), EmbedError> {
        Ok(())
    }

    /// What [`Encoder::learn`] learnt, for the index to store and [`open`] to take back.
    fn weights(&self) -> Option<&Weights> {
        None
    }

    /// Vectors of the only questions it knows, for the index to store.
    fn asked(&self) -> Option<&[f32]> {
        None
    }

    /// One row per passage, given as title and text. `progress` hears how many are done and stops the work by `false`.
    ///
    /// # Errors
    /// Cancelled, or what an endpoint answers.
    fn passages(
        &self,
        passages: &[(&str, &str)],
        progress: &dyn Fn(usize) -> bool,
    ) -> Result<Vec<f32>, EmbedError>;

    /// # Errors
    /// What an endpoint answers.
    fn question(&self, text: &str) -> Result<Vec<f32>, EmbedError>;

    /// Vectors of the tokens of each text, for MaxSim.
    ///
    /// # Errors
    /// An encoder that gives none.
    fn tokens(&self, texts: &[&str]) -> Result<Vec<TokenVectors>, EmbedError>;
}

/// Scales a vector to unit length; zero stays zero.
pub(crate) fn unit(vector: &mut [f32]) {
    let square: f64 = vector.iter().map(|&x| f64::from(x) * f64::from(x)).sum();
    if square > 0.0 {
        let scale = 1.0 / square.sqrt();
        for x in vector {
            *x = (f64::from(*x) * scale) as f32;
        }
    }
}
