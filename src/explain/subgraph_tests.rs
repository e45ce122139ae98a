use super::*;
use crate::explain::trace;
use crate::index::sample;
use crate::retrieve::{Keep, METHODS, Method, Retriever, Settings};
use std::collections::BTreeSet;

fn run(index: &Arc<Index>, method: &str, question: &str) -> (Retrieval, Subgraph) {
    let settings = Settings::of(index, Method::by_name(method).unwrap());
    let mut retriever = Retriever::new(index.clone());
    let found = retriever.retrieve(question, &settings, Keep::States);
    let found = found.unwrap();
    let subgraph = trace(index, &found, None).subgraph;
    (found, subgraph)
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
