//! Measures over a set of questions, and run files. Names and definitions are those of ir_measures.

pub mod measures;
pub mod run;

pub use measures::{MEASURES, Measures, measures};
pub use run::{Evaluation, PerQuestion, evaluate, percentile, write_run};
