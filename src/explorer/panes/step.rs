//! One step of the walk: the ledger of all mass, what moved, and over which edges most.

use super::neighbours::capital;
use super::row::say;
use super::{Card, Contents, STEPPED};
use crate::explorer::action::Action;
use crate::explorer::command::Command;
use crate::explorer::glyphs::bar;
use crate::explorer::hits::Hits;
use crate::explorer::layout::{Pane, Slot};
use crate::explorer::panes::ink::{Chrome, Ink, flow as lines_of};
use crate::explorer::scene::{Flow, Scene, Stage};
use crate::explorer::state::State;
use crate::explorer::text;
use crate::explorer::theme::Scope;
use crate::retrieve::Ledger;
use ratatui::buffer::Buffer;
use ratatui::text::{Line, Span};
use serde_json::Value;

/// Columns of a figure.
const FIGURE: usize = 8;

/// The sentence, the ledger, what moved, and the largest transfers.
fn walked(
    ink: &Ink<'_>,
    scene: &Scene,
    flow: &Flow,
    ledger: Ledger,
    width: usize,
) -> Vec<Line<'static>> {
    let told = &flow.steps[ink.state.flow_step()];
    let mut lines = lines_of(vec![ink.text(format!(" {}", told.told))], width, 1);
    let figure = |name: &str, value: f64, drawn: bool| {
        let label = width.saturating_sub(FIGURE + 1).min(38);
        let room = width.saturating_sub(label + FIGURE + 2);
        let mut spans = vec![
            ink.muted(format!(" {}", text::pad(name, label))),
            ink.value(text::pad_left(&text::score(value), FIGURE)),
        ];
        if drawn && room > 3 {
            spans.push(ink.span(format!(" {}", bar(value, room - 1, ink.glyphs)), Scope::Bar));
        }
        Line::from(spans)
    };
    let sides = match scene.of_passages {
        true => [format!("on {}s", scene.noun), "on passages".to_owned()],
        false => ["on other nodes".to_owned(), "on passage nodes".to_owned()],
    };
    lines.push(figure(&sides[0], ledger.entities, true));
    lines.push(figure(&sides[1], ledger.passages, true));
    if ledger.dropped > 0.0 {
        lines.push(figure("dropped so far", ledger.dropped, true));
    }
    if ledger.residual > 0.0 {
        lines.push(figure("residual", ledger.residual, true));
    }
    let sum = ledger.total();
    lines.push(figure("total", sum, false));
    if !told.moved.is_empty() {
        lines.push(Line::default());
        for (name, value) in &told.moved {
            lines.push(figure(name, *value, false));
        }
    }
    if !told.largest.is_empty() {
        lines.push(Line::from(vec![
            ink.span(" largest edge flows", Scope::Title),
        ]));
    }
    let room = width.saturating_sub(FIGURE + 4);
    for (from, to, mass) in &told.largest {
        let from = text::cut(from, room / 2);
        let to = text::cut(to, room.saturating_sub(text::width(&from)));
        let used = text::width(&from) + text::width(&to);
        lines.push(Line::from(vec![
            ink.span(format!(" {from}"), Scope::Entity),
            ink.muted(" > "),
            ink.span(to, Scope::Entity),
            ink.value(text::pad_left(
                &text::score(*mass),
                FIGURE + room.saturating_sub(used),
            )),
        ]));
    }
    lines
}

/// A stage of a plan without a walk: its counters.
fn staged(ink: &Ink<'_>, stage: &Stage, width: usize) -> Vec<Line<'static>> {
    let mut lines = vec![Line::from(vec![
        ink.span(format!(" {}", stage.title), Scope::Title),
    ])];
    for (name, value) in &stage.counters {
        let spans: Vec<Span<'static>> =
            vec![ink.muted(format!(" {name} ")), ink.value(value.clone())];
        lines.extend(lines_of(spans, width, 1));
    }
    lines
}

pub struct Moves;

impl Contents for Moves {
    fn card(&self) -> &'static Card {
        &Card {
            about: "Step: where the mass is, and what moved in this step",
            keys: STEPPED,
            verb: "trace",
            scrolls: true,
            ..Card::PLAIN
        }
    }

    fn draw(&self, ink: &Ink<'_>, slot: Slot, buf: &mut Buffer, hits: &mut Hits) {
        let state = ink.state;
        let both = state.scene().zip(state.flow());
        let timeline = both.and_then(|(scene, _)| scene.timeline.as_ref());
        let last = timeline.map_or(0, |timeline| timeline.steps.len().saturating_sub(1));
        let step = state.earlier_step().unwrap_or(last);
        let told = both.and_then(|(_, flow)| flow.steps.get(state.flow_step()));
        let chrome = Chrome {
            title: match timeline {
                Some(timeline) => capital(&timeline.place(step)),
                None => "Step".to_owned(),
            },
            short: "Step",
            note: Line::default(),
            summary: Line::from(vec![
                ink.muted(told.map_or_else(String::new, |told| told.told.clone())),
            ]),
        };
        let Some(area) = ink.frame(slot, chrome, buf, hits) else {
            return;
        };
        let Some((scene, flow)) = both else {
            return;
        };
        let width = usize::from(area.width).saturating_sub(2);
        let lines = match timeline {
            Some(timeline) if scene.story.is_none() && !flow.heat.is_empty() => {
                let ledger = timeline
                    .steps
                    .get(step)
                    .map_or_else(Ledger::default, |s| s.ledger);
                walked(ink, scene, flow, ledger, width)
            }
            Some(timeline) => match timeline
                .steps
                .get(step)
                .and_then(|s| scene.spread.get(s.stage))
            {
                Some(stage) => staged(ink, stage, width),
                None => Vec::new(),
            },
            None => {
                hits.set_extent(Pane::Step, 0, usize::from(area.height));
                let why = state.can_step().err();
                return say(ink, &why.unwrap_or_default(), area, buf);
            }
        };
        ink.scrolled(Pane::Step, area, &lines, buf, hits);
    }

    fn copied(&self, state: &State, _: &Scene, _: usize) -> Option<(String, String)> {
        super::flow::copied(state)
    }

    fn json(&self, _: &State, scene: &Scene) -> (Value, &'static str) {
        (super::iterations::json(scene), "steps")
    }

    fn can_enter(&self, state: &State, _: usize) -> Result<(), String> {
        state.can_step()
    }

    fn enter(&self, _: &State, _: usize) -> Option<Action> {
        Some(Action::Do(Command::Play))
    }
}
