//! Graphs that retrieval systems keep in tables of PostgreSQL: LightRAG's plain tables and DocsGPT's. Read in one transaction
//! that can write nothing; a graph is a copy of the tables at that moment.
//!
//! | file | what lives there |
//! |---|---|
//! | `tables` | which tables there are |
//! | `lightrag`, `docsgpt` | from tables to entities, relations and texts |
//! | `look_ups` | LightRAG's tables, asked for the rows that a question needs |

mod docsgpt;
mod lightrag;
mod look_ups;
mod tables;

pub use look_ups::{Came, Found, LookUps, Wanted};

use super::super::schema::GraphError;
use super::stream::Loose;
use super::{Draft, Sort, System};
use crate::exchange::postgres::address::{self, Address};
use crate::exchange::postgres::client::Snapshot;
use crate::exchange::postgres::{PUBLISHED, is_one};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tables::{Table, Tables};

/// Tables of a database.
pub static POSTGRES: System = System {
    title: "PostgreSQL",
    about: "postgres://HOST/DATABASE: LightRAG's plain tables (lightrag_graph_nodes, lightrag_graph_edges, lightrag_doc_chunks) or DocsGPT's (graph_nodes, graph_edges, graph_node_chunks, documents)",
    finds: |path| is_one(path).then(|| "tables".to_owned()),
    read,
};

/// A system whose tables are known.
struct Kind {
    /// In an address.
    id: &'static str,
    title: &'static str,
    /// Tables that it has, the one with its entities first.
    tables: &'static [&'static str],
    /// Whether the tables of a schema are its own.
    knows: fn(&Tables) -> bool,
    read: fn(&Source, &mut Draft) -> Result<String, GraphError>,
}

static KINDS: [&Kind; 2] = [&lightrag::LIGHTRAG, &docsgpt::DOCSGPT];

/// Most names that a message lists.
const LISTED: usize = 8;

/// What a reader reads from.
struct Source {
    snapshot: Snapshot,
    tables: Tables,
}

/// What a database has of something: its rows by the names of two counts.
type Counts = BTreeMap<String, [usize; 2]>;

impl Source {
    /// The tables of a database, and whose they are.
    fn open(address: Address) -> Result<(&'static Kind, Source), GraphError> {
        let snapshot = Snapshot::open(address)?;
        let names = KINDS
            .iter()
            .flat_map(|kind| kind.tables)
            .chain([&PUBLISHED]);
        let names: Vec<&str> = names.copied().collect();
        let found = tables::find(&snapshot, &names, &["lightrag_"])?;
        let (kind, tables) = pick(&snapshot, found)?;
        Ok((kind, Source { snapshot, tables }))
    }

    /// What the tables of a part are, and of which moment.
    fn generation(&self, part: &str, how: &str) -> String {
        let Snapshot {
            version, moment, ..
        } = &self.snapshot;
        format!(
            "tables of {}, schema {}, {part}, {how} {moment} UTC (PostgreSQL {version})",
            self.snapshot.address().place(),
            self.tables.schema
        )
    }

    /// A table that a graph cannot be without.
    fn need(&self, name: &str, remedy: &str) -> Result<&Table, GraphError> {
        let Some(table) = self.tables.get(name) else {
            let what = format!("no table {name} in schema {}", self.tables.schema);
            return Err(self.snapshot.error(what, remedy));
        };
        self.tables.readable(&self.snapshot, table)
    }

    /// Rows of a table as a file that was read.
    fn note(&self, table: &Table, draft: &mut Draft) {
        let name = format!(
            "postgres://{}/{}.{}",
            self.snapshot.address().place(),
            table.schema,
            table.name
        );
        draft.file(&PathBuf::from(name));
    }

    /// Notes columns of vectors, which are not read.
    fn vectors(&self, columns: &[(&Table, &str)], draft: &mut Draft) {
        let mut any = false;
        for (table, column) in columns {
            if let Some(kind) = table.kind(column) {
                any = true;
                let what = "columns of vectors, not read: they fit only the encoder that made them";
                draft.note(Sort::Seen, what, &format!("{}.{column} {kind}", table.name));
            }
        }
        if !any {
            draft.note(
                Sort::Seen,
                "no column of vectors, which would not be read",
                "",
            );
        }
    }

    /// Counts of rows by the values of a column, into one place of the counts.
    fn count(
        &self,
        table: &Table,
        by: &str,
        only: &str,
        place: usize,
        counts: &mut Counts,
    ) -> Result<(), GraphError> {
        let query = format!(
            "SELECT {}, pg_catalog.count(*) FROM {} WHERE {only} GROUP BY 1",
            table.text(by),
            table.sql()
        );
        for row in self.snapshot.all(&query)? {
            let all = counts.entry(row.get(0).to_owned()).or_default();
            if let Some(count) = all.get_mut(place) {
                *count = row.get(1).parse().unwrap_or(0);
            }
        }
        Ok(())
    }

    /// The one that an address asks for, or the only one there is.
    fn choose(
        &self,
        parameter: &str,
        asked: Option<&str>,
        counts: &Counts,
        of: [&str; 2],
    ) -> Result<String, GraphError> {
        let mut all: Vec<(&String, &[usize; 2])> = counts.iter().collect();
        all.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
        let list = all.iter().take(LISTED).map(|(name, [first, second])| {
            let count = |n: usize| crate::text::count(n);
            format!(
                "{name} ({} {}, {} {})",
                count(*first),
                of[0],
                count(*second),
                of[1]
            )
        });
        let mut list = list.collect::<Vec<_>>().join(", ");
        if all.len() > LISTED {
            list += ", …";
        }
        let Some((first, _)) = all.first() else {
            let what = format!("the tables of schema {} have no rows", self.tables.schema);
            return Err(self
                .snapshot
                .error(what, "index something first, or name another schema"));
        };
        let many = |n: usize| crate::text::plural(n, parameter);
        let add = |name: &str| {
            let shown = &self.snapshot.address().shown;
            let sign = match shown.to_string_lossy().contains('?') {
                true => '&',
                false => '?',
            };
            format!(
                "add {sign}{parameter}={} to the address",
                address::encoded(name)
            )
        };
        match asked {
            Some(asked) if counts.contains_key(asked) => Ok(asked.to_owned()),
            Some(asked) => Err(self.snapshot.error(
                format!("no {parameter} '{asked}' in schema {}", self.tables.schema),
                &format!("name one of {list}"),
            )),
            None if all.len() == 1 => Ok((*first).clone()),
            None => Err(self
                .snapshot
                .error(format!("{}: {list}", many(all.len())), &add(first))),
        }
    }
}

/// A value of JSON; one that is written into a text is taken out of it.
fn value(json: &str) -> Loose {
    match serde_json::from_str(json).unwrap_or_default() {
        Loose::Text(text) => serde_json::from_str(&text).unwrap_or(Loose::Text(text)),
        parsed => parsed,
    }
}

fn read(path: &Path, draft: &mut Draft) -> Result<(), GraphError> {
    let address = Address::of(path)?;
    // On a thread of its own: whoever asks may be at work for an event loop, within which another cannot wait.
    let work = || copy(address, draft);
    std::thread::scope(|scope| match scope.spawn(work).join() {
        Ok(read) => read,
        Err(panic) => std::panic::resume_unwind(panic),
    })
}

fn copy(address: Address, draft: &mut Draft) -> Result<(), GraphError> {
    let (kind, source) = Source::open(address)?;
    draft.held_by("table");
    let part = (kind.read)(&source, draft)?;
    draft.made_by(kind.title, source.generation(&part, "copied"));
    Ok(())
}

/// Whose tables are read, and in which schema they are.
fn pick(
    snapshot: &Snapshot,
    mut found: Vec<Tables>,
) -> Result<(&'static Kind, Tables), GraphError> {
    let address = snapshot.address();
    let kinds: Vec<&'static Kind> = match address.kind.as_deref() {
        None => KINDS.to_vec(),
        Some(id) => {
            let known = KINDS.iter().find(|kind| kind.id == id);
            let known = known.ok_or_else(|| {
                let all: Vec<&str> = KINDS.iter().map(|kind| kind.id).collect();
                let what = format!("'{id}' is not a kind of tables");
                snapshot.error(what, &format!("use {}", all.join(" or ")))
            })?;
            vec![*known]
        }
    };
    let looked: Vec<String> = kinds
        .iter()
        .map(|kind| format!("{} ({})", kind.tables.join(", "), kind.title))
        .collect();
    let looked = looked.join(" or ");
    let knows = |tables: &Tables| kinds.iter().any(|kind| (kind.knows)(tables));
    let names = |found: &[Tables]| {
        let all = found.iter().filter(|tables| knows(tables));
        let names: Vec<String> = all
            .take(LISTED)
            .map(|tables| tables.schema.clone())
            .collect();
        names.join(", ")
    };
    let elsewhere = names(&found);
    if let Some(schema) = &address.schema {
        found.retain(|tables| tables.schema == *schema);
    }
    let place = found
        .iter()
        .position(|tables| knows(tables) && tables.is_in_path);
    let mut places = (0..found.len()).filter(|place| found.get(*place).is_some_and(knows));
    let place = match (place, places.next(), places.next()) {
        (Some(place), ..) | (None, Some(place), None) => place,
        (None, Some(_), Some(_)) => {
            let what = format!("tables of a graph in several schemas: {elsewhere}");
            return Err(snapshot.error(what, "add schema=NAME to the address"));
        }
        (None, None, _) => {
            let own = found.iter().find_map(lightrag::without_graph);
            let within = match &address.schema {
                Some(schema) => format!("schema {schema} of {}", address.database),
                None => format!("database {}", address.database),
            };
            let what = own.unwrap_or_else(|| {
                format!("no tables of a graph in {within}; looked for {looked}")
            });
            let published = found.iter().find(|tables| tables.get(PUBLISHED).is_some());
            if let Some(tables) = published {
                let what = format!("schema {} holds an index of hopscope's", tables.schema);
                let remedy = "open it with 'hopscope ADDRESS', or keep a copy: hopscope index ADDRESS --out DIR";
                return Err(snapshot.error(what, remedy));
            }
            let remedy = match elsewhere.is_empty() {
                true => "name the database that has them".to_owned(),
                false => format!("add schema=NAME to the address; they are in: {elsewhere}"),
            };
            return Err(snapshot.error(what, &remedy));
        }
    };
    let tables = found.swap_remove(place);
    let own: Vec<&&Kind> = kinds.iter().filter(|kind| (kind.knows)(&tables)).collect();
    match &own[..] {
        [kind] => Ok((kind, tables)),
        several => {
            let ids: Vec<String> = several
                .iter()
                .map(|kind| format!("kind={}", kind.id))
                .collect();
            let what = format!("tables of several systems in schema {}", tables.schema);
            let remedy = format!("add {} to the address", ids.join(" or "));
            Err(snapshot.error(what, &remedy))
        }
    }
}
