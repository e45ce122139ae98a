//! `config.toml`: what a person chose for all sessions.
//!
//! Unknown keys are errors, because a misspelt setting that is silently ignored is the hardest to find. Changing a
//! setting from the explorer edits its one line and leaves comments and order alone.

use std::collections::BTreeMap;

use toml::de::{DeTable, DeValue};

use super::{Folders, read};
use crate::explorer::glyphs::GlyphSet;
use crate::explorer::theme::ColorChoice;
use crate::explorer::toml::{FileError, Source, integer, kind, suggestion};

/// The settings of the explorer.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// A theme's name, or `auto`.
    pub theme: String,
    /// The glyph set; `None` for `auto`.
    pub glyphs: Option<GlyphSet>,
    /// How many colours.
    pub color: ColorChoice,
    /// Whether the mouse is listened to.
    pub mouse: bool,
    /// No animation.
    pub reduced_motion: bool,
    /// The method to start with; `None` for the index's own best.
    pub method: Option<String>,
    /// Steps a second when playing iterations, 1 to 8.
    pub play_speed: u8,
    /// Hide passage text, for screenshots.
    pub mask_text: bool,
    /// How many questions to remember; 0 for none.
    pub history: usize,
    /// Open where the last session stopped.
    pub resume: bool,
    /// A first screen where no index is named.
    pub start_panel: bool,
    /// Retrieval parameters as name and value; the core knows which there are.
    pub parameters: BTreeMap<String, String>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            theme: "auto".to_owned(),
            glyphs: None,
            color: ColorChoice::Auto,
            mouse: true,
            reduced_motion: false,
            method: None,
            play_speed: 4,
            mask_text: false,
            history: super::history::KEPT,
            resume: false,
            start_panel: true,
            parameters: BTreeMap::new(),
        }
    }
}

impl Config {
    /// The keys, in the order of the documentation.
    pub const KEYS: [&'static str; 12] = [
        "theme",
        "glyphs",
        "color",
        "mouse",
        "reduced_motion",
        "method",
        "play_speed",
        "mask_text",
        "history",
        "resume",
        "start_panel",
        "parameters",
    ];

    /// Reads the settings. What is wrong is reported and the rest still counts.
    pub fn load(folders: &Folders) -> (Self, Vec<String>) {
        let path = folders.config_file();
        match read(&path) {
            Ok(None) => (Self::default(), Vec::new()),
            Ok(Some(text)) => {
                let (config, errors) = Self::parse(&path.display().to_string(), &text);
                (config, errors.iter().map(ToString::to_string).collect())
            }
            Err(message) => (Self::default(), vec![message]),
        }
    }

    /// [`load`](Self::load) from text.
    pub fn parse(file: &str, text: &str) -> (Self, Vec<FileError>) {
        let source = Source { file, text };
        let mut config = Self::default();
        let table = match source.table() {
            Ok(table) => table,
            Err(error) => return (config, vec![error]),
        };
        let mut errors: Vec<FileError> = Vec::new();
        for (key, value) in &table {
            let at = value.span().start;
            let name = key.get_ref().as_ref();
            if !Self::KEYS.contains(&name) {
                errors.push(source.unknown_key(key.span().start, name, &Self::KEYS));
                continue;
            }
            let found = config.field(name, value.get_ref());
            errors.extend(
                found
                    .err()
                    .map(|message| source.complain(at, name, message)),
            );
        }
        errors.sort_by_key(|error| error.line);
        (config, errors)
    }

    fn field(&mut self, name: &str, value: &DeValue<'_>) -> Result<(), String> {
        match name {
            "theme" => self.theme = text(value)?.to_owned(),
            "glyphs" => {
                let mut allowed = vec!["auto"];
                allowed.extend(GlyphSet::ALL.map(GlyphSet::id));
                self.glyphs = match text(value)? {
                    "auto" => None,
                    word => Some(GlyphSet::from_id(word).ok_or_else(|| {
                        format!("unknown glyph set `{word}`{}", suggestion(word, &allowed))
                    })?),
                };
            }
            "color" => self.color = text(value)?.parse()?,
            "mouse" => self.mouse = yes(value)?,
            "reduced_motion" => self.reduced_motion = yes(value)?,
            "method" => self.method = Some(text(value)?.to_owned()),
            "play_speed" => {
                let speed = whole(value)?;
                self.play_speed = u8::try_from(speed)
                    .ok()
                    .filter(|speed| (1..=8).contains(speed))
                    .ok_or_else(|| format!("allowed: 1 to 8, this is {speed}"))?;
            }
            "mask_text" => self.mask_text = yes(value)?,
            "history" => {
                let kept = whole(value)?;
                self.history = usize::try_from(kept)
                    .ok()
                    .filter(|kept| *kept <= 100_000)
                    .ok_or_else(|| format!("allowed: 0 to 100000, this is {kept}"))?;
            }
            "resume" => self.resume = yes(value)?,
            "start_panel" => self.start_panel = yes(value)?,
            _ => match value {
                DeValue::Table(table) => self.parameters = parameters(table)?,
                other => return Err(format!("expected a table, this is {}", kind(other))),
            },
        }
        Ok(())
    }
}

fn text<'v>(value: &'v DeValue<'_>) -> Result<&'v str, String> {
    value
        .as_str()
        .ok_or_else(|| format!("expected a string, this is {}", kind(value)))
}

fn yes(value: &DeValue<'_>) -> Result<bool, String> {
    value
        .as_bool()
        .ok_or_else(|| format!("expected true or false, this is {}", kind(value)))
}

fn whole(value: &DeValue<'_>) -> Result<i64, String> {
    integer(value).ok_or_else(|| format!("expected a whole number, this is {}", kind(value)))
}

/// Names and values as text: which parameters there are is the core's knowledge, not this file's.
fn parameters(table: &DeTable<'_>) -> Result<BTreeMap<String, String>, String> {
    table
        .iter()
        .map(|(key, value)| {
            let shown = match value.get_ref() {
                DeValue::String(text) => text.to_string(),
                DeValue::Integer(number) => number.to_string(),
                DeValue::Float(number) => number.to_string(),
                DeValue::Boolean(value) => value.to_string(),
                other => {
                    let what = kind(other);
                    return Err(format!(
                        "`{}`: expected one value, this is {what}",
                        key.get_ref()
                    ));
                }
            };
            Ok((key.get_ref().to_string(), shown))
        })
        .collect()
}
