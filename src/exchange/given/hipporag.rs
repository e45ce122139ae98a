//! HippoRAG: what its open information extraction found in every passage. Its vectors and its pickled graph are not read: the
//! facts are enough to build it again.

use super::super::schema::GraphError;
use super::stream;
use super::{Draft, Sort, System};
use crate::text::Norm;
use rustc_hash::FxHashMap;
use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};

/// HippoRAG and HippoRAG 2.
pub static HIPPORAG: System = System {
    title: "HippoRAG",
    about: "openie_results_ner_*.json: passages with extracted_entities and extracted_triples",
    finds,
    read,
};

const BEGINS: &str = "openie_results";
/// Most files of a folder that are looked at.
const MOST_FILES: usize = 10_000;

/// The files of extractions, in order of their names: one for each language model.
fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let named = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy());
        name.is_some_and(|name| name.starts_with(BEGINS) && name.ends_with(".json"))
    };
    let paths = entries.flatten().take(MOST_FILES).map(|entry| entry.path());
    let mut found: Vec<PathBuf> = paths.filter(named).filter(|path| path.is_file()).collect();
    found.sort();
    found
}

fn finds(folder: &Path) -> Option<String> {
    let files = files(folder);
    let first = files.first()?;
    let name = first.file_stem()?.to_string_lossy().into_owned();
    let by = name.strip_prefix("openie_results_ner_").unwrap_or(&name);
    Some(match files.len() {
        1 => format!("extracted by {by}"),
        count => format!("extracted by {by}, the first of {count} files"),
    })
}

/// A passage and what was found in it.
#[derive(Deserialize)]
struct Document {
    #[serde(default)]
    idx: serde_json::Value,
    #[serde(default)]
    passage: String,
    #[serde(default)]
    extracted_entities: Vec<serde_json::Value>,
    #[serde(default)]
    extracted_triples: Vec<Vec<serde_json::Value>>,
}

/// What is named in several passages while these are read.
#[derive(Default)]
struct Found {
    entities: Vec<(String, Vec<String>)>,
    places: FxHashMap<String, usize>,
    /// Ends by their place, predicate, and the passages that state it.
    facts: Vec<(usize, String, usize, Vec<String>)>,
    known: FxHashMap<(usize, String, usize), usize>,
}

impl Found {
    /// The place of a name, which is there from now on in a passage; none where it has no letter.
    fn entity(&mut self, name: &str, unit: &str) -> Option<usize> {
        let form = Norm::Simple.apply(name);
        if form.is_empty() {
            return None;
        }
        let next = self.entities.len();
        let place = *self.places.entry(form).or_insert(next);
        if place == next {
            self.entities.push((name.trim().to_owned(), Vec::new()));
        }
        let units = &mut self.entities[place].1;
        if units.last().is_none_or(|last| last != unit) {
            units.push(unit.to_owned());
        }
        Some(place)
    }

    fn fact(&mut self, ends: [usize; 2], predicate: &str, unit: &str) {
        let key = (ends[0], Norm::Simple.apply(predicate), ends[1]);
        let next = self.facts.len();
        let at = *self.known.entry(key).or_insert(next);
        if at == next {
            self.facts
                .push((ends[0], predicate.to_owned(), ends[1], Vec::new()));
        }
        self.facts[at].3.push(unit.to_owned());
    }
}

/// What a value of the files says as text: names are text, some models wrote numbers.
fn said(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Number(number) => number.to_string(),
        _ => String::new(),
    }
}

fn read(folder: &Path, draft: &mut Draft) -> Result<(), GraphError> {
    let files = files(folder);
    let Some(path) = files.first() else {
        return Err(GraphError::record(
            folder,
            0,
            "openie_results_*.json",
            "none",
        ));
    };
    for other in &files[1..] {
        let name = other
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        draft.note(
            Sort::Seen,
            "extractions by other models, not read",
            &name.unwrap_or_default(),
        );
    }
    draft.file(path);
    let mut found = Found::default();
    let mut number = 0;
    let there = stream::records(
        path,
        &["docs"],
        "a document of HippoRAG",
        &mut |_, document: Document| {
            number += 1;
            let id = match said(&document.idx) {
                id if id.is_empty() => format!("doc-{number}"),
                id => id,
            };
            // Their corpora are written as title, new line, text.
            let (title, text) = match document.passage.split_once('\n') {
                Some((title, text)) if title.len() <= 200 && !text.trim().is_empty() => {
                    (title.trim(), text.trim())
                }
                _ => ("", document.passage.trim()),
            };
            if draft.has_unit(&id) {
                draft.unit(&id, title, text);
                return Ok(());
            }
            draft.unit(&id, title, text);
            for entity in &document.extracted_entities {
                if found.entity(&said(entity), &id).is_none() {
                    draft.note(
                        Sort::LeftOut,
                        "extracted names without a letter",
                        &said(entity),
                    );
                }
            }
            for triple in &document.extracted_triples {
                let [subject, predicate, object] = &triple[..] else {
                    draft.note(
                        Sort::LeftOut,
                        "extracted triples that are not three",
                        &said(&triple.first().cloned().unwrap_or_default()),
                    );
                    continue;
                };
                let ends = [subject, object].map(|end| found.entity(&said(end), &id));
                match ends {
                    [Some(subject), Some(object)] => {
                        found.fact([subject, object], said(predicate).trim(), &id)
                    }
                    _ => draft.note(
                        Sort::LeftOut,
                        "extracted triples with an empty end",
                        &said(predicate),
                    ),
                }
            }
            Ok(())
        },
    )?;
    if !there {
        return Err(GraphError::record(path, 0, "a list docs", "none"));
    }
    let Found {
        entities, facts, ..
    } = found;
    for (place, (name, units)) in entities.iter().enumerate() {
        draft.entity(
            &place.to_string(),
            name,
            "",
            "",
            units.iter().map(String::as_str),
        );
    }
    for (subject, predicate, object, units) in &facts {
        let ends = [subject.to_string(), object.to_string()];
        let ends = [ends[0].as_str(), ends[1].as_str()];
        let weight = Some(units.len() as f64);
        draft.relation(
            ends,
            predicate,
            "",
            weight,
            units.iter().map(String::as_str),
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::{find, read};
    use super::*;

    const DOCS: &str = r#"{"docs": [
        {"idx": "chunk-1", "passage": "Ada Lovelace\nShe wrote notes on the engine.", "extracted_entities": ["Ada Lovelace", "engine", 1843],
         "extracted_triples": [["Ada Lovelace", "wrote", "notes"], ["Ada Lovelace", "wrote"], ["?", "is", "engine"]]},
        {"idx": "chunk-2", "passage": "Notes without a title.", "extracted_entities": ["ada lovelace"],
         "extracted_triples": [["ada lovelace", "Wrote", "Notes"]]},
        {"idx": "chunk-2", "passage": "Again.", "extracted_entities": ["Nobody"], "extracted_triples": []}],
        "avg_ent_chars": 9.5}"#;

    #[test]
    fn facts_of_several_passages_are_one_relation() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("openie_results_ner_gpt-4o-mini.json");
        fs::write(&path, DOCS).unwrap();
        let found = find(folder.path()).unwrap();
        assert_eq!(
            (found.system.title, &*found.generation),
            ("HippoRAG", "extracted by gpt-4o-mini")
        );
        let given = read(&found).unwrap();
        let units: Vec<(&str, &str)> = given.units.iter().map(|u| (&*u.title, &*u.text)).collect();
        assert_eq!(
            units,
            [
                ("Ada Lovelace", "She wrote notes on the engine."),
                ("", "Notes without a title.")
            ]
        );
        let names: Vec<&str> = given.entities.iter().map(|e| &*e.name).collect();
        assert_eq!(names, ["Ada Lovelace", "engine", "1843", "notes"]);
        assert_eq!(given.entities[0].units, [0, 1]);
        let relation = &given.relations[0];
        assert_eq!(
            (&*relation.label, relation.weight, &relation.units[..]),
            ("wrote", 2.0, &[0, 1][..])
        );
        let said = given.account.to_string();
        assert!(said.contains("triples that are not three: 1"), "{said}");
        assert!(said.contains("triples with an empty end: 1"), "{said}");
        assert!(
            said.contains("identifier came before: 1 (chunk-2)"),
            "{said}"
        );
        for cut in [10, 200, DOCS.len() - 30] {
            fs::write(&path, &DOCS[..cut]).unwrap();
            let said = read(&found).unwrap_err().to_string();
            assert!(
                said.contains("gpt-4o-mini.json") && said.contains("it is cut"),
                "{said}"
            );
        }
    }
}
