//! Publishing: an index is copied into tables of a new version, and that becomes the one that is asked, in one transaction.

use super::server::MOST_BEAM;
use super::{
    About, CURRENT, FORMAT, Shard, Table, VECTOR, VECTORS, VERSIONS, all_tables, extension,
    form_keys, id_key, key, packed, rows, schema_of, tables, word_key,
};
use crate::exchange::postgres::address::Address;
use crate::exchange::postgres::client::{connect, error, failure, literal, quoted, runtime};
use crate::index::rows::{Here, Names, Rows, Whole};
use crate::index::{Index, IndexError, Progress, Step};
use crate::text::Tokens;
use futures_util::future::try_join_all;
use serde::Serialize;
use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;
use std::pin::Pin;
use std::str::FromStr;
use tokio::runtime::Runtime;
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, SimpleQueryMessage};

/// What was published.
#[derive(Clone, Debug, Serialize)]
pub struct Publication {
    /// The databases, in the order of the address.
    pub databases: Vec<Placed>,
    /// The schema in each.
    pub schema: String,
    /// Rows written by this run, of all tables.
    pub rows: usize,
    /// Tables that an earlier run had written.
    pub resumed: usize,
    /// The same index was there already.
    pub known: bool,
    /// Older versions that were removed.
    pub removed: usize,
    /// Whether vectors are there, too.
    pub vectors: bool,
    /// The databases without the extension that vectors need, where the index has some.
    pub lack_extension: Vec<String>,
}

/// A database that an index was published to.
#[derive(Clone, Debug, Serialize)]
pub struct Placed {
    /// Where it is, without a password.
    pub place: String,
    /// Number of the version that is asked there now.
    pub version: i32,
}

/// Writes an index into the database of an address, or spreads it over several, and removes older versions there where that is
/// asked for.
///
/// # Errors
/// What a server says, another publisher at work there, and that `progress` stopped it.
pub fn publish(
    index: &Index,
    address: &Path,
    remove_old: bool,
    progress: &dyn Progress,
) -> Result<Publication, IndexError> {
    let addresses = Address::all_of(address).map_err(rows)?;
    let Some(first) = addresses.first() else {
        return Err(IndexError::Empty);
    };
    let runtime = runtime(first).map_err(rows)?;
    let of = addresses.len() as u32;
    let shards = (0..of).map(|at| Shard { at, of });
    let writers = addresses.iter().zip(shards);
    let writers: Result<Vec<Writer<'_>>, _> = writers
        .map(|(address, shard)| Writer::open(&runtime, address, shard))
        .collect();
    let mut writers = writers?;
    let mut here = Here::of(index)?.without_graph_beyond(MOST_DIMS);
    let lack = writers.iter().filter(|writer| writer.extension.is_none());
    let lack = lack.filter(|_| here.whole().vectors.is_some());
    let lack: Vec<String> = lack.map(|writer| writer.address.place()).collect();
    if !lack.is_empty() {
        here = here.without_vectors();
    }
    for writer in &mut writers {
        writer.is_about(here.whole());
    }
    writers.iter().try_for_each(Writer::lock)?;
    let mut publication = Publication {
        databases: Vec::new(),
        schema: schema_of(first),
        rows: 0,
        resumed: 0,
        known: false,
        removed: 0,
        vectors: here.whole().vectors.is_some(),
        lack_extension: lack,
    };
    let current: Result<Vec<_>, _> = writers.iter().map(Writer::current).collect();
    let current: Option<Vec<i32>> = current?.into_iter().collect();
    publication.known = current.is_some();
    let versions = match current {
        Some(versions) => versions,
        None => {
            let versions = complete(&writers, &here, &mut publication, progress)?;
            // Only now is there a whole index to be asked.
            for (writer, version) in writers.iter().zip(&versions) {
                writer.turn_to(*version)?;
            }
            versions
        }
    };
    let placed = addresses.iter().zip(versions);
    let placed = placed.map(|(address, version)| Placed {
        place: address.place(),
        version,
    });
    publication.databases = placed.collect();
    if remove_old {
        for writer in &writers {
            publication.removed += writer.remove_old()?;
        }
    }
    Ok(publication)
}

/// Writes all tables of a version, of each database at the same time, and gives the number it has in each.
fn complete(
    writers: &[Writer<'_>],
    here: &Here<'_>,
    published: &mut Publication,
    progress: &dyn Progress,
) -> Result<Vec<i32>, IndexError> {
    let begun = writers.iter().map(Writer::begin);
    let begun = begun.collect::<Result<Vec<Begun>, _>>()?;
    let tables = tables(here.whole());
    for (at, table) in tables.iter().enumerate() {
        let goes_on = || progress.advance(Step::Write, at, tables.len());
        let named = table.0.named(table.1);
        let lack = writers.iter().zip(&begun);
        let lack = lack.filter(|(_, begun)| !begun.written.contains(&named));
        let lack: Vec<(&Writer<'_>, &Begun)> = lack.collect();
        published.resumed += writers.len() - lack.len();
        published.rows += filled(&lack, *table, here, &goes_on)?;
    }
    progress.advance(Step::Write, tables.len(), tables.len());
    for (writer, begun) in writers.iter().zip(&begun) {
        writer.is_whole(begun.version)?;
    }
    Ok(begun.iter().map(|begun| begun.version).collect())
}

/// Writes one table into the databases that lack it, in one transaction each, which notes that it is written. Gives the rows.
fn filled(
    lack: &[(&Writer<'_>, &Begun)],
    table: (&Table, Names),
    here: &Here<'_>,
    goes_on: &dyn Fn() -> bool,
) -> Result<usize, IndexError> {
    let Some((Writer { runtime, shard, .. }, _)) = lack.first() else {
        return Ok(0);
    };
    let mut filling = Filling {
        runtime,
        sinks: (0..shard.of).map(|_| None).collect(),
        seen: 0,
        rows: 0,
        goes_on,
    };
    for (writer, begun) in lack {
        let sink = writer.begin_table(here, table, begun.version)?;
        filling.sinks[writer.shard.at as usize] = Some((*writer, sink));
    }
    (table.0.fill)(here, table.1, &mut filling)?;
    let sinks = filling.sinks.into_iter().flatten();
    runtime.block_on(try_join_all(sinks.map(async |(writer, mut sink)| {
        let finished = sink.as_mut().finish().await;
        finished.map(drop).map_err(|cause| writer.failed(&cause))
    })))?;
    let ends = lack.iter().map(async |(writer, begun)| {
        let end = writer.end_of_table(table, here.whole(), begun);
        let ended = writer.client.simple_query(&end).await;
        ended.map(drop).map_err(|cause| writer.failed(&cause))
    });
    runtime.block_on(try_join_all(ends))?;
    Ok(filling.rows)
}

/// A version that is not complete yet.
struct Begun {
    version: i32,
    /// Tables that an earlier publisher wrote.
    written: Vec<String>,
    /// Who may read which version is asked, as SQL writes roles: they may read each version.
    readers: Vec<String>,
}

/// A connection that publishes what one database holds.
pub struct Writer<'a> {
    address: &'a Address,
    shard: Shard,
    /// What a version says of itself.
    about: String,
    runtime: &'a Runtime,
    client: Client,
    schema: String,
    /// The schema of what compares vectors; none where the server has none.
    extension: Option<String>,
}

type Filled = Result<(), IndexError>;

type Sink = Pin<Box<BinaryCopyInWriter>>;

/// What is on its way into a table of every database that lacks it, by their parts.
pub struct Filling<'a> {
    runtime: &'a Runtime,
    sinks: Vec<Option<(&'a Writer<'a>, Sink)>>,
    seen: usize,
    rows: usize,
    goes_on: &'a dyn Fn() -> bool,
}

impl Filling<'_> {
    /// Writes a row into the database that its key falls to.
    fn row(&mut self, key: u64, values: &[&(dyn ToSql + Sync)]) -> Filled {
        let at = Shard::of_key(key, self.sinks.len() as u32) as usize;
        self.write(at..at + 1, values)
    }

    /// Writes a row into every database.
    fn everywhere(&mut self, values: &[&(dyn ToSql + Sync)]) -> Filled {
        self.write(0..self.sinks.len(), values)
    }

    fn write(&mut self, to: Range<usize>, values: &[&(dyn ToSql + Sync)]) -> Filled {
        if self.seen.is_multiple_of(LOOK) && !(self.goes_on)() {
            return Err(IndexError::Cancelled);
        }
        self.seen += 1;
        for (writer, sink) in self.sinks[to].iter_mut().flatten() {
            self.rows += 1;
            let written = self.runtime.block_on(sink.as_mut().write(values));
            written.map_err(|cause| writer.failed(&cause))?;
        }
        Ok(())
    }
}

/// A text as PostgreSQL holds it: it knows no zero.
fn text(text: &str) -> Cow<'_, str> {
    match text.contains('\0') {
        true => text.replace('\0', " ").into(),
        false => text.into(),
    }
}

impl<'a> Writer<'a> {
    fn open(
        runtime: &'a Runtime,
        address: &'a Address,
        shard: Shard,
    ) -> Result<Writer<'a>, IndexError> {
        let client = runtime.block_on(connect(address)).map_err(rows)?;
        let schema = schema_of(address);
        let mut writer = Writer {
            address,
            shard,
            about: String::new(),
            runtime,
            client,
            schema,
            extension: None,
        };
        let found = writer.firsts(&format!("SELECT {}", extension()))?;
        writer.extension = found.into_iter().next();
        Ok(writer)
    }

    fn is_about(&mut self, whole: &Whole) {
        let about = About {
            format: FORMAT,
            shard: self.shard,
            whole: Cow::Borrowed(whole),
        };
        self.about = literal(&serde_json::to_string(&about).unwrap_or_default());
    }

    fn failed(&self, cause: &tokio_postgres::Error) -> IndexError {
        rows(failure(self.address, cause))
    }

    fn run(&self, query: &str) -> Result<Vec<SimpleQueryMessage>, IndexError> {
        let answer = self.runtime.block_on(self.client.simple_query(query));
        answer.map_err(|cause| self.failed(&cause))
    }

    /// The first column of an answer.
    fn firsts<T: FromStr>(&self, query: &str) -> Result<Vec<T>, IndexError> {
        let messages = self.run(query)?.into_iter();
        let first = |message| match message {
            SimpleQueryMessage::Row(row) => row.get(0)?.parse().ok(),
            _ => None,
        };
        Ok(messages.filter_map(first).collect())
    }

    /// Numbers in the first column of an answer.
    fn numbers(&self, query: &str) -> Result<Vec<i32>, IndexError> {
        self.firsts(query)
    }

    /// Who may read which version is asked, as SQL writes roles.
    fn readers(&self) -> Result<Vec<String>, IndexError> {
        let current = literal(&format!("{}.{CURRENT}", quoted(&self.schema)));
        self.firsts(&format!(
            "SELECT CASE acl.grantee WHEN 0 THEN 'PUBLIC' ELSE pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(acl.grantee)) END \
             FROM pg_catalog.pg_class c, pg_catalog.aclexplode(c.relacl) acl \
             WHERE c.oid = {current}::pg_catalog.regclass AND acl.privilege_type = 'SELECT' AND acl.grantee <> c.relowner"
        ))
    }

    /// Makes the schema, and keeps others from publishing there until the connection ends.
    fn lock(&self) -> Result<(), IndexError> {
        let schema = quoted(&self.schema);
        let known = format!(
            "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = {}",
            literal(&self.schema)
        );
        if self.numbers(&known)?.is_empty() {
            self.run(&format!("CREATE SCHEMA {schema}"))?;
        }
        self.run(&format!(
            "CREATE TABLE IF NOT EXISTS {schema}.{VERSIONS} (version int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, \
             about text NOT NULL, whole boolean NOT NULL DEFAULT false, written text[] NOT NULL DEFAULT '{{}}', \
             begun timestamptz NOT NULL DEFAULT pg_catalog.now()); \
             CREATE TABLE IF NOT EXISTS {schema}.{CURRENT} (one boolean PRIMARY KEY DEFAULT true CHECK (one), \
             version int NOT NULL REFERENCES {schema}.{VERSIONS})"
        ))?;
        let locked = format!(
            "SELECT pg_catalog.pg_try_advisory_lock({})::int",
            key(b'l', &self.schema)
        );
        if self.numbers(&locked)? != [1] {
            let what = format!("another hopscope is publishing into schema {}", self.schema);
            let remedy = "wait until it is done, or name another with ?schema=NAME";
            return Err(rows(error(self.address, what, remedy.to_owned())));
        }
        Ok(())
    }

    /// The version that is asked, where it is the one to publish.
    fn current(&self) -> Result<Option<i32>, IndexError> {
        let (schema, own) = (quoted(&self.schema), &self.about);
        let current = self.numbers(&format!(
            "SELECT version FROM {schema}.{VERSIONS} JOIN {schema}.{CURRENT} USING (version) WHERE about = {own}"
        ))?;
        Ok(current.first().copied())
    }

    /// A version of this index: the one that an earlier publisher began, or a new one.
    fn begin(&self) -> Result<Begun, IndexError> {
        let (schema, own) = (quoted(&self.schema), &self.about);
        // What an earlier publisher left is gone on with, or is of no use any more where it was stopped.
        let resumes = self.numbers(&format!(
            "SELECT version FROM {schema}.{VERSIONS} WHERE about = {own} ORDER BY whole DESC, version DESC LIMIT 1"
        ))?;
        let begun = self.numbers(&format!(
            "SELECT version FROM {schema}.{VERSIONS} WHERE NOT whole"
        ))?;
        for version in begun.iter().filter(|version| !resumes.contains(version)) {
            self.remove(*version)?;
        }
        let version = match resumes.first() {
            Some(version) => *version,
            None => {
                let made = self.numbers(&format!(
                    "INSERT INTO {schema}.{VERSIONS} (about) VALUES ({own}) RETURNING version"
                ))?;
                made.first().copied().unwrap_or_default()
            }
        };
        Ok(Begun {
            version,
            written: self.firsts(&format!(
                "SELECT pg_catalog.unnest(written) FROM {schema}.{VERSIONS} WHERE version = {version}"
            ))?,
            readers: self.readers()?,
        })
    }

    /// A version has all tables.
    fn is_whole(&self, version: i32) -> Result<(), IndexError> {
        let schema = quoted(&self.schema);
        self.run(&format!(
            "UPDATE {schema}.{VERSIONS} SET whole = true WHERE version = {version}"
        ))?;
        Ok(())
    }

    /// From here on a version is the one that is asked.
    fn turn_to(&self, version: i32) -> Result<(), IndexError> {
        let schema = quoted(&self.schema);
        self.run(&format!(
            "INSERT INTO {schema}.{CURRENT} (version) VALUES ({version}) \
             ON CONFLICT (one) DO UPDATE SET version = excluded.version"
        ))?;
        Ok(())
    }

    /// Removes all versions but the one that is asked, and says how many.
    fn remove_old(&self) -> Result<usize, IndexError> {
        let schema = quoted(&self.schema);
        let old = self.numbers(&format!(
            "SELECT version FROM {schema}.{VERSIONS} WHERE version NOT IN (SELECT version FROM {schema}.{CURRENT})"
        ))?;
        for version in &old {
            self.remove(*version)?;
        }
        Ok(old.len())
    }

    /// Drops the tables of a version.
    fn remove(&self, version: i32) -> Result<(), IndexError> {
        let schema = &self.schema;
        let tables = all_tables().map(|(table, names)| table.of(schema, version, names));
        let tables: Vec<String> = tables.collect();
        self.run(&format!(
            "BEGIN; DROP TABLE IF EXISTS {}; DELETE FROM {}.{VERSIONS} WHERE version = {version}; COMMIT",
            tables.join(", "),
            quoted(schema)
        ))?;
        Ok(())
    }

    /// Makes a table, in a transaction that takes its rows.
    fn begin_table(
        &self,
        here: &Here<'_>,
        (table, names): (&Table, Names),
        version: i32,
    ) -> Result<Sink, IndexError> {
        let name = table.of(&self.schema, version, names);
        let dims = here.whole().vectors.as_ref();
        let dims = dims.map(|made| made.entry.identity.dims);
        let vector = self.extension.as_ref().zip(dims);
        let vector = vector.map(|(schema, dims)| format!("{schema}.{VECTOR}({dims})"));
        let columns = table.columns.iter();
        let columns: Vec<String> = columns
            .map(|(column, kind, _)| match (*kind, &vector) {
                (VECTOR, Some(vector)) => format!("{column} {vector} NOT NULL"),
                _ => format!("{column} {kind} NOT NULL"),
            })
            .collect();
        self.run(&format!(
            "BEGIN; DROP TABLE IF EXISTS {name}; CREATE TABLE {name} ({})",
            columns.join(", ")
        ))?;
        let types = table.columns.iter().map(|column| column.2.clone());
        let copy = format!("COPY {name} FROM STDIN (FORMAT binary)");
        let sink = self.runtime.block_on(self.client.copy_in(&copy));
        let sink = sink.map_err(|cause| self.failed(&cause))?;
        let types: Vec<Type> = types.collect();
        Ok(Box::pin(BinaryCopyInWriter::new(sink, &types)))
    }

    /// Ends the transaction of a table that has its rows, as SQL.
    fn end_of_table(
        &self,
        (table, names): (&Table, Names),
        whole: &Whole,
        begun: &Begun,
    ) -> String {
        let version = begun.version;
        let name = table.of(&self.schema, version, names);
        let grant = match begun.readers.is_empty() {
            true => String::new(),
            false => format!("GRANT SELECT ON {name} TO {}; ", begun.readers.join(", ")),
        };
        let unique = if table.unique { "UNIQUE" } else { "" };
        let near = whole.vectors.as_ref().and_then(|made| made.near.as_ref());
        let near = near.filter(|_| table.name == VECTORS.name);
        let near = near.zip(self.extension.as_ref());
        let near = near.map_or_else(String::new, |(near, extension)| {
            let m = near.m.min(MOST_LINKS);
            let beam = near.ef_construction.clamp(2 * m, MOST_BEAM);
            format!(
                "CREATE INDEX ON {name} USING hnsw (near {extension}.vector_ip_ops) WITH (m = {m}, ef_construction = {beam}); "
            )
        });
        format!(
            "CREATE {unique} INDEX ON {name} ({}); {near}ANALYZE {name}; {grant}\
             UPDATE {}.{VERSIONS} SET written = pg_catalog.array_append(written, {}) WHERE version = {version}; COMMIT",
            table.key,
            quoted(&self.schema),
            literal(&table.named(names))
        )
    }
}

/// Numbers of a vector in an index of the extension, and links of a node, at most.
const MOST_DIMS: usize = 2000;
const MOST_LINKS: usize = 100;

/// Rows that are written between two looks at whether to go on.
const LOOK: usize = 4096;

pub fn arcs(here: &Here<'_>, names: Names, to: &mut Filling<'_>) -> Filled {
    for node in 0..here.graph(names).nodes() as u32 {
        let row = packed::joined(here.row(names, node));
        to.row(node.into(), &[&node.cast_signed(), &row])?;
    }
    Ok(())
}

pub fn names(here: &Here<'_>, names: Names, to: &mut Filling<'_>) -> Filled {
    let passages = here.whole().passages;
    for entity in 0..here.graph(names).entities() as u32 {
        let name = here.name(names, entity);
        let (form, label) = (text(&name.form), text(&name.label));
        let titled = packed::titled(&name.titled);
        to.row(
            (passages + entity).into(),
            &[&entity.cast_signed(), &form, &label, &titled],
        )?;
    }
    Ok(())
}

pub fn forms(here: &Here<'_>, names: Names, to: &mut Filling<'_>) -> Filled {
    let (graph, whole) = (here.graph(names), here.whole());
    for (entity, form) in (0_u32..).zip(graph.names.iter()) {
        for key in form_keys(whole.options.language, form) {
            to.row(
                (whole.passages + entity).into(),
                &[&key, &entity.cast_signed()],
            )?;
        }
    }
    Ok(())
}

pub fn aliases(here: &Here<'_>, names: Names, to: &mut Filling<'_>) -> Filled {
    for (alias, form) in here.aliases(names) {
        let key = key(b'a', alias);
        to.row(key.cast_unsigned(), &[&key, &text(alias), &text(form)])?;
    }
    Ok(())
}

pub fn mentions(here: &Here<'_>, names: Names, to: &mut Filling<'_>) -> Filled {
    for passage in 0..here.whole().passages {
        let mentions = packed::mentions(&here.mentions(names, passage));
        to.row(passage.into(), &[&passage.cast_signed(), &mentions])?;
    }
    Ok(())
}

pub fn words(here: &Here<'_>, _: Names, to: &mut Filling<'_>) -> Filled {
    for tokens in Tokens::ALL {
        here.each_word(tokens, &mut |word, postings| {
            let (count, postings) = (postings.len() as i32, packed::posted(postings));
            let key = word_key(tokens, word);
            to.row(key.cast_unsigned(), &[&key, &text(word), &count, &postings])
        })?;
    }
    Ok(())
}

pub fn passages(here: &Here<'_>, _: Names, to: &mut Filling<'_>) -> Filled {
    for passage in 0..here.whole().passages {
        let own = here.passage(passage, true);
        let body = own.text.unwrap_or_default();
        let (id, title, body) = (text(&own.id), text(&own.title), text(&body));
        let number = passage.cast_signed();
        to.row(passage.into(), &[&number, &id, &title, &body, &own.twin])?;
    }
    Ok(())
}

pub fn ids(here: &Here<'_>, _: Names, to: &mut Filling<'_>) -> Filled {
    for passage in 0..here.whole().passages {
        let key = id_key(here.id(passage));
        to.row(passage.into(), &[&key, &passage.cast_signed()])?;
    }
    Ok(())
}

pub fn questions(here: &Here<'_>, _: Names, to: &mut Filling<'_>) -> Filled {
    for (place, question) in (0_u32..).zip(here.set()) {
        let own = serde_json::to_string(question).unwrap_or_default();
        to.everywhere(&[&place.cast_signed(), &text(&own)])?;
    }
    Ok(())
}

pub fn asked(here: &Here<'_>, _: Names, to: &mut Filling<'_>) -> Filled {
    for (place, question) in (0_u32..).zip(here.set()) {
        for asked in [&question.text, &question.id] {
            to.everywhere(&[&key(b'q', asked), &place.cast_signed()])?;
        }
    }
    Ok(())
}

pub fn pieces(here: &Here<'_>, _: Names, to: &mut Filling<'_>) -> Filled {
    for (piece, weight) in (0_u32..).zip(here.weights()) {
        to.row(piece.into(), &[&piece.cast_signed(), weight])?;
    }
    Ok(())
}

pub fn sentences(here: &Here<'_>, _: Names, to: &mut Filling<'_>) -> Filled {
    for passage in 0..here.whole().passages {
        let (spans, vectors) = here.sentences(passage)?;
        let (spans, vectors) = (packed::spans(&spans), packed::vectors(&vectors));
        to.row(passage.into(), &[&passage.cast_signed(), &spans, &vectors])?;
    }
    Ok(())
}

pub fn vectors(here: &Here<'_>, _: Names, to: &mut Filling<'_>) -> Filled {
    for (passage, row) in (0_u32..).zip(here.vectors()) {
        let near = packed::vector(&row.values());
        to.row(
            passage.into(),
            &[&passage.cast_signed(), &row.bytes(), &near],
        )?;
    }
    Ok(())
}
