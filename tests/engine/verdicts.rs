//! Every verdict on a small world that was made for it: the passage `gold` is lost for one reason, and that is said first.

use super::planted::{self, GIVEN, Planted, ask, planted, world};
use hopscope::explain::{compare, standing, why_not};
use hopscope::index::sample;
use hopscope::layers::{Class, Code};
use hopscope::retrieve::{Keep, Method, Retriever, Settings};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What is said to come over an edge in a walk's last step is all that a node has but for its restart.
#[test]
fn what_the_last_step_sends_is_what_lands() {
    let index = Arc::new(sample::index().unwrap());
    for (method, set) in [
        ("graph", "walk=power"),
        ("graph-rrf", "steps=1"),
        ("noderag", "steps=2"),
    ] {
        let mut settings = Settings::of(&index, Method::by_name(method).unwrap());
        settings.set_text(set).unwrap();
        let mut retriever = Retriever::new(index.clone());
        let question = &index.questions()[0].text;
        let run = retriever
            .retrieve(question, &settings, Keep::Scores)
            .unwrap();
        let walk = run.walk().unwrap();
        let (diffusion, before) = (&walk.spread.diffusion, walk.before_last().unwrap());
        let mut landed = 0;
        for node in 0..walk.graph.nodes() as u32 {
            let seeds = walk.seeds().iter().filter(|seed| seed.node == node);
            let restart: f64 = seeds.map(|seed| diffusion.alpha * seed.weight).sum();
            let sent: f64 = walk
                .graph
                .neighbours(node)
                .map(|(from, _)| before[from as usize] * walk.graph.probability(from, node))
                .sum();
            let (is, mass) = (
                restart + diffusion.moving() * sent,
                walk.spread.mass[node as usize],
            );
            assert!(
                (is - mass).abs() < 1e-9,
                "{method}, {node}: {is} and not {mass}"
            );
            landed += usize::from(mass > restart);
        }
        assert!(landed > 5, "{method}: {landed}");
    }
}

/// In the order of output nothing but that order and one number make a score, so one lack is all of the difference.
#[test]
fn a_node_that_comes_later_lacks_what_the_other_is_worth_more() {
    let index = Arc::new(sample::index().unwrap());
    let mut settings = Settings::of(&index, Method::by_name("noderag").unwrap());
    settings.set_text("node_order=output").unwrap();
    let mut retriever = Retriever::new(index.clone());
    let mut seen = BTreeSet::new();
    for question in index.questions().iter().take(20) {
        let run = retriever
            .retrieve(&question.text, &settings, Keep::Scores)
            .unwrap();
        let at = run.last(&index).unwrap();
        for pair in run.passages.windows(2).filter(|p| p[0].score > p[1].score) {
            let lacks = at.operator().lacks(&at, pair[1].passage, pair[0].passage);
            let own = [Code::FarVector, Code::OrderedLater];
            let own: Vec<_> = lacks.iter().filter(|l| own.contains(&l.code)).collect();
            if let [lack] = own[..] {
                let short = f64::from(pair[0].score) - f64::from(pair[1].score);
                assert!((lack.gap - short).abs() < 1e-6, "{} {short}", lack.gap);
                seen.insert(lack.code);
            }
        }
    }
    assert_eq!(seen.len(), 2, "{seen:?}");
}

#[test]
fn missing_words_are_named_by_what_they_are_worth() {
    let words = Planted {
        code: Code::WordsMissing,
        method: "bm25",
        set: &["result_k=1"],
        question: "boats granite harbours",
        passages: &[
            ("one", "boats granite harbours"),
            ("gold", "harbours were sold"),
            ("two", "boats lay there"),
            ("three", "boats went there"),
        ],
    };
    let index = world(&words);
    let run = ask(&words, &index);
    let reasons = why_not(&index, &run, index.passage_by_id("gold").unwrap());
    let said = reasons.iter().find(|r| r.code == Code::WordsMissing);
    let said = &said.unwrap().text;
    assert!(
        said.contains("it lacks the words granite, boats, which 'one' has"),
        "{said}"
    );
}

#[test]
fn thin_words_are_those_that_both_have_and_the_other_more_of() {
    let words = Planted {
        code: Code::WordsThin,
        method: "bm25",
        set: &["result_k=1"],
        question: "boats granite harbours",
        passages: &[
            ("one", "boats boats boats and granite granite"),
            (
                "gold",
                "harbours and boats and granite, all of them were sold to those who live there",
            ),
            ("two", "harbours lay there"),
            ("three", "harbours went there"),
            ("four", "harbours rest"),
        ],
    };
    let index = world(&words);
    let run = ask(&words, &index);
    let reasons = why_not(&index, &run, index.passage_by_id("gold").unwrap());
    let said = reasons.iter().find(|r| r.code == Code::WordsThin);
    let said = &said.unwrap().text;
    // It has more of the harbours itself.
    assert!(
        said.contains("'one' has more of boats, granite for its length"),
        "{said}"
    );
}

#[test]
fn what_another_restarts_with_is_told_beside_what_the_passage_has_of_it() {
    let less = planted(Code::RestartsLess, "graph-hybrid");
    let index = world(less);
    let run = ask(less, &index);
    let gold = index.passage_by_id("gold").unwrap();
    let said = why_not(&index, &run, gold).remove(0).text;
    assert!(
        said.starts_with("'one' is a restart seed, worth "),
        "{said}"
    );
    // It has none of the words of the question.
    assert!(
        said.contains("this one is not in the BM25 list and restarts nothing"),
        "{said}"
    );
}

#[test]
fn the_hub_that_dilutes_is_the_one_that_lets_least_through() {
    let diluted = planted(Code::Diluted, "graph");
    let index = world(diluted);
    let run = ask(diluted, &index);
    let gold = index.passage_by_id("gold").unwrap();
    let mut steps = run.steps(&index);
    let walk = steps
        .find(|at| at.step == run.walk().unwrap().step)
        .unwrap();
    let reasons = walk.operator().refuse(&walk, gold);
    let said = reasons.iter().find(|reason| reason.code == Code::Diluted);
    let said = &said.unwrap().text;
    assert!(said.starts_with("Omega (degree 6) lets only "), "{said}");
}

#[test]
fn a_passage_stands_behind_those_on_its_best_way() {
    let later = planted(Code::LaterHop, "graph");
    let index = world(later);
    let run = ask(later, &index);
    let [one, two, gold] = ["one", "two", "gold"].map(|id| index.passage_by_id(id).unwrap());
    let standing = standing(&run, gold);
    assert_eq!((standing.rank, standing.hop), (Some(3), Some(3)));
    assert_eq!(standing.over, [one, two]);
    assert!(standing.short.unwrap() > 0.0);
}

#[test]
fn what_makes_up_the_whole_difference_is_said_to_be_enough() {
    let missing = planted(Code::WordsMissing, "bm25");
    let index = world(missing);
    let gold = index.passage_by_id("gold").unwrap();
    let reasons = why_not(&index, &ask(missing, &index), gold);
    assert!(
        reasons[0]
            .text
            .ends_with(": this alone keeps it out of the top k"),
        "{}",
        reasons[0].text
    );
}

#[test]
fn fusion_drops_what_one_of_its_lists_has_inside() {
    let index = Arc::new(sample::index().unwrap());
    let mut settings = Settings::of(&index, Method::by_name("rrf").unwrap());
    settings.set_text("result_k=3").unwrap();
    let mut retriever = Retriever::new(index.clone());
    let mut dropped = 0;
    for question in &index.questions()[..10] {
        let run = retriever.retrieve(&question.text, &settings, Keep::Scores);
        let run = run.unwrap();
        let fused = run.ranked().unwrap();
        for hit in &run.passages[3..10] {
            let alone = fused.parts.iter().filter_map(|list| list.rank(hit.passage));
            let inside = alone.min().is_some_and(|rank| rank <= 3);
            let reasons = why_not(&index, &run, hit.passage);
            let said = reasons.iter().any(|reason| reason.class == Class::F7);
            assert!(inside || !said, "{}: {reasons:?}", question.text);
            dropped += usize::from(said);
        }
    }
    assert!(dropped > 0);
}

#[test]
fn every_verdict_is_the_one_that_was_planted() {
    let folder = tempfile::tempdir().unwrap();
    let plain = planted::all().map(|planted| (planted, world(planted)));
    let given = GIVEN.iter().enumerate().map(|(at, given)| {
        let folder = folder.path().join(at.to_string());
        std::fs::create_dir(&folder).unwrap();
        (&given.planted, given.world(&folder))
    });
    let mut wrong = Vec::new();
    for (planted, index) in plain.chain(given) {
        let run = ask(planted, &index);
        let gold = index.passage_by_id("gold").unwrap();
        let reasons = why_not(&index, &run, gold);
        let codes: Vec<Code> = reasons.iter().map(|reason| reason.code).collect();
        // What a search starts from comes first where it is enough; the rest of the world stays as it was planted.
        let start = [Code::NameNotSeed, Code::LeadsElsewhere, Code::LinkNotSeed];
        let mut first = codes.iter().filter(|code| !start.contains(code));
        let first = match start.contains(&planted.code) {
            true => codes.first(),
            false => first.next(),
        };
        if first != Some(&planted.code) {
            let said = reasons.iter().map(|r| format!("{} {}", r.code, r.text));
            let said = said.collect::<Vec<_>>().join("\n    ");
            wrong.push(format!(
                "{} of {}:\n    {said}",
                planted.code, planted.method
            ));
        }
        // The evidence is a difference between the two: it shows in their parts.
        if let Some(last) = run.last_inside().filter(|_| run.place(gold).is_some()) {
            let both = compare(&index, &run, gold, last.passage);
            assert!(
                both.scores[1].unwrap() >= both.scores[0].unwrap(),
                "{}: {both:?}",
                planted.code
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
