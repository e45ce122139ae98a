//! Whatever is written, in passages or in questions: no layer's build and no question stops the program, scores are
//! numbers, and what explains a score adds up to it.

use crate::common::PIECES;
use crate::common::anything::{Anyone, asked_by_all, indexed};
use hopscope::corpus::Passage;
use hopscope::explain::{reasons, story, trace};
use hopscope::layers::{Code, GRAPHS};
use hopscope::retrieve::{Keep, METHODS, Method, MethodRef, Retriever, Settings};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// What is said again and again.
const RUNS: &[&str] = &[
    ".",
    "'",
    "’",
    "\"",
    "-",
    "\u{301}",
    "A",
    "é",
    "İ",
    "Ab ",
    "a.",
    "A.",
    "of the ",
    "“",
    "(",
    "\n",
    " ",
    "e, ",
    "'s ",
    "👩‍👧 ",
];

fn piece() -> impl Strategy<Value = String> {
    let run =
        (prop::sample::select(RUNS), 1usize..120).prop_map(|(said, times)| said.repeat(times));
    prop_oneof![
        30 => prop::sample::select(PIECES).prop_map(str::to_owned),
        4 => "\\PC{1,6}",
        4 => "[A-Z][a-zé]{1,7}( [A-Z][a-zü]{1,7})?",
        2 => prop::collection::vec(any::<char>(), 1..5).prop_map(String::from_iter),
        1 => run,
    ]
}

fn text(most: usize) -> impl Strategy<Value = String> {
    let gap = prop::sample::select(&[" ", " ", " ", "", ". ", "\n"][..]);
    prop::collection::vec((piece(), gap), 0..most).prop_map(|said| {
        said.into_iter()
            .flat_map(|(said, gap)| [said, gap.into()])
            .collect()
    })
}

/// Some have no title, and files come in pieces.
fn passages() -> impl Strategy<Value = Vec<Passage>> {
    let id = prop_oneof![Just(None), piece().prop_map(Some)];
    let title = prop_oneof![Just(String::new()), text(4)];
    prop::collection::vec((id, title, text(50)), 1..7).prop_map(|made| {
        let passage =
            |(at, (id, title, text)): (usize, (Option<String>, String, String))| Passage {
                // A text file in pieces, unless it says otherwise; the number keeps identifiers apart.
                id: id.map_or_else(|| format!("a.md#{at}"), |id| format!("{id}{at}")),
                title,
                text,
            };
        made.into_iter().enumerate().map(passage).collect()
    })
}

/// Words of a passage, with or without others.
fn question() -> impl Strategy<Value = (prop::sample::Index, usize, usize, String)> {
    (
        any::<prop::sample::Index>(),
        0usize..60,
        0usize..12,
        text(8),
    )
}

fn asked(
    passages: &[Passage],
    (at, skip, take, own): (prop::sample::Index, usize, usize, String),
) -> String {
    let full = at.get(passages).full_text();
    let said: Vec<&str> = full.split(' ').skip(skip).take(take).collect();
    format!("{} {own}", said.join(" "))
}

/// Runes: no piece of them is in the vocabulary, and no passage has them.
const RUNES: &str = "\u{16A0}\u{16A2}\u{16A6} \u{16A8}\u{16B1}";

#[test]
fn nothing_is_near_to_a_question_that_the_encoder_cannot_read() {
    let passage = |(at, text): (usize, &str)| Passage {
        id: format!("p{at}"),
        title: ["Mara Voss", "Oslo", "Gull (boat)"][at].into(),
        text: text.into(),
    };
    let texts = [
        "Mara Voss sailed the Gull from Oslo to Leeds. She was born in Oslo.",
        "Oslo is the capital of Norway. Ivo Lind was born in Oslo.",
        "Gull is a boat of Mara Voss. It lies in Oslo.",
    ];
    let index = indexed(
        texts.into_iter().enumerate().map(passage).collect(),
        RUNES,
        None,
    );
    let mut methods: Vec<MethodRef> = METHODS.iter().map(MethodRef::from).collect();
    let asks = |name: &str| {
        METHODS
            .iter()
            .any(|m| m.name == name && m.needs.contains("vectors"))
    };
    for seeds in ["dense", "rrf", "nearest", "names+rrf"] {
        for graph in GRAPHS {
            let name = format!("{seeds} > {} > power > passages", graph.name);
            methods.extend(Method::by_name(&name));
        }
    }
    let mut asked = 0;
    for method in methods {
        let name = method.name.clone();
        let settings = Settings::of(&index, method);
        let found = Retriever::new(index.clone()).retrieve(RUNES, &settings, Keep::States);
        let found = found.unwrap();
        // What is scored again is what words found: nothing.
        let of_vectors = name.contains('>') || asks(&name) && name != "bm25-ce";
        assert_eq!(found.unread(), of_vectors, "{name}");
        if !of_vectors {
            continue;
        }
        asked += 1;
        assert_eq!(found.passages, [], "{name}");
        assert!(found.why_nothing().contains("no piece"), "{name}");
        for passage in 0..index.len() as u32 {
            let reasons = reasons::why_not(&index, &found, passage);
            assert_eq!(reasons[0].code, Code::NoVector, "{name}: {reasons:?}");
        }
        // What is told of it is told.
        let _ = (story(&index, &found, &[]), found.text(&index));
        let told = trace::trace(&index, &found, None);
        assert!(serde_json::to_string(&told).is_ok());
    }
    assert!(asked > 40, "{asked}");
}

/// The same cases every time; others, and as many as the environment asks for, where it does.
fn cases() -> ProptestConfig {
    let mut config = ProptestConfig::default();
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = 12;
        config.rng_seed = RngSeed::Fixed(20_261_125);
    }
    ProptestConfig {
        max_shrink_iters: 200,
        failure_persistence: None,
        ..config
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn nothing_that_is_written_stops_the_program(passages in passages(), question in question(), shown in any::<prop::sample::Index>()) {
        let question = asked(&passages, question);
        let index = indexed(passages, &question, None);
        asked_by_all(&index, &question, shown.get(METHODS));
    }

    #[test]
    fn nothing_that_a_model_says_stops_the_program(passages in passages(), question in question(), words in prop::collection::vec(text(4), 1..6), seed: u64) {
        let question = asked(&passages, question);
        let index = indexed(passages, &question, Some(Anyone::saying(words, seed)));
        let asked: u64 = index.llm().counters().iter().map(|(_, asked)| asked.items).sum();
        assert!(asked > 0);
        asked_by_all(&index, &question, METHODS.first().unwrap());
    }
}

/// The names of an untitled passage, wherever they stand.
#[test]
fn an_untitled_passage_that_does_not_begin_with_its_name() {
    let text = "The 2013 Houphouët-Boigny stampede occurred as crowds departed a New Year's Eve fireworks display in the early \
                hours of 1 January 2013 near the Félix Houphouët-Boigny Stadium in Abidjan";
    let passages = [
        ("", text),
        (
            "Abidjan",
            "Abidjan is a city. Its stadium is the Félix Houphouët-Boigny Stadium.",
        ),
    ];
    let passages = passages.map(|(title, text)| Passage {
        id: text.len().to_string(),
        title: title.into(),
        text: text.into(),
    });
    let question = "Where was the Houphouët-Boigny stampede?";
    let index = indexed(passages.into(), question, None);
    asked_by_all(&index, question, Method::by_name("ket-rag-p").unwrap());
}
