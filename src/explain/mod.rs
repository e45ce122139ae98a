//! What a result means: why a passage is there, why another is missing, the record of a run. Operators explain what they
//! did themselves; here it is put together.

pub(crate) mod cause;
pub mod compare;
pub mod export;
pub mod flow;
pub(crate) mod lookalike;
pub mod neighbours;
pub mod reasons;
pub(crate) mod repair;
pub(crate) mod start;
pub mod story;
pub(crate) mod subgraph;
pub(crate) mod suggest;
pub mod trace;

pub use crate::retrieve::Change;
pub use crate::retrieve::explanation::Reason;
pub use compare::{Beside, Compared, compare};
pub use export::Format;
pub use lookalike::{LookAlike, lookalikes};
pub use neighbours::{Heaviest, Neighbour, crossings, heaviest, neighbours};
pub use reasons::{Standing, described, not_in_index, standing, tested, why_here, why_not};
pub use repair::{Kind, Repair, Repairs, repairs};
pub use story::story;
pub use subgraph::Subgraph;
pub use suggest::suggested;
pub use trace::{Stop, Trace, trace};
