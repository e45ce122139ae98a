//! Who may answer a task in place of its stand-in: nobody, a cache of earlier answers, or a server.

use super::reply::Tokens;
use super::task::Spec;
use serde_json::Value;

/// One thing asked.
#[derive(Clone, Debug)]
pub struct Prompt {
    pub spec: &'static Spec,
    pub input: Value,
}

/// Why an item has no answer of a model and takes the stand-in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    #[error("no language model is named")]
    NoModel,
    /// There is no context to answer from.
    #[error("nothing was found to answer from")]
    NothingFound,
    #[error("no answer is kept for it")]
    NotKept,
    #[error("{0}")]
    Unreachable(String),
    #[error("{0}")]
    Refused(String),
    #[error("no valid answer: {0}")]
    Invalid(String),
    /// What was asked, or the answer, does not fit the model, and could not be made smaller.
    #[error("{0}")]
    TooLong(String),
    /// Not asked at all, after what the text says.
    #[error("not asked: {0}")]
    GaveUp(String),
}

impl Failure {
    /// What a person can do about it; a server that cannot be reached says so itself.
    pub fn remedy(&self) -> Option<&'static str> {
        match self {
            Failure::NoModel => Some("name one with --llm endpoint:URL?model=NAME"),
            Failure::NotKept => Some("name its server with --llm endpoint:URL?model=NAME to ask"),
            Failure::Invalid(_) => {
                Some("a server that decodes by a JSON schema, or a larger model, helps")
            }
            Failure::TooLong(_) => Some(
                "allow longer answers with &max_tokens=N, or name a model with a larger context",
            ),
            Failure::NothingFound
            | Failure::Unreachable(_)
            | Failure::Refused(_)
            | Failure::GaveUp(_) => None,
        }
    }

    /// With the remedy, in one line.
    pub fn told(&self) -> String {
        match self.remedy() {
            Some(remedy) => format!("{self}; {remedy}"),
            None => self.to_string(),
        }
    }
}

/// What answering one prompt took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Requests sent, repeated ones too.
    pub requests: u64,
    pub tokens: Tokens,
}

/// Prompts under way: takes what comes, in any order.
pub trait Job {
    /// Takes an answer to prompt `i`, if it is a valid one.
    ///
    /// # Errors
    /// What is wrong with it, to be told to the model.
    fn take(&mut self, i: usize, answer: Value) -> Result<(), String>;

    /// Prompt `i` is done with, answered unless there is a failure.
    fn done(&mut self, i: usize, usage: Usage, failure: Option<Failure>);

    /// Asked often; false stops the work.
    fn go_on(&mut self) -> bool;
}

/// A way to answer prompts. Vectors have a seam of their own, [`Encoder`](crate::embed::Encoder).
pub trait Provider: Send + Sync {
    /// Whose answers these are; none when no model answers.
    fn model(&self) -> Option<&str>;

    /// Answers the prompts: every one is [`Job::done`] once, unless the job stops.
    fn generate(&self, prompts: &[Prompt], job: &mut dyn Job);

    /// A person asks anew: whoever was given up on is tried once more.
    fn again(&self) {}
}

/// No model: everything is left to the stand-ins.
#[derive(Clone, Copy, Debug)]
pub struct Rules;

impl Provider for Rules {
    fn model(&self) -> Option<&str> {
        None
    }

    fn generate(&self, prompts: &[Prompt], job: &mut dyn Job) {
        unanswered(prompts, job);
    }
}

/// A model whose kept answers are used and who is not asked again.
#[derive(Clone, Debug)]
pub struct Replay {
    pub model: String,
}

impl Provider for Replay {
    fn model(&self) -> Option<&str> {
        Some(&self.model)
    }

    fn generate(&self, prompts: &[Prompt], job: &mut dyn Job) {
        unanswered(prompts, job);
    }
}

fn unanswered(prompts: &[Prompt], job: &mut dyn Job) {
    (0..prompts.len()).for_each(|i| job.done(i, Usage::default(), Some(Failure::NotKept)));
}
