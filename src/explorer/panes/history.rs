//! The set's scores so far: one row for each run, what changed since the run before, and whether the change is noise.

use super::Card;
use super::table::{COPIED, Column, NAME, Rare, Rows, Table, Width};
use crate::explorer::action::Action;
use crate::explorer::command::Command;
use crate::explorer::jobs::score::{MEASURE, Scored};
use crate::explorer::layout::Pane;
use crate::explorer::state::State;
use crate::explorer::text;
use crate::explorer::theme::Scope;

pub struct History;
type Col = Column<History>;

impl Rows for History {
    type Row<'s> = &'s Scored;

    fn rows(state: &State) -> Vec<&Scored> {
        state.scores.iter().rev().collect()
    }
}

pub static HISTORY: Table<History> = Table {
    pane: Pane::History,
    card: &Card {
        about: "History: the set's score run by run, newest first; Enter takes a run's settings back",
        keys: &[Command::Open, Command::Pin],
        verb: "eval",
        ..Card::PLAIN
    },
    title: |_| "History".to_owned(),
    short: "History",
    note: |_, runs| text::plural(runs, "run"),
    columns: &[
        Col::new(Width::Right(5), MEASURE, |_, run| run.worth()).also(
            Some("worth"),
            Some("R@5 "),
            COPIED,
        ),
        Col::new(Width::Right(7), "change", |_, run| run.change())
            .scope(|_, run| {
                let since = run.since.as_ref();
                since.map_or(Scope::Text, |d| Scope::of_gain(d.sure()))
            })
            .also(Some("change"), Some(", change "), COPIED),
        Col::new(Width::Left(16), "95 % interval", |_, run| run.interval())
            .scope(|_, _| Scope::Muted)
            .spaced(2, 0)
            .also(Some("interval"), Some(", 95 % interval "), COPIED),
        Col::new(
            Width::Of(|width| if width >= 110 { 50 } else { 0 }),
            "judgement",
            |_, run| run.judgement(),
        )
        .scope(|_, _| Scope::Muted)
        .spaced(1, 0)
        .also(Some("judgement"), Some(", "), COPIED),
        Col::new(Width::Rest, "what changed", |_, run| run.changed())
            .spaced(1, 0)
            .also(Some("changed"), Some(": "), COPIED | NAME),
    ],
    one: "run",
    json: |_, runs| (runs.into(), "history"),
    enter: |state, row| {
        let run = state.scores.iter().rev().nth(row)?;
        Some(Action::Take(Box::new(run.settings.clone())))
    },
    waits: |state| state.score().is_none().then(|| state.no_score().to_owned()),
    rare: Rare {
        nothing: Some(|_| ("no run yet", Scope::Muted)),
        ..Rare::NONE
    },
};
