//! Many items of one task under way: kept answers, answers as they come, stand-ins for the rest.

use super::cache::Key;
use super::provider::{Failure, Job, Prompt, Usage};
use super::task::Task;
use super::{Counters, Llm, Made, Origin, Validate, by_rule, reply};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use serde_json::Value;
use std::sync::{Arc, PoisonError};
use std::time::Instant;

/// Stand-ins run in parallel on so many items between two looks at the progress callback.
const CHUNK: usize = 256;

/// One call of [`Llm::items`] under way.
pub(super) struct Work<'w, T: Task> {
    llm: &'w Llm,
    inputs: &'w [T::Input],
    validate: Validate<'w, T>,
    progress: &'w dyn Fn(usize) -> bool,
    model: Arc<str>,
    keys: Vec<Key>,
    /// Items that ask the very same as an earlier one, and which.
    same: Vec<(usize, usize)>,
    /// The item of each prompt.
    asked: Vec<usize>,
    pub(super) made: Vec<Option<Made<T::Output>>>,
    pub(super) failures: Vec<Option<Failure>>,
    finished: usize,
    pub(super) stopped: bool,
    counters: Counters,
    begun: Instant,
}

impl<'w, T: Task> Work<'w, T> {
    pub(super) fn new(
        llm: &'w Llm,
        inputs: &'w [T::Input],
        validate: Validate<'w, T>,
        progress: &'w dyn Fn(usize) -> bool,
    ) -> Work<'w, T> {
        Work {
            llm,
            inputs,
            validate,
            progress,
            model: llm.model().unwrap_or_default().into(),
            keys: Vec::new(),
            same: Vec::new(),
            asked: Vec::new(),
            made: inputs.iter().map(|_| None).collect(),
            failures: vec![None; inputs.len()],
            finished: 0,
            stopped: false,
            counters: Counters {
                items: inputs.len() as u64,
                ..Counters::default()
            },
            begun: Instant::now(),
        }
    }

    /// Takes what is kept and asks for the rest, where there is a model.
    pub(super) fn ask(&mut self) {
        if self.model.is_empty() {
            return;
        }
        let prompts = self.prompts();
        if !self.stopped && !prompts.is_empty() {
            self.llm.provider.generate(&prompts, self);
            self.ask_parts();
        }
        self.share();
        let first = self.failures.iter().flatten().next();
        self.counters.first_failure = first.map(Failure::told);
    }

    /// What was too long is asked again in parts, and these in parts of theirs while they can be made smaller.
    fn ask_parts(&mut self) {
        let too_long = |i: &usize| matches!(self.failures[*i], Some(Failure::TooLong(_)));
        let long = self.asked.iter().copied().filter(too_long);
        let (mut wholes, mut inputs) = (Vec::new(), Vec::new());
        for i in long {
            let parts = T::parts(&self.inputs[i]);
            if !parts.is_empty() {
                wholes.push((i, parts.len()));
                inputs.extend(parts);
            }
        }
        if wholes.is_empty() || self.stopped {
            return;
        }
        let (progress, finished) = (self.progress, self.finished);
        let go_on = |_| progress(finished);
        let mut work = Work::<T>::new(self.llm, &inputs, self.validate, &go_on);
        work.ask();
        self.stopped |= work.stopped;
        self.counters.add(&Counters {
            items: 0,
            hits: 0,
            parted: wholes.len() as u64,
            failures: 0,
            first_failure: None,
            ..work.counters
        });
        let mut parts = work.made.into_iter().zip(work.failures);
        for (i, count) in wholes {
            let (made, failures): (Vec<_>, Vec<_>) = parts.by_ref().take(count).unzip();
            let outputs = made.into_iter().map(|made| Some(made?.value));
            let joined = outputs
                .collect::<Option<Vec<T::Output>>>()
                .and_then(|parts| {
                    parts.into_iter().reduce(|mut whole, next| {
                        T::join(&mut whole, next);
                        whole
                    })
                });
            let taken =
                joined.map(|whole| self.keep(i, serde_json::to_value(whole).unwrap_or_default()));
            self.failures[i] = match taken {
                Some(Ok(())) => {
                    self.counters.failures -= 1;
                    None
                }
                Some(Err(said)) => Some(Failure::Invalid(said)),
                None => failures
                    .into_iter()
                    .flatten()
                    .next()
                    .or(self.failures[i].take()),
            };
        }
    }

    /// Counts what it all took.
    pub(super) fn finish(&mut self) {
        if self.inputs.is_empty() {
            return;
        }
        self.counters.seconds = self.begun.elapsed().as_secs_f64();
        let counters = &self.llm.counters;
        let mut counters = counters.lock().unwrap_or_else(PoisonError::into_inner);
        counters
            .entry(T::SPEC.name)
            .or_default()
            .add(&self.counters);
    }

    /// Takes what is kept and gives what is to be asked, each thing once.
    fn prompts(&mut self) -> Vec<Prompt> {
        let mut prompts = Vec::new();
        let mut first: FxHashMap<Key, usize> = FxHashMap::default();
        for i in 0..self.inputs.len() {
            if !self.go_on() {
                break;
            }
            // Inputs are plain structs of text and numbers: this cannot fail.
            let input = serde_json::to_value(&self.inputs[i]).unwrap_or_default();
            let key = Key::new(&self.model, T::SPEC, &input);
            self.keys.push(key.clone());
            if let Some(earlier) = first.get(&key) {
                self.same.push((i, *earlier));
                continue;
            }
            first.insert(key.clone(), i);
            let cache = self.llm.cache.as_ref();
            let kept = cache.and_then(|cache| cache.get(&self.model, T::SPEC, &key));
            // What an older program kept may no longer be valid: then it is asked again.
            if let Some(Ok((output, _))) = kept.map(|value| self.valid(i, value)) {
                self.counters.hits += 1;
                self.put(i, output);
                continue;
            }
            self.asked.push(i);
            prompts.push(Prompt {
                spec: T::SPEC,
                input,
            });
        }
        prompts
    }

    fn valid(&self, i: usize, value: Value) -> Result<(T::Output, usize), String> {
        let input = &self.inputs[i];
        let (value, dropped) = (T::SPEC.schema)().mend(reply::cleaned(value))?;
        let mut output: T::Output = serde_json::from_value(value).map_err(|e| e.to_string())?;
        let pieces = dropped.pieces + T::mend(input, &mut output);
        let checked = T::check(input, &output).and_then(|()| (self.validate)(input, &output));
        match (checked, dropped.first) {
            (Ok(()), _) => Ok((output, pieces)),
            // What was left out may be all there was.
            (Err(said), Some(first)) => Err(format!("{said}; {first}")),
            (Err(said), None) => Err(said),
        }
    }

    /// Takes an answer to item `i`, and keeps it for the next time.
    fn keep(&mut self, i: usize, answer: Value) -> Result<(), String> {
        let (output, dropped) = self.valid(i, answer)?;
        self.counters.dropped += dropped as u64;
        if let Some(cache) = &self.llm.cache {
            let value = serde_json::to_value(&output).unwrap_or_default();
            let kept = cache.put(&self.model, T::SPEC, &self.keys[i], &value);
            self.counters.unkept += u64::from(kept.is_err());
        }
        self.put(i, output);
        Ok(())
    }

    fn put(&mut self, i: usize, value: T::Output) {
        let origin = Origin::Llm {
            model: self.model.clone(),
            task: T::SPEC.name.into(),
            version: T::SPEC.version,
        };
        self.made[i] = Some(Made {
            value,
            origin,
            failure: None,
        });
        self.finished += 1;
    }

    /// Gives items that ask the same as another its answer or its failure.
    fn share(&mut self) {
        for (i, earlier) in std::mem::take(&mut self.same) {
            let answer = self.made[earlier].as_ref();
            // Outputs are not all clonable; through JSON every one is.
            let copy = answer.and_then(|m| serde_json::to_value(&m.value).ok());
            match copy.and_then(|value| serde_json::from_value(value).ok()) {
                Some(value) => {
                    self.counters.hits += 1;
                    self.put(i, value);
                }
                None => self.failures[i] = self.failures[earlier].clone(),
            }
        }
    }

    /// Lets the rules answer what has no answer.
    pub(super) fn stand_in(&mut self, stand_in: &(impl Fn(&T::Input) -> T::Output + Sync)) {
        if self.stopped {
            return;
        }
        let open: Vec<usize> = (0..self.made.len())
            .filter(|i| self.made[*i].is_none())
            .collect();
        let inputs = self.inputs;
        for chunk in open.chunks(CHUNK) {
            let values: Vec<T::Output> = chunk.par_iter().map(|i| stand_in(&inputs[*i])).collect();
            for (i, value) in chunk.iter().zip(values) {
                let failure = self.failures[*i].take();
                self.counters.fallbacks += u64::from(failure.is_some());
                self.made[*i] = Some(Made {
                    value,
                    origin: by_rule(T::SPEC),
                    failure,
                });
            }
            self.finished += chunk.len();
            if !self.go_on() {
                return;
            }
        }
    }
}

impl<T: Task> Job for Work<'_, T> {
    fn take(&mut self, i: usize, answer: Value) -> Result<(), String> {
        self.keep(self.asked[i], answer)
            .inspect_err(|_| self.counters.invalid += 1)
    }

    fn done(&mut self, i: usize, usage: Usage, failure: Option<Failure>) {
        self.counters.calls += usage.requests;
        self.counters.prompt_tokens += usage.tokens.prompt;
        self.counters.completion_tokens += usage.tokens.completion;
        self.counters.failures += u64::from(failure.is_some());
        self.failures[self.asked[i]] = failure;
    }

    fn go_on(&mut self) -> bool {
        self.stopped = self.stopped || !(self.progress)(self.finished);
        !self.stopped
    }
}
