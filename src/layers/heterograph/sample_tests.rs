//! The bundled corpus from build to story.

use super::{Kind, NodeRagBuild, NodeRagLayer};
use crate::explain::story::story;
use crate::explain::why_not;
use crate::index::{BuildOptions, Index, IndexError, Layer, Silent, sample, store};
use crate::layers::Code;
use crate::retrieve::{Keep, Method, Retrieval, Retriever, Settings};
use std::sync::Arc;

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-7
}

fn settings(changes: &[&str]) -> Settings {
    let mut settings = Settings::new(Method::by_name("noderag").unwrap());
    for change in changes {
        settings.set_text(change).unwrap();
    }
    settings
}

fn ask(index: &Arc<Index>, question: &str, changes: &[&str]) -> Retrieval {
    let mut retriever = Retriever::new(index.clone());
    retriever
        .retrieve(question, &settings(changes), Keep::States)
        .unwrap()
}

fn columns(layer: &NodeRagLayer) -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    layer.columns(&mut |name, bytes| all.push((name.to_owned(), bytes.to_vec())));
    all
}

#[test]
fn a_stored_layer_is_the_built_one_on_any_number_of_threads() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("index");
    let corpus = sample::corpus().unwrap();
    Index::create(corpus, &BuildOptions::default(), &folder, &Silent).unwrap();
    let memory = Arc::new(sample::index().unwrap());
    let question = memory.questions()[0].text.clone();
    let found = ask(&memory, &question, &[]).passages;
    let built = memory.layer::<NodeRagLayer>().unwrap();
    let index = Index::open(&folder).unwrap();
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .unwrap();
    let options = NodeRagBuild::default();
    let own = pool.install(|| NodeRagLayer::build(&index, &options, &|_, _, _| true));
    index.add_layer(own.unwrap());
    store::add_layers(&index, &folder).unwrap();
    let again = Index::open(&folder).unwrap();
    let stored = again.layer::<NodeRagLayer>().unwrap();
    assert!(columns(&stored) == columns(&built));
    assert_eq!(stored.counts(), built.counts());
    assert_eq!(stored.options(), &options);
    assert_eq!(ask(&Arc::new(again), &question, &[]).passages, found);
}

#[test]
fn a_build_can_be_cancelled_and_needs_vectors() {
    let index = sample::index().unwrap();
    for stop in ["units", "vectors", "communities", "matching", "similar"] {
        let built =
            NodeRagLayer::build(&index, &NodeRagBuild::default(), &|part, _, _| part != stop);
        assert!(matches!(built, Err(IndexError::Cancelled)), "{stop}");
    }
    let options = BuildOptions {
        encoder: "none".into(),
        ..BuildOptions::default()
    };
    let blind = Index::build(sample::corpus().unwrap(), &options, &Silent).unwrap();
    let built = NodeRagLayer::build(&blind, &NodeRagBuild::default(), &|_, _, _| true);
    assert!(matches!(built, Err(IndexError::NoVectors { .. })));
}

#[test]
fn the_bundled_questions_are_answered_and_every_fix_admits() {
    let index = Arc::new(sample::index().unwrap());
    // So narrow that quotas leave gold out.
    let few = [
        "node_order=output",
        "result_k=5",
        "quota_n=1",
        "quota_r=1",
        "quota_other=1",
        "vector_hits=1",
    ];
    let (mut found_gold, mut all_gold, mut fixes) = (0, 0, 0);
    for question in index.questions() {
        let run = ask(&index, &question.text, &few);
        assert!(run.passages.windows(2).all(|w| w[0].score >= w[1].score));
        assert!(close(run.walk().unwrap().spread.mass.iter().sum(), 1.0));
        for gold in &question.gold {
            let place = run.rank(gold.passage);
            all_gold += 1;
            found_gold += usize::from(place.is_some_and(|rank| rank <= 5));
            let reasons = why_not(&index, &run, gold.passage);
            assert_eq!(reasons.is_empty(), place.is_some_and(|rank| rank <= 5));
            for fix in reasons.iter().filter_map(|r| r.fix.as_ref()) {
                let settings = fix.change.applied(&run.settings);
                let tried = run.again(&index, &settings).unwrap();
                assert_eq!(tried.place(gold.passage).map(|p| p.0), fix.rank, "{fix}");
                assert_eq!(fix.admits(), tried.returns(gold.passage), "{fix}");
                fixes += 1;
            }
        }
    }
    assert!(found_gold * 3 > all_gold, "{found_gold} of {all_gold}");
    assert!(fixes > 0);
}

#[test]
fn a_reader_is_given_what_the_chosen_nodes_say() {
    let index = Arc::new(sample::index().unwrap());
    let question = &index.questions()[0].text;
    let run = ask(&index, question, &[]);
    let text = run.text(&index).unwrap();
    let layer = index.layer::<NodeRagLayer>().unwrap();
    let chosen = &run.records[run.records.len() - 2].output.members;
    let says = |kind: Kind| {
        let layer = &layer;
        let own = chosen
            .iter()
            .filter(move |member| layer.kind(member.node) == kind);
        own.map(|member| member.node).collect::<Vec<u32>>()
    };
    for kind in [Kind::Unit, Kind::Relation, Kind::Attribute] {
        assert!(!says(kind).is_empty(), "{kind:?}");
        assert!(
            says(kind)
                .iter()
                .all(|node| text.contains(layer.label(*node))),
            "{kind:?}"
        );
    }
    // Fewer relations, less to read.
    let fewer = ask(&index, question, &["quota_r=0", "quota_other=0"]);
    assert!(fewer.text(&index).unwrap().len() < text.len());
    assert_eq!(fewer.passages, run.passages);
}

#[test]
fn every_reason_has_its_case() {
    let index = Arc::new(sample::index().unwrap());
    let asked = |id: &str| {
        let found = index.questions().iter().find(|q| q.id == id);
        found.map_or_else(|| id.to_owned(), |q| q.text.clone())
    };
    let alone = ["hnsw_edges=off", "weight_vector=0"];
    let unnamed = [Code::QueryEntityNotExtracted, Code::QueryEntityNotLinked];
    for (question, changes, passage, code) in [
        (
            "who studied at harvard university?",
            &["result_k=1", "node_order=output", "entry_share=nodes"][..],
            "cambridge-ma",
            unnamed[0],
        ),
        (
            "What did Wiliam Hershell discover?",
            &["result_k=1"],
            "herschel-william-2",
            unnamed[1],
        ),
        ("xyzzy", &alone, "uranus-2", unnamed[1]),
        ("q17", &alone, "beaufort-10", Code::NoPath),
        ("q01", &alone, "uranus-2", Code::TooFar),
        ("q01", &[], "uranus-2", Code::Diluted),
        ("xyzzy", &["vector_hits=50"], "uranus-2", Code::RestartsLess),
        ("q01", &["node_order=output"], "uranus-2", Code::QuotaFull),
        ("q13", &["node_order=output"], "curie", Code::TypeFiltered),
    ] {
        let run = ask(&index, &asked(question), changes);
        let passage = index.passage_by_id(passage).unwrap();
        let reasons = why_not(&index, &run, passage);
        let codes: Vec<Code> = reasons.iter().map(|reason| reason.code).collect();
        assert!(
            codes.contains(&code),
            "{question}: {code} is not of {codes:?}"
        );
    }
}

#[test]
fn the_story_tells_every_stage() {
    let index = Arc::new(sample::index().unwrap());
    let run = ask(&index, &index.questions()[0].text, &[]);
    let story = story(&index, &run, &[]);
    let names: Vec<&str> = story.stages.iter().map(|s| s.name).collect();
    let steps = ["t = 0", "t = 1", "t = 2"];
    let all = [
        &["names", "nearest", "restart"][..],
        &steps,
        &["quotas", "passages"],
    ]
    .concat();
    assert_eq!(names, all);
    assert_eq!(story.timeline, [3, 4, 5]);
    assert!(close(story.seeds.iter().map(|s| s.value).sum(), 1.0));
    let whys = story.stages[6].nodes.iter().map(|node| &*node.why);
    for entry in [
        "by vector, rank 1 ",
        "by the walk, 1. of its quota",
        "attached to ",
    ] {
        assert!(whys.clone().any(|why| why.starts_with(entry)), "{entry}");
    }
    // What flows into a node is what it holds, without what restarts there.
    let step = &story.stages[4];
    let first = &step.nodes[0];
    let into = step.edges.iter().filter(|e| e.to == first.item);
    let inflow: f64 = into.map(|e| e.value).sum();
    let p = story.seeds.iter().find(|s| s.item == first.item);
    assert!(inflow <= first.value - 0.5 * p.map_or(0.0, |s| s.value) + 1e-6);
    // A small index built the layer by itself, once.
    assert_eq!(index.layers(), ["noderag"]);
}
