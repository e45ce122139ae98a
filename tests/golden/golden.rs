//! Results held against an independent implementation: same top 10 where scores are not tied, same scores.
//!
//! The reference's conventions: literal regex mentions, plain words, exact passage lengths (our lexical engine stores
//! lengths in one byte; the exact ones beside it are what is compared here), power iteration with T = 5.

use crate::common::shared;
use hopscope::corpus::{self, ReadOptions};
use hopscope::embed::{Encoder, Given};
use hopscope::evaluate::evaluate;
use hopscope::index::{BuildOptions, Dense, EntityOptions, Index, Silent};
use hopscope::retrieve::{Method, Settings};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

/// Golden file, method, and what differs from the conventions above.
const RUNS: &[(&str, &str, &[&str])] = &[
    ("bm25", "bm25", &[]),
    (
        "bm25_stem",
        "bm25",
        &["tokens=stem", "bm25_k1=0.9", "bm25_b=0.4"],
    ),
    ("bm25_rm3", "bm25-rm3", &["rm3_pool=all"]),
    (
        "bm25_2step",
        "bm25-2step",
        &[
            "step2_rule=rank",
            "step2_docs=5",
            "step2_entities=10",
            "step2_weight=0.3",
        ],
    ),
    ("tfidf_graph", "tfidf-graph", &[]),
    ("graph_uniform", "graph", &[]),
    ("graph_bm25fallback", "graph", &["fallback=bm25_top1"]),
    ("graph_hybrid_k5", "graph-hybrid", &["seed_k=5"]),
    ("graph_hybrid_k10", "graph-hybrid", &["seed_k=10"]),
    (
        "graph_hybrid_k5_mix",
        "graph-hybrid",
        &["seed_k=5", "mix=adaptive"],
    ),
    (
        "graph_hybrid_k5_prune",
        "graph-hybrid",
        &["seed_k=5", "prune_top_pct=1", "edge_cap=100"],
    ),
    (
        "graph_hybrid_k5_el",
        "graph-hybrid",
        &["seed_k=5", "alias_linking=on"],
    ),
    (
        "graph_hybrid_k5_stop",
        "graph-hybrid",
        &["seed_k=5", "ner=regex_stop"],
    ),
    (
        "graph_hybrid_k5_push1e-4",
        "graph-hybrid",
        &["seed_k=5", "walk=push", "epsilon=1e-4"],
    ),
];

/// As above, with the vectors of all-MiniLM-L6-v2 that the reference used, read from its files.
const DENSE: &[(&str, &str, &[&str])] = &[
    ("dense_minilm", "dense", &[]),
    ("rrf_minilm", "rrf", &[]),
    ("graph_dense_minilm_k5", "graph-dense", &["seed_k=5"]),
    ("graph_rrf_minilm_k5", "graph-rrf", &["seed_k=5"]),
];

/// Golden scores are printed with six digits.
const TOLERANCE: f64 = 1e-5;

fn read(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn check(set: &str, data: &str) {
    let golden = shared("golden");
    let data = shared("data").join(data);
    let (corpus, _) = corpus::read(&[data], &ReadOptions::default()).unwrap();
    let known = read(&golden.join(format!("{set}._questions.json")));
    assert_eq!(
        corpus.passages.len(),
        known["passages"].as_u64().unwrap() as usize
    );
    let questions: Vec<_> = corpus
        .questions
        .iter()
        .filter(|q| !q.gold.is_empty())
        .cloned()
        .collect();
    let texts: Vec<&str> = questions.iter().map(|q| q.text.as_str()).collect();
    assert_eq!(
        texts,
        known["questions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|q| q.as_str().unwrap())
            .collect::<Vec<_>>()
    );
    let options = EntityOptions {
        ner: "regex".into(),
        ..EntityOptions::default()
    };
    let options = BuildOptions {
        encoder: "none".into(),
        ..options.into()
    };
    let index = Index::build(corpus, &options, &Silent).unwrap();
    let file = |part: &str| golden.join(format!("vectors/{set}.mini.{part}.npy"));
    let given = Given::open(&file("d"), &file("q"), &texts).unwrap();
    let rows = given
        .passages(&vec![("", ""); index.len()], &|_| true)
        .unwrap();
    let index = Arc::new(index.with_dense(Dense::with("file", Box::new(given), rows).unwrap()));
    let mut wrong = Vec::new();
    for (file, method, changes) in RUNS.iter().chain(DENSE) {
        let golden = read(&golden.join(format!("{set}.{file}.json")));
        let mut settings = Settings::of(&index, Method::by_name(method).unwrap());
        // Ours: the reference finds names as they are written.
        settings.set_text("any_case=off").unwrap();
        for change in *changes {
            settings.set_text(change).unwrap();
        }
        let evaluation = evaluate(&index, &questions, &settings, |_| true).unwrap();
        for (outcome, expected) in evaluation
            .per_question
            .iter()
            .zip(golden["results"].as_array().unwrap())
        {
            let expected: Vec<(u32, f64)> = expected["top"]
                .as_array()
                .unwrap()
                .iter()
                .map(|hit| (hit[0].as_u64().unwrap() as u32, hit[1].as_f64().unwrap()))
                .collect();
            let ours = &outcome.ranking[..outcome.ranking.len().min(10)];
            let near = |a: f64, b: f64| (a - b).abs() <= TOLERANCE * b.abs() + 6e-7;
            let same = ours.len() == expected.len()
                && ours.iter().zip(&expected).all(|(hit, (passage, score))| {
                    // Another passage may stand here only with the same score.
                    near(f64::from(hit.score), *score)
                        && (hit.passage == *passage
                            || outcome
                                .ranking
                                .iter()
                                .any(|h| h.passage == *passage && near(f64::from(h.score), *score)))
                });
            if !same {
                let ours: Vec<_> = ours.iter().map(|h| (h.passage, h.score)).collect();
                wrong.push(format!(
                    "{file} question {}: {ours:?}, golden {expected:?}",
                    outcome.question
                ));
            }
        }
        let recall = |k: &str| evaluation.measures.get(k).unwrap();
        for (ours, theirs) in [
            ("R@5", "recall@5"),
            ("R@10", "recall@10"),
            ("RR", "mrr@100"),
        ] {
            let theirs = golden["metrics"][theirs].as_f64().unwrap();
            assert!(
                (recall(ours) - theirs).abs() < 1e-5,
                "{set} {file} {ours}: {} golden {theirs}",
                recall(ours)
            );
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of the questions differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
#[ignore = "needs the data in ../shared"]
fn hotpot100() {
    check("hotpot100", "hotpotqa-train100/native");
}

#[test]
#[ignore = "needs the data in ../shared"]
fn musique100() {
    check("musique100", "musique-train100/native");
}

#[test]
#[ignore = "needs the data in ../shared"]
fn hotpotqa_dev500() {
    check("hotpotqa-dev500", "hotpotqa-dev500");
}
