//! One parameter over its whole domain: where every gold passage would be, and what that would be worth. Computed on a
//! thread of its own, value by value from the present one outwards, so that the slider's best place shows before it is
//! moved.

use crate::evaluate::measures;
use crate::index::Index;
use crate::retrieve::{Domain, Keep, Origin, Parameter, RetrieveError, Retriever, Settings, Value};

/// The most values of a number that are tried.
const VALUES: usize = 25;

/// What the worker is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepRequest {
    /// Of the sweep; parts of an older one are dropped.
    pub generation: u64,
    pub question: String,
    pub asked: Option<usize>,
    pub settings: Settings,
    pub parameter: Parameter,
    pub values: Vec<Value>,
    /// Where to begin.
    pub first: usize,
    /// The passages returned now, for questions without gold.
    pub top: Vec<u32>,
}

/// One value of a sweep, tried.
#[derive(Clone, Debug, PartialEq)]
pub struct Swept {
    pub generation: u64,
    /// Place in [`SweepRequest::values`].
    pub at: usize,
    pub column: Result<Column, String>,
}

impl Swept {
    /// The answer to a request without values.
    pub fn nothing(request: &SweepRequest) -> Swept {
        Swept {
            generation: request.generation,
            at: usize::MAX,
            column: Ok(Column::default()),
        }
    }
}

/// What a value gives.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Column {
    /// Rank of every gold passage, as far as they are ranked.
    pub gold: Vec<Option<usize>>,
    /// R@5; without gold the share of the present top K that stays.
    pub worth: f64,
}

/// An open sweep.
#[derive(Clone, Debug)]
pub struct Sweep {
    pub generation: u64,
    pub parameter: Parameter,
    pub values: Vec<Value>,
    pub columns: Vec<Option<Column>>,
    /// The value that is previewed.
    pub cursor: usize,
    /// Place of the value before the sweep.
    pub present: usize,
    pub start: Settings,
    /// What went wrong, once.
    pub failed: Option<String>,
}

impl Sweep {
    /// How many values were tried.
    pub fn done(&self) -> usize {
        self.columns.iter().filter(|c| c.is_some()).count()
    }
}

/// The values to try, from one end of the domain to the other: all of a choice, else a grid with the present value and
/// the one the session began with.
pub fn values(settings: &Settings, parameter: Parameter) -> Vec<Value> {
    let domain = &parameter.declaration().domain;
    let mut base = settings.clone();
    base.reset(parameter);
    let mut values: Vec<Value> = match domain {
        Domain::Choice(choices) => (0..choices.len()).map(Value::Choice).collect(),
        domain => {
            let place = |i: usize| domain.at_fraction(i as f64 / (VALUES - 1) as f64);
            (0..VALUES)
                .map(place)
                .chain([settings.value(parameter), base.value(parameter)])
                .collect()
        }
    };
    values.sort_by(|a, b| domain.fraction(*a).total_cmp(&domain.fraction(*b)));
    values.dedup();
    values
}

/// The order in which values are tried: nearest to the first one first.
pub fn order(request: &SweepRequest) -> Vec<usize> {
    let mut order: Vec<usize> = (0..request.values.len()).collect();
    order.sort_by_key(|at| (at.abs_diff(request.first), *at));
    order
}

/// Tries one value.
pub fn tried(retriever: &mut Retriever, request: &SweepRequest, at: usize) -> Swept {
    Swept {
        generation: request.generation,
        at,
        column: column(retriever, request, at).map_err(|error| error.to_string()),
    }
}

fn column(
    retriever: &mut Retriever,
    request: &SweepRequest,
    at: usize,
) -> Result<Column, RetrieveError> {
    let mut settings = request.settings.clone();
    settings.set(request.parameter, request.values[at], Origin::User);
    let retrieval = retriever.retrieve(&request.question, &settings, Keep::Scores)?;
    let index: &Index = retriever.index();
    let top: Vec<u32> = retrieval.passages.iter().map(|hit| hit.passage).collect();
    let question = request.asked.and_then(|at| index.questions().get(at));
    let gold = question.map_or(&[][..], |q| &q.gold);
    let measured = question
        .and_then(|q| measures::measures(&top, q))
        .and_then(|m| m.get("R@5"));
    let stays = || {
        let kept = retrieval.top().iter().map(|hit| hit.passage);
        let kept = kept.filter(|p| request.top.contains(p)).count();
        kept as f64 / request.top.len().max(1) as f64
    };
    Ok(Column {
        gold: gold
            .iter()
            .map(|g| retrieval.place(g.passage).map(|(rank, _)| rank))
            .collect(),
        worth: measured.unwrap_or_else(stays),
    })
}
