//! Whatever is written, in passages or in questions: no layer's build and no question stops the program, scores are
//! numbers, and what explains a score adds up to it.

mod common;

use common::PIECES;
use hopscope::corpus::{Corpus, Passage, Question};
use hopscope::explain::{reasons, story, trace};
use hopscope::explorer::action::Action;
use hopscope::explorer::glyphs::GlyphSet;
use hopscope::explorer::stage::Stage;
use hopscope::explorer::theme::{ColorLevel, Theme};
use hopscope::index::{BuildOptions, Index, IndexError, Silent};
use hopscope::layers::{Code, GRAPHS};
use hopscope::layers::{LAYERS, build_layers, layers_named};
use hopscope::retrieve::explanation::Combine;
use hopscope::retrieve::{
    DEFAULT_METHOD, Keep, METHODS, Method, MethodRef, RetrieveError, Retriever, Settings,
};
use proptest::prelude::*;
use serde_json::json;
use std::fs;
use std::sync::Arc;

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

/// Indexed, with every layer there is: names of the passages are objects that point at each other.
fn indexed(passages: Vec<Passage>, question: &str) -> Arc<Index> {
    let folder = tempfile::tempdir().unwrap();
    let line = |(at, p): (usize, &Passage)| {
        let aliases = [p.text.chars().take(9).collect::<String>()];
        let year = p
            .text
            .chars()
            .filter(char::is_ascii_digit)
            .take(4)
            .collect::<String>();
        let kind = ["Person", "Œuvre"][at % 2];
        let object = json!({"id": p.id, "type": kind, "name": format!("{} {at}", p.title), "aliases": aliases,
                            "note": p.text, "year": year});
        object.to_string()
    };
    let nodes: Vec<String> = passages.iter().enumerate().map(line).collect();
    let edges: Vec<String> = passages
        .windows(2)
        .map(|w| json!({"from": w[0].id, "to": w[1].id, "type": "WROTE"}).to_string())
        .collect();
    fs::write(folder.path().join("nodes.jsonl"), nodes.join("\n")).unwrap();
    fs::write(folder.path().join("edges.jsonl"), edges.join("\n")).unwrap();
    let questions = vec![Question {
        id: "q".into(),
        text: question.into(),
        ..Question::default()
    }];
    let corpus = Corpus {
        name: "any".into(),
        passages,
        questions,
    };
    let index = Index::build(corpus, &BuildOptions::default(), &Silent).unwrap();
    index.look_beside(&[folder.path().to_owned()]);
    let settings = Settings::of(&index, Method::by_name(DEFAULT_METHOD).unwrap());
    let names: Vec<String> = LAYERS.iter().map(|kind| kind.name.to_owned()).collect();
    let kinds = layers_named(&names, LAYERS).unwrap();
    for kind in kinds {
        match build_layers(&index, &[kind], settings.all(), &Silent) {
            // Of a corpus whose identifiers no table can hold no object is a passage.
            Err(IndexError::Layer { layer: "spark", .. }) => {}
            built => assert_eq!(built.unwrap()[0].name, kind.name),
        }
    }
    Arc::new(index)
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
    let index = indexed(texts.into_iter().enumerate().map(passage).collect(), RUNES);
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

fn close(sum: f64, score: f64) -> bool {
    sum.is_finite() && (sum - score).abs() <= 1e-6 * score.abs().max(1.0)
}

/// Asks by one method and reads everything that is said of the answer.
fn ask(retriever: &mut Retriever, index: &Arc<Index>, method: MethodRef, question: &str) {
    let name = method.name.clone();
    let mut settings = Settings::of(index, method);
    // Some passages are cut off.
    settings.set_text("result_k=3").unwrap();
    let found = match retriever.retrieve(question, &settings, Keep::States) {
        Ok(found) => found,
        // An index without a cross-encoder.
        Err(RetrieveError::Vectors(_)) if name.ends_with("-ce") => return,
        // Nor a typed graph, where none of its objects is a passage.
        Err(RetrieveError::Layer(IndexError::Layer { layer: "spark", .. })) => return,
        Err(error) => panic!("{name}: {error}"),
    };
    let scores: Vec<f32> = found.passages.iter().map(|hit| hit.score).collect();
    assert!(scores.iter().all(|s| s.is_finite()), "{name}: {scores:?}");
    assert!(scores.is_sorted_by(|a, b| a >= b), "{name}: {scores:?}");
    for hit in found.passages.iter().take(4) {
        let score = f64::from(hit.score);
        let said = reasons::why_here(index, &found, hit.passage);
        assert!(said.len() < 100_000);
        assert!(trace::explained(index, &found, hit.passage).is_object());
        let opened = found.explain(index, hit.passage);
        let sum: f64 = opened.parts.iter().map(|part| part.value).sum();
        // A push is short of the limit that its parts are of.
        let whole = close(sum, score) || (sum - score).abs() <= opened.error;
        assert!(
            opened.combine == Combine::Witness || whole,
            "{name}: {score} is not {opened:?}"
        );
    }
    for passage in 0..index.len() as u32 {
        let reasons = reasons::why_not(index, &found, passage);
        assert_eq!(
            reasons.is_empty(),
            found.returns(passage),
            "{name}: {passage}"
        );
        for reason in reasons {
            assert!(!reason.text.is_empty(), "{name}: {reason:?}");
        }
    }
    let story = story(index, &found, &[]);
    let entries = story.stages.iter().flat_map(|stage| &stage.nodes);
    for entry in entries.chain(&story.seeds) {
        assert!(
            entry.value.is_finite() && entry.item < story.items.len(),
            "{name}: {entry:?}"
        );
    }
    let _ = found.text(index);
    let told = trace::trace(index, &found, index.questions().first());
    assert!(serde_json::to_string(&told).is_ok_and(|text| text.starts_with('{')));
    let (nodes, edges) = (
        told.subgraph.graph.node_count(),
        told.subgraph.graph.edge_count(),
    );
    assert_eq!(told.subgraph.dot().lines().count(), 2 + nodes + edges);
    assert_eq!(told.subgraph.graphml().matches("<edge ").count(), edges);
}

/// Every method, a composition for every graph, and the explorer's screen of one of them.
fn asked_by_all(index: &Arc<Index>, question: &str, shown: impl Into<MethodRef>) {
    let mut retriever = Retriever::new(index.clone());
    let composed = GRAPHS.iter().filter_map(|graph| {
        Method::by_name(&format!(
            "names+bm25-2step > {} > power > passages",
            graph.name
        ))
        .ok()
    });
    for method in METHODS.iter().map(MethodRef::from).chain(composed) {
        ask(&mut retriever, index, method, question);
    }
    let settings = Settings::of(index, shown);
    let theme = Theme::load("mono", ColorLevel::None).unwrap();
    let mut stage = Stage::new(
        index.clone(),
        "",
        settings,
        theme,
        GlyphSet::Unicode.glyphs(),
    );
    stage.draw(120, 36);
    stage.act(Action::AskNumber(0));
    stage.draw(120, 36);
}

fn cases() -> ProptestConfig {
    let mut config = ProptestConfig::default();
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = 12;
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
        let index = indexed(passages, &question);
        asked_by_all(&index, &question, shown.get(METHODS));
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
    let index = indexed(passages.into(), question);
    asked_by_all(&index, question, Method::by_name("ket-rag-p").unwrap());
}
