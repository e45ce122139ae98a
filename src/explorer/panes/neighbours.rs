//! The selected node: what it is connected to, how strongly, and what crosses each edge.

use super::Words;
use super::passages::passage_mark;
use super::row;
use super::row::{explained, headed, say};
use super::story;
use super::{Card, Contents};
use crate::explorer::command::Command;
use crate::explorer::hits::Hits;
use crate::explorer::layout::{Face, Pane, Slot, View, cut_bottom};
use crate::explorer::panes::filter;
use crate::explorer::panes::ink::{Chrome, Filling, Ink};
use crate::explorer::panes::rows;
use crate::explorer::scene::Scene;
use crate::explorer::scene::Subject;
use crate::explorer::scene::{Around, Cell, Column, Row, SENDS, Step};
use crate::explorer::state::State;
use crate::explorer::text;
use crate::explorer::theme::Scope;
use ratatui::buffer::Buffer;
use ratatui::text::Line;
use serde_json::Value;
use serde_json::json;

/// The nodes that a person came over, as far as Esc leads back.
fn way(ink: &Ink<'_>) -> String {
    let places = ink
        .state
        .trail
        .iter()
        .filter(|place| !place.label.is_empty());
    let labels: Vec<&str> = places.map(|place| place.label.as_str()).collect();
    match labels.is_empty() {
        true => String::new(),
        false => format!(
            "from {}",
            labels[labels.len().saturating_sub(4)..].join(" > ")
        ),
    }
}

/// `word` as a title begins.
pub fn capital(noun: &str) -> String {
    let mut letters = noun.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

/// Columns that a label has at least.
const LABEL: usize = 15;

/// What a row has room for.
struct Table<'a> {
    /// Of the kind of an edge, with its arrow; 0 where edges are of one kind.
    kind: usize,
    letters: bool,
    label: usize,
    /// With their places among the cells.
    columns: Vec<(usize, &'a Column)>,
}

impl Table<'_> {
    fn of(around: &Around, width: usize) -> Table<'_> {
        let rows = &around.neighbours;
        let kind = rows.iter().map(|row| text::width(&row.kind)).max();
        let kind = kind
            .filter(|width| *width > 0)
            .map_or(0, |width| (width + 3).min(14));
        let letters = rows.iter().any(|row| row.group.is_some()) || kind == 0;
        let lead = kind + if letters { 4 } else { 2 };
        let mut columns: Vec<(usize, &Column)> = around.columns.iter().enumerate().collect();
        columns.sort_by_key(|(_, column)| column.place);
        let mut free = width.saturating_sub(lead + LABEL);
        columns.retain(|(_, column)| {
            // The last ones are for lists that have room to spare.
            let spare = if column.place > 4 { 2 * LABEL } else { 0 };
            let fits = column.place == 0 || column.width + spare <= free;
            free = free.saturating_sub(if fits { column.width } else { 0 });
            fits
        });
        columns.sort_unstable_by_key(|(at, _)| *at);
        let used: usize = columns.iter().map(|(_, column)| column.width).sum();
        Table {
            kind,
            letters,
            label: width.saturating_sub(lead + used),
            columns,
        }
    }

    fn head(&self, ink: &Ink<'_>, around: &Around) -> Line<'static> {
        let by = if self.kind > 0 { "by" } else { "" };
        let marks = if self.letters { 4 } else { 2 };
        let label = match self.kind {
            0 => text::pad(around.head, marks + self.label),
            _ => " ".repeat(marks) + &text::pad(around.head, self.label),
        };
        let mut words = text::pad(by, self.kind) + &label;
        for (at, column) in &self.columns {
            let word = |row: &Row| matches!(row.cells.get(*at), Some(Cell::Word(_)));
            words += &match around.neighbours.first().is_some_and(word) {
                true => text::pad(&format!(" {}", column.head), column.width),
                false => text::pad_left(column.head, column.width),
            };
        }
        Line::from(ink.muted(words))
    }

    fn line(
        &self,
        ink: &Ink<'_>,
        around: &Around,
        at: usize,
        earlier: Option<(usize, &Step)>,
    ) -> Line<'static> {
        let row = &around.neighbours[at];
        let mut spans = Vec::new();
        if self.kind > 0 {
            let arrow = ink.glyphs.arrows[if row.inward { 2 } else { 3 }];
            let kind = text::cut(&row.kind, self.kind - 3);
            spans.push(ink.muted(text::pad(&format!("{arrow} {kind}"), self.kind)));
        }
        if self.letters {
            spans.extend([ink.letter_of(row.group), ink.text(" ")]);
        }
        spans.extend([passage_mark(ink, row), ink.text(" ")]);
        let scope = [Scope::Entity, Scope::Passage][usize::from(row.is_passage)];
        spans.push(ink.span(text::pad(&row.label, self.label), scope));
        for (place, column) in &self.columns {
            let cell = match around.cell(at, *place, earlier) {
                Cell::Rank(Some(rank)) => text::pad_left(&format!("#{rank}"), column.width),
                Cell::Word(word) => text::pad(&format!(" {word}"), column.width),
                cell => text::pad_left(&cell.text(), column.width),
            };
            let scope = [Scope::Muted, Scope::Value][usize::from(column.place == 0)];
            spans.push(ink.span(cell, scope));
        }
        Line::from(spans)
    }
}

fn summary(
    ink: &Ink<'_>,
    around: &Around,
    earlier: Option<(usize, &Step)>,
    width: usize,
) -> Line<'static> {
    let sends = around
        .columns
        .iter()
        .position(|column| column.name == SENDS);
    let mut filling = Filling::new(width);
    filling.add(vec![
        ink.muted("of "),
        ink.text(text::cut(&around.label, 24)),
        ink.muted("  to "),
    ]);
    for (at, row) in around.neighbours.iter().enumerate() {
        let figure = match sends.filter(|_| earlier.is_some()) {
            Some(column) => around.cell(at, column, earlier).text(),
            None => row.figure.clone(),
        };
        if !filling.add(vec![
            ink.text(text::cut(&row.label, 22)),
            ink.value(format!(" {figure}")),
            ink.text("  "),
        ]) {
            break;
        }
    }
    filling.line
}

pub struct Neighbours;

impl Contents for Neighbours {
    fn card(&self) -> &'static Card {
        &Card {
            about: "Neighbours: edges of the selected node, with mass per step",
            keys: &[
                Command::Open,
                Command::CutEdge,
                Command::JoinNames,
                Command::MuteName,
                Command::Back,
            ],
            verb: "trace",
            ..Card::PLAIN
        }
    }

    fn draw(&self, ink: &Ink<'_>, slot: Slot, buf: &mut Buffer, hits: &mut Hits) {
        let Some(around) = ink.state.around() else {
            return ink.bare(slot, "Neighbours", buf, hits);
        };
        let flat = ink.state.scene().is_some_and(|s| s.is_flat());
        let room = usize::from(slot.area.width);
        // Stages name the step that told of an edge: those edges are of all steps.
        let moment = match around.flows.is_empty() {
            true => String::new(),
            false => ink.state.moment(true),
        };
        let earlier = ink.state.scene().and_then(|scene| {
            let step = rows::step(ink.state, scene)?;
            Some((ink.state.earlier_step()?, step))
        });
        let label = |taken: usize| {
            let taken = taken + text::width(&moment);
            text::cut(&around.label, room.saturating_sub(taken))
        };
        let title = match slot.face {
            _ if flat => format!("{}s of {}", capital(around.head), label(26)),
            Face::Line => format!("Neighbours{moment}"),
            Face::Tabs => format!("of {}{moment}", label(46)),
            _ if !moment.is_empty() => format!("Neighbours of {}{moment}", label(22)),
            _ => format!("Neighbours of {}", label(22 + text::width(&around.told))),
        };
        let chrome = Chrome {
            title,
            short: if moment.is_empty() { "Neighbours" } else { "" },
            note: Line::from(vec![ink.muted(around.told.clone())]),
            summary: summary(ink, around, earlier, ink.room(slot, &moment)),
        };
        let Some(area) = ink.frame(slot, chrome, buf, hits) else {
            return;
        };
        if area.height == 0 {
            return;
        }
        let way = way(ink);
        let area = match ink.state.view == View::Graph && !way.is_empty() && area.height > 5 {
            true => headed(ink, &text::cut(&way, room.saturating_sub(4)), area, buf),
            false => area,
        };
        let listed = &around.neighbours;
        if listed.is_empty() {
            hits.set_extent(Pane::Neighbours, 0, usize::from(area.height));
            return say(ink, around.none, area, buf);
        }
        // Where edges or the node have something to say, there is room for it under the list.
        let says = !around.text.is_empty() || listed.iter().any(|row| !row.why.is_empty());
        let explain = match area.height {
            9.. if says => 3,
            5.. if says => 1,
            _ => 0,
        };
        let (head, area) = cut_bottom(area, area.height - 1);
        let (list, below) = cut_bottom(area, explain);
        let table = Table::of(around, usize::from(list.width) - 1);
        buf.set_line(head.x + 1, head.y, &table.head(ink, around), head.width - 1);
        let draw = |row: usize, _| table.line(ink, around, row, earlier);
        ink.list(Pane::Neighbours, list, listed.len(), buf, hits, &draw);
        let selected = listed.get(ink.state.list(Pane::Neighbours).cursor);
        match selected.filter(|row| !row.why.is_empty()) {
            Some(row) => explained(ink, &row.why, below, buf),
            None => explained(ink, &ink.said(&around.text), below, buf),
        }
    }

    fn count(&self, state: &State) -> usize {
        state.around().map_or(0, |around| around.neighbours.len())
    }

    fn words(&self, state: &State) -> Vec<Option<Words>> {
        let around = state.around().filter(|_| state.scene().is_some());
        let rows = around.map_or(&[][..], |around| &around.neighbours);
        rows.iter().map(row::words).collect()
    }

    fn subject(&self, state: &State, row: usize) -> Option<Subject> {
        row::subject(state.around()?.neighbours.get(row)?)
    }

    fn copied(&self, state: &State, scene: &Scene, row: usize) -> Option<(String, String)> {
        Some(row::copied(
            scene,
            state.around()?.neighbours.get(row)?,
            "neighbour",
        ))
    }

    fn json(&self, state: &State, scene: &Scene) -> (Value, &'static str) {
        story(scene).unwrap_or_else(|| (as_json(state), "neighbours"))
    }

    fn narrows_json(&self, state: &State) -> bool {
        state.scene().is_some_and(|scene| scene.story.is_none())
    }

    fn spoken(&self, state: &State) -> Vec<Option<String>> {
        let Some(around) = state.around() else {
            return Vec::new();
        };
        let one = |row: &Row| {
            let cells = around.columns.iter().zip(&row.cells);
            let cells = cells.filter(|(_, cell)| !matches!(cell, Cell::Empty | Cell::Word("")));
            let cells = cells.map(|(column, cell)| format!("{} {}", column.name, cell.text()));
            Some(format!(
                "{}, {}",
                row.label,
                cells.collect::<Vec<_>>().join(", ")
            ))
        };
        around.neighbours.iter().map(one).collect()
    }
}

fn as_json(state: &State) -> Value {
    let Some(around) = state.around() else {
        return Value::Null;
    };
    let row = |row: &Row| {
        let cells = around.columns.iter().zip(&row.cells);
        let mut told: serde_json::Map<String, Value> = cells
            .map(|(c, value)| (c.name.to_owned(), value.json()))
            .collect();
        told.insert("label".to_owned(), json!(row.label));
        told.insert("passage".to_owned(), json!(row.is_passage));
        told
    };
    let shown = filter::sighted(state, Pane::Neighbours, &around.neighbours);
    json!({"of": around.label, "degree": around.degree, "rows": shown.into_iter().map(row).collect::<Vec<_>>()})
}
