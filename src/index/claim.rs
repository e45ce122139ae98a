//! One writer at a time: a folder is claimed while something is written into it or into its place.
//!
//! A claim is an advisory lock on the folder itself. It ends with the process, however that ends, so what a killed build
//! left is known by nobody's claiming it.

use super::IndexError;
use std::fs::{self, File, TryLockError};
use std::path::Path;
use tempfile::TempDir;

/// How folders begin that a build writes in: nothing of a person's may be called so.
const PREFIX: &str = ".hopscope-building-";

/// Held by whoever writes; nothing on systems that lock no folders.
#[derive(Debug)]
pub struct Claim(#[allow(dead_code)] Option<File>);

impl Claim {
    /// Claims a folder.
    ///
    /// # Errors
    /// Another process that writes it now.
    pub fn of(folder: &Path) -> Result<Claim, IndexError> {
        let Ok(file) = File::open(folder) else {
            return Ok(Claim(None));
        };
        match file.try_lock() {
            Ok(()) => Ok(Claim(Some(file))),
            Err(TryLockError::WouldBlock) => Err(IndexError::Busy {
                path: folder.to_owned(),
            }),
            // A file system without locks.
            Err(TryLockError::Error(_)) => Ok(Claim(None)),
        }
    }
}

/// A folder beside the target for a build to write in. What earlier builds left there when they were killed is removed.
///
/// # Errors
/// Where none can be made.
pub fn workplace(parent: &Path) -> Result<(TempDir, Claim), IndexError> {
    sweep(parent);
    loop {
        let folder = tempfile::Builder::new()
            .prefix(PREFIX)
            .tempdir_in(parent)
            .map_err(|e| IndexError::io(parent, e))?;
        // Between these lines another process may take it for left behind.
        if let Ok(claim) = Claim::of(folder.path())
            && folder.path().exists()
        {
            return Ok((folder, claim));
        }
    }
}

/// Removes what is nobody's. What cannot be removed stays; it does no harm.
fn sweep(parent: &Path) {
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    for entry in entries.filter(|e| e.file_name().to_string_lossy().starts_with(PREFIX)) {
        let path = entry.path();
        if let Ok(Claim(Some(_held))) = Claim::of(&path) {
            let _ = fs::remove_dir_all(&path);
        }
    }
}

/// Puts a finished folder in the place of another, which is then where the finished one was.
///
/// # Errors
/// Folders that cannot be renamed.
pub fn exchange(finished: &Path, folder: &Path) -> Result<(), IndexError> {
    #[cfg(any(target_os = "linux", target_vendor = "apple"))]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        // In one step, so that there is an index at any time. Some file systems know no such step.
        if renameat_with(CWD, finished, CWD, folder, RenameFlags::EXCHANGE).is_ok() {
            return Ok(());
        }
    }
    let aside = finished.with_extension("old");
    fs::rename(folder, &aside).map_err(|e| IndexError::io(folder, e))?;
    if let Err(e) = fs::rename(finished, folder) {
        let _ = fs::rename(&aside, folder);
        return Err(IndexError::io(folder, e));
    }
    fs::rename(&aside, finished).map_err(|e| IndexError::io(&aside, e))
}
