//! Searches the parameters of a method by racing settings, and says how good the best is on questions that it was not
//! searched on.

use super::{SearchArgs, TuneArgs, by_name, few, questions, watched};
use crate::cli::figures::known;
use crate::cli::grid::{Grid, cells};
use crate::cli::load::{Aim, bar, load_runs};
use crate::cli::named::Named;
use crate::cli::{How, Opening, about, interrupt, print_json};
use crate::corpus::Question;
use crate::evaluate::compare::named;
use crate::evaluate::learn::{FEWEST, FOLDS, TOLD};
use crate::evaluate::measures::place;
use crate::evaluate::race::{Found, Heard, Recipe, Space, Task, asking, most, search};
use crate::evaluate::sweep::Changes;
use crate::evaluate::{Difference, Resampling, evaluate};
use crate::explorer::flags;
use crate::explorer::store::{Folders, presets};
use crate::index::Index;
use crate::output;
use crate::parameters::{Assigned, Parameter, Written};
use crate::retrieve::{Preset, RetrieveError, Settings};
use crate::text::figures::{measure, signed};
use crate::text::{count, plural};
use anyhow::{Context, Result, bail};
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a search came to, and of what.
struct Report<'a> {
    search: &'a SearchArgs,
    index: &'a Index,
    questions: usize,
    recipe: Recipe,
    space: &'a Space,
    found: Found,
    /// Milliseconds of a question today and with the best setting; none where the search was stopped.
    took: Option<[f64; 2]>,
    /// Where the preset was saved.
    saved: Option<PathBuf>,
}

/// A search over the parameters of a method.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(in crate::cli) struct Whole<'a> {
    /// Name of the corpus.
    index: &'a str,
    /// Name of the method.
    method: &'a str,
    /// The measure that decides.
    measure: &'a str,
    /// Questions with gold.
    questions: usize,
    /// Random seed of the draws, the folds and the intervals.
    seed: u64,
    /// Identifiers of the parameters that were searched.
    parameters: Vec<&'static str>,
    /// Retrievals that were made.
    retrievals: usize,
    /// Whether the search came to its end.
    whole: bool,
    /// Whether the best setting beats today's beyond the interval, on questions it was not searched on.
    better: bool,
    /// The best setting as a RUN.
    run: String,
    /// All its parameters.
    settings: Settings,
    /// Changes of the setting before the search.
    changes: Vec<Moved<'a>>,
    /// By measure: the gain over today's setting on questions that were not searched on.
    unseen: Named<&'a Difference>,
    /// The same on the questions it was chosen on, which is optimistic.
    seen: Named<&'a Difference>,
    /// Changes of the best setting of each race.
    races: Vec<Assigned>,
    /// Median milliseconds of a question; null where the search was stopped.
    latency_ms: Option<Took>,
    /// File of the preset; null where none was saved.
    saved: Option<&'a Path>,
}

/// A parameter that the best setting changes.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Moved<'a> {
    /// Its identifier.
    parameter: &'static str,
    /// Its value today.
    from: Written,
    /// Its value in the best setting.
    to: Written,
    /// The measure without this change, against the best setting; null where it was not asked.
    without: Option<&'a Difference>,
    /// Races whose best setting changes it too.
    races: usize,
}

/// Median milliseconds of a question under two settings.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Took {
    /// As it is.
    today: f64,
    /// With the best setting.
    best: f64,
}

pub fn run(args: &TuneArgs) -> Result<()> {
    let search = &args.search;
    let [path] = &args.index[..] else {
        bail!("--parameters: name one index; a setting is searched on one set of questions");
    };
    let path = Path::new(path);
    let recipe = Recipe {
        measure: place(search.measure).map_err(about("--measure"))?,
        tries: usize::from(search.tries),
        seed: search.seed,
    };
    let how = How {
        method: search.method.clone(),
        ..args.tuning.how()
    };
    let opening = Opening {
        reading: args.reading.clone(),
        ..Opening::default()
    };
    let (index, _, mut all) = load_runs(Some(path), &[], &how, None, &opening, Aim::Whole)?;
    let today = all.remove(0);
    let folders = folders(search, &today)?;
    let mut questions = questions(args, &index)?;
    questions.retain(|question| question.wanted() > 0);
    if questions.len() < FEWEST {
        return Err(few(path, questions.len()));
    }
    let space = space(search, &today)?;
    let found = searched(&index, &questions, &space, &recipe)?;
    if found.seen.is_empty() {
        bail!("interrupted before the first round ended; nothing was found");
    }
    let best = space.settings(&found.winner);
    let took = match found.whole {
        true => Some(took(&index, &questions, [&today, &best])?),
        false => None,
    };
    let mut report = Report {
        search,
        index: &index,
        questions: questions.len(),
        recipe,
        space: &space,
        found,
        took,
        saved: None,
    };
    if let (Some(name), Some(folders), true) = (&search.save, folders, report.keeps()) {
        let saved = presets::save(&folders, name, &best);
        report.saved = Some(saved.map_err(about("--save"))?.1);
    }
    match args.json {
        true => print_json(&report.whole())?,
        false => report.print(&mut output::text())?,
    }
    match report.found.whole {
        true => Ok(()),
        false => bail!("interrupted; this is what was found so far"),
    }
}

/// Where a preset goes. What is wrong with its name is said before the search and not after.
fn folders(search: &SearchArgs, today: &Settings) -> Result<Option<Folders>> {
    let Some(name) = &search.save else {
        return Ok(None);
    };
    Preset::own(name, today.method().clone(), &[]).map_err(about("--save"))?;
    let folders = Folders::find().context("--save: no home folder found to save it in")?;
    Ok(Some(folders))
}

fn space(search: &SearchArgs, today: &Settings) -> Result<Space> {
    let mut only = Vec::new();
    for name in &search.only {
        let parameter = Parameter::named(name).map_err(about("--only"))?;
        if let Some(why) = today.idle(parameter) {
            note!("hopscope: --only {name}: {why}");
        }
        only.push(parameter);
    }
    let space = Space::new(today, &only).map_err(about("--only"))?;
    match space.parameters() {
        [] => bail!("{} has no parameter to search", today.method().name),
        _ => Ok(space),
    }
}

/// Says how much there is to do, and does it.
fn searched(
    index: &Arc<Index>,
    questions: &[Question],
    space: &Space,
    recipe: &Recipe,
) -> Result<Found, RetrieveError> {
    let judged = questions.len();
    note!(
        "{}: {} over {} with gold; {} settings drawn, {} races; at most {} retrievals",
        space.today().method().name,
        plural(space.parameters().len(), "parameter"),
        plural(judged, "question"),
        count(recipe.tries),
        FOLDS + 1,
        count(most(space, recipe, judged))
    );
    let bar = bar(1000);
    let resampling = Resampling {
        seed: recipe.seed,
        ..Resampling::default()
    };
    let judge = |points: &[Changes], tasks: &[Task], heard: &Heard<'_>| {
        asking(index, questions, space, points, tasks, heard)
    };
    let found = search(space, judged, recipe, resampling, &judge, &watched(&bar));
    bar.finish_and_clear();
    found
}

/// The median milliseconds of a question under two settings: of each the better of two evaluations that take turns, since
/// the first one opens what both need.
fn took(index: &Arc<Index>, questions: &[Question], two: [&Settings; 2]) -> Result<[f64; 2]> {
    let mut took = [f64::INFINITY; 2];
    for _ in 0..2 {
        for (took, settings) in took.iter_mut().zip(two) {
            let made = evaluate(index, questions, settings, |_| !interrupt::interrupted())?;
            *took = took.min(made.latency(0.5).unwrap_or_default());
        }
    }
    Ok(took)
}

impl Report<'_> {
    /// Whether the best setting is saved as a preset.
    fn keeps(&self) -> bool {
        let anyway = self.search.anyway && !self.found.winner.is_empty();
        self.search.save.is_some() && (anyway || self.found.better(&self.recipe))
    }

    /// The best setting as other commands take it.
    fn run(&self) -> String {
        flags::run("", &self.space.settings(&self.found.winner))
    }

    fn whole(&self) -> Whole<'_> {
        let (found, today) = (&self.found, self.space.today());
        let changes = found.winner.iter().zip(&found.lost);
        let changes = changes.map(|((p, value), lost)| Moved {
            parameter: p.id(),
            from: p.json(today.value(*p)),
            to: p.json(*value),
            without: lost.as_ref(),
            races: found.agree(*p),
        });
        let races = found.folds.iter().cloned();
        Whole {
            index: self.index.name(),
            method: &today.method().name,
            measure: self.search.measure,
            questions: self.questions,
            seed: self.recipe.seed,
            parameters: self.space.parameters().iter().map(|p| p.id()).collect(),
            retrievals: found.asked,
            whole: found.whole,
            better: found.better(&self.recipe),
            run: self.run(),
            settings: self.space.settings(&found.winner),
            changes: changes.collect(),
            unseen: by_name(&found.unseen),
            seen: by_name(&found.seen),
            races: races.map(Assigned::from_iter).collect(),
            latency_ms: self.took.map(|[today, best]| Took { today, best }),
            saved: self.saved.as_deref(),
        }
    }

    fn print(&self, out: &mut impl Write) -> Result<()> {
        let found = &self.found;
        writeln!(
            out,
            "{} over {} with gold, {} retrievals",
            self.space.today().method().name,
            plural(self.questions, "question"),
            count(found.asked)
        )?;
        if !found.unseen.is_empty() {
            let races = found.folds.len();
            let which = match races {
                FOLDS => "each fifth judged by the race without it".to_owned(),
                races => format!("{races} of {FOLDS} fifths, each judged by the race without it"),
            };
            writeln!(
                out,
                "\nOver today's setting, on questions that were not searched on ({which}):"
            )?;
            self.expected(out)?;
        }
        writeln!(out, "\n{}", self.verdict())?;
        if !found.winner.is_empty() {
            let which = match found.whole {
                true => "of all questions",
                false => "so far",
            };
            writeln!(out, "\nBest setting {which}: {}", self.run())?;
            if let Some(d) = named(&found.seen, self.search.measure) {
                writeln!(
                    out,
                    "  {} {} > {} ({}) on the questions it was chosen on, which is optimistic",
                    self.search.measure,
                    measure(d.mean_a),
                    measure(d.mean_b),
                    signed(d.difference)
                )?;
            }
            self.changes(out)?;
        }
        if let Some([today, best]) = self.took.filter(|_| !found.winner.is_empty()) {
            writeln!(
                out,
                "\nA question takes {today:.2} ms today, {best:.2} ms with it (median)"
            )?;
        }
        self.kept(out)
    }

    /// The gain to expect, in a sentence; the other measures beside it.
    fn expected(&self, out: &mut impl Write) -> Result<()> {
        let measure = self.search.measure;
        if let Some(d) = self.found.gain(&self.recipe) {
            writeln!(out, "  {}", d.sentence(measure))?;
        }
        let others = TOLD.iter().filter(|name| **name != measure);
        let others = others.filter_map(|name| {
            let d = named(&self.found.unseen, name)?;
            Some(format!("{name} {}", signed(d.difference)))
        });
        writeln!(
            out,
            "  other measures: {}",
            others.collect::<Vec<_>>().join(", ")
        )?;
        Ok(())
    }

    fn verdict(&self) -> String {
        let (found, measure) = (&self.found, self.search.measure);
        match found.gain(&self.recipe) {
            None => {
                "The search was stopped before any of it was judged on other questions.".to_owned()
            }
            Some(_) if !found.whole => {
                "The search was stopped, so the gain is of some questions only.".to_owned()
            }
            Some(_) if found.winner.is_empty() => {
                format!("No setting beats today's: none that was tried has more {measure}.")
            }
            Some(_) if found.better(&self.recipe) => {
                format!("A setting found this way beats today's beyond the interval of {measure}.")
            }
            Some(_) => format!(
                "No setting beats today's beyond the interval of {measure}; the difference may be chance."
            ),
        }
    }

    /// What each change brings, and in how many races it was chosen again.
    fn changes(&self, out: &mut impl Write) -> Result<()> {
        let (found, today) = (&self.found, self.space.today());
        let mut grid = Grid::new("  < >  >  >  >");
        let without = format!("{} without it", self.search.measure);
        grid.row(["parameter", "today", "best", &without, "races"]);
        for ((p, value), lost) in found.winner.iter().zip(&found.lost) {
            let races = format!("{} of {}", found.agree(*p), found.folds.len());
            grid.row(cells![
                p.id(),
                today.text(*p),
                p.declaration().domain.format(*value),
                known(lost.as_ref(), |lost| signed(lost.difference)),
                races
            ]);
        }
        write!(out, "\n{grid}")?;
        Ok(())
    }

    /// Where the setting is, and how it is used.
    fn kept(&self, out: &mut impl Write) -> Result<()> {
        if self.found.winner.is_empty() {
            if self.search.save.is_some() {
                writeln!(out, "\nnothing was saved")?;
            }
            return Ok(());
        }
        let run = flags::quote(&self.run());
        match (&self.search.save, &self.saved) {
            (Some(name), Some(path)) => {
                let path = path.display();
                writeln!(
                    out,
                    "\npreset {name} saved in {path}; use it with --method {name}, or --method {run}"
                )?;
            }
            (Some(_), None) => writeln!(
                out,
                "\nnothing was saved; --anyway saves it all the same. Use it with --method {run}"
            )?,
            (None, _) => writeln!(
                out,
                "\nuse it with --method {run}; --save NAME keeps it as a preset"
            )?,
        }
        Ok(())
    }
}
