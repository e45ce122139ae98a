//! The panes of the Explore view, one file each with one `render`.

pub mod changes;
pub mod flow;
pub mod header;
pub mod heat;
pub mod hints;
pub mod iterations;
pub mod label;
pub mod lesson;
pub mod line;
pub mod lost;
pub mod methods;
pub mod neighbours;
pub mod parameters;
pub mod passages;
pub mod paths;
pub mod pipeline;
pub mod question;
pub mod questions;
pub mod queue;
pub mod reader;
pub mod row;
pub mod runs;
pub mod seeds;
pub mod session;
pub mod set;
pub mod spread;
pub mod status;
pub mod step;
pub mod sweep;
pub mod table;
pub mod why;

use super::action::Action;
use super::command::Command;
use super::hits::Hits;
use super::layout::{Pane, Slot};
use super::scene::Subject;
use super::state::State;
use super::view::ink::Ink;
use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use serde_json::Value;

/// What a pane holds: its rows, how it is drawn, what it gives away, its keys, and what Enter does. One file each.
pub trait Contents: Sync {
    /// What it shows, for the top of its help.
    fn about(&self) -> &'static str;

    /// The commands that mean something special here, most useful first.
    fn keys(&self) -> &'static [Command];

    /// Draws it, and returns where the text cursor is, if a field of it is open.
    fn draw(
        &self,
        ink: &Ink<'_>,
        slot: Slot,
        buf: &mut Buffer,
        hits: &mut Hits,
    ) -> Option<Position>;

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
    fn copied(&self, state: &State, row: usize) -> Option<(String, String)>;

    /// What `Y` copies, and what that is.
    fn json(&self, state: &State) -> (Value, &'static str);

    /// Whether its JSON has only the rows that a filter shows.
    fn narrows_json(&self) -> bool {
        false
    }

    /// Its rows as sentences.
    fn spoken(&self, state: &State) -> Vec<Option<String>> {
        worded(self.words(state))
    }

    /// Why it can have no rows yet.
    fn waits(&self, _: &State) -> Option<String> {
        None
    }

    /// # Errors
    /// Why Enter does nothing on a row.
    fn can_enter(&self, state: &State, row: usize) -> Result<(), String>;

    /// What Enter does on a row.
    fn enter(&self, state: &State, row: usize) -> Option<Action>;
}

/// What a pane holds.
pub fn contents(pane: Pane) -> Option<&'static dyn Contents> {
    Some(match pane {
        Pane::Lost => &lost::LOST,
        Pane::Questions => &questions::QUESTIONS,
        Pane::Methods => &methods::METHODS,
        _ => return None,
    })
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

/// What a pane shows, for the top of its help.
pub fn about(pane: Pane) -> &'static str {
    if let Some(contents) = contents(pane) {
        return contents.about();
    }
    match pane {
        Pane::Question => "Question: what was asked, and what is known about its answer",
        Pane::Seeds => {
            "Seeds: what the question linked to, in how many passages, and its share of the restart mass"
        }
        Pane::Parameters => "Parameters: every step re-runs; * set here, i as the index was built",
        Pane::Session => "Session: runs so far; Enter takes the settings of one back",
        Pane::Spread => {
            "Spread: mass on names, split by the seed it came from; * next to the selected node, ! a hub"
        }
        Pane::Neighbours => {
            "Neighbours: edges of the selected node, and the mass that crosses each per step"
        }
        Pane::Passages => "Passages: G gold, ~ within .5% of the next, * next to the selected node",
        Pane::Why => "Why: the score opened into parts that add up, and the ways it came",
        Pane::Iterations => {
            "Iterations: gold ranks and mass after each step; stepping back changes Spread, Neighbours and Passages"
        }
        Pane::Runs => {
            "Runs: the pinned ones and the live one; lines join the places of one passage"
        }
        Pane::Changes => {
            "Changes: what the live run has other than A, and what each change alone does to this question"
        }
        Pane::Flow => {
            "Flow: score on its way into the passages; what is selected is bright, a band is as thick as its share"
        }
        Pane::Heat => "Heat: mass of the heaviest nodes by step, the most of a row in full shade",
        Pane::Step => "Step: where all mass is, and what moved over which edges",
        Pane::Paths => {
            "Paths: the heaviest ways from seeds to passages; figures on lines are weights, t draws them otherwise"
        }
        Pane::Lost | Pane::Questions | Pane::Methods => "",
        Pane::Queue => {
            "Queue: lost and doubtful gold; Enter labels a row, Left and Right list one kind"
        }
        Pane::Label => {
            "Label: what you say of the passage; Enter opens the strip, where 0 1 2 are grades"
        }
        Pane::Set => "Set: all questions with gold under A and under the live settings",
        Pane::Reader => {
            "Passage: seeds in their colours, words of the question, names of the graph underlined"
        }
    }
}
