use super::*;
use crate::corpus::typed::passages;
use crate::exchange::fixture::{EDGES, NODES, SCHEMA, tables};
use crate::exchange::schema::FieldKind;

fn said(nodes: &str, edges: &str, schema: Option<&str>) -> String {
    let folder = tempfile::tempdir().unwrap();
    tables(folder.path(), nodes, edges, schema);
    read(folder.path()).unwrap_err().to_string()
}

#[test]
fn tables_with_a_schema() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(beside(folder.path()), None);
    tables(folder.path(), NODES, EDGES, Some(SCHEMA));
    fs::write(folder.path().join("corpus.jsonl"), "").unwrap();
    assert_eq!(
        beside(&folder.path().join("corpus.jsonl")).as_deref(),
        Some(folder.path())
    );
    let graph = read(folder.path()).unwrap();
    let counts: Vec<u64> = graph.schema.types.iter().map(|t| t.count).collect();
    assert_eq!(counts, [3, 4, 2]);
    let counts: Vec<u64> = graph.schema.edges.iter().map(|e| e.count).collect();
    assert_eq!(counts, [4, 3, 2, 2]);
    assert_eq!(graph.edges[0], (0, 1, 3), "ada taught alan");
    assert_eq!(graph.objects[0].aliases, ["Countess of Lovelace"]);
    assert_eq!(
        graph.objects[3].fields,
        [
            ("year".into(), "1843".into()),
            ("note".into(), "red red red blue blue blue blue".into())
        ]
    );
}

#[test]
fn without_a_schema_it_is_inferred() {
    let folder = tempfile::tempdir().unwrap();
    let nodes = concat!(
        r#"{"id": 1, "type": "Author", "name": "A", "aliases": ["B"], "h_index": 3}"#,
        "\n\n",
        r#"{"id": "2", "type": "Paper", "label": "P", "abstract": "one two three four five six seven eight", "tags": ["x", "y"]}"#,
        "\n",
    );
    fs::write(folder.path().join("nodes.jsonl"), nodes).unwrap();
    let edge = r#"{"src": 1, "dst": 2, "kind": "HAS_WRITTEN"}"#;
    fs::write(
        folder.path().join("edges.jsonl"),
        format!("{edge}\n{edge}\n"),
    )
    .unwrap();
    let graph = read(folder.path()).unwrap();
    let [author, paper] = &graph.schema.types[..] else {
        panic!()
    };
    assert_eq!(
        (
            author.person,
            author.answerable,
            paper.person,
            paper.answerable
        ),
        (true, false, false, true)
    );
    let kinds: Vec<(&str, FieldKind)> = paper
        .fields
        .iter()
        .map(|f| (f.name.as_str(), f.kind))
        .collect();
    assert_eq!(
        kinds,
        [("abstract", FieldKind::Long), ("tags", FieldKind::Text)]
    );
    assert_eq!(
        (author.fields[0].kind, &*author.fields[0].synonyms[0]),
        (FieldKind::Number, "h index")
    );
    assert_eq!(graph.objects[1].fields[1].1, "x; y");
    let edge = &graph.schema.edges[0];
    assert_eq!(
        (&*edge.from, &*edge.to, edge.count),
        ("Author", "Paper", 1),
        "one edge, said twice"
    );
    assert_eq!(edge.cues, ["has written", "written"]);
}

#[test]
fn bad_records_are_named_by_line() {
    for (nodes, edges, says) in [
        (
            "id\ttype\tname\na\tT\t\n",
            "",
            "nodes.tsv:2: expected a column `name`",
        ),
        (
            "id\ttype\tname\na\tT\tA\na\tT\tB\n",
            "",
            "nodes.tsv:3: expected an identifier that is there once; found 'a' again",
        ),
        (
            "id\ttype\tname\na\tT\tA\tx\n",
            "",
            "nodes.tsv:2: expected 3 columns; found 4",
        ),
        (
            "id\ttype\tname\na\tT\tA\n",
            "from\tto\ttype\na\tb\tE\n",
            "edges.tsv:2: expected the identifier of an object; found 'b'",
        ),
        (
            "id\ttype\tname\na\tT\tA\n",
            "from\tto\na\ta\n",
            "edges.tsv:2: expected a column `type`",
        ),
        (
            "id\ttype\tname\na\tT\tA\n",
            "a\tb\nx\ty\n",
            "expected a column `from`",
        ),
    ] {
        let said = said(nodes, edges, None);
        assert!(said.contains(says), "{said}");
    }
    for (nodes, edges, says) in [
        (
            "id\ttype\tname\na\tT\tA\n",
            "",
            "nodes.tsv:2: expected a type of",
        ),
        (
            "id\ttype\tname\tyear\na\tWork\tA\tsoon\n",
            "",
            "a number in the field `year`; found 'soon'",
        ),
        (
            NODES,
            "from\tto\ttype\nada\talan\tWROTE\n",
            "edges.tsv:2: expected ends of WROTE as",
        ),
    ] {
        let said = said(nodes, edges, Some(SCHEMA));
        assert!(said.contains(says), "{said}");
    }
    for (schema, says) in [
        ("{", "schema.json:1: expected a schema such as"),
        (
            r#"{"types": [{"name": "T", "colour": 1}], "edges": []}"#,
            "unknown field",
        ),
        (
            r#"{"types": [{"name": "T"}, {"name": "T"}], "edges": []}"#,
            "schema.json: expected types with different names",
        ),
        (
            r#"{"types": [{"name": "T", "fields": [{"name": "name", "kind": "text"}]}], "edges": []}"#,
            "fields of T with different names",
        ),
        (
            r#"{"types": [{"name": "T"}], "edges": [{"name": "E", "from": "T", "to": "U"}]}"#,
            "a type at each end of E; found 'U'",
        ),
    ] {
        let said = said(NODES, EDGES, Some(schema));
        assert!(said.contains(says), "{said}");
    }
    let folder = tempfile::tempdir().unwrap();
    assert!(
        read(folder.path())
            .unwrap_err()
            .to_string()
            .contains("no schema graph")
    );
    fs::write(folder.path().join("nodes.jsonl"), b"{}\n\xff\n").unwrap();
    fs::write(folder.path().join("edges.jsonl"), "").unwrap();
    assert!(
        read(folder.path())
            .unwrap_err()
            .to_string()
            .contains("nodes.jsonl:2: expected text in UTF-8")
    );
    fs::write(folder.path().join("nodes.jsonl"), "[]\n").unwrap();
    assert!(
        read(folder.path())
            .unwrap_err()
            .to_string()
            .contains("nodes.jsonl:1: expected a JSON object")
    );
}

#[test]
fn objects_become_passages_of_their_fields() {
    let graph = crate::exchange::fixture::graph();
    let passages = passages(&graph);
    assert_eq!(passages[0].title, "Ada Lovelace");
    assert_eq!(
        passages[0].text,
        "Person. Also called Countess of Lovelace."
    );
    assert_eq!(
        passages[3].text,
        "Work. Year 1843. red red red blue blue blue blue"
    );
}

/// The bundled tables and the bundled corpus are one thing in two forms.
#[test]
fn the_bundled_graph_is_its_corpus() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-corpus/typed-graph");
    let graph = read(&folder).unwrap();
    assert_eq!((graph.objects.len(), graph.edges.len()), (148, 247));
    let text = fs::read_to_string(folder.join("corpus.jsonl")).unwrap();
    let made = passages(&graph);
    assert_eq!(text.lines().count(), made.len());
    for (line, passage) in text.lines().zip(made) {
        let row: Value = serde_json::from_str(line).unwrap();
        let fields = (
            row["_id"].as_str(),
            row["title"].as_str(),
            row["text"].as_str(),
        );
        assert_eq!(
            fields,
            (
                Some(&*passage.id),
                Some(&*passage.title),
                Some(&*passage.text)
            )
        );
    }
}
