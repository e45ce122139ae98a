//! HippoRAG: what its open information extraction found in every passage. Its vectors and its pickled graph are not read: the
//! facts are enough to build it again.

use super::super::schema::GraphError;
use super::stream;
use super::{Draft, Sort, System};
use crate::text::Norm;
use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde_json::Value;
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

/// What HippoRAG 2 keeps beside its extractions, in a folder called by both models: vectors.
fn is_vectors(folder: &Path) -> bool {
    folder.join("chunk_embeddings/vdb_chunk.parquet").is_file()
        || (folder.join("fact_embeddings").is_dir() && folder.join("entity_embeddings").is_dir())
}

fn finds(folder: &Path) -> Option<String> {
    let files = files(folder);
    let Some(first) = files.first() else {
        return is_vectors(folder).then(|| "vectors alone".to_owned());
    };
    let name = first.file_stem()?.to_string_lossy().into_owned();
    let by = name.strip_prefix("openie_results_ner_").unwrap_or(&name);
    Some(match files.len() {
        1 => format!("extracted by {by}"),
        count => format!("extracted by {by}, the first of {count} files"),
    })
}

/// A passage and what was found in it. A model writes what it likes: one entry of another form must not end the reading.
#[derive(Deserialize)]
struct Document {
    #[serde(default)]
    idx: Value,
    #[serde(default)]
    passage: Value,
    #[serde(default)]
    extracted_entities: Value,
    #[serde(default)]
    extracted_triples: Value,
}

/// The items of a list; none of any other form.
fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
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
        let (_, units) = self.entities.get_mut(place)?;
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
        if let Some((.., units)) = self.facts.get_mut(at) {
            units.push(unit.to_owned());
        }
    }

    fn give(&self, draft: &mut Draft) {
        for (place, (name, units)) in self.entities.iter().enumerate() {
            let units = units.iter().map(String::as_str);
            draft.entity(&place.to_string(), name, "", "", units);
        }
        for (subject, predicate, object, units) in &self.facts {
            let ends = [subject.to_string(), object.to_string()];
            let ends = ends.each_ref().map(String::as_str);
            let weight = Some(units.len() as f64);
            let units = units.iter().map(String::as_str);
            draft.relation(ends, predicate, "", weight, units);
        }
    }
}

/// What a value of the files says as text: names are text, some models wrote numbers.
fn said(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    }
}

fn read(folder: &Path, draft: &mut Draft) -> Result<(), GraphError> {
    let files = files(folder);
    let Some((path, others)) = files.split_first() else {
        return Err(missing(folder));
    };
    for other in others {
        let name = other.file_name().unwrap_or_default().to_string_lossy();
        let what = "extractions by other models, not read";
        draft.note(Sort::Seen, what, &name);
    }
    draft.file(path);
    let mut found = Found::default();
    let mut number = 0;
    let what = "a document of HippoRAG";
    let there = stream::records(path, &["docs"], what, &mut |_, document: Document| {
        number += 1;
        read_document(&document, number, &mut found, draft);
        Ok(())
    })?;
    if !there {
        return Err(GraphError::record(path, 0, "a list docs", "none"));
    }
    found.give(draft);
    Ok(())
}

/// Without the extractions there is nothing to read. A folder of vectors lies beside them.
fn missing(folder: &Path) -> GraphError {
    if !is_vectors(folder) {
        return GraphError::record(folder, 0, "openie_results_*.json", "none");
    }
    GraphError::Unreadable {
        path: folder.to_owned(),
        what: "HippoRAG's vectors without its file openie_results_ner_*.json".into(),
        remedy: "name the folder above, which has that file".into(),
    }
}

fn read_document(document: &Document, number: usize, found: &mut Found, draft: &mut Draft) {
    let id = match said(&document.idx) {
        id if id.is_empty() => format!("doc-{number}"),
        id => id,
    };
    let passage = said(&document.passage);
    // Their corpora are written as title, new line, text.
    let (title, text) = match passage.split_once('\n') {
        Some((title, text)) if title.len() <= 200 && !text.trim().is_empty() => {
            (title.trim(), text.trim())
        }
        _ => ("", passage.trim()),
    };
    let again = draft.has_unit(&id);
    draft.unit(&id, title, text);
    if again {
        return;
    }
    for entity in items(&document.extracted_entities) {
        let name = said(entity);
        if found.entity(&name, &id).is_none() {
            let what = "extracted names without a letter";
            draft.note(Sort::LeftOut, what, &name);
        }
    }
    for triple in items(&document.extracted_triples) {
        read_triple(triple, &id, found, draft);
    }
}

fn read_triple(triple: &Value, unit: &str, found: &mut Found, draft: &mut Draft) {
    let [subject, predicate, object] = items(triple) else {
        let example = items(triple).first().map_or_else(|| said(triple), said);
        let what = "extracted triples that are not three";
        return draft.note(Sort::LeftOut, what, &example);
    };
    let predicate = said(predicate);
    match [subject, object].map(|end| found.entity(&said(end), unit)) {
        [Some(subject), Some(object)] => found.fact([subject, object], predicate.trim(), unit),
        _ => draft.note(
            Sort::LeftOut,
            "extracted triples with an empty end",
            &predicate,
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::damage;
    use super::super::{find, read};
    use super::*;
    use proptest::prelude::*;

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

    #[test]
    fn what_a_model_wrote_otherwise_is_counted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("openie_results_ner_x.json");
        let docs = r#"{"docs": [{"idx": 7, "passage": "Ada met Babbage.", "extracted_entities": null, "extracted_triples":
            ["Ada", ["Ada", ["met"], "Babbage"], {"a": 1}, ["Ada", "met", "Babbage"], ["Ada", "met", "Babbage"]]},
            {"passage": null}, {"passage": "No number."}]}"#;
        fs::write(&path, docs).unwrap();
        let given = read(&find(folder.path()).unwrap()).unwrap();
        let ids: Vec<&str> = given.units.iter().map(|unit| &*unit.id).collect();
        assert_eq!(ids, ["7", "doc-3"]);
        let relations: Vec<(&str, f64, &[u32])> = given
            .relations
            .iter()
            .map(|r| (&*r.label, r.weight, &r.units[..]))
            .collect();
        assert_eq!(relations, [("", 1.0, &[0][..]), ("met", 2.0, &[0][..])]);
        let said = given.account.to_string();
        assert!(said.contains("that are not three: 2 (Ada)"), "{said}");
        assert!(said.contains("text units without text: 1"), "{said}");
    }

    #[test]
    fn vectors_alone_name_the_folder_above() {
        let folder = tempfile::tempdir().unwrap();
        let chunks = folder.path().join("chunk_embeddings");
        fs::create_dir_all(&chunks).unwrap();
        fs::write(chunks.join("vdb_chunk.parquet"), "").unwrap();
        fs::write(folder.path().join("graph.pickle"), "").unwrap();
        let found = find(folder.path()).unwrap();
        assert_eq!(
            (found.system.title, &*found.generation),
            ("HippoRAG", "vectors alone")
        );
        let said = read(&found).unwrap_err().to_string();
        assert!(
            said.contains("without its file openie_results_ner_*.json; name the folder above"),
            "{said}"
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        /// Whatever happened to the file: a graph, or an error that names it.
        #[test]
        fn a_damaged_file_gives_an_error_or_a_graph(damage in damage()) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("openie_results_ner_x.json");
            fs::write(&path, damage.of(DOCS.as_bytes())).unwrap();
            if let Err(error) = read(&find(folder.path()).unwrap()) {
                let error = error.to_string();
                prop_assert!(error.contains("openie_results") || error.contains("texts of HippoRAG"), "{error}");
            }
        }
    }
}
