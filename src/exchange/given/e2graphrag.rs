//! E2GraphRAG: a document as a tree of summaries over its pieces, the names of every piece, and which names stand together. One
//! folder is one document.

use super::super::schema::GraphError;
use super::draft::Words;
use super::stream::{self, Loose};
use super::{Draft, Sort, System};
use rustc_hash::FxHashMap;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// E2GraphRAG.
pub static E2GRAPHRAG: System = System {
    title: "E2GraphRAG",
    about: "tree.json with index_*.json and graph_*.json, a folder for each document",
    finds,
    read,
};

const TREE: &str = "tree.json";
/// What the pieces of the document are called, before their number.
const LEAF: &str = "leaf_";
/// What summaries are called, before their level and number.
const SUMMARY: &str = "summary_";
/// From this level on E2GraphRAG gives the model identifiers instead of texts to summarise.
const DEEP: u32 = 2;

/// The names and the pairs that one extractor found.
struct Extraction {
    /// Spacy, NLTK or a model's name; may be empty.
    by: String,
    index: PathBuf,
    graph: PathBuf,
}

/// What every extractor found, in order of their names.
fn extractions(folder: &Path) -> Vec<Extraction> {
    let of = |index: PathBuf| {
        let stem = index.file_stem()?.to_str()?;
        let by = stem.strip_prefix("index")?;
        let graph = folder.join(format!("graph{by}.json"));
        let plain = by.is_empty() || by.starts_with('_');
        (plain && graph.is_file()).then(|| Extraction {
            by: by.trim_start_matches('_').to_owned(),
            index: index.clone(),
            graph,
        })
    };
    let files = stream::files(folder, &["json"]).into_iter();
    files.filter_map(of).collect()
}

fn finds(folder: &Path) -> Option<String> {
    let begins = stream::beginning(&folder.join(TREE));
    if !begins.starts_with('{') || !begins.contains("\"leaf_") {
        return None;
    }
    let by = extractions(folder).into_iter().next()?.by;
    Some(match by.is_empty() {
        true => "a tree and its names".to_owned(),
        false => format!("a tree, names by {by}"),
    })
}

/// A node of the tree. Its links are not read: those to parents are one too high.
#[derive(Deserialize)]
struct Node {
    #[serde(default)]
    text: Loose,
}

/// A summary with its level, 0 right above the document, and its number there.
struct Summary {
    level: u32,
    number: u32,
    text: String,
}

impl Summary {
    /// None where the identifier is none of a summary.
    fn of(id: &str, text: String) -> Option<Summary> {
        let (level, number) = id.strip_prefix(SUMMARY)?.split_once('_')?;
        Some(Summary {
            level: level.parse().ok()?,
            number: number.parse().ok()?,
            text,
        })
    }
}

fn read(folder: &Path, draft: &mut Draft) -> Result<(), GraphError> {
    let all = extractions(folder);
    let Some((first, others)) = all.split_first() else {
        return Err(GraphError::record(
            folder,
            0,
            "index_*.json beside graph_*.json of the same name",
            "none",
        ));
    };
    for other in others {
        let what = "names by other extractors, not read";
        draft.note(Sort::Seen, what, &other.by);
    }
    let summaries = read_tree(&folder.join(TREE), draft)?;
    read_index(&first.index, draft)?;
    read_graph(&first.graph, draft)?;
    // Levels count from the document upwards there, from the top downwards here.
    let top = summaries.iter().map(|summary| summary.level).max();
    for Summary {
        level,
        number,
        text,
    } in &summaries
    {
        let title = format!("Summary {number} of level {level}");
        let depth = top.unwrap_or(0).saturating_sub(*level);
        draft.community(&title, depth, [], text);
    }
    Ok(())
}

/// Reads the pieces of the document; gives the summaries that can be used.
fn read_tree(path: &Path, draft: &mut Draft) -> Result<Vec<Summary>, GraphError> {
    draft.file(path);
    let mut summaries = Vec::new();
    let what = "a node of the tree of E2GraphRAG";
    stream::records(path, &[], what, &mut |id, node: Node| {
        let text = node.text.text();
        if id.starts_with(LEAF) {
            draft.unit(id, "", &text);
            return Ok(());
        }
        match Summary::of(id, text) {
            Some(summary) if summary.level >= DEEP => {
                let what = "summaries of the third level and above, which E2GraphRAG makes of identifiers and not of texts";
                draft.note(Sort::LeftOut, what, id);
            }
            Some(summary) => summaries.push(summary),
            None => draft.note(
                Sort::LeftOut,
                "nodes of the tree that are neither pieces nor summaries",
                id,
            ),
        }
        Ok(())
    })?;
    Ok(summaries)
}

/// Reads the names with the pieces that have them.
fn read_index(path: &Path, draft: &mut Draft) -> Result<(), GraphError> {
    draft.file(path);
    let what = "a name of E2GraphRAG with its pieces";
    stream::records(path, &[], what, &mut |name, leaves: Loose| {
        let leaves = leaves.texts();
        draft.entity(name, name, "", "", leaves.iter().map(String::as_str));
        Ok(())
    })?;
    Ok(())
}

/// Pairs of names with the sum of their weights: a pair is there once for every piece, either way round.
#[derive(Default)]
struct Pairs {
    names: Words,
    sums: Vec<([u32; 2], f64)>,
    known: FxHashMap<[u32; 2], usize>,
}

impl Pairs {
    /// Adds a weight; whether the pair was there before.
    fn add(&mut self, names: [&str; 2], weight: f64) -> bool {
        let mut key = names.map(|name| self.names.place(name));
        key.sort_unstable();
        let next = self.sums.len();
        let at = *self.known.entry(key).or_insert(next);
        match self.sums.get_mut(at) {
            Some((_, sum)) => *sum += weight,
            None => self.sums.push((key, weight)),
        }
        at != next
    }
}

fn read_graph(path: &Path, draft: &mut Draft) -> Result<(), GraphError> {
    draft.file(path);
    let mut pairs = Pairs::default();
    let what = "two names of E2GraphRAG and a weight";
    stream::records(path, &[], what, &mut |_, entry: Loose| {
        let entry = entry.texts();
        let numbered = match &entry[..] {
            [from, to, weight] => weight.parse().ok().map(|weight: f64| ([from, to], weight)),
            _ => None,
        };
        let Some((names, weight)) = numbered else {
            let what = "pairs that are not two names and a weight";
            draft.note(Sort::LeftOut, what, &entry.join(", "));
            return Ok(());
        };
        if pairs.add(names.map(String::as_str), weight) {
            let what = "pairs that come again, their weights added";
            draft.note(Sort::Repaired, what, &names.map(String::as_str).join(", "));
        }
        Ok(())
    })?;
    for (ends, weight) in &pairs.sums {
        let ends = ends.map(|end| pairs.names.get(end));
        draft.relation(ends, "", "", Some(*weight), []);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::Given;
    use super::super::fixture::damage;
    use super::*;
    use proptest::prelude::*;
    use std::fs;
    use tempfile::TempDir;

    const NODES: &str = r#"{
        "leaf_0": {"text": "Ada met Babbage.", "children": null, "parent": "summary_1"},
        "leaf_1": {"text": "Ada wrote notes.", "children": null, "parent": "summary_1"},
        "summary_0_0": {"text": "Two people and a machine.", "children": ["leaf_0", "leaf_1", "leaf_2"], "parent": "summary_1_1"},
        "summary_1_0": {"text": "An age of machines.", "children": ["summary_0_0"], "parent": []},
        "summary_2_0": {"text": "The texts name summary_1_0.", "children": ["summary_1_0"], "parent": []},
        "root": {"text": "?"}}"#;
    const NAMES: &str =
        r#"{"Ada": ["leaf_0", "leaf_1", "leaf_1"], "Babbage": ["leaf_0", "leaf_7"]}"#;
    const PAIRS: &str = r#"[["Ada", "Babbage", 1], ["Babbage", "Ada", 2], ["Ada", "Ada", 1], ["Ada", "Nobody", 1], ["Ada", 3]]"#;

    fn fixture() -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [
            (TREE, NODES),
            ("index_Spacy.json", NAMES),
            ("graph_Spacy.json", PAIRS),
            ("appearance_count_Spacy.json", "{}"),
            ("time_cost.txt", "1"),
        ] {
            fs::write(folder.path().join(name), text).unwrap();
        }
        folder
    }

    fn given(folder: &Path) -> Result<Given, GraphError> {
        let mut draft = Draft::default();
        read(folder, &mut draft)?;
        Ok(draft.finish())
    }

    #[test]
    fn leaves_names_pairs_and_summaries() {
        let folder = fixture();
        let found = finds(folder.path());
        assert_eq!(found.as_deref(), Some("a tree, names by Spacy"));
        let given = given(folder.path()).unwrap();
        let units: Vec<&str> = given.units.iter().map(|unit| &*unit.id).collect();
        assert_eq!(units, ["leaf_0", "leaf_1"]);
        assert_eq!(given.entities[0].units, [0, 1]);
        let relations: Vec<(u32, u32, f64)> = given
            .relations
            .iter()
            .map(|r| (r.source, r.target, r.weight))
            .collect();
        assert_eq!(relations, [(0, 1, 3.0)]);
        let communities: Vec<(&str, u32, &str)> = given
            .communities
            .iter()
            .map(|c| (&*c.title, c.level, &*c.report))
            .collect();
        assert_eq!(
            communities,
            [
                ("Summary 0 of level 0", 1, "Two people and a machine."),
                ("Summary 0 of level 1", 0, "An age of machines.")
            ]
        );
        let account = given.account.to_string();
        for part in [
            "text units that entities name and no file has: 1 (leaf_7)",
            "pairs that come again, their weights added: 1 (Babbage, Ada)",
            "relations of an entity to itself: 1 (Ada)",
            "relations that name an entity that no file has: 1 (Nobody)",
            "pairs that are not two names and a weight: 1 (Ada, 3)",
            "not of texts: 1 (summary_2_0)",
            "neither pieces nor summaries: 1 (root)",
        ] {
            assert!(account.contains(part), "{part}\n{account}");
        }
    }

    #[test]
    fn the_first_extractor_that_has_both_files_is_read() {
        let folder = fixture();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("index_BERT.json"), NAMES).unwrap();
        let found = finds(folder.path());
        assert_eq!(found.as_deref(), Some("a tree, names by Spacy"));
        fs::write(path("graph_BERT.json"), "[]").unwrap();
        let account = given(folder.path()).unwrap().account.to_string();
        assert!(
            account.contains("other extractors, not read: 1 (Spacy)"),
            "{account}"
        );
        fs::write(path("index.json"), NAMES).unwrap();
        fs::write(path("graph.json"), PAIRS).unwrap();
        let found = finds(folder.path());
        assert_eq!(found.as_deref(), Some("a tree and its names"));
    }

    #[test]
    fn other_trees_are_none_and_a_cut_file_has_a_line() {
        let folder = fixture();
        let tree = folder.path().join(TREE);
        fs::write(&tree, r#"{"root": {"text": "a tree of something else"}}"#).unwrap();
        assert!(finds(folder.path()).is_none());
        fs::write(&tree, &NODES[..200]).unwrap();
        let error = given(folder.path()).unwrap_err().to_string();
        assert!(
            error.contains("tree.json:4: expected a node of the tree"),
            "{error}"
        );
        fs::remove_file(folder.path().join("graph_Spacy.json")).unwrap();
        assert!(finds(folder.path()).is_none());
        let error = given(folder.path()).unwrap_err().to_string();
        assert!(error.contains("expected index_*.json"), "{error}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        /// Whatever happened to a file: a graph or an error.
        #[test]
        fn damaged_files_give_an_error_or_a_graph(
            file in 0_usize..3, damage in damage(),
        ) {
            let folder = fixture();
            damage.hit(&folder.path().join([TREE, "index_Spacy.json", "graph_Spacy.json"][file]));
            let _ = finds(folder.path());
            if let Err(error) = given(folder.path()) {
                prop_assert!(error.to_string().contains(".json"), "{error}");
            }
        }
    }
}
