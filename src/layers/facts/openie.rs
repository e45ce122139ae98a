//! Facts in a file beside the corpus: a JSON object a line, as open information extraction gives them.

use crate::index::Passages;
use serde::Deserialize;
use std::path::Path;

/// What it is called.
pub const FILE: &str = "openie.jsonl";

/// A passage's line: its identifier, and triples of subject, predicate, object. Other fields are left alone.
#[derive(Deserialize)]
struct Line {
    #[serde(rename = "_id", alias = "id", alias = "idx")]
    id: String,
    #[serde(alias = "extracted_triples")]
    triples: Vec<Vec<String>>,
}

/// By passage its triples, where the file has the passage. What is no triple is left out.
///
/// # Errors
/// What cannot be read, and the line that is no such object.
pub fn read(path: &Path, passages: &Passages) -> Result<Vec<Option<Vec<[String; 3]>>>, String> {
    let said = |said: String| format!("{}: {said}", path.display());
    let text = std::fs::read_to_string(path)
        .map_err(|e| said(format!("{e}; name a readable file, or take it away")))?;
    let mut found: Vec<Option<Vec<[String; 3]>>> = vec![None; passages.len()];
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim_start_matches('\u{feff}').trim();
        if line.is_empty() {
            continue;
        }
        let Line { id, triples } = serde_json::from_str(line).map_err(|e| {
            said(format!(
                "line {number}: {e}; write {{\"_id\": PASSAGE, \"triples\": [[SUBJECT, PREDICATE, OBJECT], ...]}}"
            ))
        })?;
        let Some(passage) = passages.find(&id) else {
            continue;
        };
        let triples = triples.into_iter().filter_map(|t| t.try_into().ok());
        found[passage as usize]
            .get_or_insert_default()
            .extend(triples);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Passage;

    #[test]
    fn a_line_of_triples() {
        let passage = |id: &str| Passage {
            id: id.into(),
            ..Passage::default()
        };
        let passages = Passages::new(&[passage("a"), passage("b")]);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        let read = |text: &str| {
            std::fs::write(&path, text).unwrap();
            super::read(&path, &passages)
        };
        let good = r#"{"_id": "b", "entities": [], "triples": [["Mara", "met", "Ivo"], ["Mara", "sang"]]}"#;
        let found = read(&format!(
            "\u{feff}{good}\n\n{{\"_id\":\"x\",\"triples\":[]}}\n"
        ))
        .unwrap();
        let triple = ["Mara", "met", "Ivo"].map(str::to_owned);
        assert_eq!(found, [None, Some(vec![triple])]);
        let said = read(&format!("{good}\n{{\"_id\": \"a\"}}\n")).unwrap_err();
        assert!(
            said.contains("openie.jsonl: line 2: missing field `triples`"),
            "{said}"
        );
        let said = super::read(&folder.path().join("none"), &passages).unwrap_err();
        assert!(said.contains("none: "), "{said}");
    }
}
