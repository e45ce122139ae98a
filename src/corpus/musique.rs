//! MuSiQue: every question brings its paragraphs, marked as supporting or not.

use super::intake::Intake;
use super::item::{Fact, Item, Paragraph};
use super::json::{self, Record, Shape, kind_of};
use super::{CorpusError, Place, What};
use serde_json::Value;
use std::path::Path;

const SHAPE: Shape = Shape {
    what: What::Question,
    example: r#"a question such as {"id": "2hop__1_2", "question": "Who?", "paragraphs": [{"idx": 0, "title": "Ur", "paragraph_text": "A city.", "is_supporting": true}]}"#,
};

/// Reads one file, an array or lines: its passages and its questions.
pub(super) fn read(file: &Path, intake: &mut Intake) -> Result<(), CorpusError> {
    let mut ordinal = 0;
    json::records(file, SHAPE, intake, |intake, place, record| {
        ordinal += 1;
        item(place, &record, ordinal, false)?.pool(file, ordinal, place, intake)
    })
}

/// Whether a record is one of this family.
pub(super) fn is_one(record: &Record) -> bool {
    record.contains_key("paragraphs") && record.contains_key("question")
}

/// One record. `unmarked` says whether a paragraph without `is_supporting` is gold: so in HippoRAG's files.
pub(super) fn item(
    place: &Place,
    record: &Record,
    ordinal: usize,
    unmarked: bool,
) -> Result<Item, CorpusError> {
    let mut item = Item::question(place, record, ordinal)?;
    let wrong = |found: &str| {
        let expected = r#"`paragraphs` as [{"title": "Ur", "paragraph_text": "A city.", "is_supporting": true}, ...]"#;
        CorpusError::record(place, expected, found)
    };
    let paragraphs = match record.get("paragraphs") {
        Some(Value::Array(paragraphs)) => paragraphs,
        other => return Err(wrong(other.map_or("none", kind_of))),
    };
    for paragraph in paragraphs {
        let text = |name: &str| paragraph.get(name).and_then(Value::as_str);
        let sentences = text("paragraph_text").or_else(|| text("text"));
        let sentences = vec![
            sentences
                .ok_or_else(|| wrong("a paragraph without `paragraph_text`"))?
                .to_owned(),
        ];
        let title = text("title").unwrap_or_default().to_owned();
        let gold = match paragraph.get("is_supporting") {
            Some(Value::Bool(gold)) => *gold,
            Some(Value::Null) | None => unmarked,
            Some(other) => return Err(wrong(&format!("{} as `is_supporting`", kind_of(other)))),
        };
        if gold {
            item.facts.push(Fact {
                title: title.clone(),
                paragraph: Some(item.paragraphs.len()),
                by_title: false,
            });
        }
        item.paragraphs.push(Paragraph { title, sentences });
    }
    if item.question.kind.is_empty()
        && let Some((prefix, _)) = item
            .question
            .id
            .split_once("__")
            .filter(|(prefix, _)| prefix.contains("hop"))
    {
        item.question.kind = prefix.to_owned();
    }
    // The full release pairs each question with one whose paragraphs do not answer it, under the same id.
    if record.get("answerable") == Some(&Value::Bool(false)) {
        item.question
            .kind
            .push_str(if item.question.kind.is_empty() {
                "unanswerable"
            } else {
                "-unanswerable"
            });
    }
    Ok(item)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Folder, fails, reads};
    use super::super::{Format, ReadOptions, Tally};

    const FIRST: &str = r#"{"id": "2hop__1_2", "question": "Who?", "answer": "She", "answer_aliases": ["Her"], "answerable": true, "paragraphs": [{"idx": 0, "title": "Ur", "paragraph_text": "A city.", "is_supporting": true}, {"idx": 1, "title": "Ur", "paragraph_text": "A ruin.", "is_supporting": true}]}"#;
    const SECOND: &str = r#"{"id": "2hop__1_2", "question": "Who?", "answer": "She", "answer_aliases": ["Her"], "answerable": false, "paragraphs": [{"idx": 0, "title": "Ur", "paragraph_text": "A city.", "is_supporting": true}]}"#;

    #[test]
    fn lines_and_array_read_the_same() {
        let folder = Folder::new();
        folder.write("x.jsonl", &format!("{FIRST}\n{SECOND}\n"));
        folder.write("x.json", &format!("[{FIRST},\n{SECOND}]"));
        let (lines, report) = reads(&folder.path("x.jsonl"));
        let (array, _) = reads(&folder.path("x.json"));
        assert_eq!(
            (&lines.passages, &lines.questions),
            (&array.passages, &array.questions)
        );
        assert_eq!(report.sources[0].format, Format::Musique);
        assert_eq!(
            report.passages,
            Tally {
                read: 3,
                kept: 2,
                merged: 1,
                bad: 0
            }
        );
        let question = &lines.questions[0];
        assert_eq!((&*question.kind, question.gold.len()), ("2hop", 2));
        assert_eq!(question.answers, ["She", "Her"]);
        let contrast = &lines.questions[1];
        assert_eq!(
            (&*contrast.id, &*contrast.kind, contrast.gold.len()),
            ("2hop__1_2~2", "2hop-unanswerable", 1)
        );
        assert_eq!(report.renamed.first[0].to, "2hop__1_2~2");
    }

    #[test]
    fn a_record_of_the_wrong_shape_is_told() {
        let folder = Folder::new();
        for (paragraphs, says) in [
            ("{}", "found an object"),
            (
                r#"[{"title": "Ur"}]"#,
                "a paragraph without `paragraph_text`",
            ),
            (
                r#"[{"paragraph_text": "x", "is_supporting": 1}]"#,
                "a number as `is_supporting`",
            ),
        ] {
            folder.write(
                "x.jsonl",
                &format!("{FIRST}\n{{\"question\": \"Q\", \"paragraphs\": {paragraphs}}}\n"),
            );
            let error = fails(&folder.path("x.jsonl"), &ReadOptions::default());
            assert!(
                error.contains("x.jsonl:2 ")
                    && error.contains(says)
                    && error.contains("paragraph_text"),
                "{error}"
            );
        }
    }
}
