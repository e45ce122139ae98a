//! A database as it is at one moment: one transaction that reads and can write nothing. Every value is asked for as text, so
//! that no type has to be known, and rows come a few at a time.

use super::super::schema::GraphError;
use super::address::{Address, Tls};
use std::future::Future;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::config::SslMode;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Config, SimpleQueryMessage, SimpleQueryRow};

/// Rows that are fetched at a time.
const FETCHED: usize = 2000;
/// How long one fetch may take on the server.
const FETCH: Duration = Duration::from_secs(300);
/// How long a lock of another session is waited for.
const LOCK: Duration = Duration::from_secs(10);
/// How much longer than the server itself its answer may take.
const SLACK: Duration = Duration::from_secs(15);

/// A row of texts.
pub struct Row(SimpleQueryRow);

impl Row {
    /// The value of a column; empty where it is null.
    pub fn get(&self, column: usize) -> &str {
        self.0.try_get(column).ok().flatten().unwrap_or_default()
    }

    /// How many columns it has.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Bytes of its values.
    pub fn bytes(&self) -> usize {
        (0..self.len()).map(|column| self.get(column).len()).sum()
    }
}

/// A database at one moment.
pub struct Snapshot {
    address: Address,
    runtime: Runtime,
    client: Client,
    /// Version of the server.
    pub version: String,
    /// The moment, in UTC.
    pub moment: String,
}

impl Snapshot {
    /// Reaches the server and begins to read.
    ///
    /// # Errors
    /// A server that cannot be reached or refuses, with what to do.
    pub fn open(address: Address) -> Result<Snapshot, GraphError> {
        let runtime = runtime(&address)?;
        let client = runtime.block_on(connect(&address))?;
        let mut snapshot = Snapshot {
            address,
            runtime,
            client,
            version: String::new(),
            moment: String::new(),
        };
        let (fetch, lock) = (FETCH.as_millis(), LOCK.as_millis());
        snapshot.run(&format!(
            "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY; \
             SET LOCAL statement_timeout = {fetch}; SET LOCAL lock_timeout = {lock}; \
             SET LOCAL standard_conforming_strings = on; SET LOCAL DateStyle = 'ISO'"
        ))?;
        let about = snapshot.all(
            "SELECT pg_catalog.current_setting('server_version'), \
             pg_catalog.to_char(pg_catalog.now() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS')",
        )?;
        if let Some(row) = about.first() {
            // "15.4 (Debian 15.4-1)": the first word is the version.
            let version = row.get(0).split_whitespace().next();
            snapshot.version = version.unwrap_or_default().to_owned();
            snapshot.moment = row.get(1).to_owned();
        }
        Ok(snapshot)
    }

    fn run(&self, query: &str) -> Result<Vec<SimpleQueryMessage>, GraphError> {
        let answer = self.client.simple_query(query);
        let answer = async { tokio::time::timeout(FETCH + SLACK, answer).await };
        match self.runtime.block_on(answer) {
            Ok(Ok(messages)) => Ok(messages),
            Ok(Err(error)) => Err(failure(&self.address, &error)),
            Err(_) => {
                let waited = (FETCH + SLACK).as_secs();
                Err(self.error(
                    format!("the server gave no answer within {waited} s"),
                    "check it, and try again",
                ))
            }
        }
    }

    /// All rows of a query that has few.
    ///
    /// # Errors
    /// What the server says.
    pub fn all(&self, query: &str) -> Result<Vec<Row>, GraphError> {
        let messages = self.run(query)?;
        Ok(messages.into_iter().filter_map(row).collect())
    }

    /// Gives the rows of a query one after another.
    ///
    /// # Errors
    /// What the server says.
    pub fn rows(&self, query: &str, each: &mut dyn FnMut(&Row)) -> Result<(), GraphError> {
        self.run(&format!("DECLARE hopscope NO SCROLL CURSOR FOR {query}"))?;
        loop {
            let mut rows = 0;
            let messages = self.run(&format!("FETCH FORWARD {FETCHED} FROM hopscope"))?;
            for row in messages.into_iter().filter_map(row) {
                rows += 1;
                each(&row);
            }
            if rows < FETCHED {
                break;
            }
        }
        self.run("CLOSE hopscope").map(|_| ())
    }

    /// Answers to several queries, in one trip.
    ///
    /// # Errors
    /// What the server says.
    pub fn each(&self, queries: &[String]) -> Result<Vec<Vec<Row>>, GraphError> {
        let mut all = vec![Vec::new()];
        for message in self.run(&queries.join("; "))? {
            match (message, all.last_mut()) {
                (SimpleQueryMessage::Row(row), Some(last)) => last.push(Row(row)),
                (SimpleQueryMessage::CommandComplete(_), _) => all.push(Vec::new()),
                _ => {}
            }
        }
        all.resize_with(queries.len(), Vec::new);
        Ok(all)
    }

    /// Whether the connection broke, and the moment with it.
    pub fn is_lost(&self) -> bool {
        self.client.is_closed()
    }

    /// Where it is, and who reads.
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Who reads.
    pub fn user(&self) -> &str {
        &self.address.user
    }

    /// An error of this database.
    pub fn error(&self, what: String, remedy: &str) -> GraphError {
        error(&self.address, what, remedy.to_owned())
    }
}

/// What waits for the answers of a server.
///
/// # Errors
/// A system that has no room for it.
pub fn runtime(address: &Address) -> Result<Runtime, GraphError> {
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| GraphError::io(&address.shown, error))
}

fn row(message: SimpleQueryMessage) -> Option<Row> {
    match message {
        SimpleQueryMessage::Row(row) => Some(Row(row)),
        _ => None,
    }
}

/// A text as SQL writes it.
pub fn literal(text: &str) -> String {
    // A text of PostgreSQL holds no zero.
    format!("'{}'", text.replace('\0', "").replace('\'', "''"))
}

/// A name of a table or a column as SQL writes it.
pub fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('\0', "").replace('"', "\"\""))
}

pub fn error(address: &Address, what: String, remedy: String) -> GraphError {
    GraphError::Unreadable {
        path: address.shown.clone(),
        what,
        remedy,
    }
}

pub async fn connect(address: &Address) -> Result<Client, GraphError> {
    let mut config = Config::new();
    config
        .host(&address.host)
        .port(address.port)
        .user(&address.user)
        .dbname(&address.database)
        .application_name("hopscope")
        .connect_timeout(address.reach)
        .keepalives_idle(Duration::from_secs(30));
    if let Some(password) = &address.password {
        config.password(password);
    }
    config.ssl_mode(match address.tls {
        // What does not leave the machine is not encrypted.
        _ if address.is_socket() => SslMode::Disable,
        Tls::Disable => SslMode::Disable,
        Tls::Prefer => SslMode::Prefer,
        Tls::Require | Tls::Verify => SslMode::Require,
    });
    #[cfg(feature = "https")]
    let tls = super::tls::Maker::of(address)?;
    #[cfg(not(feature = "https"))]
    let tls = tokio_postgres::NoTls;
    if config.get_ssl_mode() == SslMode::Require && cfg!(not(feature = "https")) {
        return Err(error(
            address,
            "sslmode asks for TLS, which this build lacks".to_owned(),
            "install with --features https".to_owned(),
        ));
    }
    let connected = within(address, config.connect(tls)).await?;
    let (client, connection) = connected.map_err(|said| failure(address, &said))?;
    tokio::spawn(async {
        // A query reports what ended the connection.
        let _ = connection.await;
    });
    Ok(client)
}

/// What comes within the time that a server may take to be reached.
async fn within<T>(address: &Address, work: impl Future<Output = T>) -> Result<T, GraphError> {
    match tokio::time::timeout(address.reach, work).await {
        Ok(done) => Ok(done),
        Err(_) => Err(unreached(address)),
    }
}

fn unreached(address: &Address) -> GraphError {
    let (server, waited) = (address.server(), address.reach.as_secs());
    error(
        address,
        format!("no answer from {server} within {waited} s"),
        "check host, port and firewall, or add connect_timeout=SECONDS to the address".to_owned(),
    )
}

/// An error of the connection or the server, with what to do.
pub fn failure(address: &Address, said: &tokio_postgres::Error) -> GraphError {
    let (user, database) = (&address.user, &address.database);
    let Some(from_server) = said.as_db_error() else {
        // Its own words are those of the outermost cause alone.
        let source = std::error::Error::source(said);
        let cause = source.map_or_else(|| said.to_string(), ToString::to_string);
        let io = source.and_then(|source| source.downcast_ref());
        return match io.map(std::io::Error::kind) {
            Some(std::io::ErrorKind::TimedOut) => unreached(address),
            Some(_) => error(
                address,
                format!("the server {} cannot be reached: {cause}", address.server()),
                "start it, or correct host and port of the address".to_owned(),
            ),
            None if cause.contains("password missing") => {
                refused(address, format!("user '{user}' needs a password"))
            }
            None => error(
                address,
                format!("the connection failed: {cause}"),
                "check that a PostgreSQL server listens there, and try again".to_owned(),
            ),
        };
    };
    let message = from_server.message().to_owned();
    let code = from_server.code();
    let remedy = match code {
        code if [
            SqlState::INVALID_PASSWORD,
            SqlState::INVALID_AUTHORIZATION_SPECIFICATION,
        ]
        .contains(code) =>
        {
            return refused(address, message);
        }
        code if *code == SqlState::INVALID_CATALOG_NAME => {
            format!("name another database than '{database}' in the address")
        }
        code if *code == SqlState::INSUFFICIENT_PRIVILEGE => {
            format!("let '{user}' read it: GRANT SELECT ON TABLE to that role")
        }
        code if *code == SqlState::QUERY_CANCELED => format!(
            "a fetch may take {} s; try again when the server has less to do",
            FETCH.as_secs()
        ),
        code if *code == SqlState::LOCK_NOT_AVAILABLE => {
            "another session changes the tables; try again when it is done".to_owned()
        }
        code if *code == SqlState::TOO_MANY_CONNECTIONS => "try again later".to_owned(),
        _ => "nothing was changed; check the tables and try again".to_owned(),
    };
    error(address, message, remedy)
}

fn refused(address: &Address, message: String) -> GraphError {
    let mut remedy = "set PGPASSWORD, or add a line to ~/.pgpass (PGPASSFILE)".to_owned();
    if let Some(why) = &address.passed_over {
        remedy = format!("{remedy}; {why}");
    }
    error(address, message, remedy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_texts_stay_within_their_quotes() {
        assert_eq!(literal("a'; DROP\\"), "'a''; DROP\\'");
        assert_eq!(literal("a\0b"), "'ab'");
        assert_eq!(quoted("a\"b"), "\"a\"\"b\"");
    }
}
