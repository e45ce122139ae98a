//! HippoRAG's pair of files: `<name>_corpus.json` with the passages, `<name>.json` with the questions.
//!
//! The corpus is `{"Title": ["sentence", ...], ...}`, whose identifiers are the titles, or
//! `[{"title", "text", "idx"?}, ...]`, whose identifiers are `idx` or the running number from 0.

use super::columns::Columns;
use super::detect::Source;
use super::intake::Intake;
use super::item::{carry_their_spaces, join};
use super::json::{self, Shape, kind_of, scalar};
use super::lines::read_head;
use super::{CorpusError, Passage, Place, What, questions};
use serde_json::Value;
use std::path::{Path, PathBuf};

const SHAPE: Shape = Shape {
    what: What::Passage,
    example: r#"passages as {"Title": ["A sentence.", ...], ...} or [{"title": "Ur", "text": "A city."}, ...]"#,
};

/// `<name>.json` beside `<name>_corpus.json`.
pub(super) fn question_file(corpus: &Path) -> Option<PathBuf> {
    let name = corpus.file_name()?.to_str()?.strip_suffix("_corpus.json")?;
    Some(corpus.with_file_name(format!("{name}.json"))).filter(|file| file.is_file())
}

/// Reads the passages in the order of the file, then the questions.
pub(super) fn read(source: &Source, intake: &mut Intake) -> Result<(), CorpusError> {
    for file in &source.files {
        if read_head(file)?.trim_ascii_start().starts_with(b"{") {
            titled_sentences(file, intake)?;
        } else {
            records(file, intake)?;
        }
    }
    match &source.questions {
        Some(file) => questions::read(file, true, intake),
        None => Ok(()),
    }
}

fn titled_sentences(file: &Path, intake: &mut Intake) -> Result<(), CorpusError> {
    let mut articles: Vec<(Place, String, Vec<String>)> = Vec::new();
    json::entries(file, SHAPE, intake, |_, place, title, value| {
        let sentences = match value {
            Value::String(text) => vec![text],
            Value::Array(sentences) if sentences.iter().all(Value::is_string) => {
                sentences.iter().filter_map(scalar).collect()
            }
            other => {
                let found = format!("{} under {title:?}", kind_of(&other));
                return Err(CorpusError::record(
                    place,
                    "a list of sentences under each title",
                    found,
                ));
            }
        };
        articles.push((place.clone(), title, sentences));
        Ok(())
    })?;
    let spaced = carry_their_spaces(articles.iter().map(|(_, _, sentences)| &**sentences));
    for (place, title, sentences) in articles {
        let passage = Passage {
            id: title.clone(),
            title,
            text: join(&sentences, spaced),
        };
        let taken = intake.passage(&place, passage);
        intake.settle(What::Passage, taken)?;
    }
    Ok(())
}

fn records(file: &Path, intake: &mut Intake) -> Result<(), CorpusError> {
    let columns = Columns {
        id: None,
        title: Some("title".to_owned()),
        text: "text".to_owned(),
    };
    let mut running = 0;
    json::records(file, SHAPE, intake, |intake, place, record| {
        let id = record
            .get("idx")
            .and_then(scalar)
            .unwrap_or_else(|| running.to_string());
        running += 1;
        let passage = super::jsonl::passage(place, record, &columns, || id)?;
        intake.passage(place, passage).map(drop)
    })
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Folder, fails, reads, reads_with};
    use super::super::{Format, GoldTally, ReadOptions};

    const CORPUS: &str =
        "{\n \"Ur\": [\"A city.\", \" Now a ruin.\"],\n \"Kish\": [\"Old.\", \" Very.\"]\n}";
    const QUESTIONS: &str = r#"[{"_id": "a", "question": "Who?", "answer": "She", "type": "bridge",
      "context": [["Kish", ["Old.", " Very."]]], "supporting_facts": [["Kish", 0], ["Kish", 1], ["Ur", 0], ["Eridu", 0]]}]"#;

    #[test]
    fn a_folder_gives_both_files_in_the_order_of_the_corpus() {
        let folder = Folder::new();
        folder.write("x_corpus.json", CORPUS);
        folder.write("x.json", QUESTIONS);
        for path in [folder.path(""), folder.path("x_corpus.json")] {
            let (corpus, report) = reads(&path);
            assert_eq!(report.sources[0].format, Format::HippoRag);
            assert_eq!(report.files.len(), 2);
            assert_eq!(
                (&*corpus.passages[0].id, &*corpus.passages[0].text),
                ("Ur", "A city. Now a ruin.")
            );
            let question = &corpus.questions[0];
            assert_eq!(
                question
                    .gold
                    .iter()
                    .map(|gold| gold.passage)
                    .collect::<Vec<_>>(),
                [0, 1]
            );
            assert_eq!(question.missing, ["Eridu"]);
            assert_eq!(
                report.gold,
                GoldTally {
                    read: 4,
                    kept: 2,
                    merged: 1,
                    unresolved: 1,
                    ..GoldTally::default()
                }
            );
        }
    }

    #[test]
    fn both_files_named_are_read_once() {
        let folder = Folder::new();
        folder.write("x_corpus.json", CORPUS);
        folder.write("x.json", QUESTIONS);
        let (corpus, report) = reads_with(
            &[folder.path("x.json"), folder.path("x_corpus.json")],
            &ReadOptions::default(),
        );
        assert_eq!((corpus.passages.len(), corpus.questions.len()), (2, 1));
        assert_eq!(report.sources.len(), 1);
    }

    #[test]
    fn a_list_has_running_numbers_or_idx_and_gold_by_content() {
        let folder = Folder::new();
        folder.write(
            "m_corpus.json",
            r#"[{"title": "Ur", "text": "A city."}, {"title": "Ur", "text": "A prefix.", "idx": 7}]"#,
        );
        folder.write(
            "m.json",
            r#"[{"id": "2hop__1", "question": "Who?", "paragraphs": [
                {"title": "Ur", "paragraph_text": "A prefix.", "is_supporting": true},
                {"title": "Ur", "text": "Another.", "is_supporting": true},
                {"title": "Ur", "paragraph_text": "A city.", "is_supporting": false}]}]"#,
        );
        let (corpus, _) = reads(&folder.path("m_corpus.json"));
        assert_eq!(
            corpus
                .passages
                .iter()
                .map(|passage| &*passage.id)
                .collect::<Vec<_>>(),
            ["0", "7"]
        );
        assert_eq!(corpus.questions[0].gold[0].passage, 1);
        assert_eq!(
            (corpus.questions[0].gold.len(), &*corpus.questions[0].kind),
            (1, "2hop")
        );
        assert_eq!(corpus.questions[0].missing, ["Ur"]);
    }

    #[test]
    fn a_bad_entry_names_its_line_and_title() {
        let folder = Folder::new();
        folder.write(
            "x_corpus.json",
            "{\n \"Ur\": [\"A city.\"],\n \"Kish\": 3,\n \"Eridu\": [\"Old.\"]}",
        );
        let error = fails(&folder.path("x_corpus.json"), &ReadOptions::default());
        assert!(
            error.contains("x_corpus.json:3:10 (byte 31)")
                && error.contains("a number under \"Kish\""),
            "{error}"
        );
        let skip = ReadOptions {
            skip_bad: true,
            ..ReadOptions::default()
        };
        let (corpus, report) = reads_with(&[folder.path("x_corpus.json")], &skip);
        assert_eq!((corpus.passages.len(), report.passages.bad), (2, 1));
    }
}
