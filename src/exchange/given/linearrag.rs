//! LinearRAG: passages, and the names that were found in each. Its graph of igraph holds the same edges once more, and again
//! after every run.

use super::super::schema::GraphError;
use super::stream::{self, Loose};
use super::{Draft, Sort, System, rows};
use rustc_hash::FxHashMap;
use std::path::Path;

/// LinearRAG.
pub static LINEARRAG: System = System {
    title: "LinearRAG",
    about: "passage_embedding.parquet with ner_results.json",
    finds,
    read,
};

const PASSAGES: &str = "passage_embedding.parquet";
const NAMES: &str = "ner_results.json";

fn finds(folder: &Path) -> Option<String> {
    let there = [PASSAGES, NAMES]
        .iter()
        .all(|name| folder.join(name).is_file());
    there.then(|| "passages and their names".to_owned())
}

fn read(folder: &Path, draft: &mut Draft) -> Result<(), GraphError> {
    let path = folder.join(PASSAGES);
    draft.file(&path);
    // A passage begins with its number: the files are in no order.
    let mut passages: Vec<(Option<u64>, String, String)> = Vec::new();
    rows::read(&path, &["hash_id", "text"], &mut |_, cells| {
        let text = cells[1].text();
        let numbered = text.split_once(':').and_then(|(number, rest)| {
            let number = number.trim().parse().ok()?;
            Some((number, rest.trim().to_owned()))
        });
        let (number, text) = match numbered {
            Some((number, rest)) => (Some(number), rest),
            None => (None, text),
        };
        passages.push((number, cells[0].text(), text));
        Ok(())
    })?;
    passages.sort_by_key(|(number, ..)| number.unwrap_or(u64::MAX));
    for (_, id, text) in &passages {
        draft.unit(id, "", text);
    }
    let path = folder.join(NAMES);
    draft.file(&path);
    let mut order: Vec<String> = Vec::new();
    let mut of: FxHashMap<String, Vec<String>> = FxHashMap::default();
    let what = "the names of a passage";
    let within = ["passage_hash_id_to_entities"];
    let there = stream::records(&path, &within, what, &mut |id, names: Loose| {
        if !draft.has_unit(id) {
            draft.note(Sort::LeftOut, "names of passages that no file has", id);
            return Ok(());
        }
        for name in names.texts() {
            let units = of.entry(name.clone()).or_insert_with(|| {
                order.push(name);
                Vec::new()
            });
            units.push(id.to_owned());
        }
        Ok(())
    })?;
    if !there {
        return Err(GraphError::record(
            &path,
            0,
            "an object passage_hash_id_to_entities",
            "none",
        ));
    }
    for name in &order {
        let units = of.get(name).into_iter().flatten();
        draft.entity(name, name, "", "", units.map(String::as_str));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::fixture::damage;
    use super::super::rows::tests::{Values, write};
    use super::super::{find, read};
    use super::*;
    use proptest::prelude::*;

    fn fixture(folder: &Path) {
        let texts = |all: &[&'static str]| Values::Texts(all.iter().map(|t| Some(*t)).collect());
        write(
            &folder.join(PASSAGES),
            &[
                ("hash_id", texts(&["passage-b", "passage-a"])),
                ("text", texts(&["1:She wrote notes.", "0:Ada: a countess."])),
            ],
        );
        std::fs::write(
            folder.join(NAMES),
            r#"{"passage_hash_id_to_entities": {"passage-a": ["ada"], "passage-b": ["ada", "notes"], "passage-x": ["nobody"]},
                "sentence_to_entities": {"She wrote notes.": ["notes"]}}"#,
        )
        .unwrap();
    }

    #[test]
    fn passages_come_in_the_order_of_their_numbers() {
        let folder = tempfile::tempdir().unwrap();
        fixture(folder.path());
        let given = read(&find(folder.path()).unwrap()).unwrap();
        let texts: Vec<&str> = given.units.iter().map(|unit| &*unit.text).collect();
        assert_eq!(texts, ["Ada: a countess.", "She wrote notes."]);
        assert_eq!(given.entities[0].units, [0, 1]);
        assert_eq!(given.entities[1].units, [1]);
        let said = given.account.to_string();
        assert!(
            said.contains("names of passages that no file has: 1 (passage-x)"),
            "{said}"
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(150))]

        /// Whatever happened to a file: a graph or an error.
        #[test]
        fn damaged_files_give_an_error_or_a_graph(
            is_names in any::<bool>(), damage in damage(),
        ) {
            let folder = tempfile::tempdir().unwrap();
            fixture(folder.path());
            damage.hit(&folder.path().join(if is_names { NAMES } else { PASSAGES }));
            let _ = read(&find(folder.path()).unwrap());
        }
    }
}
