//! `--edit` and `--patch`: what-if changes of the graph, for every command that asks.

use super::about;
use crate::layers::GraphEdited;
use crate::layers::edits::read_patch;
use crate::retrieve::{Method, Settings};
use anyhow::{Result, anyhow};
use clap::Args;
use std::path::PathBuf;

/// What-if: changes of the graph, over the index and never written into it.
#[derive(Clone, Debug, Default, Args)]
pub struct PatchArgs {
    /// Edit the graph for this run only (the index is not written): join NAME | NAME, cut NAME | #ID, add NAME | #ID, weigh
    /// NAME | #ID * FACTOR, mute NAME, keep NAME. Write a passage as #ID. Repeatable.
    #[arg(long = "edit", value_name = "CHANGE")]
    edit: Vec<String>,
    /// Read graph edits from a file, one per line; // starts a comment. --edit is applied after it.
    #[arg(long, value_name = "FILE")]
    patch: Option<PathBuf>,
}

impl PatchArgs {
    /// Makes the changes.
    pub(super) fn apply(&self, settings: &mut Settings) -> Result<()> {
        if let Some(path) = &self.patch {
            let edits = read_patch(path).map_err(|said| anyhow!("--patch {said}"))?;
            edits.into_iter().for_each(|edit| settings.edit_graph(edit));
        }
        for change in &self.edit {
            let edit = change.parse().map_err(about("--edit"))?;
            settings.edit_graph(edit);
        }
        Ok(())
    }
}

/// Says which changes of the graph do not reach the method, and which had nothing to change.
pub(super) fn unapplied_graph(method: &Method, edits: &[GraphEdited]) {
    if edits.is_empty() {
        return;
    }
    let name = &method.name;
    if let Some(why) = method.ignores_graph_edits() {
        note!("hopscope: {name} {why}: --edit and --patch change nothing");
        return;
    }
    for graph in method.graphs_without_edits() {
        note!("hopscope: {name} works on {graph} too, which --edit and --patch do not change");
    }
    for edited in edits {
        if let Some(why) = &edited.idle {
            note!("hopscope: '{}' has no effect: {why}", edited.edit);
        }
    }
}
