//! Many items, kept answers, tasks and names of providers.

use super::server::{Says, Server, serve};
use super::task::*;
use super::tests::{asked, counts, input, llm, llm_with, named, one, rule};
use super::*;
use serde_json::{Value, json};
use std::sync::atomic::Ordering;
use std::time::Instant;

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
fn a_dead_server_is_given_up_on_once_for_all_tasks_until_a_person_asks_anew() {
    let server = serve(|turn, _| match turn {
        0..32 => Says::HangsUp,
        _ => Says::Echo,
    });
    let narrow = Settings {
        concurrency: Some(1),
        ..named()
    };
    let inputs: Vec<_> = (0..100).map(input).collect();
    let llm = llm_with(&server, &narrow, None);
    let made = llm
        .items::<Summarise>(&inputs, &any, rule, &|_| true)
        .unwrap();
    assert_eq!(asked(&server), 8 * 4);
    assert!(matches!(made[7].failure, Some(Failure::Unreachable(_))));
    assert!(
        matches!(&made[8].failure, Some(Failure::GaveUp(said)) if said.contains("8 items in a row"))
    );
    assert!(made.iter().all(|m| m.value.text.starts_with("rule")));
    // Another task and another batch cost nothing more.
    let text = llm.item::<Decompose>(&words("A made B."), &any, |_| Decomposed::default());
    assert!(matches!(text.failure, Some(Failure::GaveUp(_))));
    assert!(one(&llm).failure.is_some());
    assert_eq!(asked(&server), 8 * 4);
    llm.again();
    assert_eq!(one(&llm).value.text, "sum of text 0");
}

#[test]
fn a_refused_key_is_told_once_and_not_tried_again() {
    let server = serve(|_, _| Says::Plain(401, "", "{\"error\": \"no such key\"}".into()));
    let narrow = Settings {
        concurrency: Some(1),
        ..named()
    };
    let inputs: Vec<_> = (0..100).map(input).collect();
    let llm = llm_with(&server, &narrow, None);
    for _ in 0..2 {
        let made = llm
            .items::<Summarise>(&inputs, &any, rule, &|_| true)
            .unwrap();
        assert!(made.iter().all(|m| m.failure.is_some()));
    }
    assert_eq!(asked(&server), 1);
    let counters = counts(&llm);
    assert!(counters.nothing_answered());
    assert_eq!(
        counters.first_failure.as_deref(),
        Some("127.0.0.1: status 401: no such key; check the key that key_env names")
    );
}

#[test]
fn the_first_failure_is_kept_with_what_to_do() {
    let server = serve(|_, asked| {
        let user = asked["messages"][1]["content"].as_str().unwrap();
        match user {
            text if text.contains("text 1") => Says::Text("no".into()),
            text if text.contains("text 2") => Says::Plain(402, "", "pay".into()),
            _ => Says::Echo,
        }
    });
    let llm = llm(&server);
    let inputs: Vec<_> = (0..4).map(input).collect();
    llm.items::<Summarise>(&inputs, &any, rule, &|_| true)
        .unwrap();
    let counters = counts(&llm);
    let first = counters.first_failure.as_deref().unwrap();
    assert!(
        first.starts_with("no valid answer: no JSON object in the answer; a server that decodes"),
        "{first}"
    );
    assert!(!counters.nothing_answered() && counters.fallbacks == 2);
}

/// A server with room for so many bytes of a message, who says so as OpenAI's does, or cuts its answer short.
fn narrow_server(room: usize, cuts: bool, answer: fn(&Value) -> Value) -> Server {
    serve(move |_, asked| {
        let user = asked["messages"][1]["content"].as_str().unwrap();
        match (user.len() > room, cuts) {
            (true, true) => Says::Plain(
                200,
                "",
                json!({"choices": [{"message": {"content": "{\"units\": [{"}, "finish_reason": "length"}]})
                    .to_string(),
            ),
            (true, false) => Says::Plain(
                400,
                "",
                json!({"error": {"message": "This model's maximum context length is 8 tokens.", "code": "context_length_exceeded"}})
                    .to_string(),
            ),
            _ => Says::Text(answer(&serde_json::from_str(user).unwrap()).to_string()),
        }
    })
}

#[test]
fn what_is_too_long_is_asked_in_parts_and_kept_whole() {
    let text: String = (0..40)
        .map(|n| format!("Keeper number {n} lit the lamp of Hull. "))
        .collect();
    let units = |input: &Value| {
        let text = input["text"].as_str().unwrap();
        assert!(text.starts_with("Keeper") && text.ends_with('.'), "{text}");
        let sentences = text.split_inclusive('.');
        json!({"units": sentences.map(|s| json!({"text": s.trim(), "entities": ["Hull"], "relations": []})).collect::<Vec<_>>()})
    };
    for cuts in [false, true] {
        let server = narrow_server(500, cuts, units);
        let folder = tempfile::tempdir().unwrap();
        let llm = llm_with(&server, &named(), Some(folder.path()));
        let input = [words(text.trim())];
        let asked_for = || {
            let nothing = |_: &OneText| Decomposed::default();
            let made = llm.items::<Decompose>(&input, &any, nothing, &|_| true);
            made.unwrap().remove(0)
        };
        let made = asked_for();
        assert_eq!(made.origin.to_string(), "llm(m, decompose, 1)");
        let said: Vec<&str> = made.value.units.iter().map(|u| &*u.text).collect();
        assert_eq!(said.join(" "), text.trim());
        let found = counts(&llm);
        // Four parts of about 400 bytes, and three requests that were too long; none was sent twice.
        assert_eq!((found.calls, found.parted), (7, 1), "{found}");
        assert_eq!((found.items, found.failures, found.fallbacks), (1, 0, 0));
        assert_eq!(found.first_failure, None);
        assert!(found.to_string().contains("1 asked in parts"), "{found}");
        assert_eq!(asked_for(), made);
        assert_eq!((asked(&server), counts(&llm).hits), (7, 1));
    }
}

#[test]
fn what_cannot_be_made_smaller_falls_back_and_says_what_to_do() {
    let server = narrow_server(10, false, |_| json!({}));
    let llm = llm(&server);
    let made = llm.item::<Decompose>(&words("A short text."), &any, |_| Decomposed::default());
    let failure = made.failure.unwrap();
    assert!(matches!(failure, Failure::TooLong(_)), "{failure}");
    assert!(failure.told().contains("&max_tokens=N"), "{failure}");
    // Without a schema it would not be shorter.
    assert_eq!((asked(&server), counts(&llm).fallbacks), (1, 1));
    // One part that fails is the whole's failure.
    let server = narrow_server(500, false, |input| {
        match input["text"].as_str().unwrap().contains("number 9 ") {
            true => json!("no"),
            false => json!({"units": [{"text": "a"}]}),
        }
    });
    let llm = self::llm(&server);
    let text: String = (0..20)
        .map(|n| format!("Keeper number {n} lit the lamp. "))
        .collect();
    let made = llm.item::<Decompose>(&words(&text), &any, |_| Decomposed::default());
    assert!(matches!(made.failure, Some(Failure::Invalid(_))));
    assert_eq!((counts(&llm).failures, counts(&llm).fallbacks), (1, 1));
}

#[test]
fn parts_are_smaller_and_end() {
    fn end<T: Task>(input: T::Input) -> usize {
        let parts = T::parts(&input);
        let size = |input: &T::Input| serde_json::to_string(input).unwrap().len();
        assert!(parts.iter().all(|part| size(part) < size(&input)));
        1 + parts.into_iter().map(end::<T>).sum::<usize>()
    }
    let text = || "A keeper, of Hull, lit the lamp. Nobody saw it! ".repeat(40);
    let texts = || vec![text(), "short".to_owned(), text()];
    let without_sentences = || "lamp ".repeat(400);
    assert!(end::<Decompose>(words(&text())) > 4);
    assert!(end::<Decompose>(words(&without_sentences())) > 4);
    assert_eq!(end::<Decompose>(words(&"x".repeat(4_000))), 1);
    let many = SummariseInput {
        level: 1,
        texts: texts(),
        max_tokens: 100,
    };
    let halves = Summarise::parts(&many);
    assert_eq!((halves[0].texts.len(), halves[1].texts.len()), (1, 2));
    assert_eq!(halves[0].max_tokens, 50);
    assert!(end::<Summarise>(many) > 8);
    let units = AttributeInput {
        name: "Hull".into(),
        units: texts(),
        relations: vec!["Hull has a lamp".into()],
    };
    // What cannot be divided is in one of the two.
    let relations: Vec<String> = (Attribute::parts(&units).into_iter())
        .flat_map(|part| part.relations)
        .collect();
    assert_eq!(relations, units.relations);
    assert!(end::<Attribute>(units) > 4);
    let rows = vec![vec!["a".to_owned()]; 5];
    assert_eq!(
        end::<TableMetadata>(TableInput {
            rows,
            ..TableInput::default()
        }),
        9
    );
    let question = AnswerInput {
        question: "q".into(),
        context: texts(),
    };
    // The better half, and no other.
    let half = Answer::parts(&question);
    assert_eq!((half.len(), &half[0].context), (1, &vec![text()]));
    assert!(Hyde::parts(&OneQuestion::default()).is_empty());
}

#[test]
fn an_estimate_counts_what_is_sent_and_what_comes_back() {
    let server = serve(|_, _| Says::Echo);
    let llm = llm(&server);
    let inputs: Vec<_> = (0..20).map(input).collect();
    let estimate = llm.estimate::<Summarise>(&inputs);
    llm.items::<Summarise>(&inputs, &any, rule, &|_| true)
        .unwrap();
    let heard = server.heard.lock().unwrap();
    let sent: usize = heard.iter().map(|(_, body)| body.to_string().len()).sum();
    let said = estimate.input_tokens as f64 * 4.0 / sent as f64;
    assert!((0.6..1.1).contains(&said), "{said}");
    assert_eq!(estimate.output_tokens, 20 * 50);
    assert!(
        estimate.to_string().contains(" + 50 tokens, "),
        "{estimate}"
    );
}

#[test]
fn max_tokens_is_sent_where_it_is_set() {
    let server = serve(|_, _| Says::Echo);
    let spec = format!("endpoint:{}?model=m&max_tokens=300", server.url);
    one(&Llm::open(&spec, None).unwrap());
    one(&llm(&server));
    let heard = server.heard.lock().unwrap();
    let most: Vec<_> = heard
        .iter()
        .map(|(_, body)| body.get("max_tokens"))
        .collect();
    assert_eq!(most, [Some(&json!(300)), None]);
}

#[test]
fn what_no_rule_can_answer_has_an_answer_or_a_failure() {
    let server = serve(|turn, _| match turn {
        0 => Says::Echo,
        _ => Says::Text("no".into()),
    });
    let narrow = Settings {
        concurrency: Some(1),
        ..named()
    };
    let llm = llm_with(&server, &narrow, None);
    let found = llm
        .answers::<Summarise>(&[input(0), input(1), input(0)], &|_| true)
        .unwrap();
    assert_eq!(found[0].as_ref().unwrap().value.text, "sum of text 0");
    assert_eq!(found[2], found[0]);
    assert!(matches!(found[1], Err(Failure::Invalid(_))));
    assert_eq!((counts(&llm).failures, counts(&llm).fallbacks), (1, 0));
    let nobody = Llm::rules()
        .answers::<Summarise>(&[input(0)], &|_| true)
        .unwrap();
    assert_eq!(nobody[0], Err(Failure::NoModel));
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
        ("endpoint:http://x?model=m&max_tokens=a", "above 0"),
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
