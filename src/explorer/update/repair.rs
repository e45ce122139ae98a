//! Looking for the smallest change that brings a lost passage in.

use crate::explorer::action::{Effect, Job, Message, Work};
use crate::explorer::repairing::{Begun, News, Search};
use crate::explorer::state::State;

/// Begins to look, for the passage that Why is about.
pub fn begin(state: &mut State) -> Vec<Effect> {
    let Some(why) = state.detail().and_then(|detail| detail.passage.as_ref()) else {
        return Vec::new();
    };
    let passage = why.passage;
    state.repairs += 1;
    let search = Search {
        generation: state.repairs,
        question: state.wanted.question.clone(),
        settings: state.settings.clone(),
        passage,
    };
    state.repairing = Some(Begun {
        search: search.clone(),
        repairs: Default::default(),
        done: false,
        prices: Vec::new(),
        over: false,
    });
    vec![Effect::Work(Work::Repair(Box::new(search)))]
}

/// Takes in how the newest search stands.
pub fn news(state: &mut State, news: News) {
    let newest = state.repairing.as_mut();
    let Some(begun) = newest.filter(|begun| begun.search.generation == news.generation) else {
        return;
    };
    begun.done = news.done;
    begun.prices = news.prices;
    begun.over = news.over;
    match news.repairs {
        Ok(repairs) => begun.repairs = repairs,
        Err(said) => {
            state.repairing = None;
            state.message = Message::error(said);
        }
    }
}

/// Stops looking and keeps what was found. None where nothing is looked for.
pub fn leave(state: &mut State) -> Option<Effect> {
    let begun = state.repairing.as_mut().filter(|begun| !begun.over)?;
    begun.done = true;
    begun.over = true;
    Some(Effect::Stop(Job::Repairs))
}

/// As [`leave`], because a person said so.
pub fn stop(state: &mut State) -> Option<Vec<Effect>> {
    let stopped = leave(state)?;
    state.message = Message::plain("stopped looking");
    Some(vec![stopped])
}
