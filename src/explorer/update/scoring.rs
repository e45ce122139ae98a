//! The set under the slider: begins with a change of settings, ends with the next.

use crate::explorer::action::{Effect, Message};
use crate::explorer::scoring::{Score, Scoring};
use crate::explorer::state::State;
use crate::retrieve::Settings;

/// What a set is asked with: changes of seeds belong to the question on screen.
fn of_set(settings: &Settings) -> Settings {
    let mut settings = settings.clone();
    settings.restore_seeds();
    settings
}

/// Begins anew where the settings are others than those that were scored last; where they are the pinned ones, there is
/// nothing to tell.
pub fn follow(state: &mut State) -> Option<Effect> {
    let settings = of_set(&state.settings);
    if state.scored.as_ref() == Some(&settings) || state.facts.questions.iter().all(|q| q.gold == 0)
    {
        return None;
    }
    // The first settings of a session are scored when something is changed.
    let stays = state.scored.is_none() && settings == state.pinned;
    state.scored = Some(settings.clone());
    state.score = None;
    state.scores += 1;
    if stays {
        return None;
    }
    if settings == state.pinned {
        return Some(Effect::StopScore);
    }
    Some(Effect::Score(Box::new(Scoring {
        generation: state.scores,
        settings,
        pinned: state.pinned.clone(),
    })))
}

/// Holds the set against the settings of the moment from now on.
pub fn pin(state: &mut State) -> Vec<Effect> {
    state.pinned = of_set(&state.settings);
    state.scored = None;
    state.message = Message::plain(format!(
        "pinned: the set is held against {} as it is now",
        state.settings.method().name
    ));
    Vec::from_iter(follow(state).or(Some(Effect::StopScore)))
}

/// Takes in how the newest scoring stands.
pub fn news(state: &mut State, score: Score) {
    if score.generation == state.scores {
        state.score = Some(score);
    }
}
