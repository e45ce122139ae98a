//! Why a tool did not answer: the cause, what helps, and the words there are.

use crate::errors::told;
use crate::index::IndexError;
use crate::retrieve::RetrieveError;
use serde::Serialize;

/// Most options that are listed.
const OPTIONS: usize = 30;

/// An error that an agent can act on.
#[derive(Debug, Serialize)]
pub struct Refusal {
    /// What failed, with the offending value.
    pub error: String,
    /// The remedy.
    pub hint: String,
    /// Accepted values, the nearest first; empty where a list would not help.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
}

impl Refusal {
    pub fn new(error: impl Into<String>, hint: impl Into<String>) -> Refusal {
        Refusal {
            error: error.into(),
            hint: hint.into(),
            options: Vec::new(),
        }
    }

    /// The same with values to choose from.
    #[must_use]
    pub fn options<S: Into<String>>(mut self, options: impl IntoIterator<Item = S>) -> Refusal {
        let options = options.into_iter().map(Into::into);
        self.options = options.take(OPTIONS).collect();
        self
    }

    /// Of a request that the client cancelled.
    pub fn cancelled() -> Refusal {
        Refusal::new("cancelled before the answer was complete", "call it again")
    }
}

impl From<anyhow::Error> for Refusal {
    fn from(error: anyhow::Error) -> Refusal {
        Refusal::new(told(&error), "open_status lists the methods that run here")
    }
}

impl From<IndexError> for Refusal {
    fn from(error: IndexError) -> Refusal {
        anyhow::Error::from(error).into()
    }
}

impl From<RetrieveError> for Refusal {
    fn from(error: RetrieveError) -> Refusal {
        anyhow::Error::from(error).into()
    }
}
