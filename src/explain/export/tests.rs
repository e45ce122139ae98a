use super::*;
use crate::corpus::{Corpus, Passage};
use crate::exchange::given;
use crate::explain::trace;
use crate::index::{BuildOptions, Index, Silent, sample};
use crate::output::acts;
use crate::retrieve::explanation::Part;
use crate::retrieve::{Keep, Method, Retriever, Settings};
use html5gum::{Token, Tokenizer};
use petgraph::stable_graph::StableDiGraph;
use proptest::prelude::*;
use proptest::sample::select;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

fn traced(index: &Arc<Index>, method: &str, question: &str) -> Subgraph {
    let settings = Settings::of(index, Method::by_name(method).unwrap());
    let run = Retriever::new(index.clone()).retrieve(question, &settings, Keep::States);
    trace(index, &run.unwrap(), index.question(question)).subgraph
}

/// Texts that some format has a meaning for.
const ODD: [&str; 30] = [
    "\"",
    "'",
    "`",
    "<",
    ">",
    "&",
    "&amp;",
    "</script>",
    "<script>",
    "<!--",
    "-->",
    "]]>",
    "<?",
    "\\",
    "\\N",
    "\\\"",
    "\0",
    "\u{1b}[2J",
    "\u{9b}",
    "\u{202e}",
    "\u{2066}",
    "\u{2028}",
    "\u{feff}",
    "\u{fffe}",
    "\n",
    "\r\n",
    "{{data}}",
    "${1}",
    "é 👩‍👧",
    "word ",
];

/// A text of odd pieces, at times a long one.
fn odd() -> impl Strategy<Value = String> {
    let pieces = prop::collection::vec(select(&ODD[..]), 0..8);
    let times = prop_oneof![9 => Just(1_usize), 1 => Just(3000)];
    (pieces, times).prop_map(|(pieces, times)| pieces.concat().repeat(times))
}

/// A graph of odd texts. Between the same two nodes every edge has another kind.
fn graphs() -> impl Strategy<Value = Subgraph> {
    let node = (odd(), odd(), any::<[bool; 4]>(), 0.0..1e3_f64);
    let edge = (0..6_usize, 0..6_usize, odd(), odd(), 1e-9..1e6_f64);
    let nodes = prop::collection::vec(node, 1..6);
    let edges = prop::collection::vec(edge, 0..8);
    (nodes, edges, odd(), odd(), 0..4_usize).prop_map(|(nodes, edges, question, setting, steps)| {
        let mut own = Subgraph {
            graph: StableDiGraph::new(),
            about: About {
                program: "hopscope 0".into(),
                index: question.clone(),
                question,
                settings: vec![("alpha", 0.5.into()), ("words", setting.clone().into())],
                edits: vec![setting],
                ..About::default()
            },
            steps: (0..steps).map(|step| format!("step {step}")).collect(),
        };
        // A place that is free, as cut items leave.
        let free = own.graph.add_node(Node::default());
        for (at, (label, id, [seed, gold, returned, passage], value)) in
            nodes.into_iter().enumerate()
        {
            own.graph.add_node(Node {
                kind: if passage { "passage" } else { "name" },
                parts: vec![Part::new(id.clone(), value, label.clone())],
                passage: passage.then_some(id),
                label,
                value,
                seed,
                share: seed.then_some(value / 1e3),
                rank: returned.then_some(at + 1),
                gold,
                at: (0..steps).map(|step| value * step as f64).collect(),
                hops: Some(at),
                component: at,
            });
        }
        own.graph.remove_node(free);
        let places: Vec<NodeIndex> = own.graph.node_indices().collect();
        for (from, to, kind, evidence, value) in edges {
            let (from, to) = (from % places.len(), to % places.len());
            if from != to {
                let edge = Edge {
                    kind: kind.into(),
                    value,
                    evidence,
                    weight: Some(value),
                    moved: vec![value / 2.0; steps],
                };
                own.graph.add_edge(places[from], places[to], edge);
            }
        }
        own
    })
}

/// What a reader makes of a graph: names with kinds, and edges with label and weight.
type Read = (Vec<(String, String)>, Vec<(u32, u32, String, f64)>);

/// What there is to read: texts are trimmed, a node without a name has its number, and what kind an entity is the readers
/// leave open.
fn expected(graph: &Subgraph, prefix: &str) -> Read {
    let graph = cleaned(graph);
    let mut place = BTreeMap::new();
    let things = nodes(&graph).enumerate().map(|(at, (number, node))| {
        place.insert(number, at as u32);
        let kind = if node.kind == "entity" { "" } else { node.kind };
        match node.label.trim() {
            "" => (format!("{prefix}{number}"), kind.to_owned()),
            label => (label.to_owned(), kind.to_owned()),
        }
    });
    let things = things.collect();
    let links = edges(&graph).map(|(from, to, edge)| {
        (
            place[&from],
            place[&to],
            edge.kind.trim().to_owned(),
            // Readers take a weight that is not above zero as 1.
            Some(edge.weight())
                .filter(|weight| *weight > 0.0)
                .unwrap_or(1.0),
        )
    });
    (things, links.collect())
}

/// The same, read from a file by this program.
fn read(format: Format, text: &str) -> Read {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(format!("graph.{}", format.ending()));
    std::fs::write(file, text).unwrap();
    let found = given::find(folder.path()).unwrap();
    let given = given::read(&found).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let things = given.entities.into_iter().map(|own| (own.name, own.kind));
    let links = given.relations.into_iter();
    let links = links.map(|own| (own.source, own.target, own.label, own.weight));
    (things.collect(), links.collect())
}

/// One statement of DOT: what it is of, and its attributes.
type Statement = (Vec<String>, BTreeMap<String, String>);

/// The statements of a DOT text, by its own rules: a string ends at a quote without a backslash before it.
fn statements(text: &str) -> Vec<Statement> {
    let inner = text
        .strip_prefix("digraph {")
        .and_then(|text| text.trim_end().strip_suffix('}'));
    let mut tokens = Vec::new();
    let mut chars = inner.unwrap().chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' => {
                let mut string = String::new();
                loop {
                    match chars.next().unwrap() {
                        '"' => break,
                        '\\' => string.push(chars.next().unwrap()),
                        c => string.push(c),
                    }
                }
                tokens.push(string);
            }
            '[' | ']' | '=' | ';' | ',' => tokens.push(format!("\0{c}")),
            c if c.is_whitespace() => {}
            c => {
                let mut word = c.to_string();
                while let Some(c) = chars.next_if(|c| c.is_alphanumeric() || "._->".contains(*c)) {
                    word.push(c);
                }
                tokens.push(word);
            }
        }
    }
    let mut all = Vec::new();
    let mut rest = &tokens[..];
    while !rest.is_empty() {
        let open = rest.iter().position(|token| token == "\0[").unwrap();
        let of = rest[..open].to_vec();
        rest = &rest[open + 1..];
        let mut attributes = BTreeMap::new();
        loop {
            let [name, equals, value, next, ..] = rest else {
                panic!("{rest:?}")
            };
            assert_eq!(equals, "\0=");
            assert!(
                attributes.insert(name.clone(), value.clone()).is_none(),
                "{name} twice"
            );
            rest = &rest[4..];
            match &**next {
                "\0," => {}
                "\0]" => break,
                other => panic!("{other}"),
            }
        }
        assert_eq!(rest[0], "\0;");
        rest = &rest[1..];
        all.push((of, attributes));
    }
    all
}

fn holds_dot(graph: &Subgraph) {
    let text = Format::Dot.write(graph);
    let all = statements(&text);
    let clean = cleaned(graph);
    let (about, rest) = all.split_first().unwrap();
    assert_eq!(about.0, ["graph"]);
    assert_eq!(about.1["question"], clean.about.question);
    let count = clean.graph.node_count();
    assert_eq!(rest.len(), count + clean.graph.edge_count());
    for ((of, attributes), (number, node)) in rest.iter().zip(nodes(&clean)) {
        assert_eq!(of, &[number.to_string()]);
        assert_eq!(attributes["label"], node.label);
        assert_eq!(attributes["score"].parse::<f64>().unwrap(), node.value);
    }
    for ((of, attributes), (from, to, edge)) in rest[count..].iter().zip(edges(&clean)) {
        assert_eq!(of, &[from.to_string(), "->".to_owned(), to.to_string()]);
        assert_eq!(
            (&*attributes["label"], &*attributes["kind"]),
            (&*edge.kind, &*edge.kind)
        );
        assert_eq!(attributes["weight"].parse::<f64>().unwrap(), edge.weight());
    }
}

/// That a page has the tags of its template and of its rows, and nothing that a text of the corpus made.
fn holds_html(graph: &Subgraph) {
    let page = Format::Html.write(graph);
    let mut tags: BTreeMap<String, usize> = BTreeMap::new();
    let (mut data, mut reads) = (String::new(), false);
    for Ok(token) in Tokenizer::new(&page) {
        match token {
            Token::StartTag(tag) => {
                let name = String::from_utf8(tag.name.to_vec()).unwrap();
                for attribute in tag.attributes.keys() {
                    let attribute = String::from_utf8(attribute.to_vec()).unwrap();
                    let odd = ["src", "href", "style", "action"].contains(&&*attribute);
                    assert!(!odd && !attribute.starts_with("on"), "{name} {attribute}");
                }
                reads = name == "script" && !tag.attributes.is_empty();
                *tags.entry(name).or_default() += 1;
            }
            Token::EndTag(tag) if &tag.name[..] == b"script" => reads = false,
            Token::String(text) if reads => data += std::str::from_utf8(&text).unwrap(),
            Token::Comment(_) => panic!("a comment"),
            Token::Error(error) => panic!("{error:?}"),
            _ => {}
        }
    }
    let (nodes, edges) = (graph.graph.node_count(), graph.graph.edge_count());
    let rows = 2 + nodes + edges + of_graph(&graph.about).len();
    let counts = ["g", "line", "tr", "script", "title", "svg", "h1"]
        .map(|name| tags.get(name).copied().unwrap_or(0));
    let drawn = html::drawn(graph).len();
    assert_eq!(counts, [drawn, edges, rows, 2, 1 + drawn, 1, 1]);
    let known = BTreeSet::from([
        "html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "code", "main",
        "figure", "div", "label", "input", "output", "svg", "line", "g", "rect", "circle", "text",
        "ul", "li", "i", "aside", "details", "summary", "table", "thead", "tbody", "tr", "th",
        "td", "script",
    ]);
    assert!(tags.keys().all(|tag| known.contains(&**tag)), "{tags:?}");
    let data: Value = serde_json::from_str(&data).unwrap();
    let clean = cleaned(graph);
    assert_eq!(data["graph"], node_link::value(&clean)["graph"]);
    let labels = data["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|node| node["label"].as_str().unwrap());
    assert!(labels.eq(clean.graph.node_weights().map(|node| &*node.label)));
    assert!(
        !page.contains("{{")
            || clean.about.question.contains("{{")
            || format!("{clean:?}").contains("{{")
    );
}

/// That both are the same; the message has the first difference alone. JSON is read to the last bit but one.
fn same(format: Format, read: &Read, expected: &Read) {
    let first =
        |at: Option<usize>| at.map_or((None, None), |at| (read.0.get(at), expected.0.get(at)));
    let differs = read.0.iter().zip(&expected.0).position(|(a, b)| a != b);
    assert_eq!(differs, None, "{format:?}: {:?}", first(differs));
    let close = |a: f64, b: f64| (a - b).abs() <= 1e-15 * a.max(b);
    let differs = read.1.iter().zip(&expected.1);
    let differs = differs
        .clone()
        .find(|(a, b)| (a.0, a.1, &a.2) != (b.0, b.1, &b.2) || !close(a.3, b.3));
    assert_eq!(differs, None, "{format:?}");
    assert_eq!(
        (read.0.len(), read.1.len()),
        (expected.0.len(), expected.1.len()),
        "{format:?}"
    );
}

/// That every format says the same of a graph, and no file what a terminal would act on.
fn holds(graph: &Subgraph) {
    for (format, prefix) in [
        (Format::Graphml, "n"),
        (Format::Gexf, ""),
        (Format::NodeLink, ""),
    ] {
        same(
            format,
            &read(format, &format.write(graph)),
            &expected(graph, prefix),
        );
    }
    holds_dot(graph);
    holds_html(graph);
    for format in Format::ALL {
        let text = format.write(graph);
        let odd = text.chars().find(|c| acts(*c) && *c != '\n');
        assert_eq!(odd, None, "{format:?}");
        assert_eq!(text, format.write(graph), "{format:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn no_text_breaks_out_of_any_format(graph in graphs()) {
        holds(&graph);
    }
}

/// Titles that every format has a meaning for.
const TITLES: [&str; 3] = [
    "Gull <&> \"Tern\" \\N \\",
    "Żółw 👩‍👧 --> ]];\u{1b}[31m",
    "é\n{x} &amp; </data></script>",
];

#[test]
fn what_was_traced_comes_back_from_every_file() {
    let passage = |(at, title): (usize, &&str)| Passage {
        id: format!("\"{at}\" & <{at}>"),
        title: (*title).into(),
        text: "Mara Voss sailed to Bergen with Ivo Lind.".into(),
    };
    let corpus = Corpus {
        name: "odd".into(),
        passages: TITLES.iter().enumerate().map(passage).collect(),
        questions: Vec::new(),
    };
    let odd = Arc::new(Index::build(corpus, &BuildOptions::default(), &Silent).unwrap());
    let sample = Arc::new(sample::index().unwrap());
    let mut seen = String::new();
    for (index, method, question) in [
        (&odd, "graph-hybrid", "Where did Mara Voss sail?"),
        (&odd, "e2graphrag", "Where did Mara Voss and Ivo Lind sail?"),
        (&sample, "hop", "Who discovered the moon Titan?"),
        (&sample, "graph", "Who discovered the moon Titan?"),
        (&sample, "noderag", "Who discovered the moon Titan?"),
        (&sample, "sage", "Who discovered the moon Titan?"),
        (&sample, "bm25", "Who discovered the moon Titan?"),
    ] {
        let graph = traced(index, method, question);
        assert!(
            graph.graph.edge_count() > 3 || method == "bm25",
            "{method}: {graph}"
        );
        holds(&graph);
        for format in Format::ALL {
            let text = format.write(&graph);
            for said in [&*graph.about.program, index.fingerprint(), method] {
                assert!(text.contains(said), "{format:?} {method}: {said}");
            }
            let settings = graph.about.settings.iter();
            assert!(
                settings.clone().all(|(name, _)| text.contains(name)),
                "{format:?} {method}"
            );
        }
        seen += &Format::Graphml.write(&graph);
    }
    for title in [
        "Gull &lt;&amp;&gt;",
        "Żółw 👩‍👧 --&gt; ]];^[[31m",
        "é {x} &amp;amp; &lt;/data&gt;",
    ] {
        assert!(seen.contains(title), "{title}");
    }
}

#[test]
fn steps_are_the_states_of_the_walk() {
    let index = Arc::new(sample::index().unwrap());
    let question = &index.questions()[0].text;
    let settings = Settings::of(&index, Method::by_name("graph").unwrap());
    let run = Retriever::new(index.clone())
        .retrieve(question, &settings, Keep::States)
        .unwrap();
    let walk = run.walk().unwrap();
    let own = trace(&index, &run, index.question(question)).subgraph;
    assert_eq!(own.steps.len(), walk.spread.states.len());
    assert_eq!(own.steps[0], "seeds");
    let shares: f64 = own.graph.node_weights().filter_map(|node| node.share).sum();
    assert!((shares - 1.0).abs() < 1e-9, "{shares}");
    for node in own.graph.node_weights() {
        assert_eq!(node.at.len(), own.steps.len(), "{node:?}");
        // Before the first step mass is where the seeds are.
        assert!(
            (node.at[0] - node.share.unwrap_or(0.0)).abs() < 1e-6,
            "{node:?}"
        );
        assert_eq!(node.share.is_some(), node.seed);
        if node.rank.is_some() {
            assert!(
                (node.at.last().unwrap() - node.value).abs() < 1e-6,
                "{node:?}"
            );
        }
    }
    let gold = own.graph.node_weights().filter(|node| node.gold).count();
    assert_eq!(gold, index.questions()[0].gold.len());
    // What a step moves into a node is no more than what the node then holds.
    let mut flows = 0;
    for node in own.graph.node_indices() {
        for step in 1..own.steps.len() {
            let into = own
                .graph
                .edges_directed(node, petgraph::Direction::Incoming);
            let kinds: BTreeMap<NodeIndex, f64> = into
                .filter(|edge| !edge.weight().moved.is_empty())
                .map(|edge| (edge.source(), edge.weight().moved[step]))
                .collect();
            flows += kinds.len();
            assert!(kinds.values().sum::<f64>() <= own.graph[node].at[step] + 1e-6);
        }
    }
    assert!(flows > 20, "{flows}");
    let gexf = Format::Gexf.write(&own);
    assert!(
        gexf.contains("mode=\"dynamic\"") && gexf.contains("time 1: step 1"),
        "{gexf}"
    );
}

#[test]
fn names_and_endings_are_told_apart() {
    let names: BTreeSet<&str> = Format::ALL.iter().map(|format| format.name()).collect();
    let endings: BTreeSet<&str> = Format::ALL.iter().map(|format| format.ending()).collect();
    assert_eq!(
        (names.len(), endings.len()),
        (Format::ALL.len(), Format::ALL.len())
    );
}
