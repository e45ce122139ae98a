//! What is wrong with the open index, looked for on a thread of its own, and listed in a finder.

use super::palette;
use super::state::{Choice, Entry};
use super::text::clean;
use crate::evaluate::{Checkup, Doing, Finding, doctor};
use crate::explorer::command::Command;
use crate::index::Index;
use crate::retrieve::Settings;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;

/// How many names or questions are between two reports.
const REPORT: usize = 100;

/// What is looked at.
#[derive(Clone, Debug, PartialEq)]
pub struct Visit {
    /// News of an older one is dropped.
    pub generation: u64,
    pub settings: Settings,
}

/// How a check-up stands.
#[derive(Clone, Debug, PartialEq)]
pub struct News {
    pub generation: u64,
    pub told: Told,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Told {
    /// What is done, how many, and of how many.
    At(Doing, usize, usize),
    Done(Box<Checkup>),
    Stopped,
    Failed(String),
}

/// A check-up that was begun, and what was found when it is done.
#[derive(Clone, Debug, PartialEq)]
pub struct Begun {
    pub visit: Visit,
    pub found: Option<Box<Checkup>>,
    pub running: bool,
}

/// Looks at the index until all is seen or it is cancelled.
pub fn visit(
    index: &Arc<Index>,
    visit: &Visit,
    tell: &(dyn Fn(News) + Sync),
    cancelled: &(dyn Fn() -> bool + Sync),
) -> News {
    let news = |told| News {
        generation: visit.generation,
        told,
    };
    // Threads count past each other; what is told only grows.
    let last = Mutex::new((Doing::Names, 0));
    let progress = |doing, done: usize, all| {
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.0 != doing || done >= last.1 + REPORT {
            *last = (doing, done);
            tell(news(Told::At(doing, done, all)));
        }
        !cancelled()
    };
    news(
        match doctor(index, index.questions(), &visit.settings, progress) {
            Ok(Some(found)) => Told::Done(Box::new(found)),
            Ok(None) => Told::Stopped,
            Err(error) => Told::Failed(error.to_string()),
        },
    )
}

/// How far it is, for the status line.
pub fn said(doing: Doing, done: usize, all: usize) -> String {
    let what = match doing {
        Doing::Names => "names compared",
        Doing::Questions => "questions asked",
    };
    format!("doctor: {done} of {all} {what}, Esc stops")
}

/// What was found, a line each.
pub fn entries(found: &Checkup) -> Vec<Entry> {
    found.findings.iter().map(entry).collect()
}

fn entry(finding: &Finding) -> Entry {
    let Finding {
        fault,
        count,
        of,
        explains,
        ..
    } = finding;
    let title = format!("{count} {}", fault.about());
    // What helps comes first: there is room for a few lines.
    let told = [
        match finding.remedy.is_empty() {
            true => String::new(),
            false => format!("remedy: {}", finding.remedy),
        },
        match finding.examples.is_empty() {
            true => String::new(),
            false => format!("as {}", finding.examples.join("; ")),
        },
        format!("of {of} {}", fault.among()),
        finding.detail.clone(),
    ];
    let told: Vec<String> = told.into_iter().filter(|told| !told.is_empty()).collect();
    let choice = Choice::Command(Command::Doctor);
    let mut entry = palette::plain(title, format!("{explains} lost gold"), choice);
    entry.help = clean(&told.join(". "));
    entry
}
