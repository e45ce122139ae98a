//! Index folders: what is written comes back bit by bit, and damage is an error that names the file.

use hopscope::corpus::{Corpus, Gold, Passage, Question};
use hopscope::index::{
    BuildOptions, EntityOptions, Index, IndexError, Progress, Silent, Step, sample,
};
use hopscope::parameters::SUBJECTS;
use hopscope::retrieve::{Keep, Method, Retriever, Settings};
use proptest::prelude::*;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn create(corpus: Corpus, folder: &Path) {
    Index::create(corpus, &BuildOptions::default(), folder, &Silent).unwrap();
}

fn answers(index: Index, question: &str) -> Vec<(u32, u32)> {
    let index = Arc::new(index);
    let mut retriever = Retriever::new(index.clone());
    let settings = Settings::of(&index, Method::by_name("graph-hybrid").unwrap());
    let retrieval = retriever
        .retrieve(question, &settings, Keep::Scores)
        .unwrap();
    retrieval
        .passages
        .iter()
        .map(|h| (h.passage, h.score.to_bits()))
        .collect()
}

#[test]
fn a_fingerprint_is_of_identifiers_titles_and_texts() {
    let of = |change: fn(&mut Passage)| {
        let mut corpus = sample::corpus().unwrap();
        change(&mut corpus.passages[3]);
        let index = Index::build(corpus, &BuildOptions::default(), &Silent).unwrap();
        index.fingerprint().to_owned()
    };
    let changes: [fn(&mut Passage); 4] = [
        |_| {},
        |passage| passage.id.push('x'),
        |passage| passage.title.push('x'),
        |passage| passage.text.push('x'),
    ];
    let all: std::collections::BTreeSet<String> = changes.map(of).into_iter().collect();
    assert_eq!(all.len(), 4);
    assert!(all.contains(sample::index().unwrap().fingerprint()));
}

#[test]
fn an_opened_index_answers_as_the_one_in_memory() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("sample");
    create(sample::corpus().unwrap(), &folder);
    let memory = sample::index().unwrap();
    let opened = Index::open(&folder).unwrap();
    assert_eq!(opened.questions(), memory.questions());
    assert_eq!(opened.fingerprint(), memory.fingerprint());
    for p in 0..memory.len() as u32 {
        assert_eq!(
            (opened.id(p), opened.title(p), opened.text(p)),
            (memory.id(p), memory.title(p), memory.text(p))
        );
        assert_eq!(opened.passage_by_id(memory.id(p)), Some(p));
    }
    for question in memory
        .questions()
        .iter()
        .map(|q| q.text.clone())
        .take(10)
        .collect::<Vec<_>>()
    {
        assert_eq!(
            answers(Index::open(&folder).unwrap(), &question),
            answers(sample::index().unwrap(), &question)
        );
    }
    // Nothing is left beside the folder, and building again replaces it.
    let mut fewer = sample::corpus().unwrap();
    fewer.passages.truncate(3);
    fewer.questions.clear();
    create(fewer, &folder);
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);
    assert_eq!(Index::open(&folder).unwrap().len(), 3);
}

#[test]
fn every_file_is_guarded() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("sample");
    create(sample::corpus().unwrap(), &folder);
    let mut files = Vec::new();
    for place in [folder.clone(), folder.join("lexical")] {
        files.extend(
            fs::read_dir(place)
                .unwrap()
                .map(|e| e.unwrap().path())
                .filter(|p| p.is_file()),
        );
    }
    files.retain(|f| f.extension().is_none_or(|e| e != "lock"));
    assert!(files.len() > 20);
    // The graph is read when it is first asked for.
    let error = || {
        let graph = Index::open(&folder).and_then(|index| index.entity_graph(index.options()));
        graph.err().map(|e| e.to_string()).unwrap_or_default()
    };
    for file in files {
        let whole = fs::read(&file).unwrap();
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let mut damaged = vec![Vec::new(), [&whole[..], &b"x"[..]].concat()];
        if !whole.is_empty() {
            damaged.push(whole[..whole.len() - 1].to_vec());
            for at in [0, whole.len() / 2, whole.len() - 1] {
                let mut flipped = whole.clone();
                flipped[at] ^= 0x10;
                damaged.push(flipped);
            }
        }
        for bytes in damaged.into_iter().filter(|b| *b != whole) {
            fs::write(&file, &bytes).unwrap();
            let error = error();
            assert!(error.contains(&name), "{name} is not guarded: {error:?}");
        }
        fs::remove_file(&file).unwrap();
        let error = error();
        assert!(error.contains(&name), "{name} missing: {error}");
        fs::write(&file, &whole).unwrap();
    }
    assert!(Index::open(&folder).is_ok());
}

/// A pipe in the place of a file would be waited for.
#[cfg(unix)]
#[test]
fn a_pipe_is_no_file_of_an_index() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("sample");
    create(sample::corpus().unwrap(), &folder);
    let file = folder.join("passages.id.text");
    fs::remove_file(&file).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&file).status();
    assert!(made.unwrap().success());
    let error = Index::open(&folder).err().unwrap().to_string();
    assert!(error.contains("no regular file"), "{error}");
}

struct StopAt(usize, AtomicUsize);

impl Progress for StopAt {
    fn advance(&self, _: Step, _: usize, _: usize) -> bool {
        self.1.fetch_add(1, Ordering::Relaxed) < self.0
    }
}

#[test]
fn a_cancelled_build_leaves_what_was_there() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("sample");
    for before in [false, true] {
        if before {
            create(sample::corpus().unwrap(), &folder);
        }
        for stop in [0, 1, 50, 300, 451] {
            let progress = StopAt(stop, AtomicUsize::new(0));
            let outcome = Index::create(
                sample::corpus().unwrap(),
                &BuildOptions::default(),
                &folder,
                &progress,
            );
            assert!(
                matches!(outcome, Err(IndexError::Cancelled)),
                "stop {stop}: {outcome:?}"
            );
            assert_eq!(folder.exists(), before);
            assert_eq!(
                fs::read_dir(home.path()).unwrap().count(),
                usize::from(before),
                "stop {stop}"
            );
        }
    }
    assert!(Index::open(&folder).is_ok());
}

#[test]
fn a_folder_with_other_things_is_not_touched() {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("thesis.txt"), "years of work").unwrap();
    let outcome = Index::create(
        sample::corpus().unwrap(),
        &BuildOptions::default(),
        home.path(),
        &Silent,
    );
    assert!(matches!(outcome, Err(IndexError::Occupied { .. })));
    assert_eq!(
        fs::read_to_string(home.path().join("thesis.txt")).unwrap(),
        "years of work"
    );
    let empty = Index::create(
        Corpus::default(),
        &BuildOptions::default(),
        &home.path().join("x"),
        &Silent,
    );
    assert!(matches!(empty, Err(IndexError::Empty)));
}

#[test]
fn options_other_than_the_stored_ones_are_derived() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("sample");
    create(sample::corpus().unwrap(), &folder);
    let options = EntityOptions {
        ner: "regex".into(),
        alias_linking: true,
        gazetteer: false,
        ..EntityOptions::default()
    };
    let built = Index::build(sample::corpus().unwrap(), &options.clone().into(), &Silent).unwrap();
    let opened = Index::open(&folder).unwrap();
    let derived = opened.entity_graph(&options).unwrap();
    let stored = built.entity_graph(&options).unwrap();
    assert_eq!(
        derived.names.iter().collect::<Vec<_>>(),
        stored.names.iter().collect::<Vec<_>>()
    );
    assert_eq!(derived.targets[..], stored.targets[..]);
    assert_eq!(derived.tf[..], stored.tf[..]);
}

/// Indexes of before texts said what untitled passages are about.
#[test]
fn an_index_without_subjects_says_so_and_stays_as_it_was() {
    let home = tempfile::tempdir().unwrap();
    let of = |subjects: bool| {
        let text = "Ada Lovelace (1815 - 1852), known as Ada King, was an English mathematician.";
        let passage = Passage {
            id: "one".into(),
            title: String::new(),
            text: text.into(),
        };
        let corpus = Corpus {
            name: "n".into(),
            passages: vec![passage],
            questions: Vec::new(),
        };
        let folder = home.path().join(subjects.to_string());
        let options = EntityOptions {
            subjects,
            ..EntityOptions::default()
        };
        Index::create(corpus, &options.into(), &folder, &Silent).unwrap();
        let written = std::fs::read_to_string(folder.join("manifest.json")).unwrap();
        assert_eq!(written.contains("subjects"), subjects);
        Index::open(&folder).unwrap()
    };
    let (with, without) = (of(true), of(false));
    let names = |index: &Index| -> Vec<String> {
        index.about(0).into_iter().map(|about| about.name).collect()
    };
    assert_eq!(names(&with), ["Ada Lovelace", "Ada King"]);
    assert_eq!(with.headed(0), "about Ada Lovelace");
    assert_eq!((names(&without), &*without.headed(0)), (vec![], ""));
    // The vectors know it, too, and settings take over what the index was built with.
    let row = |index: &Index| {
        let vectors = &index.dense().unwrap().vectors;
        let mut row = vec![0.0; vectors.dims()];
        vectors.row(0, &mut row);
        row
    };
    assert_ne!(row(&with), row(&without));
    let set = |index: &Index| Settings::of(index, Method::by_name("hop").unwrap()).get(SUBJECTS);
    assert!(set(&with) && !set(&without));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn any_text_survives_the_round_trip(texts in prop::collection::vec(("\\PC{0,12}", "\\PC{0,80}"), 1..12), answer in "\\PC{0,10}") {
        let passages: Vec<Passage> = texts
            .iter()
            .enumerate()
            .map(|(i, (title, text))| Passage { id: format!("p{i} é"), title: title.clone(), text: text.clone() })
            .collect();
        let gold = vec![Gold { passage: 0, grade: 2.0 }];
        let question = Question { id: "q".into(), text: "Q?".into(), answers: vec![answer], gold, ..Question::default() };
        let corpus = Corpus { name: "n".into(), passages: passages.clone(), questions: vec![question.clone()] };
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("i");
        create(corpus, &folder);
        let index = Index::open(&folder).unwrap();
        prop_assert_eq!(index.questions(), &[question][..]);
        for (p, passage) in passages.iter().enumerate() {
            let p = p as u32;
            prop_assert_eq!((index.id(p), index.title(p), index.text(p)), (&*passage.id, &*passage.title, &*passage.text));
        }
    }
}
