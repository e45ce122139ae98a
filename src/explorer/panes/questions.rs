//! The questions of the set under the live settings, the most harmed against A first.

use super::Card;
use super::table::{COPIED, Column, FOUND, NAME, Rare, Rows, Table, Width};
use crate::explorer::action::Action;
use crate::explorer::cell::Cell;
use crate::explorer::command::Command;
use crate::explorer::jobs::score::{Judged, MEASURE};
use crate::explorer::layout::Pane;
use crate::explorer::scene::Asked;
use crate::explorer::state::State;
use crate::explorer::theme::Scope;

type Col = Column<Questions>;

pub struct Questions;

impl Rows for Questions {
    type Row<'s> = (&'s Judged, &'s Asked);

    fn rows(state: &State) -> Vec<Self::Row<'_>> {
        let score = state.score().into_iter();
        let judged = score.flat_map(|score| score.listed(state.class));
        let asked = judged.map(|judged| Some((judged, state.facts.questions.get(judged.at)?)));
        asked.flatten().collect()
    }
}

pub static QUESTIONS: Table<Questions> = Table {
    pane: Pane::Questions,
    card: &Card {
        about: "Questions: largest loss against A first; Enter opens one, n goes to the next",
        keys: &[Command::Open, Command::NextLosing, Command::Pin],
        verb: "eval",
        ..Card::PLAIN
    },
    title: |state| match state.class {
        Some(class) => format!("Questions: {class} {}", class.about()),
        None => "Questions".to_owned(),
    },
    short: "Questions",
    note: |state, rows| match state.class {
        Some(_) => format!("{rows} of {}", state.facts.questions.len()),
        None => format!("by {MEASURE} change"),
    },
    columns: &[
        Col::new(Width::None, "", |_, row| Cell::Text(row.1.id.clone())).also(
            Some("id"),
            Some(""),
            COPIED | NAME,
        ),
        Col::new(Width::Right(6), "change", |_, row| Cell::Gain(row.0.gain()))
            .scope(|_, row| Scope::of_gain(row.0.gain()))
            .also(Some("gain"), Some(", change "), 0),
        Col::new(Width::Right(5), MEASURE, |_, row| {
            Cell::Share(row.0.worth())
        })
        .scope(|_, row| Scope::of_measure(row.0.worth())),
        Col::new(Width::Left(12), "gold ranks", |_, row| {
            Cell::Ranks(row.0.gold.clone())
        })
        .scope(|_, _| Scope::Value)
        .spaced(2, 1)
        .also(Some("gold"), Some(", gold ranks "), 0),
        Col::new(
            Width::Of(|width| if width >= 70 { 18 } else { 0 }),
            "verdict",
            |_, row| {
                let lost = row.0.lost.iter();
                Cell::Verdicts(lost.map(|(_, code, class)| (*code, *class)).collect())
            },
        )
        .scope(|_, _| Scope::Warn)
        .spaced(0, 1)
        .also(Some("lost"), Some(", missed by "), FOUND),
        Col::new(Width::Rest, "question", |_, row| {
            Cell::Masked(row.1.text.clone())
        })
        .scope(|s, row| [Scope::Text, Scope::Title][usize::from(s.wanted.asked == Some(row.0.at))])
        .spaced(0, 1)
        .also(None, Some(". "), COPIED | FOUND),
    ],
    one: "question",
    json: |state, rows| (super::set::json(state, rows), "set"),
    enter: |_, row| Some(Action::OpenListed(row)),
    waits: |state| state.score().is_none().then(|| state.no_score().to_owned()),
    rare: Rare {
        nothing: Some(|_| ("none", Scope::Muted)),
        unlisted: "no question is listed",
        ..Rare::NONE
    },
};
