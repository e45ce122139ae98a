//! Changes of the graph as entries, and the names of patch files.

use crate::explorer::action::Action;
use crate::explorer::state::{Entry, State};
use crate::layers::GraphEdit;

/// The change that is typed, and those that were made.
pub fn edits(state: &State, typed: &str) -> Vec<Entry> {
    let mut entries = Vec::new();
    if let Ok(edit) = typed.parse::<GraphEdit>() {
        let mut entry = Entry::plain(
            edit.to_string(),
            "Enter makes it".to_owned(),
            Action::Edit(edit.to_string()),
        );
        entry.help = "Changes the graph over the index, which stays as it is.".to_owned();
        entry.shell = format!("hopscope ask QUESTION --edit '{edit}'");
        entries.push(entry);
    } else if !typed.is_empty() {
        let mut entry = Entry::plain(
            typed.to_owned(),
            "no change yet".to_owned(),
            Action::Edit(typed.to_owned()),
        );
        entry.unavailable = typed.parse::<GraphEdit>().err();
        entries.push(entry);
    }
    let known = state.scene().map_or(&[][..], |scene| &scene.graph_edits);
    let made = state.settings.graph_edits().iter().map(|edit| {
        let text = edit.to_string();
        let told = known.iter().find(|edited| edited.edit == *edit);
        let idle = told.and_then(|edited| edited.idle.clone());
        let now = match &idle {
            Some(_) => "changes nothing".to_owned(),
            None => "Enter takes it back".to_owned(),
        };
        let mut entry = Entry::plain(text.clone(), now, Action::Restore(text));
        let idle = idle.map_or_else(String::new, |why| format!("It has no effect: {why}. "));
        entry.help = format!("{idle}Enter takes it back.");
        entry
    });
    entries.extend(made.filter(|entry| typed.is_empty() || entry.title.contains(typed)));
    entries
}

/// What Enter would write under the name that is typed, and the patches there are.
pub fn saves(state: &State, typed: &str) -> Vec<Entry> {
    let edits = state.settings.graph_edits();
    let all: Vec<String> = edits.iter().map(ToString::to_string).collect();
    let said = all.join("; ");
    let entry = |title: String, name: &str, over| {
        let choice = Action::SavePatch(name.to_owned(), over);
        let mut entry = Entry::plain(title, said.clone(), choice);
        entry.help = format!("Writes {said}.");
        entry.shell = "hopscope ask QUESTION --patch FILE".to_owned();
        entry
    };
    let taken = state.patches.iter().any(|name| name == typed);
    let fresh = !typed.is_empty() && !taken;
    let fresh = fresh.then(|| entry(format!("save as {typed}"), typed, false));
    let known = state.patches.iter().filter(|name| name.contains(typed));
    let known = known.map(|name| entry(format!("replace {name}"), name, true));
    // A path may be taken too, which is known when it is written.
    let path = typed.contains(['/', '.']);
    let path = path.then(|| {
        let title = format!("replace {typed}, if it is there");
        entry(title, typed, true)
    });
    fresh.into_iter().chain(path).chain(known).collect()
}

/// The patches there are, and a path that is typed.
pub fn loads(state: &State, typed: &str) -> Vec<Entry> {
    let entry = |name: &str, now: &str| {
        let mut entry = Entry::plain(
            name.to_owned(),
            now.to_owned(),
            Action::LoadPatch(name.to_owned()),
        );
        entry.help = "Makes its changes after those that were made already.".to_owned();
        entry
    };
    let known = state.patches.iter().filter(|name| name.contains(typed));
    let mut entries: Vec<Entry> = known.map(|name| entry(name, "patch")).collect();
    if !typed.is_empty() && !state.patches.iter().any(|name| name == typed) {
        entries.push(entry(typed, "a file"));
    }
    entries
}
