//! What lies at a path that is being typed, where another index may be.

use super::{Doer, Job, News, Tell};
use crate::exchange::postgres;
use crate::explorer::action::{Effect, Message, Then};
use crate::explorer::state::State;
use crate::index::Index;
use std::path::{Path, PathBuf};

/// The most entries of a folder that are listed.
const LISTED: usize = 200;

/// The endings of files that may be a corpus.
const CORPORA: [&str; 9] = [
    "jsonl", "json", "tsv", "csv", "txt", "text", "md", "markdown", "parquet",
];

/// What is at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Index,
    /// A folder to look into.
    Folder,
    /// A file, or a folder with files, that may be a corpus.
    Corpus,
    /// A folder without either.
    Neither,
}

/// Something to open or to look into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// As it would be typed; a folder to look into ends with a slash.
    pub path: String,
    pub kind: Kind,
}

/// A path that is being typed.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    pub typed: String,
}

impl Job for Look {
    type Part = Vec<Place>;
    const THREAD: &'static str = "look";

    fn run(&self, _: &mut Doer, _: &Tell<'_, Vec<Place>>) -> Result<Option<Vec<Place>>, String> {
        Ok(Some(look(&self.typed)))
    }

    fn heard(state: &mut State, news: News<Look>) -> Vec<Effect> {
        match news {
            News::Part(places) | News::Over(Some(places)) => {
                vec![Effect::Then(Then::Looked(places))]
            }
            News::Over(None) => Vec::new(),
            News::Failed(why) => state.say(Message::error(why)),
        }
    }
}

/// The path that typed words mean: `~` is the home.
pub fn path_of(typed: &str) -> PathBuf {
    let home = || directories::BaseDirs::new().map(|dirs| dirs.home_dir().to_owned());
    match typed.strip_prefix('~').map(|rest| (rest, home())) {
        Some((rest, Some(home))) if rest.is_empty() || rest.starts_with('/') => {
            home.join(rest.trim_start_matches('/'))
        }
        _ => PathBuf::from(typed),
    }
}

/// An argument that names the same index from anywhere: an absolute path, or the address of a database.
pub fn anywhere(argument: &str) -> PathBuf {
    let path = PathBuf::from(argument);
    match postgres::is_one(&path) {
        true => path,
        false => std::path::absolute(&path).unwrap_or(path),
    }
}

/// Looks at the folder that is typed as far as its last slash, for what begins as typed; at the folder itself first.
fn look(typed: &str) -> Vec<Place> {
    let (folder, begun) = match typed.rfind('/') {
        Some(at) => typed.split_at(at + 1),
        None => ("", typed),
    };
    let at = if folder.is_empty() {
        PathBuf::from(".")
    } else {
        path_of(folder)
    };
    let mut places = Vec::new();
    if begun.is_empty() && !folder.is_empty() && at.is_dir() {
        let path = if folder == "/" {
            folder
        } else {
            folder.trim_end_matches('/')
        };
        places.push(Place {
            path: path.to_owned(),
            kind: whole(&at),
        });
    }
    let hidden = begun.starts_with('.');
    let entries = std::fs::read_dir(&at).into_iter().flatten().flatten();
    let lower = begun.to_lowercase();
    let mut found: Vec<Place> = entries
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let wanted = name.to_lowercase().starts_with(&lower);
            if !wanted || name.starts_with('.') && !hidden {
                return None;
            }
            let path = format!("{folder}{name}");
            let own = entry.path();
            if Index::is_index(&own) {
                return Some(Place {
                    path,
                    kind: Kind::Index,
                });
            }
            if own.is_dir() {
                let path = format!("{path}/");
                return Some(Place {
                    path,
                    kind: Kind::Folder,
                });
            }
            may_be_corpus(&own).then_some(Place {
                path,
                kind: Kind::Corpus,
            })
        })
        .collect();
    found.sort_by_cached_key(|place| (place.kind != Kind::Index, place.path.to_lowercase()));
    found.truncate(LISTED);
    places.extend(found);
    places
}

fn may_be_corpus(file: &Path) -> bool {
    let ending = file.extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| CORPORA.contains(&&*ending.to_lowercase())) && file.is_file()
}

/// What a folder is as a whole.
fn whole(folder: &Path) -> Kind {
    if Index::is_index(folder) {
        return Kind::Index;
    }
    let mut files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    match files.any(|file| may_be_corpus(&file.path())) {
        true => Kind::Corpus,
        false => Kind::Neither,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typed_path_is_completed_and_told_for_what_it_is() {
        let home = tempfile::tempdir().unwrap();
        for (name, file) in [
            ("indexes/one", "manifest.json"),
            ("indexes/empty", ""),
            ("indexes/texts", "a.md"),
        ] {
            let folder = home.path().join(name);
            std::fs::create_dir_all(&folder).unwrap();
            if !file.is_empty() {
                std::fs::write(folder.join(file), "{}").unwrap();
            }
        }
        std::fs::write(home.path().join("indexes/corpus.jsonl"), "").unwrap();
        std::fs::write(home.path().join("indexes/.hidden.jsonl"), "").unwrap();
        std::fs::write(home.path().join("indexes/picture.png"), "").unwrap();
        let root = home.path().display().to_string();
        let told = |typed: &str| -> Vec<(String, Kind)> {
            let looked = look(&format!("{root}/{typed}"));
            let short = |place: Place| (place.path[root.len()..].to_owned(), place.kind);
            looked.into_iter().map(short).collect()
        };
        let is = |path: &str, kind| (path.to_owned(), kind);
        assert_eq!(told("ind"), [is("/indexes/", Kind::Folder)]);
        assert_eq!(
            told("indexes/"),
            [
                is("/indexes", Kind::Corpus),
                is("/indexes/one", Kind::Index),
                is("/indexes/corpus.jsonl", Kind::Corpus),
                is("/indexes/empty/", Kind::Folder),
                is("/indexes/texts/", Kind::Folder),
            ]
        );
        assert_eq!(
            told("indexes/empty/"),
            [is("/indexes/empty", Kind::Neither)]
        );
        assert_eq!(told("indexes/ONE"), [is("/indexes/one", Kind::Index)]);
        assert_eq!(told("nowhere/x"), []);
    }
}
