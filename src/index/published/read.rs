//! A published index, asked by rows: one batch a look-up, to all servers at once, of the version that was there at first.

use super::server::{Batch, KINDS, Keys, PLACE, QUESTION, Server, Version, WEIGHTS, reach};
use super::{
    ARCS, About, CURRENT, FORMAT, NAMES, PASSAGES, PIECES, QUESTIONS, Shard, Table, VECTORS,
    VERSIONS, WORDS, extension, form_keys, key, packed, rows, schema_of, word_key,
};
use crate::corpus::Question;
use crate::embed::fixed::{is_of_table, pieces, question_of};
use crate::embed::{Closed, Encoder, Spec, Weights};
use crate::exchange::postgres::address::Address;
use crate::exchange::postgres::client::{error, failure, literal, quoted, runtime};
use crate::index::IndexError;
use crate::index::build::STATIC;
use crate::index::rows::{Called, Came, Encoded, Nearest, Passage, Rows, Text, Wanted, Whole};
use crate::text::{Tokens, plural};
use futures_util::future::try_join_all;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;
use tokio::runtime::Runtime;
use tokio_postgres::{Client, Row};

/// What a question cost in the database.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Spent {
    /// Servers that hold the index.
    pub servers: usize,
    /// Look-ups, each on all servers at once.
    pub trips: usize,
    /// Rows that came.
    pub rows: usize,
    /// Bytes of their values.
    pub bytes: usize,
    /// Seconds that were waited for them.
    pub seconds: f64,
}

/// An index in a database, or in several.
pub struct Published {
    whole: Whole,
    /// The encoder of questions that a person named.
    named: Option<String>,
    /// It, or the one that the index names; none until a question is encoded.
    encoder: OnceLock<Box<dyn Encoder>>,
    runtime: Runtime,
    line: Mutex<Line>,
}

/// The servers by the part that each has, and what they have cost.
struct Line {
    servers: Vec<Server>,
    spent: Spent,
}

/// The versions of a schema that are complete, newest first, those that are asked in front; none where nothing is published.
async fn versions(
    address: &Address,
    client: &Client,
    schema: &str,
) -> Result<Vec<Version>, IndexError> {
    let own = quoted(schema);
    let failed = |cause: tokio_postgres::Error| rows(failure(address, &cause));
    let known = format!(
        "SELECT pg_catalog.to_regclass({}) IS NOT NULL",
        literal(&format!("{own}.{CURRENT}"))
    );
    let known = client.query_one(&known, &[]).await;
    if !known.map_err(failed)?.get::<_, bool>(0) {
        return Ok(Vec::new());
    }
    let all = format!(
        "SELECT version, about, {} FROM {own}.{VERSIONS} v LEFT JOIN {own}.{CURRENT} c USING (version) \
         WHERE v.whole ORDER BY c.one NULLS LAST, version DESC",
        extension()
    );
    let all = client.query(&all, &[]).await.map_err(failed)?;
    let version = |row: &Row| Version {
        number: row.get(0),
        about: row.get(1),
        extension: row.get(2),
    };
    Ok(all.iter().map(version).collect())
}

impl Published {
    /// Whether the database of an address, or the databases, hold a published index: of the schema that it names, or of
    /// `hopscope`. None where the first holds none. Questions are encoded as the index says, or by the encoder that is `named`.
    ///
    /// # Errors
    /// A server that cannot be reached or refuses, a version that this program does not read, and a part that is missing.
    pub fn find(address: &Path, named: Option<&str>) -> Result<Option<Published>, IndexError> {
        let addresses = Address::all_of(address).map_err(rows)?;
        let Some(first) = addresses.first() else {
            return Ok(None);
        };
        let schema = schema_of(first);
        let runtime = runtime(first).map_err(rows)?;
        let found = runtime.block_on(try_join_all(addresses.iter().map(async |address| {
            let client = reach(address).await?;
            let versions = versions(address, &client, &schema).await?;
            Ok::<_, IndexError>((client, versions))
        })))?;
        let Some(asked) = found.first().and_then(|(_, versions)| versions.first()) else {
            return Ok(None);
        };
        let fails =
            |address: &Address, what, remedy: &str| rows(error(address, what, remedy.to_owned()));
        let read: Option<About<'_>> = serde_json::from_str(&asked.about).ok();
        let Some(about) = read.filter(|about| about.format == FORMAT) else {
            let version = asked.number;
            let what = format!("version {version} in schema {schema} is of another format");
            let remedy = "publish the index again with this version of hopscope";
            return Err(fails(first, what, remedy));
        };
        let of = about.shard.of;
        if of as usize != addresses.len() {
            let what = format!("it holds part {} of an index", about.shard);
            let remedy = format!(
                "name the {} that it was published to: postgres://HOST/DATABASE,HOST/DATABASE",
                plural(of as usize, "database"),
            );
            return Err(fails(first, what, &remedy));
        }
        // All parts are complete before any is asked: where the first was replaced a moment ago, the others have theirs too.
        let mut servers: Vec<Option<Server>> = (0..of).map(|_| None).collect();
        for (address, (client, versions)) in addresses.into_iter().zip(found) {
            let part = versions.iter().find_map(|version| {
                let own: About<'_> = serde_json::from_str(&version.about).ok()?;
                let same = own.whole == about.whole && own.shard.of == of && own.shard.at < of;
                same.then_some((own.shard.at as usize, version))
            });
            let Some((at, version)) = part else {
                let what = "it holds no part of the index that the first database holds".to_owned();
                let remedy = "name the databases that it was published to, or publish it again";
                return Err(fails(&address, what, remedy));
            };
            if servers[at].is_some() {
                let shard = Shard { at: at as u32, of };
                let what = format!("it holds part {shard}, as one before it does");
                return Err(fails(&address, what, "name each database once"));
            }
            if about.whole.vectors.is_some() && version.extension.is_none() {
                let what =
                    "the extension vector (pgvector) is gone, and its table with it".to_owned();
                return Err(fails(
                    &address,
                    what,
                    "create it, and publish the index again",
                ));
            }
            let server = Server::new((address, client), &schema, version, &about.whole);
            servers[at] = Some(server);
        }
        Ok(Some(Published {
            whole: about.whole.into_owned(),
            named: named.map(str::to_owned),
            encoder: OnceLock::new(),
            runtime,
            line: Mutex::new(Line {
                servers: servers.into_iter().flatten().collect(),
                spent: Spent::default(),
            }),
        }))
    }

    /// The tables that texts and questions are copied from.
    pub fn tables(&self) -> Vec<PathBuf> {
        let line = self.line();
        let servers = line.servers.iter();
        let tables = servers.flat_map(|server| [&PASSAGES, &QUESTIONS].map(|of| server.table(of)));
        tables.collect()
    }

    /// What was spent since this was asked last.
    pub fn spent(&self) -> Spent {
        let mut line = self.line();
        Spent {
            servers: line.servers.len(),
            ..std::mem::take(&mut line.spent)
        }
    }

    /// The vector of a question by what its word pieces weigh.
    fn by_pieces(&self, question: &str) -> Result<Vec<f32>, IndexError> {
        let pieces: BTreeSet<u32> = pieces(question)?.into_iter().collect();
        let mut weights = Vec::new();
        let batch = |shard: Shard| of_kind(WEIGHTS, shard.of_numbers(&pieces, 0));
        self.ask(batch, |server, batch, came| {
            let own = |row: &Row| Some(row.get(1));
            weights.extend(numbered(
                server,
                &PIECES,
                (&batch[WEIGHTS], &came[WEIGHTS]),
                own,
            )?);
            Ok(())
        })?;
        Ok(question_of(question, &weights)?)
    }

    /// What encodes questions: what a person named, or what the index names, unless that is a server.
    fn encoder(&self, made: &Encoded) -> Result<&dyn Encoder, IndexError> {
        if let Some(encoder) = self.encoder.get() {
            return Ok(&**encoder);
        }
        let spec = match &self.named {
            Some(named) => Spec::parse(named)?,
            None => {
                let named = &made.entry.encoder;
                let spec = Spec::parse(named)?;
                if let Some(closed) = Closed::of(&spec, named) {
                    return Err(IndexError::Rows(closed.to_string().into()));
                }
                spec
            }
        };
        let encoder = spec.reopen(Weights::default(), made.entry.identity.dims)?;
        made.entry.identity.check(encoder.identity())?;
        Ok(&**self.encoder.get_or_init(|| encoder))
    }

    fn line(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks all servers at once for what each of them holds, and reads what comes of each.
    fn ask(
        &self,
        batch: impl Fn(Shard) -> Batch,
        mut read: impl FnMut(&Server, &Batch, [Vec<Row>; KINDS]) -> Result<(), IndexError>,
    ) -> Result<(), IndexError> {
        let mut line = self.line();
        let line = &mut *line;
        let of = line.servers.len() as u32;
        let batches: Vec<Batch> = (0..of).map(|at| batch(Shard { at, of })).collect();
        let start = Instant::now();
        let asked = line.servers.iter_mut().zip(&batches);
        let asked = asked.map(|(server, batch)| server.ask(batch));
        let came = self.runtime.block_on(try_join_all(asked))?;
        let spent = &mut line.spent;
        spent.seconds += start.elapsed().as_secs_f64();
        spent.trips += 1;
        for row in came.iter().flatten().flatten() {
            spent.rows += 1;
            spent.bytes += row.raw_size_bytes();
        }
        let parts = line.servers.iter().zip(&batches).zip(came);
        parts
            .into_iter()
            .try_for_each(|((server, batch), came)| read(server, batch, came))
    }
}

/// Rows with the number that each begins with, which are as many as were asked for.
fn numbered<T>(
    server: &Server,
    table: &Table,
    (asked, came): (&Keys, &[Row]),
    read: impl Fn(&Row) -> Option<T>,
) -> Result<Vec<(u32, T)>, IndexError> {
    let one = |row: &Row| Some((number(row, 0), read(row)?));
    let own: Option<Vec<_>> = came.iter().map(one).collect();
    let own = own.filter(|own| own.len() == asked.len());
    own.ok_or_else(|| server.damaged(table))
}

/// A number, as it was written.
fn number(row: &Row, column: usize) -> u32 {
    row.get::<_, i32>(column).cast_unsigned()
}

fn none() -> Keys {
    Keys::Texts(Vec::new())
}

/// What is asked for alone.
fn of_kind(kind: usize, keys: Keys) -> Batch {
    let mut batch: Batch = std::array::from_fn(|_| none());
    batch[kind] = keys;
    batch
}

fn near(nearest: &Nearest) -> Keys {
    let values: Vec<String> = nearest.vector.iter().map(f32::to_string).collect();
    Keys::Near(format!("[{}]", values.join(",")), nearest.depth as i64)
}

/// How a word is cut, by the key that its row begins with; another text may have that, too.
fn cut_of(row: &Row, word: &str) -> Option<usize> {
    let own = |cut: &Tokens| word_key(*cut, word) == row.get::<_, i64>(0);
    Some(Tokens::ALL.into_iter().find(own)? as usize)
}

fn question_of_set(row: &Row) -> Option<Question> {
    serde_json::from_str(row.get(1)).ok()
}

fn name_of(row: &Row) -> Called {
    Called {
        entity: number(row, 0),
        form: row.get(1),
        label: row.get(2),
    }
}

fn passage_of(row: &Row, text: Option<Text>) -> Passage {
    Passage {
        id: row.get(1),
        title: row.get(2),
        twin: row.get(3),
        text,
    }
}

impl Rows for Published {
    fn whole(&self) -> &Whole {
        &self.whole
    }

    fn question(&self, asked: &str) -> Result<Option<Question>, IndexError> {
        let key = key(b'q', asked);
        let mut found = Vec::new();
        // Whoever has a question has its keys.
        let batch = |_| of_kind(QUESTION, Keys::Texts(vec![key]));
        self.ask(batch, |server, _, came| {
            for row in &came[QUESTION] {
                let question = question_of_set(row).ok_or_else(|| server.damaged(&QUESTIONS))?;
                found.push((number(row, 0), question));
            }
            Ok(())
        })?;
        found.retain(|(_, question)| question.text == asked || question.id == asked);
        let first = found.into_iter().min_by_key(|(place, _)| *place);
        Ok(first.map(|(_, question)| question))
    }

    fn questions(&self, places: Range<u32>) -> Result<Vec<Question>, IndexError> {
        let places: BTreeSet<u32> = places.collect();
        let mut found = BTreeMap::new();
        let batch = |shard: Shard| of_kind(PLACE, shard.of_numbers(&places, 0));
        self.ask(batch, |server, batch, came| {
            let asked = (&batch[PLACE], &came[PLACE][..]);
            found.extend(numbered(server, &QUESTIONS, asked, question_of_set)?);
            Ok(())
        })?;
        Ok(found.into_values().collect())
    }

    fn vector(&self, question: &str) -> Result<Option<Vec<f32>>, IndexError> {
        let Some(made) = &self.whole.vectors else {
            return Ok(None);
        };
        let own = self.named.as_deref().is_none_or(|named| named == STATIC);
        let vector = match own && is_of_table(&made.entry.identity)? {
            true => self.by_pieces(question)?,
            false => self.encoder(made)?.question(question)?,
        };
        Ok(Some(vector))
    }

    fn fetch(&self, wanted: &Wanted) -> Result<Came, IndexError> {
        let (passages, options) = (self.whole.passages, &self.whole.options);
        let forms = || wanted.forms.iter();
        let form_keys = forms().flat_map(|form| form_keys(options.language, form));
        let form_keys: Vec<i64> = form_keys.collect();
        let aliases = || forms().filter(|_| options.alias_linking);
        let keys = |words: &[BTreeSet<String>]| -> Vec<i64> {
            let cuts = Tokens::ALL.into_iter().zip(words);
            let keys = cuts.flat_map(|(cut, words)| words.iter().map(move |w| word_key(cut, w)));
            keys.collect()
        };
        let (words, counts) = (keys(&wanted.words), keys(&wanted.counts));
        let batch = |shard: Shard| -> Batch {
            [
                shard.of_numbers(&wanted.nodes, 0),
                // Whoever has a name has its forms.
                Keys::Texts(form_keys.clone()),
                shard.of_texts(aliases().map(|form| key(b'a', form))),
                shard.of_numbers(&wanted.entities, passages),
                shard.of_texts(words.iter().copied()),
                shard.of_texts(counts.iter().copied()),
                shard.of_numbers(&wanted.titles, 0),
                shard.of_numbers(&wanted.texts, 0),
                none(),
                none(),
                none(),
                wanted.nearest.as_ref().map_or_else(none, near),
            ]
        };
        let mut came = Came::default();
        self.ask(batch, |server, batch, rows| {
            read(server, (wanted, &self.whole), batch, rows, &mut came)
        })?;
        Ok(came)
    }
}

/// What came from a server.
fn read(
    server: &Server,
    (wanted, whole): (&Wanted, &Whole),
    asked: &Batch,
    rows: [Vec<Row>; KINDS],
    came: &mut Came,
) -> Result<(), IndexError> {
    let [nodes, _, _, entities, _, _, of_titles, of_texts, ..] = asked;
    let [
        arcs,
        named,
        aliases,
        names,
        words,
        counts,
        titles,
        texts,
        ..,
        near,
    ] = rows;
    let joined = |row: &Row| packed::read_joined(row.get(1));
    came.joined
        .extend(numbered(server, &ARCS, (nodes, &arcs), joined)?);
    for row in &named {
        let joined = packed::read_joined(row.get(3));
        let joined = joined.ok_or_else(|| server.damaged(&ARCS))?;
        let name = name_of(row);
        came.joined.push((whole.passages + name.entity, joined));
        came.names.push(name);
    }
    let own = |row: &Row| Some(name_of(row));
    let own = numbered(server, &NAMES, (entities, &names), own)?;
    came.names.extend(own.into_iter().map(|(_, name)| name));
    // Two texts may have one key.
    let alias = aliases.iter().map(|row| (row.get(0), row.get(1)));
    let alias = alias.filter(|(alias, _): &(String, _)| wanted.forms.contains(alias));
    came.aliases.extend(alias);
    for row in &words {
        let word: String = row.get(1);
        let postings = packed::read_posted(row.get(2));
        let postings = postings.ok_or_else(|| server.damaged(&WORDS))?;
        if let Some(cut) = cut_of(row, &word) {
            came.posted[cut].push((word, postings));
        }
    }
    for row in &counts {
        let word: String = row.get(1);
        if let Some(cut) = cut_of(row, &word) {
            came.counts[cut].push((word, number(row, 2)));
        }
    }
    let title = |row: &Row| Some(passage_of(row, None));
    let text = |row: &Row| {
        let text = Text {
            text: row.get(4),
            mentions: packed::read_mentions(row.get(5))?,
        };
        Some(passage_of(row, Some(text)))
    };
    let titles = numbered(server, &PASSAGES, (of_titles, &titles), title)?;
    let texts = numbered(server, &PASSAGES, (of_texts, &texts), text)?;
    came.passages.extend(titles.into_iter().chain(texts));
    for row in &near {
        let made = whole.vectors.as_ref();
        let kept = made.and_then(|made| made.row(row.get(1)));
        let kept = kept.ok_or_else(|| server.damaged(&VECTORS))?;
        came.near.push((number(row, 0), kept));
    }
    Ok(())
}
