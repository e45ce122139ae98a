//! A server of PostgreSQL of a test's own, which is gone when the test is: its files in a temporary folder, its port on this
//! machine alone.

use std::ffi::OsString;
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;
use tokio_postgres::{Config, NoTls, SimpleQueryMessage};

/// The password of every user of the server.
pub const PASSWORD: &str = "pass:w/o@rd é";
/// The same within an address.
pub const ENCODED: &str = "pass%3Aw%2Fo%40rd%20%C3%A9";
/// Who owns the databases.
const OWNER: &str = "owner";

pub struct Server {
    home: TempDir,
    programs: PathBuf,
    /// Who runs the server: it refuses to be run by root.
    runs: Option<(u32, u32)>,
    pub port: u16,
}

/// Where the programs of a server are: of one that can compare vectors, in the first place, where `vectors` are asked for.
fn programs(vectors: bool) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let installed = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    folders.extend(installed.flatten().map(|entry| entry.path().join("bin")));
    // The package `pgserver`, as .ci/run installs it.
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/pgserver");
    folders.push(package.join("pgserver/pginstall/bin"));
    let complete = |folder: &PathBuf| {
        let programs = ["initdb", "pg_ctl", "postgres"];
        programs.iter().all(|name| folder.join(name).exists()) && (!vectors || compares(folder))
    };
    folders.into_iter().find(complete)
}

/// Who runs servers where tests are run by root.
fn runs() -> Option<(u32, u32)> {
    let own = tempfile::tempdir().unwrap();
    let root = fs::metadata(own.path()).unwrap().uid() == 0;
    root.then(|| {
        let users = fs::read_to_string("/etc/passwd").unwrap();
        let of = |name: &str| {
            let line = users
                .lines()
                .find(|line| line.split(':').next() == Some(name))?;
            let mut ids = line.split(':').skip(2).map(|id| id.parse().unwrap());
            Some((ids.next()?, ids.next()?))
        };
        of("postgres")
            .or_else(|| of("nobody"))
            .expect("a user that is not root")
    })
}

/// Whether pgvector is installed with a server's programs, which whoever runs servers can reach.
fn compares(folder: &Path) -> bool {
    let mut config = Command::new(folder.join("pg_config"));
    config.arg("--sharedir").current_dir("/");
    if let Some((user, group)) = runs() {
        config.gid(group).uid(user);
    }
    config.output().is_ok_and(|config| {
        let shared = String::from_utf8_lossy(&config.stdout).trim().to_owned();
        Path::new(&shared).join("extension/vector.control").exists()
    })
}

impl Server {
    /// Starts one; none where there is no PostgreSQL, which is said.
    pub fn start() -> Option<Server> {
        Server::start_with(&[])
    }

    /// The same with a key and a certificate, if any: then nobody is let in without TLS.
    pub fn start_with(files: &[(&str, &Path)]) -> Option<Server> {
        let Some(programs) = programs(false) else {
            println!("skipped: no server of PostgreSQL is installed");
            return None;
        };
        Some(Server::of(programs, files))
    }

    /// One that can compare vectors.
    pub fn start_with_vectors() -> Option<Server> {
        let Some(programs) = programs(true) else {
            println!("skipped: no server of PostgreSQL with pgvector is installed");
            return None;
        };
        Some(Server::of(programs, &[]))
    }

    fn of(programs: PathBuf, files: &[(&str, &Path)]) -> Server {
        let home = tempfile::tempdir().unwrap();
        let runs = runs();
        if let Some((user, group)) = runs {
            chown(home.path(), Some(user), Some(group)).unwrap();
        }
        let port = {
            let free = TcpListener::bind("127.0.0.1:0").unwrap();
            free.local_addr().unwrap().port()
        };
        let server = Server {
            home,
            programs,
            runs,
            port,
        };
        let word = server.home.path().join("word");
        fs::write(&word, PASSWORD).unwrap();
        if let Some((user, group)) = runs {
            chown(&word, Some(user), Some(group)).unwrap();
        }
        let data = server.data();
        server.run(
            "initdb",
            &[
                "-D".as_ref(),
                data.as_os_str(),
                "-U".as_ref(),
                OWNER.as_ref(),
                "--auth=scram-sha-256".as_ref(),
                "--pwfile".as_ref(),
                word.as_os_str(),
                "--encoding=UTF8".as_ref(),
                "--locale=C".as_ref(),
                "--no-sync".as_ref(),
            ],
        );
        let mut options = format!(
            "-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off \
             -c log_statement=all -c log_line_prefix='%a|'"
        );
        for (name, from) in files {
            let to = data.join(name);
            fs::copy(from, &to).unwrap();
            fs::set_permissions(&to, fs::Permissions::from_mode(0o600)).unwrap();
            if let Some((user, group)) = runs {
                chown(&to, Some(user), Some(group)).unwrap();
            }
        }
        if !files.is_empty() {
            options += " -c ssl=on -c ssl_key_file=server.key -c ssl_cert_file=server.pem";
            fs::write(
                data.join("pg_hba.conf"),
                "hostssl all all all scram-sha-256\n",
            )
            .unwrap();
        }
        let log = server.log_file();
        server.run(
            "pg_ctl",
            &[
                "-D".as_ref(),
                data.as_os_str(),
                "-l".as_ref(),
                log.as_os_str(),
                "-o".as_ref(),
                options.as_ref(),
                "-w".as_ref(),
                "start".as_ref(),
            ],
        );
        server
    }

    fn data(&self) -> PathBuf {
        self.home.path().join("data")
    }

    fn log_file(&self) -> PathBuf {
        self.home.path().join("log")
    }

    fn run(&self, program: &str, arguments: &[&std::ffi::OsStr]) {
        let mut command = Command::new(self.programs.join(program));
        command
            .args(arguments)
            .current_dir("/")
            .stdin(Stdio::null());
        if let Some((user, group)) = self.runs {
            command.gid(group).uid(user);
        }
        // A server that is started keeps what it inherits, so that nothing is read of it to its end.
        let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
        let status = status.unwrap();
        let log = fs::read_to_string(self.log_file()).unwrap_or_default();
        assert!(status.success(), "{program}: {status}: {log}");
    }

    /// What the server wrote of statements of a program.
    pub fn statements(&self, program: &str) -> Vec<String> {
        let log = fs::read_to_string(self.log_file()).unwrap();
        let begin = format!("{program}|LOG:  statement: ");
        let lines = log.lines().filter_map(|line| line.strip_prefix(&begin));
        lines.map(str::to_owned).collect()
    }

    /// Runs statements as the owner.
    pub fn sql(&self, database: &str, statements: &str) {
        if let Err(error) = self.try_sql(database, statements) {
            panic!("{error:?}: {statements}");
        }
    }

    pub fn try_sql(&self, database: &str, statements: &str) -> Result<(), tokio_postgres::Error> {
        self.query(database, statements).map(drop)
    }

    /// Runs statements, and the first value that comes back.
    fn query(
        &self,
        database: &str,
        statements: &str,
    ) -> Result<Option<String>, tokio_postgres::Error> {
        let runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = { runtime }.enable_all().build().unwrap();
        runtime.block_on(async {
            let mut config = Config::new();
            config.host("127.0.0.1").port(self.port).user(OWNER);
            config.password(PASSWORD).dbname(database);
            config.connect_timeout(Duration::from_secs(20));
            let (client, connection) = config.connect(NoTls).await?;
            let connection = tokio::spawn(connection);
            let done = client.simple_query(statements).await;
            drop(client);
            let _ = connection.await;
            let value = |message| match message {
                SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
                _ => None,
            };
            Ok(done?.into_iter().find_map(value))
        })
    }

    /// Kills what serves a program, as a crash would: the server ends all connections and recovers. Where the program is not
    /// connected, nothing happens.
    pub fn crash(&self, program: &str) {
        let pid = format!(
            "SELECT pid::text FROM pg_stat_activity WHERE application_name = '{program}' LIMIT 1"
        );
        let Ok(found) = self.query("postgres", &pid) else {
            return;
        };
        if let Some(pid) = found {
            let _ = Command::new("kill").args(["-9", &pid]).status();
        }
    }

    /// A database with a user who may only read `schema`.
    pub fn database(&self, name: &str, schema: &str) {
        self.sql("postgres", &format!("CREATE DATABASE {name}"));
        self.sql(name, &format!("CREATE SCHEMA IF NOT EXISTS {schema}"));
    }

    /// Lets `user`, who is new, read all of a schema and nothing else.
    pub fn reader(&self, database: &str, schema: &str, user: &str) {
        self.sql(
            database,
            &format!(
                "CREATE ROLE {user} LOGIN PASSWORD '{PASSWORD}'; GRANT USAGE ON SCHEMA {schema} TO {user}; \
                 GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {user}; \
                 ALTER ROLE {user} SET default_transaction_read_only = on"
            ),
        );
    }

    /// An address without a password.
    pub fn address(&self, user: &str, rest: &str) -> String {
        format!("postgres://{user}@127.0.0.1:{}/{rest}", self.port)
    }

    /// An address with it.
    pub fn open_address(&self, user: &str, rest: &str) -> String {
        self.address(&format!("{user}:{ENCODED}"), rest)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let data = self.data();
        let mut command = Command::new(self.programs.join("pg_ctl"));
        command
            .arg("-D")
            .arg(data)
            .args(["-m", "immediate", "-w", "stop"]);
        command
            .current_dir("/")
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        if let Some((user, group)) = self.runs {
            command.gid(group).uid(user);
        }
        let _ = command.status();
    }
}

/// An environment in which nothing of the user's is found.
pub fn alone(command: &mut Command, home: &Path) {
    for name in std::env::vars_os()
        .map(|(name, _)| name)
        .filter(of_postgres)
    {
        command.env_remove(name);
    }
    command.env("HOME", home);
}

fn of_postgres(name: &OsString) -> bool {
    name.to_string_lossy().starts_with("PG")
}
