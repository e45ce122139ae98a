//! Compositions against the pipeline they stand beside, by hand, and over every graph there is.

use super::search::Asked;
use super::{Answer, Web};
use crate::index::{Index, sample};
use crate::parameters::{RESULT_K, WALK, Walk};
use crate::retrieve::compose::{GRAPHS, Graph, PICKS, RESTS, WALKS};
use crate::retrieve::{Composition, Method, Quiet, Retrieval, Retriever, Settings};
use crate::systems::Found;
use std::sync::Arc;

fn answered(index: &Arc<Index>, method: &str, changes: &[&str], question: &str) -> Retrieval {
    let mut settings = Settings::of(index, Method::by_name(method).unwrap());
    for change in changes {
        settings.set_text(change).unwrap();
    }
    let mut retriever = Retriever::new(index.clone());
    retriever.retrieve(question, &settings, &mut Quiet).unwrap()
}

fn answer(retrieval: &Retrieval) -> &Answer {
    let found: &dyn std::any::Any = &**retrieval.found.as_ref().unwrap();
    found.downcast_ref().unwrap()
}

/// The same composition through the engine of this module, which the pipeline would otherwise run.
fn by_web(index: &Arc<Index>, like: &Retrieval) -> Answer {
    let settings = like.settings.clone();
    let parts = Composition::near(settings.method());
    let mut retriever = Retriever::new(index.clone());
    let view = retriever.view(&settings, &mut Quiet);
    let web = Web::open(parts.graph, index, &settings, || view).unwrap();
    let asked = Asked {
        question: like.question.clone(),
        parts,
        web: Arc::new(web),
        list: like.ranked.clone(),
        vector: None,
        depth: 100,
        settings,
    };
    let run = asked.run(index, &mut |_| {}).unwrap();
    Answer { asked, run }
}

#[test]
fn over_sprigs_graph_it_gives_the_pipelines_seeds_and_scores() {
    let index = Arc::new(sample::index().unwrap());
    let mut seen = 0;
    for question in index.questions().iter().step_by(9) {
        for (method, changes) in [
            ("graph-hybrid", &["hub_p=0.7", "mix=adaptive"][..]),
            ("graph-rrf", &["seed_weight=softmax"][..]),
            ("tfidf-graph", &[][..]),
            ("graph-hybrid", &["dangling=reseed", "edge_cap=10"][..]),
        ] {
            let piped = answered(&index, method, changes, &question.text);
            if piped.fallback || piped.seeds.is_empty() {
                continue;
            }
            let own = by_web(&index, &piped);
            let pairs = |seeds: Vec<(u32, f64)>| {
                let mut seeds = seeds;
                seeds.sort_by_key(|s| s.0);
                seeds
            };
            let there = pairs(piped.seeds.iter().map(|s| (s.node, s.weight)).collect());
            let here = pairs(own.run.seeds.iter().map(|s| (s.node, s.weight)).collect());
            assert_eq!(there.len(), here.len(), "{method}: {}", question.text);
            for (a, b) in there.iter().zip(&here) {
                assert_eq!(a.0, b.0);
                assert!((a.1 - b.1).abs() < 1e-12);
            }
            assert_eq!(piped.passages, own.run.hits, "{method}: {}", question.text);
            seen += 1;
        }
    }
    assert!(seen > 20, "{seen}");
}

#[test]
fn push_comes_to_the_pipelines_scores_too() {
    let index = Arc::new(sample::index().unwrap());
    let question = &index.questions()[0].text;
    let piped = answered(
        &index,
        "names+rrf > entity-passage > push > passages",
        &[],
        question,
    );
    assert!(piped.view.is_some(), "the pipeline runs what it can");
    assert_eq!(piped.settings.get(WALK), Walk::Push);
    assert_eq!(piped.passages, by_web(&index, &piped).run.hits);
}

#[test]
fn every_combination_runs_or_says_why_not() {
    let index = Arc::new(sample::index().unwrap());
    let question = &index.questions()[3].text;
    let mut retriever = Retriever::new(index.clone());
    let (mut ran, mut refused) = (0, 0);
    let rests = RESTS.iter().map(|w| w.name.to_owned());
    let both = RESTS.iter().map(|w| format!("names+{}", w.name));
    let seeds: Vec<String> = rests.chain(both).chain(["names".to_owned()]).collect();
    for graph in GRAPHS {
        for seeds in &seeds {
            // Every pick with one walk, and every walk with one pick.
            let picks = PICKS.iter().map(|pick| ("power", pick.name));
            let walks = WALKS.iter().map(|walk| (walk.name, "passages"));
            for (walk, pick) in picks.chain(walks) {
                let name = format!("{seeds} > {} > {walk} > {pick}", graph.name);
                let method = match Method::by_name(&name) {
                    Ok(method) => method,
                    Err(why) => {
                        assert!(
                            why.contains("do not fit") || why.contains("does not fit"),
                            "{why}"
                        );
                        refused += 1;
                        continue;
                    }
                };
                assert_eq!(method.name, name);
                let settings = Settings::of(&index, method);
                let found = retriever.retrieve(question, &settings, &mut Quiet);
                if graph.part == Graph::Typed {
                    // The bundled corpus has no typed graph beside it: that is said too.
                    assert!(found.unwrap_err().to_string().contains("spark"), "{name}");
                    continue;
                }
                let found = found.unwrap();
                ran += 1;
                let scores: Vec<f32> = found.passages.iter().map(|h| h.score).collect();
                assert!(scores.is_sorted_by(|a, b| a >= b), "{name}");
                assert!(scores.iter().all(|s| s.is_finite()), "{name}");
                if found.found.is_none() {
                    assert!(method.composition.unwrap().plain(), "{name}");
                    continue;
                }
                told(&index, answer(&found), &name);
            }
        }
    }
    assert!(ran > 300 && refused > 50, "{ran} ran, {refused} refused");
}

/// The story, the parts and the reasons of an answer hold together.
fn told(index: &Index, answer: &Answer, name: &str) {
    let run = &answer.run;
    let weights: f64 = run.seeds.iter().map(|s| s.weight).sum();
    assert!(
        run.seeds.is_empty() || (weights - 1.0).abs() < 1e-9,
        "{name}"
    );
    assert!(run.mass.iter().sum::<f64>() < 1.0 + 1e-9, "{name}");
    let story = answer.story(index);
    assert!(story.headline.contains(" seeds, "), "{name}");
    assert_eq!(story.seeds.is_empty(), run.seeds.is_empty(), "{name}");
    let items = story.items.len();
    for stage in &story.stages {
        assert!(stage.nodes.iter().all(|n| n.item < items), "{name}");
        assert!(stage.edges.iter().all(|e| e.from < items && e.to < items));
    }
    for (at, hit) in run.hits.iter().enumerate().step_by(7) {
        let parts = answer.parts(index, hit.passage);
        if name.ends_with("bridge") {
            assert!(parts.is_empty());
        } else {
            let sum: f64 = parts.iter().map(|p| p.value).sum();
            let score = f64::from(hit.score);
            // Below the candidates a re-ranker leaves places, not scores.
            let close = (sum - score).abs() < 1e-5 * score.abs().max(1e-3);
            assert!(close, "{name}: parts {sum}, score {score}");
        }
        assert!(answer.why(index, hit.passage).chars().count() <= 160);
        let k = answer.asked.settings.get(RESULT_K);
        assert_eq!(answer.missing(index, hit.passage).is_empty(), at < k);
    }
    let there: Vec<u32> = run.hits.iter().map(|h| h.passage).collect();
    let absent = (0..index.len() as u32).find(|p| !there.contains(p));
    if let Some(passage) = absent {
        let reasons = answer.missing(index, passage);
        assert!(!reasons.is_empty(), "{name}");
    }
}

#[test]
fn a_passage_of_several_nodes_gets_its_shares_of_each() {
    // The summary of a chunk quotes passages: their shares of it add up to its mass.
    let index = Arc::new(sample::index().unwrap());
    let question = &index.questions()[0].text;
    let name = "nearest > summary-tree > power > passages";
    let found = answered(&index, name, &[], question);
    let run = &answer(&found).run;
    let web = &answer(&found).asked.web;
    let landed: f64 = run.scores.iter().sum();
    let standing = (0..)
        .zip(&run.mass)
        .filter(|(n, _)| !web.passages(*n).is_empty());
    let held: f64 = standing.map(|(_, mass)| mass).sum();
    assert!((landed - held).abs() < 1e-12);
    assert!(landed > 0.1);
}

#[test]
fn a_bridge_is_the_geometric_mean_of_the_walks_of_each_name() {
    let index = Arc::new(sample::index().unwrap());
    let name = "names > entity-passage > power > bridge";
    let mut found = None;
    for question in index.questions() {
        let own = answered(&index, name, &[], &question.text);
        if answer(&own).run.bridges.len() == 2 {
            found = Some(own);
            break;
        }
    }
    let found = found.expect("a question of two names");
    let run = &answer(&found).run;
    let hit = run.hits[0];
    let each = [0, 1].map(|i| run.bridges[i].scores[hit.passage as usize] + 1e-6);
    let mean = (each[0] * each[1]).sqrt() as f32;
    assert!(
        (hit.score - mean).abs() < 1e-6 * mean,
        "{} {mean}",
        hit.score
    );
    // Each factor is a walk of its own from one name alone.
    assert!(
        run.bridges
            .iter()
            .all(|b| b.scores.iter().sum::<f64>() > 0.1)
    );
}

#[test]
fn a_misfit_stops_the_packing_or_is_skipped() {
    let index = Arc::new(sample::index().unwrap());
    let name = "names+bm25 > entity-passage > power > pack";
    let parameters = Method::by_name(name).unwrap().uses();
    assert!(parameters.contains(&P::Pack));
    let mut skipped = 0;
    for question in index.questions().iter().step_by(9) {
        let packed = |change: &[&str]| {
            let changes = [&["context_tokens=500"], change].concat();
            answered(&index, name, &changes, &question.text)
        };
        let (stop, skip) = (packed(&["pack=stop"]), packed(&["pack=skip"]));
        assert_eq!(packed(&[]).passages, skip.passages, "it skips by itself");
        let (stop, skip) = (answer(&stop), answer(&skip));
        assert_eq!(stop.run.hits, skip.run.hits[..stop.run.hits.len()]);
        assert!(stop.run.tokens <= skip.run.tokens && skip.run.tokens <= 500);
        // The first that does not fit is the same; after it one goes on.
        assert_eq!(stop.run.unfit.first(), skip.run.unfit.first());
        skipped += skip.run.hits.len() - stop.run.hits.len();
    }
    assert!(skipped > 0);
}

#[test]
fn what_was_suggested_was_tried() {
    let index = Arc::new(sample::index().unwrap());
    let name = "bm25 > chunk-similarity > one-hop > passages";
    let mut tried = 0;
    for question in index.questions().iter().step_by(5) {
        let found = answered(&index, name, &["seed_k=1"], &question.text);
        let own = answer(&found);
        for passage in (0..index.len() as u32).step_by(11) {
            let reasons = own.missing(&index, passage);
            let fix = reasons.iter().find_map(|r| r.fix.as_deref());
            let Some((change, rank)) = fix.and_then(|f| f.split_once(" brings it to rank ")) else {
                continue;
            };
            let again = answered(&index, name, &["seed_k=1", change], &question.text);
            assert_eq!(again.rank(passage), rank.parse().ok(), "{change}");
            tried += 1;
        }
    }
    assert!(tried > 0);
}

#[test]
fn a_typed_graph_is_walked_from_the_objects_that_are_named() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-corpus/typed-graph");
    let paths = [folder];
    let (corpus, _) = crate::corpus::read(&paths, &Default::default()).unwrap();
    let index = Index::build(corpus, &Default::default(), &crate::index::Silent).unwrap();
    index.look_beside(&paths);
    let index = Arc::new(index);
    let question = "Which prizes did Marie Curie and Pierre Curie win?";
    for name in [
        "names > typed > power > passages",
        "names+rrf > typed > push > bridge",
        "bm25 > typed > one-hop > pack",
    ] {
        let found = answered(&index, name, &[], question);
        assert!(!found.passages.is_empty(), "{name}");
        told(&index, answer(&found), name);
    }
    let by_name = answered(&index, "names > typed > one-hop > passages", &[], question);
    assert!(!answer(&by_name).run.names.is_empty());
}

#[test]
fn every_graph_finds_names_by_its_own_rule() {
    let index = Arc::new(sample::index().unwrap());
    for graph in ["noderag", "skeleton", "keyword-unit", "entity-chunk"] {
        let name = format!("names > {graph} > power > passages");
        let settings = Settings::of(&index, Method::by_name(&name).unwrap());
        let mut retriever = Retriever::new(index.clone());
        let mut linked = 0;
        for question in index.questions().iter().step_by(4) {
            let found = retriever
                .retrieve(&question.text, &settings, &mut Quiet)
                .unwrap();
            let run = &answer(&found).run;
            let with = run.names.iter().filter(|n| !n.nodes.is_empty()).count();
            assert_eq!(
                run.seeds.is_empty(),
                with == 0,
                "{graph}: {}",
                question.text
            );
            linked += usize::from(with > 0);
        }
        assert!(linked > 5, "{graph}: {linked}");
    }
    assert_eq!(
        Composition::parse("names > typed > lazy > pack")
            .unwrap()
            .graph,
        Graph::Typed
    );
}
