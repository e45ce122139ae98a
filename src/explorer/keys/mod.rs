//! Keys in the words a person writes and reads: `Ctrl-P`, `p d`, `Enter`, `?`, `Shift-Tab`.
//!
//! Terminals disagree about what a key press is. A legacy one sends `?` and no Shift; a modern one may send `?` with
//! Shift, or `/` with Shift. [`Stroke`] brings all of them to one form before anything is compared.

mod map;

use crate::text::span;
use std::fmt;
use std::str::FromStr;

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

pub use map::{Conflict, KeyProblem, Keymap, Lookup, Overrides};

/// Key names and their codes; the first name of a code is the one that is printed.
const NAMES: [(&str, KeyCode); 24] = [
    ("Enter", KeyCode::Enter),
    ("Esc", KeyCode::Esc),
    ("Tab", KeyCode::Tab),
    ("Space", KeyCode::Char(' ')),
    ("Backspace", KeyCode::Backspace),
    ("Del", KeyCode::Delete),
    ("Ins", KeyCode::Insert),
    ("Up", KeyCode::Up),
    ("Down", KeyCode::Down),
    ("Left", KeyCode::Left),
    ("Right", KeyCode::Right),
    ("Home", KeyCode::Home),
    ("End", KeyCode::End),
    ("PgUp", KeyCode::PageUp),
    ("PgDn", KeyCode::PageDown),
    ("Return", KeyCode::Enter),
    ("Escape", KeyCode::Esc),
    ("Delete", KeyCode::Delete),
    ("Insert", KeyCode::Insert),
    ("PageUp", KeyCode::PageUp),
    ("PageDown", KeyCode::PageDown),
    ("Plus", KeyCode::Char('+')),
    ("Minus", KeyCode::Char('-')),
    ("BackTab", KeyCode::BackTab),
];

/// One key press in the form in which key presses are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd)]
pub struct Stroke {
    code: KeyCode,
    modifiers: KeyModifiers,
}

impl Stroke {
    /// A character typed without Ctrl or Alt.
    pub fn char(c: char) -> Self {
        Self::normal(KeyCode::Char(c), KeyModifiers::NONE)
    }

    /// The stroke of an event; `None` for a key that was let go.
    pub fn from_event(event: &KeyEvent) -> Option<Self> {
        (event.kind != KeyEventKind::Release).then(|| Self::normal(event.code, event.modifiers))
    }

    /// The key, as the terminal library names it.
    pub fn code(self) -> KeyCode {
        self.code
    }

    /// The modifiers that count.
    pub fn modifiers(self) -> KeyModifiers {
        self.modifiers
    }

    /// The character, when the stroke types one.
    pub fn typed(self) -> Option<char> {
        match self.code {
            KeyCode::Char(c) if self.modifiers.is_empty() => Some(c),
            _ => None,
        }
    }

    /// One form for what different terminals send for the same press.
    fn normal(code: KeyCode, modifiers: KeyModifiers) -> Self {
        let known = KeyModifiers::SHIFT | KeyModifiers::CONTROL | KeyModifiers::ALT;
        let mut modifiers = modifiers & known;
        let is_shifted = modifiers.contains(KeyModifiers::SHIFT);
        let code = match code {
            // With Ctrl a legacy terminal reports no Shift and no case.
            KeyCode::Char(c) if modifiers.contains(KeyModifiers::CONTROL) => {
                modifiers.remove(KeyModifiers::SHIFT);
                KeyCode::Char(lower(c))
            }
            // Shift is already in the character, except where a terminal reports the unshifted letter beside it.
            KeyCode::Char(c) => {
                modifiers.remove(KeyModifiers::SHIFT);
                KeyCode::Char(if is_shifted { upper(c) } else { c })
            }
            KeyCode::Tab if is_shifted => {
                modifiers.remove(KeyModifiers::SHIFT);
                KeyCode::BackTab
            }
            KeyCode::BackTab => {
                modifiers.remove(KeyModifiers::SHIFT);
                KeyCode::BackTab
            }
            other => other,
        };
        Self { code, modifiers }
    }

    /// Why a stroke cannot be relied on in every terminal, for those a person might bind.
    pub fn trouble(self) -> Option<&'static str> {
        let is = |modifier| self.modifiers.contains(modifier);
        match self.code {
            KeyCode::Char(c) if is(KeyModifiers::CONTROL) => match c {
                'h' => Some("Ctrl-H is Backspace in many terminals"),
                'i' => Some("Ctrl-I is Tab"),
                'j' | 'm' => Some("Ctrl-J and Ctrl-M are Enter"),
                's' | 'q' => Some("Ctrl-S and Ctrl-Q stop and start the terminal"),
                'z' => Some("Ctrl-Z suspends the program"),
                'c' => Some("Ctrl-C always quits"),
                '[' => Some("Ctrl-[ is Esc"),
                '\\' => Some("Ctrl-\\ kills the program"),
                '0'..='9' => Some("most terminals cannot tell Ctrl with a digit from the digit"),
                _ => None,
            },
            _ if is(KeyModifiers::ALT) => Some("Alt is sent as Esc by many terminals"),
            _ => None,
        }
    }
}

/// The upper case of a letter, when it is one character; other characters stay.
fn upper(c: char) -> char {
    let mut all = c.to_uppercase();
    match (all.next(), all.next()) {
        (Some(one), None) => one,
        _ => c,
    }
}

fn lower(c: char) -> char {
    let mut all = c.to_lowercase();
    match (all.next(), all.next()) {
        (Some(one), None) => one,
        _ => c,
    }
}

impl fmt::Display for Stroke {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (modifier, name) in [
            (KeyModifiers::CONTROL, "Ctrl-"),
            (KeyModifiers::ALT, "Alt-"),
            (KeyModifiers::SHIFT, "Shift-"),
        ] {
            if self.modifiers.contains(modifier) {
                f.write_str(name)?;
            }
        }
        match self.code {
            KeyCode::BackTab => f.write_str("Shift-Tab"),
            KeyCode::F(number) => write!(f, "F{number}"),
            KeyCode::Char(c) if c != ' ' && self.modifiers.contains(KeyModifiers::CONTROL) => {
                write!(f, "{}", upper(c))
            }
            KeyCode::Char(c) if c != ' ' => write!(f, "{c}"),
            code => match NAMES.iter().find(|(_, known)| *known == code) {
                Some((name, _)) => f.write_str(name),
                None => write!(f, "{code}"),
            },
        }
    }
}

impl FromStr for Stroke {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut modifiers = KeyModifiers::NONE;
        let mut rest = text;
        if let Some(key) = rest.strip_prefix('^').filter(|key| !key.is_empty()) {
            modifiers |= KeyModifiers::CONTROL;
            rest = key;
        }
        // A lone `-` is a key, and so is the last one in `Ctrl--`.
        while let Some((word, key)) = rest
            .char_indices()
            .skip(1)
            .find(|(_, c)| matches!(c, '-' | '+'))
            .map(|(at, _)| (span::of(rest, ..at), span::of(rest, at + 1..)))
            .filter(|(_, key)| !key.is_empty())
        {
            modifiers |= match word.to_ascii_lowercase().as_str() {
                "ctrl" | "control" | "c" => KeyModifiers::CONTROL,
                "alt" | "meta" | "a" | "m" => KeyModifiers::ALT,
                "shift" | "s" => KeyModifiers::SHIFT,
                _ => return Err(format!("`{word}` in `{text}` is not Ctrl, Alt or Shift")),
            };
            rest = key;
        }
        let mut chars = rest.chars();
        let code = match (chars.next(), chars.next()) {
            (None, _) => return Err("a key is missing".to_owned()),
            (Some(c), None) => KeyCode::Char(c),
            _ => named(rest).ok_or_else(|| {
                let names: Vec<&str> = NAMES[..15].iter().map(|(name, _)| *name).collect();
                format!(
                    "`{rest}` is not a key; keys are single characters, F1 to F12, {}",
                    names.join(", ")
                )
            })?,
        };
        Ok(Self::normal(code, modifiers))
    }
}

fn named(name: &str) -> Option<KeyCode> {
    let number = name
        .strip_prefix(['F', 'f'])
        .and_then(|text| text.parse().ok());
    if let Some(number @ 1..=24) = number {
        return Some(KeyCode::F(number));
    }
    NAMES
        .iter()
        .find(|(known, _)| known.eq_ignore_ascii_case(name))
        .map(|(_, code)| *code)
}

/// One stroke, or two one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd)]
pub struct Chord {
    first: Stroke,
    second: Option<Stroke>,
}

impl Chord {
    /// The first stroke.
    pub fn first(self) -> Stroke {
        self.first
    }

    /// The second one, when the chord has two.
    pub fn second(self) -> Option<Stroke> {
        self.second
    }

    /// The strokes in order.
    pub fn strokes(self) -> impl Iterator<Item = Stroke> {
        std::iter::once(self.first).chain(self.second)
    }

    /// Why a chord cannot be relied on.
    pub fn trouble(self) -> Option<&'static str> {
        self.strokes().find_map(Stroke::trouble)
    }

    /// Whether two chords cannot both be bound: they are the same, or one is the beginning of the other and would have
    /// to wait for a timer.
    pub fn clashes(self, other: Self) -> bool {
        self.first == other.first
            && (self.second == other.second || self.second.is_none() || other.second.is_none())
    }
}

impl From<Stroke> for Chord {
    fn from(first: Stroke) -> Self {
        Self {
            first,
            second: None,
        }
    }
}

impl fmt::Display for Chord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.first)?;
        match self.second {
            Some(second) => write!(f, " {second}"),
            None => Ok(()),
        }
    }
}

impl FromStr for Chord {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut words = text.split_whitespace();
        let first = words.next().ok_or("a key is missing")?.parse()?;
        let second = words.next().map(str::parse).transpose()?;
        match words.next() {
            Some(_) => Err(format!("`{text}` has more than two key presses")),
            None => Ok(Self { first, second }),
        }
    }
}

#[cfg(test)]
mod tests;
