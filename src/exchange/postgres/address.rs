//! Addresses of databases, `postgres://USER@HOST:PORT/DATABASE?schema=NAME`, as the programs of PostgreSQL read them: what an
//! address leaves out comes from a service file or the environment.
//!
//! An address is shown without its password, and a password is only ever given to the server.
//!
//! Databases that hold one index together are written one behind the other, `postgres://USER@HOST/DATABASE,HOST/DATABASE`;
//! user, password and parameters are those of all.

use super::super::schema::GraphError;
use super::secrets::{self, Asked};
use percent_encoding::percent_decode_str;
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How addresses begin.
const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];
/// The port of a server that none is named of.
const PORT: u16 = 5432;
/// How long it may take to reach a server, unless an address says otherwise.
const REACH: Duration = Duration::from_secs(10);
/// Where servers of a machine listen, unless told otherwise.
const SOCKETS: [&str; 2] = ["/var/run/postgresql", "/tmp"];
/// Parameters of an address: those of PostgreSQL's own programs, then those of this one.
const KNOWN: [&str; 18] = [
    "host",
    "port",
    "user",
    "password",
    "dbname",
    "service",
    "passfile",
    "sslmode",
    "sslrootcert",
    "connect_timeout",
    "application_name",
    "schema",
    "workspace",
    "source",
    "kind",
    "read",
    "hub",
    "channel_binding",
];

/// Whether a connection is encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tls {
    Disable,
    /// Where the server can.
    Prefer,
    Require,
    /// Of a server whose certificate is signed for its name.
    Verify,
}

/// How another system's tables are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read {
    /// All of them, once.
    Copy,
    /// What a question needs, where they lie.
    Rows,
}

/// Where a graph is, and how to get there.
pub struct Address {
    /// A name, or the folder of a socket.
    pub host: String,
    pub port: u16,
    pub user: String,
    pub password: Option<String>,
    pub database: String,
    pub tls: Tls,
    /// The certificate that signs the server's.
    #[cfg(feature = "https")]
    pub root: Option<PathBuf>,
    pub reach: Duration,
    pub schema: Option<String>,
    /// Of LightRAG.
    pub workspace: Option<String>,
    /// Of DocsGPT.
    pub source: Option<String>,
    pub kind: Option<String>,
    pub read: Option<Read>,
    /// How many neighbours a node may have that is followed.
    pub hub: Option<u32>,
    /// The address without a password.
    pub shown: PathBuf,
    /// Why a file of passwords was passed over.
    pub passed_over: Option<String>,
}

/// Whether a path is an address of a database.
pub fn is_one(path: &Path) -> bool {
    let text = path.to_string_lossy();
    SCHEMES.iter().any(|scheme| text.starts_with(scheme))
}

/// A short name for the screen: the database, and the workspace or the source where an address has one.
pub fn name(path: &Path) -> Option<String> {
    let address = is_one(path).then(|| path.to_string_lossy())?;
    let (shown, _) = parted(&address);
    let (place, query) = shown.split_once('?').unwrap_or((&shown, ""));
    let (_, place) = place.split_once("://")?;
    let database = place
        .rsplit_once('/')
        .map_or(place, |(_, database)| database);
    let part = |name: &str| {
        let mut parts = query.split('&').filter_map(|part| part.split_once('='));
        parts
            .find(|(known, _)| *known == name)
            .map(|(_, value)| decoded(value))
    };
    let database = match decoded(database) {
        database if database.is_empty() => {
            part("dbname").unwrap_or_else(|| "PostgreSQL".to_owned())
        }
        database => database,
    };
    Some(match part("workspace").or_else(|| part("source")) {
        Some(within) => format!("{database} {within}"),
        None => database,
    })
}

/// An address without its password, and that password.
pub fn parted(text: &str) -> (String, Option<String>) {
    let Some((scheme, rest)) = text.split_once("://") else {
        return (text.to_owned(), None);
    };
    let (mut user, mut place) = ("", rest);
    let before = rest.split('?').next().unwrap_or_default();
    // A password that holds a question mark leaves a port that is none.
    let cut = !before.contains('@')
        && before.split_once(':').is_some_and(|(_, port)| {
            let port = port.split('/').next().unwrap_or_default();
            port.parse::<u16>().is_err()
        });
    let within = if cut { rest } else { before };
    if let Some((who, _)) = within.rsplit_once('@') {
        (user, place) = rest.split_at(who.len());
        place = place.trim_start_matches('@');
    }
    let (user, mut password) = match user.split_once(':') {
        Some((user, password)) => (user, Some(decoded(password))),
        None => (user, None),
    };
    let (place, query) = match place.split_once('?') {
        Some((place, query)) => (place, Some(query)),
        None => (place, None),
    };
    let mut shown = format!("{scheme}://");
    if !user.is_empty() {
        shown = format!("{shown}{user}@");
    }
    shown += place;
    let mut sign = '?';
    for part in query.into_iter().flat_map(|query| query.split('&')) {
        match part.split_once('=') {
            Some((name, value)) if name.eq_ignore_ascii_case("password") => {
                password = Some(decoded(value));
            }
            _ => {
                shown.push(sign);
                shown += part;
                sign = '&';
            }
        }
    }
    (shown, password.filter(|password| !password.is_empty()))
}

/// The addresses in one that names several databases, each with the user and the parameters of all; else the address as it is.
fn listed(shown: &str) -> Vec<String> {
    let split = shown.split_once("://").and_then(|(scheme, rest)| {
        let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (user, places) = place.rsplit_once('@').unwrap_or(("", place));
        let places: Vec<&str> = places.split(',').collect();
        let several = places.len() > 1 && places.iter().all(|place| place.contains('/'));
        several.then_some((scheme, user, places, query))
    });
    let Some((scheme, user, places, query)) = split else {
        return vec![shown.to_owned()];
    };
    let user = if user.is_empty() {
        ""
    } else {
        &*format!("{user}@")
    };
    let query = if query.is_empty() {
        ""
    } else {
        &*format!("?{query}")
    };
    let places = places.into_iter();
    places
        .map(|place| format!("{scheme}://{user}{place}{query}"))
        .collect()
}

/// A text with `%20` and the like resolved.
fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// A text as the value of a parameter.
pub fn encoded(text: &str) -> String {
    let mut out = String::new();
    for char in text.chars() {
        match char {
            ' ' | '%' | '&' | '?' | '#' | '+' | '=' | '@' => {
                out += &format!("%{:02X}", u32::from(char));
            }
            char => out.push(char),
        }
    }
    out
}

/// The surroundings of a program: its environment and its user's files.
pub trait Around {
    fn variable(&self, name: &str) -> Option<String>;
    fn home(&self) -> Option<PathBuf>;
}

/// Those of this program.
pub struct Here;

impl Around for Here {
    fn variable(&self, name: &str) -> Option<String> {
        std::env::var(name).ok().filter(|value| !value.is_empty())
    }

    fn home(&self) -> Option<PathBuf> {
        directories::BaseDirs::new().map(|dirs| dirs.home_dir().to_owned())
    }
}

impl Address {
    /// The address of a path, completed by what this process has.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn of(path: &Path) -> Result<Address, GraphError> {
        let text = path.to_string_lossy();
        let read = Address::read(&text, &Here);
        read.map_err(|(what, remedy)| GraphError::Unreadable {
            path: PathBuf::from(parted(&text).0),
            what,
            remedy,
        })
    }

    /// The addresses of the databases that a path names, in its order.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn all_of(path: &Path) -> Result<Vec<Address>, GraphError> {
        let text = path.to_string_lossy();
        let (shown, password) = parted(&text);
        let password = password.or_else(|| secrets::kept(&shown));
        let read = |one: String| {
            let read = Address::complete(&one, password.clone(), &Here);
            read.map_err(|(what, remedy)| GraphError::Unreadable {
                path: PathBuf::from(one),
                what,
                remedy,
            })
        };
        listed(&shown).into_iter().map(read).collect()
    }

    /// Reads an address, and completes it from a service file, the environment and a file of passwords.
    ///
    /// # Errors
    /// What is wrong with it, and what to write instead.
    pub fn read(text: &str, around: &dyn Around) -> Result<Address, (String, String)> {
        let (shown, password) = parted(text);
        let password = password.or_else(|| secrets::kept(&shown));
        if listed(&shown).len() > 1 {
            return Err((
                "an address of several databases".to_owned(),
                "only an index that was published to them is read from several; a graph is in one"
                    .to_owned(),
            ));
        }
        Address::complete(&shown, password, around)
    }

    /// The same of an address whose password was parted from it.
    fn complete(
        shown: &str,
        password: Option<String>,
        around: &dyn Around,
    ) -> Result<Address, (String, String)> {
        let rest = SCHEMES.iter().find_map(|scheme| shown.strip_prefix(scheme));
        let rest = rest.unwrap_or_default();
        let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (place, database) = place.split_once('/').unwrap_or((place, ""));
        let (user, place) = place.rsplit_once('@').unwrap_or(("", place));
        let mut said: FxHashMap<String, String> = FxHashMap::default();
        for part in query.split('&').filter(|part| !part.is_empty()) {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            if !KNOWN.contains(&name) {
                return Err((
                    format!("an address has no parameter '{name}'"),
                    format!("use {}", KNOWN.join(", ")),
                ));
            }
            said.insert(name.to_owned(), decoded(value));
        }
        if place.contains(',') {
            return Err((
                "an address of several hosts".to_owned(),
                "name one of them".to_owned(),
            ));
        }
        // An address of IPv6 stands in brackets.
        let (host, port) = match place.strip_prefix('[').and_then(|v6| v6.split_once(']')) {
            Some((host, port)) => (host, port.trim_start_matches(':')),
            None => place.rsplit_once(':').unwrap_or((place, "")),
        };
        for (name, value) in [
            ("host", host),
            ("port", port),
            ("user", user),
            ("dbname", database),
        ] {
            if !value.is_empty() {
                said.entry(name.to_owned())
                    .or_insert_with(|| decoded(value));
            }
        }
        if let Some(password) = password {
            said.insert("password".to_owned(), password);
        }
        let service = said.get("service").cloned();
        if let Some(service) = service.or_else(|| around.variable("PGSERVICE")) {
            for (name, value) in secrets::service(&service, around)? {
                said.entry(name).or_insert(value);
            }
        }
        let take = |name: &str, variable: &str| {
            let value = said.get(name).filter(|value| !value.is_empty());
            let value = value.cloned().or_else(|| around.variable(variable));
            value.unwrap_or_default()
        };
        let own = |name: &str| said.get(name).cloned();
        let mut host = take("host", "PGHOST");
        if host.is_empty() {
            let mut sockets = SOCKETS.iter().map(Path::new);
            let listens = |folder: &&Path| folder.join(format!(".s.PGSQL.{PORT}")).exists();
            let socket = sockets
                .find(listens)
                .map(|folder| folder.display().to_string());
            host = socket.unwrap_or_else(|| "localhost".to_owned());
        }
        let port = match &*take("port", "PGPORT") {
            "" => PORT,
            port => port.parse().map_err(|_| {
                let what = format!("'{port}' is not a port");
                (what, "write a number from 1 to 65535".to_owned())
            })?,
        };
        let names = ["USER", "LOGNAME", "USERNAME"].iter();
        let me = || names.clone().find_map(|name| around.variable(name));
        let user = match take("user", "PGUSER") {
            user if user.is_empty() => me().unwrap_or_else(|| "postgres".to_owned()),
            user => user,
        };
        let database = match take("dbname", "PGDATABASE") {
            database if database.is_empty() => user.clone(),
            database => database,
        };
        let tls = match &*take("sslmode", "PGSSLMODE") {
            "" | "prefer" | "allow" => Tls::Prefer,
            "disable" => Tls::Disable,
            "require" => Tls::Require,
            "verify-ca" | "verify-full" => Tls::Verify,
            mode => {
                return Err((
                    format!("'{mode}' is not an sslmode"),
                    "use disable, prefer, require or verify-full".to_owned(),
                ));
            }
        };
        let read = match said.get("read").map(|read| &**read) {
            None => None,
            Some("copy") => Some(Read::Copy),
            Some("rows") => Some(Read::Rows),
            Some(other) => {
                return Err((
                    format!("'{other}' is not a value of read"),
                    "use read=rows or read=copy".to_owned(),
                ));
            }
        };
        let number = |hub: &String| {
            let remedy = "write how many neighbours a node may have that is followed";
            let wrong = |_| (format!("'{hub}' is not a value of hub"), remedy.to_owned());
            hub.parse().map_err(wrong)
        };
        let hub = said.get("hub").map(number).transpose()?;
        let reach = match &*take("connect_timeout", "PGCONNECT_TIMEOUT") {
            "" => REACH,
            seconds => match seconds.parse() {
                Ok(seconds @ 1..=3600) => Duration::from_secs(seconds),
                _ => {
                    return Err((
                        format!("'{seconds}' is not a connect_timeout"),
                        "write seconds, from 1 to 3600".to_owned(),
                    ));
                }
            },
        };
        #[cfg(feature = "https")]
        let root = take("sslrootcert", "PGSSLROOTCERT");
        let mut passed_over = None;
        let password = match take("password", "PGPASSWORD") {
            password if password.is_empty() => {
                let file = take("passfile", "PGPASSFILE");
                let asked = Asked {
                    host: &host,
                    port,
                    database: &database,
                    user: &user,
                };
                secrets::looked_up(&file, &asked, around, &mut passed_over)
            }
            password => Some(password),
        };
        Ok(Address {
            port,
            password,
            tls,
            #[cfg(feature = "https")]
            root: (!root.is_empty()).then(|| root.into()),
            reach,
            schema: own("schema"),
            workspace: own("workspace"),
            source: own("source"),
            kind: own("kind"),
            read,
            hub,
            shown: shown.into(),
            passed_over,
            host,
            user,
            database,
        })
    }

    /// Whether the server is reached by a socket of this machine.
    pub fn is_socket(&self) -> bool {
        self.host.starts_with('/')
    }

    /// The server: host and port.
    pub fn server(&self) -> String {
        match self.port {
            PORT => self.host.clone(),
            port => format!("{}:{port}", self.host),
        }
    }

    /// The server and the database.
    pub fn place(&self) -> String {
        format!("{}/{}", self.server(), self.database)
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::Room;
    use super::*;

    #[test]
    fn a_password_is_parted_from_its_address() {
        for (text, shown, password) in [
            ("postgres://h/d", "postgres://h/d", None),
            ("postgres://u@h:1/d?a=b@c", "postgres://u@h:1/d?a=b@c", None),
            (
                "postgres://h:5432?user=u@x",
                "postgres://h:5432?user=u@x",
                None,
            ),
            ("postgres://u:p@h/d", "postgres://u@h/d", Some("p")),
            ("postgres://u:p%40%2F@h/d", "postgres://u@h/d", Some("p@/")),
            (
                "postgres://u:a@b/c:d@h/d",
                "postgres://u@h/d",
                Some("a@b/c:d"),
            ),
            ("postgres://u:a?b@h/d", "postgres://u@h/d", Some("a?b")),
            ("postgres://u:@h/d", "postgres://u@h/d", None),
            (
                "postgresql://h/d?x=1&password=p%20q&y=2",
                "postgresql://h/d?x=1&y=2",
                Some("p q"),
            ),
            ("postgresql://h/d?PASSWORD=p", "postgresql://h/d", Some("p")),
            ("ä", "ä", None),
        ] {
            let found = parted(text);
            assert_eq!(
                found,
                (shown.to_owned(), password.map(str::to_owned)),
                "{text}"
            );
        }
    }

    fn read(text: &str, room: &Room) -> Address {
        Address::read(text, room).unwrap_or_else(|(what, remedy)| panic!("{what}; {remedy}"))
    }

    #[test]
    fn what_an_address_leaves_out_comes_from_a_service_and_the_environment() {
        let room = Room::new(&[("USER", "me"), ("PGPORT", "6000")]);
        let bare = read("postgres://h", &room);
        assert_eq!((&*bare.host, bare.port), ("h", 6000));
        assert_eq!((&*bare.user, &*bare.database), ("me", "me"));
        assert_eq!((bare.tls, bare.password), (Tls::Prefer, None));
        let whole = read(
            "postgres://u%20v:p@[::1]:7000/d%2Fe?schema=light%20rag&workspace=W&sslmode=require&connect_timeout=3",
            &room,
        );
        assert_eq!((&*whole.host, whole.port), ("::1", 7000));
        assert_eq!((&*whole.user, &*whole.database), ("u v", "d/e"));
        assert_eq!(whole.schema.as_deref(), Some("light rag"));
        assert_eq!(whole.workspace.as_deref(), Some("W"));
        assert_eq!((whole.tls, whole.reach.as_secs()), (Tls::Require, 3));
        assert_eq!(whole.password.as_deref(), Some("p"));
        room.file(
            ".pg_service.conf",
            "# of the house\n[other]\nhost=x\n[mine]\nhost = served\nport=1234\ndbname=db\nuser=su\npassword=sp\n",
        );
        let served = read("postgres://?service=mine&user=u", &room);
        assert_eq!((&*served.host, served.port), ("served", 1234));
        assert_eq!((&*served.user, &*served.database), ("u", "db"));
        assert_eq!(served.password.as_deref(), Some("sp"));
        let wrong = Address::read("postgres://?service=none", &room);
        assert!(wrong.err().unwrap().0.contains("service 'none'"));
    }

    #[test]
    fn several_databases_have_the_user_and_the_parameters_of_all() {
        for (text, all) in [
            ("postgres://h/a,b", &["postgres://h/a,b"][..]),
            (
                "postgres://u@h:1/a,:2/b,[::1]:3/c?schema=s",
                &[
                    "postgres://u@h:1/a?schema=s",
                    "postgres://u@:2/b?schema=s",
                    "postgres://u@[::1]:3/c?schema=s",
                ],
            ),
        ] {
            assert_eq!(listed(text), all);
        }
        let all = Address::all_of(Path::new("postgres://u:p%40@g/a,h/b?schema=s")).unwrap();
        let hosts: Vec<_> = all.iter().map(|one| (&*one.host, &*one.database)).collect();
        assert_eq!(hosts, [("g", "a"), ("h", "b")]);
        assert!(all.iter().all(|one| one.password.as_deref() == Some("p@")));
        assert!(
            all.iter()
                .all(|one| one.user == "u" && one.schema.as_deref() == Some("s"))
        );
    }

    #[test]
    fn passwords_of_a_file_are_those_of_the_first_line_that_fits() {
        let room = Room::new(&[]);
        let file = room.file(
            ".pgpass",
            "# host:port:database:user:password\nh:5432:other:u:no\nh:*:d\\:e:u:a\\:b\\\\\n*:*:*:*:any\n",
        );
        assert_eq!(
            read("postgres://u@h/d%3Ae", &room).password.as_deref(),
            Some("a:b\\")
        );
        assert_eq!(
            read("postgres://u@g/d", &room).password.as_deref(),
            Some("any")
        );
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
            let open = read("postgres://u@g/d", &room);
            assert_eq!(open.password, None);
            assert!(open.passed_over.unwrap().contains("chmod 600"));
        }
        let room = Room::new(&[("PGPASSWORD", "first")]);
        assert_eq!(
            read("postgres://u@h/d", &room).password.as_deref(),
            Some("first")
        );
    }

    #[test]
    fn what_is_wrong_is_named() {
        let room = Room::new(&[]);
        for (text, what) in [
            ("postgres://h/d?shema=x", "no parameter 'shema'"),
            ("postgres://h:no/d", "'no' is not a port"),
            ("postgres://a,b/d", "several hosts"),
            ("postgres://a/d,b/d?schema=s", "several databases"),
            ("postgres://h/d?sslmode=yes", "'yes' is not an sslmode"),
            ("postgres://h/d?hub=all", "'all' is not a value of hub"),
            (
                "postgres://h/d?connect_timeout=0",
                "'0' is not a connect_timeout",
            ),
        ] {
            let said = Address::read(text, &room).err().unwrap();
            assert!(said.0.contains(what), "{said:?}");
        }
    }
}
