//! Indexes that are published into a real server, and asked there by a user who may only read.

use super::server::{ENCODED, PASSWORD, Server, alone};
use super::{json, ranking, run};
use crate::closed::embeddings;
use crate::serve::answered;
use hopscope::cli::Lossy;
use hopscope::cli::calls::{Session, TOOLS};
use hopscope::index::published::Published;
use hopscope::index::rows::{FEW, Rows};
use hopscope::random::SplitMix;
use hopscope::retrieve::elsewhere::{Fetched, Purpose, fitted, retrieve};
use hopscope::retrieve::{Keep, Method, Settings};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

/// The bundled corpus, as an index.
fn indexed(home: &Path) -> PathBuf {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-corpus");
    written(home, &corpus, "sample", &["--with", "none"])
}

fn written(home: &Path, corpus: &Path, name: &str, with: &[&str]) -> PathBuf {
    let out = home.join(name);
    let (corpus, folder) = (corpus.to_str().unwrap(), out.to_str().unwrap());
    let made = run(
        home,
        None,
        &[&["index", corpus, "--out", folder], with].concat(),
    );
    let said = String::from_utf8_lossy(&made.stderr);
    assert!(made.status.success(), "{said}");
    out
}

fn published(home: &Path, index: &Path, address: &str, more: &[&str]) -> Value {
    let index = index.to_str().unwrap();
    json(
        home,
        &[&["publish", index, "--to", address, "--json"], more].concat(),
    )
}

/// What 'serve' answers, line by line.
fn serve(home: &Path, index: &str, requests: &str) -> Vec<Value> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hopscope"));
    alone(&mut command, home);
    command.env("PGPASSWORD", PASSWORD);
    command.args(["serve", index, "--stdio"]);
    answered(command, requests)
}

/// Settings under which an index that lies here answers as one that is published does.
const PUSHED: [&str; 2] = ["walk=push", "fallback=bm25_top1"];

#[test]
fn what_is_published_answers_as_what_lies_here_and_nothing_is_written() {
    let Some(server) = Server::start() else {
        return;
    };
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let index = indexed(home);
    server.database("whole", "hopscope");
    let to = server.address("owner", "whole");
    let first = published(home, &index, &to, &[]);
    assert_eq!(first["databases"][0]["version"], 1);
    assert!(first["rows"].as_u64().unwrap() > 1000, "{first}");
    server.reader("whole", "hopscope", "reader");
    let address = server.address("reader", "whole");
    let path = index.to_str().unwrap();
    for question in [
        "Who discovered the moon Titan?",
        "which city did tycho brahe leave",
        "q01",
    ] {
        for method in ["bm25", "graph", "graph-hybrid"] {
            let ask = |index: &str, set: &[&str]| {
                let words = ["ask", index, question, "--method", method, "--json"];
                let set = set.iter().flat_map(|set| ["--set", set]);
                let words: Vec<&str> = words.into_iter().chain(set).collect();
                json(home, &words)
            };
            let set = match method {
                "bm25" => &[][..],
                _ => &PUSHED,
            };
            let (here, there) = (ask(path, set), ask(&address, &[]));
            let (own, other) = (ranking(&here), ranking(&there));
            assert!(!own.is_empty());
            assert_eq!(own, other, "{method} {question}");
            assert_eq!(here["passages"][0]["text"], there["passages"][0]["text"]);
            let trips = there["database"]["trips"].as_u64().unwrap();
            assert!((2..40).contains(&trips), "{trips}");
            assert!(here["database"].is_null());
        }
    }
    let question = "Who discovered the moon Titan?";
    let trace = json(home, &["trace", &address, question, "--json"]);
    let counted = |of: &Value| {
        let stages = of["stages"].as_array().unwrap().iter();
        let counters = stages.flat_map(|stage| stage["counters"].as_object().unwrap().keys());
        counters.cloned().collect::<std::collections::BTreeSet<_>>()
    };
    assert!(
        counted(&trace).contains("edges fetched")
            && !counted(&trace).contains("edges of the graph")
    );
    let labels = trace["items"].as_array().unwrap().iter();
    assert!(
        labels
            .map(|item| item["label"].as_str().unwrap())
            .all(|label| !label.is_empty())
    );
    let sizes = |of: &Value| of["index"]["passages"].as_u64().unwrap();
    let here = json(home, &["trace", path, question, "--json"]);
    assert_eq!(sizes(&trace), sizes(&here));
    assert!(trace["database"]["rows"].as_u64().unwrap() > 5, "{trace}");
    let text = run(home, Some(PASSWORD), &["ask", &address, question]);
    let said = String::from_utf8(text.stderr).unwrap();
    assert!(
        said.contains("database: ") && said.contains(" look-ups, "),
        "{said}"
    );

    // One passage that no look-up of the question has, explained, and with another seed.
    let explained = |index: &str, set: &[&str]| {
        let words = [
            "explain",
            index,
            question,
            "--passage",
            "table-noble",
            "--json",
        ];
        let more = [
            "--method",
            "graph-hybrid",
            "--set",
            "epsilon=1e-7",
            "--seed",
            "+#orsted",
        ];
        let set = set.iter().flat_map(|set| ["--set", set]);
        let words: Vec<&str> = words.into_iter().chain(more).chain(set).collect();
        let mut made = json(home, &words);
        assert_eq!(made["seed_edits"][0]["applied"], true, "{made}");
        made["settings"].take();
        made
    };
    assert_eq!(explained(path, &PUSHED), explained(&address, &[]));
    let compared = |index: &str, method: &str| {
        let mut made = json(
            home,
            &["compare", index, question, "--method", method, "--json"],
        );
        made["runs"]
            .as_array_mut()
            .unwrap()
            .iter_mut()
            .for_each(|run| {
                run["settings"].take();
            });
        made["runs"].take()
    };
    let runs = "graph-hybrid,few=graph-hybrid@epsilon=1e-2";
    let pushed = "graph-hybrid@walk=push@fallback=bm25_top1,few=graph-hybrid@epsilon=1e-2@walk=push@fallback=bm25_top1";
    let (own, other) = (compared(path, pushed), compared(&address, runs));
    let lists = |runs: &Value| {
        let runs = runs.as_array().unwrap().iter();
        let lists = runs.map(|run| run["passages"].clone());
        lists.collect::<Vec<_>>()
    };
    assert_eq!(lists(&own), lists(&other));
    let requests = [
        json!({"call": "open_status"}),
        json!({"call": "ask", "arguments": {"question": question, "method": "graph-hybrid"}}),
        json!({"call": "why", "arguments": {"question": question, "passage": "nobody-here"}}),
        json!({"call": "evaluate", "arguments": {"method": "bm25"}}),
    ];
    let requests = requests.map(|request| request.to_string()).join("\n");
    let answers = serve(home, &address, &requests);
    assert!(
        answers[0]["result"]["passages"].as_u64() > Some(100),
        "{}",
        answers[0]
    );
    let first = &answers[1]["result"]["passages"][0]["id"];
    let asked = json(
        home,
        &["ask", &address, question, "-m", "graph-hybrid", "--json"],
    );
    assert_eq!(*first, asked["passages"][0]["id"]);
    assert!(
        answers[2]["error"]["error"]
            .as_str()
            .unwrap()
            .contains("'nobody-here'"),
        "{}",
        answers[2]
    );
    let there = &answers[3]["result"]["measures"];
    let here = &serve(
        home,
        path,
        &json!({"call": "evaluate", "arguments": {"method": "bm25"}}).to_string(),
    )[0];
    assert_eq!(*there, here["result"]["measures"]);

    // What runs on the whole alone is refused, with what would serve.
    for (method, what) in [
        (
            "hipporag2",
            "methods that run: bm25, graph, graph-hybrid; all run on a copy",
        ),
        ("hop", "hopscope index INDEX --add hop"),
    ] {
        let asked = ["ask", &address, question, "-m", method];
        let refused = run(home, Some(PASSWORD), &asked);
        let said = String::from_utf8(refused.stderr).unwrap();
        assert!(said.contains(what), "{said}");
    }
    let refused = run(home, Some(PASSWORD), &["import", &address]);
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(said.contains("hopscope index ADDRESS --out DIR"), "{said}");
    let elsewhere = server.address("reader", "whole?schema=public");
    let refused = run(home, Some(PASSWORD), &["ask", &elsewhere, question]);
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn vectors_are_published_where_every_server_compares_them() {
    let servers: Option<Vec<Server>> = (0..2).map(|_| Server::start_with_vectors()).collect();
    let Some(servers) = servers else {
        return;
    };
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-corpus");
    // With hop's layer.
    let index = written(home, &corpus, "sample", &[]);
    let path = index.to_str().unwrap();
    for server in &servers {
        server.database("whole", "hopscope");
        server.sql("whole", "CREATE SCHEMA extensions");
    }
    let to = together("owner", servers.iter());
    let create = "CREATE EXTENSION vector SCHEMA extensions";
    servers[0].sql("whole", create);
    // One of two servers compares none: all is published but the vectors, and who lacks what is said.
    let without = published(home, &index, &to, &[]);
    assert_eq!(without["vectors"], false);
    let lacks = format!("127.0.0.1:{}/whole", servers[1].port);
    assert_eq!(without["lack_extension"], serde_json::json!([lacks]));
    let question = "Who discovered the moon Titan?";
    let refused = run(home, Some(PASSWORD), &["ask", &to, question, "-m", "dense"]);
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(said.contains("(pgvector)"), "{said}");

    servers[1].sql("whole", create);
    let with = published(home, &index, &to, &["--remove-old"]);
    assert_eq!(
        (&with["vectors"], &with["removed"]),
        (&true.into(), &2.into())
    );
    for server in &servers {
        server.reader("whole", "hopscope", "reader");
        server.sql("whole", "GRANT USAGE ON SCHEMA extensions TO reader");
    }
    let address = together("reader", servers.iter().rev());
    for asked in [
        question,
        "which city did tycho brahe leave",
        "q01",
        "q17",
        "zzz qqq",
    ] {
        for method in ["dense", "rrf", "graph-dense", "graph-rrf", "rrf-ppr", "hop"] {
            let walks = method.contains("graph") || method.contains("ppr");
            // A walk from nowhere restarts at every passage.
            if walks && asked == "zzz qqq" {
                continue;
            }
            let ask = |index: &str, set: &[&str]| {
                let words = ["ask", index, asked, "--method", method, "--json"];
                let set = set.iter().flat_map(|set| ["--set", set]);
                json(home, &words.into_iter().chain(set).collect::<Vec<_>>())
            };
            let set = if walks { &PUSHED[..] } else { &[] };
            let (here, there) = (ask(path, set), ask(&address, &[]));
            assert_eq!(ranking(&here), ranking(&there), "{method} {asked}");
            assert_eq!(here["retrieved"], there["retrieved"]);
        }
    }
    // An index over the vectors finds some of the nearest, and is not used.
    for server in &servers {
        let near = "CREATE INDEX ON hopscope.v2_vectors USING ivfflat (near extensions.vector_ip_ops) WITH (lists = 60)";
        server.sql("whole", near);
    }
    let dense = |index: &str| {
        ranking(&json(
            home,
            &["ask", index, question, "-m", "dense", "--json"],
        ))
    };
    assert_eq!(dense(path), dense(&address));
    let fails = |what: &str| {
        let refused = run(home, Some(PASSWORD), &["ask", &to, question, "-m", "dense"]);
        let said = String::from_utf8(refused.stderr).unwrap();
        assert!(said.contains(what), "{said}");
    };
    // Of another table than this program has, a row that is none, and an extension that goes.
    let table = |from: &str, to: &str| {
        let own = format!(
            "UPDATE hopscope.hopscope_versions SET about = \
             regexp_replace(about, '\"fingerprint\":\"{from}([0-9a-f]+)-', '\"fingerprint\":\"{to}\\1-')"
        );
        servers.iter().for_each(|server| server.sql("whole", &own));
    };
    table("", "other");
    fails("use the encoder of the index");
    table("other", "");
    servers[0].sql("whole", "UPDATE hopscope.v2_vectors SET kept = '\\x00'");
    fails("v2_vectors\" is damaged");
    servers[1].sql("whole", "DROP EXTENSION vector CASCADE");
    fails("is gone, and its table with it");
}

#[test]
fn a_server_searches_a_small_world_graph_where_the_index_has_one() {
    let Some(server) = Server::start_with_vectors() else {
        return;
    };
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-corpus");
    let with = [
        "--set",
        "vector_search=hnsw",
        "--set",
        "hnsw_m=8",
        "--with",
        "none",
    ];
    let index = written(home, &corpus, "sample", &with);
    server.database("whole", "hopscope");
    server.sql("whole", "CREATE EXTENSION vector");
    let to = server.address("owner", "whole");
    assert_eq!(published(home, &index, &to, &[])["vectors"], true);
    // Few rows are read in order, unless that is forbidden.
    server.sql("whole", "ALTER DATABASE whole SET enable_seqscan = off");
    let question = "Which conqueror was the grandfather of the astronomer?";
    let ask = |set: &str| {
        json(
            home,
            &["ask", &to, question, "-m", "dense", "--set", set, "--json"],
        )
    };
    let (exact, about) = (ask("vector_search=exact"), ask("vector_search=auto"));
    let known = ranking(&exact);
    let found = ranking(&about);
    let same = found.iter().filter(|own| known.contains(own)).count();
    assert!(same >= 8 && found.len() == 10, "{same}");
    assert_eq!(ranking(&ask("hnsw_ef_search=150")).len(), 10);
    let trace = json(home, &["trace", &to, question, "-m", "dense", "--json"]);
    let stages = trace["stages"].as_array().unwrap().iter();
    let mut searches = stages.map(|stage| &stage["counters"]["search"]);
    assert!(searches.any(|search| search == "hnsw"), "{trace}");
    let used = "DO $$ BEGIN ASSERT (SELECT sum(idx_scan) FROM pg_stat_user_indexes WHERE indexrelname LIKE \
                'v1_vectors_near%') > 0; END $$";
    std::thread::sleep(Duration::from_millis(500));
    server.sql("whole", used);
}

#[test]
fn parts_of_a_corpus_are_joined_into_a_database() {
    let Some(server) = Server::start() else {
        return;
    };
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let index = indexed(home);
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-corpus");
    let corpus = corpus.to_str().unwrap();
    let parts = ["1/2", "2/2"].map(|part| {
        let out = home.join(part.replace('/', "-"));
        let out = out.to_str().unwrap().to_owned();
        let made = run(
            home,
            None,
            &["index", corpus, "--shard", part, "--out", &out],
        );
        assert!(made.status.success());
        out
    });
    server.database("whole", "hopscope");
    let to = server.address("owner", "whole");
    let [one, two] = &parts;
    let published = json(home, &["merge", two, one, "--to", &to, "--json"]);
    assert_eq!(published["databases"][0]["version"], 1, "{published}");
    let known = self::published(home, &index, &to, &[]);
    assert_eq!(known["known"], true, "it is the index of a single build");
    let refused = run(home, None, &["merge", one, two, "--to", "whole"]);
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(said.contains("no address of a database"), "{said}");
}

#[test]
fn a_common_word_is_counted_in_the_texts_that_it_may_bring_in() {
    let Some(server) = Server::start() else {
        return;
    };
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    // One word is in so many passages that only their number comes.
    let count = 3 * FEW as usize / 2;
    let line = |at: usize| {
        let many = "the ".repeat(at % 4);
        let text = format!(
            "{many}report of w{} and w{} in w{}{}",
            at % 53,
            at % 997,
            at % 4001,
            match at {
                0 => ", where Ganymede was seen by Simon Marius",
                1..8 => " by Simon Marius",
                _ => "",
            }
        );
        json!({"_id": format!("p{at}"), "text": text}).to_string() + "\n"
    };
    let corpus = home.join("corpus.jsonl");
    std::fs::write(&corpus, (0..count).map(line).collect::<String>()).unwrap();
    let index = written(home, &corpus, "reports", &["--with", "none"]);
    server.database("whole", "hopscope");
    let to = server.address("owner", "whole");
    published(home, &index, &to, &[]);
    let path = index.to_str().unwrap();
    for (question, open) in [
        ("the report of w17 and w450 in w1077", true),
        ("the w3", false),
    ] {
        let ask = |index: &str| {
            let asked = ["ask", index, question, "-m", "bm25", "--json"];
            json(home, &asked)
        };
        let (own, here) = (ask(&to), ask(path));
        assert_eq!(ranking(&own), ranking(&here), "{question}");
        assert_eq!(ranking(&own).len(), 10);
        let bytes = own["database"]["bytes"].as_u64().unwrap() as usize;
        // A passage with a word takes two bytes at least.
        assert!(bytes < 3 * count, "{question}: {bytes}");
        let trace = run(
            home,
            Some(PASSWORD),
            &["trace", &to, question, "-m", "bm25"],
        );
        let trace = String::from_utf8(trace.stdout).unwrap();
        assert_eq!(trace.contains("matched, at least"), open, "{trace}");
    }
    // Names with many neighbours are followed unless the address says otherwise.
    let asked = |hub: usize| {
        let to = server.address("owner", &format!("whole?hub={hub}"));
        let words = ["ask", &to, "Who saw Ganymede?", "-m", "graph"];
        let said = run(home, Some(PASSWORD), &words);
        assert!(said.status.success());
        String::from_utf8(said.stderr).unwrap()
    };
    let stopped = "of a walk's mass stopped at 1 node with more neighbours than are followed";
    assert!(!asked(5000).contains(stopped));
    let said = asked(4);
    assert!(said.contains(stopped), "{said}");
}

#[test]
fn a_server_that_encodes_is_asked_where_a_person_names_it() {
    let Some(server) = Server::start_with_vectors() else {
        return;
    };
    let encodes = embeddings();
    let encoder = format!("endpoint:{}?model=m", encodes.url);
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let (corpus, index) = (home.join("moons"), home.join("index"));
    std::fs::create_dir(&corpus).unwrap();
    for (name, text) in [
        ("io", "Galileo saw Io."),
        ("titan", "Huygens saw Titan in 1655."),
    ] {
        std::fs::write(corpus.join(name).with_extension("md"), text).unwrap();
    }
    let [corpus, path] = [&corpus, &index].map(|path| path.to_str().unwrap());
    let made = run(
        home,
        None,
        &["index", corpus, "--out", path, "--encoder", &encoder],
    );
    assert!(made.status.success());
    server.database("whole", "hopscope");
    server.sql("whole", "CREATE EXTENSION vector");
    let heard = || encodes.heard.lock().unwrap().len();
    let before = heard();
    let to = server.address("owner", "whole");
    assert_eq!(published(home, &index, &to, &[])["vectors"], true);
    let ask = |index: &str, more: &[&str]| {
        let words = ["ask", index, "Who saw Titan?", "-m", "dense", "--json"];
        run(home, Some(PASSWORD), &[&words[..], more].concat())
    };
    for (more, what) in [
        (&[][..], "--encoder"),
        (&["--encoder", "static"], "3 dimensions"),
    ] {
        let refused = ask(&to, more);
        let said = String::from_utf8(refused.stderr).unwrap();
        assert!(
            refused.status.code() == Some(2) && said.contains(what),
            "{said}"
        );
    }
    assert_eq!(heard(), before);
    let named = ["--encoder", &encoder];
    let answer =
        |index: &str| -> Value { serde_json::from_slice(&ask(index, &named).stdout).unwrap() };
    assert_eq!(ranking(&answer(&to)), ranking(&answer(path)));
    assert_eq!(ranking(&answer(&to)).len(), 2);
    // A copy is encoded here.
    let copied = run(home, Some(PASSWORD), &["stats", &to]);
    let said = String::from_utf8(copied.stderr).unwrap();
    let made = format!("its vectors are of endpoint:{}", encodes.url);
    assert!(copied.status.success() && said.contains(&made), "{said}");
}

/// What reads the whole index reads a copy of it: the same texts, questions, names, and so the same answers.
fn same_as_a_copy(home: &Path, index: &str, address: &str) {
    let copy = home.join("copy");
    let out = copy.to_str().unwrap();
    let made = json(home, &["index", address, "--out", out, "--json"]);
    assert_eq!(made["report"]["passages"]["kept"], 225, "{made}");
    assert_eq!(made["layers"][0]["name"], "hop", "{made}");
    let outcomes = |index: &str| {
        let methods = "graph-rrf,hop,linearrag";
        let mut made = json(home, &["eval", index, "--method", methods, "--json"]);
        let methods = made["methods"].as_array_mut().unwrap().iter_mut();
        let own = |method: &mut Value| {
            ["measures", "survival", "answer_coverage", "confidence"].map(|of| method[of].take())
        };
        let outcomes: Vec<_> = methods.map(own).collect();
        (made["index"].take(), outcomes)
    };
    assert_eq!(outcomes(index), outcomes(out));
    assert_eq!(outcomes(index), outcomes(address));
    let question = "Who discovered the moon Titan?";
    let picture = home.join("screen.txt");
    let shot = [
        "--screenshot",
        picture.to_str().unwrap(),
        "--question",
        question,
    ];
    let shown = run(home, Some(PASSWORD), &[&[address], &shot[..]].concat());
    let said = String::from_utf8_lossy(&shown.stderr);
    assert!(shown.status.success() && said.is_empty(), "{said}");
    let drawn = std::fs::read_to_string(&picture).unwrap();
    assert!(
        drawn.contains("225 passages") && drawn.contains(" look-ups, "),
        "{drawn}"
    );
}

#[test]
fn a_new_version_is_asked_once_it_is_whole_and_the_old_one_stays_until_it_is_removed() {
    let Some(server) = Server::start() else {
        return;
    };
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let index = indexed(home);
    server.database("whole", "hopscope");
    let to = server.address("owner", "whole");
    let version = |of: &Value| of["databases"][0]["version"].as_u64().unwrap();
    assert_eq!(version(&published(home, &index, &to, &[])), 1);
    let again = published(home, &index, &to, &[]);
    assert_eq!((version(&again), &again["known"]), (1, &Value::Bool(true)));

    let corpus = home.join("moons");
    std::fs::create_dir(&corpus).unwrap();
    std::fs::write(
        corpus.join("io.md"),
        "# Io\n\nGalileo saw Io near Jupiter.\n",
    )
    .unwrap();
    let other = written(home, &corpus, "other", &["--with", "none"]);
    let ask = || {
        let answer = json(
            home,
            &[
                "ask",
                &to,
                "Who saw Io near Jupiter?",
                "-m",
                "bm25",
                "--json",
            ],
        );
        ranking(&answer)
    };
    let before = ask();
    assert!(before.len() > 1);

    // A publisher that is killed at work leaves the old version; whoever comes next goes on, or begins anew.
    let lock =
        "BEGIN; LOCK TABLE hopscope.hopscope_versions IN SHARE MODE; SELECT pg_sleep(4); COMMIT";
    std::thread::scope(|scope| {
        let held = scope.spawn(|| server.sql("whole", lock));
        std::thread::sleep(Duration::from_millis(500));
        let mut stuck = publisher(home, &other, &to);
        std::thread::sleep(Duration::from_millis(1500));
        assert!(stuck.try_wait().unwrap().is_none(), "it waits for the lock");
        let second = run(
            home,
            Some(PASSWORD),
            &["publish", other.to_str().unwrap(), "--to", &to],
        );
        let said = String::from_utf8(second.stderr).unwrap();
        assert!(
            said.contains("another hopscope is publishing into schema hopscope"),
            "{said}"
        );
        stuck.kill().unwrap();
        stuck.wait().unwrap();
        held.join().unwrap();
    });
    assert_eq!(ask(), before);
    let new = published(home, &other, &to, &[]);
    assert!(version(&new) > 1 && new["removed"] == 0, "{new}");
    assert_eq!(ask().len(), 1);
    assert_eq!(ask()[0].0, "io.md#1");
    let tables = "DO $$ BEGIN ASSERT (SELECT count(*) FROM pg_tables WHERE schemaname = 'hopscope' AND \
                  tablename LIKE '%arcs') = COUNT; END $$";
    server.sql("whole", &tables.replace("COUNT", "2"));

    // One that was stopped between tables goes on with those that lack.
    server.sql(
        "whole",
        "DELETE FROM hopscope.hopscope_current; \
         UPDATE hopscope.hopscope_versions SET whole = false, written = '{arcs,names}' WHERE version > 1",
    );
    let resumed = published(home, &other, &to, &["--remove-old"]);
    assert_eq!(
        (&resumed["resumed"], &resumed["removed"]),
        (&2.into(), &1.into())
    );
    server.sql("whole", &tables.replace("COUNT", "1"));
    assert_eq!(ask().len(), 1);
}

fn publisher(home: &Path, index: &Path, to: &str) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hopscope"));
    alone(&mut command, home);
    command.env("PGPASSWORD", PASSWORD);
    command.args(["publish", index.to_str().unwrap(), "--to", to]);
    command.spawn().unwrap()
}

/// What is returned, with its scores.
fn top(fetched: &Fetched) -> Vec<(String, f32)> {
    let index = &fetched.numbered.index;
    let hits = fetched.run.top().iter();
    hits.map(|hit| (index.id(hit.passage).to_owned(), hit.score))
        .collect()
}

#[test]
fn a_connection_that_breaks_is_made_again_and_a_server_that_is_gone_is_an_error() {
    let Some(server) = Server::start() else {
        return;
    };
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let index = indexed(home);
    server.database("whole", "hopscope");
    published(home, &index, &server.address("owner", "whole"), &[]);
    let address = server.open_address("owner", "whole");
    let there = Published::find(Path::new(&address), None, false)
        .unwrap()
        .unwrap();
    let settings = Settings::new(Method::by_name("graph-hybrid").unwrap());
    let settings = fitted(there.whole(), &settings).unwrap();
    let ask = || {
        retrieve(
            &there,
            "Who discovered the moon Titan?",
            &settings,
            (Keep::Scores, Purpose::Answer),
        )
    };
    let before = top(&ask().unwrap());
    for _ in 0..3 {
        server.sql(
            "postgres",
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'hopscope'",
        );
        assert_eq!(top(&ask().unwrap()), before);
    }
    // One that another program wrote.
    let versions = "UPDATE hopscope.hopscope_versions SET about = replace(about, '\"format\":8', '\"format\":99')";
    server.sql("whole", versions);
    let said = Published::find(Path::new(&address), None, false)
        .err()
        .unwrap()
        .to_string();
    assert!(
        said.contains("of another format") && said.contains("publish the index again"),
        "{said}"
    );
    // A version that is removed meanwhile.
    server.sql("whole", "DROP TABLE hopscope.v1_arcs");
    let said = ask().err().unwrap().to_string();
    assert!(
        said.contains("version 1 was removed while it was asked"),
        "{said}"
    );
    drop(server);
    let start = Instant::now();
    let said = ask().err().unwrap().to_string();
    assert!(
        said.starts_with("postgres://owner@127.0.0.1") && !said.contains(PASSWORD),
        "{said}"
    );
    assert!(start.elapsed() < Duration::from_secs(60));
}

/// Four servers, and the address of the databases that hold one index together.
fn four(user: &str) -> Option<(Vec<Server>, String)> {
    let servers: Option<Vec<Server>> = (0..4).map(|_| Server::start()).collect();
    let servers = servers?;
    for server in &servers {
        server.database("whole", "hopscope");
    }
    let address = together(user, servers.iter());
    Some((servers, address))
}

fn together<'a>(user: &str, servers: impl Iterator<Item = &'a Server>) -> String {
    let places: Vec<String> = servers
        .map(|server| format!("127.0.0.1:{}/whole", server.port))
        .collect();
    format!("postgres://{user}@{}", places.join(","))
}

#[test]
fn four_databases_that_share_an_index_answer_as_one() {
    let Some((servers, to)) = four("owner") else {
        return;
    };
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let index = indexed(home);
    let first = published(home, &index, &to, &[]);
    assert_eq!(first["databases"].as_array().unwrap().len(), 4);
    for server in &servers {
        server.reader("whole", "hopscope", "reader");
        let spread = "DO $$ BEGIN ASSERT (SELECT count(*) FROM hopscope.v1_arcs) BETWEEN 100 AND 1000; END $$";
        server.sql("whole", spread);
    }
    let path = index.to_str().unwrap();
    let address = together("reader", servers.iter().rev());
    let ask = |address: &str, question: &str, method: &str, set: &[&str]| {
        let words = ["ask", address, question, "--method", method, "--json"];
        let set = set.iter().flat_map(|set| ["--set", set]);
        json(home, &words.into_iter().chain(set).collect::<Vec<_>>())
    };
    for question in ["Who discovered the moon Titan?", "q01", "q17"] {
        for (method, set) in [("bm25", &[][..]), ("graph-hybrid", &PUSHED)] {
            let here = ask(path, question, method, set);
            let there = ask(&address, question, method, &[]);
            assert_eq!(ranking(&here), ranking(&there), "{method} {question}");
            assert_eq!(here["passages"][0]["text"], there["passages"][0]["text"]);
            assert_eq!(there["database"]["servers"], 4);
        }
    }
    // One of them, one too few, one twice, one that holds nothing.
    let (own, other) = (&servers[0], &servers[1]);
    let alone = own.address("reader", "whole");
    let fewer = together("reader", servers.iter().take(3));
    let twice = together("reader", servers.iter().take(3).chain([own]));
    let empty = format!("{fewer},127.0.0.1:{}/postgres", other.port);
    for (address, what) in [
        (alone, "it holds part 1 of 4 of an index"),
        (fewer, "name the 4 databases that it was published to"),
        (twice, "it holds part 1 of 4, as one before it does"),
        (empty, "it holds no part of the index"),
    ] {
        let refused = run(home, Some(PASSWORD), &["ask", &address, "Titan"]);
        let said = String::from_utf8(refused.stderr).unwrap();
        assert!(said.contains(what), "{said}");
        assert_eq!(refused.status.code(), Some(2));
    }

    same_as_a_copy(home, path, &address);

    // A new version is asked once all have it; one that reached some of them alone is not.
    let corpus = home.join("moons");
    std::fs::create_dir(&corpus).unwrap();
    let text = "# Io\n\nGalileo saw Io near Jupiter.\n";
    std::fs::write(corpus.join("io.md"), text).unwrap();
    let moons = written(home, &corpus, "other", &["--with", "none"]);
    published(home, &moons, &to, &[]);
    let asked = |question| ranking(&ask(&address, question, "bm25", &[]));
    assert_eq!(asked("Who saw Io near Jupiter?")[0].0, "io.md#1");
    for (server, back) in servers.iter().zip([true, false, false, true]) {
        // As when the publisher was stopped between two of them.
        if back {
            server.sql("whole", "UPDATE hopscope.hopscope_current SET version = 1");
        }
    }
    assert_eq!(asked("q01"), ranking(&ask(path, "q01", "bm25", &[])));
    let again = published(home, &moons, &to, &["--remove-old"]);
    assert_eq!((&again["rows"], &again["removed"]), (&0.into(), &4.into()));
    assert_eq!(asked("Who saw Io near Jupiter?").len(), 1);
}

#[test]
fn a_database_that_crashes_at_any_moment_gives_the_answer_or_an_error() {
    let Some((servers, to)) = four("owner") else {
        return;
    };
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    published(home, &indexed(home), &to, &[]);
    let open = to.replace("owner@", &format!("owner:{ENCODED}@"));
    let there = Published::find(Path::new(&open), None, false)
        .unwrap()
        .unwrap();
    let settings = Settings::new(Method::by_name("graph-hybrid").unwrap());
    let settings = fitted(there.whole(), &settings).unwrap();
    let questions = [
        "Who discovered the moon Titan?",
        "q01",
        "Which museum occupies the house of the man who found the planet after which Martin Klaproth named a metal?",
        "How many chronometers were on board the ship whose naturalist got his place through Francis Beaufort?",
    ];
    let ask = |at: usize| {
        let fetched = retrieve(
            &there,
            questions[at % 4],
            &settings,
            (Keep::Scores, Purpose::Answer),
        );
        fetched.map(|fetched| top(&fetched))
    };
    let right: Vec<_> = (0..4).map(|at| ask(at).unwrap()).collect();
    let (mut random, mut answers, mut slowest) = (SplitMix::new(7), 0, Duration::ZERO);
    for at in 0..100 {
        let (server, wait) = (random.below(4), random.below(40_000));
        let start = Instant::now();
        let answer = std::thread::scope(|scope| {
            let asked = scope.spawn(|| ask(at));
            std::thread::sleep(Duration::from_micros(wait as u64));
            servers[server].crash("hopscope");
            asked.join().unwrap()
        });
        slowest = slowest.max(start.elapsed());
        match answer {
            Ok(answer) => {
                assert_eq!(answer, right[at % 4]);
                answers += 1;
            }
            Err(error) => {
                let said = error.to_string();
                assert!(said.starts_with("postgres://owner@127.0.0.1:"), "{said}");
            }
        }
    }
    println!("{answers} of 100 answered, the slowest within {slowest:?}");
    assert!(slowest < Duration::from_secs(60));
    assert!(answers > 10, "a crash is got over: {answers}");
    // One that stays away.
    let mut servers = servers;
    let gone = servers.remove(2);
    let place = format!("127.0.0.1:{}/whole", gone.port);
    drop(gone);
    let said = ask(0).err().unwrap().to_string();
    assert!(said.contains(&place), "{said}");
    // Without it the rest is answered where a person asks for that, and what lacks is stated.
    for (at, question) in questions.iter().enumerate() {
        let asked = ["ask", &to, question, "-m", "graph-hybrid", "--json"];
        let refused = run(home, Some(PASSWORD), &asked);
        let said = String::from_utf8(refused.stderr).unwrap();
        assert!(
            refused.status.code() == Some(2) && said.contains(&place),
            "{said}"
        );
        let answer = json(home, &[&asked[..], &["--partial"]].concat());
        let lost = &answer["database"]["lost"];
        assert_eq!(lost["databases"], serde_json::json!([place]), "{answer}");
        let mass = lost["mass"].as_f64().unwrap();
        assert!((0.0..=1.0).contains(&mass), "{mass}");
        let known = ranking(&answer);
        let same = |(id, _): &&(String, f32)| known.iter().any(|(own, _)| own == id);
        assert!(right[at].iter().filter(same).count() > 2, "{known:?}");
    }
    let words = ["ask", &to, questions[0], "--partial", "-m", "graph-hybrid"];
    let said = String::from_utf8(run(home, Some(PASSWORD), &words).stderr).unwrap();
    assert!(
        said.contains("partial answer, without 127.0.0.1:"),
        "{said}"
    );
    // Calls that say more than an answer give none.
    let session = Session::open(Some(Path::new(&open)), Lossy { partial: true }, &mut |_| {});
    let session = session.unwrap();
    let call = |name: &str, arguments: Value| {
        let tool = TOOLS.iter().find(|tool| tool.name == name).unwrap();
        let arguments = arguments.as_object().unwrap().clone();
        tool.call(&session, arguments, &|| true)
    };
    let asked = json!({"question": questions[0], "method": "graph-hybrid"});
    let answer = call("ask", asked.clone()).unwrap();
    assert_eq!(answer["lost"]["databases"], json!([place]), "{answer}");
    assert!(answer.get("confidence").is_none(), "{answer}");
    let status = call("open_status", json!({})).unwrap();
    assert_eq!(status["lost"], json!([place]));
    let mut explained = asked;
    explained["passage"] = answer["passages"][0]["id"].clone();
    for name in ["why", "why_not"] {
        let refused = call(name, explained.clone()).unwrap_err();
        assert!(refused.error.contains(&place), "{name}: {}", refused.error);
    }
    // One that goes while it is asked.
    let there = Published::find(Path::new(&open), None, true)
        .unwrap()
        .unwrap();
    let ask = || {
        let purpose = (Keep::Scores, Purpose::Answer);
        retrieve(&there, questions[0], &settings, purpose).unwrap()
    };
    let before = top(&ask());
    let gone = servers.remove(1);
    let other = format!("127.0.0.1:{}/whole", gone.port);
    drop(gone);
    assert!(ask().lost.is_some());
    assert_eq!(there.lost(), [place, other]);
    assert_ne!(top(&ask()), before);
}
