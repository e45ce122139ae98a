//! Parts of a corpus, indexed apart and joined, are the index of the whole.

use hopscope::corpus::{Corpus, Gold, Passage, Question};
use hopscope::index::store::Manifest;
use hopscope::index::{BuildOptions, EntityOptions, Index, Silent, sample};
use hopscope::layers::{LAYERS, add_layers};
use hopscope::retrieve::{Keep, Method, Retriever, Settings};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Indexes each part of a corpus.
fn parts(corpus: &Corpus, options: &BuildOptions, of: usize, home: &Path) -> Vec<PathBuf> {
    let part = |number: usize| {
        let folder = home.join(format!("{number}-of-{of}"));
        let options = BuildOptions {
            part: Some((number, of)),
            ..options.clone()
        };
        Index::create(corpus.clone(), &options, &folder, &Silent).unwrap();
        folder
    };
    (1..=of).map(part).collect()
}

fn merge(parts: &[PathBuf], out: &Path) -> Result<(), String> {
    let merged = Index::merge_with(parts, None, None, out, &Silent, &|_| Ok(()));
    merged.map(|_| ()).map_err(|error| error.to_string())
}

/// Files by name, with their checksums; the engine of words gives its own new names every time.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let files = Manifest::read(folder).unwrap().files.into_iter();
    let own = files.filter(|file| !file.path.starts_with("lexical/"));
    own.map(|file| (file.path, file.xxh3)).collect()
}

/// Passages, scores to the last bit and gold of every question, under every method that needs no layer but hop's.
fn answers(folder: &Path, questions: &[&str]) -> Vec<Vec<(u32, u32)>> {
    let index = Arc::new(Index::open(folder).unwrap());
    let mut retriever = Retriever::new(index.clone());
    let methods = [
        "bm25",
        "bm25-rm3",
        "graph",
        "tfidf-graph",
        "rrf",
        "graph-rrf",
        "linearrag",
        "hop",
    ];
    let methods = &methods[..if index.dense().is_some() { 8 } else { 4 }];
    let mut all = Vec::new();
    for method in methods {
        let settings = Settings::of(&index, Method::by_name(method).unwrap());
        for question in questions {
            let run = retriever
                .retrieve(question, &settings, Keep::Scores)
                .unwrap();
            let hits = run.passages.iter();
            all.push(hits.map(|hit| (hit.passage, hit.score.to_bits())).collect());
        }
    }
    all
}

#[test]
fn the_parts_of_the_sample_make_the_sample() {
    let home = tempfile::tempdir().unwrap();
    let corpus = sample::corpus().unwrap();
    let asked: Vec<String> = corpus
        .questions
        .iter()
        .take(8)
        .map(|q| q.text.clone())
        .collect();
    let asked: Vec<&str> = asked.iter().map(String::as_str).collect();
    for (at, options) in [
        BuildOptions::default(),
        BuildOptions {
            encoder: "none".into(),
            ..EntityOptions {
                gazetteer: true,
                alias_linking: true,
                ..EntityOptions::default()
            }
            .into()
        },
    ]
    .iter()
    .enumerate()
    {
        let home = home.path().join(at.to_string());
        let whole = home.join("whole");
        Index::create(corpus.clone(), options, &whole, &Silent).unwrap();
        for of in [1, 2, 5] {
            let mut parts = parts(&corpus, options, of, &home);
            // In any order.
            parts.reverse();
            let out = home.join(format!("of-{of}"));
            merge(&parts, &out).unwrap();
            assert_eq!(files(&out), files(&whole), "{of} parts");
            assert_eq!(answers(&out, &asked), answers(&whole, &asked), "{of} parts");
        }
    }
}

#[test]
fn a_part_is_an_index_of_its_own() {
    let home = tempfile::tempdir().unwrap();
    let corpus = sample::corpus().unwrap();
    let parts = parts(&corpus, &BuildOptions::default(), 3, home.path());
    let mut first = 0;
    let mut gold = 0;
    for part in &parts {
        let index = Arc::new(Index::open(part).unwrap());
        for p in 0..index.len() {
            assert_eq!(index.id(p as u32), corpus.passages[first + p].id);
        }
        for (own, whole) in index.questions().iter().zip(&corpus.questions) {
            for one in &own.gold {
                let there = whole
                    .gold
                    .iter()
                    .find(|g| g.passage == one.passage + first as u32);
                assert_eq!(there.unwrap().grade, one.grade);
            }
            gold += own.gold.len();
        }
        first += index.len();
        let settings = Settings::of(&index, Method::by_name("hop").unwrap());
        let run = Retriever::new(index.clone()).retrieve(
            &corpus.questions[0].text,
            &settings,
            Keep::Scores,
        );
        assert!(!run.unwrap().passages.is_empty());
    }
    assert_eq!(first, corpus.passages.len());
    assert_eq!(
        gold,
        corpus.questions.iter().map(|q| q.gold.len()).sum::<usize>()
    );
}

#[test]
fn what_does_not_belong_together_is_not_joined() {
    let home = tempfile::tempdir().unwrap();
    let corpus = sample::corpus().unwrap();
    let plain = BuildOptions::default();
    let at = |name: &str| home.path().join(name);
    let own = parts(&corpus, &plain, 2, &at("own"));
    let thirds = parts(&corpus, &plain, 3, &at("thirds"));
    let mut changed = corpus.clone();
    changed.passages[7].text.push('!');
    let changed = parts(&changed, &plain, 2, &at("changed"));
    let bare = BuildOptions {
        encoder: "none".into(),
        ..plain.clone()
    };
    let bare = parts(&corpus, &bare, 2, &at("bare"));
    let whole = at("whole");
    Index::create(corpus, &plain, &whole, &Silent).unwrap();
    let out = at("out");
    for (parts, said) in [
        (vec![own[0].clone()], "part 2 is not here"),
        (
            vec![own[1].clone(), own[0].clone(), own[1].clone()],
            "is part 2 of 2, and so is",
        ),
        (
            vec![own[0].clone(), thirds[1].clone()],
            "is a part of another corpus than",
        ),
        (
            vec![own[0].clone(), changed[1].clone()],
            "is a part of another corpus than",
        ),
        (
            vec![own[0].clone(), bare[1].clone()],
            "was built with other settings than",
        ),
        (
            vec![own[0].clone(), whole.clone()],
            "is not the index of a part",
        ),
        (vec![own[0].clone(), at("nowhere")], "nowhere"),
    ] {
        let error = merge(&parts, &out).unwrap_err();
        assert!(error.contains(said), "{error}");
        assert!(!out.exists());
    }
    // What was there stays where parts do not fit.
    merge(&own, &out).unwrap();
    let before = files(&out);
    merge(&own[..1], &out).unwrap_err();
    assert_eq!(files(&out), before);
    let left: Vec<_> = fs::read_dir(home.path())
        .unwrap()
        .flatten()
        .map(|e| e.file_name())
        .collect();
    assert!(
        left.iter()
            .all(|name| !name.to_string_lossy().starts_with('.')),
        "{left:?}"
    );
}

#[test]
fn layers_of_the_joined_index_are_those_of_the_whole() {
    let home = tempfile::tempdir().unwrap();
    let corpus = sample::corpus().unwrap();
    let at = |name: &str| home.path().join(name);
    let layered = |folder: &Path| {
        let index = Index::open(folder).unwrap();
        let kinds = LAYERS
            .iter()
            .filter(|kind| ["hop", "facts", "noderag"].contains(&kind.name));
        let settings = Settings::of(&index, Method::by_name("graph").unwrap());
        add_layers(
            &index,
            folder,
            &kinds.collect::<Vec<_>>(),
            settings.all(),
            &Silent,
        )
        .unwrap();
        files(folder)
    };
    let whole = at("whole");
    Index::create(corpus.clone(), &BuildOptions::default(), &whole, &Silent).unwrap();
    let out = at("out");
    merge(
        &parts(&corpus, &BuildOptions::default(), 4, home.path()),
        &out,
    )
    .unwrap();
    assert_eq!(layered(&out), layered(&whole));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn parts_of_any_corpus_make_the_whole(
        texts in prop::collection::vec(("( |Avon|Boro Lane|The|\\PC{0,6}){0,3}", "(Avon |Boro Lane |The |the |is |\\. |\\PC ){0,30}"), 2..24),
        of in 1usize..6,
        gold in prop::collection::vec(0u32..24, 0..4),
        titles in any::<bool>(),
    ) {
        let of = of.min(texts.len());
        let passages: Vec<Passage> = texts
            .iter()
            .enumerate()
            .map(|(i, (title, text))| Passage {
                id: format!("p{}", (i * 7) % 31),
                title: if titles { title.clone() } else { String::new() },
                text: text.clone(),
            })
            .collect();
        let mut gold: Vec<u32> = gold.into_iter().filter(|g| (*g as usize) < passages.len()).collect();
        gold.sort_unstable();
        gold.dedup();
        let gold = gold.into_iter().map(|passage| Gold { passage, grade: 1.0 }).collect();
        let question = Question { id: "q".into(), text: "Where is Avon?".into(), gold, ..Question::default() };
        let corpus = Corpus { name: "n".into(), passages, questions: vec![question] };
        let home = tempfile::tempdir().unwrap();
        let (whole, out) = (home.path().join("whole"), home.path().join("out"));
        let options = BuildOptions::default();
        Index::create(corpus.clone(), &options, &whole, &Silent).unwrap();
        merge(&parts(&corpus, &options, of, home.path()), &out).unwrap();
        prop_assert_eq!(files(&out), files(&whole));
        let asked = ["Where is Avon?", "the lane"];
        prop_assert_eq!(answers(&out, &asked), answers(&whole, &asked));
    }
}
