//! One question and one setting have one answer: from a program that just started, from one that was asked other things
//! before, and from an index that was stored and opened.

use crate::common::PIECES;
use hopscope::Language;
use hopscope::corpus::{Corpus, Gold, Passage, Question, ReadOptions};
use hopscope::explain::trace;
use hopscope::index::{BuildOptions, EntityOptions, Index, Silent};
use hopscope::layers::{LAYERS, LayerKind, build_layers};
use hopscope::retrieve::{
    Keep, METHODS, Method, Origin, Parameter, Retriever, SeedEdit, Settings, Stage,
};
use proptest::prelude::*;
use proptest::sample::{Index as At, select};
use proptest::test_runner::{RngAlgorithm, TestCaseResult, TestRng, TestRunner};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Beside the methods: every graph, every way to seed, walk and select.
const COMPOSITIONS: [&str; 16] = [
    "names+bm25-2step > skeleton > shallow > passages",
    "bm25-2step > term-passage > lazy > passages",
    "names+bm25-2step > entity-passage > push > passages",
    "names+bm25-2step > term-passage > power > fuse",
    "names+bm25-rm3 > entity-passage > shallow > passages",
    "bm25-rm3 > chunk-similarity > push > passages",
    "nearest > chunk-similarity > power > pack",
    "dense > unit-knn > one-hop > pack",
    "names+nearest > keyword-unit > power > bridge",
    "names+nearest > skeleton > one-hop > passages",
    "names+nearest > noderag > push > passages",
    "rrf > noderag > lazy > rerank",
    "names+rrf > entity-chunk > push > fuse",
    "nearest > summary-tree > power > rerank",
    "rrf > entity-passage > lazy > fuse",
    "names+dense > term-passage > lazy > bridge",
];

/// Needs typed tables, see [`typed_graphs`].
const TYPED: &str = "spark";

/// Names that differ in case, accents, apostrophes and brackets alone, and what names are seldom made of.
const NAMES: &[&str] = &[
    "Ag",
    "н",
    "Гй.",
    "İİ",
    "ₔ",
    "James'",
    "R.WH",
    "ān",
    "RĀN",
    "Qur'an",
    "Paris",
    "paris",
    "PARIS",
    "Marie Curie",
    "Curie",
    "Élise",
    "E\u{301}lise",
    "Elise",
    "O'Neil",
    "O’Neil",
    "STRASSE",
    "東京",
    "東京 大学",
    "한국",
    "Ἀθῆναι",
    "ΑΘΗΝΑΣ",
    "Rome (city)",
    "Rome (film)",
    "Rome",
    "Lake Geneva",
    "Geneva",
    "S",
    "c",
    "o",
    "f",
];

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => select(NAMES).prop_map(str::to_owned),
        3 => select(PIECES).prop_map(str::to_owned),
        1 => prop::collection::vec(any::<char>(), 1..4).prop_map(String::from_iter),
    ]
}

/// Words of a vocabulary, by place, and what stands between them.
type Words = (Vec<At>, &'static str);

fn words(count: std::ops::Range<usize>) -> impl Strategy<Value = Words> {
    let between = select(&[" ", " ", " ", ". ", ""][..]);
    (prop::collection::vec(any::<At>(), count), between)
}

fn text(vocabulary: &[String], (words, between): &Words) -> String {
    let words: Vec<&str> = words.iter().map(|at| at.get(vocabulary).as_str()).collect();
    words.join(between)
}

/// What an index is built from and by.
#[derive(Clone, Debug)]
struct Built {
    /// Titles and texts.
    passages: Vec<(String, String)>,
    options: EntityOptions,
    vectors: bool,
}

impl Built {
    fn corpus(&self) -> Corpus {
        let passage = |(at, (title, text)): (usize, &(String, String))| Passage {
            id: format!("p{at}"),
            title: title.clone(),
            text: text.clone(),
        };
        Corpus {
            name: "random".into(),
            passages: self.passages.iter().enumerate().map(passage).collect(),
            questions: Vec::new(),
        }
    }

    fn options(&self) -> BuildOptions {
        BuildOptions {
            encoder: if self.vectors { "static" } else { "none" }.into(),
            ..self.options.clone().into()
        }
    }

    fn fresh(&self) -> Arc<Index> {
        Arc::new(Index::build(self.corpus(), &self.options(), &Silent).unwrap())
    }

    /// Stored with layers of an asking's settings, and opened.
    fn stored(&self, folder: &Path, kinds: &[&LayerKind], ask: &Ask) -> Arc<Index> {
        let complete = |index: &Index| {
            build_layers(index, kinds, ask.settings(index).all(), &Silent).map(|_| ())
        };
        Index::create_with(self.corpus(), &self.options(), folder, &Silent, &complete).unwrap();
        Arc::new(Index::open(folder).unwrap())
    }
}

fn options() -> impl Strategy<Value = EntityOptions> {
    let ner = select(&["regex_plus", "regex", "regex_stop"][..]);
    let norm = select(&["simple", "lower", "none"][..]);
    let language = select(&Language::ALL[..]);
    let any = (ner, norm, language, any::<bool>(), any::<bool>());
    let any = any.prop_map(
        |(ner, norm, language, alias_linking, gazetteer)| EntityOptions {
            ner: ner.into(),
            norm: norm.into(),
            alias_linking,
            gazetteer,
            subjects: !alias_linking,
            language,
        },
    );
    prop_oneof![2 => Just(EntityOptions::default()), 1 => any]
}

/// A question and how it is asked.
#[derive(Clone, Debug)]
struct Ask {
    method: &'static str,
    question: String,
    set: Vec<(Parameter, f64)>,
    edit: Option<String>,
    /// Graph edits.
    patch: Vec<String>,
}

impl Ask {
    fn settings(&self, index: &Index) -> Settings {
        let mut settings = Settings::of(index, Method::by_name(self.method).unwrap());
        for (parameter, at) in &self.set {
            let value = parameter.declaration().domain.at_fraction(*at);
            settings.set(*parameter, value, Origin::User);
        }
        let edit = self
            .edit
            .iter()
            .filter_map(|edit| edit.parse::<SeedEdit>().ok());
        edit.for_each(|edit| settings.edit_seed(edit));
        let patch = self.patch.iter().filter_map(|edit| edit.parse().ok());
        patch.for_each(|edit| settings.edit_graph(edit));
        settings
    }

    /// Passages with the bits of their scores, and the record of the run without its times: with the reasons why each
    /// passage is there or is not.
    fn answer(&self, retriever: &mut Retriever, keep: Keep) -> (Vec<(u32, u32)>, Vec<String>) {
        let index = retriever.index().clone();
        let settings = self.settings(&index);
        match retriever.retrieve(&self.question, &settings, keep) {
            Err(error) => (Vec::new(), vec![error.to_string()]),
            Ok(found) => {
                let hits = found.passages.iter();
                let bits = hits.map(|hit| (hit.passage, hit.score.to_bits()));
                let gold = |passage| Gold {
                    passage,
                    grade: 1.0,
                };
                let question = Question {
                    text: self.question.clone(),
                    gold: (0..index.len() as u32).map(gold).collect(),
                    ..Question::default()
                };
                let record = trace(&index, &found, Some(&question));
                let record = serde_json::to_string_pretty(&record).unwrap();
                let lines = record.lines().filter(|line| {
                    // How long a step took, and whether it was remembered, is not what it says.
                    !line.contains("\"seconds\":") && !line.contains("\"reused\":")
                });
                (bits.collect(), lines.map(str::to_owned).collect())
            }
        }
    }
}

/// Parameters set to places on their sliders: those of the method most often, those that layers are built with, and others.
fn set(method: &str, most: usize) -> impl Strategy<Value = Vec<(Parameter, f64)>> + use<> {
    let of = |chosen: Vec<Parameter>| any::<At>().prop_map(move |at| *at.get(&chosen));
    let all = Parameter::ALL.iter().copied();
    let building = all
        .clone()
        .filter(|p| p.declaration().stage == Stage::Index);
    let which = prop_oneof![
        5 => of(Method::by_name(method).unwrap().uses()),
        2 => of(building.collect()),
        1 => of(all.collect()),
    ];
    let place = prop_oneof![1 => Just(0.0), 1 => Just(1.0), 2 => 0.0f64..1.0];
    prop::collection::vec((which, place), 0..=most)
}

/// Graph edits: two words of the vocabulary, and what is done with them.
type Patch = Vec<(At, At, &'static str)>;

fn patch() -> impl Strategy<Value = Patch> {
    let how = select(
        &[
            "join {} | {2}",
            "cut {} | #p0",
            "add {} | #p0",
            "weigh {} | #p1 * 4",
            "mute {}",
            "keep {}",
        ][..],
    );
    let some = prop::collection::vec((any::<At>(), any::<At>(), how), 1..4);
    prop_oneof![3 => Just(Vec::new()), 1 => some]
}

fn patched(vocabulary: &[String], patch: &Patch) -> Vec<String> {
    let edit = |(a, b, how): &(At, At, &str)| {
        let text = how.replace("{}", a.get(vocabulary).as_str());
        text.replace("{2}", b.get(vocabulary).as_str())
    };
    patch.iter().map(edit).collect()
}

fn methods() -> Vec<&'static str> {
    let own = METHODS
        .iter()
        .filter(|method| method.layer() != Some("given"))
        .map(|m| &*m.name)
        .filter(|name| *name != TYPED);
    own.chain(COMPOSITIONS).collect()
}

/// An index, what is asked of it, and what was asked before: the same in other settings, or anything else.
fn case(method: &'static str) -> impl Strategy<Value = (Built, Ask, Vec<Ask>)> {
    let vocabulary = prop::collection::vec(piece(), 6..16);
    let title = prop::option::of(words(1..3));
    let passages = prop::collection::vec((title, words(0..16)), 1..8);
    let index = (vocabulary, passages, options(), prop::bool::weighted(0.9));
    let edit = (words(1..3), select(&["{}=mute", "+{}", "+#p0=2"][..]));
    let ask = (
        words(1..6),
        set(method, 3),
        prop::option::weighted(0.2, edit),
        patch(),
    );
    let before = (
        prop::option::weighted(0.2, words(1..6)),
        set(method, 2),
        any::<bool>(),
        prop::option::weighted(0.4, select(methods())),
        patch(),
    );
    let before = prop::collection::vec(before, 1..5);
    (index, ask, before).prop_map(move |(index, (question, set, edit, patch), before)| {
        let (vocabulary, passages, options, vectors) = index;
        let said = |words: &Words| text(&vocabulary, words);
        let built = Built {
            passages: passages
                .iter()
                .map(|(title, body)| (title.as_ref().map_or(String::new(), said), said(body)))
                .collect(),
            options,
            vectors,
        };
        let ask = Ask {
            method,
            question: said(&question),
            set,
            edit: edit.map(|(name, how)| how.replace("{}", &said(&name))),
            patch: patched(&vocabulary, &patch),
        };
        let before = before
            .into_iter()
            .map(|(question, set, anew, method, patch)| Ask {
                method: method.unwrap_or(ask.method),
                question: question.as_ref().map_or(ask.question.clone(), said),
                set: [if anew { &[] } else { &ask.set[..] }, &set].concat(),
                edit: None,
                patch: patched(&vocabulary, &patch),
            });
        let before = before.collect();
        (built, ask, before)
    })
}

/// The answer of a program that just started, and that each other gives the same.
fn same(fresh: &Arc<Index>, others: &mut [(&str, &mut Retriever)], ask: &Ask) -> TestCaseResult {
    let (hits, record) = ask.answer(&mut Retriever::new(fresh.clone()), Keep::Scores);
    for (which, retriever) in others {
        let (found, recorded) = ask.answer(retriever, Keep::Scores);
        prop_assert_eq!(&found, &hits, "{}", which);
        let pairs = recorded.iter().zip(&record);
        let apart: Vec<_> = pairs.filter(|(a, b)| a != b).take(3).collect();
        prop_assert!(recorded == record, "{}: {:?}", which, apart);
    }
    Ok(())
}

fn holds(built: &Built, ask: &Ask, before: &[Ask]) -> TestCaseResult {
    let fresh = built.fresh();
    let mut asked = Retriever::new(built.fresh());
    for before in before {
        before.answer(&mut asked, Keep::Scores);
    }
    // It finds the graphs that the first has open.
    let mut beside = Retriever::new(asked.index().clone());
    let home = tempfile::tempdir().unwrap();
    let stored = built.stored(&home.path().join("plain"), &[], ask);
    let mut stored = Retriever::new(stored);
    let others: &mut [(&str, &mut Retriever)] = &mut [
        ("asked before", &mut asked),
        ("beside another", &mut beside),
        ("stored", &mut stored),
    ];
    same(&fresh, others, ask)?;
    let (hits, _) = ask.answer(&mut asked, Keep::Scores);
    let (recorded, _) = ask.answer(&mut asked, Keep::States);
    prop_assert_eq!(hits, recorded, "recorded");
    let layer = Method::by_name(ask.method).unwrap().layer();
    let kinds: Vec<&LayerKind> = LAYERS.iter().filter(|k| Some(k.name) == layer).collect();
    if kinds.is_empty() || !built.vectors {
        return Ok(());
    }
    let layered = built.stored(&home.path().join("layered"), &kinds, ask);
    same(
        &fresh,
        &mut [("stored with its layer", &mut Retriever::new(layered))],
        ask,
    )
}

/// The same cases every time; others, and as many as the environment asks for, where it does.
fn runner(method: &str) -> TestRunner {
    let asked = std::env::var("PROPTEST_CASES").ok();
    let asked = asked.and_then(|cases| cases.parse().ok());
    let config = ProptestConfig {
        cases: asked.unwrap_or(3),
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    if asked.is_some() {
        return TestRunner::new(config);
    }
    let mut seed = [0; 32];
    for (at, byte) in method.bytes().enumerate() {
        seed[at % 32] ^= byte;
    }
    TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &seed))
}

#[test]
fn a_question_has_one_answer() {
    for method in methods() {
        let found = runner(method).run(&case(method), |(built, ask, before)| {
            holds(&built, &ask, &before)
        });
        found.unwrap_or_else(|error| panic!("{method}: {error}"));
    }
}

fn asked(method: &'static str, question: &str, set: &[(Parameter, f64)]) -> Ask {
    Ask {
        method,
        question: question.into(),
        set: set.to_vec(),
        edit: None,
        patch: Vec::new(),
    }
}

fn texts(texts: &[(&str, &str)]) -> Built {
    let owned = |(title, text): &(&str, &str)| ((*title).to_owned(), (*text).to_owned());
    Built {
        passages: texts.iter().map(owned).collect(),
        options: EntityOptions::default(),
        vectors: true,
    }
}

#[test]
fn a_list_with_names_of_feedback_knows_what_counts_as_a_name() {
    let built = texts(&[
        ("", ""),
        ("ān", "w Ag н Гй.İİ ₔ James'R.WH"),
        ("", ""),
        ("", "Qur’ān"),
    ]);
    let ask = |set: &[(Parameter, f64)]| asked("bm25-2step", "James'", set);
    let (plain, titles) = (ask(&[]), ask(&[(Parameter::Gazetteer, 1.0)]));
    holds(&built, &titles, std::slice::from_ref(&plain)).unwrap();
    holds(&built, &plain, &[titles]).unwrap();
}

#[test]
fn a_list_with_names_of_feedback_is_the_same_whatever_graph_it_seeds() {
    let built = texts(&[("", "c"), ("", "S"), ("", "o of RĀN f U.S")]);
    let graphs = [
        "names+bm25-2step > skeleton > shallow > passages",
        "bm25-2step > term-passage > lazy > passages",
        "bm25-2step > entity-passage > lazy > passages",
    ];
    let rank = [(Parameter::Step2Rule, 1.0)];
    let ask = |method| asked(method, "the of and", &rank);
    for method in graphs {
        let others = graphs.map(ask);
        holds(&built, &ask(method), &others).unwrap();
    }
}

#[test]
fn a_layer_built_for_a_question_is_of_its_own_settings() {
    let sentence = |n: usize| {
        format!("Marie Curie discovered radium number {n} in Paris. A lamp of type {n} hung there.")
    };
    let long: Vec<String> = (0..40).map(sentence).collect();
    let long = long.join(" ");
    let built = texts(&[("Radium", &long), ("Lamps", "A lamp hung in Paris.")]);
    // The finest chunks there are.
    let fine = [(Parameter::ChunkTokens, 0.0125), (Parameter::Window, 1.0)];
    for method in [
        "e2graphrag",
        "ket-rag-p",
        "noderag",
        "sage",
        "names+dense > entity-chunk > push > passages",
        "dense > unit-knn > one-hop > pack",
        "names+dense > noderag > push > passages",
        "dense > chunk-similarity > power > passages",
    ] {
        let ask = |set: &[(Parameter, f64)]| asked(method, "Who discovered radium in Paris?", set);
        let mut retriever = Retriever::new(built.fresh());
        let answers = [&[][..], &fine].map(|set| ask(set).answer(&mut retriever, Keep::Scores));
        assert_ne!(
            answers[0].1, answers[1].1,
            "{method}: the setting says something"
        );
        holds(&built, &ask(&[]), &[ask(&fine)]).unwrap();
        holds(&built, &ask(&fine), &[ask(&[])]).unwrap();
    }
}

fn typed_graphs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-corpus/typed-graph")
}

#[test]
fn a_question_over_typed_tables_has_one_answer() {
    let folder = typed_graphs();
    let corpus = || {
        hopscope::corpus::read(std::slice::from_ref(&folder), &ReadOptions::default())
            .unwrap()
            .0
    };
    let fresh = || {
        let index = Index::build(corpus(), &BuildOptions::default(), &Silent).unwrap();
        index.look_beside(std::slice::from_ref(&folder));
        Arc::new(index)
    };
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("index");
    let kinds: Vec<&LayerKind> = LAYERS.iter().filter(|k| k.name == TYPED).collect();
    Index::create_with(
        corpus(),
        &BuildOptions::default(),
        &path,
        &Silent,
        &|index| {
            index.look_beside(std::slice::from_ref(&folder));
            let settings = Settings::of(index, Method::by_name(TYPED).unwrap());
            build_layers(index, &kinds, settings.all(), &Silent).map(|_| ())
        },
    )
    .unwrap();
    let mut stored = Retriever::new(Arc::new(Index::open(&path).unwrap()));
    let mut asked_before = Retriever::new(fresh());
    let questions: Vec<String> = fresh().questions().iter().map(|q| q.text.clone()).collect();
    let new = fresh();
    for (at, question) in questions.iter().enumerate() {
        for method in [TYPED, "names+rrf > typed > push > passages"] {
            let uses = Method::by_name(method).unwrap().uses();
            let place = (at % 2) as f64;
            let ask = asked(method, question, &[(uses[at % uses.len()], place)]);
            let others: &mut [(&str, &mut Retriever)] =
                &mut [("asked before", &mut asked_before), ("stored", &mut stored)];
            same(&new, others, &ask).unwrap();
        }
    }
    // Nor by what the index under the new ones remembers.
    let ask = asked(TYPED, &questions[0], &[]);
    let others: &mut [(&str, &mut Retriever)] = &mut [
        ("asked before", &mut asked_before),
        ("stored", &mut stored),
        ("new", &mut Retriever::new(new)),
    ];
    same(&fresh(), others, &ask).unwrap();
}
