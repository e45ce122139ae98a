//! Learns the order of hop from questions with gold or from labels, and says how good it is on questions that it has not
//! seen.

use super::{TuneArgs, by_name, candidates, family, questions, stopped, watched};
use crate::cli::load::{bar, load};
use crate::cli::named::Named;
use crate::cli::{figures, print_json, write_file};
use crate::evaluate::compare::named;
use crate::evaluate::learn::{HeldOut, Learnt, TOLD, Taught, general, trained, tune};
use crate::evaluate::{Difference, Resampling};
use crate::output;
use crate::parameters::RANKER;
use crate::ranker::{Boosting, Model, Recipe};
use crate::retrieve::operators::ranked::orders_others;
use crate::retrieve::{DEFAULT_METHOD, Settings};
use crate::text::plural;
use anyhow::{Result, bail};
use serde::Serialize;
use std::io::Write;
use std::path::Path;

pub fn run(args: &TuneArgs) -> Result<()> {
    let orders = orders(args)?;
    let mut families: Vec<(String, Vec<Taught>)> = Vec::new();
    for word in &args.index {
        let (family, path) = family(word);
        let own = taught(args, path, &orders)?;
        match families.iter_mut().find(|(known, _)| *known == family) {
            Some((_, sets)) => sets.extend(own),
            None => families.push((family, own)),
        }
    }
    match (&families[..], &orders[..]) {
        ([(_, sets)], [settings]) if sets.len() == 1 => one(args, &sets[0], settings),
        _ => many(args, &families, &orders),
    }
}

/// What `--method` says, or what stands for it.
fn methods(args: &TuneArgs) -> &str {
    args.search.method.as_deref().unwrap_or(DEFAULT_METHOD)
}

/// What gives the first orders: methods that end in the learned one.
fn orders(args: &TuneArgs) -> Result<Vec<Settings>> {
    let settings = methods(args).split(',').map(|method| {
        let settings = args.tuning.how().settings(Some(method))?;
        let name = &settings.method().name;
        match settings.method().uses().contains(&RANKER.id()) {
            true => Ok(settings),
            false => bail!("{name} does not end in the learned order; '{name} > ranked' does"),
        }
    });
    let settings: Vec<Settings> = settings.collect::<Result<_>>()?;
    let others = |settings: &Settings| orders_others(settings.method().plan());
    match settings.iter().any(|s| others(s) != others(&settings[0])) {
        true => bail!(
            "hop and METHOD > ranked use different rankers; run 'hopscope tune' once for each"
        ),
        false => Ok(settings),
    }
}

/// The candidates of every question with gold of one index, which is opened once for all orders.
fn taught(args: &TuneArgs, path: &Path, orders: &[Settings]) -> Result<Vec<Taught>> {
    let mut orders = orders.to_vec();
    let index = load(Some(path), &args.reading, &mut orders[0])?;
    orders
        .iter_mut()
        .for_each(|settings| settings.adopt(&index));
    let questions = questions(args, &index)?;
    let each = orders.iter();
    each.map(|settings| candidates(path, (&index, &questions), settings))
        .collect()
}

/// Learns from one set, starting from the ranker of the settings.
fn one(args: &TuneArgs, set: &Taught, settings: &Settings) -> Result<()> {
    let start = settings.starting_ranker();
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
        true => print_json(&report(set, &learnt, way)),
        false => print(args, set, &learnt, way, &settings.text(RANKER.id())),
    }
}

pub(super) fn write(args: &TuneArgs, model: &Model) -> Result<()> {
    match &args.out {
        Some(out) => write_file(out, model.text().as_bytes()),
        None => Ok(()),
    }
}

/// A ranker that was learned from one set.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(in crate::cli) struct Report<'a> {
    /// Name of the set.
    set: &'a str,
    /// Questions that taught it.
    questions: usize,
    /// Whether the ranker it started from was trained on a set of this name.
    start_has_seen_it: bool,
    /// How it was made.
    way: &'a str,
    /// By measure, on questions it was not trained on: against the weighted sum (ranker=off).
    over_weighted_sum: Named<&'a Difference>,
    /// The same against the ranker it started from.
    over_start: Named<&'a Difference>,
    /// The gain over the weighted sum from half of the labels; null where they are too few to halve.
    from_half: Option<Named<&'a Difference>>,
    /// Groups of features, by how much their functions changed, most first.
    changed: Vec<Changed>,
}

/// A group of features.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Changed {
    /// Its name.
    group: &'static str,
    /// Change of the range of its functions.
    range: f64,
}

/// A ranker that was learned from several families of sets.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(in crate::cli) struct General<'a> {
    /// Questions and sets that it was learned from.
    about: &'a str,
    /// Each family, judged by a ranker that saw none of its questions.
    held_out: Vec<Family<'a>>,
}

/// A family of sets.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Family<'a> {
    /// Its name.
    family: &'a str,
    /// By measure: against the weighted sum (ranker=off).
    over_weighted_sum: Named<&'a Difference>,
}

fn report<'a>(set: &'a Taught, learnt: &'a Learnt, way: &'a str) -> Report<'a> {
    let changed = learnt.changed.iter().map(|(group, range)| Changed {
        group: group.label(),
        range: *range,
    });
    Report {
        set: &set.name,
        questions: learnt.questions,
        start_has_seen_it: learnt.seen,
        way,
        over_weighted_sum: by_name(&learnt.against_first),
        over_start: by_name(&learnt.against_start),
        from_half: learnt.half.as_deref().map(by_name),
        changed: changed.collect(),
    }
}

fn print(args: &TuneArgs, set: &Taught, learnt: &Learnt, way: &str, start: &str) -> Result<()> {
    let mut out = output::text();
    let questions = plural(learnt.questions, "question");
    writeln!(out, "{}: {questions}; {way}", set.name)?;
    writeln!(
        out,
        "\nOn questions it was not trained on, over the first order (ranker=off):"
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
            let method = methods(args).split(['@', ',']).next().unwrap_or_default();
            writeln!(
                out,
                "\nranker in {file}; use it with --ranker {file}, or compare {method},{method}@ranker={file}"
            )?;
        }
        None => writeln!(out, "\nnothing was written; --out FILE keeps the ranker")?,
    }
    Ok(())
}

/// Learns from families of sets, each held out in turn.
fn many(args: &TuneArgs, families: &[(String, Vec<Taught>)], orders: &[Settings]) -> Result<()> {
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
    // A set follows itself for every method.
    let sets = families.iter().flat_map(|(_, sets)| sets);
    let sets = sets.step_by(orders.len());
    let count: usize = sets.clone().map(|set| set.questions.len()).sum();
    let names: Vec<&str> = sets.map(|set| &*set.name).collect();
    model.about = format!("{} of {}", plural(count, "question"), names.join(", "));
    if orders_others(orders[0].method().plan()) {
        let methods: Vec<&str> = orders
            .iter()
            .map(|s| &*s.method().base().unwrap_or(s.method()).name)
            .collect();
        model.about += &format!(", behind {}", methods.join(", "));
    }
    model.trained = held
        .iter()
        .map(|h| trained(&h.family, &h.against_first))
        .collect();
    write(args, &model)?;
    if args.json {
        let held_out = held.iter().map(|h| Family {
            family: &h.family,
            over_weighted_sum: by_name(&h.against_first),
        });
        return print_json(&General {
            about: &model.about,
            held_out: held_out.collect(),
        });
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
