//! The bundled corpus from build to story.

use super::{Answer, NodeRag, NodeRagBuild, NodeRagLayer, Params, search};
use crate::index::{BuildOptions, Index, IndexError, Layer, Silent, sample, store};
use crate::retrieve::{Method, Settings};
use crate::systems::{Ask, Found, System};
use std::sync::Arc;

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-7
}

fn sampled() -> (Arc<Index>, Arc<NodeRagLayer>) {
    let index = Arc::new(sample::index().unwrap());
    let layer = NodeRagLayer::build(&index, &NodeRagBuild::default(), &|_, _, _| true).unwrap();
    (index, Arc::new(layer))
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
    let (memory, built) = sampled();
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
    let question = &memory.questions()[0].text;
    let vector = memory.dense().unwrap().encoder.question(question).unwrap();
    let found = |index: &Index, layer: &NodeRagLayer| {
        let params = Params::default();
        search(layer, index, question, Some(&vector), &params, &mut |_| {})
            .unwrap()
            .hits
    };
    assert_eq!(found(&again, &stored), found(&memory, &built));
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
fn the_bundled_questions_are_answered_and_explained() {
    let (index, layer) = sampled();
    let encoder = &index.dense().unwrap().encoder;
    let (mut found_gold, mut all_gold, mut fixes) = (0, 0, 0);
    for question in index.questions() {
        let vector = encoder.question(&question.text).unwrap();
        let params = Params {
            result_k: 5,
            ..Params::default()
        };
        let run = search(
            &layer,
            &index,
            &question.text,
            Some(&vector),
            &params,
            &mut |_| {},
        )
        .unwrap();
        assert!(run.hits.windows(2).all(|w| w[0].score >= w[1].score));
        assert!(close(run.pi.iter().map(|n| n.1).sum(), 1.0));
        let answer = Answer::new(run, layer.clone(), &question.text, &vector, params.clone());
        for gold in &question.gold {
            let place = answer
                .run
                .hits
                .iter()
                .position(|h| h.passage == gold.passage);
            all_gold += 1;
            found_gold += usize::from(place.is_some_and(|at| at < 5));
            let reasons = answer.missing(&index, gold.passage);
            assert_eq!(reasons.is_empty(), place.is_some_and(|at| at < 5));
            for fix in reasons.iter().filter_map(|r| r.fix.as_deref()) {
                // What was tried and said to help does help.
                let change = fix.split(' ').next().unwrap();
                let (name, value) = change.split_once('=').unwrap();
                let mut tried = params.clone();
                match name {
                    "steps" => tried.steps = value.parse().unwrap(),
                    "quota_other" => tried.quota_other = value.parse().unwrap(),
                    "result_k" => tried.result_k = value.parse().unwrap(),
                    "hub_balance" => tried.hub_balance = value == "on",
                    "weight_exact" => tried.weight_exact = value.parse().unwrap(),
                    other => panic!("{other}"),
                }
                let run = search(
                    &layer,
                    &index,
                    &question.text,
                    Some(&vector),
                    &tried,
                    &mut |_| {},
                )
                .unwrap();
                let rank = run
                    .hits
                    .iter()
                    .position(|h| h.passage == gold.passage)
                    .unwrap();
                assert!(rank < tried.result_k, "{fix}");
                fixes += 1;
            }
        }
        for hit in answer.run.hits.iter().take(5) {
            let parts: f64 = answer
                .parts(&index, hit.passage)
                .iter()
                .map(|p| p.value)
                .sum();
            assert!((parts - f64::from(hit.score)).abs() < 1e-5);
            let why = answer.why(&index, hit.passage);
            assert!(!why.is_empty() && why.chars().count() <= 160, "{why}");
        }
    }
    assert!(found_gold * 2 > all_gold, "{found_gold} of {all_gold}");
    assert!(fixes > 0);
}

#[test]
fn the_story_tells_every_stage() {
    let (index, _) = sampled();
    let question = index.questions()[0].text.clone();
    let vector = index.dense().unwrap().encoder.question(&question).unwrap();
    let settings = Settings::new(Method::by_name("noderag").unwrap());
    let mut heard = Vec::new();
    let found = NodeRag
        .search(&mut Ask {
            index: &index,
            question: &question,
            settings: &settings,
            vector: Some(&vector),
            stage: &mut |name| heard.push(name),
        })
        .unwrap();
    assert_eq!(heard, ["link", "score", "seed", "spread", "select"]);
    let story = found.story(&index);
    let names: Vec<&str> = story.stages.iter().map(|s| s.name).collect();
    assert_eq!(
        names,
        [
            "exact matches",
            "vector hits",
            "personalisation",
            "t = 0",
            "t = 1",
            "t = 2",
            "quotas",
            "attached",
            "retrievable kinds"
        ]
    );
    assert_eq!(story.timeline, [3, 4, 5]);
    assert!(close(story.seeds.iter().map(|s| s.value).sum(), 1.0));
    for stage in &story.stages {
        assert!(stage.nodes.len() <= 200);
        let places = stage.nodes.iter().map(|n| n.item);
        let ends = stage.edges.iter().flat_map(|e| [e.from, e.to]);
        let cut = stage.cut.iter().map(|c| c.item);
        assert!(
            places
                .chain(ends)
                .chain(cut)
                .all(|at| at < story.items.len())
        );
    }
    // What flows into a node is what it holds, without what restarts there.
    let step = &story.stages[4];
    let first = &step.nodes[0];
    let inflow: f64 = step
        .edges
        .iter()
        .filter(|e| e.to == first.item)
        .map(|e| e.value)
        .sum();
    let p = story
        .seeds
        .iter()
        .find(|s| s.item == first.item)
        .map_or(0.0, |s| s.value);
    assert!(inflow <= first.value - 0.5 * p + 1e-9);
    // A small index built the layer by itself, once.
    assert_eq!(index.layers(), ["noderag"]);
}
