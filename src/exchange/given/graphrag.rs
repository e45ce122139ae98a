//! Microsoft GraphRAG of every generation: tables of text units, entities, relationships, communities and their reports, as
//! Parquet or CSV. No file has a version: generations are told by names of files and columns. KET-RAG adds a table of keywords,
//! and of the pieces of text that have them.

use super::super::schema::GraphError;
use super::rows::{self, Cell};
use super::{Draft, Sort, System, Unit};
use rustc_hash::FxHashMap;
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
/// KET-RAG's tables.
const KEYWORDS: &str = "keyword_index";
const PIECES: &str = "split_text_units";
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

    /// The keywords of KET-RAG, which is made from a version with the prefix.
    fn keywords(&self) -> Option<PathBuf> {
        rows::table(&self.folder, KEYWORDS).filter(|_| self.prefix == PREFIX)
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

/// A folder with at least two of the tables, which are GraphRAG's own: others have an `entities.csv` too.
fn here(folder: &Path) -> Option<Home> {
    let prefix = ["", PREFIX]
        .into_iter()
        .find(|prefix| is_own(folder, prefix))?;
    Some(Home {
        folder: folder.to_owned(),
        prefix,
        others: 0,
    })
}

fn is_own(folder: &Path, prefix: &str) -> bool {
    let tables = ["text_units", "entities", "relationships", "communities"];
    let there = tables.map(|name| rows::table(folder, &format!("{prefix}{name}")));
    let [units, ..] = &there;
    if there.iter().flatten().count() < 2 {
        return false;
    }
    let names_units = |path: &PathBuf| {
        let columns = rows::columns(path);
        columns.iter().any(|column| column == "text_unit_ids")
    };
    !prefix.is_empty() || units.is_some() || there.iter().flatten().any(names_units)
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
        PREFIX if home.keywords().is_some() => "0.4, with the tables of KET-RAG",
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
    note_beside(&home, draft);
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
    require(&units, &[&["id"], &["text"]])?;
    require(&entities, &[&["title", "name"]])?;
    require(&relations, &[&["source"], &["target"]])?;
    let titles = titles(&home, draft)?;
    read_units(&units, &titles, draft)?;
    let by_id = read_entities(&entities, draft)?;
    if let Some(keywords) = home.keywords() {
        read_keywords(&keywords, &home, &titles, &by_id, draft)?;
    }
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

/// Tables that lie there in another form: those of another generation, or as CSV beside Parquet.
fn note_beside(home: &Home, draft: &mut Draft) {
    let tables = [
        "text_units",
        "entities",
        "relationships",
        "communities",
        "community_reports",
        "documents",
    ];
    for name in tables {
        let Some(path) = home.table(name) else {
            continue;
        };
        let stems = ["", PREFIX].map(|prefix| format!("{prefix}{name}"));
        let files = stems
            .iter()
            .flat_map(|stem| ["parquet", "csv"].map(|ending| format!("{stem}.{ending}")));
        for file in files {
            let other = home.folder.join(&file);
            if other != path && other.is_file() {
                let what = "tables that are there in another form too, not read";
                draft.note(Sort::Seen, what, &file);
            }
        }
    }
}

/// A table without a column that the graph is made of says so. Of every group one name is enough.
fn require(path: &Path, groups: &[&[&str]]) -> Result<(), GraphError> {
    let columns = rows::columns(path);
    // One that cannot be read says why when it is read.
    if columns.is_empty() {
        return Ok(());
    }
    for group in groups {
        if !group
            .iter()
            .any(|name| columns.iter().any(|own| own == name))
        {
            let expected = format!("a column {}", group.join(" or "));
            return Err(GraphError::record(path, 0, expected, columns.join(", ")));
        }
    }
    Ok(())
}

/// The titles of the documents by their identifiers, where there are several documents.
fn titles(home: &Home, draft: &mut Draft) -> Result<FxHashMap<String, String>, GraphError> {
    let Some(path) = home.table("documents") else {
        return Ok(FxHashMap::default());
    };
    draft.file(&path);
    rows::titles(&path, ["id", "title"])
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

/// Reads the keywords, each an entity of the text units that have it. An entity of the same name in any case is the same.
fn read_keywords(
    path: &Path,
    home: &Home,
    titles: &FxHashMap<String, String>,
    by_id: &FxHashMap<String, String>,
    draft: &mut Draft,
) -> Result<(), GraphError> {
    let Some(pieces) = rows::table(&home.folder, PIECES) else {
        let what = "keyword tables without split_text_units, which leads from keywords to texts";
        let name = super::nodelink::name_of(path);
        draft.note(Sort::LeftOut, what, &name);
        return Ok(());
    };
    require(&pieces, &[&["id"], &["chunk"]])?;
    require(path, &[&["word"], &["chunk_ids"]])?;
    let units = read_pieces(&pieces, titles, draft)?;
    let mut entities: Vec<&String> = by_id.values().collect();
    entities.sort_unstable();
    let mut names: FxHashMap<String, String> = FxHashMap::default();
    for title in entities {
        let first = || title.clone();
        names.entry(title.to_lowercase()).or_insert_with(first);
    }
    draft.file(path);
    rows::read(path, &["word", "chunk_ids"], &mut |_, cells| {
        let [word, ids] = cells else {
            return Ok(());
        };
        let word = word.text();
        let mut own = Vec::new();
        for id in ids.list() {
            match units.get(&id) {
                Some(unit) => own.push(unit.as_str()),
                None => {
                    let what = "pieces of text that keywords name and no file has";
                    draft.note(Sort::LeftOut, what, &id);
                }
            }
        }
        let first = || word.clone();
        let key = names.entry(word.to_lowercase()).or_insert_with(first);
        draft.entity(key, &word, "keyword", "", own);
        Ok(())
    })
}

/// A piece of a text, as KET-RAG cuts all texts before it puts those that matter most together again.
#[derive(Default)]
struct Piece {
    /// A running number over all texts.
    id: String,
    text: String,
    /// The text unit, where the table has it; the versions known have the number again.
    parent: String,
    document: String,
}

/// Reads the pieces; gives the text units that they are in, by their numbers. One that is in none is a text unit of its own:
/// GraphRAG's tables have the texts alone from which entities were extracted, and keywords lead to the others.
fn read_pieces(
    path: &Path,
    titles: &FxHashMap<String, String>,
    draft: &mut Draft,
) -> Result<FxHashMap<String, String>, GraphError> {
    draft.file(path);
    let mut pieces = Vec::new();
    let columns = ["id", "chunk", "chunk_id", "document_ids"];
    rows::read(path, &columns, &mut |_, cells| {
        if let [id, text, parent, documents] = cells {
            pieces.push(Piece {
                id: id.text(),
                text: text.text(),
                parent: parent.text(),
                document: documents.list().into_iter().next().unwrap_or_default(),
            });
        }
        Ok(())
    })?;
    pieces.sort_by_key(|piece| piece.id.parse().unwrap_or(u64::MAX));
    let mut wholes = Wholes::of(draft.units());
    let homes = pieces
        .iter()
        .map(|piece| match draft.has_unit(&piece.parent) {
            true => Some(piece.parent.clone()),
            false => wholes.find(&piece.text).map(str::to_owned),
        });
    let homes: Vec<Option<String>> = homes.collect();
    let mut units = FxHashMap::default();
    for (piece, home) in pieces.into_iter().zip(homes) {
        let home = home.unwrap_or_else(|| {
            let what = "pieces of text in no text unit, which are their own";
            draft.note(Sort::Seen, what, &piece.id);
            let title = titles.get(&piece.document).map_or("", String::as_str);
            draft.unit(&piece.id, title, &piece.text);
            piece.id.clone()
        });
        units.insert(piece.id, home);
    }
    Ok(units)
}

/// The text units that pieces were put together to, one after another in the order of their numbers.
struct Wholes<'u> {
    /// Texts with their identifiers, in the order of the texts.
    sorted: Vec<(&'u str, &'u str)>,
    /// The one that the last piece is in: what follows the piece there.
    open: Option<(&'u str, &'u str)>,
}

impl<'u> Wholes<'u> {
    fn of(units: &'u [Unit]) -> Wholes<'u> {
        let texts = units.iter().map(|unit| (unit.text.trim_start(), &*unit.id));
        let mut sorted: Vec<(&str, &str)> = texts.collect();
        sorted.sort_by_key(|(text, _)| *text);
        Wholes { sorted, open: None }
    }

    /// The unit that goes on with a piece, or else one that begins with it.
    fn find(&mut self, piece: &str) -> Option<&'u str> {
        let piece = piece.trim();
        if piece.is_empty() {
            return None;
        }
        let at = self.sorted.partition_point(|(text, _)| *text < piece);
        let begins = self.sorted.get(at).copied();
        let mut found = [self.open, begins].into_iter().flatten();
        let (rest, id) = found.find_map(|(text, id)| Some((text.strip_prefix(piece)?, id)))?;
        self.open = Some((rest.trim_start(), id));
        Some(id)
    }
}

/// What a report says of a community.
#[derive(Default)]
struct Report {
    title: String,
    summary: String,
    /// Whether a community has it.
    used: bool,
}

/// The reports, by what the tables call their communities.
#[derive(Default)]
struct Reports(FxHashMap<String, Report>);

impl Reports {
    fn read(home: &Home, draft: &mut Draft) -> Result<Reports, GraphError> {
        let mut reports = Reports::default();
        let Some(path) = home.table("community_reports") else {
            return Ok(reports);
        };
        draft.file(&path);
        let columns = ["community", "title", "summary"];
        rows::read(&path, &columns, &mut |_, cells| {
            let report = Report {
                title: cells[1].text(),
                summary: cells[2].text(),
                used: false,
            };
            if let Some(before) = reports.0.insert(cells[0].text(), report) {
                let what = "reports of a community that has a later one";
                draft.note(Sort::LeftOut, what, &before.title);
            }
            Ok(())
        })?;
        Ok(reports)
    }

    /// Adds a community, with the report where it is the first of its name.
    fn add(&mut self, draft: &mut Draft, key: &str, title: &str, level: u32, members: &[String]) {
        let members = members.iter().map(String::as_str);
        match self.0.get_mut(key) {
            Some(report) if !report.used => {
                report.used = true;
                draft.community(&report.title, level, members, &report.summary);
            }
            _ => draft.community(title, level, members, ""),
        }
    }

    /// Counts those that no community has.
    fn finish(self, draft: &mut Draft) {
        for report in self.0.values().filter(|report| !report.used) {
            draft.note(
                Sort::LeftOut,
                "reports of communities that no table has",
                &report.title,
            );
        }
    }
}

/// A level of the tables, 0 where they have none.
fn level(cell: &Cell) -> u32 {
    let level = cell.integer().unwrap_or(0);
    u32::try_from(level).unwrap_or(0)
}

fn read_communities(
    home: &Home,
    by_id: &FxHashMap<String, String>,
    draft: &mut Draft,
) -> Result<(), GraphError> {
    let mut reports = Reports::read(home, draft)?;
    // Old tables say of every node in which community of which level it is.
    let nodes = home.table("nodes").filter(|_| home.prefix == PREFIX);
    match (nodes, home.table("communities")) {
        (Some(nodes), _) => communities_of_nodes(&nodes, &mut reports, draft)?,
        (None, Some(table)) => communities(&table, by_id, &mut reports, draft)?,
        (None, None) => {}
    }
    reports.finish(draft);
    Ok(())
}

fn communities_of_nodes(
    path: &Path,
    reports: &mut Reports,
    draft: &mut Draft,
) -> Result<(), GraphError> {
    draft.file(path);
    let mut members: BTreeMap<(u32, String), Vec<String>> = BTreeMap::new();
    rows::read(path, &["title", "community", "level"], &mut |_, cells| {
        let community = cells[1].text();
        // pandas writes NaN where a column of numbers has none.
        if !["", "-1", "NaN"].contains(&community.as_str()) {
            let own = members.entry((level(&cells[2]), community)).or_default();
            own.push(cells[0].text());
        }
        Ok(())
    })?;
    for ((level, community), members) in &members {
        let title = format!("Community {community}");
        reports.add(draft, community, &title, *level, members);
    }
    Ok(())
}

fn communities(
    path: &Path,
    by_id: &FxHashMap<String, String>,
    reports: &mut Reports,
    draft: &mut Draft,
) -> Result<(), GraphError> {
    draft.file(path);
    let columns = ["community", "id", "title", "level", "entity_ids"];
    rows::read(path, &columns, &mut |_, cells| {
        let key = match &cells[0] {
            Cell::Absent => cells[1].text(),
            key => key.text(),
        };
        let ids = cells[4].list().into_iter();
        let members: Vec<String> = ids
            .map(|id| by_id.get(&id).cloned().unwrap_or(id))
            .collect();
        reports.add(draft, &key, &cells[2].text(), level(&cells[3]), &members);
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::super::fixture::damage;
    use super::super::rows::tests::{Values, write};
    use super::super::{Given, find, read};
    use super::*;
    use proptest::prelude::*;

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

    /// The tables of KET-RAG over those of 0.5: the rows come in any order.
    fn ket(folder: &Path, rows: [usize; 5]) {
        let of = |all: [&'static str; 5]| Values::Texts(rows.map(|row| Some(all[row])).to_vec());
        let numbers = ["0", "1", "2", "3", "10"];
        write(
            &folder.join("split_text_units.parquet"),
            &[
                ("id", of(numbers)),
                (
                    "chunk",
                    of(["Ada met", " Babbage.", "It rained.", "She wrote ", "notes."]),
                ),
                ("chunk_id", of(numbers)),
            ],
        );
        let pieces = [
            vec!["0"],
            vec!["1", "0"],
            vec!["2"],
            vec!["10", "3"],
            vec!["99"],
        ];
        write(
            &folder.join("keyword_index.parquet"),
            &[
                ("word", texts(&["Ada", "met", "rained", "notes", "Met"])),
                ("chunk_ids", Values::Lists(pieces.to_vec())),
            ],
        );
    }

    #[test]
    fn keywords_lead_to_the_text_units_that_their_pieces_are_in() {
        let orders = [[0, 1, 2, 3, 4], [3, 4, 1, 0, 2]];
        let [first, second] = orders.map(|rows| {
            let folder = tempfile::tempdir().unwrap();
            old(folder.path());
            ket(folder.path(), rows);
            let found = find(folder.path()).unwrap();
            assert_eq!(found.generation, "0.4, with the tables of KET-RAG");
            given(folder.path()).unwrap()
        });
        assert_eq!(
            (&first.units, &first.entities),
            (&second.units, &second.entities)
        );
        let units: Vec<(&str, &str)> = first.units.iter().map(|u| (&*u.id, &*u.text)).collect();
        assert_eq!(
            units,
            [
                ("u1", "Ada met Babbage."),
                ("u2", "She wrote notes."),
                ("2", "It rained.")
            ]
        );
        let entities: Vec<(&str, &str, &[u32])> = (first.entities.iter())
            .map(|e| (&*e.name, &*e.kind, &*e.units))
            .collect();
        assert_eq!(
            entities,
            [
                ("ADA", "PERSON", &[0, 1][..]),
                ("BABBAGE", "PERSON", &[0]),
                ("met", "keyword", &[0]),
                ("rained", "keyword", &[2]),
                ("notes", "keyword", &[1]),
            ]
        );
        let account = first.account.to_string();
        for part in [
            "pieces of text in no text unit, which are their own: 1 (2)",
            "pieces of text that keywords name and no file has: 1 (99)",
            "entities joined to the first of their name: 2 (Ada; Met)",
        ] {
            assert!(account.contains(part), "{part}\n{account}");
        }
    }

    #[test]
    fn the_column_of_a_pieces_text_unit_goes_before_its_text() {
        let folder = tempfile::tempdir().unwrap();
        old(folder.path());
        ket(folder.path(), [0, 1, 2, 3, 4]);
        write(
            &folder.path().join("split_text_units.parquet"),
            &[
                ("id", texts(&["0", "1", "2", "3"])),
                ("chunk", texts(&["ada", "met", "it rained", "she wrote"])),
                ("chunk_id", texts(&["u1", "u1", "u2", "u2"])),
            ],
        );
        let graph = given(folder.path()).unwrap();
        let met = graph.entities.iter().find(|e| e.name == "met").unwrap();
        assert_eq!((graph.units.len(), &met.units[..]), (2, &[0][..]));
        fs::remove_file(folder.path().join("split_text_units.parquet")).unwrap();
        let graph = given(folder.path()).unwrap();
        assert_eq!(graph.entities.len(), 2);
        let account = graph.account.to_string();
        assert!(
            account.contains("without split_text_units, which leads from keywords to texts: 1"),
            "{account}"
        );
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

    /// The tables of 3.x as CSV: lists as numpy writes them, identifiers of entities in the communities, two documents.
    fn new(folder: &Path) {
        for (name, text) in [
            (
                "text_units",
                "id,text,document_id\nu1,Ada met Babbage.,d1\nu2,She wrote notes.,d2\nu3,,d2\n",
            ),
            (
                "documents",
                "id,title,text\nd1,first.txt,?\nd2,second.md,?\n",
            ),
            (
                "entities",
                "id,title,type,description,text_unit_ids\n\
                 e1,ADA,PERSON,A countess.,\"['u1'\n 'u2']\"\ne2,BABBAGE,PERSON,,\"['u1', 'u9']\"\n",
            ),
            (
                "relationships",
                "source,target,description,weight,text_unit_ids\n\
                 ADA,BABBAGE,They met.,0.25,['u1']\nADA,BABBAGE,Again.,,\"[]\"\n",
            ),
            (
                "communities",
                "id,community,level,title,entity_ids\nc0,0,0,Community 0,\"['e1', 'e2', 'e9']\"\nc1,1,1,Community 1,['e1']\n",
            ),
            (
                "community_reports",
                "community,title,summary\n0,Old,An old one.\n0,The engine,Two people.\n7,Nothing,Nobody.\n",
            ),
            ("covariates", "id,type\nk1,claim\nk2,claim\n"),
        ] {
            fs::write(folder.join(format!("{name}.csv")), text).unwrap();
        }
    }

    #[test]
    fn the_tables_of_3_as_csv() {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("output");
        fs::create_dir_all(&output).unwrap();
        fs::create_dir_all(folder.path().join("update_output")).unwrap();
        new(&output);
        let found = find(folder.path()).unwrap();
        assert_eq!(found.generation, "3.x (document_id), CSV, in output");
        old(&output);
        let given = given(folder.path()).unwrap();
        let units: Vec<(&str, &str)> = given.units.iter().map(|u| (&*u.id, &*u.title)).collect();
        assert_eq!(units, [("u1", "first"), ("u2", "second")]);
        assert_eq!(given.entities[0].units, [0, 1]);
        let weights: Vec<f64> = given.relations.iter().map(|r| r.weight).collect();
        assert_eq!(weights, [0.25, 1.0]);
        let communities: Vec<(&str, u32, &[u32], &str)> = given
            .communities
            .iter()
            .map(|c| (&*c.title, c.level, &c.members[..], &*c.report))
            .collect();
        assert_eq!(
            communities,
            [
                ("The engine", 0, &[0, 1][..], "Two people."),
                ("Community 1", 1, &[0][..], "")
            ]
        );
        let account = given.account.to_string();
        for part in [
            "text units without text: 1 (u3)",
            "text units that entities name and no file has: 1 (u9)",
            "no file has as entities: 1 (e9)",
            "reports of a community that has a later one: 1 (Old)",
            "reports of communities that no table has: 1 (Nothing)",
            "claims (covariates), not part of the graph: 2 (k1; k2)",
            "folders update_output, not read: 1",
            "in another form too, not read: 4 (create_final_text_units.parquet",
        ] {
            assert!(account.contains(part), "{part}\n{account}");
        }
    }

    #[test]
    fn tables_of_others_are_not_taken() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        write("entities.csv", "id,title\n1,Ada\n");
        write("relationships.csv", "source,target\n1,2\n");
        assert!((GRAPHRAG.finds)(folder.path()).is_none());
        write("entities.csv", "id,title,text_unit_ids\n1,Ada,['u']\n");
        let found = (GRAPHRAG.finds)(folder.path());
        assert_eq!(found.as_deref(), Some("2.x (document_ids)"));
    }

    #[test]
    fn a_table_without_its_columns_says_which() {
        let folder = tempfile::tempdir().unwrap();
        new(folder.path());
        let path = folder.path().join("entities.csv");
        fs::write(&path, "id,label,text_unit_ids\ne1,ADA,['u1']\n").unwrap();
        let said = given(folder.path()).unwrap_err().to_string();
        assert!(
            said.contains("expected a column title or name; found id, label"),
            "{said}"
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(150))]

        /// Whatever happened to a table: a graph or an error.
        #[test]
        fn damaged_tables_give_an_error_or_a_graph(
            kind in 0_u8..3, file in any::<prop::sample::Index>(), damage in damage(),
        ) {
            let folder = tempfile::tempdir().unwrap();
            match kind {
                0 => new(folder.path()),
                1 => old(folder.path()),
                _ => {
                    old(folder.path());
                    ket(folder.path(), [0, 1, 2, 3, 4]);
                }
            }
            let mut files: Vec<PathBuf> = fs::read_dir(folder.path()).unwrap().flatten().map(|f| f.path()).collect();
            files.sort();
            let file: &PathBuf = file.get(&files);
            damage.hit(file);
            let _ = (GRAPHRAG.finds)(folder.path());
            let mut draft = Draft::default();
            if super::read(folder.path(), &mut draft).is_ok() {
                draft.finish();
            }
        }
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
            let mut rows = 0;
            let path = home.table("communities").unwrap();
            rows::read(&path, &["id"], &mut |_, _| {
                rows += 1;
                Ok(())
            })
            .unwrap();
            assert_eq!(given.account.read("communities"), rows, "{name}");
            let reports = given.communities.iter().filter(|c| !c.report.is_empty());
            assert!(reports.count() > 0, "{name}");
        }
    }
}
