//! Runs that stay: settings that are asked with every question beside the live ones, so that two, three or four can be
//! held side by side.

use super::engine::Engine;
use super::scene::{Request, Scene};
use crate::evaluate::sweep::{Changes, Column, subsets};
use crate::retrieve::Settings;
use std::collections::BTreeMap;
use std::sync::Arc;

/// At most this many beside the live run.
pub const MOST: usize = 3;

/// Settings that stay, and what they give for the question on screen.
#[derive(Clone, Debug)]
pub struct Pin {
    pub settings: Settings,
    /// The question that was asked last, and its answer or why there is none.
    answer: Option<(String, Result<Arc<Scene>, String>)>,
    /// Ranks of that answer.
    pub ranks: BTreeMap<u32, usize>,
}

/// What is pinned.
#[derive(Clone, Debug)]
pub struct Pins {
    /// Never empty: until one is pinned by hand, it holds the settings that the explorer was opened with.
    pub list: Vec<Pin>,
    pub by_hand: bool,
    /// How often they were asked.
    pub asked: u64,
    /// What they were asked for last: the question, the settings of A and the live ones.
    pub behind: Option<(String, Settings, Settings)>,
    /// The changes from A to the live run, and what every subset of them gives; of that asking.
    pub subsets: Option<(Changes, Vec<Column>)>,
    opened: Settings,
}

/// What is behind one asking.
#[derive(Clone, Debug, PartialEq)]
pub struct Asking {
    /// An answer to an older one is dropped.
    pub generation: u64,
    /// Of pins that lack an answer, by their places.
    pub requests: Vec<(usize, Request)>,
    /// What A is asked, and the changes of parameters that lead from it to the live run, where the method is the same.
    pub changes: Option<(Request, Changes)>,
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Pinned {
    pub generation: u64,
    /// What was asked of a place, and its answer.
    pub answers: Vec<(usize, String, Result<Arc<Scene>, String>)>,
    /// The changes, and what every subset of them gives for the question.
    pub subsets: Option<(Changes, Vec<Column>)>,
}

/// Every subset of more changes would be too many runs for a moment.
pub const CHANGES: usize = 5;

impl Pin {
    pub fn new(settings: Settings) -> Pin {
        Pin {
            settings,
            answer: None,
            ranks: BTreeMap::new(),
        }
    }

    /// What a question gave, once it was asked.
    pub fn answer(&self, question: &str) -> Option<&Result<Arc<Scene>, String>> {
        let (of, answer) = self.answer.as_ref()?;
        (of == question).then_some(answer)
    }

    /// The run of a question, once it is there.
    pub fn scene(&self, question: &str) -> Option<&Arc<Scene>> {
        self.answer(question)?.as_ref().ok()
    }

    /// Takes an answer to a question in.
    pub fn take(&mut self, question: String, answer: Result<Arc<Scene>, String>) {
        let rows = answer.as_ref().map(|scene| scene.passages.iter());
        let ranks = rows.map(|rows| rows.map(|row| (row.passage, row.rank)).collect());
        self.ranks = ranks.unwrap_or_default();
        self.answer = Some((question, answer));
    }
}

impl Pins {
    pub fn new(opened: Settings) -> Pins {
        Pins {
            list: vec![Pin::new(opened.clone())],
            by_hand: false,
            asked: 0,
            behind: None,
            subsets: None,
            opened,
        }
    }

    /// What the live run is held against.
    pub fn first(&self) -> &Pin {
        &self.list[0]
    }

    /// Adds one. Gives back its letter, or none where there is no room.
    pub fn add(&mut self, settings: Settings) -> Option<char> {
        if !self.by_hand {
            self.list.clear();
            self.by_hand = true;
        }
        if self.list.len() == MOST {
            return None;
        }
        self.list.push(Pin::new(settings));
        Some(letter(self.list.len() - 1))
    }

    /// Takes one out; after the last one the opening settings stand there again.
    pub fn remove(&mut self, at: usize) {
        self.list.remove(at);
        if self.list.is_empty() {
            self.list.push(Pin::new(self.opened.clone()));
            self.by_hand = false;
        }
    }
}

/// What a pin is called.
pub fn letter(at: usize) -> char {
    char::from(b'A' + at.min(25) as u8)
}

/// Asks for every pin that lacks an answer. None when it is cancelled.
pub fn ask(engine: &mut Engine, asking: &Asking, cancelled: &dyn Fn() -> bool) -> Option<Pinned> {
    let mut answers = Vec::with_capacity(asking.requests.len());
    for (at, request) in &asking.requests {
        if cancelled() {
            return None;
        }
        let answer = engine.answer(request).map(|answer| answer.scene);
        let answer = answer.map_err(|error| error.to_string());
        answers.push((*at, request.question.clone(), answer));
    }
    let subsets = asking.changes.as_ref().and_then(|(first, changes)| {
        let points = subsets(changes);
        let columns = engine.changed(first, &points, &|| !cancelled()).ok()?;
        (columns.len() == points.len()).then(|| (changes.clone(), columns))
    });
    Some(Pinned {
        generation: asking.generation,
        answers,
        subsets,
    })
}
