//! Another index, opened while the one on screen stays.

use super::look::path_of;
use super::{Doer, Job, News, Running, Tell};
use crate::errors::told;
use crate::exchange::postgres;
use crate::explorer::action::{Effect, Message};
use crate::explorer::state::State;
use crate::explorer::text;
use crate::index::{Index, Progress, Step};
use crate::retrieve::Settings;
use std::path::Path;
use std::sync::Arc;

/// An index in memory, with the settings that it begins with, and what there is to say of it.
pub type Opened = (Arc<Index>, Settings, Vec<String>);

/// Opens what a path names, the bundled sample where it names nothing. Says nothing itself: the explorer has the screen.
pub type Opener = Arc<dyn Fn(&Path, &dyn Progress) -> anyhow::Result<Opened> + Send + Sync>;

/// The path of an index or a corpus, as it was typed; nothing is the bundled sample.
#[derive(Clone, Debug, PartialEq)]
pub struct Open {
    pub path: String,
}

#[derive(Clone, Debug)]
pub enum Part {
    At(Far),
    /// What to write for INDEX, and what it is. Who runs the explorer shows it in the place of the one on screen.
    Done(String, Box<Opened>),
}

/// How far it is.
#[derive(Clone, Debug)]
pub struct Far {
    /// In words.
    pub done: String,
    /// Of one.
    pub part: f64,
}

impl Job for Open {
    type Part = Part;
    const THREAD: &'static str = "open";

    fn run(&self, doer: &mut Doer, tell: &Tell<'_, Part>) -> Result<Option<Part>, String> {
        let Some(opener) = &doer.opener else {
            return Ok(None);
        };
        open(opener, &path_of(&self.path), tell).map(Some)
    }

    fn heard(state: &mut State, news: News<Open>) -> Vec<Effect> {
        if !state.opening.hear(news) {
            return Vec::new();
        }
        match (&state.opening, state.opening.latest()) {
            (Running::Failed { why, .. }, _) => state.message = Message::error(why.clone()),
            (_, Some(Part::At(far))) => {
                let said = format!("opening: {}, Esc stops", far.done);
                state.message = Message::plain(said);
            }
            _ => {}
        }
        Vec::new()
    }
}

/// Opens what is at a path.
///
/// # Errors
/// Why it cannot be opened, with its path.
pub fn open(opener: &Opener, path: &Path, tell: &Tell<'_, Part>) -> Result<Part, String> {
    let progress = tell.progress(|step, done, total| {
        let part = done as f64 / total.max(1) as f64;
        let done = match step == Step::Check.label() {
            true => format!("{step} its files, {:.0} %", 100.0 * part),
            false => format!("{step} {} of {}", text::count(done), text::count(total)),
        };
        Part::At(Far { done, part })
    });
    match opener(path, &progress) {
        Ok(opened) => Ok(Part::Done(path.display().to_string(), Box::new(opened))),
        Err(error) => Err(format!("{}: {}", called(path), told(&error))),
    }
}

/// What a path is called.
pub fn called(path: &Path) -> String {
    match path.as_os_str().is_empty() {
        true => "the bundled sample".to_owned(),
        false => path.display().to_string(),
    }
}

/// Opens another index; the one on screen stays until the other is there.
pub fn begin(state: &mut State, path: String) -> Vec<Effect> {
    let path = postgres::without_password(path.into());
    let path = path.to_string_lossy().into_owned();
    let name = match path.is_empty() {
        true => "the bundled sample",
        false => &path,
    };
    state.message = Message::plain(format!("opening {name}, Esc stops"));
    vec![state.opening.begin(Open { path })]
}
