//! Questions out, answers in.

use super::{browse, label, moves, seeds};
use crate::evaluate::sweep::differences;
use crate::explorer::action::{Effect, Message};
use crate::explorer::jobs::{pins, score, trials};
use crate::explorer::layout::{Pane, View};
use crate::explorer::panes::filter;
use crate::explorer::panes::rows;
use crate::explorer::scene::{Answer, Browsed, Scene, Subject};
use crate::explorer::state::{Drawn, Mode, Run, State};
use crate::explorer::store::RUNS;
use crate::explorer::text;
use std::collections::BTreeMap;
use std::sync::Arc;
use tui_input::Input;

/// How many questions are remembered.
const HISTORY: usize = 200;

/// Asks the worker for what the state now wants.
pub fn request(state: &mut State) -> Vec<Effect> {
    if state.wanted.question.trim().is_empty() {
        return Vec::new();
    }
    state.wanted.settings = state.settings.clone();
    if state.differs() && beyond_items(state) {
        state.wanted.subject.node = None;
    }
    state.wanted.view = state.view;
    let around = state.view == View::Graph && state.drawn() == Drawn::Around;
    state.wanted.browse = around.then(|| state.browse.clone());
    let ask = state.asking.begin(state.wanted.clone());
    // What is looked for belongs to what was on screen before.
    let beside = [
        state.repairing.stop(),
        state.hunting.stop(),
        score::follow(state),
        pins::follow(state),
        trials::follow(state),
    ];
    std::iter::once(ask)
        .chain(beside.into_iter().flatten())
        .collect()
}

/// Whether the selected node is one that no stage told of: it is numbered behind the items, and those are counted anew in
/// every search.
fn beyond_items(state: &State) -> bool {
    let story = state.scene().and_then(|scene| scene.story.as_deref());
    let node = state.wanted.subject.node;
    story
        .zip(node)
        .is_some_and(|(story, node)| node as usize >= story.items.len())
}

/// Asks for the picture that the open view shows, where it was not made yet.
pub fn picture(state: &mut State) -> Vec<Effect> {
    let lacks = match state.view {
        View::Flow => state.flow().is_none() && state.wanted.view != state.view,
        View::Graph if state.drawn() == Drawn::Around => {
            state.browsed().is_none() && state.wanted.browse.is_none()
        }
        View::Graph => state.ways().is_none() && state.wanted.view != state.view,
        _ => false,
    };
    match lacks {
        true => request(state),
        false => Vec::new(),
    }
}

pub fn edit(state: &mut State) {
    state.focus = Pane::Question;
    state.input = Input::new(state.wanted.question.clone());
    state.untouched = true;
    state.mode = Mode::Edit;
}

/// Asks a question. One that is in the set brings its gold along.
pub fn question(state: &mut State, question: &str) -> Vec<Effect> {
    let question = text::clean(question);
    state.listed = None;
    if question.is_empty() {
        return state.say(Message::warning("type a question and press Enter"));
    }
    let asked = state
        .facts
        .questions
        .iter()
        .position(|q| q.text == question);
    // Only what was typed is history: stepping through a set would bury it.
    state.history.retain(|known| *known != question);
    state.history.insert(0, question.clone());
    state.history.truncate(HISTORY);
    let mut effects = begin(state, question.clone(), asked, None);
    effects.push(Effect::Remember(question));
    effects
}

/// Asks a question of the set by its place.
pub fn number(state: &mut State, number: usize) -> Vec<Effect> {
    about(state, number, None)
}

/// Asks a question of the set and turns to one of its passages.
pub fn about(state: &mut State, number: usize, passage: Option<u32>) -> Vec<Effect> {
    match state.facts.questions.get(number) {
        Some(asked) => {
            let question = asked.text.clone();
            begin(state, question, Some(number), passage)
        }
        None => {
            let have = text::plural(state.facts.questions.len(), "question");
            state.say(Message::warning(format!(
                "no question {}; this index came with {have}",
                number + 1
            )))
        }
    }
}

/// Asks what was asked before, and turns to the passage that was looked at.
pub fn again(state: &mut State, question: &str, passage: Option<u32>) -> Vec<Effect> {
    let mut questions = state.facts.questions.iter();
    let asked = questions.position(|asked| asked.text == question);
    // Its seeds are those of the settings now.
    question.clone_into(&mut state.wanted.question);
    let passage = passage.filter(|passage| (*passage as usize) < state.facts.passages);
    begin(state, question.to_owned(), asked, passage)
}

/// The next or previous question of the set, from the one that was asked last; where none was, the first or last.
pub fn neighbouring(state: &mut State, by: isize) -> Vec<Effect> {
    let count = state.facts.questions.len() as isize;
    state.listed = None;
    if count == 0 {
        let made = &state.facts.suggested;
        let here = made
            .iter()
            .position(|asked| *asked == state.wanted.question);
        let next = match here {
            Some(at) => (at as isize + by).rem_euclid(made.len() as isize),
            None if by > 0 => 0,
            None => made.len() as isize - 1,
        };
        return match made.get(next.unsigned_abs()).cloned() {
            Some(next) => question(state, &next),
            None => Vec::new(),
        };
    }
    let next = match state.wanted.asked.or(state.last_asked) {
        Some(at) => (at as isize + by).rem_euclid(count),
        None if by > 0 => 0,
        None => count - 1,
    };
    number(state, next.unsigned_abs())
}

fn begin(
    state: &mut State,
    question: String,
    asked: Option<usize>,
    passage: Option<u32>,
) -> Vec<Effect> {
    state.mode = Mode::Browse;
    if state.focus == Pane::Question {
        state.focus = state.view.first();
    }
    state.reading = None;
    moves::leave_text(state);
    state.input = Input::new(question.clone());
    state.trail.clear();
    state.step = None;
    state.playing = false;
    state.unfolded.clear();
    state.opened = false;
    browse::forget(&mut state.browse);
    state
        .lists
        .retain(|pane, _| matches!(pane, Pane::Parameters | Pane::Queue));
    // What narrows rows of the answer before says nothing of those that come.
    state.filters.retain(|pane, _| {
        use Pane::{Lost, Methods, Parameters, Questions, Queue, Session};
        matches!(
            pane,
            Parameters | Session | Questions | Lost | Methods | Queue
        )
    });
    if let Some(sweep) = state.sweep.take() {
        state.settings = sweep.start;
    }
    if !state.wanted.question.is_empty() && state.wanted.question != question {
        seeds::forget(state);
    }
    state.wanted.question.clone_from(&question);
    state.wanted.asked = asked;
    state.last_asked = asked.or(state.last_asked);
    state.wanted.subject = Subject {
        passage,
        ..Subject::default()
    };
    request(state)
}

/// Takes an answer in.
pub fn answered(state: &mut State, answer: Answer) -> Vec<Effect> {
    let same_scene = state
        .shown
        .as_ref()
        .is_some_and(|shown| Arc::ptr_eq(&shown.scene, &answer.scene));
    if state.wanted.subject.passage.is_none() {
        state.wanted.subject.passage = answer.detail.passage.as_ref().map(|why| why.passage);
    }
    if state.wanted.subject.node.is_none() {
        state.wanted.subject.node = answer.detail.node.as_ref().map(|around| around.node);
    }
    if !same_scene {
        record(state, &answer);
        state.before = state
            .scene()
            .and_then(|before| moved(before, &answer.scene));
        // What announced the change (undone, again) already names it. What was said of other things since is no part of it.
        let said = std::mem::take(&mut state.cause);
        if let Some(before) = state.scene().filter(|_| !state.blind())
            && let Some(effect) = effect(before, &answer.scene, said.is_empty())
        {
            let gap = if said.is_empty() { "" } else { ": " };
            state.message = Message::plain(format!("{said}{gap}{effect}"));
        }
        if let Some(idle) = idle(state.scene(), &answer.scene) {
            state.message = Message::warning(idle);
        }
    }
    if !same_scene && let Some(item) = followed(state, &answer.scene) {
        state.wanted.subject.node = item;
    }
    let pictures = |state: &State| (state.flow().is_some(), state.ways().is_some());
    let drawn = pictures(state);
    state.shown = Some(answer);
    if state.step.is_some_and(|step| step + 1 >= state.steps()) {
        state.step = None;
        state.playing = false;
    }
    // A picture that was just made has no cursor yet.
    browse::answered(state);
    if !same_scene || pictures(state) != drawn {
        follow_selection(state);
    }
    label::catch_up(state)
}

/// Where the selected item of a story is in the next one: items are counted anew in every search.
fn followed(state: &State, after: &Scene) -> Option<Option<u32>> {
    let after = after.story.as_deref()?;
    let before = state.scene()?.story.as_deref()?;
    let item = before.items.get(state.wanted.subject.node? as usize)?;
    let same = |other: &crate::retrieve::explanation::Item| {
        other.kind == item.kind && other.label == item.label && other.passage == item.passage
    };
    Some(after.items.iter().position(same).map(|at| at as u32))
}

/// The first change of the graph that changes nothing, where that is news.
fn idle(before: Option<&Scene>, after: &Scene) -> Option<String> {
    let told = before.map_or(&[][..], |scene| &scene.graph_edits);
    let mut news = after.graph_edits.iter().filter(|e| !told.contains(e));
    news.find_map(|edited| {
        let why = edited.idle.as_ref()?;
        Some(text::clean(&format!(
            "{} has no effect: {why}",
            edited.edit
        )))
    })
}

/// The ranks before a change of settings; none where another question was asked.
fn moved(before: &Scene, after: &Scene) -> Option<BTreeMap<u32, usize>> {
    let changed = before.question == after.question && before.settings != after.settings;
    let ranks = before.passages.iter().map(|row| (row.passage, row.rank));
    changed.then(|| ranks.collect())
}

/// What a change of settings did, in words: nothing moves without a reason shown.
fn effect(before: &Scene, after: &Scene, name_it: bool) -> Option<String> {
    if before.question != after.question || before.settings == after.settings {
        return None;
    }
    let mut words = Vec::new();
    // The first change names itself; of several, what they did comes before the others.
    let mut changes = differences(&before.settings, &after.settings).into_iter();
    if name_it {
        words.extend(changes.next());
    }
    if let (Some(old), Some(new)) = (before.measure("R@5"), after.measure("R@5")) {
        words.push(match old == new {
            true => format!("R@5 unchanged ({})", text::share(new)),
            false => format!("R@5 {} > {}", text::share(old), text::share(new)),
        });
    }
    let ranks = |scene: &Scene| -> String {
        let gold: Vec<Option<usize>> = scene.gold.iter().map(|gold| gold.rank).collect();
        text::ranks(&gold)
    };
    let (old, new) = (ranks(before), ranks(after));
    if old != new {
        words.push(format!("gold {old} > {new}"));
    }
    let top = |scene: &Scene| -> Vec<u32> {
        scene
            .passages
            .iter()
            .take(scene.top_k)
            .map(|row| row.passage)
            .collect()
    };
    let (old, new) = (top(before), top(after));
    let entered = new.iter().filter(|p| !old.contains(p)).count();
    let moved = new
        .iter()
        .enumerate()
        .filter(|(at, p)| old.get(*at) != Some(p))
        .count();
    words.push(match (moved, entered) {
        (0, _) => "same list".to_owned(),
        (moved, 0) => format!("{moved} of {} moved", new.len()),
        (moved, entered) => format!("{moved} of {} moved, {entered} new", new.len()),
    });
    let others: Vec<String> = changes.filter(|_| name_it).collect();
    if !others.is_empty() {
        words.push(others.join(", "));
    }
    Some(words.join("; "))
}

/// Cursors stay on what they were on, not on the row number it had.
pub fn follow_selection(state: &mut State) {
    let subject = state.wanted.subject;
    for pane in [
        Pane::Passages,
        Pane::Spread,
        Pane::Flow,
        Pane::Heat,
        Pane::Paths,
    ] {
        let own = state.browsed().filter(|_| pane == Pane::Paths);
        let own = own.and_then(Browsed::cursor);
        let found = own.or_else(|| rows::row_of(state, pane, subject));
        let found = found.filter(|row| filter::shows(state, pane, *row));
        let row = found.unwrap_or(state.list(pane).cursor);
        filter::settle(state, pane, row);
    }
    state.lists.remove(&Pane::Neighbours);
}

/// Adds the run to the session. While one parameter is being moved, only where it came to rest is kept.
fn record(state: &mut State, answer: &Answer) {
    let scene = &answer.scene;
    let mut run = Run {
        number: state.session.last().map_or(1, |run| run.number + 1),
        question: scene.question.clone(),
        asked: state.wanted.asked,
        settings: scene.settings.clone(),
        headline: scene.headline(),
        gold: scene.gold.iter().map(|gold| gold.rank).collect(),
        seconds: answer.seconds,
    };
    let same =
        |run: &Run, other: &Run| run.question == other.question && run.settings == other.settings;
    if state.session.last().is_some_and(|last| same(last, &run)) {
        return;
    }
    if let [.., before, last] = &state.session[..] {
        let by_one = |a: &Run, b: &Run| {
            let uses = a.settings.method().uses();
            let mut differing = uses
                .into_iter()
                .filter(|p| a.settings.value(*p) != b.settings.value(*p));
            match (
                a.question == b.question && a.settings.method() == b.settings.method(),
                differing.next(),
            ) {
                (true, Some(parameter)) if differing.next().is_none() => Some(parameter),
                _ => None,
            }
        };
        let moved = by_one(before, last);
        if moved.is_some() && moved == by_one(last, &run) {
            run.number = last.number;
            state.session.pop();
        }
    }
    state.session.push(run);
    if state.session.len() > RUNS {
        state.session.remove(0);
    }
}
