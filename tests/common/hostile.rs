//! Files of every kind that is read, whole, and what reads them: for whoever breaks them.
#![allow(dead_code)]

use hopscope::corpus::{self, Format, ReadOptions};
use hopscope::evaluate::Log;
use hopscope::evaluate::labels::Labels;
use hopscope::explorer::keys::Overrides;
use hopscope::explorer::lesson::Lesson;
use hopscope::explorer::store::{Config, Folders, History, Session, presets};
use hopscope::explorer::theme::{ColorLevel, Theme};
use hopscope::index::dense::GivenFiles;
use hopscope::index::{BuildOptions, Index, Silent};
use hopscope::layers::edits::read_patch;
use hopscope::retrieve::operators::run_file::Rankings;
use hopscope::retrieve::{Method, SeedEdit, Settings};
use std::fs;
use std::path::Path;

/// What stands where nobody expects it.
pub const ODD: &[&[u8]] = &[
    b"\"",
    b"\\",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"\n",
    b"\r\n",
    b"\t",
    b"\0",
    b" ",
    b"=",
    b"#",
    b"'",
    b">",
    b"@",
    b"null",
    b"true",
    b"-1",
    b"1e999",
    b"-0.0",
    b"18446744073709551616",
    b"NaN",
    b"\\u0000",
    b"\\ud800",
    b"\x1b[2J\x1b]0;x\x07",
    "\u{202e}\u{feff}\u{301}".as_bytes(),
    "İŉﬁ東👩‍👧".as_bytes(),
    b"\xff\xfe",
    b"\xc3",
    b"\xed\xa0\x80",
];

/// Files of one kind, whole.
pub struct Kind {
    pub name: &'static str,
    pub files: Vec<(String, Vec<u8>)>,
    pub read: fn(&Path) -> Result<(), String>,
}

impl Kind {
    /// Writes all files below a folder.
    pub fn write(&self, home: &Path) {
        for (name, bytes) in &self.files {
            fs::create_dir_all(home.join(name).parent().unwrap()).unwrap();
            fs::write(home.join(name), bytes).unwrap();
        }
    }

    /// Reads them with other bytes in one of them.
    pub fn read_with(&self, home: &Path, file: usize, bytes: &[u8]) -> Result<(), String> {
        let (name, whole) = &self.files[file];
        fs::write(home.join(name), bytes).unwrap();
        let read = (self.read)(home);
        fs::write(home.join(name), whole).unwrap();
        if let Err(said) = &read {
            assert!(!said.trim().is_empty(), "refused without a word");
        }
        read
    }
}

fn kind(name: &'static str, files: &[(&str, &str)], read: fn(&Path) -> Result<(), String>) -> Kind {
    let own = |(name, text): &(&str, &str)| ((*name).to_owned(), text.as_bytes().to_vec());
    let files = files.iter().map(own).collect();
    Kind { name, files, read }
}

fn said(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn read_as(folder: &Path, file: &str, format: Format) -> Result<(), String> {
    for skip_bad in [false, true] {
        let format = Some(format);
        let options = ReadOptions {
            format,
            skip_bad,
            ..ReadOptions::default()
        };
        let found = corpus::read(&[folder.join(file)], &options);
        if let Err(error) = found {
            return Err(refusal(folder, error));
        }
    }
    Ok(())
}

/// What an error says, which names a file of the folder.
fn refusal(folder: &Path, error: impl std::fmt::Display) -> String {
    let said = said(error);
    let place = &*folder.to_string_lossy();
    assert!(said.contains(place), "names no file: {said}");
    said
}

fn folder_of(path: &str) -> Vec<(String, Vec<u8>)> {
    // Whoever breaks these files may be a package of its own, below this one.
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let root = above
        .map(|at| at.join(path))
        .find(|at| at.exists())
        .unwrap();
    let mut found = Vec::new();
    let mut left = vec![root.clone()];
    while let Some(at) = left.pop() {
        for entry in fs::read_dir(at).unwrap().map(|entry| entry.unwrap().path()) {
            match entry.is_dir() {
                true => left.push(entry),
                false => {
                    let name = entry
                        .strip_prefix(&root)
                        .unwrap()
                        .to_string_lossy()
                        .into_owned();
                    found.push((name, fs::read(entry).unwrap()));
                }
            }
        }
    }
    found.sort();
    found
}

/// Corpora and graphs of others.
pub fn corpora() -> Vec<Kind> {
    let hotpot = r#"[{"_id": "q1", "question": "Who?", "answer": "Ada", "type": "bridge", "supporting_facts": [["Ur", 0]], "context": [["Ur", ["A city. ", "Old."]], ["Ada", ["Ada wrote."]]]}]"#;
    let musique = r#"{"id": "2hop__1_2", "question": "Who?", "answer": "Ada", "answer_aliases": ["A."], "paragraphs": [{"idx": 0, "title": "Ur", "paragraph_text": "A city.", "is_supporting": true}, {"idx": 1, "title": "Ada", "paragraph_text": "Ada wrote."}]}"#;
    let pooled = r#"[{"idx": 0, "title": "Ur", "text": "A city."}, {"idx": 1, "title": "Ada", "text": "Ada wrote."}]"#;
    let lines = "{\"id\": \"a\", \"title\": \"Ur\", \"text\": \"A city.\"}\n{\"id\": \"b\", \"text\": \"Ada wrote.\"}\n";
    let table = "id\ttitle\ttext\na\tUr\tA city.\nb\tAda\t\"Ada \"\"wrote\"\".\"\n";
    vec![
        kind("hotpotqa", &[("c.json", hotpot)], |at| {
            read_as(at, "c.json", Format::Hotpot)
        }),
        kind("musique", &[("c.jsonl", musique)], |at| {
            read_as(at, "c.jsonl", Format::Musique)
        }),
        kind(
            "hipporag",
            &[("x_corpus.json", pooled), ("x.json", hotpot)],
            |at| read_as(at, "x_corpus.json", Format::HippoRag),
        ),
        kind("jsonl", &[("c.jsonl", lines)], |at| {
            read_as(at, "c.jsonl", Format::Jsonl)
        }),
        kind("table", &[("c.tsv", table)], |at| {
            read_as(at, "c.tsv", Format::Table)
        }),
        kind(
            "text",
            &[
                ("c/a.md", "# Ur\n\nA city.\n\n## Ada\n\nAda *wrote* `x`.\n"),
                ("c/b.txt", "One.\n\nTwo.\n"),
            ],
            |at| read_as(at, "c", Format::Text),
        ),
        kind(
            "beir",
            &[
                (
                    "corpus.jsonl",
                    "{\"_id\": \"a\", \"title\": \"Ur\", \"text\": \"A city.\"}\n",
                ),
                ("queries.jsonl", "{\"_id\": \"q\", \"text\": \"Who?\"}\n"),
                ("qrels/test.tsv", "query-id\tcorpus-id\tscore\nq\ta\t1\n"),
            ],
            |at| read_as(at, "", Format::Beir),
        ),
        kind(
            "typed",
            &[
                (
                    "nodes.jsonl",
                    "{\"id\": \"a\", \"type\": \"City\", \"name\": \"Ur\", \"founded\": -3800}\n{\"id\": \"b\", \"type\": \"Person\", \"name\": \"Ada\", \"aliases\": [\"A.\"]}\n",
                ),
                (
                    "edges.jsonl",
                    "{\"from\": \"b\", \"to\": \"a\", \"type\": \"SAW\"}\n",
                ),
                (
                    "schema.json",
                    "{\"types\": [{\"name\": \"City\"}, {\"name\": \"Person\"}], \"edges\": []}\n",
                ),
            ],
            |at| read_as(at, "", Format::Typed),
        ),
        Kind {
            name: "stark",
            files: folder_of("tests/data/stark"),
            read: |at| read_as(at, "", Format::Typed),
        },
    ]
}

/// Reads a folder as whoever opens it without saying what it is.
fn read_any(folder: &Path) -> Result<(), String> {
    let found = corpus::read(&[folder.to_path_buf()], &ReadOptions::default());
    found.map(drop).map_err(|error| refusal(folder, error))
}

const PASSAGES: &str = "{\"_id\": \"p1\", \"title\": \"Ada\", \"text\": \"Ada met Babbage.\"}\n{\"_id\": \"p2\", \"text\": \"Ada wrote notes.\"}\n";
const OPENIE: &str = r#"{"docs": [{"idx": "c1", "passage": "Ada\nShe met Babbage.", "extracted_entities": ["Ada", "Babbage", 1843], "extracted_triples": [["Ada", "met", "Babbage"], ["Ada", "met"]]}], "avg_ent_chars": 9.5}"#;
const PROPERTY_GRAPH: &str = r#"{"nodes": {"Ada": {"label": "PERSON", "embedding": [0.1, 0.2], "properties": {"triplet_source_id": "c1"}, "name": "Ada"}, "Babbage": {"label": "entity", "embedding": null, "properties": {"triplet_source_id": "c2"}, "name": "Babbage"}, "c1": {"label": "text_chunk", "properties": {"file_name": "one.txt"}, "text": "Ada wrote.", "id_": "c1"}}, "relations": {"a": {"label": "KNOWS", "source_id": "Ada", "target_id": "Babbage", "properties": {"triplet_source_id": "c1"}}}, "triplets": [["Ada", "KNOWS", "Babbage"]]}"#;
const DOCSTORE: &str = r#"{"docstore/data": {"c1": {"__data__": {"id_": "c1", "metadata": {"file_name": "one.txt"}, "text": "Ada wrote."}, "__type__": "1"}, "c2": {"__data__": "{\"metadata\": {}, \"text\": \"Babbage built.\"}", "__type__": "1"}}}"#;
const APOC: &str = r#"{"type": "node", "id": "1", "labels": ["Episodic"], "properties": {"uuid": "u1", "name": "letter", "content": "Ada wrote to Babbage."}}
{"type": "node", "id": "2", "labels": ["Entity", "Person"], "properties": {"name": "Ada", "summary": "A countess."}}
{"id": "9", "type": "relationship", "label": "MENTIONS", "start": {"id": "1", "labels": ["Episodic"]}, "end": {"id": "2", "labels": ["Entity"]}}
"#;
const DOCUMENTS: &str = r#"[{"nodes": [{"id": "Ada", "type": "Person", "properties": {}}, {"id": "Babbage", "type": "Person"}], "relationships": [{"source": {"id": "Ada", "type": "Person"}, "target": "Babbage", "type": "WROTE_TO", "properties": {}}], "source": {"page_content": "Ada wrote to Babbage.", "metadata": {"source": "in/letters.txt"}, "type": "Document"}}]"#;
const TREE: &str = r#"{"leaf_0": {"text": "Ada met Babbage.", "children": null, "parent": "summary_1"}, "leaf_1": {"text": "Ada wrote notes.", "children": null, "parent": "summary_1"}, "summary_0_0": {"text": "Two people.", "children": ["leaf_0", "leaf_1"], "parent": []}}"#;
const NODE_LINK: &str = r#"{"directed": false, "multigraph": false, "graph": {}, "nodes": [{"id": "a", "label": "Ada"}, {"id": "b"}, {"id": "c", "text": "Ada met Babbage in London.", "type": "chunk"}], "links": [{"source": "a", "target": "b", "weight": 2.5}, {"source": "c", "target": "a"}]}"#;
const GRAPHML: &str = r#"<?xml version="1.0"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key id="d0" for="node" attr.name="text" attr.type="string"/><key id="d1" for="edge" attr.name="weight" attr.type="double"/><graph edgedefault="undirected"><node id="a"/><node id="b"/><node id="c"><data key="d0">Ada met Babbage &amp; wrote.</data></node><edge source="a" target="b"><data key="d1">2.5</data></edge><edge source="c" target="a"/></graph></graphml>"#;
const GEXF: &str = r#"<gexf xmlns="http://gexf.net/1.3" version="1.3"><graph><attributes class="node"><attribute id="0" title="text" type="string"/></attributes><nodes><node id="a" label="A &amp; B"/><node id="c"><attvalues><attvalue for="0" value="Ada met Babbage and wrote."/></attvalues></node></nodes><edges><edge source="a" target="c" weight="2.5"/></edges></graph></gexf>"#;

/// Graphs that other systems made, and texts as people have them.
pub fn graphs() -> Vec<Kind> {
    let folder = |name: &'static str, path: &str| Kind {
        name,
        files: folder_of(path),
        read: read_any,
    };
    let files = |name, files: &[(&str, &str)]| kind(name, files, read_any);
    vec![
        folder("lightrag", "tests/data/given/lightrag"),
        folder("graphrag as csv", "tests/data/given/graphrag"),
        folder("graphrag as parquet", "tests/data/given/graphrag-parquet"),
        folder("linearrag", "tests/data/given/linearrag"),
        folder("noderag", "tests/data/given/noderag"),
        folder("ket-rag", "tests/data/given/ketrag"),
        folder("sage", "tests/data/given/sage"),
        files("openie", &[("openie_results_ner_x.json", OPENIE)]),
        files(
            "llamaindex",
            &[
                ("property_graph_store.json", PROPERTY_GRAPH),
                ("docstore.json", DOCSTORE),
            ],
        ),
        files("apoc", &[("all.json", APOC)]),
        files("graph documents", &[("graph_documents.json", DOCUMENTS)]),
        files(
            "e2graphrag",
            &[
                ("tree.json", TREE),
                (
                    "index_Spacy.json",
                    r#"{"Ada": ["leaf_0", "leaf_1"], "Babbage": ["leaf_0"]}"#,
                ),
                ("graph_Spacy.json", r#"[["Ada", "Babbage", 1]]"#),
            ],
        ),
        files("node-link", &[("graph.json", NODE_LINK)]),
        files("graphml", &[("graph.graphml", GRAPHML)]),
        files("gexf", &[("graph.gexf", GEXF)]),
        files(
            "edges",
            &[
                ("passages.jsonl", PASSAGES),
                (
                    "triples.csv",
                    "head,relation,tail,weight\nAda,met,Babbage,2\nAda,wrote,notes,1\n",
                ),
            ],
        ),
        files(
            "html",
            &[(
                "c/a.html",
                "<html><head><title>Ur</title></head><body><h1>A</h1><p>One &amp; two.</p><table><tr><td>x</td></tr></table></body></html>",
            )],
        ),
        files(
            "langchain",
            &[(
                "docs.jsonl",
                "{\"page_content\": \"Ada wrote.\", \"metadata\": {\"source\": \"a.txt\"}}\n",
            )],
        ),
    ]
}

const LOG: &str = r#"{"log":"hopscope eval"}
{"key":"00","question":"q","method":"bm25","milliseconds":0.1,"ranking":[{"passage":7,"score":1.5}],"read":{"after":null,"tokens":9},"fate":{"gold":["top10","missing"],"names":{"extracted":1,"linked":0},"fallback":"bm25_top1"}}
"#;

/// What lies beside an index.
pub fn files_beside_an_index() -> Vec<Kind> {
    let label = r#"{"question": "q", "text": "Who?", "passage": "a", "annotator": "em", "grade": 1, "time": "2026-01-01T00:00:00Z"}"#;
    let npy = |rows: usize| {
        let head = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, 2), }}");
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        let pad = 63 - (bytes.len() + 2 + head.len()) % 64;
        bytes.extend(((head.len() + pad + 1) as u16).to_le_bytes());
        bytes.extend(head.as_bytes());
        bytes.extend(vec![b' '; pad]);
        bytes.push(b'\n');
        bytes.extend((0..rows * 2).flat_map(|n| (n as f32 + 1.0).to_le_bytes()));
        bytes
    };
    vec![
        kind("labels", &[("l.jsonl", label)], |at| Labels::read(&at.join("l.jsonl")).map(|_| ())),
        kind("log", &[("l.jsonl", LOG)], |at| Log::open(&at.join("l.jsonl"), "").map(|_| ()).map_err(said)),
        kind("run", &[("r.run", "q1 Q0 a 1 2.5 x\nq1 Q0 b 2 1e-3 x\n")], |at| {
            Rankings::open(&at.join("r.run")).map(|_| ())
        }),
        kind("patch", &[("p.patch", "// one\nmute Rome\njoin Nixon | Richard Nixon\n")], |at| {
            read_patch(&at.join("p.patch")).map(|_| ())
        }),
        kind("lesson", &[("l.toml", include_str!("../../lessons/first-look.toml"))], |at| {
            Lesson::find(&at.join("l.toml").to_string_lossy()).map(|_| ()).map_err(said)
        }),
        kind("lines", &[("c.jsonl", "{\"id\": \"a\", \"text\": \"A city.\"}\n{\"id\": \"b\", \"text\": \"Ada.\"}\n")], |at| {
            read_as(at, "c.jsonl", Format::Jsonl)
        }),
        Kind {
            name: "vectors",
            files: vec![
                ("c.jsonl".into(), b"{\"id\": \"a\", \"text\": \"A city.\"}\n{\"id\": \"b\", \"text\": \"Ada.\"}\n".to_vec()),
                ("p.npy".into(), npy(2)),
                ("q.npy".into(), npy(0)),
            ],
            read: |at| {
                let (corpus, _) = corpus::read(&[at.join("c.jsonl")], &ReadOptions::default()).map_err(said)?;
                let (passages, questions) = (at.join("p.npy"), at.join("q.npy"));
                let given = Some(GivenFiles { passages, questions });
                let options = BuildOptions { given, ..BuildOptions::default() };
                Index::build(corpus, &options, &Silent).map(|_| ()).map_err(said)
            },
        },
    ]
}

/// What a person keeps.
pub fn what_a_person_keeps() -> Vec<Kind> {
    let config = "theme = \"mono\"\nhistory = 100\nmouse = false\n[parameters]\nalpha = 0.3\n";
    let preset = "[bridges]\nmethod = \"names+rrf > noderag > push > passages\"\nalpha = 0.3\n";
    let theme = include_str!("../../themes/colour-blind.toml");
    let session = r#"{"index": "", "runs": [{"question": "Who?", "method": "hop", "settings": {"alpha": "0.3"}, "seeds": ["+Ada"], "headline": null, "gold": [1], "seconds": 0.1}], "question": "Who?", "method": "bm25", "selected": 3}"#;
    vec![
        kind("config", &[("config/config.toml", config)], |at| {
            let (_, notes) = Config::load(&Folders::under(at));
            notes.into_iter().next().map_or(Ok(()), Err)
        }),
        kind("presets", &[("config/presets.toml", preset)], |at| {
            let (_, notes) = presets::load(&Folders::under(at));
            notes.into_iter().next().map_or(Ok(()), Err)
        }),
        kind("theme", &[("own.toml", theme)], |at| {
            Theme::load_from(Some(at), "own", ColorLevel::True)
                .map(|_| ())
                .map_err(said)
        }),
        kind(
            "keymap",
            &[("keymap.toml", "[keys]\n\"ctrl-t\" = \"theme\"\n")],
            |at| {
                let bytes = fs::read(at.join("keymap.toml")).unwrap();
                Overrides::parse("keymap.toml", &String::from_utf8_lossy(&bytes), &[]);
                Ok(())
            },
        ),
        kind(
            "history",
            &[(
                "history.jsonl",
                "{\"question\": \"Who?\", \"index\": \"x\"}\n",
            )],
            |at| {
                let (_, note) = History::open(&at.join("history.jsonl"), 10);
                note.map_or(Ok(()), Err)
            },
        ),
        kind("session", &[("state/sessions/f.json", session)], |at| {
            Session::load(&Folders::under(at), "f").map(|_| ())
        }),
    ]
}

/// What a person types, as files of one line.
pub fn what_a_person_types() -> Vec<Kind> {
    vec![
        kind(
            "composition",
            &[("m", "names+rrf > noderag > push > passages")],
            |at| {
                let bytes = fs::read(at.join("m")).unwrap();
                Method::by_name(&String::from_utf8_lossy(&bytes)).map(|_| ())
            },
        ),
        kind("setting", &[("s", "alpha=0.3")], |at| {
            let bytes = fs::read(at.join("s")).unwrap();
            let hop = Method::by_name("hop").unwrap();
            Settings::new(hop)
                .set_text(&String::from_utf8_lossy(&bytes))
                .map(|_| ())
        }),
        kind("seed", &[("s", "+Ada Lovelace=2.5")], |at| {
            let bytes = fs::read(at.join("s")).unwrap();
            String::from_utf8_lossy(&bytes)
                .parse::<SeedEdit>()
                .map(|_| ())
                .map_err(said)
        }),
    ]
}

/// All of them.
pub fn all() -> Vec<Kind> {
    let groups = [
        corpora(),
        graphs(),
        files_beside_an_index(),
        what_a_person_keeps(),
        what_a_person_types(),
    ];
    groups.into_iter().flatten().collect()
}
