//! Fields that a person types into: a letter and a paste go in here, as far as there is room.

use crate::explorer::action::Message;
use crate::explorer::text;
use crate::text::span;
use crossterm::event::{Event, KeyEvent};
use tui_input::backend::crossterm::to_input_request;
use tui_input::{Input, InputRequest};

/// Most characters of a question or a note. It is drawn anew at every letter.
pub const TEXT: usize = 20_000;
/// Most characters of a number, a name, or words that narrow a list: every row is matched anew at every letter.
pub const WORDS: usize = 1_000;

/// A key. Says so where it is a letter that there is no room for.
pub fn press(input: &mut Input, key: KeyEvent, room: usize) -> Option<Message> {
    let request = to_input_request(&Event::Key(key))?;
    if matches!(request, InputRequest::InsertChar(_)) && left(input, room) == 0 {
        return Some(full(room));
    }
    input.handle(request);
    None
}

/// Pasted text, where the cursor is. Says so where not all of it went in.
pub fn paste(input: &mut Input, pasted: &str, room: usize) -> Option<Message> {
    let taken = span::head(pasted, left(input, room));
    let (value, cursor) = (input.value(), input.cursor());
    let before = span::head(value, cursor);
    let after = span::of(value, before.len()..);
    let value = [before, taken, after].concat();
    // At once: letter by letter the field would look for its cursor at each.
    *input = std::mem::take(input).with_value(value);
    input.handle(InputRequest::SetCursor(cursor + taken.chars().count()));
    (taken.len() < pasted.len()).then(|| full(room))
}

/// Characters that there is room for yet.
fn left(input: &Input, room: usize) -> usize {
    room.saturating_sub(input.value().chars().count())
}

fn full(room: usize) -> Message {
    Message::warning(format!(
        "a field takes {} here; the rest was left out",
        text::plural(room, "character")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossterm::event::{KeyCode, KeyModifiers};

    fn letter(c: char) -> KeyEvent {
        KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE)
    }

    #[test]
    fn a_paste_goes_in_at_the_cursor_as_typing_would() {
        let mut typed = Input::new("Who é there?".into()).with_cursor(5);
        let mut pasted = typed.clone();
        for c in "ø was ".chars() {
            assert!(press(&mut typed, letter(c), TEXT).is_none());
        }
        assert!(paste(&mut pasted, "ø was ", TEXT).is_none());
        assert_eq!(pasted.value(), "Who éø was  there?");
        assert_eq!(
            (pasted.value(), pasted.cursor()),
            (typed.value(), typed.cursor())
        );
    }

    #[test]
    fn what_there_is_no_room_for_is_left_out_and_said() {
        let mut input = Input::new("ab".into()).with_cursor(1);
        assert!(paste(&mut input, "é".repeat(200_000).as_str(), 5).is_some());
        assert_eq!((input.value(), input.cursor()), ("aéééb", 4));
        let said = press(&mut input, letter('x'), 5).unwrap();
        assert_eq!(
            said.text,
            "a field takes 5 characters here; the rest was left out"
        );
        assert_eq!(input.value(), "aéééb");
        let back = KeyEvent::new(KeyCode::Backspace, KeyModifiers::NONE);
        assert!(press(&mut input, back, 5).is_none());
        assert!(press(&mut input, letter('x'), 5).is_none());
        assert_eq!(input.value(), "aééxb");
    }
}
