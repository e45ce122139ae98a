//! Typed graphs: the objects are the passages. Nodes and edges as tables, or a folder of STaRK with its questions.

use super::detect::Source;
use super::intake::Intake;
use super::{CorpusError, Format, Passage, Place, questions};
use crate::exchange::postgres;
use crate::exchange::schema::{FieldKind, Graph, GraphError, Object};
use crate::exchange::{stark, table};
use crate::text::stems::spaced;
use std::path::Path;

/// What there is in a folder with a typed graph; none where it has no such graph.
pub(super) fn source(folder: &Path) -> Option<Source> {
    let files = table::files(folder)?;
    let beside = Some(folder.join("queries.jsonl")).filter(|file| file.is_file());
    Some(Source {
        questions: beside.or_else(|| stark::questions(folder)),
        ..Source::new(Format::Typed, folder, files)
    })
}

/// Reads the objects in their order, then the questions.
pub(super) fn read(source: &Source, intake: &mut Intake) -> Result<(), CorpusError> {
    let graph = table::read(&source.path)?;
    intake.report.files.extend(source.files.iter().cloned());
    let place = Place::file(&source.path);
    for passage in passages(&graph) {
        intake.passage(&place, passage)?;
    }
    match &source.questions {
        Some(file) => questions::read(file, false, intake),
        None => Ok(()),
    }
}

/// The objects as passages: the name as title, the type and all fields as text.
pub(crate) fn passages(graph: &Graph) -> Vec<Passage> {
    let passage = |object: &Object| {
        let mut text = format!("{}.", object.kind);
        if !object.aliases.is_empty() {
            text += &format!(" Also called {}.", object.aliases.join(", "));
        }
        let kind = graph
            .schema
            .type_by_name(&object.kind)
            .map(|at| &graph.schema.types[at]);
        for (name, value) in &object.fields {
            let long = kind
                .and_then(|k| k.field(name))
                .is_some_and(|f| f.kind == FieldKind::Long);
            if long {
                text += &format!(" {value}");
            } else {
                let words = spaced(name);
                let mut letters = words.chars();
                let first: String = letters
                    .next()
                    .map(|c| c.to_uppercase().collect())
                    .unwrap_or_default();
                text += &format!(" {first}{} {value}.", letters.as_str());
            }
        }
        Passage {
            id: object.id.clone(),
            title: object.name.clone(),
            text,
        }
    };
    graph.objects.iter().map(passage).collect()
}

impl From<GraphError> for CorpusError {
    fn from(error: GraphError) -> CorpusError {
        let remedy =
            "Mend the file, or name the corpus that belongs to the graph instead of its folder.";
        match error {
            GraphError::Io { path, source } => CorpusError::io(&path, source),
            GraphError::Record {
                path,
                line,
                expected,
                found,
            } => {
                let place = match line {
                    0 => Place::file(&path),
                    line => Place::line(&path, line),
                };
                CorpusError::file(place, expected, found, remedy)
            }
            GraphError::Unreadable { ref path, .. } if postgres::is_one(path) => {
                CorpusError::Database(Box::new(error))
            }
            GraphError::Unreadable { path, what, remedy } => {
                CorpusError::file(Place::file(&path), "files that can be read", what, remedy)
            }
            GraphError::None { ref path } => CorpusError::file(
                Place::file(path),
                "a typed graph",
                error.to_string(),
                remedy,
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::Folder;
    use super::super::{Format, ReadOptions, read, read_questions};
    use super::super::{Gold, Lookup};
    use crate::exchange::fixture::{EDGES, NODES};
    use std::path::{Path, PathBuf};

    fn stark() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/stark")
    }

    #[test]
    fn nodes_and_edges_alone_are_a_corpus() {
        let folder = Folder::new();
        folder.write("nodes.tsv", NODES);
        folder.write("edges.tsv", EDGES);
        folder.write(
            "queries.jsonl",
            "{\"_id\": \"q\", \"text\": \"Who?\", \"gold\": {\"ada\": 1}}\n",
        );
        let (corpus, report) = read(&[folder.path("")], &ReadOptions::default()).unwrap();
        assert_eq!(report.sources[0].format, Format::Typed);
        let first = &corpus.passages[0];
        assert_eq!((&*first.id, &*first.title), ("ada", "Ada Lovelace"));
        assert_eq!(
            corpus.questions[0].gold,
            [Gold {
                passage: 0,
                grade: 1.0
            }]
        );
        folder.write("nodes.tsv", "id\ttype\nada\tPerson\n");
        let said = read(&[folder.path("")], &ReadOptions::default())
            .unwrap_err()
            .to_string();
        assert!(
            said.contains("nodes.tsv:2: expected a column `name`")
                && said.contains("Mend the file"),
            "{said}"
        );
    }

    #[test]
    fn starks_objects_and_questions() {
        let (corpus, report) = read(&[stark()], &ReadOptions::default()).unwrap();
        assert_eq!(report.sources[0].format, Format::Typed);
        let titles: Vec<&str> = corpus.passages.iter().map(|p| &*p.title).collect();
        assert_eq!(titles, ["Rare fever", "ABC1", "Feverless"]);
        let gold = |at: usize| {
            corpus.questions[at]
                .gold
                .iter()
                .map(|g| g.passage)
                .collect::<Vec<_>>()
        };
        assert_eq!((gold(0), gold(1)), (vec![2], vec![1, 2]));
        assert_eq!(
            corpus.questions[0].text,
            "Which drug helps, against rare fever?"
        );
        // Where the snapshot of the whole set keeps them.
        let folder = Folder::new();
        for file in std::fs::read_dir(stark().join("processed")).unwrap() {
            let file = file.unwrap();
            let to = folder.path("skb/prime/processed");
            std::fs::create_dir_all(&to).unwrap();
            std::fs::copy(file.path(), to.join(file.file_name())).unwrap();
        }
        folder.write(
            "qa/prime/stark_qa/stark_qa.csv",
            "id,query,answer_ids\n7,x,[0]\n",
        );
        for path in ["skb/prime", "skb/prime/processed"] {
            let (corpus, _) = read(&[folder.path(path)], &ReadOptions::default()).unwrap();
            assert_eq!(
                (corpus.passages.len(), &*corpus.questions[0].id),
                (3, "7"),
                "{path}"
            );
        }
    }

    #[test]
    fn answers_of_another_form_are_named() {
        let folder = Folder::new();
        folder.write("q.csv", "id,query,answer_ids\n0,x,exec(1)\n");
        let said = read_questions(
            &folder.path("q.csv"),
            None,
            &Lookup::default(),
            &ReadOptions::default(),
        );
        let said = said.unwrap_err().to_string();
        assert!(
            said.contains("q.csv:2")
                && said.contains("expected answers such as [1, 2]; found exec(1)"),
            "{said}"
        );
    }
}
