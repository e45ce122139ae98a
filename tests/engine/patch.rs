//! Graph edits by hand: joins are as if the text had one spelling, what is taken back leaves no trace, and what
//! changes nothing says so.

use hopscope::corpus::{Corpus, Passage};
use hopscope::index::{BuildOptions, Index, Silent};
use hopscope::layers::{Code, ENTITY_PASSAGE};
use hopscope::retrieve::{Keep, METHODS, Mask, Method, Retrieval, Retriever, Settings};
use hopscope::{GraphEdit, why_not};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

const NAMES: [&str; 7] = ["Avon", "Boro", "Corin", "Delve", "Ems", "Fal", "Gant"];

/// The names that each passage mentions, in order; of the first the title.
type Texts = Vec<Vec<usize>>;

fn index(texts: &Texts, spelt: impl Fn(usize) -> &'static str) -> Arc<Index> {
    let passage = |(at, names): (usize, &Vec<usize>)| {
        let said: Vec<String> = names
            .iter()
            .map(|n| format!("we saw {}", spelt(*n)))
            .collect();
        Passage {
            id: format!("p{at}"),
            title: names
                .first()
                .map_or(String::new(), |n| spelt(*n).to_owned()),
            text: format!("Then {}.", said.join(", ")),
        }
    };
    let corpus = Corpus {
        name: "rivers".into(),
        passages: texts.iter().enumerate().map(passage).collect(),
        questions: Vec::new(),
    };
    Arc::new(Index::build(corpus, &BuildOptions::default(), &Silent).unwrap())
}

fn plain(texts: &Texts) -> Arc<Index> {
    index(texts, |name| NAMES[name])
}

fn ask(
    index: &Arc<Index>,
    question: &str,
    method: &str,
    set: &[&str],
    edits: &[&str],
) -> Retrieval {
    let mut settings = Settings::of(index, Method::by_name(method).unwrap());
    set.iter().for_each(|set| settings.set_text(set).unwrap());
    for edit in edits {
        settings.edit_graph(edit.parse().unwrap());
    }
    let mut retriever = Retriever::new(index.clone());
    retriever
        .retrieve(question, &settings, Keep::Scores)
        .unwrap()
}

fn scores(run: &Retrieval) -> BTreeMap<u32, f32> {
    run.passages
        .iter()
        .map(|hit| (hit.passage, hit.score))
        .collect()
}

fn bits(run: &Retrieval) -> Vec<(u32, u32)> {
    let hits = run.passages.iter();
    hits.map(|hit| (hit.passage, hit.score.to_bits())).collect()
}

/// Why each edit changes nothing.
fn idle(run: &Retrieval) -> Vec<Option<String>> {
    run.graph_edits()
        .into_iter()
        .map(|edited| edited.idle)
        .collect()
}

fn texts() -> impl Strategy<Value = Texts> {
    prop::collection::vec(prop::collection::vec(0..NAMES.len(), 0..5), 2..9)
}

/// Methods whose scores rest on names alone, and not on what else the text says.
const BY_NAMES: [(&str, &[&str]); 4] = [
    ("graph", &[]),
    ("graph", &["edge_weight=share", "gazetteer=on"]),
    ("graph", &["alias_linking=on", "min_df=2"]),
    ("graph", &["walk=push", "hub_p=1"]),
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn joined_names_rank_as_if_the_text_had_one_spelling(
        texts in texts(),
        from in 0..NAMES.len(),
        into in 0..NAMES.len(),
        asked in prop::collection::vec(0..NAMES.len(), 1..4),
        (method, set) in prop::sample::select(&BY_NAMES[..]),
    ) {
        let mentioned = |name| texts.iter().any(|names| names.contains(&name));
        prop_assume!(from != into && mentioned(from) && mentioned(into));
        let question = |spelt: &dyn Fn(usize) -> &'static str| {
            let names: Vec<&str> = asked.iter().map(|n| spelt(*n)).collect();
            format!("who saw {}?", names.join(", who saw "))
        };
        let one = |name: usize| NAMES[if name == from { into } else { name }];
        let join = format!("join {} | {}", NAMES[from], NAMES[into]);
        let edited = ask(&plain(&texts), &question(&|n| NAMES[n]), method, set, &[&join]);
        prop_assert_eq!(idle(&edited), [None]);
        let spelt = ask(&index(&texts, one), &question(&one), method, set, &[]);
        let walk = edited.walk().unwrap();
        prop_assert!(walk.spread.mass.iter().all(|mass| mass.is_finite()));
        let (edited, spelt) = (scores(&edited), scores(&spelt));
        prop_assert_eq!(edited.keys().collect::<Vec<_>>(), spelt.keys().collect::<Vec<_>>());
        for (passage, score) in &edited {
            prop_assert!((score - spelt[passage]).abs() < 1e-6, "{:?} {:?}", edited, spelt);
        }
    }

    #[test]
    fn what_changes_nothing_or_is_taken_back_leaves_every_bit(
        texts in texts(),
        name in 0..NAMES.len(),
        method in prop::sample::select(&["graph", "graph-rrf", "hop", "linearrag", "bm25-2step"][..]),
    ) {
        let index = plain(&texts);
        let question = format!("who saw {} and {}?", NAMES[name], NAMES[0]);
        let before = bits(&ask(&index, &question, method, &[], &[]));
        let unknown = ["mute Zambezi", "join Zambezi | Avon", "cut Avon | #none", "add Zambezi | #p0", "weigh Zambezi | #p0 * 2"];
        let run = ask(&index, &question, method, &[], &unknown);
        prop_assert!(idle(&run).iter().all(Option::is_some));
        prop_assert_eq!(bits(&run), before.clone());
        let (cut, add) = (format!("cut {} | #p0", NAMES[name]), format!("add {} | #p0", NAMES[name]));
        prop_assert_eq!(bits(&ask(&index, &question, method, &[], &[&cut, &add])), before);
    }
}

fn rivers() -> Arc<Index> {
    // Avon 0 and 1, Boro 1 and 2, Corin 2.
    plain(&vec![vec![0], vec![0, 1], vec![1, 2], vec![3]])
}

const QUESTION: &str = "who saw Avon?";

#[test]
fn an_edge_that_is_cut_is_walked_no_more_and_one_that_is_added_is() {
    let index = rivers();
    let run = |edits: &[&str]| ask(&index, QUESTION, "graph", &[], edits);
    assert_eq!(scores(&run(&[])).keys().collect::<Vec<_>>(), [&0, &1, &2]);
    let cut = run(&["cut Boro | #p1"]);
    assert_eq!(scores(&cut).keys().collect::<Vec<_>>(), [&0, &1]);
    let added = run(&["cut Boro | #p1", "add Avon | #p3"]);
    assert_eq!(scores(&added).keys().collect::<Vec<_>>(), [&0, &1, &3]);
    // By another spelling it is not taken back, but an edge as of one mention again.
    let back = run(&["cut Boro | #p1", "add BORO | #p1"]);
    assert_eq!(idle(&back), [None, None]);
    assert_eq!(scores(&back).keys().collect::<Vec<_>>(), [&0, &1, &2]);
    // What was cut is said where it is missed.
    let own = run(&["cut Avon | #p0"]);
    let reasons = why_not(&index, &own, 0);
    let said = reasons.iter().find(|reason| reason.code == Code::ByHand);
    assert!(
        said.unwrap().text.contains("'Avon' was cut by an edit"),
        "{reasons:?}"
    );
}

#[test]
fn a_weighed_edge_carries_its_factor_and_the_others_share_the_rest() {
    let index = rivers();
    let chance = |edits: &[&str]| {
        let run = ask(&index, QUESTION, "graph", &[], edits);
        let graph = run.walk().unwrap().graph;
        let avon = graph
            .source()
            .find(&index, "Avon", run.settings.all())
            .unwrap();
        (graph.probability(avon, 0), graph.probability(avon, 1))
    };
    let (a, b) = chance(&[]);
    let (weighed, other) = chance(&["weigh avon | #p0 * 3"]);
    assert!((weighed + other - 1.0).abs() < 1e-6);
    assert!((weighed / other - 3.0 * a / b).abs() < 1e-5);
    let run = ask(
        &index,
        QUESTION,
        "graph",
        &[],
        &["weigh Avon | #p3 * 3", "weigh Avon | #p0 * 1"],
    );
    let said: Vec<String> = idle(&run).into_iter().flatten().collect();
    assert_eq!(
        said,
        [
            "the passage does not mention it",
            "a factor of 1 changes nothing"
        ]
    );
}

#[test]
fn a_muted_name_takes_no_part_and_a_kept_one_does_though_it_is_masked() {
    let index = rivers();
    let (none, all) = (["fallback=none"], ["fallback=none", "max_df_ratio=0"]);
    let run = |set: &[&str], edits: &[&str]| ask(&index, QUESTION, "graph", set, edits);
    let muted = run(&none, &["mute AVON"]);
    assert!(muted.passages.is_empty());
    let view = muted
        .records
        .iter()
        .find_map(|r| r.graph.as_ref()?.entities())
        .unwrap();
    let avon = view.graph.find("avon").unwrap();
    assert_eq!(view.mask(avon), Some(Mask::Muted));
    let reasons = why_not(&index, &muted, 0);
    assert!(
        reasons
            .iter()
            .any(|r| r.code == Code::ByHand && r.text.contains("muted by you")),
        "{reasons:?}"
    );
    assert!(run(&all, &[]).passages.is_empty());
    let kept = run(&all, &["keep Avon"]);
    assert_eq!(scores(&kept).keys().collect::<Vec<_>>(), [&0, &1]);
    assert_eq!(
        idle(&run(&none, &["keep Avon"]))[0].as_deref(),
        Some("it takes part already")
    );
    // The newer of two about one name holds.
    assert_eq!(
        run(&all, &["mute Avon", "keep Avon"]).graph_edits().len(),
        1
    );
    // A list that feedback adds names to does not add a muted one.
    let names = |edits: &[&str]| {
        let run = ask(&index, "who saw Boro?", "bm25-2step", &[], edits);
        let list = run
            .records
            .iter()
            .rev()
            .find_map(|r| r.output.ranked())
            .unwrap();
        list.expansion
            .iter()
            .map(|e| e.name.clone())
            .collect::<Vec<_>>()
    };
    assert!(names(&[]).contains(&"corin".to_owned()));
    assert!(!names(&["mute Corin"]).contains(&"corin".to_owned()));
}

#[test]
fn a_name_without_edges_leaves_every_step_of_the_walk_finite() {
    let index = rivers();
    for edits in [
        &["join Boro | Avon"][..],
        &["cut Corin | #p2", "keep Corin"],
        &["cut Avon | #p0", "cut Avon | #p1"],
        &["cut Boro | #p1", "cut Boro | #p2", "mute Boro"],
    ] {
        let mut settings = Settings::of(&index, Method::by_name("graph").unwrap());
        settings.set_text("steps=6").unwrap();
        for edit in edits {
            settings.edit_graph(edit.parse().unwrap());
        }
        let run = Retriever::new(index.clone()).retrieve(QUESTION, &settings, Keep::States);
        let run = run.unwrap();
        let spread = run.walk().unwrap().spread;
        let states = spread.states.iter();
        let mut held = states
            .flat_map(|state| state.held(0..state.len()))
            .peekable();
        assert!(held.peek().is_some() && held.all(|(_, mass)| mass.is_finite()));
        for ledger in &spread.ledgers {
            assert!((ledger.total() - 1.0).abs() < 1e-5, "{edits:?} {ledger:?}");
        }
    }
    let run = ask(
        &index,
        QUESTION,
        "graph",
        &[],
        &["cut Corin | #p2", "keep Corin"],
    );
    assert_eq!(idle(&run), [None, Some("no passage mentions it".into())]);
}

#[test]
fn joins_follow_each_other_and_titles_and_sentences_follow_them() {
    let index = rivers();
    let run = ask(
        &index,
        "who saw Corin?",
        "graph",
        &[],
        &["join Corin | Boro", "join Boro | Avon", "join Avon | Corin"],
    );
    assert_eq!(
        idle(&run),
        [None, None, Some("they are one already".into())]
    );
    assert_eq!(scores(&run).keys().collect::<Vec<_>>(), [&0, &1, &2]);
    // Both spellings in one question are one name.
    let both = ask(
        &index,
        "who saw Corin, who saw Avon?",
        "graph",
        &[],
        &["join Corin | Avon"],
    );
    assert_eq!(both.seeds().len(), 1);
    // hop crosses from the best passages over the names in their sentences.
    let hop = |edits: &[&str]| scores(&ask(&index, QUESTION, "hop", &[], edits));
    assert_ne!(hop(&[]), hop(&["join Delve | Boro"]));
}

#[test]
fn every_method_obeys_a_patch_or_says_that_it_does_not() {
    let index = rivers();
    let mut settings = Settings::of(&index, Method::by_name("graph").unwrap());
    settings.edit_graph("mute Avon".parse::<GraphEdit>().unwrap());
    for method in METHODS.iter().filter(|method| method.fits(&index)) {
        settings.set_method(Method::by_name(&method.name).unwrap());
        let run = Retriever::new(index.clone())
            .retrieve(QUESTION, &settings, Keep::Scores)
            .unwrap();
        let why = idle(&run).remove(0);
        assert_eq!(why, method.ignores_graph_edits(), "{}", method.name);
        let told = Retriever::new(index.clone())
            .graph_edits(&settings)
            .unwrap();
        assert_eq!(told, run.graph_edits());
        let graphs = method.plan().graphs();
        assert_eq!(
            why.is_none(),
            graphs.contains(&&ENTITY_PASSAGE) || graphs.iter().any(|g| g.takes_edits()),
            "{}",
            method.name
        );
    }
}
