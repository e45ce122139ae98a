//! Against a real server on a local port.

use super::server::{Says, Server, serve};
use super::task::*;
use super::*;
use serde_json::{Value, json};
use std::time::Instant;

pub(super) fn asked(server: &Server) -> usize {
    server.heard.lock().unwrap().len()
}

pub(super) fn named() -> Settings {
    Settings {
        model: "m".into(),
        timeout: Some(Duration::from_secs(20)),
        ..Settings::default()
    }
}

pub(super) fn llm_with(server: &Server, settings: &Settings, folder: Option<&Path>) -> Llm {
    let endpoint =
        Endpoint::with(&server.url, settings, Duration::from_millis(5), 100_000).unwrap();
    Llm::new(Box::new(endpoint), folder.map(|f| Cache::open(f).unwrap()))
}

pub(super) fn llm(server: &Server) -> Llm {
    llm_with(server, &named(), None)
}

pub(super) fn input(n: usize) -> SummariseInput {
    SummariseInput {
        level: 1,
        texts: vec![format!("text {n}")],
        max_tokens: 50,
    }
}

pub(super) fn rule(input: &SummariseInput) -> OneText {
    OneText {
        text: format!("rule for {}", input.texts[0]),
    }
}

pub(super) fn one(llm: &Llm) -> Made<OneText> {
    llm.item::<Summarise>(&input(0), &any, rule)
}

pub(super) fn counts(llm: &Llm) -> Counters {
    llm.counters()[0].1.clone()
}

/// Asks one item of a server that answers like this; the stand-in must have answered.
pub(super) fn falls_back(
    says: impl Fn(usize, &Value) -> Says + Send + Sync + 'static,
) -> (Failure, usize) {
    let server = serve(says);
    let llm = llm(&server);
    let made = one(&llm);
    assert_eq!(made.value.text, "rule for text 0");
    assert_eq!(made.origin.to_string(), "rule(summarise, 1)");
    let counters = counts(&llm);
    assert_eq!(
        (counters.failures, counters.fallbacks, counters.hits),
        (1, 1, 0)
    );
    assert_eq!(counters.calls as usize, asked(&server));
    (made.failure.unwrap(), asked(&server))
}

#[test]
fn rules_answer_without_a_server_and_that_is_no_failure() {
    let llm = Llm::rules();
    let inputs: Vec<_> = (0..1000).map(input).collect();
    let seen = std::cell::RefCell::new(Vec::new());
    let keep = |done| {
        seen.borrow_mut().push(done);
        true
    };
    let made = llm.items::<Summarise>(&inputs, &any, rule, &keep).unwrap();
    assert!(
        made.iter()
            .enumerate()
            .all(|(i, m)| m.value == rule(&input(i)) && m.failure.is_none())
    );
    assert_eq!(seen.borrow().last(), Some(&1000));
    assert_eq!(
        counts(&llm),
        Counters {
            items: 1000,
            seconds: counts(&llm).seconds,
            ..Counters::default()
        }
    );
    assert_eq!(
        llm.estimate::<Summarise>(&inputs),
        Estimate {
            items: 1000,
            ..Estimate::default()
        }
    );
    let stopped = llm.items::<Summarise>(&inputs, &any, rule, &|done| done < 500);
    assert_eq!(stopped, Err(Cancelled));
}

#[test]
fn a_request_says_what_the_protocol_asks_for() {
    // Cargo sets this variable for its tests: as good a key as any.
    let server = serve(|_, _| Says::Echo);
    let with_key = Settings {
        key_env: Some("CARGO_PKG_NAME".into()),
        ..named()
    };
    let llm = llm_with(&server, &with_key, None);
    let made = one(&llm);
    assert_eq!(made.value.text, "sum of text 0");
    assert_eq!(made.origin.to_string(), "llm(m, summarise, 1)");
    assert_eq!(made.failure, None);
    let heard = server.heard.lock().unwrap();
    let (head, body) = &heard[0];
    assert!(
        head.starts_with("POST /v1/chat/completions HTTP/1.1"),
        "{head}"
    );
    let key = env!("CARGO_PKG_NAME");
    assert!(
        head.to_lowercase()
            .contains(&format!("authorization: bearer {key}")),
        "{head}"
    );
    assert_eq!(
        (&body["model"], &body["temperature"]),
        (&json!("m"), &json!(0))
    );
    let format = &body["response_format"];
    assert_eq!(
        (&format["type"], &format["json_schema"]["strict"]),
        (&json!("json_schema"), &json!(true))
    );
    assert_eq!(
        format["json_schema"]["schema"],
        (Summarise::SPEC.schema)().json()
    );
    assert_eq!(body["messages"].as_array().unwrap().len(), 2);
    let system = body["messages"][0]["content"].as_str().unwrap();
    assert!(system.contains(Summarise::SPEC.about) && system.contains("\"required\":[\"text\"]"));
    let user: SummariseInput =
        serde_json::from_str(body["messages"][1]["content"].as_str().unwrap()).unwrap();
    assert_eq!(user, input(0));
    let counters = counts(&llm);
    assert_eq!(
        (
            counters.calls,
            counters.prompt_tokens,
            counters.completion_tokens
        ),
        (1, 10, 3)
    );
}

#[test]
fn the_key_is_in_no_message_and_no_kept_answer() {
    let key = env!("CARGO_PKG_NAME");
    let server = serve(move |turn, _| match turn {
        0 => Says::Plain(
            401,
            "",
            format!("{{\"error\": {{\"message\": \"bad key {key}\"}}}}"),
        ),
        _ => Says::Echo,
    });
    let folder = tempfile::tempdir().unwrap();
    let with_key = Settings {
        key_env: Some("CARGO_PKG_NAME".into()),
        ..named()
    };
    let llm = llm_with(&server, &with_key, Some(folder.path()));
    let said = one(&llm).failure.unwrap().to_string();
    assert!(
        said.contains("bad key ***") && said.contains("key_env") && !said.contains(key),
        "{said}"
    );
    llm.again();
    assert!(one(&llm).failure.is_none());
    let mut files = 0;
    for shelf in std::fs::read_dir(folder.path()).unwrap() {
        for file in std::fs::read_dir(shelf.unwrap().path()).unwrap() {
            let kept = std::fs::read_to_string(file.unwrap().path()).unwrap();
            assert!(!kept.contains(key) && !kept.contains("127.0.0.1"), "{kept}");
            files += 1;
        }
    }
    assert_eq!(files, 1);
    let none = Settings {
        key_env: Some("HOPSCOPE_NO_SUCH_KEY".into()),
        ..named()
    };
    let error = Endpoint::open(&server.url, &none).unwrap_err().to_string();
    assert!(error.contains("no key in $HOPSCOPE_NO_SUCH_KEY"), "{error}");
}

#[test]
fn an_invalid_answer_is_asked_again_once_with_what_was_wrong() {
    let server = serve(|turn, _| match turn {
        0 => Says::Text("{\"text\": [3]}".into()),
        _ => Says::Text("Here:\n```json\n{\"text\": \"ok\"}\n```".into()),
    });
    let llm = llm(&server);
    assert_eq!(one(&llm).value.text, "ok");
    let heard = server.heard.lock().unwrap();
    let messages = heard[1].1["messages"].as_array().unwrap();
    assert_eq!(messages.len(), 4);
    assert_eq!(
        messages[2],
        json!({"role": "assistant", "content": "{\"text\": [3]}"})
    );
    let said = messages[3]["content"].as_str().unwrap();
    assert!(
        said.contains("answer.text: expected a string; found an array"),
        "{said}"
    );
    let counters = counts(&llm);
    assert_eq!(
        (
            counters.calls,
            counters.invalid,
            counters.failures,
            counters.prompt_tokens
        ),
        (2, 1, 0, 20)
    );
}

#[test]
fn malicious_and_useless_answers_fall_back() {
    for (text, says) in [
        ("I will not.", "no JSON object"),
        ("", "no JSON object"),
        ("{\"summary\": \"x\"}", "'text' is missing"),
        ("[\"text\"]", "expected an object"),
        ("{\"text\": \"\\u001b\\u0007\"}", "found an empty one"),
        ("{\"text\": \"unfinished", "no JSON object"),
    ] {
        let (failure, calls) = falls_back(move |_, _| Says::Text(text.into()));
        assert_eq!(calls, 2, "{text}");
        assert!(
            matches!(&failure, Failure::Invalid(said) if said.contains(says)),
            "{text}: {failure}"
        );
    }
    let giant = || Says::Text(format!("{{\"text\": \"{}\"}}", "x".repeat(200_000)));
    let (failure, calls) = falls_back(move |_, _| giant());
    assert!(
        failure.to_string().contains("more than 100000 bytes"),
        "{failure}"
    );
    assert_eq!(calls, 2);
    let (failure, _) = falls_back(|_, _| Says::Plain(200, "", "<html>".into()));
    assert!(
        failure.to_string().contains("no JSON in its answer"),
        "{failure}"
    );
    let (failure, _) = falls_back(|_, _| Says::Text("{\"a\":".repeat(10_000)));
    assert!(matches!(failure, Failure::Invalid(_)));
}

#[test]
fn characters_that_a_screen_acts_on_are_stripped_before_anything_is_kept() {
    let server = serve(|_, _| Says::Text("{\"text\": \"a\\u001b[2Jb\\u202e\\u0000c\\nd\"}".into()));
    let folder = tempfile::tempdir().unwrap();
    let llm = llm_with(&server, &named(), Some(folder.path()));
    assert_eq!(one(&llm).value.text, "a[2Jbc\nd");
    assert_eq!(one(&llm).value.text, "a[2Jbc\nd");
    assert_eq!(asked(&server), 1);
}

#[test]
fn what_may_pass_is_tried_again_and_what_cannot_is_not() {
    for (bad, calls) in [
        (Says::HangsUp, 2),
        (Says::Half, 2),
        (Says::Plain(500, "", "{}".into()), 2),
        (Says::Plain(429, "", "{}".into()), 2),
    ] {
        let server = serve(move |turn, _| if turn == 0 { bad.clone() } else { Says::Echo });
        assert_eq!(one(&llm(&server)).value.text, "sum of text 0");
        assert_eq!(asked(&server), calls);
    }
    let (failure, calls) = falls_back(|_, _| Says::HangsUp);
    assert!(
        matches!(&failure, Failure::Unreachable(said) if said.contains("(4 tries)")),
        "{failure}"
    );
    assert_eq!(calls, 4);
    let (failure, calls) =
        falls_back(|_, _| Says::Plain(402, "", "{\"message\": \"pay\\u001b\"}".into()));
    assert!(
        failure.to_string().ends_with("status 402: pay"),
        "{failure}"
    );
    assert_eq!(calls, 1);
}

#[test]
fn retry_after_is_waited_for_unless_it_is_too_long() {
    let server = serve(|turn, _| match turn {
        0 => Says::Plain(429, "Retry-After: 1\r\n", "{}".into()),
        _ => Says::Echo,
    });
    let begun = Instant::now();
    assert!(one(&llm(&server)).failure.is_none());
    assert!(begun.elapsed() >= Duration::from_secs(1));
    let (failure, calls) =
        falls_back(|_, _| Says::Plain(429, "Retry-After: 3600\r\n", "{}".into()));
    assert!(failure.to_string().contains("(1 try)"), "{failure}");
    assert_eq!(calls, 1);
}

#[test]
fn waits_double_between_tries() {
    let server = serve(|_, _| Says::HangsUp);
    let endpoint = Endpoint::with(&server.url, &named(), Duration::from_millis(100), 1000).unwrap();
    let begun = Instant::now();
    assert!(one(&Llm::new(Box::new(endpoint), None)).failure.is_some());
    assert!(begun.elapsed() >= Duration::from_millis(100 + 200 + 400));
}

#[test]
fn slow_and_dripping_servers_are_left_in_time() {
    for slow in [Says::Late(3_000), Says::Drip(20)] {
        let server = serve(move |_, _| slow.clone());
        let hasty = Settings {
            timeout: Some(Duration::from_millis(150)),
            ..named()
        };
        let llm = llm_with(&server, &hasty, None);
        let begun = Instant::now();
        let failure = one(&llm).failure.unwrap();
        assert!(
            failure.to_string().contains("no answer within 150ms"),
            "{failure}"
        );
        assert!(begun.elapsed() < Duration::from_secs(3));
    }
}

#[test]
fn a_server_without_schemas_is_asked_without_from_then_on() {
    let server = serve(|_, asked| match asked.get("response_format") {
        Some(_) => Says::Plain(
            400,
            "",
            "{\"error\": \"response_format is not supported\"}".into(),
        ),
        None => Says::Echo,
    });
    let llm = llm(&server);
    for n in 0..3 {
        let made = llm.item::<Summarise>(&input(n), &any, rule);
        assert_eq!(made.value.text, format!("sum of text {n}"));
    }
    assert_eq!(asked(&server), 4);
    assert!(server.heard.lock().unwrap()[3].1.get("seed").is_none());
    // A refusal for another reason does not give up schemas.
    let (failure, calls) =
        falls_back(|_, _| Says::Plain(400, "", "{\"error\": \"too long\"}".into()));
    assert!(
        matches!(&failure, Failure::Refused(said) if said.contains("too long")),
        "{failure}"
    );
    assert_eq!(calls, 2);
}
