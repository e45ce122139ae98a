//! Each step of the template planner by hand.

use super::fixture::{asked, graph, index, small};
use super::plan::Op;
use super::run::Rung;
use super::*;
use crate::exchange::schema::{Field, FieldKind};
use crate::explain;
use crate::layers::Code;
use crate::layers::typed::SparkLayer;
use std::sync::Arc;

fn ops(question: &str) -> Vec<String> {
    let small = small();
    let run = small.search(question);
    plan::check(small.layer.schema(), &run.planned.ops, 25).unwrap();
    let own = run
        .planned
        .ops
        .iter()
        .filter(|op| !matches!(op, Op::Rank { .. } | Op::Limit { .. }));
    own.map(ToString::to_string).collect()
}

#[test]
fn planner_step_4_paths() {
    assert_eq!(
        ops("Who wrote Notes?"),
        [
            "MATCH(Work, name = \"Notes\")",
            "EXPAND(#0, WROTE, in, Person)"
        ]
    );
    assert_eq!(
        ops("Who taught Grace Hopper?")[1],
        "EXPAND(#0, TAUGHT, in, Person)"
    );
    assert_eq!(
        ops("Who was taught by Ada Lovelace?")[1],
        "EXPAND(#0, TAUGHT, out, Person)"
    );
    assert_eq!(
        ops("Which books cite Notes?")[1],
        "EXPAND(#0, CITES, in, Work)"
    );
    assert_eq!(
        ops("Which books are cited by Machine?")[1],
        "EXPAND(#0, CITES, out, Work)"
    );
    // Two edges where their words are there; the nearest word decides among paths.
    assert_eq!(
        ops("Which books were written by authors who lived in London?"),
        [
            "MATCH(City, name = \"London\")",
            "EXPAND(#0, LIVED_IN, in, Person)",
            "EXPAND(#1, WROTE, out, Work)"
        ]
    );
    // An object of the type asked for that no word leads away from is the answer itself.
    assert_eq!(
        ops("Which book is Notes?"),
        ["MATCH(Work, name = \"Notes\")"]
    );
    // No cue at all: the shorter path, then the rarer edge.
    assert_eq!(
        ops("Which town of Ada Lovelace?")[1],
        "EXPAND(#0, LIVED_IN, out, City)"
    );
    // No type: the one that a word leads to; the name is the subject of what follows it.
    for (question, edge, direction) in [
        ("Notes cited by?", "CITES", "in"),
        ("Whom did Alan Turing teach?", "TAUGHT", "out"),
        ("By whom was Grace Hopper taught?", "TAUGHT", "in"),
        ("Grace Hopper was trained by whom?", "TAUGHT", "in"),
    ] {
        let found = &ops(question)[1];
        let expand = format!("EXPAND(#0, {edge}, {direction}, ");
        assert!(found.starts_with(&expand), "{question}: {found}");
    }
}

#[test]
fn planner_step_4_in_other_words_than_the_schemas() {
    // A noun behind a name, somebody without one, what "where" and "what" can ask for.
    for (question, ways) in [
        ("alan turing books", vec!["WROTE, out"]),
        ("Which books did Alan Turing pen?", vec!["WROTE, out"]),
        (
            "Who was trained by someone who lived in New York?",
            vec!["LIVED_IN, in", "TAUGHT, out"],
        ),
        (
            "Who taught an author who lived in New York?",
            vec!["LIVED_IN, in", "TAUGHT, in"],
        ),
        (
            "What did the authors who lived in New York write?",
            vec!["LIVED_IN, in", "WROTE, out"],
        ),
        (
            "Where did the author of Notes live?",
            vec!["WROTE, in", "LIVED_IN, out"],
        ),
        ("Lovelace's town", vec!["LIVED_IN, out"]),
    ] {
        let found = ops(question);
        let expands: Vec<&str> = found
            .iter()
            .filter_map(|op| op.strip_prefix("EXPAND(#"))
            .filter_map(|op| Some(op.split_once(", ")?.1.rsplit_once(", ")?.0))
            .collect();
        assert_eq!(expands, ways, "{question}: {found:?}");
    }
}

#[test]
fn a_value_of_a_text_field_is_a_condition() {
    let mut graph = graph();
    let city = graph.objects.iter_mut().find(|o| o.id == "york").unwrap();
    city.fields.push(("country".into(), "United States".into()));
    graph.schema.types[2].fields.push(Field {
        name: "country".into(),
        kind: FieldKind::Text,
        synonyms: Vec::new(),
    });
    let index = index(&graph);
    let layer = SparkLayer::from_graph(&index, graph, &|_, _, _| true).unwrap();
    index.add_layer(layer);
    let index = Arc::new(index);
    let answers = |question: &str| -> Vec<String> {
        let run = asked(&index, question, &[]);
        let answers = run.answers.iter();
        answers.map(|a| index.id(a.0).to_owned()).collect()
    };
    assert_eq!(answers("Who lived in the united states?"), ["grace"]);
    assert_eq!(answers("Which town in the United States?"), ["york"]);
}

#[test]
fn planner_step_4_no_path_drops_the_anchor() {
    let mut graph = graph();
    graph
        .edges
        .retain(|(_, _, e)| graph.schema.edges[*e as usize].name == "WROTE");
    graph.schema.edges.truncate(1);
    let index = index(&graph);
    let layer = SparkLayer::from_graph(&index, graph, &|_, _, _| true).unwrap();
    index.add_layer(layer);
    let index = Arc::new(index);
    let run = asked(&index, "Which books by Alan Turing are from London?", &[]);
    let dropped: Vec<(&str, bool)> = run
        .planned
        .notes
        .iter()
        .map(|n| (n.surface.as_str(), n.path.is_some()))
        .collect();
    assert_eq!(dropped, [("Alan Turing", true), ("London", false)]);
    let story = explain::story(&index, &run.retrieval, &[]);
    assert!(
        story.stages[0]
            .cut
            .iter()
            .any(|c| c.code == Code::PlanNoPath && story.items[c.item].label.starts_with("London"))
    );
    let notes = index.passage_by_id("notes").unwrap();
    let reasons = explain::why_not(&index, &run.retrieval, notes);
    assert_eq!(reasons[0].code, Code::PlanNoPath);
    assert!(reasons[0].text.contains("London"), "{reasons:?}");
}

#[test]
fn planner_steps_3_5_and_6() {
    // On the answer type: a filter behind the chain; on a type in between: on the way; on another: a chain of its own.
    assert_eq!(
        ops("Which books were written by Alan Turing between 1940 and 1960?")[2..],
        [
            "FILTER(#1, year >= \"1940\")",
            "FILTER(#2, year <= \"1960\")"
        ]
    );
    assert_eq!(
        ops("Who wrote something written before 1900?"),
        [
            "MATCH(Work, year < \"1900\")",
            "EXPAND(#0, WROTE, in, Person)"
        ]
    );
    assert_eq!(
        ops("Which town is home to the author of the Machine written in 1936?"),
        [
            "MATCH(Work, name = \"Machine\")",
            "FILTER(#0, year = \"1936\")",
            "EXPAND(#1, WROTE, in, Person)",
            "EXPAND(#2, LIVED_IN, out, City)"
        ],
        "two objects have the name, and one the year"
    );
    // Without a name: all that meet it.
    assert_eq!(
        ops("Which books were written before 1900?"),
        ["MATCH(Work, year < \"1900\")"]
    );
    // Two content words: candidates, intersected where that leaves something.
    assert_eq!(
        ops("Which books by Alan Turing are blue blue?"),
        [
            "MATCH(Person, name = \"Alan Turing\")",
            "EXPAND(#0, WROTE, out, Work)",
            "CAND(Work, note, \"blue blue\", 25)",
            "INTERSECT(#1, #2)"
        ]
    );
    // They leave nothing: the set by itself, ranked by the rest.
    let small = small();
    let run = small.search("Which books by Alan Turing are green green?");
    assert!(
        run.ops
            .iter()
            .any(|op| matches!(op, Op::Rank { set: 1, text } if text == "green green")),
        "{:?}",
        run.ops
    );
    assert_eq!((run.rung, run.answers.len()), (Rung::Plan, 2));
    // The smaller chain first: one book cites Notes, two are Turing's.
    assert_eq!(
        ops("Which books by Alan Turing cite Notes?"),
        [
            "MATCH(Work, name = \"Notes\")",
            "EXPAND(#0, CITES, in, Work)",
            "MATCH(Person, name = \"Alan Turing\")",
            "EXPAND(#2, WROTE, out, Work)",
            "INTERSECT(#1, #3)"
        ]
    );
}
