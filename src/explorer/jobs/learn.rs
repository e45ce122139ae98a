//! Learns the order of hop from the gold of the set and from the labels made here, and puts the new ranker to the test: the
//! run before is pinned, so that the set says what was won and lost.

use super::{Doer, Job, News, Running, Tell};
use crate::evaluate::Resampling;
use crate::evaluate::compare::named;
use crate::evaluate::labels::{Labels, corrected};
use crate::evaluate::learn::{FEWEST, Taught, tune};
use crate::explorer::action::{Effect, Message, Then};
use crate::explorer::state::State;
use crate::journal::replace;
use crate::ranker::Tuned;
use crate::retrieve::Settings;
use crate::text::plural;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What is learned from.
#[derive(Clone, Debug, PartialEq)]
pub struct Learning {
    pub settings: Settings,
    pub labels: Labels,
    /// Where the ranker is kept; none where there is no home.
    pub file: Option<PathBuf>,
}

#[derive(Clone, Debug)]
pub enum Part {
    /// What is done, in hundredths.
    At(usize),
    /// The ranker, and what it gains on questions that it has not seen, in a sentence.
    Done(Arc<Tuned>, String),
}

impl Job for Learning {
    type Part = Part;
    const THREAD: &'static str = "learn";
    const WHOLE: bool = true;

    fn run(&self, doer: &mut Doer, tell: &Tell<'_, Part>) -> Result<Option<Part>, String> {
        let questions = corrected(&doer.index, &self.labels).questions;
        let last = AtomicUsize::new(0);
        let at = |hundredths: usize| {
            if last.fetch_max(hundredths, Ordering::Relaxed) < hundredths {
                tell.part(Part::At(hundredths));
            }
            !tell.stopped()
        };
        let all = questions.len().max(1);
        let asked = |done: usize| at(30 * done / all);
        let name = doer.index.name();
        let set = Taught::of(name, &doer.index, &questions, &self.settings, asked);
        let set = set.map_err(|error| error.to_string())?;
        if tell.stopped() {
            return Ok(None);
        }
        if set.questions.len() < FEWEST {
            return Err(format!(
                "{} with gold; {FEWEST} are the fewest to learn from. Label passages in view 6",
                plural(set.questions.len(), "question")
            ));
        }
        let start = self.settings.starting_ranker();
        let trained = |part: f64| at(30 + (70.0 * part) as usize);
        let Some(learnt) = tune(&set, start, Resampling::default(), &trained) else {
            return Ok(None);
        };
        let gain = named(&learnt.against_start, "R@5");
        let sentence = gain.map_or(String::new(), |gain| gain.sentence("R@5"));
        let model = learnt.model;
        let file = self.file.clone().unwrap_or_default();
        if self.file.is_some() {
            let kept = replace(&file, model.text().as_bytes());
            kept.map_err(|error| format!("{}: {error}", file.display()))?;
        }
        Ok(Some(Part::Done(
            Arc::new(Tuned::new(file, model)),
            sentence,
        )))
    }

    /// The new ranker is taken.
    fn heard(state: &mut State, news: News<Learning>) -> Vec<Effect> {
        if !state.learning.hear(news) {
            return Vec::new();
        }
        if let Running::Failed { why, .. } = &state.learning {
            return state.say(Message::error(why.clone()));
        }
        match state.learning.latest().cloned() {
            Some(Part::At(hundredths)) if state.learning.going() => {
                let said = format!("learning the order: {hundredths} %, Esc stops");
                state.say(Message::plain(said))
            }
            Some(Part::Done(tuned, sentence)) => {
                vec![Effect::Then(Then::Learned(tuned, sentence))]
            }
            _ => Vec::new(),
        }
    }
}

/// Begins to learn from the gold of the set, corrected by the labels made here.
pub fn begin(state: &mut State) -> Vec<Effect> {
    let file = Some(&state.labelling.file).filter(|file| !file.is_empty());
    let learning = Learning {
        settings: state.settings.of_any_question(),
        labels: state.labelling.labels.clone(),
        file: file.map(|file| PathBuf::from(file).with_extension("ranker.json")),
    };
    state.message = Message::plain("learning the order from gold and labels; Esc stops");
    vec![state.learning.begin(learning)]
}
