//! Graphs in tables of PostgreSQL, in a real server: read as their folders are, by a user who may only read, and with no
//! password in anything that is shown or kept. Without a server they are skipped.
#![cfg(unix)]

mod attached;
mod folder;
mod published;
mod server;

use folder::{Folder, table};
use serde_json::Value;
use server::{ENCODED, PASSWORD, Server, alone};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// Runs the program in a home of its own, with a password or without.
fn run(home: &Path, password: Option<&str>, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hopscope"));
    alone(&mut command, home);
    if let Some(password) = password {
        command.env("PGPASSWORD", password);
    }
    command.args(arguments).output().unwrap()
}

fn json(home: &Path, arguments: &[&str]) -> Value {
    let out = run(home, Some(PASSWORD), arguments);
    let said = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{arguments:?}: {said}");
    serde_json::from_slice(&out.stdout).unwrap()
}

/// What a failure says, in lines as they are.
fn fails(home: &Path, password: Option<&str>, address: &str) -> String {
    let out = run(home, password, &["import", address]);
    assert_eq!(out.status.code(), Some(2), "{address}");
    let said = String::from_utf8(out.stderr).unwrap();
    assert!(
        !said.contains(PASSWORD) && !said.contains(ENCODED),
        "{said}"
    );
    assert!(said.starts_with("hopscope: postgres://"), "{said}");
    said
}

/// Counts, and what was left out or repaired. Vectors, and where something is missing, are of the form alone.
fn account(report: &Value) -> (Value, Vec<String>) {
    let notes = report["notes"].as_array().unwrap().iter();
    let notes = notes.filter(|note| !note["what"].as_str().unwrap().contains("vectors"));
    let notes = notes.map(|note| {
        let what = note["what"]
            .as_str()
            .unwrap()
            .replace("no table has", "no file has");
        format!("{}: {what}: {}", note["sort"], note["count"])
    });
    let mut notes: Vec<String> = notes.collect();
    notes.sort();
    (report["tables"].clone(), notes)
}

/// Identifiers and scores of an answer.
fn ranking(answer: &Value) -> Vec<(String, f64)> {
    let hits = answer["passages"].as_array().unwrap().iter();
    let one = |hit: &Value| {
        (
            hit["id"].as_str().unwrap().to_owned(),
            hit["score"].as_f64().unwrap(),
        )
    };
    hits.map(one).collect()
}

fn samples() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let shared = std::env::var_os("HOPSCOPE_SHARED");
    let shared = shared.map_or_else(|| root.join("../shared"), PathBuf::from);
    let mut samples = vec![root.join("tests/data/given/lightrag")];
    for name in ["biboyqg-small", "ci3lab-construction"] {
        let sample = shared.join("data/indexes/lightrag").join(name);
        match sample.is_dir() {
            true => samples.push(sample),
            false => println!("skipped: {} is not here", sample.display()),
        }
    }
    samples
}

/// A folder of LightRAG as tables of a database of its own, and the user who may only read them.
fn in_tables(server: &Server, at: usize, sample: &Path) -> (Folder, String, String) {
    let (database, user) = (format!("graph{at}"), format!("reader{at}"));
    server.database(&database, "light");
    server.sql(&database, &table::lightrag(server, &database, "light"));
    let folder = Folder::read(sample);
    server.sql(&database, &folder.rows("light", "W"));
    server.reader(&database, "light", &user);
    (folder, database, user)
}

/// Holds that the program asked a server for nothing but to read.
fn only_read(server: &Server) {
    let statements = server.statements("hopscope");
    assert!(statements.len() > 50);
    for statement in statements {
        let only_reads = "SET default_transaction_read_only = on";
        let reads = [
            "BEGIN", "SELECT ", "DECLARE ", "FETCH ", "CLOSE ", only_reads,
        ];
        assert!(
            reads.iter().any(|begin| statement.starts_with(begin)),
            "{statement}"
        );
        assert!(
            !statement.starts_with("BEGIN") || statement.contains("READ ONLY"),
            "{statement}"
        );
    }
}

#[test]
fn tables_are_read_as_their_folder_is_and_nothing_is_written() {
    let Some(server) = Server::start() else {
        return;
    };
    let home = tempfile::tempdir().unwrap();
    for (at, sample) in samples().iter().enumerate() {
        let (folder, database, user) = in_tables(&server, at, sample);
        let address = server.address(&user, &format!("{database}?schema=light"));
        let path = sample.to_str().unwrap();
        let theirs = json(home.path(), &["import", path, "--json"]);
        let ours = json(home.path(), &["import", &address, "--json"]);
        assert_eq!(account(&ours), account(&theirs), "{path}");
        assert_eq!(ours["system"], "LightRAG");
        let generation = ours["generation"].as_str().unwrap();
        let place = format!(
            "tables of 127.0.0.1:{}/{database}, schema light, workspace W, copied 20",
            server.port
        );
        assert!(generation.starts_with(&place), "{generation}");
        assert!(generation.contains("(PostgreSQL 1"), "{generation}");
        // In tables the ends of an edge are in the order of their characters, which only vectors of relations read.
        let question = folder.question();
        for method in ["bm25", "hop", "given", "lightrag-local"] {
            let ask = |path: &str| {
                let answer = json(
                    home.path(),
                    &["ask", path, &question, "--method", method, "--json"],
                );
                ranking(&answer)
            };
            let (theirs, ours) = (ask(path), ask(&address));
            assert!(!theirs.is_empty(), "{method}");
            for ((id, score), (own, same)) in theirs.iter().zip(&ours) {
                assert_eq!(id, own, "{path} {method}: {theirs:?} {ours:?}");
                assert!(
                    (score - same).abs() <= 1e-6 * score.abs(),
                    "{path} {method}"
                );
            }
            assert_eq!(theirs.len(), ours.len());
        }
    }
    only_read(&server);
}

#[test]
fn an_index_keeps_the_copy_and_no_password() {
    let Some(server) = Server::start() else {
        return;
    };
    let home = tempfile::tempdir().unwrap();
    server.database("graph", "public");
    server.sql("graph", &table::lightrag(&server, "graph", "public"));
    let folder = Folder::read(&samples()[0]);
    server.sql("graph", &folder.rows("public", "W"));
    server.reader("graph", "public", "reader");
    let address = server.open_address("reader", "graph?workspace=W");
    let index = home.path().join("index");
    let out = run(
        home.path(),
        None,
        &["import", &address, "--out", index.to_str().unwrap()],
    );
    let said = String::from_utf8_lossy(&out.stdout) + String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{said}");
    assert!(
        said.contains("workspace W, copied 20") && said.contains("6 read"),
        "{said}"
    );
    let picture = home.path().join("screen.txt");
    let shot = ["--screenshot", picture.to_str().unwrap()];
    let out = run(home.path(), None, &[&[&*address], &shot[..]].concat());
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    let screen = fs::read_to_string(&picture).unwrap();
    assert!(screen.contains("graph W   6 passages"), "{screen}");
    let seen = String::from_utf8(out.stderr).unwrap();
    let copied = "read 5 tables: 6 passages; LightRAG graph: 11 entities, 9 relations, from tables of 127.0.0.1:";
    assert!(
        seen.contains(copied) && seen.contains("copied 20"),
        "{seen}"
    );
    // The copy is walked on when the server has other rows, or none.
    server.sql("graph", "DELETE FROM lightrag_graph_edges; DELETE FROM lightrag_graph_nodes; DELETE FROM lightrag_doc_chunks");
    let walked = json(
        home.path(),
        &[
            "ask",
            index.to_str().unwrap(),
            &folder.question(),
            "--method",
            "given",
            "--json",
        ],
    );
    assert!(!ranking(&walked).is_empty());
    for text in [said.into_owned(), screen, seen]
        .into_iter()
        .chain(below(home.path()))
    {
        assert!(
            !text.contains(PASSWORD) && !text.contains(ENCODED),
            "{text}"
        );
    }
    assert!(
        fails(home.path(), None, &address).contains("the tables of schema public have no rows")
    );
}

/// The texts of all files of a folder.
fn below(folder: &Path) -> Vec<String> {
    let mut texts = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => texts.extend(below(&path)),
            false => texts.push(String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned()),
        }
    }
    texts
}

#[test]
fn odd_rows_are_read_or_counted_and_faults_have_a_remedy() {
    let Some(server) = Server::start() else {
        return;
    };
    let home = tempfile::tempdir().unwrap();
    let at = home.path();
    server.database("graph", "public");
    server.sql("graph", &table::lightrag(&server, "graph", "public"));
    server.sql("graph", table::ODD);
    server.reader("graph", "public", "reader");
    let odd = server.address("reader", "graph?workspace=odd");
    let report = json(at, &["import", &odd, "--json"]);
    let count = |name: &str| {
        let tables = report["tables"].as_array().unwrap();
        let found = tables.iter().find(|table| table["name"] == name).unwrap();
        [&found["read"], &found["kept"]].map(|count| count.as_u64().unwrap())
    };
    assert_eq!((count("text units"), count("entities")), ([3, 2], [6, 6]));
    assert_eq!(count("relations"), [3, 2]);
    let notes = report["notes"].to_string();
    for note in [
        "entities whose properties are no object of JSON, read without them",
        "lists of lightrag_entity_chunks that are no list of identifiers",
        "text units without text",
        "text units that entities name and no table has",
        "relations of an entity to itself",
        "weights that are no number above zero, taken as 1",
        "entities whose list of text units was cut when they were written",
    ] {
        assert!(notes.contains(note), "{note}: {notes}");
    }
    // Ada's attribute was cut to the first text, her list has both. An escape of a name does nothing to a terminal.
    let index = at.join("index");
    let out = run(
        at,
        Some(PASSWORD),
        &["import", &odd, "--out", index.to_str().unwrap()],
    );
    let said = String::from_utf8_lossy(&out.stdout) + String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success() && !said.contains('\u{1b}'), "{said}");
    let ask = [
        "ask",
        index.to_str().unwrap(),
        "What of Ada?",
        "--method",
        "given",
        "--json",
    ];
    let found: Vec<String> = ranking(&json(at, &ask))
        .into_iter()
        .map(|(id, _)| id)
        .collect();
    assert!(
        found.contains(&"c1".to_owned()) && found.contains(&"c2".to_owned()),
        "{found:?}"
    );

    let of = |rest: &str| server.address("reader", rest);
    let fails = |rest: &str| fails(at, Some(PASSWORD), &of(rest));
    let several = fails("graph");
    assert!(
        several.contains("2 workspaces: odd (6 entities, 3 texts), two (1 entities, 0 texts)"),
        "{several}"
    );
    assert!(
        several.contains("add ?workspace=odd to the address"),
        "{several}"
    );
    assert!(
        fails("graph?workspace=none")
            .contains("no workspace 'none' in schema public; name one of odd")
    );
    let nothing = fails("postgres");
    assert!(
        nothing
            .contains("no tables of a graph in database postgres; looked for lightrag_graph_nodes"),
        "{nothing}"
    );
    assert!(fails("graph?schema=none").contains("they are in: public"));
    assert!(
        fails("nowhere").contains("database \"nowhere\" does not exist; name another database")
    );
    assert!(fails("graph?kind=what").contains("'what' is not a kind of tables; use lightrag"));
    assert!(fails("graph?shema=public").contains("no parameter 'shema'"));
    server.sql("graph", "REVOKE SELECT ON lightrag_graph_edges FROM reader");
    let forbidden = fails("graph?workspace=odd");
    assert!(
        forbidden
            .contains("'reader' may not read public.lightrag_graph_edges; run GRANT SELECT ON"),
        "{forbidden}"
    );
    server.sql("graph", "DROP TABLE lightrag_graph_edges");
    assert!(
        fails("graph?workspace=odd").contains("no table lightrag_graph_edges in schema public")
    );
    server.sql("graph", "DROP TABLE lightrag_graph_nodes");
    assert!(fails("graph?workspace=odd").contains("its graph is kept elsewhere"));

    // Passwords: wrong, none, of a file, of a service.
    let plain = of("postgres");
    assert!(
        super::postgres::fails(at, Some("wrong"), &plain)
            .contains("set PGPASSWORD, or add a line to ~/.pgpass")
    );
    assert!(
        super::postgres::fails(at, None, &plain)
            .contains("user 'reader' needs a password; set PGPASSWORD")
    );
    let file = at.join(".pgpass");
    fs::write(
        &file,
        format!("127.0.0.1:*:*:reader:{}\n", PASSWORD.replace(':', "\\:")),
    )
    .unwrap();
    assert!(super::postgres::fails(at, None, &plain).contains("chmod 600"));
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    assert!(super::postgres::fails(at, None, &plain).contains("no tables of a graph"));
    let service = format!(
        "[mine]\nhost=127.0.0.1\nport={}\nuser=reader\ndbname=postgres\n",
        server.port
    );
    fs::write(at.join(".pg_service.conf"), service).unwrap();
    assert!(
        super::postgres::fails(at, None, "postgres://?service=mine")
            .contains("no tables of a graph in database postgres")
    );
}

#[test]
fn names_in_capitals_are_found_and_two_schemas_are_told_apart() {
    let Some(server) = Server::start() else {
        return;
    };
    let home = tempfile::tempdir().unwrap();
    server.database("graph", "one");
    let folder = Folder::read(&samples()[0]);
    for (schema, renamed) in [("one", true), ("two", false)] {
        server.sql("graph", &format!("CREATE SCHEMA IF NOT EXISTS {schema}"));
        server.sql("graph", &table::lightrag(&server, "graph", schema));
        server.sql("graph", &folder.rows(schema, "W"));
        if renamed {
            for name in [
                "lightrag_graph_nodes",
                "lightrag_doc_chunks",
                "lightrag_entity_chunks",
            ] {
                let capitals = name.to_uppercase();
                server.sql(
                    "graph",
                    &format!("ALTER TABLE {schema}.{name} RENAME TO \"{capitals}\""),
                );
            }
            server.sql(
                "graph",
                &format!(
                    "ALTER TABLE {schema}.\"LIGHTRAG_DOC_CHUNKS\" RENAME content TO \"Content\""
                ),
            );
        }
    }
    let of = |rest: &str| server.address("owner", &format!("graph{rest}"));
    let said = fails(home.path(), Some(PASSWORD), &of(""));
    assert!(
        said.contains("tables of a graph in several schemas: one, two; add schema=NAME"),
        "{said}"
    );
    let read = |schema: &str| account(&json(home.path(), &["import", &of(schema), "--json"]));
    assert_eq!(read("?schema=one"), read("?schema=two"));
}

#[test]
fn docsgpts_tables_are_read_source_by_source() {
    let Some(server) = Server::start() else {
        return;
    };
    let home = tempfile::tempdir().unwrap();
    let at = home.path();
    server.database("docs", "public");
    server.sql("docs", &table::docsgpt(&server, "docs"));
    server.sql("docs", table::DOCSGPT);
    server.reader("docs", "public", "reader");
    let of = |rest: &str| server.address("reader", &format!("docs{rest}"));
    let said = fails(at, Some(PASSWORD), &of(""));
    let first = "00000000-0000-0000-0000-00000000000a";
    assert!(
        said.contains(&format!("2 sources: {first} (3 entities, 3 texts)")),
        "{said}"
    );
    assert!(
        said.contains(&format!("add ?source={first} to the address")),
        "{said}"
    );
    let address = of(&format!("?source={first}"));
    let report = json(at, &["import", &address, "--json"]);
    assert_eq!(report["system"], "DocsGPT");
    let counts = report["tables"].as_array().unwrap().iter();
    let counts: Vec<String> = counts
        .map(|table| {
            format!(
                "{} {} {}",
                table["name"].as_str().unwrap(),
                table["read"],
                table["kept"]
            )
        })
        .collect();
    assert_eq!(counts, ["text units 3 3", "entities 3 3", "relations 3 2"]);
    let notes = report["notes"].to_string();
    for note in [
        "text units that entities name and no table has",
        "relations that name an entity that no table has",
    ] {
        assert!(notes.contains(note), "{notes}");
    }
    let answer = json(
        at,
        &[
            "ask",
            &address,
            "Who discovered Titan?",
            "--method",
            "given",
            "--json",
        ],
    );
    let found = ranking(&answer);
    assert_eq!(found[0].0, "1", "{answer}");
    let titles = answer["passages"].as_array().unwrap().iter();
    let titles: Vec<&str> = titles.map(|hit| hit["title"].as_str().unwrap()).collect();
    assert!(
        titles.contains(&"titan") && titles.contains(&"moons"),
        "{titles:?}"
    );
    // Both systems in one schema have to be told apart.
    server.sql("docs", &table::lightrag(&server, "docs", "public"));
    let said = fails(at, Some(PASSWORD), &address);
    assert!(
        said.contains("add kind=lightrag or kind=docsgpt to the address"),
        "{said}"
    );
    let kept = json(
        at,
        &["import", &format!("{address}&kind=docsgpt"), "--json"],
    );
    assert_eq!(kept["tables"], report["tables"]);
}

#[cfg(not(feature = "https"))]
#[test]
fn tls_is_refused_where_the_build_has_none() {
    let home = tempfile::tempdir().unwrap();
    for mode in ["require", "verify-ca", "verify-full"] {
        let address = format!("postgres://u@127.0.0.1:9/d?sslmode={mode}");
        let said = fails(home.path(), None, &address);
        assert!(
            said.contains(
                "sslmode asks for TLS, which this build lacks; install with --features https"
            ),
            "{said}"
        );
    }
}

/// A server with a certificate of an authority of its own.
#[cfg(feature = "https")]
#[test]
fn a_connection_is_encrypted_and_a_certificate_checked_as_asked() {
    if Command::new("openssl").arg("version").output().is_err() {
        println!("skipped: no openssl");
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let at = home.path();
    let openssl = |arguments: &str| {
        let done = Command::new("openssl")
            .args(arguments.split(' '))
            .current_dir(at)
            .output()
            .unwrap();
        assert!(
            done.status.success(),
            "{}",
            String::from_utf8_lossy(&done.stderr)
        );
    };
    openssl("req -newkey rsa:2048 -nodes -x509 -days 2 -subj /CN=house -keyout ca.key -out ca.pem");
    openssl("req -newkey rsa:2048 -nodes -subj /CN=server -keyout server.key -out server.csr");
    fs::write(
        at.join("names"),
        "subjectAltName=IP:127.0.0.1\nbasicConstraints=CA:FALSE\n",
    )
    .unwrap();
    openssl(
        "x509 -req -days 2 -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -extfile names -out server.pem",
    );
    let Some(server) = Server::start_with(&[
        ("server.key", &at.join("server.key")),
        ("server.pem", &at.join("server.pem")),
    ]) else {
        return;
    };
    let root = at.join("ca.pem");
    let with = |rest: &str| {
        fails(
            at,
            Some(PASSWORD),
            &server.address("owner", &format!("postgres?{rest}")),
        )
    };
    // Whoever is let in is told that nothing is there: the server lets nobody in without TLS.
    for mode in [
        "sslmode=prefer",
        "sslmode=require",
        &format!("sslmode=verify-full&sslrootcert={}", root.display()),
    ] {
        assert!(with(mode).contains("no tables of a graph"), "{mode}");
    }
    assert!(with("sslmode=disable").contains("no encryption"));
    let unknown = with("sslmode=verify-full");
    assert!(
        unknown.contains("UnknownIssuer") || unknown.contains("certificate"),
        "{unknown}"
    );
    let missing = with(&format!(
        "sslmode=verify-full&sslrootcert={}/none.pem",
        at.display()
    ));
    assert!(
        missing.contains("name a file of certificates as PEM"),
        "{missing}"
    );
}

#[test]
fn a_server_that_is_not_there_or_says_nothing_is_given_up() {
    let home = tempfile::tempdir().unwrap();
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    let start = Instant::now();
    let quiet = format!("postgres://u:{ENCODED}@127.0.0.1:{port}/d?connect_timeout=1");
    let said = fails(home.path(), None, &quiet);
    assert!(
        said.contains(&format!(
            "no answer from 127.0.0.1:{port} within 1 s; check host, port"
        )),
        "{said}"
    );
    drop(silent);
    let said = fails(home.path(), None, &quiet);
    assert!(
        said.contains(&format!("the server 127.0.0.1:{port} cannot be reached")),
        "{said}"
    );
    assert!(
        said.contains("; start it, or correct host and port"),
        "{said}"
    );
    assert!(start.elapsed() < Duration::from_secs(30));
    let said = fails(
        home.path(),
        None,
        &format!("postgres://u@127.0.0.1:{port}/d?sslmode=maybe"),
    );
    assert!(
        said.contains("'maybe' is not an sslmode; use disable"),
        "{said}"
    );
}
