//! What every method that is a plan promises, whichever it is: parts that make the score, states that end in it, changes of
//! seeds that act, steps that are remembered by what they depend on, and parameters that are read as declared.

use hopscope::corpus::{Corpus, Passage};
use hopscope::explain::flow::{Kept, moved};
use hopscope::explain::{crossings, neighbours, trace, why_not};
use hopscope::index::{BuildOptions, Index, Silent, sample};
use hopscope::layers::ENTITY_PASSAGE;
use hopscope::retrieve::compose::{self, Own, Slot};
use hopscope::retrieve::explanation::Combine;
use hopscope::retrieve::operator::Part;
use hopscope::retrieve::plan::Step;
use hopscope::retrieve::spread::{Kernel, restart};
use hopscope::retrieve::{
    Composition, Keep, METHODS, Method, MethodRef, Origin, Parameter, Presets, Retrieval,
    Retriever, Seed, Seeded, Settings,
};
use serde_json::json;
use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

static SAMPLE: LazyLock<Arc<Index>> = LazyLock::new(|| Arc::new(sample::index().unwrap()));

/// Compositions over different graphs, seeds, spreads and selections.
const COMPOSITIONS: &[&str] = &[
    "names+bm25 > entity-passage > lazy > passages",
    "names > term-passage > push > passages",
    "rrf > chunk-similarity > push > passages",
    "names+nearest > noderag > shallow > passages",
    "names+rrf > skeleton > power > pack",
    "dense > unit-knn > one-hop > fuse",
    "names > entity-chunk > power > rerank",
    "nearest > summary-tree > lazy > passages",
    "names+bm25-2step > entity-passage > power > bridge",
    "names+rrf > entity-passage > push > ranked",
    "linearrag > ranked",
    "hipporag2 > ranked",
    "noderag > ranked",
    "sage > ranked",
    "ket-rag-p > ranked",
    "rrf-ppr > ranked",
    "hop > rerank",
];

fn settings(method: &str, changes: &[&str]) -> Settings {
    let mut settings = Settings::of(&SAMPLE, Method::by_name(method).unwrap());
    for change in changes {
        match change.strip_prefix("seed ") {
            Some(edit) => settings.edit_seed(edit.parse().unwrap()),
            None => settings.set_text(change).unwrap(),
        }
    }
    settings
}

fn ask(question: &str, settings: &Settings) -> Retrieval {
    let mut retriever = Retriever::new(SAMPLE.clone());
    retriever
        .retrieve(question, settings, Keep::States)
        .unwrap()
}

/// Every method that is a plan, and the compositions; over typed tables, which the sample has not, the planner's own tests
/// hold the same.
fn planned() -> impl Iterator<Item = String> {
    let methods = METHODS.iter().filter(|m| m.fits(&SAMPLE));
    let methods = methods.map(|m| m.name.to_string());
    methods.chain(COMPOSITIONS.iter().map(|c| (*c).to_owned()))
}

#[test]
fn parts_that_add_up_make_the_score() {
    let mut summed = 0;
    for method in planned() {
        let settings = settings(&method, &[]);
        for question in SAMPLE.questions().iter().step_by(23) {
            let run = ask(&question.text, &settings);
            for hit in run.top().iter().take(4) {
                let opened = run.explain(&SAMPLE, hit.passage);
                assert!(!opened.sentence.is_empty(), "{method}: {}", question.text);
                let sum: f64 = opened.parts.iter().map(|part| part.value).sum();
                // Scores are kept in f32, and a push is short of its limit.
                let allowed = 1e-6 * f64::from(hit.score.abs()).max(1.0) + opened.error;
                let apart = (sum - f64::from(hit.score)).abs();
                if opened.combine == Combine::Sum {
                    summed += 1;
                    assert!(apart <= allowed, "{method}: {sum} {}", hit.score);
                }
            }
        }
    }
    assert!(summed > 200);
}

/// Half of its passages name nothing: nodes without edges in every graph of names.
fn with_dead_ends() -> Arc<Index> {
    let texts = [
        ("Mara Voss", "Mara Voss founded Gull Press in Holm."),
        (
            "Gull Press",
            "Gull Press printed maps of Holm for Mara Voss.",
        ),
        ("", "quiet words about maps and ferries"),
        ("", "other things, quiet and printed"),
        ("", "ferries"),
    ];
    let passage = |(at, (title, text)): (usize, (&str, &str))| Passage {
        id: format!("p{at}"),
        title: title.into(),
        text: text.into(),
    };
    let corpus = Corpus {
        name: "dead ends".into(),
        passages: texts.into_iter().enumerate().map(passage).collect(),
        questions: Vec::new(),
    };
    Arc::new(Index::build(corpus, &BuildOptions::default(), &Silent).unwrap())
}

#[test]
fn seeds_without_edges_pay_their_shares_under_every_rule_of_the_walk() {
    let index = with_dead_ends();
    let mut retriever = Retriever::new(index.clone());
    let mut reseeded = 0;
    for method in planned() {
        let method = Method::by_name(&method).unwrap();
        if !method.uses().contains(&Parameter::Dangling) {
            continue;
        }
        let walks: &[&str] = match method.uses().contains(&Parameter::Walk) {
            true => &["walk=power", "walk=push"],
            false => &["result_k=50"],
        };
        for (walk, rule) in walks
            .iter()
            .flat_map(|w| ["drop", "reseed", "stay"].map(|r| (w, r)))
        {
            let mut settings = Settings::of(&index, method.clone());
            for change in [*walk, "result_k=50", &*format!("dangling={rule}")] {
                settings.set_text(change).unwrap();
            }
            for question in ["quiet maps of Mara Voss", "quiet ferries"] {
                let run = retriever
                    .retrieve(question, &settings, Keep::States)
                    .unwrap();
                let said = format!("{} {walk} {rule}: {question}", method.name);
                for hit in run.top() {
                    let opened = run.explain(&index, hit.passage);
                    assert!(!opened.sentence.is_empty(), "{said}");
                    let (sum, score) = (opened.sum(), f64::from(hit.score));
                    let allowed = 1e-6 * score.max(1.0) + opened.error;
                    let whole = opened.combine != Combine::Sum || (sum - score).abs() <= allowed;
                    assert!(whole, "{said}: {score} is not {opened:?}");
                }
                let Some(walk) = run.walk() else { continue };
                let t = walk.graph.transition();
                let lone = walk
                    .seeds()
                    .iter()
                    .any(|seed| t.dangling(seed.node as usize));
                let pushed = walk.spread.diffusion.pushes();
                reseeded += usize::from(lone && pushed && rule == "reseed");
            }
        }
    }
    assert!(reseeded > 5, "{reseeded}");
}

#[test]
fn what_a_fusion_gives_nothing_says_so() {
    let index = with_dead_ends();
    let mut nothing = 0;
    for method in ["rrf-ppr", "e2graphrag-rrf"] {
        let mut settings = Settings::of(&index, Method::by_name(method).unwrap());
        settings.set_text("fusion=min_max").unwrap();
        for question in ["quiet maps of Mara Voss", "quiet ferries"] {
            let run = Retriever::new(index.clone()).retrieve(question, &settings, Keep::States);
            let run = run.unwrap();
            for hit in run.top() {
                let sentence = run.explain(&index, hit.passage).sentence;
                let is_zero = hit.score == 0.0;
                assert_eq!(
                    sentence.contains("scaled to 0"),
                    is_zero,
                    "{method}: {sentence}"
                );
                nothing += usize::from(is_zero);
            }
        }
    }
    assert!(nothing > 0);
}

#[test]
fn parts_of_more_seeds_than_are_listed_still_make_the_score_and_name_listed_seeds() {
    let (mut beyond, mut rests) = (0, 0);
    for method in ["linearrag", "hipporag2"] {
        let changes = ["steps=8", "alpha=0.05"];
        let run = ask(&SAMPLE.questions()[1].text, &settings(method, &changes));
        let (seeds, left_out) = trace::seeds(&SAMPLE, &run);
        assert_eq!(seeds.len() + left_out, run.seeds().len(), "{method}");
        beyond += left_out;
        let traced = trace(&SAMPLE, &run, None);
        let restart = traced.stages.iter().find(|stage| stage.name == "restart");
        let restart = restart.unwrap().nodes.len();
        for (hit, traced) in run.top().iter().zip(&traced.ranking) {
            let told = trace::explained(&SAMPLE, &run, hit.passage);
            for (told, listed) in [(json!(told), seeds.len()), (json!(traced), restart)] {
                let parts = told["parts"].as_array().unwrap();
                let sum: f64 = parts.iter().map(|p| p["value"].as_f64().unwrap()).sum();
                let allowed = 1e-6 + told["error"].as_f64().unwrap();
                assert!(
                    (sum - f64::from(hit.score)).abs() <= allowed,
                    "{method}: {sum}"
                );
                for part in parts {
                    let Some(seed) = part["seed"].as_u64() else {
                        continue;
                    };
                    assert!(seed < listed as u64, "{method}: {part} of {listed}");
                    let same = part["label"] == *seeds[seed as usize].node;
                    assert!(same, "{method}: {part}");
                }
                let rest = parts.last().unwrap()["label"].as_str().unwrap();
                rests += usize::from(rest.ends_with("more parts"));
            }
        }
    }
    assert!(beyond > 0 && rests > 0, "{beyond} {rests}");
}

#[test]
fn the_parts_of_a_method_make_the_method_or_say_that_they_do_not() {
    let mut exact = Vec::new();
    for method in METHODS {
        let own = compose::own(method);
        let name = &method.name;
        let whole = Composition::near(method);
        let is_exact = own.iter().all(|own| matches!(own, Own::Word(_)));
        let mut other = own
            .iter()
            .map(|own| matches!(own, Own::Like(..) | Own::Alone(_)));
        let stand_ins = whole.stand_ins(method, [None; 4]);
        assert_eq!(
            stand_ins.is_empty(),
            !other.any(|is| is),
            "{name}: {stand_ins:?}"
        );
        for (slot, own) in Slot::ALL.into_iter().zip(&own) {
            // A part by the name of its method is the same, and says the same.
            let mut named = [None; 4];
            named[slot as usize] = Some(&**name);
            let by_name = compose::over(&MethodRef::from(method), named);
            match own.word() {
                Some(word) => assert_eq!(whole.with(slot, name), whole.with(slot, word)),
                None => assert!(by_name.is_err(), "{name} {}", slot.name()),
            }
        }
        if !is_exact || !method.fits(&SAMPLE) {
            continue;
        }
        exact.push(name.to_string());
        let composed = whole.method().unwrap();
        for question in SAMPLE.questions().iter().step_by(23) {
            let [own, made] = [method.into(), composed.clone()].map(|method: MethodRef| {
                ask(&question.text, &Settings::of(&SAMPLE, method)).passages
            });
            assert_eq!(own, made, "{name} is not {}", composed.name);
        }
    }
    let all = [
        "tfidf-graph",
        "graph",
        "graph-hybrid",
        "graph-dense",
        "graph-rrf",
        "rrf-ppr",
    ];
    assert_eq!(exact, all);
}

#[test]
fn a_selection_follows_a_method_and_leaves_its_steps_as_they_are() {
    let of = |name: &str| Method::by_name(name).unwrap();
    let ranked = [
        "linearrag",
        "noderag",
        "bm25",
        "sage",
        "rrf-ce",
        "graph-rrf",
    ];
    let mut moved = 0;
    for name in ranked {
        let ended = of(&format!("{name} > ranked"));
        for question in SAMPLE.questions().iter().step_by(31) {
            let [before, after] = [of(name), ended.clone()]
                .map(|method| ask(&question.text, &Settings::of(&SAMPLE, method)));
            for (own, kept) in before.records.iter().zip(&after.records) {
                assert_eq!(own.output.hits(), kept.output.hits(), "{name}");
            }
            let set = |run: &Retrieval, to: usize| -> BTreeSet<u32> {
                run.passages
                    .iter()
                    .take(to)
                    .map(|hit| hit.passage)
                    .collect()
            };
            assert_eq!(
                set(&before, 50),
                set(&after, 50),
                "{name}: the same candidates"
            );
            let [best, other] =
                [&before, &after].map(|run| run.passages.first().map(|h| h.passage));
            moved += usize::from(best != other || before.top() != after.top());
            let falling = after
                .passages
                .windows(2)
                .all(|pair| pair[0].score >= pair[1].score);
            assert!(falling, "{name}");
            assert!(after.confidence(&SAMPLE).is_none(), "learned of hop alone");
        }
    }
    assert!(moved > 10, "{moved}");
    for question in SAMPLE.questions().iter().step_by(31) {
        let [own, made] = ["bm25-ce", "bm25 > rerank"]
            .map(|name| ask(&question.text, &Settings::of(&SAMPLE, of(name))).passages);
        assert_eq!(own, made);
    }
    // By its flag, and back again.
    let select = |name: &str, word| {
        let chosen = compose::over(&of(name), [None, None, None, Some(word)]).unwrap();
        assert!(chosen.stand_ins.is_empty());
        chosen.method.name.to_string()
    };
    assert_eq!(select("linearrag", "ranked"), "linearrag > ranked");
    assert_eq!(select("linearrag > ranked", "rerank"), "linearrag > rerank");
    assert_eq!(select("graph-rrf > ranked", "passages"), "graph-rrf");
    let composed = "names > entity-passage > power";
    assert_eq!(
        select(&format!("{composed} > passages"), "ranked"),
        format!("{composed} > ranked")
    );
    // Its defaults, and what a paper's preset says of it, are the method's.
    let values = |name: &str| {
        let mut settings = Settings::of(&SAMPLE, of(name));
        settings.apply_preset(Presets::default().by_name("published").unwrap());
        (
            settings.text(Parameter::LinearThreshold),
            settings.text(Parameter::Alpha),
        )
    };
    assert_eq!(values("linearrag > ranked"), values("linearrag"));
    for (name, said) in [
        ("hop > ranked", "ranked already"),
        ("bm25-ce > rerank", "rerank already"),
        ("bm25 > fuse", "rerank, ranked"),
        ("bm26 > ranked", "no method 'bm26'"),
        ("bm25 > ranked > ranked", "3 parts"),
    ] {
        let error = Method::by_name(name).unwrap_err();
        assert!(error.contains(said), "{name}: {error}");
    }
}

#[test]
fn the_last_state_of_a_walk_is_its_end_and_no_mass_is_lost() {
    for method in planned() {
        let settings = settings(&method, &[]);
        let run = ask(&SAMPLE.questions()[1].text, &settings);
        let Some(walk) = run.walk() else { continue };
        let last = walk.spread.states.last().unwrap();
        for (node, end) in walk.spread.mass.iter().enumerate() {
            assert!((f64::from(last[node]) - end).abs() < 1e-6, "{method}");
        }
        for ledger in &walk.spread.ledgers {
            assert!((ledger.total() - 1.0).abs() < 1e-5, "{method} {ledger:?}");
        }
        let seeds: f64 = walk.seeds().iter().map(|seed| seed.weight).sum();
        assert!((seeds - 1.0).abs() < 1e-9, "{method}: {seeds}");
    }
}

#[test]
fn every_stage_tells_the_time_of_its_own_step() {
    for method in planned() {
        let mut run = ask(&SAMPLE.questions()[1].text, &settings(&method, &[]));
        // 1, 2, 4, 8, ... seconds: no two stages can have the time of the same step.
        for (at, record) in run.records.iter_mut().enumerate() {
            record.seconds = f64::from(1 << at);
        }
        let stages = trace(&SAMPLE, &run, None).stages;
        let mut told: Vec<f64> = stages.iter().filter_map(|s| s.seconds).collect();
        let count = told.len();
        told.dedup();
        assert!(
            told.is_sorted() && told.len() == count,
            "{method}: {told:?}"
        );
        let of_steps = |s: &f64| run.records.iter().any(|r| r.seconds == *s);
        assert!(count > 0 && told.iter().all(of_steps), "{method}: {told:?}");
    }
}

#[test]
fn a_trace_has_the_lengths_of_walks_and_the_gold_that_is_missing() {
    let (mut lengths, mut lost) = (0, 0);
    for method in planned() {
        for question in SAMPLE.questions().iter().step_by(19) {
            let run = ask(&question.text, &settings(&method, &["result_k=3"]));
            let record = trace(&SAMPLE, &run, Some(question));
            for (hit, entry) in run.top().iter().zip(&record.ranking) {
                let opened = run.explain(&SAMPLE, hit.passage);
                let entry = json!(entry);
                let told = entry.get("by_length").and_then(|l| l.as_array());
                assert_eq!(told.map_or(0, Vec::len), opened.by_length.len(), "{method}");
                assert_eq!(
                    told.is_some(),
                    !opened.by_length.is_empty(),
                    "{method}: none is none"
                );
                lengths += usize::from(told.is_some());
            }
            let gold = question.gold.iter().map(|gold| gold.passage);
            let missing = gold.filter(|p| !why_not(&SAMPLE, &run, *p).is_empty());
            let missing: Vec<&str> = missing.map(|p| SAMPLE.id(p)).collect();
            let told = record.missing.iter();
            let told: Vec<&str> = told.map(|m| &*m.gold).collect();
            assert_eq!(told, missing, "{method}: {}", question.text);
            assert_eq!(told.len(), record.missing.len(), "{method}");
            lost += missing.len();
        }
    }
    assert!(lengths > 20 && lost > 20, "{lengths} {lost}");
}

#[test]
fn a_word_that_a_passage_lacks_pays_nothing_however_words_saturate() {
    let question = &SAMPLE.questions()[1].text;
    let run = ask(question, &settings("bm25", &["bm25_k1=0"]));
    let mut lacking = 0;
    for passage in 0..SAMPLE.len() as u32 {
        let opened = run.explain(&SAMPLE, passage);
        assert!(opened.parts.iter().all(|part| part.value.is_finite()));
        if let Some((_, score)) = run.place(passage) {
            let sum: f64 = opened.parts.iter().map(|part| part.value).sum();
            assert!((sum - f64::from(score)).abs() < 1e-5, "{passage}: {sum}");
        }
        lacking += opened.parts.iter().filter(|p| p.value == 0.0).count();
    }
    assert!(lacking > 0);
}

#[test]
fn a_plan_says_what_it_is_made_of() {
    for method in planned() {
        let method = Method::by_name(&method).unwrap();
        let plan = method.plan();
        let is_spread = |step: &Step| step.operator.declaration().part == Part::Spread;
        let steps: Vec<&Step> = plan.steps.iter().map(|step| &**step).collect();
        let spreads = steps.iter().any(|step| is_spread(step));
        assert_eq!(plan.spreads(), spreads, "{}", method.name);
        for part in [Part::Seed, Part::Spread, Part::Select] {
            let own = plan.part(part).count();
            let all = steps
                .iter()
                .filter(|s| s.operator.declaration().part == part);
            assert_eq!(own, all.count(), "{}", method.name);
        }
        // Where changes by hand reach no graph, none is said to be left out.
        let closed = method.graphs_without_edits();
        let graphs = plan.graphs();
        assert!(closed.is_empty() || closed.len() < graphs.len());
        for graph in graphs {
            assert!(!graph.takes_edits() || !closed.contains(&graph.name));
        }
    }
    let composed = Method::by_name("names+bm25 > entity-passage > power > rerank").unwrap();
    let about: Vec<&str> = composed.about.split("; ").collect();
    assert!(about[0].starts_with("from ") && about[0].contains(" over "));
    assert_eq!(about.len(), 3, "{about:?}");
}

#[test]
fn the_story_of_a_walk_has_each_node_once_and_the_gold_where_mass_came() {
    let mut added = 0;
    for method in planned() {
        let question = &SAMPLE.questions()[1];
        let run = ask(&question.text, &settings(&method, &[]));
        let Some(walk) = run.walk() else { continue };
        let record = trace(&SAMPLE, &run, Some(question));
        let states: Vec<_> = record
            .stages
            .iter()
            .filter(|s| s.kind == "spread")
            .collect();
        for stage in &states {
            let items = stage.nodes.iter().map(|node| node.item);
            let once: std::collections::BTreeSet<usize> = items.collect();
            assert_eq!(once.len(), stage.nodes.len(), "{method}: {}", stage.name);
            assert!(stage.nodes.iter().all(|node| node.value > 0.0), "{method}");
            for (name, value) in &stage.counters {
                if *name == "edges of the graph" {
                    let edges = walk.graph.transition().arcs() / 2;
                    assert_eq!(value.as_u64(), Some(edges as u64), "{method}");
                    added += 1;
                }
            }
        }
        for record in &run.records {
            if let Some(mixed) = record.output.get::<Seeded>().and_then(|s| s.mixed) {
                assert!((0.0..=1.0).contains(&mixed.a), "{method}: {mixed:?}");
                let share = mixed.entity_mass / (mixed.entity_mass + mixed.passage_mass);
                let is_mixed_by_mass = method.contains("noderag");
                assert!(
                    !is_mixed_by_mass || (mixed.a - share).abs() < 1e-9,
                    "{method}: {mixed:?}"
                );
            }
        }
    }
    assert!(added > 20, "{added}");
}

#[test]
fn what_crosses_an_edge_left_its_end_before_the_step() {
    let mut walks = [0, 0];
    let still = planned().map(|method| (method, &["steps=0"][..]));
    for (method, changes) in planned().map(|method| (method, &[][..])).chain(still) {
        // A walk of no step has sent nothing.
        let uses = Method::by_name(&method).unwrap().uses();
        if !changes.is_empty() && !uses.contains(&Parameter::Steps) {
            continue;
        }
        let run = ask(&SAMPLE.questions()[1].text, &settings(&method, changes));
        let Some(walk) = run.walk() else { continue };
        let (graph, spread) = (walk.graph, walk.spread);
        let (last, pushes) = (spread.states.len() - 1, spread.diffusion.pushes());
        let held = |state: usize, node: u32| f64::from(spread.states[state][node as usize]);
        let left = |state: usize, node: u32| {
            let mass = match (pushes, state) {
                // The end itself is known in more digits.
                (true, state) if state == last => spread.mass[node as usize],
                (true, state) => held(state, node),
                (false, 0) => 0.0,
                (false, state) => held(state - 1, node),
            };
            spread.diffusion.moving() * mass
        };
        let with_edges = |node: &u32| graph.neighbours(*node).next().is_some();
        let heavier = |a: &u32, b: &u32| held(last, *a).total_cmp(&held(last, *b));
        let nodes = (0..graph.nodes() as u32).filter(with_edges);
        let Some(node) = nodes.max_by(heavier) else {
            continue;
        };
        let near = neighbours(&run, node);
        let others: Vec<u32> = near.iter().map(|edge| edge.node).collect();
        let crossed = crossings(&run, node, &others);
        assert_eq!(crossed.len(), spread.states.len(), "{method}");
        for (state, edges) in crossed.iter().enumerate() {
            for (other, (sends, receives)) in others.iter().zip(edges) {
                let there = left(state, node) * graph.probability(node, *other);
                let back = left(state, *other) * graph.probability(*other, node);
                let close = |a: f64, b: f64| (a - b).abs() < 1e-12;
                assert!(
                    close(*sends, there) && close(*receives, back),
                    "{method}: {other} at {state}: {sends} {there}, {receives} {back}"
                );
            }
        }
        // Without a state it is the way to the end.
        for (edge, (sends, receives)) in near.iter().zip(&crossed[last]) {
            assert_eq!((edge.sends, edge.receives), (*sends, *receives), "{method}");
        }
        walks[usize::from(pushes)] += 1;
    }
    assert!(walks[0] > 5 && walks[1] > 1, "{walks:?}");
}

#[test]
fn what_a_step_moved_is_what_its_nodes_had_to_give() {
    let mut told = 0;
    for method in planned() {
        let run = ask(&SAMPLE.questions()[1].text, &settings(&method, &[]));
        let Some(walk) = run.walk() else { continue };
        let (graph, spread) = (walk.graph, walk.spread);
        let (diffusion, t) = (&spread.diffusion, graph.transition());
        let keep = diffusion.flow();
        assert_eq!(moved(&walk, 0), None, "{method}");
        assert_eq!(moved(&walk, spread.states.len()), None, "{method}");
        for state in 1..spread.states.len() {
            let at = |state: usize, node: u32| f64::from(spread.states[state][node as usize]);
            let given = |node: u32| match diffusion.pushes() {
                true => (at(state, node) - at(state - 1, node)).max(0.0),
                false => at(state - 1, node),
            };
            let close = |a: f64, b: f64| (a - b).abs() < 1e-9;
            let sum = |dead: bool| {
                let nodes = (0..graph.nodes() as u32).filter(|n| t.dangling(*n as usize) == dead);
                nodes.map(given).sum::<f64>()
            };
            let step = moved(&walk, state).unwrap();
            assert!(close(step.sent, keep * sum(false)), "{method}: {step:?}");
            assert!(close(step.dead, keep * sum(true)), "{method}: {step:?}");
            let total = sum(false) + sum(true);
            let (kept, kind) = match diffusion.kernel {
                Kernel::Push => (total, Kept::Settles),
                Kernel::Lazy => ((1.0 - diffusion.alpha) * total, Kept::Stays),
                _ => (diffusion.alpha, Kept::Restarts),
            };
            assert!(close(step.kept, kept) && step.kind == kind, "{method}");
            // The largest transfers are those of all edges.
            let edges = (0..graph.nodes() as u32).flat_map(|from| {
                let to = graph.neighbours(from).map(move |(to, _)| (from, to));
                to.map(|(from, to)| keep * given(from) * graph.probability(from, to))
            });
            let mut edges: Vec<f64> = edges.filter(|mass| *mass > 0.0).collect();
            edges.sort_by(|a, b| b.total_cmp(a));
            assert_eq!(step.largest.len(), edges.len().min(5), "{method}");
            for (largest, mass) in step.largest.iter().zip(&edges) {
                assert!(close(largest.mass, *mass), "{method}: {step:?}");
            }
            let Some((from, had, sent, most)) = step.sender else {
                assert!(edges.is_empty(), "{method}");
                continue;
            };
            assert!(close(sent, keep * given(from)), "{method}: {step:?}");
            // What a push settles of it stays on the node, the rest is sent; a walk of steps restarts with the rest.
            let all = if diffusion.pushes() {
                given(from) + sent
            } else {
                given(from)
            };
            assert!(close(had, all), "{method}: {step:?}");
            let over = graph.neighbours(from);
            let over = over.map(|(to, _)| sent * graph.probability(from, to));
            assert!(close(most.mass, over.fold(0.0, f64::max)), "{method}");
            told += 1;
        }
    }
    assert!(told > 20, "{told}");
}

#[test]
fn a_group_of_all_seeds_pays_for_the_whole_push() {
    let pushed = |threshold: &str| {
        let changes = ["walk=push", "epsilon=0.001", threshold];
        let run = ask(
            &SAMPLE.questions()[1].text,
            &settings("graph-hybrid", &changes),
        );
        let walk = run.walk().unwrap();
        let all = restart(walk.seeds());
        let diffusion = &walk.spread.diffusion;
        let paid = diffusion.groups(
            walk.graph.transition(),
            &all,
            std::slice::from_ref(&all),
            &[],
            &[],
        );
        let mass: Vec<f32> = walk.spread.mass.iter().map(|m| *m as f32).collect();
        let paid = &paid.end[0];
        let paid: Vec<f32> = (0..mass.len()).map(|node| paid[node]).collect();
        assert_eq!(paid, mass, "{threshold}");
        mass
    };
    assert_ne!(
        pushed("push_threshold=plain"),
        pushed("push_threshold=degree")
    );
}

#[test]
fn mass_at_dead_ends_is_dropped_only_where_that_is_asked_for() {
    for walk in ["walk=power", "walk=push"] {
        for (rule, share) in [("drop", 0.15), ("reseed", 1.0), ("stay", 1.0)] {
            let rule = format!("dangling={rule}");
            // Without names every passage is a dead end.
            let changes = [
                "max_df_ratio=0",
                "alpha=0.15",
                "epsilon=0.000001",
                walk,
                &rule,
            ];
            let run = ask(
                &SAMPLE.questions()[0].text,
                &settings("graph-hybrid", &changes),
            );
            let spread = &run.walk().unwrap().spread;
            let kept: f64 = spread.mass.iter().sum();
            assert!((kept - share).abs() < 1e-3, "{walk}, {rule}: {kept}");
            let dropped = spread.ledgers.last().unwrap().dropped;
            assert!(
                (dropped - (1.0 - share)).abs() < 1e-3,
                "{walk}, {rule}: {dropped}"
            );
        }
    }
}

#[test]
fn a_step_runs_again_where_a_value_that_it_reads_is_another() {
    for (method, step) in [("graph-hybrid", "restart"), ("hop", "mixed restart")] {
        let mut retriever = Retriever::new(SAMPLE.clone());
        let mut ran = |settings: &Settings| {
            let question = &SAMPLE.questions()[1].text;
            let run = retriever.retrieve(question, settings, Keep::Scores);
            let run = run.unwrap();
            let mut own = run.records.into_iter();
            own.find(|r| r.step.operator.declaration().name == step && !r.reused)
        };
        let before = settings(method, &[]);
        let reads = ran(&before).unwrap().step.operator.declaration().reads;
        assert!(!reads.is_empty() && ran(&before).is_none());
        for parameter in reads {
            let mut other = settings(method, &[]);
            let domain = &parameter.declaration().domain;
            let steps = [1, -1].map(|way| domain.stepped(before.value(*parameter), way));
            let new = steps.into_iter().find(|v| *v != before.value(*parameter));
            other.set(*parameter, new.unwrap(), Origin::User);
            assert!(ran(&other).is_some(), "{method}: {}", parameter.id());
        }
    }
}

#[test]
fn the_sentence_of_a_walk_says_what_part_of_the_score_each_seed_paid() {
    let run = ask("Who discovered Uranus?", &settings("graph", &[]));
    let opened = run.explain(&SAMPLE, run.top()[0].passage);
    let [paid] = &opened.parts[..] else {
        panic!("{:?}", opened.parts);
    };
    let said = format!("100 % from {}", paid.label);
    assert!(opened.sentence.starts_with(&said), "{}", opened.sentence);
}

#[test]
fn no_two_seeds_that_pay_for_a_score_have_one_name() {
    let mut passages = 0;
    for method in ["graph-rrf", "linearrag"] {
        let run = ask("Who discovered Uranus?", &settings(method, &[]));
        let walk = run.walk().unwrap();
        for hit in run.top() {
            let parts = run.explain(&SAMPLE, hit.passage).parts;
            let names: BTreeSet<&str> = parts.iter().map(|part| &*part.label).collect();
            assert_eq!(names.len(), parts.len(), "{method}: {parts:?}");
            let nodes = parts
                .iter()
                .map(|part| walk.seeds()[part.seed.unwrap()].node);
            let titled = nodes.filter(|node| {
                walk.graph.label(&SAMPLE, *node) != walk.graph.named(&SAMPLE, *node)
            });
            passages += titled.count();
        }
    }
    assert!(passages > 0);
}

#[test]
fn changes_of_seeds_are_obeyed_over_every_graph() {
    for method in planned() {
        let plain = settings(&method, &[]);
        let question = &SAMPLE.questions()[1].text;
        let run = ask(question, &plain);
        let Some(walk) = run.walk() else { continue };
        let Some(passage) = walk
            .graph
            .passages_of(walk.seeds()[0].node)
            .first()
            .copied()
        else {
            continue;
        };
        let id = SAMPLE.id(passage);
        let muted = ask(question, &settings(&method, &[&format!("seed #{id}=mute")]));
        let [edited] = &muted.edits()[..] else {
            panic!("{method}: {:?}", muted.edits())
        };
        assert!(edited.applied, "{method}: {edited:?}");
        let nodes = walk.graph.nodes_of(passage);
        let left = muted.seeds().iter().any(|seed| nodes.contains(&seed.node));
        assert!(!left, "{method}");
        let added = ask(question, &settings(&method, &["seed +#uranus-2=5"]));
        assert!(added.edits()[0].applied, "{method}");
    }
}

#[test]
fn an_added_passage_restarts_as_much_as_the_best_of_the_list() {
    let changes = ["seed_weight=raw", "seed +#eddington=3"];
    let run = ask(
        "Who discovered Uranus?",
        &settings("graph-hybrid", &changes),
    );
    let own = SAMPLE.passage_by_id("eddington").unwrap();
    let seeds = run.walk().unwrap().seeds();
    let (added, listed): (Vec<&Seed>, Vec<&Seed>) = seeds
        .iter()
        .filter(|seed| (seed.node as usize) < SAMPLE.len())
        .partition(|seed| seed.node == own);
    let best = listed.iter().map(|seed| seed.raw).fold(0.0, f64::max);
    assert!(best > 1.0 && (added[0].raw - 3.0 * best).abs() < 1e-9);
}

#[test]
fn the_steps_of_a_walk_are_kept_for_those_who_ask_for_them_later() {
    let mut retriever = Retriever::new(SAMPLE.clone());
    let mut states = |keep| {
        let question = &SAMPLE.questions()[1].text;
        let run = retriever.retrieve(question, &settings("graph", &["steps=4"]), keep);
        run.unwrap().walk().unwrap().spread.states.len()
    };
    assert_eq!([Keep::Scores, Keep::States].map(&mut states), [0, 5]);
}

#[test]
fn a_question_without_seeds_falls_back_where_that_is_asked_for() {
    let method = "names > skeleton > power > passages";
    let none = ask("xyzzy", &settings(method, &[]));
    assert!(none.passages.is_empty() && !none.fallback());
    let even = ask("xyzzy", &settings(method, &["fallback=uniform"]));
    assert!(even.fallback() && !even.passages.is_empty());
    let one = ask(
        "what is a comet",
        &settings(method, &["fallback=bm25_top1"]),
    );
    assert!(one.fallback() && !one.passages.is_empty());
}

#[test]
fn the_score_of_a_bridge_is_the_geometric_mean_of_a_walk_from_each_name() {
    let settings = settings("names+bm25 > entity-passage > power > bridge", &[]);
    let mut most = 0;
    for question in &SAMPLE.questions()[..30] {
        let run = ask(&question.text, &settings);
        let linked = run.names().iter().filter(|name| !name.nodes.is_empty());
        // The passages found by words are one walk more.
        let walks = linked.count() + 1;
        most = most.max(walks);
        for hit in run.top() {
            let parts = run.explain(&SAMPLE, hit.passage).parts;
            assert_eq!(parts.len(), walks, "{}", question.text);
            // What a name does not reach counts for a millionth.
            let product: f64 = parts.iter().map(|part| part.value + 1e-6).product();
            let mean = product.powf(1.0 / walks as f64);
            let apart = (mean - f64::from(hit.score)).abs();
            assert!(apart < 1e-6 * mean.max(1e-3), "{mean} {}", hit.score);
        }
    }
    assert!(most > 2, "{most}");
}

#[test]
fn what_is_remembered_gives_the_bits_of_a_fresh_run() {
    let mut retriever = Retriever::new(SAMPLE.clone());
    let questions = SAMPLE.questions();
    for (turn, method) in planned().chain(planned()).enumerate() {
        let changes: &[&str] = match turn % 4 {
            0 => &[],
            1 => &["alpha=0.3", "result_k=5"],
            2 => &["seed +Uranus=2", "gazetteer=on"],
            _ => &["tokens=stem", "hub_p=0.9"],
        };
        let settings = settings(&method, changes);
        let question = &questions[turn % 3].text;
        let kept = retriever
            .retrieve(question, &settings, Keep::Scores)
            .unwrap();
        let fresh = ask(question, &settings);
        assert_eq!(kept.passages, fresh.passages, "{method} {changes:?}");
        // What an explanation looked up serves the next, of this passage and of others.
        let told = |run: &Retrieval, at: usize| {
            let hit = run.passages.get(at)?;
            Some(run.explain(&SAMPLE, hit.passage))
        };
        for at in [7, 1, 7] {
            let alone = told(&ask(question, &settings), at);
            assert_eq!(told(&kept, at), alone, "{method} {changes:?}");
        }
    }
}

#[test]
fn a_step_of_the_hub_penalty_keeps_the_weights_and_gives_a_fresh_graphs_bits() {
    let mut retriever = Retriever::new(SAMPLE.clone());
    let mut open = |change: &str| {
        let settings = settings("graph", &[change]);
        let graph = retriever.graph(&ENTITY_PASSAGE, &settings, &[]).unwrap();
        let mut other = Retriever::new(SAMPLE.clone());
        (graph, other.graph(&ENTITY_PASSAGE, &settings, &[]).unwrap())
    };
    let (first, _) = open("hub_p=0.5");
    let (stepped, fresh) = open("hub_p=0.9");
    let arcs = |graph: &hopscope::layers::Graph| graph.transition().shared().clone();
    assert!(Arc::ptr_eq(&arcs(&first), &arcs(&stepped)));
    for node in 0..fresh.nodes() {
        let scales = |graph: &hopscope::layers::Graph| {
            let t = graph.transition();
            (t.into(node), t.scale(node))
        };
        assert_eq!(scales(&stepped), scales(&fresh));
    }
    let (other, _) = open("edge_weight=binary");
    assert!(!Arc::ptr_eq(&arcs(&first), &arcs(&other)));
}

#[test]
fn the_final_fusion_rule_is_not_the_first_stages() {
    let question = &SAMPLE.questions()[0].text;
    let by_score = ask(question, &settings("rrf-ppr", &["fusion=min_max"]));
    let by_rank = ask(question, &settings("rrf-ppr", &[]));
    let list = |run: &Retrieval| run.ranked().map(|ranked| ranked.hits.clone());
    assert_eq!(list(&by_score), list(&by_rank));
    assert_ne!(by_score.passages, by_rank.passages);
    // The same sentence as a composition, which obeys it as well.
    let composed = "names+rrf > entity-passage > power > fuse";
    let same = ask(question, &settings(composed, &["fusion=min_max"]));
    assert_eq!(same.passages, by_score.passages);
}

#[test]
fn a_parameter_that_is_listed_is_one_that_some_step_reads() {
    for method in planned() {
        let method = Method::by_name(&method).unwrap();
        let plan = method.plan();
        // Every result is cut by top K, whatever its steps read.
        let uses = method
            .uses()
            .into_iter()
            .filter(|p| *p != Parameter::ResultK);
        for parameter in uses {
            let read = plan.steps.iter().any(|step| {
                step.reads.contains(&parameter) && step.fixed.iter().all(|f| f.0 != parameter)
            });
            assert!(read, "{} lists {}", method.name, parameter.id());
        }
    }
}
