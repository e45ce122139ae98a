//! Scores, stories and reasons by hand.

use super::fixture::{Run, Small, small};
use crate::explain;
use crate::layers::{Class, Code};
use crate::retrieve::explanation::{Reason, Stage, Story};
use crate::retrieve::operators::spark::ANSWER;

fn story(small: &Small, run: &Run) -> Story {
    explain::story(&small.index, &run.retrieval, &[])
}

#[test]
fn scores_fall_and_parts_add_up() {
    let mut small = small();
    small.set.push("edge_policy=+edge");
    for question in [
        "Which books were written by Alan Turing?",
        "Which book is red red?",
        "red",
        "Who taught Alan Turing?",
    ] {
        let run = small.search(question);
        let scores: Vec<f32> = run.passages.iter().map(|h| h.score).collect();
        assert!(
            scores.windows(2).all(|w| w[0] >= w[1]),
            "{question}: {scores:?}"
        );
        let mut seen: Vec<u32> = run.passages.iter().map(|h| h.passage).collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), scores.len());
        for hit in &run.passages {
            let opened = run.retrieval.explain(&small.index, hit.passage);
            let sum: f64 = opened.parts.iter().map(|part| part.value).sum();
            assert!((sum - f64::from(hit.score)).abs() < 1e-5, "{question}");
            assert!(!opened.sentence.is_empty());
        }
        assert!(f64::from(scores[0]) >= ANSWER - 1.0);
        serde_json::to_string(&story(&small, &run)).unwrap();
    }
}

#[test]
fn a_name_is_muted_and_another_added() {
    let mut small = small();
    let question = "Which books were written by Alan Turing?";
    small.set = vec!["seed Alan Turing (Person)=mute", "seed +#ada"];
    let run = small.search(question);
    assert_eq!(small.answers(&run), ["notes"]);
    assert!(run.retrieval.edits().iter().all(|edited| edited.applied));
    // There is nothing to weigh.
    small.set = vec!["seed #alan=3"];
    let run = small.search(question);
    assert_eq!(small.answers(&run), ["machine", "brain"]);
    assert!(!run.retrieval.edits()[0].applied);
}

#[test]
fn the_story_has_every_set_edge_and_cut() {
    let small = small();
    let run = small.search("Which books were written by Alan Turing before 1940?");
    let story = story(&small, &run);
    let stages: Vec<&str> = story.stages.iter().map(|s| s.name).collect();
    let expected = [
        "plan",
        "MATCH",
        "EXPAND",
        "FILTER",
        "RANK",
        "LIMIT",
        "operators",
        "expansion",
        "answers",
    ];
    assert_eq!(stages, expected);
    assert_eq!(story.timeline, [0, 1, 2, 3, 4, 5, 6, 7, 8]);
    let sizes = story.stages[1..6].iter().map(|s| s.counters[0].1.as_u64());
    let sizes: Vec<u64> = sizes.map(Option::unwrap).collect();
    assert_eq!(sizes, [1, 2, 1, 1, 1]);
    assert_eq!(story.seeds.len(), 1);
    assert_eq!(
        story.items[story.seeds[0].item].label,
        "Alan Turing (Person)"
    );
    let label = |item: usize| story.items[item].label.as_str();
    let edges = story.stages[2].edges.iter();
    let edges: Vec<_> = edges
        .map(|e| (label(e.from), label(e.to), &*e.kind))
        .collect();
    assert_eq!(
        edges,
        [("Alan Turing (Person)", "Machine (Work)", "WROTE"); 2]
    );
    let cut = &story.stages[3].cut;
    let first = (cut.len(), cut[0].code, cut[0].margin);
    assert_eq!(
        first,
        (1, Code::PlanFiltered, 10.0),
        "1950 is ten years off"
    );
    let query = "operators: MATCH (a:Person {name = \"Alan Turing\"})-[:WROTE]->(x:Work) WHERE x.year < 1940";
    assert!(story.headline.contains(query), "{}", story.headline);
}

#[test]
fn candidates_are_told_by_how_near_they_are_and_how_far_beyond_the_last() {
    let small = small();
    let run = small.search("Which book is green green?");
    let story = story(&small, &run);
    let near = |why: &str| why.strip_prefix("distance ")?.parse::<f64>().ok();
    let told = |stage: &&Stage| stage.nodes.iter().any(|node| near(&node.why).is_some());
    let stage = story.stages.iter().find(told).unwrap();
    let mut last = 0.0_f64;
    for node in &stage.nodes {
        let distance = near(&node.why).unwrap();
        assert!((node.value - (1.0 - distance)).abs() < 1e-3, "{node:?}");
        last = last.max(distance);
    }
    // All are between the last one that was taken and the farthest that there is.
    assert!(!stage.cut.is_empty());
    for cut in &stage.cut {
        assert!(
            cut.margin > 0.0 && cut.margin <= 2.0 - last,
            "{cut:?} {last}"
        );
    }
}

#[test]
fn reasons_with_evidence_and_a_fix_that_was_tried() {
    let mut small = small();
    let why = |small: &Small, question: &str, id: &str| -> Vec<Reason> {
        let run = small.search(question);
        let passage = small.index.passage_by_id(id).unwrap();
        explain::why_not(&small.index, &run.retrieval, passage)
    };
    let before = "Which books were written by Alan Turing before 1940?";
    assert_eq!(why(&small, before, "machine"), []);
    let reasons = why(&small, before, "brain");
    assert_eq!(
        (reasons[0].code, reasons[0].class),
        (Code::PlanFiltered, Class::F3)
    );
    let gone =
        "gone after #2 FILTER(#1, year < \"1940\"), sizes 2 > 1: its year is 1950, off by 10";
    assert!(reasons[0].text.contains(gone), "{reasons:?}");
    // Machine is cited by it.
    let fix = reasons[0].fix.as_ref().unwrap().to_string();
    assert!(fix.starts_with("edge_policy=+edge brings it"), "{fix}");
    let reasons = why(&small, before, "notes");
    let none = "no operator reached it; sets: MATCH 1, EXPAND 2";
    assert!(reasons[0].text.contains(none), "{reasons:?}");
    let reasons = why(&small, before, "york");
    let other = "the plan asks for Work, and this is City";
    assert!(reasons[0].text.contains(other), "{reasons:?}");
    assert_eq!(reasons[0].fix, None);
    assert_eq!(why(&small, before, "stray")[0].code, Code::Isolated);
    let reasons = why(&small, "Which books by Alan Turing cite Notes?", "brain");
    let lacks = "INTERSECT(#1, #3), sizes 1+2 > 1: it is not in #1";
    assert!(reasons[0].text.contains(lacks), "{reasons:?}");
    let reasons = why(&small, "Which book is green green?", "brain");
    let gap = "candidate 4 of 4 by #0, cut at the gap after 1";
    assert!(reasons[0].text.contains(gap), "{reasons:?}");
    assert_eq!(reasons[1].code, Code::NotNeighbour);
    small.set = vec!["result_k=1"];
    let reasons = why(&small, "Which books were written by Alan Turing?", "brain");
    let cut = reasons
        .iter()
        .find(|reason| reason.code == Code::CutByK)
        .unwrap();
    assert_eq!((cut.class, cut.fix.as_ref()), (Class::F6, None));
    let reasons = why(&small, "Which book cites the Compiler?", "london");
    assert_eq!(reasons[0].code, Code::Fallback);
    small.set = vec!["edge_policy=+edge", "sage_neighbours=1"];
    let reasons = why(
        &small,
        "Which books were written by Ada Lovelace?",
        "machine",
    );
    let codes: Vec<Code> = reasons.iter().map(|r| r.code).collect();
    assert_eq!(codes, [Code::PlanFiltered, Code::PrunedByFusion]);
    let fix = reasons[0].fix.as_ref().unwrap().to_string();
    assert!(fix.starts_with("sage_neighbours=100 brings it"), "{fix}");
}
