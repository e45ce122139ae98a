//! No parameter looks alive that cannot act: what is said to change nothing changes nothing, and what is not said to acts
//! on some question of the sample, but for those that are listed with why.

use hopscope::index::sample;
use hopscope::retrieve::{
    Domain, Keep, METHODS, Origin, Parameter, Retriever, Settings, Stage, Value,
};
use std::sync::Arc;

/// Questions that an idle parameter is tried on, and those that an active one may need.
const FEW: usize = 4;
const MANY: usize = 50;

/// Parameters that can act and do not on the sample, under which methods, and why.
const STILL: &[(Parameter, &[&str], &str)] = &[
    (
        Parameter::VectorSearch,
        &["graph-dense", "graph-rrf", "hipporag2", "hop", "linearrag"],
        "the small-world graph of so few passages misses nothing",
    ),
    (
        Parameter::Dangling,
        &["tfidf-graph", "hop", "linearrag"],
        "no walk of these questions ends on a node without edges",
    ),
    (
        Parameter::QuotaR,
        &["noderag"],
        "no passage is there by a relation",
    ),
    (
        Parameter::RrfC,
        &["rrf-ce"],
        "all that is fused is scored again: only who is among them could change",
    ),
    (
        Parameter::Fallback,
        &["tfidf-graph"],
        "every question has a word of the corpus",
    ),
    (
        Parameter::FoldAccents,
        &[
            "bm25-2step",
            "graph-dense",
            "graph-hybrid",
            "graph-rrf",
            "graph",
            "hop",
            "linearrag",
            "rrf-ppr",
        ],
        "no name of these questions differs from one of the graph in accents alone",
    ),
    (
        Parameter::LinkEdges,
        &["sage"],
        "no links lie beside the sample",
    ),
    (
        Parameter::StructuralEdges,
        &["sage"],
        "no edge of structure is among those that are followed",
    ),
];

/// Ends and middle of a range and the next values, every choice.
fn tried(parameter: Parameter, now: Value) -> Vec<Value> {
    let domain = &parameter.declaration().domain;
    let all: Vec<Value> = match domain {
        Domain::Choice(choices) => (0..choices.len()).map(Value::Choice).collect(),
        domain => {
            let ends = [0.0, 0.5, 1.0].map(|share| domain.at_fraction(share));
            let near = [-1, 1, 3].map(|steps| domain.stepped(now, steps));
            [ends, near].concat()
        }
    };
    all.into_iter().filter(|value| *value != now).collect()
}

/// Whether a value of a parameter changes what any of the first questions returns.
fn acts(
    retriever: &mut Retriever,
    settings: &Settings,
    parameter: Parameter,
    questions: usize,
) -> bool {
    let index = retriever.index().clone();
    for question in index.questions().iter().take(questions) {
        let mut ask = |settings: &Settings| {
            let run = retriever
                .retrieve(&question.text, settings, Keep::Scores)
                .unwrap();
            // What a reader is given can differ where the passages do not.
            (run.text(&index), run.passages)
        };
        let before = ask(settings);
        for value in tried(parameter, settings.value(parameter)) {
            let mut other = settings.clone();
            other.set(parameter, value, Origin::User);
            if ask(&other) != before {
                return true;
            }
        }
    }
    false
}

#[test]
fn what_is_idle_changes_nothing_and_nothing_else_is() {
    let index = Arc::new(sample::index().unwrap());
    let mut wrong = Vec::new();
    for method in METHODS.iter() {
        let settings = Settings::of(&index, method);
        let first = &index.questions()[0].text;
        let mut retriever = Retriever::new(index.clone());
        if retriever.retrieve(first, &settings, Keep::Scores).is_err() {
            continue;
        }
        for parameter in method.uses() {
            if parameter == Parameter::ResultK || parameter.declaration().stage == Stage::Index {
                continue;
            }
            let said = settings.idle(parameter);
            let questions = if said.is_some() { FEW } else { MANY };
            let listed = STILL
                .iter()
                .any(|(still, methods, _)| *still == parameter && methods.contains(&&*method.name));
            match (said, acts(&mut retriever, &settings, parameter, questions)) {
                (Some(said), true) => {
                    wrong.push(format!("{} {} acts: {said}", method.name, parameter.id()));
                }
                (None, false) if !listed => {
                    wrong.push(format!("{} {} never acts", method.name, parameter.id()));
                }
                _ => {}
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
