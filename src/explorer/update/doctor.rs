//! Looking for what is wrong with the index.

use super::finder;
use crate::explorer::action::{Effect, Job, Message, Work};
use crate::explorer::doctoring::{Begun, News, Told, Visit, said};
use crate::explorer::state::{FinderKind, Mode, State};

/// Lists what was found under these settings, or begins to look.
pub fn begin(state: &mut State) -> Vec<Effect> {
    let settings = state.settings.clone();
    let known = state.doctoring.as_ref();
    if known.is_some_and(|begun| begun.visit.settings == settings && begun.found.is_some()) {
        return finder::open(state, FinderKind::Doctor);
    }
    let generation = known.map_or(0, |begun| begun.visit.generation) + 1;
    let visit = Visit {
        generation,
        settings,
    };
    state.doctoring = Some(Begun {
        visit: visit.clone(),
        found: None,
        running: true,
    });
    state.message = Message::plain("doctor: looking, Esc stops");
    vec![Effect::Work(Work::Doctor(Box::new(visit)))]
}

/// Takes in how the newest check-up stands; what was found is listed, unless a person is in the middle of something else.
pub fn news(state: &mut State, news: News) -> Vec<Effect> {
    let newest = state.doctoring.as_mut();
    let current = |begun: &&mut Begun| begun.running && begun.visit.generation == news.generation;
    let Some(begun) = newest.filter(current) else {
        return Vec::new();
    };
    begun.running = matches!(news.told, Told::At(..));
    match news.told {
        Told::At(doing, done, all) => state.message = Message::plain(said(doing, done, all)),
        Told::Done(found) => {
            let losses = format!(
                "doctor: {} of {} gold passages lost",
                found.lost, found.gold
            );
            begun.found = Some(found);
            state.message = Message::plain(losses);
            if matches!(state.mode, Mode::Browse) {
                return finder::open(state, FinderKind::Doctor);
            }
        }
        Told::Stopped => {}
        Told::Failed(said) => state.message = Message::error(said),
    }
    Vec::new()
}

/// Stops looking, because a person said so. None where nothing is looked for.
pub fn stop(state: &mut State) -> Option<Vec<Effect>> {
    let begun = state.doctoring.as_mut().filter(|begun| begun.running)?;
    begun.running = false;
    state.message = Message::plain("stopped looking");
    Some(vec![Effect::Stop(Job::Visits)])
}
