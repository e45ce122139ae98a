//! What the user has: passages, questions and gold, read from the formats the field uses.
//!
//! One reader per file format, all giving the same [`Corpus`] and a [`Report`] that accounts for every
//! record: read, merged as a duplicate, left out as bad, or left unresolved. Nothing is silently lost.

use serde::{Deserialize, Serialize};

/// One retrieval unit. Its place in [`Corpus::passages`] is its dense id and breaks ties in rankings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passage {
    /// The identifier the data set gave it (or the reader made: file name and ordinal). Unique in a corpus.
    pub id: String,
    /// May be empty.
    pub title: String,
    pub text: String,
}

impl Passage {
    /// What is indexed and encoded: title, full stop, text (SPRIG's title+body).
    pub fn full_text(&self) -> String {
        full_text(&self.title, &self.text)
    }
}

/// `title + ". " + text`, or the text alone where there is no title.
pub fn full_text(title: &str, text: &str) -> String {
    if title.is_empty() { text.to_owned() } else { format!("{title}. {text}") }
}

/// One gold link of a question that was found in the corpus.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gold {
    /// Dense id: index into [`Corpus::passages`].
    pub passage: u32,
    /// Relevance grade, above zero.
    pub grade: f32,
}

/// A question with what is known about it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Question {
    pub id: String,
    pub text: String,
    /// Accepted answers, the first one preferred. Empty when the data set gives none.
    #[serde(default)]
    pub answers: Vec<String>,
    /// The data set's own class: `bridge`, `comparison`, `2hop`, ... Empty when it gives none.
    #[serde(default)]
    pub kind: String,
    /// Resolved gold links, by passage id ascending, each passage once.
    #[serde(default)]
    pub gold: Vec<Gold>,
    /// Gold named by the data set but absent from the corpus, as it was named there (failure class F0).
    #[serde(default)]
    pub missing: Vec<String>,
}

/// Passages, and questions where the source has them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Corpus {
    /// A short name for the screen: the folder's or file's name.
    pub name: String,
    pub passages: Vec<Passage>,
    pub questions: Vec<Question>,
}
