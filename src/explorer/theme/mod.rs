//! What things look like, by what they mean.
//!
//! Panes ask for the style of a [`Scope`] (a seed, a gold mark, a rank that went up), never for a colour. So one file
//! per theme is enough, a person can repair one colour, and a terminal without colours gets bold, reversed and
//! underlined text that says the same.

pub(super) mod colour;
mod file;
mod level;
mod read;
pub(super) mod scope;

use crate::mapped;
use std::path::{Path, PathBuf};

use ratatui::style::Style;

pub use super::toml::FileError;
use file::ThemeFile;
pub use level::{ColorChoice, ColorLevel};
pub use scope::Scope;

/// Why a theme could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum ThemeError {
    /// Neither built in nor in the person's folder.
    #[error("no theme `{name}`; there are: {}", known.join(", "))]
    Unknown {
        /// The name that was asked for.
        name: String,
        /// The names that would have worked.
        known: Vec<String>,
    },
    /// The file is there but cannot be read.
    #[error("cannot read the theme {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file says something that is not understood.
    #[error(transparent)]
    File(#[from] FileError),
    /// Theme A inherits from B, which inherits from A.
    #[error("themes inherit from each other in a circle: {}", .0.join(" > "))]
    Circle(Vec<String>),
}

/// The theme of figures for paper.
pub const PRINT: &str = "print";

/// The built-in themes by name.
pub const BUILT_IN: [(&str, &str); 7] = [
    (
        "default-dark",
        include_str!("../../../themes/default-dark.toml"),
    ),
    (
        "default-light",
        include_str!("../../../themes/default-light.toml"),
    ),
    (
        "high-contrast",
        include_str!("../../../themes/high-contrast.toml"),
    ),
    (
        "colour-blind",
        include_str!("../../../themes/colour-blind.toml"),
    ),
    (PRINT, include_str!("../../../themes/print.toml")),
    ("ansi16", include_str!("../../../themes/ansi16.toml")),
    ("mono", include_str!("../../../themes/mono.toml")),
];

/// A style for every scope, at one colour level.
#[derive(Debug, Clone, PartialEq)]
pub struct Theme {
    name: String,
    level: ColorLevel,
    styles: [Style; Scope::COUNT],
}

impl Theme {
    /// A built-in theme.
    pub fn load(name: &str, level: ColorLevel) -> Result<Self, ThemeError> {
        Self::load_from(None, name, level)
    }

    /// A theme from the person's folder, or a built-in one. A file there replaces the built-in theme of its name, and
    /// may inherit from it.
    pub fn load_from(
        folder: Option<&Path>,
        name: &str,
        level: ColorLevel,
    ) -> Result<Self, ThemeError> {
        let file = gather(folder, name)?;
        let mono = if level == ColorLevel::None && name != "mono" {
            gather(None, "mono")?
        } else {
            ThemeFile::default()
        };
        let mut styles = [Style::new(); Scope::COUNT];
        for (style, scope) in styles.iter_mut().zip(Scope::ALL) {
            let found = match file.style(scope, level)? {
                Some(found) => Some(found),
                None => mono.style(scope, level)?,
            };
            *style = found.unwrap_or_default();
        }
        Ok(Self {
            name: name.to_owned(),
            level,
            styles,
        })
    }

    /// The names that can be loaded: the built-in ones, then the person's own, sorted.
    pub fn names(folder: Option<&Path>) -> Vec<String> {
        let mut names: Vec<String> = BUILT_IN
            .iter()
            .map(|(name, _)| (*name).to_owned())
            .collect();
        let own = folder.and_then(|folder| std::fs::read_dir(folder).ok());
        let mut found: Vec<String> = own
            .into_iter()
            .flatten()
            .filter_map(|entry| {
                let path = entry.ok()?.path();
                let is_theme = path.extension()? == "toml";
                is_theme.then(|| path.file_stem()?.to_str().map(str::to_owned))?
            })
            .filter(|name| !names.contains(name))
            .collect();
        found.sort();
        names.append(&mut found);
        names
    }

    /// The theme to start with when none was chosen. `COLORFGBG`, where a terminal sets it, tells its background;
    /// where it does not, dark is the likelier guess and paints its own background anyway.
    pub fn suggested(level: ColorLevel, colorfgbg: Option<&str>) -> &'static str {
        let background = colorfgbg.and_then(|value| value.rsplit(';').next()?.parse::<u8>().ok());
        match (level, background) {
            (ColorLevel::None, _) => "mono",
            (ColorLevel::Ansi16, _) => "ansi16",
            (_, Some(7 | 15)) => "default-light",
            _ => "default-dark",
        }
    }

    /// The style of a scope.
    pub fn style(&self, scope: Scope) -> Style {
        self.styles[scope as usize]
    }

    /// The style of a seed counted from 0.
    pub fn seed(&self, index: usize) -> Style {
        self.style(Scope::seed(index))
    }

    /// Whether seeds have colours, so that their fills need not tell them apart.
    pub fn colours_seeds(&self) -> bool {
        self.seed(0).fg != self.seed(1).fg
    }

    /// The name it was loaded by.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The colour level it was made for.
    pub fn level(&self) -> ColorLevel {
        self.level
    }
}

/// Reads a theme and all it inherits from.
fn gather(folder: Option<&Path>, name: &str) -> Result<ThemeFile, ThemeError> {
    let mut chain: Vec<(String, bool)> = Vec::new();
    let mut files: Vec<ThemeFile> = Vec::new();
    let mut wanted = Some(name.to_owned());
    while let Some(name) = wanted.take() {
        // A person's `mono.toml` may inherit from the built-in `mono`.
        let own_seen = chain.contains(&(name.clone(), true));
        let (is_own, file) = read(folder.filter(|_| !own_seen), &name)?;
        if chain.contains(&(name.clone(), is_own)) {
            let mut names: Vec<String> = chain.into_iter().map(|(name, _)| name).collect();
            names.push(name);
            return Err(ThemeError::Circle(names));
        }
        wanted.clone_from(&file.inherits);
        chain.push((name, is_own));
        files.push(file);
    }
    Ok(files
        .into_iter()
        .rev()
        .fold(ThemeFile::default(), |parent, child| child.over(parent)))
}

fn read(folder: Option<&Path>, name: &str) -> Result<(bool, ThemeFile), ThemeError> {
    // A name is a file name, not a path out of the folder.
    let is_plain = !name.contains(['/', '\\']) && !name.starts_with('.');
    if let Some(path) = folder
        .filter(|_| is_plain)
        .map(|dir| dir.join(format!("{name}.toml")))
    {
        match mapped::read(&path) {
            Ok(bytes) => {
                let text = String::from_utf8_lossy(&bytes);
                let file = ThemeFile::parse(&path.display().to_string(), &text)?;
                return Ok((true, file));
            }
            Err(source) if source.kind() == std::io::ErrorKind::NotFound => {}
            Err(source) => return Err(ThemeError::Read { path, source }),
        }
    }
    let built_in = BUILT_IN.iter().find(|(known, _)| *known == name);
    match built_in {
        Some((_, text)) => {
            let file = ThemeFile::parse(&format!("built-in {name}"), text)?;
            Ok((false, file))
        }
        None => Err(ThemeError::Unknown {
            name: name.to_owned(),
            known: Theme::names(folder),
        }),
    }
}

#[cfg(test)]
mod tests;
