//! What is called a cause is one: undone, as a person would type it, the passage comes in or most of its gap closes.

use crate::explain::{Reason, why_not};
use crate::index::{BuildOptions, Index, Silent, sample};
use crate::layers::Code;
use crate::layers::summaries::layer_tests::titled;
use crate::parameters::RESULT_K;
use crate::retrieve::{Keep, Method, Retrieval, Retriever, Settings};
use std::collections::BTreeSet;
use std::sync::Arc;

fn ask(index: &Arc<Index>, method: &str, question: &str, set: &[&str]) -> Retrieval {
    let mut settings = Settings::of(index, Method::by_name(method).unwrap());
    set.iter().for_each(|set| settings.set_text(set).unwrap());
    let mut retriever = Retriever::new(index.clone());
    let run = retriever.retrieve(question, &settings, Keep::Scores);
    run.unwrap()
}

/// What a passage lacks to the last of the list, in parts of the score of that; all where it has none.
fn lacks(run: &Retrieval, passage: u32) -> f64 {
    let last = run.top().last().unwrap().score;
    match run.place(passage) {
        Some((_, own)) => f64::from((last - own) / last),
        None => 1.0,
    }
}

#[test]
fn a_cause_undone_brings_the_passage_in_or_closes_most_of_its_gap() {
    let index = Arc::new(sample::index().unwrap());
    let (mut causes, mut described) = (BTreeSet::new(), 0);
    for (method, set) in [
        ("graph", "result_k=4"),
        ("graph-rrf", "result_k=3"),
        ("hop", "result_k=2"),
        ("linearrag", "result_k=3"),
    ] {
        for question in index.questions().iter().step_by(3) {
            let run = ask(&index, method, &question.text, &[set]);
            for gold in &question.gold {
                let passage = gold.passage;
                let reasons = why_not(&index, &run, passage);
                assert_eq!(reasons.is_empty(), run.returns(passage));
                // Causes come before what only describes.
                let causal = reasons.iter().map(|reason| reason.cause);
                assert!(causal.is_sorted_by(|a, b| a >= b), "{reasons:?}");
                for reason in reasons {
                    described += usize::from(!reason.cause);
                    let Some(fix) = &reason.fix else {
                        assert!(!reason.cause || reason.code == Code::Tied);
                        continue;
                    };
                    let again = run
                        .again(&index, &fix.change.applied(&run.settings))
                        .unwrap();
                    let inside = again.returns(passage);
                    assert_eq!(fix.admits(), inside, "{reason:?}");
                    let closed = 1.0 - lacks(&again, passage) / lacks(&run, passage);
                    if reason.cause && !inside {
                        assert!(closed >= 0.499, "{closed} {reason:?}");
                    }
                    assert_eq!(fix.rank, again.place(passage).map(|place| place.0));
                    if reason.cause {
                        causes.insert(reason.code);
                    }
                }
            }
        }
    }
    assert!(causes.len() > 3 && described > 10, "{causes:?} {described}");
}

#[test]
fn names_that_should_be_one_come_first() {
    // The graph's score is on Richard Nixon; the one passage that answers says Nixon.
    let mut texts: Vec<(String, String)> = (0..6)
        .map(|i| {
            (
                format!("Visit {i}"),
                format!("Richard Nixon came to the harbour town for the {i}th time."),
            )
        })
        .collect();
    texts.push((
        "Aaron Krogh".into(),
        "Aaron Krogh was counsel to Nixon and led a room in the cellar.".into(),
    ));
    texts.push(("Kelp".into(), "Kelp grows on rocks near Holm.".into()));
    let texts: Vec<(&str, &str)> = texts.iter().map(|(a, b)| (&**a, &**b)).collect();
    let index = Index::build(titled(&texts), &BuildOptions::default(), &Silent).unwrap();
    let index = Arc::new(index);
    let run = ask(
        &index,
        "graph",
        "Who was counsel to Richard Nixon?",
        &["result_k=7"],
    );
    let lost = index.passage_by_id("aaron krogh").unwrap();
    assert!(!run.returns(lost));
    let reasons = why_not(&index, &run, lost);
    let first = &reasons[0];
    assert_eq!(
        (first.code, first.cause),
        (Code::SpelledApart, true),
        "{reasons:?}"
    );
    assert!(
        first.text.contains("'Nixon'") && first.text.contains("'Richard Nixon'"),
        "{first:?}"
    );
    let fix = first.fix.as_ref().unwrap();
    assert!(
        fix.admits() && fix.change.to_string().starts_with("join"),
        "{fix}"
    );
    assert_eq!(run.settings.get(RESULT_K), 7);
}

#[test]
fn what_undoing_does_not_help_is_no_cause() {
    let index = Arc::new(sample::index().unwrap());
    let mut seen = 0;
    for question in index.questions() {
        let run = ask(
            &index,
            "tfidf-graph",
            &question.text,
            &["result_k=3", "max_df_ratio=0.05"],
        );
        for gold in &question.gold {
            let filtered = |reason: &&Reason| reason.code == Code::DfFiltered;
            let reasons = why_not(&index, &run, gold.passage);
            for reason in reasons.iter().filter(filtered) {
                seen += 1;
                let fix = reason.fix.as_ref();
                assert_eq!(
                    reason.cause,
                    fix.is_some_and(|fix| fix.closed >= 0.5),
                    "{reason:?}"
                );
            }
        }
    }
    assert!(
        seen > 0,
        "the sample masks words that question and gold share"
    );
}

/// A world of two steps: the question names Alphaville, the answer hangs on Gammahill, and only the lost passage names
/// Deltaburg.
#[test]
fn a_link_is_of_another_passage_than_the_lost_one() {
    let texts = [
        ("Mill", "The mill of Alphaville stands at Gammahill."),
        ("Bridge", "The bridge of Alphaville was painted."),
        ("Church", "The church of Alphaville was sold."),
        ("Road", "The road to Alphaville was closed."),
        ("Slopes", "The slopes of Gammahill were sold to Deltaburg."),
        ("Bees", "Bees fly at Deltaville."),
    ];
    let index = Index::build(titled(&texts), &BuildOptions::default(), &Silent).unwrap();
    let index = Arc::new(index);
    let question = "Who bought the land where the mill of Alphaville stands?";
    let run = ask(&index, "graph", question, &["result_k=2"]);
    let lost = |id: &str| index.passage_by_id(id).unwrap();
    let reasons = why_not(&index, &run, lost("slopes"));
    let links: Vec<&Reason> = reasons
        .iter()
        .filter(|reason| reason.code == Code::LinkNotSeed)
        .collect();
    assert!(
        links[0].cause
            && links[0]
                .text
                .starts_with("'Gammahill' links 'Alphaville' of the question"),
        "{links:?}"
    );
    assert!(
        links.iter().all(|link| !link.text.contains("Deltaburg")),
        "{links:?}"
    );
    // Nothing joins this one to what was found: its own name is no link.
    let reasons = why_not(&index, &run, lost("bees"));
    assert!(
        reasons
            .iter()
            .all(|reason| reason.code != Code::LinkNotSeed),
        "{reasons:?}"
    );
}
