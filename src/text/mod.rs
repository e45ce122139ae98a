//! Words, sentences, and mentions of names: what the index and the question have in common.
//!
//! | file | what lives there |
//! |---|---|
//! | `words`, `sentences`, `chunks`, `chunking` | cutting |
//! | `tables`, `html` | tables inside texts |
//! | `stems`, `keywords`, `terms` | words compared by stem, words and phrases that tell something |
//! | `span` | byte ranges of a text |
//! | `similar`, `folded`, `variants`, `spellings`, `sieve` | how like two names are, which are probably one, and finding those |
//! | `about` | the names that a passage is about |
//! | `mentions`, `names`, `gazetteer`, `persons`, `dates` | names of things, and which are people |
//! | `pos`, `lemma`, `lexicon` | parts of speech by rules |
//! | `summarize`, `phrases` | the sentences and phrases that say most |
//! | `coreference`, `relations` | who a sentence is about, and what it says of whom |

pub mod about;
pub mod chunking;
pub mod chunks;
pub mod coreference;
pub mod dates;
pub mod folded;
pub mod gazetteer;
pub mod html;
pub mod keywords;
pub mod lemma;
pub mod lexicon;
pub mod mentions;
pub mod names;
pub mod person_words;
pub mod persons;
pub mod phrases;
pub mod pos;
mod pos_cut;
mod pos_verb;
mod relation_patterns;
pub mod relations;
pub mod sentences;
pub mod sieve;
pub mod similar;
pub mod span;
pub mod spellings;
pub mod stems;
pub mod summarize;
pub mod tables;
pub mod terms;
pub mod variants;
pub mod words;

pub use gazetteer::Gazetteer;
pub use mentions::{Mention, Ner, Norm};
pub use span::clip;
pub use spellings::Spellings;
pub use variants::Variant;
pub use words::{Tokens, escape_xml, plural};
