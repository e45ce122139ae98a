//! The parts of compositions as entries, and the names of presets.

use crate::explorer::action::Action;
use crate::explorer::lack::{Missing, lack};
use crate::explorer::state::{Entry, State};
use crate::retrieve::Composition;
use crate::retrieve::compose::{self, Chosen, Slot};

/// What the parts are called in lists.
fn heading(slot: Slot) -> &'static str {
    match slot {
        Slot::Seeds => "Seeds",
        Slot::Graph => "Graph",
        Slot::Spread => "Spread",
        Slot::Select => "Select",
    }
}

/// Every word for every part: choosing one puts it in the place of the method's own.
pub fn parts(state: &State) -> Vec<Entry> {
    let now = Composition::near(state.settings.method());
    let mut entries = Vec::new();
    for slot in Slot::ALL {
        for (word, about) in slot.words() {
            entries.push(part(state, &now, slot, &word, about));
        }
    }
    entries
}

fn part(state: &State, now: &Composition, slot: Slot, word: &str, about: String) -> Entry {
    let mut wanted = [None; 4];
    wanted[slot as usize] = Some(word);
    let current = state.settings.method();
    let chosen = compose::over(current, wanted);
    let is_now = now.with(slot, word).is_ok_and(|same| same == *now);
    let mut entry = Entry::plain(
        word.to_owned(),
        about,
        Action::Method(current.name.to_string()),
    );
    entry.heading = heading(slot);
    if is_now {
        entry.key = "now".to_owned();
    }
    match chosen {
        Ok(Chosen { method, stand_ins }) => {
            let lack = lack(state, &method);
            entry.help = format!("Runs {}.", method.name);
            for said in stand_ins {
                entry.help += &format!(" Not the method's own: {said}.");
            }
            entry.shell = format!("hopscope ask QUESTION --method '{}'", method.name);
            entry.choice = match lack {
                Some(Missing::Layer(_)) => Action::Build(method.name.to_string()),
                _ => Action::Method(method.name.to_string()),
            };
            match lack {
                Some(Missing::Layer(layer)) => {
                    entry.now = format!("Enter builds layer {layer}; {}", entry.now)
                }
                Some(lack) => entry.unavailable = Some(lack.reason(&state.facts)),
                None => {}
            }
        }
        Err(why) => {
            entry.help.clone_from(&entry.now);
            entry.unavailable = Some(why);
        }
    }
    entry
}

/// What Enter would keep under the name that is typed, and the presets there are.
pub fn saves(state: &State, typed: &str) -> Vec<Entry> {
    let settings = &state.settings;
    let mut said = settings.method().name.to_string();
    for set in settings.changed() {
        said = format!("{said}, {set}");
    }
    let own = state.presets.all().filter(|p| p.method.is_some());
    let own = own.filter(|p| p.name != typed && p.name.contains(typed));
    let replaced = own.map(|p| {
        let title = format!("replace {}", p.name);
        let mut entry = Entry::plain(
            title,
            p.about.to_string(),
            Action::SavePreset(p.name.to_string()),
        );
        entry.help = format!("Keeps {said} under the name {}.", p.name);
        entry
    });
    let mut entries = Vec::new();
    if !typed.is_empty() {
        let mut entry = Entry::plain(
            format!("keep as {typed}"),
            said.clone(),
            Action::SavePreset(typed.to_owned()),
        );
        entry.help = format!("Keeps {said}.");
        entry.shell = format!("hopscope ask QUESTION --preset {typed}");
        entries.push(entry);
    }
    entries.extend(replaced);
    entries
}
