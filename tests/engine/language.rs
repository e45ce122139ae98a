//! Corpora of other languages: what their language brings, and that it is kept.

use hopscope::explain::trace;
use hopscope::index::{EntityOptions, Index};
use hopscope::retrieve::{Keep, Method, Retriever, Settings};
use hopscope::{
    BuildOptions, Corpus, Language, Passage, ReadOptions, Silent, evaluate, read_corpus,
};
use std::path::Path;
use std::sync::Arc;

fn set(code: &str) -> Corpus {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = folder.join("tests/data/languages").join(code);
    let (corpus, _) = read_corpus(&[folder], &ReadOptions::default()).unwrap();
    corpus
}

fn options(language: Language) -> BuildOptions {
    BuildOptions {
        encoder: "none".into(),
        ..EntityOptions {
            language,
            ..EntityOptions::default()
        }
        .into()
    }
}

fn built(corpus: Corpus, language: Language) -> Arc<Index> {
    Arc::new(Index::build(corpus, &options(language), &Silent).unwrap())
}

/// R@5 and the reciprocal rank of a method on the questions of an index.
fn measured(index: &Arc<Index>, method: &str, set: &[&str]) -> [f64; 2] {
    let mut settings = Settings::of(index, Method::by_name(method).unwrap());
    set.iter().for_each(|set| settings.set_text(set).unwrap());
    let found = evaluate(index, index.questions(), &settings, |_| true).unwrap();
    ["R@5", "RR"].map(|name| found.measures.get(name).unwrap())
}

/// The numbers of docs/your-data.md.
#[test]
fn the_right_language_finds_more_than_english() {
    for (code, runs) in [
        ("de", [("bm25", "tokens=stem"), ("hop", "tokens=stem")]),
        ("zh", [("bm25", "tokens=plain"), ("hop", "tokens=stem")]),
    ] {
        let corpus = set(code);
        let language = corpus.language();
        assert_eq!(language.code(), code);
        let (own, english) = (
            built(corpus.clone(), language),
            built(corpus, Language::English),
        );
        for (method, tokens) in runs {
            let [own, english] = [&own, &english].map(|index| measured(index, method, &[tokens]));
            println!("{code} {method} {tokens}: {own:.3?}, as English {english:.3?}");
            assert!(own[0] > english[0], "{code} {method} R@5");
            assert!(own[1] > english[1], "{code} {method} RR");
        }
    }
}

fn corpus(texts: &[&str]) -> Corpus {
    let passage = |(at, text): (usize, &&str)| Passage {
        id: format!("p{at}"),
        title: String::new(),
        text: (*text).into(),
    };
    Corpus {
        name: "small".into(),
        passages: texts.iter().enumerate().map(passage).collect(),
        questions: Vec::new(),
    }
}

#[test]
fn a_name_in_another_case_is_linked_by_its_stem() {
    let texts = [
        "Поэт видел, как росла Москва.",
        "Потом Москва стала столицей.",
        "Невский идёт через Петербург.",
    ];
    let linked = |language| {
        let index = built(corpus(&texts), language);
        let settings = Settings::of(&index, Method::by_name("graph").unwrap());
        let mut retriever = Retriever::new(index.clone());
        let run = retriever.retrieve("Кто родился в Москве?", &settings, Keep::Scores);
        let run = run.unwrap();
        let names = run.names().iter();
        let names = names.filter(|name| !name.nodes.is_empty());
        let names: Vec<(String, bool)> = names
            .map(|name| (name.form.clone(), name.inflected))
            .collect();
        let told = serde_json::to_string(&trace(&index, &run, None)).unwrap();
        (names, told.contains("by stems"))
    };
    assert_eq!(
        linked(Language::Russian),
        (vec![("москва".into(), true)], true)
    );
    assert_eq!(linked(Language::English), (vec![], false));
}

#[test]
fn a_given_graph_is_entered_by_an_inflected_name() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/given/lightrag");
    let paths = [folder];
    let (corpus, _) = read_corpus(&paths, &ReadOptions::default()).unwrap();
    let linked = |language| {
        let options: BuildOptions = options(language);
        let options = BuildOptions {
            encoder: "static".into(),
            ..options
        };
        let index = Index::build(corpus.clone(), &options, &Silent).unwrap();
        index.look_beside(&paths);
        let index = Arc::new(index);
        let settings = Settings::of(&index, Method::by_name("given").unwrap());
        let mut retriever = Retriever::new(index.clone());
        let question = "Was fand Caroline Herschels Bruder?";
        let run = retriever.retrieve(question, &settings, Keep::Scores);
        let run = run.unwrap();
        let names = run.names().iter();
        let names = names.filter(|name| !name.nodes.is_empty());
        names
            .map(|name| (name.surface.clone(), name.inflected))
            .collect::<Vec<_>>()
    };
    let inflected = ("caroline herschels".to_owned(), true);
    assert_eq!(linked(Language::German), [inflected]);
    assert_eq!(linked(Language::English), []);
}

#[test]
fn an_index_keeps_its_language_and_one_without_is_english() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("index");
    let german = set("de");
    let fresh = built(german.clone(), Language::German);
    Index::create(german.clone(), &options(Language::German), &folder, &Silent).unwrap();
    let manifest = std::fs::read_to_string(folder.join("manifest.json")).unwrap();
    assert!(manifest.contains("\"language\""));
    let stored = Arc::new(Index::open(&folder).unwrap());
    assert_eq!(stored.language(), Language::German);
    let measured = |index| measured(index, "bm25", &["tokens=stem"]);
    assert_eq!(measured(&fresh), measured(&stored));

    Index::create(german, &options(Language::English), &folder, &Silent).unwrap();
    let manifest = std::fs::read_to_string(folder.join("manifest.json")).unwrap();
    assert!(!manifest.contains("\"language\""));
    assert_eq!(Index::open(&folder).unwrap().language(), Language::English);
    let old = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/frozen/index-v1");
    assert_eq!(Index::open(&old).unwrap().language(), Language::English);
}
