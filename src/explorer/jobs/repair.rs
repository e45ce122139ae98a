//! What would bring the selected passage in: changes are tried one by one; then what the first of them do to the whole
//! question set.

use super::score::{MEASURE, Memory, Scoring, score};
use super::{Doer, Job, Listed, News, Running, Tell};
use crate::evaluate::{Difference, recall_at};
use crate::explain::{self, Change, Kind, Repairs, repairs};
use crate::explorer::action::{Effect, Message};
use crate::explorer::scene::Why;
use crate::explorer::state::State;
use crate::index::Index;
use crate::parameters::RESULT_K;
use crate::retrieve::{Keep, Retrieval, Retriever, Settings};
use std::sync::Arc;

/// How many changes are tried between two reports, unless one helps.
const REPORT: usize = 10;
/// Of how many changes it is asked what they do to the set.
const PRICED: usize = 6;

/// What is looked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Repair {
    pub question: String,
    pub settings: Settings,
    pub passage: u32,
}

/// What was found so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    pub repairs: Repairs,
    /// Every change was tried.
    pub done: bool,
    /// What the first of them do to the set, as far as that was asked.
    pub prices: Vec<Price>,
}

/// What a change does to all questions with gold.
#[derive(Clone, Debug, PartialEq)]
pub struct Price {
    pub change: Change,
    pub questions: usize,
    /// From the settings as they are: of the recall that fits the list, then of [`MEASURE`] where that is another.
    pub differences: Vec<(&'static str, Difference)>,
}

impl Price {
    /// What it surely does to the measure that the repair is about.
    fn gain(&self) -> f64 {
        self.differences.first().map_or(0.0, |(_, d)| d.sure())
    }
}

impl Job for Repair {
    type Part = Found;
    const THREAD: &'static str = "repairs";

    fn run(&self, doer: &mut Doer, tell: &Tell<'_, Found>) -> Result<Option<Found>, String> {
        let (retriever, index) = (&mut doer.retriever, &doer.index);
        let mut found = 0;
        let mut report = |repairs: &Repairs| {
            if repairs.tried.is_multiple_of(REPORT) || repairs.found.len() > found {
                found = repairs.found.len();
                tell.part(Found {
                    repairs: repairs.clone(),
                    ..Found::default()
                });
            }
            !tell.stopped()
        };
        let repairs =
            |index: &Arc<Index>, run: &Retrieval| repairs(index, run, self.passage, &mut report);
        let repairs = retriever.read(&self.question, &self.settings, Keep::Scores, repairs);
        let repairs = repairs.and_then(|repairs| repairs);
        let mut last = Found {
            repairs: repairs.map_err(|error| error.to_string())?,
            done: true,
            prices: Vec::new(),
        };
        tell.part(last.clone());
        let mut memory = Memory::default();
        let sensible: Vec<Change> = last.repairs.sensible().map(|r| r.change.clone()).collect();
        for change in sensible.into_iter().filter(Change::is_general).take(PRICED) {
            let price = price(retriever, index, &mut memory, self, change, tell);
            last.prices.extend(price);
            tell.part(last.clone());
        }
        // Those that gain for the set first, those that cost it last; of equals those of fewest moves.
        let Found {
            repairs, prices, ..
        } = &mut last;
        let gain = |change: &Change| {
            let price = prices.iter().find(|price| price.change == *change);
            price.map_or(0.0, Price::gain)
        };
        let forced = |repair: &explain::Repair| repair.kind == Kind::Forced;
        repairs.found.sort_by(|a, b| {
            let gains = gain(&b.change).total_cmp(&gain(&a.change));
            forced(a).cmp(&forced(b)).then(gains)
        });
        Ok(Some(last))
    }

    fn heard(state: &mut State, news: News<Repair>) -> Vec<Effect> {
        let before = state.repairing.latest().is_some_and(|found| found.done);
        if state.repairing.hear(news) {
            if let Running::Failed { why, .. } = &state.repairing {
                state.message = Message::error(why.clone());
            }
            let done = state
                .repairing
                .latest()
                .filter(|found| found.done && !before);
            if let Some(found) = done {
                state.message = Message::plain(found.repairs.sentence());
            }
        }
        Vec::new()
    }
}

/// What a change does to the set; none where there is no set.
fn price(
    retriever: &mut Retriever,
    index: &Arc<Index>,
    memory: &mut Memory,
    search: &Repair,
    change: Change,
    tell: &Tell<'_, Found>,
) -> Option<Price> {
    if index.questions().iter().all(|q| q.wanted() == 0) {
        return None;
    }
    let pinned = search.settings.of_any_question();
    let scoring = Scoring {
        settings: change.applied(&pinned),
        pinned,
        judge: false,
    };
    let stopped = || tell.stopped();
    let alone = Tell::new(&|_| {}, &stopped);
    let score = score(retriever, index, memory, &scoring, &alone).ok()??;
    let mut measures = vec![recall_at(search.settings.get(RESULT_K)), MEASURE];
    measures.dedup();
    let of = |name| Some((name, score.difference(name)?.clone()));
    Some(Price {
        change,
        questions: score.of,
        differences: measures.into_iter().filter_map(of).collect(),
    })
}

/// Begins to look, for the passage that Why is about.
pub fn begin(state: &mut State) -> Vec<Effect> {
    let Some(why) = state.why() else {
        return Vec::new();
    };
    let request = Repair {
        question: state.wanted.question.clone(),
        settings: state.settings.clone(),
        passage: why.passage,
    };
    let work = request.clone().work();
    // The pane counts from the first moment.
    let latest = Some(Found::default());
    state.repairing = Running::Going { request, latest };
    vec![Effect::Begin(work)]
}

impl State {
    /// What was found so far that brings the selected passage in, where it was looked for under the answer on screen.
    pub fn repairing(&self) -> Option<&Found> {
        let why = self.why()?;
        let of = self.repairing.request()?;
        let here = of.passage == why.passage
            && of.settings == self.settings
            && of.question == self.wanted.question;
        self.repairing.latest().filter(|_| here)
    }
}

/// The letters of the suggestions.
pub const LETTERS: [&str; 3] = ["a", "b", "c"];

/// What a suggestion is from, by its place there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum From {
    Reason(usize),
    Repair(usize),
}

/// The suggestions that have letters: those of the reasons, then those that were found.
pub fn fixes(why: &Why, found: Option<&Repairs>) -> Vec<(From, Change)> {
    let reasons = why.reasons.iter().enumerate();
    let proven = reasons.filter_map(|(at, reason)| {
        let fix = reason.fix.as_ref().filter(|_| reason.cause)?;
        Some((From::Reason(at), fix.change.clone()))
    });
    // What forces any passage in is no suggestion.
    let found = found.into_iter().flat_map(Repairs::sensible);
    let found = found.enumerate();
    let found = found.map(|(at, repair)| (From::Repair(at), repair.change.clone()));
    proven.chain(found).take(LETTERS.len()).collect()
}

/// The suggestions on screen.
pub fn suggested(state: &State) -> Vec<(From, Change)> {
    let why = state.why();
    let found = state.repairing().map(|found| &found.repairs);
    why.map_or_else(Vec::new, |why| fixes(why, found))
}
