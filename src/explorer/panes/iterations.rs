//! The walk or the stages step by step: what each came to, and of a walk where mass and gold were.

use super::story;
use super::{Card, Contents};
use crate::explorer::action::Action;
use crate::explorer::command::Command;
use crate::explorer::hits::{Hits, Target};
use crate::explorer::layout::{Face, Pane, Slot, cut_bottom};
use crate::explorer::panes::ink::{Chrome, Filling, Ink, flow};
use crate::explorer::scene::StepLine;
use crate::explorer::scene::{Cell, Scene, Timeline};
use crate::explorer::state::State;
use crate::explorer::text;
use crate::explorer::theme::Scope;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use serde_json::Value;
use serde_json::json;

/// Columns of a line's name at least, of a figure, and of a stage where there are many and where there are few.
const NAME: usize = 12;
const CELL: usize = 7;
const STAGE: usize = 16;
const WIDEST: usize = 32;

fn scrubber(
    ink: &Ink<'_>,
    timeline: &Timeline,
    now: usize,
    area: Rect,
    buf: &mut Buffer,
    hits: &mut Hits,
) {
    let last = timeline.steps.len() - 1;
    let step = &timeline.steps[now];
    let head = match step.name.is_empty() {
        true => " whole ".to_owned(),
        false => format!(" {} ", timeline.place(now)),
    };
    let playing = if ink.state.playing { " playing" } else { "" };
    let note = format!(" {}{playing}", step.note);
    let width = usize::from(area.width);
    let (x, _) = buf.set_stringn(area.x, area.y, &head, width, ink.style(Scope::Value));
    let end = area.x + area.width;
    let room = usize::from(end.saturating_sub(x)).saturating_sub(text::width(&note) + 1);
    let track = crate::explorer::glyphs::slider(now as f64 / last as f64, room, ink.glyphs);
    let (after, _) = buf.set_stringn(x, area.y, track, room, ink.style(Scope::Key));
    hits.add(
        Rect::new(x + 1, area.y, (room as u16).saturating_sub(2), 1),
        Target::Scrubber,
    );
    let left = usize::from(end.saturating_sub(after));
    buf.set_stringn(after, area.y, note, left, ink.style(Scope::Muted));
}

/// Which steps have a column: all when they fit, else the end and those around the shown one.
pub fn shown(steps: usize, now: usize, room: usize) -> Vec<usize> {
    if steps <= room {
        return (0..steps).collect();
    }
    let first = now.saturating_sub(room / 2).min(steps - room);
    let mut shown: Vec<usize> = (first..first + room).collect();
    if let Some(end) = shown.last_mut() {
        *end = steps - 1;
    }
    shown
}

fn table_lines(
    ink: &Ink<'_>,
    scene: &Scene,
    timeline: &Timeline,
    now: usize,
    width: usize,
) -> Vec<Line<'static>> {
    let steps = || timeline.steps.iter().filter(|step| !step.name.is_empty());
    let named = steps().any(|step| text::width(&step.name) > 4);
    let longest = timeline
        .lines
        .iter()
        .map(|line| text::width(&line.label))
        .max();
    // Before a class names are whole.
    let most = match named || ink.state.present {
        true => (width / 3).max(NAME),
        false => NAME,
    };
    let name = longest.unwrap_or(0).clamp(NAME, most) + 2;
    let free = width.saturating_sub(name + 1);
    let wide = match named {
        true => (free / steps().count().max(1)).clamp(STAGE, WIDEST),
        false => CELL,
    };
    let columns = shown(steps().count(), now, (free / wide).max(1));
    let row = |mut spans: Vec<Span<'static>>, cell: &dyn Fn(usize) -> (String, Scope)| {
        for &k in &columns {
            let (cell, scope) = cell(k);
            let cell = match named {
                true => text::pad(&cell, wide - 1),
                false => text::pad_left(&cell, wide),
            };
            let mut span = ink.span(cell, scope);
            if k == now {
                span.style = span.style.patch(ink.style(Scope::Selection));
            }
            spans.push(span);
            spans.push(ink.text(if named { " " } else { "" }));
        }
        Line::from(spans)
    };
    let head = |k: usize| {
        let scope = if named || k == now {
            Scope::Title
        } else {
            Scope::Muted
        };
        (timeline.steps[k].name.clone(), scope)
    };
    let unit = ink.muted(format!(" {}", text::pad(timeline.unit, name)));
    let mut lines = vec![row(vec![unit], &head)];
    for line in &timeline.lines {
        let label = match line.gold {
            true => format!(" {} {}", ink.glyphs.gold, text::pad(&line.label, name - 2)),
            false => format!(" {}", text::pad(&line.label, name)),
        };
        let scope = if line.gold { Scope::Gold } else { Scope::Muted };
        lines.push(row(vec![ink.span(label, scope)], &|k| {
            let cell = &line.cells[k];
            let scope = match cell {
                Cell::Rank(None) => Scope::Muted,
                Cell::Rank(Some(rank)) if *rank <= scene.top_k => Scope::Ok,
                _ => Scope::Value,
            };
            (cell.text(), scope)
        }));
    }
    lines
}

/// Every step in a word: the worst gold rank, or the first figure of a stage.
fn brief(ink: &Ink<'_>, timeline: &Timeline, now: usize, width: usize) -> Line<'static> {
    let mut filling = Filling::new(width);
    filling.add(vec![ink.muted(timeline.brief)]);
    for (k, step) in timeline.steps.iter().enumerate() {
        let (name, figure) = step.brief.clone();
        let [words, value] = match k == now {
            true => [Scope::Title; 2],
            false => [Scope::Text, Scope::Value],
        };
        if !filling.add(vec![ink.span(name, words), ink.span(figure, value)]) {
            break;
        }
    }
    filling.line
}

pub struct Iterations;

impl Contents for Iterations {
    fn card(&self) -> &'static Card {
        &Card {
            about: "Iterations: gold ranks and mass after each step; stepping back changes Spread, Neighbours and Passages",
            keys: &[
                Command::Play,
                Command::StepBack,
                Command::StepOn,
                Command::StepFirst,
                Command::StepLast,
            ],
            verb: "trace",
            scrolls: true,
            ..Card::PLAIN
        }
    }

    fn draw(&self, ink: &Ink<'_>, slot: Slot, buf: &mut Buffer, hits: &mut Hits) {
        let state = ink.state;
        let bare = slot.face == Face::Line && slot.area.height > 1;
        let timeline = state
            .scene()
            .and_then(|scene| Some((scene, scene.timeline.as_ref()?)));
        let Some((scene, timeline)) = timeline.filter(|(_, timeline)| timeline.steps.len() > 1)
        else {
            let why = state.scene().and_then(|_| state.can_step().err());
            let why = why.unwrap_or_default();
            let chrome = Chrome {
                title: "Iterations".into(),
                summary: Line::from(vec![ink.muted(why.clone())]),
                ..Chrome::default()
            };
            if bare {
                hits.add(slot.area, Target::Pane(Pane::Iterations));
                super::row::say(ink, &why, slot.area, buf);
            } else if let Some(area) = ink.frame(slot, chrome, buf, hits) {
                super::row::say(ink, &why, area, buf);
            }
            return;
        };
        let last = timeline.steps.len() - 1;
        let now = state.earlier_step().unwrap_or(last);
        // At 100x30 two lines without a frame: the scrubber, and every step in a word.
        let lead = if bare { 0 } else { 15 };
        let summary = brief(
            ink,
            timeline,
            now,
            usize::from(slot.area.width).saturating_sub(lead),
        );
        if bare {
            hits.add(slot.area, Target::Pane(Pane::Iterations));
            scrubber(ink, timeline, now, slot.area, buf, hits);
            buf.set_line(slot.area.x, slot.area.y + 1, &summary, slot.area.width);
            return;
        }
        let place = match now == last {
            true => timeline.whole.clone(),
            false => timeline.place(now),
        };
        let mut note = Vec::new();
        for (key, name) in [("Space", " play  "), (", .", " step  "), ("{ }", " ends")] {
            note.extend([ink.span(key, Scope::Key), ink.muted(name)]);
        }
        let chrome = Chrome {
            title: format!("{}: {place}", timeline.title),
            short: timeline.title,
            note: Line::from(note),
            summary,
        };
        let Some(area) = ink.frame(slot, chrome, buf, hits) else {
            return;
        };
        if area.height == 0 {
            return;
        }
        let (line, below) = cut_bottom(area, area.height - 1);
        scrubber(ink, timeline, now, line, buf, hits);
        let told = |width: usize| {
            let mut told: Vec<Line<'static>> = Vec::new();
            if now == 0 && scene.walks {
                told.extend(flow(vec![ink.text("Only the seeds hold mass.")], width, 0));
            }
            let words = timeline.told.iter();
            told.extend(words.flat_map(|words| flow(vec![ink.text(words.clone())], width, 0)));
            told
        };
        // What the steps mean stands beside them, where they leave room.
        let needed = (NAME + 4 + CELL * timeline.steps.len()) as u16;
        let side = below.width.saturating_sub(needed).min(96);
        let side = if timeline.told.is_empty() || side < 40 {
            0
        } else {
            side
        };
        let table = Rect {
            width: if side > 0 { needed } else { below.width },
            ..below
        };
        let lines = table_lines(ink, scene, timeline, now, usize::from(table.width));
        ink.scrolled(Pane::Iterations, table, &lines, buf, hits);
        let told = if side > 0 {
            told(usize::from(side) - 4)
        } else {
            Vec::new()
        };
        for (y, line) in told.iter().take(usize::from(below.height)).enumerate() {
            let x = below.x + table.width + 3;
            buf.set_line(x, below.y + y as u16, line, side - 4);
        }
    }

    fn copied(&self, _: &State, scene: &Scene, _: usize) -> Option<(String, String)> {
        let timeline = scene.timeline.as_ref()?;
        Some((steps(timeline), "steps".to_owned()))
    }

    fn json(&self, _: &State, scene: &Scene) -> (Value, &'static str) {
        story(scene).unwrap_or_else(|| (json(scene), "steps"))
    }

    fn can_enter(&self, state: &State, _: usize) -> Result<(), String> {
        state.can_step()
    }

    fn enter(&self, _: &State, _: usize) -> Option<Action> {
        Some(Action::Do(Command::Play))
    }
}

/// The table as it is shown.
fn steps(timeline: &Timeline) -> String {
    let names = timeline.steps.iter().filter(|step| !step.name.is_empty());
    let names: Vec<String> = names.map(|step| step.name.clone()).collect();
    let head = format!("{}\t{}", timeline.unit, names.join("\t"));
    let line = |line: &StepLine| {
        let cells: Vec<String> = line.cells.iter().map(Cell::text).collect();
        format!("{}\t{}", line.label, cells.join("\t"))
    };
    let lines = std::iter::once(head).chain(timeline.lines.iter().map(line));
    lines.collect::<Vec<_>>().join("\n")
}

/// The ledger of every step.
pub fn json(scene: &Scene) -> Value {
    let Some(timeline) = &scene.timeline else {
        return Value::Null;
    };
    let row = |step: &crate::explorer::scene::Step| {
        let l = step.ledger;
        json!({"entities": l.entities, "passages": l.passages, "dropped": l.dropped, "residual": l.residual,
               "moved": step.moved, "gold_ranks": step.gold})
    };
    Value::Array(timeline.steps.iter().map(row).collect())
}
