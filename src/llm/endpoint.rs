//! Answers from a server that speaks OpenAI's `/v1/chat/completions`.

use super::LlmError;
use super::provider::{Failure, Job, Prompt, Provider, Usage};
use super::reply::{self, Lack, brief, refusal};
use crate::http::{self, Abreast, HeaderValue, HttpError, Uri};
use serde_json::json;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use ureq::Agent;

const TRIES: u32 = 4;
const FIRST_WAIT: Duration = Duration::from_secs(1);
/// A server that asks for more patience than this is not waited for.
const LONGEST_WAIT: Duration = Duration::from_secs(60);
const TIMEOUT: Duration = Duration::from_secs(120);
const ABREAST: usize = 4;
/// How often the job is asked whether to go on.
const TICK: Duration = Duration::from_millis(100);
/// No answer is larger: thousands of words are some tens of kilobytes.
const MOST_BYTES: usize = 4 << 20;
/// Items in a row that a server did not answer, tries and waits included, before the rest is left to the stand-ins.
const SILENT: usize = 8;
/// How much of a wrong answer is shown to the model again.
const SHOWN: usize = 4_000;

const REACH: &str = "check the address and that the server runs";

/// How to ask a server.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// The model's name at the server.
    pub model: String,
    /// The environment variable that holds the key. The key itself is kept in memory only, and in no message.
    pub key_env: Option<String>,
    /// Time for one answer.
    pub timeout: Option<Duration>,
    /// Requests under way at once; 4 unless said.
    pub concurrency: Option<usize>,
    /// How long an answer may be, for servers that cut it short otherwise.
    pub max_tokens: Option<usize>,
}

/// A server, a model at it, and how to ask.
pub struct Endpoint {
    asker: Arc<Asker>,
    abreast: usize,
    breaker: Mutex<Breaker>,
}

/// Whether the server is still worth asking: one for all that is asked of it, so that a build of many tasks and batches
/// learns once that it is not.
#[derive(Default)]
struct Breaker {
    /// Items in a row without an answer.
    silent: usize,
    /// Why nothing is asked any more.
    open: Option<String>,
}

struct Asker {
    uri: Uri,
    model: String,
    key: Option<HeaderValue>,
    timeout: Duration,
    first_wait: Duration,
    most_bytes: usize,
    max_tokens: Option<usize>,
    /// The server refused a request with a schema and took the same one without.
    plain: AtomicBool,
}

/// What one round of asking gave.
enum Said {
    Text(String),
    /// An answer without a usable text.
    Nothing(String),
    Silence(String),
    Refused(String),
    /// Less has to be asked at once.
    TooLong(String),
    /// Refused for a reason that holds for every prompt.
    Barred(String),
}

/// A prompt on its way: its number, and the wrong answer it is asked again for.
struct Turn {
    i: usize,
    wrong: Option<(String, String)>,
}

impl Endpoint {
    /// Asks nothing yet: a server that is not there shows with the first item.
    ///
    /// # Errors
    /// An address that is none, no model, or a variable without a key.
    pub fn open(url: &str, settings: &Settings) -> Result<Endpoint, LlmError> {
        Endpoint::with(url, settings, FIRST_WAIT, MOST_BYTES)
    }

    pub(super) fn with(
        url: &str,
        settings: &Settings,
        first_wait: Duration,
        most_bytes: usize,
    ) -> Result<Endpoint, LlmError> {
        let fail = |(said, remedy): http::Unfit| LlmError::Endpoint {
            url: brief(&http::bare(url)),
            said,
            remedy,
        };
        let uri = http::address(url, "chat/completions").map_err(fail)?;
        if settings.model.trim().is_empty() {
            return Err(fail(("no model named".into(), "add ?model=NAME")));
        }
        let key = settings.key_env.as_deref().map(http::bearer);
        let key = key.transpose().map_err(fail)?;
        Ok(Endpoint {
            asker: Arc::new(Asker {
                uri,
                model: settings.model.clone(),
                key,
                timeout: settings.timeout.unwrap_or(TIMEOUT),
                first_wait,
                most_bytes,
                max_tokens: settings.max_tokens,
                plain: AtomicBool::new(false),
            }),
            abreast: settings.concurrency.unwrap_or(ABREAST).max(1),
            breaker: Mutex::default(),
        })
    }

    fn breaker(&self) -> MutexGuard<'_, Breaker> {
        self.breaker.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Provider for Endpoint {
    fn model(&self) -> Option<&str> {
        Some(&self.asker.model)
    }

    /// Keeps a few requests under way; what they bring is judged here, on one thread.
    fn generate(&self, prompts: &[Prompt], job: &mut dyn Job) {
        let mut queue: VecDeque<Turn> = (0..prompts.len())
            .map(|i| Turn { i, wrong: None })
            .collect();
        let mut usages = vec![Usage::default(); prompts.len()];
        let mut requests = Abreast::new();
        loop {
            while requests.under_way() < self.abreast
                && let Some(turn) = queue.pop_front()
            {
                let open = self.breaker().open.clone();
                if let Some(said) = open {
                    job.done(turn.i, usages[turn.i], Some(Failure::GaveUp(said)));
                    continue;
                }
                let (asker, prompt) = (self.asker.clone(), prompts[turn.i].clone());
                requests.start(move |agent| {
                    let mut usage = Usage::default();
                    let said = asker.ask(agent, &prompt, turn.wrong.as_ref(), &mut usage);
                    (turn, usage, said)
                });
            }
            if !job.go_on() || requests.under_way() == 0 {
                return;
            }
            let Some((turn, usage, said)) = requests.next(TICK) else {
                continue;
            };
            let i = turn.i;
            usages[i].requests += usage.requests;
            usages[i].tokens.prompt += usage.tokens.prompt;
            usages[i].tokens.completion += usage.tokens.completion;
            if !matches!(said, Said::Silence(_)) {
                self.breaker().silent = 0;
            }
            let failure = match said {
                Said::Text(text) => {
                    match reply::value(&text).and_then(|value| job.take(i, value)) {
                        Ok(()) => {
                            job.done(i, usages[i], None);
                            continue;
                        }
                        Err(said) => Err((text, said)),
                    }
                }
                Said::Nothing(said) => Err((String::new(), said)),
                Said::Refused(said) => Ok(Failure::Refused(said)),
                Said::TooLong(said) => Ok(Failure::TooLong(said)),
                Said::Barred(said) => {
                    self.breaker().open.get_or_insert_with(|| said.clone());
                    Ok(Failure::Refused(said))
                }
                Said::Silence(said) => {
                    let mut breaker = self.breaker();
                    breaker.silent += 1;
                    let silent = breaker.silent;
                    if silent >= SILENT {
                        let why = || format!("{silent} items in a row: {said}");
                        breaker.open.get_or_insert_with(why);
                    }
                    Ok(Failure::Unreachable(said))
                }
            };
            match failure {
                Ok(failure) => job.done(i, usages[i], Some(failure)),
                Err(wrong) if turn.wrong.is_some() => {
                    job.done(i, usages[i], Some(Failure::Invalid(brief(&wrong.1))));
                }
                Err(wrong) => queue.push_front(Turn {
                    i,
                    wrong: Some(wrong),
                }),
            }
        }
    }

    fn again(&self) {
        *self.breaker() = Breaker::default();
    }
}

impl Asker {
    /// One prompt: with a schema, or without where the server takes none.
    fn ask(
        &self,
        agent: &Agent,
        prompt: &Prompt,
        wrong: Option<&(String, String)>,
        usage: &mut Usage,
    ) -> Said {
        let plain = self.plain.load(Ordering::Relaxed);
        match self.tried(agent, &self.body(prompt, wrong, plain), usage) {
            Err((400 | 422, _)) if !plain => {
                let again = self.tried(agent, &self.body(prompt, wrong, true), usage);
                if again.is_ok() {
                    self.plain.store(true, Ordering::Relaxed);
                }
                again.unwrap_or_else(|(_, said)| Said::Refused(said))
            }
            said => said.unwrap_or_else(|(_, said)| Said::Refused(said)),
        }
    }

    fn body(&self, prompt: &Prompt, wrong: Option<&(String, String)>, plain: bool) -> String {
        let schema = (prompt.spec.schema)();
        let mut messages = vec![
            json!({"role": "system", "content": prompt.spec.system()}),
            json!({"role": "user", "content": prompt.input.to_string()}),
        ];
        if let Some((text, said)) = wrong {
            if !text.trim().is_empty() {
                let shown: String = text.chars().take(SHOWN).collect();
                messages.push(json!({"role": "assistant", "content": shown}));
            }
            let content = format!(
                "That is not valid: {said}. Answer again with one JSON object of the schema."
            );
            messages.push(json!({"role": "user", "content": content}));
        }
        let mut body = json!({"model": self.model, "temperature": 0, "messages": messages});
        if let Some(most) = self.max_tokens {
            body["max_tokens"] = json!(most);
        }
        if !plain {
            body["seed"] = json!(0);
            body["response_format"] = json!({"type": "json_schema", "json_schema": {
                "name": prompt.spec.name, "strict": schema.strict(), "schema": schema.json(),
            }});
        }
        body.to_string()
    }

    /// One request, sent again while that can help. The error is a status that may mean the form of the request.
    fn tried(&self, agent: &Agent, body: &str, usage: &mut Usage) -> Result<Said, (u16, String)> {
        let mut wait = self.first_wait;
        let mut tried = 1;
        loop {
            usage.requests += 1;
            let (key, most) = (self.key.as_ref(), self.most_bytes);
            let asked = http::post(agent, &self.uri, key, body.as_bytes(), self.timeout, most);
            let (said, after) = match asked {
                Err(HttpError::Broken(said)) => (said, None),
                Err(HttpError::TooLarge(most)) => {
                    return Ok(Said::Nothing(format!(
                        "an answer of more than {most} bytes"
                    )));
                }
                Ok(answer) if answer.status == 200 => {
                    let (tokens, text) = reply::content(&answer.body);
                    usage.tokens.prompt += tokens.prompt;
                    usage.tokens.completion += tokens.completion;
                    return Ok(match text {
                        Ok(text) => Said::Text(text),
                        Err(Lack::Cut) => {
                            let said = "the answer was cut off at the model's limit";
                            Said::TooLong(self.at(said))
                        }
                        Err(Lack::Other(said)) => Said::Nothing(said),
                    });
                }
                Ok(answer) if reply::too_long(&answer) => {
                    return Ok(Said::TooLong(self.at(&refusal(&answer, key))));
                }
                Ok(answer) => {
                    let said = refusal(&answer, key);
                    match answer.status {
                        408 | 425 | 429 | 500..=599 => (said, answer.retry_after),
                        status @ (400 | 422) => return Err((status, self.at(&said))),
                        401 | 403 => {
                            let said = format!("{said}; check the key that key_env names");
                            return Ok(Said::Barred(self.at(&said)));
                        }
                        404 => {
                            let said = format!("{said}; check the address and the model's name");
                            return Ok(Said::Barred(self.at(&said)));
                        }
                        _ => return Ok(Said::Refused(self.at(&said))),
                    }
                }
            };
            let pause = after.unwrap_or(wait);
            if tried == TRIES || pause > LONGEST_WAIT {
                let tries = if tried == 1 { "try" } else { "tries" };
                return Ok(Said::Silence(
                    self.at(&format!("{said} ({tried} {tries}); {REACH}")),
                ));
            }
            std::thread::sleep(pause);
            wait *= 2;
            tried += 1;
        }
    }

    /// With the server's name, never its whole address: some keep a key there.
    fn at(&self, said: &str) -> String {
        format!("{}: {said}", self.uri.authority().map_or("", |a| a.host()))
    }
}

/// For errors and the screen: the model, never the key.
impl std::fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Endpoint({})", self.asker.model)
    }
}
