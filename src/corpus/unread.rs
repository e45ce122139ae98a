//! What lies beside texts and is none: named by kind, with what turns it into text.

use super::{CorpusError, Place};
use crate::text::plural;
use serde::Serialize;
use std::path::Path;

/// How many names of a kind are kept; the count goes on.
const NAMED: usize = 3;

/// A kind of file that is not read.
struct Kind {
    /// Behind a number, in the singular; many get an `s`.
    called: &'static str,
    extensions: &'static [&'static str],
    remedy: Remedy,
}

/// What a person can do about it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Remedy {
    /// It holds text, and another program gets that out.
    Convert(&'static str),
    /// It holds no text.
    None,
}

const PDF: Remedy = Remedy::Convert("PDF with pdftotext -layout FILE.pdf FILE.txt");
const PANDOC: Remedy =
    Remedy::Convert("documents and e-books with pandoc FILE.docx -t markdown -o FILE.md");
const OFFICE: Remedy = Remedy::Convert(
    "sheets, slides and old Word files with soffice --headless --convert-to pdf FILE (sheets: csv)",
);
const ARROW: Remedy = Remedy::Convert(
    "Arrow files with python -c \"from datasets import load_from_disk as l; l('DIR').to_parquet('DIR.parquet')\"",
);

const KINDS: &[Kind] = &[
    Kind {
        called: "PDF file",
        extensions: &["pdf"],
        remedy: PDF,
    },
    Kind {
        called: "document",
        extensions: &[
            "docx", "odt", "rtf", "epub", "fb2", "tex", "rst", "org", "adoc", "ipynb", "docbook",
        ],
        remedy: PANDOC,
    },
    Kind {
        called: "office file",
        extensions: &[
            "doc", "ppt", "pptx", "odp", "xls", "xlsx", "ods", "pages", "key", "numbers",
        ],
        remedy: OFFICE,
    },
    Kind {
        called: "Arrow file",
        extensions: &["arrow", "feather"],
        remedy: ARROW,
    },
    Kind {
        called: "message",
        extensions: &["eml", "msg", "mbox", "pst"],
        remedy: Remedy::Convert("mail by saving its text from the mail program"),
    },
    Kind {
        called: "archive",
        extensions: &["zip", "gz", "tgz", "tar", "bz2", "xz", "zst", "7z", "rar"],
        remedy: Remedy::Convert("archives by unpacking them"),
    },
    Kind {
        called: "image",
        extensions: &[
            "png", "jpg", "jpeg", "gif", "webp", "svg", "tif", "tiff", "bmp", "heic", "avif", "ico",
        ],
        remedy: Remedy::None,
    },
    Kind {
        called: "recording",
        extensions: &[
            "mp3", "wav", "m4a", "flac", "ogg", "mp4", "mov", "mkv", "avi", "webm",
        ],
        remedy: Remedy::None,
    },
];

/// What a table or JSON is called of which no field is known for text.
const FIELDLESS: &str = "data file";

/// Files of one kind that were not read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Unread {
    /// As a person says it: `PDF file`.
    pub kind: &'static str,
    /// Number of files.
    pub count: usize,
    /// The first few, as paths inside the folder.
    pub first: Vec<String>,
    /// It holds text that another program gets out: how.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<&'static str>,
}

impl Unread {
    /// `2 PDF files (a.pdf, b/c.pdf)`
    pub fn told(&self) -> String {
        let more = match self.count - self.first.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        format!("{} ({}{more})", self.counted(), self.first.join(", "))
    }

    /// `2 PDF files`
    pub fn counted(&self) -> String {
        plural(crate::text::count(self.count), self.kind)
    }
}

fn kind(file: &Path) -> Option<&'static Kind> {
    let own = file.extension()?.to_str()?.to_ascii_lowercase();
    KINDS.iter().find(|kind| kind.extensions.contains(&&*own))
}

/// Counts a file that is of a kind which is not read.
pub(super) fn add(all: &mut Vec<Unread>, file: &Path, named: impl FnOnce() -> String) {
    let Some(kind) = kind(file) else {
        return;
    };
    let remedy = match kind.remedy {
        Remedy::Convert(how) => Some(how),
        Remedy::None => None,
    };
    push(all, kind.called, remedy, named());
}

/// Counts a table or a file of JSON in which no field is known for text.
pub(super) fn add_fieldless(all: &mut Vec<Unread>, named: String) {
    push(all, FIELDLESS, None, named);
}

fn push(all: &mut Vec<Unread>, kind: &'static str, remedy: Option<&'static str>, named: String) {
    let at = all.iter().position(|other| other.kind == kind);
    let at = at.unwrap_or_else(|| {
        all.push(Unread {
            kind,
            count: 0,
            first: Vec::new(),
            remedy,
        });
        all.len() - 1
    });
    let entry = &mut all[at];
    entry.count += 1;
    if entry.first.len() < NAMED {
        entry.first.push(named);
    }
}

/// How to turn them into text, in one sentence; none where none of them holds text.
pub(super) fn remedy(all: &[Unread]) -> Option<String> {
    let mut how: Vec<&str> = all.iter().filter_map(|unread| unread.remedy).collect();
    how.dedup();
    (!how.is_empty()).then(|| format!("Turn into text first: {}.", how.join("; ")))
}

/// Why a path that has such files alone is no corpus; none where it has none.
pub(super) fn alone(path: &Path, all: &[Unread]) -> Option<CorpusError> {
    let remedy = remedy(all)?;
    let found: Vec<String> = all.iter().map(Unread::told).collect();
    Some(CorpusError::file(
        Place::file(path),
        "texts, tables or JSON",
        found.join(", "),
        remedy,
    ))
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Folder, fails, reads};
    use super::super::{ReadOptions, read};

    #[test]
    fn what_lies_beside_texts_is_listed_by_kind_with_what_to_do() {
        let folder = Folder::new();
        folder.write("a.md", "Words.");
        for name in [
            "x.pdf",
            "deep/y.PDF",
            "z.pdf",
            "zz.pdf",
            "b.docx",
            "c.png",
            ".hidden.pdf",
        ] {
            folder.write(name, "x");
        }
        let (corpus, report) = reads(&folder.path(""));
        assert_eq!(corpus.passages.len(), 1);
        let told: Vec<String> = report.unread.iter().map(super::Unread::told).collect();
        assert_eq!(
            told,
            [
                "1 document (b.docx)",
                "1 image (c.png)",
                "4 PDF files (deep/y.PDF, x.pdf, z.pdf and 1 more)"
            ]
        );
        let shown = report.to_string();
        assert!(
            shown.contains("not read: 1 document (b.docx)")
                && shown.contains("pdftotext")
                && shown.contains("pandoc"),
            "{shown}"
        );
        assert!(
            report
                .summary()
                .contains("; not read: 1 document, 1 image, 4 PDF files"),
            "{}",
            report.summary()
        );
        assert!(!report.is_clean());
        folder.remove("b.docx");
        for name in ["x.pdf", "deep/y.PDF", "z.pdf", "zz.pdf"] {
            folder.remove(name);
        }
        let (_, report) = reads(&folder.path(""));
        assert!(report.is_clean() && report.unread[0].kind == "image");
    }

    #[test]
    fn such_files_alone_stop_with_the_sentence() {
        let folder = Folder::new();
        folder.write("deep/report.pdf", "%PDF-1.7");
        folder.write_bytes("b.docx", b"PK\x03\x04");
        for path in ["", "deep", "deep/report.pdf", "b.docx"] {
            let said = fails(&folder.path(path), &ReadOptions::default());
            let how = if path == "b.docx" {
                "pandoc"
            } else {
                "pdftotext"
            };
            assert!(
                said.contains(how) && said.contains("expected texts, tables or JSON"),
                "{said}"
            );
        }
        let saved = Folder::new();
        saved.write("data-00000-of-00001.arrow", "ARROW1");
        saved.write("dataset_info.json", "{\"features\": {}}");
        saved.write("state.json", "{\"_fingerprint\": \"x\"}");
        let said = fails(&saved.path(""), &ReadOptions::default());
        assert!(
            said.contains("1 Arrow file (data-00000-of-00001.arrow)")
                && said.contains("to_parquet"),
            "{said}"
        );
    }

    /// Only by name: what a `.doc` holds may well be HTML.
    #[test]
    fn content_decides_over_the_name() {
        let folder = Folder::new();
        folder.write("a.doc", "<html><body>Words.");
        assert!(read(&[folder.path("a.doc")], &ReadOptions::default()).is_ok());
    }
}
