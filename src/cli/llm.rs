//! `--llm`: who answers what published systems ask a language model, and what it took.

use super::ConditionFailed;
use super::named::Named;
use crate::explorer::store;
use crate::index::Index;
use crate::llm::{Announce, Counters, Failure, Llm, Task};
use anyhow::{Context, Result, bail};
use clap::Args;
use serde::Serialize;
use std::path::PathBuf;
use std::sync::Arc;

#[derive(Clone, Debug, Default, Args)]
pub struct LlmArgs {
    /// Language model for summaries, extraction, plans and answers: rules (default), replay:MODEL, or
    /// endpoint:URL?model=NAME with &key_env=VARIABLE, &timeout=SECONDS, &concurrency=N, &max_tokens=N. Rules fill in
    /// wherever the model gives no valid answer.
    #[arg(long, value_name = "SPEC")]
    llm: Option<String>,
    /// Cache for model answers, reused and read by replay. Default: the user cache folder.
    #[arg(long, value_name = "FOLDER", requires = "llm")]
    llm_cache: Option<PathBuf>,
}

impl LlmArgs {
    /// Opens what was named; none where nothing was.
    pub fn open(&self) -> Result<Option<Arc<Llm>>> {
        let Some(spec) = &self.llm else {
            return Ok(None);
        };
        let own = || store::cache_folder().map(|folder| folder.join("answers"));
        let folder = self.llm_cache.clone().or_else(own);
        let llm = Llm::open(spec, folder.as_deref()).context("--llm")?;
        Ok(Some(Arc::new(llm)))
    }

    /// Fails where an option needs a model and none is named.
    pub fn required(&self, option: &str) -> Result<()> {
        match self.llm.as_deref() {
            None | Some("rules") => bail!("{option}: {}", Failure::NoModel.told()),
            Some(_) => Ok(()),
        }
    }

    /// Opens it for an index. Nothing is announced: a question asks little, and the explorer has the screen.
    pub fn of(&self, index: &Index) -> Result<()> {
        if let Some(llm) = self.open()? {
            index.think_with(llm);
        }
        Ok(())
    }
}

/// Says what was asked, on stderr; nothing where no model was named.
pub fn report(llm: &Llm) {
    report_where(llm, |_| true);
}

/// The same of one task.
pub fn report_of<T: Task>(llm: &Llm) {
    report_where(llm, |task| task == T::SPEC.name);
}

fn report_where(llm: &Llm, wanted: impl Fn(&str) -> bool) {
    let Some(model) = llm.model() else {
        return;
    };
    for (task, counters) in llm.counters().into_iter().filter(|(task, _)| wanted(task)) {
        note!("{task} by {model}: {counters}");
        if let Some(why) = counters.first_failure {
            note!("  the first failure: {why}");
        }
    }
}

/// Says what is going to be asked, on stderr.
pub fn announce() -> Announce {
    Box::new(|task, estimate| note!("{task}: {estimate}"))
}

/// Says what to do where a build fell back to the rules.
///
/// # Errors
/// When it did so for everything a model was asked: then it is not what the person wanted.
pub fn answered(llm: &Llm) -> Result<()> {
    let Some(model) = llm.model() else {
        return Ok(());
    };
    let mut all = Counters::default();
    for (_, counters) in llm.counters() {
        all.add(&counters);
    }
    let (fallbacks, items) = (all.fallbacks, all.items);
    let again = "run again: kept answers are reused";
    if all.nothing_answered() {
        let said = format!(
            "{model} answered none of {items} items, so rules made them all; fix the error above, then {again}"
        );
        return Err(ConditionFailed(said).into());
    }
    if fallbacks > 0 {
        note!(
            "hopscope: the rules made {fallbacks} of {items} items in the place of {model}; to ask for those alone, {again}"
        );
    }
    Ok(())
}

/// Requests to the language model.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Asked {
    /// Its name.
    model: String,
    /// By task.
    tasks: Named<Counters>,
}

/// The same for `--json`; none where no model was named.
pub fn asked(llm: &Llm) -> Option<Asked> {
    Some(Asked {
        model: llm.model()?.to_owned(),
        tasks: llm.counters().into_iter().collect(),
    })
}
