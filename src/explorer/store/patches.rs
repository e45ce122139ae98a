//! Patches of the graph in files: those without a folder of their own lie in `patches/` beside a person's other work.

use super::{Folders, cannot, replace};
use crate::explorer::text::plural;
use crate::layers::GraphEdit;
use crate::layers::edits::{read_patch, written};
use std::path::{Path, PathBuf};

const ENDING: &str = "patch";

/// Where a patch of this name lies: a path as it is, a mere name in the folder of patches.
pub fn place(folders: Option<&Folders>, name: &str) -> PathBuf {
    let path = Path::new(name);
    let mere = path.components().count() == 1 && path.extension().is_none();
    match folders.filter(|_| mere) {
        Some(folders) => folders.patches().join(name).with_extension(ENDING),
        None => path.to_owned(),
    }
}

/// The names of the patches in the folder of patches, ascending.
pub fn known(folders: &Folders) -> Vec<String> {
    let files = std::fs::read_dir(folders.patches()).into_iter().flatten();
    let name = |path: PathBuf| {
        let patch = path.extension().is_some_and(|ending| ending == ENDING);
        let stem = path.file_stem().filter(|_| patch)?;
        Some(stem.to_string_lossy().into_owned())
    };
    let mut names: Vec<String> = files.filter_map(|file| name(file.ok()?.path())).collect();
    names.sort();
    names
}

/// Writes a patch, and takes the place of one that is there only where that was asked for.
///
/// # Errors
/// A file that is there, a folder that cannot be written.
pub fn save(path: &Path, edits: &[GraphEdit], over: bool) -> Result<(), String> {
    if !over && path.exists() {
        return Err(format!(
            "{} is there already; choose 'replace'",
            path.display()
        ));
    }
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder {
        std::fs::create_dir_all(folder).map_err(|error| cannot("make", folder, &error))?;
    }
    replace(path, written(edits).as_bytes())
}

/// [`save`] under a name, and where it is now; a mere name is known from then on.
///
/// # Errors
/// As [`save`].
pub fn keep(
    folders: Option<&Folders>,
    name: &str,
    edits: &[GraphEdit],
    over: bool,
    names: &mut Vec<String>,
) -> Result<String, String> {
    let path = place(folders, name);
    save(&path, edits, over)?;
    if let Some(folders) = folders {
        *names = known(folders);
    }
    let changes = plural(edits.len(), "change");
    Ok(format!("patch of {changes} written to {}", path.display()))
}

/// Reads a patch by its name: its file and its changes.
///
/// # Errors
/// A file that cannot be read as one.
pub fn load(folders: Option<&Folders>, name: &str) -> Result<(String, Vec<GraphEdit>), String> {
    let path = place(folders, name);
    Ok((path.display().to_string(), read_patch(&path)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_comes_back_and_is_not_written_over_unasked() {
        let home = tempfile::tempdir().unwrap();
        let folders = Folders::under(home.path());
        let path = place(Some(&folders), "nixon");
        assert_eq!(path, folders.patches().join("nixon.patch"));
        assert_eq!(place(Some(&folders), "a/b"), Path::new("a/b"));
        assert_eq!(place(None, "c"), Path::new("c"));
        let edits = |texts: &[&str]| -> Vec<GraphEdit> {
            texts.iter().map(|text| text.parse().unwrap()).collect()
        };
        let (one, two) = (
            edits(&["mute Rome"]),
            edits(&["join Nixon | Richard Nixon"]),
        );
        save(&path, &one, false).unwrap();
        assert_eq!(known(&folders), ["nixon"]);
        assert!(
            save(&path, &two, false)
                .unwrap_err()
                .contains("choose 'replace'")
        );
        assert_eq!(read_patch(&path), Ok(one));
        save(&path, &two, true).unwrap();
        assert_eq!(read_patch(&path), Ok(two));
    }
}
