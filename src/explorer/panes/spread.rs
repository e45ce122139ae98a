//! What the search reached, list by list: mass on nodes split by the seeds it came from, what each word of a flat ranking
//! pays, or the stages of a plan with their counters and what they removed.

use super::Words;
use super::need;
use super::row;
use super::row::{Columns, explained, line, say};
use super::story;
use super::{Card, Contents};
use crate::explorer::action::Action;
use crate::explorer::command::Command;
use crate::explorer::hits::Hits;
use crate::explorer::layout::{Face, Pane, Slot, cut_bottom};
use crate::explorer::panes::filter;
use crate::explorer::panes::ink::{Chrome, Filling, Ink};
use crate::explorer::panes::rows::{SpreadLine, spread_lines};
use crate::explorer::scene::Subject;
use crate::explorer::scene::{Row, Scene, Stage};
use crate::explorer::state::State;
use crate::explorer::text;
use crate::explorer::theme::Scope;
use ratatui::buffer::Buffer;
use ratatui::text::Line;
use serde_json::Value;
use serde_json::json;

/// Cells of the bar that shows what of a budget was spent, and what is left.
const BUDGET: usize = 16;

/// The list of the same name at the end of the first pinned run.
fn held_against<'a>(ink: &Ink<'a>, scene: &Scene, stage: &Stage) -> Option<&'a [Row]> {
    let state = ink.state;
    let ended = state.earlier_step().is_none();
    let pin = state.pins.first().scene(&scene.question)?;
    let same = pin.settings == scene.settings;
    let lists = pin.spread.iter().take(pin.listed);
    let list = lists.filter(|list| list.ranked && list.name == stage.name);
    let mut list = list.filter(|_| state.pins.by_hand && ended && !same);
    list.next().map(|list| &*list.rows)
}

/// The line over a stage: its name and counters, the first ones as far as they fit.
fn heading(ink: &Ink<'_>, stage: &Stage, width: usize) -> Line<'static> {
    let mut filling = Filling::new(width);
    filling.add(vec![ink.span(format!("{} ", stage.name), Scope::Title)]);
    if stage.name != stage.kind {
        filling.add(vec![ink.muted(format!("{} ", stage.kind))]);
    }
    if !stage.spent.is_empty() {
        let mut bar = vec![ink.muted("[")];
        bar.extend(ink.bar(&stage.spent, 1.0, BUDGET));
        bar.push(ink.muted("] "));
        filling.add(bar);
    }
    for (name, value) in &stage.counters {
        let value = ink.value(text::cut(value, 24));
        if !filling.add(vec![ink.muted(format!(" {name} ")), value]) {
            break;
        }
    }
    filling.line
}

/// Letters and fills of the groups, and what the last column is. Of stages how many there are, and who made the layer
/// they run on, where that is known.
fn legend(ink: &Ink<'_>, scene: &Scene, width: usize) -> Line<'static> {
    if let Some(story) = &scene.story {
        let mut spans = vec![ink.muted(text::plural(scene.listed, "stage"))];
        if !story.made_by.is_empty() {
            let by = text::cut(&story.made_by, width.saturating_sub(30));
            spans.splice(0..0, [ink.muted(by), ink.dot()]);
        }
        return Line::from(spans);
    }
    if shown(ink, scene)
        .iter()
        .all(|stage| stage.rows.iter().all(|row| row.shares.is_empty()))
        && scene.walks
    {
        return Line::from(vec![ink.muted("all seeds")]);
    }
    let mut spans = Vec::new();
    let there = |g: &usize| scene.groups[*g].seeds > 0 || !scene.walks;
    for g in (0..scene.groups.len()).filter(there) {
        spans.push(ink.text(if spans.is_empty() { "" } else { " " }));
        spans.extend([ink.letter(g), ink.fill(g)]);
    }
    if scene.walks && scene.groups.len() > 1 {
        spans.push(ink.muted(" both"));
    }
    Line::from(spans)
}

/// The lists that are shown: those of the end, or that of an earlier step.
fn shown<'s>(ink: &Ink<'_>, scene: &'s Scene) -> &'s [Stage] {
    let earlier = ink.state.earlier_step();
    let step = earlier.and_then(|k| scene.timeline.as_ref()?.steps.get(k));
    match step {
        Some(step) => scene.spread.get(step.stage..step.stage + 1),
        None => scene.spread.get(..scene.listed),
    }
    .unwrap_or_default()
}

/// The stages, or the best rows that are no seeds.
fn summary(ink: &Ink<'_>, scene: &Scene, width: usize) -> Line<'static> {
    let mut filling = Filling::new(width);
    for stage in shown(ink, scene) {
        let head = (!stage.name.is_empty()).then(|| {
            let (name, value) = stage.counters.first().cloned().unwrap_or_default();
            let name = ink.muted(if name.is_empty() {
                String::new()
            } else {
                format!(" {name}")
            });
            vec![ink.text(format!("{} ", stage.name)), ink.value(value), name]
        });
        let rows = stage
            .rows
            .iter()
            .filter(|row| stage.name.is_empty() && row.group.is_none());
        let rows = rows.map(|row| {
            let label = ink.text(format!("{} ", text::cut(&row.label, 22)));
            vec![label, ink.value(row.figure.clone())]
        });
        for mut spans in head.into_iter().chain(rows) {
            spans.push(ink.text("  "));
            if !filling.add(spans) {
                return filling.line;
            }
        }
    }
    filling.line
}

pub struct Spread;

impl Contents for Spread {
    fn card(&self) -> &'static Card {
        &Card {
            about: "Spread: mass of the walk (Personalized PageRank) by node, split by seed; * adjacent to the selected node, ! hub",
            keys: &[
                Command::Open,
                Command::GoNeighbours,
                Command::JoinNames,
                Command::MuteName,
            ],
            verb: "trace",
            selects: true,
            ..Card::PLAIN
        }
    }

    fn draw(&self, ink: &Ink<'_>, slot: Slot, buf: &mut Buffer, hits: &mut Hits) {
        let state = ink.state;
        let Some(scene) = state.scene() else {
            let chrome = Chrome {
                title: "Spread".into(),
                ..Chrome::default()
            };
            ink.frame(slot, chrome, buf, hits);
            return;
        };
        let lines = spread_lines(state, scene);
        let width = usize::from(slot.area.width);
        let place = |line: &SpreadLine| match *line {
            SpreadLine::Stage(i) | SpreadLine::Row(i, _) | SpreadLine::More(i) => i,
        };
        let first = scene.spread.get(lines.first().map_or(0, place));
        let alone = scene.listed == 1 || state.earlier_step().is_some();
        let title = first
            .filter(|_| alone)
            .map_or("Spread", |stage| &stage.title);
        let moment = state.moment(true);
        let note = legend(ink, scene, width);
        // The name of the algorithm, as far as it fits.
        let room = width.saturating_sub(note.width() + 8);
        let named = |name: &&str| text::width(title) + text::width(name) <= room;
        let name = [" (Personalized PageRank)", " (PPR)"]
            .into_iter()
            .find(named);
        let name = name.filter(|_| alone && scene.restarts && scene.story.is_none());
        let chrome = Chrome {
            title: match slot.face {
                Face::Line => format!("Spread{moment}"),
                _ => format!("{title}{}", name.unwrap_or_default()),
            },
            short: if moment.is_empty() { "Spread" } else { "" },
            note,
            summary: summary(ink, scene, ink.room(slot, &moment)),
        };
        let Some(area) = ink.frame(slot, chrome, buf, hits) else {
            return;
        };
        // A stage can have much to say; where the screen is high there is room for it.
        let high: &[u16] = match first.is_some_and(|stage| stage.name.is_empty()) {
            true => &[8],
            false => &[8, 14, 30, 34],
        };
        let foot = high.iter().filter(|high| area.height > **high).count();
        let selected = lines.get(state.list(Pane::Spread).cursor).or(lines.last());
        let said = selected.map_or("", |line| match *line {
            SpreadLine::Row(i, n) if !scene.spread[i].name.is_empty() => {
                &scene.spread[i].rows[n].why
            }
            line => &scene.spread[place(&line)].foot,
        });
        // A plan is long, and nowhere else is all of it: on the heading of its stage it has up to half of the pane.
        let whole = match selected {
            Some(SpreadLine::Stage(_)) if foot > 0 => {
                let width = usize::from(area.width).saturating_sub(2);
                text::wrap(said, width)
                    .len()
                    .min(usize::from(area.height / 2))
            }
            _ => 0,
        };
        let (list, below) = cut_bottom(area, foot.max(whole) as u16);
        let room = usize::from(list.width).saturating_sub(1);
        let columns = |stage: &Stage| {
            let columns = Columns::of(&stage.rows, false, stage.ranked, room);
            columns.against(held_against(ink, scene, stage))
        };
        let columns: Vec<Columns<'_>> = scene.spread.iter().map(columns).collect();
        let alike = first.is_some_and(|stage| stage.name.is_empty() && !stage.rows.is_empty());
        let headed = scene.walks && alike && foot > 0;
        let (head, list) = cut_bottom(list, list.height - u16::from(headed));
        if let (true, Some(first)) = (headed, lines.first()) {
            let counted = if scene.of_passages { "df" } else { "edges" };
            let split = if scene.groups.len() > 1 {
                "by seed"
            } else {
                ""
            };
            let words = columns[place(first)].head(counted, "mass", split);
            buf.set_line(
                head.x + 1,
                head.y,
                &Line::from(ink.muted(words)),
                head.width - 1,
            );
        }
        let draw = |row: usize, width| match lines[row] {
            SpreadLine::Stage(i) => heading(ink, &scene.spread[i], width),
            SpreadLine::Row(i, n) => line(ink, &scene.spread[i].rows[n], n, &columns[i]),
            SpreadLine::More(i) => {
                let all = scene.spread[i].rows.len();
                Line::from(vec![
                    ink.muted(format!("    .. all {}  ", text::count(all))),
                    ink.span("Enter", Scope::Key),
                    ink.muted(" expands"),
                ])
            }
        };
        ink.list(Pane::Spread, list, lines.len(), buf, hits, &draw);
        if lines.is_empty() {
            let why = match scene.walks {
                true => "no mass: the question has no seed",
                false => "nothing was reached",
            };
            say(ink, why, area, buf);
        }
        explained(ink, said, below, buf);
    }

    fn count(&self, state: &State) -> usize {
        state
            .scene()
            .map_or(0, |scene| spread_lines(state, scene).len())
    }

    fn words(&self, state: &State) -> Vec<Option<Words>> {
        let Some(scene) = state.scene() else {
            return Vec::new();
        };
        let shown = |line: &SpreadLine| match *line {
            SpreadLine::Row(i, n) => row::words(&scene.spread[i].rows[n]),
            SpreadLine::Stage(_) | SpreadLine::More(_) => None,
        };
        spread_lines(state, scene).iter().map(shown).collect()
    }

    fn subject(&self, state: &State, row: usize) -> Option<Subject> {
        let scene = state.scene()?;
        match *spread_lines(state, scene).get(row)? {
            SpreadLine::Row(i, n) => row::subject(&scene.spread[i].rows[n]),
            SpreadLine::Stage(_) | SpreadLine::More(_) => None,
        }
    }

    fn copied(&self, state: &State, scene: &Scene, row: usize) -> Option<(String, String)> {
        Some(match *spread_lines(state, scene).get(row)? {
            SpreadLine::Row(i, n) => {
                let row = &scene.spread[i].rows[n];
                let (text, what) = row::copied(scene, row, "node");
                (format!("{text}\t{}", row.value), what)
            }
            SpreadLine::Stage(i) | SpreadLine::More(i) => {
                let stage = &scene.spread[i];
                (
                    format!("{}\t{}", stage.name, stage.foot),
                    "stage".to_owned(),
                )
            }
        })
    }

    fn json(&self, state: &State, scene: &Scene) -> (Value, &'static str) {
        story(scene).unwrap_or_else(|| (nodes_json(state, scene), "nodes"))
    }

    fn narrows_json(&self, state: &State) -> bool {
        // What is taken out is the end, whichever step is on screen.
        state.scene().is_some_and(|scene| scene.story.is_none()) && state.earlier_step().is_none()
    }

    fn spoken(&self, state: &State) -> Vec<Option<String>> {
        let Some(scene) = state.scene() else {
            return Vec::new();
        };
        let line = |line: SpreadLine| match line {
            SpreadLine::Row(i, n) => row::spoken(scene, &scene.spread[i].rows[n], ""),
            SpreadLine::Stage(i) => {
                let stage = &scene.spread[i];
                let counters = stage.counters.iter();
                let counters = counters.map(|(name, value)| format!(", {name} {value}"));
                format!("{}{}", stage.name, counters.collect::<String>())
            }
            SpreadLine::More(i) => {
                format!("all {}", text::plural(scene.spread[i].rows.len(), "row"))
            }
        };
        spread_lines(state, scene)
            .into_iter()
            .map(line)
            .map(Some)
            .collect()
    }

    fn can_enter(&self, state: &State, _: usize) -> Result<(), String> {
        need(self.count(state) > 0, "nothing is listed")
    }

    fn enter(&self, state: &State, row: usize) -> Option<Action> {
        let scene = state.scene()?;
        Some(match *spread_lines(state, scene).get(row)? {
            SpreadLine::Stage(i) | SpreadLine::More(i) => Action::UnfoldStage(i),
            SpreadLine::Row(..) if scene.is_flat() => Action::ReadBeside,
            SpreadLine::Row(..) => Action::Visit(self.subject(state, row)?),
        })
    }
}

fn nodes_json(state: &State, scene: &Scene) -> Value {
    let groups: Vec<&str> = scene.groups.iter().map(|g| g.label.as_str()).collect();
    let row = |row: &Row| {
        let shares: serde_json::Map<String, Value> = groups
            .iter()
            .zip(&row.shares)
            .map(|(g, share)| ((*g).to_owned(), json!(share)))
            .collect();
        json!({"label": row.label, "degree": row.count, "mass": row.value, "shares": shares})
    };
    let lines = spread_lines(state, scene);
    let narrowed = Spread.narrows_json(state) && filter::typed(state, Pane::Spread).is_some();
    let narrow = narrowed.then(|| filter::shown(state, Pane::Spread));
    let seen = |at: &usize| {
        narrow.as_ref().is_none_or(|shown| {
            let line = |row: &usize| lines.get(*row) == Some(&SpreadLine::Row(0, *at));
            shown.iter().any(line)
        })
    };
    let rows = scene.spread.first().map_or(&[][..], |stage| &stage.rows);
    let rows = rows.iter().enumerate().filter(|(at, _)| seen(at));
    Value::Array(rows.map(|(_, node)| row(node)).collect())
}
