//! The questions a person has asked, newest last.
//!
//! One JSON object a line, appended as questions are asked, so that two explorers open at once both add to it and a
//! crash costs at most the last line. Reading forgives lines it does not understand; writing anew, with duplicates
//! and the oldest lines gone, happens only when the file has grown to twice what is kept.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{cannot, claimed, read, replace};
use crate::journal::append;

/// How many questions are kept when nobody says otherwise.
pub const KEPT: usize = 1_000;

/// A question as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// The question.
    pub question: String,
    /// What it was asked of; empty for the sample.
    #[serde(default)]
    pub index: String,
}

/// The questions asked so far.
#[derive(Debug, Clone)]
pub struct History {
    /// `None` keeps them in memory only.
    path: Option<PathBuf>,
    kept: usize,
    entries: Vec<Asked>,
    lines_in_file: usize,
}

impl History {
    /// A history that is forgotten at the end.
    pub fn in_memory(kept: usize) -> Self {
        Self {
            path: None,
            kept: kept.max(1),
            entries: Vec::new(),
            lines_in_file: 0,
        }
    }

    /// Reads a history; to keep none means in memory for this session. When that fails the sentence says why and the history is still usable, from empty.
    pub fn open(path: &Path, kept: usize) -> (Self, Option<String>) {
        if kept == 0 {
            return (Self::in_memory(KEPT), None);
        }
        let mut history = Self::in_memory(kept);
        history.path = Some(path.to_owned());
        let text = match read(path) {
            Ok(text) => text.unwrap_or_default(),
            Err(message) => {
                // What cannot be read must not be overwritten either.
                history.path = None;
                return (history, Some(message));
            }
        };
        for line in text.lines() {
            history.lines_in_file += 1;
            if let Ok(asked) = serde_json::from_str::<Asked>(line) {
                history.remember(asked);
            }
        }
        (history, None)
    }

    /// Adds a question; one asked before moves to the end. Fails only to write it down, never to remember it.
    pub fn add(&mut self, question: &str, index: &str) -> Result<(), String> {
        let asked = Asked {
            question: question.trim().to_owned(),
            index: index.to_owned(),
        };
        if asked.question.is_empty() || self.entries.last() == Some(&asked) {
            return Ok(());
        }
        let line = serde_json::to_string(&asked)
            .map_err(|error| format!("cannot write down the question: {error}"))?;
        self.remember(asked);
        let Some(path) = &self.path else {
            return Ok(());
        };
        let _claim = claimed(path);
        if self.lines_in_file >= 2 * self.kept {
            return self.compact();
        }
        append(path, &line).map_err(|error| cannot("save", path, &error))?;
        self.lines_in_file += 1;
        Ok(())
    }

    /// The questions, newest first.
    pub fn newest(&self) -> impl Iterator<Item = &Asked> {
        self.entries.iter().rev()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn remember(&mut self, asked: Asked) {
        self.entries.retain(|known| *known != asked);
        self.entries.push(asked);
        let extra = self.entries.len().saturating_sub(self.kept);
        self.entries.drain(..extra);
    }

    /// Writes the file anew, with what another explorer appended meanwhile.
    fn compact(&mut self) -> Result<(), String> {
        let Some(path) = self.path.clone() else {
            return Ok(());
        };
        let (mut merged, problem) = Self::open(&path, self.kept);
        if let Some(message) = problem {
            return Err(message);
        }
        if let Some(newest) = self.entries.last() {
            merged.remember(newest.clone());
        }
        let mut text = String::new();
        for asked in &merged.entries {
            if let Ok(line) = serde_json::to_string(asked) {
                text.push_str(&line);
                text.push('\n');
            }
        }
        replace(&path, text.as_bytes())?;
        self.lines_in_file = merged.entries.len();
        self.entries = merged.entries;
        Ok(())
    }
}
