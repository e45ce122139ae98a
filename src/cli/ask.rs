//! `hopscope ask` and `hopscope trace`: one question.

use super::figures::{known, number, score};
use super::grid::{Grid, cells};
use super::hits::Hits;
use super::llm::{report, report_of};
use super::load::{Aim, load_runs, set_top};
use super::named::Named;
use super::patch::unapplied_graph;
use super::{
    ConditionFailed, How, Lossy, Opening, Reading, elsewhere, index_and_question, say, write_file,
};
use crate::explain::{
    self, Format, Trace,
    trace::{Opened, Start, seeds, spelled_out},
};
use crate::index::Index;
use crate::index::published::Spent;
use crate::layers::GraphEdited;
use crate::llm::task;
use crate::output;
use crate::retrieve::elsewhere::Purpose;
use crate::retrieve::{
    self, Confidence, Edited, Hit, Keep, Origin, Reranked, Retrieval, Retriever, Settings, reading,
};
use crate::text::figures::milliseconds;
use crate::text::span;
use anyhow::{Context, Result};
use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use serde::Serialize;
use serde_json::json;
use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

#[derive(Debug, Args)]
pub struct AskArgs {
    /// [INDEX] QUESTION: an index folder or a corpus (default: the sample), and the question, by its text or its id
    /// in the set.
    #[arg(required = true, num_args = 1..=2, value_names = ["INDEX", "QUESTION"])]
    words: Vec<OsString>,
    #[command(flatten)]
    how: How,
    /// Passages to return (same as --set result_k=K).
    #[arg(long, short = 'k', value_name = "K")]
    top: Option<usize>,
    #[command(flatten)]
    opening: Opening,
    /// Print one JSON object.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub struct AnswerArgs {
    #[command(flatten)]
    ask: AskArgs,
    /// List the parts of every score.
    #[arg(long)]
    why: bool,
    #[command(flatten)]
    lossy: Lossy,
    /// Let the --llm model answer from the retrieved context and cite passages. Exits with 1 if there is no answer.
    #[arg(long)]
    answer: bool,
}

#[derive(Debug, Args)]
pub struct TraceArgs {
    #[command(flatten)]
    ask: AskArgs,
    #[command(flatten)]
    lossy: Lossy,
    #[arg(
        long = "as",
        value_enum,
        value_name = "FORM",
        conflicts_with = "json",
        help = forms(),
        hide_possible_values = true
    )]
    form: Option<Form>,
    /// Write it to this file instead of standard output.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// How a trace is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Text,
    Json,
    Graph(Format),
}

/// The forms before those of the traced graph.
const PLAIN: usize = 2;
static FORMS: [Form; PLAIN + Format::ALL.len()] = {
    let mut forms = [Form::Text; PLAIN + Format::ALL.len()];
    forms[1] = Form::Json;
    let mut at = 0;
    while at < Format::ALL.len() {
        forms[PLAIN + at] = Form::Graph(Format::ALL[at]);
        at += 1;
    }
    forms
};

impl ValueEnum for Form {
    fn value_variants<'a>() -> &'a [Form] {
        &FORMS
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(match self {
            Form::Text => "text",
            Form::Json => "json",
            Form::Graph(format) => format.name(),
        }))
    }
}

/// The forms in one paragraph: a line for each would turn the help of 'trace' into clap's long layout.
fn forms() -> String {
    let graphs = Format::ALL.map(|format| format!("{} ({})", format.name(), format.about()));
    format!(
        "Output: text, json, or the traced graph: {}. Default: what the ending of --out says, else text",
        graphs.join(", ")
    )
}

impl TraceArgs {
    /// The form that was named, else the one that the file's name ends in. The graph as JSON is never meant by an ending:
    /// the whole trace is JSON too.
    fn form(&self) -> Result<Form> {
        let named = match self.ask.json {
            true => Some(Form::Json),
            false => self.form,
        };
        let (None, Some(out)) = (named, &self.out) else {
            return Ok(named.unwrap_or(Form::Text));
        };
        let ending = out.extension().unwrap_or_default().to_string_lossy();
        let known = |form: &&Form| match form {
            Form::Text => ending == "txt",
            Form::Json => ending == "json",
            Form::Graph(format) => *format != Format::NodeLink && ending == format.ending(),
        };
        FORMS.iter().find(known).copied().with_context(|| {
            let out = out.display();
            format!("--out: the ending of '{out}' is no format; name one with --as")
        })
    }
}

impl AskArgs {
    /// Opens the index, and gives what is asked under which settings.
    pub(super) fn opened(&self, aim: Aim) -> Result<(Arc<Index>, String, Settings)> {
        let (path, question) = index_and_question(&self.words)?;
        let (how, opening) = (&self.how, &self.opening);
        let (index, _, mut all) = load_runs(path, &[], how, self.top, opening, aim)?;
        let known = index.question(question);
        let question = known.map_or(question, |known| &known.text).to_owned();
        Ok((index, question, all.remove(0)))
    }

    /// Answers the question of an index that may lie in a database, with what it cost there. What of the settings changed
    /// nothing is said on stderr.
    fn run(
        &self,
        purpose: Purpose,
        lossy: Lossy,
    ) -> Result<(Arc<Index>, Retrieval, Option<Spent>)> {
        let keep = match purpose {
            Purpose::Trace => Keep::States,
            Purpose::Answer => Keep::Scores,
        };
        let (path, question) = index_and_question(&self.words)?;
        let reading = Reading {
            lossy,
            ..self.opening.reading.clone()
        };
        let mut settings = self.how.settings(None)?;
        set_top(&mut settings, self.top)?;
        let Some(rows) = elsewhere::rows(path, &reading, &mut settings)? else {
            let (index, question, settings) = self.opened(Aim::Whole)?;
            let retrieval = Retriever::new(index.clone()).retrieve(&question, &settings, keep);
            report(&index.llm());
            let retrieval = retrieval?;
            warn(&index, &retrieval);
            return Ok((index, retrieval, None));
        };
        let fetched = retrieve::elsewhere::retrieve(&*rows, question, &settings, (keep, purpose))?;
        let (index, retrieval) = (fetched.numbered.index, fetched.run);
        self.opening.thinking.of(&index)?;
        warn(&index, &retrieval);
        let lost = fetched.lost;
        if let Some(lost) = &lost {
            note!("hopscope: {}", elsewhere::lost(lost));
        }
        let spent = rows.spent().unwrap_or_default();
        Ok((index, retrieval, Some(Spent { lost, ..spent })))
    }
}

/// Says what of the settings changed nothing, and that nothing of the question is known.
pub(super) fn warn(index: &Index, retrieval: &Retrieval) {
    unapplied(retrieval);
    idle(&retrieval.settings);
    if let Some(why) = retrieval.unrecognised(index) {
        note!("hopscope: {why}");
    }
}

/// Says which changes of seeds and of the graph had nothing to change.
fn unapplied(retrieval: &Retrieval) {
    let method = retrieval.settings.method();
    if let Some(why) = method.ignores_edits()
        && !retrieval.settings.seed_edits().is_empty()
    {
        let name = &method.name;
        note!("hopscope: {name} {why}, --seed changes nothing");
    }
    for edited in retrieval.edits().iter().filter(|e| !e.applied) {
        let why = match edited.node {
            None => "no such node in this graph",
            Some(_) => "not a seed of this question; add it with +NAME",
        };
        note!("hopscope: --seed '{}': {why}", edited.edit);
    }
    unapplied_graph(method, &retrieval.graph_edits());
}

/// Says which parameters that a person set change nothing beside the others.
pub fn idle(settings: &Settings) {
    for parameter in settings.method().uses() {
        if settings.origin(parameter) == Origin::User
            && let Some(why) = settings.idle(parameter)
        {
            note!("hopscope: --set {}: {why}", parameter.id());
        }
    }
}

pub fn ask(args: &AnswerArgs) -> Result<()> {
    if args.answer {
        args.ask.opening.thinking.required("--answer")?;
    }
    let (index, retrieval, spent) = args.ask.run(Purpose::Answer, args.lossy)?;
    let answer = args.answer.then(|| {
        let llm = index.llm();
        let made = reading::answer(&llm, &reading::Reading::of(&index, &retrieval), &|| true);
        report_of::<task::Answer>(&llm);
        made
    });
    let unanswered = match &answer {
        Some(Err(failure)) => Err(ConditionFailed(format!("no answer: {}", failure.told())).into()),
        _ => Ok(()),
    };
    let lost = spent.as_ref().and_then(|spent| spent.lost.as_ref());
    let confidence = retrieve::elsewhere::confidence(&index, &retrieval, lost);
    if args.ask.json {
        let mut asked = Asked::of(&index, &retrieval);
        asked.confidence = confidence;
        asked.database = spent;
        asked.answer = answer.map(|made| match made {
            Ok(answer) => Answered::of(&index, &retrieval, answer),
            Err(failure) => Answered::Failed {
                failure: failure.told(),
            },
        });
        super::print_json(&asked)?;
        return unanswered;
    }
    let mut out = output::text();
    Hits::of(&index, &retrieval).print(&mut out, args.why)?;
    if retrieval.top().is_empty() {
        say(retrieval.why_nothing());
    }
    if let Some(confidence) = confidence.filter(|own| args.why || own.doubtful()) {
        writeln!(out, "\n{}", confidence.sentence)?;
        if args.why {
            write!(out, "{}", parts(&confidence))?;
        }
    }
    if let Some(Ok(answer)) = &answer {
        let llm = index.llm();
        let model = llm.model().unwrap_or_default();
        writeln!(out, "\nanswer by {model}: {}", answer.text)?;
        for &p in &answer.cited {
            let rank = known(retrieval.rank(p), |rank| rank.to_string());
            writeln!(out, "{rank:>3}  {}  {}", index.id(p), index.headed(p))?;
        }
        if answer.beside {
            writeln!(out, "     and names and relations of the context")?;
        }
        if answer.cited.is_empty() && !answer.beside {
            writeln!(out, "     it names no passage that it used")?;
        }
    }
    if let Some(spent) = spent {
        note!("{spent}");
    }
    unanswered
}

/// What a confidence is made of, one part a line.
fn parts(confidence: &Confidence) -> Grid {
    let mut grid = Grid::new("     >9  <20  <");
    for part in &confidence.parts {
        grid.row(cells![score(part.value), part.label, part.why]);
    }
    grid
}

/// A question and the passages that were retrieved for it.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Asked<'a> {
    /// As it was asked.
    question: &'a str,
    /// Name of the method.
    method: &'a str,
    /// Preset that the settings started from.
    preset: Option<&'a str>,
    /// All parameters of the method.
    settings: &'a Settings,
    /// Re-ranker of the candidates; null where none ran.
    reranker: Option<&'a Reranked>,
    /// Seconds of each stage that ran; the sum where one ran several times.
    seconds: Named<f64>,
    /// Start of the search, heaviest first, at most 200 of a step.
    seeds: Vec<Start>,
    /// Returned passages, best first.
    passages: Vec<Passage<'a>>,
    /// How probably the answer is in the first five; null where the method has learned nothing of that.
    confidence: Option<Confidence>,
    /// That nothing of the question is known, and what to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    unrecognised: Option<&'static str>,
    /// Number of seeds beyond those listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    seeds_left_out: Option<usize>,
    /// Your changes of the seeds, and whether each had something to change.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    seed_edits: Vec<Edited>,
    /// Your changes of the graph.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    graph_edits: Vec<GraphEdited>,
    /// What the question cost in the database, where the index lies in one.
    #[serde(skip_serializing_if = "Option::is_none")]
    database: Option<Spent>,
    /// The model's answer; with `--answer` alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<Answered<'a>>,
}

/// A returned passage.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Passage<'a> {
    #[serde(flatten)]
    opened: Opened,
    /// Its text, without the title.
    text: &'a str,
    /// Why it is here, in a few words.
    reason: String,
    /// The part of its text that is about the question.
    snippet: Snippet,
}

/// A part of a text.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Snippet {
    /// On one line.
    text: String,
    /// Words and names of the question in it, in order.
    marked: Vec<String>,
}

/// A model's answer from the passages.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
enum Answered<'a> {
    /// It answered.
    Given {
        /// The answer.
        text: String,
        /// Who gave it.
        made_by: String,
        /// Passages that it used.
        cited: Vec<Cited<'a>>,
        /// Whether it used names and relations of the context too.
        beside_passages: bool,
    },
    /// It did not.
    Failed {
        /// Why.
        failure: String,
    },
}

/// A passage that an answer used.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Cited<'a> {
    /// From 1; null where it has no rank.
    rank: Option<usize>,
    /// Its id.
    id: &'a str,
    /// Its title; empty where the corpus has none.
    title: &'a str,
}

impl<'a> Answered<'a> {
    fn of(index: &'a Index, retrieval: &Retrieval, answer: reading::Answer) -> Answered<'a> {
        let cited = answer.cited.iter().map(|&p| Cited {
            rank: retrieval.rank(p),
            id: index.id(p),
            title: index.title(p),
        });
        Answered::Given {
            cited: cited.collect(),
            made_by: answer.made_by.to_string(),
            text: answer.text,
            beside_passages: answer.beside,
        }
    }
}

impl<'a> Asked<'a> {
    fn of(index: &'a Arc<Index>, retrieval: &'a Retrieval) -> Asked<'a> {
        let mut seconds: Named<f64> = Named(Vec::new());
        for time in retrieval.times() {
            match seconds.0.iter_mut().find(|(name, _)| *name == time.name) {
                Some((_, sum)) => *sum += time.seconds,
                None => seconds.0.push((time.name.into(), time.seconds)),
            }
        }
        let (seeds, left_out) = seeds(index, retrieval);
        let hits = Hits::of(index, retrieval);
        let passage = |hit: &Hit| {
            let (text, marks) = hits.snippet(hit.passage);
            let marks = marks.into_iter();
            let marked = marks.map(|m| span::of(&text, m.range).to_owned());
            let opened = retrieval.explain(index, hit.passage);
            Passage {
                reason: hits.reason(hit.passage, Some(&opened)),
                opened: spelled_out(index, retrieval, hit.passage, opened),
                text: index.text(hit.passage),
                snippet: Snippet {
                    marked: marked.collect(),
                    text,
                },
            }
        };
        Asked {
            question: &retrieval.question,
            method: &retrieval.settings.method().name,
            preset: retrieval.settings.preset().map(|p| &*p.name),
            settings: &retrieval.settings,
            reranker: retrieval.reranked(),
            seconds,
            seeds,
            passages: retrieval.top().iter().map(passage).collect(),
            confidence: None,
            unrecognised: retrieval.unrecognised(index),
            seeds_left_out: (left_out > 0).then_some(left_out),
            seed_edits: retrieval.edits(),
            graph_edits: retrieval.graph_edits(),
            database: None,
            answer: None,
        }
    }
}

pub fn trace(args: &TraceArgs) -> Result<()> {
    let form = args.form()?;
    let (index, retrieval, spent) = args.ask.run(Purpose::Trace, args.lossy)?;
    let known = index.question(&retrieval.question);
    let mut trace = explain::trace(&index, &retrieval, known);
    trace.database = spent;
    let Some(file) = &args.out else {
        match form {
            Form::Text => told(&trace, &mut output::text())?,
            Form::Json => super::print_json(&trace)?,
            Form::Graph(format) => {
                let text = format.write(&trace.subgraph);
                output::text().write_all(text.as_bytes())?;
            }
        }
        return Ok(());
    };
    let mut bytes = Vec::new();
    match form {
        Form::Text => told(&trace, &mut output::text_to(&mut bytes))?,
        Form::Json => super::write_json(output::json_to(&mut bytes), &trace)?,
        Form::Graph(format) => bytes = format.write(&trace.subgraph).into_bytes(),
    }
    write_file(file, &bytes)?;
    note!("{} in {}", trace.subgraph, file.display());
    Ok(())
}

/// Every stage in lines.
fn told(trace: &Trace, out: &mut impl Write) -> Result<()> {
    writeln!(out, "{} · {}", trace.method, trace.question)?;
    writeln!(out, "{}", trace.headline)?;
    writeln!(out, "{}", trace.subgraph)?;
    if let Some(spent) = &trace.database {
        writeln!(out, "{spent}")?;
        for slow in &spent.slow {
            writeln!(out, "slow: {slow}")?;
        }
    }
    if !trace.made_by.is_empty() {
        writeln!(out, "layer made by {}", trace.made_by)?;
    }
    for edited in &trace.seed_edits {
        let done = if edited.applied {
            ""
        } else {
            ", nothing to change"
        };
        writeln!(out, "seed {}{done}", edited.edit)?;
    }
    for edited in &trace.graph_edits {
        let idle = edited.idle.as_ref();
        let done = idle.map_or_else(String::new, |why| format!(", nothing to change: {why}"));
        writeln!(out, "graph {}{done}", edited.edit)?;
    }
    // An item is told by its name; its number is for those who read JSON.
    let line = |entry: &serde_json::Value| {
        let item = entry["item"].as_u64();
        let name = item.and_then(|at| trace.items.get(at as usize));
        let mut rest = entry.clone();
        if let (Some(_), Some(fields)) = (name, rest.as_object_mut()) {
            fields.remove("item");
        }
        match name.map_or("", |item| &*item.label) {
            "" => brief(&rest),
            label => format!("{label}  {}", brief(&rest)),
        }
    };
    for stage in &trace.stages {
        let time = match (stage.seconds, stage.reused) {
            (Some(_), true) => " remembered".to_owned(),
            (Some(seconds), false) => format!(" {}", milliseconds(seconds)),
            (None, _) => String::new(),
        };
        let counters = brief(&facts(&stage.counters));
        writeln!(out, "\n{} ({}){time}  {counters}", stage.name, stage.kind)?;
        for node in stage.nodes.iter().take(12) {
            writeln!(out, "  {}", line(&json!(node)))?;
        }
        for cut in stage.cut.iter().take(4) {
            writeln!(out, "  - {}", line(&json!(cut)))?;
        }
    }
    for entry in &trace.missing {
        writeln!(out, "\nmissing gold {}", brief(&json!(entry)))?;
    }
    Ok(())
}

/// The facts of a stage as one object.
fn facts(facts: &[(&'static str, serde_json::Value)]) -> serde_json::Value {
    let facts = facts.iter().cloned();
    facts
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// A JSON object on one line, its longest lists left to `--json`.
fn brief(value: &serde_json::Value) -> String {
    match value.as_object() {
        Some(map) => map
            .iter()
            .map(|(key, value)| match value {
                serde_json::Value::Array(items) if items.len() > 3 => {
                    format!("{key}: {} items", items.len())
                }
                serde_json::Value::String(text) => format!("{key}: {text}"),
                serde_json::Value::Number(n) if n.is_f64() => {
                    format!("{key}: {}", number(n.as_f64().unwrap_or(0.0)))
                }
                other => format!("{key}: {other}"),
            })
            .collect::<Vec<_>>()
            .join("  "),
        None => value.to_string(),
    }
}
