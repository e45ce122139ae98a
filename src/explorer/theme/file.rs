//! Theme files: `inherits`, `[palette]`, and one entry per scope, after Helix.
//!
//! ```toml
//! inherits = "default-dark"
//!
//! gold = { fg = "amber", modifiers = ["bold"], "16" = { fg = "bright-yellow" }, none = { modifiers = ["underlined"] } }
//! link = "sky"
//!
//! [palette]
//! amber = { true = "#f0e442", "256" = 227, "16" = "yellow" }
//! sky = "#56b4e9"
//! ```
//!
//! A palette is looked up after all inheriting is done, so a theme that only replaces the palette recolours everything.

use std::collections::BTreeMap;
use std::rc::Rc;

use ratatui::style::{Color, Modifier, Style};
use toml::de::DeValue;

use super::Scope;
use super::colour::{NAMES, reduce};
use super::level::ColorLevel;
use super::read::Reader;
use crate::explorer::toml::{FileError, Source, kind, suggestion};

/// One file, read but not yet looked up.
#[derive(Debug, Default)]
pub(super) struct ThemeFile {
    pub inherits: Option<String>,
    palette: BTreeMap<String, Swatch>,
    scopes: BTreeMap<Scope, Entry>,
}

/// A colour with a value per level; the ones left out are converted.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Swatch {
    pub by_level: [Option<Color>; 3],
}

/// A colour as written, kept with its place for the complaint that it is in no palette.
#[derive(Debug, Clone)]
pub(super) struct Ink {
    pub literal: Option<Color>,
    pub word: String,
    pub place: Rc<str>,
    pub line: usize,
    pub key: String,
}

/// What one scope says, at one level.
#[derive(Debug, Clone, Default)]
pub(super) struct Look {
    pub fg: Option<Ink>,
    pub bg: Option<Ink>,
    pub underline: Option<Ink>,
    pub modifiers: Option<Modifier>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Entry {
    pub base: Look,
    pub by_level: BTreeMap<ColorLevel, Look>,
}

impl ThemeFile {
    pub fn parse(file: &str, text: &str) -> Result<Self, FileError> {
        let source = Source { file, text };
        let reader = Reader::new(source);
        let mut theme = Self::default();
        for (key, value) in source.table()? {
            let (at, name) = (key.span().start, key.into_inner());
            let value = value.into_inner();
            match (name.as_ref(), value) {
                ("inherits", DeValue::String(parent)) => theme.inherits = Some(parent.into_owned()),
                ("palette", DeValue::Table(table)) => theme.palette = reader.palette(&table)?,
                ("inherits" | "palette", other) => {
                    let wanted = if name == "palette" {
                        "a table"
                    } else {
                        "a string"
                    };
                    let message = format!("expected {wanted}, this is {}", kind(&other));
                    return Err(source.complain(at, name, message));
                }
                (name, value) => reader.scope(at, name, &value, &mut theme.scopes)?,
            }
        }
        Ok(theme)
    }

    /// Puts this file on top of the one it inherits from.
    pub fn over(mut self, parent: Self) -> Self {
        let mut palette = parent.palette;
        palette.append(&mut self.palette);
        let mut scopes = parent.scopes;
        scopes.append(&mut self.scopes);
        Self {
            inherits: None,
            palette,
            scopes,
        }
    }

    /// The style of a scope, or `None` when the file (or, without colours, its `none` value) does not say.
    pub fn style(&self, scope: Scope, level: ColorLevel) -> Result<Option<Style>, FileError> {
        let Some(entry) = self.scopes.get(&scope) else {
            return Ok(None);
        };
        let own = entry.by_level.get(&level);
        if level == ColorLevel::None {
            // An entry without colours says its modifiers for every level.
            let base = entry.base.fg.is_none() && entry.base.bg.is_none();
            let modifiers = own
                .and_then(|look| look.modifiers)
                .or(entry.base.modifiers.filter(|_| base));
            return Ok(modifiers.map(|modifiers| Style::new().add_modifier(modifiers)));
        }
        let base = &entry.base;
        let pick = |field: fn(&Look) -> &Option<Ink>| {
            let ink = own
                .and_then(|look| field(look).as_ref())
                .or(field(base).as_ref());
            ink.map(|ink| self.colour(ink, level)).transpose()
        };
        let mut style = Style::new();
        style.fg = pick(|look| &look.fg)?;
        style.bg = pick(|look| &look.bg)?;
        style.underline_color = pick(|look| &look.underline)?;
        let modifiers = own.and_then(|look| look.modifiers).or(base.modifiers);
        Ok(Some(style.add_modifier(modifiers.unwrap_or_default())))
    }

    fn colour(&self, ink: &Ink, level: ColorLevel) -> Result<Color, FileError> {
        let swatch = match (self.palette.get(&ink.word), ink.literal) {
            (Some(swatch), _) => *swatch,
            (None, Some(colour)) => Swatch::from(colour),
            (None, None) => {
                let mut known: Vec<&str> = self.palette.keys().map(String::as_str).collect();
                known.extend(NAMES.map(|(name, _)| name));
                return Err(FileError {
                    file: ink.place.to_string(),
                    line: ink.line,
                    key: ink.key.clone(),
                    message: format!(
                        "`{}` is neither a palette name nor a colour (#rrggbb, 0 to 255, default){}",
                        ink.word,
                        suggestion(&ink.word, &known)
                    ),
                });
            }
        };
        Ok(swatch.at(level))
    }
}

impl From<Color> for Swatch {
    fn from(colour: Color) -> Self {
        Self {
            by_level: [Some(colour), None, None],
        }
    }
}

impl Swatch {
    /// The value for a level: as given, else reduced from the next richer one, else from any.
    fn at(self, level: ColorLevel) -> Color {
        let [full, many, few] = self.by_level;
        let order = match level {
            ColorLevel::None => return Color::Reset,
            ColorLevel::True => [full, many, few],
            ColorLevel::Ansi256 => [many, full, few],
            ColorLevel::Ansi16 => [few, many, full],
        };
        let found = order.into_iter().flatten().next();
        found.map_or(Color::Reset, |colour| reduce(colour, level))
    }
}
