//! Small corpora on disk for the tests of this module.

use super::{Corpus, ReadOptions, Report, read};
use std::path::{Path, PathBuf};

/// A folder that goes away with the test.
pub(super) struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::Builder::new().prefix("corpus").tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        if name.is_empty() {
            self.0.path().to_owned()
        } else {
            self.0.path().join(name)
        }
    }

    pub fn write(&self, name: &str, content: &str) {
        self.write_bytes(name, content.as_bytes());
    }

    pub fn write_bytes(&self, name: &str, content: &[u8]) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub fn remove(&self, name: &str) {
        std::fs::remove_file(self.path(name)).unwrap();
    }
}

/// Reads, and checks that the account is right.
pub(super) fn reads_with(paths: &[PathBuf], options: &ReadOptions) -> (Corpus, Report) {
    let (corpus, report) = read(paths, options).unwrap_or_else(|error| panic!("{error}"));
    adds_up(&corpus, &report);
    (corpus, report)
}

/// Every record is accounted for, and identifiers are unique.
pub(super) fn adds_up(corpus: &Corpus, report: &Report) {
    for tally in [report.passages, report.questions] {
        assert_eq!(
            tally.read,
            tally.kept + tally.merged + tally.bad,
            "{report}"
        );
    }
    let gold = report.gold;
    assert_eq!(
        gold.read,
        gold.kept + gold.merged + gold.bad + gold.unresolved + gold.not_relevant,
        "{report}"
    );
    assert_eq!(corpus.passages.len(), report.passages.kept);
    assert_eq!(corpus.questions.len(), report.questions.kept);
    assert_eq!(
        corpus
            .questions
            .iter()
            .map(|question| question.gold.len())
            .sum::<usize>(),
        gold.kept
    );
    let ids: std::collections::HashSet<&str> =
        corpus.passages.iter().map(|passage| &*passage.id).collect();
    assert_eq!(ids.len(), corpus.passages.len(), "identifiers are unique");
    let last = u32::try_from(corpus.passages.len()).unwrap();
    for question in &corpus.questions {
        assert!(
            question
                .gold
                .windows(2)
                .all(|pair| pair[0].passage < pair[1].passage)
        );
        assert!(
            question
                .gold
                .iter()
                .all(|gold| gold.passage < last && gold.grade > 0.0)
        );
    }
}

pub(super) fn reads(path: &Path) -> (Corpus, Report) {
    reads_with(&[path.to_owned()], &ReadOptions::default())
}

/// The message of the error.
pub(super) fn fails(path: &Path, options: &ReadOptions) -> String {
    read(&[path.to_owned()], options)
        .map(|(corpus, _)| corpus)
        .unwrap_err()
        .to_string()
}
