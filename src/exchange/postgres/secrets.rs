//! Passwords: those that were taken out of arguments, and those of PostgreSQL's own files. None is ever shown.

use super::address::{self, Around};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Passwords by the addresses they were taken out of.
static TAKEN: Mutex<Vec<(String, String)>> = Mutex::new(Vec::new());

/// An argument as it may be shown and kept: where it is an address, without its password, which is remembered while the
/// program runs.
pub fn without(argument: OsString) -> OsString {
    let Some(text) = argument.to_str() else {
        return argument;
    };
    // Of an option and its value in one, the value.
    let (option, text) = match text.split_once('=') {
        Some((option, text)) if option.starts_with("--") => (Some(option), text),
        _ => (None, text),
    };
    if !address::is_one(Path::new(text)) {
        return argument;
    }
    let (shown, password) = address::parted(text);
    if let Some(password) = password {
        let mut taken = TAKEN.lock().unwrap_or_else(PoisonError::into_inner);
        taken.retain(|(known, _)| *known != shown);
        taken.push((shown.clone(), password));
    }
    match option {
        Some(option) => format!("{option}={shown}").into(),
        None => shown.into(),
    }
}

/// The password that was taken out of an address.
pub fn kept(shown: &str) -> Option<String> {
    let taken = TAKEN.lock().unwrap_or_else(PoisonError::into_inner);
    let found = taken.iter().find(|(known, _)| known == shown);
    found.map(|(_, password)| password.clone())
}

/// Who asks for a password, and of what.
pub struct Asked<'a> {
    pub host: &'a str,
    pub port: u16,
    pub database: &'a str,
    pub user: &'a str,
}

/// The password in a file, the user's own where none is named. One that others may read is passed over, as PostgreSQL does.
pub fn looked_up(
    file: &str,
    asked: &Asked<'_>,
    around: &dyn Around,
    passed_over: &mut Option<String>,
) -> Option<String> {
    let file = match file {
        "" => around.home()?.join(".pgpass"),
        file => PathBuf::from(file),
    };
    let about = file.metadata().ok()?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        if about.mode() & 0o077 != 0 {
            let file = file.display();
            *passed_over = Some(format!(
                "{file} was passed over, since others may read it: chmod 600 {file}"
            ));
            return None;
        }
    }
    if !about.is_file() {
        return None;
    }
    let text = std::fs::read_to_string(&file).ok()?;
    text.lines().find_map(|line| of_line(line, asked))
}

/// The password of a line `host:port:database:user:password`, where it fits.
fn of_line(line: &str, asked: &Asked<'_>) -> Option<String> {
    if line.starts_with('#') {
        return None;
    }
    let mut fields = vec![String::new()];
    let mut chars = line.chars();
    while let Some(char) = chars.next() {
        let char = match char {
            // The password is the rest, with its colons.
            ':' if fields.len() < 5 => {
                fields.push(String::new());
                continue;
            }
            '\\' => chars.next()?,
            char => char,
        };
        fields.last_mut()?.push(char);
    }
    let [host, port, database, user, password] = <[String; 5]>::try_from(fields).ok()?;
    // A socket goes by the name of its machine.
    let own = match asked.host.starts_with('/') {
        true => "localhost",
        false => asked.host,
    };
    let fits = [
        (host, own),
        (port, &*asked.port.to_string()),
        (database, asked.database),
        (user, asked.user),
    ];
    let fits = fits
        .iter()
        .all(|(of_line, own)| of_line == "*" || of_line == own);
    fits.then_some(password)
}

/// What a service file has of a service.
///
/// # Errors
/// No file that has it.
pub fn service(name: &str, around: &dyn Around) -> Result<Vec<(String, String)>, (String, String)> {
    let own = around.home().map(|home| home.join(".pg_service.conf"));
    let named = around.variable("PGSERVICEFILE").map(PathBuf::from);
    let shared = around.variable("PGSYSCONFDIR");
    let shared = shared.map(|folder| Path::new(&folder).join("pg_service.conf"));
    let files = [named.or(own), shared];
    for file in files.into_iter().flatten() {
        let Ok(text) = std::fs::read_to_string(&file) else {
            continue;
        };
        let head = format!("[{name}]");
        let mut lines = text.lines().map(str::trim);
        if !lines.any(|line| line == head) {
            continue;
        }
        let lines = lines.take_while(|line| !line.starts_with('['));
        let pairs = lines.filter(|line| !line.starts_with('#'));
        let pairs = pairs.filter_map(|line| line.split_once('='));
        let pair = |(name, value): (&str, &str)| (name.trim().to_owned(), value.trim().to_owned());
        return Ok(pairs.map(pair).collect());
    }
    Err((
        format!("no service file has the service '{name}'"),
        "add it to ~/.pg_service.conf, or name its file in PGSERVICEFILE".to_owned(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_argument_keeps_no_password_and_the_address_finds_it() {
        let argument = without("postgres://someone:se%20cret@h/of_secrets?x=1".into());
        assert_eq!(argument, "postgres://someone@h/of_secrets?x=1");
        let kept = |shown| super::kept(shown);
        assert_eq!(kept(argument.to_str().unwrap()).as_deref(), Some("se cret"));
        assert_eq!(kept("postgres://h/of_secrets"), None);
        let _ = without("postgres://someone:new@h/of_secrets?x=1".into());
        assert_eq!(kept(argument.to_str().unwrap()).as_deref(), Some("new"));
        for other in ["-", "a:b@c", "what is postgres://u:p@h"] {
            assert_eq!(without(other.into()), other);
        }
    }
}
