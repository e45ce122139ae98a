//! Files that are made of what is on screen.

use super::layout::Pane;
use crate::explain::{self, Format};
use crate::index::Index;
use crate::retrieve::{Keep, Retrieval, Retriever, Settings};
use std::io::Write;
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

/// Writes a file under the first name that is free, and says under which.
///
/// # Errors
/// A file that cannot be written.
pub fn write(stem: &str, ending: &str, text: &str, note: &str) -> Result<String, String> {
    for number in 1..1000 {
        let name = match number {
            1 => format!("{stem}.{ending}"),
            number => format!("{stem}-{number}.{ending}"),
        };
        let file = std::fs::File::create_new(&name);
        let written = match file {
            // Half of it is none.
            Ok(mut file) => {
                (file.write_all(text.as_bytes())).inspect_err(|_| drop(std::fs::remove_file(&name)))
            }
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => continue,
            Err(error) => Err(error),
        };
        return match written {
            Ok(()) => Ok(format!("wrote {name}{note}")),
            Err(error) => Err(format!("{name}: {error}")),
        };
    }
    Err(format!(
        "{stem}: 1,000 files with this name exist; remove some"
    ))
}
