//! The learned order: its parts, its bits, its training held against another implementation.

use hopscope::index::sample;
use hopscope::random::SplitMix;
use hopscope::ranker::{
    Additive, Assured, Boosting, Calibration, Candidates, Example, FORMAT, Feature, Model, Naming,
    PARTS, Recipe, Rows, Sign, Signs, Steps, Tuned, Weighed, boost, few, further, order, rounded,
};
use hopscope::retrieve::{Keep, Method, Retrieval, Retriever, Settings};
use hopscope::{Combine, Index};
use proptest::prelude::*;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

static INDEX: LazyLock<Arc<Index>> = LazyLock::new(|| Arc::new(sample::index().unwrap()));

fn hop(sets: &[String], model: Option<Model>) -> Settings {
    let mut settings = Settings::of(&INDEX, Method::by_name("hop").unwrap());
    sets.iter().for_each(|set| settings.set_text(set).unwrap());
    if let Some(model) = model {
        settings.tune(Arc::new(Tuned::new(PathBuf::from("own.json"), model)));
    }
    settings
}

fn run(question: &str, settings: &Settings) -> Retrieval {
    let mut retriever = Retriever::new(INDEX.clone());
    retriever
        .retrieve(question, settings, Keep::Scores)
        .unwrap()
}

fn steps(feature: Feature) -> impl Strategy<Value = Steps> {
    let at = prop::collection::vec(-2.0..6.0f64, 0..5);
    (at, prop::collection::vec(-2.0..2.0f64, 6)).prop_map(move |(mut at, mut values)| {
        at.sort_by(f64::total_cmp);
        at.dedup();
        values.truncate(at.len() + 1);
        Steps {
            feature: feature.id().to_owned(),
            at,
            values,
        }
    })
}

fn additive(features: &'static [Feature]) -> impl Strategy<Value = Additive> {
    let each: Vec<_> = features.iter().map(|f| steps(*f)).collect();
    each.prop_map(|all| Additive::new(all).unwrap())
}

fn model() -> impl Strategy<Value = Model> {
    let first = additive(&Feature::ALL[..Feature::OF_ONE]);
    let second = additive(Feature::ALL);
    (first, second, 0.0..3.0f64, -1.0..1.0f64, assured()).prop_map(
        |(first, second, beta, offset, assured)| Model {
            format: FORMAT,
            about: "drawn".to_owned(),
            trained: Vec::new(),
            beta,
            calibration: Calibration {
                best: 0.5,
                mean: 0.5,
                offset,
            },
            first,
            second,
            assured: Some(assured),
        },
    )
}

/// Any rule over signs, of weights as their directions have them.
fn assured() -> impl Strategy<Value = Assured> {
    let each = prop::collection::vec((-2.0..2.0f64, 0.0..3.0f64), Sign::ALL.len());
    (each, -3.0..3.0f64).prop_map(|(each, base)| {
        let signs = Sign::ALL.into_iter().zip(each);
        let signs = signs.map(|(sign, (mean, weight))| Weighed {
            sign: sign.id().to_owned(),
            mean,
            weight: weight * f64::from(sign.direction()),
        });
        Assured {
            trained: vec!["drawn".to_owned()],
            base,
            signs: signs.collect(),
        }
        .rounded()
    })
}

/// Settings that move the parts.
fn sets() -> impl Strategy<Value = Vec<String>> {
    let all = [
        "ranker_beta",
        "ranker_first",
        "ranker_question",
        "ranker_open",
        "ranker_mentions",
        "ranker_names",
        "ranker_sentences",
        "ranker_alike",
        "ranker_pairs",
        "weight_named",
        "weight_cosine",
    ];
    prop::collection::vec((0..all.len(), 0..5u8), 0..4).prop_map(move |drawn| {
        let one = |(at, by): (usize, u8)| format!("{}={}", all[at], f64::from(by) / 2.0);
        drawn
            .into_iter()
            .map(one)
            .chain(["any_case=off".to_owned()])
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn the_parts_of_every_passage_sum_to_its_score(
        model in model(), sets in sets(), question in 0..20usize,
    ) {
        let question = &INDEX.questions()[question].text;
        let run = run(question, &hop(&sets, Some(model)));
        for hit in run.passages.iter().take(60) {
            let opened = run.explain(&INDEX, hit.passage);
            prop_assert_eq!(opened.combine, Combine::Sum);
            let score = f64::from(hit.score);
            // Scores are kept in f32.
            prop_assert!((opened.sum() - score).abs() < 1e-6 * score.abs().max(1.0), "{} {score}", opened.sum());
        }
        prop_assert!(run.passages.windows(2).all(|pair| pair[0].score >= pair[1].score));
    }

    #[test]
    fn the_parts_of_a_confidence_sum_to_its_odds(
        model in model(), sets in sets(), question in 0..20usize,
    ) {
        let question = &INDEX.questions()[question].text;
        let run = run(question, &hop(&sets, Some(model)));
        let confidence = run.confidence(&INDEX).unwrap();
        let sum: f64 = confidence.parts.iter().map(|part| part.value).sum();
        prop_assert!((sum - confidence.odds).abs() < 1e-9, "{confidence:?}");
        let p = 1.0 / (1.0 + (-sum).exp());
        prop_assert!((p - confidence.probability).abs() < 1e-9, "{confidence:?}");
    }

    #[test]
    fn a_sign_moves_a_confidence_only_in_its_direction(
        assured in assured(),
        signs in prop::collection::vec(-3.0..3.0f64, Sign::ALL.len()),
        at in 0..Sign::ALL.len(),
        more in 0.0..3.0f64,
    ) {
        let signs: Signs = signs.try_into().unwrap();
        let mut raised = signs;
        raised[at] += more;
        let moved = assured.probability(&raised) - assured.probability(&signs);
        prop_assert!(moved * f64::from(Sign::ALL[at].direction()) >= 0.0);
    }

    #[test]
    fn a_ranker_comes_back_from_its_file(model in model()) {
        let model = rounded(&model);
        prop_assert_eq!(&Model::parse(&model.text()).unwrap(), &model);
    }
}

#[test]
fn a_question_of_the_corpus_has_a_high_confidence_and_one_of_nothing_a_low_one() {
    let settings = hop(&[], None);
    let p = |question: &str| run(question, &settings).confidence(&INDEX).unwrap();
    let own = INDEX.questions().iter().take(20);
    let own: f64 = own
        .map(|question| p(&question.text).probability)
        .sum::<f64>()
        / 20.0;
    let sure = p("Who discovered the moon Titan?");
    assert!(sure.probability > 0.5 && own > 0.3, "{sure:?} {own}");
    for foreign in [
        "Which enzyme does the drug lisinopril inhibit in hypertensive rats?",
        "Who sang the title song of the film Skyfall in Stockholm?",
    ] {
        let low = p(foreign);
        assert!(low.probability < 0.1 && low.doubtful(), "{low:?}");
        assert!(low.sentence.starts_with("weak evidence"), "{low:?}");
        assert!(
            low.sentence.contains("nothing in the first five has"),
            "{low:?}"
        );
    }
}

#[test]
fn a_confidence_is_absent_where_none_was_learned() {
    let question = &INDEX.questions()[3].text;
    let off = run(question, &hop(&["ranker=off".to_owned()], None));
    assert_eq!(off.confidence(&INDEX), None);
    let bare = Model {
        assured: None,
        ..Model::shipped().clone()
    };
    assert_eq!(
        run(question, &hop(&[], Some(bare))).confidence(&INDEX),
        None
    );
    let settings = Settings::of(&INDEX, Method::by_name("graph-rrf").unwrap());
    assert_eq!(run(question, &settings).confidence(&INDEX), None);
}

#[test]
fn outcomes_give_weights_that_keep_their_directions() {
    let mut draw = SplitMix::new(5);
    let rows: Vec<(Signs, bool)> = (0..400)
        .map(|at| {
            let outcome = at % 2 == 0;
            // The first sign tells, the second tells the opposite of what it may, the others nothing.
            let mut signs = [0.0; Sign::ALL.len()];
            signs
                .iter_mut()
                .for_each(|s| *s = draw.below(1000) as f64 / 1000.0);
            let shift = if outcome { 0.5 } else { -0.5 };
            signs[0] += shift * f64::from(Sign::ALL[0].direction());
            signs[1] -= shift * f64::from(Sign::ALL[1].direction());
            (signs, outcome)
        })
        .collect();
    let assured = Assured::fit(&rows);
    for Weighed { sign, weight, .. } in &assured.signs {
        let sign = Sign::ALL.into_iter().find(|own| own.id() == sign).unwrap();
        assert!(weight * f64::from(sign.direction()) >= 0.0, "{assured:?}");
    }
    assert!(
        assured
            .signs
            .iter()
            .any(|own| own.sign == Sign::ALL[0].id())
    );
    assert!(
        assured
            .signs
            .iter()
            .all(|own| own.sign != Sign::ALL[1].id())
    );
    let right = rows
        .iter()
        .filter(|(signs, outcome)| (assured.odds(signs) > 0.0) == *outcome);
    assert!(right.count() > 300);
}

#[test]
fn without_a_ranker_hop_is_its_weighted_sum() {
    let question = &INDEX.questions()[3].text;
    let off = run(question, &hop(&["ranker=off".to_owned()], None));
    let sum = off
        .records
        .iter()
        .find(|record| record.step.operator.declaration().name == "weighted sum")
        .unwrap();
    assert_eq!(off.passages, sum.output.hits());
    let best = off.top()[0];
    let opened = off.explain(&INDEX, best.passage);
    assert_eq!(opened.parts.len(), 8);
    // And the same set holds with one: only the order of the first fifty is another.
    let on = run(question, &hop(&[], None));
    let first = |run: &Retrieval| {
        let mut all: Vec<u32> = run
            .passages
            .iter()
            .take(50)
            .map(|hit| hit.passage)
            .collect();
        all.sort_unstable();
        all
    };
    assert_eq!(first(&on), first(&off));
    assert_eq!(on.passages.len(), off.passages.len());
    let tail = |run: &Retrieval| {
        run.passages
            .iter()
            .skip(50)
            .map(|hit| hit.passage)
            .collect::<Vec<_>>()
    };
    assert_eq!(tail(&on), tail(&off));
}

#[test]
fn muting_every_group_leaves_the_first_order() {
    let names = [
        "first",
        "question",
        "open",
        "mentions",
        "names",
        "sentences",
        "alike",
        "pairs",
    ];
    let muted: Vec<String> = names
        .iter()
        .map(|name| format!("ranker_{name}=0"))
        .collect();
    for question in &INDEX.questions()[..8] {
        let order = |settings: &Settings| {
            let run = run(&question.text, settings);
            run.passages
                .iter()
                .map(|hit| hit.passage)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            order(&hop(&muted, None)),
            order(&hop(&["ranker=off".to_owned()], None))
        );
    }
}

#[test]
fn a_part_names_the_candidate_it_rests_on() {
    let question =
        "Who was the grandfather of the astronomer whose observatory inspired Jantar Mantar?";
    let run = run(question, &hop(&[], None));
    let whys: Vec<String> = run
        .top()
        .iter()
        .flat_map(|hit| run.explain(&INDEX, hit.passage).parts)
        .map(|p| p.why)
        .collect();
    assert!(
        whys.iter().any(|why| why.starts_with("named by rank ")),
        "{whys:?}"
    );
    assert!(
        whys.iter()
            .any(|why| why.starts_with("together with rank ")),
        "{whys:?}"
    );
}

#[test]
fn what_is_no_ranker_is_refused_with_its_file_and_the_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ranker.json");
    let open = |text: &str| {
        std::fs::write(&file, text).unwrap();
        Tuned::open(&file).unwrap_err()
    };
    let good = Model::shipped().text();
    for (text, expected) in [
        ("", "line 1"),
        ("{}", "missing field"),
        (&good.replace("\"format\": 1", "\"format\": 9"), "format 9"),
        (
            &good.replace("\"cover\"", "\"covers\""),
            "no feature 'covers'",
        ),
        (
            &good.replacen("\"feature\":\"cover\"", "\"feature\":\"open\"", 1),
            "depends on it",
        ),
    ] {
        let said = open(text);
        assert!(
            said.contains(expected)
                && said.contains("ranker.json")
                && said.contains("hopscope tune"),
            "{said}"
        );
    }
    let mut settings = hop(&[], None);
    let said = settings.set_text("ranker=/no/such").unwrap_err();
    assert!(said.contains("/no/such"), "{said}");
}

/// Questions whose gold is the first candidate and the one that it names.
fn chains(count: usize, from: u64) -> Vec<Example> {
    let one = |number: usize| {
        let mut draw = SplitMix::stream(7, from + number as u64);
        let named = 1 + draw.below(11);
        let scores = (0..12).map(|k| 8.0 - 0.4 * f64::from(k) - draw.below(100) as f64 / 500.0);
        let candidates = Candidates {
            passages: (0..12).collect(),
            scores: scores.collect(),
            parts: vec![[0.0; PARTS]; 12],
            words: vec!["river".to_owned()],
            shares: vec![1.0],
            has: vec![1; 12],
            titled: vec![false; 12],
            twin: (0..12).collect(),
            namings: vec![Naming {
                from: 0,
                to: named as u16,
                name: 0,
                sentence: None,
                share: 0.0,
                union: 0.0,
            }],
            sharings: Vec::new(),
            single: 0.0,
            foreign: false,
        };
        let grades = (0..12).map(|k| u8::from(k == 0 || k == named)).collect();
        Example { grades, candidates }
    };
    (0..count).map(one).collect()
}

#[test]
fn a_rule_between_candidates_is_learned_and_holds_for_unseen_questions() {
    let (seen, unseen) = (chains(60, 0), chains(40, 1000));
    let examples: Vec<&Example> = seen.iter().collect();
    let found = |model: &Model| {
        let both = |example: &&Example| {
            let first = order(model, &example.candidates);
            first[..2].iter().all(|k| example.grades[*k] > 0)
        };
        unseen.iter().filter(both).count()
    };
    let recipe = Recipe {
        boosting: Boosting {
            rounds: 60,
            least: 10,
            ..Boosting::default()
        },
        ..Recipe::default()
    };
    let fresh = recipe.fresh(&examples, &|_| true).unwrap();
    assert!(found(&fresh) >= 38, "{}", found(&fresh));
    // From few labels on top of the shipped one too, and never fewer than it finds.
    let more = further(Model::shipped(), &examples[..12], &few(), &|_| true).unwrap();
    assert!(
        found(&more) >= found(Model::shipped()),
        "{} {}",
        found(&more),
        found(Model::shipped())
    );
    // Who stops it gets nothing.
    assert!(recipe.fresh(&examples, &|done| done < 0.3).is_none());
    assert!(recipe.fresh(&[], &|_| true).is_none());
}

/// The rows and scores of another implementation of the same boosting.
#[derive(serde::Deserialize)]
struct Golden {
    groups: Vec<usize>,
    grades: Vec<u8>,
    values: Vec<f64>,
    scores: Vec<f64>,
}

#[test]
fn boosting_orders_as_lightgbm_does_on_the_same_rows() {
    let golden: Golden = serde_json::from_str(include_str!("../data/lightgbm.json")).unwrap();
    let rows = Rows {
        width: 5,
        values: golden.values.clone(),
        groups: golden.groups.clone(),
        grades: golden.grades.clone(),
        start: Vec::new(),
    };
    let how = Boosting {
        rounds: 80,
        least: 20,
        rows: 1.0,
        features: 1.0,
        width: 5,
        ..Boosting::default()
    };
    let fitted = boost(&rows, &how, &|_| true).unwrap();
    let mut row = vec![0.0; Feature::ALL.len()];
    let scores: Vec<f64> = golden
        .values
        .chunks(5)
        .map(|own| {
            row[..5].copy_from_slice(own);
            fitted.score(&row)
        })
        .collect();
    // Places between values differ a little from bins: scores agree to a hundredth of their range, orders but for ties.
    let range = |all: &[f64]| {
        all.iter().copied().fold(f64::MIN, f64::max) - all.iter().copied().fold(f64::MAX, f64::min)
    };
    let off = scores
        .iter()
        .zip(&golden.scores)
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f64::max);
    assert!(
        off < 0.02 * range(&golden.scores),
        "{off} of {}",
        range(&golden.scores)
    );
    let (mut from, mut agree, mut pairs) = (0, 0, 0);
    for count in &golden.groups {
        let own = from..from + count;
        for a in own.clone() {
            for b in own
                .clone()
                .filter(|b| golden.scores[a] > golden.scores[*b] + 1e-3)
            {
                pairs += 1;
                agree += usize::from(scores[a] > scores[b]);
            }
        }
        from += count;
    }
    assert!(agree * 1000 >= pairs * 995, "{agree} of {pairs}");
}

#[test]
fn boosting_gives_the_same_bits_on_any_number_of_threads() {
    let golden: Golden = serde_json::from_str(include_str!("../data/lightgbm.json")).unwrap();
    let rows = Rows {
        width: 5,
        values: golden.values,
        groups: golden.groups,
        grades: golden.grades,
        start: Vec::new(),
    };
    let how = Boosting {
        rounds: 40,
        width: 5,
        least: 10,
        ..Boosting::default()
    };
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| boost(&rows, &how, &|_| true)).unwrap()
    };
    let one = on(1);
    assert_eq!(one, on(2));
    assert_eq!(one, on(4));
    assert!(!one.functions.is_empty());
    // More of a feature that may only raise never lowers the score.
    for steps in &one.functions {
        assert!(
            steps
                .values
                .windows(2)
                .all(|pair| pair[0] <= pair[1] + 1e-12),
            "{steps:?}"
        );
    }
}
