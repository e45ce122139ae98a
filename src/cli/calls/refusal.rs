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
        let rows = |error: &IndexError| matches!(error, IndexError::Rows(_));
        let rows = match error.downcast_ref() {
            Some(RetrieveError::Layer(error)) => rows(error),
            _ => error.downcast_ref().is_some_and(rows),
        };
        let hint = match rows {
            true => "the index is in a database: try again, or open a copy of the index",
            false => "open_status lists the methods that run here",
        };
        Refusal::new(told(&error), hint)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_a_database_is_mended_there() {
        let rows = || IndexError::Rows("connection refused".into());
        let method = RetrieveError::Elsewhere("method linearrag reads all texts".to_owned());
        for refusal in [Refusal::from(rows()), RetrieveError::from(rows()).into()] {
            assert_eq!(refusal.error, "connection refused");
            assert!(refusal.hint.contains("database"), "{}", refusal.hint);
        }
        assert!(Refusal::from(method).hint.contains("open_status"));
    }
}
