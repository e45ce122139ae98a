//! What asking took, and what it would take.

use serde::Serialize;
use std::fmt;

/// What the items of one task took so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Counters {
    /// Items of the task.
    pub items: u64,
    /// Requests sent, repeated ones too.
    pub calls: u64,
    /// Items whose answer was kept, or the same as another item's.
    pub hits: u64,
    /// As the server counts them.
    pub prompt_tokens: u64,
    /// Of the answers, likewise.
    pub completion_tokens: u64,
    /// Answers that were not valid; one is asked again.
    pub invalid: u64,
    /// Malformed pieces dropped from valid answers.
    pub dropped: u64,
    /// Items that were too long for the model and were asked in parts.
    pub parted: u64,
    /// Prompts without a valid answer.
    pub failures: u64,
    /// What was wrong with the first, and what to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_failure: Option<String>,
    /// Items that a model should have answered and the stand-in did.
    pub fallbacks: u64,
    /// Answers that could not be written to the folder of kept ones.
    pub unkept: u64,
    /// Wall time.
    pub seconds: f64,
}

/// In one line; what is zero is left out but calls and answers kept.
impl fmt::Display for Counters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} items: {} answers kept, {} calls, {} + {} tokens",
            self.items, self.hits, self.calls, self.prompt_tokens, self.completion_tokens
        )?;
        for (count, what) in [
            (self.invalid, "invalid answers"),
            (self.dropped, "pieces dropped"),
            (self.parted, "asked in parts"),
            (self.failures, "failures"),
            (self.fallbacks, "fallbacks to the rules"),
            (self.unkept, "answers not kept"),
        ] {
            if count > 0 {
                write!(f, ", {count} {what}")?;
            }
        }
        write!(f, ", {:.2} s", self.seconds)
    }
}

impl Counters {
    /// What was asked and had no answer at all, among everything that was.
    pub fn nothing_answered(&self) -> bool {
        self.items > 0 && self.fallbacks == self.items
    }

    pub fn add(&mut self, other: &Counters) {
        self.items += other.items;
        self.calls += other.calls;
        self.hits += other.hits;
        self.prompt_tokens += other.prompt_tokens;
        self.completion_tokens += other.completion_tokens;
        self.invalid += other.invalid;
        self.dropped += other.dropped;
        self.parted += other.parted;
        self.failures += other.failures;
        if self.first_failure.is_none() {
            self.first_failure.clone_from(&other.first_failure);
        }
        self.fallbacks += other.fallbacks;
        self.unkept += other.unkept;
        self.seconds += other.seconds;
    }
}

/// What a build would ask of a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Estimate {
    pub items: usize,
    /// Items whose answer is kept, or the same as another item's.
    pub kept: usize,
    pub calls: usize,
    /// Of all calls, roughly: four bytes a token, with the task's schema as often as it is sent.
    pub input_tokens: u64,
    /// Of all answers, as long as those of the task usually are.
    pub output_tokens: u64,
}

impl std::ops::AddAssign for Estimate {
    fn add_assign(&mut self, other: Estimate) {
        self.items += other.items;
        self.kept += other.kept;
        self.calls += other.calls;
        self.input_tokens += other.input_tokens;
        self.output_tokens += other.output_tokens;
    }
}

/// Tokens of so many bytes, roughly, without the model's tokenizer.
pub(super) fn tokens(bytes: usize) -> u64 {
    bytes.div_ceil(4) as u64
}

impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mean = |tokens: u64| tokens / self.calls.max(1) as u64;
        write!(
            f,
            "{} items: {} answers kept, {} calls of about {} + {} tokens, {} + {} together",
            self.items,
            self.kept,
            self.calls,
            mean(self.input_tokens),
            mean(self.output_tokens),
            self.input_tokens,
            self.output_tokens
        )
    }
}
