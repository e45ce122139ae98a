//! Indexes of other systems: their units of text are the passages. Their graph is a layer of its own, read when that is built.

use super::detect::Source;
use super::intake::Intake;
use super::lines::name;
use super::report::GraphReport;
use super::{CorpusError, Format, Passage, Place, questions};
use crate::exchange::given::{self, Unit};
use std::path::Path;

/// The index of another system in a folder; none where it has none.
pub(super) fn source(path: &Path, folder: &Path) -> Option<Source> {
    let found = given::find(folder)?;
    let beside = Some(folder.join("queries.jsonl")).filter(|file| file.is_file());
    Some(Source {
        questions: beside,
        ..Source::new(Format::Given, path, vec![found.folder])
    })
}

/// The same for a file that only such an index has.
pub(super) fn of_file(path: &Path) -> Option<Source> {
    let name = name(path).to_ascii_lowercase();
    let known = [".graphml", ".gexf", ".parquet"]
        .iter()
        .any(|suffix| name.ends_with(suffix));
    let kept = name.starts_with("kv_store_") || name.starts_with("openie_results");
    let folder = path.parent().filter(|_| known || kept)?;
    source(path, folder)
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
    let graph = given::read(&found)?;
    intake.report.files.extend(graph.files.iter().cloned());
    let place = Place::file(folder);
    for Unit { id, title, text } in graph.units {
        intake.passage(&place, Passage { id, title, text })?;
    }
    intake.report.graphs.push(GraphReport {
        system: graph.system,
        generation: graph.generation,
        account: graph.account,
    });
    match &source.questions {
        Some(file) => questions::read(file, false, intake),
        None => Ok(()),
    }
}
