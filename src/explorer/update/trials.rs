//! Every method on the question on screen, while Evaluate shows them.

use crate::explorer::action::{Effect, Job, Message, Work};
use crate::explorer::available::lack;
use crate::explorer::layout::View;
use crate::explorer::state::State;
use crate::explorer::trials::{Heard, Stands, Trial, Trials};
use crate::retrieve::{METHODS, Settings};

/// Begins anew where another question is looked at, or other settings that the methods share. Stops while nobody looks.
pub fn follow(state: &mut State) -> Option<Effect> {
    if state.view != View::Evaluate || state.wanted.question.trim().is_empty() {
        let newest = state.trials.as_mut();
        let going = newest.filter(|trials| trials.stands == Stands::Going)?;
        going.stands = Stands::Stopped;
        return Some(Effect::Stop(Job::Trials));
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
    let before = state.trials.take().filter(known);
    if before
        .as_ref()
        .is_some_and(|before| before.stands != Stands::Stopped)
    {
        state.trials = before;
        return None;
    }
    let rows = before.map_or_else(Vec::new, |before| before.rows);
    let lacks = |settings: &&Settings| {
        let method = &settings.method().name;
        !rows.iter().any(|row| row.method == **method)
    };
    let left = settings.iter().filter(lacks).cloned().collect();
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
        settings: left,
        unknown,
    };
    state.trials = Some(Trials {
        trial: Trial {
            settings,
            ..trial.clone()
        },
        rows,
        stands: Stands::Going,
    });
    Some(Effect::Work(Work::Try(Box::new(trial))))
}

/// Takes in what a method gave.
pub fn news(state: &mut State, heard: Heard) {
    let generation = match &heard {
        Heard::Set(settings, worth) => return state.worth_is((**settings).clone(), *worth),
        Heard::Question(tried) => tried.generation,
        Heard::Over(generation) | Heard::Broke(generation, _) => *generation,
    };
    let newest = state.trials.as_mut();
    let Some(trials) = newest.filter(|trials| trials.trial.generation == generation) else {
        return;
    };
    match heard {
        Heard::Question(tried) => trials.rows.push(tried),
        Heard::Over(_) => trials.stands = Stands::Over,
        Heard::Broke(_, said) => {
            trials.broke(&said);
            state.message = Message::error(said);
        }
        Heard::Set(..) => {}
    }
}
