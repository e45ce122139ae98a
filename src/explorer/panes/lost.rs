//! How far gold gets over the set, and the failure classes of what is lost, as bars.

use super::Card;
use super::table::{Column, FOUND, NAME, Rare, Rows, Table, Width};
use crate::evaluate::Survival;
use crate::explorer::action::Action;
use crate::explorer::cell::Cell;
use crate::explorer::command::Command;
use crate::explorer::glyphs::bar;
use crate::explorer::jobs::score::{Counted, Score};
use crate::explorer::layout::{Pane, cut_top};
use crate::explorer::panes::ink::Ink;
use crate::explorer::state::State;
use crate::explorer::text;
use crate::explorer::theme::Scope;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

/// Columns of a stage's name and of a count.
const STAGE: usize = 10;
const COUNT: usize = 6;

type Col = Column<Lost>;

pub struct Lost;

impl Rows for Lost {
    /// A class, and its part of the most frequent.
    type Row<'s> = (Counted, f64);

    fn rows(state: &State) -> Vec<Self::Row<'_>> {
        let classes = state.score().map_or_else(Vec::new, Score::classes);
        let most = classes
            .iter()
            .map(|counted| counted.count)
            .max()
            .unwrap_or(1) as f64;
        let row = |counted: Counted| {
            let part = counted.count as f64 / most;
            (counted, part)
        };
        classes.into_iter().map(row).collect()
    }
}

pub static LOST: Table<Lost> = Table {
    pane: Pane::Lost,
    card: &Card {
        about: "Missed gold: the stage it is lost at, and why; Enter lists a class",
        keys: &[Command::Open, Command::Pin],
        verb: "eval",
        ..Card::PLAIN
    },
    title: |_| "Where gold is missed".to_owned(),
    short: "Lost",
    note: |state, _| told(state),
    columns: &[
        Col::new(Width::Of(label), "", |_, row| {
            Cell::Text(format!("{} {}", row.0.class, row.0.class.about()))
        })
        .scope(|s, row| [Scope::Text, Scope::Title][usize::from(s.class == Some(row.0.class))])
        .also(None, None, NAME),
        Col::new(Width::Right(COUNT), "", |_, row| Cell::Count(row.0.count))
            .scope(|_, _| Scope::Value),
        Col::new(
            Width::Of(|width| (width.saturating_sub(label(width) + COUNT + 1) / 3).min(20)),
            "",
            |_, row| Cell::Bar(row.1),
        )
        .scope(|_, _| Scope::Error)
        .spaced(1, 0),
        Col::new(Width::Rest, "", |_, row| Cell::Tally(row.0.codes.clone()))
            .scope(|_, _| Scope::Muted)
            .spaced(2, 0)
            .also(None, None, FOUND),
    ],
    one: "class",
    json: |state, _| {
        (
            super::set::json(state, super::questions::QUESTIONS.objects(state)),
            "set",
        )
    },
    enter: |state, row| Some(Action::ListClass(Lost::rows(state).get(row)?.0.class)),
    waits: |state| judged(state).is_none().then(|| state.no_score().to_owned()),
    rare: Rare {
        over: funnels,
        nothing: Some(|state| match judged(state) {
            Some(score) if score.done == score.of => ("no gold is missed", Scope::Ok),
            _ => ("none is lost so far", Scope::Ok),
        }),
        summary: |state| Some(told(state)),
        whole: Some(|state| Some((super::set::copied(state.score()?), "set".to_owned()))),
        ..Rare::NONE
    },
};

/// Columns of a class.
fn label(width: usize) -> usize {
    36.min(width / 2)
}

/// The score, where it asked why gold is lost.
fn judged(state: &State) -> Option<&Score> {
    state.score().filter(|score| score.judged)
}

fn told(state: &State) -> String {
    judged(state).map_or_else(String::new, |score| {
        let lost: usize = score.asked.iter().map(|q| q.lost.len()).sum();
        let gold: usize = score.asked.iter().map(|q| q.fate.gold.len()).sum();
        format!("{lost} of {gold} gold")
    })
}

/// The funnel over the classes, as far as these leave room: they are what can be opened.
fn funnels(ink: &Ink<'_>, area: Rect, buf: &mut Buffer) -> Rect {
    let Some(score) = judged(ink.state) else {
        return area;
    };
    let funnel = funnel(ink, score, usize::from(area.width).saturating_sub(2));
    let spare = usize::from(area.height).saturating_sub(score.classes().len().max(1) + 1);
    let drawn = funnel.len().min(spare);
    // The first, and the stages that lose most.
    let mut kept: Vec<usize> = (0..funnel.len()).collect();
    kept.sort_by_key(|at| (*at > 0, std::cmp::Reverse(funnel[*at].0), *at));
    kept.truncate(drawn);
    kept.sort_unstable();
    for (y, at) in kept.into_iter().enumerate() {
        buf.set_line(area.x + 1, area.y + y as u16, &funnel[at].1, area.width - 1);
    }
    let taken = drawn as u16 + u16::from(drawn > 0);
    cut_top(area, taken).1
}

/// Gold that is still in play after every stage, and how much of it that stage lost.
fn funnel(ink: &Ink<'_>, score: &Score, width: usize) -> Vec<(usize, Line<'static>)> {
    let fates: Vec<_> = score.asked.iter().map(|q| &q.fate).collect();
    let survival = Survival::counted(&fates, ink.state.settings.method());
    let room = width.saturating_sub(STAGE + COUNT + 1);
    let line = |alive: &crate::evaluate::survival::Alive| {
        let drawn = bar(alive.share, room, ink.glyphs);
        Line::from(vec![
            ink.text(text::pad(alive.stage.label(), STAGE)),
            ink.value(text::pad_left(&text::count(alive.count), COUNT)),
            ink.text(" "),
            ink.span(drawn, Scope::Bar),
        ])
    };
    let stages = survival.stages.iter().enumerate();
    let lost = |at: usize, count: usize| {
        let before = at
            .checked_sub(1)
            .map_or(count, |before| survival.stages[before].count);
        before.saturating_sub(count)
    };
    stages
        .map(|(at, alive)| (lost(at, alive.count), line(alive)))
        .collect()
}
