//! SAGE over a small corpus of texts and tables, as a person runs it.

use crate::explain::{self, why_not};
use crate::index::Index;
use crate::layers::Code;
use crate::layers::chunks::SageBuild;
use crate::layers::chunks::build::tests::{build, index};
use crate::retrieve::{Keep, Method, Retrieval, Retriever, Settings};
use std::collections::BTreeSet;
use std::sync::Arc;

const QUESTION: &str = "Who sailed the Gull and left the harbour in May before a storm came?";
/// No pair of chunks is an edge by its metrics, nor by anything else.
const NOTHING: [&str; 4] = [
    "edge_percentile=99.9",
    "edge_logic=and",
    "entity_edges=off",
    "structural_edges=off",
];
const NAMES: [&str; 4] = [
    "edge_percentile=99.9",
    "edge_logic=and",
    "entity_edges=shared",
    "structural_edges=off",
];

fn run(index: &Arc<Index>, method: &str, changes: &[&str]) -> Retrieval {
    let mut settings = Settings::of(index, Method::by_name(method).unwrap());
    for change in changes {
        settings.set_text(change).unwrap();
    }
    let mut retriever = Retriever::new(index.clone());
    let run = retriever.retrieve(QUESTION, &settings, Keep::Scores);
    run.unwrap()
}

fn with<'a>(rule: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [rule, more].concat()
}

fn nodes(run: &Retrieval, step: usize) -> Vec<u32> {
    let members = run.records[step].output.members.iter();
    let mut nodes: Vec<u32> = members.map(|member| member.node).collect();
    nodes.sort_unstable();
    nodes
}

fn codes(index: &Arc<Index>, run: &Retrieval, id: &str) -> Vec<(Code, Option<String>)> {
    let passage = index.passage_by_id(id).unwrap();
    let reasons = why_not(index, run, passage).into_iter();
    let fixed = |reason: crate::retrieve::explanation::Reason| {
        (reason.code, reason.fix.map(|fix| fix.to_string()))
    };
    reasons.map(fixed).collect()
}

#[test]
fn seeds_come_first_then_their_neighbours_by_name() {
    let index = Arc::new(index());
    let one = ["sage_seeds=1", "sage_neighbours=5"];
    let run = run(&index, "sage", &with(&NAMES, &one));
    // The seed says Mara Voss; so do both tables, the page of that title, and no text on kelp.
    assert_eq!(index.id(run.passages[0].passage), "book.txt#1");
    assert_eq!(nodes(&run, 2), [1, 3, 6]);
    assert_eq!(run.passages.len(), 4);
    assert!(run.passages.windows(2).all(|w| w[0].score >= w[1].score));
    for hit in &run.passages {
        let opened = run.explain(&index, hit.passage);
        let sum: f64 = opened.parts.iter().map(|part| part.value).sum();
        assert!((sum - f64::from(hit.score)).abs() < 1e-6);
        assert!(!opened.sentence.is_empty() && opened.sentence.chars().count() <= 160);
    }
    let named = run.explain(&index, 4).sentence;
    assert!(named.contains("names"), "{named}");
    let first = run.explain(&index, run.passages[0].passage).sentence;
    assert!(first.starts_with("seed 1: fused"), "{first}");
}

#[test]
fn chunks_of_a_source_are_neighbours_where_asked() {
    let index = Arc::new(index());
    let one = ["sage_seeds=1", "structural_edges=on"];
    let with_sources = run(&index, "sage", &with(&NOTHING, &one));
    assert_eq!(nodes(&with_sources, 2), [5]);
    let without = run(&index, "sage", &with(&NOTHING, &["sage_seeds=1"]));
    assert!(nodes(&without, 2).is_empty() && without.passages.len() == 1);
}

#[test]
fn the_extended_baseline_is_the_flat_list_of_both_budgets() {
    let index = Arc::new(index());
    let flat = run(&index, "sage-flat", &["sage_seeds=2", "sage_neighbours=3"]);
    let seeds = run(&index, "sage", &["sage_seeds=5"]);
    assert_eq!(
        flat.records[1].output.members,
        seeds.records[1].output.members
    );
    assert_eq!(flat.records[1].output.members.len(), 5);
    let found = codes(&index, &flat, "d4");
    // One half of the order holds it out, and the cut comes last.
    let found: Vec<Code> = found.into_iter().map(|reason| reason.0).collect();
    assert_eq!(found, [Code::OneSignal, Code::CutByK]);
    // What is cut off the list is told so; there it is no list of seeds.
    let few = ["sage_seeds=1", "sage_neighbours=1"];
    let few = run(&index, "sage-flat", &few);
    let reasons = (0..index.len() as u32).flat_map(|passage| why_not(&index, &few, passage));
    let told: Vec<String> = reasons.map(|reason| reason.text).collect();
    let cut = |text: &String| text.contains("below the last of 2 returned (similarity pruning)");
    assert!(told.iter().any(cut), "{told:?}");
}

#[test]
fn every_stage_is_told_with_its_cuts() {
    let index = Arc::new(index());
    let one = ["sage_seeds=1", "sage_neighbours=1"];
    let run = run(&index, "sage", &with(&NAMES, &one));
    let story = explain::story(&index, &run, &[]);
    let names: Vec<&str> = story.stages.iter().map(|stage| stage.name).collect();
    assert_eq!(names, ["score", "seeds", "expand", "prune", "seeds first"]);
    assert_eq!(story.timeline, [1, 2, 3, 4]);
    let counts = [1, 2, 3].map(|stage: usize| story.stages[stage].nodes.len());
    assert_eq!((story.seeds.len(), counts), (1, [1, 3, 1]));
    let edges = &story.stages[2].edges;
    assert_eq!(edges.len(), 3);
    assert!(
        edges.iter().all(|edge| edge.why.contains("names")),
        "{edges:?}"
    );
    let cut = &story.stages[3].cut;
    assert_eq!(cut.len(), 2);
    let pruned = |code: Code, margin| code == Code::PrunedByFusion && margin >= 0.0;
    assert!(cut.iter().all(|cut| pruned(cut.code, cut.margin)));
}

#[test]
fn every_reason_has_its_case_and_every_fix_admits() {
    let index = Arc::new(index());
    // Only names: kelp has no neighbour at all.
    let few = ["sage_seeds=1", "sage_neighbours=1", "result_k=2"];
    let one = run(&index, "sage", &with(&NAMES, &few));
    let found = codes(&index, &one, "d4");
    assert_eq!(found[0].0, Code::Isolated);
    assert_eq!(found[1].0, Code::PercentilePruned);
    assert_eq!(found.last().unwrap().0, Code::CutByK);
    assert!(codes(&index, &one, "book.txt#1").is_empty());
    assert_eq!(codes(&index, &one, "d5"), [(Code::NotInIndex, None)]);
    // A half of the order that holds it out may come before.
    let verdict = |run: &Retrieval, id: &str| {
        let mut all = codes(&index, run, id).into_iter();
        all.find(|reason| reason.0 == Code::PrunedByFusion)
    };
    let is_pruned = |id: &&str| verdict(&one, id).is_some();
    let pruned: Vec<&str> = ["d1", "d2", "d3"].into_iter().filter(is_pruned).collect();
    assert_eq!(pruned.len(), 2);
    // With K = 10 the fix holds: it was tried.
    let ten = run(&index, "sage", &with(&NAMES, &few[..2]));
    let fixes: Vec<String> = pruned
        .iter()
        .map(|id| verdict(&ten, id).unwrap().1.unwrap())
        .collect();
    for wanted in ["sage_neighbours=2 ", "sage_neighbours=3 "] {
        assert!(fixes.iter().any(|fix| fix.starts_with(wanted)), "{fixes:?}");
    }
    // Similarity alone, no pair above: the percentile that admits is named.
    let strict = [
        "edge_percentile=99.9",
        "entity_edges=off",
        "structural_edges=off",
        "sage_seeds=1",
    ];
    let strict = run(&index, "sage", &strict);
    let outside = ["d1", "d2", "d3", "d4"].map(|id| codes(&index, &strict, id));
    let mut tried = 0;
    for found in outside.into_iter().filter(|found| !found.is_empty()) {
        assert!(
            [Code::Isolated, Code::NoPath, Code::PercentilePruned].contains(&found[0].0),
            "{found:?}"
        );
        let fix = found.iter().find(|r| r.0 == Code::PercentilePruned);
        let fix = fix.and_then(|r| r.1.clone());
        tried += usize::from(fix.is_some_and(|fix| fix.starts_with("edge_percentile=")));
    }
    assert!(tried > 0);
}

#[test]
fn pairs_outside_the_pool_are_told_from_refused_ones() {
    let index = index();
    let small = SageBuild {
        pair_pool: 1,
        ..SageBuild::default()
    };
    index.add_layer(build(&index, &small));
    let index = Arc::new(index);
    let one = [
        "edge_percentile=50",
        "sage_seeds=1",
        "sage_neighbours=1",
        "result_k=1",
    ];
    let mut seen = BTreeSet::new();
    for names in ["entity_edges=off", "entity_edges=shared"] {
        let run = run(&index, "sage", &with(&one, &[names]));
        let reasons = (0..6).flat_map(|passage| why_not(&index, &run, passage));
        seen.extend(reasons.map(|reason| reason.code));
    }
    assert!(seen.contains(&Code::NotCandidatePair), "{seen:?}");
}
