use super::*;
use crate::retrieve::planner::fixture::{cand, expand, graph, matches, named};
use serde_json::json;

fn rank(set: usize) -> Op {
    Op::Rank {
        set,
        text: "q".into(),
    }
}

fn filter(set: usize, field: &str, test: Test, value: &str) -> Op {
    Op::Filter {
        set,
        field: field.into(),
        test,
        value: value.into(),
    }
}

#[test]
fn a_good_plan_passes_and_its_types_are_known() {
    let schema = graph().schema;
    let ops = [
        named("City", "London"),
        expand(0, "LIVED_IN", Direction::In, "Person"),
        expand(1, "WROTE", Direction::Out, "Work"),
        filter(2, "year", Test::AtLeast, "1900"),
        cand("red", 25),
        Op::Intersect { sets: vec![3, 4] },
        Op::Union { sets: vec![1, 5] },
        filter(6, "year", Test::Equal, "1936"),
        rank(7),
        Op::Limit { set: 8, k: 10 },
    ];
    let types = check(&schema, &ops, 25).unwrap();
    assert_eq!(
        types,
        [
            vec![2],
            vec![0],
            vec![1],
            vec![1],
            vec![1],
            vec![1],
            vec![0, 1],
            vec![0, 1],
            vec![0, 1],
            vec![0, 1]
        ]
    );
}

#[test]
fn whatever_does_not_fit_rejects_the_whole_plan() {
    let schema = graph().schema;
    let start = || named("Person", "Ada Lovelace");
    for (ops, says) in [
        (
            vec![named("Planet", "X")],
            "no type 'Planet'; there are Person, Work, City",
        ),
        (
            vec![named("Person", " ")],
            "operator 0, MATCH: an empty text",
        ),
        (
            vec![named("Person", &"x".repeat(1001))],
            "a text of 1001 characters",
        ),
        (
            vec![matches("Person", "year", Test::Equal, "1")],
            "no field 'year' of Person",
        ),
        (
            vec![matches("Work", "year", Test::Less, "soon")],
            "which is not a number",
        ),
        (
            vec![matches("Work", "year", Test::Words, "1900")],
            "'year' is a number",
        ),
        (
            vec![matches("Work", "note", Test::Less, "3")],
            "'note' is not a number",
        ),
        (
            vec![matches("Work", "name", Test::More, "3")],
            "'name' is not a number",
        ),
        (vec![cand("x", 0)], "n is 0; expected 1 to 25"),
        (vec![cand("x", 26)], "n is 26"),
        (
            vec![Op::Cand {
                kind: "Work".into(),
                field: "year".into(),
                text: "x".into(),
                n: 1,
            }],
            "'year' is not a long field of Work",
        ),
        (
            vec![expand(0, "WROTE", Direction::Out, "Work")],
            "set 0 is not made before it",
        ),
        (
            vec![start(), expand(1, "WROTE", Direction::Out, "Work")],
            "set 1 is not made before it",
        ),
        (
            vec![start(), expand(0, "OWNS", Direction::Out, "Work")],
            "no edge 'OWNS'",
        ),
        (
            vec![start(), expand(0, "WROTE", Direction::In, "Work")],
            "WROTE does not lead in from set 0 to Work",
        ),
        (
            vec![start(), expand(0, "WROTE", Direction::Out, "City")],
            "does not lead out",
        ),
        (
            vec![start(), filter(0, "year", Test::Less, "3")],
            "no field 'year' of Person",
        ),
        (
            vec![start(), cand("x", 1), Op::Intersect { sets: vec![0, 1] }],
            "no type in common",
        ),
        (vec![Op::Union { sets: vec![] }], "no sets"),
        (
            vec![start(), Op::Limit { set: 0, k: 1 }],
            "set 0 is not a ranking",
        ),
        (vec![start(), rank(0), Op::Limit { set: 1, k: 0 }], "k is 0"),
        (
            vec![start(), rank(0), filter(1, "name", Test::Words, "x")],
            "set 1 is a ranking",
        ),
        (
            vec![start(), rank(0), Op::Limit { set: 1, k: 2 }, rank(2)],
            "nothing follows LIMIT",
        ),
        (vec![start(); 41], "41 operators; at most 40"),
    ] {
        let said = check(&schema, &ops, 25).unwrap_err();
        assert!(said.contains(says), "{said}");
    }
}

#[test]
fn a_planner_sees_no_object() {
    let graph = graph();
    let told = graph.schema.told().to_string();
    for object in &graph.objects {
        assert!(!told.contains(&object.name), "{}", object.name);
    }
    assert!(
        told.contains(r#""edge":"WROTE","from":"Person","to":"Work","count":4"#),
        "{told}"
    );
}

#[test]
fn every_operator_has_the_form_that_the_schema_says() {
    let ops = Ops {
        ops: vec![
            cand("red", 3),
            matches("Work", "year", Test::AtMost, "1"),
            expand(0, "CITES", Direction::In, "Work"),
            filter(0, "name", Test::Words, "x"),
            Op::Intersect { sets: vec![0, 1] },
            Op::Union { sets: vec![0] },
            rank(0),
            Op::Limit { set: 6, k: 1 },
        ],
    };
    let value = serde_json::to_value(&ops).unwrap();
    assert_eq!(
        value["ops"][2],
        json!({"op": "EXPAND", "set": 0, "edge": "CITES", "direction": "in", "type": "Work"})
    );
    assert_eq!(value["ops"][1]["test"], json!("<="));
    let read = (Plan::SPEC.schema)().mend(value.clone()).unwrap();
    assert_eq!((read.0, read.1.pieces), (value.clone(), 0));
    assert_eq!(serde_json::from_value::<Ops>(value).unwrap(), ops);
    assert!((Plan::SPEC.schema)().strict());
    for test in TESTS {
        let test: Test = serde_json::from_value(json!(test)).unwrap();
        assert_eq!(serde_json::to_value(test).unwrap(), json!(test.to_string()));
    }
}

#[test]
fn plans_read_like_queries() {
    let schema = graph().schema;
    let query = |ops: &[Op]| super::super::display::query(&schema, ops);
    assert_eq!(query(&[]), "no plan");
    let chain = [
        named("City", "London"),
        expand(0, "LIVED_IN", Direction::In, "Person"),
        expand(1, "WROTE", Direction::Out, "Work"),
        filter(2, "year", Test::AtLeast, "1900"),
        rank(3),
        Op::Limit { set: 4, k: 7 },
    ];
    assert_eq!(
        query(&chain),
        r#"MATCH (b:City {name = "London"})<-[:LIVED_IN]-(a:Person)-[:WROTE]->(x:Work) WHERE x.year >= 1900 RETURN x ORDER BY relevance(x, "q") LIMIT 7"#
    );
    let both = [
        named("Person", "Ada Lovelace"),
        expand(0, "WROTE", Direction::Out, "Work"),
        matches("Work", "year", Test::Equal, "1843"),
        cand("red", 5),
        Op::Intersect {
            sets: vec![1, 2, 3],
        },
    ];
    assert_eq!(
        query(&both),
        r#"MATCH (a:Person {name = "Ada Lovelace"})-[:WROTE]->(x:Work), (x {year = 1843}) WHERE x.note NEAR "red" [5] RETURN x"#
    );
    let either = [
        named("Person", "Ada Lovelace"),
        named("Person", "Alan Turing"),
        Op::Union { sets: vec![0, 1] },
        expand(2, "WROTE", Direction::Out, "Work"),
    ];
    assert_eq!(
        query(&either),
        r#"MATCH CALL {MATCH (a:Person {name = "Ada Lovelace"}) RETURN a UNION MATCH (a:Person {name = "Alan Turing"}) RETURN a}, (a)-[:WROTE]->(x:Work) RETURN x"#
    );
}
