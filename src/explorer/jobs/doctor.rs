//! What is wrong with the open index, listed in a finder.

use super::{Doer, Job, News, Running, Tell};
use crate::evaluate::{Checkup, Doing, Finding, doctor};
use crate::explorer::action::{Action, Effect, Message, Then};
use crate::explorer::command::Command;
use crate::explorer::state::{Entry, FinderKind, Mode, State};
use crate::explorer::text::clean;
use crate::retrieve::Settings;
use std::sync::{Mutex, PoisonError};

/// How many names or questions are between two reports.
const REPORT: usize = 100;

/// What is looked at.
#[derive(Clone, Debug, PartialEq)]
pub struct Visit {
    pub settings: Settings,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// What is done, how many, and of how many.
    At(Doing, usize, usize),
    Done(Box<Checkup>),
}

impl Job for Visit {
    type Part = Part;
    const THREAD: &'static str = "doctor";
    const WHOLE: bool = true;

    fn run(&self, doer: &mut Doer, tell: &Tell<'_, Part>) -> Result<Option<Part>, String> {
        // Threads count past each other; what is told only grows.
        let last = Mutex::new((Doing::Names, 0));
        let progress = |doing, done: usize, all| {
            let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
            if last.0 != doing || done >= last.1 + REPORT {
                *last = (doing, done);
                tell.part(Part::At(doing, done, all));
            }
            !tell.stopped()
        };
        let found = doctor(
            &doer.index,
            doer.index.questions(),
            &self.settings,
            progress,
        );
        let found = found.map_err(|error| error.to_string())?;
        Ok(found.map(|found| Part::Done(Box::new(found))))
    }

    /// Lists what was found, unless a person is in the middle of something else.
    fn heard(state: &mut State, news: News<Visit>) -> Vec<Effect> {
        if !state.doctoring.hear(news) {
            return Vec::new();
        }
        state.message = match (&state.doctoring, state.doctoring.latest()) {
            (Running::Failed { why, .. }, _) => Message::error(why.clone()),
            (_, Some(Part::At(doing, done, all))) => Message::plain(said(*doing, *done, *all)),
            (_, Some(Part::Done(found))) => {
                let (lost, gold) = (found.lost, found.gold);
                Message::plain(format!(
                    "index check: {lost} of {gold} gold passages missed"
                ))
            }
            _ => return Vec::new(),
        };
        match state.faults() {
            Some(_) if matches!(state.mode, Mode::Browse) => {
                vec![Effect::Then(Then::List(FinderKind::Doctor))]
            }
            _ => Vec::new(),
        }
    }
}

/// Lists what was found under these settings, or begins to look.
pub fn begin(state: &mut State) -> Vec<Effect> {
    let visit = Visit {
        settings: state.settings.clone(),
    };
    if state.faults().is_some() && state.doctoring.request() == Some(&visit) {
        return vec![Effect::Then(Then::List(FinderKind::Doctor))];
    }
    state.message = Message::plain("checking the index; Esc stops");
    vec![state.doctoring.begin(visit)]
}

impl State {
    /// What the newest check-up found, once it is done.
    pub fn faults(&self) -> Option<&Checkup> {
        match self.doctoring.latest() {
            Some(Part::Done(found)) => Some(found),
            _ => None,
        }
    }
}

/// How far it is, for the status line.
fn said(doing: Doing, done: usize, all: usize) -> String {
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
    let choice = Action::Do(Command::Doctor);
    let mut entry = Entry::plain(title, format!("explains {explains} missed"), choice);
    entry.help = clean(&told.join(". "));
    entry
}
