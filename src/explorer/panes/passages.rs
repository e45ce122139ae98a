//! The ranking: gold, ties, the cut, and gold that is not there.

use super::Words;
use super::need;
use super::row;
use super::{Card, Contents};
use crate::explorer::action::Action;
use crate::explorer::command::Command;
use crate::explorer::hits::Hits;
use crate::explorer::jobs::pins;
use crate::explorer::layout::{Pane, Slot};
use crate::explorer::panes::filter;
use crate::explorer::panes::ink::{Chrome, Filling, Ink, flow};
use crate::explorer::panes::row::stack;
use crate::explorer::panes::rows::{self, PassageLine, passage_lines};
use crate::explorer::scene::Subject;
use crate::explorer::scene::{Gold, MarkKind, PassageRow, Row, Scene, Step};
use crate::explorer::state::State;
use crate::explorer::text;
use crate::explorer::theme::Scope;
use crate::retrieve::marks::begin;
use crate::text::span;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};
use serde_json::Value;
use serde_json::json;

/// Why there is nothing to show, and what to do about it.
fn failed(ink: &Ink<'_>, why: &str, area: Rect, buf: &mut Buffer) {
    let width = usize::from(area.width).saturating_sub(2);
    let method = &*ink.state.settings.method().name;
    let mut lines = flow(
        vec![ink.span(format!("{method}: {why}"), Scope::Warn)],
        width,
        0,
    );
    lines.push(Line::default());
    lines.push(Line::from(vec![
        ink.span("m", Scope::Key),
        ink.muted(" for another method"),
    ]));
    stack(&lines, area, 1, buf);
}

/// Columns that fit the width.
struct Columns {
    id: usize,
    title: usize,
    bar: usize,
    snippet: usize,
    /// Whether it is told where each passage was before the last change.
    moved: bool,
    rank: usize,
}

/// Cells of a list that has room for identifiers, of a title and a snippet that stand side by side at least, and of an
/// identifier at most.
const WITH_ID: usize = 84;
const TITLE: usize = 20;
const SNIPPET: usize = 12;
const WIDEST_ID: usize = 24;

/// Cells of a move.
const MOVED: usize = 5;

impl Columns {
    fn new(width: usize, scene: &Scene, moved: bool) -> Columns {
        let inside = scene.passages.iter().take(scene.top_k).map(|row| &row.id);
        let ids = inside.chain(scene.gold.iter().map(|gold| &gold.id));
        let longest = ids.map(|id| text::width(id)).max().unwrap_or(2);
        // Rank, gold, score and tie always stay.
        let rank = scene.rank_width().max(3);
        let mut rest = width.saturating_sub(rank + 1 + 2 + 7 + 1);
        rest = rest.saturating_sub(if moved { MOVED } else { 0 });
        let bar = match width {
            84.. => 10,
            _ => 0,
        };
        rest = rest.saturating_sub(bar + usize::from(bar > 0));
        // Identifiers are whole where that leaves a title and a snippet their least; a narrow list has none.
        let spare = match width {
            WITH_ID.. => rest.saturating_sub(1 + TITLE + 1 + SNIPPET).max(10),
            _ => 0,
        };
        let id = longest.min(spare).min(WIDEST_ID);
        rest = rest.saturating_sub(id + usize::from(id > 0));
        // On a narrow screen a whole title says more than half of one beside a few words.
        let (title, snippet) = match rest.checked_sub(TITLE + 1 + SNIPPET) {
            Some(_) if width >= 60 => {
                let title = (rest * 2 / 5).clamp(TITLE, 36);
                (title, rest - title - 1)
            }
            _ => (rest, 0),
        };
        Columns {
            id,
            title,
            bar,
            snippet,
            moved,
            rank,
        }
    }
}

impl Columns {
    /// An identifier and a space, where there is room for them.
    fn identifier(&self, ink: &Ink<'_>, id: &str) -> Span<'static> {
        match self.id {
            0 => ink.text(""),
            cells => ink.span(
                format!("{} ", text::pad(&tail(id, cells), cells)),
                Scope::Passage,
            ),
        }
    }
}

/// Only gold has the style of gold: without colours it is underlined.
pub fn gold_mark(ink: &Ink<'_>, gold: bool) -> Span<'static> {
    if gold {
        ink.span(ink.glyphs.gold, Scope::Gold)
    } else {
        ink.text(" ")
    }
}

/// What a node is: gold, another passage, or none.
pub fn passage_mark(ink: &Ink<'_>, row: &Row) -> Span<'static> {
    match row.is_passage && !row.gold {
        true => ink.span(ink.glyphs.passage, Scope::Passage),
        false => gold_mark(ink, row.gold),
    }
}

/// What a model says it used for its answer.
const CITED: &str = "\"";

fn cited_mark(ink: &Ink<'_>, passage: u32) -> Span<'static> {
    let reply = ink.state.reply();
    match reply.is_some_and(|reply| reply.cites(passage)) {
        true => ink.span(CITED, Scope::Key),
        false => ink.text(" "),
    }
}

/// Identifiers differ at their end, so the beginning is cut.
fn tail(id: &str, cells: usize) -> String {
    if text::width(id) <= cells {
        return id.to_owned();
    }
    let mut kept: Vec<char> = Vec::new();
    for c in id.chars().rev() {
        let one: String = std::iter::once(c).collect();
        if text::width(&one) + kept.len() + 2 > cells {
            break;
        }
        kept.push(c);
    }
    format!("..{}", kept.into_iter().rev().collect::<String>())
}

fn hit(ink: &Ink<'_>, row: &PassageRow, columns: &Columns) -> Line<'static> {
    let title_scope = if row.gold { Scope::Gold } else { Scope::Text };
    let mut spans = vec![
        ink.value(text::pad_left(&row.rank.to_string(), columns.rank)),
        row::adjacent(ink, row.node),
        gold_mark(ink, row.gold),
        cited_mark(ink, row.passage),
        columns.identifier(ink, &row.id),
        ink.span(text::pad(&row.headed, columns.title), title_scope),
        ink.value(text::pad_left(&ink.score(row.score), 7)),
        ink.span(if row.tie { ink.glyphs.tie } else { " " }, Scope::Tie),
    ];
    if columns.moved {
        let before = ink.state.against();
        let before = before.and_then(|before| before.get(&row.passage).copied());
        let (change, scope) = match change(ink, before, row.rank) {
            (_, Scope::Muted) => (String::new(), Scope::Muted),
            change => change,
        };
        spans.push(ink.span(text::pad(&format!(" {change}"), MOVED), scope));
    }
    if columns.bar > 0 {
        let best = ink
            .state
            .scene()
            .and_then(|s| s.passages.first())
            .map_or(0.0, |first| first.score);
        spans.push(ink.text(" "));
        spans.extend(ink.bar(&row.shares, best, columns.bar));
    }
    if columns.snippet > 0 {
        spans.push(ink.text(" "));
        spans.extend(snippet(ink, row, columns.snippet));
    }
    Line::from(spans)
}

/// The part of the passage that says most, with seed names in their colours. A narrow column begins shortly before the
/// first mark: what is marked is why the passage is here.
fn snippet(ink: &Ink<'_>, row: &PassageRow, width: usize) -> Vec<Span<'static>> {
    let start = begin(&row.snippet, &row.marks, width);
    let rest = span::clipped(&row.snippet, start..);
    let shown = text::cut(rest, width);
    // The cut's dots stand for what follows; marks end before them.
    let end = start
        + if shown == rest {
            rest.len()
        } else {
            shown.trim_end_matches('.').len()
        };
    if !row.snippet.is_char_boundary(end) {
        return vec![ink.muted(ink.said(&shown))];
    }
    let dots = shown.len().saturating_sub(end - start);
    let mut spans: Vec<Span<'static>> = text::pieces(&row.snippet, start..end, &row.marks)
        .into_iter()
        .map(|(piece, mark)| match mark.map(|m| m.kind) {
            Some(MarkKind::Seed(group)) => Span::styled(
                ink.said(piece),
                ink.theme.seed(group).add_modifier(Modifier::BOLD),
            ),
            Some(MarkKind::Word) => ink.text(ink.said(piece)),
            Some(MarkKind::Mention | MarkKind::Answer) | None => ink.muted(ink.said(piece)),
        })
        .collect();
    spans.push(ink.muted(".".repeat(dots)));
    spans
}

/// The line between what is returned and what is not.
fn cut(ink: &Ink<'_>, scene: &Scene, width: usize) -> Line<'static> {
    let words = match scene.passages.len() {
        found if found < scene.top_k => format!(" end of results (top {}) ", scene.top_k),
        _ => format!(" cutoff, top {} ", scene.top_k),
    };
    let rule = width.saturating_sub(words.len());
    Line::from(vec![
        ink.span(ink.glyphs.rule.repeat(rule / 2), Scope::Border),
        ink.muted(words),
        ink.span(ink.glyphs.rule.repeat(rule - rule / 2), Scope::Border),
    ])
}

/// Gold below everything that is listed, or nowhere.
fn lost(ink: &Ink<'_>, gold: &Gold, columns: &Columns) -> Line<'static> {
    let rank = text::rank(gold.rank);
    let mut spans = vec![
        ink.span(text::pad_left(&rank, columns.rank), Scope::Error),
        ink.text(" "),
        ink.span(ink.glyphs.gold, Scope::Gold),
        ink.text(" "),
        columns.identifier(ink, &gold.id),
        ink.span(text::pad(&gold.headed, columns.title), Scope::Gold),
    ];
    if gold.rank.is_some() {
        spans.push(ink.value(text::pad_left(&ink.score(gold.score), 7)));
    } else {
        spans.push(ink.span(text::pad_left("lost", 7), Scope::Error));
        if columns.snippet > 0 {
            let room = columns.snippet + columns.bar;
            spans.push(ink.span(
                format!(
                    "  {}",
                    text::cut(&format!("{}: {}", gold.code, gold.reason), room)
                ),
                Scope::Warn,
            ));
        }
    }
    Line::from(spans)
}

/// How a rank came from another.
pub fn change(ink: &Ink<'_>, before: Option<usize>, now: usize) -> (String, Scope) {
    match before {
        Some(before) if now < before => {
            let up = format!("{}{}", ink.glyphs.arrows[0], before - now);
            (up, Scope::RankUp)
        }
        Some(before) if now > before => {
            let down = format!("{}{}", ink.glyphs.arrows[1], now - before);
            (down, Scope::RankDown)
        }
        Some(_) => ("=".to_owned(), Scope::Muted),
        None => ("new".to_owned(), Scope::RankUp),
    }
}

fn at_step(
    ink: &Ink<'_>,
    scene: &Scene,
    step: &Step,
    row: usize,
    columns: &Columns,
) -> Line<'static> {
    let (passage, score) = step.passages[row];
    let gold = scene.is_gold(passage);
    let title = scene.titles.get(&passage).map_or("", String::as_str);
    let (change, scope) = match scene.row(passage).map(|at| at + 1) {
        Some(last) => change(ink, Some(row + 1), last),
        None => ("out".to_owned(), Scope::RankDown),
    };
    Line::from(vec![
        ink.value(text::pad_left(&(row + 1).to_string(), columns.rank)),
        ink.text(" "),
        gold_mark(ink, gold),
        ink.text(" "),
        ink.span(
            text::pad(
                title,
                columns.id + usize::from(columns.id > 0) + columns.title,
            ),
            if gold { Scope::Gold } else { Scope::Text },
        ),
        ink.value(text::pad_left(&ink.score(score), 7)),
        ink.span(format!("  {change}"), scope),
    ])
}

/// The best passages, and where gold is: at the end, or after an earlier step.
fn summary(ink: &Ink<'_>, scene: &Scene, step: Option<&Step>, width: usize) -> Line<'static> {
    let mut filling = Filling::new(width);
    let ranked = scene.gold.iter().enumerate().map(|(at, gold)| {
        let rank = step.map_or(gold.rank, |step| step.gold[at]);
        let rank = rank.map_or_else(|| "lost".to_owned(), |rank| rank.to_string());
        (format!("{} {} ", ink.glyphs.gold, gold.id), rank)
    });
    let ranked: Vec<(String, String)> = ranked.collect();
    let wide = ranked
        .iter()
        .map(|(name, rank)| text::width(name) + rank.len() + 2);
    // All ranks of gold, without the names where these leave no room for the last.
    let named = wide.sum::<usize>() <= width;
    for (at, (name, rank)) in ranked.into_iter().enumerate() {
        let name = match named {
            true => name,
            false if at == 0 => format!("{} ", ink.glyphs.gold),
            false => String::new(),
        };
        filling.add(vec![
            ink.span(name, Scope::Gold),
            ink.value(rank),
            ink.text([" ", "  "][usize::from(named)]),
        ]);
    }
    let best: Vec<&str> = match step {
        Some(step) => {
            let titles = step.passages.iter().map(|p| scene.titles.get(&p.0));
            titles
                .map(|title| title.map_or("", String::as_str))
                .take(3)
                .collect()
        }
        None => scene
            .passages
            .iter()
            .take(3)
            .map(|row| &*row.name)
            .collect(),
    };
    for (at, title) in best.into_iter().enumerate() {
        filling.add(vec![
            ink.muted(format!("{} ", at + 1)),
            ink.text(text::cut(title, 22)),
            ink.text("  "),
        ]);
    }
    filling.line
}

pub struct Passages;

impl Contents for Passages {
    fn card(&self) -> &'static Card {
        &Card {
            about: "Passages: G gold, ~ tied within .5%, * adjacent to the selected node",
            keys: &[Command::Open, Command::GoWhy, Command::Preview],
            selects: true,
            ..Card::PLAIN
        }
    }

    fn draw(&self, ink: &Ink<'_>, slot: Slot, buf: &mut Buffer, hits: &mut Hits) {
        let state = ink.state;
        let Some(scene) = state.scene() else {
            let note = Line::from(vec![ink.muted(if state.running() {
                "running"
            } else {
                ""
            })]);
            let chrome = Chrome {
                title: "Passages".into(),
                note,
                ..Chrome::default()
            };
            let area = ink.frame(slot, chrome, buf, hits);
            if let (Some(area), Some(why)) = (area, state.failure()) {
                failed(ink, why, area, buf);
            }
            return;
        };
        let step = rows::step(state, scene);
        let moment = state.moment(step.is_some());
        let title = match step {
            Some(_) => format!("Passages{moment}"),
            None => format!(
                "Passages{moment}: {} of {}",
                scene.top_k.min(scene.passages.len()),
                text::count(state.facts.passages)
            ),
        };
        let note = match step {
            Some(_) => Line::from(vec![ink.muted("vs. end")]),
            None => {
                let mut note = vec![
                    ink.span(ink.glyphs.gold, Scope::Gold),
                    ink.muted(" gold  "),
                    ink.span(ink.glyphs.tie, Scope::Tie),
                    ink.muted(" tie (.5%)"),
                ];
                if state.reply().is_some() {
                    note.insert(2, ink.span(CITED, Scope::Key));
                    note.insert(3, ink.muted(" cited  "));
                }
                Line::from(note)
            }
        };
        let chrome = Chrome {
            summary: summary(ink, scene, step, ink.room(slot, &moment)),
            short: if moment.is_empty() { "Passages" } else { "" },
            title,
            note,
        };
        let Some(area) = ink.frame(slot, chrome, buf, hits) else {
            return;
        };
        let moved = state.against().is_some() && step.is_none();
        let columns = Columns::new(usize::from(area.width).saturating_sub(1), scene, moved);
        if let Some(step) = step {
            ink.list(
                Pane::Passages,
                area,
                step.passages.len(),
                buf,
                hits,
                &|row, _| at_step(ink, scene, step, row, &columns),
            );
            return;
        }
        let lines = passage_lines(scene);
        let is_lost =
            |line: &PassageLine| matches!(line, PassageLine::Lost(_) | PassageLine::Missing(_));
        let stays: Vec<bool> = lines.iter().map(is_lost).collect();
        ink.list_keeping(
            Pane::Passages,
            area,
            &stays,
            buf,
            hits,
            &|row, width| match lines[row] {
                PassageLine::Hit(i) => hit(ink, &scene.passages[i], &columns),
                PassageLine::Cut => cut(ink, scene, width),
                PassageLine::Lost(i) => lost(ink, &scene.gold[i], &columns),
                PassageLine::Missing(i) => Line::from(vec![
                    ink.text("    "),
                    ink.span(format!("{} ", ink.glyphs.gold), Scope::Gold),
                    ink.text(text::cut(&scene.missing[i], width / 2)),
                    ink.span("  not in this corpus", Scope::Error),
                ]),
            },
        );
        // Lost gold may be listed all the same.
        let below = lines.len() as u16;
        if scene.passages.is_empty() && below < area.height {
            buf.set_stringn(
                area.x + 2,
                area.y + below,
                scene.nothing,
                usize::from(area.width) - 2,
                ink.style(Scope::Warn),
            );
        }
    }

    fn count(&self, state: &State) -> usize {
        state
            .scene()
            .map_or(0, |scene| match rows::step(state, scene) {
                Some(step) => step.passages.len(),
                None => passage_lines(scene).len(),
            })
    }

    fn words(&self, state: &State) -> Vec<Option<Words>> {
        let Some(scene) = state.scene() else {
            return Vec::new();
        };
        let Some(step) = rows::step(state, scene) else {
            return words(state, scene);
        };
        let title = |p: &(u32, f64)| scene.titles.get(&p.0).cloned();
        let shown = |p| Some(Words::new(title(p).unwrap_or_default(), []));
        step.passages.iter().map(shown).collect()
    }

    fn passed_over(&self, state: &State) -> Vec<usize> {
        let scene = state
            .scene()
            .filter(|scene| rows::step(state, scene).is_none());
        scene.map_or_else(Vec::new, cut_line)
    }

    fn subject(&self, state: &State, row: usize) -> Option<Subject> {
        let scene = state.scene()?;
        match rows::step(state, scene) {
            Some(step) => step
                .passages
                .get(row)
                .map(|(p, _)| row::of_passage(scene, *p)),
            None => subject(scene, row),
        }
    }

    fn copied(&self, state: &State, scene: &Scene, row: usize) -> Option<(String, String)> {
        copied(state, scene, row)
    }

    fn json(&self, state: &State, scene: &Scene) -> (Value, &'static str) {
        let narrowed = self.narrows_json(state) && filter::typed(state, Pane::Passages).is_some();
        let shown = narrowed.then(|| filter::shown(state, Pane::Passages));
        json(scene, shown.as_deref())
    }

    fn narrows_json(&self, state: &State) -> bool {
        // What is taken out is the end, whichever step is on screen.
        state.earlier_step().is_none()
    }

    fn spoken(&self, state: &State) -> Vec<Option<String>> {
        let Some(scene) = state.scene() else {
            return Vec::new();
        };
        let Some(step) = rows::step(state, scene) else {
            return spoken(state, scene);
        };
        let one = |(passage, mass): &(u32, f64)| {
            let title = scene.titles.get(passage).map_or("", String::as_str);
            Some(format!("{title}, mass {} at this step", text::score(*mass)))
        };
        step.passages.iter().map(one).collect()
    }

    fn can_enter(&self, state: &State, row: usize) -> Result<(), String> {
        let Some(scene) = state.scene() else {
            return Err("there is no result yet".into());
        };
        let missing = rows::step(state, scene).is_none()
            && matches!(passage_lines(scene).get(row), Some(PassageLine::Missing(_)));
        need(!missing, "the corpus does not have this passage")?;
        need(self.subject(state, row).is_some(), "nothing is selected")
    }

    fn enter(&self, _: &State, _: usize) -> Option<Action> {
        Some(Action::Read)
    }
}

/// Where the returned passages end.
pub fn cut_line(scene: &Scene) -> Vec<usize> {
    let lines = passage_lines(scene).into_iter();
    Vec::from_iter(
        lines
            .enumerate()
            .find(|(_, line)| *line == PassageLine::Cut)
            .map(|(row, _)| row),
    )
}

/// What a line of the ranking is about.
pub fn subject(scene: &Scene, row: usize) -> Option<Subject> {
    let passage = passage_lines(scene).get(row)?.passage(scene)?;
    Some(row::of_passage(scene, passage))
}

/// Every line of the ranking of a run.
pub fn words(state: &State, scene: &Scene) -> Vec<Option<Words>> {
    let gold = |is: bool| is.then(|| "gold".to_owned());
    let shown = |line: &PassageLine| {
        Some(match *line {
            PassageLine::Hit(at) => {
                let row = &scene.passages[at];
                let snippet = (!state.masked).then(|| row.snippet.clone());
                let name = format!("{} {}", row.id, row.title);
                Words::new(name, snippet.into_iter().chain(gold(row.gold)))
            }
            PassageLine::Lost(at) => {
                let lost = &scene.gold[at];
                let name = format!("{} {}", lost.id, lost.title);
                Words::new(name, gold(true))
            }
            PassageLine::Missing(at) => Words::new(scene.missing[at].clone(), gold(true)),
            PassageLine::Cut => return None,
        })
    };
    rows::passage_lines(scene).iter().map(shown).collect()
}

/// A line as it is copied.
pub fn copied(state: &State, scene: &Scene, row: usize) -> Option<(String, String)> {
    let copied = |id: &str, title: &str, score: f64| {
        (format!("{id}\t{title}\t{score}"), format!("passage {id}"))
    };
    if rows::step(state, scene).is_some() {
        let why = state.why()?;
        return Some(copied(&why.id, &why.title, why.score));
    }
    match *rows::passage_lines(scene).get(row)? {
        PassageLine::Hit(i) => {
            let row = &scene.passages[i];
            Some(copied(&row.id, &row.title, row.score))
        }
        PassageLine::Lost(i) => {
            let gold = &scene.gold[i];
            Some(copied(&gold.id, &gold.title, gold.score))
        }
        PassageLine::Missing(i) => Some((scene.missing[i].clone(), "missing gold".to_owned())),
        PassageLine::Cut => None,
    }
}

/// What is ranked: the first K, or of a pane that is narrowed the rows that it shows.
pub fn ranked<'s>(scene: &'s Scene, shown: Option<&[usize]>) -> Vec<&'s PassageRow> {
    let Some(shown) = shown else {
        return scene.passages.iter().take(scene.top_k).collect();
    };
    let lines = rows::passage_lines(scene);
    let lines = shown.iter().filter_map(|row| lines.get(*row));
    let passage = |line: &PassageLine| Some(&scene.passages[scene.row(line.passage(scene)?)?]);
    let mut seen: Vec<&PassageRow> = lines.filter_map(passage).collect();
    seen.sort_by_key(|row| row.rank);
    seen
}

/// Passages as they are ranked.
pub fn listed(rows: &[&PassageRow]) -> Value {
    let row = |r: &&PassageRow| json!({"rank": r.rank, "id": r.id, "title": r.title, "score": r.score, "gold": r.gold});
    Value::Array(rows.iter().map(row).collect())
}

/// The first K, or the rows that are shown.
pub fn json(scene: &Scene, shown: Option<&[usize]>) -> (Value, &'static str) {
    (listed(&ranked(scene, shown)), "passages")
}

/// The lines of the ranking as sentences.
pub fn spoken(state: &State, scene: &Scene) -> Vec<Option<String>> {
    let lines = passage_lines(scene).into_iter();
    lines
        .map(|line| Some(sentence(state, scene, line)))
        .collect()
}

/// A line of the ranking.
fn sentence(state: &State, scene: &Scene, line: PassageLine) -> String {
    let was = |passage: u32, now: usize| match state.against()?.get(&passage) {
        Some(before) if *before == now => None,
        Some(before) => Some(format!("was rank {before}")),
        None => Some("new".to_owned()),
    };
    // Beside other runs, where each of them has it.
    let pinned = |passage: u32| -> Vec<String> {
        let pins = state.pins.list.iter().enumerate();
        let pins = pins.filter(|_| state.focus == Pane::Runs);
        let told = pins.filter_map(|(at, pin)| {
            let scene = pin.scene(&state.wanted.question)?;
            let rank = scene.rank(passage);
            let beyond = || format!("not among the first {}", scene.passages.len());
            let rank = rank.map_or_else(beyond, |rank| format!("rank {rank}"));
            Some(format!("in {} {rank}", pins::letter(at)))
        });
        told.collect()
    };
    let named = |title: &str, id: &str| match title {
        "" => id.to_owned(),
        title => format!("{title}, {id}"),
    };
    let mut said = Vec::new();
    match line {
        PassageLine::Hit(at) => {
            let hit = &scene.passages[at];
            said.push(format!("rank {}", hit.rank));
            said.push(named(&hit.title, &hit.id));
            said.push(format!("score {}", text::score(hit.score)));
            said.extend(hit.gold.then(|| "gold".to_owned()));
            let cited = state.reply().is_some_and(|reply| reply.cites(hit.passage));
            said.extend(cited.then(|| "used for the answer".to_owned()));
            said.extend(hit.tie.then(|| "tied with the next".to_owned()));
            let seed = hit.seed.and_then(|group| scene.groups.get(group));
            let seed = seed.filter(|group| group.seeds == 1);
            said.extend(seed.map(|group| format!("a seed: {}", group.label)));
            match pinned(hit.passage) {
                told if told.is_empty() => said.extend(was(hit.passage, hit.rank)),
                told => said.extend(told),
            }
        }
        PassageLine::Lost(at) => {
            let lost = &scene.gold[at];
            let rank = lost.rank.map(|rank| format!("rank {rank}, below the cut"));
            said.push(rank.unwrap_or_else(|| "not ranked".to_owned()));
            said.push(named(&lost.title, &lost.id));
            said.push("gold".to_owned());
            said.extend(pinned(lost.passage));
            said.extend(Some(lost.reason.clone()).filter(|reason| !reason.is_empty()));
        }
        PassageLine::Missing(at) => {
            said.push(format!("gold {} is not in this corpus", scene.missing[at]));
        }
        PassageLine::Cut => said.push(format!("cutoff, top {}", scene.top_k)),
    }
    said.join(", ")
}
