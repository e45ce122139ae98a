//! Every method on the question on screen: where each ranks the gold, and what that costs.

use super::scoring::local;
use super::text;
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
}

/// What one method gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Tried {
    pub generation: u64,
    pub method: String,
    pub column: Result<Column, String>,
    pub seconds: f64,
}

/// The newest trial, as far as it has come.
#[derive(Clone, Debug)]
pub struct Trials {
    pub trial: Trial,
    pub rows: Vec<Tried>,
}

impl Tried {
    /// Ranks of the gold.
    pub fn ranks(&self) -> String {
        text::ranks(self.column.as_ref().map_or(&[][..], |column| &column.gold))
    }
}

/// Tries one after the other. The first run of a method builds what it needs and is not the one that is timed.
pub fn run(
    retriever: &mut Retriever,
    trial: &Trial,
    tell: &dyn Fn(Tried),
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
        tell(Tried {
            generation: trial.generation,
            method: settings.method().name.to_string(),
            column,
            seconds,
        });
    }
}
