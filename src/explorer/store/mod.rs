//! What is kept between sessions: settings, the history of questions, and where the person left off.
//!
//! Nothing here may stop the explorer. A full disk, a read-only home or a damaged file becomes one sentence for the
//! message line, and the session goes on without it. Files are replaced by renaming, so that a crash or a pulled plug
//! leaves the old one or the new one and never half of either.

mod config;
mod history;
pub(crate) mod patches;
pub mod presets;
mod session;

use crate::index::Claim;
use crate::{journal, mapped};
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use super::toml::FileError;
pub use config::Config;
pub use history::History;
pub use session::{Chosen, Kept, RUNS, Session};

/// Where things are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folders {
    /// Settings a person writes: `config.toml`, `keymap.toml`, `presets.toml`, `themes/`.
    pub config: PathBuf,
    /// Work that should be kept: annotations, exported figures.
    pub data: PathBuf,
    /// What makes the next start pleasant: history, the last session, the log.
    pub state: PathBuf,
}

impl Folders {
    /// The folders of this person on this system, after the XDG rules; `HOPSCOPE_HOME` puts all three in one folder.
    /// `None` where there is no home at all: then nothing is kept.
    pub fn find() -> Option<Self> {
        Self::decide(|name| std::env::var_os(name).map(PathBuf::from))
    }

    fn decide(variable: impl Fn(&str) -> Option<PathBuf>) -> Option<Self> {
        if let Some(home) = set(&variable, "HOPSCOPE_HOME") {
            return Some(Self::under(&home));
        }
        if cfg!(windows) {
            let own = directories::ProjectDirs::from("", "", NAME)?;
            return Some(Self {
                config: own.config_dir().to_owned(),
                data: own.data_dir().to_owned(),
                state: own.data_local_dir().join("state"),
            });
        }
        // macOS too: people who live in a terminal look for their settings in ~/.config.
        Some(Self {
            config: xdg(&variable, "XDG_CONFIG_HOME", ".config")?,
            data: xdg(&variable, "XDG_DATA_HOME", ".local/share")?,
            state: xdg(&variable, "XDG_STATE_HOME", ".local/state")?,
        })
    }

    /// All three under one folder.
    pub fn under(home: &Path) -> Self {
        Self {
            config: home.join("config"),
            data: home.join("data"),
            state: home.join("state"),
        }
    }

    /// The settings file.
    pub fn config_file(&self) -> PathBuf {
        self.config.join("config.toml")
    }

    /// The key bindings file.
    pub fn keymap_file(&self) -> PathBuf {
        self.config.join("keymap.toml")
    }

    /// The person's own themes.
    pub fn themes(&self) -> PathBuf {
        self.config.join("themes")
    }

    /// The person's own presets.
    pub fn presets_file(&self) -> PathBuf {
        self.config.join("presets.toml")
    }

    /// The person's own patches of the graph.
    pub fn patches(&self) -> PathBuf {
        self.data.join("patches")
    }

    /// What annotators said of the passages of an index, by its fingerprint.
    pub fn labels_file(&self, fingerprint: &str) -> PathBuf {
        let own = self.data.join("labels").join(short(fingerprint));
        own.with_extension("jsonl")
    }

    /// The questions asked so far.
    pub fn history_file(&self) -> PathBuf {
        self.state.join("history.jsonl")
    }

    /// The last session of every index.
    pub fn sessions(&self) -> PathBuf {
        self.state.join("sessions")
    }

    /// What was run on an index, by its fingerprint, and where that stopped.
    pub fn session_file(&self, fingerprint: &str) -> PathBuf {
        let own = self.sessions().join(short(fingerprint));
        own.with_extension("json")
    }
}

/// As much of a fingerprint as tells indexes apart.
fn short(fingerprint: &str) -> String {
    fingerprint.chars().take(16).collect()
}

const NAME: &str = "hopscope";

/// A variable with something in it.
fn set(variable: &impl Fn(&str) -> Option<PathBuf>, name: &str) -> Option<PathBuf> {
    variable(name).filter(|path| !path.as_os_str().is_empty())
}

/// A folder of ours where this variable says, or there in the home.
fn xdg(variable: &impl Fn(&str) -> Option<PathBuf>, name: &str, fallback: &str) -> Option<PathBuf> {
    let home = directories::BaseDirs::new()?.home_dir().to_owned();
    // The specification says to ignore a relative path.
    let base = set(variable, name).filter(|path| path.is_absolute());
    Some(base.unwrap_or_else(|| home.join(fallback)).join(NAME))
}

/// Where things lie that can be made again, at a price: `None` where there is no home at all.
pub fn cache_folder() -> Option<PathBuf> {
    cache_by(|name| std::env::var_os(name).map(PathBuf::from))
}

fn cache_by(variable: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    match set(&variable, "HOPSCOPE_HOME") {
        Some(home) => Some(home.join("cache")),
        None if cfg!(windows) => {
            let own = directories::ProjectDirs::from("", "", NAME)?;
            Some(own.cache_dir().to_owned())
        }
        None => xdg(&variable, "XDG_CACHE_HOME", ".cache"),
    }
}

/// How often, and how long after each other, it is tried to claim a folder.
const TRIES: usize = 200;
const BETWEEN: Duration = Duration::from_millis(10);

/// Claims the folder of a file while that is read and written anew, so that of two programs neither loses what the other
/// wrote; until it is dropped. One who holds it too long, as a stopped program may, is not waited for; nothing is claimed
/// where folders cannot be locked.
fn claimed(path: &Path) -> Option<Claim> {
    let folder = path.parent()?;
    std::fs::create_dir_all(folder).ok()?;
    for _ in 0..TRIES {
        if let Ok(claim) = Claim::of(folder) {
            return Some(claim);
        }
        std::thread::sleep(BETWEEN);
    }
    None
}

/// Replaces a file as a whole, making its folder if need be.
pub fn replace(path: &Path, content: &[u8]) -> Result<(), String> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)
        .and_then(|()| journal::replace(path, content))
        .map_err(|error| cannot("save", path, &error))
}

/// The text of a file; `None` when there is none.
pub fn read(path: &Path) -> Result<Option<String>, String> {
    match mapped::read(path) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(cannot("read", path, &error)),
    }
}

pub(super) fn cannot(verb: &str, path: &Path, error: &std::io::Error) -> String {
    // The reason first: on a narrow screen the end of a path can be spared.
    format!("cannot {verb}: {error}: {}", path.display())
}

#[cfg(test)]
mod tests;
