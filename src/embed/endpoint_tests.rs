//! Against a real server on a local port that speaks the protocol, well and badly.

use super::*;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// How the server answers one request.
#[derive(Clone)]
enum Says {
    /// Vectors of so many dimensions, made of the texts' lengths, in reverse order.
    Vectors(usize),
    Plain(u16, &'static str, String),
    Late(u64),
    HangsUp,
}

struct Server {
    url: String,
    heard: Arc<Mutex<Vec<(String, serde_json::Value)>>>,
}

/// Answers in the order given, the last answer for ever.
fn serve(answers: Vec<Says>) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let heard = Arc::new(Mutex::new(Vec::new()));
    let log = heard.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, log, answers) = (stream.unwrap(), log.clone(), answers.clone());
            std::thread::spawn(move || {
                let mut reader = BufReader::new(stream.try_clone().unwrap());
                let (mut head, mut line, mut length) = (String::new(), String::new(), 0);
                while reader.read_line(&mut line).is_ok_and(|n| n > 2) {
                    if let Some(n) = line.to_lowercase().strip_prefix("content-length:") {
                        length = n.trim().parse().unwrap();
                    }
                    head.push_str(&std::mem::take(&mut line));
                }
                let mut body = vec![0; length];
                reader.read_exact(&mut body).unwrap();
                let asked: serde_json::Value = serde_json::from_slice(&body).unwrap();
                let turn = {
                    let mut log = log.lock().unwrap();
                    log.push((head, asked.clone()));
                    log.len() - 1
                };
                let says = answers[turn.min(answers.len() - 1)].clone();
                let (status, headers, text) = match says {
                    Says::Vectors(dims) => (200, "", vectors(&asked, dims)),
                    Says::Plain(status, headers, text) => (status, headers, text),
                    Says::Late(ms) => {
                        std::thread::sleep(Duration::from_millis(ms));
                        (200, "", vectors(&asked, 3))
                    }
                    Says::HangsUp => return,
                };
                let length = text.len();
                let answer = format!(
                    "HTTP/1.1 {status} X\r\n{headers}Content-Length: {length}\r\n\r\n{text}"
                );
                // Whoever timed out is no longer there to read.
                let _ = stream.write_all(answer.as_bytes());
            });
        }
    });
    Server { url, heard }
}

fn vectors(asked: &serde_json::Value, dims: usize) -> String {
    let inputs = asked["input"].as_array().unwrap();
    let row = |(i, text): (usize, &serde_json::Value)| {
        let mut row = vec![1.0; dims];
        row[0] = text.as_str().unwrap().len() as f32;
        serde_json::json!({"index": i, "embedding": row, "object": "embedding"})
    };
    let data: Vec<_> = inputs.iter().enumerate().map(row).rev().collect();
    serde_json::json!({"object": "list", "data": data, "model": "m"}).to_string()
}

fn settings() -> Settings {
    Settings {
        model: Some("m".into()),
        timeout: Some(Duration::from_secs(20)),
        batch: Some(2),
        ..Settings::default()
    }
}

fn open(server: &Server) -> Result<Endpoint, EmbedError> {
    Endpoint::with(
        &server.url,
        &settings(),
        None,
        Duration::from_millis(10),
        &|| true,
    )
}

fn refused(answers: Vec<Says>) -> (String, usize) {
    let server = serve(answers);
    let said = open(&server).err().unwrap().to_string();
    assert!(said.contains(&server.url), "{said}");
    let heard = server.heard.lock().unwrap().len();
    (said, heard)
}

#[test]
fn batches_keep_their_order() {
    let server = serve(vec![Says::Vectors(3)]);
    let mut with = settings();
    with.query_prefix = Some("query: ".into());
    let endpoint = Endpoint::with(&server.url, &with, None, Duration::ZERO, &|| true).unwrap();
    assert_eq!(endpoint.identity().dims, 3);
    assert_eq!(endpoint.identity().name, "endpoint:m");
    let texts: Vec<String> = (1..=21).map(|n| "x".repeat(n)).collect();
    let passages: Vec<(&str, &str)> = texts.iter().map(|t| ("", t.as_str())).collect();
    let seen = std::cell::RefCell::new(Vec::new());
    let keep = |done| {
        seen.borrow_mut().push(done);
        true
    };
    let rows = endpoint.passages(&passages, &keep).unwrap();
    assert_eq!(seen.borrow().last(), Some(&21));
    for (row, n) in rows.chunks(3).zip(1..) {
        let n = n as f32;
        assert!((row[0] - n / (n * n + 2.0).sqrt()).abs() < 1e-6);
    }
    let first = endpoint.question("x").unwrap()[0];
    assert!((first - 8.0 / 66.0_f32.sqrt()).abs() < 1e-6);
    let heard = server.heard.lock().unwrap();
    assert_eq!(heard.len(), 1 + 11 + 1);
    let (head, asked) = &heard[1];
    assert!(head.starts_with("POST /v1/embeddings HTTP/1.1"), "{head}");
    assert_eq!(asked["model"], "m");
    assert_eq!(asked["encoding_format"], "float");
    assert!(asked["dimensions"].is_null());
}

#[test]
fn patience_with_busy_servers() {
    let busy = |headers| Says::Plain(429, headers, "{}".into());
    let broken = Says::Plain(500, "", "oops".into());
    let server = serve(vec![busy(""), broken, Says::HangsUp, Says::Vectors(3)]);
    open(&server).unwrap();
    assert_eq!(server.heard.lock().unwrap().len(), 4);
    let server = serve(vec![busy("Retry-After: 1\r\n"), Says::Vectors(3)]);
    let start = Instant::now();
    open(&server).unwrap();
    assert!(start.elapsed() >= Duration::from_secs(1));
}

/// A key goes to the server that was named with it and to no other.
#[test]
fn a_redirect_is_not_followed() {
    let (variable, _) = std::env::vars().find(|(name, _)| name == "PATH").unwrap();
    let other = serve(vec![Says::Vectors(3)]);
    let to: &'static str = format!("Location: {}/v1/embeddings\r\n", other.url).leak();
    for status in [301, 302, 307, 308] {
        let server = serve(vec![Says::Plain(status, to, String::new())]);
        let with = Settings {
            key_env: Some(variable.clone()),
            ..settings()
        };
        let refused = Endpoint::with(&server.url, &with, None, Duration::ZERO, &|| true).err();
        let said = refused.unwrap().to_string();
        assert!(said.contains(&format!("status {status}")), "{said}");
    }
    assert!(other.heard.lock().unwrap().is_empty());
}

#[test]
fn known_dimensions_are_not_asked_for() {
    let server = serve(vec![Says::Vectors(3)]);
    let endpoint = Endpoint::known(&server.url, &settings(), 3).unwrap();
    assert!(server.heard.lock().unwrap().is_empty());
    let asked = open(&server).unwrap();
    assert_eq!(endpoint.identity(), asked.identity());
    assert_eq!(endpoint.question("x").unwrap().len(), 3);
    let other = Endpoint::known(&server.url, &settings(), 4).unwrap();
    let said = other.question("x").unwrap_err().to_string();
    assert!(said.contains("3 dimensions, expected 4"), "{said}");
}

#[test]
fn impatience_with_hopeless_ones() {
    let busy = |headers| Says::Plain(503, headers, r#"{"error": {"message": "full"}}"#.into());
    let (said, tries) = refused(vec![busy("")]);
    assert!(
        said.contains("status 503: full (4 tries)") && tries == 4,
        "{said}"
    );
    let (said, tries) = refused(vec![busy("Retry-After: 3600\r\n")]);
    assert!(said.contains("1 try") && tries == 1, "{said}");
    let (said, tries) = refused(vec![Says::Plain(404, "", "no \u{1b}[31mmodel".into())]);
    assert!(
        said.contains("status 404: no [31mmodel") && tries == 1,
        "{said}"
    );
    let server = serve(vec![Says::Late(2000)]);
    let hasty = Settings {
        timeout: Some(Duration::from_millis(200)),
        ..settings()
    };
    let error = Endpoint::with(&server.url, &hasty, None, Duration::ZERO, &|| true).err();
    let said = error.unwrap().to_string();
    assert!(said.contains("no answer within 200ms (4 tries)"), "{said}");
    let gone = open(&Server {
        url: "http://127.0.0.1:9".into(),
        heard: Arc::default(),
    });
    assert!(gone.err().unwrap().to_string().contains("no connection"));
}

#[test]
fn answers_that_are_none() {
    let plain = |text: &str| vec![Says::Plain(200, "", text.into())];
    for (answer, expected) in [
        ("<html>", "no embeddings"),
        (r#"{"data": []}"#, "0 vectors for 1 texts"),
        (r#"{"data": [{"embedding": []}]}"#, "0 dimensions"),
        (r#"{"data": [{"index": 4, "embedding": [1]}]}"#, "indices"),
        (r#"{"data": [{"embedding": [1e99]}]}"#, "not finite"),
    ] {
        let (said, tries) = refused(plain(answer));
        assert!(said.contains(expected) && tries == 1, "{said}");
    }
    let server = serve(vec![Says::Vectors(3), Says::Vectors(4)]);
    let error = open(&server)
        .unwrap()
        .question("x")
        .unwrap_err()
        .to_string();
    assert!(error.contains("4 dimensions, expected 3"), "{error}");
}

#[test]
fn the_key_is_sent_and_never_said() {
    // A variable that every test run has, so that no test changes the environment.
    let (variable, value) = std::env::vars().find(|(name, _)| name == "PATH").unwrap();
    let echo = Says::Plain(401, "", format!("bad key {value}"));
    let server = serve(vec![Says::Vectors(3), echo]);
    let with = Settings {
        key_env: Some(variable),
        ..settings()
    };
    let endpoint = Endpoint::with(&server.url, &with, None, Duration::ZERO, &|| true).unwrap();
    let head = server.heard.lock().unwrap()[0].0.clone();
    assert!(head.contains(&format!("Bearer {value}")));
    let said = endpoint.question("x").unwrap_err().to_string();
    assert!(
        said.contains("bad key ***") && !said.contains(&value),
        "{said}"
    );
    assert!(!format!("{:?}", endpoint.asker.key).contains(&value));
    let none = Settings {
        key_env: Some("HOPSCOPE_NO_SUCH_KEY".into()),
        ..settings()
    };
    let error = Endpoint::open(&server.url, &none, &|| true)
        .err()
        .unwrap()
        .to_string();
    assert!(error.contains("HOPSCOPE_NO_SUCH_KEY"), "{error}");
}

#[test]
fn cancelled_while_it_waits() {
    let server = serve(vec![Says::Vectors(3), Says::Late(5000)]);
    let endpoint = open(&server).unwrap();
    let start = Instant::now();
    let stopped = endpoint.passages(&[("", "x")], &|_| false);
    assert!(matches!(stopped, Err(EmbedError::Cancelled)));
    let silent = serve(vec![Says::Late(5000)]);
    let stopped = Endpoint::open(&silent.url, &settings(), &|| false);
    assert!(matches!(stopped, Err(EmbedError::Cancelled)));
    assert!(start.elapsed() < Duration::from_secs(4));
}
