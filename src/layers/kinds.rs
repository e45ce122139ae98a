//! Building layers by name: beside a new index, or into one that is there.

#![warn(missing_docs)]

use super::LayerKind;
use crate::index::store::{self, Manifest};
use crate::index::{Claim, Index, IndexError, Progress};
use crate::parameters::Scoped;
use std::path::Path;
use std::time::Instant;

/// A layer that was built, and how long it took.
#[derive(Clone, Debug, PartialEq)]
pub struct BuiltLayer {
    /// As `--layers` spells it.
    pub name: &'static str,
    /// How long it took.
    pub seconds: f64,
    /// What of it comes from a file beside the corpus, where that may be.
    pub read: Option<String>,
}

/// The kinds of these names, in the order they were named.
///
/// # Errors
/// A name that is none, with those there are.
pub fn layers_named<'k>(
    names: &[String],
    kinds: &'k [LayerKind],
) -> Result<Vec<&'k LayerKind>, String> {
    let find = |name: &String| {
        let name = name.trim();
        kinds.iter().find(|k| k.name == name).ok_or_else(|| {
            let known: Vec<String> = kinds
                .iter()
                .map(|k| format!("{} ({})", k.name, k.about))
                .collect();
            match known.is_empty() {
                true => format!("no layer '{name}'; this program has none"),
                false => format!("no layer '{name}'; there are {}", known.join(", ")),
            }
        })
    };
    let mut found: Vec<&LayerKind> = Vec::new();
    for kind in names.iter().map(find) {
        let kind = kind?;
        if !found.iter().any(|k| k.name == kind.name) {
            found.push(kind);
        }
    }
    Ok(found)
}

/// Builds layers and adds them to the index in memory.
///
/// # Errors
/// What a build says; a cancelled one.
pub fn build_layers(
    index: &Index,
    kinds: &[&LayerKind],
    settings: Scoped<'_>,
    progress: &dyn Progress,
) -> Result<Vec<BuiltLayer>, IndexError> {
    let build = |kind: &&LayerKind| {
        let start = Instant::now();
        let read = (kind.build)(index, settings, progress)?;
        Ok(BuiltLayer {
            name: kind.name,
            seconds: start.elapsed().as_secs_f64(),
            read,
        })
    };
    kinds.iter().map(build).collect()
}

/// Builds layers over an opened index and writes them into its folder. Until the last moment the folder is the old index.
///
/// # Errors
/// What a build says, a cancelled one, another process that writes there, and what could not be written.
pub fn add_layers(
    index: &Index,
    folder: &Path,
    kinds: &[&LayerKind],
    settings: Scoped<'_>,
    progress: &dyn Progress,
) -> Result<(Manifest, Vec<BuiltLayer>), IndexError> {
    let _claim = Claim::of(folder)?;
    let built = build_layers(index, kinds, settings, progress)?;
    Ok((store::add_layers(index, folder)?, built))
}
