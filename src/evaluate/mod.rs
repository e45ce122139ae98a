//! Measures over a set of questions, run files, and what the rigour of the field asks for: paired tests, breakdowns,
//! survival of gold, coverage of names, statistics of the graph. Names and definitions of measures are those of
//! ir_measures.

pub(crate) mod answers;
pub mod assure;
pub(crate) mod baseline;
mod breakdown;
pub mod compare;
mod confidence;
pub(crate) mod coverage;
pub mod cuts;
pub mod doctor;
pub(crate) mod doubts;
mod faults;
pub mod labels;
pub mod learn;
pub(crate) mod log;
pub(crate) mod losses;
pub mod measures;
pub mod ppr;
pub mod race;
pub(crate) mod reading;
pub(crate) mod records;
pub(crate) mod run;
pub(crate) mod shape;
pub(crate) mod survival;
pub mod sweep;
pub(crate) mod trec;

pub use answers::{Covered, READ_TOKENS, curve};
pub use baseline::{Baseline, Fall, Held};
pub use breakdown::{Group, by_gold, by_type};
pub use compare::{Comparison, Difference, Resampling};
pub use confidence::Assurance;
pub use coverage::{Bucket, Coverage, Names};
pub use doctor::{Checkup, Doing, Fault, Finding, doctor};
pub use doubts::{Doubt, Doubtful, Doubts};
pub use log::Log;
pub use losses::{Loss, Losses, Mend, Repaired, losses};
pub use measures::{MEASURES, Measures, measured, measures, recall_at};
pub use reading::{READ, Read, Readings};
pub use records::Records;
pub use run::{Evaluation, PerQuestion, evaluate, evaluate_with, percentile, read};
pub use shape::{GraphShape, Hub};
pub use survival::{Fate, STAGES, Stage, Survival};
pub use trec::write_run;
