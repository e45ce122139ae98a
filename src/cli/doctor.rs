//! `hopscope doctor INDEX`: what is wrong with an index, and how much lost gold it explains.

use super::figures::among;
use super::grid::{Grid, cells};
use super::interrupt;
use super::load::{ProgressBars, check_runs, load};
use super::{How, Parts, Reading, Tuning};
use crate::evaluate::{Checkup, Doing, Finding, doctor};
use crate::index::{Progress, Step};
use crate::output;
use crate::text::plural;
use anyhow::{Result, bail};
use clap::Args;
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// An index folder or a corpus; default: the sample.
    index: Option<PathBuf>,
    /// Method whose graph and missed gold are checked; 'hopscope methods' lists them.
    #[arg(long, short)]
    method: Option<String>,
    #[command(flatten)]
    parts: Parts,
    #[command(flatten)]
    tuning: Tuning,
    #[command(flatten)]
    reading: Reading,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &DoctorArgs) -> Result<()> {
    let how = How {
        parts: args.parts.clone(),
        ..args.tuning.how()
    };
    let mut settings = how.settings(args.method.as_deref())?;
    let index = load(args.index.as_deref(), &args.reading, &mut settings)?;
    if !index.questions().is_empty() {
        check_runs(&index, index.questions(), std::slice::from_ref(&settings))?;
    }
    interrupt::watch();
    let bars = ProgressBars::of(&[]);
    let tell = |doing, done, all| {
        let step = match doing {
            Doing::Names => Step::Layer("names"),
            Doing::Questions => Step::Layer("questions"),
        };
        bars.advance(step, done, all)
    };
    let found = doctor(&index, index.questions(), &settings, tell);
    bars.clear();
    let Some(checkup) = found? else {
        bail!("interrupted before everything was looked at");
    };
    if args.json {
        let mut told = json!(checkup);
        told["index"] = json!({"name": index.name(), "fingerprint": index.fingerprint()});
        told["questions"] = json!(index.questions().len());
        told["settings"] = json!(settings);
        return super::print_json(&told);
    }
    print(&mut output::text(), index.name(), &checkup)?;
    Ok(())
}

fn print(out: &mut impl Write, name: &str, checkup: &Checkup) -> std::io::Result<()> {
    let graph = match checkup.graph {
        Some(graph) => format!("graph {graph}"),
        None => "no graph".to_owned(),
    };
    writeln!(out, "{name} · {} · {graph}", checkup.method)?;
    let (lost, explained) = (checkup.lost, checkup.explained);
    let gold = match checkup.gold {
        0 => "no question has gold: what the faults cost is not known".to_owned(),
        gold => {
            let gold = plural(gold, "gold passage");
            format!("{lost} of {gold} missed, {explained} explained by a fault")
        }
    };
    writeln!(out, "{gold}")?;
    for finding in &checkup.findings {
        print_finding(out, finding)?;
    }
    Ok(())
}

fn print_finding(out: &mut impl Write, finding: &Finding) -> std::io::Result<()> {
    let (count, of, fault) = (finding.count, finding.of, finding.fault);
    let (share, what, where_) = (among(count, of, 1), fault.about(), fault.among());
    let mut grid = Grid::new(">6 <   <");
    let found = format!("{count} {what} ({share} of {of} {where_})");
    grid.row(cells![finding.explains, "missed gold", found]);
    let examples = finding.examples.join("; ");
    let more = [
        ("", &finding.detail),
        ("as ", &examples),
        ("remedy: ", &finding.remedy),
    ];
    for (head, text) in more.into_iter().filter(|(_, text)| !text.is_empty()) {
        grid.row(["", "", &format!("{head}{text}")]);
    }
    write!(out, "\n{grid}")
}
