//! What-if changes of the graph: names joined, edges cut, names muted, and patches kept in files. Every change is an edit of
//! the settings, as those of seeds are, so undo, the session and copies know it.

use super::settings::{self, announce};
use crate::explorer::action::{Effect, Message};
use crate::explorer::state::State;
use crate::explorer::targets;
use crate::layers::GraphEdit;

/// Cuts the edge under the cursor.
pub fn cut(state: &mut State) -> Vec<Effect> {
    match targets::edge(state) {
        Ok(edge) => make(state, vec![GraphEdit::Cut(edge)]),
        Err(_) => Vec::new(),
    }
}

/// Mutes the selected name; again takes that back.
pub fn mute(state: &mut State) -> Vec<Effect> {
    let Ok(name) = targets::name(state) else {
        return Vec::new();
    };
    let mute = GraphEdit::Mute(name);
    match state.settings.graph_edits().contains(&mute) {
        true => restore(state, &mute.to_string()),
        false => make(state, vec![mute]),
    }
}

/// Changes the graph from text, as `--edit` does.
pub fn edit(state: &mut State, text: &str) -> Vec<Effect> {
    match text.parse() {
        Ok(edit) => make(state, vec![edit]),
        Err(said) => state.say(Message::error(format!("change of the graph: {said}"))),
    }
}

/// Takes one change back.
pub fn restore(state: &mut State, text: &str) -> Vec<Effect> {
    match text.parse() {
        Ok(edit) => settings::edit(state, |settings| settings.restore_graph(&edit)),
        Err(_) => Vec::new(),
    }
}

/// Makes changes at once: undo takes all of them back.
pub fn make(state: &mut State, edits: Vec<GraphEdit>) -> Vec<Effect> {
    settings::edit(state, |settings| {
        edits.into_iter().for_each(|edit| settings.edit_graph(edit));
    })
}

/// A patch that was read from a file.
pub fn loaded(state: &mut State, from: &str, edits: Vec<GraphEdit>) -> Vec<Effect> {
    let count = edits.len();
    let effects = make(state, edits);
    if count == 0 {
        state.message = Message::warning(format!("{from} contains no edits"));
    } else {
        let changes = crate::explorer::text::plural(count, "change");
        announce(state, format!("{changes} of the graph from {from}"));
    }
    effects
}
