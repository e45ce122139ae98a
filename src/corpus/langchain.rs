//! Documents of LangChain as JSON: `page_content` and `metadata`, plain or as its serialiser writes them.

use super::json::{Record, scalar};
use serde_json::{Map, Value};

/// What a document is called in its metadata, the best first.
const TITLES: &[&str] = &["title", "Title"];
/// Where it came from.
const SOURCES: &[&str] = &[
    "source",
    "file_name",
    "filename",
    "file_path",
    "path",
    "url",
];
const IDS: &[&str] = &["id", "_id", "chunk_id", "uuid", "hash", "pk"];

/// The part of a record that has the text: itself, or what stands in `kwargs`.
fn body(record: &Record) -> Option<&Record> {
    if record.get("page_content").is_some() {
        return Some(record);
    }
    let inner = record.get("kwargs")?.as_object()?;
    inner.contains_key("page_content").then_some(inner)
}

/// Whether a record is a document of LangChain.
pub(super) fn is_one(record: &Record) -> bool {
    body(record).is_some()
}

/// The record as one with `id`, `title` and `text`, each where it is there.
pub(super) fn flat(record: &Record) -> Option<Record> {
    let body = body(record)?;
    let empty = Map::new();
    let metadata = body
        .get("metadata")
        .and_then(Value::as_object)
        .unwrap_or(&empty);
    let of = |names: &[&str]| {
        let mut found = names
            .iter()
            .filter_map(|name| metadata.get(*name).and_then(scalar));
        found.find(|value| !value.trim().is_empty())
    };
    // The serialiser's own `id` is the path of a class, which is no scalar.
    let own = body.get("id").or_else(|| record.get("id")).and_then(scalar);
    let mut flat = Record::new();
    if let Some(id) = own.filter(|id| !id.is_empty()).or_else(|| of(IDS)) {
        flat.insert("id".to_owned(), Value::String(id));
    }
    if let Some(title) = of(TITLES).or_else(|| of(SOURCES).map(|source| last_part(&source))) {
        flat.insert("title".to_owned(), Value::String(title));
    }
    let text = body.get("page_content").cloned().unwrap_or_default();
    flat.insert("text".to_owned(), text);
    Some(flat)
}

/// A file's name without its folders; of an address that ends in none, all of it.
fn last_part(source: &str) -> String {
    let last = source
        .trim_end_matches(['/', '\\'])
        .rsplit(['/', '\\'])
        .next();
    last.filter(|last| !last.is_empty())
        .unwrap_or(source)
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Folder, fails, reads};
    use super::super::{Format, ReadOptions};

    #[test]
    fn documents_come_with_the_title_or_the_file_they_are_from() {
        let folder = Folder::new();
        folder.write(
            "docs.jsonl",
            concat!(
                r#"{"page_content": "Ur was a city.", "metadata": {"source": "/data/ur.pdf", "page": 1}}"#, "\n",
                r#"{"page_content": "It fell.", "metadata": {"source": "/data/ur.pdf", "page": 2}, "type": "Document"}"#, "\n",
                r#"{"id": "k", "page_content": "Kish.", "metadata": {"title": "Kish", "source": "x"}}"#, "\n",
                r#"{"lc": 1, "type": "constructor", "id": ["langchain", "schema", "Document"], "kwargs": {"page_content": "Mari.", "metadata": {"source": "C:\\a\\mari.txt", "chunk_id": 9}}}"#, "\n",
                r#"{"page_content": "Bare."}"#, "\n",
            ),
        );
        let (corpus, report) = reads(&folder.path("docs.jsonl"));
        assert_eq!(report.sources[0].format, Format::Jsonl);
        let seen: Vec<_> = corpus
            .passages
            .iter()
            .map(|p| (&*p.id, &*p.title, &*p.text))
            .collect();
        assert_eq!(
            seen,
            [
                ("docs.jsonl#1", "ur.pdf", "Ur was a city."),
                ("docs.jsonl#2", "ur.pdf", "It fell."),
                ("k", "Kish", "Kish."),
                ("9", "mari.txt", "Mari."),
                ("docs.jsonl#5", "", "Bare."),
            ]
        );
        let (again, _) = reads(&folder.path(""));
        assert_eq!(again.passages, corpus.passages);
    }

    /// Splitters copy the metadata of a document to every piece of it, its identifier too.
    #[test]
    fn pieces_under_the_identifier_of_their_document_stay_apart() {
        let folder = Folder::new();
        let piece = |text: &str| {
            format!(r#"{{"page_content": "{text}", "metadata": {{"id": "d", "source": "d.md"}}}}"#)
        };
        folder.write(
            "a.json",
            &format!("[{}, {}, {}]", piece("One."), piece("Two."), piece("One.")),
        );
        let (corpus, report) = reads(&folder.path("a.json"));
        let seen: Vec<_> = corpus.passages.iter().map(|p| (&*p.id, &*p.text)).collect();
        assert_eq!(seen, [("d", "One."), ("d~2", "Two.")]);
        assert_eq!((report.passages.merged, report.renamed.count), (1, 0));
    }

    #[test]
    fn a_document_without_text_names_its_line() {
        let folder = Folder::new();
        folder.write("a.jsonl", "{\"page_content\": \"One.\"}\n{\"page_content\": 7, \"metadata\": []}\n{\"kwargs\": {}}\n");
        let said = fails(&folder.path("a.jsonl"), &ReadOptions::default());
        assert!(
            said.contains("a.jsonl:2") && said.contains("`page_content`; found a number"),
            "{said}"
        );
    }
}
