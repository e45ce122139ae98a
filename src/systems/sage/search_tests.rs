use super::super::build::tests::{build, index};
use super::super::layer::SageBuild;
use super::super::story::Answer;
use super::*;
use crate::systems::Found;
use std::sync::Arc;

fn answer(params: Params, question: &str, flat: bool, result_k: usize) -> (Answer, Index) {
    let index = index();
    let layer = Arc::new(build(&index, &SageBuild::default()));
    let vector = index.dense().unwrap().encoder.question(question).unwrap();
    let mut stages = Vec::new();
    let run = search(
        &layer,
        &index,
        question,
        Some(&vector),
        &params,
        flat,
        &mut |s| stages.push(s),
    )
    .unwrap();
    let all = ["score", "seed", "expand", "prune", "select"];
    let expected: Vec<&str> = all
        .into_iter()
        .filter(|s| !flat || !["expand", "prune"].contains(s))
        .collect();
    assert_eq!(stages, expected);
    (
        Answer {
            layer,
            params,
            run,
            question: question.into(),
            vector,
            result_k,
        },
        index,
    )
}

fn params(seeds: usize, neighbours: usize, edges: EdgeRule, structural: bool) -> Params {
    Params {
        seeds,
        neighbours,
        edges,
        structural,
        ..Params::default()
    }
}

const NOTHING: EdgeRule = EdgeRule {
    percentile: 100.0,
    logic: EdgeLogic::And,
    entity_edges: false,
    fuzzy: false,
};
const NAMES: EdgeRule = EdgeRule {
    entity_edges: true,
    ..NOTHING
};
const QUESTION: &str = "Who sailed the Gull and left the harbour in May before a storm came?";

/// A run over made scores, for the rules alone.
fn made(bm25: &[f64], dense: &[f32]) -> Run {
    Run {
        flat: false,
        words: Vec::new(),
        best_bm25: bm25.iter().copied().fold(0.0, f64::max),
        matched: 0,
        bm25: bm25.to_vec(),
        dense: dense.to_vec(),
        seeds: Vec::new(),
        bars: Bars {
            rule: NOTHING,
            bars: [[0.0; 3]; 3],
        },
        neighbours: Vec::new(),
        ways: Vec::new(),
        kept: 0,
        best_near: 0.0,
        passages: Vec::new(),
        entered: Vec::new(),
    }
}

#[test]
fn the_fused_score_by_hand() {
    let p = Params {
        fuse_lexical: 0.25,
        fuse_dense: 0.75,
        ..Params::default()
    };
    let run = made(&[4.0, 1.0, 0.0], &[0.2, 0.8, 0.4]);
    let scores: Vec<f64> = (0..3).map(|u| run.scored(&p, u).fused).collect();
    let expected = [0.25 + 0.75 * 0.2, 0.25 * 0.25 + 0.75 * 0.8, 0.75 * 0.4];
    assert!(
        scores
            .iter()
            .zip(expected)
            .all(|(a, b)| (a - b).abs() < 1e-7),
        "{scores:?}"
    );
    assert_eq!(
        (
            run.flat_rank(&p, 1),
            run.flat_rank(&p, 0),
            run.flat_rank(&p, 2)
        ),
        (1, 2, 3)
    );
    // No word matches: words add nothing, ties go to the lower unit.
    let run = made(&[0.0, 0.0], &[0.5, 0.5]);
    assert_eq!((run.scored(&p, 0).fused, run.flat_rank(&p, 1)), (0.375, 2));
}

#[test]
fn pruning_takes_the_best_of_the_neighbours_as_one() {
    let p = Params {
        seeds: 1,
        neighbours: 2,
        ..Params::default()
    };
    let mut run = made(&[10.0, 2.0, 1.0, 0.0], &[0.9, 0.1, 0.4, 0.3]);
    run.seeds = vec![run.scored(&p, 0)];
    run.ways = [(1, 0), (2, 0), (2, 1), (3, 0)]
        .map(|(unit, seed)| Way {
            unit,
            seed,
            via: Via::Source,
        })
        .into();
    run.prune(&p);
    // .5 * 2/2 + .5 * .1, .5 * 1/2 + .5 * .4, .5 * .3: by the seeds' best of 10 unit 2 would come first.
    let found: Vec<(u32, f64)> = run
        .neighbours
        .iter()
        .map(|n| (n.scored.unit, (n.scored.fused * 1e3).round()))
        .collect();
    assert_eq!(found, [(1, 550.0), (2, 450.0), (3, 150.0)]);
    assert_eq!(
        (run.kept, run.best_near, run.neighbours[1].ways.clone()),
        (2, 2.0, 1..3)
    );
}

#[test]
fn cutoff_intersects_the_two_fifths() {
    let p = Params {
        seeding: SageSeeding::Cutoff,
        ..Params::default()
    };
    // Ten of each: the 80th percentile lies at place 7.2, a fifth of the way from the third best to the second.
    let bm25: Vec<f64> = (0..10).map(|i| f64::from(i) + 1.0).collect();
    let dense: Vec<f32> = (0..10)
        .map(|i| [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.95, 0.8, 0.9][i])
        .collect();
    let units = |hits: Vec<Scored>| hits.iter().map(|h| h.unit).collect::<Vec<_>>();
    // Words: 8, 9. Vectors: 7, 9.
    assert_eq!(units(made(&bm25, &dense).cutoff(&p, 5)), [9]);
    // No unit in both fifths: the full lists are intersected, the best k by fused score.
    let far: Vec<f32> = dense.iter().rev().copied().collect();
    let run = made(&bm25, &far);
    assert_eq!(units(run.cutoff(&p, 2)).len(), 2);
    // No word matches anything: half of each, so the nearest half.
    let run = made(&[0.0; 4], &[0.1, 0.4, 0.3, 0.2]);
    assert_eq!(units(run.cutoff(&p, 4)), [1, 2]);
}

#[test]
fn seeds_come_first_then_their_neighbours_by_name() {
    let (answer, index) = answer(params(1, 5, NAMES, false), QUESTION, false, 10);
    let run = &answer.run;
    // The seed says Mara Voss; so do both tables, the page of that title, and no text on kelp.
    assert_eq!(index.id(run.passages[0].passage), "book.txt#1");
    let mut near: Vec<u32> = run.neighbours.iter().map(|n| n.scored.unit).collect();
    near.sort_unstable();
    assert_eq!(near, [1, 3, 6]);
    assert!(
        run.passages.windows(2).all(|w| w[0].score >= w[1].score),
        "{:?}",
        run.passages
    );
    assert_eq!(run.passages.len(), 4);
    for hit in &run.passages {
        let parts = answer.parts(&index, hit.passage);
        let sum: f64 = parts.iter().map(|p| p.value).sum();
        assert!((sum - f64::from(hit.score)).abs() < 1e-6);
        let why = answer.why(&index, hit.passage);
        assert!(!why.is_empty() && why.chars().count() <= 160);
    }
    assert!(
        answer.why(&index, 4).contains("names"),
        "{}",
        answer.why(&index, 4)
    );
    assert!(
        answer
            .why(&index, run.passages[0].passage)
            .starts_with("seed 1: fused")
    );
}

#[test]
fn units_of_a_source_are_neighbours_where_asked() {
    let (with, _) = answer(params(1, 5, NOTHING, true), QUESTION, false, 10);
    let units: Vec<u32> = with.run.neighbours.iter().map(|n| n.scored.unit).collect();
    assert_eq!(units, [5]);
    assert_eq!(with.run.ways[0].via, Via::Source);
    let (without, _) = answer(params(1, 5, NOTHING, false), QUESTION, false, 10);
    assert!(without.run.neighbours.is_empty() && without.run.passages.len() == 1);
}

#[test]
fn the_extended_baseline_is_the_flat_list_of_both_budgets() {
    let (flat, _) = answer(params(2, 3, NAMES, true), QUESTION, true, 10);
    let (seeds, _) = answer(params(5, 0, NAMES, true), QUESTION, false, 10);
    assert_eq!(flat.run.seeds, seeds.run.seeds);
    assert_eq!(flat.run.seeds.len(), 5);
    assert!(flat.run.neighbours.is_empty());
}

#[test]
fn nearness_by_distance() {
    let p = Params {
        nearness: SageNearness::Distance,
        ..params(8, 0, NOTHING, false)
    };
    let (by_distance, _) = answer(p, QUESTION, false, 10);
    let (by_cosine, _) = answer(params(8, 0, NOTHING, false), QUESTION, false, 10);
    for (d, c) in by_distance.run.dense.iter().zip(&by_cosine.run.dense) {
        assert!((d - 1.0 / (1.0 + (2.0 - 2.0 * c))).abs() < 1e-6);
    }
}

#[test]
fn the_story_tells_every_stage_and_its_cuts() {
    let (answer, index) = answer(params(1, 1, NAMES, false), QUESTION, false, 10);
    let story = answer.story(&index);
    let names: Vec<&str> = story.stages.iter().map(|s| s.name).collect();
    assert_eq!(names, ["score", "seed", "expand", "prune", "select"]);
    assert_eq!(story.timeline, [1, 2, 3]);
    assert_eq!(
        (
            story.seeds.len(),
            story.stages[2].nodes.len(),
            story.stages[3].nodes.len()
        ),
        (1, 3, 1)
    );
    assert!(
        story.stages[2]
            .edges
            .iter()
            .all(|e| e.kind == "names" && e.why.contains("names"))
    );
    assert!(
        story.stages[2]
            .cut
            .iter()
            .all(|c| c.code == "PERCENTILE_PRUNED" && c.margin >= 0.0)
    );
    assert_eq!(story.stages[3].cut.len(), 2);
    assert!(
        story.stages[3]
            .cut
            .iter()
            .all(|c| c.code == "PRUNED_BY_FUSION" && c.margin >= 0.0)
    );
    for stage in &story.stages {
        assert!(stage.nodes.iter().all(|n| n.item < story.items.len()));
        assert!(
            stage
                .edges
                .iter()
                .all(|e| e.from < story.items.len() && e.to < story.items.len())
        );
    }
    assert!(serde_json::to_string(&story).is_ok());
}

fn codes(answer: &Answer, index: &Index, id: &str) -> Vec<(&'static str, Option<String>)> {
    let passage = index.passage_by_id(id).unwrap();
    answer
        .missing(index, passage)
        .into_iter()
        .map(|r| (r.code, r.fix))
        .collect()
}

#[test]
fn every_reason_has_its_case_and_every_fix_admits() {
    // Only names: kelp has no neighbour at all, the book's second passage neither.
    let (one, index) = answer(params(1, 1, NAMES, false), QUESTION, false, 2);
    let found = codes(&one, &index, "d4");
    assert_eq!(found[0].0, "ISOLATED");
    assert_eq!(found[1].0, "PERCENTILE_PRUNED");
    assert_eq!(found.last().unwrap().0, "CUT_BY_K");
    assert!(codes(&one, &index, "book.txt#1").is_empty());
    assert_eq!(codes(&one, &index, "d5"), [("NOT_IN_INDEX", None)]);
    let pruned: Vec<_> = ["d1", "d2", "d3"]
        .into_iter()
        .filter(|id| {
            codes(&one, &index, id)
                .first()
                .is_some_and(|r| r.0 == "PRUNED_BY_FUSION")
        })
        .collect();
    assert_eq!(pruned.len(), 2);
    // With K = 10 the fix holds: it was tried.
    let (ten, index) = answer(params(1, 1, NAMES, false), QUESTION, false, 10);
    let fixes: Vec<_> = pruned
        .iter()
        .map(|id| codes(&ten, &index, id)[0].1.clone().unwrap())
        .collect();
    assert!(
        fixes.contains(&"sage_neighbours=2".to_owned())
            && fixes.contains(&"sage_neighbours=3".to_owned()),
        "{fixes:?}"
    );
    // Similarity alone, no pair above: the percentile that admits is named.
    let rule = EdgeRule {
        percentile: 99.9,
        logic: EdgeLogic::Or,
        ..NOTHING
    };
    let (strict, index) = answer(params(1, 5, rule, false), QUESTION, false, 10);
    let outside = ["d1", "d2", "d3", "d4"]
        .into_iter()
        .map(|id| codes(&strict, &index, id))
        .filter(|c| !c.is_empty());
    let mut tried = 0;
    for found in outside {
        assert!(
            ["ISOLATED", "NO_PATH", "PERCENTILE_PRUNED"].contains(&found[0].0),
            "{found:?}"
        );
        let fix = found
            .iter()
            .find(|r| r.0 == "PERCENTILE_PRUNED")
            .and_then(|r| r.1.clone());
        tried += usize::from(fix.is_some_and(|f| f.starts_with("edge_percentile=")));
    }
    assert!(tried > 0);
    // A flat search has no graph to speak of.
    let (flat, index) = answer(params(1, 1, NAMES, false), QUESTION, true, 10);
    let found = codes(&flat, &index, "d4");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].0, "CUT_BY_K");
    assert!(
        found[0]
            .1
            .as_deref()
            .is_some_and(|f| f.starts_with("sage_seeds="))
    );
}

#[test]
fn pairs_outside_the_pool_and_hops_too_many() {
    let index = index();
    let layer = Arc::new(build(
        &index,
        &SageBuild {
            pair_pool: 1,
            ..SageBuild::default()
        },
    ));
    let vector = index.dense().unwrap().encoder.question(QUESTION).unwrap();
    let rule = EdgeRule {
        percentile: 50.0,
        logic: EdgeLogic::Or,
        ..NOTHING
    };
    let mut seen = std::collections::BTreeSet::new();
    for rule in [
        rule,
        EdgeRule {
            entity_edges: true,
            ..rule
        },
    ] {
        let p = params(1, 1, rule, true);
        let run = search(
            &layer,
            &index,
            QUESTION,
            Some(&vector),
            &p,
            false,
            &mut |_| {},
        )
        .unwrap();
        let answer = Answer {
            layer: layer.clone(),
            params: p,
            run,
            question: QUESTION.into(),
            vector: vector.clone(),
            result_k: 1,
        };
        for passage in 0..6 {
            for reason in answer.missing(&index, passage) {
                assert!(reason.text.ends_with(')'), "{}", reason.text);
                seen.insert(reason.code);
            }
        }
    }
    assert!(seen.contains("NOT_CANDIDATE_PAIR"), "{seen:?}");
}

#[test]
fn a_question_without_a_vector_is_refused() {
    let index = index();
    let layer = build(&index, &SageBuild::default());
    let said = search(
        &layer,
        &index,
        QUESTION,
        None,
        &Params::default(),
        false,
        &mut |_| {},
    )
    .err()
    .unwrap();
    assert!(
        said.to_string().contains("method sage needs vectors"),
        "{said}"
    );
}

#[test]
fn both_variants_answer_as_systems() {
    use super::super::{Sage as System, Variant};
    use crate::retrieve::{Method, Settings};
    use crate::systems::{Ask, System as _};
    let index = Arc::new(index());
    let vector = index.dense().unwrap().encoder.question(QUESTION).unwrap();
    let settings = Settings::of(&index, Method::by_name("dense").unwrap());
    for variant in [Variant::Graph, Variant::Flat] {
        let mut ask = Ask {
            index: &index,
            question: QUESTION,
            settings: &settings,
            vector: Some(&vector),
            stage: &mut |_| {},
        };
        let found = System { variant }.search(&mut ask).unwrap();
        assert_eq!(index.id(found.passages()[0].passage), "book.txt#1");
        assert_eq!(
            found.story(&index).timeline.is_empty(),
            variant == Variant::Flat
        );
    }
    // The index is small: the layer was built on the spot and kept.
    assert_eq!(index.layers(), ["sage"]);
}
