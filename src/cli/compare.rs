//! `hopscope compare INDEX QUESTION`: two to four runs side by side, what differs in their settings, and which difference
//! did it.

use super::llm::LlmArgs;
use super::load::{check_runs, load_runs};
use super::{How, Reading, say};
use crate::corpus::Question;
use crate::evaluate::sweep::{
    Changes, Column, between, differences, effects, over_question, subsets,
};
use crate::evaluate::{MEASURES, measured};
use crate::explorer::jobs::pins::CHANGES;
use crate::explorer::text::{self, cut, measure, pad, share, signed};
use crate::index::Index;
use crate::output;
use crate::retrieve::{Keep, Retrieval, Retriever};
use anyhow::{Result, bail};
use clap::Args;
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;

/// Runs beside each other.
const MOST: usize = 4;
/// Columns of a run.
const WIDTH: usize = 34;

#[derive(Debug, Args)]
pub struct CompareArgs {
    /// An index folder or a corpus.
    index: PathBuf,
    /// The question, by its text or its identifier in the set.
    question: String,
    /// Two to four methods, presets or compositions, separated by commas, each with settings of its own if it has any:
    /// hop,hop@alpha=.3@steps=4,wide=graph@seed_k=20. What else is said holds for all.
    #[arg(
        long,
        short,
        value_delimiter = ',',
        required = true,
        value_name = "[NAME=]METHOD[@PARAMETER=VALUE]"
    )]
    method: Vec<String>,
    /// Set a parameter for every run. May be repeated.
    #[arg(long = "set", short, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// How many passages each run returns.
    #[arg(long, short = 'k', value_name = "K")]
    top: Option<usize>,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    thinking: LlmArgs,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// What was asked and what came of it.
struct Compared<'a> {
    index: &'a Index,
    text: &'a str,
    question: Option<&'a Question>,
    names: Vec<String>,
    runs: Vec<Retrieval>,
    /// The changes from the first run to the second, and what every subset of them gives; of two runs of one method.
    subsets: Option<(Changes, Vec<Column>)>,
}

pub fn run(args: &CompareArgs) -> Result<()> {
    if !(2..=MOST).contains(&args.method.len()) {
        bail!("--method: name two to {MOST} runs, separated by commas");
    }
    let how = How {
        set: args.set.clone(),
        ..How::default()
    };
    let runs: Vec<_> = args.method.iter().map(|run| Some(&**run)).collect();
    let from = (&args.reading, &args.thinking);
    let (index, names, all) = load_runs(&args.index, &runs, &how, args.top, from)?;
    let question = index.question(&args.question);
    if !index.questions().is_empty() {
        check_runs(&index, index.questions(), &all)?;
    }
    let text = question.map_or(&*args.question, |question| &question.text);
    let mut retriever = Retriever::new(index.clone());
    let mut runs = Vec::new();
    for settings in &all {
        runs.push(retriever.retrieve(text, settings, Keep::Scores)?);
    }
    let changes = match &all[..] {
        [a, b] => between(a, b, CHANGES),
        _ => Changes::new(),
    };
    let subsets = match changes.is_empty() {
        true => None,
        false => {
            let points = subsets(&changes);
            let asked = (text, question);
            let columns = over_question(&mut retriever, asked, &all[0], &points, |_| true)?;
            Some((changes, columns))
        }
    };
    let compared = Compared {
        index: &index,
        text,
        question,
        names,
        runs,
        subsets,
    };
    if args.json {
        return super::print_json(&compared.json());
    }
    if question.is_none() {
        say("no question of the set has this text or identifier: no gold is known");
    }
    compared.print(&mut output::text())
}

/// Changes as a person writes them.
fn assignments(changes: &Changes) -> Vec<String> {
    let written = changes.iter().map(|(p, value)| p.assignment(*value));
    written.collect()
}

impl Compared<'_> {
    fn is_gold(&self, passage: u32) -> bool {
        let mut gold = self.question.iter().flat_map(|question| &question.gold);
        gold.any(|gold| gold.passage == passage)
    }

    /// What each run has other than the first.
    fn differ(&self) -> Vec<Vec<String>> {
        let first = &self.runs[0].settings;
        let later = self
            .runs
            .iter()
            .map(|run| differences(first, &run.settings));
        later.collect()
    }

    fn print(&self, out: &mut impl Write) -> Result<()> {
        writeln!(out, "{}", self.text)?;
        for (name, differ) in self.names.iter().zip(self.differ()).skip(1) {
            let words = match differ.is_empty() {
                true => "the same settings".to_owned(),
                false => differ.join(", "),
            };
            writeln!(out, "{} to {name}: {words}", self.names[0])?;
        }
        writeln!(out)?;
        let line = |first: &str, cells: Vec<String>| {
            let cells: Vec<String> = cells
                .iter()
                .map(|cell| pad(&cut(cell, WIDTH), WIDTH))
                .collect();
            format!("{first:<11} {}", cells.join("  "))
                .trim_end()
                .to_owned()
        };
        writeln!(out, "{}", line("", self.names.clone()))?;
        if let Some(question) = self.question {
            let all: Vec<_> = self
                .runs
                .iter()
                .map(|run| measured(run, question))
                .collect();
            for name in MEASURES {
                let of = |m: &Option<_>| {
                    m.as_ref()
                        .and_then(|m: &crate::evaluate::Measures| m.get(name))
                };
                let cells = all
                    .iter()
                    .map(|m| of(m).map_or_else(|| "-".to_owned(), measure));
                writeln!(out, "{}", line(name, cells.collect()))?;
            }
            for gold in &question.gold {
                let rank = |run: &Retrieval| run.place(gold.passage).map(|place| place.0);
                let cells = self.runs.iter().map(|run| text::rank(rank(run)));
                let id = format!("G {}", self.index.id(gold.passage));
                writeln!(out, "{}", line(&cut(&id, 11), cells.collect()))?;
            }
            writeln!(out)?;
        }
        let rows = self
            .runs
            .iter()
            .map(|run| run.top().len())
            .max()
            .unwrap_or(0);
        for row in 0..rows {
            let cell = |at: usize| {
                let run = &self.runs[at];
                let Some(hit) = run.top().get(row) else {
                    return String::new();
                };
                let gold = if self.is_gold(hit.passage) { 'G' } else { ' ' };
                let before = at
                    .checked_sub(1)
                    .map(|at| self.runs[at].place(hit.passage).map(|p| p.0));
                let moved = match before {
                    None => String::new(),
                    Some(None) => "new".to_owned(),
                    Some(Some(was)) if was == row + 1 => String::new(),
                    Some(Some(was)) => format!("{:+}", was as isize - row as isize - 1),
                };
                let title = self.index.called(hit.passage);
                format!(
                    "{gold} {} {moved:>4}",
                    pad(&cut(title, WIDTH - 7), WIDTH - 7)
                )
            };
            let cells = (0..self.runs.len()).map(cell).collect();
            writeln!(out, "{}", line(&format!("{:>3}", row + 1), cells))?;
        }
        if let Some((changes, columns)) = &self.subsets {
            writeln!(out, "\nwhich change did it, {}", self.worth())?;
            let worth: Vec<f64> = columns.iter().map(|column| column.worth).collect();
            for (own, column) in subsets(changes).iter().zip(columns) {
                let name = match own.is_empty() {
                    true => self.names[0].clone(),
                    false => assignments(own).join(" "),
                };
                let gold = match column.gold.is_empty() {
                    true => String::new(),
                    false => format!("  gold {}", text::ranks(&column.gold)),
                };
                writeln!(
                    out,
                    "  {} {:>5} {:>6}{gold}",
                    pad(&cut(&name, 50), 50),
                    share(column.worth),
                    signed(column.worth - worth[0])
                )?;
            }
            for ((parameter, value), effect) in changes
                .iter()
                .zip(effects(&worth))
                .filter(|_| changes.len() > 1)
            {
                let change = parameter.assignment(*value);
                writeln!(
                    out,
                    "  {change} on average over the others: {}",
                    signed(effect)
                )?;
            }
        }
        Ok(())
    }

    /// What a subset is worth.
    fn worth(&self) -> &'static str {
        match self.question.is_some_and(|question| question.wanted() > 0) {
            true => "R@5",
            false => "share of the first run's passages that stays",
        }
    }

    fn json(&self) -> Value {
        let differ = self.differ();
        let run = |at: usize| {
            let run = &self.runs[at];
            let hit = |(row, hit): (usize, &crate::retrieve::Hit)| {
                json!({"rank": row + 1, "id": self.index.id(hit.passage),
                "title": self.index.title(hit.passage), "score": hit.score, "gold": self.is_gold(hit.passage)})
            };
            let passages: Vec<Value> = run.top().iter().enumerate().map(hit).collect();
            let gold = self.question.iter().flat_map(|question| &question.gold);
            let gold: Vec<Value> = gold
                .map(|gold| json!({"id": self.index.id(gold.passage), "rank": run.place(gold.passage).map(|place| place.0)}))
                .collect();
            json!({"run": self.names[at], "method": run.settings.method().name, "settings": run.settings, "differs": differ[at],
                   "measures": self.question.and_then(|question| measured(run, question)), "gold": gold, "passages": passages})
        };
        let subsets = self.subsets.as_ref().map(|(changes, columns)| {
            let worth: Vec<f64> = columns.iter().map(|column| column.worth).collect();
            let subset = |(own, column): (&Changes, &Column)| {
                json!({"changes": assignments(own), "worth": column.worth, "gold": column.gold})
            };
            let tried = subsets(changes);
            let tried: Vec<Value> = tried.iter().zip(columns).map(subset).collect();
            let effects = changes.iter().zip(effects(&worth));
            let effects: Vec<Value> = effects
                .map(|((p, value), effect)| json!({"change": p.assignment(*value), "effect": effect}))
                .collect();
            json!({"of": self.worth(), "tried": tried, "effects": effects})
        });
        json!({"question": self.text, "runs": (0..self.runs.len()).map(run).collect::<Vec<_>>(), "subsets": subsets})
    }
}
