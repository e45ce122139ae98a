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
use rustc_hash::{FxHashMap, FxHashSet};
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
    #[serde(default)]
    confidence: Option<f64>,
}

/// More milliseconds than any question takes: thirty years.
const MOST_MILLISECONDS: f64 = 1e12;

impl Row {
    /// Holds a line that a person may have changed against what every evaluation writes.
    ///
    /// # Errors
    /// What is not so.
    fn check(&self) -> std::result::Result<(), String> {
        if !(0.0..MOST_MILLISECONDS).contains(&self.milliseconds) {
            return Err("`milliseconds` is not a valid time".into());
        }
        let mut seen = FxHashSet::default();
        if let Some(twice) = self.ranking.iter().find(|hit| !seen.insert(hit.passage)) {
            return Err(format!("passage {} stands there twice", twice.passage));
        }
        if !self.ranking.iter().all(|hit| hit.score.is_finite()) {
            return Err("a score is not finite".into());
        }
        if !self.ranking.is_sorted_by(|a, b| a.score >= b.score) {
            return Err("the scores do not descend".into());
        }
        if self.confidence.is_some_and(|p| !(0.0..=1.0).contains(&p)) {
            return Err("`confidence` is not a probability".into());
        }
        let after = |read: &Covered| read.after.is_some_and(|after| after > read.tokens);
        if self.read.as_ref().is_some_and(after) {
            return Err("an answer is read after the end of the context".into());
        }
        Ok(())
    }
}

impl Log {
    /// Reads what a file has, and begins it where there is none. `index` is the checksum of the index's manifest.
    ///
    /// # Errors
    /// What the system says, a file of something else, and a line that no evaluation writes.
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
        for (at, line) in (2..).zip(lines) {
            match serde_json::from_str::<Row>(line) {
                Ok(row) => {
                    row.check().map_err(|said| {
                        let said =
                            format!("line {at}: {said}; remove the line to run its question again");
                        Error::new(ErrorKind::InvalidData, said)
                    })?;
                    rows.insert(row.key.clone(), row);
                }
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
            confidence: row.confidence,
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
            confidence: outcome.confidence,
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
