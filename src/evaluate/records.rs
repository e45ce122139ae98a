//! Questions with what a method retrieved, in the form that other evaluators and viewers read.

#![warn(missing_docs)]

use super::reading::Readings;
use super::run::Evaluation;
use crate::corpus::Question;
use crate::index::Index;
use crate::journal::moment;
use crate::parameters::RESULT_K;
use crate::retrieve::{Hit, Keep, Retrieval, RetrieveError, Retriever};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::Duration;
use xxhash_rust::xxh3::xxh3_128;

/// Who reads the records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Records {
    /// RAGAS: JSON lines of single-turn samples.
    Ragas,
    /// DeepEval: a JSON list of test cases.
    Deepeval,
    /// Viewers of traces: spans of OpenInference, as Phoenix takes them.
    Openinference,
}

impl Records {
    /// All of them.
    pub const ALL: [Records; 3] = [Records::Ragas, Records::Deepeval, Records::Openinference];

    /// Name in commands.
    pub const fn name(self) -> &'static str {
        match self {
            Records::Ragas => "ragas",
            Records::Deepeval => "deepeval",
            Records::Openinference => "openinference",
        }
    }

    /// The text of a file. Spans begin at `now`, the time since 1970, one question after the other.
    ///
    /// # Errors
    /// Spans have the times of their steps, so each question is asked again: the first retrieval that failed.
    pub fn write(
        self,
        index: &Arc<Index>,
        questions: &[Question],
        evaluation: &Evaluation,
        answers: Option<&Readings>,
        now: Duration,
    ) -> Result<String, RetrieveError> {
        let k = evaluation.settings.get(RESULT_K);
        let rows = evaluation.per_question.iter().map(|row| {
            let hits = &row.ranking[..k.min(row.ranking.len())];
            Case {
                index,
                question: &questions[row.question],
                hits,
                answer: answer(answers, row.question),
            }
        });
        Ok(match self {
            Records::Ragas => rows.map(|case| format!("{}\n", case.ragas())).collect(),
            Records::Deepeval => pretty(&rows.map(|case| case.deepeval()).collect()),
            Records::Openinference => {
                let mut retriever = Retriever::new(index.clone());
                let mut now = now;
                let mut spans = Vec::new();
                for (case, row) in rows.zip(&evaluation.per_question) {
                    let text = &case.question.text;
                    let run = retriever.retrieve(text, &evaluation.settings, Keep::Scores)?;
                    let measures = json!(row.measures);
                    spans.extend(case.spans(&evaluation.name, &run, &measures, &mut now));
                }
                pretty(&json!({"data": spans}))
            }
        })
    }
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

/// What a model answered to a question.
fn answer(answers: Option<&Readings>, question: usize) -> Option<&str> {
    let rows = &answers?.per_question;
    let at = rows.binary_search_by_key(&question, |row| row.question);
    let answer = rows[at.ok()?].answer.as_ref().ok()?;
    Some(&answer.text)
}

/// A question with what was retrieved for it.
struct Case<'a> {
    index: &'a Index,
    question: &'a Question,
    hits: &'a [Hit],
    answer: Option<&'a str>,
}

/// A passage as a reader is given it.
fn context(index: &Index, passage: u32) -> String {
    match (index.title(passage), index.text(passage)) {
        ("", text) => text.to_owned(),
        (title, text) => format!("{title}\n{text}"),
    }
}

impl Case<'_> {
    fn contexts(&self, passages: impl Iterator<Item = u32>) -> Vec<String> {
        passages.map(|p| context(self.index, p)).collect()
    }

    fn retrieved(&self) -> impl Iterator<Item = u32> {
        self.hits.iter().map(|hit| hit.passage)
    }

    fn gold(&self) -> impl Iterator<Item = u32> {
        self.question.gold.iter().map(|gold| gold.passage)
    }

    fn ids(&self, passages: impl Iterator<Item = u32>) -> Vec<&str> {
        passages.map(|p| self.index.id(p)).collect()
    }

    /// Fields without a value are left out: a metric that needs one says so.
    fn ragas(&self) -> Value {
        let mut sample = json!({
            "user_input": self.question.text,
            "retrieved_contexts": self.contexts(self.retrieved()),
            "retrieved_context_ids": self.ids(self.retrieved()),
        });
        if self.question.wanted() > 0 {
            let missing = self.question.missing.iter().map(String::as_str);
            let ids: Vec<&str> = self.ids(self.gold()).into_iter().chain(missing).collect();
            sample["reference_contexts"] = json!(self.contexts(self.gold()));
            sample["reference_context_ids"] = json!(ids);
        }
        self.answered(sample, ["response", "reference"])
    }

    fn deepeval(&self) -> Value {
        let mut case = json!({
            "name": self.question.id,
            "input": self.question.text,
            // It must be there for whoever reads the file; empty where no model was asked.
            "actual_output": "",
            "retrieval_context": self.contexts(self.retrieved()),
        });
        if !self.question.gold.is_empty() {
            case["context"] = json!(self.contexts(self.gold()));
        }
        self.answered(case, ["actual_output", "expected_output"])
    }

    /// Adds the model's answer and the accepted one.
    fn answered(&self, mut record: Value, [own, accepted]: [&str; 2]) -> Value {
        if let Some(answer) = self.answer {
            record[own] = json!(answer);
        }
        if let Some(answer) = self.question.answers.first() {
            record[accepted] = json!(answer);
        }
        record
    }

    /// The retrieval as one span with its documents, and a span below it for each step that ran.
    fn spans(
        &self,
        run_name: &str,
        run: &Retrieval,
        measures: &Value,
        now: &mut Duration,
    ) -> Vec<Value> {
        let key = format!(
            "{}\t{run_name}\t{}",
            self.index.fingerprint(),
            self.question.id
        );
        let trace = format!("{:032x}", xxh3_128(key.as_bytes()) | 1);
        let span = |at: usize| {
            let hash = xxh3_128(format!("{key}\t{at}").as_bytes()) as u64;
            format!("{:016x}", hash | 1)
        };
        let start = *now;
        let mut steps = Vec::new();
        for (at, record) in run.records.iter().enumerate().filter(|(_, r)| !r.reused) {
            let from = *now;
            *now += Duration::from_secs_f64(record.seconds);
            steps.push(json!({
                "name": record.step.operator.declaration().name,
                "context": {"trace_id": trace, "span_id": span(at + 1)},
                "parent_id": span(0),
                "span_kind": "CHAIN",
                "start_time": moment(from),
                "end_time": moment(*now),
                "status_code": "OK",
                "attributes": {"openinference.span.kind": "CHAIN"},
            }));
        }
        let mut attributes: Map<String, Value> = [
            ("openinference.span.kind", json!("RETRIEVER")),
            ("input.value", json!(self.question.text)),
            ("input.mime_type", json!("text/plain")),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into_iter()
        .collect();
        for (at, hit) in self.hits.iter().enumerate() {
            let mut set = |name: &str, value: Value| {
                attributes.insert(format!("retrieval.documents.{at}.document.{name}"), value);
            };
            set("id", json!(self.index.id(hit.passage)));
            set("content", json!(context(self.index, hit.passage)));
            set("score", json!(hit.score));
            let gold = self.gold().any(|gold| gold == hit.passage);
            set("metadata", json!(json!({"gold": gold}).to_string()));
        }
        let about = json!({"question": self.question.id, "run": run_name, "settings": run.settings.changed(),
                           "index": self.index.fingerprint(), "hopscope": env!("CARGO_PKG_VERSION"), "measures": measures});
        attributes.insert("metadata".to_owned(), json!(about.to_string()));
        let root = json!({
            "name": format!("{run_name}: {}", self.question.id),
            "context": {"trace_id": trace, "span_id": span(0)},
            "parent_id": null,
            "span_kind": "RETRIEVER",
            "start_time": moment(start),
            "end_time": moment(*now),
            "status_code": "OK",
            "attributes": attributes,
        });
        // The next question begins a little later, so that the list of a viewer keeps their order.
        *now += Duration::from_millis(1);
        std::iter::once(root).chain(steps).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::evaluate;
    use crate::index::sample;
    use crate::retrieve::{Method, Settings};

    fn written(records: Records) -> (Arc<Index>, String) {
        let index = Arc::new(sample::index().unwrap());
        let settings = Settings::of(&index, Method::by_name("graph-rrf").unwrap());
        let questions = &index.questions()[..8];
        let made = evaluate(&index, questions, &settings, |_| true).unwrap();
        let now = Duration::from_secs(1_800_000_000);
        let text = records.write(&index, questions, &made, None, now);
        let text = text.unwrap();
        (index, text)
    }

    #[test]
    fn each_question_has_its_passages_and_its_gold() {
        let (index, lines) = written(Records::Ragas);
        let lines: Vec<Value> = lines
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let (_, cases) = written(Records::Deepeval);
        let cases: Vec<Value> = serde_json::from_str(&cases).unwrap();
        assert_eq!((lines.len(), cases.len()), (8, 8));
        for ((question, sample), case) in index.questions().iter().zip(&lines).zip(&cases) {
            assert_eq!(sample["user_input"], question.text);
            assert_eq!(case["input"], question.text);
            let ids = sample["retrieved_context_ids"].as_array().unwrap();
            assert_eq!(ids.len(), 10);
            let first = index.passage_by_id(ids[0].as_str().unwrap()).unwrap();
            assert_eq!(sample["retrieved_contexts"][0], context(&index, first));
            assert_eq!(case["retrieval_context"], sample["retrieved_contexts"]);
            let gold = sample["reference_context_ids"].as_array();
            assert_eq!(gold.map_or(0, Vec::len), question.wanted());
        }
    }

    #[test]
    fn steps_lie_within_their_question_and_ids_are_unique() {
        let (_, spans) = written(Records::Openinference);
        let spans: Value = serde_json::from_str(&spans).unwrap();
        let spans = spans["data"].as_array().unwrap();
        let mut ids: Vec<String> = spans.iter().map(|s| s["context"].to_string()).collect();
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), count);
        let roots = spans.iter().filter(|span| span["parent_id"].is_null());
        assert_eq!(roots.clone().count(), 8);
        let time = |span: &Value, name: &str| span[name].as_str().unwrap().to_owned();
        for root in roots {
            let own = spans
                .iter()
                .filter(|span| span["parent_id"] == root["context"]["span_id"]);
            assert!(own.clone().count() > 2);
            for step in own {
                assert_eq!(step["context"]["trace_id"], root["context"]["trace_id"]);
                assert!(time(step, "start_time") >= time(root, "start_time"));
                assert!(time(step, "end_time") <= time(root, "end_time"));
            }
            let attributes = root["attributes"].as_object().unwrap();
            assert!(attributes.contains_key("retrieval.documents.9.document.score"));
            assert!(time(root, "start_time").starts_with("2027-01-15T08:00:0"));
        }
    }
}
