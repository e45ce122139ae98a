//! Many items, kept answers, tasks and names of providers.

use super::server::{Says, serve};
use super::task::*;
use super::tests::{asked, counts, input, llm, llm_with, named, one, rule};
use super::*;
use serde_json::{Value, json};
use std::sync::atomic::Ordering;

#[test]
fn many_items_keep_their_order_and_four_are_under_way() {
    let server = serve(|turn, _| Says::Late(if turn % 3 == 0 { 60 } else { 20 }));
    let llm = llm(&server);
    let inputs: Vec<_> = (0..24).map(|n| input(n % 20)).collect();
    assert_eq!(llm.estimate::<Summarise>(&inputs).calls, 20);
    let made = llm
        .items::<Summarise>(&inputs, &any, rule, &|_| true)
        .unwrap();
    for (i, made) in made.iter().enumerate() {
        assert_eq!(made.value.text, format!("sum of text {}", i % 20));
    }
    assert_eq!((asked(&server), counts(&llm).hits), (20, 4));
    assert_eq!(server.most_abreast.load(Ordering::SeqCst), 4);
}

#[test]
fn single_items_fall_back_among_many() {
    let server = serve(|_, asked| {
        let user = asked["messages"][1]["content"].as_str().unwrap();
        if user.contains("text 3") {
            Says::Text("?".into())
        } else {
            Says::Echo
        }
    });
    let llm = llm(&server);
    let inputs: Vec<_> = (0..6).map(input).collect();
    let not_five = |_: &SummariseInput, output: &OneText| match output.text.ends_with('5') {
        true => Err("no fives".into()),
        false => Ok(()),
    };
    let made = llm
        .items::<Summarise>(&inputs, &not_five, rule, &|_| true)
        .unwrap();
    let by: Vec<String> = made.iter().map(|m| m.value.text.clone()).collect();
    assert_eq!(
        by,
        [
            "sum of text 0",
            "sum of text 1",
            "sum of text 2",
            "rule for text 3",
            "sum of text 4",
            "rule for text 5"
        ]
    );
    assert!(
        made[5]
            .failure
            .as_ref()
            .unwrap()
            .to_string()
            .contains("no fives")
    );
    assert_eq!((counts(&llm).failures, counts(&llm).fallbacks), (2, 2));
}

#[test]
fn a_dead_server_is_not_asked_for_ever_and_a_refused_key_not_twice() {
    let server = serve(|_, _| Says::HangsUp);
    let narrow = Settings {
        concurrency: Some(1),
        ..named()
    };
    let inputs: Vec<_> = (0..100).map(input).collect();
    let made = llm_with(&server, &narrow, None)
        .items::<Summarise>(&inputs, &any, rule, &|_| true)
        .unwrap();
    assert_eq!(asked(&server), 8 * 4);
    assert!(matches!(made[7].failure, Some(Failure::Unreachable(_))));
    assert!(
        matches!(&made[8].failure, Some(Failure::GaveUp(said)) if said.contains("8 items in a row"))
    );
    assert!(made.iter().all(|m| m.value.text.starts_with("rule")));
    let server = serve(|_, _| Says::Plain(401, "", "{}".into()));
    let made = llm_with(&server, &narrow, None)
        .items::<Summarise>(&inputs, &any, rule, &|_| true)
        .unwrap();
    assert_eq!(asked(&server), 1);
    assert!(made.iter().all(|m| m.failure.is_some()));
}

#[test]
fn a_cancelled_run_goes_on_from_what_is_kept_and_is_replayed_offline() {
    let server = serve(|_, _| Says::Late(15));
    let folder = tempfile::tempdir().unwrap();
    let inputs: Vec<_> = (0..30).map(input).collect();
    let first = llm_with(&server, &named(), Some(folder.path()));
    let stopped = first.items::<Summarise>(&inputs, &any, rule, &|done| done < 9);
    assert_eq!(stopped, Err(Cancelled));
    let before = asked(&server);
    assert!((9..30).contains(&before), "{before}");
    // A new process: nothing but the folder is left.
    let second = llm_with(&server, &named(), Some(folder.path()));
    let estimate = second.estimate::<Summarise>(&inputs);
    assert_eq!(estimate.calls, 30 - estimate.kept);
    assert!(estimate.kept >= 9);
    assert!(estimate.to_string().contains("30 items: "), "{estimate}");
    let made = second
        .items::<Summarise>(&inputs, &any, rule, &|_| true)
        .unwrap();
    assert_eq!(counts(&second).hits as usize, estimate.kept);
    assert_eq!(counts(&second).calls as usize, estimate.calls);
    let offline = Llm::open("replay:m", Some(folder.path())).unwrap();
    let again = offline
        .items::<Summarise>(&inputs, &any, rule, &|_| true)
        .unwrap();
    assert_eq!(made, again);
    let other = offline.item::<Summarise>(&input(99), &any, rule);
    assert_eq!(
        (other.value.text.as_str(), other.failure),
        ("rule for text 99", Some(Failure::NotKept))
    );
    // Another model's answers are another's.
    let stranger = Llm::open("replay:n", Some(folder.path())).unwrap();
    assert_eq!(one(&stranger).failure, Some(Failure::NotKept));
}

#[test]
fn a_cancelled_wait_ends_at_once() {
    let server = serve(|_, _| Says::Late(60_000));
    let llm = llm(&server);
    let begun = Instant::now();
    let slow = llm.items::<Summarise>(&[input(0)], &any, rule, &|_| {
        begun.elapsed() < Duration::from_millis(200)
    });
    assert_eq!(slow, Err(Cancelled));
    assert!(begun.elapsed() < Duration::from_secs(2));
}

#[test]
fn kept_answers_that_are_no_longer_valid_are_asked_again() {
    let server = serve(|_, _| Says::Echo);
    let folder = tempfile::tempdir().unwrap();
    let llm = llm_with(&server, &named(), Some(folder.path()));
    let key = Key::new(
        "m",
        Summarise::SPEC,
        &serde_json::to_value(input(0)).unwrap(),
    );
    let cache = Cache::open(folder.path()).unwrap();
    cache
        .put("m", Summarise::SPEC, &key, &json!({"text": " "}))
        .unwrap();
    assert_eq!(one(&llm).value.text, "sum of text 0");
    assert_eq!(one(&llm).value.text, "sum of text 0");
    assert_eq!(asked(&server), 1);
}

/// What is made of one answer: the output, pieces dropped, and items that fell back.
fn taken<T: Task>(input: &T::Input, text: &Value) -> (T::Output, u64, u64)
where
    T::Output: Default,
{
    let text = text.to_string();
    let server = serve(move |_, _| Says::Text(text.clone()));
    let llm = llm(&server);
    let made = llm.item::<T>(input, &any, |_| T::Output::default());
    (made.value, counts(&llm).dropped, counts(&llm).fallbacks)
}

fn words(text: &str) -> OneText {
    OneText { text: text.into() }
}

#[test]
fn bad_pieces_are_dropped_and_counted_and_the_answer_is_taken() {
    let said = json!({"units": [{"text": "A made B.", "entities": ["A", "B"],
        "relations": [["A", "made", "B"], ["A", "B"], ["A", " ", "B"]]}]});
    let (units, dropped, fallbacks) = taken::<Decompose>(&words("A made B."), &said);
    assert_eq!(units.units[0].relations, [["A", "made", "B"]]);
    assert_eq!((dropped, fallbacks), (2, 0));

    // What servers without strict decoding write daily: a field of their own, no type, a number as text, an empty name.
    let said = json!({"comment": "here you are", "entities": [
        {"name": "Mara Voss", "description": "a painter"}, {"name": "", "description": "?"}, {"name": 1901},
    ], "relations": [
        {"source": "Mara Voss", "target": "1901", "strength": "7"},
        {"source": "1901", "target": "Mara Voss"},
        {"source": "Mara Voss", "target": "nobody", "strength": 2},
        "Mara Voss knows 1901",
    ]});
    let input = ExtractInput {
        text: "Mara Voss painted in 1901.".into(),
        types: Vec::new(),
    };
    let (found, dropped, fallbacks) = taken::<ExtractGraph>(&input, &said);
    let names: Vec<&str> = found.entities.iter().map(|e| &*e.name).collect();
    assert_eq!(names, ["Mara Voss", "1901"]);
    let strengths: Vec<f64> = found.relations.iter().map(|r| r.strength).collect();
    assert_eq!(strengths, [7.0, 1.0]);
    assert_eq!((dropped, fallbacks), (3, 0));

    let question = OneQuestion {
        question: "Who built the Humber Bridge?".into(),
    };
    let said = json!({"terms": ["humber bridge", "engineer"]});
    let (terms, dropped, fallbacks) = taken::<QueryTerms>(&question, &said);
    assert_eq!((&*terms.terms[0], terms.terms.len()), ("humber bridge", 1));
    assert_eq!((dropped, fallbacks), (1, 0));

    let asked = AnswerInput {
        question: "q".into(),
        context: vec!["c".into()],
    };
    let (answer, dropped, _) =
        taken::<Answer>(&asked, &json!({"text": "a", "cited": [1, "0", -1]}));
    assert_eq!((answer.cited, dropped), (vec![0], 2));

    let table = TableInput {
        headers: vec!["h".into()],
        ..TableInput::default()
    };
    let said =
        json!({"title": "t", "description": "d", "summary": "s", "columns": {"h": "y", "x": "y"}});
    let (told, dropped, _) = taken::<TableMetadata>(&table, &said);
    assert_eq!((told.columns.len(), dropped), (1, 1));
}

#[test]
fn an_answer_that_says_nothing_of_words_is_none() {
    for (said, why) in [
        (json!({"units": []}), "units: there are none"),
        (json!({}), "units: there are none"),
        (
            json!({"units": [{"text": " "}]}),
            "answer.units[0].text: expected a text",
        ),
    ] {
        let text = said.to_string();
        let server = serve(move |_, _| Says::Text(text.clone()));
        let llm = llm(&server);
        let made = llm.item::<Decompose>(&words("A made B."), &any, |_| Decomposed::default());
        let said = made.failure.unwrap().to_string();
        assert!(said.contains(why), "{said}");
    }
    // Of what has no words there is nothing to say.
    let nothing = taken::<Decompose>(&words(" -- "), &json!({"units": []}));
    assert_eq!(nothing, (Decomposed::default(), 0, 0));
    let question = OneQuestion {
        question: "Who?".into(),
    };
    let elsewhere = json!({"terms": ["something else"]});
    assert_eq!(taken::<QueryTerms>(&question, &elsewhere).2, 1);
    assert_eq!(
        taken::<ExtractGraph>(
            &ExtractInput {
                text: "It rained.".into(),
                types: Vec::new()
            },
            &json!({"entities": [], "relations": []})
        )
        .2,
        1
    );
    let community = CommunityInput {
        units: vec!["A made B.".into()],
        attributes: Vec::new(),
    };
    assert_eq!(
        taken::<Community>(&community, &json!({"elements": []})).2,
        1
    );
}

/// The shape of each task and the type that takes it are written twice; an output of all fields passes both.
#[test]
fn shapes_and_types_agree() {
    fn agrees<T: Task>(output: T::Output) {
        let value = serde_json::to_value(&output).unwrap();
        let (read, dropped) = (T::SPEC.schema)().mend(value.clone()).unwrap();
        assert_eq!((&read, dropped.pieces), (&value, 0));
        serde_json::from_value::<T::Output>(value).unwrap();
    }
    let t = || "t".to_owned();
    agrees::<Summarise>(OneText { text: t() });
    agrees::<ExtractGraph>(Extracted {
        entities: vec![Entity {
            name: t(),
            kind: t(),
            description: t(),
        }],
        relations: vec![Relation {
            source: t(),
            target: t(),
            description: t(),
            strength: 0.5,
        }],
    });
    agrees::<Merge>(OneText { text: t() });
    agrees::<Decompose>(Decomposed {
        units: vec![Unit {
            text: t(),
            entities: vec![t()],
            relations: vec![vec![t()]],
        }],
    });
    agrees::<Attribute>(OneText { text: t() });
    agrees::<Community>(Elements {
        elements: vec![Element {
            title: t(),
            description: t(),
        }],
    });
    agrees::<QueryTerms>(Terms { terms: vec![t()] });
    agrees::<DocMetadata>(DocumentOutput {
        topic: t(),
        title: t(),
        entities: vec![t()],
        events: vec![t()],
    });
    let columns = [(t(), t())].into();
    agrees::<TableMetadata>(TableOutput {
        title: t(),
        description: t(),
        summary: t(),
        columns,
        entities: vec![t()],
    });
    assert!(!(TableMetadata::SPEC.schema)().strict());
    agrees::<Hyde>(OneText { text: t() });
    agrees::<Answer>(AnswerOutput {
        text: t(),
        cited: vec![0],
    });
}

#[test]
fn providers_by_name() {
    assert_eq!(Llm::open("rules", None).unwrap().model(), None);
    let endpoint = Llm::open(
        "endpoint:http://localhost:1/v1?model=m&timeout=5&concurrency=2",
        None,
    )
    .unwrap();
    assert_eq!(endpoint.model(), Some("m"));
    for (wrong, says) in [
        ("", "no such provider"),
        ("rule", "no such provider"),
        ("replay:m", "needs a folder"),
        ("replay:", "no such provider"),
        ("endpoint:ftp://x?model=m", "no address"),
        ("endpoint:http://x", "no model named"),
        ("endpoint:http://x?model=m&x=1", "no setting `x`"),
        ("endpoint:http://x?model=m&timeout=0", "above 0"),
    ] {
        let said = Llm::open(wrong, None).err().unwrap().to_string();
        assert!(said.contains(says), "{wrong}: {said}");
    }
}

#[test]
fn asked_from_within_an_event_loop_it_answers_too() {
    let server = serve(|_, _| Says::Echo);
    let llm = llm(&server);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let made = runtime.block_on(async { one(&llm) });
    assert_eq!(made.failure, None);
}
