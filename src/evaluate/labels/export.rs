//! Labels for other programs: gold as a qrels file, questions with their gold, and records that annotation tools import.

use super::{Cause, Corrected, GRADES, Label};
use crate::corpus::Question;
use crate::index::Index;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Gold as BEIR has it, for the questions that came with the index: what was judged to be none has grade 0, and what the
/// corpus lacks stays under the name that the data set gave it.
pub fn qrels(index: &Index, corrected: &Corrected) -> String {
    let mut out = "query-id\tcorpus-id\tscore\n".to_owned();
    let mut line = |question: &Question, passage: &str, grade: f32| {
        let _ = writeln!(out, "{}\t{passage}\t{grade}", question.id);
    };
    let of_index = &corrected.questions[..corrected.of_index];
    for (at, question) in of_index.iter().enumerate() {
        for gold in &question.gold {
            line(question, index.id(gold.passage), gold.grade);
        }
        for named in &question.missing {
            line(question, named, 1.0);
        }
        for (_, passage) in corrected.refused.iter().filter(|refused| refused.0 == at) {
            line(question, index.id(*passage), 0.0);
        }
    }
    out
}

/// A JSON object a line for every question, those that were typed too, with its gold by passage and grade.
pub fn questions(index: &Index, corrected: &Corrected) -> String {
    let line = |question: &Question| {
        let known = question.gold.iter();
        let known = known.map(|gold| (index.id(gold.passage).to_owned(), json!(gold.grade)));
        let missing = question.missing.iter();
        let missing = missing.map(|named| (named.clone(), json!(1.0)));
        let gold: Map<String, Value> = known.chain(missing).collect();
        let line = json!({"_id": question.id, "text": question.text, "answers": question.answers,
                          "type": question.kind, "gold": gold});
        format!("{line}\n")
    };
    corrected.questions.iter().map(line).collect()
}

/// What stands, a label a line, as the labels file has it.
pub fn lines(labels: &[&Label]) -> String {
    let line = |label: &&Label| serde_json::to_string(label).map(|line| line + "\n");
    labels.iter().flat_map(line).collect()
}

fn graded(grade: u8) -> String {
    format!("{grade} {}", GRADES[usize::from(grade)])
}

fn marked(gold: bool) -> &'static str {
    ["removed", "added"][usize::from(gold)]
}

fn fields(index: &Index, label: &Label) -> Value {
    let passage = index.passage_by_id(&label.passage);
    let [title, text] = match passage {
        Some(passage) => [index.title(passage), index.text(passage)],
        None => ["", ""],
    };
    json!({"question": label.text, "title": title, "text": text})
}

/// What is told of a label beside the judgement.
fn about(label: &Label) -> Value {
    json!({"question_id": label.question, "passage_id": label.passage, "annotator": label.annotator, "time": label.time,
           "index": label.index, "method": label.method, "settings": label.settings,
           "rank": label.rank.map_or(-1, |rank| rank as i64), "blind": label.blind, "verdict_shown": label.shown,
           "verdict": label.said.map_or(String::new(), |said| format!("{} {}", said.class, said.code))})
}

/// Records for `Dataset.records.from_json` of Argilla 2: a record a label, the judgement as suggestions under the
/// annotator's name. Responses would need the identifiers that people have on the server.
pub fn argilla(index: &Index, labels: &[&Label]) -> Value {
    let record = |label: &&Label| {
        let agent = &label.annotator;
        let said = [
            ("grade", label.grade.map(graded)),
            ("cause", label.cause.map(|cause| cause.name().to_owned())),
            ("gold", label.gold.map(|gold| marked(gold).to_owned())),
            (
                "note",
                Some(label.note.clone()).filter(|note| !note.is_empty()),
            ),
        ];
        let said = said.into_iter().filter_map(|(name, value)| {
            Some((
                name.to_owned(),
                json!({"value": value?, "score": null, "agent": agent}),
            ))
        });
        let suggestions: Map<String, Value> = said.collect();
        json!({"id": format!("{}/{}/{}", label.asked(), label.passage, agent), "fields": fields(index, label),
               "metadata": about(label), "suggestions": suggestions, "responses": {}, "vectors": {}})
    };
    Value::Array(labels.iter().map(record).collect())
}

/// The labelling interface that what [`label_studio`] gives belongs to.
pub const LABEL_STUDIO_VIEW: &str = r#"<View>
  <Header value="$question"/><Header value="$title"/><Text name="text" value="$text"/>
  <Choices name="grade" toName="text"><Choice value="0 no"/><Choice value="1 partly"/><Choice value="2 full"/></Choices>
  <Choices name="cause" toName="text"><Choice value="linking"/><Choice value="extraction"/><Choice value="graph"/>
    <Choice value="ranking"/><Choice value="data"/><Choice value="other"/></Choices>
  <Choices name="gold" toName="text"><Choice value="added"/><Choice value="removed"/></Choices>
  <TextArea name="note" toName="text"/>
</View>"#;

/// Tasks for Label Studio's import: one for each passage of a question, with an annotation of everyone who labelled it.
pub fn label_studio(index: &Index, labels: &[&Label]) -> Value {
    let mut tasks: BTreeMap<(&str, &str), Vec<&Label>> = BTreeMap::new();
    for label in labels {
        let task = (label.asked(), &*label.passage);
        tasks.entry(task).or_default().push(label);
    }
    let annotation = |label: &&Label| {
        let choice = |name: &str, chosen: String| json!({"from_name": name, "to_name": "text", "type": "choices", "value": {"choices": [chosen]}});
        let note = || json!({"from_name": "note", "to_name": "text", "type": "textarea", "value": {"text": [label.note]}});
        let cause = |cause: Cause| choice("cause", cause.name().to_owned());
        let result: Vec<Value> = [
            label.grade.map(|grade| choice("grade", graded(grade))),
            label.cause.map(cause),
            label
                .gold
                .map(|gold| choice("gold", marked(gold).to_owned())),
            (!label.note.is_empty()).then(note),
        ]
        .into_iter()
        .flatten()
        .collect();
        json!({"result": result, "created_at": label.time})
    };
    let task = |labels: &Vec<&Label>| {
        let mut data = fields(index, labels[0]);
        data["labels"] = labels.iter().map(|label| about(label)).collect();
        let annotations: Vec<Value> = labels.iter().map(annotation).collect();
        json!({"data": data, "annotations": annotations})
    };
    Value::Array(tasks.values().map(task).collect())
}

#[cfg(test)]
mod tests {
    use super::super::tests::label;
    use super::super::{Labels, corrected};
    use super::*;
    use crate::corpus::{ReadOptions, read_gold, read_questions};

    /// A passage that is no gold of the question that is labelled.
    fn none(index: &Index) -> u32 {
        let gold = &index.questions()[1].gold;
        let known = |p: &u32| gold.iter().any(|gold| gold.passage == *p);
        (0..index.len() as u32).find(|p| !known(p)).unwrap()
    }

    fn labelled(index: &Index) -> Labels {
        let question = &index.questions()[1];
        let mut labels = Labels::default();
        labels.add(Label {
            grade: Some(2),
            cause: Some(Cause::Data),
            note: "and \"more\"".into(),
            ..label(&question.id, index.id(none(index)), "em")
        });
        labels.add(Label {
            gold: Some(false),
            ..label(&question.id, index.id(question.gold[0].passage), "em")
        });
        labels.add(Label {
            grade: Some(1),
            ..label(&question.id, index.id(none(index)), "jo")
        });
        labels.add(Label {
            text: "Typed question?".into(),
            gold: Some(true),
            ..label("", index.id(3), "em")
        });
        labels
    }

    #[test]
    fn questions_come_back_with_their_gold() {
        let index = crate::index::sample::index().unwrap();
        let made = corrected(&index, &labelled(&index));
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("grown.jsonl");
        std::fs::write(&file, questions(&index, &made)).unwrap();
        let read = read_questions(&file, None, &index.lookup(), &ReadOptions::default());
        let (read, _) = read.unwrap();
        assert_eq!(read, made.questions);
        assert!(read.last().unwrap().id.starts_with("typed-"));
    }

    #[test]
    fn qrels_have_a_grade_for_what_was_refused_and_no_typed_question() {
        let index = crate::index::sample::index().unwrap();
        let made = corrected(&index, &labelled(&index));
        let written = qrels(&index, &made);
        let question = &index.questions()[1];
        let line = |passage: u32, grade: &str| {
            format!("{}\t{}\t{grade}\n", question.id, index.id(passage))
        };
        assert!(
            written.contains(&line(question.gold[0].passage, "0")),
            "{written}"
        );
        // The second annotator said so later.
        assert!(written.contains(&line(none(&index), "1")));
        assert!(!written.contains("typed-"));
        // Read in the place of the gold there is, they give what was corrected.
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("gold.tsv");
        std::fs::write(&file, written).unwrap();
        let read = read_gold(
            &file,
            index.questions(),
            &index.lookup(),
            &ReadOptions::default(),
        );
        assert_eq!(read.unwrap().0, made.questions[..made.of_index]);
    }

    #[test]
    fn tools_get_every_label_under_its_names() {
        let index = crate::index::sample::index().unwrap();
        let labels = labelled(&index);
        let labels = labels.standing();
        let records = argilla(&index, &labels);
        assert_eq!(records.as_array().unwrap().len(), 4);
        assert_eq!(records[0]["suggestions"]["grade"]["value"], "2 full");
        assert_eq!(records[0]["suggestions"]["cause"]["agent"], "em");
        assert!(records[0]["suggestions"].get("gold").is_none());
        assert_eq!(records[0]["fields"]["text"], index.text(none(&index)));
        let tasks = label_studio(&index, &labels);
        let tasks = tasks.as_array().unwrap();
        assert_eq!(tasks.len(), 3);
        let two = tasks
            .iter()
            .find(|task| task["annotations"].as_array().unwrap().len() == 2);
        let results = &two.unwrap()["annotations"];
        assert_eq!(results[0]["result"][0]["value"]["choices"][0], "2 full");
        assert_eq!(results[1]["result"][0]["value"]["choices"][0], "1 partly");
        // Every name and choice that is written is one of the interface.
        for result in tasks
            .iter()
            .flat_map(|task| task["annotations"].as_array().unwrap())
        {
            for said in result["result"].as_array().unwrap() {
                let name = said["from_name"].as_str().unwrap();
                assert!(LABEL_STUDIO_VIEW.contains(&format!("name=\"{name}\"")));
                if let Some(choice) = said["value"]["choices"][0].as_str() {
                    assert!(LABEL_STUDIO_VIEW.contains(&format!("value=\"{choice}\"")));
                }
            }
        }
        for word in Cause::ALL
            .iter()
            .map(|c| c.name().to_owned())
            .chain((0..3).map(graded))
        {
            assert!(LABEL_STUDIO_VIEW.contains(&format!("value=\"{word}\"")));
        }
        assert_eq!(super::super::tests::parsed_back(&lines(&labels)), 4);
    }
}
