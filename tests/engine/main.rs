//! What every method and every plan promises: on the sample, on small worlds made for one rule, and on random ones.

#[path = "../common/mod.rs"]
mod common;

mod acts;
mod any_text;
mod elsewhere;
mod engine;
mod export;
mod given;
mod hop;
mod index;
mod ket;
mod language;
mod layers;
mod merge;
mod patch;
mod planted;
mod ranker;
mod same_answer;
mod sample;
mod sample_signals;
mod source;
mod verdicts;
mod walks;
