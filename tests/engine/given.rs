//! The indexes of other systems, opened as they are: what they hold, walks on their graph, and texts in their own order.

use hopscope::corpus::Report;
use hopscope::explain::why_not;
use hopscope::index::Index;
use hopscope::retrieve::{Keep, Method, Retrieval, Retriever, Settings};
use hopscope::{BuildOptions, ReadOptions, Silent, read_corpus};
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data/given")
        .join(name)
}

fn opened(path: &Path) -> (Arc<Index>, Report) {
    let paths = [path.to_owned()];
    let (corpus, report) = read_corpus(&paths, &ReadOptions::default()).unwrap();
    let index = Index::build(corpus, &BuildOptions::default(), &Silent).unwrap();
    index.look_beside(&paths);
    (Arc::new(index), report)
}

fn ask(index: &Arc<Index>, method: &str, question: &str) -> Retrieval {
    let settings = Settings::of(index, Method::by_name(method).unwrap());
    let mut retriever = Retriever::new(index.clone());
    retriever
        .retrieve(question, &settings, Keep::States)
        .unwrap()
}

fn ids<'i>(index: &'i Index, run: &Retrieval) -> Vec<&'i str> {
    run.top().iter().map(|hit| index.id(hit.passage)).collect()
}

/// Every method that works on such a graph.
const ON_GIVEN: [&str; 8] = [
    "given",
    "graphrag-local",
    "nano-local",
    "lightrag-local",
    "lightrag-global",
    "lightrag-hybrid",
    "lightrag-mix",
    "hipporag2",
];

#[test]
fn both_systems_give_the_same_graph() {
    for (name, system) in [("lightrag", "LightRAG"), ("graphrag", "Microsoft GraphRAG")] {
        let (index, report) = opened(&folder(name));
        let [graph] = &report.graphs[..] else {
            panic!("{name}: {report}");
        };
        assert_eq!(graph.system, system, "{name}");
        let read = |table: &str| graph.account.read(table);
        assert_eq!((index.len(), read("text units")), (6, 6), "{name}");
        assert_eq!((read("entities"), read("relations")), (11, 9), "{name}");
        assert!(graph.account.notes.is_empty(), "{name}: {report}");
        let settings = Settings::of(&index, Method::by_name("given").unwrap());
        let kind = settings.method().graph().unwrap();
        let graph = Retriever::new(index.clone())
            .graph(kind, &settings, &[])
            .unwrap();
        // 6 texts and 11 entities; 17 places of entities in texts and 9 relations, both ways.
        assert_eq!(graph.nodes(), 17, "{name}");
        assert_eq!(graph.transition().arcs(), 2 * (17 + 9), "{name}");
    }
}

/// What `tests/data/given/make.py` writes, whole: texts, entities and relations by the files, and a name that leads to a text.
#[test]
fn noderag_ket_rag_and_sage_give_all_that_their_files_have() {
    let saturn = "saturn";
    for (name, system, [units, entities, kept, relations, communities], question, found, noted) in [
        (
            "noderag",
            "NodeRAG",
            [2, 4, 4, 3, 1],
            "Christiaan Huygens",
            "titan",
            "semantic units, which are no part of the graph: texts stand for them: 2",
        ),
        // Two of the 17 keywords are entities; one piece is in no text unit of the skeleton.
        (
            "ketrag",
            "Microsoft GraphRAG",
            [3, 4 + 17, 4 + 17 - 2, 3, 0],
            "Uranus",
            "ring",
            "pieces of text in no text unit, which are their own: 1 (3)",
        ),
        (
            "sage",
            "SAGE",
            [3, 11, 11, 0, 0],
            "Rhea",
            "Moons of Saturn",
            "links of texts        2 read",
        ),
    ] {
        let (index, report) = opened(&folder(name));
        let [graph] = &report.graphs[..] else {
            panic!("{name}: {report}");
        };
        assert_eq!(graph.system, system, "{name}");
        let read = |table: &str| graph.account.read(table);
        let counts = ["text units", "entities", "relations", "communities"].map(read);
        assert_eq!(counts, [units, entities, relations, communities], "{name}");
        let table = graph.account.tables.iter().find(|t| t.name == "entities");
        assert_eq!(table.unwrap().kept, kept, "{name}");
        assert_eq!(index.len(), units, "{name}");
        let account = graph.account.to_string();
        assert!(account.contains(noted), "{name}: {account}");
        let run = ask(&index, "names > given > power > passages", question);
        let first = run.top().first().unwrap().passage;
        assert_eq!(index.title(first), found, "{name}");
        // An entity that two texts share leads from one to the other.
        let run = ask(&index, "names > given > power > passages", saturn);
        assert!(ids(&index, &run).len() >= 2, "{name}");
    }
}

#[test]
fn every_method_answers_on_it_and_says_why_a_text_is_missing() {
    for name in ["lightrag", "graphrag"] {
        let (index, _) = opened(&folder(name));
        for method in ON_GIVEN {
            let run = ask(&index, method, "What did Christiaan Huygens discover?");
            let found = ids(&index, &run);
            assert!(found.contains(&"chunk-a1"), "{name} {method}: {found:?}");
            let settings = {
                let mut settings = Settings::of(&index, Method::by_name(method).unwrap());
                settings.set_text("result_k=1").unwrap();
                settings
            };
            let mut retriever = Retriever::new(index.clone());
            let run = retriever
                .retrieve("Titan", &settings, Keep::States)
                .unwrap();
            let missed = index.passages().find("chunk-c2").unwrap();
            let reasons = why_not(&index, &run, missed);
            assert!(!reasons.is_empty(), "{name} {method}");
        }
    }
}

#[test]
fn the_walk_goes_over_relations_and_their_weight_is_a_parameter() {
    let (index, _) = opened(&folder("lightrag"));
    let mass = |weight: &str| {
        let method = Method::by_name("names > given > power > passages").unwrap();
        let mut settings = Settings::of(&index, method);
        for change in [&format!("relation_weight={weight}"), "steps=1"] {
            settings.set_text(change).unwrap();
        }
        let mut retriever = Retriever::new(index.clone());
        let run = retriever
            .retrieve("Caroline Herschel", &settings, Keep::Scores)
            .unwrap();
        let walk = run.walk().unwrap();
        assert!((walk.spread.mass.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        let mut nodes = 0..walk.graph.nodes() as u32;
        let brother = nodes.find(|node| walk.graph.label(&index, *node) == "WILLIAM HERSCHEL");
        walk.spread.mass[brother.unwrap() as usize]
    };
    // One step from her leads to her text and, over their relation, to her brother.
    let [without, plain, heavy] = ["0", "1", "5"].map(mass);
    assert!(
        without == 0.0 && 0.0 < plain && plain < heavy,
        "{without} {plain} {heavy}"
    );
}

/// A graph of texts alone, as one cites the other.
#[test]
fn links_between_texts_are_walked() {
    let home = tempfile::tempdir().unwrap();
    let graph = r#"{"nodes": [
        {"id": "a", "type": "chunk", "text": "Ada met Babbage in London."},
        {"id": "b", "type": "chunk", "text": "It rained all night upon the river."},
        {"id": "c", "type": "chunk", "text": "Nobody came into the garden."}],
        "links": [{"source": "a", "target": "b", "label": "cites", "weight": 4}, {"source": "b", "target": "b"}]}"#;
    std::fs::write(home.path().join("graph.json"), graph).unwrap();
    let (index, report) = opened(home.path());
    let account = report.graphs[0].account.to_string();
    let left = "edges of a text unit to itself: 1 (b)";
    assert!(
        account.contains("2 read, 1 kept") && account.contains(left),
        "{account}"
    );
    let [a, b, c] = ["a", "b", "c"].map(|id| index.passages().find(id).unwrap());
    let masses = |weight: &str| {
        let method = Method::by_name("rrf > given > power > passages").unwrap();
        let mut settings = Settings::of(&index, method);
        for change in [&format!("relation_weight={weight}"), "steps=1", "seed_k=1"] {
            settings.set_text(change).unwrap();
        }
        let mut retriever = Retriever::new(index.clone());
        let run = retriever
            .retrieve("Ada Babbage London", &settings, Keep::Scores)
            .unwrap();
        let walk = run.walk().unwrap();
        assert_eq!(walk.graph.source().edge_name(a, b), "cites");
        assert_eq!(walk.graph.source().edge_kind(a, b), "link");
        assert_eq!(
            walk.graph.source().evidence(&index, b, a),
            "a > b, weight 4"
        );
        [b, c].map(|passage| walk.spread.mass[passage as usize])
    };
    assert!(masses("1")[0] > 0.0);
    assert_eq!([masses("0")[0], masses("1")[1]], [0.0, 0.0]);
}

#[test]
fn names_of_the_graph_are_found_in_a_question_in_any_case_and_as_long_as_can_be() {
    let (index, _) = opened(&folder("lightrag"));
    let run = ask(
        &index,
        "given",
        "did giovanni domenico cassini lead the paris observatory?",
    );
    let found: Vec<&str> = run.names().iter().map(|name| &*name.surface).collect();
    assert_eq!(found, ["giovanni domenico cassini", "paris observatory"]);
}

/// The order of GraphRAG's and of nano-graphrag's local search on a graph small enough to be worked out by hand: texts by the
/// place of the entity that has them first, then by how many of its relations, or of its neighbours, they have.
#[test]
fn texts_come_in_the_order_of_the_published_rules() {
    let (index, _) = opened(&folder("graphrag"));
    // Saturn alone is near enough: one entity, in three texts. Its relations are one from chunk-a1 and one from chunk-b1; its
    // neighbours Titan (chunk-a1, chunk-a2) and Cassini the astronomer (chunk-b1).
    let order = |index: &Arc<Index>, method: &str| {
        let mut settings = Settings::of(index, Method::by_name(method).unwrap());
        settings.set_text("seed_k=1").unwrap();
        let mut retriever = Retriever::new(index.clone());
        let run = retriever.retrieve("SATURN A planet with rings.", &settings, Keep::States);
        ids(index, &run.unwrap()).join(" ")
    };
    assert_eq!(
        order(&index, "graphrag-local"),
        "chunk-a1 chunk-b1 chunk-a2"
    );
    assert_eq!(order(&index, "nano-local"), "chunk-a1 chunk-a2 chunk-b1");

    // Of as many relations, or neighbours, the text that the entity names first.
    let home = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir(folder("graphrag")).unwrap().flatten() {
        let mut text = std::fs::read_to_string(entry.path()).unwrap();
        if entry.file_name() == "entities.csv" {
            let (rest, saturn) = text.split_once("SATURN").unwrap();
            let (own, after) = saturn.split_once(']').unwrap();
            let turned = own
                .replace("chunk-a1", "first")
                .replace("chunk-b1", "chunk-a1")
                .replace("first", "chunk-b1");
            assert_ne!(turned, own);
            text = format!("{rest}SATURN{turned}]{after}");
        }
        std::fs::write(home.path().join(entry.file_name()), text).unwrap();
    }
    let (index, _) = opened(home.path());
    assert_eq!(
        order(&index, "graphrag-local"),
        "chunk-b1 chunk-a1 chunk-a2"
    );
    assert_eq!(order(&index, "nano-local"), "chunk-b1 chunk-a2 chunk-a1");
}

/// LightRAG takes five texts for every two entities, the nearest to the question first, and then in turn those that relations
/// alone bring.
#[test]
fn texts_of_entities_are_taken_by_closeness_and_take_turns_with_those_of_relations() {
    let (index, _) = opened(&folder("graphrag"));
    let question = "SATURN A planet with rings.";
    let order = |method: &str| {
        let mut settings = Settings::of(&index, Method::by_name(method).unwrap());
        if method != "dense" {
            settings.set_text("seed_k=1").unwrap();
        }
        let mut retriever = Retriever::new(index.clone());
        let run = retriever.retrieve(question, &settings, Keep::States);
        let run = run.unwrap();
        let ids = ids(&index, &run).into_iter().map(str::to_owned);
        ids.collect::<Vec<_>>()
    };
    // Saturn alone: of its three texts two are taken; the third has a relation of it.
    let near = order("dense");
    let own = ["chunk-a1", "chunk-a2", "chunk-b1"];
    let own: Vec<&String> = near.iter().filter(|id| own.contains(&&***id)).collect();
    let local = order("lightrag-local");
    assert_eq!(own.len(), 3);
    assert_eq!(local[0], *own[0]);
    let taken: Vec<&String> = local.iter().filter(|id| own[..2].contains(id)).collect();
    assert_eq!(taken, own[..2]);
    // The nearest texts come first in mode mix.
    assert_eq!(order("lightrag-mix")[0], near[0]);
}

/// A corpus keeps its own graph, whatever lies in its folder or below.
#[test]
fn a_corpus_near_such_an_index_is_not_taken_for_it() {
    let home = tempfile::tempdir().unwrap();
    let below = home.path().join("rag");
    std::fs::create_dir(&below).unwrap();
    for file in std::fs::read_dir(folder("lightrag")).unwrap().flatten() {
        std::fs::copy(file.path(), below.join(file.file_name())).unwrap();
    }
    // Alone, it is the one workspace of the folder.
    assert_eq!(opened(home.path()).0.len(), 6);
    std::fs::write(
        home.path().join("notes.md"),
        "# Notes\n\nAda Lovelace wrote notes.\n",
    )
    .unwrap();
    let (index, report) = opened(&home.path().join("notes.md"));
    assert!(report.graphs.is_empty() && index.len() == 1);
    assert!(!Method::by_name("given").unwrap().fits(&index));
    let (index, report) = opened(home.path());
    assert!(report.graphs.is_empty() && index.len() == 1, "{report}");
    // A file that only such an index has stands for it.
    let (index, _) = opened(&below.join("graph_chunk_entity_relation.graphml"));
    assert!(index.len() == 6 && Method::by_name("given").unwrap().fits(&index));
}

/// The projects' own samples: each opens, three methods at least answer, and a text that is missed says why.
#[test]
#[ignore = "needs the data in ../shared"]
fn the_samples_open_and_explain_themselves() {
    let root = crate::common::shared("data").join("indexes");
    for name in [
        "lightrag/biboyqg-small",
        "lightrag/ci3lab-construction",
        "nano-graphrag/hhy-dickens",
        "graphrag/ms-operation-dulce",
        "graphrag/v0.5-operation-dulce",
    ] {
        let (index, report) = opened(&root.join(name));
        let graph = &report.graphs[0];
        assert_eq!(graph.account.read("text units"), index.len(), "{name}");
        let question = hopscope::explain::suggested(&index).remove(0);
        for method in ON_GIVEN.iter().chain(&["hop", "bm25"]) {
            let mut settings = Settings::of(&index, Method::by_name(method).unwrap());
            settings.set_text("result_k=1").unwrap();
            let mut retriever = Retriever::new(index.clone());
            let run = retriever
                .retrieve(&question, &settings, Keep::States)
                .unwrap();
            assert!(!run.top().is_empty(), "{name} {method}: {question}");
            let mut missed =
                (0..index.len() as u32).filter(|p| run.top().iter().all(|hit| hit.passage != *p));
            let reasons = why_not(&index, &run, missed.next().unwrap());
            assert!(!reasons.is_empty(), "{name} {method}: {question}");
        }
    }
}

/// What is taken over from the graph before gives the bits of one that is opened anew.
#[test]
fn a_slider_step_gives_the_masses_of_a_fresh_graph() {
    let (index, _) = opened(&folder("lightrag"));
    let mut settings = Settings::of(&index, Method::by_name("given").unwrap());
    let mut kept = Retriever::new(index.clone());
    for step in [
        "hub_p=0.5",
        "hub_p=2",
        "relation_weight=3",
        "hub_p=0",
        "relation_weight=0",
    ] {
        settings.set_text(step).unwrap();
        let mass = |retriever: &mut Retriever| {
            let run = retriever
                .retrieve("Caroline Herschel", &settings, Keep::Scores)
                .unwrap();
            run.walk().unwrap().spread.mass.clone()
        };
        assert_eq!(
            mass(&mut kept),
            mass(&mut Retriever::new(opened(&folder("lightrag")).0)),
            "{step}"
        );
    }
}

/// What the files say of an entity's community stands with its description.
#[test]
fn an_entity_says_its_communities_and_what_is_reported_of_them() {
    let (index, _) = opened(&folder("graphrag"));
    let run = ask(&index, "given", "What rings does Saturn have?");
    let graph = run.walk().unwrap().graph;
    let mut nodes = 0..graph.nodes() as u32;
    let saturn = nodes.find(|node| graph.label(&index, *node) == "SATURN");
    let text = graph.source().text(&index, saturn.unwrap());
    assert!(
        text.contains("In Saturn and those who looked at it."),
        "{text}"
    );
    assert!(
        text.ends_with("Moons, rings and the observatory in Paris."),
        "{text}"
    );
}
