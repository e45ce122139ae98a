//! `hopscope serve --stdio`: every line gets an answer, and a bad one keeps no other from its own.

use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Stdio};

pub fn serve(requests: &str) -> Vec<Value> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hopscope"));
    command.args(["serve", "--stdio"]);
    answered(command, requests)
}

/// What a command that serves answers.
pub fn answered(mut command: Command, requests: &str) -> Vec<Value> {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(requests.as_bytes()).unwrap();
    drop(input);
    let out = child.wait_with_output().unwrap();
    assert!(out.status.success());
    let lines = String::from_utf8(out.stdout).unwrap();
    let lines = lines.lines().map(serde_json::from_str);
    lines.collect::<Result<_, _>>().unwrap()
}

#[test]
fn calls_are_answered_line_by_line() {
    let long = format!("{{\"call\": \"{}\"}}", "x".repeat(1 << 21));
    let requests = [
        json!({"id": 1, "call": "ask", "arguments": {"question": "q72", "k": 2}}).to_string(),
        "not json".to_owned(),
        String::new(),
        long,
        json!({"id": {"a": 2}, "call": "why", "arguments": {"question": "q72", "passage": "gasendi"}})
            .to_string(),
        json!({"id": 3, "call": "asks"}).to_string(),
        json!({"call": "schema"}).to_string(),
    ];
    let answers = serve(&requests.join("\n"));
    assert_eq!(answers.len(), 6);
    assert_eq!(answers[0]["id"], 1);
    assert_eq!(answers[0]["result"]["passages"][0]["id"], "gassendi");
    assert!(
        answers[1]["error"]["hint"]
            .as_str()
            .unwrap()
            .contains("\"call\": \"ask\"")
    );
    assert!(
        answers[2]["error"]["error"]
            .as_str()
            .unwrap()
            .contains("1048576 bytes")
    );
    assert_eq!(answers[3]["id"], json!({"a": 2}));
    assert_eq!(answers[3]["error"]["options"], json!(["gassendi"]));
    assert_eq!(answers[4]["error"]["options"][0], "open_status");
    let calls = answers[5]["result"]["calls"].as_array().unwrap();
    assert_eq!(
        (calls.len(), &answers[5]["result"]["version"]),
        (6, &json!(1))
    );
    assert_eq!(calls[1]["arguments"]["required"], json!(["question"]));
}

/// Every call of the session in docs/agents.md gives the answer that is printed there.
#[test]
fn the_session_of_the_docs_is_a_real_one() {
    let page = include_str!("../../docs/agents.md");
    let blocks = page.split("```text\n> ").skip(1);
    let blocks = blocks.map(|rest| rest.split("```").next().unwrap());
    let session = blocks.filter(|block| !block.starts_with('{'));
    let session: Vec<(&str, &str)> = session.map(|b| b.split_once('\n').unwrap()).collect();
    assert_eq!(session.len(), 4);
    let request = |(call, _): &(&str, &str)| {
        let (name, arguments) = call.split_once(' ').unwrap();
        format!("{{\"call\": \"{name}\", \"arguments\": {arguments}}}")
    };
    let requests: Vec<String> = session.iter().map(request).collect();
    let answers = serve(&requests.join("\n"));
    for ((call, printed), answer) in session.iter().zip(answers) {
        let printed: Value = serde_json::from_str(printed).unwrap();
        assert_eq!(answer["result"], printed, "{call}");
    }
}
