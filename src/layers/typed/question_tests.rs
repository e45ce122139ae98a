use super::*;
use crate::layers::typed::numbers::numeric_field;
use crate::retrieve::planner::fixture::small;
use crate::retrieve::planner::plan::Test;

fn asked(question: &str) -> String {
    let small = small();
    let parts = Parts::read(&small.layer, question);
    parts.answer.map_or("none".into(), |(at, _)| {
        small.layer.schema().types[at].name.clone()
    })
}

#[test]
fn step_1_the_type_asked_for() {
    for (question, kind) in [
        ("Which books were written by Ada Lovelace?", "Work"),
        (
            "What is the name of the town where Alan Turing lived?",
            "City",
        ),
        ("Who wrote Notes?", "Person"),
        ("Where did Ada Lovelace live?", "City"),
        ("Whose teacher wrote the compiler?", "Person"),
        ("Authors who lived in London", "Person"),
        ("Name all works of Alan Turing", "Work"),
        ("How many books cite Notes?", "Work"),
        ("Which author book of the year?", "Work"),
        ("Tell me about red and blue", "none"),
        ("", "none"),
    ] {
        assert_eq!(asked(question), kind, "{question}");
    }
}

#[test]
fn step_1_the_only_type_that_can_be_asked_for() {
    let mut graph = crate::retrieve::planner::fixture::graph();
    let index = crate::retrieve::planner::fixture::index(&graph);
    graph.schema.types[0].answerable = false;
    graph.schema.types[2].answerable = false;
    let layer = SparkLayer::from_graph(&index, graph, &|_, _, _| true).unwrap();
    assert_eq!(Parts::read(&layer, "red and blue").answer, Some((1, 0..0)));
    assert_eq!(
        Parts::read(&layer, "who is red").answer,
        Some((1, 0..0)),
        "persons cannot be asked for"
    );
}

fn anchored(question: &str) -> Vec<(String, Vec<String>)> {
    let small = small();
    let parts = Parts::read(&small.layer, question);
    let objects = |a: &Anchor| {
        a.objects
            .iter()
            .map(|(o, _)| small.ids(&[*o])[0].to_owned())
            .collect()
    };
    parts
        .anchors
        .iter()
        .map(|a| (a.surface.clone(), objects(a)))
        .collect()
}

#[test]
fn step_2_names() {
    let one = |surface: &str, id: &str| (surface.to_owned(), vec![id.to_owned()]);
    assert_eq!(
        anchored("Who taught Alan Turing's friend?"),
        [one("Alan Turing", "alan")]
    );
    assert_eq!(
        anchored("who taught alan turing"),
        [one("alan turing", "alan")],
        "without capitals"
    );
    assert_eq!(
        anchored("What did the Countess of Lovelace write?"),
        [one("Countess of Lovelace", "ada")],
        "by alias"
    );
    assert_eq!(
        anchored("Which books cite \"Machine\"?"),
        [(
            "Machine".to_owned(),
            vec!["machine".to_owned(), "brain".to_owned()]
        )]
    );
    assert_eq!(
        anchored("Did Ada Lovelace or Grace Hopper live in New York?").len(),
        3
    );
    assert_eq!(anchored("Who was Konrad Zuse?"), []);
    // Fifteen trigrams of sixteen and fifteen are common: .9375, close enough; two letters off are not.
    let small = small();
    let close = small.layer.names.close("countess of lovelac", 5);
    assert_eq!(close.len(), 1, "{close:?}");
    assert_eq!(
        anchored("What did the Countess of Lovelac write?"),
        [one("Countess of Lovelac", "ada")]
    );
    assert_eq!(anchored("What did the Duchess of Lovelac write?"), []);
}

#[test]
fn step_3_numbers() {
    use Test::{AtLeast, AtMost, Equal, Less, More};
    let small = small();
    for (question, tests) in [
        ("written before 1900", vec![(Less, 1900.0)]),
        ("written after 1900", vec![(More, 1900.0)]),
        ("written since 1900", vec![(AtLeast, 1900.0)]),
        ("written until 1900", vec![(AtMost, 1900.0)]),
        ("at least 1900", vec![(AtLeast, 1900.0)]),
        ("at most 5", vec![(AtMost, 5.0)]),
        ("more than 5", vec![(More, 5.0)]),
        ("less than 5", vec![(Less, 5.0)]),
        ("earlier than 1900", vec![(Less, 1900.0)]),
        ("later than 1900", vec![(More, 1900.0)]),
        (
            "between 1900 and 1940",
            vec![(AtLeast, 1900.0), (AtMost, 1940.0)],
        ),
        (
            "from 1900 to 1940",
            vec![(AtLeast, 1900.0), (AtMost, 1940.0)],
        ),
        ("in 1936 or later", vec![(AtLeast, 1936.0)]),
        ("1936 or earlier", vec![(AtMost, 1936.0)]),
        ("in 1936", vec![(Equal, 1936.0)]),
        ("in the 1930s", vec![(AtLeast, 1930.0), (AtMost, 1939.0)]),
        ("from the 1930s", vec![(AtLeast, 1930.0), (AtMost, 1939.0)]),
        ("1900 to 1940", vec![(AtLeast, 1900.0), (AtMost, 1940.0)]),
        ("1900 and 1940", vec![(Equal, 1900.0), (Equal, 1940.0)]),
        ("before the 1930s", vec![(Less, 1930.0)]),
        ("after the 1930s", vec![(More, 1939.0)]),
        (
            "in the 19th century",
            vec![(AtLeast, 1801.0), (AtMost, 1900.0)],
        ),
        ("5 books", vec![]),
        ("between us and 5", vec![]),
    ] {
        let parts = Parts::read(&small.layer, question);
        let found: Vec<(Test, f64)> = parts.bounds.iter().flat_map(|b| b.tests.clone()).collect();
        assert_eq!(found, tests, "{question}");
    }
}

#[test]
fn step_3_the_field_whose_word_is_nearest() {
    let small = small();
    let field = |question: &str| {
        let parts = Parts::read(&small.layer, question);
        numeric_field(small.layer.schema(), &parts, &parts.bounds[0])
    };
    assert_eq!(
        field("Which books were written before 1900?"),
        Some((1, "year".into()))
    );
    assert_eq!(
        field("Which books are from before 1900?"),
        Some((1, "year".into())),
        "the only one of the type"
    );
    assert_eq!(
        field("Who wrote something written before 1900?"),
        Some((1, "year".into())),
        "of another type"
    );
    assert_eq!(field("Who lived before 1900?"), None);
}

#[test]
fn cues_stand_where_the_longest_of_them_stands() {
    let small = small();
    let found = |question: &str| {
        let parts = Parts::read(&small.layer, question);
        let name = |c: &Cue| {
            (
                small.layer.schema().edges[c.edge].name.clone(),
                c.words.clone(),
                c.inverse,
            )
        };
        parts.cues.iter().map(name).collect::<Vec<_>>()
    };
    assert_eq!(
        found("who was taught by Ada"),
        [("TAUGHT".to_owned(), 2..4, true)],
        "'taught' is inside"
    );
    assert_eq!(
        found("who taught Ada"),
        [("TAUGHT".to_owned(), 1..2, false)]
    );
    assert_eq!(
        found("the author of it lived in"),
        [
            ("WROTE".to_owned(), 1..3, false),
            ("LIVED_IN".to_owned(), 4..6, false)
        ]
    );
}

#[test]
fn step_5_the_rest() {
    let small = small();
    let rest = |question: &str| {
        Parts::read(&small.layer, question)
            .rest(small.layer.schema())
            .join(" ")
    };
    assert_eq!(
        rest("Which books written by Alan Turing before 1940 are about red machines?"),
        "red machines"
    );
    assert_eq!(rest("Name the works of Ada Lovelace"), "");
}
