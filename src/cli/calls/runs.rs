//! The words of a request: a RUN as the command line writes it, but one that opens no file; a question; a passage.

use super::Session;
use super::address::named;
use super::refusal::Refusal;
use crate::cli::How;
use crate::corpus::Question;
use crate::explorer::lack::lacks;
use crate::index::Index;
use crate::parameters::{Parameter, RANKER, RESULT_K};
use crate::retrieve::{Change, METHODS, PRESETS, Presets, Retrieval, Settings};
use crate::spelling::meant;
use serde::Deserialize;
use std::path::Path;

/// How a RUN is written.
const RUN: &str = "a RUN is METHOD[@PARAMETER=VALUE]..., such as hop@ranker=off; open_status lists the methods that run here";

/// Which run a request means.
#[derive(Default, Deserialize)]
pub struct Asked {
    pub method: Option<String>,
    pub k: Option<usize>,
    #[serde(default)]
    pub changes: Vec<Change>,
}

impl Asked {
    /// The settings of the run, with what it is called; without a RUN the default method of the index.
    ///
    /// # Errors
    /// See [`settings`].
    pub fn settings(&self, session: &Session) -> Result<(String, Settings), Refusal> {
        let (name, settings) = settings(session, self.method.as_deref(), self.k)?;
        let changes = self.changes.iter();
        Ok((
            name,
            changes.fold(settings, |settings, change| change.applied(&settings)),
        ))
    }
}

/// Changes of seeds and of the graph that had nothing to change, with the reason; none where all had.
pub fn no_effect(run: &Retrieval) -> Option<Vec<String>> {
    let method = run.settings.method();
    let seeds = run.edits();
    let seeds = seeds.iter().filter(|edit| !edit.applied).map(|edit| {
        let why = match (method.ignores_edits(), edit.node) {
            (Some(why), _) => why,
            (None, None) => "no such node in this graph",
            (None, Some(_)) => "not a seed of this question; add it with +NAME",
        };
        format!("{}: {why}", edit.edit)
    });
    let edits = run.graph_edits();
    let edits = edits.iter().filter_map(|edited| {
        let why = method.ignores_graph_edits();
        let why = why.or_else(|| edited.idle.as_ref().map(ToString::to_string))?;
        Some(format!("{}: {why}", edited.edit))
    });
    let all: Vec<String> = seeds.chain(edits).collect();
    (!all.is_empty()).then_some(all)
}

/// The settings of a RUN, with what it is called; without one the default method of the index.
///
/// # Errors
/// An unknown method, parameter or value; a method that the index lacks something for; the path of a file.
pub fn settings(
    session: &Session,
    run: Option<&str>,
    k: Option<usize>,
) -> Result<(String, Settings), Refusal> {
    let run = run.map(str::trim).filter(|run| !run.is_empty());
    run.map_or(Ok(()), |run| known(run, session.files))?;
    let named = How::default().named_among(&Presets::default(), run);
    let (name, mut settings) = named.map_err(|said| Refusal::new(said.to_string(), RUN))?;
    if let Some(k) = k {
        let set = settings.set_text(&format!("{}={k}", RESULT_K.id().id()));
        set.map_err(|said| Refusal::new(said, "k is the number of passages to return"))?;
    }
    settings.adopt(&session.index);
    let method = settings.method();
    if let Some(missing) = lacks(&session.facts, &session.index.layers(), method) {
        let said = format!("method {} {}", method.name, missing.reason(&session.facts));
        return Err(Refusal::new(said, RUN).options(session.runs().map(|m| &*m.name)));
    }
    let name = match run {
        Some(_) => name,
        None => method.name.to_string(),
    };
    Ok((name, settings))
}

/// Fails where a RUN names no method, and, unless it may, where it would read a file: the run of another program, a ranker.
fn known(run: &str, files: bool) -> Result<(), Refusal> {
    let (head, own) = run.split_once('@').unwrap_or((run, ""));
    let method = head
        .split_once('=')
        .map_or(head, |(_, method)| method)
        .trim();
    let file = files && Path::new(method).exists();
    let known = METHODS.iter().any(|m| m.name == method) || method.contains('>') || file;
    if !known && !PRESETS.iter().any(|preset| preset.name == method) {
        let names: Vec<&str> = METHODS.iter().map(|m| &*m.name).collect();
        let near = meant(method, &names);
        let hint = match near {
            Some(near) => format!("did you mean {near}? {RUN}"),
            None => RUN.to_owned(),
        };
        let others = names.into_iter().filter(|name| Some(*name) != near);
        let error = format!("no method '{method}'");
        return Err(Refusal::new(error, hint).options(near.into_iter().chain(others)));
    }
    for assignment in own.split('@') {
        let Some((name, value)) = assignment.split_once('=') else {
            continue;
        };
        let parameter = Parameter::named(name).ok();
        if !files && parameter == Some(RANKER.id()) && RANKER.id().parse(value).is_err() {
            let error = format!("ranker={value}: this server opens no file");
            return Err(
                Refusal::new(error, "name one of the shipped choices").options(["shipped", "off"])
            );
        }
    }
    Ok(())
}

/// A question by its text, or by its identifier in the set, with its gold where it is of the set.
///
/// # Errors
/// An empty question.
pub fn question<'a>(
    session: &'a Session,
    said: &'a str,
) -> Result<(&'a str, Option<&'a Question>), Refusal> {
    let said = said.trim();
    if said.is_empty() {
        let hint = "pass a text, or the identifier of a question of the set";
        return Err(Refusal::new("the question is empty", hint));
    }
    let known = session.index.question(said);
    Ok((known.map_or(said, |question| &question.text), known))
}

/// A passage by its identifier, with or without `#`, or by the address of its resource.
///
/// # Errors
/// No passage has it; with the identifiers that come near.
pub fn passage(session: &Session, said: &str) -> Result<u32, Refusal> {
    session.read(|index| find(index, said))?
}

fn find(index: &Index, said: &str) -> Result<u32, Refusal> {
    let id = named(said.trim());
    let id = id.trim_start_matches('#');
    if let Some(passage) = index.passage_by_id(id) {
        return Ok(passage);
    }
    let mut all = index.passages().sorted.to_vec();
    all.sort_unstable();
    let wanted = id.to_lowercase();
    let titled = all.iter().copied().filter(|p| {
        let title = index.title(*p).to_lowercase();
        !title.is_empty() && !wanted.is_empty() && (title.contains(&wanted))
    });
    let ids: Vec<&str> = all.iter().map(|p| index.id(*p)).collect();
    let near = meant(id, &ids);
    let titled = titled.map(|p| index.id(p)).filter(|id| Some(*id) != near);
    let near: Vec<&str> = near.into_iter().chain(titled).take(5).collect();
    let hint = "ask returns the ids of passages; evaluate those of missed gold";
    Err(Refusal::new(format!("no passage has the id '{id}'"), hint).options(near))
}
