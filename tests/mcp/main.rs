//! `hopscope mcp` by the real binary: every tool, every kind of error, and nothing on standard output but the protocol.

#[path = "../common/checker.rs"]
mod checker;

use checker::checked;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

const TOOLS: [&str; 6] = [
    "open_status",
    "ask",
    "why",
    "why_not",
    "compare",
    "evaluate",
];
/// A question whose gold `graph` misses, since the name is written another way in the corpus.
const QUESTION: &str = "What did Ørsted see stir during a lecture?";
const PATIENCE: Duration = Duration::from_secs(120);

/// An index of the sample, and every byte of it.
struct Opened {
    home: tempfile::TempDir,
    before: BTreeMap<String, Vec<u8>>,
}

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => all.extend(files(&path)),
            false => drop(all.insert(path.display().to_string(), std::fs::read(&path).unwrap())),
        }
    }
    all
}

impl Opened {
    fn new() -> Opened {
        let home = tempfile::tempdir().unwrap();
        let index = home.path().join("index");
        let made = Command::new(env!("CARGO_BIN_EXE_hopscope"))
            .args(["index", "sample-corpus", "--out"])
            .arg(&index)
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .unwrap();
        assert!(made.status.success(), "{made:?}");
        let before = files(home.path());
        Opened { home, before }
    }

    fn session(&self) -> Session {
        let mut child = Command::new(env!("CARGO_BIN_EXE_hopscope"))
            .arg("mcp")
            .arg(self.home.path().join("index"))
            .env("HOPSCOPE_HOME", self.home.path().join("none"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (sender, lines) = channel();
        let out = child.stdout.take().unwrap();
        std::thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let input = child.stdin.take();
        let mut session = Session {
            child,
            input,
            lines,
            id: 0,
        };
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {},
                           "clientInfo": {"name": "test", "version": "1"}});
        let told = session.ask("initialize", hello);
        assert_eq!(told["result"]["serverInfo"]["name"], "hopscope", "{told}");
        assert_eq!(told["result"]["protocolVersion"], "2025-06-18");
        session.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
        session
    }
}

/// A client that writes lines and reads lines.
struct Session {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    id: u64,
}

impl Session {
    fn say(&mut self, line: &str) {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
    }

    /// The next message; every line is one.
    fn hear(&mut self) -> Value {
        let line = self
            .lines
            .recv_timeout(PATIENCE)
            .expect("an answer in time");
        let message: Value = serde_json::from_str(&line).expect("only JSON on standard output");
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        message
    }

    fn send(&mut self, method: &str, params: Value) -> u64 {
        self.id += 1;
        let message = json!({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params});
        self.say(&message.to_string());
        self.id
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        let told = self.hear();
        assert_eq!(told["id"], id, "{told}");
        told
    }

    /// The answer of a tool, which is there as text too.
    fn tool(&mut self, name: &str, arguments: Value) -> Value {
        let told = self.ask("tools/call", json!({"name": name, "arguments": arguments}));
        let result = &told["result"];
        assert_eq!(result["isError"], false, "{name}: {told}");
        let text = result["content"][0]["text"].as_str().unwrap();
        let answer = result["structuredContent"].clone();
        assert_eq!(serde_json::from_str::<Value>(text).unwrap(), answer);
        answer
    }

    /// The error of a tool: error, hint and options.
    fn refused(&mut self, name: &str, arguments: Value) -> Value {
        let told = self.ask("tools/call", json!({"name": name, "arguments": arguments}));
        assert_eq!(told["result"]["isError"], true, "{told}");
        let text = told["result"]["content"][0]["text"].as_str().unwrap();
        let refusal: Value = serde_json::from_str(text).unwrap();
        assert!(!refusal["hint"].as_str().unwrap().is_empty(), "{text}");
        refusal
    }

    /// Closes standard input; the rest of standard output, and standard error.
    fn end(mut self) -> (Vec<String>, String) {
        drop(self.input.take());
        let rest: Vec<String> = self.lines.iter().collect();
        let out = self.child.wait_with_output().unwrap();
        assert!(out.status.success(), "{:?}", out.status);
        (rest, String::from_utf8(out.stderr).unwrap())
    }
}

#[test]
fn six_tools_answer_and_the_index_stays_as_it_is() {
    let opened = Opened::new();
    let mut session = opened.session();
    let listed = session.ask("tools/list", json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap().clone();
    let names: Vec<&str> = tools.iter().map(|t| t["name"].as_str().unwrap()).collect();
    assert_eq!(names, TOOLS);
    for tool in &tools {
        assert_eq!(tool["annotations"]["readOnlyHint"], true);
        assert_eq!(tool["inputSchema"]["type"], "object");
        assert!(tool["inputSchema"]["properties"]["max_tokens"].is_object());
    }
    let both = json!({"first": "hop", "second": "hop@ranker=off"});
    let one = json!({"first": "graph", "second": "hop", "question": "q72"});
    let calls = [
        ("open_status", json!({})),
        (
            "ask",
            json!({"question": "q72", "method": "hop@ranker=off", "k": 5}),
        ),
        (
            "why",
            json!({"question": "q72", "passage": "gassendi", "than": "#kepler-1"}),
        ),
        (
            "why",
            json!({"question": QUESTION, "passage": "hopscope://passage/orsted", "method": "graph"}),
        ),
        (
            "why_not",
            json!({"question": QUESTION, "passage": "orsted", "method": "graph", "repairs": true}),
        ),
        ("compare", one),
        ("compare", both),
        ("evaluate", json!({"method": "graph"})),
    ];
    for (name, arguments) in calls {
        let whole = session.tool(name, arguments.clone());
        // What the schema promises, and nothing else.
        let schema = tools.iter().find(|tool| tool["name"] == name).unwrap();
        assert_eq!(checked(&schema["outputSchema"], &whole), Ok(()), "{name}");
        // Less room: the same answer without its least important parts, which are named.
        let mut arguments = arguments;
        arguments["max_tokens"] = json!(200);
        let small = session.tool(name, arguments);
        let bytes = small.to_string().len();
        assert!(bytes <= 600, "{name}: {bytes} bytes");
        assert!(
            small["left_out"].as_array().is_some_and(|l| !l.is_empty()),
            "{name}: {small}"
        );
    }
    let asked = session.tool("ask", json!({"question": "q72", "k": 5}));
    assert_eq!(asked["passages"].as_array().unwrap().len(), 5);
    assert_eq!(asked["passages"][0]["id"], "gassendi");
    assert_eq!(asked["passages"][0]["gold"], true);
    let arguments =
        json!({"question": QUESTION, "passage": "orsted", "method": "graph", "repairs": true});
    let missed = session.tool("why_not", arguments);
    assert_eq!(missed["verdicts"][0]["code"], "QUERY_ENTITY_NOT_LINKED");
    assert_eq!(missed["verdicts"][0]["cause"], true);
    // The repair is a RUN that can be asked, and it does what it says.
    let repair = &missed["repairs"]["found"][0];
    let run = json!({"question": QUESTION, "method": repair["run"], "max_tokens": 4000});
    let mended = session.tool("ask", run);
    let found = mended["passages"].as_array().unwrap().iter();
    let mut found = found.filter(|passage| passage["id"] == "orsted");
    assert_eq!(found.next().unwrap()["rank"], repair["rank"]);
    // So does the change itself, for one call; what changes nothing is named.
    let changes = json!([repair["change"], {"seed": "Nobody=mute"}]);
    let arguments =
        json!({"question": QUESTION, "passage": "orsted", "method": "graph", "changes": changes});
    let changed = session.tool("why", arguments);
    assert_eq!(changed["rank"], repair["rank"]);
    let idle = changed["no_effect"][0].as_str().unwrap();
    assert!(idle.starts_with("Nobody=mute"), "{changed}");
    let compared = session.tool(
        "compare",
        json!({"first": "hop", "second": "hop@ranker=off"}),
    );
    assert_eq!(compared["effects"]["changes"][0]["change"], "ranker=off");
    assert!(compared["measures"]["R@5"]["interval"].is_array());
    let measured = session.tool("evaluate", json!({"method": "graph", "max_tokens": 4000}));
    assert!(measured["measures"]["R@5"]["interval"].is_array());
    assert!(measured["losses"]["lost"].as_u64().unwrap() > 0);
    let (rest, errors) = session.end();
    assert!(rest.is_empty(), "{rest:?}");
    assert_eq!(errors, "");
    assert_eq!(files(opened.home.path()), opened.before);
}

#[test]
fn errors_have_a_hint_and_options_and_the_session_goes_on() {
    let opened = Opened::new();
    let mut session = opened.session();
    let told = session.ask("tools/call", json!({"name": "asks", "arguments": {}}));
    assert_eq!(told["error"]["code"], -32602, "{told}");
    assert_eq!(told["error"]["data"]["options"], json!(TOOLS));
    let refused = session.refused("why", json!({"question": "q72", "passage": "gasendi"}));
    assert_eq!(refused["options"], json!(["gassendi"]));
    let refused = session.refused("ask", json!({"question": "q72", "method": "grph"}));
    assert!(
        refused["hint"]
            .as_str()
            .unwrap()
            .contains("did you mean graph?")
    );
    assert_eq!(refused["options"][0], "graph");
    let refused = session.refused("ask", json!({"question": "q72", "method": "hop@alfa=3"}));
    assert!(
        refused["error"]
            .as_str()
            .unwrap()
            .contains("did you mean alpha?")
    );
    let refused = session.refused("ask", json!({"question": "q72", "method": "spark"}));
    assert!(
        refused["error"]
            .as_str()
            .unwrap()
            .contains("needs a typed graph")
    );
    for wrong in [
        json!({}),
        json!({"question": 3}),
        json!({"question": " "}),
        json!({"question": "q72", "k": 0}),
        json!({"question": "q72", "top": 3}),
        json!({"question": "q72", "max_tokens": 5}),
        json!({"question": "q72", "changes": [{"edit": "paint it"}]}),
        json!({"question": "q72", "changes": [{"set": "ranker=/etc/passwd"}]}),
    ] {
        session.refused("ask", wrong);
    }
    // Files of the machine are out of reach, whether they are there or not.
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    for run in [
        file.to_owned(),
        format!("a={file}"),
        format!("hop@ranker={file}"),
    ] {
        let refused = session.refused("ask", json!({"question": "q72", "method": run}));
        let absent = run.replace("Cargo.toml", "absent");
        let other = session.refused("ask", json!({"question": "q72", "method": absent}));
        let same = |refused: &Value| refused.to_string().replace("Cargo.toml", "absent");
        assert_eq!(same(&refused), same(&other));
    }
    // What is no JSON gets no answer, as it has no id; JSON that is no message gets an error.
    session.say("{not json");
    session.say(r#"{"jsonrpc": "2.0", "id": 999, "method": 5}"#);
    assert_eq!(session.hear()["error"]["code"], -32600);
    assert_eq!(session.ask("ping", json!({}))["result"], json!({}));
    let (rest, errors) = session.end();
    assert!(rest.is_empty(), "{rest:?}");
    assert_eq!(errors, "");
}

#[test]
fn passages_are_resources() {
    let opened = Opened::new();
    let mut session = opened.session();
    let template = session.ask("resources/templates/list", json!({}));
    let template = &template["result"]["resourceTemplates"][0]["uriTemplate"];
    assert_eq!(template, "hopscope://passage/{id}");
    let (mut all, mut cursor) = (0, json!({}));
    loop {
        let page = session.ask("resources/list", cursor);
        all += page["result"]["resources"].as_array().unwrap().len();
        match page["result"]["nextCursor"].as_str() {
            Some(next) => cursor = json!({"cursor": next}),
            None => break,
        }
    }
    assert_eq!(all, 225);
    let read = session.ask("resources/read", json!({"uri": "hopscope://passage/titan"}));
    let text = read["result"]["contents"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("Titan\n\nTitan, larger than"), "{text}");
    let read = session.ask("resources/read", json!({"uri": "hopscope://passage/titn"}));
    assert_eq!(read["error"]["code"], -32002, "{read}");
    assert_eq!(read["error"]["data"]["options"][0], "titan");
    session.end();
}

#[test]
fn a_long_tool_blocks_nothing_and_stops_when_it_is_cancelled() {
    let opened = Opened::new();
    let mut session = opened.session();
    // Some 1,300 changes are tried: seconds in a debug build.
    let long = json!({"question": "q72", "passage": "uraniborg", "repairs": true});
    let long = session.send("tools/call", json!({"name": "why_not", "arguments": long}));
    assert_eq!(session.ask("ping", json!({}))["result"], json!({}));
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": long}});
    session.say(&cancel.to_string());
    assert_eq!(session.ask("ping", json!({}))["result"], json!({}));
    let began = Instant::now();
    let (rest, _) = session.end();
    assert!(rest.is_empty(), "{rest:?}");
    assert!(
        began.elapsed() < Duration::from_secs(30),
        "{:?}",
        began.elapsed()
    );
}

#[test]
fn the_revision_without_a_handshake_is_spoken_too() {
    let opened = Opened::new();
    let mut child = Command::new(env!("CARGO_BIN_EXE_hopscope"))
        .arg("mcp")
        .arg(opened.home.path().join("index"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                      "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
                      "io.modelcontextprotocol/clientCapabilities": {}});
    let mut input = child.stdin.take().unwrap();
    let discover =
        json!({"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": meta}});
    let params = json!({"name": "open_status", "arguments": {}, "_meta": meta});
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params});
    writeln!(input, "{discover}\n{call}").unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut hear = || serde_json::from_str::<Value>(&lines.next().unwrap().unwrap()).unwrap();
    let known = hear();
    let versions = known["result"]["supportedVersions"].to_string();
    assert!(versions.contains("2026-07-28"), "{known}");
    let told = hear();
    assert_eq!(
        told["result"]["structuredContent"]["passages"], 225,
        "{told}"
    );
    drop(input);
    assert!(child.wait().unwrap().success());
}

/// `HOPSCOPE_PYTHON` names another interpreter than `python3`.
#[test]
#[ignore = "needs python3 with the package mcp, the protocol's own SDK"]
fn the_python_sdk_holds_a_session() {
    let opened = Opened::new();
    let python = std::env::var("HOPSCOPE_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let out = Command::new(python)
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mcp/session.py"))
        .arg(env!("CARGO_BIN_EXE_hopscope"))
        .arg(opened.home.path().join("index"))
        .output()
        .unwrap();
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    assert!(String::from_utf8_lossy(&out.stdout).contains("six tools answered"));
}
