//! Publishing: an index is copied into tables of a new version, and that becomes the one that is asked, in one transaction.

use super::{
    About, CURRENT, FORMAT, Shard, TABLES, Table, VECTOR, VERSIONS, extension, form_keys, key,
    packed, rows, schema_of, tables, word_key,
};
use crate::exchange::postgres::address::Address;
use crate::exchange::postgres::client::{connect, error, failure, literal, quoted, runtime};
use crate::index::rows::{Here, Rows, Whole};
use crate::index::{Index, IndexError, Progress, Step};
use crate::text::Tokens;
use serde::Serialize;
use std::borrow::Cow;
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
    let of = addresses.len() as u32;
    let shards = (0..of).map(|at| Shard { at, of });
    let writers = addresses.iter().zip(shards);
    let writers: Result<Vec<Writer<'_>>, _> = writers
        .map(|(address, shard)| Writer::open(address, shard))
        .collect();
    let mut writers = writers?;
    let mut here = Here::of(index);
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
        schema: addresses.first().map(schema_of).unwrap_or_default(),
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
            let tables = tables(here.whole()).len();
            let total = writers.len() * tables;
            let mut versions = Vec::new();
            for (at, writer) in writers.iter().enumerate() {
                let before = at * tables;
                let goes_on = |table| progress.advance(Step::Write, before + table, total);
                versions.push(writer.complete(&here, &mut publication, &goes_on)?);
            }
            progress.advance(Step::Write, total, total);
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

/// A connection that publishes what one database holds.
pub struct Writer<'a> {
    address: &'a Address,
    shard: Shard,
    /// What a version says of itself.
    about: String,
    runtime: Runtime,
    client: Client,
    schema: String,
    /// The schema of what compares vectors; none where the server has none.
    extension: Option<String>,
}

/// What is on its way into a table.
pub struct Filling<'a> {
    writer: &'a Writer<'a>,
    sink: Pin<Box<BinaryCopyInWriter>>,
    seen: usize,
    rows: usize,
    goes_on: &'a dyn Fn() -> bool,
}

impl Filling<'_> {
    /// Writes a row where its key is of this database.
    fn row(&mut self, key: u64, values: &[&(dyn ToSql + Sync)]) -> Result<(), IndexError> {
        if self.seen.is_multiple_of(LOOK) && !(self.goes_on)() {
            return Err(IndexError::Cancelled);
        }
        self.seen += 1;
        if !self.writer.shard.has(key) {
            return Ok(());
        }
        self.rows += 1;
        let written = self
            .writer
            .runtime
            .block_on(self.sink.as_mut().write(values));
        written.map_err(|said| self.writer.failed(&said))
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
    fn open(address: &'a Address, shard: Shard) -> Result<Writer<'a>, IndexError> {
        let runtime = runtime(address).map_err(rows)?;
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

    /// Who may read which version is asked, as SQL writes roles: they may read each version.
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

    /// Writes all tables of a version, which is its number then.
    fn complete(
        &self,
        here: &Here<'_>,
        published: &mut Publication,
        goes_on: &dyn Fn(usize) -> bool,
    ) -> Result<i32, IndexError> {
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
        for (at, table) in tables(here.whole()).iter().enumerate() {
            let written = self.numbers(&format!(
                "SELECT 1 FROM {schema}.{VERSIONS} WHERE version = {version} AND {} = ANY (written)",
                literal(table.name)
            ))?;
            if written.is_empty() {
                published.rows += self.table(here, table, version, &|| goes_on(at))?;
            } else {
                published.resumed += 1;
            }
        }
        self.run(&format!(
            "UPDATE {schema}.{VERSIONS} SET whole = true WHERE version = {version}"
        ))?;
        Ok(version)
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
        let tables: Vec<String> = TABLES.iter().map(|t| t.of(schema, version)).collect();
        self.run(&format!(
            "BEGIN; DROP TABLE IF EXISTS {}; DELETE FROM {}.{VERSIONS} WHERE version = {version}; COMMIT",
            tables.join(", "),
            quoted(schema)
        ))?;
        Ok(())
    }

    /// Writes one table in one transaction, and notes there that it is written.
    fn table(
        &self,
        here: &Here<'_>,
        table: &Table,
        version: i32,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<usize, IndexError> {
        let name = table.of(&self.schema, version);
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
        let types: Vec<Type> = table
            .columns
            .iter()
            .map(|column| column.2.clone())
            .collect();
        let copy = format!("COPY {name} FROM STDIN (FORMAT binary)");
        let sink = self.runtime.block_on(self.client.copy_in(&copy));
        let sink = sink.map_err(|cause| self.failed(&cause))?;
        let mut copy = Filling {
            writer: self,
            sink: Box::pin(BinaryCopyInWriter::new(sink, &types)),
            seen: 0,
            rows: 0,
            goes_on,
        };
        (table.fill)(here, &mut copy)?;
        let rows = copy.rows;
        let finished = self.runtime.block_on(copy.sink.as_mut().finish());
        finished.map_err(|cause| self.failed(&cause))?;
        let readers = self.readers()?.join(", ");
        let grant = match readers.is_empty() {
            true => String::new(),
            false => format!("GRANT SELECT ON {name} TO {readers}; "),
        };
        let unique = if table.unique { "UNIQUE" } else { "" };
        self.run(&format!(
            "CREATE {unique} INDEX ON {name} ({}); ANALYZE {name}; {grant}\
             UPDATE {}.{VERSIONS} SET written = pg_catalog.array_append(written, {}) WHERE version = {version}; COMMIT",
            table.key,
            quoted(&self.schema),
            literal(table.name)
        ))?;
        Ok(rows)
    }
}

/// Rows that are written between two looks at whether to go on.
const LOOK: usize = 4096;

pub fn arcs(here: &Here<'_>, to: &mut Filling<'_>) -> Result<(), IndexError> {
    let whole = here.whole();
    for node in 0..whole.passages + whole.entities {
        let row = packed::joined(here.row(node));
        to.row(node.into(), &[&node.cast_signed(), &row])?;
    }
    Ok(())
}

pub fn names(here: &Here<'_>, to: &mut Filling<'_>) -> Result<(), IndexError> {
    let whole = here.whole();
    for entity in 0..whole.entities {
        let name = here.name(entity);
        let (form, label) = (text(&name.form), text(&name.label));
        to.row(
            (whole.passages + entity).into(),
            &[&entity.cast_signed(), &form, &label],
        )?;
    }
    Ok(())
}

pub fn forms(here: &Here<'_>, to: &mut Filling<'_>) -> Result<(), IndexError> {
    let whole = here.whole();
    for entity in 0..whole.entities {
        for key in form_keys(whole.options.language, &here.name(entity).form) {
            to.row(
                (whole.passages + entity).into(),
                &[&key, &entity.cast_signed()],
            )?;
        }
    }
    Ok(())
}

pub fn aliases(here: &Here<'_>, to: &mut Filling<'_>) -> Result<(), IndexError> {
    for (alias, form) in here.aliases() {
        let key = key(b'a', alias);
        to.row(key.cast_unsigned(), &[&key, &text(alias), &text(form)])?;
    }
    Ok(())
}

pub fn words(here: &Here<'_>, to: &mut Filling<'_>) -> Result<(), IndexError> {
    for tokens in Tokens::ALL {
        here.each_word(tokens, &mut |word, postings| {
            let postings = packed::posted(postings);
            let key = word_key(tokens, word);
            to.row(key.cast_unsigned(), &[&key, &text(word), &postings])
        })?;
    }
    Ok(())
}

pub fn passages(here: &Here<'_>, to: &mut Filling<'_>) -> Result<(), IndexError> {
    for passage in 0..here.whole().passages {
        let own = here.passage(passage, true);
        let body = own.text.unwrap_or_default();
        let mentions = packed::mentions(&body.mentions);
        let (id, title, body) = (text(&own.id), text(&own.title), text(&body.text));
        let number = passage.cast_signed();
        to.row(
            passage.into(),
            &[&number, &id, &title, &body, &own.twin, &mentions],
        )?;
    }
    Ok(())
}

pub fn questions(here: &Here<'_>, to: &mut Filling<'_>) -> Result<(), IndexError> {
    for (place, question) in (0_u32..).zip(here.set()) {
        let own = serde_json::to_string(question).unwrap_or_default();
        to.row(place.into(), &[&place.cast_signed(), &text(&own)])?;
    }
    Ok(())
}

pub fn asked(here: &Here<'_>, to: &mut Filling<'_>) -> Result<(), IndexError> {
    for (place, question) in (0_u32..).zip(here.set()) {
        for asked in [&question.text, &question.id] {
            to.row(place.into(), &[&key(b'q', asked), &place.cast_signed()])?;
        }
    }
    Ok(())
}

pub fn pieces(here: &Here<'_>, to: &mut Filling<'_>) -> Result<(), IndexError> {
    for (piece, weight) in (0_u32..).zip(here.weights()) {
        to.row(piece.into(), &[&piece.cast_signed(), weight])?;
    }
    Ok(())
}

pub fn vectors(here: &Here<'_>, to: &mut Filling<'_>) -> Result<(), IndexError> {
    for (passage, row) in (0_u32..).zip(here.vectors()) {
        let near = packed::vector(&row.values());
        to.row(
            passage.into(),
            &[&passage.cast_signed(), &row.bytes(), &near],
        )?;
    }
    Ok(())
}
