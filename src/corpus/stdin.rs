//! A corpus on standard input, named `-`: kept in a file of its own while it is read, since a table of Parquet is read from
//! its end. How it begins says what it is, as the name of a file would.

use super::columns::Columns;
use super::detect::looks_like_json;
use super::{CorpusError, Format, ReadOptions, html, table};
use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// What a person writes for standard input.
const NAME: &str = "-";

/// So much is looked at to tell what it is.
const HEAD: u64 = 1 << 16;

/// Standard input as a file, gone when this is dropped.
pub(super) struct Kept {
    folder: TempDir,
    file: PathBuf,
}

/// Whether a path stands for standard input.
pub(super) fn is_one(path: &Path) -> bool {
    path.as_os_str() == NAME
}

/// Takes standard input in where a path stands for it; gives the paths with its file in the place of `-`.
pub(super) fn taken(
    paths: &[PathBuf],
    options: &ReadOptions,
) -> Result<Option<(Kept, Vec<PathBuf>)>, CorpusError> {
    let failed = |said: &str| CorpusError::io(Path::new(NAME), io::Error::other(said.to_owned()));
    match paths.iter().filter(|path| is_one(path)).count() {
        0 => return Ok(None),
        1 => {}
        _ => return Err(failed("standard input can be read once; name it once")),
    }
    if io::stdin().is_terminal() {
        return Err(failed(
            "standard input is the keyboard; write a corpus into it, as in: cat FILE | hopscope ask - QUESTION",
        ));
    }
    let kept = keep(io::stdin().lock(), options.format)?;
    let one = |path: &PathBuf| match is_one(path) {
        true => kept.file.clone(),
        false => path.clone(),
    };
    let paths = paths.iter().map(one).collect();
    Ok(Some((kept, paths)))
}

fn keep(mut input: impl Read, format: Option<Format>) -> Result<Kept, CorpusError> {
    let failed = |source| CorpusError::io(Path::new(NAME), source);
    let mut head = Vec::new();
    input
        .by_ref()
        .take(HEAD)
        .read_to_end(&mut head)
        .map_err(failed)?;
    let folder = tempfile::Builder::new()
        .prefix("hopscope-stdin-")
        .tempdir()
        .map_err(failed)?;
    let file = folder
        .path()
        .join(format!("stdin.{}", extension(&head, format)));
    let mut to = File::create(&file).map_err(failed)?;
    io::copy(&mut head.as_slice().chain(input), &mut to).map_err(failed)?;
    Ok(Kept { folder, file })
}

/// The ending that a file of such bytes would have.
fn extension(head: &[u8], format: Option<Format>) -> &'static str {
    let bare = head.strip_prefix(super::lines::BOM).unwrap_or(head);
    let columns = |name: &str| Columns::recognises(&table::header(Path::new(name), bare));
    let first = bare.trim_ascii_start();
    match format {
        _ if head.starts_with(b"PAR1") => "parquet",
        _ if head.starts_with(b"%PDF") => "pdf",
        _ if head.starts_with(b"PK") => "docx",
        Some(Format::Table) => tabbed(bare),
        Some(Format::Text) if html::begins(bare) => "html",
        Some(Format::Text) if first.starts_with(b"#") => "md",
        Some(Format::Text) => "txt",
        Some(_) => "jsonl",
        None if html::begins(bare) => "html",
        None if looks_like_json(bare) => "jsonl",
        None if first.starts_with(b"#") => "md",
        None if columns("stdin.tsv") || columns("stdin.csv") => tabbed(bare),
        None => "txt",
    }
}

/// By the first line: a tab in it parts its columns.
fn tabbed(head: &[u8]) -> &'static str {
    let first = head.split(|&byte| byte == b'\n').next().unwrap_or_default();
    if first.contains(&b'\t') { "tsv" } else { "csv" }
}

impl Kept {
    /// A message or a report speaks of standard input, not of the file it was kept in.
    pub fn as_named(&self, path: &mut PathBuf) {
        if *path == self.file || *path == self.folder.path() {
            *path = NAME.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_it_begins_says_what_it_is() {
        for (head, expected) in [
            ("{\"text\": \"a\"}\n", "jsonl"),
            ("\u{feff}[{\"text\": \"a\"}]", "jsonl"),
            ("PAR1", "parquet"),
            ("<!doctype html><p>a", "html"),
            ("# Title\n", "md"),
            ("id,title,text\n1,a,b\n", "csv"),
            ("id\ttext\n1\ta, b\n", "tsv"),
            ("Some words, and text.\n", "txt"),
            ("", "txt"),
        ] {
            assert_eq!(extension(head.as_bytes(), None), expected, "{head}");
        }
        assert_eq!(extension(b"a;b", Some(Format::Table)), "csv");
        assert_eq!(extension(b"{words}", Some(Format::Text)), "txt");
    }

    #[test]
    fn it_is_kept_whole_and_goes_away() {
        let text = "word ".repeat(HEAD as usize);
        let kept = keep(text.as_bytes(), None).unwrap();
        assert_eq!(std::fs::read_to_string(&kept.file).unwrap(), text);
        let (mut own, mut other) = (kept.file.clone(), PathBuf::from("a"));
        kept.as_named(&mut own);
        kept.as_named(&mut other);
        assert_eq!((own, other), (PathBuf::from("-"), PathBuf::from("a")));
        let file = kept.file.clone();
        drop(kept);
        assert!(!file.exists());
        let twice = [PathBuf::from("-"), PathBuf::from("-")];
        let said = taken(&twice, &ReadOptions::default()).err().unwrap();
        assert!(said.to_string().contains("name it once"), "{said}");
    }
}
