//! Going from failing question to failing question.

use super::ask;
use crate::explorer::action::{Effect, Job, Message, Work};
use crate::explorer::failures::{FailureSearch, Found, SearchNews};
use crate::explorer::layout::{Pane, View};
use crate::explorer::state::State;
use crate::explorer::text;
use crate::layers::Class;

/// The next question of the list that one was opened from in Evaluate; without such a list the next that loses gold.
pub fn next(state: &mut State, by: isize) -> Vec<Effect> {
    let Some(listed) = state.listed.clone().filter(|listed| !listed.is_empty()) else {
        return begin(state, by, None);
    };
    let here = listed.iter().position(|at| state.wanted.asked == Some(*at));
    let here = here.map_or(-by.min(0), |here| here as isize + by);
    let place = here.rem_euclid(listed.len() as isize).unsigned_abs();
    open(state, &listed, place)
}

/// Opens a question of a list, with the first gold passage that is lost under the selection.
pub fn open(state: &mut State, listed: &[usize], place: usize) -> Vec<Effect> {
    let Some(&at) = listed.get(place) else {
        return Vec::new();
    };
    let judged = state
        .score
        .as_ref()
        .and_then(|score| score.asked.iter().find(|q| q.at == at));
    let lost = judged.and_then(|judged| judged.lost.first().copied());
    let effects = ask::about(state, at, lost.map(|lost| lost.0));
    state.listed = Some(listed.to_vec());
    let place = format!("{} of {} listed", place + 1, listed.len());
    state.message = Message::plain(match lost {
        Some((_, code, class)) => format!("{place}: gold is lost, {code}, {}", named(class)),
        None => place,
    });
    effects
}

/// Opens a row of Evaluate's list in Explore.
pub fn open_listed(state: &mut State, row: usize) -> Vec<Effect> {
    let Some(score) = &state.score else {
        return Vec::new();
    };
    let listed = score.listed(state.class).into_iter();
    let listed: Vec<usize> = listed.map(|judged| judged.at).collect();
    state.view = View::Explore;
    state.places.insert(View::Evaluate, Pane::Questions);
    state.focus = Pane::Passages;
    open(state, &listed, row)
}

/// Lists the questions that lose gold for a class, or all where that was listed.
pub fn list_class(state: &mut State, class: Class) -> Vec<Effect> {
    state.class = Some(class).filter(|class| state.class != Some(*class));
    state.lists.remove(&Pane::Questions);
    super::moves::focus(state, Pane::Questions)
}

/// Looks for the next question that loses gold, forwards or backwards from the one on screen.
pub fn begin(state: &mut State, by: isize, class: Option<Class>) -> Vec<Effect> {
    let questions = &state.facts.questions;
    let count = questions.len() as isize;
    let here = match state.wanted.asked {
        Some(at) => at as isize,
        None if by > 0 => -1,
        None => count,
    };
    // All the way round, so that the one on screen comes last.
    let order = (1..=count).map(|n| (here + by * n).rem_euclid(count).unsigned_abs());
    let order = order.filter(|at| questions[*at].gold > 0).collect();
    state.hunts += 1;
    state.hunting = Some((state.hunts, state.wanted.generation));
    state.message = Message::plain(match class {
        Some(class) => format!("looking for a question that loses gold by {}", named(class)),
        None => "looking for a question that loses gold".to_owned(),
    });
    let settings = state.settings.of_any_question();
    vec![Effect::Work(Work::FailureSearch(Box::new(FailureSearch {
        generation: state.hunts,
        settings,
        order,
        class,
    })))]
}

/// Takes in what a hunt has to say, unless something else was asked meanwhile.
pub fn news(state: &mut State, sighting: SearchNews) -> Vec<Effect> {
    if state.hunting != Some((sighting.generation, state.wanted.generation)) {
        return Vec::new();
    }
    let (tried, of) = (sighting.tried, sighting.of);
    match sighting.found {
        Found::Looking => {
            state.message = Message::plain(format!(
                "looking for a question that loses gold: {tried} of {of} tried, Esc stops"
            ));
            Vec::new()
        }
        Found::Failed(said) => {
            state.hunting = None;
            state.message = Message::error(said);
            Vec::new()
        }
        Found::Nothing => {
            state.hunting = None;
            let of = text::plural(of, "question");
            state.message = Message::plain(format!("none of {of} loses gold so"));
            Vec::new()
        }
        Found::Lost(loss) => {
            state.hunting = None;
            let effects = ask::about(state, loss.question, loss.passage);
            let before = match tried - 1 {
                0 => String::new(),
                n => format!("; {} before it passed over", text::plural(n, "question")),
            };
            state.message = Message::warning(format!(
                "gold {} is lost: {}, {}{before}",
                loss.id,
                loss.code,
                named(loss.class)
            ));
            effects
        }
    }
}

/// Stops looking. False when nothing was looked for.
pub fn stop(state: &mut State) -> Option<Vec<Effect>> {
    state.hunting.take()?;
    state.message = Message::plain("stopped looking");
    Some(vec![Effect::Stop(Job::Hunts)])
}

/// `F4 (reached, but diluted)`.
fn named(class: Class) -> String {
    format!("{class} ({})", class.about())
}
