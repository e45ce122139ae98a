//! Rankings as the programs of graph retrieval write their results: JSON of questions with the passages that answer them.

use super::run_file::{Row, identifier};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// What a record calls its question, by identifier and in words.
const QUESTION: [&str; 10] = [
    "id",
    "_id",
    "qid",
    "query_id",
    "question_id",
    "question",
    "query",
    "user_input",
    "input",
    "original_query",
];
/// What a record calls its passages, best first.
const PASSAGES: [&str; 14] = [
    "docs",
    "retrieved",
    "retrieved_docs",
    "retrieved_passages",
    "retrieved_contexts",
    "ctxs",
    "contexts",
    "context",
    "passages",
    "chunks",
    "source_nodes",
    "source_documents",
    "documents",
    "results",
];
/// What stands beside the passages, a number for each.
const SCORES: [&str; 4] = [
    "doc_scores",
    "retrieved_scores",
    "retrieval_scores",
    "scores",
];
/// What passages are called.
const ID: [&str; 11] = [
    "_id",
    "id",
    "id_",
    "doc_id",
    "docid",
    "chunk_id",
    "passage_id",
    "pid",
    "hash_id",
    "node_id",
    "idx",
];
const TITLE: [&str; 2] = ["title", "name"];
const TEXT: [&str; 6] = [
    "text",
    "content",
    "page_content",
    "contents",
    "passage",
    "context",
];
const SCORE: [&str; 3] = ["score", "similarity", "relevance_score"];
/// What may lie between a record and its passages, or a passage and its text: `data` of a server's answer, `node` of a hit.
const BETWEEN: [&str; 8] = [
    "data", "response", "result", "answer", "output", "node", "document", "metadata",
];
/// How deep it may lie.
const DEEPEST: usize = 3;
/// Most fields of a record that a message names.
const MOST_NAMED: usize = 12;

/// Whether a text is JSON rather than the lines of TREC.
pub fn is_json(text: &str) -> bool {
    text.trim_start().starts_with(['{', '['])
}

/// The rankings by the question's identifier and by its words, with white space as `_`.
///
/// # Errors
/// What is no JSON, with its line; a record without a question or passages, with what it has.
pub fn parse(text: &str) -> Result<BTreeMap<String, Arc<[Row]>>, String> {
    let values: Result<Vec<Value>, serde_json::Error> = serde_json::Deserializer::from_str(text)
        .into_iter()
        .collect();
    let mut values = values.map_err(|error| format!("no JSON: {error}"))?;
    let records = match &mut values[..] {
        [Value::Array(records)] => std::mem::take(records),
        [Value::Object(object)] => match inside(object) {
            Inside::Scores => return Ok(scored(object)),
            Inside::Records(records) => records,
            Inside::Record => values,
        },
        _ => values,
    };
    let mut of = BTreeMap::new();
    for (record, number) in records.iter().zip(1..) {
        let wrong = |lacks: &str| {
            let fields = record.as_object().into_iter().flat_map(Map::keys);
            let fields: Vec<&str> = fields.map(String::as_str).take(MOST_NAMED).collect();
            let has = match fields[..] {
                [] => "no fields".to_owned(),
                _ => fields.join(", "),
            };
            Err(format!("record {number} has {has}; {lacks}"))
        };
        let Some(object) = record.as_object() else {
            return wrong("a result is an object of a question and its passages");
        };
        let questions: Vec<String> = QUESTION
            .iter()
            .filter_map(|key| object.get(*key).and_then(words))
            .map(|question| identifier(&question))
            .collect();
        if questions.is_empty() {
            return wrong("expected a question: question, query, id or qid");
        }
        let Some((holder, list)) = listed(object, 0) else {
            return wrong(
                "expected a list of passages: docs, retrieved_docs, chunks, contexts, ctxs or source_nodes",
            );
        };
        let rows = rows(holder, list);
        for question in questions {
            if of.insert(question.clone(), rows.clone()).is_some() {
                return Err(format!(
                    "record {number} ranks passages for '{question}' once more"
                ));
            }
        }
    }
    match of.is_empty() {
        true => Err("no question with passages".to_owned()),
        false => Ok(of),
    }
}

/// What a lone object is.
enum Inside {
    /// Scores of passages by question, as ranx and BEIR write a run.
    Scores,
    /// Records in a field, or by the identifiers of their questions.
    Records(Vec<Value>),
    /// One record.
    Record,
}

fn inside(object: &mut Map<String, Value>) -> Inside {
    let is_scores = |value: &Value| {
        let scores = value.as_object();
        scores.is_some_and(|scores| !scores.is_empty() && scores.values().all(Value::is_number))
    };
    if !object.is_empty() && object.values().all(is_scores) {
        return Inside::Scores;
    }
    if QUESTION.iter().any(|key| object.contains_key(*key)) {
        return Inside::Record;
    }
    let is_record = |value: &Value| {
        let record = value.as_object();
        record.is_some_and(|record| listed(record, 0).is_some())
    };
    let mut lists = object.values_mut().filter_map(Value::as_array_mut);
    if let Some(records) = lists.find(|list| list.first().is_some_and(is_record)) {
        return Inside::Records(std::mem::take(records));
    }
    if object.is_empty() || !object.values().all(is_record) {
        return Inside::Record;
    }
    // Records that are kept by their questions get these as identifiers.
    let records = std::mem::take(object).into_iter().map(|(id, mut record)| {
        if let Some(fields) = record.as_object_mut() {
            fields.insert("qid".to_owned(), id.into());
        }
        record
    });
    Inside::Records(records.collect())
}

fn scored(object: &Map<String, Value>) -> BTreeMap<String, Arc<[Row]>> {
    let rows = |scores: &Map<String, Value>| -> Arc<[Row]> {
        let mut rows: Vec<Row> = scores
            .iter()
            .map(|(id, score)| Row {
                id: id.clone(),
                score: number(score).unwrap_or(0.0),
                ..Row::default()
            })
            .collect();
        rows.sort_by(|a, b| b.score.total_cmp(&a.score));
        rows.into()
    };
    let questions = object.iter();
    questions
        .filter_map(|(question, scores)| Some((identifier(question), rows(scores.as_object()?))))
        .collect()
}

/// The list of a record's passages, with what holds it; none where it has no such list.
fn listed(object: &Map<String, Value>, depth: usize) -> Option<(&Map<String, Value>, &[Value])> {
    if depth > DEEPEST {
        return None;
    }
    let is_passage = |item: &Value| item.is_string() || item.is_object();
    let lists = PASSAGES
        .iter()
        .filter_map(|key| object.get(*key)?.as_array());
    let own = lists.into_iter().find(|list| list.iter().all(is_passage));
    let mut within = BETWEEN
        .iter()
        .filter_map(|key| object.get(*key)?.as_object());
    own.map(|list| (object, list.as_slice()))
        .or_else(|| within.find_map(|object| listed(object, depth + 1)))
}

/// The passages of a list, best first; scores may stand beside it.
fn rows(holder: &Map<String, Value>, list: &[Value]) -> Arc<[Row]> {
    let beside = SCORES.iter().find_map(|key| holder.get(*key)?.as_array());
    let beside = beside.filter(|scores| scores.len() == list.len());
    let scores: Option<Vec<f32>> = match beside {
        Some(scores) => scores.iter().map(number).collect(),
        None => list
            .iter()
            .map(|item| number(field(item, &SCORE, 0)?))
            .collect(),
    };
    // The list is the order; scores that rise along it are distances, or of an earlier step.
    let scores = scores.filter(|scores| scores.is_sorted_by(|a, b| a >= b));
    let mut seen = HashSet::new();
    let rows = list.iter().enumerate().map(|(at, item)| {
        let of = |keys: &[&str]| field(item, keys, 0).and_then(words).unwrap_or_default();
        let (id, title, text) = match item.as_str() {
            Some(text) => (text.to_owned(), text.to_owned(), text.to_owned()),
            None => (of(&ID), of(&TITLE), of(&TEXT)),
        };
        let score = scores.as_ref().and_then(|scores| scores.get(at).copied());
        Row {
            id,
            title,
            text,
            score: score.unwrap_or(1.0 / (at as f32 + 1.0)),
        }
    });
    rows.filter(|row| seen.insert((row.id.clone(), row.text.clone())))
        .collect()
}

/// The first of some fields of an item, or of what lies in it.
fn field<'v>(item: &'v Value, keys: &[&str], depth: usize) -> Option<&'v Value> {
    let object = item.as_object().filter(|_| depth <= DEEPEST)?;
    let own = keys.iter().find_map(|key| object.get(*key));
    let mut within = BETWEEN.iter().filter_map(|key| object.get(*key));
    own.filter(|value| value.is_string() || value.is_number())
        .or_else(|| within.find_map(|value| field(value, keys, depth + 1)))
}

/// A text, or a number written out.
fn words(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()).filter(|text| !text.trim().is_empty()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn number(value: &Value) -> Option<f32> {
    let number = value.as_f64()? as f32;
    number.is_finite().then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ids(text: &str, question: &str) -> Vec<(String, f32)> {
        let of = parse(text).unwrap();
        let rows = of[question].iter();
        rows.map(|row| (row.id.clone(), row.score)).collect()
    }

    #[test]
    fn results_as_programs_write_them() {
        let want = vec![("a".to_owned(), 2.0), ("b".to_owned(), 1.0)];
        for (name, text) in [
            (
                "ranx and BEIR",
                r#"{"q": {"b": 1, "a": 2.0}, "r": {"c": 1}}"#,
            ),
            (
                "HippoRAG",
                r#"[{"question": "q", "docs": ["a", "b"], "doc_scores": [2.0, 1.0], "gold_docs": ["b"]}]"#,
            ),
            (
                "DPR",
                r#"[{"question": "q", "answers": [], "ctxs": [{"id": "a", "title": "A", "text": "t", "score": 2}, {"id": "b", "title": "B", "text": "u", "score": 1}]}]"#,
            ),
            (
                "a server's answer",
                r#"{"query": "q", "data": {"entities": [], "chunks": [{"chunk_id": "a", "content": "t", "score": 2}, {"chunk_id": "b", "content": "u", "score": 1}]}}"#,
            ),
            (
                "hits with nodes",
                r#"{"query": "q", "response": {"source_nodes": [{"node": {"id_": "a", "text": "t"}, "score": 2}, {"node": {"id_": "b", "text": "u"}, "score": 1}]}}"#,
            ),
            (
                "lines",
                "{\"qid\": \"q\", \"retrieved\": [{\"id\": \"a\", \"score\": 2}, {\"id\": \"b\", \"score\": 1}]}\n{\"qid\": \"r\", \"retrieved\": []}\n",
            ),
            (
                "a field of records",
                r#"{"took": 3, "rows": [{"id": "q", "docs": ["a", "b"], "scores": [2, 1]}]}"#,
            ),
            (
                "by question",
                r#"{"q": {"docs": ["a", "b"], "scores": [2, 1]}}"#,
            ),
        ] {
            assert_eq!(ids(text, "q"), want, "{name}");
        }
    }

    #[test]
    fn the_list_is_the_order_where_scores_rise_or_lack() {
        for text in [
            r#"{"question": "q", "docs": ["a", "b", "a"]}"#,
            r#"{"question": "q", "docs": ["a", "b"], "doc_scores": [0.1, 0.7]}"#,
            r#"{"question": "q", "docs": ["a", "b"], "doc_scores": [0.1]}"#,
        ] {
            let want = vec![("a".to_owned(), 1.0), ("b".to_owned(), 0.5)];
            assert_eq!(ids(text, "q"), want, "{text}");
        }
    }

    #[test]
    fn what_is_no_result_names_the_record_and_its_fields() {
        for (text, expected) in [
            ("[1", "no JSON: EOF"),
            ("[]", "no question with passages"),
            ("[1]", "record 1 has no fields; a result is an object"),
            (
                r#"[{"question": "q", "docs": []}, {"docs": []}]"#,
                "record 2 has docs; expected a question",
            ),
            (
                r#"{"question": "q", "context": "a text"}"#,
                "record 1 has question, context; expected a list of passages",
            ),
            (
                r#"[{"id": "q", "docs": []}, {"id": "q", "docs": []}]"#,
                "record 2 ranks passages for 'q' once more",
            ),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.starts_with(expected), "{error}");
        }
    }

    proptest! {
        /// Whatever stands in a file: rankings or an error.
        #[test]
        fn damaged_results_give_an_error_or_rankings(at in any::<prop::sample::Index>(), byte in 32_u8..127, cut in any::<bool>()) {
            let mut bytes = br#"[{"question": "q", "docs": ["a", "b"], "doc_scores": [2.0, 1.0]}, {"id": 7, "data": {"chunks": [{"chunk_id": "a"}]}}]"#.to_vec();
            let at = at.index(bytes.len());
            match cut {
                true => bytes.truncate(at),
                false => bytes[at] = byte,
            }
            let text = String::from_utf8(bytes).unwrap();
            if let Ok(of) = parse(&text) {
                prop_assert!(of.values().flat_map(|rows| rows.iter()).all(|row| row.score.is_finite()));
            }
        }
    }
}
