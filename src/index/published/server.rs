//! One server of those that hold a published index: its connection, and the look-ups of a version there.

use super::{
    ALIASES, ARCS, ASKED, FORMS, NAMES, PASSAGES, PIECES, QUESTIONS, Table, VECTOR, VECTORS, WORDS,
    rows,
};
use crate::exchange::postgres::address::Address;
use crate::exchange::postgres::client::{connect, error, failure};
use crate::index::IndexError;
use crate::index::rows::Whole;
use futures_util::future::try_join_all;
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

/// How many kinds of rows are looked up together.
pub const KINDS: usize = 12;
/// Where questions, by what is asked and by their places, and what word pieces weigh are among them.
pub const QUESTION: usize = 8;
pub const PLACE: usize = 9;
pub const WEIGHTS: usize = 10;

/// Keys that rows are asked for by: numbers, or what stands for texts.
pub enum Keys {
    Numbers(Vec<i32>),
    Texts(Vec<i64>),
    /// A vector as SQL writes it, and how many of the nearest.
    Near(String, i64),
}

impl Keys {
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
            Keys::Near(vector, depth) => client.query(statement, &[vector, depth]).await,
        }
    }
}

/// What is looked up together: neighbours of nodes, names with their neighbours by form, aliases, names by number, words, counts,
/// titles, texts, questions, questions by place, word pieces, the nearest vectors.
pub type Batch = [Keys; KINDS];

/// The look-ups of a version, each for a batch of keys, in the order of a [`Batch`]; those of vectors where it has any.
fn look_ups(version: &Version, schema: &str, whole: &Whole) -> Vec<String> {
    let (number, passages) = (version.number, whole.passages);
    let plain = |columns: &str, table: &Table| {
        let (from, key) = (table.of(schema, number), table.key);
        format!("SELECT {columns} FROM {from} WHERE {key} = ANY ($1)")
    };
    let [arcs, names, forms, asked, questions] =
        [&ARCS, &NAMES, &FORMS, &ASKED, &QUESTIONS].map(|table| table.of(schema, number));
    let mut all = vec![
        plain("node, joined", &ARCS),
        format!(
            "SELECT n.entity, n.form, n.label, a.joined FROM (SELECT DISTINCT entity FROM {forms} \
             WHERE key = ANY ($1)) f JOIN {names} n USING (entity) JOIN {arcs} a ON a.node = f.entity + {passages}"
        ),
        plain("alias, form", &ALIASES),
        plain("entity, form, label", &NAMES),
        plain("key, word, postings", &WORDS),
        plain("key, word, passages", &WORDS),
        plain("passage, id, title, twin", &PASSAGES),
        plain("passage, id, title, twin, body, mentions", &PASSAGES),
        format!(
            "SELECT q.place, q.question FROM (SELECT DISTINCT place FROM {asked} WHERE key = ANY ($1)) a \
             JOIN {questions} q USING (place)"
        ),
        plain("place, question", &QUESTIONS),
    ];
    if let (Some(extension), Some(_)) = (&version.extension, &whole.vectors) {
        all.push(plain("piece, weight", &PIECES));
        let from = VECTORS.of(schema, number);
        // An index over vectors would find most of the nearest, and not all: it knows nothing of a sum.
        all.push(format!(
            "SELECT passage, kept FROM {from} ORDER BY \
             (near OPERATOR({extension}.<#>) $1::pg_catalog.text::{extension}.{VECTOR}) + 0, passage LIMIT $2"
        ));
    }
    all
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
    queries: Vec<String>,
    /// None until something is asked.
    prepared: Vec<Statement>,
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
            queries: look_ups(version, schema, whole),
            prepared: Vec::new(),
        }
    }

    /// Asks on the connection, which is made again where it broke: nothing is lost with it, since what is asked for never
    /// changes.
    ///
    /// # Errors
    /// A server that stays away, is slow, or says something else.
    pub async fn ask(&mut self, batch: &Batch) -> Result<[Vec<Row>; KINDS], IndexError> {
        let mut waits = AGAIN.iter();
        loop {
            let asked = tokio::time::timeout(LOOK_UP, self.on_connection(batch)).await;
            match asked {
                Ok(Ok(came)) => return Ok(came),
                Ok(Err(cause)) if self.client.is_closed() || is_broken(&cause) => {
                    let Some(wait) = waits.next() else {
                        return Err(rows(failure(&self.address, &cause)));
                    };
                    tokio::time::sleep(*wait).await;
                    if let Ok(client) = reach(&self.address).await {
                        self.client = client;
                        self.prepared.clear();
                    }
                }
                Ok(Err(cause)) => return Err(self.failed(&cause)),
                Err(_) => {
                    let what = format!("a look-up took more than {} s", LOOK_UP.as_secs());
                    let remedy = "check the server, and ask again".to_owned();
                    return Err(rows(error(&self.address, what, remedy)));
                }
            }
        }
    }

    async fn on_connection(
        &mut self,
        batch: &Batch,
    ) -> Result<[Vec<Row>; KINDS], tokio_postgres::Error> {
        if self.prepared.is_empty() {
            let prepare = self.queries.iter().map(|query| self.client.prepare(query));
            self.prepared = try_join_all(prepare).await?;
        }
        let asked = batch.iter().zip(&self.prepared);
        let asked = asked.map(|(keys, statement)| keys.look_up(&self.client, statement));
        let mut came = try_join_all(asked).await?.into_iter();
        Ok(std::array::from_fn(|_| came.next().unwrap_or_default()))
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
        let table = table.of(&self.schema, self.version).replace('"', "");
        PathBuf::from(format!("postgres://{}/{table}", self.address.place()))
    }

    /// A row that is not what was published.
    pub fn damaged(&self, table: &Table) -> IndexError {
        let what = format!("table {} is damaged", table.of(&self.schema, self.version));
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
