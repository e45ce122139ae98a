//! The heaviest nodes by step, and where gold was: a heat map.

use super::Words;
use super::iterations::shown;
use super::row;
use super::row::say;
use super::{Card, Contents, STEPPED};
use crate::explorer::action::Action;
use crate::explorer::glyphs;
use crate::explorer::hits::Hits;
use crate::explorer::layout::{Pane, Slot, cut_bottom};
use crate::explorer::panes::ink::{Chrome, Ink};
use crate::explorer::scene::Scene;
use crate::explorer::scene::Subject;
use crate::explorer::scene::{Cell, Flow};
use crate::explorer::state::State;
use crate::explorer::text;
use crate::explorer::theme::Scope;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;
use serde_json::Value;

/// Columns of a step, at least.
const CELL: usize = 4;

/// What there is room for: the name of a node, some steps, and the figure of the one that is shown.
struct Columns {
    label: usize,
    steps: Vec<usize>,
    step: usize,
    cell: usize,
}

impl Columns {
    fn of(flow: &Flow, step: usize, width: usize, cell: usize) -> Columns {
        let figure = 8;
        let steps = flow.steps.len();
        let label = (width / 3)
            .clamp(12, 34)
            .max(width.saturating_sub(2 + figure + steps * cell).min(34));
        let room = width.saturating_sub(label + 2 + figure) / cell;
        Columns {
            label,
            steps: shown(steps, step, room.max(1)),
            step,
            cell,
        }
    }
}

fn heated(ink: &Ink<'_>, flow: &Flow, at: usize, columns: &Columns) -> Line<'static> {
    let (row, mass) = &flow.heat[at];
    let most = mass.iter().copied().fold(0.0, f64::max);
    let (mut spans, room) = row::lead(ink, row, row.group, columns.label);
    spans.push(ink.span(text::pad(&row.label, room), row::scope(row)));
    for &k in &columns.steps {
        let part = if most > 0.0 { mass[k] / most } else { 0.0 };
        let cell = glyphs::heat(part, columns.cell - 1, ink.glyphs, ink.theme);
        spans.extend([cell, ink.text(" ")]);
    }
    let now = mass.get(columns.step).copied().unwrap_or(0.0);
    spans.push(ink.value(text::score(now)));
    Line::from(spans)
}

pub struct Heat;

impl Contents for Heat {
    fn card(&self) -> &'static Card {
        &Card {
            about: "Heat: mass per step of the heaviest nodes, shaded per row",
            keys: STEPPED,
            verb: "trace",
            selects: true,
            ..Card::PLAIN
        }
    }

    fn draw(&self, ink: &Ink<'_>, slot: Slot, buf: &mut Buffer, hits: &mut Hits) {
        let state = ink.state;
        let (scene, flow) = match (state.scene(), state.flow()) {
            (Some(scene), Some(flow)) => (Some(scene), Some(flow)),
            _ => (None, None),
        };
        let rows = flow.map_or(0, |flow| flow.heat.len());
        let chrome = Chrome {
            title: "Heat".to_owned(),
            short: "Heat",
            note: Line::from(vec![ink.muted(match rows {
                0 => String::new(),
                rows => format!(
                    "{}, most of a row in full shade",
                    text::plural(rows, "node")
                ),
            })]),
            summary: Line::from(vec![ink.muted(text::plural(rows, "node"))]),
        };
        let Some(area) = ink.frame(slot, chrome, buf, hits) else {
            return;
        };
        let (Some(scene), Some(flow)) = (scene, flow) else {
            return;
        };
        if rows == 0 || area.height < 2 {
            hits.set_extent(Pane::Heat, 0, usize::from(area.height));
            let method = &scene.settings.method().name;
            return say(
                ink,
                &format!("{method} has no walk whose mass could be followed."),
                area,
                buf,
            );
        }
        let lines = scene.timeline.iter().flat_map(|timeline| &timeline.lines);
        let gold: Vec<_> = lines.filter(|line| line.gold).collect();
        let below = (gold.len() as u16).min(area.height / 3);
        let (head, rest) = cut_bottom(area, area.height - 1);
        let (list, ranks) = cut_bottom(rest, below);
        let step = state.flow_step();
        let width = usize::from(area.width);
        let cells = gold.iter().flat_map(|line| &line.cells);
        let widest = cells.map(|cell| text::width(&cell.text())).max();
        let cell = widest.map_or(CELL, |widest| CELL.max(widest + 1));
        let columns = Columns::of(flow, step, width, cell);
        let unit = scene
            .timeline
            .as_ref()
            .map_or("step", |timeline| timeline.unit);
        let mut line = vec![ink.muted(format!(" {}", text::pad(unit, columns.label)))];
        for &k in &columns.steps {
            let scope = if k == step {
                Scope::Title
            } else {
                Scope::Muted
            };
            let mut cell = ink.span(text::pad_left(&k.to_string(), columns.cell - 1), scope);
            if k == step {
                cell.style = cell.style.patch(ink.style(Scope::Selection));
            }
            line.extend([cell, ink.text(" ")]);
        }
        buf.set_line(head.x, head.y, &Line::from(line), head.width);
        ink.list(Pane::Heat, list, rows, buf, hits, &|row, _| {
            heated(ink, flow, row, &columns)
        });
        for (y, told) in gold.iter().take(usize::from(below)).enumerate() {
            let label = format!(
                " {} {}",
                ink.glyphs.gold,
                text::pad(&told.label, columns.label - 2)
            );
            let mut line = vec![ink.span(label, Scope::Gold)];
            for &k in &columns.steps {
                let cell = told.cells.get(k).unwrap_or(&Cell::Empty);
                let scope = match cell {
                    Cell::Rank(Some(rank)) if *rank <= scene.top_k => Scope::Ok,
                    Cell::Rank(None) => Scope::Muted,
                    _ => Scope::Value,
                };
                line.extend([
                    ink.span(text::pad_left(&cell.text(), columns.cell - 1), scope),
                    ink.text(" "),
                ]);
            }
            let place = Rect::new(ranks.x, ranks.y + y as u16, ranks.width, 1);
            buf.set_line(place.x, place.y, &Line::from(line), place.width);
        }
    }

    fn count(&self, state: &State) -> usize {
        state.flow().map_or(0, |flow| flow.heat.len())
    }

    fn words(&self, state: &State) -> Vec<Option<Words>> {
        let flow = state.flow().filter(|_| state.scene().is_some());
        let heat = flow.map_or(&[][..], |flow| &flow.heat);
        heat.iter().map(|(node, _)| row::words(node)).collect()
    }

    fn subject(&self, state: &State, row: usize) -> Option<Subject> {
        row::subject(&state.flow()?.heat.get(row)?.0)
    }

    fn copied(&self, state: &State, _: &Scene, _: usize) -> Option<(String, String)> {
        super::flow::copied(state)
    }

    fn json(&self, _: &State, scene: &Scene) -> (Value, &'static str) {
        (super::iterations::json(scene), "steps")
    }

    fn enter(&self, state: &State, row: usize) -> Option<Action> {
        super::flow::enter_picture(state, self.subject(state, row)?)
    }
}
