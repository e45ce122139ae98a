//! Encoders by name: `static`, `bert:FOLDER`, `endpoint:URL`, with settings after a question mark.

use super::bert::{Bert, Pooling};
use super::endpoint::Endpoint;
use super::{EmbedError, Encoder, Static, Weights};
use crate::http;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// What may follow the question mark. What is not said is read from the folder or left at its default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    pub query_prefix: Option<String>,
    pub passage_prefix: Option<String>,
    /// `bert`: mean or cls.
    pub pooling: Option<Pooling>,
    /// `bert`: word pieces of a text, with the two special ones.
    pub max_length: Option<usize>,
    /// `bert`: whether texts are lower-cased.
    pub lower: Option<bool>,
    /// `endpoint`: the model's name at the server.
    pub model: Option<String>,
    /// `endpoint`: the environment variable that holds the key.
    pub key_env: Option<String>,
    /// `endpoint`: dimensions to ask for.
    pub dims: Option<usize>,
    /// `endpoint`: texts of one request.
    pub batch: Option<usize>,
    /// `endpoint`: time for one answer, in seconds in the text form.
    pub timeout: Option<Duration>,
}

/// An encoder that is named but not yet opened.
#[derive(Clone, Debug, PartialEq)]
pub enum Spec {
    Static,
    Bert(PathBuf, Settings),
    Endpoint(String, Settings),
}

impl Spec {
    /// # Errors
    /// Another form, or a setting that is unknown or out of range.
    pub fn parse(given: &str) -> Result<Spec, EmbedError> {
        let wrong = |said: String| EmbedError::Spec {
            given: http::bare(given),
            said,
        };
        let (name, settings) = match given.rsplit_once('?') {
            Some((name, query)) => (name, settings(query).map_err(wrong)?),
            None => (given, Settings::default()),
        };
        match name.split_once(':') {
            None if name == "static" && settings == Settings::default() => Ok(Spec::Static),
            None if name == "static" => Err(wrong("`static` has no settings".into())),
            Some(("bert", path)) if !path.is_empty() => Ok(Spec::Bert(path.into(), settings)),
            Some(("endpoint", url)) if url.starts_with("http") => {
                Ok(Spec::Endpoint(url.to_owned(), settings))
            }
            _ => Err(wrong("no such encoder".into())),
        }
    }

    /// Reads the model, or asks the server for its dimensions, and `go_on` while that is awaited. `weights` are those of an
    /// index, for `static`.
    ///
    /// # Errors
    /// What is missing or wrong, by file or address, or that it was stopped.
    pub fn open(
        &self,
        weights: Weights,
        go_on: &dyn Fn() -> bool,
    ) -> Result<Box<dyn Encoder>, EmbedError> {
        Ok(match self {
            Spec::Static => Box::new(Static::new(weights)?),
            Spec::Bert(path, settings) => Box::new(Bert::open(path, settings)?),
            Spec::Endpoint(url, settings) => Box::new(Endpoint::open(url, settings, go_on)?),
        })
    }

    /// As [`open`](Self::open), for vectors that are there: nobody is asked how many dimensions they have.
    ///
    /// # Errors
    /// As [`open`](Self::open), but for what only a server can say.
    pub fn reopen(&self, weights: Weights, dims: usize) -> Result<Box<dyn Encoder>, EmbedError> {
        match self {
            Spec::Endpoint(url, settings) => Ok(Box::new(Endpoint::known(url, settings, dims)?)),
            _ => self.open(weights, &|| true),
        }
    }
}

/// The name of an encoder as it may be stored and shown: without the variable of a key, which is the person's own
/// affair, and without a user and a password.
pub fn public(given: &str) -> String {
    let given = http::bare(given);
    let Some((name, query)) = given.rsplit_once('?') else {
        return given;
    };
    let own = |pair: &&str| pair.split('=').next() != Some("key_env");
    let kept: Vec<&str> = query.split('&').filter(own).collect();
    match kept.is_empty() {
        true => name.to_owned(),
        false => format!("{name}?{}", kept.join("&")),
    }
}

/// A server that an index names for its vectors and the person did not: nothing is sent to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Closed {
    host: String,
    /// What to name it by, fit to stand in quotes on a command line.
    encoder: String,
}

impl Closed {
    /// The server of an encoder; none where the encoder works on this machine.
    pub fn of(spec: &Spec, given: &str) -> Option<Closed> {
        let Spec::Endpoint(url, _) = spec else {
            return None;
        };
        let url = http::bare(url);
        let host = url.split_once("://").map_or(&*url, |(_, rest)| rest);
        let host = host.split(['/', '?', '#']).next().unwrap_or_default();
        Some(Closed {
            host: host.to_owned(),
            encoder: public(given).bytes().map(quotable).collect(),
        })
    }
}

impl fmt::Display for Closed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Closed { host, encoder } = self;
        write!(
            f,
            "the vectors of this index are by the server {host}; questions go there only if you say so: \
             --encoder '{encoder}' (with &key_env=VARIABLE where it wants a key)"
        )
    }
}

/// A byte of an address, or its code where a shell or a screen could take it for something else.
fn quotable(byte: u8) -> String {
    match byte {
        b'\'' | b'"' | b'\\' | b'`' => format!("%{byte:02X}"),
        _ if byte.is_ascii_graphic() => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    }
}

/// Opens an encoder by its name.
///
/// # Errors
/// As [`Spec::parse`] and [`Spec::open`].
pub fn open(
    spec: &str,
    weights: Weights,
    go_on: &dyn Fn() -> bool,
) -> Result<Box<dyn Encoder>, EmbedError> {
    Spec::parse(spec)?.open(weights, go_on)
}

fn settings(query: &str) -> Result<Settings, String> {
    let mut settings = Settings::default();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let value = decoded(value);
        let number = || match value.parse::<usize>() {
            Ok(number) if number > 0 => Ok(Some(number)),
            _ => Err(format!("`{name}={value}`, expected a whole number above 0")),
        };
        let word = |what| format!("`{name}={value}`, expected {what}");
        match name {
            "query_prefix" => settings.query_prefix = Some(value),
            "passage_prefix" => settings.passage_prefix = Some(value),
            "model" => settings.model = Some(value),
            "key_env" => settings.key_env = Some(value),
            "max_length" => settings.max_length = number()?,
            "dims" => settings.dims = number()?,
            "batch" => settings.batch = number()?,
            "timeout" => settings.timeout = number()?.map(|s| Duration::from_secs(s as u64)),
            "pooling" => {
                settings.pooling = match value.as_str() {
                    "mean" => Some(Pooling::Mean),
                    "cls" => Some(Pooling::Cls),
                    _ => return Err(word("mean or cls")),
                }
            }
            "lower" => {
                let lower = value.parse().map_err(|_| word("true or false"))?;
                settings.lower = Some(lower);
            }
            _ => return Err(format!("no setting `{name}`")),
        }
    }
    Ok(settings)
}

/// With `%20` and the like as what they stand for.
fn decoded(value: &str) -> String {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.as_bytes();
    while let [first, after @ ..] = rest {
        let code = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        match code.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) if *first == b'%' => {
                bytes.push(byte);
                rest = &after[2..];
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms() {
        assert_eq!(Spec::parse("static").unwrap(), Spec::Static);
        let bert =
            "bert:/m/e5?query_prefix=query:%20&passage_prefix=passage: &pooling=cls&max_length=128";
        let Spec::Bert(path, settings) = Spec::parse(bert).unwrap() else {
            panic!("no bert");
        };
        assert_eq!(path, PathBuf::from("/m/e5"));
        assert_eq!(settings.query_prefix.as_deref(), Some("query: "));
        assert_eq!(settings.passage_prefix.as_deref(), Some("passage: "));
        assert_eq!(
            (settings.pooling, settings.max_length),
            (Some(Pooling::Cls), Some(128))
        );
        let endpoint = "endpoint:http://localhost:8080/v1?model=m&key_env=KEY&timeout=5";
        let Spec::Endpoint(url, settings) = Spec::parse(endpoint).unwrap() else {
            panic!("no endpoint");
        };
        assert_eq!(url, "http://localhost:8080/v1");
        assert_eq!(settings.timeout, Some(Duration::from_secs(5)));
        for wrong in [
            "",
            "stat",
            "bert:",
            "bert",
            "endpoint:ftp://x",
            "static?dims=3",
        ] {
            let error = Spec::parse(wrong).unwrap_err().to_string();
            assert!(error.contains("endpoint:URL"), "{error}");
        }
        for (wrong, said) in [
            ("pooling=max", "mean or cls"),
            ("dims=0", "above 0"),
            ("x=1", "no setting"),
        ] {
            let error = Spec::parse(&format!("bert:p?{wrong}"))
                .unwrap_err()
                .to_string();
            assert!(error.contains(said), "{error}");
        }
    }

    #[test]
    fn what_is_stored_and_shown_of_an_encoder() {
        for (given, kept) in [
            ("static", "static"),
            ("bert:/m?pooling=cls", "bert:/m?pooling=cls"),
            ("endpoint:http://h?key_env=KEY", "endpoint:http://h"),
            (
                "endpoint:http://me:secret@h/v1?model=@cf/m&key_env=KEY&dims=3",
                "endpoint:http://h/v1?model=@cf/m&dims=3",
            ),
        ] {
            assert_eq!(public(given), kept);
            let closed = Closed::of(&Spec::parse(given).unwrap(), given);
            assert_eq!(closed.is_some(), given.starts_with("endpoint"));
        }
        let error = Spec::parse("endpoint:ftp://me:secret@h").unwrap_err();
        assert!(!error.to_string().contains("secret"), "{error}");
    }

    #[test]
    fn what_a_closed_server_asks_to_be_typed_is_one_word() {
        let odd = "endpoint:http://h:1/';rm\u{1b}[m?query_prefix=query: é&key_env=KEY";
        let closed = Closed::of(&Spec::parse(odd).unwrap(), odd).unwrap();
        let typed = "endpoint:http://h:1/%27;rm%1B[m?query_prefix=query:%20%C3%A9";
        assert_eq!((&*closed.host, &*closed.encoder), ("h:1", typed));
        let Spec::Endpoint(_, settings) = Spec::parse(typed).unwrap() else {
            panic!("no endpoint");
        };
        assert_eq!(settings.query_prefix.as_deref(), Some("query: é"));
    }

    #[test]
    fn opens_static_and_names_what_is_missing() {
        let encoder = open("static", Weights::default(), &|| true).unwrap();
        assert_eq!(encoder.identity().name, "static");
        let error = open("bert:/no/such", Weights::default(), &|| true)
            .err()
            .unwrap();
        assert!(
            error.to_string().contains("/no/such/config.json"),
            "{error}"
        );
    }
}
