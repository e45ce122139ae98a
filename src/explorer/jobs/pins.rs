//! Runs that stay: settings that are asked with every question beside the live ones, so that two, three or four can be
//! held side by side.

use super::{Doer, Job, News, Running, Tell};
use crate::evaluate::sweep::{Changes, Column, between, subsets};
use crate::explorer::action::Effect;
use crate::explorer::layout::View;
use crate::explorer::scene::{Request, Scene, Subject};
use crate::explorer::state::State;
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
    pub asking: Running<Asking>,
    /// What they were asked for last: the question, the settings of A and the live ones.
    pub behind: Option<(String, Settings, Settings)>,
    /// The changes from A to the live run, and what every subset of them gives; of that asking.
    pub subsets: Option<(Changes, Vec<Column>)>,
    opened: Settings,
}

/// What is behind one asking.
#[derive(Clone, Debug, PartialEq)]
pub struct Asking {
    /// Of pins that lack an answer, by their places.
    pub requests: Vec<(usize, Request)>,
    /// What A is asked, and the changes of parameters that lead from it to the live run, where the method is the same.
    pub changes: Option<(Request, Changes)>,
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Pinned {
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
            asking: Running::Never,
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

impl Job for Asking {
    type Part = Pinned;
    const THREAD: &'static str = "pins";

    /// Asks for every pin that lacks an answer.
    fn run(&self, doer: &mut Doer, tell: &Tell<'_, Pinned>) -> Result<Option<Pinned>, String> {
        let engine = doer.engine();
        let mut answers = Vec::with_capacity(self.requests.len());
        for (at, request) in &self.requests {
            if tell.stopped() {
                return Ok(None);
            }
            let answer = engine.answer(request).map(|answer| answer.scene);
            let answer = answer.map_err(|error| error.to_string());
            answers.push((*at, request.question.clone(), answer));
        }
        let subsets = self.changes.as_ref().and_then(|(first, changes)| {
            let points = subsets(changes);
            let columns = engine.changed(first, &points, &|| !tell.stopped()).ok()?;
            (columns.len() == points.len()).then(|| (changes.clone(), columns))
        });
        Ok(Some(Pinned { answers, subsets }))
    }

    fn heard(state: &mut State, news: News<Asking>) -> Vec<Effect> {
        let pins = &mut state.pins;
        if !pins.asking.hear(news) {
            return Vec::new();
        }
        let (answers, subsets) = match &pins.asking {
            Running::Failed { request, why } => {
                let lacking = request.requests.iter();
                let failed = lacking.map(|(at, r)| (*at, r.question.clone(), Err(why.clone())));
                (failed.collect(), None)
            }
            other => match other.latest().cloned() {
                Some(Pinned { answers, subsets }) => (answers, subsets),
                None => (Vec::new(), None),
            },
        };
        for (at, question, answer) in answers {
            pins.list[at].take(question, answer);
        }
        pins.subsets = subsets.or(pins.subsets.take());
        Vec::new()
    }
}

/// Asks for the pins that lack an answer where they are looked at, and in Compare which change did it.
pub fn follow(state: &mut State) -> Option<Effect> {
    let question = &state.wanted.question;
    let comparing = state.view == View::Compare;
    if question.trim().is_empty() || !(comparing || state.pins.by_hand) {
        return None;
    }
    let request = |pin: &Pin| Request {
        settings: pin.settings.clone(),
        subject: Subject::default(),
        view: View::default(),
        browse: None,
        ..state.wanted.clone()
    };
    let pins = state.pins.list.iter().enumerate();
    let lacking = pins.filter(|(_, pin)| pin.answer(question).is_none());
    let requests: Vec<_> = lacking.map(|(at, pin)| (at, request(pin))).collect();
    let first = state.pins.first();
    let behind = (
        question.clone(),
        first.settings.clone(),
        state.settings.clone(),
    );
    let same = state.pins.behind.as_ref() == Some(&behind);
    let known = same && state.pins.subsets.is_some();
    let changes = between(&first.settings, &state.settings, CHANGES);
    let changes = (comparing && !known && !changes.is_empty()).then(|| (request(first), changes));
    if comparing && !same {
        state.pins.subsets = None;
        state.pins.behind = Some(behind);
    }
    if requests.is_empty() && changes.is_none() {
        return None;
    }
    Some(state.pins.asking.begin(Asking { requests, changes }))
}
