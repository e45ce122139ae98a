//! The panes of all views, one file each.

mod around;
pub(crate) mod changes;
pub(crate) mod fill;
pub mod filter;
pub(crate) mod flow;
pub(crate) mod heat;
pub(crate) mod history;
pub(crate) mod ink;
pub(crate) mod iterations;
pub(crate) mod label;
pub(crate) mod lost;
pub(crate) mod methods;
pub(crate) mod neighbours;
pub(crate) mod parameters;
pub(crate) mod passages;
pub(crate) mod paths;
pub(crate) mod question;
pub(crate) mod questions;
pub(crate) mod queue;
pub(crate) mod reader;
pub(crate) mod row;
pub mod rows;
pub(crate) mod runs;
pub(crate) mod seeds;
pub(crate) mod session;
pub(crate) mod set;
pub(crate) mod spread;
pub(crate) mod step;
pub(crate) mod sweep;
pub(crate) mod table;
mod whole;
pub(crate) mod why;

use super::action::Action;
use super::command::Command;
use super::hits::Hits;
use super::layout::{Pane, Slot};
use super::scene::{Scene, Subject};
use super::state::State;
use ink::Ink;
use ratatui::buffer::Buffer;
use serde_json::{Value, json};

/// What never changes of a pane.
#[derive(Clone, Copy)]
pub struct Card {
    /// What it shows, for the top of its help.
    pub about: &'static str,
    /// The commands that mean something special here, most useful first.
    pub keys: &'static [Command],
    /// The command of the shell that prints its figures.
    pub verb: &'static str,
    /// A text that the cursor's keys move.
    pub scrolls: bool,
    /// The row under the cursor is the selection of all panes.
    pub selects: bool,
}

/// The keys of a picture of a walk's steps.
const STEPPED: &[Command] = &[
    Command::Play,
    Command::StepBack,
    Command::StepOn,
    Command::StepFirst,
    Command::StepLast,
    Command::Open,
    Command::Slower,
    Command::Faster,
    Command::Loop,
];

impl Card {
    pub const PLAIN: Card = Card {
        about: "",
        keys: &[],
        verb: "ask",
        scrolls: false,
        selects: false,
    };
}

/// What a pane holds: its rows, how it is drawn, what it gives away, its keys, and what Enter does. One file each.
pub trait Contents: Sync {
    /// What never changes of it.
    fn card(&self) -> &'static Card;

    /// Draws it.
    fn draw(&self, ink: &Ink<'_>, slot: Slot, buf: &mut Buffer, hits: &mut Hits);

    /// How many rows its list has; 0 without a list.
    fn count(&self, _: &State) -> usize {
        0
    }

    /// What a filter finds its rows by; none for a row that stands over others.
    fn words(&self, _: &State) -> Vec<Option<Words>> {
        Vec::new()
    }

    /// Rows that a cursor passes over.
    fn passed_over(&self, _: &State) -> Vec<usize> {
        Vec::new()
    }

    /// What a row is about, for the selection that all panes share.
    fn subject(&self, _: &State, _row: usize) -> Option<Subject> {
        None
    }

    /// What `y` copies with the cursor on a row, and what that is.
    fn copied(&self, state: &State, scene: &Scene, row: usize) -> Option<(String, String)>;

    /// What `Y` copies, and what that is.
    fn json(&self, state: &State, scene: &Scene) -> (Value, &'static str);

    /// Whether its JSON has only the rows that a filter shows.
    fn narrows_json(&self, _: &State) -> bool {
        false
    }

    /// Its rows as sentences.
    fn spoken(&self, state: &State) -> Vec<Option<String>> {
        worded(self.words(state))
    }

    /// All of it as sentences, where it has no rows.
    fn aloud(&self, _: &State) -> Option<String> {
        None
    }

    /// The commands that mean something special here now.
    fn keys(&self, _: &State) -> &'static [Command] {
        self.card().keys
    }

    /// Whether the cursor's keys move its text, and not a cursor.
    fn scrolls(&self, _: &State) -> bool {
        self.card().scrolls
    }

    /// Why it can have no rows yet.
    fn waits(&self, _: &State) -> Option<String> {
        None
    }

    /// # Errors
    /// Why Enter does nothing on a row.
    fn can_enter(&self, state: &State, row: usize) -> Result<(), String> {
        need(self.subject(state, row).is_some(), "this row is not a node")
    }

    /// What Enter does on a row: where it is a node, it goes there.
    fn enter(&self, state: &State, row: usize) -> Option<Action> {
        let subject = self.subject(state, row)?;
        subject.node.is_some().then_some(Action::Visit(subject))
    }
}

/// What a pane holds.
pub fn contents(pane: Pane) -> &'static dyn Contents {
    match pane {
        Pane::Question => &question::Question,
        Pane::Seeds => &seeds::Seeds,
        Pane::Parameters => &parameters::Parameters,
        Pane::Session => &session::Session,
        Pane::Spread => &spread::Spread,
        Pane::Neighbours => &neighbours::Neighbours,
        Pane::Passages => &passages::Passages,
        Pane::Why => &why::WhyHere,
        Pane::Iterations => &iterations::Iterations,
        Pane::Reader => &reader::Reader,
        Pane::Runs => &runs::Runs,
        Pane::Changes => &changes::Pinned,
        Pane::Flow => &flow::Flows,
        Pane::Heat => &heat::Heat,
        Pane::Step => &step::Moves,
        Pane::Paths => &paths::Paths,
        Pane::Set => &set::Set,
        Pane::Lost => &lost::LOST,
        Pane::Questions => &questions::QUESTIONS,
        Pane::Methods => &methods::METHODS,
        Pane::History => &history::HISTORY,
        Pane::Queue => &queue::Queue,
        Pane::Label => &label::LabelOf,
    }
}

/// What a filter finds a row by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// What it is called; letters that lie apart match here.
    pub name: String,
    /// What else it says; only what stands together matches here.
    pub rest: String,
}

impl Words {
    pub fn new(name: impl Into<String>, rest: impl IntoIterator<Item = String>) -> Words {
        Words {
            name: name.into(),
            rest: rest.into_iter().collect::<Vec<_>>().join(" "),
        }
    }
}

/// Rows that say no more than what a filter finds them by.
fn worded(words: Vec<Option<Words>>) -> Vec<Option<String>> {
    let one = |words: Words| match words.rest.trim() {
        "" => words.name.trim().to_owned(),
        rest => format!("{}, {rest}", words.name.trim()),
    };
    words.into_iter().map(|words| words.map(one)).collect()
}

/// The story of a method that has one, in the place of what a pane shows of it.
fn story(scene: &Scene) -> Option<(Value, &'static str)> {
    Some((json!(scene.story.as_deref()?), "story"))
}

/// # Errors
/// `otherwise`, where it does not hold.
pub fn need(holds: bool, otherwise: &str) -> Result<(), String> {
    if holds {
        Ok(())
    } else {
        Err(otherwise.to_owned())
    }
}
