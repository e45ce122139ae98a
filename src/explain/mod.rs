//! What a result means: where each part of a score came from, why a passage is there, and why another is not.
//!
//! Nothing here is estimated from the outside: a walk is linear in its seeds, so every figure is the same walk read
//! another way, and the parts add up to the score that ranked the passage.

pub mod attribution;
pub mod neighbours;
pub mod reasons;
pub mod trace;
pub mod words;

pub use attribution::{Attribution, Path, attribution, shares};
pub use neighbours::{Neighbour, neighbours};
pub use reasons::{Reason, why_here, why_not};
pub use trace::{Trace, explained, trace};
pub use words::{Contribution, terms};
