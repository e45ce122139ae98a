//! What the user has: passages, questions and gold, read from the formats the field uses.
//!
//! One reader per file format, all giving the same [`Corpus`] and a [`Report`] that accounts for every
//! record: read, merged as a duplicate, left out as bad, or left unresolved. Nothing is silently lost.

mod beir;
mod columns;
mod cut;
mod detect;
mod error;
mod format;
mod given;
mod hipporag;
mod hotpot;
mod html;
mod intake;
mod item;
mod json;
mod jsonl;
mod langchain;
mod lines;
mod lookup;
mod musique;
mod opening;
mod qrels;
mod questions;
mod report;
mod stdin;
mod table;
mod text;
pub(crate) mod typed;
mod unread;

#[cfg(test)]
mod fixture;

pub use cut::Cut;
pub use error::{BadRecord, CorpusError, Place, What};
pub use format::{Format, ReadOptions};
pub use lookup::Lookup;
pub use report::{
    GoldTally, GraphReport, LISTED, LeftOut, Listed, Renamed, Report, SourceReport, Tally,
    Unresolved,
};
pub use unread::Unread;

use crate::exchange::postgres;
use crate::text::Language;
use detect::Source;
use intake::{Clash, Intake};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// One retrieval unit. Its place in [`Corpus::passages`] is its dense id and breaks ties in rankings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passage {
    /// The identifier the data set gave it (or the reader made: file name and ordinal). Unique in a corpus.
    pub id: String,
    /// May be empty.
    pub title: String,
    /// What is searched and read.
    pub text: String,
}

impl Passage {
    /// What is indexed and encoded: title, full stop, text (SPRIG's title+body).
    pub fn full_text(&self) -> String {
        full_text(&self.title, &self.text)
    }
}

/// `title + ". " + text`, or the text alone where there is no title.
pub fn full_text(title: &str, text: &str) -> String {
    if title.is_empty() {
        text.to_owned()
    } else {
        format!("{title}. {text}")
    }
}

/// One gold link of a question that was found in the corpus.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gold {
    /// Dense id: index into [`Corpus::passages`].
    pub passage: u32,
    /// Relevance grade, above zero.
    pub grade: f32,
}

/// A question with what is known about it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// As the set names it.
    pub id: String,
    /// As a person would type it.
    pub text: String,
    /// Accepted answers, the first one preferred. Empty when the data set gives none.
    #[serde(default)]
    pub answers: Vec<String>,
    /// The data set's own class: `bridge`, `comparison`, `2hop`, ... Empty when it gives none.
    #[serde(default)]
    pub kind: String,
    /// Resolved gold links, by passage id ascending, each passage once.
    #[serde(default)]
    pub gold: Vec<Gold>,
    /// Gold named by the data set but absent from the corpus, as it was named there (failure class F0).
    #[serde(default)]
    pub missing: Vec<String>,
}

impl Question {
    /// How many passages are to be found: all gold, whether the corpus has it or not. 0 where none is known.
    pub fn wanted(&self) -> usize {
        self.gold.len() + self.missing.len()
    }
}

/// Passages, and questions where the source has them.
///
/// ```
/// # use hopscope::*; use std::sync::Arc;
/// # fn main() -> anyhow::Result<()> {
/// # let index = Arc::new(hopscope::index::sample::index()?);
/// # let method = |name: &str| Method::by_name(name).map_err(anyhow::Error::msg);
/// let (corpus, report) = read_corpus(&["sample-corpus".into()], &ReadOptions::default())?;
/// assert_eq!(report.passages.kept, corpus.passages.len());
/// assert!(corpus.questions.iter().any(|question| question.wanted() > 1));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Corpus {
    /// A short name for the screen: the folder's or file's name.
    pub name: String,
    /// In the order of the files.
    pub passages: Vec<Passage>,
    /// In the order of the files.
    pub questions: Vec<Question>,
}

impl Corpus {
    /// The language of most of its passages by a sample of them; English where none is sure.
    pub fn language(&self) -> Language {
        Language::detect(self.passages.len(), |at| &self.passages[at].text)
    }
}

/// Reads one corpus from files and folders, in the order given.
///
/// Where an identifier comes again from another path with other content it becomes `id~2`, and the report says so.
/// The path `-` is standard input.
pub fn read(paths: &[PathBuf], options: &ReadOptions) -> Result<(Corpus, Report), CorpusError> {
    let Some((kept, taken)) = stdin::taken(paths, options)? else {
        return read_files(paths, options);
    };
    let rename = &|path: &mut PathBuf| kept.as_named(path);
    let (mut corpus, mut report) =
        read_files(&taken, options).map_err(|error| error.renamed(rename))?;
    if let [_] = paths {
        corpus.name = "stdin".to_owned();
    }
    report.renamed_paths(rename);
    Ok((corpus, report))
}

fn read_files(paths: &[PathBuf], options: &ReadOptions) -> Result<(Corpus, Report), CorpusError> {
    let mut intake = Intake::new(options);
    for source in distinct_sources(paths, options, &mut intake)? {
        intake.begin(&source.path, source.format);
        intake.report.unread.extend(source.unread.iter().cloned());
        match source.format {
            Format::Beir => beir::read(&source, &mut intake)?,
            Format::HippoRag => hipporag::read(&source, &mut intake)?,
            Format::Text => text::read(&source, &mut intake)?,
            Format::Typed => typed::read(&source, &mut intake)?,
            Format::Given => given::read(&source, &mut intake)?,
            Format::Hotpot => each_file(&source, &mut intake, hotpot::read)?,
            Format::Musique => each_file(&source, &mut intake, musique::read)?,
            Format::Table => each_file(&source, &mut intake, |file, intake| {
                match file.extension().is_some_and(|it| it == "parquet") {
                    true => table::read_parquet(file, intake),
                    false => table::read(file, intake),
                }
            })?,
            Format::Jsonl => each_file(&source, &mut intake, |file, intake| {
                jsonl::read(file, None, intake)
            })?,
        }
    }
    let sources = &mut intake.report.sources;
    if options.cut != Cut::default() && sources.iter().all(|it| it.format != Format::Text) {
        let note = "nothing was cut: the size of passages is of texts, Markdown and HTML alone";
        intake.report.notes.push(note.to_owned());
    }
    questions_besides(
        options.questions.as_deref(),
        options.qrels.as_deref(),
        &mut intake,
    )?;
    let (passages, questions, report) = intake.finish();
    if passages.is_empty() {
        let paths = paths
            .iter()
            .map(|path| path.display().to_string())
            .collect::<Vec<_>>()
            .join(", ");
        return Err(CorpusError::Empty { paths });
    }
    Ok((
        Corpus {
            name: name_of(paths),
            passages,
            questions,
        },
        report,
    ))
}

/// Reads questions about passages that are there already, a corpus in memory or an opened index.
///
/// The gold is that of `qrels`, else of `options.qrels`, else what the question file itself states, else BEIR's
/// `qrels` folder beside it.
pub fn read_questions(
    path: &Path,
    qrels: Option<&Path>,
    passages: &Lookup,
    options: &ReadOptions,
) -> Result<(Vec<Question>, Report), CorpusError> {
    let mut intake = Intake::over(Cow::Borrowed(passages), options);
    questions_besides(Some(path), qrels.or(options.qrels.as_deref()), &mut intake)?;
    let (_, questions, report) = intake.finish();
    Ok((questions, report))
}

/// Reads gold for questions that are there already, in the place of what they have.
pub fn read_gold(
    qrels: &Path,
    questions: &[Question],
    passages: &Lookup,
    options: &ReadOptions,
) -> Result<(Vec<Question>, Report), CorpusError> {
    let mut intake = Intake::over(Cow::Borrowed(passages), options);
    intake.take_questions = true;
    for question in questions {
        let bare = Question {
            gold: Vec::new(),
            missing: Vec::new(),
            ..question.clone()
        };
        intake.question(&Place::default(), bare, Vec::new(), Clash::Refuse)?;
    }
    intake.begin_questions(qrels);
    qrels::read(qrels, &mut intake)?;
    let (_, questions, report) = intake.finish();
    Ok((questions, report))
}

fn questions_besides(
    questions: Option<&Path>,
    qrels: Option<&Path>,
    intake: &mut Intake,
) -> Result<(), CorpusError> {
    let mut gold = qrels.map(Path::to_owned);
    if let Some(file) = questions {
        if gold.is_none() && lines::name(file) == "queries.jsonl" {
            gold = beir::judgements(file.parent().unwrap_or(Path::new("")), intake.options)?;
        }
        intake.take_questions = true;
        intake.take_gold = gold.is_none();
        intake.begin_questions(file);
        questions::read(file, false, intake)?;
    }
    if let Some(file) = gold {
        intake.begin_questions(&file);
        qrels::read(&file, intake)?;
    }
    Ok(())
}

fn each_file(
    source: &Source,
    intake: &mut Intake,
    read: impl Fn(&Path, &mut Intake) -> Result<(), CorpusError>,
) -> Result<(), CorpusError> {
    source.files.iter().try_for_each(|file| read(file, intake))
}

/// What to read, each file once: a question file named beside its corpus, or a path named twice, is no second source.
fn distinct_sources(
    paths: &[PathBuf],
    options: &ReadOptions,
    intake: &mut Intake,
) -> Result<Vec<Source>, CorpusError> {
    let real = |file: &PathBuf| file.canonicalize().unwrap_or_else(|_| file.clone());
    let mut found = Vec::new();
    for path in paths {
        found.extend(detect::sources(path, options)?);
    }
    let companions: Vec<PathBuf> = found
        .iter()
        .flat_map(|source| source.questions.iter().chain(&source.qrels))
        .map(real)
        .collect();
    let mut seen: Vec<Vec<PathBuf>> = Vec::new();
    found.retain(|source| {
        let files: Vec<PathBuf> = source.files.iter().map(real).collect();
        let twice = seen.contains(&files) || files.iter().all(|file| companions.contains(file));
        if twice {
            let note = format!(
                "{} was named besides and is read once",
                source.path.display()
            );
            intake.report.notes.push(note);
        } else {
            seen.push(files);
        }
        !twice
    });
    Ok(found)
}

/// The last part of the first path, and how many more there are.
fn name_of(paths: &[PathBuf]) -> String {
    let name = paths.first().map_or_else(String::new, |path| {
        if let Some(name) = postgres::name(path) {
            return name;
        }
        let real = path.canonicalize().unwrap_or_else(|_| path.clone());
        lines::name(&real)
    });
    match paths.len() {
        0 | 1 => name,
        more => format!("{name} and {} more", more - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::fixture::{Folder, adds_up, reads_with};
    use super::*;
    use proptest::prelude::*;

    /// A small corpus in every format, in folders of their own.
    const EVERY_FORMAT: [&[(&str, &str)]; 9] = [
        &[
            (
                "corpus.jsonl",
                "{\"_id\": \"d\", \"title\": \"Ur\", \"text\": \"A city.\"}\n{\"_id\": \"e\", \"text\": \"Old.\"}\n",
            ),
            (
                "queries.jsonl",
                "{\"_id\": \"q\", \"text\": \"Who?\", \"metadata\": {\"answer\": [\"She\"]}}\n",
            ),
            (
                "qrels/test.tsv",
                "query-id\tcorpus-id\tscore\nq\td\t1\nq\te\t0\n",
            ),
        ],
        &[(
            "h.json",
            "[{\"_id\": \"q\", \"question\": \"Who?\", \"context\": [[\"Ur\", [\"A city.\", \" Old.\"]]], \"supporting_facts\": [[\"Ur\", 0]]}]",
        )],
        &[(
            "m.jsonl",
            "{\"id\": \"2hop__1\", \"question\": \"Who?\", \"paragraphs\": [{\"title\": \"Ur\", \"paragraph_text\": \"A city.\", \"is_supporting\": true}]}\n",
        )],
        &[
            (
                "x_corpus.json",
                "{\"Ur\": [\"A city.\"],\n\"Kish\": [\"Old.\"]}",
            ),
            (
                "x.json",
                "[{\"question\": \"Who?\", \"context\": [[\"Ur\", [\"A city.\"]]], \"supporting_facts\": [[\"Ur\", 0]]}]",
            ),
        ],
        &[(
            "y_corpus.json",
            "[{\"title\": \"Ur\", \"text\": \"A city.\", \"idx\": 3}, {\"title\": \"Kish\", \"text\": \"Old.\"}]",
        )],
        &[
            ("a.md", "# Guide\n\nSome words.\n\n```\ncode\n```\n"),
            ("b.txt", "Plain.\n\nMore.\n"),
        ],
        &[(
            "t.csv",
            "id,title,text\n1,Ur,\"A \"\"city\"\".\"\n2,,Old.\n",
        )],
        &[("j.tsv", "id\ttext\n1\tA city.\n2\tOld.\n")],
        &[(
            "p.html",
            "<title>Ur</title><nav>Up</nav><h1>City &amp; wall</h1><ul><li>Old<li>Big</ul><table><tr><td>1<td>2</table><pre>x\n y</pre>",
        )],
    ];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        /// Whatever happened to a file: an error or a corpus whose report adds up, never a panic.
        #[test]
        fn damaged_files_give_an_error_or_a_true_account(
            which in 0..EVERY_FORMAT.len(),
            edits in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<u8>(), 0..3), 1..4),
        ) {
            let mut files: Vec<(&str, Vec<u8>)> =
                EVERY_FORMAT[which].iter().map(|(name, content)| (*name, content.as_bytes().to_vec())).collect();
            for (file, at, byte, kind) in edits {
                let bytes = &mut file.get_mut(&mut files).1;
                if bytes.is_empty() {
                    continue;
                }
                let at = at.index(bytes.len());
                match kind {
                    0 => bytes[at] = byte,
                    1 => bytes.truncate(at),
                    _ => bytes.insert(at, byte),
                }
            }
            let folder = Folder::new();
            for (name, bytes) in &files {
                folder.write_bytes(name, bytes);
            }
            for skip_bad in [true, false] {
                match read(&[folder.path("")], &ReadOptions { skip_bad, ..ReadOptions::default() }) {
                    Ok((corpus, report)) => {
                        adds_up(&corpus, &report);
                        prop_assert!(skip_bad || report.bad.count == 0);
                        prop_assert!(serde_json::to_string(&report).is_ok() && !report.to_string().is_empty());
                    }
                    Err(error) => prop_assert!(error.to_string().contains(&*folder.path("").to_string_lossy()), "{error}"),
                }
            }
        }
    }

    #[test]
    fn several_paths_are_one_corpus_with_gold_in_the_right_one() {
        let (one, two) = (Folder::new(), Folder::new());
        for (folder, text) in [(&one, "A city."), (&two, "A prefix.")] {
            let line =
                |id: &str, text: &str| format!("{{\"_id\": \"{id}\", \"text\": \"{text}\"}}\n");
            folder.write("corpus.jsonl", &(line("d1", text) + &line("same", "Both.")));
            folder.write("queries.jsonl", &(line("q", text) + &line("r", "Which?")));
            folder.write("qrels/test.tsv", "q\td1\t1\nr\td1\t1\n");
        }
        let (corpus, report) = reads_with(
            &[one.path(""), two.path(""), one.path("")],
            &ReadOptions::default(),
        );
        let ids: Vec<&str> = corpus.passages.iter().map(|passage| &*passage.id).collect();
        assert_eq!(ids, ["d1", "same", "d1~2"]);
        let questions: Vec<(&str, Vec<u32>)> = corpus
            .questions
            .iter()
            .map(|question| {
                (
                    &*question.id,
                    question.gold.iter().map(|gold| gold.passage).collect(),
                )
            })
            .collect();
        assert_eq!(
            questions,
            [("q", vec![0]), ("r", vec![0, 2]), ("q~2", vec![2])]
        );
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
                read: 4,
                kept: 3,
                merged: 1,
                bad: 0
            }
        );
        assert_eq!((report.renamed.count, report.notes.len()), (2, 1));
        assert!(report.to_string().contains("d1 is now d1~2"), "{report}");
        assert!(corpus.name.ends_with(" and 2 more"));
    }

    #[test]
    fn questions_besides_and_without_gold_are_kept() {
        let folder = Folder::new();
        folder.write("a.csv", "id,text\n1,One.\n");
        folder.write("q.txt", "Who?\n");
        let options = ReadOptions {
            questions: Some(folder.path("q.txt")),
            ..ReadOptions::default()
        };
        let (corpus, report) = reads_with(&[folder.path("a.csv")], &options);
        assert_eq!((corpus.questions.len(), report.without_gold), (1, 1));
        folder.write(
            "set/queries.jsonl",
            "{\"_id\": \"q\", \"text\": \"Who?\"}\n",
        );
        folder.write("set/qrels/dev.tsv", "q\t1\t1\n");
        let options = ReadOptions {
            questions: Some(folder.path("set/queries.jsonl")),
            ..ReadOptions::default()
        };
        let (corpus, _) = reads_with(&[folder.path("a.csv")], &options);
        assert_eq!(
            corpus.questions[0].gold,
            [Gold {
                passage: 0,
                grade: 1.0
            }]
        );
    }

    #[test]
    fn nothing_kept_is_an_error() {
        let folder = Folder::new();
        folder.write("a.csv", "id,text\n1,\n");
        let options = ReadOptions {
            skip_bad: true,
            ..ReadOptions::default()
        };
        let error = read(&[folder.path("a.csv")], &options)
            .unwrap_err()
            .to_string();
        assert!(error.contains("a.csv: no passage in it"), "{error}");
    }
}
