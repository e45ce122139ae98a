//! A real server on a local port that speaks the chat protocol, well and badly, for tests.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How the server answers one request.
#[derive(Clone)]
pub enum Says {
    /// A chat reply with this text.
    Text(String),
    /// A chat reply that sums up the user's message as `Summarise` would.
    Echo,
    Plain(u16, &'static str, String),
    /// The echo, after so many milliseconds.
    Late(u64),
    /// The head of an answer, half of its body, and no more.
    Half,
    /// One byte every so many milliseconds.
    Drip(u64),
    HangsUp,
}

pub struct Server {
    pub url: String,
    pub heard: Arc<Mutex<Vec<(String, Value)>>>,
    pub most_abreast: Arc<AtomicUsize>,
}

pub fn chat(text: &str) -> String {
    json!({"choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
           "usage": {"prompt_tokens": 10, "completion_tokens": 3}})
    .to_string()
}

fn echo(asked: &Value) -> String {
    let input: Value =
        serde_json::from_str(asked["messages"][1]["content"].as_str().unwrap()).unwrap();
    chat(&json!({"text": format!("sum of {}", input["texts"][0].as_str().unwrap())}).to_string())
}

/// Answers by the number of the request and what is asked.
pub fn serve(says: impl Fn(usize, &Value) -> Says + Send + Sync + 'static) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let heard = Arc::new(Mutex::new(Vec::new()));
    let most_abreast = Arc::new(AtomicUsize::new(0));
    let (log, most) = (heard.clone(), most_abreast.clone());
    let (says, abreast) = (Arc::new(says), Arc::new(AtomicUsize::new(0)));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, log, says) = (stream.unwrap(), log.clone(), says.clone());
            let (abreast, most) = (abreast.clone(), most.clone());
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
                if reader.read_exact(&mut body).is_err() {
                    return;
                }
                let asked: Value = serde_json::from_slice(&body).unwrap();
                let turn = {
                    let mut log = log.lock().unwrap();
                    log.push((head, asked.clone()));
                    log.len() - 1
                };
                most.fetch_max(abreast.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                let (status, headers, text) = match says(turn, &asked) {
                    Says::Text(text) => (200, "", chat(&text)),
                    Says::Echo => (200, "", echo(&asked)),
                    Says::Plain(status, headers, text) => (status, headers, text),
                    Says::Late(ms) => {
                        std::thread::sleep(Duration::from_millis(ms));
                        (200, "", echo(&asked))
                    }
                    Says::Half => {
                        let _ = stream.write_all(
                            b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{\"choices\": [",
                        );
                        abreast.fetch_sub(1, Ordering::SeqCst);
                        return;
                    }
                    Says::Drip(ms) => {
                        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n");
                        while stream.write_all(b" ").is_ok() {
                            std::thread::sleep(Duration::from_millis(ms));
                        }
                        abreast.fetch_sub(1, Ordering::SeqCst);
                        return;
                    }
                    Says::HangsUp => {
                        abreast.fetch_sub(1, Ordering::SeqCst);
                        return;
                    }
                };
                abreast.fetch_sub(1, Ordering::SeqCst);
                let length = text.len();
                let answer = format!(
                    "HTTP/1.1 {status} X\r\n{headers}Content-Length: {length}\r\n\r\n{text}"
                );
                // Whoever timed out is no longer there to read.
                let _ = stream.write_all(answer.as_bytes());
            });
        }
    });
    Server {
        url,
        heard,
        most_abreast,
    }
}
