//! Words, sentences, and mentions of names: what the index and the question have in common.
//!
//! | file | what lives there |
//! |---|---|
//! | `language` | what a word, a stop word and the end of a sentence are in a language |
//! | `words`, `sentences`, `chunks`, `chunking` | cutting |
//! | `tables`, `html` | tables inside texts |
//! | `stems`, `keywords`, `terms` | words compared by stem, words and phrases that tell something |
//! | `span`, `figures` | byte ranges of a text; numbers as they are read |
//! | `similar`, `folded`, `variants`, `spellings`, `sieve` | how like two names are, which are probably one, and finding those |
//! | `about` | the names that a passage is about |
//! | `mentions`, `names`, `gazetteer`, `forms`, `persons`, `dates` | names of things, and which are people |
//! | `pos`, `lemma`, `lexicon` | parts of speech by rules |
//! | `summarize`, `phrases` | the sentences and phrases that say most |
//! | `coreference`, `relations` | who a sentence is about, and what it says of whom |
//! | `ranges` | for tests: what holds of every rule that cuts a text |

pub(crate) mod about;
pub(crate) mod chunking;
pub mod chunks;
pub(crate) mod coreference;
pub(crate) mod dates;
pub(crate) mod figures;
pub(crate) mod folded;
pub(crate) mod forms;
pub(crate) mod gazetteer;
pub(crate) mod html;
pub(crate) mod keywords;
pub mod language;
pub(crate) mod lemma;
pub(crate) mod lexicon;
pub(crate) mod mentions;
pub(crate) mod names;
pub(crate) mod person_words;
pub(crate) mod persons;
pub(crate) mod phrases;
pub(crate) mod pos;
mod pos_cut;
mod pos_verb;
#[cfg(any(test, fuzzing))]
pub mod ranges;
mod relation_patterns;
pub(crate) mod relations;
pub(crate) mod sentences;
pub(crate) mod sieve;
pub(crate) mod similar;
pub(crate) mod span;
pub mod spellings;
pub(crate) mod stems;
pub mod summarize;
pub(crate) mod tables;
pub(crate) mod terms;
pub(crate) mod variants;
pub(crate) mod words;

pub use gazetteer::Gazetteer;
pub use language::Language;
pub use mentions::{Mention, Ner, Norm};
pub use span::clip;
pub use spellings::Spellings;
pub use variants::Variant;
pub use words::{Tokens, count, escape_xml, plural};
