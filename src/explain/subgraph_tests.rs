use super::*;
use crate::corpus::{Corpus, Passage};
use crate::explain::trace;
use crate::index::{BuildOptions, Silent, sample};
use crate::retrieve::{Keep, METHODS, Method, Retriever, Settings};
use html5gum::{Token, Tokenizer};
use std::collections::{BTreeMap, BTreeSet};

fn run(index: &Arc<Index>, method: &str, question: &str) -> (Retrieval, Subgraph) {
    let settings = Settings::of(index, Method::by_name(method).unwrap());
    let mut retriever = Retriever::new(index.clone());
    let found = retriever.retrieve(question, &settings, Keep::States);
    let found = found.unwrap();
    let subgraph = trace(index, &found, None).subgraph;
    (found, subgraph)
}

/// Titles that every format has a meaning for.
const ODD: [&str; 3] = [
    "Gull <&> \"Tern\" \\N \\",
    "Żółw 👩‍👧 --> ]];\u{1b}[31m",
    "é\n{x} &amp; </data>",
];

fn odd() -> Arc<Index> {
    let passage = |(at, title): (usize, &&str)| Passage {
        id: format!("\"{at}\" & <{at}>"),
        title: (*title).into(),
        text: "Mara Voss sailed to Bergen with Ivo Lind.".into(),
    };
    let corpus = Corpus {
        name: "odd".into(),
        passages: ODD.iter().enumerate().map(passage).collect(),
        questions: Vec::new(),
    };
    Arc::new(Index::build(corpus, &BuildOptions::default(), &Silent).unwrap())
}

#[test]
fn distances_are_those_of_the_paths() {
    let index = Arc::new(sample::index().unwrap());
    let question = "Who discovered the moon Titan?";
    let mut walked = 0;
    for method in METHODS.iter().filter(|m| m.fits(&index) && !m.reranks()) {
        let (found, own) = run(&index, &method.name, question);
        let graph = &own.graph;
        let seeded: BTreeSet<usize> = graph
            .node_weights()
            .filter(|n| n.seed)
            .map(|n| n.component)
            .collect();
        for node in graph.node_indices() {
            let hops = graph[node].hops;
            assert_eq!(hops.is_some(), seeded.contains(&graph[node].component));
            let path = own.shortest(node);
            assert_eq!(path.as_ref().map(|path| path.len() - 1), hops);
            for step in path.iter().flat_map(|path| path.windows(2)) {
                let (a, b) = (step[0], step[1]);
                assert!(graph.contains_edge(a, b) || graph.contains_edge(b, a));
            }
            assert!(path.is_none_or(|path| graph[path[0]].seed));
        }
        for edge in graph.edge_references() {
            let ends = [edge.source(), edge.target()].map(|end| graph[end].component);
            assert_eq!(ends[0], ends[1]);
        }
        let numbers: BTreeSet<usize> = graph.node_weights().map(|n| n.component).collect();
        assert_eq!(numbers.len(), own.components());
        for (at, hit) in found.top().iter().enumerate() {
            let node = own.returned(at + 1).unwrap();
            assert_eq!(graph[node].passage.as_deref(), Some(index.id(hit.passage)));
            // A passage is a step beyond its node, where the graph has nodes of its own.
            let beyond = found
                .walk()
                .is_some_and(|walk| !walk.graph.is_of_passages());
            for path in found.explain(&index, hit.passage).paths {
                walked += 1;
                let shown = path.nodes.len() - 1 + usize::from(beyond);
                assert!(
                    graph[node].hops.is_some_and(|hops| hops <= shown),
                    "{}",
                    method.name
                );
            }
        }
    }
    assert!(walked > 50, "{walked}");
}

#[test]
fn a_shown_path_is_in_the_graph_and_what_was_only_cut_is_not() {
    let index = Arc::new(sample::index().unwrap());
    let (found, own) = run(&index, "graph-hybrid", "Who discovered the moon Titan?");
    let walk = found.walk().unwrap();
    let named = |node: NodeIndex| own.graph[node].label.clone();
    let steps: BTreeSet<(String, String)> = (own.graph.edge_references())
        .map(|edge| (named(edge.source()), named(edge.target())))
        .collect();
    let opened = found.explain(&index, found.top()[0].passage);
    assert!(opened.paths.iter().any(|path| path.nodes.len() > 1));
    for step in opened.paths.iter().flat_map(|path| path.nodes.windows(2)) {
        let ends = [step[0], step[1]].map(|node| match walk.graph.is_passage(node) {
            true => index.title(node).to_owned(),
            false => walk.graph.label(&index, node).into_owned(),
        });
        assert!(steps.contains(&ends.into()), "{steps:?}");
    }
    let (found, own) = run(&index, "bm25", "Who discovered the moon Titan?");
    // What a stage left out is in the story, and has no node unless another stage told it.
    let story = crate::explain::story(&index, &found, &[]);
    let told = |item: usize| {
        let entries = story.stages.iter().flat_map(|stage| &stage.nodes);
        let ends = story.stages.iter().flat_map(|stage| &stage.edges);
        entries.chain(&story.seeds).any(|entry| entry.item == item)
            || ends
                .into_iter()
                .any(|edge| edge.from == item || edge.to == item)
    };
    let cut = story.stages.iter().flat_map(|stage| &stage.cut);
    let cut: Vec<usize> = cut
        .map(|cut| cut.item)
        .filter(|&item| !told(item))
        .collect();
    assert!(!cut.is_empty());
    assert!(
        cut.iter()
            .all(|&item| !own.graph.contains_node(NodeIndex::new(item)))
    );
}

/// The numbers and labels of a DOT text's nodes, and the ends of its edges.
fn dot(text: &str) -> (BTreeMap<usize, String>, Vec<(usize, usize)>) {
    let inner = text
        .strip_prefix("digraph {\n")
        .and_then(|text| text.strip_suffix("}\n"));
    let (mut nodes, mut edges) = (BTreeMap::new(), Vec::new());
    for line in inner.unwrap().lines() {
        let (name, attributes) = line.trim().split_once(" [ label = \"").unwrap();
        assert!(attributes.ends_with(" ]"), "{line}");
        match name.split_once(" -> ") {
            Some((from, to)) => edges.push((from.parse().unwrap(), to.parse().unwrap())),
            None => {
                let mut label = String::new();
                let mut rest = attributes.chars();
                loop {
                    match rest.next().unwrap() {
                        '"' => break,
                        '\\' => label.push(rest.next().unwrap()),
                        c => label.push(c),
                    }
                }
                nodes.insert(name.parse().unwrap(), label);
            }
        }
    }
    (nodes, edges)
}

/// The same of GraphML.
fn graphml(text: &str) -> (BTreeMap<usize, String>, Vec<(usize, usize)>) {
    let (mut nodes, mut edges) = (BTreeMap::new(), Vec::new());
    let (mut open, mut key, mut last) = (Vec::new(), String::new(), 0);
    for Ok(token) in Tokenizer::new(text.split_once("?>\n").unwrap().1) {
        match token {
            Token::StartTag(tag) => {
                let of = |name: &str| {
                    let value = tag.attributes.get(name.as_bytes());
                    value.map(|value| String::from_utf8(value.to_vec()).unwrap())
                };
                let number = |name: &str| of(name).unwrap()[1..].parse().unwrap();
                match &tag.name[..] {
                    b"node" => {
                        last = number("id");
                        nodes.insert(last, String::new());
                    }
                    b"edge" => edges.push((number("source"), number("target"))),
                    b"data" => key = of("key").unwrap(),
                    _ => {}
                }
                if !tag.self_closing {
                    open.push(tag.name);
                }
            }
            Token::EndTag(tag) => {
                assert_eq!(open.pop(), Some(tag.name));
                key.clear();
            }
            Token::String(said) if key == "node.label" => {
                let said = std::str::from_utf8(&said).unwrap();
                nodes.entry(last).or_default().push_str(said);
            }
            Token::Error(error) => panic!("{error:?}"),
            _ => {}
        }
    }
    assert!(open.is_empty());
    (nodes, edges)
}

#[test]
fn both_formats_hold_the_same_graph_whatever_it_is_called() {
    let odd = odd();
    let sample = Arc::new(sample::index().unwrap());
    let mut seen = BTreeSet::new();
    for (index, method, question) in [
        (&odd, "graph-hybrid", "Where did Mara Voss sail?"),
        (&odd, "e2graphrag", "Where did Mara Voss and Ivo Lind sail?"),
        (&sample, "noderag", "Who discovered the moon Titan?"),
        (&sample, "sage", "Who discovered the moon Titan?"),
    ] {
        let (_, own) = run(index, method, question);
        assert!(own.graph.edge_count() > 3, "{method}: {own}");
        let nodes = own.graph.node_indices();
        let nodes: BTreeMap<usize, String> = nodes
            .map(|node| (node.index(), own.graph[node].label.clone()))
            .collect();
        let edges = own.graph.edge_references();
        let edges: Vec<_> = edges
            .map(|e| (e.source().index(), e.target().index()))
            .collect();
        assert!(
            edges
                .iter()
                .all(|(a, b)| nodes.contains_key(a) && nodes.contains_key(b))
        );
        for read in [dot(&own.dot()), graphml(&own.graphml())] {
            assert_eq!(read, (nodes.clone(), edges.clone()), "{method}");
        }
        seen.extend(nodes.into_values());
    }
    for title in ODD {
        assert!(
            seen.contains(&title.replace(['\n', '\u{1b}'], " ")),
            "{title}: {seen:?}"
        );
    }
}
