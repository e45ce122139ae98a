//! The list of Evaluate, gone through: questions that lose gold, opened one after another.

use super::{ask, moves};
use crate::explorer::action::{Effect, Message};
use crate::explorer::jobs::hunt;
use crate::explorer::layout::{Pane, View};
use crate::explorer::panes::filter;
use crate::explorer::state::State;
use crate::layers::Class;

/// The next question of the list that one was opened from in Evaluate, or that is narrowed there; without such a list the next
/// that loses gold.
pub fn next(state: &mut State, by: isize) -> Vec<Effect> {
    let narrowed = || narrows(state).then(|| shown(state));
    let listed = state.listed.clone().or_else(narrowed);
    let Some(listed) = listed.filter(|listed| !listed.is_empty()) else {
        return hunt::begin(state, by, None);
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
        .score()
        .and_then(|score| score.asked.iter().find(|q| q.at == at));
    let lost = judged.and_then(|judged| judged.lost.first().copied());
    let effects = ask::about(state, at, lost.map(|lost| lost.0));
    state.listed = Some(listed.to_vec());
    let place = format!("{} of {} listed", place + 1, listed.len());
    state.message = Message::plain(match lost {
        Some((_, code, _)) => format!("{place}: misses gold, {}", code.words()),
        None => place,
    });
    effects
}

/// Opens a row of Evaluate's list in Explore.
pub fn open_listed(state: &mut State, row: usize) -> Vec<Effect> {
    let listed = shown(state);
    let place = filter::shown(state, Pane::Questions);
    let place = place.iter().position(|shown| *shown == row);
    state.view = View::Explore;
    state.places.insert(View::Evaluate, Pane::Questions);
    state.focus = Pane::Passages;
    open(state, &listed, place.unwrap_or(row))
}

/// Whether Evaluate lists some questions alone: those of a failure class, or that have some words.
fn narrows(state: &State) -> bool {
    state.class.is_some() || filter::typed(state, Pane::Questions).is_some()
}

/// The questions that Evaluate lists, by their places in the set.
fn shown(state: &State) -> Vec<usize> {
    let listed = state.score().map(|score| score.listed(state.class));
    let listed = listed.unwrap_or_default();
    let shown = filter::shown(state, Pane::Questions).into_iter();
    let shown = shown.filter_map(|row| listed.get(row));
    shown.map(|judged| judged.at).collect()
}

/// Lists the questions that lose gold for a class, or all where that was listed.
pub fn list_class(state: &mut State, class: Class) -> Vec<Effect> {
    state.class = Some(class).filter(|class| state.class != Some(*class));
    state.lists.remove(&Pane::Questions);
    moves::focus(state, Pane::Questions)
}
