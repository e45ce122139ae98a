//! What can go wrong between a text and its vector: always which file or server, what was expected, what to do.

use super::Identity;
use crate::mapped;
use std::path::{Path, PathBuf};

/// Why there are no vectors, or none that may be used.
#[derive(Debug, thiserror::Error)]
pub enum EmbedError {
    #[error("encoder `{given}`: {said}; expected {}", super::FORMS)]
    Spec { given: String, said: String },
    #[error("{}: {said}; {remedy}", path.display())]
    File {
        path: PathBuf,
        said: String,
        remedy: &'static str,
    },
    #[error("{url}: {said}; {remedy}")]
    Endpoint {
        url: String,
        said: String,
        remedy: &'static str,
    },
    #[error(
        "the vectors were made by {stored}, the question would be encoded by {asked}; {}",
        super::REBUILD
    )]
    Identity {
        stored: Box<Identity>,
        asked: Box<Identity>,
    },
    #[error("vectors: {said}; {}", super::REBUILD)]
    Shape { said: String },
    #[error("{said}")]
    Options { said: String },
    #[error("{encoder} gives {lacks}; {remedy}")]
    Lacking {
        encoder: String,
        lacks: &'static str,
        remedy: &'static str,
    },
    #[error(
        "no vector was given for '{question}'; ask one of the {known} questions of the index word by word, use a method without vectors, or index with an encoder (`--encoder static`) to ask freely"
    )]
    Unasked { question: String, known: usize },
    #[error("cancelled")]
    Cancelled,
}

impl EmbedError {
    pub(crate) fn file(path: &Path, said: impl ToString, remedy: &'static str) -> EmbedError {
        EmbedError::File {
            path: path.to_owned(),
            said: said.to_string(),
            remedy,
        }
    }

    /// A file's bytes.
    pub(crate) fn read(path: &Path, remedy: &'static str) -> Result<Vec<u8>, EmbedError> {
        mapped::read(path).map_err(|e| EmbedError::file(path, e, remedy))
    }

    pub(crate) fn shape(said: impl Into<String>) -> EmbedError {
        EmbedError::Shape { said: said.into() }
    }
}
