//! What-if changes of the graph: names joined, edges cut, names muted, and patches kept in files. Every change is an edit of
//! the settings, as those of seeds are, so undo, the session and copies know it.

use super::settings::change;
use crate::explorer::action::{Effect, Message};
use crate::explorer::layout::Pane;
use crate::explorer::rows;
use crate::explorer::scene::Row;
use crate::explorer::state::State;
use crate::layers::{GraphEdit, NameEdge};

/// How a row that is a passage is named.
const PASSAGE: char = '#';

/// The name that is selected: in Seeds, Spread or Neighbours the one under the cursor, else the node that Neighbours shows.
pub fn name(state: &State) -> Result<String, String> {
    let none = || "select a name in Seeds, Spread or Neighbours".to_owned();
    let scene = state.scene().ok_or("there is no result yet")?;
    let at = state.list(state.focus).cursor;
    let around = state.detail().and_then(|detail| detail.node.as_ref());
    let row: Option<&Row> = match state.focus {
        Pane::Seeds => scene.seeds.get(at),
        Pane::Neighbours => around.and_then(|around| around.neighbours.get(at)),
        _ => None,
    };
    // In Spread and in pictures the node under the cursor, once what is known of it has come.
    let wanted = match state.focus {
        pane @ (Pane::Spread | Pane::Flow | Pane::Heat | Pane::Paths) => {
            rows::subject(state, pane, at).and_then(|subject| subject.node)
        }
        _ => around.map(|around| around.node),
    };
    let own = around.filter(|around| Some(around.node) == wanted);
    let own = own.map(|around| around.name.as_str());
    let named = [row.map(|row| row.name.as_str()), own];
    let mut named = named.into_iter().flatten();
    let name = named.find(|name| !name.is_empty() && !name.starts_with(PASSAGE));
    name.map(str::to_owned).ok_or_else(none)
}

/// The edge under the cursor of Neighbours.
pub fn edge(state: &State) -> Result<NameEdge, String> {
    if state.focus != Pane::Neighbours {
        return Err(
            "works in Neighbours, on an edge of a name and a passage; ' n goes there".into(),
        );
    }
    let around = state.detail().and_then(|detail| detail.node.as_ref());
    let around = around.ok_or("there is no result yet")?;
    let row = around.neighbours.get(state.list(Pane::Neighbours).cursor);
    let row = row.ok_or("no edge is selected")?;
    let ends = [&around.name, &row.name];
    let passage = ends.iter().find_map(|end| end.strip_prefix(PASSAGE));
    let name = ends
        .iter()
        .find(|end| !end.is_empty() && !end.starts_with(PASSAGE));
    match (name, passage) {
        (Some(name), Some(passage)) => Ok(NameEdge {
            name: (*name).clone(),
            passage: passage.to_owned(),
        }),
        _ => Err("this edge joins no name and passage".into()),
    }
}

/// Whether changes of the graph reach the method.
pub fn possible(state: &State) -> Result<(), String> {
    let method = state.settings.method();
    match method.ignores_graph_edits() {
        None => Ok(()),
        Some(why) => Err(format!(
            "{} {why}; m chooses a method over names",
            method.name
        )),
    }
}

/// Cuts the edge under the cursor.
pub fn cut(state: &mut State) -> Vec<Effect> {
    match edge(state) {
        Ok(edge) => make(state, vec![GraphEdit::Cut(edge)]),
        Err(_) => Vec::new(),
    }
}

/// Mutes the selected name; again takes that back.
pub fn mute(state: &mut State) -> Vec<Effect> {
    let Ok(name) = name(state) else {
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
        Err(said) => {
            state.message = Message::error(format!("change of the graph: {said}"));
            Vec::new()
        }
    }
}

/// Takes one change back.
pub fn restore(state: &mut State, text: &str) -> Vec<Effect> {
    let mut settings = state.settings.clone();
    if let Ok(edit) = text.parse() {
        settings.restore_graph(&edit);
    }
    change(state, settings)
}

/// Makes changes at once: undo takes all of them back.
pub fn make(state: &mut State, edits: Vec<GraphEdit>) -> Vec<Effect> {
    let mut settings = state.settings.clone();
    edits.into_iter().for_each(|edit| settings.edit_graph(edit));
    change(state, settings)
}

/// A patch that was read from a file.
pub fn loaded(state: &mut State, from: &str, edits: Vec<GraphEdit>) -> Vec<Effect> {
    let told = match edits.len() {
        0 => Message::warning(format!("{from} has no change")),
        count => {
            let changes = crate::explorer::text::plural(count, "change");
            Message::plain(format!("{changes} of the graph from {from}"))
        }
    };
    let effects = make(state, edits);
    state.message = told;
    effects
}
