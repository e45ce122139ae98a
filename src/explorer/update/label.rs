//! The label strip: keys into a draft, a draft into the labels file, and on to the next of the queue.

use super::{ask, field, keys, moves};
use crate::evaluate::labels::{Cause, Label};
use crate::explorer::action::{Effect, Message, Tone};
use crate::explorer::command::Command;
use crate::explorer::keys::Stroke;
use crate::explorer::labelling::{Draft, Item, Kind};
use crate::explorer::layout::{Pane, Shape, View};
use crate::explorer::panes::filter;
use crate::explorer::state::{Mode, State};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use tui_input::Input;

/// Opens the strip over the passage under the selection.
pub fn open(state: &mut State) -> Vec<Effect> {
    state.mode = Mode::Label(None);
    state.labelling.ahead.clear();
    if state.view == View::Annotate {
        let here = state
            .wanted
            .subject
            .passage
            .map(|passage| (state.wanted.asked, passage));
        state.labelling.stopped = state.labelling.stopped.or(here);
        // Beside the strip a small screen has room for one pane.
        state.focus = [Pane::Label, Pane::Reader][usize::from(small(state))];
    }
    Vec::new()
}

/// In Annotate some keys are commands of the strip, which they do not open.
pub fn command(state: &State, stroke: Stroke) -> Option<Command> {
    match stroke.typed().filter(|_| state.labels_by_key())? {
        'z' => Some(Command::Withdraw),
        'b' => Some(Command::Blind),
        _ => None,
    }
}

/// In Annotate the keys of the strip label, whether it is open or not.
pub fn takes(state: &State, key: KeyEvent) -> bool {
    let KeyCode::Char(typed) = key.code else {
        return false;
    };
    let plain = (key.modifiers - KeyModifiers::SHIFT).is_empty();
    let known = "012+-nt".contains(typed) || Cause::ALL.iter().any(|cause| cause.key() == typed);
    plain && known && state.labels_by_key()
}

fn small(state: &State) -> bool {
    Shape::of(state.size.0, state.size.1) == Shape::Accordion
}

/// A key in the strip. One that comes before the passage it is meant for waits.
pub fn press(state: &mut State, key: KeyEvent, note: Option<Input>) -> Vec<Effect> {
    state.mode = Mode::Label(note);
    state.labelling.ahead.push(key);
    catch_up(state)
}

/// Does what was typed, as far as the passage it is meant for is on screen: a key that saves or moves on makes the others
/// wait.
pub fn catch_up(state: &mut State) -> Vec<Effect> {
    while !state.labelling.ahead.is_empty() && matches!(state.mode, Mode::Label(_)) {
        let leaves = state.labelling.ahead[0].code == KeyCode::Esc;
        if state.running() && !leaves {
            return Vec::new();
        }
        let key = state.labelling.ahead.remove(0);
        if let Mode::Label(note) = std::mem::take(&mut state.mode) {
            let effects = match note {
                Some(input) => type_note(state, key, input),
                None => stroke(state, key),
            };
            if !effects.is_empty() {
                return effects;
            }
        }
    }
    Vec::new()
}

fn stroke(state: &mut State, key: KeyEvent) -> Vec<Effect> {
    state.mode = Mode::Label(None);
    let Some(mut draft) = state.draft() else {
        state.mode = Mode::Browse;
        return Vec::new();
    };
    state.message = Message::default();
    let typed = match key.code {
        KeyCode::Char(c) => c,
        KeyCode::Enter => return save(state, draft),
        KeyCode::Esc => {
            state.mode = Mode::Browse;
            state.labelling.ahead.clear();
            if state.view == View::Annotate {
                state.focus = Pane::Queue;
            }
            if let Some(draft) = state.unsaved() {
                let words = format!("draft kept, not saved: {}; Enter saves it", draft.words());
                state.message = Message::warning(words);
            }
            return Vec::new();
        }
        KeyCode::Left | KeyCode::Right => {
            let by = [-1, 1][usize::from(key.code == KeyCode::Right)];
            return beside(state, by);
        }
        KeyCode::Up | KeyCode::Down | KeyCode::PageUp | KeyCode::PageDown => {
            let page = state.hits.extent(Pane::Reader).height.max(2) as isize - 1;
            moves::scroll(
                state,
                Pane::Reader,
                match key.code {
                    KeyCode::Up => -1,
                    KeyCode::Down => 1,
                    KeyCode::PageUp => -page,
                    _ => page,
                },
            );
            return Vec::new();
        }
        _ => return Vec::new(),
    };
    let cause = Cause::ALL.iter().find(|cause| cause.key() == typed);
    match (typed, cause) {
        ('0'..='2', _) => toggle(&mut draft.grade, typed as u8 - b'0'),
        ('+' | '-', _) => toggle(&mut draft.gold, typed == '+'),
        (_, Some(cause)) => toggle(&mut draft.cause, *cause),
        ('t' | '?', _) => draft.told = true,
        ('n', _) => state.mode = Mode::Label(Some(Input::new(draft.note.clone()))),
        ('b', _) => return blind(state),
        ('z', _) => return withdraw(state),
        _ => {
            state.message =
                Message::plain(format!("{typed} has no meaning here; Esc leaves labelling"));
        }
    }
    state.keep_draft(draft);
    Vec::new()
}

/// The same key again takes back what it said.
fn toggle<T: PartialEq>(said: &mut Option<T>, now: T) {
    *said = match said.as_ref() == Some(&now) {
        true => None,
        false => Some(now),
    };
}

fn type_note(state: &mut State, key: KeyEvent, mut input: Input) -> Vec<Effect> {
    state.mode = Mode::Label(None);
    match (key.code, state.draft()) {
        (KeyCode::Enter, Some(draft)) => {
            state.keep_draft(Draft {
                note: input.value().trim().to_owned(),
                ..draft
            });
        }
        (KeyCode::Esc, _) | (_, None) => {}
        _ => {
            let said = field::press(&mut input, key, field::TEXT);
            state.mode = Mode::Label(Some(input));
            return keys::tell(state, said);
        }
    }
    Vec::new()
}

fn save(state: &mut State, draft: Draft) -> Vec<Effect> {
    let Some(label) = state.labelled(&draft) else {
        return Vec::new();
    };
    if label.is_empty() {
        return state.say(Message::warning(
            "nothing to save yet: give a grade, cause, gold or note",
        ));
    }
    vec![Effect::KeepLabel(Box::new(label))]
}

/// Whether drafts hold the program open: once, with a word of it.
pub fn holds(state: &mut State) -> bool {
    let drafts = state.labelling.drafts.iter();
    let drafts = drafts
        .filter(|draft| !draft.says(&Draft::default()))
        .count();
    if drafts == 0 || state.labelling.warned {
        return false;
    }
    state.labelling.warned = true;
    let drafts = crate::explorer::text::plural(drafts, "label");
    let words = format!("{drafts} not saved: 6 shows them, q again discards them");
    state.message = Message::warning(words);
    true
}

/// Takes the newest label of this annotator back.
pub fn withdraw(state: &mut State) -> Vec<Effect> {
    let own = &state.labelling;
    match own.labels.newest(&own.annotator) {
        Some(newest) => vec![Effect::KeepLabel(Box::new(
            newest.withdrawal(String::new()),
        ))],
        None => state.say(Message::plain("you have no label to withdraw")),
    }
}

/// A label is in the file: it stands, and the next of the queue comes. One that could not be written stays in the strip.
pub fn kept(state: &mut State, kept: Result<Box<Label>, String>) -> Vec<Effect> {
    let label = match kept {
        Ok(label) => *label,
        Err(said) => {
            state.labelling.ahead.clear();
            return state.say(Message::error(said));
        }
    };
    let (passage, withdrawn) = (label.passage.clone(), label.withdrawn);
    let of = |item: &Item, state: &State| {
        let (id, text) = state.question_of(item.at);
        item.id == label.passage && id == label.question && text == label.text
    };
    let row = state.queue().iter().position(|item| of(item, state));
    let own = |draft: &Draft| draft.key == label.passage && draft.question == label.text;
    state.labelling.drafts.retain(|draft| !own(draft));
    state.labelling.labels.add(label);
    if withdrawn {
        let mut effects = match row.filter(|_| state.view == View::Annotate) {
            Some(row) => show(state, row),
            None => Vec::new(),
        };
        state.message = Message::plain(format!("label of {passage} withdrawn"));
        effects.extend(catch_up(state));
        return effects;
    }
    let labelling = matches!(state.mode, Mode::Label(_));
    let effects = match labelling && state.view == View::Annotate {
        true => next(state),
        false => {
            state.mode = Mode::Browse;
            Vec::new()
        }
    };
    let said = std::mem::take(&mut state.message.text);
    let more = if said.is_empty() { "" } else { "; " };
    state.message = Message::new(Tone::Good, format!("{passage} labelled{more}{said}"));
    effects
}

/// The row of the queue that the passage on screen is on.
fn row(state: &State, queue: &[Item]) -> Option<usize> {
    let here = |item: &&Item| {
        item.at == state.wanted.asked && Some(item.passage) == state.wanted.subject.passage
    };
    let at = state.list(Pane::Queue).cursor;
    let own = queue.get(at).filter(here).map(|_| at);
    own.or_else(|| queue.iter().position(|item| here(&item)))
}

/// On to the next passage without a label, from the one on screen.
fn next(state: &mut State) -> Vec<Effect> {
    let queue = state.queue();
    let here = row(state, &queue).map_or(0, |row| row + 1);
    let (before, on): (Vec<usize>, Vec<usize>) = filter::shown(state, Pane::Queue)
        .iter()
        .partition(|row| **row < here);
    let mut order = on.into_iter().chain(before);
    match order.find(|row| state.label_of(&queue[*row]).is_none()) {
        Some(row) => show(state, row),
        None => state.say(Message::plain("everything in this queue is labelled")),
    }
}

/// The one before or after in the queue, labelled or not.
pub fn beside(state: &mut State, by: isize) -> Vec<Effect> {
    let queue = state.queue();
    if state.view != View::Annotate || queue.is_empty() {
        return Vec::new();
    }
    let shown = filter::shown(state, Pane::Queue);
    let here = row(state, &queue).unwrap_or(0);
    let at = shown.partition_point(|row| *row < here);
    match shown.get(at.saturating_add_signed(by)).or(shown.last()) {
        Some(row) => show(state, *row),
        None => Vec::new(),
    }
}

/// Turns to a row of the queue: its question, and its passage under the selection. An open strip stays open.
pub fn show(state: &mut State, row: usize) -> Vec<Effect> {
    let queue = state.queue();
    let Some(item) = queue.get(row) else {
        return Vec::new();
    };
    let mode = std::mem::take(&mut state.mode);
    let effects = match item.at {
        Some(at) if state.wanted.asked != Some(at) => ask::about(state, at, Some(item.passage)),
        _ => moves::look_at(state, item.passage),
    };
    state.mode = mode;
    state.labelling.stopped = Some((item.at, item.passage));
    filter::settle(state, Pane::Queue, row);
    effects
}

/// Hides or shows gold, ranks and verdicts.
pub fn blind(state: &mut State) -> Vec<Effect> {
    state.labelling.blind = !state.labelling.blind;
    follow(state);
    state.say(Message::plain(match state.labelling.blind {
        true => "blind mode: gold, ranks and verdicts hidden",
        false => "gold, ranks and verdicts are shown again",
    }))
}

/// Where the work is: the row that was shown last, else the first without a label; while the set is judged, the passage
/// on screen.
pub fn begin(state: &mut State) -> Vec<Effect> {
    let queue = state.queue();
    let stopped = state.labelling.stopped;
    let stopped = queue
        .iter()
        .position(|item| stopped == Some((item.at, item.passage)));
    let judged = state
        .score()
        .is_some_and(|score| score.judged && score.done == score.of);
    let unlabelled = || queue.iter().position(|item| state.label_of(item).is_none());
    match stopped.or_else(|| unlabelled().filter(|_| judged)) {
        Some(row) => show(state, row),
        None => {
            follow(state);
            Vec::new()
        }
    }
}

/// The queue changed: labelling begins once all of it is known, and then the cursor stays on the passage on screen.
pub fn changed(state: &mut State) -> Vec<Effect> {
    if state.labelling.stopped.is_none() && matches!(state.mode, Mode::Browse) {
        return begin(state);
    }
    follow(state);
    Vec::new()
}

/// The cursor of the queue stays on the passage on screen.
fn follow(state: &mut State) {
    let queue = state.queue();
    let row = row(state, &queue).unwrap_or(0);
    filter::settle(state, Pane::Queue, row);
}

/// The next kind that the queue lists alone; after the last, all.
pub fn filter(state: &mut State, by: isize) -> Vec<Effect> {
    if state.blind() {
        return state.say(Message::plain(
            "the queue cannot be filtered by kind in blind mode",
        ));
    }
    let kinds = state.kinds();
    let kinds = kinds.iter().map(|kind| Some(kind.0));
    let all: Vec<Option<Kind>> = std::iter::once(None).chain(kinds).collect();
    let here = all.iter().position(|kind| *kind == state.labelling.kind);
    let here = here.unwrap_or(0) as isize + by;
    state.labelling.kind = all[here.rem_euclid(all.len() as isize).unsigned_abs()];
    follow(state);
    Vec::new()
}
