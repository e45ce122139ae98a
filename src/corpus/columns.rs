//! Which column is the identifier, which the title, which the text: by name, or as the caller says.

use super::{CorpusError, Place, ReadOptions};
use std::path::Path;

const ID: &[&str] = &["_id", "id", "pid", "docid", "doc_id", "passage_id", "docno"];
const TITLE: &[&str] = &["title"];
const TEXT: &[&str] = &[
    "text",
    "contents",
    "content",
    "body",
    "passage",
    "paragraph_text",
    "passage_text",
    "paragraph",
    "page_content",
];

/// The columns of a corpus, as they are called in it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Columns {
    pub id: Option<String>,
    pub title: Option<String>,
    pub text: String,
}

impl Columns {
    /// Picks from the columns there are.
    pub fn choose(
        file: &Path,
        there: &[String],
        options: &ReadOptions,
    ) -> Result<Self, CorpusError> {
        let named = |field: &Option<String>, flag: &str| match field {
            Some(name) if !there.contains(name) => Err(CorpusError::file(
                Place::line(file, 1),
                format!("a column {name:?} ({flag})"),
                listed(there),
                format!("Name one of these with {flag}."),
            )),
            other => Ok(other.clone()),
        };
        let id = named(&options.id_field, "--id-field")?;
        let title = named(&options.title_field, "--title-field")?;
        let text = named(&options.text_field, "--text-field")?.or_else(|| pick(there, TEXT)).ok_or_else(|| {
            CorpusError::file(
                Place::line(file, 1),
                format!("a column for the text ({})", TEXT.join(", ")),
                listed(there),
                "Name the column with --text-field (and --id-field, --title-field as needed); the first line of a table names its columns.",
            )
        })?;
        Ok(Self {
            id: id.or_else(|| pick(there, ID)),
            title: title.or_else(|| pick(there, TITLE)),
            text,
        })
    }

    /// Whether a text column can be told by its name.
    pub fn recognises(there: &[String]) -> bool {
        pick(there, TEXT).is_some()
    }
}

/// The first of `names` that is there, in any case of letters.
pub(super) fn pick(there: &[String], names: &[&str]) -> Option<String> {
    names
        .iter()
        .find_map(|name| {
            there
                .iter()
                .find(|column| column.eq_ignore_ascii_case(name))
        })
        .cloned()
}

fn listed(there: &[String]) -> String {
    format!(
        "the columns {}",
        there
            .iter()
            .map(|name| format!("{name:?}"))
            .collect::<Vec<_>>()
            .join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn picks_by_name_in_any_case_and_as_forced() {
        let there = names(&["ID", "Headline", "Body", "text2"]);
        let file = Path::new("a.csv");
        let columns = Columns::choose(file, &there, &ReadOptions::default()).unwrap();
        assert_eq!(
            columns,
            Columns {
                id: Some("ID".into()),
                title: None,
                text: "Body".into()
            }
        );
        let forced = ReadOptions {
            title_field: Some("Headline".into()),
            text_field: Some("text2".into()),
            ..ReadOptions::default()
        };
        let columns = Columns::choose(file, &there, &forced).unwrap();
        assert_eq!(
            (columns.title.as_deref(), columns.text.as_str()),
            (Some("Headline"), "text2")
        );
    }

    #[test]
    fn an_error_lists_the_columns_there_are() {
        let there = names(&["a", "b"]);
        let error = Columns::choose(Path::new("x.csv"), &there, &ReadOptions::default())
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("x.csv:1: expected a column for the text"),
            "{error}"
        );
        assert!(
            error.contains("\"a\", \"b\"") && error.contains("--text-field"),
            "{error}"
        );
        let options = ReadOptions {
            id_field: Some("key".into()),
            ..ReadOptions::default()
        };
        let error = Columns::choose(Path::new("x.csv"), &there, &options)
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("\"key\" (--id-field)") && error.contains("\"a\", \"b\""),
            "{error}"
        );
    }
}
