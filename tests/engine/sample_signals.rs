//! The sample corpus has questions that need one signal of hop each: muted, it drops gold out of the first places.

use hopscope::corpus::Question;
use hopscope::index::{Index, sample};
use hopscope::retrieve::hop::Signal;
use hopscope::retrieve::{Keep, Method, Retriever, Settings};
use std::sync::{Arc, LazyLock};

static INDEX: LazyLock<Arc<Index>> = LazyLock::new(|| Arc::new(sample::index().unwrap()));

/// All gold of these questions is among as many passages with all signals.
const K: usize = 3;
const GUARD: &str = "hop_guard";

/// The questions that show a signal or the guard, with its name.
fn shown() -> Vec<(&'static Question, &'static str)> {
    let named = |q: &'static Question| q.kind.strip_prefix("signal:").map(|name| (q, name));
    INDEX.questions().iter().filter_map(named).collect()
}

/// As the parameters and the questions name it.
fn name(signal: Signal) -> String {
    let value = serde_json::to_value(signal).unwrap();
    value.as_str().unwrap().to_owned()
}

/// The assignment that mutes it.
fn muting(name: &str) -> String {
    match name {
        GUARD => format!("{GUARD}=0"),
        signal => format!("weight_{signal}=0"),
    }
}

/// Where hop has the last of a question's gold; one that it does not find stands behind all.
fn last_gold(retriever: &mut Retriever, question: &Question, change: Option<&str>) -> usize {
    let mut settings = Settings::of(&INDEX, Method::by_name("hop").unwrap());
    settings.set_text("ranker=off").unwrap();
    if let Some(change) = change {
        settings.set_text(change).unwrap();
    }
    let retrieval = retriever
        .retrieve(&question.text, &settings, Keep::Scores)
        .unwrap();
    let rank = |passage| retrieval.rank(passage).unwrap_or(usize::MAX);
    let ranks = question.gold.iter().map(|g| rank(g.passage));
    ranks.max().expect("each of these questions has gold")
}

#[test]
fn every_signal_and_the_guard_have_a_question() {
    let shown = shown();
    let known: Vec<String> = Signal::ALL.into_iter().map(name).collect();
    for wanted in known.iter().map(String::as_str).chain([GUARD]) {
        assert!(shown.iter().any(|(_, n)| *n == wanted), "none for {wanted}");
    }
    for (question, name) in shown {
        assert!(
            name == GUARD || known.iter().any(|k| k == name),
            "{}: {name}",
            question.id
        );
        assert!(
            !question.gold.is_empty() && question.missing.is_empty(),
            "{}",
            question.id
        );
    }
}

#[test]
fn muting_its_signal_drops_gold() {
    let mut retriever = Retriever::new(INDEX.clone());
    for (question, name) in shown() {
        let (id, change) = (&question.id, muting(name));
        let with = last_gold(&mut retriever, question, None);
        let without = last_gold(&mut retriever, question, Some(&change));
        assert!(with <= K, "{id}: {with} with all signals");
        assert!(
            without > with,
            "{id}, {change}: {without}, with all signals {with}"
        );
    }
}
