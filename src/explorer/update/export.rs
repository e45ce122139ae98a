//! What is written to files: the run as TREC reads it, the focused pane as JSON or rows, the screen as a picture.

use super::copy;
use crate::evaluate::trec;
use crate::explain::Format;
use crate::explorer::action::{Effect, Message};
use crate::explorer::export::{Body, Export, Traced};
use crate::explorer::layout::Pane;
use crate::explorer::panes::filter;
use crate::explorer::panes::passages;
use crate::explorer::state::State;
use crate::explorer::text::tsv_cell;
use serde_json::{Map, Value};

/// The traced graph of the run on screen.
pub fn graph(state: &State, format: Format) -> Vec<Effect> {
    let Some(scene) = state.scene() else {
        return Vec::new();
    };
    let traced = Traced {
        question: scene.question.clone(),
        settings: scene.settings.clone(),
        format,
    };
    vec![Effect::ExportGraph(Box::new(traced))]
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
    let narrow = filter::typed(state, Pane::Passages).filter(|_| state.earlier_step().is_none());
    if narrow.is_none() {
        return write("run", "run", text.into(), String::new());
    }
    let shown = filter::shown(state, Pane::Passages);
    let seen = passages::ranked(scene, Some(&shown));
    // Out of the whole, so that ranks stay.
    let lines = text.lines().zip(&scene.passages);
    let lines = lines.filter(|(_, row)| seen.iter().any(|seen| seen.passage == row.passage));
    let text: String = lines.map(|(line, _)| format!("{line}\n")).collect();
    let note = filter::said(state, Pane::Passages);
    write("run", "run", text.into(), note)
}

/// The focused pane as JSON.
pub fn json(state: &mut State) -> Vec<Effect> {
    match copy::as_json(state) {
        Some((value, what)) => {
            let text = serde_json::to_string_pretty(&value).unwrap_or_default();
            write(what, "json", (text + "\n").into(), copy::narrowed(state))
        }
        None => Vec::new(),
    }
}

/// The list of the focused pane as rows, separated by tabs, under a head.
pub fn table(state: &mut State) -> Vec<Effect> {
    let Some((value, what)) = copy::as_json(state) else {
        return Vec::new();
    };
    let inner = &value[what];
    let list = match inner {
        Value::Object(fields) => fields.values().find_map(Value::as_array),
        inner => inner.as_array(),
    };
    let Some(rows) = list.filter(|rows| rows.iter().any(Value::is_object)) else {
        return state.say(Message::warning(
            "this pane has no list; E j writes it as JSON",
        ));
    };
    let rows: Vec<Map<String, Value>> = rows.iter().flat_map(flat).collect();
    let mut head: Vec<&str> = Vec::new();
    for key in rows.iter().flat_map(Map::keys) {
        if !head.contains(&&**key) {
            head.push(key);
        }
    }
    let line = |row: &Map<String, Value>| {
        let cells = head
            .iter()
            .map(|key| row.get(*key).map_or(String::new(), cell));
        cells.collect::<Vec<_>>().join("\t")
    };
    let lines = std::iter::once(head.join("\t")).chain(rows.iter().map(line));
    let text: String = lines.map(|line| line + "\n").collect();
    write(what, "tsv", text.into(), copy::narrowed(state))
}

/// A row as one line, or where it has passages, as one line for each of them.
fn flat(row: &Value) -> Vec<Map<String, Value>> {
    let Some(own) = row.as_object() else {
        return Vec::new();
    };
    let Some(passages) = row["passages"].as_array() else {
        return vec![own.clone()];
    };
    let line = |passage: &Value| {
        let mut line = own.clone();
        line.shift_remove("passages");
        line.extend(passage.as_object().cloned().unwrap_or_default());
        line
    };
    passages.iter().map(line).collect()
}

/// A value as the text of a cell: members of a list after each other, fields as assignments.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => tsv_cell(text),
        Value::Array(all) => all.iter().map(cell).collect::<Vec<_>>().join("; "),
        Value::Object(fields) => {
            let fields = fields.iter();
            let fields = fields.map(|(key, value)| format!("{key}={}", cell(value)));
            fields.collect::<Vec<_>>().join(" ")
        }
        value => value.to_string(),
    }
}

/// The screen as it is.
pub fn picture() -> Vec<Effect> {
    write("screen", "svg", Body::Screen, String::new())
}

/// The focused pane alone, for paper.
pub fn figure(state: &State) -> Vec<Effect> {
    let pane = state.focus;
    write(pane.id(), "svg", Body::Figure(pane), String::new())
}

fn write(what: &str, ending: &'static str, body: Body, note: String) -> Vec<Effect> {
    vec![Effect::Export(Export::new(what, ending, body, note))]
}
