//! What is taken out of the explorer: text, JSON, and the command that prints the same numbers.

use crate::explorer::action::{Effect, Message};
use crate::explorer::flags::{flags, quote};
use crate::explorer::layout::Pane;
use crate::explorer::panes::contents;
use crate::explorer::panes::filter;
use crate::explorer::state::State;
use serde_json::{Value, json};

/// The selected row, or the open passage.
pub fn text(state: &mut State) -> Vec<Effect> {
    match copied(state) {
        Some((text, what)) => vec![Effect::Copy(text, what)],
        None if state.scene().is_none() => Vec::new(),
        None => {
            state.message = Message::warning("nothing is selected here");
            Vec::new()
        }
    }
}

/// The same, and what it is.
pub fn copied(state: &State) -> Option<(String, String)> {
    let row = state.list(state.focus).cursor;
    contents(state.focus).copied(state, state.scene()?, row)
}

/// The focused pane as JSON.
pub fn json(state: &mut State) -> Vec<Effect> {
    match as_json(state) {
        Some((value, what)) => {
            let text = serde_json::to_string_pretty(&value).unwrap_or_default();
            let said = narrowed(state);
            vec![Effect::Copy(text, format!("{what} as JSON{said}"))]
        }
        None => Vec::new(),
    }
}

/// The focused pane with the question and the settings, under the name of what it shows.
pub fn as_json(state: &State) -> Option<(Value, &'static str)> {
    let scene = state.scene()?;
    let (value, what) = contents(state.focus).json(state, scene);
    let mut value = json!({
        "question": scene.question,
        "method": scene.settings.method().name,
        "settings": scene.settings,
        what: value,
    });
    // A part must not be taken for the whole.
    if !narrowed(state).is_empty() {
        value["filter"] = json!(filter::typed(state, state.focus));
    }
    Some((value, what))
}

/// What is said of the focused pane as JSON where a filter hides some of its rows. Settings, sets and stories are whole.
pub fn narrowed(state: &State) -> String {
    match contents(state.focus).narrows_json(state) {
        true => filter::said(state, state.focus),
        false => String::new(),
    }
}

/// The shell command of this view.
pub fn command(state: &mut State) -> Vec<Effect> {
    vec![Effect::Copy(shell(state), "command".to_owned())]
}

/// What to type in a shell for the numbers that the focused pane shows.
pub fn shell(state: &State) -> String {
    if matches!(state.focus, Pane::Queue | Pane::Label) {
        return exported(state);
    }
    let mut words: Vec<String> = vec!["hopscope".to_owned()];
    let why = state.detail().and_then(|d| d.passage.as_ref());
    let verb = contents(state.focus).card().verb;
    let explains = verb == "explain";
    words.push(match explains && why.is_none() {
        true => "ask".to_owned(),
        false => verb.to_owned(),
    });
    if !state.facts.argument.is_empty() {
        words.push(quote(&state.facts.argument));
    }
    words.push(quote(&state.wanted.question));
    words.extend(flags(&state.settings, &state.facts.reranker));
    if let (true, Some(why)) = (explains, why) {
        words.push(format!("--passage {}", quote(&why.id)));
    }
    words.join(" ")
}

/// What takes the labels out as gold.
fn exported(state: &State) -> String {
    let places = match (&*state.facts.argument, &*state.labelling.file) {
        ("", "") => String::new(),
        (index, "") => format!(" {}", quote(index)),
        (index, file) => format!(" {} {}", quote(index), quote(file)),
    };
    format!("hopscope labels{places} --as qrels --out gold.tsv")
}
