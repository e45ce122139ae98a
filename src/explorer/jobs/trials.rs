//! Every method on the question on screen: where each ranks the gold, and what that costs; and then on the whole set.

use super::score::{MEASURE, local};
use super::{Doer, Job, News, Running, Tell};
use crate::evaluate::measured;
use crate::evaluate::sweep::Column;
use crate::explorer::action::{Effect, Message};
use crate::explorer::lack::lack;
use crate::explorer::layout::View;
use crate::explorer::state::State;
use crate::retrieve::{Keep, METHODS, RetrieveError, Retriever, Settings};
use std::time::Instant;

/// Methods to try.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    pub question: String,
    pub asked: Option<usize>,
    /// One for each method.
    pub settings: Vec<Settings>,
    /// Those of which it is not known yet what the whole set comes to.
    pub unknown: Vec<Settings>,
}

/// What one method gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Tried {
    pub method: String,
    pub column: Result<Column, String>,
    pub seconds: f64,
}

/// What is heard of a trial.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    Question(Tried),
    /// What the whole set came to under some settings: the mean of [`MEASURE`].
    Set(Box<Settings>, f64),
    /// Nothing is left to be tried.
    All,
}

/// How far the set was asked with some settings when another question was looked at.
pub struct Half {
    settings: Settings,
    values: Vec<f64>,
}

/// The newest trial, as far as it has come.
#[derive(Clone, Debug)]
pub struct Trials {
    /// One for each method.
    pub settings: Vec<Settings>,
    pub rows: Vec<Tried>,
    /// Of those that were not tried before.
    pub running: Running<Trial>,
}

impl Trials {
    /// Nobody looked any more; it goes on when somebody does.
    fn stopped(&self) -> bool {
        match &self.running {
            Running::Over { latest, .. } => *latest != Some(Part::All),
            _ => false,
        }
    }
}

impl Job for Trial {
    type Part = Part;
    const THREAD: &'static str = "methods";

    fn run(&self, doer: &mut Doer, tell: &Tell<'_, Part>) -> Result<Option<Part>, String> {
        self.ask(doer, tell);
        if !doer.still {
            self.ask_set(doer, tell);
        }
        Ok((!tell.stopped()).then_some(Part::All))
    }

    fn heard(state: &mut State, news: News<Trial>) -> Vec<Effect> {
        let Some(trials) = &mut state.trials else {
            return Vec::new();
        };
        if !trials.running.hear(news) {
            return Vec::new();
        }
        match &trials.running {
            Running::Failed { why, .. } => {
                // A method that was not tried says why it is not.
                let names = trials.settings.iter().map(|s| s.method().name.to_string());
                let tried: Vec<String> = trials.rows.iter().map(|row| row.method.clone()).collect();
                let lacking = names.filter(|method| !tried.contains(method));
                trials.rows.extend(lacking.map(|method| Tried {
                    method,
                    column: Err(why.clone()),
                    seconds: 0.0,
                }));
                state.message = Message::error(why.clone());
            }
            running => match running.latest() {
                Some(Part::Question(tried)) => trials.rows.push(tried.clone()),
                Some(Part::Set(settings, worth)) => {
                    let (settings, worth) = ((**settings).clone(), *worth);
                    state.worth_is(settings, worth);
                }
                _ => {}
            },
        }
        Vec::new()
    }
}

impl Tried {
    /// Ranks of the gold.
    pub fn gold(&self) -> &[Option<usize>] {
        self.column.as_ref().map_or(&[], |column| &column.gold)
    }

    /// The measure that is shown first; none of a question without gold.
    pub fn worth(&self) -> Option<f64> {
        let column = self.column.as_ref().ok()?;
        column.measures.as_ref().map(|_| column.worth)
    }
}

/// Begins anew where another question is looked at, or other settings that the methods share. Stops while nobody looks.
pub fn follow(state: &mut State) -> Option<Effect> {
    if state.view != View::Evaluate || state.wanted.question.trim().is_empty() {
        return state.trials.as_mut()?.running.stop();
    }
    let able = METHODS
        .iter()
        .filter(|method| lack(state, method).is_none());
    let settings: Vec<Settings> = able
        .map(|method| {
            let mut settings = state.settings.of_any_question();
            settings.set_method(method);
            settings
        })
        .collect();
    let question = state.wanted.question.clone();
    let known = |trials: &Trials| {
        let asked = trials.running.request();
        trials.settings == settings && asked.is_some_and(|trial| trial.question == question)
    };
    let before = state.trials.take().filter(known);
    if before.as_ref().is_some_and(|before| !before.stopped()) {
        state.trials = before;
        return None;
    }
    let rows = before.map_or_else(Vec::new, |before| before.rows);
    let lacks = |settings: &&Settings| {
        let method = &settings.method().name;
        !rows.iter().any(|row| row.method == **method)
    };
    let left = settings.iter().filter(lacks).cloned().collect();
    let unknown = settings
        .iter()
        .filter(|settings| state.worth(settings).is_none())
        .cloned()
        .collect();
    let mut running = Running::Never;
    let effect = running.begin(Trial {
        question,
        asked: state.wanted.asked,
        settings: left,
        unknown,
    });
    state.trials = Some(Trials {
        settings,
        rows,
        running,
    });
    Some(effect)
}

impl Trial {
    /// Asks the whole set with one method after the other, going on where it was stopped. Settings that ask a server are left
    /// out.
    pub fn ask_set(&self, doer: &mut Doer, tell: &Tell<'_, Part>) {
        let Doer {
            retriever,
            index,
            half,
            ..
        } = doer;
        let judged = index.questions().iter().filter(|q| q.wanted() > 0);
        let judged: Vec<_> = judged.collect();
        if index.source().is_some() {
            return;
        }
        'methods: for settings in self.unknown.iter().filter(|s| local(index, s)) {
            let begun = half.take_if(|half| half.settings == *settings);
            let mut values = begun.map_or_else(Vec::new, |half| half.values);
            for question in &judged[values.len()..] {
                if tell.stopped() {
                    let settings = settings.clone();
                    *half = Some(Half { settings, values });
                    return;
                }
                let Ok(run) = retriever.retrieve(&question.text, settings, Keep::Scores) else {
                    continue 'methods;
                };
                values.extend(measured(&run, question).and_then(|measures| measures.get(MEASURE)));
            }
            if !values.is_empty() {
                let mean = values.iter().sum::<f64>() / values.len() as f64;
                tell.part(Part::Set(Box::new(settings.clone()), mean));
            }
        }
    }

    /// Tries one after the other. The first run of a method builds what it needs and is not the one that is timed.
    fn ask(&self, doer: &mut Doer, tell: &Tell<'_, Part>) {
        let (retriever, index) = (&mut doer.retriever, &doer.index);
        let question = self.asked.and_then(|at| index.questions().get(at));
        for settings in &self.settings {
            if tell.stopped() {
                return;
            }
            let mut timed = |seconds: &mut f64| -> Result<Column, RetrieveError> {
                retriever.retrieve(&self.question, settings, Keep::Scores)?;
                let mut fresh = Retriever::new(index.clone());
                let start = Instant::now();
                let run = fresh.retrieve(&self.question, settings, Keep::Scores)?;
                if !doer.still {
                    *seconds = start.elapsed().as_secs_f64();
                }
                Ok(Column::of(&run, question, &[]))
            };
            let mut seconds = 0.0;
            let column = match local(index, settings) {
                true => timed(&mut seconds).map_err(|error| error.to_string()),
                false => Err("asks a server".to_owned()),
            };
            tell.part(Part::Question(Tried {
                method: settings.method().name.to_string(),
                column,
                seconds,
            }));
        }
    }
}
