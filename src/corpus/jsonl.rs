//! Passages as JSON objects with named fields, one per line or in an array. BEIR's `corpus.jsonl` is one of these.

use super::columns::Columns;
use super::intake::Intake;
use super::json::{self, Record, Shape, kind_of, scalar};
use super::langchain;
use super::lines::name;
use super::{CorpusError, Passage, Place, What};
use serde_json::Value;
use std::path::Path;

const SHAPE: Shape = Shape {
    what: What::Passage,
    example: r#"a passage such as {"_id": "7", "title": "Ur", "text": "A city."}"#,
};

/// Reads the passages of one file. The columns are those of its first good record, unless `columns` says them.
pub(super) fn read(
    file: &Path,
    columns: Option<Columns>,
    intake: &mut Intake,
) -> Result<(), CorpusError> {
    let mut columns = columns;
    let mut ordinal = 0;
    json::records(file, SHAPE, intake, |intake, place, record| {
        ordinal += 1;
        let made = || format!("{}#{ordinal}", name(file));
        let named = intake.options.text_field.is_some();
        if let Some(flat) = langchain::flat(&record).filter(|_| !named && columns.is_none()) {
            return document(place, flat, made, intake);
        }
        let columns = match &mut columns {
            Some(columns) => columns,
            none => {
                let there: Vec<String> = record.keys().cloned().collect();
                none.insert(Columns::choose(file, &there, intake.options)?)
            }
        };
        let passage = passage(place, record, columns, made)?;
        intake.passage(place, passage).map(drop)
    })
}

/// Takes a document of LangChain. Its pieces may share the identifier of the document.
fn document(
    place: &Place,
    flat: Record,
    made: impl FnOnce() -> String,
    intake: &mut Intake,
) -> Result<(), CorpusError> {
    let [id, title] = ["id", "title"].map(|name| flat.get(name).and_then(scalar));
    let Some(Value::String(text)) = flat.get("text") else {
        let found = flat.get("text").map_or("none", kind_of);
        return Err(CorpusError::record(
            place,
            "a string in the field `page_content`",
            found,
        ));
    };
    let passage = Passage {
        id: id.unwrap_or_else(made),
        title: title.unwrap_or_default(),
        text: text.clone(),
    };
    intake.piece(place, passage).map(drop)
}

pub(super) fn passage(
    place: &Place,
    mut record: Record,
    columns: &Columns,
    made: impl FnOnce() -> String,
) -> Result<Passage, CorpusError> {
    let text = match record.get_mut(&columns.text).map(Value::take) {
        Some(Value::String(text)) => text,
        other => {
            let found = other.as_ref().map_or("none", kind_of);
            return Err(CorpusError::record(
                place,
                format!("a string in the field `{}`", columns.text),
                found,
            ));
        }
    };
    // The first record may lack the title that later ones have.
    let title = match record.get(columns.title.as_deref().unwrap_or("title")) {
        None | Some(Value::Null) => String::new(),
        Some(value) => scalar(value)
            .ok_or_else(|| CorpusError::record(place, "a string as the title", kind_of(value)))?,
    };
    let id = match &columns.id {
        None => made(),
        Some(id) => record
            .get(id)
            .and_then(scalar)
            .filter(|id| !id.is_empty())
            .ok_or_else(|| {
                let found = record.get(id).map_or("none", |value| {
                    if value == "" {
                        "an empty one"
                    } else {
                        kind_of(value)
                    }
                });
                CorpusError::record(place, format!("an identifier in the field `{id}`"), found)
            })?,
    };
    Ok(Passage { id, title, text })
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Folder, fails, reads, reads_with};
    use super::super::{Format, ReadOptions, Tally};

    #[test]
    fn fields_are_found_by_name() {
        let folder = Folder::new();
        folder.write(
            "a.jsonl",
            "\u{feff}{\"docid\": 7, \"contents\": \"One.\"}\r\n\r\n{\"docid\": \"8\", \"contents\": \"Two.\"}\r\n",
        );
        let (corpus, report) = reads(&folder.path("a.jsonl"));
        assert_eq!(report.sources[0].format, Format::Jsonl);
        assert_eq!(
            corpus
                .passages
                .iter()
                .map(|p| (&*p.id, &*p.text))
                .collect::<Vec<_>>(),
            [("7", "One."), ("8", "Two.")]
        );
        assert_eq!(corpus.name, "a.jsonl");
    }

    #[test]
    fn fields_can_be_said_and_identifiers_made() {
        let folder = Folder::new();
        folder.write(
            "a.json",
            r#"[{"h": "Ur", "t": "One."}, {"h": null, "t": "Two."}]"#,
        );
        let options = ReadOptions {
            format: Some(Format::Jsonl),
            title_field: Some("h".into()),
            text_field: Some("t".into()),
            ..ReadOptions::default()
        };
        let (corpus, _) = reads_with(&[folder.path("a.json")], &options);
        assert_eq!(corpus.passages[0].id, "a.json#1");
        assert_eq!(
            (&*corpus.passages[0].title, &*corpus.passages[1].title),
            ("Ur", "")
        );
    }

    #[test]
    fn a_bad_line_is_an_error_with_its_place_or_is_counted() {
        let folder = Folder::new();
        let good = r#"{"id": "a", "text": "One."}"#;
        for (bad, says) in [
            (
                r#"{"id": "b", "text": "Tw"#,
                ":2:23 (byte 50): expected a passage such as",
            ),
            (
                r#"{"id": "b", "text": 3}"#,
                ":2 (byte 28): expected a string in the field `text`; found a number",
            ),
            (r#"{"id": "b"}"#, "`text`; found none"),
            (
                r#"{"id": "", "text": "x"}"#,
                "an identifier in the field `id`; found an empty one",
            ),
            (
                r#"{"id": "b", "text": " "}"#,
                "expected a passage with text; found an empty text (passage \"b\")",
            ),
            (
                r#"{"id": "a", "text": "Two."}"#,
                "expected one passage per identifier; found a second, different passage under \"a\"",
            ),
            ("[1]", "found an array"),
        ] {
            folder.write("a.jsonl", &format!("{good}\n{bad}\n{good}\n"));
            let error = fails(&folder.path("a.jsonl"), &ReadOptions::default());
            assert!(
                error.contains("a.jsonl:2") && error.contains(says) && error.contains("--skip-bad"),
                "{error}"
            );
            let skip = ReadOptions {
                skip_bad: true,
                ..ReadOptions::default()
            };
            let (corpus, report) = reads_with(&[folder.path("a.jsonl")], &skip);
            assert_eq!(corpus.passages.len(), 1);
            assert_eq!(
                report.passages,
                Tally {
                    read: 3,
                    kept: 1,
                    merged: 1,
                    bad: 1
                }
            );
            assert_eq!(report.bad.first[0].record.place.line, Some(2));
        }
    }

    #[test]
    fn a_byte_that_is_not_utf8_is_named() {
        let folder = Folder::new();
        folder.write_bytes(
            "a.jsonl",
            b"{\"id\": \"a\", \"text\": \"One.\"}\n{\"id\": \"b\", \"text\": \"caf\xE9\"}\n",
        );
        let error = fails(&folder.path("a.jsonl"), &ReadOptions::default());
        assert!(
            error.contains("a.jsonl:2 (byte 52)")
                && error.contains("0xE9")
                && error.contains("UTF-8"),
            "{error}"
        );
    }

    #[test]
    fn an_array_has_lines_columns_and_bytes_and_goes_on_behind_a_bad_element() {
        let folder = Folder::new();
        folder.write_bytes("a.json", b"[\n  {\"id\": 1, \"text\": \"One.\"},\n  {\"id\": 2, \"text\": \"caf\xE9\"},\n  {\"id\": 3},\n  {\"id\": 4, \"text\": \"Four.\"}\n]");
        let error = fails(&folder.path("a.json"), &ReadOptions::default());
        assert!(
            error.contains("a.json:3:3 (byte 55)") && error.contains("0xE9"),
            "{error}"
        );
        let skip = ReadOptions {
            skip_bad: true,
            ..ReadOptions::default()
        };
        let (corpus, report) = reads_with(&[folder.path("a.json")], &skip);
        assert_eq!(corpus.passages.len(), 2);
        assert_eq!(
            report.bad.first[1].record.place.to_string(),
            format!("{}:4:3 (byte 62)", folder.path("a.json").display())
        );
    }

    #[test]
    fn a_torn_array_keeps_what_came_before() {
        let folder = Folder::new();
        folder.write(
            "a.json",
            "[{\"id\": 1, \"text\": \"One.\"},\n {\"id\": 2, \"te",
        );
        let error = fails(&folder.path("a.json"), &ReadOptions::default());
        assert!(
            error.contains("a.json:2:14 (byte 41)")
                && error.contains("EOF")
                && error.contains("nothing behind"),
            "{error}"
        );
        let skip = ReadOptions {
            skip_bad: true,
            ..ReadOptions::default()
        };
        let (corpus, report) = reads_with(&[folder.path("a.json")], &skip);
        assert_eq!((corpus.passages.len(), report.passages.bad), (1, 1));
    }
}
