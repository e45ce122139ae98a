//! Files that are made of what is on screen, before they are written.

use super::layout::Pane;
use crate::explain::{self, Format};
use crate::index::Index;
use crate::retrieve::{Keep, Retrieval, Retriever, Settings};
use std::sync::Arc;

/// What a file holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    Text(String),
    /// A picture of the screen, as the frame has it.
    Screen,
    /// A picture of one pane, for paper.
    Figure(Pane),
}

impl From<String> for Body {
    fn from(text: String) -> Body {
        Body::Text(text)
    }
}

/// A file to be written beside where the program was started, in the place of none that is there.
#[derive(Clone, Debug, PartialEq)]
pub struct Export {
    /// The name before its number and ending.
    pub stem: String,
    pub ending: &'static str,
    pub body: Body,
    /// What is said of it behind its name: which rows of a pane that is narrowed it has.
    pub note: String,
}

impl Export {
    pub fn new(what: &str, ending: &'static str, body: Body, note: String) -> Export {
        Export {
            stem: format!("hopscope-{what}"),
            ending,
            body,
            note,
        }
    }
}

/// The traced graph of a run, to be made where the index is.
#[derive(Clone, Debug, PartialEq)]
pub struct Traced {
    pub question: String,
    pub settings: Settings,
    pub format: Format,
}

impl Traced {
    /// The name of its file, without number and ending.
    pub const STEM: &str = "hopscope-graph";

    /// What the file holds.
    ///
    /// # Errors
    /// What the run says, in words.
    pub fn text(&self, index: &Arc<Index>) -> Result<String, String> {
        let mut retriever = Retriever::new(index.clone());
        let traced = |index: &Arc<Index>, run: &Retrieval| {
            explain::trace(index, run, index.question(&self.question)).subgraph
        };
        let graph = retriever.read(&self.question, &self.settings, Keep::States, traced);
        let graph = graph.map_err(|error| error.to_string())?;
        Ok(self.format.write(&graph))
    }
}
