//! What several tests share.
#![allow(dead_code)]

use std::path::PathBuf;

/// A folder of the shared data beside the repository (or in HOPSCOPE_SHARED). Without it the test says that it is
/// skipped, by name, and passes: the data belongs to others and is not part of the project.
pub fn shared(test: &str, part: &str) -> Option<PathBuf> {
    let root = std::env::var_os("HOPSCOPE_SHARED").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"),
        PathBuf::from,
    );
    let path = root.join(part);
    if path.exists() {
        return Some(path);
    }
    eprintln!("skipped: {test}: {} is not here", path.display());
    None
}
