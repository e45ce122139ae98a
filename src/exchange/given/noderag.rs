//! NodeRAG: the tables of its folder `cache`. Its pickled graph is not read: what joins entities to texts stands in the tables,
//! and in what its model found in every text.

use super::super::schema::GraphError;
use super::draft::Words;
use super::{Draft, Sort, System, rows, stream};
use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// NodeRAG.
pub static NODERAG: System = System {
    title: "NodeRAG",
    about: "text.parquet, entities.parquet and relationship.parquet, also in cache/",
    finds,
    read,
};

/// What the model found in every text.
const FOUND: &str = "text_decomposition.jsonl";
/// The tables without which there is no graph.
const TABLES: [&str; 3] = ["text", "entities", "relationship"];

/// The file of a table; none where it is not there.
fn table(home: &Path, name: &str) -> Option<PathBuf> {
    Some(home.join(format!("{name}.parquet"))).filter(|path| path.is_file())
}

/// Whether a folder has at least two of the tables, with the columns that only NodeRAG has.
fn is_here(folder: &Path) -> bool {
    let tables = TABLES.iter().filter_map(|name| table(folder, name));
    let own = tables.filter(|path| {
        let columns = rows::columns(path);
        let has = |name: &str| columns.iter().any(|own| own == name);
        has("hash_id") && has("context")
    });
    own.count() >= 2
}

/// The folder itself, or `cache` of a project.
fn home(folder: &Path) -> Option<PathBuf> {
    if is_here(folder) {
        return Some(folder.to_owned());
    }
    // The settings of a project may hold keys and are not read.
    let project = folder.join("Node_config.yaml").is_file() || super::is_bare(folder);
    let cache = folder.join("cache");
    (project && is_here(&cache)).then_some(cache)
}

fn finds(folder: &Path) -> Option<String> {
    let home = home(folder)?;
    let tables = match home.join(FOUND).is_file() {
        true => "tables and text_decomposition",
        false => "tables alone",
    };
    let place = match home == folder {
        true => "",
        false => ", in cache",
    };
    Some(format!("{tables}{place}"))
}

fn read(folder: &Path, draft: &mut Draft) -> Result<(), GraphError> {
    let Some(home) = home(folder) else {
        return Err(GraphError::record(folder, 0, "tables of NodeRAG", "none"));
    };
    let need = |name: &str| {
        table(&home, name).ok_or_else(|| GraphError::Unreadable {
            path: home.clone(),
            what: format!("NodeRAG without its table {name}.parquet"),
            remedy: "run its indexing to the end, or name the folder that has all tables".into(),
        })
    };
    let [texts, entities, relations] = TABLES.map(need);
    let (texts, entities, relations) = (texts?, entities?, relations?);
    read_units(&texts, &titles(&home, draft)?, draft)?;
    let mut graph = Graph::default();
    graph.read_entities(&entities, draft)?;
    graph.read_relations(&relations, draft)?;
    graph.read_meanings(&home, draft)?;
    graph.read_found(&home, draft)?;
    graph.read_attributes(&home, draft)?;
    graph.give(draft);
    graph.read_communities(&home, draft)
}

/// The titles of the documents by their hashes, where there are several documents.
fn titles(home: &Path, draft: &mut Draft) -> Result<FxHashMap<String, String>, GraphError> {
    let Some(path) = table(home, "documents") else {
        return Ok(FxHashMap::default());
    };
    draft.file(&path);
    rows::titles(&path, ["doc_hash_id", "path"])
}

fn read_units(
    path: &Path,
    titles: &FxHashMap<String, String>,
    draft: &mut Draft,
) -> Result<(), GraphError> {
    draft.file(path);
    let columns = ["hash_id", "context", "doc_hash_id"];
    rows::read(path, &columns, &mut |_, cells| {
        if let [hash, context, document] = cells {
            let title = titles.get(&document.text()).map_or("", String::as_str);
            draft.unit(&hash.text(), title, &context.text());
        }
        Ok(())
    })
}

/// An entity as the tables have it.
struct Thing {
    hash: String,
    name: String,
    description: String,
    /// Places of the texts that name it.
    units: Vec<u32>,
}

/// A relation as the tables have it.
struct Link {
    ends: [String; 2],
    /// What was stated of the two, parts between tabs.
    context: String,
    weight: Option<f64>,
    units: Vec<u32>,
}

/// The tables, while they are joined.
#[derive(Default)]
struct Graph {
    units: Words,
    things: Vec<Thing>,
    /// Entities by hash, and by name.
    by_hash: FxHashMap<String, usize>,
    by_name: FxHashMap<String, usize>,
    links: Vec<Link>,
    /// Relations by the places of their ends, the smaller first.
    by_ends: FxHashMap<[usize; 2], usize>,
    /// Hashes of semantic units by what they say.
    meanings: FxHashMap<String, String>,
    /// The entities of semantic units and of attributes, by hash.
    below: FxHashMap<String, Vec<usize>>,
}

impl Graph {
    fn read_entities(&mut self, path: &Path, draft: &mut Draft) -> Result<(), GraphError> {
        draft.file(path);
        let columns = ["hash_id", "context", "text_hash_id"];
        rows::read(path, &columns, &mut |_, cells| {
            if let [hash, context, text] = cells {
                let (hash, name) = (hash.text(), context.text());
                let place = self.things.len();
                self.by_hash.entry(hash.clone()).or_insert(place);
                self.by_name.entry(name.clone()).or_insert(place);
                let units = text.list();
                let units = units.iter().map(|unit| self.units.place(unit)).collect();
                self.things.push(Thing {
                    hash,
                    name,
                    description: String::new(),
                    units,
                });
            }
            Ok(())
        })
    }

    fn read_relations(&mut self, path: &Path, draft: &mut Draft) -> Result<(), GraphError> {
        draft.file(path);
        let columns = ["unique_relationship", "context", "text_hash_id", "weight"];
        rows::read(path, &columns, &mut |_, cells| {
            if let [both, context, text, weight] = cells {
                let ends = ends(both.list());
                let units = text.list();
                let units = units.iter().map(|unit| self.units.place(unit)).collect();
                if let Some(key) = self.key(&ends) {
                    self.by_ends.entry(key).or_insert(self.links.len());
                }
                self.links.push(Link {
                    ends,
                    context: context.text(),
                    weight: weight.real(),
                    units,
                });
            }
            Ok(())
        })
    }

    /// The places of two entities by their hashes, the smaller first.
    fn key(&self, ends: &[String; 2]) -> Option<[usize; 2]> {
        let [Some(a), Some(b)] = ends.each_ref().map(|end| self.by_hash.get(end).copied()) else {
            return None;
        };
        Some([a.min(b), a.max(b)])
    }

    /// What semantic units say, each a thing that a text says in the words of a model.
    fn read_meanings(&mut self, home: &Path, draft: &mut Draft) -> Result<(), GraphError> {
        let Some(path) = table(home, "semantic_units") else {
            return Ok(());
        };
        draft.file(&path);
        rows::read(&path, &["hash_id", "context"], &mut |_, cells| {
            if let [hash, context] = cells {
                let what = "semantic units, which are no part of the graph: texts stand for them";
                draft.note(Sort::Seen, what, &context.text());
                self.meanings.insert(context.text(), hash.text());
                self.below.insert(hash.text(), Vec::new());
            }
            Ok(())
        })
    }

    /// A table names one text of every entity; what was found in the texts names all.
    fn read_found(&mut self, home: &Path, draft: &mut Draft) -> Result<(), GraphError> {
        let path = home.join(FOUND);
        if !path.is_file() {
            let what =
                "tables without text_decomposition.jsonl: of every entity one text alone is known";
            draft.note(Sort::Seen, what, "");
            return Ok(());
        }
        draft.file(&path);
        let what = "what was found in a text of NodeRAG";
        stream::lines(&path, what, &mut |_, line: Line| {
            let unit = words(&line.text_hash_id);
            if !draft.has_unit(&unit) {
                let what = "decompositions of texts that no file has";
                draft.note(Sort::LeftOut, what, &unit);
                return Ok(());
            }
            let Some(Value::Array(outputs)) = line.response.get("Output") else {
                let what = "decompositions without an output";
                draft.note(Sort::LeftOut, what, &unit);
                return Ok(());
            };
            let unit = self.units.place(&unit);
            for output in outputs {
                self.add(unit, output);
            }
            Ok(())
        })
    }

    /// Adds a semantic unit of a text with its entities and relations. What no table has is none.
    fn add(&mut self, unit: u32, output: &Value) {
        let mut own = Vec::new();
        for name in strings(output.get("entities")) {
            own.extend(self.named(name, unit));
        }
        for triple in strings(output.get("relationships")) {
            let parts: Vec<&str> = triple.split(',').map(str::trim).collect();
            let [from, _, to] = parts[..] else {
                continue;
            };
            let [Some(a), Some(b)] = [from, to].map(|name| self.named(name, unit)) else {
                continue;
            };
            own.extend([a, b]);
            let link = self.by_ends.get(&[a.min(b), a.max(b)]);
            if let Some(link) = link.and_then(|at| self.links.get_mut(*at)) {
                push(&mut link.units, unit);
            }
        }
        let meaning = output.get("semantic_unit").and_then(Value::as_str);
        let hash = meaning.and_then(|meaning| self.meanings.get(meaning));
        if let Some(below) = hash.and_then(|hash| self.below.get_mut(hash)) {
            below.extend(own);
        }
    }

    /// The place of an entity by its name, which a text has.
    fn named(&mut self, name: &str, unit: u32) -> Option<usize> {
        let place = *self.by_name.get(name)?;
        push(&mut self.things.get_mut(place)?.units, unit);
        Some(place)
    }

    /// Attributes describe the entities that matter most.
    fn read_attributes(&mut self, home: &Path, draft: &mut Draft) -> Result<(), GraphError> {
        let Some(path) = table(home, "attributes") else {
            return Ok(());
        };
        draft.file(&path);
        rows::read(&path, &["node", "context", "hash_id"], &mut |_, cells| {
            let [node, context, hash] = cells else {
                return Ok(());
            };
            let (node, context) = (node.text(), context.text());
            let place = self.by_hash.get(&node).copied();
            let thing = place.and_then(|place| self.things.get_mut(place));
            let Some(thing) = thing else {
                let what = "attributes of entities that no file has";
                draft.note(Sort::LeftOut, what, &context);
                return Ok(());
            };
            if !thing.description.is_empty() {
                thing.description.push('\n');
            }
            thing.description.push_str(context.trim());
            self.below.entry(hash.text()).or_default().extend(place);
            Ok(())
        })
    }

    fn give(&self, draft: &mut Draft) {
        for thing in &self.things {
            let units = thing.units.iter().map(|unit| self.units.get(*unit));
            draft.entity(&thing.hash, &thing.name, "", &thing.description, units);
        }
        for link in &self.links {
            let [first, second] = link.ends.each_ref().map(|end| {
                let place = self.by_hash.get(end).copied();
                let thing = place.and_then(|place| self.things.get(place));
                thing.map_or("", |thing| thing.name.as_str())
            });
            let stated = Stated::of(&link.context, first, second);
            for example in &stated.mended {
                let what = "statements whose letters stood apart, drawn together";
                draft.note(Sort::Repaired, what, example);
            }
            let [first, second] = link.ends.each_ref().map(String::as_str);
            let ends = match stated.turned {
                true => [second, first],
                false => [first, second],
            };
            let units = link.units.iter().map(|unit| self.units.get(*unit));
            draft.relation(ends, &stated.label, &stated.rest, link.weight, units);
        }
    }

    fn read_communities(&self, home: &Path, draft: &mut Draft) -> Result<(), GraphError> {
        let Some(path) = table(home, "high_level_elements") else {
            return Ok(());
        };
        let titles = element_titles(home, draft)?;
        draft.file(&path);
        let columns = ["title_hash_id", "context", "related_nodes"];
        rows::read(&path, &columns, &mut |_, cells| {
            if let [title, context, nodes] = cells {
                let title = title.text();
                let mut nodes = nodes.list();
                // Its own title is a neighbour too.
                nodes.retain(|node| !titles.contains_key(node));
                let members = self.members(&nodes, draft);
                let title = titles.get(&title).map_or("", String::as_str);
                draft.community(title, 0, members.iter().copied(), &context.text());
            }
            Ok(())
        })
    }

    /// The hashes of the entities of some nodes. A node that is known as no entity stays as it is, to be counted.
    fn members<'s>(&'s self, nodes: &'s [String], draft: &mut Draft) -> Vec<&'s str> {
        let mut members = Vec::new();
        for node in nodes {
            match self.below.get(node) {
                None => members.push(node.as_str()),
                Some(below) if below.is_empty() => {
                    let what = "semantic units in communities, of which no entity is known";
                    draft.note(Sort::LeftOut, what, node);
                }
                Some(below) => {
                    let things = below.iter().filter_map(|place| self.things.get(*place));
                    members.extend(things.map(|thing| thing.hash.as_str()));
                }
            }
        }
        members.sort_unstable();
        members.dedup();
        members
    }
}

/// The titles of communities by their hashes.
fn element_titles(home: &Path, draft: &mut Draft) -> Result<FxHashMap<String, String>, GraphError> {
    let mut titles = FxHashMap::default();
    let Some(path) = table(home, "high_level_elements_titles") else {
        return Ok(titles);
    };
    draft.file(&path);
    rows::read(&path, &["hash_id", "context"], &mut |_, cells| {
        if let [hash, context] = cells {
            titles.insert(hash.text(), context.text());
        }
        Ok(())
    })?;
    Ok(titles)
}

/// The ends of a relation: a set of two, or of one where an entity is joined to itself.
fn ends(both: Vec<String>) -> [String; 2] {
    let mut both = both.into_iter();
    let first = both.next().unwrap_or_default();
    let second = both.next().unwrap_or_else(|| first.clone());
    [first, second]
}

/// Adds a text that is read after all that are there.
fn push(units: &mut Vec<u32>, unit: u32) {
    if units.last() != Some(&unit) {
        units.push(unit);
    }
}

/// What the model found in one text.
#[derive(Deserialize)]
struct Line {
    #[serde(default)]
    text_hash_id: Value,
    /// Text where the model failed.
    #[serde(default)]
    response: Value,
}

/// A value as words; empty where it is none.
fn words(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn strings(value: Option<&Value>) -> impl Iterator<Item = &str> {
    let all = value.and_then(Value::as_array).into_iter().flatten();
    all.filter_map(Value::as_str)
}

/// What was stated of two entities. The tables keep `A relation B` as one text, and do not keep which end is the first.
#[derive(Default)]
struct Stated {
    label: String,
    /// Further statements; the first too where it has no label.
    rest: String,
    /// Whether the second end is the one that acts.
    turned: bool,
    /// Statements that were mended.
    mended: Vec<String>,
}

impl Stated {
    fn of(context: &str, first: &str, second: &str) -> Stated {
        let mut stated = Stated::default();
        let mut parts = context.split('\t');
        let opening = parts.next().unwrap_or_default();
        let mut rest = Vec::new();
        if let Some(label) = between(opening, first, second) {
            stated.label = label;
        } else if let Some(label) = between(opening, second, first) {
            stated.label = label;
            stated.turned = true;
        } else {
            rest.push(opening.to_owned());
        }
        for part in parts {
            match drawn_together(part) {
                Some(mended) => {
                    stated.mended.push(mended.clone());
                    rest.push(mended);
                }
                None => rest.push(part.to_owned()),
            }
        }
        stated.rest = rest.join("\n");
        stated
    }
}

/// What stands between two names in a statement; none where they do not begin and end it.
fn between(statement: &str, first: &str, second: &str) -> Option<String> {
    if first.is_empty() || second.is_empty() {
        return None;
    }
    let rest = statement.strip_prefix(first)?.strip_prefix(' ')?;
    let label = rest.strip_suffix(second)?.strip_suffix(' ')?;
    Some(label.trim().to_owned())
}

/// A statement without the spaces between all its letters: a slip of NodeRAG, which joins the letters of a statement that comes
/// again. None where the letters stand together.
fn drawn_together(part: &str) -> Option<String> {
    let mut letters = part.chars().skip(1).step_by(2).peekable();
    letters.peek()?;
    let apart = letters.all(|char| char == ' ') && part.chars().count() % 2 == 1;
    apart.then(|| part.chars().step_by(2).collect())
}

#[cfg(test)]
mod tests {
    use super::super::Given;
    use super::super::fixture::damage;
    use super::super::rows::tests::{Values, write};
    use super::*;
    use proptest::prelude::*;
    use std::fs;

    fn texts(all: &[&'static str]) -> Values {
        Values::Texts(all.iter().map(|text| Some(*text)).collect())
    }

    const DECOMPOSITION: &str = r#"{"text_hash_id": "t1", "text_id": "T1", "response": {"Output": [{"semantic_unit": "Ada met Babbage.", "entities": ["ADA", "BABBAGE"], "relationships": ["ADA, met, BABBAGE", "ADA, one", "ADA, is, NOBODY"]}]}, "processed": true}
{"text_hash_id": "t2", "text_id": "T2", "response": {"Output": [{"semantic_unit": "Ada wrote.", "entities": ["ADA", "UNKNOWN"], "relationships": ["ADA, met again, BABBAGE"]}]}}
{"text_hash_id": "t2", "response": "Error cached"}
{"text_hash_id": "t9", "response": {"Output": []}}
"#;

    fn fixture(folder: &Path) {
        let path = |name: &str| folder.join(format!("{name}.parquet"));
        write(
            &path("text"),
            &[
                ("text_id", texts(&["T1", "T2"])),
                ("hash_id", texts(&["t1", "t2"])),
                ("context", texts(&["Ada met Babbage.", "Ada wrote notes."])),
                ("doc_hash_id", texts(&["d1", "d2"])),
                ("embedding", Values::Texts(vec![Some("done"), None])),
            ],
        );
        write(
            &path("documents"),
            &[
                ("doc_hash_id", texts(&["d1", "d2"])),
                ("path", texts(&["input/first.txt", "input/second.md"])),
            ],
        );
        write(
            &path("entities"),
            &[
                ("hash_id", texts(&["e1", "e2"])),
                ("context", texts(&["ADA", "BABBAGE"])),
                ("text_hash_id", texts(&["t1", "t1"])),
                ("weight", Values::Integers(vec![2, 1])),
            ],
        );
        write(
            &path("relationship"),
            &[
                ("hash_id", texts(&["r1", "r2", "r3", "r4"])),
                (
                    "unique_relationship",
                    Values::Lists(vec![vec!["e2", "e1"], vec!["e1"], vec!["e1", "e9"], vec![]]),
                ),
                (
                    "context",
                    texts(&["ADA met BABBAGE\tA D A   m e t", "ADA is ADA", "?", "?"]),
                ),
                ("text_hash_id", texts(&["t1", "t1", "t1", "t1"])),
                ("weight", Values::Integers(vec![1, 1, 1, 1])),
            ],
        );
        write(
            &path("semantic_units"),
            &[
                ("hash_id", texts(&["s1", "s2", "s3"])),
                (
                    "context",
                    texts(&["Ada met Babbage.", "Ada wrote.", "Alone."]),
                ),
            ],
        );
        write(
            &path("attributes"),
            &[
                ("node", texts(&["e1", "e8"])),
                ("context", texts(&["A countess.", "Nobody."])),
                ("hash_id", texts(&["a1", "a2"])),
            ],
        );
        write(
            &path("high_level_elements"),
            &[
                ("title_hash_id", texts(&["h1", "h2"])),
                (
                    "context",
                    texts(&["Two people and a machine.", "One person."]),
                ),
                (
                    "related_nodes",
                    Values::Lists(vec![vec!["h1", "s1", "s3"], vec!["a1", "x1", "h2"]]),
                ),
            ],
        );
        write(
            &path("high_level_elements_titles"),
            &[
                ("hash_id", texts(&["h1", "h2"])),
                ("context", texts(&["The engine", "The notes"])),
            ],
        );
        fs::write(folder.join(FOUND), DECOMPOSITION).unwrap();
        fs::write(folder.join("graph.pkl"), "never read").unwrap();
    }

    fn given(folder: &Path) -> Result<Given, GraphError> {
        let mut draft = Draft::default();
        read(folder, &mut draft)?;
        Ok(draft.finish())
    }

    fn kept(given: &Given, name: &str) -> (usize, usize) {
        let table = given.account.tables.iter().find(|table| table.name == name);
        table.map_or((0, 0), |table| (table.read, table.kept))
    }

    #[test]
    fn the_tables_are_joined_by_their_hashes() {
        let project = tempfile::tempdir().unwrap();
        let cache = project.path().join("cache");
        fs::create_dir_all(&cache).unwrap();
        fixture(&cache);
        assert_eq!(
            finds(&cache).as_deref(),
            Some("tables and text_decomposition")
        );
        fs::write(project.path().join("Node_config.yaml"), "api_key: secret").unwrap();
        let found = finds(project.path()).unwrap();
        assert_eq!(found, "tables and text_decomposition, in cache");
        let given = given(project.path()).unwrap();
        assert!(given.files.iter().all(|file| file.starts_with(&cache)));
        let titles: Vec<&str> = given.units.iter().map(|unit| &*unit.title).collect();
        assert_eq!(titles, ["first", "second"]);
        let ada = &given.entities[0];
        assert_eq!(
            (&*ada.name, &*ada.description, &ada.units[..]),
            ("ADA", "A countess.", &[0, 1][..])
        );
        let met = &given.relations[0];
        assert_eq!(
            (met.source, met.target, &*met.label, &*met.description),
            (0, 1, "met", "ADA met")
        );
        assert_eq!(met.units, [0, 1]);
        assert_eq!(kept(&given, "relations"), (4, 1));
        let communities: Vec<(&str, &[u32])> = given
            .communities
            .iter()
            .map(|c| (&*c.title, &c.members[..]))
            .collect();
        assert_eq!(
            communities,
            [("The engine", &[0, 1][..]), ("The notes", &[0][..])]
        );
        let account = given.account.to_string();
        for part in [
            "semantic units, which are no part of the graph: texts stand for them: 3",
            "of which no entity is known: 1 (s3)",
            "no file has as entities: 1 (x1)",
            "attributes of entities that no file has: 1 (Nobody.)",
            "whose letters stood apart, drawn together: 1 (ADA met)",
            "decompositions without an output: 1",
            "decompositions of texts that no file has: 1 (t9)",
            "relations of an entity to itself: 1",
        ] {
            assert!(account.contains(part), "{part}\n{account}");
        }
    }

    #[test]
    fn tables_alone_are_enough_and_a_missing_one_is_named() {
        let folder = tempfile::tempdir().unwrap();
        fixture(folder.path());
        fs::remove_file(folder.path().join(FOUND)).unwrap();
        for name in [
            "documents",
            "semantic_units",
            "attributes",
            "high_level_elements",
        ] {
            fs::remove_file(folder.path().join(format!("{name}.parquet"))).unwrap();
        }
        assert_eq!(finds(folder.path()).as_deref(), Some("tables alone"));
        let graph = given(folder.path()).unwrap();
        assert_eq!(graph.entities[0].units, [0]);
        assert_eq!(kept(&graph, "relations"), (4, 1));
        fs::remove_file(folder.path().join("relationship.parquet")).unwrap();
        let error = given(folder.path()).unwrap_err().to_string();
        assert!(
            error.contains("without its table relationship.parquet"),
            "{error}"
        );
        fs::remove_file(folder.path().join("entities.parquet")).unwrap();
        assert!(finds(folder.path()).is_none());
    }

    #[test]
    fn statements_give_the_direction() {
        let of = |context: &str| {
            let stated = Stated::of(context, "B", "A");
            (stated.label, stated.turned, stated.rest)
        };
        assert_eq!(of("A met B"), ("met".into(), true, String::new()));
        assert_eq!(of("B met A"), ("met".into(), false, String::new()));
        assert_eq!(
            of("they met\tA saw B"),
            (String::new(), false, "they met\nA saw B".into())
        );
        assert_eq!(of("A B"), (String::new(), false, "A B".into()));
        assert_eq!(drawn_together("é t é").as_deref(), Some("été"));
        for together in ["", "a", "a b", "ab c", "a  "] {
            let mended = drawn_together(together);
            assert_eq!(
                mended.is_some(),
                ["a b", "a  "].contains(&together),
                "{together}"
            );
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(150))]

        /// Whatever happened to a file: a graph or an error.
        #[test]
        fn damaged_files_give_an_error_or_a_graph(
            file in 0_usize..9, damage in damage(),
        ) {
            let folder = tempfile::tempdir().unwrap();
            fixture(folder.path());
            let names = [
                "text.parquet", "documents.parquet", "entities.parquet", "relationship.parquet", "semantic_units.parquet",
                "attributes.parquet", "high_level_elements.parquet", "high_level_elements_titles.parquet", FOUND,
            ];
            damage.hit(&folder.path().join(names[file]));
            let _ = finds(folder.path());
            let _ = given(folder.path());
        }
    }
}
