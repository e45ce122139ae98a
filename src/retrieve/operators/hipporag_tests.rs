//! HippoRAG 2 over facts that are few enough to count by hand.

use super::{Found, LINKING_TOP_K};
use crate::corpus::Corpus;
use crate::explain::{story, why_not};
use crate::index::{BuildOptions, Index, Layer, Silent};
use crate::layers::Code;
use crate::layers::facts::FactsLayer;
use crate::layers::summaries::layer_tests::titled;
use crate::llm::Llm;
use crate::llm::server::{Says, serve};
use crate::parameters::LINEAR_PASSAGE_WEIGHT;
use crate::retrieve::{Keep, Method, Retrieval, Retriever, Settings};
use serde_json::json;
use std::sync::Arc;

const QUESTION: &str = "In which town is the press that Mara Voss founded?";

fn corpus() -> Corpus {
    titled(&[
        ("Mara Voss", "Mara Voss founded Gull Press in her youth."),
        ("Gull Press", "Gull Press is a printer of maps in Holm."),
        ("Holm", "Holm is a town of ferries."),
        ("Kelp", "Kelp grows on rocks."),
        ("Rain", "It rains."),
    ])
}

/// An index with facts out of a file beside its corpus.
fn index(facts: &str) -> Index {
    let index = Index::build(corpus(), &BuildOptions::default(), &Silent).unwrap();
    read(&index, facts);
    index
}

fn read(index: &Index, facts: &str) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("openie.jsonl"), facts).unwrap();
    index.look_beside(&[folder.path().to_owned()]);
    index.add_layer(FactsLayer::build(index, &|_, _, _| true).unwrap());
}

const FACTS: &str = r#"{"_id": "mara voss", "triples": [["Mara Voss", "founded", "Gull Press"]]}
{"_id": "gull press", "triples": [["Gull Press", "prints in", "Holm"], ["gull press", "prints in", "HOLM"]]}
{"_id": "holm", "triples": [["Holm", "is", "a town of ferries"], ["Holm", "is", "Holm"]]}
{"_id": "kelp", "triples": [["Kelp", "grows on", "rocks"]]}
{"_id": "rain", "triples": []}
"#;

fn ask(index: &Arc<Index>, question: &str, changes: &[&str]) -> Retrieval {
    let mut settings = Settings::of(index, Method::by_name("hipporag2").unwrap());
    for change in changes {
        settings.set_text(change).unwrap();
    }
    let mut retriever = Retriever::new(index.clone());
    retriever
        .retrieve(question, &settings, Keep::Scores)
        .unwrap()
}

/// Text and score of the facts near the question, and whether each was kept.
fn found(index: &Index, run: &Retrieval) -> Vec<(String, f64, bool)> {
    let layer = index.layer::<FactsLayer>().unwrap();
    let found: &Found = run.records[0].output.get().unwrap();
    let told = |n: &super::Near| (layer.texts.get(n.fact as usize).to_owned(), n.score, n.kept);
    found.facts.iter().map(told).collect()
}

fn labels(index: &Index, run: &Retrieval) -> Vec<String> {
    let graph = run.records[0].graph.as_ref().unwrap();
    let members = run.records[0].output.members.iter();
    members
        .map(|m| graph.label(index, m.node).into_owned())
        .collect()
}

#[test]
fn facts_and_phrases_are_each_there_once() {
    let layer = index(FACTS).layer::<FactsLayer>().unwrap();
    let texts: Vec<&str> = layer.texts.iter().collect();
    assert_eq!(
        texts,
        [
            "Mara Voss founded Gull Press",
            "Gull Press prints in Holm",
            "Holm is a town of ferries",
            "Holm is Holm",
            "Kelp grows on rocks"
        ]
    );
    let phrases: Vec<&str> = layer.phrases.iter().collect();
    assert_eq!(phrases[..3], ["Mara Voss", "Gull Press", "Holm"]);
    // Gull Press stands in a fact of the first passage and in one of the second.
    assert_eq!(layer.with_phrase(1), [0, 1]);
    assert_eq!((layer.stated(1), layer.ends(1)), (&[1][..], [1, 2]));
    // What is said of a phrase and itself is a fact, and no edge.
    assert_eq!(layer.ends(3), [2, 2]);
}

#[test]
fn phrases_weigh_the_mean_of_their_facts_over_their_passages() {
    let index = Arc::new(index(FACTS));
    let run = ask(&index, QUESTION, &["fact_filter=off"]);
    let scores = found(&index, &run);
    let score = |part: &str| scores.iter().find(|f| f.0.contains(part)).unwrap().1;
    let graph = run.records[0].graph.as_ref().unwrap();
    let weight = |label: &str| {
        let members = run.records[0].output.members.iter();
        let mut own = members.filter(|m| graph.label(&index, m.node) == label);
        own.next().unwrap().value
    };
    assert!((weight("Mara Voss") - score("founded")).abs() < 1e-9);
    let press = (score("founded") + score("prints")) / 2.0 / 2.0;
    assert!((weight("Gull Press") - press).abs() < 1e-9);
    // At most so many facts are looked at, and so many phrases restart.
    let two = ask(&index, QUESTION, &["linking_top_k=2", "fact_filter=off"]);
    assert_eq!(two.settings.get(LINKING_TOP_K), 2);
    assert_eq!(
        (found(&index, &two).len(), labels(&index, &two).len()),
        (2, 2)
    );
    // Passages restart by closeness, the farthest not at all.
    let seeds = run.seeds().iter().filter(|seed| seed.node < 5);
    let raw: Vec<f64> = seeds.map(|seed| seed.raw).collect();
    let most = run.settings.get(LINEAR_PASSAGE_WEIGHT);
    assert_eq!(raw.len(), 4);
    assert!((raw[0] - most).abs() < 1e-9 && raw.windows(2).all(|w| w[0] >= w[1]));
    // The walk reaches the town over two facts.
    assert_eq!(index.id(run.passages[0].passage), "mara voss");
    assert!(
        run.passages
            .iter()
            .any(|hit| index.id(hit.passage) == "holm")
    );
}

#[test]
fn the_filter_keeps_what_shares_words_with_the_question_or_with_what_is_kept() {
    let index = Arc::new(index(FACTS));
    let run = ask(&index, QUESTION, &["result_k=1", "fact_filter=rules"]);
    let kept: Vec<(String, bool)> = found(&index, &run)
        .into_iter()
        .map(|f| (f.0, f.2))
        .collect();
    // Ferries are not asked for: the town is.
    for (text, kept) in &kept {
        assert_eq!(*kept, !text.contains("Kelp"), "{kept:?}");
    }
    let reasons = why_not(&index, &run, 3);
    assert_eq!(reasons[0].code, Code::FactFiltered, "{reasons:?}");
    assert!(reasons[0].text.contains("\"Kelp grows on rocks\""));
    assert!(
        why_not(&index, &run, 4)
            .iter()
            .any(|r| r.code == Code::NoEntities)
    );
    let story = story(&index, &run, &[]);
    let stage = &story.stages[0];
    assert_eq!((stage.nodes.len(), stage.cut.len()), (4, 1));
    // Of a phrase and itself there is no edge to draw.
    assert_eq!(stage.edges.len(), 3);
    assert!(
        stage
            .nodes
            .iter()
            .any(|node| node.why == "stated by Gull Press")
    );
    // What a phrase weighs is said by its fact.
    let mut stages = story.stages.iter();
    let restart = stages.find(|stage| stage.name == "restart").unwrap();
    assert!(
        restart.nodes[0].why.contains("founded"),
        "{:?}",
        restart.nodes
    );
}

#[test]
fn without_a_fact_that_helps_the_nearest_passages_are_the_answer() {
    let index = Arc::new(index(FACTS));
    let question = "Why does it pour?";
    let run = ask(&index, question, &["result_k=2"]);
    assert!(found(&index, &run).iter().all(|fact| !fact.2));
    let settings = Settings::of(&index, Method::by_name("dense").unwrap());
    let dense = Retriever::new(index.clone()).retrieve(question, &settings, Keep::Scores);
    assert_eq!(run.passages, dense.unwrap().passages);
    let last = run.passages.last().unwrap().passage;
    let reasons = why_not(&index, &run, last);
    assert!(
        reasons.iter().any(|r| r.code == Code::Fallback),
        "{reasons:?}"
    );
}

#[test]
fn a_model_picks_facts_where_one_is_named() {
    let server = serve(|_, _| Says::Text(json!({"places": [1]}).to_string()));
    let index = Arc::new(index(FACTS));
    let spec = format!("endpoint:{}?model=m", server.url);
    index.think_with(Arc::new(Llm::open(&spec, None).unwrap()));
    // The rules ask nobody.
    ask(&index, QUESTION, &["fact_filter=rules"]);
    assert!(server.heard.lock().unwrap().is_empty());
    let run = ask(&index, QUESTION, &["fact_filter=model"]);
    let kept: Vec<bool> = found(&index, &run).into_iter().map(|fact| fact.2).collect();
    assert_eq!(kept, [false, true, false, false, false]);
    let facts = &run.records[0].output.facts;
    let by = facts.iter().find(|fact| fact.0 == "filter").unwrap();
    assert_eq!(by.1, "llm(m, filter_facts, 1)");
}

#[test]
fn phrases_alike_are_joined_as_far_as_the_threshold_lets_them() {
    let facts = FACTS.replace("\"rocks\"]", "\"the old Gull Press of Holm\"]");
    let index = Arc::new(index(&facts));
    let layer = index.layer::<FactsLayer>().unwrap();
    let press = layer
        .phrases
        .iter()
        .position(|p| p.starts_with("the old"))
        .unwrap();
    let joined = |threshold: &str| {
        let run = ask(&index, QUESTION, &[threshold]);
        let graph = run.records[0].graph.as_ref().unwrap();
        let nodes = [5 + 1, 5 + press as u32];
        let said = graph.source().evidence(&index, nodes[0], nodes[1]);
        (graph.probability(nodes[0], nodes[1]) > 0.0, said)
    };
    let cosine = layer.phrase_vectors.between(1, press as u32);
    assert!(cosine > 0.5 && cosine < 1.0, "{cosine}");
    let (open, said) = joined("synonym_threshold=0.5");
    assert!(open && said == format!("cosine {cosine:.3}"), "{said}");
    assert!(!joined("synonym_threshold=1").0);
}

/// What the edge of two phrases weighs, by their first spellings.
fn weight(index: &Arc<Index>, changes: &[&str], one: &str, other: &str) -> f32 {
    let run = ask(index, QUESTION, changes);
    let graph = run.records[0].graph.as_ref().unwrap();
    let layer = index.layer::<FactsLayer>().unwrap();
    let node = |label: &str| 5 + layer.phrases.iter().position(|p| p == label).unwrap() as u32;
    let other = node(other);
    let mut edges = graph.neighbours(node(one));
    edges
        .find(|edge| edge.0 == other)
        .map_or(0.0, |edge| edge.1)
}

#[test]
fn both_ends_of_an_edge_give_it_their_facts_or_their_cosine() {
    let facts = r#"{"_id": "mara voss", "triples": [["Mara Voss", "founded", "Gull Press"], ["Mara Voss", "sold", "Gull Press"]]}
{"_id": "gull press", "triples": [["Mara Voss", "founded", "Gull Press"], ["Gull Press", "was", "the old Gull Press"]]}
{"_id": "holm", "triples": [["EU", "is not", "the EU"], ["EU", "is", "far away"]]}
{"_id": "kelp", "triples": [["the old Gull Press", "was", "Gull Press"]]}
"#;
    let index = Arc::new(index(facts));
    let layer = index.layer::<FactsLayer>().unwrap();
    let [all, none] = [["synonym_threshold=0.5"], ["synonym_threshold=1"]];
    let weight = |threshold: &[&str], one, other| weight(&index, threshold, one, other);
    // Three statements, from both ends.
    assert_eq!(weight(&none, "Mara Voss", "Gull Press"), 6.0);
    // Two statements, or the cosine instead, from both ends.
    let cosine = |one: &str, other: &str| {
        let place = |label: &str| layer.phrases.iter().position(|p| p == label).unwrap() as u32;
        layer.phrase_vectors.between(place(one), place(other))
    };
    assert_eq!(weight(&none, "Gull Press", "the old Gull Press"), 4.0);
    let alike = cosine("Gull Press", "the old Gull Press");
    assert!(alike > 0.5);
    let found = weight(&all, "Gull Press", "the old Gull Press");
    assert_eq!(found, 2.0 * alike);
    // What has two letters is taken by the other, and takes nothing itself: its end keeps the fact.
    let alike = cosine("EU", "the EU");
    assert!(alike > 0.5, "{alike}");
    assert_eq!(weight(&none, "EU", "the EU"), 2.0);
    assert_eq!(weight(&all, "EU", "the EU"), 1.0 + alike);
    // Who reads the edge hears what weighs, and what it stands for.
    let run = ask(&index, QUESTION, &all);
    let graph = run.records[0].graph.as_ref().unwrap().source();
    let kinds = [(0, 1), (1, 2), (3, 4)].map(|(a, b)| graph.edge_kind(5 + a, 5 + b));
    assert_eq!(kinds, ["fact", "alike", "fact"]);
    let said = graph.evidence(&index, 6, 7);
    assert!(
        said.ends_with("instead of: Gull Press was the old Gull Press"),
        "{said}"
    );
}

#[test]
fn a_phrase_takes_the_nearest_hundred_and_one_and_is_taken_by_more() {
    let name = |at: usize| format!("Gull Press {at}");
    let facts: Vec<_> = (0..130).map(|at| json!([name(at), "is", "here"])).collect();
    let line = json!({"_id": "kelp", "triples": facts});
    let index = index(&line.to_string());
    let layer = index.layer::<FactsLayer>().unwrap();
    let takes = layer.takes(0.5);
    let mut most = 0;
    for phrase in 0..layer.meta.phrases as u32 {
        let pairs = layer.alike(0.5).filter(|(ends, _)| ends.contains(&phrase));
        let near: Vec<f32> = pairs.map(|(_, cosine)| cosine).collect();
        let taken = near
            .iter()
            .filter(|cosine| **cosine >= takes[phrase as usize]);
        // As many are as near as the last: all of them or none.
        let last = near
            .iter()
            .filter(|cosine| **cosine == takes[phrase as usize]);
        assert!(taken.count() < 101 + last.count().max(1));
        most = most.max(near.len());
    }
    assert!(most > 101, "{most}");
}

#[test]
fn a_layer_comes_back_from_its_folder() {
    let built = index(FACTS);
    let layer = built.layer::<FactsLayer>().unwrap();
    let bytes = |layer: &FactsLayer| {
        let mut all = Vec::new();
        layer.columns(&mut |name, bytes| all.push((name.to_owned(), bytes.to_vec())));
        all
    };
    let before = bytes(&layer);
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("index");
    Index::create(corpus(), &BuildOptions::default(), &folder, &Silent).unwrap();
    let stored = Index::open(&folder).unwrap();
    read(&stored, FACTS);
    crate::index::store::add_layers(&stored, &folder).unwrap();
    let opened = Index::open(&folder).unwrap().layer::<FactsLayer>().unwrap();
    assert_eq!(bytes(&opened), before);
    assert_eq!(opened.meta.read, 5);
    // Every step of a build can be cancelled.
    for step in ["facts", "vectors", "phrases alike"] {
        let stopped = FactsLayer::build(&built, &|now, _, _| now != step);
        assert!(
            matches!(stopped, Err(crate::index::IndexError::Cancelled)),
            "{step}"
        );
    }
}
