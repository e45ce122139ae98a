//! The bundled sample corpus, indexed in memory: the program works at once, anywhere, offline.

use super::{BuildOptions, Index, Silent};
use crate::corpus::{self, Corpus, ReadOptions};
use std::fs;
use std::path::Path;

const FILES: [(&str, &str); 3] = [
    (
        "corpus.jsonl",
        include_str!("../../sample-corpus/corpus.jsonl"),
    ),
    (
        "queries.jsonl",
        include_str!("../../sample-corpus/queries.jsonl"),
    ),
    (
        "qrels/test.tsv",
        include_str!("../../sample-corpus/qrels/test.tsv"),
    ),
];

/// Reads the bundled corpus through the same reader as any other: its files are laid out in a temporary folder first.
///
/// # Errors
/// When the temporary folder cannot be written.
pub fn corpus() -> anyhow::Result<Corpus> {
    let folder = tempfile::Builder::new()
        .prefix("hopscope-sample-")
        .tempdir()?;
    for (name, text) in FILES {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
        fs::write(path, text)?;
    }
    let (mut corpus, _) = corpus::read(&[folder.path().to_owned()], &ReadOptions::default())?;
    corpus.name = "sample".into();
    Ok(corpus)
}

/// The bundled corpus, indexed.
///
/// # Errors
/// As `corpus`.
pub fn index() -> anyhow::Result<Index> {
    Index::build(corpus()?, &BuildOptions::default(), &Silent).map_err(Into::into)
}
