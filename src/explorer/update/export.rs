//! What is written to files: the run as TREC reads it, the focused pane as JSON or rows, the screen as a picture.

use super::copy;
use crate::evaluate::trec;
use crate::explorer::action::{Effect, Message};
use crate::explorer::state::State;
use serde_json::Value;

/// A file to be written beside where the program was started, in the place of none that is there.
#[derive(Clone, Debug, PartialEq)]
pub struct Export {
    /// The name before its number and ending.
    pub stem: String,
    pub ending: &'static str,
    /// None for a picture of the screen, which the frame knows.
    pub text: Option<String>,
}

/// The ranking on screen, `qid Q0 docid rank score tag` in every line.
pub fn run(state: &mut State) -> Vec<Effect> {
    let Some(scene) = state.scene() else {
        return Vec::new();
    };
    let asked = state
        .wanted
        .asked
        .and_then(|at| state.facts.questions.get(at));
    let question = asked.map_or("typed", |asked| &asked.id);
    let passages = scene.passages.iter();
    let passages = passages.map(|row| (&*row.key, row.score as f32));
    let text = trec::lines(question, &scene.settings.method().name, passages);
    write("run", "run", Some(text))
}

/// The focused pane as JSON.
pub fn json(state: &mut State) -> Vec<Effect> {
    match copy::as_json(state) {
        Some((value, what)) => {
            let text = serde_json::to_string_pretty(&value).unwrap_or_default();
            write(what, "json", Some(text + "\n"))
        }
        None => Vec::new(),
    }
}

/// The list of the focused pane as rows, separated by tabs, under a head.
pub fn rows(state: &mut State) -> Vec<Effect> {
    let Some((value, what)) = copy::as_json(state) else {
        return Vec::new();
    };
    let inner = &value[what];
    let list = match inner {
        Value::Object(fields) => fields.values().find_map(Value::as_array),
        inner => inner.as_array(),
    };
    let Some(rows) = list.filter(|rows| rows.iter().any(Value::is_object)) else {
        state.message = Message::warning("this pane has no list to write; E j writes it as JSON");
        return Vec::new();
    };
    let mut head: Vec<&str> = Vec::new();
    for key in rows
        .iter()
        .filter_map(Value::as_object)
        .flat_map(|row| row.keys())
    {
        if !head.contains(&&**key) {
            head.push(key);
        }
    }
    let cell = |value: &Value| match value {
        Value::Null => String::new(),
        Value::String(text) => text.replace(['\t', '\n'], " "),
        value => value.to_string(),
    };
    let line = |row: &Value| {
        head.iter()
            .map(|key| cell(&row[*key]))
            .collect::<Vec<_>>()
            .join("\t")
    };
    let lines = std::iter::once(head.join("\t")).chain(rows.iter().map(line));
    let text: String = lines.map(|line| line + "\n").collect();
    write(what, "tsv", Some(text))
}

/// The screen as it is.
pub fn picture() -> Vec<Effect> {
    write("screen", "svg", None)
}

fn write(what: &str, ending: &'static str, text: Option<String>) -> Vec<Effect> {
    vec![Effect::Export(Export {
        stem: format!("hopscope-{what}"),
        ending,
        text,
    })]
}
