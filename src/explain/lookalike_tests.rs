use super::*;
use crate::corpus::{Corpus, Passage};
use crate::index::{BuildOptions, Silent};
use crate::retrieve::{Keep, Method, Retriever, Settings};

/// Passages by title and text.
fn planted(passages: &[(&str, &str)]) -> Arc<Index> {
    let passage = |(at, (title, text)): (usize, &(&str, &str))| Passage {
        id: format!("p{at}"),
        title: (*title).into(),
        text: (*text).into(),
    };
    let corpus = Corpus {
        name: "planted".into(),
        passages: passages.iter().enumerate().map(passage).collect(),
        questions: Vec::new(),
    };
    Arc::new(Index::build(corpus, &BuildOptions::default(), &Silent).unwrap())
}

fn asked(index: &Arc<Index>, method: &str, question: &str) -> Retrieval {
    let mut settings = Settings::of(index, Method::by_name(method).unwrap());
    settings.set_text("result_k=1").unwrap();
    let mut retriever = Retriever::new(index.clone());
    retriever
        .retrieve(question, &settings, Keep::Scores)
        .unwrap()
}

/// With names of the question linked but for accents.
fn folding(index: &Arc<Index>, question: &str) -> Retrieval {
    let run = asked(index, "graph", question);
    let mut settings = run.settings.clone();
    settings.set_text("fold_accents=on").unwrap();
    settings.set_text("any_case=off").unwrap();
    run.again(index, &settings).unwrap()
}

const EGEBERG: &str = "Which president did Roger Egeberg serve?";

fn unjoined() -> Arc<Index> {
    planted(&[
        (
            "Roger Egeberg",
            "Roger Egeberg was a physician under Nixon.",
        ),
        ("Richard Nixon", "Richard Nixon resigned in August."),
        ("Mara Voss", "Mara Voss painted in Hull."),
    ])
}

#[test]
fn a_lost_passage_is_told_the_name_that_holds_its_mass() {
    let index = unjoined();
    for method in ["graph", "hop", "graph-rrf"] {
        let run = asked(&index, method, EGEBERG);
        let found = lookalikes(&index, &run, 1);
        assert_eq!(found.len(), 1, "{method}: {found:?}");
        let alike = &found[0];
        assert_eq!((&*alike.name, &*alike.other), ("Nixon", "Richard Nixon"));
        assert_eq!((alike.variant, alike.bearers), (Variant::Surname, 1));
        let join = alike.join().unwrap();
        assert_eq!(join.to_string(), "join Nixon | Richard Nixon");
        // The masses are the run's own.
        let walk = run.walk().unwrap();
        let mass = |name: &str| {
            let mut nodes = 0..walk.graph.nodes() as Node;
            let named =
                |node: &Node| walk.graph.is_name(*node) && walk.graph.label(&index, *node) == name;
            walk.spread.mass[nodes.find(named).unwrap() as usize]
        };
        assert_eq!(alike.holds, Holds::Mass(mass("Nixon")));
        assert_eq!(alike.other_mass, Some(mass("Richard Nixon")));
        assert!(mass("Nixon") > 0.01);
        let said = alike.sentence();
        assert!(
            said.starts_with(&format!(
                "Nixon has mass {:.5}, but the passage mentions Richard Nixon",
                mass("Nixon")
            )),
            "{said}"
        );
        assert!(said.ends_with("(the last name of the other)"), "{said}");
    }
}

#[test]
fn nothing_is_said_where_the_name_is_joined_or_holds_nothing() {
    // The passage has the short name itself.
    let index = planted(&[
        (
            "Roger Egeberg",
            "Roger Egeberg was a physician under Nixon.",
        ),
        (
            "Richard Nixon",
            "Richard Nixon resigned in August. They miss Nixon.",
        ),
        ("Mara Voss", "Mara Voss painted in Hull."),
    ]);
    assert_eq!(lookalikes(&index, &asked(&index, "graph", EGEBERG), 1), []);
    // Nothing is like the names of this one.
    let index = unjoined();
    assert_eq!(lookalikes(&index, &asked(&index, "graph", EGEBERG), 2), []);
    // The short name holds less than the one that the question names.
    let both = "Did Roger Egeberg serve under Richard Nixon?";
    assert_eq!(lookalikes(&index, &asked(&index, "graph", both), 1), []);
    // The walk does not come to the short name.
    let run = asked(&index, "graph", "Where did Mara Voss paint?");
    assert_eq!(lookalikes(&index, &run, 1), []);
    // A plan without a graph compares no names.
    assert_eq!(lookalikes(&index, &asked(&index, "bm25", EGEBERG), 1), []);
}

#[test]
fn of_names_alike_the_one_whose_join_would_give_most_is_first() {
    // A join's node has the edges of both: Voss and Mara Voss five, Nixon and Richard Nixon six.
    let index = planted(&[
        ("", "It was Richard Nixon whom Mara Voss painted."),
        ("", "Then Mara Voss went home."),
        ("", "For years Voss slept."),
        ("", "Once Voss swam in rivers."),
        ("", "Later Voss ran through woods."),
        ("", "For years Nixon slept."),
        ("", "Once Nixon swam in rivers."),
        ("", "Later Nixon ran through woods."),
        ("", "Later Nixon saw plays."),
        ("", "At noon Nixon had soup."),
    ]);
    // With nearly the same mass on both.
    let run = asked(&index, "graph", "Did Nixon meet Voss?");
    let mut settings = run.settings.clone();
    settings.edit_seed("Nixon=1.3".parse().unwrap());
    let run = run.again(&index, &settings).unwrap();
    let found = lookalikes(&index, &run, 0);
    let names: Vec<&str> = found.iter().map(|alike| &*alike.name).collect();
    assert_eq!(names, ["Voss", "Nixon"], "{found:?}");
    assert_eq!(found[0].strength, found[1].strength);
}

#[test]
fn a_surname_of_two_people_is_said_to_be_ambiguous() {
    let index = planted(&[
        (
            "Roger Egeberg",
            "Roger Egeberg was a physician under Nixon.",
        ),
        ("Richard Nixon", "Richard Nixon resigned in August."),
        ("Patricia Nixon", "Patricia Nixon traveled to Hull."),
    ]);
    let found = lookalikes(&index, &asked(&index, "graph", EGEBERG), 1);
    assert_eq!(found[0].bearers, 2);
    let said = found[0].sentence();
    assert!(
        said.ends_with("(the last name of the other, as of 1 other)"),
        "{said}"
    );
}

#[test]
fn a_name_of_the_question_that_no_node_has_is_told_what_is_like_it() {
    let index = planted(&[
        (
            "Odisha",
            "Odisha lies by the sea; Bhubaneshwar is its capital.",
        ),
        ("Mara Voss", "Mara Voss painted in Hull."),
    ]);
    let run = asked(
        &index,
        "graph",
        "Which state has Bhubaneswar as its capital?",
    );
    let here = lookalikes(&index, &run, 0);
    assert_eq!(here.len(), 1, "{here:?}");
    assert_eq!((here[0].holds, here[0].of_passage), (Holds::NoNode, true));
    assert_eq!(here[0].join(), None);
    assert_eq!(
        here[0].sentence(),
        "'Bhubaneswar' is not in the graph; the passage mentions Bhubaneshwar (one letter apart)"
    );
    let elsewhere = lookalikes(&index, &run, 1);
    assert_eq!(
        elsewhere[0].sentence(),
        "'Bhubaneswar' is not in the graph; nearest: Bhubaneshwar (one letter apart)"
    );
}

#[test]
fn a_pair_counts_the_passages_where_both_stand() {
    let index = planted(&[
        (
            "Alpha",
            "Richard Nixon met Ivo Lind. They say Nixon was late.",
        ),
        (
            "Beta",
            "In Hull they say Nixon was late, and Richard Nixon too.",
        ),
        ("Gamma", "In Bergen they say Nixon was late."),
    ]);
    let run = asked(&index, "graph", "Did Ivo Lind come?");
    let graph = graph_of(&run).unwrap();
    let node = |name: &str| {
        let mut nodes = 0..graph.nodes() as Node;
        nodes
            .find(|&node| graph.is_name(node) && graph.label(&index, node) == name)
            .unwrap()
    };
    let found = pairs(graph, graph.spellings(&index), "Nixon", Some(node("Nixon")));
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        (found[0].node, found[0].together),
        (node("Richard Nixon"), 2)
    );
    // Names that stand together are one more surely.
    let [beside, apart] = [true, false].map(|both| found[0].variant.strength(1, both));
    assert!(found[0].strength == beside && beside > apart);
    assert_eq!(
        pairs(
            graph,
            graph.spellings(&index),
            "Richard Nixon",
            Some(node("Richard Nixon"))
        )[0]
        .together,
        2
    );
}

#[test]
fn a_name_that_differs_in_accents_alone_is_linked_where_that_is_asked_for_and_told_so() {
    let passages = [
        ("Setit", "The Tekezé River flows to the west."),
        ("Mara Voss", "Mara Voss painted in Hull."),
    ];
    let question = "Which way does the Tekeze River flow?";
    let index = planted(&passages);
    let mut settings = asked(&index, "graph", question).settings.clone();
    settings.set_text("any_case=off").unwrap();
    let mut retriever = Retriever::new(index.clone());
    let exact = retriever.retrieve(question, &settings, Keep::Scores);
    assert_eq!(exact.unwrap().names()[0].link, Link::NotFound);
    let run = folding(&index, question);
    let name = &run.names()[0];
    assert!(name.unaccented && !name.aliased, "{name:?}");
    assert_eq!(
        (&*name.surface, &*name.form),
        ("Tekeze River", "tekezé river")
    );
    assert!(matches!(name.link, Link::Linked { .. }));
    let trace = crate::explain::trace(&index, &run, None);
    let told = serde_json::to_value(&trace).unwrap().to_string();
    assert!(
        told.contains("\"ignoring accents\":\"tekezé river for Tekeze River\""),
        "{told}"
    );
    assert!(
        told.contains("named by 'Tekeze River' ignoring accents, in 1 place"),
        "{told}"
    );
    // The exact form is taken as ever, and of two that fit neither.
    let exact = folding(&index, "Which way does the Tekezé River flow?");
    assert!(!exact.names()[0].unaccented);
    let two = planted(&[
        passages[0],
        ("Tékeze", "The Tékeze River flows to the east."),
    ]);
    let run = folding(&two, question);
    assert_eq!(run.names()[0].link, Link::NotFound);
    let here = lookalikes(&two, &run, 0);
    assert_eq!(
        (here[0].variant, here[0].of_passage),
        (Variant::Accents, true)
    );
}

#[test]
fn a_join_that_was_tried_is_a_repair() {
    let index = unjoined();
    let mut settings = Settings::of(&index, Method::by_name("graph").unwrap());
    settings.set_text("result_k=2").unwrap();
    let mut retriever = Retriever::new(index.clone());
    let run = retriever.retrieve(EGEBERG, &settings, Keep::Scores);
    let run = run.unwrap();
    assert_eq!(run.rank(1), None);
    let found = crate::explain::repairs(&index, &run, 1, |_| true).unwrap();
    let join = found
        .found
        .iter()
        .find(|repair| repair.change.to_string() == "join Nixon | Richard Nixon");
    assert_eq!(
        join.map(|join| (join.rank, join.moves)),
        Some((2, 1)),
        "{found:?}"
    );
}

#[test]
fn what_is_alike_is_the_same_whether_all_names_were_looked_at_or_those_that_may_be() {
    let index = Arc::new(crate::index::sample::index().unwrap());
    let run = asked(&index, "graph", "Who discovered Uranus?");
    let graph = graph_of(&run).unwrap();
    let names = (0..graph.nodes() as Node).filter(|&node| graph.is_name(node));
    let names: Vec<Cow<'_, str>> = names.map(|node| graph.label(&index, node)).collect();
    let alike = |spellings: &Spellings, name: &str| {
        let found = spellings.alike(name);
        (name.to_owned(), found)
    };
    let mut before = Vec::new();
    for asked in names.chunks(9) {
        let some = graph.spelled_like(&index, asked);
        assert!(some.len() < names.len());
        before.extend(asked.iter().map(|name| alike(&some, name)));
    }
    let all = graph.spellings(&index);
    let after: Vec<_> = names.iter().map(|name| alike(all, name)).collect();
    assert_eq!(before, after);
    assert!(after.iter().filter(|(_, found)| found.len() > 1).count() > 5);
}

#[test]
fn names_that_are_like_none_that_holds_mass_would_find_nothing() {
    let index = Arc::new(crate::index::sample::index().unwrap());
    let mut found = 0;
    for question in index.questions() {
        for method in ["graph", "bm25", "hop"] {
            let run = asked(&index, method, &question.text);
            let Some(graph) = graph_of(&run) else {
                continue;
            };
            let all = graph.spellings(&index);
            for passage in (0..index.len() as u32).step_by(7) {
                let own = names_of(graph, passage);
                let alike = likely(&index, &run, graph, &own);
                let [some, whole] =
                    [&alike, &own].map(|some| held(&index, &run, graph, all, (&own, some)));
                assert_eq!(some, whole, "{}: {passage}", question.text);
                found += some.len();
            }
        }
    }
    assert!(found > 20, "{found}");
}

/// Where the exact form finds nothing, case, accents and possessives do not matter; where it finds something, they do.
#[test]
fn a_question_without_a_linked_name_finds_entities_in_any_case() {
    let passages = [
        ("Ulugh Beg", "Ulugh Beg built an observatory."),
        ("Tekezé River", "The Tekezé River flows to the west."),
        ("Will", "Will went home."),
        ("Later", "They will see what will come, and it will."),
        ("Sooner", "It will rain, they say, and it will pass."),
    ];
    let index = planted(&passages);
    let linked = |question: &str| -> Vec<String> {
        let run = asked(&index, "graph", question);
        let names = run.names().iter().filter(|name| !name.nodes.is_empty());
        names.map(|name| name.form.clone()).collect()
    };
    for question in [
        "who was ulugh beg?",
        "what was ulugh beg's observatory called?",
        "WHAT DID ULUGH BEG BUILD?",
    ] {
        assert_eq!(linked(question), ["ulugh beg"], "{question}");
    }
    assert_eq!(
        linked("where does the tekeze river flow?"),
        ["tekezé river"]
    );
    // A word that is seldom the name is none.
    assert_eq!(linked("what will come?"), [] as [&str; 0]);
    let exact = linked("Did ulugh beg see the Tekezé River?");
    assert_eq!(exact, ["tekezé river"]);
    let run = asked(&index, "graph", "who was ulugh beg?");
    assert!(run.names()[0].any_case && run.unrecognised(&index).is_none());
}
