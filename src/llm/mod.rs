//! Language models, where one is configured: the same tasks that rules do as stand-ins, one seam in front of both.
//!
//! A caller has a stand-in and asks [`Llm::item`] or [`Llm::items`]. A kept answer is used, else the server is asked, and
//! whatever goes wrong the stand-in answers for that single item and the result says so. Without a server it always does.
//! What is too long for a model is asked in parts. Where no rule could answer, [`Llm::answers`] gives the reason instead.
//! Text of a model is data: never run, never a path, without characters that a screen would act on.
//!
//! | file | what lives there |
//! |---|---|
//! | `task` | the kinds of work, their inputs and outputs |
//! | `schema` | shapes of outputs, as JSON Schema and as a check |
//! | `provider` | who may answer: rules only, kept answers, a server |
//! | `endpoint`, `http`, `reply` | OpenAI's chat protocol |
//! | `cache` | answers on disk |
//! | `work` | many items under way |
//! | `count` | what it took, and what it would take |
//! | `shares` | who made how much of a layer |

pub(crate) mod cache;
pub(crate) mod count;
pub(crate) mod endpoint;
pub mod provider;
pub mod reply;
pub mod schema;
pub(crate) mod shares;
pub(crate) mod task;
mod work;

pub use cache::Cache;
pub use count::{Counters, Estimate};
pub use endpoint::{Endpoint, Settings};
pub use provider::{Failure, Provider, Replay, Rules};
pub use shares::{Share, Shares};
pub use task::{Spec, Task};

use cache::Key;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use work::Work;

/// Why there is no seam at all; a single item never fails.
#[derive(Debug, thiserror::Error)]
pub enum LlmError {
    #[error(
        "language model `{given}`: {said}; expected `rules`, `replay:MODEL` or `endpoint:URL?model=NAME&key_env=VARIABLE`"
    )]
    Spec { given: String, said: String },
    #[error("{url}: {said}; {remedy}")]
    Endpoint {
        url: String,
        said: String,
        remedy: &'static str,
    },
    #[error("{}: {source}; name a folder for kept answers that can be written", path.display())]
    Cache {
        path: PathBuf,
        source: std::io::Error,
    },
}

/// The caller stopped the work. What was answered until then is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cancelled")]
pub struct Cancelled;

/// Who made a piece of data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    Rule {
        task: Cow<'static, str>,
        version: u32,
    },
    Llm {
        model: Arc<str>,
        task: Cow<'static, str>,
        version: u32,
    },
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Rule { task, version } => write!(f, "rule({task}, {version})"),
            Origin::Llm {
                model,
                task,
                version,
            } => write!(f, "llm({model}, {task}, {version})"),
        }
    }
}

/// An output, who made it, and what went wrong when a model was asked and the stand-in had to answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Made<T> {
    pub value: T,
    pub origin: Origin,
    pub failure: Option<Failure>,
}

/// What a model answered, or why it did not.
pub type Answered<T> = Result<Made<<T as Task>::Output>, Failure>;

/// What a caller demands of an output besides its shape and the task's own check.
pub type Validate<'v, T> =
    &'v dyn Fn(&<T as Task>::Input, &<T as Task>::Output) -> Result<(), String>;

/// No demand.
///
/// # Errors
/// None.
pub fn any<I, O>(_: &I, _: &O) -> Result<(), String> {
    Ok(())
}

/// The seam: a provider, the answers kept, and what it all took. Shared between threads behind an `Arc`.
pub struct Llm {
    provider: Box<dyn Provider>,
    cache: Option<Cache>,
    counters: Mutex<BTreeMap<&'static str, Counters>>,
    announce: OnceLock<Announce>,
}

/// Hears what a build is about to ask: of which task, and how much.
pub type Announce = Box<dyn Fn(&'static str, &Estimate) + Send + Sync>;

impl Default for Llm {
    fn default() -> Llm {
        Llm::rules()
    }
}

impl Llm {
    /// Stand-ins only.
    pub fn rules() -> Llm {
        Llm::new(Box::new(Rules), None)
    }

    pub fn new(provider: Box<dyn Provider>, cache: Option<Cache>) -> Llm {
        Llm {
            provider,
            cache,
            counters: Mutex::default(),
            announce: OnceLock::new(),
        }
    }

    /// Lets someone hear of every estimate from now on, before its items are asked. The first who asks to is told.
    pub fn announce_to(&self, announce: Announce) {
        let _ = self.announce.set(announce);
    }

    /// Whether a model may answer at all. Without one a caller need not go through the seam.
    pub fn thinks(&self) -> bool {
        self.model().is_some()
    }

    /// Tells what is going to be asked.
    pub fn announce<T: Task>(&self, estimate: &Estimate) {
        let some = self.thinks() && estimate.items > 0;
        if let Some(announce) = self.announce.get().filter(|_| some) {
            announce(T::SPEC.name, estimate);
        }
    }

    /// `rules`, `replay:MODEL`, or `endpoint:URL?model=NAME` with `key_env`, `timeout` (seconds), `concurrency`,
    /// `max_tokens`. Answers are kept in the folder, where there is one.
    ///
    /// # Errors
    /// Another form, a missing key, or a folder that cannot be written.
    pub fn open(given: &str, folder: Option<&Path>) -> Result<Llm, LlmError> {
        let wrong = |said: &str| LlmError::Spec {
            given: reply::brief(&crate::http::bare(given)),
            said: said.to_owned(),
        };
        let cache = || folder.map(Cache::open).transpose();
        match given.split_once(':') {
            None if given == "rules" => Ok(Llm::rules()),
            Some(("replay", model)) if !model.is_empty() => {
                let cache =
                    cache()?.ok_or_else(|| wrong("a replay needs a folder of kept answers"))?;
                let model = model.to_owned();
                Ok(Llm::new(Box::new(Replay { model }), Some(cache)))
            }
            Some(("endpoint", rest)) => {
                let (url, query) = rest.rsplit_once('?').unwrap_or((rest, ""));
                let settings = settings(query).map_err(|said| wrong(&said))?;
                let endpoint = Endpoint::open(url, &settings)?;
                Ok(Llm::new(Box::new(endpoint), cache()?))
            }
            _ => Err(wrong("no such provider")),
        }
    }

    /// Whose answers are taken; none when the rules do all.
    pub fn model(&self) -> Option<&str> {
        self.provider.model()
    }

    /// One item, now.
    pub fn item<T: Task>(
        &self,
        input: &T::Input,
        validate: Validate<'_, T>,
        stand_in: impl Fn(&T::Input) -> T::Output + Sync,
    ) -> Made<T::Output> {
        let one = std::slice::from_ref(input);
        match self.items::<T>(one, validate, &stand_in, &|_| true) {
            Ok(made) if made.len() == 1 => made.into_iter().next(),
            _ => None,
        }
        .unwrap_or_else(|| Made {
            value: stand_in(input),
            origin: by_rule(T::SPEC),
            failure: None,
        })
    }

    /// Many items, several at once; the result is in their order. `progress` hears how many are done, and stops the work
    /// by `false`.
    ///
    /// # Errors
    /// When it did.
    pub fn items<T: Task>(
        &self,
        inputs: &[T::Input],
        validate: Validate<'_, T>,
        stand_in: impl Fn(&T::Input) -> T::Output + Sync,
        progress: &dyn Fn(usize) -> bool,
    ) -> Result<Vec<Made<T::Output>>, Cancelled> {
        let mut work = Work::<T>::new(self, inputs, validate, progress);
        work.ask();
        work.stand_in(&stand_in);
        work.finish();
        match work.stopped {
            true => Err(Cancelled),
            false => Ok(work.made.into_iter().flatten().collect()),
        }
    }

    /// What the model answers to items that no rule could; the result is in their order.
    ///
    /// # Errors
    /// When `progress`, which hears how many are done, stops the work by `false`.
    pub fn answers<T: Task>(
        &self,
        inputs: &[T::Input],
        progress: &dyn Fn(usize) -> bool,
    ) -> Result<Vec<Answered<T>>, Cancelled> {
        let mut work = Work::<T>::new(self, inputs, &any, progress);
        work.ask();
        work.finish();
        if work.stopped {
            return Err(Cancelled);
        }
        let lacking = work.failures.into_iter();
        let lacking = lacking.map(|failure| failure.unwrap_or(Failure::NoModel));
        let made = work.made.into_iter().zip(lacking);
        Ok(made.map(|(made, failure)| made.ok_or(failure)).collect())
    }

    /// A person asks anew: a server that was given up on is tried once more.
    pub fn again(&self) {
        self.provider.again();
    }

    /// What [`Llm::items`] would ask, before it is asked.
    pub fn estimate<T: Task>(&self, inputs: &[T::Input]) -> Estimate {
        let mut estimate = Estimate {
            items: inputs.len(),
            ..Estimate::default()
        };
        let Some(model) = self.model() else {
            return estimate;
        };
        let around = T::SPEC.around();
        let mut keys = std::collections::BTreeSet::new();
        for given in inputs {
            let input = serde_json::to_value(given).unwrap_or_default();
            let key = Key::new(model, T::SPEC, &input);
            let kept = self.cache.as_ref().is_some_and(|cache| cache.has(&key));
            if kept || !keys.insert(key) {
                estimate.kept += 1;
            } else {
                estimate.calls += 1;
                estimate.input_tokens += count::tokens(around + input.to_string().len());
                estimate.output_tokens += T::expected(given);
            }
        }
        estimate
    }

    /// What was asked so far, by task name.
    pub fn counters(&self) -> Vec<(&'static str, Counters)> {
        let counters = self.counters.lock().unwrap_or_else(PoisonError::into_inner);
        counters
            .iter()
            .map(|(name, c)| (*name, c.clone()))
            .collect()
    }
}

fn by_rule(spec: &Spec) -> Origin {
    Origin::Rule {
        task: spec.name.into(),
        version: spec.version,
    }
}

fn settings(query: &str) -> Result<Settings, String> {
    let mut settings = Settings::default();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let number = || match value.parse::<usize>() {
            Ok(number) if number > 0 => Ok(number),
            _ => Err(format!("`{name}={value}`, expected a whole number above 0")),
        };
        match name {
            "model" => settings.model = value.to_owned(),
            "key_env" => settings.key_env = Some(value.to_owned()),
            "timeout" => settings.timeout = Some(Duration::from_secs(number()? as u64)),
            "concurrency" => settings.concurrency = Some(number()?),
            "max_tokens" => settings.max_tokens = Some(number()?),
            _ => return Err(format!("no setting `{name}`")),
        }
    }
    Ok(settings)
}

#[cfg(test)]
pub(crate) mod server;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_many;
