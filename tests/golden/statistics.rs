//! Evaluation held against numpy, scipy and ir_measures (`tests/statistics/make.py` makes the figures), against brute force,
//! and against what must not change anything.

use hopscope::corpus::{Gold, Question};
use hopscope::evaluate::compare::{Difference, Resampling, differences, quantile};
use hopscope::evaluate::{
    Comparison, Coverage, Evaluation, GraphShape, MEASURES, Measures, STAGES, Stage, Survival,
    by_gold, by_type, evaluate, measures,
};
use hopscope::graph::trail::distance;
use hopscope::index::{Index, sample};
use hopscope::layers::ENTITY_PASSAGE;
use hopscope::parameters::{Fallback, STEPS};
use hopscope::retrieve::spread::restart;
use hopscope::retrieve::{GraphView, Keep, Method, Retriever, Settings};
use serde_json::Value;
use std::process::Command;
use std::sync::Arc;

fn reference() -> Value {
    serde_json::from_str(include_str!("../statistics/reference.json")).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    let list = value.as_array().unwrap();
    list.iter().map(|v| v.as_f64().unwrap()).collect()
}

/// Pairs whose seven measures all have the same values.
fn pairs(a: &[f64], b: &[f64]) -> Vec<(Measures, Measures)> {
    let all = |x: &f64| Measures([*x; MEASURES.len()]);
    a.iter().zip(b).map(|(a, b)| (all(a), all(b))).collect()
}

fn resampling(seed: u64, resamples: usize) -> Resampling {
    Resampling { seed, resamples }
}

#[test]
fn intervals_and_p_agree_with_scipy() {
    const DRAWN: usize = 100_000;
    let close = |what: &str, ours: f64, theirs: f64, within: f64| {
        assert!(
            (ours - theirs).abs() <= within,
            "{what}: {ours} {theirs}, allowed {within}"
        );
    };
    for case in reference()["comparisons"].as_array().unwrap() {
        let (a, b) = (numbers(&case["a"]), numbers(&case["b"]));
        let found = &differences(&pairs(&a, &b), resampling(11, DRAWN))[0];
        let n = a.len() as f64;
        close(
            "difference",
            found.difference,
            case["difference"].as_f64().unwrap(),
            1e-12,
        );
        // Five standard errors of a 2.5 % quantile of 100,000 and 200,000 draws, and one step of values on a grid.
        let deviation = case["deviation"].as_f64().unwrap();
        let grid = a.iter().chain(&b).all(|x| (x * 2.0).fract() == 0.0);
        let within = 0.06 * deviation + if grid { 0.51 / n } else { 0.0 };
        let interval = numbers(&case["interval"]);
        close("low", found.interval.unwrap()[0], interval[0], within);
        close("high", found.interval.unwrap()[1], interval[1], within);
        // scipy's is exact, or has a noise of its own, which it doubles.
        let p = case["p"].as_f64().unwrap();
        let theirs = if case["exact"] == true { 0.0 } else { 2e-5 };
        let within = 5.0 * (p * (1.0 - p) * (1.0 / DRAWN as f64 + theirs)).sqrt() + 2e-5;
        close("p", found.p.unwrap(), p, within);
    }
}

#[test]
fn quantiles_are_numpys() {
    let case = &reference()["quantile"];
    let mut values = numbers(&case["values"]);
    values.sort_by(f64::total_cmp);
    for (share, name) in [(0.025, "low"), (0.975, "high")] {
        assert!((quantile(&values, share) - case[name].as_f64().unwrap()).abs() < 1e-12);
    }
}

#[test]
fn measures_are_those_of_ir_measures() {
    let reference = reference();
    let mut all = Vec::new();
    for case in reference["rankings"].as_array().unwrap() {
        let ranking: Vec<u32> = serde_json::from_value(case["ranking"].clone()).unwrap();
        let gold: Vec<(u32, f32)> = serde_json::from_value(case["gold"].clone()).unwrap();
        let gold = gold.into_iter();
        let missing = case["missing"].as_u64().unwrap() as usize;
        let question = Question {
            gold: gold
                .map(|(passage, grade)| Gold { passage, grade })
                .collect(),
            missing: vec!["gone".into(); missing],
            ..Question::default()
        };
        let found = measures(&ranking, &question).unwrap();
        // The reference was made without MAP, which is worked out by hand beside its rule.
        for name in MEASURES
            .into_iter()
            .filter(|name| !["MAP", "All@5"].contains(name))
        {
            let expected = case["measures"][name].as_f64().unwrap();
            assert!((found.get(name).unwrap() - expected).abs() < 1e-6, "{name}");
        }
        all.push(found);
    }
    for name in MEASURES
        .into_iter()
        .filter(|name| !["MAP", "All@5"].contains(name))
    {
        let expected = reference["mean"][name].as_f64().unwrap();
        assert!((Measures::mean(&all).get(name).unwrap() - expected).abs() < 1e-6);
    }
}

/// A spread of values, different for each measure.
fn made(count: usize) -> Vec<(Measures, Measures)> {
    let value = |i: usize, m: usize, f: usize| ((i * f + 31 * m) % 97) as f64 / 96.0;
    let side = |i: usize, f: usize| Measures(std::array::from_fn(|m| value(i, m, f)));
    (0..count).map(|i| (side(i, 37), side(i, 53))).collect()
}

#[test]
fn a_swap_turns_every_sign() {
    let there = differences(&made(150), Resampling::default());
    let swapped: Vec<_> = made(150).into_iter().map(|(a, b)| (b, a)).collect();
    let back = differences(&swapped, Resampling::default());
    for (x, y) in there.iter().zip(&back) {
        assert_eq!(
            (x.mean_a, x.mean_b, x.difference),
            (y.mean_b, y.mean_a, -y.difference)
        );
        assert_eq!((x.wins, x.ties, x.losses), (y.losses, y.ties, y.wins));
        assert_eq!((x.p, x.p_holm), (y.p, y.p_holm));
        let ([low, high], [other_low, other_high]) = (x.interval.unwrap(), y.interval.unwrap());
        assert!((low + other_high).abs() < 1e-12 && (high + other_low).abs() < 1e-12);
        assert!(low <= x.difference && x.difference <= high);
        assert!(x.p_holm >= x.p);
    }
}

#[test]
fn identical_runs_differ_by_nothing() {
    let same: Vec<_> = made(60).into_iter().map(|(a, _)| (a, a)).collect();
    for d in differences(&same, Resampling::default()) {
        assert_eq!((d.difference, d.interval), (0.0, Some([0.0, 0.0])));
        assert_eq!((d.p, d.p_holm), (Some(1.0), Some(1.0)));
        assert_eq!((d.wins, d.ties, d.losses), (0, 60, 0));
    }
}

#[test]
fn threads_change_nothing_and_seeds_little() {
    let on = |threads: usize| -> Vec<Difference> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.unwrap()
            .install(|| differences(&made(200), resampling(3, 2_000)))
    };
    assert_eq!(on(1), on(5));
    let other = differences(&made(200), resampling(4, 2_000));
    for (x, y) in on(1).iter().zip(&other) {
        assert_ne!(x.interval, y.interval);
        assert!((x.p.unwrap() - y.p.unwrap()).abs() < 0.1);
    }
}

fn settings(index: &Index, method: &str, set: &[&str]) -> Settings {
    let mut settings = Settings::of(index, Method::by_name(method).unwrap());
    set.iter().for_each(|s| settings.set_text(s).unwrap());
    settings
}

fn evaluation(index: &Arc<Index>, method: &str, set: &[&str]) -> Evaluation {
    let settings = settings(index, method, set);
    evaluate(index, index.questions(), &settings, |_| true).unwrap()
}

#[test]
fn groups_are_parts_of_the_whole() {
    let index = Arc::new(sample::index().unwrap());
    let run = evaluation(&index, "graph-hybrid", &[]);
    let whole = run.measures.get("R@10").unwrap();
    let types = by_type(index.questions(), &run);
    let golds = by_gold(index.questions(), &run);
    assert!(types.len() > 1 && golds.len() > 1);
    for groups in [
        types.values().collect::<Vec<_>>(),
        golds.values().collect::<Vec<_>>(),
    ] {
        assert_eq!(
            groups.iter().map(|g| g.questions).sum::<usize>(),
            run.judged
        );
        let sum: f64 = groups
            .iter()
            .map(|g| g.questions as f64 * g.measures.get("R@10").unwrap())
            .sum();
        assert!((sum / run.judged as f64 - whole).abs() < 1e-12);
    }
    let coverage = Coverage::of(&run, &run).unwrap();
    let parts = &coverage.buckets;
    assert_eq!(
        parts.iter().map(|b| b.part.questions).sum::<usize>(),
        run.per_question.len()
    );
    let sum: f64 = parts
        .iter()
        .map(|b| b.part.judged as f64 * b.part.recall.unwrap_or(0.0))
        .sum();
    assert!((sum / run.judged as f64 - whole).abs() < 1e-12);
    let without = coverage.without_entity;
    assert!(without.extracted.questions <= without.linked.questions);
    // A flat ranking has no names, but can borrow those of a walk.
    let flat = evaluation(&index, "bm25", &[]);
    assert_eq!(Coverage::of(&flat, &flat), None);
    let words = evaluation(&index, "tfidf-graph", &[]);
    assert_eq!(Coverage::of(&words, &words), None);
    let survival = Survival::of(&words);
    assert_eq!((survival.stages.len(), survival.linked_both), (6, None));
    let borrowed = Coverage::of(&run, &flat).unwrap();
    assert_eq!(borrowed.names_of, "graph-hybrid");
    assert_eq!(borrowed.buckets[3].part.questions, parts[3].part.questions);
}

#[test]
fn survival_is_what_a_search_per_passage_says() {
    let index = Arc::new(sample::index().unwrap());
    for set in [
        &["steps=1"][..],
        &["steps=2", "fallback=none"],
        &["steps=0"],
        &["walk=push", "epsilon=0.01"],
        &["prune_top_pct=10", "steps=5"],
    ] {
        let run = evaluation(&index, "graph", set);
        let wanted = settings(&index, "graph", set);
        let mut retriever = Retriever::new(index.clone());
        let (mut seen, mut both) = ([0; 6], 0);
        for (row, question) in run.per_question.iter().zip(index.questions()) {
            let retrieval = retriever
                .retrieve(&question.text, &wanted, Keep::Scores)
                .unwrap();
            let walk = retrieval.walk().unwrap();
            let t = walk.graph.transition();
            let seeds = restart(walk.seeds());
            let limit = if set[0] == "walk=push" {
                usize::MAX
            } else {
                wanted.get(STEPS)
            };
            for (gold, stage) in question.gold.iter().zip(&row.fate.gold) {
                let seed = walk.seeds().iter().any(|s| s.node == gold.passage);
                let rank = retrieval.place(gold.passage).map(|p| p.0);
                let holds = [
                    true,
                    walk.graph.degree(gold.passage) > 0 || seed,
                    distance(t, &seeds, &[gold.passage]).is_some_and(|far| far <= limit),
                    rank.is_some(),
                    rank.is_some_and(|r| r <= 50),
                    rank.is_some_and(|r| r <= 10),
                ];
                for ((at, holds), bound) in holds.into_iter().enumerate().zip(STAGES) {
                    assert_eq!(*stage >= bound, holds, "{set:?} {} {bound:?}", question.id);
                    seen[at] += usize::from(holds);
                }
                let mut names = retrieval.names().iter();
                both += usize::from(holds[1] && names.any(|name| !name.nodes.is_empty()));
            }
        }
        let survival = Survival::of(&run);
        let counts: Vec<usize> = survival.stages.iter().map(|s| s.count).collect();
        assert_eq!(counts, seen, "{set:?}");
        assert!(counts.is_sorted_by(|x, y| x >= y), "{set:?} {counts:?}");
        assert_eq!(survival.linked_both, Some(both), "{set:?}");
        let fell = run
            .per_question
            .iter()
            .filter(|r| r.fate.fallback.is_some());
        assert_eq!(survival.fallbacks.values().sum::<usize>(), fell.count());
    }
    let flat = Survival::of(&evaluation(&index, "bm25", &[]));
    assert_eq!(
        flat.stages.iter().map(|s| s.stage).collect::<Vec<_>>(),
        [Stage::Indexed, Stage::Top50, Stage::Top10]
    );
    assert_eq!((flat.linked_both, flat.fallbacks.len()), (None, 0));
}

#[test]
fn a_fallback_is_counted_by_what_it_did() {
    let index = Arc::new(sample::index().unwrap());
    let question = |text: &str| Question {
        text: text.into(),
        gold: vec![Gold {
            passage: 0,
            grade: 1.0,
        }],
        missing: vec!["gone".into()],
        ..Question::default()
    };
    let asked = [question("how far is a light year"), question("zzz qqq")];
    for (fallback, counted) in [
        ("bm25_top1", &[("bm25_top1", 1), ("uniform", 1)][..]),
        ("uniform", &[("uniform", 2)]),
        ("none", &[("none", 2)]),
    ] {
        let wanted = settings(&index, "graph", &[&format!("fallback={fallback}")]);
        let run = evaluate(&index, &asked, &wanted, |_| true).unwrap();
        let survival = Survival::of(&run);
        assert_eq!(
            survival.fallbacks.into_iter().collect::<Vec<_>>(),
            counted,
            "{fallback}"
        );
        let first = run.per_question[0].fate.fallback.map(Fallback::name);
        assert_eq!(first, Some(fallback));
        assert_eq!((survival.gold, survival.stages[0].count), (4, 2));
        assert_eq!(run.per_question[1].fate.gold[1], Stage::Missing);
    }
}

/// Sizes of components by flood fill, and the counts that need no cleverness.
fn by_hand(view: &GraphView) -> (usize, usize, usize, usize) {
    let kept = |node: u32| {
        view.entity(node)
            .is_none_or(|e| view.mask(e as u32).is_none())
    };
    let nodes: Vec<u32> = (0..view.nodes() as u32).filter(|n| kept(*n)).collect();
    let mut seen = vec![false; view.nodes()];
    let mut sizes = Vec::new();
    for start in &nodes {
        let mut stack = vec![*start];
        let mut size = 0;
        while let Some(node) = stack.pop() {
            if !std::mem::replace(&mut seen[node as usize], true) {
                size += 1;
                stack.extend(view.neighbours(node).map(|n| n.0));
            }
        }
        sizes.extend((size > 0).then_some(size));
    }
    let single = sizes.iter().filter(|s| **s == 1).count();
    (
        nodes.len(),
        sizes.len(),
        single,
        sizes.into_iter().max().unwrap(),
    )
}

#[test]
fn the_shape_of_a_graph_is_what_counting_says() {
    let index = Arc::new(sample::index().unwrap());
    for set in [
        &[][..],
        &["prune_top_pct=10"],
        &["min_df=2"],
        &["edge_cap=3"],
        &["ner=regex"],
        &["max_df_ratio=0.01", "norm=lower"],
    ] {
        let wanted = settings(&index, "graph", set);
        let graph = Retriever::new(index.clone()).graph(&ENTITY_PASSAGE, &wanted, &[]);
        let graph = graph.unwrap();
        let view = graph.entities().unwrap();
        let (raw, seen) = (GraphShape::raw(&view.graph), GraphShape::view(view));
        let c = seen.components;
        assert_eq!(
            (seen.nodes, c.count, c.single, c.largest),
            by_hand(view),
            "{set:?}"
        );
        assert_eq!(seen.nodes, seen.passages + seen.entities);
        assert_eq!(seen.nodes + view.masked, raw.nodes);
        assert_eq!(2 * seen.edges, view.transition.arcs());
        assert_eq!(raw.edges, view.graph.edges());
        assert_eq!(seen.entity_degree.max, seen.hubs[0].degree);
        let shares: f64 = seen.hubs.iter().map(|h| h.share).sum();
        assert!((shares - seen.hubs_share).abs() < 1e-12 && shares <= 1.0 + 1e-12);
        let mean = seen.passage_degree.mean * seen.passages as f64;
        assert!((mean - seen.edges as f64).abs() < 1e-6);
        if set.is_empty() {
            assert_eq!(raw, seen);
        } else if set[0] != "ner=regex" {
            assert!(seen.edges < raw.edges, "{set:?}");
        }
        if set == ["edge_cap=3"] {
            assert!(seen.entity_degree.max == 3 && seen.hubs[0].df > 3);
        }
    }
}

#[test]
fn a_method_against_itself_on_the_sample() {
    let index = Arc::new(sample::index().unwrap());
    let (bm25, graph) = (
        evaluation(&index, "bm25", &[]),
        evaluation(&index, "graph-hybrid", &[]),
    );
    let same = Comparison::new(&bm25, &bm25, Resampling::default());
    assert!(
        same.measures
            .iter()
            .all(|d| d.p == Some(1.0) && d.wins == 0)
    );
    let found = Comparison::new(&bm25, &graph, Resampling::default());
    assert_eq!((&*found.a, &*found.b), ("bm25", "graph-hybrid"));
    assert_eq!(found.questions, bm25.judged);
    for (name, d) in MEASURES.iter().zip(&found.measures) {
        assert_eq!(d.mean_a, bm25.measures.get(name).unwrap(), "{name}");
        assert_eq!(d.wins + d.ties + d.losses, found.questions);
        assert_eq!(found.get(name), Some(d));
    }
}

fn hopscope(args: &[&str]) -> (i32, String, String) {
    let out = Command::new(env!("CARGO_BIN_EXE_hopscope"))
        .args(args)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        out.status.code().unwrap(),
        text(out.stdout),
        text(out.stderr),
    )
}

#[test]
fn eval_prints_comparisons_and_breakdowns() {
    let args = [
        "eval",
        "sample-corpus",
        "--method",
        "bm25,graph,graph-hybrid",
    ];
    let run = |more: &[&str]| hopscope(&[&args[..], more].concat());
    let (code, printed, _) = run(&["--json", "--seed", "7", "--resamples", "500"]);
    assert_eq!(code, 0);
    let value: Value = serde_json::from_str(&printed).unwrap();
    let comparisons = value["comparisons"].as_array().unwrap();
    assert_eq!(comparisons.len(), 2);
    let second = &comparisons[1];
    assert_eq!(
        (&second["a"], &second["b"]),
        (&"bm25".into(), &"graph-hybrid".into())
    );
    assert_eq!(
        (&second["seed"], &second["resamples"]),
        (&7.into(), &500.into())
    );
    let keys: Vec<&String> = second["measures"].as_object().unwrap().keys().collect();
    assert_eq!(keys, MEASURES.iter().collect::<Vec<_>>());
    for key in [
        "mean_a",
        "mean_b",
        "difference",
        "p",
        "p_holm",
        "wins",
        "ties",
        "losses",
    ] {
        assert!(second["measures"]["R@10"][key].is_number(), "{key}");
    }
    let graph = &value["methods"][1];
    assert!(graph["by_type"].as_object().unwrap().len() > 1);
    assert!(graph["by_gold"]["2"]["measures"]["R@10"].is_number());
    assert_eq!(graph["survival"]["stages"][0]["stage"], "indexed");
    assert_eq!(graph["coverage"]["buckets"][3]["bucket"], "all_linked");
    assert!(graph["per_question"][0]["gold"][0]["stage"].is_string());
    // The same again, to the last digit.
    let again: Value =
        serde_json::from_str(&run(&["--json", "--seed", "7", "--resamples", "500"]).1).unwrap();
    assert_eq!(value["comparisons"], again["comparisons"]);

    let (code, table, _) = run(&["--by-type"]);
    assert_eq!(code, 0);
    for said in [
        "graph-hybrid against bm25",
        "seed 1",
        "gold links",
        "type ",
        "all linked",
    ] {
        assert!(table.contains(said), "{said}:\n{table}");
    }
}

#[test]
fn fail_under_decides_the_exit_code() {
    let run = |condition: &str| {
        let args = [
            "eval",
            "sample-corpus",
            "-m",
            "bm25",
            "--fail-under",
            condition,
        ];
        hopscope(&args)
    };
    assert_eq!(run("R@10=.1").0, 0);
    assert_eq!(run("bm25:RR=0").0, 0);
    let (code, table, said) = run("R@2=1");
    assert_eq!(code, 1);
    assert!(table.contains("bm25"), "the table is printed all the same");
    assert!(
        said.contains("bm25: R@2 is 0.") && said.contains("below 1"),
        "{said}"
    );
    for (condition, expected) in [
        ("R@3=.5", "no measure 'R@3'"),
        ("R@10=80", "from 0 to 1"),
        ("graph:R@10=.5", "none of the methods"),
    ] {
        let (code, table, said) = run(condition);
        assert_eq!((code, &*table), (2, ""), "{condition}");
        assert!(said.contains(expected), "{said}");
    }
}

#[test]
fn stats_describes_the_sample() {
    let (code, printed, _) = hopscope(&["stats", "--json", "--set", "prune_top_pct=10"]);
    assert_eq!(code, 0);
    let value: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(value["raw"]["passages"], 225);
    assert_eq!(value["settings"]["prune_top_pct"], 10.0);
    assert!(value["masked"]["pruned"].as_u64() > Some(0));
    assert!(value["view"]["edges"].as_u64() < value["raw"]["edges"].as_u64());
    assert_eq!(value["view"]["hubs"].as_array().unwrap().len(), 20);
    let (code, table, _) = hopscope(&["stats", "sample-corpus"]);
    assert_eq!(code, 0);
    for said in [
        "edges per passage",
        "isolated passages",
        "per entity",
        "hubs",
    ] {
        assert!(table.contains(said), "{said}:\n{table}");
    }
    assert_eq!(hopscope(&["stats", "/no/such/place"]).0, 2);
    // A graph of words has its own settings; a flat method has no graph.
    let (code, printed, _) = hopscope(&["stats", "--json", "--method", "tfidf-graph"]);
    let words: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!((code, words["method"].as_str()), (0, Some("tfidf-graph")));
    assert!(words["settings"]["tokens"].is_string() && value["settings"]["tokens"].is_null());
    assert_ne!(words["view"]["edges"], value["raw"]["edges"]);
    let (code, _, said) = hopscope(&["stats", "--method", "bm25"]);
    assert!(code == 2 && said.contains("bm25 has no graph"), "{said}");
}
