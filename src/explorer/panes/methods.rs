//! Every method on the question: where each ranks the gold, what that costs, and what it was worth on the set.

use super::Card;
use super::table::{COPIED, Column, NAME, Rare, Rows, Table, Width};
use crate::explorer::action::Action;
use crate::explorer::cell::Cell;
use crate::explorer::command::Command;
use crate::explorer::jobs::score::MEASURE;
use crate::explorer::jobs::trials::{Trials, Tried};
use crate::explorer::layout::Pane;
use crate::explorer::state::State;
use crate::explorer::text;
use crate::explorer::theme::Scope;
use serde_json::Value;

type Col = Column<Methods>;

pub struct Methods;

impl Rows for Methods {
    /// What a method gave, and what it was worth on the set.
    type Row<'s> = (&'s Tried, Option<f64>);

    fn rows(state: &State) -> Vec<Self::Row<'_>> {
        let rows = state.trials.iter().flat_map(|trials| trials.rows.iter());
        let rows = rows.enumerate();
        rows.map(|(at, tried)| (tried, state.tried_worth(at)))
            .collect()
    }
}

pub static METHODS: Table<Methods> = Table {
    pane: Pane::Methods,
    card: &Card {
        about: "Methods on this question; Enter switches to one",
        keys: &[Command::Open, Command::Pin],
        verb: "eval",
        ..Card::PLAIN
    },
    title: |_| "Methods on this question".to_owned(),
    short: "Methods",
    note: |state, done| {
        let of = |trials: &Trials| trials.settings.len();
        match state.trials.as_ref().map_or(0, of) {
            of if done == of => text::plural(of, "method"),
            of => format!("{done} of {of}"),
        }
    },
    columns: &[
        Col::new(Width::Of(|width| 18.min(width / 3)), "method", |_, row| {
            Cell::Text(row.0.method.clone())
        })
        .scope(|s, row| {
            [Scope::Text, Scope::Tab][usize::from(*s.settings.method().name == *row.0.method)]
        })
        .also(Some("method"), Some(""), COPIED | NAME),
        Col::new(Width::Right(5), MEASURE, |_, row| {
            row.0.worth().map_or(Cell::Empty, Cell::Share)
        })
        .scope(|_, row| row.0.worth().map_or(Scope::Text, Scope::of_measure))
        .also(Some("worth"), Some(", R@5 "), 0),
        Col::new(Width::Rest, "gold ranks", |_, row| {
            Cell::Ranks(row.0.gold().to_vec())
        })
        .scope(|_, _| Scope::Value)
        .spaced(2, 0)
        .also(Some("gold"), Some(", gold ranks "), COPIED),
        Col::new(Width::Right(8), "time", |_, row| {
            Cell::Seconds(row.0.seconds)
        })
        .scope(|_, _| Scope::Muted)
        .also(Some("seconds"), None, 0),
        Col::new(Width::Right(5), "set", |_, row| {
            row.1.map_or(Cell::Empty, Cell::Measure)
        })
        .scope(|_, _| Scope::Muted)
        .also(Some("set"), Some(", on the set R@5 "), COPIED),
    ],
    one: "method",
    json: |state, rows| {
        (
            state.trials.as_ref().map_or(Value::Null, |_| rows.into()),
            "methods",
        )
    },
    enter: |state, row| {
        Some(Action::Method(
            state.trials.as_ref()?.rows.get(row)?.method.clone(),
        ))
    },
    waits: |state| {
        state
            .trials
            .is_none()
            .then(|| "asking every method".to_owned())
    },
    rare: Rare {
        fields: &["method", "gold", "worth", "seconds", "set"],
        failed: |_, row| row.0.column.as_ref().err().cloned(),
        summary: |_| Some(String::new()),
        ..Rare::NONE
    },
};
