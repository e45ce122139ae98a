//! The bundled corpora, indexed in memory: the program works at once, anywhere, offline.

use super::{BuildOptions, Index, Silent};
use crate::corpus::{self, Corpus, ReadOptions};
use std::fs;
use std::path::Path;

/// The files of a corpus, by their places.
type Files = [(&'static str, &'static str); 3];

const SAMPLE: Files = [
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

/// Two entities and three passages, for a lesson: a graph that fits on a blackboard.
const FIVE_NODES: Files = [
    (
        "corpus.jsonl",
        include_str!("../../lessons/five-nodes/corpus.jsonl"),
    ),
    (
        "queries.jsonl",
        include_str!("../../lessons/five-nodes/queries.jsonl"),
    ),
    (
        "qrels/test.tsv",
        include_str!("../../lessons/five-nodes/qrels/test.tsv"),
    ),
];

/// The bundled sample.
///
/// # Errors
/// When the temporary folder cannot be written.
pub fn corpus() -> anyhow::Result<Corpus> {
    read("sample", &SAMPLE)
}

/// The bundled corpus whose graph has five nodes.
///
/// # Errors
/// As `corpus`.
pub fn five_nodes() -> anyhow::Result<Corpus> {
    read("five-nodes", &FIVE_NODES)
}

/// Reads a bundled corpus through the same reader as any other: its files are laid out in a temporary folder first.
fn read(name: &str, files: &Files) -> anyhow::Result<Corpus> {
    let folder = tempfile::Builder::new()
        .prefix("hopscope-sample-")
        .tempdir()?;
    for (file, text) in files {
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
        fs::write(path, text)?;
    }
    let (mut corpus, _) = corpus::read(&[folder.path().to_owned()], &ReadOptions::default())?;
    corpus.name = name.into();
    Ok(corpus)
}

/// The bundled corpus, indexed.
///
/// # Errors
/// As `corpus`.
pub fn index() -> anyhow::Result<Index> {
    Index::build(corpus()?, &BuildOptions::default(), &Silent).map_err(Into::into)
}
