//! The formats by name, and what a caller may say about how to read.

use super::{CorpusError, Cut};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// A corpus format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// `corpus.jsonl`, `queries.jsonl`, `qrels/*.tsv`.
    Beir,
    /// HotpotQA's JSON, also 2WikiMultiHopQA: questions, each with its own contexts.
    #[serde(rename = "hotpotqa")]
    Hotpot,
    /// MuSiQue's JSON or JSONL: questions, each with its own paragraphs.
    Musique,
    /// `<name>_corpus.json` with the question file `<name>.json` beside it.
    HippoRag,
    /// Plain text, Markdown and HTML, a file or a folder.
    Text,
    /// CSV or TSV with a header line.
    Table,
    /// A typed graph, its objects as passages: `nodes` and `edges` as tables, or a folder of STaRK.
    Typed,
    /// The index of another system (LightRAG, GraphRAG ...), its units of text as passages.
    Given,
    /// One JSON object per line (or an array of them) with named fields.
    Jsonl,
}

impl Format {
    /// All formats, in the order of the documentation.
    pub const ALL: [Self; 9] = [
        Self::Beir,
        Self::Hotpot,
        Self::Musique,
        Self::HippoRag,
        Self::Text,
        Self::Table,
        Self::Typed,
        Self::Given,
        Self::Jsonl,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Beir => "beir",
            Self::Hotpot => "hotpotqa",
            Self::Musique => "musique",
            Self::HippoRag => "hipporag",
            Self::Text => "text",
            Self::Table => "table",
            Self::Typed => "typed",
            Self::Given => "given",
            Self::Jsonl => "jsonl",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(self.name())
    }
}

impl FromStr for Format {
    type Err = CorpusError;

    fn from_str(name: &str) -> Result<Self, CorpusError> {
        let lower = name.to_ascii_lowercase();
        let name_used = match lower.as_str() {
            "2wiki" => "hotpotqa",
            other => other,
        };
        Self::ALL
            .into_iter()
            .find(|format| format.name() == name_used)
            .ok_or_else(|| CorpusError::UnknownFormat(name.to_owned()))
    }
}

/// How to read. The default detects everything and stops at the first bad record.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// Taken as given instead of detected.
    pub format: Option<Format>,
    /// Leave bad records out, counted and listed, instead of stopping at the first.
    pub skip_bad: bool,
    /// Questions from this file, in place of those the corpus comes with.
    pub questions: Option<PathBuf>,
    /// Gold from this file, in place of that the corpus comes with.
    pub qrels: Option<PathBuf>,
    /// Column of the identifier (CSV, TSV, JSONL).
    pub id_field: Option<String>,
    /// Column of the title (CSV, TSV, JSONL).
    pub title_field: Option<String>,
    /// Column of the text (CSV, TSV, JSONL).
    pub text_field: Option<String>,
    /// BEIR: which `qrels/<split>.tsv`. By default test, else dev, else train, else the first by name.
    pub split: Option<String>,
    /// How long the passages are that texts are cut into (text, Markdown, HTML).
    pub cut: Cut,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_round() {
        for format in Format::ALL {
            assert_eq!(format.to_string().parse::<Format>().unwrap(), format);
            assert_eq!(serde_json::to_value(format).unwrap(), format.name());
        }
        assert_eq!("2Wiki".parse::<Format>().unwrap(), Format::Hotpot);
        let error = "xml".parse::<Format>().unwrap_err().to_string();
        assert!(
            error.contains("`xml`") && error.contains("hotpotqa"),
            "{error}"
        );
    }
}
