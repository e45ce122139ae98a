//! Operators, rungs and expansion by hand.

use super::fixture::{cand, expand, matches, named, small};
use super::plan::{Direction, Op, Test};
use super::run::Rung;
use super::*;

/// Runs operators and gives the identifiers of the last set.
fn last(ops: Vec<Op>) -> Vec<String> {
    let small = small();
    let mut runner = small.runner();
    plan::check(small.layer.schema(), &ops, 25).unwrap();
    let at = ops
        .into_iter()
        .map(|op| runner.push(op).unwrap())
        .last()
        .unwrap();
    small
        .ids(&runner.sets[at].members)
        .into_iter()
        .map(str::to_owned)
        .collect()
}

#[test]
fn match_finds_names_words_and_numbers() {
    assert_eq!(last(vec![named("Person", "ada  LOVELACE")]), ["ada"]);
    assert_eq!(last(vec![named("Person", "Countess of Lovelace")]), ["ada"]);
    assert_eq!(
        last(vec![named("Work", "Machine")]),
        ["machine", "brain"],
        "both of the name"
    );
    assert_eq!(
        last(vec![named("City", "Machine")]),
        Vec::<String>::new(),
        "of the type only"
    );
    assert_eq!(
        last(vec![matches("Work", "name", Test::Words, "machines")]),
        ["machine", "brain"]
    );
    assert_eq!(
        last(vec![matches("Work", "note", Test::Words, "blue red")]),
        ["notes"]
    );
    assert_eq!(
        last(vec![matches("Work", "note", Test::Equal, "Blue")]),
        ["brain"]
    );
    for (test, found) in [
        (Test::Less, vec!["notes"]),
        (Test::AtMost, vec!["notes", "machine"]),
        (Test::Equal, vec!["machine"]),
        (Test::AtLeast, vec!["machine", "compiler", "brain"]),
        (Test::More, vec!["compiler", "brain"]),
    ] {
        assert_eq!(last(vec![matches("Work", "year", test, "1936")]), found);
    }
}

#[test]
fn expand_follows_an_edge_one_way_to_one_type() {
    let ada = || named("Person", "Ada Lovelace");
    assert_eq!(
        last(vec![ada(), expand(0, "WROTE", Direction::Out, "Work")]),
        ["notes"]
    );
    assert_eq!(
        last(vec![ada(), expand(0, "TAUGHT", Direction::Out, "Person")]),
        ["alan"]
    );
    assert_eq!(
        last(vec![ada(), expand(0, "TAUGHT", Direction::In, "Person")]),
        Vec::<String>::new()
    );
    let machines = || named("Work", "Machine");
    assert_eq!(
        last(vec![
            machines(),
            expand(0, "WROTE", Direction::In, "Person")
        ]),
        ["alan"],
        "once"
    );
    assert_eq!(
        last(vec![machines(), expand(0, "CITES", Direction::Out, "Work")]),
        ["notes", "machine"]
    );
}

#[test]
fn filter_intersect_union() {
    let works = || matches("Work", "year", Test::AtLeast, "1936");
    let early = Op::Filter {
        set: 0,
        field: "year".into(),
        test: Test::Less,
        value: "1950".into(),
    };
    assert_eq!(last(vec![works(), early]), ["machine"]);
    let by_note = Op::Filter {
        set: 0,
        field: "note".into(),
        test: Test::Words,
        value: "green".into(),
    };
    assert_eq!(last(vec![works(), by_note]), ["compiler"]);
    let cited = || {
        vec![
            named("Work", "Machine"),
            expand(0, "CITES", Direction::Out, "Work"),
            works(),
        ]
    };
    let with = |op| cited().into_iter().chain([op]).collect::<Vec<_>>();
    assert_eq!(last(with(Op::Intersect { sets: vec![1, 2] })), ["machine"]);
    assert_eq!(
        last(with(Op::Union { sets: vec![1, 2] })),
        ["notes", "machine", "compiler", "brain"]
    );
    assert_eq!(
        last(with(Op::Intersect { sets: vec![2] })),
        ["machine", "compiler", "brain"]
    );
}

#[test]
fn cand_takes_the_nearest_up_to_the_gap() {
    // Against "red": machine has cosine 1, notes (3 red, 4 blue) 3/5, compiler and brain 0. Distances 0, .4, 1, 1: gaps .4,
    // .6, 0. The relative gap at the zero distance is the largest by far; its absolute gap .4 is less than the 95th
    // percentile .58, so nothing stands out.
    let small = small();
    let mut runner = small.runner();
    let at = runner.push(cand("red", 25)).unwrap();
    let near: Vec<(&str, f64)> = runner.sets[at]
        .near
        .iter()
        .map(|(o, d)| (small.ids(&[*o])[0], (d * 1e6).round() / 1e6))
        .collect();
    assert_eq!(
        near,
        [
            ("machine", 0.0),
            ("notes", 0.4),
            ("compiler", 1.0),
            ("brain", 1.0)
        ]
    );
    assert_eq!(runner.sets[at].members.len(), 4);
    // "red blue": notes 7/(5 sqrt 2) = .99, machine and brain .707, compiler 0: distances .010, .293, .293, 1; gaps .283, 0,
    // .707, 95th percentile .665; relative 28, 0, 2.4, 95th percentile 25.6: the first is no wide one, the last no far one.
    let at = runner.push(cand("red blue", 25)).unwrap();
    assert_eq!(runner.sets[at].members.len(), 4);
    // Two: distances .010, .293; one gap, more than .01.
    let at = runner.push(cand("red blue", 2)).unwrap();
    assert_eq!(
        (
            runner.sets[at].near.len(),
            small.ids(&runner.sets[at].members)
        ),
        (2, vec!["notes"])
    );
    // Green: compiler 0, all others 1. Gaps 1, 0, 0: the first stands out both ways.
    let at = runner.push(cand("green", 25)).unwrap();
    assert_eq!(small.ids(&runner.sets[at].members), ["compiler"]);
}

#[test]
fn rank_fuses_words_and_vectors_and_limit_cuts() {
    let small = small();
    let mut runner = small.runner();
    let all = runner
        .push(matches("Work", "year", Test::More, "0"))
        .unwrap();
    let ranked = runner
        .push(Op::Rank {
            set: all,
            text: "green".into(),
        })
        .unwrap();
    // Only the compiler has the word, so its BM25 is the best: .5 * 1 + .5 * cosine 1.
    assert_eq!(
        small.ids(&runner.sets[ranked].members),
        ["compiler", "notes", "machine", "brain"],
        "ties to the lower number"
    );
    let scores: Vec<f64> = runner.sets[ranked].scores.iter().map(|f| f.sum()).collect();
    assert!(
        (scores[0] - 1.0).abs() < 1e-6 && scores[1..] == [0.0; 3],
        "{scores:?}"
    );
    let limited = runner.push(Op::Limit { set: ranked, k: 2 }).unwrap();
    assert_eq!(
        small.ids(&runner.sets[limited].members),
        ["compiler", "notes"]
    );
    // Words are scaled by the best of the set alone: without the compiler no one has one.
    let one = runner.push(named("Work", "Notes")).unwrap();
    let ranked = runner
        .push(Op::Rank {
            set: one,
            text: "red".into(),
        })
        .unwrap();
    let fused = runner.sets[ranked].scores[0];
    assert!(
        (fused.lexical - 0.5).abs() < 1e-9 && (fused.dense - 0.3).abs() < 1e-6,
        "{fused:?}"
    );
}

#[test]
fn rung_plan() {
    let small = small();
    let run = small.search("Which books were written by Alan Turing?");
    assert_eq!(
        (run.rung, small.answers(&run)),
        (Rung::Plan, vec!["machine", "brain"])
    );
    assert_eq!(run.neighbours, None, "the plan follows an edge");
    assert_eq!(run.origin.to_string(), "rule(plan, 1)");
}

#[test]
fn rung_union_several_persons_without_a_common_object() {
    let small = small();
    let run = small.search("Which books were written by Ada Lovelace and Grace Hopper?");
    assert_eq!(run.rung, Rung::Union);
    let mut found = small.answers(&run);
    found.sort_unstable();
    assert_eq!(found, ["compiler", "notes"]);
}

#[test]
fn rung_last_non_empty_of_an_intersection_and_of_the_plan() {
    let small = small();
    // A person and a city are not several persons: the last input that is not empty.
    let ops = vec![
        named("Person", "Ada Lovelace"),
        expand(0, "TAUGHT", Direction::Out, "Person"),
        named("City", "New York"),
        expand(2, "LIVED_IN", Direction::In, "Person"),
        Op::Intersect { sets: vec![1, 3] },
        named("City", "Paris"),
        expand(5, "LIVED_IN", Direction::In, "Person"),
        Op::Intersect {
            sets: vec![1, 3, 6],
        },
    ];
    let mut runner = small.runner();
    for op in ops {
        runner.push(op).unwrap();
    }
    for at in [4, 7] {
        assert_eq!(
            (runner.sets[at].rung, small.ids(&runner.sets[at].members)),
            (Rung::LastNonEmpty, vec!["grace"])
        );
    }
    // The filter empties the plan: the set before it.
    let run = small.search("Which books were written by Alan Turing before 1900?");
    assert_eq!(
        (run.rung, small.answers(&run)),
        (Rung::LastNonEmpty, vec!["machine", "brain"])
    );
    assert!(
        matches!(&run.ops[2], Op::Filter { test: Test::Less, value, .. } if value == "1900"),
        "{:?}",
        run.ops
    );
    assert!(run.sets[2].members.is_empty());
}

#[test]
fn rung_hybrid_restricted_to_the_type() {
    let small = small();
    // "green?" is no colour, so words alone lead.
    let run = small.search("Which book is green?");
    assert_eq!(
        run.rung,
        Rung::Hybrid,
        "one word is no candidate search: {:?}",
        run.ops
    );
    assert_eq!(small.answers(&run), ["compiler"]);
    let run = small.search("red");
    assert_eq!((run.rung, run.planned.answer), (Rung::Hybrid, None));
    assert_eq!(run.answers.len(), small.index.len(), "no type is known");
    // Every set of the plan is empty, and none of the type before.
    let run = small.search("Which book cites the Compiler?");
    assert_eq!(run.rung, Rung::Hybrid);
    assert!(run.ops.iter().any(|op| matches!(op, Op::Expand { .. })) && run.neighbours.is_none());
}

#[test]
fn edge_policies() {
    let mut small = small();
    // Candidates alone: no edge is followed, so the answers are expanded under both policies.
    let question = "Which book is red red?";
    let run = small.search(question);
    assert!(!run.ops.iter().any(|op| matches!(op, Op::Expand { .. })));
    assert!(run.neighbours.is_some());
    let followed = "Which books were written by Ada Lovelace?";
    assert!(small.search(followed).neighbours.is_none());
    small.set.push("edge_policy=+edge");
    let run = small.search(followed);
    // Notes is written by Ada and cited by Machine.
    let neighbours = run.neighbours.as_ref().unwrap();
    let found: Vec<&str> = neighbours.iter().map(|p| small.index.id(*p)).collect();
    assert_eq!(found, ["ada", "machine"]);
    let expansion = &run.retrieval.records[2].output.members;
    let from: Vec<_> = expansion.iter().map(|near| near.from).collect();
    let notes = small.layer.object(run.answers[0].0).unwrap();
    assert_eq!(
        from,
        [crate::retrieve::set::Origin::Edge { from: notes }; 2]
    );
    let ids: Vec<&str> = run
        .passages
        .iter()
        .map(|h| small.index.id(h.passage))
        .collect();
    assert_eq!(ids, ["notes", "ada", "machine"], "answers, then neighbours");
    small.set.push("sage_neighbours=1");
    assert_eq!(small.search(followed).passages.len(), 2);
}
