//! `hopscope tune INDEX`: learns the order of hop from questions with gold or from labels, and says how good it is on
//! questions that it has not seen.

use super::eval::asked;
use super::load::{bar, load};
use super::{Reading, Tuning, figures, interrupt, write_file};
use crate::corpus::Question;
use crate::evaluate::compare::named;
use crate::evaluate::labels::corrected;
use crate::evaluate::learn::{FEWEST, HeldOut, Learnt, TOLD, Taught, general, trained, tune};
use crate::evaluate::{Difference, MEASURES, Resampling};
use crate::index::Index;
use crate::output;
use crate::parameters::RANKER;
use crate::ranker::{Boosting, Model, Recipe};
use crate::retrieve::{DEFAULT_METHOD, Settings};
use crate::text::plural;
use anyhow::{Result, bail};
use clap::Args;
use indicatif::ProgressBar;
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Debug, Args)]
pub struct TuneArgs {
    /// Index folder or corpus. With several, each is held out in turn and a ranker is learned from all; those with one
    /// FAMILY are held out together.
    #[arg(required = true, value_name = "[FAMILY=]INDEX")]
    index: Vec<String>,
    /// Write the ranker to this file.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Question file to use instead of the index's own set.
    #[arg(long, value_name = "FILE")]
    questions: Option<PathBuf>,
    /// Qrels file that replaces the questions' own gold.
    #[arg(long, value_name = "FILE")]
    qrels: Option<PathBuf>,
    /// Label file of the explorer: its grades and its added and removed gold count.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["questions", "qrels"])]
    labels: Option<PathBuf>,
    #[command(flatten)]
    tuning: Tuning,
    #[command(flatten)]
    reading: Reading,
    /// With several indexes: average rankers of so many random seeds.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=10))]
    seeds: u64,
    /// Print the report as JSON.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &TuneArgs) -> Result<()> {
    interrupt::watch();
    let settings = args.tuning.how().settings(Some(DEFAULT_METHOD))?;
    let mut families: Vec<(String, Vec<Taught>)> = Vec::new();
    for word in &args.index {
        let (family, path) = match word.split_once('=').filter(|_| !Path::new(word).exists()) {
            Some((family, path)) => (family.to_owned(), Path::new(path)),
            None => (name(Path::new(word)), Path::new(word)),
        };
        let set = taught(args, path, &settings)?;
        match families.iter_mut().find(|(known, _)| *known == family) {
            Some((_, sets)) => sets.push(set),
            None => families.push((family, vec![set])),
        }
    }
    match &mut families[..] {
        [(_, sets)] if sets.len() == 1 => one(args, &sets[0], &settings),
        families => many(args, families),
    }
}

/// What a set is called: as its folder.
fn name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

/// The candidates of every question with gold of one index.
fn taught(args: &TuneArgs, path: &Path, settings: &Settings) -> Result<Taught> {
    let mut settings = settings.clone();
    let index = load(Some(path), &args.reading, &mut settings)?;
    let questions = questions(args, &index)?;
    let bar = bar(questions.len());
    let progress = |done| {
        bar.set_position(done as u64);
        !interrupt::interrupted()
    };
    let set = Taught::of(name(path), &index, &questions, &settings, progress);
    bar.finish_and_clear();
    let set = set?;
    stopped()?;
    if set.questions.len() < FEWEST {
        bail!(
            "{}: {} with gold; {FEWEST} are the fewest to learn from. Label passages in the explorer (view 6), or pass --qrels FILE",
            path.display(),
            plural(set.questions.len(), "question")
        );
    }
    Ok(set)
}

fn questions(args: &TuneArgs, index: &Arc<Index>) -> Result<Vec<Question>> {
    match &args.labels {
        Some(file) => Ok(corrected(index, &super::labels::read(file)?).questions),
        None => {
            let files = [&args.questions, &args.qrels].map(|file| file.as_deref());
            asked(index, files, &args.reading)
        }
    }
}

fn stopped() -> Result<()> {
    match interrupt::interrupted() {
        true => bail!("interrupted; nothing was written"),
        false => Ok(()),
    }
}

/// A bar of what is done, which ctrl-C stops.
fn watched(bar: &ProgressBar) -> impl Fn(f64) -> bool + Sync + '_ {
    |done| {
        bar.set_position((1000.0 * done) as u64);
        !interrupt::interrupted()
    }
}

/// Learns from one set, starting from the ranker of the settings.
fn one(args: &TuneArgs, set: &Taught, settings: &Settings) -> Result<()> {
    let start = settings.all().ranker().unwrap_or(Model::shipped());
    let bar = bar(1000);
    let learnt = tune(set, start, Resampling::default(), &watched(&bar));
    bar.finish_and_clear();
    stopped()?;
    let Some(learnt) = learnt else {
        bail!("{}: no question has gold among its candidates", set.name);
    };
    let way = learnt.way.described();
    write(args, &learnt.model)?;
    match args.json {
        true => super::print_json(&report(set, &learnt, way)),
        false => print(args, set, &learnt, way, &settings.text(RANKER.id())),
    }
}

fn write(args: &TuneArgs, model: &Model) -> Result<()> {
    match &args.out {
        Some(out) => write_file(out, model.text().as_bytes()),
        None => Ok(()),
    }
}

fn by_name(differences: &[Difference]) -> Value {
    let all = MEASURES.iter().zip(differences);
    all.map(|(name, d)| ((*name).to_owned(), json!(d)))
        .collect()
}

fn report(set: &Taught, learnt: &Learnt, way: &str) -> Value {
    let changed = learnt.changed.iter();
    let changed = changed.map(|(group, by)| json!({"group": group.label(), "range": by}));
    json!({
        "set": set.name,
        "questions": learnt.questions,
        "start_has_seen_it": learnt.seen,
        "way": way,
        "over_weighted_sum": by_name(&learnt.against_first),
        "over_start": by_name(&learnt.against_start),
        "from_half": learnt.half.as_deref().map(by_name),
        "changed": changed.collect::<Vec<_>>(),
    })
}

fn print(args: &TuneArgs, set: &Taught, learnt: &Learnt, way: &str, start: &str) -> Result<()> {
    let mut out = output::text();
    let questions = plural(learnt.questions, "question");
    writeln!(out, "{}: {questions}; {way}", set.name)?;
    writeln!(
        out,
        "\nOn questions it was not trained on, over the weighted sum (ranker=off):"
    )?;
    sentences(&mut out, &learnt.against_first)?;
    writeln!(out, "\nOver the ranker it started from ({start}):")?;
    sentences(&mut out, &learnt.against_start)?;
    if learnt.seen {
        let set = &set.name;
        writeln!(
            out,
            "That ranker was trained on {set} too, so neither gain is wholly on unseen questions."
        )?;
    }
    let gain = |all: &[Difference]| named(all, "R@5").map_or(0.0, |d| d.difference);
    if let Some(half) = &learnt.half {
        let (half, all) = (gain(half), gain(&learnt.against_first));
        let more = match all - half > 0.005 {
            true => "More labels should still help.",
            false => "More labels of this kind would change little.",
        };
        writeln!(
            out,
            "\nHalf of the labels gain R@5 {}, all of them {}. {more}",
            figures::change(half),
            figures::change(all)
        )?;
    }
    let changed = learnt.changed.iter().take(3);
    let changed = changed.map(|(group, by)| format!("{} {by:+.2}", group.label()));
    writeln!(
        out,
        "What changed most, by the range of its functions: {}",
        changed.collect::<Vec<_>>().join(", ")
    )?;
    used(&mut out, args)
}

fn sentences(out: &mut impl Write, differences: &[Difference]) -> Result<()> {
    for measure in TOLD {
        if let Some(d) = named(differences, measure) {
            writeln!(out, "  {}", d.sentence(measure))?;
        }
    }
    Ok(())
}

/// Where the ranker is, and how it is used.
fn used(out: &mut impl Write, args: &TuneArgs) -> Result<()> {
    match &args.out {
        Some(file) => {
            let file = file.display();
            writeln!(
                out,
                "\nranker in {file}; use it with --ranker {file}, or compare hop,hop@ranker={file}"
            )?;
        }
        None => writeln!(out, "\nnothing was written; --out FILE keeps the ranker")?,
    }
    Ok(())
}

/// Learns from families of sets, each held out in turn.
fn many(args: &TuneArgs, families: &[(String, Vec<Taught>)]) -> Result<()> {
    let recipe = Recipe {
        seeds: args.seeds,
        boosting: Boosting::default(),
        ..Recipe::default()
    };
    let bar = bar(1000);
    let made = general(families, &recipe, Resampling::default(), &watched(&bar));
    bar.finish_and_clear();
    stopped()?;
    let Some((mut model, held)) = made else {
        bail!("no question has gold among its candidates");
    };
    let sets = families.iter().flat_map(|(_, sets)| sets);
    let count: usize = sets.clone().map(|set| set.questions.len()).sum();
    let names: Vec<&str> = sets.map(|set| &*set.name).collect();
    model.about = format!("{} of {}", plural(count, "question"), names.join(", "));
    model.trained = held
        .iter()
        .map(|h| trained(&h.family, &h.against_first))
        .collect();
    write(args, &model)?;
    if args.json {
        let all = held
            .iter()
            .map(|h| json!({"family": h.family, "over_weighted_sum": by_name(&h.against_first)}));
        return super::print_json(
            &json!({"about": model.about, "held_out": all.collect::<Vec<_>>()}),
        );
    }
    let mut out = output::text();
    writeln!(
        out,
        "{}; each family is judged by a ranker that saw none of its questions",
        model.about
    )?;
    for HeldOut {
        family,
        against_first,
    } in &held
    {
        writeln!(out, "\n{family}")?;
        sentences(&mut out, against_first)?;
    }
    used(&mut out, args)
}
