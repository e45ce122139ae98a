//! From the tables of a theme file to entries, with a complaint for everything that is not understood.

use std::collections::BTreeMap;
use std::rc::Rc;

use ratatui::style::{Color, Modifier};
use toml::de::{DeTable, DeValue};

use super::colour::NAMES;
use super::file::{Entry, Ink, Look, Swatch};
use super::level::ColorLevel;
use super::scope::Scope;
use crate::explorer::toml::{FileError, Source, integer, kind, suggestion};

const MODIFIERS: [(&str, Modifier); 6] = [
    ("bold", Modifier::BOLD),
    ("dim", Modifier::DIM),
    ("italic", Modifier::ITALIC),
    ("underlined", Modifier::UNDERLINED),
    ("reversed", Modifier::REVERSED),
    ("crossed-out", Modifier::CROSSED_OUT),
];

/// Turns the tables of one file into entries.
pub(super) struct Reader<'a> {
    source: Source<'a>,
    place: Rc<str>,
}

impl<'a> Reader<'a> {
    pub fn new(source: Source<'a>) -> Self {
        Self {
            place: Rc::from(source.file),
            source,
        }
    }

    pub fn palette(&self, table: &DeTable<'_>) -> Result<BTreeMap<String, Swatch>, FileError> {
        let mut palette = BTreeMap::new();
        for (key, value) in table {
            let name = format!("palette.{}", key.get_ref());
            let swatch = match value.get_ref() {
                DeValue::Table(levels) => {
                    let mut by_level = [None; 3];
                    for (level, value) in levels {
                        let slot = ["true", "256", "16"]
                            .iter()
                            .position(|id| id == level.get_ref())
                            .ok_or_else(|| {
                                let allowed = ["true", "256", "16"];
                                self.source.unknown_key(
                                    level.span().start,
                                    level.get_ref(),
                                    &allowed,
                                )
                            })?;
                        by_level[slot] =
                            Some(self.colour(value.span().start, &name, value.get_ref())?);
                    }
                    Swatch { by_level }
                }
                other => Swatch::from(self.colour(value.span().start, &name, other)?),
            };
            palette.insert(key.get_ref().to_string(), swatch);
        }
        Ok(palette)
    }

    /// One scope, or a table of scopes written as `[seed]` with `1 = ...` (TOML reads `seed.1 = ...` like that too).
    pub fn scope(
        &self,
        at: usize,
        name: &str,
        value: &DeValue<'_>,
        scopes: &mut BTreeMap<Scope, Entry>,
    ) -> Result<(), FileError> {
        let inner = match value {
            DeValue::Table(table) => Some(table),
            _ => None,
        };
        let is_group = Scope::ALL.iter().any(|scope| {
            scope
                .id()
                .strip_prefix(name)
                .is_some_and(|rest| rest.starts_with('.'))
        });
        if let Some(scope) = Scope::from_id(name) {
            // `border` is a scope and the first word of `border.focus`: take the nested scopes out of its table.
            let mut own = Vec::new();
            for (key, value) in inner.into_iter().flatten() {
                let nested = format!("{name}.{}", key.get_ref());
                if Scope::from_id(&nested).is_some() {
                    self.scope(key.span().start, &nested, value.get_ref(), scopes)?;
                } else {
                    own.push((key.span().start, key.get_ref().as_ref(), value));
                }
            }
            if inner.is_none() || !own.is_empty() {
                let entry = match inner {
                    Some(_) => self.entry(name, &own)?,
                    None => Entry {
                        base: Look {
                            fg: Some(self.ink(at, name, value)?),
                            ..Look::default()
                        },
                        ..Entry::default()
                    },
                };
                scopes.insert(scope, entry);
            }
            return Ok(());
        }
        if let (true, Some(table)) = (is_group, inner) {
            for (key, value) in table {
                let nested = format!("{name}.{}", key.get_ref());
                self.scope(key.span().start, &nested, value.get_ref(), scopes)?;
            }
            return Ok(());
        }
        let mut allowed = vec!["inherits", "palette"];
        allowed.extend(Scope::ALL.iter().map(|scope| scope.id()));
        Err(self.source.unknown_key(at, name, &allowed))
    }

    fn entry(
        &self,
        name: &str,
        fields: &[(usize, &str, &toml::Spanned<DeValue<'_>>)],
    ) -> Result<Entry, FileError> {
        let mut entry = Entry::default();
        for &(at, key, value) in fields {
            let level = ColorLevel::ALL.into_iter().find(|level| level.id() == key);
            match (level, value.get_ref()) {
                (Some(level), DeValue::Table(table)) => {
                    let mut look = Look::default();
                    for (key, value) in table {
                        let dotted = format!("{name}.{}", level.id());
                        self.field(key.span().start, &dotted, key.get_ref(), value, &mut look)?;
                    }
                    entry.by_level.insert(level, look);
                }
                (Some(_), other) => {
                    let message = format!(
                        "expected a table such as {{ fg = \"yellow\" }}, this is {}",
                        kind(other)
                    );
                    return Err(self.source.complain(at, format!("{name}.{key}"), message));
                }
                (None, _) => self.field(at, name, key, value, &mut entry.base)?,
            }
        }
        Ok(entry)
    }

    fn field(
        &self,
        at: usize,
        name: &str,
        key: &str,
        value: &toml::Spanned<DeValue<'_>>,
        look: &mut Look,
    ) -> Result<(), FileError> {
        let dotted = format!("{name}.{key}");
        let ink = || self.ink(value.span().start, &dotted, value.get_ref());
        match key {
            "fg" => look.fg = Some(ink()?),
            "bg" => look.bg = Some(ink()?),
            "underline" => look.underline = Some(ink()?),
            "modifiers" => look.modifiers = Some(self.modifiers(at, &dotted, value.get_ref())?),
            _ => {
                let allowed = [
                    "fg",
                    "bg",
                    "underline",
                    "modifiers",
                    "true",
                    "256",
                    "16",
                    "none",
                ];
                return Err(self.source.unknown_key(at, &dotted, &allowed));
            }
        }
        Ok(())
    }

    fn modifiers(&self, at: usize, key: &str, value: &DeValue<'_>) -> Result<Modifier, FileError> {
        let allowed = MODIFIERS.map(|(name, _)| name);
        let DeValue::Array(words) = value else {
            let message = format!(
                "expected a list of {}; this is {}",
                allowed.join(", "),
                kind(value)
            );
            return Err(self.source.complain(at, key, message));
        };
        let mut sum = Modifier::empty();
        for word in words.iter() {
            let known = word
                .get_ref()
                .as_str()
                .and_then(|name| MODIFIERS.iter().find(|(known, _)| *known == name));
            let Some((_, modifier)) = known else {
                let given = word.get_ref().as_str().unwrap_or_default();
                let message = format!("unknown modifier `{given}`{}", suggestion(given, &allowed));
                return Err(self.source.complain(word.span().start, key, message));
            };
            sum |= *modifier;
        }
        Ok(sum)
    }

    /// A colour that may be a palette name.
    fn ink(&self, at: usize, key: &str, value: &DeValue<'_>) -> Result<Ink, FileError> {
        let word = value.as_str().unwrap_or_default().to_owned();
        let literal = match value {
            DeValue::String(_) => literal(&word),
            other => Some(self.colour(at, key, other)?),
        };
        // A wrong #rrggbb is not a missing palette name: say what it should look like.
        if literal.is_none() && word.starts_with('#') {
            self.colour(at, key, value)?;
        }
        Ok(Ink {
            literal,
            word,
            place: Rc::clone(&self.place),
            line: self.source.line(at),
            key: key.to_owned(),
        })
    }

    /// A colour that may not.
    fn colour(&self, at: usize, key: &str, value: &DeValue<'_>) -> Result<Color, FileError> {
        let found = match value {
            DeValue::String(word) => literal(word),
            other => integer(other)
                .and_then(|number| u8::try_from(number).ok())
                .map(Color::Indexed),
        };
        found.ok_or_else(|| {
            let message = format!(
                "expected a colour: \"#rrggbb\", a number from 0 to 255, \"default\", or one of {}",
                NAMES.map(|(name, _)| name).join(", ")
            );
            self.source.complain(at, key, message)
        })
    }
}

/// A colour written out: `#rrggbb`, `default`, or one of the sixteen names.
fn literal(word: &str) -> Option<Color> {
    if word == "default" {
        return Some(Color::Reset);
    }
    if let Some(hex) = word.strip_prefix('#') {
        if hex.len() != 6 || !hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let [_, r, g, b] = u32::from_str_radix(hex, 16).ok()?.to_be_bytes();
        return Some(Color::Rgb(r, g, b));
    }
    NAMES
        .iter()
        .find(|(name, _)| *name == word)
        .map(|(_, colour)| *colour)
}
