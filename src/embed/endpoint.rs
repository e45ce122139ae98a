//! Vectors from a server that speaks OpenAI's `/v1/embeddings`.

use super::reply::{Request, refusal, rows};
use super::spec::Settings;
use super::{EmbedError, Encoder, Identity, Kind, TokenVectors};
use crate::corpus::full_text;
use crate::http::{self, Abreast, HeaderValue, HttpError, Uri};
use std::time::Duration;
use ureq::Agent;
use xxhash_rust::xxh3::xxh3_64;

/// No answer is larger.
const MOST_BYTES: usize = 256 << 20;
const TRIES: u32 = 4;
const FIRST_WAIT: Duration = Duration::from_secs(1);
/// A server that asks for more patience than this is not waited for.
const LONGEST_WAIT: Duration = Duration::from_secs(60);
const TIMEOUT: Duration = Duration::from_secs(60);
const BATCH: usize = 32;
/// Requests under way at once.
const ABREAST: usize = 4;
/// How often a caller is asked whether to go on.
const TICK: Duration = Duration::from_millis(100);

const REACH: &str = "check the address and that the server runs";
const SPEAK: &str = "expected an OpenAI-compatible /v1/embeddings";

/// A server, a model at it, and how to ask.
pub struct Endpoint {
    asker: Asker,
    settings: Settings,
    identity: Identity,
}

/// What a request needs; cloned into threads.
#[derive(Clone)]
struct Asker {
    uri: Uri,
    model: Option<String>,
    /// What to ask for, and what must come.
    asked_dims: Option<usize>,
    key: Option<HeaderValue>,
    timeout: Duration,
    first_wait: Duration,
}

impl Endpoint {
    /// Asks the server for one vector, to learn its dimensions; `go_on` is asked while that is awaited.
    ///
    /// # Errors
    /// An address that is none, a variable without a key, whatever the server lacks, or that it was stopped.
    pub fn open(
        url: &str,
        settings: &Settings,
        go_on: &dyn Fn() -> bool,
    ) -> Result<Endpoint, EmbedError> {
        Endpoint::with(url, settings, None, FIRST_WAIT, go_on)
    }

    /// As [`open`](Self::open), where the dimensions are known: the server is not asked before the first text.
    ///
    /// # Errors
    /// An address that is none, or a variable without a key.
    pub fn known(url: &str, settings: &Settings, dims: usize) -> Result<Endpoint, EmbedError> {
        Endpoint::with(url, settings, Some(dims), FIRST_WAIT, &|| true)
    }

    fn with(
        url: &str,
        settings: &Settings,
        dims: Option<usize>,
        first_wait: Duration,
        go_on: &dyn Fn() -> bool,
    ) -> Result<Endpoint, EmbedError> {
        let fail = |(said, remedy): http::Unfit| EmbedError::Endpoint {
            url: http::bare(url),
            said,
            remedy,
        };
        let uri = http::address(url, "embeddings").map_err(fail)?;
        let key = settings.key_env.as_deref().map(http::bearer);
        let key = key.transpose().map_err(fail)?;
        let asker = Asker {
            uri,
            model: settings.model.clone(),
            asked_dims: settings.dims,
            key,
            timeout: settings.timeout.unwrap_or(TIMEOUT),
            first_wait,
        };
        let dims = match dims {
            Some(dims) => dims,
            None => {
                let probe = vec![vec!["hopscope".to_owned()]];
                asker.run(|_| go_on(), probe, None)?.len()
            }
        };
        // The same model at another address gives the same vectors; without its name only the address tells.
        let model = settings
            .model
            .clone()
            .unwrap_or_else(|| asker.uri.to_string());
        let moved_by = (&model, &settings.query_prefix, &settings.passage_prefix);
        Ok(Endpoint {
            identity: Identity {
                name: format!("endpoint:{model}"),
                kind: Kind::Endpoint,
                dims,
                fingerprint: format!("{:016x}", xxh3_64(format!("{moved_by:?}").as_bytes())),
            },
            asker,
            settings: settings.clone(),
        })
    }
}

impl Asker {
    /// Runs all batches, a few abreast, and joins their rows; `go_on` is asked with the number of texts done.
    fn run(
        &self,
        go_on: impl Fn(usize) -> bool,
        batches: Vec<Vec<String>>,
        dims: Option<usize>,
    ) -> Result<Vec<f32>, EmbedError> {
        let mut rows = vec![Vec::new(); batches.len()];
        let mut waiting = batches.into_iter().enumerate();
        let mut requests = Abreast::new();
        let mut done = 0;
        loop {
            while requests.under_way() < ABREAST {
                let Some((at, batch)) = waiting.next() else {
                    break;
                };
                let asker = self.clone();
                requests.start(move |agent| (at, batch.len(), asker.batch(agent, &batch, dims)));
            }
            if requests.under_way() == 0 {
                if rows.iter().any(Vec::is_empty) {
                    return Err(self.fail("a request broke off".into(), REACH));
                }
                // One batch is freed as the next is appended: all of them may be large.
                let joined = rows.into_iter().reduce(|mut all, row| {
                    all.extend(row);
                    all
                });
                return Ok(joined.unwrap_or_default());
            }
            if let Some((at, count, ended)) = requests.next(TICK) {
                rows[at] = ended?;
                done += count;
            }
            if !go_on(done) {
                return Err(EmbedError::Cancelled);
            }
        }
    }

    /// One request, tried again while that can help.
    fn batch(
        &self,
        agent: &Agent,
        texts: &[String],
        dims: Option<usize>,
    ) -> Result<Vec<f32>, EmbedError> {
        let request = Request {
            input: texts,
            model: self.model.as_deref(),
            dimensions: self.asked_dims,
            encoding_format: "float",
        };
        let body = serde_json::to_vec(&request).map_err(|e| self.fail(e.to_string(), SPEAK))?;
        let mut wait = self.first_wait;
        let mut tried = 1;
        loop {
            let key = self.key.as_ref();
            let asked = http::post(agent, &self.uri, key, &body, self.timeout, MOST_BYTES);
            let (said, after) = match asked {
                Err(HttpError::Broken(said)) => (said, None),
                Err(HttpError::TooLarge(most)) => {
                    let said = format!("the answer has more than {most} bytes");
                    return Err(self.fail(said, SPEAK));
                }
                Ok(answer) if answer.status == 200 => {
                    return rows(&answer.body, texts.len(), dims)
                        .map_err(|said| self.fail(said, SPEAK));
                }
                Ok(answer) => {
                    let said = refusal(&answer, key);
                    match answer.status {
                        408 | 425 | 429 | 500..=599 => (said, answer.retry_after),
                        401 | 403 => {
                            return Err(self.fail(said, "check the key that key_env names"));
                        }
                        _ => return Err(self.fail(said, SPEAK)),
                    }
                }
            };
            let pause = after.unwrap_or(wait);
            if tried == TRIES || pause > LONGEST_WAIT {
                let tries = if tried == 1 { "try" } else { "tries" };
                return Err(self.fail(format!("{said} ({tried} {tries})"), REACH));
            }
            std::thread::sleep(pause);
            wait *= 2;
            tried += 1;
        }
    }

    fn fail(&self, said: String, remedy: &'static str) -> EmbedError {
        EmbedError::Endpoint {
            url: self.uri.to_string(),
            said,
            remedy,
        }
    }
}

impl Encoder for Endpoint {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn passages(
        &self,
        passages: &[(&str, &str)],
        progress: &dyn Fn(usize) -> bool,
    ) -> Result<Vec<f32>, EmbedError> {
        let prefix = self.settings.passage_prefix.as_deref().unwrap_or("");
        let text = |(title, text): &(&str, &str)| format!("{prefix}{}", full_text(title, text));
        let size = self.settings.batch.unwrap_or(BATCH);
        let batches = passages
            .chunks(size)
            .map(|batch| batch.iter().map(text).collect());
        self.asker
            .run(progress, batches.collect(), Some(self.identity.dims))
    }

    fn question(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let prefix = self.settings.query_prefix.as_deref().unwrap_or("");
        let batch = vec![format!("{prefix}{text}")];
        self.asker
            .run(|_| true, vec![batch], Some(self.identity.dims))
    }

    fn tokens(&self, _texts: &[&str]) -> Result<Vec<TokenVectors>, EmbedError> {
        Err(EmbedError::Lacking {
            encoder: self.identity.name.clone(),
            lacks: "no vectors of single tokens",
            remedy: "re-rank with a cross-encoder folder",
        })
    }
}

#[cfg(test)]
#[path = "endpoint_tests.rs"]
mod tests;
