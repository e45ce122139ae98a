//! Moving: cursors, focus, the node under the eye, and the step of the walk.

use super::{ask, browse, label, settings};
use crate::explorer::action::{Effect, Message};
use crate::explorer::layout::{Pane, Shape, View};
use crate::explorer::panes::contents;
use crate::explorer::panes::filter;
use crate::explorer::panes::rows;
use crate::explorer::parameter_keys::{ParameterLine, parameter_lines};
use crate::explorer::scene::{Shows, Subject};
use crate::explorer::state::{Drawn, Mode, Place, SPEEDS, State};
use crate::explorer::text;
use crate::retrieve::Node;
use tui_input::Input;

/// Places to go back to.
const TRAIL: usize = 100;

/// Gives a pane the keyboard, in the view that has it.
pub fn focus(state: &mut State, pane: Pane) -> Vec<Effect> {
    let beside = pane == Pane::Reader && state.previews(state.size.0);
    if !state.view.panes().contains(&pane) && !beside {
        state.places.insert(state.view, state.focus);
        state.view = View::of(pane);
    }
    state.focus = pane;
    match pane {
        Pane::Question => ask::edit(state),
        Pane::Why | Pane::Neighbours => state.lower = pane,
        // Someone in the ranking asks why; someone in the graph asks what is next.
        Pane::Passages => state.lower = Pane::Why,
        Pane::Spread => state.lower = Pane::Neighbours,
        Pane::Parameters => settings::show_parameter(state),
        _ => {}
    }
    ask::picture(state)
}

/// The next pane that is on screen, or for the small shapes that can be.
pub fn next_pane(state: &mut State, by: isize) -> Vec<Effect> {
    let reading = state.reading.is_some();
    let covered = |pane: Pane| {
        let shape = Shape::of(state.size.0, state.size.1);
        reading
            && matches!(shape, Shape::Full | Shape::Tabbed)
            && matches!(pane, Pane::Passages | Pane::Why)
    };
    let beside = state.previews(state.size.0);
    let own = state.view.panes().iter().copied();
    let mut panes: Vec<Pane> = own
        .filter(|pane| {
            (*pane != Pane::Reader || reading || beside || state.view == View::Annotate)
                && *pane != Pane::Question
                && !covered(*pane)
        })
        .collect();
    if beside && !panes.contains(&Pane::Reader) {
        panes.push(Pane::Reader);
    }
    let at = panes.iter().position(|pane| *pane == state.focus);
    let next = match at {
        Some(at) => (at as isize + by)
            .rem_euclid(panes.len() as isize)
            .unsigned_abs(),
        None if by > 0 => 0,
        None => panes.len() - 1,
    };
    focus(state, panes[next])
}

/// Moves the cursor of the focused list, or scrolls the focused text.
pub fn by(state: &mut State, rows: isize) -> Vec<Effect> {
    let pane = state.focus;
    if let Some(effects) = browse::ahead(state, rows) {
        return effects;
    }
    if contents(pane).scrolls(state) {
        scroll(state, pane, rows);
        return Vec::new();
    }
    let now = state.list(pane).cursor;
    let shown = filter::shown(state, pane);
    let at = filter::among(state.list(pane), &shown).cursor;
    let at = at.saturating_add_signed(rows);
    let mut next = shown.get(at).or(shown.last()).copied().unwrap_or(0);
    if state.in_columns(pane) {
        let lane = rows::lane(state, pane, now);
        next = next.clamp(lane.start, lane.end.saturating_sub(1).max(lane.start));
        // What only leads past a column is no place to stop.
        let stops = |row: &usize| !leads_past(state, pane, *row);
        let on = || (next..lane.end).find(stops);
        let back = || (lane.start..=next).rev().find(stops);
        let found = if rows > 0 {
            on().or_else(back)
        } else {
            back().or_else(on)
        };
        next = found.unwrap_or(now);
    }
    to_row(state, pane, next)
}

/// Scrolls a pane of text, as far as there is some.
pub fn scroll(state: &mut State, pane: Pane, rows: isize) {
    let extent = state.hits.extent(pane);
    let list = state.lists.entry(pane).or_default();
    let last = extent.rows.saturating_sub(extent.height);
    list.offset = list.offset.saturating_add_signed(rows).min(last);
    list.cursor = list.offset;
}

pub fn by_page(state: &mut State, pages: isize) -> Vec<Effect> {
    let height = state
        .hits
        .extent(state.focus)
        .height
        .saturating_sub(1)
        .max(1) as isize;
    by(state, pages * height)
}

pub fn to_end(state: &mut State, last: bool) -> Vec<Effect> {
    by(state, if last { isize::MAX / 2 } else { isize::MIN / 2 })
}

/// Puts the cursor of a list on a row; the selection follows.
pub fn to_row(state: &mut State, pane: Pane, row: usize) -> Vec<Effect> {
    let shown = filter::shown(state, pane);
    let before = state.list(pane).cursor;
    let passed = rows::passed_over(state, pane);
    let stops = |at: &usize| !passed.contains(at);
    let onward = || shown.iter().copied().filter(stops).find(|at| *at >= row);
    let backward = || shown.iter().copied().filter(stops).rfind(|at| *at <= row);
    let found = match row >= before {
        true => onward().or_else(backward),
        false => backward().or_else(onward),
    };
    let Some(row) = found else {
        return Vec::new();
    };
    filter::settle(state, pane, row);
    // What stands over the first row is seen with it.
    if shown.iter().copied().find(stops) == Some(row) {
        state.lists.entry(pane).or_default().offset = 0;
    }
    if pane == Pane::Parameters
        && let Some(ParameterLine::Parameter(parameter)) = parameter_lines(state).get(row)
    {
        state.parameter = *parameter;
    }
    select(state, pane, row)
}

/// What the row is about becomes the selection of all panes.
fn select(state: &mut State, pane: Pane, row: usize) -> Vec<Effect> {
    if pane == Pane::Queue {
        return label::show(state, row);
    }
    if pane == Pane::Paths && state.drawn() == Drawn::Around {
        match state.browse.shows {
            Shows::Columns => return browse::select(state, row),
            // A path is not what the other panes are about.
            Shows::Routes => return Vec::new(),
            Shows::Picture => {}
        }
    }
    // A cursor in Neighbours only looks; Enter goes there, or the list would change under the cursor.
    if !contents(pane).card().selects {
        return Vec::new();
    }
    match rows::subject(state, pane, row) {
        Some(subject) => set_subject(state, subject),
        None => Vec::new(),
    }
}

fn set_subject(state: &mut State, subject: Subject) -> Vec<Effect> {
    let subject = Subject {
        passage: subject.passage.or(state.wanted.subject.passage),
        node: subject.node,
        than: state.wanted.subject.than,
    };
    if subject == state.wanted.subject {
        return Vec::new();
    }
    turned(state, subject);
    ask::request(state)
}

/// Turns to another subject: what was scrolled and narrowed belongs to the one before.
pub fn turned(state: &mut State, subject: Subject) {
    state.wanted.subject = subject;
    for pane in [Pane::Neighbours, Pane::Why] {
        state.lists.remove(&pane);
        state.filters.remove(&pane);
    }
    state.opened = false;
    state.lists.remove(&Pane::Reader);
}

fn remember_place(state: &mut State) {
    let around = state.around();
    let label = around.map_or_else(String::new, |around| around.label.clone());
    state.trail.push(Place {
        subject: state.wanted.subject,
        focus: state.focus,
        label,
    });
    if state.trail.len() > TRAIL {
        state.trail.remove(0);
    }
}

pub fn go_to_node(state: &mut State, node: Node) -> Vec<Effect> {
    if state.scene().is_none_or(|scene| scene.is_flat()) {
        return state.say(Message::warning(format!(
            "{} has no graph; press m for a method that walks",
            state.settings.method().name
        )));
    }
    let is_passage = (node as usize) < state.facts.passages
        && state.scene().is_none_or(|scene| scene.of_passages);
    let subject = Subject {
        passage: is_passage.then_some(node),
        node: Some(node),
        ..Subject::default()
    };
    go_to(state, subject)
}

pub fn go_to(state: &mut State, subject: Subject) -> Vec<Effect> {
    remember_place(state);
    focus(state, Pane::Neighbours);
    turn_to(state, subject)
}

/// Makes something the subject of all panes; the cursors follow.
fn turn_to(state: &mut State, subject: Subject) -> Vec<Effect> {
    let effects = set_subject(state, subject);
    ask::follow_selection(state);
    effects
}

fn of_passage(state: &State, passage: u32) -> Subject {
    Subject {
        passage: Some(passage),
        node: state.scene().and_then(|scene| scene.node_of(passage)),
        ..Subject::default()
    }
}

/// Holds the passages that are looked at from now on against the selected one; again against the last inside.
pub fn compare(state: &mut State) -> Vec<Effect> {
    let shown = state.why();
    let Some(passage) = shown.map(|why| (why.passage, why.id.clone())) else {
        return Vec::new();
    };
    let (passage, id) = passage;
    let than = &mut state.wanted.subject.than;
    *than = match *than == Some(passage) {
        true => None,
        false => Some(passage),
    };
    state.message = Message::plain(match than {
        Some(_) => format!("comparing passages with {id}; = on it ends this"),
        None => "missed passages are compared with rank k again".to_owned(),
    });
    ask::request(state)
}

/// The same by its identifier, as far as it is ranked or gold.
pub fn select_id(state: &mut State, id: &str) -> Vec<Effect> {
    let found = state.scene().and_then(|scene| {
        let ranked = scene.passages.iter().map(|row| (&row.id, row.passage));
        let gold = scene.gold.iter().map(|gold| (&gold.id, gold.passage));
        ranked.chain(gold).find(|(known, _)| *known == id)
    });
    match found.map(|(_, passage)| passage) {
        Some(passage) => look_at(state, passage),
        None => state.say(Message::warning(format!("{id} is not in this ranking"))),
    }
}

/// What is gone to is seen: a filter that hides it ends.
fn reveal(state: &mut State, subject: Subject) {
    for pane in [Pane::Passages, Pane::Runs] {
        let row = rows::row_of(state, pane, subject);
        if row.is_some_and(|row| !filter::shows(state, pane, row)) {
            state.filters.remove(&pane);
        }
    }
}

/// Makes a passage the selected one, wherever the keyboard is.
pub fn look_at(state: &mut State, passage: u32) -> Vec<Effect> {
    let subject = of_passage(state, passage);
    reveal(state, subject);
    turn_to(state, subject)
}

pub fn go_to_passage(state: &mut State, passage: u32) -> Vec<Effect> {
    remember_place(state);
    focus(state, Pane::Passages);
    look_at(state, passage)
}

/// Enter.
pub fn open(state: &mut State) -> Vec<Effect> {
    let row = state.list(state.focus).cursor;
    let action = contents(state.focus).enter(state, row);
    action.map_or_else(Vec::new, |action| super::take(state, action))
}

/// Opens the field of the pane: the question, or the number of a parameter.
pub fn type_here(state: &mut State) -> Vec<Effect> {
    match state.focus {
        Pane::Parameters => state.mode = Mode::Number(Input::default()),
        _ => ask::edit(state),
    }
    Vec::new()
}

/// Takes the question and the settings of a run back.
pub fn take_run(state: &mut State, run: usize) -> Vec<Effect> {
    let Some(run) = state.session.get(run).cloned() else {
        return Vec::new();
    };
    let mut effects = Vec::new();
    if run.question != state.wanted.question {
        effects = match run.asked {
            Some(number) => ask::number(state, number),
            None => ask::question(state, &run.question),
        };
        state.focus = Pane::Session;
    }
    effects.extend(settings::take(state, run.settings));
    effects
}

/// Opens the text of the selected passage in the place of the lists.
pub fn read(state: &mut State) -> Vec<Effect> {
    state.reading = Some(state.focus);
    state.lists.remove(&Pane::Reader);
    focus(state, Pane::Reader)
}

/// Opens the text of a method without a graph, and comes back to this pane.
pub fn read_beside(state: &mut State) -> Vec<Effect> {
    state.reading = Some(state.focus);
    state.focus = Pane::Reader;
    Vec::new()
}

/// Folds and unfolds a stage.
pub fn unfold_stage(state: &mut State, stage: usize) -> Vec<Effect> {
    if !state.unfolded.remove(&stage) {
        state.unfolded.insert(stage);
    }
    Vec::new()
}

/// Shows the text of the selected passage beside the lists, or takes it away.
pub fn preview(state: &mut State) -> Vec<Effect> {
    state.preview = Some(!state.previews(state.size.0));
    leave_text(state);
    Vec::new()
}

/// The keyboard does not stay in a text that has no place any more.
pub fn leave_text(state: &mut State) {
    let placed =
        state.reading.is_some() || state.view == View::Annotate || state.previews(state.size.0);
    if state.focus == Pane::Reader && !placed {
        state.focus = state.view.first();
    }
}

/// Esc: closes what is open, or goes back one place. Never quits.
pub fn back(state: &mut State) -> Vec<Effect> {
    if !matches!(state.mode, Mode::Browse) {
        state.mode = Mode::Browse;
    } else if let (Some(pane), View::Explore) = (state.reading, state.view) {
        state.reading = None;
        if state.focus == Pane::Reader {
            focus(state, pane);
        }
    } else if state.focus == Pane::Reader && state.previews(state.size.0) {
        return focus(state, state.view.first());
    } else if state.filters.remove(&state.focus).is_some() {
        ask::follow_selection(state);
    } else if let Some(effects) = browse::close(state) {
        return effects;
    } else if state.zoom {
        state.zoom = false;
    } else if state.view == View::Annotate {
        return super::pins::look(state, View::Explore);
    } else if state.playing || state.step.is_some() {
        state.playing = false;
        state.step = None;
        ask::follow_selection(state);
    } else if let Some(place) = state.trail.pop() {
        let mut effects = focus(state, place.focus);
        effects.extend(set_subject(state, place.subject));
        ask::follow_selection(state);
        return effects;
    } else {
        state.message = Message::plain("nothing to go back to; q quits");
    }
    Vec::new()
}

/// Left and Right.
pub fn sideways(state: &mut State, by: isize) -> Vec<Effect> {
    match state.focus {
        Pane::Parameters => settings::step(state, by as i64),
        Pane::Iterations | Pane::Heat | Pane::Step => step_by(state, by),
        Pane::Paths if state.browses() && state.browse.shows == Shows::Columns => {
            browse::sideways(state, by)
        }
        pane if state.in_columns(pane) => neighbouring_lane(state, pane, by),
        Pane::Queue => label::filter(state, by),
        // Not by rank, which is hidden there from a blind annotator.
        Pane::Reader if state.view == View::Annotate => label::beside(state, by),
        Pane::Reader => neighbouring_passage(state, by),
        _ => Vec::new(),
    }
}

fn leads_past(state: &State, pane: Pane, row: usize) -> bool {
    let place = rows::place(state, pane, row);
    let at = state.columns(pane).zip(place);
    at.is_some_and(|(flow, (lane, row))| flow.lanes[lane].rows[row].label.is_empty())
}

/// Draws the ways in the next manner.
pub fn draw_next(state: &mut State) -> Vec<Effect> {
    state.drawn = Some(match state.drawn() {
        Drawn::Paths => Drawn::Tree,
        Drawn::Tree => Drawn::Overview,
        Drawn::Overview => Drawn::Around,
        Drawn::Around => Drawn::Paths,
    });
    state.lists.remove(&Pane::Paths);
    ask::follow_selection(state);
    ask::picture(state)
}

/// The row at the same height of the column beside.
fn neighbouring_lane(state: &mut State, pane: Pane, by: isize) -> Vec<Effect> {
    let now = state.list(pane).cursor;
    let Some(flow) = state.columns(pane) else {
        return Vec::new();
    };
    let Some((lane, at)) = flow.place(now) else {
        return Vec::new();
    };
    let next = lane.saturating_add_signed(by).min(flow.lanes.len() - 1);
    let (here, there) = (flow.lanes[lane].rows.len(), flow.lanes[next].rows.len());
    let row = (at * there / here.max(1)).min(there.saturating_sub(1));
    let first = flow.first(next);
    let mut stops: Vec<usize> = (first..first + there)
        .filter(|row| !leads_past(state, pane, *row))
        .collect();
    stops.sort_by_key(|stop| stop.abs_diff(first + row));
    match stops.first() {
        Some(stop) if next != lane => to_row(state, pane, *stop),
        _ => Vec::new(),
    }
}

/// The passage ranked before or after the open one.
fn neighbouring_passage(state: &mut State, by: isize) -> Vec<Effect> {
    let Some(scene) = state.scene() else {
        return Vec::new();
    };
    let rows = filter::shown(state, Pane::Passages).into_iter();
    let shown: Vec<u32> = rows
        .filter_map(|row| rows::subject(state, Pane::Passages, row)?.passage)
        .collect();
    let all = filter::typed(state, Pane::Passages).is_none();
    let ranked = scene.passages.iter().map(|row| row.passage);
    let ranked: Vec<u32> = ranked.filter(|p| all || shown.contains(p)).collect();
    let now = state.wanted.subject.passage;
    let now = now.and_then(|now| ranked.iter().position(|passage| *passage == now));
    let next = now.map_or(0, |at| at.saturating_add_signed(by));
    let Some(&passage) = ranked.get(next).or(ranked.last()) else {
        return Vec::new();
    };
    let subject = of_passage(state, passage);
    turn_to(state, subject)
}

pub fn play(state: &mut State) -> Vec<Effect> {
    if state.playing {
        state.playing = false;
    } else {
        state.playing = true;
        if state.earlier_step().is_none() {
            state.step = Some(0);
        }
    }
    ask::follow_selection(state);
    Vec::new()
}

pub fn tick(state: &mut State) {
    if state.playing {
        step_by_quietly(state, 1);
        if state.earlier_step().is_none() {
            state.playing = state.looped;
        }
    }
}

/// Plays faster or slower.
pub fn pace(state: &mut State, by: isize) -> Vec<Effect> {
    let next = state.speed.saturating_add_signed(by).min(SPEEDS.len() - 1);
    state.speed = next;
    state.say(Message::plain(match SPEEDS[next] {
        slow if slow < 1.0 => format!("one step every {} seconds", 1.0 / slow),
        speed => format!("plays {}", text::plural(speed as usize, "step")) + " a second",
    }))
}

pub fn turn_loop(state: &mut State) -> Vec<Effect> {
    state.looped = !state.looped;
    state.say(Message::plain(match state.looped {
        true => "loop on; o turns it off",
        false => "playing stops at the end",
    }))
}

pub fn step_by(state: &mut State, by: isize) -> Vec<Effect> {
    state.playing = false;
    step_by_quietly(state, by);
    Vec::new()
}

pub fn step_to(state: &mut State, step: usize) -> Vec<Effect> {
    state.playing = false;
    show_step(state, step);
    Vec::new()
}

fn step_by_quietly(state: &mut State, by: isize) {
    let last = state.steps().saturating_sub(1);
    let now = state.earlier_step().unwrap_or(last);
    if state.playing && now == last {
        return show_step(state, 0);
    }
    show_step(state, now.saturating_add_signed(by));
}

fn show_step(state: &mut State, step: usize) {
    let last = state.steps().saturating_sub(1);
    state.step = (step < last).then_some(step);
    ask::follow_selection(state);
}

/// To a place along the scrubber, 0 to 1.
pub fn scrub(state: &mut State, fraction: f64) {
    let last = state.steps().saturating_sub(1);
    state.playing = false;
    show_step(state, (fraction * last as f64).round() as usize);
}
