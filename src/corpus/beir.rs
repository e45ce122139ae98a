//! BEIR's folder: `corpus.jsonl`, `queries.jsonl`, `qrels/<split>.tsv`. Only the first has to be there.

use super::columns::Columns;
use super::detect::Source;
use super::intake::Intake;
use super::{CorpusError, Format, Place, ReadOptions, jsonl, qrels, questions};
use std::path::{Path, PathBuf};

/// What there is beside a `corpus.jsonl`.
pub(super) fn source(
    path: &Path,
    corpus: PathBuf,
    options: &ReadOptions,
) -> Result<Source, CorpusError> {
    let folder = corpus.parent().unwrap_or(Path::new("")).to_owned();
    let queries = Some(folder.join("queries.jsonl")).filter(|file| file.is_file());
    let qrels = if queries.is_some() && options.qrels.is_none() {
        judgements(&folder, options)?
    } else {
        None
    };
    Ok(Source {
        questions: queries,
        qrels,
        ..Source::new(Format::Beir, path, vec![corpus])
    })
}

/// The gold beside a question file: that of the split asked for, or test, dev, train, or the first by name.
pub(super) fn judgements(
    folder: &Path,
    options: &ReadOptions,
) -> Result<Option<PathBuf>, CorpusError> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder.join("qrels"))
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|file| {
            file.extension()
                .is_some_and(|extension| extension == "tsv" || extension == "txt")
        })
        .collect();
    files.sort();
    let split = |name: &str| {
        files
            .iter()
            .find(|file| file.file_stem().is_some_and(|stem| stem == name))
            .cloned()
    };
    match &options.split {
        Some(name) => split(name).map(Some).ok_or_else(|| {
            let there: Vec<String> = files.iter().map(|file| super::lines::stem(file)).collect();
            CorpusError::file(
                Place::file(&folder.join("qrels")),
                format!("{name}.tsv for --split {name}"),
                if there.is_empty() {
                    "no splits".to_owned()
                } else {
                    format!("the splits {}", there.join(", "))
                },
                "Name one of these, or give the file with --qrels.",
            )
        }),
        None => Ok(["test", "dev", "train"]
            .into_iter()
            .find_map(split)
            .or_else(|| files.first().cloned())),
    }
}

/// Reads passages, questions and gold.
pub(super) fn read(source: &Source, intake: &mut Intake) -> Result<(), CorpusError> {
    for file in &source.files {
        let columns = Columns {
            id: Some("_id".into()),
            title: Some("title".into()),
            text: "text".into(),
        };
        jsonl::read(file, Some(columns), intake)?;
    }
    let Some(queries) = &source.questions else {
        return Ok(());
    };
    questions::read(queries, false, intake)?;
    match &source.qrels {
        Some(file) if intake.take_questions => qrels::read(file, intake),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Folder, fails, reads, reads_with};
    use super::super::{Format, GoldTally, ReadOptions, Tally};

    fn folder() -> Folder {
        let folder = Folder::new();
        folder.write(
            "corpus.jsonl",
            "{\"_id\": \"d1\", \"title\": \"Ur\", \"text\": \"A city.\"}\n{\"_id\": \"d2\", \"text\": \"A city.\", \"metadata\": {}}\n{\"_id\": \"d3\", \"title\": \"Ur\", \"text\": \"A city.\"}\n{\"_id\": \"d1\", \"title\": \"Ur\", \"text\": \"A city.\"}\n",
        );
        folder.write(
            "queries.jsonl",
            "{\"_id\": \"a\", \"text\": \"Who?\", \"metadata\": {\"answer\": [\"She\", \"Her\"], \"type\": \"bridge\"}}\n{\"_id\": \"b\", \"text\": \"What?\", \"metadata\": {\"answer\": null}}\n",
        );
        folder.write(
            "qrels/test.tsv",
            "query-id\tcorpus-id\tscore\na\td3\t2\na\td1\t1\na\td1\t1\na\td2\t0\na\td9\t1\nz\td1\t1\n",
        );
        folder.write("qrels/dev.tsv", "b 0 d2 1\n");
        folder
    }

    #[test]
    fn a_folder_gives_passages_questions_and_graded_gold() {
        let folder = folder();
        for path in [folder.path(""), folder.path("corpus.jsonl")] {
            let (corpus, report) = reads(&path);
            assert_eq!(report.sources[0].format, Format::Beir);
            assert_eq!(corpus.passages.len(), 3);
            let [first, second] = &corpus.questions[..] else {
                panic!("{:?}", corpus.questions)
            };
            assert_eq!(
                first
                    .gold
                    .iter()
                    .map(|gold| (gold.passage, gold.grade))
                    .collect::<Vec<_>>(),
                [(0, 1.0), (2, 2.0)]
            );
            assert_eq!(
                (&first.answers[..], &*first.kind),
                (&["She".to_owned(), "Her".to_owned()][..], "bridge")
            );
            assert_eq!(first.missing, ["d9"]);
            assert!(second.gold.is_empty() && second.answers.is_empty());
            assert_eq!(
                report.passages,
                Tally {
                    read: 4,
                    kept: 3,
                    merged: 1,
                    bad: 0
                }
            );
            assert_eq!(
                report.questions,
                Tally {
                    read: 2,
                    kept: 2,
                    merged: 0,
                    bad: 0
                }
            );
            let gold = GoldTally {
                read: 6,
                kept: 2,
                merged: 1,
                bad: 0,
                unresolved: 2,
                not_relevant: 1,
            };
            assert_eq!((report.gold, report.without_gold), (gold, 1));
            assert!(report.unresolved.first[1].unknown_question);
        }
    }

    #[test]
    fn a_split_can_be_asked_for() {
        let folder = folder();
        let options = ReadOptions {
            split: Some("dev".into()),
            ..ReadOptions::default()
        };
        let (corpus, _) = reads_with(&[folder.path("")], &options);
        assert_eq!(corpus.questions[1].gold[0].passage, 1);
        let options = ReadOptions {
            split: Some("train".into()),
            ..ReadOptions::default()
        };
        let error = fails(&folder.path(""), &options);
        assert!(
            error.contains("expected train.tsv")
                && error.contains("the splits dev, test")
                && error.contains("--qrels"),
            "{error}"
        );
    }

    #[test]
    fn bad_gold_names_its_line() {
        let folder = folder();
        for (row, says) in [
            ("a\td1", "found 2 columns"),
            (
                "a\td1\thigh",
                "expected a number as the grade; found \"high\"",
            ),
            (
                "a\td3\t1",
                "expected one grade for question a and passage \"d3\"; found 1 after 2",
            ),
        ] {
            folder.write(
                "qrels/test.tsv",
                &format!("query-id\tcorpus-id\tscore\na\td3\t2\n{row}\n"),
            );
            let error = fails(&folder.path(""), &ReadOptions::default());
            assert!(
                error.contains("test.tsv:3")
                    && error.contains(says)
                    && error.contains("--skip-bad"),
                "{error}"
            );
            let skip = ReadOptions {
                skip_bad: true,
                ..ReadOptions::default()
            };
            let (_, report) = reads_with(&[folder.path("")], &skip);
            assert_eq!(
                report.gold,
                GoldTally {
                    read: 2,
                    kept: 1,
                    bad: 1,
                    ..GoldTally::default()
                }
            );
        }
    }

    #[test]
    fn the_corpus_alone_is_enough_and_other_questions_take_the_place_of_its_own() {
        let folder = folder();
        folder.write("other.jsonl", "{\"_id\": \"c\", \"text\": \"Where?\"}\n");
        folder.write("gold.txt", "c 0 d1 1\n");
        let options = ReadOptions {
            questions: Some(folder.path("other.jsonl")),
            qrels: Some(folder.path("gold.txt")),
            ..ReadOptions::default()
        };
        let (corpus, report) = reads_with(&[folder.path("")], &options);
        assert_eq!(
            (corpus.questions.len(), corpus.questions[0].gold[0].passage),
            (1, 0)
        );
        assert_eq!((report.questions.read, report.gold.read), (1, 1));
        let options = ReadOptions {
            qrels: Some(folder.path("qrels/dev.tsv")),
            ..ReadOptions::default()
        };
        let (corpus, report) = reads_with(&[folder.path("")], &options);
        assert_eq!(
            (corpus.questions.len(), report.gold.read, report.gold.kept),
            (2, 1, 1)
        );
        folder.remove("queries.jsonl");
        let (corpus, report) = reads(&folder.path(""));
        assert_eq!(
            (
                corpus.passages.len(),
                corpus.questions.len(),
                report.files.len()
            ),
            (3, 0, 1)
        );
        let options = ReadOptions {
            qrels: Some(folder.path("gold.txt")),
            ..ReadOptions::default()
        };
        assert!(fails(&folder.path(""), &options).contains("--questions"));
    }
}
