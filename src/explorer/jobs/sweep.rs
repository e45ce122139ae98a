//! One parameter over its whole domain, or two: where every gold passage would be, and what that would be worth. Computed
//! point by point from the present one outwards, so that the slider's best place shows before it is moved.

use super::{Doer, Job, News, Tell};
pub use crate::evaluate::sweep::Column;
use crate::evaluate::sweep::{Changes, changed};
use crate::explorer::action::{Effect, Message};
use crate::explorer::state::State;
use crate::retrieve::{Keep, Parameter, RetrieveError, Retriever, Settings, Value};

/// A parameter and the values that are tried.
pub type Axis = (Parameter, Vec<Value>);

/// Points to try.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepRequest {
    pub question: String,
    pub asked: Option<usize>,
    pub settings: Settings,
    pub points: Vec<Changes>,
    /// How many of them stand in a row.
    pub width: usize,
    /// Where to begin.
    pub first: usize,
    /// The passages returned now, for questions without gold.
    pub top: Vec<u32>,
}

/// One point of a sweep, tried.
#[derive(Clone, Debug, PartialEq)]
pub struct Swept {
    /// Place in [`SweepRequest::points`].
    pub at: usize,
    pub column: Result<Column, String>,
}

/// An open sweep.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// The parameter whose values stand beside each other comes last; before it one whose values stand below each other.
    pub axes: Vec<Axis>,
    /// What each point sets, row after row.
    pub points: Vec<Changes>,
    /// By point.
    pub columns: Vec<Option<Column>>,
    /// The point that is previewed.
    pub cursor: usize,
    /// The point before the sweep.
    pub present: usize,
    pub start: Settings,
    /// What went wrong, once.
    pub failed: Option<String>,
}

impl Sweep {
    /// How many points were tried.
    pub fn done(&self) -> usize {
        self.columns.iter().filter(|c| c.is_some()).count()
    }

    /// Points in a row.
    pub fn width(&self) -> usize {
        self.axes.last().map_or(1, |axis| axis.1.len().max(1))
    }

    /// The point a number of rows below and of places behind that under the cursor, no further than the ends.
    pub fn beside(&self, rows: isize, places: isize) -> usize {
        let width = self.width();
        let last = self.points.len().saturating_sub(1) / width;
        let row = (self.cursor / width).saturating_add_signed(rows).min(last);
        let place = self.cursor % width;
        row * width + place.saturating_add_signed(places).min(width - 1)
    }
}

impl Job for SweepRequest {
    type Part = Swept;
    const THREAD: &'static str = "sweep";

    fn run(&self, doer: &mut Doer, tell: &Tell<'_, Swept>) -> Result<Option<Swept>, String> {
        for at in order(self).into_iter().take_while(|_| !tell.stopped()) {
            let column = column(&mut doer.retriever, self, at).map_err(|error| error.to_string());
            tell.part(Swept { at, column });
        }
        Ok(None)
    }

    fn heard(state: &mut State, news: News<SweepRequest>) -> Vec<Effect> {
        let Some(sweep) = &mut state.sweep else {
            return Vec::new();
        };
        let (at, column) = match news {
            News::Part(swept) | News::Over(Some(swept)) => (swept.at, swept.column),
            News::Over(None) => return Vec::new(),
            News::Failed(why) => (usize::MAX, Err(why)),
        };
        match column {
            Ok(column) => {
                if let Some(place) = sweep.columns.get_mut(at) {
                    *place = Some(column);
                }
            }
            Err(why) => {
                sweep.failed = Some(why.clone());
                state.message = Message::error(why);
            }
        }
        Vec::new()
    }
}

/// The order in which points are tried: nearest to the first one first.
fn order(request: &SweepRequest) -> Vec<usize> {
    let width = request.width.max(1);
    let away = |at: usize| {
        let row = (at / width).abs_diff(request.first / width);
        row + (at % width).abs_diff(request.first % width)
    };
    let mut order: Vec<usize> = (0..request.points.len()).collect();
    order.sort_by_key(|at| (away(*at), *at));
    order
}

fn column(
    retriever: &mut Retriever,
    request: &SweepRequest,
    at: usize,
) -> Result<Column, RetrieveError> {
    let settings = changed(&request.settings, &request.points[at]);
    let run = retriever.retrieve(&request.question, &settings, Keep::Scores)?;
    let questions = retriever.index().questions();
    let question = request.asked.and_then(|at| questions.get(at));
    Ok(Column::of(&run, question, &request.top))
}
