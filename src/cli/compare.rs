//! `hopscope compare [INDEX] QUESTION`: two to four runs side by side, what differs in their settings, and which difference
//! did it.

use super::figures::known;
use super::grid::{Form, Grid};
use super::load::{Aim, check_runs, load_runs};
use super::patch::PatchArgs;
use super::{How, Opening, Tuning, elsewhere, index_and_question, say};
use crate::corpus::Question;
use crate::evaluate::sweep::{
    Changes, Column, between, differences, effects, over_question, subsets,
};
use crate::evaluate::{MEASURES, Measures, measured};
use crate::explorer::jobs::pins::CHANGES;
use crate::explorer::text::{self, cut, measure, share, signed};
use crate::index::Index;
use crate::output;
use crate::retrieve::{Keep, Retrieval, Retriever, Settings};
use anyhow::{Result, bail};
use clap::Args;
use serde::Serialize;
use std::ffi::OsString;
use std::io::Write;
use std::sync::Arc;

/// Runs beside each other.
const MOST: usize = 4;
/// Cells of a run, and of what is before the first.
const WIDTH: usize = 34;
const FIRST: usize = 11;
/// Cells of a passage's title: gold is marked before it, and it moved after it.
const TITLE: usize = WIDTH - 7;

#[derive(Debug, Args)]
pub struct CompareArgs {
    /// [INDEX] QUESTION: an index folder or a corpus (default: the sample), and the question, by its text or its
    /// identifier in the set.
    #[arg(required = true, num_args = 1..=2, value_names = ["INDEX", "QUESTION"])]
    words: Vec<OsString>,
    /// Two to four comma-separated methods, presets or compositions, each with optional settings: hop,wide=graph@seed_k=20.
    /// Other options apply to all.
    #[arg(
        long,
        short,
        value_delimiter = ',',
        required = true,
        value_name = "[NAME=]METHOD[@PARAMETER=VALUE]"
    )]
    method: Vec<String>,
    /// Set a parameter for every run. Repeatable.
    #[arg(long = "set", short, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// How many passages each run returns.
    #[arg(long, short = 'k', value_name = "K")]
    top: Option<usize>,
    /// Re-ranker for bm25-ce and rrf-ce: bert:FOLDER, a cross-encoder. Default: MaxSim.
    #[arg(long, value_name = "bert:FOLDER")]
    reranker: Option<String>,
    /// Edit a seed of every run: NAME=mute, NAME=FACTOR, or +NAME to add one; write a passage as #ID. Repeatable.
    #[arg(long = "seed", value_name = "CHANGE")]
    seed: Vec<String>,
    #[command(flatten)]
    patch: PatchArgs,
    #[command(flatten)]
    opening: Opening,
    /// Output format; a table has measures, gold ranks and passages, one column per run.
    #[arg(long = "as", value_enum, value_name = "FORM", default_value_t = Form::Text)]
    form: Form,
    /// The same as --as json.
    #[arg(long, conflicts_with = "form")]
    json: bool,
}

/// What was asked and what came of it.
pub(super) struct Compared<'a> {
    index: Arc<Index>,
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
    let set = args.set.clone();
    let how = How {
        reranker: args.reranker.clone(),
        seed: args.seed.clone(),
        patch: args.patch.clone(),
        ..Tuning {
            set,
            ..Tuning::default()
        }
        .how()
    };
    let (path, said) = index_and_question(&args.words)?;
    let aim = Aim::Questions;
    let (index, names, all) = load_runs(path, &args.method, &how, args.top, &args.opening, aim)?;
    let question = index.question(said);
    let text = question.map_or(said, |question| &question.text);
    // A run that ranks this very question can be compared, whatever else it ranks.
    let others = all.iter().filter(|settings| {
        let rankings = settings.method().rankings();
        rankings.is_some_and(|rankings| !rankings.ranks(&index, text))
    });
    if !index.questions().is_empty() {
        check_runs(&index, index.questions(), others)?;
    }
    let json = args.json || args.form == Form::Json;
    let (mut retriever, asked) = (Retriever::new(index.clone()), (text, question));
    let bytes = retriever.rounds(|own| {
        let compared = Compared::of(own, asked, names.clone(), &all, |_| true)?;
        let mut bytes = Vec::new();
        match args.form {
            _ if json => super::write_json(output::json_to(&mut bytes), &compared.whole())?,
            Form::Text => compared.print(&mut output::text_to(&mut bytes))?,
            form => bytes.extend(compared.table().marked(form).into_bytes()),
        }
        anyhow::Ok(bytes)
    })?;
    if question.is_none() && !json {
        say("no question of the set has this text or identifier: no gold is known");
    }
    let mut out = match args.form {
        Form::Text | Form::Json => output::text(),
        _ => output::table(),
    };
    out.write_all(&bytes)?;
    elsewhere::spent(&index);
    Ok(())
}

/// Changes as a person writes them.
fn assignments(changes: &Changes) -> Vec<String> {
    let written = changes.iter().map(|(p, value)| p.assignment(*value));
    written.collect()
}

impl Compared<'_> {
    /// Asks a question under all settings, each with a name, and of two runs of one method tries every subset of the
    /// changes. `go_on` hears of the number of subsets tried and stops by returning false.
    ///
    /// # Errors
    /// The first retrieval that failed.
    pub(super) fn of<'a>(
        retriever: &mut Retriever,
        (text, question): (&'a str, Option<&'a Question>),
        names: Vec<String>,
        all: &[Settings],
        go_on: impl FnMut(usize) -> bool,
    ) -> Result<Compared<'a>> {
        let mut runs = Vec::new();
        for settings in all {
            runs.push(retriever.retrieve(text, settings, Keep::Scores)?);
        }
        let changes = match all {
            [a, b] => between(a, b, CHANGES),
            _ => Changes::new(),
        };
        let subsets = match changes.is_empty() {
            true => None,
            false => {
                let points = subsets(&changes);
                let asked = (text, question);
                let columns = over_question(retriever, asked, &all[0], &points, go_on)?;
                Some((changes, columns))
            }
        };
        Ok(Compared {
            index: retriever.index().clone(),
            text,
            question,
            names,
            runs,
            subsets,
        })
    }

    fn is_gold(&self, passage: u32) -> bool {
        let mut gold = self.question.iter().flat_map(|question| &question.gold);
        gold.any(|gold| gold.passage == passage)
    }

    /// Where a run has a passage, as far down as that is known.
    fn rank(&self, at: usize, passage: u32) -> Option<usize> {
        self.runs[at].place(passage).map(|place| place.0)
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
        let mut grid = self.grid(&format!("<{WIDTH}"));
        for row in self.heads() {
            let cells = row.iter().skip(1).map(|cell| cut(cell, WIDTH));
            grid.row(std::iter::once(cut(&row[0], FIRST)).chain(cells));
        }
        let between = self.question.map_or("", |_| "\n");
        write!(out, "{grid}{between}")?;
        let mut grid = self.grid(&format!("<1 <{TITLE} >4"));
        let rows = self.runs.iter().map(|run| run.top().len()).max();
        for row in 0..rows.unwrap_or(0) {
            let runs = (0..self.runs.len()).flat_map(|at| self.returned(at, row));
            grid.row(std::iter::once(format!("{:>3}", row + 1)).chain(runs));
        }
        write!(out, "{grid}")?;
        let Some((changes, columns)) = &self.subsets else {
            return Ok(());
        };
        let mut grid = Grid::new("  <50 >5 >6  <");
        let worth: Vec<f64> = columns.iter().map(|column| column.worth).collect();
        for (own, column) in subsets(changes).iter().zip(columns) {
            let name = match own.is_empty() {
                true => self.names[0].clone(),
                false => assignments(own).join(" "),
            };
            let gold = match column.gold.is_empty() {
                true => String::new(),
                false => format!("gold {}", text::ranks(&column.gold)),
            };
            let gain = signed(column.worth - worth[0]);
            grid.row([cut(&name, 50), share(column.worth), gain, gold]);
        }
        write!(out, "\nwhich change did it, {}\n{grid}", self.worth())?;
        let several = changes.iter().zip(effects(&worth));
        for ((parameter, value), effect) in several.filter(|_| changes.len() > 1) {
            let (change, effect) = (parameter.assignment(*value), signed(effect));
            writeln!(
                out,
                "  {change} on average (over all combinations): {effect}"
            )?;
        }
        Ok(())
    }

    /// The names of the runs, their measures and the ranks of gold, a row each.
    fn heads(&self) -> Vec<Vec<String>> {
        let line = |first: &str, cell: &dyn Fn(usize) -> String| {
            let cells = (0..self.runs.len()).map(cell);
            std::iter::once(first.to_owned()).chain(cells).collect()
        };
        let mut rows = vec![line("", &|at| self.names[at].clone())];
        if let Some(question) = self.question {
            let measures = self.runs.iter().map(|run| measured(run, question));
            let measures: Vec<_> = measures.collect();
            rows.extend(MEASURES.map(|name| {
                line(name, &|at| {
                    known(measures[at].and_then(|m| m.get(name)), measure)
                })
            }));
            rows.extend(question.gold.iter().map(|gold| {
                let id = format!("G {}", self.index.id(gold.passage));
                line(&id, &|at| text::rank(self.rank(at, gold.passage)))
            }));
        }
        rows
    }

    /// All that is side by side as one table.
    fn table(&self) -> Grid {
        let mut grid = Grid::new(&"< ".repeat(self.runs.len() + 1));
        self.heads().into_iter().for_each(|row| grid.row(row));
        let rows = self.runs.iter().map(|run| run.top().len()).max();
        for row in 0..rows.unwrap_or(0) {
            let returned = |at: usize| {
                let hit = self.runs[at].top().get(row);
                hit.map_or(String::new(), |hit| self.index.id(hit.passage).to_owned())
            };
            let runs = (0..self.runs.len()).map(returned);
            grid.row(std::iter::once((row + 1).to_string()).chain(runs));
        }
        grid
    }

    /// A table with these columns for every run.
    fn grid(&self, run: &str) -> Grid {
        let runs = vec![run; self.runs.len()].join("  ");
        Grid::new(&format!("<{FIRST} {runs}"))
    }

    /// The passage of a run in a row: whether it is gold, its name, and how it moved since the run before.
    fn returned(&self, at: usize, row: usize) -> [String; 3] {
        let Some(hit) = self.runs[at].top().get(row) else {
            return Default::default();
        };
        let moved = match at.checked_sub(1).map(|at| self.rank(at, hit.passage)) {
            Some(None) => "new".to_owned(),
            Some(Some(was)) if was != row + 1 => format!("{:+}", was as isize - row as isize - 1),
            _ => String::new(),
        };
        let gold = if self.is_gold(hit.passage) { "G" } else { "" };
        let title = cut(self.index.called(hit.passage), TITLE);
        [gold.to_owned(), title, moved]
    }

    /// What a subset is worth.
    fn worth(&self) -> &'static str {
        match self.question.is_some_and(|question| question.wanted() > 0) {
            true => "R@5",
            false => "share of the first run's passages that stays",
        }
    }

    /// The one object of `compare --json`.
    pub(super) fn whole(&self) -> Whole<'_> {
        let run = |(at, differs): (usize, Vec<String>)| {
            let run = &self.runs[at];
            let hits = run.top().iter().zip(1..);
            let gold = self.question.iter().flat_map(|question| &question.gold);
            Run {
                run: &self.names[at],
                method: &run.settings.method().name,
                settings: &run.settings,
                differs,
                measures: self.question.and_then(|question| measured(run, question)),
                gold: gold
                    .map(|gold| Ranked {
                        id: self.index.id(gold.passage),
                        rank: self.rank(at, gold.passage),
                    })
                    .collect(),
                passages: hits
                    .map(|(hit, rank)| Returned {
                        rank,
                        id: self.index.id(hit.passage),
                        title: self.index.title(hit.passage),
                        score: hit.score.into(),
                        gold: self.is_gold(hit.passage),
                    })
                    .collect(),
            }
        };
        let subsets = self.subsets.as_ref().map(|(changes, columns)| {
            let worth: Vec<f64> = columns.iter().map(|column| column.worth).collect();
            let subset = |(own, column): (&Changes, &Column)| Subset {
                changes: assignments(own),
                worth: column.worth,
                gold: column.gold.clone(),
            };
            Subsets {
                of: self.worth(),
                tried: subsets(changes).iter().zip(columns).map(subset).collect(),
                effects: effects_of(changes, &worth),
            }
        });
        Whole {
            question: self.text,
            runs: self.differ().into_iter().enumerate().map(run).collect(),
            subsets,
        }
    }
}

/// The average effect of each change, of the worth of every subset of them.
pub(super) fn effects_of(changes: &Changes, worth: &[f64]) -> Vec<Effect> {
    let effects = changes.iter().zip(effects(worth));
    let effects = effects.map(|((parameter, value), effect)| Effect {
        change: parameter.assignment(*value),
        effect,
    });
    effects.collect()
}

/// Runs of one question, side by side.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Whole<'a> {
    /// As it was asked.
    question: &'a str,
    /// The runs, in the order they were named.
    pub(super) runs: Vec<Run<'a>>,
    /// The changes from the first run to the second, in every combination; null unless there are two runs of one method.
    pub(super) subsets: Option<Subsets>,
}

/// One run of the question.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Run<'a> {
    /// Its name, or the RUN as it was written.
    pub(super) run: &'a str,
    /// Name of the method.
    method: &'a str,
    /// All parameters of the method.
    settings: &'a Settings,
    /// Settings that differ from the first run, as `parameter first > this`.
    differs: Vec<String>,
    /// Measures of the question; null without gold.
    pub(super) measures: Option<Measures>,
    /// Gold of the question, in its order.
    pub(super) gold: Vec<Ranked<'a>>,
    /// Returned passages, best first.
    pub(super) passages: Vec<Returned<'a>>,
}

/// A gold passage and its rank.
#[derive(Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Ranked<'a> {
    /// Id of the passage.
    pub(super) id: &'a str,
    /// From 1; null where it has no score.
    pub(super) rank: Option<usize>,
}

/// A returned passage of a run.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Returned<'a> {
    /// From 1.
    pub(super) rank: usize,
    /// Id of the passage.
    pub(super) id: &'a str,
    /// Its title; empty where the corpus has none.
    pub(super) title: &'a str,
    /// Its score in this run.
    score: f64,
    /// Whether the question has it as gold.
    pub(super) gold: bool,
}

/// Every combination of some changes.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Subsets {
    /// Quantity that worth is: a measure, or the share of the first run's passages that stays.
    pub(super) of: &'static str,
    /// Combinations, none of the changes first.
    tried: Vec<Subset>,
    /// The changes one by one.
    pub(super) effects: Vec<Effect>,
}

/// One combination of changes.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Subset {
    /// Changes, as `--set` takes them.
    changes: Vec<String>,
    /// Its worth, 0 to 1.
    worth: f64,
    /// Ranks of the gold, from 1; null where a passage has no score.
    gold: Vec<Option<usize>>,
}

/// The effect of one change.
#[derive(Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Effect {
    /// As `--set` takes it.
    change: String,
    /// Average difference it makes, over all combinations of the others.
    effect: f64,
}
