//! One POST of JSON over HTTP/1.1, on hyper: all that an endpoint needs, without the weight of a whole client.

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
    // `Endpoint::open` refuses https addresses in such a build.
    Err("this build speaks no https".into())
}
