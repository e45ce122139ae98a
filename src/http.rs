//! One POST of JSON over HTTP/1.1, on hyper: all that an endpoint needs, without the weight of a whole client. It goes to
//! the address it was given and nowhere else: a redirect is an answer like any other that is not 200.

use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::header::{AUTHORIZATION, CONNECTION, CONTENT_TYPE, HOST, HeaderValue, RETRY_AFTER};
use hyper::{Method, Request, Response, Uri};
use hyper_util::rt::TokioIo;
use std::time::Duration;
use tokio::net::TcpStream;

/// Why there is no answer.
#[derive(Debug)]
pub enum Lost {
    /// No connection, or an answer that breaks off: worth another try.
    Broken(String),
    /// More bytes than asked for: another try would bring them again.
    TooLarge(usize),
}

impl From<String> for Lost {
    fn from(said: String) -> Lost {
        Lost::Broken(said)
    }
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
    Ok(uri)
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
    pub body: Bytes,
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

/// Sends `body` and waits for the whole answer, which may have `most` bytes.
///
/// # Errors
/// As [`Lost`] says.
pub async fn post(
    uri: &Uri,
    key: Option<HeaderValue>,
    body: Bytes,
    most: usize,
) -> Result<Answer, Lost> {
    let host = uri.host().unwrap_or_default();
    let secure = uri.scheme_str() == Some("https");
    let port = uri.port_u16().unwrap_or(if secure { 443 } else { 80 });
    // An IPv6 address stands in brackets in a URL, and without them elsewhere.
    let address = host.trim_start_matches('[').trim_end_matches(']');
    let stream = TcpStream::connect((address, port))
        .await
        .map_err(|e| format!("no connection: {e}"))?;
    let mut request = Request::builder()
        .method(Method::POST)
        .uri(uri.path_and_query().map_or("/", |p| p.as_str()))
        .header(HOST, uri.authority().map_or(host, |a| a.as_str()))
        .header(CONTENT_TYPE, "application/json")
        .header(CONNECTION, "close");
    if let Some(key) = key {
        request = request.header(AUTHORIZATION, key);
    }
    let request = request.body(Full::new(body)).map_err(|e| e.to_string())?;
    if secure {
        exchange(secured(address, stream).await?, request, most).await
    } else {
        exchange(stream, request, most).await
    }
}

async fn exchange<S>(stream: S, request: Request<Full<Bytes>>, most: usize) -> Result<Answer, Lost>
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
{
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream))
        .await
        .map_err(|e| e.to_string())?;
    // Ends with the connection, or with the runtime of the call; its errors reach the sender.
    let driver = tokio::spawn(connection);
    let answer = async {
        let response = sender.send_request(request).await?;
        let (head, body) = response.into_parts();
        Ok::<_, hyper::Error>(Response::from_parts(head, body))
    };
    let response = answer.await.map_err(|e| format!("no answer: {e}"))?;
    let status = response.status().as_u16();
    let retry_after = response
        .headers()
        .get(RETRY_AFTER)
        .and_then(|value| value.to_str().ok()?.trim().parse().ok())
        .map(Duration::from_secs);
    let body = Limited::new(response.into_body(), most)
        .collect()
        .await
        .map_err(|e| match e.downcast_ref::<LengthLimitError>() {
            Some(_) => Lost::TooLarge(most),
            None => Lost::Broken(format!("the answer breaks off: {e}")),
        })?
        .to_bytes();
    driver.abort();
    Ok(Answer {
        status,
        retry_after,
        body,
    })
}

#[cfg(feature = "https")]
async fn secured(
    host: &str,
    stream: TcpStream,
) -> Result<tokio_rustls::client::TlsStream<TcpStream>, String> {
    use std::sync::Arc;
    use tokio_rustls::TlsConnector;
    use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto::ring, pki_types::ServerName};

    let roots = RootCertStore::from_iter(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|e| e.to_string())?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from(host.to_owned()).map_err(|e| e.to_string())?;
    TlsConnector::from(Arc::new(config))
        .connect(name, stream)
        .await
        .map_err(|e| format!("no secure connection: {e}"))
}

#[cfg(not(feature = "https"))]
#[allow(clippy::unused_async)]
async fn secured(_host: &str, _stream: TcpStream) -> Result<TcpStream, String> {
    // [`address`] refuses https in such a build.
    Err("this build speaks no https".into())
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
