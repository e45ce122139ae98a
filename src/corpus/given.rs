//! Indexes of other systems: their units of text are the passages. Their graph is a layer of its own, read when that is built.

use super::detect::Source;
use super::intake::Intake;
use super::report::GraphReport;
use super::{CorpusError, Format, Passage, Place, questions};
use crate::exchange::given::{self, Unit};
use crate::exchange::postgres;
use std::mem::take;
use std::path::Path;
use std::sync::Arc;

/// The index of another system at a path: a folder, or a file that only such an index has. None where there is none.
pub(super) fn source(path: &Path) -> Option<Source> {
    let found = given::find(path)?;
    let beside = Some(found.folder.join("queries.jsonl")).filter(|file| file.is_file());
    Some(Source {
        questions: beside,
        ..Source::new(Format::Given, path, vec![found.folder])
    })
}

/// Reads the texts, accounts for the graph, and reads the questions that lie beside.
pub(super) fn read(source: &Source, intake: &mut Intake) -> Result<(), CorpusError> {
    let folder = source.files.first().unwrap_or(&source.path);
    let found = given::find(folder).ok_or_else(|| {
        CorpusError::file(
            Place::file(folder),
            "the index of another system",
            "none that is known",
            "Name the folder that has its files.",
        )
    })?;
    let mut graph = given::read(&found)?;
    intake.report.files.extend(graph.files.iter().cloned());
    let place = Place::file(folder);
    for Unit { id, title, text } in &mut graph.units {
        let (id, title, text) = (id.clone(), take(title), take(text));
        intake.passage(&place, Passage { id, title, text })?;
    }
    intake.report.graphs.push(GraphReport {
        system: graph.system.clone(),
        generation: graph.generation.clone(),
        account: graph.account.clone(),
    });
    if postgres::is_one(folder) {
        intake.report.copies.push(Arc::new(graph));
    }
    match &source.questions {
        Some(file) => questions::read(file, false, intake),
        None => Ok(()),
    }
}
