//! Microsoft GraphRAG of every generation: tables of text units, entities, relationships, communities and their reports, as
//! Parquet or CSV. No file has a version: generations are told by names of files and columns.

use super::super::schema::GraphError;
use super::rows::{self, Cell};
use super::{Draft, Sort, System, plain};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Microsoft GraphRAG.
pub static GRAPHRAG: System = System {
    title: "Microsoft GraphRAG",
    about: "text_units, entities and relationships as .parquet or .csv, with or without the prefix create_final_, also in output/",
    finds,
    read,
};

/// What old tables are called before their name.
const PREFIX: &str = "create_final_";
/// Most folders of runs that are looked at.
const MOST_RUNS: usize = 1000;

/// Where the tables are, and what comes before their names.
struct Home {
    folder: PathBuf,
    prefix: &'static str,
    /// How many runs lie beside this one.
    others: usize,
}

impl Home {
    fn table(&self, name: &str) -> Option<PathBuf> {
        rows::table(&self.folder, &format!("{}{name}", self.prefix))
    }
}

fn home(folder: &Path) -> Option<Home> {
    if let Some(home) = here(folder) {
        return Some(home);
    }
    // A project has its settings beside its output. They may hold keys and are not read.
    let settings = ["settings.yaml", "settings.yml", "prompts"];
    let project = settings.iter().any(|name| folder.join(name).exists());
    if !project && !super::is_bare(folder) {
        return None;
    }
    let output = folder.join("output");
    if let Some(home) = here(&output) {
        return Some(home);
    }
    // Before 0.4 every run had a folder of its own, called by its time.
    let runs = fs::read_dir(&output).ok()?.flatten().take(MOST_RUNS);
    let runs = runs.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let runs = runs.map(|entry| entry.path().join("artifacts"));
    let mut runs: Vec<Home> = runs.filter_map(|run| here(&run)).collect();
    runs.sort_by(|a, b| a.folder.cmp(&b.folder));
    let others = runs.len().saturating_sub(1);
    let last = runs.pop()?;
    Some(Home { others, ..last })
}

/// A folder with at least two of the tables that no corpus has by chance.
fn here(folder: &Path) -> Option<Home> {
    let known = |prefix: &'static str| {
        let tables = ["text_units", "entities", "relationships", "communities"];
        let there = tables
            .iter()
            .filter(|name| rows::table(folder, &format!("{prefix}{name}")).is_some());
        there.count() >= 2
    };
    let prefix = ["", PREFIX].into_iter().find(|prefix| known(prefix))?;
    Some(Home {
        folder: folder.to_owned(),
        prefix,
        others: 0,
    })
}

fn finds(folder: &Path) -> Option<String> {
    let home = home(folder)?;
    let entities = home.table("entities").map(|path| rows::columns(&path));
    let entities = entities.unwrap_or_default();
    let units = home.table("text_units").map(|path| rows::columns(&path));
    let units = units.unwrap_or_default();
    let has = |columns: &[String], name: &str| columns.iter().any(|own| own == name);
    let csv = home
        .table("text_units")
        .is_some_and(|path| path.extension().is_some_and(|ending| ending == "csv"));
    let generation = match home.prefix {
        PREFIX if rows::table(&home.folder, "keyword_index").is_some() => {
            "0.4, with the tables of KET-RAG"
        }
        PREFIX if has(&entities, "title") => "1.x (create_final_, title)",
        PREFIX => "0.2 to 0.5 (create_final_, name)",
        _ if has(&units, "document_id") => "3.x (document_id)",
        _ => "2.x (document_ids)",
    };
    let place = match home.folder.strip_prefix(folder) {
        Ok(below) if !below.as_os_str().is_empty() => format!(", in {}", below.display()),
        _ => String::new(),
    };
    let kind = if csv { ", CSV" } else { "" };
    Some(format!("{generation}{kind}{place}"))
}

fn read(folder: &Path, draft: &mut Draft) -> Result<(), GraphError> {
    let Some(home) = home(folder) else {
        return Err(GraphError::record(folder, 0, "tables of GraphRAG", "none"));
    };
    if home.others > 0 {
        let name = home.folder.display().to_string();
        for _ in 0..home.others {
            draft.note(Sort::Seen, "earlier runs in output/, not read", &name);
        }
    }
    if folder.join("update_output").is_dir() {
        draft.note(Sort::Seen, "folders update_output, not read", "");
    }
    let need = |name: &str| {
        home.table(name).ok_or_else(|| GraphError::Unreadable {
            path: home.folder.clone(),
            what: format!("GraphRAG without its table {}{name}", home.prefix),
            remedy: "run its indexing to the end, or name the folder that has all tables".into(),
        })
    };
    let (units, entities, relations) = (
        need("text_units")?,
        need("entities")?,
        need("relationships")?,
    );
    let titles = titles(&home, draft)?;
    read_units(&units, &titles, draft)?;
    let by_id = read_entities(&entities, draft)?;
    read_relations(&relations, draft)?;
    read_communities(&home, &by_id, draft)?;
    if let Some(claims) = home.table("covariates") {
        draft.file(&claims);
        rows::read(&claims, &["id"], &mut |_, cells| {
            draft.note(
                Sort::Seen,
                "claims (covariates), not part of the graph",
                &cells[0].text(),
            );
            Ok(())
        })?;
    }
    Ok(())
}

/// The titles of the documents by their identifiers, where there are several documents.
fn titles(home: &Home, draft: &mut Draft) -> Result<FxHashMap<String, String>, GraphError> {
    let mut titles = FxHashMap::default();
    let Some(path) = home.table("documents") else {
        return Ok(titles);
    };
    draft.file(&path);
    rows::read(&path, &["id", "title"], &mut |_, cells| {
        let title = cells[1].text();
        titles.insert(cells[0].text(), plain::stem(&title));
        Ok(())
    })?;
    if titles.len() == 1 {
        titles.clear();
    }
    Ok(titles)
}

fn read_units(
    path: &Path,
    titles: &FxHashMap<String, String>,
    draft: &mut Draft,
) -> Result<(), GraphError> {
    draft.file(path);
    let columns = ["id", "text", "document_id", "document_ids"];
    rows::read(path, &columns, &mut |_, cells| {
        let document = match &cells[2] {
            Cell::Absent => cells[3].list().into_iter().next().unwrap_or_default(),
            one => one.text(),
        };
        let title = titles.get(&document).map_or("", String::as_str);
        draft.unit(&cells[0].text(), title, &cells[1].text());
        Ok(())
    })
}

/// Reads the entities, which relations call by their title; gives the titles by identifier.
fn read_entities(path: &Path, draft: &mut Draft) -> Result<FxHashMap<String, String>, GraphError> {
    draft.file(path);
    let mut by_id = FxHashMap::default();
    let columns = [
        "id",
        "title",
        "name",
        "type",
        "description",
        "text_unit_ids",
    ];
    rows::read(path, &columns, &mut |_, cells| {
        let title = match &cells[1] {
            Cell::Absent => cells[2].text(),
            title => title.text(),
        };
        let units = cells[5].list();
        let units = units.iter().map(String::as_str);
        draft.entity(&title, &title, &cells[3].text(), &cells[4].text(), units);
        by_id.insert(cells[0].text(), title);
        Ok(())
    })?;
    Ok(by_id)
}

fn read_relations(path: &Path, draft: &mut Draft) -> Result<(), GraphError> {
    draft.file(path);
    let columns = ["source", "target", "description", "weight", "text_unit_ids"];
    rows::read(path, &columns, &mut |_, cells| {
        let ends = [cells[0].text(), cells[1].text()];
        let units = cells[4].list();
        let units = units.iter().map(String::as_str);
        let ends = [ends[0].as_str(), ends[1].as_str()];
        draft.relation(ends, "", &cells[2].text(), cells[3].real(), units);
        Ok(())
    })
}

/// What a report says of a community.
#[derive(Default)]
struct Report {
    title: String,
    summary: String,
}

fn read_communities(
    home: &Home,
    by_id: &FxHashMap<String, String>,
    draft: &mut Draft,
) -> Result<(), GraphError> {
    let mut reports: FxHashMap<String, Report> = FxHashMap::default();
    if let Some(path) = home.table("community_reports") {
        draft.file(&path);
        rows::read(
            &path,
            &["community", "title", "summary"],
            &mut |_, cells| {
                let report = Report {
                    title: cells[1].text(),
                    summary: cells[2].text(),
                };
                reports.insert(cells[0].text(), report);
                Ok(())
            },
        )?;
    }
    let mut used = FxHashSet::default();
    let mut add = |draft: &mut Draft, key: &str, title: &str, level: u32, members: &[String]| {
        let report = reports.get(key);
        used.insert(key.to_owned());
        let title = report.map_or(title, |report| &report.title);
        let summary = report.map_or("", |report| &report.summary);
        let members = members.iter().map(String::as_str);
        draft.community(title, level, members, summary);
    };
    // Old tables say of every node in which community of which level it is.
    let nodes = home.table("nodes").filter(|_| home.prefix == PREFIX);
    if let Some(path) = nodes {
        draft.file(&path);
        let mut members: BTreeMap<(i64, String), Vec<String>> = BTreeMap::new();
        rows::read(&path, &["title", "community", "level"], &mut |_, cells| {
            let community = cells[1].text();
            if !community.is_empty() && community != "-1" {
                let level = cells[2].integer().unwrap_or(0);
                let own = members.entry((level, community)).or_default();
                own.push(cells[0].text());
            }
            Ok(())
        })?;
        for ((level, community), members) in &members {
            let title = format!("Community {community}");
            let level = u32::try_from(*level).unwrap_or(0);
            add(draft, community, &title, level, members);
        }
    } else if let Some(path) = home.table("communities") {
        draft.file(&path);
        let columns = ["community", "id", "title", "level", "entity_ids"];
        rows::read(&path, &columns, &mut |_, cells| {
            let key = match &cells[0] {
                Cell::Absent => cells[1].text(),
                key => key.text(),
            };
            let members: Vec<String> = cells[4]
                .list()
                .into_iter()
                .map(|id| by_id.get(&id).cloned().unwrap_or(id))
                .collect();
            let level = u32::try_from(cells[3].integer().unwrap_or(0)).unwrap_or(0);
            add(draft, &key, &cells[2].text(), level, &members);
            Ok(())
        })?;
    }
    for (key, report) in &reports {
        if !used.contains(key) {
            draft.note(
                Sort::LeftOut,
                "reports of communities that no table has",
                &report.title,
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::rows::tests::{Values, write};
    use super::super::{Given, find, read};
    use super::*;

    fn given(folder: &Path) -> Result<Given, GraphError> {
        let found = find(folder).unwrap();
        assert_eq!(found.system.title, "Microsoft GraphRAG");
        read(&found)
    }

    fn texts(all: &[&'static str]) -> Values {
        Values::Texts(all.iter().map(|text| Some(*text)).collect())
    }

    /// The tables of 0.5: names, nodes by level, a community of comma-joined text.
    fn old(folder: &Path) {
        let path = |name: &str| folder.join(format!("{PREFIX}{name}.parquet"));
        write(
            &path("text_units"),
            &[
                ("id", texts(&["u1", "u2"])),
                ("text", texts(&["Ada met Babbage.", "She wrote notes."])),
                ("document_ids", Values::Lists(vec![vec!["d1"], vec!["d1"]])),
            ],
        );
        write(
            &path("entities"),
            &[
                ("id", texts(&["e1", "e2"])),
                ("name", texts(&["ADA", "BABBAGE"])),
                ("type", texts(&["PERSON", "PERSON"])),
                (
                    "description",
                    Values::Texts(vec![Some("A countess."), None]),
                ),
                (
                    "text_unit_ids",
                    Values::Lists(vec![vec!["u1", "u2"], vec!["u1"]]),
                ),
            ],
        );
        write(
            &path("relationships"),
            &[
                ("source", texts(&["ADA", "ADA"])),
                ("target", texts(&["BABBAGE", "NOBODY"])),
                ("description", texts(&["They met.", "?"])),
                ("weight", Values::Reals(vec![2.0, 1.0])),
                ("text_unit_ids", Values::Lists(vec![vec!["u1"], vec![]])),
            ],
        );
        write(
            &path("nodes"),
            &[
                ("title", texts(&["ADA", "BABBAGE", "ADA", "BABBAGE"])),
                ("community", texts(&["0", "0", "1", "-1"])),
                ("level", Values::Integers(vec![0, 0, 1, 1])),
            ],
        );
        write(
            &path("community_reports"),
            &[
                ("community", texts(&["0"])),
                ("title", texts(&["The engine"])),
                ("summary", texts(&["Two people and a machine."])),
            ],
        );
    }

    #[test]
    fn the_tables_of_old_generations() {
        let folder = tempfile::tempdir().unwrap();
        let artifacts = folder.path().join("output/20240701-120000/artifacts");
        fs::create_dir_all(&artifacts).unwrap();
        old(&artifacts);
        fs::write(folder.path().join("notes.md"), "# Notes\n").unwrap();
        assert!(
            find(folder.path()).is_none(),
            "notes, and a folder called output"
        );
        fs::write(folder.path().join("settings.yaml"), "api_key: secret\n").unwrap();
        let found = find(folder.path()).unwrap();
        assert!(
            found.generation.starts_with("0.2 to 0.5"),
            "{}",
            found.generation
        );
        let given = given(folder.path()).unwrap();
        assert_eq!(
            (
                given.units.len(),
                given.entities.len(),
                given.relations.len()
            ),
            (2, 2, 1)
        );
        assert_eq!(given.entities[0].units, [0, 1]);
        assert_eq!(given.relations[0].weight, 2.0);
        let communities: Vec<(&str, u32, usize)> = given
            .communities
            .iter()
            .map(|c| (&*c.title, c.level, c.members.len()))
            .collect();
        assert_eq!(communities, [("The engine", 0, 2), ("Community 1", 1, 1)]);
        let said = given.account.to_string();
        assert!(said.contains("no file has: 1 (NOBODY)"), "{said}");
    }

    #[test]
    fn a_folder_that_lacks_a_table_says_which() {
        let folder = tempfile::tempdir().unwrap();
        old(folder.path());
        fs::remove_file(folder.path().join("create_final_relationships.parquet")).unwrap();
        let said = given(folder.path()).unwrap_err().to_string();
        assert!(
            said.contains("GraphRAG without its table create_final_relationships"),
            "{said}"
        );
        fs::write(folder.path().join("create_final_entities.parquet"), "PAR1").unwrap();
        let said = given(folder.path()).unwrap_err().to_string();
        assert!(said.contains("create_final_relationships"), "{said}");
        old(folder.path());
        let path = folder.path().join("create_final_entities.parquet");
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        let said = given(folder.path()).unwrap_err().to_string();
        assert!(
            said.contains("create_final_entities.parquet: expected a whole Parquet file"),
            "{said}"
        );
    }

    /// The projects' own samples, where they are: every row of every table.
    #[test]
    fn the_samples_are_read_whole() {
        let root = std::env::var_os("HOPSCOPE_SHARED").map_or_else(
            || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"),
            PathBuf::from,
        );
        let root = root.join("data/indexes/graphrag");
        for name in ["ms-operation-dulce", "v0.5-operation-dulce"] {
            let folder = root.join(name);
            if !folder.exists() {
                eprintln!("skipped: {} is not here", folder.display());
                return;
            }
            let given = given(&folder).unwrap();
            let home = home(&folder).unwrap();
            for (table, read) in [
                ("text_units", "text units"),
                ("entities", "entities"),
                ("relationships", "relations"),
            ] {
                let mut rows = 0;
                let path = home.table(table).unwrap();
                rows::read(&path, &["id"], &mut |_, _| {
                    rows += 1;
                    Ok(())
                })
                .unwrap();
                assert_eq!(given.account.read(read), rows, "{name} {table}");
            }
            assert!(!given.communities.is_empty(), "{name}");
        }
    }
}
