//! Scores, stories and reasons by hand.

use super::fixture::small;
use super::search::ANSWER;
use super::*;
use crate::systems::Found;

#[test]
fn scores_fall_and_parts_add_up() {
    let mut small = small();
    small.params.edge_policy = EdgePolicy::Plus;
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
        let layer = Arc::new(super::fixture::small().layer);
        let answer = Answer {
            run,
            layer,
            params: small.params.clone(),
        };
        for hit in answer.passages() {
            let sum: f64 = answer
                .parts(&small.index, hit.passage)
                .iter()
                .map(|p| p.value)
                .sum();
            assert!((sum - f64::from(hit.score)).abs() < 1e-5, "{question}");
            assert!(!answer.why(&small.index, hit.passage).is_empty());
        }
        assert!(f64::from(scores[0]) >= ANSWER - 1.0);
        serde_json::to_string(&answer.story(&small.index)).unwrap();
    }
}

#[test]
fn the_story_has_every_set_edge_and_cut() {
    let small = small();
    let run = small.search("Which books were written by Alan Turing before 1940?");
    let answer = Answer {
        run,
        layer: Arc::new(super::fixture::small().layer),
        params: Params::default(),
    };
    let story = answer.story(&small.index);
    let stages: Vec<&str> = story.stages.iter().map(|s| s.name).collect();
    assert_eq!(
        stages,
        [
            "plan",
            "MATCH",
            "EXPAND",
            "FILTER",
            "RANK",
            "LIMIT",
            "expansion"
        ]
    );
    assert_eq!(story.timeline, [1, 2, 3, 4, 5, 6]);
    let sizes: Vec<u64> = story.stages[1..6]
        .iter()
        .map(|s| s.counters[0].1.as_u64().unwrap())
        .collect();
    assert_eq!(sizes, [1, 2, 1, 1, 1]);
    assert_eq!(story.seeds.len(), 1);
    assert_eq!(story.items[story.seeds[0].item].label, "Alan Turing");
    let edges: Vec<(&str, &str, &str)> = story.stages[2]
        .edges
        .iter()
        .map(|e| {
            (
                story.items[e.from].label.as_str(),
                story.items[e.to].label.as_str(),
                e.why.as_str(),
            )
        })
        .collect();
    assert_eq!(
        edges,
        [
            ("Alan Turing", "Machine", "WROTE"),
            ("Alan Turing", "Machine", "WROTE")
        ]
    );
    let cut = &story.stages[3].cut;
    assert_eq!(
        (cut.len(), cut[0].code, cut[0].margin),
        (1, "PLAN_FILTERED", 10.0),
        "1950 is ten years off"
    );
    assert!(story.headline.starts_with(
        "plan: MATCH (a:Person {name = \"Alan Turing\"})-[:WROTE]->(x:Work) WHERE x.year < 1940"
    ));
}

#[test]
fn reasons_with_evidence_and_a_fix_that_was_tried() {
    let small = small();
    let layer = Arc::new(super::fixture::small().layer);
    let asked = |question: &str, params: &Params| {
        let run = search(
            &layer,
            &small.index,
            question,
            None,
            params,
            &Llm::rules(),
            &mut |_| {},
        )
        .unwrap();
        Answer {
            run,
            layer: layer.clone(),
            params: params.clone(),
        }
    };
    let id = |id: &str| small.index.passage_by_id(id).unwrap();
    let plain = Params::default();
    let answer = asked(
        "Which books were written by Alan Turing before 1940?",
        &plain,
    );
    assert_eq!(answer.missing(&small.index, id("machine")), []);
    let reasons = answer.missing(&small.index, id("brain"));
    assert_eq!((reasons[0].code, reasons[0].class), ("PLAN_FILTERED", "F3"));
    assert!(
        reasons[0].text.contains(
            "gone after #2 FILTER(#1, year < \"1940\"), sizes 2 > 1: its year is 1950, off by 10"
        ),
        "{reasons:?}"
    );
    assert_eq!(
        reasons[0].fix.as_deref(),
        Some("edge_policy=+edge"),
        "machine is cited by it"
    );
    let reasons = answer.missing(&small.index, id("notes"));
    assert!(
        reasons[0]
            .text
            .contains("no operator reached it; sets: MATCH 1, EXPAND 2"),
        "{reasons:?}"
    );
    let reasons = answer.missing(&small.index, id("york"));
    assert!(
        reasons[0]
            .text
            .contains("the plan asks for Work, and this is City"),
        "{reasons:?}"
    );
    assert_eq!(reasons[0].fix, None);
    assert_eq!(
        answer.missing(&small.index, id("stray"))[0].code,
        "ISOLATED"
    );
    let answer = asked("Which books by Alan Turing cite Notes?", &plain);
    let reasons = answer.missing(&small.index, id("brain"));
    assert!(
        reasons[0]
            .text
            .contains("INTERSECT(#1, #3), sizes 1+2 > 1: it is not in #1"),
        "{reasons:?}"
    );
    let answer = asked("Which book is green green?", &plain);
    let reasons = answer.missing(&small.index, id("brain"));
    assert!(
        reasons[0]
            .text
            .contains("candidate 4 of 4 by #0, cut at the gap after 1"),
        "{reasons:?}"
    );
    assert_eq!(reasons[1].code, "NOT_NEIGHBOUR");
    let narrow = Params {
        result_k: 1,
        ..Params::default()
    };
    let answer = asked("Which books were written by Alan Turing?", &narrow);
    let reasons = answer.missing(&small.index, id("brain"));
    assert_eq!(
        (reasons[0].code, reasons[0].class, reasons[0].fix.as_deref()),
        ("CUT_BY_K", "F6", Some("result_k=2"))
    );
    let few = Params {
        edge_policy: EdgePolicy::Plus,
        sage_neighbours: 1,
        ..Params::default()
    };
    let answer = asked("Which books were written by Ada Lovelace?", &few);
    let reasons = answer.missing(&small.index, id("machine"));
    let codes: Vec<&str> = reasons.iter().map(|r| r.code).collect();
    assert_eq!(codes, ["PLAN_FILTERED", "PRUNED_BY_FUSION"]);
    assert_eq!(reasons[0].fix.as_deref(), Some("sage_neighbours=100"));
    let answer = asked(
        "Which book cites the Compiler?",
        &Params {
            result_k: 1,
            ..Params::default()
        },
    );
    let reasons = answer.missing(&small.index, id("london"));
    assert_eq!(reasons[0].code, "FALLBACK");
}
