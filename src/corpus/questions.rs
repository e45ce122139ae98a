//! Question files on their own, for passages that are there already.
//!
//! JSON and JSONL: BEIR's `queries.jsonl`, HotpotQA, 2WikiMultiHopQA, MuSiQue, or any record with a question.
//! A plain record may state its gold: `"gold": {"PASSAGE": GRADE, ...}`.
//! CSV and TSV: with a header, or two columns, identifier and question; STaRK's column `answer_ids` is gold. Plain text: one question per line.

use super::detect::looks_like_json;
use super::intake::{Clash, Intake, Link};
use super::item::Item;
use super::json::{self, Record, Shape};
use super::lines::{Lines, read_head, stem, utf8};
use super::table::{as_wide_as, column_names, rows};
use super::{CorpusError, Lookup, Place, Question, What, columns, hotpot, musique};
use serde_json::Value;
use std::borrow::Cow;
use std::path::Path;

const SHAPE: Shape = Shape {
    what: What::Question,
    example: r#"a question such as {"_id": "1", "text": "Who?", "metadata": {"answer": "She", "type": "bridge"}}"#,
};

/// Reads one file. `unmarked` as in [`musique::item`].
pub(super) fn read(file: &Path, unmarked: bool, intake: &mut Intake) -> Result<(), CorpusError> {
    if !intake.take_questions {
        return Ok(());
    }
    let named = |extension: &str| {
        file.extension()
            .is_some_and(|own| own.eq_ignore_ascii_case(extension))
    };
    if looks_like_json(&read_head(file)?) {
        from_json(file, unmarked, intake)
    } else if named("csv") || named("tsv") {
        from_table(file, intake)
    } else {
        from_lines(file, intake)
    }
}

fn from_json(file: &Path, unmarked: bool, intake: &mut Intake) -> Result<(), CorpusError> {
    let mut ordinal = 0;
    json::records(file, SHAPE, intake, |intake, place, record| {
        ordinal += 1;
        let item = if hotpot::is_one(&record) {
            hotpot::item(place, &record, ordinal)?
        } else if musique::is_one(&record) {
            musique::item(place, &record, ordinal, unmarked)?
        } else {
            let item = Item::question(place, &record, ordinal)?;
            let links = stated(place, &record, intake.lookup())?;
            return intake.question(place, item.question, links, Clash::Refuse);
        };
        let links = item.links(intake.lookup());
        intake.question(place, item.question, links, Clash::Rename)
    })
}

/// The gold that a plain record states: passages by identifier, with their grades.
fn stated(place: &Place, record: &Record, lookup: &Lookup) -> Result<Vec<Link>, CorpusError> {
    let wrong = |found: &str| {
        let expected = r#"`gold` as {"PASSAGE": 1, ...}, with grades above zero"#;
        CorpusError::record(place, expected, found)
    };
    let gold = match record.get("gold") {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Object(gold)) => gold,
        Some(other) => return Err(wrong(json::kind_of(other))),
    };
    let link = |(named, grade): (&String, &Value)| match grade.as_f64() {
        Some(grade) if grade > 0.0 => Ok(Link {
            named: named.clone(),
            passage: lookup.by_id(named),
            grade: grade as f32,
        }),
        _ => Err(wrong(&format!("{grade} as a grade"))),
    };
    gold.iter().map(link).collect()
}

fn from_table(file: &Path, intake: &mut Intake) -> Result<(), CorpusError> {
    let mut header = Vec::new();
    let mut ordinal = 0;
    rows(file, What::Question, intake, |intake, place, fields| {
        if header.is_empty() {
            header = column_names(fields.clone())
                .into_iter()
                .map(|name| name.to_ascii_lowercase())
                .collect();
            if columns::pick(&header, &["question", "query", "text"]).is_some() {
                return Ok(());
            }
            if fields.len() != 2 {
                let found = format!("the columns {}", header.join(", "));
                let remedy = "Name the columns id and question in the first line.";
                return Err(CorpusError::file(
                    place.clone(),
                    "a column `question`, `query` or `text`",
                    found,
                    remedy,
                ));
            }
            header = vec!["id".to_owned(), "question".to_owned()];
        }
        ordinal += 1;
        let answers = header.iter().position(|name| name == "answer_ids");
        let answers = answers.and_then(|at| fields.get(at).cloned());
        let links = match answers {
            Some(numbers) => answering(place, &numbers, intake.lookup())?,
            None => Vec::new(),
        };
        let fields = as_wide_as(&header, place, fields)?
            .into_iter()
            .map(Cow::into_owned)
            .map(Value::String);
        let record: Record = header.iter().cloned().zip(fields).collect();
        let question = Item::question(place, &record, ordinal)?.question;
        intake.question(place, question, links, Clash::Refuse)
    })
}

/// The objects that answer a question of STaRK: `[1, 2]`.
fn answering(place: &Place, said: &str, lookup: &Lookup) -> Result<Vec<Link>, CorpusError> {
    let numbers: Vec<u64> = serde_json::from_str(said.trim())
        .map_err(|_| CorpusError::record(place, "answers such as [1, 2]", said))?;
    let link = |number: &u64| Link {
        named: number.to_string(),
        passage: lookup.by_id(&number.to_string()),
        grade: 1.0,
    };
    Ok(numbers.iter().map(link).collect())
}

fn from_lines(file: &Path, intake: &mut Intake) -> Result<(), CorpusError> {
    intake.report.files.push(file.to_owned());
    let mut lines = Lines::open(file)?;
    let mut ordinal = 0;
    while let Some((place, line)) = lines.next()? {
        ordinal += 1;
        let taken = question(&place, line, || format!("{}#{ordinal}", stem(file)))
            .and_then(|question| intake.question(&place, question, Vec::new(), Clash::Refuse));
        intake.settle(What::Question, taken)?;
    }
    Ok(())
}

fn question(
    place: &Place,
    line: &[u8],
    id: impl FnOnce() -> String,
) -> Result<Question, CorpusError> {
    let text = utf8(place, line)?.trim().to_owned();
    Ok(Question {
        id: id(),
        text,
        ..Question::default()
    })
}

#[cfg(test)]
mod tests {
    use super::super::fixture::Folder;
    use super::super::{Lookup, Passage, ReadOptions, read_questions};

    fn lookup() -> Lookup {
        let passage = |id: &str, text: &str| Passage {
            id: id.into(),
            title: "Ur".into(),
            text: text.into(),
        };
        Lookup::of(&[passage("d1", "A city."), passage("d2", "A ruin.")])
    }

    #[test]
    fn every_kind_of_file_gives_questions() {
        let folder = Folder::new();
        let options = ReadOptions::default();
        for (name, content, id) in [
            (
                "q.jsonl",
                "{\"_id\": 7, \"text\": \"Who?\", \"metadata\": {\"answer\": \"She\"}}\n",
                "7",
            ),
            (
                "q.json",
                "[{\"id\": \"7\", \"question\": \"Who?\", \"answer\": [\"She\"]}]",
                "7",
            ),
            ("q.tsv", "7\tWho?\n", "7"),
            ("q.csv", "ID,Query,Answer\n7,Who?,She\n", "7"),
            ("q.txt", "\nWho?\r\n", "q#1"),
        ] {
            folder.write(name, content);
            let (questions, report) =
                read_questions(&folder.path(name), None, &lookup(), &options).unwrap();
            assert_eq!(
                (questions.len(), &*questions[0].id, &*questions[0].text),
                (1, id, "Who?"),
                "{name}"
            );
            assert_eq!((report.questions.kept, report.without_gold), (1, 1));
            if content.contains("She") {
                assert_eq!(questions[0].answers, ["She"], "{name}");
            }
        }
    }

    #[test]
    fn gold_comes_from_qrels_or_from_the_records() {
        let folder = Folder::new();
        folder.write("q.jsonl", "{\"_id\": \"7\", \"text\": \"Who?\"}\n");
        folder.write("gold.txt", "7 0 d2 1\n7 0 d9 1\n");
        let options = ReadOptions::default();
        let (questions, report) = read_questions(
            &folder.path("q.jsonl"),
            Some(&folder.path("gold.txt")),
            &lookup(),
            &options,
        )
        .unwrap();
        assert_eq!(
            (questions[0].gold[0].passage, &*questions[0].missing[0]),
            (1, "d9")
        );
        assert_eq!(report.files.len(), 2);
        folder.write(
            "m.json",
            r#"[{"id": "2hop__1", "question": "Who?", "paragraphs": [{"title": "Ur", "paragraph_text": "A ruin.", "is_supporting": true}]}]"#,
        );
        let (questions, _) =
            read_questions(&folder.path("m.json"), None, &lookup(), &options).unwrap();
        assert_eq!(
            (questions[0].gold[0].passage, &*questions[0].kind),
            (1, "2hop")
        );
    }

    #[test]
    fn plain_records_may_state_their_gold() {
        let folder = Folder::new();
        let (file, options) = (folder.path("q.jsonl"), ReadOptions::default());
        let with = |gold: &str| {
            folder.write(
                "q.jsonl",
                &format!("{{\"_id\": \"7\", \"text\": \"Who?\", \"gold\": {gold}}}\n"),
            );
            read_questions(&file, None, &lookup(), &options)
        };
        let (questions, _) = with(r#"{"d2": 2, "d9": 1}"#).unwrap();
        let gold = questions[0].gold[0];
        assert_eq!(
            (gold.passage, gold.grade, &*questions[0].missing[0]),
            (1, 2.0, "d9")
        );
        for (gold, says) in [
            ("[\"d2\"]", "found an array"),
            (r#"{"d2": 0}"#, "found 0 as a grade"),
        ] {
            let error = with(gold).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
    }

    #[test]
    fn bad_questions_are_told_or_counted() {
        let folder = Folder::new();
        for (name, content, says) in [
            (
                "q.jsonl",
                "{\"_id\": \"7\", \"txt\": \"Who?\"}\n",
                "q.jsonl:1 (byte 0): expected a string in the field `question`; found none",
            ),
            (
                "q.jsonl",
                "{\"_id\": \"7\", \"text\": \" \"}\n",
                "expected a question with text; found an empty one (\"7\")",
            ),
            (
                "q.jsonl",
                "{\"_id\": \"7\", \"text\": \"A\"}\n{\"_id\": \"7\", \"text\": \"B\"}\n",
                "q.jsonl:2 (byte 26): expected one question per identifier",
            ),
            (
                "q.tsv",
                "id\tquestion\n7\n",
                "q.tsv:2 (byte 12): expected 2 fields",
            ),
        ] {
            folder.write(name, content);
            let error =
                read_questions(&folder.path(name), None, &lookup(), &ReadOptions::default())
                    .unwrap_err();
            assert!(
                error.to_string().contains(says) && error.to_string().contains("--skip-bad"),
                "{error}"
            );
            let skip = ReadOptions {
                skip_bad: true,
                ..ReadOptions::default()
            };
            let (_, report) = read_questions(&folder.path(name), None, &lookup(), &skip).unwrap();
            assert_eq!(report.questions.bad, 1, "{name}");
        }
        folder.write("q.csv", "a,b,c\n1,2,3\n");
        let error = read_questions(
            &folder.path("q.csv"),
            None,
            &lookup(),
            &ReadOptions::default(),
        )
        .unwrap_err();
        assert!(
            error
                .to_string()
                .contains("found the columns a, b, c\nName the columns id and question"),
            "{error}"
        );
    }
}
