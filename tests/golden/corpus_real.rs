//! The real data sets in `../shared/data`, counted. Ignored by name where they are absent.

use crate::common::shared;
use hopscope::corpus::{Corpus, Format, Lookup, ReadOptions, Report, read, read_questions};
use serde_json::Value;
use std::path::PathBuf;

fn load(folder: PathBuf) -> (Corpus, Report) {
    read(&[folder], &ReadOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn golden(name: &str) -> Option<Value> {
    let file = shared("golden").join(format!("{name}._questions.json"));
    Some(serde_json::from_slice(&std::fs::read(file).ok()?).expect("golden JSON"))
}

/// Identifiers, questions and gold as the reference implementation read them.
fn agrees(corpus: &Corpus, golden: &Value) {
    let strings = |key: &str| -> Vec<&str> {
        golden[key]
            .as_array()
            .expect("list")
            .iter()
            .map(|text| text.as_str().expect("string"))
            .collect()
    };
    assert_eq!(
        corpus
            .passages
            .iter()
            .map(|passage| &*passage.id)
            .collect::<Vec<_>>(),
        strings("ids")
    );
    assert_eq!(
        corpus
            .questions
            .iter()
            .map(|question| &*question.text)
            .collect::<Vec<_>>(),
        strings("questions")
    );
    for (question, gold) in corpus
        .questions
        .iter()
        .zip(golden["gold"].as_array().expect("list"))
    {
        let mut gold: Vec<u64> = gold
            .as_array()
            .expect("list")
            .iter()
            .filter_map(Value::as_u64)
            .collect();
        gold.sort_unstable();
        gold.dedup();
        assert_eq!(
            question
                .gold
                .iter()
                .map(|gold| u64::from(gold.passage))
                .collect::<Vec<_>>(),
            gold,
            "{}",
            question.id
        );
    }
}

#[test]
#[ignore = "needs the data in ../shared"]
fn beir_folders() {
    let data = shared("data");
    for (name, passages, questions, gold) in [
        ("hotpotqa-dev500", 4937, 500, 1000),
        ("hotpotqa-train100", 994, 100, 200),
        ("musique-train100", 1890, 100, 237),
        ("scifact", 5183, 300, 339),
        ("ottqa-300", 3757, 300, 600),
    ] {
        let (corpus, report) = load(data.join(name));
        assert_eq!(report.sources[0].format, Format::Beir, "{name}");
        assert_eq!(
            (
                corpus.passages.len(),
                corpus.questions.len(),
                report.gold.kept
            ),
            (passages, questions, gold),
            "{name}"
        );
        assert!(
            report.is_clean() && report.without_gold == 0,
            "{name}: {report}"
        );
        assert!(
            corpus
                .questions
                .iter()
                .all(|question| !question.kind.is_empty()),
            "{name}"
        );
        if let Some(golden) = golden(name) {
            agrees(&corpus, &golden);
        }
    }
}

#[test]
#[ignore = "needs the data in ../shared"]
fn hipporag_pairs() {
    let data = shared("data");
    for (folder, golden_name, passages, gold) in [
        ("hotpotqa-train100", "hotpot100", 994, 200),
        ("musique-train100", "musique100", 1890, 237),
    ] {
        let (corpus, report) = load(data.join(folder).join("native"));
        assert_eq!(report.sources[0].format, Format::HippoRag);
        assert_eq!(
            (
                corpus.passages.len(),
                corpus.questions.len(),
                report.gold.kept
            ),
            (passages, 100, gold)
        );
        assert!(report.is_clean(), "{report}");
        if let Some(golden) = golden(golden_name) {
            agrees(&corpus, &golden);
        }
        // The same questions against the passages as an index would offer them.
        let file = report.files.last().expect("question file");
        let (questions, _) = read_questions(
            file,
            None,
            &Lookup::of(&corpus.passages),
            &ReadOptions::default(),
        )
        .expect("questions");
        assert_eq!(questions, corpus.questions);
    }
}

#[test]
#[ignore = "needs the data in ../shared"]
fn pooled_question_files() {
    let data = shared("data");
    let (corpus, report) = load(data.join("hotpotqa-train100/native/hotpotqa_train.json"));
    assert_eq!(
        (
            report.sources[0].format,
            corpus.passages.len(),
            report.gold.kept
        ),
        (Format::Hotpot, 994, 200)
    );
    let (listed, _) = load(data.join("hotpotqa-train100/native"));
    let sorted = |corpus: &Corpus| {
        let mut texts: Vec<String> = corpus
            .passages
            .iter()
            .map(|passage| passage.full_text())
            .collect();
        texts.sort();
        texts
    };
    assert_eq!(sorted(&corpus), sorted(&listed));
    let (corpus, report) = load(data.join("musique-train100/native/musique_train.json"));
    assert_eq!(
        (
            report.sources[0].format,
            corpus.passages.len(),
            report.gold.kept
        ),
        (Format::Musique, 1890, 237)
    );
    assert!(
        corpus
            .questions
            .iter()
            .all(|question| question.kind.contains("hop"))
    );
    let (corpus, report) = load(data.join("hotpotqa-dev500/native"));
    assert_eq!(
        (
            report.sources[0].format,
            corpus.passages.len(),
            corpus.questions.len()
        ),
        (Format::Hotpot, 991, 100)
    );
    assert_eq!((report.gold.kept, report.gold.unresolved), (200, 0));
}

#[test]
#[ignore = "needs the data in ../shared"]
fn records_and_books() {
    let data = shared("data");
    let (corpus, report) = load(data.join("scale"));
    assert_eq!(
        (report.sources[0].format, corpus.passages.len()),
        (Format::Jsonl, 25_782)
    );
    let (corpus, report) = load(data.join("distil"));
    assert_eq!(
        (corpus.passages.len(), &*corpus.passages[0].id),
        (13_661, "passages.jsonl#1")
    );
    assert!(report.is_clean());
    let (corpus, report) = load(data.join("long"));
    assert_eq!(
        (report.sources[0].format, report.files.len()),
        (Format::Text, 2)
    );
    let lengths: Vec<usize> = corpus
        .passages
        .iter()
        .map(|p| p.text.split_whitespace().count())
        .collect();
    let fitting = lengths
        .iter()
        .filter(|&&words| (50..=210).contains(&words))
        .count();
    assert!(
        fitting * 100 > lengths.len() * 98,
        "{fitting} of {}",
        lengths.len()
    );
    assert_eq!(corpus.passages[0].title, "a christmas carol gutenberg");
    let book = std::fs::read_to_string(data.join("long/tom_sawyer_twain.txt")).expect("book");
    let kept: Vec<&str> = corpus
        .passages
        .iter()
        .filter(|passage| passage.id.starts_with("tom"))
        .flat_map(|passage| passage.text.split_whitespace())
        .collect();
    assert_eq!(
        kept,
        book.trim_start_matches('\u{feff}')
            .split_whitespace()
            .collect::<Vec<_>>()
    );
}
