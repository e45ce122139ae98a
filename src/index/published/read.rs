//! A published index, asked by rows: one look-up a batch, of the version that was there at first.

use super::{
    ALIASES, ARCS, About, CURRENT, FORMAT, FORMS, NAMES, PASSAGES, QUESTIONS, Table, VERSIONS,
    WORDS, form_keys, key, packed, rows, schema_of, word_key,
};
use crate::corpus::Question;
use crate::exchange::postgres::address::Address;
use crate::exchange::postgres::client::{connect, error, failure, literal, quoted, runtime};
use crate::index::IndexError;
use crate::index::rows::{Called, Came, Passage, Rows, Text, Wanted, Whole};
use crate::text::Tokens;
use serde::Serialize;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Row, Statement};

/// How long a look-up may take.
const LOOK_UP: Duration = Duration::from_secs(20);
/// How long is waited before each time that a connection which broke is tried again.
const AGAIN: [Duration; 3] = [
    Duration::from_millis(100),
    Duration::from_millis(400),
    Duration::from_millis(1600),
];

/// What a question cost in the database.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Spent {
    /// Look-ups.
    pub trips: usize,
    /// Rows that came.
    pub rows: usize,
    /// Bytes of their values.
    pub bytes: usize,
    /// Seconds that were waited for them.
    pub seconds: f64,
}

/// An index in a database.
pub struct Published {
    address: Address,
    schema: String,
    version: i32,
    whole: Whole,
    runtime: Runtime,
    line: Mutex<Line>,
}

/// A connection, and what it has cost.
struct Line {
    client: Client,
    /// None until something is asked.
    look_ups: Option<LookUps>,
    spent: Spent,
}

/// The look-ups of a version, each for a batch of keys.
struct LookUps {
    arcs: Statement,
    forms: Statement,
    aliases: Statement,
    names: Statement,
    words: Statement,
    titles: Statement,
    texts: Statement,
    questions: Statement,
}

impl LookUps {
    async fn prepare(
        client: &Client,
        schema: &str,
        version: i32,
        passages: u32,
    ) -> Result<LookUps, tokio_postgres::Error> {
        let prepare = |columns: &str, table: &Table| {
            let (from, key) = (table.of(schema, version), table.key);
            let query = format!("SELECT {columns} FROM {from} WHERE {key} = ANY ($1)");
            async move { client.prepare(&query).await }
        };
        let [arcs, names, forms] = [&ARCS, &NAMES, &FORMS].map(|table| table.of(schema, version));
        let forms = format!(
            "SELECT n.entity, n.form, n.label, a.joined FROM (SELECT DISTINCT entity FROM {forms} \
             WHERE key = ANY ($1)) f JOIN {names} n USING (entity) JOIN {arcs} a ON a.node = f.entity + {passages}"
        );
        let (arcs, forms, aliases, names, words, titles, texts, questions) = tokio::try_join!(
            prepare("node, joined", &ARCS),
            client.prepare(&forms),
            prepare("alias, form", &ALIASES),
            prepare("entity, form, label", &NAMES),
            prepare("key, word, postings", &WORDS),
            prepare("passage, id, title, twin", &PASSAGES),
            prepare("passage, id, title, twin, body, mentions", &PASSAGES),
            prepare("question", &QUESTIONS),
        )?;
        Ok(LookUps {
            arcs,
            forms,
            aliases,
            names,
            words,
            titles,
            texts,
            questions,
        })
    }
}

/// Keys that rows are asked for by: numbers, or what stands for texts.
enum Keys {
    Numbers(Vec<i32>),
    Texts(Vec<i64>),
}

impl Keys {
    fn of<'a>(numbers: impl IntoIterator<Item = &'a u32>) -> Keys {
        Keys::Numbers(numbers.into_iter().map(|own| own.cast_signed()).collect())
    }

    /// The rows of a look-up; of no keys there are none, and nobody is asked.
    async fn look_up(
        &self,
        client: &Client,
        statement: &Statement,
    ) -> Result<Vec<Row>, tokio_postgres::Error> {
        match self {
            Keys::Numbers(own) if !own.is_empty() => client.query(statement, &[own]).await,
            Keys::Texts(own) if !own.is_empty() => client.query(statement, &[own]).await,
            _ => Ok(Vec::new()),
        }
    }
}

/// What is looked up together: the answers come in this order.
type Batch = [Keys; 7];

impl Published {
    /// Whether the database of an address holds a published index: of the schema that it names, or of `hopscope`. None where
    /// it does not.
    ///
    /// # Errors
    /// A server that cannot be reached or refuses, and a version that this program does not read.
    pub fn find(address: &Path) -> Result<Option<Published>, IndexError> {
        let address = Address::of(address).map_err(rows)?;
        let runtime = runtime(&address).map_err(rows)?;
        let client = runtime.block_on(reach(&address))?;
        let schema = schema_of(&address);
        let own = quoted(&schema);
        let failed = |cause: tokio_postgres::Error| rows(failure(&address, &cause));
        let known = format!(
            "SELECT pg_catalog.to_regclass({}) IS NOT NULL",
            literal(&format!("{own}.{CURRENT}"))
        );
        let known = runtime.block_on(client.query_one(&known, &[]));
        if !known.map_err(failed)?.get::<_, bool>(0) {
            return Ok(None);
        }
        let current = format!(
            "SELECT version, about FROM {own}.{VERSIONS} JOIN {own}.{CURRENT} USING (version)"
        );
        let current = runtime.block_on(client.query_opt(&current, &[]));
        let Some(row) = current.map_err(failed)? else {
            return Ok(None);
        };
        let (version, about): (i32, String) = (row.get(0), row.get(1));
        let read: Result<About<'_>, _> = serde_json::from_str(&about);
        let Some(About { whole, .. }) = read.ok().filter(|about| about.format == FORMAT) else {
            let what = format!("version {version} in schema {schema} is of another format");
            let remedy = "publish the index again with this version of hopscope".to_owned();
            return Err(rows(error(&address, what, remedy)));
        };
        let whole = whole.into_owned();
        Ok(Some(Published {
            address,
            schema,
            version,
            whole,
            runtime,
            line: Mutex::new(Line {
                client,
                look_ups: None,
                spent: Spent::default(),
            }),
        }))
    }

    /// What was spent since this was asked last.
    pub fn spent(&self) -> Spent {
        std::mem::take(&mut self.line().spent)
    }

    fn line(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks on the connection, which is made again where it broke: nothing is lost with it, since what is asked for never
    /// changes.
    fn ask<const N: usize>(
        &self,
        ask: impl AsyncFn(&Client, &LookUps) -> Result<[Vec<Row>; N], tokio_postgres::Error>,
    ) -> Result<[Vec<Row>; N], IndexError> {
        let mut line = self.line();
        let start = Instant::now();
        let mut waits = AGAIN.iter();
        let came = loop {
            let asked = self.runtime.block_on(async {
                let asked = self.on(&mut line, &ask);
                tokio::time::timeout(LOOK_UP, asked).await
            });
            match asked {
                Ok(Ok(came)) => break came,
                Ok(Err(cause)) if line.client.is_closed() || is_broken(&cause) => {
                    let Some(wait) = waits.next() else {
                        return Err(rows(failure(&self.address, &cause)));
                    };
                    std::thread::sleep(*wait);
                    if let Ok(client) = self.runtime.block_on(reach(&self.address)) {
                        line.client = client;
                        line.look_ups = None;
                    }
                }
                Ok(Err(cause)) => return Err(self.failed(&cause)),
                Err(_) => {
                    let what = format!("a look-up took more than {} s", LOOK_UP.as_secs());
                    let remedy = "check the server, and ask again".to_owned();
                    return Err(rows(error(&self.address, what, remedy)));
                }
            }
        };
        let spent = &mut line.spent;
        spent.trips += 1;
        for row in came.iter().flatten() {
            spent.rows += 1;
            spent.bytes += row.raw_size_bytes();
        }
        spent.seconds += start.elapsed().as_secs_f64();
        Ok(came)
    }

    async fn on<const N: usize>(
        &self,
        line: &mut Line,
        ask: &impl AsyncFn(&Client, &LookUps) -> Result<[Vec<Row>; N], tokio_postgres::Error>,
    ) -> Result<[Vec<Row>; N], tokio_postgres::Error> {
        let look_ups = match line.look_ups.take() {
            Some(look_ups) => look_ups,
            None => {
                let (schema, passages) = (&self.schema, self.whole.passages);
                LookUps::prepare(&line.client, schema, self.version, passages).await?
            }
        };
        let look_ups = line.look_ups.insert(look_ups);
        ask(&line.client, look_ups).await
    }

    fn failed(&self, cause: &tokio_postgres::Error) -> IndexError {
        if cause.code() == Some(&SqlState::UNDEFINED_TABLE) {
            let what = format!("version {} was removed while it was asked", self.version);
            return rows(error(&self.address, what, "ask again".to_owned()));
        }
        rows(failure(&self.address, cause))
    }

    /// A row that is not what was published.
    fn damaged(&self, table: &Table) -> IndexError {
        let what = format!("table {} is damaged", table.of(&self.schema, self.version));
        rows(error(
            &self.address,
            what,
            "publish the index again".to_owned(),
        ))
    }

    /// Rows with the number that each begins with, which are as many as were asked for.
    fn numbered<T>(
        &self,
        table: &Table,
        (asked, came): (usize, &[Row]),
        read: impl Fn(&Row) -> Option<T>,
    ) -> Result<Vec<(u32, T)>, IndexError> {
        let one = |row: &Row| Some((number(row, 0), read(row)?));
        let own: Option<Vec<_>> = came.iter().map(one).collect();
        let own = own.filter(|own| own.len() == asked);
        own.ok_or_else(|| self.damaged(table))
    }
}

/// Whether an error is of the connection, and not of what was asked.
fn is_broken(cause: &tokio_postgres::Error) -> bool {
    let ends = [
        SqlState::ADMIN_SHUTDOWN,
        SqlState::CRASH_SHUTDOWN,
        SqlState::CANNOT_CONNECT_NOW,
    ];
    cause.is_closed() || cause.code().is_some_and(|code| ends.contains(code))
}

/// A connection that writes nothing, and waits for no answer longer than a look-up may take.
async fn reach(address: &Address) -> Result<Client, IndexError> {
    let client = connect(address).await.map_err(rows)?;
    let set = format!(
        "SET default_transaction_read_only = on; SET statement_timeout = {}",
        LOOK_UP.as_millis()
    );
    let set = client.batch_execute(&set).await;
    set.map_err(|cause| rows(failure(address, &cause)))?;
    Ok(client)
}

/// A number, as it was written.
fn number(row: &Row, column: usize) -> u32 {
    row.get::<_, i32>(column).cast_unsigned()
}

fn name_of(row: &Row) -> Called {
    Called {
        entity: number(row, 0),
        form: row.get(1),
        label: row.get(2),
    }
}

impl Rows for Published {
    fn whole(&self) -> &Whole {
        &self.whole
    }

    fn question(&self, asked: &str) -> Result<Option<Question>, IndexError> {
        let keys = Keys::Texts(vec![key(b'q', asked)]);
        let [came] = self.ask(async |client, look_ups| {
            Ok([keys.look_up(client, &look_ups.questions).await?])
        })?;
        for row in came {
            let question: Result<Question, _> = serde_json::from_str(row.get(0));
            let question = question.map_err(|_| self.damaged(&QUESTIONS))?;
            if question.text == asked || question.id == asked {
                return Ok(Some(question));
            }
        }
        Ok(None)
    }

    fn fetch(&self, wanted: &Wanted) -> Result<Came, IndexError> {
        let options = &self.whole.options;
        let forms = || wanted.forms.iter();
        let form_keys = forms().flat_map(|form| form_keys(options.language, form));
        let aliases = forms().filter(|_| options.alias_linking);
        let words = |tokens: Tokens| {
            let words = wanted.words[tokens as usize].iter();
            words.map(move |word| word_key(tokens, word))
        };
        let batch: Batch = [
            Keys::of(&wanted.nodes),
            Keys::Texts(form_keys.collect()),
            Keys::Texts(aliases.map(|form| key(b'a', form)).collect()),
            Keys::of(&wanted.entities),
            Keys::Texts(Tokens::ALL.into_iter().flat_map(words).collect()),
            Keys::of(&wanted.titles),
            Keys::of(&wanted.texts),
        ];
        let [arcs, named, aliases, names, words, titles, texts] =
            self.ask(async |client, own| {
                let [arcs, forms, aliases, names, words, titles, texts] = &batch;
                let came = tokio::try_join!(
                    arcs.look_up(client, &own.arcs),
                    forms.look_up(client, &own.forms),
                    aliases.look_up(client, &own.aliases),
                    names.look_up(client, &own.names),
                    words.look_up(client, &own.words),
                    titles.look_up(client, &own.titles),
                    texts.look_up(client, &own.texts),
                )?;
                Ok(came.into())
            })?;
        let mut came = Came {
            joined: self.numbered(&ARCS, (wanted.nodes.len(), &arcs), |row| {
                packed::read_joined(row.get(1))
            })?,
            ..Came::default()
        };
        for row in &named {
            let joined = packed::read_joined(row.get(3));
            let joined = joined.ok_or_else(|| self.damaged(&ARCS))?;
            let name = name_of(row);
            came.joined
                .push((self.whole.passages + name.entity, joined));
            came.names.push(name);
        }
        let own = self.numbered(&NAMES, (wanted.entities.len(), &names), |row| {
            Some(name_of(row))
        })?;
        came.names.extend(own.into_iter().map(|(_, name)| name));
        // Two texts may have one key.
        let alias = aliases.iter().map(|row| (row.get(0), row.get(1)));
        let alias = alias.filter(|(alias, _): &(String, _)| wanted.forms.contains(alias));
        came.aliases = alias.collect();
        for row in &words {
            let word: String = row.get(1);
            let postings = packed::read_posted(row.get(2));
            let postings = postings.ok_or_else(|| self.damaged(&WORDS))?;
            let mut cuts = Tokens::ALL.into_iter();
            if let Some(tokens) = cuts.find(|own| word_key(*own, &word) == row.get::<_, i64>(0)) {
                came.posted[tokens as usize].push((word, postings));
            }
        }
        let passage = |row: &Row, text: Option<Text>| Passage {
            id: row.get(1),
            title: row.get(2),
            twin: row.get(3),
            text,
        };
        came.passages = self.numbered(&PASSAGES, (wanted.titles.len(), &titles), |row| {
            Some(passage(row, None))
        })?;
        came.passages.extend(
            self.numbered(&PASSAGES, (wanted.texts.len(), &texts), |row| {
                let text = Text {
                    text: row.get(4),
                    mentions: packed::read_mentions(row.get(5))?,
                };
                Some(passage(row, Some(text)))
            })?,
        );
        Ok(came)
    }
}
