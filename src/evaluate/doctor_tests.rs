use super::*;
use crate::corpus::{Corpus, Gold, Passage};
use crate::evaluate::losses;
use crate::index::{BuildOptions, Silent, sample};
use crate::retrieve::Method;

/// Passages by title and text, and questions with the gold of each.
fn planted(passages: &[(&str, &str)], questions: &[(&str, u32)]) -> Arc<Index> {
    let passage = |(at, (title, text)): (usize, &(&str, &str))| Passage {
        id: format!("p{at}"),
        title: (*title).into(),
        text: (*text).into(),
    };
    let question = |(at, (text, gold)): (usize, &(&str, u32))| Question {
        id: format!("q{at}"),
        text: (*text).into(),
        gold: vec![Gold {
            passage: *gold,
            grade: 1.0,
        }],
        ..Question::default()
    };
    let corpus = Corpus {
        name: "planted".into(),
        passages: passages.iter().enumerate().map(passage).collect(),
        questions: questions.iter().enumerate().map(question).collect(),
    };
    Arc::new(Index::build(corpus, &BuildOptions::default(), &Silent).unwrap())
}

fn settings(index: &Index, method: &str, set: &[&str]) -> Settings {
    let mut settings = Settings::of(index, Method::by_name(method).unwrap());
    for set in set {
        settings.set_text(set).unwrap();
    }
    settings
}

fn checked(index: &Arc<Index>, settings: &Settings) -> Checkup {
    let found = doctor(index, index.questions(), settings, |_, _, _| true);
    found.unwrap().unwrap()
}

/// (count, lost gold explained) of a fault.
fn of(checkup: &Checkup, fault: Fault) -> (usize, usize) {
    let found = checkup.findings.iter().find(|f| f.fault == fault);
    found.map(|f| (f.count, f.explains)).unwrap()
}

const EGEBERG: &str = "Which president did Roger Egeberg serve?";
const UNJOINED: [(&str, &str); 3] = [
    (
        "Roger Egeberg",
        "Roger Egeberg was a physician under Nixon.",
    ),
    ("Richard Nixon", "Richard Nixon resigned in August."),
    ("Mara Voss", "Mara Voss painted in Hull."),
];

#[test]
fn look_alikes_and_split_components_are_found_and_explain_what_they_cost() {
    let index = planted(&UNJOINED, &[(EGEBERG, 1), (EGEBERG, 0)]);
    let checkup = checked(&index, &settings(&index, "graph", &["result_k=1"]));
    assert_eq!((checkup.gold, checkup.lost, checkup.explained), (2, 1, 1));
    assert_eq!(of(&checkup, Fault::LookAlike), (1, 1));
    // Three components of one passage each: two lie outside the first.
    assert_eq!(of(&checkup, Fault::Split), (2, 1));
    assert_eq!(of(&checkup, Fault::Isolated), (0, 0));
    assert_eq!(of(&checkup, Fault::Nameless), (0, 0));
    assert_eq!(of(&checkup, Fault::Duplicate), (0, 0));
    let told = checkup
        .findings
        .iter()
        .find(|f| f.fault == Fault::LookAlike)
        .unwrap();
    assert_eq!(told.examples, ["Nixon | Richard Nixon"]);
    assert_eq!(told.detail, "1 the last name of the other");
    // What explains lost gold comes first; what is not wrong needs no remedy.
    assert!(
        checkup
            .findings
            .windows(2)
            .all(|two| two[0].explains >= two[1].explains)
    );
    assert!(
        checkup
            .findings
            .iter()
            .all(|f| f.remedy.is_empty() == (f.count == 0))
    );
}

#[test]
fn passages_without_names_or_edges_are_found_and_explain_what_they_cost() {
    let passages = [
        UNJOINED[0],
        ("", "it rained all day and nobody was there."),
        UNJOINED[2],
        ("Hull", "They say that Mara Voss left Hull."),
    ];
    let index = planted(&passages, &[(EGEBERG, 1), (EGEBERG, 0)]);
    let checkup = checked(&index, &settings(&index, "graph", &["result_k=1"]));
    assert_eq!(of(&checkup, Fault::Nameless), (1, 1));
    assert_eq!(of(&checkup, Fault::Isolated), (1, 1));
    // It has no component to be in the wrong one of.
    assert_eq!(of(&checkup, Fault::Split).1, 0);
    // Names that stand in one passage alone are left out: their passages lose their edges and keep their names.
    let checkup = checked(
        &index,
        &settings(&index, "graph", &["result_k=1", "min_df=2"]),
    );
    assert_eq!(of(&checkup, Fault::Nameless).0, 1);
    assert_eq!(of(&checkup, Fault::Isolated).0, 2);
}

#[test]
fn a_passage_behind_a_hub_is_told_so() {
    let passages = [
        ("Mara Voss", "Mara Voss painted in Hull."),
        ("Ivo Lind", "Ivo Lind was born in Hull."),
        ("Ada Brandt", "Ada Brandt sailed from Hull."),
        ("Emil Krog", "Emil Krog was seen in Hull."),
        ("Nora Quist", "Nora Quist wrote of Hull."),
        ("Bergen", "They say that Mara Voss went to Bergen."),
    ];
    let question = "Where did Mara Voss paint?";
    let index = planted(&passages, &[(question, 1), (question, 0), (question, 5)]);
    let checkup = checked(&index, &settings(&index, "graph", &["result_k=1"]));
    // The highest degree is that of Hull; the ways over Mara Voss have none. One of hers is first and the other one lost.
    let hubs = checkup
        .findings
        .iter()
        .find(|f| f.fault == Fault::Hub)
        .unwrap();
    assert_eq!(hubs.examples, ["Hull (5)"]);
    assert_eq!((checkup.lost, hubs.count, hubs.explains), (2, 1, 1));
    assert!(
        hubs.detail.starts_with("5 edges or more; "),
        "{}",
        hubs.detail
    );
}

#[test]
fn common_words_and_twins_are_found_and_explain_what_they_cost() {
    let passages = [
        UNJOINED[0],
        ("", "we fear War and more War."),
        ("Twin", "Roger Egeberg was a physician under Nixon."),
        UNJOINED[2],
    ];
    let index = planted(&passages, &[(EGEBERG, 1), (EGEBERG, 2), (EGEBERG, 0)]);
    let checkup = checked(&index, &settings(&index, "graph", &["result_k=1"]));
    assert_eq!(
        (
            of(&checkup, Fault::CommonWord).1,
            of(&checkup, Fault::CommonWord).0 > 0
        ),
        (1, true)
    );
    assert_eq!(of(&checkup, Fault::Duplicate), (2, 1));
    let told = checkup
        .findings
        .iter()
        .find(|f| f.fault == Fault::Duplicate)
        .unwrap();
    assert_eq!(told.examples, ["p0 = p2"]);
    // A ranking of words has no graph: only what concerns passages is looked for.
    let flat = checked(&index, &settings(&index, "bm25", &["result_k=1"]));
    let faults: Vec<Fault> = flat.findings.iter().map(|f| f.fault).collect();
    assert_eq!((faults, flat.graph), (vec![Fault::Duplicate], None));
}

#[test]
fn what_the_small_world_graph_misses_is_measured_and_tried() {
    let index = Arc::new(sample::index().unwrap());
    let coarse = [
        "vector_search=hnsw",
        "hnsw_m=4",
        "hnsw_ef_construction=8",
        "hnsw_ef_search=8",
    ];
    let coarse: Vec<&str> = coarse
        .into_iter()
        .filter(|set| settings_take(&index, set))
        .collect();
    let settings_coarse = settings(&index, "dense", &coarse);
    let checkup = checked(&index, &settings_coarse);
    let told = checkup
        .findings
        .iter()
        .find(|f| f.fault == Fault::SmallWorld)
        .unwrap();
    let dense = index.dense().unwrap();
    let options = crate::retrieve::nearest::near(settings_coarse.all()).unwrap();
    let ef = options.ef_search.max(NEAREST);
    let recall = dense.hnsw(&options.graph).unwrap();
    let recall = recall
        .recall_against_exact(&dense.vectors, SAMPLE, NEAREST, ef)
        .unwrap();
    assert!(recall < 1.0, "the graph misses nothing: {recall}");
    assert_eq!(
        told.count,
        ((1.0 - recall) * told.of as f64).round() as usize
    );
    // What it explains is what exact search brings in.
    let mut explained = 0;
    let mut retriever = Retriever::new(index.clone());
    let exact = settings(&index, "dense", &["vector_search=exact"]);
    for question in index.questions() {
        let mut ask = |settings: &Settings| {
            retriever
                .retrieve(&question.text, settings, Keep::Scores)
                .unwrap()
        };
        let (near, all) = (ask(&settings_coarse), ask(&exact));
        let holds = |run: &Retrieval, gold: u32| run.top().iter().any(|hit| hit.passage == gold);
        let gold = question.gold.iter().map(|gold| gold.passage);
        explained += gold
            .filter(|gold| !holds(&near, *gold) && holds(&all, *gold))
            .count();
    }
    assert_eq!(told.explains, explained);
    // Where every vector is compared there is nothing to miss.
    let checkup = checked(&index, &exact);
    assert!(
        checkup
            .findings
            .iter()
            .all(|f| f.fault != Fault::SmallWorld)
    );
}

fn settings_take(index: &Index, set: &str) -> bool {
    let mut settings = Settings::of(index, Method::by_name("dense").unwrap());
    settings.set_text(set).is_ok()
}

#[test]
fn lost_gold_is_that_of_the_losses_and_a_stopped_checkup_tells_nothing() {
    let index = Arc::new(sample::index().unwrap());
    for method in ["graph", "hop", "bm25"] {
        let settings = settings(&index, method, &[]);
        let all = losses(&index, index.questions(), &settings, None, |_| true).unwrap();
        let checkup = checked(&index, &settings);
        assert_eq!(
            (checkup.gold, checkup.lost),
            (all.gold, all.lost),
            "{method}"
        );
        assert!(checkup.explained <= checkup.lost);
    }
    let settings = settings(&index, "graph", &[]);
    for stopped in [Doing::Names, Doing::Questions] {
        let found = doctor(&index, index.questions(), &settings, |doing, done, _| {
            doing != stopped || done < 3
        });
        assert_eq!(found.unwrap(), None);
    }
}
