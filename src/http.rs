//! One POST of JSON over HTTP/1.1, on ureq, and a few of them at once. It goes to the address it was given and nowhere
//! else: a redirect is an answer like any other that is not 200, and no proxy of the environment is asked.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::time::Duration;
use ureq::config::AutoHeaderValue;
use ureq::http::header::{AUTHORIZATION, CONNECTION, CONTENT_TYPE, RETRY_AFTER};
pub use ureq::http::{HeaderValue, Uri};
use ureq::{Agent, Error};
#[cfg(feature = "https")]
use {
    std::path::Path,
    std::sync::OnceLock,
    ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem},
};

/// Why there is no answer.
#[derive(Debug)]
pub enum HttpError {
    /// No connection, or an answer that breaks off: worth another try.
    Broken(String),
    /// More bytes than asked for: another try would bring them again.
    TooLarge(usize),
}

/// What is wrong with an address or a key, and what to do.
pub type Unfit = (String, &'static str);

/// The address of a service (`embeddings`, say) from a base that may or may not name it.
///
/// # Errors
/// What is no address, holds a secret, or needs what this build lacks.
pub fn address(base: &str, service: &str) -> Result<Uri, Unfit> {
    if bare(base) != base {
        let said = "a user or a password in the address would be stored and shown";
        let remedy = "leave it out and name a variable that holds the key: ?key_env=VARIABLE";
        return Err((said.to_owned(), remedy));
    }
    let base = base.trim_end_matches('/');
    let full = if base.ends_with(&format!("/{service}")) {
        base.to_owned()
    } else if base.ends_with("/v1") {
        format!("{base}/{service}")
    } else {
        format!("{base}/v1/{service}")
    };
    let uri: Option<Uri> = full.parse().ok();
    let named = |uri: &Uri| {
        uri.host().is_some_and(|host| !host.is_empty())
            && matches!(uri.scheme_str(), Some("http" | "https"))
    };
    let uri = uri
        .filter(named)
        .ok_or_else(|| ("no address".to_owned(), "expected http://HOST:PORT"))?;
    if uri.scheme_str() == Some("https") && cfg!(not(feature = "https")) {
        let said = "this build speaks no https".to_owned();
        return Err((said, "install with --features https, or use http"));
    }
    #[cfg(feature = "https")]
    if uri.scheme_str() == Some("https") {
        roots().clone()?;
    }
    Ok(uri)
}

/// Whom a server is known by: those whom everybody trusts or, in their place, those of the file that a person names, as for
/// a server of a house of its own. Read once: connections are made for every question.
#[cfg(feature = "https")]
fn roots() -> &'static Result<RootCerts, Unfit> {
    static ROOTS: OnceLock<Result<RootCerts, Unfit>> = OnceLock::new();
    ROOTS.get_or_init(read_roots)
}

/// # Errors
/// A file without a certificate.
#[cfg(feature = "https")]
fn read_roots() -> Result<RootCerts, Unfit> {
    let Some(file) = std::env::var_os("SSL_CERT_FILE").filter(|file| !file.is_empty()) else {
        return Ok(RootCerts::WebPki);
    };
    let bytes = crate::mapped::given(Path::new(&file)).unwrap_or_default();
    let certificate = |item| match item {
        Ok(PemItem::Certificate(certificate)) => Some(certificate),
        _ => None,
    };
    let found: Vec<_> = parse_pem(&bytes).filter_map(certificate).collect();
    if found.is_empty() {
        let said = format!("no certificate in {}", Path::new(&file).display());
        return Err((said, "name a PEM file in SSL_CERT_FILE, or unset it"));
    }
    Ok(RootCerts::new_with_certs(&found))
}

/// A text with an address in it, without the user and the password that someone wrote there.
pub fn bare(text: &str) -> String {
    let Some((before, rest)) = text.split_once("://") else {
        return text.to_owned();
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (host, path) = rest.split_at(end);
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    format!("{before}://{host}{path}")
}

/// The key that a variable holds, as a server wants it.
///
/// # Errors
/// A variable that is not set, or holds what is no key.
pub fn bearer(variable: &str) -> Result<HeaderValue, Unfit> {
    let value = std::env::var(variable).unwrap_or_default();
    match HeaderValue::try_from(format!("Bearer {}", value.trim())) {
        Ok(mut header) if !value.trim().is_empty() => {
            header.set_sensitive(true);
            Ok(header)
        }
        _ => Err((
            format!("no key in ${variable}"),
            "export the variable that key_env names, with the key as its value",
        )),
    }
}

/// What a server said.
pub struct Answer {
    pub status: u16,
    pub retry_after: Option<Duration>,
    pub body: Vec<u8>,
}

impl Answer {
    /// What the server says went wrong: printable, without the key.
    pub fn complaint(&self, key: Option<&HeaderValue>) -> String {
        let value: serde_json::Value = serde_json::from_slice(&self.body).unwrap_or_default();
        let text = String::from_utf8_lossy(&self.body);
        let message = value["error"]["message"]
            .as_str()
            .or(value["error"].as_str())
            .or(value["message"].as_str())
            .unwrap_or(&text);
        let mut message: String = message.chars().filter(|c| !c.is_control()).collect();
        if let Some(secret) = key.and_then(|key| key.to_str().ok()?.strip_prefix("Bearer ")) {
            message = message.replace(secret, "***");
        }
        message
    }
}

/// Requests under way at once, each on a thread of its own. Dropped, it closes their connections, and none is opened after.
pub struct Abreast<T> {
    agent: Agent,
    under_way: usize,
    send: mpsc::Sender<Option<T>>,
    ended: mpsc::Receiver<Option<T>>,
}

impl<T: Send + 'static> Abreast<T> {
    pub fn new() -> Abreast<T> {
        let config = Agent::config_builder()
            .proxy(None)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .http_status_as_error(false)
            .max_idle_connections(0)
            .user_agent(AutoHeaderValue::None)
            .accept(AutoHeaderValue::None)
            .accept_encoding(AutoHeaderValue::None);
        // Where the file has none, https is refused before, and nobody is trusted.
        #[cfg(feature = "https")]
        let config = {
            let roots = roots().clone();
            let roots = roots.unwrap_or_else(|_| RootCerts::new_with_certs(&[]));
            config.tls_config(TlsConfig::builder().root_certs(roots).build())
        };
        let (send, ended) = mpsc::channel();
        Abreast {
            agent: config.build().new_agent(),
            under_way: 0,
            send,
            ended,
        }
    }

    pub fn under_way(&self) -> usize {
        self.under_way
    }

    pub fn start(&mut self, request: impl FnOnce(&Agent) -> T + Send + 'static) {
        let (agent, send) = (self.agent.clone(), self.send.clone());
        self.under_way += 1;
        std::thread::spawn(move || {
            // Whoever waits must hear of one that panicked, too.
            let ended = catch_unwind(AssertUnwindSafe(|| request(&agent)));
            let _ = send.send(ended.ok());
        });
    }

    /// What ended next; none when none does for so long.
    pub fn next(&mut self, patience: Duration) -> Option<T> {
        let ended = self.ended.recv_timeout(patience).ok()?;
        self.under_way -= 1;
        ended
    }
}

impl<T> Drop for Abreast<T> {
    fn drop(&mut self) {
        self.agent.clone().shutdown();
    }
}

/// Sends `body` and waits for the whole answer, which may have `most` bytes.
///
/// # Errors
/// As [`HttpError`] says.
pub fn post(
    agent: &Agent,
    uri: &Uri,
    key: Option<&HeaderValue>,
    body: &[u8],
    timeout: Duration,
    most: usize,
) -> Result<Answer, HttpError> {
    let lost = |what: &str, error: Error| match error {
        Error::Timeout(_) => HttpError::Broken(format!("no answer within {timeout:?}")),
        Error::BodyExceedsLimit(_) => HttpError::TooLarge(most),
        error => HttpError::Broken(format!("{what}: {error}")),
    };
    let mut request = agent.post(uri.clone());
    if let Some(key) = key {
        request = request.header(AUTHORIZATION, key);
    }
    let request = request.header(CONTENT_TYPE, "application/json");
    let request = request.header(CONNECTION, "close").config();
    let answer = request.timeout_global(Some(timeout)).build().send(body);
    let mut answer = answer.map_err(|error| match &error {
        Error::Io(io) if io.kind() == std::io::ErrorKind::ConnectionRefused => {
            lost("no connection", error)
        }
        Error::HostNotFound | Error::ConnectionFailed => lost("no connection", error),
        _ => lost("no answer", error),
    })?;
    let retry_after = answer.headers().get(RETRY_AFTER);
    let retry_after = retry_after.and_then(|value| value.to_str().ok()?.trim().parse().ok());
    // ureq's limit is what is one too many.
    let limited = answer.body_mut().with_config().limit(most as u64 + 1);
    let body = limited.read_to_vec();
    Ok(Answer {
        status: answer.status().as_u16(),
        retry_after: retry_after.map(Duration::from_secs),
        body: body.map_err(|error| lost("the answer breaks off", error))?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        for (given, uri) in [
            ("http://h:1", "http://h:1/v1/embeddings"),
            ("http://h:1/", "http://h:1/v1/embeddings"),
            ("http://h/v1/", "http://h/v1/embeddings"),
            (
                "http://[::1]:8/api/embeddings",
                "http://[::1]:8/api/embeddings",
            ),
            ("http://h/@cf", "http://h/@cf/v1/embeddings"),
        ] {
            assert_eq!(address(given, "embeddings").unwrap().to_string(), uri);
        }
        for wrong in ["http:", "http://", "ftp://h", "http:///v1"] {
            assert_eq!(address(wrong, "embeddings").unwrap_err().0, "no address");
        }
    }

    #[test]
    fn who_no_longer_waits_closes_the_connection() {
        use std::io::Read;
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let uri: Uri = format!("http://{}/", listener.local_addr().unwrap())
            .parse()
            .unwrap();
        let (told, heard) = mpsc::channel();
        let mut requests = Abreast::new();
        requests.start(move |agent| {
            let ended = post(agent, &uri, None, b"{}", Duration::from_secs(60), 9);
            let _ = told.send(ended.is_err());
        });
        let (mut stream, _) = listener.accept().unwrap();
        let mut start = [0; 4];
        stream.read_exact(&mut start).unwrap();
        assert_eq!((&start, requests.under_way()), (b"POST", 1));
        assert!(requests.next(Duration::from_millis(50)).is_none());
        drop(requests);
        assert_eq!(heard.recv_timeout(Duration::from_secs(20)), Ok(true));
        // To its end, which is there.
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        stream.read_to_end(&mut Vec::new()).unwrap();
    }

    #[test]
    fn a_request_that_panics_is_no_longer_under_way() {
        let mut requests: Abreast<u8> = Abreast::new();
        requests.start(|_| panic!("as a test"));
        assert_eq!(requests.next(Duration::from_secs(20)), None);
        assert_eq!(requests.under_way(), 0);
    }

    #[test]
    fn a_password_in_an_address_is_refused_and_never_said() {
        for (given, without) in [
            ("http://me:secret@h:1/v1", "http://h:1/v1"),
            ("http://secret@h?model=@cf/m", "http://h?model=@cf/m"),
            ("http://a:secret@b:secret@h", "http://h"),
        ] {
            let (said, remedy) = address(given, "embeddings").unwrap_err();
            assert!(!said.contains("secret") && remedy.contains("key_env"));
            assert_eq!(bare(given), without);
            assert_eq!(
                bare(&format!("endpoint:{given}")),
                format!("endpoint:{without}")
            );
        }
        assert_eq!(bare("http://h/@cf/m"), "http://h/@cf/m");
        assert_eq!(bare("bert:/m@2"), "bert:/m@2");
    }
}
