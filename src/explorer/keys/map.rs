//! Which key runs which command, and what a person's `keymap.toml` changes about it.
//!
//! ```toml
//! "view.compare" = "2"
//! "run.why" = ["w", "F2"]
//! "seed.mute" = []          # no key
//! ```

use std::fmt;

use toml::de::{DeTable, DeValue};

use super::{Chord, Stroke};
use crate::explorer::toml::{FileError, Source, kind};

/// Commands by chord, for one context (everywhere, one pane, one view). The explorer asks the innermost context first.
#[derive(Debug, Clone)]
pub struct Keymap<C> {
    bindings: Vec<Binding<C>>,
}

#[derive(Debug, Clone, Copy)]
struct Binding<C> {
    chord: Chord,
    command: C,
    /// The line of `keymap.toml`; `None` for a default.
    line: Option<usize>,
}

/// What strokes typed so far mean.
#[derive(Debug, Clone, PartialEq)]
pub enum Lookup<C> {
    /// They are a command.
    Command(C),
    /// They are the beginning of these: show them, and wait without a timer.
    Prefix(Vec<(Stroke, C)>),
    /// Nothing.
    None,
}

/// Two commands want the same key, or one's key begins another's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Conflict<C> {
    /// The chord that was to be bound.
    pub wanted: Chord,
    /// The chord that is in the way.
    pub taken: Chord,
    /// Whose it is.
    pub by: C,
}

/// A problem in `keymap.toml`. The rest of the file still counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyProblem(pub FileError);

impl fmt::Display for KeyProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for KeyProblem {}

impl<C> Default for Keymap<C> {
    fn default() -> Self {
        Self {
            bindings: Vec::new(),
        }
    }
}

impl<C: Copy + PartialEq> Keymap<C> {
    /// A keymap without keys.
    pub fn new() -> Self {
        Self::default()
    }

    /// Binds a chord. A command may have several; the first one bound is the one shown.
    pub fn bind(&mut self, chord: Chord, command: C) -> Result<(), Conflict<C>> {
        match self
            .bindings
            .iter()
            .find(|bound| bound.chord.clashes(chord))
        {
            Some(bound) if bound.command == command && bound.chord == chord => Ok(()),
            Some(bound) => Err(Conflict {
                wanted: chord,
                taken: bound.chord,
                by: bound.command,
            }),
            None => {
                self.bindings.push(Binding {
                    chord,
                    command,
                    line: None,
                });
                Ok(())
            }
        }
    }

    /// What strokes mean: one, or two when the first was a prefix.
    pub fn lookup(&self, strokes: &[Stroke]) -> Lookup<C> {
        let exact = self
            .bindings
            .iter()
            .find(|bound| bound.chord.strokes().eq(strokes.iter().copied()));
        if let Some(bound) = exact {
            return Lookup::Command(bound.command);
        }
        let &[first] = strokes else {
            return Lookup::None;
        };
        let follow: Vec<(Stroke, C)> = self
            .bindings
            .iter()
            .filter(|bound| bound.chord.first() == first)
            .filter_map(|bound| Some((bound.chord.second()?, bound.command)))
            .collect();
        if follow.is_empty() {
            Lookup::None
        } else {
            Lookup::Prefix(follow)
        }
    }

    /// The chords of a command, the one to show first.
    pub fn chords(&self, command: C) -> impl Iterator<Item = Chord> {
        self.bindings
            .iter()
            .filter(move |bound| bound.command == command)
            .map(|bound| bound.chord)
    }

    /// The chord to show for a command.
    pub fn shown(&self, command: C) -> Option<Chord> {
        self.chords(command).next()
    }

    /// All bindings in the order they were made, for help and for snapshots.
    pub fn bindings(&self) -> impl Iterator<Item = (Chord, C)> {
        self.bindings
            .iter()
            .map(|bound| (bound.chord, bound.command))
    }

    /// Puts a person's bindings over the defaults. `command` turns an id into a command of this context, or `None` for
    /// those of other contexts.
    ///
    /// Naming a command replaces all its default keys. A default in the way of a chosen key gives way and is reported
    /// when that leaves its command without a key; two chosen keys that clash are an error of the later line.
    pub fn apply(
        &mut self,
        overrides: &Overrides,
        command: impl Fn(&str) -> Option<C>,
    ) -> Vec<KeyProblem> {
        let mut problems = Vec::new();
        let chosen: Vec<(&Override, C)> = overrides
            .entries
            .iter()
            .filter_map(|entry| Some((entry, command(&entry.id)?)))
            .collect();
        self.bindings
            .retain(|bound| !chosen.iter().any(|(_, command)| *command == bound.command));
        for (entry, command) in chosen {
            for &chord in &entry.chords {
                problems.extend(self.choose(overrides, entry, chord, command));
            }
        }
        problems
    }

    fn choose(
        &mut self,
        overrides: &Overrides,
        entry: &Override,
        chord: Chord,
        command: C,
    ) -> Vec<KeyProblem> {
        let problem = |message| overrides.problem(entry.line, &entry.id, message);
        let clash = |bound: &&Binding<C>| bound.chord.clashes(chord);
        let own = self
            .bindings
            .iter()
            .filter(clash)
            .find_map(|bound| Some((bound.chord, bound.line?)));
        if let Some((taken, line)) = own {
            let how = if taken == chord {
                format!("`{chord}` is already bound on line {line}")
            } else {
                format!(
                    "`{chord}` and `{taken}` (line {line}) begin alike; one of them could never be typed"
                )
            };
            return vec![problem(how)];
        }
        let displaced: Vec<Binding<C>> = self.bindings.iter().filter(clash).copied().collect();
        self.bindings.retain(|bound| !bound.chord.clashes(chord));
        self.bindings.push(Binding {
            chord,
            command,
            line: Some(entry.line),
        });
        displaced
            .into_iter()
            .filter(|lost| self.shown(lost.command).is_none())
            .map(|lost| {
                problem(format!(
                    "`{chord}` takes `{}` from a command that now has no key",
                    lost.chord
                ))
            })
            .collect()
    }
}

/// A person's `keymap.toml`: command ids and the keys they should have.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    file: String,
    entries: Vec<Override>,
}

#[derive(Debug, Clone)]
struct Override {
    id: String,
    line: usize,
    chords: Vec<Chord>,
}

impl Overrides {
    /// Reads the file. What is wrong is reported line by line, and what is right still counts: one misspelt key must
    /// not take all the others away.
    pub fn parse(file: &str, text: &str, known: &[&str]) -> (Self, Vec<KeyProblem>) {
        let source = Source { file, text };
        let mut overrides = Self {
            file: file.to_owned(),
            entries: Vec::new(),
        };
        let mut problems = Vec::new();
        match source.table() {
            Ok(table) => overrides.read(&source, "", &table, known, &mut problems),
            Err(error) => problems.push(KeyProblem(error)),
        }
        overrides.entries.sort_by_key(|entry| entry.line);
        (overrides, problems)
    }

    /// Ids have dots, and so TOML reads `view.compare = "2"` as a table in a table.
    fn read(
        &mut self,
        source: &Source<'_>,
        prefix: &str,
        table: &DeTable<'_>,
        known: &[&str],
        problems: &mut Vec<KeyProblem>,
    ) {
        for (key, value) in table {
            let id = format!("{prefix}{}", key.get_ref());
            let at = key.span().start;
            if let DeValue::Table(inner) = value.get_ref() {
                self.read(source, &format!("{id}."), inner, known, problems);
                continue;
            }
            if !known.contains(&id.as_str()) {
                problems.push(KeyProblem(source.unknown_key(at, &id, known)));
                continue;
            }
            let words: Vec<(usize, &DeValue<'_>)> = match value.get_ref() {
                DeValue::Array(list) => list
                    .iter()
                    .map(|word| (word.span().start, word.get_ref()))
                    .collect(),
                one => vec![(value.span().start, one)],
            };
            let mut chords: Vec<Chord> = Vec::new();
            let mut is_sound = true;
            for (at, word) in words {
                let chord = word
                    .as_str()
                    .ok_or_else(|| {
                        format!(
                            "expected a key such as \"Ctrl-P\" or \"p d\", this is {}",
                            kind(word)
                        )
                    })
                    .and_then(str::parse::<Chord>)
                    .and_then(|chord| match chord.trouble() {
                        Some(why) => Err(format!("`{chord}` cannot be used: {why}")),
                        None => Ok(chord),
                    });
                match chord {
                    Ok(chord) => chords.push(chord),
                    Err(message) => {
                        is_sound = false;
                        problems.push(KeyProblem(source.complain(at, &id, message)));
                    }
                }
            }
            // A command whose only new key is misspelt keeps its old ones.
            if is_sound || !chords.is_empty() {
                self.entries.push(Override {
                    id,
                    line: source.line(at),
                    chords,
                });
            }
        }
    }

    fn problem(&self, line: usize, id: &str, message: String) -> KeyProblem {
        KeyProblem(FileError {
            file: self.file.clone(),
            line,
            key: id.to_owned(),
            message,
        })
    }
}
