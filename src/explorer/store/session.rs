//! What was run on an index, and where the person left off there: a file for each index, replaced as a whole.

use super::{Folders, read, replace};
use crate::explorer::layout::View;
use crate::retrieve::{Method, Origin, Parameter, Presets, Settings};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// How many runs are kept.
pub const RUNS: usize = 50;
/// Sessions that are looked into for the indexes opened lately.
const RECENT: usize = 20;

/// Method and settings as text: an older or newer version that does not know one by that name simply ignores it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Chosen {
    pub method: String,
    /// Nothing without one.
    pub preset: String,
    /// What the person set, as name and value.
    pub settings: BTreeMap<String, String>,
    /// Changes of the question's seeds, as after `--seed`.
    pub seeds: Vec<String>,
    /// Changes of the graph, as after `--edit`.
    pub edits: Vec<String>,
}

impl Chosen {
    pub fn of(settings: &Settings) -> Chosen {
        // What another method reads too: it waits until that one is chosen again.
        let own = Parameter::ALL.iter();
        let own = own.filter(|p| settings.origin(**p) == Origin::User);
        Chosen {
            method: settings.method().name.to_string(),
            preset: settings
                .preset()
                .map_or_else(String::new, |p| p.name.to_string()),
            settings: own
                .map(|p| (p.id().to_owned(), settings.text(*p)))
                .collect(),
            seeds: settings
                .seed_edits()
                .iter()
                .map(ToString::to_string)
                .collect(),
            edits: settings
                .graph_edits()
                .iter()
                .map(ToString::to_string)
                .collect(),
        }
    }

    /// The same as settings, over what this index was built with. `now` are any settings of it.
    ///
    /// # Errors
    /// Why there is no such method any more, as where a run file is gone.
    pub fn settings(&self, now: &Settings, presets: &Presets) -> Result<Settings, String> {
        let method = Method::by_name(&self.method)?;
        let mut settings = now.of_any_question();
        for parameter in Parameter::ALL {
            if settings.origin(*parameter) == Origin::User {
                settings.reset(*parameter);
            }
        }
        for edit in now.graph_edits() {
            settings.restore_graph(edit);
        }
        let preset = presets.by_name(&self.preset).ok().flatten();
        settings.apply_preset(preset.filter(|_| !self.preset.is_empty()));
        settings.set_method(method);
        for (name, value) in &self.settings {
            let _ = settings.set_text(&format!("{name}={value}"));
        }
        for edit in self.seeds.iter().filter_map(|edit| edit.parse().ok()) {
            settings.edit_seed(edit);
        }
        for edit in self.edits.iter().filter_map(|edit| edit.parse().ok()) {
            settings.edit_graph(edit);
        }
        Ok(settings)
    }
}

/// A run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Kept {
    pub question: String,
    #[serde(flatten)]
    pub chosen: Chosen,
    /// The measure looked at first, where gold is known.
    pub headline: Option<(String, f64)>,
    /// Ranks of the gold.
    pub gold: Vec<Option<usize>>,
    pub seconds: f64,
}

impl Kept {
    /// Whether the same was asked in the same way.
    pub fn same(&self, other: &Kept) -> bool {
        self.question == other.question && self.chosen == other.chosen
    }
}

/// What was run, and what is needed to go on there.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Session {
    /// The folder or file that was open, from the root; empty for the sample.
    pub index: String,
    /// Oldest first.
    pub runs: Vec<Kept>,
    pub pins: Vec<Chosen>,
    /// On screen.
    pub question: String,
    #[serde(flatten)]
    pub live: Chosen,
    pub view: View,
    /// The selected passage, by its place in the index.
    pub selected: Option<u32>,
}

impl Session {
    /// What was kept of an index; `None` when nothing was. A damaged record is an error to show once.
    ///
    /// # Errors
    /// A file that cannot be read, or that is damaged, by name.
    pub fn load(folders: &Folders, fingerprint: &str) -> Result<Option<Session>, String> {
        Session::read(&folders.session_file(fingerprint))
    }

    fn read(path: &Path) -> Result<Option<Session>, String> {
        let Some(text) = read(path)? else {
            return Ok(None);
        };
        serde_json::from_str(&text)
            .map(Some)
            .map_err(|error| format!("the last session in {} is damaged: {error}", path.display()))
    }

    /// Keeps this session as the last one of its index.
    ///
    /// # Errors
    /// In words, when it cannot be written.
    pub fn save(&self, folders: &Folders, fingerprint: &str) -> Result<(), String> {
        let text = serde_json::to_string_pretty(self)
            .map_err(|error| format!("cannot write down the session: {error}"))?;
        replace(&folders.session_file(fingerprint), text.as_bytes())
    }

    /// The indexes that the latest sessions were kept of, the newest first; the sample is none of them.
    pub fn recent(folders: &Folders) -> Vec<String> {
        let files = std::fs::read_dir(folders.sessions()).into_iter().flatten();
        let dated = files.filter_map(|file| {
            let file = file.ok()?;
            let when = file.metadata().and_then(|about| about.modified());
            Some((when.unwrap_or(SystemTime::UNIX_EPOCH), file.path()))
        });
        let mut dated: Vec<(SystemTime, PathBuf)> = dated.collect();
        dated.sort_by(|a, b| b.cmp(a));
        let mut paths: Vec<String> = Vec::new();
        for (_, file) in dated.iter().take(RECENT) {
            let session = Session::read(file).ok().flatten();
            let path = session.map_or_else(String::new, |session| session.index);
            if !path.is_empty() && !paths.contains(&path) {
                paths.push(path);
            }
        }
        paths
    }
}
