//! The set under the slider: begins with a change of settings, ends with the next.

use crate::explorer::action::{Effect, Job, Work};
use crate::explorer::layout::View;
use crate::explorer::scoring::{MEASURE, Score, Scoring, Unscored};
use crate::explorer::state::State;
use crate::retrieve::Settings;

/// Begins anew where the settings are others than those that were scored last; where they are the pinned ones, there is
/// nothing to tell.
pub fn follow(state: &mut State) -> Option<Effect> {
    let settings = state.settings.of_any_question();
    let pinned = state.pins.first().settings.of_any_question();
    // What was explained need not be told again without; the other way round it must.
    let judge = matches!(state.view, View::Evaluate | View::Annotate);
    let known = |(scored, judged): &(Settings, bool)| *scored == settings && (*judged || !judge);
    if state.scored.as_ref().is_some_and(known) || state.facts.questions.iter().all(|q| q.gold == 0)
    {
        return None;
    }
    // The first settings of a session are scored when something is changed, or looked at.
    let looked_at = state.view != View::Explore;
    let stays = state.scored.is_none() && settings == pinned && !looked_at;
    state.score = None;
    state.unscored = None;
    state.scores += 1;
    if stays {
        return None;
    }
    if settings == pinned && !looked_at {
        state.scored = None;
        return Some(Effect::Stop(Job::Scores));
    }
    state.scored = Some((settings.clone(), judge));
    Some(Effect::Work(Work::Score(Box::new(Scoring {
        generation: state.scores,
        settings,
        pinned,
        judge,
    }))))
}

/// Takes in how the newest scoring stands.
pub fn news(state: &mut State, news: Result<Score, Unscored>) {
    let (Ok(Score { generation, .. }) | Err(Unscored { generation, .. })) = &news;
    if *generation != state.scores {
        return;
    }
    let score = match news {
        Ok(score) => score,
        Err(unscored) => {
            state.unscored = Some(unscored.why);
            return;
        }
    };
    if let (true, Some(d)) = (score.done == score.of, score.difference(MEASURE)) {
        let (settings, worth) = (state.settings.of_any_question(), d.mean_b);
        state.worth_is(settings, worth);
    }
    state.score = Some(score);
    if state.view == View::Annotate {
        super::label::follow(state);
    }
}
