//! The mouse: what is under it was told by the last frame.

use super::{finder, moves, run, settings, start, sweep};
use crate::explorer::action::Effect;
use crate::explorer::command::Command;
use crate::explorer::hits::{Target, fraction};
use crate::explorer::layout::Pane;
use crate::explorer::panes::filter;
use crate::explorer::panes::rows;
use crate::explorer::state::{Held, Mode, State};
use crate::retrieve::Value;

/// Rows that one notch of the wheel scrolls.
const NOTCH: i32 = 3;

pub fn press(state: &mut State, x: u16, y: u16) -> Vec<Effect> {
    let Some((area, target)) = state.hits.at(x, y) else {
        return Vec::new();
    };
    if let Mode::Finder(_) = state.mode {
        return match target {
            Target::Entry(row) => finder::point(state, row),
            Target::Elsewhere => {
                state.mode = Mode::Browse;
                Vec::new()
            }
            _ => Vec::new(),
        };
    }
    if let (Mode::Start(_), Target::Entry(row)) = (&state.mode, target) {
        return start::choose(state, row);
    }
    state.mode = Mode::Browse;
    match target {
        Target::Pane(pane) => moves::focus(state, pane),
        Target::Row(pane, row) => {
            moves::focus(state, pane);
            moves::to_row(state, pane, row)
        }
        Target::Passage(passage) => moves::look_at(state, passage),
        Target::Slider(parameter) => {
            settings::tune(state, parameter);
            settings::begin_drag(state);
            state.held = Some(Held::Slider(parameter, area));
            drag(state, x)
        }
        Target::Choice(parameter, choice) => {
            settings::tune(state, parameter);
            settings::set(state, parameter, Value::Choice(choice))
        }
        Target::Sweep(at) => {
            moves::focus(state, Pane::Parameters);
            sweep::to(state, at)
        }
        Target::Scrubber => {
            state.held = Some(Held::Scrubber(area));
            drag(state, x)
        }
        Target::Command(command) => run(state, command),
        Target::Entry(_) | Target::Elsewhere => Vec::new(),
    }
}

pub fn double_press(state: &mut State, x: u16, y: u16) -> Vec<Effect> {
    match state.hits.at(x, y) {
        Some((_, Target::Row(pane, row))) => {
            moves::focus(state, pane);
            let mut effects = moves::to_row(state, pane, row);
            effects.extend(run(state, Command::Open));
            effects
        }
        Some((_, Target::Entry(row))) => {
            finder::point(state, row);
            finder::choose_selected(state)
        }
        Some((_, Target::Pane(pane))) if pane != Pane::Question => {
            moves::focus(state, pane);
            run(state, Command::Zoom)
        }
        _ => press(state, x, y),
    }
}

pub fn drag(state: &mut State, x: u16) -> Vec<Effect> {
    match state.held {
        Some(Held::Slider(parameter, area)) => {
            let value = parameter
                .declaration()
                .domain
                .at_fraction(fraction(area, x));
            settings::drag(state, parameter, value)
        }
        Some(Held::Scrubber(area)) => {
            moves::scrub(state, fraction(area, x));
            Vec::new()
        }
        None => Vec::new(),
    }
}

/// Scrolls what is under the pointer; a cursor that would leave the window comes along.
pub fn wheel(state: &mut State, x: u16, y: u16, lines: i32) -> Vec<Effect> {
    let by = (lines * NOTCH) as isize;
    if let Mode::Finder(open) = &mut state.mode {
        let height = state.hits.finder().height;
        let rows = open.entries.len();
        open.list.cursor = open
            .list
            .cursor
            .saturating_add_signed(by)
            .min(rows.saturating_sub(1));
        open.list.offset = open.list.window(rows, height);
        return Vec::new();
    }
    let Some(pane) = state.hits.pane_at(x, y) else {
        return Vec::new();
    };
    if pane == Pane::Iterations {
        return if state.steps() > 1 {
            moves::step_by(state, lines as isize)
        } else {
            Vec::new()
        };
    }
    let extent = state.hits.extent(pane);
    let shown = match rows::count(state, pane) {
        // A text has lines, not rows.
        0 => (0..extent.rows).collect(),
        _ => filter::shown(state, pane),
    };
    let list = state.lists.entry(pane).or_default();
    let last = extent.rows.saturating_sub(extent.height);
    let offset = filter::among(*list, &shown)
        .window(extent.rows, extent.height)
        .saturating_add_signed(by)
        .min(last);
    list.offset = offset;
    if rows::count(state, pane) == 0 {
        if let Some(list) = state.lists.get_mut(&pane) {
            list.cursor = offset;
        }
        return Vec::new();
    }
    let cursor = filter::among(state.list(pane), &shown).cursor;
    let inside = cursor.clamp(offset, offset + extent.height.saturating_sub(1));
    let Some(&row) = shown.get(inside).filter(|_| inside != cursor) else {
        return Vec::new();
    };
    let effects = moves::to_row(state, pane, row);
    if let Some(list) = state.lists.get_mut(&pane) {
        list.offset = offset;
        list.offset = filter::among(*list, &shown).window(shown.len(), extent.height);
    }
    effects
}
