//! Learns how probably the first five passages of hop hold the answer, and says how good that is on families of questions that
//! it has not seen.

use super::ranker::write;
use super::{TuneArgs, candidates, family, stopped, watched};
use crate::cli::figures::{interval_of, known, measure};
use crate::cli::grid::{Grid, cells};
use crate::cli::load::{ProgressBars, bar, load};
use crate::cli::print_json;
use crate::evaluate::assure::{Family, HeldOut, assure, index_without_gold};
use crate::evaluate::{Assurance, Resampling};
use crate::index::Index;
use crate::output;
use crate::ranker::{Model, Recipe};
use crate::retrieve::DEFAULT_METHOD;
use anyhow::{Result, bail};
use serde::Serialize;
use std::io::Write;
use std::sync::Arc;

pub fn run(args: &TuneArgs) -> Result<()> {
    let settings = args.tuning.how().settings(Some(DEFAULT_METHOD))?;
    let mut families: Vec<Family> = Vec::new();
    for word in &args.index {
        let (family, path) = family(word);
        let mut own = settings.clone();
        let index = load(Some(path), &args.reading, &mut own)?;
        let asked = |index: &Arc<Index>| candidates(path, (index, index.questions()), &own);
        let whole = asked(&index)?;
        let mut without = Vec::new();
        for half in 0..2 {
            let bars = ProgressBars::of(&[]);
            let made = index_without_gold(&index, half, &bars);
            bars.clear();
            without.push(asked(&Arc::new(made?))?);
        }
        match families.iter_mut().find(|known| known.name == family) {
            Some(known) => {
                known.whole.push(whole);
                known.without.extend(without);
            }
            None => families.push(Family {
                name: family,
                whole: vec![whole],
                without,
            }),
        }
    }
    if families.len() < 2 {
        bail!(
            "--confidence: each family is judged by what the others teach; name two or more, as FAMILY=INDEX"
        );
    }
    let recipe = Recipe {
        seeds: args.seeds,
        ..Recipe::default()
    };
    let bar = bar(1000);
    let made = assure(&families, &recipe, Resampling::default(), &watched(&bar));
    bar.finish_and_clear();
    stopped()?;
    let Some((assured, held)) = made else {
        bail!("--confidence: no question has gold among its candidates");
    };
    let model = Model {
        assured: Some(assured),
        ..settings.starting_ranker().clone()
    };
    write(args, &model)?;
    match args.json {
        true => print_json(&Report {
            held_out: held.iter().map(Judged::of).collect(),
        }),
        false => print(args, &held),
    }
}

/// How good a learned confidence is on questions that it has not seen.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(in crate::cli) struct Report<'a> {
    /// Each family, judged by a confidence and a ranker that saw none of its questions.
    held_out: Vec<Judged<'a>>,
}

/// A family of sets.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Judged<'a> {
    /// Its name.
    family: &'a str,
    /// Without the gold of half of the questions: whether all gold is in the first five.
    all: &'a Assurance,
    /// The same confidences: whether any gold is in the first five.
    any: &'a Assurance,
    /// Whether they part questions with all their gold in the corpus from those with none.
    gone: &'a Assurance,
    /// On the corpora as they are: whether all gold is in the first five.
    whole: &'a Assurance,
}

impl<'a> Judged<'a> {
    fn of(held: &'a HeldOut) -> Judged<'a> {
        Judged {
            family: &held.family,
            all: &held.all,
            any: &held.any,
            gone: &held.gone,
            whole: &held.whole,
        }
    }
}

fn print(args: &TuneArgs, held: &[HeldOut]) -> Result<()> {
    let mut out = output::text();
    writeln!(
        out,
        "Each family is judged by a confidence and a ranker that saw none of its questions"
    )?;
    let head = "family|judged on|questions|share|mean|AUC|95 % interval|calibration|Brier|of share";
    let mut grid = Grid::headed("< < > > > > ^16 > > >", head);
    for held in held {
        for (what, made) in [
            ("all gold in five", &held.all),
            ("any gold in five", &held.any),
            ("gold taken away", &held.gone),
            ("all, nothing taken", &held.whole),
        ] {
            let mut row = Vec::from(cells![held.family, what, made.questions]);
            row.extend([made.found, made.mean].map(measure));
            row.extend([known(made.auc, measure), known(made.interval, interval_of)]);
            row.extend([made.calibration, made.brier, made.brier_of_share].map(measure));
            grid.row(row);
        }
    }
    write!(out, "\n{grid}")?;
    match &args.out {
        Some(file) => writeln!(out, "\nranker with its confidence in {}", file.display())?,
        None => writeln!(
            out,
            "\nnothing was written; --out FILE keeps the ranker with it"
        )?,
    }
    Ok(())
}
