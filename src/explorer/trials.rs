//! Every method on the question on screen: where each ranks the gold, and what that costs; and then on the whole set.

use super::scoring::{MEASURE, local};
use crate::evaluate::measured;
use crate::evaluate::sweep::Column;
use crate::retrieve::{Keep, RetrieveError, Retriever, Settings};
use std::time::Instant;

/// What the worker is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// Rows of an older one are dropped.
    pub generation: u64,
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
    pub generation: u64,
    pub method: String,
    pub column: Result<Column, String>,
    pub seconds: f64,
}

/// What is heard of a trial.
#[derive(Clone, Debug, PartialEq)]
pub enum Heard {
    Question(Tried),
    /// What the whole set came to under some settings: the mean of [`MEASURE`].
    Set(Box<Settings>, f64),
    /// All is told that a generation asked for.
    Over(u64),
    /// The work of a generation broke; what is not there yet will not come.
    Broke(u64, String),
}

/// How far the set was asked with some settings when another question was looked at.
pub struct Half {
    settings: Settings,
    values: Vec<f64>,
}

/// The newest trial, as far as it has come.
#[derive(Clone, Debug)]
pub struct Trials {
    pub trial: Trial,
    pub rows: Vec<Tried>,
    pub stands: Stands,
}

/// Whether more is to come of a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stands {
    Going,
    /// Nobody looks; it goes on when somebody does.
    Stopped,
    Over,
}

impl Trials {
    /// Says of every method that was not tried why it is not.
    pub fn broke(&mut self, said: &str) {
        self.stands = Stands::Over;
        for settings in &self.trial.settings {
            let method = settings.method().name.to_string();
            if !self.rows.iter().any(|row| row.method == method) {
                self.rows.push(Tried {
                    generation: self.trial.generation,
                    method,
                    column: Err(said.to_owned()),
                    seconds: 0.0,
                });
            }
        }
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

/// Asks the whole set with one method after the other, going on where it was stopped. Settings that ask a server are left
/// out.
pub fn ask_set(
    retriever: &mut Retriever,
    trial: &Trial,
    half: &mut Option<Half>,
    tell: &dyn Fn(Heard),
    cancelled: &dyn Fn() -> bool,
) {
    let index = retriever.index().clone();
    let judged = index.questions().iter().filter(|q| q.wanted() > 0);
    let judged: Vec<_> = judged.collect();
    'methods: for settings in trial.unknown.iter().filter(|s| local(&index, s)) {
        let begun = half.take_if(|half| half.settings == *settings);
        let mut values = begun.map_or_else(Vec::new, |half| half.values);
        for question in &judged[values.len()..] {
            if cancelled() {
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
            tell(Heard::Set(Box::new(settings.clone()), mean));
        }
    }
}

/// Tries one after the other. The first run of a method builds what it needs and is not the one that is timed.
pub fn run(
    retriever: &mut Retriever,
    trial: &Trial,
    tell: &dyn Fn(Heard),
    cancelled: &dyn Fn() -> bool,
) {
    let index = retriever.index().clone();
    let question = trial.asked.and_then(|at| index.questions().get(at));
    for settings in &trial.settings {
        if cancelled() {
            return;
        }
        let mut timed = |seconds: &mut f64| -> Result<Column, RetrieveError> {
            retriever.retrieve(&trial.question, settings, Keep::Scores)?;
            let mut fresh = Retriever::new(index.clone());
            let start = Instant::now();
            let run = fresh.retrieve(&trial.question, settings, Keep::Scores)?;
            *seconds = start.elapsed().as_secs_f64();
            Ok(Column::of(&run, question, &[]))
        };
        let mut seconds = 0.0;
        let column = match local(&index, settings) {
            true => timed(&mut seconds).map_err(|error| error.to_string()),
            false => Err("asks a server".to_owned()),
        };
        tell(Heard::Question(Tried {
            generation: trial.generation,
            method: settings.method().name.to_string(),
            column,
            seconds,
        }));
    }
}
