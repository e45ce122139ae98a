//! LightRAG's tables asked by rows: what comes of them is what comes of a copy.

use super::folder::table;
use super::server::{PASSWORD, Server};
use super::{in_tables, json, only_read, ranking, run, samples};
use serde_json::Value;
use std::path::Path;

/// The walk from names, which needs no text; the one that starts from words, too; and words alone.
const METHODS: [&str; 3] = [
    "names > given > push > passages",
    "names+bm25 > given > push > passages",
    "bm25",
];

fn ask(home: &Path, address: &str, question: &str, method: &str) -> Value {
    json(
        home,
        &[
            "ask",
            address,
            question,
            "--method",
            method,
            "--json",
            "--set",
            "fallback=none",
        ],
    )
}

fn same(rows: &Value, copy: &Value, what: &str) {
    let (rows, copy) = (ranking(rows), ranking(copy));
    assert_eq!(rows.len(), copy.len(), "{what}: {rows:?} {copy:?}");
    for ((id, score), (own, wanted)) in rows.iter().zip(&copy) {
        assert_eq!(id, own, "{what}: {rows:?} {copy:?}");
        assert!(
            (score - wanted).abs() <= 1e-6 * wanted.abs(),
            "{what}: {rows:?} {copy:?}"
        );
    }
}

fn slow(answer: &Value) -> String {
    assert!(answer["database"]["trips"].as_u64().unwrap() > 0);
    answer["database"]["slow"].to_string()
}

#[test]
fn rows_answer_as_a_copy_does() {
    let Some(server) = Server::start() else {
        return;
    };
    let home = tempfile::tempdir().unwrap();
    for (at, sample) in samples().iter().enumerate() {
        let (folder, database, user) = in_tables(&server, at, sample);
        // Whole lists of chunks stand in a table of their own; one entity and its relations are left to their attributes.
        let lists = "INSERT INTO light.lightrag_entity_chunks (id, workspace, chunk_ids) \
             SELECT id, workspace, to_jsonb(string_to_array(properties ->> 'source_id', '<SEP>')) FROM light.lightrag_graph_nodes \
             WHERE properties ->> 'source_id' <> '' ORDER BY id OFFSET 1";
        server.sql(&database, lists);
        let of =
            |read: &str| server.address(&user, &format!("{database}?schema=light&read={read}"));
        let question = folder.question();
        let compare = |what: &str| {
            for method in METHODS {
                let rows = ask(home.path(), &of("rows"), &question, method);
                let copy = ask(home.path(), &of("copy"), &question, method);
                assert!(copy["database"].is_null());
                same(&rows, &copy, &format!("{method}, {what}"));
                if method == METHODS[0] {
                    assert!(!ranking(&rows).is_empty());
                }
            }
            slow(&ask(home.path(), &of("rows"), &question, METHODS[0]))
        };
        let before = compare("without indexes");
        assert!(before.contains("USING gin (chunk_ids)"), "{before}");
        server.sql(
            &database,
            "CREATE INDEX ON light.lightrag_entity_chunks USING gin (chunk_ids)",
        );
        let after = compare("with an index of lists");
        assert!(!after.contains("USING gin (chunk_ids)"), "{after}");
        assert!(after.contains("gin_trgm_ops"), "{after}");
        // Debian's package brings the extension.
        let parts = "CREATE EXTENSION pg_trgm SCHEMA light; \
             CREATE INDEX ON light.lightrag_doc_chunks USING gin (content light.gin_trgm_ops)";
        match server.try_sql(&database, parts) {
            Ok(()) => assert!(!compare("with an index of words").contains("gin_trgm_ops")),
            Err(error) => println!("skipped: {error}"),
        }
    }
    only_read(&server);
}

#[test]
fn odd_rows_come_as_in_a_copy_and_what_rows_do_not_serve_is_said() {
    let Some(server) = Server::start() else {
        return;
    };
    let home = tempfile::tempdir().unwrap();
    let at = home.path();
    server.database("graph", "public");
    server.sql("graph", &table::lightrag(&server, "graph", "public"));
    server.sql("graph", table::ODD);
    server.reader("graph", "public", "reader");
    let of = |rest: &str| server.address("reader", &format!("graph?workspace=odd{rest}"));
    for question in [
        "What did Ada Lovelace and Babbage have?",
        "London?",
        "Of O'Brien",
    ] {
        for method in METHODS {
            let rows = ask(at, &of("&read=rows"), question, method);
            let copy = ask(at, &of("&read=copy"), question, method);
            same(&rows, &copy, &format!("{method}: {question}"));
        }
    }
    // Explanations, and entities with what the tables say of them.
    let trace = json(at, &["trace", &of("&read=rows"), "What of Ada?", "--json"]);
    let trace = trace.to_string();
    assert!(
        trace.contains("as of 20") && trace.contains("person"),
        "{trace}"
    );
    let why = [
        "explain",
        &of("&read=rows"),
        "What of Ada?",
        "--passage",
        "c2",
        "--json",
    ];
    assert!(json(at, &why).to_string().contains("Ada"));

    let fails = |arguments: &[&str]| {
        let out = run(at, Some(PASSWORD), arguments);
        assert_eq!(out.status.code(), Some(2), "{arguments:?}");
        String::from_utf8(out.stderr).unwrap()
    };
    let refused = |more: &[&str]| {
        let address = of("&read=rows");
        fails(&[&["ask", &*address, "What of Ada?"], more].concat())
    };
    let said = refused(&["--method", "hop"]);
    assert!(said.contains("hopscope index ADDRESS --out DIR"), "{said}");
    let said = refused(&["--set", "push_threshold=degree"]);
    assert!(said.contains("set push_threshold=plain"), "{said}");
    let said = fails(&["ask", &of("&read=slowly"), "What of Ada?"]);
    assert!(said.contains("use read=rows or read=copy"), "{said}");
    // Few texts are copied, so that every method runs.
    let hop = json(
        at,
        &["ask", &of(""), "What of Ada?", "--method", "hop", "--json"],
    );
    assert!(hop["database"].is_null() && !ranking(&hop).is_empty());

    server.database("docs", "public");
    server.sql("docs", &table::docsgpt(&server, "docs"));
    server.sql("docs", table::DOCSGPT);
    let docs = "docs?read=rows&source=00000000-0000-0000-0000-00000000000a";
    let said = fails(&["ask", &server.address("owner", docs), "What is Titan?"]);
    assert!(said.contains("leave out read=rows"), "{said}");
}
