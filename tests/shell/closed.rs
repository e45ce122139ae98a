//! An index whose vectors a server made, opened by somebody else: nobody is contacted because a file says so.

use crate::server::{Says, Server, serve};
use hopscope::index::store::{MANIFEST, Manifest};
use serde_json::{Value, json};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const SECRET: &str = "HOPSCOPE_TEST_SECRET";
const QUESTION: &str = "Who built the lighthouse?";

fn hopscope(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_hopscope"))
        .env(SECRET, "s3cr3t")
        // Nobody is behind it: whoever went there would fail.
        .env("ALL_PROXY", "http://127.0.0.1:9")
        .env("HTTP_PROXY", "http://127.0.0.1:9")
        .args(args)
        .output()
        .unwrap()
}

/// What it said on stderr, after it ended with this code.
fn said(code: i32, args: &[&str]) -> String {
    let out = hopscope(args);
    let said = String::from_utf8(out.stderr).unwrap();
    assert_eq!(out.status.code(), Some(code), "{args:?}: {said}");
    let all = said.clone() + &String::from_utf8_lossy(&out.stdout);
    for hidden in ["s3cr3t", "hunter2", SECRET] {
        assert!(!all.contains(hidden), "{args:?}: {all}");
    }
    said
}

/// A server of embeddings: three numbers a text.
pub fn embeddings() -> Server {
    serve(|_, asked| {
        let row = |text: &Value| {
            let text = text.as_str().unwrap();
            let sum: u32 = text.bytes().map(u32::from).sum();
            json!({"embedding": [text.len() as f32, (sum % 101) as f32, 1.0]})
        };
        let rows: Vec<Value> = asked["input"].as_array().unwrap().iter().map(row).collect();
        Says::Plain(200, "", json!({"data": rows}).to_string())
    })
}

fn heads(server: &Server) -> Vec<String> {
    let heard = server.heard.lock().unwrap();
    heard.iter().map(|(head, _)| head.clone()).collect()
}

/// An index by this server, whose manifest somebody edited so that it names another address and a variable.
struct Edited {
    _home: tempfile::TempDir,
    folder: PathBuf,
    /// Listens there; who connects is seen by [`Edited::untouched`].
    trap: TcpListener,
    address: String,
}

impl Edited {
    fn by(server: &Server) -> Edited {
        let home = tempfile::tempdir().unwrap();
        let corpus = home.path().join("corpus.jsonl");
        let texts = [
            (
                "a",
                "The lighthouse of Alba",
                "Ines Moor built the lighthouse of Alba.",
            ),
            (
                "b",
                "Ines Moor",
                "Ines Moor was an engineer. She was born in Tarn.",
            ),
            ("c", "Tarn", "Tarn is a town by the river Ell."),
        ];
        let line = |(id, title, text): &(&str, &str, &str)| {
            json!({"_id": id, "title": title, "text": text}).to_string() + "\n"
        };
        std::fs::write(&corpus, texts.iter().map(line).collect::<String>()).unwrap();
        let folder = home.path().join("index");
        let encoder = format!("endpoint:{}?model=m&key_env={SECRET}", server.url);
        let (from, to) = (corpus.to_str().unwrap(), folder.to_str().unwrap());
        said(0, &["index", from, "--out", to, "--encoder", &encoder]);
        let trap = TcpListener::bind("127.0.0.1:0").unwrap();
        trap.set_nonblocking(true).unwrap();
        let address = trap.local_addr().unwrap().to_string();
        let edited = Edited {
            _home: home,
            folder,
            trap,
            address,
        };
        edited.edit();
        edited
    }

    fn edit(&self) {
        let path = self.folder.join(MANIFEST);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(!text.contains(SECRET), "{text}");
        let mut manifest = Manifest::read(&self.folder).unwrap();
        let encoder = format!(
            "endpoint:http://me:hunter2@{}?model=m&key_env={SECRET}&timeout=1",
            self.address
        );
        manifest.dense.as_mut().unwrap().encoder = encoder;
        manifest.checksum.clear();
        let open = serde_json::to_vec(&manifest).unwrap();
        manifest.checksum = format!("{:016x}", xxhash_rust::xxh3::xxh3_64(&open));
        std::fs::write(&path, serde_json::to_vec_pretty(&manifest).unwrap()).unwrap();
    }

    fn folder(&self) -> &str {
        self.folder.to_str().unwrap()
    }

    fn untouched(&self, by: &[&str]) {
        let met = self.trap.accept().map(|(_, from)| from);
        let none = met.err().map(|e| e.kind());
        assert_eq!(none, Some(std::io::ErrorKind::WouldBlock), "{by:?}");
    }
}

#[test]
fn whoever_opens_an_index_contacts_nobody() {
    let server = embeddings();
    let edited = Edited::by(&server);
    let keys = heads(&server);
    assert!(
        keys.iter().all(|head| head.contains("Bearer s3cr3t")),
        "{keys:?}"
    );
    let (index, made) = (edited.folder(), keys.len());
    let picture = edited.folder.with_extension("txt");
    let picture = picture.to_str().unwrap();
    let offer = format!(
        "--encoder 'endpoint:http://{}?model=m&timeout=1'",
        edited.address
    );
    for args in [
        &["ask", index, QUESTION, "-m", "bm25"][..],
        &["ask", index, QUESTION],
        &["trace", index, QUESTION, "--json"],
        &["explain", index, QUESTION, "--passage", "a"],
        &["stats", index],
        &["stats", index, "--json"],
        &[index, "--question", QUESTION, "--screenshot", picture],
    ] {
        let said = said(0, args);
        assert!(
            said.contains(&edited.address) && said.contains(&offer),
            "{args:?}: {said}"
        );
        edited.untouched(args);
    }
    for (method, needs) in [
        ("dense", "method dense needs vectors"),
        ("rrf", "method rrf needs vectors"),
        ("bm25-ce", "method bm25-ce needs vectors"),
        ("noderag", "method noderag needs vectors"),
        ("ket-rag-p", "needs vectors"),
    ] {
        let args = ["ask", index, QUESTION, "-m", method];
        let said = said(2, &args);
        let last = said.lines().last().unwrap();
        assert!(last.contains(needs) && last.contains(&offer), "{said}");
        edited.untouched(&args);
    }
    let add = ["index", "--add", "sage", index];
    assert!(said(2, &add).contains("layer 'sage' needs vectors"));
    edited.untouched(&add);
    assert_eq!(heads(&server).len(), made);
}

#[test]
fn whom_the_person_names_is_asked_with_the_key_that_the_person_names() {
    let server = embeddings();
    let edited = Edited::by(&server);
    let (index, made) = (edited.folder(), heads(&server).len());
    let named = format!("endpoint:{}?model=m", server.url);
    let with_key = format!("{named}&key_env={SECRET}");
    // What needs no vectors asks nobody, named or not.
    for args in [
        &["ask", index, QUESTION, "-m", "bm25"][..],
        &["stats", index],
    ] {
        said(0, &[args, &["--encoder", &with_key]].concat());
        assert_eq!(heads(&server).len(), made, "{args:?}");
    }
    for (count, (method, encoder)) in [("dense", &with_key), ("hop", &with_key), ("rrf", &named)]
        .into_iter()
        .enumerate()
    {
        let args = ["ask", index, QUESTION, "-m", method, "--encoder", encoder];
        assert_eq!(said(0, &args), "");
        let heads = heads(&server);
        assert_eq!(heads.len(), made + count + 1, "{method}");
        let key = heads.last().unwrap().contains("Bearer s3cr3t");
        assert_eq!(key, encoder == &with_key, "{method}");
        edited.untouched(&args);
    }
    let other = named.replace("model=m", "model=n");
    for wrong in ["static", &other] {
        let args = ["ask", index, QUESTION, "--encoder", wrong];
        let said = said(2, &args);
        assert!(
            said.contains("the vectors were made by `endpoint:m`"),
            "{said}"
        );
    }
    let none = ["ask", index, QUESTION, "--encoder", "none"];
    assert_eq!(said(0, &none), "");
    let add = ["index", "--add", "sage", index, "--encoder", &named];
    said(0, &add);
    edited.untouched(&add);
    // What was read was written again, without what an index has no business to hold.
    let text = std::fs::read_to_string(edited.folder.join(MANIFEST)).unwrap();
    assert!(
        !text.contains(SECRET) && !text.contains("hunter2"),
        "{text}"
    );
}

#[test]
fn an_address_with_a_password_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let out = home.path().join("index");
    let given = "endpoint:http://me:hunter2@localhost:9?model=m";
    let index = ["index", "sample-corpus", "--out", out.to_str().unwrap()];
    for args in [
        &[&index[..], &["--encoder", given]].concat()[..],
        &["ask", QUESTION, "-m", "dense", "--encoder", given],
        &["ask", QUESTION, "--llm", given],
    ] {
        let said = said(2, args);
        assert!(
            said.contains("http://localhost:9") && said.contains("?key_env=VARIABLE"),
            "{said}"
        );
    }
    assert!(!Path::new(&out).exists());
}
