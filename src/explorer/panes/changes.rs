//! What the live run has other than A, and which of these changes did it: every subset of them, tried on this question.

use super::{Card, Contents};
use crate::evaluate::sweep::{Changes, Column, between, differences, effects, subsets};
use crate::explorer::command::Command;
use crate::explorer::hits::Hits;
use crate::explorer::jobs::pins::CHANGES;
use crate::explorer::layout::{Pane, Slot, cut_left};
use crate::explorer::panes::ink::{Chrome, Filling, Ink, flow};
use crate::explorer::scene::Scene;
use crate::explorer::state::State;
use crate::explorer::text;
use crate::explorer::theme::Scope;
use crate::parameters::{Parameter, Value};
use ratatui::buffer::Buffer;
use ratatui::text::Line;
use serde_json::json;

/// Why no subset was tried.
fn untried(ink: &Ink<'_>, differ: usize) -> Option<String> {
    let state = ink.state;
    let (from, to) = (&state.pins.first().settings, &state.settings);
    match differ {
        0 => Some("change a setting, or pin a run with P".to_owned()),
        _ if from.method() != to.method() => {
            Some("two methods: changes cannot be tried singly".to_owned())
        }
        _ if from.preset() != to.preset() => {
            Some("a preset changes settings together, so they are not split".to_owned())
        }
        _ if !between(from, to, CHANGES).is_empty() => None,
        n if n > CHANGES => Some(format!(
            "every subset is tried for at most {CHANGES} changes"
        )),
        _ => Some("changes of seeds and of the graph are not tried one by one".to_owned()),
    }
}

/// A line for every subset, and what each change does on average over all of them.
fn tried(ink: &Ink<'_>, changes: &Changes, columns: &[Column], width: usize) -> Vec<Line<'static>> {
    let scene = ink.state.scene();
    let name = match scene.is_some_and(|scene| !scene.measures.is_empty()) {
        true => "R@5",
        false => "stays",
    };
    let label = |(parameter, value): &(Parameter, Value)| {
        let declaration = parameter.declaration();
        format!(
            "{} {}",
            declaration.symbol,
            declaration.domain.format(*value)
        )
    };
    let worth: Vec<f64> = columns.iter().map(|column| column.worth).collect();
    let of = |own: &Changes| match own.len() {
        0 => "A".to_owned(),
        n if n == changes.len() && n > 1 => "all of them".to_owned(),
        _ => own.iter().map(label).collect::<Vec<_>>().join(", "),
    };
    let named: Vec<String> = subsets(changes).iter().map(of).collect();
    let wide = named.iter().map(|name| text::width(name)).max();
    let wide = wide.unwrap_or(0).min(width / 2);
    let mut order: Vec<usize> = (0..columns.len()).collect();
    order.sort_by_key(|subset| (subset.count_ones(), *subset));
    let mut lines = Vec::new();
    for subset in order {
        let column = &columns[subset];
        let gain = column.worth - worth[0];
        let mut filling = Filling::new(width);
        filling.add(vec![ink.text(format!(
            "{}  ",
            text::pad(&text::cut(&named[subset], wide), wide)
        ))]);
        filling.add(vec![
            ink.muted(format!("{name} ")),
            ink.value(text::pad(&text::share(column.worth), 4)),
        ]);
        if subset > 0 {
            filling.add(vec![
                ink.span(format!("  {:>5}", text::signed(gain)), Scope::of_gain(gain)),
            ]);
        }
        if !column.gold.is_empty() {
            let ranks = text::ranks(&column.gold);
            filling.add(vec![ink.muted("  gold "), ink.value(ranks)]);
        }
        lines.push(filling.line);
    }
    if changes.len() > 1 {
        lines.push(Line::default());
        let found = effects(&worth);
        for (at, effect) in found.iter().enumerate() {
            let words = match text::signed(*effect).as_str() {
                ".000" => format!("{} has no effect on average", label(&changes[at])),
                effect => format!(
                    "{} does {effect} on average (over all combinations)",
                    label(&changes[at])
                ),
            };
            lines.push(Line::from(vec![ink.muted(text::cut(&words, width))]));
        }
    }
    lines
}

pub struct Pinned;

impl Contents for Pinned {
    fn card(&self) -> &'static Card {
        &Card {
            about: "Changes: settings that differ from A, and the effect of each alone",
            keys: &[Command::Pin, Command::SwapPin, Command::Unpin],
            scrolls: true,
            verb: "compare",
            ..Card::PLAIN
        }
    }

    fn draw(&self, ink: &Ink<'_>, slot: Slot, buf: &mut Buffer, hits: &mut Hits) {
        let state = ink.state;
        let differ = differences(&state.pins.first().settings, &state.settings);
        let words = match differ.is_empty() {
            true => "the live run has the settings of A".to_owned(),
            false => differ.join(", "),
        };
        let chrome = Chrome {
            title: "Which change matters".into(),
            short: "Changes",
            note: Line::from(vec![ink.muted(text::plural(differ.len(), "change"))]),
            summary: Line::from(vec![ink.text(words.clone())]),
        };
        let Some(area) = ink.frame(slot, chrome, buf, hits) else {
            return;
        };
        let width = usize::from(area.width).saturating_sub(2);
        let mut lines = flow(vec![ink.text(words)], width, 2);
        if let Some((changes, columns)) = &state.pins.subsets {
            lines.push(Line::default());
            lines.extend(tried(ink, changes, columns, width));
        } else if let Some(why) = untried(ink, differ.len()) {
            lines.extend(flow(vec![ink.muted(why)], width, 0));
        }
        let (_, inner) = cut_left(area, 1);
        ink.scrolled(Pane::Changes, inner, &lines, buf, hits);
    }

    fn copied(&self, state: &State, _: &Scene, _: usize) -> Option<(String, String)> {
        let differ = differences(&state.pins.first().settings, &state.settings);
        Some((differ.join("\n"), "changes".to_owned()))
    }

    fn json(&self, state: &State, _: &Scene) -> (serde_json::Value, &'static str) {
        let differ = differences(&state.pins.first().settings, &state.settings);
        (json!(differ), "changes")
    }

    fn can_enter(&self, _: &State, _: usize) -> Result<(), String> {
        Err("nothing opens here".into())
    }
}
