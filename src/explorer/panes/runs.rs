//! Pinned runs and the live one, side by side: one column each, and lines that join the places of a passage.

use super::Words;
use super::passages;
use super::passages::{change, gold_mark};
use super::{Card, Contents};
use crate::evaluate::sweep::differences;
use crate::explorer::action::Action;
use crate::explorer::command::Command;
use crate::explorer::glyphs::Wires;
use crate::explorer::hits::{Hits, Target};
use crate::explorer::jobs::pins::letter;
use crate::explorer::layout::{Pane, Slot, cut_top};
use crate::explorer::panes::filter;
use crate::explorer::panes::ink::{Chrome, Filling, Ink};
use crate::explorer::panes::rows::{PassageLine, passage_lines};
use crate::explorer::scene::Scene;
use crate::explorer::scene::Subject;
use crate::explorer::state::State;
use crate::explorer::text;
use crate::explorer::theme::Scope;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;
use serde_json::Value;
use serde_json::json;
use std::collections::BTreeMap;

/// Rows of a column's head.
const HEAD: u16 = 2;

/// One run in its column.
struct Run<'a> {
    name: String,
    scene: Option<&'a Scene>,
    /// Why there is none.
    failed: Option<&'a str>,
    lines: Vec<PassageLine>,
    /// Those that are shown.
    shown: Vec<usize>,
}

impl Run<'_> {
    /// The passage on a row.
    fn passage(&self, row: usize) -> Option<u32> {
        self.lines.get(row)?.passage(self.scene?)
    }
}

/// The pins, then the live run.
fn runs<'a>(ink: &Ink<'a>) -> Vec<Run<'a>> {
    let state = ink.state;
    let lines = |scene: Option<&Scene>| scene.map_or_else(Vec::new, passage_lines);
    let shown = |scene: Option<&Scene>| scene.map_or_else(Vec::new, |s| filter::shown_of(state, s));
    let pins = state.pins.list.iter().enumerate().map(|(at, pin)| {
        let scene = pin.scene(&state.wanted.question).map(|scene| &**scene);
        Run {
            name: letter(at).to_string(),
            scene,
            failed: pin
                .answer(&state.wanted.question)
                .and_then(|answer| answer.as_ref().err())
                .map(String::as_str),
            lines: lines(scene),
            shown: shown(scene),
        }
    });
    let live = Run {
        name: "live".to_owned(),
        scene: state.scene(),
        failed: None,
        lines: lines(state.scene()),
        shown: shown(state.scene()),
    };
    pins.chain([live]).collect()
}

/// What ran, and what it was worth here.
fn head(ink: &Ink<'_>, run: &Run<'_>, area: Rect, buf: &mut Buffer) {
    let width = usize::from(area.width);
    let mut filling = Filling::new(width);
    filling.add(vec![ink.span(format!("{} ", run.name), Scope::Title)]);
    let Some(scene) = run.scene else {
        filling.add(vec![ink.muted("running")]);
        buf.set_line(area.x, area.y, &filling.line, area.width);
        return;
    };
    filling.add(vec![
        ink.span(scene.settings.method().name.to_string(), Scope::Tab),
    ]);
    let first = &ink.state.pins.first().settings;
    let mut differ = differences(first, &scene.settings);
    if scene.settings.method() != first.method() {
        differ.remove(0);
    }
    let room = filling.room();
    filling.add(vec![ink.muted(format!(
        " {}",
        text::cut(&differ.join(", "), room.saturating_sub(1))
    ))]);
    buf.set_line(area.x, area.y, &filling.line, area.width);
    let mut filling = Filling::new(width);
    for name in ["R@5", "R@10", "RR"] {
        if let Some(value) = scene.measure(name) {
            filling.add(vec![
                ink.muted(format!("{name} ")),
                ink.value(format!("{}  ", text::share(value))),
            ]);
        }
    }
    buf.set_line(area.x, area.y + 1, &filling.line, area.width);
}

fn line(
    ink: &Ink<'_>,
    run: &Run<'_>,
    before: Option<&Scene>,
    row: usize,
    width: usize,
) -> Line<'static> {
    let Some(scene) = run.scene else {
        return Line::default();
    };
    let (rank, title, passage, gold) = match run.lines[row] {
        PassageLine::Hit(at) => {
            let hit = &scene.passages[at];
            (Some(hit.rank), &hit.name, hit.passage, hit.gold)
        }
        PassageLine::Lost(at) => {
            let lost = &scene.gold[at];
            (lost.rank, &lost.name, lost.passage, true)
        }
        PassageLine::Missing(at) => {
            let words = format!("  - {} not in this corpus", scene.missing[at]);
            return Line::from(vec![ink.span(text::cut(&words, width), Scope::Error)]);
        }
        PassageLine::Cut => {
            return Line::from(vec![ink.span(ink.glyphs.rule.repeat(width), Scope::Border)]);
        }
    };
    let outside = matches!(run.lines[row], PassageLine::Lost(_));
    let shown = text::rank(rank);
    let ranks = scene.rank_width().max(3);
    let mut spans = vec![
        ink.span(
            text::pad_left(&shown, ranks),
            [Scope::Value, Scope::Error][usize::from(outside)],
        ),
        ink.text(" "),
        gold_mark(ink, gold),
        ink.text(" "),
    ];
    let moved = before.zip(rank).map(|(before, rank)| {
        let was = before.passages.iter().find(|r| r.passage == passage);
        let was = was
            .map(|r| r.rank)
            .or_else(|| before.gold.iter().find(|g| g.passage == passage)?.rank);
        change(ink, was, rank)
    });
    let moved = moved.filter(|(_, scope)| *scope != Scope::Muted);
    let tail = if before.is_some() { 5 } else { 0 };
    let scope = if gold { Scope::Gold } else { Scope::Text };
    spans.push(ink.span(
        text::pad(title, width.saturating_sub(ranks + 3 + tail)),
        scope,
    ));
    if let Some((words, scope)) = moved {
        spans.push(ink.span(format!(" {words}"), scope));
    }
    Line::from(spans)
}

/// A column without a cursor of its own: what is selected in the live run is marked here too.
fn column_of(
    ink: &Ink<'_>,
    run: &Run<'_>,
    area: Rect,
    offset: usize,
    buf: &mut Buffer,
    hits: &mut Hits,
    draw: &dyn Fn(usize, usize) -> Line<'static>,
) {
    let selected = ink.state.wanted.subject.passage;
    for y in 0..area.height {
        let Some(&row) = run.shown.get(offset + usize::from(y)) else {
            break;
        };
        let place = Rect {
            y: area.y + y,
            height: 1,
            ..area
        };
        let line = draw(row, usize::from(area.width).saturating_sub(1));
        buf.set_line(place.x + 1, place.y, &line, place.width.saturating_sub(1));
        if !ink.paper && run.passage(row).is_some() && run.passage(row) == selected {
            buf.set_string(
                place.x,
                place.y,
                ink.glyphs.cursor,
                ink.style(Scope::BorderFocus),
            );
        }
        if let Some(passage) = run.passage(row) {
            hits.add(place, Target::Passage(passage));
        }
    }
}

/// Joins the places of a passage in two columns: the selected one first, then gold, then those that moved most, as many
/// as find a way of their own.
fn connect(ink: &Ink<'_>, runs: [&Run<'_>; 2], area: Rect, offset: usize, buf: &mut Buffer) {
    if area.width < 3 {
        return;
    }
    let places = |run: &Run<'_>| -> BTreeMap<u32, usize> {
        let shown = run.shown.iter().skip(offset);
        let shown = shown.take(usize::from(area.height)).enumerate();
        let own = shown.filter_map(|(y, row)| Some((run.passage(*row)?, y)));
        own.collect()
    };
    let [from, to] = runs.map(places);
    let selected = ink.state.wanted.subject.passage;
    let is_gold = |passage: u32| {
        ink.state
            .scene()
            .is_some_and(|scene| scene.is_gold(passage))
    };
    let mut pairs: Vec<(u32, usize, usize)> = from
        .iter()
        .filter_map(|(passage, a)| Some((*passage, *a, *to.get(passage)?)))
        .collect();
    pairs.sort_by_key(|(passage, a, b)| {
        let first = if Some(*passage) == selected {
            0
        } else if is_gold(*passage) {
            1
        } else {
            2
        };
        (first, std::cmp::Reverse(a.abs_diff(*b)), *a)
    });
    let mut wires = Wires::new(area.width, area.height);
    for (passage, a, b) in pairs {
        let scope = match passage {
            _ if Some(passage) == selected => Scope::BorderFocus,
            _ if is_gold(passage) => Scope::Gold,
            _ if a == b => Scope::Border,
            _ if b < a => Scope::RankUp,
            _ => Scope::RankDown,
        };
        let lane = if a == b {
            Some(0)
        } else {
            wires.free((a, b), a > b)
        };
        if let Some(lane) = lane {
            wires.join(a, b, lane, ink.style(scope));
        }
    }
    wires.paint(area, ink.glyphs, buf);
}

pub struct Runs;

impl Contents for Runs {
    fn card(&self) -> &'static Card {
        &Card {
            about: "Runs: pinned and live; lines connect the same passage",
            keys: &[
                Command::Open,
                Command::Pin,
                Command::SwapPin,
                Command::Unpin,
            ],
            selects: true,
            verb: "compare",
            ..Card::PLAIN
        }
    }

    fn draw(&self, ink: &Ink<'_>, slot: Slot, buf: &mut Buffer, hits: &mut Hits) {
        let state = ink.state;
        let runs = runs(ink);
        let opened = if state.pins.by_hand {
            ""
        } else {
            "A is the starting settings; P pins this run"
        };
        let chrome = Chrome {
            title: format!("{} runs", runs.len()),
            short: "Runs",
            note: Line::from(vec![ink.muted(opened)]),
            summary: Line::from(vec![ink.text(text::plural(runs.len(), "run"))]),
        };
        let Some(area) = ink.frame(slot, chrome, buf, hits) else {
            return;
        };
        let count = runs.len() as u16;
        // Too narrow for all, the pins nearest to the live run stay.
        let fit = (area.width / 24).clamp(1, count);
        let runs = &runs[usize::from(count - fit)..];
        let gap = if fit < 2 {
            0
        } else {
            ((area.width / fit) / 4).clamp(1, 12)
        };
        let column = (area.width - gap * (fit - 1)) / fit;
        let (over, body) = cut_top(area, HEAD);
        let live = &runs[runs.len() - 1];
        let offset = filter::among(state.list(Pane::Runs), &live.shown)
            .window(live.shown.len(), usize::from(body.height));
        for (at, run) in runs.iter().enumerate() {
            let x = area.x + at as u16 * (column + gap);
            let own = Rect {
                x,
                width: column,
                ..body
            };
            let over = Rect {
                x,
                width: column,
                ..over
            };
            head(ink, run, over, buf);
            let before = at.checked_sub(1).and_then(|at| runs[at].scene);
            let draw = |row: usize, width: usize| line(ink, run, before, row, width);
            if at + 1 == runs.len() {
                ink.list(Pane::Runs, own, run.lines.len(), buf, hits, &draw);
            } else {
                column_of(ink, run, own, offset, buf, hits, &draw);
                let between = Rect {
                    x: x + column,
                    width: gap,
                    ..body
                };
                connect(ink, [run, &runs[at + 1]], between, offset, buf);
            }
            if let Some(why) = run.failed {
                let words = Line::from(vec![
                    ink.span(text::cut(why, usize::from(column)), Scope::Warn),
                ]);
                buf.set_line(own.x, own.y, &words, own.width);
            }
        }
    }

    fn count(&self, state: &State) -> usize {
        state.scene().map_or(0, |scene| passage_lines(scene).len())
    }

    fn words(&self, state: &State) -> Vec<Option<Words>> {
        state
            .scene()
            .map_or_else(Vec::new, |scene| passages::words(state, scene))
    }

    fn passed_over(&self, state: &State) -> Vec<usize> {
        state.scene().map_or_else(Vec::new, passages::cut_line)
    }

    fn subject(&self, state: &State, row: usize) -> Option<Subject> {
        passages::subject(state.scene()?, row)
    }

    fn copied(&self, state: &State, scene: &Scene, row: usize) -> Option<(String, String)> {
        passages::copied(state, scene, row)
    }

    fn json(&self, state: &State, _: &Scene) -> (Value, &'static str) {
        (json(state), "runs")
    }

    fn narrows_json(&self, _: &State) -> bool {
        true
    }

    fn spoken(&self, state: &State) -> Vec<Option<String>> {
        state
            .scene()
            .map_or_else(Vec::new, |scene| passages::spoken(state, scene))
    }

    fn enter(&self, state: &State, _: usize) -> Option<Action> {
        Some(Action::Passage(state.wanted.subject.passage?))
    }
}

fn json(state: &State) -> Value {
    let narrow =
        |scene: &Scene| filter::typed(state, Pane::Runs).map(|_| filter::shown_of(state, scene));
    let one = |name: String, scene: &Scene| {
        let passages = passages::listed(&passages::ranked(scene, narrow(scene).as_deref()));
        json!({"run": name, "settings": scene.settings, "passages": passages})
    };
    let pins = state.pins.list.iter().enumerate();
    let pins = pins.filter_map(|(at, pin)| {
        let scene = pin.scene(&state.wanted.question)?;
        Some(one(letter(at).to_string(), scene))
    });
    let live = state.scene().map(|scene| one("live".to_owned(), scene));
    Value::Array(pins.chain(live).collect())
}
