//! What can happen to the explorer, and what it asks of the world in return.

use super::command::Command;
use super::export::{Export, Traced};
use super::hits::Hits;
use super::jobs::look::Place;
use super::jobs::search::Match;
use super::jobs::{Heard, Thread, Work};
use super::layout::Pane;
use super::lesson::Lesson;
use super::scene::Subject;
use super::state::FinderKind;
use crate::evaluate::labels::Label;
use crate::layers::{Class, GraphEdit};
use crate::ranker::Tuned;
use crate::retrieve::Settings;
use crossterm::event::KeyEvent;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Something that happened. Those a person causes have names, so tours, tests and scripts can write them down; those
/// of the machine (answers, frames) are left out of files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    Do(Command),
    /// Asks a question as if it had been typed.
    Ask(String),
    /// Draws in a theme from now on.
    Theme(String),
    /// Begins a lesson, by its name or file.
    Lesson(String),
    /// Begins a lesson on the index that is open.
    #[serde(skip)]
    Teach(Arc<Lesson>),
    /// Opens another index or corpus, by its path; nothing is the bundled sample.
    OpenIndex(String),
    /// Types a path into the open finder.
    Into(String),
    /// Makes a passage of the ranking the selected one, by its identifier.
    Select(String),
    /// Asks a question of the set, by its place.
    AskNumber(usize),
    Method(String),
    /// Goes to the next question that loses gold for a failure class.
    Losing(Class),
    /// A preset by name, or `none`.
    Preset(String),
    /// Keeps method and settings as a preset of this name.
    SavePreset(String),
    /// Builds the layer that a method needs, then switches to it.
    Build(String),
    /// Parameter and value, as written after `--set`.
    Set(String, String),
    /// Changes a seed, as written after `--seed`.
    Seed(String),
    /// Changes the graph, as written after `--edit`.
    Edit(String),
    /// Takes such a change back.
    Restore(String),
    /// Writes the changes of the graph to a file; true takes the place of one that is there.
    SavePatch(String, bool),
    /// Makes the changes of a patch file.
    LoadPatch(String),
    /// Goes to a row of the list that has the keyboard, from 0.
    Row(usize),
    /// Opens the field of the pane that has the keyboard.
    #[serde(skip)]
    Type,
    /// Takes question and settings of a run of the session back, by its place.
    #[serde(skip)]
    TakeRun(usize),
    /// Takes method and settings of a run over the set back.
    #[serde(skip)]
    Take(Box<Settings>),
    /// Opens the text of the selected passage in the place of the lists.
    #[serde(skip)]
    Read,
    /// The same for a method without a graph.
    #[serde(skip)]
    ReadBeside,
    /// Goes to a node and what is next to it.
    #[serde(skip)]
    Visit(Subject),
    /// Folds or unfolds a stage of Spread.
    #[serde(skip)]
    UnfoldStage(usize),
    /// Opens the parts of a score, or closes them.
    #[serde(skip)]
    UnfoldParts,
    /// Shows a row of the queue with the strip open.
    #[serde(skip)]
    LabelRow(usize),
    /// Opens a question of Evaluate's list, by its row.
    #[serde(skip)]
    OpenListed(usize),
    /// Lists the questions that lose gold for a class; the same class again lists all.
    #[serde(skip)]
    ListClass(Class),
    /// Makes a node the selected one.
    Node(u32),
    /// Goes to the neighbourhood of a node of the graph that is walked.
    Around(u32),
    /// Pins a node of it, for best paths to end there; again drops it.
    #[serde(skip)]
    PinNode(u32),
    /// Pins a node, and shows the best paths to it.
    #[serde(skip)]
    End(u32),
    /// Goes into the neighbourhood along a path.
    #[serde(skip)]
    Along(Vec<u32>),
    /// Draws the neighbours of a node of the picture, or takes them away.
    #[serde(skip)]
    UnfoldNode(u32),
    /// Makes a passage the selected one.
    Passage(u32),
    Focus(Pane),
    /// Text that was pasted.
    Paste(String),
    Press(u16, u16),
    DoublePress(u16, u16),
    Drag(u16, u16),
    Release,
    /// Column, row and lines down (negative: up).
    Wheel(u16, u16, i32),
    Resize(u16, u16),
    /// Time for the next step of a played walk.
    Tick,
    #[serde(skip)]
    Key(KeyEvent),
    /// News of a job.
    #[serde(skip)]
    Heard(Heard),
    /// A label was written, or why not.
    #[serde(skip)]
    Labelled(Result<Box<Label>, String>),
    /// What the last frame showed where.
    #[serde(skip)]
    Drawn(Box<Hits>),
    /// An effect has something to say.
    #[serde(skip)]
    Told(Message),
    /// What a patch file says, and the file.
    #[serde(skip)]
    Patch(String, Vec<GraphEdit>),
}

impl Action {
    /// What follows the end of a lesson on its own corpus: another lesson where one was chosen.
    pub fn after_lesson(next: Option<String>) -> Action {
        let end = || Action::Told(Message::plain("end of the lesson"));
        next.map_or_else(end, Action::Lesson)
    }
}

/// What the caller of `update` has to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// What news of a job lead to; `update` does it at once.
    Then(Then),
    /// A job to begin, in the place of an older request.
    Begin(Work),
    /// A job to stop.
    Stop(Thread),
    /// Draws in a theme, by its name.
    Theme(String),
    /// Text, and what it is in words.
    Copy(String, String),
    /// Something for a file.
    Export(Export),
    /// A file whose text takes an index to make.
    ExportGraph(Box<Traced>),
    /// Method and settings for the presets file, under a name.
    SavePreset(String, Box<Settings>),
    /// Changes of the graph for a file, and whether it may take the place of one.
    SavePatch(String, Vec<GraphEdit>, bool),
    /// A patch file to be read.
    LoadPatch(String),
    /// A label for the labels file; when, is said by who writes it.
    KeepLabel(Box<Label>),
    /// A question for the history file.
    Remember(String),
    /// The job is stopped until the shell lets it go on.
    Suspend,
    /// A lesson on its own corpus: the index on screen waits, as it is, until that one ends.
    Aside(Arc<Lesson>),
    /// Back to the index that waits, and there to another lesson.
    Return(Option<String>),
    Quit {
        keep: bool,
    },
}

/// What news of a job lead to, beyond what the job itself keeps.
#[derive(Clone, Debug, PartialEq)]
pub enum Then {
    /// The question on screen is answered.
    Answered,
    /// Settings that could not be asked with give way to those of what is on screen.
    TakeBack,
    /// Asks a question of the set, with a passage selected.
    About(usize, Option<u32>),
    Method(String),
    /// What matches what is typed in a finder.
    Found(Result<Vec<Match>, String>),
    /// What lies at the path that is typed.
    Looked(Vec<Place>),
    /// Opens a list to choose from.
    List(FinderKind),
    /// The queue of passages to label is new.
    Queue,
    /// A ranker was learned: it is used from now on, beside the run before. With what it gains, in a sentence.
    Learned(Arc<Tuned>, String),
    Told(Message),
}

/// A line for the person.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    pub tone: Tone,
    pub text: String,
}

/// What was done, or why it was not.
impl From<Result<String, String>> for Message {
    fn from(done: Result<String, String>) -> Message {
        match done {
            Ok(done) => Message::new(Tone::Good, done),
            Err(why) => Message::error(why),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    #[default]
    Plain,
    Good,
    Warning,
    Error,
}

impl Message {
    pub fn new(tone: Tone, text: impl Into<String>) -> Message {
        Message {
            tone,
            text: text.into(),
        }
    }

    pub fn plain(text: impl Into<String>) -> Message {
        Message::new(Tone::Plain, text)
    }

    pub fn warning(text: impl Into<String>) -> Message {
        Message::new(Tone::Warning, text)
    }

    pub fn error(text: impl Into<String>) -> Message {
        Message::new(Tone::Error, text)
    }
}
