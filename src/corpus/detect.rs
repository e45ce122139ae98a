//! Which format a path is in: by the names in a folder, by the first record of a file. Reads a mebibyte at most.

use super::columns::Columns;
use super::lines::{name, read_head};
use super::opening::{Opening, opening};
use super::unread::{self, Unread};
use super::{
    CorpusError, Format, ReadOptions, beir, given, hipporag, hotpot, html, langchain, musique,
    table, text, typed,
};
use crate::exchange::given::rows;
use crate::exchange::postgres;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Files that are read together, in a format that is known.
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub format: Format,
    /// As the caller named it.
    pub path: PathBuf,
    /// Passages, with their questions in the formats that keep both in one file.
    pub files: Vec<PathBuf>,
    pub questions: Option<PathBuf>,
    pub qrels: Option<PathBuf>,
    /// What lies beside and is not read.
    pub unread: Vec<Unread>,
}

impl Source {
    pub fn new(format: Format, path: &Path, files: Vec<PathBuf>) -> Self {
        Self {
            format,
            path: path.to_owned(),
            files,
            questions: None,
            qrels: None,
            unread: Vec::new(),
        }
    }
}

/// What to read for one path. A folder can hold several sources.
pub(super) fn sources(path: &Path, options: &ReadOptions) -> Result<Vec<Source>, CorpusError> {
    if postgres::is_one(path) {
        return match (options.format, given::source(path)) {
            (None | Some(Format::Given), Some(source)) => Ok(vec![source]),
            _ => Err(undetected(
                path,
                "the address of a database",
                "tables of a graph (--format given)",
            )),
        };
    }
    let metadata = path
        .metadata()
        .map_err(|source| CorpusError::io(path, source))?;
    let format = match (options.format, metadata.is_dir()) {
        (None, true) => return in_folder(path, options),
        (Some(format), true) => return forced_in_folder(path, format, options),
        (None, false) => match given::source(path) {
            Some(source) => return Ok(vec![source]),
            None => of_file(path, options)?,
        },
        (Some(format), false) => format,
    };
    source(format, path, path.to_owned(), options).map(|source| vec![source])
}

/// One file and what belongs to it.
fn source(
    format: Format,
    path: &Path,
    file: PathBuf,
    options: &ReadOptions,
) -> Result<Source, CorpusError> {
    match format {
        Format::Beir => beir::source(path, file, options),
        Format::HippoRag => {
            let questions = hipporag::question_file(&file);
            Ok(Source {
                questions,
                ..Source::new(format, path, vec![file])
            })
        }
        Format::Given => given::source(&file).ok_or_else(|| {
            undetected(
                path,
                "no file of another system's index",
                "a file of LightRAG, GraphRAG and others, or better its folder",
            )
        }),
        Format::Typed => typed::source(file.parent().unwrap_or(Path::new(""))).ok_or_else(|| {
            undetected(
                path,
                "no typed graph in its folder",
                "nodes and edges as .tsv or .jsonl",
            )
        }),
        _ => Ok(Source::new(format, path, vec![file])),
    }
}

fn forced_in_folder(
    folder: &Path,
    format: Format,
    options: &ReadOptions,
) -> Result<Vec<Source>, CorpusError> {
    let (files, wanted) = match format {
        Format::Text => {
            let all = text::below(folder)?;
            let files: Vec<PathBuf> = all
                .iter()
                .filter(|file| text::is_one(file))
                .cloned()
                .collect();
            let unread = unread_of(folder, &all);
            return if files.is_empty() {
                Err(unread::alone(folder, &unread).unwrap_or_else(|| undetected(
                    folder,
                    "no text file",
                    ".txt, .text, .md, .markdown, .html, .htm and .xhtml files, also in folders below",
                )))
            } else {
                Ok(vec![Source {
                    unread,
                    ..Source::new(format, folder, files)
                }])
            };
        }
        Format::Typed => {
            let found = typed::source(folder);
            return found.map(|source| vec![source]).ok_or_else(|| {
                undetected(
                    folder,
                    "no typed graph",
                    "nodes and edges as .tsv or .jsonl, STaRK's processed/node_info.pkl",
                )
            });
        }
        Format::Given => {
            let found = given::source(folder);
            return found.map(|source| vec![source]).ok_or_else(|| {
                undetected(
                    folder,
                    "no index of another system",
                    "the files of LightRAG, nano-graphrag, GraphRAG, HippoRAG, LinearRAG, LlamaIndex and others",
                )
            });
        }
        Format::Beir => (
            named(folder, |name| name == "corpus.jsonl")?,
            "corpus.jsonl",
        ),
        Format::HippoRag => (
            named(folder, |name| name.ends_with("_corpus.json"))?,
            "*_corpus.json",
        ),
        Format::Table => (
            named(folder, |name| {
                has_suffix(name, &[".csv", ".tsv", ".parquet"])
            })?,
            "*.csv, *.tsv, *.parquet",
        ),
        Format::Hotpot | Format::Musique | Format::Jsonl => (
            named(folder, |name| {
                has_suffix(name, &[".json", ".jsonl", ".ndjson"])
            })?,
            "*.json, *.jsonl, *.ndjson",
        ),
    };
    if files.is_empty() {
        return Err(undetected(folder, "no file of that name", wanted));
    }
    files
        .into_iter()
        .map(|file| source(format, folder, file, options))
        .collect()
}

fn in_folder(folder: &Path, options: &ReadOptions) -> Result<Vec<Source>, CorpusError> {
    const TRIED: &str = "corpus.jsonl (beir), *_corpus.json (hipporag), nodes and edges or STaRK's processed (typed), one .json, .jsonl, .csv, .tsv or .parquet file, text, Markdown and HTML files";
    // What another system keeps is never read past: its folder often has the Markdown that it was made from.
    for format in [Format::Given, Format::Beir, Format::HippoRag, Format::Typed] {
        match forced_in_folder(folder, format, options) {
            Err(CorpusError::Undetected { .. }) => {}
            decided => return decided,
        }
    }
    let all = text::below(folder)?;
    let mut unread = unread_of(folder, &all);
    let (mut known, mut unknown) = (Vec::new(), Vec::new());
    let records = |file: &&PathBuf| has_suffix(&name(file), RECORDS) && !is_told_of(&name(file));
    for file in all.iter().filter(records) {
        let deep = file.parent() != Some(folder);
        match of_file(file, options) {
            // Below a folder lie many files of records that are no passages.
            Ok(format) if !deep || is_plain(file, format, options) => {
                known.push((format, file.clone()))
            }
            other => {
                unread::add_fieldless(&mut unread, text::relative(folder, file));
                unknown.extend(other.err().filter(|_| !deep));
            }
        }
    }
    let texts: Vec<PathBuf> = all.into_iter().filter(|file| text::is_one(file)).collect();
    let prose = texts.iter().filter(|file| !is_about(file)).count();
    let mut sources = match &known[..] {
        [] if texts.is_empty() => {
            return Err(match (unread::alone(folder, &unread), unknown.len()) {
                (Some(alone), _) => alone,
                // What is wrong with the only candidate helps more than that there is none.
                (None, 1) => unknown.remove(0),
                (None, _) => undetected(folder, "no corpus file in the folder", TRIED),
            });
        }
        [] => vec![Source::new(Format::Text, folder, texts)],
        [(format, file)] if prose == 0 => {
            let path = if file.parent() == Some(folder) {
                folder
            } else {
                file
            };
            vec![source(*format, path, file.clone(), options)?]
        }
        several
            if several
                .iter()
                .all(|(format, file)| is_plain(file, *format, options)) =>
        {
            let mut sources = shards(known);
            if prose > 0 {
                sources.insert(0, Source::new(Format::Text, folder, texts));
            }
            sources
        }
        several => {
            let list: Vec<String> = several
                .iter()
                .map(|(format, file)| format!("{} ({format})", text::relative(folder, file)))
                .collect();
            let prose = if prose == 0 {
                String::new()
            } else {
                format!(" and {prose} text files")
            };
            return Err(CorpusError::file(
                super::Place::file(folder),
                "one corpus in the folder",
                format!("{}{prose}", list.join(", ")),
                "Name the files to read (questions with --questions), or say --format text for the text files.",
            ));
        }
    };
    if let Some(first) = sources.first_mut() {
        first.unread = unread;
    }
    Ok(sources)
}

/// Whether a file is of passages and of nothing else: no questions, and no lone object whose field has the name of a text by
/// chance.
fn is_plain(file: &Path, format: Format, options: &ReadOptions) -> bool {
    let own = name(file).to_ascii_lowercase();
    if ["quer", "question", "qrel"]
        .iter()
        .any(|part| own.contains(part))
    {
        return false;
    }
    match format {
        Format::Table => true,
        Format::Jsonl => read_head(file).is_ok_and(|head| {
            opening(&head).is_some_and(|first| {
                let keys = Vec::from_iter(first.record.keys().cloned());
                let columns = Columns::choose(file, &keys, options);
                let text = columns
                    .ok()
                    .and_then(|columns| first.record.get(&columns.text));
                // A text that the head ends in shows as null.
                let told = text.is_some_and(|text| text.is_string() || text.is_null());
                (first.in_array || !own.ends_with(".json"))
                    && (told || langchain::is_one(&first.record))
            })
        }),
        _ => false,
    }
}

/// One source a file, and one of all parts of a set that was written in parts: `train-00000-of-00003.parquet`.
fn shards(known: Vec<(Format, PathBuf)>) -> Vec<Source> {
    let mut sources: Vec<Source> = Vec::new();
    for (format, file) in known {
        let path = whole(&file).unwrap_or_else(|| file.clone());
        match sources.last_mut() {
            Some(last) if last.path == path && last.format == format => last.files.push(file),
            _ => sources.push(Source::new(format, &path, vec![file])),
        }
    }
    sources
}

/// What the parts of a set are called together; none where the file is no part.
fn whole(file: &Path) -> Option<PathBuf> {
    let stem = super::lines::stem(file);
    let (head, of) = stem.rsplit_once("-of-")?;
    let (head, number) = head.rsplit_once('-')?;
    let digits = |text: &str| text.len() >= 4 && text.bytes().all(|byte| byte.is_ascii_digit());
    let extension = file.extension()?.to_string_lossy();
    (digits(of) && digits(number)).then(|| file.with_file_name(format!("{head}-*.{extension}")))
}

/// Files of records, by how their names end.
const RECORDS: &[&str] = &[".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".parquet"];

/// What Hugging Face keeps of a data set besides its data.
fn is_told_of(name: &str) -> bool {
    [
        "dataset_info.json",
        "dataset_infos.json",
        "dataset_dict.json",
        "state.json",
    ]
    .contains(&name)
}

/// What of some files in a folder is of a kind that is not read.
fn unread_of(folder: &Path, files: &[PathBuf]) -> Vec<Unread> {
    let mut unread = Vec::new();
    for file in files {
        unread::add(&mut unread, file, || text::relative(folder, file));
    }
    unread
}

/// README and the like say what a data set is; they are not the data.
fn is_about(file: &Path) -> bool {
    let stem = super::lines::stem(file).to_ascii_lowercase();
    [
        "readme",
        "license",
        "licence",
        "about",
        "changelog",
        "notice",
    ]
    .contains(&&*stem)
}

fn has_suffix(name: &str, suffixes: &[&str]) -> bool {
    let name = name.to_ascii_lowercase();
    suffixes.iter().any(|suffix| name.ends_with(suffix))
}

/// The files of a folder that pass, sorted.
fn named(folder: &Path, pass: impl Fn(&str) -> bool) -> Result<Vec<PathBuf>, CorpusError> {
    let failed = |source| CorpusError::io(folder, source);
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = name(&path);
        if !name.starts_with('.') && pass(&name) && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn of_file(file: &Path, options: &ReadOptions) -> Result<Format, CorpusError> {
    const TRIED: &str = "JSON or JSONL records (beir, hotpotqa, musique, hipporag, jsonl), .csv, .tsv and .parquet (table), .txt, .md and .html (text)";
    let head = read_head(file)?;
    let found = if looks_like_json(&head) {
        opening(&head)
    } else {
        None
    };
    if let Some(format) = found
        .as_ref()
        .and_then(|opening| of_record(file, opening, options))
    {
        return Ok(format);
    }
    let lower = name(file).to_ascii_lowercase();
    let parquet = lower.ends_with(".parquet") && head.starts_with(b"PAR1");
    if parquet || has_suffix(&lower, &[".csv", ".tsv"]) {
        let there = match parquet {
            true => rows::columns(file),
            false => table::header(file, &head),
        };
        if parquet && there.is_empty() {
            return Err(undetected(file, &describe(&head, None), TRIED));
        }
        if options.text_field.is_some() || Columns::recognises(&there) {
            return Ok(Format::Table);
        }
        return Err(undetected(
            file,
            &format!("a table with the columns {}", there.join(", ")),
            TRIED,
        ));
    }
    if text::is_one(file) || html::begins(&head) {
        return Ok(Format::Text);
    }
    let mut unread = Vec::new();
    // What an archive is, its first bytes say.
    if !ARCHIVES.iter().any(|magic| head.starts_with(magic)) {
        unread::add(&mut unread, file, || name(file));
    }
    Err(unread::alone(file, &unread)
        .unwrap_or_else(|| undetected(file, &describe(&head, found.as_ref()), TRIED)))
}

/// The format of a file with this first record.
fn of_record(file: &Path, opening: &Opening, options: &ReadOptions) -> Option<Format> {
    let record = &opening.record;
    let keys: Vec<String> = record.keys().cloned().collect();
    let has = |key: &str| record.contains_key(key);
    let identified = has("_id") || has("id");
    if hotpot::is_one(record) {
        Some(Format::Hotpot)
    } else if musique::is_one(record) {
        Some(Format::Musique)
    } else if !opening.in_array && name(file) == "corpus.jsonl" && has("_id") && has("text") {
        Some(Format::Beir)
    } else if opening.in_array && has("title") && has("text") && !identified {
        Some(Format::HippoRag)
    } else if Columns::recognises(&keys)
        || langchain::is_one(record)
        || options.text_field.as_ref().is_some_and(|field| has(field))
    {
        Some(Format::Jsonl)
    } else {
        let sentences = |value: &Value| match value {
            Value::Array(sentences) => sentences.iter().all(Value::is_string),
            other => other.is_null(),
        };
        let titled = !opening.in_array
            && record.values().all(sentences)
            && record.values().any(Value::is_array);
        (titled || name(file).ends_with("_corpus.json")).then_some(Format::HippoRag)
    }
}

/// Whether a file starts as JSON does.
pub(super) fn looks_like_json(head: &[u8]) -> bool {
    matches!(head.trim_ascii_start().first(), Some(b'{' | b'['))
}

/// How archives begin that hold no office file.
const ARCHIVES: [&[u8]; 2] = [b"\x1f\x8b", b"\x28\xb5\x2f\xfd"];

/// What a file seems to be, for the error.
fn describe(head: &[u8], opening: Option<&Opening>) -> String {
    const MAGIC: [(&[u8], &str); 4] = [
        (b"\x1f\x8b", "gzip data: unpack it first"),
        (b"PK\x03\x04", "a zip archive: unpack it first"),
        (b"PAR1", "a Parquet file without a whole footer"),
        (b"\x28\xb5\x2f\xfd", "zstd data: unpack it first"),
    ];
    if let Some((_, is)) = MAGIC.iter().find(|(magic, _)| head.starts_with(magic)) {
        return (*is).to_owned();
    }
    match opening {
        Some(opening) => {
            let keys: Vec<&str> = opening.record.keys().take(12).map(String::as_str).collect();
            format!("JSON whose first record has the fields {}", keys.join(", "))
        }
        None if head.trim_ascii().is_empty() => "nothing in it".to_owned(),
        None if head.contains(&0) => "binary data".to_owned(),
        None => {
            let start: String = String::from_utf8_lossy(head).chars().take(40).collect();
            format!("{start:?} at its start")
        }
    }
}

fn undetected(path: &Path, found: &str, tried: &str) -> CorpusError {
    CorpusError::Undetected {
        path: path.to_owned(),
        found: found.to_owned(),
        tried: tried.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Folder, fails, reads, reads_with};
    use super::*;

    #[test]
    fn a_file_that_is_nothing_known_says_what_it_is_and_what_was_tried() {
        let folder = Folder::new();
        for (name, bytes, says) in [
            (
                "a.gz",
                &b"\x1f\x8b\x08\x00"[..],
                "gzip data: unpack it first",
            ),
            (
                "a.json",
                b"{\"nodes\": {}, \"edges\": 3}",
                "the fields nodes, edges",
            ),
            ("a.bin", b"\0\0\0", "binary data"),
            ("a.dat", b"hello", "\"hello\" at its start"),
            ("a.xml", b"", "nothing in it"),
            (
                "a.csv",
                b"key,value\n",
                "a table with the columns key, value",
            ),
        ] {
            folder.write_bytes(name, bytes);
            let error = fails(&folder.path(name), &ReadOptions::default());
            assert!(error.contains(says) && error.contains(name), "{error}");
            assert!(
                error.contains("Tried: JSON") && error.contains("--format beir, hotpotqa"),
                "{error}"
            );
        }
        let alone = Folder::new();
        alone.write("a.csv", "key,value\n");
        assert!(fails(&alone.path(""), &ReadOptions::default()).contains("the columns key, value"));
        let error = fails(&folder.path("absent"), &ReadOptions::default());
        assert!(
            error.contains("absent: cannot be read") && error.contains("Check that it exists"),
            "{error}"
        );
    }

    #[test]
    fn a_folder_of_mixed_kinds_is_one_corpus() {
        let folder = Folder::new();
        folder.write("a.jsonl", "{\"text\": \"One.\"}\n");
        folder.write("README.md", "About it.");
        folder.write("package.json", "{\"name\": \"x\"}");
        let (corpus, report) = reads(&folder.path(""));
        assert_eq!(
            (corpus.passages.len(), report.sources[0].format),
            (1, Format::Jsonl)
        );
        assert_eq!(report.unread[0].told(), "1 data file (package.json)");
        folder.write("b.csv", "text\nTwo.\n");
        folder.write("c.txt", "Three.");
        folder.write("deep/d.tsv", "id\ttext\n7\tFour.\n");
        folder.write("deep/config.json", "{\"content\": [\"src\"]}");
        let (corpus, report) = reads(&folder.path(""));
        let texts: Vec<&str> = corpus.passages.iter().map(|p| &*p.text).collect();
        assert_eq!(texts, ["About it.", "Three.", "One.", "Two.", "Four."]);
        let formats: Vec<Format> = report.sources.iter().map(|s| s.format).collect();
        assert_eq!(
            formats,
            [Format::Text, Format::Jsonl, Format::Table, Format::Table]
        );
        assert_eq!(
            report.unread[0].told(),
            "2 data files (deep/config.json, package.json)"
        );
        let options = ReadOptions {
            format: Some(Format::Text),
            ..ReadOptions::default()
        };
        let (corpus, _) = reads_with(&[folder.path("")], &options);
        assert_eq!(corpus.passages.len(), 2);
        let options = ReadOptions {
            format: Some(Format::Beir),
            ..ReadOptions::default()
        };
        assert!(fails(&folder.path(""), &options).contains("Tried: corpus.jsonl."));
    }

    #[test]
    fn where_passages_would_be_a_guess_the_folder_asks_which() {
        let folder = Folder::new();
        folder.write("a.jsonl", "{\"text\": \"One.\"}\n");
        folder.write("my_queries.jsonl", "{\"_id\": \"q\", \"text\": \"Who?\"}\n");
        let error = fails(&folder.path(""), &ReadOptions::default());
        assert!(
            error.contains("a.jsonl (jsonl), my_queries.jsonl (jsonl)")
                && error.contains("--questions"),
            "{error}"
        );
        folder.remove("my_queries.jsonl");
        let asked = r#"[{"question": "Who?", "context": [["Ur", ["A city."]]], "supporting_facts": [["Ur", 0]]}]"#;
        folder.write("one.json", asked);
        folder.write("c.txt", "Three.");
        let error = fails(&folder.path(""), &ReadOptions::default());
        assert!(
            error.contains("one.json (hotpotqa) and 1 text files"),
            "{error}"
        );
        // Below the folder it is somebody else's, and said so.
        folder.remove("one.json");
        folder.write("deep/one.json", asked);
        let (_, report) = reads(&folder.path(""));
        assert_eq!(report.unread[0].told(), "1 data file (deep/one.json)");
    }

    #[test]
    fn the_parts_of_an_export_of_hugging_face_are_one_source_in_their_order() {
        let folder = Folder::new();
        folder.write("README.md", "A card.");
        folder.write("dataset_info.json", "{\"text\": \"no passage\"}");
        for part in ["00001", "00000"] {
            folder.write(
                &format!("data/train-{part}-of-00002.jsonl"),
                &format!("{{\"text\": \"Part {part}.\"}}\n"),
            );
        }
        folder.write("data/test-00000-of-00001.jsonl", "{\"text\": \"Test.\"}\n");
        folder.write("data/train-00000-of-00001.arrow", "ARROW1");
        let (corpus, report) = reads(&folder.path(""));
        let texts: Vec<&str> = corpus.passages.iter().map(|p| &*p.text).collect();
        assert_eq!(texts, ["Test.", "Part 00000.", "Part 00001."]);
        assert_eq!(report.sources.len(), 2);
        assert!(
            report.sources[1].path.ends_with("data/train-*.jsonl"),
            "{report}"
        );
        assert_eq!(report.unread[0].counted(), "1 Arrow file");
    }

    #[test]
    fn content_decides_over_the_name() {
        let folder = Folder::new();
        folder.write("dump.txt", "{\"id\": 1, \"text\": \"One.\"}\n");
        assert_eq!(
            reads(&folder.path("dump.txt")).1.sources[0].format,
            Format::Jsonl
        );
        folder.write("brace.txt", "{not json} but words.");
        assert_eq!(
            reads(&folder.path("brace.txt")).1.sources[0].format,
            Format::Text
        );
    }

    #[test]
    fn a_first_record_longer_than_the_head_is_still_known() {
        let folder = Folder::new();
        let long = "word ".repeat(400_000);
        folder.write("a.jsonl", &format!("{{\"id\": 1, \"text\": \"{long}\"}}\n"));
        assert_eq!(
            reads(&folder.path("a.jsonl")).1.sources[0].format,
            Format::Jsonl
        );
    }
}
