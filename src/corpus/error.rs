//! What can be wrong with a corpus, said so that it can be mended: where, what was expected, what was found.

use crate::exchange::schema::GraphError;
use serde::Serialize;
use std::fmt;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// A place in a file: `corpus.jsonl:17`, `dev.json:3:14 (byte 230)`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Place {
    /// The file.
    pub file: PathBuf,
    /// From 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// In bytes, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u64>,
    /// Offset from the start of the file, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub byte: Option<u64>,
}

impl Place {
    /// The file as a whole.
    pub fn file(file: &Path) -> Self {
        Self {
            file: file.to_owned(),
            ..Self::default()
        }
    }

    /// A line of the file, from 1.
    pub fn line(file: &Path, line: u64) -> Self {
        Self {
            line: Some(line),
            ..Self::file(file)
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.file.display())?;
        if let Some(line) = self.line {
            write!(out, ":{line}")?;
        }
        if let Some(column) = self.column {
            write!(out, ":{column}")?;
        }
        match self.byte {
            Some(byte) => write!(out, " (byte {byte})"),
            None => Ok(()),
        }
    }
}

/// What a bad record should have been.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum What {
    Passage,
    Question,
    Gold,
}

impl fmt::Display for What {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Passage => "passage",
            Self::Question => "question",
            Self::Gold => "gold link",
        })
    }
}

/// A record that cannot be used: an error, or with `--skip-bad` an entry of the [`Report`](super::Report).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BadRecord {
    /// Where it is.
    pub place: Place,
    /// What was expected.
    pub expected: String,
    /// What was found.
    pub found: String,
}

impl BadRecord {
    pub(super) fn new(
        place: &Place,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Self {
        Self {
            place: place.clone(),
            expected: expected.into(),
            found: found.into(),
        }
    }
}

impl fmt::Display for BadRecord {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "{}: expected {}; found {}",
            self.place, self.expected, self.found
        )
    }
}

/// Why a corpus could not be read. Every message ends with what to do about it.
#[derive(Debug, Error)]
pub enum CorpusError {
    #[error("{}: cannot be read: {source}\nCheck that it exists and that you may read it.", file.display())]
    Io {
        file: PathBuf,
        source: std::io::Error,
    },

    /// One record is bad; `--skip-bad` leaves such records out and counts them.
    #[error(
        "{0}\nMend it, or leave such records out with --skip-bad; they are then counted and listed."
    )]
    Record(Box<BadRecord>),

    /// A file lacks what every record of it needs.
    #[error("{place}: expected {expected}; found {found}\n{remedy}")]
    File {
        place: Box<Place>,
        expected: String,
        found: String,
        remedy: String,
    },

    /// A database that cannot be reached, refuses, or has no graph.
    #[error(transparent)]
    Database(Box<GraphError>),

    #[error(
        "{}: no known corpus format; found {found}\nTried: {tried}.\nForce one with --format beir, hotpotqa, musique, hipporag, text, table, typed or jsonl.",
        path.display()
    )]
    Undetected {
        path: PathBuf,
        found: String,
        tried: String,
    },

    #[error(
        "{paths}: no passage in it\nName a file or folder with passages; with --skip-bad see the report for what was left out."
    )]
    Empty { paths: String },

    #[error(
        "unknown corpus format `{0}`\nUse one of beir, hotpotqa (or 2wiki), musique, hipporag, text, table, typed, jsonl."
    )]
    UnknownFormat(String),
}

impl CorpusError {
    /// With the file called as the person does who named it.
    pub(super) fn renamed(mut self, rename: &dyn Fn(&mut PathBuf)) -> Self {
        match &mut self {
            Self::Io { file, .. } => rename(file),
            Self::Record(bad) => rename(&mut bad.place.file),
            Self::File { place, .. } => rename(&mut place.file),
            Self::Undetected { path, .. } => rename(path),
            Self::Empty { paths } => {
                let mut path = PathBuf::from(&*paths);
                rename(&mut path);
                *paths = path.display().to_string();
            }
            Self::UnknownFormat(_) | Self::Database(_) => {}
        }
        self
    }

    pub(super) fn record(
        place: &Place,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Self {
        Self::Record(Box::new(BadRecord::new(place, expected, found)))
    }

    pub(super) fn io(file: &Path, source: std::io::Error) -> Self {
        Self::Io {
            file: file.to_owned(),
            source,
        }
    }

    pub(super) fn file(
        place: Place,
        expected: impl Into<String>,
        found: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self::File {
            place: Box::new(place),
            expected: expected.into(),
            found: found.into(),
            remedy: remedy.into(),
        }
    }
}
