//! One server of those that hold a published index: its connection, and the look-ups of a version there.

use super::{
    ALIASES, ARCS, ASKED, FORMS, IDS, MENTIONS, PASSAGES, PIECES, QUESTIONS, SENTENCES, Table,
    VECTOR, VECTORS, WORDS, rows,
};
use crate::exchange::postgres::address::Address;
use crate::exchange::postgres::client::{connect, error, failure};
use crate::index::IndexError;
use crate::index::rows::{FEW, Names, Whole};
use futures_util::future::try_join_all;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;
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

/// The widest beam that the extension takes.
pub const MOST_BEAM: usize = 1000;

/// What is looked up together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Neighbours of nodes.
    Arcs,
    /// Names with their neighbours, by form.
    Forms,
    Aliases,
    /// Names by number.
    Names,
    /// Words with their passages where these are few, and with all of them.
    Words,
    Common,
    /// In how many passages words are.
    Counts,
    Titles,
    /// As titles, by identifier.
    Ids,
    Texts,
    /// Questions by what is asked.
    Questions,
    /// Questions by their places.
    Places,
    Sentences,
    Pieces,
    /// Vectors of passages.
    Vectors,
    /// The nearest vectors, of all and by an index over them.
    Nearest,
    About,
}

impl Kind {
    pub const ALL: [Kind; 17] = [
        Kind::Arcs,
        Kind::Forms,
        Kind::Aliases,
        Kind::Names,
        Kind::Words,
        Kind::Common,
        Kind::Counts,
        Kind::Titles,
        Kind::Ids,
        Kind::Texts,
        Kind::Questions,
        Kind::Places,
        Kind::Sentences,
        Kind::Pieces,
        Kind::Vectors,
        Kind::Nearest,
        Kind::About,
    ];
}

/// Something for each kind.
pub struct ByKind<T>([T; Kind::ALL.len()]);

impl<T> ByKind<T> {
    pub fn of(each: impl FnMut(Kind) -> T) -> ByKind<T> {
        ByKind(Kind::ALL.map(each))
    }

    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter()
    }
}

impl<T> std::ops::Index<Kind> for ByKind<T> {
    type Output = T;

    fn index(&self, kind: Kind) -> &T {
        &self.0[kind as usize]
    }
}

/// What is asked for at once, and what came of it.
pub type Batch = ByKind<Keys>;
pub type Found = ByKind<Vec<Row>>;

/// Keys that rows are asked for by: numbers, or what stands for texts.
pub enum Keys {
    Numbers(Vec<i32>),
    Texts(Vec<i64>),
    /// A vector as SQL writes it, how many of the nearest, and how wide an index over vectors is searched for them.
    Near(String, i64, Option<usize>),
}

impl Default for Keys {
    fn default() -> Keys {
        Keys::Texts(Vec::new())
    }
}

impl Keys {
    pub fn of(numbers: &BTreeSet<u32>) -> Keys {
        Keys::Numbers(numbers.iter().map(|own| own.cast_signed()).collect())
    }

    pub fn len(&self) -> usize {
        match self {
            Keys::Numbers(own) => own.len(),
            Keys::Texts(own) => own.len(),
            Keys::Near(..) => 1,
        }
    }

    /// The rows of a look-up; of no keys there are none, and nobody is asked.
    async fn look_up(
        &self,
        client: &Client,
        statement: &Statement,
    ) -> Result<Vec<Row>, tokio_postgres::Error> {
        match self {
            _ if self.len() == 0 => Ok(Vec::new()),
            Keys::Numbers(own) => client.query(statement, &[own]).await,
            Keys::Texts(own) => client.query(statement, &[own]).await,
            Keys::Near(vector, depth, _) => client.query(statement, &[vector, depth]).await,
        }
    }
}

/// The look-up of a kind, for a batch of keys: of the graph of these names, where it is of a graph. None where the version has
/// no such table.
fn look_up(
    kind: Kind,
    names: Names,
    version: &Version,
    schema: &str,
    whole: &Whole,
) -> Option<String> {
    let of = |table: &Table, names| table.of(schema, version.number, names);
    let plain = |columns: &str, table: &Table, names| {
        let (from, key) = (of(table, names), table.key);
        format!("SELECT {columns} FROM {from} WHERE {key} = ANY ($1)")
    };
    let (own, passages) = (Names::Own, whole.passages);
    let (vectors, sentences) = (whole.vectors.is_some(), whole.sentences.is_some());
    Some(match kind {
        Kind::Arcs => plain("node, joined", &ARCS, names),
        Kind::Forms => format!(
            "SELECT n.entity, n.form, n.label, n.titled, a.joined FROM (SELECT DISTINCT entity FROM {} WHERE key = ANY ($1)) f \
             JOIN {} n USING (entity) JOIN {} a ON a.node = f.entity + {passages}",
            of(&FORMS, names),
            of(&super::NAMES, names),
            of(&ARCS, names),
        ),
        Kind::Aliases => plain("alias, form", &ALIASES, names),
        Kind::Names => plain("entity, form, label, titled", &super::NAMES, names),
        Kind::Words => {
            let few = format!("key, word, passages, CASE WHEN passages <= {FEW} THEN postings END");
            plain(&few, &WORDS, own)
        }
        Kind::Common => plain("key, word, passages, postings", &WORDS, own),
        Kind::Counts => plain("key, word, passages", &WORDS, own),
        Kind::Titles => plain("passage, id, title, twin", &PASSAGES, own),
        Kind::Ids => format!(
            "SELECT passage, id, title, twin FROM (SELECT DISTINCT passage FROM {} WHERE key = ANY ($1)) i JOIN {} p USING (passage)",
            of(&IDS, own),
            of(&PASSAGES, own),
        ),
        Kind::Texts => {
            let from = format!(
                "{} p JOIN {} m USING (passage)",
                of(&PASSAGES, own),
                of(&MENTIONS, names)
            );
            let (spans, from) = match sentences {
                true => (
                    "s.spans",
                    format!("{from} JOIN {} s USING (passage)", of(&SENTENCES, own)),
                ),
                false => ("''::pg_catalog.bytea", from),
            };
            format!(
                "SELECT passage, id, title, twin, body, mentions, {spans} FROM {from} WHERE passage = ANY ($1)"
            )
        }
        Kind::Questions => format!(
            "SELECT q.place, q.question FROM (SELECT DISTINCT place FROM {} WHERE key = ANY ($1)) a JOIN {} q USING (place)",
            of(&ASKED, own),
            of(&QUESTIONS, own),
        ),
        Kind::Places => plain("place, question", &QUESTIONS, own),
        Kind::Sentences if sentences => format!(
            "SELECT passage, spans, vectors, mentions FROM {} s JOIN {} m USING (passage) WHERE passage = ANY ($1)",
            of(&SENTENCES, own),
            of(&MENTIONS, names),
        ),
        Kind::Pieces if vectors || sentences => plain("piece, weight", &PIECES, own),
        Kind::Vectors if vectors => plain("passage, kept", &VECTORS, own),
        Kind::Nearest | Kind::About if vectors => {
            let extension = version.extension.as_deref()?;
            let by =
                format!("near OPERATOR({extension}.<#>) $1::pg_catalog.text::{extension}.{VECTOR}");
            // An index over vectors would find most of the nearest, and not all: it knows nothing of a sum.
            let order = match kind {
                Kind::Nearest => format!("({by}) + 0, passage"),
                _ => by,
            };
            let from = of(&VECTORS, own);
            format!("SELECT passage, kept FROM {from} ORDER BY {order} LIMIT $2")
        }
        Kind::Sentences | Kind::Pieces | Kind::Vectors | Kind::Nearest | Kind::About => {
            return None;
        }
    })
}

/// A version of an index on a server.
pub struct Version {
    pub number: i32,
    /// What it says of itself.
    pub about: String,
    /// The schema of what compares vectors; none where the server has none.
    pub extension: Option<String>,
}

/// A server, and the version of the index that is asked there.
pub struct Server {
    address: Address,
    client: Client,
    schema: String,
    version: i32,
    /// The look-ups over each graph.
    queries: [ByKind<Option<String>>; Names::ALL.len()],
    /// None until something is asked of that graph.
    prepared: [Option<ByKind<Option<Statement>>>; Names::ALL.len()],
    /// How wide the connection searches an index over vectors; none until it was set.
    beam: Option<usize>,
    /// It stayed away, or was slow, and is asked no more.
    pub is_gone: bool,
}

impl Server {
    pub fn new(
        (address, client): (Address, Client),
        schema: &str,
        version: &Version,
        whole: &Whole,
    ) -> Server {
        Server {
            address,
            client,
            schema: schema.to_owned(),
            version: version.number,
            queries: Names::ALL
                .map(|names| ByKind::of(|kind| look_up(kind, names, version, schema, whole))),
            prepared: Default::default(),
            beam: None,
            is_gone: false,
        }
    }

    /// Where it is, without a password.
    pub fn place(&self) -> String {
        self.address.place()
    }

    /// Asks on the connection, which is made again where it broke: nothing is lost with it, since what is asked for never
    /// changes.
    ///
    /// # Errors
    /// A server that stays away, is slow, or says something else.
    pub async fn ask(&mut self, names: Names, batch: &Batch) -> Result<Found, IndexError> {
        let mut waits = AGAIN.iter();
        loop {
            let asked = tokio::time::timeout(LOOK_UP, self.on_connection(names, batch)).await;
            match asked {
                Ok(Ok(came)) => return Ok(came),
                Ok(Err(cause)) if self.client.is_closed() || is_broken(&cause) => {
                    let Some(wait) = waits.next() else {
                        self.is_gone = true;
                        return Err(rows(failure(&self.address, &cause)));
                    };
                    tokio::time::sleep(*wait).await;
                    if let Ok(client) = reach(&self.address).await {
                        self.client = client;
                        self.prepared = Default::default();
                        self.beam = None;
                    }
                }
                Ok(Err(cause)) => return Err(self.failed(&cause)),
                Err(_) => {
                    self.is_gone = true;
                    let what = format!("a look-up took more than {} s", LOOK_UP.as_secs());
                    let remedy = "check the server, and ask again".to_owned();
                    return Err(rows(error(&self.address, what, remedy)));
                }
            }
        }
    }

    async fn on_connection(
        &mut self,
        names: Names,
        batch: &Batch,
    ) -> Result<Found, tokio_postgres::Error> {
        let prepared = &mut self.prepared[names as usize];
        if prepared.is_none() {
            let queries = self.queries[names as usize].iter();
            let prepare = queries.map(async |query| match query {
                Some(query) => self.client.prepare(query).await.map(Some),
                None => Ok(None),
            });
            let mut all = try_join_all(prepare).await?.into_iter();
            *prepared = Some(ByKind::of(|_| all.next().flatten()));
        }
        if let Keys::Near(_, _, Some(beam)) = batch[Kind::About]
            && self.beam != Some(beam)
        {
            let set = format!("SET hnsw.ef_search = {}", beam.clamp(1, MOST_BEAM));
            self.client.batch_execute(&set).await?;
            self.beam = Some(beam);
        }
        let statements = prepared.iter().flat_map(ByKind::iter);
        let asked = batch.iter().zip(statements);
        let asked = asked.map(async |(keys, statement)| match statement {
            Some(statement) => keys.look_up(&self.client, statement).await,
            None => Ok(Vec::new()),
        });
        let mut came = try_join_all(asked).await?.into_iter();
        Ok(ByKind::of(|_| came.next().unwrap_or_default()))
    }

    fn failed(&self, cause: &tokio_postgres::Error) -> IndexError {
        if cause.code() == Some(&SqlState::UNDEFINED_TABLE) {
            let what = format!("version {} was removed while it was asked", self.version);
            return rows(error(&self.address, what, "ask again".to_owned()));
        }
        rows(failure(&self.address, cause))
    }

    /// A table of the version that is asked, as a file that is read.
    pub fn table(&self, table: &Table) -> PathBuf {
        let table = table
            .of(&self.schema, self.version, Names::Own)
            .replace('"', "");
        PathBuf::from(format!("postgres://{}/{table}", self.address.place()))
    }

    /// A row that is not what was published.
    pub fn damaged(&self, table: &Table, names: Names) -> IndexError {
        let table = table.of(&self.schema, self.version, names);
        let what = format!("table {table} is damaged");
        let remedy = "publish the index again".to_owned();
        rows(error(&self.address, what, remedy))
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
///
/// # Errors
/// A server that cannot be reached or refuses.
pub async fn reach(address: &Address) -> Result<Client, IndexError> {
    let client = connect(address).await.map_err(rows)?;
    let set = format!(
        "SET default_transaction_read_only = on; SET statement_timeout = {}",
        LOOK_UP.as_millis()
    );
    let set = client.batch_execute(&set).await;
    set.map_err(|cause| rows(failure(address, &cause)))?;
    Ok(client)
}
