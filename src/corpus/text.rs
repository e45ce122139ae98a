//! Plain text, Markdown and HTML: a file, or a folder with everything below it.

use super::cut::{cut_markdown, cut_plain};
use super::detect::Source;
use super::html;
use super::intake::Intake;
use super::lines::{name, read_bytes, stem, utf8};
use super::{CorpusError, Passage, Place, What};
use std::path::{Path, PathBuf};

const MARKDOWN: &[&str] = &["md", "markdown"];
const PLAIN: &[&str] = &["txt", "text"];
const HTML: &[&str] = &["html", "htm", "xhtml"];
const XHTML: &[&str] = &["xhtml"];

/// Whether a file is text by its name.
pub(super) fn is_one(file: &Path) -> bool {
    [MARKDOWN, PLAIN, HTML]
        .iter()
        .any(|extensions| has_extension(file, extensions))
}

fn has_extension(file: &Path, extensions: &[&str]) -> bool {
    file.extension().is_some_and(|own| {
        extensions
            .iter()
            .any(|extension| own.eq_ignore_ascii_case(extension))
    })
}

/// All files in a folder and below, sorted by path. What is hidden stays so, and links to folders are not followed.
pub(super) fn below(folder: &Path) -> Result<Vec<PathBuf>, CorpusError> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let failed = |source| CorpusError::io(&folder, source);
        for entry in std::fs::read_dir(&folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let path = entry.path();
            if entry.file_name().to_string_lossy().starts_with('.') {
                continue;
            }
            if entry.file_type().map_err(failed)?.is_dir() {
                folders.push(path);
            } else if path.is_file() {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Reads and cuts every file.
pub(super) fn read(source: &Source, intake: &mut Intake) -> Result<(), CorpusError> {
    for file in &source.files {
        intake.report.files.push(file.clone());
        let (bytes, skipped) = read_bytes(file)?;
        let place = Place {
            byte: Some(skipped as u64),
            ..Place::file(file)
        };
        let text = utf8(&place, &bytes);
        let Some(text) = intake.settle(What::Passage, text)? else {
            continue;
        };
        let relative = relative(&source.path, file);
        let cut = intake.options.cut;
        let pieces = if has_extension(file, HTML) || html::begins(text.as_bytes()) {
            let closes = has_extension(file, XHTML) || text.trim_start().starts_with("<?xml");
            html::cut_html(text, closes, cut)
        } else if has_extension(file, MARKDOWN) {
            cut_markdown(text, cut)
        } else {
            cut_plain(text, cut)
        };
        if pieces.is_empty() {
            intake
                .report
                .notes
                .push(format!("{} has no text in it", file.display()));
        }
        for (ordinal, piece) in (1..).zip(pieces) {
            let title = if piece.headings.is_empty() {
                stem(file).replace('_', " ")
            } else {
                piece.headings.join(" > ")
            };
            let taken = intake.passage(
                &Place::file(file),
                Passage {
                    id: format!("{relative}#{ordinal}"),
                    title,
                    text: piece.text,
                },
            );
            intake.settle(What::Passage, taken)?;
        }
    }
    Ok(())
}

/// The file's path inside the folder, with slashes.
pub(super) fn relative(root: &Path, file: &Path) -> String {
    match file.strip_prefix(root) {
        Ok(inside) if !inside.as_os_str().is_empty() => inside
            .iter()
            .map(|part| part.to_string_lossy())
            .collect::<Vec<_>>()
            .join("/"),
        _ => name(file),
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Folder, fails, reads, reads_with};
    use super::super::{Format, ReadOptions};

    #[test]
    fn a_folder_is_read_in_order_with_paths_as_identifiers() {
        let folder = Folder::new();
        folder.write("b_note.txt", "\u{feff}Plain words.\r\n");
        folder.write("a/guide.md", "# Guide\n\nMarked words.\n");
        folder.write(".hidden/x.txt", "Unseen.");
        folder.write("empty.txt", " \n");
        folder.write("picture.png", "x");
        let (corpus, report) = reads(&folder.path(""));
        assert_eq!(report.sources[0].format, Format::Text);
        let seen: Vec<_> = corpus
            .passages
            .iter()
            .map(|p| (&*p.id, &*p.title, &*p.text))
            .collect();
        assert_eq!(
            seen,
            [
                ("a/guide.md#1", "Guide", "Marked words."),
                ("b_note.txt#1", "b note", "Plain words.")
            ]
        );
        assert!(
            report.notes[0].contains("empty.txt has no text"),
            "{:?}",
            report.notes
        );
        let (corpus, _) = reads(&folder.path("b_note.txt"));
        assert_eq!(corpus.passages[0].id, "b_note.txt#1");
    }

    #[test]
    fn pages_of_html_are_texts_by_name_and_by_how_they_begin() {
        let folder = Folder::new();
        let page = "<!doctype html><title>Ur</title><p>A city.</p><h2>Fall</h2><p>It fell.</p>";
        folder.write("a/ur.html", page);
        folder.write("b.htm", "<p>No title.");
        folder.write("saved", page);
        folder.write(
            "x.xhtml",
            "<html><body><script src='a'/><p>Kept.</p></body></html>",
        );
        let (corpus, _) = reads(&folder.path(""));
        let seen = corpus
            .passages
            .iter()
            .map(|p| (&*p.id, &*p.title, &*p.text));
        assert_eq!(
            Vec::from_iter(seen),
            [
                ("a/ur.html#1", "Ur", "A city."),
                ("a/ur.html#2", "Ur > Fall", "It fell."),
                ("b.htm#1", "b", "No title."),
                ("x.xhtml#1", "x", "Kept.")
            ]
        );
        let (corpus, report) = reads(&folder.path("saved"));
        assert_eq!(report.sources[0].format, Format::Text);
        assert_eq!(
            (corpus.passages.len(), &*corpus.passages[1].title),
            (2, "Ur > Fall")
        );
    }

    #[test]
    fn a_file_that_is_not_utf8_names_the_byte_or_is_left_out() {
        let folder = Folder::new();
        folder.write_bytes("a.txt", b"\xEF\xBB\xBFcaf\xE9");
        folder.write("b.txt", "Words.");
        let error = fails(&folder.path(""), &ReadOptions::default());
        assert!(
            error.contains("a.txt (byte 6): expected UTF-8 text; found the byte 0xE9"),
            "{error}"
        );
        let skip = ReadOptions {
            skip_bad: true,
            ..ReadOptions::default()
        };
        let (corpus, report) = reads_with(&[folder.path("")], &skip);
        assert_eq!((corpus.passages.len(), report.passages.bad), (1, 1));
    }
}
