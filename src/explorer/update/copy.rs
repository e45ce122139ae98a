//! What is taken out of the explorer: text, JSON, and the command that prints the same numbers.

use crate::explorer::action::{Effect, Message};
use crate::explorer::flags::{edits, flags, quote, run, seeds};
use crate::explorer::jobs::pins::letter;
use crate::explorer::layout::Pane;
use crate::explorer::panes::contents;
use crate::explorer::panes::filter;
use crate::explorer::state::State;
use crate::retrieve::Settings;
use serde_json::{Value, json};

/// The selected row, or the open passage.
pub fn text(state: &mut State) -> Vec<Effect> {
    match copied(state) {
        Some((text, what)) => vec![Effect::Copy(text, what)],
        None if state.scene().is_none() => Vec::new(),
        None => state.say(Message::warning("nothing is selected here")),
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
    let what = match shown(state) {
        Pane::Queue | Pane::Label => "command",
        pane => match contents(pane).card().verb {
            verb @ ("compare" | "eval") if !alike(&runs(state, verb)) => {
                "command; its runs differ in changes of seeds or of the graph, which are left out"
            }
            _ => "command",
        },
    };
    vec![Effect::Copy(shell(state), what.to_owned())]
}

/// The pane whose figures are meant: where the question has the keyboard, the first of the view.
fn shown(state: &State) -> Pane {
    match state.focus {
        Pane::Question => state.view.first(),
        pane => pane,
    }
}

/// What to type in a shell for the numbers that the focused pane shows.
pub fn shell(state: &State) -> String {
    let pane = shown(state);
    if matches!(pane, Pane::Queue | Pane::Label) {
        return exported(state);
    }
    let mut words: Vec<String> = vec!["hopscope".to_owned()];
    let why = state.why();
    let verb = match contents(pane).card().verb {
        "explain" if why.is_none() => "ask",
        verb => verb,
    };
    words.push(verb.to_owned());
    if !state.facts.argument.is_empty() {
        words.push(quote(&state.facts.argument));
    }
    if verb != "eval" {
        words.push(quote(&state.wanted.question));
    }
    if let "compare" | "eval" = verb {
        words.extend(side_by_side(state, verb));
        if pane == Pane::Lost {
            words.push("--losses".to_owned());
        }
        return words.join(" ");
    }
    words.extend(flags(&state.settings, &state.facts.reranker));
    if let ("explain", Some(why)) = (verb, why) {
        words.push(format!("--passage {}", quote(&why.id)));
    }
    words.join(" ")
}

/// The runs that a view compares, by their names: all pinned ones and the live one, of the set A and the live one.
fn runs<'s>(state: &'s State, verb: &str) -> Vec<(String, &'s Settings)> {
    let pinned = state.pins.list.iter().enumerate();
    let pinned = pinned.map(|(at, pin)| (letter(at).to_string(), &pin.settings));
    let live = ("live".to_owned(), &state.settings);
    let same = |settings: &Settings| settings.of_any_question() == state.settings.of_any_question();
    match verb {
        "compare" => pinned.chain([live]).collect(),
        _ => {
            let pinned = pinned.take(1).filter(|(_, settings)| !same(settings));
            pinned.chain([live]).collect()
        }
    }
}

/// Whether one option can say for all runs what was changed of seeds and of the graph.
fn alike(runs: &[(String, &Settings)]) -> bool {
    let edits = |(_, settings): &(String, &Settings)| [seeds(settings), edits(settings)];
    runs.windows(2).all(|two| edits(&two[0]) == edits(&two[1]))
}

/// Runs as options of the shell.
fn side_by_side(state: &State, verb: &str) -> Vec<String> {
    let runs = runs(state, verb);
    let method: Vec<String> = runs
        .iter()
        .map(|(name, settings)| run(name, settings))
        .collect();
    let mut words = vec![format!("--method {}", quote(&method.join(",")))];
    let reranker = &state.facts.reranker;
    if !reranker.is_empty() && runs.iter().any(|(_, settings)| settings.method().reranks()) {
        words.push(format!("--reranker {}", quote(reranker)));
    }
    if alike(&runs) {
        // The set is asked without the changes of one question's seeds.
        if verb == "compare" {
            words.extend(seeds(&state.settings));
        }
        words.extend(edits(&state.settings));
    }
    words
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
