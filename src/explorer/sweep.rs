//! One parameter over its whole domain: where every gold passage would be, and what that would be worth. Computed on a
//! thread of its own, value by value from the present one outwards, so that the slider's best place shows before it is
//! moved.

pub use crate::evaluate::sweep::Column;
use crate::evaluate::sweep::changed;
use crate::retrieve::{Keep, Parameter, RetrieveError, Retriever, Settings, Value};

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
    let change = vec![(request.parameter, request.values[at])];
    let settings = changed(&request.settings, &change);
    let run = retriever.retrieve(&request.question, &settings, Keep::Scores)?;
    let questions = retriever.index().questions();
    let question = request.asked.and_then(|at| questions.get(at));
    Ok(Column::of(&run, question, &request.top))
}
