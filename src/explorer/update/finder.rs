//! Finders: the palette, the method chooser, the history and help are one list that typing narrows.

use super::{field, keys, update};
use crate::explorer::action::{Action, Effect, Message};
use crate::explorer::jobs::Listed;
use crate::explorer::jobs::look::{Look, Place};
use crate::explorer::jobs::search::{Match, Search};
use crate::explorer::palette::{self, after_prefix};
use crate::explorer::state::{Entry, Finder, FinderKind, List, Mode, State};
use crate::explorer::targets;
use crate::layers::GraphEdit;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use fuzzy_matcher::skim::SkimMatcherV2;
use tui_input::Input;

/// How many choices the palette remembers.
const RECENT: usize = 20;

pub fn open(state: &mut State, kind: FinderKind) -> Vec<Effect> {
    let entries = palette::entries(state, kind, "");
    let mut list = List::default();
    if matches!(kind, FinderKind::Themes) {
        let now = entries.iter().position(|entry| entry.now == "now");
        list.cursor = now.unwrap_or(0);
    }
    if matches!(kind, FinderKind::Methods | FinderKind::Compose) {
        let now = entries.iter().position(|entry| entry.key == "now");
        list.cursor = now.unwrap_or(0);
    }
    state.mode = Mode::Finder(Finder {
        kind,
        input: Input::default(),
        list,
        entries,
        searching: None,
        chosen: false,
    });
    if matches!(
        kind,
        FinderKind::Seeds
            | FinderKind::Join
            | FinderKind::Node
            | FinderKind::End
            | FinderKind::Indexes
    ) {
        return refilter(state);
    }
    Vec::new()
}

pub fn press(state: &mut State, key: KeyEvent, mut open: Finder) -> Vec<Effect> {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    let height = state.hits.finder().height;
    let page = height.saturating_sub(1).max(1) as isize;
    let by = match (key.code, control) {
        (KeyCode::Esc, _) if open.kind == FinderKind::Themes => {
            return vec![Effect::Theme(state.theme.clone())];
        }
        (KeyCode::Esc, _) => return Vec::new(),
        (KeyCode::Enter, _) => return choose(state, open),
        (KeyCode::Tab, _) if open.kind == FinderKind::Indexes => {
            let at = open.entries.get(open.list.cursor);
            let typed = at.map_or_else(String::new, |entry| entry.title.clone());
            state.mode = Mode::Finder(open);
            return into(state, &typed);
        }
        (KeyCode::Up, _) | (KeyCode::Char('p'), true) => -1,
        (KeyCode::Down | KeyCode::Tab, _) | (KeyCode::Char('n'), true) => 1,
        (KeyCode::BackTab, _) => -1,
        (KeyCode::PageUp, _) => -page,
        (KeyCode::PageDown, _) => page,
        _ => {
            let before = open.input.value().to_owned();
            let said = field::press(&mut open.input, key, field::WORDS);
            let changed = open.input.value() != before;
            state.mode = Mode::Finder(open);
            keys::tell(state, said);
            return if changed { refilter(state) } else { Vec::new() };
        }
    };
    let last = open.entries.len().saturating_sub(1);
    open.list.cursor = match by {
        // One step wraps around, a page does not.
        1 if open.list.cursor == last => 0,
        -1 if open.list.cursor == 0 => last,
        by => open.list.cursor.saturating_add_signed(by).min(last),
    };
    open.list.offset = open.list.window(open.entries.len(), height);
    let shown = shown(&open);
    state.mode = Mode::Finder(open);
    shown
}

/// What choosing under the cursor would look like.
fn shown(open: &Finder) -> Vec<Effect> {
    match open
        .entries
        .get(open.list.cursor)
        .map(|entry| &entry.choice)
    {
        Some(Action::Theme(name)) => vec![Effect::Theme(name.clone())],
        _ => Vec::new(),
    }
}

/// Lists what matches what is now typed; nodes and passages are asked of the worker.
pub fn refilter(state: &mut State) -> Vec<Effect> {
    let Mode::Finder(open) = &state.mode else {
        return Vec::new();
    };
    let (kind, typed) = (open.kind, open.input.value().to_owned());
    let settings = &state.settings;
    let search = |passages, text: &str| Search {
        passages,
        text: text.to_owned(),
        settings: settings.clone(),
        of: None,
    };
    let walked = state.scene().map(|scene| scene.names.clone());
    let passages = after_prefix(&typed, '#').map(|text| search(true, text));
    let named = after_prefix(&typed, '@').map(|text| search(false, text));
    let search = match kind {
        FinderKind::Palette => named.or(passages),
        FinderKind::Seeds => passages.or(named).or_else(|| Some(search(false, &typed))),
        FinderKind::Join => named.or_else(|| Some(search(false, &typed))),
        FinderKind::Node | FinderKind::End => Some(Search {
            of: walked,
            ..search(false, &typed)
        }),
        _ => None,
    };
    let entries = palette::entries(state, kind, &typed);
    if let Mode::Finder(open) = &mut state.mode {
        open.list = List::default();
        open.searching = search.clone().map(Box::new);
        open.chosen = false;
        // Until the worker answers, the matches of the text before stay.
        if search.is_none() {
            open.entries = entries;
        } else {
            open.entries.retain(|e| {
                matches!(
                    e.choice,
                    Action::Node(_)
                        | Action::Around(_)
                        | Action::End(_)
                        | Action::Passage(_)
                        | Action::Seed(_)
                        | Action::Edit(_)
                )
            });
        }
    }
    if kind == FinderKind::Indexes {
        return vec![Effect::Begin(Look { typed }.work())];
    }
    if let (FinderKind::Themes, Mode::Finder(open)) = (kind, &state.mode) {
        return shown(open);
    }
    let search = search.map(|search| Effect::Begin(search.work()));
    search.into_iter().collect()
}

/// Takes matches of the worker in, if they are still wanted.
pub fn found(state: &mut State, matches: Result<Vec<Match>, String>) -> Vec<Effect> {
    let joined = targets::name(state);
    let Mode::Finder(open) = &mut state.mode else {
        return Vec::new();
    };
    let Some(search) = open.searching.take() else {
        return Vec::new();
    };
    let kind = open.kind;
    let adding = kind == FinderKind::Seeds;
    let joined = joined.ok().filter(|_| open.kind == FinderKind::Join);
    let matcher = SkimMatcherV2::default().ignore_case();
    let entry = |m: Match| {
        let choice = if kind == FinderKind::Node {
            Action::Around(m.node)
        } else if kind == FinderKind::End {
            Action::End(m.node)
        } else if let Some(name) = &joined {
            let into = m.name.clone();
            let name = name.clone();
            Action::Edit(GraphEdit::Join { name, into }.to_string())
        } else if adding {
            Action::Seed(format!("+{}=1", m.name))
        } else if m.is_passage {
            Action::Passage(m.node)
        } else {
            Action::Node(m.node)
        };
        let mut entry = Entry::plain(m.label, m.note, choice);
        entry.matched = palette::matched(&matcher, &entry.title, &search.text);
        entry
    };
    let matches = match matches {
        Ok(matches) => matches,
        Err(said) => {
            open.entries.clear();
            return state.say(Message::error(said));
        }
    };
    // A name is itself already.
    let other = |m: &Match| joined.as_ref() != Some(&m.name);
    open.entries = matches.into_iter().filter(other).map(entry).collect();
    open.list.cursor = open.list.cursor.min(open.entries.len().saturating_sub(1));
    match std::mem::take(&mut open.chosen) {
        true => choose_selected(state),
        false => Vec::new(),
    }
}

/// Types a path, and looks what lies there.
pub fn into(state: &mut State, typed: &str) -> Vec<Effect> {
    if !matches!(&state.mode, Mode::Finder(open) if open.kind == FinderKind::Indexes) {
        open(state, FinderKind::Indexes);
    }
    if let Mode::Finder(open) = &mut state.mode {
        open.input = Input::new(typed.to_owned());
    }
    refilter(state)
}

/// Lists what lies at the path that is typed, behind what was opened lately.
pub fn looked(state: &mut State, places: &[Place]) {
    let Mode::Finder(open) = &state.mode else {
        return;
    };
    let entries = palette::entries(state, FinderKind::Indexes, open.input.value());
    if let Mode::Finder(open) = &mut state.mode
        && open.kind == FinderKind::Indexes
    {
        open.entries = entries.into_iter().chain(palette::places(places)).collect();
        open.list.cursor = open.list.cursor.min(open.entries.len().saturating_sub(1));
    }
}

/// A click on an entry: the first selects it, the second on the same one chooses it.
pub fn point(state: &mut State, row: usize) -> Vec<Effect> {
    let Mode::Finder(open) = &mut state.mode else {
        return Vec::new();
    };
    if open.list.cursor == row {
        return choose_selected(state);
    }
    open.list.cursor = row.min(open.entries.len().saturating_sub(1));
    Vec::new()
}

pub fn choose_selected(state: &mut State) -> Vec<Effect> {
    match std::mem::take(&mut state.mode) {
        Mode::Finder(open) => choose(state, open),
        other => {
            state.mode = other;
            Vec::new()
        }
    }
}

fn choose(state: &mut State, mut open: Finder) -> Vec<Effect> {
    // What is listed still matches what was typed before.
    if open.searching.is_some() {
        open.chosen = true;
        state.mode = Mode::Finder(open);
        return Vec::new();
    }
    let Some(entry) = open.entries.get(open.list.cursor).cloned() else {
        state.mode = Mode::Finder(open);
        return Vec::new();
    };
    if let Some(reason) = entry.unavailable {
        state.message = Message::warning(format!("{}: {reason}", entry.title));
        state.mode = Mode::Finder(open);
        return Vec::new();
    }
    if open.kind == FinderKind::Palette {
        state.recent.retain(|choice| *choice != entry.choice);
        state.recent.insert(0, entry.choice.clone());
        state.recent.truncate(RECENT);
    }
    update(state, entry.choice)
}
