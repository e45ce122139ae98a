//! A published index, asked by rows: one batch a look-up, to all servers at once, of the version that was there at first.

use super::server::{Batch, Found, Keys, Kind, Server, Version, reach};
use super::{
    ARCS, About, CURRENT, FORMAT, NAMES, PASSAGES, PIECES, QUESTIONS, SENTENCES, Shard, Table,
    VECTORS, VERSIONS, WORDS, extension, form_keys, id_key, key, packed, rows, schema_of, word_key,
};
use crate::corpus::Question;
use crate::derived::once;
use crate::embed::fixed::is_of_table;
use crate::embed::{Closed, Encoder, Spec, Weights};
use crate::exchange::postgres::address::Address;
use crate::exchange::postgres::client::{error, failure, literal, quoted, runtime};
use crate::exchange::postgres::is_one;
use crate::index::IndexError;
use crate::index::build::STATIC;
use crate::index::rows::{Called, Came, Encoded, Names, Nearest, Passage, Rows, Wanted, Whole};
use crate::text::{Tokens, count, figures, plural};
use futures_util::future::join_all;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;
use tokio::runtime::Runtime;
use tokio_postgres::{Client, Row};

/// What a question cost in the database.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
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
    /// What the answer lacks, where databases could not be reached and a partial answer was asked for, or where a walk came to
    /// nodes with too many neighbours.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost: Option<Lost>,
    /// Look-ups that no index of the database serves, each with the statement that would make it fast.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub slow: Vec<String>,
}

/// In one line.
impl fmt::Display for Spent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Spent {
            servers,
            trips,
            rows,
            bytes,
            seconds,
            lost: _,
            slow: _,
        } = self;
        let servers = match servers {
            0 | 1 => "database".to_owned(),
            several => plural(*several, "database"),
        };
        let (trips, rows) = (plural(*trips, "look-up"), plural(*rows, "row"));
        let (size, time) = (count(bytes.div_ceil(1000)), figures::seconds(*seconds));
        write!(f, "{servers}: {trips}, {rows}, {size} KB, {time}")
    }
}

/// What an answer lacks because databases could not be reached, or because nodes have more neighbours than it follows.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Lost {
    /// The databases.
    pub databases: Vec<String>,
    /// Mass that a walk did not follow, at most: of all scores of a walk together, so much may lie elsewhere.
    pub mass: f64,
    /// Nodes there that a walk reached.
    pub nodes: usize,
    /// Nodes that it reached and that have more neighbours than it follows: 1,000,000, or what `hub` in the address says.
    pub hubs: usize,
    /// Words of the question that could not be looked up.
    pub words: Vec<String>,
    /// Passages whose titles or texts could not be read.
    pub passages: usize,
}

/// An index in a database, or in several.
pub struct Published {
    whole: Whole,
    /// The encoder of questions that a person named.
    named: Option<String>,
    /// It, or the one that the index names; none until a question is encoded.
    encoder: OnceLock<Box<dyn Encoder>>,
    runtime: Runtime,
    /// Whether a database that cannot be reached is left out.
    partial: bool,
    /// How many neighbours a node may have that is followed, where the address says so.
    hub: Option<u32>,
    line: Mutex<Line>,
}

/// The servers by the part that each has, none of those that could not be reached, and what they have cost.
struct Line {
    servers: Vec<Option<Server>>,
    lost: Vec<String>,
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
    /// `hopscope`. None where the first holds none, and of a path that is no address. Questions are encoded as the index says,
    /// or by the encoder that is `named`. A `partial` one may lack databases of several, as long as one is there.
    ///
    /// # Errors
    /// A server that cannot be reached or refuses, a version that this program does not read, and a part that is missing.
    pub fn find(
        address: &Path,
        named: Option<&str>,
        partial: bool,
    ) -> Result<Option<Published>, IndexError> {
        if !is_one(address) {
            return Ok(None);
        }
        let addresses = Address::all_of(address).map_err(rows)?;
        let Some(first) = addresses.first() else {
            return Ok(None);
        };
        let (schema, hub, count) = (schema_of(first), first.hub, addresses.len());
        let runtime = runtime(first).map_err(rows)?;
        let reached = runtime.block_on(join_all(addresses.iter().map(async |address| {
            let client = reach(address).await?;
            let versions = versions(address, &client, &schema).await?;
            Ok::<_, IndexError>((client, versions))
        })));
        let (mut found, mut lost) = (Vec::new(), Vec::new());
        for (address, reached) in addresses.into_iter().zip(reached) {
            match reached {
                // The last one has to be there where all others are not.
                Err(_) if partial && lost.len() + 1 < count => lost.push(address.place()),
                reached => {
                    let (client, versions) = reached?;
                    found.push((address, client, versions));
                }
            }
        }
        let asked = found.first();
        let asked = asked.and_then(|(first, _, versions)| Some((first, versions.first()?)));
        let Some((first, asked)) = asked else {
            return Ok(None);
        };
        let fails =
            |address: &Address, what, remedy: &str| rows(error(address, what, remedy.to_owned()));
        let read: Option<About<'static>> = serde_json::from_str(&asked.about).ok();
        let Some(about) = read.filter(|about| about.format == FORMAT) else {
            let version = asked.number;
            let what = format!("version {version} in schema {schema} is of another format");
            let remedy = "publish the index again with this version of hopscope";
            return Err(fails(first, what, remedy));
        };
        let of = about.shard.of;
        if of as usize != count {
            let what = format!("it holds part {} of an index", about.shard);
            let remedy = format!(
                "name the {} that it was published to: postgres://HOST/DATABASE,HOST/DATABASE",
                plural(of as usize, "database"),
            );
            return Err(fails(first, what, &remedy));
        }
        // All parts are complete before any is asked: where the first was replaced a moment ago, the others have theirs too.
        let mut servers: Vec<Option<Server>> = (0..of).map(|_| None).collect();
        for (address, client, versions) in found {
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
            partial,
            hub,
            line: Mutex::new(Line {
                servers,
                lost,
                spent: Spent::default(),
            }),
        }))
    }

    /// The tables that texts and questions are copied from.
    pub fn tables(&self) -> Vec<PathBuf> {
        let line = self.line();
        let servers = line.servers.iter().flatten();
        let tables = servers.flat_map(|server| [&PASSAGES, &QUESTIONS].map(|of| server.table(of)));
        tables.collect()
    }

    /// What was spent since this was asked last.
    pub fn spent(&self) -> Spent {
        let mut line = self.line();
        Spent {
            servers: line.servers.iter().flatten().count(),
            ..std::mem::take(&mut line.spent)
        }
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
        Ok(&**once(&self.encoder, || encoder))
    }

    fn line(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks all servers at once for what each of them holds, and reads what comes of each. Gives the parts that nobody was
    /// asked for.
    fn ask(
        &self,
        names: Names,
        batch: impl Fn(Shard) -> Batch,
        mut read: impl FnMut(&Server, &Batch, &Found) -> Result<(), IndexError>,
    ) -> Result<Vec<Shard>, IndexError> {
        let mut line = self.line();
        let line = &mut *line;
        let of = line.servers.len() as u32;
        let batches: Vec<Batch> = (0..of).map(|at| batch(Shard { at, of })).collect();
        let start = Instant::now();
        let asked = line.servers.iter_mut().zip(&batches);
        let asked = asked.map(async |(server, batch)| match server {
            Some(server) => server.ask(names, batch).await.map(Some),
            None => Ok(None),
        });
        let came = self.runtime.block_on(join_all(asked));
        let spent = &mut line.spent;
        spent.seconds += start.elapsed().as_secs_f64();
        spent.trips += 1;
        let alive = |servers: &[Option<Server>]| servers.iter().flatten().count();
        let mut gone = Vec::new();
        for (at, came) in came.into_iter().enumerate() {
            let others = alive(&line.servers) > 1;
            let slot = &mut line.servers[at];
            let leaves = self.partial && others && slot.as_ref().is_some_and(|own| own.is_gone);
            let came = match came {
                Err(_) if leaves => None,
                came => came?,
            };
            let shard = Shard { at: at as u32, of };
            match (came, &*slot) {
                (Some(came), Some(server)) => {
                    for row in came.iter().flatten() {
                        spent.rows += 1;
                        spent.bytes += row.raw_size_bytes();
                    }
                    read(server, &batches[at], &came)?;
                }
                _ => {
                    line.lost.extend(slot.take().map(|server| server.place()));
                    gone.push(shard);
                }
            }
        }
        Ok(gone)
    }
}

/// Rows of one kind with the number that each begins with, which are as many as were asked for.
fn numbered<T>(
    server: &Server,
    (table, names): (&Table, Names),
    kind: Kind,
    (asked, came): (&Batch, &Found),
    read: impl Fn(&Row) -> Option<T>,
) -> Result<Vec<(u32, T)>, IndexError> {
    let one = |row: &Row| Some((number(row, 0), read(row)?));
    let own: Option<Vec<_>> = came[kind].iter().map(one).collect();
    let own = own.filter(|own| own.len() == asked[kind].len());
    own.ok_or_else(|| server.damaged(table, names))
}

/// A number, as it was written.
fn number(row: &Row, column: usize) -> u32 {
    row.get::<_, i32>(column).cast_unsigned()
}

/// What is near, by a look-up of this kind.
fn near(kind: Kind, nearest: Option<&Nearest>) -> Keys {
    let own = |nearest: &&Nearest| nearest.beam.is_some() == (kind == Kind::About);
    let Some(nearest) = nearest.filter(own) else {
        return Keys::default();
    };
    let values: Vec<String> = nearest.vector.iter().map(f32::to_string).collect();
    let vector = format!("[{}]", values.join(","));
    Keys::Near(vector, nearest.depth as i64, nearest.beam)
}

/// How a word is cut, by the key that its row begins with; another text may have that, too.
fn cut_of(row: &Row, word: &str) -> Option<usize> {
    let own = |cut: &Tokens| word_key(*cut, word) == row.get::<_, i64>(0);
    Some(Tokens::ALL.into_iter().find(own)? as usize)
}

fn question_of_set(row: &Row) -> Option<Question> {
    serde_json::from_str(row.get(1)).ok()
}

fn name_of(row: &Row) -> Option<Called> {
    Some(Called {
        entity: number(row, 0),
        form: row.get(1),
        label: row.get(2),
        titled: packed::read_titled(row.get(3))?,
        ..Called::default()
    })
}

fn passage_of(row: &Row, text: Option<String>) -> Passage {
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

    fn hub(&self) -> Option<u32> {
        self.hub
    }

    fn spent(&self) -> Option<Spent> {
        Some(Published::spent(self)).filter(|spent| spent.trips > 0)
    }

    fn lost(&self) -> Vec<String> {
        self.line().lost.clone()
    }

    fn questions(&self, places: Range<u32>) -> Result<Vec<Question>, IndexError> {
        let places: BTreeSet<u32> = places.collect();
        let mut found = BTreeMap::new();
        loop {
            // Every server has all questions: the first that is there is asked.
            let first = self.line().servers.iter().position(Option::is_some);
            let asked = |shard: &Shard| Some(shard.at as usize) == first;
            let batch = |shard| {
                Batch::of(|kind| match kind {
                    Kind::Places if asked(&shard) => Keys::of(&places),
                    _ => Keys::default(),
                })
            };
            let gone = self.ask(Names::Own, batch, |server, batch, came| {
                let table = (&QUESTIONS, Names::Own);
                let own = numbered(server, table, Kind::Places, (batch, came), question_of_set);
                found.extend(own?);
                Ok(())
            })?;
            if !gone.iter().any(asked) {
                return Ok(found.into_values().collect());
            }
        }
    }

    fn vector(&self, question: &str) -> Result<Option<Vec<f32>>, IndexError> {
        let Some(made) = &self.whole.vectors else {
            return Ok(None);
        };
        let own = self.named.as_deref().is_none_or(|named| named == STATIC);
        match own && is_of_table(&made.entry.identity)? {
            true => Ok(None),
            false => Ok(Some(self.encoder(made)?.question(question)?)),
        }
    }

    fn fetch(&self, names: Names, wanted: &Wanted) -> Result<Came, IndexError> {
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
        let batch = |shard: Shard| {
            let own = shard.part_of(wanted, passages);
            let aliases = aliases().map(|form| key(b'a', form));
            let aliases = aliases.filter(|key| shard.has_text(*key));
            Batch::of(|kind| match kind {
                Kind::Arcs => Keys::of(&own.nodes),
                // Whoever has a name has its forms.
                Kind::Forms => Keys::Texts(form_keys.clone()),
                Kind::Aliases => Keys::Texts(aliases.clone().collect()),
                Kind::Names => Keys::of(&own.entities),
                Kind::Words => Keys::Texts(keys(&own.words)),
                Kind::Common => Keys::Texts(keys(&own.common)),
                Kind::Counts => Keys::Texts(keys(&own.counts)),
                Kind::Titles => Keys::of(&own.titles),
                Kind::Ids => Keys::Texts(own.ids.iter().map(|id| id_key(id)).collect()),
                Kind::Texts => Keys::of(&own.texts),
                Kind::Questions => {
                    let asked = wanted.question.iter();
                    Keys::Texts(asked.map(|asked| key(b'q', asked)).collect())
                }
                Kind::Places => Keys::default(),
                Kind::Sentences => Keys::of(&own.sentences),
                Kind::Pieces => Keys::of(&own.pieces),
                Kind::Vectors => Keys::of(&own.vectors),
                Kind::Nearest | Kind::About => near(kind, own.nearest.as_ref()),
            })
        };
        let mut came = Came::default();
        let gone = self.ask(names, batch, |server, asked, rows| {
            let asked = Answered {
                server,
                whole: &self.whole,
                names,
                wanted,
                came: (asked, rows),
            };
            asked.read(&mut came)
        })?;
        for shard in gone {
            came.gone.extend(shard.part_of(wanted, passages));
        }
        Ok(came)
    }
}

/// What came from a server of what was wanted.
struct Answered<'a> {
    server: &'a Server,
    whole: &'a Whole,
    names: Names,
    wanted: &'a Wanted,
    came: (&'a Batch, &'a Found),
}

impl Answered<'_> {
    fn numbered<T>(
        &self,
        table: (&Table, Names),
        kind: Kind,
        read: impl Fn(&Row) -> Option<T>,
    ) -> Result<Vec<(u32, T)>, IndexError> {
        numbered(self.server, table, kind, self.came, read)
    }

    fn read(&self, to: &mut Came) -> Result<(), IndexError> {
        self.read_question(to)?;
        self.read_graph(to)?;
        self.read_words(to)?;
        self.read_passages(to)?;
        self.read_vectors(to)
    }

    /// Each server has all questions: the first that was asked for.
    fn read_question(&self, to: &mut Came) -> Result<(), IndexError> {
        let asked = self.wanted.question.as_ref();
        let mut found = Vec::new();
        for row in &self.came.1[Kind::Questions] {
            let question = question_of_set(row);
            let question = question.ok_or_else(|| self.server.damaged(&QUESTIONS, Names::Own))?;
            found.push((number(row, 0), question));
        }
        // Two texts may have one key.
        found.retain(|(_, own)| asked == Some(&own.text) || asked == Some(&own.id));
        let first = found.into_iter().min_by_key(|(place, _)| *place);
        to.question = to.question.take().or(first.map(|(_, question)| question));
        Ok(())
    }

    fn read_graph(&self, to: &mut Came) -> Result<(), IndexError> {
        let (names, (_, came)) = (self.names, self.came);
        let joined = |row: &Row| packed::read_joined(row.get(1));
        to.joined
            .extend(self.numbered((&ARCS, names), Kind::Arcs, joined)?);
        for row in &came[Kind::Forms] {
            let joined = packed::read_joined(row.get(4));
            let joined = joined.ok_or_else(|| self.server.damaged(&ARCS, names))?;
            let name = name_of(row).ok_or_else(|| self.server.damaged(&NAMES, names))?;
            to.joined.push((self.whole.passages + name.entity, joined));
            to.names.push(name);
        }
        let own = self.numbered((&NAMES, names), Kind::Names, name_of)?;
        to.names.extend(own.into_iter().map(|(_, name)| name));
        // Two texts may have one key.
        let alias = came[Kind::Aliases].iter();
        let alias = alias.map(|row| (row.get(0), row.get(1)));
        let alias = alias.filter(|(alias, _): &(String, _)| self.wanted.forms.contains(alias));
        to.aliases.extend(alias);
        Ok(())
    }

    fn read_words(&self, to: &mut Came) -> Result<(), IndexError> {
        let (_, came) = self.came;
        for row in came[Kind::Words].iter().chain(&came[Kind::Common]) {
            let (word, postings): (String, Option<&[u8]>) = (row.get(1), row.get(3));
            let Some(cut) = cut_of(row, &word) else {
                continue;
            };
            let Some(postings) = postings else {
                to.counts[cut].push((word, number(row, 2)));
                continue;
            };
            let postings = packed::read_posted(postings);
            let postings = postings.ok_or_else(|| self.server.damaged(&WORDS, Names::Own))?;
            to.posted[cut].push((word, postings));
        }
        for row in &came[Kind::Counts] {
            let word: String = row.get(1);
            if let Some(cut) = cut_of(row, &word) {
                to.counts[cut].push((word, number(row, 2)));
            }
        }
        Ok(())
    }

    fn read_passages(&self, to: &mut Came) -> Result<(), IndexError> {
        let (_, came) = self.came;
        let passages = (&PASSAGES, Names::Own);
        let title = |row: &Row| Some(passage_of(row, None));
        to.passages
            .extend(self.numbered(passages, Kind::Titles, title)?);
        // Two identifiers may have one key.
        let named = came[Kind::Ids].iter();
        let named = named.map(|row| (number(row, 0), passage_of(row, None)));
        let named = named.filter(|(_, own)| self.wanted.ids.contains(&own.id));
        to.passages.extend(named);
        let text = |row: &Row| {
            let mentions = packed::read_mentions(row.get(5))?;
            let spans = packed::read_spans(row.get(6))?;
            Some((passage_of(row, Some(row.get(4))), mentions, spans))
        };
        for (passage, (own, mentions, spans)) in self.numbered(passages, Kind::Texts, text)? {
            to.passages.push((passage, own));
            to.mentions.push((passage, mentions));
            to.spans.push((passage, spans));
        }
        let dims = self.whole.sentences.as_ref().map_or(0, |made| made.dims);
        let sentences = |row: &Row| {
            let spans = packed::read_spans(row.get(1))?;
            let vectors = packed::read_vectors(row.get(2), dims)?;
            let fit = spans.len() == vectors.len();
            fit.then_some((spans, vectors, packed::read_mentions(row.get(3))?))
        };
        let table = (&SENTENCES, Names::Own);
        let sentences = self.numbered(table, Kind::Sentences, sentences)?;
        for (passage, (spans, vectors, mentions)) in sentences {
            to.spans.push((passage, spans));
            to.sentences.push((passage, vectors));
            to.mentions.push((passage, mentions));
        }
        Ok(())
    }

    fn read_vectors(&self, to: &mut Came) -> Result<(), IndexError> {
        let made = self.whole.vectors.as_ref();
        let kept = |row: &Row| made.and_then(|made| made.row(row.get(1)));
        let vectors = (&VECTORS, Names::Own);
        to.near.extend(self.numbered(vectors, Kind::Vectors, kept)?);
        let came = self.came.1;
        for row in came[Kind::Nearest].iter().chain(&came[Kind::About]) {
            let kept = kept(row).ok_or_else(|| self.server.damaged(&VECTORS, Names::Own))?;
            to.near.push((number(row, 0), kept));
        }
        let weight = |row: &Row| Some(row.get(1));
        to.pieces
            .extend(self.numbered((&PIECES, Names::Own), Kind::Pieces, weight)?);
        Ok(())
    }
}
