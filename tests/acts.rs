//! No parameter looks alive that cannot act: what is said to change nothing changes nothing, and what is not said to acts
//! on some question of the sample, but for those that are listed with why.

use hopscope::index::{Index, sample};
use hopscope::retrieve::{
    Domain, Keep, METHODS, Origin, Parameter, Retriever, Settings, Stage, Value,
};
use std::sync::Arc;

/// Questions that an idle parameter is tried on, and those that an active one may need.
const FEW: usize = 6;
const MANY: usize = 60;

/// Parameters that can act and do not on the sample, and why.
const STILL: &[(Parameter, &str)] = &[(
    Parameter::Dangling,
    "the sample's graphs have no seed without edges",
)];

/// Ends and middle of a range, every choice.
fn tried(parameter: Parameter, now: Value) -> Vec<Value> {
    let domain = &parameter.declaration().domain;
    let all: Vec<Value> = match domain {
        Domain::Choice(choices) => (0..choices.len()).map(Value::Choice).collect(),
        domain => [0.0, 0.5, 1.0]
            .map(|share| domain.at_fraction(share))
            .to_vec(),
    };
    all.into_iter().filter(|value| *value != now).collect()
}

/// Whether a value of a parameter changes what any of the first questions returns.
fn acts(index: &Arc<Index>, settings: &Settings, parameter: Parameter, questions: usize) -> bool {
    let mut retriever = Retriever::new(index.clone());
    for question in index.questions().iter().take(questions) {
        let mut ask = |settings: &Settings| {
            let run = retriever
                .retrieve(&question.text, settings, Keep::Scores)
                .unwrap();
            run.passages
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
            let listed = STILL.iter().any(|(still, _)| *still == parameter);
            match (said, acts(&index, &settings, parameter, questions)) {
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
