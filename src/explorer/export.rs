//! Files that are made of what is on screen, before they are written.

use crate::explain;
use crate::index::Index;
use crate::retrieve::{Keep, Retriever, Settings};
use std::sync::Arc;

/// A file to be written beside where the program was started, in the place of none that is there.
#[derive(Clone, Debug, PartialEq)]
pub struct Export {
    /// The name before its number and ending.
    pub stem: String,
    pub ending: &'static str,
    /// None for a picture of the screen, which the frame knows.
    pub text: Option<String>,
    /// What is said of it behind its name: which rows of a pane that is narrowed it has.
    pub note: String,
}

impl Export {
    pub fn new(what: &str, ending: &'static str, text: Option<String>, note: String) -> Export {
        Export {
            stem: format!("hopscope-{what}"),
            ending,
            text,
            note,
        }
    }
}

/// The traced graph of a run, to be made where the index is.
#[derive(Clone, Debug, PartialEq)]
pub struct Traced {
    pub question: String,
    pub settings: Settings,
    /// `dot` for Graphviz, `graphml` for Gephi, yEd, networkx.
    pub ending: &'static str,
}

impl Traced {
    /// The file.
    ///
    /// # Errors
    /// What the run says, in words.
    pub fn export(&self, index: &Arc<Index>) -> Result<Export, String> {
        let mut retriever = Retriever::new(index.clone());
        let run = retriever.retrieve(&self.question, &self.settings, Keep::States);
        let run = run.map_err(|error| error.to_string())?;
        let graph = explain::trace(index, &run, index.question(&self.question)).subgraph;
        let text = match self.ending {
            "dot" => graph.dot(),
            _ => graph.graphml(),
        };
        let note = String::new();
        Ok(Export::new("graph", self.ending, Some(text), note))
    }
}
