//! Words, sentences, and mentions of names: what the index and the question have in common.

pub mod gazetteer;
pub mod mentions;
pub mod names;
pub mod sentences;
pub mod words;

pub use gazetteer::Gazetteer;
pub use mentions::{Mention, Ner, Norm};
pub use words::Tokens;
