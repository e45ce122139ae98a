//! A log of evaluations: what every question came to, on the disk as soon as it is known, so that a set which was stopped
//! goes on where it was.
//!
//! A line a question, as JSON. Its key is a checksum of all that the outcome is made of (the index, the method and its
//! values, changes of seeds and of the graph, who ranks again, and the question with its gold), so that a line stands for
//! nothing else, and one file may have those of many methods.

#![warn(missing_docs)]

use super::answers::Covered;
use super::measures::measures;
use super::run::PerQuestion;
use super::survival::Fate;
use crate::corpus::Question;
use crate::index::{Index, IndexError};
use crate::journal::append;
use crate::mapped;
use crate::retrieve::{Hit, Settings};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::io::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use xxhash_rust::xxh3::xxh3_64;

/// The first line: nothing is added to a file of something else.
const HEAD: &str = r#"{"log":"hopscope eval"}"#;

/// Outcomes by key, and the file that they are added to.
pub struct Log {
    path: PathBuf,
    /// Of the index, see [`crate::index::store::Manifest::checksum`].
    index: String,
    rows: FxHashMap<String, Row>,
    /// Lines that are none; the last of a program that was killed may be.
    broken: usize,
    writing: Mutex<()>,
}

/// A line.
#[derive(Serialize, Deserialize)]
struct Row {
    key: String,
    /// For whoever reads the file, as the method.
    question: String,
    method: String,
    milliseconds: f64,
    /// Passages by their number in the index.
    ranking: Vec<Hit>,
    read: Option<Covered>,
    fate: Fate,
}

impl Log {
    /// Reads what a file has, and begins it where there is none. `index` is the checksum of the index's manifest.
    ///
    /// # Errors
    /// What the system says, and a file of something else.
    pub fn open(path: &Path, index: &str) -> Result<Log> {
        let text = match mapped::read(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
            read => read?,
        };
        let text = String::from_utf8_lossy(&text);
        let mut lines = text.lines();
        match lines.next() {
            None => drop(append(path, HEAD)?),
            Some(HEAD) => {}
            Some(_) => {
                let said = "line 1 is not that of a log of evaluations; name another file";
                return Err(Error::new(ErrorKind::InvalidData, said));
            }
        }
        let (mut rows, mut broken) = (FxHashMap::default(), 0);
        for line in lines {
            match serde_json::from_str::<Row>(line) {
                Ok(row) => drop(rows.insert(row.key.clone(), row)),
                Err(_) => broken += 1,
            }
        }
        Ok(Log {
            path: path.to_owned(),
            index: index.to_owned(),
            rows,
            broken,
            writing: Mutex::new(()),
        })
    }

    /// How many lines could not be read; their questions are asked again.
    pub fn broken(&self) -> usize {
        self.broken
    }

    /// How many of some questions it has under some settings.
    pub fn known(&self, index: &Index, settings: &Settings, questions: &[Question]) -> usize {
        let of =
            |question: &&Question| self.rows.contains_key(&self.key(index, settings, question));
        questions.iter().filter(of).count()
    }

    /// What the question at a place of a set came to before.
    pub(super) fn find(
        &self,
        index: &Index,
        settings: &Settings,
        (at, question): (usize, &Question),
    ) -> Option<PerQuestion> {
        let row = self.rows.get(&self.key(index, settings, question))?;
        // No line of ours has others, whatever its key says.
        let there = |hit: &Hit| (hit.passage as usize) < index.len();
        if !row.ranking.iter().all(there) || row.fate.gold.len() != question.wanted() {
            return None;
        }
        let ranking: Vec<u32> = row.ranking.iter().map(|hit| hit.passage).collect();
        Some(PerQuestion {
            question: at,
            measures: measures(&ranking, question),
            ranking: row.ranking.clone(),
            milliseconds: row.milliseconds,
            read: row.read,
            fate: row.fate.clone(),
        })
    }

    /// Adds what a question came to.
    ///
    /// # Errors
    /// What the system says.
    pub(super) fn add(
        &self,
        index: &Index,
        settings: &Settings,
        question: &Question,
        outcome: &PerQuestion,
    ) -> std::result::Result<(), IndexError> {
        let row = Row {
            key: self.key(index, settings, question),
            question: question.id.clone(),
            method: settings.method().name.to_string(),
            milliseconds: outcome.milliseconds,
            ranking: outcome.ranking.clone(),
            read: outcome.read,
            fate: outcome.fate.clone(),
        };
        let _alone = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let line = serde_json::to_string(&row).map_err(Error::from);
        let added = line.and_then(|line| append(&self.path, &line));
        added
            .map(drop)
            .map_err(|error| IndexError::io(&self.path, error))
    }

    fn key(&self, index: &Index, settings: &Settings, question: &Question) -> String {
        let method = settings.method();
        let changes = format!("{:?} {:?}", settings.seed_edits(), settings.graph_edits());
        let reranker = index.reranker().map(|reranker| reranker.spec());
        let (program, model) = (
            env!("CARGO_PKG_VERSION"),
            index.llm().model().map(str::to_owned),
        );
        let of = (program, &self.index, &*method.name, settings, changes);
        let all = serde_json::to_vec(&(of, reranker, model, question)).unwrap_or_default();
        format!("{:016x}", xxh3_64(&all))
    }
}
