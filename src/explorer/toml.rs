//! Reading a TOML file that a person wrote: every complaint names the file, the line and what is allowed.
//!
//! Serde would tell where a value has the wrong type, but not which key was meant by a misspelt one. Themes, settings
//! and keys are read through this module instead, so that all three complain in the same words.

use std::fmt;

use crate::spelling::meant;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// One complaint about one place in one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileError {
    /// The file as it should be shown, or `built-in NAME` for one that is part of the program.
    pub file: String,
    /// Counted from 1; 0 when the complaint is about the file as a whole.
    pub line: usize,
    /// The dotted key, empty when the complaint is about the syntax.
    pub key: String,
    /// What is wrong and what would be right.
    pub message: String,
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file)?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        if !self.key.is_empty() {
            write!(f, ": `{}`", self.key)?;
        }
        write!(f, ": {}", self.message)
    }
}

impl std::error::Error for FileError {}

/// A file being read: its name for messages, and its text for line numbers.
#[derive(Debug, Clone, Copy)]
pub(in crate::explorer) struct Source<'a> {
    pub file: &'a str,
    pub text: &'a str,
}

impl<'a> Source<'a> {
    /// The table of the whole file, with the place of every key and value.
    pub fn table(&self) -> Result<DeTable<'a>, FileError> {
        DeTable::parse(self.text)
            .map(Spanned::into_inner)
            .map_err(|error| FileError {
                file: self.file.to_owned(),
                line: error.span().map_or(0, |span| self.line(span.start)),
                key: String::new(),
                message: error.message().to_owned(),
            })
    }

    /// A complaint about the thing that starts at a byte offset.
    pub fn complain(
        &self,
        offset: usize,
        key: impl Into<String>,
        message: impl Into<String>,
    ) -> FileError {
        FileError {
            file: self.file.to_owned(),
            line: self.line(offset),
            key: key.into(),
            message: message.into(),
        }
    }

    /// A complaint about a key that is not one of the allowed ones, with the nearest of them.
    pub fn unknown_key(&self, offset: usize, key: &str, allowed: &[&str]) -> FileError {
        // A nested key is shown in full, but misspelt in its last word.
        let last = key.rsplit('.').next().unwrap_or(key);
        let word = if meant(key, allowed).is_some() {
            key
        } else {
            last
        };
        self.complain(
            offset,
            key,
            format!("unknown key{}", suggestion(word, allowed)),
        )
    }

    /// The line of a byte offset, counted from 1.
    pub fn line(&self, offset: usize) -> usize {
        let end = offset.min(self.text.len());
        self.text.as_bytes()[..end]
            .iter()
            .filter(|&&byte| byte == b'\n')
            .count()
            + 1
    }
}

/// What kind of value stands there, for "expected a string, this is a number".
pub(in crate::explorer) fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

/// An integer value; `None` when it is something else or does not fit.
pub(in crate::explorer) fn integer(value: &DeValue<'_>) -> Option<i64> {
    match value {
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix()).ok(),
        _ => None,
    }
}

/// ` (did you mean ...?)` with the nearest allowed word, or the whole list when nothing is near.
pub(in crate::explorer) fn suggestion(word: &str, allowed: &[&str]) -> String {
    match meant(word, allowed) {
        Some(near) if allowed.len() > 8 => format!(", did you mean `{near}`?"),
        Some(near) => format!(", did you mean `{near}`? Allowed: {}", allowed.join(", ")),
        None => format!(". Allowed: {}", allowed.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_syntax_error_has_its_line() {
        let source = Source {
            file: "x.toml",
            text: "a = 1\nb = = 2\n",
        };
        let error = source.table().unwrap_err();
        assert_eq!((error.file.as_str(), error.line), ("x.toml", 2));
    }

    #[test]
    fn offsets_past_the_end_are_the_last_line() {
        let source = Source {
            file: "x",
            text: "a\nb",
        };
        assert_eq!((source.line(0), source.line(2), source.line(99)), (1, 2, 2));
    }
}
