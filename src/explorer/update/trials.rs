//! Every method on the question on screen, while Evaluate shows them.

use crate::explorer::action::{Effect, Message, Work};
use crate::explorer::available::lack;
use crate::explorer::layout::View;
use crate::explorer::state::State;
use crate::explorer::trials::{Heard, Trial, Trials};
use crate::retrieve::{METHODS, Settings};

/// Begins anew where another question is looked at, or other settings that the methods share.
pub fn follow(state: &mut State) -> Option<Effect> {
    if state.view != View::Evaluate || state.wanted.question.trim().is_empty() {
        return None;
    }
    let able = METHODS
        .iter()
        .filter(|method| lack(state, method).is_none());
    let settings: Vec<Settings> = able
        .map(|method| {
            let mut settings = state.settings.of_any_question();
            settings.set_method(method);
            settings
        })
        .collect();
    let question = state.wanted.question.clone();
    let known =
        |trials: &Trials| trials.trial.question == question && trials.trial.settings == settings;
    if state.trials.as_ref().is_some_and(known) {
        return None;
    }
    let unknown = settings
        .iter()
        .filter(|settings| state.worth(settings).is_none())
        .cloned()
        .collect();
    state.tried += 1;
    let trial = Trial {
        generation: state.tried,
        question,
        asked: state.wanted.asked,
        settings,
        unknown,
    };
    state.trials = Some(Trials {
        trial: trial.clone(),
        rows: Vec::new(),
    });
    Some(Effect::Work(Work::Try(Box::new(trial))))
}

/// Takes in what a method gave.
pub fn news(state: &mut State, heard: Heard) {
    let tried = match heard {
        Heard::Question(tried) => tried,
        Heard::Set(settings, worth) => return state.worth_is(*settings, worth),
        Heard::Broke(generation, said) => {
            let newest = state.trials.as_mut();
            if let Some(trials) = newest.filter(|trials| trials.trial.generation == generation) {
                trials.broke(&said);
                state.message = Message::error(said);
            }
            return;
        }
    };
    let newest = state.trials.as_mut();
    if let Some(trials) = newest.filter(|trials| trials.trial.generation == tried.generation) {
        trials.rows.push(tried);
    }
}
