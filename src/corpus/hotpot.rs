//! HotpotQA and 2WikiMultiHopQA: every question brings its contexts, which are pooled into one corpus.
//!
//! `context` and `supporting_facts` come as lists of pairs, as the columns of Hugging Face's copies
//! (`{"title": [...], "sentences": [...]}`), and either of these once more as a JSON string.

use super::intake::Intake;
use super::item::{Fact, Item, Paragraph};
use super::json::{self, Record, Shape, kind_of};
use super::{CorpusError, Place, What};
use serde_json::Value;
use std::borrow::Cow;
use std::path::Path;

const SHAPE: Shape = Shape {
    what: What::Question,
    example: r#"a question such as {"_id": "1", "question": "Who?", "answer": "She", "context": [["Title", ["A sentence."]]], "supporting_facts": [["Title", 0]]}"#,
};
const CONTEXT: &str = r#"`context` as [["Title", ["A sentence."]], ...]"#;
const FACTS: &str = r#"`supporting_facts` as [["Title", 0], ...]"#;

/// Reads one file: its passages and its questions.
pub(super) fn read(file: &Path, intake: &mut Intake) -> Result<(), CorpusError> {
    let mut ordinal = 0;
    json::records(file, SHAPE, intake, |intake, place, record| {
        ordinal += 1;
        item(place, &record, ordinal)?.pool(file, ordinal, place, intake)
    })
}

/// Whether a record is one of this family.
pub(super) fn is_one(record: &Record) -> bool {
    record.contains_key("context") && record.contains_key("question")
}

/// One record.
pub(super) fn item(place: &Place, record: &Record, ordinal: usize) -> Result<Item, CorpusError> {
    let mut item = Item::question(place, record, ordinal)?;
    for (title, sentences) in pairs(
        place,
        record.get("context"),
        &["sentences", "content", "text"],
        CONTEXT,
    )? {
        let sentences = match sentences {
            Value::String(text) => vec![text],
            Value::Array(sentences) => sentences
                .into_iter()
                .map(|sentence| match sentence {
                    Value::String(sentence) => Ok(sentence),
                    other => Err(CorpusError::record(
                        place,
                        CONTEXT,
                        format!("{} as a sentence", kind_of(&other)),
                    )),
                })
                .collect::<Result<_, _>>()?,
            other => {
                return Err(CorpusError::record(
                    place,
                    CONTEXT,
                    format!("{} as sentences", kind_of(&other)),
                ));
            }
        };
        item.paragraphs.push(Paragraph { title, sentences });
    }
    if let Some(facts) = record
        .get("supporting_facts")
        .filter(|facts| !facts.is_null())
    {
        for (title, sentence) in pairs(place, Some(facts), &["sent_id", "sent_ids"], FACTS)? {
            let own = |paragraph: &Paragraph| paragraph.title == title;
            // Of two contexts with this title, the one that has this sentence.
            let wanted = usize::try_from(sentence.as_u64().unwrap_or(0)).unwrap_or(0);
            let paragraph = item
                .paragraphs
                .iter()
                .position(|paragraph| own(paragraph) && wanted < paragraph.sentences.len())
                .or_else(|| item.paragraphs.iter().position(own));
            item.facts.push(Fact {
                title,
                paragraph,
                by_title: true,
            });
        }
    }
    Ok(item)
}

/// Titles, each with what belongs to it.
fn pairs(
    place: &Place,
    value: Option<&Value>,
    columns: &[&str],
    expected: &str,
) -> Result<Vec<(String, Value)>, CorpusError> {
    let wrong = |found: &str| CorpusError::record(place, expected, found);
    let value = match value {
        None => return Err(wrong("none")),
        Some(Value::String(json)) => Cow::Owned(
            serde_json::from_str(json)
                .map_err(|error| wrong(&format!("a string that is not JSON ({error})")))?,
        ),
        Some(value) => Cow::Borrowed(value),
    };
    let titled = |title: &Value, rest: Value| match title {
        Value::String(title) => Ok((title.clone(), rest)),
        other => Err(wrong(&format!("{} as a title", kind_of(other)))),
    };
    match &*value {
        Value::Array(pairs) => pairs
            .iter()
            .map(|pair| match pair.as_array().map(Vec::as_slice) {
                Some([title, rest, ..]) => titled(title, rest.clone()),
                _ => Err(wrong(&format!("{} in place of a pair", kind_of(pair)))),
            })
            .collect(),
        Value::Object(table) => {
            let column = |name: &str| table.get(name).and_then(Value::as_array);
            let titles =
                column("title").ok_or_else(|| wrong("an object without the list `title`"))?;
            let rest = columns
                .iter()
                .find_map(|name| column(name))
                .ok_or_else(|| wrong(&format!("an object without the list `{}`", columns[0])))?;
            if titles.len() != rest.len() {
                return Err(wrong(&format!(
                    "{} titles with {} entries",
                    titles.len(),
                    rest.len()
                )));
            }
            titles
                .iter()
                .zip(rest)
                .map(|(title, rest)| titled(title, rest.clone()))
                .collect()
        }
        other => Err(wrong(kind_of(other))),
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Folder, fails, reads, reads_with};
    use super::super::{Format, GoldTally, ReadOptions, Tally};

    const LISTS: &str = r#"[
 {"_id": "a", "question": "Who?", "answer": "She", "type": "bridge",
  "supporting_facts": [["Ur", 0], ["Ur", 1], ["Nippur", 0], ["Kish", 0]],
  "context": [["Ur", ["A city.", " Now a ruin."]], ["Eridu", ["Old.", " Very."]], ["Nippur", ["Holy.", " Yes."]]]},
 {"_id": "b", "question": "What?", "answer": "It", "type": "comparison", "supporting_facts": [["Ur", 0]],
  "context": [["Ur", ["A prefix.", " In German."]], ["Eridu", ["Old.", " Very."]]]}
]"#;

    #[test]
    fn contexts_are_pooled_and_gold_is_the_questions_own() {
        let folder = Folder::new();
        folder.write("dev.json", LISTS);
        let (corpus, report) = reads(&folder.path("dev.json"));
        assert_eq!(report.sources[0].format, Format::Hotpot);
        let ids: Vec<_> = corpus.passages.iter().map(|passage| &*passage.id).collect();
        assert_eq!(ids, ["Ur", "Eridu", "Nippur", "Ur~2"]);
        assert_eq!(corpus.passages[0].text, "A city. Now a ruin.");
        let gold = |at: usize| {
            corpus.questions[at]
                .gold
                .iter()
                .map(|gold| gold.passage)
                .collect::<Vec<_>>()
        };
        assert_eq!((gold(0), gold(1)), (vec![0, 2], vec![3]));
        assert_eq!(corpus.questions[0].missing, ["Kish"]);
        assert_eq!(corpus.questions[0].answers, ["She"]);
        assert_eq!(corpus.questions[1].kind, "comparison");
        assert_eq!(
            report.passages,
            Tally {
                read: 5,
                kept: 4,
                merged: 1,
                bad: 0
            }
        );
        assert_eq!(
            report.gold,
            GoldTally {
                read: 5,
                kept: 3,
                merged: 1,
                unresolved: 1,
                ..GoldTally::default()
            }
        );
        assert_eq!(report.unresolved.first[0].named, "Kish");
        assert_eq!(report.renamed.count, 0);
    }

    #[test]
    fn of_two_contexts_with_one_title_gold_is_the_one_that_has_the_sentence() {
        let folder = Folder::new();
        let context = r#"[["Ur", ["A prefix."]], ["Ur", ["A city.", " Now a ruin."]]]"#;
        for (sentence, passage) in [(0, 0), (1, 1), (2, 0)] {
            folder.write(
                "x.json",
                &format!(
                    r#"[{{"_id": "a", "question": "Q", "context": {context}, "supporting_facts": [["Ur", {sentence}]]}}]"#
                ),
            );
            let (corpus, _) = reads(&folder.path("x.json"));
            let gold = corpus.questions[0].gold.iter().map(|gold| gold.passage);
            assert_eq!(gold.collect::<Vec<_>>(), [passage], "{sentence}");
        }
    }

    #[test]
    fn columns_and_json_strings_read_the_same() {
        let folder = Folder::new();
        folder.write(
            "hf.jsonl",
            concat!(
                r#"{"id": "a", "question": "Who?", "context": {"title": ["Ur"], "sentences": [["A city.", "Now a ruin."]]}, "supporting_facts": {"title": ["Ur"], "sent_id": [1]}}"#,
                "\n",
                r#"{"question": "What?", "context": "[[\"Ur\", [\"A city.\", \"Now a ruin.\"]]]", "supporting_facts": "[[\"Ur\", 0]]"}"#,
                "\n",
            ),
        );
        let (corpus, report) = reads(&folder.path("hf.jsonl"));
        assert_eq!(report.sources[0].format, Format::Hotpot);
        assert_eq!(corpus.passages.len(), 1);
        assert_eq!(corpus.passages[0].text, "A city. Now a ruin.");
        assert_eq!(corpus.questions[1].id, "hf#2");
        assert!(
            corpus
                .questions
                .iter()
                .all(|question| question.gold[0].passage == 0)
        );
    }

    #[test]
    fn a_record_of_the_wrong_shape_is_told() {
        let folder = Folder::new();
        for (context, says) in [
            (
                "3",
                r#"expected `context` as [["Title", ["A sentence."]], ...]; found a number"#,
            ),
            (r#"[["Ur"]]"#, "an array in place of a pair"),
            (r#"[["Ur", [1]]]"#, "a number as a sentence"),
            (r#""[[""#, "a string that is not JSON"),
            (
                r#"{"title": ["a"], "sentences": []}"#,
                "1 titles with 0 entries",
            ),
        ] {
            folder.write(
                "x.json",
                &format!("[\n{{\"question\": \"Q\", \"context\": {context}}}]"),
            );
            let error = fails(&folder.path("x.json"), &ReadOptions::default());
            assert!(
                error.contains("x.json:2:1 (byte 2)") && error.contains(says),
                "{error}"
            );
        }
    }

    #[test]
    fn an_empty_context_is_its_title_and_one_without_a_title_is_bad() {
        let folder = Folder::new();
        folder.write(
            "x.json",
            r#"[{"_id": "a", "question": "Q", "context": [["Ur", [""]], ["", [""]]], "supporting_facts": [["Ur", 0]]}]"#,
        );
        let error = fails(&folder.path("x.json"), &ReadOptions::default());
        assert!(error.contains("empty text"), "{error}");
        let skip = ReadOptions {
            skip_bad: true,
            ..ReadOptions::default()
        };
        let (corpus, report) = reads_with(&[folder.path("x.json")], &skip);
        assert_eq!(corpus.questions[0].gold.len(), 1);
        assert_eq!((report.passages.kept, report.passages.bad), (1, 1));
    }
}
